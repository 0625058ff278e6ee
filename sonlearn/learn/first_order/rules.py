"""First-order learners: one kernel for all of them, with the rule chosen by an integer code.

``min_w sum_t h_t l(w'x_t, y_t)`` online. Most rules have a weight and a rate for every feature: predict w'x, then

    w_j <- w_j + c R_j x_j,      c = -h l'(p, y) unless stated otherwise

sgd, ogd      R_j = l t^-p;  ogd projects w onto |w'x| <= C before it predicts
adagrad       R_j = l G_j^-p,                                G_j the sum of (h l' x_j)^2
ada           R_j = l / (delta + sqrt(G_j));  primal-dual: w_j = -R_j times the sum of gradients
nag           R_j = l (t/N)^(1-p) / (s_j^(2-2p) G_j^p),     s_j the largest |x_j|, N the sum of h |x_j/s_j|^2
nlms          R_j = 1,       c = (1 - (1 - l)^h) (y - p)/x'x: h steps, each removing the share l of the error
arow          R_j = 1/P_j,  c = (y - p)/(x'Rx + r/h),        P_j the precision, 1 at first

ftrl stores sums of gradients and computes the weight from them. coin does the same and also stores the weight, because
its reported and its learned prediction differ, as in VW (`coin`). A feature has one row of the table. A round reads
first, and writes only if all numbers stay finite: a refused row changes nothing.

Of several classes, ``min_W sum_t h_t ln(1/q_y), q = softmax(W x_t)`` with y the class of the row. The gradient of class
k is c_k x with c = q - e_y; summed over the classes its squares are |c|^2 x_j^2. So sgd, ogd, adagrad, ada and nag have
one rate a feature for all classes, that of |c| in place of the slope l', and a weight a class:

    w_kj <- w_kj - h c_k R_j x_j

Weights of as many classes as rows have shown so far may stand in a table of pairs instead (`engine.Nag`).

Forgetting (`--decay`): each round multiplies G, and nag's t and N, by the retention 1 - decay before it adds to them.
Shrinkage (`--l2`, as VW's): a step of length e = -c/(h l') h times the rate first multiplies all weights by 1 - l2 e.
Both change one number each, `left` of G and `scale` of weights, in whose inverses as units the table has them. A
feature's last two columns say how often these had been folded (`linear_algebra.FOLD`) when a row last had it.

With `--clip labels` raw predictions are clipped to the labels of the rows before, as VW's are.
"""

import math

import numpy as np

from sonlearn.data.linear_algebra import clear_first, dot, fold, folded
from sonlearn.data.rows import entries, features_with, is_learned
from sonlearn.jit import fetch, inline, jit
from sonlearn.learn import losses
from sonlearn.learn.losses import POISSON, SQUARED, loss_slope, slopes, within_bounds
from sonlearn.learn.pairs import add_to_pairs, add_weights, has_room, scale_pairs
from sonlearn.learn.tolerances import LARGEST, LIMIT

NAMES = ("sgd", "ogd", "adagrad", "nag", "arow", "precision", "ftrl", "coin", "nlms", "ada")
SGD, OGD, ADAGRAD, NAG, AROW, PRECISION, FTRL, COIN, NLMS, ADA = range(len(NAMES))
# Columns of the table. W: weight; ftrl: z. Several classes have their weights in the last columns, and W is unused.
# G: sum of squared gradients; arow: precision minus 1; coin: sum of |g|. S: largest |x|. nag: INVERSE, 1/S.
# coin: TOP, the largest slope; WON, the reward; THETA, sum of -g.
W, G, S, INVERSE = range(4)
# Rows of the scratch space, with a number for each entry of the row: the step; for nag also x/s and the new G.
ALONG, SCALED, TOTAL = range(3)
SCRATCH = 3
# The last columns where there is forgetting or shrinkage: how often the units of W and G had been folded.
W_FOLDS, G_FOLDS = -2, -1
TOP, WON, THETA = 3, 4, 5
COLUMNS = (1, 1, 2, 4, 2, 2, 2, 6, 1, 2)
#: Smallest factor by which one step shrinks the weights, however large --l2 is.
LEAST_FACTOR = 0.5
#: If the table has more features than this, those of the next row are prefetched.
LARGE_TABLE = 1 << 14
#: As VW, coin adds this to the sum of squared norms to avoid a division by 0.
COIN_NORM = 1e-6
#: Of weights in pairs: classes whose slope is smaller are left out of a step, or a row would touch all pairs of its
#: features and every class; and values below `MIN_WEIGHT` of it, whose weights would be no numbers in float32.
TINY, MIN_WEIGHT = 0.02, 1e-30


