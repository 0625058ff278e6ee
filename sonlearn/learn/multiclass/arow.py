"""AROW of several classes [AROW], with a diagonal precision for each (feature, class) and up to three rivals a row.

Scores are z_k = w_k'x. With P = 1 for a pair that has not met, weight h of the row, y its class and b the wrong classes
of highest score, one after the other, while the margin m = z_y - z_b is below 1:

    P_jy += h x_j^2 / r,    P_jb += h x_j^2 / r,    v = sum_j x_j^2 (1/P_jy + 1/P_jb)
    c = (1 - m) / (v + r/h),    w_jy += c x_j / P_jy,    w_jb -= c x_j / P_jb

Against all classes at once the paper's step has no closed form; one rival after the other is Crammer's and Singer's way
for multi-class margins. A row touches at most four classes: learning it is O(s), predicting it O(s) times the classes
that its features have met.

With a forgetting rate d, P - 1 is first multiplied by 1 - d for every row learned since the feature last occurred: the
precisions of what a stream has left fade, and steps become longer again.

Weights and precisions are float32, all arithmetic is float64. In a precision that large, steps are 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data import axes, merging
from sonlearn.data.axes import BY_FEATURE, Scalars
from sonlearn.data.linear_algebra import clear_first, find_largest, plus_dot, product
from sonlearn.data.rows import SQUARES, entries, is_learned
from sonlearn.jit import fetch, inline, jit
from sonlearn.learn.pairs import LARGE_TABLE, Pairs, add_weights, has_room, place_for, place_of, scale_pairs
from sonlearn.learn.tables import PAIRS, PairsEngine, faded, new_pairs, side_by_side, table_of

#: Wrong classes that a row is learned against, at most.
MAX_RIVALS = 3
#: Columns of a pair's numbers: its weight, and its precision less 1, so that 0 is what a new pair has.
W, P = range(2)
#: Precisions end here, where float32 still has numbers.
MAX_PRECISION = 1e30


class ArowState(NamedTuple):
    """All that has been learned."""

    pairs: Annotated[Pairs, PAIRS]
    # int64[features, 1]; rows learned when the feature last occurred; without a column if nothing is forgotten
    since: Annotated[np.ndarray, BY_FEATURE]
    # structured [1]: classes, how many the rows learned have shown; rows learned; features seen
    now: Annotated[np.ndarray, Scalars("rows", totals=("rows",))]


class ArowScratch(NamedTuple):
    """One row under way."""

    values: np.ndarray  # float64[longest row]
    along: np.ndarray  # float64[2, longest row]; the values over the precisions
    rivals: np.ndarray  # int64[MAX_RIVALS]
    at: np.ndarray  # int64[2, longest row]; where the pairs of two classes are in the pool


def _new_work(row: int, classes: int) -> ArowScratch:
    return ArowScratch(np.zeros(row), np.zeros((2, row)), np.zeros(MAX_RIVALS, np.int64), np.zeros((2, row), np.int64))


class Arow(PairsEngine):
    """Member of several classes (see `sonlearn.learn.multiclass`).

    Parameters
    ----------
    r : float
        How much a row's label is doubted.
    unit : bool
        Whether rows are divided by their 2-norm.
    decay : float
        The share of the precisions that each row learned discounts.
    """

    most_met = MAX_RIVALS + 1

    def __init__(self, r: float = 1.0, unit: bool = False, decay: float = 0.0):
        super().__init__(predict_and_learn, (r, unit, decay), _new_work, decay)

    def new(self, classes: int = 0) -> ArowState:
        """State that has seen nothing."""
        now = np.zeros(1, dtype=[("classes", "i8"), ("rows", "i8"), ("seen", "i8")])
        return ArowState(new_pairs(2), np.zeros((0, 1 if self._decay > 0.0 else 0), np.int64), now)

    def up_to_date(self, state: ArowState) -> ArowState:
        """See `Engine.up_to_date`."""
        if self._decay > 0.0:
            pairs = faded(state.pairs, P, self.retention ** (state.now["rows"] - state.since[:, 0]))
            state = state._replace(pairs=pairs, since=np.full_like(state.since, state.now["rows"][0]))
        return state

    def merge(self, states: Sequence[ArowState], base: ArowState, rows: Sequence[int]) -> ArowState:
        """Precisions added up, weights moved by the precision gained (see `Engine.merge`)."""
        own, by = axes.rows_learned(states, base), self.shares(states, base)
        feature, classes, (start, *columns) = side_by_side([each.pairs for each in (base, *states)])
        sums = [each[:, P] for each in columns]
        gains = merging.added(start[:, P], sums, own, self.retention, by)
        w = merging.moved(start[:, W], [each[:, W] for each in columns], gains)
        values = np.column_stack([w, np.clip(merging.summed(start[:, P], sums, by), 0.0, MAX_PRECISION)])
        now = super().merge(states, base, rows).now
        return ArowState(table_of(feature, classes, values), np.full_like(base.since, now["rows"][0]), now)


@jit
def predict_and_learn(r, unit, decay, state, work, rows, out, start, learns):
    """Predict rows from `start` on and, where it `learns`, learn them; returns where there is no room for pairs, or n.

    Parameters
    ----------
    r : float; unit : bool; decay : float
    state : ArowState, modified where it `learns`; work : ArowScratch, overwritten
    rows : Rows, labels slots; out : float64[n, K], filled in up to the classes shown before each row
    """
    pairs, now = state.pairs, state.now
    for i in range(start, len(rows.y)):
        learned = learns and is_learned(rows.weight[i], rows.y[i])
        if learned and not has_room(pairs, rows, i, MAX_RIVALS + 1, out.shape[1]):
            return i
        z, classes = out[i], now[0]["classes"]
        scale = scale_of(unit, rows, i)
        clear_first(z, classes)
        add_weights(pairs, rows, i, scale, classes, z)  # of features without a block nothing
        if not learned:
            continue
        y = int(rows.y[i])
        now[0]["classes"] = max(classes, y + 1)
        now[0]["rows"] += 1
        if decay > 0.0:
            forget(decay, state, rows, i)
        shown = z[y] if y < classes else 0.0
        for place in range(find_largest(z, classes, y, work.rivals)):
            b = work.rivals[place]
            if not shown - z[b] < 1.0:
                break
            shown += step(r, pairs, rows, i, scale, shown - z[b], y, b, len(z), work)
    return len(rows.y)


@inline
def forget(decay, state, rows, i):
    """Discount the precisions of row i's features for the rows learned since these last occurred; modifies `state`."""
    learned = state.now[0]["rows"]
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f = rows.features[at]
        scale_pairs(state.pairs, f, P, (1.0 - decay) ** (learned - state.since[f, 0]))
        state.since[f, 0] = learned


