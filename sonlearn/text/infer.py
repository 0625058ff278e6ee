"""How columns are read that no option speaks of: the first rows tell, before anything is learned.

A column of texts is one of ``--text`` from then on, in the options that the model keeps: its fields are words. One of
codes is one of ``--categorical``; one of dates as 3/4/2024 is one of ``--day-first`` or ``--month-first``, if it can be
seen which, there or in another column; one of seconds since 1970 is one of ``--unix-time``; one of numbers with a unit
is one of ``--unit``, one of several names in a field of ``--several``.
"""

from __future__ import annotations

import dataclasses
import datetime
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sonlearn.errors import shorten
from sonlearn.options import TextOptions
from sonlearn.options.text import INFERRED, ORDERS
from sonlearn.text.columns import LIKELY_MISSING, MISSING, date_order, is_feature, number_in, reading_of
from sonlearn.text.dates import are_unix_times, date_in, is_season, is_span
from sonlearn.text.encode import MAX_CHARACTERS, number_of, spaced, words_of
from sonlearn.text.suspicions import MIN_TEXTS, THOUSANDS, Suspicions, with_point
from sonlearn.text.units import POINT, are_thousands, given_for, units_in

#: Texts by the share of a column's fields that are different, and by the words of a field that others have, on average:
#: as a share of its words, or so many.
_DIFFERENT, _SHARED, _AGAIN = 0.7, 0.6, 1.5
#: Letters and digits, both of them; and what a column of codes has in a field: an e as of an exponent, or two years.
_MIXED = re.compile(r"(?=\D*\d)(?=\d*[a-z])[\da-z]+", re.ASCII | re.IGNORECASE)
#: What a number with a unit has beside digits; the share of fields that have the same one, of so many different ones.
_MAY_HAVE_UNITS, _NEARLY_ALL, _MIN_NUMBERS = re.compile(r"[^\d\s.:/eE+-]"), 0.9, 5
#: The share of names behind others in a field that stand first in other fields.
_MOVE = 0.3
#: What may be between several names in a field, and how many different ones there may be then, as a share of all.
_AMONG = {";": 0.7, "|": 0.7, ",": 0.5}
_DIGITS = re.compile(r"\d{7,8}", re.ASCII)
_MAY_BE_CODES = re.compile(r"[eE-](?<=\d.)\d")


def infer(options: TextOptions, rows: Iterable[Mapping[str, str]]) -> TextOptions:
    """`options` with how columns are read by the first rows, where no option says."""
    fields = dict[str, list[str]]()
    for row in rows:
        for name, field in row.items():
            fields.setdefault(name, []).append(field)
    new, unclear = {how: [*getattr(options, how)] for how in INFERRED}, list[str]()
    alone = sum(is_feature(name, options) for name in fields) == 1  # then categories that differ would tell nothing
    for name, held in fields.items():
        reading, ordered = reading_of(name, options), date_order((name,), options)
        feature = is_feature(name, options)
        given = reading not in ("", "date") or given_for((name,), options.unit) or given_for((name,), options.several)
        if given or not (feature or name == options.label):
            continue
        if not reading and feature and are_codes(held):
            new["categorical"].append(name)
        elif not reading and (unit := unit_in(held, itertools.chain(*fields.values()))):
            new["unit"].append(f"{name}={unit}")
        elif not reading and feature and (separator := separator_in(held)):
            new["several"].append(f"{name}={separator}")
        elif feature and not ordered and len(numbers := _held(held)) >= MIN_TEXTS and are_unix_times(numbers):
            new["unix_time"].append(name)
        elif not feature or ordered or are_plain(held):
            continue
        elif first := first_in(held):
            new[f"{first}_first"].append(name)
        elif not reading and are_texts(held, alone):
            new["text"].append(name)
        else:
            unclear.append(name)
    orders = [order for order in ORDERS[:2] if new[order]]
    for order in orders if len(orders) == 1 else ():  # that of the file
        new[order] += [name for name in unclear if first_in(fields[name], order.partition("_")[0])]
    return dataclasses.replace(options, **{how: tuple(names) for how, names in new.items()})


def _held(fields: Iterable[str]) -> list[str]:
    """The fields that are not missing, without blanks around them."""
    return [field for field in map(str.strip, fields) if field.lower() not in MISSING]


