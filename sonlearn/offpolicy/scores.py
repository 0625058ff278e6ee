"""Unbiased terms of a decision, and a control that leaves them bounded below.

A log's policy chose action a with probability p_a at the cost s in [0, 1]. For another policy pi let Delta = pi, and
for the difference of two Delta = pi_1 - pi_2. With any q that was fixed before a was drawn

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
    """float64[n]: D of each decision; delta, q : float64[candidates]."""
    weight = delta[drawn.at] / drawn.probability
    return weight * (drawn.cost - q[drawn.at]) + sum_by_decision(drawn, delta * q)


def sum_by_decision(drawn: Drawn, of: np.ndarray) -> np.ndarray:
    """float64[n]: sums of float64[candidates] over each decision's."""
    return np.add.reduceat(of, drawn.first[:-1]) if len(drawn.at) else np.zeros(0)


def edge(delta: np.ndarray) -> np.ndarray:
    """q that leaves D bounded whatever the probabilities are."""
    return (delta < 0.0).astype(np.float64)


def reach(drawn: Drawn, delta: np.ndarray, q: np.ndarray) -> np.ndarray:
    """float64[n]: the least k that leaves q of each decision as it is; candidates of which nothing is known apart."""
    distance = np.abs(q - edge(delta)) * np.abs(delta)
    known = drawn.least > 0.0
    needed = np.where(known, distance / np.where(known, drawn.least, 1.0), 0.0)
    return np.maximum.reduceat(needed, drawn.first[:-1]) if len(drawn.at) else np.zeros(0)


def cut(drawn: Drawn, delta: np.ndarray, q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """float64[candidates]: q as far from its edge as k (float64[n], of each decision) allows."""
    of = np.repeat(k, np.diff(drawn.first))
    size = np.abs(delta)
    most = np.where(size > 0.0, of * drawn.least / np.where(size > 0.0, size, 1.0), 1.0)
    return np.where(delta < 0.0, np.maximum(q, 1.0 - most), np.minimum(q, most))
