"""Views that see which bins the values of a row fall into: bins, indicators, ratios."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sonlearn.arrays import grown
from sonlearn.batch import Rows
from sonlearn.jit import bare_inline, bare_jit
from sonlearn.views.codes import float_code, key_of
from sonlearn.views.numbers import (
    LIMIT,
    UNKNOWN,
    Marks,
    doubled,
    lacks_room,
    number_of,
    put,
    room_for,
    shift_of,
    slots_for_reading,
)
from sonlearn.views.view import new_now

FINE = 3  # mantissa bits of the finer bins: 8 an octave; the coarser ones have 2
MOST = 1e300  # weights count up to this, so that sums stay finite
# A row of `own`: number of x_j itself + 1; then the code that feature j had last, and the numbers of its two bins.
SELF, CODE, COARSE_BIN, FINE_BIN, N_OWN = range(5)


class State(NamedTuple):
    """What has been numbered and counted."""

    # features; raw: features of the raw rows; made: bins numbered; n_pos, n_neg: weight of each class
    now: np.ndarray
    own: np.ndarray  # int32[raw features, N_OWN]
    slots: np.ndarray  # int64[power of two], see `numbers`
    counts: np.ndarray  # float64[features, 2]: weight of the rows of each class (ratios only, else float64[0, 2])


class Params(NamedTuple):
    """What a row becomes."""

    itself: bool
    ratios: bool
    constant: bool
    limit: int


class Bins:
    """Indicators of the bins of all values, for each entry (j, 1 mantissa bit) and (j, 3 mantissa bits).

    Parameters
    ----------
    itself : bool
        x_j stands before its indicators.
    ratios : bool
        In place of 1 an indicator has the value rho / sqrt(n), rho the logarithm of how much more frequent it has been
        in rows of the positive class, n the number of the row's indicators.
    constant : bool
        Keep the constant feature, as it is.
    limit : int
        Bins that get a number of their own, at most.
    """

    def __init__(self, *, itself: bool = False, ratios: bool = False, constant: bool = True, limit: int = LIMIT):
        self._params = Params(itself, ratios, constant, limit)
        self.of_labels = ratios
        self._marks = Marks()

    def new(self) -> State:
        """State of a view that has seen nothing."""
        return State(
            new_now("raw", "made", "n_pos:f8", "n_neg:f8"), np.zeros((0, N_OWN), np.int32), np.zeros(0, np.int64),
            np.zeros((0, 2)),
        )  # fmt: skip

    def reserve(self, state: State, rows: Rows, features: int) -> State:
        """Let the arrays hold what `rows` may bring; the table grows on the way."""
        now = state.now.copy()
        now["raw"] = features
        state = state._replace(now=now, own=grown(state.own, features, int(state.now["raw"][0])))
        if self._params.ratios:
            used = self.features(state)
            counts = grown(state.counts, used + 3 * int(rows.indptr[-1]), min(used, len(state.counts)))
            state = state._replace(counts=counts)
        return state if len(state.slots) else state._replace(slots=doubled(state.slots, self._params.limit))

    def see(self, state: State, rows: Rows) -> tuple[State, Rows]:
        """Rows of indicators, each before it is counted."""
        out, marks = self._room(state, rows)
        i = at = 0
        while True:
            i, at = bin_rows(self._params, state, rows, out, marks, (i, at), True)
            if i == len(rows.y):
                return state, out
            state = state._replace(slots=doubled(state.slots, self._params.limit))

    def look(self, state: State, rows: Rows) -> Rows:
        """The same, counting nothing; bins without a number are left out."""
        out, marks = self._room(state, rows)
        state = state._replace(slots=slots_for_reading(state.slots))
        bin_rows(self._params, state, rows, out, marks, (0, 0), False)
        return out

    def _room(self, state: State, rows: Rows) -> tuple[Rows, np.ndarray]:
        most, made = 3 * int(rows.indptr[-1]), int(state.now["made"][0])
        marks = self._marks.of(self.features(state) + most, made + most >= self._params.limit)
        return room_for(rows, most), marks

    def features(self, state: State) -> int:
        """Features of the rows seen so far are below this."""
        return int(state.now["features"][0])

    def packed(self, state: State) -> State:
        """`state` without spare room."""
        made, used = state.now["made"][0], self.features(state)
        slots = state.slots if made else state.slots[:0]
        return state._replace(own=state.own[: state.now["raw"][0]], slots=slots, counts=state.counts[:used])


@bare_jit
def bin_rows(params, state, rows, out, marks, start, learn):
    """Fill `out` from (row, place in the output) on, until the table is too small; returns where that is."""
    now, (i, at), shift = state.now[0], start, shift_of(state.slots)
    while i < len(rows.indptr) - 1:
        most = 2 * (rows.indptr[i + 1] - rows.indptr[i])
        learned = learn and rows.weight[i] > 0.0 and rows.y[i] == rows.y[i]
        if learned and lacks_room(state.slots, params.limit, now["made"], most):
            break
        begin, n = at, 0
        prior = math.log((now["n_neg"] + 2.0) / (now["n_pos"] + 2.0)) if params.ratios else 0.0
        for place in range(rows.indptr[i], rows.indptr[i + 1]):
            j, x = rows.features[place], rows.values[place]
            if x == 0.0:
                continue
            if params.constant if j == rows.constant else params.itself and j >= 0:
                itself = number_itself(state, j, learned)
                if itself != UNKNOWN:
                    at = put(out, begin, at, itself, x, marks)
            if j == rows.constant:
                continue
            n += 2
            if j >= 0:
                bins = bins_of(params, state, j, x, shift, learned)
                at = put_bins(params, state, out, marks, (begin, at), bins, prior)
        out.indptr[i + 1] = at
        if params.ratios:
            finish_row(state, rows, i, out, (begin, at), n, learned)
        i += 1
    return i, at


@bare_inline
def number_itself(state, j, learned):
    """Number of x_j itself, or UNKNOWN."""
    own, now = state.own, state.now[0]
    if own[j, SELF] == 0 and learned:
        own[j, SELF] = now["features"] + 1
        now["features"] += 1
    return own[j, SELF] - 1


@bare_inline
def bins_of(params, state, j, x, shift, learned):
    """Numbers of the coarse and the fine bin of x_j, each may be UNKNOWN. Text has the same bins again and again."""
    own, now, code = state.own, state.now[0], float_code(x, FINE)
    if own[j, CODE] == code:
        return own[j, COARSE_BIN], own[j, FINE_BIN]
    wide = (code >> FINE << 1) | (code & 1)
    coarse = number_of(key_of(j, 2 * wide), state.slots, shift, now, params.limit, learned)
    fine = number_of(key_of(j, 2 * code + 1), state.slots, shift, now, params.limit, learned)
    if learned:
        own[j, CODE], own[j, COARSE_BIN], own[j, FINE_BIN] = code, coarse, fine
    return coarse, fine


@bare_inline
def put_bins(params, state, out, marks, span, bins, prior):
    """Write the two indicators of an entry into the row at `span`; returns the next place."""
    (begin, at), counts, value = span, state.counts, 1.0
    for k in range(2):
        f = bins[k]
        if f == UNKNOWN:
            continue
        if params.ratios:
            g = bins[0]
            if k == 0 or g == UNKNOWN or counts[f, 0] != counts[g, 0] or counts[f, 1] != counts[g, 1]:
                value = math.log((counts[f, 1] + 1.0) / (counts[f, 0] + 1.0)) + prior
        at = put(out, begin, at, f, value, marks)
    return at


@bare_inline
def finish_row(state, rows, i, out, span, n, learned):
    """Divide the indicators by sqrt(n), and count them in if the row is learned from."""
    now, (begin, end), y, h, constant = state.now[0], span, rows.y[i], rows.weight[i], UNKNOWN
    if 0 <= rows.constant < len(state.own):
        constant = state.own[rows.constant, SELF] - 1
    for k in range(begin, end):
        f = out.features[k]
        if f != constant:
            out.values[k] /= math.sqrt(n)
            if learned:
                side = 1 if y > 0.0 else 0
                state.counts[f, side] = min(state.counts[f, side] + h, MOST)
    if learned and y > 0.0:
        now["n_pos"] = min(now["n_pos"] + h, MOST)
    elif learned:
        now["n_neg"] = min(now["n_neg"] + h, MOST)
