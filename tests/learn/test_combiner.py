"""The combiner against its definition with explicit matrices."""

import math

import numpy as np
import pytest
from importance_twin import Combining

from sonlearn import LearnOptions
from sonlearn.data.rows import NO_ROWS
from sonlearn.jit.sequence import run_calls
from sonlearn.learn.ensemble.combiner import (
    BEFORE,
    MAX_LOG_ODDS,
    MIN_CURVATURE,
    PERIOD,
    PRIOR_PRECISION,
    RETENTION,
    Combiner,
    combine,
    conditioned,
    discount,
    new_combiner,
    reset_inputs,
    value_slope_curvature,
)
from sonlearn.learn.ensemble.label_scale import new_scale
from sonlearn.learn.ensemble.pruning import TWO_RULES, Importance, PruningCase
from sonlearn.learn.ensemble.target import Part, Target
from sonlearn.learn.losses import Loss, loss_of, loss_slope, loss_value
from sonlearn.options.members import Member

pytestmark = pytest.mark.interpreted
LOGISTIC_LOSS = loss_of(LearnOptions(method="nag"))


def of_each_row(loss, n):
    """`loss` with a parameter for each of n rows, as the combiner takes it."""
    return Loss(loss.code, np.full(n, loss.par))


def dense(loss, w, V, y, weight, precision):
    """Scores, w and A of one learner with a matrix that is diag(`precision`), float64[k], at first.

    Squared loss is divided by the mean squared error before, and errors beyond 8 times its root count in proportion.
    """
    twin, out = Combining(w, precision), []
    for v, label, h in zip(V, y, weight, strict=True):
        z = twin.w @ v
        if loss == "logistic":
            z = np.clip(z, -MAX_LOG_ODDS, MAX_LOG_ODDS)
        out.append(z)
        if np.isnan(label) or h == 0:
            continue
        p = 1 / (1 + np.exp(-z))
        c, slope = (max(p * (1 - p), MIN_CURVATURE), p - (label > 0)) if loss == "logistic" else (2.0, 2 * (z - label))
        twin.step(v, slope, c, h, abs(z - label) if loss == "squared" else None)
    return np.array(out), twin.w, twin.A


