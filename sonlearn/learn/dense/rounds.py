"""Rounds of full-on and arow-full in O(d^2), of ridge, and of methods that need eigenvalues.

full-on    A = alpha I + sum of (sigma + eta_t) g g',   w <- w - A^-1 g, projected onto |w'x| <= C in the norm of A
arow-full  A = I + sum of x x'/r, the inverse of AROW's covariance,   w <- w + (y - p)/(x'A^-1 x + r) A^-1 x

Both steps go along A^-1 x with A before the row (by Sherman-Morrison). A refused row changes nothing. A is stored as
its factor, so rounding errors do not build up: A = R R', R upper triangular and stored column by column in one array.
Column j begins at j (j + 1)/2 and has j + 1 entries, so a new feature appends one column. Updates go from the last
column to the first, which preserves the triangle, and every loop runs along a column.

ridge keeps sums over all rows, and weights that are solved for from time to time:

    A = sum of h x x',    b = sum of h y x,    w = (A + alpha I)^-1 b

A row costs the square of its entries. w is solved for when rows have doubled, and in the long run every
`ROWS_PER_SOLVE` rows a feature: O(d^2) for each row. The constant, or the last feature that is 1 in every row, is left
out of alpha I: labels may be in any unit and around any mean. Features beyond the largest number of them are left out.
A is stored as the columns of its upper triangle, as R is. ridge-z has alpha times the variances of the features in
place of alpha I: features may be in any unit, too.

Others decompose A each time, at O(d^3):

full-on with alpha = 0   f(lam) = 1/lam, 0 for lam = 0: the pseudo-inverse of [SON] appendix D
ada-full                 f(lam) = 1/(delta + sqrt(lam)), A = sum of g g'
ada-lr                   Q from A Pi, Q'A = U Sig V', the step V f(Sig) V'g, zero outside of V ([ADA] eq. 1)

ada-full and ada-lr take several classes, which share A: the gradient of the d x C matrix of weights is x c' with
c = h (softmax(z) - e_y), A is the sum of its outer products |c|^2 x x', and the step of class k is c_k f(A) x.

metagrad, MetaGrad with full matrices: experts with different step sizes share A = sum of g g', in O(d^3) a row.
van Erven, Koolen, van der Hoeven 2021. Expert e has eta_e = l 2^-e and H_e = alpha I + 2 eta_e^2 A. In a round

    r_e = eta_e (w_e - w)'g,    log p_e <- log p_e - r_e - r_e^2,    w_e <- w_e - eta_e (1 + 2 r_e) H_e^-1 g,

and the weights are the tilted average w = sum of p_e eta_e w_e / sum of p_e eta_e. The w_e are computed from sums,
w_e = -H_e^-1 (eta_e z - 2 eta_e^2 v) with z of g and v of (w'g) g, which is the same; all H_e^-1 come from one
decomposition of A. l is 1/(2B), where B bounds the loss of a row in excess of the best, and alpha is 1/D^2.
"""

import math

import numpy as np

from sonlearn.data.linear_algebra import INVERSE, ROOT, add_scaled, clear_first, dot, minus_dot, set_scaled, spectral
from sonlearn.data.rows import features_with, is_learned, spread
from sonlearn.jit import inline, jit
from sonlearn.learn.losses import SQUARED, gradient_too_large, loss_slope, row_scale, slopes, within_bounds
from sonlearn.learn.tolerances import LARGEST, LIMIT, SPAN

FULL_ON, AROW, PSEUDO, ADA_FULL, ADA_LR, RIDGE = range(6)
NAMES = ("full-on", "arow", "pseudo", "ada-full", "ada-lr", "ridge")


@jit(allocates=True)
def learn(params, state, rows, out, start, learns):
    """Predict rows from `start` on and, where it `learns`, learn them; returns the first row that was refused, or n.

    params : DenseParams; state : DenseState of one class, modified in place
    rows : Rows, not modified; out : Predictions of float64[n, 1], filled in from row `start` on; start : int
    """
    now, w, scratch = state.now[0], state.w, np.empty((3, len(state.w)))
    x, h, u = scratch[0], scratch[1], scratch[2]  # the row, zeros included; R^-1 x; A^-1 x
    i = start - 1
    while True:
        i, learned = next_learned(params, state, rows, out, i + 1, learns)
        if not learned:
            return i
        d = features_of(state, rows, i)
        for j in range(now.seen, d):
            widen(state.A, j, math.sqrt(params.alpha))
        spread(rows, i, x)
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


@inline
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


