"""CSV with a header to batches, through Python's csv module: quotes, line ends within fields, any delimiter.

What a field becomes stands in `sonlearn.text.encode`, and does not depend on what comes later in the stream. A missing
label means none.
"""

from __future__ import annotations

import csv
import dataclasses
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.errors import InputError, shorten
from sonlearn.options import TextOptions
from sonlearn.options.spec import raw
from sonlearn.text.assemble import assemble, fields_of
from sonlearn.text.columns import (
    NUMBER,
    ColumnLayout,
    ColumnTable,
    Labelling,
    Remark,
    header_hint,
    later_header,
    layout_of,
    row_as_header,
    titles_of,
)
from sonlearn.text.encode import MAX_CHARACTERS, TableEncoder
from sonlearn.text.flat import id_in
from sonlearn.text.infer import decimal_commas, is_second_header
from sonlearn.text.objects import SAMPLE, Record
from sonlearn.text.rows import ParsedChunk
from sonlearn.text.source import peeked
from sonlearn.text.suspicions import with_point

if TYPE_CHECKING:
    from sonlearn.text.chunk import ChunkParser

_ROWS = 4096  # of a batch
_SEPARATOR = re.compile(r'"?sep=(.)"?\r?\n', re.IGNORECASE)


def read_csv(records: CsvRecords, labels: Labelling, known: ColumnTable | None) -> Iterator[ParsedChunk]:
    """Yield the rows of a source, up to some thousands at a time.

    Parameters
    ----------
    records : CsvRecords
    labels : Labelling
    known : ColumnTable or None
        Columns of the model that predicts the rows.

    Raises
    ------
    InputError
        The source cannot be read, has two columns of a name, or not a column that an option names.
    """
    columns, options, name = records.columns, records.options, records.name
    if not columns:
        return
    layout, encoder = records.layout(labels, known), TableEncoder(options, known)
    features, malformed = tuple(column for _, column in layout.features), list[InputError]()
    rows = list[tuple[int, list[str], str]]()  # of a row its first line, its fields, and as it stands
    found, notes = encoder.found(features)._replace(hint=records.hint), records.notes
    if row_as_header(columns, options):
        header = shorten(", ".join(columns))
        notes = [f"{name}:{records.header}: the header {header} looks like a row; put a header before it", *notes]
    yield ParsedChunk([], [], 0, found=found._replace(notes=tuple(notes)))

    def parsed() -> ParsedChunk:
        """The rows so far."""
        by_column = list(zip(*(fields for _, fields, _ in rows), strict=True)) or [()] * len(columns)
        batch, refused, ids = assemble(
            len(rows), lambda at, as_text: fields_of(by_column[at], as_text), layout, encoder, labels
        )
        for number, (at, what, expected) in refused.items():
            line, _, text = rows[number]
            down, column = field_place(text, options.delimiter, at)
            what, tag = f"{what} in the column {shorten(columns[at])}", ids[number] if ids else ""
            malformed.append(InputError(name, what, expected, line + down, column, tag))
        lines = np.array([line for line, _, _ in rows], np.int64)[batch.lines]
        return encoder.parsed(batch._replace(lines=lines), malformed, features)

    unreadable = None
    try:
        for line, fields, error in records:
            if error is None:
                rows.append((line, fields, records.text))
            else:
                malformed.append(error.but(tag=id_in(fields, layout)))
            if len(rows) + len(malformed) >= _ROWS or records.chunk_ends:
                yield parsed()
                rows, malformed = [], []
    except InputError as error:  # within a record
        unreadable = error
    if rows or malformed:
        yield parsed()
    if unreadable is not None:
        raise unreadable


def read_csv_as_objects(records: CsvRecords, parser: ChunkParser) -> Iterator[ParsedChunk]:
    """Yield the rows of a source, each what `parser` makes of an object of its fields; the rest is as in `read_csv`."""
    part = list[tuple[int, Record | InputError]]()
    for numbered in records.objects(records.layout(Labelling(False))):
        part.append(numbered)
        if len(part) >= _ROWS or records.chunk_ends:
            yield parser.parse_records(part, records.name)
            part = []
    yield parser.parse_records(part, records.name)


