"""Sketched online Newton in sparse time: the engine around the kernels of `newton`.

[SON] Algorithm 1, [RFD] Algorithms 3 and 6: ``min_w sum_t h_t l(w'x_t, y_t)`` online, w <- w - A^-1 g with
A = S'S + alpha I, where S is a sketch of the gradients seen.

A merge makes one learner of several that began with the same state. Sketches add up and are shrunk once, by the
method's own rule: of

    sum_g S_g'S_g - (G - 1) S_0'S_0

the m leading directions are found, lowered as in a shrink, and m - 1 of them stay (Oja's rule: m of them, not lowered).
alpha, and what a shrink restores, add up too, each counted from its initial value. Let Delta be the mass that all
shrinks have removed, those before the merge and that of the merge, and C the sum of all rows' squares that the learners
have sketched. For frequent directions, without a common start (S_0 = 0),

    0 <= C - S'S <= Delta I:

the bound of one sketch ([FD], and with half of Delta in alpha that of [RFD]), because each S_g has it and bounds add.
With a common start a direction that one learner shrank may be subtracted more often than it is there. It is left out,
and then -Delta I <= C - S'S <= Delta I.

Weights move in the scale of the input, by the rows that each learner has learned (`sonlearn.data.merging`). (A sketch
does not know how often it has met a feature. The Gaussians' mean, A w = sum_g A_g w_g - (G - 1) A_0 w_0, erred more.)
Primal-dual weights follow from A and the sum of gradients, which adds up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data import axes, merging
from sonlearn.data.linear_algebra import INVERSE
from sonlearn.data.rows import Rows, longest_row
from sonlearn.learn.engine import Engine, Predictions, padded
from sonlearn.learn.newton.coordinates import sweep, wbar_factor
from sonlearn.learn.newton.folding import orthonormalise
from sonlearn.learn.newton.rescale import ALL_GRADIENTS, DIAGONAL_START, GRADIENTS, NONE
from sonlearn.learn.newton.shrink import begin_with_kept, learn, lower
from sonlearn.learn.newton.state import FEATURE, NewtonParams, NewtonState, new_state, new_work, params_of
from sonlearn.learn.tolerances import FEATURES, FOLD, ORTHONORMALISE, RANK
from sonlearn.options import LearnOptions


class SketchedNewton(Engine):
    """Engine of rfd-son, fd-son, pfd-son, cfd-son, oja-son, gd, ada-fd and s-adagrad (`sonlearn.options.methods`).

    With ``multinomial`` K classes share the sketch, and predictions are float64[n, K] (`multiclass.by_method`).
    """

    merges = True

    def __init__(self, options: LearnOptions, **changed: Any):
        self.params = params_of(options)._replace(**changed)
        self.work = new_work(self.params, 1)
        self._oja = None if self.params.buffered else np.zeros_like(self.work.delta)
        self._rare = (True,) if is_rare(self.params) else ()

    def new(self, classes: int = 0) -> NewtonState:
        """State of an untrained learner."""
        return new_state(self.params)

    def reserve(self, state: NewtonState, rows: Rows, features: int) -> NewtonState:
        """Make room for learning `rows`."""
        now = state.now[0]
        local = min(features, int(now.local) + (FEATURES + 1) * int(rows.indptr[-1]))
        self.make_room(rows)
        return axes.reserved(state, seen=features, local=local)

    def make_room(self, rows: Rows) -> None:
        """Make room in the scratch space for `rows`."""
        longest = longest_row(rows)
        if longest > len(self.work.x):
            self.work = new_work(self.params, longest)

    def learn(self, state: NewtonState, rows: Rows, out: Predictions, start: int) -> tuple[NewtonState, int]:
        """Learn rows from `start` on (see `Engine.learn`)."""
        at, status = start, FOLD
        while status in (FOLD, ORTHONORMALISE):
            at, status = learn(self.params, state, self.work, rows, out, at, True, self._oja, self._rare)
            if status == FOLD:
                fold_weight_scale(state)
            elif status == ORTHONORMALISE:
                orthonormalise(state, self.params.dual)
        return state, at

    def predict(self, state: NewtonState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        self.make_room(rows)
        return int(learn(self.params, state, self.work, rows, out, 0, False, self._oja, self._rare)[0])

    def weights(self, state: NewtonState, features: int, number: int | None = None) -> np.ndarray:
        """float64[features], or float64[K, features] for K classes: weights in the scale of the input."""
        known = self.packed(self.up_to_date(state))
        unit = _unit(self.params, known.features["scale"])
        return padded(merging.quotient(weights_in(self.params, known), unit), features)

    def packed(self, state: NewtonState) -> NewtonState:
        """See `Engine.packed`; features of which nothing is known, as those of refused rows, are of no generation."""
        own = super().packed(state)
        features = own.features.copy()
        features["stamp"][~own.table.any(axis=1)] = 0
        return own._replace(features=features)

    def renumbered(self, state: NewtonState, numbers: axes.Numbers) -> NewtonState:
        """`state` with other numbers (see `Engine.renumbered`) and an empty log."""
        stays = np.flatnonzero(numbers.features[state.raw.owner] >= 0)
        owner, state = numbers.features[state.raw.owner[stays]], super().renumbered(state, numbers)
        state.features["local"][owner] = np.arange(len(stays))
        state.now["local"] = len(stays)
        return state._replace(raw=state.raw._replace(X=state.raw.X[stays], owner=owner))

    def up_to_date(self, state: NewtonState) -> NewtonState:
        """`state` with all features up to date and an empty log, in arrays of its own where they differ."""
        state = state._replace(now=state.now.copy(), features=state.features.copy(), table=state.table.copy())
        sweep(state, np.empty((2, state.table.shape[1])))
        return state

    def merge(self, states: Sequence[NewtonState], base: NewtonState, rows: Sequence[int]) -> NewtonState:
        """Sketches added up and shrunk once, weights moved by the rows learned, in O(G m (G m + K) d) (see above)."""
        every = (base, *states)
        (start, *own), nows = [whole(self.params, state) for state in every], [state.now[0] for state in every]
        rounds = [int(now.t - nows[0].t) for now in nows[1:]]
        by = merging.shares(rounds, self.params.retention)
        out = new_state(self.params)
        features, now = len(start.scale), out.now[0]
        for name in ("t", "taken"):
            now[name] = merging.summed(nows[0][name], [each[name] for each in nows[1:]], np.ones(len(states), np.int64))
        for name, initial in (("alpha", self.params.base), ("restored", 0.0), ("mass", 0.0), ("oja_sum", 0.0)):
            first, *others = (each[name] - initial for each in nows)
            now[name] = initial + max(merging.summed(first, others, by), 0.0)
        now.seen = features
        data = np.zeros(features, FEATURE)
        data["scale"] = _scales(self.params, start, own)
        out = out._replace(features=data, table=np.zeros((features, out.maps.shape[1] + len(start.w))))
        lam, V = merging.spectrum([*(each.S for each in own), start.S], [*by, -by[:-1].sum()])
        k = _shrink(self.params, out, lam)
        now.k = now.used = k
        now.held = min(self.params.m - 1, sum(int(each.held) for each in nows[1:])) if self.params.buffered else 0
        w = _weights(self.params, start, own, data["scale"], rounds, by)
        out.table[:, :k], out.table[:, out.maps.shape[1] :] = V[:k].T, w.T
        out.factor.FT[range(k), range(k)] = 1.0
        if self.params.dual:
            out.basis.q[:, :k] = w @ V[:k].T
        begin_with_kept(self.params, now, out.basis, k)
        return out

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
        if not self.params.buffered:
            return np.sort(basis.D2[: now.k])[::-1].copy()
        r = now.k + now.raw
        return np.maximum(np.linalg.eigvalsh(basis.H[:r, :r])[::-1], 0.0)

    def _components(self, state: NewtonState, features: int) -> np.ndarray:
        """float64[k, features]: the orthonormal rows V, in rescaled features."""
        k, seen, FT = int(state.now[0].k), int(state.now[0].seen), state.factor.FT
        V = FT[:, :k].T @ self.up_to_date(state).table[:seen, : len(FT)].T
        return np.pad(V, ((0, 0), (0, features - seen)))


def fold_weight_scale(state: NewtonState) -> None:
    """Multiply the weight scale into the arrays of `state` and set it to 1; no weight changes."""
    M = state.maps.shape[1]  # the log has pending additions to wbar, for features that are not up to date
    for weights in (state.table[:, M:], state.maps[:, :, M:], state.factor.beta, state.basis.a):
        weights *= state.now["weight_scale"]
    state.now["weight_scale"] = 1.0


class Whole(NamedTuple):
    """A learner on dense vectors, in rescaled features."""

    w: np.ndarray  # float64[K, features]; primal-dual: z, the sums of gradients
    S: np.ndarray  # float64[r, features]; rows of the sketch
    scale: np.ndarray  # float64[features]; see `rescale`


def is_rare(params: NewtonParams) -> bool:
    """Return whether an option is set that few runs set, and that takes code which the others need not compile."""
    steps = params.after or params.dual or params.kind != INVERSE
    return steps or params.retention < 1.0 or params.rescale == ALL_GRADIENTS or not params.buffered


def whole(params: NewtonParams, state: NewtonState) -> Whole:
    """The learner on dense vectors, which has gone through `renumbered`."""
    now, basis, M = state.now[0], state.basis, state.maps.shape[1]
    k, r = int(now.k), int(now.k + now.raw)
    Z = state.table[:, :M].T
    Q = np.zeros((r, len(state.table)))
    Q[:k] = state.factor.FT[:, :k].T @ Z
    if r > k:
        X = np.zeros((r - k, len(state.table)))
        X[:, state.raw.owner] = state.raw.X[:, : r - k].T
        Q[k:] = np.linalg.solve(np.tril(basis.G[: r - k, k:r]), X - basis.G[: r - k, :k] @ Q[:k])
    if params.buffered:
        lam, U = np.linalg.eigh(basis.H[:r, :r])
        S = (np.sqrt(np.maximum(lam, 0.0)) * U).T @ Q
    else:
        S = np.sqrt(basis.D2[:r])[:, None] * Q
    w = state.table[:, M:].T.copy() if params.dual else weights_in(params, state)
    return Whole(w, S, state.features["scale"])


def weights_in(params: NewtonParams, state: NewtonState) -> np.ndarray:
    """float64[K, features]: weights in rescaled features, of a state whose features are up to date."""
    now, basis, M = state.now[0], state.basis, state.maps.shape[1]
    k, r, raw = int(now.k), int(now.k + now.raw), int(now.raw)
    on_x = np.linalg.solve(np.tril(basis.G[:raw, k:r]).T, basis.a[:, k:r].T).T
    on_v = basis.a[:, :k] - on_x @ basis.G[:raw, :k]
    w = (state.factor.beta + on_v @ state.factor.FT[:, :k].T) @ state.table[:, :M].T
    w += wbar_factor(params, now.alpha) * state.table[:, M:].T
    w[:, state.raw.owner[: now.local]] += on_x @ state.raw.X[: now.local, :raw].T
    return np.asarray(now.weight_scale * w)


def _shrink(params: NewtonParams, state: NewtonState, lam: np.ndarray) -> int:
    """D2, alpha, restored <- those of a shrink of the squares `lam` (descending); returns how many directions stay."""
    m, zero = params.m, RANK * max(lam.max(initial=0.0), 0.0)
    if params.buffered:
        squares = np.pad(lam, (0, max(m - len(lam), 0)))
        return int(lower(params, state.now[0], state.basis.D2, squares[::-1].copy(), zero))
    kept = lam[:m][lam[:m] > zero]
    state.basis.D2[: len(kept)] = kept
    return len(kept)


def _scales(params: NewtonParams, start: Whole, own: Sequence[Whole]) -> np.ndarray:
    """float64[features]: sums of squared gradients of all, or the largest values."""
    others = [each.scale for each in own]
    if params.rescale in (NONE, GRADIENTS, ALL_GRADIENTS):
        return np.maximum(merging.summed(start.scale, others, np.ones(len(own))), 0.0)
    return np.asarray(np.max(others, axis=0))


def _unit(params: NewtonParams, scale: np.ndarray) -> np.ndarray:
    """float64[features]: what a value is divided by (`rescale.divided`)."""
    if params.rescale == NONE:
        return np.ones(len(scale))
    return np.sqrt(DIAGONAL_START + scale) if params.rescale in (GRADIENTS, ALL_GRADIENTS) else scale


def _weights(
    params: NewtonParams, start: Whole, own: Sequence[Whole], scale: np.ndarray, rounds: list[int], by: np.ndarray
) -> np.ndarray:
    """float64[K, features]: merged weights in rescaled features, or merged sums of gradients."""
    if params.dual:
        return np.asarray(merging.summed(start.w, [each.w for each in own], by))
    unit, gains = _unit(params, scale), [np.full(len(scale), float(n)) for n in rounds]
    first, *others = (merging.quotient(each.w * unit, _unit(params, each.scale)) for each in (start, *own))
    return merging.moved(first, others, gains)
