"""What a run's log says, against the table, the predictions and twins in plain Python; and what is refused as a log."""

import functools
import io
import itertools
import json
import math
import random
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from places import sample

from sonlearn import Learner, SonlearnError, read_batches
from sonlearn.commands import train
from sonlearn.commands.models import load_model
from sonlearn.data.batch import CONSTANT, joined
from sonlearn.files.storage import jsonable
from sonlearn.learn.explain import explained
from sonlearn.report.audit import MeanContributions
from sonlearn.report.facts import SAMPLE
from sonlearn.report.html.page import page
from sonlearn.report.quality import EDGES, Calibration, Confusion
from sonlearn.report.runlog import bounded, of_log, read_run, run_of
from sonlearn.text.read import Reader


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Data that come in many batches."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Reader, "__init__", functools.partialmethod(Reader.__init__, chunk_bytes=1500))
    Path("a.svm").write_text(sample("sample.svm", stop=300), encoding="utf-8")
    rng = random.Random(1)
    classes = [f"{k} |w {' '.join(rng.choices('abcdefgh'[k : k + 4], k=3))}\n" for k in rng.choices(range(1, 5), k=200)]
    Path("c.vw").write_text("".join(classes), encoding="utf-8")


def entries(name):
    return [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()]


def test_contributions_are_of_the_last_rows(cli):
    """Those of `Learner.explain` by fewer orders, and none of a sum, whose weights say it."""
    cli.err("train", "--members", "nag,nag:pairs", "-f", "m", "--log-json", "run.jsonl", "a.svm")
    (said,) = entries("run.jsonl")[-1]["contributions"]
    learner, rows = Learner.load("m"), list(read_batches("a.svm"))
    means = MeanContributions(lambda feature: ["Constant"] if feature == CONSTANT else [])
    for explanation in explained(learner, joined(rows).part(300 - SAMPLE, 300), orders=2):
        if explanation is not None:
            means.add(explanation)
    (expected,) = means.result(20)
    assert said["label"] is None
    found = {one.pop("name"): one for one in said["features"]}
    for one in expected["features"][:10]:
        assert found[one.pop("name")] == pytest.approx(one, rel=1e-9)
    cli.err("train", "--method", "nag", "--log-json", "sum.jsonl", "a.svm")
    assert entries("sum.jsonl")[-1]["contributions"] is None


def lines_of(name):
    return Path(name).read_bytes().splitlines(keepends=True)


# ------------------------------------------------------------------------------------------------- what is said


def test_rows_are_those_of_the_table(cli):
    err = cli.err("train", "--method", "nag", "-P", "1.3", "--log-json", "run.jsonl", "a.svm")
    begin, *rows, end = entries("run.jsonl")
    assert begin["learn"]["method"] == "nag"
    assert (begin["data"], begin["before"], begin["verb"]) == (["a.svm"], 0, "train")
    table = [line.split() for line in err.splitlines() if line[:1].isdigit() and len(line.split()) == 8]
    assert len(table) == len(rows) > 10
    for cells, row in zip(table, rows, strict=True):
        expected = [row["loss"], row["since_loss"], row["examples"], row["weight"], row["label"], row["prediction"],
                row["features"], row["error"]]  # fmt: skip
        assert [float(cell) for cell in cells] == pytest.approx(expected, abs=1e-4)
    assert rows[-1]["seconds"] <= end["seconds"]
    assert [row["read"] for row in rows] == sorted(row["read"] for row in rows)
    summary = dict(line.split(" = ") for line in err.splitlines() if " = " in line and "," not in line)
    assert f"{end['loss']:.6f}" == summary["average loss"]
    assert f"{end['error']:.6f}" == summary["average error"]
    assert f"{end['constant']['loss']:.6f}" == summary["best constant's loss"]
    assert (end["examples"], end["ending"]) == (int(summary["number of examples"]), "finished run")


def test_without_p_rows_are_finer_than_the_tables(cli):
    _, _, err = cli("train", "--method", "nag", "--log-json", "run.jsonl", "a.svm")
    weights = [row["weight"] for row in entries("run.jsonl")[1:-1]]
    assert weights[:5] == [1, 2, 3, 4, 5]
    assert all(after >= 1.1 * before for before, after in itertools.pairwise(weights))
    assert weights[-1] > 270
    assert sum(len(line.split()) == 8 and line[0].isdigit() for line in err.splitlines()) == 9


