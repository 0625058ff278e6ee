"""What learners on tables of pairs have in common: room, and tables as columns side by side for merges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sonlearn.data import axes
from sonlearn.data.axes import BY_FEATURE, Axis, Numbers
from sonlearn.data.rows import Rows, longest_row
from sonlearn.jit.sequence import Calls, run_calls
from sonlearn.learn.engine import Engine, Predictions, State
from sonlearn.learn.multiclass.pairs import (
    Pairs,
    bytes_of,
    columns_of,
    count_pairs,
    more_room,
    new_pairs,
    packed_pairs,
    places_needed,
    reserve_pairs,
    weights_of,
)


class _Pairs(Axis):
    def reserved(self, array: Pairs, now: np.ndarray, room: dict[str, int]) -> Pairs:
        return reserve_pairs(array, room.get("seen", 0))

    def packed(self, array: Pairs, now: np.ndarray) -> Pairs:
        return packed_pairs(array)

    def renumbered(self, array: Pairs, numbers: Numbers) -> Pairs:
        feature, classes, values = columns_of(array)
        feature, stays = numbers.features[feature], numbers.features[feature] >= 0
        classes = classes if numbers.classes is None else numbers.classes[classes]
        return table_of(feature[stays], classes[stays], values[stays], numbers.most)


#: A table of pairs of features and classes. For pairs themselves there is room on the way.
PAIRS = _Pairs()


class OfPairs(Engine):
    """Learner whose state has a table of `pairs`, and in `now` the classes and the features that it has seen.

    Parameters
    ----------
    kernel : kernel (*given, state, scratch, rows, scores, start, learns)
        It predicts rows from `start` on and, where it `learns`, learns them; it returns where there is no room for
        pairs, or n.
    given : tuple
    scratch : function (longest row, classes)
        Makes the scratch space of one row under way.
    decay : float
        What is forgotten with each row.
    """

    merges = True
    counts_features = True
    by_class = True
    #: How many classes each feature of a row meets at most; None: all.
    most_met: int | None = None

    def __init__(self, kernel: Callable, given: tuple, scratch: Callable[[int, int], Any], decay: float):
        self._kernel, self._given, self._scratch = kernel, given, scratch
        self._decay, self.retention = decay, 1.0 - decay

    def calls(self, state: State, rows: Rows, out: Predictions, start: int = 0, learns: bool = True) -> Calls:
        """See `Engine.calls`."""
        scratch = self._scratch(longest_row(rows), out.raw.shape[1])
        return [(self._kernel, (*self._given, state, scratch, rows, out.raw, start, learns))]

    def weights(self, state: State, features: int, number: int | None = None) -> np.ndarray:
        """See `Engine.weights`; of counts there are none."""
        if self.counts:
            return super().weights(state, features, number)
        return weights_of(state.pairs, features, self.met(state), number)

    def learn(self, state: State, rows: Rows, out: Predictions, start: int) -> tuple[State, int]:
        """Predict and learn rows from `start` on (see `Engine.learn`); what is not learned with room is refused."""
        at, before, classes = run_calls(self.calls(state, rows, out, start)), -1, out.raw.shape[1]
        while before < at < len(rows.y):
            before, more = at, classes if self.most_met is None else self.most_met
            places = places_needed(state.pairs, rows, at, more, classes)
            state = state._replace(pairs=more_room(state.pairs, places, classes))
            at = run_calls(self.calls(state, rows, out, at))
        return state, at

    def facts(self, state: State) -> dict[str, Any]:
        """pairs: of features and classes that met; bytes that they take."""
        seen = int(state.now["seen"][0])
        by_feature = [getattr(state, name)[:seen] for name, axis, _ in axes.axes_of(type(state)) if axis is BY_FEATURE]
        return {
            "pairs": count_pairs(state.pairs),
            "bytes": bytes_of(state.pairs) + sum(array.nbytes for array in by_feature),
        }


def faded(pairs: Pairs, column: int, left: np.ndarray) -> Pairs:
    """A table, packed, whose numbers in `column` are multiplied with what is `left` of those of each feature."""
    feature, _, values = columns_of(pairs)
    values = values.astype(np.float64)
    values[:, column] *= left[feature]
    return packed_pairs(pairs)._replace(values=class_columns(values))


def side_by_side(tables: Sequence[Pairs]) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """(feature int64[n], class int64[n], of each table float64[n, C]) of the pairs that occur in any of them.

    Where a pair does not occur its numbers are 0.
    """
    entries = [columns_of(pairs) for pairs in tables]
    classes = 1 + max((int(own.max(initial=-1)) for _, own, _ in entries), default=0)
    keys = [feature * classes + own for feature, own, _ in entries]
    every = np.unique(np.concatenate(keys))
    columns = []
    for own, (_, _, values) in zip(keys, entries, strict=True):
        column = np.zeros((len(every), values.shape[1]))
        column[np.searchsorted(every, own)] = values
        columns.append(column)
    return every // max(classes, 1), every % max(classes, 1), columns


def table_of(feature: np.ndarray, classes: np.ndarray, values: np.ndarray, features: int) -> Pairs:
    """The packed table of these pairs, whose numbers are float64[pairs, C]; those without a number are left out."""
    values = values.astype(np.float32)
    some = (values != 0.0).any(axis=1)
    feature, classes, values = feature[some], classes[some], values[some]
    order = np.lexsort((classes, feature))
    size = np.bincount(feature, minlength=features).astype(np.int32)
    return packed_pairs(
        new_pairs(values.shape[1])._replace(
            size=size, classes=classes[order].astype(np.int32), values=class_columns(values[order])
        )
    )


def class_columns(values: np.ndarray) -> tuple[np.ndarray, ...]:
    """The columns of `values`, as a table holds them."""
    return tuple(np.ascontiguousarray(column, dtype=np.float32) for column in values.T)
