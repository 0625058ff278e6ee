"""Folding: the directions that a shrink keeps become the new V, in sparse time, and V stays orthonormal.

[SON] Algorithms 8-11. We depart from [SON] Algorithm 9, which stores V = F Z: a shrink replaces most directions, so its
F becomes singular. Here each shrink begins a generation, and V itself is stored.

All computations assume that the rows of V are orthonormal. A new direction q = (x - V'y)/rho is a small difference when
x lies mostly in the span of V. It then inherits the error of V, multiplied by |y|/rho, and the next shrink makes it a
row of V. On text rho is large and the error stays small. On ill-conditioned, duplicated or low-rank rows the error
doubles again and again, from the last bit to the first within a few hundred rows. The sketch's own coordinates do not
show it; only V V' does, which needs a pass over all features. So each shrink updates a model of the error, and the
model decides when to make the pass: at once if it must be made, earlier if it is cheap compared with the reads since.
"""

import math

import numpy as np

from sonlearn.data.linear_algebra import add_scaled, clear, clear_first, dot, factorise_or, solve_lower
from sonlearn.jit import inline
from sonlearn.learn.log import begin_generation
from sonlearn.learn.newton.coordinates import all_current, refresh, refresh_all, reset_factor, unmix
from sonlearn.learn.tolerances import AFFORDABLE, BROKEN, CHEAP, NEEDED, ROUNDING, WORTH


@inline
def fold(state, work, n_kept):
    """Keep the directions W Q: V <- N1 V + N2 X. Afterwards w = wbar and Q = V.

    state : NewtonState, modified
    work : NewtonScratch with W, of which n_kept rows count (work.shrink); z and the rest of shrink are overwritten

    Returns the estimated departure of V V' from the identity.
    """
    G, now, a, own = state.basis.G, state.now[0], state.basis.a, work.shrink
    k, n_raw, N1, N1T = now.k, now.raw, own.squares[0], own.squares[1]
    clear(N1T)
    for i in range(n_kept):
        unmix(G, k, n_raw, own.W[i], N1[i], own.N2[i])
        for j in range(k):
            N1T[j, i] = N1[i, j]
    for c in range(len(a)):
        unmix(G, k, n_raw, a[c], own.on_v[c], own.on_x[c])
    begin_generation(now, state.maps, N1T[:k], own.on_v, own.maps[0], own.maps[1])
    write_back(state, own, n_kept, work.z)
    worst = departure(state.basis, own.squares, own.N2, n_kept, k, n_raw)
    clear(a)
    reset_factor(now, state.factor, n_kept)
    now.k = n_kept
    now.raw = now.local = 0
    return worst


@inline
def write_back(state, own, n_kept, z):
    """V <- V + N2 X and wbar <- wbar + on_x X at the features of the raw rows: O(m + K) an entry. Modifies state.

    own : ShrinkScratch with N2 and on_x; by is overwritten; z : float64[2, M + K], overwritten
    """
    table, X, owner, M, by = state.table, state.raw.X, state.raw.owner, state.maps.shape[1], own.by
    n_raw, n_local = state.now[0].raw, state.now[0].local
    clear(by)
    for i in range(n_raw):
        for j in range(n_kept):
            by[i, j] = own.N2[j, i]
        for c in range(len(own.on_x)):
            by[i, M + c] = own.on_x[c, i]
    refresh_all(state, owner[:n_local], z)
    for at in range(n_local):
        f = owner[at]
        for i in range(n_raw):
            if X[at, i] != 0.0:
                add_scaled(table[f], X[at, i], by[i], table.shape[1])
        state.features[f].local = -1


@inline
def departure(basis, squares, N2, n_kept, k, n_raw):
    """Update the model of V V' - I for V <- N1 V + N2 X; returns its largest diagonal entry.

    drift <- N1 drift N1' + rounding, which is positive semidefinite, so nothing cancels. Modifies basis.drift.

    squares : float64[4, k_max, k_max], N1 and its transpose, and two that are overwritten
    N2 : float64[at least n_kept, at least n_raw], not modified
    """
    drift, G, N1, half, whole = basis.drift, basis.G, squares[0], squares[2], squares[3]
    clear(half)
    clear(whole)
    add_product(N1, drift, n_kept, k, half)
    add_product(half, squares[1], n_kept, k, whole)
    clear(drift)
    worst = 0.0
    for i in range(n_kept):
        summed = dot(N1[i], N1[i], k)
        for j in range(n_raw):
            summed += N2[i, j] * N2[i, j] * dot(G[j], G[j], k + j + 1)
        whole[i, i] += ROUNDING * summed
        worst = max(worst, whole[i, i])
        for j in range(n_kept):
            drift[i, j] = whole[i, j]
    return worst


@inline
def add_product(A, B, rows, inner, out):
    """out[:rows] += A[:rows, :inner] B[:inner]. A and B are not modified."""
    for i in range(rows):
        for k in range(inner):
            add_scaled(out[i], A[i, k], B[k], out.shape[1])


@inline
def is_due(now, worst):
    """Return whether V must be orthonormalised now; `worst` is the result of `departure`."""
    share = CHEAP if worst <= NEEDED else AFFORDABLE
    return worst > BROKEN or (worst > WORTH and now.read >= share * now.seen)


@inline(allocates=True)
def orthonormalise(state, dual):
    """V <- L^-1 V with L L' = V V' over all features, which are brought up to date: O(m^2) each. F becomes I.

    The buffer must be empty. The weights do not change. With `dual`, q <- V z anew: its error grows as that of V, and
    steps would follow it. Modifies state.
    """
    table, factor, now = state.table, state.factor, state.now[0]
    k, M = now.k, len(factor.FT)
    classes = len(factor.beta)
    z, v, C, LT = np.empty((2, M + classes)), np.empty(k), np.zeros((k, k)), np.zeros((k, k))
    for f in range(now.seen):
        refresh(state, f, z)
        clear_first(v, k)
        for j in range(M):
            zj = table[f, j]
            add_scaled(table[f, M:], zj, factor.beta[:, j], classes)
            table[f, j] = 0.0
            add_scaled(v, zj, factor.FT[j], k)
        for i in range(k):
            table[f, i] = v[i]
            add_scaled(C[i], v[i], v, i + 1)
    factorise_or(C, 0.0, k, LT, 0.25, math.inf)  # near 1, unless a row is pure rounding error: it becomes 0
    a, q = state.basis.a, state.basis.q
    clear(q)
    for f in range(now.seen):
        solve_lower(LT, k, table[f], table[f])
        for c in range(classes if dual else 0):
            add_scaled(q[c], table[f, M + c], table[f], k)
    for i in range(k):
        if LT[i, i] < math.inf:
            for c in range(classes):
                a[c, i] *= LT[i, i]
                for j in range(i + 1, k):
                    a[c, i] += LT[i, j] * a[c, j]
    reset_factor(now, factor, k)
    all_current(now, state.features)
    clear(state.basis.drift)
    now.read = 0
