"""Views that see which bins the values of a row fall into: bins, indicators; and odds.

In place of a bin's indicator, `Odds` shows how much more frequent the bin is in the positive class.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data import axes, merging
from sonlearn.data.axes import Counted, Scalars, pooled
from sonlearn.data.batch import HOUR
from sonlearn.data.rows import COUNT, SQUARES, Rows, begin_row, is_learned
from sonlearn.jit import inline, jit
from sonlearn.jit.sequence import Calls
from sonlearn.views import codes
from sonlearn.views.codes import (
    CODES,
    KEY,
    Z,
    clip_value,
    float_code,
    is_whole,
    key_of,
    logarithms,
    moments_with,
    standard,
    whole_code,
    z_code,
)
from sonlearn.views.numbers import (
    CAPACITY,
    SLOTS,
    UNKNOWN,
    Numbering,
    NumberTable,
    lacks_room,
    new_marks,
    number_of,
    put,
    put_or_leave,
    shift_of,
)
from sonlearn.views.view import BY_RAW, MergedView, Place, fits, new_now

#: Resolutions of the two bins of a value: of `float_code` mantissa bits.
COARSE, FINE = 1, 3


class BinsState(NamedTuple):
    """What has been numbered and counted."""

    # features; raw: features of the raw rows; made: bins numbered; n_pos, n_neg: weight of each class (odds only)
    now: Annotated[np.ndarray, Scalars(totals=("n_pos", "n_neg"), features="raw", most=codes.MAX_SUM)]
    own: Annotated[np.ndarray, BY_RAW]  # int32[raw features]; number of x_j itself + 1
    slots: Annotated[np.ndarray, SLOTS]  # int64[power of two], see `numbers`
    # float64[features, 2]: weight of the rows of each class (odds only, else float64[0, 2])
    counts: Annotated[np.ndarray, Counted("features")]
    # float64[raw features, 3]: weight, mean, M2 of its values (z-bins only, else float64[raw features, 0])
    moments: Annotated[np.ndarray, BY_RAW, pooled]


class BinsParams(NamedTuple):
    """What a row becomes."""

    code: int
    itself: bool
    constant: bool
    limit: int
    hours: bool


class BinsScratch(NamedTuple):
    """One row under way."""

    marks: np.ndarray  # see `put`
    moments: np.ndarray  # float64[3], of a feature with the row taken in


class Bins(Numbering):
    """Indicators of the bins of all values: two for each entry.

    Parameters
    ----------
    code : str
        Bins are ``float`` (`float_code`) or ``z`` (`z_code`).
    itself : bool
        x_j stands before its indicators.
    constant : bool
        Keep the constant feature, as it is.
    limit : int
        Bins that get a number of their own, at most.
    hours : bool
        An hour of a date is shown together with the part of it that stands before, the weekday, as well.
    """

    def __init__(
        self, *, code: str, itself: bool = False, constant: bool = True, limit: int = CAPACITY, hours: bool = False
    ):
        self._by_z = CODES[code] == Z
        super().__init__(BinsParams(CODES[code], itself, constant, limit, hours), bin_rows)

    def _new_work(self, longest: int) -> Any:
        return BinsScratch(new_marks(4 * longest), np.zeros(3))

    def new(self) -> BinsState:
        """State of a view that has seen nothing."""
        return BinsState(
            new_now("raw", "made", "n_pos:f8", "n_neg:f8"), np.zeros(0, np.int32), np.zeros(0, np.int64),
            np.zeros((0, 2)), np.zeros((0, 3 if self._by_z else 0)),
        )  # fmt: skip

    def _most_entries(self, rows: Rows) -> int:
        return (3 + self._params.hours) * int(rows.indptr[-1])

    def merge(self, states: Sequence[BinsState], base: BinsState) -> MergedView:
        """Counts as of one run, bins in one numbering."""
        found, own = super().merge(states, base), np.zeros_like(base.own)
        for state, numbers in zip((base, *states), (found.base, *found.numbers), strict=True):
            itself = np.flatnonzero(state.own)
            own[itself] = numbers[state.own[itself] - 1] + 1
        return found._replace(state=found.state._replace(own=own))

    def _identities(self, state: BinsState) -> np.ndarray:
        """Return what each number stands for; -1 - j for the raw feature j itself."""
        out = super()._identities(state)
        itself = np.flatnonzero(state.own)
        out[state.own[itself] - 1] = -1 - itself
        return out


@jit
def bin_rows(params, state, work, rows, out, i, at, learn):
    """Fill `out` from row `i`, place `at` of the output on, until the table is too small; returns where that is."""
    now = state.now[0]
    table = NumberTable(state.slots, shift_of(state.slots), params.limit)
    while i < len(rows.indptr) - 1:
        most = (2 + params.hours) * (rows.indptr[i + 1] - rows.indptr[i])
        learned = learn and is_learned(rows.weight[i], rows.y[i])
        if learned and lacks_room(state.slots, params.limit, now["made"], most):
            break
        begin, shared, weekday = at, now["made"] + most > params.limit, np.int64(0)
        begin_row(out.unseen, i)
        for place in range(rows.indptr[i], rows.indptr[i + 1]):
            j, id, x = rows.features[place], rows.ids[place], clip_value(rows.values[place])
            if x == 0.0:
                continue
            if j == rows.constant:
                if params.constant:
                    at = put_or_leave(out, i, begin, at, number_itself(state, j, learned), x, shared, work.marks)
                continue
            coarse, fine, value = codes_of(params, state, work, rows, i, place, learned)
            if params.itself:
                at = put_or_leave(out, i, begin, at, number_itself(state, j, learned), value, shared, work.marks)
            own = key_of(id, 2 * coarse)
            for key in (own, key_of(id, 2 * fine + 1)):
                at = put_or_leave(out, i, begin, at, number_of(key, table, now, learned), 1.0, shared, work.marks)
            if not params.hours or len(rows.marks) == 0 or rows.marks[place] < 2:
                continue
            if rows.marks[place] & HOUR == 0:
                weekday = own
            elif weekday != 0:
                number = number_of((own + weekday) & KEY, table, now, learned)
                at = put_or_leave(out, i, begin, at, number, 1.0, shared, work.marks)
        out.indptr[i + 1] = at
        i += 1
    return i, at


@inline(force=True)
def number_itself(state, j, learned):
    """Number of x_j itself, or UNKNOWN."""
    own, now = state.own, state.now[0]
    if j < 0:
        return UNKNOWN
    if own[j] == 0 and learned:
        own[j] = now["features"] + 1
        now["features"] += 1
    return own[j] - 1


@inline(force=True)
def codes_of(params, state, work, rows, i, place, learned):
    """(codes of the coarse and of the fine bin of an entry of row i, the value that stands for x_j itself)."""
    j, x = rows.features[place], clip_value(rows.values[place])
    if params.code == Z:
        moments_with(x, rows.weight[i], j, state.moments, work.moments, learned)
        fine = whole_code(x) if is_whole(x) else z_code(x, FINE, work.moments)
        return z_code(x, COARSE, work.moments), fine, standard(x, work.moments)
    fine = float_code(rows.values[place], FINE)
    return (fine >> (FINE - COARSE + 1) << 1) | (fine & 1), fine, x


# ---------------------------------------------------------------------------------------------------------- log-odds


#: Mantissa bits of the bins of `Odds` (`float_code`).
RESOLUTION = 2


class OddsScratch(NamedTuple):
    """One row under way, by entry, float64[2 longest row] each."""

    found: np.ndarray  # weight of the rows of the row's class
    odds: np.ndarray  # logarithm of how many times as frequent it is in the positive class
    marks: np.ndarray  # see `put`


class Odds(Bins):
    """Indicators of the bins of all values, in place of 1 with the value rho / sqrt(n).

    rho is the logarithm of how much more frequent the indicator has been in rows of the positive class, n the number of
    the row's indicators. The constant stays as it is.

    Parameters
    ----------
    limit : int
        Bins that get a number of their own, at most.
    """

    def __init__(self, *, limit: int = CAPACITY):
        super().__init__(code="float", limit=limit)
        self._kernel = weigh_rows

    def _new_work(self, longest: int) -> OddsScratch:
        return OddsScratch(*np.zeros((2, 2 * longest)), new_marks(2 * longest))

    def reserve(self, state: BinsState, rows: Rows, features: int) -> BinsState:
        """Let the arrays hold what `rows` may bring; the table grows on the way."""
        state = super().reserve(state, rows, features)
        return axes.reserved(state, features=self.features(state) + self._most_entries(rows))

    def _most_entries(self, rows: Rows) -> int:
        return 2 * int(rows.indptr[-1])

    def calls(self, state: BinsState, rows: Rows, out: Rows, learn: bool = True, start: Place = (0, 0)) -> Calls:
        """See `View.calls`."""
        room = fits, (state.now["features"], len(state.counts) - len(out.features))
        return [room, *super().calls(state, rows, out, learn, start)]

    def merge(self, states: Sequence[BinsState], base: BinsState) -> MergedView:
        """Counts as of one run, bins in one numbering."""
        found, by = super().merge(states, base), np.ones(len(states))
        first, *others = (
            merging.renumbered(state.counts, numbers, self.features(found.state))
            for state, numbers in zip((base, *states), (found.base, *found.numbers), strict=True)
        )
        return found._replace(state=found.state._replace(counts=merging.summed(first, others, by)))


@jit
def weigh_rows(params, state, work, rows, out, i, at, learn):
    """Fill `out` from row `i`, place `at` of the output on, until the table is too small; returns where that is."""
    now = state.now[0]
    table = NumberTable(state.slots, shift_of(state.slots), params.limit)
    while i < len(rows.indptr) - 1:
        learned, most = learn and is_learned(rows.weight[i], rows.y[i]), 2 * (rows.indptr[i + 1] - rows.indptr[i])
        if learned and lacks_room(state.slots, params.limit, now["made"], most):
            break
        begin, shared, n, new, known = at, now["made"] + most > params.limit, 0, 0, now["features"]
        for place in range(rows.indptr[i], rows.indptr[i + 1]):
            j, id, x = rows.features[place], rows.ids[place], clip_value(rows.values[place])
            if x == 0.0:
                continue
            if j == rows.constant:
                number = number_itself(state, j, learned)
                at = put(out, begin, at, number, x, shared, work.marks) if number >= 0 else at
                continue
            number = number_of(key_of(id, 2 * float_code(rows.values[place], RESOLUTION)), table, now, learned)
            n += 1
            new += number == UNKNOWN
            at = put(out, begin, at, number, 1.0, shared, work.marks) if number >= 0 else at
            if is_whole(x):  # it may be a name as well, which tells nothing when it is new
                number = number_of(key_of(id, 2 * whole_code(x)), table, now, learned)
                n += 1
                value = 1.0 if number < known else 0.0
                at = put(out, begin, at, number, value, shared, work.marks) if number >= 0 else at
        out.indptr[i + 1] = at
        weigh(state, work, rows, i, out, (begin, at), n, new, learned)
        i += 1
    return i, at


@inline(force=True)
def weigh(state, work, rows, i, out, span, n, new, learned):
    """Multiply the indicators by rho / sqrt(n), and count them in if the row is learned from; measure the `new` ones.

    To read the counts of the whole row first pays: misses of the cache are under way together.
    """
    now, (begin, end), counts = state.now[0], span, state.counts
    size, found, odds = end - begin, work.found, work.odds
    features, values = out.features[begin:end], out.values[begin:end]
    constant, share = UNKNOWN, 1.0 / math.sqrt(max(n, 1))
    if 0 <= rows.constant < len(state.own):
        constant = state.own[rows.constant] - 1
    prior = math.log((now["n_neg"] + 2.0) / (now["n_pos"] + 2.0))
    out.unseen[i, COUNT], out.unseen[i, SQUARES] = new if prior != 0.0 else 0, new * (prior * share) ** 2
    side, h = 1 if rows.y[i] > 0.0 else 0, rows.weight[i]
    for k in range(size):
        f = np.uintp(features[k])
        negative, positive = counts[f, 0], counts[f, 1]
        odds[k] = (positive + 1.0) / (negative + 1.0)
        found[k] = positive if side == 1 else negative
    logarithms(odds, size)
    for k in range(size):
        if features[k] != constant:
            values[k] *= (odds[k] + prior) * share
            if learned:
                counts[np.uintp(features[k]), np.uintp(side)] = min(found[k] + h, codes.MAX_SUM)
    if learned and side == 1:
        now["n_pos"] = min(now["n_pos"] + h, codes.MAX_SUM)
    elif learned:
        now["n_neg"] = min(now["n_neg"] + h, codes.MAX_SUM)
