"""What the columns of a table are and hold, in one pass and bounded memory: for people, before anything is learned.

Fields are counted as `sonlearn.text.encode` would read them. Distinct values are exact up to `MOST_VALUES` of a column;
beyond that they are "more than". Suspicions are rules of thumb, each with its reason.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.order import DateOrder, LabelOrder
from sonlearn.errors import WHOLE, InputError, OptionError, shorten
from sonlearn.options import TextOptions
from sonlearn.options.text import TABLES
from sonlearn.text.arrow import texts_of
from sonlearn.text.columns import (
    LIKE_A_ROW,
    MISSING,
    MULTICLASS_NOTE,
    Labelling,
    are_multiclass,
    date_order,
    first_names,
    is_feature,
    layout_of,
    no_labels,
    reading_of,
    row_as_header,
)
from sonlearn.text.csv import CsvRecords
from sonlearn.text.dates import date_in
from sonlearn.text.encode import number_of
from sonlearn.text.infer import infer
from sonlearn.text.join import JoinedLabels
from sonlearn.text.malformed import Malformed
from sonlearn.text.objects import SAMPLE, JsonObject, RowError, error_of, json_object, leaves_of, texts_in
from sonlearn.text.read import detect_format
from sonlearn.text.source import is_arrow, peeked, read_chunks, source_name
from sonlearn.text.suspicions import Suspicions, is_stamp, with_encoding_notes
from sonlearn.text.units import given_for

#: Values of a column that are counted, each with its labels.
MOST_VALUES = 10_000
#: Rows among which equal ones are looked for.
MOST_ROWS = 100_000
_TABLE = "a table: CSV, Parquet, Arrow or JSON lines"
#: What `early_warnings` looks for in so many rows: columns that tell the label, number rows, or are times.
EARLY = LEAK, ROW_NUMBER, TIMES = "a leak", "the number of the row", "dates or times as numbers"
LOOKED_AT = 1_000
#: Rows before a suspicion is worth a word, and the shares that rouse one.
_MIN_ROWS, _SURE, _NEARLY_ALL = 20, 100, 0.95
#: What an index of pandas without a name is called: in CSV without a header, read and written again, in Parquet.
_INDEX = re.compile(r"column 1|Unnamed: 0|__index_level_0__")
#: Of a number far from all others: how many others there are, how many times as often it comes, and how far it is.
_FEW, _OFTEN, _FAR = 3, 10, 5
_PADDED = re.compile("0[0-9]+")
#: 900CC, 49.8N and 160/66, with more units than `sonlearn.text.suspicions` knows: names may be written so, too.
_LIKE_A_NUMBER = re.compile(r"[+-]?\d[\d.,]*(/\d[\d.,]*|\s?[^\W\d]{1,3})", re.ASCII)
#: The chance at most with which a leak is one by accident.
_CHANCE = 1e-6
#: Numbers of which the largest is so many times the smallest are no times.
_STRETCH = 1.6
#: Characters of a name for which the list of columns has room.
MOST_WIDE = 40
VALUES = "labels that are values: --loss squared"
#: Labels of which a word is said, at most: more are values.
MOST_CLASSES = 50


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

    `errors` are the first of these.
    `unlabelled` rows have no label; of more than `MOST_VALUES` labels the first ones are counted. `repeated` rows equal
    one before them, of the first `MOST_ROWS`.

    `header_is_row`: the names of the columns look like a row. `order`: what is to be said of the order of labels or of
    dates. `notes`: of text that is not UTF-8. As a text it is what ``sonlearn describe`` prints.
    """

    rows: int
    labels: dict[str, int]
    columns: list[Described]
    skipped: int
    options: TextOptions
    header_is_row: bool = False
    order: str = ""
    unlabelled: int = 0
    repeated: int = 0
    errors: list[InputError] = []  # noqa: RUF012 (a tuple)
    notes: list[str] = []  # noqa: RUF012

    def __str__(self) -> str:
        return "\n".join(lines_of(self))


