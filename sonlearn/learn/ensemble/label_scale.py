"""Labels and weights in another unit; labels of classes are as they are, values in standard deviations from their mean.

A learner of a committee must not care whether labels are 0.001 or a million apart, or far from 0. With the mean m, the
standard deviation s and the smallest and largest of the labels before a row, members and combiner learn y' = (y - m)/s,
within +-LABEL_OUTLIER, where s counts this label in, and what they predict, z, means m + s z, within the labels seen
and as near. While all labels are equal, y' = 0. Importance weights count in m and s as often as the row; rows that are
not learned from do not count. VW's base is taken off the label and added to the prediction.

An end of the range where labels crowd is a bound (no sales, full marks). One that few have come near will be passed: a
member that follows a line, and the combination, may go beyond it by up to a standard deviation (`margin`).

A single label out of all proportion must not change the unit of all others. After LABELS_FIRST rows a label counts in m
and s as one that is LABEL_OUTLIER standard deviations from the mean at most; so a unit grows by steps where labels do.
Members that follow a line learn it as it is, with an importance that is less by the same factor: where numbers far out
explain it, a label that counted as less would bend the line. What they say of such rows, and the combiner, which cuts
slopes of large errors, may go as far as the square root of the weight of all labels, beyond which none is in the
standard deviation of so many. So do trees, which keep rows: as y' the labels of the first, whose m and s were of few,
would be noise beside later ones.

Poisson regression predicts a logarithm: of the value, at least `MIN_COUNT_SHARE` of the mean.

Importance weights are taken in a unit of their own as well, the mean of those so far. They say how rows count beside
each other, and in what unit they come is nobody's concern: a weight of people that a row stands for is a million, a
share of them a millionth. Members and combiner have priors and first steps that are made for rows that count about
once, so a row of the mean weight is one example, one of a hundred times that a hundred.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.rows import Rows
from sonlearn.jit import inline, jit
from sonlearn.learn.losses import HUBER, POISSON, exp
from sonlearn.views.codes import update_moments, varies

#: Inputs of the combiner are within this for a class.
CLIP = 6.0
#: Labels further from the mean, in standard deviations, count as this far, once labels of so much weight have come.
LABEL_OUTLIER, LABELS_FIRST = 16.0, 10.0
#: A label counts as near an end of the range by exp(-EDGE gap/s). Beyond an end with FEW_LABELS or fewer so near there
#: may be others, once labels of so much weight have come.
EDGE, FEW_LABELS, MARGIN_FIRST = 8.0, 2.0, 50.0
#: Share of the mean that is the least count that poisson regression expects.
MIN_COUNT_SHARE = 0.02
#: Counts for a base end here.
MAX_BASE = 1e50
#: A weight that is not 0 stays so, however small it is beside the mean.
LEAST_WEIGHT = 1e-50


class LabelState(NamedTuple):
    """Statistics of the labels learned from; those of classes stay 0."""

    moments: np.ndarray  # float64[3]: weight, mean, M2
    range: np.ndarray  # float64[2]: the smallest and the largest
    near: np.ndarray  # float64[2]: how many are near the smallest, and the largest


class LabelScale(NamedTuple):
    """How labels and predictions of rows are read, float64[n] each."""

    mean: np.ndarray  # the label that 0 means
    unit: np.ndarray  # what 1 more means
    low: np.ndarray  # what is predicted is not less than this,
    high: np.ndarray  # and not more
    least: np.ndarray  # the same with the margin
    most: np.ndarray
    par: np.ndarray  # parameter of the loss in this unit
    label: np.ndarray  # labels in their own unit, less their bases
    weight: np.ndarray  # importance of those, less for outliers
    of_line: np.ndarray  # the same to least squares: 0 without a constant, as their mean has no weight
    near: np.ndarray  # labels as the other members learn them; values within +-LABEL_OUTLIER
    base: np.ndarray  # what is added to predictions
    # int64[n] each
    met: np.ndarray  # scores that there are; of several classes one for each that had been met
    # of several classes, what there was before each row: classes met or named; classes met once; rows learned
    named: np.ndarray
    once: np.ndarray
    rows: np.ndarray


def new_scale(rows: Rows) -> LabelScale:
    """Of rows of one score each and these bases; all else is 0."""
    n = len(rows.y)
    return LabelScale(*np.zeros((11, n)), rows.base, np.ones(n, np.int64), *np.zeros((3, n), np.int64))


def merge_labels(states: Sequence[LabelState], base: LabelState) -> LabelState:
    """Moments and range of the labels of all; near its ends are those near an end of each, as far as that is near."""
    every = [each for each in (base, *states) if each.moments[0] > 0.0] or [base]
    moments = merging.moments(base.moments, [each.moments for each in states])
    ends = np.array([min(each.range[0] for each in every), max(each.range[1] for each in every)])
    merged = LabelState(moments, ends, base.near.copy())
    if unit := unit_of(merged):
        own, *each = (state.near * np.exp(-EDGE * np.abs(state.range - ends) / unit) for state in (base, *states))
        merged.near[:] = np.maximum(merging.summed(own, each, np.ones(len(each))), 0.0)
    return merged


@jit
def scale_rows(loss, state, rows, scale, learn, beyond, out):
    """Fill `scale` and the labels `out` (float64[n]); take the labels in where a row is learned from.

    `beyond`: 1, or 0 where nothing is predicted beyond the labels (`--clip labels`).
    """
    for i in range(len(rows.y)):
        unit, mean = unit_of(state), state.moments[1]
        far = max(LABEL_OUTLIER, math.sqrt(state.moments[0]))
        scale.mean[i], scale.unit[i], scale.par[i] = mean, unit, loss.par
        if unit > 0.0:
            scale.low[i] = max((state.range[0] - mean) / unit, -far)
            scale.high[i] = min((state.range[1] - mean) / unit, far)
        scale.least[i] = scale.low[i] - beyond * margin(state, 0)
        scale.most[i] = scale.high[i] + beyond * margin(state, 1)
        y, h = rows.y[i] - rows.base[i], rows.weight[i]  # less what the base says already
        if loss.code == POISSON:  # of a count, what is left to multiply exp(base) with
            y, scale.par[i] = min(rows.y[i] * exp(-rows.base[i]), MAX_BASE), least_count(state)
        if learn and h > 0.0 and not math.isnan(y):
            take_label(state, y, h)
            unit = unit_of(state)
        off = (y - mean) / unit if unit > 0.0 else 0.0
        out[i] = y if math.isnan(y) else min(max(off, -far), far)
        scale.near[i] = y if math.isnan(y) else min(max(off, -LABEL_OUTLIER), LABEL_OUTLIER)
        scale.label[i] = y
        scale.weight[i] = h * scale.near[i] / off if abs(off) > LABEL_OUTLIER else h
        scale.of_line[i] = scale.weight[i] if has_constant(rows, i) else 0.0
        if loss.code == HUBER:
            scale.par[i] = loss.par / unit if unit > 0.0 else 1.0


@jit
def unscale_rows(code, classes, scale, z, out):
    """out[i, 0] <- the prediction of the loss `code` for z[i, 0], the combiner's."""
    for i in range(len(out)):
        value = z[i, 0]
        if not classes:
            value = scale.mean[i] + scale.unit[i] * min(max(value, scale.least[i]), scale.most[i])
        if code == POISSON:
            value = math.log(max(value, scale.par[i]))
        out[i, 0] = value + scale.base[i]


