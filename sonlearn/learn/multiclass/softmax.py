"""Several classes of one first-order learner: a weight vector a class, and one rate a feature for all of them.

``min_W sum_t h_t ln(1/q_y), q = softmax(W x_t)`` online, y the class of the row. The gradient of class k is c_k x with
c = q - e_y. Summed over the classes its squares are |c|^2 x_j^2: what AdaGrad and its kin add up for feature j, once
for all classes, where a learner a class would add up squares of its own. Then for each class

    w_kj <- w_kj - h c_k R_j x_j

with the rates R_j of `first_order`: sgd, ogd, adagrad, ada and nag, |c| in place of the slope l'. Importance h follows
the loss along the step, as [IWA]: the row's margin m = ln(q_y/(1 - q_y)) obeys dm/ds = (1 + |r|^2)/(1 + exp(m)), where
r, the other classes' shares of 1 - q_y, is held as it is at the start. Two classes do so exactly; of more, the shares
change a little on the way, and weight 2 is nearly the same example twice.
"""

from __future__ import annotations

import math

from sonlearn.data.rows import is_learned
from sonlearn.jit import bare_inline, bare_jit, forced_inline
from sonlearn.learn.first_order.rules import (
    ADA,
    ADAGRAD,
    ALONG,
    LIMIT,
    NAG,
    OGD,
    TOTAL,
    ada_rate,
    count_features,
    gather,
    inverse_power,
    nag_scales,
)
from sonlearn.learn.invariant_step import logistic_travel
from sonlearn.learn.losses import softmax_slopes

# Columns of what classes share, as in `first_order`: G, the sum of squared gradients; S, the largest |x|; 1/S.
G, S, INVERSE = range(3)


@bare_jit
def learn(params, state, work, rows, out, start):
    """Predict and learn rows from `start` on; returns the first row that was refused, or n.

    Parameters
    ----------
    params : first_order.engine.FirstOrderParams; state : SharedDiagonalState, modified in place
    work : SharedDiagonalScratch, overwritten
    rows : Rows, features below len(state.W), labels numbers of classes; out : Predictions, float64[n, K], filled in
    """
    at = learn_rows(params, state, work, rows, out, start)
    count_features(state.now[0], rows, start, at)
    return at


@bare_inline
def learn_rows(params, state, work, rows, out, start):
    """`learn`, but for what it counts."""
    for i in range(start, len(rows.y)):
        z, p = out.raw[i], out.prediction[i]
        xx = score(params, state, rows, i, z)
        for c in range(len(z)):
            if not abs(z[c]) <= LIMIT:
                return i
            p[c] = min(max(z[c], params.low), params.high)
        if not xx <= LIMIT * LIMIT:
            return i
        if not is_learned(rows.weight[i], rows.y[i]):
            continue
        norm = softmax_slopes(p, int(rows.y[i]), 1.0, work.step)
        h = rows.weight[i]
        if not h * h * norm * norm * xx <= LIMIT * LIMIT:
            return i
        if params.rule == NAG:
            learned = nag(params, state, work, rows, i, p, norm)
        else:
            learned = gradient(params, state, work, rows, i, z, p, xx, norm)
        if not learned:
            return i
    return len(rows.y)


@bare_jit
def predict(params, state, rows, raw):
    """raw[i] <- predictions of row i, float64[n, K]; returns the first row with one that is not finite, or n."""
    for i in range(len(rows.y)):
        score(params, state, rows, i, raw[i])
        for c in range(raw.shape[1]):
            if not math.isfinite(raw[i, c]):
                return i
    return len(rows.y)


@bare_jit
def weights(params, state, out):
    """out[c, f] <- weight of feature f, for the first features; out float64[K, features]."""
    for f in range(out.shape[1]):
        for c in range(len(out)):
            out[c, f] = weight_factor(params, state, f, 0.0) * state.W[f, c]


@forced_inline
def score(params, state, rows, i, z):
    """z <- base + w'x of each class; returns x'x. Reads only."""
    xx = 0.0
    for c in range(len(z)):
        z[c] = 0.0
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at]
        xx += x * x
        if f >= len(state.W):  # a feature that was only ever in a refused row
            continue
        by = weight_factor(params, state, f, x) * x
        for c in range(len(z)):
            z[c] += by * state.W[f, c]
    for c in range(len(z)):
        z[c] += rows.base[i]
    return xx


