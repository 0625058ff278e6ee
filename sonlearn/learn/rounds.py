"""The sketched online Newton round, once for all sketches: project, predict, take the row, step with the new sketch.

[SON] Algorithm 1, [RFD] Algorithm 5, in the coordinates y = Q x of an orthonormal basis Q = [V; q_1..q_R] of the rows
in the buffer. There A = alpha I + Q'H Q, so with L L' = H + alpha I and rho^2 = x'x - y'y
    A^-1 x = (1/alpha) (x - Q'y) + Q' L^-T L^-1 y,        x'A^-1 x = rho^2/alpha + |L^-1 y|^2,
sums of squares without cancellation. With alpha = 0 the pseudo-inverse is the same without the first term, because the
basis spans exactly the range of A: rows enter it only with a gradient that is not zero. A round writes no array of
length d: it reads what it needs at the s active features and appends one sparse row.
"""

from __future__ import annotations

import math

from sonlearn.jit import bare_inline, bare_jit
from sonlearn.learn.dense import add_outer, cholesky_update, solve_lower, solve_upper
from sonlearn.learn.generations import refresh_all
from sonlearn.learn.losses import loss_slope
from sonlearn.learn.oja import oja_round
from sonlearn.learn.residual import look_again
from sonlearn.learn.state import (
    ALPHA,
    CAPACITY,
    COUNT,
    ETA_CONSTANT,
    ETA_OVER_T,
    FEATURES,
    GEN,
    HEAD,
    LOCAL,
    N_LOCAL,
    NONE,
    OJA,
    READ,
    SEEN,
    SQUARES,
    WBAR,
    K,
    R,
    T,
)  # fmt: skip
from sonlearn.learn.status import DIVERGED, DONE, LOG_FULL, NEXT, SHRINK

#: A row whose part outside of the basis has a squared norm below this multiple of x'x lies in its span: where that is a
#: question of rank (the pseudo-inverse, a new direction for Oja); and where only noise may be dropped, of a difference
#: of squares and of a difference computed itself (the sketch misses what is dropped in first order: its root).
EPS_SPAN, EPS_NOISE, EPS_LOOK = 1e-12, 1e-14, 1e-26
#: A second look (`residual`) is taken at rows that stick out by less than this share of x'x. Not for Oja, whose rule
#: asks for V x and not for coordinates.
SMALL = 1e-3
#: A raw score beyond this has diverged, however far from infinite: what is computed from it squares it and more.
LIMIT = 1e100
#: [SON] section 5.2: what D_t begins with.
DIAGONAL_START = 0.1


@bare_jit
def run(params, state, work, rows, prediction, raw, start):
    """Learn rows from `start` on, until one needs more than a round; returns (next row, status, slope of the last).

    For LOG_FULL and DIVERGED the next row has not been learned. Arguments as in `newton.learn`.
    """
    for i in range(start, len(rows.y)):
        if state.counters[GEN] == state.counters[CAPACITY]:
            return i, LOG_FULL, 0.0
        feats = rows.features[rows.indptr[i] : rows.indptr[i + 1]]
        values = rows.values[rows.indptr[i] : rows.indptr[i + 1]]
        u, xx = read(params, state, work, feats, values)
        change, rho2, n_rest = outside(params, state, work, feats, xx)
        u += change + rows.base[i]
        if not (abs(u) <= LIMIT and xx <= LIMIT * LIMIT):
            return i, DIVERGED, 0.0
        raw[i] = u
        prediction[i] = min(max(u, -params.clip), params.clip)
        if math.isnan(rows.y[i]) or rows.weight[i] == 0.0:
            continue
        slope = rows.weight[i] * loss_slope(params.loss, prediction[i], rows.y[i])
        status = step(params, state, work, feats, values, u - prediction[i], slope, (xx, rho2, n_rest))
        if status == DIVERGED:
            return i, status, 0.0
        if status != NEXT:
            return i + 1, status, slope
    return len(rows.y), DONE, 0.0


