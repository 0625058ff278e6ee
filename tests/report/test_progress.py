"""The progress table against an example-by-example twin, against Vowpal Wabbit's own, and against itself in pieces."""

import functools
import json
import math
import os
import re
import threading
import time

import numpy as np
import pytest
from commands import tokens
from for_all import for_all
from places import GOLDEN, ROOT

from sonlearn import Learner, LearnOptions, from_scipy
from sonlearn.commands import passes
from sonlearn.data.order import LabelOrder
from sonlearn.report.labels import LabelStatistics, six_digits
from sonlearn.report.problem import problem_of
from sonlearn.report.progress import BatchOutcome, Progress, Schedule
from sonlearn.text.read import Reader

VW_RUNS = json.loads((GOLDEN / "progress_vw.json").read_text(encoding="utf-8"))

LOSS = {
    "squared": lambda p, y: (p - y) ** 2,
    "logistic": lambda p, y: math.log1p(math.exp(-y * p)),
    "hinge": lambda p, y: max(0.0, 1 - y * p),
    "absolute": lambda p, y: abs(p - y),
    "squared_hinge": lambda p, y: max(0.0, 1 - y * p) ** 2,
}


def schedule_of(args):
    text = args[args.index("-P") + 1] if "-P" in args else "2.0"
    return Schedule(float(text), additive="." not in text)


def twin(outcome, schedule, passes, loss):
    """Every row's means taken anew: [(counter, weight, average, since, error or None)], the last two of the first."""
    n, (y, h) = len(outcome.y) // passes, outcome[:2]
    known, place = ~np.isnan(y), np.arange(len(y))
    held, wrong = known & outcome.held, (outcome.prediction > 0) != (y > 0)
    no_class = known & (h > 0) & ~np.isin(y, (-1.0, 1.0)) & (loss not in ("logistic", "hinge"))

    def mean(values, chosen):
        return np.average(values[chosen], weights=h[chosen]) if h[chosen].sum() > 0 else None

    total = np.cumsum(h * (known & ~held)) + np.cumsum(h * ~known)
    due, begin, rows = schedule.step if schedule.additive else 1.0, {}, []
    for counter, i in enumerate(np.flatnonzero(~held), 1):
        if total[i] >= due:
            of_held = i >= n and outcome.held.any()
            own = (held if of_held else known & ~held) & (place <= i)
            since = own & (place >= begin.get(of_held, 0))
            error = None if no_class[: i + 1].any() else mean(wrong, own)
            rows.append((counter, total[i], mean(outcome.loss, own), mean(outcome.loss, since), error))
            begin |= {False: i + 1, of_held: i + 1}
            due = total[i] + schedule.step if schedule.additive else total[i] * schedule.step
    return rows, ((~held).sum(), total[-1])


def outcome_of(y, weight, prediction, loss, features, held=None):
    """What happened to examples whose class is +1 where label or prediction exceed 0."""
    held = np.zeros(len(y), bool) if held is None else held
    return BatchOutcome(y, weight, prediction, loss, features, held, (prediction > 0) != (y > 0))


def vw_outcome(run):
    """The examples of a captured run, pass after pass, with VW's predictions and the loss by its formula."""
    n, passes = len(run["y"]), len(run["predictions"]) // len(run["y"])
    y = np.array([math.nan if v is None else v for v in run["y"]] * passes)
    p = np.array(run["predictions"])
    loss = np.array([LOSS[run["loss"]](*pair) for pair in zip(p, y, strict=True)])
    held = None
    if passes > 1 and "--holdout_off" not in run["args"]:
        held = np.tile(np.arange(1, n + 1) % 5 == 0, passes)
    weight, features = np.array(run["weight"] * passes, float), np.array(run["features"] * passes)
    return outcome_of(y, weight, p, loss, features, held), passes


def feed(progress, outcome, sizes, passes=1):
    """Rows of `outcome` given in pieces of the cyclic `sizes`; a pass ends where one n-th of the examples is done."""
    rows, start, n, k = [], 0, len(outcome.y) // passes, 0
    for _ in range(passes):
        end = start + n
        while start < end:
            stop = min(end, start + sizes[k % len(sizes)])
            k += 1
            rows += progress.update(BatchOutcome(*(None if a is None else a[start:stop] for a in outcome)))
            start = stop
        if start < len(outcome.y):
            progress.next_pass()
    return rows


def agree(ours, theirs, tolerance):
    ours, theirs = tokens(ours), tokens(theirs)
    assert [isinstance(t, str) for t in ours] == [isinstance(t, str) for t in theirs]
    for a, b in zip(ours, theirs, strict=True):
        assert a == b if isinstance(a, str) else a == pytest.approx(b, abs=tolerance, rel=tolerance)


every_run = pytest.mark.parametrize("run", VW_RUNS, ids=lambda run: " ".join([run["loss"], *run["args"]]))