def describe(
    data: Any, options: TextOptions | None = None, *, rows: int | None = None, join: str | None = None, **given: Any
) -> Description:
    """Tell what the columns of a table are, how they will be read, and which look like an id, a text, a date or a leak.

    Parameters
    ----------
    data : str, Path or table
        A file of CSV, Parquet, Arrow or JSON lines, whose members are columns, those of objects inside as a.b; or a
        table of pandas, polars or pyarrow (all but CSV and JSON: extra ``arrow``).
    options : TextOptions or None
    rows : int or None
        Look at so many rows at most.
    join : str or None
        The labels are in this table, by id, as ``train --join`` has it.
    label, text, ... :
        The fields of `TextOptions`, in the place of `options`.

    Raises
    ------
    InputError
        It is no table, or has not the columns that the options name; or no row has an id of those in `join`.
    OptionError
        The options contradict each other.
    """
    from sonlearn.options.python import errors_in_keywords

    with errors_in_keywords("describe"):
        return described(data, options or TextOptions(**given), rows=rows, join=join)


def described(data: Any, options: TextOptions, *, rows: int | None, join: str | None) -> Description:
    """`describe`, with errors that name flags."""
    name, malformed = source_name(data), Malformed("skip", None)
    in_memory = hasattr(data, "__arrow_c_stream__")
    is_csv, notes = False, list[str]()
    if join is not None and not options.label:
        raise OptionError(f"--join {join}: expected --id COLUMN and --label COLUMN")
    joined = None if join is None else JoinedLabels(join, options, Labelling(words=True))
    labels = Labelling(joined=join is not None)
    records: Iterator[Any]
    if in_memory or options.format == "arrow" or (options.format not in ("csv", "json") and is_arrow(data)):
        columns, records, options = texts_of(data, options)
        layout_of(columns, options, (name, None), labels)
    elif options.format in ("auto", "json", *TABLES):
        first, chunks = peeked(with_encoding_notes(read_chunks(data), name, notes))
        is_csv = options.format == "csv" or (options.format != "json" and detect_format(first) != "json")
        columns, records = _of_csv(chunks, name, options, labels, notes) if is_csv else ([], _of_json(chunks, name))
        records = _admitted(records, malformed)
        begin = list(itertools.islice(records, SAMPLE))
        if not (is_csv or options.label) and any(name == "_label" for each in begin for name, _ in leaves_of(each)):
            options = dataclasses.replace(options, label="_label")
        options = infer(options, begin if is_csv else map(texts_in, begin))
        records = itertools.chain(begin, records)
        if not is_csv:
            records = ({name: _text_of(value) for name, value in leaves_of(each)} for each in records)
    else:
        raise InputError(name, f"--format {options.format}", _TABLE)
    records = itertools.islice(records, rows)
    if joined is not None:
        id, label = options.id, options.label
        records = ({**row, label: joined.text(row.get(id, ""), row.get(label, ""))} for row in records)
    found = summarise(columns, records, options)
    if joined is not None and found.rows:
        if joined.nothing:
            raise InputError(name, joined.nothing, "ids written alike")
        notes.append(joined.line)
    if malformed.count and not found.rows:
        raise malformed.errors[0]
    if not columns:  # of JSON the members are known at the end
        layout_of([column.name for column in found.columns], options, (name, None), labels)
    header_is_row = is_csv and (found.header_is_row or row_as_header(columns, options))
    return found._replace(skipped=malformed.count, errors=malformed.errors, header_is_row=header_is_row, notes=notes)


def _admitted(records: Iterable[Any], malformed: Malformed) -> Iterator[Any]:
    """Yield records; `malformed` counts errors that stand for them."""
    for record in records:
        if isinstance(record, InputError):
            malformed.admit([record])
        else:
            yield record


def _of_csv(
    chunks: Any, name: str, options: TextOptions, labels: Labelling, notes: list[str]
) -> tuple[list[str], Iterator[dict[str, str] | InputError]]:
    """Return the header of CSV, and its rows as texts by column, or what is wrong with them; add to the `notes`."""
    records = CsvRecords(chunks, name, options)
    columns = records.columns
    notes += records.notes
    if not columns:
        raise InputError(name, "an empty stream", _TABLE)
    records.layout(labels)
    if records.hint and len(columns) == 1 and records.hint != LIKE_A_ROW:
        raise InputError(name, f"one column, {shorten(columns[0])}", f"a table with a header{records.hint}", 1)
    return columns, (record for _, record in records.objects())


