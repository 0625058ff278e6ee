"""Predicting without learning: reads the state, writes nothing to it, and may run beside other readers."""

from __future__ import annotations

import math

import numpy as np

from sonlearn.jit import bare_inline, inline, jit
from sonlearn.learn.generations import bring_up
from sonlearn.learn.rounds import DIAGONAL_START
from sonlearn.learn.shrink import unmix
from sonlearn.learn.state import GEN, HEAD, LOCAL, N_LOCAL, SQUARES, STAMP, WBAR, K, R


@jit
def predict(params, state, rows, raw):
    """raw[i] <- base_i + w'x_i; returns the first row whose prediction is not finite, or n."""
    on_z, on_x = coefficients(state)
    row, z = np.empty((1, state.table.shape[1])), np.empty((2, state.table.shape[1]))
    for i in range(len(rows.y)):
        total = rows.base[i]
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            total += rows.values[at] * weight_of(params, state, rows.features[at], on_z, on_x, row, z)
        if not math.isfinite(total):
            return i
        raw[i] = total
    return len(rows.y)


@jit
def all_weights(params, state, out):
    """out[f] <- weight of feature f in the scale of the input, for the first len(out) features."""
    on_z, on_x = coefficients(state)
    row, z = np.empty((1, state.table.shape[1])), np.empty((2, state.table.shape[1]))
    for f in range(len(out)):
        out[f] = weight_of(params, state, f, on_z, on_x, row, z)


@jit
def kept_rows(state, V):
    """V[i, f] <- entry f of the i-th kept direction (in the rescaled features where --diagonal is on)."""
    row, z = np.empty((1, state.table.shape[1])), np.empty((2, state.table.shape[1]))
    FT = state.factor.FT
    for f in range(V.shape[1]):
        present(state, f, row, z)
        for i in range(V.shape[0]):
            V[i, f] = 0.0
            for j in range(len(FT)):
                V[i, f] += FT[j, i] * row[0, HEAD + j]


@inline
def coefficients(state):
    """(on_z, on_x) with w = wbar + Z'on_z + X'on_x."""
    k, n_raw = state.counters[K], state.counters[R]
    FT, a = state.factor.FT, state.basis.a
    on_v, on_x, on_z = np.empty(k), np.zeros(n_raw), np.empty(len(FT))
    unmix(state.basis.G, k, n_raw, a, on_v, on_x)
    for j in range(len(on_z)):
        on_z[j] = state.factor.beta[j]
        for i in range(k):
            on_z[j] += FT[j, i] * on_v[i]
    return on_z, on_x


@bare_inline
def present(state, f, row, z):
    """row[0] <- the row of feature f, brought up to the present generation; z is scratch."""
    for j in range(row.shape[1]):
        row[0, j] = state.table[f, j]
    if int(row[0, STAMP]) >> 1 != state.counters[GEN]:
        bring_up(state.maps, row, 0, state.counters[GEN], z)


@bare_inline
def weight_of(params, state, f, on_z, on_x, row, z):
    """Weight of feature f in the scale of the input."""
    present(state, f, row, z)
    w = row[0, WBAR]
    for j in range(len(on_z)):
        w += row[0, HEAD + j] * on_z[j]
    local = int(row[0, LOCAL])
    if 0 <= local < state.counters[N_LOCAL] and state.raw.owner[local] == f:
        for j in range(len(on_x)):
            w += state.raw.X[local, j] * on_x[j]
    return w / math.sqrt(DIAGONAL_START + row[0, SQUARES]) if params.diagonal else w
