"""How well scores rank two classes: a histogram in constant memory; and the class that is said of a score.

A score is any number that is larger where the class +1 is likelier. The bins are the floating-point numbers with the
same sign, exponent and leading `DIGITS` bits of the mantissa, so a bin is at most 2^-DIGITS of its scores wide whatever
their scale, and nothing has to be known of the scores beforehand. Scores below `SMALLEST` in size share one bin, those
from `LARGEST` on the outermost two. A histogram depends neither on the order of the rows nor on where batches end, and
two of them are merged by adding them.

Scores in one bin are taken for equal. What that can change is known: every figure comes with a bound of its error,

- area under the ROC curve: half the weight of the pairs (one of each class) that share a bin, over that of all pairs;
- average precision: in each bin the positives may come first or last;
- best F1: a threshold within a bin finds at most all positives of the bin, and none of its negatives.

A score is of the class +1 above a threshold: see `DecisionRule`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sonlearn.errors import OptionError
from sonlearn.options import LearnOptions

#: Leading bits of the mantissa that tell bins apart.
DIGITS = 10
_LOWEST, _HIGHEST = -20, 12
SMALLEST, LARGEST = 2.0**_LOWEST, 2.0**_HIGHEST
_SHIFT = 52 - DIGITS
_MAGNITUDE = 0x7FFF_FFFF_FFFF_FFFF
_FIRST = (1023 + _LOWEST) << DIGITS
#: Bins of the positive scores, of the negative ones as many, and one between them.
_HALF = ((_HIGHEST - _LOWEST) << DIGITS) + 1
BINS = 2 * _HALF + 1
BEST_F1, FPR = "best-f1", "fpr:"
FADING = 0.9
#: Rows of the rarer class at which the threshold is half-way between a probability of a half and the best score.
HALF_WAY = 3.0


def bins_of(scores: np.ndarray) -> np.ndarray:
    """int64[n] from 0 to BINS - 1: bins of the finite scores float64[n], in the order of the scores."""
    bits = np.ascontiguousarray(scores, dtype=np.float64).view(np.int64)
    size = np.clip(((bits & _MAGNITUDE) >> _SHIFT) - _FIRST + 1, 0, _HALF)
    return np.asarray(_HALF + np.where(bits < 0, -size, size))


def threshold_below(bin_: int) -> float:
    """The threshold above which exactly the scores of `bin_` and of the bins after it lie; -inf for the first bin."""
    if bin_ <= 0:
        return -math.inf
    size = bin_ - _HALF
    if size > 0:
        return float(np.nextafter(_edge(size), -np.inf))
    return -_edge(1 - size)


def _edge(size: int) -> float:
    """The least number of the `size`-th bin of positive scores, from 1 on."""
    return float(np.array([(size - 1 + _FIRST) << _SHIFT], dtype=np.int64).view(np.float64)[0])


class Bounded(NamedTuple):
    """A figure, and a bound of its error: the exact one is no further away."""

    value: float
    error: float


class Cut(NamedTuple):
    """What a threshold does: weights of the examples above it, by class.

    Attributes
    ----------
    threshold : float
        Scores above it are of the class +1.
    found : float
        Weight of the positive examples above it.
    false : float
        Weight of the negative examples above it.
    positives, negatives : float
        Weight of all examples of the class.
    """

    threshold: float
    found: float
    false: float
    positives: float
    negatives: float

    @property
    def precision(self) -> float:
        """Share of the positive examples among those above the threshold; 0 where there are none."""
        return self.found / (self.found + self.false) if self.found + self.false > 0 else 0.0

    @property
    def recall(self) -> float:
        """Share of the positive examples that are above the threshold; 0 where there are none."""
        return self.found / self.positives if self.positives > 0 else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.found / (self.positives + self.found + self.false) if self.found > 0 else 0.0

    @property
    def false_share(self) -> float:
        """Share of the negative examples that are above the threshold; 0 where there are none."""
        return self.false / self.negatives if self.negatives > 0 else 0.0


class ScoreHistogram:
    """Weights of the examples of two classes by their scores.

    Attributes
    ----------
    weights : float64[3, BINS]
        Summed importance weights of the class -1 and of the class +1, and how many examples of the class +1 there are.
        1.6 MB, of which the system lends the pages that are used.
    """

    def __init__(self) -> None:
        self.weights = np.zeros((3, BINS))

    def add(self, scores: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> None:
        """Add n examples, one by one: finite scores float64[n], bool[n], weights float64[n] > 0."""
        bins, every = bins_of(scores), self.weights.ravel()  # the latter in the same memory
        np.add.at(every, bins + BINS * positive, weight)
        np.add.at(every, bins[positive] + 2 * BINS, 1.0)

    def used(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(bins int64[k] that are not empty, ascending; weights float64[k] of their negatives, of their positives)."""
        bins = np.flatnonzero(self.weights[0] + self.weights[1])
        return bins, self.weights[0, bins], self.weights[1, bins]

    def totals(self) -> tuple[float, float]:
        """(weight of the negatives, weight of the positives)."""
        _, negatives, positives = self.used()
        return float(negatives.sum()), float(positives.sum())

    def auc(self) -> Bounded | None:
        """Area under the ROC curve: how probably a positive example has a larger score than a negative one.

        None while there are not both. Ties count half (Hanley and McNeil, Radiology 143, 1982).
        """
        _, n, p = self.used()
        pairs = n.sum() * p.sum()
        if not pairs > 0:
            return None
        below, tied = np.cumsum(n) - n, 0.5 * float(p @ n)
        return Bounded((float(p @ below) + tied) / float(pairs), tied / float(pairs))

    def average_precision(self) -> Bounded | None:
        """Sum over the thresholds of the precision times the recall gained there (scikit-learn's definition).

        None while there is no positive example.
        """
        bins, n, p = (part[::-1] for part in self.used())
        total = float(p.sum())
        if not total > 0:
            return None
        above, chosen = np.cumsum(n) - n, p > 0  # negatives above the bin; bins with positives
        several = self.weights[2, bins[chosen]] > 1
        n, p, above = n[chosen], p[chosen], above[chosen]
        found, others = np.cumsum(p) - p, above + n
        value = p * (found + p) / (found + p + others)
        first = p * (found + p) / (found + p + above)  # all positives of the bin before all of its negatives
        # The other way round, one by one: a sum over the steps of a function that grows, so at least its integral.
        ratio = np.where(found + others > 0, (found + others + p) / np.where(found + others > 0, found + others, 1), 1)
        last = np.where(several, p - others * np.log(ratio), value)
        error = max(float((first - value).sum()), float((value - last).sum()), 0.0)
        return Bounded(float(value.sum()) / total, error / total)

    def cut(self, threshold: float) -> Cut:
        """Return what `threshold`, taken down to the edge of its bin, does."""
        bins, n, p = self.used()
        first = int(bins_of(np.array([np.nextafter(threshold, np.inf)]))[0])
        above = bins >= first
        return Cut(threshold_below(first), *(float(part.sum()) for part in (p[above], n[above], p, n)))

    def cuts(self) -> list[Cut]:
        """Return what the threshold below each bin that is not empty does, from the highest to the lowest."""
        bins, found, false, *total = self._above()
        rows = zip(bins.tolist(), found.tolist(), false.tolist(), strict=True)
        return [Cut(threshold_below(bin_), a, b, *total) for bin_, a, b in rows]

    def _above(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float]:
        """(bins that are not empty, descending; weights of the positives and of the negatives from each on; of all)."""
        bins, n, p = (part[::-1] for part in self.used())
        return bins, np.cumsum(p), np.cumsum(n), float(p.sum()), float(n.sum())

    def at_false_share(self, most: float) -> Cut | None:
        """The lowest threshold above which at most that share of the negatives lies; None while there is none."""
        bins, found, false, positives, negatives = self._above()
        if not negatives > 0:
            return None
        at = int(np.count_nonzero(false <= most * negatives)) - 1
        if at < 0:  # the highest bin has more negatives than that
            return Cut(threshold_below(int(bins[0]) + 1), 0.0, 0.0, positives, negatives)
        return Cut(threshold_below(int(bins[at])), float(found[at]), float(false[at]), positives, negatives)

    def best_f1(self) -> tuple[Cut, float] | None:
        """(the threshold of the largest F1, a bound of how much larger another's could be).

        Of equal ones the highest. None while there is no positive example.
        """
        bins, found, false, positives, negatives = self._above()
        if not positives > 0:
            return None
        f1 = 2 * found / (positives + found + false)
        at = int(np.argmax(f1))
        most = float((2 * found / (positives + found + np.append(0.0, false[:-1]))).max())
        cut = Cut(threshold_below(int(bins[at])), float(found[at]), float(false[at]), positives, negatives)
        return cut, max(most - float(f1[at]), 0.0)


