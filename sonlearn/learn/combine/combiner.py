"""The combiner: a full online Newton step over the predictions of the members.

``min_w sum_t h_t l(w'v_t, y_t) + |L_0 (w - w_0)|^2 / 2`` online, v_t the k members' predictions of row t: FULL-ON of
[SON] equation 1-2 with d = k and the curvature of the loss in place of squared gradients,

    A <- A + h c_t v v',    w <- w - h l'(w'v, y) A^-1 v,    c_t = p (1 - p) for logistic loss, at least FLOOR; 2 for
                                                             squared; else 1.

Members learn at different speeds and streams drift, so A forgets: after PERIOD rows it is KEEP A + (1 - KEEP) A_0,
a window of about 5,000 rows. A is kept as its Cholesky factor, which grows by a rank-one update in O(k^2): nothing is
subtracted, so that it stays positive definite however long the stream. With logistic loss w'v is a log-odds, and
probabilities come with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from sonlearn.jit import bare_inline, bare_jit
from sonlearn.learn.dense import cholesky_update, solve_lower, solve_upper
from sonlearn.learn.losses import LOGISTIC, SQUARED, loss_slope
from sonlearn.members import Member

#: Least curvature of logistic loss: a row that is sure still counts a little, or A would never forget the first ones.
FLOOR = 1e-4
#: A at the start, as a multiple of I: how firmly the first weights are held.
PRECISION = 4.0
#: After PERIOD rows A keeps this share of itself.
PERIOD = 32
KEEP = 0.9998**PERIOD
#: Log-odds beyond this are this: no probability is nearer to 0 or 1 than 1e-13.
LIMIT = 30.0


class Combiner(NamedTuple):
    """State of the combiner of k members."""

    w: np.ndarray  # float64[k]
    LT: np.ndarray  # float64[k, k]; upper triangular, LT' LT = A
    rows: np.ndarray  # int64[1]; learned from


def new_combiner(members: Iterable[Member]) -> Combiner:
    """A combiner that begins with the members' weights, as if it had learned them with `PRECISION`."""
    w = np.array([member.weight for member in members], dtype=np.float64)
    return Combiner(w, math.sqrt(PRECISION) * np.eye(len(w)), np.zeros(1, dtype=np.int64))


def forget(combiner: Combiner, members: list[int]) -> Combiner:
    """The combiner as if `members` had never said anything: their weight 0, their part of A apart from the others'."""
    A = combiner.LT.T @ combiner.LT
    kept = np.setdiff1d(np.arange(len(A)), members)
    apart = np.eye(len(A))
    apart[np.ix_(kept, kept)] = A[np.ix_(kept, kept)]
    w = combiner.w.copy()
    w[members] = 0.0
    return Combiner(w, np.ascontiguousarray(np.linalg.cholesky(apart).T), combiner.rows)


@bare_inline
def curvature(loss, z):
    """The second derivative that the step goes by."""
    if loss.code == SQUARED:
        return 2.0
    if loss.code != LOGISTIC:
        return 1.0
    e = math.exp(-abs(z))
    return max(e / ((1.0 + e) * (1.0 + e)), FLOOR)


@bare_jit
def combine(loss, combiner, V, y, weight, learns, scratch, out):
    """out[i] <- w'v_i, and, where `learns` and the row has a label and a weight, a step. All float64.

    Parameters
    ----------
    V : float64[n, k]; y, weight, out : float64[n]; scratch : float64[k + 2, k]
    """
    w, LT, k = combiner.w, combiner.LT, V.shape[1]
    half, step = scratch[0], scratch[1]
    for i in range(len(y)):
        z = 0.0
        for j in range(k):
            z += w[j] * V[i, j]
        if loss.code == LOGISTIC:
            z = min(max(z, -LIMIT), LIMIT)
        out[i] = z
        if not learns or not weight[i] > 0.0 or math.isnan(y[i]):
            continue
        root = math.sqrt(weight[i] * curvature(loss, z))
        for j in range(k):
            half[j] = root * V[i, j]
        cholesky_update(LT, k, half)
        for j in range(k):
            step[j] = V[i, j]
        solve_lower(LT, k, step, half)
        solve_upper(LT, k, half, step)
        slope = weight[i] * loss_slope(loss, z, y[i])
        for j in range(k):
            w[j] -= slope * step[j]
        combiner.rows[0] += 1
        if combiner.rows[0] % PERIOD == 0:
            fade(LT, k, scratch[2:])


@bare_inline
def fade(LT, k, A):
    """LT'LT <- KEEP LT'LT + (1 - KEEP) PRECISION I."""
    for i in range(k):
        for j in range(i + 1):
            total = 0.0
            for l in range(j + 1):  # noqa: E741
                total += LT[l, i] * LT[l, j]
            A[i, j] = KEEP * total + ((1.0 - KEEP) * PRECISION if i == j else 0.0)
    for i in range(k):
        for j in range(i + 1):
            total = A[i, j]
            for l in range(j):  # noqa: E741
                total -= LT[l, i] * LT[l, j]
            LT[j, i] = math.sqrt(total) if i == j else total / LT[j, j]
