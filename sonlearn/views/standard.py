"""Views that see how far values are from their mean: standardised numbers, and indicators of their z-bins."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sonlearn.arrays import grown
from sonlearn.batch import Rows
from sonlearn.jit import bare_inline, bare_jit
from sonlearn.views.bins import number_itself
from sonlearn.views.codes import key_of, z_bin, z_score
from sonlearn.views.numbers import (
    LIMIT,
    UNKNOWN,
    doubled,
    lacks_room,
    new_marks,
    number_of,
    put,
    room_for,
    shift_of,
    slots_for_reading,
)
from sonlearn.views.view import new_now

#: Standard deviations from the mean beyond this count as this.
FAR = 5.0
#: Bins an entry has: one of each resolution.
COARSE, FINE = 1, 3


class State(NamedTuple):
    """What has been numbered and measured."""

    now: np.ndarray  # features; raw: features of the raw rows; made: bins numbered
    own: np.ndarray  # int32[raw features, 1]: number of the standardised number + 1 (bins only, else int32[0, 1])
    slots: np.ndarray  # int64[power of two], see `numbers` (bins only)
    moments: np.ndarray  # float64[raw features, 3]: count, mean, M2


class Params(NamedTuple):
    """What a row becomes."""

    bins: bool
    limit: int


class Work(NamedTuple):
    """Scratch of one row."""

    moments: np.ndarray  # float64[3], of a feature in a row that is only predicted
    marks: np.ndarray  # see `put`


class Standard:
    """u = (x - mean)/sd within [-5, 5], of the values so far, this one included; 1 while all of them are equal.

    So an indicator, whose values are all 1, stays one, and a number has no scale. The constant feature stays 1.

    Parameters
    ----------
    bins : bool
        Two indicators follow u, of its z-bins of resolution 1 and 3 (`z_bin`).
    limit : int
        Bins that get a number of their own, at most.
    """

    def __init__(self, *, bins: bool = False, limit: int = LIMIT):
        self._params, self._work = Params(bins, limit), Work(np.zeros(3), new_marks())

    def new(self) -> State:
        """State of a view that has seen nothing."""
        return State(new_now("raw", "made"), np.zeros((0, 1), np.int32), np.zeros(0, np.int64), np.zeros((0, 3)))

    def reserve(self, state: State, rows: Rows, features: int) -> State:
        """Let the arrays hold what `rows` may bring; the table grows on the way."""
        now, used = state.now.copy(), int(state.now["raw"][0])
        now["raw"] = features
        state = state._replace(now=now, moments=grown(state.moments, features, used))
        if not self._params.bins:
            now["features"] = features
            return state
        state = state._replace(own=grown(state.own, features, used))
        return state if len(state.slots) else state._replace(slots=doubled(state.slots, self._params.limit))

    def see(self, state: State, rows: Rows) -> tuple[State, Rows]:
        """Rows with standardised values, and with their bins."""
        out, i, at = self._room(rows), 0, 0
        while True:
            i, at = standardise_rows(self._params, state, self._work, rows, out, (i, at, True))
            if i == len(rows.y):
                return state, out
            state = state._replace(slots=doubled(state.slots, self._params.limit))

    def look(self, state: State, rows: Rows) -> Rows:
        """The same, measuring nothing; what has no number is left out."""
        out = self._room(rows)
        state = state._replace(slots=slots_for_reading(state.slots))
        standardise_rows(self._params, state, self._work, rows, out, (0, 0, False))
        return out

    def _room(self, rows: Rows) -> Rows:
        return room_for(rows, (3 if self._params.bins else 1) * int(rows.indptr[-1]))

    def features(self, state: State) -> int:
        """Features of the rows seen so far are below this."""
        return int(state.now["features"][0])

    def packed(self, state: State) -> State:
        """`state` without spare room."""
        raw = state.now["raw"][0]
        slots = state.slots if state.now["made"][0] else state.slots[:0]
        return state._replace(own=state.own[:raw], slots=slots, moments=state.moments[:raw])


@bare_jit
def standardise_rows(params, state, work, rows, out, start):
    """Fill `out` from (row, place in the output) on, until the table is too small; returns where that is."""
    now, (i, at, learn), shift = state.now[0], start, shift_of(state.slots)
    while i < len(rows.indptr) - 1:
        learned = learn and rows.weight[i] > 0.0 and rows.y[i] == rows.y[i]
        most = 2 * (rows.indptr[i + 1] - rows.indptr[i])
        if params.bins and learned and lacks_room(state.slots, params.limit, now["made"], most):
            break
        begin, shared = at, params.bins and now["made"] + most > params.limit
        for place in range(rows.indptr[i], rows.indptr[i + 1]):
            j, x = rows.features[place], rows.values[place]
            if x == 0.0 or j < 0:
                continue
            u = x if j == rows.constant else standardised(state, work.moments, j, x, learned)
            itself = number_itself(state, j, learned) if params.bins else j
            if itself != UNKNOWN:
                value = 1.0 if math.isnan(u) else (u if j == rows.constant else min(max(u, -FAR), FAR))
                at = put(out, begin, at, itself, value, shared, work.marks)
            if not params.bins or j == rows.constant:
                continue
            for which in range(2):
                key = key_of(j, 2 * z_bin(u, FINE if which else COARSE) + which)
                number = number_of(key, state.slots, shift, now, params.limit, learned)
                if number != UNKNOWN:
                    at = put(out, begin, at, number, 1.0, shared, work.marks)
        out.indptr[i + 1] = at
        i += 1
    return i, at


@bare_inline
def standardised(state, own, j, x, learned):
    """`z_score` of x_j; where the row is not learned from, as if it were."""
    moments = state.moments[j]
    if not learned:
        for k in range(3):
            own[k] = moments[k]
        moments = own
    return z_score(x, moments)
