"""Rounds that decompose A each time, at O(d^3).

full-on with alpha = 0   f(lam) = 1/lam, 0 for lam = 0: the pseudo-inverse of [SON] appendix D
ada-full                 f(lam) = 1/(delta + sqrt(lam)), A = sum of g g'
ada-lr                   Q from A Pi, Q'A = U Sig V', the step V f(Sig) V'g, zero outside of V ([ADA] eq. 1)

ada-full and ada-lr take several classes, which share A: the gradient of the d x C matrix of weights is x c' with
c = h (softmax(z) - e_y), A is the sum of its outer products |c|^2 x x', and the step of class k is c_k f(A) x.

A is stored as the columns of its upper triangle, as `rounds` stores R.
"""

from __future__ import annotations

import numpy as np

from sonlearn.data.rows import is_learned
from sonlearn.jit import inline, jit
from sonlearn.learn.dense.rounds import ADA_LR, PSEUDO, column_start, enter, features_of, to_dense
from sonlearn.learn.linear_algebra import INVERSE, ROOT, spectral
from sonlearn.learn.losses import leads_too_far, slopes
from sonlearn.learn.newton.round import row_scale
from sonlearn.learn.tolerances import LIMIT, SPAN

#: Smaller eigenvalues than this multiple of the largest are rounding errors, and may be negative: they count as this.
NOISE = 1e-15
#: For a pseudo-inverse, eigenvalues of A up to this multiple of the largest count as 0.
ZERO = 1e-10


@jit
def learn(params, state, rows, out, start, learns):
    """Predict rows from `start` on and, where it `learns`, learn them; returns the first row that was refused, or n.

    params : DenseParams; state : DenseState, modified in place; rows : Rows, not modified
    out : Predictions of float64[n, C], filled in from row `start` on; start : int
    """
    now, C = state.now[0], state.w.shape[1]
    slope = np.zeros(C)
    for i in range(start, len(rows.y)):
        if not enter(params, state, rows, out, i, learns):
            return i
        if not learns or not is_learned(rows.weight[i], rows.y[i]):
            continue
        d = features_of(state, rows, i)
        if d == 0:
            now.t += 1
            continue
        x = np.zeros(d)
        to_dense(rows, i, d, x)
        length = slopes(params.output, out.prediction[i], rows.y[i], rows.weight[i], slope)
        if not length * length * np.dot(x, x) <= LIMIT:
            return i
        scale = row_scale(params.row_weight, length, now.t + 1) if params.rule == PSEUDO else length
        A, w = matrix(state.A, now.seen, d), state.w[:d].copy()
        if params.rule == PSEUDO:
            w[:, 0] -= projection(A, x, out.raw[i, 0] - out.prediction[i, 0])
        for j in range(d):
            for k in range(d):
                A[j, k] += (scale * x[j]) * (scale * x[k])
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
        if leads_too_far(params.output.loss, rows.base[i] + (w[:, 0] * x).sum(), np.dot(x, x), LIMIT):
            return i
        now.t += 1
        now.seen = d
        state.w[:d] = w
        if params.dual:
            state.z[:d] = g
        pack_triangle(state.A, A)
    return len(rows.y)


@inline
def matrix(packed, seen, d):
    """float64[d, d]: A as a matrix, with zeros for the features from `seen` on.

    packed : float64[column(seen) or more], the columns of its upper triangle, not modified
    """
    A = np.zeros((d, d))
    for j in range(seen):
        for k in range(j + 1):
            A[j, k] = A[k, j] = packed[column_start(j) + k]
    return A


@inline
def pack_triangle(packed, A):
    """packed <- the upper triangle of A (float64[d, d], not modified): the inverse of `matrix`."""
    for j in range(len(A)):
        for k in range(j + 1):
            packed[column_start(j) + k] = A[j, k]


@inline
def apply(params, A, g):
    """float64[d, C]: f(A) g. A : float64[d, d] and g : float64[d, C], not modified."""
    lam, U = np.linalg.eigh(A)
    y = np.dot(np.ascontiguousarray(U.T), g)
    kind, base = (INVERSE, 0.0) if params.rule == PSEUDO else (ROOT, params.delta)
    for j in range(len(lam)):
        none = base == 0.0 and not lam[j] > ZERO * lam[-1]  # a pseudo-inverse
        y[j] *= 0.0 if none else spectral(kind, base, max(lam[j], NOISE * lam[-1]), 1.0)
    return np.dot(U, y)


@inline
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


@inline
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
