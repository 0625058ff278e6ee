"""Normalised adaptive gradient of several classes: softmax, and one rate a feature for all classes [NAG].

Scores are z_k = w_k'x and q = softmax(z) over the classes shown before the row and its own. With c = q - e_y, weight h
of the row and s_j the largest |x_j| so far,

    w_kj <- w_kj s_j(old)/s_j    where s_j has grown
    t += h,    N += h sum_j (x_j/s_j)^2,    G_j <- G_j + h |c|^2 x_j^2
    w_kj -= h c_k rate sqrt(t/N) x_j / (s_j sqrt(G_j))    for the classes with |c_k| >= `TINY`

|c|^2 is what the squared gradients of all classes add up to, divided by x_j^2. Classes that are next to impossible are
left out of the step, or a row would touch all pairs of its features and every class. With a forgetting rate d, G_j is
multiplied with 1 - d for every row learned since the feature was there: steps do not die out, and what a stream has
become counts more than what it was.

Weights are float32, all arithmetic is float64.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data import axes, merging
from sonlearn.data.axes import BY_FEATURE, Scalars
from sonlearn.jit import bare_inline, bare_jit
from sonlearn.learn.linear_algebra import clear_first, set_scaled
from sonlearn.learn.losses import softmax_slopes
from sonlearn.learn.multiclass.arow import score
from sonlearn.learn.multiclass.engine import PAIRS, OfPairs, side_by_side, table_of
from sonlearn.learn.multiclass.pairs import Pairs, has_room, new_pairs, place_for, scale_pairs

#: Classes whose slope is smaller are left out of a step.
TINY = 0.02
#: Columns of what is kept of a feature: G, s, and how many rows had been learned when G was last added to.
G, S, SINCE = range(3)
#: Values count up to this, and below `LEAST` as 0, so that weights are numbers in float32.
MOST, LEAST = 1e30, 1e-30


class NagState(NamedTuple):
    """All that has been learned."""

    pairs: Annotated[Pairs, PAIRS]  # their only number is the weight
    features: Annotated[np.ndarray, BY_FEATURE]  # float64[features, 3]
    # structured [1]: classes; features seen; t, N; rows learned from
    now: Annotated[np.ndarray, Scalars("rows", totals=("t", "N", "rows"))]


class NagScratch(NamedTuple):
    """One row under way."""

    q: np.ndarray  # float64[K]
    some: np.ndarray  # int64[K]; classes that take part in the step


def _new_work(longest: int, classes: int) -> NagScratch:
    return NagScratch(np.zeros(classes), np.zeros(classes, np.int64))


class Nag(OfPairs):
    """Member of several classes (see `sonlearn.learn.multiclass`).

    Parameters
    ----------
    rate : float
        Factor of every step.
    decay : float
        Share of G that is forgotten with each row.
    """

    def __init__(self, rate: float = 4.0, decay: float = 0.0):
        super().__init__(follow, (rate, decay), _new_work, decay)

    def new(self, classes: int = 0) -> NagState:
        """State that has seen nothing."""
        now = np.zeros(1, dtype=[("classes", "i8"), ("seen", "i8"), ("t", "f8"), ("N", "f8"), ("rows", "i8")])
        return NagState(new_pairs(1), np.zeros((0, 3)), now)

    def up_to_date(self, state: NagState) -> NagState:
        """See `Engine.up_to_date`."""
        if self._decay > 0.0:
            table = state.features.copy()
            table[:, G] *= self.retention ** (state.now["rows"] - table[:, SINCE])
            table[:, SINCE] = state.now["rows"]
            state = state._replace(features=table)
        return state

    def merge(self, states: Sequence[NagState], base: NagState, rows: Sequence[int]) -> NagState:
        """Sums as of one run, weights moved by what their features' sums have gained (see `Engine.merge`)."""
        own, by = axes.rows_learned(states, base), self.shares(states, base)
        now, table = super().merge(states, base, rows).now, base.features.copy()
        sums = [each.features[:, G] for each in states]
        gains = merging.added(base.features[:, G], sums, own, self.retention, by)
        table[:, G] = np.maximum(merging.summed(base.features[:, G], sums, by), 0.0)
        table[:, S] = np.max([each.features[:, S] for each in (base, *states)], axis=0)
        table[:, SINCE] = now["rows"]
        scales = [
            np.divide(each.features[:, S], table[:, S], out=np.ones(len(table)), where=table[:, S] > 0.0)
            for each in (base, *states)
        ]
        feature, classes, columns = side_by_side([each.pairs for each in (base, *states)])
        start, *others = (scale[feature] * column[:, 0] for scale, column in zip(scales, columns, strict=True))
        w = merging.moved(start, others, [gain[feature] for gain in gains])
        return NagState(table_of(feature, classes, w[:, None], 0), table, now)