class CsvRecords:
    """The records behind the header of CSV that are not blank: (first line, fields, error or None). Iterate once.

    Fields are separated by what the header has of commas, semicolons and tabs where ``--delimiter`` is not in it.
    Columns are called as `titles_of` says. A line ``sep=;`` before the header, which Excel writes, is passed over.
    Commas are decimal where ``--decimal`` says so, or `decimal_commas` of the rows that have come with the header. The
    header again, and a line of units behind it, are malformed.

    Parameters
    ----------
    chunks : uint8 arrays of whole lines, as `sonlearn.text.source.read_chunks` gives them
    name : str
        The source's, for messages.
    options : TextOptions
    action : str
        See `Labelling`.

    Attributes
    ----------
    name, options
        As given, but for the delimiter.
    header : int
        The line of the header.
    columns : list of str
        Empty: there is no header.
    hint : str
        See `sonlearn.text.columns.header_hint`.
    notes : list of str
        What is to be said where decimal commas, or a delimiter, are not what options say.
    chunk_ends : bool
        Whether there is no more text at the moment than that of the last record.

    Raises
    ------
    InputError
        The header is malformed, or the source cannot be read.
    """

    def __init__(self, chunks: Iterable[np.ndarray], name: str, options: TextOptions, action: str = ""):
        csv.field_size_limit(MAX_CHARACTERS)
        text, self._chunks = peeked(iter(chunks))
        given = options.delimiter
        self.name, self.options = name, options = name, _delimited(options, text.tobytes())
        self._record_lines, self.chunk_ends = list[str](), False
        self._reader = csv.reader(self._lines(), delimiter=options.delimiter, strict=True)
        self.header, self.columns, self._decimal = 1, list[str](), list[int]()
        self._headers = list[list[str]]()
        for line, record, error in self:
            if error is not None:
                raise error.but(expected=error.expected + header_hint(self.text, [], options))
            separator = _SEPARATOR.fullmatch(self.text)
            if not separator or separator[1] != options.delimiter:
                self.header, self.columns = line, titles_of(record)
                self._headers += [record] * (len(record) > 1 and not all(map(NUMBER.fullmatch, record)))
                break
        self.hint = header_hint(self.text, self.columns, options)
        self.notes = list[str]()
        if given not in (",", options.delimiter):
            why = f"no {given!r} in the header (--delimiter)"
            self.notes.append(f"{name}: {why}, so fields end at {options.delimiter!r}")
        lines = text[: 1 << 18].tobytes().replace(b'"', b"").decode("utf-8", "surrogateescape").split("\n")[:-1]
        lines = [line.rstrip("\r") for line in lines[self._reader.line_num :][:SAMPLE]]
        self.hint = self.hint or later_header(self.columns, lines, self._reader.line_num, options)
        rows = [line.split(options.delimiter) for line in lines]
        rows = [row for row in rows if len(row) == len(self.columns)]
        if is_second_header(rows):
            self._headers.append(rows.pop(0))
        self._decimal = self._decimal_columns(rows, action)

    @property
    def text(self) -> str:
        """That of the last record, or of the header before the first one."""
        return "".join(self._record_lines)

    def _decimal_columns(self, rows: list[list[str]], action: str) -> list[int]:
        """Return the places of columns whose numbers have decimal commas, as the first rows say."""
        options, columns = self.options, [*range(len(self.columns))]
        if options.decimal == ".":
            columns, few = decimal_commas(rows if options.delimiter != "," else [])
            remark = Remark(f"{self.name}: commas are decimal in numbers as {few} (--decimal ,)")
            self.notes += [remark] * bool(columns)
        names = {options.id, action, *options.text, *options.categorical} - {"", *options.numeric}
        return [at for at in columns if self.columns[at] not in names]

    def layout(self, labels: Labelling, known: ColumnTable | None = None) -> ColumnLayout:
        """Return where the columns are, see `layout_of`. Raises InputError."""
        return layout_of(self.columns, self.options, (self.name, self.header), labels, self.hint, known)

    def objects(self, layout: ColumnLayout | None = None) -> Iterator[tuple[int, Any]]:
        """Yield the records by their first lines: of each a dict of its fields, or what is wrong with it.

        `layout` says where the ids of those are.
        """
        for line, record, error in self:
            if error is None:
                yield line, dict(zip(self.columns, record, strict=True))
            else:
                yield line, error if layout is None else error.but(tag=id_in(record, layout))

    def _lines(self) -> Iterator[str]:
        for chunk in self._chunks:
            lines = chunk.tobytes().decode("utf-8", "surrogateescape").split("\n")[:-1]
            self.chunk_ends = False
            for i, line in enumerate(lines, 1):
                self.chunk_ends = i == len(lines)
                self._record_lines.append(line + "\n")
                yield self._record_lines[-1]

    def __iter__(self) -> Iterator[tuple[int, list[str], InputError | None]]:
        while True:
            line, reason = self._reader.line_num + 1, ""
            self._record_lines.clear()
            try:
                record = next(self._reader)
            except StopIteration:
                return
            except csv.Error as error:
                # What is yielded is yielded behind the handler, where nothing holds the error and its files.
                record, reason = [], str(error)
            if reason:
                problem = _malformed_record(reason)
            elif not record:
                continue
            elif record in self._headers:
                problem = f"a further header ({shorten(', '.join(record))})", "rows behind one; leave this line out"
            elif "\0" in "".join(record):
                problem = "a zero byte", "text; is this a binary file?"
            elif self.columns and len(record) != len(self.columns):
                found = f"{len(record)} field{'s' * (len(record) > 1)}"
                problem = found, f"{len(self.columns)} fields as in the header"
                if line == 2 and len(record) == len(self.columns) + 1 and record[0] in ("0", "1"):
                    before = f"the header needs a name for it before {shorten(self.columns[0])}"
                    problem = problem[0], f"{problem[1]}; if the first numbers the rows, {before}"
            else:
                for at in self._decimal:
                    record[at] = with_point(record[at])
                yield line, record, None
                continue
            yield line, record, InputError(self.name, *problem, line=line)


