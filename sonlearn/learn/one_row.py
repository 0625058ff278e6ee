"""One row at a time, without the ceremony of a batch: the same bits as `Learner.partial_fit` and `predict` of that row.

A stream's client asks for a prediction, gives the label, and so on with the next row. Of a batch of one row nearly all
the time goes into making it: arrays of one number, their checks, the types of a kernel's arguments. Here the buffers of
the row are made once, so that the calls of kernels stay the same (`sonlearn.jit.sequence`).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.rows import Rows
from sonlearn.learn.labels import PLUS_MINUS, LabelEncoder
from sonlearn.learn.learner import Learner, diverged
from sonlearn.views.index import Entries, RowNumbering


class OneRow:
    """Rows of a learner, one by one. Its buffers serve one thread.

    Parameters
    ----------
    learner : Learner
        See `serves`.
    constant : int
        Id of the constant feature.
    source : str
        What messages call the rows' source.
    """

    def __init__(self, learner: Learner, constant: int, source: str = "<memory>"):
        self.learner, self._constant, self._source = learner, constant, source
        self._numbering = RowNumbering(learner.counts_unknown)
        self._out = learner.empty_predictions(1)
        self._rows = _empty(1)
        self._by_row = learner.engine.by_row()

    @staticmethod
    def serves(learner: Learner) -> bool:
        """Whether rows of `learner` can be learned here: there is no delay of labels.

        Labels of two classes have to be known as -1 and +1: a batch settles how they are written.
        """
        labels = learner.labels
        if learner.options.label_delay:
            return False
        if not isinstance(labels, LabelEncoder):
            return bool(labels.labels)
        return labels.kind != "margins" or (labels.coding == PLUS_MINUS and labels.numeric)

    def knows(self, y: float) -> bool:
        """Whether a row of this label can be learned here: of several classes, one that has been met or named."""
        return isinstance(self.learner.labels, LabelEncoder) or self.learner.labels.number(y) is not None

    def raw(self, row: Entries) -> Any:
        """The raw prediction of a row, as by the members that forget, too (`Learner.predict` with ``online``).

        A float; of several classes float64[K], their scores.
        """
        return self._learn(row, math.nan, math.nan, 1.0)

    def learn(self, row: Entries, y: float, weight: float) -> Any:
        """Learn a row whose label is known (see `knows`); returns its raw prediction from before, as `raw` does.

        Raises InputError or DivergedError as `Learner.partial_fit` does, and has changed nothing then.
        """
        learner, labels = self.learner, self.learner.labels
        if learner.options.loss == "poisson" and y < 0.0:
            raise labels.error(self._batch(row, y, weight), 0)
        raw = self._learn(row, y, y if isinstance(labels, LabelEncoder) else labels.number(y), weight)
        learner.examples += weight > 0.0 and y == y
        refused = bool(self._out.refused[0])
        if learner.follows_predictions or refused:
            batch = self._batch(row, y, weight)
            learner.follow(self._out, self._rows, batch, refused)
            if refused:
                raise diverged(batch, 0)
        return raw

    def _learn(self, row: Entries, y: float, number: float, weight: float) -> Any:
        with self.learner.access.to_learn:
            return self._learn_alone(row, y, number, weight)

    def _learn_alone(self, row: Entries, y: float, number: float, weight: float) -> Any:
        learner = self.learner
        if len(row.ids) > len(self._rows.features):
            self._rows = _empty(2 * len(row.ids))
        if learner.options.several and self._out.raw.shape[1] != len(learner.labels.labels):
            self._out = learner.empty_predictions(1)
        rows, out = self._rows, self._out
        rows.y[0], rows.weight[0] = number, weight
        rows, learner.index = self._numbering.number(row, rows, learner.index, self._constant)
        self._rows = rows
        out.raw[0] = out.prediction[0] = 0.0
        out.offline[0], out.refused[0] = math.nan, False
        learner.state, at = self._by_row.learn(learner.state, rows, out, learner.size)
        if at < 1:
            raise learner.refusal(self._batch(row, y, weight), rows, 0)
        return out.raw[0].copy()

    def _batch(self, row: Entries, y: float, weight: float) -> Batch:
        given = np.array([y]), np.array([weight]), np.ones(1, np.int64)
        return Batch(row.indptr, row.ids, row.values, *given, self._source, constant=self._constant)


def _empty(longest: int) -> Rows:
    """Room for a row of up to so many entries."""
    return Rows(
        np.zeros(2, np.int64), np.zeros(longest, np.int64), np.zeros(longest), np.zeros(1), np.ones(1), np.zeros(1),
        np.zeros((1, 2)), ids=np.zeros(longest, np.int64),
    )  # fmt: skip
