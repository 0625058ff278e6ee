"""MetaGrad with frequent directions of the gradients: all experts share one sketch, in O(m^3 + 20 m + m s) a row.

van Erven, Koolen, van der Hoeven 2021. Written as follow the regularised leader, their experts
(`sonlearn.learn.dense`) need two sums only, z of g and v of (w'g) g. With H_e = alpha I + 2 eta_e^2 (sum of
g g')

    w_e = -H_e^-1 (eta_e z - 2 eta_e^2 v),        w = sum of p_e eta_e w_e / sum of p_e eta_e.

Departure: S'S + shed I replaces the sum of g g', where shed is the mass that shrinks have subtracted. This
is never less than the sum, from which v is computed; with S'S alone, experts with large steps would diverge. If nothing
is shed, this is MetaGrad. With A = S'S and f_e(lam) = 1/(alpha + 2 eta_e^2 (shed + lam)),

    w = s_z z + s_v v + Q'a,    s_z = -F(0), s_v = G(0),    a = -(F(H) - F(0)) Q z + (G(H) - G(0)) Q v

in the orthonormal basis Q of S (`sonlearn.learn.newton.round`), F and G the averages of eta_e f_e and of 2 eta_e^2 f_e.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data.axes import BY_FEATURE, Axis, summed
from sonlearn.data.linear_algebra import ROOT, add_scaled, clear_first, dot, set_scaled
from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import inline, jit
from sonlearn.learn.dense.engine import first_weights
from sonlearn.learn.engine import Engine, Predictions
from sonlearn.learn.log import log_is_full
from sonlearn.learn.losses import loss_slope, within_bounds
from sonlearn.learn.newton import state as newton
from sonlearn.learn.newton.coordinates import coordinates, sweep
from sonlearn.learn.newton.engine import SketchedNewton
from sonlearn.learn.newton.folding import orthonormalise
from sonlearn.learn.newton.round import RowGeometry, add_along, buffer_row, count
from sonlearn.learn.newton.shrink import shrink
from sonlearn.learn.tolerances import LARGEST, LIMIT, SHRINK
from sonlearn.options import LearnOptions

#: A square of a rate is taken to be more than this, where it divides.
MIN_SQUARED_RATE = 1e-200
#: A squared gradient of more than this times alpha and all before it leaves sums few digits of them, and is refused.
MAX_GRADIENT_RATIO = 1e24


class MetaGradFDParams(NamedTuple):
    """The kernels' parameters, from `LearnOptions`."""

    base: newton.NewtonParams  # of the sketch
    alpha: float
    rate: float  # of the expert with the largest steps


class MetaGradFDState(NamedTuple):
    """State of a learner, without the names of its features."""

    base: newton.NewtonState  # the sketch, with z and the average's coefficients a
    v: Annotated[np.ndarray, BY_FEATURE, summed]  # float64[features]; sum of (w'g) g
    share: np.ndarray  # float64[2]; factors of z and v in the weights
    logp: Annotated[np.ndarray, Axis(), summed]  # float64[experts]; logarithms of the probabilities p_e, the largest 0
    lam: np.ndarray  # float64[r_max]; eigenvalues of the current sketch
    U: np.ndarray  # float64[r_max, r_max]; their eigenvectors in the coordinates of the basis, in columns

    @property
    def now(self) -> np.ndarray:
        """The scalars of the sketch."""
        return self.base.now


