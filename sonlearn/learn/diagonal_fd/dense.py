"""Frequent directions with diagonal compensation for rows that have nearly all of a few hundred features: drfd, dense.

The arithmetic is that of `sonlearn.learn.diagonal_fd.engine`, whose steps and bounds it takes; nothing is put off.
With A = diag(Delta) + B'B, q = B Delta^-1 x and L L' = I + B Delta^-1 B':

    g = L^-1 q,    v = x'A^-1 x = x'Delta^-1 x - g'g,    A^-1 x = Delta^-1 (x - B'L^-T g)

The weights stand as they are, so that a row from which nothing is to be learned (hinge, y z >= 1) costs a product of
two vectors; any other O(m d) and, once for every raw row between two shrinks, a part of O(m^3 + m^2 d).

A feature's entries of the rows of B stand side by side, and sums over features take four of them at a time.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data.axes import BY_FEATURE, Scalars
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
from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import inline, jit
from sonlearn.jit.sequence import Calls
from sonlearn.learn.diagonal_fd.engine import Matrix, WithDiagonal
from sonlearn.learn.diagonal_fd.rounds import MAX_SQUARED_LENGTH, DiagonalFDParams, leading_rows, step_of, widen
from sonlearn.learn.eigenpairs import Eigenpairs, room_for
from sonlearn.learn.engine import Predictions, padded
from sonlearn.learn.losses import HINGE
from sonlearn.learn.tolerances import DIVERGED, DONE, LIMIT

#: t: rows learned from; shrunk: the same at the last shrink; k: rows kept; raw: rows since; seen: features seen.
SCALARS = [(name, "i8") for name in ("t", "shrunk", "k", "raw", "seen")]


class DenseDiagonalFDState(NamedTuple):
    """All that has been learned, but for the names of the features."""

    w: Annotated[np.ndarray, BY_FEATURE]  # float64[features]
    extra: Annotated[np.ndarray, BY_FEATURE]  # float64[features]; Delta less 1
    # float64[features]; sum of squares of the entries in all rows before the raw ones
    mass: Annotated[np.ndarray, BY_FEATURE]
    B: Annotated[np.ndarray, BY_FEATURE]  # float64[features, rows]; the rows kept, and after them the raw ones
    T: np.ndarray  # float64[rows, rows]; B Delta^-1 B'
    LT: np.ndarray  # float64[rows, rows]; upper triangular, LT'LT = I + T
    now: Annotated[np.ndarray, Scalars("t")]  # structured [1], see `SCALARS`


class Work(NamedTuple):
    """Scratch of one round or shrink; nothing in it outlives that."""

    x: np.ndarray  # float64[features]; the row
    u: np.ndarray  # float64[features]; Delta^-1 x
    q: np.ndarray  # float64[rows]
    g: np.ndarray  # float64[rows]
    h: np.ndarray  # float64[rows]; L^-T g
    new: np.ndarray  # float64[rows]; a feature's entries of the rows that are kept
    pairs: Eigenpairs


def new_work(params: DiagonalFDParams, features: int) -> Work:
    """Scratch for so many features."""
    rows = params.m - 1 + params.raw
    return Work(*np.zeros((2, features)), *np.zeros((4, rows)), room_for(rows, params.m))


class DenseDiagonalFD(WithDiagonal):
    """Engine of drfd where rows are dense."""

    def new(self, classes: int = 0) -> DenseDiagonalFDState:
        """State of a learner that has seen nothing."""
        rows = self._params.m - 1 + self._params.raw
        return DenseDiagonalFDState(
            *np.zeros((3, 0)), np.zeros((0, rows)), *np.zeros((2, rows, rows)), np.zeros(1, dtype=SCALARS)
        )

    def calls(
        self, state: DenseDiagonalFDState, rows: Rows, out: Predictions, start: int = 0, learns: bool = True
    ) -> Calls:
        """See `Engine.calls`."""
        return [(follow, (self._params, state, new_work(self._params, len(state.w)), rows, out.raw, start, learns))]

    def weights(self, state: DenseDiagonalFDState, features: int, number: int | None = None) -> np.ndarray:
        """Weights in the scale of the input."""
        return padded(state.w[None, :features], features)

    def _of(self, found: Matrix, t: int) -> DenseDiagonalFDState:
        out = self.new()
        B = np.zeros((len(found.w), len(out.T)))
        B[:, : len(found.B)] = found.B.T
        return out._replace(w=found.w, extra=found.extra, mass=found.mass, B=B)

    def _whole(self, state: DenseDiagonalFDState) -> Matrix:
        now, kept = state.now[0], int(state.now["k"][0])
        B = state.B[:, : kept + int(now["raw"])].T
        left = self._params.retention ** float(now["t"] - now["shrunk"])
        mass = left * (state.mass + np.sum(B[kept:] ** 2, axis=0))
        return Matrix(state.w, left * state.extra, np.sqrt(left) * B, mass)


@jit
def follow(params, state, work, rows, raw, start, learns):
    """raw[start:] <- predictions of rows; where it `learns`, they are learned.

    Returns the first row that would lead to numbers out of all bounds, or n.
    """
    now = state.now[0]
    for i in range(start, len(rows.y)):
        d, squares = spread(rows, i, work.x, now["seen"])
        z = rows.base[i] + product(state.w, work.x, d)
        if not (abs(z) <= LIMIT and squares <= LIMIT * LIMIT):
            return i
        raw[i, 0] = z
        y = rows.y[i]
        if not learns or not is_learned(rows.weight[i], y):
            continue
        idle = params.loss == HINGE and y * z >= 1.0
        if not idle and step(params, state, work, d, z, y, rows.weight[i] / params.r) == DIVERGED:
            return i
        now["t"] += 1
        now["seen"] = d
        if now["raw"] == params.raw:
            shrink(params, state, work)
    return len(rows.y)


@inline
def spread(rows, i, x, seen):
    """x <- row i, zeros included; returns (features of it and those seen are below this, x'x).

    Features that x, float64[features], has no room for are left out.
    """
    d, squares = seen, 0.0
    clear_first(x, len(x))
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, value = rows.features[at], rows.values[at]
        if f < len(x):
            x[f] = value
            d = max(d, f + 1)
            squares += value * value
    return d, squares


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
def shrink(params, state, work):
    """Keep m - 1 combinations of the rows, and give what they lose to Delta (see `rounds.shrink`)."""
    now = state.now[0]
    faded = params.retention ** (now["t"] - now["shrunk"])
    kept = leading_rows(params, state.T, now["k"] + now["raw"], faded, work.pairs)
    for f in range(now["seen"]):
        compensate(params, state, work, f, kept, faded)
    mirror(state.T, kept)
    factorise(state.T, 1.0, kept, state.LT)
    now["shrunk"], now["k"], now["raw"] = now["t"], kept, 0


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
