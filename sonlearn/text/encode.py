"""What a field of a table becomes, the same for CSV, Arrow and rows of JSON.

- a number, and true or false in any case of letters (1 and 0), is the value of the feature named like its column; 0 is
  left out;
- nothing at all, ``nan``, ``na``, ``n/a``, ``#n/a`` and ``null`` in any case are a missing value: the feature
  ``column=`` with value 1 says so;
- a date (2024-03-31; 2024/3/31; 31.03.2024, the day first; 31 Mar 2024; March 31, 2024; 31/3/2024 and 3-31-24 in a
  column of ``--day-first`` or ``--month-first``; 2024-03, Mar 2024, 2024M03, 2024Q1 and Q1 2024, the first day) or a
  time stamp (2024-03-31 13:05 or 1:05 PM, with seconds, a fraction, a time zone, a T in the middle) is the number
  ``column.year``, years since 2000, and ``column.month=3``, ``column.weekday=Sun`` and ``column.hour=13`` with value 1;
  a time stamp of midnight is its date, which has the number ``column.day``, of the month, in place of the hour. Hours
  are those that are written, whatever the time zone. ``--ignore column.year`` leaves a part out. In rows that are only
  predicted a year counts as one that is a year from those that the model has met, at most, and if these are one, or two
  in a row, as the nearest, and so does a month that it has not met, or only once where dates came in their order and
  end before, or there in few rows only;
- seconds or milliseconds since 1970, of the years 2001 to 2033, in a column of ``--unix-time`` are their time stamp in
  UTC, and the number as well;
- a time of day or a duration (13:08, 1:08 PM, 38:31:20.5, PT3H, 9 hrs 3 min) is its number of hours, and if these are
  less than 24, also ``column.hour=13`` with value 1;
- ``inf`` and ``infinity`` in any case, with a sign or without, and numbers beyond 1.8e308, make the row malformed; in a
  column that has held 20 other texts before, or some and no number, these words are texts;
- a number with the unit of its column (``--unit``), $1,234.5 or 28,5 %, is the number;
- any other text is the feature ``column=text`` with value 1. Blanks around a field do not count.

A column of ``--categorical`` has only the last of these and missing values (1010.0 is 1010), of ``--numeric`` only the
first and missing values, of ``--date`` dates and missing values: any other field makes the row malformed. A field of
``--text`` is its words (`words_of`), each a feature of the namespace that is named like the column, with n-grams as
``--ngram`` and ``--skips`` say: the features of ``{"column": {"_text": "its words"}}`` in JSON.

A field is encoded once and then looked up. Features have numbers, so that they can be counted; what is remembered is
bounded (`_MAX_REMEMBERED`).
"""

from __future__ import annotations

import datetime
import math
import re
import unicodedata
import weakref
from array import array
from collections.abc import Container, Hashable, Iterable, Iterator
from typing import Any

import numpy as np

from sonlearn.data.batch import GROUP, GROUPS, HOUR, Batch
from sonlearn.errors import WHOLE, InputError, shorten
from sonlearn.options import TextOptions
from sonlearn.options.spec import raw
from sonlearn.text.columns import (
    DATES,
    FINITE,
    LIKELY_MISSING,
    MISSING,
    NO_DATE_SEEN,
    NONE_SEEN,
    ColumnTable,
    TableSchema,
    columns_have,
    date_order,
    first_names,
    is_feature,
    name_slot,
    number_in,
    number_text,
)
from sonlearn.text.dates import DAY, date_in, has_order, hours_in, is_span
from sonlearn.text.hashing import constant_id, hash_bytes
from sonlearn.text.interact import GRAM_PRIME, masks_by_byte
from sonlearn.text.names import Named
from sonlearn.text.objects import LongRowError, RowError, display
from sonlearn.text.rows import ParsedChunk
from sonlearn.text.suspicions import MIN_TEXTS, Suspicions
from sonlearn.text.units import given_for, number_with

