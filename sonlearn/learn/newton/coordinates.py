"""Rows in the coordinates of the basis Q = [V; q_1..q_R], and the weights w = wbar + Z'beta + Q'a along them.

All classes share the basis; each has its own wbar, beta and a. Binary classification has one weight vector (K = 1).

V = F Z, and q_i is the i-th raw row minus its components along V and the raw rows before it, normalised. So y = Q x
follows from the inner products Z x and X x, which read the features of x only.

`reorthogonalise` projects a row that lies almost in the span of the basis a second time. Coordinates come from inner
products alone, so their errors grow with the square of |x|/rho, where rho is the length of the part r of x outside of
the basis. Rows that share their first digits with another row lose twice as many digits. If rows are about as long as
the list of features (dense data), r can be computed itself at the cost of a few more reads, and projected once more
("twice is enough"). The buffer then stores r in place of the row, so q = r/rho, the weights and V lose no digits to
cancellation.

A generation is a change of basis of Z for every feature, applied to a feature only when it is read: z <- E z and
wbar <- wbar + beta'z, for every class. A feature's row of the table is [z wbar]; the log stores the matrix that
multiplies such a row. A feature's stamp is the last generation applied to it; one that is behind is updated by
compositions, usually two or three (`sonlearn.learn.log`). Only this module writes the stamps and the log.
"""

import math

import numpy as np

from sonlearn.data.linear_algebra import add_scaled, clear, clear_first, dot, minus_dot, plus_dot, set_scaled, spectral
from sonlearn.data.rows import features_with
from sonlearn.jit import inline
from sonlearn.learn.log import begin_generation, map_forward
from sonlearn.learn.tolerances import FEATURES, LOOK, NOISE, SMALL, SPAN, SPAN_LOOK


@inline
def coordinates(params, state, work, feats, xx, learned):
    """work.y <- Q x for the row in work.x; returns (squared length of x outside of Q or 0, length of work.rest).

    work.wx <- w'x and work.wbar_x <- wbar'x for each class. The length of work.rest is 0 unless the row was projected
    twice (`reorthogonalise`). The table is modified (brought up to date) only if the row is `learned`.

    feats : int64[s], not modified; xx : float, x'x; learned : bool
    """
    now, y, noise, n_rest = state.now[0], work.y, NOISE, 0
    if learned:
        refresh_all(state, feats, work.z)
    read(state, work, feats)
    in_basis(state, work, wbar_factor(params, now.alpha))
    rho2 = minus_dot(xx, y, y, now.k + now.raw)
    # where the row is almost in the span, and a second projection costs no more than a few reads of it
    if params.buffered and rho2 < SMALL * xx and is_dense(feats, now.seen):
        rho2, n_rest = reorthogonalise(state, work, feats)
        noise = LOOK if now.alpha > 0.0 else SPAN_LOOK
    elif now.alpha == 0.0 or not params.buffered:
        noise = SPAN
    return rho2 if rho2 > noise * xx else 0.0, n_rest


@inline(force=True)
def is_dense(feats, seen):
    """Return whether a row has a good part of all features; those of refused rows alone may stand between its own."""
    return seen <= FEATURES * len(feats) and features_with(feats, seen) <= (FEATURES + 1) * len(feats)


@inline(force=True)
def wbar_factor(params, alpha):
    """The factor of wbar in the weights: 1, or -rate f(0) for primal-dual updates."""
    return -params.rate * spectral(params.kind, alpha, 0.0, 1.0) if params.dual else 1.0


@inline(force=True)
def spectral_excess(params, now, square, g):
    """(f(lam) - f(0)) g for a direction of V and its entry `square` of D2: H is diagonal, f the method's."""
    return spectral(params.kind, now.alpha, square + now.restored, g) - spectral(params.kind, now.alpha, 0.0, g)


@inline(force=True)
def pseudo_divide(lam, g):
    """g / lam, or 0 where lam is 0: the pseudo-inverse of one eigenvalue, applied to g."""
    return g / lam if lam > 0.0 else 0.0


