"""Which lines ``-p`` writes for the rows of a batch: one for each, ``nan`` of rows that were refused or malformed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sonlearn.report.answers import AnswerRow


class LinesOfRows:
    """The rows of a batch in the order of their lines, those that were left out among them.

    Parameters
    ----------
    skipped : pairs (before which row, tag) of malformed lines
    refused : bool[n], which rows could not be learned from
    tags : list of n str, or None
    """

    def __init__(self, skipped: Sequence[tuple[int, str]], refused: np.ndarray, tags: list[str] | None):
        n = len(refused)
        at = np.array([place for place, _ in skipped], dtype=np.int64)
        self._order = np.insert(np.where(refused, -1, np.arange(n)), at, -1).tolist()
        tags = tags or [""] * n
        self._tags = list(np.insert(np.array(tags, dtype=object), at, [tag for _, tag in skipped]))

    def values(self, values: np.ndarray | Sequence[str]) -> tuple[Any, list[str] | None]:
        """What `PredictionWriter.write` takes: values float64[n] or n texts in order, and tags."""
        tags = self._tags if any(self._tags) else None
        if isinstance(values, np.ndarray):
            return np.append(values, np.nan)[self._order], tags
        return [values[i] if i >= 0 else "nan" for i in self._order], tags

    def rows(self, answers: Sequence[dict[str, Any]]) -> list[AnswerRow]:
        """What is predicted of each row, in order."""
        return [
            AnswerRow(tag, answers[i] if i >= 0 else None) for i, tag in zip(self._order, self._tags, strict=True)
        ]  # fmt: skip
