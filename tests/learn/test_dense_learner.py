"""The dense twin meets its definitions, so that it can serve as a reference for the engine.

What the program says of losses, ranks and sketches is the twin's (`test_newton`); what frequent directions and Oja's
rule promise is asked of the program: tests/sketch, `test_learner_checks`.
"""

import numpy as np
import pytest
from dense_learner import IN_RANGE, projected, pseudo_inverse
from streams import batch_of
from twins import run_twin

from sonlearn import LearnOptions


def rows(n, d, seed=0):
    """Gaussian rows whose columns have very different scales."""
    return np.random.default_rng(seed).normal(size=(n, d)) * np.exp(np.linspace(0, -4, d))


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


# ---------------------------------------------------------------------------------------------------- the learner


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
