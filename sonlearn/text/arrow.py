"""Tables to batches, through pyarrow (an extra), with the features that the same table has as CSV.

They are files of Parquet or Arrow; or in memory, of whatever library hands them over by Arrow's C stream interface
(``__arrow_c_stream__``: pandas, polars, pyarrow, DuckDB). An index of pandas is no column.

See `sonlearn.text.columns`. Numbers of less than double precision are those that their shortest decimals say, as in
CSV; dates and times are texts as pyarrow writes them. A row's number stands for its line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from sonlearn.data.batch import Batch, joined
from sonlearn.errors import InputError, shorten
from sonlearn.options import TextOptions
from sonlearn.text.columns import FINITE, NO_LABEL, Table, label_column, name_slot, number_in
from sonlearn.text.hashing import VW_CONSTANT
from sonlearn.text.source import Source, Watch, is_regular, open_binary, source_name

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


def read_arrow(
    source: Source,
    options: TextOptions,
    labelled: bool = True,
    class_names: bool = False,
    watch: Watch | None = None,
) -> Iterator[Table]:
    """Yield the rows of `source`, some thousands at a time; with `class_names`, labels may be texts.

    `watch`: see `sonlearn.text.source.open_binary`.

    Raises
    ------
    InputError
        pyarrow is not installed, the file cannot be read, has columns of lists or structs, two columns of a name, or
        not one column ``options.label`` (it may have none if not `labelled`).
    """
    name = source_name(source)
    try:
        import pyarrow
    except ImportError:
        raise InputError(name, None, None, "a Parquet or Arrow file", "pip install pyarrow, or text") from None
    done = 0
    try:
        with open_binary(source, watch) as file:
            for record in _records(file):
                yield _table(record, options, (name, done), labelled, class_names)
                done += record.num_rows
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(name, None, None, shorten(str(error), 100), "a Parquet or Arrow file") from error


def read_table(
    source: Any,
    options: TextOptions,
    labelled: bool = True,
    class_names: bool = False,
    rows: int = _ROWS,
    name: str | None = None,
) -> Iterator[Table]:
    """Yield the rows of a table in memory, up to `rows` at a time; the other parameters are `read_arrow`'s.

    `name` is what messages call it, if not by what it is.

    Raises
    ------
    InputError
        As `read_arrow`; or a column holds what is no value of a column (lists, or objects of several kinds).
    """
    name = name or source_name(source)
    try:
        import pyarrow
    except ImportError:
        raise InputError(name, None, None, "a table", "pip install pyarrow, or rows as dicts") from None
    done = 0
    try:
        stream = pyarrow.RecordBatchReader.from_stream(source)
        dropped = set(_index_of_pandas(stream.schema))
        kept = [i for i, column in enumerate(stream.schema.names) if column not in dropped]
        for record in stream:
            record = record.select(kept)
            for start in range(0, record.num_rows, rows):
                part = record.slice(start, rows)
                yield _table(part, options, (name, done), labelled, class_names)
                done += part.num_rows
        if done == 0:
            label_column([stream.schema.names[i] for i in kept], options.label, (name, None), labelled)
    except (pyarrow.ArrowException, TypeError, ValueError, ImportError) as error:
        if isinstance(error, InputError):
            raise
        said = " ".join(str(part) for part in error.args)
        raise InputError(name, None, None, shorten(said, 200), "a table of numbers, texts, dates") from error


def table_batch(source: Any, options: TextOptions, labelled: bool, class_names: bool) -> Batch:
    """All rows of a table in memory. Raises InputError at the first row that is malformed, and as `read_table`."""
    batches = []
    for table in read_table(source, options, labelled, class_names, rows=1 << 62):
        if table.errors:
            raise table.errors[0]
        batches += [table.batch] if table.batch is not None else []
    empty = Batch(np.zeros(1, np.int64), np.zeros(0, np.int64), *np.zeros((3, 0)), np.zeros(0, np.int64))
    name, constant = source_name(source), VW_CONSTANT & ((1 << options.bits) - 1)
    return joined(batches or [empty])._replace(source=name, constant=constant)


def _index_of_pandas(schema: Any) -> list[str]:
    """Columns that pandas has made of its index."""
    described = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
    return [column for column in described.get("index_columns", ()) if isinstance(column, str)]


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


def _table(record: Any, options: TextOptions, place: tuple[str, int], labelled: bool, class_names: bool) -> Table:
    """One record batch; `place` is the source's name and the rows before."""
    name, done = place
    n, columns = record.num_rows, record.schema.names
    label = label_column(columns, options.label, (name, None), labelled)
    y, wrong, classes = np.full(n, np.nan), {}, None
    parts, names = [], []
    for i, column in enumerate(columns):
        if i == label:
            y, wrong, classes = _labels(record.column(i), name, column, class_names)
        else:
            *part, found = _features(record.column(i), column, name, options)
            parts.append(part)
            names += found
    if options.constant:
        mask = (1 << options.bits) - 1
        names.append((VW_CONSTANT & mask, "Constant"))
        parts.append((np.arange(n), np.full(n, VW_CONSTANT & mask, dtype=np.int64), np.ones(n)))
    rows = np.concatenate([part[0] for part in parts] or [np.zeros(0, np.int64)]).astype(np.int64)
    slots = np.concatenate([part[1] for part in parts] or [np.zeros(0, np.int64)])
    values = np.concatenate([part[2] for part in parts] or [np.zeros(0)])
    bad = np.zeros(n, dtype=bool)
    bad[rows[np.isinf(values)]] = True
    bad[list(wrong)] = True
    errors = [_malformed((name, done + int(i) + 1), wrong.get(int(i))) for i in np.flatnonzero(bad)]
    keep = ~bad[rows]
    order = np.argsort(rows[keep], kind="stable")
    counts = np.bincount(rows[keep], minlength=n)[~bad] if n else np.zeros(0, np.int64)
    lines = np.arange(done + 1, done + n + 1)[~bad]
    batch = Batch(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), slots[keep][order], values[keep][order], y[~bad],
        np.ones(len(lines)), lines, class_names=classes and [classes[i] for i in np.flatnonzero(~bad)],
    )  # fmt: skip
    return Table(batch if batch.n else None, errors, names if options.names else [])


