"""What was predicted for a batch, whatever the kind of problem.

What is reported of it is the prediction itself, its value under a link, or a class. As in VW, a link changes neither
the loss nor the learning. ``--binary`` also changes the reported loss: 1 for a wrong class.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sonlearn.options import LearnOptions
from sonlearn.options.losses import PROBABILISTIC as PROBABILISTIC


class Predicted(NamedTuple):
    """What was predicted for a batch of n rows.

    Of several classes K are known by now: `Learner.classes` has their labels. What a kind of problem has not is None.

    Attributes
    ----------
    prediction : float64[n]
        What the loss is of (w'x within [-C, C]), or what ``--link`` or ``--binary`` make of that. Of several classes
        the label of the class with the highest score, of names their place in `Learner.classes` (and a half, if the
        first class is a number); before any class has been met 1 with ``--oaa``, else NaN.
    raw : float64[n]
        w'x before any of that; of several classes the highest score, the log-odds of the class against all others where
        the loss is logistic.
    loss : float64[n]
        l(prediction, label) before a link and without the importance weight, with ``--binary`` 1 for a wrong class; of
        several classes -ln of the probability of the row's class. NaN without a label, and of `Learner.predict` with
        one that has not been learned.
    refused : bool[n]
        Rows that could not be learned from (`Learner.partial_fit`): their other entries say nothing.
    label : float64[n]
        Labels as they are written, in the terms of `prediction`: NaN without one. Words of two classes are -1 and +1, a
        name of several that has not been met is -1 (-1/2); of `Learner.predict` one that does not fit is -inf.
    decided : float64[n]
        Of two classes -1 or +1: the class that ``--threshold`` gives, of what was known before the row. Of several
        classes `prediction`.
    offline : float64[n]
        What `raw` would be of the model at rest, to which no labels come any more (of a committee with members that
        forget; else it is `raw`).
    scores : float64[n, K]
        Of several classes the score of each; of one that had not been met by then, that of a learner that takes no row
        as its own. Else `raw`, as the only column.
    low, high : float64[n]
        With ``--coverage``, of values: the ends of the intervals.
    sets : bool[n, 2] or bool[n, K]
        With ``--coverage``, of classes: whether -1 and +1, or each class met before the row, are in the row's set.
    probabilities : float64[n, K]
        Of each of several classes; 0 for one that had not been met by then with ``--classes auto``.
    other : float64[n]
        Of several classes: with ``--oaa`` the probability of each class that has not been met; else 0.
    met : int64[n]
        Of several classes: how many had been met before the row.
    unseen : float64[n]
        Of several classes: the score of one that has not been met, as long as there can be one.
    """

    prediction: np.ndarray
    raw: np.ndarray
    loss: np.ndarray
    refused: np.ndarray
    label: np.ndarray
    decided: np.ndarray
    offline: np.ndarray
    scores: np.ndarray
    low: Any = None
    high: Any = None
    sets: Any = None
    probabilities: Any = None
    other: Any = None
    met: Any = None
    unseen: Any = None


def chosen_of(predicted: Any, rows: Any) -> Any:
    """Return what was predicted for some of the rows: `rows` is bool[n], int64[k] or a slice."""
    return type(predicted)(*(None if part is None else part[rows] for part in predicted))


def linked(link: str, p: np.ndarray) -> np.ndarray:
    """float64[n]: predictions p, float64[n], under a `link` of `sonlearn.options.learning.LINKS`."""
    if link == "identity":
        return p
    if link == "poisson":
        return np.exp(np.minimum(p, 700.0))  # a larger argument would overflow
    return logistic(p) if link == "logistic" else 2.0 * logistic(p) - 1.0


def logistic(p: np.ndarray) -> np.ndarray:
    """1/(1 + exp(-p)), without overflow."""
    return np.exp(-np.logaddexp(0.0, -p))


def probability(loss: str, p: np.ndarray) -> np.ndarray:
    """float64[n]: the probability of +1 for predictions p; for losses that tell none, a number that grows with p."""
    return np.clip(0.5 + 0.5 * p, 0.0, 1.0) if loss in ("squared", "squared_hinge") else logistic(p)


def reported(
    options: LearnOptions, p: np.ndarray, decided: np.ndarray, y: np.ndarray, loss: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(reported predictions, reported losses) for predictions p and decided classes (-1 or +1), float64[n] each.

    With --binary the class is reported, and a loss of 1 for a wrong one. The loss of a row without a label is NaN.
    """
    if not options.binary:
        return linked(options.link, p), loss
    return decided, np.where(np.isnan(y), np.nan, (decided != y).astype(np.float64))


def probabilities(options: LearnOptions, raw: np.ndarray) -> np.ndarray:
    """float64[..., K or 2] from raw predictions of losses in `PROBABILISTIC`, float64[..., K or 1]; rows sum to 1.

    Of two classes they are of -1 and +1, within --clip.
    """
    if options.softmax:
        p = np.exp(raw - raw.max(axis=-1, keepdims=True, initial=-1e300))
        return np.asarray(p / p.sum(axis=-1, keepdims=True))
    if not options.several:
        low, high = options.bounds
        p = probability(options.loss, np.minimum(np.maximum(raw, low), high))
        return np.concatenate([1.0 - p, p], axis=-1)
    p = probability(options.loss, raw)
    total = p.sum(axis=-1, keepdims=True)
    return np.asarray(np.divide(p, total, out=np.full_like(p, 1.0 / p.shape[-1]), where=total > 0))
