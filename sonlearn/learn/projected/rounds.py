"""Learners by random projection: S += r s x' in every round, the step f(S'S) g, in O(tau s + tau^3) a row.

[RFD] section 6.2 (rp-son), [ADA] Algorithms 1 and 2 (ada-gp, ada-dp), Krummenacher et al. 2016 (radagrad).
S has tau numbers a feature and changes at the features of the row only. With K = S S' = U diag(lam) U', kept up to
date in O(tau^2), f(S'S) g = f(0) g + S'a with a = U diag((f(lam) - f(0))/lam) U'S g: so the weights are

    w = wbar + S'b         mirror descent, w <- w - l f(S'S) g; when S gains r s x', wbar loses (r'b) s x
    w = -l f(0) z + S'b    primal-dual, w = -l f(S'S) z with z the sum of g; S z is kept up to date likewise

radagrad's Gt += g (Pi'g)' is S' for r = Pi'g; its V and Sig are the singular vectors and values of Gt, since with Q of
Gt = QR the matrix Gt'Q is R'. So it is the same round with f(lam) = 1/(delta + lam^(1/4)), and 1 where V is not.
"""

from __future__ import annotations

import math

import numpy as np

from sonlearn.jit import bare_inline, bare_jit, jit
from sonlearn.learn.losses import loss_slope
from sonlearn.learn.newton.round import row_scale
from sonlearn.learn.spectrum import f
from sonlearn.learn.tolerances import LIMIT, RANK

#: What is projected: g times sqrt(sigma + eta_t), the gradient, the data, or g by its own projection Pi'g.
NEWTON, GRADIENT, DATA, OWN = range(4)


@jit
def learn(params, state, work, normals, rows, out, bounds):
    """Predict and learn rows bounds[0] to bounds[1] - 1; returns the first row that was refused, or bounds[1].

    Parameters
    ----------
    params : ProjectedParams; state : ProjectedState, changed in place; work : ProjectedScratch, scratch
    normals : float64[n, tau]; the next rounds' random vectors (OWN: none are needed)
    rows : Rows; out : Predictions, filled in place
    """
    now, first = state.now[0], state.now[0].t
    for i in range(*bounds):
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
        sparse = onto(params, state, work, xx, excess)
        sparse += take(params, state, work, scale, xx, (slope, zx))
        lam, U = np.linalg.eigh(state.K)
        state.lam[:] = lam
        state.U[:] = U
        sparse += step(params, state, work, slope)
        write(params, state, work, rows, i, (scale, sparse))
    return bounds[1]


@bare_jit
def predict(params, state, rows, raw):
    """raw[i] <- prediction of row i; returns the first row whose prediction is not finite, or n."""
    for i in range(len(rows.y)):
        raw[i] = rows.base[i]
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            raw[i] += weight(params, state, rows.features[at]) * rows.values[at]
        if not math.isfinite(raw[i]):
            return i
    return len(rows.y)


@bare_jit
def weights(params, state, out):
    """out[f] <- weight of feature f, for the first len(out) features."""
    for i in range(len(out)):
        out[i] = weight(params, state, i)


@bare_inline
def weight(params, state, i):
    """Weight of feature i."""
    if i >= len(state.wbar):
        return 0.0
    total = share(params) * state.wbar[i]
    for j in range(len(state.b)):
        total += state.S[i, j] * state.b[j]
    return total


@bare_inline
def share(params):
    """What wbar is multiplied with in the weights: z stands there in primal-dual updates."""
    return -params.rate * f(params.kind, params.floor, 0.0, 1.0) if params.dual else 1.0


# ----------------------------------------------------------------------------------------------------------- reading


@bare_inline
def read(params, state, work, rows, i):
    """y <- S x; returns (w'x, x'x, wbar'x)."""
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
    """s: the row that is projected is s x."""
    if params.source == NEWTON:
        return math.copysign(row_scale(params, slope, t), slope)
    return 1.0 if params.source == DATA else slope


@bare_inline
def project(state, work, rows, i, slope):
    """r <- Pi'g."""
    for j in range(len(work.r)):
        work.r[j] = 0.0
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        for j in range(len(work.r)):
            work.r[j] += state.Pi[rows.features[at], j] * (slope * rows.values[at])


@bare_inline
def bounded(work, slope, scale, xx):
    """Whether what the row adds is within bounds."""
    rr = 0.0
    for j in range(len(work.r)):
        rr += work.r[j] * work.r[j]
    return slope * slope * xx <= LIMIT and scale * scale * xx * rr <= LIMIT


# ----------------------------------------------------------------------------------------------------------- writing


@bare_inline
def onto(params, state, work, xx, excess):
    """The projection onto |w'x| <= C in the norm of A = alpha I + S'S: b, and what wbar gains along x (returned)."""
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
            quadratic += f(params.kind, params.floor, state.lam[i], c * c / state.lam[i])
    quadratic += f(params.kind, params.floor, 0.0, 1.0) * max(rest, 0.0)
    along = excess / quadratic
    for j in range(len(work.a)):
        state.b[j] -= along * work.a[j]
    return -along * f(params.kind, params.floor, 0.0, 1.0)


@bare_inline
def take(params, state, work, scale, xx, gradient):
    """K and y with S + r s x' in place of S, and S z; returns what wbar gains along x. gradient: (slope, z'x)."""
    K, y, r, (slope, zx), rb = state.K, work.y, work.r, gradient, 0.0
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
    """w -= l f(S'S) g, or w = -l f(S'S) z: b, and what wbar gains along x (returned)."""
    for j in range(len(work.y)):
        work.y[j] = state.q[j] if params.dual else slope * work.y[j]
    across(params, state, work.y, work.a)
    for j in range(len(work.a)):
        state.b[j] = (0.0 if params.dual else state.b[j]) - params.rate * work.a[j]
    return slope if params.dual else -params.rate * f(params.kind, params.floor, 0.0, 1.0) * slope


@bare_inline
def across(params, state, y, a):
    """a <- U diag((f(lam) - f(0))/lam) U'y; directions in which S is 0 have none."""
    lam, U = state.lam, state.U
    for j in range(len(a)):
        a[j] = 0.0
    for i in range(len(lam)):
        if not lam[i] > RANK * lam[-1]:
            continue
        c = 0.0
        for j in range(len(a)):
            c += U[j, i] * y[j]
        c *= (f(params.kind, params.floor, lam[i], 1.0) - f(params.kind, params.floor, 0.0, 1.0)) / lam[i]
        for j in range(len(a)):
            a[j] += c * U[j, i]


@bare_inline
def write(params, state, work, rows, i, gains):
    """S += r s x', wbar += sparse x; gains: (s, sparse)."""
    now, (scale, sparse) = state.now[0], gains
    now.t += 1
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        g, x = rows.features[at], rows.values[at]
        now.seen = max(now.seen, g + 1)
        state.wbar[g] += sparse * x
        for j in range(len(work.r)):
            state.S[g, j] += work.r[j] * (scale * x)