def _malformed(place: tuple[str, int], label: str | None) -> InputError:
    if label is None:
        return InputError(*place, None, "an infinite value", f"{FINITE}, or a text that is none")
    return InputError(*place, None, shorten(label), NO_LABEL)


def _features(column: Any, title: str, name: str, options: TextOptions) -> tuple[Any, ...]:
    """(rows, slots, values) of a column, infinite values of malformed rows included; (slot, name) of its features."""
    values, codes, texts = _fields(column, title, name)
    slot = name_slot(title, options)
    named = [(slot, title)]
    if codes is None:
        rows = np.flatnonzero(~np.isnan(values) & (values != 0))
        return rows, np.full(len(rows), slot, dtype=np.int64), values[rows], named
    # one entry a distinct text, and a last one for null
    numbers = [number_in(text) for text in texts]
    values = np.array([1.0 if number is None else number for number in numbers] + [np.nan])
    own = [text for text, number in zip(texts, numbers, strict=True) if number is None]
    named += [(name_slot(f"{title}={text}", options), f"{title}={text}") for text in own]
    slots = np.full(len(texts) + 1, slot, dtype=np.int64)
    slots[[i for i, number in enumerate(numbers) if number is None]] = [slot for slot, _ in named[1:]]
    rows = np.flatnonzero(~np.isnan(values[codes]) & (values[codes] != 0))
    return rows, slots[codes[rows]], values[codes[rows]], named


def _labels(
    column: Any, name: str, title: str, class_names: bool
) -> tuple[np.ndarray, dict[int, str], list[str | None] | None]:
    """(labels float64, NaN for none; what stands in the rows where a label is malformed; names of classes, or None)."""
    values, codes, texts = _fields(column, title, name)
    if codes is None:
        return values, {int(i): str(values[i]) for i in np.flatnonzero(np.isinf(values))}, None
    numbers = [np.nan if not text.strip() else number_in(text) for text in texts]
    own = [
        text.strip() if number is None and class_names else None for text, number in zip(texts, numbers, strict=True)
    ]
    unnamed = np.nan if class_names else np.inf
    values = np.array([unnamed if number is None else number for number in numbers] + [np.nan])[codes]
    names = [own[code] if code >= 0 else None for code in codes.tolist()] if any(own) else None
    return values, {int(i): texts[codes[i]] for i in np.flatnonzero(np.isinf(values))}, names


def _fields(column: Any, title: str, name: str) -> tuple[np.ndarray, np.ndarray | None, list[str]]:
    """A column's numbers (float64, NaN for null), None and nothing; or of texts: nothing, their codes, and the texts.

    The code of null is -1.
    """
    import pyarrow
    import pyarrow.types as kinds

    kind = column.type
    if kinds.is_null(kind):
        return np.full(len(column), np.nan), None, []
    if kinds.is_nested(kind) or kinds.is_binary(kind) or kinds.is_large_binary(kind):
        found = f"the column {shorten(title)} of type {kind}"
        raise InputError(name, None, None, found, "columns of numbers, booleans, texts or dates")
    if kinds.is_dictionary(kind):
        return _categories(column)
    if kinds.is_boolean(kind):
        column = column.cast(pyarrow.uint8())
    elif kinds.is_float16(kind):
        column = column.cast(pyarrow.float32())
    elif not (kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind)):
        texts = column.cast(pyarrow.string()).dictionary_encode()
        codes = texts.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        return np.zeros(0), codes, texts.dictionary.to_pylist()
    if kinds.is_float32(column.type) or kinds.is_decimal(kind):
        column = column.cast(pyarrow.string())
    return column.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False), None, []


def _categories(column: Any) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """`_fields` of a column of categories: those that occur, as texts; the code of null is -1."""
    import pyarrow

    codes = column.indices.cast(pyarrow.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    used, codes = np.unique(codes, return_inverse=True)
    occurring = used[used >= 0]
    texts = column.dictionary.cast(pyarrow.string()).to_pylist()
    chosen = [texts[code] for code in occurring.tolist()]
    codes = codes - (len(used) - len(occurring))  # null, which comes first, is -1
    known = np.array([text is not None for text in chosen] + [False])
    places = np.where(known, np.cumsum(known) - 1, -1)
    return np.zeros(0), places[codes], [text for text in chosen if text is not None]
