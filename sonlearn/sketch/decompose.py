"""Singular values and right vectors of the held rows [D V; X], from a Gram matrix of the sketch's size.

The Gram matrix K of the N rows squares the condition number: an eigenvalue of K is known to about N * eps * s_1 with
s_1 the largest, so a squared singular value s_i has a relative error of N * eps * s_1 / s_i, and below eps * s_1
nothing is left of it. The sketch's covariance B'B does not suffer (its error is eps * s_1 either way), but alpha, a sum
of small s_p, and the directions of small singular values, would. So where the pivot or a kept direction has
s_i <= `SQUARING_LIMIT` * s_1, the rows' part outside of the strong directions is formed explicitly, and decomposed by
QR and SVD: no square is taken of anything small, and singular values come out with the absolute error eps * sqrt(s_1)
of a direct SVD. What lies below that error is rank deficiency and set to exactly zero.
"""

from __future__ import annotations

import numpy as np

from sonlearn.errors import DivergedError
from sonlearn.sketch.rows import Active

#: Relative size of a squared singular value below which squaring costs too much (relative error about 1e-10 here).
SQUARING_LIMIT = 1e-5


def decompose(squares: np.ndarray, vectors: np.ndarray, rows: Active, width: int, keep: int):
    """Decompose M = [diag(sqrt(squares)) V; X].

    Parameters
    ----------
    squares : float64[k]
        D^2 of the directions kept by the last shrink.
    vectors : float64[c, k]
        V' over the slots known then, orthonormal columns.
    rows : Active
        X, the r rows since then, over `width` >= c slots.
    keep : int
        How many directions are wanted.

    Returns
    -------
    squares : float64[k + r], descending; accurate up to and including the one after the last wanted
    vectors : float64[width, q], orthonormal columns, q <= keep: as many as are not zero

    Raises
    ------
    DivergedError
        The squares overflow.
    """
    roots, k = np.sqrt(squares), len(squares)
    eigenvalues, U = _eigen(_gram(squares, roots, vectors, rows))
    top, wanted = eigenvalues[0], min(keep + 1, len(eigenvalues))
    if top == 0:
        return eigenvalues, np.zeros((width, 0))

    def combine(C: np.ndarray) -> np.ndarray:
        """M' C, float64[width, columns of C]."""
        out = np.zeros((width, C.shape[1]))
        if k:
            np.matmul(vectors, roots[:, None] * C[:k], out=out[: len(vectors)])
        rows.add_to(out, C[k:])
        return out

    strong = int(np.count_nonzero(eigenvalues > SQUARING_LIMIT * top))
    if strong >= wanted:
        keep = min(keep, len(eigenvalues))
        return eigenvalues, combine(U[:, :keep] / np.sqrt(eigenvalues[:keep]))
    first = combine(U[:, :strong] / np.sqrt(eigenvalues[:strong]))
    weak_squares, weak = _residual(combine(U[:, strong:]), first, len(eigenvalues) * np.sqrt(top))
    found = np.concatenate([eigenvalues[:strong], weak_squares])
    order = np.argsort(-found, kind="stable")
    keep = min(keep, int(np.count_nonzero(found)))
    vectors = np.hstack([first, weak])[:, order[:keep]]
    return np.concatenate([found[order], np.zeros(len(eigenvalues) - len(found))]), vectors


def _gram(squares: np.ndarray, roots: np.ndarray, vectors: np.ndarray, rows: Active) -> np.ndarray:
    """K = M M', float64[k + r, k + r]."""
    k, n = len(squares), rows.local.shape[0]
    K = np.empty((k + n, k + n))
    K[:k, :k] = np.diag(squares)
    with np.errstate(over="ignore"):  # the caller looks
        K[k:, k:] = rows.gram()
    K[k:, :k] = rows.times(vectors) * roots if k else 0.0
    K[:k, k:] = K[k:, :k].T
    return K


def _eigen(K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs of a symmetric positive semidefinite matrix, descending, clipped at zero."""
    if not np.isfinite(K).all():
        raise DivergedError("the sketch's squared singular values overflow; scale the data down")
    eigenvalues, U = np.linalg.eigh(K)
    return np.maximum(eigenvalues[::-1], 0.0), U[:, ::-1]


def _residual(R: np.ndarray, first: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Squared singular values and left vectors of R[c, n] outside of the span of `first`; zero below eps * scale."""
    R -= first @ (first.T @ R)
    Q, S = np.linalg.qr(R)
    W, s, _ = np.linalg.svd(S, full_matrices=False)
    s[s <= np.finfo(float).eps * scale] = 0.0
    return s**2, Q @ W
