"""Labels in constant memory, and what is best said without looking at the rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sonlearn.data.arrays import running_sum
from sonlearn.data.order import LabelOrder
from sonlearn.options import LearnOptions
from sonlearn.options.losses import CLASSIFICATION

#: Examples before which an average loss says little.
MIN_EXAMPLES = 100
#: Where ``--binary`` is given, a wrong class is the loss.
ERRORS = "errors"


def reported_loss(options: LearnOptions) -> str:
    """The loss that is reported."""
    return ERRORS if options.binary else options.loss


def scale_note(method: str, examples: float, loss: float, constant: dict[str, Any]) -> str:
    """Return what to say of values, of mean loss `loss`, that one learner alone has not reached; empty: nothing."""
    if method == "committee" or examples < MIN_EXAMPLES or not loss > constant["loss"]:
        return ""
    return (
        f"average loss {loss:g} is above {constant['loss']:g}, that of always predicting {constant['prediction']:g}: "
        f"--method {method} learns labels as they are; leave --method out (the committee standardises them), or give "
        f"--members {method} in its place (a committee of it alone)"
    )


class LabelStatistics:
    """Label statistics in constant memory: their sum, and what the best constant prediction needs.

    This is of values and of two classes; `ClassCounts` and `sonlearn.report.decisions.CostSums` are of other labels.
    """

    #: Whether a prediction can be wrong, so that there is an error.
    errs = True
    #: Letters of a label that a row of the table shows; None: all.
    label_width: int | None = None

    def __init__(self, loss: str = "squared") -> None:
        self.loss = loss
        self.values: list[float] = []  # the first two distinct labels
        self.more = False  # whether there is a third one
        self.sum = self.weight = self.positive_weight = 0.0  # of weight * label, of weights, and of those of labels > 0
        # Of the weights of labels that are the first one; of labels less that one, and their squares: so far from 0
        # nothing cancels.
        self._first = self._shifted = self._squares = 0.0
        self._order = LabelOrder()

    def add(self, y: np.ndarray, weight: np.ndarray) -> None:
        """Add labels float64[n] (no NaN) of weights float64[n] > 0."""
        if not len(y):
            return
        self._order.add(y)
        while len(self.values) < 2 and len(new := y[~np.isin(y, self.values)]):
            self.values.append(float(new[0]))
        if not self.more:
            first, last = self.values[0], self.values[-1]
            self.more = not ((y == first) | (y == last)).all()
        with np.errstate(over="ignore", invalid="ignore"):
            distance = y - self.values[0]
            self.sum = running_sum(self.sum, weight * y)
            self.weight = running_sum(self.weight, weight)
            self.positive_weight = running_sum(self.positive_weight, weight * (y > 0))
            self._first = running_sum(self._first, weight * (distance == 0))
            self._shifted = running_sum(self._shifted, weight * distance)
            self._squares = running_sum(self._squares, weight * distance * distance)

    def are_classes(self, y: np.ndarray) -> bool:
        """Return whether these labels, float64[n] (no NaN), are classes."""
        return self.loss in (*CLASSIFICATION, ERRORS) or bool((np.abs(y) == 1).all())

    @property
    def count(self) -> int:
        """Return how many different labels have been seen, of more than two at least two."""
        return len(self.values)

    def order_note(self, classes: bool) -> str:
        """Return what is to be said of the order of labels, which are `classes` or values; or nothing."""
        if not classes:
            return self._order.note_on_values()
        return self._order.note((self.positive_weight, self.weight - self.positive_weight))

    def weights(self, weight: float, labelled: float) -> list[str]:
        """Lines of a summary: the sum of the weights of the examples, of which `labelled` had a label."""
        return [f"weighted example sum = {weight:.6f}", f"weighted label sum = {self.sum:.6f}"]

    def constant(self, classes: bool) -> dict[str, Any] | None:
        """The best constant prediction, its loss, and its error where labels are `classes`; None: it is not known."""
        best = self.best_constant(self.loss)
        if best is None:
            return None
        positive = self.positive_weight / self.weight
        return {"prediction": best[0], "loss": best[1], "error": min(positive, 1 - positive) if classes else None}

    def lines(self) -> list[str]:
        """Lines of a summary: what is best said without looking at the rows."""
        best = self.constant(classes=False)
        if best is None:
            return []
        said = best["prediction"]
        lines = [f"best constant = {said if isinstance(said, str) else six_digits(said)}"]
        lines += [
            f"best constant's {name} = {six_digits(best[name])}" for name in ("loss", "error") if best[name] is not None
        ]
        return lines

    def best_constant(self, loss: str) -> tuple[float, float] | None:
        """(best constant prediction, its average loss), or None where constant memory cannot tell.

        As in VW, a single class under logistic loss gives -1 or +1 (the best constant would be infinite). The median
        that absolute loss asks for is known only while there are at most two different labels; other losses' best
        (quantiles, Huber's mean) is not told, nor is the mean of counts that are all 0 (its logarithm is what poisson
        predicts).
        """
        if self.weight == 0:
            return None
        if loss == "squared":
            mean = self._shifted / self.weight
            return self.values[0] + mean, max(0.0, self._squares / self.weight - mean * mean)
        if loss == "absolute":
            return None if self.more else self._median()
        if loss == "poisson":
            mean = self.sum / self.weight
            return (math.log(mean), mean - mean * math.log(mean)) if mean > 0 else None
        positive = self.positive_weight / self.weight
        if loss == "squared_hinge":
            return 2 * positive - 1, 4 * positive * (1 - positive)
        if loss in ("hinge", ERRORS):
            return (1.0 if positive > 0.5 else -1.0), (2 if loss == "hinge" else 1) * min(positive, 1 - positive)
        if loss != "logistic":
            return None
        if positive in (0.0, 1.0):
            return 2 * positive - 1, math.log1p(math.exp(-1))
        entropy = -positive * math.log(positive) - (1 - positive) * math.log1p(-positive)
        return math.log(positive / (1 - positive)), entropy

    def _median(self) -> tuple[float, float]:
        if len(self.values) == 1:
            return self.values[0], 0.0
        (low, low_weight), (high, high_weight) = sorted(
            zip(self.values, (self._first, self.weight - self._first), strict=True)
        )
        constant = high if high_weight > low_weight else low
        return constant, (high - low) * min(low_weight, high_weight) / self.weight


class ClassCounts(LabelStatistics):
    """How often each class is the label: what is best said without looking at the row.

    Parameters
    ----------
    texts : callable
        How labels, float64[n], are written.
    """

    label_width = 14

    def __init__(self, texts: Callable[[np.ndarray], list[str]]) -> None:
        super().__init__()
        self._texts = texts
        self._weights: dict[float, float] = {}

    def add(self, y: np.ndarray, weight: np.ndarray) -> None:
        """Add labels float64[n] of weights float64[n] > 0, one by one."""
        self._order.add(y)
        for label, h in zip(y.tolist(), weight.tolist(), strict=True):
            self._weights[label] = self._weights.get(label, 0.0) + h

    def are_classes(self, y: np.ndarray) -> bool:
        """Return True: all labels are."""
        return True

    @property
    def count(self) -> int:
        """Number of classes that have occurred."""
        return len(self._weights)

    def order_note(self, classes: bool) -> str:
        """Return what is to be said of the order of labels, or nothing."""
        return self._order.note(self._weights.values())

    def weights(self, weight: float, labelled: float) -> list[str]:
        """Lines of a summary: the sum of the weights."""
        return [f"weighted example sum = {weight:.6f}"]

    def constant(self, classes: bool) -> dict[str, Any] | None:
        """The most frequent label, its error, the log loss of saying how frequent each is; None without a label."""
        if not self._weights:
            return None
        label = max(self._weights, key=self._weights.__getitem__)
        p = np.array(list(self._weights.values())) / sum(self._weights.values())
        text = self._texts(np.array([label]))[0]
        return {"prediction": text, "loss": float(-(p * np.log(p)).sum()), "error": float(1 - p.max())}


def six_digits(value: float | None) -> str:
    """A figure with six digits behind the point, or three in all where hardly one would be left; None is told, too."""
    return "n.a." if value is None else f"{value:.{'2e' if 0 < abs(value) < 1e-5 else '6f'}}"
