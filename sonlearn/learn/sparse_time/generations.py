"""Generations: a change of basis of Z for every feature at once, carried out only when a feature is read.

A generation maps z <- E z (E is k x M, and the other M - k entries become zero) and wbar <- wbar + beta'z, for every
class. Features that were written in the generation that ends are mapped at once; all others live in the first k
entries, and the log keeps the k x k part of the map for them. A feature's stamp says up to which generation it is
current.

A gap is bridged by compositions. Slot i of level l holds the one that begins at generation 8^l i and ends with its
block of 8^(l+1) generations or, while that is not complete, at the last multiple of 8^l: a gap takes at most two slots
a level and mostly two or three in all, for about five small products a generation. E is a contraction up to rounding
and nothing is ever inverted, so compositions stay accurate.

Stamps are 2 g for a feature that is current up to generation g, and 2 g + 1 if its column of Z has also changed within
g. Stamps, the log and its capacity are written here and nowhere else.
"""

from __future__ import annotations

import numpy as np

from sonlearn.jit import bare_inline, inline, jit
from sonlearn.learn.dense import clear, transposed
from sonlearn.learn.engine import grown


@bare_inline
def apply_map(maps, which, width, z, source):
    """z[1 - source] <- maps[which]' z[source, :width]: the new z, and after it the weights that move to wbar."""
    target, length = 1 - source, maps.shape[2]
    for i in range(length):
        z[target, i] = 0.0
    for j in range(width):
        factor = z[source, j]
        for i in range(length):
            z[target, i] += factor * maps[which, j, i]


@bare_inline
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


@bare_inline
def level_at(at, now):
    """Largest level at which a slot begins at generation `at` and is not empty at `now`."""
    level = 0
    while (at & ((8 << (3 * level)) - 1)) == 0 and at + (8 << (3 * level)) <= now:
        level += 1
    return level


@bare_inline
def end_of(level, at, now):
    """Generation at which the slot of `level` that begins at `at` ends."""
    block = 3 * level + 3
    return min(((at >> block) + 1) << block, (now >> (3 * level)) << (3 * level))


@bare_inline
def is_stale(stamp, generation):
    """Whether a feature with this stamp has generations before it."""
    return stamp >> 1 != generation


@bare_inline
def travel(maps, stamp, generation, z):
    """Carry the column z[0] of a feature from its stamp's generation to `generation`; z has 3 rows.

    Returns the row of z where it arrives in the first k_max entries; z[2] is what moves to the wbar of each class.
    """
    k_max, at, source = maps.shape[1], stamp >> 1, 0
    classes = maps.shape[2] - k_max
    for c in range(classes):
        z[2, c] = 0.0
    while at < generation:
        level = level_at(at, generation)
        apply_map(maps, place(level, at >> (3 * level)), k_max, z, source)
        source = 1 - source
        for c in range(classes):
            z[2, c] += z[source, k_max + c]
        at = end_of(level, at, generation)
    return source


@bare_inline
def refresh(state, f, z):
    """Bring feature f up to the present generation; `z` (3 rows) is scratch."""
    feature, Z, generation, k_max = state.features[f], state.Z, state.now[0].generation, state.maps.shape[1]
    stamp = feature.stamp
    if not is_stale(stamp, generation):
        return
    feature.stamp = 2 * generation
    empty = True
    for j in range(k_max):
        z[0, j] = Z[f, j]
        empty = empty and z[0, j] == 0.0
    if empty:
        return
    source = travel(state.maps, stamp, generation, z)
    for c in range(state.wbar.shape[1]):
        state.wbar[f, c] += z[2, c]
    for j in range(k_max):
        Z[f, j] = z[source, j]


@bare_inline
def refresh_all(state, feats, z):
    """Bring the features `feats` up to the present generation."""
    features, generation = state.features, state.now[0].generation
    for at in range(len(feats)):
        if is_stale(features[feats[at]].stamp, generation):
            refresh(state, feats[at], z)


@bare_inline
def touch_all(state, feats):
    """Note that Z changes at `feats`, which are up to date."""
    features, touched, now = state.features, state.touched, state.now[0]
    n, stamp = now.touched, 2 * now.generation + 1
    for at in range(len(feats)):
        f = feats[at]
        if features[f].stamp != stamp:
            features[f].stamp = stamp
            touched[n] = f
            n += 1
    now.touched = n


@inline
def begin_generation(state, E, z):
    """z <- E z and wbar <- wbar + beta'z for all features; then F = [I 0], beta = 0. The log must have room."""
    maps, Z, now = state.maps, state.Z, state.now[0]
    k_max, M = maps.shape[1], E.shape[1]
    classes = len(state.factor.beta)
    whole = np.empty((1, M, k_max + classes))
    for j in range(M):
        for i in range(k_max):
            whole[0, j, i] = E[i, j]
        for c in range(classes):
            whole[0, j, k_max + c] = state.factor.beta[c, j]
    enter(maps, whole[0, :k_max], now.generation)
    now.generation += 1
    for at in range(now.touched):
        f = state.touched[at]
        for j in range(M):
            z[0, j] = Z[f, j]
            Z[f, j] = 0.0
        apply_map(whole, 0, M, z, 0)
        for j in range(k_max):
            Z[f, j] = z[1, j]
        for c in range(classes):
            state.wbar[f, c] += z[1, k_max + c]
        state.features[f].stamp = 2 * now.generation
    now.touched = 0


@inline
def enter(maps, last, g):
    """Log `last`, the map of generation g: after the other slots of its block, and so on for blocks completed."""
    k_max, length = last.shape
    product = np.empty((k_max, length))
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
    k_max, length = late.shape
    for j in range(k_max):
        for i in range(length):
            out[j, i] = 0.0
        for c in range(k_max):
            factor = maps[early, j, c]
            for i in range(length):
                out[j, i] += factor * late[c, i]
        for i in range(k_max, length):
            out[j, i] += maps[early, j, i]


@bare_inline
def copy(source, maps, at):
    """maps[at] <- source."""
    for j in range(source.shape[0]):
        for i in range(source.shape[1]):
            maps[at, j, i] = source[j, i]


@inline
def renew(state, z):
    """Begin a generation with F = I."""
    FT, now = state.factor.FT, state.now[0]
    begin_generation(state, transposed(FT, FT.shape[1]), z)
    start_over(state, now.k)


@bare_inline
def all_current(state):
    """Begin the log anew, where every feature is up to date and counts as untouched."""
    now = state.now[0]
    for f in range(now.seen):
        state.features[f].stamp = 0
    now.generation = 0
    now.touched = 0


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
    now = state.now[0]
    for f in range(now.seen):
        stale = is_stale(state.features[f].stamp, now.generation)
        refresh(state, f, z)
        state.features[f].stamp = 0 if stale else state.features[f].stamp & 1
    now.generation = 0
