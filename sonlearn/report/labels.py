"""Labels in constant memory, and what is best said without looking at the rows."""

from __future__ import annotations

import math

import numpy as np

from sonlearn.data.arrays import plain
from sonlearn.jit import jit
from sonlearn.learn.links import linked
from sonlearn.options import LearnOptions

#: Where ``--binary`` is given, a wrong class is the loss.
ERRORS = "errors"


def as_reported(options: LearnOptions) -> tuple[str, float]:
    """(The loss that is reported, what a prediction that is said is above where it is of the class +1)."""
    return ERRORS if options.binary else options.loss, float(linked(options.link, np.zeros(1))[0])


def running(start: float, terms: np.ndarray | None, n: int = 0) -> np.ndarray:
    """float64[n + 1]: `start`, and the totals after each of the n `terms`, added one by one; None: they are all 0."""
    return np.full(n + 1, start) if terms is None else np.cumsum(np.concatenate(([start], terms)))


@jit
def add_labels(sums, y, weight, first) -> None:
    """Add labels float64[n] of weights float64[n] one by one. Sums are of labels less the `first` one, too: of labels
    far from 0 nothing cancels.

    sums : float64[6], modified: of h y, h, h of labels that are `first`, h of labels above 0, h (y - first), and
    h (y - first)^2
    """
    total, all_, own, above, shifted, squares = sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]
    for i in range(len(y)):
        h, distance = weight[i], y[i] - first
        total += h * y[i]
        all_ += h
        own += h if y[i] == first else 0.0
        above += h if y[i] > 0 else 0.0
        shifted += h * distance
        squares += h * distance * distance
    sums[0], sums[1], sums[2], sums[3], sums[4], sums[5] = total, all_, own, above, shifted, squares


class LabelStatistics:
    """Label statistics in constant memory: their sum, and what the best constant prediction needs."""

    def __init__(self) -> None:
        self.values: list[float] = []  # the first two distinct labels
        self.more = False  # whether there is a third one
        self._sums = np.zeros(6)

    @property
    def sum(self) -> float:
        """Sum of weight * label."""
        return float(self._sums[0])

    @property
    def weight(self) -> float:
        """Sum of the weights."""
        return float(self._sums[1])

    @property
    def positive_weight(self) -> float:
        """Sum of the weights of labels above 0."""
        return float(self._sums[3])

    def add(self, y: np.ndarray, weight: np.ndarray) -> None:
        """Add labels float64[n] (no NaN) of weights float64[n] > 0."""
        if not len(y):
            return
        while len(self.values) < 2 and len(new := y[~np.isin(y, self.values)]):
            self.values.append(float(new[0]))
        if not self.more:
            first, last = self.values[0], self.values[-1]
            self.more = not ((y == first) | (y == last)).all()
        add_labels(self._sums, plain(y), plain(weight), self.values[0])

    def best_constant(self, loss: str) -> tuple[float, float] | None:
        """(best constant prediction, its average loss), or None where constant memory cannot tell.

        As in VW, a single class under logistic loss gives -1 or +1 (the best constant would be infinite). The median
        that absolute loss asks for is known only while there are at most two different labels; quantiles and Huber's
        mean are not told, nor is the mean of counts that are all 0 (its logarithm is what poisson predicts).
        """
        if self.weight == 0:
            return None
        if loss == "squared":
            mean = float(self._sums[4]) / self.weight
            return self.values[0] + mean, max(0.0, float(self._sums[5]) / self.weight - mean * mean)
        if loss == "absolute":
            return None if self.more else self._median()
        if loss in ("quantile", "huber"):
            return None
        if loss == "poisson":
            mean = self.sum / self.weight
            return (math.log(mean), mean - mean * math.log(mean)) if mean > 0 else None
        positive = self.positive_weight / self.weight
        if loss == "squared_hinge":
            return 2 * positive - 1, 4 * positive * (1 - positive)
        if loss in ("hinge", ERRORS):
            return (1.0 if positive > 0.5 else -1.0), (2 if loss == "hinge" else 1) * min(positive, 1 - positive)
        if positive in (0.0, 1.0):
            return 2 * positive - 1, math.log1p(math.exp(-1))
        entropy = -positive * math.log(positive) - (1 - positive) * math.log1p(-positive)
        return math.log(positive / (1 - positive)), entropy

    def _median(self) -> tuple[float, float]:
        if len(self.values) == 1:
            return self.values[0], 0.0
        first_weight = float(self._sums[2])
        (low, low_weight), (high, high_weight) = sorted(
            zip(self.values, (first_weight, self.weight - first_weight), strict=True)
        )
        constant = high if high_weight > low_weight else low
        return constant, (high - low) * min(low_weight, high_weight) / self.weight
