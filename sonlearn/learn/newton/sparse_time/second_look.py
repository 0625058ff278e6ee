"""A second projection of a row that lies almost in the span of the basis.

Coordinates come from inner products alone, so their errors grow with the square of |x|/rho, where rho is the length of
the part r of x outside of the basis. Rows that share their first digits with another row lose twice as many digits.
If rows are about as long as the list of features (dense data), r can be computed itself at the cost of a few more
reads, and projected once more ("twice is enough"). The buffer then stores r in place of the row, so q = r/rho, the
weights and V lose no digits to cancellation.
"""

from __future__ import annotations

from sonlearn.jit import bare_inline, forced_inline
from sonlearn.learn.newton.sparse_time.generations import present
from sonlearn.learn.newton.sparse_time.local import local_of, unmix
from sonlearn.learn.tolerances import FEATURES, SMALL


@forced_inline
def is_worth_it(state, feats, rho2, xx):
    """Whether the row is almost in the span, and a second projection costs no more than a few reads of it."""
    return rho2 < SMALL * xx and state.now[0].seen <= FEATURES * len(feats)


@bare_inline
def look_again(state, work, feats):
    """work.rest <- r = x - Q'y, feature by feature; work.more <- Q r; work.y += Q r; work.wx <- w'x.

    Returns (squared norm of x outside of Q, length of r). Overwrites work.u, h, zx, delta; the state is not modified.
    """
    G, y, more = state.basis.G, work.y, work.more
    k, n_raw = state.now[0].k, state.now[0].raw
    unmix(G, k, n_raw, y, work.u, work.h)
    rest2, n = residual(state, work, feats, work.u, work.h)
    for i in range(n_raw):
        total = more[k + i]
        for j in range(k + i):
            total -= G[i, j] * more[j]
        more[k + i] = total / G[i, k + i]
    for i in range(k + n_raw):
        y[i] += more[i]
        rest2 -= more[i] * more[i]
    for c in range(len(work.wx)):
        change = 0.0
        for i in range(k + n_raw):
            change += more[i] * state.basis.a[c, i]
        work.wx[c] += change
    return max(rest2, 0.0), n


@bare_inline
def residual(state, work, feats, on_v, on_x):
    """work.rest <- r = x - V'on_v - X'on_x; work.more <- (V r, X r); returns (r'r, length of r).

    on_v : float64[at least k]; on_x : float64[at least R]; neither is modified. Overwrites work.zx and work.delta.
    """
    z, X, FT = work.z, state.raw.X, state.factor.FT
    k, n_raw, n, M = state.now[0].k, state.now[0].raw, state.now[0].seen, len(FT)
    for at in range(len(feats)):
        n = max(n, feats[at] + 1)
    r, products, zr, on_z, rest2 = work.rest, work.more, work.zx, work.delta, 0.0
    for f in range(n):
        r[f] = 0.0
    for i in range(k + n_raw):
        products[i] = 0.0
    for at in range(len(feats)):
        r[feats[at]] = work.x[at]
    for j in range(M):
        zr[j] = on_z[j] = 0.0
        for i in range(k):
            on_z[j] += FT[j, i] * on_v[i]
    for f in range(n):
        now, rest, local = present(state, f, z), r[f], local_of(state, f)
        for j in range(M):
            rest -= z[now, j] * on_z[j]
        if local >= 0:
            for j in range(n_raw):
                rest -= X[local, j] * on_x[j]
            for j in range(n_raw):
                products[k + j] += rest * X[local, j]
        for j in range(M):
            zr[j] += rest * z[now, j]
        rest2 += rest * rest
        r[f] = rest
    for j in range(M):
        for i in range(k):
            products[i] += zr[j] * FT[j, i]
    return rest2, n
