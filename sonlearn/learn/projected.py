"""Learners by random projection: S += r s x' in every round, the step f(S'S) g, in O(tau s + tau^3) a row.

[RFD] section 6.2 (rp-son), [ADA] Algorithms 1 and 2 (ada-gp, ada-dp), Krummenacher et al. 2016 (radagrad).
S has tau numbers a feature and changes at the features of the row only. With K = S S' = U diag(lam) U', updated in
O(tau^2), f(S'S) g = f(0) g + S'a with a = U diag((f(lam) - f(0))/lam) U'S g. So the weights are

    w = wbar + S'b         mirror descent, w <- w - l f(S'S) g; when S += r s x', wbar -= (r'b) s x
    w = -l f(0) z + S'b    primal-dual, w = -l f(S'S) z with z the sum of g; S z is updated likewise

radagrad's Gt += g (Pi'g)' is S' with r = Pi'g; its V and Sig are the singular vectors and values of Gt, because with
Gt = QR the matrix Gt'Q is R'. So it is the same round with f(lam) = 1/(delta + lam^(1/4)), and f = 1 outside of V.

Several classes share S. The gradient of the d x C matrix of weights is x c' with c = h (softmax(z) - e_y), and the sum
over the classes of its outer products is |c|^2 x x'. So the row |c| x takes the place of the gradient in S, with one
random vector, and the step of class k is c_k f(S'S) x. One class has the row c x, with the sign of c.

What a round changes is worked out beside the state and written to it last: a refused row changes nothing.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data.axes import BY_FEATURE
from sonlearn.data.linear_algebra import FOURTH, INVERSE, ROOT, add_scaled, dot, gram_spectrum, plus_dot, spectral
from sonlearn.data.mixing import draw, normals_by_feature, position_of
from sonlearn.data.rows import Rows, features_with, is_learned, learned_rows
from sonlearn.jit import inline, jit
from sonlearn.learn.engine import Engine, Predictions, padded
from sonlearn.learn.losses import (
    POISSON,
    Output,
    RowWeight,
    gradient_too_large,
    invariant_change,
    output_of,
    row_scale,
    row_weight_of,
    slopes,
    within_bounds,
)
from sonlearn.learn.newton.coordinates import wbar_factor
from sonlearn.learn.tolerances import FEATURES, LARGEST, LIMIT, RANK, SINGULAR, SQUARING
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS

#: Rounding error of a number of size 1, and how much of a prediction may be one.
ROUNDING_OF_ONE, LOST_DIGITS = 1.1e-16, 1e-3
#: The projected rows: g times sqrt(sigma + eta_t), the gradient, the data, or g with r = Pi'g.
NEWTON, GRADIENT, DATA, OWN = range(4)
SOURCES = {"newton": NEWTON, "gradient": GRADIENT, "data": DATA, "own": OWN}
#: t: rounds learned; seen: number of features.
NOW = [("t", "i8"), ("seen", "i8")]
#: Rows learned at a time, with one random vector each.
BLOCK_ROWS = 1024


class ProjectedParams(NamedTuple):
    """The kernels' parameters: numbers from `LearnOptions` and from the method's entry in the table."""

    source: int
    kind: int
    floor: float  # alpha, or delta
    rate: float
    dual: bool
    output: Output  # of classes that share S
    row_weight: RowWeight


class ProjectedState(NamedTuple):
    """State of a learner, without the names of its features; C classes, 1 with one weight vector."""

    wbar: Annotated[np.ndarray, BY_FEATURE]  # float64[features, C]; primal-dual: z
    S: Annotated[np.ndarray, BY_FEATURE]  # float64[features, tau], S transposed
    Pi: Annotated[np.ndarray, BY_FEATURE]  # float64[features, tau]; random numbers (radagrad); else without columns
    SS: np.ndarray  # float64[tau, tau], S S'
    U: np.ndarray  # float64[tau, tau], eigenvectors of S S' in columns
    lam: np.ndarray  # float64[tau], its eigenvalues, ascending; 0 where they are rounding errors
    b: np.ndarray  # float64[C, tau]
    q: np.ndarray  # float64[C, tau], S z
    position: np.ndarray  # uint64[4]; position of the random number generator
    now: np.ndarray  # structured [1]


class Projected(Engine):
    """Engine of rp-son, ada-gp, ada-dp and radagrad (see `sonlearn.learn.engine.Engine`).

    With ``multinomial`` C classes share the sketch, and predictions are float64[n, C] (`multiclass.by_method`).
    """

    def __init__(self, options: LearnOptions):
        self._params, self._tau, self._seed = params_of(options), options.sketch_size, options.seed

    def new(self, classes: int = 0) -> ProjectedState:
        """State of an untrained learner."""
        tau, C, own = self._tau, max(self._params.output.classes, 1), self._params.source == OWN
        return ProjectedState(
            np.zeros((0, C)), np.zeros((0, tau)), np.zeros((0, tau if own else 0)), np.zeros((tau, tau)), np.eye(tau),
            np.zeros(tau), *np.zeros((2, C, tau)), position_of(self._seed), np.zeros(1, dtype=NOW).view(np.recarray),
        )  # fmt: skip

    def reserve(self, state: ProjectedState, rows: Rows, features: int) -> ProjectedState:
        """Make room for learning `rows`."""
        before, state = len(state.S), super().reserve(state, rows, features)
        return state._replace(Pi=normals_by_feature(state.Pi, before, self._seed)) if state.Pi.size else state

    def learn(self, state: ProjectedState, rows: Rows, out: Predictions, start: int) -> tuple[ProjectedState, int]:
        """Learn rows from `start` on (see `Engine.learn`)."""
        if self._params.source == OWN:
            return state, int(predict_and_learn(self._params, state, state.Pi, rows, out, start, len(rows.y), True))
        while start < len(rows.y):
            stop, before = min(start + BLOCK_ROWS, len(rows.y)), int(state.now["t"][0])
            drawn = int(np.count_nonzero(learned_rows(rows)[start:stop]))
            normals, position = draw(state.position, drawn, self._tau)
            start = predict_and_learn(self._params, state, normals, rows, out, start, stop, True)
            used = int(state.now["t"][0]) - before
            state.position[:] = position if used == drawn else draw(state.position, used, self._tau)[1]
            if start < stop:
                break
        return state, start

    def predict(self, state: ProjectedState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        return int(predict_and_learn(self._params, state, np.zeros((0, self._tau)), rows, out, 0, len(rows.y), False))

    def weights(self, state: ProjectedState, features: int, number: int | None = None) -> np.ndarray:
        """float64[features], or float64[C, features] for C classes: weights in the scale of the input."""
        known = wbar_factor(self._params, self._params.floor) * state.wbar[:features] + state.S[:features] @ state.b.T
        return padded(known.T, features)

    def facts(self, state: ProjectedState) -> dict[str, Any]:
        """eigenvalues of S'S, descending; alpha, if the method has one."""
        facts = {"eigenvalues": np.maximum(state.lam[::-1], 0.0)}
        return facts | ({"alpha": self._params.floor} if self._params.source == NEWTON else {})


