"""Naive Bayes: log-odds of the classes from counts. Each feature contributes independently of the others.

c+_f and c-_f are the counts of feature f in each class, weighted by the importance of the rows; T+ and T- are their
totals, N+ and N- the weights of the rows. Over the entries of a row whose features have been counted before,

    z = ln((N+ + 1)/(N- + 1)) + m^-q sum_f x_f (ln((c+_f + a)/(c-_f + a)) + ln(T-/T+)),   m = sum_f x_f.

Bernoulli: x_f = 1, c counts the rows with f, T = N + 2 a; absent features are ignored. Multinomial: x_f is the absolute
value, c sums it, T = (sum of all c) + a (number of features counted). The factor m^-q is our own: the entries of a row
are correlated, so the plain sum would be overconfident. Source: [NB] in `sonlearn.options.methods`.

Forgetting (--decay) multiplies all counts by the retention 1 - decay before a row is counted. Those of features stand
in a unit of their own, of which `left` is what one of it counts now. A third column of the counts says how often this
unit had been folded (`linear_algebra.FOLD`) when the feature was last counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data.axes import BY_FEATURE, Axis, Scalars, summed
from sonlearn.data.linear_algebra import FOLD, fold, folded
from sonlearn.data.rows import Rows, is_learned, longest_row
from sonlearn.jit import inline, jit
from sonlearn.jit.sequence import Calls
from sonlearn.learn.engine import Engine, Predictions
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS
from sonlearn.views.codes import logarithms

#: Upper bound of a count, so that sums stay finite.
MAX_COUNT = 1e300
_NOW = [("n", "i8"), ("seen", "i8"), ("counted", "i8"), ("left", "f8"), ("folds", "f8")]
#: Rows of `BayesState.sums`: weight of the rows of each class, total of its counts.
ROWS, TOTAL = range(2)


class BayesState(NamedTuple):
    """The counts.

    counts : float64[features, 2 or 3]
        Counts of the negative and the positive class; with forgetting, how often their unit had been folded.
    sums : float64[2, 2]
        Of the negative and the positive class, see `ROWS` and `TOTAL`.
    now : structured [1]
        n: rows learned; seen: features with capacity; counted: features counted; left: what a unit of `counts` counts;
        folds: how often this has been folded.
    """

    counts: Annotated[np.ndarray, BY_FEATURE, summed]
    sums: Annotated[np.ndarray, Axis(), summed]
    now: Annotated[np.ndarray, Scalars("n", totals=("n",))]


class BayesParams(NamedTuple):
    """The parameters of a method."""

    amounts: bool  # multinomial
    a: float  # smoothing
    q: float  # exponent of m
    retention: float  # factor of the counts for each row learned: 1 - decay


class NaiveBayes(Engine):
    """Engine of bayes and multinomial-bayes."""

    merges = True
    counts = True
    counts_features = True

    def __init__(self, options: LearnOptions):
        values = METHODS[options.method].values
        self.retention = 1.0 - options.decay
        self._params = BayesParams(values["amounts"], values["a"], values["q"], self.retention)

    def new(self, classes: int = 0) -> BayesState:
        """State of an untrained learner."""
        now = np.zeros(1, dtype=_NOW)
        now["left"] = 1.0
        return BayesState(np.zeros((0, 2 if self.retention == 1.0 else 3)), np.zeros((2, 2)), now)

    def calls(self, state: BayesState, rows: Rows, out: Predictions, start: int = 0, learns: bool = True) -> Calls:
        """See `Engine.calls`."""
        scratch = np.zeros((2, longest_row(rows)))
        return [(score_rows, (self._params, state, scratch, rows, out.raw, start, learns))]

    def weights(self, state: BayesState, features: int, number: int | None = None) -> np.ndarray:
        """float64[features]: the term of each feature in the sum, for x_f = 1."""
        state = self.up_to_date(state)
        w, counts, a = np.zeros(features), state.counts, self._params.a
        known = np.flatnonzero(counts[:, 0] + counts[:, 1] > 0.0)
        odds = np.log((counts[known, 1] + a) / (counts[known, 0] + a))
        w[known] = odds + total_odds(self._params, state)
        return w

    def up_to_date(self, state: BayesState) -> BayesState:
        """See `Engine.up_to_date`."""
        if self.retention < 1.0:
            now = state.now.copy()
            counts = state.counts * now["left"] * FOLD ** (state.counts[:, 2:] - now["folds"])
            counts[:, 2], now["left"], now["folds"] = 0.0, 1.0, 0.0
            state = state._replace(counts=counts, now=now)
        return state

    def merge(self, states: Sequence[BayesState], base: BayesState, rows: Sequence[int]) -> BayesState:
        """The counts of one run over all rows (see `Engine.merge`)."""
        state = super().merge(states, base, rows)
        state.now["counted"] = np.count_nonzero(state.counts[:, 0] + state.counts[:, 1])
        return state


@jit
def score_rows(params, state, work, rows, raw, start, learn):
    """raw[i, 0] <- log-odds of row i, from row `start` on; returns the first row whose log-odds are not finite, or n.

    With `learn`, rows with a label and a weight are then counted: state is modified. rows : Rows, not modified
    raw : float64[n, 1], filled in; work : float64[2, longest row], see `log_odds`
    """
    for i in range(start, len(rows.y)):
        z = log_odds(params, state, work, rows, i) + rows.base[i]
        if not math.isfinite(z):
            return i
        raw[i, 0] = z
        if learn and is_learned(rows.weight[i], rows.y[i]):
            count(params, state, rows, i)
    return len(rows.y)


@inline
def log_odds(params, state, work, rows, i):
    """z of row i. Modifies nothing but `work`.

    work[0] <- the logarithm of the ratio of the counts of each entry; work[1] <- |x|, 0 of a feature not counted yet
    """
    now, counts, odds, amounts, begin = state.now[0], state.counts, work[0], work[1], rows.indptr[i]
    n, z, m, prior = rows.indptr[i + 1] - begin, 0.0, 0.0, total_odds(params, state)
    for k in range(n):
        f = rows.features[begin + k]
        neg, pos = counts[f, 0], counts[f, 1]
        if params.retention < 1.0:
            by = folded(now["folds"], counts[f, 2])
            neg, pos = by * neg, by * pos
        odds[k] = (pos * now["left"] + params.a) / (neg * now["left"] + params.a)
        amounts[k] = 0.0 if neg + pos == 0.0 else abs(rows.values[begin + k])
    logarithms(odds, n)
    for k in range(n):
        x = amounts[k]
        if x > 0.0:
            x = x if params.amounts else 1.0
            z += x * (odds[k] + prior)
            m += x
    if m > 0.0:
        z *= m**-params.q
    return z + math.log((state.sums[ROWS, 1] + 1.0) / (state.sums[ROWS, 0] + 1.0))


@inline
def total_odds(params, state):
    """ln(T-/T+); 0 while nothing has been counted."""
    counted = state.now[0]["counted"]
    if params.amounts and counted == 0:
        return 0.0
    neg, pos = state.sums[TOTAL if params.amounts else ROWS]
    more = params.a * (counted if params.amounts else 2.0)
    return math.log((neg + more) / (pos + more))


@inline
def count(params, state, rows, i):
    """Add row i to the counts of its class: modifies state."""
    now, counts, sums = state.now[0], state.counts, state.sums
    now["n"] += 1
    now["left"], now["folds"] = fold(now["left"] * params.retention, now["folds"])
    own, total = 1 if rows.y[i] > 0.0 else 0, 0.0
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[place], abs(rows.values[place])
        more = rows.weight[i] * (x if params.amounts else 1.0 if x > 0.0 else 0.0)
        if params.retention < 1.0:
            by = folded(now["folds"], counts[f, 2])
            counts[f, 0], counts[f, 1], counts[f, 2] = by * counts[f, 0], by * counts[f, 1], now["folds"]
        if more > 0.0 and counts[f, 0] + counts[f, 1] == 0.0:
            now["counted"] += 1
        counts[f, own] = min(counts[f, own] + more / now["left"], MAX_COUNT)
        total += more
    for of in range(2):
        for k in range(2):
            sums[of, k] *= params.retention
    sums[ROWS, own] = min(sums[ROWS, own] + rows.weight[i], MAX_COUNT)
    sums[TOTAL, own] = min(sums[TOTAL, own] + total, MAX_COUNT)
