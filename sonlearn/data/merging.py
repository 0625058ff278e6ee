"""Arithmetic of a merge: what several learners have added to a common start, put into one.

Each of G learners began as a copy of the `base` and learned rows of its own. A sum over rows merges exactly:

    X = sum_g a_g X_g - sum_{g < G} a_g X_base

where a_g is what forgetting leaves of learner g's sum after the rows of the learners behind it (1 without forgetting):
the sum of one learner that has learned all rows in that order. Weights are no sums. With q_g, what learner g has added
to the feature's precision (or the rows that it has learned), they move by

    w = w_base + sum_g q_g^p (w_g - w_base) / (sum_g q_g)^p

Of equal learners p = 1 is the average: what all corrected is corrected once. p = 1/2 is what AdaGrad would add up if
gradients did not shrink on the way: its moves grow as the square root of the rows. It diverges within a few merges.
p = 3/4 (POWER) has less loss than 1 on 22 of 24 pairs of six methods and four sets, 8 learners (docs/cluster.md).

From the second merge on, weights then go on as they moved before, by MOMENTUM (w_base - w_previous): what many rounds
change in the same direction is moved further than an average, and what goes to and fro is not (the momentum of
Polyak 1964, between rounds as Chen and Huo have it: Scalable training of deep learning machines by incremental block
training, ICASSP 2016).

A merge of merged learners of the same base is the merge of all of them, so that merges may form a tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Arrays = Sequence[np.ndarray]

#: p of the weights' moves.
POWER = 0.75
#: Share of the last round's moves that weights go on by after a merge.
MOMENTUM = 0.5


def shares(rows: Sequence[float], retention: float = 1.0) -> np.ndarray:
    """float64[G]: a_g, of learners that have learned so many rows each since the base."""
    behind = np.cumsum(np.asarray(rows, dtype=np.float64)[::-1])[::-1] - np.asarray(rows, dtype=np.float64)
    return np.asarray(retention**behind)


def summed(base: Any, others: Sequence[Any], by: np.ndarray) -> Any:
    """The merged sum of arrays (or numbers) of one shape; `by` are `shares`."""
    total = others[-1] * 1
    for share, other in zip(by[:-1], others[:-1], strict=True):
        total = total + (other - base if share == 1.0 else share * (other - base))
    return total


def added(
    base: np.ndarray, others: Arrays, rows: Sequence[float], retention: float, by: np.ndarray
) -> list[np.ndarray]:
    """Return what each learner has added to a sum, as much as is left of it in the merged sum; not below 0."""
    retained = (retention ** float(n) * base for n in rows)
    return [np.maximum(share * (other - own), 0.0) for share, other, own in zip(by, others, retained, strict=True)]


def moved(base: np.ndarray, others: Arrays, gains: Arrays) -> np.ndarray:
    """Weights: base + sum_g gain_g^p (w_g - base) / (sum_g gain_g)^p; base where nobody has gained anything."""
    total = np.sum(gains, axis=0)
    by = np.sum([gain**POWER * (w - base) for gain, w in zip(gains, others, strict=True)], axis=0)
    return np.asarray(base + np.divide(by, total**POWER, out=np.zeros(np.shape(base)), where=total > 0.0))


def spectrum(rows: Arrays, by: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, descending, and eigenvectors of sum_g by_g R_g'R_g, on the span of all rows.

    Parameters
    ----------
    rows : of float64[r_g, features]
    by : of each its factor, of any sign

    Returns
    -------
    float64[n] and float64[n, features], the latter orthonormal to the last digits; n is the least of rows and features.
    """
    factors = np.concatenate([np.full(len(own), share) for own, share in zip(rows, by, strict=True)])
    R = np.concatenate(list(rows))[factors != 0.0]
    Q, T = np.linalg.qr(R.T)
    lam, U = np.linalg.eigh((T * factors[factors != 0.0]) @ T.T)
    return lam[::-1], (Q @ U[:, ::-1]).T


def renumbered(array: np.ndarray, numbers: np.ndarray, features: int, *, shared: bool = False) -> np.ndarray:
    """`array`, whose row f becomes row numbers[f] of `features` rows; below 0: left out. Other rows are zeros.

    If that changes nothing, and what comes out may be `shared`, it is `array` itself.
    """
    own = numbers[: len(array)]
    same = int(np.argmax(np.append(own != np.arange(len(own)), True)))  # the base's features mostly, which come first
    if shared and same == len(array) == features:
        return array
    out = np.zeros((features, *array.shape[1:]), array.dtype)
    out[:same] = array[:same]
    known = own[same:] >= 0
    out[own[same:][known]] = array[same:][known]
    return out


def moments(base: np.ndarray, others: Arrays) -> np.ndarray:
    """Merged moments, float64[..., 3]: weight, mean, sum of squared deviations from it (Chan, Golub, LeVeque 1983)."""
    total = np.array(base, dtype=np.float64)
    for other in others:
        if not np.any(base[..., 0]):
            part = other
        else:
            n = np.maximum(other[..., 0] - base[..., 0], 0.0)
            mean = quotient(other[..., 0] * (other[..., 1] - base[..., 1]), n) + base[..., 1]
            apart = (mean - base[..., 1]) ** 2 * quotient(base[..., 0] * n, other[..., 0])
            squares = np.maximum(other[..., 2] - base[..., 2] - apart, 0.0)
            part = np.stack([n, np.where(n > 0.0, mean, 0.0), np.where(n > 0.0, squares, 0.0)], axis=-1)
        total = _pooled(total, part)
    return total


def _pooled(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    n = a[..., 0] + b[..., 0]
    share, apart = quotient(b[..., 0], n), b[..., 1] - a[..., 1]
    mean = np.where(a[..., 0] > 0.0, a[..., 1] + share * apart, b[..., 1])
    squares = a[..., 2] + b[..., 2] + np.where(a[..., 0] > 0.0, a[..., 0] * share * apart**2, 0.0)
    return np.stack([n, mean, squares], axis=-1)


def quotient(a: Any, b: np.ndarray) -> np.ndarray:
    """a / b, 0 where b is 0."""
    return np.asarray(np.divide(a, b, out=np.zeros(np.broadcast(a, b).shape), where=b > 0.0))
