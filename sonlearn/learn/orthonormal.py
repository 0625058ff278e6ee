"""V V' = I, kept true: how far rounding may have carried V from it, and the remedy.

Everything reads V as orthonormal rows. A new direction q = (x - V'y)/rho is a small difference where x lies mostly in
the span of V; it inherits V's departure from orthonormality |y|/rho times enlarged, and the next shrink makes it a row
of V. On text rho is large and nothing happens. On ill-conditioned, duplicated or low-rank rows the departure doubles
again and again, from the last bit to the first within a few hundred rows. It cannot be seen from inside the sketch:
only V V' itself, a pass over the features seen, tells. So the shrink carries a model of the departure along, and the
pass is made when the model says so: at once where it must be, earlier where the features read since pay for it.
"""

from __future__ import annotations

import math

import numpy as np

from sonlearn.jit import inline
from sonlearn.learn.dense import add_product, clear, transposed
from sonlearn.learn.generations import bring_up, start_over
from sonlearn.learn.state import EMPTY, GEN, HEAD, N_TOUCHED, READ, SEEN, STAMP, WBAR, K

#: What rounding adds to V V' in one shrink, relative to the squares of what is summed (measured on text).
ROUNDING = 2e-17
#: Departure at which the pass is due: where it costs next to nothing, where it can be afforded, and in any case.
WORTH, NEEDED, BROKEN = 1e-15, 1e-12, 1e-7
#: The pass costs about four reads of a feature. Reads for every feature seen since the last pass that make it next to
#: nothing, and that make it affordable: so much work is O(m) a read, however many features there are.
CHEAP, AFFORDABLE = 32, 0.25


@inline
def departure(state, N1, N2):
    """Carry the model of V V' - I over V <- N1 V + N2 X; returns its largest entry.

    The model is positive semidefinite, so that nothing cancels in it: drift <- N1 drift N1' + rounding.
    """
    drift, G, k, kept = state.basis.drift, state.basis.G, state.counters[K], len(N1)
    half, whole = np.zeros((kept, k)), np.zeros((kept, kept))
    add_product(N1, drift, kept, k, half)
    add_product(half, transposed(N1, k), kept, k, whole)
    clear(drift)
    worst = 0.0
    for i in range(kept):
        summed = 0.0
        for j in range(k):
            summed += N1[i, j] * N1[i, j]
        for l in range(N2.shape[1]):  # noqa: E741
            squared = 0.0
            for j in range(k + l + 1):
                squared += G[l, j] * G[l, j]
            summed += N2[i, l] * N2[i, l] * squared
        whole[i, i] += ROUNDING * summed
        worst = max(worst, whole[i, i])
        for j in range(kept):
            drift[i, j] = whole[i, j]
    return worst


@inline
def is_due(state, worst):
    """Whether V is to be orthonormalised now."""
    reads, seen = state.counters[READ], state.counters[SEEN]
    return (
        worst > BROKEN or (worst > NEEDED and reads >= AFFORDABLE * seen) or (worst > WORTH and reads >= CHEAP * seen)
    )


@inline
def orthonormalise(state):
    """V <- L^-1 V with L L' = V V' over all features seen, which become current: O(m^2) each. F becomes I.

    For an empty buffer. The weights stay what they are.
    """
    table, factor, counters, maps = state.table, state.factor, state.counters, state.maps
    k, M, now, seen = counters[K], len(factor.FT), counters[GEN], counters[SEEN]
    z, v, C = np.empty((2, M + 1)), np.empty(k), np.zeros((k, k))
    for f in range(seen):
        if int(table[f, STAMP]) >> 1 != now:
            bring_up(maps, table, f, now, z)
        table[f, STAMP] = 0.0
        for i in range(k):
            v[i] = 0.0
        for j in range(M):
            zj = table[f, HEAD + j]
            table[f, WBAR] += factor.beta[j] * zj
            table[f, HEAD + j] = 0.0
            for i in range(k):
                v[i] += zj * factor.FT[j, i]
        for i in range(k):
            table[f, HEAD + i] = v[i]
            for j in range(i + 1):
                C[i, j] += v[i] * v[j]
    factorise(C)
    for f in range(seen):
        for i in range(k):
            total = table[f, HEAD + i]
            for j in range(i):
                total -= C[i, j] * table[f, HEAD + j]
            table[f, HEAD + i] = total / C[i, i]
    start_over(factor, k)
    clear(state.basis.drift)
    counters[EMPTY] = k
    counters[GEN] = 0
    counters[N_TOUCHED] = 0
    counters[READ] = 0


@inline
def factorise(C):
    """Cholesky factor of the lower triangle of C, in its place."""
    for i in range(len(C)):
        for j in range(i + 1):
            total = C[i, j]
            for l in range(j):  # noqa: E741
                total -= C[i, l] * C[j, l]
            if j < i:
                C[i, j] = total / C[j, j]
            else:  # near 1, unless a row is nothing but rounding: it becomes 0
                C[i, i] = math.sqrt(total) if total > 0.25 else math.inf
