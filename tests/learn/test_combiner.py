"""The combiner against its definition with explicit matrices."""

import numpy as np
import pytest

from sonlearn import LearnOptions
from sonlearn.data.rows import NO_ROWS
from sonlearn.learn.ensemble.combiner import (
    FLOOR,
    KEEP,
    LIMIT,
    PERIOD,
    PRIOR_PRECISION,
    Combiner,
    combine,
    combine_some,
    forget,
    new_combiner,
)
from sonlearn.learn.losses import loss_of, spread
from sonlearn.options.members import Member

pytestmark = pytest.mark.interpreted
LOGISTIC_LOSS = loss_of(LearnOptions(method="nag"))


def dense(loss, w, V, y, weight, prior_precision):
    """A <- A + h c v v', w <- w - h l' A^-1 v, and every PERIOD rows A fades: scores, w and A of one learner."""
    A, w, out, rows = prior_precision * np.eye(len(w)), w.copy(), [], 0
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
            A = KEEP * A + (1 - KEEP) * prior_precision * np.eye(len(w))
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
    of_rows = spread(loss_of(LearnOptions(method="nag", loss=loss)), len(y))
    combine(of_rows, combiner, V, y, weight, True, np.zeros((6, 4)), out)
    each = [dense(loss, start(4).w[0], V, y, weight, prior_precision) for prior_precision in PRIOR_PRECISION]
    for e, (_, w, A) in enumerate(each):
        np.testing.assert_allclose(combiner.w[e], w, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(combiner.LT[e].T @ combiner.LT[e], A, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(out, mixture(loss, [z for z, _, _ in each], y, weight), rtol=1e-9, atol=1e-9)


def mixture(loss, scores, y, weight):
    """Probabilities (or scores) averaged with weights exp(-loss so far)."""
    total, out = np.zeros(len(scores)), []
    for z, label, h in zip(np.transpose(scores), y, weight, strict=True):
        share = np.exp(-(total - total.min()))
        share /= share.sum()
        P = share @ (1 / (1 + np.exp(-z)))
        out.append(np.log(P / (1 - P)) if loss == "logistic" else share @ z)
        if not np.isnan(label):
            total += h * (np.log1p(np.exp(-label * z)) if loss == "logistic" else (z - label) ** 2)
    return np.array(out)


def test_without_learning_nothing_changes():
    V, y, weight = stream("logistic")
    combiner, out = start(4), np.zeros(len(y))
    before = Combiner(*(part.copy() for part in combiner))
    combine(spread(LOGISTIC_LOSS, len(y)), combiner, V, y, weight, False, np.zeros((6, 4)), out)
    for part, old in zip(combiner, before, strict=True):
        np.testing.assert_array_equal(part, old)
    np.testing.assert_allclose(out, V @ before.w[0])


def test_members_that_are_forgotten_leave_the_others_as_if_alone_from_then_on():
    V, y, weight = stream("logistic")
    combiner, out, scratch = start(4), np.zeros(len(y)), np.zeros((6, 4))
    combine(spread(LOGISTIC_LOSS, len(y)), combiner, V, y, weight, True, scratch, out)
    left = forget(combiner, [1, 3])
    assert (left.w[:, [1, 3]] == 0).all()
    A, B = combiner.LT[0].T @ combiner.LT[0], left.LT[0].T @ left.LT[0]
    np.testing.assert_allclose(B[np.ix_([0, 2], [0, 2])], A[np.ix_([0, 2], [0, 2])], rtol=1e-12)
    assert (B[np.ix_([0, 2], [1, 3])] == 0).all()
    silent = V.copy()
    silent[:, [1, 3]] = 0.0
    combine(spread(LOGISTIC_LOSS, len(y)), left, silent, y, weight, True, scratch, out)
    assert (left.w[:, [1, 3]] == 0).all()


def test_a_long_stream_of_sure_rows_stays_finite():
    V = np.full((20_000, 3), 6.0) * np.array([1.0, 1.0, -1.0])
    y = np.where(np.arange(20_000) % 1000 == 999, -1.0, 1.0)
    combiner, out = start(3), np.zeros(len(y))
    combine(spread(LOGISTIC_LOSS, len(y)), combiner, V, y, np.ones(len(y)), True, np.zeros((5, 3)), out)
    assert np.isfinite(out).all()
    assert np.isfinite(combiner.w).all()
    assert np.isfinite(combiner.LT).all()


@pytest.mark.parametrize("loss", ["logistic", "squared", "absolute"])
@pytest.mark.parametrize("at", [[0], [1, 4], [0, 2, 3, 4]])
def test_inputs_that_say_nothing_cost_nothing_and_change_no_bit(loss, at):
    """In two parts, for what is scattered back must be gone on from."""
    V, y, weight = stream(loss, k=5)
    silent = [i for i in range(5) if i not in at]
    V[:, silent] = 0.0
    of_rows = spread(loss_of(LearnOptions(method="nag", loss=loss)), len(y))
    whole, some = (forget(start(5), silent) for _ in range(2))
    wanted, got = np.zeros((2, len(y)))
    combine(of_rows, whole, V, y, weight, True, np.zeros((7, 5)), wanted)
    for part in (slice(0, 130), slice(130, len(y))):
        rows = NO_ROWS._replace(y=y[part], weight=weight[part])
        combine_some(of_rows._replace(par=of_rows.par[part]), some, at, V[part, at], rows, True, got[part])
    np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(some.w, whole.w)
    np.testing.assert_array_equal(some.LT[:, at], whole.LT[:, at])
    np.testing.assert_array_equal(some.LT[:, :, at], whole.LT[:, :, at])
