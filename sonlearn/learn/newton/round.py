"""The sketched online Newton round, for all sketches: project, predict, add the row, step with the new sketch.

[SON] Algorithm 1, [RFD] Algorithm 3; optionally the projection comes last, for the row just learned ([RFD] Algorithm
6). A round writes no array of length d: it reads the s active features and appends one sparse row. The Newton step
stands at the end; generations (`coordinates`) keep d features up to date in O(m^2 + ms).

K classes may share one sketch. Class k has the gradient c_k x, c = h (softmax(z) - e_y), and the sum over the classes
of its outer products is |c|^2 x x': so the row that is sketched is sqrt(sigma + eta_t) |c| x, as with one class, and
the step of each class is w_k <- w_k - c_k A^-1 x with the same A.

Forgetting (--decay): before a round adds its row, A becomes A_0 + r (A - A_0), with A_0 = alpha_0 I and the retention
r = 1 - decay. The sketch and the mass that shrinks have added to alpha decay alike. alpha_0 comes from no example and
does not decay, so steps stay bounded in directions that the stream has abandoned. Where alpha_0 is 0, these keep `RANK`
of the sketch's mass in its place: of less, rounding would decide the steps. The factor of A is updated by rank-one
additions, without cancellation: O(m^3) a round.

Shrinkage (--l2): the arrays hold the weights in units of one number, `now.weight_scale`.

The Newton step, for all sketches: in the coordinates y = Q x of the orthonormal rows Q, A = alpha I + Q'H Q with
H = Q S'S Q'. With u = (H + alpha I)^-1 y and rho^2 = x'x - y'y

    A^-1 x = Q'u + f(alpha) (x - Q'y),        x'A^-1 x = y'u + f(alpha) rho^2,        f(lam) = 1/lam, f(0) = 0:

sums of squares without cancellation, and for alpha = 0 the pseudo-inverse, because the basis spans exactly the range of
A: rows enter it only with a non-zero gradient. So every change of the weights is a `Move`, two numbers.

K classes that share A have one move each, along the same x: work.along and work.aside hold them.

While rows are buffered, H + alpha I = L L' is stored as its Cholesky factor (LT = L'). If H is diagonal (after a
shrink, and for Oja), A^-1 x = f(alpha) x + Q'((f(alpha + D^2) - f(alpha)) y).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sonlearn.data.linear_algebra import (
    INVERSE,
    add_scaled,
    cholesky_update,
    clear,
    clear_first,
    dot,
    minus_dot,
    set_scaled,
    solve_lower,
    solve_upper,
    spectral,
)
from sonlearn.data.mixing import LOW, hash_bits
from sonlearn.data.rows import COUNT, entries, features_with, is_learned
from sonlearn.jit import fetch, inline
from sonlearn.learn.log import log_is_full
from sonlearn.learn.losses import row_scale, slopes, within_bounds
from sonlearn.learn.newton.coordinates import append, coordinates, move_wbar, pseudo_divide
from sonlearn.learn.newton.oja import oja_round
from sonlearn.learn.newton.rescale import ALL_GRADIENTS, learn_scales, rescaled, rescaled_by_all
from sonlearn.learn.tolerances import DIVERGED, DONE, FOLD, LARGEST, LIMIT, LOG_FULL, NEXT, RANK, SHRINK, STEP

#: If there are more features than this, those of the next row are prefetched.
LARGE_TABLE = 1 << 14
#: When `now.weight_scale` falls below this, it is multiplied into the arrays (FOLD): once in 345/l2 rounds.
MIN_WEIGHT_SCALE = 1e-150
#: Nor does A fade to less than this where alpha_0 is 0: the inverse of less would be infinite.
FADED = 1e-150


class RowGeometry(NamedTuple):
    """Norms of a row x that is being learned, and of its part outside of the basis."""

    scale: float  # s: the sketch receives s x
    xx: float  # x'x
    rho2: float  # squared length of the part of x outside of the basis, 0 if negligible
    quadratic: float  # x'A^-1 x


@inline
def run(params, state, work, rows, out, start, learns, oja, rare):
    """Predict and, where it `learns`, learn rows from `start` on until one needs more than a round; (next row, status).

    work.slope holds the slopes of the last row. With LOG_FULL, FOLD and DIVERGED the next row has not been learned.
    Arguments as for `newton.shrink.learn`.
    """
    now, prediction, raw = state.now[0], out.prediction, out.raw
    large, limit = len(state.table) > LARGE_TABLE, LIMIT if learns else LARGEST
    for i in range(start, len(rows.y)):
        if learns and log_is_full(now, state.maps):
            return i, LOG_FULL
        if learns and now.weight_scale < MIN_WEIGHT_SCALE:
            return i, FOLD
        if large and i + 1 < len(rows.y):
            fetch_features(state.features, state.table, rows.features[rows.indptr[i + 1] : rows.indptr[i + 2]])
        feats, values = entries(rows, i)
        xx = rescaled(params.rescale, state.features, feats, values, rows.unseen[i, COUNT], work.x)
        learned = learns and is_learned(rows.weight[i], rows.y[i])
        rho2, n_rest = coordinates(params, state, work, feats, xx, learned)
        for c in range(len(work.wx)):
            raw[i, c] = work.wx[c] * now.weight_scale + rows.base[i]
        if not (within_bounds(params.output, raw[i], prediction[i], limit) and xx <= limit * limit):
            return i, DIVERGED
        if not learned:
            continue
        slope = slopes(params.output, raw[i] if params.after else prediction[i], rows.y[i], rows.weight[i], work.slope)
        if len(rare) > 0 and params.rescale == ALL_GRADIENTS:
            xx = rescaled_by_all(state.features, feats, values, slope, work.x)
            rho2, n_rest = coordinates(params, state, work, feats, xx, learned)
        scale = row_scale(params.row_weight, slope, effective_rounds(params.retention, now.t + 1))
        # after a step of length e: times 1 - l2 e, but (as in `first_order`) at least half of it
        weight_scale = now.weight_scale * (1.0 - min(params.shrink * params.rate * rows.weight[i], 0.5))
        for c in range(len(work.slope)):
            work.slope[c] /= weight_scale
            work.wx[c] = work.wx[c] * weight_scale + rows.base[i]
        u = work.wx if params.after or params.rescale == ALL_GRADIENTS else raw[i]
        row = plan_projection(params, state, work, RowGeometry(scale, xx, rho2, 0.0), u, weight_scale)
        longest = max(scale, slope)
        bounded = longest * longest * xx <= LIMIT and row.quadratic < math.inf
        bounded = bounded and are_bounded(work.along, work.aside, weight_scale)
        if not (bounded and can_step(params, now.alpha, work.slope, row, weight_scale)):
            return i, DIVERGED
        if len(rare) > 0 and params.retention < 1.0:
            forget_past(params, now, state.basis, work.h)
            row = plan_projection(params, state, work, row, u, weight_scale)
        now.weight_scale = weight_scale
        count(now, feats)
        if oja is None:
            status = buffer_row(params, state, work, feats, row, n_rest)
        else:
            status = oja_round(params, state, work, feats, row, oja)
        learn_scales(params.rescale, state.features, feats, values, slope)
        if status != NEXT:
            return i + 1, status
    return len(rows.y), DONE


@inline(force=True)
def fetch_features(features, table, feats):
    """Prefetch the next row's features from memory: most of a large table is in no cache. Modifies nothing."""
    lines = (8 * table.shape[1] + 63) // 64
    for at in range(len(feats)):
        fetch(features, feats[at], 1)
        fetch(table, feats[at], lines)


