"""Who says what members are worth beside each other, at a checkpoint (`pruning`), from their history.

`ReplayJudge` runs a combiner anew over the last rows, for each set of members that it is asked for: what will come of
it. `FittedJudge`, of several classes, looks for the weights that are best for the rows: a replay for each member that
might go takes three times as long, and while rows are few a combiner is still learning.
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sonlearn.jit import bare_inline, bare_jit
from sonlearn.learn.ensemble.history import WIDTH, History, multiplicity
from sonlearn.learn.ensemble.pruning import PruningCase
from sonlearn.learn.linear_algebra import add_scaled, exponential, largest, total_of

if TYPE_CHECKING:
    from sonlearn.learn.ensemble.target import Target

#: Standard errors by which the growth of a loss may be larger than it was found to be, while members are young.
DOUBT = 1.5
#: Newton steps to the best weights, at most, and a step that is no longer worth another.
STEPS, CLOSE = 8, 1e-3
#: Sums of probabilities are no less, so that they have a logarithm.
TINIEST = 1e-300
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
        self._target, self._case, self._found = target, case, dict[tuple[int, ...], float]()
        self._first = threading.Lock()

    def growth(self, left: list[int], unit: list[int]) -> float:
        """By what share of itself the loss of a combination of those `left` grows without those of the `unit`."""
        with self._first:  # who asks at the same time waits for it
            now = self.loss(left)
        return (self.loss([i for i in left if i not in unit]) - now) / max(now, 1e-300)

    def still_learns(self, i: int) -> bool:
        """Whether the own loss of member i is still falling."""
        return self._target.still_learns(self._case, i)

    def loss(self, chosen: list[int]) -> float:
        """The loss of a combiner of the `chosen`, worked out once."""
        if tuple(chosen) not in self._found:
            self._found[tuple(chosen)] = self._replayed(chosen)
        return self._found[tuple(chosen)]

    def _replayed(self, chosen: list[int]) -> float:
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
        self._case, self._fits = case, dict[tuple[int, ...], Fit]()
        self._w, self._first = np.array([each.weight for each in case.inputs]), threading.Lock()

    def growth(self, left: list[int], unit: list[int]) -> float:
        """The growth without those of the `unit`, which are taken one by one."""
        with self._first:  # who asks at the same time waits for it
            if tuple(left) not in self._fits:
                found = self._fits[tuple(left)] = fitted(self._case, left, start=self._w)
                self._w[left] = found.w  # near those that are best without one of them
        return float(self._fits[tuple(left)].growth[[left.index(i) for i in unit]].sum())

    def still_learns(self, i: int) -> bool:
        """Nobody knows."""
        return False


class Judged(NamedTuple):
    """The rows of a history that judge."""

    scores: np.ndarray  # float32[rows, k, WIDTH]
    classes: np.ndarray  # int64[rows]; how many scores there are
    counted: np.ndarray  # float64[rows, WIDTH]; logarithms of how many classes each stands for
    weight: np.ndarray  # float64[rows]; 0 where there was nothing to lose


class Sums(NamedTuple):
    """Space for one row."""

    p: np.ndarray  # float64[WIDTH]
    z: np.ndarray  # float64[WIDTH]
    mean: np.ndarray  # float64[k]
    apart: np.ndarray  # float64[WIDTH, k]


def classes_of(history: History) -> np.ndarray:
    """int64[rows]: how many classes there were to choose from; 0 where the row's own had not been met."""
    return history.facts[:, 0].astype(np.int64)


class Fit(NamedTuple):
    """Weights of some members for the rows that judge, and what it costs to do without one of them."""

    w: np.ndarray  # float64[k]
    growth: np.ndarray  # float64[k]; see `FittedJudge`


