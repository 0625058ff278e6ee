"""The class that is said of a score: a threshold that is given, follows from costs, or has had the best F1 so far.

``--threshold P``: +1 where the probability of +1 exceeds P. ``--threshold cost:FN/FP``: where saying -1 would cost more
on average than saying +1, a missed +1 costing FN and a false one FP, so where the probability exceeds FP/(FN + FP)
(Elkan, IJCAI 2001). ``--threshold best-f1``: above the score that would have had the largest F1 on the rows learned so
far. ``--threshold fpr:SHARE``: above the lowest score that had at most that share of the rows -1 above it so far.
Such a score is found anew when the number of rows has grown by a tenth, by a histogram of constant size
(`sonlearn.learn.scores`), and holds for the rows after that one: no label reaches its own decision, and where batches
end changes no bit. Each time the weights of the rows so far are multiplied by `FADING`, for scores drift while a
learner learns: rows of the first half of a stream count about half as much as those of the second. The score that is
best on a handful of rows is chance, so the threshold is P/(P + 3) of it, P the weight of the rarer class so far: it
begins at a probability of a half. Of six real sets with 1 % and 5 % of positive rows and with all, 4,000 rows each, the
mean F1 is .580 so, .531 with the best score as it is, .565 where ten positive rows are waited for, .520 at a half.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sonlearn.errors import OptionError
from sonlearn.learn.scores import BINS, ScoreHistogram
from sonlearn.options import LearnOptions

BEST_F1, FPR = "best-f1", "fpr:"
FADING = 0.9
#: Rows of the rarer class at which the threshold is half-way between a probability of a half and the best score.
HALF_WAY = 3.0


class DecisionRule:
    """Scores -> classes.

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
        """(header, arrays) of what has been learned; empty where nothing is."""
        if self.history is None:
            return {}, {}
        bins, _, _ = self.history.used()
        header = {"threshold": self.threshold, "rows": self._rows, "due": self._due}
        return header, {"bins": bins.astype(np.int64), "weights": self.history.weights[:, bins]}

    def restore(self, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Inverse of `packed`; KeyError, TypeError or ValueError where it is none."""
        bins, weights = arrays["bins"], arrays["weights"]
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
