"""Merges learners of several partitions of the data, each learned on a machine of its own, into one.

`Tally` is what the merge needs besides each learner: its labels and row counts. `merge_learners` returns a learner that
holds them all (`ensemble.partitions`); its combiner then learns on further rows, which none of them has learned. Either
``merged.partial_fit`` does that, or each learner learns these rows where it is, before the merge, and `fit_combiner`
takes their predictions. Both ways give the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.rows import Rows
from sonlearn.errors import InputError, OptionError
from sonlearn.learn.engine import State
from sonlearn.learn.ensemble.class_partitions import ClassPredictions
from sonlearn.learn.ensemble.committee import NOW
from sonlearn.learn.ensemble.importance import relative_weights
from sonlearn.learn.ensemble.label_scale import LabelScaler
from sonlearn.learn.ensemble.label_scale import State as LabelState
from sonlearn.learn.ensemble.partitions import PartitionLearner
from sonlearn.learn.labels import PLUS_MINUS, ZERO_ONE
from sonlearn.learn.learner import Learner, Predicted, PredictedClass
from sonlearn.learn.multiclass.one_vs_rest import Scores, first_occurrences
from sonlearn.options import LearnOptions
from sonlearn.views.index import index_of, intern


class Tally(NamedTuple):
    """Labels and weights of the rows that a learner has learned. Changed in place."""

    labels: LabelState
    now: np.ndarray  # structured [1], as of a committee
    classes: dict  # of several classes: {label: rows}, in the order in which they were met

    @classmethod
    def new(cls, options: LearnOptions) -> Tally:
        """Of no rows."""
        return cls(LabelScaler(options).new(), np.zeros(1, dtype=NOW), {})

    def add(self, learner: Learner, batch: Batch, predicted: Predicted | PredictedClass) -> None:
        """Count the rows of `batch` that `learner` has just learned, but those that it refused."""
        several = learner.options.several
        y = predicted.label if several else batch.y
        rows = rows_without_features(batch._replace(weight=np.where(predicted.refused, 0.0, batch.weight)), y)
        rows = rows._replace(weight=relative_weights(self.now, rows.weight, rows.y))
        if several:
            labels = learner.classes
            found = np.unique(y[(rows.weight > 0) & ~np.isnan(y)].astype(np.int64), return_counts=True)
            self.classes.update({label: self.classes.get(label, 0) for label in labels})
            for value, count in zip(found[0].tolist(), found[1].tolist(), strict=True):
                self.classes[labels[value] if isinstance(labels[0], str) else value] += count
        else:
            LabelScaler(learner.options).fit_transform(self.labels, rows)


class PartitionPredictions(NamedTuple):
    """A learner's predictions of n rows before it learned them."""

    scores: np.ndarray  # float64[n, K], scores of the classes, or float64[n, 1], predictions
    refused: np.ndarray  # bool[n]
    labels: list  # of the K classes
    unseen: np.ndarray  # float64[n], the score of a class that has not occurred

    @classmethod
    def of(cls, learner: Learner, predicted: Predicted | PredictedClass) -> PartitionPredictions:
        """The predictions `predicted` that `learner` has just made."""
        if learner.options.several:
            return cls(predicted.scores, predicted.refused, learner.classes, predicted.unseen)
        prediction = np.clip(predicted.raw, *learner.options.bounds)  # `predicted.prediction` may be under a link
        return cls(prediction[:, None], predicted.refused, [], np.zeros(0))


def merge_learners(
    learners: Sequence[Learner], tallies: Sequence[Tally], names: Sequence[str], *, threads: int = 1
) -> Learner:
    """A learner that contains the given learners and a new combiner.

    Parameters
    ----------
    learners : sequence of Learner
        With the same options, none of them merged itself. The new learner takes over their states.
    tallies : sequence of Tally
        The tally of each learner, of the rows before the combiner begins.
    names : sequence of str
        Names of their partitions of the data, for messages.
    threads : int
        Number of learners that may learn at the same time.

    Raises
    ------
    OptionError
        The learners have different options, or one is merged itself.
    InputError
        One partition has labels 0 and 1, another -1 and +1; or one has numbers as classes, another names.
    """
    first = learners[0]
    if any(each.options != first.options or each.parts is not None for each in learners):
        raise OptionError("learners cannot be merged if their options differ, or if one of them was merged before")
    merged = Learner(first.options, first.text, threads=threads, parts=len(learners))
    if first.options.several:
        states = _states_with_same_classes(merged, learners, tallies, names)
    else:
        merged.labels.coding = _coding(learners, names)
        states = [learner.state for learner in learners]
    merged.index, places = index_of(first.index.ids[: first.size]), []
    for learner in learners:
        ids = learner.index.ids[: learner.size]
        rows, merged.index = intern(_row_of(ids), merged.index)
        places.append(rows.features[: len(ids)])
    state, size = merged.state, merged.size
    parts = []
    for own, place in zip(states, places, strict=True):
        numbers = np.zeros(size, np.int64)
        numbers[place] = np.arange(1, len(place) + 1)
        parts.append(PartitionLearner(numbers, np.array([len(place)]), own))
    for tally in tallies:
        _pool(state.target, state.now, tally)
    merged.state = state._replace(parts=tuple(parts), features=np.array([size]))
    merged.examples = sum(learner.examples for learner in learners)
    return merged