@inline
def next_learned(params, state, rows, out, i, learns):
    """Predict rows from i on, up to one that is to be learned; (it, True), or (one that is refused, or n; False).

    A row is refused if its numbers are out of bounds, or if it should be learned and exceeds the number of features,
    beyond which ridge leaves features out. Modifies nothing but out.raw and out.prediction.
    """
    limit = LIMIT if learns else LARGEST
    while i < len(rows.y):
        bounded = score(state, rows, i, out.raw[i]) <= limit * limit
        if not (bounded and within_bounds(params.output, out.raw[i], out.prediction[i], limit)):
            return i, False
        if learns and is_learned(rows.weight[i], rows.y[i]):
            return i, params.rule == RIDGE or features_of(state, rows, i) <= params.max_columns
        i += 1
    return i, False


@inline
def features_of(state, rows, i):
    """Number of features after row i. Modifies nothing."""
    return features_with(rows.features[rows.indptr[i] : rows.indptr[i + 1]], state.now[0].seen)


@inline
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
PIVOT_TOLERANCE = 1e-12


@inline
def column_start(j):
    """Index at which column j begins; column(d) is the length of the array for d features."""
    return j * (j + 1) // 2


@inline
def widen(R, j, diagonal):
    """Write column j of R (modified) for a new feature: R_jj <- diagonal, zeros above it.

    R : float64[d (d + 1)/2 or more], here and below
    """
    clear_first(R[column_start(j) :], j)
    R[column_start(j) + j] = diagonal


@inline
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


@inline
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


@inline
def factorise(R, d, diagonal):
    """Replace the columns of A's upper triangle by R. The pivot of a feature that follows from others is infinite.

    R : float64[d (d + 1)/2 or more], modified; diagonal : float64[d], overwritten with A's
    """
    for j in range(d):
        diagonal[j] = R[column_start(j) + j]
    for j in range(d - 1, -1, -1):
        at = column_start(j)
        pivot = math.sqrt(R[at + j]) if R[at + j] > PIVOT_TOLERANCE * diagonal[j] else math.inf
        R[at + j] = pivot
        for i in range(j):
            R[at + i] /= pivot
        for k in range(j):
            add_scaled(R[column_start(k) :], -R[at + k], R[at:], k + 1)


# --------------------------------------------------------------------------------------------------------------- ridge


#: w is solved for after so many rows for each feature, at the latest.
ROWS_PER_SOLVE = 8


@jit(allocates=True)
def learn_ridge(params, state, rows, out, start, learns):
    """`learn`, of ridge."""
    now = state.now[0]
    i = start - 1
    while True:
        i, learned = next_learned(params, state, rows, out, i + 1, learns)
        if not learned:
            return i
        y, h = rows.y[i] - rows.base[i], rows.weight[i]
        if not abs(h * y) <= LIMIT:
            return i
        if rows.indptr[i] == rows.indptr[i + 1]:  # a view that shows nothing yet, not even the constant
            continue
        now.seen = min(features_of(state, rows, i), params.max_columns)
        add_row(params, state, rows, i, y, h)
        now.t += 1
        now.weight += h
        now.constant = max(rows.constant + 1, 0)
        if now.t >= now.due:
            solve_for_weights(params, state)


@inline
def add_row(params, state, rows, i, y, h):
    """Add row i, with label y and weight h, to A and b."""
    begin, end = rows.indptr[i], rows.indptr[i + 1]
    in_order = True
    for at in range(begin, end):
        in_order &= rows.features[at] == rows.features[begin] + at - begin
    for at in range(begin, end):
        f, hx = rows.features[at], h * rows.values[at]
        if f >= params.max_columns:
            continue
        state.z[f, 0] += hx * y
        if in_order:  # what stands side by side in the row does so in the column
            add_scaled(state.A[column_start(f) + rows.features[begin] :], hx, rows.values[begin:], at + 1 - begin)
            continue
        for other in range(begin, at + 1):
            g = rows.features[other]
            if g < params.max_columns:
                state.A[column_start(max(f, g)) + min(f, g)] += hx * rows.values[other]


@inline(allocates=True)
def solve_for_weights(params, state):
    """Solve for w, and say when to do so again. Modifies w and now of `state`."""
    now, d = state.now[0], state.now[0].seen
    constant = constant_of(state.A, d, now.weight, now.constant - 1)
    R, b, h, u = np.empty(column_start(d)), np.empty(d), np.empty(d), np.empty(d)
    now.due = now.t + max(min(now.t, ROWS_PER_SOLVE * d), 1)
    for j in range(d):
        begin = column_start(j)
        set_scaled(R[begin:], 1.0, state.A[begin:], j + 1)
        if j != constant:
            R[begin + j] += params.alpha * (variance(state.A, d, j, constant, now.weight) if params.standard else 1.0)
        b[j] = state.z[j, 0]
    factorise(R, d, h)
    solve(R, d, b, h, u)
    for j in range(d):
        if not abs(u[j]) <= LIMIT:
            return
    set_scaled(state.w[:, 0], 1.0, u, d)


