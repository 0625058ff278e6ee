"""An ensemble of learners of partitions with several classes (see `partitions`), and one combiner for all classes.

A learner's score of class k is its prediction for "class k against the rest". With v_k for the scores of class k of all
learners, the combined score is w'v_k, with the same weights w for every class. After a row the combiner takes a step
for each class that has occurred, with the label +1 or -1; all of them are predicted before the first step.

All learners number the classes alike. For a class that a learner has not met, its unseen-class learner
(`sonlearn.learn.multiclass.one_vs_rest`) gives the score: the same as that of a learner of the class would be.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.rows import Rows
from sonlearn.jit import bare_jit
from sonlearn.learn.engine import grown
from sonlearn.learn.ensemble.combiner import PERIOD, forget_past, mixed, score, take_step, weights_of
from sonlearn.learn.ensemble.committee import LIMIT, first_wild
from sonlearn.learn.ensemble.importance import relative_weights
from sonlearn.learn.ensemble.partitions import SURE, PartitionEnsemble, PartitionLearner, PartitionState
from sonlearn.learn.ensemble.viewing import rows_between
from sonlearn.learn.losses import loss_of, loss_value
from sonlearn.learn.multiclass.one_vs_rest import Scores


class ClassPredictions(NamedTuple):
    """Scores of N learners for n rows."""

    scores: np.ndarray  # float64[n, K, N]
    unseen: np.ndarray  # float64[n, N]; the score of a class that has not occurred


class ClassPartitionEnsemble(PartitionEnsemble):
    """Engine of N learners of partitions with several classes; labels of rows are numbers of classes."""

    def learn(self, state: PartitionState, rows: Rows, out: Scores, start: int) -> tuple[PartitionState, int]:
        """Learn rows from `start` on (see `Engine.learn`). Rows that all learners refuse are marked in `out`."""
        end = first_wild(rows.indptr, rows.values, rows.y, rows.weight, start, LIMIT)
        part, out = rows_between(rows, start, end), out.part(start, end)
        predictions, refused = (
            no_class_predictions(out, len(self.engines)),
            np.ones((end - start, len(self.engines)), dtype=bool),
        )

        def learn_one(j: int) -> PartitionLearner:
            own, shown = state.parts[j], self._renumbered(state.parts[j], part, j)
            own_out, engine = Scores.empty(end - start, out.scores.shape[1]), self.engines[j]
            after, _ = engine.learn(engine.reserve(own.state, shown, int(own.size[0])), shown, own_out, 0)
            predictions.scores[:, :, j], predictions.unseen[:, j], refused[:, j] = (
                own_out.scores,
                own_out.unseen,
                own_out.refused,
            )
            if j == 0:
                out.met[:] = own_out.met
            return own._replace(state=after)

        parts = tuple(self._map(learn_one, range(len(self.engines))))
        state = state._replace(parts=parts, counts=grown(state.counts, len(parts[0].state.classes)))
        out.refused[:] = refused.all(axis=1)
        self.combine(state, predictions, part, True, out)
        return state, end

    def predict(self, state: PartitionState, rows: Rows, out: Scores) -> int:
        """Predict `rows` and change nothing."""
        n = len(rows.y)
        predictions, unlabelled = no_class_predictions(out, len(self.engines)), rows._replace(y=np.full(n, np.nan))

        def predict_one(j: int) -> int:
            own_out = Scores.empty(n, out.scores.shape[1])
            at = self.engines[j].predict(state.parts[j].state, self._renumbered(state.parts[j], unlabelled, j), own_out)
            predictions.scores[:, :, j], predictions.unseen[:, j] = own_out.scores, own_out.unseen
            if j == 0:
                out.met[:] = own_out.met
            return at

        at = min(self._map(predict_one, range(len(self.engines))))
        self.combine(state, predictions, rows, False, out)
        return at

    def combine(
        self, state: PartitionState, predictions: ClassPredictions, rows: Rows, learns: bool, out: Scores
    ) -> None:
        """Fill in the scores of `out`, whose `met` is given; if `learns`, train the combiner after each row.

        Of `rows` only labels and weights are used.
        """
        learns = learns and state.now["passes"][0] == 0
        weight = relative_weights(state.now, rows.weight, rows.y) if learns else rows.weight
        if learns:
            numbers = rows.y[(weight > 0) & ~np.isnan(rows.y)].astype(np.int64)
            state.counts[:] += np.bincount(numbers, minlength=len(state.counts))
        for part in predictions:
            np.clip(part, -SURE, SURE, out=part)
        combine_classes(loss_of(self._options), state.combiner, predictions, rows.y, weight, learns, self._scratch, out)

    def met(self, state: PartitionState) -> int:
        """Number of classes that have occurred."""
        return len(state.classes)

    def packed(self, state: PartitionState) -> PartitionState:
        """`state` without unused capacity."""
        return super().packed(state._replace(counts=state.counts[: len(state.classes)]))

    def facts(self, state: PartitionState) -> dict[str, Any]:
        """classes: for each class the rows learned; parts: for each learner the combiner's weight."""
        counts, shares = state.counts[: len(state.classes)].tolist(), weights_of(state.combiner).tolist()
        return {"classes": [{"examples": n} for n in counts], "parts": [{"weight": share} for share in shares]}


def no_class_predictions(out: Scores, learners: int) -> ClassPredictions:
    """Scores, all 0, of `learners` learners for the rows of `out`."""
    n, K = out.scores.shape
    return ClassPredictions(np.zeros((n, K, learners)), np.zeros((n, learners)))


@bare_jit
def combine_classes(loss, combiner, predictions, y, weight, learns, scratch, out):
    """Fill in out.scores and out.unseen; if `learns`, a step for each class after a row with a label and a weight.

    combiner : Combiner, modified if `learns`; predictions : ClassPredictions and y, weight : float64[n], not modified
    scratch : float64[N + 2, N], overwritten; out : Scores, of which `met` is read
    """
    E = len(combiner.w)
    for i in range(len(y)):
        V = predictions.scores[i]
        for k in range(V.shape[0]):
            out.scores[i, k] = mixed(loss, combiner, V, k)
        out.unseen[i] = mixed(loss, combiner, predictions.unseen, i)
        if not learns or not weight[i] > 0.0 or math.isnan(y[i]):
            continue
        for k in range(min(out.met[i], V.shape[0])):
            label = 1.0 if y[i] == k else -1.0
            combiner.rows[0] += 1
            for e in range(E):
                z = score(loss, combiner, e, V, k)
                combiner.loss[e] += weight[i] * loss_value(loss, z, label)
                take_step(loss, combiner, e, V, k, (z, label, weight[i]), scratch)
                if combiner.rows[0] % PERIOD == 0:
                    forget_past(combiner.LT[e], combiner.keep[0], combiner.prior_precision[e], scratch[2:])
