"""Sketched online Newton in sparse time: the engine around the kernels of `newton`.

[SON] Algorithm 1, [RFD] Algorithms 3 and 6: ``min_w sum_t h_t l(w'x_t, y_t)`` online, w <- w - A^-1 g with
A = S'S + alpha I, where S is a sketch of the gradients seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sonlearn.batch import Rows
from sonlearn.learn.engine import Predictions, grown
from sonlearn.learn.generations import sweep
from sonlearn.learn.newton import learn
from sonlearn.learn.predict import all_weights, kept_rows, predict
from sonlearn.learn.state import (
    ALPHA,
    CAPACITY,
    FEATURES,
    GEN,
    N_LOCAL,
    N_TOUCHED,
    SEEN,
    K,
    R,
    State,
    new_state,
    new_work,
    params_of,
    sizes_of,
    slots_of,
)  # fmt: skip
from sonlearn.learn.status import LOG_FULL
from sonlearn.options import LearnOptions


class SketchedNewton:
    """Engine of rfd-son, fd-son, oja-son and gd (see `sonlearn.learn.engine.Engine` for the verbs)."""

    def __init__(self, options: LearnOptions):
        self._options, self._params = options, params_of(options)
        self._work = new_work(self._params, 1)

    def new(self) -> State:
        """State of a learner that has seen nothing."""
        return new_state(self._params, self._options.alpha)

    def reserve(self, state: State, rows: Rows, features: int) -> State:
        """Let the arrays hold what learning `rows` may need."""
        seen, n_local, n_touched = (int(state.counters[i]) for i in (SEEN, N_LOCAL, N_TOUCHED))
        local = min(features, n_local + (FEATURES + 1) * int(rows.indptr[-1]))
        longest = int(np.diff(rows.indptr).max(initial=1))
        if longest > len(self._work.x):
            self._work = new_work(self._params, longest)
        return state._replace(
            table=grown(state.table, features, seen),
            touched=grown(state.touched, features, n_touched),
            raw=state.raw._replace(X=grown(state.raw.X, local, n_local), owner=grown(state.raw.owner, local, n_local)),
            maps=grown(state.maps, slots_of(int(state.counters[CAPACITY]))),
        )

    def learn(self, state: State, rows: Rows, out: Predictions, start: int) -> tuple[State, int]:
        """Learn rows from `start` on; see the seam."""
        at, status = start, LOG_FULL
        while status == LOG_FULL:
            at, status = learn(self._params, state, self._work, rows, out.prediction, out.raw, at)
            if status == LOG_FULL:
                state = self._with_room_in_log(state)
        return state, at

    def _with_room_in_log(self, state: State) -> State:
        """Enlarge the log while it is small beside the table, else bring all features up to date and empty it.

        Depends on what has been learned and not on where batches end, so that batches change no bit.
        """
        capacity = int(state.counters[CAPACITY])
        if capacity >= int(state.counters[SEEN]) // (4 * sizes_of(self._params).k_max):
            sweep(state, self._work.z)
            return state
        state.counters[CAPACITY] = 8 * capacity
        return state._replace(maps=grown(state.maps, slots_of(8 * capacity), slots_of(capacity)))

    def predict(self, state: State, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        at = predict(self._params, state, rows, out.raw)
        np.clip(out.raw, -self._params.clip, self._params.clip, out=out.prediction)
        return at

    def weights(self, state: State, features: int) -> np.ndarray:
        """Weights in the scale of the input."""
        w = np.zeros(features)
        all_weights(self._params, state, w[: int(state.counters[SEEN])])
        return w

    def packed(self, state: State) -> State:
        """`state` without spare room."""
        counters = state.counters
        return state._replace(
            table=state.table[: counters[SEEN]],
            touched=state.touched[: counters[N_TOUCHED]],
            raw=state.raw._replace(X=state.raw.X[: counters[N_LOCAL]], owner=state.raw.owner[: counters[N_LOCAL]]),
            maps=state.maps[: slots_of(int(counters[GEN]))],
        )

    def facts(self, state: State) -> dict[str, Any]:
        """alpha; eigenvalues of the sketch, descending; components, a function of d that gives float64[k, d].

        Eigenvalues are of the rows kept and those since: as long as no shrink was needed (the data has fewer than m
        directions, or there are fewer than 2m rows) nothing has been kept yet, and the rows are all there is.
        """
        return {
            "alpha": float(state.reals[ALPHA]),
            "eigenvalues": self._eigenvalues(state),
            "components": lambda features: self._components(state, features),
        }

    def _eigenvalues(self, state: State) -> np.ndarray:
        basis, counters = state.basis, state.counters
        if self._options.effective_sketch == "oja":
            return np.sort(basis.D2[: counters[K]])[::-1].copy()
        r = counters[K] + counters[R]
        return np.maximum(np.linalg.eigvalsh(basis.H[:r, :r])[::-1], 0.0)

    def _components(self, state: State, features: int) -> np.ndarray:
        """The orthonormal rows kept (in the rescaled features where --diagonal is on)."""
        V = np.zeros((int(state.counters[K]), features))
        kept_rows(state, V[:, : int(state.counters[SEEN])])
        return V