@jit
def predict_and_learn(params, state, pairs, work, rows, out, start, learns, sums):
    """Predict rows from `start` on and, where it `learns`, learn them; returns the first row that was refused, or n.

    params : FirstOrderParams; state : FirstOrderState, or `NagState`; modified where it `learns`
    pairs : Pairs, the weights of classes, modified where it `learns`, without room for which a row counts as refused;
    or (), and then what only these need is not compiled
    work : FirstOrderScratch, overwritten
    rows : Rows, where it `learns` with features below len(state.table), not modified
    out : Predictions of float64[n, K], filled in from row `start` on; start : int
    sums : (True,), or () where the rule is neither ftrl nor coin: then these are not compiled
    """
    at = predict_and_learn_rows(params, state, pairs, work, rows, out, start, learns, sums)
    if not learns:
        return at
    now = state.now[0]
    now.seen = features_with(rows.features[rows.indptr[start] : rows.indptr[at]], now.seen)
    return at


@inline
def predict_and_learn_rows(params, state, pairs, work, rows, out, start, learns, sums):
    """`predict_and_learn`, but for what it counts."""
    limit = LIMIT if learns else LARGEST
    for i in range(start, len(rows.y)):
        if learns and len(state.table) > LARGE_TABLE and i + 1 < len(rows.y):
            for at in range(rows.indptr[i + 1], rows.indptr[i + 2]):
                fetch(state.table, rows.features[at], 1)
        z, p = out.raw[i], out.prediction[i]
        if learns and params.lazy:
            write_in_units(state, rows.features[rows.indptr[i] : rows.indptr[i + 1]])
        if len(pairs) > 0:
            if learns and is_learned(rows.weight[i], rows.y[i]) and not has_room(pairs, rows, i, len(z), len(z)):
                return i
            z, p = z[: state.now[0].classes], p[: state.now[0].classes]
        xx = score(params, state, pairs, rows, i, z)
        if not (within_bounds(params.output, z, p, limit) and xx <= limit * limit):
            return i
        clip_to_labels(params, state, z, p)
        if not learns or not is_learned(rows.weight[i], rows.y[i]):
            continue
        if len(pairs) > 0:
            before, state.now[0].classes = len(z), max(len(z), int(rows.y[i]) + 1)
            p = out.prediction[i, : state.now[0].classes]
            clear_first(p[before:], len(p) - before)  # of a class that is new
        if not step(params, state, pairs, work, rows, i, z, p, xx, sums):
            return i
    return len(rows.y)


# ----------------------------------------------------------------------------------------------------------- reading


@inline(force=True)
def classes_of(params):
    """Count the classes; 0 with one score, which is known when a kernel is compiled: `several` is empty.

    Of classes that come there may be none.
    """
    return params.output.classes * len(params.several)


