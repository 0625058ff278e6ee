"""Rounds: predict a row, and if the loss requires it, step and buffer it; when the buffer is full, shrink.

AROW (Crammer, Kulesza, Dredze 2009) with A = Delta + B'B for the inverse covariance: in round t

    z = w'x,  v = x'A^-1 x,  w <- w + a A^-1 x,  A <- A + s^2 x x'

where a and s^2 depend on the loss (`step_of`). Let q = B Delta^-1 x, L L' = I + B Delta^-1 B' (a round adds one row to
L) and g = L^-1 q. Then v = x'Delta^-1 x - g'g and A^-1 x = Delta^-1 (x - B'L^-T g). With w = wbar + Delta^-1 B'c, a
step does not change gamma = L'c but appends one number; so z = wbar'x + gamma'g needs no second solve. A round writes
no array of length d: it reads the active features and appends one sparse row.

The whitened shrink keeps m - 1 combinations of the rows, and adds the diagonal of the rest to Delta. With
T = B Delta^-1 B' = U diag(lam) U' and lam_m the m-th largest, B <- C B with the rows
sqrt(min(lam_i - lam_m, MAX_SQUARED_LENGTH)/lam_i) U_i' of C, i < m. B'B loses a positive semidefinite matrix whose
diagonal is known: Delta_f = 1 + (sum of squares of f's entries in all rows) - |B_:f|^2 for the features f of the
buffered rows. [RFD] Algorithm 3 instead adds half of lam_m to every feature.

Forgetting (--decay) happens there: with n rows learned since the last shrink, B'B and the sums of squares are
multiplied by retention^n. The 1 in Delta does not decay. Delta of a feature in no buffered row is not updated until the
feature is in one; then it takes the value that decay in every round would have given.

A shrink is applied to a feature that is in no buffered row only when the feature is next read. Its entries z of the
kept rows become E z, and wbar grows by (c'z)/Delta. Delta does not change while the feature is in no buffered row, so
such maps compose. Each shrink is a generation; the log stores compositions of [E' c] (`sonlearn.learn.log`). In kernels
`maps` is float64[slots, width, width + 1] and `table` float64[features, KEPT + width].

In the state (letters: see NOTATION.md) Delta = 1 + extra, and the rows of B are the k rows that the last shrink kept,
in the table, and the raw rows since then, each s x.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data.axes import BY_FEATURE, Counted, Scalars
from sonlearn.data.linear_algebra import (
    add_scaled,
    clear,
    clear_first,
    factorise,
    minus_dot,
    mirror,
    plus_dot,
    product,
    set_scaled,
    solve_lower,
    solve_upper,
)
from sonlearn.data.rows import entries, features_with, is_learned
from sonlearn.jit import inline, jit
from sonlearn.learn.eigenpairs import Eigenpairs, leading_eigenpairs, room_for
from sonlearn.learn.log import LOG, apply_map, begin_generation, log_is_full, map_forward, place
from sonlearn.learn.losses import HINGE, LOGISTIC, sigmoid
from sonlearn.learn.tolerances import DIVERGED, DONE, LIMIT

# The first columns of a feature's row of the table. The feature's entries of the kept rows of B follow, so that reading
# a feature costs one cache miss.
WBAR, EXTRA, STAMP, SLOT, KEPT = range(5)
# EXTRA: Delta - 1. STAMP: the last generation applied to the feature. SLOT: its position among the buffer's features,
# counted from 1; 0 if it is in no buffered row.

#: Largest squared length of a row of B Delta^-1/2. A longer raw row gets a smaller weight; the excess of a kept row is
#: shed. So the condition number of I + T suits double precision for any input.
MAX_SQUARED_LENGTH = 1e10
#: Features in the buffered rows.
SLOTS = Counted("slots")
#: t: rows learned; shrunk: t at the last shrink; k: rows kept; raw: rows buffered; slots: features in the buffered
#: rows; generation: of the log; seen: features.
SCALARS = [(name, "i8") for name in ("t", "shrunk", "k", "raw", "slots", "generation", "seen")]
#: Lower bound of p (1 - p) for logistic loss, so that a / s is finite.
CURVATURE = 1e-8
#: A difference of at most this share of its operands is rounding error.
ROUNDING = 4e-16


class DiagonalFDParams(NamedTuple):
    """The kernels' parameters, from `LearnOptions`."""

    loss: int
    m: int
    raw: int  # rows buffered between two shrinks
    r: float
    retention: float  # factor of A - I for each row learned: 1 - decay


