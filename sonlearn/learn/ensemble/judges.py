"""Who says what members are worth beside each other, at a checkpoint (`pruning`), from their history.

`ReplayJudge` runs a combiner anew over the last rows, for each set of members that it is asked for: what will come of
it. Where labels are mostly chance, even a member that tells all there is to tell changes the loss little: its growth is
a share of the loss or, where that is less, of what is explained of it. `FittedJudge`, of several classes, looks for the
weights that are best for the rows: a replay for each member that might go takes three times as long, and while rows are
few a combiner is still learning.
"""

from __future__ import annotations

import functools
import math
import threading
from typing import TYPE_CHECKING

import numpy as np

from sonlearn.learn.ensemble.history import WIDTH, History, multiplicity
from sonlearn.learn.ensemble.pruning import PruningCase

if TYPE_CHECKING:
    from sonlearn.learn.ensemble.target import Target

#: What is explained of a loss counts as this share of it at least.
LEAST = 0.05
#: Standard errors by which the growth of a loss may be larger than it was found to be, while members are young.
DOUBT = 1.5
#: Newton steps to the best weights, at most, and a step that is no longer worth another.
STEPS, CLOSE = 8, 1e-3
#: Rows at a time: products of larger arrays are shared among threads that wait for each other.
BLOCK = 2048
#: Prior precision of the weights that are fitted.
PRIOR = 1.0


class ReplayJudge:
    """Growths of the mean loss of combiners run anew, on the last three quarters of the rows.

    Parameters
    ----------
    target : Target
    case : PruningCase
    """

    def __init__(self, target: Target, case: PruningCase):
        self._target, self._case, self._loss = target, case, functools.cache(self._replayed)
        self._means = tuple(i for i in range(len(case.costs)) if case.inputs[i].method in ("ewma", "shares"))
        self._first = threading.Lock()

    def growth(self, left: list[int], unit: list[int]) -> float:
        """By what share the loss of a combination of those `left` grows without those of the `unit`.

        The share is of the loss or, where that is less, of what it is below the loss of means of the labels; where no
        member is one, of a combination of nothing.
        """
        with self._first:  # who asks at the same time waits for it
            now, constant = self._loss(tuple(left)), self._loss(self._means)
        share = max(min(now, constant - now), LEAST * now, 1e-300)
        return (self._loss(tuple(i for i in left if i not in unit)) - now) / share

    def _replayed(self, chosen: tuple[int, ...]) -> float:
        """The loss of a combiner of the `chosen`."""
        case = self._case
        at = [*chosen, *range(len(case.costs), len(case.inputs))]
        _, losses, weight = self._target.replayed(case, at, judges=True)
        start = len(losses) // 4
        known = start + np.flatnonzero(~np.isnan(losses[start:]))
        return float(np.average(losses[known], weights=weight[known])) if len(known) else 0.0


class FittedJudge:
    """By what share of itself the loss of members of several classes grows without one of them, at most.

    Of the loss with the best weights for the last three quarters of the rows, and without a member that with the
    weights to which one Newton step leads: no less than the least there is. A weight that is of no use makes the loss
    of n rows that it was fitted to less by 1/(2 n) in the mean: that is taken off. `DOUBT` standard errors of the
    difference are added, so that what has not been shown to be of no use stays: a thousand rows tell little.
    """

    def __init__(self, case: PruningCase):
        self._case, self._growths = case, dict[tuple[int, ...], np.ndarray]()
        self._w, self._first = np.array([each.weight for each in case.inputs]), threading.Lock()

    def growth(self, left: list[int], unit: list[int]) -> float:
        """The growth without those of the `unit`, which are taken one by one."""
        with self._first:  # who asks at the same time waits for it
            if tuple(left) not in self._growths:  # weights are near those that are best without one of them
                self._w[left], self._growths[tuple(left)] = fitted(self._case, left, start=self._w)
        return float(self._growths[tuple(left)][[left.index(i) for i in unit]].sum())


def fitted(case: PruningCase, chosen: list[int], start: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The weights of least loss of the `chosen` on the rows that judge, sought from `start` on (float64[k], of all).

    And the growth without each, see `FittedJudge`; float64[chosen] both.

    What there is of each row is in float32, as in the history: growths are compared with shares of a hundredth.
    """
    members, every, k = [case.inputs[i] for i in chosen], case.history.classes, len(chosen)
    w_0, own = (np.array([getattr(member, what) for member in members]) for what in ("weight", "precision"))
    first, precision = len(every) // 4, np.maximum(PRIOR, own)
    judging = first + np.flatnonzero(every[first:] > 0)
    n, size = len(judging), min(max(len(judging), 1), BLOCK)
    history = History(*(part[np.append(judging, judging[:1].repeat(-n % size))] for part in case.history))
    h, classes = history.weight.astype(np.float32).reshape(-1, size), history.classes
    h.flat[n:] = 0.0  # rows that fill the last block
    total = float(h.sum(dtype=np.float64))
    if not total > 0.0:
        return w_0, np.full(k, math.inf)
    V = history.inputs[:, chosen].reshape(-1, size, k, WIDTH).transpose(3, 0, 2, 1).astype(np.float32, order="C")
    counted = np.where(np.arange(WIDTH) < classes[:, None], multiplicity(classes), -math.inf)
    counted = counted.reshape(-1, size, WIDTH).transpose(2, 0, 1).astype(np.float32)
    w = w_0.copy() if start is None else start[chosen]
    for _ in range(STEPS):
        p, _ = probabilities(counted + w.astype(np.float32) @ V)
        mean = np.einsum("cbkn,cbn->bkn", V, p)
        H = (V * (h * p)[:, :, None] @ V.swapaxes(2, 3)).sum(axis=(0, 1))
        H -= (h[:, None] * mean @ mean.swapaxes(1, 2)).sum(axis=0)
        A = np.diag(precision) + (H + H.T) / 2.0
        step = np.linalg.solve(A, precision * (w - w_0) + np.einsum("bkn,bn->k", mean - V[0], h))
        longest = np.abs(step).max()
        w -= step * min(1.0, 1.0 / longest) if longest > 0.0 else 0.0
        if longest < CLOSE:
            break
    inverse = np.linalg.inv(A)
    others = w - inverse * (w / np.diag(inverse))[:, None]  # row j: the weights where that of member j is 0
    now = probabilities(counted + w.astype(np.float32) @ V)[1]
    without = probabilities(counted[:, :, None] + others.astype(np.float32) @ V)[1]
    more, loss = without - now[:, None], max(float((now * h).sum(dtype=np.float64)) / total, 1e-300)
    mean = np.einsum("bkn,bn->k", more, h) / total
    spread = np.sqrt(np.einsum("bkn,bn->k", (more - mean[:, None]) ** 2, h * h)) / total
    return w, (mean + DOUBT * spread - float((h * h).sum()) / (2.0 * total * total)) / loss


def probabilities(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(softmax along the first axis, the losses of its first entries); z : float32[WIDTH, ...]."""
    top = z.max(axis=0)
    p = np.exp(z - top)
    total = p.sum(axis=0)
    return p / total, np.log(total) + top - z[0]