@inline
def constant_of(A, d, weight, known):
    """The feature whose squares add up to the weight of the rows: `known`, or else the last one; d: none does."""
    if 0 <= known < d and A[column_start(known) + known] == weight:
        return known
    for j in range(d - 1, -1, -1):
        if A[column_start(j) + j] == weight:
            return j
    return d


@inline
def variance(A, d, j, constant, weight):
    """Variance of feature j, infinite if it is a rounding error; mean square, if no feature below d is the `constant`.

    What has not varied has no weight: it cannot be told from the constant.
    """
    mean = A[column_start(max(j, constant)) + min(j, constant)] / weight if constant < d else 0.0
    square = A[column_start(j) + j] / weight
    return square - mean * mean if square - mean * mean > PIVOT_TOLERANCE * square else math.inf


# ---------------------------------------------------------------------------------------------------------- eigenvalues


#: Smaller eigenvalues than this multiple of the largest are rounding errors, and may be negative: they count as this.
EIGENVALUE_TOLERANCE = 1e-15
#: For a pseudo-inverse, eigenvalues of A up to this multiple of the largest count as 0.
ZERO = 1e-10


@jit(allocates=True)
def learn_spectral(params, state, rows, out, start, learns):
    """`learn`, of the methods that decompose A each time; out : Predictions of float64[n, C]."""
    now, C = state.now[0], state.w.shape[1]
    slope = np.zeros(C)
    i = start - 1
    while True:
        i, learned = next_learned(params, state, rows, out, i + 1, learns)
        if not learned:
            return i
        d = features_of(state, rows, i)
        if d == 0:
            now.t += 1
            continue
        x = np.zeros(d)
        spread(rows, i, x)
        length = slopes(params.output, out.prediction[i], rows.y[i], rows.weight[i], slope)
        if not length * length * np.dot(x, x) <= LIMIT:
            return i
        scale = row_scale(params.row_weight, length, now.t + 1) if params.rule == PSEUDO else length
        A, w = matrix(state.A, now.seen, d), state.w[:d].copy()
        if params.rule == PSEUDO:
            w[:, 0] -= projection(A, x, out.raw[i, 0] - out.prediction[i, 0])
        A += np.outer(scale * x, scale * x)
        g = x.reshape(d, 1) * slope
        if params.dual:
            g += state.z[:d]
            w[:] = 0.0
        if params.rule == ADA_LR:
            w -= params.rate * apply_low_rank(params, A, state.Pi[:d], g)
        else:
            w -= params.rate * apply(params, A, g)
        if not np.isfinite(w).all():
            return i
        if gradient_too_large(params.output.loss, rows.base[i] + (w[:, 0] * x).sum(), np.dot(x, x), LIMIT):
            return i
        now.t += 1
        now.seen = d
        state.w[:d] = w
        if params.dual:
            state.z[:d] = g
        pack_triangle(state.A, A)


@inline(allocates=True)
def matrix(packed, seen, d):
    """float64[d, d]: A as a matrix, with zeros for the features from `seen` on.

    packed : float64[column(seen) or more], the columns of its upper triangle, not modified
    """
    A = np.zeros((d, d))
    for j in range(seen):
        for k in range(j + 1):
            A[j, k] = A[k, j] = packed[column_start(j) + k]
    return A


@inline(allocates=True)
def pack_triangle(packed, A):
    """packed <- the upper triangle of A (float64[d, d], not modified): the inverse of `matrix`."""
    for j in range(len(A)):
        for k in range(j + 1):
            packed[column_start(j) + k] = A[j, k]


@inline(allocates=True)
def apply(params, A, g):
    """float64[d, C]: f(A) g. A : float64[d, d] and g : float64[d, C], not modified."""
    lam, U = np.linalg.eigh(A)
    y = np.dot(np.ascontiguousarray(U.T), g)
    kind, base = (INVERSE, 0.0) if params.rule == PSEUDO else (ROOT, params.delta)
    for j in range(len(lam)):
        none = base == 0.0 and not lam[j] > ZERO * lam[-1]  # a pseudo-inverse
        y[j] *= 0.0 if none else spectral(kind, base, max(lam[j], EIGENVALUE_TOLERANCE * lam[-1]), 1.0)
    return np.dot(U, y)