class DiagonalFDState(NamedTuple):
    """State of a learner, without the names of its features."""

    # float64[features, KEPT + width]
    table: Annotated[np.ndarray, BY_FEATURE]
    # float64[features]; sum of squares of the feature's entries in all rows before the buffered ones
    mass: Annotated[np.ndarray, BY_FEATURE]
    maps: Annotated[np.ndarray, LOG]  # float64[slots, width, width + 1]; the log of generations (`lazy`)
    X: Annotated[np.ndarray, SLOTS]  # float64[slots, raw]; the buffered rows, by feature
    when: Annotated[np.ndarray, BY_FEATURE]  # int64[features]; rows learned when `mass` was last updated
    owner: Annotated[np.ndarray, SLOTS]  # int64[slots]; the feature of each slot
    T: np.ndarray  # float64[rows, rows]; B Delta^-1 B'
    LT: np.ndarray  # float64[rows, rows]; upper triangular, LT'LT = I + T
    gamma: np.ndarray  # float64[rows]
    now: Annotated[np.ndarray, Scalars("t")]  # the scalars, see `SCALARS`


class DiagonalFDScratch(NamedTuple):
    """Scratch space of a round."""

    row: np.ndarray  # float64[KEPT + width]; a row of the table, brought up to date for a prediction
    q: np.ndarray  # float64[rows]; B Delta^-1 x
    g: np.ndarray  # float64[rows]; L^-1 q
    z: np.ndarray  # float64[2, width + 1]; one feature's entries while it is brought up to date
    # of a shrink
    c: np.ndarray  # float64[1, rows]; L^-T gamma
    last: np.ndarray  # float64[width, width + 1]
    product: np.ndarray  # float64[width, width + 1]
    pairs: Eigenpairs


def new_work(params: DiagonalFDParams, state: DiagonalFDState) -> DiagonalFDScratch:
    """Scratch space for a learner of this state."""
    r, (width, length) = len(state.T), state.maps.shape[1:]
    return DiagonalFDScratch(
        np.zeros(state.table.shape[1]), *np.zeros((2, r)), np.zeros((2, length)), np.zeros((1, r)),
        *np.zeros((2, width, length)), room_for(r, params.m),
    )  # fmt: skip


@jit
def predict_and_learn(params, state, work, rows, raw, start, learns):
    """Predict rows from `start` on and, where it `learns`, learn them; returns the first row that was refused, or n.

    params : DiagonalFDParams; state : DiagonalFDState, modified where it `learns`
    work : DiagonalFDScratch, overwritten; rows : Rows, not modified; raw : float64[n, 1], filled in from row `start` on
    """
    now = state.now[0]
    for i in range(start, len(rows.y)):
        feats, values = entries(rows, i)
        learned = learns and is_learned(rows.weight[i], rows.y[i])
        if learned and log_is_full(now, state.maps):
            sweep(state, work.z)
        wx, xx = read(state, work, feats, values, learned)
        r = now["k"] + now["raw"]
        solve_lower(state.LT, r, work.q, work.g)
        v = max(minus_dot(xx, work.g, work.g, r), 0.0)
        z = plus_dot(wx, work.g, state.gamma, r) + rows.base[i]
        if not (abs(z) <= LIMIT and xx <= LIMIT * LIMIT):
            return i
        raw[i, 0] = z
        if learned:
            w = rows.weight[i] / params.r
            if step(params.loss, state, work.q, work.g, feats, values, z, v, xx, rows.y[i], w) == DIVERGED:
                return i
            if now["raw"] == params.raw:
                shrink(params, state, work)
    return len(rows.y)


@inline
def read(state, work, feats, values, learned):
    """q <- B Delta^-1 x; returns (wbar'x, x'Delta^-1 x). The row's features are up to date then, where it is `learned`.

    feats : int64[s], values : float64[s]; not modified
    """
    now, X, table, q = state.now[0], state.X, state.table, work.q
    k, raw = now["k"], now["raw"]
    wx = xx = 0.0
    clear_first(q, k + raw)
    for at in range(len(values)):
        row, x = table[feats[at]], values[at]
        if row[STAMP] != now["generation"]:
            target = row if learned else work.row
            bring_up_to_date(state.maps, row, target, now["generation"], work.z)
            row = target
        u = x / (1.0 + row[EXTRA])
        wx += x * row[WBAR]
        xx += x * u
        add_scaled(q, u, row[KEPT:], k)
        if row[SLOT] > 0.0:
            add_scaled(q[k:], u, X[int(row[SLOT]) - 1], raw)
    return wx, xx


