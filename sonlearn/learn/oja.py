"""Oja's sketch: V <- Gram-Schmidt(V + gamma V ghat ghat'), kept as V = F Z, in O(m^2 + ms) a round.

[SON] Algorithms 3-5. Because V + gamma V ghat ghat' = F (Z + gamma (Z ghat) ghat'), Z takes the sparse rank-one part
and F the orthonormalisation; and because the Gram matrix of the new rows is I + theta y y', its Cholesky factor is
known in closed form, so that Gram-Schmidt costs O(m^2) in every round. Departures: V starts empty and its first m rows
are the first m independent gradients ([SON]: random rows, which in high dimension overlap with nothing); a scale-free
step (AdaOja, Henriksen & Ward 2019) beside the paper's 1/t; F is renewed through `generations` when ill-conditioned.
"""

from __future__ import annotations

import math

from sonlearn.jit import bare_inline, inline
from sonlearn.learn.dense import transposed
from sonlearn.learn.generations import begin_generation, start_over, touch_all
from sonlearn.learn.state import ALPHA, EMPTY, HEAD, OJA_SUM, WBAR, K, T
from sonlearn.learn.status import NEXT, ORTHONORMALISE, RENEW

#: F (triangular) begins anew when 1, its size at the start, or its entries exceed its diagonal by more than this
#: factor: as F falls, Z rises, and w = wbar + Z'beta would cancel.
SPREAD = 32.0
#: A new direction is a small difference when its part outside of V is below this share of x'x (see `orthonormal`).
DOUBTFUL = 0.1


@bare_inline
def oja_round(params, state, work, feats, slope, scale, xx, rho2):
    """Take the row ghat = scale x into the sketch, then w -= slope A^-1 x with the new sketch; returns a status.

    `work` holds x, Z x and y = V x of the row; `rho2` is the squared part of x outside of V, 0 if negligible.
    """
    delta = work.delta
    for j in range(len(delta)):
        delta[j] = 0.0
    wbar_step, doubtful = 0.0, False
    if scale * scale * xx > 0.0:
        if state.counters[K] < params.m and rho2 > 0.0:
            add_direction(state, work, scale, math.sqrt(rho2))
            doubtful = rho2 < DOUBTFUL * xx
        else:
            wbar_step = rotate(params, state, work, scale, xx)
    alpha, k = state.reals[ALPHA], state.counters[K]
    FT, beta, D2 = state.factor.FT, state.factor.beta, state.basis.D2
    for i in range(k):
        change = slope * work.y[i] * (1.0 / (alpha + D2[i]) - 1.0 / alpha)
        for j in range(len(beta)):
            beta[j] -= change * FT[j, i]
    wbar_step -= slope / alpha
    touch_all(state, feats)
    for at in range(len(feats)):
        f, x = feats[at], work.x[at]
        state.table[f, WBAR] += wbar_step * x
        for j in range(len(delta)):
            state.table[f, HEAD + j] += delta[j] * x
    if doubtful:
        return ORTHONORMALISE
    return RENEW if is_ill_conditioned(state) else NEXT


@bare_inline
def add_direction(state, work, scale, rho):
    """V gains the row q = (x - V'y)/rho: an empty row of Z takes x/rho, and F gains e_k - y'F/rho."""
    FT, D2, k = state.factor.FT, state.basis.D2, state.counters[K]
    row = state.counters[EMPTY]
    for j in range(len(FT)):
        total = 0.0
        for i in range(k):
            total += work.y[i] * FT[j, i]
        FT[j, k] = -total / rho
    FT[row, k] += 1.0
    work.delta[row] = 1.0 / rho
    work.y[k] = rho
    for i in range(k + 1):
        D2[i] += (scale * work.y[i]) ** 2
    state.counters[K] = k + 1
    state.counters[EMPTY] = row + 1


@bare_inline
def rotate(params, state, work, scale, xx):
    """One step of Oja's rule; y becomes V x in the new V. Returns what Z's change takes from wbar, per unit of x."""
    factor, D2, k = state.factor, state.basis.D2, state.counters[K]
    norm2, along2 = scale * scale * xx, 0.0
    for i in range(k):
        work.y[i] *= scale
        along2 += work.y[i] * work.y[i]
        D2[i] += work.y[i] * work.y[i]
    if params.oja_adaptive:
        state.reals[OJA_SUM] += norm2 * along2
        gamma = 1.0 / math.sqrt(state.reals[OJA_SUM]) if state.reals[OJA_SUM] > 0.0 else 0.0
    else:
        gamma = 1.0 / state.counters[T]
    moved = 0.0
    for j in range(len(factor.beta)):
        work.delta[j] = gamma * scale * scale * work.zx[j]
        moved -= work.delta[j] * factor.beta[j]
    theta = gamma * (2.0 + gamma * norm2)
    gram_schmidt(factor.FT, work.y, k, theta)
    for i in range(k):
        work.h[i] = (1.0 + gamma * norm2) * work.y[i] / scale
    apply_inverse(work.h, work.y, k, theta)
    for i in range(k):
        work.y[i] = work.h[i]
    return moved


@bare_inline
def gram_schmidt(FT, y, k, theta):
    """F <- L^-1 F where L L' = I + theta y y'."""
    for j in range(len(FT)):
        apply_inverse(FT[j], y, k, theta)


@bare_inline
def apply_inverse(v, y, k, theta):
    """v[:k] <- L^-1 v where L L' = I + theta y y': a running sum, since L is diagonal plus semiseparable."""
    before, run = 1.0, 0.0
    for i in range(k):
        after = before + theta * y[i] * y[i]
        old = v[i]
        v[i] = math.sqrt(before / after) * (old - theta * y[i] * run / before)
        run += y[i] * old
        before = after


@bare_inline
def is_ill_conditioned(state):
    """Whether F has left the range in which Z and F multiply accurately."""
    FT, k = state.factor.FT, state.counters[K]
    least, most = math.inf, 1.0
    for i in range(k):
        least = min(least, abs(FT[i, i]))
        for j in range(len(FT)):
            most = max(most, abs(FT[j, i]))
    return most > SPREAD * least


@inline
def renew(state, z):
    """Begin a generation with F = I."""
    FT = state.factor.FT
    begin_generation(state, transposed(FT, FT.shape[1]), z)
    start_over(state.factor, state.counters[K])
    state.counters[EMPTY] = state.counters[K]
