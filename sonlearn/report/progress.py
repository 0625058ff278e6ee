"""Progressive validation: running totals of a learner's predictions, and Vowpal Wabbit's progress table of them.

Pure: arrays in, lines out. Every example is predicted before it is learned from, so the average loss of one pass is
an honest estimate; from the second pass on only held-out examples can give one.

Definitions, where programs differ:

- average loss: sum of h * loss over the sum of h, over labelled examples (h: importance weight); with a holdout,
  examples that are held out are kept apart and counted in nothing else;
- error: the predicted class is +1 where the prediction exceeds 0 (VW's ``--binary``) or what ``--threshold`` says, else
  -1, the label's class is +1 where it exceeds 0; an error is a difference. Its average is over h as well. Regression
  losses have one as long as all labels are -1 or +1;
- of several classes the prediction is a label, an error is another label than the row's, and the loss is the log loss;
- a row is due when the sum of h (labelled or not) has reached 1, then twice the sum at the last row (VW's ``-P``);
- "since last" is over the labelled examples since the last row that was printed.

Sums run example by example from the running total (`numpy.cumsum`), so where a batch ends changes no digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.arrays import plain
from sonlearn.jit import jit
from sonlearn.report.labels import LabelStatistics, six_digits

#: The table's head: columns that each has, and the last one, of what can err.
HEADER = (
    "average  since         example        example        current        current  current",
    "loss     last          counter         weight          label        predict features",
)
ERROR = ("  average", "    error")


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


@jit
def add_outcome(sums, y, weight, loss, wrong, held, start, due):
    """Add examples one by one, those from `start` on, until their summed weight has reached `due`.

    Those without a label or with weight 0 count for no average. Returns the first one that is not added.

    sums : float64[9], modified: of h, h * error, h and h * loss of examples that have a loss; the same of what is held
        out; h of examples without a label
    y, weight, loss : float64[n], wrong, held : bool[n], not modified
    """
    for i in range(start, len(y)):
        h = weight[i]
        if y[i] != y[i]:
            sums[8] += h
        elif h > 0.0:
            first = 4 if held[i] else 0
            sums[first] += h
            sums[first + 1] += h if wrong[i] else 0.0
            if loss[i] == loss[i]:
                sums[first + 2] += h
                sums[first + 3] += h * loss[i]
        if sums[0] + sums[8] >= due:
            return i + 1
    return len(y)


class BatchOutcome(NamedTuple):
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
    held : bool[n]
        Whether the example is held out.
    wrong : bool[n]
        Whether another class is predicted than the label's.
    shown : callable or None
        Texts of the label and the prediction of example i of these, where they are no numbers.
    predicted : Predicted, or what is in its place, or None
        What was predicted for these examples, of which measures are made.
    """

    y: np.ndarray
    weight: np.ndarray
    prediction: np.ndarray
    loss: np.ndarray
    features: np.ndarray
    held: np.ndarray
    wrong: np.ndarray
    shown: Callable[[int], tuple[str, str]] | None = None
    predicted: Any = None


class Row(NamedTuple):
    """One row of the table: averages over all examples so far, and over those since the row before.

    Attributes
    ----------
    examples : int
        Examples so far, but those held out.
    weight : float
        Sum of their weights h, labelled or not.
    total, since : float
        Sums of h that the averages are over.
    loss, error, since_loss, since_error : float or None
        Averages; None where nothing had a label, errors also where a label was no class.
    label, prediction : float
        Of the example that the row came with; a label is NaN where there is none.
    features : int
        Of that example.
    held : bool
        Whether averages are over held-out examples.
    classes : bool
        Whether all labels so far were classes, so that there is an error.
    shown : (str, str), or None
        Texts of `label` and `prediction`, where they are no numbers.
    """

    examples: int
    weight: float
    total: float
    since: float
    loss: float | None
    error: float | None
    since_loss: float | None
    since_error: float | None
    label: float
    prediction: float
    features: int
    held: bool
    classes: bool
    shown: tuple[str, str] | None = None


class Sums(NamedTuple):
    """What averages of one kind of example are of.

    Sum of h, of h * error; of h and of h * loss where the label is one that the learner knows, so that there is a loss;
    whether all labels are classes, so that one can err.
    """

    weight: float = 0.0
    errors: float = 0.0
    known: float = 0.0
    loss: float = 0.0
    classes: bool = True

    def minus(self, other: Sums) -> Sums:
        """Return what has come since `other`."""
        return Sums(*(now - then for now, then in zip(self[:4], other[:4], strict=True)), self.classes)

    @property
    def average_loss(self) -> float | None:
        """None where there is none."""
        return self.loss / self.known if self.known > 0 else None

    @property
    def average_error(self) -> float | None:
        """None where there is none."""
        return self.errors / self.weight if self.weight > 0 and self.classes else None


