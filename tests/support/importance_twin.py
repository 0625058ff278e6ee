"""Importance weights as a committee takes them, by their definition."""

from __future__ import annotations

import numpy as np


def relative(weight: np.ndarray, y: np.ndarray) -> np.ndarray:
    """h/M, M the mean of the weights of the rows learned so far and this one."""
    out, seen = np.array(weight, dtype=float), []
    for i in np.flatnonzero(out > 0):
        out[i] /= np.mean([*seen, weight[i]])
        if not np.isnan(y[i]):
            seen.append(weight[i])
    return out
