"""The step, once for all sketches: what knows alpha.

In the coordinates y = Q x of the orthonormal rows Q, A = alpha I + Q'H Q with H = Q S'S Q'. With
u = (H + alpha I)^-1 y and rho^2 = x'x - y'y

    A^-1 x = Q'u + f(alpha) (x - Q'y),        x'A^-1 x = y'u + f(alpha) rho^2,        f(lam) = 1/lam, f(0) = 0:

sums of squares without cancellation, and for alpha = 0 the pseudo-inverse, because the basis spans exactly the range of
A: rows enter it only with a gradient that is not zero. So every motion of the weights is a `Move`, two numbers.

Of K classes that share A, each has its own moves, along the same x: work.along and work.aside hold them.

While rows are buffered H + alpha I = L L' is kept as its Cholesky factor (LT = L'). Where H is diagonal, after a shrink
and for Oja, A^-1 x = f(alpha) x + Q'((f(alpha + D^2) - f(alpha)) y).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sonlearn.jit import bare_inline, forced_inline
from sonlearn.learn.linear_algebra import add_outer, cholesky_update, clear, solve_lower, solve_upper
from sonlearn.learn.spectrum import f as spectral


class Move(NamedTuple):
    """w -= along Q'u + rest (x - Q'y)."""

    along: float
    rest: float


@forced_inline
def f(lam, g):
    """f(lam) g, f the spectral function: A's eigenvalues to those of the step."""
    return g / lam if lam > 0.0 else 0.0


@forced_inline
def solve(params, state, work, r, rho2):
    """work.u <- (H + alpha I)^-1 y; returns x'A^-1 x."""
    alpha, y, h, u, quadratic = state.now[0].alpha, work.y, work.h, work.u, 0.0
    if params.buffered:
        solve_lower(state.basis.LT, r, y, h)
        solve_upper(state.basis.LT, r, h, u)
        for i in range(r):
            quadratic += h[i] * h[i]
    else:
        for i in range(r):
            u[i] = y[i] / (alpha + state.basis.D2[i])
            quadratic += y[i] * u[i]
    return quadratic + f(alpha, rho2)


@forced_inline
def projection(alpha, quadratic, rho2, excess):
    """The move onto |w'x| <= C in the norm of A, `excess` being u'x less its projection ([SON] Lemma 1).

    Where A does not see x (alpha = 0 and x outside of its range) only that part of x moves, which costs nothing.
    """
    if excess == 0.0 or (quadratic == 0.0 and rho2 == 0.0):  # the latter: x = 0, and nothing can move w'x
        return Move(0.0, 0.0)
    if alpha == 0.0 and rho2 > 0.0:
        return Move(0.0, excess / rho2)
    along = excess / quadratic
    return Move(along, f(alpha, along))


@forced_inline
def newton(alpha, row, slope):
    """The move g -> A^-1 g, g = slope x, A with the row s x, from the numbers of A before it (Sherman-Morrison)."""
    s2 = row.scale * row.scale
    if alpha == 0.0 and row.rho2 > 0.0:
        return Move(0.0, slope / (s2 * row.rho2))
    along = slope / (1.0 + s2 * row.quadratic)
    return Move(along, f(alpha, along))


@forced_inline
def quadratic_after(alpha, row):
    """x'A^-1 x with A after the row s x, likewise."""
    s2 = row.scale * row.scale
    if alpha == 0.0 and row.rho2 > 0.0:
        return 1.0 / s2
    return row.quadratic / (1.0 + s2 * row.quadratic)


@forced_inline
def landing(params, left, u, slope, quadratic):
    """The slope of a step that ends within [-C, C], where w is projected after it ([RFD] Algorithm 6, lines 16, 17).

    Step and projection are both along A^-1 x, with the same A; `quadratic` is x'A^-1 x, w'x was u, and
    `left` is the unit of `slope`.
    """
    if not params.after:
        return slope
    end = u - left * slope * quadratic
    bound = min(max(end, params.low), params.high)
    return slope if end == bound else (u - bound) / (left * quadratic)


@forced_inline
def beyond(params, state, i, g):
    """What f(A) g is on kept direction i beyond what it is outside of S, where H is diagonal."""
    now = state.now[0]
    lam = state.basis.D2[i] + now.restored
    return spectral(params.kind, now.alpha, lam, g) - spectral(params.kind, now.alpha, 0.0, g)


@forced_inline
def widen(state, r):
    """H and L take in a direction r that no row has been along yet."""
    H, LT = state.basis.H, state.basis.LT
    for i in range(r + 1):
        H[r, i] = H[i, r] = 0.0
        LT[i, r] = 0.0
    LT[r, r] = math.sqrt(state.now[0].alpha)


@forced_inline
def take_in(state, work, r, scale, factorise):
    """H <- H + s^2 y y', and L, if the rounds to come need it, likewise; work.h is used up."""
    add_outer(state.basis.H, r, scale * scale, work.y)
    if factorise:
        for i in range(r):
            work.h[i] = scale * work.y[i]
        cholesky_update(state.basis.LT, r, work.h)


@bare_inline
def begin(state, kept):
    """H and L where only the kept directions are there, in whose coordinates all is diagonal."""
    now, basis = state.now[0], state.basis
    clear(basis.H)
    clear(basis.LT)
    for i in range(kept):
        basis.H[i, i] = basis.D2[i]
        basis.LT[i, i] = math.sqrt(now.alpha + (basis.D2[i] + now.restored))
    for i in range(kept, len(basis.D2)):
        basis.D2[i] = 0.0
