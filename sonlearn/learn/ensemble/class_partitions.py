"""Learners of partitions of a stream of several classes (see `partitions`), and one combiner for all classes.

A learner's score of class k is its prediction that the row is of class k and of no other. v_k holds the
scores that all learners give class k; the combined score is w'v_k, so that a learner has the same weight for every
class. After a row the combiner takes a step for each class that had been met, with the label +1 or -1; it predicts all
classes before the first step.

All learners number the classes alike. One that has not met a class uses its learner of unseen classes
(`sonlearn.learn.multiclass.one_vs_rest`), which has learned what a learner of that class would have learned.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import bare_jit
from sonlearn.learn.engine import grown
from sonlearn.learn.ensemble.combiner import PERIOD, averaged_score, forget_past, score, take_step
from sonlearn.learn.ensemble.committee import LIMIT, first_wild
from sonlearn.learn.ensemble.importance import relative_weights
from sonlearn.learn.ensemble.partitions import SURE, PartitionEnsemble, PartitionLearner, PartitionState
from sonlearn.learn.ensemble.viewing import rows_between
from sonlearn.learn.losses import loss_of, loss_value
from sonlearn.learn.multiclass.one_vs_rest import Scores
from sonlearn.named import NamedTuple


class ClassPredictions(NamedTuple):
    """Scores of n rows by N learners."""

    scores: np.ndarray  # float64[n, K, N]
    unseen: np.ndarray  # float64[n, N]; of a class that has not been met


class ClassPartitionEnsemble(PartitionEnsemble):
    """Engine of learners of partitions, of several classes. Labels of rows are class numbers, as in `OneVsRest`."""

    def learn(self, state: PartitionState, rows: Rows, out: Scores, start: int) -> tuple[PartitionState, int]:
        """Learn rows from `start` on; see `Engine.learn`. A row that all learners of a class refuse is marked."""
        end = first_wild(rows.indptr, rows.values, rows.y, rows.weight, start, LIMIT)
        part, out = rows_between(rows, start, end), out.part(start, end)
        predictions = no_class_predictions(out, len(self.engines))
        refused = np.ones((end - start, len(self.engines)), dtype=bool)

        def teach(j: int) -> PartitionLearner:
            own, shown = state.learners[j], self._shown(state.learners[j], part, j)
            predicted, engine = Scores.empty(end - start, out.scores.shape[1]), self.engines[j]
            after, _ = engine.learn(engine.reserve(own.state, shown, int(own.size[0])), shown, predicted, 0)
            predictions.scores[:, :, j], predictions.unseen[:, j] = predicted.scores, predicted.unseen
            refused[:, j] = predicted.refused
            if j == 0:
                out.met[:] = predicted.met
            return own._replace(state=after)

        learners = tuple(self._map(teach, range(len(self.engines))))
        state = state._replace(learners=learners, counts=grown(state.counts, len(learners[0].state.classes)))
        out.refused[:] = refused.all(axis=1)
        self.combine(state, predictions, part, True, out)
        return state, end

    def predict(self, state: PartitionState, rows: Rows, out: Scores) -> int:
        """Predict `rows` and change nothing."""
        n = len(rows.y)
        predictions, silent = no_class_predictions(out, len(self.engines)), rows._replace(y=np.full(n, np.nan))

        def ask(j: int) -> int:
            predicted = Scores.empty(n, out.scores.shape[1])
            at = self.engines[j].predict(state.learners[j].state, self._shown(state.learners[j], silent, j), predicted)
            predictions.scores[:, :, j], predictions.unseen[:, j] = predicted.scores, predicted.unseen
            if j == 0:
                out.met[:] = predicted.met
            return at

        at = min(self._map(ask, range(len(self.engines))))
        self.combine(state, predictions, rows, False, out)
        return at

    def combine(
        self, state: PartitionState, predictions: ClassPredictions, rows: Rows, learns: bool, out: Scores
    ) -> None:
        """Fill in the scores of `out`, whose `met` is there; where it `learns`, row by row.

        Of `rows` only labels and weights are read.
        """
        learns = learns and state.now["passes"][0] == 0
        weight = self._counted(state, rows) if learns else rows.weight
        for part in predictions:
            np.clip(part, -SURE, SURE, out=part)
        combine_classes(loss_of(self._options), state.combiner, predictions, rows.y, weight, learns, self._scratch, out)

    def _counted(self, state: PartitionState, rows: Rows) -> np.ndarray:
        """float64[n]: relative weights of rows to be learned, whose classes are counted."""
        weight = relative_weights(state.now, rows.weight, rows.y)
        numbers = rows.y[(weight > 0) & ~np.isnan(rows.y)].astype(np.int64)
        state.counts[:] += np.bincount(numbers, minlength=len(state.counts))
        return weight

    def met(self, state: PartitionState) -> int:
        """How many classes have been met."""
        return len(state.classes)

    def packed(self, state: PartitionState) -> PartitionState:
        """`state` without room to spare."""
        return super().packed(state._replace(counts=state.counts[: len(state.classes)]))

    def facts(self, state: PartitionState) -> dict[str, Any]:
        """classes: of each the rows learned; partitions: of each learner the combiner's weight."""
        counts, shares = state.counts[: len(state.classes)].tolist(), self.shares(state).tolist()
        return {"classes": [{"examples": n} for n in counts], "partitions": [{"weight": share} for share in shares]}


def no_class_predictions(out: Scores, learners: int) -> ClassPredictions:
    """Empty scores of the rows of `out`."""
    n, K = out.scores.shape
    return ClassPredictions(np.zeros((n, K, learners)), np.zeros((n, learners)))


@bare_jit
def combine_classes(loss, combiner, predictions, y, weight, learns, scratch, out):
    """Fill out.scores and out.unseen; where `learns` and the row has a label and a weight, a step for each class met.

    Parameters
    ----------
    predictions : ClassPredictions; y, weight : float64[n]; scratch : float64[N + 2, N]; out : Scores
    """
    E = len(combiner.w)
    for i in range(len(y)):
        V = predictions.scores[i]
        for k in range(V.shape[0]):
            out.scores[i, k] = averaged_score(loss, combiner, V, k)
        out.unseen[i] = averaged_score(loss, combiner, predictions.unseen, i)
        if not (learns and is_learned(weight[i], y[i])):
            continue
        for k in range(min(out.met[i], V.shape[0])):
            label = 1.0 if y[i] == k else -1.0
            combiner.rows[0] += 1
            for e in range(E):
                z = score(loss, combiner, e, V, k)
                combiner.loss[e] += weight[i] * loss_value(loss, z, label)
                take_step(loss, combiner, e, V, k, z, label, weight[i], scratch)
                if combiner.rows[0] % PERIOD == 0:
                    forget_past(combiner, e, scratch[2:])