class SketchedMetaGrad(Engine):
    """Engine of metagrad-fd (see `sonlearn.learn.engine.Engine`)."""

    merges = True

    def __init__(self, options: LearnOptions):
        # wbar is z, its factor state.share[0]; steps are by eigenvalues, so that no factor of A is kept
        self._sketch = SketchedNewton(options, dual=True, rate=0.0, kind=ROOT)
        self._params = MetaGradFDParams(self._sketch.params, float(options.alpha), float(options.learning_rate))

    def new(self, classes: int = 0) -> MetaGradFDState:
        """State of an untrained learner."""
        base = self._sketch.new()
        r_max = len(base.basis.H)
        base = base._replace(basis=base.basis._replace(q=np.zeros((2, r_max))))
        return MetaGradFDState(
            base, np.zeros(0), np.zeros(2), first_weights(), np.zeros(r_max), np.zeros((r_max, r_max))
        )

    def parts(self, state: MetaGradFDState) -> dict[str, Any]:
        """See `Engine.parts`."""
        return {"base": self._sketch}

    def learn(self, state: MetaGradFDState, rows: Rows, out: Predictions, start: int) -> tuple[MetaGradFDState, int]:
        """Learn rows from `start` on (see `Engine.learn`)."""
        return state, learn(self._params, state, self._sketch.work, rows, out, start, True)

    def predict(self, state: MetaGradFDState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        self._sketch.make_room(rows)
        return int(learn(self._params, state, self._sketch.work, rows, out, 0, False))

    def weights(self, state: MetaGradFDState, features: int, number: int | None = None) -> np.ndarray:
        """Weights in the scale of the input."""
        w, seen = self._sketch.weights(state.base, features), int(state.base.now[0].seen)
        w[:seen] += state.share[0] * state.base.table[:seen, -1] + state.share[1] * state.v[:seen]
        return w

    def merge(self, states: Sequence[MetaGradFDState], base: MetaGradFDState, rows: Sequence[int]) -> MetaGradFDState:
        """Sums over rows (z, v, the experts' losses) add up; the sketch as in `SketchedNewton.merge`."""
        found, out = super().merge(states, base, rows), self.new()
        sketch, q = found.base, out.base.basis.q
        k = int(sketch.now[0].k)
        q[0], q[1, :k] = sketch.basis.q[0], found.v @ sketch.table[:, :k]
        sketch = sketch._replace(basis=sketch.basis._replace(q=q))
        out = out._replace(base=sketch, v=found.v, logp=found.logp - found.logp.max())
        average(self._params, out, sketch.basis.D2[:k], np.eye(k))
        return out

    def facts(self, state: MetaGradFDState) -> dict[str, Any]:
        """The facts of `SketchedNewton.facts` (alpha includes the shed mass), and the experts' probabilities."""
        p = np.exp(state.logp)
        return {**self._sketch.facts(state.base), "experts": p / p.sum()}


@jit(allocates=True)
def learn(params, state, work, rows, out, start, learns):
    """Predict and, where it `learns`, learn rows from `start` on; returns the first row that was refused, or n.

    params : MetaGradFDParams; state : MetaGradFDState, modified where it `learns`; work : NewtonScratch, overwritten
    rows : Rows, not modified; out : Predictions, filled in from row `start` on; start : int; learns : bool
    """
    base, now = params.base, state.base.now[0]
    logp, limit = np.empty(len(state.logp)), LIMIT if learns else LARGEST
    for i in range(start, len(rows.y)):
        if learns and log_is_full(now, state.base.maps):
            sweep(state.base, work.z)
        feats = rows.features[rows.indptr[i] : rows.indptr[i + 1]]
        values = rows.values[rows.indptr[i] : rows.indptr[i + 1]]
        set_scaled(work.x, 1.0, values, len(feats))
        xx = dot(values, values, len(feats))
        learned = learns and is_learned(rows.weight[i], rows.y[i])
        rho2, n_rest = coordinates(base, state.base, work, feats, xx, learned)
        zx, vx = work.wbar_x[0], along(state.v, feats, work.x)
        wx = work.wx[0] + (state.share[0] * zx + state.share[1] * vx)
        out.raw[i, 0] = wx + rows.base[i]
        if not (within_bounds(base.output, out.raw[i], out.prediction[i], limit) and xx <= limit * limit):
            return i
        if not learned:
            continue
        slope = rows.weight[i] * loss_slope(base.output.loss, out.prediction[i, 0], rows.y[i])
        if not (slope * slope * xx <= longest(params, state) and abs(slope * slope * wx) <= LIMIT):
            return i
        update_experts(params, state, work, slope, wx, zx, vx, logp)
        if not np.isfinite(logp).all():
            return i
        for e in range(len(logp)):
            state.logp[e] = logp[e] - logp.max()
        count(now, feats)
        row = RowGeometry(abs(slope), xx, rho2, 0.0)
        shrinks, r = add_row(base, state, work, feats, slope, row, n_rest, wx, vx), now.k + now.raw
        if shrinks:
            if shrink(base, state.base, work, work.slope, (True,)):
                orthonormalise(state.base, True)
                for f in range(now.seen):
                    add_scaled(state.base.basis.q[1], state.v[f], state.base.table[f], now.k)
            lam, U = state.base.basis.D2[: now.k].copy(), np.eye(now.k)
        else:
            lam, U = np.linalg.eigh(state.base.basis.H[:r, :r].copy())
        average(params, state, lam, U)
    return len(rows.y)


@inline
def along(v, feats, x):
    """v'x. v : float64[features]; feats : int64[s]; x : float64[at least s]; nothing is modified."""
    total = 0.0
    for at in range(len(feats)):
        total += v[feats[at]] * x[at]
    return total


@inline
def rest_of(params, state, eta):
    """alpha + 2 eta^2 shed: the eigenvalue of H_e outside of the sketch."""
    return params.alpha + 2.0 * eta * eta * (state.base.now[0].alpha - params.base.base)


@inline
def longest(params, state):
    """Bound of the squared gradient of the next row, from alpha and all before it."""
    before = rest_of(params, state, params.rate) / max(2.0 * params.rate * params.rate, MIN_SQUARED_RATE)
    for i in range(state.base.now[0].k + state.base.now[0].raw):
        before += state.lam[i]
    return min(MAX_GRADIENT_RATIO * before, LIMIT)


@inline(allocates=True)
def update_experts(params, state, work, slope, wx, zx, vx, logp):
    """logp <- log p_e - r_e - r_e^2 with r_e = eta_e (w_e - w)'g, g = slope x.

    wx, zx, vx : float, the products w'x, z'x and v'x; logp : float64[experts], filled in; nothing else is modified
    """
    q, lam, U = state.base.basis.q, state.lam, state.U
    r = state.base.now[0].k + state.base.now[0].raw
    yz, yv = np.zeros(r), np.zeros(r)  # by eigenvector: y times z, y times v
    for i in range(r):
        y = dot(U[:, i], work.y, r)
        yz[i], yv[i] = y * dot(U[:, i], q[0], r), y * dot(U[:, i], q[1], r)
    eta = params.rate
    for e in range(len(logp)):
        floor = rest_of(params, state, eta)
        expert_wx = -eta * (zx - 2.0 * eta * vx) / floor
        for i in range(r):
            beyond = 1.0 / (floor + 2.0 * eta * eta * lam[i]) - 1.0 / floor
            expert_wx -= eta * (yz[i] - 2.0 * eta * yv[i]) * beyond
        loss = eta * slope * (expert_wx - wx)
        logp[e] = state.logp[e] - loss - loss * loss
        eta *= 0.5


@inline
def add_row(base, state, work, feats, slope, row, n_rest, wx, vx):
    """z += g, v += (w'g) g, and S gains the row g = slope x; returns whether there is to be a shrink.

    Modifies state and work. base : NewtonParams; feats : int64[s], not modified; row : RowGeometry; n_rest : of
    `coordinates`; wx, vx : float, the products w'x and v'x
    """
    now, r, by = state.base.now[0], state.base.now[0].k + state.base.now[0].raw, slope * slope * wx
    work.slope[0] = slope
    status = buffer_row(base, state.base, work, feats, row, n_rest)
    if slope * slope > 0.0:
        add_along(state.base.basis.q[1], work.y, by, r, now.k + now.raw > r, vx)
        for at in range(len(feats)):
            state.v[feats[at]] += by * work.x[at]
    return status == SHRINK


@inline(allocates=True)
def average(params, state, lam, U):
    """Update the tilted average: state.share, state.lam, state.U and the basis coefficients a, from logp and H.

    lam : float64[r] and U : float64[r, r], the decomposition of H; neither is modified
    """
    a, q, r = state.base.basis.a[0], state.base.basis.q, len(lam)
    F, G = np.zeros(r + 1), np.zeros(r + 1)  # at the eigenvalues, and last at 0
    eta, total = params.rate, 0.0
    for e in range(len(state.logp)):
        share, floor = math.exp(state.logp[e]) * eta, rest_of(params, state, eta)
        total += share
        for i in range(r + 1):
            f = share / (floor + (2.0 * eta * eta * max(lam[i], 0.0) if i < r else 0.0))
            F[i] += eta * f
            G[i] += 2.0 * eta * eta * f
        eta *= 0.5
    state.share[0], state.share[1] = -F[r] / total, G[r] / total
    clear_first(a, len(a))
    for i in range(r):
        z, v = dot(U[:, i], q[0], r), dot(U[:, i], q[1], r)
        add_scaled(a, (-(F[i] - F[r]) * z + (G[i] - G[r]) * v) / total, U[:, i], r)
        state.lam[i] = max(lam[i], 0.0)
    state.U[:r, :r] = U
