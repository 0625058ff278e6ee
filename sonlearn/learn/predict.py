"""Predicting without learning: reads the state, writes nothing to it, and may run beside other readers."""

from __future__ import annotations

import math

import numpy as np

from sonlearn.jit import bare_inline, jit
from sonlearn.learn.rescale import scale_of
from sonlearn.learn.sparse_time import coefficients, local_of, present


@jit
def predict(params, state, rows, raw):
    """raw[i] <- base_i + w'x_i; returns the first row whose prediction is not finite, or n."""
    on_z, on_x = coefficients(state)
    z = np.empty((2, state.Z.shape[1] + 1))
    for i in range(len(rows.y)):
        total = rows.base[i]
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            total += rows.values[at] * weight_of(params, state, rows.features[at], on_z, on_x, z)
        if not math.isfinite(total):
            return i
        raw[i] = total
    return len(rows.y)


@jit
def all_weights(params, state, out):
    """out[f] <- weight of feature f in the scale of the input, for the first len(out) features."""
    on_z, on_x = coefficients(state)
    z = np.empty((2, state.Z.shape[1] + 1))
    for f in range(len(out)):
        out[f] = weight_of(params, state, f, on_z, on_x, z)


@jit
def kept_rows(state, V):
    """V[i, f] <- entry f of the i-th kept direction (in rescaled features, where they are)."""
    z = np.empty((2, state.Z.shape[1] + 1))
    FT = state.factor.FT
    for f in range(V.shape[1]):
        present(state, f, z)
        for i in range(V.shape[0]):
            V[i, f] = 0.0
            for j in range(len(FT)):
                V[i, f] += FT[j, i] * z[0, j]


@bare_inline
def weight_of(params, state, f, on_z, on_x, z):
    """Weight of feature f in the scale of the input; z (2 rows) is scratch."""
    w = present(state, f, z)
    for j in range(len(on_z)):
        w += z[0, j] * on_z[j]
    local = local_of(state, f)
    if local >= 0:
        for j in range(len(on_x)):
            w += state.raw.X[local, j] * on_x[j]
    return w * scale_of(params, state.features[f].scale)
