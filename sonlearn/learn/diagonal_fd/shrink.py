"""The whitened shrink: keep m - 1 combinations of the rows, and add the diagonal of the rest to Delta.

With T = B Delta^-1 B' = U diag(lam) U' and lam_m the m-th largest, B <- C B with the rows
sqrt(min(lam_i - lam_m, LONGEST)/lam_i) U_i' of C, i < m. B'B loses a positive semidefinite matrix whose diagonal is
known: Delta_f = 1 + (sum of squares of f's entries in all rows) - |B_:f|^2 for the features f of the buffered rows.
[RFD] Algorithm 3 instead adds half of lam_m to every feature.

Forgetting (--decay) happens here: with n rows learned since the last shrink, B'B and the sums of squares are multiplied
by retention^n. The 1 in Delta does not decay. Delta of a feature in no buffered row is not updated until the feature is
in one; then it takes the value that decay in every round would have given.

`all_weights` does not modify the state.
"""

from __future__ import annotations

import math

import numpy as np

from sonlearn.jit import bare_inline, bare_jit, forced_inline, inline, jit
from sonlearn.learn.diagonal_fd.lazy import bring_up_to_date
from sonlearn.learn.diagonal_fd.rounds import run
from sonlearn.learn.diagonal_fd.state import DELTA, EXTRA, KEPT, LONGEST, SLOT, SQUARES, STAMP, TOTAL, WBAR
from sonlearn.learn.eigenpairs import leading_eigenpairs
from sonlearn.learn.linear_algebra import (
    add_scaled,
    clear,
    factorise,
    plus_dot,
    product,
    set_scaled,
    solve_upper,
    transposed,
)
from sonlearn.learn.log import apply_map, enter
from sonlearn.learn.tolerances import SHRINK

#: Eigenvalues of T below this multiple of the largest are rounding errors.
EPS_RANK = 1e-14


@jit
def follow(params, state, work, rows, out, start, learns):
    """Predict rows from `start` on and, where it `learns`, learn them; (next row, DONE, LOG_FULL or DIVERGED).

    params : DiagonalFDParams; state : DiagonalFDState, modified where it `learns`
    work : DiagonalFDScratch, overwritten; rows : Rows, not modified
    out : Predictions, filled in from row `start` on; start : int

    Stops before a row if the log is full (the caller enlarges it) or if a number would be out of bounds.
    """
    at = start
    while True:
        at, status = run(params, state, work, rows, out, at, learns)
        if status != SHRINK:
            return at, status
        shrink(params, state, work)


@inline
def shrink(params, state, work):
    """Keep m - 1 rows and begin a generation with an empty buffer. Modifies state and work."""
    now = state.now[0]
    faded = params.retention ** (now["t"] - now["shrunk"])
    n_kept, C = leading_rows(params, state.T, now["k"] + now["raw"], faded)
    CT = transposed(C, C.shape[1])
    coefficients(state, work)
    log(state, work, CT, n_kept)
    fold(state, work, CT)
    now["generation"] += 1
    compensate(params, state, work, n_kept)
    now["shrunk"] = now["t"]
    factorise(state.T, 1.0, n_kept, state.LT)
    state.gamma[:] = 0.0
    now["k"] = n_kept
    now["raw"] = now["slots"] = now["entries"] = 0


@inline
def leading_rows(params, T, r, faded):
    """(number of rows kept, C float64[m - 1, r]); T <- C T C' there, and 0 elsewhere. faded : retention^n"""
    n_kept, C = 0, np.zeros((params.m - 1, r))
    if params.m == 1:
        clear(T)
        return n_kept, C
    lam, U = leading_eigenpairs(T, r, min(params.m, r))
    top = lam[0]
    shed = lam[params.m - 1] if r >= params.m and lam[params.m - 1] > EPS_RANK * top else 0.0
    clear(T)
    while n_kept < min(params.m - 1, r) and lam[n_kept] - shed > EPS_RANK * top:
        squared = min(lam[n_kept] - shed, LONGEST) * faded
        factor = math.sqrt(squared / lam[n_kept])
        set_scaled(C[n_kept], factor, U[:, n_kept], r)
        T[n_kept, n_kept] = squared
        n_kept += 1
    return n_kept, C


