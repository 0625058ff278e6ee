"""The sketched online Newton round, once for all sketches: project, predict, take the row, step with the new sketch.

[SON] Algorithm 1, [RFD] Algorithm 3; or the projection comes last, for the row just learned ([RFD] Algorithm 6). A
round writes no array of length d: it reads what it needs at the s active features and appends one sparse row. What a
step is stands in `step`, how d features are kept up to date in O(m^2 + ms) in `sparse_time`.

K classes may share one sketch. Class k has the gradient c_k x, c = h (softmax(z) - e_y), and the sum over the classes
of its outer products is |c|^2 x x': so the row that is sketched is sqrt(sigma + eta_t) |c| x, as with one class, and
the step of each class is w_k <- w_k - c_k A^-1 x with the same A.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sonlearn.jit import bare_inline, fetch, forced_inline
from sonlearn.learn.losses import loss_slope, softmax_slopes
from sonlearn.learn.newton.forgetting import SMALLEST, forget_past, start_at_one
from sonlearn.learn.newton.oja import oja_round
from sonlearn.learn.newton.rescale import OWN, learn_scales, rescaled, rescaled_by_all
from sonlearn.learn.newton.sparse_time import append, coordinates, log_is_full, move_wbar
from sonlearn.learn.newton.state import ETA_CONSTANT, ETA_OVER_T
from sonlearn.learn.newton.step import Move, landing, newton, projection, quadratic_after, solve, take_in, widen
from sonlearn.learn.spectrum import INVERSE, f
from sonlearn.learn.status import DIVERGED, DONE, LOG_FULL, NEXT, SHRINK, STEP
from sonlearn.learn.tolerances import LIMIT

#: The golden ratio less 1.
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


class Row(NamedTuple):
    """The numbers of a row x that is being learned from."""

    scale: float  # s: the row that is sketched is s x
    xx: float  # x'x
    rho2: float  # squared part of x outside of the basis, 0 if negligible
    quadratic: float  # x'A^-1 x


@bare_inline
def run(params, state, work, rows, extra, out, start):
    """Learn rows from `start` on, until one needs more than a round; returns (next row, status).

    work.slope has the slopes of the last row. For LOG_FULL and DIVERGED the next row has not been learned.
    Arguments as in `newton.learn`.
    """
    now, prediction, raw = state.now[0], out.prediction, out.raw
    for i in range(start, len(rows.y)):
        if log_is_full(state):
            return i, LOG_FULL
        if now.left < SMALLEST:
            start_at_one(state)
        if i + 1 < len(rows.y):
            fetch_features(state, rows.features[rows.indptr[i + 1] : rows.indptr[i + 2]])
        feats = rows.features[rows.indptr[i] : rows.indptr[i + 1]]
        values = rows.values[rows.indptr[i] : rows.indptr[i + 1]]
        xx = rescaled(params, state, feats, values, extra[i], work.x)
        learned = rows.weight[i] != 0.0 and not math.isnan(rows.y[i])
        rho2, n_rest = coordinates(params, state, work, feats, xx, learned)
        if not (say(params, now.left, work.wx, rows.base[i], (raw[i], prediction[i])) and xx <= LIMIT * LIMIT):
            return i, DIVERGED
        if not learned:
            continue
        slope = slopes(params, raw[i] if params.after else prediction[i], rows.y[i], rows.weight[i], work.slope)
        if params.rescale == OWN:
            xx = rescaled_by_all(state, feats, values, slope, work.x)
            rho2, n_rest = coordinates(params, state, work, feats, xx, learned)
        scale, left = row_scale(params, slope, remembered(params, now.t + 1)), left_of(params, now.left, rows.weight[i])
        for c in range(len(work.slope)):
            work.slope[c] /= left
            work.wx[c] = work.wx[c] * left + rows.base[i]
        row, u = Row(scale, xx, rho2, 0.0), work.wx if params.after or params.rescale == OWN else raw[i]
        row = plan(params, state, work, row, u, left)
        longest = max(scale, slope)
        finite = longest * longest * xx <= LIMIT and are_finite(work)
        if not (finite and can_step(params, now.alpha, work.slope, row, left)):
            return i, DIVERGED
        if params.keep < 1.0:
            forget_past(params, state, work)
            row = plan(params, state, work, row, u, left)
        now.left = left
        count(state, feats)
        if params.buffered:
            status = buffer_row(params, state, work, feats, row, n_rest)
        else:
            status = oja_round(params, state, work, feats, row)
        learn_scales(params, state, feats, values, slope)
        if status != NEXT:
            return i + 1, status
    return len(rows.y), DONE


@forced_inline
def fetch_features(state, feats):
    """Begin to read what is known of the features of the row that comes next: most of a large table is in no cache."""
    lines = (8 * state.table.shape[1] + 63) // 64
    for at in range(len(feats)):
        fetch(state.features, feats[at], 1)
        fetch(state.table, feats[at], lines)


@forced_inline
def say(params, left, wx, base, said):
    """`said`, a place a class: (raw <- left w'x + base, prediction <- that within bounds); False: one is too large."""
    raw, prediction = said
    for c in range(len(wx)):
        u = wx[c] * left + base
        if not abs(u) <= LIMIT:
            return False
        raw[c] = u
        prediction[c] = min(max(u, params.low), params.high)
    return True


@forced_inline
def slopes(params, prediction, y, h, out):
    """out <- the multiples of x that the gradients of the classes are; returns their length."""
    if params.classes > 0:
        return softmax_slopes(prediction, int(y), h, out)
    out[0] = h * loss_slope(params.loss, prediction[0], y)
    return abs(out[0])


@forced_inline
def plan(params, state, work, row, u, left):
    """work.along, work.aside <- the moves of the projection by A as it stands; returns `row` with its quadratic.

    `u` are w'x of the classes, what is projected onto the bounds; `left` is the unit in which the weights will stand.
    """
    now, quadratic = state.now[0], 0.0
    if params.kind == INVERSE:
        quadratic = solve(params, state, work, now.k + now.raw, row.rho2)
    for c in range(len(u)):
        move = Move(0.0, 0.0)
        if params.kind == INVERSE and not (params.after and row.scale * row.scale > 0.0):
            move = projection(now.alpha, quadratic, row.rho2, (u[c] - min(max(u[c], params.low), params.high)) / left)
        work.along[c], work.aside[c] = move.along, move.rest
    return Row(row.scale, row.xx, row.rho2, quadratic)


@forced_inline
def are_finite(work):
    """Whether the moves are."""
    finite = True
    for c in range(len(work.along)):
        finite = finite and math.isfinite(work.along[c]) and math.isfinite(work.aside[c])
    return finite


@forced_inline
def can_step(params, alpha, slope, row, left):
    """Whether the row's steps are numbers: with alpha = 0 a row that A does not see is moved along without bounds.

    `left` is the unit of `slope`, 1e-150 or more: a step of 1e100 is 1e250 in the arrays.
    """
    s2 = row.scale * row.scale
    if alpha > 0.0 or s2 == 0.0 or params.kind != INVERSE:
        return True
    finite = row.rho2 == 0.0 or s2 * row.rho2 >= 1.0 / LIMIT
    for c in range(len(slope)):
        step = newton(alpha, row, slope[c])
        finite = finite and abs(step.along) * left <= LIMIT and abs(step.rest) * left <= LIMIT
    return finite and quadratic_after(alpha, row) <= LIMIT * LIMIT


@forced_inline
def left_of(params, left, h):
    """`left` after a round: times 1 - l2 e for a step of length e, and as in `first_order` half of it at least."""
    return left * (1.0 - min(params.shrink * params.rate * h, 0.5))


@forced_inline
def remembered(params, t):
    """How many of t rounds are not forgotten: 1 + keep + keep^2 + ..."""
    return t if params.keep == 1.0 else -math.expm1(t * math.log(params.keep)) / (1.0 - params.keep)


@forced_inline
def row_scale(params, slope, t):
    """sqrt(sigma + eta_t) |slope|: the row that is sketched is this times x."""
    eta = params.eta
    if params.eta_kind != ETA_CONSTANT:
        eta = 1.0 / t if params.eta_kind == ETA_OVER_T else 1.0 / math.sqrt(t)
    return math.sqrt(params.sigma + eta) * abs(slope)


@forced_inline
def count(state, feats):
    """A round more, and what it has read."""
    now = state.now[0]
    now.t += 1
    now.read += len(feats)
    seen = now.seen
    for at in range(len(feats)):
        seen = max(seen, feats[at] + 1)
    now.seen = seen


@forced_inline
def add_along(q, y, by, basis):
    """q = Q z for z + by x, y = Q x; `basis`: (directions before the row, whether it brings one, z'x before it)."""
    r, grows, rest = basis
    for i in range(r):
        rest -= y[i] * q[i]
    if grows:
        q[r] = rest / y[r]
    for i in range(r + grows):
        q[i] += by * y[i]


@forced_inline
def buffer_row(params, state, work, feats, row, n_rest):
    """Frequent directions: append the row, and step with the new sketch or leave that to the shrink; a status.

    work.along and work.aside are the projection's. A row with zero gradient counts towards the 2m rows, as in the
    papers' pseudo-code.
    """
    now, a = state.now[0], state.basis.a
    r, counts = now.k + now.raw, row.scale * row.scale > 0.0
    row, held = gathered(params, now, row)
    grows = held and counts and row.rho2 > 0.0
    full = held and now.held + 1 == params.held
    shrinks = full and r + grows >= params.m
    spectral = params.kind != INVERSE
    if counts and not shrinks and not params.dual:
        add_step(params, now, work, row, grows)
    if shrinks and params.after and not counts:
        grows = leave_to_shrink(work) and row.rho2 > 0.0
    moves = False
    for c in range(len(a)):
        moves = moves or work.aside[c] != 0.0
        for i in range(r):
            a[c, i] -= work.along[c] * work.u[i]
    if grows:
        append(state, work, feats, row.rho2, n_rest)
        widen(state, r)
        for c in range(len(a)):
            a[c, r] = -work.aside[c] * work.y[r]
    elif moves:
        for c in range(len(a)):
            for i in range(r):
                a[c, i] += work.aside[c] * work.y[i]
            work.aside[c] = -work.aside[c]
        move_wbar(state, work, feats, work.aside)
    if params.dual and counts:
        for c in range(len(a)):
            add_along(state.basis.q[c], work.y, work.slope[c], (r, grows, work.own[c]))
        move_wbar(state, work, feats, work.slope)
    if held:
        now.held = params.m - 1 if full else now.held + 1
    if held and counts:
        take_in(state, work, r + grows, row.scale, not (shrinks or spectral))
    return SHRINK if shrinks else (STEP if spectral and counts else NEXT)


@forced_inline
def leave_to_shrink(work):
    """No moves: the shrink that follows projects, in the norm of A as it is then. Returns whether there were any.

    Where there were the row's direction has to be in the basis, though nothing has been along it.
    """
    moved = False
    for c in range(len(work.along)):
        moved = moved or work.along[c] != 0.0 or work.aside[c] != 0.0
        work.along[c] = work.aside[c] = 0.0
    return moved


@forced_inline
def gathered(params, now, row):
    """(the row as the buffer would hold it, whether it is to be held now).

    Without thinning every row counts towards the 2m. With it a row is held when it and those left out since the last
    one that was held have a share of alpha in squared length, and stands for all of them: its direction, their length.
    The share is `thin` times 0.5 to 1.5, by the golden ratio's multiples, which are spread evenly over any stretch of
    them: so no period of the stream goes with that of the rows held. A row that is left out makes its step with A and
    the row itself, one that is held with A and what it stands for.
    """
    if params.thin == 0.0:
        return row, True
    now.mass += row.scale * row.scale * row.xx
    turn = GOLDEN * now.taken
    share = params.thin * (0.5 + (turn - math.floor(turn)))
    if row.scale == 0.0 or now.mass < share * now.alpha or row.xx == 0.0:
        return row, False
    row = Row(math.sqrt(now.mass / row.xx), row.xx, row.rho2, row.quadratic)
    now.mass = 0.0
    now.taken += 1
    return row, True


@forced_inline
def add_step(params, now, work, row, grows):
    """Add each class's step to its move; of a spectral one, what is outside of the basis (the rest is a status)."""
    for c in range(len(work.slope)):
        if params.kind == INVERSE:
            slope = landing(params, now.left, work.wx[c], work.slope[c], quadratic_after(now.alpha, row))
            step = newton(now.alpha, row, slope)
        else:
            step = Move(0.0, 0.0 if grows else f(params.kind, now.alpha, 0.0, params.rate * work.slope[c]))
        work.along[c] += step.along
        work.aside[c] += step.rest
