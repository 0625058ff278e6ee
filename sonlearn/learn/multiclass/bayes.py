"""Naive Bayes of several classes [NB]: multinomial, of amounts, smoothed by the features that have been seen.

With C_jk the sum of |x_j| over the rows of class k, C_k the sum of those over all features, N_k the rows (by weight)
and D the features that occurred, a class scores, of a row of s entries,

    (ln(N_k + 1) + sum_j |x_j| (ln(1 + C_jk) - ln(C_k + D))) / sqrt(s)

The root makes of sums over words that do not come by themselves, as the model would have it, scores of the size of
other members' scores. A pair that has not met costs nothing: its logarithm is 0.

With a forgetting rate d, all counts are multiplied by 1 - d before a row is counted. Those of pairs stand as they were
when their feature last occurred, and are discounted when they are read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.arrays import grown
from sonlearn.data.rows import Rows
from sonlearn.jit import bare_inline, bare_jit
from sonlearn.learn.multiclass.merging import faded, renumbered_pairs, side_by_side, table_of
from sonlearn.learn.multiclass.pairs import (
    DISTANCE,
    LARGE_TABLE,
    Pairs,
    add_pair,
    bytes_of,
    count_pairs,
    count_places,
    fetch_block,
    has_room,
    more_room,
    new_pairs,
    packed_pairs,
    place_of,
    reserve_pairs,
    scale_pairs,
)
from sonlearn.views.codes import log_of_next

#: Counts end here, where float32 still counts by ones; less than LEAST is none.
MOST, LEAST = 16_000_000.0, 1e-30


class BayesCounts(NamedTuple):
    """All that has been counted."""

    pairs: Pairs
    rows: np.ndarray  # float64[classes]; weight of the rows of each
    amounts: np.ndarray  # float64[classes]; sum of |x_j| of those
    since: np.ndarray  # int64[features]; rows learned when the feature last occurred; length 0 if nothing is forgotten
    now: np.ndarray  # structured [1]: classes, how many there are; features that have occurred; rows learned; numbers


class Bayes:
    """Member of several classes (see `sonlearn.learn.multiclass`); `decay` is the share that each row discounts."""

    #: Whether rows that have been learned from before are learned again: counts would count them twice.
    repeats = False

    def __init__(self, decay: float = 0.0):
        self._decay = decay

    def new(self) -> BayesCounts:
        """State that has seen nothing."""
        now = np.zeros(1, dtype=[("classes", "i8"), ("features", "i8"), ("rows", "i8"), ("numbers", "i8")])
        return BayesCounts(new_pairs(1), np.zeros(0), np.zeros(0), np.zeros(0, np.int64), now)

    def reserve(self, state: BayesCounts, rows: Rows, features: int) -> BayesCounts:
        """Room for features, and for the classes of `rows`."""
        classes = int(state.now["classes"][0])
        most = max(classes, 1 + int(np.nanmax(rows.y, initial=-1.0)))
        used = int(state.now["numbers"][0])
        state.now["numbers"] = max(features, used) if self._decay > 0.0 else 0
        return state._replace(
            pairs=reserve_pairs(state.pairs, features),
            rows=grown(state.rows, most, classes), amounts=grown(state.amounts, most, classes),
            since=grown(state.since, features, used) if self._decay > 0.0 else state.since,
        )  # fmt: skip

    def learn(self, state: BayesCounts, rows: Rows, out: np.ndarray, start: int) -> tuple[BayesCounts, int]:
        """Predict and count rows from `start` on; no row is refused."""
        at = start
        while at < len(rows.y):
            at = learn(self._decay, state, rows, out, at)
            if at < len(rows.y):
                places = count_places(state.pairs, rows, at, 1, out.shape[1])
                state = state._replace(pairs=more_room(state.pairs, places, out.shape[1]))
        return state, at

    def predict(self, state: BayesCounts, rows: Rows, out: np.ndarray) -> int:
        """Predict and change nothing."""
        predict(self._decay, state, rows, out)
        return len(rows.y)

    def packed(self, state: BayesCounts) -> BayesCounts:
        """`state` without spare room."""
        classes = state.now["classes"][0]
        return state._replace(
            pairs=packed_pairs(state.pairs), rows=state.rows[:classes], amounts=state.amounts[:classes],
            since=state.since[: state.now["numbers"][0]],
        )  # fmt: skip

    def renumbered(self, state: BayesCounts, numbers: np.ndarray, features: int, slots: np.ndarray) -> BayesCounts:
        """`state` with other numbers of features and, int64[its classes], of classes (see `Engine.renumbered`)."""
        now, known = state.now.copy(), slots[: len(state.rows)]
        pairs, since = state.pairs, state.since
        if self._decay > 0.0:
            pairs = faded(pairs, 0, (1.0 - self._decay) ** (now["rows"] - since))
            since, now["numbers"] = np.full(features, now["rows"][0]), features
        now["classes"] = K = 1 + known.max(initial=-1)
        rows, amounts = (merging.renumbered(each, known, K) for each in (state.rows, state.amounts))
        return BayesCounts(renumbered_pairs(pairs, numbers, features, slots), rows, amounts, since, now)

    def merge(self, states: Sequence[BayesCounts], base: BayesCounts, rows: Sequence[int]) -> BayesCounts:
        """The counts of one run over all rows (see `Engine.merge`)."""
        own = [int(state.now["rows"][0] - base.now["rows"][0]) for state in states]
        now, every = base.now.copy(), (base, *states)
        by = merging.shares(own, 1.0 - self._decay)
        feature, classes, (start, *columns) = side_by_side([each.pairs for each in every])
        counts = np.clip(merging.summed(start, columns, by), 0.0, MOST)
        now["classes"] = K = max(len(each.rows) for each in every)
        now["features"], now["rows"] = len(np.unique(feature)), base.now["rows"] + sum(own)
        of_rows, amounts = (
            merging.summed(arrays[0], arrays[1:], by)
            for arrays in (
                [grown(array, K)[:K] for array in each] for each in zip(*(s[1:3] for s in every), strict=True)
            )
        )
        since = np.full_like(base.since, now["rows"][0])
        pairs = table_of(feature, classes, counts, 0)
        return BayesCounts(pairs, of_rows, np.minimum(amounts, MOST * MOST), since, now)

    def facts(self, state: BayesCounts) -> dict[str, Any]:
        """pairs: of features and classes that met; bytes that they take."""
        return {"pairs": count_pairs(state.pairs), "bytes": bytes_of(state.pairs) + state.since.nbytes}


@bare_jit
def learn(decay, state, rows, out, start):
    """Predict and count rows from `start` on, until there is no room for pairs; returns where that is, or n.

    Parameters
    ----------
    decay : float; state : BayesCounts, modified; rows : Rows, labels slots
    out : float64[n, K], filled in up to the classes shown before each row
    """
    pairs, now, counts = state.pairs, state.now, state.pairs.values[0]
    for i in range(start, len(rows.y)):
        learned = rows.weight[i] > 0.0 and rows.y[i] == rows.y[i]
        if learned and not has_room(pairs, rows, i, 1, out.shape[1]):
            return i
        score(decay, state, rows, i, out[i])
        if not learned:
            continue
        y, h = int(rows.y[i]), rows.weight[i]
        now[0]["classes"] = max(now[0]["classes"], y + 1)
        now[0]["rows"] += 1
        if decay > 0.0:
            forget(decay, state, rows, i)
        state.rows[y] += h
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            f, amount = rows.features[at], h * abs(rows.values[at])
            if amount < LEAST:
                continue
            place = place_of(pairs, f, y)
            if place < 0:
                block = pairs.blocks[f]
                now[0]["features"] += 1 if block["size"] == 0 and block["capacity"] == 0 else 0
                place = add_pair(pairs, f, y, out.shape[1])
            at_pair = pairs.blocks[f]["begin"] + place
            counts[at_pair] = min(counts[at_pair] + amount, MOST)
            state.amounts[y] = min(state.amounts[y] + amount, MOST * MOST)
    return len(rows.y)


@bare_inline
def forget(decay, state, rows, i):
    """Discount all counts of classes, and those of row i's features for the rows learned since they occurred.

    decay : float; state : BayesCounts, modified; rows : Rows, not modified; i : int
    """
    learned = state.now[0]["rows"]
    for k in range(state.now[0]["classes"]):
        state.rows[k] *= 1.0 - decay
        state.amounts[k] *= 1.0 - decay
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f = rows.features[at]
        scale_pairs(state.pairs, f, 0, (1.0 - decay) ** (learned - state.since[f]))
        state.since[f] = learned


@bare_jit
def predict(decay, state, rows, out):
    """out[i, :classes] <- scores of row i; `out` is float64[n, K], filled in."""
    for i in range(len(rows.y)):
        score(decay, state, rows, i, out[i])


@bare_inline
def score(decay, state, rows, i, z):
    """z[:classes] <- what each class scores."""
    pairs, classes, features = state.pairs, state.now[0]["classes"], state.now[0]["features"]
    size, amount = 0, 0.0
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        size += 1
        amount += abs(rows.values[at])
    for k in range(classes):
        z[k] = log_of_next(state.rows[k]) - amount * math.log(max(state.amounts[k] + features, 1.0))
    counts, end = pairs.values[0], rows.indptr[i + 1]
    large = len(counts) > LARGE_TABLE
    for at in range(rows.indptr[i], end):
        if large:
            fetch_block(pairs, rows, at + DISTANCE, end)
        f, x = rows.features[at], abs(rows.values[at])
        if f >= len(pairs.blocks):
            continue
        left = (1.0 - decay) ** (state.now[0]["rows"] - state.since[f]) if decay > 0.0 else 1.0
        block = pairs.blocks[f]
        begin = block["begin"]
        for k in range(min(block["capacity"], classes)):
            if counts[begin + k] > 0.0:
                z[k] += x * log_of_next(left * counts[begin + k])
        for e in range(begin, begin + block["size"]):
            z[pairs.classes[e]] += x * log_of_next(left * counts[e])
    root = 1.0 / math.sqrt(max(size, 1))
    for k in range(classes):
        z[k] *= root
