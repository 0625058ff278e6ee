"""Predicting without learning: reads the state, writes nothing to it, and may run beside other readers."""

from __future__ import annotations

import math

import numpy as np

from sonlearn.jit import bare_inline, inline, jit
from sonlearn.learn.newton.rescale import MAXIMUM, UNIT, divided
from sonlearn.learn.newton.sparse_time import coefficients, local_of, present, share


@jit
def predict(params, state, rows, extra, raw):
    """raw[i] <- base_i + w'x_i for each class; returns the first row whose prediction is not finite, or n.

    `raw` is float64[n, K]; `extra` as in `newton`.
    """
    on, own = coefficients(state), share(params, state.now[0].alpha)
    classes = raw.shape[1]
    z = scratch(state)
    for i in range(len(rows.y)):
        xx = extra[i]
        for c in range(classes):
            raw[i, c] = 0.0
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            f = rows.features[at]
            x = divided(params.rescale, state.features[f].scale, rows.values[at])
            xx += x * x
            weights_of(state, f, on, own, z)
            for c in range(classes):
                raw[i, c] += x * z[2, c]
        for c in range(classes):
            if params.rescale == UNIT and xx > 0.0:
                raw[i, c] /= math.sqrt(xx)
            raw[i, c] = raw[i, c] * state.now[0].left + rows.base[i]
            if not math.isfinite(raw[i, c]):
                return i
    return len(rows.y)


@jit
def all_weights(params, state, out):
    """out[c, f] <- weight of feature f in the scale of the input, for the first features; out float64[K, features].

    With rows of unit length a prediction is w'x over the length of x in rescaled features.
    """
    on, own = coefficients(state), share(params, state.now[0].alpha)
    z = scratch(state)
    for f in range(out.shape[1]):
        scale = state.features[f].scale
        one = divided(params.rescale, scale, 1.0) if params.rescale < MAXIMUM else (1.0 / scale if scale > 0.0 else 0.0)
        weights_of(state, f, on, own, z)
        for c in range(len(out)):
            out[c, f] = one * state.now[0].left * z[2, c]


@jit
def kept_rows(state, V):
    """V[i, f] <- entry f of the i-th kept direction (in rescaled features, where they are)."""
    z = scratch(state)
    FT = state.factor.FT
    for f in range(V.shape[1]):
        now = present(state, f, z)
        for i in range(V.shape[0]):
            V[i, f] = 0.0
            for j in range(len(FT)):
                V[i, f] += FT[j, i] * z[now, j]


@bare_inline
def weights_of(state, f, on, own, z):
    """z[2] <- weights of feature f, rescaled, one a class; the other rows of z (3 rows) are scratch.

    `on` are the weights' `coefficients`, `own` is what wbar is multiplied with.
    """
    on_z, on_x = on
    now, local = present(state, f, z), local_of(state, f)
    for c in range(len(on_z)):
        w = own * z[now, on_z.shape[1] + c]
        for j in range(on_z.shape[1]):
            w += z[now, j] * on_z[c, j]
        if local >= 0:
            for j in range(on_x.shape[1]):
                w += state.raw.X[local, j] * on_x[c, j]
        z[2, c] = w


@inline
def scratch(state):
    """Room for one feature under way through the log."""
    return np.empty((3, state.table.shape[1]))
