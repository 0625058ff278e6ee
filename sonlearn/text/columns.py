"""Tables to features, the same for CSV, Arrow and JSON rows: which columns there are, and what each of them is for.

What counts is how a field would stand in CSV, whatever the type of its column; `sonlearn.text.encode` says what it
becomes. A column is the label (``--label``), the id (``--id``), the weight (``--weight``), left out (``--ignore``,
``--keep``), or a feature column (`is_feature`). A model remembers its columns (`ColumnTable`).
"""

from __future__ import annotations

import copy
import functools
import itertools
import math
import re
import statistics
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.order import DateOrder
from sonlearn.errors import WHOLE, InputError, shorten
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.spec import closest, raw
from sonlearn.options.text import NAMESPACED, NAMING, ORDERS, READINGS, flag_of
from sonlearn.text.hashing import hash_bytes
from sonlearn.text.names import MOST_NAMES, MOST_SLOTS
from sonlearn.text.number import PATTERN
from sonlearn.text.objects import RowError, display
from sonlearn.text.suspicions import MIN_TEXTS, Suspicions, bytes_notes
from sonlearn.text.units import given_for, number_with

FINITE = "a finite number"
NO_LABEL = f"a label ({FINITE}), or nothing; names of classes: --classes auto, of two --loss logistic"
NO_WEIGHT = f"a weight ({FINITE}, at least 0)"
A_PROBABILITY = "a probability above 0, and at most 1"
#: What labels and weights of rows are to be; of decisions, costs or rewards, and probabilities.
WANTED = (NO_LABEL, NO_WEIGHT), (f"{FINITE}, or nothing", A_PROBABILITY)
NONE_SEEN = "missing numbers, of which the model has met none; the column's mean stands for them"
NO_DATE_SEEN = "missing dates, of which the model has met none: nothing stands for them"
NUMBER = re.compile(rf"\s*{PATTERN}\s*", re.ASCII)
_LIBSVM = re.compile(r"\S+(\s+\d+:\S+)+\s*")
TRUTH = {"true": 1.0, "false": 0.0}
#: What stands for a missing value in a feature column that is no text, in lower case.
MISSING = frozenset(("", "nan", "na", "n/a", "#n/a", "null"))
#: What is likely to mean that there is nothing: where a model has met numbers or dates alone it does, and as a label a
#: message says what to write.
LIKELY_MISSING = MISSING | {"none", "-", "?", "."}
#: Words that stand for numbers, in lower case.
_WORDS = TRUTH | {"": math.nan, "nan": math.nan}
_WORDS |= {sign + word: math.inf for sign in ("", "+", "-") for word in ("inf", "infinity")}
#: What a header may look like, as the end of a message.
LIKE_A_ROW = "; this looks like a row: put a header before it"
ARRAY = "; this looks like an array of JSON: an object a line is read, which jq -c '.[]' FILE writes"
#: What has been met in a feature column, in the order in which it is listed; absent: objects did not have the member.
KINDS = ("number", "date", "category", "text", "missing", "absent")
#: Columns of objects that are remembered, at most: the members of sparse ones are as many as features.
MOST_OF_OBJECTS = 1024
#: What a date becomes: ``--ignore COLUMN.PART`` leaves one of them out.
DATE_PARTS = ("year", "month", "weekday", "hour", "day")
#: The parts of a date that are remembered of what is learned: the year, and the months from the first on.
_COUNTED = ("year", *(f"month={month}" for month in range(1, 13)))
#: Years of dates are nearer to 2000: what else is in their feature has the same number by chance.
_YEARS = 8000
#: From so many months on, half of a year or more was met twice: one step from a year to the next is then no season.
_TWO_SEASONS = 18
#: Of dates in order, months with fewer rows than this share of the median of all tell too little of themselves.
_MIN_SHARE = 1 / 4
#: What stands behind a column in the name of one of its features; nothing, where it is of numbers.
_BEHIND = ("", "=", ".", "^")
#: The kinds of a column of numbers without a missing one, and of a member that an object did not have.
NUMBERS, ABSENT = ("number",), ("absent",)
#: The kinds of a column of dates alone.
DATES = ("date",)
#: Column names that a message lists.
_LISTED = 10


