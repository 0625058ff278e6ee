"""Exponentially weighted means of the labels: a learner without features.

With r = 1 - decay, after a row of label y and importance h

    n <- r n + h,    m <- m + h (y - m)/n

so that m is the mean of the labels with weights h r^age [EWMA], of all of them alike where decay is 0. Of classes y is
1 or 0 and the prediction the log-odds of m, kept within [LEAST, 1 - LEAST]; of values it is m. Before any label it is
0. On a stream whose neighbouring labels are alike no feature tells more; a committee learns how much that is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import bare_inline, bare_jit
from sonlearn.jit.sequence import Call
from sonlearn.learn.engine import Engine, Predictions, copy_within
from sonlearn.learn.tolerances import LIMIT
from sonlearn.options import LearnOptions

#: A share of a class is not taken to be less, nor to be more than 1 less this.
LEAST = 0.01
NOW = [("n", "f8"), ("mean", "f8")]


class LabelMeanState(NamedTuple):
    """What has been learned."""

    now: np.ndarray  # structured [1]: weight of the labels, what is left of it; their mean


class LabelMean(Engine):
    """Engine of ewma (see `sonlearn.learn.engine.Engine` for the verbs)."""

    merges = True
    counts = True

    def __init__(self, options: LearnOptions):
        self._retention, self._share = 1.0 - options.decay, options.loss != "squared"
        self._low, self._high = options.bounds

    def new(self, classes: int = 0) -> LabelMeanState:
        """State of a learner that has learned nothing."""
        return LabelMeanState(np.zeros(1, dtype=NOW))

    def calls(self, state: LabelMeanState, rows: Rows, out: Predictions, start: int = 0) -> list[Call]:
        """See `Engine.calls`."""
        given = state.now, self._retention, self._share, rows.y, rows.weight, rows.base, start, True, out.raw
        clipped = out.raw[start:], float(self._low), float(self._high), out.prediction[start:]
        return [(follow, given), (copy_within, clipped)]

    def predict(self, state: LabelMeanState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        follow(state.now, self._retention, self._share, rows.y, rows.weight, rows.base, 0, False, out.raw)
        np.clip(out.raw, self._low, self._high, out=out.prediction)
        return len(rows.y)

    def merge(self, states: Sequence[LabelMeanState], base: LabelMeanState, rows: Sequence[int]) -> LabelMeanState:
        """The mean of one run over all rows (see `Engine.merge`)."""
        by, now = merging.shares(rows, self._retention), base.now.copy()
        n, total = (
            merging.summed(of(base.now), [of(s.now) for s in states], by)
            for of in (lambda now: now["n"], lambda now: now["n"] * now["mean"])
        )
        now["n"], now["mean"] = n, np.divide(total, n, out=np.zeros(1), where=n > 0.0)
        return LabelMeanState(now)

    def facts(self, state: LabelMeanState) -> dict[str, Any]:
        """mean: of the labels, of classes the share of +1."""
        return {"mean": float(state.now["mean"][0])}


@bare_jit
def follow(now, retention, share, y, weight, base, start, learns, raw):
    """raw[start:] <- predictions; where `learns`, labels are counted, each after the prediction of its row.

    Returns the first row that was refused, for a label out of bounds, or n.

    Parameters
    ----------
    now : structured [1], modified where `learns`; share : bool, whether labels are classes
    y, weight, base, raw : float64[n]
    """
    for i in range(start, len(y)):
        raw[i] = prediction_of(now, share) + base[i]
        if learns and is_learned(weight[i], y[i]):
            label = (1.0 if y[i] > 0.0 else 0.0) if share else y[i] - base[i]
            if not abs(label) <= LIMIT:
                return i
            now[0]["n"] = retention * now[0]["n"] + weight[i]
            now[0]["mean"] += weight[i] / now[0]["n"] * (label - now[0]["mean"])
    return len(y)


@bare_inline
def prediction_of(now, share):
    """What is predicted for the next row, without its base."""
    mean = now[0]["mean"]
    if not share:
        return mean
    if now[0]["n"] == 0.0:
        return 0.0
    p = min(max(mean, LEAST), 1.0 - LEAST)
    return math.log(p / (1.0 - p))
