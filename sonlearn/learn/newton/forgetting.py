"""Forgetting and weight shrinkage of the Newton family.

Forgetting (--decay): before a round adds its row, A becomes A_0 + r (A - A_0), with A_0 = alpha_0 I and the retention
r = 1 - decay. The sketch and the mass that shrinks have added to alpha decay alike. alpha_0 comes from no example and
does not decay, so steps stay bounded in directions that the stream has abandoned. The factor of A is updated by
rank-one additions, without cancellation: O(m^3) a round.

Shrinkage (--l2): the arrays hold the weights in units of one number, `now.weight_scale`.
"""

from __future__ import annotations

import math

from sonlearn.jit import bare_inline
from sonlearn.learn.linear_algebra import INVERSE, cholesky_update, clear_first

#: When `now.weight_scale` falls below this, it is multiplied into the arrays: once in 345/l2 rounds.
SMALLEST = 1e-150


@bare_inline
def forget_past(params, state, work):
    """A <- A_0 + retention (A - A_0), and the sums of Oja's rule likewise.

    params : NewtonParams; state : NewtonState, modified in place; work : NewtonScratch, whose `h` is overwritten
    """
    now, basis, retention = state.now[0], state.basis, params.retention
    now.alpha = params.base + retention * (now.alpha - params.base)
    now.restored *= retention
    now.mass *= retention
    now.oja_sum *= retention
    for i in range(len(basis.D2)):
        basis.D2[i] *= retention
    if not params.buffered:
        return
    r, root = now.k + now.raw, math.sqrt(retention)
    for i in range(r):
        for j in range(r):
            basis.H[i, j] *= retention
            basis.LT[i, j] *= root
    for i in range(min(r, len(basis.RT))):
        for j in range(r):
            basis.RT[i, j] *= root
    if params.kind != INVERSE or params.base == 0.0:
        return
    for i in range(r):
        clear_first(work.h, r)
        work.h[i] = math.sqrt((1.0 - retention) * params.base)
        cholesky_update(basis.LT, r, work.h)


@bare_inline
def fold_weight_scale(state):
    """Multiply the weight scale into the arrays of `state` (modified) and set it to 1; no weight changes."""
    now, factor, a, maps, table = state.now[0], state.factor, state.basis.a, state.maps, state.table
    for f in range(now.seen):
        for c in range(len(a)):
            table[f, maps.shape[1] + c] *= now.weight_scale
    for c in range(len(a)):
        for j in range(factor.beta.shape[1]):
            factor.beta[c, j] *= now.weight_scale
        for i in range(a.shape[1]):
            a[c, i] *= now.weight_scale
    for slot in range(len(maps)):  # pending additions to wbar, for features that are not up to date
        for j in range(maps.shape[1]):
            for c in range(maps.shape[1], maps.shape[2]):
                maps[slot, j, c] *= now.weight_scale
    now.weight_scale = 1.0