def number_in(field: str) -> float | None:
    """The number that a field stands for: NaN, missing; infinite, none that can be used; None, the field is a text."""
    if NUMBER.fullmatch(field):
        return float(field)
    return _WORDS.get(field.lower()) if len(field) <= 9 else None


def number_text(value: float) -> str:
    """The shortest text that is read back as a number; without a point where it is whole, nothing for NaN."""
    return "" if value != value else repr(float(value)).removesuffix(".0")


def label_of(
    field: Any, labels: Labelling, options: TextOptions, at: int | tuple[str, ...] = ()
) -> tuple[float, str | None]:
    """(label, name of its class) that a field, or what JSON has, stands for, which is `at` a place. Raises RowError.

    Of values, as in other columns, NA and the like are none, and a number may have the unit of its column. Where labels
    are words true and false have their number and, as the name, the word as it was written.
    """
    if isinstance(field, str):
        word = field.strip()
    elif isinstance(field, bool):
        word = str(field).lower()
    else:
        number = math.nan if field is None else field if isinstance(field, float) else math.inf
        if math.isinf(number):
            raise RowError(display(field), NO_LABEL, at)
        return number, None
    y = number_in(word) if word else math.nan
    if y is None and labels.worded:
        return math.nan, word
    if y is None:
        y = math.nan if word.lower() in MISSING else number_with(given_for((options.label,), options.unit), word)
    if y is None or math.isinf(y):
        raise RowError(shorten(word), NO_LABEL, at)
    return y, word if labels.words and word.lower() in TRUTH else None


def without_label(options: TextOptions) -> RowError:
    """Return what is wrong with an object to be learned from that has no label."""
    expected = f"the label's column {shorten(options.label)}, with null or nothing in it where there is no label"
    return RowError("a row without a label's column", expected)


def weight_of(value: Any, at: int | tuple[str, ...] = ()) -> float:
    """The weight that a field or a number stands for, which is `at` a place. Raises RowError."""
    weight = number_in(value) if isinstance(value, str) else value
    if type(weight) is not float or not 0 <= weight < math.inf:
        raise RowError("nothing" if isinstance(value, str) and not value.strip() else display(value), NO_WEIGHT, at)
    return weight


class Labelling(NamedTuple):
    """What is asked of labels.

    Attributes
    ----------
    needed : bool
        Whether a table has to have the columns that options name.
    names : bool or None
        Whether names of classes are labels; None: in VW text if most of the first labels are names.
    words : bool
        Whether they are in tables and JSON; true and false are then to be known as words.
    flags : tuple of str
        Which options name the columns of the label, the id and the weight.
    action : str
        Of a table of decisions the column of the action, whose fields are `Batch.class_names`; it is no feature.
    joined : bool
        Whether labels come from elsewhere, so that a table may lack their column.
    in_each : bool
        Whether an object to be learned from is malformed that lacks the label's member; else it has no label.
    """

    needed: bool = True
    names: bool | None = False
    words: bool = False
    flags: tuple[str, str, str] = ("--label", "--id", "--weight")
    action: str = ""
    joined: bool = False
    in_each: bool = False

    @classmethod
    def of(cls, options: LearnOptions, needed: bool = True, named: bool | None = False) -> Labelling:
        """Return what is asked of the labels of a learner with these options; `named`: `names` of two classes."""
        return cls(needed, options.classes is not None or (options.takes_words and named), options.takes_words)

    @property
    def worded(self) -> bool:
        """Return whether a label in a table or in JSON may be no number."""
        return self.words or bool(self.names)


class Remark(str):
    """A note that is no warning."""