@inline(force=True)
def score(params, state, pairs, rows, i, z):
    """z <- base + w'x of each class; returns x'x of row i. z : float64[K], filled in; nothing else is modified."""
    feats, values = entries(rows, i)
    wx, xx, first = 0.0, 0.0, state.table.shape[1] - classes_of(params)  # the first class's column
    one = len(params.several) == 0
    if len(pairs) > 0:
        clear_first(z, len(z))
        add_weights(pairs, rows, i, 1.0, len(z), z)
        return dot(values, values, len(values))
    clear_first(z, classes_of(params))
    for k in range(len(feats)):
        f, x = np.uintp(feats[k]), values[k]
        xx += x * x
        if f >= np.uintp(len(state.table)):  # a feature that was only ever in a refused row
            continue
        if one:
            wx += weight(params, state, f, W, x) * x
        for c in range(classes_of(params)):
            z[c] += weight(params, state, f, first + c, x) * x
    if one:
        z[0] = wx
    for c in range(len(z)):
        z[c] += rows.base[i]
    return xx


@inline(force=True)
def clip_to_labels(params, state, z, p):
    """With `--clip labels`, z and p are clipped to the labels so far, p then to its bounds. float64[K]; modified."""
    if params.labels:
        for c in range(len(z)):
            z[c] = min(max(z[c], state.now[0].low), state.now[0].high)
            p[c] = min(max(z[c], params.output.low), params.output.high)


@inline(force=True)
def weight(params, state, f, column, x):
    """Weight of feature f, of which a number stands in `column`, in a row where its value is x. Modifies nothing."""
    table, now = state.table, state.now[0]
    w = table[f, column] * now.scale
    if params.lazy:
        w *= folded(now.w_folds, table[f][W_FOLDS])
    if params.rule == FTRL:
        return ftrl_weight(params, w, table[f, G])
    if params.rule == ADA and params.dual:
        return -ada_rate(params, table[f, G]) * w  # nothing is forgotten
    if params.rule == NAG and params.before and abs(x) > table[f, S]:
        w *= rescaling(params.power_t, table[f, S] / abs(x))
    return w


@inline(force=True)
def rescaling(power_t, share):
    """Factor of nag's weight when the largest |x| of its feature grows to 1/share of what it was."""
    return share if power_t == 0.5 else share ** (2.0 - 2.0 * power_t)


@inline(force=True)
def ftrl_weight(params, z, n):
    """Weight of a feature with the sums z and n ([FTRL] Algorithm 1)."""
    scale = (params.beta + math.sqrt(n)) / params.alpha + params.l2
    if abs(z) <= params.l1 or scale == 0.0:
        return 0.0
    return -(z - math.copysign(params.l1, z)) / scale


@inline(force=True)
def ada_rate(params, n):
    """Rate of a feature with the sum of squared gradients n ([ADA] section 2, ADA-DIAG)."""
    floor = params.delta + math.sqrt(n)
    return params.rate / floor if floor > 0.0 else 0.0


@inline(force=True)
def coin_weight(params, table, f, s, top):
    """Bet on feature f, not yet divided by the mean squared norm. s : its largest value; top : its largest slope."""
    if s * top == 0.0:
        return 0.0
    bound = s * top
    return (params.alpha + table[f, WON]) * table[f, THETA] / (bound * (bound + table[f, G]))


# ----------------------------------------------------------------------------------------------------------- steps


@inline(force=True)
def add_steps(params, row, by, x, steps):
    """The weight of a feature += by x, or those of several classes += by x steps.

    row : the feature's row of the table, modified; steps : float64[K], not modified
    """
    if len(params.several) == 0:
        row[W] += by * x
    for c in range(classes_of(params)):
        row[len(row) - classes_of(params) + c] += by * x * steps[c]


@inline(force=True)
def step(params, state, pairs, work, rows, i, z, p, xx, sums):
    """Learn row i after its prediction; returns False, without changing anything, if the row is refused.

    Modifies state and work. z : float64[K], raw predictions; p : float64[K], z within the bounds; xx : float, x'x
    """
    now, before = state.now[0], state.now[0].left
    now.left *= params.retention
    if not rule_step(params, state, pairs, work, rows, i, z, p, xx, sums):
        now.left = before
        return False
    now.n += 1
    if params.labels:
        now.low, now.high = min(now.low, rows.y[i]), max(now.high, rows.y[i])
    now.scale, now.w_folds = fold(now.scale, now.w_folds)
    now.left, now.g_folds = fold(now.left, now.g_folds)
    return True


