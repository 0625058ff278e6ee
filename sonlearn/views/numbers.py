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

from sonlearn.data.axes import Axis, merged
from sonlearn.data.rows import Rows, begin_row, leave_out, longest_row
from sonlearn.jit import inline, jit
from sonlearn.jit.sequence import Calls
from sonlearn.views.codes import KEY_BITS
from sonlearn.views.index import NOWHERE, UNKNOWN, new_places, place_in_row
from sonlearn.views.view import MergedView, Place, View

#: Made-up features of a view, at most.
CAPACITY = 1 << 22
NUMBER_BITS = 24
PRINT_BITS = 63 - NUMBER_BITS
_NUMBER = (1 << NUMBER_BITS) - 1
_SMALLEST = 1 << 9
#: In place of the slots of a new state, which has none: one that is free.
_NO_SLOTS = np.zeros(1, np.int64)


def doubled(slots: np.ndarray, limit: int) -> np.ndarray:
    """A table of twice the size with the same content, if `limit` features need as much."""
    bigger = np.zeros(min(max(2 * len(slots), _SMALLEST), 2 * limit), np.int64)
    refill(by_number(slots), bigger)
    return bigger


def by_number(slots: np.ndarray) -> np.ndarray:
    """Return what `slots` hold in the order of its numbers, with zeros for numbers that stand for nothing.

    What is frequent has occurred early. Entered first it stands in the slot where it should, and is found at once.
    """
    held = slots[slots != 0]
    numbers = held & _NUMBER
    out = np.zeros(1 + int(numbers.max(initial=-1)), np.int64)
    out[numbers] = held
    return out


class NumberTable(NamedTuple):
    """A table of numbers, for kernels."""

    slots: np.ndarray  # int64[power of two]: 0, or print and number + 1
    shift: int  # see `shift_of`
    limit: int  # features that get a number of their own, at most


def identities_of(slots: np.ndarray, features: int) -> np.ndarray:
    """int64[features]: what each number stands for, its print plus 1; 0 for what does not stand in the table."""
    found = slots[slots != 0]
    out = np.zeros(features, np.int64)
    out[(found & _NUMBER) - 1] = (found >> NUMBER_BITS) + 1
    return out


def slots_of(identities: np.ndarray, limit: int) -> np.ndarray:
    """The table of which these are the `identities_of`."""
    numbers = np.flatnonzero(identities > 0)
    if not len(numbers):
        return np.zeros(0, np.int64)
    slots = np.zeros(max(1 << (2 * min(len(numbers), limit) - 1).bit_length(), _SMALLEST), np.int64)
    refill((identities[numbers] - 1 << NUMBER_BITS) | (numbers + 1), slots)
    return slots


