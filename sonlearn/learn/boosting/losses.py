"""What scores are to a loss: there is one score of values and of two classes, and one for each of several classes.

In `BoostState.scores` stand the scores themselves, or of several classes their softmax.
"""

import math

from sonlearn.data.linear_algebra import product, total_of
from sonlearn.jit import inline
from sonlearn.learn.boosting.bins import padded_scores, refit_rows, ring_of, slot_of
from sonlearn.learn.boosting.state import BASE, GRADIENT, HESSIAN, LABEL, NEXT, WEIGHT

#: Losses of values, of two classes with the labels -1 and +1, and of several classes, whose labels are numbers.
SQUARED, LOGISTIC, SOFTMAX = range(3)
#: Least hessian of a row, and of several classes the least probability while trees are grown.
MIN_HESSIAN, MIN_PROBABILITY = 1e-16, 1e-30


@inline(force=True)
def class_of(loss, y):
    """The score of which the label y tells."""
    return int(y) if loss == SOFTMAX else 0


@inline
def error_of(loss, z, classes, y):
    """Say how wrong scores z are: of classes 1 less the probability of the right one, of values the error.

    Of a class that is met for the first time 0.
    """
    if loss == SQUARED:
        return z[0] - y
    if loss == LOGISTIC:
        return 1.0 / (1.0 + math.exp(min(y * z[0], 700.0)))
    if y >= classes:
        return 0.0
    top, total = z[0], 0.0
    for c in range(classes):
        top = max(top, z[c])
    for c in range(classes):
        total += math.exp(z[c] - top)
    return 1.0 - math.exp(z[int(y)] - top) / total


@inline
def set_base_scores(loss, now, labels, base_scores, scores):
    """Scores of no tree, and with them those of the rows, whose bases they have besides.

    They are the mean of the labels; of two classes the log-odds of their shares; of several the logarithm of each one's
    weight and 1, so that a class without a row has 0.
    """
    n, known, ring, weight = refit_rows(now), now["refit_classes"], ring_of(now), 0.0
    row_stride = padded_scores(known)
    for c in range(known):
        base_scores[c, NEXT] = 0.0
    for i in range(n):
        y, h, base = labels[slot_of(ring, i)]
        weight += h
        c = class_of(loss, y)
        if loss == SQUARED:
            base_scores[c, NEXT] += h / weight * (y - base - base_scores[c, NEXT])
        else:
            base_scores[c, NEXT] += h if loss == SOFTMAX or y > 0.0 else 0.0
    for c in range(row_stride):
        scores[c] = 0.0
        if c < known:
            base_scores[c, NEXT], scores[c] = base_score_of(loss, base_scores[c, NEXT], weight, known)
    for i in range(1, n):
        for c in range(row_stride):
            scores[i * row_stride + c] = scores[c]
    for i in range(0 if loss == SOFTMAX else n):
        scores[i] += labels[slot_of(ring, i), BASE]


@inline(force=True)
def base_score_of(loss, total, weight, known):
    """(score, what stands in `BoostState.scores`) of no tree: `total` is the mean, or the weight of the class."""
    if loss == SOFTMAX:
        return math.log(total + 1.0), (total + 1.0) / (weight + known)
    start = math.log((total + 1.0) / (max(weight - total, 0.0) + 1.0)) if loss == LOGISTIC else total
    return start, start


@inline(force=True)
def grad_hess_of(loss, several, labels, scores, i, slot, row_stride, signs):
    """(gradient, hessian) of row i of the refit for one number that is added to its scores, or taken, by their signs.

    Of a value's score z they are z - y and 1, of two classes of probability p p - [y > 0] and p (1 - p). Of softmax,
    with probabilities p, e = p but less 1 for the own class, and signs s, they are s'e and 1 - (s'p)^2. All of them
    times the importance of the row.
    """
    y, h, z = labels[slot, LABEL], labels[slot, WEIGHT], scores[i * row_stride]
    if len(several) > 0:
        mean = product(scores[i * row_stride : (i + 1) * row_stride], signs, row_stride)
        return h * (mean - signs[int(y)]), h * max(1.0 - mean * mean, MIN_HESSIAN)
    if loss == SQUARED:
        return h * (z - y), h
    e = math.exp(-abs(z))
    p = 1.0 / (1.0 + e) if z > 0.0 else e / (1.0 + e)
    return h * (p - (1.0 if y > 0.0 else 0.0)), h * max(e / ((1.0 + e) * (1.0 + e)), MIN_HESSIAN)


@inline(force=True)
def add_grad_hess(labels, scores, i, slot, row_stride, by_leaf, k):
    """Add to leaf k, of each of several classes of probability p, the gradient and the hessian p (1 - p) of row i."""
    gradients, hessians, h = by_leaf[GRADIENT, k], by_leaf[HESSIAN, k], labels[slot, WEIGHT]
    p = scores[i * row_stride : (i + 1) * row_stride]
    for c in range(row_stride):
        gradients[c] += h * p[c]
        hessians[c] += h * max(p[c] * (1.0 - p[c]), MIN_HESSIAN)
    gradients[int(labels[slot, LABEL])] -= h


@inline(force=True)
def leaf_update_of(several, value):
    """Return what `update_scores` takes for a leaf's value."""
    return math.exp(value) if len(several) > 0 else value


@inline(force=True)
def update_scores(several, scores, i, row_stride, by):
    """Add a leaf's values to the scores of row i; of several classes probabilities become proportional to p by."""
    if len(several) == 0:
        scores[i * row_stride] += by[0]
        return
    p = scores[i * row_stride : (i + 1) * row_stride]
    for c in range(row_stride):
        p[c] = max(p[c] * by[c], MIN_PROBABILITY)
    scale = 1.0 / total_of(p, row_stride)
    for c in range(row_stride):
        p[c] *= scale
