"""The combiner against its definition with explicit matrices."""

import numpy as np
import pytest

from sonlearn.learn.combine.combiner import (
    FLOOR,
    KEEP,
    LIMIT,
    PERIOD,
    PRECISION,
    Combiner,
    combine,
    forget,
    new_combiner,
)
from sonlearn.learn.losses import CODE
from sonlearn.members import Member

pytestmark = pytest.mark.interpreted


def dense(loss, w, V, y, weight):
    """A <- A + h c v v', w <- w - h l' A^-1 v, and every PERIOD rows A fades: predictions, w and A."""
    A, w, out, rows = PRECISION * np.eye(len(w)), w.copy(), [], 0
    for v, label, h in zip(V, y, weight, strict=True):
        z = w @ v
        if loss == "logistic":
            z = np.clip(z, -LIMIT, LIMIT)
        out.append(z)
        if np.isnan(label) or h == 0:
            continue
        p = 1 / (1 + np.exp(-z))
        c, slope = (max(p * (1 - p), FLOOR), p - (label > 0)) if loss == "logistic" else (2.0, 2 * (z - label))
        A = A + h * c * np.outer(v, v)
        w = w - h * slope * np.linalg.solve(A, v)
        rows += 1
        if rows % PERIOD == 0:
            A = KEEP * A + (1 - KEEP) * PRECISION * np.eye(len(w))
    return np.array(out), w, A


def stream(loss, n=300, k=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice([-1.0, 1.0], n) if loss == "logistic" else rng.normal(size=n)
    V = np.clip(y[:, None] * rng.normal(1, 2, size=(n, k)) + rng.normal(size=(n, k)), -6, 6)
    weight = rng.choice([0.0, 0.5, 1.0, 3.0], n)
    y[rng.random(n) < 0.1] = np.nan
    return V, y, weight


def start(k):
    return new_combiner(Member("gd", "raw", weight=0.4 if i == 0 else 0.12) for i in range(k))


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_equals_the_definition(loss):
    V, y, weight = stream(loss)
    combiner, out = start(4), np.zeros(len(y))
    combine(CODE[loss], combiner, V, y, weight, True, np.zeros((6, 4)), out)
    wanted, w, A = dense(loss, start(4).w, V, y, weight)
    np.testing.assert_allclose(out, wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(combiner.w, w, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(combiner.LT.T @ combiner.LT, A, rtol=1e-9, atol=1e-9)


def test_without_learning_nothing_changes():
    V, y, weight = stream("logistic")
    combiner, out = start(4), np.zeros(len(y))
    before = Combiner(*(part.copy() for part in combiner))
    combine(CODE["logistic"], combiner, V, y, weight, False, np.zeros((6, 4)), out)
    for part, old in zip(combiner, before, strict=True):
        np.testing.assert_array_equal(part, old)
    np.testing.assert_allclose(out, V @ before.w)


def test_members_that_are_forgotten_leave_the_others_as_if_alone_from_then_on():
    V, y, weight = stream("logistic")
    combiner, out, scratch = start(4), np.zeros(len(y)), np.zeros((6, 4))
    combine(CODE["logistic"], combiner, V, y, weight, True, scratch, out)
    left = forget(combiner, [1, 3])
    assert (left.w[[1, 3]] == 0).all()
    A = combiner.LT.T @ combiner.LT
    np.testing.assert_allclose((left.LT.T @ left.LT)[np.ix_([0, 2], [0, 2])], A[np.ix_([0, 2], [0, 2])], rtol=1e-12)
    silent = V.copy()
    silent[:, [1, 3]] = 0.0
    combine(CODE["logistic"], left, silent, y, weight, True, scratch, out)
    assert (left.w[[1, 3]] == 0).all()


def test_a_long_stream_of_sure_rows_stays_finite():
    V = np.full((20_000, 3), 6.0) * np.array([1.0, 1.0, -1.0])
    y = np.where(np.arange(20_000) % 1000 == 999, -1.0, 1.0)
    combiner, out = start(3), np.zeros(len(y))
    combine(CODE["logistic"], combiner, V, y, np.ones(len(y)), True, np.zeros((5, 3)), out)
    assert np.isfinite(out).all()
    assert np.isfinite(combiner.w).all()
    assert np.isfinite(combiner.LT).all()