class TableSchema(NamedTuple):
    """Of rows of a table: its feature columns; of those met, what they held; what a bad header looks like; notes.

    `notes` name columns that look like something else than what they are read as, `faults` those that hold what the
    model has not met. With `objects` the rows are objects, and the columns are the members that any of them has. They
    are read as `read_as` says, where the first rows may have told more than options said.
    """

    columns: tuple[str, ...]
    kinds: dict[str, tuple[str, ...]]
    hint: str = ""
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    objects: bool = False
    read_as: TextOptions | None = None

    def joined(self, other: TableSchema) -> TableSchema:
        """Join what was found in these rows and in `other`, which follow them."""
        kinds = {name: _kinds(self.kinds.get(name, ()), other.kinds.get(name, ())) for name in self.kinds | other.kinds}
        if self.objects:
            kinds |= {name: _kinds(kinds.get(name, ()), ABSENT) for name in {*self.columns} ^ {*other.columns}}
        columns, notes, faults = (
            tuple(dict.fromkeys(getattr(self, field) + getattr(other, field)))
            for field in ("columns", "notes", "faults")
        )
        return self._replace(columns=columns, kinds=kinds, notes=notes, faults=faults)


class ColumnLayout(NamedTuple):
    """Places of the columns: of label, id, weight and action (None: none), and of the features with their names.

    In `sonlearn.text.flat` what reads their fields stands in the place of names, and `absent` are the entries of
    columns that are not there.
    """

    label: int | None
    id: int | None
    weight: int | None
    action: int | None
    features: list[tuple[int, Any]]
    absent: tuple[tuple[int, float], ...] = ()


def name_slot(name: str, options: TextOptions) -> int:
    """Slot of a feature name, hashed as VW hashes it in the default namespace."""
    seed = hash_bytes(b"", options.hash_seed, hash_all=True) if options.hash_seed else 0
    return hash_bytes(raw(name), seed, hash_all=options.hash == "all") & ((1 << options.bits) - 1)


def member_slot(space: str, name: str, options: TextOptions) -> int:
    """Slot of a member in the namespace `space` of JSON, hashed as VW hashes it; the default one is a blank."""
    hash_all = options.hash == "all"
    seed = hash_bytes(raw(space), options.hash_seed, hash_all=hash_all)
    return hash_bytes(raw(name), seed, hash_all=hash_all) & ((1 << options.bits) - 1)


def titles_of(names: Iterable[str]) -> list[str]:
    """Return what columns of a file are called: blanks around a name do not count; without one by place, column 1."""
    return [name.strip() or f"column {place}" for place, name in enumerate(names, 1)]


def is_feature(column: str, options: TextOptions) -> bool:
    """Return whether a column is a feature column. That of ids is one where an option says how it is read."""
    if column and column in (options.label, options.weight):
        return False
    if column and column == options.id and not reading_of(column, options):
        return False
    return column in options.keep if options.keep else column not in options.ignore


def reading_of(column: str, options: TextOptions) -> str:
    """The option that says how the fields of a column are read: ``text``, ``categorical`` and so on, or none."""
    return next((how for how in READINGS if column in getattr(options, how)), "")


def date_order(titles: Iterable[str], options: TextOptions) -> str:
    """Return what comes first in a column's dates as 3/4/2024: ``day``, ``month``, ``year`` or, unknown, nothing.

    ``unix`` where they are seconds since 1970.
    """
    given = (order for order in ORDERS if not set(titles).isdisjoint(getattr(options, order)))
    return next(given, "").partition("_")[0]


def names_a_column(field: str, name: str, columns: Sequence[str]) -> bool:
    """Tell whether `name`, as the option `field` has it, is one of the columns, or for ``ignore`` a part of a date."""
    column, _, part = name.rpartition(".")
    return name in columns or (field == "ignore" and column in columns and part in DATE_PARTS)


def column_of(name: str, columns: Iterable[str]) -> str | None:
    """The column that a feature of this name is of; None: of none."""
    of = (each for each in columns if name.startswith(each) and name[len(each) : len(each) + 1] in _BEHIND)
    return max(of, key=len, default=None)