@bare_inline
def read(params, state, work, feats, values):
    """Fill work.x (the row as the learner sees it), Z x, y = Q x; returns (w'x, x'x)."""
    table, X, owner, zx, rx, xs = state.table, state.raw.X, state.raw.owner, work.zx, work.rx, work.x
    M, n_raw, n_local = len(zx), state.counters[R], state.counters[N_LOCAL]
    refresh_all(state, feats, work.z)
    for j in range(M):
        zx[j] = 0.0
    for j in range(n_raw):
        rx[j] = 0.0
    wx = xx = 0.0
    for at in range(len(feats)):
        f, x = feats[at], values[at]
        if params.diagonal:
            x /= math.sqrt(DIAGONAL_START + table[f, SQUARES])
        xs[at] = x
        xx += x * x
        wx += x * table[f, WBAR]
        for j in range(M):
            zx[j] += x * table[f, HEAD + j]
        local = int(table[f, LOCAL])
        if 0 <= local < n_local and owner[local] == f:
            for j in range(n_raw):
                rx[j] += x * X[local, j]
    return wx + coordinates(state, work), xx


@bare_inline
def coordinates(state, work):
    """work.y <- Q x from Z x and X x; returns beta'Z x + a'y."""
    k, n_raw, y = state.counters[K], state.counters[R], work.y
    FT, G = state.factor.FT, state.basis.G
    total = 0.0
    for i in range(k):
        y[i] = 0.0
    for j in range(len(FT)):
        zx = work.zx[j]
        total += zx * state.factor.beta[j]
        for i in range(k):
            y[i] += zx * FT[j, i]
    for i in range(n_raw):
        rest = work.rx[i]
        for j in range(k + i):
            rest -= G[i, j] * y[j]
        y[k + i] = rest / G[i, k + i]
    for i in range(k + n_raw):
        total += y[i] * state.basis.a[i]
    return total


@bare_inline
def outside(params, state, work, feats, xx):
    """(what a second look changes w'x by, squared part of x outside of the basis or 0, length of work.rest if used)."""
    change, rho2, noise, n_rest = 0.0, xx, EPS_NOISE, 0
    for i in range(state.counters[K] + state.counters[R]):
        rho2 -= work.y[i] * work.y[i]
    if rho2 < SMALL * xx and params.sketch != OJA and state.counters[SEEN] <= FEATURES * len(feats):
        change, rho2, n_rest = look_again(state, work, feats)
        noise = EPS_LOOK
    if state.reals[ALPHA] == 0.0 or params.sketch == OJA:
        noise = EPS_SPAN
    return change, rho2 if rho2 > noise * xx else 0.0, n_rest


@bare_inline
def step(params, state, work, feats, values, excess, slope, norms):
    """Everything of a round after the prediction, but for what `newton.learn` does; returns a status.

    `excess` is u'x less its projection; `slope` is h l'(p, y); `norms` is x'x, its part outside of the basis, and the
    length of work.rest, 0 if there has been no second look. Nothing is changed if the status is DIVERGED.
    """
    counters = state.counters
    r = counters[K] + counters[R]
    xx, rho2, n_rest = norms
    scale = row_scale(params, slope, counters[T] + 1)
    along, rest = project(params, state, work, r, rho2, excess)
    if not (math.isfinite(scale * scale * xx * xx) and math.isfinite(along) and math.isfinite(rest)):
        return DIVERGED
    if params.sketch == OJA or params.sketch == NONE:
        move(state, work, feats, r, along, rest)
    counters[T] += 1
    counters[READ] += len(feats)
    for at in range(len(feats)):
        counters[SEEN] = max(counters[SEEN], feats[at] + 1)
    status = NEXT
    if params.sketch == OJA:
        status = oja_round(params, state, work, feats, slope, scale, xx, rho2)
    elif params.sketch == NONE:
        move(state, work, feats, 0, 0.0, slope / state.reals[ALPHA])
    else:
        status = buffered_round(params, state, work, feats, slope, scale, (rho2, n_rest), (along, rest))
    if params.diagonal:
        table = state.table
        for at in range(len(feats)):
            table[feats[at], SQUARES] += (slope * values[at]) ** 2
    return status


@bare_inline
def row_scale(params, slope, t):
    """sqrt(sigma + eta_t) |l'|: the row that is sketched is this times x."""
    eta = params.eta
    if params.eta_kind != ETA_CONSTANT:
        eta = 1.0 / t if params.eta_kind == ETA_OVER_T else 1.0 / math.sqrt(t)
    return math.sqrt(params.sigma + eta) * abs(slope)


