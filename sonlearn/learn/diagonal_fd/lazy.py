"""A shrink is applied to a feature that is in no buffered row only when the feature is next read.

Its entries z of the kept rows become E z, and wbar grows by (c'z)/Delta. Delta does not change while the feature is in
no buffered row, so such maps compose. Each shrink is a generation; the log stores compositions.

`sonlearn.learn.log` computes the positions of the compositions. E is a contraction up to rounding and no map is
inverted. A map is E above the row c', with the columns in groups of four.

In all kernels `maps` is float64[slots, fours, 4 fours + 1, 4] and `table` float64[features, 1 + fours, 4].
"""

from __future__ import annotations

from sonlearn.jit import bare_inline, bare_jit, forced_inline
from sonlearn.learn.diagonal_fd.state import BITS, EXTRA, SLOT, STAMP, WBAR
from sonlearn.learn.log import next_slot, place

#: If all entries of a feature are smaller than this, they count as 0: products of contractions would become denormal
#: numbers, which are slow.
TINY = 1e-150


@forced_inline
def apply_map(maps, at, z, source):
    """z[1 - source] <- (E z[source], c'z[source]) for maps[at]. z : float64[2, 4 fours + 1], modified; maps is not."""
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
    """Entry i of maps[at] times z, a tuple of four numbers. Modifies nothing."""
    a, b, c, d = z
    return a * maps[at, 0, i, 0] + b * maps[at, 0, i, 1] + c * maps[at, 0, i, 2] + d * maps[at, 0, i, 3]


@forced_inline
def bring_up_to_date(maps, table, f, target, at, now, z):
    """target[at] <- row f of the table, brought up to generation `now`.

    maps, table : not modified (unless target is table); target : float64[rows, 1 + fours, 4], its row `at` filled in
    z : float64[2, 4 fours + 1], overwritten
    """
    if maps.shape[1] == 1:
        wbar_change = update_four(maps, table, f, target, at, now)
    else:
        wbar_change = update_fours(maps, table, f, target, at, now, z)
    target[at, 0, WBAR] = table[f, 0, WBAR] + wbar_change / (1.0 + table[f, 0, EXTRA])
    target[at, 0, EXTRA] = table[f, 0, EXTRA]
    target[at, 0, STAMP] = now
    target[at, 0, SLOT] = table[f, 0, SLOT]


@forced_inline
def update_four(maps, table, f, target, at, now):
    """The entries of `bring_up_to_date` for at most four kept rows, in registers: twice as fast. Returns c'z."""
    z = table[f, 1, 0], table[f, 1, 1], table[f, 1, 2], table[f, 1, 3]
    g, wbar_change = int(table[f, 0, STAMP]), 0.0
    if max(max(abs(z[0]), abs(z[1])), max(abs(z[2]), abs(z[3]))) > TINY:
        while g < now:
            slot, g = next_slot(g, now, BITS)
            wbar_change += times_four(maps, slot, 4, z)
            z = (
                times_four(maps, slot, 0, z), times_four(maps, slot, 1, z),
                times_four(maps, slot, 2, z), times_four(maps, slot, 3, z),
            )  # fmt: skip
    else:
        z = 0.0, 0.0, 0.0, 0.0
    target[at, 1, 0], target[at, 1, 1], target[at, 1, 2], target[at, 1, 3] = z
    return wbar_change


@bare_inline
def update_fours(maps, table, f, target, at, now, z):
    """The entries of `bring_up_to_date` for any number of kept rows. Returns c'z. Arguments as there."""
    fours, g, source, size, wbar_change = maps.shape[1], int(table[f, 0, STAMP]), 0, 0.0, 0.0
    for j in range(fours):
        a, b, c, d = table[f, 1 + j, 0], table[f, 1 + j, 1], table[f, 1 + j, 2], table[f, 1 + j, 3]
        z[0, 4 * j], z[0, 4 * j + 1], z[0, 4 * j + 2], z[0, 4 * j + 3] = a, b, c, d
        size = max(size, max(max(abs(a), abs(b)), max(abs(c), abs(d))))
    while g < now and size > TINY:
        slot, g = next_slot(g, now, BITS)
        apply_map(maps, slot, z, source)
        source = 1 - source
        wbar_change += z[source, 4 * fours]
    for j in range(fours):
        for i in range(4):
            target[at, 1 + j, i] = z[source, 4 * j + i] if size > TINY else 0.0
    return wbar_change


@bare_inline
def bring_all_up_to_date(state, work, feats):
    """Bring the features `feats` (int64[s], not modified) up to date in state.table. Overwrites work.z."""
    table, maps, now = state.table, state.maps, state.now[0]["generation"]
    for at in range(len(feats)):
        if table[feats[at], 0, STAMP] != now:
            bring_up_to_date(maps, table, feats[at], table, feats[at], now, work.z)


@bare_inline
def copies(state, work, feats):
    """work.row <- the rows of the features `feats` (int64[s]), up to date. Overwrites work.z; state is not modified."""
    table, maps, now = state.table, state.maps, state.now[0]["generation"]
    for at in range(len(feats)):
        bring_up_to_date(maps, table, feats[at], work.row, at, now, work.z)


@bare_inline
def enter(maps, E, g):
    """Log E[0], the map of generation g, and compose it with the earlier slots of each block that contains it.

    maps : modified; E : float64[3, fours, 4 fours + 1, 4], of which E[1] and E[2] are overwritten
    """
    copy(E, 0, E, 1)
    level, i = 0, g
    while True:
        begin = (i >> BITS) << BITS
        for slot in range(begin, i):
            compose(maps, place(level, slot, BITS), E)
        copy(E, 1, maps, place(level, i, BITS))
        if i & ((1 << BITS) - 1) != (1 << BITS) - 1:
            return
        copy(maps, place(level, begin, BITS), E, 1)
        level, i = level + 1, i >> BITS


@bare_inline
def compose(maps, at, E):
    """maps[at] <- the composition of E[1] after maps[at]: E = E2 E1, c' = c1' + c2'E1. Overwrites E[2]."""
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
    """target[to] <- source[at], arrays of maps; source is not modified."""
    for j in range(source.shape[1]):
        for i in range(source.shape[2]):
            for l in range(4):  # noqa: E741
                target[to, j, i, l] = source[at, j, i, l]


@bare_jit
def sweep(state, z):
    """Bring every feature up to date and empty the log: O(m^2) a feature. z : float64[2, 4 fours + 1], overwritten.

    The log's capacity grows with the number of features, so the amortised cost is at most O(m^2) an example.
    """
    table, maps, now = state.table, state.maps, state.now[0]
    for f in range(now["seen"]):
        bring_up_to_date(maps, table, f, table, f, now["generation"], z)
        table[f, 0, STAMP] = 0.0
    now["generation"] = 0
