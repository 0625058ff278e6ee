"""The frequent-directions shrink: which directions are kept, what they are lowered by, and what becomes of the rest.

[RFD] Algorithms 3 and 6, with a buffer of 2m rows. The rules are values (`sonlearn.sketch.rules.Terms`): how many of
the m squared values pay, what alpha gets of the last, whether A gives it back to those that are kept.
"""

from __future__ import annotations

import numpy as np

from sonlearn.jit import bare_inline, inline
from sonlearn.learn.dense import leading
from sonlearn.learn.sparse_time import fold, is_due, orthonormalise
from sonlearn.learn.spectrum import f as spectral
from sonlearn.learn.step import begin, beyond
from sonlearn.learn.tolerances import RANK


@inline
def shrink(params, state, slope, y):
    """Keep m - 1 of the r directions, make the round's step and fold. Needs r >= m.

    `slope` is the derivative h l' of the round and `y` the coordinates of its example in Q.
    """
    now = state.now[0]
    r = now.k + now.raw
    lam, U = np.linalg.eigh(leading(state.basis.H, r))
    W = kept_of(U, lower(params, state, lam))
    kept = len(W)
    if params.dual:
        turn(state, W)
    else:
        step_after(params, state, slope, y, W)
    worst = fold(state, W)
    begin(state, kept)
    if params.dual:
        for i in range(kept):
            state.basis.a[i] = -params.rate * beyond(params, state, i, state.basis.q[0, i])
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
    now, a = state.now[0], state.basis.a
    r, outside = now.k + now.raw, 0.0
    if params.dual:
        y, slope, outside = state.basis.q[0], params.rate, 1.0
        for i in range(r):
            a[i] = 0.0
    lam, U = np.linalg.eigh(leading(state.basis.H, r))
    for i in range(r):
        along = 0.0
        for j in range(r):
            along += U[j, i] * y[j]
        along *= slope
        along = spectral(params.kind, now.alpha, max(lam[i], 0.0), along) - outside * spectral(
            params.kind, now.alpha, 0.0, along
        )
        for j in range(r):
            a[j] -= along * U[j, i]


@bare_inline
def turn(state, W):
    """q <- W q: z in the coordinates of the directions that are kept. a <- 0: wbar is z and takes nothing else."""
    a, q = state.basis.a, state.basis.q
    kept, r = W.shape
    for each in range(2):
        for i in range(kept):
            a[i] = 0.0
            for j in range(r):
                a[i] += W[i, j] * q[each, j]
        for i in range(len(a)):
            q[each, i] = a[i] if i < kept else 0.0
            a[i] = 0.0


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
def step_after(params, state, slope, y, W):
    """a -= slope A^-1 x with the new sketch: alpha on what was lost, more on what was kept."""
    a, rest = state.basis.a, spectral(params.kind, state.now[0].alpha, 0.0, slope)
    kept, r = W.shape
    for j in range(r):
        a[j] -= rest * y[j]
    for i in range(kept):
        v = 0.0
        for j in range(r):
            v += W[i, j] * y[j]
        change = v * beyond(params, state, i, slope)
        for j in range(r):
            a[j] -= change * W[i, j]