def _of_json(chunks: Any, name: str) -> Iterator[JsonObject | InputError]:
    """Yield the objects of JSON lines, or what is wrong with them."""
    lines = itertools.chain.from_iterable(chunk.tobytes().splitlines() for chunk in chunks)
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield json_object(line)
            except RowError as problem:
                yield error_of(problem, line, (name, number))


class Numbers(str):
    """An array of numbers as the field of a column."""


def _text_of(value: Any) -> str:
    """A value of JSON as a field of a table: nothing for null; of an array its texts and numbers."""
    if isinstance(value, list):
        of_numbers = all(one is None or type(one) is float for one in value)
        return (Numbers if of_numbers else str)(" ".join(map(_text_of, value)).strip())
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:.16g}" if type(value) is float else str(value).lower()


class ColumnSummary:
    """What one column holds."""

    def __init__(self, name: str, options: TextOptions, missing: int = 0, without: dict[str, int] | None = None):
        self.name, self._options = name, options
        self._first, self._unit = date_order((name,), options), given_for((name,), options.unit)
        self.numbers = self.dates = self.stamps = 0
        self.order = DateOrder()
        self.texts = Suspicions(self._first)
        self.rows = self.missing = missing
        self.ascends, self.whole, self._last = True, True, -np.inf
        self._low, self._high = np.inf, -np.inf
        self._ends = {self._low: 0, self._high: 0}  # how often these two came
        self.values: dict[str, dict[str, int]] = {}
        self.without = dict(without or {})  # labels of the rows in which it is missing
        self.full = False
        self._counted = 0  # fields whose values were counted

    def add(self, field: str, label: str | None) -> None:
        """A field, and the label of its row. Blanks around it do not count."""
        of_numbers = isinstance(field, Numbers)
        field = field if of_numbers else field.strip()
        self.rows += 1
        number = None if self._first and date_in(field, self._first) else number_of(field, self._unit)
        if number == np.inf and field.isalpha() and self.texts.has_names(self.numbers > 0):
            number = None
        if (number is not None and number != number) or field.lower() in MISSING:
            self.missing += 1
            if label is not None:
                self.without[label] = self.without.get(label, 0) + 1
            return
        if of_numbers:
            self.numbers, self.whole = self.numbers + 1, False
        elif number is not None:
            self.numbers += 1
            self.texts.add_time(field, number)
            self.stamps += is_stamp(field)
            self.whole = self.whole and float(number).is_integer()
            self.ascends, self._last = self.ascends and number > self._last, number
            self._low, self._high = min(self._low, number), max(self._high, number)
            if number in (self._low, self._high):
                self._ends = {end: self._ends.get(end, 0) + (end == number) for end in (self._low, self._high)}
        elif (date := date_in(field, self._first)) is not None:
            self.dates += 1
            self.texts.add_date(field, date[0].year)
            self.order.add((12 * date[0].year + date[0].month,))
        else:
            self.texts.add(field)
        self._counted += not self.full
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
        """Return how the column will be read."""
        options = self._options
        roles = [role for role in ("label", "id", "weight") if self.name and getattr(options, role) == self.name]
        if not is_feature(self.name, options):
            return roles[0] if roles else "left out"
        reading = reading_of(self.name, options)
        if given_for((self.name,), options.several):
            return "categories"
        if reading:
            return " and ".join([*roles, {"categorical": "category", "numeric": "number"}.get(reading, reading)])
        met = [("number", self.numbers), ("date", self.dates), ("category", self.texts.texts)]
        return " and ".join(kind for kind, count in met if count) or "missing"

    def suspicions(self, labels: dict[str, int]) -> list[str]:
        """Return what a person should look at, with the flag that helps."""
        held = self.rows - self.missing
        if held < _MIN_ROWS or self.kind in ("label", "id", "weight", "left out", "text", "categories"):
            return []
        flag, out = shorten(self.name, WHOLE), []
        unique = len(self.values) >= _NEARLY_ALL * self._counted
        texts = self.texts.texts
        beside_numbers = max(texts / 2, _MIN_ROWS - 1) if self.numbers else held  # as `Suspicions.note` has it
        meant = self.texts.meant(min(held / 2, _MIN_ROWS - 1 if self.dates else held, beside_numbers), flag)
        if meant:
            out.append(f"{meant} (--categorical {flag} if they are names)")
        elif self.texts.sentences > held / 2 and (self.full or len(self.values) > held / 2):
            out.append(f"a text: most values differ and have several words; --text {flag}")
        elif self.stamps == held and self._are_times(unique):
            out.append(f"{TIMES} ({shorten(next(iter(self.values)))}); write 2024-03-31 13:05")
        elif self._counts_rows(unique):
            out.append(f"{ROW_NUMBER}; --id {flag}, or --ignore {flag} (--numeric {flag} if it is a time)")
        elif (unique and texts > held / 2) or (self.numbers == held and self._numbers_rows(unique)):
            like = list(filter(_LIKE_A_NUMBER.fullmatch, self.values))
            numbers = f", or numbers that are read as texts ({shorten(like[0])})" if 2 * len(like) > texts > 0 else ""
            out.append(f"an id{numbers}: nearly all values differ; --id {flag}, or --ignore {flag}")
        elif (self.numbers or self.dates) and 0 < texts < held / 2:
            known = (one for one in self.values if not isinstance(one, Numbers) and number_of(one, self._unit) is None)
            shown = [shorten(value) for value in known if date_in(value, self._first) is None]
            few = f" ({', '.join(shown[:3])})" * bool(shown)
            kind = "numbers" if self.numbers else "dates"
            out.append(f"{kind} with texts among them{few}, each a category of its own")
        elif self.numbers and texts:
            few = next(shorten(value) for value in self.values if number_of(value, self._unit) is not None)
            out.append(f"codes, of which some are read as numbers ({few}); --categorical {flag}")
        if self.kind == "number" and self.whole and not out and any(map(_PADDED.fullmatch, self.values)):
            out.append(f"codes rather than numbers; --categorical {flag}")
        if self.kind.startswith("number") and max(self._high, -self._low) == np.inf:
            out.append(f"numbers beyond all bounds, whose rows are malformed; --categorical {flag} takes codes")
        elif self.kind == "number":
            out += self._sentinels()
        out += self._leak(labels)
        return out

    def _are_times(self, unique: bool) -> bool:
        """Tell whether numbers that may be dates or times are no ids of 10 digits, gapless range or ``numeric``."""
        ids = unique and self._high - self._low < 2 * self.numbers and _digits(self._low) > len("20240331")
        return self._high < _STRETCH * self._low and not ids and not reading_of(self.name, self._options)

    def _counts_rows(self, unique: bool) -> bool:
        """Tell whether the column, which no flag calls ``numeric``, goes up from 0 or 1 by 1, or is pandas' index."""
        counts = self.ascends and self._low in (0, 1) and self.numbers == self._high - self._low + 1
        whole = self.whole and self.numbers == self.rows and not reading_of(self.name, self._options)
        return whole and (counts or (unique and _INDEX.fullmatch(self.name) is not None))

    def _numbers_rows(self, unique: bool) -> bool:
        """Tell whether numbers look like those of rows: whole, ascending, of a range without gaps, long, or padded."""
        dense = self._high - self._low < 2 * self.numbers
        long = self._low >= 1e5 and _digits(self._low) == _digits(self._high)
        codes = self.numbers >= _SURE and (long or any(map(_PADDED.fullmatch, self.values)))
        return self.whole and (self.ascends or (unique and (dense or codes)))

    def _sentinels(self) -> list[str]:
        """A number that comes often, far from all others: farther than these reach, or two neighbours are apart."""
        every = np.unique([number for value in self.values if (number := number_of(value, self._unit)) is not None])
        others, out = every[~np.isin(every, list(self._ends))], list[str]()
        for end, times in self._ends.items() if len(others) > _FEW else ():
            gap = np.abs(others - end).min()
            often = times >= _OFTEN * self.numbers / len(every) and gap > 2 * np.diff(others).max()
            if end and times >= _MIN_ROWS and (often or gap > _FAR * np.ptp(others)):
                seen = f"{end:g} ({times} times, far from all others)"
                out.append(f"numbers and a missing value, {seen}; if so, leave its fields empty")
        return out

    def _leak(self, labels: dict[str, int]) -> list[str]:
        """Tell whether one label stands beside each value, though values recur, or beside all that are not missing."""
        if len(labels) < 2 or len(labels) > MOST_CLASSES or self.full:
            return []
        leak, beside = "", {label for counts in self.values.values() for label in counts}
        known = {value: counts for value, counts in (*self.values.items(), ("", self.without)) if counts}
        rows = sum(sum(counts.values()) for counts in known.values())
        sure = sum(max(counts.values()) for counts in known.values())
        mostly = {max(counts, key=counts.get) for counts in known.values()}  # type: ignore[arg-type]
        # of all orders of the labels, at most so many have but one beside each value
        orders = math.lgamma(rows + 1) - sum(math.lgamma(count + 1) for count in labels.values())
        no_chance = len(known) * math.log(len(labels)) - orders < math.log(_CHANCE)
        if _MIN_ROWS <= rows == sure and len(known) <= rows / 4 and len(mostly) > 1 and no_chance:
            leak = "it tells the label of every row"
        elif len(beside) == 1:
            label, held = *beside, sum(sum(counts.values()) for counts in self.values.values())
            if (labels[label] / sum(labels.values())) ** held < _CHANCE:
                leak = f"where it is not missing, the label is {shorten(label)}"
        return [f"{LEAK}: {leak}; --ignore {shorten(self.name, WHOLE)} if it is known too late"] if leak else []


