"""Tables of pairs (`sonlearn.learn.pairs`) as states have them: made, kept, numbered otherwise and merged.

`PairsEngine` is what the learners on such tables have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sonlearn.data import axes
from sonlearn.data.arrays import grown, zeros
from sonlearn.data.axes import BY_FEATURE, Axis, Numbers
from sonlearn.data.rows import Rows, longest_row
from sonlearn.jit.sequence import Calls, run_calls
from sonlearn.learn.engine import Engine, Predictions, State
from sonlearn.learn.pairs import CACHE_LINE_PLACES, MIN_SIZE, NONE, SIZES, SMALL, SPARSE, Pairs, places_needed

#: Features of a table in use whose pairs are listed at a time.
_AT_A_TIME = 1 << 16


class _Pairs(Axis):
    def reserved(self, array: Pairs, now: np.ndarray, room: dict[str, int]) -> Pairs:
        return reserve_pairs(array, room.get("seen", 0))

    def packed(self, array: Pairs, now: np.ndarray) -> Pairs:
        return packed_pairs(array)

    def renumbered(self, array: Pairs, numbers: Numbers) -> Pairs:
        feature, classes, values = columns_of(array)
        feature, stays = numbers.features[feature], numbers.features[feature] >= 0
        classes = classes if numbers.classes is None else numbers.classes[classes]
        return table_of(feature[stays], classes[stays], values[stays])


#: A table of pairs of features and classes. For pairs themselves there is room on the way.
PAIRS = _Pairs()


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


def table_of(feature: np.ndarray, classes: np.ndarray, values: np.ndarray) -> Pairs:
    """The packed table of these pairs, whose numbers are float64[pairs, C]; those without a number are left out."""
    values = values.astype(np.float32)
    some = (values != 0.0).any(axis=1)
    feature, classes, values = feature[some], classes[some], values[some]
    order = np.lexsort((classes, feature))
    size, classes = np.bincount(feature).astype(np.int32), classes[order].astype(np.int32)
    return new_pairs(values.shape[1])._replace(size=size, classes=classes, values=class_columns(values[order]))


def class_columns(values: np.ndarray) -> tuple[np.ndarray, ...]:
    """The columns of `values`, as a table holds them."""
    return tuple(np.ascontiguousarray(column, dtype=np.float32) for column in values.T)


def new_pairs(columns: int) -> Pairs:
    """A table without a pair, with so many numbers for each."""
    return Pairs(
        np.zeros(0, np.int32), np.zeros(0, dtype=[("begin", "i8"), ("size", "i4"), ("capacity", "i4")]),
        np.zeros(0, np.int32), (np.zeros(0, np.float32),) * columns, np.full(SIZES, NONE),
        np.zeros(1, dtype=[("used", "i8")]),
    )  # fmt: skip


def reserve_pairs(pairs: Pairs, features: int) -> Pairs:
    """`pairs` with room for so many features; a packed table is laid out anew."""
    if len(pairs.size):
        pairs = _laid_out(pairs)
    return pairs._replace(blocks=grown(pairs.blocks, features))


def more_room(pairs: Pairs, places: int, classes: int) -> Pairs:
    """`pairs` with so many places in the pool beyond those used, for so many classes."""
    used = int(pairs.now["used"][0])
    length = -(-max(used + places, 1024) // CACHE_LINE_PLACES) * CACHE_LINE_PLACES
    if length > len(pairs.values[0]):  # room takes no memory before it is written to, and copies do
        length = max(length, 4 * len(pairs.values[0]))
    values = tuple(grown(column, length, used) for column in pairs.values)
    lists = pairs.classes
    if classes > SMALL:
        lists = grown(lists, len(values[0]), min(used, len(lists)))
    return pairs._replace(classes=lists, values=values)


def packed_pairs(pairs: Pairs) -> Pairs:
    """`pairs` for storage: equal tables give equal arrays."""
    if not len(pairs.blocks):  # it is packed
        return pairs
    steps = range(0, len(pairs.blocks), _AT_A_TIME)
    feature, classes, at = (np.concatenate(each) for each in zip(*(_entries(pairs, i) for i in steps), strict=True))
    size = np.bincount(feature).astype(np.int32)
    values = tuple(column[at] for column in pairs.values)
    return new_pairs(len(values))._replace(size=size, classes=classes, values=values)


def _entries(pairs: Pairs, start: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(feature, class, place) of all pairs of the next features that have a number, in this order."""
    blocks = pairs.blocks[start : start + _AT_A_TIME]
    extent = np.maximum(blocks["size"], blocks["capacity"])
    ends = np.cumsum(extent, dtype=np.int64)
    feature = np.repeat(np.arange(len(blocks)), extent)
    within = np.arange(len(feature)) - np.repeat(ends - extent, extent)
    at = within + blocks["begin"][feature]
    some = np.any([column[at] != 0.0 for column in pairs.values], axis=0)
    feature, within, at = feature[some], within[some], at[some]
    listed = blocks["capacity"][feature] == 0
    classes = within.astype(np.int32)
    if listed.any():
        classes[listed] = pairs.classes[at[listed]]
        order = np.lexsort((classes, feature))
        feature, classes, at = feature[order], classes[order], at[order]
    return feature + start, classes, at


