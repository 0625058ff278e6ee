"""Generations: a change of basis of Z for every feature, applied to a feature only when it is read.

A generation maps z <- E z and wbar <- wbar + beta'z, for every class. A feature's row of the table is [z wbar]; the log
stores the matrix that multiplies such a row. A feature's stamp is the last generation applied to it.

A feature that is behind is updated by compositions, usually two or three (`sonlearn.learn.log`). They cost about five
small products a generation. E is a contraction up to rounding and no map is inverted, so compositions stay accurate.

Only this module writes the stamps, the log and its capacity.
"""

from __future__ import annotations

import numpy as np

from sonlearn.jit import bare_inline, forced_inline, inline, jit
from sonlearn.learn.linear_algebra import add_rows, clear, clear_first, set_scaled, transposed
from sonlearn.learn.log import next_slot, place
from sonlearn.learn.newton.state import BITS

LAST = (1 << BITS) - 1


@forced_inline
def apply_map(maps, which, z, source):
    """z[1 - source] <- z[source] (a row of the table) mapped by maps[which]; maps is not modified."""
    target, width, length = 1 - source, maps.shape[1], maps.shape[2]
    clear_first(z[target], width)
    for i in range(width, length):
        z[target, i] = z[source, i]
    add_rows(z[source], maps[which], width, z[target])


@forced_inline
def map_forward(maps, stamp, generation, z):
    """Map z[0], a row of the table, from generation `stamp` to `generation`; returns the index in z of the result.

    maps : float64[slots, M, M + K], not modified; z : float64[2, M + K], overwritten
    """
    at, source = stamp, 0
    while at < generation:
        slot, at = next_slot(at, generation, BITS)
        apply_map(maps, slot, z, source)
        source = 1 - source
    return source


@bare_inline
def present(state, f, z):
    """Compute the up-to-date [z wbar] of feature f; returns its index in z. Does not modify the state.

    z : float64[at least 2, M + K], overwritten
    """
    table, width, empty = state.table, state.maps.shape[1], True
    for j in range(table.shape[1]):
        z[0, j] = table[f, j]
        empty = empty and (j >= width or z[0, j] == 0.0)
    if empty:  # maps do not change zeros
        return 0
    return map_forward(state.maps, state.features[f].stamp, state.now[0].generation, z)


@bare_inline
def refresh(state, f, z):
    """Bring feature f of the table up to date (modifies state). z : float64[2, M + K], overwritten."""
    feature, table, generation = state.features[f], state.table, state.now[0].generation
    if feature.stamp == generation:
        return
    now = present(state, f, z)
    feature.stamp = generation
    set_scaled(table[f], 1.0, z[now], table.shape[1])


@forced_inline
def refresh_all(state, feats, z):
    """Bring the features `feats` (int64[s], not modified) up to date in the table; z as for `refresh`."""
    features, generation = state.features, state.now[0].generation
    for at in range(len(feats)):
        if features[feats[at]].stamp != generation:
            refresh(state, feats[at], z)


@inline
def begin_generation(state, E, on_v):
    """Log z <- E z and wbar <- wbar + on_v'z for all features: modifies state.maps, which must have room.

    E : float64[rows, columns]; on_v : float64[K, columns of E]; neither is modified
    """
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
    """Log `last`, the map of generation g, and compose it with the earlier slots of each block that contains it.

    maps : float64[slots, M, M + K], modified; last : float64[M, M + K], not modified
    """
    product = np.empty(last.shape)
    level, i = 0, g
    while True:
        begin = (i >> BITS) << BITS
        for slot in range(begin, i):
            at = place(level, slot, BITS)
            compose(maps, at, last, product)
            copy(product, maps, at)
        copy(last, maps, place(level, i, BITS))
        if i & LAST != LAST:
            return
        last = maps[place(level, begin, BITS)]
        level, i = level + 1, i >> BITS


@bare_inline
def start_over(state, n_kept):
    """F <- [I 0] and beta <- 0: the values at the beginning of a generation."""
    factor = state.factor
    clear(factor.FT)
    for i in range(n_kept):
        factor.FT[i, i] = 1.0
    clear(factor.beta)
    state.now[0].used = n_kept


@bare_inline
def compose(maps, early, late, out):
    """out <- the composition of `late` after maps[early]: E' = E1' E2', and b = b1 + E1' b2 in the last columns.

    All float64[M, M + K]; only `out` is modified.
    """
    width, length = late.shape
    for j in range(width):
        clear_first(out[j], width)
        for i in range(width, length):
            out[j, i] = maps[early, j, i]
        add_rows(maps[early, j], late, width, out[j])


@bare_inline
def copy(source, maps, at):
    """maps[at] <- source."""
    for j in range(source.shape[0]):
        set_scaled(maps[at, j], 1.0, source[j], source.shape[1])


@inline
def renew(state):
    """Begin a generation with F = I. The log must have room."""
    FT, now = state.factor.FT, state.now[0]
    begin_generation(state, transposed(FT, FT.shape[1]), state.factor.beta)
    start_over(state, now.k)


@bare_inline
def all_current(state):
    """Empty the log; every feature must be up to date."""
    now = state.now[0]
    for f in range(now.seen):
        state.features[f].stamp = 0
    now.generation = 0


@bare_inline
def log_is_full(state):
    """Whether the log has no room for another generation."""
    return state.now[0].generation == state.now[0].capacity


@jit
def sweep(state, z):
    """Bring every feature up to date and empty the log. z : float64[2, M + K], overwritten.

    O(k^2) a feature. The log's capacity grows with the number of features, so the amortised cost is O(m^2) an example.
    """
    for f in range(state.now[0].seen):
        refresh(state, f, z)
    all_current(state)
