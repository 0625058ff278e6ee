"""Slow twins of the sketches: the published algorithms, each on its own, with dense SVDs and nothing shared.

Also the matrices that the tests of bounds run on, and what the bounds are about, computed from dense d x d matrices.
"""

import functools

import numpy as np
from streams import AS_THEY_COME


def fd_row_by_row(A, m, alpha=0.0):
    """[RFD] Algorithms 1 and 2: B has m - 1 rows between rows; returns (B, alpha of RFD)."""
    B = np.zeros((m - 1, A.shape[1]))
    for a in A:
        _, s, V = np.linalg.svd(np.vstack([B, a]), full_matrices=False)
        delta = s[m - 1] ** 2 if len(s) >= m else 0.0
        B = np.sqrt(np.maximum(s[: m - 1] ** 2 - delta, 0))[:, None] * V[: m - 1]
        alpha += delta / 2
    return B, alpha


def fd_doubled(A, m, alpha=0.0):
    """[RFD] Algorithms 4 and 5 by the count of rows: returns (rows between shrinks, alpha of RFD)."""
    rows, count = np.zeros((0, A.shape[1])), 0
    for a in A:
        rows, count = np.vstack([rows, a]), count + 1
        if count == 2 * m:
            _, s, V = np.linalg.svd(rows, full_matrices=False)
            delta = s[m - 1] ** 2 if len(s) >= m else 0.0
            rows = np.sqrt(np.maximum(s[: m - 1] ** 2 - delta, 0))[:, None] * V[: m - 1]
            alpha, count = alpha + delta / 2, m - 1
    return rows, alpha


def fd_liberty(A, l):  # noqa: E741
    """Liberty (2013): l rows; when none is free, subtract the square of the middle singular value."""
    B = np.zeros((l, A.shape[1]))
    for a in A:
        free = np.flatnonzero(~B.any(axis=1))
        B[free[0]] = a
        if len(free) == 1:
            _, s, V = np.linalg.svd(B, full_matrices=False)
            s2 = np.maximum(s**2 - s[l // 2 - 1] ** 2, 0)
            s2[l // 2 - 1 :] = 0
            B = np.zeros_like(B)
            B[: len(s)] = np.sqrt(s2)[:, None] * V
    return B


def pfd(A, l, share):  # noqa: E741
    """alpha-FD, Desai, Ghashami & Phillips (2016): the last floor(share l) squared values lose the last one."""
    B = np.zeros((l - 1, A.shape[1]))
    paying = int(share * l + 1e-9)
    for a in A:
        _, s, V = np.linalg.svd(np.vstack([B, a]), full_matrices=False)
        s2 = s**2
        s2[l - paying :] -= s2[-1]
        B = np.sqrt(np.maximum(s2[:-1], 0))[:, None] * V[:-1]
    return B


def cfd(A, m):
    """Compensative FD, the same paper: FD whose squared singular values get all that was taken back at the end."""
    B = np.zeros((m - 1, A.shape[1]))
    total = 0.0
    for a in A:
        _, s, V = np.linalg.svd(np.vstack([B, a]), full_matrices=False)
        total += s[m - 1] ** 2
        B = np.sqrt(np.maximum(s[: m - 1] ** 2 - s[m - 1] ** 2, 0))[:, None] * V[: m - 1]
    _, s, V = np.linalg.svd(B, full_matrices=False)
    return np.sqrt(s**2 + total)[:, None] * V


def isvd(A, m):
    """Incremental SVD: the best m - 1 directions of what is left and the next row."""
    B = np.zeros((m - 1, A.shape[1]))
    for a in A:
        _, s, V = np.linalg.svd(np.vstack([B, a]), full_matrices=False)
        B = s[: m - 1, None] * V[: m - 1]
    return B


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


def pivoted(A, N, p, w):
    """fd-ramp: at N rows those before the p-th lose w_j s_p, the p-th and all after it go: (rows, sum of s_p)."""
    rows, escaped = np.zeros((0, A.shape[1])), 0.0
    for a in A:
        rows = np.vstack([rows, a])
        if len(rows) == N:
            _, s, V = np.linalg.svd(rows, full_matrices=False)
            s2 = np.concatenate([s**2, np.zeros(N)])[:N]
            kept = s2[: p - 1] - np.asarray(w) * s2[p - 1]
            rows, escaped = np.sqrt(kept)[:, None] * V[: p - 1], escaped + s2[p - 1]
    return rows, escaped


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