def _laid_out(pairs: Pairs) -> Pairs:
    """A packed table with blocks as learning has them."""
    size, classes = pairs.size.astype(np.int64), 1 + int(pairs.classes.max(initial=0))
    lists, whole = _power_of_two(np.maximum(size, MIN_SIZE)), int(_power_of_two(np.array([max(classes, MIN_SIZE)]))[0])
    dense = (size > 0) & ((whole <= SMALL) | (lists * SPARSE >= 2 * whole))
    places = np.where(size > 0, np.where(dense, whole, lists), 0)
    out, order, used = new_pairs(len(pairs.values)), np.argsort(-places, kind="stable"), int(places.sum())
    blocks = np.zeros(len(size), dtype=out.blocks.dtype)
    blocks["begin"][order] = np.cumsum(places[order]) - places[order]  # so each begins at a multiple of its places
    blocks["capacity"], blocks["size"] = np.where(dense, whole, 0), np.where(dense, 0, size)
    feature = np.repeat(np.arange(len(size)), size)
    within = np.arange(len(feature)) - np.repeat(np.cumsum(size) - size, size)
    at = blocks["begin"][feature] + np.where(dense[feature], pairs.classes, within)
    lists = zeros((0 if dense.all() else used,), np.int32)
    if len(lists):
        listed = ~dense[feature]
        lists[at[listed]] = pairs.classes[listed]
    values = tuple(zeros((used,), np.float32) for _ in pairs.values)
    for column, packed in zip(values, pairs.values, strict=True):
        column[at] = packed
    out.now["used"] = used
    return out._replace(blocks=blocks, classes=lists, values=values)


def _power_of_two(n: np.ndarray) -> np.ndarray:
    """int64[...]: the least powers of two that are no less than `n`, which is at least 1."""
    return 1 << np.ceil(np.log2(n)).astype(np.int64)


def weights_of(pairs: Pairs, features: int, classes: int, number: int | None) -> np.ndarray:
    """The first number of each feature's pair with class `number`, float64[features]; None: float64[classes, features].

    It is 0 where they have not met.
    """
    (known, own, values), first = columns_of(pairs), 0 if number is None else number
    out = np.zeros((classes if number is None else 1, features))
    chosen = (known < features) & ((own == number) | (number is None))
    out[own[chosen] - first, known[chosen]] = values[chosen, 0]
    return out if number is None else out[0]


def columns_of(pairs: Pairs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(feature int64[n], class int64[n], numbers float32[n, C]) of all pairs, feature by feature."""
    packed = packed_pairs(pairs)
    feature = np.repeat(np.arange(len(packed.size)), packed.size)
    return feature, packed.classes.astype(np.int64), np.column_stack(packed.values)


def count_pairs(pairs: Pairs) -> int:
    """Return how many pairs there are."""
    steps = range(0, len(pairs.blocks), _AT_A_TIME)
    return int(pairs.size.sum()) + sum(len(_entries(pairs, i)[0]) for i in steps)


def bytes_of(pairs: Pairs) -> int:
    """Bytes that the table takes, without room never touched."""
    used = int(pairs.now["used"][0]) if len(pairs.blocks) else len(pairs.classes)
    lists = pairs.classes.itemsize * min(used, len(pairs.classes))
    return used * sum(column.itemsize for column in pairs.values) + lists + pairs.size.nbytes + pairs.blocks.nbytes


class PairsEngine(Engine):
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
            places = places_needed(state.pairs, int(rows.indptr[at + 1] - rows.indptr[at]), more, classes)
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