def fitted(case: PruningCase, chosen: list[int], doubt: float = DOUBT, start: np.ndarray | None = None) -> Fit:
    """The weights of least loss of the `chosen` on the rows that judge, sought from `start` on (float64[k], of all)."""
    members, first = [case.inputs[i] for i in chosen], len(case.history.facts) // 4
    history = History(*(part[first:] for part in case.history))
    w_0, own = (np.array([getattr(member, what) for member in members]) for what in ("weight", "precision"))
    at, precision, classes = np.array(chosen, dtype=np.int64), np.maximum(PRIOR, own), classes_of(history)
    rows = Judged(
        history.inputs, np.minimum(classes, WIDTH), multiplicity(classes), np.where(classes > 0, history.weight, 0.0)
    )
    total = rows.weight.sum()
    if not total > 0.0:
        return Fit(w_0, np.full(len(chosen), math.inf))
    w, k = w_0.copy() if start is None else start[chosen], len(chosen)
    scratch = Sums(*np.zeros((2, WIDTH)), np.zeros(k), np.zeros((WIDTH, k)))
    A, g = np.zeros((k, k)), np.zeros(k)
    for _ in range(STEPS):
        A[:], g[:] = np.diag(precision), precision * (w - w_0)
        add_up(rows, at, w, scratch, A, g)
        step = np.linalg.solve(A, g)
        longest = np.abs(step).max()
        w -= step * min(1.0, 1.0 / longest) if longest > 0.0 else 0.0
        if longest < CLOSE:
            break
    inverse = np.linalg.inv(A)
    others = w - inverse * (w / np.diag(inverse))[:, None]  # row j: the weights where that of member j is 0
    sums = np.zeros((k, 3))
    loss = differences(rows, at, w, others - w, scratch, sums) / total
    squares = float((rows.weight**2).sum())
    mean = sums[:, 0] / total
    spread = np.sqrt(np.maximum(sums[:, 2] - 2.0 * mean * sums[:, 1] + mean * mean * squares, 0.0)) / total
    return Fit(w, (mean + doubt * spread - squares / (2.0 * total * total)) / max(loss, 1e-300))


@bare_jit
def add_up(rows, at, w, scratch, A, g):
    """A <- A + sum of h H and g <- g + sum of h times the slope of the loss, over the rows that judge, at weights w.

    Parameters
    ----------
    rows : Judged; at : int64[k], positions of the members; w : float64[k]
    scratch : Sums; A : float64[k, k], g : float64[k]: changed
    """
    p, mean, apart = scratch.p, scratch.mean, scratch.apart
    for i in range(len(rows.weight)):
        h, count = rows.weight[i], rows.classes[i]
        if not h > 0.0:
            continue
        judge_row(rows, i, at, w, p)
        for j in range(len(at)):
            mean[j] = 0.0
            for c in range(count):
                apart[c, j] = rows.scores[i, at[j], c]
        for c in range(count):
            add_scaled(mean, p[c], apart[c], len(at))
        for j in range(len(at)):
            g[j] += h * (mean[j] - apart[0, j])
        for c in range(count):
            for j in range(len(at)):
                apart[c, j] -= mean[j]
            for j in range(len(at)):
                add_scaled(A[j], h * p[c] * apart[c, j], apart[c], j + 1)
    for j in range(len(at)):
        for l in range(j):  # noqa: E741
            A[l, j] = A[j, l]


@bare_jit
def differences(rows, at, w, steps, scratch, sums):
    """sums[m] <- sums of h d, h^2 d and h^2 d^2 of the differences d that steps[m] from w on make to the losses.

    Returns the sum of the losses at w, each times its h. `steps` is float64[m, k], sums float64[m, 3].
    """
    z, p, total = scratch.z, scratch.p, 0.0
    for i in range(len(rows.weight)):
        h, count = rows.weight[i], rows.classes[i]
        if not h > 0.0:
            continue
        before = judge_row(rows, i, at, w, p)
        total += h * before
        for m in range(len(steps)):
            for c in range(count):
                z[c] = 0.0
            for j in range(len(at)):
                by = steps[m, j]
                for c in range(count):
                    z[c] += by * rows.scores[i, at[j], c]
            top = largest(z, count)
            whole = 0.0
            for c in range(count):
                whole += p[c] * exponential(z[c] - top)
            d = math.log(max(whole, TINIEST)) + top - z[0]
            sums[m, 0] += h * d
            sums[m, 1] += h * h * d
            sums[m, 2] += h * h * d * d
    return total


@bare_inline
def judge_row(rows, i, at, w, p):
    """p[:count] <- the probabilities of row i's classes with weights w; returns the loss."""
    count = rows.classes[i]
    for c in range(count):
        p[c] = rows.counted[i, c]
    for j in range(len(at)):
        for c in range(count):
            p[c] += w[j] * rows.scores[i, at[j], c]
    top, own = largest(p, count), p[0]
    for c in range(count):
        p[c] = exponential(p[c] - top)
    whole = total_of(p, count)
    for c in range(count):
        p[c] /= whole
    return math.log(whole) + top - own
