"""Boosted trees over a buffer: the twin, what trees must do by their theory, and the buffer."""

import itertools

import boost_twin
import numpy as np
import pytest
import scipy.sparse as sp
from boost_twin import Boost, ClassTrees, by_rows, raw_predictions
from for_all import for_all
from multiclass_twin import run
from states import assert_same_predictions, in_parts, same_state, state_of
from streams import batch_of_dense, entries, rows_of, with_weights, without_some_labels

from sonlearn import InputError, Learner, LearnOptions, from_scipy
from sonlearn.data.rows import Rows
from sonlearn.learn.boosting import engine as boosting
from sonlearn.learn.boosting import rounds
from sonlearn.learn.boosting.engine import BoostOfClasses
from sonlearn.learn.boosting.state import LEAF, MAX_ROWS, MAX_ROWS_WIDE, QUANTILES, SPARE_ROWS
from sonlearn.learn.engine import Predictions
from sonlearn.options.methods import METHODS

VALUES = METHODS["boost"].values
LOSSES = METHODS["boost"].losses


def columns(n=300, d=6, seed=0):
    """float64[n, d]: normal, rounded but for the first column, a fifth without a value."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)), 1)
    X[:, 0] = rng.normal(size=n)
    X[rng.random(X.shape) < 0.2] = 0.0
    X[0] = 1.0
    return X


def labels(X, loss, seed=0):
    """A step, a product and noise."""
    f = X[:, 0] * X[:, 1] + 2.0 * (X[:, 2] > 0.3) + np.random.default_rng(seed).normal(size=len(X)) / 3
    return np.where(f > np.median(f), 1.0, -1.0) if loss == "logistic" else 100.0 + f


def stream(loss, n=300, d=6, seed=0):
    X = columns(n, d, seed)
    return batch_of_dense(X, labels(X, loss, seed))


def learner_of(loss):
    return Learner(LearnOptions(method="boost", loss=loss))


def test_the_order_of_columns_does_not_matter_where_a_tree_sees_all():
    X = columns(d=20)
    X[:, 0] = X[:, 0] > 0
    X[0] = 1.0
    predicted = []
    for order in (slice(None), slice(None, None, -1)):
        learner = learner_of("squared")
        learner.partial_fit(batch_of_dense(X[:, order], labels(X, "squared")))
        predicted.append(learner.predict(batch_of_dense(X[:, order], np.zeros(len(X)))).prediction)
    np.testing.assert_allclose(*predicted, rtol=1e-9)


SIZES = [(130, 6), (130, 45), (60, 150)]


@for_all("loss, n, d", [(loss, *size) for loss in LOSSES for size in SIZES])
def test_predictions_are_those_of_the_twin(loss, n, d):
    """With weights and bases; some rows have no label, one has no entry, some columns are not drawn."""
    X = columns(n, d)
    X[n - 5] = 0.0
    batch = without_some_labels(with_weights(batch_of_dense(X, labels(X, loss))))
    batch = batch._replace(base=np.linspace(-1.0, 1.0, n))
    options = LearnOptions(method="boost", loss=loss)
    expected = raw_predictions(options, batch, VALUES)
    np.testing.assert_allclose(Learner(options).partial_fit(batch).raw, expected, rtol=0, atol=1e-9)
    assert np.std(expected) > 0.5


@for_all("loss", LOSSES)
def test_a_refit_is_spread_over_rows_as_by_the_twin(loss, monkeypatch):
    """The refit after 1,681 rows takes more than one row, and until it is done the trees before it predict.

    Refits before are few, since those of the twin take long.
    """
    for given in (VALUES, VALUES["of_classes"]):
        monkeypatch.setitem(given, "refit_interval", 40.0)
    batch, twin = stream(loss, 1687, 12), Boost(loss == "logistic", **VALUES)
    raw = learner_of(loss).partial_fit(batch).raw
    for i, row in enumerate(map(dict, entries(batch))):
        if i < 10 or i > 1675:
            assert raw[i] == pytest.approx(twin.predict(row), abs=1e-9)
        twin.learn(row, batch.y[i])
        if i + 1 == 1681:
            assert twin.running is not None
    assert twin.running is None


@for_all("loss", LOSSES)
def test_edges_are_found_more_finely_than_bins(loss):
    """4,000 values in no order, and a threshold in the middle of a bin: all but a few rows are on the right side."""
    x = np.random.default_rng(9).uniform(1.0, 2.0, size=(4000, 1))
    y = np.where(x[:, 0] > 1.5 + 0.5 / QUANTILES / 2, 1.0, -1.0)
    learner = learner_of(loss)
    learner.partial_fit(batch_of_dense(x[:3600], y[:3600]))
    wrong = np.sign(learner.predict(batch_of_dense(x, y)).raw) != y
    assert np.count_nonzero(wrong) <= 4


@for_all("loss", LOSSES)
def test_units_of_a_column_change_no_bit_and_increasing_functions_little(loss):
    """Only where between two values an edge is; of few values, each of which is a bin, nothing at all."""
    X = np.random.default_rng(2).uniform(1.0, 3.0, size=(400, 4))
    y = labels(X, loss)
    one, other = raw_of_increasing(loss, X, y)
    np.testing.assert_array_equal(one, learner_of(loss).partial_fit(batch_of_dense(X * [2, 0.5, 64, 1], y)).raw)
    assert np.corrcoef(one[100:], other[100:])[0, 1] > 0.95
    np.testing.assert_array_equal(*raw_of_increasing(loss, np.round(X, 1), y))


def raw_of_increasing(loss, X, y):
    """Predictions of rows, and of increasing functions of their columns."""
    moved = np.column_stack([X[:, 0] ** 3, np.log(X[:, 1]) + 5.0, 1e6 * X[:, 2], -1.0 / X[:, 3]])
    return [learner_of(loss).partial_fit(batch_of_dense(values, y)).raw for values in (X, moved)]


@pytest.mark.interpreted
@for_all("loss, seed", [(loss, seed) for loss in LOSSES for seed in (0, 1)])
def test_rows_without_a_value_go_where_they_belong(loss, seed):
    """In one stream to the side of the small values, in the other one to that of the large ones."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(1.0, 2.0, size=(140, 1))
    high, none = X[:, 0] > 1.5, rng.random(140) < 0.3
    y = np.where(np.where(none, seed == 1, high), 1.0, -1.0)
    X[none] = 0.0
    learner = learner_of(loss)
    learner.partial_fit(batch_of_dense(np.column_stack([X, np.ones(140)]), y))
    raw = learner.predict(batch_of_dense(np.array([[0.0, 1.0], [1.2, 1.0], [1.8, 1.0]]), np.full(3, np.nan))).raw
    assert (np.sign(raw) == [1.0 if seed == 1 else -1.0, -1.0, 1.0]).all()


