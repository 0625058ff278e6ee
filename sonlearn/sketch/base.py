"""The base class of all sketches: rows in, B out, transform, counters, files."""

from __future__ import annotations

import os
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from sonlearn.errors import InputError, OptionError
from sonlearn.files import storage
from sonlearn.sketch import rows as _rows
from sonlearn.sketch.rows import Active, ColumnIndex, RowBuffer, as_block

#: The kind of a sketch's file, in its header.
KIND = "sketch"


class Result(NamedTuple):
    """A'A is approximated by V diag(squares) V' + alpha I.

    Attributes
    ----------
    squares : float64[k], descending
        Squared singular values of B, which are the eigenvalues of B'B.
    vectors : float64[c, k]
        V over the slots, orthonormal columns.
    ids : int64[c] or None
        Column of each slot; None: slot = column.
    alpha : float
    escaped : float
        Delta, the sum of the shrinks' deltas: ||A'A - B'B||_2 <= Delta (0 for other sketches).
    """

    squares: np.ndarray
    vectors: np.ndarray
    ids: np.ndarray | None
    alpha: float = 0.0
    escaped: float = 0.0


class Sketch:
    """Base class of sketches of a matrix A that arrives row by row, in blocks of any size.

    The sketch is the same, bit for bit, however the rows are divided into calls of `update`, and after `save` and
    `sonlearn.sketch.load`. Dense blocks (NumPy) and sparse ones (SciPy, every format and index width) may be mixed. The
    first block decides the storage: over all columns, or over the columns that occur. All arithmetic is float64.

    Attributes
    ----------
    n_features : int or None
        d, once known.
    n_seen : int
        Rows so far.
    frobenius : float
        ||A||_F^2 so far.
    """

    #: Name in files; set by each class.
    kind = ""
    #: alpha before any row.
    alpha_0 = 0.0
    #: Whether B'B <= A'A is known (as quadratic forms).
    underestimates = False

    def __init__(self) -> None:
        self.n_features: int | None = None
        self.n_seen = 0
        self.frobenius = 0.0
        self._dense: bool | None = None
        self._columns: ColumnIndex | None = None
        self._cached: Result | None = None
        self._waiting = RowBuffer()

    # -- rows in ---------------------------------------------------------------------------------------------------

    def update(self, X: Any, *, grow: bool = False) -> Self:
        """Add the rows of X to the sketch.

        Parameters
        ----------
        X : array_like or SciPy sparse (n, d)
        grow : bool
            Accept blocks wider than the earlier ones, as in streams of sparse text (new columns were zero so far).

        Returns
        -------
        self

        Raises
        ------
        InputError
            Not a real, finite matrix, not as wide as the blocks before, or rows so small that their squares vanish
            (`rows.check_small`).
        """
        block = as_block(X)
        sums = np.concatenate([[self.frobenius], _rows.row_squares(block)]).cumsum()
        _rows.check_small(block, sums)
        self._check_width(block, grow)
        block = self._as_held(block)
        self._cached = None
        self._consume(block)
        self.n_seen += block.shape[0]
        self.frobenius = float(sums[-1])
        return self

    def _check_width(self, block: Any, grow: bool) -> None:
        if self.n_features is None:
            self.n_features = block.shape[1]
        elif grow:
            self.n_features = max(self.n_features, block.shape[1])
            if self._dense and block.shape[1] != self.n_features:
                raise InputError("<matrix>", f"{block.shape[1]} columns", "a sketch of sparse rows to grow")
        elif block.shape[1] != self.n_features:
            raise InputError("<matrix>", f"{block.shape[1]} columns", f"{self.n_features} as before")

    def _as_held(self, block: Any) -> Any:
        """`block` in the form of this sketch (dense or sparse); the first block decides the form."""
        if self._dense is None:
            self._dense = not sp.issparse(block)
            self._columns = None if self._dense else ColumnIndex()
        if self._dense and sp.issparse(block):
            return block.toarray()
        if not self._dense and not sp.issparse(block):
            return sp.csr_array(block)
        return block

    def _consume(self, block: Any) -> None:
        """Let rows wait, and take them in whenever there is no room for more."""
        start = 0
        while start < block.shape[0]:
            piece = block[start : start + self._room()]
            self._waiting.add(piece)
            start += piece.shape[0]
            if not self._room():
                self._take_in()

    def _room(self) -> int:
        """Return how many more rows may wait."""
        raise NotImplementedError

    def _take_in(self) -> None:
        """Take in the rows that wait."""
        raise NotImplementedError

    # -- B out -----------------------------------------------------------------------------------------------------

    def result(self) -> Result:
        """The decomposition of the current sketch, cached until the next update. Does not change the sketch."""
        if self._cached is None:
            found = self._read()
            if found.ids is None and not len(found.vectors):  # nothing decomposed yet
                found = found._replace(vectors=np.zeros((self.n_features or 0, 0)))
            self._cached = found
        return self._cached

    def _read(self) -> Result:
        raise NotImplementedError

    def _factor(self) -> tuple[np.ndarray, np.ndarray | None]:
        """B' over the slots, float64[c, rows], and the columns of the slots."""
        result = self.result()
        return result.vectors * np.sqrt(result.squares), result.ids

    def matrix(self) -> np.ndarray | sp.csr_array:
        """B, float64[at most size, d]: an array for a sketch of dense rows, CSR over the columns seen for sparse."""
        return self._spread(*self._factor())

    def table(self) -> Any:
        """The nonzero entries of B as a table of pyarrow (extra ``arrow``): row, column, value.

        pandas, polars and DuckDB take it without a copy: ``polars.DataFrame(sketch.table())``.
        """
        import pyarrow

        B = sp.coo_array(self.matrix())
        row, column = (np.asarray(part, dtype=np.int64) for part in B.coords)
        order = np.lexsort((column, row))
        return pyarrow.table({"row": row[order], "column": column[order], "value": B.data[order]})

    def components(self, k: int | None = None) -> np.ndarray | sp.csr_array:
        """The top k right singular vectors of B as rows, of the same type as `matrix`; all if there are fewer."""
        result = self.result()
        return self._spread(result.vectors[:, :k], result.ids)

    def eigenvalues(self) -> np.ndarray:
        """Eigenvalues of B'B (alpha not added), float64[k], descending."""
        return self.result().squares.copy()

    @property
    def alpha(self) -> float:
        """alpha in A'A ~ B'B + alpha I, for the B of `matrix`; 0 for sketches without one."""
        return self.result().alpha

    def covariance_error_bound(self) -> float:
        """An upper bound of ||A'A + alpha_0 I - B'B - alpha I||_2; inf for sketches without one."""
        return float("inf")

    def transform(self, X: Any, k: int | None = None) -> np.ndarray:
        """Coordinates of rows on the top k directions (no centring), float64[n, k]; unknown columns count as 0.

        Raises
        ------
        InputError
            X is not as wide as the sketch, or the sketch is still empty.
        """
        block = as_block(X)
        if self.n_features is None:
            raise InputError("<matrix>", "a sketch without rows", "update(X) first")
        if block.shape[1] != self.n_features:
            raise InputError("<matrix>", f"{block.shape[1]} columns", f"{self.n_features} as in the sketch")
        return _project(block, self.result(), k)

    def _spread(self, table: np.ndarray, ids: np.ndarray | None) -> np.ndarray | sp.csr_array:
        """Table over slots float64[c, k] -> rows over all columns (k, d)."""
        if ids is None:
            return np.ascontiguousarray(table.T) if len(table) else np.zeros((table.shape[1], self.n_features or 0))
        order = np.argsort(ids)
        c, k = table.shape
        indices = np.tile(ids[order], k)
        indptr = np.arange(k + 1, dtype=np.int64) * c
        return sp.csr_array((table[order].T.ravel(), indices, indptr), shape=(k, self.n_features or 0))

    # -- together --------------------------------------------------------------------------------------------------

    def merge(self, other: Sketch) -> Self:
        """Take in what `other` has seen; `other` is left as it is. Returns self.

        Raises
        ------
        OptionError
            The two sketches are not of the same method and size, or the method does not merge.
        """
        if type(other) is not type(self) or other._mergeable() != self._mergeable():
            raise OptionError("merge: the sketches differ in method, size or settings; make both with the same ones")
        if other is self:
            raise OptionError("merge: a sketch cannot be merged with itself; load a second copy")
        if other.n_features is None:
            return self
        if self._dense is None:
            self._dense = other._dense
            self._columns = None if self._dense else ColumnIndex()
        if self._dense and other.n_features != (self.n_features or other.n_features):
            raise OptionError(f"merge: {other.n_features} columns with {self.n_features}")
        if other.n_features != self.n_features:
            self.n_features, self._cached = max(self.n_features or 0, other.n_features), None
        if not other.n_seen:
            return self
        self._cached = None
        self._absorb(other)
        self.n_seen += other.n_seen
        self.frobenius += other.frobenius
        return self

    def _absorb(self, other: Any) -> None:
        raise NotImplementedError

    # -- state in files --------------------------------------------------------------------------------------------

    def _values(self) -> dict[str, Any]:
        """Settings as JSON values: what the constructor needs."""
        raise NotImplementedError

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> Sketch:
        """An empty sketch with these settings: inverse of `_values`."""
        return cls(**values)

    def _mergeable(self) -> dict[str, Any]:
        """Return what two sketches must share to be merged: all but the seed."""
        return {name: value for name, value in self._values().items() if name != "seed"}

    def settings(self) -> dict[str, Any]:
        """Settings by name, a rule's values among them: for people."""
        values = dict(self._values())
        rule: dict[str, Any] = values.pop("rule", {})
        return rule | values

    def _state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Counters as JSON values and arrays, beyond those of the base and the rows that wait."""
        raise NotImplementedError

    def _restore(self, counters: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Inverse of `_state`."""
        raise NotImplementedError

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file, whole or not at all; `sonlearn.sketch.load` reads it.

        Raises
        ------
        ModelFileError
            The file cannot be written.
        """
        counters, arrays = self._state()
        counters |= {
            "n_features": self.n_features, "n_seen": self.n_seen, "frobenius": self.frobenius, "dense": self._dense,
        }  # fmt: skip
        arrays |= self._waiting.state()
        if self._columns is not None:
            arrays["columns"] = self._columns.ids
        header = {"kind": KIND, "sketch": self.kind, "values": self._values(), "counters": counters}
        storage.write(path, header, arrays)

    @classmethod
    def restored(cls, values: dict[str, Any], counters: dict[str, Any], arrays: dict[str, np.ndarray]) -> Sketch:
        """Inverse of `save`, from the parts of the file. KeyError, ValueError or TypeError where they do not fit."""
        sketch = cls.from_values(values)
        sketch.n_features, sketch.n_seen = counters["n_features"], int(counters["n_seen"])
        sketch.frobenius, sketch._dense = float(counters["frobenius"]), counters["dense"]
        if sketch._dense is False:
            sketch._columns = ColumnIndex(arrays["columns"])
        sketch._waiting.restore(arrays, sketch.n_features)
        sketch._restore(counters, arrays)
        return sketch


def signed(vectors: np.ndarray) -> np.ndarray:
    """The same directions, each with its largest entry positive, so that equal sketches read equal."""
    if not vectors.size:
        return vectors
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return vectors * np.where(largest < 0, -1.0, 1.0)


def _project(block: Any, result: Result, k: int | None) -> np.ndarray:
    vectors = result.vectors[:, :k]
    if result.ids is None:
        return np.asarray(block @ vectors)
    if not sp.issparse(block):
        return np.asarray(block[:, result.ids] @ vectors)
    return np.asarray(Active(block, ColumnIndex(result.ids)).times(vectors))
