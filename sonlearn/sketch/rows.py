"""Blocks of rows (dense or sparse), and tables over the columns that have occurred."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from sonlearn.data.arrays import collected
from sonlearn.errors import InputError

#: The arrays of a CSR matrix.
_CSR = ("data", "indices", "indptr")
#: Squares and their sums must stay finite.
_MAX_VALUE = 1e150
#: Smallest squared norm of a row whose products are accurate, and squared norm of earlier rows that make it negligible.
_MIN_SQUARED_NORM, _NEGLIGIBLE_BESIDE = 1e-290, 1e-270


def as_block(X) -> np.ndarray | sp.csr_array:
    """Check and convert input rows: float64, two-dimensional, finite; sparse input becomes CSR without duplicates.

    Parameters
    ----------
    X : array_like (n, d), or SciPy sparse matrix or array of any format, of either index width
        A one-dimensional array is one row.

    Returns
    -------
    ndarray or csr_array (n, d); the input itself where nothing had to change.

    Raises
    ------
    InputError
        Not a real matrix, or a value that is nan, infinite, or beyond 1e150 (its square would overflow).
    """
    block = sp.csr_array(X) if sp.issparse(X) else np.atleast_2d(collected(X))
    if block.dtype.kind not in "biuf":
        raise InputError("<matrix>", f"values of type {block.dtype}", "real numbers")
    if block.ndim != 2:
        raise InputError("<matrix>", f"an array of {block.ndim} dimensions", "rows and columns")
    block = block.astype(np.float64, copy=False)
    if sp.issparse(block) and not block.has_canonical_format:
        block = block.copy()
        block.sum_duplicates()
    values = _entries(block)
    if values.size and not np.abs(values).max() < _MAX_VALUE:  # also catches nan
        block = sp.csr_array(block)
        place = int(np.flatnonzero(~(np.abs(block.data) < _MAX_VALUE))[0])
        row, column = int(np.searchsorted(block.indptr, place, side="right")), int(block.indices[place]) + 1
        raise InputError("<matrix>", f"{block.data[place]}", f"finite numbers below {_MAX_VALUE:g}", row, column)
    return block


def _entries(block) -> np.ndarray:
    """Those of a dense block in its order; of a sparse one those that it holds."""
    return block.data if sp.issparse(block) else block.ravel()


def check_small(block, sums: np.ndarray) -> None:
    """Refuse rows whose squares underflow, unless the earlier rows make them negligible.

    Parameters
    ----------
    sums : float64[n + 1]
        ||A||_F^2 before each row of the block, and after the last.

    Raises
    ------
    InputError
        A row that is not zero has a norm below 1e-145, and ||A||_F before it is below 1e-135.
    """
    for row in np.flatnonzero((np.diff(sums) < _MIN_SQUARED_NORM) & (sums[:-1] < _NEGLIGIBLE_BESIDE)):
        values = _entries(block[[row]])
        if values.size and np.abs(values).max() > 0 and float(values @ values) < _MIN_SQUARED_NORM:
            found = f"a row whose largest value is {np.abs(values).max():g}"
            raise InputError("<matrix>", found, "a norm of 0, or at least 1e-145; scale the data up", int(row) + 1)


def squared_norm(block) -> float:
    """||X||_F^2."""
    values = _entries(block)
    return float(values @ values)


def row_squares(block) -> np.ndarray:
    """Squared Euclidean norm of every row, float64[n]."""
    if sp.issparse(block):
        return np.asarray((block * block).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", block, block)


def stack(blocks: list) -> np.ndarray | sp.csr_array:
    """Blocks of one kind (all dense or all sparse) as one."""
    if len(blocks) == 1:
        return blocks[0]
    if not sp.issparse(blocks[0]):
        return np.vstack(blocks)
    width = max(block.shape[1] for block in blocks)
    indptr = np.concatenate([[0], *(np.diff(block.indptr) for block in blocks)]).cumsum()
    indices = np.concatenate([block.indices.astype(np.int64, copy=False) for block in blocks])
    data = np.concatenate([block.data for block in blocks])
    return sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, width))


class ColumnIndex:
    """The columns that have occurred, numbered by slots in order of occurrence.

    Dense input has all columns from the start, and slot = column. For sparse input no array has length d, so d may be
    2^40.
    """

    def __init__(self, ids: np.ndarray | None = None):
        self.ids = np.empty(0, np.int64) if ids is None else ids  # column of each slot
        self._order = np.argsort(self.ids, kind="stable")

    def __len__(self) -> int:
        return len(self.ids)

    def find(self, columns: np.ndarray) -> np.ndarray:
        """Slot of each column, int64[n]; -1 for a column that has not occurred."""
        slots = np.append(self._order, -1)[np.searchsorted(self.ids, columns, sorter=self._order)]
        return np.where(np.append(self.ids, -1)[slots] == columns, slots, -1)

    def add(self, columns: np.ndarray) -> np.ndarray:
        """Slot of each of the (ascending, distinct) columns; new ones get the next free slots."""
        new = columns[self.find(columns) < 0]
        if len(new):
            self.ids = np.concatenate([self.ids, new])
            self._order = np.argsort(self.ids, kind="stable")
        return self.find(columns)


class Active:
    """Some rows, restricted to the columns they use: X = local at the slots `slots`, zero elsewhere.

    `local` is (n, a), CSR or dense; `slots` is int64[a], or a full slice for dense rows.
    """

    def __init__(self, rows: np.ndarray | sp.csr_array, columns: ColumnIndex | None):
        if columns is None:
            self.local, self.slots = rows, slice(None)
            return
        used, inverse = np.unique(rows.indices, return_inverse=True)
        self.slots = columns.add(used.astype(np.int64))
        self.local = sp.csr_array((rows.data, inverse, rows.indptr), shape=(rows.shape[0], len(used)))

    def gram(self) -> np.ndarray:
        """X X', float64[n, n]."""
        product = self.local @ self.local.T
        return product.toarray() if sp.issparse(product) else product

    def times(self, table: np.ndarray) -> np.ndarray:
        """X T for a table float64[slots, k]; the table may be shorter than the slots in use (zero beyond)."""
        if isinstance(self.slots, slice):
            return self.local @ table
        known = self.slots < len(table)
        picked = np.zeros((len(self.slots), table.shape[1]))
        picked[known] = table[self.slots[known]]
        return self.local @ picked

    def add_to(self, table: np.ndarray, coefficients: np.ndarray) -> None:
        """T += X' C, in place, for C float64[n, k]: touches the active slots only."""
        table[self.slots] += self.local.T @ coefficients


