"""Estimates of one policy's value, or of the difference of two, each with an interval that holds at any time.

They are of unbiased terms of a decision, with a control that leaves them bounded below. A log's policy chose action a
with probability p_a at the cost s in [0, 1]. For another policy pi let Delta = pi, and for the difference of two
Delta = pi_1 - pi_2. With any q that was fixed before a was drawn

    D = (Delta_a/p_a) (s - q_a) + sum_b Delta_b q_b

has the mean sum_b Delta_b s_b. q_b in the middle of the costs makes D vary little; but then D has no lower bound
that is known, and a lower confidence bound of its mean needs one. It is there for q_b = 0 where Delta_b >= 0, and 1
elsewhere. Between both: q_b as near to the wish as |Delta_b/p_b| q_b <= k allows (of negative Delta_b
|Delta_b/p_b| (1 - q_b) <= k), with k from the past; then D >= -k, and >= -k - 1 of a difference. The probability p_b of
actions that were not chosen need not be known: a lower bound of it will do. Where nothing is known, it is 0.

IPS has q = 0, the self-normalised estimate to first order a constant q, the doubly robust one a model's expected costs
(Dudik, Langford, Li 2011). The cut of q is that of Waudby-Smith et al. (2022, section 3.1), but made for all actions
before one is drawn.

**The lower bound** (`LowerSequence`) is of a mean, holds at all times, and needs constant memory.

Let X_i >= -k_i, with k_i known before X_i, have conditional means v_i. For kappa > 0

    prod_i (1 + kappa (X_i + k_i)) / (1 + kappa (v_i + k_i))

is a martingale that begins with 1, and so is a mixture of these over kappa; it exceeds 1/alpha at any time with a
probability of alpha at most (Ville). What is asked for is v, the mean of v_1..v_t: the v_i may differ, so the
denominator has to be the greatest that there can be. Its logarithm is concave: where all k_i are equal it is
(1 + kappa (v + k))^t, else v_i + k_i has to be as even as v_i within [low, high] allow (`even_means`). The bound is the
least v for which the mixture is below 1/alpha. Of the past only sum_i log(1 + kappa (X_i + k_i)) counts, whatever v:
one number for each kappa; and how often k_i was of which size.

It is the betting sequence of Waudby-Smith, Wu, Ramdas, Karampatziakis, Mineiro (Anytime-valid off-policy inference for
contextual bandits, 2022, section 2) with the bet lambda written as kappa/(1 + kappa (v + k)), and in the place of bets
that follow the past a mixture over fixed ones (as Karampatziakis, Mineiro, Ramdas, Off-policy confidence sequences,
2021), which needs no past and loses less.

A mixture has to divide its weight: over all numbers of rows and all variances, or, where it was said beforehand after
how many rows the bound is wanted (`prior`), over few. No bound of s_t c/sqrt(t) that holds with 97.5 % at all times can
have c = 1.5 * 1.96 over more than a factor of 20 of t s^2: a Brownian motion crosses c sqrt(t) at a rate of
c phi(c)/2 for each unit of log t.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from sonlearn.data.arrays import running_sum

ESTIMATORS = ("ips", "snips", "dr")
#: Weights of the alternatives of each estimator: no control, the control cut. For IPS the control is the other edge.
SHARES = {"ips": (0.5, 0.5), "snips": (0.2, 0.8), "dr": (0.2, 0.8)}


class Value:
    """Estimates of the mean cost of a policy, costs in [0, 1], or of what one costs more than another.

    Parameters
    ----------
    bounded : bool
        Whether lower bounds of the log's probabilities are known (`Drawn.least`); else controls are of no use to
        intervals, which then are the same for all estimators.
    against : str
        ``""``: one policy. ``log``: the cost beyond that of the log itself. Else: beyond that of a second policy.
    horizon : int or None
        After about as many decisions intervals are to be narrowest.

    Attributes
    ----------
    total : float
        Of the terms of the doubly robust estimate, which is their mean.
    """

    def __init__(self, bounded: bool, against: str = "", horizon: int | None = None):
        self._against, self._bounded = against, bounded
        shares = {name: SHARES[name] if bounded else (1.0,) for name in ESTIMATORS}
        self._low, self._high = (-1.0, 1.0) if against else (0.0, 1.0)
        self._sequences = {
            name: tuple(LowerSequence(self._low, self._high, shares[name], horizon) for _ in range(2))
            for name in ESTIMATORS
        }
        self._reach = {name: np.ones(2) for name in ESTIMATORS}
        self.total = 0.0

    def add(self, drawn: Drawn, delta: np.ndarray, expected: np.ndarray, baseline: np.ndarray) -> None:
        """Add decisions.

        Parameters
        ----------
        drawn : Drawn
            One decision at least.
        delta : float64[candidates]
            Probabilities, or differences of two policies'.
        expected : float64[candidates]
            Expected costs in [0, 1], of a model that has not learned from these decisions.
        baseline : float64[n]
            A mean cost in [0, 1], known before each decision.
        """
        level = np.repeat(baseline, np.diff(drawn.first))
        controls = {"ips": None, "snips": level, "dr": expected}
        own = drawn.cost if self._against == "log" else np.zeros(len(drawn.at))
        self.total = running_sum(self.total, decision_terms(drawn, delta, expected) - own)
        for name, control in controls.items():
            self._bet(name, 0, drawn, delta, control, own)
            mirrored = None if control is None else 1.0 - control
            self._bet(name, 1, drawn.mirrored(), delta, mirrored, 1.0 - drawn.cost if self._against == "log" else own)

    def _bet(
        self, name: str, bound: int, drawn: Drawn, delta: np.ndarray, control: np.ndarray | None, own: np.ndarray
    ) -> None:
        """Add to the lower bound (bound 0), or with mirrored costs to that of the mirrored mean (bound 1)."""
        least = 1.0 if self._against else 0.0
        edges = edge(delta)
        values, shifts = [decision_terms(drawn, delta, edges) - own], [np.full(len(drawn.at), least)]
        if self._bounded:
            wish = 1.0 - edges if control is None else control
            needed = np.concatenate(([self._reach[name][bound]], reach(drawn, delta, wish)))
            k = np.maximum.accumulate(needed)
            self._reach[name][bound] = k[-1]
            values.append(decision_terms(drawn, delta, cut(drawn, delta, wish, k[:-1])) - own)
            shifts.append(k[:-1] + least)
        self._sequences[name][bound].add(np.column_stack(values), np.column_stack(shifts))

    def interval(self, name: str, alpha: float) -> tuple[float, float]:
        """The interval of an estimator, one of `ESTIMATORS`, that is ever wrong with a chance of alpha at most."""
        below, above = self._sequences[name]
        return below.bound(alpha / 2), self._high + self._low - above.bound(alpha / 2)


# --------------------------------------------------------------------------------------------------- terms of decisions


class Drawn(NamedTuple):
    """n decisions of a log, with a cost and a probability each.

    Attributes
    ----------
    first : int64[n + 1]
        Decision i has the candidates ``first[i]:first[i + 1]``.
    at : int64[n]
        The candidate that was chosen, counted from the first of all.
    cost : float64[n]
        In [0, 1].
    probability : float64[n]
        With which it was chosen.
    least : float64[candidates]
        A lower bound of the log's probability of each; 0: nothing is known.
    """

    first: np.ndarray
    at: np.ndarray
    cost: np.ndarray
    probability: np.ndarray
    least: np.ndarray

    def mirrored(self) -> Drawn:
        """The same with 1 - cost in the place of the cost."""
        return self._replace(cost=1.0 - self.cost)


def decision_terms(drawn: Drawn, delta: np.ndarray, q: np.ndarray) -> np.ndarray:
    """float64[n]: D of each decision, of one at least; delta, q : float64[candidates]."""
    weight = delta[drawn.at] / drawn.probability
    return weight * (drawn.cost - q[drawn.at]) + np.add.reduceat(delta * q, drawn.first[:-1])


def edge(delta: np.ndarray) -> np.ndarray:
    """q that leaves D bounded whatever the probabilities are."""
    return (delta < 0.0).astype(np.float64)


def reach(drawn: Drawn, delta: np.ndarray, q: np.ndarray) -> np.ndarray:
    """float64[n]: the least k that leaves q of each decision as it is; candidates of which nothing is known apart."""
    distance = np.abs(q - edge(delta)) * np.abs(delta)
    known = drawn.least > 0.0
    needed = np.where(known, distance / np.where(known, drawn.least, 1.0), 0.0)
    return np.maximum.reduceat(needed, drawn.first[:-1])


def cut(drawn: Drawn, delta: np.ndarray, q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """float64[candidates]: q as far from its edge as k (float64[n], of each decision) allows."""
    of = np.repeat(k, np.diff(drawn.first))
    size = np.abs(delta)
    most = np.where(size > 0.0, of * drawn.least / np.where(size > 0.0, size, 1.0), 1.0)
    return np.where(delta < 0.0, np.maximum(q, 1.0 - most), np.minimum(q, most))


# ------------------------------------------------------------------------------------------- a lower bound at all times


#: The bets of the mixture. The best one after t rows of variance s^2 is about 3/(s sqrt(t)).
KAPPA = 2.0 ** (np.arange(-36, 13) / 2.0)
_LEAST, _MOST = 1e-4, 2.0
#: After as many rows as were expected the best bet is within these over the root of their number, if the rows are of 0
#: and 1 (s from .27 to .5).
_BEST = 6.0, 11.0
#: How near a bound is to the root.
_NEAR = 1e-12
#: Rows are counted by the power of two that their shift is in: from 2^-16 on.
_LEVELS, _LOWEST = 64, -16


def prior(horizon: int | None = None) -> np.ndarray:
    """Weight of each bet, by its logarithm.

    Without a `horizon` it is even within [1e-4, 2] and falls with the square of the distance beyond. With one it is
    even within `_BEST` over its root, and falls with the third power below, for rows of more variance or more of them,
    and with the sixth above.
    """
    u = np.log(KAPPA)
    low, high = (_LEAST, _MOST) if horizon is None else tuple(one / math.sqrt(horizon) for one in _BEST)
    powers = (2, 2) if horizon is None else (3, 6)
    below, above = np.maximum(math.log(low) - u, 0.0), np.maximum(u - math.log(high), 0.0)
    weight = 1.0 / ((1.0 + below) ** powers[0] * (1.0 + above) ** powers[1])
    return weight / weight.sum()


class LowerSequence:
    """Lower bounds of the running mean of variables of which only a lower bound is known.

    Parameters
    ----------
    low, high : float
        Each variable has a mean within these.
    shares : sequence of float
        Weights, of sum 1, of alternatives: variables of the same mean, of which different lower bounds are known.
    horizon : int or None
        After about as many rows the bound is to be nearest; it holds at all times, whatever is said here beforehand.
    """

    def __init__(
        self, low: float = 0.0, high: float = 1.0, shares: tuple[float, ...] = (1.0,), horizon: int | None = None
    ):
        self.low, self.high = low, high
        self._sums = np.zeros((len(shares), len(KAPPA)))
        self._counts = np.zeros((len(shares), _LEVELS))
        self._shifts = np.zeros((len(shares), _LEVELS))
        self._log_prior = np.log(np.array(shares))[:, None] + np.log(prior(horizon))

    def add(self, values: np.ndarray, shifts: np.ndarray) -> None:
        """Add rows.

        Parameters
        ----------
        values : float64[n, alternatives]
        shifts : float64[n, alternatives]
            ``values >= -shifts``; a row's shifts were known before its values.
        """
        terms = np.empty((len(values) + 1, *self._sums.shape))
        terms[0] = self._sums
        np.multiply((values + shifts)[:, :, None], KAPPA, out=terms[1:])
        np.log1p(terms[1:], out=terms[1:])
        self._sums = np.cumsum(terms, axis=0)[-1]  # row by row, so that where a batch ends changes no bit
        at = np.broadcast_to(np.arange(values.shape[1]), shifts.shape), level_of(shifts)
        np.add.at(self._counts, at, 1.0)
        np.add.at(self._shifts, at, shifts)

    def log_wealth(self, v: float) -> float:
        """Logarithm of the mixture, if the mean is `v`: above log(1/alpha) it is refused."""
        logs = self._log_prior + self._sums
        for log, counts, shifts in zip(logs, self._counts, self._shifts, strict=True):
            used = counts > 0.0
            n, k = counts[used], shifts[used] / counts[used]
            log -= np.log1p(KAPPA[:, None] * (even_means(v, n, k, self.low, self.high) + k)) @ n
        top = float(logs.max())
        return top + math.log(float(np.exp(logs - top).sum()))

    def bound(self, alpha: float) -> float:
        """The lower bound of the mean: ever wrong with a chance of alpha at most."""
        limit = math.log(1.0 / alpha)
        if self.log_wealth(self.low) < limit:
            return self.low
        if self.log_wealth(self.high) >= limit:
            return self.high
        return float(brentq(lambda v: self.log_wealth(v) - limit, self.low, self.high, xtol=_NEAR))


def level_of(shifts: np.ndarray) -> np.ndarray:
    """Return which power of two each shift is in; int64 of the same shape."""
    exponent = np.frexp(shifts)[1].astype(np.int64) - _LOWEST
    return np.where(shifts > 0.0, np.clip(exponent, 1, _LEVELS - 1), 0)


def even_means(v: float, n: np.ndarray, k: np.ndarray, low: float, high: float) -> np.ndarray:
    """Means of groups of n rows, within [low, high] and v in all, for which these means + k are as even as they can be.

    n, k : float64[groups]. Of these sum n log(1 + kappa (v + k)) is the greatest, whatever kappa.
    """
    if len(n) < 2:
        return np.full(len(n), v)
    level = np.sort(np.concatenate((k + low, k + high)))
    total = (n * np.clip(level[:, None] - k, low, high)).sum(axis=1)
    return np.clip(np.interp(v * n.sum(), total, level) - k, low, high)
