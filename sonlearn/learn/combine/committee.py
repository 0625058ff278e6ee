"""The committee: views of a row, and a panel of members that see it in these ways. The default method.

A row is shown to every view, each member predicts it from its view and learns from it, and the combiner (`combiner`)
does the same with the members' predictions, all of them made before the label is used.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from sonlearn.batch import Rows
from sonlearn.jit import jit
from sonlearn.learn.combine.panel import Panel, PanelState, mapping
from sonlearn.learn.combine.viewing import Views, rows_between
from sonlearn.learn.engine import Predictions
from sonlearn.members import Member, default_members, member
from sonlearn.options import LearnOptions

#: A row with a value beyond this is refused: the members square it, and multiply such squares.
LIMIT = 1e50


class CommitteeState(NamedTuple):
    """All that a committee has learned."""

    views: tuple  # the views' states
    panel: PanelState


class Committee:
    """Engine of the committee (see `sonlearn.learn.engine.Engine` for the verbs).

    Parameters
    ----------
    options : LearnOptions
        ``members``: of which members, empty: of those that suit the loss.
    threads : int
        How many views and members may run side by side.
    """

    #: Views count the features that no row learned from has had (`sonlearn.views.view`).
    unknown = True

    def __init__(self, options: LearnOptions, threads: int = 1):
        self._options = options
        pool = ThreadPoolExecutor(threads) if threads > 1 else None
        members = members_of(options)
        self._views = Views(dict.fromkeys(each.view for each in members), mapping(pool))
        self._panel = Panel(options, members, pool)

    def new(self) -> CommitteeState:
        """State of a committee that has seen nothing."""
        return CommitteeState(self._views.new(), self._panel.new())

    def reserve(self, state: CommitteeState, rows: Rows, features: int) -> CommitteeState:
        """Views have room for the batch, members for what they have been shown; theirs of the batch comes with it."""
        views = self._views.reserve(state.views, rows, features)
        return CommitteeState(views, self._panel.reserve(state.panel, self._views.sizes(views)))

    def learn(self, state: CommitteeState, rows: Rows, out: Predictions, start: int) -> tuple[CommitteeState, int]:
        """Learn rows from `start` on; see the seam."""
        end = first_wild(rows.indptr, rows.values, rows.y, start, LIMIT)
        part, at = rows_between(rows, start, end), slice(start, end)
        views, seen = self._views.see(state.views, part)
        panel = self._panel.learn(state.panel, seen, part, out.raw[at])
        self._finish(part, Predictions(out.prediction[at], out.raw[at]))
        return CommitteeState(views, panel), end

    def predict(self, state: CommitteeState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        self._panel.predict(state.panel, self._views.look(state.views, rows), rows, out.raw)
        self._finish(rows, out)
        return len(rows.y)

    def weights(self, state: CommitteeState, features: int) -> np.ndarray:
        """Weights of the members that are linear in the raw row, as the combiner adds them up."""
        return self._panel.weights(state.panel, features)

    def packed(self, state: CommitteeState) -> CommitteeState:
        """`state` without spare room."""
        return CommitteeState(self._views.packed(state.views), self._panel.packed(state.panel))

    def facts(self, state: CommitteeState) -> dict[str, Any]:
        """members: see `Panel.roll`."""
        return {"members": self._panel.roll(state.panel)}

    def next_pass(self, state: CommitteeState) -> None:
        """Say that the rows to come have been learned from before.

        Members that have seen a row predict it better than they predict a new one, and those that memorise gain most:
        the combiner, which would come to trust them, learns only in the first pass.
        """
        state.panel.now["passes"] += 1

    def _finish(self, rows: Rows, out: Predictions) -> None:
        out.raw[:] += rows.base
        np.clip(out.raw, -self._options.clip, self._options.clip, out=out.prediction)


def members_of(options: LearnOptions) -> tuple[Member, ...]:
    """The members that `options` ask for."""
    return tuple(member(name) for name in options.members or default_members(options.loss))


@jit
def first_wild(indptr, values, y, start, limit):
    """First row from `start` on with a value or label beyond `limit`, or n."""
    for i in range(start, len(y)):
        if abs(y[i]) > limit:
            return i
        for at in range(indptr[i], indptr[i + 1]):
            if not abs(values[at]) <= limit:
                return i
    return len(y)
