"""Rows whose columns differ in size by twelve orders of magnitude, against arithmetic of more digits.

The references use one-sided Jacobi rotations in long double: they find small singular values to as many digits as large
ones. Losses are absolute and labels far away, so that every slope is -1 and the sketches are of the rows themselves.
"""

import functools

import numpy as np
import pytest
from streams import batch_of_dense

from sonlearn import Learner, LearnOptions

LONG = np.longdouble
pytestmark = [
    pytest.mark.interpreted,
    pytest.mark.skipif(np.finfo(LONG).nmant < 60, reason="long double has no more digits than double here"),
]
D, SIZE = 14, 10
#: A row takes its place in the buffer of 2 SIZE rows, of which a shrink keeps SIZE - 1: the last row shrinks.
ROWS = 2 * SIZE + 3 * (SIZE + 1)
FAR = 1e30
#: alpha, or delta, at the start.
START = 1e-12
_ADA, _SON = (
    {"delta": START, "learning_rate": 1e-9},
    {"alpha": START, "sigma": 1.0, "eta": 0.0, "scale": "none", "thin": 0.0},
)
#: Of a method: how many directions pay for a shrink, what share of the payment is added to alpha, its options.
METHODS = {
    "rfd-son": (SIZE, 0.5, _SON), "fd-son": (SIZE, 0, _SON), "pfd-son": (5, 0, {**_SON, "beta": 0.5}),
    "cfd-son": (SIZE, 0, _SON), "ada-fd": (SIZE, 0, _ADA), "s-adagrad": (SIZE, 1, _ADA),
    "metagrad-fd": (SIZE, 1, {"alpha": START, "learning_rate": 1e-6}),
}  # fmt: skip


def orthogonal_rows(B):
    """U'B for the left singular vectors U of B, largest row first: rows that are orthogonal, of length sigma."""
    B = np.array(B, LONG)
    for _ in range(60):
        worst = LONG(0)
        for i in range(len(B)):
            for j in range(i):
                a, b, c = B[i] @ B[i], B[j] @ B[j], B[i] @ B[j]
                if a == 0 or b == 0 or abs(c) <= LONG(1e-18) * np.sqrt(a * b):
                    continue
                worst = max(worst, abs(c) / np.sqrt(a * b))
                z = (b - a) / (2 * c)
                t = (1 if z >= 0 else -1) / (abs(z) + np.sqrt(1 + z * z))
                cos = 1 / np.sqrt(1 + t * t)
                B[i], B[j] = cos * (B[i] - t * B[j]), cos * (t * B[i] + B[j])
        if worst < 1e-17:
            break
    return B[np.argsort(-np.einsum("ij,ij->i", B, B))]


@functools.cache
def sketched(turned, payers):
    """(what shrinks have shed, squared singular values) of frequent directions with a buffer of 2 SIZE rows."""
    B, held, total = np.zeros((0, D), LONG), 0, LONG(0)
    for x in stream(turned=turned):
        B, held = np.vstack([B, np.array(x, LONG)]), held + 1
        if held == 2 * SIZE:
            B = orthogonal_rows(B)
            squares = np.einsum("ij,ij->i", B, B)
            shed, kept = squares[SIZE - 1], squares[: SIZE - 1].copy()
            kept[SIZE - payers :] -= shed
            B = np.sqrt(kept / squares[: SIZE - 1])[:, None] * B[: SIZE - 1]
            held, total = SIZE - 1, total + shed
    return total, np.einsum("ij,ij->i", B, B)


def stream(seed=0, turned=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, D)) * 10.0 ** np.linspace(-6, 6, D)
    return X @ np.linalg.qr(rng.normal(size=(D, D)))[0] if turned else X


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_shrinks_keep_small_directions(method, turned):
    """The m-th squared singular value is 1e-17 of the first, below the rounding error of a Gram matrix."""
    X = stream(turned=turned)
    payers, gain, own = METHODS[method]
    learner = Learner(LearnOptions(method=method, sketch_size=SIZE, loss="absolute", **own))
    learner.partial_fit(batch_of_dense(X, np.full(ROWS, FAR)))
    shed, squares = sketched(turned, payers)
    found = learner.facts()["eigenvalues"]
    assert squares[-1] < 1e-14 * squares[0], "the spectrum is not wide"
    tolerance = 1e-5 if turned else 1e-11  # of turned rows, double itself has no more digits of so small directions
    np.testing.assert_allclose(learner.facts()["alpha"], float(gain * shed) + START, rtol=tolerance)
    np.testing.assert_allclose(found, squares.astype(float), rtol=tolerance)


def radagrad(X, normals, delta, rate):
    """float64[n]: predictions by the definition, with slopes of -1."""
    w, Gt, out = np.zeros(D, LONG), np.zeros((D, SIZE), LONG), []
    for x in np.array(X, LONG):
        out.append(float(w @ x))
        Gt = Gt + np.outer(x, normals.T @ x)
        V = orthogonal_rows(Gt.T)
        sigma = np.sqrt(np.einsum("ij,ij->i", V, V))
        V = V[sigma > 1e-13 * sigma[0]] / sigma[sigma > 1e-13 * sigma[0], None]
        sigma = sigma[: len(V)]
        inside = V @ x
        w = w + rate * (x - V.T @ inside + V.T @ (inside / (np.sqrt(sigma) + delta)))
    return np.array(out)


def test_radagrad_keeps_small_singular_values():
    """Columns from 1e-3 to 1e3: the singular values of Gt, whose columns are of squares, differ as 1 and 1e8."""
    X = np.sqrt(np.abs(stream(seed=1)[:20])) * np.sign(stream(seed=1)[:20])
    options = LearnOptions(method="radagrad", sketch_size=SIZE, delta=0.1, learning_rate=0.5, loss="absolute", seed=3)
    learner = Learner(options)
    got = learner.partial_fit(batch_of_dense(X, np.full(len(X), FAR))).raw
    rng = np.random.default_rng(3)
    normals = np.array([rng.standard_normal(SIZE) / np.sqrt(SIZE) for _ in range(D)])
    wanted = radagrad(X, normals, 0.1, 0.5)
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5 * np.abs(wanted).max())
    found = np.sqrt(learner.facts()["eigenvalues"])
    assert 0 < found[-1] < 1e-7 * found[0], "there is no small singular value"
