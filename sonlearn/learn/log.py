"""A log of generations, composed, for `newton` and `diagonal_fd.rounds`.

A generation is a linear map of every feature's row [z b], of M and K numbers: z <- E z and b <- b + B z. The log stores
[E' B'], by which a row z is multiplied. Generations are numbered from 0, and a feature is brought up to date when it is
next read. Slot i of level l holds the composition of the maps from generation W^l i, W = 2^BITS, to the end of its
block of W^(l+1) generations or, while the block is incomplete, to the last multiple of W^l. So an update takes at most
two slots a level, usually two or three in all, and a generation about five small products. Slots are in the order in
which they are first written. E is a contraction up to rounding and no map is inverted, so compositions stay accurate.

In all kernels `maps` is float64[slots, M, M + K] and `z` float64[2, M + K].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sonlearn.data.arrays import grown
from sonlearn.data.axes import Counted
from sonlearn.data.linear_algebra import add_rows, clear, clear_first, set_scaled
from sonlearn.jit import inline
from sonlearn.learn.tolerances import LOG_MIN

#: The log composes blocks of 2^BITS generations, and of 2^BITS of those, and so on.
BITS = 3


@inline(force=True)
def apply_map(row, by, out):
    """out <- the row (float64[M + K]) mapped by `by` (float64[M, M + K]); neither is modified."""
    width = len(by)
    clear_first(out, width)
    for i in range(width, len(row)):
        out[i] = row[i]
    add_rows(row, by, width, out)


@inline(force=True)
def map_forward(maps, stamp, generation, z):
    """Map the row z[0] from generation `stamp` to `generation`; returns the index in z of the result.

    maps is not modified, z is overwritten
    """
    at, source = stamp, 0
    while at < generation:
        slot, at = next_slot(at, generation)
        apply_map(z[source], maps[slot], z[1 - source])
        source = 1 - source
    return source


@inline
def begin_generation(now, maps, ET, on_b, last, product):
    """Log z <- E z and b <- b + B z for all features, and begin a generation: modifies now and maps, which has room.

    ET : float64[columns of E, rows of E or more]; on_b : float64[K, columns of E or more], B; neither is modified
    last, product : float64[M, M + K], overwritten
    """
    width = maps.shape[1]
    clear(last)
    for j in range(len(ET)):
        set_scaled(last[j], 1.0, ET[j], min(ET.shape[1], width))
        for c in range(len(on_b)):
            last[j, width + c] = on_b[c, j]
    enter(maps, last, product, now["generation"])
    now["generation"] += 1


@inline
def most_generations(seen, width):
    """Generations that the log may hold, of `seen` features with `width` numbers that maps multiply.

    Then all features are brought up to date, which takes the longer the more there are.
    """
    most = LOG_MIN
    while most < seen // (4 * max(width, 1)):
        most *= 8
    return most


@inline
def log_is_full(now, maps):
    """Return whether all features are to be brought up to date before there is another generation.

    That depends on the rows learned, not on where batches end, so batch sizes do not change any bit.
    """
    return now["generation"] >= LOG_MIN and now["generation"] >= most_generations(now["seen"], maps.shape[1])


@inline
def enter(maps, last, product, g):
    """Log `last`, the map of generation g, and compose it with the earlier slots of each block that contains it.

    maps is modified; last : float64[M, M + K], not modified; product : float64[M, M + K], overwritten
    """
    level, i = 0, g
    while True:
        begin = (i >> BITS) << BITS
        for slot in range(begin, i):
            at = place(level, slot)
            for j in range(len(last)):  # E' = E1' E2', and B' = B1' + E1' B2' in the last columns
                apply_map(maps[at, j], last, product[j])
            copy(product, maps, at)
        copy(last, maps, place(level, i))
        if i + 1 < begin + (1 << BITS):
            return
        last = maps[place(level, begin)]
        level, i = level + 1, i >> BITS


@inline
def copy(source, maps, at):
    """maps[at] <- source."""
    for j in range(source.shape[0]):
        set_scaled(maps[at, j], 1.0, source[j], source.shape[1])


@inline(force=True)
def place(level, i):
    """Position of slot i of `level`.

    The slot is first written when the last generation g of its first block is logged. The generations before g take
    g + g // W + g // W^2 + ... slots; among the slots of g, lower levels come first.
    """
    at, g = level, ((i + 1) << (BITS * level)) - 1
    while g > 0:
        at += g
        g >>= BITS
    return at


@inline(force=True)
def level_at(at, now):
    """Largest level with a slot that begins at generation `at` and is not empty at generation `now`."""
    level, length = 0, 1 << BITS
    while (at & (length - 1)) == 0 and at + length <= now:
        level += 1
        length <<= BITS
    return level


@inline(force=True)
def next_slot(at, now):
    """(position, generation at its end) of the longest composition that begins at generation `at` < `now`."""
    if at >> BITS == now >> BITS:
        return place(0, at), now
    level = level_at(at, now)
    block = BITS * level + BITS
    end = min(((at >> block) + 1) << block, (now >> (BITS * level)) << (BITS * level))
    return place(level, at >> (BITS * level)), end


def slots_of(generations: int) -> int:
    """Number of slots for n generations: n + n // W + n // W^2 + ..."""
    total = 0
    while generations:
        total += generations
        generations >>= BITS
    return total


class _Log(Counted):
    """The axis of the slots; there is room for as many generations as there may be of so many features."""

    def reserved(self, array: Any, now: np.ndarray, room: dict[str, int]) -> Any:
        slots = slots_of(most_generations(room.get("seen", 0), array.shape[1]))
        return grown(array, slots, slots_of(int(now["generation"][0])))


#: Slots of the log of a state, float64[slots, M, M + K].
LOG = _Log("generation", rows=slots_of)
