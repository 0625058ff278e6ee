"""`sonlearn tune`: every setting is what it would be alone, bit for bit; halving, failures, interrupts, bad grids."""

import csv
import io
import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest
from commands import PROGRAM, TIMING, start
from for_all import for_all
from places import sample

from sonlearn import Learner, LearnOptions, OptionError, read_batches, tune
from sonlearn.commands import passes, train
from sonlearn.commands.line import parse
from sonlearn.options.methods import METHODS
from sonlearn.options.run import RunOptions
from sonlearn.options.spec import nearest
from sonlearn.report.problem import problem_of
from sonlearn.tuning.grid import parse_grid, settings_of
from sonlearn.tuning.search import Tuning, learnable

GRID = "alpha=.1,1 sketch-size=2,4 method=rfd-son,nag,arow learning-rate=.1,.5"
#: The settings of GRID, by hand.
ALONE = [
    *(f"--alpha {a} --sketch-size {m} --method rfd-son" for a in (0.1, 1) for m in (2, 4)),
    "--method nag --learning-rate 0.1", "--method nag --learning-rate 0.5", "--method arow",
]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for kind, rows in (("svm", 220), ("vw", 100)):
        Path(f"a.{kind}").write_text(sample(f"sample.{kind}", stop=rows), encoding="utf-8")
    rows = [f"{1 + i % 3} {1 + i % 3}:1 {4 + i % 5}:{1 + i % 2}\n" for i in range(60)]
    Path("classes.svm").write_text("".join(rows), encoding="utf-8")
    Path("values.svm").write_text("".join(f"{i % 7} {1 + i % 5}:1 {6 + i % 3}:2\n" for i in range(60)))
    Path("zero.svm").write_text("".join(f"{i % 2} {1 + i % 5}:1 {6 + i % 3}:2\n" for i in range(60)))
    return tmp_path


def table(text, delimiter="\t"):
    return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))


def alone(flags, data, *more):
    """(average loss, average error, area under the curve, bytes of the model) of one run; figures with all digits."""
    given, _ = parse("train", [*flags.split(), *more])
    run = {name: given.pop(name) for name in ("passes", "on_error", "holdout_off") if name in given}
    session = train.TrainingSession(given, RunOptions(data=(data,), quiet=True, final_regressor="alone", **run))
    assert session.run() == 0
    result = session.progress.result
    area = (session.metrics.result() or {}).get("auc")
    return result.average_loss, result.average_error, area, Path("alone").read_bytes()


def figures(row):
    return tuple(float(row[name]) if row[name] else None for name in ("average_loss", "average_error", "auc"))


def flags_of(row, names):
    return " ".join(f"--{name.replace('_', '-')} {row[name]}" for name in names if row[name])


# ------------------------------------------------------------------------------------------------- bit for bit


@pytest.mark.parametrize(
    ("data", "more"),
    [
        ("a.svm", ["--threads", "2"]), ("a.svm", ["--threads", "0"]), ("a.vw", ["--passes", "3", "--cache"]),
        ("a.vw", ["--passes", "2", "--holdout_off", "--loss", "logistic", "-b", "12"]),
    ],
    ids=["threads", "in turn", "passes", "text options"],
)  # fmt: skip
def test_every_setting_is_what_it_is_alone(cli, data, more):
    grid = GRID if "--loss" not in more else GRID.replace(",arow", ",ftrl")
    settings = ALONE if "--loss" not in more else [*ALONE[:-1], "--method ftrl"]
    out, err = cli.both("tune", "--grid", grid, "-f", "best", "--table", "-", *more, data)
    rows = table(out)
    more = [flag for flag in more if flag not in ("--threads", "--cache", "0")] if "--threads" not in more else []
    expected = {flags: alone(flags, data, *more) for flags in settings}
    assert len(rows) == len(settings) == 7
    found = sorted(figures(row) for row in rows)
    assert found == sorted(each[:3] for each in expected.values())
    by = 0 if "--loss" in more else 1
    winner = min(expected, key=lambda flags: expected[flags][by])
    assert figures(rows[0]) == expected[winner][:3]
    assert Path("best").read_bytes() == expected[winner][-1]
    (line,) = [line for line in err.splitlines() if line.startswith("best setting = ")]
    assert alone(line.removeprefix("best setting = "), data, *more)[-1] == expected[winner][-1]
    assert f"compared by average {('loss', 'error')[by]}" in err


