"""Sets and intervals against twins in plain Python; the promise against an adversary; what a learner makes of them."""

import math

import numpy as np
import pytest
from states import assert_same_predictions, in_parts
from streams import batch_of_dense, zipf

from sonlearn import Learner, LearnOptions, ModelFileError, conformal
from sonlearn.conformal import BOUND, STEP, Coverage

pytestmark = pytest.mark.interpreted


# ------------------------------------------------------------------------------------------------------------- twins


def step(t):
    return max(STEP, (t + 1) ** -0.6)


def tracked(theta, missed, t, alpha):
    return max(min(theta + step(t) * ((1.0 if missed else 0.0) - alpha), BOUND + step(t)), -BOUND)


def twin_of_values(p, y, counted, alpha):
    """Row by row, every mean as a sum over the rows before it."""
    past, out = [], []  # (prediction, error) of the rows counted
    theta, thetas, losses = 0.0, [0.0] * 6, [0.0] * 6
    bins = np.zeros((65, 2))
    for center, label, counts in zip(p, y, counted, strict=True):
        t, errors = len(past), [e for _, e in past]

        def mean(rate, errors=errors, t=t):
            shares = [(1 - rate) ** (t - 1 - i) for i in range(t)]
            return sum(a * e for a, e in zip(shares, errors, strict=True)) / sum(shares) if t else 1.0

        every, least = mean(1e-4), 1e-3 * mean(1e-4) + 1e-100
        short, middle, long = ((mean(1 / k) + least if t else every) for k in (8, 64, 1024))

        def place(center=center, t=t):
            before = np.array([c for c, _ in past])
            z = (center - before.mean()) / before.std() if t > 1 and before.std() > 0 else 0.0
            return min(max(8 * z + 32, 0.0), 65 - 1.001)

        x = place()
        knots = [(bins[j, 0] + 4 * long) / (bins[j, 1] + 4) for j in (int(x), int(x) + 1)]
        alike = (1 - x % 1) * knots[0] + (x % 1) * knots[1] + least
        s = [every + 1e-100, middle, alike, alike * math.sqrt(short / long), alike * middle / long,
             math.sqrt(short * long)]  # fmt: skip
        best = 0
        for k in range(1, 6):
            best = k if losses[k] < (1 - 1e-9) * losses[best] else best
        width = math.inf if t == 0 or theta >= BOUND else s[best] * math.exp(thetas[best] + theta)
        out.append((center - width, center + width))
        if not counts:
            continue
        e = abs(label - center)
        for k in range(6):
            w = s[k] * math.exp(thetas[k])
            losses[k] += max(1e-3, 1 / (t + 1)) * ((2 * w + 2 / alpha * max(e - w, 0)) / s[0] - losses[k])
            thetas[k] = min(tracked(thetas[k], e > w, t, alpha), BOUND)
        theta = tracked(theta, e > width, t, alpha) if t else 0.0
        past.append((center, e))
        for j, share in ((int(x), 1 - x % 1), (int(x) + 1, x % 1)):
            bins[j] = (1 - 2e-3 * share) * bins[j] + share * np.array([e, 1.0])
    return np.array(out)


def twin_of_sets(p, number, counted, alpha):
    """Row by row: classes in the order of their probabilities."""
    theta, t, out = math.log((1 - alpha) / alpha), 0, []
    for row, own, counts in zip(p, number, counted, strict=True):
        u = float(conformal.tie_breakers(row[None, :], np.array([t]))[0])
        v = []
        for one in row:
            s = min(sum(other for other in row if other > one) + u * one, 1.0) if one > 0 else 1.0
            s = min(max(s, 1e-12), 1 - 1e-12)
            v.append(min(max(math.log(s / (1 - s)), -BOUND), BOUND))
        out.append([one <= theta for one in v])
        if counts:
            theta, t = tracked(theta, own < 0 or v[own] > theta, t, alpha), t + 1
    return np.array(out)


