"""Several classes as text: labels, scores and probabilities, one line an example, as Vowpal Wabbit writes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.data.order import LabelOrder

if TYPE_CHECKING:
    from sonlearn.learn.predicted import Predicted


def scores_of(predicted: Predicted, labels: list[str]) -> list[str]:
    """``label:score ...`` for each row, of the classes that had been met before it.

    Parameters
    ----------
    predicted : Predicted, of n rows
    labels : list of K str
    """
    return [
        _line(labels[:met], scores)
        for met, scores in zip(predicted.met.tolist(), predicted.scores.tolist(), strict=True)
    ]


def probabilities_of(predicted: Predicted, labels: list[str], most: int | None) -> list[str]:
    """``label:p ...`` for each row: of `most` classes all, in the order of their numbers; else of those met before it.

    Labels of `most` classes begin with 1, unless 0 had been met.
    """
    rows = zip(predicted.met.tolist(), predicted.probabilities.tolist(), predicted.other.tolist(), strict=True)
    if most is None:
        return [_line(labels[:met], p) for met, p, _ in rows]
    lines = []
    for met, p, other in rows:
        known = dict(zip(labels[:met], p, strict=False))
        every = [str(k + ("0" not in known)) for k in range(most)]
        lines.append(_line(every, [known.get(label, other) for label in every]))
    return lines


def likeliest(predicted: Predicted, labels: list[str], most: int) -> list[str]:
    """``label:p ...`` for each row: of the classes met before it the `most` likeliest, likeliest first.

    Of classes that are equally likely those come first that were met first.
    """
    lines = []
    for met, p in zip(predicted.met.tolist(), predicted.probabilities, strict=True):
        order = np.argsort(-p[:met], kind="stable")[:most].tolist()
        lines.append(_line([labels[k] for k in order], p[order].tolist()))
    return lines


def _line(labels: list[str], values: list[float]) -> str:
    return " ".join(f"{label}:{value:.6g}" for label, value in zip(labels, values, strict=False)) or "unknown"


def class_labels(labels: list[int | str], most: int | None) -> list[str]:
    """All classes as they are written: of `most` numbered ones all, else those that have been met."""
    if most is None:
        return [str(label) for label in labels]
    return [str(k + (0 not in labels)) for k in range(most)]


class ClassCounts:
    """How often each class is the label: what is best said without looking at the row.

    See `sonlearn.report.labels.LabelStatistics`.

    Parameters
    ----------
    texts : callable
        How labels, float64[n], are written.
    """

    errs = True
    cell = 14

    def __init__(self, texts: Callable[[np.ndarray], list[str]]) -> None:
        self._texts = texts
        self._weights: dict[float, float] = {}
        self._order = LabelOrder()

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
        """What is to be said of the order of labels, or nothing."""
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

    def lines(self) -> list[str]:
        """Lines of a summary: what is best said without looking at the rows."""
        most = self.constant(True)
        if most is None:
            return []
        return [
            f"best constant = {most['prediction']}",
            f"best constant's loss = {most['loss']:.6f}",
            f"best constant's error = {most['error']:.6f}",
        ]
