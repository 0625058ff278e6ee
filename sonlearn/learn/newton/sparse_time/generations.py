"""Generations: a change of basis of Z for every feature at once, carried out only when a feature is read.

A generation maps z <- E z and wbar <- wbar + beta'z, for every class. A feature's row of the table is [z wbar], and the
map is logged as a matrix that such a row is multiplied with. A feature's stamp is the generation up to which it is
current.

A gap is bridged by compositions. Slot i of level l holds the one that begins at generation 8^l i and ends with its
block of 8^(l+1) generations or, while that is not complete, at the last multiple of 8^l: a gap takes at most two slots
a level and mostly two or three in all, for about five small products a generation. E is a contraction up to rounding
and nothing is ever inverted, so compositions stay accurate.

Stamps, the log and its capacity are written here and nowhere else.
"""

from __future__ import annotations

import numpy as np

from sonlearn.jit import bare_inline, forced_inline, inline, jit
from sonlearn.learn.engine import grown
from sonlearn.learn.linear_algebra import add_rows, clear, transposed


@forced_inline
def apply_map(maps, which, z, source):
    """z[1 - source] <- the row z[source] of the table after maps[which]."""
    target, width, length = 1 - source, maps.shape[1], maps.shape[2]
    for i in range(width):
        z[target, i] = 0.0
    for i in range(width, length):
        z[target, i] = z[source, i]
    add_rows(z[source], maps[which], width, z[target])


@forced_inline
def place(level, i):
    """Where `State.maps` keeps slot i of `level`: slots stand in the order in which they are first written.

    That is when the generation g that completes the slot's own first block is entered; g and those before it have
    taken g + g // 8 + g // 64 + ... slots, and of its own the slots of lower levels come first.
    """
    at, g = level, ((i + 1) << (3 * level)) - 1
    while g > 0:
        at += g
        g >>= 3
    return at


@forced_inline
def level_at(at, now):
    """Largest level at which a slot begins at generation `at` and is not empty at `now`."""
    level = 0
    while (at & ((8 << (3 * level)) - 1)) == 0 and at + (8 << (3 * level)) <= now:
        level += 1
    return level


@forced_inline
def end_of(level, at, now):
    """Generation at which the slot of `level` that begins at `at` ends."""
    block = 3 * level + 3
    return min(((at >> block) + 1) << block, (now >> (3 * level)) << (3 * level))


@forced_inline
def travel(maps, stamp, generation, z):
    """Carry the row z[0] of the table from generation `stamp` to `generation`; z has 2 rows.

    Returns the row of z where it arrives.
    """
    at, source = stamp, 0
    while at < generation:
        level = level_at(at, generation)
        apply_map(maps, place(level, at >> (3 * level)), z, source)
        source = 1 - source
        at = end_of(level, at, generation)
    return source


@bare_inline
def present(state, f, z):
    """The row of z (2 rows) that now holds [z wbar] of feature f as it is at present; the state is not written."""
    table, width, empty = state.table, state.maps.shape[1], True
    for j in range(table.shape[1]):
        z[0, j] = table[f, j]
        empty = empty and (j >= width or z[0, j] == 0.0)
    if empty:  # maps leave it as it is
        return 0
    return travel(state.maps, state.features[f].stamp, state.now[0].generation, z)


@bare_inline
def refresh(state, f, z):
    """Bring feature f up to the present generation; `z` (2 rows) is scratch."""
    feature, table, generation = state.features[f], state.table, state.now[0].generation
    if feature.stamp == generation:
        return
    now = present(state, f, z)
    feature.stamp = generation
    for j in range(table.shape[1]):
        table[f, j] = z[now, j]


@forced_inline
def refresh_all(state, feats, z):
    """Bring the features `feats` up to the present generation."""
    features, generation = state.features, state.now[0].generation
    for at in range(len(feats)):
        if features[feats[at]].stamp != generation:
            refresh(state, feats[at], z)


@inline
def begin_generation(state, E, on_v):
    """z <- E z and wbar <- wbar + on_v'z for all features. The log must have room. `on_v`: float64[K, columns of E]."""
    maps, now = state.maps, state.now[0]
    width, length = maps.shape[1:]
    last = np.zeros((width, length))
    for j in range(E.shape[1]):
        for i in range(E.shape[0]):
            last[j, i] = E[i, j]
        for c in range(len(on_v)):
            last[j, width + c] = on_v[c, j]
    enter(maps, last, now.generation)
    now.generation += 1


@inline
def enter(maps, last, g):
    """Log `last`, the map of generation g: after the other slots of its block, and so on for blocks completed."""
    product = np.empty(last.shape)
    level, i = 0, g
    while True:
        begin = (i >> 3) << 3
        for slot in range(begin, i):
            at = place(level, slot)
            compose(maps, at, last, product)
            copy(product, maps, at)
        copy(last, maps, place(level, i))
        if i & 7 != 7:
            return
        last = maps[place(level, begin)]
        level, i = level + 1, i >> 3


@bare_inline
def start_over(state, kept):
    """F <- [I 0], beta <- 0: what a generation begins with."""
    factor = state.factor
    clear(factor.FT)
    for i in range(kept):
        factor.FT[i, i] = 1.0
    clear(factor.beta)
    state.now[0].used = kept


@bare_inline
def compose(maps, early, late, out):
    """out <- late after maps[early]: E' = E1' E2', and b = b1 + E1' b2 in the last columns."""
    width, length = late.shape
    for j in range(width):
        for i in range(width):
            out[j, i] = 0.0
        for i in range(width, length):
            out[j, i] = maps[early, j, i]
        add_rows(maps[early, j], late, width, out[j])


@bare_inline
def copy(source, maps, at):
    """maps[at] <- source."""
    for j in range(source.shape[0]):
        for i in range(source.shape[1]):
            maps[at, j, i] = source[j, i]


@inline
def renew(state):
    """Begin a generation with F = I."""
    FT, now = state.factor.FT, state.now[0]
    begin_generation(state, transposed(FT, FT.shape[1]), state.factor.beta)
    start_over(state, now.k)


@bare_inline
def all_current(state):
    """Begin the log anew, where every feature is up to date."""
    now = state.now[0]
    for f in range(now.seen):
        state.features[f].stamp = 0
    now.generation = 0


@bare_inline
def log_is_full(state):
    """Whether there is no room for another generation."""
    return state.now[0].generation == state.now[0].capacity


def slots_of(generations: int) -> int:
    """Slots of the log that so many generations take: n + n // 8 + n // 64 + ..."""
    total = 0
    while generations:
        total += generations
        generations >>= 3
    return total


def with_room_in_log(state, z):
    """Enlarge the log while it is small beside the table, else bring all features up to date and empty it.

    Depends on what has been learned and not on where batches end, so that batches change no bit.
    """
    capacity, seen = int(state.now["capacity"][0]), int(state.now["seen"][0])
    if capacity >= seen // (4 * state.maps.shape[1]):
        sweep(state, z)
        return state
    state.now["capacity"] = 8 * capacity
    return state._replace(maps=grown(state.maps, slots_of(8 * capacity), slots_of(capacity)))


@jit
def sweep(state, z):
    """Bring every feature up to the present generation and start the log anew.

    Costs O(k^2) a feature; called when the log is full, whose capacity grows with the features seen, so that the cost
    is O(m^2) an example when spread over the examples in between.
    """
    for f in range(state.now[0].seen):
        refresh(state, f, z)
    all_current(state)
