"""Generations: a change of basis of Z for every feature at once, carried out only when a feature is read.

A generation maps z <- E z (E is k x M; the other M - k entries become zero) and wbar <- wbar + beta'z. The log keeps the
maps; a feature's row says up to which generation it is current. After its first map a feature lives in the first k
entries, so longer gaps are bridged by compositions of 2, 4, 8, ... maps, which are k x k: O(log gap) small products.
E is a contraction up to rounding and nothing is ever inverted, so compositions stay accurate.
"""

from __future__ import annotations

from sonlearn.jit import inline, jit
from sonlearn.learn.state import GEN, GENERATION, HEAD, SEEN, WBAR, Log


@inline
def apply_map(matrix, k_max, width, z_in, z_out):
    """z_out[:k_max] <- matrix[:k_max, :width] z_in[:width]; returns the weight that moves to wbar."""
    for i in range(k_max):
        total = 0.0
        for j in range(width):
            total += matrix[i, j] * z_in[j]
        z_out[i] = total
    moved = 0.0
    for j in range(width):
        moved += matrix[k_max, j] * z_in[j]
    return moved


@inline
def largest_block(at, until):
    """Largest level with a block of 2^level maps that begins at `at` and ends at or before `until`."""
    level = 0
    while (at & ((2 << level) - 1)) == 0 and at + (2 << level) <= until:
        level += 1
    return level


@inline
def bring_up(log: Log, row, since, now, z):
    """Apply the maps `since`..`now` to a feature's row (wbar, ..., z): through the scratch rows z[0], z[1]."""
    capacity, rows, M = log.first.shape
    k_max = rows - 1
    empty = True
    for j in range(M):
        z[0, j] = row[HEAD + j]
        empty = empty and z[0, j] == 0.0
    if empty:
        return
    wbar = row[WBAR] + apply_map(log.first[since], k_max, M, z[0], z[1])
    at, source = since + 1, 1
    while at < now:
        level = largest_block(at, now)
        if level == 0:
            wbar += apply_map(log.first[at], k_max, k_max, z[source], z[1 - source])
        else:
            block = capacity - (capacity >> (level - 1)) + (at >> level)
            wbar += apply_map(log.dyadic[block], k_max, k_max, z[source], z[1 - source])
        source = 1 - source
        at += 1 << level
    row[WBAR] = wbar
    for j in range(k_max):
        row[HEAD + j] = z[source, j]
    for j in range(k_max, M):
        row[HEAD + j] = 0.0


@inline
def refresh(state, f, z):
    """Bring feature f up to the present generation; `z` is scratch."""
    now = state.counters[GEN]
    since = int(state.table[f, GENERATION])
    if since != now:
        bring_up(state.log, state.table[f], since, now, z)
        state.table[f, GENERATION] = now


@inline
def begin_generation(state, E):
    """Log the map z <- E z, wbar <- wbar + beta'z; the caller resets F and beta. The log must have room."""
    log, g = state.log, state.counters[GEN]
    capacity, rows, M = log.first.shape
    k_max = rows - 1
    for i in range(k_max):
        for j in range(M):
            log.first[g, i, j] = E[i, j]
    for j in range(M):
        log.first[g, k_max, j] = state.factor.beta[j]
    g += 1
    state.counters[GEN] = g
    level = 1
    while (g & ((1 << level) - 1)) == 0 and (1 << level) <= capacity:
        block = (g >> level) - 1
        target = log.dyadic[capacity - (capacity >> (level - 1)) + block]
        if level == 1:
            compose(log.first[g - 2], log.first[g - 1], k_max, target)
        else:
            below = capacity - (capacity >> (level - 2)) + 2 * block
            compose(log.dyadic[below], log.dyadic[below + 1], k_max, target)
        level += 1


@inline
def compose(early, late, k_max, out):
    """out <- late o early on the first k_max entries: P = P2 P1, b = b1 + P1' b2."""
    for i in range(k_max):
        for j in range(k_max):
            out[i, j] = 0.0
        for c in range(k_max):
            factor = late[i, c]
            for j in range(k_max):
                out[i, j] += factor * early[c, j]
    for j in range(k_max):
        out[k_max, j] = early[k_max, j]
    for c in range(k_max):
        factor = late[k_max, c]
        for j in range(k_max):
            out[k_max, j] += factor * early[c, j]


@jit
def sweep(state, z):
    """Bring every feature up to the present generation and start the log anew.

    Costs O(k M) a feature; called when the log is full, whose capacity grows with the features seen, so that the cost
    is O(m^2) an example when spread over the examples in between.
    """
    for f in range(state.counters[SEEN]):
        refresh(state, f, z)
        state.table[f, GENERATION] = 0.0
    state.counters[GEN] = 0
