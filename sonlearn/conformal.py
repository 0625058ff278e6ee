"""Sets and intervals that hold the label as often as was asked, on any stream: a layer beside a learner.

What is predicted goes in, and the label after that; the learner is not touched, so every method has it.
docs/coverage.md has the promise, and what was measured. `Coverage` has both, with what is saved.

**Threshold.** It keeps the coverage by online quantile tracking on a logarithmic scale.

Rows have scores s_t, larger where the label is further from what was predicted; the label is covered where s_t <= q_t.
With v_t = ln s_t (of values), or the logit of s_t (of classes), and theta_t the threshold on that scale,

    theta_(t+1) = theta_t + h_t ([v_t > theta_t] - alpha),    h_t = max(STEP, t^-0.6)

which is adaptive conformal inference (Gibbs and Candes 2021) as Angelopoulos, Barber and Bates (2024) have it, with
steps that fall at first and then stay. Departures: the logarithm makes a step the same whatever the scale of the
scores, so nothing has to be tuned; steps stay at `STEP`, for a stream that changes has no last threshold. Where theta
>= BOUND everything is covered. So the sum of h_t ([missed] - alpha) is at most 2 BOUND + h whatever an adversary does,
and of T rows with h_t = STEP the share of those missed is at most

    alpha + (2 BOUND + STEP) / (STEP T).

What STEP keeps on real streams is in docs/coverage.md: a larger one keeps the coverage of short windows better, and the
thresholds tremble more.

**Values.** Intervals are the prediction, and to both sides a width that follows how large errors are for such rows.

Scores are |y - p| / s with a running scale s of the row. Six scales run side by side, each with a threshold of its own:

    0  the mean error so far (slowly forgotten)
    1  that of the last 64 rows or so
    2  that of rows with a prediction like this one's: means at `KNOTS` places between -4 and +4 standard deviations of
       the predictions, and the line between two of them
    3  (2) times the root of (errors of the last 8 rows, over those of the last 1,024)
    4  (2) times (errors of the last 64 rows, over those of the last 1,024)
    5  the geometric mean of the errors of the last 8 and of the last 1,024 rows

The interval is that of the scale whose intervals have had the least loss 2 w + (2/alpha) max(|y - p| - w, 0), w the
half-width (the interval score of Gneiting and Raftery, JASA 2007), lately; the threshold then moves its end points in
and out, so that the coverage is kept whichever scale is chosen.

Once no labels come, nothing moves the end points, and errors grow as the model grows old. A model at rest has a state
of its own, of the errors of what it would predict (`Predicted.offline`), and intervals of scale 0 or 2, which wait for
no errors. Where the last labels tell of the next, the stream drifts, and what was learned of it grows old the sooner.
What tells is r = 1 - E_online / E_rest, E the mean errors so far: the share of its error that labels would take from a
model at rest. From r = 0 to `DRIFTING` its threshold goes from its mean lately to the largest that this mean has been,
so that intervals are as wide as that stream has ever needed, and half-widths are multiplied by 1 + r. On rows in no
order r is 0. Of a learner that predicts no otherwise at rest nothing tells: it has the largest. Where copies at rest
have predicted rows further ahead (`learn.ensemble.resting`) with a mean error E_ahead, half-widths are multiplied by
the root of E_ahead / E_rest, if this is more: how far ahead the next rows are nobody knows.

**Classes.** Sets are adaptive prediction sets (Romano, Sesia and Candes, NeurIPS 2020) with a tracked threshold.

The score of class k in a row is the probability of all classes that are likelier, and a share u of its own,

    s_k = sum of p_j over p_j > p_k  +  u p_k,    u in [0, 1),

and the set holds the classes with s_k <= q. If the probabilities are right, s of the row's class is uniform, and q is
the coverage. Drawing u makes the coverage exact, also where a single class nearly always has more than the coverage
asked: then some sets are empty, which says that the row is among those whose likeliest class is least likely. u is no
random number but a hash of the row's probabilities and of how many rows were learned, so the same row gives the same
set.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.mixing import split_mix
from sonlearn.files import storage
from sonlearn.jit import inline, jit

STEP, BOUND, POWER = 0.07, 12.0, 0.6
#: Rows after which steps are surely `STEP`.
WARM_UP_ROWS = 1000
#: Rows, about, that the mean of theta is over which holds for rows without labels to come.
MEAN_ROWS = 256


@inline
def step_of(t):
    """h_t of the row after t others."""
    return STEP if t > WARM_UP_ROWS else max(STEP, (t + 1.0) ** -POWER)


@inline
def stepped(theta, missed, h, alpha):
    """theta after a step h for a row that was missed or not."""
    if missed:
        return min(theta + h * (1.0 - alpha), BOUND + h)
    return max(theta - h * alpha, -BOUND)


@inline
def averaged(mean, theta, t):
    """The mean of theta lately, of t rows before and this one."""
    return mean + max(1.0 / MEAN_ROWS, 1.0 / (t + 1.0)) * (theta - mean)


@jit
def track(now, v, counted, alpha, thetas):
    """Fill in the threshold of each row before its label is used; the rows counted move it.

    Steps that stay let the threshold tremble about the right one. That keeps the coverage of rows whose labels come;
    for rows to come without labels `steady`, its mean lately, is nearer to the right one.

    Parameters
    ----------
    now : structured [1] with `rows`, `theta` and `steady`, modified
    v : float64[n]
        Scores on the logarithmic scale, up to BOUND; inf of what nothing can cover. Of rows not counted anything.
    counted : bool[n]
    alpha : float
    thetas : float64[n], written
    """
    for i in range(len(v)):
        thetas[i] = now[0]["theta"]
        if counted[i]:
            missed = v[i] > thetas[i]
            now[0]["theta"] = stepped(thetas[i], missed, step_of(now[0]["rows"]), alpha)
            now[0]["steady"] = averaged(now[0]["steady"], now[0]["theta"], now[0]["rows"])
            now[0]["rows"] += 1


# -------------------------------------------------------------------------------------------------- intervals of values


SCALES, KNOTS = 6, 65
#: Share of an old row's weight that goes with each row: of errors lately (8, 64, 1,024 rows), of losses.
RATES = (1.0 / 8.0, 1.0 / 64.0, 1.0 / 1024.0)
_FADING, _LOSS_RATE, _KNOT_RATE, _PRIOR = 1e-4, 1e-3, 2e-3, 4.0
#: Share of the error at rest that labels take away, from which on thresholds at rest are the largest there have been.
DRIFTING = 0.05
#: How an interval is made: of a row whose label comes next; of one among many rows; by a model at rest.
FOLLOWED, STEADY, REST = range(3)
#: Losses as near to each other as this are the same: the first scale is taken.
TIE_TOLERANCE = 1e-9
#: Labels, predictions and errors beyond this count as this.
MAX_VALUE = 1e100


class IntervalsState(NamedTuple):
    """What has been learned of errors."""

    now: np.ndarray  # rows; theta (of all); total, weight: faded sums of errors, and of ones; mean, m2: of predictions
    lately: np.ndarray  # float64[3], means of errors at the three rates, biased towards 0 at first
    knots: np.ndarray  # float64[KNOTS, 2], sums of errors and weights
    thetas: np.ndarray  # float64[SCALES]
    losses: np.ndarray  # float64[SCALES]
    steady: np.ndarray  # float64[SCALES], means lately of each scale's theta and that of all
    worst: np.ndarray  # float64[SCALES], the largest that `steady` has been after the first `WARM_UP_ROWS` rows


class BothStates(NamedTuple):
    """What has been learned of the errors of what is predicted while labels come, and of a model at rest."""

    online: IntervalsState
    rest: IntervalsState


def new_intervals() -> IntervalsState:
    """State that has seen nothing."""
    now = np.zeros(1, [("rows", "i8"), *((name, "f8") for name in ("theta", "total", "weight", "mean", "m2"))])
    return IntervalsState(now, np.zeros(3), np.zeros((KNOTS, 2)), *np.zeros((4, SCALES)))


@jit
def intervals(state, p, y, counted, alpha, how, wider, worst_share, s, low, high):
    """Fill in the interval of each row before its label is used; the rows counted are learned from.

    Where no row is counted, thresholds stay.

    Parameters
    ----------
    state : IntervalsState, modified
    p, y : float64[n], predictions and labels
    counted : bool[n]
    alpha : float, 1 less the coverage
    how : `FOLLOWED`, `STEADY` or `REST`
    wider : float
        How many times as wide intervals are.
    worst_share : float
        Where the threshold lies from its mean lately, 0, to the largest that this has been, 1; unless `FOLLOWED`.
    s : float64[SCALES], scratch
    low, high : float64[n], written; -inf and inf where nothing is known yet
    """
    for i in range(len(p)):
        center = min(max(p[i], -MAX_VALUE), MAX_VALUE)
        scales_of(state, center, s)
        width = wider * half_width(state, s, how, worst_share)
        low[i], high[i] = p[i] - width, p[i] + width
        if counted[i]:
            e = min(abs(min(max(y[i], -MAX_VALUE), MAX_VALUE) - center), MAX_VALUE)
            learn_error(state, s, center, e, not low[i] <= y[i] <= high[i], alpha)


@inline
def half_width(state, s, how, worst_share):
    """Half the length of the interval, with the scales s of the row; how and worst_share as for `intervals`."""
    now, best = state.now[0], 0
    if now["rows"] == 0 or (now["theta"] >= BOUND and how == FOLLOWED):
        return math.inf
    for k in range(1, SCALES):
        if state.losses[k] < (1.0 - TIE_TOLERANCE) * state.losses[best] and (how != REST or k == 2):
            best = k
    theta = state.thetas[best] + now["theta"]
    if how != FOLLOWED:
        theta = state.steady[best] + worst_share * (state.worst[best] - state.steady[best])
    return math.exp(min(math.log(s[best]) + theta, 600.0))


@inline
def knot_of(state, center):
    """Return where a prediction stands between the knots, from 0 to KNOTS - 1; one that is NaN at 0."""
    now = state.now[0]
    z = 0.0
    if now["rows"] > 1 and now["m2"] > 0.0:
        z = (center - now["mean"]) / math.sqrt(now["m2"] / now["rows"])
    at = 8.0 * z + 32.0
    return min(at, KNOTS - 1.001) if at > 0.0 else 0.0


@inline
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


@inline
def weight_of_rows(t, rate):
    """Return what the weights of t rows sum up to in a mean that forgets at this rate: 1 - (1 - rate)^t."""
    return 1.0 if t * rate > 40.0 else -math.expm1(t * math.log1p(-rate))


@inline
def learn_error(state, s, center, e, missed, alpha):
    """Learn the error e >= 0 of a row with the prediction `center`, whose interval has missed the label or not."""
    now, t = state.now[0], state.now[0]["rows"]
    rate, h = max(_LOSS_RATE, 1.0 / (t + 1.0)), step_of(t)
    for k in range(SCALES):
        w = s[k] * math.exp(state.thetas[k])
        loss = (2.0 * w + 2.0 / alpha * max(e - w, 0.0)) / s[0]
        state.losses[k] += rate * (min(loss, MAX_VALUE) - state.losses[k])
        state.thetas[k] = min(stepped(state.thetas[k], e > w, h, alpha), BOUND)
    now["theta"] = stepped(now["theta"], missed, h, alpha) if t > 0 else 0.0
    for k in range(SCALES):
        state.steady[k] = averaged(state.steady[k], state.thetas[k] + now["theta"], t)
        state.worst[k] = max(state.worst[k], state.steady[k]) if t > WARM_UP_ROWS else state.steady[k]
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


# ------------------------------------------------------------------------------------------------------ sets of classes


class SetsState(NamedTuple):
    """What has been learned."""

    now: np.ndarray  # rows; theta; steady: its mean lately


def new_sets(alpha: float) -> SetsState:
    """State that has seen nothing: its threshold is that of probabilities that are right."""
    theta = math.log1p(-alpha) - math.log(alpha)
    return SetsState(np.array([(0, theta, theta)], [("rows", "i8"), ("theta", "f8"), ("steady", "f8")]))


def scores(p: np.ndarray, u: np.ndarray) -> np.ndarray:
    """float64[n, K]: s_k of every class; 1 of one without probability, so that it comes last."""
    if p.shape[1] == 2:
        above = np.where(p[:, ::-1] > p, p[:, ::-1], 0.0)
    else:
        order = np.argsort(-p, axis=1, kind="stable")
        ranked = np.take_along_axis(p, order, axis=1)
        total = np.cumsum(ranked, axis=1)
        before = total - ranked
        tied = np.zeros(p.shape, dtype=bool)
        tied[:, 1:] = ranked[:, 1:] == ranked[:, :-1]  # classes as likely as each other have the same before them
        start = np.maximum.accumulate(np.where(tied, 0, np.arange(p.shape[1])), axis=1)
        above = np.empty_like(p)
        np.put_along_axis(above, order, np.take_along_axis(before, start, axis=1), axis=1)
    return np.where(p > 0, np.minimum(above + u[:, None] * p, 1.0), 1.0)


def logits(s: np.ndarray) -> np.ndarray:
    """ln(s/(1 - s)) within [-BOUND, BOUND]."""
    s = np.clip(s, 1e-12, 1.0 - 1e-12)
    return np.clip(np.log(s) - np.log1p(-s), -BOUND, BOUND)


def tie_breakers(p: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """u of each row, float64[n] in [0, 1): SplitMix64 of its largest probability and of `rows`, int64[n].

    The probability is rounded to 32 bits, because its last bits differ between processors.
    """
    x = np.rint(p.max(axis=1, initial=0.0) * 2.0**32).astype(np.uint64) + rows.astype(np.uint64)
    return (split_mix(x) >> np.uint64(11)).astype(np.float64) * 2.0**-53


# ----------------------------------------------------------------------------------------------------------------- both


class Coverage:
    """Keeps a coverage.

    Parameters
    ----------
    coverage : float
        Share of the labels that sets or intervals are to hold, within (0, 1).
    of_classes : bool
        Whether labels are classes, so that there are sets.
    both : bool
        Whether a model at rest predicts otherwise than one whose labels come.
    """

    def __init__(self, coverage: float, of_classes: bool, both: bool = True):
        self.alpha, self.of_classes, self._both = 1.0 - coverage, of_classes, both
        self.state: Any = new_sets(self.alpha) if of_classes else BothStates(new_intervals(), new_intervals())

    def intervals(
        self, p: np.ndarray, rest: np.ndarray, y: np.ndarray, counted: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(low, high), float64[n] each, of predictions p; the rows counted (bool[n]) are learned from.

        rest : float64[n], what the model at rest would predict
        """
        if self._both:
            self._filled(self.state.rest, rest, y, counted, FOLLOWED)
        return self._filled(self.state.online, p, y, counted, FOLLOWED)

    def steady_intervals(self, p: np.ndarray, rests: bool, ahead: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """(low, high), float64[n] each, of predictions of rows that are not learned; `rests`: nor are any others.

        ahead : float, mean |error| of rows ahead of the last label; 0: not known
        """
        state, wider, worst_share = self.state.online, 1.0, float(rests)
        if rests and self._both:
            state = self.state.rest
            online, rest = (float(each.now["total"][0]) for each in self.state)  # sums over the same rows
            taken = max(1.0 - online / rest, 0.0) if rest > 0.0 else 0.0
            aged = math.sqrt(ahead * state.now["weight"][0] / rest) if rest > 0.0 else 0.0
            wider, worst_share = max(1.0 + taken, aged), min(taken / DRIFTING, 1.0)
        return self._filled(state, p, p, np.zeros(len(p), dtype=bool), REST if rests else STEADY, wider, worst_share)

    def _filled(
        self,
        state: IntervalsState,
        p: np.ndarray,
        y: np.ndarray,
        counted: np.ndarray,
        how: int,
        wider: float = 1.0,
        worst_share: float = 0.0,
    ) -> tuple[np.ndarray, np.ndarray]:
        (low, high), s = np.empty((2, len(p))), np.empty(SCALES)
        p, y = np.ascontiguousarray(p), np.ascontiguousarray(y)
        intervals(state, p, y, counted, self.alpha, how, wider, worst_share, s, low, high)
        return low, high

    def sets(self, p: np.ndarray, number: np.ndarray, counted: np.ndarray | None) -> np.ndarray:
        """bool[n, K]: the set of each row, before its label is used; the rows counted are learned from.

        Parameters
        ----------
        p : float64[n, K], probabilities of the classes; 0 of one that had not been met
        number : int64[n]
            Columns of the rows' classes, -1 for one that has not been met: it is in no set.
        counted : bool[n], or None: no label comes, and sets are by the mean threshold lately
        """
        now, n, thetas = self.state.now, len(p), np.empty(len(p))
        learned = np.zeros(n, dtype=bool) if counted is None else counted
        v = logits(scores(p, tie_breakers(p, int(now["rows"][0]) + np.cumsum(learned) - learned)))
        if counted is None:
            return v <= now["steady"][0]
        own = np.full(n, np.inf)
        known = number >= 0
        own[known] = v[known, number[known]]
        track(now, own, counted, self.alpha, thetas)
        return v <= thetas[:, None]

    def arrays(self) -> dict[str, np.ndarray]:
        """The state."""
        return storage.flat(self.state, "coverage")

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Inverse of `arrays`; KeyError, TypeError or ValueError where it is none."""
        own = {name: np.array(array) for name, array in arrays.items() if name.startswith("coverage.")}
        self.state = storage.rebuilt(self.state, own, "coverage")
