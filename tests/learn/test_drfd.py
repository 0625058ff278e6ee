"""Frequent directions with diagonal compensation: the sparse engine against its dense twin, theory, and reliability.

Tolerance 1e-9 on predictions relative to max(1, |value|), on weights and the matrix relative to the largest.
"""

import numpy as np
import pytest
from dense_learner import by_column, dense_rows
from drfd_twin import LONGEST, DrfdTwin, buffer_rows, off, options_of
from for_all import for_all
from streams import batch_of, rows_of, special_streams, zipf
from twins import run_twin

from sonlearn import Learner
from sonlearn.learn.diagonal_fd.rounds import implicit

LOSSES = ("hinge", "squared", "logistic")
SIZES = (0, 1, 2, 3, 5, 10, 20)
TOLERANCE = 1e-9


def parts_of(learner):
    """(delta float64[d], B float64[k, d]) of A = diag(delta) + B'B, over the features in the order of the learner."""
    own, d = learner.engine._whole(learner.state), len(learner.weights()[0])
    return 1.0 + own.extra[:d], own.B[:, :d]


def matrix_of(learner, batch):
    """A of the engine, as the twin's."""
    delta, B = parts_of(learner)
    B = by_column(learner, batch, B)
    return np.diag(by_column(learner, batch, delta - 1) + 1) + B.T @ B


def agree(options, batch):
    """Run both sides over `batch` and compare all that the engine shows."""
    twin, wanted = run_twin(options, batch)
    learner = Learner(options)
    got = learner.partial_fit(batch)
    for what in ("prediction", "raw", "loss"):
        ours, theirs = getattr(got, what), getattr(wanted, what)
        np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
        assert np.nanmax(np.abs(ours - theirs) / np.maximum(1, np.abs(theirs)), initial=0) <= TOLERANCE, what
    assert off(by_column(learner, batch), twin.w) <= TOLERANCE
    assert off(matrix_of(learner, batch), twin.matrix) <= TOLERANCE
    return twin, learner


# ---------------------------------------------------------------------------------------------------- the twin


@pytest.fixture(scope="module")
def text():
    return zipf(n=500, d=70)


@for_all("m, r", [*((m, 1.0) for m in SIZES), (5, 0.1), (5, 10.0)])
@for_all("loss", LOSSES)
def test_text(text, loss, m, r):
    twin, _ = agree(options_of(loss, m, arow_r=r), text)
    assert twin.shrinks > 10
    assert len(twin.B) - len(twin.added) == max(m - 1, 0)


STREAMS = special_streams(60) | {
    "constant": batch_of([{1: 2.0, 2: -1.0}] * 240, [1.0, 1.0, -1.0] * 80),
    "sparse": zipf(n=600, d=150, s=3),
}


@for_all("m", [2, 5, 10])
@pytest.mark.parametrize("loss", LOSSES)
@for_all("stream", STREAMS)
def test_special_streams(stream, loss, m):
    agree(options_of(loss, m), STREAMS[stream])


@pytest.mark.interpreted
@pytest.mark.parametrize("loss", LOSSES)
def test_a_short_stream(loss):
    twin, _ = agree(options_of(loss, 3), zipf(n=150, d=30, s=4))
    assert twin.shrinks > 3