@bare_inline
def coefficients(state, work):
    """work.c <- L^-T gamma; the weights are wbar + Delta^-1 B'c. The state is not modified."""
    solve_upper(state.LT, state.now[0]["k"] + state.now[0]["raw"], state.gamma, work.c)


@bare_inline
def log(state, work, CT, n_kept):
    """Log the shrink's map for features in no buffered row: modifies state.maps and work.E."""
    E = work.E[0]
    clear(E)
    for j in range(state.now[0]["k"]):
        set_scaled(E[j], 1.0, CT[j], n_kept)
        E[j, len(E)] = work.c[j]
    enter(state.maps, E, work.E[1], state.now[0]["generation"])


@bare_inline
def fold(state, work, CT):
    """For each feature f of the buffer: table entries <- C B_:f, row of work.sums <- Delta w, |X_:f|^2, Delta."""
    table, now, sums, z, k = state.table, state.now[0], work.sums, work.z, state.now[0]["k"]
    for slot in range(now["slots"]):
        f = state.owner[slot]
        sums[slot, DELTA] = 1.0 + table[f, EXTRA]
        sums[slot, SQUARES] = 0.0
        sums[slot, TOTAL] = sums[slot, DELTA] * table[f, WBAR] + map_entries(work.E, table[f, KEPT:], z)
    at = 0
    for j in range(now["raw"]):
        c = work.c[k + j]
        while at < state.ends[j]:
            slot = state.entries[at]
            x = state.X[slot, j]
            sums[slot, TOTAL] += x * c
            sums[slot, SQUARES] += x * x
            add_scaled(table[state.owner[slot], KEPT:], x, CT[k + j], CT.shape[1])
            at += 1


@forced_inline
def map_entries(E, b, z):
    """b <- E[0] b for a feature's entries b in the rows kept so far; returns c'b. Overwrites z."""
    set_scaled(z[0], 1.0, b, len(b))
    z[0, len(b)] = 0.0
    apply_map(E, 0, z, 0)
    set_scaled(b, 1.0, z[1], len(b))
    return z[1, len(b)]


@bare_inline
def compensate(params, state, work, n_kept):
    """Update Delta and wbar of the buffer's features for the new B; T <- B Delta^-1 B' for the new Delta.

    Modifies the state. Without forgetting Delta never decreases; any decrease would be rounding error.
    """
    table, T, now, sums = state.table, state.T, state.now[0], work.sums
    for slot in range(now["slots"]):
        f = state.owner[slot]
        b = table[f, KEPT:]
        b2 = product(b, b, len(b))
        mass, least = state.mass[f] + sums[slot, SQUARES], table[f, EXTRA]
        if params.retention < 1.0:  # the buffered rows decay with the earlier ones
            mass = state.mass[f] * params.retention ** (now["shrunk"] - state.when[f]) + sums[slot, SQUARES]
            mass, least = mass * params.retention ** (now["t"] - now["shrunk"]), 0.0
        state.mass[f] = mass
        state.when[f] = now["t"]
        extra, old = max(least, mass - b2), 1.0 / sums[slot, DELTA]
        table[f, EXTRA] = extra
        table[f, WBAR] = sums[slot, TOTAL] * old
        table[f, STAMP] = now["generation"]
        table[f, SLOT] = 0.0
        change = 1.0 / (1.0 + extra) - old
        for i in range(n_kept):
            add_scaled(T[i], change * b[i], b, i + 1)
    for i in range(n_kept):
        for j in range(i):
            T[j, i] = T[i, j]


@bare_jit
def all_weights(state, work, w):
    """w[f] <- the weight of feature f, for the first len(w) features. w : float64[features], filled in."""
    now, row, c = state.now[0], work.row[0], work.c
    coefficients(state, work)
    for f in range(len(w)):
        bring_up_to_date(state.maps, state.table, f, work.row, 0, now["generation"], work.z)
        total = plus_dot(0.0, c, row[KEPT:], now["k"])
        if row[SLOT] > 0.0:
            total = plus_dot(total, c[now["k"] :], state.X[int(row[SLOT]) - 1], now["raw"])
        w[f] = row[WBAR] + total / (1.0 + row[EXTRA])
