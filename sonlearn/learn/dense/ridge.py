"""Rounds of ridge regression: sums over all rows, and weights that are solved for from time to time.

    A = sum of h x x',    b = sum of h y x,    w = (A + alpha I)^-1 b

A row costs the square of its entries. w is solved for when rows have doubled, and in the long run every `REST`
rows a feature: O(d^2) for each row. The first feature that is 1 in every row, the constant, is left out of alpha I, so
labels may be in any unit and around any mean. Features beyond the largest number of them are left out.

A is stored as the columns of its upper triangle, as `factor` stores R.
"""

from __future__ import annotations

from sonlearn.data.rows import is_learned
from sonlearn.jit import bare_inline, bare_jit
from sonlearn.learn.dense.factor import column_start, factorise, solve
from sonlearn.learn.dense.rounds import enter, features_of
from sonlearn.learn.linear_algebra import set_scaled
from sonlearn.learn.tolerances import LIMIT

#: w is solved for after so many rows for each feature, at the latest.
REST = 8


@bare_jit
def learn(params, state, work, rows, out, start):
    """Predict and learn rows from `start` on; returns the first row that was refused, or n.

    params : DenseParams; state : DenseState of one class, modified in place; work : DenseScratch, overwritten
    rows : Rows, not modified; out : Predictions of float64[n, 1], filled in from row `start` on; start : int
    """
    now = state.now[0]
    for i in range(start, len(rows.y)):
        if not enter(params, state, rows, out, i):
            return i
        y, h = rows.y[i] - rows.base[i], rows.weight[i]
        if not is_learned(h, y):
            continue
        if not abs(h * y) <= LIMIT:
            return i
        now.seen = min(features_of(state, rows, i), params.most)
        add_row(params, state, rows, i, y, h)
        now.t += 1
        now.weight += h
        if now.t >= now.due:
            solve_for_weights(params, state, work)
    return len(rows.y)


@bare_inline
def add_row(params, state, rows, i, y, h):
    """Add row i, with label y and weight h, to A and b."""
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, hx = rows.features[at], h * rows.values[at]
        if f >= params.most:
            continue
        state.z[f, 0] += hx * y
        for other in range(rows.indptr[i], at + 1):
            g = rows.features[other]
            if g < params.most:
                state.A[column_start(max(f, g)) + min(f, g)] += hx * rows.values[other]


@bare_inline
def solve_for_weights(params, state, work):
    """Solve for w, and say when to do so again. Modifies w and now of `state`; work : DenseScratch, overwritten."""
    now, R, b, u = state.now[0], work.R, work.x, work.u
    d, constant = now.seen, False
    now.due = now.t + max(min(now.t, REST * d), 1)
    for j in range(d):
        begin = column_start(j)
        set_scaled(R[begin:], 1.0, state.A[begin:], j + 1)
        if R[begin + j] == now.weight and not constant:
            constant = True
        else:
            R[begin + j] += params.alpha
        b[j] = state.z[j, 0]
    factorise(R, d, work.h)
    solve(R, d, b, work.h, u)
    for j in range(d):
        if not abs(u[j]) <= LIMIT:
            return
    set_scaled(state.w[:, 0], 1.0, u, d)