@inline
def write_in_units(state, features):
    """Write what the table says of `features` in the units as they are now. Modifies state."""
    now, table = state.now[0], state.table
    for f in features:
        row = table[np.uintp(f)]
        if row[W_FOLDS] == now.w_folds and row[G_FOLDS] == now.g_folds:
            continue
        row[W] *= folded(now.w_folds, row[W_FOLDS])
        row[G] *= folded(now.g_folds, row[G_FOLDS])
        row[W_FOLDS], row[G_FOLDS] = now.w_folds, now.g_folds


@inline(force=True)
def shrink(l2, now, length):
    """Multiply all weights by 1 - l2 e, e = `length` of the step."""
    now.scale *= 1.0 - min(l2 * length, 1.0 - LEAST_FACTOR)


@inline(force=True)
def rule_step(params, state, pairs, work, rows, i, z, p, xx, sums):
    """The step of the rule; arguments and result as for `step`."""
    if params.rule == AROW or params.rule == PRECISION:
        return arow(params, state, work.by_entry, rows, i, z[0], xx)
    if len(sums) > 0 and params.rule == COIN:
        return coin(params, state, rows, i)
    h, slope = rows.weight[i], work.slope
    length = slopes(params.output, p, rows.y[i], 1.0, slope)
    if not h * h * length * length * xx <= LIMIT * LIMIT:
        return False
    if params.rule == NAG:
        return nag(params, state, pairs, work, rows, i, p, length)
    if len(sums) > 0:
        return ftrl(params, state, rows, i, h * slope[0])
    return gradient(params, state, rows, i, z, p, xx, slope, length)


@inline(force=True)
def gradient(params, state, rows, i, z, p, xx, slope, length):
    """The step of sgd, ogd, adagrad, ada and nlms. slope : float64[K], l', overwritten; length : float, its 2-norm.

    Else as for `step`.
    """
    table, now, h = state.table, state.now[0], rows.weight[i]
    adaptive = params.rule == ADAGRAD or params.rule == ADA
    rate = params.rate * (now.t + 1.0) ** -params.power_t
    for k in range(len(slope)):
        g = h * slope[k]
        c = -g * rate
        if params.rule == NLMS:
            c = error_share(params.rate, h) * (rows.y[i] - p[k]) / xx if xx > 0.0 else 0.0
        if params.rule == OGD and z[k] != p[k] and xx > 0.0:  # Euclidean projection: w - (u - p)/|x|^2 x
            c -= (z[k] - p[k]) / xx
        if not abs(c) * math.sqrt(xx) <= LIMIT:
            return False
        if params.output.loss.code == POISSON and not adaptive and z[k] + c * xx > losses.LARGEST_LOG:
            return False
        slope[k] = g if adaptive else c
    one = len(params.several) == 0
    c, length = slope[0] if one else 1.0, slope[0] if one else h * length
    now.t += 1.0
    shrink(params.shrink, now, h * (params.rate if adaptive else rate))
    unit, over = 1.0 / now.scale, 1.0 / now.left
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        row, x = table[np.uintp(rows.features[at])], rows.values[at]
        if not adaptive:
            add_steps(params, row, c * unit, x, slope)
            continue
        g = length * x
        row[G] += g * g * over
        total = row[G] * now.left
        if params.rule == ADA:
            by = 1.0 if params.dual else -ada_rate(params, total)
        else:
            by = -params.rate * (1.0 / power_of(total, params.power_t)) if total > 0.0 else 0.0
        add_steps(params, row, by * unit, g if one else x, slope)
    return True