def params_of(options: LearnOptions) -> ProjectedParams:
    """The kernels' parameters for `options`."""
    source = SOURCES[METHODS[options.method].values["source"]]
    return ProjectedParams(
        source=source,
        kind={NEWTON: INVERSE, OWN: FOURTH}.get(source, ROOT),
        floor=float(options.alpha if source == NEWTON else options.delta),
        rate=1.0 if source == NEWTON else float(options.learning_rate),
        dual=source != NEWTON and options.update == "dual",
        output=output_of(options),
        row_weight=row_weight_of(options),
    )


@jit(allocates=True)
def predict_and_learn(params, state, normals, rows, out, start, stop, learns):
    """Predict rows `start` to `stop` - 1 and, where it `learns`, learn them; returns the first refused one, or `stop`.

    params : ProjectedParams; state : ProjectedState, modified where it `learns`
    normals : float64[rounds, tau], random vectors of the next rounds, not modified; unused with OWN
    rows : Rows, not modified; out : Predictions of float64[n, C], filled in; start, stop : int; learns : bool
    """
    now, first, slope = state.now[0], state.now[0].t, np.zeros(len(state.b))
    mean, outside = wbar_factor(params, params.floor), params.rate * spectral(params.kind, params.floor, 0.0, 1.0)
    limit = LIMIT if learns else LARGEST
    for i in range(start, stop):
        y, zx, xx = read(state, rows, i)
        for c in range(len(zx)):
            out.raw[i, c] = dot(state.b[c], y, len(y)) + mean * zx[c] + rows.base[i]
        if not (within_bounds(params.output, out.raw[i], out.prediction[i], limit) and xx <= limit * limit):
            return i
        if not learns or not is_learned(rows.weight[i], rows.y[i]):
            continue
        length = slopes(params.output, out.prediction[i], rows.y[i], rows.weight[i], slope)
        s = scale_of(params, slope, length, now.t + 1)
        r = projected(state, rows, i, s) if params.source == OWN else normals[now.t - first]
        if not (length * length * xx <= LIMIT and s * s * xx * dot(r, r, len(r)) <= LIMIT):
            return i
        b, move = projected_weights(params, state, y, out.raw[i], out.prediction[i], xx)
        SS = state.SS + s * (np.outer(r, y) + np.outer(y, r)) + s * s * xx * np.outer(r, r)
        add_scaled(y, s * xx, r, len(r))
        lam, U = decompose(state, SS, r, rows, i, s)
        if params.source == DATA and params.output.loss.code == POISSON:
            follow_loss(params, slope, lam, U, y, out.prediction[i, 0], rows.y[i], rows.weight[i], xx)
        q = state.q
        if params.dual:
            q = state.q + s * np.outer(zx, r) + np.outer(slope, y)
            move += slope
            for c in range(len(b)):
                b[c] = -params.rate * across(params, lam, U, q[c])
        else:
            a = across(params, lam, U, y)
            for c in range(len(b)):
                move[c] -= s * dot(r, b[c], len(r)) + outside * slope[c]
                add_scaled(b[c], -params.rate * slope[c], a, len(a))
        if loses_digits(params, mean * move, out.raw[i], rows.y[i], xx):
            return i
        after = plus_dot(rows.base[i] + mean * (zx[0] + move[0] * xx), b[0], y, len(y))
        if gradient_too_large(params.output.loss, after, xx, LIMIT):
            return i
        now.t += 1
        state.SS[:], state.b[:], state.q[:], state.lam[:], state.U[:] = SS, b, q, lam, U
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            f, x = rows.features[at], rows.values[at]
            now.seen = max(now.seen, f + 1)
            add_scaled(state.wbar[f], x, move, len(move))
            add_scaled(state.S[f], s * x, r, len(r))
    return stop


