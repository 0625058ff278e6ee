"""The combiner's step on the scores of several classes: softmax.

Member j gives every class met so far a score v_jk, less its largest one, and no less than -`SURE`. With a weight for
each member, the same for all classes,

    z_k = sum_j w_j v_jk,    p = softmax(z)

and after the class y of the row is known, of importance h,

    g_j  = sum_k (p_k - [k = y]) v_jk,    vbar_j = sum_k p_k v_jk
    H_ij = sum_k p_k (v_ik - vbar_i) (v_jk - vbar_j)
    A <- A + h (H + SURPRISE g g'),    w <- w - h A^-1 g

with the curvature of the log loss beside squared gradients. Where a row of another class was taken for certain the loss
has a slope, but next to no curvature: H alone would make the step as long as the weights are undecided, and a handful
of rows at the start would turn them round. With g g' there is g'A^-1 g <= 1/SURPRISE. Two classes give, but for g g',
the step on log-odds (`scalar_step`): of two scores only the difference counts.

Of a thousand classes most have next to no probability: those below `TINY` are left out of H, and those whose score is
more than `SURE` below the best have the probability 0 and in logarithms that bound.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sonlearn.jit import bare_inline, bare_jit
from sonlearn.learn.ensemble.combiner import PERIOD, fade
from sonlearn.learn.linear_algebra import (
    add_scaled,
    exponential,
    factorise,
    find_largest,
    largest,
    mirror,
    solve_lower,
    solve_upper,
    total_of,
)

#: A_0 as a multiple of I, and how much of squared gradients is added to A. Over 17 sets and 28 others, the members'
#: scores replayed: log loss .957 and .851 of that of .5 and 0, errors .991 and .968. SURPRISE .03 to .25 and PRIOR .25
#: to 1 do nearly as well; SURPRISE 1 has 1.05 of the errors.
PRIOR, SURPRISE = 0.25, 0.15
#: Least curvature of a row: what the two best classes count together, where the best is surer than this.
FLOOR = 1e-4
#: Classes of less probability have no share in the curvature.
TINY = 1e-5
#: Scores that far below the best count as that; probabilities are not below exp of it.
SURE = 20.0


class CombinerScratch(NamedTuple):
    """Space for one row."""

    p: np.ndarray  # float64[K]
    mean: np.ndarray  # float64[k]
    g: np.ndarray  # float64[k]
    step: np.ndarray  # float64[k]
    LT: np.ndarray  # float64[k, k]
    some: np.ndarray  # int64[K]; classes, those of `p`
    apart: np.ndarray  # float64[K, k]
    best: np.ndarray  # int64[2]; the likeliest classes


def scratch_for(k: int, classes: int) -> CombinerScratch:
    """Space for rows of so many members and classes."""
    return CombinerScratch(
        np.zeros(classes), np.zeros(k), np.zeros(k), np.zeros(k), np.zeros((k, k)), np.zeros(classes, np.int64),
        np.zeros((classes, k)), np.zeros(2, np.int64),
    )  # fmt: skip


@bare_jit
def level(V, met):
    """V[i, :met[i]] <- the scores of a member less the largest of the row, and no less than -`SURE`.

    Parameters
    ----------
    V : float64[n, K], changed; met : int64[n]
    """
    for i in range(len(met)):
        top = largest(V[i], met[i])
        for k in range(met[i]):
            V[i, k] = max(V[i, k] - top, -SURE)


@bare_jit
def combine(combiner, V, met, y, weight, learns, surprise, scratch, out):
    """out[i, :met[i]] <- logarithms of the classes' probabilities, and, where `learns` and there is a label, a step.

    Parameters
    ----------
    combiner : Combiner of one set of weights, changed
    V : float64[k, n, K], levelled (`level`)
    met : int64[n], how many classes had been met before each row
    y : float64[n], numbers of classes, NaN for none; of one that had not been met nothing can be learned
    weight : float64[n]; learns : bool; surprise : float, in place of `SURPRISE`
    scratch : CombinerScratch; out : float64[n, K], filled in
    """
    for i in range(len(y)):
        if met[i] == 0:
            continue
        count = probabilities(combiner.w[0], V, i, met[i], scratch, out[i])
        if not learns or not weight[i] > 0.0 or not 0.0 <= y[i] < met[i]:
            continue
        combiner.rows[0] += 1
        take_step(combiner, V, i, out[i, : met[i]], count, int(y[i]), weight[i], surprise, scratch)
        if combiner.rows[0] % PERIOD == 0:
            fade(combiner.A[0], combiner.retention[0], combiner.prior[0])
    mirror(combiner.A[0], len(V))  # steps change the lower triangle alone


@bare_inline
def probabilities(w, V, i, met, scratch, logs):
    """logs[:met] <- logarithms of the softmax of row i's weighted scores, no less than -`SURE`.

    scratch.some[:count] <- the classes that have a probability, scratch.p[:count] <- that; returns their count. Of a
    thousand classes they are few, and what follows takes time for them alone.
    """
    p, some, count = scratch.p, scratch.some, 0
    for k in range(met):
        logs[k] = 0.0
    for j in range(len(V)):
        add_scaled(logs, w[j], V[j, i], met)
    top = largest(logs, met)
    for k in range(met):
        logs[k] -= top
    for k in range(met):
        some[count] = k
        count += 1 if logs[k] > -SURE else 0
    for at in range(count):
        p[at] = logs[some[at]]
    for at in range(count):
        p[at] = exponential(p[at])
    total = total_of(p, count)
    for at in range(count):
        p[at] /= total
    whole = math.log(total)
    for k in range(met):
        logs[k] = max(logs[k] - whole, -SURE)
    return count


@bare_inline
def take_step(combiner, V, i, logs, count, y, h, surprise, scratch):
    """A <- A + h (H + surprise g g') and w <- w - h A^-1 g for a row of class y.

    logs, count, scratch : of `probabilities`
    """
    p, mean, g, some, apart = scratch.p, scratch.mean, scratch.g, scratch.some, scratch.apart
    A, n = combiner.A[0], len(V)
    for j in range(n):
        mean[j] = 0.0
    for at in range(count):
        for j in range(n):
            apart[at, j] = V[j, i, some[at]]
        add_scaled(mean, p[at], apart[at], n)
    for j in range(n):
        g[j] = mean[j] - V[j, i, y]
    for at in range(count):
        if p[at] >= TINY:
            for j in range(n):
                apart[at, j] -= mean[j]
            for j in range(n):
                add_scaled(A[j], h * p[at] * apart[at, j], apart[at], j + 1)
    find_largest(logs, len(logs), -1, scratch.best)
    first, second = scratch.best[0], scratch.best[1]
    lacking = FLOOR + math.expm1(logs[first])
    if lacking > 0.0 and len(logs) > 1:
        for j in range(n):
            one = h * lacking * (V[j, i, first] - V[j, i, second])
            for l in range(j + 1):  # noqa: E741
                A[j, l] += one * (V[l, i, first] - V[l, i, second])
    if surprise > 0.0:
        for j in range(n):
            add_scaled(A[j], h * surprise * g[j], g, j + 1)
    factorise(A, 0.0, n, scratch.LT)
    solve_lower(scratch.LT, n, g, mean)
    solve_upper(scratch.LT, n, mean, scratch.step)
    for j in range(n):
        combiner.w[0, j] -= h * scratch.step[j]
