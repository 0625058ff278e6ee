"""Numbers for each (feature, class) that occurred together: a list of classes for each feature, which grows.

A word of a text meets few of a thousand classes, so a table of features x classes would be empty nearly everywhere.
Here a feature has a block in one pool: as many places as the next power of two of the classes that it has met, `LEAST`
at least. A full block moves into one of twice the size; what it leaves is free for others. Time and memory are in
proportion to the pairs that occurred, whatever the number of features or classes, and a class that comes late costs
nothing.

Where in the pool a block lies, and in which order a feature has met its classes, changes no bit of a score: a class has
at most one place in a block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.data.arrays import grown, zeros
from sonlearn.jit import bare_inline, bare_jit, fetch, forced_inline

#: Sizes of blocks: below 2^SIZES, and LEAST at least. A row that a learner learns from has up to four classes.
SIZES, LEAST = 32, 4
NONE = -1
#: Tables of more places than this are prefetched: a block so many entries before it is read, its place twice as many.
LARGE_TABLE, DISTANCE = 1 << 14, 8
#: Cache lines of a block that are prefetched, at most; the processor itself fetches what follows.
LINES = 4
#: Classes of a block that are compared side by side.
SIDE_BY_SIDE = 16


class Pairs(NamedTuple):
    """The table.

    Attributes
    ----------
    size : int32[features]
        How many classes each feature has met.
    begin : int64[features]
        Where its block begins in the pool; empty in a packed state, whose blocks follow each other without room.
    classes : int32[pool]
        Of each place the class; of the first place of a free block the next free one of that size, or `NONE`.
    values : float32[pool, C]
        The numbers of each pair.
    free : int64[SIZES]
        The first free block of each size, or `NONE`.
    now : structured [1]
        used: places of the pool that belong to blocks, free ones included.
    """

    size: np.ndarray
    begin: np.ndarray
    classes: np.ndarray
    values: np.ndarray
    free: np.ndarray
    now: np.ndarray


def new_pairs(columns: int) -> Pairs:
    """A table without a pair, with so many numbers for each."""
    return Pairs(
        np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros((0, columns), np.float32),
        np.full(SIZES, NONE), np.zeros(1, dtype=[("used", "i8")]),
    )  # fmt: skip


def reserve_pairs(pairs: Pairs, features: int) -> Pairs:
    """`pairs` with room for so many features; a packed table is laid out anew."""
    if len(pairs.begin) < len(pairs.size):
        pairs = _laid_out(pairs)
    return pairs._replace(size=grown(pairs.size, features), begin=grown(pairs.begin, features))


def more_room(pairs: Pairs, places: int) -> Pairs:
    """`pairs` with so many places in the pool beyond those used."""
    used = int(pairs.now["used"][0])
    length = max(used + places, 1024)
    return pairs._replace(classes=grown(pairs.classes, length, used), values=grown(pairs.values, length, used))


def packed_pairs(pairs: Pairs) -> Pairs:
    """`pairs` for storage: equal tables give equal arrays."""
    met = np.flatnonzero(pairs.size)
    size = pairs.size[: met[-1] + 1 if len(met) else 0].copy()
    if len(pairs.begin) < len(pairs.size):
        return pairs._replace(size=size)
    at = _places(size, pairs.begin[: len(size)])
    return new_pairs(pairs.values.shape[1])._replace(size=size, classes=pairs.classes[at], values=pairs.values[at])


def _places(size: np.ndarray, begin: np.ndarray) -> np.ndarray:
    """int64[pairs]: the places of all pairs, feature by feature."""
    ends = np.cumsum(size, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(begin - (ends - size), size)


def _laid_out(pairs: Pairs) -> Pairs:
    """A packed table with blocks as learning has them."""
    capacity = np.where(pairs.size > 0, 1 << np.ceil(np.log2(np.maximum(pairs.size, LEAST))).astype(np.int64), 0)
    ends = np.cumsum(capacity)
    used = int(ends[-1]) if len(ends) else 0
    out = new_pairs(pairs.values.shape[1])
    out.now["used"] = used
    classes, values = zeros((used,), np.int32), zeros((used, pairs.values.shape[1]), np.float32)
    at = _places(pairs.size, ends - capacity)
    classes[at], values[at] = pairs.classes, pairs.values
    return out._replace(size=pairs.size.copy(), begin=ends - capacity, classes=classes, values=values)


def weights_of(pairs: Pairs, features: int, k: int) -> np.ndarray:
    """float64[features]: the first number of each feature's pair with class k, 0 where they have not met."""
    pairs, out = packed_pairs(pairs), np.zeros(features)
    known = np.repeat(np.arange(len(pairs.size)), pairs.size)
    chosen = (pairs.classes == k) & (known < features)
    out[known[chosen]] = pairs.values[chosen, 0]
    return out


