"""`Rows`: a batch with numbered features, the input of learners."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.jit import inline, jit

#: Columns of `Rows.unseen`.
COUNT, SQUARES = range(2)
#: Number of the constant feature as long as no learned row contained it.
NO_CONSTANT = -2


class Rows(NamedTuple):
    """A batch whose features are numbered from 0 on in the order of first occurrence; none occurs twice in a row.

    Rows with a NaN label or with weight 0 are only predicted. Their features that no learned row contained are left
    out and measured in `unseen`, or have the number -1, possibly repeated, for views (`sonlearn.views.view`). So a
    prediction can see a row as learning from it would, which numbers those features and finds no weights for them.
    """

    indptr: np.ndarray  # int64[n + 1]
    features: np.ndarray  # int64[nnz]
    values: np.ndarray  # float64[nnz]
    y: np.ndarray  # float64[n]
    weight: np.ndarray  # float64[n]
    base: np.ndarray  # float64[n]
    unseen: np.ndarray  # float64[n, 2]; of the entries left out, but zeros: how many, and the sum of their squares
    constant: int = NO_CONSTANT  # number of the constant feature
    # int64[nnz]; ids of the features as they were read, in raw rows that views read (nothing is left out of those)
    ids: np.ndarray = np.zeros(0, np.int64)
    # uint32[nnz]; see `Batch.marks`, in raw rows that views read; uint32[0]: it is not known
    marks: np.ndarray = np.zeros(0, np.uint32)


#: A row with a value beyond this is refused by what squares it, and multiplies such squares.
MAX_INPUT = 1e50

#: An empty batch, to let an engine make room for features alone.
NO_ROWS = Rows(
    np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0), np.zeros((0, 2))
)  # fmt: skip


@inline(force=True)
def begin_row(unseen: np.ndarray, i: int) -> None:
    """Nothing is left out of row i yet. unseen : that of `Rows`"""
    unseen[i, COUNT] = unseen[i, SQUARES] = 0.0


@inline(force=True)
def leave_out(unseen: np.ndarray, i: int, x: float) -> None:
    """Measure an entry of row i that is left out: a value x other than 0."""
    unseen[i, COUNT] += 1.0
    unseen[i, SQUARES] += x * x


@inline(force=True)
def is_learned(weight: float, y: float) -> bool:
    """Return whether a row is learned from: it has a label and a weight above 0. `learned_rows` asks it of all rows."""
    return weight > 0.0 and y == y


@inline(force=True)
def entries(rows: Rows, i: int) -> tuple[np.ndarray, np.ndarray]:
    """(features, values) of row i: views. Loops over them need not ask whether an index counts from the end.

    For bare kernels: one that counts references would count these once too little.
    """
    begin, end = rows.indptr[i], rows.indptr[i + 1]
    return rows.features[begin:end], rows.values[begin:end]


@inline(force=True)
def features_with(feats: np.ndarray, seen: int) -> int:
    """Return how many features there are with the numbers `feats` beside the first `seen`. feats : int64[s]"""
    for at in range(len(feats)):
        seen = max(seen, feats[at] + 1)
    return seen


@inline
def spread(rows, i, x):  # type: ignore[no-untyped-def]
    """x <- row i, zeros included; returns (its features are below this, x'x).

    Features that x, float64[features], has no room for are left out.
    """
    d, squares = 0, 0.0
    for f in range(len(x)):
        x[f] = 0.0
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, value = rows.features[at], rows.values[at]
        if f < len(x):
            x[f] = value
            d = max(d, f + 1)
            squares += value * value
    return d, squares


def learned_rows(rows: Rows) -> np.ndarray:
    """bool[n]: which rows are learned from: those with a label, and a weight above 0."""
    return np.asarray(~np.isnan(rows.y) & (rows.weight > 0))


def longest_row(rows: Rows) -> int:
    """Entries of the longest row; at least 1."""
    if len(rows.y) <= 1:  # quicker, which counts for one row
        return max(int(rows.indptr[-1]), 1)
    return int(np.diff(rows.indptr).max(initial=1))


def rows_between(rows: Rows, start: int, stop: int) -> Rows:
    """Rows start..stop-1."""
    if start == 0 and stop == len(rows.y):
        return rows
    begin, end = rows.indptr[start], rows.indptr[stop]
    return rows._replace(
        indptr=rows.indptr[start : stop + 1] - begin, features=rows.features[begin:end], values=rows.values[begin:end],
        y=rows.y[start:stop], weight=rows.weight[start:stop], base=rows.base[start:stop],
        unseen=rows.unseen[start:stop], ids=rows.ids[begin:end], marks=rows.marks[begin:end],
    )  # fmt: skip


@jit
def first_out_of_bounds(indptr, values, y, weight, start, limit):  # type: ignore[no-untyped-def]
    """First row from `start` on with a value, label or weight beyond `limit`, or n."""
    for i in range(start, len(y)):
        beyond = 1 if abs(y[i]) > limit or weight[i] > limit else 0
        row = values[indptr[i] : indptr[i + 1]]
        for k in range(len(row)):  # to the end, which is quicker than to look at each whether it is one
            beyond |= 0 if abs(row[k]) <= limit else 1
        if beyond:
            return i
    return len(y)