@inline
def has_constant(rows, i):
    """Return whether row i has the constant, which most readers put last."""
    at = rows.indptr[i + 1] - 1
    while at >= rows.indptr[i] and rows.features[at] != rows.constant:
        at -= 1
    return at >= rows.indptr[i]


@inline
def unit_of(state):
    """Standard deviation of the labels; 0 while all are equal."""
    moments = state.moments
    return math.sqrt(moments[2] / moments[0]) if varies(moments) else 0.0


@inline
def margin(state, end):
    """Return how far beyond an end of the range a prediction may go, in standard deviations."""
    if state.moments[0] < MARGIN_FIRST:
        return 0.0
    return (FEW_LABELS / max(state.near[end], FEW_LABELS)) ** 2


@inline
def take_label(state, y, h):
    """Count a label in."""
    first, unit = state.moments[0] == 0.0, unit_of(state)
    for end in range(2):
        beyond = y - state.range[1] if end else state.range[0] - y
        if unit > 0.0:
            near = math.exp(-EDGE * abs(beyond) / unit)
            state.near[end] = near * state.near[end] + h if beyond > 0.0 else state.near[end] + near * h
        if first or beyond > 0.0:
            state.range[end] = y
    if state.moments[0] >= LABELS_FIRST and unit > 0.0:
        mean = state.moments[1]
        y = min(max(y, mean - LABEL_OUTLIER * unit), mean + LABEL_OUTLIER * unit)
    update_moments(y, h, state.moments)


@inline
def least_count(state):
    """Least count expected: a share of the mean, with one more row of a count of 1; 1 before there is a row."""
    weight, mean = state.moments[0], state.moments[1]
    return MIN_COUNT_SHARE * (mean * weight + 1.0) / (weight + 1.0) if weight > 0.0 else 1.0


def relative_weights(now: np.ndarray, weight: np.ndarray, y: np.ndarray, learn: bool = True) -> np.ndarray:
    """float64[n]: h/M for importance weights h in the order of the stream, M their running mean, this one included.

    All weights times a power of two give the same bits; where all weights are 1, so they stay. A row that is only
    predicted gets what it would get if it were learned from next.

    Parameters
    ----------
    now : structured [1], with fields `weighted` and `weight`
        Rows that were learned from, and the sum of their weights; with `learn` changed in place.
    weight, y : float64[n]
        A row of weight 0 or without a label (NaN) is not learned from.
    learn : bool
        Whether the others are.
    """
    out = np.empty(len(weight))
    divide(now, weight, y, learn, out)
    return out


@jit
def divide(now, weight, y, learn, out):
    """out[i] <- h_i/M; counts the rows that are learned from. Arguments as of `relative_weights`; `out` is filled."""
    for i in range(len(weight)):
        out[i] = weight[i]
        if not weight[i] > 0.0:
            continue
        rows, total = now[0]["weighted"] + 1, now[0]["weight"] + weight[i]
        out[i] = max(weight[i] / (total / rows), LEAST_WEIGHT)
        if learn and y[i] == y[i]:
            now[0]["weighted"], now[0]["weight"] = rows, total