def are_plain(fields: Iterable[str]) -> bool:
    """Return whether a column's fields cannot be texts or dates, for a table may have thousands of columns of numbers.

    Most would have two words then, or twice the mark between the parts of a date, a number has it once; or an address
    of mail; or all would have digits as 20240331.
    """
    held = _held(fields)
    together = " ".join(held)
    few = len(spaced(together).split()) <= 1.5 * len(held) and all(together.count(mark) <= len(held) for mark in "/-.")
    return few and 2 * together.count("@") <= len(held) and not (held and all(map(_DIGITS.fullmatch, held)))


def first_in(fields: Iterable[str], elsewhere: str = "") -> str:
    """Tell what comes first in a column's dates as 3/4/2024, ``day`` or ``month``: with that more of them are dates.

    Not where as many are dates within fewer days with the year first, as 24-03-31. Of digits alone, as 20240331, also
    with the ``year`` first, all have to be dates.
    Where all are dates both ways and have hours, it is that with which they are within fewer days. Of days alone, which
    may be the first ones of months, nothing can be told then, nor where there are few: it is what comes first
    `elsewhere`, but of fields as 1.2.24, which may be versions.
    """
    held = [field for field in _held(fields) if date_in(field) is None]
    digits = all(map(_DIGITS.fullmatch, held))
    orders = ("day", "month", "year") if digits else ("day", "month")
    read = {first: [found for field in held if (found := date_in(field, first)) is not None] for first in orders}
    best, other = sorted(read, key=lambda first: len(read[first]), reverse=True)[:2]
    if len(read[best]) < max(MIN_TEXTS, len(held) if digits else len(held) / 2):
        return ""
    days = {first: _days(dates) for first, dates in read.items()}
    years = [found for field in held if (found := date_in("20" + field.replace(".", "-", 2))) is not None]
    if len(years) >= len(read[best]) and _days(years) < days[best]:
        return ""
    if len(read[best]) > len(read[other]):
        return best
    if days[best] != days[other] and any(hour is not None for _, hour in read[best]):
        return min(days, key=days.__getitem__)
    return "" if any("." in field for field in held) else elsewhere


def _days(dates: Sequence[tuple[datetime.date, int | None]]) -> datetime.timedelta:
    days = [day for day, _ in dates]
    return max(days, default=datetime.date.min) - min(days, default=datetime.date.min)


def are_codes(fields: Iterable[str]) -> bool:
    """Return whether a column's fields are names of which some would be read as numbers or dates: 04e09220, 2010-11.

    Of codes a tenth at least has letters and digits, a quarter of these not as a number, or one beyond all bounds, and
    one an e between digits; numbers among them are whole. Of seasons most are a year and the next, of few fields
    all, and one is no month, or three differ; of other spans as 1990-95, most are, and a tenth is no month.
    """
    fields = list(fields)
    if not _MAY_BE_CODES.search(" ".join(fields)):  # a table may have thousands of columns of numbers
        return False
    held = _held(fields)
    spans, next_years = list(filter(is_span, held)), sum(map(is_season, held))
    no_months = sum(date_in(span) is None for span in spans)
    if len(held) < MIN_TEXTS:
        return next_years == len(held) and (no_months > 0 or len({*held}) > 2)
    mixed, numbers = list(filter(_MIXED.fullmatch, held)), [field for field in held if number_in(field) is not None]
    names, with_exponent = {*mixed} - {*numbers}, re.search(r"\d[eE]\d", " ".join(mixed)) is not None
    enough = 4 * len(names) > len({*mixed}) or any(math.isinf(float(field)) for field in {*mixed} & {*numbers})
    if enough and with_exponent and len(mixed) >= len(held) / 10 and all(map(str.isalnum, numbers)):
        return True
    return next_years > len(held) / 2 or (len(spans) > len(held) / 2 and no_months >= len(held) / 10)


def unit_in(fields: Sequence[str], others: Iterable[str] = ()) -> str:
    """The unit, as ``--unit`` has it, that nearly all of a column's fields have; nothing where they have none.

    A point or a comma is decimal if more are numbers then. Where as many are, $1,234 has thousands; of 1,234 kg nothing
    can be told. Without any unit all are numbers then, and `are_thousands`, beside `others`, the fields of all columns.
    """
    if not _MAY_HAVE_UNITS.search(" ".join(fields)):  # a table may have thousands of columns of numbers
        return ""
    held = _held(fields)
    units = {field: units_in(field) for field in {*held} if number_of(field) is None}
    counts = Counter(unit for field in held for unit in units.get(field, ()))
    (unit, count), (_, other) = (*counts.most_common(2), ("", 0), ("", 0))[:2]
    different = [field for field, own in units.items() if unit in own]
    if unit == "1.5":
        count = len(held) if len(different) == len(units) and are_thousands(held, others) else 0
    together = "".join(different) if count == other else ""
    unclear = "." in together or ("," in together and unit[0] not in "$£¥₹")
    enough = count >= max(MIN_TEXTS, _NEARLY_ALL * len(held)) and len(different) >= _MIN_NUMBERS
    return unit if enough and not unclear else ""


