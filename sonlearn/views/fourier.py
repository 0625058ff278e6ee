"""Random Fourier features of rows of numbers, beside their z-scores; z-scores or values alone; products of values.

With z the z-scores of a row, d of which vary, and w_c Gaussian, b_c uniform in [0, 1), a row becomes

    sqrt(2/D) cos(2 pi u_c),    u_c = width_c w_c'z / (2 pi sqrt(d)) + b_c,    c < D
    linear z_j / sqrt(d)

so that the product of two such rows, but for the second line, is about the mean of exp(-width_c^2 |z - z'|^2 / (2 d)),
of Gaussian kernels (Rahimi, Recht: Random Features for Large-Scale Kernel Machines, NeurIPS 2007). Ours are the
z-scores that follow the stream, and directions out of a hash: w_jc depends on nothing but the id of feature j and on
c. They are no part of the state; what has been worked out the view keeps, 8 D bytes for each of at most `MAX_IN_ALL`
features.

A feature that a row does not have is 0 there, and standardised like any value. So a row costs O(D d), and the view is
for rows of numbers: it shows nothing of the first `FIRST_ROWS` rows, nothing before half of the rows are of numbers
(`is_of_numbers`) or, where it is for these as well, have few names (`is_shown`), unless told otherwise, and never
anything again once there are more than ``MAX_FEATURES + FEATURES_PER_ENTRY s`` features, s the mean number of entries
of a row, or more than `MAX_IN_ALL`. For rows of few names it is ``MAX_WITH_NAMES + FEATURES_PER_ENTRY s``. Of more than
`MAX_FEATURES` those that rows seldom have do not count, nor do any of a table (`is_table`) after `most_of_table`.

Bits are the same on every machine: logarithms and cosines are worked out here, of sums, products and roots.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data import axes, merging
from sonlearn.data.arrays import grown
from sonlearn.data.axes import Counted, Scalars
from sonlearn.data.batch import GROUP, HOUR
from sonlearn.data.linear_algebra import add_rows, clear
from sonlearn.data.rows import NO_CONSTANT, Rows, is_learned
from sonlearn.jit import inline, jit
from sonlearn.jit.sequence import Calls
from sonlearn.views.codes import ROUNDING_SHARE, clip_value, key_of, logarithm, update_moments, within
from sonlearn.views.view import BY_RAW, MergedView, Place, View, new_now, room_for

#: Stages of a view: rows are counted; rows are shown; there are too many features.
WAITS, SHOWS, OFF = range(3)
#: Rows learned before the first that is shown.
FIRST_ROWS = 16
#: Times that a word may stand in a text; share of the values of a row of numbers that are not 1, where all are counts.
COUNTS, SHARE = 9.0, 0.25
#: Features there may be: MAX_FEATURES (where names count as well, MAX_WITH_NAMES) and FEATURES_PER_ENTRY for each entry
#: of a row in the mean, and never more than MAX_IN_ALL.
MAX_FEATURES, MAX_WITH_NAMES, FEATURES_PER_ENTRY, MAX_IN_ALL = 64, 512, 8, 2000
#: Which rows are shown: of numbers; those and of few names, as in a table of categories; all.
ROWS = ("numbers", "names", "all")
NUMBERS, NAMES, ALL = range(3)
#: In a table each name has had so many entries in the mean, and rows have about as many entries, up to this square of
#: deviation over mean: words of texts are ever new, and texts of all lengths.
REPEATED, UNEQUAL = 16, 1 / 32
#: Or a row has one in so many of all names: columns of 0 and 1, of which rows have few or many.
DENSE = 6
#: Of more features than MAX_FEATURES one is shown once it has come so many times, and in one of so many rows: most
#: names in a column of names, of people or towns, have few rows each.
TIMES, RARE = 4, 512
#: z-scores end here.
MAX_Z = 4.0
#: Factors of products end here, so that squares of products are finite.
MAX_FACTOR = 1e40
#: Rows that are made at a time, and projected side by side: directions are read once for them.
ABREAST = 4
#: Of a hash: bits of the angle, and of all. The hashes of the phases are those of codes that directions do not have.
ANGLE_BITS, HASH_BITS, PHASES = 31, 61, 1 << 19
#: In `FourierState.places`: bits of the place; above them is the ordinal of a part of a date.
PLACE_BITS = 32
PLACE = (1 << PLACE_BITS) - 1
#: Added and taken off again, this leaves the nearest whole number.
_WHOLE = 6755399441055744.0
#: sin(2 pi a) = a (S_0 + S_1 a^2 + ...), to 1e-13 for |a| <= 1/4.
_S = tuple((-1.0) ** k * (2.0 * math.pi) ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(9))


#: The axis of the raw features that a row has had.
OCCURRED = Counted("occurred")


class FourierState(NamedTuple):
    """What has been counted, in rows learned from."""

    # features: of the rows shown; raw: features of the raw rows; stage; numbers: how many rows were numbers, or
    # need not be; met: raw features that a row has had; occurred: those of them that count; rows, entries: how many;
    # squares: of the entries of each row; weight: of the rows
    now: Annotated[np.ndarray, Scalars(totals=("rows", "numbers", "entries", "squares", "weight"), features="raw")]
    # float64[occurred, 3]: weight, mean, M2 of the values, without the rows that have none; features in the order in
    # which they occurred
    moments: Annotated[np.ndarray, OCCURRED]
    ids: Annotated[np.ndarray, OCCURRED]  # int64[occurred]
    # int64[raw features]: where in that order each stands, from 1 on, and above `PLACE_BITS` its value there, if it is
    # a part of dates; -n: nowhere, and it has come n times
    places: Annotated[np.ndarray, BY_RAW]


class FourierParams(NamedTuple):
    """What a row becomes."""

    components: int
    linear: float
    standard: bool
    rows: int  # in `ROWS`
    products: int


class FourierScratch(NamedTuple):
    """Rows under way, and the directions worked out so far."""

    width: np.ndarray  # float64[components]
    W: np.ndarray  # float64[features, components]; width_c w_jc / (2 pi)
    ids: np.ndarray  # int64[features]; of the features of W
    b: np.ndarray  # float64[components]
    x: np.ndarray  # float64[MAX_IN_ALL]; values of a row; zeros between rows
    Z: np.ndarray  # float64[ABREAST, MAX_IN_ALL]; z-scores
    scale: np.ndarray  # float64[ABREAST]; 1 / sqrt(d)
    top: np.ndarray  # int64[ABREAST]; features of Z that the row has
    place: np.ndarray  # int64[ABREAST]; where the row begins in the output
    P: np.ndarray  # float64[ABREAST, components]; projections


class Fourier(View):
    """Random Fourier features and z-scores.

    Parameters
    ----------
    components : int
        D, as many of each width; 0: z-scores alone.
    widths : tuple of float
        Standard deviations of width_c w_c'z for z of length sqrt(d): where small, cosines follow coarse shapes.
    linear : float
        What z / sqrt(d) is multiplied with; without components, z itself. With 0 waves alone are shown.
    rows : str
        Which rows are shown, one of `ROWS`.
    standard : bool
        Whether values become z-scores; without components they may stay as they are.
    products : int
        Features, the first to occur, of which products of two are shown, too: each behind the later one of the two.
    """

    def __init__(
        self, *, components: int, widths: tuple[float, ...] = (1.0,), linear: float, rows: str = "numbers",
        standard: bool = True, products: int = 0,
    ):  # fmt: skip
        self._width = np.repeat(widths, -(-components // len(widths)))[:components]
        super().__init__(FourierParams(components, linear, standard, ROWS.index(rows), products), fill)
        self._table = self._work.W  # of which that is the part in use

    def _new_work(self, longest: int) -> FourierScratch:
        D = self._params.components
        return FourierScratch(
            self._width, np.zeros((0, D)), np.zeros(0, np.int64), np.zeros(D), np.zeros(MAX_IN_ALL),
            np.zeros((ABREAST, MAX_IN_ALL)), np.zeros(ABREAST), *np.zeros((2, ABREAST), np.int64),
            np.zeros((ABREAST, D)),
        )  # fmt: skip

    def new(self) -> FourierState:
        """State of a view that has seen nothing."""
        now = new_now("raw", "stage", "numbers", "met", "occurred", "rows", "entries", "squares", "weight:f8")
        return FourierState(now, np.zeros((0, 3)), *np.zeros((2, 0), np.int64))

    def is_off(self, state: FourierState) -> bool:
        """See `View.is_off`: there have been too many features."""
        return bool(state.now["stage"][0] == OFF)

    def reserve(self, state: FourierState, rows: Rows, features: int) -> FourierState:
        """Let the moments hold what `rows` may bring."""
        if self.is_off(state):
            return self.packed(state)
        return axes.reserved(super().reserve(state, rows, features), occurred=min(features, MAX_IN_ALL))

    def transform(self, state: FourierState, rows: Rows, learn: bool) -> tuple[FourierState, Rows]:
        """See `View.transform`."""
        nothing = self.is_off(state) or (state.now["stage"][0] == WAITS and not learn)
        return (state, room_for(rows, 0)) if nothing else super().transform(state, rows, learn)

    def room(self, state: FourierState, rows: Rows) -> Rows:
        """See `View.room`."""
        D, products = self._params.components, self._params.products
        beside = len(state.moments) + products * (products + 1) // 2 if self._params.linear != 0.0 else 0
        most = 0 if self.is_off(state) else D + 1 + beside
        out = room_for(rows, (len(rows.indptr) - 1) * most)
        return out._replace(constant=self._params.components if rows.constant != NO_CONSTANT else NO_CONSTANT)

    def calls(self, state: FourierState, rows: Rows, out: Rows, learn: bool = True, start: Place = (0, 0)) -> Calls:
        """See `View.calls`; what is missing of the directions `widened` works out."""
        if not self.is_off(state):
            self._forget_others(state)
        return super().calls(state, rows, out, learn, start)

    def widened(self, state: FourierState) -> FourierState:
        """Work out the directions of all features, the first of which are known; see `View.widened`."""
        ids, known = state.ids[: int(state.now["occurred"][0])], len(self._work.W)
        self._table = grown(self._table, len(ids), known)
        W = self._table[: len(ids)]
        directions(W, known, self._work.b, self._work.width, ids)
        self._work = self._work._replace(W=W, ids=ids.copy())
        return state

    def _forget_others(self, state: FourierState) -> None:
        """Forget what has been worked out for a state of other features, or of more."""
        n = len(self._work.ids)
        if n > state.now["occurred"][0] or (self._work.ids != state.ids[:n]).any():
            self._table = self._work.W[:0]
            self._work = self._work._replace(W=self._table, ids=self._work.ids[:0])

    def packed(self, state: FourierState) -> FourierState:
        """`state` without spare room; where nothing is shown any more, only counts are left."""
        if not self.is_off(state):
            return super().packed(state)
        now = state.now.copy()
        now["raw"] = 0  # features that came later in the same batch must leave no trace
        return self.new()._replace(now=now)

    def merge(self, states: Sequence[FourierState], base: FourierState) -> MergedView:
        """Moments as of one run; features in the order of the base's, then of each state; of wide tables the first."""
        merged, every = axes.merged(states, base, np.ones(len(states))), (base, *states)
        now = merged.now
        stages, known = [int(state.now["stage"][0]) for state in every], dict[int, int]()
        to = [np.array([known.setdefault(id, len(known)) for id in own.ids.tolist()], np.int64) for own in every]
        longest = max(len(own.places) for own in every)
        come = [np.pad(own.places, (0, longest - len(own.places))) for own in every]
        now["met"] = np.count_nonzero(np.any(come, axis=0))
        wide = SHOWS in stages and is_table(now[0])
        top = now["occurred"][0] = min(len(known), most_of_table(self._params, now[0])) if wide else len(known)
        to = [np.where(by < top, by, -1) for by in to]
        if OFF in stages or are_too_many(self._params, now[0]):
            now["stage"], now["features"] = OFF, base.now["features"]
            numbers = [_those_below(self.features(state), self.features(base)) for state in every]
            return MergedView(self.new()._replace(now=now), numbers[1:], numbers[0])
        begin, *others = [merging.renumbered(own.moments, by, top) for own, by in zip(every, to, strict=True)]
        places = np.sum(np.minimum(come[1:], 0), axis=0) - (len(states) - 1) * np.minimum(come[0], 0)
        for own, by in zip(every, to, strict=True):
            has = np.flatnonzero(own.places > 0)
            told, at = own.places[has] & ~PLACE, by[(own.places[has] & PLACE) - 1]
            places[has] = np.maximum(places[has], (at >= 0) * (told + at + 1))
        now["met"] = np.count_nonzero(places)
        if SHOWS in stages or is_shown(self._params, now[0]):
            now["stage"], now["features"] = SHOWS, number_of(self._params, top)
        numbers = [self._numbers(by)[: self.features(own)] for own, by in zip(every, to, strict=True)]
        merged = FourierState(now, merging.moments(begin, others), np.array(list(known)[:top], np.int64), places)
        return MergedView(merged, numbers[1:], numbers[0])

    def _numbers(self, to: np.ndarray) -> np.ndarray:
        """int64[features shown]: their numbers where raw features have the places `to`, below 0: not shown."""
        params, own = self._params, list(range(self._params.components + 1))
        for j, place in enumerate(to.tolist() if params.linear != 0.0 else ()):
            own.append(number_of(params, place) if place >= 0 else -1)
            for other in to[: j + 1].tolist() if j < params.products else ():
                first, last = sorted((place, other))
                own.append(number_of(params, last) + 1 + first if first >= 0 and last < params.products else -1)
        return np.array(own, np.int64)


