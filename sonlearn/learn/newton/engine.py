"""Sketched online Newton in sparse time: the engine around the kernels of `newton`.

[SON] Algorithm 1, [RFD] Algorithms 3 and 6: ``min_w sum_t h_t l(w'x_t, y_t)`` online, w <- w - A^-1 g with
A = S'S + alpha I, where S is a sketch of the gradients seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sonlearn.data.rows import Rows
from sonlearn.learn.engine import Engine, Predictions, grown
from sonlearn.learn.log import slots_of
from sonlearn.learn.newton.learn import learn
from sonlearn.learn.newton.predict import all_weights, kept_rows, predict
from sonlearn.learn.newton.rescale import UNIT
from sonlearn.learn.newton.sparse_time import BITS, with_room_in_log
from sonlearn.learn.newton.state import NewtonState, new_state, new_work, params_of
from sonlearn.learn.status import LOG_FULL
from sonlearn.learn.tolerances import FEATURES
from sonlearn.options import LearnOptions
from sonlearn.views.scaled import Raw


class SketchedNewton(Engine):
    """Engine of rfd-son, fd-son, oja-son and gd.

    With ``multinomial`` K classes share the sketch, and what is filled in is float64[n, K] (`engines.multinomial`).
    """

    def __init__(self, options: LearnOptions):
        self._params = params_of(options)
        self._work = new_work(self._params, 1)
        #: Whether rows name features that have no number: a row's length counts them.
        self.unknown = self._params.rescale == UNIT

    def new(self) -> NewtonState:
        """State of a learner that has seen nothing."""
        return new_state(self._params)

    def reserve(self, state: NewtonState, rows: Rows, features: int) -> NewtonState:
        """Let the arrays hold what learning `rows` may need."""
        now = state.now[0]
        local = min(features, int(now.local) + (FEATURES + 1) * int(rows.indptr[-1]))
        longest = int(np.diff(rows.indptr).max(initial=1))
        if longest > len(self._work.x):
            self._work = new_work(self._params, longest)
        return state._replace(
            features=grown(state.features, features, now.seen),
            table=grown(state.table, features, now.seen),
            raw=state.raw._replace(
                X=grown(state.raw.X, local, now.local), owner=grown(state.raw.owner, local, now.local)
            ),
            maps=grown(state.maps, slots_of(int(now.capacity), BITS)),
        )

    def learn(self, state: NewtonState, rows: Rows, out: Predictions, start: int) -> tuple[NewtonState, int]:
        """Learn rows from `start` on; see the seam."""
        rows, extra = self._split(rows)
        out = by_class(out)
        at, status = start, LOG_FULL
        while status == LOG_FULL:
            at, status = learn(self._params, state, self._work, rows, extra, out, at)
            if status == LOG_FULL:
                state = with_room_in_log(state, self._work.z)
        return state, at

    def predict(self, state: NewtonState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        rows, extra = self._split(rows)
        at = predict(self._params, state, rows, extra, by_class(out).raw)
        np.clip(out.raw, self._params.low, self._params.high, out=out.prediction)
        return at

    def _split(self, rows: Rows) -> tuple[Rows, np.ndarray]:
        """Rows of numbered features; and the squared length of the others, each at its largest size so far."""
        if not self.unknown:
            return rows, np.zeros(len(rows.y))
        others = (rows.features[: rows.indptr[-1]] < 0) & (rows.values[: rows.indptr[-1]] != 0)
        before = np.concatenate(([0], np.cumsum(others)))
        return Raw().transform(Raw().new(), rows), np.diff(before[rows.indptr]).astype(np.float64)

    def weights(self, state: NewtonState, features: int) -> np.ndarray:
        """Weights in the scale of the input; of K classes float64[K, features]."""
        w = np.zeros((len(state.factor.beta), int(state.now[0].seen)))
        all_weights(self._params, state, w)
        w = np.pad(w, ((0, 0), (0, features - w.shape[1])))
        return w if self._params.classes else w[0]

    def packed(self, state: NewtonState) -> NewtonState:
        """`state` without spare room."""
        now = state.now[0]
        return state._replace(
            features=state.features[: now.seen],
            table=state.table[: now.seen],
            raw=state.raw._replace(X=state.raw.X[: now.local], owner=state.raw.owner[: now.local]),
            maps=state.maps[: slots_of(int(now.generation), BITS)],
        )

    def facts(self, state: NewtonState) -> dict[str, Any]:
        """alpha; eigenvalues of the sketch, descending; components, a function of d that gives float64[k, d].

        Eigenvalues are of the rows kept and those since: as long as no shrink was needed (the data has fewer than m
        directions, or there are fewer than 2m rows) nothing has been kept yet, and the rows are all there is.
        """
        return {
            "alpha": float(state.now[0].alpha),
            "eigenvalues": self._eigenvalues(state),
            "components": lambda features: self._components(state, features),
        }

    def _eigenvalues(self, state: NewtonState) -> np.ndarray:
        basis, now = state.basis, state.now[0]
        if not self._params.buffered:
            return np.sort(basis.D2[: now.k])[::-1].copy()
        r = now.k + now.raw
        return np.maximum(np.linalg.eigvalsh(basis.H[:r, :r])[::-1], 0.0)

    def _components(self, state: NewtonState, features: int) -> np.ndarray:
        """The orthonormal rows kept (in rescaled features)."""
        V = np.zeros((int(state.now[0].k), features))
        kept_rows(state, V[:, : int(state.now[0].seen)])
        return V


def by_class(out: Predictions) -> Predictions:
    """`out` as float64[n, K], in the same memory; where it is float64[n], K is 1."""
    return Predictions(*(array.reshape(len(array), -1) if len(array) else array.reshape(0, 1) for array in out))
