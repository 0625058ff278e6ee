"""Views that see what stands together in a row: pairs and triples of the bins of its values; and neighbours.

Neighbours stand side by side: words in a text, letters of a sequence, points of a picture.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.axes import Axis, Scalars, pooled, summed
from sonlearn.data.linear_algebra import find_largest
from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import inline, jit
from sonlearn.views.codes import CODES, KEY, KEY_BITS, Z, clip_value, float_code, key_of, moments_with, name_key, z_code
from sonlearn.views.numbers import CAPACITY, SLOTS, Numbering, NumberTable, lacks_room, new_marks, number_row, shift_of
from sonlearn.views.view import BY_RAW, MergedView, new_now

#: A quarter of the bins: all triples of covtype (54 features, 581,012 rows) are 181,857; text has more than pays, and
#: most of what is new in it never comes again.
MOST_TUPLES = CAPACITY >> 2
#: Of several classes, those whose numbers leave the same remainder are counted as one.
CLASS_COLUMNS = 8
#: The order of tuples of entries side by side, and how far apart they may be.
NEIGHBOURS, REACH = 0, 3
#: Entries of a row that are combined, as `Tuples` has them: where all are, usually, and of several classes.
_ALL, _USUAL, _OF_CLASSES = (1 << 62, 0, 0), (32, 32, 10), (24, 24, 10)
#: Weights and labels count up to this, so that products of two of them stay finite.
MAX_COUNT = 1e150


def _counted(base: np.ndarray, others: Sequence[np.ndarray], by: np.ndarray) -> np.ndarray:
    """A sum over rows, within the bounds of what is counted."""
    return np.clip(summed(base, others, by), -MAX_COUNT, MAX_COUNT)


def _joined(base: np.ndarray, others: Sequence[np.ndarray], by: np.ndarray) -> np.ndarray:
    """Cells that anybody has marked, and the sum of the rows."""
    out = summed(base, others, by)
    if out.size:
        out[:, 0] = np.bitwise_or.reduce([each[:, 0] for each in others])
    return out


class TuplesState(NamedTuple):
    """What has been numbered and counted."""

    # features (all are made up); raw: features of the raw rows; made; combined: tuples of the rows learned;
    # n_pos, n_neg: weight of each class; weight, mean: of the labels (numbers only)
    now: Annotated[np.ndarray, Scalars(totals=("combined", "n_pos", "n_neg", "weight"), features="raw", most=MAX_COUNT)]
    slots: Annotated[np.ndarray, SLOTS]  # int64[power of two], see `numbers`
    # float64[raw features, 2]: weight of the rows of each class with the feature (numbers: weight, and the sum of
    # their labels less the mean; neighbours: float64[raw features, 0])
    counts: Annotated[np.ndarray, BY_RAW, _counted]
    # float64[raw features, 3]: weight, mean, M2 of its values (z-bins only, else float64[raw features, 0])
    moments: Annotated[np.ndarray, BY_RAW, pooled]
    # int64[raw features, 2]: see `name_key` (names only, else int64[raw features, 0])
    wholes: Annotated[np.ndarray, BY_RAW, _joined]
    # float64[columns]: weight of the rows of each (several classes, whose counts have as many columns)
    sums: Annotated[np.ndarray, Axis(), _counted]


class TuplesParams(NamedTuple):
    """What a row becomes."""

    order: int
    code: int
    resolution: int
    unit: bool
    numbers: bool
    longest: int
    chosen: int
    few: int
    limit: int
    columns: int
    names: bool


class TuplesScratch(NamedTuple):
    """One row under way."""

    codes: np.ndarray  # int64[longest row]; key of each entry
    scores: np.ndarray  # float64[longest row]
    taken: np.ndarray  # int64[longest tuple row]; keys of the entries that are combined
    places: np.ndarray  # int64[the same]; where those of highest score are
    keys: np.ndarray  # int64[tuples of a row]
    marks: np.ndarray  # see `put`
    moments: np.ndarray  # float64[3], of a feature with the row taken in


class Tuples(Numbering):
    """Indicators of what bins occur together: unordered pairs, an entry with itself included, triples, or neighbours.

    Neighbours are entries up to `REACH` apart, in the order of the row, and three side by side. While half or more of
    what has been made up was new, as in text, only two side by side are taken.

    Parameters
    ----------
    order : int
        2, 3 or `NEIGHBOURS`.
    code : str
        Bins are ``float`` (`float_code`, `resolution` mantissa bits) or ``z`` (`z_code`).
    resolution : int
    unit : bool
        Values 1/sqrt(number of tuples of the row) in place of 1.
    entries : (longest, chosen, few)
        Of pairs and triples: rows of up to `longest` entries are combined whole, of longer ones the `chosen` entries
        whose features tell most of the label by themselves; only `few` while two thirds of the tuples or more are new,
        as in text, where what has never been seen takes time and tells nothing. None: as usual.
    numbers : bool
        Labels are numbers, not classes.
    several : bool
        Labels are numbers of classes from 0 on, and entries of long rows are chosen for all of them at once.
    names : bool
        Whole numbers that are names (`name_key`) stand for themselves, in place of their bins.
    limit : int
        Tuples that get a number of their own, at most.
    """

    def __init__(
        self, *, order: int, code: str, resolution: int, unit: bool = False, numbers: bool = False,
        entries: tuple[int, int, int] | None = None, limit: int = MOST_TUPLES, several: bool = False,
        names: bool = False,
    ):  # fmt: skip
        columns, usual = (CLASS_COLUMNS, _OF_CLASSES) if several else (0, _USUAL)
        entries = _ALL if order == NEIGHBOURS else entries or usual
        super().__init__(
            TuplesParams(order, CODES[code], resolution, unit, numbers, *entries, limit, columns, names), combine_rows
        )

    def _new_work(self, longest: int) -> TuplesScratch:
        most = min(self._params.longest, longest)
        tuples = tuples_of_row(self._params, most)
        return TuplesScratch(
            np.zeros(longest, np.int64), np.zeros(longest), *np.zeros((2, most), np.int64),
            np.zeros(tuples, np.int64), new_marks(tuples), np.zeros(3),
        )  # fmt: skip

    def new(self) -> TuplesState:
        """State of a view that has seen nothing."""
        now = new_now("raw", "made", "combined", "n_pos:f8", "n_neg:f8", "weight:f8", "mean:f8")
        columns, counted = self._params.columns, self._params.order != NEIGHBOURS
        counts, moments = np.zeros((0, (columns or 2) * counted)), np.zeros((0, 3 if self._params.code == Z else 0))
        wholes = np.zeros((0, 2 * self._params.names), np.int64)
        return TuplesState(now, np.zeros(0, np.int64), counts, moments, wholes, np.zeros(columns))

    def _most_entries(self, rows: Rows) -> int:
        most = len(self._work.taken)
        return int(np.sum(tuples_of_row(self._params, np.minimum(np.diff(rows.indptr), most))))

    def merge(self, states: Sequence[TuplesState], base: TuplesState) -> MergedView:
        """Counts as of one run, tuples in one numbering."""
        found, labels = super().merge(states, base), [s.now["mean"] * s.now["weight"] for s in (base, *states)]
        now, total = found.state.now, merging.summed(labels[0], labels[1:], np.ones(len(states)))
        now["mean"] = np.divide(total, now["weight"], out=np.zeros(1), where=now["weight"] > 0.0)
        return found


@jit
def combine_rows(params, state, work, rows, out, i, at, learn):
    """Fill `out` from row `i`, place `at` of the output on, until the table is too small; returns where that is."""
    now, slots = state.now[0], state.slots
    table = NumberTable(slots, shift_of(slots), params.limit)
    while i < len(rows.indptr) - 1:
        n = min(rows.indptr[i + 1] - rows.indptr[i], len(work.taken))
        learned = learn and is_learned(rows.weight[i], rows.y[i])
        if learned and lacks_room(slots, params.limit, now["made"], tuples_of(params, n)):
            break
        n = code_row(params, state, work, rows, i, learned)
        whole = n <= params.longest
        if not whole:  # those of highest score, highest first
            most = params.few if 3 * now["made"] >= 2 * now["combined"] else params.chosen
            n = find_largest(work.scores, n, -1, work.places[:most])
        for k in range(n):
            work.taken[k] = work.codes[k if whole else work.places[k]]
        size = combine_keys(params, now, work, n)
        value = 1.0 / math.sqrt(max(size, 1)) if params.unit else 1.0
        at = number_row(work.keys, size, value, table, now, learned, out, i, at, work.marks)
        out.indptr[i + 1] = at
        if learned:
            now["combined"] += size
            if params.order != NEIGHBOURS:
                count_row(params, state, rows, i)
        i += 1
    return i, at


def tuples_of_row(params, n):
    """Tuples of n entries, of neighbours at most. n : int, or array"""
    if params.order == NEIGHBOURS:
        return (REACH + 1) * n
    return n * (n + 1) // 2 if params.order == 2 else n * (n - 1) * (n - 2) // 6


tuples_of = inline(tuples_of_row, force=True)


@inline(force=True)
def code_row(params, state, work, rows, i, learned):
    """Keys of the entries of row i, and scores if it is long; returns how many entries there are."""
    now, n, counts = state.now[0], 0, state.counts
    scored = rows.indptr[i + 1] - rows.indptr[i] > params.longest
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        j, x = rows.features[place], clip_value(rows.values[place])
        if x == 0.0 or j == rows.constant:
            continue
        if params.code == Z:
            moments_with(x, rows.weight[i], j, state.moments, work.moments, learned)
            code = z_code(x, params.resolution, work.moments)
        else:
            code = float_code(rows.values[place], params.resolution)
        work.codes[n] = key_of(rows.ids[place], code)
        if params.names and j >= 0:
            name = name_key(rows.ids[place], x, state.wholes[j], learned)
            if name >= 0:
                work.codes[n] = name
        if scored and params.columns > 0:
            work.scores[n] = score_of_classes(state, j) if j >= 0 else 0.0
        elif scored:
            work.scores[n] = score(params, now, counts[j, 0] if j >= 0 else 0.0, counts[j, 1] if j >= 0 else 0.0)
        n += 1
    return n


@inline(force=True)
def score(params, now, neg, pos):
    """Return what a feature with these counts tells: exp |rho|; of numbers, the sum over the root of the weight.

    Equal ratios of whole numbers give equal bits, so that ties are ties.
    """
    if params.numbers:
        return abs(pos) / math.sqrt(neg + 1.0)
    for_pos, for_neg = (pos + 1.0) * (now["n_neg"] + 2.0), (neg + 1.0) * (now["n_pos"] + 2.0)
    return max(for_pos, for_neg) / min(for_pos, for_neg)


@inline(force=True)
def score_of_classes(state, j):
    """Return what feature j tells of the classes: chi^2 of its counts against those of a feature that tells nothing.

    Classes are taken together by the remainder of their number, so that the cost does not grow with them.
    """
    counts, sums, own, every, total = state.counts, state.sums, 0.0, 0.0, 0.0
    for k in range(len(sums)):
        own += counts[j, k]
        every += sums[k]
    for k in range(len(sums)):
        expected = own * (sums[k] / every) if every > 0.0 else 0.0
        if expected > 0.0:
            total += (counts[j, k] - expected) * ((counts[j, k] - expected) / expected)
    return total


@inline(force=True)
def combine_keys(params, now, work, n):
    """Keys of all tuples of the n entries taken; returns how many."""
    taken, keys, size = work.taken, work.keys, 0
    if params.order == NEIGHBOURS:
        return join(taken, keys, n, 1 if 2 * now["made"] >= now["combined"] else REACH)
    for i in range(n):
        if params.order == 2:
            size = add_keys(taken[i], taken[i:n], keys, size)
            continue
        for j in range(i + 1, n):
            size = add_keys(taken[i] + taken[j], taken[j + 1 : n], keys, size)
    return size


@inline(force=True)
def add_keys(key, others, keys, size):
    """Put the keys of `key` with each of `others` at place `size` of `keys`; returns the place after them."""
    out = keys[size : size + len(others)]
    for k in range(len(others)):
        out[k] = (key + others[k]) & KEY
    return size + len(others)


@inline(force=True)
def count_row(params, state, rows, i):
    """Count the features of row i for its class, or for its label less the mean of those before."""
    now, counts, y, h = state.now[0], state.counts, rows.y[i], min(rows.weight[i], MAX_COUNT)
    y = min(max(y, -MAX_COUNT), MAX_COUNT) - now["mean"] if params.numbers else y
    column = int(y) % params.columns if params.columns > 0 else 1 if y > 0.0 else 0
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        j = rows.features[place]
        if clip_value(rows.values[place]) == 0.0 or j == rows.constant:
            continue
        if params.numbers:
            counts[j, 0] = min(counts[j, 0] + h, MAX_COUNT)
            counts[j, 1] = min(max(counts[j, 1] + h * y, -MAX_COUNT), MAX_COUNT)
        else:
            counts[j, column] = min(counts[j, column] + h, MAX_COUNT)
    if params.columns > 0:
        state.sums[column] = min(state.sums[column] + h, MAX_COUNT)
    elif params.numbers:
        now["weight"] = min(now["weight"] + h, MAX_COUNT)
        now["mean"] += y * (h / now["weight"])
    elif column == 1:
        now["n_pos"] = min(now["n_pos"] + h, MAX_COUNT)
    else:
        now["n_neg"] = min(now["n_neg"] + h, MAX_COUNT)


@inline(force=True)
def join(codes, keys, n, reach):
    """Keys of what stands side by side in n entries; returns how many."""
    size = 0
    for i in range(n):
        for gap in range(1, min(reach, n - 1 - i) + 1):
            keys[size] = (codes[i] + turned(codes[i + gap], gap)) & KEY
            size += 1
        if reach > 1 and i + 2 < n:
            keys[size] = (codes[i] + turned(codes[i + 1], 7) + turned(codes[i + 2], 14)) & KEY
            size += 1
    return size


@inline(force=True)
def turned(key, by):
    """The bits of a key moved round, so that order and distance tell sums apart."""
    return ((key & (KEY >> by)) << by) | (key >> (KEY_BITS - by))
