"""Learners of parts of the data become one: what has been learned on several machines is put together.

`Tally` is what a learner's part has to be known of beside the learner. `unite` makes a learner whose parts these are
(`sonlearn.learn.combine.parts`). Then its combiner has to learn on further rows, which no part has learned. Either
``united.partial_fit`` does it all, or each learner learns these rows where it is, before they are united, and `hear` is
told what they have predicted: the predictions are the same, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sonlearn.batch import Batch, Rows
from sonlearn.errors import InputError, OptionError
from sonlearn.learn.combine.committee import NOW, bounded_weights
from sonlearn.learn.combine.parts import Part
from sonlearn.learn.combine.target import State, Target
from sonlearn.learn.engine import Predictions
from sonlearn.learn.labels import PLUS_MINUS, ZERO_ONE
from sonlearn.learn.learner import Learner, Predicted
from sonlearn.options import LearnOptions
from sonlearn.views.index import index_of, intern


class Tally(NamedTuple):
    """Labels and weights of the rows that a learner has learned. Changed in place."""

    labels: State
    now: np.ndarray  # structured [1], as of a committee

    @classmethod
    def new(cls, options: LearnOptions) -> Tally:
        """Of no rows."""
        return cls(Target(options).new(), np.zeros(1, dtype=NOW))

    def add(self, options: LearnOptions, batch: Batch, refused: np.ndarray) -> None:
        """Count the rows of `batch`, but those that were `refused`."""
        rows = rows_without_features(batch._replace(weight=np.where(refused, 0.0, batch.weight)), batch.y)
        Target(options).see(self.labels, rows._replace(weight=bounded_weights(self.now, rows.weight, rows.y)))


def unite(learners: Sequence[Learner], tallies: Sequence[Tally], names: Sequence[str], *, threads: int = 1) -> Learner:
    """A learner that has these as its parts, its combiner as new.

    Parameters
    ----------
    learners : of the same options, none of them united itself; their states become the new one's
    tallies : of each, up to where the combiner begins
    names : what to call their parts of the data in messages
    threads : how many may learn side by side

    Raises
    ------
    OptionError
        There are several classes, or the learners are not alike.
    InputError
        One part has labels 0 and 1, another -1 and +1.
    """
    first = learners[0]
    if first.options.several:
        raise OptionError("learners of several classes cannot be put together: learn on one machine")
    if any(each.options != first.options or each.parts is not None for each in learners):
        raise OptionError("learners of other options, or of parts themselves, cannot be put together")
    united = Learner(first.options, first.text, threads=threads, parts=len(learners))
    united._labels.coding = _coding(learners, names)
    united._index, places = index_of(first._index.ids[: first._size]), []
    for learner in learners:
        ids = learner._index.ids[: learner._size]
        rows, united._index = intern(_row_of(ids), united._index)
        places.append(rows.features[: len(ids)])
    state, size = united._state, united._size
    parts = []
    for learner, place in zip(learners, places, strict=True):
        numbers = np.zeros(size, np.int64)
        numbers[place] = np.arange(1, len(place) + 1)
        parts.append(Part(numbers, np.array([len(place)]), learner._state))
    for tally in tallies:
        _pool(state.target, state.now, tally)
    united._state = state._replace(parts=tuple(parts), features=np.array([size]))
    united.examples = sum(learner.examples for learner in learners)
    return united


def hear(united: Learner, batch: Batch, said: np.ndarray, refused: np.ndarray) -> Predicted:
    """Let the combiner learn rows that the learners have learned already; returns what it predicts before each.

    Parameters
    ----------
    united : Learner, of N parts
    batch : Batch, of which only labels, weights and bases are looked at
    said : float64[n, N], what each learner's prediction was; 0 where it refused the row
    refused : bool[n], rows that are to be left out

    Raises
    ------
    InputError
        A label does not fit those before.
    """
    y, bad = united._labels.coded(batch, remember=True)
    if bad < batch.n:
        raise united._labels.error(batch, bad)
    rows, out = rows_without_features(batch, y), Predictions.empty(batch.n)
    rows = rows._replace(weight=np.where(refused, 0.0, rows.weight))
    united._engine.combine(united._state, said, rows, True, out)
    return united._judged(out, rows, batch, refused)


def rows_without_features(batch: Batch, y: np.ndarray) -> Rows:
    """Labels, weights and bases of `batch`, with the labels `y`."""
    none = np.zeros(0)
    base = np.zeros(batch.n) if batch.base is None else batch.base
    return Rows(np.zeros(batch.n + 1, np.int64), none.astype(np.int64), none, y, batch.weight, base)


def _row_of(ids: np.ndarray) -> Batch:
    """One row with these features, to be learned from."""
    one = np.ones(1)
    return Batch(np.array([0, len(ids)]), ids, np.ones(len(ids)), one, one, np.ones(1, np.int64))


def _coding(learners: Sequence[Learner], names: Sequence[str]) -> int:
    """How all of them have negative labels written."""
    known = {each._labels.coding: name for each, name in zip(reversed(learners), reversed(names), strict=True)}
    if ZERO_ONE in known and PLUS_MINUS in known:
        raise InputError(known[PLUS_MINUS], None, None, "labels -1 and +1", f"0 and 1, as in {known[ZERO_ONE]}")
    return max(known)


def _pool(labels: State, now: np.ndarray, tally: Tally) -> None:
    """Add a tally to the moments and the range of labels, and to what is known of weights."""
    now["rows"] += tally.now["rows"]
    now["weight"] += tally.now["weight"]
    (n, mean, M2), (m, other, more) = labels.moments, tally.labels.moments
    if m == 0.0:
        return
    share = m / (n + m)
    low, high = tally.labels.seen
    labels.seen[:] = (low, high) if n == 0.0 else (min(low, labels.seen[0]), max(high, labels.seen[1]))
    labels.moments[:] = n + m, mean + share * (other - mean), M2 + more + n * share * (other - mean) ** 2
