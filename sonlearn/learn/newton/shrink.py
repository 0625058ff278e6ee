"""The frequent-directions shrink: choose the directions to keep, lower their squared singular values, update alpha.

[RFD] Algorithms 3 and 6, with a buffer of 2m rows. `sonlearn.sketch.rules.Terms` states a rule as values: how many of
the m squared singular values are lowered, which multiple of the m-th is added to alpha, and whether A restores it.

`learn` is the kernel for a batch: rounds, interrupted by rarer and costlier operations. The rounds (`round.run`)
and shrinks allocate nothing and count no references, but what decomposes small matrices does. V is orthonormalised so
rarely that many a run never does it, by a kernel of its own, which such a run need not compile.
"""

import math

import numpy as np

from sonlearn.data.linear_algebra import ROOT, add_scaled, clear, dot, gram_spectrum, set_scaled, spectral
from sonlearn.jit import inline, jit
from sonlearn.learn.newton.coordinates import renew, spectral_excess, sweep
from sonlearn.learn.newton.folding import fold, is_due
from sonlearn.learn.newton.round import projected_slope, reset_factor, run
from sonlearn.learn.tolerances import LOG_FULL, ORTHONORMALISE, RANK, RENEW, SHRINK, SINGULAR, SPAN, SQUARING, STEP


@jit
def learn(params, state, work, rows, out, start, learns, oja, rare):
    """Predict rows from `start` on and, where it `learns`, learn them.

    Returns (next row, DONE, FOLD, DIVERGED or ORTHONORMALISE).

    Parameters
    ----------
    params : NewtonParams
    state : NewtonState, modified where it `learns`
    work : NewtonScratch, overwritten
    rows : Rows, not modified
        Rows of numbered features. A row without a label (NaN) or with weight 0 is only predicted.
    out : Predictions of float64[n, K], filled in from row `start` on
        The projected prediction w'x, and u'x before the projection. Both precede the use of the label.
    start : int; learns : bool
    oja : float64[M], overwritten, or None
        None where rows are buffered: then Oja's rule is not compiled.
    rare : (True,), or () if no option is set that `engine.is_rare` names: then what only these need is not compiled

    Stops before a row if the weight scale is to be folded (by `engine.fold_weight_scale`) or if a number would be out
    of bounds, and after one if V is to be orthonormalised (by `folding.orthonormalise`).
    """
    at = start
    while True:
        at, status = run(params, state, work, rows, out, at, learns, oja, rare)
        if status == LOG_FULL:
            sweep(state, work.z)
        elif oja is None:
            if status == SHRINK:
                if shrink(params, state, work, work.slope, rare):
                    return at, ORTHONORMALISE
            elif len(rare) > 0 and status == STEP:
                spectral_step(params, state.now[0], state.basis, work.slope, work.y)
            else:
                return at, status
        elif status == RENEW:
            renew(state)
        else:
            return at, status


@inline
def shrink(params, state, work, slope, rare):
    """Keep m - 1 of the r directions, make the round's step and fold; returns whether V must be orthonormalised.

    Requires r >= m.

    params : NewtonParams; state : NewtonState, modified in place
    work : NewtonScratch with the round's w'x (wx) and the coordinates of its row (y); z and shrink are overwritten
    slope : float64[K], the derivatives h l' of the round, overwritten; rare : of `learn`
    """
    now, basis, u, y = state.now[0], state.basis, work.wx, work.y
    r = now.k + now.raw
    least = now.alpha * now.alpha if params.kind == ROOT else now.alpha
    rooted, lam, W = len(basis.RT) > 0, work.shrink.lam[:r], work.shrink.W
    root, alpha = (basis.RT, 0.0) if rooted else (basis.LT, now.alpha)
    zero = decompose(basis.H, root, alpha, params.m, least, lam, W)
    n_kept = lower(params, now, basis.D2, lam, zero)
    if len(rare) > 0 and params.after:
        project_slopes(params, now, basis, u, slope, y, W, n_kept, r)
    if len(rare) > 0 and params.dual:
        rotate_sums(basis, W, n_kept, r)
    else:
        step_after(params, now, basis, slope, y, W, n_kept, r)
    worst = fold(state, work, n_kept)
    begin_with_kept(params, now, basis, n_kept)
    return is_due(now, worst)


@inline
def begin_with_kept(params, now, basis, n_kept):
    """The factor of A with the kept directions alone; primal-dual: a <- -rate (f(D2) - f(0)) q. Modifies basis.

    Requires D2, of which H is diagonal; a : 0 before
    """
    reset_factor(now, basis, n_kept)
    if params.dual:
        for c in range(len(basis.a)):
            for i in range(n_kept):
                basis.a[c, i] = -params.rate * spectral_excess(params, now, basis.D2[i], basis.q[c, i])


