"""A view that sees what stands side by side in a row: words in a text, letters of a sequence, points of a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.rows import Rows, longest_row
from sonlearn.jit import bare_jit, forced_inline
from sonlearn.views.codes import KEY_BITS, float_code, key_of, tamed
from sonlearn.views.numbers import (
    LIMIT,
    UNKNOWN,
    Numbering,
    begin_marks,
    doubled,
    first_slot,
    identities_of,
    lacks_room,
    new_marks,
    number_of,
    put,
    room_for,
    shift_of,
    union,
)
from sonlearn.views.view import MergedView, new_now

_KEY = (1 << KEY_BITS) - 1
#: A quarter of the numbers, as of pairs: in text most of what is new never comes again.
MOST_NEIGHBOURS = LIMIT >> 2


class NeighboursState(NamedTuple):
    """What has been numbered."""

    now: np.ndarray  # features (all are made up); made; told: those of the rows learned, each time
    slots: np.ndarray  # int64[power of two], see `numbers`


class Params(NamedTuple):
    """What a row becomes."""

    resolution: int
    reach: int
    limit: int


class NeighboursScratch(NamedTuple):
    """One row under way."""

    codes: np.ndarray  # int64[longest row]; key of each entry, UNKNOWN where the feature is
    keys: np.ndarray  # int64[(reach + 1) longest row]
    fetched: np.ndarray  # int64[the same]; what `first_slot` has read
    marks: np.ndarray  # see `put`


class Neighbours(Numbering):
    """Indicators of the bins of entries up to `reach` apart, in the order of the row, and of three side by side.

    Each has the value 1/sqrt(their number in the row). While half or more of what has been made up was new, as in text,
    only entries side by side are taken.

    Parameters
    ----------
    resolution : int
        Mantissa bits of the bins (`float_code`).
    reach : int
    limit : int
        Features that get a number of their own, at most.
    """

    of_labels = False

    def __init__(self, *, resolution: int, reach: int, limit: int = MOST_NEIGHBOURS):
        self._params = Params(resolution, reach, limit)
        self._work = self._new_work(1)

    def _new_work(self, row: int) -> NeighboursScratch:
        most = row * (self._params.reach + 1)
        return NeighboursScratch(
            np.zeros(row, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64), new_marks(most)
        )

    def new(self) -> NeighboursState:
        """State of a view that has seen nothing."""
        return NeighboursState(new_now("made", "told"), np.zeros(0, np.int64))

    def reserve(self, state: NeighboursState, rows: Rows, features: int) -> NeighboursState:
        """A table to begin with; it grows on the way."""
        return state if len(state.slots) else state._replace(slots=doubled(state.slots, self._params.limit))

    def _fill(self, state: NeighboursState, rows: Rows, out: Rows, start: tuple[int, int, bool]) -> tuple[int, int]:
        return join_rows(self._params, state, self._work, rows, out, start)

    def _room(self, rows: Rows) -> Rows:
        longest = longest_row(rows)
        if longest > len(self._work.codes):
            self._work = self._new_work(longest)
        entries = (self._params.reach + 1) * int(rows.indptr[-1])
        begin_marks(self._work.marks, entries)
        return room_for(rows, entries)

    def packed(self, state: NeighboursState) -> NeighboursState:
        """`state` without spare room."""
        return state if state.now["made"][0] else state._replace(slots=state.slots[:0])

    def renumbered(
        self, state: NeighboursState, numbers: np.ndarray, features: int
    ) -> tuple[NeighboursState, np.ndarray]:
        """Nothing goes by the numbers of raw features."""
        return state, np.arange(self.features(state))

    def merge(self, states: Sequence[NeighboursState], base: NeighboursState) -> MergedView:
        """Counts as of one run, what has been made up in one numbering."""
        found = union([identities_of(s.slots, self.features(s)) for s in (base, *states)], self._params.limit)
        now = base.now.copy()
        now["told"] = merging.summed(base.now["told"], [s.now["told"] for s in states], np.ones(len(states)))
        now["features"], now["made"] = len(found.identities), found.made
        return MergedView(NeighboursState(now, found.slots(self._params.limit)), found.numbers[1:], found.numbers[0])


@bare_jit
def join_rows(params, state, work, rows, out, start):
    """Fill `out` from (row, place in the output) on, until the table is too small; returns where that is."""
    now, slots, (i, at, learn), bits = state.now[0], state.slots, start, rows.values.view(np.int64)
    table = slots, shift_of(slots), params.limit
    while i < len(rows.indptr) - 1:
        most = (params.reach + 1) * (rows.indptr[i + 1] - rows.indptr[i])
        learned = learn and rows.weight[i] > 0.0 and rows.y[i] == rows.y[i]
        if learned and lacks_room(slots, params.limit, now["made"], most):
            break
        n, reach = code_row(params, work, rows, bits, i), params.reach
        if 2 * now["made"] >= now["told"]:
            reach = 1
        begin, (size, told) = at, join(work, n, reach)
        value, shared = 1.0 / math.sqrt(max(told, 1)), now["made"] + size > params.limit
        for k in range(size):
            work.fetched[k] = first_slot(work.keys[k], slots, table[1])
        for k in range(size):
            number = number_of(work.keys[k], work.fetched[k], table, now, learned)
            if number != UNKNOWN:
                at = put(out, begin, at, number, value, shared, work.marks)
        out.indptr[i + 1] = at
        if learned:
            now["told"] += size
        i += 1
    return i, at


@forced_inline
def code_row(params, work, rows, bits, i):
    """Keys of the entries of row i, but those of the constant and of zeros; returns how many there are."""
    n = 0
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        j, x = rows.features[place], tamed(rows.values[place])
        if x != 0.0 and j != rows.constant:
            work.codes[n] = key_of(rows.ids[place], float_code(bits[place], params.resolution)) if j >= 0 else UNKNOWN
            n += 1
    return n


@forced_inline
def join(work, n, reach):
    """Keys of what stands together in n entries; (how many, how many with those of unknown features)."""
    codes, keys, size, told = work.codes, work.keys, 0, 0
    for i in range(n):
        for gap in range(1, min(reach, n - 1 - i) + 1):
            told += 1
            if codes[i] != UNKNOWN and codes[i + gap] != UNKNOWN:
                keys[size] = (codes[i] + turned(codes[i + gap], gap)) & _KEY
                size += 1
        if reach > 1 and i + 2 < n:
            told += 1
            if codes[i] != UNKNOWN and codes[i + 1] != UNKNOWN and codes[i + 2] != UNKNOWN:
                keys[size] = (codes[i] + turned(codes[i + 1], 7) + turned(codes[i + 2], 14)) & _KEY
                size += 1
    return size, told


@forced_inline
def turned(key, by):
    """The bits of a key moved round, so that order and distance tell sums apart."""
    return ((key & (_KEY >> by)) << by) | (key >> (KEY_BITS - by))
