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

from sonlearn.data.rows import Rows
from sonlearn.jit import bare_jit
from sonlearn.jit.sequence import Call, Sequence
from sonlearn.learn.engine import Engine, Predictions, State, grown
from sonlearn.learn.ensemble.combiner import Combiner, combine, copy_inputs
from sonlearn.learn.ensemble.drift import watch
from sonlearn.learn.ensemble.importance import LIMIT, divide, first_wild
from sonlearn.learn.ensemble.label_scale import LabelScale
from sonlearn.learn.ensemble.pruning import before_first_checkpoint
from sonlearn.learn.ensemble.stacking import add_up, count_up
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
        if not self._classes:
            self._committee.finish(self._scale, self._part, out)
        return state, 1

    # -- how ---------------------------------------------------------------------------------------------------------

    def _begin(self, state: CommitteeState, rows: Rows, out: Predictions, features: int) -> CommitteeState:
        """Make everything for a state and buffers; returns the state with room."""
        committee, self._room = self._committee, max(2 * features, FEATURES)
        layout, own = committee.ensemble.layout(state.ensemble), state.ensemble
        weighted = rows._replace(weight=np.ones(1))
        part, scale, labelled = committee.labels.row_calls(state.labels, weighted)
        most, history = NEVER, own.history
        if layout.rows_left:
            learned = int(own.now["rows"][0])
            history = grown(history, learned + min(HISTORY, layout.rows_left))
            most = min(learned + layout.rows_left - 1, len(history))
        needed = committee.ensemble.needed(own)
        self._views = {
            name: RowOfView(committee.views.of(name), i, state.views[i], part, self._room)
            for i, name in enumerate(committee.views.names)
            if name in needed
        }
        V = layout.no_inputs()
        first = layout.rows_left > 0 and before_first_checkpoint(int(own.now["rows"][0]))
        self._members = [
            RowOfMember(layout.members[i], layout.engines[i], i, own.members[i], self._views[layout.members[i].view],
                        part.y, (own.tally, scale, first, V))
            for i in layout.active
        ]  # fmt: skip
        begin: list[Call] = [
            (ready, (state.now["passes"], own.now["rows"], most)),
            (first_wild, (rows.indptr, rows.values, rows.y, rows.weight, 0, LIMIT)),
        ]
        self._first = len(begin)
        calls = [*begin, (divide, (state.now, rows.weight, rows.y, True, weighted.weight)), *labelled]
        self._starts = []
        for stage in (*self._views.values(), *self._members):
            self._starts.append(len(calls))
            calls += stage.calls
        loss = Loss(layout.loss.code, scale.par)
        calls += _combination(loss, own.online, layout.online, layout.online, V, part, out.raw)
        if layout.offline:
            calls += _combination(loss, own.offline, layout.offline, layout.offline_places, V, part, out.offline)
        else:
            calls.append((copy_one, (out.raw, out.offline)))
        calls.append((watch, (own.drift, layout.classes, out.offline, part.y, part.weight)))
        calls.append((count_up, (own.tally, np.array(layout.active), layout.classes, V, part.y, part.weight)))
        if layout.both:
            counted = own.totals, loss, layout.classes, out.raw, out.offline, part.y, part.weight
            calls.append((add_up, counted))
        now = own.now
        calls.append((record_row, (now["rows"], now["entries"], history, V, scale.par, part)))
        if layout.classes:
            calls.append((finish, (out, rows.base, float(committee.clip))))
        self._classes, self._sequence, self._scale, self._part = layout.classes, Sequence(calls), scale, part
        state = self._with_stages(state._replace(ensemble=own._replace(history=history)))
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
        views, members = list(state.views), list(state.ensemble.members)
        for view in self._views.values():
            views[view.place] = view.state
        for member in self._members:
            members[member.place] = member.state
        return state._replace(views=tuple(views), ensemble=state.ensemble._replace(members=tuple(members)))


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
    counted : (tally, scale, whether the first checkpoint is to come, inputs of the combiner)
        Arguments of `write_input`.
    """

    def __init__(
        self, member: Member, engine: Engine, place: int, state: State, view: RowOfView, y: np.ndarray,
        counted: tuple[np.ndarray, LabelScale, bool, np.ndarray],
    ):  # fmt: skip
        self.state, self.place, self._engine = state, place, engine
        self._view, self._rows, self._out = view, view.out._replace(y=y), Predictions.empty(1)
        tally, scale, first, V = counted
        self._counted = (
            write_input,
            (tally, place, float(member.gain), self._out.prediction, scale, self._rows, first, V),
        )
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
    loss: Loss, combiner: Combiner, at: list[int], places: list[int], V: np.ndarray, part: Rows, out: np.ndarray
) -> list[Call]:
    """The calls of `combine_some`: inputs `at` of V, which have the `places` in the combiner."""
    k, own, calls = len(at), combiner, list[Call]()
    if k < combiner.w.shape[1]:
        square = np.ix_(range(len(combiner.w)), places, places)
        w, prior = (np.ascontiguousarray(array[:, places]) for array in (combiner.w, combiner.prior))
        A, P = (np.ascontiguousarray(array[square]) for array in (combiner.A, combiner.P))
        own = combiner._replace(w=w, A=A, P=P, prior=prior)
    inputs = V
    if k < V.shape[1]:
        inputs = np.zeros((1, k))
        calls.append((copy_columns, (V, np.array(at), inputs)))
    calls.append((combine, (loss, own, inputs, part.y, part.weight, True, np.zeros((k + 2, k)), out)))
    if own is not combiner:
        calls.append((copy_inputs, (own, np.arange(k), combiner, np.array(places))))
    return calls


# ----------------------------------------------------------------------------------------------------------- kernels


@bare_jit
def ready(passes, learned, most):
    """1 in the first pass while fewer than `most` rows have been learned, else 0; int64[1] the others."""
    return 1 if passes[0] == 0 and learned[0] < most else 0


@bare_jit
def copy_one(source, target):
    """target[0] <- source[0]."""
    target[0] = source[0]


@bare_jit
def write_input(tally, i, gain, prediction, scale, rows, first, V):
    """V[0, i] <- member i's prediction (float64[1]) as an input of the combiner; its entries are added to its tally.

    tally : float64[k, 4], modified; scale : LabelScale of the row; rows : Rows, the row of its view
    first : bool, whether features are counted; V : float64[1, k or more]
    """
    value = gain * prediction[0]
    if value < scale.low[0]:
        value = scale.low[0]
    if value > scale.high[0]:
        value = scale.high[0]
    V[0, i] = value
    if rows.weight[0] > 0.0 and rows.y[0] == rows.y[0]:
        tally[i, 2] += rows.indptr[1]
    if first:
        for place in range(rows.indptr[1]):
            if rows.features[place] + 1 > tally[i, 3]:
                tally[i, 3] = rows.features[place] + 1


@bare_jit
def copy_columns(V, at, out):
    """out[0, :] (float64[1, m]) <- the columns `at` (int64[m]) of V (float64[1, k])."""
    for j in range(len(at)):
        out[0, j] = V[0, at[j]]


@bare_jit
def record_row(learned, entries, history, V, par, rows):
    """Count a row that is learned from, and keep the inputs of its combination while there is a history.

    learned, entries : int64[1], modified; history : float32[rows, k + 3], modified, or without rows; V : float64[1, k]
    par : float64[1]; rows : Rows
    """
    if not (rows.weight[0] > 0.0 and rows.y[0] == rows.y[0]):
        return
    if len(history) > 0:
        own, k = history[learned[0]], V.shape[1]
        for j in range(k):
            own[j] = V[0, j]
        own[k], own[k + 1], own[k + 2] = par[0], rows.y[0], rows.weight[0]
    learned[0] += 1
    entries[0] += rows.indptr[1]


@bare_jit
def finish(out, base, clip):
    """`Committee.finish` for classes: `base` (float64[1]) is added to the combinations in `out`, of one row."""
    out.raw[0] += base[0]
    out.offline[0] += base[0]
    out.prediction[0] = min(max(out.raw[0], -clip), clip)
