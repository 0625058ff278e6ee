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
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.arrays import grown
from sonlearn.data.rows import Rows
from sonlearn.jit import bare_inline, bare_jit
from sonlearn.learn.multiclass.pairs import (
    Pairs,
    add_pair,
    bytes_of,
    count_places,
    more_room,
    new_pairs,
    packed_pairs,
    place_of,
    places_needed,
    reserve_pairs,
    scale_pairs,
    weights_of,
)

#: Wrong classes that a row is learned against, at most.
RIVALS = 3
#: Columns of a pair's numbers: its weight, and its precision less 1, so that 0 is what a new pair has.
W, P = range(2)
#: Precisions end here, where float32 still has numbers.
MOST = 1e30


class ArowState(NamedTuple):
    """All that has been learned."""

    pairs: Pairs
    since: np.ndarray  # int64[features]; rows learned when the feature last occurred; length 0 if nothing is forgotten
    now: np.ndarray  # structured [1]: classes, how many the rows learned have shown; rows learned; features


class Arow:
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

    def __init__(self, r: float = 1.0, unit: bool = False, decay: float = 0.0):
        self._r, self._unit, self._decay = r, unit, decay
        self._work, self._rivals = np.zeros(0, np.int64), np.zeros(RIVALS, np.int64)

    def new(self) -> ArowState:
        """State that has seen nothing."""
        now = np.zeros(1, dtype=[("classes", "i8"), ("rows", "i8"), ("features", "i8")])
        return ArowState(new_pairs(2), np.zeros(0, np.int64), now)

    def reserve(self, state: ArowState, rows: Rows, features: int) -> ArowState:
        """Room for features; for pairs it is made on the way."""
        used = int(state.now["features"][0])
        state.now["features"] = max(features, used) if self._decay > 0.0 else 0
        since = grown(state.since, features, used) if self._decay > 0.0 else state.since
        return state._replace(pairs=reserve_pairs(state.pairs, features), since=since)

    def learn(self, state: ArowState, rows: Rows, out: np.ndarray, start: int) -> tuple[ArowState, int]:
        """Predict and learn rows from `start` on; no row is refused."""
        at, longest = start, int(np.diff(rows.indptr).max(initial=0))
        if len(self._work) < longest:
            self._work = np.zeros(2 * longest, np.int64)
        while at < len(rows.y):
            at = learn(self._r, self._unit, self._decay, state, self._work, self._rivals, rows, out, at)
            if at < len(rows.y):
                state = state._replace(pairs=more_room(state.pairs, count_places(state.pairs, rows, at, RIVALS + 1)))
        return state, at

    def predict(self, state: ArowState, rows: Rows, out: np.ndarray) -> int:
        """Predict and change nothing."""
        predict(self._unit, state.pairs, int(state.now["classes"][0]), rows, out)
        return len(rows.y)

    def weights(self, state: ArowState, features: int, k: int) -> np.ndarray:
        """float64[features]: the weights of class k."""
        return weights_of(state.pairs, features, k)

    def packed(self, state: ArowState) -> ArowState:
        """`state` without spare room."""
        return state._replace(pairs=packed_pairs(state.pairs), since=state.since[: state.now["features"][0]])

    def facts(self, state: ArowState) -> dict[str, Any]:
        """pairs: of features and classes that met; bytes that they take."""
        return {"pairs": int(state.pairs.size.sum()), "bytes": bytes_of(state.pairs) + state.since.nbytes}


