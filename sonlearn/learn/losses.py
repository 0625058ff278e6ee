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

`invariant_change` is an importance-invariant step: it follows the loss, rather than its slope at the start. [IWA] A
step along x with step size tau and q = x'Rx (R the rates of the features) changes the prediction by -tau q l'. In the
limit of many small steps, dp/ds = -l'(p) for s from 0 to T = tau q. This has a closed form, or an iteration for
logistic. An example of weight 2 has the same effect as the example twice, for fixed rates, and no step overshoots.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sonlearn.jit import inline, jit
from sonlearn.options import LearnOptions
from sonlearn.options.losses import LOSSES
from sonlearn.options.methods import METHODS

#: Kinds of eta_t.
ETA_CONSTANT, ETA_OVER_T, ETA_OVER_ROOT_T = range(3)
SQUARED, LOGISTIC, HINGE, ABSOLUTE, SQUARED_HINGE, QUANTILE, HUBER, POISSON = range(len(LOSSES))
#: Code of a loss by its name.
CODE = {name: code for code, name in enumerate(LOSSES)}
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


class RowWeight(NamedTuple):
    """What a gradient counts in the sketch, in round t: sigma + eta_t."""

    sigma: float
    kind: int  # of eta_t
    eta: float  # with `ETA_CONSTANT`


def row_weight_of(options: LearnOptions) -> RowWeight:
    """Return what a gradient counts; 1 with a method that does not take the options."""
    if "sigma" not in METHODS[options.method].takes:
        return RowWeight(1.0, ETA_CONSTANT, 0.0)
    kinds = {"1/t": ETA_OVER_T, "1/sqrt(t)": ETA_OVER_ROOT_T}
    kind, eta = (kinds[options.eta], 0.0) if isinstance(options.eta, str) else (ETA_CONSTANT, float(options.eta))
    return RowWeight(float(options.resolved_sigma), kind, eta)


class Output(NamedTuple):
    """What becomes of the scores of a row."""

    classes: int  # softmax classes that share a state; 0: one score and `loss`
    loss: Loss
    low: float  # predictions are scores clipped to low..high
    high: float


def output_of(options: LearnOptions) -> Output:
    """Return what becomes of the scores that `options` ask for."""
    return Output(options.multinomial or 0, loss_of(options), *options.bounds)


@inline
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


@inline
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


