"""The sketched online Newton round, once for all sketches: project, predict, take the row, step with the new sketch.

[SON] Algorithm 1, [RFD] Algorithm 5. A round writes no array of length d: it reads what it needs at the s active
features and appends one sparse row. What a step is stands in `step`, how d features are kept up to date in O(m^2 + ms)
in `sparse_time`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sonlearn.jit import bare_inline, bare_jit
from sonlearn.learn.fading import SMALLEST, fade, start_at_one
from sonlearn.learn.losses import loss_slope
from sonlearn.learn.oja import oja_round
from sonlearn.learn.rescale import learn_scales, rescaled
from sonlearn.learn.sparse_time import append, coordinates, log_is_full, move_wbar
from sonlearn.learn.spectrum import INVERSE, f
from sonlearn.learn.state import ETA_CONSTANT, ETA_OVER_T
from sonlearn.learn.status import DIVERGED, DONE, LOG_FULL, NEXT, SHRINK, STEP
from sonlearn.learn.step import Move, newton, projection, solve, take_in, widen
from sonlearn.learn.tolerances import LIMIT


class Row(NamedTuple):
    """The numbers of a row x that is being learned from."""

    slope: float  # h l'(p, y), in the unit in which the weights stand: g = slope x
    scale: float  # s: the row that is sketched is s x
    xx: float  # x'x
    rho2: float  # squared part of x outside of the basis, 0 if negligible
    quadratic: float  # x'A^-1 x


@bare_jit
def run(params, state, work, rows, extra, out, start):
    """Learn rows from `start` on, until one needs more than a round; returns (next row, status, slope of the last).

    For LOG_FULL and DIVERGED the next row has not been learned. Arguments as in `newton.learn`.
    """
    now, prediction, raw = state.now[0], out.prediction, out.raw
    for i in range(start, len(rows.y)):
        if log_is_full(state):
            return i, LOG_FULL, 0.0
        if now.left < SMALLEST:
            start_at_one(state)
        feats = rows.features[rows.indptr[i] : rows.indptr[i + 1]]
        values = rows.values[rows.indptr[i] : rows.indptr[i + 1]]
        xx = rescaled(params, state, feats, values, extra[i], work.x)
        wx, rho2, n_rest, zx = coordinates(params, state, work, feats, xx)
        u = wx * now.left + rows.base[i]
        if not (abs(u) <= LIMIT and xx <= LIMIT * LIMIT):
            return i, DIVERGED, 0.0
        raw[i] = u
        prediction[i] = min(max(u, params.low), params.high)
        if math.isnan(rows.y[i]) or rows.weight[i] == 0.0:
            continue
        slope = rows.weight[i] * loss_slope(params.loss, prediction[i], rows.y[i])
        left, excess = left_of(params, now.left, rows.weight[i]), u - prediction[i]
        scale = row_scale(params, slope, remembered(params, now.t + 1))
        row, move = plan(params, state, work, Row(slope / left, scale, xx, rho2, 0.0), excess / left)
        if not (math.isfinite(scale * scale * xx * xx) and math.isfinite(move.along) and math.isfinite(move.rest)):
            return i, DIVERGED, 0.0
        if params.keep < 1.0:
            fade(params, state, work)
            row, move = plan(params, state, work, row, excess / left)
        now.left = left
        count(state, feats)
        if params.buffered:
            status = buffer_row(params, state, work, feats, row, move, (n_rest, zx))
        else:
            status = oja_round(params, state, work, feats, row, move)
        learn_scales(params, state, feats, values, slope)
        if status != NEXT:
            return i + 1, status, params.rate * row.slope
    return len(rows.y), DONE, 0.0


@bare_inline
def plan(params, state, work, row, excess):
    """(`row` with its quadratic, the projection's move), by A as it stands."""
    if params.kind != INVERSE:
        return row, Move(0.0, 0.0)
    now = state.now[0]
    quadratic = solve(params, state, work, now.k + now.raw, row.rho2)
    return (
        Row(row.slope, row.scale, row.xx, row.rho2, quadratic), projection(now.alpha, quadratic, row.rho2, excess)
    )  # fmt: skip


@bare_inline
def left_of(params, left, h):
    """`left` after a round: times 1 - l2 e for a step of length e, and as in `first_order` half of it at least."""
    return left * (1.0 - min(params.shrink * params.rate * h, 0.5))


@bare_inline
def remembered(params, t):
    """How many of t rounds are not forgotten: 1 + keep + keep^2 + ..."""
    return t if params.keep == 1.0 else -math.expm1(t * math.log(params.keep)) / (1.0 - params.keep)


@bare_inline
def row_scale(params, slope, t):
    """sqrt(sigma + eta_t) |l'|: the row that is sketched is this times x."""
    eta = params.eta
    if params.eta_kind != ETA_CONSTANT:
        eta = 1.0 / t if params.eta_kind == ETA_OVER_T else 1.0 / math.sqrt(t)
    return math.sqrt(params.sigma + eta) * abs(slope)


@bare_inline
def count(state, feats):
    """A round more, and what it has read."""
    now = state.now[0]
    now.t += 1
    now.read += len(feats)
    seen = now.seen
    for at in range(len(feats)):
        seen = max(seen, feats[at] + 1)
    now.seen = seen


@bare_inline
def add_along(q, y, by, basis):
    """q = Q z for z + by x, y = Q x; `basis`: (directions before the row, whether it brings one, z'x before it)."""
    r, grows, rest = basis
    for i in range(r):
        rest -= y[i] * q[i]
    if grows:
        q[r] = rest / y[r]
    for i in range(r + grows):
        q[i] += by * y[i]


@bare_inline
def buffer_row(params, state, work, feats, row, move, read):
    """Frequent directions: append the row, and step with the new sketch or leave that to the shrink; a status.

    `move` is the projection's; `read` is what `coordinates` gives last. A row with zero gradient counts towards the 2m
    rows, as in the papers' pseudo-code.
    """
    now, a, (n_rest, zx) = state.now[0], state.basis.a, read
    r, counts = now.k + now.raw, row.scale * row.scale > 0.0
    grows = counts and row.rho2 > 0.0
    full = now.held + 1 == params.held
    shrinks = full and r + grows >= params.m
    spectral = params.kind != INVERSE
    if counts and not shrinks and not params.dual:
        step = newton(now.alpha, row, row.rho2)
        if spectral:  # in the basis; the rest is a status
            step = Move(0.0, 0.0 if grows else f(params.kind, now.alpha, 0.0, params.rate * row.slope))
        move = Move(move.along + step.along, move.rest + step.rest)
    for i in range(r):
        a[i] -= move.along * work.u[i]
    if grows:
        append(state, work, feats, row.rho2, n_rest)
        widen(state, r)
        a[r] = -move.rest * work.y[r]
    elif move.rest != 0.0:
        for i in range(r):
            a[i] += move.rest * work.y[i]
        move_wbar(state, work, feats, -move.rest)
    if params.dual and counts:
        add_along(state.basis.q[0], work.y, row.slope, (r, grows, zx))
        move_wbar(state, work, feats, row.slope)
    now.held = params.m - 1 if full else now.held + 1
    if counts:
        take_in(state, work, r + grows, row.scale, not (shrinks or spectral))
    return SHRINK if shrinks else (STEP if spectral and counts else NEXT)
