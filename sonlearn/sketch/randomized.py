"""The sketches frequent directions is compared with: random projection, row sampling by norm, Oja's rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sonlearn.errors import OptionError
from sonlearn.sketch import rows as _rows
from sonlearn.sketch.base import Result, Sketch
from sonlearn.sketch.rows import Active, Columns

#: Rows whose random numbers are drawn at once; no influence on the result.
_CHUNK = 512


class _Table(Sketch):
    """A sketch that is one table over the slots, float64[c, l]."""

    def __init__(self, size: int, seed: int = 0):
        if size < 1:
            raise OptionError(f"sketch size {size}: expected at least 1")
        self.size, self.seed = int(size), int(seed)
        self._reset()

    def _reset(self) -> None:
        super().__init__()
        self._rng = np.random.default_rng(self.seed)
        self._table = np.zeros((0, self.size))

    def _grown(self, table: np.ndarray, columns: Columns | None) -> np.ndarray:
        """`table` with zero rows for the slots that are new."""
        width = self.n_features if columns is None else len(columns)
        if len(table) == width:
            return table
        return np.vstack([table, np.zeros((width - len(table), table.shape[1]))])

    def _ids(self) -> np.ndarray | None:
        return None if self._columns is None else self._columns.ids

    def _values(self) -> dict[str, Any]:
        return {"size": self.size, "seed": self.seed}

    def _state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        return {"rng": self._rng.bit_generator.state}, {"table": self._table}

    def _restore(self, counters: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self._rng.bit_generator.state = counters["rng"]
        self._table = arrays["table"]


class RandomProjection(_Table):
    """B = R A with a random R (l x n), E[R'R] = I: B'B is an unbiased estimate of A'A.

    Parameters
    ----------
    size : int
        l.
    nonzeros : int
        0: R is Gaussian, N(0, 1/l), l flops a nonzero. s > 0: every column of R has s entries +-1/sqrt(s), one in each of
        s equal parts of the l rows (sparse sign, the block form of OSNAP, Nelson & Nguyen 2013): s flops a nonzero.
    seed : int
        Sketches that are to be merged must differ in it: their R are columns of one R.
    """

    kind = "projection"

    def __init__(self, size: int, nonzeros: int = 0, seed: int = 0):
        if not 0 <= nonzeros <= size:
            raise OptionError(f"sparse sign: {nonzeros} nonzeros: expected 1 to the sketch size {size}")
        self.nonzeros = int(nonzeros)
        super().__init__(size, seed)

    def _draw(self, n: int) -> np.ndarray | sp.csr_array:
        """n columns of R, as rows (n, l)."""
        if not self.nonzeros:
            return self._rng.standard_normal((n, self.size)) / np.sqrt(self.size)
        s = self.nonzeros
        u = self._rng.random((n, s))
        edges = np.arange(s + 1) * self.size // s
        place = edges[:-1] + np.floor(u * 2 * np.diff(edges)).astype(np.int64) // 2
        sign = 1.0 - 2.0 * (np.floor(u * 2 * np.diff(edges)) % 2)
        indptr = np.arange(n + 1) * s
        return sp.csr_array((sign.ravel() / np.sqrt(s), place.ravel(), indptr), shape=(n, self.size))

    def _consume(self, block) -> None:
        for chunk in _rows.chunks(block, _CHUNK):
            active = Active(chunk, self._columns)
            self._table = self._grown(self._table, self._columns)
            _add_product(self._table, active, self._draw(chunk.shape[0]))

    def _factor(self) -> tuple[np.ndarray, np.ndarray | None]:
        return self._table, self._ids()

    def _read(self) -> Result:
        return Result(*_svd(self._table), self._ids())

    def _absorb(self, other: RandomProjection) -> None:
        if other.seed == self.seed:
            raise OptionError(f"merge: both projections have seed {self.seed}; their random rows would be the same")
        slots = slice(None) if other._columns is None else self._columns.add(np.sort(other._columns.ids))
        table = other._table if other._columns is None else other._table[np.argsort(other._columns.ids)]
        self._table = self._grown(self._table, self._columns)
        self._table[slots] += table

    def _values(self) -> dict[str, Any]:
        return {"size": self.size, "nonzeros": self.nonzeros, "seed": self.seed}


class RowSampling(_Table):
    """l rows drawn with replacement, with probability proportional to ||a||^2, scaled so that E[B'B] = A'A.

    One pass: each of the l places keeps the row with the smallest Exp(1) / ||a||^2 (a race of exponentials, whose winner
    has exactly these probabilities), which also makes the merge of two samples exact.
    """

    kind = "sampling"

    def _reset(self) -> None:
        super()._reset()
        self._keys = np.full(self.size, np.inf)
        self._picked = None  # the l rows, in the form of the blocks

    def _consume(self, block) -> None:
        for chunk in _rows.chunks(block, _CHUNK):
            weights = _rows.row_squares(chunk)
            with np.errstate(divide="ignore"):
                keys = self._rng.standard_exponential((len(weights), self.size)) / weights[:, None]
            first = keys.argmin(axis=0)
            self._race(keys[first, np.arange(self.size)], chunk[first])

    def _race(self, keys: np.ndarray, rows) -> None:
        """Put rows[j] at place j where its key is smaller."""
        if self._picked is None:
            self._picked = rows.copy()
        else:
            index = np.where(keys < self._keys, self.size, 0) + np.arange(self.size)
            self._picked = _rows.stack([self._picked, rows])[index]
        self._keys = np.minimum(keys, self._keys)

    def _scaled(self):
        """B in the form of the blocks: every row of it has the norm ||A||_F / sqrt(l)."""
        squares = _rows.row_squares(self._picked)
        scale = np.sqrt(np.divide(self.frobenius / self.size, squares, out=np.zeros(self.size), where=squares > 0))
        return sp.csr_array(self._picked.multiply(scale[:, None])) if not self._dense else self._picked * scale[:, None]

    def _factor(self) -> tuple[np.ndarray, np.ndarray | None]:
        if self._picked is None:
            return np.zeros((0, self.size)), None
        if self._dense:
            return self._scaled().T, None
        columns = Columns()
        active = Active(self._scaled(), columns)
        return active.local.toarray().T, columns.ids

    def _read(self) -> Result:
        table, ids = self._factor()
        return Result(*_svd(table), ids)

    def _absorb(self, other: RowSampling) -> None:
        if other.seed == self.seed:
            raise OptionError(f"merge: both samples have seed {self.seed}; they would not be independent")
        if other._picked is not None:
            self._race(other._keys, self._as_held(other._picked))

    def _state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        counters, arrays = super()._state()
        arrays["keys"] = self._keys
        if self._picked is not None:
            picked = self._picked
            arrays |= {"raw": picked} if self._dense else {f"raw_{n}": getattr(picked, n) for n in _CSR}
        return counters, arrays

    def _restore(self, counters: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        super()._restore(counters, arrays)
        self._keys = arrays["keys"]
        if "raw" in arrays:
            self._picked = arrays["raw"]
        elif "raw_indptr" in arrays:
            parts = tuple(arrays[f"raw_{n}"] for n in _CSR)
            self._picked = sp.csr_array(parts, shape=(self.size, self.n_features))


class Oja(_Table):
    """Oja's rule on batches of l rows: V <- orth(V + (X'X V) diag(step)), squares += diag(V' X'X V).

    [SON] Alg. 3-5 (there a row at a time; the eigenvalue estimate is taken before the step, as there). V starts from the
    first batch. Steps: ``1/t`` ([SON]; t in batches, which does not know the scale of the data), or ``adaptive``
    (AdaOja, Henriksen & Ward 2019: 1 / the root of the summed squared gradient norms, a step per direction). It has no
    guarantee in the worst case, and Oja sketches cannot be merged.
    """

    kind = "oja"

    def __init__(self, size: int, step: str = "adaptive"):
        if step not in ("1/t", "adaptive"):
            raise OptionError(f"oja: step {step}: expected 1/t or adaptive")
        self.step = step
        super().__init__(size)

    def _reset(self) -> None:
        super()._reset()
        self._table = np.zeros((0, 0))
        self._squares = np.empty(0)
        self._steps = np.empty(0)  # sum of squared gradient norms, per direction
        self._batches = 0
        self._raw: list = []
        self._raw_count = 0

    def _consume(self, block) -> None:
        start = 0
        while start < block.shape[0]:
            piece = block[start : start + self.size - self._raw_count]
            self._raw.append(piece.copy())
            self._raw_count += piece.shape[0]
            start += piece.shape[0]
            if self._raw_count == self.size:
                self._table, self._squares, self._steps = self._batch(self._columns)
                self._batches += 1
                self._raw, self._raw_count = [], 0

    def _batch(self, columns: Columns | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """V, squares and step sums after the rows that wait."""
        X = Active(_rows.stack(self._raw), columns)
        if self._batches == 0:
            table = self._grown(np.zeros((0, X.local.shape[0])), columns)
            X.add_to(table, np.eye(X.local.shape[0]))
            V, squares = _svd(table)[::-1]
            return V[:, : self.size], squares[: self.size], np.zeros(min(self.size, len(squares)))
        V = self._grown(self._table, columns)
        P = X.times(V)
        G = np.zeros_like(V)
        X.add_to(G, P)
        steps = self._steps + np.einsum("ij,ij->j", G, G)
        if self.step == "1/t":
            eta = np.full(len(steps), 1 / (self._batches * self.size))
        else:
            eta = np.divide(1.0, np.sqrt(steps), out=np.zeros(len(steps)), where=steps > 0)
        V = np.linalg.qr(V + G * eta)[0]
        return V, self._squares + np.einsum("ij,ij->j", P, P), steps

    def _read(self) -> Result:
        columns = None if self._columns is None else Columns(self._columns.ids)
        V, squares = self._table, self._squares
        if self._raw_count:
            V, squares, _ = self._batch(columns)
        order = np.argsort(-squares, kind="stable")
        return Result(squares[order], V[:, order], None if columns is None else columns.ids)

    def _absorb(self, other: Oja) -> None:
        raise OptionError("merge: Oja sketches cannot be merged; use --method fd or rfd, which merge within their bound")

    def _values(self) -> dict[str, Any]:
        return {"size": self.size, "step": self.step}

    def _state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        arrays = {"table": self._table, "squares": self._squares, "steps": self._steps}
        if self._raw:
            raw = _rows.stack(self._raw)
            arrays |= {"raw": raw} if self._dense else {f"raw_{n}": getattr(raw, n) for n in _CSR}
        return {"batches": self._batches}, arrays

    def _restore(self, counters: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self._batches = int(counters["batches"])
        self._table, self._squares, self._steps = arrays["table"], arrays["squares"], arrays["steps"]
        if "raw" in arrays:
            self._raw = [arrays["raw"]]
        elif "raw_indptr" in arrays:
            parts = tuple(arrays[f"raw_{n}"] for n in _CSR)
            self._raw = [sp.csr_array(parts, shape=(len(parts[2]) - 1, self.n_features))]
        self._raw_count = sum(block.shape[0] for block in self._raw)


_CSR = ("data", "indices", "indptr")


def _add_product(table: np.ndarray, X: Active, R: np.ndarray | sp.csr_array) -> None:
    """T += X' R for the rows of X and of R; O(nonzeros of X times nonzeros a row of R)."""
    if not sp.issparse(R):
        X.add_to(table, R)
        return
    product = sp.csr_array(X.local.T if sp.issparse(X.local) else sp.csr_array(X.local.T)) @ R
    product = sp.coo_array(product)
    slots = product.row if isinstance(X.slots, slice) else X.slots[product.row]
    table[slots, product.col] += product.data


def _svd(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Squared singular values, descending, and left singular vectors of a table, without those that are zero."""
    if not table.size:
        return np.empty(0), np.zeros((len(table), 0))
    U, s, _ = np.linalg.svd(table, full_matrices=False)
    keep = s > np.finfo(float).eps * max(table.shape) * s[0]
    return s[keep] ** 2, U[:, keep]