@bare_jit
def learn(r, unit, decay, state, places, rivals, rows, out, start):
    """Predict and learn rows from `start` on, until there is no room for pairs; returns where that is, or n.

    Parameters
    ----------
    r : float; unit : bool; decay : float
    state : ArowState, modified
    places : int64[longest row], rivals : int64[RIVALS], scratch
    rows : Rows, labels slots; out : float64[n, K], filled in up to the classes shown before each row
    """
    pairs, now = state.pairs, state.now
    for i in range(start, len(rows.y)):
        learned = rows.weight[i] > 0.0 and rows.y[i] == rows.y[i]
        if learned:
            room = len(pairs.classes) - pairs.now[0]["used"]
            if room < places_needed(pairs, rows, i, RIVALS + 1):
                return i
        z, classes = out[i], now[0]["classes"]
        scale = scale_of(unit, rows, i)
        score(pairs, rows, i, scale, classes, z)
        if not learned:
            continue
        y = int(rows.y[i])
        now[0]["classes"] = max(classes, y + 1)
        now[0]["rows"] += 1
        if decay > 0.0:
            forget(decay, state, rows, i)
        shown = z[y] if y < classes else 0.0
        found = find_rivals(z, classes, y, rivals)
        for place in range(found):
            b = rivals[place]
            if not shown - z[b] < 1.0:
                break
            shown += step(r, pairs, rows, i, scale, y, b, shown - z[b], places)
    return len(rows.y)


@bare_inline
def forget(decay, state, rows, i):
    """Discount the precisions of row i's features for the rows learned since these last occurred; modifies `state`."""
    learned = state.now[0]["rows"]
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f = rows.features[at]
        scale_pairs(state.pairs, f, P, (1.0 - decay) ** (learned - state.since[f]))
        state.since[f] = learned


@bare_jit
def predict(unit, pairs, classes, rows, out):
    """out[i, :classes] <- scores of row i; features without a block say nothing. `out` is float64[n, K], filled in."""
    for i in range(len(rows.y)):
        score(pairs, rows, i, scale_of(unit, rows, i), classes, out[i])


@bare_inline
def scale_of(unit, rows, i):
    """What the values of row i are multiplied with."""
    if not unit:
        return 1.0
    total = 0.0
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        total += rows.values[at] * rows.values[at]
    return 1.0 / math.sqrt(total) if total > 0.0 else 0.0


@bare_inline
def score(pairs, rows, i, scale, classes, z):
    """z[:classes] <- w_k'x."""
    for k in range(classes):
        z[k] = 0.0
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at] * scale
        if f >= len(pairs.begin):
            continue
        begin = pairs.begin[f]
        for e in range(begin, begin + pairs.size[f]):
            z[pairs.classes[e]] += x * pairs.values[e, W]


@bare_inline
def find_rivals(z, classes, y, rivals):
    """rivals <- the classes of highest score but y, highest first, of equal ones the first; returns how many."""
    size, most = 0, len(rivals)
    for k in range(classes):
        if k == y or (size == most and not z[k] > z[rivals[most - 1]]):
            continue
        at = min(size, most - 1)
        while at > 0 and z[rivals[at - 1]] < z[k]:
            rivals[at] = rivals[at - 1]
            at -= 1
        rivals[at] = k
        size = min(size + 1, most)
    return size


@bare_inline
def step(r, pairs, rows, i, scale, y, b, m, places):
    """Learn row i of class y against class b, at the margin m; returns by how much the score of y grows."""
    begin, end, h = rows.indptr[i], rows.indptr[i + 1], rows.weight[i]
    own, other = 0.0, 0.0
    for at in range(begin, end):
        f, x = rows.features[at], rows.values[at] * scale
        for side in range(2):
            k = y if side == 0 else b
            place = place_of(pairs, f, k)
            if place < 0:
                place = add_pair(pairs, f, k)
            if side == 0:
                places[at - begin] = place
            at_pair = pairs.begin[f] + place
            grown = min(pairs.values[at_pair, P] + h * x * x / r, MOST)
            pairs.values[at_pair, P] = grown
            inverse = x * x / (1.0 + pairs.values[at_pair, P])
            if side == 0:
                own += inverse
            else:
                other += inverse
    c = (1.0 - m) / (own + other + r / h)
    for at in range(begin, end):
        f, x = rows.features[at], rows.values[at] * scale
        at_own, at_other = pairs.begin[f] + places[at - begin], pairs.begin[f] + place_of(pairs, f, b)
        pairs.values[at_own, W] += c * x / (1.0 + pairs.values[at_own, P])
        pairs.values[at_other, W] -= c * x / (1.0 + pairs.values[at_other, P])
    return c * own
