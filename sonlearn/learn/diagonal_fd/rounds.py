"""The round: predict, and if the loss requires it, step and buffer the row.

AROW (Crammer, Kulesza, Dredze 2009) with A = Delta + B'B for the inverse covariance: in round t

    z = w'x,  v = x'A^-1 x,  w <- w + a A^-1 x,  A <- A + s^2 x x'

where a and s^2 depend on the loss (`step_of`). Let q = B Delta^-1 x, L L' = I + B Delta^-1 B' (a round adds one row to
L) and g = L^-1 q. Then v = x'Delta^-1 x - g'g and A^-1 x = Delta^-1 (x - B'L^-T g). With w = wbar + Delta^-1 B'c, a
step does not change gamma = L'c but appends one number; so z = wbar'x + gamma'g needs no second solve. A round writes
no array of length d: it reads the active features and appends one sparse row.
"""

from __future__ import annotations

import math

from sonlearn.data.rows import entries, features_with, is_learned
from sonlearn.jit import bare_inline
from sonlearn.learn.diagonal_fd.lazy import bring_all_up_to_date, copies
from sonlearn.learn.diagonal_fd.state import EXTRA, KEPT, LONGEST, SLOT, WBAR
from sonlearn.learn.linear_algebra import add_scaled, clear_first, minus_dot, plus_dot, solve_lower
from sonlearn.learn.losses import HINGE, LOGISTIC
from sonlearn.learn.tolerances import DIVERGED, DONE, LIMIT, LOG_FULL, SHRINK

#: Lower bound of p (1 - p) for logistic loss, so that a / s is finite.
CURVATURE = 1e-8
#: A difference of at most this share of its operands is rounding error.
ROUNDING = 4e-16


@bare_inline
def run(params, state, work, rows, out, start, learns):
    """`shrink.follow` until a row fills the buffer; returns (next row, status).

    With LOG_FULL and DIVERGED the next row has not been learned.
    """
    now = state.now[0]
    for i in range(start, len(rows.y)):
        feats, values = entries(rows, i)
        learned = learns and is_learned(rows.weight[i], rows.y[i])
        if learned and now["generation"] == now["capacity"]:
            return i, LOG_FULL
        if learned:
            bring_all_up_to_date(state, work, feats)
            wx, xx = read(state, work, state.table, feats, values)
        else:
            copies(state, work, feats)
            wx, xx = read(state, work, work.row, work.place, values)
        z, v = solve(state, work, wx, xx)
        z += rows.base[i]
        if not (abs(z) <= LIMIT and xx <= LIMIT * LIMIT):
            return i, DIVERGED
        out.raw[i, 0] = z
        if learned:
            status = step(params, state, work, feats, values, z, v, xx, rows.y[i], rows.weight[i])
            if status == DIVERGED:
                return i, DIVERGED
            if now["raw"] == params.raw:
                return i + 1, SHRINK
    return len(rows.y), DONE


@bare_inline
def read(state, work, table, places, values):
    """work.u <- Delta^-1 x and work.q <- B Delta^-1 x; returns (wbar'x, x'Delta^-1 x).

    table : float64[rows, KEPT + width], up to date at `places`; places : int64[s], rows of `table`, one for each entry
    values : float64[s]. These and `state` are not modified.
    """
    k, raw, q = state.now[0]["k"], state.now[0]["raw"], work.q
    wx = xx = 0.0
    clear_first(q, k + raw)
    for at in range(len(values)):
        row, x = table[places[at]], values[at]
        u = x / (1.0 + row[EXTRA])
        work.u[at] = u
        wx += x * row[WBAR]
        xx += x * u
        add_scaled(q, u, row[KEPT:], k)
        if row[SLOT] > 0.0:
            add_scaled(q[k:], u, state.X[int(row[SLOT]) - 1], raw)
    return wx, xx


@bare_inline
def solve(state, work, wx, xx):
    """work.g <- L^-1 work.q; returns (w'x, x'A^-1 x). wx, xx : results of `read`. The state is not modified."""
    r = state.now[0]["k"] + state.now[0]["raw"]
    solve_lower(state.LT, r, work.q, work.g)
    return plus_dot(wx, work.g, state.gamma, r), max(minus_dot(xx, work.g, work.g, r), 0.0)


