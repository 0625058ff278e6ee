"""Rounds of full-on and arow-full in O(d^2). A is stored as its factor (`factor`), so rounding errors do not build up.

full-on    A = alpha I + sum of (sigma + eta_t) g g',   w <- w - A^-1 g, projected onto |w'x| <= C in the norm of A
arow-full  A = I + sum of x x'/r, the inverse of AROW's covariance,   w <- w + (y - p)/(x'A^-1 x + r) A^-1 x

Both steps go along A^-1 x with A before the row (by Sherman-Morrison). A refused row changes nothing.
"""

from __future__ import annotations

import math

from sonlearn.data.rows import features_with, is_learned
from sonlearn.jit import bare_inline, bare_jit
from sonlearn.learn.dense.factor import solve, update, widen
from sonlearn.learn.linear_algebra import add_scaled, clear_first, set_scaled
from sonlearn.learn.losses import SQUARED, loss_slope, within_bounds
from sonlearn.learn.newton.round import row_scale
from sonlearn.learn.tolerances import LARGEST, LIMIT

FULL_ON, AROW, PSEUDO, ADA_FULL, ADA_LR, RIDGE = range(6)
NAMES = ("full-on", "arow", "pseudo", "ada-full", "ada-lr", "ridge")


@bare_jit
def learn(params, state, work, rows, out, start):
    """Predict and learn rows from `start` on; returns the first row that was refused, or n.

    params : DenseParams; state : DenseState of one class, modified in place; work : DenseScratch, overwritten
    rows : Rows, not modified; out : Predictions of float64[n, 1], filled in from row `start` on; start : int
    """
    now, w = state.now[0], state.w
    for i in range(start, len(rows.y)):
        if not enter(params, state, rows, out, i):
            return i
        if not is_learned(rows.weight[i], rows.y[i]):
            continue
        d = features_of(state, rows, i)
        for j in range(now.seen, d):
            widen(state.A, j, math.sqrt(params.alpha))
        to_dense(rows, i, d, work.x)
        quadratic = solve(state.A, d, work.x, work.h, work.u)
        along, scale = step_of(params, rows, out, i, now.t + 1, quadratic)
        if not (along * along * quadratic <= LIMIT and scale * scale * quadratic <= LIMIT * LIMIT):
            return i
        now.t += 1
        now.seen = d
        if along != 0.0:
            add_scaled(w[:, 0], -along, work.u, d)
        if scale > 0.0:
            set_scaled(work.x, scale, work.x, d)
            update(state.A, d, work.x)
    return len(rows.y)


@bare_jit
def predict(params, state, rows, out):
    """Predict all rows; returns the first row with a prediction that is not finite, or n.

    state and rows are not modified; out : Predictions of float64[n, C], filled in
    """
    for i in range(len(rows.y)):
        score(state, rows, i, out.raw[i])
        if not within_bounds(params.output, out.raw[i], out.prediction[i], LARGEST):
            return i
    return len(rows.y)


@bare_inline
def score(state, rows, i, raw):
    """raw <- base + w'x of each class; returns x'x. raw : float64[C], filled in; nothing else is modified."""
    xx = 0.0
    clear_first(raw, len(raw))
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at]
        xx += x * x
        if f < len(state.w):
            add_scaled(raw, x, state.w[f], len(raw))
    for c in range(len(raw)):
        raw[c] += rows.base[i]
    return xx


@bare_inline
def enter(params, state, rows, out, i):
    """Predict row i (fills in out.raw[i] and out.prediction[i]); False if the row is refused.

    A row is refused if its numbers are out of bounds, or if it should be learned and exceeds the number of features,
    beyond which ridge leaves features out.
    """
    if not score(state, rows, i, out.raw[i]) <= LIMIT * LIMIT:
        return False
    if not within_bounds(params.output, out.raw[i], out.prediction[i], LIMIT):
        return False
    if not is_learned(rows.weight[i], rows.y[i]):
        return True
    return params.rule == RIDGE or features_of(state, rows, i) <= params.most


@bare_inline
def features_of(state, rows, i):
    """Number of features after row i. Modifies nothing."""
    return features_with(rows.features[rows.indptr[i] : rows.indptr[i + 1]], state.now[0].seen)


@bare_inline
def to_dense(rows, i, d, x):
    """x[:d] <- row i, zeros included. x : float64[at least d], filled in."""
    clear_first(x, d)
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        x[rows.features[at]] = rows.values[at]


@bare_inline
def step_of(params, rows, out, i, t, quadratic):
    """(c, s) of the round: w <- w - c A^-1 x with A before the row, and A <- A + s^2 x x'. Modifies nothing."""
    u, p, y, h = out.raw[i, 0], out.prediction[i, 0], rows.y[i], rows.weight[i]
    if params.rule == AROW:
        if params.output.loss.code != SQUARED and y * u >= 1.0:
            return 0.0, 0.0
        r = params.r / h
        return (u - y) / (quadratic + r), 1.0 / math.sqrt(r)
    slope = h * loss_slope(params.output.loss, p, y)
    scale = row_scale(params, slope, t)
    along = slope / (1.0 + scale * scale * quadratic)
    if u != p and quadratic > 0.0:
        along += (u - p) / quadratic
    return along, scale
