"""Frequent directions with diagonal compensation: a sketched AROW in sparse time.

``min_w sum_t h_t l(w'x_t, y_t)`` online: w <- w + a A^-1 x, A <- A + s^2 x x'. Of A = I + sum of s^2 x x' the learner
stores m - 1 leading rows ([RFD] Algorithm 3, whitened) and the diagonal. Our own method, after [RFD].

Read `rounds` (predict, step, add the row), `shrink` (choose the rows to keep; the kernel of a batch), then `lazy` (the
update of features when they are next read) and `predict`, all on `state`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sonlearn.data.rows import Rows, longest_row
from sonlearn.learn.diagonal_fd.lazy import sweep
from sonlearn.learn.diagonal_fd.predict import all_weights, matrix, predict
from sonlearn.learn.diagonal_fd.shrink import learn
from sonlearn.learn.diagonal_fd.state import BITS, DiagonalFDState, new_state, new_work, params_of
from sonlearn.learn.engine import Engine, Predictions, grown
from sonlearn.learn.log import slots_of
from sonlearn.learn.status import LOG_FULL
from sonlearn.options import LearnOptions


class DiagonalFD(Engine):
    """Engine of drfd."""

    def __init__(self, options: LearnOptions):
        self._params = params_of(options)
        self._work = new_work(self._params, 1, 1)

    def new(self) -> DiagonalFDState:
        """State of an untrained learner."""
        return new_state(self._params)

    def reserve(self, state: DiagonalFDState, rows: Rows, features: int) -> DiagonalFDState:
        """Make room for learning `rows`."""
        now = state.now[0]
        longest = longest_row(rows)
        entries = int(now["entries"]) + min(int(rows.indptr[-1]), self._params.raw * longest)
        slots = min(features, int(now["slots"]) + entries)
        if longest > len(self._work.u) or slots > len(self._work.sums):
            self._work = new_work(self._params, 2 * longest, 2 * slots)
        return state._replace(
            table=grown(state.table, features, int(now["seen"])),
            mass=grown(state.mass, features, int(now["seen"])),
            when=grown(state.when, features, int(now["seen"])),
            maps=grown(state.maps, slots_of(int(now["capacity"]), BITS)),
            X=grown(state.X, slots, int(now["slots"])),
            owner=grown(state.owner, slots, int(now["slots"])),
            entries=grown(state.entries, entries, int(now["entries"])),
        )

    def learn(self, state: DiagonalFDState, rows: Rows, out: Predictions, start: int) -> tuple[DiagonalFDState, int]:
        """Learn rows from `start` on (see `Engine.learn`)."""
        at = start
        while True:
            at, status = learn(self._params, state, self._work, rows, out, at)
            if status != LOG_FULL:
                return state, at
            state = self._with_room_in_log(state)

    def _with_room_in_log(self, state: DiagonalFDState) -> DiagonalFDState:
        """Enlarge the log if it is small compared with the table; else bring all features up to date and empty it.

        The choice depends on the rows learned, not on where batches end, so batch sizes do not change any bit.
        """
        now = state.now[0]
        if now["capacity"] >= now["seen"] // (16 * state.maps.shape[1]):
            sweep(state, self._work.z)
            return state
        capacity = int(now["capacity"])
        now["capacity"] = 8 * capacity
        return state._replace(maps=grown(state.maps, slots_of(8 * capacity, BITS), slots_of(capacity, BITS)))

    def predict(self, state: DiagonalFDState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        work = new_work(self._params, longest_row(rows), 1)
        at = predict(state, work, rows, out.raw, 0)
        out.prediction[:] = out.raw
        return at

    def weights(self, state: DiagonalFDState, features: int) -> np.ndarray:
        """Weights in the scale of the input."""
        w = np.zeros(features)
        all_weights(state, new_work(self._params, 1, 1), w[: int(state.now["seen"][0])])
        return w

    def packed(self, state: DiagonalFDState) -> DiagonalFDState:
        """`state` without unused capacity."""
        now = state.now[0]
        return state._replace(
            table=state.table[: now["seen"]],
            mass=state.mass[: now["seen"]],
            when=state.when[: now["seen"]],
            maps=state.maps[: slots_of(int(now["generation"]), BITS)],
            X=state.X[: now["slots"]],
            owner=state.owner[: now["slots"]],
            entries=state.entries[: now["entries"]],
        )

    def facts(self, state: DiagonalFDState) -> dict[str, Any]:
        """The parts of A = diag(delta) + B'B.

        eigenvalues: of B Delta^-1 B', descending: the rows of the sketch compared with the diagonal.
        delta, rows: functions of d that return the diagonal, float64[d], and the rows of B, float64[k, d].
        """
        r = int(state.now["k"][0] + state.now["raw"][0])
        return {
            "eigenvalues": np.maximum(np.linalg.eigvalsh(state.T[:r, :r])[::-1], 0.0),
            "delta": lambda features: self._matrix(state, features)[0],
            "rows": lambda features: self._matrix(state, features)[1],
        }

    def _matrix(self, state: DiagonalFDState, features: int) -> tuple[np.ndarray, np.ndarray]:
        delta, rows = np.ones(features), np.zeros((int(state.now["k"][0] + state.now["raw"][0]), features))
        seen = int(state.now["seen"][0])
        matrix(state, new_work(self._params, 1, 1), delta[:seen], rows[:, :seen])
        return delta, rows