@pytest.mark.interpreted
@for_all("loss", LOSSES)
def test_rows_without_features_are_learned(loss):
    """Nothing is read beyond the end of no values, by refits that keep splits neither, nor of what was written out."""
    none = batch_of_dense(np.zeros((120, 1)), np.tile([1.0, -1.0, -1.0], 40))
    new = batch_of_dense(columns(2), np.full(2, np.nan))
    for learner in (learner_of(loss), in_parts(learner_of(loss), none, (0, 50, 120))[1]):
        learner.partial_fit(none)
        assert (learner.predict(new).raw < 0.0).all()


@for_all("loss", LOSSES)
def test_a_refit_by_weights_is_one_by_rows_repeated(loss):
    """A merge of one learner is a refit over all that it has kept; where values are few, each is a bin."""
    batch = stream(loss, 250)
    batch = batch._replace(values=np.clip(np.round(batch.values, 1), -2.0, 2.0))
    times = np.random.default_rng(3).choice([1, 2, 3], batch.n)
    weighted, repeated = learner_of(loss), learner_of(loss)
    weighted.partial_fit(batch._replace(weight=times.astype(float)))
    repeated.partial_fit(rows_of(batch, np.repeat(np.arange(batch.n), times)))
    ours, theirs = (Learner.merge([each]).predict(batch).raw for each in (weighted, repeated))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
    assert np.std(ours) > 0.5


