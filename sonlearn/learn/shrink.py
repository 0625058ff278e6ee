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

    `slope` (float64[classes]) is the derivative h l' of the round, `y` are the coordinates of its example in Q.
    """
    now = state.now[0]
    r = now.k + now.raw
    lam, U = np.linalg.eigh(leading(state.basis.H, r))
    kept = lower(params, state, lam)
    W = np.empty((kept, r))  # rows: the kept directions in the coordinates of Q
    for i in range(kept):
        for j in range(r):
            W[i, j] = U[j, r - 1 - i]
    step_after(params, state, slope, y, W)
    worst = fold(state, W)
    begin(state, kept)
    if is_due(state, worst):
        orthonormalise(state)


@inline
def spectral_step(params, state, slope, y):
    """w -= slope f(A) x within the basis, with the sketch as it stands: where f is no inverse, by eigenvalues."""
    now, a = state.now[0], state.basis.a
    r = now.k + now.raw
    lam, U = np.linalg.eigh(leading(state.basis.H, r))
    for i in range(r):
        along = 0.0
        for j in range(r):
            along += U[j, i] * y[j]
        for c in range(len(a)):
            by = spectral(params.kind, now.alpha, max(lam[i], 0.0), params.rate * slope[c] * along)
            for j in range(r):
                a[c, j] -= by * U[j, i]


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