@inline(force=True)
def read(state, work, feats):
    """work.zx <- Z x (and wbar'x behind it), work.rx <- X x, work.wbar_x <- wbar'x. Does not modify the state."""
    features, table, X, owner, zx, rx = state.features, state.table, state.raw.X, state.raw.owner, work.zx, work.rx
    M, n_raw, n_local, wbar_x = state.maps.shape[1], state.now[0].raw, state.now[0].local, work.wbar_x
    generation = state.now[0].generation
    clear_first(zx, len(zx))
    clear_first(rx, n_raw)
    for at in range(len(feats)):
        f, x = feats[at], work.x[at]
        if features[f].stamp == generation:
            add_scaled(zx, x, table[f], len(zx))
        else:
            add_scaled(zx, x, work.z[present(state, f, work.z)], len(zx))
    if n_raw > 0:
        for at in range(len(feats)):
            f, x = feats[at], work.x[at]
            local = features[f].local
            if is_local(owner, n_local, local, f):
                add_scaled(rx, x, X[local], n_raw)
    set_scaled(wbar_x, 1.0, zx[M:], len(wbar_x))


@inline(force=True)
def in_basis(state, work, factor):
    """work.y <- Q x from Z x and X x, and work.wx <- factor wbar'x + beta'Z x + a'y. Does not modify the state."""
    k, n_raw, y = state.now[0].k, state.now[0].raw, work.y
    FT, G, beta, a = state.factor.FT, state.basis.G, state.factor.beta, state.basis.a
    clear_first(y, k)
    for j in range(len(FT)):
        add_scaled(y, work.zx[j], FT[j], k)
    for i in range(n_raw):
        y[k + i] = minus_dot(work.rx[i], G[i], y, k + i) / G[i, k + i]
    for c in range(len(work.wx)):
        total = plus_dot(dot(work.zx, beta[c], len(FT)), y, a[c], k + n_raw)
        work.wx[c] = factor * work.wbar_x[c] + total


@inline(force=True)
def append(state, work, feats, rho2, n_rest):
    """Add x to the raw rows and its direction q = (x - Q'y)/rho to the basis: modifies state; work.y[r] <- rho.

    With n_rest > 0 the raw row stored is work.rest[:n_rest], the part of x outside of the basis.
    """
    now, G, X = state.now[0], state.basis.G, state.raw.X
    n_raw, r = now.raw, now.k + now.raw
    work.y[r] = math.sqrt(rho2)
    for i in range(r + 1):
        G[n_raw, i] = work.more[i] if n_rest > 0 and i < r else work.y[i]
    for at in range(n_rest if n_rest > 0 else len(feats)):
        f = at if n_rest > 0 else feats[at]
        X[enter(now, state.features, state.raw, f), n_raw] = work.rest[at] if n_rest > 0 else work.x[at]
    now.raw = n_raw + 1


@inline(force=True)
def move_wbar(table, feats, x, by):
    """w += by x for every class, written to wbar at the features of x. by : float64[K], not modified."""
    M = table.shape[1] - len(by)
    for at in range(len(feats)):
        add_scaled(table[feats[at], M:], x[at], by, len(by))


@inline(force=True)
def move_kept(factor, c, i, by):
    """w += by v_i for class c, v_i the i-th row of V: modifies beta. by : float."""
    add_scaled(factor.beta[c], by, factor.FT[:, i], len(factor.FT))


@inline
def reorthogonalise(state, work, feats):
    """work.rest <- r = x - Q'y, feature by feature; work.more <- Q r; work.y += Q r; work.wx <- w'x.

    Returns (squared norm of x outside of Q, length of r). Overwrites work.u, h, zx, delta; the state is not modified.
    """
    G, y, more = state.basis.G, work.y, work.more
    k, n_raw = state.now[0].k, state.now[0].raw
    unmix(G, k, n_raw, y, work.u, work.h)
    rest2, n = residual(state, work, feats, work.u, work.h)
    for i in range(n_raw):
        more[k + i] = minus_dot(more[k + i], G[i], more, k + i) / G[i, k + i]
    add_scaled(y, 1.0, more, k + n_raw)
    for c in range(len(work.wx)):
        work.wx[c] += dot(more, state.basis.a[c], k + n_raw)
    return max(minus_dot(rest2, more, more, k + n_raw), 0.0), n


