"""Which action a label of a table stands for; rows of classes as decisions whose costs are all known (``--cbify``)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.decisions import Decisions, numbered
from sonlearn.errors import InputError, shorten
from sonlearn.options import BanditOptions
from sonlearn.text.columns import number_in


class ActionLabels:
    """The action of each label of a table: of K labels numbered from 1 to K, of classes also from 0 to K - 1, or names.

    Of numbers the action is one less, and the last one that of 0; of names it is their order. Labels are all numbers or
    all names.

    Parameters
    ----------
    options : BanditOptions
        With ``--cbify`` labels are classes, else they stand in the column of the action.

    Attributes
    ----------
    count : int
        How many there can be.
    first : int or None
        The least number, 0 or 1, once it is known.
    names : list of str
        Those met, in their order.
    numeric : bool
        Whether a number has been met.
    """

    def __init__(self, options: BanditOptions):
        self.count = options.actions or 0
        self.first = None if options.cbify else 1
        self.names: list[str] = []
        self.numeric = False
        self._column = options.action
        self._one, self._many = ("a class", "classes") if options.cbify else ("an action", "actions")
        flag = "--cbify" if options.cbify else "--cb" if options.cb else "--cb_explore"
        self._given = f"({flag} {self.count})"

    def header(self) -> dict[str, Any]:
        """Return what a model file is told."""
        return {"first": self.first, "names": self.names, "numeric": self.numeric}

    def restore(self, header: dict[str, Any]) -> None:
        """Inverse of `header`; KeyError or TypeError where it is none."""
        self.first, self.names, self.numeric = header["first"], list(header["names"]), header["numeric"]

    def of(self, batch: Batch) -> tuple[np.ndarray, dict[int, InputError]]:
        """(int64[n] actions, -1 where no label or cost is given; rows whose label is none of an action, and why)."""
        actions, problems = np.full(batch.n, -1), {}
        by_label, column = dict[str | float, list[int]](), None if self._column else 1
        for row, label in _labelled(batch, bool(self._column)):
            by_label.setdefault(label, []).append(row)
        for label, rows in by_label.items():
            problem = self._problem_of_name(label) if isinstance(label, str) else self._problem_of_number(label)
            if not problem:
                actions[rows] = self.names.index(label) if isinstance(label, str) else (int(label) - 1) % self.count
                continue
            found = shorten(label) if isinstance(label, str) else f"{label:.16g}"
            found = found if self._column else f"label {found}"
            problems |= {row: InputError(batch.source, found, problem, int(batch.lines[row]), column) for row in rows}
        return actions, problems

    def label(self, action: int) -> int | str:
        """The label of an action, as it is written; ``unknown`` where no name has been met for it."""
        if self.names:
            return self.names[action] if action < len(self.names) else "unknown"
        return (action + 1) % self.count if self.first == 0 else action + 1

    def _problem_of_name(self, name: str) -> str:
        """Return what is expected in the place of a name, which is met; empty: it fits."""
        if self.numeric:
            return f"a number, as the {self._many} before"
        if not name:
            return f"{self._one} in the column {shorten(self._column)}"
        if name not in self.names:
            if len(self.names) == self.count:
                known = shorten(" ".join(self.names), 60)
                return f"one of the {self.count} {self._many} met before {self._given}: {known}"
            self.names.append(name)
        return ""

    def _problem_of_number(self, y: float) -> str:
        if self.names:
            return f"a name, as the {self._many} before: {shorten(' '.join(self.names), 60)}"
        low = 0 if self.first is None else self.first
        high = self.count if self.first is None else self.first + self.count - 1
        if y != np.floor(y) or not low <= y <= high:
            either = f"1 to {self.count} or from 0 to {self.count - 1}" if self.first is None else f"{low} to {high}"
            place = f" in the column {shorten(self._column)}" if self._column else ""
            return f"{self._one} from {either}{place} {self._given}"
        self.numeric = True
        if y in (0, self.count):
            self.first = 0 if y == 0 else 1
        return ""


def _labelled(batch: Batch, of_actions: bool) -> Iterator[tuple[int, str | float]]:
    """(row, label) of the rows that have one: their classes; or of a table with costs the actions that have one."""
    for row, (y, name) in enumerate(zip(batch.y.tolist(), batch.class_names or [None] * batch.n, strict=True)):
        if of_actions and y == y:
            number = number_in(name or "")
            named = number is None or not math.isfinite(number)  # "none" may be what an action is called
            yield row, (name or "") if named else number
        elif not of_actions and (name is not None or y == y):
            yield row, y if name is None else name


def decisions_of_classes(batch: Batch, actions: np.ndarray, classes: int) -> Decisions:
    """Rows with the `actions` of their classes as decisions of which all costs are known: 0 of that action, else 1."""
    labelled = actions >= 0
    costs = np.where(labelled[:, None], 1.0, np.nan) * np.ones(classes)
    at = np.flatnonzero(labelled)
    costs[at, actions[at]] = 0.0
    rows = batch._replace(class_names=None, y=np.where(labelled, actions + 1.0, np.nan))
    return numbered(rows, classes, costs=costs)
