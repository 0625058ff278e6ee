"""How far probabilities can be believed, what is taken for what, and how many labels intervals or sets have held.

Progressive, in constant memory. Like the average loss, all are of predictions made before the label was used. Weights h
are importance weights.

Calibration: probabilities fall into 20 bins whose bounds are odds of 2^-9, 2^-8, ..., 2^9 (.002, .004, ..., .5, ...,
.998), so that rare events, where all probabilities are small, fill more than one bin. A bin says what was predicted on
average and how often it happened. Of two classes the event is the label +1; of several, that the class with the highest
probability is the row's.

Brier score: the average of (p - y)^2 with y in {0, 1}; of several classes the sum of that over all of them, as Brier
has it (of two classes that would be twice the former).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sonlearn.data.arrays import running_sum
from sonlearn.learn.predicted import PROBABILISTIC, Predicted, probability

#: Bounds between the bins: float64[19].
EDGES = 1.0 / (1.0 + 2.0 ** np.arange(9, -10, -1))
#: Rows of the window whose worst coverage is told, and blocks that the stream is told in.
WINDOW, BLOCKS = 1000, 64
_UNKNOWN = -np.inf  # a label that stands for none: NaN has no order


#: Of n events the probability of each, float64[n]; whether it happened, bool[n]; the row's Brier score, float64[n].
Judged = tuple[np.ndarray, np.ndarray, np.ndarray]


def judged(loss: str, prediction: np.ndarray, y: np.ndarray) -> Judged | None:
    """Events "the label is +1", float64[n] predictions and labels; None where the loss tells no probability."""
    if loss not in PROBABILISTIC:
        return None
    p, happened = probability(loss, prediction), y > 0
    return p, happened, (p - happened) ** 2


def judged_classes(predicted: Predicted, number: np.ndarray, unmet: int) -> Judged:
    """Events "the predicted class is the row's".

    Parameters
    ----------
    predicted : Predicted, of n rows
    number : int64[n]
        Columns of the rows' classes, -1 for one that has not been met.
    unmet : int
        How many classes may still come.
    """
    p, other, rows = predicted.probabilities, predicted.other, np.arange(len(number))
    if not p.shape[1]:
        return other, np.zeros(len(number), dtype=bool), unmet * other**2 - 2 * other + 1
    own = np.where(number < 0, other, p[rows, number])
    best = np.where(np.arange(p.shape[1]) < predicted.met[:, None], p, -1.0).argmax(axis=1)
    top = np.where(predicted.met > 0, p[rows, best], other)
    square = (p**2).sum(axis=1) + unmet * other**2 - 2 * own + 1
    return top, (best == number) & (predicted.met > 0), square


class Calibration:
    """Sums of a stream of events.

    Attributes
    ----------
    sums : float64[20, 4]
        For each bin of h, h^2, h p, and h of the events that happened.
    squares : float
        Sum of h times the Brier score.
    """

    def __init__(self) -> None:
        self.sums, self.squares = np.zeros((len(EDGES) + 1, 4)), 0.0

    def add(self, events: Judged, weight: np.ndarray) -> None:
        """Add n events of weights float64[n] > 0, in the order of the rows, wherever batches end."""
        p, happened, square = events
        bins = np.searchsorted(EDGES, p, side="right")
        for k, each in enumerate((weight, weight * weight, weight * p, weight * happened)):
            np.add.at(self.sums[:, k], bins, each)
        self.squares = running_sum(self.squares, weight * square)

    @property
    def brier(self) -> float | None:
        """The Brier score; None while there is no event."""
        total = float(self.sums[:, 0].sum())
        return self.squares / total if total > 0 else None

    @property
    def error(self) -> float | None:
        """Mean over the bins, by weight, of |what was predicted on average - how often it happened|; or None."""
        total = float(self.sums[:, 0].sum())
        return float(np.abs(self.sums[:, 2] - self.sums[:, 3]).sum()) / total if total > 0 else None

    def summary(self) -> dict[str, Any] | None:
        """JSON-able: the Brier score, and of each bin that is not empty what was predicted and what came; or None."""
        if self.brier is None:
            return None
        bounds = [0.0, *EDGES.tolist(), 1.0]
        bins = [
            {
                "low": bounds[i], "high": bounds[i + 1], "weight": h, "examples": h * h / squares,
                "predicted": p / h, "happened": events / h,
            }
            for i, (h, squares, p, events) in enumerate(self.sums.tolist()) if h > 0
        ]  # fmt: skip
        return {"brier": self.brier, "bins": bins}


class Confusion:
    """How much weight went from which label to which predicted one: one number for each pair that has occurred."""

    def __init__(self) -> None:
        self.weights: dict[tuple[float, float], float] = {}

    def add(self, label: np.ndarray, predicted: np.ndarray, weight: np.ndarray) -> None:
        """Add labels float64[n], what was predicted for them (NaN: nothing), and weights float64[n] > 0, in order."""
        pairs = zip(label.tolist(), np.where(np.isnan(predicted), _UNKNOWN, predicted).tolist(), strict=True)
        for pair, h in zip(pairs, weight.tolist(), strict=True):
            self.weights[pair] = self.weights.get(pair, 0.0) + h

    def by_label(self) -> dict[float, tuple[float, float, float]]:
        """Of each label or prediction, in order: the weight of the rows of that label, of those predicted so, of both.

        What was predicted of some rows may be -inf, nothing.
        """
        own, predicted = dict[float, float](), dict[float, float]()
        for (label, other), h in self.weights.items():
            own[label] = own.get(label, 0.0) + h
            predicted[other] = predicted.get(other, 0.0) + h
        return {
            label: (own.get(label, 0.0), predicted.get(label, 0.0), self.weights.get((label, label), 0.0))
            for label in sorted({*own, *predicted})
        }

    def summary(self, texts: Callable[[np.ndarray], list[str]], most: int = 20) -> dict[str, Any] | None:
        """JSON-able: the `most` most frequent labels, in order; what is of or for none of them is summed as the last of
        the labels, which stands for so many `others`.

        `counts[i][j]` is the weight of examples of label i for which j was predicted.
        """
        if not self.weights:
            return None
        totals = {label: own for label, (own, _, _) in self.by_label().items()}
        kept = sorted(sorted(totals, key=lambda label: (-totals[label], label))[:most])
        place = {label: i for i, label in enumerate(kept)}
        counts = np.zeros((len(kept) + 1, len(kept) + 1))
        for (label, predicted), h in self.weights.items():
            counts[place.get(label, -1), place.get(predicted, -1)] += h
        labels = ["unknown" if label == _UNKNOWN else texts(np.array([label]))[0] for label in kept]
        if len(totals) == len(kept):
            return {"labels": labels, "counts": counts[:-1, :-1].tolist(), "others": 0}
        others = len(totals) - len(kept)
        return {"labels": [*labels, f"{others} others"], "counts": counts.tolist(), "others": others}


class CoverageTotals:
    """Totals of rows with a label, each counted once whatever its importance."""

    def __init__(self) -> None:
        self.rows = self.covered = self.finite = 0
        self.size, self._of = 0.0, ""
        self.worst: tuple[float, float] | None = None  # least and largest share in a window
        self._last = np.zeros(0, dtype=bool)  # of the window's rows
        self._each, self._blocks = 1, np.zeros((0, 2), dtype=np.int64)  # rows of a block; (rows, covered) of each

    def count(self, predicted: Any, y: np.ndarray, number: np.ndarray) -> None:
        """Count the rows whose labels are within their sets or intervals, if they have any.

        Parameters
        ----------
        predicted : Predicted, of n rows
        y : float64[n], labels of values
        number : int64[n], columns of the rows' classes, -1 for one that has not been met
        """
        if predicted.sets is not None:
            own = np.pad(predicted.sets, ((0, 0), (0, 1)))[np.arange(len(number)), number]
            self._of = "size of sets"
            self.add(own, predicted.sets.sum(axis=1).astype(float))
        elif predicted.low is not None:
            self._of = "length of intervals"
            with np.errstate(over="ignore"):
                self.add((predicted.low <= y) & (y <= predicted.high), predicted.high - predicted.low)

    def add(self, covered: np.ndarray, size: np.ndarray) -> None:
        """Add n rows: bool[n], and lengths of intervals or sizes of sets, float64[n] (inf is left out of the mean)."""
        self.rows += len(covered)
        self.covered += int(covered.sum())
        finite = np.isfinite(size)
        self.finite += int(finite.sum())
        self.size = running_sum(self.size, size[finite])
        both = np.concatenate([self._last, covered])
        if len(both) >= WINDOW:
            sums = np.concatenate(([0], np.cumsum(both)))
            shares = (sums[WINDOW:] - sums[:-WINDOW]) / WINDOW
            low, high = float(shares.min()), float(shares.max())
            self.worst = (low, high) if self.worst is None else (min(low, self.worst[0]), max(high, self.worst[1]))
        self._last = both[max(len(both) - WINDOW + 1, 0) :]
        self._extend(covered)

    def _extend(self, covered: np.ndarray) -> None:
        """Add to the blocks; where there are too many, two become one."""
        while len(covered):
            if not len(self._blocks) or self._blocks[-1, 0] == self._each:
                if len(self._blocks) == BLOCKS:
                    self._blocks, self._each = self._blocks.reshape(-1, 2, 2).sum(axis=1), 2 * self._each
                    continue
                self._blocks = np.concatenate([self._blocks, np.zeros((1, 2), np.int64)])
            more = covered[: self._each - self._blocks[-1, 0]]
            self._blocks[-1] += len(more), int(more.sum())
            covered = covered[len(more) :]

    def result(self, asked: float) -> dict[str, Any] | None:
        """JSON-able; None while there is no row. `curve`: [rows so far, share of the block that ends there]."""
        if not self.rows:
            return None
        ends = np.cumsum(self._blocks[:, 0])
        curve = [[int(end), c / n] for end, (n, c) in zip(ends, self._blocks.tolist(), strict=True)]
        low, high = self.worst or (None, None)
        return {
            "asked": asked, "reached": self.covered / self.rows, "lowest": low, "highest": high,
            "size": self.size / self.finite if self.finite else None, "of": self._of, "curve": curve,
        }  # fmt: skip
