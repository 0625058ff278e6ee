"""What the text kernels write: rows in arrays that Python allocates; where they stopped; what becomes of a chunk."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.jit import inline

if TYPE_CHECKING:
    from sonlearn.errors import InputError
    from sonlearn.text.columns import TableSchema
    from sonlearn.text.names import Named

# Entries of the state array.
POSITION, LINE, ROWS, NNZ, AT, IN_ORDER, STATE_SIZE = 0, 1, 2, 3, 4, 5, 6

# What stopped a kernel: the end of the buffer, a number that Python has to decide (at ``state[AT]``), indices that
# Python has to look for repetition (``state[IN_ORDER]`` is the line that may pass), or a malformed line. What was
# expected in its place is in `sonlearn.text.malformed`.
DONE, NUMBER_UNDECIDED = 0, 1
BAD_LABEL, BAD_INDEX, BAD_INTEGER, BAD_VALUE, BIG_NUMBER, BAD_QID = 2, 3, 4, 5, 7, 8
NO_BAR, BAD_WEIGHT, BAD_BASE, MANY_LABELS, TAG_NOT_LAST, BAD_NAMESPACE = 9, 10, 11, 12, 13, 14
BAD_NAMESPACE_WEIGHT, BAD_FEATURE_VALUE, BAR_IN_VALUE, CARRIAGE_RETURN = 15, 16, 17, 18
UNORDERED, REPEATED = 19, 20

_LINE = re.compile(rb"[^\n]*")
NEWLINE, RETURN, TAB, BLANK, BAR, COLON, HASH, QUOTE = 10, 13, 9, 32, 124, 58, 35, 39


class ParsedRows(NamedTuple):
    """Room for the examples of a buffer, as in `Batch`; row r owns entries ``indptr[r]:indptr[r + 1]``.

    ``tag_start``, ``tag_end``, ``name_start`` and ``name_end`` (int64[rows]) are offsets in the buffer: of tags, and of
    labels that are names of classes (y is NaN there); the same twice where there is none. Row r of VW text has the
    namespaces ``run_indptr[r]:run_indptr[r + 1]``, each with its first byte ``run_byte`` and its first entry
    ``run_start``.
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
    name_start: np.ndarray
    name_end: np.ndarray
    run_indptr: np.ndarray
    run_byte: np.ndarray
    run_start: np.ndarray
    run_bar: np.ndarray
    tokens: np.ndarray  # int64[entries, 2], or int64[0, 2]


class ParsedChunk(NamedTuple):
    """What became of a chunk of text, or of rows of a table.

    Attributes
    ----------
    batches : list of Batch, with line numbers that count from the chunk's first line
    errors : those of malformed lines, likewise, in their order
    lines : int, of the whole chunk
    names : of features that were not named before, with ``TextOptions.names``; of tables and JSON of all, counted
    found : columns of a table, or None
    spaces : first bytes of the namespaces of VW text met so far, where flags name some
    runs : entries of the one batch and their namespaces, of JSON
    """

    batches: list[Batch]
    errors: list[InputError]
    lines: int
    names: list[Named] = []  # noqa: RUF012
    found: TableSchema | None = None
    spaces: frozenset[int] = frozenset()
    runs: Runs | None = None


class Runs(NamedTuple):
    """Entries of rows and their namespaces, which interactions are made of: fields of `ParsedRows`."""

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    run_indptr: np.ndarray
    run_byte: np.ndarray
    run_start: np.ndarray


def make_rows(text_bytes: int, named: bool = False) -> ParsedRows:
    """Room for every row and feature that `text_bytes` bytes can hold; with `named` also for the places of names.

    A row takes at least 2 bytes and a feature 2 more; with a constant feature in each row that is a feature a byte.
    Pages that are never written to take no memory.
    """
    n, nnz = text_bytes // 2 + 1, text_bytes + 2
    row_arrays = [np.empty(n, dtype=dtype) for dtype in (float, float, float, *5 * [np.int64])]
    indptr, run_indptr = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    run_byte, run_start, run_bar = (np.empty(nnz, dtype) for dtype in (np.uint8, np.int64, np.int64))
    indices, values, tokens = np.empty(nnz, np.int64), np.empty(nnz), np.empty((nnz if named else 0, 2), np.int64)
    return ParsedRows(indptr, indices, values, *row_arrays, run_indptr, run_byte, run_start, run_bar, tokens)


@inline(force=True)
def begin_row(rows, row):  # type: ignore[no-untyped-def]
    """A row without a label, a tag or a name, with weight 1."""
    rows.y[row], rows.weight[row], rows.base[row] = np.nan, 1.0, 0.0
    rows.tag_start[row] = rows.tag_end[row] = 0
    rows.name_start[row] = rows.name_end[row] = 0


@inline(force=True)
def end_row(rows, row, k, line, constant, id):  # type: ignore[no-untyped-def]
    """End a row before entry k, behind which the `constant` stands if there is one, as the feature `id`; its end."""
    if constant:
        rows.indices[k], rows.values[k] = id, 1.0
        k += 1
    rows.lines[row], rows.indptr[row + 1] = line, k
    return k


def line_at(buf: np.ndarray, begin: int) -> bytes:
    """The line that begins there, without its newline."""
    return _LINE.match(memoryview(buf), begin)[0]  # type: ignore[index, arg-type]


def to_batch(rows: ParsedRows, n: int, buf: np.ndarray) -> Batch:
    """Copy the first `n` rows out of the arrays that the next chunk will be parsed into."""
    nnz = int(rows.indptr[n])
    base = rows.base[:n]
    names = _texts(rows.name_start[:n], rows.name_end[:n], buf)
    return Batch(
        rows.indptr[: n + 1].copy(), rows.indices[:nnz].copy(), rows.values[:nnz].copy(), rows.y[:n].copy(),
        rows.weight[:n].copy(), rows.lines[:n].copy(), tags=_texts(rows.tag_start[:n], rows.tag_end[:n], buf),
        base=base.copy() if base.any() else None,
        class_names=None if names is None else [name or None for name in names],
    )  # fmt: skip


def _texts(start: np.ndarray, end: np.ndarray, buf: np.ndarray) -> list[str] | None:
    """Return what stands at these places; None where nothing does at any."""
    if (start == end).all():
        return None
    text = memoryview(buf)
    pairs = zip(start.tolist(), end.tolist(), strict=True)
    return [str(text[i:j], "utf-8", "surrogateescape") for i, j in pairs]