#: Characters of a field, at most: a text takes 30 times as many bytes while it is read.
MAX_CHARACTERS = 1 << 24
#: Features, and fields of a column, that are remembered.
_MAX_REMEMBERED = 1 << 20
#: Texts of a column that are known to have been counted.
_MAX_COUNTED = 1 << 12
#: Rows, and share of those of a batch, beyond which what the model has not met is frequent.
_OFTEN, _SHARE = 10, 0.05
A_DATE = "a date (2024-03-31), or nothing (--date)"
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
#: Thai, Lao, Burmese, Khmer, Hiragana and Chinese: letters with their marks, which are no letters.
_UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u309f\u3400-\u9fff\U00020000-\U0003ffff]"
_LETTER = re.compile(rf"{_UNSPACED}(?<=\w)(?:(?!\w){_UNSPACED})*")
_WHOLE = re.compile(r"-?\d+\.0+", re.ASCII)
NO_FIELD = f"{FINITE}, true, false, null or a text: this model has no namespaces"

Entries = tuple[tuple[int, float], ...]


class _Separators(dict[int, int | str | None]):
    """For `str.translate`: letters, digits, marks and apostrophes (U+2019 as ') stay, all else is a blank.

    Symbols beyond ASCII, as emojis, stand alone; not what gives them a colour, or another shape.
    """

    def __missing__(self, code: int) -> int | str | None:
        character = chr(code)
        category = unicodedata.category(character)
        stays = character.isalnum() or character in "_'" or category.startswith("M")
        alone = not character.isascii() and category in ("So", "Sm", "Sc")
        self[code] = code if stays else f" {character} " if alone else " "
        return self[code]


_SEPARATORS = _Separators({0x2019: "'", 0xFE0F: None})


def spaced(text: str) -> str:
    """The text, with blanks around each letter of a script that puts none between words, marks with it."""
    return text if text.isascii() else _LETTER.sub(r" \g<0> ", text)


def words_of(text: str) -> list[str]:
    """The words of a text in lower case: runs of letters, digits, marks, underscores, and apostrophes within; emojis.

    Of scripts without blanks between words, letters by themselves (`spaced`). The text is composed (Unicode NFC)
    before. ``Don't PANIC -- 42`` is ``don't``, ``panic``, ``42``.

    Raises RowError where there are more than `MAX_CHARACTERS` characters.
    """
    if len(text) > MAX_CHARACTERS:
        raise RowError(f"a text of {len(text)} characters", f"at most {MAX_CHARACTERS}")
    runs = spaced(unicodedata.normalize("NFC", text).lower()).translate(_SEPARATORS).split()
    return [word for run in runs if (word := run.strip("'"))]


def number_of(field: str, unit: str = "") -> float | None:
    """The number that a field becomes, a time, or one with the unit of its column, included, as `number_in`."""
    value = number_in(field)
    value = hours_in(field) if value is None else value
    return number_with(unit, field) if value is None else value


def parts_of(
    found: tuple[datetime.date, int | None], column: str, model: ColumnTable | None = None
) -> Iterator[tuple[str, str, float]]:
    """Yield (part, its feature, value) of a date in a column, see `date_in`; `model`: of rows that are only predicted.

    The feature is what stands behind ``column.`` in its name.
    """
    date, hour = found
    year, month = date.year - 2000.0, date.month
    if model is not None:
        month = model.nearest_month(column, year, month)
        year = model.bounded_year(column, year) if year else year
    if year:
        yield "year", "year", year
    yield "month", f"month={month}", 1.0
    yield "weekday", f"weekday={_WEEKDAYS[date.weekday()]}", 1.0
    if hour is None:
        yield "day", "day", float(date.day)
    else:
        yield "hour", f"hour={hour}", 1.0


def mark_of(column: str, part: str, feature: str) -> int:
    """The mark (`Batch.marks`) of a part of a column's dates or times; 0 where one feature is all of that part."""
    value = feature.partition("=")[2]
    if not value:
        return 0
    group = hash_bytes(raw(f"{column}.{part}"), 0, hash_all=True) % GROUPS
    ordinal = _WEEKDAYS.index(value) if part == "weekday" else int(value)
    return group * GROUP + HOUR * (part == "hour") + 2 + ordinal


