"""The kind of problem: what a learner predicts, and how that is counted and written, whoever asks.

`Problem` is of values; two classes, several classes and decisions (`sonlearn.report.decisions`) are subclasses of it.
Each says, of what was predicted for a batch,

- what the running totals count (`outcome`), and which rows and lines they print (`progress`),
- which measures there are (`metrics`), and what the log keeps (`settings`, `logged`),
- the lines of ``-p`` and ``-r`` (`lines`, `raw`), and its rows as CSV and JSON (`answers`),
- what a server replies (`replies`, `more`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.learn.predicted import PROBABILISTIC, Predicted, chosen_of, probabilities
from sonlearn.options import LearnOptions
from sonlearn.report.facts import contributions_of, facts_of, last_rows, members_at_work
from sonlearn.report.labels import ClassCounts, LabelStatistics, reported_loss
from sonlearn.report.metrics import Metrics
from sonlearn.report.predictions import labels_of, texts_of, with_intervals, with_sets
from sonlearn.report.progress import BatchOutcome, Progress, Schedule

if TYPE_CHECKING:
    from sonlearn.learn.learner import Learner


class Problem:
    """Values.

    Parameters
    ----------
    options : LearnOptions
    learner : Learner or None
        Whose predictions these are; may be set later, before there are any.
    """

    #: The classes in the order of sets, as they are written in the data; of values there are none.
    labels: Sequence[str] = ()
    #: Why there are no probabilities of classes; empty: there are.
    no_probabilities = "the model predicts values, not classes"

    def __init__(self, options: LearnOptions, learner: Learner | None = None):
        self.options = options
        self.learner: Any = learner
        self._sample: Any = None  # the last rows, where a log or a page is asked for

    # -- what is counted -------------------------------------------------------------------------------------------

    def statistics(self) -> LabelStatistics:
        """Return what is counted of labels; see `LabelStatistics`."""
        return LabelStatistics(reported_loss(self.options))

    def progress(
        self, schedule: Schedule | None = None, holdout: bool = False, fine: Schedule | None = None
    ) -> Progress:
        """Running totals; the arguments are those of `Progress`."""
        return Progress(self.statistics(), schedule, holdout, fine)

    def metrics(self) -> Any:
        """Measures of what is predicted."""
        return Metrics(self.learner)

    def outcome(self, batch: Any, held: np.ndarray | None, predicted: Any) -> BatchOutcome:
        """Return what is counted of the rows of a batch that were not refused; `held` (bool[n]): those held out."""
        features, held = np.diff(batch.indptr), np.zeros(batch.n, dtype=bool) if held is None else held
        found = BatchOutcome(
            predicted.label, batch.weight, predicted.prediction, predicted.loss, features, held, self.wrong(predicted)
        )
        if predicted.refused.any():
            found, predicted = (chosen_of(each, ~predicted.refused) for each in (found, predicted))
        return found._replace(predicted=predicted)

    def wrong(self, predicted: Predicted) -> np.ndarray:
        """bool[n]: whether another class is predicted than that of the label."""
        return np.asarray(((predicted.decided > 0) != (predicted.label > 0)) | np.isinf(predicted.label))

    def summary(self, metrics: Any) -> list[str]:
        """Lines at the end of a run: measures, and what there is to tell of the learner."""
        return [*metrics.lines(), *members_at_work(self.learner)]

    # -- what the log keeps ------------------------------------------------------------------------------------------

    def settings(self) -> dict[str, Any]:
        """Options of learning, for the log."""
        return self.learner.options.shown

    def remember(self, batch: Any) -> None:
        """Keep the last rows for what the log says of contributions."""
        self._sample = last_rows(self._sample, batch)

    def logged(self, metrics: Any, names: Callable[[int], list[str]], classes: bool) -> dict[str, Any]:
        """Return what the log says of a run at its end: measures, and what there is to tell of the learner.

        `classes` : whether labels were classes; else there is no telling how probable one is.
        """
        measured = metrics.result()
        return {
            "calibration": metrics.calibration.summary() if classes else None,
            "confusion": metrics.confusion.summary(self.texts) if classes else None,
            "metrics": {**measured, **metrics.pictures()} if measured else None,
            **facts_of(self.learner, names),
            "contributions": contributions_of(self.learner, self._sample, names),
        }  # fmt: skip

    def texts(self, values: np.ndarray) -> list[str]:
        """Return how labels float64[n] are written."""
        return [f"{value:+.0f}" for value in values.tolist()]

    def shown(self, predictions: np.ndarray) -> Any:
        """Return how predictions float64[n] are written: float64[n] or n texts."""
        return predictions

    def of_json(self, prediction: float) -> Any:
        """Return a prediction as JSON has it: a number; of classes a whole number or a name; None: none is known."""
        return prediction

    # -- lines ---------------------------------------------------------------------------------------------------------

    def lines(self, batch: Any, predicted: Any, every: bool = False, top: int | None = None) -> Any:
        """Return what ``-p`` writes of each row: float64[n] or texts; with `every` all classes, or the `top` best."""
        if predicted.low is not None:
            return with_intervals(predicted.prediction, predicted.low, predicted.high)
        values = self._values(predicted, every, top)
        if predicted.sets is None:
            return values
        return with_sets(texts_of(values), labels_of(predicted.sets, self._replied))

    def _values(self, predicted: Predicted, every: bool = False, top: int | None = None) -> Any:
        """Return what is predicted of each row, without its interval or set: float64[n], or n texts."""
        return self.shown(predicted.prediction)

    def raw(self, predicted: Predicted) -> Any:
        """Return what ``-r`` writes of each row: float64[n], or n texts."""
        return predicted.raw

    # -- rows of CSV and JSON ----------------------------------------------------------------------------------------

    def answers(self, batch: Any, predicted: Any, every: bool) -> dict[str, list[Any]]:
        """Return what is predicted of n rows: n values by name; with `every`, the probability of each class as well.

        With ``--coverage`` also the ends of the interval (None: it has none yet), or the labels of the set.
        """
        found = self._answers(predicted, every)
        if predicted.sets is not None:
            found["set"] = labels_of(predicted.sets, self.labels)
        elif predicted.low is not None:
            found |= {"low": _finite(predicted.low), "high": _finite(predicted.high)}
        return found

    def _answers(self, predicted: Predicted, every: bool) -> dict[str, list[Any]]:
        """`answers`, without coverage."""
        return {"prediction": predicted.prediction.tolist()}

    # -- replies -------------------------------------------------------------------------------------------------------

    def replies(self, predicted: Predicted) -> list[Any]:
        """Return what a server predicts of each row."""
        values = self._values(predicted)
        return values if isinstance(values, list) else list(values.tolist())

    def more(self, predicted: Predicted, coverage: bool, probabilities: bool) -> dict[str, list[Any]]:
        """Return what a server replies beside it: intervals or sets, labels and probabilities."""
        found: dict[str, list[Any]] = {}
        if coverage and predicted.low is not None:
            ends = zip(_finite(predicted.low), _finite(predicted.high), strict=True)
            found["intervals"] = list(map(list, ends))
        elif coverage and predicted.sets is not None:
            found["sets"] = labels_of(predicted.sets, self._replied)
        if probabilities:
            found |= self._probabilities(predicted)
        return found

    @property
    def _replied(self) -> Sequence[Any]:
        """The classes in the order of sets, as replies have them."""
        return self.labels

    def _probabilities(self, predicted: Predicted) -> dict[str, list[Any]]:
        """Labels, and their probabilities."""
        return {}


class TwoClasses(Problem):
    """Two classes: the labels -1 and +1, however they are written in the data."""

    @property
    def labels(self) -> list[str]:
        """Return how the negative and the positive label are written."""
        return list(self.learner.two_labels or ())

    @property
    def no_probabilities(self) -> str:
        """See `Problem`."""
        loss = self.options.loss
        return "" if loss in PROBABILISTIC else f"the model's loss, {loss}, tells no probability"

    def summary(self, metrics: Any) -> list[str]:
        """See `Problem`: first, which of two words is the positive label."""
        if not self.learner.labels.worded:
            return super().summary(metrics)
        negative, positive = self.labels
        return [f"positive label = {positive} (the other: {negative})", *super().summary(metrics)]

    def texts(self, values: np.ndarray) -> list[str]:
        """See `Problem`: words, where labels are."""
        if not self.learner.labels.worded:
            return super().texts(values)
        negative, positive = self.labels
        return [positive if value > 0 else negative for value in values.tolist()]

    def logged(self, metrics: Any, names: Callable[[int], list[str]], classes: bool) -> dict[str, Any]:
        """See `Problem`: also, how the positive label is written."""
        found = super().logged(metrics, names, classes)
        if found["metrics"]:
            found["metrics"]["positive_label"] = self.texts(np.ones(1))[0]
        return found

    @property
    def _replied(self) -> list[Any]:
        return self.labels if self.learner.labels.worded else [-1, 1]

    def _answers(self, predicted: Predicted, every: bool) -> dict[str, list[Any]]:
        names = self.labels
        found = {"label": [names[decided > 0] for decided in predicted.decided.tolist()]}
        if self.no_probabilities:
            return found | {"score": predicted.raw.tolist()}
        p = probabilities(self.options, predicted.scores).T.tolist()
        of = {f"probability of {name}": own for name, own in zip(names, p, strict=True) if every}
        return {**found, "probability": p[1], **of}

    def _probabilities(self, predicted: Predicted) -> dict[str, list[Any]]:
        signs = self._replied
        return {
            "labels": [signs[decided > 0] for decided in predicted.decided.tolist()],
            "probabilities": probabilities(self.options, predicted.scores)[:, 1].tolist(),
        }


class SeveralClasses(Problem):
    """Classes of which there may be more than two."""

    no_probabilities = ""

    @property
    def labels(self) -> list[str]:
        """The classes that have been met, in that order."""
        return [str(label) for label in self.learner.classes]

    def statistics(self) -> ClassCounts:
        """See `Problem`."""
        return ClassCounts(self.texts)

    def wrong(self, predicted: Predicted) -> np.ndarray:
        """See `Problem`."""
        return np.asarray(predicted.prediction != predicted.label)

    def outcome(self, batch: Any, held: np.ndarray | None, predicted: Any) -> BatchOutcome:
        """See `Problem`; rows of the table show labels as they are written."""
        outcome = super().outcome(batch, held, predicted)
        shown = lambda i: tuple(self.texts(np.array([outcome.y[i], outcome.prediction[i]])))  # noqa: E731
        return outcome._replace(shown=shown)

    def texts(self, values: np.ndarray) -> list[str]:
        """See `Problem`; before there is a learner, numbers."""
        if self.learner is None:
            return [f"{value:g}" for value in values.tolist()]
        return self.learner.label_texts(values)

    def shown(self, predictions: np.ndarray) -> Any:
        """See `Problem`."""
        return self.texts(predictions)

    def of_json(self, prediction: float) -> Any:
        """See `Problem`."""
        if isinstance((self.learner.classes or [0])[0], str) or prediction % 1 > 0:
            return self.texts(np.array([prediction]))[0]
        return None if math.isnan(prediction) else int(prediction)

    def _met(self, predicted: Predicted, values: np.ndarray) -> Iterator[dict[str, float]]:
        """Yield {class: value} of those met before each row, in that order; values : float64[n, K]."""
        labels = self.labels
        for met, own in zip(predicted.met.tolist(), values.tolist(), strict=True):
            yield dict(zip(labels[:met], own, strict=False))

    def _values(self, predicted: Predicted, every: bool = False, top: int | None = None) -> Any:
        """See `Problem`; of classes that are equally likely those come first that were met first.

        Of `every` numbered class, labels begin with 1, unless 0 had been met before the row.
        """
        if top is None and not every:
            return super()._values(predicted)
        rows, most = self._met(predicted, predicted.probabilities), self.options.numbered
        if top is not None:
            return [_scored(dict(sorted(row.items(), key=lambda one: -one[1])[:top])) for row in rows]
        if most is None:
            return list(map(_scored, rows))
        labels = [[str(k + first) for k in range(most)] for first in (0, 1)]
        return [
            _scored({label: row.get(label, other) for label in labels["0" not in row]})
            for row, other in zip(rows, predicted.other.tolist(), strict=True)
        ]

    def raw(self, predicted: Predicted) -> Any:
        """See `Problem`: the score of each class."""
        return list(map(_scored, self._met(predicted, predicted.scores)))

    def _names(self, every: bool) -> list[str]:
        """All classes as they are written, if `every` one is asked for; of numbered ones also those not met."""
        labels, most = self.labels, self.options.numbered
        return [] if not every else labels if most is None else [str(k + ("0" not in labels)) for k in range(most)]

    def _answers(self, predicted: Any, every: bool) -> dict[str, list[Any]]:
        best = predicted.probabilities.max(axis=1, initial=0.0).tolist()
        found = {"label": self.texts(predicted.prediction), "probability": best}
        of = dict(zip(self.labels, predicted.probabilities.T, strict=True))
        return found | {f"probability of {name}": of.get(name, predicted.other).tolist() for name in self._names(every)}

    def _probabilities(self, predicted: Any) -> dict[str, list[Any]]:
        return {
            "labels": self.texts(predicted.prediction),
            "probabilities": list(self._met(predicted, predicted.probabilities)),
        }


def _finite(ends: np.ndarray) -> list[float | None]:
    return [end if math.isfinite(end) else None for end in ends.tolist()]


def _scored(values: dict[str, float]) -> str:
    return " ".join(f"{label}:{value:.6g}" for label, value in values.items()) or "unknown"


def problem_of(options: LearnOptions, learner: Learner | None = None) -> Problem:
    """The kind of problem of a learner with these options."""
    return {"classes": SeveralClasses, "two": TwoClasses, "values": Problem}[options.kind](options, learner)


def without_held(batch: Batch, held: np.ndarray | None) -> Batch:
    """`batch` to learn from: rows that are held out are only predicted."""
    return batch if held is None else batch._replace(weight=np.where(held, 0.0, batch.weight))
