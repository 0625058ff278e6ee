"""Frequent directions with diagonal compensation for rows that have nearly all of a few hundred features: drfd, dense.

The arithmetic is that of `sonlearn.learn.diagonal_fd.engine`, whose steps and bounds it takes; nothing is put off.
With A = diag(Delta) + B'B, q = B Delta^-1 x and L L' = I + B Delta^-1 B':

    g = L^-1 q,    v = x'A^-1 x = x'Delta^-1 x - g'g,    A^-1 x = Delta^-1 (x - B'L^-T g)

The weights stand as they are, so that a row from which nothing is to be learned (hinge, y z >= 1) costs a product of
two vectors; any other O(m d) and, once for every raw row between two shrinks, a part of O(m^3 + m^2 d).

Features stand in blocks of `LANES`, and a row of B in a block is contiguous: all loops over features run along lanes,
and vectorise without reordering any sum.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.axes import Counted, Numbers, Scalars
from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import bare_inline, bare_jit, forced_inline
from sonlearn.jit.sequence import Calls
from sonlearn.learn.diagonal_fd.engine import Matrix, WithDiagonal
from sonlearn.learn.diagonal_fd.rounds import LONGEST, DiagonalFDParams, leading_rows, step_of, widen
from sonlearn.learn.eigenpairs import Eigenpairs, room_for
from sonlearn.learn.engine import Predictions, padded
from sonlearn.learn.linear_algebra import (
    add_rows,
    clear,
    clear_first,
    factorise,
    minus_dot,
    mirror,
    product,
    set_scaled,
    solve_lower,
    solve_upper,
    total_of,
)
from sonlearn.learn.losses import HINGE
from sonlearn.learn.tolerances import DIVERGED, DONE, LIMIT
from sonlearn.options import LearnOptions

#: Features of a block: 2^BITS.
BITS = 6
LANES = 1 << BITS
#: t: rows learned from; shrunk: the same at the last shrink; k: rows kept; raw: rows since; seen: features seen.
SCALARS = [(name, "i8") for name in ("t", "shrunk", "k", "raw", "seen")]


def blocks_of(features: int) -> int:
    """Blocks that so many features take."""
    return -(-features // LANES)


class _Blocks(Counted):
    def renumbered(self, array: np.ndarray, numbers: Numbers) -> np.ndarray:
        inner = array.shape[1:-1]
        by_feature = np.moveaxis(array, -1, 1).reshape(-1, *inner)[: len(numbers.features)]
        found = merging.renumbered(by_feature, numbers.features, LANES * blocks_of(numbers.most))
        return np.ascontiguousarray(np.moveaxis(found.reshape(-1, LANES, *inner), 1, -1))


#: Blocks of features; lanes are the last axis.
BLOCKS = _Blocks("seen", rows=blocks_of)


class DenseDiagonalFDState(NamedTuple):
    """All that has been learned, but for the names of the features; blocks are those of features."""

    w: Annotated[np.ndarray, BLOCKS]  # float64[blocks, LANES]
    extra: Annotated[np.ndarray, BLOCKS]  # float64[blocks, LANES]; Delta less 1
    # float64[blocks, LANES]; sum of squares of the entries in all rows before the raw ones
    mass: Annotated[np.ndarray, BLOCKS]
    B: Annotated[np.ndarray, BLOCKS]  # float64[blocks, rows, LANES]; the rows kept, and after them the raw ones
    T: np.ndarray  # float64[rows, rows]; B Delta^-1 B'
    LT: np.ndarray  # float64[rows, rows]; upper triangular, LT'LT = I + T
    now: Annotated[np.ndarray, Scalars("t")]  # structured [1], see `SCALARS`


class Work(NamedTuple):
    """Scratch of one round or shrink; nothing in it outlives that."""

    x: np.ndarray  # float64[blocks, LANES]; the row
    u: np.ndarray  # float64[blocks, LANES]; Delta^-1 x
    q: np.ndarray  # float64[rows]
    g: np.ndarray  # float64[rows]
    h: np.ndarray  # float64[rows]; L^-T g
    lanes: np.ndarray  # float64[rows, LANES]
    more: np.ndarray  # float64[4, LANES]
    pairs: Eigenpairs


def new_work(params: DiagonalFDParams, blocks: int) -> Work:
    """Scratch for so many blocks of features."""
    rows = params.m - 1 + params.raw
    return Work(
        *np.zeros((2, blocks, LANES)), *np.zeros((3, rows)), np.zeros((rows, LANES)), np.zeros((4, LANES)),
        room_for(rows, params.m),
    )  # fmt: skip


class DenseDiagonalFD(WithDiagonal):
    """Engine of drfd where rows are dense."""

    def __init__(self, options: LearnOptions):
        super().__init__(options)
        self._rows = self._params.m - 1 + self._params.raw

    def new(self, classes: int = 0) -> DenseDiagonalFDState:
        """State of a learner that has seen nothing."""
        rows = self._rows
        return DenseDiagonalFDState(
            *np.zeros((3, 0, LANES)), np.zeros((0, rows, LANES)), *np.zeros((2, rows, rows)), np.zeros(1, dtype=SCALARS)
        )

    def calls(
        self, state: DenseDiagonalFDState, rows: Rows, out: Predictions, start: int = 0, learns: bool = True
    ) -> Calls:
        """See `Engine.calls`."""
        return [(follow, (self._params, state, new_work(self._params, len(state.w)), rows, out.raw, start, learns))]

    def weights(self, state: DenseDiagonalFDState, features: int, number: int | None = None) -> np.ndarray:
        """Weights in the scale of the input."""
        return padded(state.w.reshape(1, -1)[:, :features], features)

    def _of(self, found: Matrix, t: int) -> DenseDiagonalFDState:
        shape = (len(found.w) // LANES, LANES)
        B = np.zeros((self._rows, len(found.w)))
        B[: len(found.B)] = found.B
        return self.new()._replace(
            w=found.w.reshape(shape), extra=found.extra.reshape(shape), mass=found.mass.reshape(shape),
            B=np.ascontiguousarray(B.reshape(self._rows, *shape).transpose(1, 0, 2)),
        )  # fmt: skip

    def _whole(self, state: DenseDiagonalFDState) -> Matrix:
        B, kept, now = self._rows_of(state), int(state.now["k"][0]), state.now[0]
        left = self._params.retention ** float(now["t"] - now["shrunk"])
        mass = left * (state.mass.ravel() + np.sum(B[kept:] ** 2, axis=0))
        return Matrix(state.w.ravel(), left * state.extra.ravel(), np.sqrt(left) * B, mass)

    def _rows_of(self, state: DenseDiagonalFDState) -> np.ndarray:
        """float64[rows, features]: the rows of B, with room for more features."""
        r = int(state.now["k"][0] + state.now["raw"][0])
        return state.B[:, :r].transpose(1, 0, 2).reshape(r, LANES * len(state.B))


@bare_jit
def follow(params, state, work, rows, raw, start, learns):
    """raw[start:] <- predictions of rows; where it `learns`, they are learned.

    Returns the first row that would lead to numbers out of all bounds, or n.
    """
    now = state.now[0]
    for i in range(start, len(rows.y)):
        features, squares = spread(rows, i, work.x, now["seen"])
        blocks = (features + LANES - 1) >> BITS
        z = rows.base[i] + product_of(state.w, work.x, blocks, work.more[0])
        if not (abs(z) <= LIMIT and squares <= LIMIT * LIMIT):
            return i
        raw[i, 0] = z
        y = rows.y[i]
        if not learns or not is_learned(rows.weight[i], y):
            continue
        idle = params.loss == HINGE and y * z >= 1.0
        if not idle and step(params, state, work, blocks, z, y, rows.weight[i] / params.r) == DIVERGED:
            return i
        now["t"] += 1
        now["seen"] = features
        if now["raw"] == params.raw:
            shrink(params, state, work)
    return len(rows.y)


@bare_inline
def spread(rows, i, x, seen):
    """x <- row i, zeros included; returns (features of it and those seen are below this, x'x).

    Features that x, float64[blocks, LANES], has no room for are left out.
    """
    features, squares = seen, 0.0
    clear(x)
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, value = rows.features[at], rows.values[at]
        if f < x.size:
            x[f >> BITS, f & (LANES - 1)] = value
            features = max(features, f + 1)
            squares += value * value
    return features, squares


@bare_inline
def product_of(a, b, blocks, lanes):
    """sum of a_i b_i, lane by lane and then over the lanes."""
    clear_first(lanes, LANES)
    for i in range(blocks):
        add_product(lanes, a[i], b[i])
    return total_of(lanes, LANES)


@bare_inline
def step(params, state, work, blocks, z, y, w):
    """Learn the row in work.x, predicted z, of label y and weight over r `w`.

    Returns DIVERGED, and then has changed nothing, or DONE.
    """
    now, g, h = state.now[0], work.g, work.h
    r = now["k"] + now["raw"]
    xx, v = variance(state, work, r, blocks)
    a, s2 = step_of(params.loss, z, v, y, w if w * xx <= LONGEST else LONGEST / xx)
    if not math.isfinite(a):
        return DIVERGED
    if a != 0.0:
        solve_upper(state.LT, r, g, h)
        move(state, work, r, blocks, a)
    if s2 * xx > 0.0:
        widen(state.T, state.LT, work.q, work.g, r, s2, v, xx)
        for b in range(blocks):
            set_scaled(state.B[b, r], math.sqrt(s2), work.x[b], LANES)
        now["raw"] += 1
    return DONE


@bare_inline
def variance(state, work, r, blocks):
    """(x'Delta^-1 x, x'A^-1 x) of the row in work.x; r rows of B count. Leaves Delta^-1 x in work.u and g in work.g."""
    x, u, q, g = work.x, work.u, work.q, work.g
    for b in range(blocks):
        for l in range(LANES):  # noqa: E741
            u[b, l] = x[b, l] / (1.0 + state.extra[b, l])
    xx = product_of(x, u, blocks, work.more[0])
    read(state.B, u, r, blocks, work.lanes)
    for j in range(r):
        q[j] = total_of(work.lanes[j], LANES)
    solve_lower(state.LT, r, q, g)
    return xx, max(minus_dot(xx, g, g, r), 0.0)


@bare_inline
def read(B, u, r, blocks, lanes):
    """lanes[j] <- what B_j and u have in common, lane by lane, for the first r rows of B."""
    for j in range(r):
        clear_first(lanes[j], LANES)
    for b in range(0, blocks - 1, 2):
        for j in range(r):
            add_products(lanes[j], B[b, j], u[b], B[b + 1, j], u[b + 1])
    if blocks % 2 == 1:
        for j in range(r):
            add_product(lanes[j], B[blocks - 1, j], u[blocks - 1])


@forced_inline
def add_products(out, a, b, c, d):
    """out += a b + c d, lane by lane and from the left to the right."""
    for l in range(LANES):  # noqa: E741
        out[l] = (out[l] + a[l] * b[l]) + c[l] * d[l]


@forced_inline
def add_product(out, a, b):
    """out += a b, lane by lane."""
    for l in range(LANES):  # noqa: E741
        out[l] += a[l] * b[l]


@bare_inline
def move(state, work, r, blocks, a):
    """w <- w + a Delta^-1 (x - B'h)."""
    own = work.more[0]
    for b in range(blocks):
        clear_first(own, LANES)
        add_rows(work.h, state.B[b], r, own)
        for l in range(LANES):  # noqa: E741
            state.w[b, l] += a * ((work.x[b, l] - own[l]) / (1.0 + state.extra[b, l]))


@bare_inline
def shrink(params, state, work):
    """Keep m - 1 combinations of the rows, and give what they lose to Delta (see `rounds.shrink`)."""
    now = state.now[0]
    faded = params.retention ** (now["t"] - now["shrunk"])
    kept = leading_rows(params, state.T, now["k"] + now["raw"], faded, work.pairs)
    for b in range((now["seen"] + LANES - 1) >> BITS):
        compensate(params, state, work, b, kept, faded)
    mirror(state.T, kept)
    factorise(state.T, 1.0, kept, state.LT)
    now["shrunk"], now["k"], now["raw"] = now["t"], kept, 0


@bare_inline
def compensate(params, state, work, b, kept, faded):
    """Block b: the rows kept, Delta with what they have lost, and T for the new Delta."""
    now, B, new = state.now[0], state.B[b], work.lanes
    squares, own, change, scaled = work.more[0], work.more[1], work.more[2], work.more[3]
    k, r = now["k"], now["k"] + now["raw"]
    clear_first(squares, LANES)
    clear_first(own, LANES)
    for j in range(k, r):
        add_product(squares, B[j], B[j])
    for i in range(kept):
        clear_first(new[i], LANES)
        add_rows(work.pairs.U[:, i], B, r, new[i])
        add_product(own, new[i], new[i])
    for l in range(LANES):  # noqa: E741
        state.mass[b, l] = faded * (state.mass[b, l] + squares[l])
        old = state.extra[b, l]
        least = old if params.retention == 1.0 else 0.0
        extra = max(least, state.mass[b, l] - own[l]) if squares[l] > 0.0 else old
        state.extra[b, l] = extra
        change[l] = 1.0 / (1.0 + extra) - 1.0 / (1.0 + old)
    for i in range(kept):
        for l in range(LANES):  # noqa: E741
            scaled[l] = change[l] * new[i, l]
            B[i, l] = new[i, l]
        for j in range(i + 1):
            state.T[i, j] += product(scaled, new[j], LANES)
