"""How columns are read that no option speaks of: the first rows tell, before anything is learned.

A column of texts is one of ``--text`` from then on, in the options that the model keeps: its fields are words. One of
dates as 3/4/2024 is one of ``--day-first`` or ``--month-first``, if it can be seen which.
"""

from __future__ import annotations

import dataclasses
import datetime
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sonlearn.options import TextOptions
from sonlearn.text.columns import MISSING, date_order, is_feature, number_in, reading_of
from sonlearn.text.encode import LONGEST, date_in, words_of
from sonlearn.text.objects import MANY
from sonlearn.text.suspicions import ENOUGH, Suspicions

#: Texts by the share of a column's fields that are different, and by the words of a field that others have, on average:
#: as a share of its words, or so many.
_DIFFERENT, _SHARED, _AGAIN = 0.7, 0.6, 3


def told(options: TextOptions, rows: Iterable[Mapping[str, str]]) -> TextOptions:
    """`options` with how columns are read by the first rows, fields by column, where no option says."""
    fields: dict[str, list[str]] = {}
    for row in itertools.islice(rows, MANY):
        for name, field in row.items():
            fields.setdefault(name, []).append(field)
    new: dict[str, tuple[str, ...]] = {}
    for name, held in fields.items():
        reading = reading_of(name, options)
        if reading not in ("", "date") or not is_feature(name, options) or are_plain(held):
            continue
        first = "" if date_order((name,), options) else first_in(held)
        how = f"{first}_first" if first else "" if reading or not are_texts(held) else "text"
        if how:
            new[how] = (*new.get(how, getattr(options, how)), name)
    return dataclasses.replace(options, **new) if new else options


def _held(fields: Iterable[str]) -> list[str]:
    """The fields that are not missing, without blanks around them."""
    return [field for field in map(str.strip, fields) if field.lower() not in MISSING]


def are_plain(fields: Iterable[str]) -> bool:
    """Whether a column's fields cannot be texts or dates, for a table may have thousands of columns of numbers.

    Most would have two words then, or twice the mark between the parts of a date; a number has it once.
    """
    held = _held(fields)
    together = " ".join(held)
    return len(together.split()) <= 1.5 * len(held) and all(together.count(mark) <= len(held) for mark in "/-.")


def first_in(fields: Iterable[str]) -> str:
    """What comes first in a column's dates as 3/4/2024, ``day`` or ``month``: that with which more of them are dates.

    Not where as many are dates within fewer days with the year first, as 24-03-31.
    Where all are dates both ways and have hours, it is that with which they are within fewer days. Of days alone, which
    may be the first ones of months, nothing can be told then, nor where there are few.
    """
    held = [field for field in _held(fields) if date_in(field) is None]
    read = {
        first: [found for field in held if (found := date_in(field, first)) is not None] for first in ("day", "month")
    }
    best, other = sorted(read, key=lambda first: len(read[first]), reverse=True)
    if len(read[best]) < max(ENOUGH, len(held) / 2):
        return ""
    days = {first: _days(dates) for first, dates in read.items()}
    years = [found for field in held if (found := date_in("20" + field.replace(".", "-", 2))) is not None]
    if len(years) >= len(read[best]) and _days(years) < days[best]:
        return ""
    if len(read[best]) > len(read[other]):
        return best
    with_hours = any(hour is not None for _, hour in read[best])
    return min(days, key=days.__getitem__) if with_hours and days[best] != days[other] else ""


def _days(dates: Sequence[tuple[datetime.date, int | None]]) -> datetime.timedelta:
    days = [day for day, _ in dates]
    return max(days, default=datetime.date.min) - min(days, default=datetime.date.min)


def are_texts(fields: Iterable[str]) -> bool:
    """Whether a column's fields are texts: enough, most have several words, most differ, and their words come again."""
    held = _held(fields)
    different, most, met = dict.fromkeys(held), len(held) / 2, Suspicions()
    if len(held) < ENOUGH or len(different) < _DIFFERENT * len(held):
        return False
    texts = [field for field in held if number_in(field) is None and date_in(field) is None]
    for field in texts:
        met.add(field)
    if sum(len(field.split(None, 1)) > 1 for field in texts) <= most or met.meant(most, ""):
        return False
    words = [set(words_of(field[:LONGEST])) for field in different]
    fields_of = Counter(itertools.chain.from_iterable(words))
    again = [sum(fields_of[word] > 1 for word in own) for own in words]
    shared = sum(count / max(len(own), 1) for count, own in zip(again, words, strict=True))
    return shared >= _SHARED * len(words) or sum(again) >= _AGAIN * len(words)
