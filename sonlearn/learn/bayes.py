"""Naive Bayes: log-odds of the classes out of counts. Nothing is fitted: each feature is judged by itself.

c+_f and c-_f are what has been counted of feature f in each class, times the importance of the rows; T+ and T- the
totals; N+ and N- the weight of the rows. Over the entries of a row whose features have been counted before,

    z = ln((N+ + 1)/(N- + 1)) + m^-q sum_f x_f (ln((c+_f + a)/(c-_f + a)) + ln(T-/T+)),   m = sum_f x_f.

Bernoulli: x_f = 1, c counts rows that have f, T = N + 2 a; what absent features say is left out. Multinomial: x_f is
the size of the value, c sums it, T = (sum of all c) + a (number of features counted). m^-q is our own: entries of a row
say the same again and again, and the sum alone would be far too sure. [NB] in `sonlearn.options.methods`.

What forgets (--decay) multiplies all counts by `keep` before it counts a row; a feature's when it is next read.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sonlearn.data.arrays import grown
from sonlearn.data.rows import Rows
from sonlearn.jit import bare_inline, bare_jit
from sonlearn.learn.engine import Engine, Predictions
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS

#: What is counted ends here, so that sums stay finite.
MOST = 1e300
_NOW = [(name, "i8") for name in ("n", "features", "seen")]
_NOW += [(name, "f8") for name in ("n_pos", "n_neg", "t_pos", "t_neg")]


class BayesState(NamedTuple):
    """What has been counted."""

    # float64[features, 2 or 3]: of the negative class, of the positive one; rows learned when that was so, if it fades
    counts: np.ndarray
    now: (
        np.ndarray
    )  # rows learned; features with room; those counted; weight of the rows of each class; what was counted of each


class BayesParams(NamedTuple):
    """The values of a method."""

    amounts: bool
    a: float
    q: float
    keep: float  # what a row learned leaves of what was counted before


class NaiveBayes(Engine):
    """Engine of bayes and multinomial-bayes."""

    def __init__(self, options: LearnOptions):
        values = METHODS[options.method].values
        self._params = BayesParams(values["amounts"], values["a"], values["q"], 1.0 - options.decay)

    def new(self) -> BayesState:
        """State of a learner that has seen nothing."""
        return BayesState(np.zeros((0, 2 + (self._params.keep < 1.0))), np.zeros(1, dtype=_NOW))

    def reserve(self, state: BayesState, rows: Rows, features: int) -> BayesState:
        """Let the counts hold what learning `rows` may bring."""
        now, used = state.now.copy(), int(state.now["features"][0])
        now["features"] = max(used, features)
        return BayesState(grown(state.counts, features, used), now)

    def learn(self, state: BayesState, rows: Rows, out: Predictions, start: int) -> tuple[BayesState, int]:
        """Learn rows from `start` on; see the seam."""
        at = judge_rows(self._params, state, rows, out.raw, start, True)
        out.prediction[start:at] = out.raw[start:at]
        return state, at

    def predict(self, state: BayesState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        at = judge_rows(self._params, state, rows, out.raw, 0, False)
        out.prediction[:] = out.raw
        return at

    def weights(self, state: BayesState, features: int) -> np.ndarray:
        """What an entry of each feature adds to the sum."""
        w = np.zeros(features)
        all_weights(self._params, state, w[: len(state.counts)])
        return w

    def packed(self, state: BayesState) -> BayesState:
        """`state` without spare room."""
        return state._replace(counts=state.counts[: state.now["features"][0]])


@bare_jit
def judge_rows(params, state, rows, raw, start, learn):
    """Fill raw[start:] with log-odds, and count the rows if they are learned from; first row not finite, or n."""
    for i in range(start, len(rows.y)):
        z = log_odds(params, state, rows, i) + rows.base[i]
        if not math.isfinite(z):
            return i
        raw[i] = z
        if learn and rows.weight[i] > 0.0 and rows.y[i] == rows.y[i]:
            count(params, state, rows, i)
    return len(rows.y)


@bare_inline
def log_odds(params, state, rows, i):
    """z of row i."""
    now, counts, a = state.now[0], state.counts, params.a
    z, m, prior = 0.0, 0.0, total_odds(params, state)
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[place], abs(rows.values[place])
        left = left_of(params, state, f, 0)
        neg, pos = counts[f, 0] * left, counts[f, 1] * left
        if x > 0.0 and neg + pos > 0.0:
            x = x if params.amounts else 1.0
            z += x * (math.log((pos + a) / (neg + a)) + prior)
            m += x
    if m > 0.0:
        z *= m**-params.q
    return z + math.log((now["n_pos"] + 1.0) / (now["n_neg"] + 1.0))


@bare_inline
def left_of(params, state, f, more):
    """What is left of the counts of feature f, `more` rows from now."""
    return params.keep ** (state.now[0]["n"] + more - state.counts[f, 2]) if params.keep < 1.0 else 1.0


@bare_inline
def total_odds(params, state):
    """ln(T-/T+); 0 while nothing has been counted."""
    now, a = state.now[0], params.a
    if not params.amounts:
        return math.log((now["n_neg"] + 2.0 * a) / (now["n_pos"] + 2.0 * a))
    if now["seen"] == 0:
        return 0.0
    return math.log((now["t_neg"] + a * now["seen"]) / (now["t_pos"] + a * now["seen"]))


@bare_inline
def count(params, state, rows, i):
    """Count row i for its class."""
    now, counts, h = state.now[0], state.counts, rows.weight[i]
    side, total = 1 if rows.y[i] > 0.0 else 0, 0.0
    if params.keep < 1.0:
        forget_past(params, state, rows, i)
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[place], abs(rows.values[place])
        more = h * x if params.amounts else (h if x > 0.0 else 0.0)
        if more > 0.0 and counts[f, 0] + counts[f, 1] == 0.0:
            now["seen"] += 1
        counts[f, side] = min(counts[f, side] + more, MOST)
        total += more
    if side == 1:
        now["n_pos"], now["t_pos"] = min(now["n_pos"] + h, MOST), min(now["t_pos"] + total, MOST)
    else:
        now["n_neg"], now["t_neg"] = min(now["n_neg"] + h, MOST), min(now["t_neg"] + total, MOST)


@bare_inline
def forget_past(params, state, rows, i):
    """The totals, and the counts of the row's features, as they are before row i is counted."""
    now, counts, keep = state.now[0], state.counts, params.keep
    now["n_pos"], now["n_neg"] = now["n_pos"] * keep, now["n_neg"] * keep
    now["t_pos"], now["t_neg"] = now["t_pos"] * keep, now["t_neg"] * keep
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        f = rows.features[place]
        left = left_of(params, state, f, 1)
        counts[f, 0], counts[f, 1], counts[f, 2] = counts[f, 0] * left, counts[f, 1] * left, now["n"] + 1.0
    now["n"] += 1


@bare_jit
def all_weights(params, state, w):
    """Fill w (float64[features])."""
    counts, a, prior = state.counts, params.a, total_odds(params, state)
    for f in range(len(w)):
        if counts[f, 0] + counts[f, 1] > 0.0:
            left = left_of(params, state, f, 0)
            w[f] = math.log((counts[f, 1] * left + a) / (counts[f, 0] * left + a)) + prior
