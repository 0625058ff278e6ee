"""A panel: members on views that are shown to them, and the combiner of what they say. One for each class to be told.

Members do not need each other within a batch, so they may run side by side: the bits are the same. At a few hearings
the members that do not pay for their time are retired (`retire`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np

from sonlearn.batch import NO_ROWS, Rows
from sonlearn.jit import jit
from sonlearn.learn.combine.combiner import FIRMNESS, Combiner, combine, forget, new_combiner, weights_of
from sonlearn.learn.combine.retire import SHORT, Case, next_hearing, replayed, retired
from sonlearn.learn.combine.viewing import Seen, rows_between
from sonlearn.learn.engine import Predictions, State, grown
from sonlearn.learn.engines import make_engine
from sonlearn.learn.losses import loss_of
from sonlearn.members import Member
from sonlearn.methods import METHODS
from sonlearn.options import CLASSIFICATION, LearnOptions

#: What a member may tell the combiner, in units of the label.
CLIP = 6.0
NOW = [("rows", "i8"), ("entries", "i8"), ("active", "i8"), ("passes", "i8")]


class PanelState(NamedTuple):
    """All that a panel has learned."""

    members: tuple  # the members' states
    combiner: Combiner
    # float64[k, 3]; sums of h and of h * error over the rows learned, each member's own progress; entries that it saw
    tally: np.ndarray
    heard: np.ndarray  # float32[rows, k + 2]; what members have said, labels and weights, up to the last hearing
    now: np.ndarray  # structured [1]: rows learned; entries of those; bits of the members at work; passes begun


class Panel:
    """Members and their combiner.

    Parameters
    ----------
    options : LearnOptions
    members : tuple of Member
    pool : Executor or None
        Where members learn side by side; None: one after the other.
    """

    def __init__(self, options: LearnOptions, members: tuple[Member, ...], pool: Executor | None = None):
        self._options, self.members = options, members
        self._loss, self._classes = loss_of(options), options.loss in CLASSIFICATION
        self._engines = tuple(make_engine(member_options(options, member)) for member in members)
        self._scratch = np.zeros((len(members) + 2, len(members)))
        self._map = mapping(pool)

    def new(self) -> PanelState:
        """State of a panel that has seen nothing."""
        k, now = len(self.members), np.zeros(1, dtype=NOW)
        now["active"] = (1 << k) - 1
        return PanelState(
            members=tuple(engine.new() for engine in self._engines),
            combiner=new_combiner(self.members),
            tally=np.zeros((k, 3)),
            heard=np.zeros((0, k + 2), dtype=np.float32),
            now=now,
        )

    def reserve(self, state: PanelState, sizes: dict[str, int]) -> PanelState:
        """Members have room for all features of their views, of which they may have refused some."""
        members = list(state.members)
        for i in self.active(state):
            members[i] = self._engines[i].reserve(members[i], NO_ROWS, sizes[self.members[i].view])
        return state._replace(members=tuple(members))

    def learn(self, state: PanelState, seen: Seen, rows: Rows, raw: np.ndarray) -> PanelState:
        """Learn `rows` as they were `seen`, in parts between which members are retired; fills `raw` (float64[n])."""
        start, n = 0, len(rows.y)
        while start < n:
            stop = self._end_of_hearing(state, rows, start)
            part = rows_between(rows, start, stop)
            state = self._learn_part(state, seen.between(start, stop, part.y), part, raw[start:stop])
            start = stop
        return state

    def predict(self, state: PanelState, seen: Seen, rows: Rows, raw: np.ndarray) -> None:
        """Fill `raw` and change nothing."""
        V = self.said(state, seen, len(rows.y))
        combine(self._loss, state.combiner, V, rows.y, rows.weight, False, self._scratch, raw)

    def said(self, state: PanelState, seen: Seen, n: int) -> np.ndarray:
        """float64[n, k]: what the members tell the combiner of rows that they do not learn from."""
        V = np.zeros((n, len(self.members)))

        def ask(i: int) -> None:
            out = Predictions.empty(n)
            self._engines[i].predict(state.members[i], seen.rows[self.members[i].view], out)
            self._tell(V, i, out)

        self._map(ask, self.active(state))
        return V

    def weights(self, state: PanelState, features: int) -> np.ndarray:
        """float64[features]: weights of the members that are linear in the raw row, as the combiner adds them up."""
        total, combined = np.zeros(features), weights_of(state.combiner)
        for i in self.active(state):
            if self.members[i].view == "raw":
                own = self._engines[i].weights(state.members[i], features)
                total += combined[i] * self.members[i].gain * own
        return total

    def packed(self, state: PanelState) -> PanelState:
        """`state` without spare room."""
        return state._replace(
            members=tuple(engine.packed(s) for engine, s in zip(self._engines, state.members, strict=True)),
            heard=state.heard[: int(state.now["rows"][0]) if self._left_to_hear(state) else 0],
        )

    def roll(self, state: PanelState) -> list[dict[str, Any]]:
        """For each member its name, whether it is at work, its own progressive error and the combiner's weight."""
        active, weights = self.active(state), weights_of(state.combiner)
        errors = state.tally[:, 1] / np.maximum(state.tally[:, 0], 1e-300)
        return [
            {"name": m.name, "active": i in active, "error": float(errors[i]), "weight": float(weights[i])}
            for i, m in enumerate(self.members)
        ]

    def active(self, state: PanelState) -> list[int]:
        """Positions of the members that have not been retired."""
        bits = int(state.now["active"][0])
        return [i for i in range(len(self.members)) if bits >> i & 1]

    # -- how ---------------------------------------------------------------------------------------------------------

    def _learn_part(self, state: PanelState, seen: Seen, rows: Rows, raw: np.ndarray) -> PanelState:
        V, members = np.zeros((len(rows.y), len(self.members))), list(state.members)

        def teach(i: int) -> None:
            view = self.members[i].view
            members[i], out = taught(self._engines[i], members[i], seen.rows[view], seen.sizes[view])
            self._tell(V, i, out)

        self._map(teach, self.active(state))
        first_pass = state.now["passes"][0] == 0
        combine(self._loss, state.combiner, V, rows.y, rows.weight, first_pass, self._scratch, raw)
        return self._counted(state._replace(members=tuple(members)), seen, rows, V)

    def _counted(self, state: PanelState, seen: Seen, rows: Rows, V: np.ndarray) -> PanelState:
        """Add the rows to everybody's tally, and retire members when they have been heard."""
        told = (rows.weight > 0) & ~np.isnan(rows.y)
        state.now["entries"] += int(np.diff(rows.indptr)[told].sum())
        lengths = {name: int(np.diff(r.indptr)[told].sum()) for name, r in seen.rows.items()}
        for i in self.active(state):
            state.tally[i, 2] += lengths[self.members[i].view]
        V, y, h = V[told], rows.y[told], rows.weight[told]
        wrong = ((V > 0) != (y > 0)[:, None]) if self._classes else (V - y[:, None]) ** 2
        count_up(state.tally, wrong.astype(np.float64), h)
        before, left = int(state.now["rows"][0]), self._left_to_hear(state)
        state.now["rows"] += len(y)
        if not left:
            return state
        heard = grown(state.heard, before + len(y))
        heard[before : before + len(y)] = np.column_stack([V, y, h])
        state = state._replace(heard=heard)
        return self._after_hearing(state) if left == len(y) else state

    def _after_hearing(self, state: PanelState) -> PanelState:
        """Retire the members that do not pay for their time: nothing of them is kept, in the combiner neither."""
        rows, active = int(state.now["rows"][0]), self.active(state)
        costs = np.array([member.cost for member in self.members]) * state.tally[:, 2]
        case = Case(self._loss, self.members, state.heard[:rows], costs, int(state.now["entries"][0]) <= SHORT * rows)
        idle, members = retired(case, active), list(state.members)
        for i in idle:
            members[i] = self._engines[i].new()
            state.now["active"] &= ~(1 << i)
        heard = state.heard
        if idle:
            heard[:rows, idle] = 0.0
            state = state._replace(combiner=forget(replayed(case, range(len(members)), FIRMNESS)[0], idle))
        if not self._left_to_hear(state):
            heard = heard[:0].copy()
        return state._replace(members=tuple(members), heard=heard)

    def _left_to_hear(self, state: PanelState) -> int:
        """Rows that are still to be learned before the next hearing; 0: there is none to come."""
        return next_hearing(int(state.now["rows"][0])) if self._options.retire else 0

    def _end_of_hearing(self, state: PanelState, rows: Rows, start: int) -> int:
        """Where to stop so that retirement comes after the very same row however the stream is cut."""
        left, n = self._left_to_hear(state), len(rows.y)
        if left == 0:
            return n
        counts = np.cumsum((rows.weight[start:] > 0) & ~np.isnan(rows.y[start:]))
        return start + int(np.searchsorted(counts, left)) + 1 if counts[-1] >= left else n

    def _tell(self, V: np.ndarray, i: int, said: Predictions) -> None:
        """What member i's predictions are to the combiner: column i of V."""
        V[:, i] = said.prediction
        if self._classes:
            np.clip(self.members[i].gain * V[:, i], -CLIP, CLIP, out=V[:, i])


