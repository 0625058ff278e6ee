"""How well scores rank two classes: a histogram of scores in constant memory, and what follows from it.

A score is any number that is larger where the class +1 is likelier. The bins are the floating-point numbers with the
same sign, exponent and leading `DIGITS` bits of the mantissa, so a bin is at most 2^-DIGITS of its scores wide whatever
their scale, and nothing has to be known of the scores beforehand. Scores below `SMALLEST` in size share one bin, those
from `LARGEST` on the outermost two. A histogram depends neither on the order of the rows nor on where batches end, and
two of them are merged by adding them.

Scores in one bin are taken for equal. What that can change is known: every figure comes with a bound of its error,

- area under the ROC curve: half the weight of the pairs (one of each class) that share a bin, over that of all pairs;
- average precision: in each bin the positives may come first or last;
- best F1: a threshold within a bin finds at most all positives of the bin, and none of its negatives.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sonlearn.data.arrays import plain
from sonlearn.jit import jit

#: Leading bits of the mantissa that tell bins apart.
DIGITS = 10
_LOWEST, _HIGHEST = -20, 12
SMALLEST, LARGEST = 2.0**_LOWEST, 2.0**_HIGHEST
_SHIFT = 52 - DIGITS
_MAGNITUDE = 0x7FFF_FFFF_FFFF_FFFF
_FIRST = (1023 + _LOWEST) << DIGITS
#: Bins of the positive scores, of the negative ones as many, and one between them.
_HALF = ((_HIGHEST - _LOWEST) << DIGITS) + 1
BINS = 2 * _HALF + 1


def bins_of(scores: np.ndarray) -> np.ndarray:
    """int64[n] from 0 to BINS - 1: bins of the finite scores float64[n], in the order of the scores."""
    bits = np.ascontiguousarray(scores, dtype=np.float64).view(np.int64)
    size = np.clip(((bits & _MAGNITUDE) >> _SHIFT) - _FIRST + 1, 0, _HALF)
    return np.asarray(_HALF + np.where(bits < 0, -size, size))


def threshold_below(bin_: int) -> float:
    """The threshold above which exactly the scores of `bin_` and of the bins after it lie; -inf for the first bin."""
    if bin_ <= 0:
        return -math.inf
    size = bin_ - _HALF
    if size > 0:
        return float(np.nextafter(_edge(size), -np.inf))
    return -_edge(1 - size)


def _edge(size: int) -> float:
    """The least number of the `size`-th bin of positive scores, from 1 on."""
    return float(np.array([(size - 1 + _FIRST) << _SHIFT], dtype=np.int64).view(np.float64)[0])


@jit
def count(weights, bits, positive, weight) -> None:
    """Add n examples to the histogram float64[3, BINS], which is modified, one by one.

    bits : int64[n], of the scores; positive : bool[n]; weight : float64[n]; not modified. The bins are `bins_of`'s.
    """
    for i in range(len(bits)):
        size = min(max(((bits[i] & _MAGNITUDE) >> _SHIFT) - _FIRST + 1, 0), _HALF)
        at = _HALF - size if bits[i] < 0 else _HALF + size
        weights[int(positive[i]), at] += weight[i]
        if positive[i]:
            weights[2, at] += 1.0


class Bounded(NamedTuple):
    """A figure, and a bound of its error: the exact one is no further away."""

    value: float
    error: float


class Cut(NamedTuple):
    """What a threshold does: weights of the examples above it, by class.

    Attributes
    ----------
    threshold : float
        Scores above it are of the class +1.
    found : float
        Weight of the positive examples above it.
    false : float
        Weight of the negative examples above it.
    positives, negatives : float
        Weight of all examples of the class.
    """

    threshold: float
    found: float
    false: float
    positives: float
    negatives: float

    @property
    def precision(self) -> float:
        """Share of the positive examples among those above the threshold; 0 where there are none."""
        return self.found / (self.found + self.false) if self.found + self.false > 0 else 0.0

    @property
    def recall(self) -> float:
        """Share of the positive examples that are above the threshold; 0 where there are none."""
        return self.found / self.positives if self.positives > 0 else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.found / (self.positives + self.found + self.false) if self.found > 0 else 0.0

    @property
    def false_share(self) -> float:
        """Share of the negative examples that are above the threshold; 0 where there are none."""
        return self.false / self.negatives if self.negatives > 0 else 0.0


class ScoreHistogram:
    """Weights of the examples of two classes by their scores.

    Attributes
    ----------
    weights : float64[3, BINS]
        Summed importance weights of the class -1 and of the class +1, and how many examples of the class +1 there are.
        1.6 MB, of which the system lends the pages that are used.
    """

    def __init__(self) -> None:
        self.weights = np.zeros((3, BINS))

    def add(self, scores: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> None:
        """Add n examples, one by one: finite scores float64[n], bool[n], weights float64[n] > 0."""
        count(self.weights, plain(scores).view(np.int64), plain(positive, np.bool_), plain(weight))

    def merge(self, other: ScoreHistogram) -> None:
        """Add the examples of another histogram."""
        self.weights += other.weights

    def used(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(bins int64[k] that are not empty, ascending; weights float64[k] of their negatives, of their positives)."""
        bins = np.flatnonzero(self.weights[0] + self.weights[1])
        return bins, self.weights[0, bins], self.weights[1, bins]

    def totals(self) -> tuple[float, float]:
        """(weight of the negatives, weight of the positives)."""
        _, negatives, positives = self.used()
        return float(negatives.sum()), float(positives.sum())

    def auc(self) -> Bounded | None:
        """Area under the ROC curve: how probably a positive example has a larger score than a negative one.

        None while there are not both. Ties count half (Hanley and McNeil, Radiology 143, 1982).
        """
        _, n, p = self.used()
        pairs = n.sum() * p.sum()
        if not pairs > 0:
            return None
        below, tied = np.cumsum(n) - n, 0.5 * float(p @ n)
        return Bounded((float(p @ below) + tied) / float(pairs), tied / float(pairs))

    def average_precision(self) -> Bounded | None:
        """Sum over the thresholds of the precision times the recall gained there (scikit-learn's definition).

        None while there is no positive example.
        """
        bins, n, p = (part[::-1] for part in self.used())
        total = float(p.sum())
        if not total > 0:
            return None
        above, chosen = np.cumsum(n) - n, p > 0  # negatives above the bin; bins with positives
        several = self.weights[2, bins[chosen]] > 1
        n, p, above = n[chosen], p[chosen], above[chosen]
        found, others = np.cumsum(p) - p, above + n
        value = p * (found + p) / (found + p + others)
        first = p * (found + p) / (found + p + above)  # all positives of the bin before all of its negatives
        # The other way round, one by one: a sum over the steps of a function that grows, so at least its integral.
        ratio = np.where(found + others > 0, (found + others + p) / np.where(found + others > 0, found + others, 1), 1)
        last = np.where(several, p - others * np.log(ratio), value)
        error = max(float((first - value).sum()), float((value - last).sum()), 0.0)
        return Bounded(float(value.sum()) / total, error / total)

    def cut(self, threshold: float) -> Cut:
        """What `threshold`, taken down to the edge of its bin, does."""
        bins, n, p = self.used()
        first = int(bins_of(np.array([np.nextafter(threshold, np.inf)]))[0])
        above = bins >= first
        return Cut(threshold_below(first), *(float(part.sum()) for part in (p[above], n[above], p, n)))

    def cuts(self) -> list[Cut]:
        """What the threshold below each bin that is not empty does, from the highest to the lowest."""
        bins, n, p = self.used()
        found, false = np.cumsum(p[::-1]).tolist(), np.cumsum(n[::-1]).tolist()
        total = (float(p.sum()), float(n.sum()))
        return [
            Cut(threshold_below(int(bin_)), a, b, *total)
            for bin_, a, b in zip(bins[::-1].tolist(), found, false, strict=True)
        ]

    def at_false_share(self, most: float) -> Cut | None:
        """The lowest threshold above which at most that share of the negatives lies; None while there is none."""
        bins, n, p = (part[::-1] for part in self.used())
        total = float(n.sum())
        if not total > 0:
            return None
        found, false = np.cumsum(p), np.cumsum(n)
        at = int(np.count_nonzero(false <= most * total)) - 1
        if at < 0:  # the highest bin has more negatives than that
            return Cut(threshold_below(int(bins[0]) + 1), 0.0, 0.0, float(p.sum()), total)
        return Cut(threshold_below(int(bins[at])), float(found[at]), float(false[at]), float(p.sum()), total)

    def best_f1(self) -> tuple[Cut, float] | None:
        """(the threshold of the largest F1, a bound of how much larger another's could be).

        Of equal ones the highest. None while there is no positive example.
        """
        bins, n, p = (part[::-1] for part in self.used())
        total = float(p.sum())
        if not total > 0:
            return None
        found, false = np.cumsum(p), np.cumsum(n)
        f1 = 2 * found / (total + found + false)
        at = int(np.argmax(f1))
        most = float((2 * found / (total + found + false - n)).max())
        cut = Cut(threshold_below(int(bins[at])), float(found[at]), float(false[at]), total, float(n.sum()))
        return cut, max(most - float(f1[at]), 0.0)
