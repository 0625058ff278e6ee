"""Tables to batches, through pyarrow (an extra), with the features that the same table has as CSV.

They are files of Parquet or Arrow; or in memory, of whatever library hands them over by Arrow's C stream interface
(``__arrow_c_stream__``: pandas, polars, pyarrow, DuckDB). An index of pandas is no column.

See `sonlearn.text.encode`. Numbers of less than double precision are those that their shortest decimals say, as in
CSV; dates and times are texts as pyarrow writes them. A row's number stands for its line.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import itertools
import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sonlearn.data.batch import NO_BATCH, Batch, joined
from sonlearn.errors import WHOLE, InputError, shorten
from sonlearn.options import TextOptions
from sonlearn.text.assemble import Fields, assemble
from sonlearn.text.columns import ColumnTable, Labelling, TableSchema, layout_of, titles_of
from sonlearn.text.encode import TableEncoder
from sonlearn.text.hashing import constant_id
from sonlearn.text.infer import infer
from sonlearn.text.names import NameTable
from sonlearn.text.objects import SAMPLE
from sonlearn.text.rows import ParsedChunk
from sonlearn.text.source import Watch, open_binary, source_name

_ROWS = 8192
#: Types of texts, and of whole numbers.
_TEXTS, _WHOLE = ("string", "large_string", "string_view"), ("int32", "int64", "uint32", "uint64")
#: What columns of an extension type hold, which Arrow does not write as texts, and what to give instead.
_EXTENSIONS = {
    "pandas.period": ("periods", "dates (.dt.to_timestamp())"),
    "pandas.interval": ("intervals", "texts (.astype(str))"),
    "arrow.uuid": ("UUIDs", "texts (.astype(str))"),
}
#: What pyarrow says of a column of pandas' type object that has, for example, numbers and texts.
_SEVERAL_TYPES = re.compile(r"(?!.*did not recognize).*Conversion failed for column (.+) with type object", re.DOTALL)


def read_arrow(
    source: Any,
    options: TextOptions,
    labels: Labelling = Labelling(),  # noqa: B008 (a tuple)
    watch: Watch | None = None,
    known: ColumnTable | None = None,
    *,
    rows: int = _ROWS,
    name: str | None = None,
    texts: bool = False,
) -> Iterator[ParsedChunk]:
    """Yield the rows of a file, or of a table in memory, up to `rows` at a time.

    `watch`: see `sonlearn.text.source.open_binary`; `known`: `sonlearn.text.csv.read_csv`; `name` is what messages call
    the source, if not by what it is; `texts`: whether the first rows tell how columns are read (`TableSchema.read_as`).

    Raises
    ------
    InputError
        pyarrow is not installed, the file cannot be read, has columns of lists or structs, two columns of a name, or
        not a column that an option names (it may have none if labels are not needed); or a column of a table holds what
        is no value of a column (lists, or objects of several kinds).
    """
    name = name or source_name(source)
    done = 0
    with _opened(source, name, watch) as (columns, records):
        if texts:
            options, records = _infer(options, columns, records)
        encoder = TableEncoder(options, known)
        for record in records:
            for start in range(0, record.num_rows or 1, rows):
                part = record.slice(start, rows)
                yield _table(part, columns, encoder, (name, done + 1), labels)
                done += part.num_rows
        if done == 0:
            layout_of(columns, options, (name, None), labels)


def texts_of(source: Any, options: TextOptions) -> tuple[list[str], Iterator[dict[str, str]], TextOptions]:
    """The columns of a Parquet or Arrow file, or a table in memory, its rows as the texts of CSV, and what these tell.

    Raises InputError as `read_arrow`.
    """
    name = source_name(source)

    def rows() -> Iterator[Any]:
        with _opened(source, name) as (columns, records):
            read_as, records = _infer(options, columns, records)
            yield columns, read_as
            for record in records:
                yield from _rows_of(record, columns)

    every = rows()
    columns, read_as = next(every)
    return columns, every, read_as


def _infer(options: TextOptions, columns: list[str], records: Iterator[Any]) -> tuple[TextOptions, Iterator[Any]]:
    """`options` with what the first rows tell of columns of texts (others say what they are), and all records.

    Categories may be codes and dates, but are no texts of several words.
    """
    first = list[Any]()
    while sum(map(len, first)) < SAMPLE and (record := next(records, None)) is not None:
        first.append(record)
    rows = (row for record in first for row in _rows_of(record[:SAMPLE], columns, texts_alone=True))
    found = infer(options, itertools.islice(rows, SAMPLE))
    plain = {
        title for record in first[:1] for title, field in zip(columns, record.schema, strict=True)
        if str(field.type) in _TEXTS
    }  # fmt: skip
    text = tuple(title for title in found.text if title in options.text or title in plain)
    return dataclasses.replace(found, text=text), itertools.chain(first, records)


def _tells(column: Any, kind: str) -> bool:
    """Return whether a column's fields tell how it is read: texts, or numbers that may be dates or times."""
    return kind in _TEXTS or (kind in _WHOLE and len(column) > 0 and 1e6 < (column[0].as_py() or 0) < 2e12)


