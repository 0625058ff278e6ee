"""Several classes that share a learner: a weight vector a class, one metric, and softmax over what they say.

The engine beneath (`newton`, `projected`, `dense`, `first_order`) predicts and learns K classes at once. Here are
the counts of them. Classes are numbered as they are met; those that have not been met yet have had the same gradients
in every row, and so say the same: what stands for all of them in `Predictions.unseen`.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data import axes
from sonlearn.data.axes import Axis, summed
from sonlearn.data.rows import Rows
from sonlearn.learn.engine import Engine, Predictions, State, engine_class
from sonlearn.learn.multiclass.one_vs_rest import first_occurrences
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS


class MultinomialState(NamedTuple):
    """All that has been learned."""

    own: State  # of the engine beneath
    counts: Annotated[np.ndarray, Axis(), summed]  # int64[K]; rows learned of each class


class Multinomial(Engine):
    """Engine of several classes that share a metric.

    Labels of rows are numbers of classes from 0 on, in the order in which classes are met, and NaN. In rows that are
    only predicted any other number may stand.
    """

    def __init__(self, options: LearnOptions):
        self._classes = options.multinomial
        self._engine = engine_class(METHODS[options.method].engine)(options)
        self.merges = self._engine.merges

    def new(self, classes: int = 0) -> MultinomialState:
        """State that has seen nothing; room is for all classes, however many of them have been met."""
        return MultinomialState(self._engine.new(), np.zeros(self._classes, np.int64))

    def met(self, state: MultinomialState) -> int:
        """How many classes have been met."""
        return int(np.count_nonzero(state.counts))

    def parts(self, state: MultinomialState) -> dict[str, Any]:
        """See `Engine.parts`."""
        return {"own": self._engine}

    def learn(self, state: MultinomialState, rows: Rows, out: Predictions, start: int) -> tuple[MultinomialState, int]:
        """Learn rows from `start` on; see `Engine.learn`."""
        margins = Predictions.empty(len(rows.y), self._classes)
        own, at = self._engine.learn(state.own, rows, margins, start)
        y = np.where(rows.weight[start:at] > 0, rows.y[start:at], np.nan)
        met = self.met(state)
        met = met + np.searchsorted(first_occurrences(y, met), np.arange(at - start))
        self._to_input(margins.raw[start:at], met, out.part(start, at))
        state.counts[:] += np.bincount(y[~np.isnan(y)].astype(np.int64), minlength=self._classes)
        return state._replace(own=own), at

    def predict(self, state: MultinomialState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        n = len(rows.y)
        margins = Predictions.empty(n, self._classes)
        at = self._engine.predict(state.own, rows, margins)
        self._to_input(margins.raw, np.full(n, self.met(state)), out)
        return at

    def refusal(self, rows: Rows, row: int) -> tuple[str, str] | None:
        """(found, expected) for a row that `learn` refused; None if its numbers were out of bounds."""
        return self._engine.refusal(rows, row)

    def weights(self, state: MultinomialState, features: int, number: int | None = None) -> np.ndarray:
        """See `Engine.weights`."""
        w = self._engine.weights(state.own, features)[: self.met(state)]
        return w if number is None else w[number]

    def reordered(self, state: MultinomialState, order: list[int | None]) -> MultinomialState:
        """`state` with its classes in another order (see `Engine.reordered`)."""
        met = self.met(state)
        further = iter(range(met, self._classes))  # alike as long as no row of them has been learned
        places = [next(further) if k is None else k for k in order]
        places += [k for k in range(self._classes) if k not in places]
        return MultinomialState(axes.reordered(state.own, places), state.counts[places])

    def facts(self, state: MultinomialState) -> dict[str, Any]:
        """classes: of each the rows learned (`examples`); and what the learner that they share has to tell."""
        counts = state.counts[: self.met(state)].tolist()
        return {"classes": [{"examples": count} for count in counts], **self._engine.facts(state.own)}

    # -- how ---------------------------------------------------------------------------------------------------------

    def _to_input(self, raw: np.ndarray, met: np.ndarray, out: Predictions) -> None:
        """Fill in the scores of rows; `met` int64[n], classes met before each."""
        out.raw[:] = raw[:, : out.raw.shape[1]]
        rest = np.flatnonzero(met < self._classes)
        out.unseen[rest] = raw[rest, met[rest]]
        out.met[:] = met
