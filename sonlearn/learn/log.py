"""A log of generations: where compositions stand, and its room, for `newton.sparse_time` and `diagonal_fd.lazy`.

A generation is a linear map of every feature's row. Generations are numbered from 0, and a feature is brought up to
date when it is next read. Slot i of level l holds the composition of the maps from generation W^l i, W = 2^bits, to the
end of its block of W^(l+1) generations or, while the block is incomplete, to the last multiple of W^l. So an update
takes at most two slots a level, usually two or three in all. Slots are in the order in which they are first written.

The two logs lay out, apply and compose their maps differently; this module does not read the maps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sonlearn.data import axes
from sonlearn.jit import forced_inline


@forced_inline
def place(level, i, bits):
    """Position of slot i of `level`.

    The slot is first written when the last generation g of its first block is logged. The generations before g take
    g + g // W + g // W^2 + ... slots; among the slots of g, lower levels come first.
    """
    at, g = level, ((i + 1) << (bits * level)) - 1
    while g > 0:
        at += g
        g >>= bits
    return at


@forced_inline
def level_at(at, now, bits):
    """Largest level with a slot that begins at generation `at` and is not empty at generation `now`."""
    level, length = 0, 1 << bits
    while (at & (length - 1)) == 0 and at + length <= now:
        level += 1
        length <<= bits
    return level


@forced_inline
def next_slot(at, now, bits):
    """(position, generation at its end) of the longest composition that begins at generation `at` < `now`."""
    if at >> bits == now >> bits:
        return place(0, at, bits), now
    level = level_at(at, now, bits)
    block = bits * level + bits
    end = min(((at >> block) + 1) << block, (now >> (bits * level)) << (bits * level))
    return place(level, at >> (bits * level), bits), end


def slots_of(generations: int, bits: int) -> int:
    """Number of slots for n generations: n + n // W + n // W^2 + ..."""
    total = 0
    while generations:
        total += generations
        generations >>= bits
    return total


def with_room(state: Any, sweep: Callable, z: np.ndarray) -> Any:
    """Enlarge the log if it is small compared with the table; else bring all features up to date and empty it.

    The choice depends on the rows learned, not on where batches end, so batch sizes do not change any bit.

    Parameters
    ----------
    state
        Its log is the field `maps`, full of ``now["capacity"]`` generations. The second axis are the numbers of a
        feature that maps multiply.
    sweep : callable
        The kernel that brings all features up to date, with arguments `state` and `z`.
    """
    capacity, seen = int(state.now["capacity"][0]), int(state.now["seen"][0])
    if capacity >= seen // (4 * state.maps.shape[1]):
        sweep(state, z)
        return state
    state.now["capacity"] = 8 * capacity
    return axes.reserved(state)
