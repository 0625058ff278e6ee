"""The frequent-directions shrink: which directions are kept, what they are lowered by, and what becomes of the rest.

[RFD] Algorithms 3 and 6, with a buffer of 2m rows. The rules are values (`sonlearn.sketch.rules.Terms`): how many of
the m squared values pay, what alpha gets of the last, whether A gives it back to those that are kept.
"""

from __future__ import annotations

import numpy as np

from sonlearn.jit import bare_inline, inline
from sonlearn.learn.linear_algebra import clear, leading
from sonlearn.learn.newton.sparse_time import fold, is_due, orthonormalise
from sonlearn.learn.newton.step import begin, beyond, landing
from sonlearn.learn.spectrum import f as spectral
from sonlearn.learn.tolerances import RANK


@inline
def shrink(params, state, work, slope):
    """Keep m - 1 of the r directions, make the round's step and fold. Needs r >= m.

    `slope` (float64[classes], used up) is the derivative h l' of the round, work.wx its w'x, work.y are the coordinates
    of its example in Q.
    """
    now, u, y = state.now[0], work.wx, work.y
    r = now.k + now.raw
    lam, U = np.linalg.eigh(leading(state.basis.H, r))
    W = kept_of(U, lower(params, state, lam))
    kept = len(W)
    if params.after:
        quadratic = quadratic_in(params, state, y, W)
        for c in range(len(slope)):
            slope[c] = landing(params, now.left, u[c], slope[c], quadratic)
    if params.dual:
        turn(state, W)
    else:
        step_after(params, state, slope, y, W)
    worst = fold(state, W, work.z)
    begin(state, kept)
    if params.dual:
        for c in range(len(state.basis.a)):
            for i in range(kept):
                state.basis.a[c, i] = -params.rate * beyond(params, state, i, state.basis.q[c, i])
    if is_due(state, worst):
        orthonormalise(state)


@inline
def kept_of(U, kept):
    """Rows: the `kept` leading directions in the coordinates of Q, of eigenvectors U in ascending order."""
    r = len(U)
    W = np.empty((kept, r))
    for i in range(kept):
        for j in range(r):
            W[i, j] = U[j, r - 1 - i]
    return W


@inline
def spectral_step(params, state, slope, y):
    """w -= slope f(A) x within the basis, with the sketch as it stands: where f is no inverse, by eigenvalues.

    Primal-dual: w = -rate f(A) z, what f(A) is beyond f(0) being in the basis.
    """
    now, a, outside = state.now[0], state.basis.a, 1.0 if params.dual else 0.0
    r = now.k + now.raw
    lam, U = np.linalg.eigh(leading(state.basis.H, r))
    for c in range(len(a)):
        along, by = (state.basis.q[c], params.rate) if params.dual else (y, params.rate * slope[c])
        for i in range(r):
            a[c, i] *= 1.0 - outside
        for i in range(r):
            g = 0.0
            for j in range(r):
                g += U[j, i] * along[j]
            g *= by
            change = spectral(params.kind, now.alpha, max(lam[i], 0.0), g) - outside * spectral(
                params.kind, now.alpha, 0.0, g
            )
            for j in range(r):
                a[c, j] -= change * U[j, i]


@bare_inline
def turn(state, W):
    """q <- W q: z in the coordinates of the directions that are kept. a <- 0: wbar is z and takes nothing else."""
    a, q = state.basis.a, state.basis.q
    kept, r = W.shape
    for each in range(len(q)):
        for i in range(kept):
            a[0, i] = 0.0
            for j in range(r):
                a[0, i] += W[i, j] * q[each, j]
        for i in range(a.shape[1]):
            q[each, i] = a[0, i] if i < kept else 0.0
    clear(a)


@bare_inline
def lower(params, state, lam):
    """D2 <- the kept of the squared singular values `lam` (ascending), lowered by the rule; returns how many."""
    now, D2, r, m = state.now[0], state.basis.D2, len(lam), params.m
    payers, gain, restore = params.terms
    top = max(lam[r - 1], 0.0)
    shed = lam[r - m]
    if shed <= RANK * top:
        shed = 0.0
    kept = 0
    while kept < m - 1:
        value = lam[r - 1 - kept] - (shed if kept >= m - payers else 0.0)
        if value <= RANK * top:
            break
        D2[kept] = value
        kept += 1
    now.alpha += gain * shed
    if restore:
        now.restored += shed
    return kept


@bare_inline
def quadratic_in(params, state, y, W):
    """x'A^-1 x with the new sketch."""
    kept, r = W.shape
    total, rest = 0.0, spectral(params.kind, state.now[0].alpha, 0.0, 1.0)
    for j in range(r):
        total += rest * y[j] * y[j]
    for i in range(kept):
        v = 0.0
        for j in range(r):
            v += W[i, j] * y[j]
        total += v * v * beyond(params, state, i, 1.0)
    return total


@bare_inline
def step_after(params, state, slope, y, W):
    """a -= slope A^-1 x with the new sketch: alpha on what was lost, more on what was kept."""
    a, alpha = state.basis.a, state.now[0].alpha
    kept, r = W.shape
    for c in range(len(a)):
        rest = spectral(params.kind, alpha, 0.0, params.rate * slope[c])
        for j in range(r):
            a[c, j] -= rest * y[j]
    for i in range(kept):
        v = 0.0
        for j in range(r):
            v += W[i, j] * y[j]
        for c in range(len(a)):
            change = v * beyond(params, state, i, params.rate * slope[c])
            for j in range(r):
                a[c, j] -= change * W[i, j]
