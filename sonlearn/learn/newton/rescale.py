"""Rescaling of rows: each feature is divided by a scale of its own, estimated from the stream so far.

| --scale | feature j is divided by | source |
|---|---|---|
| none | 1 | [RFD] |
| gradients | sqrt(0.1 + the sum of its squared gradients) | [SON] section 5.2, D_1 = 0.1 I |
| all-gradients | the same; to learn a row, the sum includes its own gradient | [SON] as it ran (docs/papers.md) |
| maximum | its largest absolute value so far, this row included | Ross, Mineiro, Langford 2013, for the weights |
| unit | the same, and then the row by its 2-norm | ours |

When a scale grows, the weights of the rescaled features do not change, as in [SON] section 5.2.
"""

import math

from sonlearn.data.linear_algebra import dot, set_scaled
from sonlearn.jit import inline

NONE, GRADIENTS, ALL_GRADIENTS, MAXIMUM, UNIT = range(5)
#: Code of each value of --scale.
CODE = {"none": NONE, "gradients": GRADIENTS, "all-gradients": ALL_GRADIENTS, "maximum": MAXIMUM, "unit": UNIT}

#: [SON] section 5.2: the initial value of D_t.
DIAGONAL_START = 0.1


@inline(force=True)
def divided(rescale, scale, x):
    """The value x divided by the scale of its feature."""
    if rescale in (GRADIENTS, ALL_GRADIENTS):
        return x / math.sqrt(DIAGONAL_START + scale)
    if rescale == NONE or x == 0.0:
        return x
    return x / max(scale, abs(x))


@inline(force=True)
def rescaled(rescale, features, feats, values, unseen, xs):
    """xs[:s] <- the rescaled row; returns its x'x.

    feats : int64[s]; values : float64[s]; neither is modified, nor is `features`
    unseen : float, how many features without a number the row has: none has been larger than now, so that each is 1 or
    -1 rescaled; xs : float64[at least s], overwritten
    """
    for at in range(len(feats)):
        xs[at] = features[feats[at]].scale
    for at in range(len(feats)):
        xs[at] = divided(rescale, xs[at], values[at])
    xx = dot(xs, xs, len(feats))
    if rescale != UNIT or xx == 0.0:
        return xx
    factor = 1.0 / math.sqrt(xx + unseen)
    set_scaled(xs, factor, xs, len(feats))
    return xx / (xx + unseen)


@inline
def rescaled_by_all(features, feats, values, slope, xs):
    """xs[:s] <- the row rescaled by sums that include its own gradient; returns its x'x, or infinity if a sum is.

    Arguments as for `rescaled`; `slope` is the derivative of the loss. No scale is modified.
    """
    xx, most = 0.0, 0.0
    for at in range(len(feats)):
        scale = features[feats[at]].scale + (slope * values[at]) ** 2
        xs[at] = divided(ALL_GRADIENTS, scale, values[at])
        xx += xs[at] * xs[at]
        most = max(most, scale)
    return xx if math.isfinite(most) else math.inf


@inline(force=True)
def learn_scales(rescale, features, feats, values, slope):
    """Update the scales of `features` after a row has been learned; `feats` and `values` are not modified."""
    if rescale in (GRADIENTS, ALL_GRADIENTS):
        for at in range(len(feats)):
            features[feats[at]].scale += (slope * values[at]) ** 2
    elif rescale != NONE:
        for at in range(len(feats)):
            features[feats[at]].scale = max(features[feats[at]].scale, abs(values[at]))
