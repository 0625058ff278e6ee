"""MetaGrad: the engine around the kernels of `sonlearn.learn.metagrad.dense`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.rows import Rows
from sonlearn.learn.axes import BY_FEATURE, Axis, summed
from sonlearn.learn.dense.engine import NOW, SCALARS, TRIANGLE, Dense
from sonlearn.learn.engine import Engine, Predictions, by_class
from sonlearn.learn.metagrad.dense import learn
from sonlearn.options import LearnOptions

#: Number of experts. [METAGRAD] uses (log2 T)/2 of them, so these suffice for any stream.
EXPERTS = 20


def first_weights() -> np.ndarray:
    """float64[experts]: logarithms of the experts' prior weights, the largest 0."""
    e = np.arange(EXPERTS)
    prior = -np.log((e + 1.0) * (e + 2.0))
    return prior - prior.max()


class MetaGradState(NamedTuple):
    """State of a learner, without the names of its features."""

    w: Annotated[np.ndarray, BY_FEATURE]  # float64[features, 1]; the experts' tilted average
    W: Annotated[np.ndarray, BY_FEATURE]  # float64[features, experts]; the experts' weights w_e
    logp: Annotated[np.ndarray, Axis(), summed]  # float64[experts]; logarithms of the probabilities p_e, the largest 0
    A: Annotated[np.ndarray, TRIANGLE]  # float64[features (features + 1)/2]; columns of A's upper triangle
    now: Annotated[np.ndarray, SCALARS]  # structured [1]


class MetaGrad(Dense):
    """Engine of metagrad (see `sonlearn.learn.engine.Engine`)."""

    def __init__(self, options: LearnOptions):
        super().__init__(options)
        self._params = self._params._replace(rate=float(options.learning_rate), alpha=float(options.alpha))
        self._factored = False

    def new(self, classes: int = 0) -> MetaGradState:
        """State of an untrained learner."""
        now = np.zeros(1, dtype=NOW).view(np.recarray)
        return MetaGradState(np.zeros((0, 1)), np.zeros((0, EXPERTS)), first_weights(), np.zeros(0), now)

    def learn(self, state: MetaGradState, rows: Rows, out: Predictions, start: int) -> tuple[MetaGradState, int]:
        """Learn rows from `start` on (see `Engine.learn`)."""
        return state, learn(self._params, state, rows, by_class(out), start)

    def merge(self, states: Sequence[MetaGradState], base: MetaGradState, rows: Sequence[int]) -> MetaGradState:
        """Experts as Gaussians, as of `arow-full`; their losses add up, and so do the squares of gradients."""
        found, by = Engine.merge(self, states, base, rows), self.shares(states, base)
        start, *own = (self._matrix(state) for state in (base, *states))
        A, W = merging.summed(start, own, by), np.zeros(base.W.shape)
        for e in range(EXPERTS):
            eta = self._params.rate * 0.5**e
            first, *others = (
                self._precision(own_A, eta) @ state.W[:, e]
                for own_A, state in zip((start, *own), (base, *states), strict=True)
            )
            W[:, e] = np.linalg.solve(self._precision(A, eta), merging.summed(first, others, by))
        logp = found.logp - found.logp.max()
        tilted = np.exp(logp) * 0.5 ** np.arange(EXPERTS)
        w = W @ tilted[:, None] / tilted.sum()
        return found._replace(w=w, W=W, logp=logp, A=self._columns(A))

    def _precision(self, A: np.ndarray, eta: float) -> np.ndarray:
        """H_e of the expert with the step size `eta`."""
        return np.asarray(self._params.alpha * np.eye(len(A)) + 2.0 * eta * eta * A)

    def facts(self, state: MetaGradState) -> dict[str, object]:
        """alpha; experts: float64[experts], their probabilities, from the largest step size to the smallest."""
        p = np.exp(state.logp)
        return {"alpha": self._params.alpha, "experts": p / p.sum()}
