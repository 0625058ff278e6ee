"""A few rows of a stream, evenly spread over it, to ask a model about."""

from __future__ import annotations

import numpy as np

from sonlearn.data.batch import Batch, joined
from sonlearn.learn.delay import rows_at

#: Rows that are kept, at most; of more rows, more than half as many.
MOST = 64


class RowSample:
    """Every 2^k-th of the rows so far, without their labels, with the least k for which they are at most `MOST`."""

    def __init__(self) -> None:
        self.batch: Batch | None = None  # None: there was no row
        self._every, self._rows = 1, 0

    def take(self, batch: Batch) -> None:
        """Go on with the rows of `batch`, which is not modified."""
        begin = self._rows
        self._rows += batch.n
        while self._rows > MOST * self._every:
            self._every *= 2
            if self.batch is not None:
                self.batch = rows_at(self.batch, np.arange(0, self.batch.n, 2))
        chosen = np.arange(-begin % self._every, batch.n, self._every)
        if len(chosen):
            own = rows_at(batch, chosen)._replace(y=np.full(len(chosen), np.nan))
            self.batch = own if self.batch is None else joined([self.batch, own])