def twin_of_events(p, happened, square, weight):
    """One event at a time."""
    bins, total, squares = {}, 0.0, 0.0
    for event in zip(p, happened, square, weight, strict=True):
        at = sum(event[0] >= 1 / (1 + 2.0**k) for k in range(9, -10, -1))
        h, h2, hp, hy = bins.get(at, (0.0, 0.0, 0.0, 0.0))
        bins[at] = (h + event[3], h2 + event[3] ** 2, hp + event[3] * event[0], hy + event[3] * event[1])
        total += event[3]
        squares += event[3] * event[2]
    return squares / total, [(h, h * h / h2, hp / h, hy / h) for _, (h, h2, hp, hy) in sorted(bins.items())]


def calibration_of(summary):
    return summary["brier"], [(b["weight"], b["examples"], b["predicted"], b["happened"]) for b in summary["bins"]]


@pytest.mark.parametrize("pieces", [1, 7])
def test_calibration_is_its_twins(pieces):
    rng = np.random.default_rng(2)
    p = np.concatenate([rng.random(300), 1 / (1 + np.exp(-rng.normal(0, 6, 300))), EDGES, [0.0, 1.0]])
    happened, weight, ours = rng.random(len(p)) < p, rng.choice([0.5, 1.0, 3.0], len(p)), Calibration()
    square = (p - happened) ** 2
    for part in np.array_split(np.arange(len(p)), pieces):
        ours.add((p[part], happened[part], square[part]), weight[part])
    found, expected = calibration_of(ours.summary()), twin_of_events(p, happened, square, weight)
    assert found[0] == pytest.approx(expected[0], rel=1e-9)
    assert np.array(found[1]) == pytest.approx(np.array(expected[1]), rel=1e-9)
    assert Calibration().summary() is None


def test_confusion_is_its_twins():
    rng = np.random.default_rng(3)
    label, predicted = rng.integers(0, 30, 900).astype(float), rng.integers(0, 31, 900).astype(float)
    predicted[predicted == 30] = np.nan
    weight = rng.choice([0.5, 2.0], 900)
    ours = Confusion()
    for part in np.array_split(np.arange(900), 5):
        ours.add(label[part], predicted[part], weight[part])
    summary = ours.summary(lambda values: [f"{v:.0f}" for v in values], most=6)
    sums = [sum(weight[label == k]) for k in range(30)]
    kept = sorted(sorted(range(30), key=lambda k: (-sums[k], k))[:6])
    assert summary["labels"] == [*map(str, kept), "25 others"]  # 24 labels, and nothing said
    assert summary["others"] == 25
    for i, row in enumerate([*kept, None]):
        for j, column in enumerate([*kept, None]):
            rows = ~np.isin(label, kept) if row is None else label == row
            columns = ~np.isin(predicted, kept) if column is None else predicted == column
            assert summary["counts"][i][j] == pytest.approx(weight[rows & columns].sum())


@pytest.mark.parametrize(
    ("several", "names"), [("--oaa", False), ("--classes", False), ("--classes", True)], ids=["oaa", "numbers", "names"]
)
def test_several_classes_are_judged_by_their_probabilities(cli, several, names):
    if names:
        text = Path("c.vw").read_text(encoding="utf-8")
        Path("c.vw").write_text("".join("abcd"[int(line[0]) - 1] + line[1:] for line in text.splitlines(True)))
    most = ["--oaa", 5] if several == "--oaa" else ["--classes", "auto"]
    options = ["--method", "nag", *most, "--log-json", "run.jsonl"]
    assert cli("train", *options, "-p", "p", "--probabilities", "c.vw")[0] == 0
    cli("train", *options, "-p", "predictions", "c.vw")
    labels = [line.split()[0] for line in Path("c.vw").read_text().splitlines()]
    events, pairs, met = [], {}, []
    predictions = Path("predictions").read_text().splitlines()
    for label, line, predicted in zip(labels, Path("p").read_text().splitlines(), predictions, strict=True):
        p = {k: float(v) for k, v in (word.rsplit(":", 1) for word in line.split() if ":" in word)}
        square = sum((v - (k == label)) ** 2 for k, v in p.items()) + (label not in p)
        happened = predicted == label and label in met
        said = p.get(predicted, 0.0) if predicted in met else next(iter(p.values()), 0.0)
        events.append((said, happened, square, 1.0))
        pairs[label, predicted] = pairs.get((label, predicted), 0) + 1
        met += [label] * (label not in met)
    end = entries("run.jsonl")[-1]
    brier, bins = calibration_of(end["calibration"])
    assert brier == pytest.approx(np.mean([e[2] for e in events]), abs=2e-5)
    assert sum(h * happened for h, _, _, happened in bins) == pytest.approx(sum(e[1] for e in events))
    assert sum(h * p for h, _, p, _ in bins) == pytest.approx(sum(e[0] for e in events), abs=1e-3)
    order = end["confusion"]["labels"]
    for i, label in enumerate(order):
        for j, predicted in enumerate(order):
            assert end["confusion"]["counts"][i][j] == pairs.get((label, predicted), 0)
    assert [one["label"] for one in end["classes"]] == (sorted(set(labels)) if not names else met)
    assert sum(one["examples"] for one in end["classes"]) == 200


