"""A shrink is applied to a feature that is in no buffered row only when the feature is next read.

Its entries z of the kept rows become E z, and wbar grows by (c'z)/Delta. Delta does not change while the feature is in
no buffered row, so such maps compose. Each shrink is a generation; the log stores compositions.

`sonlearn.learn.log` computes the positions of the compositions. E is a contraction up to rounding and no map is
inverted. The log stores [E' c].

In all kernels `maps` is float64[slots, width, width + 1] and `table` float64[features, KEPT + width].
"""

from __future__ import annotations

from sonlearn.jit import bare_inline, bare_jit, forced_inline
from sonlearn.learn.diagonal_fd.state import BITS, EXTRA, KEPT, SLOT, STAMP, WBAR
from sonlearn.learn.linear_algebra import add_scaled, clear, clear_first, set_scaled
from sonlearn.learn.log import next_slot, place

#: If all entries of a feature are smaller than this, they count as 0: products of contractions would become denormal
#: numbers, which are slow.
TINY = 1e-150


@forced_inline
def apply_map(maps, at, z, source):
    """z[1 - source] <- (E z[source], c'z[source]) for maps[at]. z : float64[2, width + 1], modified; maps is not."""
    by, out, E = z[source], z[1 - source], maps[at]
    clear_first(out, len(out))
    for j in range(0, len(E), 4):
        add_four(out, by[j], by[j + 1], by[j + 2], by[j + 3], E[j], E[j + 1], E[j + 2], E[j + 3])


@forced_inline
def add_four(out, w, x, y, z, a, b, c, d):
    """out += w a + x b + y c + z d."""
    for i in range(len(out)):
        out[i] += w * a[i] + x * b[i] + y * c[i] + z * d[i]


@forced_inline
def bring_up_to_date(maps, table, f, target, at, now, z):
    """target[at] <- row f of the table, brought up to generation `now`.

    maps, table : not modified (unless target is table); target : float64[rows, KEPT + width], its row `at` filled in
    z : float64[2, width + 1], overwritten
    """
    width, g, source, size, wbar_change = maps.shape[1], int(table[f, STAMP]), 0, 0.0, 0.0
    for i in range(width):
        z[0, i] = table[f, KEPT + i]
        size = max(size, abs(z[0, i]))
    while g < now and size > TINY:
        slot, g = next_slot(g, now, BITS)
        apply_map(maps, slot, z, source)
        source = 1 - source
        wbar_change += z[source, width]
    for i in range(width):
        target[at, KEPT + i] = z[source, i] if size > TINY else 0.0
    target[at, WBAR] = table[f, WBAR] + wbar_change / (1.0 + table[f, EXTRA])
    target[at, EXTRA] = table[f, EXTRA]
    target[at, STAMP] = now
    target[at, SLOT] = table[f, SLOT]


@bare_inline
def bring_all_up_to_date(state, work, feats):
    """Bring the features `feats` (int64[s], not modified) up to date in state.table. Overwrites work.z."""
    table, maps, now = state.table, state.maps, state.now[0]["generation"]
    for at in range(len(feats)):
        if table[feats[at], STAMP] != now:
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

    maps : modified; E : float64[3, width, width + 1], of which E[1] and E[2] are overwritten
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
    width = maps.shape[1]
    copy(maps, at, E, 2)
    clear(maps[at])
    for j in range(width):
        for i in range(width):
            add_scaled(maps[at, j], E[2, j, i], E[1, i], width + 1)
        maps[at, j, width] += E[2, j, width]


@bare_inline
def copy(source, at, target, to):
    """target[to] <- source[at], arrays of maps; source is not modified."""
    for j in range(source.shape[1]):
        set_scaled(target[to, j], 1.0, source[at, j], source.shape[2])


@bare_jit
def sweep(state, z):
    """Bring every feature up to date and empty the log: O(m^2) a feature. z : float64[2, width + 1], overwritten.

    The log's capacity grows with the number of features, so the amortised cost is at most O(m^2) an example.
    """
    table, maps, now = state.table, state.maps, state.now[0]
    for f in range(now["seen"]):
        bring_up_to_date(maps, table, f, table, f, now["generation"], z)
        table[f, STAMP] = 0.0
    now["generation"] = 0
