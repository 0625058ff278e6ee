"""Binary subproblems: learners of one class against all others, an engine or a committee.

Both take rows from the views that all classes share, and have the same methods (`BinaryLearner`). They hold scratch
space and no state, so one of them serves all the classes of a thread, one after the other.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol

import numpy as np

from sonlearn.data.rows import NO_ROWS, Rows
from sonlearn.learn.engine import Contributions, Predictions, State
from sonlearn.learn.ensemble.committee import LIMIT, members_of
from sonlearn.learn.ensemble.label_scale import LabelScale, LabelScaler
from sonlearn.learn.ensemble.stacking import StackedEnsemble, StackedState, mapping
from sonlearn.learn.ensemble.viewing import Seen, Views
from sonlearn.learn.make import make_engine
from sonlearn.options import LearnOptions


class BinaryLearner(Protocol):
    """The verbs of a side. Labels of rows are +1, -1 and NaN; `raw` is float64[n], filled in."""

    #: Whether views count features that no row learned from has had (`sonlearn.views.view`).
    unknown: bool
    #: Rows with a value beyond this are refused.
    limit: float
    #: Views that all classes share.
    shared: tuple[str, ...]
    #: Whether importance weights are to be in their own unit (`importance.relative_weights`).
    bounded: bool

    def new(self) -> State:
        """State that has seen nothing."""

    def needed(self, state: State) -> set[str]:
        """Which of the shared views this class has a use for."""

    def reserve(self, state: State, sizes: dict[str, int]) -> State:
        """`state` with room for all features of the shared views."""

    def learn(self, state: State, seen: Seen, rows: Rows, raw: np.ndarray, refused: np.ndarray) -> State:
        """Predict and learn; a row that would lead to numbers out of all bounds is left out and marked in `refused`."""

    def predict(self, state: State, seen: Seen, rows: Rows, raw: np.ndarray) -> int:
        """Predict and change nothing; returns the first row whose prediction is not finite, or n."""

    def weights(self, state: State, features: int) -> np.ndarray:
        """float64[features]: weights in the scale of the input."""

    def contributions(self, state: State, seen: Seen, rows: Rows) -> Contributions | None:
        """What the members say; None where there are none."""

    def packed(self, state: State) -> State:
        """`state` without spare room."""

    def facts(self, state: State) -> dict[str, Any]:
        """What else there is to tell."""

    def next_pass(self, state: State) -> None:
        """Say that the rows to come have been learned from before."""


def make_binary_learner(options: LearnOptions) -> BinaryLearner:
    """The side that `options`, those of one class, ask for."""
    return CommitteeLearner(options) if options.method == "committee" else EngineLearner(options)


class EngineLearner:
    """Any engine but the committee."""

    limit, shared, bounded = math.inf, ("raw",), False

    def __init__(self, options: LearnOptions):
        self._engine = make_engine(options)
        self.unknown = self._engine.unknown
        self.new, self.weights = self._engine.new, self._engine.weights
        self.packed, self.facts = self._engine.packed, self._engine.facts

    def needed(self, state: State) -> set[str]:
        """See `BinaryLearner`."""
        return {"raw"}

    def reserve(self, state: State, sizes: dict[str, int]) -> State:
        """See `BinaryLearner`."""
        return self._engine.reserve(state, NO_ROWS, sizes["raw"])

    def learn(self, state: State, seen: Seen, rows: Rows, raw: np.ndarray, refused: np.ndarray) -> State:
        """See `BinaryLearner`."""
        n, at = len(rows.y), -1
        out = Predictions(np.zeros(n), raw)
        state = self._engine.reserve(state, rows, seen.sizes["raw"])
        while at < n:
            state, at = self._engine.learn(state, rows, out, at + 1)
            if at < n:
                refused[at], raw[at] = True, 0.0
        return state

    def predict(self, state: State, seen: Seen, rows: Rows, raw: np.ndarray) -> int:
        """See `BinaryLearner`."""
        return self._engine.predict(state, rows, Predictions(np.zeros(len(rows.y)), raw))

    def contributions(self, state: State, seen: Seen, rows: Rows) -> Contributions | None:
        """See `BinaryLearner`."""
        return self._engine.contributions(state, rows)

    def next_pass(self, state: State) -> None:
        """See `BinaryLearner`."""
        self._engine.next_pass(state)


class CommitteeLearnerState(NamedTuple):
    """What a class has learned that other classes do not share."""

    views: tuple  # states of the views that depend on labels
    panel: StackedState
    passes: np.ndarray  # int64[1]; passes begun


class CommitteeLearner:
    """The committee but for the views that do not depend on labels: these are shown to all classes alike.

    Views of which no member is left at work are forgotten.
    """

    unknown, limit, bounded = True, LIMIT, True

    def __init__(self, options: LearnOptions):
        members = members_of(options)
        names = tuple(dict.fromkeys(each.view for each in members))
        run = mapping(None)
        self._own = {
            name: Views([name], run, options.loss) for name in Views(names, run, options.loss, True).of_labels()
        }
        self._scaler = LabelScaler(options)
        self.shared = ("raw", *(name for name in names if name not in self._own and name != "raw"))
        self._stack = StackedEnsemble(options, members)

    def new(self) -> CommitteeLearnerState:
        """See `BinaryLearner`."""
        views = tuple(view.new() for view in self._own.values())
        return CommitteeLearnerState(views, self._stack.new(), np.zeros(1, dtype=np.int64))

    def needed(self, state: CommitteeLearnerState) -> set[str]:
        """See `BinaryLearner`."""
        return {"raw"} | self._stack.needed(state.panel)

    def reserve(self, state: CommitteeLearnerState, sizes: dict[str, int]) -> CommitteeLearnerState:
        """See `BinaryLearner`."""
        views, needed = list(state.views), self._stack.needed(state.panel)
        for i, (name, view) in enumerate(self._own.items()):
            if name in needed:
                views[i] = view.reserve(views[i], NO_ROWS, sizes["raw"])
                sizes = sizes | view.sizes(views[i])
        return state._replace(views=tuple(views), panel=self._stack.reserve(state.panel, sizes))

    def learn(
        self, state: CommitteeLearnerState, seen: Seen, rows: Rows, raw: np.ndarray, refused: np.ndarray
    ) -> CommitteeLearnerState:
        """See `BinaryLearner`. Members sit out what they would refuse, so no row is refused here."""
        views, needed = list(state.views), self._stack.needed(state.panel)
        for i, (name, view) in enumerate(self._own.items()):
            if name not in needed:
                continue
            if state.passes[0] > 0:
                shown = view.transform(views[i], rows)
            else:
                views[i], shown = view.fit_transform(view.reserve(views[i], rows, seen.sizes["raw"]), rows)
            seen = seen.beside(shown)
        seen = seen._replace(frame=self._frame(rows))
        panel = self._stack.learn(state.panel, seen, rows, raw, again=bool(state.passes[0] > 0))
        raw += rows.base
        needed = self._stack.needed(panel)
        for i, (name, view) in enumerate(self._own.items()):
            views[i] = views[i] if name in needed else view.new()
        return state._replace(views=tuple(views), panel=panel)

    def _frame(self, rows: Rows) -> LabelScale:
        return self._scaler.fit_transform(self._scaler.new(), rows)[1]

    def predict(self, state: CommitteeLearnerState, seen: Seen, rows: Rows, raw: np.ndarray) -> int:
        """See `BinaryLearner`."""
        self._stack.predict(state.panel, self._transform(state, seen, rows), rows, raw)
        raw += rows.base
        return len(rows.y)

    def contributions(self, state: CommitteeLearnerState, seen: Seen, rows: Rows) -> Contributions:
        """See `BinaryLearner`."""
        names, (V, w, _) = self._stack.contributions(state.panel, self._transform(state, seen, rows), rows)
        return Contributions(names, V, w, w * V, rows.base)

    def _transform(self, state: CommitteeLearnerState, seen: Seen, rows: Rows) -> Seen:
        """`rows` as seen by all views, those of the class's own included, for prediction."""
        needed = self._stack.needed(state.panel)
        for own, (name, view) in zip(state.views, self._own.items(), strict=True):
            if name in needed:
                seen = seen.beside(view.transform(own, rows))
        return seen._replace(frame=self._frame(rows))

    def weights(self, state: CommitteeLearnerState, features: int) -> np.ndarray:
        """See `BinaryLearner`; of the members that are linear in the raw row."""
        return self._stack.weights(state.panel, features)

    def packed(self, state: CommitteeLearnerState) -> CommitteeLearnerState:
        """See `BinaryLearner`."""
        views = tuple(view.packed(s) for view, s in zip(self._own.values(), state.views, strict=True))
        return state._replace(views=views, panel=self._stack.packed(state.panel))

    def facts(self, state: CommitteeLearnerState) -> dict[str, Any]:
        """See `BinaryLearner`; members and spectra: see `StackedEnsemble`."""
        return {"members": self._stack.roll(state.panel), "spectra": lambda: self._stack.spectra(state.panel)}

    def next_pass(self, state: CommitteeLearnerState) -> None:
        """See `BinaryLearner`: the combiner learns only in the first pass (`Committee.next_pass`)."""
        state.passes[0] += 1