@inline
def step(loss, state, q, g, feats, values, z, v, xx, y, w):
    """The step after the prediction; returns DONE, or DIVERGED if nothing was changed. Modifies state.

    q, g : B Delta^-1 x and L^-1 q; feats : int64[s] and values : float64[s]; these are not modified
    z : the prediction; v : x'A^-1 x; xx : x'Delta^-1 x; y : label; w : importance weight over r
    """
    now = state.now[0]
    a, s2 = step_of(loss, z, v, y, w if w * xx <= MAX_SQUARED_LENGTH else MAX_SQUARED_LENGTH / xx)
    if not a * a * xx <= LIMIT:
        return DIVERGED
    now["t"] += 1
    now["seen"] = features_with(feats, now["seen"])
    if s2 * xx > 0.0:
        r, s = now["k"] + now["raw"], math.sqrt(s2)
        widen(state.T, state.LT, q, g, r, s2, v, xx)
        state.gamma[r] = state.LT[r, r] * a / s
        append(state, feats, values, s)
    return DONE


@inline
def widen(T, LT, q, g, r, s2, v, xx):
    """Add row r of B, which is s x, to T and L: from q and g. Modifies T and LT.

    s2 : s^2; v : x'A^-1 x; xx : x'Delta^-1 x
    """
    s = math.sqrt(s2)
    for j in range(r):
        T[r, j] = T[j, r] = s * q[j]
        LT[j, r] = s * g[j]
    T[r, r] = s2 * xx
    LT[r, r] = math.sqrt(1.0 + s2 * v)


@inline
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


@inline
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


@inline
def append(state, feats, values, s):
    """Add s x to the buffered rows: modifies state. feats : int64[n] and values : float64[n], not modified."""
    table, X, now = state.table, state.X, state.now[0]
    n_slots, raw = now["slots"], now["raw"]
    for at in range(len(feats)):
        x = s * values[at]
        if x == 0.0:
            continue
        f = feats[at]
        slot = int(table[f, SLOT]) - 1
        if slot < 0:
            slot = n_slots
            n_slots += 1
            state.owner[slot] = f
            table[f, SLOT] = n_slots
            clear_first(X[slot], X.shape[1])
        X[slot, raw] = x
    now["slots"] = n_slots
    now["raw"] = raw + 1


# -------------------------------------------------------------------------------------------------------------- shrinks


#: Eigenvalues of T below this multiple of the largest are rounding errors.
EPS_RANK = 1e-14


@inline
def shrink(params, state, work):
    """Keep m - 1 rows and begin a generation with an empty buffer. Modifies state.

    params : DiagonalFDParams; work : DiagonalFDScratch, overwritten
    """
    now, c, CT = state.now[0], work.c, work.pairs.U
    faded = params.retention ** (now["t"] - now["shrunk"])
    n_kept = leading_rows(params, state.T, now["k"] + now["raw"], faded, work.pairs)
    solve_upper(state.LT, now["k"] + now["raw"], state.gamma, c[0])
    begin_generation(now, state.maps, CT[: now["k"]], c, work.last, work.product)
    fold(params, state, c[0], CT, n_kept, work.z)
    now["shrunk"] = now["t"]
    factorise(state.T, 1.0, n_kept, state.LT)
    clear_first(state.gamma, len(state.gamma))
    now["k"] = n_kept
    now["raw"] = now["slots"] = 0