def fit_combiner(
    merged: Learner, batch: Batch, predictions: Sequence[PartitionPredictions]
) -> Predicted | PredictedClass:
    """Train the combiner on rows that the learners have learned already; returns its predictions before each row.

    A row that all learners refused is not learned.

    Parameters
    ----------
    merged : Learner
        Result of `merge_learners` of N learners; modified.
    batch : Batch
        Only labels, weights and bases are used.
    predictions : sequence of N PartitionPredictions
        The predictions of each learner before it learned the rows.

    Raises
    ------
    InputError
        A label does not fit the labels before.
    """
    refused = np.logical_and.reduce([each.refused for each in predictions])
    before = len(merged.classes) if merged.options.several else 0
    y, bad = merged.labels.coded(batch, remember=True)
    if bad < batch.n:
        raise merged.labels.error(batch, bad)
    rows, out = rows_without_features(batch, y), merged.empty_predictions(batch.n)
    rows = rows._replace(weight=np.where(refused, 0.0, rows.weight))
    if isinstance(out, Scores):
        out.met[:] = before + np.searchsorted(
            first_occurrences(np.where(batch.weight > 0, y, np.nan), before), np.arange(batch.n)
        )
        inputs: Any = _scores(merged.classes, predictions)
    else:
        inputs = np.column_stack([np.where(each.refused, 0.0, each.scores[:, 0]) for each in predictions])
    merged.engine.combine(merged.state, inputs, rows, True, out)
    return merged.as_predicted(out, rows, batch, refused)


def _scores(labels: list[int | str], predictions: Sequence[PartitionPredictions]) -> ClassPredictions:
    """The learners' scores, with the classes in the order of `labels`."""
    n = len(predictions[0].refused)
    inputs = ClassPredictions(np.zeros((n, len(labels), len(predictions))), np.zeros((n, len(predictions))))
    for j, each in enumerate(predictions):
        inputs.unseen[:, j] = each.unseen
        for k, label in enumerate(labels):
            inputs.scores[:, k, j] = each.scores[:, each.labels.index(label)] if label in each.labels else each.unseen
    return inputs


def rows_without_features(batch: Batch, y: np.ndarray) -> Rows:
    """Rows without features: the weights and bases of `batch`, with the labels `y`."""
    none = np.zeros(0)
    base = np.zeros(batch.n) if batch.base is None else batch.base
    return Rows(np.zeros(batch.n + 1, np.int64), none.astype(np.int64), none, y, batch.weight, base)


def _row_of(ids: np.ndarray) -> Batch:
    """One learnable row with these features."""
    one = np.ones(1)
    return Batch(np.array([0, len(ids)]), ids, np.ones(len(ids)), one, one, np.ones(1, np.int64))


def _states_with_same_classes(
    merged: Learner, learners: Sequence[Learner], tallies: Sequence[Tally], names: Sequence[str]
) -> list[State]:
    """The learners' states, with the same classes in the same order. Gives `merged` the classes of the tallies.

    Classes that occurred only later come last, in the order of first occurrence over all learners.
    """
    kinds = {type(label): name for each, name in zip(learners, names, strict=True) for label in each.classes[:1]}
    if len(kinds) > 1:
        raise InputError(kinds[str], None, None, "names of classes", f"whole numbers, as in {kinds[int]}")
    firsts = {each.labels.first: name for each, name in zip(learners, names, strict=True)}
    if 0 in firsts and 1 in firsts:
        most = merged.options.oaa
        raise InputError(firsts[1], None, None, f"classes 1 to {most}", f"0 to {most - 1}, as in {firsts[0]}")
    known = list(dict.fromkeys(label for tally in tallies for label in tally.classes))
    order = list(dict.fromkeys([*known, *(label for each in learners for label in each.classes)]))
    first = next((first for first in firsts if first is not None), None)
    merged.restore_classes({"labels": known, "first": first})
    counts = [sum(tally.classes.get(label, 0) for tally in tallies) for label in order]
    merged.state = merged.state._replace(counts=np.array(counts, dtype=np.int64))
    return [
        engine.reordered(each.state, [each.classes.index(k) if k in each.classes else None for k in order])
        for engine, each in zip(merged.engine.engines, learners, strict=True)
    ]


def _coding(learners: Sequence[Learner], names: Sequence[str]) -> int:
    """The common coding of negative labels. Raises InputError if there is none."""
    known = {each.labels.coding: name for each, name in zip(reversed(learners), reversed(names), strict=True)}
    if ZERO_ONE in known and PLUS_MINUS in known:
        raise InputError(known[PLUS_MINUS], None, None, "labels -1 and +1", f"0 and 1, as in {known[ZERO_ONE]}")
    return max(known)


def _pool(labels: LabelState, now: np.ndarray, tally: Tally) -> None:
    """Add a tally to the moments and the range of the labels, and to the sums of weights (`labels`, `now` modified)."""
    now["rows"] += tally.now["rows"]
    now["weight"] += tally.now["weight"]
    (n, mean, M2), (m, other, more) = labels.moments, tally.labels.moments
    if m == 0.0:
        return
    share = m / (n + m)
    low, high = tally.labels.seen
    labels.seen[:] = (low, high) if n == 0.0 else (min(low, labels.seen[0]), max(high, labels.seen[1]))
    labels.moments[:] = n + m, mean + share * (other - mean), M2 + more + n * share * (other - mean) ** 2
