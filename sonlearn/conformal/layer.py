"""Sets or intervals of what a learner predicts, with the state that is saved."""

from __future__ import annotations

from typing import Any

import numpy as np

from sonlearn.conformal import classes, values
from sonlearn.files import storage


class Coverage:
    """Keeps a coverage.

    Parameters
    ----------
    coverage : float
        Share of the labels that sets or intervals are to hold, within (0, 1).
    of_classes : bool
        Whether labels are classes, so that there are sets.
    both : bool
        Whether a model at rest predicts otherwise than one whose labels come.
    """

    def __init__(self, coverage: float, of_classes: bool, both: bool = True):
        self.alpha, self.of_classes, self._both = 1.0 - coverage, of_classes, both
        self.state: Any = classes.new(self.alpha) if of_classes else values.new()

    def intervals(
        self, p: np.ndarray, rest: np.ndarray, y: np.ndarray, counted: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(low, high), float64[n] each, of predictions p; the rows counted (bool[n]) are learned from.

        rest : float64[n], what the model at rest would predict
        """
        if self._both:
            self._filled(self.state.rest, rest, y, counted, values.FOLLOWED)
        return self._filled(self.state.online, p, y, counted, values.FOLLOWED)

    def steady_intervals(self, p: np.ndarray, rests: bool) -> tuple[np.ndarray, np.ndarray]:
        """(low, high), float64[n] each, of predictions of rows that are not learned; `rests`: nor are any others."""
        state = self.state.rest if rests and self._both else self.state.online
        return self._filled(state, p, p, np.zeros(len(p), dtype=bool), values.REST if rests else values.STEADY)

    def _filled(
        self, state: values.IntervalsState, p: np.ndarray, y: np.ndarray, counted: np.ndarray, how: int
    ) -> tuple[np.ndarray, np.ndarray]:
        (low, high), s = np.empty((2, len(p))), np.empty(values.SCALES)
        p, y = np.ascontiguousarray(p), np.ascontiguousarray(y)
        values.intervals(state, p, y, counted, self.alpha, how, s, low, high)
        return low, high

    def sets(self, p: np.ndarray, number: np.ndarray, counted: np.ndarray | None) -> np.ndarray:
        """bool[n, K]: see `sonlearn.conformal.classes.sets`; None `counted`: see `steady_sets` there."""
        if counted is None:
            return classes.steady_sets(self.state, p)
        return classes.sets(self.state, p, number, counted, self.alpha)

    def arrays(self) -> dict[str, np.ndarray]:
        """The state."""
        return storage.flat(self.state, "coverage")

    def restore(self, arrays: dict[str, np.ndarray]) -> None:
        """Inverse of `arrays`; KeyError, TypeError or ValueError where it is none."""
        own = {name: np.array(array) for name, array in arrays.items() if name.startswith("coverage.")}
        self.state = storage.rebuilt(self.state, own, "coverage")