def layout_of(
    columns: list[str],
    options: TextOptions,
    place: tuple[str, int | None],
    labels: Labelling = Labelling(),  # noqa: B008 (a tuple)
    hint: str = "",
    known: ColumnTable | None = None,
) -> ColumnLayout:
    """Return where the columns of a table are.

    Parameters
    ----------
    columns : list of str
    place : the source's name, and the line of the header
    labels : Labelling
        Says whether the columns that options name have to be there: they do in what is learned from.
    hint : str
        What the header looks like, if not like one.
    known : ColumnTable or None
        Columns of the model that predicts the rows, and their order: where one is new to it, the column of ids may have
        a new name.

    Raises
    ------
    InputError
        A column that an option names is not there, or there are two columns of a name: their features could not be
        distinguished.
    """
    (source, line), found = place, f"the columns {shorten(', '.join(columns), 200)}"
    roles = (options.label, options.id, options.weight, labels.action)
    for flag, name in zip((*labels.flags, "--action"), roles, strict=True):
        renamed = name == options.id and known is not None and known.has_unknown(columns, options)
        needed = labels.needed and not (labels.joined and name == options.label)
        if name and columns.count(name) != 1 and (needed or name in columns or renamed):
            raise InputError(source, found, f"one column {shorten(name)} ({flag}){hint or _hint(name, columns)}", line)
    for name, count in Counter(columns).items():
        if count > 1:
            expected = f"columns of different names{hint or '; rename one'}"
            raise InputError(source, f"{count} columns {shorten(name, WHOLE)}", expected, line)
    if labels.needed:
        for field in NAMING:
            for name in options.named(field):
                if not names_a_column(field, name, columns):
                    flag, parts = flag_of(TextOptions, field), name.split(",")
                    several = "; several columns: " + " ".join(f"{flag} {shorten(part, WHOLE)}" for part in parts)
                    end = several if len(parts) > 1 and {*parts} <= {*columns} else _hint(name, columns)
                    raise InputError(source, found, f"a column {shorten(name)} ({flag}){end}", line)
    places = [columns.index(name) if name and name in columns else None for name in roles]
    features = [(i, name) for i, name in enumerate(columns) if i != places[-1] and is_feature(name, options)]
    if known is not None:
        features.sort(key=lambda feature: known.place(feature[1]))
    return ColumnLayout(*places, features)


def _hint(name: str, columns: list[str]) -> str:
    """The end of a message: that names are not UTF-8, or the column whose name is most like `name`, if one is."""
    for note in bytes_notes(raw(",".join(columns)), "; the header is"):
        return note
    return did_you_mean(name, columns) if columns.count(name) == 0 else ""


def did_you_mean(name: str, names: list[str]) -> str:
    """The end of a message: which of the `names` is most like `name`, if one is."""
    near = [each for each in names if each.lower() == name.lower()] or closest(name, names, 0.75)
    return f"; did you mean {shorten(near[0], WHOLE)}?" if near else ""


def header_hint(line: str, columns: list[str], options: TextOptions) -> str:
    """Return what the first line of CSV looks like, if not like a header: the end of a message, or nothing."""
    line = line.strip()
    if line.startswith("{"):
        several = ": an object a line is read, which jq -c . FILE writes" * (line == "{")
        return f"; this looks like JSON, not CSV{several}"
    if line.startswith("#") and len(columns) == 1:
        return "; lines behind # are rows of CSV: grep -v '^#' FILE leaves them out"
    if line == "[" or re.match(r"\[\s*\{", line):
        return ARRAY
    if line.startswith("<"):
        return "; this looks like a page of the web, not CSV"
    marks = re.findall(r"[^\w\"']", line) if len(columns) == 1 else ""
    if mark := next((mark for mark in marks if options.label in line.split(mark)), ""):
        return f"; give --delimiter '{mark}'"
    if "|" in line and options.delimiter != "|":
        is_table = len(columns) == 1 and not re.search(r"\s\||\|\s", line)
        return "; give --delimiter '|'" if is_table else "; this looks like VW text, not CSV"
    if _LIBSVM.fullmatch(line):
        return "; this looks like LIBSVM text, not CSV"
    if any(NUMBER.fullmatch(name) for name in columns):
        return LIKE_A_ROW
    return "; give --delimiter tab" if "\t" in line and options.delimiter != "\t" else ""