LOGISTIC = ["--method nag --loss logistic", "--members nag,nag:tfidf --no-prune --loss logistic"]


@pytest.mark.parametrize(
    ("classes", "grid", "settings"),
    [
        ("--oaa 3", "method=nag,committee members=nag+nag:tfidf loss=logistic prune=off", LOGISTIC),
        ("--classes auto", "method=nag,committee members=nag+nag:tfidf loss=logistic prune=off", LOGISTIC),
        ("--multinomial 3", "alpha=.1,1 method=rfd-son,adagrad",
         ["--alpha 0.1 --method rfd-son", "--alpha 1 --method rfd-son", "--method adagrad"]),
    ],
)  # fmt: skip
def test_several_classes_committees_and_a_shared_metric(cli, classes, grid, settings):
    out, err = cli.both("tune", *classes.split(), "--grid", grid, "-f", "best", "--table", "-", "classes.svm")
    expected = [alone(f"{classes} {flags}", "classes.svm") for flags in settings]
    assert sorted(map(figures, table(out))) == sorted(each[:3] for each in expected)
    assert Path("best").read_bytes() == min(expected)[-1]
    assert " = ".join(classes.removeprefix("--").split()) in cli("inspect", "best")[1]
    assert f"best setting = {classes} " in err


def test_what_is_said_is_compared(cli):
    """With --binary losses are errors, and labels are classes for squared loss as well."""
    grid = ["--grid", "method=nag loss=squared,logistic"]
    out, err = cli.both("tune", *grid, "--binary", "-f", "best", "--table", "-", "zero.svm")
    expected = [alone(f"--binary --method nag --loss {loss}", "zero.svm") for loss in ("squared", "logistic")]
    rows = table(out)
    assert sorted(map(figures, rows)) == sorted(each[:3] for each in expected)
    assert all(loss == error for loss, error, _ in map(figures, rows))
    assert Path("best").read_bytes() in [each[-1] for each in expected]
    assert "compared by average loss\n" in err
    out = cli.out("tune", *grid, "--link", "logistic", "--max_prediction", "2", "--table", "-", "a.svm")
    flags = "--link logistic --max_prediction 2 --method nag --loss"
    expected = [alone(f"{flags} {row['loss']}", "a.svm") for row in table(out)]
    assert [figures(row) for row in table(out)] == [each[:3] for each in expected]


def test_rows_of_a_setting_that_has_stopped_have_its_labels(cli):
    """A batch can have rows due of a setting that has stopped by its end."""
    grid = ["--grid", "method=nag learning-rate=.01,.1,.5,2", "--oaa", "3", "-P", "1"]
    tables = []
    for more in ([], ["--halving", "--first-halving", "10"]):
        out, err = cli.both("tune", *grid, *more, "--table", "-", "classes.svm")
        tables.append([line for line in err.splitlines() if "  method=" in line][:10])
    assert tables[0] == tables[1]
    assert "learning-rate=0.01" in tables[1][0]
    assert table(out)[-1]["learning_rate"] == "0.01"
    assert table(out)[-1]["state"] == "stopped"


def test_checkpoints_are_of_the_best_so_far(cli, monkeypatch):
    saved = []
    monkeypatch.setattr(passes, "save_model", lambda path, learner, done, names: saved.append((learner, done)))
    grid = ["--grid", "method=nag,ftrl,coin", "--passes", "2", "--save_per_pass", "--holdout_off"]
    rows = table(cli("tune", *grid, "-f", "best", "--table", "-", "a.vw")[1])
    (first, unfinished), (last, none) = saved
    assert (unfinished.number, unfinished.read, none) == (2, 0, None)
    assert last.options.method == rows[0]["method"]
    assert first.options.method in ("nag", "ftrl", "coin")


