"""The reward model of sparse rows: logistic regression with a diagonal precision for each (feature, column) met.

For column k, the row x and a reward r scaled to [0, 1], with p = sigmoid(z):

    z = b_k + sum_j w_jk x_j,    v = 1/(C + c_k) + sum_j x_j^2/(A + P_jk)
    h = max(p (1 - p), LEAST_CURVATURE) h',    g = h' (r - p)/(1 + v h),    h' the row's importance
    w_jk += g x_j/(A + P_jk),    P_jk += h x_j^2

and the same for b_k and c_k with x = 1 and C in place of A: an action that has failed elsewhere is still tried where
words are new. The mean is p, the upper bound sigmoid(z + W sqrt(v)), and the width is what
that is above p, over W. Rewards may be any numbers in [0, 1]: then this is the quasi-likelihood of fractions. It is
AROW's form of the diagonal Newton step, with Laplace's approximation of the log loss, as Chapelle and Li have it (An
empirical evaluation of Thompson sampling, NIPS 2011); theirs is learned in batches.

Where precisions fade (see `rounds`), P and c stand for what they were when they were last renewed, and what is learned
counts as much more as is left of these.

With `link` off (estimated rewards, which may be any numbers) z itself is the mean, sqrt(v) the width, and h = h'.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.jit import inline
from sonlearn.learn.losses import sigmoid
from sonlearn.learn.pairs import Pairs, place_for
from sonlearn.learn.tables import PAIRS

#: A, C: precisions of a weight and of an action's own term before anything is known.
PRIOR, OWN_PRIOR = 0.03, 3.0
#: A step counts as much as if p (1 - p) was this.
LEAST_CURVATURE = 0.01
#: Columns of `Pairs.values`.
W, P = 0, 1


class DiagonalState(NamedTuple):
    """All that has been learned."""

    pairs: Annotated[Pairs, PAIRS]  # values: w, P of each (feature, column)
    bias: np.ndarray  # float64[columns, 2]; b, c


@inline
def score(state, rows, i, left, z, v):
    """z, v <- the score of row i and its variance in every column; float64[columns], filled in.

    left : float, what is left of the precisions that are stored
    """
    pairs, bias = state.pairs, state.bias
    total = 0.0
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        total += rows.values[at] * rows.values[at]
    for k in range(len(z)):
        z[k] = bias[k, W]
        v[k] = total / PRIOR + 1.0 / (OWN_PRIOR + left * bias[k, P])
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at]
        if f >= len(pairs.blocks):
            continue
        block = pairs.blocks[f]
        begin, capacity = block["begin"], min(block["capacity"], len(z))
        for e in range(begin, begin + max(block["size"], capacity)):
            k = pairs.classes[e] if capacity == 0 else e - begin
            z[k] += x * pairs.values[W][e]
            v[k] -= x * x * (1.0 / PRIOR - 1.0 / (PRIOR + left * pairs.values[P][e]))


@inline
def estimate(link, by, z, v):
    """(mean, width) of a score z of variance v, for an upper bound of `by` widths."""
    s = math.sqrt(max(v, 0.0))
    if not link:
        return z, s
    p = sigmoid(z)
    if by > 0.0:
        return p, (sigmoid(z + by * s) - p) / by
    return p, p * (1.0 - p) * s


@inline
def update(link, state, rows, i, left, k, z, v, target, weight):
    """Learn row i in column k, of score z and variance v; room for pairs has been made, `left` is `score`'s."""
    pairs, bias = state.pairs, state.bias
    p = sigmoid(z) if link else z
    h = weight * max(p * (1.0 - p), LEAST_CURVATURE) if link else weight
    g = weight * (target - p) / (1.0 + max(v, 0.0) * h)
    if not math.isfinite(g):
        return
    bias[k, W] += g / (OWN_PRIOR + left * bias[k, P])
    bias[k, P] += h / left
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at]
        place = place_for(pairs, f, k, len(bias))
        e = pairs.blocks[f]["begin"] + place
        pairs.values[W][e] += g * x / (PRIOR + left * pairs.values[P][e])
        pairs.values[P][e] += h * x * x / left


@inline
def renew(state, left):
    """Take what has faded off all precisions: `left` is left of them."""
    precisions = state.pairs.values[P]
    for e in range(len(precisions)):
        precisions[e] *= left
    for k in range(len(state.bias)):
        state.bias[k, P] *= left