def later_header(columns: list[str], lines: list[str], before: int, options: TextOptions) -> str:
    """Return what to do where a further line has the label's name, and the first one less than it: a title."""
    few = sum(not name.startswith("column ") for name in columns)
    for number, line in enumerate(lines if options.label not in ("", *columns) else (), before + 1):
        names = [name.strip() for name in re.split("[,;\t|]", line)]
        if options.label in names and sum(map(bool, names)) > few:
            return f"; is line {number} the header? tail -n +{number} FILE begins with it"
    return ""


def row_as_header(columns: list[str], options: TextOptions) -> bool:
    """Tell whether a header is likely a row: names are numbers that count nothing, the label's or most of them."""
    numbers = [name for name in columns if NUMBER.fullmatch(name)]
    if _count_columns(numbers, len(columns)):
        return False
    return options.label in numbers if options.label else len(numbers) > len(columns) / 2


def _count_columns(names: list[str], columns: int) -> bool:
    """Return whether numbers as names are places of columns, as 0, 1, 3, or follow one another, as 2019, 2020, 2021."""
    if not names or not all(name.isdecimal() for name in names):
        return False
    numbers = [int(name) for name in names]
    steps = [after - before for before, after in itertools.pairwise(numbers)]
    return all(step == 1 for step in steps) or (min(steps, default=1) > 0 and numbers[-1] <= columns)


def first_names(names: Iterable[str], limit: int = 40) -> str:
    """Names for a message: the first ten."""
    names = list(names)
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(shorten(name, limit) for name in names[:_LISTED]) + more


def columns_have(names: Sequence[str], what: str) -> str:
    """Say that columns have something; of many alike there is one line."""
    return f"the column{'s' * (len(names) > 1)} {first_names(names)} {'have' if len(names) > 1 else 'has'} {what}"


#: What is said where labels `are_classes`.
MULTICLASS_NOTE = "labels are three names or more: several classes are learned (--classes auto)"
#: Labels, in lower case, that are likely to mean that there is none; none itself is often a class.
_NO_CLASS = LIKELY_MISSING - {"none"}
#: Labels of several parts, which recur in others, before it is worth a note.
_MIN_COMBINED = 3


def are_classes(batch: Batch, labels: Labelling, options: TextOptions) -> bool:
    """Return whether labels of the first rows `are_multiclass` where two words are asked for, without a unit."""
    if not labels.words or labels.names or given_for((options.label,), options.unit):
        return False
    return are_multiclass(Counter(name for name in batch.class_names or () if name is not None))


def are_multiclass(names: Mapping[str, int]) -> bool:
    """Tell whether labels, with how often they come, are three or more, each twice on average, that mean a label."""
    return 2 < len({name.lower() for name in names} - _NO_CLASS) <= sum(names.values()) / 2


def no_labels(labels: Collection[str]) -> list[str]:
    """Return what to say of classes that look like no label, like another one, or like values in other notations."""
    written, met = dict[str, list[str]](), Suspicions()
    for label in labels:
        written.setdefault(label.lower(), []).append(label)
        if number_in(label) is None:
            met.add(label)
    blank = [shorten(label) for label in labels if label.lower() in LIKELY_MISSING]
    alike = [" and ".join(map(shorten, same[:2])) for same in written.values() if len(same) > 1]
    values = met.meant(max(MIN_TEXTS - 1, met.texts / 2), "")
    parts = {label: [part.strip() for part in re.split("[,;|]", label)] for label in labels}
    combined = [shorten(label) for label, own in parts.items() if len(own) > 1]
    recur = not values and len(combined) >= _MIN_COMBINED and len({*itertools.chain(*parts.values())}) < len(parts)
    return [
        *(f"the label {label} is a class: if it means that there is none, leave it empty" for label in blank),
        *(f"{both} differ by capitals alone: write one of them, if they are one label" for both in alike[:1]),
        *([f"labels look like {values}"] if values else []),
        *(
            f"labels as {label} are a class each: if they are several labels of a row, give each a column of 1 and 0, "
            "and learn a model of each"
            for label in combined[: int(recur)]
        ),
    ]


