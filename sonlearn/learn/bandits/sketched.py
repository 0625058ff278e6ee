"""Reward model of dense rows: drfd (`sonlearn.learn.diagonal_fd.dense`) with squared loss for each column.

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

import numpy as np

from sonlearn.jit import bare_inline, inline
from sonlearn.learn.diagonal_fd.dense import LANES, SCALARS, DenseDiagonalFDState, product_of, shrink, step, variance
from sonlearn.learn.diagonal_fd.engine import params_of
from sonlearn.learn.diagonal_fd.rounds import DiagonalFDParams
from sonlearn.learn.tolerances import DIVERGED
from sonlearn.options import LearnOptions

#: How much a reward is doubted; the rows m of a sketch.
R, SKETCH_SIZE = 0.1, 15
_PARAMS = params_of(LearnOptions(method="drfd", loss="squared", sketch_size=SKETCH_SIZE, arow_r=R))
#: Rows there may be, raw ones included.
ROWS = SKETCH_SIZE - 1 + _PARAMS.raw
#: What a width counts, beside that of a log-odds.
SCALE = 1.0 / 3.0
#: What may be left of rows before they are shrunk, and what is always left of them.
HALF, LEAST_LEFT = 0.5, 2.0**-10
#: Features from this one on are left out, and rows that are longer, squared.
MOST, FARTHEST = 384, 1e12
#: Blocks of features.
BLOCKS = MOST // LANES


def params(decay: float) -> DiagonalFDParams:
    """The parameters of drfd's kernels."""
    return _PARAMS._replace(retention=1.0 - decay)


def new_sketched(columns: int = 0) -> DenseDiagonalFDState:
    """State of so many columns that has seen nothing: each array has one more axis than a column's own, the first.

    There are no columns until there is a row to learn.
    """
    return DenseDiagonalFDState(
        *np.zeros((3, columns, BLOCKS, LANES)), np.zeros((columns, BLOCKS, ROWS, LANES)),
        *np.zeros((2, columns, ROWS, ROWS)), np.zeros(columns, dtype=SCALARS),
    )  # fmt: skip


@inline
def column(states, k):
    """The state of column k."""
    return DenseDiagonalFDState(
        states.w[k], states.extra[k], states.mass[k], states.B[k], states.T[k], states.LT[k], states.now[k : k + 1]
    )


@bare_inline
def since_shrunk(parameters, now, at):
    """Decisions since the last shrink, when `at` have been learned, as far as they count."""
    n = max(at - now["shrunk"], 0)
    if parameters.retention < 1.0:
        n = min(n, int(math.log(LEAST_LEFT) / math.log(parameters.retention)))
    return n


@inline
def estimate(parameters, states, work, k, features, squares, at):
    """(mean, width) of the row in work.x, with features below `features` and x'x = `squares`, in column k.

    at : int, decisions learned so far
    """
    state = column(states, k)
    now = state.now[0]
    blocks = (features + LANES - 1) // LANES
    _, v = variance(state, work, now["k"] + now["raw"], blocks)
    v = min(v / parameters.retention ** float(since_shrunk(parameters, now, at)), squares)
    return product_of(state.w, work.x, blocks, work.more[0]), SCALE * math.sqrt(v / R)


@inline
def update(parameters, states, work, k, features, at, target, weight):
    """Learn the row in work.x in column k; at : int, decisions learned before this one."""
    state = column(states, k)
    now = state.now[0]
    if now["k"] + now["raw"] == 0:
        now["shrunk"] = at
    n = since_shrunk(parameters, now, at)
    left = parameters.retention ** float(n)
    seen = max(features, now["seen"])
    blocks = (seen + LANES - 1) // LANES
    z = product_of(state.w, work.x, blocks, work.more[0])
    if step(parameters, state, work, blocks, z, target, weight / (R * left)) == DIVERGED:
        return
    now["seen"] = seen
    if now["raw"] == parameters.raw or (left < HALF and now["raw"] > 0):
        now["t"] = now["shrunk"] + n + 1
        shrink(parameters, state, work)
        now["t"] = now["shrunk"] = at + 1
