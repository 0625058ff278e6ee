"""A shrink is applied to a feature that is in no buffered row only when the feature is next read.

Its entries z of the kept rows become E z, and wbar grows by (c'z)/Delta. Delta does not change while the feature is in
no buffered row, so such maps compose. Each shrink is a generation; the log stores compositions.

The log stores [E' c] (`sonlearn.learn.log`). In all kernels `maps` is float64[slots, width, width + 1] and `table`
float64[features, KEPT + width].
"""

from __future__ import annotations

from sonlearn.jit import bare_inline, bare_jit, forced_inline
from sonlearn.learn.diagonal_fd.state import EXTRA, KEPT, SLOT, STAMP, WBAR
from sonlearn.learn.log import map_forward

#: If all entries of a feature are smaller than this, they count as 0: products of contractions would become denormal
#: numbers, which are slow.
TINY = 1e-150


@forced_inline
def bring_up_to_date(maps, table, f, target, at, now, z):
    """target[at] <- row f of the table, brought up to generation `now`.

    maps, table : not modified (unless target is table); target : float64[rows, KEPT + width], its row `at` filled in
    z : float64[2, width + 1], overwritten
    """
    width, source, size = maps.shape[1], 0, 0.0
    for i in range(width):
        z[0, i] = table[f, KEPT + i]
        size = max(size, abs(z[0, i]))
    z[0, width] = 0.0
    if size > TINY:
        source = map_forward(maps, int(table[f, STAMP]), now, z)
    for i in range(width):
        target[at, KEPT + i] = z[source, i] if size > TINY else 0.0
    target[at, WBAR] = table[f, WBAR] + z[source, width] / (1.0 + table[f, EXTRA])
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
