"""A committee that learns one row after another, by one sequence of kernels: the bits of `Committee.learn`.

Of a row alone most of the time goes into calls of kernels and into Python between them. Here the buffers of a row are
made once, and all that is done with it is a `Sequence`: weights and labels, each view, each member, the combiners, what
is counted. When a call is not done, because a table is full or a member refuses the row, that view or member does it in
its usual way, and the sequence goes on behind it. What happens rarely (a checkpoint, a further pass, a row out of
bounds) is left to `Committee.learn` altogether.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.data.rows import WILD, Rows, first_wild
from sonlearn.jit import bare_jit
from sonlearn.jit.sequence import Call, Sequence
from sonlearn.learn.engine import Engine, Predictions, State
from sonlearn.learn.ensemble.combiner import Combiner, copy_inputs, of_inputs
from sonlearn.learn.ensemble.drift import watch
from sonlearn.learn.ensemble.history import with_room
from sonlearn.learn.ensemble.importance import divide
from sonlearn.learn.ensemble.label_scale import LabelScale
from sonlearn.learn.ensemble.scalar_step import combine
from sonlearn.learn.ensemble.scalar_target import measure_scores, surprise_of_scores, tally_scores
from sonlearn.learn.ensemble.target import Measured, add_up
from sonlearn.learn.losses import Loss
from sonlearn.options.members import Member
from sonlearn.views.view import View, fits

if TYPE_CHECKING:
    from sonlearn.learn.ensemble.committee import Committee, CommitteeState

#: Rows of history that there is room for beyond those learned; features, at least, of a view.
HISTORY, FEATURES = 64, 64
#: More rows than any stream has.
NEVER = 1 << 62


class CommitteeByRow:
    """`Committee.learn` of rows that come one by one in the same buffers.

    Parameters
    ----------
    committee : Committee
    """

    def __init__(self, committee: Committee):
        self._committee = committee
        self._last: tuple[Any, Any, Any] = None, None, None  # the state, rows and predictions that all is made for

    def learn(self, state: CommitteeState, rows: Rows, out: Predictions, features: int) -> tuple[CommitteeState, int]:
        """Learn the row in `rows`, whose features are below `features`; see `Engine.learn`."""
        last = self._last
        if state is not last[0] or rows is not last[1] or out is not last[2] or features > self._room:
            state = self._begin(state, rows, out, features)
        elif features != self._features:
            self._count(features)
        at = self._sequence.run(0)
        if at < self._first:
            self._last = None, None, None
            return self._committee.learn(self._committee.reserve(state, rows, features), rows, out, 0)
        if at < len(self._sequence):
            state = self._finished(state, at)
        if not self._committee.target.classes:
            z = np.array([out.raw, out.offline])[:, :, None]
            self._committee.target.finish(state.labels, self._scale, rows.base, z, out)
        return state, 1

    # -- how ---------------------------------------------------------------------------------------------------------

    def _begin(self, state: CommitteeState, rows: Rows, out: Predictions, features: int) -> CommitteeState:
        """Make everything for a state and buffers; returns the state with room."""
        committee, self._room = self._committee, max(2 * features, FEATURES)
        target, left = committee.target, committee.rows_left(state)
        weighted = rows._replace(weight=np.ones(1))
        part, scale, labelled = target.labels.row_calls(state.labels, weighted)
        most, learned = NEVER, int(state.now["rows"][0])
        if left:
            state = state._replace(history=with_room(state.history, learned + min(HISTORY, left), NEVER))
            most = min(learned + left - 1, len(state.history.facts))
        work = committee.at_work(state)
        self._views = {
            name: RowOfView(committee.views.of(name), i, state.views[i], part, self._room)
            for i, name in enumerate(committee.views.names)
            if name in work.sharing
        }
        V = np.ones((len(work.online), 1, 1))
        first = left > 0 and learned < target.rules.first
        self._members = [
            RowOfMember(committee.members[i], committee.engines[i], i, state.members[i],
                        self._views[committee.members[i].view], part.y, (state.tally, scale, first, V[j, 0]))
            for j, i in enumerate(work.active)
        ]  # fmt: skip
        begin: list[Call] = [
            (ready, (state.now, most)),
            (first_wild, (rows.indptr, rows.values, rows.y, rows.weight, 0, WILD)),
        ]
        self._first = len(begin)
        calls = [*begin, (divide, (state.now, rows.weight, rows.y, True, weighted.weight)), *labelled]
        self._starts = []
        for stage in (*self._views.values(), *self._members):
            self._starts.append(len(calls))
            calls += stage.calls
        loss, z = Loss(target.loss.code, scale.par), (out.raw.reshape(1, 1), out.offline.reshape(1, 1))
        calls += _combination(loss, state.online, range(len(V)), work.online, V, part, out.raw)
        if work.apart:
            some = [work.online.index(i) for i in work.offline]
            calls += _combination(loss, state.offline, some, work.places, V, part, out.offline)
        else:
            calls.append((copy_one, (out.raw, out.offline)))
        x, measured = np.zeros(1), Measured(*np.zeros((2, 1)))
        calls.append((surprise_of_scores, (target.classes, z[1], part.y, x)))
        calls.append((watch, (state.drift, target.relative, x, part.y, part.weight, 0)))
        calls.append((tally_scores, (state.tally, np.array(work.active), target.classes, V, part.y, part.weight)))
        for total, own in zip(state.totals, z, strict=True) if committee.both else ():
            calls.append((measure_scores, (loss, target.classes, own, part.y, measured)))
            calls.append((add_up, (total, measured, part.y, part.weight)))
        calls.append((record_row, (state.now, state.history, np.array(work.online), V, scale.par, part)))
        if target.classes:
            calls.append((finish, (out, rows.base, float(committee.options.clip))))
        self._sequence, self._scale = Sequence(calls), scale
        state = self._with_stages(state)
        self._last = state, rows, out
        self._count(features)
        return state

    def _count(self, features: int) -> None:
        self._features = features
        for view in self._views.values():
            view.view.count(view.state, features)

    def _finished(self, state: CommitteeState, at: int) -> CommitteeState:
        """Go on from call `at`, which was not done."""
        stages = [*self._views.values(), *self._members]
        while at < len(self._sequence):
            k = int(np.searchsorted(self._starts, at, side="right")) - 1
            go_on = stages[k].recover(at - self._starts[k], self._features)
            self._sequence.replace(self._starts[k], stages[k].calls)
            at = self._sequence.run(self._starts[k] + go_on)
        state = self._with_stages(state)
        self._last = state, *self._last[1:]
        return state

    def _with_stages(self, state: CommitteeState) -> CommitteeState:
        """`state` with those of the views and members."""
        views, members = list(state.views), list(state.members)
        for view in self._views.values():
            views[view.place] = view.state
        for member in self._members:
            members[member.place] = member.state
        return state._replace(views=tuple(views), members=tuple(members))


class RowOfView:
    """A view that transforms rows one by one: its stretch of the sequence.

    Parameters
    ----------
    view : View
    place : int
        Its place among the views.
    state : State
    rows : Rows
        The buffers of raw rows.
    room : int
        Raw features that there may be.
    """

    def __init__(self, view: View, place: int, state: State, rows: Rows, room: int):
        self.view, self.place, self._rows, self._room = view, place, rows, room
        #: int64[1]; features of the rows that result are below this
        self.features = np.zeros(1, np.int64)
        with _full(rows):
            self.state = view.reserve(state, rows, room)
            self.out = view.room(self.state, rows, room)
        self._prepare()

    def _prepare(self) -> None:
        with _full(self._rows):
            self.state, calls = self.view.row_calls(self.state, self._rows, self._room, self.out)
        self.calls = *calls, (copy_one, (self.state.now["features"], self.features))
        self.features[0] = self.view.features(self.state)

    def recover(self, at: int, features: int) -> int:
        """Transform the row in the usual way, which makes room; the sequence goes on after this stretch."""
        state, found = self.view.fit_transform(self.view.reserve(self.state, self._rows, features), self._rows)
        n = int(found.indptr[1])
        self.out.indptr[1] = n
        self.out.features[:n], self.out.values[:n] = found.features[:n], found.values[:n]
        self.out.unseen[:] = found.unseen
        self.state = state
        self._prepare()
        self.view.count(self.state, features)
        self.features[0] = self.view.features(self.state)
        return len(self.calls)


class RowOfMember:
    """A member that learns rows one by one: its stretch of the sequence.

    Parameters
    ----------
    member : Member; engine : Engine
    place : int
        Its place among the members.
    state : State
    view : RowOfView
    y : float64[1]
        The label that it learns.
    counted : (tally, scale, whether the first checkpoint is to come, float64[1] the combiner's input)
        Arguments of `write_input`.
    """

    def __init__(
        self, member: Member, engine: Engine, place: int, state: State, view: RowOfView, y: np.ndarray,
        counted: tuple[np.ndarray, LabelScale, bool, np.ndarray],
    ):  # fmt: skip
        self.state, self.place, self._engine = state, place, engine
        self._view, self._rows, self._out = view, view.out._replace(y=y), Predictions.empty(1)
        tally, scale, first, own = counted
        arguments = tally[place], float(member.gain), self._out.prediction, scale, self._rows, first, own
        self._counted = write_input, arguments
        self._prepare()

    def _prepare(self) -> None:
        room = 2 * int(self._view.features[0]) + FEATURES
        with _full(self._rows):
            own = self._engine.row_calls(self.state, self._rows, self._out, self._view.features, room)
        self._by_calls = own is not None
        self.state, calls = own or (self.state, ())
        self.calls = (fits, (self._view.features, room if own else -1)), *calls, self._counted

    def recover(self, at: int, features: int) -> int:
        """Make room, or learn the row in the usual way; returns the call of this stretch to go on with."""
        if at == 0 and self._by_calls:
            self._prepare()
            return 0
        self.state = self._engine.learn_all(self.state, self._rows, self._out, int(self._view.features[0]))
        self._prepare()
        return len(self.calls) - 1


@contextlib.contextmanager
def _full(rows: Rows) -> Iterator[None]:
    """Buffers of one row as if it took all of them."""
    own = rows.indptr[1]
    rows.indptr[1] = len(rows.features)
    try:
        yield
    finally:
        rows.indptr[1] = own


def _combination(
    loss: Loss, combiner: Combiner, some: Any, places: list[int], V: np.ndarray, part: Rows, out: np.ndarray
) -> list[Call]:
    """The calls of `Target.combine_some`: inputs `some` of V, which have the `places` in the combiner."""
    k, own, calls = len(some), of_inputs(combiner, places), list[Call]()
    inputs = V.reshape(1, -1)
    if k < len(V):
        inputs = np.zeros((1, k))
        calls.append((copy_inputs_of_row, (V, np.array(some), inputs)))
    calls.append((combine, (loss, own, inputs, part.y, part.weight, True, np.zeros((k + 2, k)), out)))
    if own is not combiner:
        calls.append((copy_inputs, (own, np.arange(k), combiner, np.array(places))))
    return calls


# ----------------------------------------------------------------------------------------------------------- kernels


@bare_jit
def ready(now, most):
    """1 in the first pass while fewer than `most` rows have been learned, and of rows not in parts, else 0.

    now : of the state
    """
    return 1 if now[0]["passes"] == 0 and now[0]["rows"] < most and now[0]["in_parts"] == 0 else 0


@bare_jit
def copy_one(source, target):
    """target[0] <- source[0]."""
    target[0] = source[0]


@bare_jit
def write_input(tally, gain, prediction, scale, rows, first, out):
    """out[0] <- a member's prediction (float64[1]) as an input of the combiner; its entries are added to its tally.

    tally : float64[4], modified; scale : LabelScale of the row; rows : Rows, the row of its view
    first : bool, whether features are counted; out : float64[1]
    """
    value = gain * prediction[0]
    if value < scale.low[0]:
        value = scale.low[0]
    if value > scale.high[0]:
        value = scale.high[0]
    out[0] = value
    if rows.weight[0] > 0.0 and rows.y[0] == rows.y[0]:
        tally[2] += rows.indptr[1]
    if first:
        for place in range(rows.indptr[1]):
            if rows.features[place] + 1 > tally[3]:
                tally[3] = rows.features[place] + 1


@bare_jit
def copy_inputs_of_row(V, some, out):
    """out[0, :] (float64[1, m]) <- the inputs `some` (int64[m]) of V (float64[k, 1, 1])."""
    for j in range(len(some)):
        out[0, j] = V[some[j], 0, 0]


@bare_jit
def record_row(now, history, at, V, par, rows):
    """Count a row that is learned from, and keep the inputs of its combination while there is a history.

    now : of the state, modified; history : History, modified, or without rows; at : int64[k], which inputs V are
    V : float64[k, 1, 1]; par : float64[1]; rows : Rows
    """
    if not (rows.weight[0] > 0.0 and rows.y[0] == rows.y[0]):
        return
    place = now[0]["rows"]
    if len(history.facts) > 0:
        for j in range(len(at)):
            history.inputs[place, at[j], 0] = V[j, 0, 0]
        facts = history.facts[place]
        facts[0], facts[1], facts[2] = par[0], rows.y[0], rows.weight[0]
    now[0]["rows"] += 1
    now[0]["entries"] += rows.indptr[1]


@bare_jit
def finish(out, base, clip):
    """`Target.finish` for two classes: `base` (float64[1]) is added to the combinations in `out`, of one row."""
    out.raw[0] += base[0]
    out.offline[0] += base[0]
    out.prediction[0] = min(max(out.raw[0], -clip), clip)
