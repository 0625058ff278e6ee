"""Learners by random projection: S += r s x' in every round, the step f(S'S) g, in O(tau s + tau^3) a row.

[RFD] section 6.2 (rp-son), [ADA] Algorithms 1 and 2 (ada-gp, ada-dp), Krummenacher et al. 2016 (radagrad).
S has tau numbers a feature and changes at the features of the row only. With K = S S' = U diag(lam) U', updated in
O(tau^2), f(S'S) g = f(0) g + S'a with a = U diag((f(lam) - f(0))/lam) U'S g. So the weights are

    w = wbar + S'b         mirror descent, w <- w - l f(S'S) g; when S += r s x', wbar -= (r'b) s x
    w = -l f(0) z + S'b    primal-dual, w = -l f(S'S) z with z the sum of g; S z is updated likewise

radagrad's Gt += g (Pi'g)' is S' with r = Pi'g; its V and Sig are the singular vectors and values of Gt, because with
Gt = QR the matrix Gt'Q is R'. So it is the same round with f(lam) = 1/(delta + lam^(1/4)), and f = 1 outside of V.
"""

from __future__ import annotations

import math

import numpy as np

from sonlearn.jit import bare_inline, bare_jit, jit
from sonlearn.learn.losses import loss_slope
from sonlearn.learn.newton.round import row_scale
from sonlearn.learn.spectrum import spectral
from sonlearn.learn.tolerances import LIMIT, RANK

#: The projected rows: g times sqrt(sigma + eta_t), the gradient, the data, or g with r = Pi'g.
NEWTON, GRADIENT, DATA, OWN = range(4)


@jit
def learn(params, state, work, normals, rows, out, start, stop):
    """Predict and learn rows `start` to `stop` - 1; returns the first row that was refused, or `stop`.

    params : ProjectedParams; state : ProjectedState, modified in place; work : ProjectedScratch, overwritten
    normals : float64[rounds, tau], random vectors of the next rounds, not modified; unused with OWN
    rows : Rows, not modified; out : Predictions, filled in; start, stop : int
    """
    now, first = state.now[0], state.now[0].t
    for i in range(start, stop):
        wx, xx, zx = read(params, state, work, rows, i)
        u = rows.base[i] + wx
        if not (abs(u) <= LIMIT and xx <= LIMIT * LIMIT):
            return i
        out.raw[i] = u
        out.prediction[i] = min(max(u, params.low), params.high)
        if math.isnan(rows.y[i]) or rows.weight[i] == 0.0:
            continue
        slope = rows.weight[i] * loss_slope(params.loss, out.prediction[i], rows.y[i])
        scale = scale_of(params, slope, now.t + 1)
        if params.source == OWN:
            project(state, work, rows, i, slope)
        else:
            for j in range(len(work.r)):
                work.r[j] = normals[now.t - first, j]
        if not bounded(work, slope, scale, xx):
            return i
        excess = u - out.prediction[i] if params.source == NEWTON else 0.0
        sparse = project_weights(params, state, work, xx, excess)
        sparse += add_to_sketch(params, state, work, scale, xx, slope, zx)
        lam, U = np.linalg.eigh(state.K)
        state.lam[:] = lam
        state.U[:] = U
        sparse += step(params, state, work, slope)
        write(params, state, work, rows, i, scale, sparse)
    return stop


@bare_jit
def predict(params, state, rows, raw):
    """raw[i] <- prediction of row i; returns the first row whose prediction is not finite, or n.

    state and rows are not modified; raw : float64[n], filled in
    """
    for i in range(len(rows.y)):
        raw[i] = rows.base[i]
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            raw[i] += weight(params, state, rows.features[at]) * rows.values[at]
        if not math.isfinite(raw[i]):
            return i
    return len(rows.y)


@bare_jit
def weights(params, state, out):
    """out[f] <- weight of feature f, for the first len(out) features. out : float64[features], filled in."""
    for i in range(len(out)):
        out[i] = weight(params, state, i)


@bare_inline
def weight(params, state, i):
    """Weight of feature i. Modifies nothing."""
    if i >= len(state.wbar):
        return 0.0
    total = share(params) * state.wbar[i]
    for j in range(len(state.b)):
        total += state.S[i, j] * state.b[j]
    return total


@bare_inline
def share(params):
    """The factor of wbar in the weights: 1, or -l f(0) for primal-dual updates, where wbar is z."""
    return -params.rate * spectral(params.kind, params.floor, 0.0, 1.0) if params.dual else 1.0


# ----------------------------------------------------------------------------------------------------------- reading


@bare_inline
def read(params, state, work, rows, i):
    """work.y <- S x; returns (w'x, x'x, wbar'x). Does not modify the state."""
    y = work.y
    tau, zx, xx, wx = len(y), 0.0, 0.0, 0.0
    for j in range(tau):
        y[j] = 0.0
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        g, x = rows.features[at], rows.values[at]
        xx += x * x
        if g < len(state.wbar):  # else a feature that was only ever in a refused row
            zx += state.wbar[g] * x
            for j in range(tau):
                y[j] += state.S[g, j] * x
    for j in range(tau):
        wx += state.b[j] * y[j]
    return share(params) * zx + wx, xx, zx