@inline
def plan_projection(params, state, work, row, u, weight_scale):
    """work.along, work.aside <- moves that project onto the bounds in the norm of A; returns `row` with quadratic.

    u : float64[K], the w'x of the classes, not modified; weight_scale : float, unit of the weights after the round
    """
    now, quadratic = state.now[0], 0.0
    if params.kind == INVERSE:
        quadratic = solve(params, state, work, now.k + now.raw, row.rho2)
    for c in range(len(u)):
        move = Move(0.0, 0.0)
        if params.kind == INVERSE and not (params.after and row.scale * row.scale > 0.0):
            bound = min(max(u[c], params.output.low), params.output.high)
            move = projection(now.alpha, quadratic, row.rho2, (u[c] - bound) / weight_scale)
        work.along[c], work.aside[c] = move.along, move.rest
    return RowGeometry(row.scale, row.xx, row.rho2, quadratic)


@inline(force=True)
def are_bounded(along, aside, weight_scale):
    """Return whether moves, float64[K] both, not modified, are bounded in the unit `weight_scale`, as steps are."""
    bounded = True
    for c in range(len(along)):
        bounded = bounded and is_bounded(Move(along[c], aside[c]), weight_scale)
    return bounded


@inline(force=True)
def is_bounded(move, weight_scale):
    """Return whether a move is none beyond `LIMIT`: after it, other rows might all be refused."""
    return abs(move.along) * weight_scale <= LIMIT and abs(move.rest) * weight_scale <= LIMIT


