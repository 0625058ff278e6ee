"""First-order learners: one round for all of them, the rule chosen by an integer code.

``min_w sum_t h_t l(w'x_t, y_t)`` online. Most rules are a weight and a rate for every feature: predict w'x, then

    w_j <- w_j + c R_j x_j,      c = -h l'(p, y), or what the rule makes of it

sgd, ogd      R_j = l t^-p;  ogd projects w onto |w'x| <= C before it predicts
adagrad       R_j = l G_j^-p,                                G_j the sum of (h l' x_j)^2
ada           R_j = l / (delta + sqrt(G_j));  primal-dual: w_j = -R_j times the sum of gradients
nag           R_j = l sqrt(t/N) / (s_j sqrt(G_j)),           s_j the largest |x_j|, N the sum of h |x_j/s_j|^2
nlms          R_j = 1,       c = (1 - (1 - l)^h) (y - p)/x'x: the share l of the error is gone, h times over
arow          R_j = 1/P_j,  c = (y - p)/(x'Rx + r/h),        P_j the precision, 1 at first

ftrl keeps sums of gradients and works the weight out from them; coin does, too, and keeps the weight beside them, for
it has two, as VW has (`coin`). All of a feature stands in one row of the table.
A round reads first and writes when it is certain that everything stays finite: a row that it refuses changes nothing.

Forgetting (`--decay`): in each round G, and t and N of nag, are multiplied by `keep` before they grow. Shrinkage
(`--l2`, as VW's): a step of length e = -c/(h l') h times the rate multiplies all weights by 1 - l2 e first. Neither
touches more than the row's features: a row of the table says when it was last up to date (`bring_up`).
"""

from __future__ import annotations

import math

from sonlearn.jit import bare_jit, fetch, forced_inline
from sonlearn.learn.invariant_step import travel
from sonlearn.learn.losses import LARGEST_LOG, POISSON, SQUARED, loss_slope

SGD, OGD, ADAGRAD, NAG, AROW, PRECISION, FTRL, COIN, NLMS, ADA = range(10)
# Columns of the table. W: weight; ftrl: z. G: sum of squared gradients; arow: precision less 1;
# coin: sum of |g|. S: largest |x|. nag: INVERSE, 1/S. coin: TOP, the largest slope; WON, the reward; THETA, sum of -g.
W, G, S, INVERSE = range(4)
# Rows of the scratch: of a row's entries, the step, and for nag x/s and what G becomes.
ALONG, SCALED, TOTAL = range(3)
SCRATCH = 3
TOP, WON, THETA = 3, 4, 5
COLUMNS = (1, 1, 2, 4, 2, 2, 2, 6, 1, 2)
# Behind those, where a method forgets or shrinks: rounds learned when G was up to date; `now.shrunk` when W was.
WHEN, SHRUNK = -2, -1
#: A step multiplies the weights by this at least, however large --l2 is.
LEAST_LEFT = 0.5
#: A raw prediction, or a length of a row or gradient beyond this is out of bounds, however far from infinite: squares
#: of it are taken.
LIMIT = 1e100
#: With more features than this, those of the next row are asked for ahead.
BEYOND = 1 << 14
#: What VW adds to the sum of squared norms of coin, so that no division is by 0.
COIN_NORM = 1e-6


@bare_jit
def learn(params, state, work, rows, out, start):
    """Predict and learn rows from `start` on; returns the first row that was refused, or n.

    Parameters
    ----------
    params : FirstOrderParams; state : FirstOrderState, changed in place; work : float64[3, longest row], scratch
    rows : Rows, with features below len(state.table); out : Predictions, filled in place; start : int
    """
    for i in range(start, len(rows.y)):
        if len(state.table) > BEYOND and i + 1 < len(rows.y):
            for at in range(rows.indptr[i + 1], rows.indptr[i + 2]):
                fetch(state.table, rows.features[at], 1)
        u, xx = score(params, state, rows, i)
        if not (abs(u) <= LIMIT and xx <= LIMIT * LIMIT):
            return i
        out.raw[i] = u
        out.prediction[i] = min(max(u, params.low), params.high)
        if math.isnan(rows.y[i]) or rows.weight[i] == 0.0:
            continue
        if not step(params, state, work, rows, i, (u, out.prediction[i], xx)):
            return i
    return len(rows.y)


