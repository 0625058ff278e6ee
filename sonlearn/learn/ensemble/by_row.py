"""A committee that learns one row after another, by one sequence of kernels: the bits of `Committee.learn`.

Of a row alone most of the time goes into calls of kernels and into Python between them. Here the buffers of a row are
made once, and all that is done with it is a `Sequence`: weights and labels, each view, each member, the combiners, what
is counted. When a call is not done, because a table is full or a member refuses the row, that view or member does it in
its usual way, and the sequence goes on behind it. What happens rarely (a checkpoint, a further pass, a row out of
bounds) is left to `Committee.learn` altogether.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from sonlearn.data.rows import MAX_INPUT, Rows, first_out_of_bounds
from sonlearn.jit import jit
from sonlearn.jit.sequence import Calls
from sonlearn.learn.by_row import EngineByRow, RowOfEngine, copy_one, full
from sonlearn.learn.engine import SPARE_FEATURES, Predictions, State
from sonlearn.learn.ensemble import resting
from sonlearn.learn.ensemble.label_scale import divide
from sonlearn.learn.ensemble.target import Part
from sonlearn.views.view import View, fits

if TYPE_CHECKING:
    from sonlearn.learn.ensemble.committee import Committee, CommitteeState

#: Rows kept for members at rest that there is room for beyond those learned.
SPARE_ROWS = 64
#: More rows than any stream has.
NEVER = 1 << 62


class CommitteeByRow(EngineByRow):
    """`Committee.learn` of rows that come one by one in the same buffers."""

    _engine: Committee

    def _begin(self, state: CommitteeState, rows: Rows, out: Predictions) -> CommitteeState:
        """Make everything for a state and buffers; returns the state with room."""
        committee, room = self._engine, 2 * int(self._features[0]) + SPARE_FEATURES
        target, left, most, weighted = committee.target, committee.rows_left(state), NEVER, np.ones(1)
        if left:
            most = int(state.now["rows"][0]) + left - 1
        if resting.rows_left(state.resting):
            kept, before = resting.reserve_ahead(state.resting, SPARE_ROWS, len(rows.features))
            state, most = state._replace(resting=kept), min(most, int(state.now["rows"][0]) + before)
        given = rows._replace(weight=weighted)
        scaled, scale, labelled = target.label_calls(state.labels, given, state.now, False)
        work, K = committee.active_members(state), target.width(state.labels)
        V, z, part = np.ones((len(work.online), 1, K)), [np.zeros((1, K))] * 2, Part(scaled, scale)
        if work.separate:
            z[1] = np.zeros((1, K))
        self._views = {
            name: RowOfView(committee.views.every[i], i, state.views[i], scaled, self._features, room)
            for i, name in enumerate(committee.views.names)
            if name in work.by_view
        }
        self._members = {}
        first, last = (list(itertools.chain(*views.values())) for views in (work.first, work.stacked))
        for j in (*first, *last):
            i, own = work.active[j], V[j]
            view = self._views[committee.members[i].view]
            seen, stacks = target.labelled(committee.members[i], view.out, scale), Calls()
            if j == first[-1]:
                stacks = committee.stack(state, V, part, True, [self._views[view].out for view in work.stacked])
            self._members[i] = RowOfEngine(
                committee.engines[i], state.members[i], seen, Predictions.of_scores(own), view.features,
                [*committee.to_input(state, i, own, seen, scale), *stacks],
            )  # fmt: skip
        begin: Calls = [
            (fits, (self._features, room)),
            (ready, (state.now, most)),
            (first_out_of_bounds, (rows.indptr, rows.values, rows.y, rows.weight, 0, MAX_INPUT)),
            *target.is_ready(state.labels, rows),
        ]
        first = len(begin)
        begin += [(divide, (state.now, rows.weight, rows.y, True, weighted)), *labelled]
        end = [*committee.combine(state, V, part, True, z), *committee.count(state, part, V, z)]
        if state.resting.kept.now["due"][0]:
            end.append((resting.buffer_rows, (state.resting.kept, given)))
        end += target.finish(state.labels, scale, z, out)
        self._arrange(begin, first, (*self._views.values(), *self._members.values()), end)
        return self._with_stages(state)

    def _with_stages(self, state: CommitteeState) -> CommitteeState:
        """See `EngineByRow`."""
        views, members = list(state.views), list(state.members)
        for view in self._views.values():
            views[view.place] = view.state
        for i, member in self._members.items():
            members[i] = member.state
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
    raw : int64[1]
        Features of these are below this.
    room : int
        Raw features that there may be.
    """

    def __init__(self, view: View, place: int, state: State, rows: Rows, raw: np.ndarray, room: int):
        self.view, self.place, self._rows, self._raw, self._room = view, place, rows, raw, room
        #: int64[1]; features of the rows that result are below this
        self.features = np.zeros(1, np.int64)
        with full(rows):
            self.out = view.room(view.reserve(state, rows, room), rows)
        self._prepare(state)

    def _prepare(self, state: State) -> None:
        with full(self._rows):
            self.state = self.view.reserve(state, self._rows, self._room)
            calls = self.view.calls(self.state, self._rows, self.out)
        known = self.state.now[self.view.raw]
        known[:] = self._raw
        self.calls = (copy_one, (self._raw, known)), *calls, (copy_one, (self.state.now["features"], self.features))
        self.features[0] = self.view.features(self.state)

    def recover(self, at: int) -> int:
        """Make room; returns the call of this stretch to go on with."""
        lacks_rows = self.calls[at][0] is fits
        self._prepare(self.state if lacks_rows else self.view.widened(self.state))
        return at


# ----------------------------------------------------------------------------------------------------------- kernels


@jit
def ready(now, most):
    """1 in the first pass while fewer than `most` rows have been learned, and of rows not in parts, else 0.

    now : of the state
    """
    return 1 if now[0]["passes"] == 0 and now[0]["rows"] < most and now[0]["in_parts"] == 0 else 0
