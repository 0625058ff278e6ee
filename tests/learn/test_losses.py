"""Losses and their derivatives; every entry of `LOSSES` is tested."""

import math

import numpy as np
import pytest
from dense_learner import loss_slope as twin_slope
from dense_learner import loss_value as twin_value
from first_order_twin import followed
from for_all import for_all
from streams import batch_of

from sonlearn import InputError, Learner, LearnOptions
from sonlearn.jit import jit
from sonlearn.learn.losses import invariant_change, loss_of, loss_slope, loss_value
from sonlearn.options.losses import CLASSIFICATION, LOSSES
from sonlearn.report.progress import LabelStatistics

pytestmark = pytest.mark.interpreted


def options_of(loss, **more):
    """The loss with a parameter that is not its default, if it has one."""
    own = {"quantile": {"quantile_tau": 0.3}, "huber": {"huber_k": 0.7}}.get(loss, {})
    return LearnOptions(method="nag", loss=loss, **own, **more)


OPTIONS = {loss: options_of(loss) for loss in LOSSES}
LABELS = {loss: (-1.0, 1.0) if loss in CLASSIFICATION else (0.0, 0.5, 3.0) for loss in LOSSES}
each = for_all("loss", LOSSES)


@jit(allocates=True)
def heads(loss, p, y, value, slope):
    for i in range(len(p)):
        value[i] = loss_value(loss, p[i], y[i])
        slope[i] = loss_slope(loss, p[i], y[i])


@jit(allocates=True)
def travels(loss, p, y, T, out):
    for i in range(len(p)):
        out[i] = invariant_change(loss, p[i], y[i], T[i])


def head(loss, p, y):
    """(values, slopes) of the kernels' loss."""
    p, y = (np.array(a, dtype=float) for a in np.broadcast_arrays(p, y))
    value, slope = np.empty(len(p)), np.empty(len(p))
    heads(loss_of(OPTIONS[loss]), p, y, value, slope)
    return value, slope


def gone(loss, p, y, T):
    """How far the kernels' prediction goes."""
    p, y, T = (np.array(a, dtype=float) for a in np.broadcast_arrays(p, y, T))
    out = np.empty(len(p))
    travels(loss_of(OPTIONS[loss]), p, y, T, out)
    return out


@each
def test_slopes_are_those_of_the_values(loss):
    p = np.random.default_rng(0).uniform(-4, 4, 200)
    for y in LABELS[loss]:
        h = 1e-6
        numeric = (head(loss, p + h, y)[0] - head(loss, p - h, y)[0]) / (2 * h)
        np.testing.assert_allclose(head(loss, p, y)[1], numeric, rtol=1e-5, atol=1e-7)


