"""The two reward models of decisions, of sparse rows and of dense ones.

**Sparse rows.** Logistic regression with a diagonal precision for each (feature, column) that occurred.

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

**Dense rows.** drfd (`sonlearn.learn.diagonal_fd.dense`) with squared loss for each column.

For column k: A_k = diag(Delta_k) + B_k'B_k over the rows learned there, mean w_k'x, and width sqrt(x'A_k^-1 x / R)
times `SCALE`. R = .1 is how much a reward is doubted, in units in which rewards are in [0, 1]; before anything is
learned, A is the identity. With as many rows as features this is ridge regression with ridge R, and the width that of
LinUCB (Li, Chu, Langford, Schapire 2010); the sketch makes it O(m d) in place of O(d^2), as SOFUL does (Kuzborskij,
Cella, Cesa-Bianchi: Efficient linear bandits through matrix sketching, AISTATS 2019). Ours also has the exact diagonal.

Where precisions fade (see `rounds`), by gamma with each decision learned anywhere, a column's B and Delta - 1 stand for
what they were at its last shrink, n decisions ago: a new row counts gamma^-n, a shrink takes gamma^n off all, and comes
after the row before which gamma^n is below `HALF`. The width is that of gamma^-n A^-1, and no larger than that of the
identity: both bound the true one from above. Between two shrinks no more fades than leaves `LEAST_LEFT`.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data.linear_algebra import product
from sonlearn.jit import inline
from sonlearn.learn.diagonal_fd.dense import SCALARS, DenseDiagonalFDState, shrink, step, variance
from sonlearn.learn.diagonal_fd.engine import params_of
from sonlearn.learn.losses import sigmoid
from sonlearn.learn.pairs import Pairs, place_for
from sonlearn.learn.tables import PAIRS
from sonlearn.learn.tolerances import DIVERGED
from sonlearn.options import LearnOptions

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
def diagonal_estimate(link, by, z, v):
    """(mean, width) of a score z of variance v, for an upper bound of `by` widths."""
    s = math.sqrt(max(v, 0.0))
    if not link:
        return z, s
    p = sigmoid(z)
    if by > 0.0:
        return p, (sigmoid(z + by * s) - p) / by
    return p, p * (1.0 - p) * s


@inline
def diagonal_update(link, state, rows, i, left, k, z, v, target, weight):
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


# ----------------------------------------------------------------------------------------------------------- dense rows


#: How much a reward is doubted; the rows m of a sketch; the parameters of drfd's kernels, but for the retention.
R, SKETCH_SIZE = 0.1, 15
PARAMS = params_of(LearnOptions(method="drfd", loss="squared", sketch_size=SKETCH_SIZE, arow_r=R))
#: Rows there may be, raw ones included.
ROWS = SKETCH_SIZE - 1 + PARAMS.raw
#: What a width counts, beside that of a log-odds.
SCALE = 1.0 / 3.0
#: What may be left of rows before they are shrunk, and what is always left of them.
HALF, LEAST_LEFT = 0.5, 2.0**-10
#: Features from this one on are left out, and rows that are longer, squared.
MAX_FEATURES, MAX_SQUARED_NORM = 384, 1e12


def new_sketched(columns: int = 0) -> DenseDiagonalFDState:
    """State of so many columns that has seen nothing: each array has one more axis than a column's own, the first.

    There are no columns until there is a row to learn.
    """
    return DenseDiagonalFDState(
        *np.zeros((3, columns, MAX_FEATURES)), np.zeros((columns, MAX_FEATURES, ROWS)),
        *np.zeros((2, columns, ROWS, ROWS)), np.zeros(columns, dtype=SCALARS),
    )  # fmt: skip


@inline(allocates=True)
def column(states, k):
    """The state of column k."""
    return DenseDiagonalFDState(
        states.w[k], states.extra[k], states.mass[k], states.B[k], states.T[k], states.LT[k], states.now[k : k + 1]
    )


@inline
def since_shrunk(parameters, now, at):
    """Decisions since the last shrink, when `at` have been learned, as far as they count."""
    n = max(at - now["shrunk"], 0)
    if parameters.retention < 1.0:
        n = min(n, int(math.log(LEAST_LEFT) / math.log(parameters.retention)))
    return n


@inline(allocates=True)
def sketched_estimate(parameters, states, work, k, features, squares, at):
    """(mean, width) of the row in work.x, with features below `features` and x'x = `squares`, in column k.

    at : int, decisions learned so far
    """
    state = column(states, k)
    now = state.now[0]
    _, v = variance(state, work, now["k"] + now["raw"], features)
    v = min(v / parameters.retention ** float(since_shrunk(parameters, now, at)), squares)
    return product(state.w, work.x, features), SCALE * math.sqrt(v / R)


@inline(allocates=True)
def sketched_update(parameters, states, work, k, features, at, target, weight):
    """Learn the row in work.x in column k; at : int, decisions learned before this one."""
    state = column(states, k)
    now = state.now[0]
    if now["k"] + now["raw"] == 0:
        now["shrunk"] = at
    n = since_shrunk(parameters, now, at)
    left = parameters.retention ** float(n)
    seen = max(features, now["seen"])
    z = product(state.w, work.x, seen)
    if step(parameters, state, work, seen, z, target, weight / (R * left)) == DIVERGED:
        return
    now["seen"] = seen
    if now["raw"] == parameters.raw or (left < HALF and now["raw"] > 0):
        now["t"] = now["shrunk"] + n + 1
        shrink(parameters, state, work)
        now["t"] = now["shrunk"] = at + 1
