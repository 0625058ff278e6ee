"""One row at a time, without the ceremony of a batch: the same bits as `Learner.partial_fit` and `predict` of that row.

A stream's client asks for a prediction, gives the label, and so on with the next row. Of a batch of one row nearly all
the time goes into making it: arrays of one number, their checks, the types of a kernel's arguments. Here the buffers of
the row are made once, so that kernels get the same objects again (`sonlearn.jit.repeated`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.rows import Rows
from sonlearn.learn.engine import Predictions
from sonlearn.learn.labels import PLUS_MINUS, LabelEncoder
from sonlearn.views.index import Entries, RowNumbering

if TYPE_CHECKING:
    from sonlearn.learn.learner import Learner


class OneRow:
    """Rows of a learner, one by one. Its buffers serve one thread.

    Parameters
    ----------
    learner : Learner
        Of values, or of two classes that are written -1 and +1; see `serves`.
    constant : int
        Id of the constant feature.
    source : str
        What messages call the rows' source.
    """

    def __init__(self, learner: Learner, constant: int, source: str = "<memory>"):
        self.learner, self._constant, self._source = learner, constant, source
        self._numbering = RowNumbering(learner.counts_unknown)
        self._out = Predictions.empty(1)
        self._rows = _empty(1)
        self._by_row = learner.engine.by_row()

    @staticmethod
    def serves(learner: Learner) -> bool:
        """Whether rows of `learner` can be learned here: there are no several classes, and no delay of labels.

        Labels of two classes have to be known as -1 and +1: a batch settles how they are written.
        """
        options, labels = learner.options, learner.labels
        if options.several or options.label_delay or not isinstance(labels, LabelEncoder):
            return False
        return labels.kind != "margins" or (labels.coding == PLUS_MINUS and labels.numeric)

    def raw(self, row: Entries) -> float:
        """The raw prediction of a row, as by the members that forget, too (`Learner.predict` with ``online``)."""
        return self._learn(row, math.nan, 1.0)

    def learn(self, row: Entries, y: float, weight: float) -> float:
        """Learn a row; returns its raw prediction from before.

        Raises InputError or DivergedError as `Learner.partial_fit` does, and has changed nothing then.
        """
        learner = self.learner
        if learner.options.loss == "poisson" and y < 0.0:
            raise learner.labels.error(self._batch(row, y, weight), 0)
        raw = self._learn(row, y, weight)
        learner.examples += weight > 0.0 and y == y
        if learner.follows_predictions:
            learner.follow(self._out, self._rows, self._batch(row, y, weight))
        return raw

    def _learn(self, row: Entries, y: float, weight: float) -> float:
        with self.learner.access.to_learn:
            return self._learn_alone(row, y, weight)

    def _learn_alone(self, row: Entries, y: float, weight: float) -> float:
        learner = self.learner
        if len(row.ids) > len(self._rows.features):
            self._rows = _empty(2 * len(row.ids))
        rows, out = self._rows, self._out
        rows.y[0], rows.weight[0] = y, weight
        rows, learner.index = self._numbering.number(row, rows, learner.index, self._constant)
        self._rows = rows
        out.raw[0] = out.prediction[0] = 0.0
        out.offline[0] = math.nan
        if self._by_row is not None:
            learner.state, at = self._by_row.learn(learner.state, rows, out, learner.size)
        else:
            state = learner.engine.reserve(learner.state, rows, learner.size)
            learner.state, at = learner.engine.learn(state, rows, out, 0)
        if at < 1:
            raise learner.refusal(self._batch(row, y, weight), rows, 0)
        return float(out.raw[0])

    def _batch(self, row: Entries, y: float, weight: float) -> Batch:
        given = np.array([y]), np.array([weight]), np.ones(1, np.int64)
        return Batch(row.indptr, row.ids, row.values, *given, self._source, constant=self._constant)


def _empty(longest: int) -> Rows:
    """Room for a row of up to so many entries."""
    return Rows(
        np.zeros(2, np.int64), np.zeros(longest, np.int64), np.zeros(longest), np.zeros(1), np.ones(1), np.zeros(1),
        np.zeros((1, 2)), ids=np.zeros(longest, np.int64),
    )  # fmt: skip
