"""Ratios of all sets, their averages, and the goals."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bench.quality.measures import geometric
from bench.table import Table


class Scores(NamedTuple):
    """Ratios of one measure for every set, in the order of `columns`."""

    names: list[str]
    kinds: list[str]
    ratios: list[list[float]]

    def add(self, name: str, kind: str, ratios: list[float]) -> None:
        """One more set."""
        self.names.append(name)
        self.kinds.append(kind)
        self.ratios.append(ratios)

    def column(self, i: int, kind: str = "") -> np.ndarray:
        """Ratios of column i for the sets of a kind (all where it is empty)."""
        wanted = [ratios[i] for ratios, k in zip(self.ratios, self.kinds, strict=True) if kind in ("", k)]
        return np.array(wanted)

    def each(self, summary: Callable[[np.ndarray], float], kind: str = "") -> list[float]:
        """`summary` of every column."""
        return [summary(self.column(i, kind)) for i in range(len(self.ratios[0]))]

    def worst(self, i: int) -> tuple[float, str]:
        """(largest ratio of column i, its set)."""
        column = self.column(i)
        if np.isnan(column).all():
            return np.nan, "nothing to compare with"
        at = int(np.nanargmax(column))
        return float(column[at]), self.names[at]


def averages(table: Table, scores: Scores, blanks: int) -> None:
    """Rows at the foot of a table: geometric means over all sets and over each kind, and the worst set."""
    kinds = sorted(set(scores.kinds))
    for kind in ["", *kinds] if len(kinds) > 1 else [""]:
        count = sum(kind in ("", k) for k in scores.kinds)
        title = f"**geometric mean, {count} {f'of {kind}' if kind else 'sets'}**"
        table.row(title, *[""] * blanks, *scores.each(geometric, kind))
    table.row("**worst set**", *[""] * blanks, *(scores.worst(i)[0] for i in range(len(scores.ratios[0]))))


class Goal(NamedTuple):
    """What is wanted of the default setting; `detail` says which set decided."""

    what: str
    limit: float
    measured: float
    detail: str = ""


def print_goals(goals: list[Goal]) -> None:
    """The table of goals: wanted, measured, met or missed."""
    table = Table("Goals, for the first setting and the sets of this run", ["goal", "at most", "measured", "", ""])
    for goal in goals:
        met = "-" if np.isnan(goal.measured) else "met" if goal.measured <= goal.limit else "missed"
        table.row(goal.what, f"{goal.limit:.2f}", goal.measured, met, goal.detail)
