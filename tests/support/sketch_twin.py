"""Slow twins of the sketches: the published algorithms with dense SVDs, and nothing shared with what they check.

Also the matrices that the tests of bounds run on, and what the bounds are about, computed from dense d x d matrices.
"""

import functools

import numpy as np
from dense_learner import FrequentDirections
from streams import AS_THEY_COME


def directions(A, m, full=None, **kind):
    """(rows, mass shed) of `FrequentDirections` of the rows of A: row by row, or shrunk when there are `full` rows.

    Liberty (2013) is fd of half of the rows, and fd-ramp one with a pivot for m; incremental SVD loses nothing.
    """
    sketch = FrequentDirections(0.0, A.shape[1], m, full=full or m, **kind)
    for a in A:
        sketch.append(a)
    return sketch.rows(), sketch.shed


def gfd(A, l, w, sigma, p, p_low=None, lam=1.0, clip=False):  # noqa: E741
    """[GFD] Algorithms 5 and 6, w_1..w_l and percentiles as its sections 2.2 and 4 have them (p l whole).

    Returns (B, Delta). `clip` is the other reading of the cap, each decrease by itself.
    """
    B, total = np.zeros((l, A.shape[1])), 0.0
    for a in A:
        B[np.flatnonzero(~B.any(axis=1))[0]] = a  # the first row that is zero
        if not B.any(axis=1).all():
            continue
        _, s, V = np.linalg.svd(B)
        s2 = np.zeros(l)
        s2[: len(s)] = s**2

        def percentile(q, s2=s2):
            return s2[round((1 - q) * l)]  # the place (1 - q) l + 1 from the left, counted from 0

        if clip:
            decrease = np.minimum(w * percentile(sigma), lam * percentile(p))
            delta = min(percentile(sigma), lam * percentile(p))
        else:
            delta = min(percentile(sigma), lam * percentile(p) / w.max())
            decrease = w * delta
        if p_low is not None:
            decrease = np.maximum(decrease, percentile(p_low))
        after = np.maximum(s2 - decrease, 0)
        B = np.zeros_like(B)
        B[: len(s)] = np.sqrt(after[: len(s)])[:, None] * V[: len(s)]
        B = B[np.argsort(~B.any(axis=1), kind="stable")]  # empty rows to the end
        total += delta
    return B, total


def matlab_sigmoid(length, steepness_ratio, shift_ratio):
    """The listing of [GFD] sec. 4, for the indices 1..length."""
    array = np.arange(1, length + 1)
    steepness = steepness_ratio / length
    shift = length * shift_ratio
    return 1 / (1 + np.exp(steepness * (shift - array)))


# -- matrices ----------------------------------------------------------------------------------------------------------


def random_matrix(rng, n=120, d=30):
    return rng.standard_normal((n, d))


def low_rank(rng, n=150, d=40, rank=6):
    return rng.standard_normal((n, rank)) * 3 @ rng.standard_normal((rank, d)) + 0.05 * rng.standard_normal((n, d))


def exactly_low_rank(rng, n=100, d=25, rank=4):
    return rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d))


def adversarial(rng, n=150, d=40, first=30, second=3):
    """[GFD] sec. 5.2: rows from one subspace, then all rows from a second one, orthogonal to the first."""
    Q = np.linalg.qr(rng.standard_normal((d, first + second)))[0]
    n_first = n * first // (first + 2 * second)
    top = rng.standard_normal((n_first, first)) @ Q[:, :first].T
    return np.vstack([top, rng.standard_normal((n - n_first, second)) @ Q[:, first:].T])


def decaying(rng, n=140, d=35):
    return rng.standard_normal((n, d)) * 0.8 ** np.arange(d) @ np.linalg.qr(rng.standard_normal((d, d)))[0]


def flat(rng, n=60, d=30):
    """Twice an orthogonal basis: every direction is as frequent as any other, the worst case of the bound."""
    return np.vstack([np.linalg.qr(rng.standard_normal((d, d)))[0]] * (n // d))


MATRICES = {f.__name__: f for f in (random_matrix, low_rank, exactly_low_rank, adversarial, decaying, flat)}
MATRICES |= {name: functools.partial(make, n=150) for name, make in AS_THEY_COME.items()}


@functools.cache
def matrix(name, seed=0):
    """A test matrix by name."""
    A = MATRICES[name](np.random.default_rng(seed))
    A.flags.writeable = False
    return A


# -- what the bounds are about -----------------------------------------------------------------------------------------


def error(A, B, alpha=0.0):
    """||A'A - B'B - alpha I||_2."""
    return np.abs(np.linalg.eigvalsh(A.T @ A - B.T @ B - alpha * np.eye(A.shape[1]))).max()


def tail(A, k):
    """||A - A_k||_F^2."""
    return (np.linalg.svd(A, compute_uv=False)[k:] ** 2).sum()


def projection(A, B, k):
    """||A - A V_k V_k'||_F^2 for the top k right singular vectors of B."""
    V = np.linalg.svd(B, full_matrices=False)[2][:k]
    return ((A - A @ V.T @ V) ** 2).sum()
