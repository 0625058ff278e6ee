"""Exponentially weighted means of the labels: learners without features.

With r = 1 - decay, after a row of label y and importance h

    n <- r n + h,    m <- m + h (y - m)/n

so that m is the mean of the labels with weights h r^age [EWMA], of all of them alike where decay is 0. Of values it is
the prediction. Of two classes y is 1 or 0, m kept within [MIN_SHARE, 1 - MIN_SHARE], and the prediction its log-odds.
Of several classes there is a mean for each, of y = 1 in the rows of the class and 0 in others: its share of the rows.
The class scores the logarithm of that, no less than ln(MIN_SHARE). Before any label predictions are 0.

On a stream whose neighbouring labels are alike no feature tells more; a committee learns how much that is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data import axes, merging
from sonlearn.data.axes import BY_CLASS, Scalars, summed
from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import inline, jit
from sonlearn.jit.sequence import Calls
from sonlearn.learn.engine import Engine, Predictions
from sonlearn.learn.tolerances import LIMIT
from sonlearn.options import LearnOptions

#: A share of a class is not taken to be less, nor that of one of two classes to be more than 1 less this.
MIN_SHARE = 0.01
#: What is predicted: the mean, its log-odds, or of each class the logarithm of its share.
MEAN, ODDS, SHARES = range(3)
NOW = [("n", "f8"), ("classes", "i8")]


class LabelMeanState(NamedTuple):
    """What has been learned."""

    means: Annotated[np.ndarray, BY_CLASS]  # float64[classes]; 1 but for several classes
    # structured [1]: weight of the labels, what is left of it; how many means there are
    now: Annotated[np.ndarray, Scalars(sums=("n",))]


class LabelMean(Engine):
    """Engine of ewma (see `sonlearn.learn.engine.Engine` for the verbs)."""

    merges = True
    counts = True

    def __init__(self, options: LearnOptions):
        self._kind = MEAN if options.loss == "squared" else ODDS
        self.retention = 1.0 - options.decay

    def new(self, classes: int = 0) -> LabelMeanState:
        """State of a learner that has learned nothing."""
        now = np.zeros(1, dtype=NOW)
        now["classes"] = self._kind != SHARES
        return LabelMeanState(np.zeros(now["classes"][0]), now)

    def calls(self, state: LabelMeanState, rows: Rows, out: Predictions, start: int = 0, learns: bool = True) -> Calls:
        """See `Engine.calls`."""
        return [(predict_and_learn, (self._kind, self.retention, state, rows, start, learns, out.raw))]

    def merge(self, states: Sequence[LabelMeanState], base: LabelMeanState, rows: Sequence[int]) -> LabelMeanState:
        """The means of one run over all rows (see `Engine.merge`)."""
        by = merging.shares(rows, self.retention)
        now = axes.merged(states, base, by).now
        total = summed(base.now["n"] * base.means, [each.now["n"] * each.means for each in states], by)
        return LabelMeanState(np.divide(total, now["n"], out=np.zeros(len(total)), where=now["n"] > 0.0), now)

    def facts(self, state: LabelMeanState) -> dict[str, Any]:
        """mean: of the labels, of two classes the share of +1. Of several classes the bytes that it takes."""
        return {"bytes": state.means.nbytes} if self._kind == SHARES else {"mean": float(state.means[0])}


class Shares(LabelMean):
    """Member of several classes (see `sonlearn.learn.multiclass`): how frequent each has been of late."""

    by_class = True

    def __init__(self, decay: float):
        self._kind, self.retention = SHARES, 1.0 - decay


@jit
def predict_and_learn(kind, retention, state, rows, start, learns, raw):
    """raw[start:] <- predictions; where `learns`, labels are counted, each after the prediction of its row.

    Returns the first row that was refused, for a label out of bounds, or n.

    Parameters
    ----------
    state : LabelMeanState, modified where `learns`; rows : Rows, not modified
    raw : float64[n, K], filled in up to the classes shown before each row
    """
    now, means = state.now, state.means
    for i in range(start, len(rows.y)):
        for k in range(now[0]["classes"]):
            raw[i, k] = prediction_of(kind, now[0]["n"], means[k]) + rows.base[i]
        if not learns or not is_learned(rows.weight[i], rows.y[i]):
            continue
        label = rows.y[i] - rows.base[i] if kind == MEAN else (1.0 if rows.y[i] > 0.0 else 0.0)
        if not abs(label) <= LIMIT:
            return i
        if kind == SHARES:
            now[0]["classes"] = max(now[0]["classes"], int(rows.y[i]) + 1)
        now[0]["n"] = retention * now[0]["n"] + rows.weight[i]
        share = rows.weight[i] / now[0]["n"]
        for k in range(now[0]["classes"]):
            target = label if kind != SHARES else (1.0 if k == rows.y[i] else 0.0)
            means[k] += share * (target - means[k])
    return len(rows.y)


@inline
def prediction_of(kind, n, mean):
    """Return what is predicted of a mean of labels of weight n for the next row, without its base."""
    if kind == MEAN:
        return mean
    if kind == SHARES:
        return math.log(max(mean, MIN_SHARE))
    p = min(max(mean, MIN_SHARE), 1.0 - MIN_SHARE)
    return math.log(p / (1.0 - p)) if n > 0.0 else 0.0