@bare_jit
def predict(params, state, rows, raw):
    """raw[i] <- prediction of row i; returns the first row whose prediction is not finite, or n."""
    for i in range(len(rows.y)):
        raw[i], _ = score(params, state, rows, i)
        if not math.isfinite(raw[i]):
            return i
    return len(rows.y)


@bare_jit
def weights(params, state, out):
    """out[f] <- weight of feature f, for the first len(out) features."""
    for f in range(len(out)):
        out[f] = weight(params, state, f, 0.0)


# ----------------------------------------------------------------------------------------------------------- reading


@forced_inline
def score(params, state, rows, i):
    """(base + w'x, x'x) of row i; reads only."""
    wx = xx = 0.0
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at]
        xx += x * x
        if f >= len(state.table):  # a feature that was only ever in a refused row
            continue
        wx += weight(params, state, f, x) * x
    return rows.base[i] + wx, xx


@forced_inline
def weight(params, state, f, x):
    """Weight of feature f for a row in which its value is x."""
    table = state.table
    if params.rule == FTRL:
        return ftrl_weight(params, table[f, W], table[f, G])
    if params.rule == ADA and params.dual:
        return -ada_rate(params, table[f, G]) * table[f, W]
    if params.rule == NAG and params.before and abs(x) > table[f, S]:
        return table[f, W] * (table[f, S] / abs(x)) * left(params, state, f)
    return table[f, W] * left(params, state, f)


@forced_inline
def left(params, state, f):
    """What is left of the weight of feature f since it was up to date."""
    if params.shrink == 0.0:
        return 1.0
    return math.exp(state.table[f, SHRUNK] - state.now[0].shrunk)


@forced_inline
def ftrl_weight(params, z, n):
    """[FTRL] Algorithm 1."""
    if abs(z) <= params.l1:
        return 0.0
    scale = (params.beta + math.sqrt(n)) / params.alpha + params.l2
    return -(z - math.copysign(params.l1, z)) / scale


@forced_inline
def ada_rate(params, n):
    """[ADA] section 2, ADA-DIAG."""
    floor = params.delta + math.sqrt(n)
    return params.rate / floor if floor > 0.0 else 0.0


@forced_inline
def coin_weight(params, table, f, s, top):
    """What is bet on feature f if s is its largest value and top its largest slope, over no mean squared norm yet."""
    if s * top == 0.0:
        return 0.0
    bound = s * top
    return (params.alpha + table[f, WON]) * table[f, THETA] / (bound * (bound + table[f, G]))


# ----------------------------------------------------------------------------------------------------------- steps


@forced_inline
def step(params, state, work, rows, i, said):
    """Everything of a round after the prediction; False, and nothing is changed, if the row is to be refused.

    `said`: u'x, the prediction (u'x within the bound), and x'x.
    """
    if params.lazy:
        bring_up(params, state, rows, i)
    done = rule_step(params, state, work, rows, i, said)
    if done:
        state.now[0].n += 1
    return done


@forced_inline
def bring_up(params, state, rows, i):
    """G and W of the row's features as they are in the round that begins: O(s), whenever they were last read."""
    table, now = state.table, state.now[0]
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f = rows.features[at]
        table[f, W] *= left(params, state, f)
        table[f, G] *= params.keep ** (now.n + 1 - table[f, WHEN])
        table[f, WHEN] = now.n + 1
        table[f, SHRUNK] = now.shrunk


@forced_inline
def shrink(params, state, rows, i, length):
    """All weights times 1 - l2 e, e the length of the step; those of the row, which are up to date, at once."""
    table, now = state.table, state.now[0]
    if params.shrink == 0.0:
        return
    share = min(params.shrink * length, 1.0 - LEAST_LEFT)
    now.shrunk -= math.log1p(-share)
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f = rows.features[at]
        if table[f, SHRUNK] != now.shrunk:  # else a feature that the row has twice
            table[f, W] *= 1.0 - share
            table[f, SHRUNK] = now.shrunk


