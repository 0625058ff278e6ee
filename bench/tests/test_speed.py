"""The benches of speed must themselves be right: what a process took, whose memory it was, what is compared."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from places import ROOT

from bench import inside, sections, speed, workloads
from bench.processes import TRAIN, Command, Cost, in_turns, measured, median, with_output
from bench.table import Costs, Table, at_least, at_most

SAMPLE = ROOT / "data" / "sample.svm"


def python(program):
    return [sys.executable, "-c", program]


def test_a_process_is_charged_with_its_own_time_and_memory():
    ours = np.ones(40_000_000)  # 320 MB, which a child that this process starts would count as its own peak
    idle = measured(python("import time; time.sleep(0.2)"))
    assert idle.wall >= 0.2 > idle.busy
    assert idle.mb < 100 < ours.nbytes / 2**20
    assert measured(python("x = bytearray(200 << 20); x[::4096] = bytes(len(x[::4096]))")).mb > 200
    assert measured(python("import time\nwhile time.process_time() < 0.3: pass")).busy >= 0.3


def test_a_failure_ends_the_bench_with_what_was_said():
    with pytest.raises(RuntimeError, match=r"failed \(3\).*no such thing"):
        measured(python("import sys; print('no such thing', file=sys.stderr); sys.exit(3)"))


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity here")
def test_a_command_has_the_cores_and_the_environment_it_is_given(monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    one = min(os.sched_getaffinity(0))
    say = python("import os, sys; print(sorted(os.sched_getaffinity(0)), os.environ['A'], sys.dont_write_bytecode)")
    cost, out = with_output(Command(say, cores=(one,), environment={"A": "b"}))
    assert out.split("\n")[0] == f"[{one}] b False"
    assert cost.wall > 0


def test_commands_take_turns_and_the_first_runs_do_not_count(tmp_path):
    log = tmp_path / "log"
    commands = {name: python(f"open({str(log)!r}, 'a').write({name!r})") for name in "ab"}
    before = []
    commands["b"] = Command(commands["b"], before=lambda: before.append(log.read_text()))
    costs = in_turns(commands, 2, warm=1)
    assert log.read_text() == "ababab"
    assert before == ["a", "aba", "ababa"]
    assert [len(own) for own in costs.values()] == [2, 2]


def test_medians_ratios_and_goals():
    costs = [Cost(1, 2, 3), Cost(3, 1, 5), Cost(2, 9, 4)]
    assert median(costs) == Cost(2, 2, 4)
    assert [at_least(2, *own) for own in ((2, 2), (2, 1), (1, 2), (1, 1))] == ["yes", "clock only", "busy only", "no"]
    assert (at_most(1, 1.0), at_most(1, 1.01)) == ("yes", "no")


def test_rows_with_exactly_s_features_are_unit_rows_of_the_stream():
    X, y = workloads.zipf_stream(300, 1000, 20, exact=True)
    np.testing.assert_array_equal(np.diff(X.indptr), 20)
    assert all(len(np.unique(X.indices[i : i + 20])) == 20 for i in range(0, X.nnz, 20))
    np.testing.assert_allclose(np.asarray(X.multiply(X).sum(axis=1)).ravel(), 1)
    assert set(y) == {-1, 1}
    share = np.mean(X.indices < 31)  # about half of the draws: 31 is the root of 1,000
    assert 0.3 < share < 0.7
    with pytest.raises(ValueError, match="too many for a stream this narrow"):
        workloads.zipf_stream(300, 30, 29, exact=True)


def test_every_feature_comes_once_and_frequent_ones_come_early():
    X, y = workloads.every_feature(10_000, 100)
    np.testing.assert_array_equal(np.sort(X.indices), np.arange(10_000))
    assert X.shape == (100, 10_000)
    assert len(y) == 100
    place = np.empty(10_000)
    place[X.indices] = np.arange(10_000)
    assert place[:100].mean() < 0.1 * place[5000:].mean()


def test_a_set_is_repeated_in_other_orders_until_there_are_enough_rows(tmp_path):
    import gzip

    path = tmp_path / "a.svm.gz"
    path.write_bytes(gzip.compress("".join(f"{i % 2} 1:{i}\n" for i in range(20)).encode() + b"1\n\n"))
    rows = list(workloads.repeated(path, 50))
    assert len(rows) == 50
    assert sorted(rows[:21]) == sorted(rows[21:42])
    assert rows[:21] != rows[21:42]
    assert {label for label, features in rows if features.endswith("3")} == {"+1"}
    assert {label for label, features in rows if features.endswith("4")} == {"-1"}


def test_a_stream_is_written_once_and_the_same_in_both_formats(tmp_path, monkeypatch):
    monkeypatch.setattr(workloads, "OUT", tmp_path)
    made = workloads.text_files(30, 1000, 20)
    svm, vw = map(Path, made)
    lines = svm.read_text().splitlines()
    assert len(lines) == 30
    assert all(10 < line.count(":") <= 20 for line in lines)
    assert vw.read_text().replace(" | ", " ") == svm.read_text()
    stamp = vw.stat().st_mtime_ns
    assert workloads.text_files(30, 1000, 20) == made
    assert vw.stat().st_mtime_ns == stamp


def test_the_table_has_ratios_to_the_first_peer_and_goals(tmp_path, capsys):
    table = Costs()
    files = sections.Files("tiny", 100, 1, str(SAMPLE), str(SAMPLE))
    sleep = "import sys, time; assert open(sys.argv[1]).read(); time.sleep({})"
    peers = {name: [*python(sleep.format(s)), sections.VW_FILE] for name, s in (("slow", 0.4), ("other", 0))}
    ours = {"quick": [*python(sleep.format(0)), sections.SVM_FILE]}
    sections.side_by_side(sections.Bench(100, 1, True, table, tmp_path), files, "tiny", peers, ours, {"quick": 2})
    Table("A title", ["x", "us"]).row(10_000, 1 / 7)
    lines = capsys.readouterr().out.splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("|")]
    assert [row[0] for row in rows[2:5]] == ["tiny"] * 3
    assert lines[-5:] == ["", "### A title", "", "| x | us |", "|---|---|", "| 10,000 | 0.143 |"][-5:]
    last = table.kept[-1]
    ratio = table.kept[0]["cost"]["wall"] / last["cost"]["wall"]
    assert float(last["ratio"].split(" / ")[0]) == pytest.approx(ratio, abs=0.01)
    assert last["goal"] == ">= 2"
    assert last["met"] in ("yes", "clock only")
    assert last["us"] == pytest.approx(last["cost"]["wall"] / 100 * 1e6)


def test_commands_are_named_as_a_user_types_them():
    words = [*TRAIN, "--sketch", "rfd", "-m", "10", sections.VW_FILE]
    assert sections.shown(words) == "sonlearn train --sketch rfd -m 10"
    assert sections.filled(words, sections.Files("", 1, 1, "a", "b")).words[-1] == "b"


def test_learning_is_measured_in_process():
    assert 0 < inside.learning(d=500, s=10, n=400, flags=["--method nag"], runs=2)["--method nag"] < 1e5
    wide = inside.width([500, 1000], 10, ["--method nag"], runs=1, block=50)
    assert set(wide["--method nag"]) == {"500", "1000"}


def test_sections_are_named_and_others_refused():
    assert speed.chosen("start,flat", False) == ["start", "flat"]
    assert set(speed.chosen(None, True)) < set(speed.chosen(None, False)) == set(speed.SECTIONS)
    with pytest.raises(SystemExit, match="no section 'flt'"):
        speed.main(["--only", "flt"])
