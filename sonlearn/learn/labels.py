"""Labels of a stream: their coding, and the check that they fit the loss."""

from __future__ import annotations

import math

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, shorten
from sonlearn.options.losses import CLASSIFICATION

#: Coding of negative labels: not known yet, 0, or -1.
UNKNOWN, ZERO_ONE, PLUS_MINUS = range(3)


class Labels:
    """Checks and converts the labels of a stream.

    Classification takes -1 and +1, or 0 and 1 throughout; poisson takes counts from 0 on. Other losses take any number,
    unless predictions are classes (`binary`).
    """

    def __init__(self, loss: str, coding: int = UNKNOWN, binary: bool = False):
        self.loss, self.coding, self.binary = loss, coding, binary
        self._classes = binary or loss in CLASSIFICATION

    @property
    def kind(self) -> str:
        """A key that is equal for losses with the same labels."""
        return "margins" if self._classes else self.loss

    def coded(self, batch: Batch, *, remember: bool) -> tuple[np.ndarray, int]:
        """(float64[n] labels for the loss, first row with a label that does not fit it, or n).

        With `remember`, the rows before that one fix the coding of the stream.
        """
        y = batch.y
        named = np.zeros(len(y), dtype=bool)
        if batch.class_names is not None:
            named = np.array([name is not None for name in batch.class_names], dtype=bool)
        if self.loss == "poisson" and (y < 0).any():
            return y, int(np.argmax(named | (y < 0)))
        if not self._classes:
            return y, int(np.argmax(named)) if named.any() else len(y)
        zero, minus = y == 0, y == -1
        bad = named | ~(np.isnan(y) | (y == 1) | zero | minus)
        negative, coding = zero | minus, self.coding
        if coding == UNKNOWN and negative.any():
            coding = ZERO_ONE if zero[np.argmax(negative)] else PLUS_MINUS
        bad |= minus if coding == ZERO_ONE else zero
        end = int(np.argmax(bad)) if bad.any() else len(y)
        if remember and negative[:end].any():
            self.coding = coding
        return np.where(zero, -1.0, y), end

    def misfit(self, batch: Batch) -> int:
        """The first row whose label cannot be learned, or n."""
        return self.coded(batch, remember=False)[1]

    def error(self, batch: Batch, row: int) -> InputError:
        """The error for the label of `row`."""
        name, y = batch.class_names[row] if batch.class_names is not None else None, float(batch.y[row])
        found = f"label {y:g}" if name is None else f"label {shorten(name)}"
        if self.loss == "poisson" and name is None:
            expected = "a label of at least 0 for --loss poisson (any number: --loss squared)"
        elif not self._classes:
            expected = f"a number for --loss {self.loss} (names of classes: --classes auto)"
        else:
            expected = {PLUS_MINUS: "-1 or +1", ZERO_ONE: "0 or 1", UNKNOWN: "-1 and +1, or 0 and 1,"}[self.coding]
            remedy = "real labels: --loss squared"
            if name is not None or y == math.floor(y):
                remedy = "several classes: --oaa K, or --classes auto"
            what = "--binary" if self.loss not in CLASSIFICATION else f"--loss {self.loss}"
            expected = f"{expected} for {what} ({remedy})"
        return InputError(batch.source, int(batch.lines[row]), 1, found, expected)
