"""Estimates of one policy's value, or of the difference of two, each with an interval that holds at any time."""

from __future__ import annotations

import numpy as np

from sonlearn.data.arrays import running_sum
from sonlearn.offpolicy.scores import Drawn, cut, decision_terms, edge, reach
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