def test_python_says_the_same(cli):
    cli("tune", "--grid", GRID, "-f", "best", "--table", "t", "a.svm")
    values = {"alpha": [0.1, 1.0], "sketch_size": [2, 4], "method": ["rfd-son", "nag", "arow"]}
    tuned = tune(values | {"learning_rate": [0.1, 0.5]}, read_batches("a.svm"), threads=2)
    rows = table(Path("t").read_text())
    measured = [(result.loss, result.error, result.measures["auc"]) for result in tuned.results]
    assert [figures(row) for row in rows] == measured
    assert tuned.best.setting == tuned.results[0].setting
    assert tuned.learner.options == Learner.load("best").options
    ids, weights = tuned.learner.weights()
    theirs = Learner.load("best").weights()
    assert (ids == theirs[0]).all()
    assert (weights == theirs[1]).all()
    goes_on, theirs = tuned.learner, Learner.load("best")
    (batch,) = read_batches("a.svm")
    new = batch._replace(indices=batch.indices + 10**6)  # features that nobody has seen
    assert (goes_on.partial_fit(new).prediction == theirs.partial_fit(new).prediction).all()
    assert tuned.learner.examples == 220  # what the copy learns is its own
    assert (tuned.learner.predict(new).prediction == Learner.load("best").predict(new).prediction).all()
    assert tune({"method": "nag"}, read_batches("a.svm"), fixed={"learning_rate": 0.1}).best.setting.options == (
        LearnOptions(method="nag", learning_rate=0.1)
    )


def test_rows_show_the_best_at_that_row(cli):
    """Each row is that of a run of its setting alone, and no other setting is better there."""
    _, _, err = cli("tune", "--grid", "method=nag,ftrl,coin", "a.svm")
    rows = [line for line in err.splitlines() if "  method=" in line and len(line.split()) == 9]
    assert len(rows) == 8  # 1, 2, 4, ... 128
    theirs = {}
    for method in ("nag", "ftrl", "coin"):
        text = cli("train", "--method", method, "a.svm")[2]
        theirs[method] = [line for line in text.splitlines() if len(line.split()) == 8 and line[0].isdigit()]
    for i, row in enumerate(rows):
        line, method = row.split("  method=")
        assert line == theirs[method][i]
        assert float(line.split()[0]) == min(float(lines[i].split()[0]) for lines in theirs.values())


# ------------------------------------------------------------------------------------------------- halving