@inline(force=True)
def error_share(rate, h):
    """1 - (1 - rate)^h: the share of the error that h steps remove, each the share `rate`; if rate >= 1, `rate`."""
    return -math.expm1(h * math.log1p(-rate)) if rate < 1.0 else rate


@inline(force=True)
def power_of(x, power):
    """x^power, computed as a square root if power is 0.5."""
    return math.sqrt(x) if power == 0.5 else x**power


@inline(force=True)
def nag(params, state, pairs, scratch, rows, i, p, length):
    """The step of [NAG] Algorithm 2 with the importance weights of [IWA]; arguments as for `gradient`.

    Unless `before`, a round with slope 0 only forgets, as in VW. With weights in pairs t and N forget nothing.
    """
    table, now, h, y = state.table, state.now[0], rows.weight[i], rows.y[i]
    (feats, values), slope, work = entries(rows, i), scratch.slope, scratch.by_entry
    if length == 0.0 and not params.before:
        now.t *= params.retention
        now.N *= params.retention
        return True
    for k in range(len(feats)):
        gather(table, work, k, np.uintp(feats[k]), values[k], now.left)
    q, norm = nag_scales(params.power_t, work, values, h * length * length)
    left = 1.0 if len(pairs) > 0 else params.retention
    t, N = left * now.t + h, left * now.N + h * norm
    common = params.rate * power_of(t / N, 1.0 - params.power_t) if N > 0.0 else 0.0
    q *= common
    one = len(params.several) == 0
    c = -h * slope[0] if one else -h  # of several classes what slopes are multiplied with
    if params.invariant and h * q > 0.0:
        c = invariant_step(params.output.loss, params.several, p, y, slope, h * q) / q
    if not (h * q <= LIMIT * LIMIT and math.isfinite(c)):
        return False
    now.t, now.N = t, N
    if length != 0.0 and params.shrink > 0.0:
        shrink(params.shrink, now, -params.rate * c / slope[0])
    c, over = c * common, 1.0
    if params.lazy:
        c, over = c / now.scale, 1.0 / now.left
    chosen = choose(scratch.step_classes, slope, len(p), int(y)) if len(pairs) > 0 else 0
    for k in range(len(feats)):
        row, x = table[np.uintp(feats[k])], abs(values[k])
        if len(pairs) > 0 and x < MIN_WEIGHT:
            continue
        if x > row[S]:
            by = rescaling(params.power_t, row[S] / x)
            if len(pairs) > 0:
                scale_pairs(pairs, feats[k], 0, by)
            elif one:
                row[W] *= by
            else:
                for at in range(len(row) - classes_of(params), len(row)):
                    row[at] *= by
            row[S] = x
            row[INVERSE] = 1.0 / x
        row[G] = work[TOTAL, k] * over
        if len(pairs) == 0:
            add_steps(params, row, c, work[ALONG, k], slope)
        elif work[ALONG, k] != 0.0:
            add_to_pairs(pairs, feats[k], c * work[ALONG, k], scratch.step_classes[:chosen], slope, len(p))
    return True


@inline(force=True)
def invariant_step(loss, several, p, y, slope, T):
    """`losses.invariant_change` or, of `several` classes, `losses.softmax_invariant_change`: one is compiled."""
    if len(several) == 0:
        return losses.invariant_change(loss, p[0], y, T)
    return losses.softmax_invariant_change(p, int(y), slope, T)


@inline(force=True)
def choose(step_classes, slope, classes, y):
    """some <- the classes that take part in a step: y, and those whose slope is not `TINY`; returns how many."""
    count = 0
    for k in range(classes):
        if k == y or abs(slope[k]) >= TINY:
            step_classes[count] = k
            count += 1
    return count


@inline(force=True)
def gather(table, work, k, f, x, left):
    """work[SCALED, k] <- x/s and work[TOTAL, k] <- G of feature f, the row's entry k, of value x; left : now.left."""
    inverse = table[f, INVERSE]
    if abs(x) > table[f, S]:
        inverse = 1.0 / abs(x)
    work[SCALED, k] = inverse * x
    work[TOTAL, k] = table[f, G] * left


