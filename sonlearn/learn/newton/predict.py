"""Prediction without learning. These kernels only read the state, so several may run at the same time."""

from __future__ import annotations

import math

import numpy as np

from sonlearn.data.rows import COUNT
from sonlearn.jit import bare_inline, inline, jit
from sonlearn.learn.linear_algebra import add_scaled, clear_first, plus_dot
from sonlearn.learn.losses import within_bounds
from sonlearn.learn.newton.coordinates import coefficients, local_of, wbar_factor
from sonlearn.learn.newton.generations import present
from sonlearn.learn.newton.rescale import MAXIMUM, UNIT, divided
from sonlearn.learn.tolerances import LARGEST


@jit
def predict(params, state, rows, out):
    """out.raw[i] <- base_i + w'x_i for each class; returns the first row whose prediction is not finite, or n.

    out : Predictions of float64[n, K], filled in; nothing else is modified
    """
    on_z, on_x = coefficients(state)
    raw, factor, classes = out.raw, wbar_factor(params, state.now[0].alpha), out.raw.shape[1]
    z = scratch(state)
    for i in range(len(rows.y)):
        xx = rows.unseen[i, COUNT]
        clear_first(raw[i], classes)
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            f = rows.features[at]
            x = divided(params.rescale, state.features[f].scale, rows.values[at])
            xx += x * x
            weights_of(state, f, on_z, on_x, factor, z)
            add_scaled(raw[i], x, z[2], classes)
        for c in range(classes):
            if params.rescale == UNIT and xx > 0.0:
                raw[i, c] /= math.sqrt(xx)
            raw[i, c] = raw[i, c] * state.now[0].weight_scale + rows.base[i]
        if not within_bounds(params.output, raw[i], out.prediction[i], LARGEST):
            return i
    return len(rows.y)


@jit
def all_weights(params, state, out):
    """out[c, f] <- weight of feature f in the scale of the input, for the first `out.shape[1]` features.

    out : float64[K, features], filled in; nothing else is modified. With rows of unit length, a prediction is w'x
    divided by the length of x in rescaled features.
    """
    on_z, on_x = coefficients(state)
    factor = wbar_factor(params, state.now[0].alpha)
    z = scratch(state)
    for f in range(out.shape[1]):
        scale = state.features[f].scale
        one = divided(params.rescale, scale, 1.0) if params.rescale < MAXIMUM else (1.0 / scale if scale > 0.0 else 0.0)
        weights_of(state, f, on_z, on_x, factor, z)
        for c in range(len(out)):
            out[c, f] = one * state.now[0].weight_scale * z[2, c]


@bare_inline
def weights_of(state, f, on_z, on_x, factor, z):
    """z[2] <- the weights of feature f in rescaled features, one for each class.

    on_z : float64[K, M] and on_x : float64[K, R], from `coefficients`, not modified; factor : float, of wbar
    z : float64[3, M + K], overwritten
    """
    now, local = present(state, f, z), local_of(state.now[0], state.features, state.raw, f)
    for c in range(len(on_z)):
        w = plus_dot(factor * z[now, on_z.shape[1] + c], z[now], on_z[c], on_z.shape[1])
        z[2, c] = w if local < 0 else plus_dot(w, state.raw.X[local], on_x[c], on_x.shape[1])


@inline
def scratch(state):
    """float64[3, M + K]: scratch space for one feature's map through the log."""
    return np.empty((3, state.table.shape[1]))
