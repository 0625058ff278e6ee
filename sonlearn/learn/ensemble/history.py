"""The history that members are pruned by: what each of them made of the last rows learned.

Row t (counted from 0) is at place t modulo the number of rows that are kept, so that a row costs no copy of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sonlearn.learn.engine import grown


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


def joined(histories: Sequence[History], kept: int) -> History:
    """Histories, oldest rows first, one behind the other; the last rows of it."""
    return History(*(np.concatenate(parts)[-kept:] for parts in zip(*histories, strict=True)))


def last_rows(history: History, n: int) -> History:
    """The last n rows of a history that is in their order."""
    return History(*(part[max(len(part) - n, 0) :] for part in history))