def test_with_a_holdout_results_are_of_the_last_passs(cli):
    cli("train", "--method", "nag", "--passes", 3, "--log-json", "run.jsonl", "a.svm")
    _, *rows, end = entries("run.jsonl")
    assert {row["pass"] for row in rows if not row["held"]} == {1}
    assert {row["pass"] for row in rows if row["held"]} == {2, 3}
    assert (sum(map(sum, end["confusion"]["counts"])), end["held_examples"]) == (30, 90)
    wrong = end["confusion"]["counts"][0][1] + end["confusion"]["counts"][1][0]
    assert end["error"] == pytest.approx(wrong / 30)
    assert sum(b["weight"] for b in end["calibration"]["bins"]) == 30


def test_a_test_has_a_log_too(cli):
    cli("train", "--quiet", "--method", "nag", "-f", "model", "a.svm")
    cli("predict", "-i", "model", "-p", "p", "--log-json", "run.jsonl", "--report", "page.html", "a.svm")
    begin, *_, end = entries("run.jsonl")
    assert (begin["verb"], begin["before"], end["learned"]) == ("test", 300, 300)
    assert b"Testing on" in Path("page.html").read_bytes()


def test_the_committee_tells_of_its_members(cli):
    cli("train", "--members", "nag,drfd:lunit", "-m", 3, "-f", "model", "--log-json", "run.jsonl", "a.svm")
    end = entries("run.jsonl")[-1]
    learner = load_model("model").learner
    members = [(m["name"], m["weight"], m["error"]) for m in end["members"]]
    assert members == [(m["name"], m["weight"], m["error"]) for m in learner.facts()["members"]]
    (spectrum,) = end["spectra"]
    assert spectrum["name"] == "drfd:lunit"
    assert spectrum["eigenvalues"] == learner.facts()["spectra"]()["drfd:lunit"].tolist()
    assert len(spectrum["eigenvalues"]) >= 3
    ids, w = learner.weights()
    assert [(one["id"], one["weight"]) for one in end["weights"]] == [
        (int(ids[i]), float(w[i])) for i in np.lexsort((ids, -np.abs(w)))[:20]
    ]
    assert end["known"] == len(ids)


def test_weights_have_the_names_that_are_known(cli):
    cli("train", "--quiet", "--method", "nag", "--names", "--oaa", 4, "--log-json", "run.jsonl", "c.vw")
    listed = entries("run.jsonl")[-1]["classes"][0]["weights"]
    assert {one["name"] for one in listed} <= {*(f"w^{letter}" for letter in "abcdefgh"), "Constant"}


# ------------------------------------------------------------------------------------------------- runs that end early


