"""Checkpoints: when a run saves the model before its end."""

from __future__ import annotations

import time


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