@for_all("loss", LOSSES)
def test_cuts_and_resumption_change_no_bit(loss):
    """Saved in the middle of a refit, too."""
    batch, through, stopped = stream(loss, 3800, 20), learner_of(loss), learner_of(loss)
    whole, parts, under_way = through.partial_fit(batch), [], 0
    edges = (0, 1, 3, 90, 700, *range(2974, 2978), *range(3694, 3698), 3800)
    for a, b in itertools.pairwise(edges):
        parts.append(stopped.partial_fit(rows_of(batch, slice(a, b))).raw)
        under_way += int(stopped.state.now["step"][0] > 0)
        stopped = Learner.from_arrays(*state_of(stopped))
    np.testing.assert_array_equal(np.concatenate(parts), whole.raw)
    same_state(through, stopped)
    assert_same_predictions(through.predict(batch), stopped.predict(batch))
    assert under_way >= 2


@pytest.mark.parametrize(("loss", "n"), [(loss, n) for loss in LOSSES for n in (300, 1683)])  # patched one by one
def test_at_rest_trees_are_of_all_rows_and_as_many_as_predict_best_as_by_the_twin(loss, n, monkeypatch):
    """After 1,683 rows a refit of 1,681 is under way. What is learned later is as without rest."""
    monkeypatch.setitem(VALUES, "trees", 48 if n > 1000 else 12)
    for given in (VALUES, VALUES["of_classes"]) if n > 1000 else ():
        monkeypatch.setitem(given, "refit_interval", 40.0)
        for module in (boosting, boost_twin):
            monkeypatch.setattr(module, "TIMES", (1,))
    batch, learner, twin = stream(loss, n, 12), learner_of(loss), Boost(loss == "logistic", **VALUES)
    learner.partial_fit(batch)
    by_rows(twin, batch)
    assert (learner.state.now["step"][0] > 0) == (twin.running is not None) == (n > 1000)
    usual, learned = learner.predict(batch).raw, state_of(learner)[1]
    learner.rest()
    errors, rested = twin.rest(), learner.engine.at_rest(learner.state)
    np.testing.assert_allclose(rested.scores, errors, rtol=0, atol=1e-9)
    assert len(errors) == n // 3
    assert len(rested.trees.column) == 2 * len(twin.model[1])
    assert (len(twin.model[1]) > VALUES["trees"]) == (loss == "squared" and n < 1000)
    expected = [twin.predict(row) for row in map(dict, entries(batch))]
    np.testing.assert_allclose(learner.predict(batch).raw, expected, rtol=0, atol=1e-9)
    assert np.abs(usual - expected).max() > 0.1
    assert_same_predictions(Learner.from_arrays(*state_of(learner)).predict(batch), learner.predict(batch))
    for name, array in state_of(learner)[1].items():
        np.testing.assert_array_equal(array, learned[name])


@for_all("loss", LOSSES)
def test_trees_that_predict_no_more_are_not_saved(loss):
    learner = learner_of(loss)
    learner.partial_fit(stream(loss, 700))
    now, T = learner.state.now[0], VALUES["trees"]
    assert (now["step"], now["refits"] > 2) == (0, True)
    both = learner.state, learner.engine.packed(learner.state)
    assert [(state.trees.column != LEAF).any(axis=1).sum() for state in both] == [2 * T, T]


def test_few_columns_that_tell_something_are_found_among_many():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(2500, 400))
    z = np.sin(2.0 * X[:, 0]) + X[:, 1] * np.abs(X[:, 2]) + np.abs(X[:, 3])
    predicted = learner_of("logistic").partial_fit(batch_of_dense(X, np.where(z > np.median(z), 1.0, -1.0)))
    assert predicted.loss[-800:].mean() < 0.4  # of one half .69; all columns alike: .54