class RowLists:
    """Rows under way, in lists.

    Parameters
    ----------
    constant : int or None
        The number, or the id, of the constant at the end of each row; None: there is none.

    Attributes
    ----------
    entries : list of (int, float)
        Numbers, or ids, of features and their values; those behind the last row are the next row's.
    """

    def __init__(self, constant: int | None):
        self._constant = constant
        self._begin()

    def _begin(self) -> None:
        self.entries: list[tuple[int, float]] = []
        self._indptr = [0]
        self._rows: list[tuple[int, float, float, float, str, str | None]] = []

    def add(
        self, line: int, y: float, weight: float, tag: str = "", name: str | None = None, base: float = 0.0
    ) -> None:  # fmt: skip
        """Add a row of the entries behind the last one; the rest is as in `Batch`."""
        if self._constant is not None:
            self.entries.append((self._constant, 1.0))
        self._indptr.append(len(self.entries))
        self._rows.append((line, y, weight, base, tag, name))

    def undo(self) -> None:
        """Remove the entries behind the last row."""
        del self.entries[self._indptr[-1] :]

    def take(self) -> Batch:
        """All rows since the last call; their indices are what `entries` had."""
        indices = np.array([index for index, _ in self.entries], dtype=np.int64)
        values = np.array([value for _, value in self.entries], dtype=np.float64)
        lines, y, weight, base, tags, names = map(list, zip(*self._rows, strict=True) if self._rows else [()] * 6)
        batch = Batch(
            np.array(self._indptr, np.int64), indices, values, np.array(y, np.float64), np.array(weight, np.float64),
            np.array(lines, np.int64), tags=tags if any(tags) else None, base=np.array(base) if any(base) else None,
            class_names=names if any(names) else None,
        )  # fmt: skip
        self._begin()
        return batch


