"""Sketched online Newton in sparse time: the engine around the kernels of `newton`.

[SON] Algorithm 1, [RFD] Algorithms 3 and 6: ``min_w sum_t h_t l(w'x_t, y_t)`` online, w <- w - A^-1 g with
A = S'S + alpha I, where S is a sketch of the gradients seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sonlearn.data import axes
from sonlearn.data.rows import Rows, longest_row
from sonlearn.learn.engine import Engine, Predictions, by_class
from sonlearn.learn.newton import merging
from sonlearn.learn.newton.learn import learn, orthonormalise_now
from sonlearn.learn.newton.predict import all_weights, kept_rows, predict
from sonlearn.learn.newton.sparse_time import with_room_in_log
from sonlearn.learn.newton.state import NewtonState, new_state, new_work, params_of, sizes_of
from sonlearn.learn.status import LOG_FULL, ORTHONORMALISE
from sonlearn.learn.tolerances import FEATURES
from sonlearn.options import LearnOptions


class SketchedNewton(Engine):
    """Engine of rfd-son, fd-son, pfd-son, cfd-son, oja-son, gd, ada-fd and s-adagrad (`sonlearn.options.methods`).

    With ``multinomial`` K classes share the sketch, and predictions are float64[n, K] (`multiclass.multinomial`).
    """

    merges = True

    def __init__(self, options: LearnOptions):
        self._params = params_of(options)
        self._work = new_work(self._params, 1)
        self._oja = None if self._params.buffered else np.zeros(sizes_of(self._params).M)

    def new(self, classes: int = 0) -> NewtonState:
        """State of an untrained learner."""
        return new_state(self._params)

    def reserve(self, state: NewtonState, rows: Rows, features: int) -> NewtonState:
        """Make room for learning `rows`."""
        now = state.now[0]
        local = min(features, int(now.local) + (FEATURES + 1) * int(rows.indptr[-1]))
        longest = longest_row(rows)
        if longest > len(self._work.x):
            self._work = new_work(self._params, longest)
        return axes.reserved(state, seen=features, local=local)

    def learn(self, state: NewtonState, rows: Rows, out: Predictions, start: int) -> tuple[NewtonState, int]:
        """Learn rows from `start` on (see `Engine.learn`)."""
        out = by_class(out)
        at, status = start, LOG_FULL
        while status in (LOG_FULL, ORTHONORMALISE):
            at, status = learn(self._params, state, self._work, rows, out, at, self._oja)
            if status == LOG_FULL:
                state = with_room_in_log(state, self._work.z)
            elif status == ORTHONORMALISE:
                orthonormalise_now(state)
        return state, at

    def predict(self, state: NewtonState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        at = predict(self._params, state, rows, by_class(out).raw)
        np.clip(out.raw, self._params.low, self._params.high, out=out.prediction)
        return at

    def weights(self, state: NewtonState, features: int, number: int | None = None) -> np.ndarray:
        """float64[features], or float64[K, features] for K classes: weights in the scale of the input."""
        w = np.zeros((len(state.factor.beta), int(state.now[0].seen)))
        all_weights(self._params, state, w)
        w = np.pad(w, ((0, 0), (0, features - w.shape[1])))
        return w if self._params.classes else w[0]

    def renumbered(
        self, state: NewtonState, numbers: np.ndarray, features: int, slots: np.ndarray | None = None
    ) -> NewtonState:
        """`state` with other numbers (see `Engine.renumbered`)."""
        return merging.renumbered(state, numbers, features)

    def merge(self, states: Sequence[NewtonState], base: NewtonState, rows: Sequence[int]) -> NewtonState:
        """Sketches added up and shrunk once, weights moved by the rows learned (see `newton.merging`)."""
        return merging.merged(self._params, states, base)

    def facts(self, state: NewtonState) -> dict[str, Any]:
        """alpha; eigenvalues of the sketch, descending; components, a function of d that returns float64[k, d].

        The eigenvalues include the rows since the last shrink. Before the first shrink (fewer than m directions in the
        data, or fewer than 2m rows) there are no components yet.
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
        """float64[k, features]: the orthonormal rows V, in rescaled features."""
        V = np.zeros((int(state.now[0].k), features))
        kept_rows(state, V[:, : int(state.now[0].seen)])
        return V
