"""One row at a time, without the ceremony of a batch: the same bits as `Learner.partial_fit` and `predict` of that row.

A stream's client asks for a prediction, gives the label, and so on with the next row. Of a batch of one row nearly all
the time goes into making it: arrays of one number, their checks, the types of a kernel's arguments. Here the buffers of
the row are made once, so that the calls of kernels stay the same (`sonlearn.jit.sequence`).
"""

from __future__ import annotations

import math

import numpy as np

from sonlearn.data.batch import Batch
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
        self._alone = learner.engine.by_row()

    @staticmethod
    def serves(learner: Learner) -> bool:
        """Whether rows of `learner` can be learned here: no labels are late, and a batch has settled what they are."""
        return not learner.options.label_delay and learner.labels.settled

    def knows(self, y: float) -> bool:
        """Whether a row of this label can be learned here: of several classes, one that has been met or named."""
        return self.learner.labels.number(y) is not None

    def raw(self, row: Entries) -> np.ndarray:
        """The scores of a row, float64[K], as by the members that forget, too (`Learner.predict` with ``online``)."""
        return self._learn(row, math.nan, math.nan, 1.0)

    def learn(self, row: Entries, y: float, weight: float) -> np.ndarray:
        """Learn a row whose label is known (see `knows`); returns its raw prediction from before, as `raw` does.

        Raises InputError or DivergedError as `Learner.partial_fit` does, and has changed nothing then.
        """
        learner, labels = self.learner, self.learner.labels
        if learner.options.loss == "poisson" and y < 0.0:
            raise labels.error(self._batch(row, y, weight), 0)
        raw = self._learn(row, y, labels.number(y), weight)
        learner.examples += weight > 0.0 and y == y
        refused = bool(self._alone.out.refused[0])
        if learner.follows_predictions or refused:
            batch = self._batch(row, y, weight)
            learner.follow(self._alone.out, self._alone.rows, batch)
            if refused:
                raise diverged(batch, 0)
        return raw

    def _learn(self, row: Entries, y: float, number: float, weight: float) -> np.ndarray:
        learner, alone = self.learner, self._alone
        with learner.access.to_learn:
            alone.make_room(len(row.ids), learner.scores)
            rows = alone.rows
            rows.y[0], rows.weight[0] = number, weight
            alone.rows, learner.index = self._numbering.number(row, rows, learner.index, self._constant)
            learner.state, at = alone.run(learner.state, learner.size)
            if at < 1:
                raise learner.refusal(self._batch(row, y, weight), alone.rows, 0)
            return alone.out.raw[0].copy()

    def _batch(self, row: Entries, y: float, weight: float) -> Batch:
        given = np.array([y]), np.array([weight]), np.ones(1, np.int64)
        return Batch(row.indptr, row.ids, row.values, *given, self._source, constant=self._constant)
