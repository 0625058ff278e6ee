"""First-order learners of several classes that share a rate a feature: the engine around `sonlearn.learn.softmax`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sonlearn.batch import Rows
from sonlearn.learn.engine import Predictions, grown
from sonlearn.learn.engines.first_order import NOW, params_of
from sonlearn.learn.softmax import learn, predict, weights
from sonlearn.options import LearnOptions


class State(NamedTuple):
    """All that a learner has learned, but for the names of its features."""

    W: np.ndarray  # float64[features, K]
    shared: np.ndarray  # float64[features, 3]; see `sonlearn.learn.softmax`
    now: np.ndarray  # structured [1]


class Work(NamedTuple):
    """Scratch."""

    step: np.ndarray  # float64[K], multiples of x
    along: np.ndarray  # float64[longest row], the row times its rates


class SharedDiagonal:
    """Engine of the first-order methods with ``multinomial``; predictions are float64[n, K], labels 0 to K - 1."""

    def __init__(self, options: LearnOptions):
        assert options.multinomial is not None
        self._params, self._classes = params_of(options), options.multinomial
        self._work = Work(np.zeros(self._classes), np.zeros(1))

    def new(self) -> State:
        """State of a learner that has seen nothing."""
        return State(np.zeros((0, self._classes)), np.zeros((0, 3)), np.zeros(1, dtype=NOW).view(np.recarray))

    def reserve(self, state: State, rows: Rows, features: int) -> State:
        """Let the arrays hold what learning `rows` may need."""
        self._work = self._work._replace(along=grown(self._work.along, int(np.diff(rows.indptr).max(initial=1))))
        seen = int(state.now["seen"][0])
        return state._replace(W=grown(state.W, features, seen), shared=grown(state.shared, features, seen))

    def learn(self, state: State, rows: Rows, out: Predictions, start: int) -> tuple[State, int]:
        """Learn rows from `start` on; see the seam."""
        at = learn(self._params, state, self._work, rows, out, start)
        done = rows.features[rows.indptr[start] : rows.indptr[at]]
        state.now["seen"] = max(int(state.now["seen"][0]), int(done.max(initial=-1)) + 1)
        return state, at

    def predict(self, state: State, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        at = predict(self._params, state, rows, out.raw)
        np.clip(out.raw, -self._params.clip, self._params.clip, out=out.prediction)
        return at

    def weights(self, state: State, features: int) -> np.ndarray:
        """float64[K, features]: weights in the scale of the input."""
        w = np.zeros((self._classes, len(state.W)))
        weights(self._params, state, w)
        return np.pad(w, ((0, 0), (0, max(0, features - w.shape[1]))))[:, :features]

    def packed(self, state: State) -> State:
        """`state` without spare room."""
        seen = int(state.now["seen"][0])
        return state._replace(W=state.W[:seen], shared=state.shared[:seen])

    def facts(self, state: State) -> dict[str, Any]:
        """Nothing beyond the weights."""
        return {}
