"""The committee: views of a row, and a panel of members that see it in these ways. The default method.

A row is shown to every view, each member predicts it from its view and learns from it, and the combiner (`combiner`)
does the same with the members' predictions, all of them made before the label is used.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.rows import Rows
from sonlearn.jit import jit
from sonlearn.learn.engine import Contributions, Engine, Predictions
from sonlearn.learn.ensemble.importance import relative_weights
from sonlearn.learn.ensemble.label_scale import LabelScale, LabelScaler
from sonlearn.learn.ensemble.label_scale import State as LabelState
from sonlearn.learn.ensemble.stacking import StackedEnsemble, StackedState, mapping
from sonlearn.learn.ensemble.viewing import Views, rows_between
from sonlearn.options import LearnOptions
from sonlearn.options.members import Member, default_members, member

#: A row with a value beyond this is refused: the members square it, and multiply such squares.
LIMIT = 1e50


NOW = [("rows", "i8"), ("weight", "f8"), ("passes", "i8")]


class CommitteeState(NamedTuple):
    """All that a committee has learned."""

    target: LabelState
    views: tuple  # the views' states
    panel: StackedState
    now: np.ndarray  # structured [1]: rows that had a weight, sum of those weights; passes begun


class Committee(Engine):
    """Engine of the committee.

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
        self._views = Views(dict.fromkeys(each.view for each in members), mapping(pool), options.loss)
        self._scaler = LabelScaler(options)
        self._stack = StackedEnsemble(options, members, pool, threads)

    def new(self) -> CommitteeState:
        """State of a committee that has seen nothing."""
        return CommitteeState(self._scaler.new(), self._views.new(), self._stack.new(), np.zeros(1, dtype=NOW))

    def reserve(self, state: CommitteeState, rows: Rows, features: int) -> CommitteeState:
        """Views have room for the batch, members for what they have been shown; theirs of the batch comes with it."""
        views = self._views.reserve(state.views, rows, features, self._stack.needed(state.panel))
        return state._replace(views=views, panel=self._stack.reserve(state.panel, self._views.sizes(views)))

    def learn(self, state: CommitteeState, rows: Rows, out: Predictions, start: int) -> tuple[CommitteeState, int]:
        """Learn rows from `start` on; see the seam."""
        end = first_wild(rows.indptr, rows.values, rows.y, rows.weight, start, LIMIT)
        part, at = rows_between(rows, start, end), slice(start, end)
        part = part._replace(weight=relative_weights(state.now, part.weight, part.y))
        again = bool(state.now["passes"][0] > 0)
        told, frame = self._scaler.fit_transform(state.target, part, learn=not again)
        views, seen = self._views.showing(state.views, told, learn=not again)  # in later passes they have counted it
        panel = self._stack.learn(state.panel, seen._replace(frame=frame), told, out.raw[at], again)
        self._finish(frame, part, Predictions(out.prediction[at], out.raw[at]))
        views = self._views.kept(tuple(views), self._stack.needed(panel))
        return state._replace(views=views, panel=panel), end

    def predict(self, state: CommitteeState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        rows = rows._replace(weight=relative_weights(state.now, rows.weight, rows.y, learn=False))
        told, frame = self._scaler.fit_transform(state.target, rows, learn=False)
        _, seen = self._views.showing(state.views, told, learn=False)
        self._stack.predict(state.panel, seen._replace(frame=frame), told, out.raw)
        self._finish(frame, rows, out)
        return len(rows.y)

    def contributions(self, state: CommitteeState, rows: Rows, number: None = None) -> Contributions:
        """What the members say of `rows`."""
        rows = rows._replace(weight=relative_weights(state.now, rows.weight, rows.y, learn=False))
        told, frame = self._scaler.fit_transform(state.target, rows, learn=False)
        _, seen = self._views.showing(state.views, told, learn=False)
        names, (V, w, z) = self._stack.contributions(state.panel, seen._replace(frame=frame), told)
        said, moved, start = self._scaler.spelt(frame, V, w, z, rows.base)
        return Contributions(names, said, w, moved, start)

    def weights(self, state: CommitteeState, features: int) -> np.ndarray:
        """Weights of the members that are linear in the raw row, as the combiner adds them up."""
        return self._scaler.unit(state.target) * self._stack.weights(state.panel, features)

    def packed(self, state: CommitteeState) -> CommitteeState:
        """`state` without spare room."""
        return state._replace(views=self._views.packed(state.views), panel=self._stack.packed(state.panel))

    def facts(self, state: CommitteeState) -> dict[str, Any]:
        """members: see `StackedEnsemble.roll`; spectra: a function that gives what `StackedEnsemble.spectra` says."""
        return {"members": self._stack.roll(state.panel), "spectra": lambda: self._stack.spectra(state.panel)}

    def next_pass(self, state: CommitteeState) -> None:
        """Say that the rows to come have been learned from before.

        Members that have seen a row predict it better than they predict a new one, and those that memorise gain most:
        the combiner, which would come to trust them, learns only in the first pass. What is counted is counted once.
        """
        state.now["passes"] += 1

    def _finish(self, frame: LabelScale, rows: Rows, out: Predictions) -> None:
        out.raw[:] = self._scaler.finish(frame, out.raw, rows.base)
        np.clip(out.raw, -self._options.clip, self._options.clip, out=out.prediction)


def members_of(options: LearnOptions) -> tuple[Member, ...]:
    """The members that `options` ask for."""
    return tuple(
        member(name, options.loss) for name in options.members or default_members(options.loss, options.budget)
    )


@jit
def first_wild(indptr, values, y, weight, start, limit):
    """First row from `start` on with a value, label or weight beyond `limit`, or n."""
    for i in range(start, len(y)):
        if abs(y[i]) > limit or weight[i] > limit:
            return i
        for at in range(indptr[i], indptr[i + 1]):
            if not abs(values[at]) <= limit:
                return i
    return len(y)
