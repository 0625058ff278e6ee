"""Learners by random projection: S += r s x' in every round, the step f(S'S) g, in O(tau s + tau^3) a row.

[RFD] section 6.2 (rp-son), [ADA] Algorithms 1 and 2 (ada-gp, ada-dp), Krummenacher et al. 2016 (radagrad).
S has tau numbers a feature and changes at the features of the row only. With K = S S' = U diag(lam) U', updated in
O(tau^2), f(S'S) g = f(0) g + S'a with a = U diag((f(lam) - f(0))/lam) U'S g. So the weights are

    w = wbar + S'b         mirror descent, w <- w - l f(S'S) g; when S += r s x', wbar -= (r'b) s x
    w = -l f(0) z + S'b    primal-dual, w = -l f(S'S) z with z the sum of g; S z is updated likewise

radagrad's Gt += g (Pi'g)' is S' with r = Pi'g; its V and Sig are the singular vectors and values of Gt, because with
Gt = QR the matrix Gt'Q is R'. So it is the same round with f(lam) = 1/(delta + lam^(1/4)), and f = 1 outside of V.

Several classes share S. The gradient of the d x C matrix of weights is x c' with c = h (softmax(z) - e_y), and the sum
over the classes of its outer products is |c|^2 x x'. So the row |c| x takes the place of the gradient in S, with one
random vector, and the step of class k is c_k f(S'S) x. One class has the row c x, with the sign of c.
"""

from __future__ import annotations

import math

import numpy as np

from sonlearn.data.rows import features_with, is_learned
from sonlearn.jit import bare_inline, bare_jit, inline, jit
from sonlearn.learn.linear_algebra import add_scaled, clear_first, dot, gram_spectrum, plus_dot, set_scaled, spectral
from sonlearn.learn.losses import POISSON, leads_too_far, slopes, travel, within_bounds
from sonlearn.learn.newton.round import row_scale, write_prediction
from sonlearn.learn.tolerances import FEATURES, LARGEST, LIMIT, RANK, SINGULAR, SQUARING

#: Rounding error of a number of size 1, and how much of a prediction may be one.
ROUNDING_OF_ONE, LOST_DIGITS = 1.1e-16, 1e-3

#: The projected rows: g times sqrt(sigma + eta_t), the gradient, the data, or g with r = Pi'g.
NEWTON, GRADIENT, DATA, OWN = range(4)


@jit
def learn(params, state, work, normals, rows, out, start, stop):
    """Predict and learn rows `start` to `stop` - 1; returns the first row that was refused, or `stop`.

    params : ProjectedParams; state : ProjectedState, modified in place; work : ProjectedScratch, overwritten
    normals : float64[rounds, tau], random vectors of the next rounds, not modified; unused with OWN
    rows : Rows, not modified; out : Predictions of float64[n, C], filled in; start, stop : int
    """
    now, first = state.now[0], state.now[0].t
    for i in range(start, stop):
        xx = read(params, state, work, rows, i)
        bounded = write_prediction(params, 1.0, work.wx, rows.base[i], out.raw[i], out.prediction[i])
        if not (bounded and xx <= LIMIT * LIMIT):
            return i
        if not is_learned(rows.weight[i], rows.y[i]):
            continue
        length = slopes(params.output, out.prediction[i], rows.y[i], rows.weight[i], work.slope)
        scale = scale_of(params, work.slope, length, now.t + 1)
        if params.source == OWN:
            project(state, work, rows, i, scale)
        else:
            set_scaled(work.r, 1.0, normals[now.t - first], len(work.r))
        if not is_bounded(work, length, scale, xx):
            return i
        project_weights(params, state, work, out.raw[i], out.prediction[i], xx)
        add_to_sketch(params, state, work, scale, xx)
        lam, U = decompose(state, work, rows, i, scale)
        if params.source == DATA and params.output.loss.code == POISSON:
            follow_loss(params, work, lam, U, out.prediction[i, 0], rows.y[i], rows.weight[i], xx)
        step(params, state, work, lam, U, scale)
        if loses_digits(params, work, out.raw[i], rows.y[i], xx):
            return i
        if leads_too_far(params.output.loss, rows.base[i] + prediction_after(params, work, xx), xx, LIMIT):
            return i
        write_round(params, state, work, rows, i, scale)
        state.lam[:] = lam
        state.U[:] = U
    return stop


