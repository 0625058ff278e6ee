"""Reported predictions: the prediction itself, its value under a link, or a class.

As in VW, a link changes neither the loss nor the learning. ``--binary`` also changes the reported loss: 1 for a wrong
class.
"""

from __future__ import annotations

import numpy as np

from sonlearn.errors import OptionError
from sonlearn.options import LearnOptions
from sonlearn.options.learning import LINKS
from sonlearn.options.losses import PROBABILISTIC as PROBABILISTIC


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
