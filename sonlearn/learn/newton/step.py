"""The Newton step, for all sketches. ([RFD]'s half of the shrunk mass is added to alpha in `shrink`.)

In the coordinates y = Q x of the orthonormal rows Q, A = alpha I + Q'H Q with H = Q S'S Q'. With
u = (H + alpha I)^-1 y and rho^2 = x'x - y'y

    A^-1 x = Q'u + f(alpha) (x - Q'y),        x'A^-1 x = y'u + f(alpha) rho^2,        f(lam) = 1/lam, f(0) = 0:

sums of squares without cancellation, and for alpha = 0 the pseudo-inverse, because the basis spans exactly the range of
A: rows enter it only with a non-zero gradient. So every change of the weights is a `Move`, two numbers.

K classes that share A have one move each, along the same x: work.along and work.aside hold them.

While rows are buffered, H + alpha I = L L' is stored as its Cholesky factor (LT = L'). If H is diagonal (after a
shrink, and for Oja), A^-1 x = f(alpha) x + Q'((f(alpha + D^2) - f(alpha)) y).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sonlearn.jit import bare_inline, forced_inline
from sonlearn.learn.linear_algebra import (
    add_scaled,
    cholesky_update,
    clear,
    dot,
    set_scaled,
    solve_lower,
    solve_upper,
    spectral,
)


class Move(NamedTuple):
    """w -= along Q'u + rest (x - Q'y)."""

    along: float
    rest: float


@forced_inline
def pseudo_divide(lam, g):
    """g / lam, or 0 where lam is 0: the pseudo-inverse of one eigenvalue, applied to g."""
    return g / lam if lam > 0.0 else 0.0


@forced_inline
def solve(params, state, work, r, rho2):
    """work.u[:r] <- (H + alpha I)^-1 work.y[:r]; returns x'A^-1 x. Modifies work.u and work.h only."""
    alpha, y, h, u = state.now[0].alpha, work.y, work.h, work.u
    if params.buffered:
        solve_lower(state.basis.LT, r, y, h)
        solve_upper(state.basis.LT, r, h, u)
        quadratic = dot(h, h, r)
    else:
        for i in range(r):
            u[i] = y[i] / (alpha + state.basis.D2[i])
        quadratic = dot(y, u, r)
    return quadratic + pseudo_divide(alpha, rho2)


@forced_inline
def projection(alpha, quadratic, rho2, excess):
    """The `Move` onto |w'x| <= C in the norm of A ([SON] Lemma 1); `excess` is u'x minus its projection.

    If alpha = 0 and x is not in the range of A, only the part of x outside of the range moves: that costs nothing.
    """
    if excess == 0.0 or (quadratic == 0.0 and rho2 == 0.0):  # the latter means x = 0: no move changes w'x
        return Move(0.0, 0.0)
    if alpha == 0.0 and rho2 > 0.0:
        return Move(0.0, excess / rho2)
    along = excess / quadratic
    return Move(along, pseudo_divide(alpha, along))


@forced_inline
def newton(alpha, row, slope):
    """The `Move` A^-1 g for g = slope x. A includes the row s x; `row` describes A before it (Sherman-Morrison)."""
    s2 = row.scale * row.scale
    if alpha == 0.0 and row.rho2 > 0.0:
        return Move(0.0, slope / (s2 * row.rho2))
    along = slope / (1.0 + s2 * row.quadratic)
    return Move(along, pseudo_divide(alpha, along))


@forced_inline
def quadratic_after(alpha, row):
    """x'A^-1 x where A includes the row s x; `row` describes A before it."""
    s2 = row.scale * row.scale
    if alpha == 0.0 and row.rho2 > 0.0:
        return 1.0 / s2
    return row.quadratic / (1.0 + s2 * row.quadratic)


@forced_inline
def projected_slope(params, weight_scale, u, slope, quadratic):
    """Slope of step and projection together, if the projection follows the step ([RFD] Algorithm 6, lines 16, 17).

    Both go along A^-1 x with the same A. `quadratic` is x'A^-1 x, `u` is w'x before the step, and `weight_scale` is the
    unit of `slope`. If `quadratic` is 0, x is orthogonal to the range of A and the step does not change w'x.
    """
    if not params.after:
        return slope
    end = u - weight_scale * slope * quadratic
    bound = min(max(end, params.output.low), params.output.high)
    return slope if end == bound or quadratic == 0.0 else (u - bound) / (weight_scale * quadratic)


@forced_inline
def spectral_excess(params, now, square, g):
    """(f(lam) - f(0)) g for a direction of V and its entry `square` of D2: H is diagonal, f the method's."""
    return spectral(params.kind, now.alpha, square + now.restored, g) - spectral(params.kind, now.alpha, 0.0, g)


@forced_inline
def widen(basis, alpha, r):
    """Add direction r, in which no row has a component yet, to H, LT and RT (all modified)."""
    H, LT, RT = basis.H, basis.LT, basis.RT
    for i in range(r + 1):
        H[r, i] = H[i, r] = LT[i, r] = 0.0
        if len(RT) > 0:
            RT[i, r] = 0.0
    LT[r, r] = math.sqrt(alpha)


@forced_inline
def add_outer_product(basis, y, r, scale, factorise, h):
    """H <- H + s^2 y y' for y[:r], and RT; with `factorise`, LT likewise. Overwrites h."""
    for i in range(r):
        add_scaled(basis.H[i], scale * scale * y[i], y, r)
    if factorise:
        set_scaled(h, scale, y, r)
        cholesky_update(basis.LT, r, h)
    if len(basis.RT) > 0:
        set_scaled(h, scale, y, r)
        cholesky_update(basis.RT, r, h)


@bare_inline
def reset_factor(now, basis, n_kept):
    """H, LT and RT (all overwritten) of the kept directions alone, in whose coordinates they are diagonal."""
    clear(basis.H)
    clear(basis.LT)
    clear(basis.RT)
    for i in range(n_kept):
        basis.H[i, i] = basis.D2[i]
        basis.LT[i, i] = math.sqrt(now.alpha + (basis.D2[i] + now.restored))
        if len(basis.RT) > 0:
            basis.RT[i, i] = math.sqrt(basis.D2[i])
    for i in range(n_kept, len(basis.D2)):
        basis.D2[i] = 0.0