@bare_jit
def predict(params, state, rows, out):
    """Predict all rows; returns the first row with a prediction that is not finite, or n.

    state and rows are not modified; out : Predictions of float64[n, C], filled in
    """
    raw = out.raw
    for i in range(len(rows.y)):
        for c in range(raw.shape[1]):
            raw[i, c] = rows.base[i]
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            for c in range(raw.shape[1]):
                raw[i, c] += weight(params, state, rows.features[at], c) * rows.values[at]
        if not within_bounds(params.output, raw[i], out.prediction[i], LARGEST):
            return i
    return len(rows.y)


@bare_jit
def weights(params, state, out):
    """out[c, f] <- weight of feature f for class c, for the first features. out : float64[C, features], filled in."""
    for c in range(len(out)):
        for f in range(out.shape[1]):
            out[c, f] = weight(params, state, f, c)


@bare_inline
def weight(params, state, f, c):
    """Weight of feature f for class c. Modifies nothing."""
    if f >= len(state.wbar):
        return 0.0
    return plus_dot(mean_factor(params) * state.wbar[f, c], state.S[f], state.b[c], state.b.shape[1])


@bare_inline
def mean_factor(params):
    """The factor of wbar in the weights: 1, or -l f(0) for primal-dual updates, where wbar is z."""
    return -params.rate * spectral(params.kind, params.floor, 0.0, 1.0) if params.dual else 1.0


# ----------------------------------------------------------------------------------------------------------- reading


@bare_inline
def read(params, state, work, rows, i):
    """work.y <- S x, work.zx <- wbar'x and work.wx <- w'x of each class; returns x'x. Does not modify the state."""
    y, zx, wx, xx = work.y, work.zx, work.wx, 0.0
    clear_first(y, len(y))
    clear_first(zx, len(zx))
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at]
        xx += x * x
        if f < len(state.wbar):  # else a feature that was only ever in a refused row
            add_scaled(zx, x, state.wbar[f], len(zx))
            add_scaled(y, x, state.S[f], len(y))
    for c in range(len(wx)):
        wx[c] = dot(state.b[c], y, len(y)) + mean_factor(params) * zx[c]
    return xx


@bare_inline
def scale_of(params, slope, length, t):
    """s: the projected row is s x. slope : float64[C], not modified; length : float, its 2-norm; t : int, the round."""
    sign = 1.0 if params.output.classes else slope[0]
    if params.source == NEWTON:
        return math.copysign(row_scale(params, length, t), sign)
    return 1.0 if params.source == DATA else math.copysign(length, sign)


@bare_inline
def project(state, work, rows, i, scale):
    """work.r <- Pi'(s x). Does not modify the state. scale : float, s."""
    clear_first(work.r, len(work.r))
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        add_scaled(work.r, scale * rows.values[at], state.Pi[rows.features[at]], len(work.r))


@bare_inline
def is_bounded(work, length, scale, xx):
    """Whether the gradient and the row added to S are within bounds. Modifies nothing."""
    rr = dot(work.r, work.r, len(work.r))
    return length * length * xx <= LIMIT and scale * scale * xx * rr <= LIMIT


# ----------------------------------------------------------------------------------------------------------- a round


