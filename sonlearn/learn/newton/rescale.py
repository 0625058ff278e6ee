"""Rows as the learner sees them: features divided by a scale of their own that the stream has shown so far.

| --scale | feature j is divided by | source |
|---|---|---|
| none | 1 | [RFD] |
| gradients | sqrt(0.1 + the sum of its squared gradients) | [SON] section 5.2, D_1 = 0.1 I |
| all-gradients | the same; to learn from a row its own gradient is in the sum | [SON] as it ran (docs/papers.md) |
| maximum | its largest size so far, in this row included | Ross, Mineiro, Langford 2013 do so with the weights |
| unit | the same, and then the row by its 2-norm | ours |

The weights stay what they are in rescaled features when a scale grows, as in [SON] section 5.2.
"""

from __future__ import annotations

import math

from sonlearn.jit import forced_inline

NONE, GRADIENTS, OWN, MAXIMUM, UNIT = range(5)
#: Code of a way of rescaling by its name.
CODE = {"none": NONE, "gradients": GRADIENTS, "all-gradients": OWN, "maximum": MAXIMUM, "unit": UNIT}

#: [SON] section 5.2: what D_t begins with.
DIAGONAL_START = 0.1


@forced_inline
def divided(rescale, scale, x):
    """x over the scale of its feature."""
    if rescale in (GRADIENTS, OWN):
        return x / math.sqrt(DIAGONAL_START + scale)
    if rescale == NONE or x == 0.0:
        return x
    return x / max(scale, abs(x))


@forced_inline
def rescaled(params, state, feats, values, extra, xs):
    """xs <- the row as the learner sees it; returns x'x. `extra` is the squared length of what is not in `feats`."""
    features, xx = state.features, 0.0
    for at in range(len(feats)):
        xs[at] = features[feats[at]].scale
    for at in range(len(feats)):
        xs[at] = divided(params.rescale, xs[at], values[at])
    for at in range(len(feats)):
        xx += xs[at] * xs[at]
    if params.rescale != UNIT or xx == 0.0:
        return xx
    share = 1.0 / math.sqrt(xx + extra)
    for at in range(len(feats)):
        xs[at] *= share
    return xx / (xx + extra)


@forced_inline
def rescaled_by_all(state, feats, values, slope, xs):
    """xs <- the row as it is learned from with its own gradient in the sums; returns x'x. Changes no scale.

    Infinite where a sum would be.
    """
    features, xx, most = state.features, 0.0, 0.0
    for at in range(len(feats)):
        scale = features[feats[at]].scale + (slope * values[at]) ** 2
        xs[at] = divided(OWN, scale, values[at])
        xx += xs[at] * xs[at]
        most = max(most, scale)
    return xx if math.isfinite(most) else math.inf


@forced_inline
def learn_scales(params, state, feats, values, slope):
    """Take a row that has been learned from into the scales."""
    features = state.features
    if params.rescale in (GRADIENTS, OWN):
        for at in range(len(feats)):
            features[feats[at]].scale += (slope * values[at]) ** 2
    elif params.rescale != NONE:
        for at in range(len(feats)):
            features[feats[at]].scale = max(features[feats[at]].scale, abs(values[at]))
