"""The dense twin meets its definitions, so that it can serve as a reference for the engine.

What frequent directions and Oja's rule promise is asked of the program, whose sketches are the twin's (`test_newton`):
tests/sketch, `test_learner_checks`.
"""

import numpy as np
import pytest
from dense_learner import (
    IN_RANGE,
    DenseLearner,
    canonical_label,
    dense_rows,
    loss_slope,
    loss_value,
    projected,
    pseudo_inverse,
    range_basis,
    run_twin,
)
from streams import batch_of, duplicated, low_rank, zipf

from sonlearn import LearnOptions
from sonlearn.options.losses import CLASSIFICATION, LOSSES

PAPER = {"loss": "squared", "clip": 1.0, "diagonal": False}


def rows(n, d, seed=0):
    """Gaussian rows whose columns have very different scales."""
    return np.random.default_rng(seed).normal(size=(n, d)) * np.exp(np.linspace(0, -4, d))


# ---------------------------------------------------------------------------------------------------- losses


def test_losses_at_kinks_and_far_out():
    assert loss_slope("hinge", 1.0, 1.0) == 0
    assert loss_slope("hinge", np.nextafter(1, 0), 1.0) == -1
    assert loss_slope("absolute", 0.25, 0.25) == 0
    assert loss_value("logistic", -1e5, 1.0) == 1e5
    assert loss_slope("logistic", -1e5, 1.0) == -1
    assert loss_value("logistic", 1e5, 1.0) == 0
    assert loss_slope("logistic", 1e5, 1.0) == 0
    assert [canonical_label(loss, 0.0) for loss in LOSSES] == [-1 if loss in CLASSIFICATION else 0 for loss in LOSSES]


# ---------------------------------------------------------------------------------------------------- linear algebra


def test_pseudo_inverse_meets_its_definition():
    S = rows(6, 9)
    S[4], S[5] = 3 * S[1], S[0] - S[2]
    for alpha in (0.0, 0.1):
        A = S.T @ S + alpha * np.eye(9)
        P, outside = pseudo_inverse(S, alpha)
        for left, right in ((A @ P @ A, A), (P @ A @ P, P), (P @ A, (P @ A).T), (np.eye(9) - P @ A, outside)):
            np.testing.assert_allclose(left, right, atol=1e-9 * max(1, np.abs(right).max()))


def test_range_is_decided_for_each_row_by_its_own_length():
    e = np.eye(4)
    S = np.array([e[0], 1e-9 * e[1], e[0] + 1e-12 * e[2], 1e9 * (e[0] + 1e-10 * e[3])])
    assert len(range_basis(S)) == 3, "the third row is new only by 1e-12 of its length"
    assert IN_RANGE == 1e-22


# ---------------------------------------------------------------------------------------------------- sketches


def test_oja_with_room_for_every_direction_stays_within_their_span():
    """V first takes the directions as they come; then A = alpha I + V' diag(L) V never reaches outside the data."""
    batch = low_rank(n=100, rank=3)
    twin, _ = run_twin(LearnOptions(sketch="oja", sketch_size=6, alpha=1.0, **PAPER), batch)
    assert len(twin.sketch.V) == 3
    eigenvalues = np.linalg.eigvalsh(twin.sketch.matrix())
    np.testing.assert_allclose(eigenvalues[:-3], 1.0, atol=1e-9)
    assert eigenvalues[-3] > 1.01
    np.testing.assert_allclose(eigenvalues[:-4:-1] - 1, twin.sketch.eigenvalues(), atol=1e-8)


# ---------------------------------------------------------------------------------------------------- projection


@pytest.mark.parametrize("alpha", [0.3, 0.0])
def test_projection_is_the_nearest_point_in_the_norm_of_a(alpha):
    rng = np.random.default_rng(1)
    S, u = rows(4, 7), 3 * rng.normal(size=7)
    A = S.T @ S + alpha * np.eye(7)
    inverse = pseudo_inverse(S, alpha)
    for x in (rng.normal(size=7), S.T @ rng.normal(size=4)):  # the second one is in the range of S'S
        C = abs(u @ x) / 3
        w = projected(u, x, C, *inverse)
        assert w @ x == pytest.approx(np.sign(u @ x) * C, rel=1e-9)
        distance = (w - u) @ A @ (w - u)
        out = inverse[1] @ x
        if out @ out > IN_RANGE * (x @ x):
            assert distance < 1e-18, "a direction outside the range costs nothing"
        for scale in (1e-3, 0.1, 1.0):
            for _ in range(200):
                other = w + scale * rng.normal(size=7)
                if abs(other @ x) > C:
                    other = other - (other @ x - np.sign(other @ x) * C) / (x @ x) * x
                assert (other - u) @ A @ (other - u) >= distance * (1 - 1e-9)
    x = rng.normal(size=7)
    assert projected(u, x, abs(u @ x) * 1.01, *inverse) is u


