"""A = R R' of few features: R upper triangular, its columns one after the other in one array.

Column j begins at j (j + 1)/2 and has j + 1 entries, so that one feature more is one column more and nothing moves.
Updates go from the last column to the first, which leaves R triangular, and every loop runs along a column.
"""

from __future__ import annotations

import math

from sonlearn.jit import bare_inline


@bare_inline
def column(j):
    """Where column j begins; of j = d: how long the columns of d features are."""
    return j * (j + 1) // 2


@bare_inline
def widen(R, j, diagonal):
    """Column j of a feature that no row has had: R_jj <- diagonal, and nothing beside it."""
    for i in range(column(j), column(j) + j):
        R[i] = 0.0
    R[column(j) + j] = diagonal


@bare_inline
def solve(R, d, x, h, u):
    """h <- R^-1 x and u <- A^-1 x; returns x'A^-1 x = h'h. All float64[d]."""
    quadratic = 0.0
    for j in range(d):
        h[j] = x[j]
    for j in range(d - 1, -1, -1):
        at = column(j)
        pivot = h[j] / R[at + j]
        h[j] = pivot
        quadratic += pivot * pivot
        if pivot != 0.0:
            for i in range(j):
                h[i] -= pivot * R[at + i]
    for j in range(d):
        at, total = column(j), h[j]
        for i in range(j):
            total -= R[at + i] * u[i]
        u[j] = total / R[at + j]
    return quadratic


@bare_inline
def update(R, d, v):
    """A <- A + v v' by Givens rotations; v is used up."""
    for j in range(d - 1, -1, -1):
        if v[j] == 0.0:
            continue
        at = column(j)
        length = math.sqrt(R[at + j] * R[at + j] + v[j] * v[j])
        c, s = R[at + j] / length, v[j] / length
        R[at + j] = length
        for i in range(j):
            old = R[at + i]
            R[at + i] = c * old + s * v[i]
            v[i] = c * v[i] - s * old
