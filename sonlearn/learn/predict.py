"""Predicting without learning: reads the state, writes nothing to it, and may run beside other readers."""

from __future__ import annotations

import math

import numpy as np

from sonlearn.jit import bare_inline, jit
from sonlearn.learn.rescale import MAXIMUM, UNIT, divided
from sonlearn.learn.sparse_time import coefficients, local_of, present, share


@jit
def predict(params, state, rows, extra, raw):
    """raw[i] <- base_i + w'x_i; returns the first row whose prediction is not finite, or n. `extra` as in `newton`."""
    (on_z, on_x), own = coefficients(state), share(params, state.now[0].alpha)
    z = np.empty((2, state.Z.shape[1] + 1))
    for i in range(len(rows.y)):
        total, xx = 0.0, extra[i]
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            f = rows.features[at]
            x = divided(params.rescale, state.features[f].scale, rows.values[at])
            xx += x * x
            total += x * weight_of(state, f, on_z, on_x, (own, z))
        if params.rescale == UNIT and xx > 0.0:
            total /= math.sqrt(xx)
        total = total * state.now[0].left + rows.base[i]
        if not math.isfinite(total):
            return i
        raw[i] = total
    return len(rows.y)


@jit
def all_weights(params, state, out):
    """out[f] <- weight of feature f in the scale of the input, for the first len(out) features.

    With rows of unit length a prediction is w'x over the length of x in rescaled features.
    """
    (on_z, on_x), own = coefficients(state), share(params, state.now[0].alpha)
    z = np.empty((2, state.Z.shape[1] + 1))
    for f in range(len(out)):
        scale = state.features[f].scale
        one = divided(params.rescale, scale, 1.0) if params.rescale < MAXIMUM else (1.0 / scale if scale > 0.0 else 0.0)
        out[f] = one * state.now[0].left * weight_of(state, f, on_z, on_x, (own, z))


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
def weight_of(state, f, on_z, on_x, z):
    """Weight of feature f, rescaled; z: (what wbar is multiplied with, scratch of 2 rows)."""
    own, z = z
    w = own * present(state, f, z)
    for j in range(len(on_z)):
        w += z[0, j] * on_z[j]
    local = local_of(state, f)
    if local >= 0:
        for j in range(len(on_x)):
            w += state.raw.X[local, j] * on_x[j]
    return w
