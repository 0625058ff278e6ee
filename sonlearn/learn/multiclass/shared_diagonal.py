"""Engine of first-order softmax learners: the classes share one rate for each feature; kernels in `softmax`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.learn.axes import BY_FEATURE
from sonlearn.learn.engine import Engine
from sonlearn.learn.first_order.engine import NOW, SCALARS, FirstOrder
from sonlearn.learn.first_order.rules import ADA, ADAGRAD, NAG, SCRATCH
from sonlearn.learn.multiclass import softmax
from sonlearn.learn.multiclass.softmax import INVERSE, G, S
from sonlearn.options import LearnOptions


class SharedDiagonalState(NamedTuple):
    """All that a learner has learned, but for the names of its features."""

    W: Annotated[np.ndarray, BY_FEATURE]  # float64[features, K]
    shared: Annotated[np.ndarray, BY_FEATURE]  # float64[features, 3]; see `sonlearn.learn.multiclass.softmax`
    now: Annotated[np.ndarray, SCALARS]  # structured [1]


class SharedDiagonalScratch(NamedTuple):
    """Scratch."""

    step: np.ndarray  # float64[K], multiples of x
    along: np.ndarray  # float64[SCRATCH, longest row], see `sonlearn.learn.first_order.rules`


class SharedDiagonal(FirstOrder):
    """Engine of the first-order methods with ``multinomial``; predictions are float64[n, K], labels 0 to K - 1."""

    _kernels = softmax

    def __init__(self, options: LearnOptions):
        assert options.multinomial is not None
        self._classes = options.multinomial
        super().__init__(options)

    def new(self, classes: int = 0) -> SharedDiagonalState:
        """State of a learner that has seen nothing."""
        return SharedDiagonalState(
            np.zeros((0, self._classes)), np.zeros((0, 3)), np.zeros(1, dtype=NOW).view(np.recarray)
        )

    def _scratch(self, longest: int) -> SharedDiagonalScratch:
        return SharedDiagonalScratch(np.zeros(self._classes), np.zeros((SCRATCH, longest)))

    def weights(self, state: SharedDiagonalState, features: int, number: int | None = None) -> np.ndarray:
        """float64[K, features]: weights in the scale of the input."""
        w = np.zeros((self._classes, len(state.W)))
        softmax.weights(self._params, state, w)
        return np.pad(w, ((0, 0), (0, max(0, features - w.shape[1]))))[:, :features]

    def with_classes(self, state: SharedDiagonalState, places: list[int]) -> SharedDiagonalState:
        """`state` with its classes in another order (see `Engine.with_classes`)."""
        return state._replace(W=state.W[:, places])

    def carried(
        self, state: SharedDiagonalState, base: SharedDiagonalState, previous: SharedDiagonalState
    ) -> SharedDiagonalState:
        """`state` as it is (see `Engine.carried`)."""
        return state

    def merge(
        self, states: Sequence[SharedDiagonalState], base: SharedDiagonalState, rows: Sequence[int]
    ) -> SharedDiagonalState:
        """As of a learner of one class (`first_order.merging`): sums add up, weights move by what these gain."""
        by, rule = np.ones(len(states)), self._params.rule
        now, shared = Engine.merge(self, states, base, rows).now, base.shared.copy()
        sums = [state.shared[:, G] for state in states]
        shared[:, G] = np.maximum(merging.summed(base.shared[:, G], sums, by), 0.0)
        if rule == ADA and self._params.dual:
            return SharedDiagonalState(merging.summed(base.W, [state.W for state in states], by), shared, now)
        W = [state.W.T for state in (base, *states)]
        if rule == NAG:  # a weight shrinks with what is larger than all before
            shared[:, S] = np.max([state.shared[:, S] for state in states], axis=0)
            shared[:, INVERSE] = np.divide(1.0, shared[:, S], out=np.zeros(len(shared)), where=shared[:, S] > 0.0)
            W = [own * (state.shared[:, S] * shared[:, INVERSE]) for own, state in zip(W, (base, *states), strict=True)]
        gains = merging.added(base.shared[:, G], sums, rows, 1.0, by)
        if rule not in (NAG, ADAGRAD, ADA):  # no sum of squares
            gains = [np.full(len(shared), float(n)) for n in rows]
        return SharedDiagonalState(merging.moved(W[0], W[1:], gains).T, shared, now)