@forced_inline
def rule_step(params, state, work, rows, i, said):
    """The step of the rule, once all of the row's features are up to date."""
    _, p, xx = said
    if params.rule == AROW or params.rule == PRECISION:
        return arow(params, state, work, rows, i, said)
    if params.rule == COIN:
        return coin(params, state, rows, i)
    h = rows.weight[i]
    slope = loss_slope(params.loss, p, rows.y[i])
    if not h * h * slope * slope * xx <= LIMIT * LIMIT:
        return False
    if params.rule == NAG:
        return nag(params, state, work, rows, i, p, slope)
    if params.rule == FTRL:
        return ftrl(params, state, rows, i, h * slope)
    return gradient(params, state, rows, i, said, h * slope)


@forced_inline
def gradient(params, state, rows, i, said, slope):
    """sgd, ogd, adagrad, ada, nlms; slope: h l'."""
    table, now = state.table, state.now[0]
    u, p, xx = said
    adaptive = params.rule == ADAGRAD or params.rule == ADA
    rate = params.rate * (now.t + 1.0) ** -params.power_t
    c = -slope * rate
    if params.rule == NLMS:
        c = share_of(params.rate, rows.weight[i]) * (rows.y[i] - p) / xx if xx > 0.0 else 0.0
    if params.rule == OGD and u != p and xx > 0.0:  # Euclidean projection: w - (u - p)/|x|^2 x
        c -= (u - p) / xx
    if not abs(c) * math.sqrt(xx) <= LIMIT:
        return False
    if params.loss.code == POISSON and not adaptive and u + c * xx > LARGEST_LOG:
        return False
    now.t += 1.0
    shrink(params, state, rows, i, rows.weight[i] * (params.rate if adaptive else rate))
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at]
        if not adaptive:
            table[f, W] += c * x
            continue
        g = slope * x
        table[f, G] += g * g
        if params.rule == ADA:
            table[f, W] += g if params.dual else -ada_rate(params, table[f, G]) * g
            continue
        if table[f, G] > 0.0:
            table[f, W] -= params.rate * inverse_power(table[f, G], params.power_t) * g
    return True


@forced_inline
def share_of(rate, h):
    """1 - (1 - rate)^h, what h steps that each remove the share `rate` of the error remove; from 1 on, one step."""
    return -math.expm1(h * math.log1p(-rate)) if rate < 1.0 else rate


@forced_inline
def inverse_power(G, power):
    """G^-power; a square root where it is one."""
    return 1.0 / math.sqrt(G) if power == 0.5 else G**-power


@forced_inline
def nag(params, state, work, rows, i, p, slope):
    """[NAG] Algorithm 2; importance as in [IWA]. Unless `before`, a round without a slope is none, as in VW."""
    table, now, begin, h = state.table, state.now[0], rows.indptr[i], rows.weight[i]
    if slope == 0.0 and not params.before:
        now.t *= params.keep
        now.N *= params.keep
        return True
    q, norm = nag_scales(table, G, work, rows, i, h * slope * slope)
    t, N = params.keep * now.t + h, params.keep * now.N + h * norm
    common = params.rate * math.sqrt(t / N) if N > 0.0 else 0.0
    q *= common
    c = -h * slope
    if params.invariant and h * q > 0.0:
        c = travel(params.loss, p, rows.y[i], h * q) / q
    if not (h * q <= LIMIT * LIMIT and math.isfinite(c)):
        return False
    now.t, now.N = t, N
    if slope != 0.0:
        shrink(params, state, rows, i, -params.rate * c / slope)
    c *= common
    for at in range(begin, rows.indptr[i + 1]):
        f, x = rows.features[at], abs(rows.values[at])
        if x > table[f, S]:
            table[f, W] *= table[f, S] / x
            table[f, S] = x
            table[f, INVERSE] = 1.0 / x
        table[f, G] = work[TOTAL, at - begin]
        table[f, W] += c * work[ALONG, at - begin]
    return True


