"""Rows in the coordinates of the basis Q = [V; q_1..q_R], and the weights w = wbar + Z'beta + Q'a along them.

V = F Z, and q_i is the i-th raw row less what V and the raw rows before it have of it. So y = Q x follows from the
inner products Z x and X x, which touch x's own features only.
"""

from __future__ import annotations

import math

import numpy as np

from sonlearn.jit import bare_inline, inline
from sonlearn.learn.sparse_time.generations import is_stale, refresh_all, travel
from sonlearn.learn.sparse_time.local import enter, is_local, unmix
from sonlearn.learn.sparse_time.second_look import is_worth_it, look_again
from sonlearn.learn.spectrum import f
from sonlearn.learn.tolerances import LOOK, NOISE, SPAN, SPAN_LOOK


@bare_inline
def coordinates(params, state, work, feats, xx):
    """work.y <- Q x for the row in work.x; returns (w'x, squared part of x outside of Q or 0, n, wbar'x).

    n is the length of work.rest, 0 unless a second look was taken (`second_look`).
    """
    now, y, rho2, noise, n_rest = state.now[0], work.y, xx, NOISE, 0
    zx = read(state, work, feats)
    wx = share(params, now.alpha) * zx + in_basis(state, work)
    for i in range(now.k + now.raw):
        rho2 -= y[i] * y[i]
    if params.buffered and is_worth_it(state, feats, rho2, xx):
        change, rho2, n_rest = look_again(state, work, feats)
        wx += change
        noise = LOOK if now.alpha > 0.0 else SPAN_LOOK
    elif now.alpha == 0.0 or not params.buffered:
        noise = SPAN
    return wx, rho2 if rho2 > noise * xx else 0.0, n_rest, zx


@bare_inline
def share(params, alpha):
    """What wbar is multiplied with in the weights."""
    return -params.rate * f(params.kind, alpha, 0.0, 1.0) if params.dual else 1.0


@bare_inline
def read(state, work, feats):
    """work.zx <- Z x, work.rx <- X x; returns wbar'x."""
    features, Z, X, owner, zx, rx = state.features, state.Z, state.raw.X, state.raw.owner, work.zx, work.rx
    M, n_raw, n_local, total = len(zx), state.now[0].raw, state.now[0].local, 0.0
    refresh_all(state, feats, work.z)
    for j in range(M):
        zx[j] = 0.0
    for j in range(n_raw):
        rx[j] = 0.0
    for at in range(len(feats)):
        f, x = feats[at], work.x[at]
        feature = features[f]
        total += x * feature.wbar
        for j in range(M):
            zx[j] += x * Z[f, j]
        local = feature.local
        if is_local(owner, n_local, local, f):
            for j in range(n_raw):
                rx[j] += x * X[local, j]
    return total


@bare_inline
def in_basis(state, work):
    """work.y <- Q x from Z x and X x; returns beta'Z x + a'y."""
    k, n_raw, y = state.now[0].k, state.now[0].raw, work.y
    FT, G = state.factor.FT, state.basis.G
    total = 0.0
    for i in range(k):
        y[i] = 0.0
    for j in range(len(FT)):
        zx = work.zx[j]
        total += zx * state.factor.beta[j]
        for i in range(k):
            y[i] += zx * FT[j, i]
    for i in range(n_raw):
        rest = work.rx[i]
        for j in range(k + i):
            rest -= G[i, j] * y[j]
        y[k + i] = rest / G[i, k + i]
    for i in range(k + n_raw):
        total += y[i] * state.basis.a[i]
    return total


@bare_inline
def append(state, work, feats, rho2, n_rest):
    """Add x to the raw rows and its direction q = (x - Q'y)/rho to the basis; y gains rho.

    With n_rest > 0 the row to keep is work.rest, the part of x outside of the basis.
    """
    now, G, X = state.now[0], state.basis.G, state.raw.X
    n_raw, r = now.raw, now.k + now.raw
    work.y[r] = math.sqrt(rho2)
    for i in range(r + 1):
        G[n_raw, i] = work.more[i] if n_rest > 0 and i < r else work.y[i]
    for at in range(n_rest if n_rest > 0 else len(feats)):
        f = at if n_rest > 0 else feats[at]
        X[enter(state, f), n_raw] = work.rest[at] if n_rest > 0 else work.x[at]
    now.raw = n_raw + 1


@bare_inline
def move_wbar(state, work, feats, by):
    """w += by x, at once: on the features of x."""
    for at in range(len(feats)):
        state.features[feats[at]].wbar += by * work.x[at]


@bare_inline
def move_kept(state, i, by):
    """w += by v_i, v_i the i-th row of V."""
    FT, beta = state.factor.FT, state.factor.beta
    for j in range(len(beta)):
        beta[j] += by * FT[j, i]


@inline
def coefficients(state):
    """(on_z, on_x) with w = wbar + Z'on_z + X'on_x."""
    k, n_raw = state.now[0].k, state.now[0].raw
    FT, a = state.factor.FT, state.basis.a
    on_v, on_x, on_z = np.empty(k), np.zeros(n_raw), np.empty(len(FT))
    unmix(state.basis.G, k, n_raw, a, on_v, on_x)
    for j in range(len(on_z)):
        on_z[j] = state.factor.beta[j]
        for i in range(k):
            on_z[j] += FT[j, i] * on_v[i]
    return on_z, on_x


@bare_inline
def present(state, f, z):
    """z[0] <- column f of Z as it is at present, without writing the state; returns wbar of f."""
    Z, now, feature = state.Z, state.now[0], state.features[f]
    M, wbar = Z.shape[1], feature.wbar
    for j in range(M):
        z[0, j] = Z[f, j]
    if is_stale(feature.stamp, now.generation):
        source, moved = travel(state.maps, feature.stamp, now.generation, z)
        for j in range(M):
            z[0, j] = z[source, j] if j < state.maps.shape[1] else 0.0
        wbar += moved
    return wbar
