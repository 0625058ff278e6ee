"""How many labels intervals or sets have held: over all, in the worst window, along the stream; in constant memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from sonlearn.data.arrays import running_sum

#: Rows of the window whose worst coverage is told, and blocks that the stream is told in.
WINDOW, BLOCKS = 1000, 64


class CoverageTotals:
    """Totals of rows with a label, each counted once whatever its importance."""

    def __init__(self) -> None:
        self.rows = self.covered = self.finite = 0
        self.size = 0.0
        self.worst: tuple[float, float] | None = None  # least and largest share in a window
        self._last = np.zeros(0, dtype=bool)  # of the window's rows
        self._each, self._blocks = 1, np.zeros((0, 2), dtype=np.int64)  # rows of a block; (rows, covered) of each

    def add(self, covered: np.ndarray, size: np.ndarray) -> None:
        """Add n rows: bool[n], and lengths of intervals or sizes of sets, float64[n] (inf is left out of the mean)."""
        self.rows += len(covered)
        self.covered += int(covered.sum())
        finite = np.isfinite(size)
        self.finite += int(finite.sum())
        self.size = running_sum(self.size, size[finite])
        both = np.concatenate([self._last, covered])
        if len(both) >= WINDOW:
            sums = np.concatenate(([0], np.cumsum(both)))
            shares = (sums[WINDOW:] - sums[:-WINDOW]) / WINDOW
            low, high = float(shares.min()), float(shares.max())
            self.worst = (low, high) if self.worst is None else (min(low, self.worst[0]), max(high, self.worst[1]))
        self._last = both[max(len(both) - WINDOW + 1, 0) :]
        self._extend(covered)

    def _extend(self, covered: np.ndarray) -> None:
        """Add to the blocks; where there are too many, two become one."""
        while len(covered):
            if not len(self._blocks) or self._blocks[-1, 0] == self._each:
                if len(self._blocks) == BLOCKS:
                    self._blocks, self._each = self._blocks.reshape(-1, 2, 2).sum(axis=1), 2 * self._each
                    continue
                self._blocks = np.concatenate([self._blocks, np.zeros((1, 2), np.int64)])
            more = covered[: self._each - self._blocks[-1, 0]]
            self._blocks[-1] += len(more), int(more.sum())
            covered = covered[len(more) :]

    def result(self, asked: float) -> dict[str, Any] | None:
        """JSON-able; None while there is no row. `curve`: [rows so far, share of the block that ends there]."""
        if not self.rows:
            return None
        ends = np.cumsum(self._blocks[:, 0])
        curve = [[int(end), c / n] for end, (n, c) in zip(ends, self._blocks.tolist(), strict=True)]
        low, high = self.worst or (None, None)
        return {
            "asked": asked, "reached": self.covered / self.rows, "lowest": low, "highest": high,
            "size": self.size / self.finite if self.finite else None, "curve": curve,
        }  # fmt: skip


def coverage_of(predicted: Any, y: np.ndarray, number: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """(whether each row's label is covered, length of its interval or size of its set); None: there are none.

    Parameters
    ----------
    predicted : Predicted, of n rows
    y : float64[n], labels of values
    number : int64[n], columns of the rows' classes, -1 for one that has not been met
    """
    if predicted.sets is not None:
        rows = np.arange(len(number))
        return (number >= 0) & predicted.sets[rows, np.maximum(number, 0)], predicted.sets.sum(axis=1).astype(float)
    if predicted.low is None:
        return None
    with np.errstate(over="ignore"):
        return (predicted.low <= y) & (y <= predicted.high), predicted.high - predicted.low
