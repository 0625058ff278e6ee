"""Rows one after another in buffers that stay: the bits of `Learner.partial_fit` and `predict` of each.

A stream's client asks for a prediction, gives the label, and so on with the next row. Of a batch of one row nearly all
the time goes into making it (`OneRow` makes none), into calls of kernels, and into Python between them. So these calls
are prepared once, with room to spare, and made for each row (`EngineByRow`, `sonlearn.jit.sequence`). A row that they
refuse is left to `Engine.learn`, and so are those of an engine that does more than call kernels.
"""

from __future__ import annotations

import bisect
import contextlib
import math
from collections.abc import Iterator
from collections.abc import Sequence as Several
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.rows import Rows
from sonlearn.jit import jit
from sonlearn.jit.sequence import Calls, Sequence
from sonlearn.views.index import Entries, RowNumbering
from sonlearn.views.view import fits

if TYPE_CHECKING:
    from sonlearn.learn.engine import Engine, Predictions, State
    from sonlearn.learn.learner import Learner


#: Rows that come one by one before it is worth to prepare for more of them.
MIN_ROWS_TO_PREPARE = 4
#: No state, rows and predictions.
NOTHING = None, None, None


class EngineByRow:
    """An engine's way through one row after another, in buffers that stay: `rows` and `out`, each of one row.

    Parameters
    ----------
    engine : Engine
    out : Predictions
        Of one row.
    """

    def __init__(self, engine: Engine, out: Predictions):
        self.rows, self.out = _row_of(1), out
        self._engine, self._features, self._before = engine, np.zeros(1, np.int64), 0
        self._last: tuple[Any, Any, Any] = NOTHING  # the state, rows and predictions that the calls are of

    def serves(self, rows: Rows, K: int) -> bool:
        """Return whether `rows` is one row, of `K` scores as the last ones that were asked for: more will come.

        A row that brings a class is not: what would be prepared for it would not serve the next one.
        """
        one = len(rows.y) == 1 and not (rows.marks == 1).any()
        self._before = self._before + 1 if one else 0
        serves = self._before > MIN_ROWS_TO_PREPARE and self.out.raw.shape[1] == K
        if not serves:
            self._last = NOTHING  # nothing is kept of a state that is no more
            self.make_room(0, K)
        return serves

    def make_room(self, entries: int, K: int) -> None:
        """Buffers for a row of so many entries, and K scores."""
        if entries > len(self.rows.features):
            self.rows = _row_of(2 * entries)
        if self.out.raw.shape[1] != K:
            self.out = type(self.out).empty(1, K)

    def learn(self, state: State, rows: Rows, out: Predictions, features: int) -> tuple[State, int]:
        """Learn one row, whose features are below `features`; see `Engine.learn`."""
        n, own = int(rows.indptr[1]), self.rows
        if rows.constant != own.constant:
            self.rows = own = own._replace(constant=rows.constant)
        own.indptr[1] = n
        for name in ("features", "values", "ids"):
            getattr(own, name)[:n] = getattr(rows, name)[:n]
        own.marks[:n] = rows.marks[:n] if len(rows.marks) else 0
        for name in ("y", "weight", "base", "unseen"):
            getattr(own, name)[:] = getattr(rows, name)
        state, at = self.run(state, features)
        for given, found in zip(out, self.out, strict=True):
            given[:] = found
        return state, at

    def run(self, state: State, features: int) -> tuple[State, int]:
        """Learn the row that is in the buffers."""
        rows, out, last, self._features[0] = self.rows, self.out, self._last, features
        out.raw.fill(0.0)
        out.offline.fill(math.nan)
        out.unseen[0], out.met[0], out.refused[0] = 0.0, 0, False
        if state is not last[0] or rows is not last[1] or out is not last[2]:
            state = self._begin(state, rows, out)
        at = self._sequence.run(0)
        if at < self._first:
            state, at = self._engine.learn(self._engine.reserve(state, rows, features), rows, out, 0)
            self._last = NOTHING if len(self._sequence) else (state, rows, out)
            return state, at
        if at < len(self._sequence):
            state = self._finished(state, at)
        self._last = state, rows, out
        return state, 1

    def _begin(self, state: State, rows: Rows, out: Predictions) -> State:
        """Prepare the calls for a state and buffers; returns the state with room.

        Those before number `_first` change nothing unless all of them are done.
        """
        state, calls = prepared(self._engine, state, rows, out, self._features)
        self._sequence, self._first = Sequence(calls), max(len(calls), 1)
        return state

    def _arrange(self, begin: Calls, first: int, stages: Several[Any], end: Calls) -> None:
        """Make the sequence: calls, of which the first `first` decide whether it is gone through; stages; calls.

        A stage has `calls`, and `recover`: do one that was not done, and say which one of them is next.
        """
        self._first, self._stages, self._starts, calls = first, stages, [], list(begin)
        for stage in stages:
            self._starts.append(len(calls))
            calls += stage.calls
        self._sequence = Sequence([*calls, *end])

    def _finished(self, state: State, at: int) -> State:
        """Go on from call `at`, which was not done."""
        while at < len(self._sequence):
            k = bisect.bisect_right(self._starts, at) - 1
            go_on = self._stages[k].recover(at - self._starts[k])
            self._sequence.replace(self._starts[k], self._stages[k].calls)
            at = self._sequence.run(self._starts[k] + go_on)
        return self._with_stages(state)

    def _with_stages(self, state: State) -> State:
        """`state` with those of the stages."""
        raise NotImplementedError