def stream(loss, n=300, k=4, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    y = rng.choice([-1.0, 1.0], n) if loss == "logistic" else rng.normal(size=n)
    V = np.clip(y[:, None] * rng.normal(1, 2 * noise, size=(n, k)) + noise * rng.normal(size=(n, k)), -6, 6)
    weight = rng.choice([0.0, 0.5, 1.0, 3.0], n)
    y[rng.random(n) < 0.1] = np.nan
    return V, y, weight


def start(k, precision=PRIOR_PRECISION):
    members = (Member("gd", "raw", weight=0.4 if i == 0 else 0.12) for i in range(k))
    return new_combiner(members, precision)


@pytest.mark.parametrize(("loss", "noise"), [("logistic", 1.0), ("squared", 1.0), ("squared", 0.2), ("squared", 1e-3)])
def test_equals_the_definition(loss, noise):
    """Of squared loss with mean squared errors above 1, below it, and below the least one that counts; and outliers."""
    V, y, weight = stream(loss, noise=noise)
    if loss == "squared":
        y[150::50] = 40.0
    combiner, out = start(4), np.zeros(len(y))
    of_rows = of_each_row(loss_of(LearnOptions(method="nag", loss=loss)), len(y))
    combine(of_rows, combiner, V, y, weight, True, np.zeros((6, 4)), out)
    each = [dense(loss, start(4).w[0], V, y, weight, np.full(4, precision)) for precision in PRIOR_PRECISION]
    for e, (_, w, A) in enumerate(each):
        np.testing.assert_allclose(combiner.w[e], w, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(combiner.A[e], A, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(combiner.P[e], np.linalg.inv(A), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(out, mixture(loss, [z for z, _, _ in each], y, weight), rtol=1e-9, atol=1e-9)


def test_a_member_has_a_prior_precision_of_its_own():
    V, y, weight = stream("logistic")
    own = [0.0, 50.0, 500.0, 3.0]
    combiner = new_combiner((Member("gd", "raw", precision=one) for one in own), PRIOR_PRECISION)
    out = np.zeros(len(y))
    combine(of_each_row(LOGISTIC_LOSS, len(y)), combiner, V, y, weight, True, np.zeros((6, 4)), out)
    for e, precision in enumerate(PRIOR_PRECISION):
        _, w, A = dense("logistic", np.full(4, 0.1), V, y, weight, np.maximum(precision, own))
        np.testing.assert_allclose(combiner.w[e], w, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(combiner.A[e], A, rtol=1e-9, atol=1e-9)


def test_an_outlier_moves_values_no_more_than_an_error_of_eight_times_the_usual():
    """The same stream with one label out of all proportion, and with the label that counts the same."""
    rng = np.random.default_rng(5)
    V = rng.normal(size=(400, 3))
    y = V @ [0.5, 0.2, 0.3] + 0.1 * rng.normal(size=400)

    def after(label):
        combiner, out = new_combiner((Member("gd", "raw"),) * 3, (20.0,)), np.zeros(400)
        labels = np.where(np.arange(400) == 300, label, y)
        loss = of_each_row(loss_of(LearnOptions(method="nag", loss="squared")), 400)
        combine(loss, combiner, V, labels, np.ones(400), True, np.zeros((5, 3)), out)
        return out, combiner.w[0]

    usual, wild = after(y[300]), after(1e6)
    assert np.abs(wild[0][301:] - usual[0][301:]).max() < 0.1
    np.testing.assert_allclose(wild[1], usual[1], atol=0.02)
    assert np.abs(wild[1] - usual[1]).max() > 1e-6


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


def test_members_that_are_forgotten_leave_the_others_as_if_alone_from_then_on():
    V, y, weight = stream("logistic")
    combiner, out, scratch = start(4), np.zeros(len(y)), np.zeros((6, 4))
    combine(of_each_row(LOGISTIC_LOSS, len(y)), combiner, V, y, weight, True, scratch, out)
    left = reset_inputs(combiner, [1, 3])
    assert (left.w[:, [1, 3]] == 0).all()
    A, B = combiner.A[0], left.A[0]
    np.testing.assert_allclose(B[np.ix_([0, 2], [0, 2])], A[np.ix_([0, 2], [0, 2])], rtol=1e-12)
    assert (B[np.ix_([0, 2], [1, 3])] == 0).all()
    silent = V.copy()
    silent[:, [1, 3]] = 0.0
    combine(of_each_row(LOGISTIC_LOSS, len(y)), left, silent, y, weight, True, scratch, out)
    assert (left.w[:, [1, 3]] == 0).all()


def test_without_some_members_the_others_weights_are_those_of_least_loss():
    """Of squared loss over all rows, that is of least squares with the prior as further rows."""
    V, y, weight = (each[~np.isnan(stream("squared")[1])] for each in stream("squared"))
    prior = np.sqrt(np.array([20.0, 1.0, 5.0, 2.0]) / 2.0)
    A = 2.0 * (V.T @ (weight[:, None] * V) + np.diag(prior**2))
    w = np.linalg.solve(A, 2.0 * V.T @ (weight * y))
    combiner = start(4)._replace(w=w[None], A=A[None], P=np.linalg.inv(A)[None], prior=2.0 * prior[None] ** 2)
    left = conditioned(combiner, [1])
    rest = [0, 2, 3]
    rows = np.vstack([np.sqrt(weight)[:, None] * V[:, rest], np.diag(prior[rest])])
    best, *_ = np.linalg.lstsq(rows, np.append(np.sqrt(weight) * y, np.zeros(3)), rcond=None)
    np.testing.assert_allclose(left.w[0, rest], best, rtol=1e-9)
    assert left.w[0, 1] == 0.0
    assert np.abs(best - w[rest]).max() > 1e-3


def judged(combiner, squared=False):
    """A judge of four members of equal cost."""
    case = PruningCase(TWO_RULES, (Member("gd", "raw"),) * 4, (0, 1, 2, 3), 8, np.zeros((4, 5)), np.ones(4), short=True)
    return Importance(case, combiner, squared)


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_members_are_judged_by_the_curvature_of_the_loss(loss):
    """By the least of (w - w_now)'A (w - w_now) / 2 where members weigh nothing, found with a square root of A."""
    V, y, weight = stream(loss, n=500)
    given, precision = loss_of(LearnOptions(method="nag", loss=loss)), PRIOR_PRECISION[:1]
    combiner = start(4, precision)
    combine(of_each_row(given, len(y)), combiner, V, y, weight, True, np.zeros((6, 4)), np.zeros(len(y)))
    z, w, A = dense(loss, start(4).w[0], V, y, weight, np.full(4, precision[0]))
    h = np.where(np.isnan(y), 0.0, weight)
    rows = np.cumsum(h > 0)
    left_over = RETENTION ** (rows[-1] // PERIOD - (rows - 1) // PERIOD)
    n, y = h @ left_over, np.nan_to_num(y)
    losses = np.log1p(np.exp(-y * z)) if loss == "logistic" else (z - y) ** 2  # none of them of an outlier
    mean = (h * left_over) @ losses / n
    mean /= min(mean, 1.0) if loss == "squared" else 1.0
    root, every = np.linalg.cholesky(A).T, [0, 1, 2, 3]

    def more(left):
        rest = [i for i in every if i in left]
        gone = root @ w
        best = root[:, rest] @ np.linalg.lstsq(root[:, rest], gone, rcond=None)[0] if rest else 0.0
        return ((gone - best) ** 2).sum() / (2 * n)

    importance = judged(combiner, loss == "squared")
    for left, unit in ((every, [1]), (every, [0, 3]), ([0, 2, 3], [2])):
        g = more([i for i in left if i not in unit]) - more(left)
        np.testing.assert_allclose(importance.loss_growth(left, unit), (g - len(unit) / (2 * n)) / mean, rtol=1e-7)


def test_of_squared_loss_the_growth_is_that_of_the_least_loss():
    """Where nothing has faded."""
    rng = np.random.default_rng(4)
    V, y, prior = rng.normal(size=(60, 4)), rng.normal(size=60), 1e-6
    w = np.linalg.solve(V.T @ V, V.T @ y)
    least = ((V @ w - y) ** 2).sum()
    A = 2.0 * V.T @ V + prior * np.eye(4)
    P, recent = np.linalg.inv(A)[None], np.array([[60.0, 60.0]])
    combiner = start(4, (2.0,))._replace(w=w[None], A=A[None], P=P, recent=recent)
    importance = judged(combiner)
    for unit in ([0], [1, 2]):
        rest = [i for i in range(4) if i not in unit]
        without_it = np.linalg.lstsq(V[:, rest], y, rcond=None)[1][0]
        assert importance.loss_growth([0, 1, 2, 3], unit) == pytest.approx(
            (without_it - least - len(unit) / 2) / 60, rel=1e-6
        )
    assert judged(combiner._replace(recent=np.zeros((1, 2)))).loss_growth([0, 1, 2, 3], [1]) == math.inf


@pytest.mark.parametrize("rows", [None, 10**6])
def test_what_was_learned_counts_as_few_rows_after_further_passes(rows):
    """Of a long stream the combiner remembers some 5,000 rows."""
    V, y, weight = stream("logistic")
    combiner = start(4)
    combine(of_each_row(LOGISTIC_LOSS, len(y)), combiner, V, y, weight, True, np.zeros((6, 4)), np.zeros(len(y)))
    combiner.rows[0] = rows or combiner.rows[0]
    before = Combiner(*(part.copy() for part in combiner))
    share = BEFORE / min(combiner.rows[0], PERIOD / (1 - RETENTION))
    discount(combiner)
    for A, P, old, prior in zip(combiner.A, combiner.P, before.A, before.prior, strict=True):
        np.testing.assert_allclose(A - np.diag(prior), share * (old - np.diag(prior)), rtol=1e-9)
        np.testing.assert_allclose(A @ P, np.eye(4), atol=1e-9)
    np.testing.assert_array_equal(combiner.w, before.w)
    np.testing.assert_allclose(combiner.loss, share * before.loss)


def test_a_long_stream_of_sure_rows_stays_finite():
    V = np.full((20_000, 3), 6.0) * np.array([1.0, 1.0, -1.0])
    y = np.where(np.arange(20_000) % 1000 == 999, -1.0, 1.0)
    combiner, out = start(3), np.zeros(len(y))
    combine(of_each_row(LOGISTIC_LOSS, len(y)), combiner, V, y, np.ones(len(y)), True, np.zeros((5, 3)), out)
    assert np.isfinite(out).all()
    assert np.isfinite(combiner.w).all()
    assert np.isfinite(combiner.P).all()


@pytest.mark.parametrize("loss", ["logistic", "squared", "absolute"])
@pytest.mark.parametrize("at", [[0], [1, 4], [0, 2, 3, 4]])
def test_inputs_that_say_nothing_cost_nothing_and_change_no_bit(loss, at):
    """In two parts, for what is scattered back must be gone on from."""
    V, y, weight = stream(loss, k=5)
    silent = [i for i in range(5) if i not in at]
    V[:, silent] = 0.0
    options = LearnOptions(method="nag", loss=loss)
    of_rows, target = of_each_row(loss_of(options), len(y)), Target(options, (Member("gd", "raw"),))
    whole, some = (reset_inputs(start(5), silent) for _ in range(2))
    wanted, got = np.zeros((2, len(y)))
    combine(of_rows, whole, V, y, weight, True, np.zeros((7, 5)), wanted)
    for part in (slice(0, 130), slice(130, len(y))):
        rows = NO_ROWS._replace(y=y[part], weight=weight[part])
        scale = new_scale(rows)._replace(par=of_rows.par[part])
        inputs = np.ascontiguousarray(V[part, at].T)[:, :, None]
        run_calls(target.combine_some(some, at, inputs, Part(rows, scale), True, got[part, None]))
    np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(some.w, whole.w)
    for ours, wanted in ((some.A, whole.A), (some.P, whole.P)):
        np.testing.assert_array_equal(ours[:, at], wanted[:, at])
        np.testing.assert_array_equal(ours[:, :, at], wanted[:, :, at])


def test_value_slope_and_curvature_are_those_of_the_loss():
    y = np.repeat([-1.0, 1.0], 203)
    z = np.tile(np.concatenate([[0.0, -0.0, 1e-300], np.linspace(-MAX_LOG_ODDS, MAX_LOG_ODDS, 200)]), 2)
    for label, score in zip(y, z, strict=True):
        value, slope, c = value_slope_curvature(LOGISTIC_LOSS, score, label)
        assert value == loss_value(LOGISTIC_LOSS, score, label)
        e = math.exp(-abs(score))
        assert (slope, c) == (loss_slope(LOGISTIC_LOSS, score, label), max(e / ((1.0 + e) * (1.0 + e)), MIN_CURVATURE))