def _digits(number: float) -> int:
    return len(f"{number:.0f}")


def summarise(columns: list[str], rows: Iterable[dict[str, str]], options: TextOptions) -> Description:
    """Say what a table is whose rows are texts by column."""
    summaries = {name: ColumnSummary(name, options) for name in columns}
    labels: dict[str, int] = {}
    order, met, count, repeated = LabelOrder(), set[int](), 0, 0
    for count, fields in enumerate(rows, 1):
        label = fields.get(options.label, "").strip()
        own = label if label.lower() not in ("", "nan") else None
        for name in fields:
            if name not in summaries:
                summaries[name] = ColumnSummary(name, options, count - 1, labels)
        if own is not None:
            order.add(np.array([own], dtype=object))
            if own in labels or len(labels) < MOST_VALUES:
                labels[own] = labels.get(own, 0) + 1
        for name, summary in summaries.items():
            summary.add(fields.get(name, ""), own)
        if count <= MOST_ROWS:
            repeated += (key := hash(tuple(fields.items()))) in met
            met.add(key)
    found = [_described(summary, labels) for summary in summaries.values()]
    note = order.note(labels.values()) if len(labels) <= MOST_CLASSES else ""
    note = note or next(filter(None, (each.order.note(each.name) for each in summaries.values())), "")
    unlabelled = count - order.rows if options.label else 0
    # names of columns, the label's or most that are no numbers, are among the columns' values
    texts = [name for name in summaries if number_of(name) is None]
    values = [name for name in texts if name in summaries[name].values]
    is_row = options.label in values or 2 * len(values) > len(texts)
    return Description(count, labels, found, 0, options, is_row, note, unlabelled, repeated)


