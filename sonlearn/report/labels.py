"""Labels in constant memory, and what is best said without looking at the rows."""

from __future__ import annotations

import math

import numpy as np

from sonlearn.learn.links import linked
from sonlearn.options import LearnOptions

#: Where ``--binary`` is given, a wrong class is the loss.
ERRORS = "errors"


def as_reported(options: LearnOptions) -> tuple[str, float]:
    """(The loss that is reported, what a prediction that is said is above where it is of the class +1)."""
    return ERRORS if options.binary else options.loss, float(linked(options.link, np.zeros(1))[0])


def running(start: float, terms: np.ndarray) -> np.ndarray:
    """float64[n + 1]: `start`, and the totals after each of the n `terms`, added one by one."""
    return np.cumsum(np.concatenate(([start], terms)))


class Labels:
    """Label statistics in constant memory: their sum, and what the best constant prediction needs."""

    def __init__(self) -> None:
        self.values: list[float] = []  # the first two distinct labels
        self.more = False  # whether there is a third one
        self.sum = self.weight = self.first_weight = self.positive_weight = 0.0
        self.shifted = self.shifted_squares = 0.0  # of label - first label: no cancellation for labels far from 0

    def add(self, y: np.ndarray, weight: np.ndarray) -> None:
        """Add labels float64[n] (no NaN) of weights float64[n] > 0."""
        if not len(y):
            return
        while len(self.values) < 2 and len(new := y[~np.isin(y, self.values)]):
            self.values.append(float(new[0]))
        self.more = self.more or not np.isin(y, self.values).all()
        self.sum = running(self.sum, weight * y)[-1]
        self.weight = running(self.weight, weight)[-1]
        self.first_weight = running(self.first_weight, np.where(y == self.values[0], weight, 0.0))[-1]
        self.positive_weight = running(self.positive_weight, np.where(y > 0, weight, 0.0))[-1]
        shifted = y - self.values[0]
        self.shifted = running(self.shifted, weight * shifted)[-1]
        self.shifted_squares = running(self.shifted_squares, weight * shifted * shifted)[-1]

    def best_constant(self, loss: str) -> tuple[float, float] | None:
        """(best constant prediction, its average loss), or None where constant memory cannot tell.

        As in VW, a single class under logistic loss gives -1 or +1 (the best constant would be infinite). The median
        that absolute loss asks for is known only while there are at most two different labels; quantiles and Huber's
        mean are not told, nor is the mean of counts that are all 0 (its logarithm is what poisson predicts).
        """
        if self.weight == 0:
            return None
        if loss == "squared":
            mean = self.shifted / self.weight
            return self.values[0] + mean, max(0.0, self.shifted_squares / self.weight - mean * mean)
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
        (low, low_weight), (high, high_weight) = sorted(
            zip(self.values, (self.first_weight, self.weight - self.first_weight), strict=True)
        )
        constant = high if high_weight > low_weight else low
        return constant, (high - low) * min(low_weight, high_weight) / self.weight