@inline
def project_weights(params, state, work, raw, prediction, xx):
    """Begin the round: work.b <- state.b and work.move <- 0; with NEWTON, projected onto |w'x| <= C.

    The projection is in the norm of A = alpha I + S'S. work.move is the change of wbar per unit of x. Overwrites work.a
    and work.b.

    raw, prediction : float64[C], w'x before and after the projection, not modified; xx : float, x'x
    """
    excess = False
    clear_first(work.move, len(work.move))
    work.b[:] = state.b
    for c in range(len(work.move)):
        excess = excess or raw[c] != prediction[c]
    if params.source != NEWTON or not excess or xx == 0.0:
        return
    across(params, state.lam, state.U, work.y, work.a)
    rest, quadratic, outside = xx, 0.0, spectral(params.kind, params.floor, 0.0, 1.0)
    for i in range(len(state.lam)):
        if state.lam[i] > 0.0:
            total = dot(state.U[:, i], work.y, len(work.y))
            rest -= total * total / state.lam[i]
            quadratic += spectral(params.kind, params.floor, state.lam[i], total * total / state.lam[i])
    quadratic += outside * max(rest, 0.0)
    for c in range(len(work.move)):
        along = (raw[c] - prediction[c]) / quadratic
        work.move[c] = -along * outside
        add_scaled(work.b[c], -along, work.a, len(work.a))


@bare_inline
def add_to_sketch(params, state, work, scale, xx):
    """S + r s x' for S: work.SS <- S S', and work.y, work.move are brought up to date.

    Does not modify the state. scale : float, s; xx : float, x'x
    """
    y, r = work.y, work.r
    for i in range(len(r)):
        for j in range(len(r)):
            work.SS[i, j] = state.SS[i, j] + scale * (r[i] * y[j] + y[i] * r[j]) + scale * scale * xx * (r[i] * r[j])
    add_scaled(y, scale * xx, r, len(r))
    for c in range(len(work.move)):
        if not params.dual:
            work.move[c] -= scale * dot(r, work.b[c], len(r))


@bare_inline
def loses_digits(params, work, raw, y, xx):
    """Whether the row is so much longer than those before it that the weights of its features lose their digits.

    There w is a difference of wbar and S'b (or of f(0) z and S'b), which the round moves in opposite directions. Its
    rounding error must not be as large as predictions or labels. Modifies nothing.

    raw : float64[C], w'x; y : float, the label; xx : float, x'x
    """
    size = 1.0 if params.output.classes or params.output.loss.code == POISSON else max(abs(y), 1.0)
    for c in range(len(raw)):
        if not abs(mean_factor(params) * work.move[c]) * xx * ROUNDING_OF_ONE <= LOST_DIGITS * max(size, abs(raw[c])):
            return True
    return False


@bare_inline
def prediction_after(params, work, xx):
    """w'x after the step, without the row's base; of one class. Modifies nothing. xx : float, x'x"""
    return plus_dot(mean_factor(params) * (work.zx[0] + work.move[0] * xx), work.b[0], work.y, len(work.y))


@inline
def decompose(state, work, rows, i, scale):
    """(lam float64[tau] ascending, U float64[tau, tau]): S S' = U diag(lam) U' for S + r s x'; what is 0 is exactly 0.

    An eigenvalue of S S' is known to a rounding error of the largest. So if one is small, and the row has about as many
    features as there are in all, S itself is decomposed, in O(tau^2 s). On sparse rows that would cost O(tau^2 d).

    state : ProjectedState before the row, not modified; work.SS : S S', not modified; scale : float, s
    """
    lam, U, least = state.lam.copy(), work.SS, RANK
    dense = state.now[0].seen <= FEATURES * (rows.indptr[i + 1] - rows.indptr[i])
    if not (dense and is_wide(lam)):
        lam, U = np.linalg.eigh(work.SS)
    if dense and is_wide(lam):
        lam, U = decompose_rows(state, work, rows, i, scale)
        least = SINGULAR * SINGULAR
    for k in range(len(lam)):
        if not lam[k] > least * lam[-1]:
            lam[k] = 0.0
    return lam, U


