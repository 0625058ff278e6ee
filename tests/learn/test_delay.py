"""Labels that come late: predictions are those of a learner that has learned no row before its label has come."""

import math

import numpy as np
import pytest
from multiclass_twin import CombinerTwin
from states import in_parts
from streams import rows_of, with_weights, without_some_labels, zipf

from sonlearn import Learner, LearnOptions, OptionError
from sonlearn.conformal import Coverage
from sonlearn.data.rows import rows_between
from sonlearn.errors import DivergedError
from sonlearn.learn.engine import Predictions
from sonlearn.learn.ensemble import committee, pruning, resting
from sonlearn.learn.ensemble.slots import PRIOR, ClassSlots, subtract_largest
from sonlearn.learn.predicted import probability
from sonlearn.learn.scores import DecisionRule
from sonlearn.options.members import member as member_of
from sonlearn.views.index import intern, new_index

pytestmark = pytest.mark.interpreted
DELAYS = [1, 3, 40]
N = 90


def stream(kind="binary", n=N):
    return with_weights(without_some_labels(zipf(n=n, d=25, kind=kind)))


def one_by_one(options, batch, delay):
    """raw predictions: row i by a learner that has learned the rows before i - delay."""
    learner, raw = Learner(options), np.zeros(batch.n)
    for i in range(batch.n):
        if i > delay:
            learner.partial_fit(rows_of(batch, [i - delay - 1]))
        raw[i] = learner.predict(rows_of(batch, [i])).raw[0]
    return raw


@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize(
    ("method", "loss"), [("nag", "logistic"), ("drfd", "hinge"), ("ewma", "squared"), ("multinomial-bayes", "logistic")]
)
def test_a_row_is_predicted_before_the_rows_whose_labels_are_late(method, loss, delay):
    batch = stream("real" if loss == "squared" else "binary")
    plain = {"method": method, "loss": loss, **({"decay": 0.1} if method == "ewma" else {})}
    got = Learner(LearnOptions(label_delay=delay, **plain)).partial_fit(batch)
    wanted = one_by_one(LearnOptions(**plain), batch, delay)
    np.testing.assert_allclose(got.raw, wanted, rtol=1e-12, atol=1e-12)
    labelled = ~np.isnan(batch.y)
    assert np.isfinite(got.loss[labelled]).all()
    assert np.isnan(got.loss[~labelled]).all()


