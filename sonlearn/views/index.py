"""Feature ids -> numbers, in the order in which features are first seen.

A table whose size follows the features seen, never the largest id or 2^b. In one half an id that is below its length
stands at the place of that number, which takes no search, and few lines of a cache where ids are 1, 2, 3, and so on.
The other half is an open-addressing hash table for all others. All that is asked of a feature stands in one entry, so
that a table beyond the caches costs one miss for a feature of a row. Numbering by first sight also puts the frequent
features of a text together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.data.arrays import grown, plain, zeros
from sonlearn.data.batch import Batch
from sonlearn.data.rows import NO_CONSTANT, Rows, begin_row, is_learned, leave_out, longest_row
from sonlearn.jit import fetch, inline, jit
from sonlearn.jit.sequence import Sequence

MULTIPLIER = 0x9E3779B1  # 2^32 / golden ratio, odd
HASH_BITS = 32
UNKNOWN = -1
#: In `place_in_row`: no place of any row.
NOWHERE = -1
#: Of the hash table at most so much is used, in eighths: a probe more costs a wrong guess of the processor.
MAX_FILL = 3
#: With more entries than this, those of the next row are asked for ahead.
PREFETCH_SLOTS = 1 << 18
#: An entry of the table. count: the feature's number plus 1, 0 where the entry is free.
SLOT = [("id", "i8"), ("count", "i8")]


class Index(NamedTuple):
    """Where each id is: ids[number], and an entry of `slots` with both."""

    ids: np.ndarray  # int64[capacity], capacity = 3/8 of half the slots
    slots: np.ndarray  # SLOT[power of two]: by id, then by hash
    size: np.ndarray  # int64[1], features held


class Entries:
    """The entries of one row, as kernels take them.

    Parameters
    ----------
    ids : int64[s]
        Ids of features, of the constant feature, too.
    values : float64[s]
        Finite; may be written anew for each row with the same features.
    marks : uint32[s]
        As in `Batch`, of no words; or 0.
    """

    def __init__(self, ids: np.ndarray, values: np.ndarray, marks: np.ndarray | int = 0):
        self.indptr = np.array([0, len(ids)], dtype=np.int64)
        self.ids, self.values, self.marks = plain(ids, np.int64), plain(values), marks


def new_index(entries: int = 1 << 10) -> Index:
    """Empty index with a hash table of so many entries (a power of two)."""
    return Index(np.zeros(entries * MAX_FILL // 8, np.int64), _slots(2 * entries), np.zeros(1, np.int64))


def _slots(n: int) -> np.ndarray:
    return zeros((n,), SLOT).view(np.recarray)


def index_of(ids: np.ndarray) -> Index:
    """Index of given distinct ids, row i for ids[i]. Raises ValueError for what is not int64[n]."""
    if ids.dtype != np.int64 or ids.ndim != 1:
        raise ValueError("ids are not integers")
    index = new_index(1 << max(10, int(len(ids) * 8 // MAX_FILL).bit_length()))
    index.ids[: len(ids)] = ids
    index.size[0] = len(ids)
    fill_slots(index.ids, len(ids), index.slots)
    return index


def intern(batch: Batch, index: Index, unknown: bool = False) -> tuple[Rows, Index]:
    """Number the features of `batch`, new ones to learn included; returns the rows and the index, grown if need be.

    What has no number in rows that are only predicted is left out and measured (`Rows.unseen`); with `unknown` it stays
    there as UNKNOWN, for views to do so.
    """
    indptr, indices, values = plain(batch.indptr, np.int64), plain(batch.indices, np.int64), plain(batch.values)
    features, y, weight = np.empty(len(indices), np.int64), plain(batch.y), plain(batch.weight)
    base = np.zeros(batch.n) if batch.base is None else plain(batch.base)
    marks = plain(batch.marks, np.uint32) if unknown and batch.marks is not None else np.zeros(0, np.uint32)
    rows = Rows(indptr, features, values, y, weight, base, np.zeros((batch.n, 2)), ids=indices, marks=marks)
    at = int(intern_ordered(rows, index))
    if at < batch.n:
        out, places = int(indptr[at]), new_places(longest_row(rows))
        rows = rows._replace(indptr=indptr.copy(), values=values.copy(), ids=indices.copy(), marks=marks.copy())
    while at < batch.n:
        at, out = intern_rows(indptr, indices, values, index, rows, places, (at, out), unknown)
        index = index if at == batch.n else _doubled(index)
    return rows._replace(constant=int(constant_of(batch.constant, index.slots))), index


class RowNumbering:
    """`intern` of one row at a time, in buffers that stay the same objects.

    Parameters
    ----------
    unknown : bool
        As in `intern`.
    """

    def __init__(self, unknown: bool):
        self._unknown = unknown
        self._last: tuple[Rows | None, Index | None] = None, None  # what the sequence is of
        self._in_rows: tuple[Entries | None, int] = None, 0  # whose numbers are in `rows`, and the features then

    def number(self, entries: Entries, rows: Rows, index: Index, constant: int) -> tuple[Rows, Index]:
        """`rows`, which has room for the entries, label and weight, with the features' numbers; and the index."""
        n = len(entries.ids)
        if entries is self._in_rows[0] and index.size[0] == self._in_rows[1] and rows is self._last[0]:
            rows.values[:n] = entries.values
            return rows, index
        if rows is not self._last[0] or index is not self._last[1]:
            self._begin(rows, index)
        indptr, ids, values = self._given
        indptr[1], ids[:n], values[:n], rows.marks[:n] = n, entries.ids, entries.values, entries.marks
        if self._sequence.run(0) == 0:
            return self.number(entries, rows, _doubled(index), constant)
        if rows.constant == NO_CONSTANT:
            number = int(constant_of(constant, index.slots))
            rows = rows if number == NO_CONSTANT else rows._replace(constant=number)
        known = rows.indptr[1] == n and rows.weight[0] > 0.0 and rows.y[0] == rows.y[0]  # none is left out
        self._in_rows = entries if known else None, int(index.size[0])
        return rows, index

    def _begin(self, rows: Rows, index: Index) -> None:
        longest = len(rows.ids)
        self._given, self._last = (np.zeros(2, np.int64), np.zeros(longest, np.int64), np.zeros(longest)), (rows, index)
        arguments = *self._given, index, rows, new_places(longest), (0, 0), self._unknown
        self._sequence = Sequence([(intern_rows, arguments)])


