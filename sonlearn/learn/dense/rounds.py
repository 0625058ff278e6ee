"""Rounds of full-on and arow-full in O(d^2), and of ridge.

full-on    A = alpha I + sum of (sigma + eta_t) g g',   w <- w - A^-1 g, projected onto |w'x| <= C in the norm of A
arow-full  A = I + sum of x x'/r, the inverse of AROW's covariance,   w <- w + (y - p)/(x'A^-1 x + r) A^-1 x

Both steps go along A^-1 x with A before the row (by Sherman-Morrison). A refused row changes nothing. A is stored as
its factor, so rounding errors do not build up: A = R R', R upper triangular and stored column by column in one array.
Column j begins at j (j + 1)/2 and has j + 1 entries, so a new feature appends one column. Updates go from the last
column to the first, which preserves the triangle, and every loop runs along a column.

ridge keeps sums over all rows, and weights that are solved for from time to time:

    A = sum of h x x',    b = sum of h y x,    w = (A + alpha I)^-1 b

A row costs the square of its entries. w is solved for when rows have doubled, and in the long run every `REST`
rows a feature: O(d^2) for each row. The first feature that is 1 in every row, the constant, is left out of alpha I, so
labels may be in any unit and around any mean. Features beyond the largest number of them are left out. A is stored as
the columns of its upper triangle, as R is.
"""

from __future__ import annotations

import math

import numpy as np

from sonlearn.data.rows import features_with, is_learned
from sonlearn.jit import bare_inline, inline, jit
from sonlearn.learn.linear_algebra import add_scaled, clear_first, minus_dot, set_scaled
from sonlearn.learn.losses import SQUARED, loss_slope, within_bounds
from sonlearn.learn.newton.round import row_scale
from sonlearn.learn.tolerances import LARGEST, LIMIT

FULL_ON, AROW, PSEUDO, ADA_FULL, ADA_LR, RIDGE = range(6)
NAMES = ("full-on", "arow", "pseudo", "ada-full", "ada-lr", "ridge")


@jit
def learn(params, state, rows, out, start, learns):
    """Predict rows from `start` on and, where it `learns`, learn them; returns the first row that was refused, or n.

    params : DenseParams; state : DenseState of one class, modified in place
    rows : Rows, not modified; out : Predictions of float64[n, 1], filled in from row `start` on; start : int
    """
    now, w, scratch = state.now[0], state.w, np.empty((3, len(state.w)))
    x, h, u = scratch[0], scratch[1], scratch[2]  # the row, zeros included; R^-1 x; A^-1 x
    for i in range(start, len(rows.y)):
        if not enter(params, state, rows, out, i, learns):
            return i
        if not learns or not is_learned(rows.weight[i], rows.y[i]):
            continue
        d = features_of(state, rows, i)
        for j in range(now.seen, d):
            widen(state.A, j, math.sqrt(params.alpha))
        to_dense(rows, i, d, x)
        quadratic = solve(state.A, d, x, h, u)
        along, scale = step_of(params, rows, out, i, now.t + 1, quadratic)
        if not (along * along * quadratic <= LIMIT and scale * scale * quadratic <= LIMIT * LIMIT):
            return i
        now.t += 1
        now.seen = d
        if along != 0.0:
            add_scaled(w[:, 0], -along, u, d)
        if scale > 0.0:
            set_scaled(x, scale, x, d)
            update(state.A, d, x)
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
def enter(params, state, rows, out, i, learns):
    """Predict row i (fills in out.raw[i] and out.prediction[i]); False if the row is refused.

    A row is refused if its numbers are out of bounds, or if it should be learned and exceeds the number of features,
    beyond which ridge leaves features out.
    """
    limit = LIMIT if learns else LARGEST
    if not score(state, rows, i, out.raw[i]) <= limit * limit:
        return False
    if not within_bounds(params.output, out.raw[i], out.prediction[i], limit):
        return False
    if not learns or not is_learned(rows.weight[i], rows.y[i]):
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
    scale = row_scale(params.row_weight, slope, t)
    along = slope / (1.0 + scale * scale * quadratic)
    if u != p and quadratic > 0.0:
        along += (u - p) / quadratic
    return along, scale


# ------------------------------------------------------------------------------------------------------------ A = R R'


#: A pivot up to this share of its diagonal is a rounding error: the feature follows from others, and has no weight.
NOTHING = 1e-12


@bare_inline
def column_start(j):
    """Index at which column j begins; column(d) is the length of the array for d features."""
    return j * (j + 1) // 2