def _delimited(options: TextOptions, text: bytes) -> TextOptions:
    """The options with a delimiter that the header has, not within double quotes, if it has not theirs."""
    header = "".join(text[: 1 << 16].lstrip().decode("utf-8", "surrogateescape").splitlines()[:1])
    for mark in ",;\t" * (options.delimiter not in header):
        if len(next(csv.reader([header], delimiter=mark), ())) > 1:
            return dataclasses.replace(options, delimiter=mark)
    return options


def _malformed_record(reason: str) -> tuple[str, str]:
    """(what was found, what was expected), of what Python's module says."""
    if "new-line character" in reason:
        return "a carriage return alone as the end of a line", "the line ends of Unix or Windows: tr '\\r' '\\n' < FILE"
    if "field limit" in reason:
        return f"a field of more than {MAX_CHARACTERS} characters", "a shorter one; is a double quote missing?"
    return f"a malformed record ({reason})", "CSV"


def field_place(text: str, delimiter: str, at: int) -> tuple[int, int]:
    """Return where field `at`, from 0 on, of a record begins: (lines after its first, column in bytes from 1 on)."""
    end = re.escape(delimiter)
    before = re.match(rf'(?:(?:[^"{end}]++|"[^"]*+")*+{end}){{0,{at}}}', text)[0]  # type: ignore[index]
    return before.count("\n"), len(raw(before[before.rfind("\n") + 1 :])) + 1
