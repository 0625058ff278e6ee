"""The frequent-directions shrink: what it keeps, and how the kept rows are folded back into V = F Z in sparse time.

[RFD] Algorithms 3 and 6 (buffer of 2m rows), [SON] Algorithms 8-11 for the sparse form. We depart from [SON] Algorithm
9, whose F becomes singular: Z has spare rows, and a direction that is lost leaves its place to an empty one.
"""

from __future__ import annotations

import math

import numpy as np

from sonlearn.jit import bare_inline, inline
from sonlearn.learn.dense import add_product, clear, leading, transposed
from sonlearn.learn.generations import begin_generation, refresh_all, start_over, touch_all
from sonlearn.learn.orthonormal import departure, is_due, orthonormalise
from sonlearn.learn.state import (
    ALPHA,
    COUNT,
    EMPTY,
    HEAD,
    LOCAL,
    N_LOCAL,
    RFD,
    WBAR,
    K,
    R,
)  # fmt: skip

#: Squared singular values below this multiple of the largest are rounding noise of the Gram matrix.
EPS_RANK = 1e-14
#: Eigenvalues of E E' outside these bounds: the direction is given an empty row of Z, or a generation begins.
LOST, LARGE = 1e-4, 1e4


@inline
def shrink(params, state, slope, y):
    """Keep m - 1 of the r directions, lower them by the m-th, make the round's step and fold. Needs r >= m.

    `slope` is the derivative h l' of the round and `y` the coordinates of its example in Q.
    """
    k, n_raw = state.counters[K], state.counters[R]
    r = k + n_raw
    lam, U = np.linalg.eigh(leading(state.basis.H, r))
    top = max(lam[r - 1], 0.0)
    shed = lam[r - params.m]
    if shed <= EPS_RANK * top:
        shed = 0.0
    kept = 0
    while kept < params.m - 1 and lam[r - 1 - kept] - shed > EPS_RANK * top:
        state.basis.D2[kept] = lam[r - 1 - kept] - shed
        kept += 1
    if params.sketch == RFD:
        state.reals[ALPHA] += 0.5 * shed
    W = np.empty((kept, r))  # rows: the kept directions in the coordinates of Q
    for i in range(kept):
        for j in range(r):
            W[i, j] = U[j, r - 1 - i]
    step_after(state, slope, y, W)
    worst = fold(state, W)
    restart(params, state, kept)
    if is_due(state, worst):
        orthonormalise(state)


@bare_inline
def step_after(state, slope, y, W):
    """a -= slope A^-1 x with the new sketch: alpha on what was lost, alpha + D^2 on what was kept."""
    a, D2, alpha = state.basis.a, state.basis.D2, state.reals[ALPHA]
    kept, r = W.shape
    rest = slope / alpha if alpha > 0.0 else 0.0
    for j in range(r):
        a[j] -= rest * y[j]
    for i in range(kept):
        v = 0.0
        for j in range(r):
            v += W[i, j] * y[j]
        change = v * (slope / (alpha + D2[i]) - rest)
        for j in range(r):
            a[j] -= change * W[i, j]


@inline
def fold(state, W):
    """Express the kept directions as new rows V = F Z: W Q = N1 V + N2 X. Afterwards w = wbar + Z' beta.

    Returns how far V may then be from orthonormal rows.
    """
    factor, G, counters = state.factor, state.basis.G, state.counters
    kept = len(W)
    k, n_raw = counters[K], counters[R]
    M, k_max = factor.FT.shape
    N1, N2 = np.empty((kept, k)), np.zeros((kept, n_raw))
    for i in range(kept):
        unmix(G, k, n_raw, W[i], N1[i], N2[i])
    a1, c = np.empty(k), np.zeros(n_raw)
    unmix(G, k, n_raw, state.basis.a, a1, c)
    for j in range(M):
        for i in range(k):
            factor.beta[j] += factor.FT[j, i] * a1[i]
    E = np.zeros((k_max, M))
    add_product(N1, transposed(factor.FT, k), kept, k, E)
    delta = refactor(state, E, N2)
    for i in range(n_raw):
        for j in range(M):
            c[i] -= delta[i, j] * factor.beta[j]
    write_back(state, c, delta, np.empty((2, M + 1)))
    return departure(state, N1, N2)


@bare_inline
def unmix(G, k, n_raw, q, on_v, on_x):
    """Coefficients of q'Q = on_v'V + on_x'X."""
    for j in range(k):
        on_v[j] = q[j]
    for i in range(n_raw - 1, -1, -1):
        total = q[k + i]
        for l in range(i + 1, n_raw):  # noqa: E741
            total -= on_x[l] * G[l, k + i]
        on_x[i] = total / G[i, k + i]
    for i in range(n_raw):
        for j in range(k):
            on_v[j] -= on_x[i] * G[i, j]


@inline
def refactor(state, E, N2):
    """Set F so that F Z = E Z and F is well conditioned; returns delta = (F^+ N2)', the rows' shares of Z.

    A singular value of E near zero is a direction of V that was lost (and, with it, one that the raw rows have
    brought). It gets an empty row of Z, which changes nothing in F Z. With no empty row left a generation begins.
    """
    factor, counters = state.factor, state.counters
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
    if counters[EMPTY] + lost > M or eig[kept - 1] > LARGE:
        begin_generation(state, E, np.empty((2, M + 1)))
        start_over(factor, kept)
        counters[EMPTY] = kept
        for i in range(kept):
            for l in range(n_raw):  # noqa: E741
                delta[l, i] = N2[i, l]
        return delta
    for l in range(lost):  # noqa: E741
        for i in range(kept):
            E[i, counters[EMPTY] + l] = P[i, l]
        eig[l] += 1.0
    counters[EMPTY] += lost
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
def write_back(state, c, delta, z):
    """Z <- Z + delta'X and wbar <- wbar + X'c over the features of the raw rows: O(M) for each of their entries."""
    table, X, owner = state.table, state.raw.X, state.raw.owner
    n_raw, M = delta.shape
    n_local = state.counters[N_LOCAL]
    refresh_all(state, owner[:n_local], z)
    touch_all(state, owner[:n_local])
    for at in range(n_local):
        f = owner[at]
        for i in range(n_raw):
            x = X[at, i]
            if x != 0.0:
                table[f, WBAR] += c[i] * x
                for j in range(M):
                    table[f, HEAD + j] += x * delta[i, j]
        table[f, LOCAL] = -1.0


@bare_inline
def restart(params, state, kept):
    """An empty buffer in front of the kept directions, in whose coordinates everything is diagonal."""
    basis, counters = state.basis, state.counters
    clear(basis.H)
    clear(basis.LT)
    for i in range(len(basis.a)):
        basis.a[i] = 0.0
    for i in range(len(basis.D2)):
        if i < kept:
            basis.H[i, i] = basis.D2[i]
            basis.LT[i, i] = math.sqrt(basis.D2[i] + state.reals[ALPHA])
        else:
            basis.D2[i] = 0.0
    counters[K] = kept
    counters[R] = 0
    counters[N_LOCAL] = 0
    counters[COUNT] = params.m - 1
