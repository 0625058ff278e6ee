"""Recursive least squares of several classes: one whole matrix for all, a column of weights for each.

For rows of few features that are strongly correlated, as random Fourier features are. Labels are e_y, scores z = W'x,
and P = (ridge I + sum of h x x')^-1 over the rows learned. Weight h of the row, y its class:

    u = P x,    v = 1/h + x'u,    W += u (e_y - z)' / v,    P -= u u' / v

[SON] equation 1-2 with squared loss, whose matrix is the same for every class: K classes cost the matrix once. A row is
learned only while its margin, z_y less the best other score, is below `MAX_MARGIN`, as AROW does: where most rows are
easy most cost O(d K) and not O(d^2), and those near the boundaries count more. After `FULL_UPDATES` rows learned P
goes by one row in `UPDATE_EVERY`, which counts so many times: it hardly changes any more, and to change it takes half
of the time.

Scores are multiplied with `GAIN`, which gives them the size of other members' scores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.axes import BY_CLASS, BY_FEATURE, Numbers, Scalars
from sonlearn.data.linear_algebra import add_rows, add_scaled, clear_first, plus_dot, product
from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import inline, jit
from sonlearn.jit.sequence import Calls
from sonlearn.learn.engine import Engine, Predictions

#: Rows with a larger margin are not learned from.
MAX_MARGIN = 0.25
#: Rows learned by all of which P goes; of later ones it goes by one in so many.
FULL_UPDATES, UPDATE_EVERY = 512, 8
#: What scores are multiplied with.
GAIN = 4.0
#: Values count up to this.
MAX_VALUE = 1e6


class RlsState(NamedTuple):
    """All that has been learned."""

    P: Annotated[np.ndarray, BY_FEATURE]  # float64[features, most]
    W: Annotated[np.ndarray, BY_CLASS]  # float64[classes, most]; transposed
    # structured [1]: classes that rows have shown; features seen; rows learned
    now: Annotated[np.ndarray, Scalars(totals=("rows",))]


class Rls(Engine):
    """Member of several classes (see `sonlearn.learn.multiclass`).

    Parameters
    ----------
    ridge : float
        What is in the matrix before the first row, on its diagonal.
    most : int
        Features from this one on are left out.
    """

    merges = True
    by_class = True

    def __init__(self, ridge: float = 0.1, most: int = 512):
        self._ridge, self._most = ridge, most

    def new(self, classes: int = 0) -> RlsState:
        """State that has seen nothing."""
        now = np.zeros(1, dtype=[(name, "i8") for name in ("classes", "seen", "rows")])
        return RlsState(*np.zeros((2, 0, self._most)), now)

    def reserve(self, state: RlsState, rows: Rows, features: int) -> RlsState:
        """Room for features, and for the classes of `rows`."""
        return self._begun(super().reserve(state, rows, min(features, self._most)))

    def _begun(self, state: RlsState) -> RlsState:
        """`state` whose features that no row has had are in P as before the first row; P is modified."""
        new = np.flatnonzero(state.P.diagonal() == 0.0)
        state.P[new, new] = 1.0 / self._ridge
        return state

    def calls(self, state: RlsState, rows: Rows, out: Predictions, start: int = 0, learns: bool = True) -> Calls:
        """See `Engine.calls`; no row is refused."""
        return [(predict_and_learn, (state, np.zeros((2, len(state.P))), rows, out.raw, start, learns))]

    def renumbered(self, state: RlsState, numbers: Numbers) -> RlsState:
        """`state` with other numbers of features and classes (see `Engine.renumbered`)."""
        most, own = min(numbers.most, self._most), numbers.features[: len(state.P)]
        own = np.where(own < most, own, -1)
        state = super().renumbered(state, Numbers(own, most, numbers.classes))
        columns = (merging.renumbered(each.T[: len(own)], own, self._most).T for each in (state.P, state.W))
        P, W = map(np.ascontiguousarray, columns)
        return self._begun(state._replace(P=P, W=W))

    def merge(self, states: Sequence[RlsState], base: RlsState, rows: Sequence[int]) -> RlsState:
        """Least squares over all rows learned: A W = sum of A_g W_g - (G - 1) A_0 W_0, A = 1/P (see `Engine.merge`)."""
        every, by, now = (base, *states), np.ones(len(states)), base.now.copy()
        d, K = int(base.now["seen"][0]), max(int(each.now["classes"][0]) for each in every)
        A = [np.linalg.inv(each.P[:, :d]) for each in every]
        W = [np.pad(each.W[:, :d].T, ((0, 0), (0, K - len(each.W)))) for each in every]
        total = merging.summed(A[0], A[1:], by)
        b = merging.summed(A[0] @ W[0], [a @ w for a, w in zip(A[1:], W[1:], strict=True)], by)
        P = np.linalg.inv((total + total.T) / 2.0)
        now["classes"], beside = K, ((0, 0), (0, self._most - d))
        now["rows"] += sum(int(each.now["rows"][0] - base.now["rows"][0]) for each in states)
        return RlsState(np.pad((P + P.T) / 2.0, beside), np.pad((P @ b).T, beside), now)

    def facts(self, state: RlsState) -> dict[str, Any]:
        """bytes that it takes."""
        return {"bytes": state.P.nbytes + state.W.nbytes}


@jit
def predict_and_learn(state, scratch, rows, out, start, learns):
    """Predict and, where it `learns`, learn rows from `start` on.

    Parameters
    ----------
    state : RlsState, changed where it `learns`; scratch : float64[2, features], x and u, overwritten
    rows : Rows, labels slots
    out : float64[n, K], filled in up to the classes shown before each row
    """
    now, x, u = state.now[0], scratch[0], scratch[1]
    for i in range(start, len(rows.y)):
        classes, z = now["classes"], out[i]
        d = score(state.W, x, rows, i, classes, now["seen"], z)
        if not (learns and is_learned(rows.weight[i], rows.y[i])):
            continue
        y, best = int(rows.y[i]), -math.inf
        now["classes"], now["seen"] = max(classes, y + 1), d
        for k in range(classes):
            if k != y:
                best = max(best, z[k])
        own = z[y] if y < classes else 0.0
        if own - best < MAX_MARGIN * GAIN or best == -math.inf:
            now["rows"] += 1
            step(state.P, state.W, x, u, d, now["classes"], classes, y, rows.weight[i], z)
            counts = 1 if now["rows"] <= FULL_UPDATES else UPDATE_EVERY if now["rows"] % UPDATE_EVERY == 0 else 0
            if counts > 0:
                update_inverse(state.P, x, u, d, rows.weight[i] * counts)


@inline
def score(W, x, rows, i, classes, d, z):
    """x <- row i as float64[features], and z[:classes] <- W'x times `GAIN`; returns d, raised to its features."""
    clear_first(x, len(x))
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f = rows.features[at]
        if f < len(x):
            x[f] += min(max(rows.values[at], -MAX_VALUE), MAX_VALUE)
            d = max(d, f + 1)
    for k in range(classes):
        z[k] = GAIN * product(W[k], x, d)
    return d


@inline
def step(P, W, x, u, d, classes, shown, y, h, z):
    """W <- the weights after the row x, with features below d, of class y and weight h; u <- P x.

    z : its scores of the first `shown` of the `classes`
    """
    clear_first(u, d)
    add_rows(x, P, d, u[:d])
    v = plus_dot(1.0 / h, x, u, d)
    for k in range(classes):
        e = ((1.0 if k == y else 0.0) - (z[k] / GAIN if k < shown else 0.0)) / v
        add_scaled(W[k], e, u, d)


@inline
def update_inverse(P, x, u, d, h):
    """P <- the matrix with h times the row of `step`."""
    v = plus_dot(1.0 / h, x, u, d)
    for j in range(d):
        add_scaled(P[j], -u[j] / v, u, d)
