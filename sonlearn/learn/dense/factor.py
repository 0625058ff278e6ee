"""A = R R' for few features, with R upper triangular and stored column by column in one array.

Column j begins at j (j + 1)/2 and has j + 1 entries, so a new feature appends one column. Updates go from the last
column to the first, which preserves the triangle, and every loop runs along a column.

In all kernels R is float64[d (d + 1)/2 or more].
"""

from __future__ import annotations

import math

from sonlearn.jit import bare_inline
from sonlearn.learn.linear_algebra import add_scaled, clear_first, minus_dot, set_scaled

#: A pivot up to this share of its diagonal is a rounding error: the feature follows from others, and has no weight.
NOTHING = 1e-12


@bare_inline
def column_start(j):
    """Index at which column j begins; column(d) is the length of the array for d features."""
    return j * (j + 1) // 2


@bare_inline
def widen(R, j, diagonal):
    """Write column j of R (modified) for a new feature: R_jj <- diagonal, zeros above it."""
    clear_first(R[column_start(j) :], j)
    R[column_start(j) + j] = diagonal


@bare_inline
def solve(R, d, x, h, u):
    """h <- R^-1 x and u <- A^-1 x; returns x'A^-1 x = h'h.

    R and x : float64[d], not modified; h, u : float64[d], filled in
    """
    quadratic = 0.0
    set_scaled(h, 1.0, x, d)
    for j in range(d - 1, -1, -1):
        at = column_start(j)
        pivot = h[j] / R[at + j]
        h[j] = pivot
        quadratic += pivot * pivot
        if pivot != 0.0:
            add_scaled(h, -pivot, R[at:], j)
    for j in range(d):
        at = column_start(j)
        u[j] = minus_dot(h[j], R[at:], u, j) / R[at + j]
    return quadratic


@bare_inline
def update(R, d, v):
    """A <- A + v v' by Givens rotations. Modifies R; v : float64[d], overwritten."""
    for j in range(d - 1, -1, -1):
        if v[j] == 0.0:
            continue
        at = column_start(j)
        length = math.sqrt(R[at + j] * R[at + j] + v[j] * v[j])
        c, s = R[at + j] / length, v[j] / length
        R[at + j] = length
        for i in range(j):
            old = R[at + i]
            R[at + i] = c * old + s * v[i]
            v[i] = c * v[i] - s * old


@bare_inline
def factorise(R, d, diagonal):
    """Replace the columns of A's upper triangle by R. The pivot of a feature that follows from others is infinite.

    R : float64[d (d + 1)/2 or more], modified; diagonal : float64[d], overwritten with A's
    """
    for j in range(d):
        diagonal[j] = R[column_start(j) + j]
    for j in range(d - 1, -1, -1):
        at = column_start(j)
        pivot = math.sqrt(R[at + j]) if R[at + j] > NOTHING * diagonal[j] else math.inf
        R[at + j] = pivot
        for i in range(j):
            R[at + i] /= pivot
        for k in range(j):
            add_scaled(R[column_start(k) :], -R[at + k], R[at:], k + 1)
