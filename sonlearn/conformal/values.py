"""Intervals of values: the prediction, and to both sides a width that follows how large errors are for such rows.

Scores are |y - p| / s with a running scale s of the row. Six scales run side by side, each with a threshold of its own:

    0  the mean error so far (slowly forgotten)
    1  that of the last 64 rows or so
    2  that of rows with a prediction like this one's: means at `KNOTS` places between -4 and +4 standard deviations of
       the predictions, and the line between two of them
    3  (2) times the root of (errors of the last 8 rows, over those of the last 1,024)
    4  (2) times (errors of the last 64 rows, over those of the last 1,024)
    5  the geometric mean of the errors of the last 8 and of the last 1,024 rows

The interval is that of the scale whose intervals have had the least loss 2 w + (2/alpha) max(|y - p| - w, 0), w the
half-width (the interval score of Gneiting and Raftery, JASA 2007), lately; `tracker` then moves its end points in and
out, so that the coverage is kept whichever scale is chosen.

Once no labels come, nothing moves the end points, and errors grow as the model grows old. A model at rest has a state
of its own, of the errors of what it would predict (`Predicted.offline`), and its intervals are as wide as that stream
has ever needed: by scale 0 or 2, which wait for no errors, and the largest that its mean threshold has been.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sonlearn.conformal.tracker import BOUND, FEW, averaged, step_of, stepped
from sonlearn.jit import bare_inline, bare_jit

SCALES, KNOTS = 6, 65
#: Share of an old row's weight that goes with each row: of errors lately (8, 64, 1,024 rows), of losses.
RATES = (1.0 / 8.0, 1.0 / 64.0, 1.0 / 1024.0)
_FADING, _LOSS_RATE, _KNOT_RATE, _PRIOR = 1e-4, 1e-3, 2e-3, 4.0
#: How an interval is made: of a row whose label comes next; of one among many rows; by a model at rest.
FOLLOWED, STEADY, REST = range(3)
#: Losses as near to each other as this are the same: the first scale is taken.
TIED = 1e-9
#: Labels, predictions and errors beyond this count as this.
MOST = 1e100


class IntervalsState(NamedTuple):
    """What has been learned of errors."""

    now: np.ndarray  # rows; theta (of all); total, weight: faded sums of errors, and of ones; mean, m2: of predictions
    lately: np.ndarray  # float64[3], means of errors at the three rates, biased towards 0 at first
    knots: np.ndarray  # float64[KNOTS, 2], sums of errors and weights
    thetas: np.ndarray  # float64[SCALES]
    losses: np.ndarray  # float64[SCALES]
    steady: np.ndarray  # float64[SCALES], means lately of each scale's theta and that of all
    worst: np.ndarray  # float64[SCALES], the largest that `steady` has been after the first `FEW` rows


class BothStates(NamedTuple):
    """What has been learned of the errors of what is predicted while labels come, and of a model at rest."""

    online: IntervalsState
    rest: IntervalsState


def new() -> BothStates:
    """State that has seen nothing."""
    return BothStates(_new(), _new())


def _new() -> IntervalsState:
    now = np.zeros(1, [("rows", "i8"), *((name, "f8") for name in ("theta", "total", "weight", "mean", "m2"))])
    return IntervalsState(now, np.zeros(3), np.zeros((KNOTS, 2)), *np.zeros((4, SCALES)))


@bare_jit
def intervals(state, p, y, counted, alpha, how, s, low, high):
    """Fill in the interval of each row before its label is used; the rows counted are learned from.

    Where no row is counted, thresholds stay.

    Parameters
    ----------
    state : IntervalsState, modified
    p, y : float64[n], predictions and labels
    counted : bool[n]
    alpha : float, 1 less the coverage
    how : `FOLLOWED`, `STEADY` or `REST`
    s : float64[SCALES], scratch
    low, high : float64[n], written; -inf and inf where nothing is known yet
    """
    for i in range(len(p)):
        center = min(max(p[i], -MOST), MOST)
        scales_of(state, center, s)
        width = half_width(state, s, how)
        low[i], high[i] = p[i] - width, p[i] + width
        if counted[i]:
            e = min(abs(min(max(y[i], -MOST), MOST) - center), MOST)
            learn(state, s, center, e, not low[i] <= y[i] <= high[i], alpha)


@bare_inline
def half_width(state, s, how):
    """Half the length of the interval, with the scales s of the row; how : `FOLLOWED`, `STEADY` or `REST`."""
    now, best = state.now[0], 0
    if now["rows"] == 0 or (now["theta"] >= BOUND and how == FOLLOWED):
        return math.inf
    for k in range(1, SCALES):
        if state.losses[k] < (1.0 - TIED) * state.losses[best] and (how != REST or k == 2):
            best = k
    theta = state.thetas[best] + now["theta"]
    if how != FOLLOWED:
        theta = state.worst[best] if how == REST else state.steady[best]
    return math.exp(min(math.log(s[best]) + theta, 600.0))


@bare_inline
def knot_of(state, center):
    """Where a prediction stands between the knots, from 0 to KNOTS - 1."""
    now = state.now[0]
    z = 0.0
    if now["rows"] > 1 and now["m2"] > 0.0:
        z = (center - now["mean"]) / math.sqrt(now["m2"] / now["rows"])
    return min(max(8.0 * z + 32.0, 0.0), KNOTS - 1.001)


@bare_inline
def scales_of(state, center, s):
    """s <- the six scales of a row with this prediction."""
    now, t = state.now[0], state.now[0]["rows"]
    every = now["total"] / now["weight"] if t > 0 else 1.0
    least = 1e-3 * every + 1e-100
    short, middle, long = every, every, every
    if t > 0:
        short = state.lately[0] / weight_of_rows(t, RATES[0]) + least
        middle = state.lately[1] / weight_of_rows(t, RATES[1]) + least
        long = state.lately[2] / weight_of_rows(t, RATES[2]) + least
    x = knot_of(state, center)
    j = int(x)
    share, alike = x - j, 0.0
    for d in range(2):
        mean = (state.knots[j + d, 0] + _PRIOR * long) / (state.knots[j + d, 1] + _PRIOR)
        alike += mean * (share if d == 1 else 1.0 - share)
    s[0], s[1], s[2] = every + 1e-100, middle, alike + least
    s[3] = s[2] * math.sqrt(short / long)
    s[4] = s[2] * (middle / long)
    s[5] = math.sqrt(short * long)


@bare_inline
def weight_of_rows(t, rate):
    """What the weights of t rows sum up to in a mean that forgets at this rate: 1 - (1 - rate)^t."""
    return 1.0 if t * rate > 40.0 else -math.expm1(t * math.log1p(-rate))


@bare_inline
def learn(state, s, center, e, missed, alpha):
    """Learn the error e >= 0 of a row with the prediction `center`, whose interval has missed the label or not."""
    now, t = state.now[0], state.now[0]["rows"]
    rate, h = max(_LOSS_RATE, 1.0 / (t + 1.0)), step_of(t)
    for k in range(SCALES):
        w = s[k] * math.exp(state.thetas[k])
        loss = (2.0 * w + 2.0 / alpha * max(e - w, 0.0)) / s[0]
        state.losses[k] += rate * (min(loss, MOST) - state.losses[k])
        state.thetas[k] = min(stepped(state.thetas[k], e > w, h, alpha), BOUND)
    now["theta"] = stepped(now["theta"], missed, h, alpha) if t > 0 else 0.0
    for k in range(SCALES):
        state.steady[k] = averaged(state.steady[k], state.thetas[k] + now["theta"], t)
        state.worst[k] = max(state.worst[k], state.steady[k]) if t > FEW else state.steady[k]
    x = knot_of(state, center)
    j = int(x)
    for d in range(2):
        share = x - j if d == 1 else 1.0 - (x - j)
        for c in range(2):
            state.knots[j + d, c] += share * ((e if c == 0 else 1.0) - _KNOT_RATE * state.knots[j + d, c])
    for k in range(3):
        state.lately[k] += RATES[k] * (e - state.lately[k])
    now["total"] += e - _FADING * now["total"]
    now["weight"] += 1.0 - _FADING * now["weight"]
    now["rows"] = t + 1
    d = center - now["mean"]
    now["mean"] += d / (t + 1.0)
    now["m2"] += d * (center - now["mean"])