def _those_below(features: int, most: int) -> np.ndarray:
    """int64[features]: 0, 1, ... most - 1, then -1."""
    return np.where(np.arange(features) < most, np.arange(features), -1)


@jit
def fill(params, state, work, rows, out, i, at, learn):
    """Fill `out` from row `i` and place `at` on, until directions are missing; returns where that is.

    Parameters
    ----------
    params : FourierParams; state : FourierState, rows that are learned from are counted; work : FourierScratch, scratch
    rows : Rows; out : Rows, filled in; i, at : int; learn : bool
    """
    now, n = state.now[0], len(rows.y)
    while i < n:
        size = 0
        while i < n and size < ABREAST:
            if now["stage"] == SHOWS:
                if params.components > 0 and now["occurred"] > len(work.W):
                    break
                at = standardise(params, state, work, rows, out, i, size, at)
                size += 1
            out.indptr[i + 1] = at
            if learn and is_learned(rows.weight[i], rows.y[i]):
                count_row(params, state, work, rows, i)
            i += 1
        project(params, work, out, size)
        if i < n and size < ABREAST:
            break
    return i, at


@inline
def standardise(params, state, work, rows, out, i, k, at):
    """Row k of work.Z <- the z-scores of row i; all but its cosines are written to the output, from place `at` on.

    Returns the next place. Features that no row learned from has had are left out, as if there were none.
    """
    now, moments, z, D = state.now[0], state.moments, work.Z[k], params.components
    top, d, constant = now["occurred"], 0, 0.0
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        j, x = rows.features[place], clip_value(rows.values[place])
        if j == rows.constant:
            constant = x
        elif 0 <= j < len(state.places) and state.places[j] > 0:
            work.x[(state.places[j] & PLACE) - 1] = x * max(state.places[j] >> PLACE_BITS, 1)
    h = within(rows.weight[i])
    weight = now["weight"] + h
    for j in range(top):
        x, z[j] = work.x[j], 0.0
        work.x[j] = 0.0
        if not params.standard:
            z[j] = x
            continue
        n, mean, M2 = moments[j, 0], moments[j, 1], moments[j, 2]
        if n == 0.0:
            continue
        if x != 0.0:
            n += h
            delta = x - mean
            mean += delta * h / n
            M2 += delta * h * (x - mean)
        share = n / weight
        M2 += mean * mean * share * max(weight - n, 0.0)
        mean *= share
        if M2 / weight > ROUNDING_SHARE * mean * mean:
            d += 1
            z[j] = min(max((x - mean) / math.sqrt(M2 / weight), -MAX_Z), MAX_Z)
    work.scale[k], work.top[k], work.place[k] = 1.0 / math.sqrt(max(d, 1)), top, at
    out.features[at + D], out.values[at + D] = D, constant
    at, linear = at + D + 1, params.linear * (work.scale[k] if D > 0 else 1.0)
    f = D + 1
    for j in range(top if linear != 0.0 else 0):
        out.features[at], out.values[at] = f, linear * z[j]
        at, f = at + 1, f + 1
        for i in range(j + 1 if j < params.products else 0):
            out.features[at], out.values[at] = f, factor(z[i]) * factor(z[j])
            at, f = at + 1, f + 1
    return at