@inline
def softmax_slopes(z, y, h, out):
    """out <- h (q - e_y) with q = softmax(z), the derivatives of -h ln q_y in z; returns their 2-norm.

    z : float64[K], not modified; y : int, number of the class; h : float, importance weight
    out : float64[K], filled in, maybe z itself; entry y is minus the sum of the others, which is accurate even if q_y
    is nearly 1
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


@inline(force=True)
def slopes(output, prediction, y, h, out):
    """out[c] <- h times the derivative of the loss in the prediction of class c; returns their 2-norm.

    output : Output; prediction : float64[K], not modified; out : float64[K], filled in
    """
    if output.classes > 0:
        return softmax_slopes(prediction, int(y), h, out)
    out[0] = h * loss_slope(output.loss, prediction[0], y)
    return abs(out[0])


@inline(force=True)
def within_bounds(output, raw, prediction, limit):
    """prediction <- raw clipped to output.low..high; False if one of raw is beyond `limit`. float64[K] both."""
    for c in range(len(raw)):
        if not abs(raw[c]) <= limit:
            return False
        prediction[c] = min(max(raw[c], output.low), output.high)
    return True


@inline(force=True)
def row_scale(weight, slope, t):
    """s = sqrt(sigma + eta_t) |slope|: the sketch receives the row s x. weight : RowWeight"""
    eta = weight.eta
    if weight.kind != ETA_CONSTANT:
        eta = 1.0 / t if weight.kind == ETA_OVER_T else 1.0 / math.sqrt(t)
    return math.sqrt(weight.sigma + eta) * abs(slope)


@inline
def sigmoid(u):
    """1/(1 + exp(-u)), without overflow."""
    if u >= 0.0:
        return 1.0 / (1.0 + math.exp(-u))
    e = math.exp(u)
    return e / (1.0 + e)


@inline
def exp(p: float) -> float:
    """exp(p), infinite where that overflows (interpreted, math.exp would raise)."""
    return math.exp(p) if p < LARGEST_LOG else math.inf


@inline
def gradient_too_large(loss, p, xx, limit):
    """Tell whether a row of squared length xx is not learned if its prediction is p: only poisson's slope grows so.

    A step to such a prediction is refused, because rows like this one would be refused after it. limit : float, the
    largest squared length of a gradient
    """
    return loss.code == POISSON and not exp(p) * exp(p) * xx <= limit


@jit
def losses(loss, p, y, out) -> None:
    """out[i] <- l(p[i], y[i]), or NaN if y[i] is NaN. p, y : float64[n], not modified; out : float64[n], filled in."""
    for i in range(len(p)):
        out[i] = loss_value(loss, p[i], y[i]) if y[i] == y[i] else math.nan


#: exp(FLAT) is negligible compared with 1: below this margin m, the logistic loss is -m.
FLAT = -40.0
#: Halley's method approaches the root of a convex function from above and converges from the first step on, long before
#: STEPS steps. A step smaller than this share of the distance is the last one, because each step cubes the error.
STEPS, LAST_STEP = 40, 1e-6


@inline
def invariant_change(loss, p: float, y: float, T: float) -> float:
    """Signed change of the prediction from p in time T >= 0, for label y."""
    if loss.code == LOGISTIC:
        return y * logistic_invariant_change(y * p, T)
    if loss.code == HINGE:
        return y * min(T, max(0.0, 1.0 - y * p))
    if loss.code == SQUARED_HINGE:
        return y * max(0.0, 1.0 - y * p) * -math.expm1(-2.0 * T)
    if loss.code == POISSON:
        return poisson_invariant_change(p, y, T)
    error, sign = abs(y - p), (1.0 if y > p else -1.0)
    if loss.code == ABSOLUTE:
        return sign * min(T, error)
    if loss.code == QUANTILE:
        return sign * min(T * (loss.par if y > p else 1.0 - loss.par), error)
    if loss.code == HUBER:
        outside = max(0.0, error - loss.par)
        if T * loss.par <= outside:
            return sign * T * loss.par
        return sign * (outside + min(error, loss.par) * -math.expm1(outside / loss.par - T))
    return (y - p) * -math.expm1(-2.0 * T)


@inline
def softmax_invariant_change(p, y: int, slope, T: float) -> float:
    """The b with which predictions of several classes change by b times `slope` in time T >= 0.

    The margin m = ln(q_y/(1 - q_y)) of class y, q = softmax(p), obeys dm/ds = (1 + |r|^2)/(1 + exp(m)), where r, the
    other classes' shares of 1 - q_y, is held as it is at the start. Two classes do so exactly; of more, the shares
    change a little on the way, and weight 2 is nearly the same example twice.

    p : float64[K], not modified; slope : float64[K], q - e_y, not modified
    """
    if slope[y] == 0.0:
        return -T
    squares, top, others = 0.0, -math.inf, 0.0
    for c in range(len(p)):
        squares += slope[c] * slope[c]
        if c != y:
            top = max(top, p[c])
    for c in range(len(p)):
        if c != y:
            others += math.exp(p[c] - top)
    a = squares / (slope[y] * slope[y])  # 1 + |r|^2
    return logistic_invariant_change(p[y] - top - math.log(others), a * T) / (a * slope[y])


@inline
def logistic_invariant_change(m: float, T: float) -> float:
    """The d >= 0 with (m + d) + exp(m + d) = m + exp(m) + T."""
    free = max(0.0, FLAT - m)
    if free >= T:
        return T
    rest, start = T - free, max(m, FLAT)
    e = math.exp(min(start, 700.0))
    share = rest / (1.0 + e)
    d = 2.0 * share / (1.0 + math.sqrt(1.0 + 2.0 * (e / (1.0 + e)) * share))  # from the first two terms of exp(d) - 1
    if d > 1.0:
        d = min(d, math.log1p(rest / e))
    for _ in range(STEPS):
        if d < 1.0:
            gone = e * math.expm1(d)
            now = e + gone
        else:
            now = math.exp(min(start, 700.0) + d)
            gone = now - e
        change = (d + gone - rest) / (1.0 + now)
        change /= 1.0 - change * now / (2.0 + 2.0 * now)
        d -= change
        if abs(change) <= LAST_STEP * d:
            break
    return free + d


@inline
def poisson_invariant_change(p: float, y: float, T: float) -> float:
    """u = exp(-p) follows du/ds = 1 - y u, so the change is -log(exp(p) (1 - exp(-yT))/y + exp(-yT))."""
    if y * T < 1e-300:
        return y * T - math.log1p(math.exp(p) * T)
    done = -math.expm1(-y * T)
    change = math.exp(p) * (done / y) - done
    if change > -0.5:
        return -math.log1p(change)
    left = math.exp(p) * (done / y) + math.exp(-y * T)
    return -math.log(left) if left > 0.0 else min(y * T, math.log(y) - p)


def sure_gain(gains: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """float64[...]: the mean of gains float64[..., n] with the weight float64[n], less half of its standard error."""
    mean = np.asarray(gains @ weight / weight.sum())
    return np.asarray(mean - 0.5 * np.sqrt((gains - mean[..., None]) ** 2 @ weight / weight.sum() / len(weight)))
