"""Learners of parts of a stream of several classes (see `parts`), and one combiner for all classes.

A learner's score of class k is its prediction that the row is of class k and of no other. With v_k for what all of them
say, the score is w'v_k: what a learner is worth is the same for every class. After a row the combiner takes a step for
each class that had been met, with the label +1 or -1, all of them predicted before.

All learners number the classes alike. One that has not met a class has what its spare learner has learned of it
(`sonlearn.learn.multiclass.one_vs_rest`), which is what it would have learned had it known.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.rows import Rows
from sonlearn.jit import bare_jit
from sonlearn.learn.engine import grown
from sonlearn.learn.ensemble.combiner import PERIOD, forget_past, mixed, score, take_step
from sonlearn.learn.ensemble.committee import LIMIT, first_wild
from sonlearn.learn.ensemble.importance import relative_weights
from sonlearn.learn.ensemble.partitions import SURE, Part, PartitionEnsemble, PartitionState
from sonlearn.learn.ensemble.viewing import rows_between
from sonlearn.learn.losses import loss_of, loss_value
from sonlearn.learn.multiclass.one_vs_rest import Scores


class ClassPredictions(NamedTuple):
    """What N learners say of n rows."""

    scores: np.ndarray  # float64[n, K, N]
    unseen: np.ndarray  # float64[n, N]; of a class that has not been met


class ClassPartitionEnsemble(PartitionEnsemble):
    """Engine of learners of parts, of several classes; as of `OneVsRest`, labels of rows are numbers of classes."""

    def learn(self, state: PartitionState, rows: Rows, out: Scores, start: int) -> tuple[PartitionState, int]:
        """Learn rows from `start` on; see `Engine.learn`. What a class's learner refuses in all parts is marked."""
        end = first_wild(rows.indptr, rows.values, rows.y, rows.weight, start, LIMIT)
        part, out = rows_between(rows, start, end), out.part(start, end)
        said, refused = (
            no_class_predictions(out, len(self.engines)),
            np.ones((end - start, len(self.engines)), dtype=bool),
        )

        def teach(j: int) -> Part:
            own, shown = state.parts[j], self._shown(state.parts[j], part, j)
            told, engine = Scores.empty(end - start, out.scores.shape[1]), self.engines[j]
            after, _ = engine.learn(engine.reserve(own.state, shown, int(own.size[0])), shown, told, 0)
            said.scores[:, :, j], said.unseen[:, j], refused[:, j] = told.scores, told.unseen, told.refused
            if j == 0:
                out.met[:] = told.met
            return own._replace(state=after)

        parts = tuple(self._map(teach, range(len(self.engines))))
        state = state._replace(parts=parts, counts=grown(state.counts, len(parts[0].state.classes)))
        out.refused[:] = refused.all(axis=1)
        self.combine(state, said, part, True, out)
        return state, end

    def predict(self, state: PartitionState, rows: Rows, out: Scores) -> int:
        """Predict `rows` and change nothing."""
        n = len(rows.y)
        said, silent = no_class_predictions(out, len(self.engines)), rows._replace(y=np.full(n, np.nan))

        def ask(j: int) -> int:
            told = Scores.empty(n, out.scores.shape[1])
            at = self.engines[j].predict(state.parts[j].state, self._shown(state.parts[j], silent, j), told)
            said.scores[:, :, j], said.unseen[:, j] = told.scores, told.unseen
            if j == 0:
                out.met[:] = told.met
            return at

        at = min(self._map(ask, range(len(self.engines))))
        self.combine(state, said, rows, False, out)
        return at

    def combine(self, state: PartitionState, said: ClassPredictions, rows: Rows, learns: bool, out: Scores) -> None:
        """Fill in the scores of `out`, whose `met` is there; where it `learns`, row by row.

        Of `rows` only labels and weights are looked at.
        """
        learns = learns and state.now["passes"][0] == 0
        weight = relative_weights(state.now, rows.weight, rows.y) if learns else rows.weight
        if learns:
            numbers = rows.y[(weight > 0) & ~np.isnan(rows.y)].astype(np.int64)
            state.counts[:] += np.bincount(numbers, minlength=len(state.counts))
        for part in said:
            np.clip(part, -SURE, SURE, out=part)
        combine_classes(loss_of(self._options), state.combiner, said, rows.y, weight, learns, self._scratch, out)

    def met(self, state: PartitionState) -> int:
        """How many classes have been met."""
        return len(state.classes)

    def packed(self, state: PartitionState) -> PartitionState:
        """`state` without spare room."""
        return super().packed(state._replace(counts=state.counts[: len(state.classes)]))

    def facts(self, state: PartitionState) -> dict[str, Any]:
        """classes: of each the rows learned; parts: of each learner the combiner's weight."""
        counts, shares = state.counts[: len(state.classes)].tolist(), self.shares(state).tolist()
        return {"classes": [{"examples": n} for n in counts], "parts": [{"weight": share} for share in shares]}


def no_class_predictions(out: Scores, learners: int) -> ClassPredictions:
    """Room for what is said of the rows of `out`."""
    n, K = out.scores.shape
    return ClassPredictions(np.zeros((n, K, learners)), np.zeros((n, learners)))


@bare_jit
def combine_classes(loss, combiner, said, y, weight, learns, scratch, out):
    """Fill out.scores and out.spare; where `learns` and the row has a label and a weight, a step for each class met.

    Parameters
    ----------
    said : SaidOfClasses; y, weight : float64[n]; scratch : float64[N + 2, N]; out : Scores
    """
    E = len(combiner.w)
    for i in range(len(y)):
        V = said.scores[i]
        for k in range(V.shape[0]):
            out.scores[i, k] = mixed(loss, combiner, V, k)
        out.unseen[i] = mixed(loss, combiner, said.unseen, i)
        if not learns or not weight[i] > 0.0 or math.isnan(y[i]):
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
