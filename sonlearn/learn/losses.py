"""Losses l(p, y) and their derivatives in p, chosen by a small integer code (kernels cannot take functions).

squared (p - y)^2 with derivative 2 (p - y), like Vowpal Wabbit and not half of it; logistic log(1 + exp(-y p));
hinge max(0, 1 - y p), derivative 0 at the kink; squared_hinge its square; absolute |p - y|, derivative 0 at equality;
quantile q (y - p) below the label and (1 - q)(p - y) above, so that predictions tend to the q-quantile; huber
(p - y)^2/2 within k of the label and k |p - y| - k^2/2 outside; poisson exp(p) - y p: the prediction is the LOGARITHM
of the expected count, as in Vowpal Wabbit without ``--link poisson``.

Of several classes that share a learner the loss is the logarithm of one over softmax's probability of the row's class.

A loss is its code and its one parameter (quantile's q, Huber's k), together a `Loss`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sonlearn.jit import bare_inline, jit
from sonlearn.options import LearnOptions
from sonlearn.options.losses import LOSSES

SQUARED, LOGISTIC, HINGE, ABSOLUTE, SQUARED_HINGE, QUANTILE, HUBER, POISSON = range(8)
#: Code of a loss by its name.
CODE = dict(zip(LOSSES, (SQUARED, LOGISTIC, HINGE, ABSOLUTE, SQUARED_HINGE, QUANTILE, HUBER, POISSON), strict=True))


class Loss(NamedTuple):
    """What kernels are told of a loss."""

    code: int
    par: float  # quantile: q; huber: k; else unused


def loss_of(options: LearnOptions) -> Loss:
    """The loss that `options` ask for."""
    par = {"quantile": options.quantile_tau, "huber": options.huber_k}.get(options.loss, 0.0)
    return Loss(CODE[options.loss], float(par))


def spread(loss: Loss, n: int) -> Loss:
    """`loss` with its parameter once for each of n rows, float64[n]."""
    return Loss(loss.code, np.full(n, loss.par))


@bare_inline
def loss_value(loss, p: float, y: float) -> float:
    """l(p, y); finite wherever p is, but for poisson above p = 709."""
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
    """out <- h (q - e_y) with q = softmax(z), the derivatives of h ln(1/q_y) in z; returns their length.

    That of class y is the sum of the others, so that no digit is lost where the row is nearly certain.
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


@bare_inline
def exp(p: float) -> float:
    """exp(p), infinite where that overflows (interpreted, math.exp would raise)."""
    return math.exp(p) if p < 709.0 else math.inf


@jit
def losses(loss, p, y, out) -> None:
    """out[i] <- l(p[i], y[i]); NaN where y is. All float64[n]."""
    for i in range(len(p)):
        out[i] = loss_value(loss, p[i], y[i]) if y[i] == y[i] else math.nan
