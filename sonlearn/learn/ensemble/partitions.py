"""An ensemble of learners of partitions of the data: each predicts a row, and a combiner weights the predictions.

Learners with a matrix cannot be merged by averaging their weights, because the mean fits none of the matrices. Their
predictions can be combined. So the ensemble stores the learners unchanged, and the combiner of the committee
(`sonlearn.learn.ensemble.combiner`) takes their predictions as inputs. It begins with their average and learns on rows
that no learner has learned; each learner learns these rows too, after predicting them.

A learner numbers the features in the order of first occurrence in its own partition.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.rows import NO_CONSTANT, NO_ROWS, Rows
from sonlearn.jit import jit
from sonlearn.learn.engine import Engine, Predictions, State, grown
from sonlearn.learn.ensemble.combiner import Combiner, combine, new_combiner, prior_precision_for, weights_of
from sonlearn.learn.ensemble.committee import LIMIT, NOW, first_wild
from sonlearn.learn.ensemble.importance import relative_weights
from sonlearn.learn.ensemble.label_scale import LabelScale, LabelScaler
from sonlearn.learn.ensemble.label_scale import State as LabelState
from sonlearn.learn.ensemble.stacking import inputs_of, learned_by, mapping
from sonlearn.learn.ensemble.viewing import rows_between
from sonlearn.learn.losses import Loss
from sonlearn.learn.make import make_engine
from sonlearn.options import LearnOptions
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.members import Member

#: Log-odds of a learner, and logarithms of counts, are clipped to -SURE..SURE.
SURE = 30.0


class PartitionLearner(NamedTuple):
    """The learner of a partition."""

    numbers: np.ndarray  # int64[features]; 1 + the learner's own number of each feature, 0 for none
    size: np.ndarray  # int64[1]; number of features of the learner
    state: State


class PartitionState(NamedTuple):
    """State of the ensemble."""

    parts: tuple  # of PartitionLearner
    target: LabelState
    combiner: Combiner
    features: np.ndarray  # int64[1]
    now: np.ndarray  # structured [1], as in a committee
    counts: np.ndarray  # int64[classes]; with several classes, rows learned of each; else length 0

    @property
    def classes(self) -> tuple:
        """The classes that have been learned, if there are several."""
        return self.parts[0].state.classes


class PartitionEnsemble(Engine):
    """Engine of N learners of partitions.

    Parameters
    ----------
    options : LearnOptions
        Options of each learner.
    count : int
        N.
    threads : int
        Number of learners that may learn at the same time.
    """

    def __init__(self, options: LearnOptions, count: int, threads: int = 1):
        self._options = options
        #: One engine for each learner, because engines hold scratch space.
        self.engines = tuple(make_engine(options) for _ in range(count))
        #: Whether the learners need the features that have no number.
        self.unknown = self.engines[0].unknown
        self._scaler = LabelScaler(options)
        even = Member(options.method, "raw", weight=1.0 / count)
        self._inputs = inputs_of(options.loss, (even,) * count)
        self._scratch = np.zeros((len(self._inputs) + 2, len(self._inputs)))
        self._map = mapping(ThreadPoolExecutor(threads) if threads > 1 else None)

    def new(self, *classes: int) -> PartitionState:
        """State of untrained learners; with several classes, `classes` is the capacity."""
        parts = tuple(
            PartitionLearner(np.zeros(0, np.int64), np.zeros(1, np.int64), each.new(*classes)) for each in self.engines
        )
        combiner = new_combiner(self._inputs, prior_precision_for(self._scaler.loss), self._options.decay)
        counts = np.zeros(0, np.int64)
        return PartitionState(
            parts, self._scaler.new(), combiner, np.zeros(1, np.int64), np.zeros(1, dtype=NOW), counts
        )

    def reserve(self, state: PartitionState, rows: Rows, features: int) -> PartitionState:
        """Make room for the numbers of the features. The learners make room for `rows` when they learn them."""
        state.features[0] = features
        parts = [
            PartitionLearner(
                grown(own.numbers, features), own.size, engine.reserve(own.state, NO_ROWS, int(own.size[0]))
            )
            for engine, own in zip(self.engines, state.parts, strict=True)
        ]
        return state._replace(parts=tuple(parts))

    def learn(self, state: PartitionState, rows: Rows, out: Predictions, start: int) -> tuple[PartitionState, int]:
        """Learn rows from `start` on (see `Engine.learn`). A learner does not learn a row that it refuses."""
        end = first_wild(rows.indptr, rows.values, rows.y, rows.weight, start, LIMIT)
        part = rows_between(rows, start, end)
        predictions = np.zeros((end - start, len(self.engines)))

        def learn_one(j: int) -> PartitionLearner:
            own, shown = state.parts[j], self._renumbered(state.parts[j], part, j)
            after, own_out = learned_by(self.engines[j], own.state, shown, int(own.size[0]))
            predictions[:, j] = own_out.prediction
            return own._replace(state=after)

        state = state._replace(parts=tuple(self._map(learn_one, range(len(self.engines)))))
        self.combine(state, predictions, part, True, Predictions(out.prediction[start:end], out.raw[start:end]))
        return state, end

    def predict(self, state: PartitionState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        n = len(rows.y)
        predictions = np.zeros((n, len(self.engines)))
        unlabelled = rows._replace(y=np.full(n, np.nan))

        def predict_one(j: int) -> int:
            own_out = Predictions.empty(n)
            at = self.engines[j].predict(state.parts[j].state, self._renumbered(state.parts[j], unlabelled, j), own_out)
            predictions[:, j] = own_out.prediction
            return at

        at = min(self._map(predict_one, range(len(self.engines))))
        self.combine(state, predictions, rows, False, out)
        return at

    def combine(
        self, state: PartitionState, predictions: np.ndarray, rows: Rows, learns: bool, out: Predictions
    ) -> None:
        """Fill in `out` by combining `predictions`, float64[n, N]; if `learns`, train the combiner after each row.

        Of `rows` only labels, weights and bases are used.
        """
        learns = learns and state.now["passes"][0] == 0
        if learns:
            rows = rows._replace(weight=relative_weights(state.now, rows.weight, rows.y))
        scaled, scale = self._scaler.fit_transform(state.target, rows, learn=learns)
        V = np.ones((len(rows.y), len(self._inputs)))
        for j in range(predictions.shape[1]):
            V[:, j] = self._inputs_from(predictions[:, j], rows.base, scale)
        loss = Loss(self._scaler.loss.code, scale.par)
        combine(loss, state.combiner, V, scaled.y, scaled.weight, learns, self._scratch, out.raw)
        out.raw[:] = self._scaler.finish(scale, out.raw, rows.base)
        np.clip(out.raw, -self._options.clip, self._options.clip, out=out.prediction)

    def weights(self, state: PartitionState, features: int) -> np.ndarray:
        """float64[features], or a row for each class: the learners' weights, summed with the combiner's weights."""
        total: Any = 0.0
        for engine, own, share in zip(self.engines, state.parts, weights_of(state.combiner), strict=False):
            known = np.flatnonzero(own.numbers[:features])
            w = engine.weights(own.state, int(own.size[0]))
            spread = np.zeros((*w.shape[:-1], features))
            spread[..., known] = w[..., own.numbers[known] - 1]
            total = total + share * spread
        return total

    def packed(self, state: PartitionState) -> PartitionState:
        """`state` without unused capacity."""
        parts = [
            PartitionLearner(own.numbers[: state.features[0]], own.size, engine.packed(own.state))
            for engine, own in zip(self.engines, state.parts, strict=True)
        ]
        return state._replace(parts=tuple(parts))

    def facts(self, state: PartitionState) -> dict[str, Any]:
        """parts: for each learner the combiner's weight and the learner's own facts."""
        weighted = zip(weights_of(state.combiner).tolist(), self.engines, state.parts, strict=False)
        return {"parts": [{"weight": share, **engine.facts(own.state)} for share, engine, own in weighted]}

    def next_pass(self, state: PartitionState) -> None:
        """Record that the next rows have been learned before: the combiner learns only in the first pass."""
        state.now["passes"] += 1
        for engine, own in zip(self.engines, state.parts, strict=True):
            engine.next_pass(own.state)

    # -- how ---------------------------------------------------------------------------------------------------------

    def count(self, state: LabelState, rows: Rows) -> None:
        """Count the labels of rows that a learner has learned elsewhere; `state` is modified in place."""
        self._scaler.fit_transform(state, rows)

    def _renumbered(self, own: PartitionLearner, rows: Rows, j: int) -> Rows:
        """`rows` in the numbers of learner j; features that it learns for the first time get a number."""
        features, values = np.empty(len(rows.features), np.int64), np.empty(len(rows.values))
        indptr = np.zeros(len(rows.indptr), np.int64)
        renumber(rows, own.numbers, own.size, self.unknown, indptr, features, values)
        constant = int(own.numbers[rows.constant]) - 1 if rows.constant != NO_CONSTANT else -1
        return rows._replace(
            indptr=indptr, features=features, values=values, constant=constant if constant >= 0 else NO_CONSTANT
        )

    def _inputs_from(self, predictions: np.ndarray, base: np.ndarray, scale: LabelScale) -> np.ndarray:
        """float64[n]: the combiner's inputs from a learner's predictions."""
        predictions = predictions - base
        if self._options.loss in CLASSIFICATION:
            return np.clip(predictions, -SURE, SURE)
        if self._options.loss == "poisson":
            predictions = np.exp(np.clip(predictions, -SURE, SURE))
        unit = np.where(scale.unit > 0.0, scale.unit, 1.0)
        return np.clip((predictions - scale.mean) / unit, scale.low, scale.high)


@jit
def renumber(rows, numbers, size, unknown, indptr, features, values):
    """Write `rows` with other numbers of the features: f becomes numbers[f] - 1.

    A feature without a number gets the next one if its row is learned. Otherwise it becomes -1 if `unknown`, or is left
    out. The same holds for features that are -1 in `rows`.

    rows : Rows, not modified; numbers : int64[features] and size : int64[1], modified; unknown : bool
    indptr : int64[n + 1], features : int64[nnz] and values : float64[nnz], filled in
    """
    at = 0
    for i in range(len(rows.y)):
        learned = rows.weight[i] > 0.0 and rows.y[i] == rows.y[i]
        for e in range(rows.indptr[i], rows.indptr[i + 1]):
            f = rows.features[e]
            if f >= 0 and numbers[f] == 0 and learned:
                size[0] += 1
                numbers[f] = size[0]
            own = numbers[f] - 1 if f >= 0 else -1
            if own >= 0 or unknown:
                features[at], values[at] = own, rows.values[e]
                at += 1
        indptr[i + 1] = at