@inline(force=True)
def factor(x):
    """x within +-`MAX_FACTOR`."""
    return min(max(x, -MAX_FACTOR), MAX_FACTOR)


@inline(force=True)
def number_of(params, place):
    """The number of the raw feature at `place`, in the order of those that occurred; behind it come its products.

    Where waves are all that is shown it is that behind them.
    """
    n = min(place, params.products)
    return params.components + 1 + (place + n * (n + 1) // 2 if params.linear != 0.0 else 0)


@inline
def count_row(params, state, work, rows, i):
    """Take row i in, and go to the stage that follows."""
    now, h, entries = state.now[0], within(rows.weight[i]), 0
    if now["stage"] == OFF:
        return
    if len(rows.marks) > 0 and not params.standard:
        order_parts(state, rows, i)
    wide, most = now["stage"] == SHOWS and is_table(now), most_of_table(params, now)
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        j, x = rows.features[place], clip_value(rows.values[place])
        at, times = state.places[j] - 1, 1
        if at < 0:
            times -= state.places[j]
            now["met"] += times == 1
            rare = now["occurred"] >= MAX_FEATURES and (times < TIMES or times * RARE < now["rows"])
            if rare or (wide and now["occurred"] >= most):
                state.places[j] = -times
                entries += x != 0.0 and j != rows.constant
                continue
            at = now["occurred"]
            now["occurred"] += 1
            state.places[j] = now["occurred"]
            if at < len(state.ids):
                state.ids[at] = rows.ids[place]
        if x == 0.0 or j == rows.constant:
            continue
        entries += 1
        if params.standard and at < len(state.moments):
            update_moments(x, min(times * h, now["weight"] + h), state.moments[at])  # as if it had been this each time
    now["rows"] += 1
    now["numbers"] += params.rows == ALL or is_of_numbers(rows, i)
    now["entries"] += entries
    now["squares"] += entries * entries
    now["weight"] += h
    if are_too_many(params, now) and not (wide and params.rows == NAMES):
        now["stage"] = OFF
    elif now["stage"] == SHOWS or is_shown(params, now):  # once, and for good
        now["stage"] = SHOWS
        now["features"] = number_of(params, now["occurred"])


@inline
def order_parts(state, rows, i):
    """Let parts of the dates of row i share a place each, that of the first, if the dates of a column have hours."""
    now, hours = state.now[0], False
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        hours |= rows.marks[place] & HOUR != 0
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        j, mark, at = rows.features[place], np.int64(rows.marks[place]), 0
        if mark < 2 or state.places[j] > PLACE:
            continue
        group = -2 - mark // GROUP
        while at < now["occurred"] and state.ids[at] != group:
            at += 1
        if at == now["occurred"]:
            if not hours or at == MAX_IN_ALL:
                continue
            if state.places[j] > 0:
                at = state.places[j] - 1
            else:
                now["occurred"] += 1
            state.ids[at] = group
        now["met"] += state.places[j] == 0
        state.places[j] = mark % HOUR << PLACE_BITS | at + 1


@inline(force=True)
def are_too_many(params, now):
    """Return whether there are more features than there may be."""
    return now["occurred"] > most_of(params, now)


@inline(force=True)
def most_of(params, now):
    """Return how many features there may be."""
    few = MAX_WITH_NAMES if params.rows == NAMES else MAX_FEATURES
    return min(MAX_IN_ALL, few + FEATURES_PER_ENTRY * now["entries"] // max(now["rows"], 1))


@inline(force=True)
def most_of_table(params, now):
    """Return how many features count of a wide table, which leaves out others."""
    return most_of(params, now) if params.rows == NAMES else MAX_IN_ALL


@inline(force=True)
def is_shown(params, now):
    """Return whether enough rows have come, and half of them were of numbers, or all are of few names."""
    few = params.rows == NAMES and now["met"] <= MAX_IN_ALL and (is_table(now) or is_dense(now))
    return now["rows"] >= FIRST_ROWS and (few or 2 * now["numbers"] >= now["rows"])


@inline(force=True)
def is_table(now):
    """Return whether features come again and rows have about as many entries, as in a table."""
    entries = float(now["entries"])
    as_long = now["rows"] * float(now["squares"]) <= (1.0 + UNEQUAL) * entries * entries
    return REPEATED * now["met"] <= entries and as_long


@inline(force=True)
def is_dense(now):
    """Return whether features come again and rows have a good part of them all, as in a table of 0 and 1."""
    return now["met"] * max(REPEATED, now["rows"] / DENSE) <= now["entries"]


@inline
def is_of_numbers(rows, i):
    """Tell whether row i has a value that is no count of a word in a text, or counts other than 1 are a `SHARE`.

    Words stand in a text a few times at most, most of them once, and indicators are 1.
    """
    entries, others = 0, 0
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        x = clip_value(rows.values[place])
        if x == 0.0 or rows.features[place] == rows.constant:
            continue
        if not (0.0 < x <= COUNTS and x == math.floor(x)):
            return True
        entries += 1
        others += x != 1.0
    return others > 0 and others >= SHARE * entries


@inline
def project(params, work, out, size):
    """Write the components of the first `size` rows of work.Z.

    Each sum goes over the features that there were at the row, in the same order: no bit depends on the block.
    """
    D, Z, P = params.components, work.Z, work.P
    if D == 0:  # there are no directions
        return
    amplitude = math.sqrt(2.0 / D)
    clear(P)
    j = add_abreast(Z, work.W, work.top, P) if size == ABREAST else 0
    for k in range(size):
        add_rows(Z[k, j:], work.W[j:], work.top[k] - j, P[k])
        at, scale = work.place[k], work.scale[k]
        for c in range(D):
            out.values[at + c] = amplitude * cosine(scale * P[k, c] + work.b[c])
        for c in range(D):
            out.features[at + c] = c


@inline
def add_abreast(Z, W, top, sums):
    """sums += Z[:, :j] times W[:j], as `add_rows` adds; returns j, the features of which all rows have."""
    most = min(min(top[0], top[1]), min(top[2], top[3])) // 4 * 4
    for j in range(0, most, 4):
        p0, p1, p2, p3 = Z[0, j], Z[0, j + 1], Z[0, j + 2], Z[0, j + 3]
        q0, q1, q2, q3 = Z[1, j], Z[1, j + 1], Z[1, j + 2], Z[1, j + 3]
        r0, r1, r2, r3 = Z[2, j], Z[2, j + 1], Z[2, j + 2], Z[2, j + 3]
        s0, s1, s2, s3 = Z[3, j], Z[3, j + 1], Z[3, j + 2], Z[3, j + 3]
        for c in range(W.shape[1]):
            w0, w1, w2, w3 = W[j, c], W[j + 1, c], W[j + 2, c], W[j + 3, c]
            sums[0, c] += (p0 * w0 + p1 * w1) + (p2 * w2 + p3 * w3)
            sums[1, c] += (q0 * w0 + q1 * w1) + (q2 * w2 + q3 * w3)
            sums[2, c] += (r0 * w0 + r1 * w1) + (r2 * w2 + r3 * w3)
            sums[3, c] += (s0 * w0 + s1 * w1) + (s2 * w2 + s3 * w3)
    return most


@inline(force=True)
def cosine(u):
    """cos(2 pi u) for |u| < 2^50, to 1e-13 of an exact u."""
    a = abs(u - ((u + _WHOLE) - _WHOLE)) - 0.25
    q, total = a * a, _S[8]
    for k in range(7, -1, -1):
        total = total * q + _S[k]
    return -(a * total)


@jit
def directions(W, begin, b, width, ids):
    """Work out W from feature `begin` on, and b. ids : int64[features]"""
    for c in range(len(b)):
        b[c] = key_of(0, PHASES + c) / float(1 << HASH_BITS)
    for j in range(begin, len(W)):
        for c in range(len(width)):
            W[j, c] = width[c] * normal(key_of(ids[j], c)) / (2.0 * math.pi)


@inline
def normal(key):
    """A standard normal number out of `HASH_BITS` random bits (Box, Muller)."""
    high, low = key >> ANGLE_BITS, key & ((1 << ANGLE_BITS) - 1)
    size = -2.0 * logarithm((high + 1) / float(1 << (HASH_BITS - ANGLE_BITS)))
    return math.sqrt(max(size, 0.0)) * cosine(low / float(1 << ANGLE_BITS))
