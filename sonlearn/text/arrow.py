"""Parquet and Arrow files to batches, through pyarrow (an extra), with the features that CSV would give.

Numbers and booleans are values of the feature named like their column; strings, dates and dictionaries are features
``column=text``. Nulls and NaN are left out, and so are zeros; an infinite value makes a row malformed. A row's number
stands for its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sonlearn.batch import Batch
from sonlearn.errors import InputError, shorten
from sonlearn.options import TextOptions
from sonlearn.text.columns import Table, label_column, name_slot
from sonlearn.text.hashing import VW_CONSTANT
from sonlearn.text.source import Source, is_regular, open_binary, source_name

MAGIC = (b"PAR1", b"ARROW1")
_ROWS = 8192


def is_arrow(source: Source) -> bool:
    """Whether `source` is a file that begins like Parquet or Arrow. Not for pipes: what was looked at would be lost."""
    if not is_regular(source):
        return False
    try:
        with open_binary(source) as file:
            return bytes(file.read(6)).startswith(MAGIC)
    except OSError:
        return False


def read_arrow(source: Source, options: TextOptions) -> Iterator[Table]:
    """Yield the rows of `source`, some thousands at a time.

    Raises
    ------
    InputError
        pyarrow is not installed, the file cannot be read, has columns of lists or structs, or not one column
        ``options.label``.
    """
    name = source_name(source)
    try:
        import pyarrow
    except ImportError:
        raise InputError(name, None, None, "a Parquet or Arrow file", "pip install pyarrow, or text") from None
    done = 0
    try:
        with open_binary(source) as file:
            for record in _records(file):
                yield _table(record, options, (name, done))
                done += record.num_rows
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(name, None, None, shorten(str(error), 100), "a Parquet or Arrow file") from error


def _records(file: Any) -> Iterator[Any]:
    """Record batches of a Parquet file or an Arrow file."""
    import pyarrow

    head = file.read(6)
    file.seek(0)
    if head.startswith(b"PAR1"):
        import pyarrow.parquet

        yield from pyarrow.parquet.ParquetFile(file).iter_batches(batch_size=_ROWS)
        return
    with pyarrow.ipc.open_file(file) as reader:
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i)


def _table(record: Any, options: TextOptions, place: tuple[str, int]) -> Table:
    """One record batch; `place` is the source's name and the rows before."""
    name, done = place
    n, columns = record.num_rows, record.schema.names
    label = label_column(columns, options.label, (name, None))
    y = np.full(n, np.nan)
    parts = []
    for i, column in enumerate(columns):
        if i == label:
            y = _numbers(record.column(i), name, column)
        else:
            parts.append(_features(record.column(i), column, name, options))
    if options.constant:
        mask = (1 << options.bits) - 1
        parts.append((np.arange(n), np.full(n, VW_CONSTANT & mask, dtype=np.int64), np.ones(n)))
    rows = np.concatenate([part[0] for part in parts] or [np.zeros(0, np.int64)]).astype(np.int64)
    slots = np.concatenate([part[1] for part in parts] or [np.zeros(0, np.int64)])
    values = np.concatenate([part[2] for part in parts] or [np.zeros(0)])
    bad = np.isinf(y)
    bad[rows[np.isinf(values)]] = True
    errors = [
        InputError(name, done + int(i) + 1, None, "an infinite value", "finite numbers") for i in np.flatnonzero(bad)
    ]
    keep = ~bad[rows]
    order = np.argsort(rows[keep], kind="stable")
    counts = np.bincount(rows[keep], minlength=n)[~bad] if n else np.zeros(0, np.int64)
    lines = np.arange(done + 1, done + n + 1)[~bad]
    batch = Batch(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), slots[keep][order], values[keep][order], y[~bad],
        np.ones(len(lines)), lines,
    )  # fmt: skip
    return Table(batch if batch.n else None, errors)


def _features(column: Any, title: str, name: str, options: TextOptions) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(rows, slots, values) of a column."""
    import pyarrow.types as kinds

    kind = column.type
    if kinds.is_null(kind):
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    if _is_number(kind):
        values = _numbers(column, name, title)
        rows = np.flatnonzero(~np.isnan(values) & (values != 0))
        return rows, np.full(len(rows), name_slot(title, options), dtype=np.int64), values[rows]
    if kinds.is_nested(kind) or kinds.is_binary(kind) or kinds.is_large_binary(kind):
        found = f"the column {shorten(title)} of type {kind}"
        raise InputError(name, None, None, found, "columns of numbers, booleans, texts or dates")
    import pyarrow

    texts = column.cast(pyarrow.string()).dictionary_encode()
    slots = np.array([name_slot(f"{title}={text}", options) for text in texts.dictionary.to_pylist()], dtype=np.int64)
    codes = texts.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    rows = np.flatnonzero(codes >= 0)
    return rows, slots[codes[rows]], np.ones(len(rows))


def _is_number(kind: Any) -> bool:
    import pyarrow.types as kinds

    return kinds.is_boolean(kind) or kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind)


def _numbers(column: Any, name: str, title: str) -> np.ndarray:
    """float64, NaN for null."""
    import pyarrow

    if not _is_number(column.type):
        found = f"the label column {shorten(title)} of type {column.type}"
        raise InputError(name, None, None, found, "numbers or booleans as labels")
    if pyarrow.types.is_boolean(column.type):
        column = column.cast(pyarrow.uint8())
    return column.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False)