@inline(force=True)
def can_step(params, alpha, slope, row, weight_scale):
    """Tell whether the row's steps are bounded. With alpha = 0 a step along a row outside of the range of A may not be.

    slope : float64[K], not modified; row : RowGeometry; weight_scale: unit of `slope`, 1e-150 or more,
    so that a step of 1e100 is 1e250 in the arrays.
    """
    s2 = row.scale * row.scale
    if alpha > 0.0 or s2 == 0.0 or params.kind != INVERSE:
        return True
    bounded = row.rho2 == 0.0 or s2 * row.rho2 >= 1.0 / LIMIT
    for c in range(len(slope)):
        bounded = bounded and is_bounded(newton(alpha, row, slope[c]), weight_scale)
    return bounded and quadratic_after(alpha, row) <= LIMIT * LIMIT


@inline(force=True)
def effective_rounds(retention, t):
    """Effective number of t rounds with forgetting: 1 + r + r^2 + ... for the retention r."""
    return t if retention == 1.0 else -math.expm1(t * math.log(retention)) / (1.0 - retention)


@inline(force=True)
def count(now, feats):
    """Count a round, its entries and its new features."""
    now.t += 1
    now.read += len(feats)
    now.seen = features_with(feats, now.seen)


@inline(force=True)
def add_along(q, y, by, r, grows, zx):
    """q <- Q (z + by x), where q was Q z.

    q : float64[r_max], modified; y : float64[r_max + 1], Q x, not modified; zx : float, z'x
    r : int, directions before the row; grows : bool, whether the row adds one
    """
    rest = minus_dot(zx, y, q, r)
    if grows:
        q[r] = rest / y[r]
    add_scaled(q, by, y, r + grows)


@inline(force=True)
def buffer_row(params, state, work, feats, row, n_rest):
    """Frequent directions: append the row and step with the new sketch, or leave the step to the shrink; a status.

    Modifies state and work; work.along and work.aside hold the projection's moves on entry. A row with zero gradient
    counts towards the 2m rows, as in the papers' pseudo-code.

    feats : int64[s], not modified; row : RowGeometry; n_rest : int, length of work.rest (see `coordinates`)
    """
    now, a = state.now[0], state.basis.a
    r, counts = now.k + now.raw, row.scale * row.scale > 0.0
    row, held = thinned_row(params, now, row)
    grows = held and counts and row.rho2 > 0.0
    full = held and now.held + 1 == params.held
    shrinks = full and r + grows >= params.m
    by_eigenvalues = params.kind != INVERSE
    if counts and not shrinks and not params.dual:
        add_step(params, now, work, row, grows)
    if shrinks and params.after and not counts:
        grows = leave_to_shrink(work.along, work.aside) and row.rho2 > 0.0
    moves = False
    for c in range(len(a)):
        moves = moves or work.aside[c] != 0.0
        add_scaled(a[c], -work.along[c], work.u, r)
    if grows:
        append(state, work, feats, row.rho2, n_rest)
        widen(state.basis, now.alpha, r)
        for c in range(len(a)):
            a[c, r] = -work.aside[c] * work.y[r]
    elif moves:
        for c in range(len(a)):
            add_scaled(a[c], work.aside[c], work.y, r)
            work.aside[c] = -work.aside[c]
        move_wbar(state.table, feats, work.x, work.aside)
    if params.dual and counts:
        for c in range(len(a)):
            add_along(state.basis.q[c], work.y, work.slope[c], r, grows, work.wbar_x[c])
        move_wbar(state.table, feats, work.x, work.slope)
    if held:
        now.held = params.m - 1 if full else now.held + 1
    if held and counts:
        add_outer_product(state.basis, work.y, r + grows, row.scale, not by_eigenvalues, work.h)
    return SHRINK if shrinks else (STEP if by_eigenvalues and counts else NEXT)


