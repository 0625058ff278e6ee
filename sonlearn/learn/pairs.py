"""Numbers for each (feature, class) that occurred together: a block of classes for each feature, which grows.

A word of a text meets few of a thousand classes, so a table of features x classes would be empty nearly everywhere;
a bin of a number meets nearly all of ten. So a feature's block in the one pool is either

- a *list* of the classes that it has met, with as many places as the next power of two, `MIN_SIZE` at least; a full
  list goes into a block of twice the size, and what it leaves is free for others;
- or *dense*: place k is that of class k. There are as many places as the next power of two of all classes. Blocks are
  dense from the start where that is `SMALL` at most, and otherwise as soon as a list of the same size would be needed.

Scores of dense blocks need no class read. Time and memory are in proportion to the pairs that occurred, whatever the
number of features, and up to `SMALL` whatever the number of classes. A class that comes late costs nothing but room.

Where in the pool a block lies, of which kind it is, and in which order a feature has met its classes, changes no bit of
a score: sums go over the entries of a row in their order. A pair whose numbers are all 0 is the same as none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.data.linear_algebra import add_scaled
from sonlearn.jit import fetch, inline

#: Orders of blocks, which have 2^order places: below SIZES. Lists have MIN_SIZE places at least.
SIZES, MIN_SIZE = 32, 4
#: Dense blocks of so many places are made at once.
SMALL = 32
#: A list becomes dense, rather than longer, where so many times its places are enough.
SPARSE = 4
NONE = -1
#: Places in a cache line of numbers: where larger blocks begin is a multiple of it.
CACHE_LINE_PLACES = 16
#: Tables of more places than this are prefetched: a block so many entries before it is read, its place twice as many.
LARGE_TABLE, DISTANCE = 1 << 14, 8
#: Cache lines of a block that are prefetched, at most; the processor itself fetches what follows.
LINES = 4


class Pairs(NamedTuple):
    """The table.

    Attributes
    ----------
    size : int32[features]
        In a packed table, whose pairs follow each other feature by feature, in the order of classes: how many pairs
        each has. Otherwise empty.
    blocks : structured [features]
        begin: where its block begins in the pool; size: of a list, how many classes it has; capacity: of a dense
        block, its places. No block has neither. Empty in a packed table.
    classes : int32[pool]
        Of each place of a list the class; of the first place of a free block the next free one of that size, or
        `NONE`. Empty as long as there are no lists.
    values : C arrays, float32[pool]
        The numbers of each pair.
    free : int64[SIZES]
        The first free block of each order, or `NONE`.
    now : structured [1]
        used: places of the pool that belong to blocks, free ones included.
    """

    size: np.ndarray
    blocks: np.ndarray
    classes: np.ndarray
    values: tuple[np.ndarray, ...]
    free: np.ndarray
    now: np.ndarray


@inline(force=True)
def place_of(pairs, f, k):
    """The place of class k in the block of feature f, counted from where that begins; -1: it has none."""
    block = pairs.blocks[f]
    if block["capacity"] > 0:
        return k if k < block["capacity"] else -1
    for at in range(block["size"]):
        if pairs.classes[block["begin"] + at] == k:
            return at
    return -1


@inline(force=True)
def fetch_block(pairs, rows, at, end):
    """Prefetch the block of the feature of entry `at`, and the place of the block of one further on, before `end`.

    Blocks of a large table are rarely in the cache, and a row of a view may have hundreds of them.
    """
    if at + DISTANCE < end and rows.features[at + DISTANCE] < len(pairs.blocks):
        fetch(pairs.blocks, rows.features[at + DISTANCE], 1)
    if at < end and rows.features[at] < len(pairs.blocks):
        block = pairs.blocks[rows.features[at]]
        begin, size = block["begin"], block["size"]
        if block["capacity"] > 0:
            fetch(pairs.values[0], begin, min((4 * block["capacity"] + 63) >> 6, LINES))
        elif size > 0:
            fetch(pairs.classes, begin, min((4 * size + 63) >> 6, LINES))
            fetch(pairs.values[0], begin, min((4 * size + 63) >> 6, LINES))


@inline
def add_weights(pairs, rows, i, scale, classes, z):
    """z[k] += scale * x * the first number of the pair of class k < `classes`, for each feature of row i in turn.

    pairs : Pairs, rows : Rows, not modified; scale : float; z : float64[`classes` or more], modified. Features without
    a block say nothing.
    """
    end, w = rows.indptr[i + 1], pairs.values[0]
    large = len(w) > LARGE_TABLE
    for e in range(rows.indptr[i], end):
        if large:
            fetch_block(pairs, rows, e + DISTANCE, end)
        if rows.features[e] < len(pairs.blocks):
            block, x = pairs.blocks[rows.features[e]], rows.values[e] * scale
            begin = block["begin"]
            add_scaled(z, x, w[begin:], min(block["capacity"], classes))
            for at in range(begin, begin + block["size"]):
                z[pairs.classes[at]] += x * w[at]


@inline(force=True)
def place_for(pairs, f, k, classes):
    """`place_of`, of a pair that is added where there is none; room has been made (`has_room`).

    The block may move then, and other classes get other places.
    """
    place = place_of(pairs, f, k)
    return place if place >= 0 else add_pair(pairs, f, k, classes)


@inline
def add_to_pairs(pairs, f, by, some, steps, classes):
    """The first number of the pair of feature f and each of the classes `some` += by steps[k]; room has been made.

    some : int64[n], below `classes`; steps : float64[K]; neither is modified
    """
    for at in range(len(some)):
        k = some[at]
        place = place_for(pairs, f, k, classes)
        pairs.values[0][pairs.blocks[f]["begin"] + place] += by * steps[k]


@inline
def add_pair(pairs, f, k, classes):
    """The place of class k < `classes` in the block of feature f, where it has none; numbers there are 0.

    A full list, and a dense block without a place for k, go into a larger one.
    """
    block, whole = pairs.blocks[f], 1 << ceil_log2(max(classes, MIN_SIZE))
    size, listed = max(block["size"], block["capacity"]), block["capacity"] == 0
    if size == 0 or not listed or (size >= MIN_SIZE and size & (size - 1) == 0):
        dense = whole <= max(SMALL, SPARSE * size)
        to = allocate_block(pairs, ceil_log2(whole if dense else max(2 * size, MIN_SIZE)))
        begin = block["begin"]
        for at in range(size):
            own = pairs.classes[begin + at] if listed else at
            place = own if dense else at
            for c in range(len(pairs.values)):
                pairs.values[c][to + place] = pairs.values[c][begin + at]
            if not dense:
                pairs.classes[to + place] = own
        if size > 0:
            free_block(pairs, begin, ceil_log2(max(size, MIN_SIZE)))
        block["begin"], block["size"], block["capacity"] = to, 0 if dense else size, whole if dense else 0
        if dense:
            return k
    at = block["begin"] + size
    pairs.classes[at] = k
    for c in range(len(pairs.values)):
        pairs.values[c][at] = 0.0
    block["size"] = size + 1
    return size


@inline
def allocate_block(pairs, order):
    """A block of 2^order places, whose numbers are 0."""
    at = pairs.free[order]
    if at >= 0:
        pairs.free[order] = pairs.classes[at]
        for c in range(len(pairs.values)):
            for place in range(at, at + (1 << order)):
                pairs.values[c][place] = 0.0
        return at
    line = min(1 << order, CACHE_LINE_PLACES)
    at = (pairs.now[0]["used"] + line - 1) // line * line
    pairs.now[0]["used"] = at + (1 << order)
    return at


@inline
def free_block(pairs, at, order):
    """Let others have a block of 2^order places; as long as there are no lists nobody would ask for it."""
    if at + (1 << order) <= len(pairs.classes):
        pairs.classes[at] = pairs.free[order]
        pairs.free[order] = at


@inline
def scale_pairs(pairs, f, column, by):
    """Multiply one of the numbers of feature f's pairs by `by`. pairs : Pairs, modified; column : int; by : float."""
    block = pairs.blocks[f]
    for at in range(block["begin"], block["begin"] + max(block["size"], block["capacity"])):
        pairs.values[column][at] *= by


