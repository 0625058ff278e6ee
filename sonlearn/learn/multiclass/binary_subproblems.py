"""Binary subproblems: an engine learns one class against all others; it leaves out the rows it refuses and marks them.

It holds scratch space and no state, so one serves all the classes of a thread, one after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sonlearn.data.rows import NO_ROWS, Rows
from sonlearn.learn.engine import Contributions, Predictions, State
from sonlearn.learn.make import make_engine
from sonlearn.options import LearnOptions


class BinaryLearner:
    """One class's engine. Labels of rows are +1, -1 and NaN; `raw` is float64[n], filled in.

    Parameters
    ----------
    options : LearnOptions
        Those of one class.
    """

    def __init__(self, options: LearnOptions):
        self._engine: Any = make_engine(options)
        self.merges = self._engine.merges
        self.new, self.weights = self._engine.new, self._engine.weights
        self.packed, self.facts = self._engine.packed, self._engine.facts
        self.renumbered, self.merge = self._engine.renumbered, self._engine.merge

    def reserve(self, state: State, features: int) -> State:
        """`state` with room for so many features."""
        return self._engine.reserve(state, NO_ROWS, features)

    def learn(self, state: State, rows: Rows, features: int, raw: np.ndarray, refused: np.ndarray) -> State:
        """Predict and learn; a row that would lead to numbers out of all bounds is left out and marked in `refused`."""
        n, at = len(rows.y), -1
        out = Predictions.empty(n)._replace(raw=raw)
        state = self._engine.reserve(state, rows, features)
        while at < n:
            state, at = self._engine.learn(state, rows, out, at + 1)
            if at < n:
                refused[at], raw[at] = True, 0.0
        return state

    def predict(self, state: State, rows: Rows, raw: np.ndarray) -> int:
        """Predict and change nothing; returns the first row whose prediction is not finite, or n."""
        at: int = self._engine.predict(state, rows, Predictions.empty(len(rows.y))._replace(raw=raw))
        return at

    def contributions(self, state: State, rows: Rows) -> Contributions | None:
        """What the members say; None where there are none."""
        return self._engine.contributions(state, rows, None) if hasattr(self._engine, "contributions") else None

    def next_pass(self, state: State) -> None:
        """Say that the rows to come have been learned from before."""
        if hasattr(self._engine, "next_pass"):
            self._engine.next_pass(state)
