"""Predictions, weights and the matrix; these kernels do not modify the state."""

from __future__ import annotations

from sonlearn.jit import bare_jit
from sonlearn.learn.diagonal_fd.lazy import bring_up_to_date, copies
from sonlearn.learn.diagonal_fd.rounds import LIMIT, read, solve
from sonlearn.learn.diagonal_fd.shrink import coefficients
from sonlearn.learn.diagonal_fd.state import EXTRA, SLOT, WBAR


@bare_jit
def predict(state, work, rows, raw, start):
    """raw[i] <- base_i + w'x_i from row `start` on; returns the first row whose prediction is out of bounds, or n.

    state : DiagonalFDState and rows : Rows, not modified; work : DiagonalFDScratch, overwritten
    raw : float64[n], filled in; start : int
    """
    for i in range(start, len(rows.y)):
        feats = rows.features[rows.indptr[i] : rows.indptr[i + 1]]
        copies(state, work, feats)
        wx, xx = read(state, work, work.row, work.place, rows.values[rows.indptr[i] : rows.indptr[i + 1]])
        z, _ = solve(state, work, wx, xx)
        z += rows.base[i]
        if not (abs(z) <= LIMIT and xx <= LIMIT):
            return i
        raw[i] = z
    return len(rows.y)


@bare_jit
def all_weights(state, work, w):
    """w[f] <- the weight of feature f, for the first len(w) features. w : float64[features], filled in."""
    now, row, c = state.now[0], work.row, work.c
    coefficients(state, work)
    k = now["k"]
    for f in range(len(w)):
        bring_up_to_date(state.maps, state.table, f, row, 0, now["generation"], work.z)
        total = 0.0
        for j in range(k):
            total += c[j] * row[0, 1 + (j >> 2), j & 3]
        if row[0, 0, SLOT] > 0.0:
            for j in range(now["raw"]):
                total += c[k + j] * state.X[int(row[0, 0, SLOT]) - 1, j >> 2, j & 3]
        w[f] = row[0, 0, WBAR] + total / (1.0 + row[0, 0, EXTRA])


@bare_jit
def matrix(state, work, delta, B):
    """delta[f] <- Delta_f and B[:, f] <- B_:f for the first len(delta) features.

    delta : float64[features], filled in; B : float64[k + raw, features], zeros on entry, filled in
    """
    now, row = state.now[0], work.row
    for f in range(len(delta)):
        bring_up_to_date(state.maps, state.table, f, row, 0, now["generation"], work.z)
        delta[f] = 1.0 + row[0, 0, EXTRA]
        for j in range(now["k"]):
            B[j, f] = row[0, 1 + (j >> 2), j & 3]
        if row[0, 0, SLOT] > 0.0:
            for j in range(now["raw"]):
                B[now["k"] + j, f] = state.X[int(row[0, 0, SLOT]) - 1, j >> 2, j & 3]
