"""Frequent directions and its relatives: one streaming sketch, driven by the values of a `Rule`."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import scipy.sparse as sp

from sonlearn.errors import OptionError
from sonlearn.sketch import rows as _rows
from sonlearn.sketch.base import Result, Sketch
from sonlearn.sketch.decompose import decompose
from sonlearn.sketch.rows import Active, Columns
from sonlearn.sketch.rules import Rule


class FrequentDirections(Sketch):
    """Sketch of the frequent-directions family: FD, RFD, PFD, CFD, GFD, iSVD ... by `rule` (`sonlearn.sketch.rules`).

    Rows are held as they come, sparse ones sparse, until there are ``rule.rows``; then one decomposition of a Gram
    matrix of that size lowers all squared singular values and keeps at most ``rule.pivot - 1`` directions. A row of s
    nonzeros costs O(s * rule.rows) for its products, and its share of one eigendecomposition and of one rotation of the
    kept directions over the columns seen (O(l^2 c) for each shrink; a larger ``buffer`` makes shrinks rarer).

    With ``rules.rfd(m)`` or ``rules.fd(m)`` this is [RFD] Alg. 5 and 4, the sketch of the online learner: rows of any
    content count, at 2m rows a shrink keeps m - 1 and lowers by the m-th. `held` gives the rows as they stand between
    shrinks, S with A'A ~ S'S + alpha I.

    Parameters
    ----------
    rule : Rule
    alpha : float >= 0
        alpha_0, to which RFD adds.

    Attributes
    ----------
    escaped : float
        Delta, the sum of the pivots' squared singular values so far (without the one of a pending final shrink).
    shrinks : int
        Decompositions so far.
    """

    kind = "directions"

    def __init__(self, rule: Rule, alpha: float = 0.0):
        if not 0 <= alpha < float("inf"):
            raise OptionError(f"alpha {alpha}: expected a finite number >= 0")
        self.rule, self.alpha_0 = rule, float(alpha)
        self._reset()

    def _reset(self) -> None:
        super().__init__()
        self.escaped, self.shrinks = 0.0, 0
        self._squares = np.empty(0)  # D^2 of the directions kept
        self._vectors = np.empty((0, 0))  # V' over the slots known at the last shrink
        self._raw: list = []  # rows since then
        self._raw_count = 0

    # -- rows in ---------------------------------------------------------------------------------------------------

    @property
    def rows_held(self) -> int:
        """Rows held now, between 0 and ``rule.rows - 1``; without ``rule.recycle`` a vanished direction keeps its row."""
        fixed = self.shrinks > 0 and not self.rule.recycle
        return (self.rule.pivot - 1 if fixed else len(self._squares)) + self._raw_count

    def _consume(self, block) -> None:
        start = 0
        while start < block.shape[0]:
            piece = block[start : start + self.rule.rows - self.rows_held]
            self._raw.append(piece.copy())
            self._raw_count += piece.shape[0]
            start += piece.shape[0]
            if self.rows_held >= self.rule.rows:
                self._shrink()

    def _decompose(self, columns: Columns | None, keep: int):
        """Squares and vectors of the rows held; `columns` learns the columns that are new."""
        active = Active(_rows.stack(self._raw), columns)
        width = self.n_features if columns is None else len(columns)
        return decompose(self._squares, self._vectors, active, width, keep)

    def _lower(self, squares: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """The shrink: kept squares and vectors (those that are not zero), and delta."""
        padded = np.concatenate([squares, np.zeros(max(0, self.rule.pivot - len(squares)))])
        kept, delta = self.rule.shrink(padded)
        kept = kept[: vectors.shape[1]]
        return kept[kept > 0], vectors[:, kept > 0], delta

    def _shrink(self) -> None:
        squares, vectors = self._decompose(self._columns, self.rule.pivot - 1)
        self._squares, self._vectors, delta = self._lower(squares, vectors)
        self.escaped += delta
        self.shrinks += 1
        self._raw, self._raw_count = [], 0

    # -- B out -----------------------------------------------------------------------------------------------------

    def _read(self) -> Result:
        """Decompose what is held; more rows than ``rule.size`` are shrunk once more, in the output only."""
        columns = None if self._columns is None else Columns(self._columns.ids)
        squares, vectors, escaped = self._squares, self._vectors, self.escaped
        if self._raw_count:
            over = self.rows_held > self.rule.size
            squares, vectors = self._decompose(columns, self.rule.pivot - 1 if over else self.rule.rows)
            if over:
                squares, vectors, delta = self._lower(squares, vectors)
                escaped += delta
            squares = squares[: vectors.shape[1]]
        order = np.argsort(-squares, kind="stable")
        squares, vectors = squares[order], np.ascontiguousarray(vectors[:, order])
        if self.rule.restore:
            squares = squares + escaped
        alpha = self.alpha_0 + self.rule.gain * escaped
        return Result(squares, vectors, None if columns is None else columns.ids, alpha, escaped)

    def held(self) -> tuple[np.ndarray | sp.csr_array, float]:
        """The rows as they are between shrinks, S (rows_held, d), and the alpha that belongs to them (not `restore`d)."""
        ids = None if self._columns is None else self._columns.ids[: len(self._vectors)]
        kept = self._spread(self._vectors * np.sqrt(self._squares), ids)
        blocks = ([kept] if len(self._squares) else []) + self._raw
        if not blocks:
            return kept, self.alpha_0
        return _rows.stack(blocks), self.alpha_0 + self.rule.gain * self.escaped

    def covariance_error_bound(self) -> float:
        """Computed certificate for ||A'A - B'B - alpha I||_2 (alpha_0 excepted): Delta, half of it for RFD.

        A'A - B'B lies between 0 and Delta, and between 0 and its trace ||A||_F^2 - ||B||_F^2; taking gain * Delta off
        leaves the larger of gain * Delta and the rest. For CFD: Delta. Exact arithmetic is assumed.
        """
        result = self.result()
        if self.rule.restore:
            return result.escaped
        trace = max(0.0, self.frobenius - float(result.squares.sum()))
        taken = self.rule.gain * result.escaped
        return max(taken, min(result.escaped, trace) - taken)

    # -- together, files -------------------------------------------------------------------------------------------

    def _absorb(self, other: FrequentDirections) -> None:
        """Append the other's rows, shrinking where due; the Deltas add, so the bounds of `rules` hold for the union."""
        rows, _ = other.held()
        if rows.shape[0]:
            self._consume(self._as_held(rows))
        self.escaped += other.escaped
        self.shrinks += other.shrinks

    def _values(self) -> dict[str, Any]:
        return {"rule": dataclasses.asdict(self.rule), "alpha": self.alpha_0}

    def _state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        arrays = {"squares": self._squares, "vectors": self._vectors}
        if self._raw:
            raw = _rows.stack(self._raw)
            arrays |= {"raw": raw} if self._dense else {f"raw_{n}": getattr(raw, n) for n in _CSR}
        return {"escaped": self.escaped, "shrinks": self.shrinks}, arrays

    def _restore(self, counters: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self.escaped, self.shrinks = float(counters["escaped"]), int(counters["shrinks"])
        self._squares, self._vectors = arrays["squares"], arrays["vectors"]
        if self._vectors.ndim != 2 or self._vectors.shape[1:] != self._squares.shape:
            raise ValueError("squares and vectors differ in length")
        if "raw" in arrays:
            self._raw = [arrays["raw"]]
        elif "raw_indptr" in arrays:
            indptr = arrays["raw_indptr"]
            parts = (arrays["raw_data"], arrays["raw_indices"], indptr)
            self._raw = [sp.csr_array(parts, shape=(len(indptr) - 1, self.n_features))]
        self._raw_count = sum(block.shape[0] for block in self._raw)


_CSR = ("data", "indices", "indptr")
