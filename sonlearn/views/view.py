"""The interface of views: rows as they were read -> rows as a member of a committee sees them.

A view is made once and holds no state; its state is a value, a NamedTuple of arrays, with the same conventions as the
state of an engine (`sonlearn.learn.engine`): what grows with the stream has length 0 in a new state, scalars stand in a
structured array `now` of length 1. Scratch space is the view's own, so one view object serves one thread.

Views are causal: row by row, a row is seen with the statistics of the rows before it, as far as these are learned from
(they have a label and a weight). Where batches are cut changes no bit. Rows that are only predicted change nothing.
Values of any size give finite values: nothing is refused.

A feature number below 0 in raw rows is one that no row learned from has had: it counts where a view counts or measures
a row, and what would be a new feature of the row seen is left out and measured (`Rows.unseen`). So a prediction sees a
row as learning from it would.

Parts of rows are their columns and their words, which views see each by itself (`sonlearn.options.views`). Views of
numbers would choose among the words, and thirty words of a row of unit length leave three columns nothing. So once a
row learned from has had both, a stream's rows are seen in parts, from that row on, and every later one. A row that has
neither stays one: what a view sees of it is all of it. Where rows are in parts, the constant is in both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data import axes
from sonlearn.data.rows import Rows, learned_rows
from sonlearn.jit import jit
from sonlearn.jit.sequence import Calls, run_calls
from sonlearn.options.views import COLUMNS, ROW, WORDS

#: A state: a NamedTuple of arrays.
State = Any
#: A row and a place of the output.
Place = tuple[int, int]
#: The axis of the raw features, of which views that make up others keep statistics.
BY_RAW = axes.Features("raw")
#: Rows learned before the first that may be seen in parts: later, members have learned too much of whole rows.
MAX_ROWS_BEFORE_PARTS = 1024


class MergedView(NamedTuple):
    """What a merge gives."""

    state: State
    numbers: list[np.ndarray]  # of each state int64[its features]: their numbers in the merged one, below 0: left out
    base: np.ndarray  # int64[features of the base]; the same


class View(ABC):
    """The verbs of a view. Fields of its state say what their rows are (`sonlearn.data.axes`).

    Parameters
    ----------
    params : NamedTuple
        What a row becomes.
    kernel : kernel (params, state, work, rows, out, i, at, learn)
        It goes from row i and place `at` of `out` on, until `state` lacks room, and returns where that is.
    """

    #: The scalar that counts the raw features.
    raw = "raw"

    def __init__(self, params: Any, kernel: Callable):
        self._params, self._kernel = params, kernel
        self._work = self._new_work(1)

    @abstractmethod
    def _new_work(self, longest: int) -> Any:
        """Scratch space for rows of up to so many entries."""

    @abstractmethod
    def new(self) -> State:
        """State of a view that has seen nothing."""

    def reserve(self, state: State, rows: Rows, features: int) -> State:
        """`state` with room for seeing `rows`, whose features are below `features`."""
        now = state.now.copy()
        now[self.raw] = features
        return axes.reserved(state, **{self.raw: features})._replace(now=now)

    def transform(self, state: State, rows: Rows, learn: bool) -> tuple[State, Rows]:
        """(`state`, `rows` as seen): where it is to `learn`, each before the statistics take it in, and `reserve` comes
        first; else by the state as it is, which stays as it is: for prediction.
        """
        out = self.room(state, rows)
        start = run_calls(self.calls(state, rows, out, learn))
        while start[0] < len(rows.y):
            state = self.widened(state)
            start = run_calls(self.calls(state, rows, out, learn, start))
        return state, out

    def is_off(self, state: State) -> bool:
        """Return whether it shows nothing any more."""
        return False

    def widened(self, state: State) -> State:
        """Return what lets the kernel of `calls` go on where it has stopped."""
        return state

    def room(self, state: State, rows: Rows) -> Rows:
        """Rows to be filled in with what `rows` become; `reserve` comes first."""
        return room_for(rows, self._most_entries(rows))

    def _most_entries(self, rows: Rows) -> int:
        """As many entries as `rows` can become."""
        return int(rows.indptr[-1])

    def calls(self, state: State, rows: Rows, out: Rows, learn: bool = True, start: Place = (0, 0)) -> Calls:
        """The kernels that fill `out`, of `room`, with their arguments, as `transform` does.

        They begin at a row and a place of the output, and the last one that returns anything returns where they stop:
        at a row for which `state` lacks room, of which nothing has been counted, or at n.
        """
        return [(self._kernel, (self._params, state, self._work, rows, out, *start, learn))]

    def features(self, state: State) -> int:
        """Features of the rows seen so far are below this."""
        return int(state.now["features"][0])

    def renumbered(self, state: State, numbers: axes.Numbers) -> tuple[State, np.ndarray]:
        """`state` (packed) with other numbers of the raw features; see `sonlearn.learn.engine.Engine.renumbered`.

        And int64[its features]: what number a feature of the rows seen then has. What a view makes up keeps its own.
        """
        return axes.renumbered(state, numbers), np.arange(self.features(state))

    @abstractmethod
    def merge(self, states: Sequence[State], base: State) -> MergedView:
        """One state of what several views have counted since the state `base` that they began with.

        All have gone through `renumbered`. Counts are those of one run over all rows. What a view has made up has the
        base's numbers and then new ones, in the order of `states`.
        """

    def packed(self, state: State) -> State:
        """`state` without spare room, for storage: equal states give equal arrays."""
        return axes.packed(state)

    def at_rest(self, state: State) -> State:
        """See `sonlearn.learn.engine.Engine.at_rest`."""
        return state

    def first_features(self, state: State, features: int) -> State:
        """`state`, packed, without the raw features from number `features` on, which it has only room for."""
        return self.packed(axes.at_most(state, self.raw, features))


def new_now(*fields: str) -> np.ndarray:
    """Scalars of a new state: `features` and `fields`, ``name`` (int64) or ``name:f8``."""
    pairs = [(name, kind or "i8") for name, _, kind in (field.partition(":") for field in fields)]
    return np.zeros(1, dtype=[("features", "i8"), *pairs])


def room_for(rows: Rows, entries: int) -> Rows:
    """Rows to be filled in, with up to `entries` entries, and labels and weights of `rows`."""
    return rows._replace(
        indptr=np.zeros(len(rows.indptr), np.int64), features=np.empty(entries, np.int64), values=np.empty(entries),
        unseen=np.zeros((len(rows.y), 2)),
    )  # fmt: skip


@jit
def fits(count, most):
    """1 if count[0] <= most, else 0; for a sequence of kernels. count : int64[1]; most : int"""
    return 1 if count[0] <= most else 0


def parts_of(rows: Rows) -> dict[str, Rows]:
    """`rows` by the parts of them that views see."""
    return {ROW: rows, COLUMNS: part_of(rows, COLUMNS), WORDS: part_of(rows, WORDS)}


def part_of(rows: Rows, part: str) -> Rows:
    """The `COLUMNS` or the `WORDS` of `rows`."""
    n = int(rows.indptr[-1])
    words = rows.marks[:n] == 1 if len(rows.marks) else np.zeros(n, dtype=bool)
    which = (words if part == WORDS else ~words) | (rows.features[:n] == rows.constant)
    return rows._replace(
        indptr=np.concatenate([np.zeros(1, np.int64), np.cumsum(which)])[rows.indptr],
        features=rows.features[:n][which], values=rows.values[:n][which], ids=rows.ids[:n][which],
        marks=rows.marks[:n][which] if len(rows.marks) else rows.marks,
    )  # fmt: skip


def first_in_parts(rows: Rows, learned: int) -> int:
    """The row from which on `rows` are seen in parts, where `learned` rows have been learned before; n: none is."""
    n, entries = len(rows.y), int(rows.indptr[-1])
    if learned >= MAX_ROWS_BEFORE_PARTS or not len(rows.marks):
        return n
    word = rows.marks[:entries] == 1
    column = ~word & (rows.features[:entries] != rows.constant)
    both = _any_of_row(word, rows.indptr) & _any_of_row(column, rows.indptr) & learned_rows(rows)
    at = int(np.argmax(both))
    return at if both.any() and learned + np.count_nonzero(learned_rows(rows)[:at]) < MAX_ROWS_BEFORE_PARTS else n


def _any_of_row(which: np.ndarray, indptr: np.ndarray) -> np.ndarray:
    """bool[n]: whether a row has one of the entries `which`, bool[nnz]."""
    counts = np.concatenate([np.zeros(1, np.int64), np.cumsum(which)])[indptr]
    return np.asarray(counts[1:] > counts[:-1])
