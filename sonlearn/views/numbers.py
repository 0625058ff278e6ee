"""Made-up features -> numbers: an open-addressing table of bounded size.

Unlike `index`, which keeps ids exactly and gives them back, this one keeps of each key a print of 39 bits beside its
number, in one word: a look-up is one cache miss instead of two, and views make up tens to hundreds of features a row.
Two of n features share a number by accident with probability n^2 / 2^40.

The table doubles with the features seen, up to `limit` of them. What is new after that shares the number of the next
one in the table: no row is refused, and memory stays bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.rows import Rows
from sonlearn.jit import bare_inline, bare_jit, forced_inline
from sonlearn.views.codes import KEY_BITS

UNKNOWN = -1
#: Made-up features of a view, at most.
LIMIT = 1 << 22
NUMBER_BITS = 24
PRINT_BITS = 63 - NUMBER_BITS
_NUMBER = (1 << NUMBER_BITS) - 1
_SMALLEST = 1 << 9
_MARKS = 1 << 6
#: Fibonacci hashing of numbers into a table, without overflow.
_GOLDEN, _WORD, _HASHED = 2654435769, (1 << 32) - 1, (1 << 28) - 1
_NO_SLOTS = np.zeros(1, np.int64)


def slots_for_reading(slots: np.ndarray) -> np.ndarray:
    """`slots`, or for a new state, which has none, one that is free."""
    return slots if len(slots) else _NO_SLOTS


def doubled(slots: np.ndarray, limit: int) -> np.ndarray:
    """A table of twice the size with the same content, if `limit` features need as much."""
    bigger = np.zeros(min(max(2 * len(slots), _SMALLEST), 2 * limit), np.int64)
    refill(slots, bigger)
    return bigger


class Union(NamedTuple):
    """The features that several states have made up, in one numbering."""

    identities: np.ndarray  # int64[features]; see `identities_of`
    numbers: list[np.ndarray]  # of each state int64[its features]: their numbers, below 0: left out

    @property
    def made(self) -> int:
        """Features that have an entry in the table."""
        return int(np.count_nonzero(self.identities > 0))

    def slots(self, limit: int) -> np.ndarray:
        """The table with all of them."""
        numbers = np.flatnonzero(self.identities > 0)
        if not len(numbers):
            return np.zeros(0, np.int64)
        size = _SMALLEST
        while size < min(2 * len(numbers), 2 * limit):
            size *= 2
        slots = np.zeros(size, np.int64)
        refill((self.identities[numbers] - 1 << NUMBER_BITS) | (numbers + 1), slots)
        return slots


def identities_of(slots: np.ndarray, features: int) -> np.ndarray:
    """int64[features]: what each number stands for, its print plus 1; 0 for what does not stand in the table."""
    found = slots[slots != 0]
    out = np.zeros(features, np.int64)
    out[(found & _NUMBER) - 1] = (found >> NUMBER_BITS) + 1
    return out


def union(states: Sequence[np.ndarray], limit: int) -> Union:
    """The features of several states, in the order in which they occur; `states` are their identities.

    Of more than `limit` in the table those of the first state stay, then those of several states, then the first ones.
    """
    every = np.concatenate(states)
    found, first, inverse, counts = np.unique(every, return_index=True, return_inverse=True, return_counts=True)
    stays = np.ones(len(found), dtype=bool)
    made = np.flatnonzero(found > 0)
    if len(made) > limit:
        once = (counts[made] == 1) & (first[made] >= len(states[0]))
        stays[made[np.lexsort((first[made], once, first[made] >= len(states[0])))[limit:]]] = False
    order = np.flatnonzero(stays)[np.argsort(first[stays])]
    place = np.full(len(found), UNKNOWN)
    place[order] = np.arange(len(order))
    ends = np.cumsum([len(each) for each in states])[:-1]
    return Union(found[order], np.split(place[inverse.ravel()], ends))


@bare_inline
def shift_of(slots):
    """How far a print is shifted to give the place where a key should be."""
    shift = PRINT_BITS
    while (1 << (PRINT_BITS - shift)) < len(slots):
        shift -= 1
    return shift


@bare_inline
def slot_of(print_, slots, shift):
    """Slot that holds what has this print, or the free one where it belongs."""
    mask = len(slots) - 1
    at = print_ >> shift
    while slots[at] != 0 and slots[at] >> NUMBER_BITS != print_:
        at = (at + 1) & mask
    return at


@bare_jit
def refill(slots, bigger):
    """Enter what `slots` hold into empty ones."""
    shift = shift_of(bigger)
    for i in range(len(slots)):
        if slots[i] != 0:
            bigger[slot_of(slots[i] >> NUMBER_BITS, bigger, shift)] = slots[i]


@bare_inline
def lacks_room(slots, limit, made, more):
    """Whether the table must be doubled before `more` features are made up."""
    return len(slots) < 2 * limit and 2 * (made + more) > len(slots)


@forced_inline
def first_slot(key, slots, shift):
    """What the slot holds where `key` should be. To read those of a whole row before numbering it pays: the misses of
    the cache are under way together, where numbering waits for each.
    """
    return slots[key >> (KEY_BITS - PRINT_BITS) >> shift]


@forced_inline
def number_of(key, fetched, table, now, learned):
    """Number of a made-up feature; if it is new, the next one in rows that are learned from, else UNKNOWN.

    `fetched` is what `first_slot` has read: a slot that is taken stays as it is. `table`: (slots, shift, limit).
    """
    if fetched != 0 and fetched >> NUMBER_BITS == key >> (KEY_BITS - PRINT_BITS):
        return (fetched & _NUMBER) - 1
    return searched(key, table, now, learned)


@forced_inline
def number_all(keys, fetched, size, value, table, now, out, at):
    """`number_of` and `put` of all keys of a row that is learned from, where none can share a number.

    Most keys stand in the slot where they should: those are written without a branch, the others after them.
    """
    for k in range(size):
        out.features[at + k] = (fetched[k] & _NUMBER) - 1
        out.values[at + k] = value
    for k in range(size):
        if fetched[k] == 0 or fetched[k] >> NUMBER_BITS != keys[k] >> (KEY_BITS - PRINT_BITS):
            out.features[at + k] = searched(keys[k], table, now, True)


@bare_inline
def all_known(keys, fetched, size, slots, shift):
    """Whether every key of a row has a number of its own; then fetched[k] <- the slot that has it."""
    for k in range(size):
        print_ = keys[k] >> (KEY_BITS - PRINT_BITS)
        if fetched[k] == 0 or fetched[k] >> NUMBER_BITS != print_:
            fetched[k] = slots[slot_of(print_, slots, shift)]
            if fetched[k] == 0:
                return False
    return True


@bare_inline
def searched(key, table, now, learned):
    """`number_of` what does not stand in the first slot where it should."""
    slots, shift, limit = table
    print_ = key >> (KEY_BITS - PRINT_BITS)
    at = slot_of(print_, slots, shift)
    if slots[at] != 0:
        return (slots[at] & _NUMBER) - 1
    if now["made"] >= limit:
        while slots[at] == 0:
            at = (at + 1) & (len(slots) - 1)
        return (slots[at] & _NUMBER) - 1
    if not learned:
        return UNKNOWN
    number = now["features"]
    now["features"] = number + 1
    now["made"] += 1
    slots[at] = (print_ << NUMBER_BITS) | (number + 1)
    return number


def new_marks(entries: int) -> np.ndarray:
    """Scratch space of `put`, for rows of up to so many entries: int64[power of two + 1].

    A hash table of places in the output, at most half full. Its last element is where the output begins among all
    outputs so far (`begin_marks`), so that what is left in the table from other rows is known to be old without
    clearing it.
    """
    return np.full(max(1 << (2 * entries - 1).bit_length(), _MARKS) + 1, -1, np.int64)


def begin_marks(marks: np.ndarray, entries: int) -> None:
    """Another output of up to `entries` entries begins."""
    marks[-1] += entries + 1


@bare_inline
def mark_of(out, begin, at, feature, marks):
    """Slot of `marks` that has the place of `feature` in the row from `begin` to `at`, or the free one for it."""
    size = len(marks) - 1
    base, mask, bits = marks[size], size - 1, 32
    while (size >> (32 - bits)) > 1:
        bits -= 1
    slot = (((np.int64(feature) & _HASHED) * _GOLDEN) & _WORD) >> bits & mask
    while base + begin <= marks[slot] < base + at and out.features[marks[slot] - base] != feature:
        slot = (slot + 1) & mask
    return slot


@forced_inline
def put(out, begin, at, feature, value, shared, marks):
    """Write an entry of the row that begins at `begin`; returns the next place.

    Where numbers may be `shared` (the table is full, or may be within this row), what stands in the row already gets
    the value added.
    """
    if shared:
        base = marks[len(marks) - 1]
        slot = mark_of(out, begin, at, feature, marks)
        if base + begin <= marks[slot] < base + at:
            out.values[marks[slot] - base] += value
            return at
        marks[slot] = base + at
    out.features[at] = feature
    out.values[at] = value
    return at + 1


def room_for(rows: Rows, entries: int) -> Rows:
    """Rows to be filled in, with up to `entries` entries, and labels and weights of `rows`."""
    return rows._replace(
        indptr=np.zeros(len(rows.indptr), np.int64), features=np.empty(entries, np.int64), values=np.empty(entries)
    )


class Numbering:
    """What views with made-up features share: their table of numbers grows on the way.

    A view has `_params.limit`, a state with `slots`, `_room` for the rows to come, and `_fill(state, rows, out, start)`
    that goes from start = (row, place in the output, whether rows are learned from) on until the table is too small.
    """

    def fit_transform(self, state: Any, rows: Rows) -> tuple[Any, Rows]:
        """`rows` as seen, each before it is counted."""
        out, i, at = self._room(rows), 0, 0
        while True:
            i, at = self._fill(state, rows, out, (i, at, True))
            if i == len(rows.y):
                return state, out
            state = state._replace(slots=doubled(state.slots, self._params.limit))

    def transform(self, state: Any, rows: Rows) -> Rows:
        """The same, counting nothing; what has no number is left out."""
        out = self._room(rows)
        self._fill(state._replace(slots=slots_for_reading(state.slots)), rows, out, (0, 0, False))
        return out

    def features(self, state: Any) -> int:
        """Features of the rows seen so far are below this."""
        return int(state.now["features"][0])
