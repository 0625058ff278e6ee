"""Views that see which bins the values of a row fall into: bins, indicators. `odds` weighs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data.axes import Counted, Scalars, pooled
from sonlearn.data.rows import Rows, begin_row, is_learned
from sonlearn.jit import bare_jit, forced_inline
from sonlearn.views.codes import CODES, MOST, Z, float_code, key_of, moments_with, standard, tamed, z_code
from sonlearn.views.numbers import (
    LIMIT,
    SLOTS,
    UNKNOWN,
    Numbering,
    NumberTable,
    first_slot,
    lacks_room,
    new_marks,
    number_of,
    put_or_leave,
    shift_of,
)
from sonlearn.views.view import BY_RAW, MergedView, new_now

#: Resolutions of the two bins of a value: of `float_code` mantissa bits.
COARSE, FINE = 1, 3
# A row of `own`: number of x_j itself + 1; then the codes that feature j had last, and the numbers of its bins.
SELF, CODE, FIRST_BIN, SECOND_BIN, N_OWN = range(5)


class BinsState(NamedTuple):
    """What has been numbered and counted."""

    # features; raw: features of the raw rows; made: bins numbered; n_pos, n_neg: weight of each class (odds only)
    now: Annotated[np.ndarray, Scalars(totals=("n_pos", "n_neg"), features="raw", most=MOST)]
    own: Annotated[np.ndarray, BY_RAW]  # int32[raw features, N_OWN]
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


class BinsScratch(NamedTuple):
    """One row under way, by entry."""

    codes: np.ndarray  # int64[longest row]
    keys: np.ndarray  # int64[longest row, 2], of the entry's bins, where they are not in `own`
    fetched: np.ndarray  # int64[longest row, 2]; what `first_slot` has read
    marks: np.ndarray  # see `put`
    moments: np.ndarray  # float64[3], of a feature with the row taken in
    deviations: np.ndarray  # float64[longest row]; `standard` of the values (z-bins only)


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
    """

    def __init__(self, *, code: str, itself: bool = False, constant: bool = True, limit: int = LIMIT):
        self._by_z = CODES[code] == Z
        super().__init__(BinsParams(CODES[code], itself, constant, limit), bin_rows)

    def _new_work(self, longest: int) -> Any:
        keys, fetched = np.zeros((2, longest, 2), np.int64)
        return BinsScratch(
            np.zeros(longest, np.int64), keys, fetched, new_marks(3 * longest), np.zeros(3), np.zeros(longest)
        )

    def new(self) -> BinsState:
        """State of a view that has seen nothing."""
        return BinsState(
            new_now("raw", "made", "n_pos:f8", "n_neg:f8"), np.zeros((0, N_OWN), np.int32), np.zeros(0, np.int64),
            np.zeros((0, 2)), np.zeros((0, 3 if self._by_z else 0)),
        )  # fmt: skip

    def _most_entries(self, rows: Rows) -> int:
        return 3 * int(rows.indptr[-1])

    def merge(self, states: Sequence[BinsState], base: BinsState) -> MergedView:
        """Counts as of one run, bins in one numbering."""
        found, own = super().merge(states, base), np.zeros_like(base.own)
        for state, numbers in zip((base, *states), (found.base, *found.numbers), strict=True):
            itself = np.flatnonzero(state.own[:, SELF])
            own[itself, SELF] = numbers[state.own[itself, SELF] - 1] + 1
        return found._replace(state=found.state._replace(own=own))

    def _identities(self, state: BinsState) -> np.ndarray:
        """What each number stands for; -1 - j for the raw feature j itself."""
        out = super()._identities(state)
        itself = np.flatnonzero(state.own[:, SELF])
        out[state.own[itself, SELF] - 1] = -1 - itself
        return out


@bare_jit
def bin_rows(params, state, work, rows, out, i, at, learn):
    """Fill `out` from row `i`, place `at` of the output on, until the table is too small; returns where that is."""
    now = state.now[0]
    table = NumberTable(state.slots, shift_of(state.slots), params.limit)
    while i < len(rows.indptr) - 1:
        most = 2 * (rows.indptr[i + 1] - rows.indptr[i])
        learned = learn and is_learned(rows.weight[i], rows.y[i])
        if learned and lacks_room(state.slots, params.limit, now["made"], most):
            break
        begin, shared = at, now["made"] + most > params.limit
        begin_row(out, i)
        code_row(params, state, work, rows, i, table.shift, learned)
        for place in range(rows.indptr[i], rows.indptr[i + 1]):
            j, x = rows.features[place], tamed(rows.values[place])
            if x == 0.0:
                continue
            if params.constant if j == rows.constant else params.itself:
                own = params.code == Z and j != rows.constant
                value = work.deviations[place - rows.indptr[i]] if own else x
                at = put_or_leave(out, i, begin, at, number_itself(state, j, learned), value, shared, work.marks)
            if j == rows.constant:
                continue
            for number in bins_of(state, work, j, place - rows.indptr[i], table, learned):
                at = put_or_leave(out, i, begin, at, number, 1.0, shared, work.marks)
        out.indptr[i + 1] = at
        i += 1
    return i, at


@forced_inline
def number_itself(state, j, learned):
    """Number of x_j itself, or UNKNOWN."""
    own, now = state.own, state.now[0]
    if j < 0:
        return UNKNOWN
    if own[j, SELF] == 0 and learned:
        own[j, SELF] = now["features"] + 1
        now["features"] += 1
    return own[j, SELF] - 1


@forced_inline
def code_row(params, state, work, rows, i, shift, learned):
    """Codes of the entries of row i, and keys of their bins where they are others than the last time.

    To ask whether they are costs more than one key (a branch that nothing predicts), and less than two.
    """
    start = rows.indptr[i]
    for place in range(start, rows.indptr[i + 1]):
        j, x, k = rows.features[place], tamed(rows.values[place]), place - start
        if x == 0.0 or j == rows.constant:
            continue
        if params.code == Z:
            moments_with(x, rows.weight[i], j, state.moments, work.moments, learned)
            first, second = z_code(x, COARSE, work.moments), z_code(x, FINE, work.moments)
            work.deviations[k] = standard(x, work.moments)
        else:
            second = float_code(rows.values[place], FINE)
            first = (second >> (FINE - COARSE + 1) << 1) | (second & 1)
        work.codes[k] = (first << 16) + second
        if j < 0 or state.own[j, CODE] != work.codes[k] or state.own[j, FIRST_BIN] == 0:
            work.keys[k, 0] = key_of(rows.ids[place], 2 * first)
            work.fetched[k, 0] = first_slot(work.keys[k, 0], state.slots, shift)
            work.keys[k, 1] = key_of(rows.ids[place], 2 * second + 1)
            work.fetched[k, 1] = first_slot(work.keys[k, 1], state.slots, shift)


@forced_inline
def bins_of(state, work, j, k, table, learned):
    """Numbers of the bins of entry k, feature j; may be UNKNOWN. A feature may have the same two again and again."""
    own, now = state.own, state.now[0]
    if j >= 0 and own[j, CODE] == work.codes[k] and own[j, FIRST_BIN] > 0:
        return own[j, FIRST_BIN] - 1, own[j, SECOND_BIN] - 1
    first = number_of(work.keys[k, 0], work.fetched[k, 0], table, now, learned)
    second = number_of(work.keys[k, 1], work.fetched[k, 1], table, now, learned)
    if learned:
        own[j, CODE], own[j, FIRST_BIN], own[j, SECOND_BIN] = work.codes[k], first + 1, second + 1
    return first, second
