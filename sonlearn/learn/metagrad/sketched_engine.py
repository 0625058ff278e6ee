"""MetaGrad with one sketch for all experts: the engine around the kernels of `sonlearn.learn.metagrad.sketched`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.rows import Rows
from sonlearn.learn.axes import BY_FEATURE, PART, Axis, summed
from sonlearn.learn.engine import Predictions, grown
from sonlearn.learn.metagrad.dense_engine import first_weights
from sonlearn.learn.metagrad.sketched import all_weights, average, learn, predict
from sonlearn.learn.newton import state as newton
from sonlearn.learn.newton.engine import SketchedNewton
from sonlearn.learn.newton.sparse_time import with_room_in_log
from sonlearn.learn.status import LOG_FULL
from sonlearn.options import LearnOptions


class MetaGradFDParams(NamedTuple):
    """The kernels' parameters, from `LearnOptions`."""

    base: newton.NewtonParams  # of the sketch
    alpha: float
    rate: float  # of the expert with the largest steps


class MetaGradFDState(NamedTuple):
    """State of a learner, without the names of its features."""

    base: Annotated[newton.NewtonState, PART]  # the sketch, with z and the average's coefficients a
    v: Annotated[np.ndarray, BY_FEATURE, summed]  # float64[features]; sum of (w'g) g
    share: np.ndarray  # float64[2]; factors of z and v in the weights
    logp: Annotated[np.ndarray, Axis(), summed]  # float64[experts]; logarithms of the probabilities p_e, the largest 0
    lam: np.ndarray  # float64[r_max]; eigenvalues of the current sketch
    U: np.ndarray  # float64[r_max, r_max]; their eigenvectors in the coordinates of the basis, in columns

    @property
    def now(self) -> np.ndarray:
        """The scalars of the sketch."""
        return self.base.now


class SketchedMetaGrad(SketchedNewton):
    """Engine of metagrad-fd (see `sonlearn.learn.engine.Engine`)."""

    def __init__(self, options: LearnOptions):
        super().__init__(options)
        self._params = self._params._replace(dual=True, rate=0.0)  # wbar is z, its factor state.share[0]
        self._meta = MetaGradFDParams(self._params, float(options.alpha), float(options.learning_rate))

    def new(self, classes: int = 0) -> MetaGradFDState:
        """State of an untrained learner."""
        r_max, base = newton.sizes_of(self._params).r_max, super().new()
        base = base._replace(basis=base.basis._replace(q=np.zeros((2, r_max))))
        return MetaGradFDState(
            base, np.zeros(0), np.zeros(2), first_weights(), np.zeros(r_max), np.zeros((r_max, r_max))
        )

    def reserve(self, state: MetaGradFDState, rows: Rows, features: int) -> MetaGradFDState:
        """Make room for learning `rows`."""
        v = grown(state.v, features, int(state.base.now[0].seen))
        return state._replace(base=super().reserve(state.base, rows, features), v=v)

    def learn(self, state: MetaGradFDState, rows: Rows, out: Predictions, start: int) -> tuple[MetaGradFDState, int]:
        """Learn rows from `start` on (see `Engine.learn`)."""
        at, status = start, LOG_FULL
        while status == LOG_FULL:
            at, status = learn(self._meta, state, self._work, rows, out, at)
            if status == LOG_FULL:
                state = state._replace(base=with_room_in_log(state.base, self._work.z))
        return state, at

    def predict(self, state: MetaGradFDState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        at = predict(state, rows, out.raw)
        np.clip(out.raw, self._params.low, self._params.high, out=out.prediction)
        return at

    def weights(self, state: MetaGradFDState, features: int, number: int | None = None) -> np.ndarray:
        """Weights in the scale of the input."""
        w = np.zeros(features)
        all_weights(state, w[: int(state.base.now[0].seen)])
        return w

    def renumbered(
        self, state: MetaGradFDState, numbers: np.ndarray, features: int, slots: np.ndarray | None = None
    ) -> MetaGradFDState:
        """`state` with other numbers (see `Engine.renumbered`)."""
        v = merging.renumbered(state.v, numbers, features)
        return state._replace(base=super().renumbered(state.base, numbers, features), v=v)

    def merge(self, states: Sequence[MetaGradFDState], base: MetaGradFDState, rows: Sequence[int]) -> MetaGradFDState:
        """Sums over rows (z, v, the experts' losses) add up; the sketch as in `newton.merging`."""
        by, out = np.ones(len(states)), self.new()
        sketch = super().merge([state.base for state in states], base.base, rows)
        v = merging.summed(base.v, [state.v for state in states], by)
        logp = merging.summed(base.logp, [state.logp for state in states], by)
        k = int(sketch.now[0].k)
        out.base.basis.q[0], out.base.basis.q[1, :k] = sketch.basis.q[0], v @ sketch.table[:, :k]
        sketch = sketch._replace(basis=sketch.basis._replace(q=out.base.basis.q))
        out = out._replace(base=sketch, v=v, logp=logp - logp.max())
        average(self._meta, out, sketch.basis.D2[:k], np.eye(k))
        return out

    def facts(self, state: MetaGradFDState) -> dict[str, Any]:
        """The facts of `SketchedNewton.facts` (alpha includes the shed mass), and the experts' probabilities."""
        p = np.exp(state.logp)
        return {**super().facts(state.base), "experts": p / p.sum()}