@bare_inline
def step(params, state, work, feats, values, z, v, xx, y, h):
    """The step after the prediction; returns DONE, or DIVERGED if nothing was changed. Modifies state.

    feats : int64[s] and values : float64[s], not modified; z : the prediction; v : x'A^-1 x; xx : x'Delta^-1 x
    y : label; h : importance weight
    """
    now = state.now[0]
    w = h / params.r
    a, s2 = step_of(params.loss, z, v, y, w if w * xx <= LONGEST else LONGEST / xx)
    if not a * a * xx <= LIMIT:
        return DIVERGED
    now["t"] += 1
    now["seen"] = features_with(feats, now["seen"])
    if s2 * xx > 0.0:
        r, s = now["k"] + now["raw"], math.sqrt(s2)
        widen(state, work, r, s2, v, xx)
        state.gamma[r] = state.LT[r, r] * a / s
        append(state, feats, values, s)
    return DONE


@bare_inline
def widen(state, work, r, s2, v, xx):
    """Add row r of B, which is s x, to T and L: from work.q and work.g. Modifies state.

    s2 : s^2; v : x'A^-1 x; xx : x'Delta^-1 x
    """
    s = math.sqrt(s2)
    for j in range(r):
        state.T[r, j] = state.T[j, r] = s * work.q[j]
        state.LT[j, r] = s * work.g[j]
    state.T[r, r] = s2 * xx
    state.LT[r, r] = math.sqrt(1.0 + s2 * v)


@bare_inline
def step_of(loss, z, v, y, w):
    """(a, s^2): the step along A^-1 x, and the row's weight in A; w is its importance over r.

    hinge     AROW: if y z < 1, a = y (1 - y z)/(v + 1/w) and s^2 = w; otherwise both are 0
    squared   recursive least squares: a = (y - z)/(v + 1/w), s^2 = w
    logistic  the implicit step, with Laplace's approximation at its end: for p = sigmoid(-y z') and z' = z + a v,
              a = w y p and s^2 = w p (1 - p)
    """
    if loss == LOGISTIC:
        u = implicit(y * z, w * v)
        p = sigmoid(-u)
        return w * y * p, w * max(p * sigmoid(u), CURVATURE)
    if loss == HINGE and y * z >= 1.0:
        return 0.0, 0.0
    return w * (y - z) / (1.0 + w * v), w


@bare_inline
def implicit(margin, gain):
    """The u with u = margin + gain sigmoid(-u). The difference of the two sides rises with u, at least as fast as u.

    Newton's method within a bracket of u. If a step is not at most half of the previous one, the bracket is bisected
    instead, because Newton's steps alone may alternate between two points for ever.
    """
    low, high = margin, margin + gain
    u, before = margin + gain * sigmoid(-margin), gain
    for _ in range(200):
        p = sigmoid(-u)
        excess = u - margin - gain * p
        if excess > 0.0:
            high = u
        else:
            low = u
        change = excess / (1.0 + gain * p * (1.0 - p))
        if abs(excess) <= ROUNDING * (abs(u) + abs(margin) + gain * p):
            return u - change
        if not (low <= u - change <= high and 2.0 * abs(change) <= before):
            change = u - 0.5 * (low + high)
        before = abs(change)
        u -= change
    return u


@bare_inline
def sigmoid(u):
    """1/(1 + exp(-u)), without overflow."""
    if u >= 0.0:
        return 1.0 / (1.0 + math.exp(-u))
    e = math.exp(u)
    return e / (1.0 + e)


@bare_inline
def append(state, feats, values, s):
    """Add s x to the buffered rows: modifies state. feats : int64[n] and values : float64[n], not modified."""
    table, X, owner, entries, now = state.table, state.X, state.owner, state.entries, state.now[0]
    n_slots, n_entries, raw = now["slots"], now["entries"], now["raw"]
    for at in range(len(feats)):
        x = s * values[at]
        if x == 0.0:
            continue
        f = feats[at]
        slot = int(table[f, SLOT]) - 1
        if slot < 0:
            slot = n_slots
            n_slots += 1
            owner[slot] = f
            table[f, SLOT] = n_slots
            clear_first(X[slot], X.shape[1])
        X[slot, raw] = x
        entries[n_entries] = slot
        n_entries += 1
    state.ends[raw] = n_entries
    now["slots"] = n_slots
    now["entries"] = n_entries
    now["raw"] = raw + 1
