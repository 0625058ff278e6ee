"""How well a learner does: measures of a stream, in constant memory, the same for every place that reports them.

The summary of a run, its log and page, the benches and Python all take their figures from `Metrics`. A measure is of
predictions that were made before the label was used, weighted by importance h, over the examples with a label.

Two classes (label +1 is the positive class):

- area under the ROC curve, average precision, best F1: from a histogram of scores, with bounds of their errors
  (`sonlearn.learn.scores`);
- precision, recall, F1 of the class that is predicted (at probability .5, or as ``--threshold`` says): exact;
- Brier score, the mean of (p - y)^2 with y 0 or 1; calibration error, the mean over the 20 bins of
  `sonlearn.report.quality` of |mean p - share of positive labels|, weighted by the bins: exact, where the loss tells
  probabilities.

Values: root of the mean squared error, mean absolute error, and R^2 = 1 - (squared error) / (squared distance of the
labels from their mean). With poisson loss all are of exp(prediction). The rows that a learner predicts before any label
has come, one and as many as ``--label-delay`` says, are left out: of labels far from 0 they would be all that is seen.

Several classes: recall of a class (share of its rows that were predicted so), precision (share of the rows predicted so
that are), F1, their mean over the classes that occur as a label or as a prediction (macro F1), and the worst classes.

Where scikit-learn has the same measure, it is the same number (tests/report). From example to example sums run in the
order of the rows, so where batches end changes no bit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.data.mixing import split_mix
from sonlearn.errors import shorten
from sonlearn.learn.predicted import PROBABILISTIC, Predicted, chosen_of, linked, probability
from sonlearn.learn.scores import Cut, ScoreHistogram, score_of
from sonlearn.report.quality import WINDOW, Calibration, Confusion, CoverageTotals, judged, judged_classes

if TYPE_CHECKING:
    from sonlearn.data.batch import Batch
    from sonlearn.learn.learner import Learner

#: Classes that are listed as the worst, points of a curve, rows of a sample.
WORST, POINTS, SAMPLE = 5, 100, 400
#: Labels and decisions of two classes, in the order of `Metrics._decided`.
_PAIRS = ((-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0))
#: Probabilities that the table of thresholds lists.
THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)

#: What stands in the place of the coverage where no labels come: of sets, of intervals.
_AT_REST = (
    "coverage = n.a. (no labels come: sets are by the thresholds of the last examples learned)",
    "coverage = n.a. (no labels come: intervals are as wide as the examples learned needed at their worst)",
)


class Metrics:
    """Measures of what a learner predicts.

    Parameters
    ----------
    learner : Learner
        Asked for its options and the labels of its classes only.

    Attributes
    ----------
    calibration : Calibration
        How far probabilities can be believed.
    confusion : Confusion
        What is taken for what.
    """

    def __init__(self, learner: Learner):
        self._learner = learner
        self._of: _Classes | _Scores = (_Classes if learner.options.kind == "classes" else _Scores)(learner)
        self.calibration, self.confusion = self._of.calibration, self._of.confusion
        self._coverage = CoverageTotals()

    def add(self, batch: Batch, predicted: Predicted) -> None:
        """Add what `Learner.partial_fit` or `Learner.predict` gave for a batch; refused rows are left out."""
        self.count(predicted.label, batch.weight, predicted, ~predicted.refused)

    def count(self, y: np.ndarray, weight: np.ndarray, predicted: Predicted, chosen: np.ndarray) -> None:
        """Add those of n rows that are `chosen` (bool[n]) and have a weight, and a label that fits.

        Parameters
        ----------
        y, weight : float64[n]
            Labels as `Predicted.label`, NaN where there is none, and importance weights.
        predicted : Predicted, of n rows
        """
        chosen = chosen & np.isfinite(y) & (weight > 0)
        if not chosen.any():
            return
        if not chosen.all():
            y, weight, predicted = y[chosen], weight[chosen], chosen_of(predicted, chosen)
        number = self._learner.labels.numbers_of(y)
        self._of.add(predicted, y, number, weight)
        if self._learner.options.coverage is not None:
            self._coverage.count(predicted, y, number)

    # -- what came of it ---------------------------------------------------------------------------------------------

    def result(self) -> dict[str, Any] | None:
        """All measures, JSON-able (docs/metrics.md lists them by kind); None while there is no labelled example."""
        result = self._of.result()
        asked = self._learner.options.coverage
        if result is None or asked is None:
            return result
        return result | {"coverage": self._coverage.result(asked)}

    def pictures(self) -> dict[str, Any]:
        """Return what a page draws, JSON-able: curves and thresholds of two classes, a sample of rows of values."""
        return self._of.pictures()

    def lines(self) -> list[str]:
        """The measures as lines of a summary; a bound follows what is not exact to six digits."""
        result = self.result()
        if result is None:
            options = self._learner.options
            return [] if options.coverage is None else [_AT_REST[options.kind == "values"]]
        lines = self._of.lines(result)
        coverage = result.get("coverage")
        if coverage is None:
            return lines
        lowest = "" if coverage["lowest"] is None else f", in the worst {WINDOW} examples {coverage['lowest']:.3f}"
        size = "n.a." if coverage["size"] is None else f"{coverage['size']:.6g}"
        return [
            *lines,
            f"coverage = {coverage['reached']:.4f} of {coverage['asked']:g} asked{lowest}",
            f"mean {coverage['of']} = {size}",
        ]

    def never_positive(self) -> str:
        """Return what has to be known where positive labels came and nobody was predicted positive; else empty."""
        result = self.result()
        if result is None or not result.get("positive"):
            return ""
        best = result["best_f1"]
        if result["decided"]["predicted"] > 0 or not best["f1"] > 0:
            return ""
        share = result["positive"] / result["weight"]
        labels = self._learner.labels
        label = shorten(labels.names[1]) if labels.worded and labels.names else "+1"
        return (
            f"no example was predicted {label}, though {100 * share:.3g} % are: every one is below the threshold; "
            f"--threshold best-f1 (now {best['threshold']:.4g}) finds {100 * best['recall']:.3g} % of them, and "
            f"{100 * best['precision']:.3g} % of those it predicts are {label}"
        )

    def single_label(self) -> str:
        """Say what is to be known where all labels are the same, so that there is nothing to tell apart; else empty."""
        result = self.result()
        label = "" if result is None else self._of.single_label(result)
        told = f"all labels are {shorten(label)}: there is nothing to tell apart; is it the right column, or file?"
        return label and told


class _Scores:
    """Measures of two classes and of values. Labels of values that are all -1 and +1 so far are two classes."""

    def __init__(self, learner: Learner):
        self._learner = learner
        self.calibration, self.confusion = Calibration(), Confusion()
        self._scores, self._decided = ScoreHistogram(), np.zeros(4)
        self._values = ValueSums()
        self.fixed = learner.options.kind == "two"
        self._signs = True  # whether all labels so far are -1 or +1
        self._blind = 0 if learner.examples else 1 + learner.options.label_delay  # rows to come before any label has
        self._sample = PredictionSample(SAMPLE)

    def add(self, predicted: Predicted, y: np.ndarray, number: np.ndarray, weight: np.ndarray) -> None:
        """Add n rows with a label."""
        options = self._learner.options
        scores = np.clip(predicted.raw, *options.bounds)  # before a link or --binary
        self._signs = self._signs and (self.fixed or bool((np.abs(y) == 1).all()))
        if not self.fixed:
            values = linked("poisson", scores) if options.loss == "poisson" else scores
            blind = min(self._blind, len(y))
            self._blind -= blind
            self._values.add(y[blind:], values[blind:], weight[blind:])
            self._sample.add(y[blind:], values[blind:])
        if not self._signs:
            return
        positive, decided = y > 0, predicted.decided > 0
        self._scores.add(scores, positive, weight)
        np.add.at(self._decided, 2 * positive + decided, weight)
        events = judged(options.loss, scores, y)
        if events is not None:
            self.calibration.add(events, weight)
        sums = zip(_PAIRS, self._decided.tolist(), strict=True)
        self.confusion.weights = {pair: total for pair, total in sums if total > 0}

    def result(self) -> dict[str, Any] | None:
        """See `Metrics.result`."""
        if not self._signs:
            return {"kind": "values", **self._values.result()}
        return self._two_class() if self._decided.any() else None

    def lines(self, result: dict[str, Any]) -> list[str]:
        """See `Metrics.lines`."""
        return (_two_lines if self._signs else _value_lines)(result)

    def single_label(self, result: dict[str, Any]) -> str:
        """Return the one label of two that has come; empty: both have, or there are no two."""
        labels = self._learner.two_labels
        if labels is None or not self.fixed or 0 < result["positive"] < result["weight"]:
            return ""
        return labels[int(result["positive"] > 0)]

    def _two_class(self) -> dict[str, Any]:
        auc, ap, best = self._scores.auc(), self._scores.average_precision(), self._scores.best_f1()
        n, p = self._scores.totals()
        missed, found, false = self._decided[2], self._decided[3], self._decided[1]
        cut = Cut(0.0, float(found), float(false), float(missed + found), n)
        return {
            "kind": "two", "weight": n + p, "positive": p,
            "auc": auc and auc.value, "auc_error": auc and auc.error,
            "average_precision": ap and ap.value, "average_precision_error": ap and ap.error,
            "decided": self._shown(cut), "best_f1": best and {**self._shown(best[0]), "error": best[1]},
            "brier": self.calibration.brier, "calibration_error": self.calibration.error,
        }  # fmt: skip

    def pictures(self) -> dict[str, Any]:
        """See `Metrics.pictures`."""
        if not self._signs:
            return {"sample": self._sample.rows()}
        if min(self._scores.totals()) <= 0:
            return {}
        cuts = self._scores.cuts()
        curve = [self._shown(cut) for cut in spaced_cuts(cuts, POINTS)]
        table = []
        if self.calibration.error is not None:
            loss = self._learner.options.loss
            table = [self._shown(self._scores.cut(score_of(loss, p))) | {"threshold": p} for p in THRESHOLDS]
        return {"curve": curve, "thresholds": table}

    def _shown(self, cut: Cut) -> dict[str, float]:
        loss, at = self._learner.options.loss, cut.threshold
        if loss in PROBABILISTIC:  # scores are logits, or the like
            at = float(probability(loss, np.array([at]))[0])
        return {
            "threshold": at, "precision": cut.precision, "recall": cut.recall,
            "f1": cut.f1, "false_share": cut.false_share, "predicted": cut.found + cut.false,
        }  # fmt: skip


class _Classes:
    """Measures of several classes."""

    def __init__(self, learner: Learner):
        self._learner = learner
        self.calibration, self.confusion = Calibration(), Confusion()

    def add(self, predicted: Predicted, y: np.ndarray, number: np.ndarray, weight: np.ndarray) -> None:
        """Add n rows with a label, whose classes have these numbers (`Learner.labels`)."""
        most = self._learner.options.oaa or self._learner.options.multinomial or 0
        unmet = max(most - predicted.probabilities.shape[1], 0)
        self.calibration.add(judged_classes(predicted, number, unmet), weight)
        named = any(isinstance(name, str) for name in self._learner.classes[:1])
        unknown = named & (predicted.prediction < 0)
        self.confusion.add(y, np.where(unknown, np.nan, predicted.prediction), weight)

    def result(self) -> dict[str, Any] | None:
        """See `Metrics.result`."""
        sums = {label: of for label, of in self.confusion.by_label().items() if math.isfinite(label)}
        if not sums:
            return None
        texts = self._learner.label_texts(np.array(list(sums)))
        rows: list[dict[str, Any]] = []
        for text, (own, predicted, both) in zip(texts, sums.values(), strict=True):
            f1 = 2 * both / (own + predicted)
            precision, recall = both / predicted if predicted > 0 else 0.0, both / own if own > 0 else 0.0
            rows.append({"label": text, "weight": own, "precision": precision, "recall": recall, "f1": f1})
        met = [row for row in rows if row["weight"] > 0]
        return {
            "kind": "classes", "macro_f1": sum(row["f1"] for row in rows) / len(rows), "classes": len(met),
            "worst": sorted(met, key=lambda row: (row["f1"], -row["weight"]))[:WORST],
            "brier": self.calibration.brier, "calibration_error": self.calibration.error,
        }  # fmt: skip

    def lines(self, result: dict[str, Any]) -> list[str]:
        """See `Metrics.lines`."""
        worst = ", ".join(f"{row['label']} ({row['f1']:.3f})" for row in result["worst"])
        return [
            f"macro F1 = {result['macro_f1']:.6f}, of {result['classes']} classes",
            f"lowest F1 = {worst}", *_probability_lines(result),
        ]  # fmt: skip

    def single_label(self, result: dict[str, Any]) -> str:
        """Return the one label that has come; empty: there are more."""
        return result["worst"][0]["label"] if result["classes"] == 1 else ""

    def pictures(self) -> dict[str, Any]:
        """See `Metrics.pictures`."""
        return {}


class ValueSums:
    """Sums of errors and labels. Labels are summed less the first one, so that far from 0 nothing cancels."""

    def __init__(self) -> None:
        self.first: float | None = None
        # of weights; of weighted squares and sizes of errors; of labels less the first one, and of their squares
        self._sums = np.zeros(5)

    def add(self, y: np.ndarray, predicted: np.ndarray, weight: np.ndarray) -> None:
        """Add labels and predictions float64[n] of weights float64[n] > 0."""
        if not len(y):
            return
        self.first = float(y[0]) if self.first is None else self.first
        with np.errstate(over="ignore"):
            e, d = predicted - y, y - self.first
            each = np.column_stack((weight, weight * e * e, weight * np.abs(e), weight * d, weight * d * d))
            self._sums = np.cumsum(np.concatenate((self._sums[None], each)), axis=0)[-1]  # row by row

    def result(self) -> dict[str, float | None]:
        """RMSE, MAE, R^2 and the mean of the labels; None without a row, R^2 also where all labels are the same."""
        if self.first is None:
            return dict.fromkeys(("rmse", "mae", "r2", "mean"))
        weight, squares, sizes, shifted, shifted_squares = self._sums.tolist()
        mean = shifted / weight
        spread = shifted_squares - weight * mean * mean
        return {
            "rmse": math.sqrt(squares / weight), "mae": sizes / weight,
            "r2": 1.0 - squares / spread if spread > 1e-12 * shifted_squares else None,
            "mean": self.first + mean,
        }  # fmt: skip


class PredictionSample:
    """A sample of the rows, each with the same probability: those whose number has the least hash (SplitMix64).

    It depends on the number of rows and on nothing else, so not on where batches end.
    """

    def __init__(self, most: int):
        self._most, self._rows = most, 0
        self._kept = np.zeros((0, 2))
        self._keys = np.zeros(0, dtype=np.uint64)

    def add(self, y: np.ndarray, predicted: np.ndarray) -> None:
        """Add rows of float64[n] each."""
        keys = split_mix(np.arange(self._rows, self._rows + len(y), dtype=np.uint64))
        self._rows += len(y)
        if len(self._keys) == self._most:
            low = keys < self._keys[-1]
            keys, y, predicted = keys[low], y[low], predicted[low]
        keys = np.concatenate([self._keys, keys])
        order = np.argsort(keys, kind="stable")[: self._most]
        self._keys = keys[order]
        self._kept = np.concatenate([self._kept, np.column_stack([y, predicted])])[order]

    def rows(self) -> list[list[float]]:
        """[label, prediction] of each row kept."""
        return self._kept.tolist()


def spaced_cuts(cuts: list[Cut], most: int) -> list[Cut]:
    """About `most` of the cuts, evenly spaced along recall and along the share of false alarms; first and last too."""
    thin, at = [], -1.0
    for i, cut in enumerate(cuts):
        place = cut.recall + cut.false_share
        if place - at >= 2.0 / most or i == len(cuts) - 1:
            thin.append(cut)
            at = place
    return thin


def _bounded(value: float | None, error: float | None) -> str:
    if value is None or error is None:
        return "n.a."
    return f"{value:.6f}" + (f" (within {error:.1g})" if error >= 5e-7 else "")


def _rates(cut: dict[str, float]) -> str:
    return f"precision {cut['precision']:.4f}, recall {cut['recall']:.4f}"


def _two_lines(result: dict[str, Any]) -> list[str]:
    decided, best = result["decided"], result["best_f1"]
    lines = [
        f"area under the ROC curve = {_bounded(result['auc'], result['auc_error'])}",
        f"average precision = {_bounded(result['average_precision'], result['average_precision_error'])}",
        f"F1 = {decided['f1']:.6f}: {_rates(decided)}",
    ]
    if best is not None:
        lines.append(f"best F1 = {best['f1']:.6f} at threshold {best['threshold']:.4g}: {_rates(best)}")
    return lines + _probability_lines(result)


def _probability_lines(result: dict[str, Any]) -> list[str]:
    if result["brier"] is None:
        return []
    return [f"Brier score = {result['brier']:.6f}", f"calibration error = {result['calibration_error']:.6f}"]


def _value_lines(result: dict[str, Any]) -> list[str]:
    shown = (("RMSE", "rmse", ".6g"), ("MAE", "mae", ".6g"), ("R2", "r2", ".6f"))
    return [f"{name} = {'n.a.' if result[key] is None else format(result[key], form)}" for name, key, form in shown]