@bare_jit
def follow(rate, decay, state, scratch, rows, out, start, learns):
    """Predict rows from `start` on and, where it `learns`, learn them; returns where there is no room for pairs, or n.

    Parameters
    ----------
    rate, decay : float; state : NagState, changed where it `learns`; scratch : NagScratch
    rows : Rows, labels slots; out : float64[n, K], filled in up to the classes shown before each row
    """
    pairs, now, features = state.pairs, state.now, state.features
    for i in range(start, len(rows.y)):
        begin, end, h = rows.indptr[i], rows.indptr[i + 1], rows.weight[i]
        learned = learns and h > 0.0 and rows.y[i] == rows.y[i]
        classes, z = now[0]["classes"], out[i]
        if learned and not has_room(pairs, rows, i, len(z), len(z)):
            return i
        score(pairs, rows, i, 1.0, classes, z)
        if not learned:
            continue
        y = int(rows.y[i])
        q, now[0]["classes"] = scratch.q[: max(classes, y + 1)], max(classes, y + 1)
        set_scaled(q, 1.0, z, classes)
        clear_first(q[classes:], len(q) - classes)
        length = softmax_slopes(q, y, 1.0, q)
        some = choose(scratch, len(q), y)
        size = take_in(decay, state, rows, i, h * length * length)
        now[0]["t"] += h
        now[0]["N"] += h * size
        now[0]["rows"] += 1
        common = h * rate * math.sqrt(now[0]["t"] / now[0]["N"]) if now[0]["N"] > 0.0 else 0.0
        for at in range(begin, end):
            f, x = rows.features[at], tamed(rows.values[at])
            if x != 0.0 and features[f, G] > 0.0:
                step(pairs, f, common * x / (features[f, S] * math.sqrt(features[f, G])), some, scratch)
    return len(rows.y)


@bare_inline
def choose(scratch, classes, y):
    """scratch.some[:count] <- the classes that take part in the step, among them y; returns the count."""
    count = 0
    for k in range(classes):
        if k == y or abs(scratch.q[k]) >= TINY:
            scratch.some[count] = k
            count += 1
    return count


@bare_inline
def take_in(decay, state, rows, i, squares):
    """Bring s and G of row i's features up to date; returns |x/s|^2. squares : float, h |c|^2"""
    features, learned, size = state.features, state.now[0]["rows"], 0.0
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[at], tamed(rows.values[at])
        if abs(x) > features[f, S]:
            if features[f, S] > 0.0:
                scale_pairs(state.pairs, f, 0, features[f, S] / abs(x))
            features[f, S] = abs(x)
        if x != 0.0:
            size += (x / features[f, S]) * (x / features[f, S])
        if decay > 0.0:
            features[f, G] *= (1.0 - decay) ** (learned - features[f, SINCE])
            features[f, SINCE] = learned
        features[f, G] += squares * x * x
    return size


@bare_inline
def tamed(x):
    """x within +-`MOST`; 0 within +-`LEAST`."""
    return 0.0 if abs(x) < LEAST else min(max(x, -MOST), MOST)


@bare_inline
def step(pairs, f, by, some, scratch):
    """The weights of feature f and the first `some` classes of scratch.some: less their slope times `by`."""
    for at in range(some):
        k = scratch.some[at]
        place = place_for(pairs, f, k, len(scratch.q))
        pairs.values[0][pairs.blocks[f]["begin"] + place] -= by * scratch.q[k]
