"""When a run saves its model before its end, and when it ends because its holdout loss no longer falls."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from sonlearn.learn.learner import Learner


class Checkpoints:
    """Schedule of checkpoints: after a number of examples or of minutes, whichever comes first."""

    def __init__(self, examples: int | None, minutes: float | None):
        self.examples, self.seconds = examples, None if minutes is None else 60 * minutes
        self._count, self._last = 0, time.monotonic()

    def due(self, examples: int) -> bool:
        """Whether a checkpoint is due after `examples` more examples; if so, counting starts again."""
        self._count += examples
        late = self.seconds is not None and time.monotonic() - self._last >= self.seconds
        if not late and (self.examples is None or self._count < self.examples):
            return False
        self._count, self._last = 0, time.monotonic()
        return True


class Best(NamedTuple):
    """The learner after the pass with the lowest holdout loss so far."""

    loss: float
    number: int  # of the pass
    learner: tuple[dict[str, Any], dict[str, np.ndarray]]  # header and arrays


class Patience:
    """Ends a run after a number of consecutive passes without a lower holdout loss, as VW's --early_terminate.

    Parameters
    ----------
    passes : int or None
        The number of such passes that ends the run; None: never.

    Attributes
    ----------
    best : Best or None
    """

    def __init__(self, passes: int | None):
        self.passes, self._without_gain = passes, 0
        self.best: Best | None = None

    def is_over(self, number: int, loss: float | None, learner: Learner | None) -> bool:
        """Whether the run ends with pass `number`, whose average holdout loss is `loss` (None: nothing held out)."""
        if self.passes is None or learner is None or loss is None:
            return False
        if self.best is None or loss < self.best.loss:
            header, arrays = learner.to_arrays()
            copies = {name: np.array(array) for name, array in arrays.items()}
            self.best, self._without_gain = Best(loss, number, (header, copies)), 0
        else:
            self._without_gain += 1
        return self._without_gain >= self.passes
