"""What learners on tables of pairs (`sonlearn.learn.pairs`) have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sonlearn.data import axes
from sonlearn.data.axes import BY_FEATURE
from sonlearn.data.rows import Rows, longest_row
from sonlearn.jit.sequence import Calls, run_calls
from sonlearn.learn.engine import Engine, Predictions, State
from sonlearn.learn.pairs import places_needed
from sonlearn.learn.tables import bytes_of, count_pairs, more_room, weights_of


class OfPairs(Engine):
    """Learner whose state has a table of `pairs`, and in `now` the classes and the features that it has seen.

    Parameters
    ----------
    kernel : kernel (*given, state, scratch, rows, scores, start, learns)
        It predicts rows from `start` on and, where it `learns`, learns them; it returns where there is no room for
        pairs, or n.
    given : tuple
    scratch : function (longest row, classes)
        Makes the scratch space of one row under way.
    decay : float
        What is forgotten with each row.
    """

    merges = True
    counts_features = True
    by_class = True
    #: How many classes each feature of a row meets at most; None: all.
    most_met: int | None = None

    def __init__(self, kernel: Callable, given: tuple, scratch: Callable[[int, int], Any], decay: float):
        self._kernel, self._given, self._scratch = kernel, given, scratch
        self._decay, self.retention = decay, 1.0 - decay

    def calls(self, state: State, rows: Rows, out: Predictions, start: int = 0, learns: bool = True) -> Calls:
        """See `Engine.calls`."""
        scratch = self._scratch(longest_row(rows), out.raw.shape[1])
        return [(self._kernel, (*self._given, state, scratch, rows, out.raw, start, learns))]

    def weights(self, state: State, features: int, number: int | None = None) -> np.ndarray:
        """See `Engine.weights`; of counts there are none."""
        if self.counts:
            return super().weights(state, features, number)
        return weights_of(state.pairs, features, self.met(state), number)

    def learn(self, state: State, rows: Rows, out: Predictions, start: int) -> tuple[State, int]:
        """Predict and learn rows from `start` on (see `Engine.learn`); what is not learned with room is refused."""
        at, before, classes = run_calls(self.calls(state, rows, out, start)), -1, out.raw.shape[1]
        while before < at < len(rows.y):
            before, more = at, classes if self.most_met is None else self.most_met
            places = places_needed(state.pairs, rows, at, more, classes)
            state = state._replace(pairs=more_room(state.pairs, places, classes))
            at = run_calls(self.calls(state, rows, out, at))
        return state, at

    def facts(self, state: State) -> dict[str, Any]:
        """pairs: of features and classes that met; bytes that they take."""
        seen = int(state.now["seen"][0])
        by_feature = [getattr(state, name)[:seen] for name, axis, _ in axes.axes_of(type(state)) if axis is BY_FEATURE]
        return {
            "pairs": count_pairs(state.pairs),
            "bytes": bytes_of(state.pairs) + sum(array.nbytes for array in by_feature),
        }