def mapping(pool: Executor | None) -> Callable[..., list]:
    """``map`` that is done when it returns, in `pool` or without."""

    def done(call: Callable, *items: Iterable) -> list:
        return list((pool.map if pool else map)(call, *items))

    return done


def taught(engine: Any, state: State, rows: Rows, features: int) -> tuple[State, Predictions]:
    """A member shown `rows`; a row that it would refuse it sits out, predicting 0."""
    said, at = Predictions.empty(len(rows.y)), -1
    state = engine.reserve(state, rows, features)
    while at < len(rows.y):
        state, at = engine.learn(state, rows, said, at + 1)
        if at < len(rows.y):
            said.prediction[at] = 0.0
    return state, said


def member_options(options: LearnOptions, member: Member) -> LearnOptions:
    """What a member's engine is made of; ``-m`` is of the sketched ones."""
    own = {"method": member.method, "loss": options.loss, **member.options}
    own |= {"quantile_tau": options.quantile_tau, "huber_k": options.huber_k}
    if "sketch_size" in METHODS[member.method].takes:
        own["sketch_size"] = options.sketch_size
    return LearnOptions(**own)


@jit
def count_up(tally, wrong, weight):
    """tally[j] += (h, h wrong_ij) row by row: where a batch ends changes no bit."""
    for i in range(len(weight)):
        for j in range(len(tally)):
            tally[j, 0] += weight[i]
            tally[j, 1] += weight[i] * wrong[i, j]