def union(states: Sequence[np.ndarray], limit: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """(the features of several states in the order in which they occur, their numbers, below 0: left out).

    All are `identities_of`, in and out; numbers are of each state int64[its features]. Of more than `limit` in the
    table those of the first state stay, then those of several states, then the first ones.
    """
    n = len(states[0])
    if n and n + sum(len(state) - n for state in states) <= limit and all(_goes_on(each, states[0]) for each in states):
        rest, numbers = union([state[n:] for state in states], limit)
        return np.append(states[0], rest), [np.append(np.arange(n), n + own) for own in numbers]
    every = np.concatenate(states)
    found, first, inverse, counts = np.unique(every, return_index=True, return_inverse=True, return_counts=True)
    stays = np.ones(len(found), dtype=bool)
    occurring = np.flatnonzero(found > 0)
    if len(occurring) > limit:
        once = (counts[occurring] == 1) & (first[occurring] >= len(states[0]))
        stays[occurring[np.lexsort((first[occurring], once, first[occurring] >= len(states[0])))[limit:]]] = False
    order = np.flatnonzero(stays)[np.argsort(first[stays])]
    place = np.full(len(found), UNKNOWN)
    place[order] = np.arange(len(order))
    ends = np.cumsum([len(each) for each in states])[:-1]
    return found[order], np.split(place[inverse.ravel()], ends)


def _goes_on(state: np.ndarray, base: np.ndarray) -> bool:
    """Return whether a state is a base with new features behind, all in the table."""
    return bool(state.all()) and np.array_equal(state[: len(base)], base)


@inline
def shift_of(slots):
    """Return how far a print is shifted to give the place where a key should be."""
    shift = PRINT_BITS
    while (1 << (PRINT_BITS - shift)) < len(slots):
        shift -= 1
    return shift


@inline
def slot_of(print_, slots, shift):
    """Slot that holds what has this print, or the free one where it belongs."""
    mask = len(slots) - 1
    at = print_ >> shift
    while slots[at] != 0 and slots[at] >> NUMBER_BITS != print_:
        at = (at + 1) & mask
    return at


@jit
def refill(slots, bigger):
    """Enter what `slots` hold into empty ones, in its order."""
    shift = shift_of(bigger)
    for i in range(len(slots)):
        if slots[i] != 0:
            bigger[slot_of(slots[i] >> NUMBER_BITS, bigger, shift)] = slots[i]


@inline
def lacks_room(slots, limit, generated, more):
    """Return whether the table must be doubled before `more` features are made up."""
    return len(slots) < 2 * limit and 2 * (generated + more) > len(slots)


@inline
def number_of(key, table, now, learned):
    """Number of a made-up feature; if it is new, the next one in rows that are learned from, else UNKNOWN."""
    slots, print_ = table.slots, key >> (KEY_BITS - PRINT_BITS)
    at = slot_of(print_, slots, table.shift)
    if slots[at] != 0:
        return (slots[at] & _NUMBER) - 1
    if now["made"] >= table.limit:
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

    Places in the output, for `place_in_row`, and then where the output begins among all outputs so far
    (`forget_marks`), so that what is left there from other rows is known to be old without clearing it.
    """
    return np.append(np.full(len(new_places(entries)), NOWHERE), 0)


@jit
def forget_marks(marks, entries):
    """Forget what stands in an output of up to `entries` entries: it is of other rows than those to come."""
    marks[len(marks) - 1] += entries + 1


@inline(force=True)
def put(out, begin, at, feature, value, shared, marks):
    """Write an entry of the row that begins at `begin`; returns the next place.

    Where numbers may be `shared` (the table is full, or may be within this row), what stands in the row already gets
    the value added.
    """
    place = marked(out.features, begin, at, feature, marks) if shared else at
    if place < at:
        out.values[place] += value
        return at
    out.features[at] = feature
    out.values[at] = value
    return at + 1


@inline
def marked(features, begin, at, feature, marks):
    """Place of `feature` in the row from `begin` to `at`, or `at`, which is its own from now on."""
    size = len(marks) - 1
    return begin + place_in_row(np.int64(feature), features[begin:at], marks[size] + begin, marks[:size])


@inline(force=True)
def put_or_leave(out, i, begin, at, number, value, shared, marks):
    """`put`, of what has a number, an entry of row i; the rest is left out and measured (`Rows.unseen`)."""
    if number != UNKNOWN:
        return put(out, begin, at, number, value, shared, marks)
    leave_out(out.unseen, i, value)
    return at


@inline(force=True)
def number_row(keys, size, value, table, now, learned, out, i, begin, marks):
    """Keys of row i -> numbers -> entries of `value` each, from `begin` on; returns the place after the last.

    keys : int64[size or more], not modified; table : `NumberTable`, whose slots new keys fill; now : record of the
    state, whose numbers are raised; out : `Rows`, filled in; marks : see `put`.
    """
    own, at, shared = keys[:size], begin, now["made"] + size > table.limit
    begin_row(out.unseen, i)
    for k in range(len(own)):
        number = number_of(own[k], table, now, learned)
        at = put_or_leave(out, i, begin, at, number, value, shared, marks)
    return at


class _Slots(Axis):
    def packed(self, array: np.ndarray, now: np.ndarray) -> np.ndarray:
        return array if now["made"][0] else array[:0]


#: The axis of a table of numbers, which nobody needs before it holds one.
SLOTS = _Slots()


class Numbering(View):
    """What views with made-up features share: their table of numbers grows on the way.

    A state has `now` and `slots`.
    """

    #: Entries of the longest row that there is scratch space for.
    _longest = 1

    def room(self, state: Any, rows: Rows) -> Rows:
        """See `View.room`; scratch space as well."""
        longest = longest_row(rows)
        if longest > self._longest:
            self._work, self._longest = self._new_work(longest), longest
        return super().room(state, rows)

    def reserve(self, state: Any, rows: Rows, features: int) -> Any:
        """Let the arrays hold what `rows` may bring; the table grows on the way."""
        state = super().reserve(state, rows, features)
        return state if len(state.slots) else self.widened(state)

    def widened(self, state: Any) -> Any:
        """See `View.widened`: a table of twice the size."""
        return state._replace(slots=doubled(state.slots, self._params.limit))

    def calls(self, state: Any, rows: Rows, out: Rows, learn: bool = True, start: Place = (0, 0)) -> Calls:
        """See `View.calls`."""
        state = state if len(state.slots) else state._replace(slots=_NO_SLOTS)
        forget = forget_marks, (self._work.marks, len(out.features))
        return [*super().calls(state, rows, out, learn, start), forget]

    def merge(self, states: Sequence[Any], base: Any) -> MergedView:
        """Counts as of one run, what has been made up in one numbering."""
        limit = self._params.limit
        identities, numbers = union([self._identities(state) for state in (base, *states)], limit)
        state = merged(states, base, np.ones(len(states)))
        state.now["features"], state.now["made"] = len(identities), np.count_nonzero(identities > 0)
        return MergedView(state._replace(slots=slots_of(identities, limit)), numbers[1:], numbers[0])

    def _identities(self, state: Any) -> np.ndarray:
        """int64[features]: what each number stands for, see `identities_of`."""
        return identities_of(state.slots, self.features(state))
