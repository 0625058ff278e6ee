"""The combiner: weights of the members' predictions, learned by a full online Newton step.

``min_w sum_t h_t l(w'v_t, y_t) + |L_0 (w - w_0)|^2 / 2`` online, v_t what the k members predict of row t: FULL-ON of
[SON] equation 1-2 with d = k and the curvature H_t of the loss in place of squared gradients,

    A <- A + h H_t,    w <- w - h A^-1 g_t

A step is that of a loss of one score, values or two classes, which stands at the end; or of softmax over the scores of
several classes (`slots`). All else does not depend on the loss.

A_0 is diagonal: the prior precision of each weight. There may be several sets of weights of different precision; a
member may ask for a higher one (`Member.precision`).

Members learn at different speeds and streams drift, so A forgets: after PERIOD rows it is r A + (1 - r) A_0 with the
retention r = RETENTION, a window of about 5,000 rows. A is a sum of positive terms, nothing is subtracted, so that it
stays positive definite however long the stream.

The step of one score: with c_t = p (1 - p) for logistic loss, at least MIN_CURVATURE; 2 for squared; for others see
`value_slope_curvature`, a row of label y and weight h whose inputs are v gives

    A <- A + h c_t v v',    w <- w - h l'(w'v, y) A^-1 v

Losses of classes have two sets of weights (prior precision 2 and 100, `PRIOR_PRECISION`), and the output is their Bayes
mixture [Vovk 1990]: probabilities are averaged with shares exp(-loss so far). The set of low precision learns fast; the
other is right where there are few rows. Losses of values have one set (`prior_for`).

Squared loss is divided by the mean squared error so far, that of the rows before, if that is below 1: so rows count as
their noise says they should, beside the prior and beside rows of the time when members still knew little (weighted
least squares). It would follow a single label out of all proportion. So an error beyond ERROR_OUTLIER times the root of
that mean counts in proportion only, as in Huber's loss: its slope is cut there, and its curvature likewise, as in
iteratively reweighted least squares.

P = A^-1 follows A by the formula of Sherman and Morrison in O(k^2), and is computed anew from A, by its Cholesky
factor, every PERIOD rows, so that rounding does not add up. With logistic loss w'v is a log-odds, and probabilities
come with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.linear_algebra import add_scaled, clear_first, dot, factorise, mirror, solve_lower, solve_upper
from sonlearn.data.rows import is_learned
from sonlearn.jit import inline, jit
from sonlearn.learn import losses
from sonlearn.learn.losses import LOGISTIC, SQUARED, Loss, loss_slope, loss_value
from sonlearn.options.members import Member

#: After PERIOD rows A keeps this share of itself.
PERIOD = 64
RETENTION = 0.9998**PERIOD
#: Rows that all of the past counts as, for members that have learned it several times (`discount`).
BEFORE = 60


class Combiner(NamedTuple):
    """State of the combiner of k members: E sets of their weights."""

    w: np.ndarray  # float64[E, k]
    A: np.ndarray  # float64[E, k, k]; symmetric
    P: np.ndarray  # float64[E, k, k]; its inverse, as steps on one score keep it
    prior: np.ndarray  # float64[E, k]; the diagonal of A_0
    loss: np.ndarray  # float64[E]; sum of h * loss of each set's predictions, where there are several sets
    recent: np.ndarray  # float64[E, 2]; sums of h and h * loss that fade as A does; of squared loss outliers cut
    rows: np.ndarray  # int64[1]; learned from
    retention: np.ndarray  # float64[1]; what is left of A after PERIOD rows, at most
    left: np.ndarray  # float64[E]; logarithm of what is left in A of the first rows
    mean: np.ndarray  # float64[E]; of several classes the mean loss when A last faded


def new_combiner(members: Iterable[Member], precision: tuple[float, ...], decay: float = 0.0) -> Combiner:
    """A combiner that begins with the members' weights, of a prior `precision` for each set, or the member's own.

    It forgets the share `decay` with each row, and no less than RETENTION says in PERIOD.
    """
    members = tuple(members)
    w, own = (np.array([getattr(m, name) for m in members], dtype=np.float64) for name in ("weight", "precision"))
    E = len(precision)
    prior = np.maximum(np.array(precision)[:, None], own)
    A, P = (diagonal[:, :, None] * np.eye(len(w)) for diagonal in (prior, 1.0 / prior))
    retention = np.array([min(RETENTION, (1.0 - decay) ** PERIOD)])
    return Combiner(
        np.tile(w, (E, 1)), A, P, prior, np.zeros(E), np.zeros((E, 2)), np.zeros(1, np.int64), retention,
        left=np.zeros(E), mean=np.zeros(E),
    )  # fmt: skip


def reset_inputs(combiner: Combiner, members: list[int]) -> Combiner:
    """The combiner as if `members` had never predicted: their weight 0, their part of A apart from the others'."""
    w, A = combiner.w.copy(), combiner.A.copy()
    w[:, members] = A[:, members] = A[:, :, members] = 0.0
    A[:, members, members] = combiner.prior[:, members]
    return combiner._replace(w=w, A=A, P=_inverse(A))


