"""Measures of predictions, and how they are averaged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def errors(prediction: np.ndarray, y: np.ndarray) -> float:
    """Number of rows whose sign is wrong (0 is -1); what is no number is half a mistake, as a coin's flip."""
    wrong = np.where(prediction > 0, 1.0, -1.0) != y
    return float(np.sum(np.where(np.isnan(prediction), 0.5, wrong)))


def error_ratio(ours: float, theirs: float) -> float:
    """Ratio of two numbers of errors; half an error is added to each, so that none is 0 and no mean of logs breaks."""
    return (ours + 0.5) / (theirs + 0.5)


def log_loss(log_odds: np.ndarray, y: np.ndarray) -> float:
    """Mean of -ln of the probability of the label; what is no number is probability 1/2. NaN where all are none."""
    if np.isnan(log_odds).all():
        return np.nan
    return float(np.mean(np.logaddexp(0.0, -y * np.nan_to_num(log_odds, nan=0.0, posinf=np.inf, neginf=-np.inf))))


def squared(prediction: np.ndarray, y: np.ndarray) -> float:
    """Mean squared error; infinite where a prediction is no number."""
    mean = float(np.mean((prediction - y) ** 2))
    return np.inf if np.isnan(mean) else mean


def running_mean(y: np.ndarray) -> np.ndarray:
    """The mean of the labels before each row, 0 for the first."""
    return np.concatenate([[0.0], np.cumsum(y)[:-1] / np.arange(1, len(y))])


def geometric(ratios: Sequence[float]) -> float:
    """Geometric mean of what is a number; NaN where nothing is."""
    ratios = [ratio for ratio in ratios if not np.isnan(ratio)]
    return float(np.exp(np.mean(np.log(ratios)))) if ratios else np.nan
