"""Shrinks reach a feature that is in no buffered row only when it is next read.

There its entries b of the kept rows become E b, and wbar grows by (c'b)/Delta: Delta stands still as long as the
feature is in no buffered row, so such maps compose. Every shrink is a generation in a log of compositions, laid out as
in `sonlearn.learn.sparse_time.generations`, whose arithmetic of slots is used.
"""

from __future__ import annotations

from sonlearn.jit import bare_inline, bare_jit
from sonlearn.learn.engines.compensated.state import EXTRA, HEAD, SLOT, STAMP, WBAR
from sonlearn.learn.sparse_time.generations import apply_map, compose, copy, end_of, level_at, place


@bare_inline
def bring_up(maps, table, f, target, at, now, z):
    """target[at] <- row f of the table as it is in generation `now`; `z` (2 rows) is scratch."""
    width = maps.shape[1]
    g, source, empty = int(table[f, STAMP]), 0, True
    for j in range(width):
        z[0, j] = table[f, HEAD + j]
        empty = empty and z[0, j] == 0.0
    moved = 0.0
    while g < now and not empty:
        level = level_at(g, now)
        apply_map(maps, place(level, g >> (3 * level)), width, z, source)
        source = 1 - source
        moved += z[source, width]
        g = end_of(level, g, now)
    target[at, WBAR] = table[f, WBAR] + moved / (1.0 + table[f, EXTRA])
    target[at, EXTRA] = table[f, EXTRA]
    target[at, STAMP] = now
    target[at, SLOT] = table[f, SLOT]
    for j in range(width):
        target[at, HEAD + j] = z[source, j]


@bare_inline
def bring_all_up(state, work, feats):
    """Bring the features `feats` up to the present generation, in the table."""
    table, maps, now = state.table, state.maps, state.now[0]["generation"]
    for at in range(len(feats)):
        if table[feats[at], STAMP] != now:
            bring_up(maps, table, feats[at], table, feats[at], now, work.z)


@bare_inline
def copies(state, work, feats):
    """work.row <- the features `feats` as they are in the present generation; the table stays as it is."""
    table, maps, now = state.table, state.maps, state.now[0]["generation"]
    for at in range(len(feats)):
        bring_up(maps, table, feats[at], work.row, at, now, work.z)


@bare_inline
def enter(maps, E, g):
    """Log E[0], the map of generation g: after the others of its block, and so on for blocks that it completes."""
    copy(E[0], E, 1)
    level, i = 0, g
    while True:
        begin = (i >> 3) << 3
        for slot in range(begin, i):
            at = place(level, slot)
            compose(maps, at, E[1], E[2])
            copy(E[2], maps, at)
        copy(E[1], maps, place(level, i))
        if i & 7 != 7:
            return
        copy(maps[place(level, begin)], E, 1)
        level, i = level + 1, i >> 3


@bare_jit
def sweep(state, z):
    """Bring every feature up to date and start the log anew: O(m^2) a feature, when the log is full.

    What the log holds grows with the features seen, so that this is O(m^2) an example or less.
    """
    table, maps, now = state.table, state.maps, state.now[0]
    for f in range(now["seen"]):
        bring_up(maps, table, f, table, f, now["generation"], z)
        table[f, STAMP] = 0.0
    now["generation"] = 0
