"""Losses l(p, y) and their derivatives in p, chosen by a small integer code (kernels cannot take functions).

squared (p - y)^2 with derivative 2 (p - y), like Vowpal Wabbit and not half of it; logistic log(1 + exp(-y p));
hinge max(0, 1 - y p), derivative 0 at the kink; absolute |p - y|, derivative 0 at equality.
"""

from __future__ import annotations

import math

from sonlearn.jit import bare_inline, jit
from sonlearn.options import LOSSES

SQUARED, LOGISTIC, HINGE, ABSOLUTE = range(4)
#: Code of a loss by its name.
CODE = dict(zip(LOSSES, (SQUARED, LOGISTIC, HINGE, ABSOLUTE), strict=True))


@bare_inline
def loss_value(loss: int, p: float, y: float) -> float:
    """l(p, y); finite wherever p is."""
    if loss == LOGISTIC:
        margin = y * p
        return math.log1p(math.exp(-margin)) if margin > 0 else math.log1p(math.exp(margin)) - margin
    if loss == HINGE:
        return max(0.0, 1.0 - y * p)
    if loss == ABSOLUTE:
        return abs(p - y)
    return (p - y) * (p - y)


@bare_inline
def loss_slope(loss: int, p: float, y: float) -> float:
    """dl/dp at (p, y)."""
    if loss == LOGISTIC:
        margin = y * p
        if margin > 0:
            e = math.exp(-margin)
            return -y * e / (1.0 + e)
        return -y / (1.0 + math.exp(margin))
    if loss == HINGE:
        return -y if y * p < 1.0 else 0.0
    if loss == ABSOLUTE:
        return 1.0 if p > y else (-1.0 if p < y else 0.0)
    return 2.0 * (p - y)


@jit
def losses(loss: int, p, y, out) -> None:
    """out[i] <- l(p[i], y[i]); NaN where y is. All float64[n]."""
    for i in range(len(p)):
        out[i] = loss_value(loss, p[i], y[i]) if y[i] == y[i] else math.nan
