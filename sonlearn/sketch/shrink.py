"""The shrink step: squared singular values in, lowered ones and delta out, by the values of a `Rule`."""

from __future__ import annotations

import numpy as np

from sonlearn.sketch.rules import Rule


def shrink(rule: Rule, squares: np.ndarray) -> tuple[np.ndarray, float]:
    """s'_j = max(s_j - max(w_j delta, s_low), 0) for all j ([GFD] Alg. 6; `sonlearn.sketch.rules`).

    Parameters
    ----------
    squares : float64[n], descending
        n at most ``rule.buffer``; those that are not given are zero.

    Returns
    -------
    squares : float64[buffer], zero from place ``rule.most + 1`` on
    delta : float
        No direction loses more than that.
    """
    s = np.zeros(rule.buffer)
    s[: len(squares)] = squares
    w = np.ones(rule.buffer)
    w[: len(rule.weights)] = rule.weights
    delta, cap = s[rule.pivot - 1], rule.lam * s[rule.cap - 1]
    if rule.clip:
        decrease = np.minimum(w * delta, cap)
        delta = min(delta, cap)
    else:
        top = w.max()
        if top * delta > cap:
            delta = cap / top
        decrease = w * delta
    if rule.low is not None:
        decrease = np.maximum(decrease, s[rule.low - 1])
    return np.maximum(s - decrease, 0.0), float(delta)
