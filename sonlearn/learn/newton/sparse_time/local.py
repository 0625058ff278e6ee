"""The raw rows since the last shrink: the position of a feature in them, and coefficients on them."""

from __future__ import annotations

from sonlearn.jit import bare_inline, forced_inline


@forced_inline
def is_local(owner, n_local, local, f):
    """Whether `local` is the position of feature f among the n_local features of the raw rows."""
    return 0 <= local < n_local and owner[local] == f


@forced_inline
def local_of(state, f):
    """Position of feature f among the features of the raw rows, or -1."""
    local = state.features[f].local
    return local if is_local(state.raw.owner, state.now[0].local, local, f) else -1


@forced_inline
def enter(state, f):
    """Position of feature f among the features of the raw rows; adds f with zeros if it had none (modifies state)."""
    now, X, local = state.now[0], state.raw.X, local_of(state, f)
    if local < 0:
        local = now.local
        now.local = local + 1
        state.raw.owner[local] = f
        state.features[f].local = local
        for j in range(X.shape[1]):
            X[local, j] = 0.0
    return local


@bare_inline
def unmix(G, k, n_raw, q, on_v, on_x):
    """Write q'Q as on_v'V + on_x'X.

    G : float64[R_max, r_max]; q : float64[at least k + n_raw]; neither is modified
    on_v : float64[at least k] and on_x : float64[at least n_raw], filled in
    """
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