@inline
def ceil_log2(n):
    """The least power of two that is no less than n, as its exponent."""
    order = 0
    while (1 << order) < n:
        order += 1
    return order


@inline
def has_room(pairs, rows, i, more, classes):
    """Return whether there is room if each feature of row i meets `more` classes, all of which are below `classes`."""
    entries = rows.indptr[i + 1] - rows.indptr[i]
    return room_for_pairs(pairs, classes) >= places_needed(pairs, entries, more, classes)


@inline
def room_for_pairs(pairs, classes):
    """Places of the pool that no block has."""
    room = len(pairs.values[0])
    if classes > SMALL:
        room = min(room, len(pairs.classes))
    return room - pairs.now[0]["used"]


@inline
def places_needed(pairs, n, more, classes):
    """Places that n features may take at most if each of them meets `more` classes, all below `classes`.

    Whatever happens to a feature, its blocks have no more than twice the places for all classes; and no more than 8 for
    each class that it has met by then, and a few. Room that is not used takes no memory.
    """
    whole = 1 << ceil_log2(max(classes, MIN_SIZE))
    lists = 8 * pairs.now[0]["used"] + n * (8 * more + 2 * SMALL + 2 * CACHE_LINE_PLACES)
    return min(2 * n * (whole + CACHE_LINE_PLACES), lists)
