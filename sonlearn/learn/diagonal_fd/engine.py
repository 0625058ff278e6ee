"""Frequent directions with diagonal compensation: a sketched AROW in sparse time.

``min_w sum_t h_t l(w'x_t, y_t)`` online: w <- w + a A^-1 x, A <- A + s^2 x x'. Of A = I + sum of s^2 x x' the learner
stores m - 1 leading rows ([RFD] Algorithm 3, whitened) and the diagonal. Our own method, after [RFD].

Read `rounds` (predict, step, add the row), `shrink` (choose the rows to keep; the kernel of a batch), then `lazy` (the
update of features when they are next read), all on `state`.
"""

from __future__ import annotations

import numpy as np

from sonlearn.data import axes
from sonlearn.data.rows import Rows, longest_row
from sonlearn.jit.sequence import Call, run_calls
from sonlearn.learn.diagonal_fd.lazy import sweep
from sonlearn.learn.diagonal_fd.merging import Matrix, WithDiagonal
from sonlearn.learn.diagonal_fd.shrink import all_weights, follow
from sonlearn.learn.diagonal_fd.state import EXTRA, KEPT, SLOT, WBAR, DiagonalFDState, new_state, new_work
from sonlearn.learn.engine import Predictions
from sonlearn.learn.log import with_room
from sonlearn.learn.tolerances import LOG_FULL
from sonlearn.options import LearnOptions


class DiagonalFD(WithDiagonal):
    """Engine of drfd."""

    def __init__(self, options: LearnOptions):
        super().__init__(options)
        self._work = new_work(self._params, 1, 1)

    def new(self, classes: int = 0) -> DiagonalFDState:
        """State of an untrained learner."""
        return new_state(self._params)

    def reserve(self, state: DiagonalFDState, rows: Rows, features: int) -> DiagonalFDState:
        """Make room for learning `rows`."""
        now = state.now[0]
        entries = int(now["entries"]) + min(int(rows.indptr[-1]), self._params.raw * longest_row(rows))
        slots = min(features, int(now["slots"]) + entries)
        self._make_room(rows, slots)
        return axes.reserved(state, seen=features, slots=slots, entries=entries)

    def learn(self, state: DiagonalFDState, rows: Rows, out: Predictions, start: int) -> tuple[DiagonalFDState, int]:
        """Learn rows from `start` on (see `Engine.learn`)."""
        at = start
        while True:
            at, status = run_calls(self.calls(state, rows, out, at))
            if status != LOG_FULL:
                return state, at
            state = with_room(state, sweep, self._work.z)

    def _make_room(self, rows: Rows, slots: int) -> None:
        longest = longest_row(rows)
        if longest > len(self._work.u) or slots > len(self._work.sums):
            self._work = new_work(self._params, 2 * longest, 2 * slots)

    def calls(
        self, state: DiagonalFDState, rows: Rows, out: Predictions, start: int = 0, learns: bool = True
    ) -> list[Call]:
        """See `Engine.calls`."""
        return [(follow, (self._params, state, self._work, rows, out, start, learns))]

    def spare(self, state: DiagonalFDState, rows: Rows, features: int) -> tuple[DiagonalFDState, int]:
        """See `Engine.spare`: the buffer has room for as many rows as it ever holds."""
        raw = self._params.raw
        full = rows._replace(indptr=int(rows.indptr[1]) * np.arange(raw + 1), y=np.zeros(raw))
        return super().spare(state, full, features)

    def predict(self, state: DiagonalFDState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        self._make_room(rows, 1)
        return int(run_calls(self.calls(state, rows, out, learns=False))[0])

    def weights(self, state: DiagonalFDState, features: int, number: int | None = None) -> np.ndarray:
        """Weights in the scale of the input."""
        w = np.zeros(features)
        all_weights(state, new_work(self._params, 1, 1), w[: int(state.now["seen"][0])])
        return w

    def renumbered(
        self, state: DiagonalFDState, numbers: np.ndarray, features: int, slots: np.ndarray | None = None
    ) -> DiagonalFDState:
        """`state` with other numbers (see `Engine.renumbered`); features left out leave the buffered rows, too."""
        known = numbers[state.owner] >= 0
        stays, place = known[state.entries], np.cumsum(known) - 1
        ends = np.concatenate(([0], np.cumsum(stays)))[np.minimum(state.ends, len(stays))]
        owner, entries = numbers[state.owner[known]], place[state.entries[stays]]
        state = super().renumbered(state._replace(table=state.table.copy()), numbers, features)
        state.table[owner, SLOT] = 1 + np.arange(len(owner))
        state.now["slots"], state.now["entries"] = len(owner), len(entries)
        return state._replace(X=state.X[known], owner=owner, entries=entries, ends=ends)

    def _of(self, found: Matrix, t: int) -> DiagonalFDState:
        features, out = len(found.w), self.new()
        table = np.zeros((features, out.table.shape[1]))
        table[:, WBAR], table[:, EXTRA] = found.w, found.extra
        table[:, KEPT : KEPT + len(found.B)] = found.B.T
        return out._replace(table=table, mass=found.mass, when=np.full(features, t))

    def _whole(self, state: DiagonalFDState) -> Matrix:
        now, own = state.now[0], state._replace(table=state.table.copy(), now=state.now.copy())
        sweep(own, self._work.z)
        features, slots, k, raw = (int(now[name]) for name in ("seen", "slots", "k", "raw"))
        delta, B, retention = 1.0 + own.table[:features, EXTRA], np.zeros((k + raw, features)), self._params.retention
        B[:k] = own.table[:features, KEPT : KEPT + k].T
        B[k:, state.owner[:slots]] = state.X[:slots, :raw].T
        t, shrunk = float(state.now["t"][0]), float(state.now["shrunk"][0])
        left = retention ** (t - shrunk)
        mass = state.mass[:features] * retention ** (shrunk - state.when[:features]) + np.sum(B[k:] ** 2, axis=0)
        return Matrix(self.weights(state, features), left * (delta - 1.0), np.sqrt(left) * B, left * mass)
