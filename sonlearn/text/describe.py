"""What the columns of a table are and hold, in one pass and bounded memory: for people, before anything is learned.

Fields are counted as `sonlearn.text.encode` would read them. Distinct values are exact up to `MOST_VALUES` of a column;
beyond that they are "more than". Suspicions are rules of thumb, each with its reason.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from sonlearn.errors import InputError, shorten
from sonlearn.options import TextOptions
from sonlearn.options.text import TABLES
from sonlearn.text.arrow import texts_of
from sonlearn.text.columns import LIKE_A_ROW, header_hint, layout_of, number_in, row_as_header
from sonlearn.text.csv import records_of
from sonlearn.text.encode import date_in
from sonlearn.text.malformed import Malformed
from sonlearn.text.source import is_arrow, read_chunks, source_name
from sonlearn.text.suspicions import date_note, is_other_date, is_other_number, is_sentence, number_note

#: Values of a column that are counted, each with its labels.
MOST_VALUES = 10_000
#: What is said of a column that tells the label, and the rows in which `leaks` looks for one.
LEAK, LOOKED_AT = "a leak", 1_000
#: Rows before a suspicion is worth a word, and the shares that rouse one.
_ENOUGH, _NEARLY_ALL = 20, 0.95


class Described(NamedTuple):
    """A column: how it is read, share of missing values, distinct values (None: more than are counted), examples."""

    name: str
    kind: str
    missing: float
    distinct: int | None
    examples: list[str]
    suspicions: list[str]


class Description(NamedTuple):
    """A table: its rows, how often each label occurs, its columns, and how many malformed rows were left out.

    `errors` are the first of these; `header_is_row`: the names of the columns look like a row. As a text it is what
    ``sonlearn describe`` prints.
    """

    rows: int
    labels: dict[str, int]
    columns: list[Described]
    skipped: int
    options: TextOptions
    header_is_row: bool = False
    errors: list[InputError] = []  # noqa: RUF012 (a tuple)

    def __str__(self) -> str:
        return "\n".join(lines_of(self))


def describe(data: Any, options: TextOptions | None = None, *, rows: int | None = None, **given: Any) -> Description:
    """What the columns of a table are, how they will be read, and which look like an id, a text, a date or a leak.

    Parameters
    ----------
    data : str, Path or table
        A file of CSV, Parquet or Arrow, or a table of pandas, polars or pyarrow (all but CSV: extra ``arrow``).
    options : TextOptions or None
    rows : int or None
        Look at so many rows at most.
    label, text, ... :
        The fields of `TextOptions`, in the place of `options`.

    Raises
    ------
    InputError
        It is no table, or has not the columns that the options name.
    OptionError
        The options contradict each other.
    """
    options = options or TextOptions(**given)
    name, malformed = source_name(data), Malformed("skip", None)
    in_memory = hasattr(data, "__arrow_c_stream__")
    header_is_row = False
    if in_memory or options.format == "arrow" or (options.format != "csv" and is_arrow(data)):
        columns, records = texts_of(data)
        layout_of(columns, options, (name, None))
    elif options.format in ("auto", *TABLES):
        columns, records = _of_csv(data, name, options, malformed)
        header_is_row = row_as_header(columns, options)
    else:
        raise InputError(name, None, None, f"--format {options.format}", "a table: CSV, Parquet or Arrow")
    found = summarise(columns, itertools.islice(records, rows), options)
    return Description(*found, malformed.count, options, header_is_row, malformed.errors)


def _of_csv(data: Any, name: str, options: TextOptions, malformed: Malformed) -> tuple[list[str], Iterator[list[str]]]:
    """Return the header of CSV, and its rows as texts; `malformed` counts those that are none."""
    records: Iterator[Any] = records_of(read_chunks(data), name, options)
    first = next(records, None)
    if first is None:
        raise InputError(name, None, None, "an empty stream", "a table: CSV, Parquet or Arrow")
    columns, text = first
    hint = header_hint(text, columns, options)
    layout_of(columns, options, (name, 1), hint=hint)
    if hint and len(columns) == 1 and hint != LIKE_A_ROW:
        raise InputError(name, 1, None, f"one column, {shorten(columns[0])}", f"a table with a header{hint}")

    def rows() -> Iterator[list[str]]:
        for record in records:
            if isinstance(record, list):
                yield record
            else:
                malformed.admit([record])

    return columns, rows()


class ColumnSummary:
    """What one column holds."""

    def __init__(self, name: str, options: TextOptions):
        self.name, self._options = name, options
        self.rows = self.missing = self.numbers = self.dates = self.texts = self.spaced = 0
        self.other_dates = self.other_numbers = 0  # texts that look like one, and the last of them
        self.date = self.number = ""
        self.ascends, self._last = True, -np.inf
        self.whole = True
        self.values: dict[str, dict[str, int]] = {}
        self.without: dict[str, int] = {}  # labels of the rows in which it is missing
        self.full = False

    def add(self, field: str, label: str | None) -> None:
        """A field, and the label of its row."""
        self.rows += 1
        number = number_in(field)
        if number is not None and number != number:
            self.missing += 1
            if label is not None:
                self.without[label] = self.without.get(label, 0) + 1
            return
        if number is not None:
            self.numbers += 1
            self.whole = self.whole and float(number).is_integer()
            self.ascends, self._last = self.ascends and number > self._last, number
        elif date_in(field) is not None:
            self.dates += 1
        else:
            self.texts += 1
            self.spaced += is_sentence(field)
            if is_other_date(field):
                self.other_dates, self.date = self.other_dates + 1, field
            elif is_other_number(field):
                self.other_numbers, self.number = self.other_numbers + 1, field
        labels = self.values.get(field)
        if labels is None:
            if len(self.values) >= MOST_VALUES:
                self.full = True
                return
            labels = self.values[field] = {}
        if label is not None:
            labels[label] = labels.get(label, 0) + 1

    @property
    def kind(self) -> str:
        """How the column will be read."""
        options = self._options
        for role, name in (("label", options.label), ("id", options.id), ("weight", options.weight)):
            if name and name == self.name:
                return role
        if (options.keep and self.name not in options.keep) or self.name in options.ignore:
            return "left out"
        for kind in ("text", "categorical", "numeric"):
            if self.name in getattr(options, kind):
                return {"categorical": "category", "numeric": "number"}.get(kind, kind)
        met = [("number", self.numbers), ("date", self.dates), ("category", self.texts)]
        return " and ".join(kind for kind, count in met if count) or "missing"

    def suspicions(self, labels: dict[str, int]) -> list[str]:
        """What a person should look at, with the flag that helps."""
        held = self.rows - self.missing
        if held < _ENOUGH or self.kind in ("label", "id", "weight", "left out", "text"):
            return []
        flag, out = shorten(self.name), []
        unique = self.full or len(self.values) >= _NEARLY_ALL * held
        if self.other_dates > held / 2:
            out.append(date_note(self.date))
        elif self.other_numbers > held / 2:
            out.append(number_note(self.number))
        elif self.spaced > held / 2 and (self.full or len(self.values) > held / 2):
            out.append(f"a text: most values differ and have several words; --text {flag}")
        elif (unique and self.texts > held / 2) or (self.numbers == held and self.whole and self.ascends):
            out.append(f"an id: nearly all values differ; --id {flag}, or --ignore {flag}")
        elif self.numbers and self.texts and self.texts < held / 2:
            texts = [shorten(value) for value in self.values if number_in(value) is None and date_in(value) is None]
            few = ", ".join(texts[:3])
            out.append(f"numbers with texts among them ({few}), each a category of its own")
        if self.kind == "number" and self.whole and not unique and any(_padded(value) for value in self.values):
            out.append(f"codes rather than numbers; --categorical {flag}")
        out += self._leak(labels)
        return out

    def _leak(self, labels: dict[str, int]) -> list[str]:
        """Whether one label stands beside each value, though values come again."""
        known = {value: counts for value, counts in (*self.values.items(), ("", self.without)) if counts}
        rows = sum(sum(counts.values()) for counts in known.values())
        if len(labels) < 2 or len(labels) > 50 or self.full or rows < _ENOUGH or len(known) > rows / 4:
            return []
        sure = sum(max(counts.values()) for counts in known.values())
        if sure == rows and len({max(counts, key=counts.get) for counts in known.values()}) > 1:  # type: ignore[arg-type]
            return [f"{LEAK}: it tells the label of every row; --ignore {shorten(self.name)} if it is known too late"]
        return []


def _padded(value: str) -> bool:
    """Whether a number has zeros before it, as codes have."""
    return len(value.strip()) > 1 and value.strip()[0] == "0" and value.strip().isdigit()


def summarise(
    columns: list[str], rows: Iterable[list[str]], options: TextOptions
) -> tuple[int, dict[str, int], list[Described]]:
    """(rows, how often each label occurs, what each column is) of a table whose fields are texts."""
    summaries = [ColumnSummary(name, options) for name in columns]
    label = columns.index(options.label) if options.label in columns else None
    labels: dict[str, int] = {}
    count = 0
    for row in rows:
        count += 1
        own = None if label is None or not row[label].strip() else row[label].strip()
        if own is not None and (own in labels or len(labels) < MOST_VALUES):
            labels[own] = labels.get(own, 0) + 1
        for summary, field in zip(summaries, row, strict=True):
            summary.add(field, own)
    return count, labels, [_described(summary, labels) for summary in summaries]


def _described(summary: ColumnSummary, labels: dict[str, int]) -> Described:
    examples = [shorten(value, 24) for value in list(summary.values)[:3]]
    missing = summary.missing / summary.rows if summary.rows else 0.0
    distinct = None if summary.full else len(summary.values)
    return Described(summary.name, summary.kind, missing, distinct, examples, summary.suspicions(labels))


def leaks(source: str, options: TextOptions) -> list[str]:
    """Which columns of a file tell the label of every row, of its first `LOOKED_AT`; what `describe` says of them."""
    return notes_on(describe(source, options, rows=LOOKED_AT).columns, LEAK)


def notes_on(columns: Iterable[Described], begin: str = "") -> list[str]:
    """What a person should look at, a line each; only suspicions that `begin` so."""
    told = ((column.name, text) for column in columns for text in column.suspicions)
    return [f"{name}: looks like {text}" for name, text in told if text.startswith(begin)]


def lines_of(found: Description) -> Iterator[str]:
    """The description as text."""
    rows, labels, columns, options = found.rows, found.labels, found.columns, found.options
    yield f"rows = {rows}"
    if options.label:
        most = sorted(labels.items(), key=lambda pair: -pair[1])
        shown = ", ".join(f"{shorten(label)} {count}" for label, count in most[:5])
        without = rows - sum(labels.values())
        more = f" and {len(most) - 5} more" if len(most) > 5 else ""
        yield f"labels = {shown or 'none'}{more}{f' ({without} rows have none)' if without else ''}"
    yield ""
    width = max([len(column.name) for column in columns] + [6])
    yield f"{'column':<{width}}  {'read as':<22} {'missing':>7} {'distinct':>9}  examples"
    for column in columns:
        distinct = f">{MOST_VALUES}" if column.distinct is None else str(column.distinct)
        start = f"{column.name:<{width}}  {column.kind:<22} {column.missing:>7.1%} {distinct:>9}"
        yield f"{start}  {', '.join(column.examples)}".rstrip()
    notes = notes_on(columns)
    if found.header_is_row:
        names = shorten(", ".join(column.name for column in columns))
        notes.insert(0, f"the header {names} looks like a row; put a header before it")
    if notes:
        yield ""
        yield from notes
    if not options.label:
        yield ""
        yield "no --label is given: give one, and leaks are looked for"
