"""Importance weights as a committee takes them: in a unit of their own, the mean of those so far.

Weights say how rows count beside each other. In what unit they come is nobody's concern: a weight of people that a row
stands for is a million, a share of them a millionth. Members and combiner have priors and first steps that are made for
rows that count about once, so a row of the mean weight is one example, one of a hundred times that a hundred.
"""

from __future__ import annotations

import numpy as np

from sonlearn.jit import jit

#: A weight that is not 0 stays so, however small it is beside the mean.
LEAST = 1e-50


def relative_weights(now: np.ndarray, weight: np.ndarray, y: np.ndarray, learn: bool = True) -> np.ndarray:
    """float64[n]: h/M for importance weights h in the order of the stream, M their running mean, this one included.

    All weights times a power of two give the same bits; where all weights are 1, so they stay. A row that is only
    predicted gets what it would get if it were learned from next.

    Parameters
    ----------
    now : structured [1], with fields `weighted` and `weight`
        Rows that were learned from, and the sum of their weights; with `learn` changed in place.
    weight, y : float64[n]
        A row of weight 0 or without a label (NaN) is not learned from.
    learn : bool
        Whether the others are.
    """
    out = np.empty(len(weight))
    divide(now, weight, y, learn, out)
    return out


@jit
def divide(now, weight, y, learn, out):
    """out[i] <- h_i/M; counts the rows that are learned from. Arguments as of `relative_weights`; `out` is filled."""
    for i in range(len(weight)):
        out[i] = weight[i]
        if not weight[i] > 0.0:
            continue
        rows, total = now[0]["weighted"] + 1, now[0]["weight"] + weight[i]
        out[i] = max(weight[i] / (total / rows), LEAST)
        if learn and y[i] == y[i]:
            now[0]["weighted"], now[0]["weight"] = rows, total
