"""MetaGrad with full matrices: experts with different step sizes share A = sum of g g', in O(d^3) a row.

van Erven, Koolen, van der Hoeven 2021. Expert e has eta_e = l 2^-e and H_e = alpha I + 2 eta_e^2 A. In a round

    r_e = eta_e (w_e - w)'g,    log p_e <- log p_e - r_e - r_e^2,    w_e <- w_e - eta_e (1 + 2 r_e) H_e^-1 g,

and the weights are the tilted average w = sum of p_e eta_e w_e / sum of p_e eta_e. All H_e^-1 come from one
decomposition of A. l is 1/(2B), where B bounds the loss of a row in excess of the best, and alpha is 1/D^2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.axes import BY_FEATURE, Axis, summed
from sonlearn.data.rows import is_learned
from sonlearn.jit import inline, jit
from sonlearn.learn.dense.engine import NOW, SCALARS, TRIANGLE, Dense
from sonlearn.learn.dense.rounds import NOISE, enter, features_of, matrix, pack_triangle
from sonlearn.learn.engine import Engine
from sonlearn.learn.linear_algebra import INVERSE, add_scaled, spectral
from sonlearn.learn.losses import loss_slope
from sonlearn.learn.tolerances import LIMIT
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
        self._factored, self._kernel = False, learn

    def new(self, classes: int = 0) -> MetaGradState:
        """State of an untrained learner."""
        now = np.zeros(1, dtype=NOW).view(np.recarray)
        return MetaGradState(np.zeros((0, 1)), np.zeros((0, EXPERTS)), first_weights(), np.zeros(0), now)

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


@jit
def learn(params, state, rows, out, start, learns):
    """Predict rows from `start` on and, where it `learns`, learn them; returns the first row that was refused, or n.

    params : DenseParams; state : MetaGradState, modified in place; rows : Rows, not modified
    out : Predictions of float64[n, 1], filled in; start : int
    """
    now, E = state.now[0], len(state.logp)
    for i in range(start, len(rows.y)):
        if not enter(params, state, rows, out, i, learns):
            return i
        if not learns or not is_learned(rows.weight[i], rows.y[i]):
            continue
        d = features_of(state, rows, i)
        slope = rows.weight[i] * loss_slope(params.output.loss, out.prediction[i, 0], rows.y[i])
        g = np.zeros(d)
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            g[rows.features[at]] = slope * rows.values[at]
        if not np.dot(g, g) <= LIMIT:
            return i
        A = matrix(state.A, now.seen, d)
        A += g.reshape(d, 1) * g
        logp, W = state.logp.copy(), state.W[:d].copy()
        advise(params, A, g, state.w[:d, 0], logp, W)
        w = tilted(params, logp, W)
        if not (np.isfinite(W).all() and np.isfinite(logp).all()):
            return i
        now.t += 1
        now.seen = d
        state.w[:d, 0] = w
        state.W[:d] = W
        for e in range(E):
            state.logp[e] = logp[e] - logp.max()
        pack_triangle(state.A, A)
    return len(rows.y)


@inline
def advise(params, A, g, w, logp, W):
    """The experts' steps and losses.

    A : float64[d, d]; g, w : float64[d]; none is modified
    logp : float64[experts] and W : float64[d, experts], both modified
    """
    d = len(g)
    if d == 0:
        return
    lam, U = np.linalg.eigh(A)
    y, eta, step = np.dot(g, U), params.rate, np.empty(d)
    for e in range(len(logp)):
        r = 0.0
        for j in range(d):
            r += eta * (W[j, e] - w[j]) * g[j]
            step[j] = spectral(INVERSE, params.alpha, 2.0 * eta * eta * max(lam[j], NOISE * lam[-1]), y[j])
        logp[e] -= r + r * r
        W[:, e] -= eta * (1.0 + 2.0 * r) * np.dot(U, step)
        eta *= 0.5


@inline
def tilted(params, logp, W):
    """float64[d]: sum of p_e eta_e w_e / sum of p_e eta_e. Does not modify logp or W."""
    w, total, eta, top = np.zeros(len(W)), 0.0, params.rate, logp.max()
    for e in range(len(logp)):
        share = math.exp(logp[e] - top) * eta
        total += share
        add_scaled(w, share, W[:, e], len(w))
        eta *= 0.5
    return w / total