def halved_by_hand(settings, batch, first):
    """{name: rows seen} and the names that are left, by running each setting over ever longer beginnings."""
    labelled = np.cumsum(learnable(batch))
    left, seen, rows = list(settings), {}, first
    while rows <= labelled[-1] and len(left) > 1:
        stop = int(np.searchsorted(labelled, rows)) + 1
        losses = [average(setting, batch.part(0, stop)) for setting in left]
        order = sorted(range(len(left)), key=lambda i: losses[i])
        gone = order[len(left) - len(left) // 2 :]
        seen |= {left[i].name: stop for i in gone}
        left = [setting for i, setting in enumerate(left) if i not in gone]
        rows *= 2
    return seen | {setting.name: batch.n for setting in left}, {setting.name for setting in left}


def average(setting, batch):
    problem = problem_of(setting.options)
    progress = problem.progress()
    progress.update(problem.outcome(batch, None, Learner(setting.options).partial_fit(batch)))
    return progress.result.average_loss


@pytest.mark.parametrize("first", [10, 50])
def test_the_worse_half_stops(first):
    (batch,) = read_batches("a.svm")
    y, weight = batch.y.copy(), batch.weight.copy()
    y[[3, 40, 60]], weight[[5, 41]] = np.nan, 0.0
    batch = batch._replace(y=y, weight=weight)
    settings = settings_of([parse_grid("method=nag,adagrad learning-rate=.01,.1,.5,2,5")], {}).settings
    seen, left = halved_by_hand(settings, batch, first)
    assert len(set(seen.values())) > 2
    results = []
    for cuts in ([220], [1, 9, 10, 11, 51, 52, 53, 104, 105, 106, 220], range(1, 221)):
        tuning, start = Tuning(settings, halving=first, threads=2), 0
        for stop in cuts:
            tuning.partial_fit(batch.part(start, stop))
            start = stop
        assert {result.setting.name: result.examples for result in tuning.results} == seen
        assert {each.setting.name for each in tuning.at_work} == left
        results.append([result._replace(seconds=0.0) for result in tuning.results])
        stopped = [result.examples for result in tuning.results if result.state == "stopped"]
        assert stopped == sorted(stopped, reverse=True)
    assert results[0] == results[1] == results[2]


def test_before_a_pass_has_a_holdout_the_one_before_it_counts():
    (batch,) = read_batches("a.svm")
    settings = settings_of([parse_grid("method=nag learning-rate=.001,.5")], {}).settings
    tuning = Tuning(settings, holdout=True)
    tuning.partial_fit(batch, np.arange(batch.n) % 10 == 9)
    tuning.next_pass()
    tuning.partial_fit(batch.part(0, 5), np.zeros(5, dtype=bool))
    assert [result.setting.options.learning_rate for result in tuning.results] == [0.5, 0.001]
    assert tuning.best.setting == settings[1]


def test_halving_is_of_the_first_pass(cli):
    grid = ["--grid", "method=nag learning-rate=.01,.1,.5,2", "--halving", "--first-halving", 150, "--passes", 3]
    out, err = cli.both("tune", *grid, "--table", "-", "a.svm")
    rows = table(out)
    assert [row["state"] for row in rows] == ["whole", "whole", "stopped", "stopped"]  # 198 are learned in a pass
    assert rows[2]["examples"] == "166"  # the 150th that is not held out
    assert "halving = the worse half stops after 150, 300, 600, ... labelled rows" in err


# ------------------------------------------------------------------------------------------------- what goes wrong


def test_a_setting_that_fails_is_left_behind(cli):
    grid = ["--grid", "method=ogd,nag learning-rate=.1,1e200", "--loss", "squared"]
    out, err = cli.both("tune", *grid, "-f", "best", "--table", "-", "a.svm")
    rows = table(out)
    assert [row["state"] for row in rows].count("failed") >= 1
    assert rows[0]["state"] == "whole"
    assert rows[-1]["state"] == "failed"
    assert rows[-1]["learning_rate"] == "1e+200"
    assert rows[-1]["problem"].startswith("a.svm:")
    warning = next(line for line in err.splitlines() if "warning" in line)
    assert warning.startswith("sonlearn: warning: method=ogd learning-rate=1e+200: a.svm:")
    assert "has diverged" in warning
    flags = flags_of(rows[0], ["method", "learning_rate", "loss"])
    assert Path("best").read_bytes() == alone(flags, "a.svm")[-1]


def test_with_skip_the_rows_of_a_failure_are_left_out(cli):
    grid = ["--grid", "method=ogd,nag learning-rate=.1,1e200", "--loss", "squared", "--on-error", "skip"]
    out = cli.out("tune", *grid, "--table", "-", "a.svm")
    rows = table(out)
    assert {row["state"] for row in rows} == {"whole"}
    assert any(row["problem"].startswith("rows that it could not learn from: ") for row in rows)
    for row in rows:
        expected = alone(flags_of(row, ["method", "learning_rate", "loss"]), "a.svm", "--on-error", "skip")[:3]
        assert figures(row) == expected


def test_with_skip_a_label_that_fits_not_all_settings_is_learned_by_none(cli):
    """A third label ends no run: its row is only predicted, as `train` does with it, and each setting counts it."""
    lines = Path("a.svm").read_text().splitlines()
    lines[40] = "7 " + lines[40].split(maxsplit=1)[1]
    Path("three.svm").write_text("\n".join(lines) + "\n")
    assert "found label 7" in cli.error("tune", "--quiet", "--grid", "method=nag,arow", "three.svm")
    rows = table(cli.out("tune", "--grid", "method=nag,arow", "--on-error", "skip", "--table", "-", "three.svm"))
    assert {row["problem"] for row in rows} == {"rows that it could not learn from: 1"}
    for row in rows:
        assert figures(row) == alone(flags_of(row, ["method"]), "three.svm", "--on-error", "skip")[:3]


def test_when_all_fail_nothing_is_saved(cli):
    grid = ["--grid", "learning-rate=1e200,1e201", "--method", "ogd", "--loss", "squared", "--quiet", "-f", "best"]
    assert "has diverged" in cli.error("tune", *grid, "a.svm").splitlines()[-1]
    assert not Path("best").exists()


@for_all("grid, message",
    [
        ("", "--grid, column 1: found nothing, expected NAME=VALUE,VALUE,... with blanks between, as in"),
        ("method=nag alpha", "--grid, column 12: found 'alpha', expected NAME=VALUE,VALUE,..."),
        ("alpha=1,,2", "--grid, column 9: found nothing, expected a value for alpha"),
        ("alpha=1,2,", "--grid, column 11: found nothing, expected a value for alpha"),
        ("alpha=1 m=2,x", "--grid, column 13: --sketch-size x: expected a whole number"),
        ("alpha=1,-1", "--grid, column 9: --alpha -1.0: expected at least 0"),
        ("method=nag,foo", f"--grid, column 12: --method foo: expected one of {nearest('foo', METHODS)}"),
        ("invariant=on,maybe", "--grid, column 14: invariant maybe: expected on or off"),
        ("method=nag alhpa=1", "--grid, column 12: 'alhpa': no such option; did you mean alpha?"),
        ("bits=10,12", "--grid, column 1: bits: the text is read once, for all settings; give --bit_precision"),
        ("oaa=2,3", "--grid, column 1: oaa: what the classes are is the same for all settings; give --oaa"),
        ("alpha=1 alpha=2", "--grid, column 9: found 'alpha', expected each name once, "),
        ("alpha=.1,1 method=nag", "--alpha: --method nag does not take it; --method rfd-son, "),
        ("learning_rate=.5", "--grid learning-rate: no method of the grid takes it: committee"),
        ("alpha=0,1 sketch=oja,rfd", "the combination alpha=0 sketch=oja: --alpha 0 with --sketch oja: "),
        ("sketch=rfd method=nag", "the combination sketch=rfd method=nag: --sketch rfd is --method rfd-son, not"),
        ("members=nag,nag:foo", "the combination members=nag:foo: --members nag:foo: there is no view 'foo'; "),
        ("loss=squared,absolute", "the settings have different losses, squared, absolute, whose averages cannot be"),
        ("loss=quantile quantile-tau=.1,.9", "the settings have different losses, quantile quantile_tau 0.1, "),
        ("multinomial=2,3", "--grid, column 1: multinomial: what the classes are is the same for all settings; "),
        (f"alpha={','.join(map(str, range(1, 1002)))} method=gd", "--grid: 1001 combinations, expected at most 1000"),
    ],
)  # fmt: skip
def test_bad_grids(cli, grid, message):
    assert cli.error("tune", "--grid", grid, "a.svm").startswith(message)


def test_rows_until_the_first_halving_are_one_at_least():
    with pytest.raises(OptionError, match="halving 0"):
        tune({"method": "nag"}, [], halving=0)


def test_labels_that_do_not_fit(cli):
    """A wrong label ends the run as it ends one of `train`; values, or 0 and 1 as values, have no error rate."""
    assert cli.error("tune", "--quiet", "--grid", "method=nag,arow", "-f", "best", "classes.svm") == (
        cli.error("train", "--quiet", "--method", "nag", "classes.svm")
    )
    message = cli.error("tune", "--quiet", "--grid", "method=nag,rfd-son", "zero.svm")
    assert message.startswith("zero.svm: found labels other than -1 and +1, expected classes, where settings are ")
    assert cli("tune", "--quiet", "--grid", "method=nag,rfd-son", "--loss", "logistic", "zero.svm")[0] == 0
    assert cli("tune", "--quiet", "--grid", "method=nag,rfd-son", "--loss", "squared", "values.svm")[0] == 0
    assert not Path("best").exists()


def test_without_labels(cli):
    Path("none.vw").write_text("| a b\n| a c\n")
    out, err = cli.both("tune", "--grid", "method=nag,arow", "--table", "-", "none.vw")
    assert [row["average_loss"] for row in table(out)] == ["", ""]
    assert "no example that has a label" in err


# ------------------------------------------------------------------------------------------------- the grid


def test_several_grids_are_added_up():
    grids = [parse_grid("method=nag learning-rate=.1,.5"), parse_grid("method=nag,rfd-son m=3,5")]
    found = settings_of(grids, {})
    names = [setting.name for setting in found.settings]
    assert names == [
        "method=nag learning-rate=0.1",
        "method=nag learning-rate=0.5",
        *(f"method=rfd-son sketch-size={m}" for m in (3, 5)),
    ]  # nag as it is has a learning rate of .5
    assert found.combinations == 6


def test_every_spelling_of_a_name():
    for spelling in ("sketch-size", "sketch_size", "m"):
        assert parse_grid(f"{spelling}=3,5") == {"sketch_size": (3, 5)}
    assert parse_grid("loss_function=squared diagonal=ON,no members=nag+nag:tfidf,arow eta=1/t,.5") == {
        "loss": ("squared",), "diagonal": (True, False), "members": (("nag", "nag:tfidf"), ("arow",)),
        "eta": ("1/t", 0.5),
    }  # fmt: skip


@pytest.mark.parametrize(
    "grid", ["diagonal=on,off method=gd", "invariant=off prune=off method=nag,committee", "eta=1/t,.5 sketch=fd",
             "members=nag+nag:tfidf,nag", "loss=quantile,squared quantile-tau=.5 method=nag",
             "binary=on,off min-prediction=-1 link=identity method=nag"],
)  # fmt: skip
def test_the_flags_of_a_setting_make_it(grid):
    for setting in settings_of([parse_grid(grid)], {}).settings:
        given, rest = parse("train", setting.flags.split())
        assert not rest
        assert LearnOptions(**given) == setting.options


# ------------------------------------------------------------------------------------------------- interrupts


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_keeps_the_best_so_far(cli):
    arguments = ["tune", "-P", "1", "--grid", "method=nag,ftrl,coin", "-f", "best", "--table", "t"]
    with start(*arguments, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        text = Path("a.svm").read_bytes()
        lines = text.splitlines(keepends=True)
        process.stdin.write(b"".join(lines[:50]))
        process.stdin.flush()
        for line in process.stderr:
            if line.split()[2:3] == [b"50"]:
                break
        process.send_signal(signal.SIGINT)
        err = process.stderr.read().decode()
        process.wait()
    assert process.returncode == 128 + signal.SIGINT
    assert "interrupted run (SIGINT)" in err
    rows = table(Path("t").read_text())
    assert [row["examples"] for row in rows] == ["50"] * 3
    said = [line for line in err.splitlines() if not line.startswith(TIMING)]
    assert [line.split()[-1] for line in said[-3:]] == [f"method={row['method']}" for row in rows]
    best = f"--method {rows[0]['method']}"
    Path("part.svm").write_bytes(b"".join(lines[:50]))
    assert figures(rows[0]) == alone(best, "part.svm")[:3]
    again = ["train", "--quiet", "--resume", "-f", "best"]
    assert subprocess.run([*PROGRAM, *again], input=text, check=False).returncode == 0
    assert Path("best").read_bytes() == alone(best, "a.svm")[-1]


@pytest.mark.parametrize("word", ["alpha=.1,1", "method=nag,ftrl"])
def test_several_values_of_a_flag_belong_into_the_grid(cli, word):
    status, _, err = cli("tune", *f"--{word}".split("="), "a.svm")
    assert (status, "\n" in err) == (1, False)
    assert err.endswith(f"; values to try: --grid '{word}'")
