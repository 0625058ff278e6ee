"""Where a log of generations has its compositions: the index arithmetic of `sparse_time` and of `engines.compensated`.

A generation is a linear map of every feature's row, numbered from 0; a feature is brought up to date when it is next
read. Slot i of level l holds the composition of the maps that begins at generation W^l i, W = 2^bits, and ends with its
block of W^(l+1) generations or, while that is not complete, at the last multiple of W^l. So a gap takes at most two
slots a level, mostly two or three in all. Slots stand in the order in which they are first written.

How a map is laid out, applied and composed differs from log to log; nothing here touches a map.
"""

from __future__ import annotations

from sonlearn.jit import forced_inline


@forced_inline
def place(level, i, bits):
    """Where slot i of `level` stands.

    It is first written when the generation g that completes its own first block is entered; g and those before it have
    taken g + g // W + g // W^2 + ... slots, and of its own the slots of lower levels come first.
    """
    at, g = level, ((i + 1) << (bits * level)) - 1
    while g > 0:
        at += g
        g >>= bits
    return at


@forced_inline
def level_at(at, now, bits):
    """Largest level at which a slot begins at generation `at` and is not empty at `now`."""
    level, length = 0, 1 << bits
    while (at & (length - 1)) == 0 and at + length <= now:
        level += 1
        length <<= bits
    return level


@forced_inline
def next_slot(at, now, bits):
    """(where it stands, generation at which it ends) of the longest composition that begins at `at` < `now`."""
    if at >> bits == now >> bits:
        return place(0, at, bits), now
    level = level_at(at, now, bits)
    block = bits * level + bits
    end = min(((at >> block) + 1) << block, (now >> (bits * level)) << (bits * level))
    return place(level, at >> (bits * level), bits), end


def slots_of(generations: int, bits: int) -> int:
    """Slots that so many generations take: n + n // W + n // W^2 + ..."""
    total = 0
    while generations:
        total += generations
        generations >>= bits
    return total
