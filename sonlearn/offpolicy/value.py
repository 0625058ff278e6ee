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
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.data.arrays import running_sum
from sonlearn.offpolicy.sequence import LowerSequence

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
        self._total = 0.0  # of the terms of the doubly robust estimate
        self.count = 0

    def add(self, drawn: Drawn, delta: np.ndarray, expected: np.ndarray, baseline: np.ndarray) -> None:
        """Add decisions.

        Parameters
        ----------
        drawn : Drawn
        delta : float64[candidates]
            Probabilities, or differences of two policies'.
        expected : float64[candidates]
            Expected costs in [0, 1], of a model that has not learned from these decisions.
        baseline : float64[n]
            A mean cost in [0, 1], known before each decision.
        """
        if not len(drawn.at):
            return
        level = np.repeat(baseline, np.diff(drawn.first))
        controls = {"ips": None, "snips": level, "dr": expected}
        own = drawn.cost if self._against == "log" else np.zeros(len(drawn.at))
        self._total = running_sum(self._total, decision_terms(drawn, delta, expected) - own)
        for name, control in controls.items():
            self._bet(name, 0, drawn, delta, control, own)
            mirrored = None if control is None else 1.0 - control
            self._bet(name, 1, drawn.mirrored(), delta, mirrored, 1.0 - drawn.cost if self._against == "log" else own)
        self.count += len(drawn.at)

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

    @property
    def doubly_robust(self) -> float:
        """The doubly robust estimate; those of the others are ratios of sums that `evaluation` has."""
        return self._total / self.count if self.count else float("nan")

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