class RowBuffer:
    """Rows that wait for the next decomposition, in their original form."""

    def __init__(self) -> None:
        self.blocks: list = []
        self.count = 0

    def add(self, block) -> None:
        """Append a copy, because the caller may modify its array later."""
        self.blocks.append(block.copy())
        self.count += block.shape[0]

    def rows(self):
        """All of them as one block; at least one must wait."""
        return stack(self.blocks)

    def take(self):
        """Return `rows` and remove them."""
        rows = self.rows()
        self.blocks, self.count = [], 0
        return rows

    def state(self) -> dict[str, np.ndarray]:
        """Arrays for a file: none, ``raw``, or the three of CSR."""
        if not self.count:
            return {}
        block = self.rows()
        return {f"raw_{name}": getattr(block, name) for name in _CSR} if sp.issparse(block) else {"raw": block}

    def restore(self, arrays: dict[str, np.ndarray], width: int | None) -> None:
        """Inverse of `state`. Raises ValueError for inconsistent arrays (a foreign file)."""
        if "raw" in arrays:
            if arrays["raw"].ndim != 2 or arrays["raw"].shape[1] != width:
                raise ValueError(f"rows of shape {arrays['raw'].shape}")
            self.blocks = [arrays["raw"]]
        elif "raw_indptr" in arrays:
            data, indices, indptr = (arrays[f"raw_{name}"] for name in _CSR)
            ordered = len(indptr) and indptr[0] == 0 and (np.diff(indptr) >= 0).all() and indptr[-1] == len(indices)
            inside = not len(indices) or (indices.min() >= 0 and indices.max() < (width or 0))
            if not (ordered and inside and len(indices) == len(data)):
                raise ValueError("rows with indices out of range")
            self.blocks = [sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, width))]
        self.count = sum(block.shape[0] for block in self.blocks)