@pytest.mark.parametrize("sketch", ["rfd", "fd", "oja", "none"])
def test_every_update_starts_from_projected_weights(sketch):
    """The step of a round must equal A^+ g from a w with |w'x| <= C: checked from outside, with the twin's A."""
    batch = zipf(n=150, d=40, noise=0.3)
    X, ids = dense_rows(batch)
    o = LearnOptions(sketch=sketch, sketch_size=4, alpha=0.02, loss="squared", clip=0.5, diagonal=False)
    twin, clipped = DenseLearner(o, len(ids)), 0
    for x, y in zip(X, batch.y, strict=True):
        prediction, raw, _ = twin.learn(x, y)
        clipped += abs(raw) > 0.5
        w = twin.u + np.linalg.solve(twin.sketch.matrix(), 2 * (prediction - y) * x)
        assert abs(w @ x - np.clip(raw, -0.5, 0.5)) < 1e-9
    assert clipped > 10


# ---------------------------------------------------------------------------------------------------- the learner


def test_full_matrix_is_the_sum_of_its_rows():
    """Absolute loss has |l'| = 1, so that A = alpha I + sigma X'X whatever was predicted."""
    batch = zipf(n=80, d=10, s=4, kind="real")
    o = LearnOptions(sketch="rfd", loss="absolute", alpha=0.7, sigma=0.25, eta=0.0, diagonal=False)
    twin, _ = run_twin(o, batch, full=True)
    X, ids = dense_rows(batch)
    np.testing.assert_allclose(twin.sketch.matrix(), 0.7 * np.eye(len(ids)) + 0.25 * X.T @ X, atol=1e-12)


def test_gradient_descent_by_hand():
    o = LearnOptions(sketch="none", alpha=4.0, loss="squared", diagonal=False)
    batch = batch_of([{1: 1.0, 2: 2.0}, {2: 1.0}, {1: 1.0}], [1.0, 0.0, 2.0], [1.0, 2.0, 1.0])
    twin, result = run_twin(o, batch)
    # u = (2/4)(1, 2) = (.5, 1); p = 1, g = 2*2*1 on x_2: u_2 = 0; p = .5, g = -3: u_1 = .5 + .75
    np.testing.assert_allclose(result.prediction, [0, 1, 0.5])
    np.testing.assert_allclose(result.loss, [1, 1, 2.25])
    np.testing.assert_allclose(twin.weights(), [1.25, 0])


def test_diagonal_by_hand():
    o = LearnOptions(sketch="none", alpha=1.0, loss="squared", diagonal=True)
    twin, result = run_twin(o, batch_of([{1: 2.0}, {1: 1.0}], [1.0, 0.0]))
    # D_1 = .1: xtilde = 2/sqrt(.1), g = -2 xtilde, u = 4/sqrt(.1); D_2 = .1 + (2*2)^2 = 16.1, p = u/sqrt(16.1)
    assert result.prediction[1] == pytest.approx(4 / np.sqrt(0.1 * 16.1))
    p = result.prediction[1]
    u = 4 / np.sqrt(0.1) - 2 * p / np.sqrt(16.1)
    assert twin.weights()[0] == pytest.approx(u / np.sqrt(16.1 + 4 * p * p))


def test_newton_by_hand():
    """One feature, RFD with alpha = 0: each step is 1/(l' sum of squares)."""
    settings = {"loss": "squared", "clip": 10.0, "sigma": 0.5, "eta": 0.0, "diagonal": False}
    o = LearnOptions(sketch="rfd", sketch_size=2, alpha=0.0, **settings)
    _, result = run_twin(o, batch_of([{1: 1.0}, {1: 1.0}, {1: 1.0}], [1.0, 0.0, 0.0]))
    # g = -2, A = .5*4 = 2, u = 1; p = 1, g = 2, A = 4, u = .5
    np.testing.assert_allclose(result.prediction, [0, 1, 0.5])


def test_a_zero_gradient_counts_towards_the_buffer():
    o = LearnOptions(sketch="fd", sketch_size=2, alpha=1.0, **PAPER)
    twin = DenseLearner(o, 2)
    for rows_held in (1, 2, 3, 1):
        twin.learn(np.array([1.0, 0.0]), 0.0)  # predicts 0, wants 0
        assert len(twin.sketch.buffer) == rows_held


def test_duplicated_rows_keep_rank_decisions_exact():
    """Seven distinct rows: rank 7 after however many repetitions, and alpha stays 0 for m > 7."""
    twin, result = run_twin(LearnOptions(sketch="rfd", sketch_size=8, alpha=0.0, **PAPER), duplicated(n=200))
    assert twin.sketch.alpha == 0
    assert len(range_basis(twin.sketch.buffer)) <= 7
    assert np.isfinite(result.raw).all()
