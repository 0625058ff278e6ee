"""What boosted trees keep, and the room in which they are grown."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.learn.drift import Drift

#: Rows that a refit sees at most, the last ones; of many columns or classes so many as have `MAX_VALUES` values or
#: scores, but `MAX_ROWS_WIDE`.
MAX_ROWS, MAX_VALUES, MAX_ROWS_WIDE = 65536, 1 << 23, 16384
#: Slots of the buffer beyond those, so that rows that come during a refit overwrite none.
SPARE_ROWS = 512
#: Bins of a column beside that of rows without a value, at most; and of a column of which few values come again.
BINS, QUANTILES = 255, 63
#: Parts of equal width of the two bins beside a split.
PARTS = 32
#: Columns that a tree may split at most where all rows have values; columns of few values take less room than one of
#: those, a quarter at least.
COLUMNS, MOST_COLUMNS = 32, 128
#: Numbers that stand for a row while a tree is grown.
GRADIENT, HESSIAN = range(2)
#: Columns of `BoostState.labels`.
LABEL, WEIGHT, BASE = range(3)
#: In place of a column: the node is a leaf.
LEAF = -1
#: Values are kept within this, larger ones would be infinite in float32; an edge with no value below it.
MAX_VALUE, BELOW_ALL = 3e38, -3.4e38

NOW = [(name, "i8") for name in ("rows", "width", "seen", "due", "step", "refit_end", "refit_columns", "refits")]
NOW += [
    (name, "i8")
    for name in ("first_tree", "classes", "refit_classes", "forgotten", "slots", "again", "began", "distinct")
]
NOW += [("trees_end", "i8"), ("part", "i8")]
#: Columns of `BoostState.base_scores`.
IN_USE, NEXT = range(2)
#: Where there are more classes than this no trees are grown: each takes time in proportion to their number.
MAX_CLASSES = 256


class Params(NamedTuple):
    """The constants of a method."""

    loss: int  # `losses.SQUARED`, `LOGISTIC` or `SOFTMAX`
    trees: int
    max_depth: int
    learning_rate: float  # what a leaf's Newton step is multiplied with
    l2: float  # added to the hessian of a leaf
    min_hessian: float  # hessian of the rows on either side of a split, at least
    refit_interval: float  # rows between refits, as a share of those that a refit sees
    regrow_every: int  # a tree is grown anew in one of so many refits, and keeps its splits in the others
    max_columns: int  # columns that there may be
    max_leaf_value: float  # the largest value of a leaf
    several: tuple[bool, ...]  # (True,) of several classes, else (): then what only these need is not compiled


class Trees(NamedTuple):
    """T trees; the children of node k are nodes 2k + 1 and 2k + 2."""

    column: np.ndarray  # int32[T, inner nodes]; that the node splits, or `LEAF`
    threshold: np.ndarray  # float32[T, inner nodes]; values up to this go left
    missing_left: np.ndarray  # bool[T, inner nodes]; whether rows without a value go left
    value: np.ndarray  # float64[T * nodes], of several classes float32[T * nodes * K]; of a leaf, for each class


class BoostState(NamedTuple):
    """All that has been learned.

    Row r of those learned stands in slot r modulo the slots of the buffer. The last seven follow from the others, and a
    packed state is without them; all but `leaf_ids` are of a refit under way, whose rows are those before row
    `refit_end`.
    """

    # structured [1]; rows learned; columns of a slot, and those that a row has had; rows at which the next refit is
    # due; step of the refit under way, 0: none; rows and columns that it goes by; refits begun; the first of the trees
    # that predict, those of the refit under way are the others; scores of a row: classes that the rows learned have
    # shown, and that the refit goes by; 1 but for several classes; rows before the last change, which are forgotten;
    # slots of the buffer; 1 in a further pass; rows before it, or before those that are new after one, and how many
    # of the last ones of these differ; `refit_end` of the trees that predict, 0: none are kept; what has been done of
    # the tree of this step: 0 nothing, 1 it is split, 2 its leaves have values
    now: np.ndarray
    values: np.ndarray  # float32[slots * width]; of the rows kept; 0: none
    labels: np.ndarray  # float64[slots, 3]; label, importance and base of each
    base_scores: np.ndarray  # float64[K, 2]; scores of no tree, of the trees that predict and of those after them
    trees: Trees  # twice as many as predict
    drift: Drift  # changes of the stream, as the errors of the trees name them
    column_codes: np.ndarray  # uint8[columns * rows]; bins of the values, column by column
    bin_edges: np.ndarray  # float32[columns, BINS]; largest values of the bins
    n_bins: np.ndarray  # int64[columns]; bins of a column, 0 where all rows have the same code
    costs: np.ndarray  # int64[columns]; cells of the room of a tree that each takes, see `bins.cost_of`
    relevance: np.ndarray  # float64[columns]; what a split by each alone would gain, see `bins.relevance_of`
    # float64[rows * scores of a row]; by the trees grown so far; of several classes their softmax, padded with 0
    scores: np.ndarray
    # uint8[trees, slots]; node where the row in each slot ends in the tree of each number: rows before `refit_end`
    # where the refit under way has come to it in the new one, all others in that which predicts, if one keeps its
    # splits
    leaf_ids: np.ndarray


class BinningScratch(NamedTuple):
    """Columns while they get their codes."""

    sample: np.ndarray  # float32[SAMPLE]; values, to be sorted
    x: np.ndarray  # float32[BLOCK_ROWS]; values of rows
    below: np.ndarray  # int32[BLOCK_ROWS]; edges below each
    sums: np.ndarray  # float64[BINS + 3, 1 + K]; see `bins.relevance_of`


class Nodes(NamedTuple):
    """Rows and histograms of a tree's nodes."""

    order: np.ndarray  # uint32[MAX_ROWS]; rows, those of a node side by side
    begin: np.ndarray  # int64[nodes]; of the node's rows in `order`
    end: np.ndarray  # int64[nodes]; `begin` of a node that is not in the tree
    packed: np.ndarray  # int64[MAX_ROWS]; of each row, gradient and hessian in units (`tree.pack_grad_hess`)
    scale: np.ndarray  # float64[2]; units in 1
    chosen: np.ndarray  # uint16[MOST_COLUMNS]; columns of the tree: without a sign, as indices with one take longer
    row_cells: np.ndarray  # uint16[MAX_ROWS * COLUMNS]; cells of the values that rows have in these, row by row
    row_begin: np.ndarray  # int64[MAX_ROWS + 1]; where those of each row begin, and all end
    cells: np.ndarray  # int64[MOST_COLUMNS + 1]; where in a histogram those of each column of the tree begin, all end
    hist: np.ndarray  # int64[inner nodes, COLUMNS * (BINS + 1) + 1]; histograms: sums of `packed`; the last of all rows
    below: np.ndarray  # float64[2, BINS]; sums of gradients and hessians, in units, of a column's cells up to each
    gains: np.ndarray  # float64[BINS]; of the splits after each


