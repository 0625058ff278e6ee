"""Importance-invariant steps: the step follows the loss, rather than its slope at the start.

[IWA] A step along x with step size tau and q = x'Rx (R the rates of the features) changes the prediction by -tau q l'.
In the limit of many small steps, dp/ds = -l'(p) for s from 0 to T = tau q. This has a closed form, or an iteration for
logistic. An example of weight 2 has the same effect as the example twice, for fixed rates, and no step overshoots.
"""

from __future__ import annotations

import math

from sonlearn.jit import bare_inline
from sonlearn.learn.losses import ABSOLUTE, HINGE, HUBER, LOGISTIC, POISSON, QUANTILE, SQUARED_HINGE

#: exp(FLAT) is negligible compared with 1: below this margin m, the logistic loss is -m.
FLAT = -40.0
#: Halley's method approaches the root of a convex function from above and converges from the first step on, long before
#: STEPS steps. A step smaller than this share of the distance is the last one, because each step cubes the error.
STEPS, LAST_STEP = 40, 1e-6


@bare_inline
def travel(loss, p: float, y: float, T: float) -> float:
    """Signed change of the prediction from p in time T >= 0, for label y."""
    if loss.code == LOGISTIC:
        return y * logistic_travel(y * p, T)
    if loss.code == HINGE:
        return y * min(T, max(0.0, 1.0 - y * p))
    if loss.code == SQUARED_HINGE:
        return y * max(0.0, 1.0 - y * p) * -math.expm1(-2.0 * T)
    if loss.code == POISSON:
        return poisson_travel(p, y, T)
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


@bare_inline
def softmax_travel(p, y: int, slope, T: float) -> float:
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
    return logistic_travel(p[y] - top - math.log(others), a * T) / (a * slope[y])


@bare_inline
def logistic_travel(m: float, T: float) -> float:
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


@bare_inline
def poisson_travel(p: float, y: float, T: float) -> float:
    """u = exp(-p) follows du/ds = 1 - y u, so the change is -log(exp(p) (1 - exp(-yT))/y + exp(-yT))."""
    if y * T < 1e-300:
        return y * T - math.log1p(math.exp(p) * T)
    done = -math.expm1(-y * T)
    change = math.exp(p) * (done / y) - done
    if change > -0.5:
        return -math.log1p(change)
    left = math.exp(p) * (done / y) + math.exp(-y * T)
    return -math.log(left) if left > 0.0 else min(y * T, math.log(y) - p)