def bytes_of(pairs: Pairs) -> int:
    """Bytes that the table takes, without room never touched."""
    each = pairs.classes.itemsize + pairs.values.itemsize * pairs.values.shape[1]
    used = int(pairs.now["used"][0]) if len(pairs.begin) else len(pairs.classes)
    return used * each + pairs.size.nbytes + pairs.begin.nbytes


@forced_inline
def place_of(pairs, f, k):
    """The place of class k in the block of feature f, counted from where that begins; -1: they have not met."""
    begin, size, at = pairs.begin[f], pairs.size[f], 0
    while at + SIDE_BY_SIDE <= size:
        found = 0
        for l in range(SIDE_BY_SIDE):  # noqa: E741
            found |= np.int32(pairs.classes[begin + at + l] == k)
        if found:
            break
        at += SIDE_BY_SIDE
    while at < size:
        if pairs.classes[begin + at] == k:
            return at
        at += 1
    return -1


@forced_inline
def fetch_block(pairs, rows, at, end):
    """Prefetch the block of the feature of entry `at`, and the place of the block of one further on, before `end`.

    Blocks of a large table are rarely in the cache, and a row of a view may have hundreds of them.
    """
    if at + DISTANCE < end and rows.features[at + DISTANCE] < len(pairs.begin):
        fetch(pairs.begin, rows.features[at + DISTANCE], 1)
        fetch(pairs.size, rows.features[at + DISTANCE], 1)
    if at < end and rows.features[at] < len(pairs.begin):
        begin, size = pairs.begin[rows.features[at]], pairs.size[rows.features[at]]
        if size > 0:
            fetch(pairs.classes, begin, min((4 * size + 63) >> 6, LINES))
            fetch(pairs.values, begin, min((4 * size * pairs.values.shape[1] + 63) >> 6, LINES))


@bare_inline
def add_pair(pairs, f, k):
    """The place of class k in the block of feature f, which have not met before; numbers there are 0.

    Room has been made (`places_needed`).
    """
    size, begin, classes, values = pairs.size[f], pairs.begin[f], pairs.classes, pairs.values
    if size == 0 or (size >= LEAST and size & (size - 1) == 0):  # there is no block, or it is full
        order = order_of(size)
        wanted = order_of(max(2 * size, LEAST))
        to = pairs.free[wanted]
        if to >= 0:
            pairs.free[wanted] = classes[to]
        else:
            to = pairs.now[0]["used"]
            pairs.now[0]["used"] = to + (1 << wanted)
        for at in range(size):
            classes[to + at] = classes[begin + at]
            for c in range(values.shape[1]):
                values[to + at, c] = values[begin + at, c]
        if size > 0:
            classes[begin] = pairs.free[order]
            pairs.free[order] = begin
        pairs.begin[f] = begin = to
    classes[begin + size] = k
    for c in range(values.shape[1]):
        values[begin + size, c] = 0.0
    pairs.size[f] = size + 1
    return size


@bare_inline
def scale_pairs(pairs, f, column, by):
    """Multiply one of the numbers of feature f's pairs by `by`. pairs : Pairs, modified; column : int; by : float."""
    for at in range(pairs.begin[f], pairs.begin[f] + pairs.size[f]):
        pairs.values[at, column] *= by


@bare_inline
def order_of(size):
    """The logarithm of a power of two."""
    order = 0
    while (1 << order) < size:
        order += 1
    return order


@bare_inline
def places_needed(pairs, rows, i, more):
    """Places that row i may take at most if each of its features meets `more` classes."""
    total = 0
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        total += 4 * (pairs.size[rows.features[at]] + more) + 2
    return total


@bare_jit
def count_places(pairs, rows, i, more):
    """`places_needed`, for Python."""
    return places_needed(pairs, rows, i, more)
