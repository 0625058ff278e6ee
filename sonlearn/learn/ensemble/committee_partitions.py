"""Committees of several classes that learned partitions of a stream each, and one combiner for all of them.

This works as `class_partitions` does for other learners, with the combiner of a committee of several classes
(`class_combiner`), since committees predict logarithms of probabilities: softmax over the weighted sum of the N
committees' scores, and one step a row. It begins with their average.
"""

from __future__ import annotations

import numpy as np

from sonlearn.data.rows import Rows
from sonlearn.learn.ensemble.class_combiner import combine_members, level, new_class_combiner
from sonlearn.learn.ensemble.class_partitions import ClassPartitionEnsemble, ClassPredictions
from sonlearn.learn.ensemble.partitions import PartitionState

#: A_0 as a multiple of I. Squared gradients are not added: a few committees that are alike are not turned round.
PRIOR = 0.5


class CommitteePartitions(ClassPartitionEnsemble):
    """Engine of committees of partitions, of several classes; labels of rows are numbers of classes."""

    def new(self, *classes: int) -> PartitionState:
        """State of new committees; `classes` is how many classes have been named."""
        N = len(self.engines)
        combiner = new_class_combiner(np.full(N, 1.0 / N), self._options.decay, prior=PRIOR)
        return super().new(*classes)._replace(combiner=combiner)

    def shares(self, state: PartitionState) -> np.ndarray:
        """float64[N]: the combiner's weight of each committee."""
        return np.asarray(state.combiner.w)

    def combine(self, state: PartitionState, predictions: ClassPredictions, rows: Rows, learns: bool, out) -> None:
        """Fill in the scores of `out`, whose `met` is there; where it `learns`, row by row.

        Of `rows` only labels and weights are read.
        """
        learns = learns and state.now["passes"][0] == 0
        weight = self._counted(state, rows) if learns else rows.weight
        n, K, N = predictions.scores.shape
        V, met = np.ascontiguousarray(predictions.scores.transpose(2, 0, 1)), np.minimum(out.met, K)
        for scores in V:
            level(scores, met)
        combine_members(state.combiner, list(range(N)), V, met, rows.y, weight, learns, out.scores, 0.0)
        out.unseen[:] = predictions.unseen.mean(axis=1)
        later = np.arange(K) >= met[:, None]
        out.scores[later] = np.broadcast_to(out.unseen[:, None], (n, K))[later]