@for_all("scale", [1e4, 1e6, 1e9])
@for_all("loss", LOSSES)
def test_rows_too_long_count_less(loss, scale):
    """Lengths of 1e4 to 1e9: what is beyond the bound is left out of A, as the twin does, and not lost in rounding."""
    batch, options = zipf(n=150, d=20, s=6), options_of(loss, 3)
    values = batch.values * np.where(batch.indices == 2, scale, 1.0)
    batch = batch._replace(values=values)
    twin, wanted = run_twin(options, batch)
    learner = Learner(options)
    np.testing.assert_allclose(learner.partial_fit(batch).raw, wanted.raw, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(matrix_of(learner, batch).diagonal(), twin.matrix.diagonal(), rtol=1e-4)
    assert learner.eigenvalues()[0] <= 14 * LONGEST


def test_real_labels():
    agree(options_of("squared", 5), zipf(n=900, d=90, kind="real"))


def bisected(margin, gain):
    """u = margin + gain/(1 + exp(u)), by halving what brackets it until nothing is left to halve; float64[n]."""
    low, high = margin, margin + gain
    for _ in range(200):
        u = (low + high) / 2
        above = u - margin > gain * np.exp(-np.logaddexp(0, u))
        low, high = np.where(above, low, u), np.where(above, u, high)
    return (low + high) / 2


@pytest.mark.interpreted
def test_the_implicit_step_of_logistic_loss():
    """Over margins and gains of all sizes, most densely where Newton's steps alone go to and fro for ever."""
    steps = np.linspace(-40, 40, 81), np.geomspace(1e-3, 1e10, 79)
    dense = np.linspace(-16, 0, 65), np.linspace(8, 40, 129)
    far = np.array([-1e8, -1e3, -700.0, 700.0, 1e3, 1e8]), np.array([1e-9, 10.0, 30.0, 1e10])
    for margins, gains in (steps, dense, far):
        margin, gain = (grid.ravel() for grid in np.meshgrid(margins, gains))
        got = np.array([implicit(*pair) for pair in zip(margin.tolist(), gain.tolist(), strict=True)])
        wanted = bisected(margin, gain)
        np.testing.assert_array_less(np.abs(got - wanted), 4e-15 * (np.abs(margin) + np.abs(wanted) + 1e-300))


def test_many_generations():
    """So many that the log is swept several times, between what few rows touch."""
    twin, learner = agree(options_of("squared", 2), zipf(n=1500, d=120, s=2, seed=4))
    assert twin.shrinks > 100
    assert learner.state.now["generation"][0] < twin.shrinks, "the log has been swept"


# ---------------------------------------------------------------------------------------------------- theory


class FullTwin(DrfdTwin):
    """A = I + sum of s^2 x x', nothing left out."""

    def shrink(self):
        self.added, self.shrinks = [], self.shrinks + 1


@for_all("loss", LOSSES)
@for_all("d, m", [(12, 13), (12, 20), (1, 2)])
def test_more_rows_than_features_is_the_full_matrix(loss, d, m):
    batch, options = zipf(n=500, d=d, s=4), options_of(loss, m)
    X, _ = dense_rows(batch)
    full = FullTwin(options, X.shape[1])
    wanted = full.run(X, batch.y, batch.weight)
    got = Learner(options).partial_fit(batch)
    assert full.shrinks > 5
    np.testing.assert_allclose(got.raw, wanted.raw, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("m", [1, 3, 8])
def test_between_identity_and_the_full_matrix(text, m):
    """I <= Delta, and A <= I + sum of s^2 x x' on the diagonal: equal at the features of the last buffer."""
    batch, options = rows_of(text, slice(0, 10 * buffer_rows(m))), options_of("squared", m)
    learner = Learner(options)
    learner.partial_fit(batch)
    assert learner.state.now["raw"][0] == 0, "just after a shrink"
    X, _ = dense_rows(batch)
    A, full = matrix_of(learner, batch), np.eye(X.shape[1]) + X.T @ X
    delta = parts_of(learner)[0]
    assert (delta >= 1).all()
    assert (delta > 1.5).any()
    last = (X[-buffer_rows(m) :] != 0).any(axis=0)
    assert not last.all()
    np.testing.assert_allclose(np.diag(A)[last], np.diag(full)[last], rtol=1e-12)
    assert (np.diag(A) <= np.diag(full) * (1 + 1e-12)).all()
    assert np.trace(A) <= np.trace(full) * (1 + 1e-12)
    assert (np.diag(A)[~last] < np.diag(full)[~last] * (1 - 1e-6)).any() or m == 1, "lazy: it lags behind elsewhere"
