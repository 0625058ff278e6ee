"""Sketches for comparison with frequent directions: random projection, row sampling by norm, Oja's rule."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import scipy.sparse as sp

from sonlearn.errors import OptionError
from sonlearn.sketch import rows as _rows
from sonlearn.sketch.base import Result, Sketch, signed
from sonlearn.sketch.rows import Active, ColumnIndex

#: Rows of an internal batch; the batches do not depend on the calls of `update`.
_BATCH = 256


class _Batched(Sketch):
    """A sketch that processes batches of a fixed number of rows, and draws random numbers for them.

    Subclasses define `_step(rows, columns, rng)`, which returns the next state and does not modify the current one. The
    state is `self._now`, a tuple of arrays with the names `_names`.
    """

    _names: tuple[str, ...] = ()
    _batch = _BATCH

    def __init__(self, size: int, seed: int = 0):
        if size < 1:
            raise OptionError(f"sketch size {size}: expected at least 1")
        super().__init__()
        self.size, self.seed = int(size), int(seed)
        self._rng = np.random.default_rng(self.seed)
        self._now = self._start()

    def _start(self) -> tuple[np.ndarray, ...]:
        raise NotImplementedError

    def _step(self, rows, columns: ColumnIndex | None, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
        raise NotImplementedError

    def _room(self) -> int:
        return self._batch - self._waiting.count

    def _take_in(self) -> None:
        self._now = self._step(self._waiting.take(), self._columns, self._rng)

    def _read(self) -> Result:
        table, ids = self._factor()
        return Result(*_svd(table), ids)

    def _flushed(self) -> tuple[tuple[np.ndarray, ...], np.ndarray | None]:
        """(a copy of the state that includes the waiting rows, the columns of its slots)."""
        columns = None if self._columns is None else ColumnIndex(self._columns.ids)
        now = self._now
        if self._waiting.count:
            now = self._step(self._waiting.rows(), columns, copy.deepcopy(self._rng))
        return now, None if columns is None else columns.ids

    def _grown(self, table: np.ndarray, columns: ColumnIndex | None) -> np.ndarray:
        """A copy of a table over slots, with zero rows for the slots that are new."""
        width = self.n_features if columns is None else len(columns)
        return np.vstack([table, np.zeros((width - len(table), table.shape[1]))])

    def _values(self) -> dict[str, Any]:
        return {"size": self.size, "seed": self.seed}

    def _state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        return {"rng": self._rng.bit_generator.state}, dict(zip(self._names, self._now, strict=True))

    def _restore(self, counters: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self._rng.bit_generator.state = counters["rng"]
        self._now = tuple(arrays[name] for name in self._names)
        if self._now[0].ndim != 2:
            raise ValueError("a table of wrong shape")


class RandomProjection(_Batched):
    """B = R A with a random R (l x n), E[R'R] = I: B'B is an unbiased estimate of A'A.

    Parameters
    ----------
    size : int
        l.
    nonzeros : int
        0: R is Gaussian, N(0, 1/l), l flops a nonzero. s > 0: every column of R has s entries +-1/sqrt(s), one in each
        of s equal parts of the l rows (sparse sign, the block form of OSNAP, Nelson & Nguyen 2013): s flops a nonzero.
    seed : int
        Sketches that are to be merged must differ in it: their R are columns of one R.
    """

    kind = "projection"
    _names = ("table",)

    def __init__(self, size: int, nonzeros: int = 0, seed: int = 0):
        if not 0 <= nonzeros <= size:
            raise OptionError(f"sparse sign: {nonzeros} nonzeros: expected 1 to the sketch size {size}")
        self.nonzeros = int(nonzeros)
        super().__init__(size, seed)

    def _start(self) -> tuple[np.ndarray, ...]:
        return (np.zeros((0, self.size)),)

    def _draw(self, n: int, rng: np.random.Generator) -> np.ndarray | sp.csr_array:
        """n columns of R, as rows (n, l)."""
        if not self.nonzeros:
            return rng.standard_normal((n, self.size)) / np.sqrt(self.size)
        s = self.nonzeros
        edges = np.arange(s + 1) * self.size // s
        draw = np.floor(rng.random((n, s)) * 2 * np.diff(edges)).astype(np.int64)  # place and sign in one number
        values = np.where(draw % 2, 1.0, -1.0) / np.sqrt(s)
        return sp.csr_array((values.ravel(), (edges[:-1] + draw // 2).ravel(), np.arange(n + 1) * s), (n, self.size))

    def _step(self, rows, columns, rng):
        X = Active(rows, columns)
        table = self._grown(self._now[0], columns)
        R = self._draw(rows.shape[0], rng)
        if sp.issparse(R):
            product = sp.coo_array(sp.csr_array(X.local).T @ R)
            slots = product.row if isinstance(X.slots, slice) else X.slots[product.row]
            table[slots, product.col] += product.data
        else:
            X.add_to(table, R)
        return (table,)

    def _factor(self) -> tuple[np.ndarray, np.ndarray | None]:
        (table,), ids = self._flushed()
        return table, ids

    def _absorb(self, other: RandomProjection) -> None:
        _check_seeds(self, other)
        table, ids = other._factor()
        slots = slice(None) if ids is None else self._columns.add(np.sort(ids))
        mine = self._grown(self._now[0], self._columns)
        mine[slots] += table if ids is None else table[np.argsort(ids)]
        self._now = (mine,)

    def _values(self) -> dict[str, Any]:
        return super()._values() | {"nonzeros": self.nonzeros}


class RowSampling(_Batched):
    """l rows drawn with replacement, with probability proportional to ||a||^2, scaled so that E[B'B] = A'A.

    One pass: each of the l places keeps the row with the smallest Exp(1) / ||a||^2 (a race of exponentials, whose
    winner has exactly these probabilities), which also makes the merge of two samples exact.
    """

    kind = "sampling"
    _names = ("table", "keys")

    def _start(self) -> tuple[np.ndarray, ...]:
        return np.zeros((0, self.size)), np.full(self.size, np.inf)

    def _step(self, rows, columns, rng):
        weights = _rows.row_squares(rows)
        with np.errstate(divide="ignore"):
            keys = rng.standard_exponential((len(weights), self.size)) / weights[:, None]
        first = keys.argmin(axis=0)
        return self._race(keys[first, np.arange(self.size)], rows[first], columns)

    def _race(self, keys: np.ndarray, rows, columns: ColumnIndex | None) -> tuple[np.ndarray, ...]:
        """Put rows[j] at place j where its key is smaller."""
        table, mine = self._now
        won = np.flatnonzero(keys < mine)
        X = Active(rows[won], columns)
        table = self._grown(table, columns)
        table[:, won] = 0.0
        table[X.slots if isinstance(X.slots, slice) else X.slots[:, None], won] = _dense(X.local).T
        return table, np.minimum(keys, mine)

    def _factor(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Every row of B has the norm ||A||_F / sqrt(l)."""
        (table, _), ids = self._flushed()
        squares = np.einsum("ij,ij->j", table, table)
        scale = np.divide(self.frobenius / self.size, squares, out=np.zeros(self.size), where=squares > 0)
        return table * np.sqrt(scale), ids

    def _absorb(self, other: RowSampling) -> None:
        _check_seeds(self, other)
        (table, keys), ids = other._flushed()
        rows = table.T if ids is None else other._spread(table, ids)
        self._now = self._race(keys, self._as_held(rows), self._columns)


class Oja(_Batched):
    """Oja's rule on batches of l rows: V <- orth(V + (X'X V) diag(step)), squares += diag(V' X'X V).

    [SON] Alg. 3-5 (there a row at a time; the eigenvalue estimate is taken before the step, as there). Where V has
    fewer than l columns, those of the batch's singular vectors outside of V that are not zero are appended after the
    step, strongest first, with their squared singular values: so rows of zeros or of low rank at the beginning cost
    nothing ([SON] begins with random directions).

    Steps: ``1/t`` ([SON]; t counts rows, and the scale of the data is not known to it), or ``adaptive`` (AdaOja,
    Henriksen & Ward 2019: 1 / b, b^2 the summed squared norms of the gradients X'X v, one b a direction). AdaOja leaves
    b_0 > 0 to the user. Here b_0 of a direction is s, its squared singular value in the batch that brought it, which is
    the norm of its first gradient: of the data's own scale, and a small batch after that turns V by little. It has no
    guarantee in the worst case, and Oja sketches cannot be merged.
    """

    kind = "oja"
    _names = ("table", "squares", "steps", "rounds")

    def __init__(self, size: int, step: str = "adaptive"):
        if step not in ("1/t", "adaptive"):
            raise OptionError(f"oja: step {step}: expected 1/t or adaptive")
        self.step, self._batch = step, int(size)
        super().__init__(size)

    def _start(self) -> tuple[np.ndarray, ...]:
        return np.zeros((0, 0)), np.empty(0), np.empty(0), np.zeros(1)

    def _step(self, rows, columns, rng):
        V, squares, steps, rounds = self._now
        X = Active(rows, columns)
        V, t = self._grown(V, columns), rounds + rows.shape[0]
        if V.shape[1]:
            P = X.times(V)
            G = np.zeros_like(V)
            X.add_to(G, P)
            steps = np.hypot(steps, _norms(G))
            V = np.linalg.qr(V + G * (1 / t if self.step == "1/t" else 1 / steps))[0]
            squares = squares + np.einsum("ij,ij->j", P, P)
        if V.shape[1] < self.size:
            found, U = self._outside(X, V)
            V, squares, steps = np.hstack([V, U]), np.append(squares, found), np.append(steps, found)
        return V, squares, steps, t

    def _outside(self, X: Active, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Squared singular values and directions of X outside of V, at most as many as V has room for."""
        R = np.zeros((len(V), X.local.shape[0]))
        X.add_to(R, np.eye(X.local.shape[0]))
        scale = np.linalg.norm(R, 2) if R.size else 0.0
        for _ in range(2):  # "twice is enough": what is left is orthogonal to V to rounding
            R -= V @ (V.T @ R)
        squares, U = _svd(R, scale)
        room = self.size - V.shape[1]
        return squares[:room], U[:, :room]

    def _read(self) -> Result:
        (V, squares, _, _), ids = self._flushed()
        order = np.argsort(-squares, kind="stable")
        return Result(squares[order], signed(V[:, order]), ids)

    def _absorb(self, other: Oja) -> None:
        raise OptionError("merge: Oja sketches cannot be merged; --method fd and rfd can, within their bound")

    def _values(self) -> dict[str, Any]:
        return {"size": self.size, "step": self.step}


def _norms(G: np.ndarray) -> np.ndarray:
    """Norms of the columns, float64[k], without squaring G, whose entries are of the order of the data squared."""
    largest = np.abs(G).max(initial=np.finfo(float).tiny)
    scaled = G / largest
    return largest * np.sqrt(np.einsum("ij,ij->j", scaled, scaled))


def _check_seeds(mine: _Batched, other: _Batched) -> None:
    if mine.seed == other.seed:
        raise OptionError(f"merge: both sketches have seed {mine.seed}; give each part its own --seed")


def _dense(block) -> np.ndarray:
    return block.toarray() if sp.issparse(block) else block


def _svd(table: np.ndarray, scale: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Squared singular values, descending, and left singular vectors of a table, without those that are zero.

    A singular value counts as zero if it is below the rounding error of `scale` (None: of the largest singular value).
    """
    if not table.size:
        return np.empty(0), np.zeros((len(table), 0))
    U, s, _ = np.linalg.svd(table, full_matrices=False)
    zero = np.finfo(float).eps * max(table.shape) * (s[0] if scale is None else scale)
    keep = (s > zero) & (s * s > 0)
    return s[keep] ** 2, signed(U[:, keep])
