"""Reported predictions: the prediction itself, its value under a link, or a class.

As in VW, a link changes neither the loss nor the learning. ``--binary`` also changes the reported loss: 1 for a wrong
class.
"""

from __future__ import annotations

import numpy as np

from sonlearn.errors import OptionError
from sonlearn.options import LearnOptions
from sonlearn.options.learning import LINKS

#: Losses whose minimiser determines the probability P of a class: it is the logit of P, or 2 P - 1.
PROBABILISTIC = ("logistic", "squared", "squared_hinge")


def linked(link: str, p: np.ndarray) -> np.ndarray:
    """float64[n]: predictions p, float64[n], under `link`. Raises OptionError if there is no such link."""
    match link:
        case "identity":
            return p
        case "logistic":
            return logistic(p)
        case "glf1":
            return 2.0 * logistic(p) - 1.0
        case "poisson":
            return np.exp(np.minimum(p, 700.0))  # a larger argument would overflow
    raise OptionError(f"--link {link}: expected one of {', '.join(LINKS)}")


def logistic(p: np.ndarray) -> np.ndarray:
    """1/(1 + exp(-p)), without overflow."""
    return np.exp(-np.logaddexp(0.0, -p))


def reported(options: LearnOptions, p: np.ndarray, y: np.ndarray, loss: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(reported predictions, reported losses) for predictions p, labels y and losses; float64[n] each.

    With --binary a prediction above 0 is class +1, as in VW. The loss of a row without a label is NaN.
    """
    if not options.binary:
        return linked(options.link, p), loss
    classes = np.where(p > 0.0, 1.0, -1.0)
    return classes, np.where(np.isnan(y), np.nan, (classes != y).astype(np.float64))


def probabilities(loss: str, raw: np.ndarray, softmax: bool = False) -> np.ndarray:
    """float64[n, K] from raw predictions of losses in `PROBABILISTIC`, float64[n, K or 1]; rows sum to 1.

    `softmax`: the scores are logarithms of probabilities, as those of a committee of several classes are.
    """
    if softmax:
        p = np.exp(raw - raw.max(axis=1, keepdims=True, initial=-1e300))
        return np.asarray(p / p.sum(axis=1, keepdims=True))
    p = logistic(raw) if loss == "logistic" else np.clip((1.0 + raw) / 2.0, 0.0, 1.0)
    if p.shape[1] == 1:
        return np.hstack([1.0 - p, p])
    total = p.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(p, total, out=np.full_like(p, 1.0 / p.shape[1]), where=total > 0))