class _Marks:
    """When rows of one kind are due, and the totals at the last one."""

    def __init__(self, schedule: Schedule):
        self.schedule, self.due = schedule, schedule.first
        self.trained, self.held = Sums(), Sums()


class Progress:
    """Running totals of one run.

    Parameters
    ----------
    labels : LabelStatistics
        What is counted of labels.
    schedule : Schedule
    holdout : bool
        Whether rows and the summary are of the held-out examples from the second pass on.
    fine : Schedule or None
        When further rows are due, which are no lines of the table.

    Attributes
    ----------
    fine_rows : list of Row
        Those of the last batch.
    """

    def __init__(
        self,
        labels: LabelStatistics,
        schedule: Schedule | None = None,
        holdout: bool = False,
        fine: Schedule | None = None,
    ):
        self.labels = labels
        self.holdout = holdout
        self.passes = 1
        self.examples = self.held_examples = self.features = 0
        self.unlabelled_weight = 0.0
        self.unlabelled = 0
        self.unlearned = 0  # examples of labels that the model has not learned, and so without a loss
        self.trained, self.held, self._held_at_pass = Sums(), Sums(), Sums()
        self._marks = [_Marks(schedule or Schedule()), *([_Marks(fine)] if fine else [])]
        self.fine_rows: list[Row] = []
        self.header = [line + more * labels.errs for line, more in zip(HEADER, ERROR, strict=True)]  # of the table

    @property
    def example_weight(self) -> float:
        """Sum of the weights of all examples that are not held out."""
        return self.trained.weight + self.unlabelled_weight

    @property
    def labelled(self) -> bool:
        """Return whether any label has been seen."""
        return bool(self.trained.weight or self.held.weight or self.labels.count)

    @property
    def of_one_class(self) -> bool:
        """Return whether labels are classes and all that have been seen are alike."""
        return bool(self.trained.classes and self.labels.count == 1)

    @property
    def result(self) -> Sums:
        """Totals that the average loss at the end is of: the last pass's holdout, or all examples."""
        return self.held.minus(self._held_at_pass) if self._shows_holdout else self.trained

    @property
    def held_loss(self) -> float | None:
        """Average loss of what was held out in this pass; None: there was nothing."""
        return self.held.minus(self._held_at_pass).average_loss

    def next_pass(self) -> None:
        """Say that the examples to come are of another pass."""
        self.passes += 1
        self._held_at_pass = self.held

    def update(self, outcome: BatchOutcome) -> list[str]:
        """Add a batch; return the rows that have become due in it, as lines of the table."""
        return [self.line(row) for row in self.rows(outcome)]

    def counted(self, outcome: BatchOutcome) -> np.ndarray:
        """bool[n]: which examples of a batch are among those that `result` is of, as long as this pass is the last."""
        held = outcome.held if self._shows_holdout else ~outcome.held
        return ~np.isnan(outcome.y) & (outcome.weight > 0) & held

    def rows(self, outcome: BatchOutcome) -> list[Row]:
        """Add a batch; return the rows of the table that have become due in it."""
        y, weight, loss = plain(outcome.y), plain(outcome.weight), plain(outcome.loss)
        unknown, wrong = np.isnan(y), plain(outcome.wrong, np.bool_)
        held = outcome.held & ~unknown
        labelled, kept = ~unknown & (weight > 0), np.cumsum(~held)
        self.unlabelled += int(unknown.sum())
        self.unlearned += int((labelled & np.isnan(loss)).sum())
        known = labelled & np.isfinite(y)
        sums = np.array([*self.trained[:4], *self.held[:4], self.unlabelled_weight])
        before, start = self.examples, 0
        rows: list[list[Row]] = [[] for _ in self._marks]
        while start < len(y):
            stop = add_outcome(sums, y, weight, loss, wrong, held, start, min(marks.due for marks in self._marks))
            classes = self.trained.classes and self.labels.are_classes(y[start:stop][known[start:stop]])
            *both, self.unlabelled_weight = sums.tolist()
            self.trained, self.held = Sums(*both[:4], classes), Sums(*both[4:], classes)
            self.examples = before + int(kept[stop - 1])
            for marks, due in zip(self._marks, rows, strict=True):
                if self.example_weight >= marks.due:
                    due.append(self._row(outcome, stop - 1, marks))
            start = stop
        self.held_examples += int(held.sum())
        self.features += int(outcome.features[~held].sum())
        learned = known & ~held
        self.labels.add(y[learned], weight[learned])
        table, *fine = rows
        self.fine_rows = fine[0] if fine else []
        return table

    def summary(
        self, seconds: float, ending: str = "finished run", whole: bool = True, told: Sequence[str] = ()
    ) -> list[str]:
        """VW's lines at the end of a run, with the error rate, what is `told` besides, the elapsed time and the speed.

        The passes of a run that is not `whole` have different lengths, so its examples are counted over all of them.
        """
        mark = " h" if self._shows_holdout else ""
        result = self.result
        error = _in_eight(result.average_error)
        counts = [f"number of examples = {self.examples}"]
        if self.passes > 1:
            per_pass = f"number of examples per pass = {self.examples // self.passes}"
            counts = [per_pass if whole else counts[0], f"passes used = {self.passes}"]
        if self.unlabelled and self.labelled and self.labels.errs:  # else all are, or they are decisions
            counts.append(f"examples without a label = {self.unlabelled // (self.passes if whole else 1)}")
        return [
            "", ending, *counts,
            *self.labels.weights(self.example_weight, result.weight),
            f"average loss = {six_digits(result.average_loss)}{mark}",
            *([f"average error = {error}{mark}"] if self.labels.errs else []),
            *self.labels.lines(),
            f"total feature number = {self.features}",
            *told,
            f"elapsed time = {seconds:.3f} s",
            f"examples a second = {(self.examples + self.held_examples) / max(seconds, 1e-9):.0f}",
        ]  # fmt: skip

    def totals(self) -> dict[str, Any]:
        """Return what `summary` says of the examples, as values; None for what there is nothing to say of."""
        result = self.result
        return {
            "passes": self.passes, "examples": self.examples, "held_examples": self.held_examples,
            "weight": self.example_weight, "features": self.features, "loss": result.average_loss,
            "error": result.average_error, "held": self._shows_holdout,
            "constant": self.labels.constant(self.trained.classes),
        }  # fmt: skip

    @property
    def _shows_holdout(self) -> bool:
        return self.holdout and self.passes > 1

    def _row(self, outcome: BatchOutcome, i: int, marks: _Marks) -> Row:
        """The row that is due with example i, the last one that was added."""
        now, last = (self.held, marks.held) if self._shows_holdout else (self.trained, marks.trained)
        if self._shows_holdout:
            marks.held = self.held
        marks.trained = self.trained
        marks.due = marks.schedule.after(self.example_weight)
        since = now.minus(last)
        return Row(
            self.examples, self.example_weight, now.weight, since.weight,
            now.average_loss, now.average_error, since.average_loss, since.average_error,
            float(outcome.y[i]), float(outcome.prediction[i]), int(outcome.features[i]),
            self._shows_holdout, now.classes, outcome.shown and outcome.shown(i),
        )  # fmt: skip

    def line(self, row: Row) -> str:
        """A row as VW writes it."""
        unknown = "unknown" if row.held else "n.a."
        label, prediction = row.shown or (_text(row.label), _text(row.prediction))
        label_width = self.labels.label_width
        error = f" {_in_eight(row.error, unknown if row.classes else 'n.a.'):>8}" if self.labels.errs else ""
        return (
            f"{_in_eight(row.loss, unknown):<8} {_in_eight(row.since_loss, unknown):<8} "
            f"{row.examples:>12} {row.weight:>14.1f} {label[:label_width]:>14} {prediction[:label_width]:>14} "
            f"{row.features:>8}{error}{' h' if row.held else ''}"
        )


def _text(value: float) -> str:
    """A number as a row has it."""
    return f"{value:.4f}" if math.isfinite(value) else "unknown"


def _in_eight(value: float | None, unknown: str = "n.a.") -> str:
    """An average with six digits behind the point, fewer where it would not fit a column of eight characters."""
    if value is None:
        return unknown
    text = six_digits(value)
    if len(text) > 8:
        text = f"{value:.{max(0, 14 - len(text))}f}"
    return text if len(text) <= 8 else f"{value:.2e}"
