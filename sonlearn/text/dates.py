"""Dates and times in texts: the notations that are read, and those that only look like dates."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_MONTH = {text: i for i, name in enumerate(_MONTHS, 1) for text in (name, name[:3], f"{i}", f"{i:02}")} | {"sept": 9}
_MONTH |= {f"q{quarter}": 3 * quarter - 2 for quarter in (1, 2, 3, 4)}
_HALF = r"(?: ?(?P<half>[ap])\.?m\.?)?"  # of a day
_ZONE = r"(?: ?(?:Z|UTC|[A-Z]{2,3}T|(?:UTC|GMT)?[+-]\d\d?(?::?\d\d)?)(?: \([\w ]+\)|\[[\w/]+\])?)?"
_TIME = (
    r"(?:(?:T|,? {1,2}|:)(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,9}))?)?"
    rf"{_HALF}{_ZONE})?"
)
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?"


def _notation(day: str) -> re.Pattern[str]:
    """Dates of a notation, with their weekday before them and a time behind, or not."""
    return re.compile(_WEEKDAY + day + _TIME, re.ASCII | re.IGNORECASE)


_NOTATIONS = (
    _notation(r"(?P<year>\d{4})([-/])(?P<month>\d\d?)\2(?P<day>\d\d?)"),
    _notation(r"(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>\d{4})"),
    _notation(r"(?P<day>\d\d?)([ /-])(?P<month>[a-z]{3,9})\.?,?\2(?P<year>\d{4}|\d\d)"),
    _notation(r"(?P<month>[a-z]{3,9})\.? (?P<day>\d\d?),? (?P<year>\d{4})"),
    # as C's ctime has them, and Twitter, with a zone
    re.compile(
        rf"{_WEEKDAY}(?P<month>[a-z]{{3,9}}) {{1,2}}(?P<day>\d\d?) (?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
        rf"(?P<fraction>)(?P<half>){_ZONE} (?P<year>\d{{4}})",
        re.ASCII | re.IGNORECASE,
    ),
    # without marks in the date, as 20240331T130509 or 20240331 13:05; without the time it is a number
    re.compile(
        r"(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)(?:T| (?=\d\d:))(?P<hour>\d\d):?(?P<minute>\d\d)"
        rf"(?::?(?P<second>\d\d)(?:\.(?P<fraction>\d{{1,9}}))?)?(?P<half>){_ZONE}",
        re.ASCII,
    ),
    # months and quarters
    _notation(r"(?P<year>(?:19|20)\d\d)(?:-|-?M)(?P<month>\d\d)(?P<day>)"),
    _notation(r"(?P<year>(?:19|20)\d\d)[ -]?(?P<month>Q[1-4])(?P<day>)"),
    _notation(r"(?P<month>[a-z]{3,9}|Q[1-4])\.?,?[ /-](?P<year>(?:19|20)\d\d)(?P<day>)"),
)
#: What a column of 3/4/2024, 3-4-24 or 3042024 is read by, or of 20240403, where it is known which comes first.
_ORDERED = {
    first: _notation(rf"(?P<{first}>\d\d?)([-/.]|(?=\d\d(?:19|20)\d\d))(?P<{second}>\d\d?)\2(?P<year>\d{{4}}|\d\d)")
    for first, second in (("day", "month"), ("month", "day"))
} | {"year": _notation(r"(?P<year>(?:19|20)\d\d)(?P<month>\d\d)(?P<day>\d\d)")}
#: Seconds, with a fraction or in milliseconds, of the years 2001 to 2033.
_UNIX, _EPOCH = re.compile(r"(1\d{9})((?:\d{3})?(?:\.\d*)?)", re.ASCII), datetime.datetime(1970, 1, 1)
#: In seconds: the first that a column tells, of 2004; ten years.
_SINCE, _YEARS = 1_072_915_200, 10 * 366 * 86400
_CLOCK = re.compile(rf"(\d{{1,3}}):([0-5]\d)(?::([0-5]\d(?:\.\d{{1,9}})?))?{_HALF}", re.ASCII | re.IGNORECASE)
#: ISO 8601's PT3H, P1DT2H30M; 2h 30m, 9 hrs 3 min, 90 minutes; pandas' 1 days 02:30:00, Python's 1 day, 2:30:00.
_SECONDS = r"(\d{1,6}(?:\.\d{1,9})?)"
_TAKEN = (
    re.compile(rf"(?ai)P(?:(\d{{1,4}})D)?T(?=\d)(?:(\d{{1,6}})H)?(?:(\d{{1,6}})M)?(?:{_SECONDS}S)?"),
    re.compile(
        rf"(?ai)(?=\d.*(?:h.*m|hr|hour|min))(?:(\d{{1,4}}) ?d(?:ays?)?,? )?(?:{_SECONDS} ?h(?:(?:ou)?rs?)?,? ?)?"
        rf"(?:{_SECONDS} ?m(?:in(?:ute)?s?)?,? ?)?(?:{_SECONDS} ?s(?:ec(?:ond)?s?)?)?"
    ),
    re.compile(rf"(?a)(-?\d{{1,6}}) days?,? \+?(\d\d?):(\d\d):{_SECONDS}"),
)
_NOON, DAY = 12, 24  # hours
_UNITS = DAY, 1.0, 1 / 60, 1 / 3600
_NAME = f"({'|'.join(name[:3] for name in _MONTHS)})[a-z]*"
#: What looks like a date, in notations that are read and in others.
_LIKE = re.compile(
    rf"(0?[1-9]|1[0-2])[/-](19|20)\d\d|({'|'.join(filter(str.isalpha, _MONTH))})-\d\d|(19|20)\d\d-W\d\d|"
    rf"FY ?\d{{2,4}}([/-]\d{{2,4}})?|{_NAME}[/-]\d{{4}}|(\d{{1,2}}([./-]\d{{1,2}}[./-]|[ -]{_NAME}[ -])\d{{2,4}}|"
    r"\d{4}[./-]\d{1,2}[./-]\d{1,2})( .*)?",
    re.ASCII | re.IGNORECASE,
)
_SPAN = re.compile(r"(?:19|20)(\d\d)-(\d\d)", re.ASCII)


def date_in(field: str, first: str = "") -> tuple[datetime.date, int | None] | None:
    """The date that a field stands for, and the hour (None: midnight sharp, or none is written); None: it is none.

    A month or a quarter is its first day. `first`: what comes first in 3/4/2024, 3-4-24 and 3042024, ``day`` or
    ``month``, or ``year`` in 20240304, or ``unix`` of seconds or milliseconds since 1970; empty: these are none.
    """
    field = field.strip()
    if first == "unix" and (stamp := _UNIX.fullmatch(field)):
        time = _EPOCH + datetime.timedelta(seconds=int(stamp[1]))
        return time.date(), time.hour if time.time() != datetime.time() or stamp[2].strip(".0") else None
    if not 5 < len(field) < 80:
        return None
    patterns = (*_NOTATIONS, _ORDERED[first]) if first in _ORDERED else _NOTATIONS
    match = next((found for pattern in patterns if (found := pattern.fullmatch(field))), None)
    if match is None:
        return None
    year, month = int(match["year"]), _MONTH.get(match["month"].lower(), 0)
    minute, second, fraction = (int(match[part] or 0) for part in ("minute", "second", "fraction"))
    hour = _hour(int(match["hour"] or 0), match["half"])
    if len(match["year"]) == 2:
        year += 1900 if year > 68 else 2000
    if not (hour < DAY and minute < 60 and second < 61):
        return None
    try:
        date = datetime.date(year, month, int(match["day"] or 1))
    except ValueError:
        return None
    return date, hour if hour or minute or second or fraction else None


def has_order(field: str) -> bool:
    """Return whether a field is a date as 3/4/2024, if it is known what comes first."""
    return any(date_in(field, first) for first in ("day", "month")) and date_in(field) is None


def are_unix_times(fields: Sequence[str]) -> bool:
    """Tell whether numbers are seconds or milliseconds since 1970, since 2004 and within ten years.

    Codes of ten digits are of a longer time, and ids as different of no time that is longer than their number.
    """
    if not all(map(_UNIX.fullmatch, fields)):
        return False
    seconds = {int(field[:10]) for field in fields}
    span = max(seconds) - min(seconds)
    ids = len(seconds) == len(fields) and span < 2 * len(fields)
    return min(seconds) >= _SINCE and 0 < span < _YEARS and not ids


def is_like_date(field: str) -> bool:
    """Return whether a field that is not read as a date looks like one."""
    return _LIKE.fullmatch(field.strip()) is not None


def is_span(field: str) -> bool:
    """Return whether a field is of two years, as 1990-95, which may also be a month."""
    return _SPAN.fullmatch(field) is not None


def is_season(field: str) -> bool:
    """Return whether a field is of a year and the next, as 2010-11, which may also be a month."""
    found = _SPAN.fullmatch(field)
    return found is not None and (int(found[1]) + 1) % 100 == int(found[2])


def hours_in(field: str) -> float | None:
    """The hours of a time of day, or a duration, that a field stands for; None: it is none."""
    if taken := next(filter(None, (pattern.fullmatch(field) for pattern in _TAKEN)), None):
        return sum(float(number or 0) * unit for number, unit in zip(taken.groups(), _UNITS, strict=True))
    match = _CLOCK.fullmatch(field) if 3 < len(field) < 26 else None
    hour = match and _hour(int(match[1]), match["half"])
    if match is None or (match["half"] and hour == DAY):
        return None
    return hour + int(match[2]) / 60 + float(match[3] or 0) / 3600


def _hour(hour: int, half: str | None) -> int:
    """The hour of a day, of one of its halves if that is named, ``p`` or ``a``; 24 where a half has no such hour."""
    if not half:
        return hour
    return hour % _NOON + _NOON * (half in "pP") if 0 < hour <= _NOON else DAY