@each
def test_values_and_slopes_are_the_twins(loss):
    p = np.concatenate([np.random.default_rng(1).uniform(-6, 6, 100), [-1.0, 0.0, 1.0, 3.0, -500.0, 500.0]])
    for y in LABELS[loss]:
        value, slope = head(loss, p, y)
        np.testing.assert_allclose(value, [twin_value(loss, a, y, OPTIONS[loss]) for a in p], rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(slope, [twin_slope(loss, a, y, OPTIONS[loss]) for a in p], rtol=1e-13, atol=1e-300)


@each
@for_all("clip", [0.5, 1.0, 2.0])
def test_the_automatic_sigma_is_a_curvature(loss, clip):
    """[SON] Assumption 2: l(q) >= l(p) + l'(p)(q - p) + sigma/2 (l'(p)(q - p))^2 for p, q, y in [-C, C]."""
    sigma = LearnOptions(method="fd-son", loss=loss, clip=clip).resolved_sigma
    grid = np.linspace(-clip, clip, 41)
    p, q = (part.ravel() for part in np.meshgrid(grid, grid))
    least = math.inf
    for y in LABELS[loss] if loss in CLASSIFICATION else grid[grid >= 0] if loss == "poisson" else grid:
        value, slope = head(loss, p, y)
        moved = slope * (q - p)
        rest = head(loss, q, y)[0] - value - moved
        assert (rest >= sigma / 2 * moved**2 - 1e-12).all()
        on = np.abs(moved) > 1e-6
        least = min(least, np.min(2 * rest[on] / moved[on] ** 2))
    if loss == "squared":
        assert sigma == pytest.approx(least, rel=1e-9), "no larger one would do"


# ---------------------------------------------------------------------------------------------------- followed steps


def by_small_steps(loss, p, y, T, steps=4_000):
    """dp/ds = -l'(p) by Euler's method."""
    for _ in range(steps):
        p -= T / steps * twin_slope(loss, p, y, OPTIONS[loss])
    return p


@each
def test_a_followed_step_is_many_small_ones(loss):
    for y in LABELS[loss]:
        for p, T in ((-1.5, 0.4), (0.3, 0.05), (0.9, 1.5), (2.5, 2.0)):
            assert p + gone(loss, [p], y, T)[0] == pytest.approx(by_small_steps(loss, p, y, T), abs=2e-3)


@each
def test_a_followed_step_is_the_twins(loss):
    rng = np.random.default_rng(2)
    p, T = rng.uniform(-5, 5, 300), 10 ** rng.uniform(-3, 2, 300)
    for y in LABELS[loss]:
        expected = [followed(OPTIONS[loss], a, y, b) for a, b in zip(p, T, strict=True)]
        np.testing.assert_allclose(p + gone(loss, p, y, T), expected, rtol=1e-11, atol=1e-11)


@each
def test_a_followed_step_is_finite_and_goes_down(loss):
    """However far from the label and however long."""
    sizes = np.array([1e-300, 1e-30, 1e-3, 1.0, 30.0, 200.0])
    far = [] if loss == "poisson" else [1e50 * sizes]
    p = np.concatenate([*(-each for each in far), -sizes, [0.0], sizes, *far])
    for T in (1e-300, 1e-100, 1e-5, 1.0, 1e5, 1e100, 1e200):
        for y in LABELS[loss]:
            change, (value, slope) = gone(loss, p, y, T), head(loss, p, y)
            assert np.isfinite(change).all()
            assert (change * slope <= 0).all()
            plain = np.abs(slope) * T * (1 + 1e-12) + 1e-300 * (1 + T)
            assert (np.abs(change) <= plain).all(), "no longer than the plain step"
            assert (head(loss, p + change, y)[0] <= value * (1 + 1e-12) + 1e-12).all()


# ---------------------------------------------------------------------------------------------------- labels, constants


def test_counts_are_not_negative():
    batch = batch_of([{1: 1.0}] * 4, [0.0, 2.5, -1.0, 3.0])
    learner = Learner(LearnOptions(method="nag", loss="poisson"))
    told = "<memory>:3: found label -1, expected a label of at least 0 for --loss poisson"
    with pytest.raises(InputError, match=told):
        learner.partial_fit(batch)
    assert learner.examples == 2
    predicted = learner.predict(batch)
    assert (predicted.label[2], np.isnan(predicted.loss).tolist()) == (-np.inf, [False, False, True, False])


@each
@for_all("seed", [0, 1, 2])
def test_best_constants_are_best(loss, seed):
    """What the summary calls the best constant, by brute force; None is an honest answer."""
    rng = np.random.default_rng(seed)
    y = LABELS[loss][:2] if seed else [-1.0, 1.0] if loss in CLASSIFICATION else [0.0, 2.0, 5.0]
    y = rng.choice(y, 40)
    h = rng.choice([0.5, 1.0, 2.0], 40)
    labels = LabelStatistics()
    labels.add(y, h)
    best = labels.best_constant(loss)
    if best is None:
        assert loss in ("quantile", "huber") or (loss == "absolute" and seed == 0)
        return
    grid = np.append(np.linspace(-3, 3, 1201), best[0])
    average = [h @ head(loss, c, y)[0] / h.sum() for c in grid]
    assert average[-1] == pytest.approx(best[1], rel=1e-12)
    assert average[-1] <= min(average) + 1e-12


def test_no_counts_have_no_best_constant():
    labels = LabelStatistics()
    labels.add(np.zeros(3), np.ones(3))
    assert labels.best_constant("poisson") is None
