"""MetaGrad: the engine around the kernels of `sonlearn.learn.metagrad.dense`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.data.rows import Rows
from sonlearn.learn.dense.engine import NOW, Dense
from sonlearn.learn.dense.factor import column
from sonlearn.learn.engine import Predictions, by_class, grown
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

    w: np.ndarray  # float64[features, 1]; the experts' tilted average
    W: np.ndarray  # float64[features, experts]; the experts' weights w_e
    logp: np.ndarray  # float64[experts]; logarithms of the probabilities p_e, the largest 0
    A: np.ndarray  # float64[features (features + 1)/2]; columns of A's upper triangle
    now: np.ndarray  # structured [1]


class MetaGrad(Dense):
    """Engine of metagrad (see `sonlearn.learn.engine.Engine`)."""

    def __init__(self, options: LearnOptions):
        super().__init__(options)
        self._params = self._params._replace(rate=float(options.learning_rate), alpha=float(options.alpha))

    def new(self) -> MetaGradState:
        """State of an untrained learner."""
        now = np.zeros(1, dtype=NOW).view(np.recarray)
        return MetaGradState(np.zeros((0, 1)), np.zeros((0, EXPERTS)), first_weights(), np.zeros(0), now)

    def reserve(self, state: MetaGradState, rows: Rows, features: int) -> MetaGradState:
        """Make room for learning `rows`, up to the largest number of features allowed."""
        seen, d = int(state.now["seen"][0]), min(features, self._params.most)
        return state._replace(
            w=grown(state.w, d, seen), W=grown(state.W, d, seen), A=grown(state.A, column(d), column(seen))
        )

    def learn(self, state: MetaGradState, rows: Rows, out: Predictions, start: int) -> tuple[MetaGradState, int]:
        """Learn rows from `start` on (see `Engine.learn`)."""
        return state, learn(self._params, state, rows, by_class(out), start)

    def packed(self, state: MetaGradState) -> MetaGradState:
        """`state` without unused capacity."""
        seen = int(state.now["seen"][0])
        return state._replace(w=state.w[:seen], W=state.W[:seen], A=state.A[: column(seen)])

    def facts(self, state: MetaGradState) -> dict[str, object]:
        """alpha; experts: float64[experts], their probabilities, from the largest step size to the smallest."""
        p = np.exp(state.logp)
        return {"alpha": self._params.alpha, "experts": p / p.sum()}
