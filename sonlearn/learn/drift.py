"""When a stream changes: the moment at which what has a long memory begins to err more than it did.

Of each row learned, x in [0, 1] says how wrong the offline combination was: of classes 1 less the probability that it
gave the right one (0 to a class that had not been met), of values a/(a + m) with a the size of the error and m the mean
size over the first MIN_ROWS rows since the last change, which do not count otherwise. Let mu be the mean of x since
then. While x has no mean beyond mu + SLACK, a gambler who bets the share b on more gains nothing on average
[Waudby-Smith, Ramdas: Estimating means of bounded random variables by betting, JRSS B 2024]:

    M <- max(M, 1) (1 + b (x - mu - SLACK))

starts anew whenever it has lost, and by chance exceeds exp(ALARM) once in so many rows at most [Shin, Ramdas, Rinaldo:
E-detectors, NEJSDS 2024], whatever the distribution of x. When it does, for one of BETS, a change is named: the row
where that gambler last started. Then all begins anew, and nothing is named before MIN_ROWS rows.

Learners only get better on rows in no order, so that mu is too high there rather than too low.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sonlearn.data.linear_algebra import clear_first
from sonlearn.data.rows import is_learned
from sonlearn.jit import inline, jit

#: Shares that are bet: the small ones find small changes, the large ones large changes quickly.
BETS = (0.25, 0.5, 1.0, 2.0)
#: Nobody may lose more than this share in a round.
MAX_BET = 0.9
#: Logarithm of what a gambler has to win.
ALARM = math.log(1e6)
#: A mean error that is higher by this is no change.
SLACK = 0.02
#: Rows before a change can be named; rows that the mean is over at most.
MIN_ROWS, WINDOW = 500.0, 5000.0
#: Changes that are kept, the last ones.
MAX_CHANGES = 64


class Drift(NamedTuple):
    """What is known of changes."""

    means: np.ndarray  # float64[2]: rows since the last change; mean of x over those
    size: np.ndarray  # float64[2]: mean size of errors of values over the first rows, and how many these are
    wealth: np.ndarray  # float64[bets]; logarithms of M
    starts: np.ndarray  # int64[bets]; rows at which they last started
    changes: np.ndarray  # int64[MAX_CHANGES]; rows of the last changes, number i at place i modulo MAX_CHANGES
    count: np.ndarray  # int64[2]; rows learned, changes named


def new_drift() -> Drift:
    """Nothing is known."""
    bets = len(BETS)
    counts = (np.zeros(n, np.int64) for n in (bets, MAX_CHANGES, 2))
    return Drift(np.zeros(2), np.zeros(2), np.zeros(bets), *counts)


def changes_of(drift: Drift) -> list[int]:
    """Rows (1 is the first one learned) at which changes began, in their order; the last MAX_CHANGES of them."""
    count = int(drift.count[1])
    return [int(drift.changes[i % MAX_CHANGES]) for i in range(max(count - MAX_CHANGES, 0), count)]


def merge_drifts(base: Drift, drifts: Sequence[Drift], by: np.ndarray) -> Drift:
    """The changes of all, at their rows of the merged stream; what the last learner makes of its own rows goes on."""
    last, start, rows = drifts[-1], int(base.count[0]), int(base.count[0])
    changes = changes_of(base)
    for each in drifts:
        new = int(each.count[1] - base.count[1])
        changes += [row - start + rows for row in changes_of(each)[max(len(changes_of(each)) - new, 0) :]]
        shift = rows - start
        rows += int(each.count[0]) - start
    count = np.array([rows, int(base.count[1]) + sum(int(each.count[1] - base.count[1]) for each in drifts)])
    kept = np.zeros(MAX_CHANGES, np.int64)
    for i, row in enumerate(changes[-MAX_CHANGES:], max(int(count[1]) - MAX_CHANGES, 0)):
        kept[i % MAX_CHANGES] = row
    return Drift(last.means.copy(), last.size.copy(), last.wealth.copy(), last.starts + shift, kept, count)


@jit
def detect_drift(drift, relative, x, y, weight, late):
    """Take in how wrong predictions were.

    Parameters
    ----------
    drift : Drift, modified; relative : bool, whether x are errors of values, to be taken beside the first ones
    x, y, weight : float64[n]; rows without label or weight are left out
    late : int, how many of the first rows learned were predicted before any label had come; they say nothing
    """
    for i in range(len(y)):
        if not is_learned(weight[i], y[i]):
            continue
        drift.count[0] += 1
        if drift.count[0] > late and x[i] == x[i]:
            add_error(drift, relative, abs(x[i]), SLACK)


@inline
def add_error(drift, relative, x, slack):
    """Take in how wrong one prediction was; a mean that is higher by `slack` is no change."""
    if not relative:
        bet(drift, x, slack)
    elif drift.size[1] < MIN_ROWS:
        drift.size[1] += 1.0
        drift.size[0] += (x - drift.size[0]) / drift.size[1]
    else:
        bet(drift, x / (x + drift.size[0]) if x > 0.0 else 0.0, slack)


@inline
def bet(drift, x, slack):
    """One round of all gamblers."""
    means, wealth, row = drift.means, drift.wealth, drift.count[0]
    alarm = -1
    for j in range(len(wealth)):
        if not wealth[j] > 0.0:
            wealth[j], drift.starts[j] = 0.0, row
        if means[0] >= MIN_ROWS:
            expected = means[1] + slack
            wealth[j] += math.log(1.0 + min(BETS[j], MAX_BET / expected) * (x - expected))
        if wealth[j] > ALARM and (alarm < 0 or wealth[j] > wealth[alarm]):
            alarm = j
    if alarm >= 0:
        drift.changes[drift.count[1] % MAX_CHANGES] = drift.starts[alarm]
        drift.count[1] += 1
        means[0] = means[1] = drift.size[0] = drift.size[1] = 0.0
        clear_first(wealth, len(wealth))
        return
    means[0] += 1.0
    means[1] += (x - means[1]) / min(means[0], WINDOW)
