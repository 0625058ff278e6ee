"""Losses l(p, y) and their derivatives in p, chosen by an integer code, because kernels cannot take functions.

squared        (p - y)^2, derivative 2 (p - y) as in Vowpal Wabbit, not half of it
logistic       log(1 + exp(-y p))
hinge          max(0, 1 - y p), derivative 0 at the kink
squared_hinge  the square of hinge
absolute       |p - y|, derivative 0 at equality
quantile       q (y - p) below the label, (1 - q)(p - y) above: predictions tend to the q-quantile
huber          (p - y)^2/2 within k of the label, k |p - y| - k^2/2 outside
poisson        exp(p) - y p; the prediction is the LOGARITHM of the expected count, as in Vowpal Wabbit without
               ``--link poisson``

The loss of several classes that share a learner is -log of the softmax probability of the row's class.

A `Loss` is a code and one parameter: quantile's q or Huber's k.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sonlearn.jit import bare_inline, forced_inline, jit
from sonlearn.learn.tolerances import LIMIT
from sonlearn.options import LearnOptions
from sonlearn.options.losses import LOSSES

SQUARED, LOGISTIC, HINGE, ABSOLUTE, SQUARED_HINGE, QUANTILE, HUBER, POISSON = range(8)
#: Code of a loss by its name.
CODE = dict(zip(LOSSES, (SQUARED, LOGISTIC, HINGE, ABSOLUTE, SQUARED_HINGE, QUANTILE, HUBER, POISSON), strict=True))
#: A larger logarithm of a count overflows: after a step to such a prediction, every later row would be refused.
LARGEST_LOG = 709.0


class Loss(NamedTuple):
    """A loss, as a kernel takes it."""

    code: int
    par: float  # quantile: q; huber: k; other losses: unused


def loss_of(options: LearnOptions) -> Loss:
    """The loss that `options` select."""
    par = {"quantile": options.quantile_tau, "huber": options.huber_k}.get(options.loss, 0.0)
    return Loss(CODE[options.loss], float(par))


@bare_inline
def loss_value(loss, p: float, y: float) -> float:
    """l(p, y). Finite for finite p, except poisson above p = 709."""
    error = abs(p - y)
    if loss.code == LOGISTIC:
        margin = y * p
        return math.log1p(math.exp(-margin)) if margin > 0 else math.log1p(math.exp(margin)) - margin
    if loss.code == HINGE:
        return max(0.0, 1.0 - y * p)
    if loss.code == SQUARED_HINGE:
        return max(0.0, 1.0 - y * p) * max(0.0, 1.0 - y * p)
    if loss.code == ABSOLUTE:
        return error
    if loss.code == QUANTILE:
        return error * (loss.par if p < y else 1.0 - loss.par)
    if loss.code == HUBER:
        return error * error / 2.0 if error <= loss.par else loss.par * (error - loss.par / 2.0)
    if loss.code == POISSON:
        return exp(p) - y * p
    return error * error


@bare_inline
def loss_slope(loss, p: float, y: float) -> float:
    """dl/dp at (p, y)."""
    if loss.code == LOGISTIC:
        margin = y * p
        if margin > 0:
            e = math.exp(-margin)
            return -y * e / (1.0 + e)
        return -y / (1.0 + math.exp(margin))
    if loss.code == HINGE:
        return -y if y * p < 1.0 else 0.0
    if loss.code == SQUARED_HINGE:
        return -2.0 * y * max(0.0, 1.0 - y * p)
    if loss.code == ABSOLUTE:
        return 1.0 if p > y else (-1.0 if p < y else 0.0)
    if loss.code == QUANTILE:
        return 1.0 - loss.par if p > y else (-loss.par if p < y else 0.0)
    if loss.code == HUBER:
        return min(max(p - y, -loss.par), loss.par)
    if loss.code == POISSON:
        return exp(p) - y
    return 2.0 * (p - y)


@bare_inline
def softmax_slopes(z, y, h, out):
    """out <- h (q - e_y) with q = softmax(z), the derivatives of -h ln q_y in z; returns their 2-norm.

    z : float64[K], not modified; y : int, number of the class; h : float, importance weight
    out : float64[K], filled in; entry y is minus the sum of the others, which is accurate even if q_y is nearly 1
    """
    top, total, others, squares = z[0], 0.0, 0.0, 0.0
    for c in range(1, len(z)):
        top = max(top, z[c])
    for c in range(len(z)):
        out[c] = math.exp(z[c] - top)
        total += out[c]
    for c in range(len(z)):
        out[c] *= h / total
        if c != y:
            others += out[c]
            squares += out[c] * out[c]
    out[y] = -others
    return math.sqrt(squares + others * others)


@forced_inline
def slopes(params, prediction, y, h, out):
    """out[c] <- h times the derivative of the loss in the prediction of class c; returns their 2-norm.

    params has `classes`, 0 for one score and its `loss`, and `loss`; prediction : float64[K], not modified
    out : float64[K], filled in
    """
    if params.classes > 0:
        return softmax_slopes(prediction, int(y), h, out)
    out[0] = h * loss_slope(params.loss, prediction[0], y)
    return abs(out[0])


@forced_inline
def within_bounds(params, raw, prediction):
    """prediction <- raw clipped to params.low..high; False if one of raw has diverged. float64[K] both."""
    for c in range(len(raw)):
        if not abs(raw[c]) <= LIMIT:
            return False
        prediction[c] = min(max(raw[c], params.low), params.high)
    return True


@bare_inline
def exp(p: float) -> float:
    """exp(p), infinite where that overflows (interpreted, math.exp would raise)."""
    return math.exp(p) if p < LARGEST_LOG else math.inf


@bare_inline
def leads_too_far(loss, p, xx, limit):
    """Whether a row of squared length xx could not be learned if its prediction were p: only poisson's slope grows so.

    A step to such a prediction is refused, because rows like this one would be refused after it. limit : float, the
    largest squared length of a gradient
    """
    return loss.code == POISSON and not exp(p) * exp(p) * xx <= limit


@jit
def losses(loss, p, y, out) -> None:
    """out[i] <- l(p[i], y[i]), or NaN if y[i] is NaN. p, y : float64[n], not modified; out : float64[n], filled in."""
    for i in range(len(p)):
        out[i] = loss_value(loss, p[i], y[i]) if y[i] == y[i] else math.nan
