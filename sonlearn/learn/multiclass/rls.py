"""Recursive least squares of several classes: one whole matrix for all, a column of weights for each.

For rows of few features that are strongly correlated, as random Fourier features are. Labels are e_y, scores z = W'x,
and P = (ridge I + sum of h x x')^-1 over the rows learned. Weight h of the row, y its class:

    u = P x,    v = 1/h + x'u,    W += u (e_y - z)' / v,    P -= u u' / v

[SON] equation 1-2 with squared loss, whose matrix is the same for every class: K classes cost the matrix once. A row is
learned only while its margin, z_y less the best other score, is below `MARGIN`, as AROW does: where most rows are easy
most cost O(d K) and not O(d^2), and those near the boundaries count more.

Scores are multiplied with `GAIN`, which gives them the size of other members' scores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.axes import Numbers
from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import bare_inline, bare_jit
from sonlearn.jit.sequence import Calls
from sonlearn.learn.engine import Engine, Predictions
from sonlearn.learn.linear_algebra import add_rows, add_scaled, clear_first, plus_dot

#: Rows with a larger margin are not learned from.
MARGIN = 0.25
#: What scores are multiplied with.
GAIN = 4.0
#: Values count up to this.
LIMIT = 1e6


class RlsState(NamedTuple):
    """All that has been learned."""

    P: np.ndarray  # float64[d * d]
    W: np.ndarray  # float64[d * room]; a row of `room` classes for each feature
    now: np.ndarray  # structured [1]: classes; features d that were seen; room


class RlsScratch(NamedTuple):
    """One row under way."""

    x: np.ndarray  # float64[d]
    u: np.ndarray  # float64[d]
    e: np.ndarray  # float64[room]


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
        return RlsState(
            np.zeros(0), np.zeros(0), np.zeros(1, dtype=[("classes", "i8"), ("seen", "i8"), ("room", "i8")])
        )

    def reserve(self, state: RlsState, rows: Rows, features: int) -> RlsState:
        """Room for features, and for the classes of `rows`."""
        d, room, features = int(state.now["seen"][0]), int(state.now["room"][0]), min(features, self._most)
        classes = 1 + int(np.nanmax(rows.y, initial=-1.0))
        wider = room if classes <= room else max(classes, 2 * room)
        if features <= d and wider == room:
            return state
        return self._laid_out(state, max(features, d), wider, np.arange(d), np.arange(self.met(state)))

    def _laid_out(self, state: RlsState, features: int, room: int, numbers: np.ndarray, slots: np.ndarray) -> RlsState:
        """`state` with so many features and room for classes; see `Engine.renumbered`, of which it has the numbers."""
        d, now, stays = int(state.now["seen"][0]), state.now.copy(), numbers >= 0
        P, W = np.eye(features) / self._ridge, np.zeros((features, room))
        P[np.ix_(numbers[stays], numbers[stays])] = state.P.reshape(d, d)[np.ix_(stays, stays)]
        W[np.ix_(numbers[stays], slots)] = state.W.reshape(d, state.now["room"][0])[stays, : len(slots)]
        now["classes"], now["seen"], now["room"] = 1 + slots.max(initial=-1), features, room
        return RlsState(P.ravel(), W.ravel(), now)

    def calls(self, state: RlsState, rows: Rows, out: Predictions, start: int = 0, learns: bool = True) -> Calls:
        """See `Engine.calls`; no row is refused."""
        d, room = (int(state.now[name][0]) for name in ("seen", "room"))
        P, W, scratch = state.P.reshape(d, d), state.W.reshape(d, room), RlsScratch(*np.zeros((2, d)), np.zeros(room))
        return [(follow, (P, W, state.now, scratch, rows, out.raw, start, learns))]

    def spare(self, state: RlsState, rows: Rows, features: int) -> tuple[RlsState, int]:
        """Room for the features that there are (see `Engine.spare`)."""
        return self.reserve(state, rows, features), features

    def packed(self, state: RlsState) -> RlsState:
        """`state` without spare room."""
        d, classes = int(state.now["seen"][0]), self.met(state)
        return self._laid_out(state, d, classes, np.arange(d), np.arange(classes))

    def renumbered(self, state: RlsState, numbers: Numbers) -> RlsState:
        """`state` with other numbers of features and classes (see `Engine.renumbered`)."""
        slots = (np.arange(self.met(state)) if numbers.classes is None else numbers.classes)[: self.met(state)]
        features, own = min(numbers.most, self._most), numbers.features[: state.now["seen"][0]]
        own = np.where(own < features, own, -1)
        return self._laid_out(state, features, 1 + int(slots.max(initial=-1)), own, slots)

    def merge(self, states: Sequence[RlsState], base: RlsState, rows: Sequence[int]) -> RlsState:
        """Least squares over all rows learned: A W = sum of A_g W_g - (G - 1) A_0 W_0, A = 1/P (see `Engine.merge`)."""
        every, by, now = (base, *states), np.ones(len(states)), base.now.copy()
        d, K = int(base.now["seen"][0]), max(int(each.now["classes"][0]) for each in every)
        if not d:
            return base
        A = [np.linalg.inv(each.P.reshape(d, d)) for each in every]
        W = [np.pad(own, ((0, 0), (0, K - own.shape[1]))) for own in (each.W.reshape(d, -1) for each in every)]
        total = merging.summed(A[0], A[1:], by)
        b = merging.summed(A[0] @ W[0], [a @ w for a, w in zip(A[1:], W[1:], strict=True)], by)
        P = np.linalg.inv((total + total.T) / 2.0)
        now["classes"] = now["room"] = K
        return RlsState(((P + P.T) / 2.0).ravel(), (P @ b).ravel(), now)

    def facts(self, state: RlsState) -> dict[str, Any]:
        """bytes that it takes."""
        return {"bytes": state.P.nbytes + state.W.nbytes}


@bare_jit
def follow(P, W, now, scratch, rows, out, start, learns):
    """Predict and, where it `learns`, learn rows from `start` on.

    Parameters
    ----------
    P : float64[d, d], W : float64[d, room], now : structured [1]: changed where it `learns`
    scratch : RlsScratch; rows : Rows, labels slots
    out : float64[n, K], filled in up to the classes shown before each row
    """
    for i in range(start, len(rows.y)):
        classes, z = now[0]["classes"], out[i]
        score(W, scratch.x, rows, i, classes, z)
        if not (learns and is_learned(rows.weight[i], rows.y[i])):
            continue
        y, best = int(rows.y[i]), -math.inf
        now[0]["classes"] = max(classes, y + 1)
        for k in range(classes):
            if k != y:
                best = max(best, z[k])
        own = z[y] if y < classes else 0.0
        if own - best < MARGIN * GAIN or best == -math.inf:
            step(P, W, scratch, now[0]["classes"], classes, y, rows.weight[i], z)


@bare_inline
def score(W, x, rows, i, classes, z):
    """x <- row i as float64[d], and z[:classes] <- W'x times `GAIN`."""
    clear_first(x, len(x))
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        if rows.features[at] < len(x):
            x[rows.features[at]] += min(max(rows.values[at], -LIMIT), LIMIT)
    clear_first(z, classes)
    for j in range(len(x)):
        if x[j] != 0.0:
            add_scaled(z, GAIN * x[j], W[j], classes)


@bare_inline
def step(P, W, scratch, classes, shown, y, h, z):
    """Learn the row in scratch.x of class y and weight h, whose scores of the first `shown` classes are z."""
    x, u, e, d = scratch.x, scratch.u, scratch.e, len(scratch.x)
    clear_first(u, d)
    add_rows(x, P, d, u)
    v = plus_dot(1.0 / h, x, u, d)
    for k in range(classes):
        e[k] = ((1.0 if k == y else 0.0) - (z[k] / GAIN if k < shown else 0.0)) / v
    for j in range(d):
        add_scaled(W[j], u[j], e, classes)
        add_scaled(P[j], -u[j] / v, u, d)
