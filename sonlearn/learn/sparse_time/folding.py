"""Folding: the rows that a shrink keeps become V = F Z again, in sparse time.

[SON] Algorithms 8-11. We depart from [SON] Algorithm 9, whose F becomes singular: Z has spare rows, and a direction
that is lost leaves its place to an empty one.
"""

from __future__ import annotations

import numpy as np

from sonlearn.jit import bare_inline, inline
from sonlearn.learn.dense import add_product, clear, transposed
from sonlearn.learn.sparse_time.generations import begin_generation, refresh_all, start_over, touch_all
from sonlearn.learn.sparse_time.local import unmix
from sonlearn.learn.sparse_time.orthonormal import departure
from sonlearn.learn.tolerances import LARGE, LOST


@inline
def fold(state, W):
    """Express the kept directions as new rows V = F Z: W Q = N1 V + N2 X. Afterwards w = wbar + Z'beta, Q = V.

    Returns how far V may then be from orthonormal rows.
    """
    factor, G, now = state.factor, state.basis.G, state.now[0]
    kept, k, n_raw = len(W), now.k, now.raw
    M, k_max = factor.FT.shape
    N1, N2 = np.empty((kept, k)), np.zeros((kept, n_raw))
    for i in range(kept):
        unmix(G, k, n_raw, W[i], N1[i], N2[i])
    classes = len(factor.beta)
    a1, on_x = np.empty(k), np.zeros((classes, n_raw))
    for c in range(classes):
        unmix(G, k, n_raw, state.basis.a[c], a1, on_x[c])
        for j in range(M):
            for i in range(k):
                factor.beta[c, j] += factor.FT[j, i] * a1[i]
    E = np.zeros((k_max, M))
    add_product(N1, transposed(factor.FT, k), kept, k, E)
    delta = refactor(state, E, N2)
    for c in range(classes):
        for i in range(n_raw):
            for j in range(M):
                on_x[c, i] -= delta[i, j] * factor.beta[c, j]
    write_back(state, on_x, delta, np.empty((3, M + classes)))
    worst = departure(state, N1, N2)
    clear(state.basis.a)
    now.k = kept
    now.raw = now.local = 0
    return worst


@inline
def refactor(state, E, N2):
    """Set F so that F Z = E Z and F is well conditioned; returns delta = (F^+ N2)', the rows' shares of Z.

    A singular value of E near zero is a direction of V that was lost (and, with it, one that the raw rows have
    brought). It gets an empty row of Z, which changes nothing in F Z. With no empty row left a generation begins.
    """
    factor, now = state.factor, state.now[0]
    M = len(factor.FT)
    kept, n_raw = N2.shape
    delta = np.zeros((n_raw, M))
    clear(factor.FT)
    if kept == 0:
        return delta
    gram = np.zeros((kept, kept))
    add_product(E, transposed(E, M), kept, M, gram)
    eig, P = np.linalg.eigh(gram)
    lost = 0
    while lost < kept and eig[lost] < LOST:
        lost += 1
    if now.used + lost > M or eig[kept - 1] > LARGE:
        begin_generation(state, E, np.empty((2, M + len(factor.beta))))
        start_over(state, kept)
        for i in range(kept):
            for l in range(n_raw):  # noqa: E741
                delta[l, i] = N2[i, l]
        return delta
    for l in range(lost):  # noqa: E741
        for i in range(kept):
            E[i, now.used + l] = P[i, l]
        eig[l] += 1.0
    now.used += lost
    for j in range(M):
        for i in range(kept):
            factor.FT[j, i] = E[i, j]
    solve_through(P, eig, N2, E, delta)
    rest = np.zeros((kept, n_raw))  # solving through F F' squares its condition number: refine once
    add_product(E, transposed(delta, M), kept, M, rest)
    for i in range(kept):
        for l in range(n_raw):  # noqa: E741
            rest[i, l] = N2[i, l] - rest[i, l]
    solve_through(P, eig, rest, E, delta)
    return delta


@inline
def solve_through(P, eig, N2, E, delta):
    """delta += N2' (P diag(eig) P')^-1 E, where the middle is F F'."""
    kept, n_raw = N2.shape
    half, solved = np.zeros((n_raw, kept)), np.zeros((n_raw, kept))
    add_product(transposed(N2, n_raw), P, n_raw, kept, half)
    for i in range(n_raw):
        for j in range(kept):
            half[i, j] /= eig[j]
    add_product(half, transposed(P, kept), n_raw, kept, solved)
    add_product(solved, E, n_raw, kept, delta)


@bare_inline
def write_back(state, on_x, delta, z):
    """Z <- Z + delta'X, each class's wbar <- wbar + X'on_x over the features of the raw rows: O(M + K) an entry."""
    features, Z, X, owner = state.features, state.Z, state.raw.X, state.raw.owner
    n_raw, M = delta.shape
    n_local = state.now[0].local
    refresh_all(state, owner[:n_local], z)
    touch_all(state, owner[:n_local])
    for at in range(n_local):
        f = owner[at]
        for i in range(n_raw):
            x = X[at, i]
            if x != 0.0:
                for c in range(len(on_x)):
                    state.wbar[f, c] += on_x[c, i] * x
                for j in range(M):
                    Z[f, j] += x * delta[i, j]
        features[f].local = -1
