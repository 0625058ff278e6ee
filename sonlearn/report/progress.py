"""Progressive validation: running totals of a learner's predictions, and Vowpal Wabbit's progress table of them.

Pure: arrays in, lines out. Every example is predicted before it is learned from, so the average loss of one pass is
an honest estimate; from the second pass on only held-out examples can give one.

Definitions, where programs differ:

- average loss: sum of h * loss over the sum of h, over labelled examples (h: importance weight); with a holdout,
  examples that are held out are kept apart and counted in nothing else;
- error: the predicted class is +1 where the prediction exceeds 0, else -1 (VW's ``--binary``), the label's class
  likewise; an error is a difference. Its average is over h as well. Regression losses have one as long as all labels
  are -1 or +1;
- of several classes the prediction is a label, an error is another label than the row's, and the loss is the log loss;
- a row is due when the sum of h (labelled or not) has reached 1, then twice the sum at the last row (VW's ``-P``);
- "since last" is over the labelled examples since the last row that was printed.

Sums run example by example from the running total (`numpy.cumsum`), so where a batch ends changes no digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sonlearn.options import CLASSIFICATION
from sonlearn.report.classes import ClassCounts

HEADER = (
    "average  since         example        example        current        current  current  average",
    "loss     last          counter         weight          label        predict features    error",
)


class Schedule(NamedTuple):
    """When rows are due: at `step`, 2 step, 3 step, ... (additive), or at 1, step, step^2, ..."""

    step: float = 2.0
    additive: bool = False

    @property
    def first(self) -> float:
        """Sum of weights at which the first row is due."""
        return self.step if self.additive else 1.0

    def after(self, weight: float) -> float:
        """Sum of weights at which the next row is due when one has been printed at `weight`."""
        return weight + self.step if self.additive else weight * self.step


class Outcome(NamedTuple):
    """What happened to a batch of n examples.

    Attributes
    ----------
    y : float64[n]
        Labels, NaN where there is none.
    weight : float64[n]
        Importance weights h >= 0.
    prediction, loss : float64[n]
        Loss without h; ignored where there is no label.
    features : int64[n]
        Number of features, the constant included.
    held : bool[n], or None for none
        Whether the example is held out.
    """

    y: np.ndarray
    weight: np.ndarray
    prediction: np.ndarray
    loss: np.ndarray
    features: np.ndarray
    held: np.ndarray | None = None


class Sums(NamedTuple):
    """Of one kind of example: sum of h, of h * loss, of h * error; whether all labels are classes, so that one can err.

    What the averages of a table's row or of the end are of.
    """

    weight: float = 0.0
    loss: float = 0.0
    errors: float = 0.0
    classes: bool = True

    def minus(self, other: Sums) -> Sums:
        """What has come since `other`."""
        return Sums(self.weight - other.weight, self.loss - other.loss, self.errors - other.errors, self.classes)

    @property
    def average_loss(self) -> float:
        """NaN where there is none."""
        return self.loss / self.weight if self.weight > 0 else math.nan

    @property
    def average_error(self) -> float:
        """NaN where there is none."""
        return self.errors / self.weight if self.weight > 0 and self.classes else math.nan


class Row(NamedTuple):
    """A row of the table: as it is printed, and what its averages are of."""

    line: str
    sums: Sums


class _Running(NamedTuple):
    """The same sums before and after each of n examples: float64[n + 1]."""

    weight: np.ndarray
    loss: np.ndarray
    errors: np.ndarray

    def at(self, i: int, classes: bool) -> Sums:
        return Sums(float(self.weight[i]), float(self.loss[i]), float(self.errors[i]), classes)


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
        if loss == "hinge":
            return (1.0 if positive > 0.5 else -1.0), 2 * min(positive, 1 - positive)
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


class Progress:
    """Running totals of one run.

    Parameters
    ----------
    loss : str
        One of `sonlearn.options.LOSSES`.
    schedule : Schedule
    holdout : bool
        Whether rows and the summary are of the held-out examples from the second pass on.
    texts : function of float64[n] that gives n str, or None
        Of several classes, how labels are written; None: there are no several classes.
    """

    def __init__(
        self,
        loss: str,
        schedule: Schedule | None = None,
        holdout: bool = False,
        texts: Callable[[np.ndarray], list[str]] | None = None,
    ):
        self.loss, self.holdout, self.texts = loss, holdout, texts
        self.counts = ClassCounts()
        self.schedule = schedule or Schedule()
        self.passes = 1
        self.labels = Labels()
        self.examples = self.held_examples = self.features = 0
        self.unlabelled_weight = 0.0
        self.trained, self.held = Sums(), Sums()
        self._trained_at_row, self._held_at_row, self._held_at_pass = Sums(), Sums(), Sums()
        self._due = self.schedule.first

    @property
    def example_weight(self) -> float:
        """Sum of the weights of all examples that are not held out."""
        return self.trained.weight + self.unlabelled_weight

    @property
    def labelled(self) -> bool:
        """Whether any label has been seen."""
        return bool(self.trained.weight or self.held.weight or self.labels.values)

    @property
    def result(self) -> Sums:
        """Totals that the average loss at the end is of: the last pass's holdout, or all examples."""
        return self.held.minus(self._held_at_pass) if self._shows_holdout else self.trained

    def next_pass(self) -> None:
        """Say that the examples to come are of another pass."""
        self.passes += 1
        self._held_at_pass = self.held

    def update(self, outcome: Outcome) -> list[str]:
        """Add a batch; return the rows that have become due in it, as they are printed."""
        return [row.line for row in self.rows(outcome)]

    def rows(self, outcome: Outcome) -> list[Row]:
        """Add a batch; return the rows that have become due in it."""
        y, weight = outcome.y, outcome.weight
        labelled = ~np.isnan(y) & (weight > 0)
        held = np.zeros(len(y), dtype=bool) if outcome.held is None else outcome.held & ~np.isnan(y)
        learned = labelled & ~held
        trained = self._running(self.trained, outcome, learned)
        holdout = self._running(self.held, outcome, labelled & held)
        unlabelled = running(self.unlabelled_weight, np.where(np.isnan(y), weight, 0.0))
        classes = self._class_flags(y, labelled)
        counter = self.examples + np.concatenate(([0], np.cumsum(~held)))

        rows = []
        total = trained.weight + unlabelled
        i = 1 + int(np.searchsorted(total[1:], self._due))
        while i <= len(y):
            sums = trained.at(i, bool(classes[i])), holdout.at(i, bool(classes[i]))
            rows.append(self._row(outcome, i - 1, sums, (counter[i], total[i])))
            self._due = self.schedule.after(total[i])
            i += 1 + int(np.searchsorted(total[i + 1 :], self._due))

        self.trained, self.held = trained.at(-1, bool(classes[-1])), holdout.at(-1, bool(classes[-1]))
        self.unlabelled_weight = float(unlabelled[-1])
        self.examples, self.held_examples = int(counter[-1]), self.held_examples + int(held.sum())
        self.features += int(outcome.features[~held].sum())
        if self.texts is None:
            self.labels.add(y[learned], weight[learned])
        else:
            self.counts.add(y[learned], weight[learned])
        return rows

    def summary(self, seconds: float, ending: str = "finished run", whole: bool = True) -> list[str]:
        """VW's lines at the end of a run, with the error rate, the elapsed time and the speed.

        The passes of a run that is not `whole` have different lengths, so its examples are counted over all of them.
        """
        mark = " h" if self._shows_holdout else ""
        result = self.result
        average = f"{result.loss / result.weight:.6f}" if result.weight > 0 else "n.a."
        error = _ratio(result.errors, result.weight) if result.classes else "n.a."
        counts = [f"number of examples = {self.examples}"]
        if self.passes > 1:
            per_pass = f"number of examples per pass = {self.examples // self.passes}"
            counts = [per_pass if whole else counts[0], f"passes used = {self.passes}"]
        lines = [
            "", ending, *counts,
            f"weighted example sum = {self.example_weight:.6f}",
            *([] if self.texts else [f"weighted label sum = {self.labels.sum:.6f}"]),
            f"average loss = {average}{mark}",
            f"average error = {error}{mark}",
        ]  # fmt: skip
        lines += self._best_constant()
        speed = (self.examples + self.held_examples) / max(seconds, 1e-9)
        lines += [
            f"total feature number = {self.features}",
            f"elapsed time = {seconds:.3f} s",
            f"examples a second = {speed:.0f}",
        ]
        return lines

    def _best_constant(self) -> list[str]:
        """Lines on what is best said without looking at the rows."""
        if self.texts is None:
            best = self.labels.best_constant(self.loss)
            return [] if best is None else [f"best constant = {best[0]:.6f}", f"best constant's loss = {best[1]:.6f}"]
        most = self.counts.best()
        if most is None:
            return []
        (label,) = self.texts(np.array([most[0]]))
        return [
            f"best constant = {label}",
            f"best constant's loss = {most[2]:.6f}",
            f"best constant's error = {most[1]:.6f}",
        ]

    @property
    def _shows_holdout(self) -> bool:
        return self.holdout and self.passes > 1

    def _running(self, start: Sums, outcome: Outcome, mask: np.ndarray) -> _Running:
        weight = np.where(mask, outcome.weight, 0.0)
        loss = np.where(mask, outcome.loss, 0.0)
        if self.texts is None:
            error = mask & ((outcome.prediction > 0) != (outcome.y > 0))
        else:
            error = mask & (outcome.prediction != outcome.y)
        return _Running(
            running(start.weight, weight), running(start.loss, weight * loss), running(start.errors, weight * error)
        )

    def _class_flags(self, y: np.ndarray, labelled: np.ndarray) -> np.ndarray:
        """bool[n + 1]: whether all labels so far are classes."""
        if self.loss in CLASSIFICATION or self.texts is not None:
            return np.ones(len(y) + 1, dtype=bool)
        return np.logical_and.accumulate(np.concatenate(([self.trained.classes], ~labelled | (np.abs(y) == 1))))

    def _row(self, outcome: Outcome, i: int, sums: tuple[Sums, Sums], counts: tuple[int, float]) -> Row:
        trained, held = sums
        counter, weight = counts
        now, last = (held, self._held_at_row) if self._shows_holdout else (trained, self._trained_at_row)
        if self._shows_holdout:
            self._held_at_row = held
        self._trained_at_row = trained
        since, unknown = now.minus(last), "unknown" if self._shows_holdout else "n.a."
        label, prediction = self._text(outcome.y[i]), self._text(outcome.prediction[i])
        error = _ratio(now.errors, now.weight, unknown) if now.classes else "n.a."
        line = (
            f"{_ratio(now.loss, now.weight, unknown):<8} {_ratio(since.loss, since.weight, unknown):<8} "
            f"{counter:>12} {weight:>14.1f} {label:>14} {prediction:>14} "
            f"{outcome.features[i]:>8} {error:>8}{' h' if self._shows_holdout else ''}"
        )
        return Row(line, now)

    def _text(self, value: float) -> str:
        """A label or prediction as a row has it."""
        if math.isnan(value):
            return "unknown"
        return f"{value:.4f}" if self.texts is None else self.texts(np.array([value]))[0][:14]


def _ratio(total: float, weight: float, unknown: str = "n.a.") -> str:
    """The average with six digits behind the point, fewer where it would not fit a column of eight characters."""
    if not weight > 0:
        return unknown
    text = f"{total / weight:.6f}"
    if len(text) > 8:
        text = f"{total / weight:.{max(0, 14 - len(text))}f}"
    return text if len(text) <= 8 else f"{total / weight:.2e}"