def discount(combiner: Combiner) -> None:
    """Let what has been learned count as BEFORE rows from here on: of members that have changed in further passes."""
    rows = min(int(combiner.rows[0]), PERIOD / (1.0 - combiner.retention[0]))  # no more than it remembers
    share = min(1.0, BEFORE / max(rows, 1.0))
    for array in (combiner.A, combiner.loss, combiner.recent):
        array *= share
    combiner.A[:] += (1.0 - share) * (combiner.prior[:, :, None] * np.eye(combiner.w.shape[1]))
    combiner.P[:] = _inverse(combiner.A)


def _inverse(A: np.ndarray) -> np.ndarray:
    """float64[E, k, k]: P, symmetric to the last bit."""
    P = np.linalg.inv(A)
    return np.asarray((P + P.swapaxes(1, 2)) / 2.0)


def conditioned(combiner: Combiner, gone: list[int]) -> Combiner:
    """The combiner where the weights of the members `gone` are 0, and the others' what A says they are then."""
    if not combiner.w.shape[1]:
        return combiner
    rest, w = np.setdiff1d(np.arange(combiner.w.shape[1]), gone), combiner.w.copy()
    for e, A in enumerate(combiner.A):
        w[e, rest] += np.linalg.solve(A[np.ix_(rest, rest)], A[np.ix_(rest, gone)] @ w[e, gone])
    return reset_inputs(combiner._replace(w=w), gone)


def weights_of(combiner: Combiner) -> np.ndarray:
    """float64[k]: the members' weights, averaged over the sets as their predictions are."""
    share = np.exp(combiner.loss.min() - combiner.loss)
    return share @ combiner.w / share.sum()


def select_inputs(combiner: Combiner, at: Sequence[int]) -> Combiner:
    """The combiner of the inputs `at` alone, if no others have ever been other than 0: itself if those are all.

    What all inputs share is in the same memory; `copy_inputs` takes the rest back.
    """
    if len(at) == combiner.w.shape[1]:
        return combiner
    square = np.ix_(range(len(combiner.w)), at, at)
    w, prior = (np.ascontiguousarray(array[:, at]) for array in (combiner.w, combiner.prior))
    return combiner._replace(w=w, A=combiner.A[square], P=combiner.P[square], prior=prior)


@inline
def fade(combiner, e, retention):
    """A <- r A + (1 - r) diag(prior), r the retention, of one set of weights; what is recent of its loss fades, too."""
    A = combiner.A[e]
    for i in range(len(A)):
        for j in range(len(A)):
            A[i, j] *= retention
        A[i, i] += (1.0 - retention) * combiner.prior[e, i]
    combiner.recent[e, 0] *= retention
    combiner.recent[e, 1] *= retention
    combiner.left[e] += math.log(retention)


@jit
def copy_inputs(own, combiner, at):
    """The inputs `at` (int64[m]) of a combiner <- the first m of another one, `own`; what all inputs share stays.

    own, combiner : (w, A, P) of each, the first fields of `Combiner`
    """
    (w, A, P), (to_w, to_A, to_P) = own, combiner
    for e in range(len(w)):
        for i in range(len(at)):
            to_w[e, at[i]] = w[e, i]
            for j in range(len(at)):
                to_A[e, at[i], at[j]] = A[e, i, j]
                to_P[e, at[i], at[j]] = P[e, i, j]


