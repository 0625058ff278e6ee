"""Forgetting and shrinking of the Newton family.

Forgetting (--decay): before a round adds to it, A becomes A_0 + keep (A - A_0), A_0 = alpha_0 I. So the sketch fades,
and what shrinks have given to alpha fades alike, while alpha_0, which no example has brought, stays: no direction that
the stream has left for long gets steps without bound. O(m^3) a round, for the factor of A is renewed by rank-one
updates, in which nothing cancels.

Shrinking (--l2): the weights stand in the arrays in units of `now.left`, one number.
"""

from __future__ import annotations

import math

from sonlearn.jit import bare_inline
from sonlearn.learn.linear_algebra import cholesky_update
from sonlearn.learn.spectrum import INVERSE

#: Where `now.left` falls below this the arrays take it in, once in 345/l2 rounds.
SMALLEST = 1e-150


@bare_inline
def forget_past(params, state, work):
    """A <- A_0 + keep (A - A_0), and the sums of Oja's rule likewise."""
    now, basis, keep = state.now[0], state.basis, params.keep
    now.alpha = params.base + keep * (now.alpha - params.base)
    now.restored *= keep
    now.mass *= keep
    now.oja_sum *= keep
    for i in range(len(basis.D2)):
        basis.D2[i] *= keep
    if not params.buffered:
        return
    r, root = now.k + now.raw, math.sqrt(keep)
    for i in range(r):
        for j in range(r):
            basis.H[i, j] *= keep
            basis.LT[i, j] *= root
    if params.kind != INVERSE or params.base == 0.0:
        return
    for i in range(r):
        for j in range(r):
            work.h[j] = 0.0
        work.h[i] = math.sqrt((1.0 - keep) * params.base)
        cholesky_update(basis.LT, r, work.h)


@bare_inline
def start_at_one(state):
    """The weights as they are, in the unit 1."""
    now, factor, a, maps, table = state.now[0], state.factor, state.basis.a, state.maps, state.table
    for f in range(now.seen):
        for c in range(len(a)):
            table[f, maps.shape[1] + c] *= now.left
    for c in range(len(a)):
        for j in range(factor.beta.shape[1]):
            factor.beta[c, j] *= now.left
        for i in range(a.shape[1]):
            a[c, i] *= now.left
    for slot in range(len(maps)):  # what features that are not up to date have still to take to wbar
        for j in range(maps.shape[1]):
            for c in range(maps.shape[1], maps.shape[2]):
                maps[slot, j, c] *= now.left
    now.left = 1.0
