"""drfd for dense rows against the dense twin, and reliability.

Tolerance 1e-9 as in test_drfd, on predictions relative to max(1, |value|), on weights and the matrix to the largest.
"""

import numpy as np
import pytest
from drfd_twin import off, options_of
from for_all import for_all
from streams import batch_of, rows_of, special_streams
from twins import run_twin

from sonlearn.learn.diagonal_fd.dense import DenseDiagonalFD
from sonlearn.learn.engine import Predictions, make_engine
from sonlearn.views.index import intern, new_index

LOSSES = ("hinge", "squared", "logistic")


def fed(engine, batches):
    """(state, predictions) of an engine over batches of one stream; numbers of features in their order of sight."""
    state, index, out = engine.new(), new_index(), []
    for batch in batches:
        rows, index = intern(batch, index)
        predictions = Predictions.empty(batch.n)
        state = engine.reserve(state, rows, int(index.size[0]))
        state, at = engine.learn(state, rows, predictions, 0)
        assert at == batch.n
        out.append(predictions.raw[:, 0])
    return state, np.concatenate(out), index.ids[: int(index.size[0])]


def dense(n=200, d=9, seed=0):
    """Rows of correlated numbers, one column of which is always 0 until row 120."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) / d
    X[:120, 3] = 0.0
    from sonlearn import from_scipy

    return from_scipy(X, np.sign(X[:, 0] + 0.3 * rng.normal(size=n)))


STREAMS = special_streams(40) | {"dense": dense(), "wide": dense(d=71)}


@pytest.mark.parametrize("m", [0, 1, 2, 5, 10])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("stream", STREAMS)
def test_predictions_weights_and_matrix_are_the_twins(stream, loss, m):
    batch, options = STREAMS[stream], options_of(loss, m, arow_r=0.3)
    twin, wanted = run_twin(options, batch)
    engine = DenseDiagonalFD(options)
    state, got, ids = fed(engine, [batch])
    assert np.abs((got - wanted.prediction) / np.maximum(1, np.abs(wanted.prediction))).max() <= 1e-9
    place, d = np.searchsorted(np.unique(batch.indices), ids), len(ids)
    assert off(engine.weights(state, d), twin.w[place]) <= 1e-9
    own = engine._whole(state)
    A = np.diag(1.0 + own.extra[:d]) + own.B[:, :d].T @ own.B[:, :d]
    assert off(A, twin.matrix[np.ix_(place, place)]) <= 1e-9
    if loss == "squared" and m > 1:
        assert twin.shrinks > 5
        assert len(twin.B) - len(twin.added) == state.now["k"][0]


SHORT = [*((loss, {}, 60) for loss in LOSSES), ("squared", {"decay": 0.02}, 120)]


@pytest.mark.interpreted
@for_all("loss, more, n", SHORT)
def test_a_short_stream_and_forgetting(loss, more, n):
    batch, options = rows_of(dense(), slice(0, n)), options_of(loss, 3, **more)
    wanted = run_twin(options, batch)[1].prediction
    assert np.abs(fed(DenseDiagonalFD(options), [batch])[1] - wanted).max() <= 1e-9


@pytest.mark.interpreted
def test_features_that_come_later():
    """Row i has the first i // 2 features: arrays grow on the way, by doubling."""
    rng = np.random.default_rng(0)
    rows = [dict(enumerate(rng.normal(size=5 + i // 2).tolist())) for i in range(300)]
    batch, options = batch_of(rows, rng.choice([-1.0, 1.0], 300)), options_of("squared", 3)
    wanted = run_twin(options, batch)[1].prediction
    got = fed(DenseDiagonalFD(options), [rows_of(batch, slice(a, a + 20)) for a in range(0, 300, 20)])[1]
    assert np.abs(got - wanted).max() <= 1e-9
    np.testing.assert_array_equal(got, fed(DenseDiagonalFD(options), [batch])[1])


def test_what_is_predicted_changes_nothing_and_is_what_learning_says():
    batch, options = STREAMS["dense"], options_of("squared", 4)
    engine = DenseDiagonalFD(options)
    state, _, _ = fed(engine, [rows_of(batch, slice(0, 150))])
    rows, _ = intern(rows_of(batch, slice(0, 150)), new_index())
    before, predictions, learned = [each.copy() for each in state], Predictions.empty(150), Predictions.empty(150)
    assert engine.predict(state, rows, predictions) == 150
    silent = rows._replace(weight=np.zeros(150))
    engine.learn(state, silent, learned, 0)
    np.testing.assert_allclose(predictions.raw, learned.raw, rtol=0, atol=1e-12)
    for old, new in zip(before, state, strict=True):
        np.testing.assert_array_equal(old, new)


def test_a_row_that_would_diverge_changes_nothing():
    batch = STREAMS["dense"]
    engine = DenseDiagonalFD(options_of("squared", 4))
    state, _, _ = fed(engine, [batch])
    rows, _ = intern(rows_of(batch, slice(0, 1)), new_index())
    before = [each.copy() for each in state]
    for wild in (rows._replace(values=rows.values * 1e120), rows._replace(y=rows.y * 1e308, weight=rows.weight * 1e30)):
        assert engine.learn(state, wild, Predictions.empty(1), 0)[1] == 0
        for old, new in zip(before, state, strict=True):
            np.testing.assert_array_equal(old, new)


def test_what_grows_has_no_rows_at_first():
    engine = make_engine(options_of("hinge", 4), dense=True)
    assert type(engine) is DenseDiagonalFD
    state = engine.new()
    assert [len(part) for part in state[:4]] == [0] * 4
    assert all(len(part) > 0 for part in state[4:])
