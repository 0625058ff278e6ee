"""Predictions of a batch as the running totals take them, and the totals of a learner."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.options import LearnOptions
from sonlearn.report.labels import as_reported
from sonlearn.report.progress import BatchOutcome, Progress, Schedule

if TYPE_CHECKING:
    from sonlearn.learn.learner import Predicted, PredictedClass


def progress_of(
    options: LearnOptions,
    texts: Callable[[np.ndarray], list[str]] | None = None,
    schedule: Schedule | None = None,
    holdout: bool = False,
    fine: Schedule | None = None,
) -> Progress:
    """The running totals of a learner with these options; arguments as for `Progress`.

    `texts` is used with several classes only; without it their labels are written as numbers.
    """
    loss, boundary = as_reported(options)
    return Progress(loss, schedule, holdout, (texts or _numbers) if options.several else None, fine, boundary)


def _numbers(values: np.ndarray) -> list[str]:
    return [f"{value:g}" for value in values.tolist()]


def outcome_of(batch: Batch, held: np.ndarray | None, predicted: Predicted | PredictedClass) -> BatchOutcome:
    """The outcome of the rows of `batch` that were not refused; `held` (bool[n]) tells those that are held out."""
    y = predicted.label if hasattr(predicted, "label") else batch.y
    features = np.diff(batch.indptr)
    decided = getattr(predicted, "decided", None)
    outcome = BatchOutcome(y, batch.weight, predicted.prediction, predicted.loss, features, held, decided)
    if not predicted.refused.any():
        return outcome
    return BatchOutcome(*(part if part is None else part[~predicted.refused] for part in outcome))


def without_held(batch: Batch, held: np.ndarray | None) -> Batch:
    """`batch` to learn from: rows that are held out are only predicted."""
    return batch if held is None else batch._replace(weight=np.where(held, 0.0, batch.weight))


class Uncounted:
    """Predictions of batches that are not counted yet: small ones are counted as one, since each costs a millisecond.

    Attributes
    ----------
    rows : int
    weight : float
        Summed importance weights.
    """

    def __init__(self) -> None:
        self.rows, self.weight = 0, 0.0
        self._outcomes: list[BatchOutcome] = []
        self._predicted: list[Any] = []

    def add(self, outcome: BatchOutcome, predicted: Predicted | PredictedClass) -> None:
        """Add a batch; none of its rows was refused."""
        self._outcomes.append(outcome)
        self._predicted.append(predicted)
        self.rows += len(outcome.y)
        self.weight += float(outcome.weight.sum())

    def take(self) -> tuple[BatchOutcome, Any]:
        """All of it, as of one batch (there is one at least), and begin anew. Of several classes, one batch alone."""
        outcomes, predicted = self._outcomes, self._predicted
        self.__init__()  # type: ignore[misc]
        return _joined(outcomes), _joined(predicted)


def _joined(parts: list[Any]) -> Any:
    """Named tuples of arrays, one after the other; what is None is so in all."""
    if len(parts) == 1:
        return parts[0]
    return type(parts[0])(*(None if own[0] is None else np.concatenate(own) for own in zip(*parts, strict=True)))
