"""The order of labels: what is measured on rows that are sorted by label says nothing of other rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

#: Labels are in blocks where they change so many times less often than in a random order. In time they may be alike for
#: a while: of the public streams covtype, nomao and gas-drift have 1/15, 1/8 and 1/21.
BLOCK_RATIO = 50.0


class LabelOrder:
    """How often a label is another one than that of the row before, in constant memory.

    Attributes
    ----------
    rows, changes : int
    """

    def __init__(self) -> None:
        self.rows = self.changes = 0
        self._last: Any = None

    def add(self, y: np.ndarray) -> None:
        """Add labels, array[n], in their order."""
        if len(y):
            self.changes += int(np.count_nonzero(y[1:] != y[:-1])) + bool(self.rows and y[0] != self._last)
            self.rows += len(y)
            self._last = y[-1]

    def note(self, weights: Iterable[float]) -> str:
        """Return what is to be said of the order, or nothing; `weights`: how much of the rows each label is."""
        w = np.array(list(weights), dtype=np.float64)
        expected = self.rows * (1.0 - float(w @ w) / float(w.sum()) ** 2) if w.any() else 0.0
        if not 0 < self.changes <= expected / BLOCK_RATIO:
            return ""
        return f"the labels come in {self.changes + 1} blocks: shuffle the rows, or the figures of a run mean nothing"
