"""Steps that importance cannot blow up: the loss is followed along the step instead of by its slope at the start.

[IWA] A step along x with step size tau and q = x'Rx (R the rates of the features) moves the prediction by -tau q l'.
Cut into ever more steps of ever smaller size it obeys dp/ds = -l'(p), s from 0 to T = tau q, and that has a closed
form for every loss here: an example of weight 2 does what the same example does twice over, and no step overshoots.
"""

from __future__ import annotations

import math

from sonlearn.jit import bare_inline
from sonlearn.learn.losses import ABSOLUTE, HINGE, HUBER, LOGISTIC, POISSON, QUANTILE, SQUARED_HINGE

#: exp of this is nothing beside 1: below it, a margin moves under logistic loss as if that were -m.
FLAT = -40.0
#: Halley's method on a convex function from above, where it converges from the first step on: never used up. A step
#: this small beside the way gone is the last one, since errors are cubed from step to step.
STEPS, LAST_STEP = 40, 1e-6


@bare_inline
def travel(loss, p: float, y: float, T: float) -> float:
    """How far the prediction goes from p in time T >= 0, with sign."""
    if loss.code == LOGISTIC:
        return y * logistic_travel(y * p, T)
    if loss.code == HINGE:
        return y * min(T, max(0.0, 1.0 - y * p))
    if loss.code == SQUARED_HINGE:
        return y * max(0.0, 1.0 - y * p) * -math.expm1(-2.0 * T)
    if loss.code == POISSON:
        return poisson_travel(p, y, T)
    error, side = abs(y - p), (1.0 if y > p else -1.0)
    if loss.code == ABSOLUTE:
        return side * min(T, error)
    if loss.code == QUANTILE:
        return side * min(T * (loss.par if y > p else 1.0 - loss.par), error)
    if loss.code == HUBER:
        outside = max(0.0, error - loss.par)
        if T * loss.par <= outside:
            return side * T * loss.par
        return side * (outside + min(error, loss.par) * -math.expm1(outside / loss.par - T))
    return (y - p) * -math.expm1(-2.0 * T)


@bare_inline
def logistic_travel(m: float, T: float) -> float:
    """The d >= 0 with (m + d) + exp(m + d) = m + exp(m) + T."""
    free = max(0.0, FLAT - m)
    if free >= T:
        return T
    rest, start = T - free, max(m, FLAT)
    e = math.exp(min(start, 700.0))
    share = rest / (1.0 + e)
    d = 2.0 * share / (1.0 + math.sqrt(1.0 + 2.0 * (e / (1.0 + e)) * share))  # by the first two terms of exp(d) - 1
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
    """With exp(-p) following the line du/ds = 1 - y u: -log(exp(p) (1 - exp(-yT))/y + exp(-yT))."""
    if y * T < 1e-300:
        return y * T - math.log1p(math.exp(p) * T)
    done = -math.expm1(-y * T)
    change = math.exp(p) * (done / y) - done
    if change > -0.5:
        return -math.log1p(change)
    left = math.exp(p) * (done / y) + math.exp(-y * T)
    return -math.log(left) if left > 0.0 else min(y * T, math.log(y) - p)
