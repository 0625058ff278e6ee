"""The whitened shrink: keep m - 1 combinations of the rows, and return what they lose to the features it came from.

With T = B Delta^-1 B' = U diag(lam) U' and lam_m the m-th largest, B <- C B with the rows
sqrt(min(lam_i - lam_m, LONGEST)/lam_i) U_i' of C, i < m. What B'B loses is positive semidefinite, so its diagonal is
known: Delta_f = 1 + (sum of squares of f's entries in all rows) - |B_:f|^2 for the features f of the buffered rows.
[RFD] Algorithm 3 returns half of lam_m to every feature alike.
"""

from __future__ import annotations

import math

import numpy as np

from sonlearn.jit import bare_inline, inline, jit
from sonlearn.learn.dense import clear, leading
from sonlearn.learn.engines.compensated.lazy import enter
from sonlearn.learn.engines.compensated.rounds import run
from sonlearn.learn.engines.compensated.state import EXTRA, HEAD, LONGEST, SLOT, STAMP, WBAR
from sonlearn.learn.status import SHRINK

#: Eigenvalues of T below this multiple of the largest are rounding noise.
EPS_RANK = 1e-14


@jit
def learn(params, state, work, rows, out, start):
    """Learn rows start.. of `rows`; returns (next row, DONE, LOG_FULL or DIVERGED).

    Stops in front of a row when the log is full (the caller makes room) or when a number is out of all bounds.
    """
    at = start
    while True:
        at, status = run(params, state, work, rows, out, at)
        if status != SHRINK:
            return at, status
        shrink(params, state, work)


@inline
def shrink(params, state, work):
    """Keep m - 1 rows and begin a new generation with an empty buffer."""
    now = state.now[0]
    kept = choose(params, state, work)
    coefficients(state, work)
    log(state, work, kept)
    fold(state, work)
    now["generation"] += 1
    compensate(state, work, kept)
    factorise(state, kept)
    now["k"] = kept
    now["raw"] = now["slots"] = now["entries"] = 0


@inline
def choose(params, state, work):
    """work.CT <- C', and the leading part of T <- C T C'; returns how many rows are kept."""
    now = state.now[0]
    r = now["k"] + now["raw"]
    clear(work.CT)
    if params.m == 1:
        return 0
    lam, U = np.linalg.eigh(leading(state.T, r))
    top = lam[r - 1]
    shed = lam[r - params.m] if r >= params.m and lam[r - params.m] > EPS_RANK * top else 0.0
    kept = 0
    clear(state.T)
    while kept < min(params.m - 1, r) and lam[r - 1 - kept] - shed > EPS_RANK * top:
        left = min(lam[r - 1 - kept] - shed, LONGEST)
        factor = math.sqrt(left / lam[r - 1 - kept])
        for j in range(r):
            work.CT[j, kept] = factor * U[j, r - 1 - kept]
        state.T[kept, kept] = left
        kept += 1
    return kept


@bare_inline
def coefficients(state, work):
    """work.c <- L^-T gamma: the weights are wbar + Delta^-1 B'c."""
    LT, gamma, c = state.LT, state.gamma, work.c
    r = state.now[0]["k"] + state.now[0]["raw"]
    for j in range(r - 1, -1, -1):
        total = gamma[j]
        for i in range(j + 1, r):
            total -= LT[j, i] * c[i]
        c[j] = total / LT[j, j]


@bare_inline
def log(state, work, kept):
    """Enter what the shrink means for features in no buffered row."""
    clear(work.E[0])
    width = work.E.shape[1]
    for j in range(state.now[0]["k"]):
        for i in range(kept):
            work.E[0, j, i] = work.CT[j, i]
        work.E[0, j, width] = work.c[j]
    enter(state.maps, work.E, state.now[0]["generation"])


@bare_inline
def fold(state, work):
    """Features of the buffer: b <- C B_:f, work.total <- Delta w, mass <- mass + |X_:f|^2."""
    table, now, CT, total = state.table, state.now[0], work.CT, work.total
    k, width = now["k"], CT.shape[1]
    for slot in range(now["slots"]):
        f = state.owner[slot]
        total[slot] = (1.0 + table[f, EXTRA]) * table[f, WBAR]
        for i in range(width):
            work.z[0, i] = 0.0
        for j in range(k):
            b = table[f, HEAD + j]
            total[slot] += b * work.c[j]
            for i in range(width):
                work.z[0, i] += b * CT[j, i]
        for i in range(width):
            table[f, HEAD + i] = work.z[0, i]
    at = 0
    for j in range(now["raw"]):
        while at < state.ends[j]:
            slot = state.entries[at]
            f, x = state.owner[slot], state.X[slot, j]
            total[slot] += x * work.c[k + j]
            state.mass[f] += x * x
            for i in range(width):
                table[f, HEAD + i] += x * CT[k + j, i]
            at += 1


@bare_inline
def compensate(state, work, kept):
    """Delta and wbar of the buffer's features, with B as it is now; T <- B Delta^-1 B' for the new Delta.

    Delta never falls: what it would fall by is rounding.
    """
    table, T, now = state.table, state.T, state.now[0]
    for slot in range(now["slots"]):
        f = state.owner[slot]
        b2 = 0.0
        for i in range(kept):
            b2 += table[f, HEAD + i] * table[f, HEAD + i]
        old = 1.0 + table[f, EXTRA]
        table[f, EXTRA] = max(table[f, EXTRA], state.mass[f] - b2)
        table[f, WBAR] = work.total[slot] / old
        table[f, STAMP] = now["generation"]
        table[f, SLOT] = 0.0
        change = 1.0 / (1.0 + table[f, EXTRA]) - 1.0 / old
        for i in range(kept):
            b = change * table[f, HEAD + i]
            for j in range(i + 1):
                T[i, j] += b * table[f, HEAD + j]
    for i in range(kept):
        for j in range(i):
            T[j, i] = T[i, j]


@bare_inline
def factorise(state, r):
    """LT'LT <- I + T, whose pivots are 1 at least; gamma <- 0."""
    T, LT = state.T, state.LT
    clear(LT)
    for j in range(r):
        for i in range(j, r):
            total = T[j, i]
            for l in range(j):  # noqa: E741
                total -= LT[l, j] * LT[l, i]
            if i == j:
                LT[j, j] = math.sqrt(1.0 + max(total, 0.0))
            else:
                LT[j, i] = total / LT[j, j]
    for j in range(len(state.gamma)):
        state.gamma[j] = 0.0