class ColumnEncoder:
    """The fields of one column to (number of the feature, value). `titles` are what options call it, and messages."""

    #: Whether fields have types of their own, so that a number may also be a text.
    typed = False
    #: Whether a text of digits is a number.
    digits = True

    def __init__(self, column: str, table: TableEncoder, titles: tuple[str, ...] = ()):
        # a proxy, so that what a table remembers goes with it: it has its encoders
        self._table: TableEncoder = weakref.proxy(table)
        self.column, self._model, options = column, table.model, table.options
        titles = titles or (column,)
        self.title = titles[-1]
        self.as_text, self.as_category, self.as_number, self.as_date = (
            bool(given) and not set(titles).isdisjoint(given)
            for given in (options.text, options.categorical, options.numeric, options.date)
        )
        self.first, self._unit = date_order(titles, options), given_for(titles, options.unit)
        self._separator = given_for(titles, options.several)
        self.as_category = self.as_category or self._separator != ""
        # What it has held, each with the first such text or with a note; see `TableEncoder.mark`.
        self.kinds: dict[str, str] = {}
        self.quoted: dict[str, str] = {}  # numbers where the type of the column says texts
        self.notes: dict[str, str] = {}  # by kind; of what the model has not met
        # of categories, weekdays and so on the first one that the model has met, and the first that it has not
        self.met: dict[tuple[str, bool], str] = {}
        self.suspicions = Suspicions(self.first)
        self._counted: set[str] = set()  # texts that these have, which come anew when the column forgets
        if self.as_text:
            seed, name = options.hash_seed, raw(column)
            self._seed = hash_bytes(name, seed, hash_all=options.hash == "all")
            self._mask = (1 << options.bits) - 1
            self._grams = masks_by_byte(options)[name[0] if name else ord(" ")]
        self.reset()

    def reset(self) -> None:
        """Forget all fields: the features have new numbers from now on."""
        self._number = self._missing = -1
        self._known: dict[str, Entries] = {}
        self._words: dict[str, tuple[int, float]] = {}  # with the value 1; one tuple for all that have the word

    def number(self, field: str = "") -> int:
        """The feature that numbers are values of. Raises RowError."""
        if self._number < 0:
            self._check_kind("number", field)
            self._number = self._new()
        return self._number

    def missing(self) -> Entries:
        """Return what stands for a missing value."""
        self.note_first(self.kinds, "missing")
        known = () if self._model is None else self._model.known.get(self.column, ())
        mean = None if self._model is None else self._model.mean(self.column)
        if mean is not None:
            self.note_first(self.notes, "missing", NONE_SEEN)
            return ((self.number(), mean),) if mean else ()
        if known == DATES:
            self.note_first(self.notes, "missing", NO_DATE_SEEN)
        if self._missing < 0:
            self._missing = self._new("=", mark=self.as_text)
        return ((self._missing, 1.0),)

    def absent(self) -> Entries:
        """Return what stands for the column in a table that does not have it: in what is learned a missing value."""
        model = self._model
        known = model is None or "missing" in model.known[self.column] or model.mean(self.column) is not None
        return self.missing() if known else ()

    def _check_kind(self, kind: str, field: str) -> None:
        """Remember what the column has held; raise RowError for what the model has never met in such a column."""
        self.note_first(self.kinds, kind)
        if self._model is None:
            return
        known = [met for met in self._model.known.get(self.column, ()) if met not in ("missing", "absent")]
        if not known or kind in known:
            return
        met, bare, field = " or ".join(f"a {one}" for one in known), field, shorten(field) if field else f"a {kind}"
        if "category" not in known:  # anything may be a further category
            remedy, other = "", f"train with --categorical {shorten(self.title, WHOLE)}"
            if "number" in known and "," not in bare:
                remedy = f"; leave it empty if the number is not known, or {other}"
            elif "date" in known and is_span(bare):
                remedy = f"; if these are seasons, {other}"
            elif "date" in known and has_order(bare):
                remedy = f"; write 2024-03-31{f', or the {self.first} first' if self.first else ''}"
            raise RowError(field, f"{met}, as in all rows that the model has learned{remedy}")
        self.note_first(self.notes, kind, f"a {kind}, {field}; the model has learned {met} in all rows")

    def note_first(self, held: dict[Any, str], what: Any, text: str = "") -> None:
        """Remember that the column has held this, in one of its dictionaries; `TableEncoder.roll_back` forgets it."""
        if what not in held:
            held[what] = text
            self._table.first_seen.append((self, held, what))

    def value(self, value: float, field: str = "") -> Entries:
        """Return what a number becomes, which is written as `field`. Raises RowError."""
        if self.as_text or self.as_category or self.as_date:
            return self.entries(number_text(value))
        date = self._date(number_text(value)) if self.first else ()
        if date and self.first != "unix":
            return date
        if value != value:
            return self.missing()
        if math.isinf(value):
            raise RowError(f"the number {value:g}", FINITE)
        number = self._number if self._number >= 0 else self.number(field or number_text(value))
        return (*date, (number, value)) if value else ()

    def entries(self, field: Any) -> Entries:
        """Return what a field becomes: a text, or what JSON has. Raises RowError."""
        if type(field) is not str:
            if isinstance(field, list):
                raise RowError(display(field), NO_FIELD)
            if self.as_category and isinstance(field, bool):
                return self.entries(str(field))
            return self.missing() if field is None else self.value(float(field))
        known = self._known.get(field)
        if known is not None:
            return known
        if self.as_text:
            return self._text(field)
        if field.strip() != field:
            return self._remembered(field, self.entries(field.strip()))
        if self.as_category:
            return self._remembered(field, self._category(field))
        if self.as_date and date_in(field, self.first) is None:
            if field.lower() not in MISSING:
                either = not self.first and has_order(field)
                remedy = f"; --day-first {shorten(self.title, WHOLE)}, or --month-first, reads it" if either else ""
                raise RowError(shorten(field), A_DATE + remedy)
            return self.missing()
        value = number_in(field) if self.digits else None
        if value is not None and not (math.isinf(value) and field.isalpha() and self._has_names()):
            if math.isinf(value):
                flag = f"--categorical {shorten(self.title, WHOLE)}"
                codes = f"; {flag} takes codes (sonlearn describe lists all such columns)" * (self._model is None)
                raise RowError(shorten(field), FINITE if self.as_number else f"{FINITE}, or a text that is none{codes}")
            if self.typed and value == value and not self.as_number:
                self.note_first(self.quoted, "number")
            return self.value(value, field)
        hours = hours_in(field) if self.digits else None
        if hours is not None:
            return self._remembered(field, self._time(hours, field))
        if (number := number_with(self._unit, field)) is not None:
            return self._remembered(field, self.value(number, field))
        if self.as_number:
            if field.lower() in MISSING:
                return self.missing()
            raise RowError(shorten(field), f"{FINITE}, or nothing (--numeric)")
        return self._remembered(field, self._date(field) or self._category(field))

    def _has_names(self) -> bool:
        """Return whether the column has held categories: `MIN_TEXTS` of them, or no number, or those of the model."""
        if self._model is not None:
            return "category" in self._model.known.get(self.column, ())
        return self.suspicions.has_names("number" in self.kinds)

    def _remembered(self, field: str, entries: Entries) -> Entries:
        if len(self._known) < _MAX_REMEMBERED:
            self._known[field] = entries
        return entries

    def _category(self, field: str) -> Entries:
        known = () if self._model is None else self._model.known.get(self.column, ())
        may_mean = LIKELY_MISSING if {"number", "date"}.intersection(known) and "category" not in known else MISSING
        if field.lower() in may_mean:
            return self.missing()
        if self._separator and self._separator in field:
            parts = filter(None, map(str.strip, field.split(self._separator)))
            return tuple(dict.fromkeys(entry for part in parts for entry in self.entries(part)))
        if self.as_category:
            if _WHOLE.fullmatch(field):
                field = field.partition(".")[0]
            elif field.lower() in ("true", "false"):
                field = field.lower()
        self._check_kind("category", field)
        if not self.as_category and field not in self._counted:
            self.suspicions.add(field)
            if len(self._counted) < _MAX_COUNTED:
                self._counted.add(field)
        feature = self._new_category(field)
        self._note_seen("categories", "category", feature, field)
        return ((feature, 1.0),)

    def _note_seen(self, what: str, kind: str, feature: int, field: str) -> None:
        """Remember whether a model that has met this kind in the column has met a feature, one of `what`."""
        if self._model is not None and kind in self._model.known.get(self.column, ()):
            met = self._model.may_have_seen(self._table.slots[feature], self._table.names[feature])
            self.note_first(self.met, (what, met), field)
            if not met:
                self._table.unseen[feature] = self, what, field

    def _new_category(self, field: str) -> int:
        return self._new(f"={field}")

    def _new(self, behind: str = "", mark: int = 0) -> int:
        """The number of a new feature whose name is the column's and what stands behind it."""
        number = self._table.new(self.column + behind, mark=mark)
        if self._model is not None and self.column not in self._model.known:
            self._table.of_unknown[number] = self.column
        return number

    def _date(self, field: str) -> Entries:
        found = date_in(field, self.first)
        if found is None:
            return ()
        self._check_kind("date", field)
        year = found[0].year
        far = self.suspicions.add_date(field, year)
        if far and self._model is not None and self._model.bounded_year(self.column, year - 2000.0) != year - 2000:
            met = f"a year of two digits, {shorten(field)}, read as {year}, of which the model has met none"
            self.note_first(self.notes, "year", f"{met}; write four digits")
        parts, ignored = [*parts_of(found, self.column, self._model)], self._table.options.ignore
        if ("month", f"month={found[0].month}", 1.0) not in parts and f"{self.title}.month" not in ignored:
            said = "the model has met once at most: they count as others, and intervals do not show how they differ"
            self.note_first(self.notes, "month", f"dates, first {shorten(field)}, in months that {said}")
        return tuple(
            (self._part(part, feature), value) for part, feature, value in parts
            if f"{self.title}.{part}" not in ignored
        )  # fmt: skip

    def _time(self, hours: float, field: str) -> Entries:
        self.suspicions.add_time(field, hours)
        of_day = 0 <= hours < DAY and f"{self.title}.hour" not in self._table.options.ignore
        hour = ((self._part("hour", f"hour={int(hours)}"), 1.0),) if of_day else ()
        return self.value(hours, field) + hour

    def _part(self, part: str, feature: str) -> int:
        """The feature of a part of dates, and if there are several of that part, its mark (`Batch.marks`)."""
        if feature not in self._words:
            number = self._new(f".{feature}", mark_of(self.column, part, feature))
            self._words[feature] = number, 1.0
            if value := feature.partition("=")[2]:
                self._note_seen(f"{part}s", "date", number, value)
        return self._words[feature][0]

    def words(self, value: Any) -> list[str]:
        """The words of a text, or of what else JSON has in a column of texts."""
        words = [] if value is None else words_of(value if isinstance(value, str) else number_text(float(value)))
        if words:
            self.note_first(self.kinds, "text")
        return words

    def _text(self, field: str) -> Entries:
        words = self.words(field)
        self._table.count_words(len(words))
        if not words:
            return self.missing()
        out = [self._word(word) for word in words]
        slots = self._table.slots
        for offsets in self._grams:
            for i in range(len(words) - offsets[-1]):
                gram = " ".join(words[i + offset] for offset in offsets)
                feature = self._words.get(gram)
                if feature is None:
                    slot = slots[out[i][0]]
                    for offset in offsets[1:]:
                        slot = (slot * GRAM_PRIME + slots[out[i + offset][0]]) & self._mask
                    feature = self._words[gram] = self._new_word(gram.replace(" ", "^"), slot)
                out.append(feature)
        return tuple(out)

    def _word(self, word: str) -> tuple[int, float]:
        feature = self._words.get(word)
        if feature is None:
            slot = hash_bytes(raw(word), self._seed, hash_all=self._table.options.hash == "all") & self._mask
            feature = self._words[word] = self._new_word(word, slot)
        return feature

    def _new_word(self, name: str, slot: int) -> tuple[int, float]:
        return self._table.new(f"{self.column}^{name}", slot, mark=True), 1.0


