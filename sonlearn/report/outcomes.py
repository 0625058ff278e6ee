"""What a learner said of a batch, as the running totals take it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.report.progress import Outcome

if TYPE_CHECKING:
    from sonlearn.learn.learner import Predicted, PredictedClass


def outcome_of(batch: Batch, held: np.ndarray | None, predicted: Predicted | PredictedClass) -> Outcome:
    """The outcome of the rows of `batch` that were not refused; `held` (bool[n]) tells those that are held out."""
    y = predicted.label if hasattr(predicted, "label") else batch.y
    features = np.diff(batch.indptr)
    decided = getattr(predicted, "decided", None)
    outcome = Outcome(y, batch.weight, predicted.prediction, predicted.loss, features, held, decided)
    if not predicted.refused.any():
        return outcome
    return Outcome(*(part if part is None else part[~predicted.refused] for part in outcome))


def without_held(batch: Batch, held: np.ndarray | None) -> Batch:
    """`batch` to learn from: rows that are held out are only predicted."""
    return batch if held is None else batch._replace(weight=np.where(held, 0.0, batch.weight))
