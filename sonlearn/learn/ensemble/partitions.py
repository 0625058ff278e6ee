"""Learners of partitions of a stream: each predicts a row, and a combiner learns the weight of each.

Learners that have a matrix beside their weights cannot be added up: the mean of their weights is right for none of
their matrices. Their predictions can be combined. So the learners stay as they are, and the combiner of the committee
(`sonlearn.learn.ensemble.combiner`) weighs their predictions. It begins with their average, and learns on rows that
none of them has learned; each learner learns those as well, after it has predicted them.

A learner has its own numbers of features, in the order of first occurrence in its partition.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from sonlearn.data.rows import NO_CONSTANT, NO_ROWS, Rows, is_learned, leave_out
from sonlearn.jit import jit
from sonlearn.learn.engine import Engine, Predictions, State, grown
from sonlearn.learn.ensemble.combiner import (
    Combiner,
    combine,
    new_combiner,
    precision_for,
    weights_of,
)
from sonlearn.learn.ensemble.committee import LIMIT, NOW, first_wild
from sonlearn.learn.ensemble.importance import relative_weights
from sonlearn.learn.ensemble.label_scale import LabelScale, LabelStandardiser, LabelState
from sonlearn.learn.ensemble.stacking import inputs_of, learned_by, mapping
from sonlearn.learn.ensemble.viewing import rows_between
from sonlearn.learn.losses import Loss
from sonlearn.learn.make import make_engine
from sonlearn.named import NamedTuple
from sonlearn.options import LearnOptions
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.members import Member
from sonlearn.views.numbers import room_for

#: Log-odds of a learner beyond this are this; a logarithm of a count likewise.
SURE = 30.0


class PartitionLearner(NamedTuple):
    """State of the learner of one partition."""

    numbers: np.ndarray  # int64[features]; 1 + its own number of each feature, 0 for none
    size: np.ndarray  # int64[1]; features that it has seen
    state: State


class PartitionState(NamedTuple):
    """All that has been learned."""

    learners: tuple  # of PartitionLearner
    labels: LabelState
    combiner: Combiner
    features: np.ndarray  # int64[1]
    now: np.ndarray  # structured [1], as of a committee
    counts: np.ndarray  # int64[classes]; rows learned of each, of several classes

    @property
    def classes(self) -> tuple:
        """Of several classes, those that have been learned."""
        return self.learners[0].state.classes


class PartitionEnsemble(Engine):
    """Engine of learners of partitions.

    Parameters
    ----------
    options : LearnOptions
        Of each learner.
    count : int
        N, how many there are.
    threads : int
        How many may learn side by side.
    """

    def __init__(self, options: LearnOptions, count: int, threads: int = 1):
        self._options = options
        #: Of each learner one: an engine may hold scratch space.
        self.engines = tuple(make_engine(options) for _ in range(count))
        #: Whether a learner wants to know of features that have no number.
        self.unknown = self.engines[0].unknown
        self._labels = LabelStandardiser(options)
        even = Member(options.method, "raw", weight=1.0 / count)
        self._inputs = inputs_of(options.loss, (even,) * count)
        self._scratch = np.zeros((len(self._inputs) + 2, len(self._inputs)))
        self._map = mapping(ThreadPoolExecutor(threads) if threads > 1 else None)

    def new(self, *classes: int) -> PartitionState:
        """State of new learners; of several classes, how many there is room for."""
        learners = tuple(
            PartitionLearner(np.zeros(0, np.int64), np.zeros(1, np.int64), each.new(*classes)) for each in self.engines
        )
        combiner = new_combiner(self._inputs, precision_for(self._labels.loss), self._options.decay)
        counts = np.zeros(0, np.int64)
        return PartitionState(
            learners, self._labels.new(), combiner, np.zeros(1, np.int64), np.zeros(1, dtype=NOW), counts
        )

    def reserve(self, state: PartitionState, rows: Rows, features: int) -> PartitionState:
        """Room for the features' numbers, and for what the learners have seen; theirs of the rows comes with them."""
        state.features[0] = features
        learners = [
            PartitionLearner(
                grown(own.numbers, features), own.size, engine.reserve(own.state, NO_ROWS, int(own.size[0]))
            )
            for engine, own in zip(self.engines, state.learners, strict=True)
        ]
        return state._replace(learners=tuple(learners))

    def learn(self, state: PartitionState, rows: Rows, out: Predictions, start: int) -> tuple[PartitionState, int]:
        """Learn rows from `start` on; see `Engine.learn`. Learners sit out what they alone would refuse."""
        end = first_wild(rows.indptr, rows.values, rows.y, rows.weight, start, LIMIT)
        part = rows_between(rows, start, end)
        predictions = np.zeros((end - start, len(self.engines)))

        def teach(j: int) -> PartitionLearner:
            own, shown = state.learners[j], self._shown(state.learners[j], part, j)
            after, predicted = learned_by(self.engines[j], own.state, shown, int(own.size[0]))
            predictions[:, j] = predicted.prediction
            return own._replace(state=after)

        state = state._replace(learners=tuple(self._map(teach, range(len(self.engines)))))
        self.combine(state, predictions, part, True, Predictions(*(array[start:end] for array in out)))
        return state, end

    def predict(self, state: PartitionState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        n = len(rows.y)
        predictions = np.zeros((n, len(self.engines)))
        silent = rows._replace(y=np.full(n, np.nan))

        def ask(j: int) -> int:
            predicted = Predictions.empty(n)
            at = self.engines[j].predict(state.learners[j].state, self._shown(state.learners[j], silent, j), predicted)
            predictions[:, j] = predicted.prediction
            return at

        at = min(self._map(ask, range(len(self.engines))))
        self.combine(state, predictions, rows, False, out)
        return at

    def combine(
        self, state: PartitionState, predictions: np.ndarray, rows: Rows, learns: bool, out: Predictions
    ) -> None:
        """Fill `out` from the learners' predictions, float64[n, N]; where it `learns`, row by row.

        Of `rows` only labels, weights and bases are read.
        """
        learns = learns and state.now["passes"][0] == 0
        if learns:
            rows = rows._replace(weight=relative_weights(state.now, rows.weight, rows.y))
        inputs, scale = self._labels.standardise(state.labels, rows, learn=learns)
        V = np.ones((len(rows.y), len(self._inputs)))
        for j in range(predictions.shape[1]):
            V[:, j] = self._input_of(predictions[:, j], rows.base, scale)
        loss = Loss(self._labels.loss.code, scale.par)
        combine(loss, state.combiner, V, inputs.y, inputs.weight, learns, self._scratch, out.raw)
        out.raw[:] = self._labels.unscaled(scale, out.raw, rows.base)
        np.clip(out.raw, -self._options.clip, self._options.clip, out=out.prediction)

    def weights(self, state: PartitionState, features: int) -> np.ndarray:
        """float64[features], or a row for each class: the learners' weights, as the combiner adds predictions up."""
        total: Any = 0.0
        for engine, own, share in zip(self.engines, state.learners, self.shares(state), strict=False):
            known = np.flatnonzero(own.numbers[:features])
            w = engine.weights(own.state, int(own.size[0]))
            spread = np.zeros((*w.shape[:-1], features))
            spread[..., known] = w[..., own.numbers[known] - 1]
            total = total + share * spread
        return total

    def shares(self, state: PartitionState) -> np.ndarray:
        """float64[N]: the combiner's weight of each learner."""
        return weights_of(state.combiner)

    def packed(self, state: PartitionState) -> PartitionState:
        """`state` without room to spare."""
        learners = [
            PartitionLearner(own.numbers[: state.features[0]], own.size, engine.packed(own.state))
            for engine, own in zip(self.engines, state.learners, strict=True)
        ]
        return state._replace(learners=tuple(learners))

    def facts(self, state: PartitionState) -> dict[str, Any]:
        """partitions: of each learner the combiner's weight, and its own facts."""
        learners = zip(self.shares(state).tolist(), self.engines, state.learners, strict=False)
        return {"partitions": [{"weight": share, **engine.facts(own.state)} for share, engine, own in learners]}

    def next_pass(self, state: PartitionState) -> None:
        """The rows to come have been learned from before: the combiner learns only in the first pass."""
        state.now["passes"] += 1
        for engine, own in zip(self.engines, state.learners, strict=True):
            engine.next_pass(own.state)

    # -- details -----------------------------------------------------------------------------------------------------

    def count(self, state: LabelState, rows: Rows) -> None:
        """Count the labels of rows that a learner has learned elsewhere; `state` is changed in place."""
        self._labels.standardise(state, rows)

    def _shown(self, own: PartitionLearner, rows: Rows, j: int) -> Rows:
        """`rows` with the numbers of learner j; features that it learns for the first time get theirs."""
        out = room_for(rows, int(rows.indptr[-1]))
        renumber(rows, own.numbers, own.size, self.unknown, out)
        constant = int(own.numbers[rows.constant]) - 1 if rows.constant != NO_CONSTANT else -1
        return out._replace(constant=constant if constant >= 0 else NO_CONSTANT)

    def _input_of(self, predictions: np.ndarray, base: np.ndarray, scale: LabelScale) -> np.ndarray:
        """float64[n]: a learner's predictions as inputs of the combiner."""
        margins = predictions - base
        if self._options.loss in CLASSIFICATION:
            return np.clip(margins, -SURE, SURE)
        if self._options.loss == "poisson":
            margins = np.exp(np.clip(margins, -SURE, SURE))
        unit = np.where(scale.unit > 0.0, scale.unit, 1.0)
        return np.clip((margins - scale.mean) / unit, scale.low, scale.high)


@jit
def renumber(rows, numbers, size, unknown, out):
    """Fill `out` with `rows` in other numbers: numbers[f] - 1 stands for f.

    Features that have none get the next one in a row that is learned from. In others they are -1 if `unknown`, or left
    out and measured; so do those that have no number here.
    """
    at = 0
    for i in range(len(rows.y)):
        learned = is_learned(rows.weight[i], rows.y[i])
        for e in range(rows.indptr[i], rows.indptr[i + 1]):
            f = rows.features[e]
            if f >= 0 and numbers[f] == 0 and learned:
                size[0] += 1
                numbers[f] = size[0]
            own = numbers[f] - 1 if f >= 0 else -1
            if own >= 0 or unknown:
                out.features[at], out.values[at] = own, rows.values[e]
                at += 1
            elif rows.values[e] != 0.0:
                leave_out(out, i, rows.values[e])
        out.unseen[i] += rows.unseen[i]
        out.indptr[i + 1] = at
