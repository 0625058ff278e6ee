"""What rows count for a committee by their weights, errors by their size, and how it combines; by definition."""

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


class Combining:
    """The combiner with an explicit matrix, A_0 = diag(precision) at first, and weights w; float64[k] each."""

    def __init__(self, w, precision):
        self.w, self._A_0 = w, np.diag(precision)
        self.A, self._rows, self._errors = self._A_0.copy(), 0, []

    def step(self, v, slope, c, h, error=None):
        """A <- A + h c v v', w <- w - h l' A^-1 v; every PERIOD rows A fades; with an `error` see `of_error`."""
        worth = 1.0 if error is None else of_error(self._errors, error, h)
        self.A = self.A + h * (c * worth) * np.outer(v, v)
        self.w = self.w - h * (slope * worth) * np.linalg.solve(self.A, v)
        self._rows += 1
        if self._rows % PERIOD == 0:
            self.A = RETENTION * self.A + (1 - RETENTION) * self._A_0