@inline
def leading_rows(params, T, r, faded, pairs):
    """Number of rows kept; pairs.U[:r] <- C', filled up with 0, and T <- C T C' there, 0 elsewhere.

    faded : retention^n; pairs : Eigenpairs, overwritten
    """
    n_kept, lam, U = 0, pairs.lam, pairs.U
    if params.m == 1:
        clear(T)
        return n_kept
    leading_eigenpairs(T, r, min(params.m, r), pairs)
    top = lam[0]
    shed = lam[params.m - 1] if r >= params.m and lam[params.m - 1] > EPS_RANK * top else 0.0
    clear(T)
    while n_kept < min(params.m - 1, r) and lam[n_kept] - shed > EPS_RANK * top:
        squared = min(lam[n_kept] - shed, MAX_SQUARED_LENGTH) * faded
        factor = math.sqrt(squared / lam[n_kept])
        for j in range(r):
            U[j, n_kept] *= factor
        T[n_kept, n_kept] = squared
        n_kept += 1
    for j in range(r):
        for i in range(n_kept, U.shape[1]):
            U[j, i] = 0.0
    return n_kept


@inline
def fold(params, state, c, CT, n_kept, z):
    """For each feature f of the buffer: table entries <- C B_:f, and Delta and wbar for these; T <- B Delta^-1 B'.

    The generation has begun. Modifies the state. Without forgetting Delta never decreases; any decrease would be
    rounding error. c : float64[rows]; CT : float64[rows, width or more]; z : of DiagonalFDScratch
    """
    table, T, now, k = state.table, state.T, state.now[0], state.now[0]["k"]
    last = place(0, now["generation"] - 1)
    for slot in range(now["slots"]):
        f = state.owner[slot]
        b, x, delta, squares = table[f, KEPT:], state.X[slot], 1.0 + table[f, EXTRA], 0.0
        total = delta * table[f, WBAR] + map_entries(state.maps, last, b, z)  # Delta w
        for j in range(now["raw"]):
            if x[j] != 0.0:
                total += x[j] * c[k + j]
                squares += x[j] * x[j]
                add_scaled(b, x[j], CT[k + j], len(b))
        mass, least = state.mass[f] + squares, table[f, EXTRA]
        if params.retention < 1.0:  # the buffered rows decay with the earlier ones
            mass = state.mass[f] * params.retention ** (now["shrunk"] - state.when[f]) + squares
            mass, least = mass * params.retention ** (now["t"] - now["shrunk"]), 0.0
        state.mass[f] = mass
        state.when[f] = now["t"]
        extra, old = max(least, mass - product(b, b, len(b))), 1.0 / delta
        table[f, EXTRA] = extra
        table[f, WBAR] = total * old
        table[f, STAMP] = now["generation"]
        table[f, SLOT] = 0.0
        change = 1.0 / (1.0 + extra) - old
        for i in range(n_kept):
            add_scaled(T[i], change * b[i], b, i + 1)
    mirror(T, n_kept)


@inline(force=True)
def map_entries(maps, at, b, z):
    """b <- E b for a feature's entries b in the rows kept so far, with E of maps[at]; returns c'b. Overwrites z."""
    set_scaled(z[0], 1.0, b, len(b))
    z[0, len(b)] = 0.0
    apply_map(z[0], maps[at], z[1])
    set_scaled(b, 1.0, z[1], len(b))
    return z[1, len(b)]


# ------------------------------------------------------------------------------------------ features brought up to date


#: If all entries of a feature are smaller than this, they count as 0: products of contractions would become denormal
#: numbers, which are slow.
TINY = 1e-150


@inline(force=True)
def bring_up_to_date(maps, row, target, now, z):
    """target <- `row`, a feature's of the table, brought up to generation `now`.

    row, target : float64[KEPT + width], may be the same; z : float64[2, width + 1], overwritten
    """
    width, source, size = maps.shape[1], 0, 0.0
    for i in range(width):
        z[0, i] = row[KEPT + i]
        size = max(size, abs(z[0, i]))
    z[0, width] = 0.0
    if size > TINY:
        source = map_forward(maps, int(row[STAMP]), now, z)
    for i in range(width):
        target[KEPT + i] = z[source, i] if size > TINY else 0.0
    target[WBAR] = row[WBAR] + z[source, width] / (1.0 + row[EXTRA])
    target[EXTRA], target[STAMP], target[SLOT] = row[EXTRA], now, row[SLOT]


@inline
def sweep(state, z):
    """Bring every feature up to date and empty the log: O(m^2) a feature. z : of DiagonalFDScratch

    The log's room grows with the number of features, so the amortised cost is at most O(m^2) an example.
    """
    now = state.now[0]
    for f in range(now["seen"]):
        row = state.table[f]
        bring_up_to_date(state.maps, row, row, now["generation"], z)
        row[STAMP] = 0.0
    now["generation"] = 0
