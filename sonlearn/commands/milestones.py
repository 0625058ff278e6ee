"""What happens at certain points of a run: examples held out, checkpoints, an end before all examples or passes."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.learn.learner import Learner
from sonlearn.options.run import RunOptions


def held_out(options: RunOptions, done: int, n: int) -> np.ndarray | None:
    """bool[n]: which of the n examples of a pass after the first `done` are held out; None: none, whatever comes."""
    if options.passes == 1 or options.holdout_off:
        return None
    at = np.arange(done + 1, done + n + 1)
    return at % options.holdout_period == 0 if options.holdout_after is None else at > options.holdout_after


class Checkpoints:
    """When the model is due to be saved: every so many examples, every so many minutes, whichever comes first."""

    def __init__(self, examples: int | None, minutes: float | None):
        self.examples, self.seconds = examples, None if minutes is None else 60 * minutes
        self._count, self._last = 0, time.monotonic()

    def due(self, examples: int) -> bool:
        """Whether a checkpoint is due now that so many `examples` more have been learned."""
        self._count += examples
        late = self.seconds is not None and time.monotonic() - self._last >= self.seconds
        if not late and (self.examples is None or self._count < self.examples):
            return False
        self._count, self._last = 0, time.monotonic()
        return True


class Best(NamedTuple):
    """The learner after the pass with the least holdout loss so far."""

    loss: float
    number: int
    learner: tuple[dict[str, Any], dict[str, np.ndarray]]


class Patience:
    """When passes are made in vain: as many in a row as are tolerated without a fall of the holdout loss, as in VW.

    Parameters
    ----------
    passes : int or None
        How many are tolerated; None: all.
    """

    def __init__(self, passes: int | None):
        self.passes, self._in_vain = passes, 0
        self.best: Best | None = None

    def is_over(self, number: int, loss: float | None, learner: Learner | None) -> bool:
        """Whether the run ends with pass `number`, which had this average `loss` (None: none) on what is held out."""
        if self.passes is None or learner is None or loss is None:
            return False
        if self.best is None or loss < self.best.loss:
            header, arrays = learner.to_arrays()
            copies = {name: np.array(array) for name, array in arrays.items()}
            self.best, self._in_vain = Best(loss, number, (header, copies)), 0
        else:
            self._in_vain += 1
        return self._in_vain >= self.passes


def first_of(batches: Iterator[Batch], examples: int | None, whole: bool) -> Iterator[Batch]:
    """The first --examples of a pass. With a cache (`whole`) the rest is read too, or it would be none of all data."""
    left = math.inf if examples is None else examples
    with contextlib.closing(batches):
        for batch in batches:
            batch = batch.part(0, int(min(left, batch.n)))
            left -= batch.n
            if batch.n:
                yield batch
            if left == 0 and not whole:
                return
