"""Puts learners that cannot be merged (`merging`), each of partitions of its own, into one model as large as all.

`Tally` is what the merge needs besides each learner: its labels and row counts. `merge_learners` returns a learner that
holds them all (`ensemble.partitions`); its combiner then learns on further rows, which none of them has learned. Either
``merged.partial_fit`` does that, or each learner learns these rows where it is, before the merge, and `fit_combiner`
takes their predictions. Both ways give the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.rows import Rows, learned_rows
from sonlearn.errors import InputError, OptionError
from sonlearn.learn.engine import State
from sonlearn.learn.ensemble.class_partitions import ClassPredictions
from sonlearn.learn.ensemble.committee import NOW
from sonlearn.learn.ensemble.importance import relative_weights
from sonlearn.learn.ensemble.label_scale import LabelStandardiser, LabelState
from sonlearn.learn.ensemble.partitions import PartitionLearner
from sonlearn.learn.labels import PLUS_MINUS, WORDS, ZERO_ONE
from sonlearn.learn.learner import Learner, Predicted, PredictedClass
from sonlearn.learn.multiclass.one_vs_rest import Scores, first_occurrences
from sonlearn.named import NamedTuple
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
        return cls(LabelStandardiser(options).new(), np.zeros(1, dtype=NOW), {})

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
            LabelStandardiser(learner.options).standardise(self.labels, rows)


class PartitionPredictions(NamedTuple):
    """What a learner predicted for n rows before it learned them: scores of classes, or in one column predictions."""

    scores: np.ndarray  # float64[n, K], or float64[n, 1]
    refused: np.ndarray  # bool[n]
    labels: list  # of the K classes
    unseen: np.ndarray  # float64[n], the score of any other class

    @classmethod
    def of(cls, learner: Learner, predicted: Predicted | PredictedClass) -> PartitionPredictions:
        """What `learner` has just predicted."""
        if learner.options.several:
            return cls(predicted.scores, predicted.refused, learner.classes, predicted.unseen)
        prediction = np.clip(predicted.raw, *learner.options.bounds)  # what is printed may be something else
        return cls(prediction[:, None], predicted.refused, [], np.zeros(0))


def merge_learners(
    learners: Sequence[Learner], tallies: Sequence[Tally], names: Sequence[str], *, threads: int = 1
) -> Learner:
    """A learner that holds these learners of partitions, and a new combiner.

    Parameters
    ----------
    learners : of the same options, none of them holds others; their states become the new one's
    tallies : of each, up to where the combiner begins
    names : what to call their partitions of the data in messages
    threads : how many may learn side by side

    Raises
    ------
    OptionError
        The learners are not alike.
    InputError
        One partition has labels 0 and 1, another -1 and +1; or numbers and names of classes.
    """
    first = learners[0]
    if any(each.options != first.options or each.partitions is not None for each in learners):
        raise OptionError("learners of other options, or merged learners of partitions, cannot be merged")
    merged = Learner(first.options, first.text, threads=threads, partitions=len(learners))
    if first.options.several:
        states = _of_same_classes(merged, learners, tallies, names)
    else:
        merged.labels.restore(_coding(learners, names))
        states = [learner.state for learner in learners]
    merged.index, places = index_of(first.index.ids[: first.size]), []
    for learner in learners:
        ids = learner.index.ids[: learner.size]
        rows, merged.index = intern(_row_of(ids), merged.index)
        places.append(rows.features[: len(ids)])
    state, size = merged.state, merged.size
    partitions = []
    for own, place in zip(states, places, strict=True):
        numbers = np.zeros(size, np.int64)
        numbers[place] = np.arange(1, len(place) + 1)
        partitions.append(PartitionLearner(numbers, np.array([len(place)]), own))
    for tally in tallies:
        _pool(state.labels, state.now, tally)
    merged.state = state._replace(learners=tuple(partitions), features=np.array([size]))
    merged.examples = sum(learner.examples for learner in learners)
    return merged


def fit_combiner(
    merged: Learner, batch: Batch, predictions: Sequence[PartitionPredictions]
) -> Predicted | PredictedClass:
    """Let the combiner learn rows that the learners have learned already; returns what it predicts before each.

    A row that all learners have refused is left out.

    Parameters
    ----------
    merged : Learner, of N partitions
    batch : Batch, of which only labels, weights and bases are read
    predictions : N of them, what each learner predicted before it learned the rows

    Raises
    ------
    InputError
        A label does not fit those before.
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
        scores: Any = _scores(merged.classes, predictions)
    else:
        scores = np.column_stack([np.where(each.refused, 0.0, each.scores[:, 0]) for each in predictions])
    merged.engine.combine(merged.state, scores, rows, True, out)
    return merged.as_predicted(out, rows.y, batch, refused, learned_rows(rows) & ~refused)


