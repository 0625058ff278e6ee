"""Errors of a sketch, compared with the rows themselves: covariance error and projection error, by Lanczos iterations.

No d x d matrix is formed: A'A is applied to vectors, over the columns that occur.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

from sonlearn.errors import InputError, OptionError
from sonlearn.sketch import rows as _rows
from sonlearn.sketch.base import Sketch
from sonlearn.sketch.rows import Active, ColumnIndex, as_block

#: A symmetric matrix, as a function of a vector.
Applied = Callable[[np.ndarray], np.ndarray]
#: With at most this many columns, the d x d matrix is formed and decomposed.
_SMALL = 400


class _Problem(NamedTuple):
    """A, B' and the dimension, over a common set of columns."""

    A: np.ndarray | sp.csr_array  # (n, c)
    table: np.ndarray  # B', (c, k)
    vectors: np.ndarray  # V, (c, k)
    unseen: bool  # whether there are further columns, all zero


def covariance_error(sketch: Sketch, X: Any, tolerance: float = 1e-6) -> float:
    """||A'A + alpha_0 I - B'B - alpha I||_2 / ||A||_F^2 for the rows X that the sketch has seen (a second pass).

    Parameters
    ----------
    X : array_like or SciPy sparse (n, d), or a list of such blocks
    tolerance : float
        Relative accuracy asked of the Lanczos iteration.

    Raises
    ------
    InputError
        X does not have the rows that the sketch has seen.
    """
    problem = _prepare(sketch, X)
    A, table, alpha = problem.A, problem.table, sketch.alpha - sketch.alpha_0
    total = _rows.squared_norm(A)
    if total == 0:
        return 0.0

    def apply(v: np.ndarray) -> np.ndarray:
        return np.asarray(A.T @ (A @ v) - table @ (table.T @ v))

    c, below = A.shape[1], sketch.underestimates
    if c <= _SMALL:
        ends = np.linalg.eigvalsh(apply(np.eye(c)))[[0, -1]].tolist()
    else:
        ends = [_end(apply, c, tolerance, "LA")]
        # With B'B <= A'A the lower end is not negative, and zero where A has fewer rows than columns.
        null = problem.unseen or A.shape[0] < c
        if below and (null or ends[0] >= 2 * alpha):
            ends.append(0.0 if null else ends[0])
        else:
            # It is often one of many near zero, for which a relative tolerance is never reached: shifted, to about
            # tolerance * ends[0] in absolute terms.
            shift = 2 * abs(ends[0])
            ends.append(_end(lambda v: apply(v) - shift * v, c, tolerance, "SA") + shift)
    if problem.unseen:
        ends.append(0.0)
    return float(max(abs(end - alpha) for end in ends) / total)


def projection_error(sketch: Sketch, X: Any, k: int, tolerance: float = 1e-6) -> tuple[float, float]:
    """||A - A V_k V_k'||_F^2 over the best possible ||A - A_k||_F^2, and its root; V_k the top k directions of B.

    (1, 1) is optimal. Where A has rank k or less the ratio is taken of what rounding leaves, at least eps * ||A||_F^2.
    """
    problem = _prepare(sketch, X)
    A = problem.A
    if k < 1:
        raise OptionError(f"k = {k}: expected at least 1")
    total = _rows.squared_norm(A)
    P = A @ problem.vectors[:, :k]
    best = total - top_squares(A, k, tolerance).sum()
    floor = np.finfo(float).eps * total * max(A.shape)
    if total == 0:
        return 1.0, 1.0
    ratio = max(total - _rows.squared_norm(P), floor) / max(best, floor)
    return float(ratio), float(np.sqrt(ratio))


def top_squares(A: Any, k: int, tolerance: float = 1e-6) -> np.ndarray:
    """The k largest squared singular values of A, descending (all of them where there are fewer)."""
    n, c = A.shape
    if min(n, c) <= max(_SMALL, k + 1):
        G = (A @ A.T) if n <= c else (A.T @ A)
        G = G.toarray() if sp.issparse(G) else G
        return np.maximum(np.linalg.eigvalsh(G)[::-1][:k], 0.0)
    operator = LinearOperator((c, c), matvec=lambda v: A.T @ (A @ v), dtype=np.float64)
    values: np.ndarray = eigsh(operator, k=k, v0=_start(c), tol=tolerance, return_eigenvectors=False)
    return np.sort(values)[::-1]


def _end(apply: Applied, c: int, tolerance: float, which: str) -> float:
    operator = LinearOperator((c, c), matvec=apply, dtype=np.float64)
    # More Lanczos vectors than the default 20: clustered ends need far fewer restarts.
    return float(
        eigsh(operator, k=1, which=which, v0=_start(c), tol=tolerance, ncv=60, return_eigenvectors=False, maxiter=c)[0]
    )


def _start(c: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(c)


def _prepare(sketch: Sketch, X: Any) -> _Problem:
    blocks: list[Any] = [as_block(block) for block in (X if isinstance(X, list) else [X])]
    if (found := sum(block.shape[0] for block in blocks)) != sketch.n_seen:
        raise InputError("<matrix>", f"{found} rows", f"the {sketch.n_seen} rows that the sketch has seen")
    table, ids = sketch._factor()
    result = sketch.result()
    if ids is None:
        dense = [block.toarray() if sp.issparse(block) else block for block in blocks]
        return _Problem(_rows.stack(dense), table, result.vectors, False)
    columns = ColumnIndex(ids)
    active: Any = Active(_rows.stack([sp.csr_array(block) for block in blocks]), columns)
    local: Any = active.local
    A = sp.csr_array((local.data, active.slots[local.indices], local.indptr), shape=(local.shape[0], len(columns)))
    new = len(columns) - len(ids)
    pad = [np.vstack([t, np.zeros((new, t.shape[1]))]) if new else t for t in (table, result.vectors)]
    return _Problem(A, pad[0], pad[1], len(columns) < (sketch.n_features or 0))
