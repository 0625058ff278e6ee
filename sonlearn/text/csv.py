"""CSV with a header to batches, through Python's csv module: quotes, line ends within fields, any delimiter.

What a field becomes stands in `sonlearn.text.encode`. It is decided field by field, so nothing depends on what comes
later in the stream. A missing label means none.
"""

from __future__ import annotations

import csv
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, shorten
from sonlearn.options import TextOptions
from sonlearn.text.columns import (
    NO_LABEL,
    NO_WEIGHT,
    ColumnLayout,
    ColumnTable,
    Labelling,
    Table,
    header_hint,
    layout_of,
    number_in,
    row_as_header,
)
from sonlearn.text.encode import ColumnEncoder, Entries, TableEncoder, UnfitError, assembled
from sonlearn.text.suspicions import with_point

_ROWS = 4096  # of a batch
_FIELD_LIMIT = 1 << 30
_SEPARATOR = re.compile(r'"?sep=(.)"?\r?\n', re.IGNORECASE)


class TableRow(NamedTuple):
    """A row: its line, label, the label's name (None: a number, or none), weight, id, and features by number."""

    line: int
    y: float
    name: str | None
    weight: float
    id: str
    entries: list[tuple[int, float]]


class _Place(NamedTuple):
    """Which field of a row an encoder is for."""

    at: int
    column: ColumnEncoder


class _UnfitField(Exception):  # noqa: N818
    """A field that makes its row malformed: its place, what was found, what was expected."""

    def __init__(self, at: int, found: str, expected: str):
        super().__init__(at, found, expected)
        self.at, self.found, self.expected = at, found, expected


def read_csv(
    chunks: Iterable[np.ndarray],
    name: str,
    options: TextOptions,
    labels: Labelling = Labelling(),  # noqa: B008 (tuple)
    known: ColumnTable | None = None,
) -> Iterator[Table]:
    """Yield the rows of a source, up to some thousands at a time.

    Parameters
    ----------
    chunks : uint8 arrays of whole lines, as `sonlearn.text.source.read_chunks` gives them
    name : str
        The source's, for messages.
    labels : Labelling
    known : ColumnTable or None
        Columns of the model that predicts the rows.

    Raises
    ------
    InputError
        The source cannot be read, has no header, two columns of a name, or not a column that an option names.
    """
    csv.field_size_limit(_FIELD_LIMIT)
    lines = _Lines(chunks)
    reader = csv.reader(iter(lines), delimiter=options.delimiter, strict=True)
    header, columns = _header(reader, lines, name)
    if columns is None:
        return
    hint = header_hint(lines.text, columns, options)
    layout = layout_of(columns, options, (name, header), labels, hint, known)
    encoder, rows, errors, tags = TableEncoder(options, known), [], [], []
    places = [_Place(i, encoder.column(column)) for i, column in layout.features]
    features = tuple(column for _, column in layout.features)
    absent, points = encoder.absent(features), _with_points(columns, options)
    notes = (f"{name}:{header}: the header {shorten(', '.join(columns))} looks like a row; put a header before it",)

    def table() -> Table:
        numbers = np.array([number for row in rows for number, _ in row.entries], dtype=np.int64)
        batch = table_batch(rows, encoder.slots(numbers), encoder.constant, encoder.words(numbers))
        names = encoder.counted(numbers, len(rows))
        return Table(batch, errors, names, encoder.found(features, hint), tags)

    first = encoder.found(features, hint)
    yield Table(None, [], [], first._replace(notes=notes) if row_as_header(columns, options) else first, [])
    for line, record in _records(reader, lines, name, columns):
        try:
            if isinstance(record, _Malformed):
                errors.append(record.error)
                tags.append(_id_in(record.fields, layout))
            else:
                rows.append(_row(points(record), layout, places, labels.worded, absent)._replace(line=line))
        except _UnfitField as problem:
            down, column = field_place(lines.text, options.delimiter, problem.at)
            found = f"{problem.found} in the column {shorten(columns[problem.at])}"
            errors.append(InputError(name, line + down, column, found, problem.expected))
            tags.append(_id_in(record, layout))
        if len(rows) + len(errors) >= _ROWS or lines.chunk_ends:
            yield table()
            rows, errors, tags = [], [], []
            if encoder.settle():
                absent = encoder.absent(features)
    if rows or errors:
        yield table()


def records_of(chunks: Iterable[np.ndarray], name: str, options: TextOptions) -> Iterator[Any]:
    """The header of CSV with its text, and then its records as lists of str, InputError in place of a malformed one.

    Raises InputError where the header is malformed, or the source cannot be read.
    """
    csv.field_size_limit(_FIELD_LIMIT)
    lines = _Lines(chunks)
    reader = csv.reader(iter(lines), delimiter=options.delimiter, strict=True)
    _, columns = _header(reader, lines, name)
    if columns is not None:
        yield columns, lines.text
        points = _with_points(columns, options)
        for _, record in _records(reader, lines, name, columns):
            yield record.error if isinstance(record, _Malformed) else points(record)


def _header(reader, lines: _Lines, name: str) -> tuple[int, list[str] | None]:
    """(its line, the names of the columns); None: there is no header.

    Blanks around a name do not count; a column without a name is called by its place, ``column 1``. A line ``sep=;``
    before the header, which Excel writes, is passed over. Raises InputError.
    """
    for line, record in _records(reader, lines, name, []):
        if isinstance(record, _Malformed):
            raise InputError(*record.error.args)
        separator = _SEPARATOR.fullmatch(lines.text)
        if not separator or separator[1] != reader.dialect.delimiter:
            return line, [column.strip() or f"column {place}" for place, column in enumerate(record, 1)]
    return 1, None


