"""Weights of members at rest: learned of what copies predict, and used where they do better there."""

import io
import itertools

import numpy as np
import pytest
from states import assert_same, assert_same_predictions, check_saves, same_state, state_of
from streams import batch_of, batch_of_dense, entries, rows_of, several_classes, with_weights, without_some_labels, zipf

from sonlearn import Learner, LearnOptions, TextOptions, read_batches
from sonlearn.data.batch import joined
from sonlearn.learn.ensemble import resting
from sonlearn.learn.ensemble.combiner import weights_of
from sonlearn.learn.ensemble.label_scale import unit_of
from sonlearn.options.members import member

NAMES = "nag", "drfd", "nag:pairs", "nag~0.03"


@pytest.fixture
def soon(monkeypatch):
    """Copies after 64 rows, and then a quarter as many again."""
    monkeypatch.setattr(resting, "FIRST_COPY_ROWS", 64)


def series(n=700, kind="squared"):
    """A slow wave that no feature tells, which rows near each other share, and a little of what they do tell."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(n, 3)), np.arange(n) / 50, np.floor(np.arange(n) / 20) % 4])
    y = 5 * np.sin(np.arange(n) / 12) + X[:, 0] + 0.5 * rng.normal(size=n) + 100
    return batch_of_dense(X, np.where(y > 100, 1.0, -1.0) if kind == "logistic" else y)


def rested(batch, options, stops):
    """Learn up to each of `stops`, where a copy is due; yields (learner, rows since, V, labels, usual w, unit)."""
    ours, names = Learner(options), [member(name, options.loss).name for name in NAMES[:3]]
    assert names == [each.name for each in ours.engine.inputs[:3]]
    ours.partial_fit(batch.part(0, stops[0]))
    for start, stop in itertools.pairwise(stops):
        copy, rows = Learner.from_arrays(*state_of(ours)), batch.part(start, stop)
        ours.partial_fit(batch.part(start, stop - 1))
        assert ours.state.resting.kept.now["rows"] == stop - 1 - start, "a copy is due before the last row"
        ours.partial_fit(batch.part(stop - 1, stop))
        values = options.loss == "squared"
        mean, unit = (copy.state.labels.moments[1], unit_of(copy.state.labels)) if values else (0.0, 1.0)
        V = (np.ascontiguousarray(copy.contributions(rows).predictions) - mean) / unit
        yield ours, rows, V, (rows.y - mean) / unit, weights_of(ours.state.offline)[:3], unit


@pytest.mark.parametrize("kind", ["squared", "logistic"])
def test_weights_are_of_the_mean_that_would_have_erred_least(soon, kind):
    """Beside all mixtures on a fine grid: of the members and of what they say with the usual weights.

    How much rows ahead err is the mean of what the weights of before say of them.
    """
    k = 4 if kind == "squared" else 5  # of two classes 0, too
    shares = np.array([each for each in itertools.product(range(21), repeat=k) if sum(each) == 20]) / 20
    P, preferred, ahead, a = np.zeros((k, k)), 0, np.zeros(2), np.eye(k)[-1]
    stops = [64, 80, 100, 125, 156, 195, 243, 303, 378, 472, 590]
    options = LearnOptions(loss=kind, members=NAMES, prune=False)
    for ours, rows, V, y, usual, unit in rested(series(kind=kind), options, stops):
        both = np.column_stack([V, np.zeros((rows.n, k - 4)), V @ usual])
        errors = both - y[:, None] if kind == "squared" else 1.0 / (1.0 + np.exp(-both)) - (y[:, None] > 0.0)
        near = 1.0 / (resting.DISTANCE_PRIOR + np.arange(1, rows.n + 1))
        mean = (errors.T * near) @ errors / near.sum()
        ahead = resting.RETENTION * ahead + (unit * (np.abs(errors @ a) @ near) / near.sum(), 1.0)
        if kind == "squared":
            assert ours.engine.error_ahead(ours.state) == pytest.approx(ahead[0] / ahead[1], rel=1e-9)
        if kind == "logistic":  # all but the usual combination err once more, at the last row
            mean += np.diag([near[-1] / near.sum()] * (k - 1) + [0])
        P = resting.RETENTION * P + mean / mean.diagonal().min()
        more = P + resting.PREFERENCE * P.diagonal().min() * np.diag([1.0] * (k - 1) + [0])
        a = ours.state.resting.weights
        assert not a[3], "what forgets has no part"
        a = a[[0, 1, 2, *range(3 - k, 0)]]
        assert a.min() >= 0.0
        assert a.sum() == pytest.approx(1.0)
        best = np.einsum("ni,ij,nj->n", shares, more, shares).min()
        assert best * 0.98 < a @ more @ a < best * (1 + 1e-9)
        np.testing.assert_allclose(ours.contributions(rows).weight, a[:3] + a[-1] * usual, rtol=1e-9, atol=1e-12)
        preferred += 0.0 < a[-1] < 1.0
    assert preferred, "both kinds of weights have a part"


@pytest.mark.interpreted
def test_members_at_rest_have_no_weight_once_their_view_is_off(soon):
    X, rng = np.zeros((208, 203)), np.random.default_rng(0)
    X[:, :3], X[200:, 3:] = rng.normal(size=(208, 3)), 1.0
    learner = Learner(loss="squared", members=("ridge", "ridge-z:products"), prune=False)
    learner.partial_fit(batch_of_dense(X[:200], X[:200, 0]))
    own, shown = learner.state.resting, batch_of_dense(X[:9], X[:9, 0])
    own.products[:] = np.diag([1.0, 0.01, 0.0, 1.0])  # the second member has erred least
    resting.solve_weights(own)
    assert learner.contributions(shown).weight[1] > 0.9
    learner.partial_fit(batch_of_dense(X[200:], X[200:, 0]))
    assert learner.engine.views.every[1].is_off(learner.state.views[1])
    assert own.weights[1] > 0.9, "no copy has told of it"
    found = learner.contributions(shown).weight
    usual, more = weights_of(learner.state.online), 1.0 + resting.PREFERENCE  # of the first member's error
    np.testing.assert_allclose(found, (np.array([1.0, 0.0]) + more * usual) / (1.0 + more), rtol=1e-9)


@pytest.mark.interpreted
def test_members_at_rest_have_room_for_what_the_last_row_before_them_brought(soon):
    """Views of numbers count what a row brings after they have shown it: its members never saw the number at 2.

    Compiled, they read beyond their tables where they have no room, which only checks of bounds would tell.
    """
    rows = [{0: 0.5 * i, 1: 1.5 + i % 7, **({2: 2.5 + i} if i >= 63 else {})} for i in range(81)]
    ours = Learner(LearnOptions(loss="squared", members=("drfd:fourier", "ridge-z:products", "nag"), prune=False))
    for stop in (64, 80, 81):
        start = ours.examples
        ours.partial_fit(batch_of(rows, np.arange(81) % 5.0).part(start, stop))
    assert ours.state.resting.weights.sum() == pytest.approx(1.0)


def test_rows_without_the_rarer_class_leave_the_usual_weights():
    """Where no label is +1 the lowest of all probabilities errs least, by next to nothing."""
    own, y = resting.new_resting(2), np.zeros(256)
    for rare in (2, 0, 1, 0):
        y[:] = np.arange(256) % 128 < rare
        said = np.array([[1e-6], [0.02], [0.5], [0.3 if rare else 0.004]])  # two members, 0, the usual combination
        resting.learn(own, [0, 1], np.where(y > 0, np.maximum(said, 0.3 * (said > 0.01)), said) - y, np.ones(256), 1.0)
    assert own.weights[-1] > 0.9


def test_one_that_hardly_errs_beside_two_that_err_alike_has_all_weight():
    """Costs that are 0 in nearly all rows: trees say 0."""
    errors = np.random.default_rng(0).normal(size=(4, 50)) * [[1e10], [1e10], [1.0], [1e10]]
    errors[1] = errors[0]
    own = resting.new_resting(3)
    resting.learn(own, [0, 1, 2], errors, np.ones(50))
    np.testing.assert_allclose(own.weights, [0.0, 0.0, 1.0, 0.0, 0.0], atol=1e-6)


def test_members_that_are_pruned_have_no_weight_at_rest():
    errors = np.random.default_rng(0).normal(size=(4, 50)) * [[2.0], [1.0], [3.0], [1.5]]
    own = resting.new_resting(3)
    resting.learn(own, [0, 1, 2], errors, np.ones(50))
    assert own.weights[[0, 1, 2, -1]].all()
    less = resting.new_resting(3)
    resting.leave_out(own, [1])
    resting.learn(less, [0, 2], errors[[0, 2, 3]], np.ones(50))
    np.testing.assert_allclose(own.weights, less.weights, atol=0.03)  # beside the least error of other members
    assert (own.weights[1], own.weights.sum()) == (0.0, pytest.approx(1.0))


@pytest.mark.parametrize("kind", ["squared", "logistic"])
def test_cuts_saves_and_threads_change_no_bit(soon, monkeypatch, kind, tmp_path):
    """Also row by row, around the rows with which copies are due: 125, 156; and where not every row is kept: 270."""
    monkeypatch.setattr(resting, "MAX_ROWS", 40)  # not every row is kept
    batch = with_weights(without_some_labels(series(300, kind)))
    cuts = (64, 65, *range(123, 128), *range(154, 158), 270)
    whole, _ = check_saves(LearnOptions(loss=kind), batch, tmp_path, cuts, 2, foreseen=False)
    now = whole.state.resting.kept.now
    assert now["copied"]
    assert now["stride"] > 1
    assert 0 < now["rows"] <= 40


@pytest.mark.parametrize("kind", ["squared", "logistic"])
def test_copies_know_no_feature_of_later_rows(soon, kind, tmp_path):
    """A name that is new every eight rows: the last copy is made at 195."""
    batch = series(230, kind)
    rows = [dict(row) | {8 + i // 8: 1.0} for i, row in enumerate(entries(batch))]
    check_saves(LearnOptions(loss=kind), batch_of(rows, batch.y), tmp_path, (195,), 2, foreseen=False)


def test_members_at_rest_see_hours_and_weekdays_as_members_do(monkeypatch):
    monkeypatch.setattr(resting, "FIRST_COPY_ROWS", 600)
    lines = (f"2024-01-{1 + i // 24:02d} {i % 24:02d}:00,{i % 7},{i % 24 % 5}" for i in range(720))
    text = io.BytesIO("\n".join(("when,x,y", *lines)).encode())
    batch = joined(list(read_batches(text, TextOptions(format="csv", label="y"))))
    learner = Learner(LearnOptions(loss="squared", members=("ridge:ranges", "nag"), prune=False))
    learner.partial_fit(batch.part(0, 640))
    rows, first = resting.kept_rows(learner.state.resting), batch.part(600, 640)
    assert rows.marks.tolist() == first.marks.tolist()
    assert rows.marks.max() > 1


@pytest.mark.parametrize(("batch", "options"), [(zipf(n=300, d=4000, s=10), {}), (several_classes(n=300), {"oaa": 5})])
def test_there_is_no_copy_of_words_and_several_classes(soon, batch, options):
    learner = Learner(**options)
    learner.partial_fit(batch)
    now = learner.state.resting.kept.now
    assert not now["due"]
    assert not now["copied"]
    assert not len(learner.state.resting.kept.facts)


def test_further_passes_are_no_rest(soon):
    """What was kept before them is let go; new rows are kept from the next copy on."""
    batch = series(400)
    learner = Learner(loss="squared")
    learner.partial_fit(batch)
    learner.next_pass()
    assert learner.state.resting.weights[-1] == 1.0
    assert not learner.state.resting.products.any()
    assert not learner.engine.error_ahead(learner.state)
    before = state_of(learner)[1]
    learner.partial_fit(batch)
    after = state_of(learner)[1]
    of_rest = [name for name in before if ".resting." in name]
    assert of_rest
    for name in of_rest:
        np.testing.assert_array_equal(before[name], after[name])
    learner.next_pass(again=False)
    learner.partial_fit(batch.part(0, 16))
    assert not learner.state.resting.kept.now["copied"]
    assert not learner.state.resting.kept.now["rows"]
    learner.partial_fit(batch.part(16, 400))
    assert learner.state.resting.kept.now["copied"]
    assert learner.state.resting.kept.now["rows"]


def test_a_merge_begins_anew(soon):
    batch, base = series(600), Learner(loss="squared")
    base.partial_fit(batch.part(0, 100))
    parts = [Learner.from_arrays(*state_of(base)) for _ in range(2)]
    for own, (start, stop) in zip(parts, ((100, 350), (350, 600)), strict=True):
        own.partial_fit(batch.part(start, stop))
    merged = Learner.merge(parts, base)
    again = Learner.merge(parts, base)
    assert merged.state.resting.weights[-1] == 1.0
    assert not merged.state.resting.kept.now["copied"]
    for learner in (merged, again):
        for at in range(0, 600, 50):
            learner.partial_fit(rows_of(batch, slice(at, at + 50)))
    assert merged.state.resting.kept.now["copied"]
    assert_same(state_of(merged), state_of(again))


@pytest.mark.parametrize("options", [{"loss": "squared"}, {"loss": "logistic"}, {"oaa": 4}])
def test_a_learner_that_rests_predicts_with_later_trees_and_goes_on_as_before(options):
    batch = series(400)
    if options != {"loss": "squared"}:
        batch = batch._replace(y=1.0 + (batch.y // 3) % 4 if "oaa" in options else np.where(batch.y > 100, 1.0, -1.0))
    members = ("nag", "boost:columns", *(() if "oaa" in options else ("boost:stacked",)))
    learners = [Learner(members=members, **options) for _ in range(2)]
    for each in learners:
        each.partial_fit(batch.part(0, 380))
    ours, other = learners
    usual = ours.predict(batch)
    ours.rest()
    rested = ours.predict(batch)
    assert np.abs(rested.raw - usual.raw).max() > 0.01
    assert_same_predictions(ours.copy().predict(batch), rested)
    if "oaa" not in options:
        shares = ours.contributions(batch)
        np.testing.assert_allclose(shares.contributions.sum(axis=1) + shares.start, rested.raw, rtol=0, atol=1e-6)
    ours.predict(batch._replace(indices=batch.indices + 1000), online=True)  # features that are new, and no label
    assert_same_predictions(ours.predict(batch), rested)
    for each in learners:
        each.partial_fit(batch.part(380, 400))
    same_state(ours, other)
    assert_same_predictions(ours.predict(batch), other.predict(batch))


@pytest.mark.interpreted
@pytest.mark.parametrize("classes", [False, True])
def test_trees_of_more_rows_get_the_share_that_surely_gains_most(classes):
    """Of two inputs the second errs less, but for one row of forty; beside the mean gain less its standard error."""
    rng, n = np.random.default_rng(2), 80
    usual = rng.uniform(0.05, 0.6, n) if classes else rng.normal(size=n)
    errors = np.array([1.2 * usual, np.where(np.arange(n) % 40 == 3, 1.5, 0.6) * usual, usual])
    weight, own = rng.uniform(0.5, 2.0, n), resting.new_resting(3)
    own.weights[:] = 0.3, 0.0, 0.2, 0.0, 0.5
    best, expected = 0.0, own.weights
    for i, share in itertools.product(range(2), np.arange(1, 21) / 20):
        e = share * errors[i] + (1.0 - share) * usual
        gains = np.log((1.0 - e) / (1.0 - usual)) if classes else usual**2 - e**2
        mean = np.average(gains, weights=weight)
        sure = mean - 0.5 * np.sqrt(np.average((gains - mean) ** 2, weights=weight) / n)
        if sure > best:
            best, expected = sure, (1.0 - share) * own.weights + share * np.eye(5)[[0, 2][i]]
    found = resting.at_rest(own, [0, 2], errors, weight, classes).weights
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert found[2] > own.weights[2]
    worse = np.array([1.2 * usual, -1.4 * usual * rng.choice([0.9, 1.0], n), usual])  # the second far too much
    if classes:
        worse[1] = 1.1 * usual
    np.testing.assert_array_equal(resting.at_rest(own, [0, 2], worse, weight, classes).weights, own.weights)


@pytest.mark.parametrize("options", [{"loss": "squared"}, {"loss": "logistic"}, {"oaa": 4}])
def test_how_trees_at_rest_err_in_rows_held_out_decides_what_they_weigh(options):
    """The label is a step of one column, which trees know after few rows, and nag never does; or it is noise."""
    rng, n = np.random.default_rng(5), 360
    X = rng.uniform(1.0, 2.0, size=(n, 3))
    for told in (True, False):
        step = np.floor(40 * (X[:, 0] if told else rng.uniform(size=n))) % 4
        y = step if "squared" in options.values() else 1.0 + step if "oaa" in options else np.where(step > 1, 1.0, -1.0)
        learner = Learner(members=("nag", "boost"), prune=False, **options)
        learner.partial_fit(batch_of_dense(X, y))
        before = learner.state.resting
        known = before.errors < resting.NONE
        assert known.sum() == n
        own = learner.engine.at_rest(learner.state).resting
        if told:
            assert own.weights[1] > 0.2
            assert own.weights.sum() == pytest.approx(1.0)
        else:
            np.testing.assert_array_equal(own.weights, before.weights)
        loaded = Learner.from_arrays(*state_of(learner))
        np.testing.assert_array_equal(loaded.engine.at_rest(loaded.state).resting.weights, own.weights)
