"""What the text kernels write: rows of examples in arrays that Python allocates, and where they stopped."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.text.batch import Batch

# Entries of the state array.
POSITION, LINE, ROWS, NNZ, AT, STATE_SIZE = 0, 1, 2, 3, 4, 5

# What stopped a kernel: the end of the buffer, a number that Python has to decide, or a malformed line. What was
# expected in its place is in `sonlearn.text.messages`.
DONE, NUMBER_UNDECIDED = 0, 1
BAD_LABEL, BAD_INDEX, BAD_INTEGER, BAD_VALUE, BIG_INDEX, BIG_NUMBER, BAD_QID = 2, 3, 4, 5, 6, 7, 8
NO_BAR, BAD_WEIGHT, BAD_BASE, MANY_LABELS, TAG_NOT_LAST, BAD_NAMESPACE = 9, 10, 11, 12, 13, 14
BAD_NAMESPACE_WEIGHT, BAD_FEATURE_VALUE, BAR_IN_VALUE, CARRIAGE_RETURN = 15, 16, 17, 18

NEWLINE, RETURN, TAB, BLANK, BAR, COLON, HASH, QUOTE = 10, 13, 9, 32, 124, 58, 35, 39


class Rows(NamedTuple):
    """Room for the examples of a buffer, as in `Batch`; row r owns entries ``indptr[r]:indptr[r + 1]``.

    ``tag_start`` and ``tag_end`` (int64[rows]) are offsets in the buffer.
    """

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    base: np.ndarray
    lines: np.ndarray
    tag_start: np.ndarray
    tag_end: np.ndarray


def make_rows(text_bytes: int) -> Rows:
    """Room for every row and feature that `text_bytes` bytes can hold.

    A row takes at least 2 bytes and a feature 2 more; with a constant feature in each row that is a feature a byte.
    Pages that are never written to take no memory.
    """
    n, nnz = text_bytes // 2 + 1, text_bytes + 2
    row_arrays = [np.empty(n, dtype=dtype) for dtype in (float, float, float, int, int, int)]
    indptr = np.zeros(n + 1, dtype=np.int64)
    return Rows(indptr, np.empty(nnz, dtype=np.int64), np.empty(nnz), *row_arrays)


def to_batch(rows: Rows, n: int, buf: np.ndarray, source: str) -> Batch:
    """Copy the first `n` rows out of the arrays that the next chunk will be parsed into."""
    nnz = int(rows.indptr[n])
    arrays = (rows.indptr[: n + 1], rows.indices[:nnz], rows.values[:nnz], rows.y[:n], rows.weight[:n], rows.lines[:n])
    base = rows.base[:n]
    return Batch(
        *(array.copy() for array in arrays), source=source, tags=_tags(rows, n, buf),
        base=base.copy() if base.any() else None,
    )  # fmt: skip


def _tags(rows: Rows, n: int, buf: np.ndarray) -> list[str] | None:
    start, end = rows.tag_start[:n], rows.tag_end[:n]
    if (start == end).all():
        return None
    text = memoryview(buf)
    pairs = zip(start.tolist(), end.tolist(), strict=True)
    return [str(text[a:b], "utf-8", "backslashreplace") for a, b in pairs]