def _rows_of(record: Any, columns: list[str], texts_alone: bool = False) -> Iterator[dict[str, str]]:
    """The rows of a record batch as texts by column, of all columns or `texts_alone`: those that `_tells`."""
    from pyarrow.types import is_dictionary

    kinds = [str(kind.value_type if is_dictionary(kind) else kind) for kind in record.schema.types]
    texts = {title: _fields(record.column(i), title, as_text=True).all_texts()
             for i, title in enumerate(columns) if not texts_alone or _tells(record.column(i), kinds[i])}  # fmt: skip
    yield from (dict(zip(texts, row, strict=True)) for row in zip(*texts.values(), strict=True))


def table_batch(
    source: Any,
    options: TextOptions,
    labels: Labelling,
    known: ColumnTable | None = None,
    names: NameTable | None = None,
    *,
    texts: bool = False,
) -> tuple[Batch, TableSchema]:
    """All rows of a table in memory, and its columns, with notes of keywords; names of its features go to `names`.

    `texts`: see `read_arrow`.

    Raises InputError at the first row that is malformed, and as `read_arrow`.
    """
    batches, found = [], TableSchema((), {})
    for table in read_arrow(source, options, labels, known=known, rows=1 << 62, texts=texts):
        if table.errors:
            raise table.errors[0]
        batches += table.batches
        found = table.found or found
        if names is not None:
            names.add(table.names)
    from sonlearn.options.python import in_keywords

    found = found._replace(notes=tuple(map(in_keywords, found.notes)))
    name, constant = source_name(source), constant_id(options, "arrow")
    return joined(batches or [NO_BATCH])._replace(source=name, constant=constant), found


def arrow_table(source: Any) -> Any:
    """A table in memory as one of pyarrow; None where it is none that pyarrow takes, or pyarrow is not installed."""
    if not hasattr(source, "__arrow_c_stream__"):
        return None
    try:
        import pyarrow

        return pyarrow.table(_inferred(source))
    except (ImportError, TypeError, ValueError, NotImplementedError, OverflowError):  # sparse columns, complex numbers
        return None


def is_mixed(table: Any) -> bool:
    """Return whether a table of pyarrow is no matrix of numbers: it has texts, dates, categories, or missing values.

    False of None.
    """
    if table is None:
        return False
    import pyarrow.compute

    return any(
        not _is_number(column.type) or column.null_count
        or (pyarrow.types.is_floating(column.type) and pyarrow.compute.any(pyarrow.compute.is_nan(column)).as_py())
        for column in table.columns
    )  # fmt: skip


def categories_of(table: Any) -> tuple[str, ...]:
    """The columns of a table of pyarrow whose type is one of categories, whatever these look like."""
    import pyarrow

    return tuple(field.name for field in table.schema if pyarrow.types.is_dictionary(field.type))


@contextlib.contextmanager
def _opened(source: Any, name: str, watch: Watch | None = None) -> Iterator[tuple[list[str], Iterator[Any]]]:
    """The columns and the record batches of a file of Parquet or Arrow, or of a table in memory.

    Raises InputError, also for what pyarrow raises in the block.
    """
    of_file = isinstance(source, str | os.PathLike) or hasattr(source, "read")
    what, instead = ("a Parquet or Arrow file", "text") if of_file else ("a table", "rows as dicts")
    expected = what if of_file else f"{what} of numbers, texts, dates"
    kinds: tuple[type[Exception], ...] = (OSError,) if of_file else (TypeError, ValueError, OverflowError, ImportError)
    try:
        import pyarrow
    except ImportError:
        raise InputError(name, what, f"pip install pyarrow, or {instead}") from None
    try:
        if not of_file:
            yield _of_memory(source)
            return
        with open_binary(source, watch) as file:
            yield _of_file(file)
    except InputError as error:
        raise error.but(source=name) from None
    except (pyarrow.ArrowException, *kinds) as error:
        text = str(error) if of_file else " ".join(str(part) for part in error.args)
        reason, several = shorten(text, 100 if of_file else 200), _SEVERAL_TYPES.match(text)
        if several:
            reason = f"values of several types in the column {shorten(several[1])}"
            expected = f"one type in each column; as texts: table[{several[1]!r}].astype(str)"
        raise InputError(name, reason, expected) from error


