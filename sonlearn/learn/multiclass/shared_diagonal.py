"""Engine of first-order softmax learners: the classes share one rate for each feature; kernels in `softmax`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.learn.first_order.engine import NOW, FirstOrder
from sonlearn.learn.first_order.rules import SCRATCH
from sonlearn.learn.multiclass import softmax
from sonlearn.options import LearnOptions


class SharedDiagonalState(NamedTuple):
    """All that a learner has learned, but for the names of its features."""

    W: np.ndarray  # float64[features, K]
    shared: np.ndarray  # float64[features, 3]; see `sonlearn.learn.multiclass.softmax`
    now: np.ndarray  # structured [1]


class SharedDiagonalScratch(NamedTuple):
    """Scratch."""

    step: np.ndarray  # float64[K], multiples of x
    along: np.ndarray  # float64[SCRATCH, longest row], see `sonlearn.learn.first_order.rules`


class SharedDiagonal(FirstOrder):
    """Engine of the first-order methods with ``multinomial``; predictions are float64[n, K], labels 0 to K - 1."""

    _kernels = softmax
    merges = False

    def __init__(self, options: LearnOptions):
        assert options.multinomial is not None
        self._classes = options.multinomial
        super().__init__(options)

    def new(self) -> SharedDiagonalState:
        """State of a learner that has seen nothing."""
        return SharedDiagonalState(
            np.zeros((0, self._classes)), np.zeros((0, 3)), np.zeros(1, dtype=NOW).view(np.recarray)
        )

    def _scratch(self, longest: int) -> SharedDiagonalScratch:
        return SharedDiagonalScratch(np.zeros(self._classes), np.zeros((SCRATCH, longest)))

    def weights(self, state: SharedDiagonalState, features: int) -> np.ndarray:
        """float64[K, features]: weights in the scale of the input."""
        w = np.zeros((self._classes, len(state.W)))
        softmax.weights(self._params, state, w)
        return np.pad(w, ((0, 0), (0, max(0, features - w.shape[1]))))[:, :features]
