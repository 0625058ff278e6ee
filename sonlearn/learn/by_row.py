"""An engine that learns one row after another in the same buffers: the bits of `Engine.learn`.

Of a row alone most of the time goes into calls of kernels and into Python between them. Here these calls are prepared
once, with room to spare, and made for each row (`sonlearn.jit.sequence`). A row that they refuse is left to
`Engine.learn`, and so are those of an engine that does more than call kernels.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.data.rows import Rows
from sonlearn.jit import bare_jit
from sonlearn.jit.sequence import Call, Sequence
from sonlearn.views.view import fits

if TYPE_CHECKING:
    from sonlearn.learn.engine import Engine, Predictions, State


#: Rows that come one by one before it is worth to prepare for more of them.
FEW = 4
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

    def __getstate__(self) -> dict[str, Any]:
        kept = "rows", "out", "_engine", "_features", "_before"  # prepared calls are of this process
        return {name: getattr(self, name) for name in kept} | {"_last": NOTHING}

    def serves(self, rows: Rows) -> bool:
        """Whether `rows` is one row, and so were the last ones that were asked for: more will come."""
        if len(rows.y) == 1 and not len(rows.words):
            self._before += 1
        else:
            self._before, self._last = 0, NOTHING  # nothing is kept of a state that is no more
        return self._before > FEW

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

    def _finished(self, state: State, at: int) -> State:
        """Go on from call `at`, from `_first` on, which was not done."""
        raise NotImplementedError


def prepared(
    engine: Engine, state: State, rows: Rows, out: Predictions, features: np.ndarray
) -> tuple[State, list[Call]]:
    """(`state` with room to spare, the calls that learn the row in the buffers `rows` while there is room).

    `features`: int64[1], of how many features the row is at most; they are counted when they have occurred. There are
    no calls of an engine that does more.
    """
    seen = state.now["seen"].copy() if engine.counts_features else None
    with full(rows):
        state, most = engine.spare(state, rows, int(features[0]))
        calls = engine.calls(state, rows, out)
    if seen is not None:
        state.now["seen"] = seen
        calls = [(copy_one, (features, state.now["seen"])), *calls]
    return state, [(fits, (features, most)), *calls] if calls else calls


def _row_of(longest: int) -> Rows:
    """Room for a row of up to so many entries."""
    return Rows(
        np.zeros(2, np.int64), np.zeros(longest, np.int64), np.zeros(longest), np.zeros(1), np.ones(1), np.zeros(1),
        np.zeros((1, 2)), ids=np.zeros(longest, np.int64),
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


@bare_jit
def copy_one(source, target):
    """target[0] <- source[0]."""
    target[0] = source[0]