@inline(allocates=True)
def read(state, rows, i):
    """(S x, wbar'x of each class, x'x) of row i. Does not modify the state."""
    y, zx, xx = np.zeros(state.S.shape[1]), np.zeros(state.wbar.shape[1]), 0.0
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at]
        xx += x * x
        if f < len(state.wbar):  # else a feature that was only ever in a refused row
            add_scaled(zx, x, state.wbar[f], len(zx))
            add_scaled(y, x, state.S[f], len(y))
    return y, zx, xx


@inline
def scale_of(params, slope, length, t):
    """s: the projected row is s x. slope : float64[C], not modified; length : float, its 2-norm; t : int, the round."""
    sign = 1.0 if params.output.classes else slope[0]
    if params.source == NEWTON:
        return math.copysign(row_scale(params.row_weight, length, t), sign)
    return 1.0 if params.source == DATA else math.copysign(length, sign)


@inline(allocates=True)
def projected(state, rows, i, s):
    """float64[tau]: Pi'(s x) of row i. Does not modify the state."""
    r = np.zeros(state.Pi.shape[1])
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        add_scaled(r, s * rows.values[at], state.Pi[rows.features[at]], len(r))
    return r


@inline(allocates=True)
def projected_weights(params, state, y, raw, prediction, xx):
    """(b float64[C, tau], the change of wbar per unit of x float64[C]) with which the round begins.

    With NEWTON w is projected onto |w'x| <= C, in the norm of A = alpha I + S'S; else b is the state's, the change 0.

    y : float64[tau], S x; raw, prediction : float64[C], w'x before and after the projection; xx : float, x'x; none is
    modified
    """
    b, move, excess = state.b.copy(), np.zeros(len(raw)), raw - prediction
    if params.source != NEWTON or not excess.any() or xx == 0.0:
        return b, move
    rest, quadratic, outside = xx, 0.0, spectral(params.kind, params.floor, 0.0, 1.0)
    for i in range(len(state.lam)):
        if state.lam[i] > 0.0:
            total = dot(state.U[:, i], y, len(y))
            rest -= total * total / state.lam[i]
            quadratic += spectral(params.kind, params.floor, state.lam[i], total * total / state.lam[i])
    along = excess / (quadratic + outside * max(rest, 0.0))
    return b - np.outer(along, across(params, state.lam, state.U, y)), -outside * along


