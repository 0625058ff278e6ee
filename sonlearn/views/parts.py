"""Parts of rows: their columns and their words, which views see each by itself (`sonlearn.options.views`).

Views of numbers would choose among the words, and thirty words of a row of unit length leave three columns nothing. So
once a row learned from has had both, a stream's rows are seen in parts, from that row on, and every later one. A row
that has neither stays one: what a view sees of it is all of it. Where rows are in parts, the constant is in both.
"""

from __future__ import annotations

import numpy as np

from sonlearn.data.rows import Rows, learned_rows
from sonlearn.options.views import COLUMNS, ROW, WORDS

#: Rows learned before the first that may be seen in parts: later, members have learned too much of whole rows.
LATEST = 1024


def parts_of(rows: Rows) -> dict[str, Rows]:
    """`rows` by the parts of them that views see."""
    return {ROW: rows, COLUMNS: part_of(rows, COLUMNS), WORDS: part_of(rows, WORDS)}


def part_of(rows: Rows, part: str) -> Rows:
    """The `COLUMNS` or the `WORDS` of `rows`."""
    n = int(rows.indptr[-1])
    words = rows.words[:n] == 1 if len(rows.words) else np.zeros(n, dtype=bool)
    which = (words if part == WORDS else ~words) | (rows.features[:n] == rows.constant)
    return rows._replace(
        indptr=np.concatenate([np.zeros(1, np.int64), np.cumsum(which)])[rows.indptr],
        features=rows.features[:n][which], values=rows.values[:n][which], ids=rows.ids[:n][which],
        words=rows.words[:n][which] if len(rows.words) else rows.words,
    )  # fmt: skip


def first_in_parts(rows: Rows, learned: int) -> int:
    """The row from which on `rows` are seen in parts, where `learned` rows have been learned before; n: none is."""
    n, entries = len(rows.y), int(rows.indptr[-1])
    if learned >= LATEST or not len(rows.words):
        return n
    word = rows.words[:entries] == 1
    column = ~word & (rows.features[:entries] != rows.constant)
    both = _any_of_row(word, rows.indptr) & _any_of_row(column, rows.indptr) & learned_rows(rows)
    at = int(np.argmax(both))
    return at if both.any() and learned + np.count_nonzero(learned_rows(rows)[:at]) < LATEST else n


def _any_of_row(which: np.ndarray, indptr: np.ndarray) -> np.ndarray:
    """bool[n]: whether a row has one of the entries `which`, bool[nnz]."""
    counts = np.concatenate([np.zeros(1, np.int64), np.cumsum(which)])[indptr]
    return np.asarray(counts[1:] > counts[:-1])