@bare_inline
def widen(R, j, diagonal):
    """Write column j of R (modified) for a new feature: R_jj <- diagonal, zeros above it.

    R : float64[d (d + 1)/2 or more], here and below
    """
    clear_first(R[column_start(j) :], j)
    R[column_start(j) + j] = diagonal


@bare_inline
def solve(R, d, x, h, u):
    """h <- R^-1 x and u <- A^-1 x; returns x'A^-1 x = h'h.

    R and x : float64[d], not modified; h, u : float64[d], filled in
    """
    quadratic = 0.0
    set_scaled(h, 1.0, x, d)
    for j in range(d - 1, -1, -1):
        at = column_start(j)
        pivot = h[j] / R[at + j]
        h[j] = pivot
        quadratic += pivot * pivot
        if pivot != 0.0:
            add_scaled(h, -pivot, R[at:], j)
    for j in range(d):
        at = column_start(j)
        u[j] = minus_dot(h[j], R[at:], u, j) / R[at + j]
    return quadratic


@bare_inline
def update(R, d, v):
    """A <- A + v v' by Givens rotations. Modifies R; v : float64[d], overwritten."""
    for j in range(d - 1, -1, -1):
        if v[j] == 0.0:
            continue
        at = column_start(j)
        length = math.sqrt(R[at + j] * R[at + j] + v[j] * v[j])
        c, s = R[at + j] / length, v[j] / length
        R[at + j] = length
        for i in range(j):
            old = R[at + i]
            R[at + i] = c * old + s * v[i]
            v[i] = c * v[i] - s * old


@bare_inline
def factorise(R, d, diagonal):
    """Replace the columns of A's upper triangle by R. The pivot of a feature that follows from others is infinite.

    R : float64[d (d + 1)/2 or more], modified; diagonal : float64[d], overwritten with A's
    """
    for j in range(d):
        diagonal[j] = R[column_start(j) + j]
    for j in range(d - 1, -1, -1):
        at = column_start(j)
        pivot = math.sqrt(R[at + j]) if R[at + j] > NOTHING * diagonal[j] else math.inf
        R[at + j] = pivot
        for i in range(j):
            R[at + i] /= pivot
        for k in range(j):
            add_scaled(R[column_start(k) :], -R[at + k], R[at:], k + 1)


# --------------------------------------------------------------------------------------------------------------- ridge


#: w is solved for after so many rows for each feature, at the latest.
REST = 8


@jit
def learn_ridge(params, state, rows, out, start, learns):
    """`learn`, of ridge."""
    now = state.now[0]
    for i in range(start, len(rows.y)):
        if not enter(params, state, rows, out, i, learns):
            return i
        y, h = rows.y[i] - rows.base[i], rows.weight[i]
        if not learns or not is_learned(h, y):
            continue
        if not abs(h * y) <= LIMIT:
            return i
        now.seen = min(features_of(state, rows, i), params.most)
        add_row(params, state, rows, i, y, h)
        now.t += 1
        now.weight += h
        if now.t >= now.due:
            solve_for_weights(params, state)
    return len(rows.y)


@bare_inline
def add_row(params, state, rows, i, y, h):
    """Add row i, with label y and weight h, to A and b."""
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, hx = rows.features[at], h * rows.values[at]
        if f >= params.most:
            continue
        state.z[f, 0] += hx * y
        for other in range(rows.indptr[i], at + 1):
            g = rows.features[other]
            if g < params.most:
                state.A[column_start(max(f, g)) + min(f, g)] += hx * rows.values[other]


@inline
def solve_for_weights(params, state):
    """Solve for w, and say when to do so again. Modifies w and now of `state`."""
    now, d, constant = state.now[0], state.now[0].seen, False
    R, b, h, u = np.empty(column_start(d)), np.empty(d), np.empty(d), np.empty(d)
    now.due = now.t + max(min(now.t, REST * d), 1)
    for j in range(d):
        begin = column_start(j)
        set_scaled(R[begin:], 1.0, state.A[begin:], j + 1)
        if R[begin + j] == now.weight and not constant:
            constant = True
        else:
            R[begin + j] += params.alpha
        b[j] = state.z[j, 0]
    factorise(R, d, h)
    solve(R, d, b, h, u)
    for j in range(d):
        if not abs(u[j]) <= LIMIT:
            return
    set_scaled(state.w[:, 0], 1.0, u, d)