@bare_inline
def is_wide(lam):
    """Whether a Gram matrix does not tell the smallest eigenvalue. lam : float64[tau], ascending, not modified"""
    return lam[-1] > 0.0 and lam[0] <= SQUARING * lam[-1]


@inline
def decompose_rows(state, work, rows, i, scale):
    """The same as `decompose`, by S + r s x' itself: by the singular values of its triangular factor."""
    tau, begin, end = len(work.r), rows.indptr[i], rows.indptr[i + 1]
    seen = features_with(rows.features[begin:end], state.now[0].seen)
    S = np.zeros((max(seen, tau), tau))
    S[:seen] = state.S[:seen]
    for at in range(begin, end):
        add_scaled(S[rows.features[at]], scale * rows.values[at], work.r, tau)
    _, R = np.linalg.qr(S)
    return gram_spectrum(R)


@bare_inline
def follow_loss(params, work, lam, U, p, y, h, xx):
    """work.slope <- the slope on the way of a step that follows the loss of a count (`losses.travel`).

    With DATA a step does not become shorter where slopes are large, and those of counts grow as exp(p): a plain step
    would go far beyond the label, and the next one, as far as that slope is large, out of bounds.

    lam : float64[tau] and U : float64[tau, tau], not modified; p, y, h : prediction, label, weight; xx : x'x
    Overwrites work.a.
    """
    across(params, lam, U, work.y, work.a)
    outside = spectral(params.kind, params.floor, 0.0, 1.0) * xx
    quadratic = plus_dot(outside, work.y, work.a, len(work.y)) * params.rate
    if quadratic > 0.0:
        work.slope[0] = -travel(params.output.loss, p, y, h * quadratic) / quadratic


@bare_inline
def step(params, state, work, lam, U, scale):
    """w -= l f(S'S) g, or w = -l f(S'S) z: modifies work.b, work.q and work.move, overwrites work.a.

    state : ProjectedState before the row, not modified; lam : float64[tau] and U : float64[tau, tau], not modified
    scale : float, s
    """
    b, a = work.b, work.a
    if not params.dual:
        across(params, lam, U, work.y, a)
    for c in range(len(b)):
        for i in range(len(a)):
            work.q[c, i] = state.q[c, i]
            if params.dual:
                work.q[c, i] += scale * work.zx[c] * work.r[i] + work.slope[c] * work.y[i]
        if params.dual:
            across(params, lam, U, work.q[c], a)
            work.move[c] += work.slope[c]
        else:
            work.move[c] -= params.rate * spectral(params.kind, params.floor, 0.0, 1.0) * work.slope[c]
        for j in range(len(a)):
            b[c, j] = (0.0 if params.dual else b[c, j]) - params.rate * (1.0 if params.dual else work.slope[c]) * a[j]


@bare_inline
def across(params, lam, U, y, a):
    """a <- U diag((f(lam) - f(0))/lam) U'y, where directions with lam = 0 contribute nothing.

    lam : float64[tau]; U : float64[tau, tau]; y : float64[tau]; none is modified
    a : float64[tau], filled in; may not be the same array as y
    """
    outside = spectral(params.kind, params.floor, 0.0, 1.0)
    clear_first(a, len(a))
    for i in range(len(lam)):
        if lam[i] > 0.0:
            change = (spectral(params.kind, params.floor, lam[i], 1.0) - outside) / lam[i]
            add_scaled(a, dot(U[:, i], y, len(a)) * change, U[:, i], len(a))


@inline
def write_round(params, state, work, rows, i, scale):
    """The round's results into the state; S += r s x' and wbar += move x at the features of row i. scale : float, s."""
    now = state.now[0]
    now.t += 1
    state.SS[:], state.b[:], state.q[:] = work.SS, work.b, work.q
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at]
        now.seen = max(now.seen, f + 1)
        add_scaled(state.wbar[f], x, work.move, len(work.move))
        add_scaled(state.S[f], scale * x, work.r, len(work.r))
