"""Folding: the directions that a shrink keeps become the new V, in sparse time.

[SON] Algorithms 8-11. We depart from [SON] Algorithm 9, which stores V = F Z: a shrink replaces most directions, so its
F becomes singular. Here each shrink begins a generation, and V itself is stored.
"""

from __future__ import annotations

import numpy as np

from sonlearn.jit import inline
from sonlearn.learn.linear_algebra import add_scaled, clear
from sonlearn.learn.newton.sparse_time.coordinates import unmix
from sonlearn.learn.newton.sparse_time.generations import begin_generation, refresh_all, start_over
from sonlearn.learn.newton.sparse_time.orthonormal import departure


@inline
def fold(state, W, z):
    """Keep the directions W Q: V <- N1 V + N2 X. Afterwards w = wbar and Q = V.

    state : NewtonState, modified; W : float64[n_kept, r], not modified; z : float64[2, M + K], overwritten

    Returns the estimated departure of V V' from the identity.
    """
    G, now, a = state.basis.G, state.now[0], state.basis.a
    n_kept, k, n_raw = len(W), now.k, now.raw
    N1, N2 = np.empty((n_kept, k)), np.zeros((n_kept, n_raw))
    for i in range(n_kept):
        unmix(G, k, n_raw, W[i], N1[i], N2[i])
    on_v, on_x = np.empty((len(a), k)), np.zeros((len(a), n_raw))
    for c in range(len(a)):
        unmix(G, k, n_raw, a[c], on_v[c], on_x[c])
    begin_generation(state, N1, on_v)
    write_back(state, N2, on_x, z)
    worst = departure(state, N1, N2)
    clear(a)
    start_over(state, n_kept)
    now.k = n_kept
    now.raw = now.local = 0
    return worst


@inline
def write_back(state, N2, on_x, z):
    """V <- V + N2 X and wbar <- wbar + on_x X at the features of the raw rows: O(m + K) an entry. Modifies state.

    N2 : float64[n_kept, R]; on_x : float64[K, R]; neither is modified; z : float64[2, M + K], overwritten
    """
    table, X, owner, M = state.table, state.raw.X, state.raw.owner, state.maps.shape[1]
    n_kept, n_raw = N2.shape
    n_local = state.now[0].local
    by = np.zeros((n_raw, table.shape[1]))
    for i in range(n_raw):
        for j in range(n_kept):
            by[i, j] = N2[j, i]
        for c in range(len(on_x)):
            by[i, M + c] = on_x[c, i]
    refresh_all(state, owner[:n_local], z)
    for at in range(n_local):
        f = owner[at]
        for i in range(n_raw):
            if X[at, i] != 0.0:
                add_scaled(table[f], X[at, i], by[i], table.shape[1])
        state.features[f].local = -1
