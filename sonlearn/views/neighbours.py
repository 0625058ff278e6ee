"""A view that sees what stands side by side in a row: words in a text, letters of a sequence, points of a picture."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data.axes import Scalars
from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import bare_jit, forced_inline
from sonlearn.views.codes import KEY, KEY_BITS, float_code, key_of, tamed
from sonlearn.views.numbers import (
    LIMIT,
    SLOTS,
    Numbering,
    NumberTable,
    lacks_room,
    new_marks,
    number_row,
    shift_of,
)
from sonlearn.views.view import new_now

#: Mantissa bits of the bins (`float_code`); entries up to so far apart are neighbours.
RESOLUTION, REACH = 1, 3
#: A quarter of the numbers, as of pairs: in text most of what is new never comes again.
MOST_NEIGHBOURS = LIMIT >> 2


class NeighboursState(NamedTuple):
    """What has been numbered."""

    # features (all are made up); raw: features of the raw rows; made; combined: those of the rows learned, each time
    now: Annotated[np.ndarray, Scalars(totals=("combined",), features="raw")]
    slots: Annotated[np.ndarray, SLOTS]  # int64[power of two], see `numbers`


class NeighboursParams(NamedTuple):
    """What a row becomes."""

    limit: int


class NeighboursScratch(NamedTuple):
    """One row under way."""

    codes: np.ndarray  # int64[longest row]; key of each entry
    keys: np.ndarray  # int64[(REACH + 1) longest row]
    fetched: np.ndarray  # int64[the same]; what `first_slot` has read
    marks: np.ndarray  # see `put`


class Neighbours(Numbering):
    """Indicators of the bins of entries up to `REACH` apart, in the order of the row, and of three side by side.

    Each has the value 1/sqrt(their number in the row). While half or more of what has been made up was new, as in text,
    only entries side by side are taken.

    Parameters
    ----------
    limit : int
        Features that get a number of their own, at most.
    """

    def __init__(self, *, limit: int = MOST_NEIGHBOURS):
        super().__init__(NeighboursParams(limit), join_rows)

    def _new_work(self, longest: int) -> NeighboursScratch:
        most = longest * (REACH + 1)
        return NeighboursScratch(
            np.zeros(longest, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64), new_marks(most)
        )

    def new(self) -> NeighboursState:
        """State of a view that has seen nothing."""
        return NeighboursState(new_now("made", "combined", "raw"), np.zeros(0, np.int64))

    def _most_entries(self, rows: Rows) -> int:
        return (REACH + 1) * int(rows.indptr[-1])


@bare_jit
def join_rows(params, state, work, rows, out, i, at, learn):
    """Fill `out` from row `i`, place `at` of the output on, until the table is too small; returns where that is."""
    now, slots = state.now[0], state.slots
    table = NumberTable(slots, shift_of(slots), params.limit)
    while i < len(rows.indptr) - 1:
        most = (REACH + 1) * (rows.indptr[i + 1] - rows.indptr[i])
        learned = learn and is_learned(rows.weight[i], rows.y[i])
        if learned and lacks_room(slots, params.limit, now["made"], most):
            break
        n, reach = code_row(work, rows, i), REACH
        if 2 * now["made"] >= now["combined"]:
            reach = 1
        size = join(work, n, reach)
        value = 1.0 / math.sqrt(max(size, 1))
        at = number_row(work.keys, work.fetched, size, value, table, now, learned, out, i, at, work.marks)
        out.indptr[i + 1] = at
        if learned:
            now["combined"] += size
        i += 1
    return i, at


@forced_inline
def code_row(work, rows, i):
    """Keys of the entries of row i, but those of the constant and of zeros; returns how many there are."""
    n = 0
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        j, x = rows.features[place], tamed(rows.values[place])
        if x != 0.0 and j != rows.constant:
            work.codes[n] = key_of(rows.ids[place], float_code(rows.values[place], RESOLUTION))
            n += 1
    return n


@forced_inline
def join(work, n, reach):
    """Keys of what stands together in n entries; returns how many."""
    codes, keys, size = work.codes, work.keys, 0
    for i in range(n):
        for gap in range(1, min(reach, n - 1 - i) + 1):
            keys[size] = (codes[i] + turned(codes[i + gap], gap)) & KEY
            size += 1
        if reach > 1 and i + 2 < n:
            keys[size] = (codes[i] + turned(codes[i + 1], 7) + turned(codes[i + 2], 14)) & KEY
            size += 1
    return size


@forced_inline
def turned(key, by):
    """The bits of a key moved round, so that order and distance tell sums apart."""
    return ((key & (KEY >> by)) << by) | (key >> (KEY_BITS - by))
