"""Sets of classes: adaptive prediction sets (Romano, Sesia and Candes, NeurIPS 2020) with a tracked threshold.

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
from typing import NamedTuple

import numpy as np

from sonlearn.conformal.tracker import BOUND, track
from sonlearn.data.mixing import split_mix


class SetsState(NamedTuple):
    """What has been learned."""

    now: np.ndarray  # rows; theta; steady: its mean lately


def new(alpha: float) -> SetsState:
    """State that has seen nothing: its threshold is that of probabilities that are right."""
    theta = math.log1p(-alpha) - math.log(alpha)
    return SetsState(np.array([(0, theta, theta)], [("rows", "i8"), ("theta", "f8"), ("steady", "f8")]))


def steady_sets(state: SetsState, p: np.ndarray) -> np.ndarray:
    """bool[n, K]: sets of rows of which no label comes, by the mean threshold lately; p as for `sets`."""
    rows = np.full(len(p), int(state.now["rows"][0]))
    return logits(scores(p, tie_breakers(p, rows))) <= state.now["steady"][0]


def sets(state: SetsState, p: np.ndarray, number: np.ndarray, counted: np.ndarray, alpha: float) -> np.ndarray:
    """bool[n, K]: the set of each row, before its label is used; the rows counted are learned from.

    Parameters
    ----------
    state : SetsState, modified
    p : float64[n, K], probabilities of the classes; 0 of one that had not been met
    number : int64[n]
        Columns of the rows' classes, -1 for one that has not been met: it is in no set.
    counted : bool[n]
    alpha : float, 1 less the coverage
    """
    n, thetas = len(p), np.empty(len(p))
    before = int(state.now["rows"][0]) + np.cumsum(counted) - counted
    v = logits(scores(p, tie_breakers(p, before)))
    own = np.full(n, np.inf)
    known = number >= 0
    own[known] = v[known, number[known]]
    track(state.now, own, counted, alpha, thetas)
    return v <= thetas[:, None]


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