def _scores(labels: list[int | str], predictions: Sequence[PartitionPredictions]) -> ClassPredictions:
    """Scores of the learners for classes in the order of `labels`."""
    n = len(predictions[0].refused)
    scores = ClassPredictions(np.zeros((n, len(labels), len(predictions))), np.zeros((n, len(predictions))))
    for j, each in enumerate(predictions):
        scores.unseen[:, j] = each.unseen
        for k, label in enumerate(labels):
            scores.scores[:, k, j] = each.scores[:, each.labels.index(label)] if label in each.labels else each.unseen
    return scores


def rows_without_features(batch: Batch, y: np.ndarray) -> Rows:
    """Labels, weights and bases of `batch`, with the labels `y`."""
    none = np.zeros(0)
    base = np.zeros(batch.n) if batch.base is None else batch.base
    indptr, unseen = np.zeros(batch.n + 1, np.int64), np.zeros((batch.n, 2))
    return Rows(indptr, none.astype(np.int64), none, y, batch.weight, base, unseen)


def _row_of(ids: np.ndarray) -> Batch:
    """One row with these features, to be learned from."""
    one = np.ones(1)
    return Batch(np.array([0, len(ids)]), ids, np.ones(len(ids)), one, one, np.ones(1, np.int64))


def _of_same_classes(
    merged: Learner, learners: Sequence[Learner], tallies: Sequence[Tally], names: Sequence[str]
) -> list[State]:
    """The learners' states, with the same classes in the same order; the merged learner knows those of the tallies.

    Classes that have only been met since come behind, in the order in which all learners have met them.
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


def _coding(learners: Sequence[Learner], names: Sequence[str]) -> dict[str, Any]:
    """How all of them have labels written."""
    headers = [each.labels.header() for each in learners]
    known = {header["coding"]: name for header, name in zip(reversed(headers), reversed(names), strict=True)}
    if ZERO_ONE in known and PLUS_MINUS in known:
        raise InputError(known[PLUS_MINUS], None, None, "labels -1 and +1", f"0 and 1, as in {known[ZERO_ONE]}")
    words: list[str | None] = [None, None]
    for header, name in zip(headers, names, strict=True):
        for place, word in enumerate(header["words"]):
            if word is not None and (words[place] not in (None, word) or word == words[1 - place]):
                found = f"labels {header['words'][0]} and {header['words'][1]}"
                raise InputError(name, None, None, found, f"{words[0]} and {words[1]}; give --positive LABEL")
            words[place] = word if word is not None else words[place]
    numeric = any(header["numeric"] for header in headers)
    if WORDS in known and numeric:
        raise InputError(known[WORDS], None, None, "labels that are words", "numbers, as elsewhere")
    return {"coding": max(known), "words": words, "numeric": numeric}


def _pool(labels: LabelState, now: np.ndarray, tally: Tally) -> None:
    """Add a tally to the moments and the range of labels, and to what is known of weights."""
    now["rows"] += tally.now["rows"]
    now["weight"] += tally.now["weight"]
    (n, mean, M2), (m, other, more) = labels.moments, tally.labels.moments
    if m == 0.0:
        return
    share = m / (n + m)
    low, high = tally.labels.range
    labels.range[:] = (low, high) if n == 0.0 else (min(low, labels.range[0]), max(high, labels.range[1]))
    labels.moments[:] = n + m, mean + share * (other - mean), M2 + more + n * share * (other - mean) ** 2