@inline(allocates=True)
def decompose(H, root, alpha, m, least, lam, W):
    """lam <- eigenvalues of H, ascending, W <- eigenvectors of the largest; returns the largest that rounding explains.

    An eigenvalue of H is known to a rounding error of the largest. If the m-th, with `least`, is small beside it, a
    root of H is decomposed: its singular values are known to a rounding error of the largest one, without a square. It
    is RT, or else the Cholesky factor LT of H + alpha I. (Steps by eigenvalues do not gain by it: they err no less.)

    H, root : float64[at least r, at least r], not modified; root'root = H + alpha I
    least : float, what steps add to eigenvalues, as one of them
    lam : float64[r], r at least m; W : float64[k_max, at least r]; both are overwritten
    """
    r = len(lam)
    found, U = np.linalg.eigh(H[:r, :r].copy())
    top = max(found[r - 1], 0.0)
    zero = RANK * top
    if found[r - m] + least <= SQUARING * top:
        found, U = gram_spectrum(root[:r, :r].copy())
        found -= alpha
        zero = max(SINGULAR * SINGULAR * top, RANK * math.sqrt(alpha * top))
    set_scaled(lam, 1.0, found, r)
    for i in range(min(len(W), r)):
        for j in range(r):
            W[i, j] = U[j, r - 1 - i]
    return zero


@inline(allocates=True)
def project_slopes(params, now, basis, u, slope, y, W, n_kept, r):
    """slope <- slopes of steps that end within the bounds, in the norm of the new A ([RFD] Algorithm 6).

    If alpha is 0 and x is not in the range of A, the projection moves along the part of x outside of the range only
    (as `round.projection`): it modifies basis.a, and the slopes do not change.

    u : float64[K], w'x; slope : float64[K], modified; y : float64[at least r], x in Q
    W : float64[at least n_kept, at least r], not modified
    """
    y, W = y[:r], W[:n_kept, :r].copy()
    v, rest = np.dot(W, y), y.copy()
    quadratic = spectral(params.kind, now.alpha, 0.0, 1.0) * np.dot(y, y)  # x'A^-1 x
    for i in range(len(W)):
        quadratic += v[i] * v[i] * spectral_excess(params, now, basis.D2[i], 1.0)
    if now.alpha == 0.0:
        rest -= np.dot(v, W)
    unseen = np.dot(rest, rest)
    singular = now.alpha == 0.0 and unseen > SPAN * np.dot(y, y)
    for c in range(len(slope)):
        if not singular:
            slope[c] = projected_slope(params, now.weight_scale, u[c], slope[c], quadratic)
            continue
        end = u[c] - now.weight_scale * slope[c] * quadratic
        by = (end - min(max(end, params.output.low), params.output.high)) / (now.weight_scale * unseen)
        add_scaled(basis.a[c], -by, rest, len(rest))


@inline(allocates=True)
def spectral_step(params, now, basis, slope, y):
    """w -= slope f(A) x within the basis, by the eigenvalues of the current sketch; for an f that is not an inverse.

    Primal-dual: w = -rate f(A) z, of which the part (f(A) - f(0)) z is in the basis. Modifies basis.a.

    slope : float64[K]; y : float64[at least r], x in Q; neither is modified
    """
    a, outside, r = basis.a, 1.0 if params.dual else 0.0, now.k + now.raw
    lam, U = np.linalg.eigh(basis.H[:r, :r].copy())
    for c in range(len(a)):
        along, by = (basis.q[c], params.rate) if params.dual else (y, params.rate * slope[c])
        set_scaled(a[c], 1.0 - outside, a[c], r)
        for i in range(r):
            g = dot(U[:, i], along, r) * by
            change = spectral(params.kind, now.alpha, max(lam[i], 0.0), g) - outside * spectral(
                params.kind, now.alpha, 0.0, g
            )
            add_scaled(a[c], -change, U[:, i], r)


@inline(allocates=True)
def rotate_sums(basis, W, n_kept, r):
    """q <- W q: the sums in the coordinates of the kept directions. a <- 0. Modifies both arrays of `basis`.

    W : float64[at least n_kept, at least r], not modified
    """
    q = np.dot(basis.q[:, :r].copy(), W[:n_kept, :r].T.copy())
    clear(basis.q)
    basis.q[:, :n_kept] = q
    clear(basis.a)


@inline
def lower(params, now, D2, lam, zero):
    """D2 <- the kept squared singular values, lowered by the rule; returns their number. Updates now.alpha, restored.

    lam : float64[r], eigenvalues in ascending order, not modified; zero : float, they are rounding errors up to this
    """
    r, m = len(lam), params.m
    payers, gain, restore = params.terms
    shed = lam[r - m]
    if shed <= zero:
        shed = 0.0
    n_kept = 0
    while n_kept < m - 1:
        value = lam[r - 1 - n_kept] - (shed if n_kept >= m - payers else 0.0)
        if value <= zero:
            break
        D2[n_kept] = value
        n_kept += 1
    now.alpha += gain * shed
    if restore:
        now.restored += shed
    return n_kept


@inline
def step_after(params, now, basis, slope, y, W, n_kept, r):
    """a -= slope A^-1 x with the new sketch; basis.a is modified, slope, y and W are not."""
    a = basis.a
    for c in range(len(a)):
        add_scaled(a[c], -spectral(params.kind, now.alpha, 0.0, params.rate * slope[c]), y, r)
    for i in range(n_kept):
        v = dot(W[i], y, r)
        for c in range(len(a)):
            add_scaled(a[c], -v * spectral_excess(params, now, basis.D2[i], params.rate * slope[c]), W[i], r)