def _with_points(columns: list[str], options: TextOptions) -> Callable[[list[str]], list[str]]:
    """What makes numbers with a decimal comma, where ``--decimal ,`` is given, numbers with a point."""
    if options.decimal == ".":
        return lambda record: record
    names = {options.id, *options.text, *options.categorical} - {""}
    converts = [column not in names for column in columns]
    return lambda record: [with_point(field) if one else field for one, field in zip(converts, record, strict=True)]


class _Malformed(NamedTuple):
    """A record that is none."""

    error: InputError
    fields: list[str]


class _Lines:
    """Lines of text; `chunk_ends` is true while the last one that was given is the last that there is at the moment.

    `text` is what was given since it was last emptied.
    """

    def __init__(self, chunks: Iterable[np.ndarray]):
        self._chunks = chunks
        self.chunk_ends = False
        self.text = ""

    def __iter__(self) -> Iterator[str]:
        for chunk in self._chunks:
            lines = chunk.tobytes().decode("utf-8", "surrogateescape").split("\n")[:-1]
            self.chunk_ends = False
            for i, line in enumerate(lines, 1):
                self.chunk_ends = i == len(lines)
                self.text += line + "\n"
                yield line + "\n"


def _records(reader, lines: _Lines, name: str, columns: list[str]) -> Iterator[tuple[int, list[str] | _Malformed]]:
    """(first line, record) of records that are not blank."""
    while True:
        line, lines.text, reason = reader.line_num + 1, "", ""
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            record, reason = [], str(error)  # yielded behind the handler, where nothing holds the error and its files
        if reason:
            yield line, _Malformed(InputError(name, line, None, *_malformed_record(reason)), [])
            continue
        if not record:
            continue
        if "\0" in "".join(record):
            yield line, _Malformed(InputError(name, line, None, "a zero byte", "text; is this a binary file?"), record)
        elif columns and len(record) != len(columns):
            expected = f"{len(columns)} fields as in the header"
            yield line, _Malformed(InputError(name, line, None, f"{len(record)} fields", expected), record)
        else:
            yield line, record


def _malformed_record(reason: str) -> tuple[str, str]:
    """(what was found, what was expected), of what Python's module says."""
    if "new-line character" in reason:
        return "a carriage return alone as the end of a line", "the line ends of Unix or Windows: tr '\\r' '\\n' < FILE"
    return f"a malformed record ({reason})", "CSV"


def field_place(text: str, delimiter: str, at: int) -> tuple[int, int]:
    """Where field `at`, from 0 on, of a record begins: (lines after its first, column in bytes from 1 on)."""
    quoted, seen, begin, down, line = False, 0, 0, 0, 0
    for i, character in enumerate(text):
        if seen == at:
            break
        if character == '"':
            quoted = not quoted
        elif character == "\n":
            down, line = down + 1, i + 1
        elif character == delimiter and not quoted:
            seen, begin = seen + 1, i + 1
    return down, len(text[line:begin].encode("utf-8", "surrogateescape")) + 1


def _id_in(record: list[str], layout: ColumnLayout) -> str:
    return record[layout.id].strip() if layout.id is not None and layout.id < len(record) else ""


def _row(fields: list[str], layout: ColumnLayout, places: list[_Place], class_names: bool, absent: Entries) -> TableRow:
    """A record's row, without its line, with the entries of columns that are not there. Raises _UnfitField."""
    y, name, weight = math.nan, None, 1.0
    if layout.label is not None:
        y, name = label_in(fields[layout.label], layout.label, class_names)
    if layout.weight is not None:
        value = number_in(fields[layout.weight])
        if value is None or not 0 <= value < math.inf:
            found = fields[layout.weight]
            raise _UnfitField(layout.weight, shorten(found) if found.strip() else "nothing", NO_WEIGHT)
        weight = value
    entries: list[Entries] = [absent]
    for at, column in places:
        try:
            entries.append(column.entries(fields[at]))
        except UnfitError as problem:
            raise _UnfitField(at, problem.found, problem.expected) from None
    return TableRow(0, y, name, weight, _id_in(fields, layout), list(itertools.chain.from_iterable(entries)))


def label_in(field: str, at: int, class_names: bool) -> tuple[float, str | None]:
    """(label, name of its class) that a field stands for. Raises _UnfitField."""
    y = number_in(field) if field.strip() else math.nan
    if y is None and class_names:
        return math.nan, field.strip()
    if y is None or math.isinf(y):
        raise _UnfitField(at, shorten(field), NO_LABEL)
    return y, None


def table_batch(
    rows: list[TableRow], slots: np.ndarray, constant: int | None, words: np.ndarray | None = None
) -> Batch | None:
    """The batch of rows whose features are `slots`, one row after the other, with that of a `constant`.

    `words` says which of the features are (`Batch.words`).
    """
    if not rows:
        return None
    return assembled(
        np.repeat(np.arange(len(rows)), [len(row.entries) for row in rows]), slots,
        np.array([value for row in rows for _, value in row.entries], dtype=np.float64), constant,
        np.array([row.y for row in rows], dtype=np.float64), np.array([row.weight for row in rows], dtype=np.float64),
        np.array([row.line for row in rows], dtype=np.int64), tags=[row.id for row in rows],
        names=[row.name for row in rows], words=words,
    )  # fmt: skip