class PartitionScratch(NamedTuple):
    """Rows of a node while it is split."""

    right_rows: np.ndarray  # uint32[MAX_ROWS]; rows that go right
    edge_rows: np.ndarray  # uint32[MAX_ROWS]; rows in the bins beside the split
    value: np.ndarray  # float32[MAX_ROWS]; of these
    parts: np.ndarray  # int64[PARTS]; their sums
    span: np.ndarray  # float32[PARTS, 2]; their least and largest values


class Scratch(NamedTuple):
    """Room for one row, and for one step of a refit; in parts, as each argument of a kernel's helper is compiled."""

    x: np.ndarray  # float32[columns]; values of a row, zeros between rows
    column_weights: np.ndarray  # int64[columns]; see `tree.weigh_columns`
    binning: BinningScratch
    grad_hess: np.ndarray  # float64[MAX_ROWS, 2]; of each row
    nodes: Nodes
    partition: PartitionScratch
    by_leaf: np.ndarray  # float64[2, nodes, scores of a row]; sums over its rows; of classes then exp of value
    signs: np.ndarray  # float64[scores of a row]; of several classes, in this tree
    total: np.ndarray  # float64[K]; scores of a row
    ends: np.ndarray  # int64[trees]; where it ends


def new_trees(params: Params, scores: int) -> Trees:
    """Trees that are a leaf of value 0 each, for so many scores of a row."""
    T, inner = 2 * params.trees, (1 << params.max_depth) - 1
    return Trees(
        np.full((T, inner), LEAF, np.int32), np.zeros((T, inner), np.float32), np.zeros((T, inner), bool),
        np.zeros(T * (2 * inner + 1) * scores, np.float32 if params.several else np.float64),
    )  # fmt: skip
