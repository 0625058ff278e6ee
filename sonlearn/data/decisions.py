"""`Decisions`: decision problems, as the readers of bandits return them."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from sonlearn.data.batch import Batch


class Decisions(NamedTuple):
    """Decision problems, one after the other; each has candidates, of which one is or was chosen.

    A candidate is a row of features and a column, the number of its action. Where actions are numbered, the candidates
    of a decision share its row and differ by column; where actions have features, each has a row of its own and all are
    in column 0.

    Attributes
    ----------
    rows : Batch
        Of the candidates. Labels are not read.
    first : int64[n + 1]
        Decision i has the candidates ``first[i]:first[i + 1]``, of which there is at least one.
    row : int64[candidates]
        Their rows; those of a decision are in ascending order, and after those of the decision before.
    column : int64[candidates]
        Their columns, from 0 on.
    action : int64[n]
        The candidate that was chosen, counted from the decision's first; -1: none is known.
    cost : float64[n]
        What it cost; NaN: nothing is known, the decision is only predicted.
    probability : float64[n]
        With which it was chosen, in (0, 1]; NaN: not known.
    costs : float64[candidates], or None
        The cost of every candidate, where all are known. Then one is chosen here, and `action` and `cost` do not count.
    lines : int64[n]
        1-based line of each decision in `source`, for messages.
    source : str
    tags : list of str, or None
    skipped : list of (int, str), or None
        Malformed decisions that were left out, as `Batch.skipped`.
    probabilities : float64[candidates], or None
        With which the log's policy would have chosen each candidate, where all were logged; NaN: not known.
    """

    rows: Batch
    first: np.ndarray
    row: np.ndarray
    column: np.ndarray
    action: np.ndarray
    cost: np.ndarray
    probability: np.ndarray
    lines: np.ndarray
    costs: np.ndarray | None = None
    source: str = "<memory>"
    tags: list[str] | None = None
    skipped: list[tuple[int, str]] | None = None
    probabilities: np.ndarray | None = None

    @property
    def n(self) -> int:
        """Number of decisions."""
        return len(self.action)

    def part(self, start: int, stop: int) -> Decisions:
        """The decisions `start` to `stop` - 1; `self` if these are all."""
        if start <= 0 and stop >= self.n:
            return self
        start, stop = max(start, 0), min(stop, self.n)
        a, b = self.first[start], self.first[stop]
        low, high = (int(self.row[a]), int(self.row[b - 1]) + 1) if b > a else (0, 0)
        last = stop if stop == self.n else stop - 1
        skipped = [(at - start, tag) for at, tag in self.skipped or () if start <= at <= last]
        return self._replace(
            rows=self.rows.part(low, high), first=self.first[start : stop + 1] - a, row=self.row[a:b] - low,
            column=self.column[a:b], action=self.action[start:stop], cost=self.cost[start:stop],
            probability=self.probability[start:stop], lines=self.lines[start:stop],
            costs=None if self.costs is None else self.costs[a:b],
            tags=None if self.tags is None else self.tags[start:stop], skipped=skipped or None,
            probabilities=None if self.probabilities is None else self.probabilities[a:b],
        )  # fmt: skip


def numbered(
    rows: Batch, actions: int, *outcomes: np.ndarray | None, costs: np.ndarray | None = None
) -> Decisions:  # fmt: skip
    """A decision among the same `actions` actions for each row.

    `outcomes` : action, cost and probability of each, as far as they are known; `costs`: see `Decisions`
    """
    n = rows.n
    return Decisions(
        rows, np.arange(n + 1) * actions, np.repeat(np.arange(n), actions), np.tile(np.arange(actions), n),
        *_outcomes(n, *outcomes), rows.lines,
        None if costs is None else np.asarray(costs, np.float64).ravel(), rows.source, rows.tags, rows.skipped,
    )  # fmt: skip


def listed(rows: Batch, first: np.ndarray, *outcomes: np.ndarray | None) -> Decisions:
    """Decisions whose actions are rows: decision i has ``first[i]:first[i + 1]``; the rest as of `numbered`."""
    return Decisions(
        rows, np.asarray(first, np.int64), np.arange(rows.n), np.zeros(rows.n, np.int64),
        *_outcomes(len(first) - 1, *outcomes), rows.lines[first[:-1]], None, rows.source,
    )  # fmt: skip


def _outcomes(n: int, *given: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Action, cost and probability of n decisions as `Decisions` has them, where they are not known as well."""
    action, cost, probability = (
        np.full(n, unknown) if values is None else np.asarray(values, np.array(unknown).dtype)
        for values, unknown in itertools.zip_longest(given, (-1, np.nan, np.nan))
    )
    return action, cost, probability