def stream_of_values(n, seed=0):
    rng = np.random.default_rng(seed)
    p = 5 + 2 * rng.normal(size=n)
    scale = np.exp(0.3 * p) * np.where(np.arange(n) > n // 2, 4.0, 1.0)
    return p, p + scale * rng.standard_t(4, size=n), rng.random(n) < 0.9


def stream_of_classes(n, k, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(k, 0.5), n)
    p[::7] = np.roll(p[::7], 1, axis=0)
    number = np.array([rng.choice(k, p=row) for row in p])
    number[rng.random(n) < 0.02] = -1
    return p, number, rng.random(n) < 0.9


@pytest.mark.parametrize("pieces", [1, 9])
@pytest.mark.parametrize("alpha", [0.2, 0.05])
def test_intervals_are_their_twins(alpha, pieces):
    p, y, counted = stream_of_values(250)
    layer = Coverage(1 - alpha, of_classes=False)
    cuts = np.array_split(np.arange(250), pieces)
    ours = [np.column_stack(layer.intervals(p[at], p[at], y[at], counted[at])) for at in cuts]
    np.testing.assert_allclose(np.concatenate(ours), twin_of_values(p, y, counted, 1 - (1 - alpha)), rtol=1e-8)


@pytest.mark.parametrize("pieces", [1, 9])
@pytest.mark.parametrize("k", [2, 3, 7])
def test_sets_are_their_twins(k, pieces):
    p, number, counted = stream_of_classes(250, k)
    layer = Coverage(0.9, of_classes=True)
    ours = [layer.sets(p[at], number[at], counted[at]) for at in np.array_split(np.arange(250), pieces)]
    assert (np.concatenate(ours) == twin_of_sets(p, number, counted, 1 - 0.9)).all()


def test_classes_as_likely_as_each_other_have_the_same_score():
    p = np.array([[0.25, 0.5, 0.25, 0.0], [0.25, 0.25, 0.25, 0.25]])
    expected = [[0.5 + 0.25 * 0.4, 0.5 * 0.4, 0.5 + 0.25 * 0.4, 1.0], [0.25 * 0.8] * 4]
    assert conformal.scores(p, np.array([0.4, 0.8])) == pytest.approx(np.array(expected))


# -------------------------------------------------------------------------------------------------------- the promise


@pytest.mark.parametrize("coverage", [0.8, 0.9, 0.95])
@pytest.mark.parametrize("kind", ["outside", "inside then outside", "growing", "alternating"])
def test_an_adversary_who_sees_each_interval_cannot_break_the_promise(coverage, kind):
    """At most alpha + (2 BOUND + the first, longer steps + STEP)/(STEP T) are missed, whatever is done."""
    alpha, layer, n, missed = 1 - coverage, Coverage(coverage, of_classes=False), 3000, 0
    one, p = np.ones(1, bool), np.zeros(1)
    scale = 1.0
    for t in range(n):
        _, high = layer.intervals(p, p, np.zeros(1), ~one)
        edge = float(high[0]) if math.isfinite(high[0]) else 1.0
        scale = min(scale * 1.02, 1e90)
        label = {
            "outside": 2 * edge, "inside then outside": 0.5 * edge if t < n // 2 else 2 * edge,
            "growing": max(1.001 * edge, scale), "alternating": 3 * edge if t % 2 else 0.0,
        }[kind]  # fmt: skip
        label = min(label, 1e300)
        low, high = layer.intervals(p, p, np.array([label]), one)
        missed += not low[0] <= label <= high[0]
    first = sum(step(t) - STEP for t in range(n))  # what longer steps may add
    assert missed / n <= alpha + (2 * BOUND + 1 + first) / (STEP * n)
    if kind == "outside":
        assert missed / n > alpha  # it did its worst


def test_an_adversary_of_classes_cannot_either():
    layer, n, missed = Coverage(0.9, of_classes=True), 4000, 0
    p = np.array([[0.7, 0.2, 0.1]])
    for _ in range(n):
        inside = layer.sets(p, np.zeros(1, np.int64), np.zeros(1, bool))[0]
        label = int(np.argmin(inside))  # one that is outside, if there is one
        missed += not layer.sets(p, np.array([label]), np.ones(1, bool))[0, label]
    first = sum(step(t) - STEP for t in range(n))
    assert missed / n <= 0.1 + (2 * BOUND + 1 + first) / (STEP * n)


@pytest.mark.compiled
@pytest.mark.parametrize("coverage", [0.8, 0.9, 0.95])
def test_coverage_is_as_asked_over_all_and_in_every_window(coverage):
    p, y, _ = stream_of_values(12_000, seed=4)
    low, high = Coverage(coverage, of_classes=False).intervals(p, p, y, np.ones(12_000, bool))
    within((low <= y) & (y <= high), coverage)
    p, number, _ = stream_of_classes(12_000, 5, seed=4)
    p[6000:] = p[6000:][:, ::-1]  # probabilities become wrong
    kept = number >= 0
    p, number = p[kept], number[kept]
    inside = Coverage(coverage, of_classes=True).sets(p, number, np.ones(len(p), bool))
    within(inside[np.arange(len(p)), number], coverage)


def within(covered, coverage):
    assert abs(covered.mean() - coverage) < 0.01
    assert np.abs(np.convolve(covered, np.full(2000, 1 / 2000), "valid") - coverage).max() < 0.05


# --------------------------------------------------------------------------------------------------------- the learner


def real(n=600):
    batch = zipf(n, kind="real")
    return batch._replace(y=10 * batch.y)


SETTINGS = [
    (LearnOptions(method="nag", loss="squared", coverage=0.9), real),
    (LearnOptions(loss="squared", members=("nag", "arow"), coverage=0.9), real),
    (LearnOptions(method="nag", coverage=0.9), lambda: zipf(600)),
    (LearnOptions(method="nag", loss="hinge", coverage=0.9), lambda: zipf(600)),
    (LearnOptions(method="nag", oaa=3, coverage=0.9), lambda: zipf(600)._replace(y=1.0 + np.arange(600) % 7 % 3)),
    (LearnOptions(method="nag", classes="auto", coverage=0.9), lambda: zipf(600)._replace(y=np.arange(600) % 5 // 2.0)),
]


def outputs_of(predicted):
    if predicted.sets is not None:
        return [np.pad(predicted.sets, ((0, 0), (0, 3 - predicted.sets.shape[1])))]
    return [predicted.low, predicted.high]


@pytest.mark.parametrize("setting", SETTINGS, ids=range(len(SETTINGS)))
def test_where_batches_end_and_saving_change_nothing(setting):
    options, batch = setting[0], setting[1]()
    parts, learner = in_parts(Learner(options), batch, (0, 1, 250, 600))
    for i, whole in enumerate(outputs_of(Learner(options).partial_fit(batch))):
        assert (np.concatenate([outputs_of(part)[i] for part in parts]) == whole).all()
    # predicting changes nothing, and labels do not count
    part = batch.part(0, 5)
    first, again = outputs_of(learner.predict(part._replace(y=np.full(5, np.nan)))), outputs_of(learner.predict(part))
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    followed = outputs_of(learner.predict(batch.part(0, 1), labels_follow=True))
    learned_by = outputs_of(learner.partial_fit(batch.part(0, 1)))
    assert all((a == b).all() for a, b in zip(followed, learned_by, strict=True))


def test_what_no_label_comes_for_has_the_mean_threshold_lately():
    """The threshold trembles; its mean does not."""
    layer, mean = Coverage(0.9, of_classes=True), 0.0
    p, number, _ = stream_of_classes(700, 4)
    for t in range(700):
        layer.sets(p[t : t + 1], number[t : t + 1], np.ones(1, bool))
        mean += max(1 / 256, 1 / (t + 1)) * (float(layer.state.now["theta"][0]) - mean)
    v = conformal.logits(conformal.scores(p, conformal.tie_breakers(p, np.full(700, 700))))
    assert (layer.sets(p, number, None) == (v <= mean)).all()


def test_intervals_of_rows_without_labels_are_their_twins():
    """While labels come by the mean thresholds lately; of a model at rest, where it drifts, by the largest of its own.

    These are as many times as wide as 1 and the share of the mean error at rest that labels take away.
    """
    n, none = 1100, np.zeros(1, bool)
    p, y, _ = stream_of_values(n)
    layer, own = Coverage(0.9, of_classes=False), p + 10.0
    faded = (1 - 1e-4) ** np.arange(n)[::-1]
    wider = 2 - (np.abs(y - p) @ faded) / (np.abs(y - own) @ faded)
    assert 1.1 < wider < 2
    online, rest, worst = np.zeros((3, 6))
    for t in range(n):
        layer.intervals(p[t : t + 1], own[t : t + 1], y[t : t + 1], np.ones(1, bool))
        for means, state in ((online, layer.state.online), (rest, layer.state.rest)):
            means += max(1 / 256, 1 / (t + 1)) * (state.thetas + state.now["theta"][0] - means)
        worst = np.maximum(worst, rest) if t > 1000 else rest.copy()
    assert (worst > rest).any()
    alone = Coverage(0.9, of_classes=False)
    alone.intervals(own, own, y, np.ones(n, bool))  # what a learner that has predicted `own` has learned of its errors
    for ours, twin in zip(layer.state.rest, alone.state.online, strict=True):
        np.testing.assert_array_equal(ours, twin)
    single = Coverage(0.9, of_classes=False, both=False)  # the same where the model at rest says nothing else
    single.intervals(own, p, y, np.ones(n, bool))
    (low, high), (least, most) = (each.steady_intervals(p, rests=True) for each in (single, layer))
    np.testing.assert_allclose(wider * (high - low), most - least, rtol=1e-9)
    for one in np.linspace(-2, 12, 20).reshape(-1, 1):
        s = np.zeros(6)
        conformal.scales_of(layer.state.rest, one[0], s)
        low, high = layer.steady_intervals(one, rests=True)
        assert np.isclose((high - low)[0] / 2, wider * s[[0, 2]] * np.exp(worst[[0, 2]]), rtol=1e-9).any()
        assert (low + high)[0] / 2 == pytest.approx(one[0], rel=1e-9)
        low, high = layer.intervals(one, one, np.zeros(1), none)
        steady = np.array(layer.steady_intervals(one, rests=False))[:, 0]
        ratios = np.exp(online - layer.state.online.thetas - layer.state.online.now["theta"][0])
        assert np.isclose((steady[1] - steady[0]) / (high[0] - low[0]), ratios, rtol=1e-9).any()


def test_intervals_of_a_model_at_rest_are_as_wide_as_ever_only_where_labels_tell_of_the_next():
    """By the mean threshold lately where labels take no error away, by the largest where they take DRIFTING of it."""
    n = 2000
    y, errors = np.random.default_rng(5).standard_normal((2, n))
    own = y + errors
    for taken in (0.0, 0.02, 0.2):
        p = y + (1 - taken) * errors
        layer = Coverage(0.9, of_classes=False)
        layer.intervals(p, own, y, np.ones(n, bool))
        state, s = layer.state.rest, np.zeros(6)
        assert (state.worst[[0, 2]] > 1.001 * state.steady[[0, 2]]).all()
        conformal.scales_of(state, 0.5, s)
        low, high = layer.steady_intervals(np.array([0.5]), rests=True)
        part = min(taken / conformal.DRIFTING, 1.0)
        theta = (1 - part) * state.steady + part * state.worst
        assert np.isclose((high - low)[0] / 2, (1 + taken) * s[[0, 2]] * np.exp(theta[[0, 2]]), rtol=1e-9).any()


def test_intervals_of_a_model_at_rest_grow_with_what_rows_ahead_have_cost():
    """By the root of their mean error over that of a model at rest whose labels come, where this is more than 1 + r."""
    n = 1200
    y, errors = np.random.default_rng(5).standard_normal((2, n))
    layer, faded = Coverage(0.9, of_classes=False), (1 - 1e-4) ** np.arange(n)[::-1]
    layer.intervals(y + 0.8 * errors, y + errors, y, np.ones(n, bool))
    mean, length = np.average(np.abs(errors), weights=faded), []
    for ahead in (0.0, 1.3 * mean, 4.0 * mean):
        low, high = layer.steady_intervals(np.array([0.5]), rests=True, ahead=ahead)
        length.append((high - low)[0])
    assert length[1] == length[0]
    assert length[2] / length[0] == pytest.approx(2.0 / 1.2, rel=1e-9)


def test_intervals_of_a_learner_at_rest_know_how_copies_have_erred():
    """A walk, which labels follow and copies lose sight of."""
    rng, n = np.random.default_rng(3), 700
    batch = batch_of_dense(np.column_stack([np.arange(n), rng.normal(size=n)]), np.cumsum(rng.normal(size=n)))
    learner = Learner(loss="squared", coverage=0.9)
    learner.partial_fit(batch)
    ahead = learner.engine.error_ahead(learner.state)
    assert ahead > 0.0
    intervals, state = learner.predict(batch), learner.state
    state.resting.ahead[:] = 0.0
    shorter = learner.predict(batch)
    online, rest = (own.now["total"][0] for own in learner._coverage.state)
    wider = np.sqrt(ahead * learner._coverage.state.rest.now["weight"][0] / rest) / (2 - online / rest)
    assert wider > 1.2
    np.testing.assert_allclose(intervals.high - intervals.low, wider * (shorter.high - shorter.low), rtol=1e-6)
    assert_same_predictions(intervals._replace(low=None, high=None), shorter._replace(low=None, high=None))


def test_the_layer_changes_no_prediction():
    batch = real()
    options = {"method": "nag", "loss": "squared"}
    with_it = Learner(LearnOptions(**options, coverage=0.8)).partial_fit(batch)
    without = Learner(LearnOptions(**options)).partial_fit(batch)
    assert (with_it.raw == without.raw).all()
    assert without.low is without.high is without.sets is None


def test_a_label_does_not_reach_its_own_interval():
    batch = real(300)
    changed = batch._replace(y=np.where(np.arange(300) == 200, 1e6, batch.y))
    one, other = (Learner(SETTINGS[0][0]).partial_fit(b) for b in (batch, changed))
    assert (one.low[:201] == other.low[:201]).all()
    assert (one.low[201:] != other.low[201:]).any()


def test_counts_have_intervals_of_counts():
    rng = np.random.default_rng(0)
    batch = zipf(2000)._replace(y=rng.poisson(3.0, 2000).astype(float))
    predicted = Learner(LearnOptions(method="nag", loss="poisson", coverage=0.9)).partial_fit(batch)
    assert abs(((predicted.low <= batch.y) & (batch.y <= predicted.high))[200:].mean() - 0.9) < 0.03
    center = np.exp(predicted.prediction)
    assert ((predicted.low <= center) & (center <= predicted.high)).all()


def test_a_prediction_that_is_no_number_has_no_interval():
    """That of a row which is refused; the rows after it have those that they would have without it."""
    rng = np.random.default_rng(0)
    p, y = rng.normal(size=(2, 60))
    wild, none = np.insert(p, 40, math.nan), np.zeros(61, dtype=bool)
    none[40] = True
    got = Coverage(0.9, False).intervals(wild, wild, np.insert(y, 40, 0.0), ~none)
    assert np.isnan(np.array(got)[:, 40]).all()
    np.testing.assert_array_equal(np.array(got)[:, ~none], Coverage(0.9, False).intervals(p, p, y, np.ones(60, bool)))


def test_a_state_that_does_not_fit_is_refused():
    header, arrays = Learner(SETTINGS[0][0]).to_arrays()
    assert {name for name in arrays if name.startswith("coverage.")}
    with pytest.raises(ModelFileError, match="does not fit together"):
        Learner.from_arrays(header, arrays | {"coverage.rest.thetas": np.zeros(3)})


def test_huge_and_exact_errors_end():
    layer, on = Coverage(0.9, of_classes=False), np.ones(50, bool)
    p = np.zeros(50)
    for y in (p, np.full(50, 1e200), p, np.full(50, 1e-200)):
        low, high = layer.intervals(p, p, y, on)
        assert (low <= high).all()
        assert not np.isnan(low).any()


def test_a_row_without_a_class_that_was_met_is_missed():
    layer = Coverage(0.9, of_classes=True)
    p, none = np.tile([0.6, 0.4], (400, 1)), np.full(400, -1)
    assert layer.sets(p, none, np.ones(400, bool))[-1].all()
