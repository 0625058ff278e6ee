"""Rows of classes as decisions whose costs are all known (``--cbify``): which action stands for which class."""

from __future__ import annotations

from typing import Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.decisions import Decisions, numbered
from sonlearn.errors import InputError, shorten


class ActionsOfClasses:
    """The action of each class: of K classes numbered from 1 to K, or from 0 to K - 1, or with names.

    Of numbers the action is one less, and the last one that of 0; of names it is their order. Labels are all numbers or
    all names.

    Parameters
    ----------
    classes : int
        How many there can be.

    Attributes
    ----------
    first : int or None
        The least number, 0 or 1, once it is known.
    names : list of str
        Those met, in their order.
    numeric : bool
        Whether a number has been met.
    """

    def __init__(self, classes: int):
        self.classes = classes
        self.first: int | None = None
        self.names: list[str] = []
        self.numeric = False

    def header(self) -> dict[str, Any]:
        """What a model file is told."""
        return {"first": self.first, "names": self.names, "numeric": self.numeric}

    def restore(self, header: dict[str, Any]) -> None:
        """Inverse of `header`; KeyError or TypeError where it is none."""
        self.first, self.names, self.numeric = header["first"], list(header["names"]), header["numeric"]

    def of(self, batch: Batch) -> tuple[np.ndarray, dict[int, InputError]]:
        """(int64[n] actions, -1 where no label is given; rows whose label is no class, and why)."""
        actions, problems = np.full(batch.n, -1), {}
        for label, rows in _rows_of_labels(batch).items():
            problem = self._problem_of_name(label) if isinstance(label, str) else self._problem_of_number(label)
            if not problem:
                actions[rows] = self.names.index(label) if isinstance(label, str) else (int(label) - 1) % self.classes
                continue
            found = f"label {shorten(label)}" if isinstance(label, str) else f"label {label:.16g}"
            problems |= {row: InputError(batch.source, int(batch.lines[row]), 1, found, problem) for row in rows}
        return actions, problems

    def label(self, action: int) -> int | str:
        """The class that an action stands for, as it is written; ``unknown`` where no name has been met for it."""
        if self.names:
            return self.names[action] if action < len(self.names) else "unknown"
        return (action + 1) % self.classes if self.first == 0 else action + 1

    def _problem_of_name(self, name: str) -> str:
        """What is expected in the place of a name, which is met; empty: it fits."""
        if self.numeric:
            return "a number, as the labels before"
        if name not in self.names:
            if len(self.names) == self.classes:
                known = shorten(" ".join(self.names), 60)
                return f"one of the {self.classes} classes met before (--cbify {self.classes}): {known}"
            self.names.append(name)
        return ""

    def _problem_of_number(self, y: float) -> str:
        if self.names:
            return f"a name, as the labels before: {shorten(' '.join(self.names), 60)}"
        low = 0 if self.first is None else self.first
        high = self.classes if self.first is None else self.first + self.classes - 1
        if y != np.floor(y) or not low <= y <= high:
            either = (
                f"1 to {self.classes} or from 0 to {self.classes - 1}" if self.first is None else f"{low} to {high}"
            )
            return f"a class from {either} (--cbify {self.classes})"
        self.numeric = True
        if y in (0, self.classes):
            self.first = 0 if y == 0 else 1
        return ""


def _rows_of_labels(batch: Batch) -> dict[str | float, list[int]]:
    """The rows of each label, in the order of their first."""
    labels = np.array(batch.y.tolist(), object)
    if batch.class_names is not None:
        names = np.array(batch.class_names, object)
        named = np.not_equal(names, None)
        labels[named] = names[named]
    rows: dict[str | float, list[int]] = {}
    for row in np.flatnonzero(labels == labels).tolist():  # NaN: no label
        rows.setdefault(labels[row], []).append(row)
    return rows


def decisions_of_classes(batch: Batch, actions: np.ndarray, classes: int) -> Decisions:
    """Rows with the `actions` of their classes as decisions of which all costs are known: 0 of that action, else 1."""
    labelled = actions >= 0
    costs = np.where(labelled[:, None], 1.0, np.nan) * np.ones(classes)
    at = np.flatnonzero(labelled)
    costs[at, actions[at]] = 0.0
    rows = batch._replace(class_names=None, y=np.where(labelled, actions + 1.0, np.nan))
    return numbered(rows, classes, costs=costs)
