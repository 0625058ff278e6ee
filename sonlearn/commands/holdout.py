"""The examples of a pass: the first ones (--examples), and those held out."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.options.run import RunOptions


def held_out(options: RunOptions, done: int, n: int) -> np.ndarray | None:
    """bool[n]: which of the n examples after the first `done` of a pass are held out; None without a holdout."""
    if options.passes == 1 or options.holdout_off:
        return None
    at = np.arange(done + 1, done + n + 1)
    return at % options.holdout_period == 0 if options.holdout_after is None else at > options.holdout_after


def first_of(batches: Iterator[Batch], examples: int | None, read_all: bool) -> Iterator[Batch]:
    """The first `examples` examples of a pass. With `read_all` the rest is read too, so that a cache is complete."""
    remaining = math.inf if examples is None else examples
    with contextlib.closing(batches):
        for batch in batches:
            batch = batch.part(0, int(min(remaining, batch.n)))
            remaining -= batch.n
            if batch.n:
                yield batch
            if remaining == 0 and not read_all:
                return