@forced_inline
def weight_factor(params, state, f, x):
    """What the weights of feature f are of the numbers kept for them, in a row where its value is x."""
    if params.rule == ADA and params.dual:
        return -ada_rate(params, state.shared[f, G])
    if params.rule == NAG and params.before and abs(x) > state.shared[f, S]:
        return state.shared[f, S] / abs(x)
    return 1.0


@forced_inline
def gradient(params, state, work, rows, i, z, p, xx, norm):
    """The step of sgd, ogd, adagrad and ada; returns False, without changing anything, if the row is refused.

    Modifies state and work.step. z, p : float64[K], w'x and the predictions, not modified; xx : float, x'x
    norm : float, |c|, the 2-norm of work.step
    """
    step, shared, now = work.step, state.shared, state.now[0]
    summed = params.rule == ADAGRAD or params.rule == ADA
    rate = 1.0 if summed else params.rate * (now.t + 1.0) ** -params.power_t
    for c in range(len(step)):
        step[c] *= -rate * rows.weight[i]
        if params.rule == OGD and z[c] != p[c] and xx > 0.0:  # Euclidean projection: w - (u - p)/|x|^2 x
            step[c] -= (z[c] - p[c]) / xx
        if not abs(step[c]) * math.sqrt(xx) <= LIMIT:
            return False
    now.t += 1.0
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at]
        by = x
        if summed:
            shared[f, G] += (rows.weight[i] * norm * x) * (rows.weight[i] * norm * x)
        if params.rule == ADA:
            by *= -1.0 if params.dual else ada_rate(params, shared[f, G])
        elif params.rule == ADAGRAD:
            by *= params.rate * inverse_power(shared[f, G], params.power_t) if shared[f, G] > 0.0 else 0.0
        for c in range(len(step)):
            state.W[f, c] += step[c] * by
    return True


@forced_inline
def nag(params, state, work, rows, i, p, norm):
    """[NAG] Algorithm 2 with |c| for the slope; see `first_order.nag`. False: refused, and nothing is changed."""
    if norm == 0.0 and not params.before:
        return True
    shared, now, along, begin, h = state.shared, state.now[0], work.along, rows.indptr[i], rows.weight[i]
    for k in range(rows.indptr[i + 1] - begin):
        gather(shared, G, along, k, rows.features[begin + k], rows.values[begin + k])
    q, size = nag_scales(along, rows.values[begin : rows.indptr[i + 1]], h * norm * norm)
    t, N = now.t + h, now.N + h * size
    common = params.rate * math.sqrt(t / N) if N > 0.0 else 0.0
    by = step_factor(params, p, int(rows.y[i]), h, q * common, work.step)
    if not (h * q * common <= LIMIT * LIMIT and math.isfinite(by)):
        return False
    now.t, now.N = t, N
    by *= common
    for at in range(begin, rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at]
        if abs(x) > shared[f, S]:
            for c in range(len(p)):
                state.W[f, c] *= shared[f, S] / abs(x)
            shared[f, S] = abs(x)
            shared[f, INVERSE] = 1.0 / abs(x)
        shared[f, G] = along[TOTAL, at - begin]
        for c in range(len(p)):
            state.W[f, c] -= by * work.step[c] * along[ALONG, at - begin]
    return True


@forced_inline
def step_factor(params, p, y, h, q, slopes):
    """How many times its slopes the row's step is: h, or what following the loss makes of it. q = x'Rx."""
    if not params.invariant or not h * q > 0.0 or slopes[y] == 0.0:
        return h
    squares, top, others = 0.0, -math.inf, 0.0
    for c in range(len(p)):
        squares += slopes[c] * slopes[c]
        if c != y:
            top = max(top, p[c])
    for c in range(len(p)):
        if c != y:
            others += math.exp(p[c] - top)
    a = squares / (slopes[y] * slopes[y])  # 1 + |r|^2
    return logistic_travel(p[y] - top - math.log(others), a * h * q) / (a * q * -slopes[y])
