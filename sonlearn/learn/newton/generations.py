"""Generations: a change of basis of Z for every feature, applied to a feature only when it is read.

A generation maps z <- E z and wbar <- wbar + beta'z, for every class. A feature's row of the table is [z wbar]; the log
stores the matrix that multiplies such a row. A feature's stamp is the last generation applied to it.

A feature that is behind is updated by compositions, usually two or three (`sonlearn.learn.log`).

Only this module writes the stamps, the log and its capacity.
"""

from __future__ import annotations

import numpy as np

from sonlearn.jit import bare_inline, forced_inline, inline, jit
from sonlearn.learn.linear_algebra import clear, set_scaled
from sonlearn.learn.log import begin_generation, map_forward


@bare_inline
def present(state, f, z):
    """Compute the up-to-date [z wbar] of feature f; returns its index in z. Does not modify the state.

    z : float64[at least 2, M + K], overwritten
    """
    table, width, empty = state.table, state.maps.shape[1], True
    for j in range(table.shape[1]):
        z[0, j] = table[f, j]
        empty = empty and (j >= width or z[0, j] == 0.0)
    if empty:  # maps do not change zeros
        return 0
    return map_forward(state.maps, state.features[f].stamp, state.now[0].generation, z)


@bare_inline
def refresh(state, f, z):
    """Bring feature f of the table up to date (modifies state). z : float64[2, M + K], overwritten."""
    feature, table, generation = state.features[f], state.table, state.now[0].generation
    if feature.stamp == generation:
        return
    now = present(state, f, z)
    feature.stamp = generation
    set_scaled(table[f], 1.0, z[now], table.shape[1])


@forced_inline
def refresh_all(state, feats, z):
    """Bring the features `feats` (int64[s], not modified) up to date in the table; z as for `refresh`."""
    features, generation = state.features, state.now[0].generation
    for at in range(len(feats)):
        if features[feats[at]].stamp != generation:
            refresh(state, feats[at], z)


@bare_inline
def start_over(now, factor, n_kept):
    """F <- [I 0] and beta <- 0: the values at the beginning of a generation."""
    clear(factor.FT)
    for i in range(n_kept):
        factor.FT[i, i] = 1.0
    clear(factor.beta)
    now.used = n_kept


@inline
def renew(state):
    """Begin a generation with F = I. The log must have room."""
    now, factor = state.now[0], state.factor
    begin_generation(now, state.maps, factor.FT, factor.beta)
    start_over(now, factor, now.k)


@bare_inline
def all_current(now, features):
    """Empty the log; every feature must be up to date."""
    for f in range(now.seen):
        features[f].stamp = 0
    now.generation = 0


@jit
def sweep(state):
    """Bring every feature up to date and empty the log.

    O(k^2) a feature. The log's capacity grows with the number of features, so the amortised cost is O(m^2) an example.
    """
    z = np.empty((2, state.table.shape[1]))
    for f in range(state.now[0].seen):
        refresh(state, f, z)
    all_current(state.now[0], state.features)