@forced_inline
def nag_scales(table, first, work, rows, i, g2):
    """work <- x/s, G, and x/(s sqrt(G)) after a gradient of square g2, entry by entry; (x'R'x, |x/s|^2), R' the last.

    G, S and INVERSE stand in the table from column `first` on. Roots and quotients are a loop of their own, over
    neighbours in memory: so they are taken eight at a time.
    """
    begin, n, q, norm = rows.indptr[i], rows.indptr[i + 1] - rows.indptr[i], 0.0, 0.0
    for k in range(n):
        f, x = rows.features[begin + k], rows.values[begin + k]
        inverse = table[f, first + INVERSE - G]
        if abs(x) > table[f, first + S - G]:
            inverse = 1.0 / abs(x)
        work[SCALED, k] = inverse * x
        work[TOTAL, k] = table[f, first] + g2 * x * x
    for k in range(n):
        root = math.sqrt(work[TOTAL, k])
        work[ALONG, k] = work[SCALED, k] / root if root > 0.0 else 0.0
    for k in range(n):
        q += work[ALONG, k] * rows.values[begin + k]
        norm += work[SCALED, k] * work[SCALED, k]
    return q, norm


@forced_inline
def arow(params, state, work, rows, i, said):
    """[AROW] with a diagonal covariance 1/P. Classes: only where the margin is below 1. Weight h: r/h for r.

    The covariance S - S x x'S/(x'Sx + r) has the diagonal 1/(P + x^2/(r + x'Sx - S x^2)), here without cancellation;
    the precision P + x^2/r of the other rule forgets that the row was shared.
    """
    table, begin, y = state.table, rows.indptr[i], rows.y[i]
    u, _, xx = said
    if params.loss.code != SQUARED and y * u >= 1.0:
        return True
    r, v = params.r / rows.weight[i], 0.0
    for at in range(begin, rows.indptr[i + 1]):
        x = rows.values[at]
        work[ALONG, at - begin] = x / (1.0 + table[rows.features[at], G])
        v += work[ALONG, at - begin] * x
    c = (y - u) / (v + r)
    if not (c * c * xx <= LIMIT * LIMIT and xx <= r * LIMIT * LIMIT):
        return False
    for at in range(begin, rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at]
        table[f, W] += c * work[ALONG, at - begin]
        others = max(0.0, v - work[ALONG, at - begin] * x) if params.rule == AROW else 0.0
        table[f, G] += x * x / (r + others)
    return True


@forced_inline
def ftrl(params, state, rows, i, slope):
    """[FTRL] Algorithm 1; slope: h l'."""
    table = state.table
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, g = rows.features[at], slope * rows.values[at]
        n = table[f, G]
        sigma = (math.sqrt(n + g * g) - math.sqrt(n)) / params.alpha
        table[f, W] += g - sigma * ftrl_weight(params, table[f, W], n)
        table[f, G] = n + g * g
    return True


@forced_inline
def coin(params, state, rows, i):
    """Coin betting as VW's --coin, whose row has two predictions.

    The one that is reported is w'x with w as each feature's last row has left it. The one that the slope is taken at
    bets anew, with the sizes and the mean squared norm that this row is part of. A row leaves the weight that it was
    itself learned with, before its own gradient counts.
    """
    table, now, h = state.table, state.now[0], rows.weight[i]
    bets = norm = won = xx = 0.0
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at]
        s = max(table[f, S], abs(x))
        bets += coin_weight(params, table, f, s, table[f, TOP]) * x
        share = x / s if s > 0.0 else 0.0
        norm += share * share
        xx += x * x
    t, N = now.t + h, now.N + h * norm
    mean = (N + COIN_NORM) / t
    u = rows.base[i] + bets / mean
    slope = h * loss_slope(params.loss, min(max(u, params.low), params.high), rows.y[i])
    if not (abs(u) <= LIMIT and slope * slope * xx <= LIMIT * LIMIT):
        return False
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at]
        s, top = max(table[f, S], abs(x)), max(table[f, TOP], abs(slope), params.beta)
        won += abs(slope * x * coin_weight(params, table, f, s, top))
    if not won <= LIMIT * LIMIT:
        return False
    now.t, now.N = t, N
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, x = rows.features[at], rows.values[at]
        g = slope * x
        table[f, S] = max(table[f, S], abs(x))
        table[f, TOP] = max(table[f, TOP], abs(slope), params.beta)
        bet = coin_weight(params, table, f, table[f, S], table[f, TOP])
        table[f, W] = bet / mean
        table[f, WON] -= g * bet
        table[f, THETA] -= g
        table[f, G] += abs(g)
    return True
