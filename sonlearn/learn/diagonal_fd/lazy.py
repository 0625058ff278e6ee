"""Shrinks reach a feature that is in no buffered row only when it is next read.

There its entries z of the kept rows become E z, and wbar grows by (c'z)/Delta. Delta stands still as long as the
feature is in no buffered row, so such maps compose. Every shrink is a generation, and the log holds compositions.

Slot i of level l holds the one that begins at generation W^l i, W = 2^BITS, and ends with its block of W^(l+1)
generations or, while that is not complete, at the last multiple of W^l. So a gap within a block takes one product, and
any other mostly two or three. E is a contraction up to rounding and nothing is ever inverted.
A map is E above the row c', in fours of columns.
"""

from __future__ import annotations

from sonlearn.jit import bare_inline, bare_jit, forced_inline
from sonlearn.learn.diagonal_fd.state import BITS, EXTRA, SLOT, STAMP, WBAR

#: Entries of kept rows that are all smaller are zero: products of contractions would make them denormal, and slow.
TINY = 1e-150


@forced_inline
def place(level, i):
    """Where the log keeps slot i of `level`: slots stand in the order in which they are first written.

    That is when the generation g that completes the slot's own first block is entered; g and those before it have
    taken `slots_of(g)` slots, and of its own the slots of lower levels come first.
    """
    at, g = level, ((i + 1) << (BITS * level)) - 1
    while g > 0:
        at += g
        g >>= BITS
    return at


@forced_inline
def level_at(at, now):
    """Largest level at which a slot begins at generation `at` and is not empty at `now`."""
    level, length = 0, 1 << BITS
    while (at & (length - 1)) == 0 and at + length <= now:
        level += 1
        length <<= BITS
    return level


@forced_inline
def end_of(level, at, now):
    """Generation at which the slot of `level` that begins at `at` ends."""
    block = BITS * level + BITS
    return min(((at >> block) + 1) << block, (now >> (BITS * level)) << (BITS * level))


@forced_inline
def next_slot(g, now):
    """(place in the log, generation at which it ends) of the longest composition that begins at g."""
    if g >> BITS == now >> BITS:
        return place(0, g), now
    level = level_at(g, now)
    return place(level, g >> (BITS * level)), end_of(level, g, now)


@forced_inline
def apply_map(maps, at, z, source):
    """z[1 - source] <- E z[source] for the map `at`, and behind it c'z[source]."""
    target, length = 1 - source, maps.shape[2]
    for i in range(length):
        z[target, i] = 0.0
    for j in range(maps.shape[1]):
        a, b, c, d = z[source, 4 * j], z[source, 4 * j + 1], z[source, 4 * j + 2], z[source, 4 * j + 3]
        for i in range(length):
            z[target, i] += (
                a * maps[at, j, i, 0] + b * maps[at, j, i, 1] + c * maps[at, j, i, 2] + d * maps[at, j, i, 3]
            )


@forced_inline
def times_four(maps, at, i, z):
    """Entry i of the map `at` times z, where z is four numbers."""
    a, b, c, d = z
    return a * maps[at, 0, i, 0] + b * maps[at, 0, i, 1] + c * maps[at, 0, i, 2] + d * maps[at, 0, i, 3]


@forced_inline
def bring_up(maps, table, f, target, at, now, z):
    """target[at] <- row f of the table as it is in generation `now`; `z` (2 rows) is scratch."""
    if maps.shape[1] == 1:
        moved = bring_four_up(maps, table, f, target, at, now)
    else:
        moved = bring_fours_up(maps, table, f, target, at, (now, z))
    target[at, 0, WBAR] = table[f, 0, WBAR] + moved / (1.0 + table[f, 0, EXTRA])
    target[at, 0, EXTRA] = table[f, 0, EXTRA]
    target[at, 0, STAMP] = now
    target[at, 0, SLOT] = table[f, 0, SLOT]