@inline(allocates=True)
def loses_digits(params, move, raw, y, xx):
    """Return whether the row is so much longer than those before it that the weights of its features lose their digits.

    There w is a difference of wbar and S'b (or of f(0) z and S'b), which the round moves in opposite directions. Its
    rounding error must not be as large as predictions or labels. Modifies nothing.

    move : float64[C], the change of the first of these per unit of x; raw : float64[C], w'x; y : the label; xx : x'x
    """
    size = 1.0 if params.output.classes or params.output.loss.code == POISSON else max(abs(y), 1.0)
    return not (np.abs(move) * xx * ROUNDING_OF_ONE <= LOST_DIGITS * np.maximum(size, np.abs(raw))).all()


@inline(allocates=True)
def decompose(state, SS, r, rows, i, s):
    """(lam float64[tau] ascending, U float64[tau, tau]): S S' = U diag(lam) U' for S + r s x'; what is 0 is exactly 0.

    An eigenvalue of S S' is known to a rounding error of the largest. So if one is small, and the row has about as many
    features as there are in all, S itself is decomposed, in O(tau^2 s). On sparse rows that would cost O(tau^2 d).

    state : ProjectedState before the row; SS : S S' after it; r : float64[tau]; s : float; none is modified
    """
    lam, U, least = state.lam.copy(), SS, RANK
    dense = state.now[0].seen <= FEATURES * (rows.indptr[i + 1] - rows.indptr[i])
    if not (dense and is_wide(lam)):
        lam, U = np.linalg.eigh(SS)
    if dense and is_wide(lam):
        lam, U = decompose_rows(state, r, rows, i, s)
        least = SINGULAR * SINGULAR
    for k in range(len(lam)):
        if not lam[k] > least * lam[-1]:
            lam[k] = 0.0
    return lam, U


@inline
def is_wide(lam):
    """Tell whether a Gram matrix hides the smallest eigenvalue. lam : float64[tau], ascending, not modified"""
    return lam[-1] > 0.0 and lam[0] <= SQUARING * lam[-1]


@inline(allocates=True)
def decompose_rows(state, r, rows, i, s):
    """The same as `decompose`, by S + r s x' itself: by the singular values of its triangular factor."""
    tau, begin, end = len(r), rows.indptr[i], rows.indptr[i + 1]
    seen = features_with(rows.features[begin:end], state.now[0].seen)
    S = np.zeros((max(seen, tau), tau))
    S[:seen] = state.S[:seen]
    for at in range(begin, end):
        add_scaled(S[rows.features[at]], s * rows.values[at], r, tau)
    _, R = np.linalg.qr(S)
    return gram_spectrum(R)


@inline(allocates=True)
def follow_loss(params, slope, lam, U, y, p, label, h, xx):
    """slope <- the slope on the way of a step that follows the loss of a count (`losses.invariant_change`).

    With DATA a step does not become shorter where slopes are large, and those of counts grow as exp(p): a plain step
    would go far beyond the label, and the next one, as far as that slope is large, out of bounds.

    lam : float64[tau], U : float64[tau, tau] and y : float64[tau], S x with the new S, not modified
    p, label, h : prediction, label, weight; xx : x'x
    """
    outside = spectral(params.kind, params.floor, 0.0, 1.0) * xx
    quadratic = params.rate * plus_dot(outside, y, across(params, lam, U, y), len(y))
    if quadratic > 0.0:
        slope[0] = -invariant_change(params.output.loss, p, label, h * quadratic) / quadratic


@inline(allocates=True)
def across(params, lam, U, y):
    """float64[tau]: U diag((f(lam) - f(0))/lam) U'y, where directions with lam = 0 contribute nothing.

    lam : float64[tau]; U : float64[tau, tau]; y : float64[tau]; none is modified
    """
    a, outside = np.zeros(len(y)), spectral(params.kind, params.floor, 0.0, 1.0)
    for i in range(len(lam)):
        if lam[i] > 0.0:
            change = (spectral(params.kind, params.floor, lam[i], 1.0) - outside) / lam[i]
            add_scaled(a, dot(U[:, i], y, len(a)) * change, U[:, i], len(a))
    return a
