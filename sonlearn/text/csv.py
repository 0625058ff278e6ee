"""CSV with a header to batches, through Python's csv module: quotes, line ends within fields, any delimiter.

What a field becomes stands in `sonlearn.text.columns`. It is decided field by field, so nothing depends on what comes
later in the stream. Names are hashed as VW hashes them in the default namespace (`sonlearn.text.hashing`). A missing
label means none.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, shorten
from sonlearn.options import TextOptions
from sonlearn.text.columns import FINITE, NO_LABEL, Table, label_column, name_slot, number_in
from sonlearn.text.hashing import VW_CONSTANT
from sonlearn.text.source import Source, Watch, read_chunks, source_name

_ROWS = 4096  # of a batch
_FIELD_LIMIT = 1 << 30


class _Title(NamedTuple):
    """The label's column (None: none), and whether a label may be the name of a class."""

    column: int | None
    class_names: bool


class _Slots:
    """Slots of columns and of texts in columns, remembered."""

    def __init__(self, columns: list[str], options: TextOptions):
        self._options = options
        self._names = columns
        self._columns = [name_slot(name, options) for name in columns]
        self._texts: dict[tuple[int, str], int] = {}
        constant = [(VW_CONSTANT & ((1 << options.bits) - 1), "Constant")] if options.constant else []
        self._fresh: list[tuple[int, str]] = []
        if options.names:
            self._fresh = [*zip(self._columns, columns, strict=True), *constant]

    def new_names(self) -> list[tuple[int, str]]:
        """(slot, name) of the features that have come since the last call."""
        fresh, self._fresh = self._fresh, []
        return fresh

    def features(self, fields: list[str], label: int | None) -> list[tuple[int, float]]:
        """(slot, value) of a row; ValueError where a number is not finite."""
        out = []
        for i, field in enumerate(fields):
            if i == label or not field:
                continue
            slot = self._texts.get((i, field))
            if slot is not None:
                out.append((slot, 1.0))
                continue
            value = number_in(field)
            if value is None:
                slot = name_slot(f"{self._names[i]}={field}", self._options)
                if len(self._texts) < 1 << 20:
                    self._texts[i, field] = slot
                out.append((slot, 1.0))
                if self._options.names:
                    self._fresh.append((slot, f"{self._names[i]}={field}"))
            elif math.isinf(value):
                raise ValueError(field)
            elif value and value == value:
                out.append((self._columns[i], value))
        return out


def read_csv(
    source: Source,
    options: TextOptions,
    chunk_bytes: int,
    labelled: bool = True,
    class_names: bool = False,
    watch: Watch | None = None,
) -> Iterator[Table]:
    """Yield the rows of `source`, up to some thousands at a time.

    Parameters
    ----------
    labelled : bool
        Whether the label's column has to be there.
    class_names : bool
        Whether labels that are no numbers are names of classes.
    watch : see `sonlearn.text.source.open_binary`

    Raises
    ------
    InputError
        The source cannot be read, has no header, two columns of a name, or no column ``options.label``.
    """
    name = source_name(source)
    csv.field_size_limit(_FIELD_LIMIT)
    lines = _Lines(source, chunk_bytes, watch)
    reader = csv.reader(iter(lines), delimiter=options.delimiter, strict=True)
    _, columns = next(_records(reader, name, []), (0, None))
    if columns is None:
        return
    if isinstance(columns, InputError):
        raise columns
    label = label_column(columns, options.label, (name, 1), labelled)
    slots, rows, errors = _Slots(columns, options), [], []
    title = _Title(label, class_names)
    for line, record in _records(reader, name, columns):
        row = record if isinstance(record, InputError) else _row(record, title, slots, (name, line))
        if isinstance(row, InputError):
            errors.append(row)
        else:
            rows.append((line, *row))
        if len(rows) + len(errors) == _ROWS or lines.chunk_ends:
            yield Table(_batch(rows, options), errors, slots.new_names())
            rows, errors = [], []
    if rows or errors:
        yield Table(_batch(rows, options), errors, slots.new_names())


class _Lines:
    """Lines of text; `chunk_ends` is true while the last one that was given is the last that there is at the moment."""

    def __init__(self, source: Source, chunk_bytes: int, watch: Watch | None):
        self._chunks = read_chunks(source, chunk_bytes, watch)
        self.chunk_ends = False

    def __iter__(self) -> Iterator[str]:
        for chunk in self._chunks:
            lines = chunk.tobytes().decode("utf-8", "surrogateescape").split("\n")[:-1]
            self.chunk_ends = False
            for i, line in enumerate(lines, 1):
                self.chunk_ends = i == len(lines)
                yield line + "\n"


def _records(reader, name: str, columns: list[str]) -> Iterator[tuple[int, list[str] | InputError]]:
    """(first line, record) of records that are not blank; InputError in place of one that is malformed."""
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, InputError(name, line, None, f"a malformed record ({error})", "CSV")
            continue
        if not record:
            continue
        if "\0" in "".join(record):
            yield line, InputError(name, line, None, "a zero byte", "text; is this a binary file?")
        elif columns and len(record) != len(columns):
            expected = f"{len(columns)} fields as in the header"
            yield line, InputError(name, line, None, f"{len(record)} fields", expected)
        else:
            yield line, record


def _row(fields: list[str], title: _Title, slots: _Slots, place: tuple[str, int]):
    """(label, its name or None, features) of a record, or the InputError."""
    label, name = title.column, None
    y = math.nan if label is None or not fields[label].strip() else number_in(fields[label])
    if y is None and title.class_names:
        y, name = math.nan, fields[label].strip()
    if y is None or math.isinf(y):
        return InputError(*place, None, shorten(fields[label or 0]), NO_LABEL)
    try:
        return y, name, slots.features(fields, label)
    except ValueError as error:
        return InputError(*place, None, shorten(str(error)), f"{FINITE}, or a text that is none")


def _batch(rows: list[tuple[int, float, str | None, list[tuple[int, float]]]], options: TextOptions) -> Batch | None:
    if not rows:
        return None
    constant = [(VW_CONSTANT & ((1 << options.bits) - 1), 1.0)] if options.constant else []
    features = [entry for *_, row in rows for entry in (*row, *constant)]
    lengths = [len(row) + len(constant) for *_, row in rows]
    names, n = [name for _, _, name, _ in rows], len(rows)
    return Batch(
        indptr=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        indices=np.array([slot for slot, _ in features], dtype=np.int64),
        values=np.array([value for _, value in features], dtype=np.float64),
        y=np.array([y for _, y, *_ in rows]), weight=np.ones(n),
        lines=np.array([line for line, *_ in rows], dtype=np.int64), class_names=names if any(names) else None,
    )  # fmt: skip
