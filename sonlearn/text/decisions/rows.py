"""What the forms of decisions share: lines of a decision, what is known of it beside its features, and the batch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.decisions import Decisions
from sonlearn.errors import InputError
from sonlearn.options import TextOptions
from sonlearn.options.bandit import BanditOptions
from sonlearn.text.decisions.crossing import crossed_rows


class DecisionLines(NamedTuple):
    """The lines of one decision."""

    line: int  # number of the first
    lines: list[bytes]


class Head(NamedTuple):
    """What is known of a decision before its features."""

    line: int
    shared: bool  # whether the first of its rows holds what is shared
    columns: tuple[int, ...]  # of numbered actions those to choose from
    action: int
    cost: float
    probability: float
    tag: str
    probabilities: tuple[float, ...] = ()  # of all candidates, where they were logged


class RefusedDecision(NamedTuple):
    """A malformed decision: the line of its first, its tag, and the error."""

    line: int
    tag: str
    error: InputError


def assembled(
    rows: Batch, begin: np.ndarray, heads: list[Head], options: TextOptions, bandit: BanditOptions, *, given: bool
) -> Decisions:
    """Decisions of the rows of the `heads`; with actions that are rows, shared rows are multiplied in.

    Parameters
    ----------
    rows : Batch
        The rows of all decisions, one after the other.
    begin : int64[n]
        Where the rows of each decision begin.
    heads : list of n
    options : TextOptions
    bandit : BanditOptions
    given : bool
        Whether the rows of actions hold the shared features already: see `crossed_rows`.
    """
    action, cost, probability = (
        np.array([getattr(head, name) for head in heads]) for name in ("action", "cost", "probability")
    )
    lines = np.array([head.line for head in heads])
    tags = [head.tag for head in heads] if any(head.tag for head in heads) else None
    if bandit.actions is not None:
        first = np.concatenate(([0], np.cumsum([len(head.columns) for head in heads])))
        row = np.repeat(np.arange(len(heads)), np.diff(first))
        column = np.array([a for head in heads for a in head.columns], np.int64)
        return Decisions(rows, first, row, column, action, cost, probability, lines, None, rows.source, tags)
    sizes = np.diff(np.append(begin, rows.n))
    shared = np.array([head.shared for head in heads])
    if shared.any():
        rows = crossed_rows(rows, begin, sizes, shared, options.constant, crosses(options), given)
        sizes = sizes - shared
    first = np.concatenate(([0], np.cumsum(sizes)))
    return Decisions(
        rows, first, np.arange(rows.n), np.zeros(rows.n, np.int64), action, cost, probability, lines, None,
        rows.source, tags,
    )  # fmt: skip


def crosses(options: TextOptions) -> bool:
    """Whether features of actions are multiplied with shared ones, as the user's own products are not there."""
    return not (options.quadratic or options.cubic or options.interactions)


def without_rows(batch: Batch, rows: list[int]) -> Batch:
    """`batch` without these rows (ascending), which are then among those `skipped`."""
    if not rows:
        return batch
    kept = np.ones(batch.n, bool)
    kept[rows] = False
    before = np.concatenate(([0], np.cumsum(kept))).tolist()  # rows that stay, before each
    left_out = [(at, 0, tag) for at, tag in batch.skipped or ()]
    left_out += [(at, 1, "" if batch.tags is None else batch.tags[at]) for at in rows]
    skipped = [(before[at], tag) for at, _, tag in sorted(left_out, key=lambda one: one[:2])]
    return batch.at(np.flatnonzero(kept))._replace(skipped=skipped)