def separator_in(fields: Iterable[str]) -> str:
    """The mark between several names in a column's fields, as in "Drama, Comedy"; nothing where none is.

    Names come again, and many that stand behind others stand first in other fields: those of towns and their countries,
    or of parts of a date, do not. Nor is a mark one where it stands within a number, as in 12,5 %.
    """
    held = _held(fields)
    for mark in _AMONG:
        marked = [field for field in held if mark in field]
        if len(marked) < MIN_TEXTS:  # a table may have thousands of columns
            continue
        parts = [list(filter(None, map(str.strip, field.split(mark)))) for field in held]
        names = [part for own in parts if len(own) > 1 for part in own]
        first, behind = {part for own in parts for part in own[:1]}, [part for own in parts for part in own[1:]]
        move = sum(part in first for part in behind) > _MOVE * len(behind)
        again = len({*names}) <= _AMONG[mark] * len(names)
        if (
            move
            and again
            and not any(number_of(part) is not None for part in behind)
            and not any(map(units_in, marked))
        ):
            return mark
    return ""


def is_second_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of a table's rows is none: in two columns of numbers at least it has units, or names.

    In no column of numbers it has a number.
    """
    found = 0
    for first, *held in zip(*rows, strict=True) if len(rows) > MIN_TEXTS else ():
        numbers = [number_in(with_point(field)) for field in held] if first.lower() not in LIKELY_MISSING else [None]
        if None not in numbers and 2 * sum(map(math.isnan, numbers)) < len(numbers):  # type: ignore[arg-type]
            if number_in(with_point(first)) is not None:
                return False
            found += 1
    return found > 1


def decimal_commas(rows: Iterable[Sequence[str]]) -> tuple[list[int], str]:
    """(places of columns of numbers alone, a number) where commas in these are decimal; else none, and nothing.

    20, or half of the rows, have one, not all before three digits as between thousands; and no field of any column has
    a decimal point, or two marks as between thousands.
    """
    columns = list(map(_held, zip(*rows, strict=True)))
    of_numbers = [at for at, held in enumerate(columns) if None not in map(number_in, map(with_point, held))]
    commas = [field for at in of_numbers for field in columns[at] if "," in field]
    enough = len(commas) >= min(MIN_TEXTS, max(map(len, columns), default=0) / 2)
    if not enough or all(map(THOUSANDS.fullmatch, commas)) or any(map(POINT.fullmatch, itertools.chain(*columns))):
        return [], ""
    return of_numbers, shorten(commas[0])


def are_texts(fields: Iterable[str], alone: bool = False) -> bool:
    """Tell whether a column's fields are texts: enough, most differ, and unless `alone` of several words that recur.

    Where no blanks part the words, as in addresses of mail and of pages, numbers and words of all fields do not count.
    """
    held = _held(fields)
    different, most, met = dict.fromkeys(held), len(held) / 2, Suspicions()
    if len(held) < MIN_TEXTS or len(different) < _DIFFERENT * len(held):
        return False
    texts = [field for field in held if number_of(field) is None and date_in(field) is None]
    for field in texts:
        met.add(field)
    if len(texts) <= most or met.meant(most, ""):
        return False
    words = [set(words_of(field[:MAX_CHARACTERS])) for field in different]
    if not alone and sum(len(spaced(field).split(None, 1)) > 1 for field in texts) <= most:
        words = [{word for word in own if not word.isdecimal()} for own in words]
        if sum(len(own) > 1 for own in words) <= len(words) / 2:
            return False
        words = [own - set.intersection(*words) for own in words]
    fields_of = Counter(itertools.chain.from_iterable(words))
    again = [sum(fields_of[word] > 1 for word in own) for own in words]
    shared = sum(count / max(len(own), 1) for count, own in zip(again, words, strict=True))
    return alone or shared >= _SHARED * len(words) or sum(again) >= _AGAIN * len(words)