def _of_memory(source: Any) -> tuple[list[str], Iterator[Any]]:
    """Columns and record batches of a table, without the columns that pandas has made of its index."""
    import pyarrow

    try:
        stream = pyarrow.RecordBatchReader.from_stream(_inferred(source))
    except pyarrow.ArrowInvalid as error:
        if "non-struct" not in str(error):
            raise
        raise TypeError(f"a {type(source).__name__}, which to_frame() makes a table of") from None
    described = json.loads((stream.schema.metadata or {}).get(b"pandas", b"{}"))
    index = [column for column in described.get("index_columns", ()) if isinstance(column, str)]
    kept = [i for i, column in enumerate(stream.schema.names) if column not in index]
    return [stream.schema.names[i] for i in kept], (record.select(kept) for record in stream)


def _inferred(source: Any) -> Any:
    """A table of pandas whose columns of objects that are dates of NumPy are columns of dates: Arrow refuses others."""
    return source.infer_objects() if hasattr(source, "infer_objects") else source


def _of_file(file: Any) -> tuple[list[str], Iterator[Any]]:
    """Columns and record batches of a Parquet file, or of Arrow's format of files or of streams.

    Their names are those of CSV; those of a table in memory are as they are.
    """
    import pyarrow

    if not file.seekable():
        file = io.BytesIO(file.read())
    head = file.read(6)
    file.seek(0)
    records: Iterable[Any]
    if head.startswith(b"PAR1"):
        import pyarrow.parquet

        parquet = pyarrow.parquet.ParquetFile(file)
        schema, records = parquet.schema_arrow, parquet.iter_batches(batch_size=_ROWS)
    elif head.startswith(b"ARROW1"):
        reader = pyarrow.ipc.open_file(file)
        schema, records = reader.schema, map(reader.get_batch, range(reader.num_record_batches))
    else:
        records = pyarrow.ipc.open_stream(file)
        schema = records.schema
    return titles_of(schema.names), iter(records)


def _table(
    record: Any, columns: list[str], encoder: TableEncoder, first: tuple[str, int], labels: Labelling
) -> ParsedChunk:
    """One record batch; `first` is the place of its first row: the source's name, and the number."""
    (name, begin), layout = first, layout_of(columns, encoder.options, (first[0], None), labels, known=encoder.model)

    def fields(at: int, as_text: bool) -> Fields:
        column, is_label = record.column(at), at == layout.label
        return _fields(column, columns[at], as_text or (is_label and labels.words and str(column.type) == "bool"))

    batch, refused, ids = assemble(record.num_rows, fields, layout, encoder, labels)
    errors = [
        InputError(name, f"{found} in the column {shorten(columns[at])}", expected, begin + row,
                   tag=ids[row] if ids else "")
        for row, (at, found, expected) in sorted(refused.items())
    ]  # fmt: skip
    features = tuple(column for _, column in layout.features)
    return encoder.parsed(batch._replace(lines=begin + batch.lines), errors, features)


def _fields(column: Any, title: str, as_text: bool = False) -> Fields:
    """The fields of a column; with `as_text` numbers are texts too."""
    import pyarrow
    import pyarrow.types as kinds

    kind = column.type
    if kinds.is_null(kind):
        return Fields(np.zeros(0), np.full(len(column), -1)) if as_text else Fields(np.full(len(column), np.nan))
    if kinds.is_nested(kind) or "binary" in str(kind):
        found = f"the column {shorten(title)} of type {kind}"
        remedy = f"--ignore {shorten(title, WHOLE)} leaves it out"
        raise InputError("", found, f"columns of numbers, booleans, texts or dates; {remedy}")
    own = kind.value_type if kinds.is_dictionary(kind) else kind
    refused = _EXTENSIONS.get(getattr(own, "extension_name", ""))
    if refused is not None:  # periods Arrow holds as numbers, of any unit
        raise InputError("", f"{refused[0]} in the column {shorten(title)}", refused[1])
    if kinds.is_duration(kind):
        taken = column.cast(pyarrow.duration("us"), safe=False).to_pylist()
        column = pyarrow.array([None if each is None else str(each) for each in taken], pyarrow.string())
    if kinds.is_dictionary(kind):
        # polars has texts of a type that Arrow cannot take from
        column, as_text = column.dictionary.cast(pyarrow.string()).take(column.indices), True
    if kinds.is_boolean(kind) and not as_text:
        column = column.cast(pyarrow.uint8())
    elif kinds.is_float16(kind):
        column = column.cast(pyarrow.float32())
    if as_text or not _is_number(kind):
        texts = column.cast(pyarrow.string()).dictionary_encode()
        codes = texts.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        return Fields(np.zeros(0), codes, texts.dictionary.to_pylist(), typed=True)
    if kinds.is_float32(column.type) or kinds.is_decimal(kind):
        column = column.cast(pyarrow.string())
    return Fields(column.cast(pyarrow.float64(), safe=False).to_numpy(zero_copy_only=False))


def _is_number(kind: Any) -> bool:
    """Return whether a column of this type holds numbers, or true and false."""
    import pyarrow.types as kinds

    return kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind) or kinds.is_boolean(kind)