@bare_inline
def project(params, state, work, r, rho2, excess):
    """Closed-form projection onto |w'x| <= C, and work.u <- L^-T L^-1 y for the step.

    Returns (along, rest): w = u - along Q'work.u - rest (x - Q'y).
    """
    alpha, y, quadratic = state.reals[ALPHA], work.y, 0.0
    if params.sketch == OJA:
        for i in range(r):
            work.u[i] = y[i] / (alpha + state.basis.D2[i])
            quadratic += y[i] * work.u[i]
    else:
        solve_lower(state.basis.LT, r, y, work.h)
        solve_upper(state.basis.LT, r, work.h, work.u)
        for i in range(r):
            quadratic += work.h[i] * work.h[i]
    if alpha > 0.0:
        quadratic += rho2 / alpha
    work.h[r] = quadratic
    if excess == 0.0 or (quadratic == 0.0 and rho2 == 0.0):  # the latter: x = 0, and nothing can move w'x
        return 0.0, 0.0
    if alpha == 0.0 and rho2 > 0.0:
        return 0.0, excess / rho2
    along = excess / quadratic
    return along, (along / alpha if alpha > 0.0 else 0.0)


@bare_inline
def move(state, work, feats, r, along, rest):
    """w -= along Q'u + rest (x - Q'y) on V (Oja: Q = V) and the features of x."""
    FT, beta = state.factor.FT, state.factor.beta
    if along == 0.0 and rest == 0.0:
        return
    for i in range(r):
        change = along * work.u[i] - rest * work.y[i]
        for j in range(len(beta)):
            beta[j] -= change * FT[j, i]
    for at in range(len(feats)):
        state.table[feats[at], WBAR] -= rest * work.x[at]


@bare_inline
def buffered_round(params, state, work, feats, slope, scale, outer, projection):
    """FD and RFD: append the row to the buffer and step with the new sketch, or leave that to the shrink."""
    (rho2, n_rest), (along, rest) = outer, projection
    counters, basis, alpha = state.counters, state.basis, state.reals[ALPHA]
    r = counters[K] + counters[R]
    s2, quadratic = scale * scale, work.h[r]
    grows = s2 > 0.0 and rho2 > 0.0
    full = counters[COUNT] + 1 == 2 * params.m
    shrinks = full and r + grows >= params.m
    if s2 > 0.0 and not shrinks:
        if alpha == 0.0 and rho2 > 0.0:
            rest += slope / (s2 * rho2)
        else:
            change = slope / (1.0 + s2 * quadratic)
            along += change
            rest += change / alpha if alpha > 0.0 else 0.0
    for i in range(r):
        basis.a[i] -= along * work.u[i]
    if grows:
        append(state, work, feats, rho2, rest, n_rest)
    elif rest != 0.0:
        for i in range(r):
            basis.a[i] += rest * work.y[i]
        for at in range(len(feats)):
            state.table[feats[at], WBAR] -= rest * work.x[at]
    r += grows
    counters[COUNT] = params.m - 1 if full else counters[COUNT] + 1
    if s2 == 0.0:
        return SHRINK if shrinks else NEXT
    add_outer(basis.H, r, s2, work.y)
    if shrinks:
        return SHRINK
    for i in range(r):
        work.h[i] = scale * work.y[i]
    cholesky_update(basis.LT, r, work.h)
    return NEXT


@bare_inline
def append(state, work, feats, rho2, rest, n_rest):
    """Add x to the raw rows and its direction q = (x - Q'y)/rho to the basis; the weights' share of q is -rest rho.

    With n_rest > 0 the row to keep is work.rest, the part of x outside of the basis.
    """
    counters, basis, raw = state.counters, state.basis, state.raw
    n_raw, r = counters[R], counters[K] + counters[R]
    rho = math.sqrt(rho2)
    work.y[r] = rho
    for i in range(r + 1):
        basis.G[n_raw, i] = work.more[i] if n_rest > 0 and i < r else work.y[i]
        basis.H[r, i] = basis.H[i, r] = 0.0
        basis.LT[i, r] = 0.0
    basis.LT[r, r] = math.sqrt(state.reals[ALPHA])
    basis.a[r] = -rest * rho
    n_local, table, X, owner = counters[N_LOCAL], state.table, raw.X, raw.owner
    for at in range(n_rest if n_rest > 0 else len(feats)):
        f = at if n_rest > 0 else feats[at]
        local = int(table[f, LOCAL])
        if not (0 <= local < n_local and owner[local] == f):
            local = n_local
            n_local += 1
            owner[local] = f
            table[f, LOCAL] = local
            for j in range(X.shape[1]):
                X[local, j] = 0.0
        X[local, n_raw] = work.rest[at] if n_rest > 0 else work.x[at]
    counters[N_LOCAL] = n_local
    counters[R] = n_raw + 1