def test_a_resumed_run_goes_on_with_its_log(cli, monkeypatch):
    command = "train --quiet --method nag --checkpoint 1 --resume -f m --log-json run.jsonl a.svm"
    report, left = train.TrainingSession.report, [5]

    def killed(self, *rest):
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        report(self, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(train.TrainingSession, "report", killed)
        assert cli(command)[0] == 130
    before = Path("run.jsonl").read_bytes()
    Path("run.jsonl").write_bytes(before + b'{"kind": "progr')
    assert read_run("run.jsonl").end is None
    assert "its last line is cut" in read_run("run.jsonl").notes[0]
    assert cli(command)[0] == 0
    assert Path("run.jsonl").read_bytes().startswith(before)
    run = read_run("run.jsonl")
    assert run.begin["before"] > 0
    assert run.end["examples"] + run.begin["before"] == 300
    assert "1 earlier run," in run.notes[0]
    assert b"earlier run" in page(run)
    # another run empties the file
    cli("train", "--quiet", "--method", "nag", "--log-json", "run.jsonl", "a.svm")
    assert sum("sonlearn" in entry for entry in entries("run.jsonl")) == 1


def test_a_log_that_is_cut_anywhere_is_a_page_or_one_line(cli):
    cli("train", "--quiet", "--method", "nag", "--log-json", "run.jsonl", "a.svm")
    whole = Path("run.jsonl").read_bytes()
    first = whole.index(b"\n")
    for length in [1, first - 1, first, first + 1, *range(first + 2, len(whole), 997), len(whole) - 1]:
        Path("cut.jsonl").write_bytes(whole[:length])
        if length < first:
            assert cli.error("report", "cut.jsonl").startswith("cut.jsonl: found a cut line and nothing else, expected")
            continue
        status, out, err = cli("report", "cut.jsonl", "-o", "cut.html")
        assert (status, out, err) == (0, "", "")
        # without its newline the last line is whole, and all is there
        assert (b"killed, or is still under way" in Path("cut.html").read_bytes()) == (length < len(whole) - 1)


def test_the_log_of_a_run_that_failed(cli):
    Path("bad.svm").write_text(Path("a.svm").read_text() + "1 x\n")
    assert cli("train", "--method", "nag", "--log-json", "run.jsonl", "--report", "page.html", "bad.svm")[0] == 1
    assert read_run("run.jsonl").end is None
    assert not Path("page.html").exists()
    Path("run.jsonl").write_text("mine")
    assert cli("train", "--alhpa", "1", "--log-json", "run.jsonl", "a.svm")[0] == 1
    Path("worse.svm").write_text("x\n")
    assert cli("train", "--log-json", "run.jsonl", "worse.svm")[0] == 1
    assert Path("run.jsonl").read_text() == "mine"


def test_an_interrupted_run_has_its_page(cli, monkeypatch):

    report = train.TrainingSession.report

    def interrupted(self, *rest):
        report(self, *rest)
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(train.TrainingSession, "report", interrupted)
    assert cli("train --quiet --method nag --report page.html --log-json run.jsonl a.svm").status == 143
    assert b"Interrupted run (SIGTERM): what is shown" in Path("page.html").read_bytes()
    assert entries("run.jsonl")[-1]["ending"] == "interrupted run (SIGTERM)"


def test_warnings_are_on_the_page(cli):
    Path("odd.svm").write_text(Path("a.svm").read_text() + "1 x\n")
    cli("train", "--quiet", "--method", "nag", "--on-error", "skip", "--report", "page.html", "odd.svm")
    assert b"Warning: malformed lines left out: 1, the first: odd.svm:301:3" in Path("page.html").read_bytes()


# ------------------------------------------------------------------------------------------------- what is refused


@pytest.fixture
def log(cli):
    cli("train", "--quiet", "--method", "nag", "--log-json", "run.jsonl", "a.svm")
    return lines_of("run.jsonl")


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", "bad: found an empty file, expected a log of sonlearn (train --log-json FILE)"),
        (b"1 1:2\n", "bad:1: found '1 1:2', expected a line of a log of sonlearn"),
        (b'{"a": 1}\n', 'bad:1: found no "sonlearn" in the first object, expected the first line of a log'),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "bad:1: found '\\\\x89PNG', expected a line of a log"),
        (b'[{"sonlearn": 1}]', "bad:1: found "),
        (b"\xff\xfe{\x00", "bad:1: found "),
        (b'{"sonlearn": "9.0", "format": 2}\n', "bad:1: found a log of format 2, expected format 1: it was written by"),
        (b'{"sonlearn": "0.1", "format": 1}\n', "bad: found a field that is missing, or of another kind (KeyError('da"),
        (b"[" * 100_000 + b"\n", "bad:1: found '[[["),
    ],
)
def test_what_is_no_log(cli, content, line):
    Path("bad").write_bytes(content)
    Path("page.html").write_text("mine")
    assert cli.error("report", "bad", "-o", "page.html").startswith(line)
    assert Path("page.html").read_text() == "mine"