class DecisionRule:
    """Scores -> classes: by a threshold that is given, follows from costs, or has had the best F1 so far.

    ``--threshold P``: +1 where the probability of +1 exceeds P. ``--threshold cost:FN/FP``: where saying -1 would cost
    more on average than saying +1, a missed +1 costing FN and a false one FP, so where the probability exceeds
    FP/(FN + FP) (Elkan, IJCAI 2001). ``--threshold best-f1``: above the score that would have had the largest F1 on the
    rows learned so far. ``--threshold fpr:SHARE``: above the lowest score that had at most that share of the rows -1
    above it so far.

    Such a score is found anew when the number of rows has grown by a tenth, by a histogram, and holds for the rows
    after that one: no label reaches its own decision, and where batches end changes no bit. Each time the weights of
    the rows so far are multiplied by `FADING`, for scores drift while a learner learns: rows of the first half of a
    stream count about half as much as those of the second. The score that is best on a handful of rows is chance, so
    the threshold is P/(P + 3) of it, P the weight of the rarer class so far: it begins at a probability of a half. Of
    six real sets with 1 % and 5 % of positive rows and with all, 4,000 rows each, the mean F1 is .580 so, .531 with the
    best score as it is, .565 where ten positive rows are waited for, .520 at a half.

    Parameters
    ----------
    options : LearnOptions
        `threshold` and `loss`.

    Attributes
    ----------
    threshold : float
        The score above which the class is +1, for the rows to come.
    history : ScoreHistogram or None
        Scores and labels of the rows learned, where the threshold follows from them.
    """

    def __init__(self, options: LearnOptions):
        learns, given = options.learns_threshold, options.threshold
        self.threshold = 0.0 if given is None or learns else score_of(options.loss, options.threshold_at)
        self.history = ScoreHistogram() if learns else None
        self._most = float(given.removeprefix(FPR)) if isinstance(given, str) and given.startswith(FPR) else None
        self._rows, self._due = 0, 1

    def decided(self, scores: np.ndarray, y: np.ndarray, weight: np.ndarray, learned: np.ndarray) -> np.ndarray:
        """float64[n], -1 or +1: the class of each row, by what was known before it.

        Parameters
        ----------
        scores, y, weight : float64[n]
            Predictions before any link, labels (+1: above 0), importance weights.
        learned : bool[n]
            Rows whose label counts for those after it.
        """
        if self.history is None or not learned.any():
            return np.where(scores > self.threshold, 1.0, -1.0)
        out, places, start = np.empty(len(scores)), np.flatnonzero(learned), 0
        while start < len(scores):
            left = self._due - self._rows  # labels until the threshold is found anew
            end = int(places[left - 1]) + 1 if left <= len(places) else len(scores)
            part = slice(start, end)
            out[part] = np.where(scores[part] > self.threshold, 1.0, -1.0)
            counted, places = places[:left], places[left:]
            if len(counted):
                self.history.add(scores[counted], y[counted] > 0, weight[counted])
            self._rows += len(counted)
            if self._rows == self._due:
                self.threshold = self._found(self.history)
                self.history.weights[:2] *= FADING
                self._due = max(self._due + 1, math.ceil(1.1 * self._due))
            start = end
        return out

    def _found(self, history: ScoreHistogram) -> float:
        """The threshold that follows from a history."""
        if self._most is not None:
            cut = history.at_false_share(self._most)
            return 0.0 if cut is None else cut.threshold
        best, rarer = history.best_f1(), float(history.weights[:2].sum(axis=1).min())
        return 0.0 if best is None else best[0].threshold * rarer / (rarer + HALF_WAY)

    def packed(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """(header, arrays of a model's file) of what has been learned; empty where nothing is."""
        if self.history is None:
            return {}, {}
        bins, _, _ = self.history.used()
        header = {"threshold": self.threshold, "rows": self._rows, "due": self._due}
        return header, {"decision.bins": bins.astype(np.int64), "decision.weights": self.history.weights[:, bins]}

    def restore(self, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Inverse of `packed`; KeyError, TypeError or ValueError where it is none."""
        if not header:
            return
        bins, weights = arrays["decision.bins"], arrays["decision.weights"]
        fit = bins.dtype == np.int64 and weights.shape == (3, len(bins)) and weights.dtype == np.float64
        if not fit or (len(bins) and not (bins.min() >= 0 and bins.max() < BINS)):
            raise ValueError("the history of scores is none")
        self.history = ScoreHistogram()
        self.history.weights[:, bins] = weights
        self.threshold = float(header["threshold"])
        self._rows, self._due = int(header["rows"]), int(header["due"])


def score_of(loss: str, p: float) -> float:
    """The score at which the probability of +1 is p, within (0, 1). Raises OptionError: the loss tells none."""
    if loss == "logistic":
        return math.log(p / (1.0 - p))
    if loss in ("squared", "squared_hinge"):
        return 2.0 * p - 1.0
    raise OptionError(f"--threshold {p:g} with --loss {loss}: it tells no probability; give --threshold {BEST_F1}")