def merge_combiners(combiners: Sequence[Combiner], base: Combiner, gone: Sequence[list[int]]) -> Combiner:
    """Combiners as Gaussians: what each has added to A adds up, and A (w - w_base) is the sum of A_g (w_g - w_base).

    As of one run, what the earlier learners have added fades by as much as the later ones forget.

    Parameters
    ----------
    base : with which all began
    gone : of each combiner the inputs that were pruned; those that all lack have no weight
    """
    out = sorted(set.intersection(*map(set, gone)))
    base, rows = conditioned(base, out), [int(each.rows[0]) for each in combiners]
    fading = [float(each.left[0] - base.left[0]) for each in combiners]
    by = merging.shares(fading, math.e)
    E, k = base.w.shape
    A, moved = np.zeros((E, k, k)), np.zeros((E, k))
    prior = base.prior[:, :, None] * np.eye(k)
    for share, faded, each, pruned in zip(by, fading, combiners, gone, strict=True):
        own = conditioned(base, pruned)
        gained = _positive((each.A - prior) - math.exp(faded) * (own.A - prior))
        A += share * gained
        moved += share * np.einsum("eij,ej->ei", each.A, each.w - own.w)
    A += prior + math.exp(sum(fading)) * (base.A - prior)
    w = base.w + np.linalg.solve(A, moved[:, :, None])[:, :, 0] if k else base.w.copy()
    found = Combiner(
        w, (A + A.swapaxes(1, 2)) / 2.0, base.P, base.prior.copy(),
        merging.summed(base.loss, [each.loss for each in combiners], np.ones(len(rows))),
        np.maximum(merging.summed(base.recent, [each.recent for each in combiners], by), 0.0),
        base.rows + int(sum(rows) - base.rows[0] * len(rows)), base.retention.copy(),
        left=base.left + sum(fading), mean=combiners[-1].mean.copy(),
    )  # fmt: skip
    return reset_inputs(found, out)


def _positive(A: np.ndarray) -> np.ndarray:
    """A without what rounding has left below 0."""
    lam, U = np.linalg.eigh((A + A.swapaxes(-1, -2)) / 2.0)
    positive: np.ndarray = (U * np.maximum(lam, 0.0)[..., None, :]) @ U.swapaxes(-1, -2)
    return positive


# ----------------------------------------------------------------------------------- the step of one score


#: Least curvature of logistic loss, and of softmax what the two best classes count together: a row that is sure still
#: counts a little, or A would never forget the first ones.
MIN_CURVATURE = 1e-4
#: A_0 of each of the learners, as a multiple of I.
PRIOR_PRECISION = (2.0, 100.0)
#: The same where values are predicted, in standard deviations, for each unit of the loss's curvature.
VALUES_PRECISION = 10.0
#: Errors below this, in standard deviations, count as this where a quantile's curvature is asked for.
MIN_QUANTILE_ERROR = 0.1
#: Squared loss: errors beyond this multiple of the root mean squared error count in proportion, after ERRORS_FIRST
#: rows.
ERROR_OUTLIER, ERRORS_FIRST = 8.0, 10.0
#: A mean squared error below this counts as this: rows that were predicted nearly exactly may not outweigh all that
#: come after a change.
MIN_ERROR = 0.01
#: Log-odds of one learner beyond this are this; those of the mixture: no probability is nearer to 0 or 1 than 1e-12.
MAX_LOG_ODDS, MAX_MIXTURE_LOG_ODDS = 30.0, 27.6


def prior_for(loss: Loss) -> tuple[float, ...]:
    """Prior precision of the learners for a loss."""
    if loss.code in (LOGISTIC, losses.HINGE, losses.SQUARED_HINGE):
        return PRIOR_PRECISION
    return (VALUES_PRECISION * (2.0 if loss.code == SQUARED else 1.0),)


@jit
def combine(loss, combiner, V, y, weight, learns, scratch, out):
    """out[i] <- the combination of v_i, and, where `learns` and the row has a label and a weight, a step.

    Parameters
    ----------
    loss : Loss, whose parameter is float64[n]: one for each row
    V : float64[n, k], NaN of a row that says nothing; y, weight, out : float64[n]; scratch : float64[k + 2, k]
    """
    E = len(combiner.w)
    for i in range(len(y)):
        z = averaged_score(loss, combiner, V, i)
        out[i] = min(max(z, -MAX_MIXTURE_LOG_ODDS), MAX_MIXTURE_LOG_ODDS) if loss.code == LOGISTIC else z
        if not (learns and is_learned(weight[i], y[i]) and z == z):
            continue
        combiner.rows[0] += 1
        for e in range(E):
            z = score(loss.code, combiner.w, e, V, i)
            value = take_step(Loss(loss.code, loss.par[i]), combiner, e, V, i, z, y[i], weight[i], scratch)
            combiner.loss[e] += weight[i] * value
            if combiner.rows[0] % PERIOD == 0:
                forget_past(combiner, e, scratch[2:])


@inline
def score(code, w, e, V, i):
    """w'v of learner e; code : of the loss."""
    z = dot(w[e], V[i], V.shape[1])
    return min(max(z, -MAX_LOG_ODDS), MAX_LOG_ODDS) if code == LOGISTIC else z


