"""What rows count for a committee by their weights, and errors by their size; by definition."""

import numpy as np

from sonlearn.learn.ensemble.combiner import PERIOD, RETENTION


def relative(weight: np.ndarray, y: np.ndarray) -> np.ndarray:
    """h/M, M the mean of the weights of the rows learned so far and this one."""
    out, seen = np.array(weight, dtype=float), []
    for i in np.flatnonzero(out > 0):
        out[i] /= np.mean([*seen, weight[i]])
        if not np.isnan(y[i]):
            seen.append(weight[i])
    return out


def of_error(errors: list[tuple[float, float]], error: float, h: float) -> float:
    """What an error counts: its share within 8 times the root mean square of those before, over that mean square.

    `errors`: (weight, error as it counted) of the rows before, which fade; this one is added.
    """
    total = sum(one for one, _ in errors)
    mean = sum(one * e**2 for one, e in errors) / total if total >= 10 else 1.0
    share = 8 * np.sqrt(mean) / error if total >= 10 and 0 < 8 * np.sqrt(mean) < error else 1.0
    errors.append((h, error * share))
    if len(errors) % PERIOD == 0:
        errors[:] = [(RETENTION * one, e) for one, e in errors]
    return share / np.clip(mean, 0.01, 1.0)