@inline(force=True)
def leave_to_shrink(along, aside):
    """Set a row's moves to 0 and return whether there were any: the shrink projects, in the norm of its A.

    If there was one, the basis must contain the row's direction even though no row has a component along it.
    """
    stepped = False
    for c in range(len(along)):
        stepped = stepped or along[c] != 0.0 or aside[c] != 0.0
        along[c] = aside[c] = 0.0
    return stepped


@inline(force=True)
def thinned_row(params, now, row):
    """(the row for the buffer, whether the buffer takes it now); modifies now.mass and now.taken.

    Without thinning the buffer takes every row. With thinning it takes a row when this row and the rows omitted since
    the last one taken have a given share of alpha in squared length. The row then represents all of them: its
    direction, their length. The share is `thin` times a factor from 0.5 to 1.5, a hash of how many rows were taken: as
    random as no sequence that is spread evenly, which may be in phase with a period of the stream. An omitted row steps
    with A and itself, a row taken with A and the rows it represents.
    """
    if params.thin == 0.0:
        return row, True
    now.mass += row.scale * row.scale * row.xx
    share = params.thin * (0.5 + hash_bits(now.taken) / (LOW + 1.0))
    if row.scale == 0.0 or now.mass < share * now.alpha or row.xx == 0.0:
        return row, False
    row = RowGeometry(math.sqrt(now.mass / row.xx), row.xx, row.rho2, row.quadratic)
    now.mass = 0.0
    now.taken += 1
    return row, True


@inline(force=True)
def add_step(params, now, work, row, grows):
    """Add each class's step to its move in work.along and work.aside.

    If the step needs eigenvalues, only its part outside of the basis is added here; status STEP requests the rest.
    """
    for c in range(len(work.slope)):
        if params.kind == INVERSE:
            slope = projected_slope(
                params, now.weight_scale, work.wx[c], work.slope[c], quadratic_after(now.alpha, row)
            )
            step = newton(now.alpha, row, slope)
        else:
            step = Move(0.0, 0.0 if grows else spectral(params.kind, now.alpha, 0.0, params.rate * work.slope[c]))
        work.along[c] += step.along
        work.aside[c] += step.rest


@inline
def forget_past(params, now, basis, h):
    """A <- A_0 + retention (A - A_0), and the sums of Oja's rule likewise.

    params : NewtonParams; now, basis : of NewtonState, modified in place; h : float64[r_max], overwritten
    """
    retention = params.retention
    now.alpha = params.base + retention * (now.alpha - params.base)
    now.restored *= retention
    now.mass *= retention
    now.oja_sum *= retention
    set_scaled(basis.D2, retention, basis.D2, len(basis.D2))
    if not params.buffered:
        return
    r, root, mass = now.k + now.raw, math.sqrt(retention), 0.0
    for i in range(r):
        set_scaled(basis.H[i], retention, basis.H[i], r)
        mass += basis.H[i, i]
        set_scaled(basis.LT[i], root, basis.LT[i], r)
    for i in range(min(r, len(basis.RT))):
        set_scaled(basis.RT[i], root, basis.RT[i], r)
    if params.kind != INVERSE:
        return
    least = params.base
    if least == 0.0:
        least = FADED + RANK * mass
        now.alpha = now.alpha if now.alpha > least else 0.0
    for i in range(r):
        clear_first(h, r)
        h[i] = math.sqrt((1.0 - retention) * least)
        cholesky_update(basis.LT, r, h)


# ------------------------------------------------------------------------------------------------------ the Newton step


class Move(NamedTuple):
    """w -= along Q'u + rest (x - Q'y)."""

    along: float
    rest: float