class ColumnTable:
    """The feature columns of tables, and what each has held: what a model remembers, to refuse other tables.

    Attributes
    ----------
    known : dict of column to tuple of str
        What it has held, of `KINDS`.
    numbers : dict of column to [rows, sum], of columns that have held nothing but numbers
    dates : dict of column to {month: rows} of the dates that it has held; month: 12 times years since 2000, and 0 to 11
    shuffled : set of str
        Columns some of whose dates were of an earlier month than one before.
    rests : bool
        Whether tables are only predicted: then nothing is added, missing numbers are replaced by `mean`, years far
        from all others by `bounded_year`, other months by `nearest_month`, and what a column has never held is refused.
    slots : dict of slot to list of str
        The features that a model has met, as `NameTable.known`, where tables are only predicted; empty, if that is not
        known.
    usual : list of str
        Columns of objects that are learned: an object that does not have one has a missing value there.
    of_objects : bool
        Whether they are known to be of JSON, so that another table is none of the model's whatever columns it has.
    """

    def __init__(
        self, known: Mapping[str, Iterable[str]] | None = None, numbers: Mapping[str, list[float]] | None = None,
        dates: Mapping[str, Mapping[int, int]] | None = None, shuffled: Iterable[str] = (),
    ):  # fmt: skip
        self.known: dict[str, tuple[str, ...]] = {name: tuple(kinds) for name, kinds in (known or {}).items()}
        self.numbers: dict[str, list[float]] = {name: list(counted) for name, counted in (numbers or {}).items()}
        self.dates: dict[str, dict[int, int]] = {name: dict(met) for name, met in (dates or {}).items()}
        self.shuffled = set(shuffled)
        self._orders: dict[str, DateOrder] = {}  # of what has been learned since the table was made
        self._frequent_months: dict[str, list[int]] = {}  # `_months`, where they have been worked out
        self.is_frozen = False
        self.slots: Mapping[int, list[str]] = {}
        self.of_objects = False
        self.usual: list[str] = []
        self._order: dict[str, int] = {}

    def frozen(self, slots: Mapping[int, list[str]] = {}) -> ColumnTable:
        """The same columns, as they are at any time, for what is only predicted; `slots`: see above."""
        table = copy.copy(self)
        table.is_frozen, table.slots = True, slots
        table._order = {name: place for place, name in enumerate(self.known)}
        return table

    def place(self, name: str) -> int:
        """The place of a column, where tables are only predicted: in which order they have theirs does not matter."""
        return self._order.get(name, len(self._order))

    def may_have_seen(self, slot: int, name: str) -> bool:
        """Return whether a feature may have been met; another one in its slot is another one."""
        names = self.slots.get(slot, ())
        return name in names or len(names) >= MOST_NAMES or not self.slots or len(self.slots) >= MOST_SLOTS

    @property
    def always(self) -> list[str]:
        """Columns that all rows had."""
        return [name for name, kinds in self.known.items() if "absent" not in kinds]

    @property
    def always_at_top(self) -> list[str]:
        """Columns that all rows had; of objects not the members of their members, which the first rows do not tell."""
        return [name for name in self.always if "^" not in name]

    @property
    def fixed(self) -> bool:
        """Return whether all rows had the same columns."""
        return len(self.always) == len(self.known)

    def leaves_out(self, name: str) -> bool:
        """Return whether a column is unknown, where all rows had the same: what is only predicted does without it."""
        return name not in self.known and bool(self.known) and self.fixed

    def mean(self, name: str) -> float | None:
        """The mean of a column that has held nothing but numbers; None of any other."""
        rows, total = self.numbers.get(name, (0, 0.0))
        return total / rows if rows and self.known.get(name) == NUMBERS else None

    def _months(self, name: str) -> list[int]:
        """The months of the dates that a column has held, in order: of dates that came in theirs, those of enough rows.

        A month that has just begun has next to no weight: what is predicted of it would be as of no month at all.
        """
        if name not in self._frequent_months:
            met = self.dates.get(name, {})
            enough = _MIN_SHARE * statistics.median(met.values()) if met and name not in self.shuffled else 0
            self._frequent_months[name] = sorted(month for month, rows in met.items() if rows >= enough)
        return self._frequent_months[name]

    def _has_seasons(self, name: str) -> bool:
        """Tell whether dates came in order for so long that years and seasons are told apart."""
        return name not in self.shuffled and len(self._months(name)) >= _TWO_SEASONS

    def bounded_year(self, name: str, year: float) -> float:
        """`year`, but at most a year from those that a column has held; if these are one, or two in a row, the nearest.

        What a learner makes of years is a slope, which holds a little beyond them. One step from a year to the next is
        no slope: what is new in the second year is all laid to it, unless both were met in order for `_TWO_SEASONS`.
        """
        met = self._months(name)
        first, last = (met[0] // 12, met[-1] // 12) if met else (year, year)
        further = 1.0 if last > first + 1 or self._has_seasons(name) else 0.0
        return min(max(year, first - further), last + further)

    def nearest_month(self, name: str, year: float, month: int) -> int:
        """Of the months that a column has held, the one nearest to `month` in the year's round, of two the one before.

        A month that was never met has no weight, which says that it is as no month at all. Where dates were met in
        their order, what is later than they are is of the last month or of one that was met in two years, as long as
        they are fewer than `_TWO_SEASONS`: the weight of any other was learned long ago, and tells of that time as much
        as of the season.
        """
        met = self._months(name)
        months = {each % 12 + 1 for each in met}
        if met and name not in self.shuffled and 12 * year + month - 1 > met[-1]:
            times, once = Counter(each % 12 + 1 for each in met), self._has_seasons(name)
            months = {each for each in months if once or times[each] > 1} | {met[-1] % 12 + 1}
        return min(
            months or {month}, key=lambda each: (min((each - month) % 12, (month - each) % 12), (month - each) % 12)
        )

    def count(self, batch: Batch, options: TextOptions, refused: np.ndarray | None = None) -> None:
        """Add the numbers and dates in rows that were learned: of `batch` those that were not `refused`, bool[n].

        The sums have the same bits wherever batches end.
        """
        if self.is_frozen or not self.known:
            return
        if refused is not None and refused.any():
            batch = batch.at(np.flatnonzero(~refused))
        numbers = [name for name, kinds in self.known.items() if kinds == NUMBERS]
        for name in self.numbers.keys() - set(numbers):  # `tune` shares `known`, and `frozen` tables the numbers
            del self.numbers[name]
        dates = [name for name, kinds in self.known.items() if "date" in kinds]
        slots, order = _slots_of((*numbers, *(f"{name}.{part}" for name in dates for part in _COUNTED)), options)
        at = np.searchsorted(slots[:-1], batch.indices)
        counted = slots[at] == batch.indices
        at, values = order[at[counted]], batch.values[counted]
        sums = np.zeros(len(order))
        sums[: len(numbers)] = [self.numbers.get(name, (0, 0.0))[1] for name in numbers]
        np.add.at(sums, at, values)
        for name, total in zip(numbers, sums.tolist(), strict=False):
            self.numbers[name] = [self.numbers.get(name, (0, 0.0))[0] + batch.n, total]
        rows = np.repeat(np.arange(batch.n), np.diff(batch.indptr))[counted]
        for name, begin in zip(dates, range(len(numbers), len(order), len(_COUNTED)), strict=True):
            own, met = at - begin, np.zeros((2, batch.n), np.int64)
            is_year = (own == 0) & (np.abs(values) < _YEARS)
            is_month = (own > 0) & (own < len(_COUNTED))
            met[0, rows[is_year]], met[1, rows[is_month]] = values[is_year], own[is_month]
            met = (12 * met[0] + np.maximum(met[1], 1) - 1)[met.any(axis=0)]
            months = met.tolist()
            self._orders.setdefault(name, DateOrder()).add(months)
            last = [max(self.dates[name])] if name in self.dates else []
            self.add_dates(name, Counter(months), bool((np.diff(met, prepend=last) < 0).any()))

    def order_notes(self) -> list[str]:
        """Return what is to be said of the order of rows that were learned."""
        return [*filter(None, (order.note(name) for name, order in self._orders.items()))]

    def join(self, other: ColumnTable, base: ColumnTable) -> None:
        """Add what another table has held, of numbers and dates what it has held since `base`, which counts once."""
        self.add(other.known)
        for name, met in other.dates.items():
            before = base.dates.get(name, {})
            self.dates.setdefault(name, dict(before))
            more = {month: rows - before.get(month, 0) for month, rows in met.items()}
            self.add_dates(name, more, name in other.shuffled)
        for name, (rows, total) in other.numbers.items():
            before = base.numbers.get(name, (0, 0.0))
            known = self.numbers.get(name, before)
            self.numbers[name] = [known[0] + rows - before[0], known[1] + total - before[1]]

    def add_dates(self, name: str, met: Mapping[int, int], shuffled: bool) -> None:
        """Add {month: rows} of the dates that a column has held, and whether one was earlier than one before."""
        self._frequent_months.pop(name, None)
        if met:
            own = self.dates.setdefault(name, {})
            own.update({month: own.get(month, 0) + rows for month, rows in met.items()})
        if shuffled:
            self.shuffled.add(name)

    def check(self, found: TableSchema, source: str, learns: bool) -> list[str]:
        """Return what is to be said of a table's columns: those that are missing, and those that are not known.

        Raises InputError where there are columns and none is known: then it is another table.
        """
        if not self.known or not found.columns or (self.of_objects and not found.objects):
            return []
        missing = [name for name in self.always if name not in found.columns]
        unknown = list(filter(self.leaves_out, found.columns))
        if len(unknown) == len(found.columns):
            expected = f"columns that the model knows: {first_names(self.known)}{found.hint}"
            raise InputError(source, f"the columns {first_names(unknown)}", expected)
        notes = []
        if missing:
            filled = self.is_frozen and any(self.mean(name) is not None for name in missing)
            means = "; means stand for their numbers" * filled
            known = "columns that the model knows and the table has not"
            notes.append(f"{source}: {known}: {first_names(missing)}{means}")
        if unknown:
            what = "new to the model" if learns else "left out"
            notes.append(f"{source}: columns that the model does not know, {what}: {first_names(unknown)}")
        return notes

    def has_unknown(self, columns: list[str], options: TextOptions) -> bool:
        """Tell whether a table to predict has a feature column that the model, if it is of tables, does not know."""
        known = self.known if self.is_frozen and not self.of_objects else {}
        return bool(known) and any(name not in known and is_feature(name, options) for name in columns)

    def add(self, kinds: Mapping[str, Iterable[str]]) -> None:
        """Remember what columns have held."""
        for name, met in () if self.is_frozen else kinds.items():
            known = self.known.get(name, ())
            if known != met:
                self.known[name] = _kinds(known, met)
            if self.known[name] != NUMBERS:
                self.numbers.pop(name, None)

    def add_schema(self, found: TableSchema) -> None:
        """Remember what the columns of further rows have held, of objects also which did not have one of them."""
        kinds = found.kinds
        if found.objects and not self.is_frozen:
            room, late = max(MOST_OF_OBJECTS - len(self.known), 0), ABSENT if self.known else ()
            new = list(itertools.islice((name for name in kinds if name not in self.known), room))
            kinds = {name: met for name, met in kinds.items() if name in self.known}
            kinds |= {name: ABSENT for name in self.always if name not in kinds}
            kinds |= {name: _kinds(found.kinds[name], late) for name in new}
        self.add(kinds)


@functools.lru_cache(64)
def _slots_of(names: tuple[str, ...], options: TextOptions) -> tuple[np.ndarray, np.ndarray]:
    """The slots of these features, ascending, with one behind them that no feature has; and which each of them is."""
    slots = np.array([_slot_of(name, options) for name in names], np.int64)
    order = np.argsort(slots)
    return np.append(slots[order], -1), order


def _slot_of(name: str, options: TextOptions) -> int:
    """The slot of a feature of this name, which of JSON begins with its namespace if that is not the default one."""
    if options.format not in NAMESPACED:
        return name_slot(name, options)
    space, _, own = name.rpartition("^")
    return member_slot(space or " ", own, options)


def _kinds(some: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """The kinds in either, in the order of `KINDS`."""
    return tuple(kind for kind in KINDS if kind in {*some, *others})