@pytest.mark.parametrize(
    ("at", "content", "message"),
    [
        (3, b"{oops}\n", "run.jsonl:4: found '{oops}', expected a line of a log"),
        (3, b"\n", "run.jsonl:4: found '', expected a line of a log"),
        (3, b'{"kind": "other"}\n', 'run.jsonl:4: found the kind \'other\', expected an object of "kind": "progress"'),
        (3, b'{"examples": 3}\n', "run.jsonl:4: found no kind, expected "),
        (3, b'{"kind": "progress"}\n', "run.jsonl: found a field that is missing, or of another kind (KeyError('"),
        (-1, b'{"kind": "end", "seconds": "3"}\n', "run.jsonl: found a field that is missing, or of another kind ("),
        (None, b'{"kind": "end"}\n', "run.jsonl:{end}: found a line after the end"),
    ],
)
def test_a_line_that_is_wrong_is_named(cli, log, at, content, message):
    lines = [*log, content] if at is None else [*log[:at], content, *log[at:][1:]]
    Path("run.jsonl").write_bytes(b"".join(lines))
    assert cli.error("report", "run.jsonl").startswith(message.replace("{end}", str(len(lines))))


def test_files_that_cannot_be(cli, log):
    for line, said in (
        ("report none.jsonl", "none.jsonl: found no such file or directory, expected a log"),
        ("report .", ".: found is a directory, expected a log"),
        ("report run.jsonl -o run.jsonl", "-o run.jsonl: this would overwrite "),
        ("report run.jsonl -o no/page.html", "-o no/page.html: cannot be written: "),
        ("report", "report takes one RUN.jsonl, 0 given"),
        ("train --report no/page.html a.svm", "--report no/page.html: cannot be written"),
        ("train --log-json no/log a.svm", "--log-json no/log: cannot be written: there is no folder "),
        ("train --log-json a.svm a.svm", "--log-json a.svm: this would overwrite the data"),
        ("train --log-json x --report x a.svm", "--log-json and --report both write to x; give two names"),
        ("train --report - a.svm", "--report -: expected a file"),
    ):
        assert cli.error(line).startswith(said)


def test_standard_streams(cli, log, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"".join(log))))
    status, out, _ = cli("report", "-")
    assert (status, out.encode()) == (0, page(read_run("run.jsonl")))
    _, out, _ = cli("train", "--quiet", "--method", "nag", "--log-json", "-", "a.svm")
    assert len(out.splitlines()) == len(log)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_ends_the_run_with_its_model_saved(cli):
    status, _, err = cli("train --method nag -f model --log-json /dev/full a.svm")
    assert status == 1
    assert "/dev/full: cannot be written: No space left on device" in err.splitlines()[-1]
    assert Path("model").exists()


def test_a_log_of_anything_is_a_page_or_one_line(cli, log):
    """Whatever JSON stands in a field: it is shown, or refused in a line."""
    cli("train", "--quiet", "--method", "nag", "--oaa", 4, "--log-json", "classes.jsonl", "c.vw")
    rng = random.Random(4)
    odd = [None, True, -1, 0, 1e308, -1e308, 1e-320, 10**400, "", "<b>", "\ud800\0", [], [1], [[]], {}, {"name": 1}]
    pages = refused = 0
    for lines in (log, lines_of("classes.jsonl")):
        for _ in range(150):
            chosen = [json.loads(lines[0]), json.loads(lines[-2]), json.loads(lines[-1])]
            spots = []
            rng.choice([_walk(chosen[0], spots), _walk(chosen[1], spots), *[_walk(chosen[2], spots)] * 4])
            holder, key = rng.choice(spots)
            if rng.random() < 0.2:
                del holder[key]
            else:
                holder[key] = rng.choice(odd)
            try:
                with of_log("log"):
                    page(run_of([json.dumps(entry).encode() + b"\n" for entry in chosen], "log"))
            except SonlearnError as error:
                refused += str(error).startswith("log:")
            else:
                pages += 1
    assert pages > 50
    assert refused == 300 - pages > 50


@pytest.mark.parametrize(
    ("at", "field", "value"),
    [(1, "examples", 0), (1, "examples", 2**62), (1, "held", None), (2, "weight", 0), (2, "positive", None)],
)
def test_figures_that_say_nothing_are_no_error_of_the_page(log, at, field, value):
    chosen = [json.loads(line) for line in (log[0], log[-2], log[-1])]
    (chosen[2]["metrics"] if at == 2 else chosen[1])[field] = value
    assert b"</html>" in page(run_of([json.dumps(entry).encode() + b"\n" for entry in chosen], "log"))


def _walk(value, spots):
    """Append (holder, key) of all that stands in `value`."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        spots.append((value, key))
        if isinstance(value[key], dict | list):
            _walk(value[key], spots)


def test_numbers_that_json_has_none_of_are_null():
    found = jsonable({"a": math.nan, "b": [math.inf, 1.5], "c": print, "d": "x"}, bounded)
    assert found == {"a": None, "b": [None, 1.5], "d": "x"}