@pytest.mark.parametrize("delay", DELAYS)
def test_the_combiner_learns_by_the_predictions_that_were_made(delay):
    """A committee of log-odds and a mean of labels, with explicit matrices."""
    batch = stream()._replace(weight=np.ones(N))
    options = LearnOptions(members=("multinomial-bayes", "ewma~0.3"), prune=False, label_delay=delay)
    members = [LearnOptions(method="multinomial-bayes"), LearnOptions(method="ewma", decay=0.3)]
    V = np.clip(np.column_stack([gain * one_by_one(o, batch, delay) for o, gain in zip(members, (2, 1))]), -6, 6)  # noqa: B905
    w = [np.array([0.1, 0.0]), np.array([0.1, 0.0])]
    priors = [np.diag([2.0, 100.0]), np.diag([100.0, 100.0])]
    A, loss, learned, raw = [p.copy() for p in priors], np.zeros(2), 0, np.zeros(N)
    for i in range(N):
        j = i - delay - 1
        if j >= 0 and not np.isnan(batch.y[j]) and not np.isnan(batch.y[: max(j - delay, 0)]).all():
            learned += 1
            for e in range(2):
                p = 1 / (1 + np.exp(-w[e] @ V[j]))
                loss[e] -= np.log(p if batch.y[j] > 0 else 1 - p)
                A[e] = A[e] + max(p * (1 - p), 1e-4) * np.outer(V[j], V[j])
                w[e] = w[e] - (p - (batch.y[j] > 0)) * np.linalg.solve(A[e], V[j])
                if learned % 64 == 0:
                    A[e] = 0.9998**64 * A[e] + (1 - 0.9998**64) * priors[e]
        share = np.exp(loss.min() - loss)
        p = share @ [1 / (1 + np.exp(-each @ V[i])) for each in w] / share.sum()
        raw[i] = np.log(p / (1 - p))
    np.testing.assert_allclose(Learner(options).partial_fit(batch).raw, raw, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("delay", DELAYS)
def test_the_combiner_of_classes_learns_by_the_predictions_that_were_made(delay):
    """Members that have learned what had come, a combiner with explicit matrices; classes are met while rows wait."""
    names, batch = ("nag", "shares~0.3"), zipf(n=N, d=25)
    y = np.minimum(np.random.default_rng(0).integers(0, 5, N) + (batch.values[batch.indptr[:-1]] > 0), np.arange(N))
    batch = batch._replace(y=y.astype(float), weight=np.ones(N))
    shown = list(dict.fromkeys(y.tolist()))
    rows, _ = intern(batch._replace(y=np.array([shown.index(k) for k in y.tolist()], float)), new_index())
    members = [member_of(name, several=True) for name in names]
    twin = CombinerTwin([m.weight for m in members], precision=[max(PRIOR, m.precision) / PRIOR for m in members])
    K, then = len(shown), []
    for i in range(N):
        known, part = max(i - delay, 0), rows_between(rows, i, i + 1)
        met, v = len(set(y[:known].tolist())), np.zeros((2, 1, K))
        for member, out in zip(members, v, strict=True):
            engine = ClassSlots(LearnOptions(classes="auto")).engine_of(member)
            state, old = engine.new(), rows_between(rows, 0, known)
            state = engine.learn_all(state, old, Predictions.empty(known, K), rows.features.max() + 1)
            engine.predict(state, part._replace(y=np.full(1, np.nan)), Predictions.of_scores(out))
            subtract_largest(out, np.array([met]))
        then.append((met, v[:, 0]))
        if known and i - delay - 1 >= 0 and y[i - delay - 1] in shown[: then[i - delay - 1][0]]:
            before, earlier, _ = then[i - delay - 1]
            twin.learn(earlier[:, :before], shown.index(y[i - delay - 1]), 1.0)
        then[i] = (met, v[:, 0], twin.predict(v[:, 0, :met]) if met else np.zeros(0))
    got = Learner(LearnOptions(classes="auto", members=names, prune=False, label_delay=delay)).partial_fit(batch)
    for i, (met, _, p) in enumerate(then):
        assert got.met[i] == met
        if met:
            mine = np.exp(got.scores[i, :met])
            np.testing.assert_allclose(mine / mine.sum(), p, rtol=1e-6, atol=1e-8)


CHEATS = [
    {"members": ("nag", "nag~0.1", "ewma~0.9", "nag:zs", "arow-precision:odds", "nag:pairs-z~0.1"), "prune": False},
    {"loss": "squared", "members": ("nag", "nlms:zs", "ewma~0.9", "nag:pairs-z~0.1"), "prune": False},
    {"method": "ewma", "decay": 0.9},
    {"classes": "auto", "members": ("nag", "nag~0.1", "shares~0.9", "arow-precision:zs"), "prune": False},
]


@pytest.mark.parametrize("kind", ["classes", "values", "several"])
def test_members_are_judged_by_rows_predicted_after_labels_had_come(kind, monkeypatch):
    """By as many as without a delay, however the stream is cut and resumed."""
    delay, checkpoint = 40, 24
    few = {"words_after": 0, "first": 12, "checkpoints": (checkpoint, 60)}
    for name in ("TWO_RULES", "VALUE_RULES", "CLASS_RULES"):
        monkeypatch.setattr(pruning, name, getattr(pruning, name)._replace(**few))
    cases = []

    def judged(case, importance, left):
        if case.rows in few["checkpoints"]:
            cases.append((case.rows, case.tally.copy(), importance.loss_growth(left, left[:1])))
        return []

    monkeypatch.setattr(committee, "prune", judged)
    batch = zipf(n=150, d=25, kind="real" if kind == "values" else "binary")
    given = {"classes": {}, "values": {"loss": "squared"}, "several": {"classes": "auto"}}[kind]
    options = LearnOptions(members=("nag", "nag:zs"), label_delay=delay, **given)
    Learner(options).partial_fit(batch)
    assert [rows for rows, *_ in cases] == [checkpoint, 60]
    for rows, tally, growth in cases:
        assert tally[:2, 0].max() <= rows, "what was said before any label had come counts for nobody"
        assert math.isfinite(growth)
    parts, learner = cases[:], Learner(options)
    cases.clear()
    in_parts(learner, batch, [0, 3, 39, 41, 64, 66, 105, 106, 150])
    for (rows, tally, growth), (other, same, grown) in zip(parts, cases, strict=True):
        assert (rows, growth) == (other, grown)
        np.testing.assert_array_equal(tally, same)


LAYERED = [
    {"loss": "squared", "method": "nag", "coverage": 0.8},
    {"method": "nag", "coverage": 0.8, "threshold": "best-f1"},
    {"method": "nag", "classes": "auto", "coverage": 0.8},
]
SAID = ("decided", "low", "high", "sets")


@pytest.mark.compiled
@pytest.mark.parametrize(
    "given", [*CHEATS, {"method": "nag", "classes": "auto"}, {"classes": "auto"}, *LAYERED], ids=str
)
def test_cuts_and_files_change_no_bit(given):
    batch = stream("real" if given.get("loss") == "squared" else "binary")
    options = LearnOptions(label_delay=5, **given)
    wanted = Learner(options).partial_fit(batch)
    got, learner = in_parts(Learner(options), batch, [0, 1, 3, 4, 30, 37, 38, N])
    for name in ("raw", "loss", *SAID):
        whole = getattr(wanted, name, None)
        if whole is not None:
            parts = [getattr(each, name) for each in got]
            if whole.ndim == 2:
                parts = [np.pad(part, ((0, 0), (0, whole.shape[1] - part.shape[1]))) for part in parts]
            np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert learner.examples == np.count_nonzero((~np.isnan(batch.y) & (batch.weight > 0))[: N - 5])


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_a_row_of_the_next_file_is_refused_by_the_name_of_that_file():
    monday, tuesday = (stream(n=20)._replace(source=name) for name in ("monday", "tuesday"))
    tuesday.values[tuesday.indptr[2]] = 1e300
    learner = Learner(LearnOptions(method="nag", label_delay=5))
    learner.partial_fit(monday)
    with pytest.raises(DivergedError, match=f"^tuesday:{tuesday.lines[2]}: found the value 1e\\+300"):
        learner.partial_fit(tuesday)


def test_marks_of_rows_that_wait_are_kept_in_files():
    batch = stream(n=5)
    marks = np.arange(len(batch.values), dtype=np.uint32) % 2
    learner = Learner(LearnOptions(method="nag", label_delay=5))
    learner.partial_fit(batch._replace(marks=marks))
    again = Learner.from_arrays(*learner.to_arrays())
    np.testing.assert_array_equal(again._waiting.marks, marks)


def test_what_is_counted_is_what_was_predicted():
    """Sums of losses and errors, and with them changes of the stream, are of predictions that were made in time.

    What is predicted before any label has come does not count.
    """
    batch = stream()._replace(weight=np.ones(N))
    learner = Learner(LearnOptions(label_delay=6, **CHEATS[0]))
    got = learner.partial_fit(batch)
    first = 7 + np.flatnonzero(~np.isnan(batch.y))[0]
    found, rows = learner.facts()["combinations"], first + np.flatnonzero(~np.isnan(batch.y[first : N - 6]))
    for name, raw in (("online", got.raw[rows]), ("offline", got.offline[rows])):
        y = batch.y[rows]
        assert found[name]["loss"] == pytest.approx(np.logaddexp(0, -y * raw).mean(), rel=1e-9)
        assert found[name]["error"] == pytest.approx(np.mean((raw > 0) != (y > 0)))
    errors = learner.state.resting.errors
    assert np.isfinite(errors).all(), "there is none, which is a number"
    assert (errors < resting.NONE).sum() == len(rows)


@pytest.mark.parametrize("loss", ["squared", "quantile", "absolute"])
def test_what_is_predicted_before_any_label_says_nothing_of_members(loss):
    """It was 0, far from labels a thousand away: these are learned and counted as well."""
    near = stream("real")
    far, found = near._replace(y=near.y + 1000.0), []
    for batch in (near, far):
        learner = Learner(LearnOptions(label_delay=20, **CHEATS[1] | {"loss": loss}))
        found.append((learner.partial_fit(batch).raw, learner.facts()))
    (raw, facts), (raw_far, facts_far) = found
    np.testing.assert_allclose(raw_far[25:] - 1000.0, raw[25:], rtol=1e-6, atol=1e-6)
    for name in ("online", "offline"):
        assert facts_far["combinations"][name] == pytest.approx(facts["combinations"][name], rel=1e-6)
    weights = ([one["weight"] for one in each["members"]] for each in (facts, facts_far))
    np.testing.assert_allclose(*weights, rtol=1e-6, atol=1e-9)


def test_what_is_counted_of_several_classes_is_what_was_predicted():
    """Rows whose class had not been met when they came do not count."""
    batch = zipf(n=N, d=25)
    batch = batch._replace(y=np.random.default_rng(0).integers(0, 4, N).astype(float), weight=np.ones(N))
    learner = Learner(LearnOptions(label_delay=6, **CHEATS[3]))
    got = learner.partial_fit(batch)
    shown = {label: k for k, label in enumerate(learner.classes)}
    rows = [(i, shown[batch.y[i]]) for i in range(N - 6) if shown[batch.y[i]] < got.met[i]]
    found = learner.facts()["combinations"]["online"]
    assert found["loss"] == pytest.approx(np.mean([-got.scores[i, k] for i, k in rows]), rel=1e-9)
    assert found["error"] == pytest.approx(np.mean([got.scores[i, : got.met[i]].argmax() != k for i, k in rows]))


def test_a_further_pass_is_refused():
    learner = Learner(LearnOptions(method="nag", label_delay=2))
    learner.partial_fit(stream())
    with pytest.raises(OptionError, match=r"^Learner: label_delay 2 with a further pass: expected one pass"):
        learner.next_pass()


def late_rows(delay):
    """(row, whether it is learned) in the order of the stream."""
    for i in range(N):
        yield i, False
        if i >= delay:
            yield i - delay, True


@pytest.mark.parametrize("delay", DELAYS)
def test_intervals_learn_when_the_label_comes_by_the_prediction_that_was_made(delay):
    batch = stream("real")
    got = Learner(LearnOptions(label_delay=delay, **LAYERED[0])).partial_fit(batch)
    layer, counts = Coverage(0.8, False), ~np.isnan(batch.y) & (batch.weight > 0)
    for i, learns in late_rows(delay):
        low, high = layer.intervals(*[got.raw[i : i + 1]] * 2, batch.y[i : i + 1], np.array([learns and counts[i]]))
        if not learns:
            assert (low[0], high[0]) == (got.low[i], got.high[i])
    assert np.isfinite(got.low[-1]) or delay == 40


@pytest.mark.parametrize("delay", DELAYS)
def test_thresholds_and_sets_learn_when_the_label_comes_by_the_prediction_that_was_made(delay):
    batch = stream()
    options = LearnOptions(label_delay=delay, **LAYERED[1])
    got = Learner(options).partial_fit(batch)
    layer, decision = Coverage(0.8, True), DecisionRule(options)
    counts = ~np.isnan(batch.y) & (batch.weight > 0)
    p = probability("logistic", got.raw)
    p = np.column_stack([1 - p, p])
    for i, learns in late_rows(delay):
        at, now = slice(i, i + 1), np.array([learns and counts[i]])
        inside = layer.sets(p[at], (batch.y[at] > 0).astype(int), now)
        decided = decision.decided(got.raw[at], batch.y[at], batch.weight[at], now)
        if not learns:
            np.testing.assert_array_equal(inside[0], got.sets[i])
            assert decided[0] == got.decided[i]


@pytest.mark.parametrize("delay", [0, 1, 7])
@pytest.mark.parametrize("given", [*CHEATS, *LAYERED], ids=str)
def test_no_label_reaches_a_prediction_before_its_time(given, delay):
    """Means of labels would gain most by looking: other labels from row 40 on change nothing until these have come."""
    batch = stream("real" if given.get("loss") == "squared" else "binary")
    other = batch._replace(y=np.where(np.arange(N) >= 40, -batch.y, batch.y))
    one, two = (Learner(LearnOptions(label_delay=delay, **given)).partial_fit(each) for each in (batch, other))
    first, differ = 40 + delay + 1, set()
    for name in ("raw", "offline", "scores", *SAID):
        if getattr(one, name, None) is not None:
            np.testing.assert_array_equal(getattr(one, name)[:first], getattr(two, name)[:first])
            differ |= {name} if (getattr(one, name)[first:] != getattr(two, name)[first:]).any() else set()
    assert differ & {"raw"} if given in CHEATS else differ & set(SAID), "no label ever counted: nothing was tested"