@every_run
def test_table_is_vowpal_wabbits(run):
    outcome, passes = vw_outcome(run)
    progress = Progress(LabelStatistics(run["loss"]), schedule_of(run["args"]), holdout=outcome.held.any())
    rows = feed(progress, outcome, [7], passes)
    assert len(rows) == len(run["table"])
    for ours, theirs in zip(rows, run["table"], strict=True):
        assert ours.endswith(" h") == theirs.endswith(" h")
        # VW's table ends before our last column, the error. It computes in single precision: 2e-6.
        agree(ours.removesuffix(" h").rpartition(" ")[0], theirs.removesuffix(" h"), 2e-6)
        if "10.89681" not in theirs:
            assert [len(t) for t in ours.split()[:7]] == [len(t) for t in theirs.split()[:7]]


@every_run
def test_summary_is_vowpal_wabbits(run):
    outcome, passes = vw_outcome(run)
    progress = Progress(LabelStatistics(run["loss"]), holdout=outcome.held.any())
    feed(progress, outcome, [40], passes)
    ours = dict(line.split(" = ") for line in progress.summary(2.0) if " = " in line)
    theirs = dict(line.split(" = ") for line in run["summary"] if " = " in line)
    if outcome.held.any():  # VW reports its best pass, we the last one, which the saved model is of
        theirs.pop("average loss")
        n = len(outcome.y) // passes
        last = np.arange(len(outcome.y)) >= 2 * n
        chosen = last & outcome.held & ~np.isnan(outcome.y)
        expected = np.average(outcome.loss[chosen], weights=outcome.weight[chosen])
        assert ours["average loss"] == f"{expected:.6f} h"
    for name, value in theirs.items():
        agree(ours[name], value, 2e-6)
    if run.get("labels") is None:
        assert "best constant's loss" in ours
    assert ours["elapsed time"] == "2.000 s"
    assert ours["examples a second"] == str(len(outcome.y) // 2)


def stream(seed, n, labels):
    rng = np.random.default_rng(seed)
    y = rng.choice(labels, size=n).astype(float)
    y[rng.random(n) < 0.1] = np.nan
    weight = rng.choice([0.0, 0.1, 1.0, 1.0, 3.7], size=n)
    prediction = np.where(rng.random(n) < 0.1, 0.0, rng.normal(size=n))
    return outcome_of(y, weight, prediction, rng.exponential(size=n), rng.integers(0, 9, size=n), rng.random(n) < 0.2)


@for_all("schedule", [Schedule(), Schedule(1.3), Schedule(10.0, True), Schedule(1.0, True)])
@for_all("loss, labels", [("logistic", [-1, 1]), ("hinge", [0, 1]), ("squared", [-1, 1, 1, 1, 2])])
@for_all("passes", [1, 3])
def test_rows_equal_the_twins(schedule, loss, labels, passes):
    outcome = stream(3, 300, labels)
    if passes == 1:
        outcome = outcome._replace(held=np.zeros(300, bool))
    expected, (counter, weight) = twin(outcome, schedule, passes, loss)
    progress = Progress(LabelStatistics(loss), schedule, holdout=passes > 1)
    rows = feed(progress, outcome, [11, 1, 64], passes)
    assert len(rows) == len(expected) > 3
    for row, (count, total, average, since, error) in zip(rows, expected, strict=True):
        tokens = row.removesuffix(" h").split()
        assert (int(tokens[2]), tokens[3]) == (count, f"{total:.1f}")
        for token, value in [(tokens[0], average), (tokens[1], since), (tokens[7], error)]:
            if value is None:
                assert token in ("n.a.", "unknown")
            else:
                assert float(token) == pytest.approx(value, abs=1e-6)
    assert (progress.examples, progress.example_weight) == (counter, pytest.approx(weight))


def everything_in(of):
    """The attributes of an object, those of an order of labels in it as well, in plain values."""
    plain = {key: vars(value) if isinstance(value, LabelOrder) else value for key, value in vars(of).items()}
    return {key: value if isinstance(value, dict) else np.array(value).tolist() for key, value in plain.items()}


@pytest.mark.parametrize("sizes", [[1], [2, 3], [1000]])
def test_batch_boundaries_change_no_digit(sizes):
    outcome = stream(4, 500, [-1.0, 1.0, 0.3])
    whole, pieces = (Progress(LabelStatistics("squared"), Schedule(1.1), True) for _ in range(2))
    assert feed(whole, outcome, [97], 2) == feed(pieces, outcome, sizes, 2)
    assert (whole.trained, whole.held, whole.example_weight) == (pieces.trained, pieces.held, pieces.example_weight)
    assert everything_in(whole.labels) == everything_in(pieces.labels)
    assert whole.summary(1.0) == pieces.summary(1.0)


def test_error_of_a_regression_loss_lasts_until_a_label_is_no_class():
    outcome = outcome_of(np.array([1, -1, 1, 1, 0.5, 1, 1, -1]), *np.ones((3, 8)), np.ones(8, int))
    rows = feed(Progress(LabelStatistics("absolute"), Schedule(1, True)), outcome, [3])
    assert [row.split()[-1] for row in rows] == ["0.000000", "0.500000", "0.333333", "0.250000", *["n.a."] * 4]
    progress = Progress(LabelStatistics("absolute"))
    feed(progress, outcome, [3])
    assert "average error = n.a." in progress.summary(1.0)


def test_a_prediction_of_zero_is_of_the_negative_class():
    batch = from_scipy(np.ones((2, 1)), [-1.0, 1.0])
    learner = Learner(LearnOptions(method="nag"))
    outcome = problem_of(learner.options, learner).outcome(batch, None, learner.predict(batch))
    assert outcome.prediction.tolist() == [0.0, 0.0]
    assert outcome.wrong.tolist() == [False, True]


def test_unlabelled_stream_has_no_average():
    outcome = outcome_of(np.full(4, np.nan), np.ones(4), np.zeros(4), np.full(4, np.nan), np.ones(4, int))
    progress = Progress(LabelStatistics("logistic"))
    assert [row.split()[:2] for row in progress.update(outcome)] == [["n.a.", "n.a."]] * 3
    assert not progress.labelled
    summary = progress.summary(1.0)
    assert "average loss = n.a." in summary
    assert not any("best constant" in line for line in summary)


def test_best_constants():
    labels, far = LabelStatistics(), LabelStatistics()
    assert labels.best_constant("squared") is None
    labels.add(np.array([1.0, 5.0]), np.array([1.0, 2.0]))
    assert labels.best_constant("absolute") == (5.0, pytest.approx(4 / 3))
    labels.add(np.array([9.0]), np.ones(1))
    assert labels.best_constant("absolute") is None  # of three labels it cannot be known
    far.add(1e9 + np.array([0.0, 1.0, 2.0]), np.ones(3))
    assert far.best_constant("squared") == (1e9 + 1, pytest.approx(2 / 3, rel=1e-12))


@pytest.mark.parametrize("weight", [1e30, 1e308])
@pytest.mark.parametrize("schedule", [Schedule(1, True), Schedule(1.01)])
def test_huge_weights_end(weight, schedule):
    n = 20
    outcome = outcome_of(np.ones(n), np.full(n, weight), np.ones(n), np.ones(n), np.ones(n, int))
    with np.errstate(over="ignore"):
        assert 0 < len(feed(Progress(LabelStatistics("squared"), schedule), outcome, [6])) <= n


@pytest.mark.parametrize(("value", "text"), [(0.5, "0.500000"), (10.896814, "10.89681"), (123456.789, "123456.8")])
def test_averages_fit_their_column(value, text):
    outcome = outcome_of(np.ones(1), np.ones(1), np.ones(1), np.array([value]), np.ones(1, int))
    assert Progress(LabelStatistics("squared")).update(outcome)[0].split()[0] == text
    huge = Progress(LabelStatistics("squared")).update(outcome._replace(loss=np.array([1.5e30])))[0]
    assert huge.split()[0] == "1.50e+30"


# ------------------------------------------------------------------------------------------------- signs of life


def test_a_slow_run_says_how_far_it_is(cli, monkeypatch):
    """Where no row of the table is due for a while."""
    monkeypatch.setattr(Reader, "__init__", functools.partialmethod(Reader.__init__, chunk_bytes=1500))
    data = str(ROOT / "data" / "sample.svm")
    assert "\n... " not in cli.err("train", "--method", "nag", data)
    monkeypatch.setattr(passes, "HEARTBEAT", 0.0)
    lines = [line for line in cli.err("train", "--method", "nag", data).splitlines() if line.startswith("... ")]
    assert len(lines) > 10
    counts = [int(line.split()[1]) for line in lines]
    assert counts == sorted(counts)
    assert counts[-1] == 2000
    last = re.compile(r", \d+ a second, \d+ % read, average loss 0\.\d+, average error 0\.\d+$")
    assert all(map(last.search, lines))
    assert ", 100 % read" in lines[-1]
    assert "\n... " not in cli.err("train", "--method", "nag", "-P", "500", data)


@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
@pytest.mark.parametrize("seconds", [0.05, 60.0])
def test_a_stream_says_what_its_first_rows_wait_for(seconds, cli, monkeypatch):
    monkeypatch.setattr(passes, "WAITING_SECONDS", seconds)
    os.mkfifo("pipe")

    def write():
        with open("pipe", "wb", buffering=0) as file:
            file.write(b"y,a\n1,2\n0,3\n")
            time.sleep(0.5)

    writer = threading.Thread(target=write)
    writer.start()
    err = cli.err("train", "--method", "nag", "--label", "y", "pipe")
    writer.join()
    said = "... waiting for the first 100 rows, which tell how columns are read; lines that have come: 3\n"
    assert err.startswith(said) is (seconds < 1)
    assert (said in err) is (seconds < 1)
    assert "number of examples = 2\n" in err


def test_a_loss_of_labels_in_small_units_keeps_three_digits():
    assert [six_digits(value) for value in (0.0, 2.34567e-8, 1.5e-5, 0.25, None)] == [
        "0.000000", "2.35e-08", "0.000015", "0.250000", "n.a."
    ]  # fmt: skip
    one = np.array([1.0])
    progress = Progress(LabelStatistics("squared"))
    (line,) = progress.update(outcome_of(-2e-4 * one, one, 0 * one, 4e-8 * one, one.astype(int)))
    assert line.split()[:2] == ["4.00e-08", "4.00e-08"]
