"""Naive Bayes of several classes [NB]: multinomial, of amounts; half of a class's own words, half of all others'.

With C_jk the sum of |x_j| over the rows of class k, C_j, C_k and C those over all classes, all features and both, N_k
the rows (by weight) and D the features that occurred, a row of s features that have been counted (others tell nothing)
has two scores of class k:

    own      ln(N_k + 1) + sum_j |x_j| ln((max(C_jk - DISCOUNT, 0) + M_k q_j/Q) / (C_k + DISCOUNT))
    others   -sum_j |x_j| ln((q_j - C_jk) / (Q - C_k))
    where    q_j = C_j + PRIOR,  Q = C + PRIOR D,  M_k = max(sum_j min(C_jk, DISCOUNT), DISCOUNT)

*Own* takes a part of what has been counted from each pair and gives it to all features as often as they occur in all
classes (absolute discounting; Ney, Essen, Kneser: On Structuring Probabilistic Dependences in Stochastic Language
Modelling, Computer Speech and Language 1994). *Others* says how badly the row goes with all other classes together,
of which more is known than of one (complement naive Bayes; Rennie, Shih, Teevan, Karger: Tackling the Poor Assumptions
of Naive Bayes Text Classifiers, ICML 2003). The score is the mean of both, over sqrt(s): the root makes of sums over
words that do not come by themselves, as the model would have it, scores of the size of other members' scores.

What is the same for all classes is left out, so a pair that has not met costs nothing, and each other one logarithm:

    score = (ln(N_k + 1) + sum_j |x_j| ln(M_k (Q - C_k)/(C_k + DISCOUNT))
             + sum_j |x_j| ln((q_j + max(C_jk - DISCOUNT, 0) Q/M_k) / (q_j - C_jk))) / (2 sqrt(s))

With a forgetting rate d, all counts are multiplied by 1 - d before a row is counted. Those of pairs and
features stand as they were when the feature last occurred, and are discounted when they are read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.axes import BY_CLASS, BY_FEATURE, Scalars, summed
from sonlearn.data.linear_algebra import add_scaled
from sonlearn.data.rows import is_learned
from sonlearn.jit import inline, jit
from sonlearn.learn.pairs import DISTANCE, LARGE_TABLE, Pairs, fetch_block, has_room, place_for, scale_pairs
from sonlearn.learn.tables import PAIRS, PairsEngine, faded, new_pairs, side_by_side, table_of
from sonlearn.views.codes import log_of_next, logarithms

#: Counts end here, where float32 still counts by ones; less than MIN_COUNT is none.
MAX_COUNT, MIN_COUNT = 16_000_000.0, 1e-30
#: What is taken from the count of a pair, of words that are mostly alone in a row, and counted as ln 2: nearly all of
#: the first. And what every feature is counted beforehand. Over 17 sets and 39 others .5 to .8 and .15 to 1 differ by
#: less than 1 % of the committee's errors.
DISCOUNT, PRIOR = 0.65, 0.15


class BayesCounts(NamedTuple):
    """All that has been counted."""

    pairs: Annotated[Pairs, PAIRS]
    rows: Annotated[np.ndarray, BY_CLASS, summed]  # float64[classes]; weight of the rows of each
    amounts: Annotated[np.ndarray, BY_CLASS, summed]  # float64[classes]; C_k
    taken: Annotated[np.ndarray, BY_CLASS]  # float64[classes]; of each class the sum of min(C_jk, DISCOUNT)
    totals: Annotated[np.ndarray, BY_FEATURE]  # float64[features]; C_j
    # int64[features, 1]; rows learned when the feature last occurred; without a column if nothing is forgotten
    since: Annotated[np.ndarray, BY_FEATURE]
    # structured [1]: classes, how many there are; counted, features that have occurred; rows learned; features seen;
    # amount, C
    now: Annotated[np.ndarray, Scalars("rows", totals=("rows",))]


class Bayes(PairsEngine):
    """Member of several classes (see `sonlearn.learn.multiclass`); `decay` is the share that each row discounts."""

    counts = True
    most_met = 1

    def __init__(self, decay: float = 0.0):
        super().__init__(predict_and_learn, (decay,), lambda longest, classes: np.zeros((3, classes)), decay)

    def new(self, classes: int = 0) -> BayesCounts:
        """State that has seen nothing."""
        names = ("classes", "counted", "rows", "seen")
        now = np.zeros(1, dtype=[*((name, "i8") for name in names), ("amount", "f8")])
        return BayesCounts(
            new_pairs(1), *(np.zeros(0) for _ in range(4)), np.zeros((0, 1 if self._decay > 0.0 else 0), np.int64), now
        )

    def up_to_date(self, state: BayesCounts) -> BayesCounts:
        """See `Engine.up_to_date`."""
        if self._decay > 0.0:
            left = self.retention ** (state.now["rows"] - state.since[:, 0])
            since = np.full_like(state.since, state.now["rows"][0])
            state = state._replace(pairs=faded(state.pairs, 0, left), totals=left * state.totals, since=since)
        return state

    def merge(self, states: Sequence[BayesCounts], base: BayesCounts, rows: Sequence[int]) -> BayesCounts:
        """The counts of one run over all rows (see `Engine.merge`)."""
        merged = super().merge(states, base, rows)
        now, amounts = merged.now, np.minimum(merged.amounts, MAX_COUNT * MAX_COUNT)
        feature, classes, (start, *columns) = side_by_side([each.pairs for each in (base, *states)])
        counts = np.clip(merging.summed(start, columns, self.shares(states, base)), 0.0, MAX_COUNT)
        now["counted"], now["amount"] = len(np.unique(feature)), amounts.sum()
        taken = np.bincount(classes, np.minimum(counts[:, 0], DISCOUNT), len(amounts))
        totals = np.bincount(feature, counts[:, 0], int(now["seen"][0]))
        return merged._replace(
            pairs=table_of(feature, classes, counts), amounts=amounts,
            taken=taken.astype(np.float64), totals=totals.astype(np.float64),  # of no pair NumPy gives whole numbers
            since=np.full_like(base.since, now["rows"][0]),
        )  # fmt: skip


@jit
def predict_and_learn(decay, state, work, rows, out, start, learns):
    """Predict rows from `start` on and, where it `learns`, count them; returns where there is no room for pairs, or n.

    Parameters
    ----------
    decay : float; state : BayesCounts, modified where it `learns`; work : float64[3, K], see `score`
    rows : Rows, labels slots
    out : float64[n, K], filled in up to the classes shown before each row
    """
    pairs, now, counts, totals = state.pairs, state.now, state.pairs.values[0], state.totals
    for i in range(start, len(rows.y)):
        learned = learns and is_learned(rows.weight[i], rows.y[i])
        if learned and not has_room(pairs, rows, i, 1, out.shape[1]):
            return i
        score(decay, state, work, rows, i, out[i])
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
            if amount < MIN_COUNT:
                continue
            block = pairs.blocks[f]
            now[0]["counted"] += 1 if block["size"] == 0 and block["capacity"] == 0 else 0
            place = place_for(pairs, f, y, out.shape[1])
            at_pair = block["begin"] + place
            before = float(counts[at_pair])
            counts[at_pair] = min(before + amount, MAX_COUNT)
            state.taken[y] += max(min(before + amount, DISCOUNT) - before, 0.0)
            state.amounts[y] = min(state.amounts[y] + amount, MAX_COUNT * MAX_COUNT)
            totals[f] = min(totals[f] + amount, MAX_COUNT * MAX_COUNT)
            now[0]["amount"] = min(now[0]["amount"] + amount, MAX_COUNT * MAX_COUNT)
    return len(rows.y)


@inline
def forget(decay, state, rows, i):
    """Discount all counts of classes, and those of row i's features for the rows learned since they occurred.

    decay : float; state : BayesCounts, modified; rows : Rows, not modified; i : int
    """
    learned = state.now[0]["rows"]
    for k in range(state.now[0]["classes"]):
        state.rows[k] *= 1.0 - decay
        state.amounts[k] *= 1.0 - decay
        state.taken[k] *= 1.0 - decay
    state.now[0]["amount"] *= 1.0 - decay
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f = rows.features[at]
        left = (1.0 - decay) ** (learned - state.since[f, 0])
        scale_pairs(state.pairs, f, 0, left)
        state.totals[f] *= left
        state.since[f, 0] = learned


@inline
def score(decay, state, work, rows, i, z):
    """z[:classes] <- what each class scores. Logarithms of many numbers at a time: they are most of the time.

    Of each class work[0] <- Q/M_k; work[1] <- what it scores for an amount of 1, but for the words themselves.
    """
    pairs, classes, by, first, ratio = state.pairs, state.now[0]["classes"], work[0], work[1], work[2]
    whole = state.now[0]["amount"] + PRIOR * state.now[0]["counted"]
    size, amount = 0, 0.0
    for k in range(classes):
        given = max(state.taken[k], DISCOUNT)
        by[k] = whole / given
        first[k] = given * max(whole - state.amounts[k], PRIOR) / (state.amounts[k] + DISCOUNT)
        z[k] = 0.0
    logarithms(first, classes)
    counts, end = pairs.values[0], rows.indptr[i + 1]
    large = len(counts) > LARGE_TABLE
    for at in range(rows.indptr[i], end):
        if large:
            fetch_block(pairs, rows, at + DISTANCE, end)
        f, x = rows.features[at], abs(rows.values[at])
        if f >= len(pairs.blocks):
            continue
        if x == 0.0 or state.totals[f] == 0.0:
            continue
        size += 1
        amount += x
        left = (1.0 - decay) ** (state.now[0]["rows"] - state.since[f, 0]) if decay > 0.0 else 1.0
        block, q = pairs.blocks[f], left * state.totals[f] + PRIOR
        begin, size_of_list = block["begin"], block["size"]
        dense = min(block["capacity"], classes)
        for k in range(dense):
            ratio[k] = ratio_of(left * counts[begin + k], q, by[k])
        for e in range(size_of_list):
            ratio[e] = ratio_of(left * counts[begin + e], q, by[pairs.classes[begin + e]])
        logarithms(ratio, max(dense, size_of_list))
        add_scaled(z, x, ratio, dense)
        for e in range(size_of_list):
            z[pairs.classes[begin + e]] += x * ratio[e]
    root = 0.5 / math.sqrt(max(size, 1))
    for k in range(classes):
        z[k] = root * (log_of_next(state.rows[k]) + amount * first[k] + z[k])


@inline(force=True)
def ratio_of(c, q, by):
    """(q + max(c - DISCOUNT, 0) by) / (q - c); 1 for c = 0."""
    return (q + max(c - DISCOUNT, 0.0) * by) / max(q - c, PRIOR)