@inline
def residual(state, work, feats, on_v, on_x):
    """work.rest <- r = x - V'on_v - X'on_x; work.more <- (V r, X r); returns (r'r, length of r).

    on_v : float64[at least k]; on_x : float64[at least R]; neither is modified. Overwrites work.zx and work.delta.
    """
    z, X, FT = work.z, state.raw.X, state.factor.FT
    k, n_raw, M, n = state.now[0].k, state.now[0].raw, len(FT), features_with(feats, state.now[0].seen)
    r, products, zr, on_z, rest2 = work.rest, work.more, work.zx, work.delta, 0.0
    clear_first(r, n)
    clear_first(products, k + n_raw)
    clear_first(zr, M)
    for at in range(len(feats)):
        r[feats[at]] = work.x[at]
    for j in range(M):
        on_z[j] = dot(FT[j], on_v, k)
    for f in range(n):
        now, local = present(state, f, z), local_of(state.now[0], state.features, state.raw, f)
        rest = minus_dot(r[f], z[now], on_z, M)
        if local >= 0:
            rest = minus_dot(rest, X[local], on_x, n_raw)
            add_scaled(products[k:], rest, X[local], n_raw)
        add_scaled(zr, rest, z[now], M)
        rest2 += rest * rest
        r[f] = rest
    for j in range(M):
        add_scaled(products, zr[j], FT[j], k)
    return rest2, n


@inline(force=True)
def is_local(owner, n_local, local, f):
    """Return whether `local` is the position of feature f among the n_local features of the raw rows."""
    return 0 <= local < n_local and owner[local] == f


@inline(force=True)
def local_of(now, features, raw, f):
    """Position of feature f among the features of the raw rows, or -1."""
    local = features[f].local
    return local if is_local(raw.owner, now.local, local, f) else -1


@inline(force=True)
def enter(now, features, raw, f):
    """Position of feature f among the features of the raw rows; adds f with zeros if it had none (modifies all)."""
    local = local_of(now, features, raw, f)
    if local < 0:
        local = now.local
        now.local = local + 1
        raw.owner[local] = f
        features[f].local = local
        clear_first(raw.X[local], raw.X.shape[1])
    return local


@inline
def unmix(G, k, n_raw, q, on_v, on_x):
    """Write q'Q as on_v'V + on_x'X.

    G : float64[R_max, r_max]; q : float64[at least k + n_raw]; neither is modified
    on_v : float64[at least k] and on_x : float64[at least n_raw], filled in
    """
    set_scaled(on_v, 1.0, q, k)
    for i in range(n_raw - 1, -1, -1):
        total = q[k + i]
        for l in range(i + 1, n_raw):  # noqa: E741
            total -= on_x[l] * G[l, k + i]
        on_x[i] = total / G[i, k + i]
    for i in range(n_raw):
        add_scaled(on_v, -on_x[i], G[i], k)


# ---------------------------------------------------------------------------------------------------------- generations


@inline
def present(state, f, z):
    """Compute the up-to-date [z wbar] of feature f; returns its index in z. Does not modify the state.

    z : float64[at least 2, M + K], overwritten
    """
    set_scaled(z[0], 1.0, state.table[f], state.table.shape[1])
    return map_forward(state.maps, state.features[f].stamp, state.now[0].generation, z)


@inline
def refresh(state, f, z):
    """Bring feature f of the table up to date (modifies state). z : float64[2, M + K], overwritten."""
    feature, table, generation = state.features[f], state.table, state.now[0].generation
    if feature.stamp == generation:
        return
    now = present(state, f, z)
    feature.stamp = generation
    set_scaled(table[f], 1.0, z[now], table.shape[1])


@inline(force=True)
def refresh_all(state, feats, z):
    """Bring the features `feats` (int64[s], not modified) up to date in the table; z as for `refresh`."""
    features, generation = state.features, state.now[0].generation
    for at in range(len(feats)):
        if features[feats[at]].stamp != generation:
            refresh(state, feats[at], z)


@inline
def reset_factor(now, factor, n_kept):
    """F <- [I 0] and beta <- 0: the values at the beginning of a generation."""
    clear(factor.FT)
    for i in range(n_kept):
        factor.FT[i, i] = 1.0
    clear(factor.beta)
    now.used = n_kept


@inline(allocates=True)
def renew(state):
    """Begin a generation with F = I. The log must have room."""
    now, factor, shape = state.now[0], state.factor, state.maps.shape[1:]
    begin_generation(now, state.maps, factor.FT, factor.beta, np.empty(shape), np.empty(shape))
    reset_factor(now, factor, now.k)


@inline
def all_current(now, features):
    """Empty the log; every feature must be up to date."""
    for f in range(now.seen):
        features[f].stamp = 0
    now.generation = 0


@inline
def sweep(state, z):
    """Bring every feature up to date and empty the log. z as for `refresh`.

    O(k^2) a feature. Its room grows with the number of features, so the amortised cost is O(m^2) an example.
    """
    for f in range(state.now[0].seen):
        refresh(state, f, z)
    all_current(state.now[0], state.features)
