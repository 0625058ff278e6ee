"""Which lines ``-p`` writes for the rows of a batch: one for each, ``nan`` of rows that were refused or malformed."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from sonlearn.learn.learner import Learner, Predicted, PredictedClass
from sonlearn.learn.links import PROBABILISTIC, probabilities
from sonlearn.report.answers import AnswerRow
from sonlearn.report.classes import class_labels


class LinesOfRows:
    """The rows of a batch in the order of their lines, those that were left out among them.

    Parameters
    ----------
    skipped : pairs (before which row, tag) of malformed lines
    refused : bool[n], which rows could not be learned from
    tags : list of n str, or None
    """

    def __init__(self, skipped: Sequence[tuple[int, str]], refused: np.ndarray, tags: list[str] | None):
        n = len(refused)
        at = np.array([place for place, _ in skipped], dtype=np.int64)
        self._order = np.insert(np.where(refused, -1, np.arange(n)), at, -1).tolist()
        tags = tags or [""] * n
        self._tags = list(np.insert(np.array(tags, dtype=object), at, [tag for _, tag in skipped]))

    def values(self, values: np.ndarray | Sequence[str]) -> tuple[Any, list[str] | None]:
        """What `PredictionWriter.write` takes: values float64[n] or n texts in order, and tags."""
        tags = self._tags if any(self._tags) else None
        if isinstance(values, np.ndarray):
            return np.append(values, np.nan)[self._order], tags
        return [values[i] if i >= 0 else "nan" for i in self._order], tags

    def rows(self, answers: Sequence[dict[str, Any]]) -> list[AnswerRow]:
        """What is predicted of each row, in order."""
        return [
            AnswerRow(tag, answers[i] if i >= 0 else None) for i, tag in zip(self._order, self._tags, strict=True)
        ]  # fmt: skip


def columns_of(learner: Learner, every: bool) -> tuple[str, ...]:
    """What `answers_of` says, by name."""
    return (*_columns(learner, every), *(() if learner.options.coverage is None else _ends_or_set(learner)))


def _ends_or_set(learner: Learner) -> tuple[str, ...]:
    """What there is beside a prediction with ``--coverage``."""
    values = not learner.options.several and learner.two_labels is None
    return ("low", "high") if values else ("set",)


def _columns(learner: Learner, every: bool) -> tuple[str, ...]:
    """What is predicted, by name."""
    if learner.options.several:
        names = class_labels(learner.classes, learner.options.numbered) if every else []
        return ("label", "probability", *(f"probability of {name}" for name in names))
    if learner.two_labels is None:
        return ("prediction",)
    if learner.options.loss not in PROBABILISTIC:
        return ("label", "score")
    return ("label", "probability", *(f"probability of {name}" for name in learner.two_labels if every))


def answers_of(learner: Learner, predicted: Predicted | PredictedClass, every: bool) -> list[dict[str, Any]]:
    """What is predicted of each row, by name; with `every`, the probability of each class.

    With ``--coverage`` also the ends of the interval (None: it has none yet), or the labels of the set.
    """
    rows = _answers(learner, predicted, every)
    if predicted.sets is not None:
        labels = (
            [str(label) for label in learner.classes] if learner.options.several else list(learner.two_labels or ())
        )
        for row, inside in zip(rows, predicted.sets.tolist(), strict=True):
            row["set"] = [label for label, one in zip(labels, inside, strict=False) if one]
    elif isinstance(predicted, Predicted) and predicted.low is not None and predicted.high is not None:
        for row, low, high in zip(rows, predicted.low.tolist(), predicted.high.tolist(), strict=True):
            row |= {name: end if isfinite(end) else None for name, end in (("low", low), ("high", high))}
    return rows


def _answers(learner: Learner, predicted: Predicted | PredictedClass, every: bool) -> list[dict[str, Any]]:
    """What is predicted of each row, by the names of `_columns`."""
    columns = _columns(learner, every)
    if isinstance(predicted, PredictedClass):
        labels = learner.label_texts(predicted.prediction)
        best, out = predicted.probabilities.max(axis=1, initial=0.0), []
        known = [str(label) for label in learner.classes]
        for i, label in enumerate(labels):
            of = dict(zip(known, predicted.probabilities[i].tolist(), strict=True))
            others = [of.get(name.removeprefix("probability of "), float(predicted.other[i])) for name in columns[2:]]
            out.append(dict(zip(columns, (label, float(best[i]), *others), strict=True)))
        return out
    if columns == ("prediction",):
        return [{"prediction": value} for value in predicted.prediction.tolist()]
    names = learner.two_labels
    assert names is not None
    labels = [names[int(decided > 0)] for decided in predicted.decided.tolist()]
    if "score" in columns:
        pairs = zip(labels, predicted.raw.tolist(), strict=True)
        return [{"label": label, "score": raw} for label, raw in pairs]
    p = probabilities(learner.options.loss, predicted.raw[:, None]).tolist()
    return [
        dict(zip(columns, (label, of[1], *(of if every else ())), strict=True))
        for label, of in zip(labels, p, strict=True)
    ]  # fmt: skip
