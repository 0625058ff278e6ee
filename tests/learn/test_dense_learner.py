"""The dense twin's projection meets its definition, so that it can serve as a reference for the engine.

All else that the program says is the twin's (`test_newton`); what frequent directions and Oja's rule promise is asked
of the program: tests/sketch, `test_learner_checks`.
"""

import numpy as np
import pytest
from dense_learner import IN_RANGE, projected, pseudo_inverse


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