@inline(force=True)
def solve(params, state, work, r, rho2):
    """work.u[:r] <- (H + alpha I)^-1 work.y[:r]; returns x'A^-1 x. Modifies work.u and work.h only."""
    alpha, y, h, u = state.now[0].alpha, work.y, work.h, work.u
    if params.buffered:
        solve_lower(state.basis.LT, r, y, h)
        solve_upper(state.basis.LT, r, h, u)
        quadratic = dot(h, h, r)
    else:
        for i in range(r):
            u[i] = y[i] / (alpha + state.basis.D2[i])
        quadratic = dot(y, u, r)
    return quadratic + pseudo_divide(alpha, rho2)


@inline(force=True)
def projection(alpha, quadratic, rho2, excess):
    """The `Move` onto |w'x| <= C in the norm of A ([SON] Lemma 1); `excess` is u'x minus its projection.

    If alpha = 0 and x is not in the range of A, only the part of x outside of the range moves: that costs nothing.
    """
    if excess == 0.0 or (quadratic == 0.0 and rho2 == 0.0):  # the latter means x = 0: no move changes w'x
        return Move(0.0, 0.0)
    if alpha == 0.0 and rho2 > 0.0:
        return Move(0.0, excess / rho2)
    along = excess / quadratic
    return Move(along, pseudo_divide(alpha, along))


@inline(force=True)
def newton(alpha, row, slope):
    """The `Move` A^-1 g for g = slope x. A includes the row s x; `row` describes A before it (Sherman-Morrison)."""
    s2 = row.scale * row.scale
    if alpha == 0.0 and row.rho2 > 0.0:
        return Move(0.0, slope / (s2 * row.rho2))
    along = slope / (1.0 + s2 * row.quadratic)
    return Move(along, pseudo_divide(alpha, along))


@inline(force=True)
def quadratic_after(alpha, row):
    """x'A^-1 x where A includes the row s x; `row` describes A before it."""
    s2 = row.scale * row.scale
    if alpha == 0.0 and row.rho2 > 0.0:
        return 1.0 / s2
    return row.quadratic / (1.0 + s2 * row.quadratic)


@inline(force=True)
def projected_slope(params, weight_scale, u, slope, quadratic):
    """Slope of step and projection together, if the projection follows the step ([RFD] Algorithm 6, lines 16, 17).

    Both go along A^-1 x with the same A. `quadratic` is x'A^-1 x, `u` is w'x before the step, and `weight_scale` is the
    unit of `slope`. If `quadratic` is 0, x is orthogonal to the range of A and the step does not change w'x.
    """
    if not params.after:
        return slope
    end = u - weight_scale * slope * quadratic
    bound = min(max(end, params.output.low), params.output.high)
    return slope if end == bound or quadratic == 0.0 else (u - bound) / (weight_scale * quadratic)


@inline(force=True)
def widen(basis, alpha, r):
    """Add direction r, in which no row has a component yet, to H, LT and RT (all modified)."""
    H, LT, RT = basis.H, basis.LT, basis.RT
    for i in range(r + 1):
        H[r, i] = H[i, r] = LT[i, r] = 0.0
        if len(RT) > 0:
            RT[i, r] = 0.0
    LT[r, r] = math.sqrt(alpha)


@inline(force=True)
def add_outer_product(basis, y, r, scale, factorise, h):
    """H <- H + s^2 y y' for y[:r], and RT; with `factorise`, LT likewise. Overwrites h."""
    for i in range(r):
        add_scaled(basis.H[i], scale * scale * y[i], y, r)
    if factorise:
        set_scaled(h, scale, y, r)
        cholesky_update(basis.LT, r, h)
    if len(basis.RT) > 0:
        set_scaled(h, scale, y, r)
        cholesky_update(basis.RT, r, h)


@inline
def reset_factor(now, basis, n_kept):
    """H, LT and RT (all overwritten) of the kept directions alone, in whose coordinates they are diagonal."""
    clear(basis.H)
    clear(basis.LT)
    clear(basis.RT)
    for i in range(n_kept):
        basis.H[i, i] = basis.D2[i]
        basis.LT[i, i] = math.sqrt(now.alpha + (basis.D2[i] + now.restored))
        if len(basis.RT) > 0:
            basis.RT[i, i] = math.sqrt(basis.D2[i])
    for i in range(n_kept, len(basis.D2)):
        basis.D2[i] = 0.0
