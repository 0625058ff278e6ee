"""What the forms of decisions share: a decision's lines, what is known beside its features, the batch, and products."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.decisions import Decisions
from sonlearn.data.mixing import BITS, LOW, hash_bits
from sonlearn.jit import inline, jit
from sonlearn.options import BanditOptions, TextOptions


class DecisionLines(NamedTuple):
    """The lines of one decision."""

    line: int  # number of the first
    lines: list[bytes]


class Head(NamedTuple):
    """What is known of a decision before its features."""

    line: int
    shared: bool  # whether the first of its rows holds what is shared
    columns: tuple[int, ...]  # of numbered actions those to choose from; else the places of its own
    action: int
    cost: float
    probability: float
    tag: str
    probabilities: tuple[float, ...] = ()  # of all candidates, where they were logged


def assembled(rows: Batch, heads: list[Head], options: TextOptions, bandit: BanditOptions) -> Decisions:
    """Decisions of the rows of the `heads`; with actions that are rows, shared rows are multiplied in.

    Parameters
    ----------
    rows : Batch
        The rows of all decisions, one after the other. Those of actions hold what is shared already, unless `crosses`.
    heads : list of n
    options : TextOptions
    bandit : BanditOptions
    """
    action, cost, probability = (
        np.array([getattr(head, name) for head in heads]) for name in ("action", "cost", "probability")
    )
    lines = np.array([head.line for head in heads])
    tags = [head.tag for head in heads] if any(head.tag for head in heads) else None
    first = np.concatenate(([0], np.cumsum([len(head.columns) for head in heads])))
    rows = rows._replace(tags=None, base=None, y=np.full(rows.n, np.nan), weight=np.ones(rows.n))
    if bandit.actions is not None:
        row = np.repeat(np.arange(len(heads)), np.diff(first))
        column = np.array([a for head in heads for a in head.columns], np.int64)
    else:
        shared = np.array([head.shared for head in heads])
        if shared.any():
            rows = crossed_rows(rows, np.diff(first) + shared, shared, options.constant, crosses(options))
        row, column = np.arange(rows.n), np.zeros(rows.n, np.int64)
    return Decisions(rows, first, row, column, action, cost, probability, lines, None, rows.source, tags)


def crosses(options: TextOptions) -> bool:
    """Return whether features of actions are multiplied with shared ones, as the user's own products are not there."""
    return not (options.quadratic or options.cubic or options.interactions)


def crossed_rows(rows: Batch, sizes: np.ndarray, shared: np.ndarray, constant: bool, crosses: bool) -> Batch:
    """Rows of actions with what is shared, and with products of both.

    Parameters
    ----------
    rows : Batch
        Of each decision the row of what is shared, where it has one, and after it those of its actions.
    sizes : int64[n]
        How many rows each decision has.
    shared : bool[n]
        Whether the first of them is of what is shared.
    constant : bool
        Whether each row ends with the constant feature.
    crosses : bool
        Whether to multiply; else the rows of actions hold what is shared already.
    """
    actions, begin = np.ones(rows.n, bool), np.cumsum(sizes) - sizes
    actions[begin[shared]] = False
    at = np.flatnonzero(actions)
    if not crosses:
        return rows.at(at)
    of = np.repeat(np.where(shared, begin, -1), sizes)[at]  # of each row that of what it shares
    own = np.diff(rows.indptr) - constant
    total = own[at] + constant + np.where(of >= 0, own[of] * (1 + own[at]), 0)
    indptr = np.concatenate(([0], np.cumsum(total)))
    indices, values = np.empty(indptr[-1], np.int64), np.empty(indptr[-1])
    cross(rows.indptr, rows.indices, rows.values, at, of, constant, indptr, indices, values)
    return rows._replace(
        indptr=indptr, indices=indices, values=values, y=rows.y[at], weight=rows.weight[at], lines=rows.lines[at],
        marks=None,
    )  # fmt: skip


@jit
def cross(indptr, indices, values, at, of, constant, out_indptr, out_indices, out_values):
    """Fill in rows: those `at`, with what row `of` holds (-1: none), and products.

    Parameters
    ----------
    indptr, indices : int64[...], values : float64[...]: rows, not modified
    at, of : int64[n]; not modified
    constant : bool
    out_indptr : int64[n + 1]; out_indices : int64[nnz], out_values : float64[nnz], filled in
    """
    for i in range(len(at)):
        to = out_indptr[i]
        begin, end = indptr[at[i]], indptr[at[i] + 1] - constant
        for e in range(begin, end):
            out_indices[to], out_values[to] = indices[e], values[e]
            to += 1
        if of[i] >= 0:
            first, last = indptr[of[i]], indptr[of[i] + 1] - constant
            for s in range(first, last):
                out_indices[to], out_values[to] = indices[s], values[s]
                to += 1
            for e in range(begin, end):
                for s in range(first, last):
                    out_indices[to] = product_id(indices[e], indices[s])
                    out_values[to] = values[e] * values[s]
                    to += 1
        if constant:
            out_indices[to], out_values[to] = indices[end], values[end]


@inline
def product_id(a, b):
    """The id of the product of two features, from 2^61 on: no id of a feature."""
    low = hash_bits(hash_bits(a & LOW) ^ (a >> BITS) ^ (b & LOW)) ^ (b >> BITS)
    high = hash_bits(hash_bits(b & LOW) ^ (a & LOW)) & ((1 << 30) - 1)
    return (1 << 61) | (high << BITS) | hash_bits(low)
