"""The weights of all features, from a state that does not change."""

from __future__ import annotations

import numpy as np

from sonlearn.jit import jit
from sonlearn.learn.linear_algebra import plus_dot
from sonlearn.learn.newton.coordinates import coefficients, local_of, wbar_factor
from sonlearn.learn.newton.generations import present
from sonlearn.learn.newton.rescale import MAXIMUM, divided


@jit
def all_weights(params, state, out):
    """out[c, f] <- weight of feature f in the scale of the input, for the first `out.shape[1]` features.

    out : float64[K, features], filled in; nothing else is modified. With rows of unit length, a prediction is w'x
    divided by the length of x in rescaled features.
    """
    (on_z, on_x), M, n_raw = coefficients(state), state.maps.shape[1], state.now[0].raw
    factor, z = wbar_factor(params, state.now[0].alpha), np.empty((2, state.table.shape[1]))
    for f in range(out.shape[1]):
        scale = state.features[f].scale
        one = divided(params.rescale, scale, 1.0) if params.rescale < MAXIMUM else (1.0 / scale if scale > 0.0 else 0.0)
        now, local = present(state, f, z), local_of(state.now[0], state.features, state.raw, f)
        for c in range(len(out)):
            w = plus_dot(factor * z[now, M + c], z[now], on_z[c], M)
            if local >= 0:
                w = plus_dot(w, state.raw.X[local], on_x[c], n_raw)
            out[c, f] = one * state.now[0].weight_scale * w
