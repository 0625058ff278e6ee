"""Generations: a change of basis of Z for every feature at once, carried out only when a feature is read.

A generation maps z <- E z (E is k x M, and the other M - k entries become zero) and wbar <- wbar + beta'z. Features
that were written in the generation that ends are mapped at once; all others live in the first k entries, and the log
keeps the k x k part of the map for them. A feature's stamp says up to which generation it is current.

A gap is bridged by compositions. Slot i of level l holds the one that begins at generation 8^l i and ends with its
block of 8^(l+1) generations or, while that is not complete, at the last multiple of 8^l: a gap takes at most two slots
a level and mostly two or three in all, for about five small products a generation. E is a contraction up to rounding
and nothing is ever inverted, so compositions stay accurate.
"""

from __future__ import annotations

import numpy as np

from sonlearn.jit import bare_inline, inline, jit
from sonlearn.learn.dense import clear
from sonlearn.learn.state import GEN, HEAD, N_TOUCHED, SEEN, STAMP, WBAR


@bare_inline
def apply_map(maps, which, width, z, source):
    """z[1 - source] <- maps[which]' z[source, :width]: the new z, and after it the weight that moves to wbar."""
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
def bring_up(maps, table, f, now, z):
    """Bring row f of the table up to generation `now`; `z` (2 rows) is scratch.

    Takes the arrays that it needs and not the state: passing that to a call counts references of every array in it.
    """
    k_max = maps.shape[1]
    at = int(table[f, STAMP]) >> 1
    table[f, STAMP] = 2 * now
    empty = True
    for j in range(k_max):
        z[0, j] = table[f, HEAD + j]
        empty = empty and z[0, j] == 0.0
    if empty:
        return
    source, wbar = 0, table[f, WBAR]
    while at < now:
        level = level_at(at, now)
        apply_map(maps, place(level, at >> (3 * level)), k_max, z, source)
        source = 1 - source
        wbar += z[source, k_max]
        at = end_of(level, at, now)
    table[f, WBAR] = wbar
    for j in range(k_max):
        table[f, HEAD + j] = z[source, j]


@bare_inline
def refresh_all(state, feats, z):
    """Bring the features `feats` up to the present generation."""
    table, maps, now = state.table, state.maps, state.counters[GEN]
    for at in range(len(feats)):
        if int(table[feats[at], STAMP]) >> 1 != now:
            bring_up(maps, table, feats[at], now, z)


@bare_inline
def touch_all(state, feats):
    """Note that Z changes at `feats`, which are up to date."""
    table, touched, n = state.table, state.touched, state.counters[N_TOUCHED]
    stamp = 2 * state.counters[GEN] + 1
    for at in range(len(feats)):
        f = feats[at]
        if table[f, STAMP] != stamp:
            table[f, STAMP] = stamp
            touched[n] = f
            n += 1
    state.counters[N_TOUCHED] = n


@inline
def begin_generation(state, E, z):
    """z <- E z, wbar <- wbar + beta'z; `start_over` follows. The log must have room; `z` is scratch."""
    maps, table, g = state.maps, state.table, state.counters[GEN]
    k_max, M = maps.shape[1], E.shape[1]
    whole = np.empty((1, M, k_max + 1))
    for j in range(M):
        for i in range(k_max):
            whole[0, j, i] = E[i, j]
        whole[0, j, k_max] = state.factor.beta[j]
    enter(maps, whole[0, :k_max], g)
    g += 1
    for at in range(state.counters[N_TOUCHED]):
        f = state.touched[at]
        for j in range(M):
            z[0, j] = table[f, HEAD + j]
            table[f, HEAD + j] = 0.0
        apply_map(whole, 0, M, z, 0)
        for j in range(k_max):
            table[f, HEAD + j] = z[1, j]
        table[f, WBAR] += z[1, k_max]
        table[f, STAMP] = 2 * g
    state.counters[GEN] = g
    state.counters[N_TOUCHED] = 0


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
def start_over(factor, kept):
    """F <- [I 0], beta <- 0: what a generation begins with."""
    clear(factor.FT)
    for i in range(kept):
        factor.FT[i, i] = 1.0
    for j in range(len(factor.beta)):
        factor.beta[j] = 0.0


@bare_inline
def compose(maps, early, late, out):
    """out <- late after maps[early]: E' = E1' E2', and b = b1 + E1' b2 in the last column."""
    k_max, length = late.shape
    for j in range(k_max):
        for i in range(length):
            out[j, i] = 0.0
        for c in range(k_max):
            factor = maps[early, j, c]
            for i in range(length):
                out[j, i] += factor * late[c, i]
        out[j, k_max] += maps[early, j, k_max]


@bare_inline
def copy(source, maps, at):
    """maps[at] <- source."""
    for j in range(source.shape[0]):
        for i in range(source.shape[1]):
            maps[at, j, i] = source[j, i]


@jit
def sweep(state, z):
    """Bring every feature up to the present generation and start the log anew.

    Costs O(k^2) a feature; called when the log is full, whose capacity grows with the features seen, so that the cost
    is O(m^2) an example when spread over the examples in between.
    """
    table, maps, now = state.table, state.maps, state.counters[GEN]
    for f in range(state.counters[SEEN]):
        touched = int(table[f, STAMP]) & 1
        if int(table[f, STAMP]) >> 1 != now:
            bring_up(maps, table, f, now, z)
            touched = 0
        table[f, STAMP] = touched
    state.counters[GEN] = 0