@inline
def averaged_score(loss, combiner, V, i):
    """The learners' scores, or with logistic loss their probabilities as log-odds, averaged."""
    E = len(combiner.loss)
    if E == 1:
        return score(loss.code, combiner.w, 0, V, i)
    least = math.inf
    for e in range(E):
        least = min(least, combiner.loss[e])
    above = below = 0.0
    for e in range(E):
        share = math.exp(least - combiner.loss[e]) if combiner.loss[e] > least else 1.0
        z = score(loss.code, combiner.w, e, V, i)
        if loss.code == LOGISTIC:  # of both classes, so that nothing cancels
            above += share / (1.0 + math.exp(-z))
            below += share / (1.0 + math.exp(z))
        else:
            above += share * z
            below += share
    if loss.code == LOGISTIC:
        return math.log(above / below)
    return above / below


@inline
def value_slope_curvature(loss, z, y):
    """The loss, its first derivative, and the second that the step goes by; of logistic loss with one exponential.

    Losses that grow in proportion with the error have no second one. In its place stands that of the parabola through
    the origin with the same slope, as in iteratively reweighted least squares: l'(e)/e, for quantiles at |e| >=
    MIN_QUANTILE_ERROR, where the slope is c e.
    """
    if loss.code == LOGISTIC:  # as `loss_value` and `loss_slope` have it, for a label of -1 or 1
        margin = y * z
        e = math.exp(-abs(margin))
        value, slope = math.log1p(e), -y * e / (1.0 + e)
        if not margin > 0.0:
            value, slope = value - margin, -y / (1.0 + e)
        return value, slope, max(e / ((1.0 + e) * (1.0 + e)), MIN_CURVATURE)
    value, e, c = loss_value(loss, z, y), z - y, 1.0
    if loss.code == SQUARED:
        c = 2.0
    elif loss.code == losses.ABSOLUTE:
        c = 1.0 / max(abs(e), MIN_QUANTILE_ERROR)
    elif loss.code == losses.QUANTILE:
        c = (1.0 - loss.par if e > 0.0 else loss.par) / max(abs(e), MIN_QUANTILE_ERROR)
    elif loss.code == losses.HUBER:
        c = min(1.0, loss.par / abs(e)) if e != 0.0 else 1.0
    else:
        return value, loss_slope(loss, z, y), c
    return value, c * e, c


@inline
def take_step(loss, combiner, e, V, row, z, y, h, scratch):
    """A <- A + h c v v' and w <- w - h l' A^-1 v for learner e, whose score was z, of a row of label y and weight h.

    Returns l(z, y).

    Parameters
    ----------
    combiner : Combiner, modified; V : float64[n, k], of which the `row`; scratch : float64[1 or more, k], overwritten
    """
    v, A, P, k, step = V[row], combiner.A[e], combiner.P[e], V.shape[1], scratch[0]
    value, slope, c = value_slope_curvature(loss, z, y)
    kept, recent = value, combiner.recent[e]
    if loss.code == SQUARED:
        share, worth = huber_weight(recent, abs(z - y)), noise_weight(recent)
        slope, c, kept = slope * share * worth, c * share * worth, (share * (z - y)) ** 2
    recent[0] += h
    recent[1] += h * kept
    c *= h
    clear_first(step, k)
    for i in range(k):
        add_scaled(step, v[i], P[i], k)
    length = dot(v, step, k)
    shrink = c / (1.0 + c * length)
    for i in range(k):
        add_scaled(A[i], c * v[i], v, k)
        add_scaled(P[i], -shrink * step[i], step, k)
    add_scaled(combiner.w[e], -h * slope / (1.0 + c * length), step, k)
    return value


@inline
def huber_weight(recent, error):
    """The share of an `error` (>= 0) that is no outlier beside those before it; recent : of a learner"""
    most = ERROR_OUTLIER * math.sqrt(recent[1] / recent[0]) if recent[0] >= ERRORS_FIRST else math.inf
    return most / error if error > most > 0.0 else 1.0


@inline
def noise_weight(recent):
    """Weight of rows as their noise has it, of squared loss; recent : of a learner"""
    mean = recent[1] / recent[0] if recent[0] >= ERRORS_FIRST else 1.0
    return 1.0 / min(max(mean, MIN_ERROR), 1.0)


@inline
def forget_past(combiner, e, scratch):
    """Learner e forgets (`fade`), and P <- A^-1 anew; scratch: float64[k or more, k], overwritten."""
    A, P, k, LT = combiner.A[e], combiner.P[e], len(combiner.A[e]), scratch
    fade(combiner, e, combiner.retention[0])
    factorise(A, 0.0, k, LT)
    for i in range(k):
        clear_first(P[i], k)
        P[i, i] = 1.0
        solve_lower(LT, k, P[i], P[i])
        solve_upper(LT, k, P[i], P[i])
    mirror(P, k)