class RowOfEngine:
    """An engine within another one that learns rows one by one: its stretch of the sequence.

    Parameters
    ----------
    engine : Engine
    state : State
    rows : Rows
        The buffers of one row, with its labels.
    out : Predictions
    features : int64[1]
        Features of the row are below this.
    end : Calls
        What is made of `out`.

    Attributes
    ----------
    is_prepared : bool
        Whether the engine does no more than call kernels.
    """

    def __init__(self, engine: Engine, state: State, rows: Rows, out: Predictions, features: np.ndarray, end: Calls):
        self.state, self._engine, self._rows, self._out = state, engine, rows, out
        self._features, self._end = features, end
        self._prepare()

    def _prepare(self) -> None:
        """Room to spare, and the calls."""
        self.state, calls = prepared(self._engine, self.state, self._rows, self._out, self._features)
        self.is_prepared = bool(calls)
        self.calls = [*(calls or [(fits, (self._features, -1))]), *self._end]

    def recover(self, at: int) -> int:
        """Learn the row in the usual way, and make room; returns the call of this stretch to go on with."""
        self.state = self._engine.learn_all(self.state, self._rows, self._out, int(self._features[0]))
        self._prepare()
        return len(self.calls) - len(self._end)


class OneRow:
    """Rows of a learner, one by one. Its buffers serve one thread.

    Parameters
    ----------
    learner : Learner
        See `serves`.
    constant : int
        Id of the constant feature.
    source : str
        What messages call the rows' source.
    """

    def __init__(self, learner: Learner, constant: int, source: str = "<memory>"):
        self.learner, self._constant, self._source = learner, constant, source
        self._numbering = RowNumbering(learner.counts_unknown)
        self._alone = learner.engine.by_row()

    @staticmethod
    def serves(learner: Learner) -> bool:
        """Tell whether rows of `learner` can be learned here: no label is late, and a batch has settled their kind."""
        return not learner.options.label_delay and learner.labels.settled

    def knows(self, y: float) -> bool:
        """Tell whether a row of this label can be learned here: of several classes, one that has been met or named."""
        return self.learner.labels.number(y) is not None

    def raw(self, row: Entries) -> np.ndarray:
        """The scores of a row, float64[K], as by the members that forget, too (`Learner.predict` with ``online``)."""
        return self._learn(row, math.nan, math.nan, 1.0)

    def learn(self, row: Entries, y: float, weight: float) -> np.ndarray:
        """Learn a row whose label is known (see `knows`); returns its raw prediction from before, as `raw` does.

        Raises InputError or DivergedError as `Learner.partial_fit` does, and has changed nothing then.
        """
        learner, labels = self.learner, self.learner.labels
        if learner.options.loss == "poisson" and y < 0.0:
            raise labels.error(self._batch(row, y, weight), 0)
        raw = self._learn(row, y, labels.number(y), weight)
        learner.examples += weight > 0.0 and y == y
        refused = bool(self._alone.out.refused[0])
        if learner.tracks_predictions or refused:
            batch = self._batch(row, y, weight)
            learner.update_thresholds(self._alone.out, self._alone.rows, batch)
            if refused:
                raise learner.refusal(batch, self._alone.rows, 0)
        return raw

    def _learn(self, row: Entries, y: float, number: float, weight: float) -> np.ndarray:
        learner, alone = self.learner, self._alone
        with learner.access.to_learn:
            alone.make_room(len(row.ids), learner.scores)
            rows = alone.rows
            rows.y[0], rows.weight[0] = number, weight
            alone.rows, learner.index = self._numbering.number(row, rows, learner.index, self._constant)
            learner.state, at = alone.run(learner.state, learner.size)
            if at < 1:
                raise learner.refusal(self._batch(row, y, weight), alone.rows, 0)
            return alone.out.raw[0].copy()

    def _batch(self, row: Entries, y: float, weight: float) -> Batch:
        given = np.array([y]), np.array([weight]), np.ones(1, np.int64)
        return Batch(row.indptr, row.ids, row.values, *given, self._source, constant=self._constant)


def prepared(engine: Engine, state: State, rows: Rows, out: Predictions, features: np.ndarray) -> tuple[State, Calls]:
    """(`state` with room to spare, the calls that learn the row in the buffers `rows` while there is room).

    `features`: int64[1], of how many features the row is at most; they are counted when they have occurred. There are
    no calls of an engine that does more.
    """
    seen = state.now["seen"].copy() if engine.counts_features else None
    with full(rows):
        state, most = engine.reserve_ahead(state, rows, int(features[0]))
        calls = engine.calls(state, rows, out)
    if seen is not None:
        state.now["seen"] = seen
        calls = [(copy_one, (features, state.now["seen"])), *calls]
    return state, [(fits, (features, most)), *calls] if calls else calls


def _row_of(longest: int) -> Rows:
    """Room for a row of up to so many entries."""
    return Rows(
        np.zeros(2, np.int64), np.zeros(longest, np.int64), np.zeros(longest), np.zeros(1), np.ones(1), np.zeros(1),
        np.zeros((1, 2)), ids=np.zeros(longest, np.int64), marks=np.zeros(longest, np.uint32),
    )  # fmt: skip


@contextlib.contextmanager
def full(rows: Rows) -> Iterator[None]:
    """Buffers of one row as if it took all of them."""
    own = rows.indptr[1]
    rows.indptr[1] = len(rows.features)
    try:
        yield
    finally:
        rows.indptr[1] = own


@jit
def copy_one(source, target):
    """target[0] <- source[0]."""
    target[0] = source[0]
