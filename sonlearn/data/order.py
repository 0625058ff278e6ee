"""The order of rows: what is measured on rows sorted by label, or series by series, says nothing of other rows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from sonlearn.errors import WHOLE, shorten

#: Labels are in blocks where they change so many times less often than in a random order. In time they may be alike for
#: a while: of the public streams covtype, nomao and gas-drift have 1/15, 1/8 and 1/21.
BLOCK_RATIO = 50.0
#: Values are sorted where so many or more rise above the one before, and so many times fewer fall, or the reverse.
MIN_STEPS, STEP_RATIO = 10, 20
#: Dates begin again where months fall so many times less often than they rise, on average by so much of their range.
RESTART_RATIO, RESTART_DEPTH = 3, 0.5


class LabelOrder:
    """How often a label is another one than that of the row before, and how often a larger one, in constant memory.

    Attributes
    ----------
    rows, changes, rises : int
    """

    def __init__(self) -> None:
        self.rows = self.changes = self.rises = 0
        self._last: Any = None

    def add(self, y: np.ndarray) -> None:
        """Add labels, array[n], in their order."""
        if len(y):
            before = np.append(self._last if self.rows else y[:1], y[:-1])
            self.changes += int(np.count_nonzero(y != before))
            self.rises += int(np.count_nonzero(y > before))
            self.rows += len(y)
            self._last = y[-1]

    def note(self, weights: Iterable[float]) -> str:
        """Return what is to be said of the order, or nothing; `weights`: how much of the rows each label is."""
        w = np.array(list(weights), dtype=np.float64)
        expected = self.rows * (1.0 - float(w @ w) / float(w.sum()) ** 2) if w.any() else 0.0
        if not 0 < self.changes <= expected / BLOCK_RATIO:
            return ""
        return f"the labels come in {self.changes + 1} blocks: shuffle the rows, or the figures of a run mean nothing"

    def note_on_values(self) -> str:
        """Return what is to be said of the order of values, or nothing."""
        way, most = max(("rise", self.rises), ("fall", self.changes - self.rises), key=lambda each: each[1])
        if most < MIN_STEPS or self.changes - most > most / STEP_RATIO:
            return ""
        return (
            f"the labels {way} from row to row, as if sorted: shuffle such rows, or the figures of a run mean nothing"
        )


class DateOrder:
    """How often the month of a date is another one than that of the row before, in constant memory.

    Attributes
    ----------
    rises, falls : int
    depth : int
        By how many months it fell in all.
    """

    def __init__(self) -> None:
        self.rises = self.falls = self.depth = 0
        self._last: int | None = None
        self._first, self._end = math.inf, -math.inf

    def add(self, months: Iterable[int]) -> None:
        """Add months, counted from any one on, in the order of their rows."""
        for month in months:
            if month == self._last:
                continue
            if self._last is not None:
                self.rises += month > self._last
                self.falls += month < self._last
                self.depth += max(self._last - month, 0)
            self._last = month
            self._first, self._end = min(self._first, month), max(self._end, month)

    def note(self, column: str) -> str:
        """Return what is to be said of the dates of `column`, or nothing."""
        few = self.rises < max(MIN_STEPS, RESTART_RATIO * self.falls)
        if not self.falls or few or self.depth < RESTART_DEPTH * self.falls * (self._end - self._first):
            return ""
        return (
            f"the dates of {shorten(column, WHOLE)} begin again {self.falls} times, as if rows were sorted by another "
            "column: sort such rows by date, or the figures of a run mean nothing"
        )
