"""What boosted trees keep, the room in which they are grown, and the codes of columns.

Columns of the buffer become codes: 0 of rows without a value, else 1 more than the number of its bin. The largest
values of the bins are quantiles of a sample of the rows, or all its values if there are few. So codes keep the order of
values and are invariant to every increasing function of a column; `tree.move_edge` looks between them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sonlearn.jit import bare_inline, forced_inline
from sonlearn.learn.drift import Drift

#: Rows that a refit sees at most, the last ones; of many columns so many as have `NUMBERS` values, but `LEAST_KEPT`.
KEPT, NUMBERS, LEAST_KEPT = 65536, 1 << 23, 16384
#: Slots of the buffer beyond those, so that rows that come during a refit overwrite none.
SPARE = 256
#: Bins of a column beside that of rows without a value.
BINS = 63
#: Parts of equal width of the two bins beside a split.
PARTS = 32
#: Columns that a tree may split at most.
COLUMNS = 32
#: Numbers that stand in a cell of a histogram, and for a row while a tree is grown.
GRADIENT, CURVATURE = range(2)
#: Columns of `BoostState.labels`.
LABEL, IMPORTANCE, BASE = range(3)
#: In place of a column: the node is a leaf.
LEAF = -1
#: Values are kept within this, larger ones would be infinite in float32; an edge with no value below it.
LARGEST, BELOW_ALL = 3e38, -3.4e38

NOW = [(name, "i8") for name in ("rows", "width", "seen", "due", "step", "last", "columns", "refits", "first")]
NOW += [(name, "i8") for name in ("classes", "known", "since", "slots")]
#: Columns of `BoostState.starts`.
IN_USE, NEXT = range(2)
#: Where there are more classes than this no trees are grown: each takes time in proportion to their number.
CLASSES = 40


class Params(NamedTuple):
    """The constants of a method."""

    logistic: bool  # labels are -1 and +1
    several: bool  # labels are the numbers of several classes
    trees: int
    depth: int
    rate: float  # what a leaf's Newton step is multiplied with
    penalty: float  # added to the curvature of a leaf
    least: float  # curvature of the rows on either side of a split, at least, of values
    least_logistic: float  # and of classes
    growth: float  # rows between refits, as a share of those that a refit sees
    most: int  # columns that there may be


class Trees(NamedTuple):
    """T trees; the children of node k are nodes 2k + 1 and 2k + 2."""

    column: np.ndarray  # int32[T, inner nodes]; that the node splits, or `LEAF`
    edge: np.ndarray  # float32[T, inner nodes]; values up to this go left
    none_left: np.ndarray  # bool[T, inner nodes]; whether rows without a value go left
    value: np.ndarray  # float64[T * nodes * K]; of a leaf, for each class, or K = 1


class BoostState(NamedTuple):
    """All that has been learned.

    Row r of those learned stands in slot r modulo the slots of the buffer. The last four are of a refit under way,
    whose rows are those before row `last`: they follow from the others, and a packed state is without them.
    """

    # structured [1]; rows learned; columns of a slot, and those that a row has had; rows at which the next refit is
    # due; step of the refit under way, 0: none; rows and columns that it goes by; refits begun; the first of the trees
    # that predict, those of the refit under way are the others; scores of a row: classes that the rows learned have
    # shown, and that the refit goes by; 1 but for several classes; rows before the last change, which are forgotten;
    # slots of the buffer
    now: np.ndarray
    values: np.ndarray  # float32[slots * width]; of the rows kept; 0: none
    labels: np.ndarray  # float64[slots, 3]; label, importance and base of each
    starts: np.ndarray  # float64[K, 2]; scores of no tree, of the trees that predict and of those after them
    trees: Trees  # twice as many as predict
    drift: Drift  # changes of the stream, as the errors of the trees name them
    codes: np.ndarray  # uint8[rows * columns]; bins of the values
    edges: np.ndarray  # float32[columns, BINS]; largest values of the bins
    sizes: np.ndarray  # int64[columns]; bins of a column, 0 where all rows have the same code
    scores: np.ndarray  # float64[rows * scores]; by the trees grown so far; of several classes their softmax


class Scratch(NamedTuple):
    """Room for one row, and for one step of a refit."""

    x: np.ndarray  # float32[columns]; values of a row, zeros between rows
    sample: np.ndarray  # float32[SAMPLE]
    slopes: np.ndarray  # float64[KEPT, 2]; of each row
    order: np.ndarray  # int32[KEPT]; rows, those of a node side by side
    aside: np.ndarray  # int32[KEPT]
    near: np.ndarray  # int32[KEPT]; rows in the bins beside a split
    leaf: np.ndarray  # int32[KEPT]; of each row, the node where it ends
    chosen: np.ndarray  # uint16[COLUMNS]; columns of the tree: without a sign, since indices with one take longer
    begin: np.ndarray  # int64[nodes]; of the node's rows in `order`
    end: np.ndarray  # int64[nodes]; `begin` of a node that is not in the tree
    by_leaf: np.ndarray  # float64[nodes, K]; curvature of its rows; of several classes exp of its value
    cells: np.ndarray  # float64[inner nodes, COLUMNS * (BINS + 1) * 2]; histograms
    value: np.ndarray  # float32[KEPT]; of the rows in `near`
    parts: np.ndarray  # float64[PARTS, 2]; sums of those rows
    span: np.ndarray  # float32[PARTS, 2]; their least and largest values
    signs: np.ndarray  # float64[K]; of several classes, in this tree
    total: np.ndarray  # float64[K]; scores of a row


def new_trees(params: Params) -> Trees:
    """Trees that are a leaf of value 0 each."""
    T, inner, K = 2 * params.trees, (1 << params.depth) - 1, 0 if params.several else 1
    return Trees(
        np.full((T, inner), LEAF, np.int32), np.zeros((T, inner), np.float32), np.zeros((T, inner), bool),
        np.zeros(T * (2 * inner + 1) * K),
    )  # fmt: skip


#: Rows of which the quantiles are, evenly chosen, at most.
SAMPLE = 1024


# ---------------------------------------------------------------------------------------------------------------- codes


@forced_inline
def rows_kept(columns):
    """How many rows of so many columns a refit goes by at most."""
    return max(min(NUMBERS // max(columns, 1), KEPT), LEAST_KEPT)


@forced_inline
def rows_of_refit(now):
    """How many rows the refit under way goes by."""
    return min(now["last"] - now["since"], rows_kept(now["columns"]))


@forced_inline
def slot_of(now, i):
    """Slot of row i of those that the refit under way goes by."""
    return (now["last"] - rows_of_refit(now) + i) % now["slots"]


@bare_inline
def code_column(state, work, j):
    """Fill in the codes, edges and size of column j."""
    now, edges = state.now[0], state.edges[j]
    n, width, columns = rows_of_refit(now), now["width"], now["columns"]
    size, varies, first = find_edges(edges, work.sample, take_sample(state, work.sample, j)), False, 0
    for i in range(n):
        code = code_of(state.values[slot_of(now, i) * width + j], edges, size)
        state.codes[i * columns + j] = code
        if i == 0:
            first = code
        varies = varies or code != first
    state.sizes[j] = size if varies else 0


@bare_inline
def take_sample(state, sample, j):
    """Fill `sample` with values of column j, sorted; returns how many."""
    now, size = state.now[0], 0
    n, width = rows_of_refit(now), now["width"]
    m = min(n, SAMPLE)
    for k in range(m):
        x = state.values[slot_of(now, k * n // m) * width + j]
        if x != 0.0:
            sample[size] = x
            size += 1
    sort(sample, size)
    return size


@bare_inline
def sort(values, n):
    """Sort the first n values (Shell)."""
    gap = n
    while gap > 1:
        gap = max(gap * 5 // 11, 1)
        for i in range(gap, n):
            x, k = values[i], i
            while k >= gap and values[k - gap] > x:
                values[k] = values[k - gap]
                k -= gap
            values[k] = x


@bare_inline
def find_edges(edges, sample, n):
    """edges <- the largest values of bins of the first n of `sample`, which is sorted; returns how many there are.

    Those beyond are infinite.
    """
    distinct, size = 0, 0
    for i in range(n):
        if i == 0 or sample[i] != sample[i - 1]:
            distinct += 1
    bins = n if distinct <= BINS else BINS
    for k in range(bins):
        x = sample[(k + 1) * n // bins - 1]
        if size == 0 or x > edges[size - 1]:
            edges[size] = x
            size += 1
    for k in range(size, BINS):
        edges[k] = math.inf
    return size


@bare_inline
def code_of(x, edges, size):
    """The code of x: values beyond the last edge are in the last bin.

    A search by halves of `BINS` = 2^6 - 1 edges in as many steps for every x: branches would be foretold wrongly.
    """
    if x == 0.0 or size == 0:
        return 0
    below, step = 0, (BINS + 1) // 2
    while step > 0:
        below += step * (edges[below + step - 1] < x)
        step //= 2
    return min(below, size - 1) + 1