@inline
def scale_of(unit, rows, i):
    """Return what the values of row i are multiplied with."""
    if not unit:
        return 1.0
    _, values = entries(rows, i)
    total = plus_dot(rows.unseen[i, SQUARES], values, values, len(values))
    return 1.0 / math.sqrt(total) if total > 0.0 else 0.0


@inline
def step(r, pairs, rows, i, scale, m, y, b, classes, work):
    """Learn row i of class y against class b, at the margin m; there are so many `classes`.

    Returns by how much the score of the first grows. Quotients have a loop of their own over contiguous memory, so that
    the compiler vectorises it.
    """
    begin, n, h, along, place = rows.indptr[i], rows.indptr[i + 1] - rows.indptr[i], rows.weight[i], work.along, work.at
    weights, precisions = pairs.values[W], pairs.values[P]
    large = len(weights) > LARGE_TABLE
    for e in range(n):
        f = rows.features[begin + e]
        place_for(pairs, f, y, classes)
        other = place_for(pairs, f, b, classes)
        own, block = place_of(pairs, f, y), pairs.blocks[f]["begin"]
        place[0, e], place[1, e] = block + own, block + other
        work.values[e] = rows.values[begin + e] * scale
        if large:
            fetch(precisions, place[0, e], 1)
            fetch(precisions, place[1, e], 1)
    for e in range(n):
        x = work.values[e]
        for which in range(2):
            at = place[which, e]
            precisions[at] = min(precisions[at] + h * x * x / r, MAX_PRECISION)
            along[which, e] = 1.0 + precisions[at]
    for which in range(2):
        for e in range(n):
            along[which, e] = work.values[e] / along[which, e]
    own, other = product(work.values, along[0], n), product(work.values, along[1], n)
    c = (1.0 - m) / (own + other + r / h)
    for e in range(n):
        weights[place[0, e]] += c * along[0, e]
        weights[place[1, e]] -= c * along[1, e]
    return c * own
