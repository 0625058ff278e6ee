"""Frequent directions and its relatives: one streaming sketch, driven by the values of a `Rule`.

Singular values and right vectors of the held rows [D V; X] come from a Gram matrix of the sketch's size.
The Gram matrix K of the N rows squares the condition number: an eigenvalue of K is known to about N * eps * s_1 with
s_1 the largest, so a squared singular value s_i has a relative error of N * eps * s_1 / s_i, and below eps * s_1
nothing is left of it. The sketch's covariance B'B does not suffer (its error is eps * s_1 either way), but alpha, a sum
of small s_p, and the directions of small singular values, would. So where the pivot or a kept direction has
s_i <= `SQUARING_LIMIT` * s_1, the rows' part outside of the strong directions is formed explicitly, and decomposed by
QR and SVD: no square is taken of anything small, and singular values come out with the absolute error eps * sqrt(s_1)
of a direct SVD. What lies below that error is rank deficiency and set to exactly zero.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from sonlearn.errors import DivergedError, OptionError
from sonlearn.sketch import rows as _rows
from sonlearn.sketch.base import Result, Sketch, signed
from sonlearn.sketch.rows import Active, ColumnIndex
from sonlearn.sketch.rules import Rule

#: Relative size of a squared singular value below which squaring costs too much (relative error about 1e-10 here).
SQUARING_LIMIT = 1e-5


class FrequentDirections(Sketch):
    """Sketch of the frequent-directions family: FD, RFD, PFD, CFD, GFD, iSVD ... by `rule` (`sonlearn.sketch.rules`).

    The sketch buffers rows in their original form until there are ``rule.buffer``. Then one decomposition of a Gram
    matrix of that size lowers the squared singular values and keeps at most ``rule.most`` directions. A row of s
    nonzeros costs O(s * rule.buffer) for its products, plus its share of one eigendecomposition and of one rotation of
    the kept directions over the columns (O(l^2 c) for each shrink; a larger ``buffer`` makes shrinks rarer).

    With ``rules.rfd(m)`` or ``rules.fd(m)`` this is exactly [RFD] Alg. 5 and 4, the sketch of the online learner: every
    row counts, and at 2m rows a shrink keeps m - 1 and lowers by the m-th, for any rank. ``recycle=True`` frees the
    places of vanished directions and of rows of zeros at once: fewer shrinks for rows of low rank, within the same
    bounds, but not the paper's B and alpha. `held` returns the rows between shrinks, S with A'A ~ S'S + alpha I.

    Parameters
    ----------
    rule : Rule
    alpha : float >= 0
        alpha_0, to which RFD adds.

    Attributes
    ----------
    escaped : float
        Delta, the sum of the delta of all shrinks so far (without the one of a pending final shrink).
    shrinks : int
        Decompositions so far.
    """

    kind = "directions"

    def __init__(self, rule: Rule, alpha: float = 0.0):
        if not 0 <= alpha < float("inf"):
            raise OptionError(f"alpha {alpha}: expected a finite number >= 0")
        super().__init__()
        self.rule, self.alpha_0 = rule, float(alpha)
        self.underestimates = not rule.restore  # a shrink only lowers
        self.escaped, self.shrinks = 0.0, 0
        self._squares = np.empty(0)  # D^2 of the directions kept
        self._vectors = np.empty((0, 0))  # V' over the slots known at the last shrink
        self._taken = 0  # places that they take; rows since then wait

    # -- rows in ---------------------------------------------------------------------------------------------------

    @property
    def rows_held(self) -> int:
        """Places taken now, 0 to ``rule.buffer - 1``; without ``rule.recycle`` a vanished direction keeps its place."""
        return self._taken + self._waiting.count

    def _consume(self, block) -> None:
        if self.rule.recycle:
            used = _rows.row_squares(block) > 0
            block = block if used.all() else block[used]
        super()._consume(block)

    def _room(self) -> int:
        return self.rule.buffer - self.rows_held

    def _decompose(self, rows, columns: ColumnIndex | None, keep: int):
        """Squares and vectors of the kept directions and `rows`; `columns` learns the columns that are new."""
        active = Active(rows, columns)
        width = self.n_features if columns is None else len(columns)
        return decompose(self._squares, self._vectors, active, width, keep)

    def _lower(self, squares: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """The shrink: kept squares and vectors (those that are not zero), and delta."""
        lowered, delta = shrink(self.rule, squares)
        squares = lowered[: vectors.shape[1]]
        if (squares > 0).all():  # the usual case, without a copy
            return squares, vectors, delta
        return squares[squares > 0], vectors[:, squares > 0], delta

    def _take_in(self) -> None:
        squares, vectors = self._decompose(self._waiting.take(), self._columns, self.rule.most)
        self._squares, vectors, delta = self._lower(squares, vectors)
        self._vectors = np.ascontiguousarray(vectors)  # as a file gives it back: products go by the order in memory
        self._taken = len(self._squares) if self.rule.recycle else self.rule.most
        self.escaped += delta
        self.shrinks += 1

    # -- B out -----------------------------------------------------------------------------------------------------

    def _read(self) -> Result:
        """Decompose the current rows; if there are more than ``rule.size``, shrink the output (not the state) once."""
        columns = None if self._columns is None else ColumnIndex(self._columns.ids)
        squares, vectors, escaped = self._squares, self._vectors, self.escaped
        if self._waiting.count:
            over = self.rows_held > self.rule.size
            keep = self.rule.most if over else self.rule.buffer
            squares, vectors = self._decompose(self._waiting.rows(), columns, keep)
            if over:
                squares, vectors, delta = self._lower(squares, vectors)
                escaped += delta
            squares = squares[: vectors.shape[1]]
        order = np.argsort(-squares, kind="stable")
        squares, vectors = squares[order], signed(vectors[:, order])
        if self.rule.restore:
            squares = squares + escaped
        alpha = self.alpha_0 + self.rule.gain * escaped
        return Result(squares, vectors, None if columns is None else columns.ids, alpha, escaped)

    def held(self) -> tuple[np.ndarray | csr_array, float]:
        """(S, alpha): the rows between shrinks, float64[n, d] with n <= rows_held, and their alpha (not `restore`d)."""
        ids = None if self._columns is None else self._columns.ids[: len(self._vectors)]
        kept = self._spread(self._vectors * np.sqrt(self._squares), ids)
        blocks = ([kept] if len(self._squares) else []) + self._waiting.blocks
        alpha = self.alpha_0 + self.rule.gain * self.escaped
        return _rows.stack(blocks) if blocks else kept, alpha

    def covariance_error_bound(self) -> float:
        """Computed certificate for ||A'A + alpha_0 I - B'B - alpha I||_2: Delta, half of it for RFD.

        A'A - B'B lies between 0 and Delta, and between 0 and its trace ||A||_F^2 - ||B||_F^2; taking gain * Delta off
        leaves the larger of gain * Delta and the rest. For CFD: Delta. Exact arithmetic is assumed.
        """
        result = self.result()
        if self.rule.restore:
            return result.escaped
        trace = max(0.0, self.frobenius - float(result.squares.sum()))
        taken = self.rule.gain * result.escaped
        return max(taken, min(result.escaped, trace) - taken)

    # -- merge, files ----------------------------------------------------------------------------------------------

    def _absorb(self, other: FrequentDirections) -> None:
        """Append the other's rows, with shrinks when due. The Deltas add, so `rules`' bounds hold for all rows."""
        self._consume(self._as_held(other.held()[0]))
        self.escaped += other.escaped
        self.shrinks += other.shrinks

    def _values(self) -> dict[str, Any]:
        return {"rule": dataclasses.asdict(self.rule), "alpha": self.alpha_0}

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> FrequentDirections:
        """Inverse of `_values`."""
        rule = values["rule"]
        return cls(Rule(**(rule | {"weights": tuple(rule["weights"])})), values["alpha"])

    def _mergeable(self) -> dict[str, Any]:
        """Values that must agree for a merge: all but `recycle`, which affects no bound; weights are rounded."""
        rule = dataclasses.replace(self.rule, recycle=False, weights=tuple(round(w, 12) for w in self.rule.weights))
        return {"rule": rule, "alpha": self.alpha_0}

    def _state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        counters = {"escaped": self.escaped, "shrinks": self.shrinks, "taken": self._taken}
        return counters, {"squares": self._squares, "vectors": self._vectors}

    def _restore(self, counters: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self.escaped, self.shrinks = float(counters["escaped"]), int(counters["shrinks"])
        self._taken = int(counters["taken"])
        self._squares, self._vectors = arrays["squares"], arrays["vectors"]
        slots = (self.n_features or 0) if self._columns is None else len(self._columns)
        if self._vectors.ndim != 2 or self._vectors.shape[1:] != self._squares.shape:
            raise ValueError("squares and vectors differ in length")
        if len(self._vectors) not in (0, slots):
            raise ValueError("vectors and columns differ in length")
        if not (self._squares > 0).all() or self.escaped < 0:
            raise ValueError("a square is not positive")
        if not len(self._squares) <= self._taken <= self.rule.most or self.rows_held >= self.rule.buffer:
            raise ValueError("more rows than there are places")


def shrink(rule: Rule, squares: np.ndarray) -> tuple[np.ndarray, float]:
    """s'_j = max(s_j - max(w_j delta, s_low), 0) for all j ([GFD] Alg. 6; `sonlearn.sketch.rules`).

    Parameters
    ----------
    squares : float64[n], descending
        n at most ``rule.buffer``; those that are not given are zero.

    Returns
    -------
    squares : float64[buffer], zero from place ``rule.most + 1`` on
    delta : float
        No direction loses more than that.
    """
    s = np.zeros(rule.buffer)
    s[: len(squares)] = squares
    w = np.ones(rule.buffer)
    w[: len(rule.weights)] = rule.weights
    delta, cap = s[rule.pivot - 1], rule.lam * s[rule.cap - 1]
    if rule.clip:
        decrease = np.minimum(w * delta, cap)
        delta = min(delta, cap)
    else:
        top = w.max()
        if top * delta > cap:
            delta = cap / top
        decrease = w * delta
    if rule.low is not None:
        decrease = np.maximum(decrease, s[rule.low - 1])
    return np.maximum(s - decrease, 0.0), float(delta)


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
