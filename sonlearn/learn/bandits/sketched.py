"""The reward model of dense rows: drfd with squared loss for each column.

For column k: A_k = diag(Delta_k) + B_k'B_k over the rows learned there, mean w_k'x, and width sqrt(x'A_k^-1 x / R)
times `SCALE`. R = .1 is how much a reward is doubted, in units in which rewards are in [0, 1]; before anything is
learned, A is the identity. With as many rows as features this is ridge regression with ridge R, and the width that of
LinUCB (Li, Chu, Langford, Schapire 2010); the sketch makes it O(m d) in place of O(d^2), as SOFUL does (Kuzborskij,
Cella, Cesa-Bianchi: Efficient linear bandits through matrix sketching, AISTATS 2019). Ours also has the exact diagonal.

Where precisions fade (see `rounds`), by gamma with each decision learned anywhere, a column's B and Delta - 1 stand for
what they were at its last shrink, n decisions ago: a new row counts gamma^-n, a shrink takes gamma^n off all, and comes
after the row before which gamma^n is below `HALF`. The width is that of gamma^-n A^-1, and no larger than that of the
identity: both bound the true one from above. Between two shrinks no more fades than leaves `LEAST_LEFT`.

The arithmetic is that of `sonlearn.learn.diagonal_fd.rounds`, whose steps and bounds it takes. Nothing is put off:
rows have nearly all of a few hundred features. With A = diag(Delta) + B'B, q = B Delta^-1 x, L L' = I + B Delta^-1 B':

    g = L^-1 q,    v = x'A^-1 x = x'Delta^-1 x - g'g,    A^-1 x = Delta^-1 (x - B'L^-T g)

A feature's entries of the rows of B stand side by side, and sums over features take four of them at a time.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sonlearn.data.linear_algebra import (
    add_rows,
    add_scaled,
    clear_first,
    factorise,
    minus_dot,
    mirror,
    product,
    set_scaled,
    solve_lower,
    solve_upper,
)
from sonlearn.jit import inline
from sonlearn.learn.diagonal_fd.engine import params_of
from sonlearn.learn.diagonal_fd.rounds import MAX_SQUARED_LENGTH, leading_rows, step_of, widen
from sonlearn.learn.eigenpairs import Eigenpairs, room_for
from sonlearn.learn.tolerances import DIVERGED, DONE
from sonlearn.options import LearnOptions

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

#: shrunk: rows learned from at the last shrink; k: rows kept; raw: rows since; seen: features seen.
SCALARS = [(name, "i8") for name in ("shrunk", "k", "raw", "seen")]


class SketchedState(NamedTuple):
    """All that a column has learned; of all columns (`new_sketched`) each array has one more axis, the first."""

    w: np.ndarray  # float64[features]
    extra: np.ndarray  # float64[features]; Delta less 1
    mass: np.ndarray  # float64[features]; sum of squares of the entries in all rows before the raw ones
    B: np.ndarray  # float64[features, rows]; the rows kept, and after them the raw ones
    T: np.ndarray  # float64[rows, rows]; B Delta^-1 B'
    LT: np.ndarray  # float64[rows, rows]; upper triangular, LT'LT = I + T
    now: np.ndarray  # structured [1], see `SCALARS`


class Work(NamedTuple):
    """Scratch of one round or shrink; nothing in it outlives that."""

    x: np.ndarray  # float64[features]; the row
    u: np.ndarray  # float64[features]; Delta^-1 x
    q: np.ndarray  # float64[rows]
    g: np.ndarray  # float64[rows]
    h: np.ndarray  # float64[rows]; L^-T g
    new: np.ndarray  # float64[rows]; a feature's entries of the rows that are kept
    pairs: Eigenpairs


def new_work() -> Work:
    """Scratch for a row."""
    return Work(*np.zeros((2, MAX_FEATURES)), *np.zeros((4, ROWS)), room_for(ROWS, SKETCH_SIZE))


def new_sketched(columns: int = 0) -> SketchedState:
    """State of so many columns that has seen nothing. There are none until there is a row to learn."""
    return SketchedState(
        *np.zeros((3, columns, MAX_FEATURES)), np.zeros((columns, MAX_FEATURES, ROWS)),
        *np.zeros((2, columns, ROWS, ROWS)), np.zeros(columns, dtype=SCALARS),
    )  # fmt: skip


@inline(allocates=True)
def column(states, k):
    """The state of column k."""
    return SketchedState(
        states.w[k], states.extra[k], states.mass[k], states.B[k], states.T[k], states.LT[k], states.now[k : k + 1]
    )


@inline
def since_shrunk(params, now, at):
    """Decisions since the last shrink, when `at` have been learned, as far as they count."""
    n = max(at - now["shrunk"], 0)
    if params.retention < 1.0:
        n = min(n, int(math.log(LEAST_LEFT) / math.log(params.retention)))
    return n


@inline(allocates=True)
def estimate(params, states, work, k, features, squares, at):
    """(mean, width) of the row in work.x, with features below `features` and x'x = `squares`, in column k.

    at : int, decisions learned so far
    """
    state = column(states, k)
    now = state.now[0]
    _, v = variance(state, work, now["k"] + now["raw"], features)
    v = min(v / params.retention ** float(since_shrunk(params, now, at)), squares)
    return product(state.w, work.x, features), SCALE * math.sqrt(v / R)


@inline(allocates=True)
def update(params, states, work, k, features, at, target, weight):
    """Learn the row in work.x in column k; at : int, decisions learned before this one."""
    state = column(states, k)
    now = state.now[0]
    if now["k"] + now["raw"] == 0:
        now["shrunk"] = at
    n = since_shrunk(params, now, at)
    left = params.retention ** float(n)
    seen = max(features, now["seen"])
    z = product(state.w, work.x, seen)
    if step(params, state, work, seen, z, target, weight / (R * left)) == DIVERGED:
        return
    now["seen"] = seen
    if now["raw"] == params.raw or (left < HALF and now["raw"] > 0):
        shrink(params, state, work, params.retention ** (n + 1))
        now["shrunk"] = at + 1


@inline
def step(params, state, work, d, z, y, w):
    """Learn the row in work.x, with features below d, predicted z, of label y and weight over r `w`.

    Returns DIVERGED, and then has changed nothing, or DONE.
    """
    now, x, g, h = state.now[0], work.x, work.g, work.h
    r = now["k"] + now["raw"]
    xx, v = variance(state, work, r, d)
    a, s2 = step_of(params.loss, z, v, y, w if w * xx <= MAX_SQUARED_LENGTH else MAX_SQUARED_LENGTH / xx)
    if not math.isfinite(a):
        return DIVERGED
    if a != 0.0:
        solve_upper(state.LT, r, g, h)
        for f in range(d):
            state.w[f] += a * ((x[f] - product(state.B[f], h, r)) / (1.0 + state.extra[f]))
    if s2 * xx > 0.0:
        widen(state.T, state.LT, work.q, g, r, s2, v, xx)
        for f in range(d):
            state.B[f, r] = math.sqrt(s2) * x[f]
        now["raw"] += 1
    return DONE


@inline
def variance(state, work, r, d):
    """(x'Delta^-1 x, x'A^-1 x) of the row in work.x; r rows of B count. Leaves Delta^-1 x in work.u and g in work.g."""
    x, u, q, g = work.x, work.u, work.q, work.g
    for f in range(d):
        u[f] = x[f] / (1.0 + state.extra[f])
    xx = product(x, u, d)
    clear_first(q, r)
    add_rows(u, state.B, d, q[:r])
    solve_lower(state.LT, r, q, g)
    return xx, max(minus_dot(xx, g, g, r), 0.0)


@inline
def shrink(params, state, work, faded):
    """Keep m - 1 combinations of the rows, and give what they lose to Delta (see `rounds.shrink`).

    faded : float, share that is left of what was there at the last shrink
    """
    now = state.now[0]
    kept = leading_rows(params, state.T, now["k"] + now["raw"], faded, work.pairs)
    for f in range(now["seen"]):
        compensate(params, state, work, f, kept, faded)
    mirror(state.T, kept)
    factorise(state.T, 1.0, kept, state.LT)
    now["k"], now["raw"] = kept, 0


@inline
def compensate(params, state, work, f, kept, faded):
    """Feature f: the rows kept, Delta with what they have lost, and T for the new Delta."""
    now, b, new, old = state.now[0], state.B[f], work.new, state.extra[f]
    raw = b[now["k"] :]
    squares = product(raw, raw, now["raw"])
    clear_first(new, kept)
    add_rows(b, work.pairs.U, now["k"] + now["raw"], new[:kept])
    set_scaled(b, 1.0, new, kept)
    state.mass[f] = faded * (state.mass[f] + squares)
    if squares > 0.0:
        least = old if params.retention == 1.0 else 0.0
        state.extra[f] = max(least, state.mass[f] - product(new, new, kept))
        change = 1.0 / (1.0 + state.extra[f]) - 1.0 / (1.0 + old)
        for i in range(kept):
            add_scaled(state.T[i], change * new[i], new, i + 1)