@for_all("loss", LOSSES)
def test_trees_see_more_columns_where_most_have_no_value_as_by_the_twin(loss):
    """Of 150 columns, some of them of 0 and 1, each with values in a tenth of the rows, a tree sees about half."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(104, 150)).round(1) * (rng.random((104, 150)) < 0.1)
    X[:, 100:] = X[:, 100:] != 0.0
    batch = batch_of_dense(X, labels(X, loss))
    expected = raw_predictions(LearnOptions(method="boost", loss=loss), batch, VALUES)
    np.testing.assert_allclose(learner_of(loss).partial_fit(batch).raw, expected, rtol=0, atol=1e-9)
    assert np.std(expected) > 0.1


def test_a_column_takes_as_much_of_the_room_of_a_tree_as_rows_have_values():
    """Devices of ten kinds with ten columns of their own, of which two tell together: all meet in a tree."""
    rng = np.random.default_rng(4)
    X, kind = rng.normal(size=(6000, 100)), rng.integers(0, 10, 6000)
    X[np.arange(100) // 10 != kind[:, None]] = 0.0
    rows = np.arange(6000)
    z = X[rows, 10 * kind] * X[rows, 10 * kind + 1]
    predicted = learner_of("logistic").partial_fit(batch_of_dense(X, np.where(z > 0.0, 1.0, -1.0)))
    assert predicted.loss[-1000:].mean() < 0.5  # of 32 columns a tree: .57


def test_more_columns_than_it_takes_are_refused():
    X = np.ones((1, VALUES["max_columns"] + 1))
    learner = learner_of("squared")
    learner.partial_fit(batch_of_dense(X[:, 1:], [1.0]))
    with pytest.raises(InputError, match=r"a feature after 2,000 others.*--method boost"):
        learner.partial_fit(batch_of_dense(X, [1.0]))
    assert learner.partial_fit(batch_of_dense(X[:, 1:], [1.0])).raw == [1.0]


def changing(loss, n=1500, at=1200):
    """y = x[0] becomes y = -x[0], or its sign does."""
    X = np.random.default_rng(6).normal(size=(n, 3))
    f = np.where(np.arange(n) < at, 1.0, -1.0) * X[:, 0]
    return batch_of_dense(X, np.sign(f) if loss == "logistic" else f)


@for_all("loss", LOSSES)
def test_after_a_change_rows_before_it_are_forgotten_as_by_the_twin(loss, monkeypatch):
    for name, value in (("trees", 8), ("learning_rate", 0.5), ("max_depth", 2)):
        monkeypatch.setitem(VALUES, name, value)
    batch, learner = changing(loss), learner_of(loss)
    expected = raw_predictions(learner.options, batch, VALUES)
    np.testing.assert_allclose(learner.partial_fit(batch).raw, expected, rtol=0, atol=1e-9)
    assert 1195 <= learner.state.now["forgotten"][0] <= 1205


@for_all("loss", LOSSES)
def test_trees_follow_a_change_at_once_however_the_stream_is_cut(loss):
    batch, through, stopped = changing(loss), learner_of(loss), learner_of(loss)
    raw = through.partial_fit(batch).raw
    errors = (raw * batch.y <= 0) if loss == "logistic" else (raw - batch.y) ** 2 / np.var(batch.y)
    assert np.mean(errors[1100:1200]) < 0.05
    assert np.mean(errors[1300:]) < 0.1
    parts, stopped = in_parts(stopped, batch, (0, 700, 1205, 1215, 1230, 1500))
    np.testing.assert_array_equal(np.concatenate([part.raw for part in parts]), raw)
    same_state(through, stopped)


@for_all("loss", LOSSES)
@pytest.mark.parametrize("members", [None, ("nag:zs", "boost:columns")], ids=["alone", "member"])
def test_new_rows_after_further_passes_are_no_change(loss, members):
    """Trees tell rows that they were grown of far better than new ones."""
    batch = stream(loss, 1800)
    learner = Learner(LearnOptions(method="committee", members=members, loss=loss)) if members else learner_of(loss)
    for again in (False, True, True, False):
        learner.next_pass(again)
        raw = learner.partial_fit(rows_of(batch, slice(0, 900) if learner.examples < 2700 else slice(900, 1800))).raw
        own = learner.state.members[1] if members else learner.state
        assert own.now["forgotten"][0] == own.drift.count[1] == 0
    y = batch.y[900:]
    assert np.mean(raw * y <= 0) < 0.2 if loss == "logistic" else np.mean((raw - y) ** 2) < 0.5 * np.var(y)


def test_of_further_passes_trees_at_rest_are_chosen_by_rows_of_one():
    """Labels that no column tells: trees that have learned a row in another pass would tell it."""
    batch, learner = stream("squared", 400), learner_of("squared")
    batch = batch._replace(y=np.random.default_rng(0).normal(size=batch.n))
    passes = [(False, 0, 120, 120), (False, 120, 300, 300), (True, 120, 300, 0), (True, 120, 300, 180)]
    for again, start, stop, differ in [*passes, (True, 120, 210, 180), (False, 300, 350, 230), (False, 350, 400, 280)]:
        learner.next_pass(again)
        learner.partial_fit(batch.part(start, stop))
        rested = learner.engine.at_rest(learner.state)
        assert len(rested.scores) == differ // 3
        assert not differ or np.mean(rested.scores**2) > 0.7


def test_members_that_learn_in_no_further_pass_have_rows_that_differ_in_the_first():
    batch = stream("squared", 400)
    learner = Learner(method="committee", members=("nag", "boost:columns", "boost:stacked"), loss="squared")
    for again, start, stop in ((False, 0, 300), (True, 0, 300), (True, 0, 300), (False, 300, 400)):
        learner.next_pass(again)
        learner.partial_fit(batch.part(start, stop))
    rested = learner.engine.at_rest(learner.state).members
    assert [len(own.scores) for own in rested[1:]] == [400 // 3] * 2


@for_all("loss", LOSSES)
def test_a_merge_forgets_what_came_before_a_change(loss):
    """Of a learner of partitions that has met one, and of the base."""
    batch, base = changing(loss), learner_of(loss)
    base.partial_fit(batch.part(0, 1000))
    parts = [base.copy(), base.copy()]
    parts[0].partial_fit(batch.part(1000, 1400))
    parts[1].partial_fit(batch.part(1400, 1500))
    since = int(parts[0].state.now["forgotten"][0])
    merged = Learner.merge(parts, base)
    assert since > 1000
    assert merged.state.now["rows"][0] - merged.state.now["forgotten"][0] == 1500 - since
    assert np.corrcoef(merged.predict(batch.part(1400, 1500)).raw, batch.y[1400:])[0, 1] > 0.7


def test_the_buffer_is_bounded_and_forgets():
    """Where y = x becomes y = -x, trees of the last rows know nothing of the first."""
    rng = np.random.default_rng(4)
    X = rng.uniform(1.0, 2.0, size=(130_000, 1))
    y = np.where(np.arange(len(X)) < 20_000, 1.0, -1.0) * (X[:, 0] - 1.5)
    learner = learner_of("squared")
    got = learner.partial_fit(batch_of_dense(X, y)).raw
    assert len(state_of(learner)[1]["state.labels"]) == MAX_ROWS + SPARE_ROWS
    assert np.mean((got[12_000:20_000] - y[12_000:20_000]) ** 2) < 0.002
    late = slice(20_000 + MAX_ROWS + MAX_ROWS // 2, None)
    assert np.mean((got[late] - y[late]) ** 2) < 0.002


@for_all("options", [{"method": "boost"}, {"oaa": 9, "members": ("boost:columns",)}])
def test_there_is_room_for_a_refit_of_all_rows_that_may_come_one_by_one(options):
    """Arrays grow by doubling: there may be room for more rows and classes than were asked for."""
    n, rng = 1300, np.random.default_rng(0)
    X = rng.normal(size=(n, 40)) * (np.arange(40) <= np.arange(n)[:, None] // 25)
    shown = 1 + rng.integers(0, 1 + np.minimum(np.arange(n) // 100, 8))
    learner = Learner(LearnOptions(**options))
    batch = batch_of_dense(X, shown.astype(float) if "oaa" in options else np.where(shown > 1, 1.0, -1.0))
    for i in range(n):
        learner.partial_fit(rows_of(batch, slice(i, i + 1)))
        state = learner.state.members[0] if "oaa" in options else learner.state
        width = int(state.now["width"][0])
        rows = min(len(state.labels), len(state.values) // max(width, 1))
        assert len(state.column_codes) >= rows * width
        assert len(state.scores) >= rows * len(state.base_scores)


@pytest.mark.interpreted
@pytest.mark.parametrize(("columns", "classes"), [(1, 2), (130, 17), (300, 64), (2000, 256)])
def test_rows_that_come_during_a_refit_overwrite_none_of_its_own(columns, classes, monkeypatch):
    """There are slots for as many as it has steps, of which some are made after each."""
    for work in ("code_columns", "set_base_scores", "grow_tree", "fill_leaves", "add_leaves", "find_leaves"):
        monkeypatch.setattr(rounds, work, lambda *_: None)
    advance, engine, rows = getattr(rounds.advance_refit, "py_func", rounds.advance_refit), BoostOfClasses(), 0
    scratch, room = engine._scratch(0, 1), {"leaf_ids": np.zeros((80, 0)), "base_scores": np.zeros((256, 2))}
    state = engine.new()._replace(**room)
    state.now["rows"], state.now["seen"], state.now["classes"] = MAX_ROWS, columns, classes
    while rows == 0 or state.now["step"][0] > 0:
        advance(engine._params, state, scratch, rounds.MAX_READS_PER_ROW)
        rows += 1
    assert rows - 1 <= SPARE_ROWS


def test_with_many_columns_fewer_rows_are_kept():
    """The same however the stream is cut, and resumed in the middle of what the new columns change."""
    n = 35_000
    which = np.where(np.arange(n) < 34_000, np.arange(n) % 2, np.arange(n) % 700)
    X = sp.csr_array((np.random.default_rng(6).uniform(1.0, 2.0, size=n), which, np.arange(n + 1)), shape=(n, 700))
    batch = from_scipy(X, X.data + which % 2)
    whole, cut = learner_of("squared"), learner_of("squared")
    raw = whole.partial_fit(batch).raw
    parts, cut = in_parts(cut, batch, (0, 20_000, 33_900, 34_110, 34_240, n))
    np.testing.assert_array_equal(np.concatenate([part.raw for part in parts]), raw)
    same_state(whole, cut)
    assert len(state_of(whole)[1]["state.labels"]) == MAX_ROWS_WIDE + SPARE_ROWS
    assert np.mean((raw[20_000:34_000] - batch.y[20_000:34_000]) ** 2) < 0.01


def test_with_many_classes_fewer_rows_are_kept():
    """The same however the stream is cut: from row 40,000 on there are 200 classes."""
    n, K, engine, states = 56_000, 200, BoostOfClasses(2), []
    x = np.random.default_rng(7).uniform(size=n)
    y = np.floor(np.where(np.arange(n) < 40_000, 20, K) * x)
    for cuts in ((), (20_000, 39_990, 40_300, 52_050)):
        state, scores = engine.new(), np.full((n, K), np.nan)
        for start, stop in itertools.pairwise((0, *cuts, n)):
            m, some = stop - start, slice(start, stop)
            first = np.arange(m + 1), np.zeros(m, np.int64)
            rows = Rows(*first, 1.0 + x[some], y[some], np.ones(m), np.zeros(m), np.zeros((m, 2)))
            state = engine.packed(engine.learn_all(state, rows, Predictions.of_scores(scores[some]), 1))
        states.append((*state[:4], *state.trees, scores))
    for whole, cut in zip(*states, strict=True):
        np.testing.assert_array_equal(whole, cut)
    assert len(state.labels) == 2**23 // K + SPARE_ROWS
    assert state.now["refit_classes"] == K
    assert np.mean(abs(scores[-2000:].argmax(axis=1) - y[-2000:]) < 20) > 0.5


def test_trees_of_classes_draw_many_columns_as_by_the_twin():
    n, d, K = 260, 90, 3
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, d)).round(2)
    y = (X[:, :2] @ rng.normal(size=(2, K)) + 0.2 * rng.normal(size=(n, K))).argmax(axis=1) + 0.0
    engine, scores = BoostOfClasses(4), np.full((n, K), np.nan)
    rows = Rows(
        np.arange(0, n * d + 1, d), np.tile(np.arange(d), n), X.ravel(), y, np.ones(n), np.zeros(n), np.zeros((n, 2))
    )
    state, twin = engine.learn_all(engine.new(), rows, Predictions.of_scores(scores), d), ClassTrees(d, 4)
    np.testing.assert_allclose(scores, run(twin, X, y, np.ones(n), K), rtol=1e-6, atol=1e-6)
    errors, rested = twin.boost.rest(), engine.at_rest(state)
    np.testing.assert_allclose(rested.scores, errors, rtol=1e-6, atol=1e-6)
    assert len(errors) == n // 3
    engine.predict_all(rested, rows, Predictions.of_scores(scores))
    np.testing.assert_allclose(scores, [twin.scores(x) for x in X], rtol=1e-6, atol=1e-6)


def test_of_many_classes_a_tree_takes_three_rows_as_by_the_twin():
    """In a refit of 5,258 rows of 220 classes, cut after each part."""
    n, d, K = 5800, 2, 220
    rng = np.random.default_rng(11)
    y = np.arange(n) % K + 0.0
    X = 1.0 + (y[:, None] + rng.random((n, d))) / K
    twin, engine, parts = ClassTrees(d, 3), BoostOfClasses(3), set()
    state, scores = engine.new(), np.full((n, K), np.nan)
    for start, stop in itertools.pairwise((0, *range(5755, 5775), n)):
        m, some = stop - start, slice(start, stop)
        first = np.arange(0, d * m + 1, d), np.tile(np.arange(d), m)
        rows = Rows(*first, X[some].ravel(), y[some], np.ones(m), np.zeros(m), np.zeros((m, 2)))
        state = engine.packed(engine.learn_all(state, rows, Predictions.of_scores(scores[some]), d))
        parts.add((int(state.now["step"][0]), int(state.now["part"][0])))
    np.testing.assert_allclose(scores, run(twin, X, y, np.ones(n), K), rtol=1e-6, atol=1e-6)
    assert parts == {(0, 0), *itertools.product((3, 4, 5), (0, 1, 2))} - {(3, 0)}


@for_all("loss, edges", [(loss, edges) for loss in LOSSES for edges in ((0, 50, 130, 300), (60, 130, 180, 300))])
def test_a_merge_is_a_refit_over_all_rows(loss, edges):
    batch, base, one = stream(loss), learner_of(loss), learner_of(loss)
    base.partial_fit(batch.part(0, edges[0]))
    one.partial_fit(batch)
    parts = [base.copy() for _ in edges[1:]]
    for part, (a, b) in zip(parts, itertools.pairwise(edges), strict=True):
        part.partial_fit(batch.part(a, b))
    merged, refitted = Learner.merge(parts, base), Learner.merge([one])
    np.testing.assert_array_equal(merged.predict(batch).raw, refitted.predict(batch).raw)
    assert merged.examples == 300


def test_a_merge_of_full_buffers_keeps_a_share_of_each():
    X = np.random.default_rng(5).uniform(1.0, 2.0, size=(120_000, 1))
    parts = [learner_of("squared") for _ in range(2)]
    parts[0].partial_fit(batch_of_dense(X[:40_000], np.full(40_000, 1.0)))
    parts[1].partial_fit(batch_of_dense(X[40_000:], np.full(80_000, 4.0)))
    merged = Learner.merge(parts)
    kept = merged.state.labels[np.arange(120_000 - MAX_ROWS, 120_000) % (MAX_ROWS + SPARE_ROWS), 0]
    assert np.count_nonzero(kept == 1.0) == MAX_ROWS // 3
    assert np.mean(merged.predict(batch_of_dense(X, np.full(120_000, np.nan))).raw) == pytest.approx(3.0, abs=0.01)