class TableEncoder:
    """The feature columns of tables: an encoder each, and the features that they share, which have numbers.

    Parameters
    ----------
    options : TextOptions
    columns : ColumnTable
        What is known of the columns, for tables that are only predicted.
    most : float
        Words that a row may have.

    Attributes
    ----------
    slots, names : array of int, list of str
        Of the features by number.
    constant : int or None
        The number of the constant, if rows have it.
    of_unknown : dict of number to column
        Features of columns that the model did not know when they were made.
    unseen : dict of number to (column, what it is one of, how it is written)
        Features that the model has not met.
    first_seen : list of (ColumnEncoder, what it has held, what of that)
        What columns have held for the first time since `parsed` was called, in the order in which they did.
    """

    def __init__(self, options: TextOptions, columns: ColumnTable | None = None, most: float = math.inf):
        self.options, self.most, self._words = options, most, 0
        self.model = columns if columns is not None and columns.is_frozen else None
        self.constant = 0 if options.constant else None
        self.columns: dict[Hashable, ColumnEncoder] = {}  # by name; of JSON by path
        self.rows, self.first_seen = 0, list[tuple[ColumnEncoder, dict[Any, str], Any]]()
        self._begin()

    def mark(self) -> int:
        """Begin a row; return what `roll_back` takes."""
        self._words = 0
        return len(self.first_seen)

    def count_words(self, count: int) -> None:
        """Count words of the row under way before they are read. Raises TooLong."""
        self._words += count
        if self._words > self.most:
            raise LongRowError(self.most)

    def roll_back(self, mark: int) -> None:
        """Forget what columns have held for the first time since the mark: it was in rows that are refused."""
        for column, held, what in self.first_seen[mark:]:
            del held[what]
            column.reset()
        del self.first_seen[mark:]

    def _begin(self) -> None:
        self.slots, self.names, self._marks = array("q"), list[str](), array("I")
        self.unseen, self.of_unknown = dict[int, tuple[ColumnEncoder, str, str]](), dict[int, str]()
        if self.constant is not None:
            self.new("Constant", constant_id(self.options, "csv"))

    def new(self, name: str, slot: int | None = None, mark: int = 0) -> int:
        """The number of a new feature, see `Batch.marks`; its slot is that of its name, if no other is given."""
        self.slots.append(name_slot(name, self.options) if slot is None else slot)
        self.names.append(name)
        self._marks.append(mark)
        return len(self.slots) - 1

    def column(self, name: str) -> ColumnEncoder:
        """The encoder of a column, made when it is first asked for. Raises UnicodeEncodeError."""
        encoder = self.columns.get(name)
        if encoder is None:
            if len(self.columns) >= _MAX_REMEMBERED:
                self.columns.clear()
            encoder = self.columns[name] = ColumnEncoder(name, self)
        return encoder

    def absent(self, columns: Container[str]) -> Entries:
        """Return what stands in a row for columns that the model knows and a table with `columns` does not have."""
        known = () if self.model is None else self.model.known
        return tuple(
            entry for name in known if name not in columns and is_feature(name, self.options)
            for entry in self.column(name).absent()
        )  # fmt: skip

    def parsed(
        self, batch: Batch, errors: list[InputError], columns: Iterable[Hashable], marked: bool = False
    ) -> ParsedChunk:  # fmt: skip
        """Rows whose indices are numbers of features, with slots in their place; and what `columns` have held so far.

        The features are counted, in the order in which they were met. What is too much to remember is forgotten: from
        now on features may have new numbers.
        """
        self.rows += batch.n
        self.first_seen.clear()
        batch = self._known_alone(batch)
        numbers, counted = batch.indices, list[Named]()
        counts = np.bincount(numbers)
        for feature in np.flatnonzero(counts > max(_OFTEN, _SHARE * batch.n)).tolist() if self.unseen else ():
            column, what, field = self.unseen.get(feature, (None, "", ""))
            if column is not None and (what, True) in column.met:
                column.notes.setdefault("often", f"frequent {what} that the model has not met ({shorten(field)})")
        if self.options.names is not False:
            met, place = np.flatnonzero(counts), np.zeros(len(counts), np.int64)
            place[numbers[::-1]] = np.arange(len(numbers))[::-1]  # where a feature stands first, which is set last
            counted = [(self.slots[i], self.names[i], int(counts[i])) for i in met[np.argsort(place[met])].tolist()]
        marks = np.array(self._marks, np.uint32)[numbers]
        told = marked or self.options.text or marks.any()
        batch = batch._replace(indices=np.array(self.slots, np.int64)[numbers], marks=marks if told else None)
        found = self.found(columns)
        if len(self.slots) > _MAX_REMEMBERED:
            self._begin()
            for encoder in self.columns.values():
                encoder.reset()
        return ParsedChunk([batch] if batch.n else [], errors, 0, counted, found)

    def _known_alone(self, batch: Batch) -> Batch:
        """The rows without columns that `ColumnTable.leaves_out`: a row of them would be longer than those learned."""
        if self.model is None or not self.of_unknown:
            return batch
        unknown = set(filter(self.model.leaves_out, set(self.of_unknown.values())))
        kept = ~np.isin(batch.indices, [number for number, column in self.of_unknown.items() if column in unknown])
        indptr = np.append(0, np.cumsum(kept))[batch.indptr]
        return batch._replace(indptr=indptr, indices=batch.indices[kept], values=batch.values[kept])

    def found(self, columns: Iterable[Hashable]) -> TableSchema:
        """Return what the columns have held so far."""
        met = [self.columns[each] for each in columns if each in self.columns]
        kinds = {column.column: tuple(column.kinds) for column in met if column.kinds}
        notes = [note for column in met if (note := column.suspicions.note(column.title, self.rows, not column.typed))]
        quoted = [column.title for column in met if column.quoted and column.kinds.keys() <= {"number", "missing"}]
        if quoted:
            name = shorten(quoted[0], WHOLE)
            remedy = f"--categorical {name} if they are names, --numeric {name} if numbers"
            notes.append(f"columns of texts that are read as numbers: {first_names(quoted)} ({remedy})")
        faults = dict[str, list[str]]()  # of which columns
        for column in met:
            for fault in column.notes.values():
                faults.setdefault(fault, []).append(column.title)
            for (what, met), new in column.met.items():
                if self.rows >= MIN_TEXTS and not met and (what, True) not in column.met:
                    fault = f"{what} of which the model has met none ({shorten(new)})"
                    faults.setdefault(fault, []).append(column.title)
        said = tuple(columns_have(titles, fault) for fault, titles in faults.items())
        return TableSchema(tuple(columns), kinds, notes=tuple(notes), faults=said, read_as=self.options)
