"""`leading_eigenpairs` is LAPACK's decomposition of all sorts of matrices."""

import numpy as np
import pytest

from sonlearn.learn.eigenpairs import leading_eigenpairs, room_for


def matrices(r):
    """Positive semidefinite matrices of r rows, by what is special about them."""
    rng = np.random.default_rng(r)
    full = rng.normal(size=(r, 2 * r))
    few = rng.normal(size=(3, 5))[rng.integers(0, 3, r)] * rng.choice([-1.0, 1.0, 2.0], r)[:, None]
    kept = np.diag(np.where(np.arange(r) < r // 3, 10.0 / (1.0 + np.arange(r)), 0.0))
    return {
        "any": full @ full.T,
        "three rows again and again": few @ few.T,
        "one row again and again": np.outer(few[:, 0], few[:, 0]),
        "identity": np.eye(r),
        "diagonal": np.diag(2.0 ** -np.arange(r)),
        "zero": np.zeros((r, r)),
        "kept rows and raw ones": kept + 1e-3 * full @ full.T,
        "far from each other": np.outer(10.0 ** -np.arange(r), 10.0 ** -np.arange(r)) * (full @ full.T),
        "large": 1e150 * (full @ full.T),
        "small": 1e-150 * (few @ few.T),
    }


@pytest.mark.interpreted
@pytest.mark.parametrize("r", [1, 2, 3, 8, 14])
def test_leading_eigenpairs(r):
    for what, T in matrices(r).items():
        agree(T, r, min(r, 5), what)


def test_leading_eigenpairs_of_larger_matrices():
    for r, most in ((29, 10), (59, 20), (64, 64), (149, 50)):
        for what, T in matrices(r).items():
            agree(T, r, most, what)


def agree(T, r, most, what):
    """Eigenvalues are LAPACK's, vectors are orthonormal and belong to them; what is beyond r rows is not read."""
    around = np.full((r + 2, r + 1), np.nan)
    around[:r, :r] = T
    pairs = room_for(r + 1, most)
    for array in pairs:
        array[:] = 7.0  # as after another matrix
    leading_eigenpairs(around, r, most, pairs)
    lam, U = pairs.lam, pairs.U[:r, :most]
    wanted = np.linalg.eigvalsh(T)[::-1]
    rounding = 1e-14 * r * max(wanted[0], 0.0)
    np.testing.assert_allclose(lam, wanted[:most], rtol=0, atol=rounding, err_msg=what)
    np.testing.assert_allclose(T @ U, U * lam, rtol=0, atol=rounding, err_msg=what)
    np.testing.assert_allclose(U.T @ U, np.eye(most), rtol=0, atol=1e-14 * r, err_msg=what)
