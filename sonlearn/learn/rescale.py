"""Rows as the learner sees them: features divided by a scale of their own that the stream has shown so far.

[SON] section 5.2: x_j / sqrt(D_t,jj) with D_t = 0.1 I + diag(sum of g g').
"""

from __future__ import annotations

import math

from sonlearn.jit import bare_inline

#: [SON] section 5.2: what D_t begins with.
DIAGONAL_START = 0.1


@bare_inline
def scale_of(params, scale):
    """What a feature's values are multiplied by."""
    return 1.0 / math.sqrt(DIAGONAL_START + scale) if params.diagonal else 1.0


@bare_inline
def rescaled(params, state, feats, values, xs):
    """xs <- the row as the learner sees it; returns x'x."""
    features, xx = state.features, 0.0
    for at in range(len(feats)):
        x = values[at]
        if params.diagonal:
            x /= math.sqrt(DIAGONAL_START + features[feats[at]].scale)
        xs[at] = x
        xx += x * x
    return xx


@bare_inline
def learn_scales(params, state, feats, values, slope):
    """Take a row that has been learned from into the scales."""
    features = state.features
    if params.diagonal:
        for at in range(len(feats)):
            features[feats[at]].scale += (slope * values[at]) ** 2