def lookup(batch: Batch, index: Index, unknown: bool = False) -> Rows:
    """Rows of `batch` for prediction; features without a number are left out, or UNKNOWN as in `intern`."""
    silent = batch._replace(y=np.full(batch.n, np.nan))
    return intern(silent, index, unknown)[0]._replace(y=plain(batch.y))


def knows(batch: Batch, index: Index) -> bool:
    """Return whether a feature of `batch`, the constant apart, has a number; true where there are no others."""
    constants = 0 if batch.constant is None else int((batch.indices == batch.constant).sum())
    return len(batch.indices) == constants or int(lookup(batch, index).indptr[-1]) > constants


def _doubled(index: Index) -> Index:
    slots = _slots(2 * len(index.slots))
    fill_slots(index.ids, int(index.size[0]), slots)
    return index._replace(ids=grown(index.ids, len(slots) // 2 * MAX_FILL // 8, int(index.size[0])), slots=slots)


def new_places(longest: int) -> np.ndarray:
    """Scratch space of `place_in_row`, for rows of up to so many entries: int64[power of two]."""
    return np.zeros(1 << (2 * longest - 1).bit_length(), np.int64)


@inline(force=True)
def home_of(key, slots):
    """The place where `key` is looked for first: its own, or the upper bits of a hash; products stay below 2^63."""
    half = len(slots) >> 1
    hashed = ((key ^ (key >> 31) ^ (key >> 62)) & 0x7FFFFFFF) * MULTIPLIER & 0xFFFFFFFF
    return key if 0 <= key < half else half + (hashed * half >> HASH_BITS)


@inline(force=True)
def slot_of(key, slots):
    """Place of the entry of `key`, or of the free one where it belongs."""
    at = home_of(key, slots)
    while slots[np.uintp(at)].count != 0 and slots[np.uintp(at)].id != key:
        at = (at + 1) & (len(slots) - 1) | len(slots) >> 1
    return np.uintp(at)


@jit
def constant_of(key, slots):
    """Number of the constant feature, whose id is `key`, or NO_CONSTANT."""
    count = slots[slot_of(key, slots)].count
    return count - 1 if count != 0 else NO_CONSTANT


@jit
def fill_slots(ids, size, slots):
    """Enter ids[:size] into empty slots."""
    for number in range(size):
        slot = slots[slot_of(ids[number], slots)]
        slot.id = ids[number]
        slot.count = number + 1


@jit
def intern_ordered(rows, index):
    """Number the features of rows as long as all get a number and none may occur twice; returns the first other row.

    rows : Rows of which only `features` is missing, and filled in here; index : Index, which may get full as well
    """
    ids, slots, size = index
    for i in range(len(rows.y)):
        begin, end, learned = rows.indptr[i], rows.indptr[i + 1], is_learned(rows.weight[i], rows.y[i])
        if learned and size[0] + end - begin > len(ids):
            return i
        if len(slots) > PREFETCH_SLOTS:
            for at in range(end, rows.indptr[min(i + 2, len(rows.y))]):
                fetch(slots, home_of(rows.ids[at], slots), 1)
        keys, features = rows.ids[begin:end], rows.features[begin:end]
        low = high = keys[0] if end > begin else 0
        for k in range(len(keys)):
            key = keys[k]
            if key > high:
                high = key
            elif k > 0:
                if key >= low:
                    return i
                low = key
            slot = slots[slot_of(key, slots)]
            if slot.count == 0 and not learned:
                return i
            if slot.count == 0:
                ids[size[0]] = key
                size[0] += 1
                slot.id = key
                slot.count = size[0]
            features[k] = slot.count - 1
    return len(rows.y)


@jit
def intern_rows(indptr, indices, values, index, rows, places, start, unknown):
    """Number rows from (row, place in the output) on until the index may overflow; returns where that is.

    Rows that are only predicted get no new numbers and change nothing but `rows`, and `places`, which is scratch.
    """
    (ids, slots, size), (i, out), looked_up = index, start, 0
    places[:] = NOWHERE
    while i < len(indptr) - 1:
        learned = is_learned(rows.weight[i], rows.y[i])
        if learned and size[0] + indptr[i + 1] - indptr[i] > len(ids):
            break
        begin = out
        begin_row(rows.unseen, i)
        if len(slots) > PREFETCH_SLOTS:
            for at in range(indptr[i + 1], indptr[min(i + 2, len(indptr) - 1)]):
                fetch(slots, home_of(indices[at], slots), 1)
        for place in range(indptr[i], indptr[i + 1]):
            at = np.uintp(place)  # unsigned: no index counts from the end
            key = indices[at]
            slot = slots[slot_of(key, slots)]
            if slot.count == 0 and learned:
                ids[size[0]] = key
                size[0] += 1
                slot.id = key
                slot.count = size[0]
            to = np.uintp(begin + place_in_row(key, rows.ids[begin:out], looked_up, places))
            if to < out:
                rows.values[to] += values[at]
                continue
            rows.features[to] = slot.count - 1
            rows.ids[to] = key
            if len(rows.marks) > 0:  # in their order, in place: `to` is never beyond `at`
                rows.marks[to] = rows.marks[at]
            rows.values[to] = values[at]
            out += 1
        rows.indptr[i + 1] = out
        looked_up += out - begin
        if not (learned or unknown):
            out = copy_known(rows, i, rows, begin)
        i += 1
    return i, out


@inline(force=True)
def place_in_row(key, ids, before, places):
    """Place of `key` among the `ids` of a row so far, or the next one, which is its own from now on.

    places : int64[twice a row or more, power of two], a hash table of places of all rows in one count, of which
    `before` were there before this row
    """
    hashed = ((key ^ (key >> 31)) & 0x7FFFFFFF) * MULTIPLIER & 0xFFFFFFFF
    at = hashed * len(places) >> HASH_BITS
    while places[at] >= before:
        if ids[places[at] - before] == key:
            return places[at] - before
        at = (at + 1) & (len(places) - 1)
    places[at] = before + len(ids)
    return len(ids)


@inline(force=True)
def copy_known(rows, i, out, at):
    """Row `i` of `out` <- that of `rows` from place `at` on, the features without a number left out and measured.

    Returns the next place. `out` may be `rows`, at the place where its row begins.
    """
    begin_row(out.unseen, i)
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[place], rows.values[place]
        if f != UNKNOWN:
            out.features[at], out.values[at] = f, x
            at += 1
        elif x != 0.0:
            leave_out(out.unseen, i, x)
    out.indptr[i + 1] = at
    return at