@inline(allocates=True)
def apply_low_rank(params, A, Pi, g):
    """float64[d, C]: V f(Sig) V'g, with the singular values Sig and right singular vectors V of Q'A, and Q from A Pi.

    A : float64[d, d]; Pi : float64[d, tau]; g : float64[d, C]; none is modified
    """
    Q, _ = np.linalg.qr(np.dot(A, Pi))
    _, sig, V = np.linalg.svd(np.dot(np.ascontiguousarray(Q.T), A), False)
    y = np.dot(V, g)
    for j in range(len(sig)):
        y[j] *= spectral(ROOT, params.delta, sig[j], 1.0) if sig[j] > ZERO * sig[0] else 0.0
    return np.dot(np.ascontiguousarray(V.T), y)


@inline(allocates=True)
def projection(A, x, excess):
    """float64[d]: w minus its projection onto |w'x| <= C in the norm of A ([SON] Lemma 2). A may be singular.

    A : float64[d, d]; x : float64[d]; neither is modified; excess : float, w'x minus its projection
    """
    xx = np.dot(x, x)
    if excess == 0.0 or xx == 0.0:
        return np.zeros(len(x))
    lam, U = np.linalg.eigh(A)
    y, top = np.dot(x, U), max(lam[-1], 0.0)
    rest, along = x.copy(), np.zeros(len(x))
    for j in range(len(lam)):
        if lam[j] > ZERO * top:
            rest -= y[j] * U[:, j]
            along += y[j] / lam[j] * U[:, j]
    towards = rest if np.dot(rest, rest) > SPAN * xx else along
    return excess / np.dot(x, towards) * towards


# ----------------------------------------------------------------------------------------------------------- experts


@jit(allocates=True)
def learn_experts(params, state, rows, out, start, learns):
    """`learn`, of metagrad; state : MetaGradState."""
    now, E = state.now[0], len(state.logp)
    i = start - 1
    while True:
        i, learned = next_learned(params, state, rows, out, i + 1, learns)
        if not learned:
            return i
        d = features_of(state, rows, i)
        slope = rows.weight[i] * loss_slope(params.output.loss, out.prediction[i, 0], rows.y[i])
        g, logp = np.zeros(d), state.logp.copy()
        spread(rows, i, g)
        g *= slope
        if not np.dot(g, g) <= LIMIT:
            return i
        A = matrix(state.A, now.seen, d)
        A += np.outer(g, g)
        z = state.z[:d] + np.outer(g, np.array([1.0, dot(state.w[:, 0], g, d)]))
        take_losses(params, g, state.w[:, 0], state.W, logp)
        W, w = weighed(params, A, z, logp)
        if not (np.isfinite(W).all() and np.isfinite(logp).all()):
            return i
        now.t += 1
        now.seen = d
        state.w[:d, 0] = w
        state.W[:d] = W
        state.z[:d] = z
        for e in range(E):
            state.logp[e] = logp[e] - logp.max()
        pack_triangle(state.A, A)


@inline
def take_losses(params, g, w, W, logp):
    """logp <- log p_e - r_e - r_e^2. g : float64[d]; w : float64[d or more]; W : float64[d or more, experts]"""
    eta = params.rate
    for e in range(len(logp)):
        r = 0.0
        for j in range(len(g)):
            r += eta * (W[j, e] - w[j]) * g[j]
        logp[e] -= r + r * r
        eta *= 0.5


@inline(allocates=True)
def weighed(params, A, z, logp):
    """(the experts' weights float64[d, experts], their tilted average float64[d]) of sums over rows.

    A : float64[d, d]; z : float64[d, 2]; logp : float64[experts]; none is modified
    """
    d, total, eta, top = len(A), 0.0, params.rate, logp.max()
    W, w, step = np.zeros((d, len(logp))), np.zeros(d), np.empty(d)
    if d == 0:
        return W, w
    lam, U = np.linalg.eigh(A)
    y = np.dot(np.ascontiguousarray(U.T), z)
    for e in range(len(logp)):
        for j in range(d):
            g = eta * (2.0 * eta * y[j, 1] - y[j, 0])
            step[j] = spectral(INVERSE, params.alpha, 2.0 * eta * eta * max(lam[j], EIGENVALUE_TOLERANCE * lam[-1]), g)
        W[:, e] = np.dot(U, step)
        share = math.exp(logp[e] - top) * eta
        total += share
        add_scaled(w, share, W[:, e], d)
        eta *= 0.5
    return W, w / total