@forced_inline
def bring_four_up(maps, table, f, target, at, now):
    """The entries of `bring_up` if there are no more than four: in registers that is twice as fast. Returns c'z."""
    z = table[f, 1, 0], table[f, 1, 1], table[f, 1, 2], table[f, 1, 3]
    g, moved = int(table[f, 0, STAMP]), 0.0
    if max(max(abs(z[0]), abs(z[1])), max(abs(z[2]), abs(z[3]))) > TINY:
        while g < now:
            slot, g = next_slot(g, now)
            moved += times_four(maps, slot, 4, z)
            z = (
                times_four(maps, slot, 0, z), times_four(maps, slot, 1, z),
                times_four(maps, slot, 2, z), times_four(maps, slot, 3, z),
            )  # fmt: skip
    else:
        z = 0.0, 0.0, 0.0, 0.0
    target[at, 1, 0], target[at, 1, 1], target[at, 1, 2], target[at, 1, 3] = z
    return moved


@bare_inline
def bring_fours_up(maps, table, f, target, at, way):
    """The entries of `bring_up`, any number of them; `way` is (generation, scratch). Returns c'z."""
    now, z = way
    fours, g, source, size, moved = maps.shape[1], int(table[f, 0, STAMP]), 0, 0.0, 0.0
    for j in range(fours):
        a, b, c, d = table[f, 1 + j, 0], table[f, 1 + j, 1], table[f, 1 + j, 2], table[f, 1 + j, 3]
        z[0, 4 * j], z[0, 4 * j + 1], z[0, 4 * j + 2], z[0, 4 * j + 3] = a, b, c, d
        size = max(size, max(max(abs(a), abs(b)), max(abs(c), abs(d))))
    while g < now and size > TINY:
        slot, g = next_slot(g, now)
        apply_map(maps, slot, z, source)
        source = 1 - source
        moved += z[source, 4 * fours]
    for j in range(fours):
        for i in range(4):
            target[at, 1 + j, i] = z[source, 4 * j + i] if size > TINY else 0.0
    return moved


@bare_inline
def bring_all_up(state, work, feats):
    """Bring the features `feats` up to the present generation, in the table."""
    table, maps, now = state.table, state.maps, state.now[0]["generation"]
    for at in range(len(feats)):
        if table[feats[at], 0, STAMP] != now:
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
    copy(E, 0, E, 1)
    level, i = 0, g
    while True:
        begin = (i >> BITS) << BITS
        for slot in range(begin, i):
            compose(maps, place(level, slot), E)
        copy(E, 1, maps, place(level, i))
        if i & ((1 << BITS) - 1) != (1 << BITS) - 1:
            return
        copy(maps, place(level, begin), E, 1)
        level, i = level + 1, i >> BITS


@bare_inline
def compose(maps, at, E):
    """maps[at] <- E[1] after maps[at]: E' = E2 E1, c' = c1' + c2'E1. E[2] is scratch."""
    fours, length = maps.shape[1], maps.shape[2]
    copy(maps, at, E, 2)
    for j in range(fours):
        for i in range(length):
            a = b = c = d = 0.0
            for n in range(fours):
                for l in range(4):  # noqa: E741
                    x = E[1, n, i, l]
                    a += x * E[2, j, 4 * n + l, 0]
                    b += x * E[2, j, 4 * n + l, 1]
                    c += x * E[2, j, 4 * n + l, 2]
                    d += x * E[2, j, 4 * n + l, 3]
            maps[at, j, i, 0], maps[at, j, i, 1], maps[at, j, i, 2], maps[at, j, i, 3] = a, b, c, d
        for l in range(4):  # noqa: E741
            maps[at, j, length - 1, l] += E[2, j, length - 1, l]


@bare_inline
def copy(source, at, target, to):
    """target[to] <- source[at]."""
    for j in range(source.shape[1]):
        for i in range(source.shape[2]):
            for l in range(4):  # noqa: E741
                target[to, j, i, l] = source[at, j, i, l]


@bare_jit
def sweep(state, z):
    """Bring every feature up to date and start the log anew: O(m^2) a feature, when the log is full.

    What the log holds grows with the features seen, so that this is O(m^2) an example or less.
    """
    table, maps, now = state.table, state.maps, state.now[0]
    for f in range(now["seen"]):
        bring_up(maps, table, f, table, f, now["generation"], z)
        table[f, 0, STAMP] = 0.0
    now["generation"] = 0
