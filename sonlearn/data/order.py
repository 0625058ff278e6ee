"""The order of labels: what is measured on rows that are sorted by label says nothing of other rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

#: Labels are in blocks where they change so many times less often than in a random order. In time they may be alike for
#: a while: of the public streams covtype, nomao and gas-drift have 1/15, 1/8 and 1/21.
BLOCK_RATIO = 50.0
#: Values are sorted where so many or more rise above the one before, and so many times fewer fall, or the reverse.
MIN_STEPS, STEP_RATIO = 10, 20


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