def _described(summary: ColumnSummary, labels: dict[str, int]) -> Described:
    examples = [shorten(value, 24) for value in list(summary.values)[:3]]
    missing = summary.missing / summary.rows if summary.rows else 0.0
    distinct = None if summary.full else len(summary.values)
    return Described(summary.name, summary.kind, missing, distinct, examples, summary.suspicions(labels))


def early_warnings(source: str, options: TextOptions) -> list[str]:
    """Return what `describe` says of `EARLY` columns of a file, of its first `LOOKED_AT` rows."""
    written = dataclasses.replace(options, format="auto" if options.format == "csv" else options.format)
    return column_notes(described(source, written, rows=LOOKED_AT, join=None).columns, EARLY)


def column_notes(columns: Iterable[Described], begin: str | tuple[str, ...] = "") -> list[str]:
    """List what a person should look at, a line for all columns alike; only what begins as `begin` says."""
    groups, lines = dict[str, list[tuple[str, str]]](), list[str]()
    for column in columns:
        for text in filter(lambda text: text.startswith(begin), column.suspicions):
            codes = re.match("codes[^(;]*", text)
            what = codes[0].strip() if codes else text.replace(shorten(column.name, WHOLE), "COLUMN")
            groups.setdefault(what, []).append((column.name, text))
    for what, group in groups.items():
        name, text = group[0]
        names = first_names((name for name, _ in group), WHOLE)
        flags = [f"--categorical {shorten(name, WHOLE)}" for name, _ in group]
        more = f"; {' '.join(flags)}" if what.startswith("codes") else ""
        lines.append(f"{name}: looks like {text}" if len(group) == 1 else f"{names}: look like {what}{more}")
    return lines


