"""Small dense pieces: triangular solves and updates on the leading r x r part of preallocated arrays.

Loops run along contiguous rows, so that they vectorise without reordering any sum.
"""

from __future__ import annotations

import math

from sonlearn.jit import inline


@inline
def solve_lower(LT, r, b, out):
    """out[:r] <- L^-1 b[:r]; row j of LT is column j of L."""
    for i in range(r):
        out[i] = b[i]
    for j in range(r):
        pivot = out[j] / LT[j, j]
        out[j] = pivot
        for i in range(j + 1, r):
            out[i] -= pivot * LT[j, i]


@inline
def solve_upper(LT, r, b, out):
    """out[:r] <- L^-T b[:r]."""
    for j in range(r - 1, -1, -1):
        total = b[j]
        for i in range(j + 1, r):
            total -= LT[j, i] * out[i]
        out[j] = total / LT[j, j]


@inline
def cholesky_update(LT, r, v):
    """LT'LT <- LT'LT + v v', by Givens rotations; v[:r] is used up. Exact zeros on the diagonal are allowed."""
    for j in range(r):
        length = math.sqrt(LT[j, j] * LT[j, j] + v[j] * v[j])
        if v[j] == 0.0 or length == 0.0:
            continue
        c, s = LT[j, j] / length, v[j] / length
        LT[j, j] = length
        for i in range(j + 1, r):
            old = LT[j, i]
            LT[j, i] = c * old + s * v[i]
            v[i] = c * v[i] - s * old


@inline
def add_outer(H, r, scale, y):
    """H[:r, :r] += scale y y'."""
    for i in range(r):
        factor = scale * y[i]
        for j in range(r):
            H[i, j] += factor * y[j]