@bare_inline
def scale_of(params, slope, t):
    """s: the projected row is s x."""
    if params.source == NEWTON:
        return math.copysign(row_scale(params, slope, t), slope)
    return 1.0 if params.source == DATA else slope


@bare_inline
def project(state, work, rows, i, slope):
    """work.r <- Pi'g. Does not modify the state."""
    for j in range(len(work.r)):
        work.r[j] = 0.0
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        for j in range(len(work.r)):
            work.r[j] += state.Pi[rows.features[at], j] * (slope * rows.values[at])


@bare_inline
def bounded(work, slope, scale, xx):
    """Whether the gradient and the row added to S are within bounds. Modifies nothing."""
    rr = 0.0
    for j in range(len(work.r)):
        rr += work.r[j] * work.r[j]
    return slope * slope * xx <= LIMIT and scale * scale * xx * rr <= LIMIT


# ----------------------------------------------------------------------------------------------------------- writing


@bare_inline
def project_weights(params, state, work, xx, excess):
    """Project onto |w'x| <= C in the norm of A = alpha I + S'S; returns the change of wbar per unit of x.

    Modifies state.b and work.a; xx : float, x'x; excess : float, w'x minus its projection
    """
    if excess == 0.0 or xx == 0.0:
        return 0.0
    across(params, state, work.y, work.a)
    rest, quadratic = xx, 0.0
    for i in range(len(state.lam)):
        if state.lam[i] > RANK * state.lam[-1]:
            c = 0.0
            for j in range(len(work.y)):
                c += state.U[j, i] * work.y[j]
            rest -= c * c / state.lam[i]
            quadratic += spectral(params.kind, params.floor, state.lam[i], c * c / state.lam[i])
    quadratic += spectral(params.kind, params.floor, 0.0, 1.0) * max(rest, 0.0)
    along = excess / quadratic
    for j in range(len(work.a)):
        state.b[j] -= along * work.a[j]
    return -along * spectral(params.kind, params.floor, 0.0, 1.0)


@bare_inline
def add_to_sketch(params, state, work, scale, xx, slope, zx):
    """Update K = S S', q = S z (both in state) and work.y for S + r s x'; returns the change of wbar per unit of x.

    scale : float, s; xx : float, x'x; zx : float, z'x
    """
    K, y, r, rb = state.K, work.y, work.r, 0.0
    for i in range(len(r)):
        rb += r[i] * state.b[i]
        for j in range(len(r)):
            K[i, j] += scale * (r[i] * y[j] + y[i] * r[j]) + scale * scale * xx * (r[i] * r[j])
    for i in range(len(r)):
        y[i] += scale * xx * r[i]
        if params.dual:
            state.q[i] += scale * zx * r[i] + slope * y[i]
    return 0.0 if params.dual else -scale * rb


@bare_inline
def step(params, state, work, slope):
    """w -= l f(S'S) g, or w = -l f(S'S) z: modifies state.b; returns the change of wbar per unit of x.

    Overwrites work.y and work.a.
    """
    for j in range(len(work.y)):
        work.y[j] = state.q[j] if params.dual else slope * work.y[j]
    across(params, state, work.y, work.a)
    for j in range(len(work.a)):
        state.b[j] = (0.0 if params.dual else state.b[j]) - params.rate * work.a[j]
    return slope if params.dual else -params.rate * spectral(params.kind, params.floor, 0.0, 1.0) * slope


@bare_inline
def across(params, state, y, a):
    """a <- U diag((f(lam) - f(0))/lam) U'y, where directions with lam = 0 contribute nothing.

    y : float64[tau], not modified; a : float64[tau], filled in; may not be the same array
    """
    lam, U = state.lam, state.U
    for j in range(len(a)):
        a[j] = 0.0
    for i in range(len(lam)):
        if not lam[i] > RANK * lam[-1]:
            continue
        c = 0.0
        for j in range(len(a)):
            c += U[j, i] * y[j]
        c *= (spectral(params.kind, params.floor, lam[i], 1.0) - spectral(params.kind, params.floor, 0.0, 1.0)) / lam[i]
        for j in range(len(a)):
            a[j] += c * U[j, i]


@bare_inline
def write(params, state, work, rows, i, scale, sparse):
    """S += r s x' and wbar += sparse x at the features of row i: modifies state. scale : float, s."""
    now = state.now[0]
    now.t += 1
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        g, x = rows.features[at], rows.values[at]
        now.seen = max(now.seen, g + 1)
        state.wbar[g] += sparse * x
        for j in range(len(work.r)):
            state.S[g, j] += work.r[j] * (scale * x)