def _flags_for(labels: dict[str, int]) -> list[str]:
    """Return with which flags labels other than two words, 0 and 1, or -1 and +1 are learned, in a line."""
    numbers = [number for label in labels if (number := number_of(label)) is not None]
    if len(labels) == len(numbers) == 2 and {*numbers} not in ({0, 1}, {-1, 1}):
        classes = f"of two classes --positive {max(numbers):g}"
        return [f"labels are neither 0 and 1 nor -1 and +1: {classes}, of values --loss squared"]
    if len(labels) <= 2 or no_labels(labels):
        return []
    if len(numbers) < len(labels):
        told = are_multiclass({label: count for label, count in labels.items() if number_of(label) is None})
        return [MULTICLASS_NOTE if told else "labels of several classes: --classes auto"]
    whole = len(labels) <= MOST_CLASSES and all(number.is_integer() for number in numbers)
    return [f"{VALUES}{'; if they are classes: --classes auto' * whole}"]


def lines_of(found: Description) -> Iterator[str]:
    """The description as text."""
    rows, labels, columns, options = found.rows, found.labels, found.columns, found.options
    yield f"rows = {rows}"
    if options.label:
        most = sorted(labels.items(), key=lambda pair: -pair[1])
        shown = ", ".join(f"{shorten(label)} {count}" for label, count in most[:5])
        counted = sum(labels.values()) + found.unlabelled == rows
        more = f" and {'' if counted else 'more than '}{len(most) - 5} more" if len(most) > 5 else ""
        none = f" ({found.unlabelled} rows have none)" if found.unlabelled else ""
        yield f"labels = {shown or 'none'}{more}{none}"
    if found.repeated:
        yield f"rows that equal one before = {found.repeated}{f' (of the first {MOST_ROWS})' * (rows > MOST_ROWS)}"
    yield ""
    width = min(max([len(column.name) for column in columns] + [6]), MOST_WIDE)
    yield f"{'column':<{width}}  {'read as':<22} {'missing':>7} {'distinct':>9}  examples"
    for column in columns:
        distinct = f">{MOST_VALUES}" if column.distinct is None else str(column.distinct)
        start = f"{column.name:<{width}}  {column.kind:<22} {column.missing:>7.1%} {distinct:>9}"
        yield f"{start}  {', '.join(column.examples)}".rstrip()
    given = {label: count for label, count in labels.items() if label.lower() not in MISSING}
    if len(given) > 2 and None not in map(number_of, given):  # of values these are none
        labels = given
    of_labels = [VALUES] if given_for((options.label,), options.unit) else [*no_labels(labels), *_flags_for(labels)]
    notes = [*found.notes, *filter(None, (found.order,)), *of_labels, *column_notes(columns)]
    if found.header_is_row:
        names = shorten(", ".join(column.name for column in columns))
        notes.insert(0, f"the header {names} looks like a row; put a header before it")
    if notes:
        yield ""
        yield from notes
    if not options.label:
        yield ""
        yield "no --label is given: give one, and leaks are looked for"