@inline(force=True)
def nag_scales(power_t, work, values, g2):
    """Scales of a row after a gradient of square g2; returns (x'R'x, |x/s|^2) with R'_j = 1/(s_j^(2-2p) G_j^p).

    values : float64[s], the row's, not modified
    work : float64[SCRATCH, at least s]; for each entry x/s (SCALED) and G (TOTAL), which gets the new one; R' x (ALONG)
    is filled in

    Roots and quotients have a loop of their own over contiguous memory, so that the compiler vectorises it.
    """
    q, norm = 0.0, 0.0
    for k in range(len(values)):
        x = values[k]
        work[TOTAL, k] += g2 * x * x
        root = math.sqrt(work[TOTAL, k])
        work[ALONG, k] = work[SCALED, k] / root if root > 0.0 else 0.0
    if power_t != 0.5:
        for k in range(len(values)):
            share = work[TOTAL, k] * (work[SCALED, k] / values[k]) ** 2 if values[k] != 0.0 else 0.0
            if share > 0.0:
                work[ALONG, k] *= share ** (0.5 - power_t)
    for k in range(len(values)):
        q += work[ALONG, k] * values[k]
        norm += work[SCALED, k] * work[SCALED, k]
    return q, norm


@inline(force=True)
def arow(params, state, work, rows, i, u, xx):
    """The step of [AROW] with a diagonal covariance 1/P; weight h replaces r by r/h. xx as for `step`.

    u : float, the raw prediction. In classification a row with a margin of 1 or more is not learned. The covariance
    S - S x x'S/(x'Sx + r) has the diagonal 1/(P + x^2/(r + x'Sx - S x^2)), computed without cancellation. The rule
    PRECISION uses P + x^2/r, which ignores the row's other features.
    """
    table, y, left = state.table, rows.y[i], state.now[0].left
    if params.output.loss.code != SQUARED and y * u >= 1.0:
        return True
    r, v, over = params.r / rows.weight[i], 0.0, 1.0 / left
    feats, values = entries(rows, i)
    for k in range(len(feats)):
        work[ALONG, k] = values[k] / (1.0 + table[np.uintp(feats[k]), G] * left)
        v += work[ALONG, k] * values[k]
    c = (y - u) / (v + r)
    if not (c * c * xx <= LIMIT * LIMIT and xx <= r * LIMIT * LIMIT):
        return False
    for k in range(len(feats)):
        row, x = table[np.uintp(feats[k])], values[k]
        row[W] += c * work[ALONG, k]
        others = max(0.0, v - work[ALONG, k] * x) if params.rule == AROW else 0.0
        row[G] += x * x / (r + others) * over
    return True


@inline(force=True)
def ftrl(params, state, rows, i, slope):
    """The step of [FTRL] Algorithm 1. slope : float, h l'."""
    table = state.table
    for at in range(rows.indptr[i], rows.indptr[i + 1]):
        f, g = rows.features[at], slope * rows.values[at]
        n = table[f, G]
        sigma = (math.sqrt(n + g * g) - math.sqrt(n)) / params.alpha
        table[f, W] += g - sigma * ftrl_weight(params, table[f, W], n)
        table[f, G] = n + g * g
    return True


@inline(force=True)
def coin(params, state, rows, i):
    """Coin betting as VW's --coin, which computes two predictions for a row.

    The reported prediction is w'x, with each weight as its feature's last row stored it. The slope is taken at another
    one: it bets with sizes and a mean squared norm that include this row. The row stores the weights of this bet, which
    do not include its own gradient.
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
    p = min(max(u, now.low), now.high) if params.labels else u
    slope = h * loss_slope(params.output.loss, min(max(p, params.output.low), params.output.high), rows.y[i])
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
