"""The history that members are pruned by: what each of them made of the last rows learned.

Row t (counted from 0) is at place t modulo the number of rows that are kept, so that a row costs no copy of the others.

Of several classes a row's history are the members' scores for its class, for the `RIVALS` classes that the combination
found likeliest beside it, and for `SAMPLED` of the rest, each of which stands for as many classes as were left out: a
thousand classes need no more room than eight. In what is learned from them a sampled class counts as often as it stands
for others. Without the sample a class that is hard to tell would always be last of those compared, and the best weights
would turn the members round.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sonlearn.data.arrays import grown
from sonlearn.data.linear_algebra import clear, find_largest
from sonlearn.data.rows import is_learned
from sonlearn.jit import inline, jit

#: Classes of a row's history beside its own: the likeliest, and a sample of the others.
RIVALS, SAMPLED = 4, 3
WIDTH = 1 + RIVALS + SAMPLED
#: Row t's sample begins at the fractional part of t times this, the golden section.
TURN = 0.6180339887498949


class History(NamedTuple):
    """Rows learned.

    Attributes
    ----------
    inputs : float32[rows, inputs, W]
        Inputs of the combiner: of values and two classes W = 1, of several see `sonlearn.learn.ensemble.slots`.
    facts : float32[rows, 3]
        Parameter of the loss, label, weight; of several classes how many there were to choose from, 0, weight.
    """

    inputs: np.ndarray
    facts: np.ndarray

    @property
    def classes(self) -> np.ndarray:
        """int64[rows]: how many classes there were to choose from; 0 where the row's own had not been met."""
        return self.facts[:, 0].astype(np.int64)

    @property
    def weight(self) -> np.ndarray:
        """float64[rows]."""
        return self.facts[:, 2].astype(np.float64)


def new_history(inputs: int, width: int) -> History:
    """A history of no rows."""
    return History(np.zeros((0, inputs, width), np.float32), np.zeros((0, 3), np.float32))


def with_room(history: History, rows: int, kept: int) -> History:
    """`history` with room for so many rows learned, of which `kept` stay."""
    return History(*(grown(part, min(rows, kept)) for part in history))


def of_rows(history: History, rows: int, kept: int) -> History:
    """The last rows learned, oldest first, of a history after so many `rows`; without spare room."""
    if rows <= kept:
        return History(*(part[:rows] for part in history))
    order = np.arange(rows - kept, rows) % kept
    return History(*(part[order] for part in history))


def placed(history: History, rows: int, kept: int) -> History:
    """Inverse of `of_rows`."""
    if rows <= kept:
        return history
    order = np.argsort(np.arange(rows - kept, rows) % kept)
    return History(*(part[order] for part in history))


def last_rows(history: History, n: int) -> History:
    """The last n rows of a history that is in their order."""
    return History(*(part[max(len(part) - n, 0) :] for part in history))


def multiplicity(classes: np.ndarray) -> np.ndarray:
    """float64[rows, WIDTH]: the logarithm of how many classes each one of a history of so many `classes` stands for."""
    out = np.zeros((len(classes), WIDTH))
    out[:, 1 + RIVALS :] = np.log(np.maximum(classes - 1 - RIVALS, SAMPLED) / SAMPLED)[:, None]
    return out


@jit
def remember(history, now, late, several, size, places, others, V, logs, met, par, y, weight):
    """Write the rows that are learned into a history, each at its place.

    Parameters
    ----------
    history : History with room for them, modified
    now : structured [1], of the committee, which has not counted them; late : int, of the first rows, those in none
    several : (True,) of several classes, else (), and then what only these need is not compiled
    size : int, rows that the history keeps
    places : int64[k], of the members in it; others : int64[WIDTH - 1], scratch
    V : float64[k, n, K]; logs : float64[n, K], of several classes logarithms of the combination's probabilities
    met, par : those of `LabelScale`; y, weight : float64[n]
    """
    row = now[0]["rows"] - late - 1
    for i in range(len(y)):
        if not is_learned(weight[i], y[i]):
            continue
        row += 1
        inputs, facts, classes = history.inputs[row % size], history.facts[row % size], met[i]
        clear(inputs)
        if len(several) == 0:
            facts[0], facts[1], facts[2] = par[i], y[i], weight[i]
            for j in range(len(V)):
                inputs[places[j], 0] = V[j, i, 0] if V[j, i, 0] == V[j, i, 0] else 0.0
            continue
        own = int(y[i])
        facts[0], facts[1], facts[2] = classes if own < classes else 0.0, 0.0, weight[i]
        if own >= classes:
            continue
        found = find_largest(logs[i], classes, own, others if classes <= WIDTH else others[:RIVALS])
        if classes > WIDTH:
            found = sample(classes, own, row * TURN, others)
        for j in range(len(V)):
            inputs[places[j], 0] = V[j, i, own]
            for place in range(found):
                inputs[places[j], 1 + place] = V[j, i, others[place]]


@inline
def sample(met, own, turn, others):
    """others[RIVALS:] <- of the classes but `own` and others[:RIVALS], `SAMPLED` at even distances; returns WIDTH - 1.

    All of them are taken equally often where `turn` has any fractional part with equal probability.
    """
    rest = met - 1 - RIVALS
    first = turn - math.floor(turn)
    for found in range(SAMPLED):
        rank = int((found + first) * rest / SAMPLED)  # among the classes that are left
        k, before = rank, -1
        while k != before:
            before, k = k, rank + (1 if own <= k else 0)
            for place in range(RIVALS):
                k += 1 if others[place] <= before else 0
        others[RIVALS + found] = k
    return RIVALS + SAMPLED
