"""Small dense operations: triangular solves, updates and products on the leading part of preallocated arrays.

Inner loops run along contiguous rows, so they vectorise without reordering any sum. All are plain loops: NumPy's slice
assignments and products would double the compilation time of the kernels.

All arrays are float64. LT is r x r or larger, with L' in its upper triangle.
"""

from __future__ import annotations

import math

import numpy as np

from sonlearn.jit import bare_inline, forced_inline, inline


@forced_inline
def solve_lower(LT, r, b, out):
    """out[:r] <- L^-1 b[:r]; row j of LT is column j of L. LT and b are not modified."""
    for i in range(r):
        out[i] = b[i]
    for j in range(r):
        pivot = out[j] / LT[j, j]
        out[j] = pivot
        for i in range(j + 1, r):
            out[i] -= pivot * LT[j, i]


@forced_inline
def solve_upper(LT, r, b, out):
    """out[:r] <- L^-T b[:r]. LT and b are not modified."""
    for j in range(r - 1, -1, -1):
        total = b[j]
        for i in range(j + 1, r):
            total -= LT[j, i] * out[i]
        out[j] = total / LT[j, j]


@forced_inline
def cholesky_update(LT, r, v):
    """LT'LT <- LT'LT + v v', by Givens rotations. Modifies LT, overwrites v[:r]. The diagonal may contain zeros."""
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


@forced_inline
def add_outer(H, r, scale, y):
    """H[:r, :r] += scale y y', with y of length r or more, not modified."""
    for i in range(r):
        factor = scale * y[i]
        for j in range(r):
            H[i, j] += factor * y[j]


@forced_inline
def add_rows(by, A, rows, out):
    """out += by[:rows]' A[:rows], four rows at a time to save reads and writes of `out`. by and A are not modified."""
    in_fours = rows - rows % 4
    for at in range(0, in_fours, 4):
        b0, b1, b2, b3 = by[at], by[at + 1], by[at + 2], by[at + 3]
        for i in range(len(out)):
            out[i] += (b0 * A[at, i] + b1 * A[at + 1, i]) + (b2 * A[at + 2, i] + b3 * A[at + 3, i])
    for at in range(in_fours, rows):
        b0 = by[at]
        for i in range(len(out)):
            out[i] += b0 * A[at, i]


@bare_inline
def clear(A):
    """A <- 0 for a matrix."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = 0.0


@bare_inline
def add_product(A, B, rows, inner, out):
    """out[:rows] += A[:rows, :inner] B[:inner]. A and B are not modified."""
    for i in range(rows):
        for l in range(inner):  # noqa: E741
            factor = A[i, l]
            for j in range(out.shape[1]):
                out[i, j] += factor * B[l, j]


@inline
def leading(A, rows):
    """Copy of A[:rows, :rows]."""
    out = np.empty((rows, rows))
    for i in range(rows):
        for j in range(rows):
            out[i, j] = A[i, j]
    return out


@inline
def transposed(A, columns):
    """Copy of A[:, :columns]'."""
    out = np.empty((columns, A.shape[0]))
    for i in range(columns):
        for j in range(A.shape[0]):
            out[i, j] = A[j, i]
    return out


@bare_inline
def factor_identity_plus(T, LT, r):
    """LT <- the upper triangular factor of I + T, LT'LT = I + T on the leading r x r part; pivots are at least 1.

    T : float64[>= r, >= r], symmetric, only its upper triangle is read; LT : float64[>= r, >= r], modified.
    """
    for j in range(r):
        for i in range(j, r):
            rest = T[j, i]
            for l in range(j):  # noqa: E741
                rest -= LT[l, j] * LT[l, i]
            if i == j:
                LT[j, j] = math.sqrt(1.0 + max(rest, 0.0))
            else:
                LT[j, i] = rest / LT[j, j]
