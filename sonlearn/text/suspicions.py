"""Texts that are meant as something else: sentences, dates and numbers in notations that are not read, other encodings.

They are features all the same, `sonlearn.text.encode` says which; nobody would learn of it, so a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from sonlearn.errors import WHOLE, shorten
from sonlearn.text.dates import DAY, has_order, is_like_date
from sonlearn.text.units import MONEY, units_in

#: Texts of a column before it is worth a note.
MIN_TEXTS = 20
#: Rows before it is worth a note that nearly each has a text of its own.
_MIN_ROWS = 1000
#: The largest byte of ASCII.
_ASCII = 127
#: What has several words.
_PARTED = re.compile(r"\w\W+\w")
#: Between the dates of a span.
_BETWEEN = re.compile(r" (?:-|\u2013|to) ")
#: What may be 24-03-31.
_SHORT = re.compile(r"(1[3-9]|[2-9]\d)([./-])\d\d\2\d\d\b", re.ASCII)
#: Years of two digits from this one to 2068 are likelier to be past.
_FAR = 2040
#: 20240331; seconds and milliseconds since 1970, of the years 2001 to 2033.
_STAMP = re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])|1\d{9}(\d{3})?", re.ASCII)
#: Letters alone stand behind a blank: 1980s and 12A are no numbers.
_UNIT = (
    r"(\s?([ckm]m|mi|[km]g|lbs?|oz|ml|hrs?|min|[kMGT]B|[kM]?Hz|kWh?|km/h|mph|°[CF]|(year|month|week|day|hour)s?)|"
    r"\s[mglhsWV])"
)
#: Durations as P1D among them; those with a time, as P1DT2H, are read.
_NUMBER = re.compile(
    rf"P(\d+[YMWD])+|[~(+\u2212-]?{MONEY}?\s*[+\u2212-]?"
    rf"(\d+([.,]\d+)?|\d{{1,3}}([.,'\u2019\s]\d{{3}})+([.,]\d+)?)(\s*({MONEY}|[%kKM])|{_UNIT})?\)?",
)
#: Coordinates: (41.88, -87.63), POINT (-87.63 41.88).
_PLACE = re.compile(r"(POINT\s*)?\(?[+-]?\d+\.\d+[,;\s]\s*[+-]?\d+\.\d+\)?", re.ASCII)
_COMMA = re.compile(r"[+-]?([1-9]\d{0,2}(\.\d{3})+|\d+)?(,\d+)?([eE][+-]?\d+)?", re.ASCII)
#: What may have a decimal comma, or one between thousands.
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)


def is_stamp(field: str) -> bool:
    """Return whether a number may be a date or a time."""
    return _STAMP.fullmatch(field.strip()) is not None


def is_other_number(field: str) -> bool:
    """Tell whether a text that is read as no number looks like one, or two: with thousands, commas, money, units."""
    return (_NUMBER.fullmatch(field.strip()) or _PLACE.fullmatch(field.strip())) is not None


def with_point(field: str) -> str:
    """A number that is written with a decimal comma, as 1.234,5, with a point, as 1234.5; another text as it is."""
    bare = field.strip()
    if bare[-1:].isdigit() and _COMMA.fullmatch(bare):
        return bare.replace(".", "").replace(",", ".")
    return field


def bytes_notes(text: bytes, source: str) -> list[str]:
    """Return what to do about text that is not UTF-8, which is what `source` says; nothing where it is."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        letter = text[error.start : error.start + 1].decode("cp1252", "replace")  # Latin-1, but for 0x80 to 0x9f
        how = "iconv -f CP1252 -t UTF-8 FILE converts it"
        return [f"{source} text that is not UTF-8; if it is Windows-1252 or Latin-1 (with {letter!r}), {how}"]
    return []


def with_encoding_notes(chunks: Iterable[np.ndarray], source: str, notes: list[str]) -> Iterator[np.ndarray]:
    """Yield chunks of text as they are; the first one beyond ASCII says whether it is UTF-8, which goes to `notes`."""
    seen = False
    for chunk in chunks:
        if not seen and len(chunk) and chunk.max() > _ASCII:
            seen = True
            notes += bytes_notes(chunk.tobytes(), f"{source}:")
        yield chunk


class Suspicions:
    """What the texts of one column look like.

    Attributes
    ----------
    texts, sentences, parted, dates, numbers : int
        How many there are, and how many of them look like one, or have parts.
    date, number : str
        The first text that looks like one; empty: none does.
    future : dict
        Dates that are read and have a year of two digits that is more likely past.
    times : dict of bool to str
        The first time that has seconds, within a day, and the first that has none and is of no day, as 59:30.
    units : list of str
        Those that all numbers have, as ``--unit`` takes them.
    """

    __slots__ = (
        "date", "dates", "first", "future", "number", "numbers", "parted", "sentences", "texts", "times", "units",
    )  # fmt: skip

    def __init__(self, first: str = "") -> None:
        self.first = first  # what is known to come first in dates
        self.texts = self.sentences = self.parted = self.dates = self.numbers = 0
        self.date = self.number = ""
        self.future: dict[str, None] = {}
        self.times: dict[bool, str] = {}
        self.units: list[str] = []

    def has_names(self, numbers: bool) -> bool:
        """Return whether Infinity is a name, too: behind `MIN_TEXTS` texts, or one where there are no `numbers`."""
        return self.texts >= (MIN_TEXTS if numbers else 1)

    def add_date(self, field: str, year: int) -> bool:
        """A date that is read as one of the year; whether that has two digits and is more likely past."""
        far = year >= _FAR and str(year) not in field
        if far and len(self.future) < MIN_TEXTS:
            self.future[field] = None
        return far

    def add_time(self, field: str, hours: float) -> None:
        """A time, or number, that is read as so many hours."""
        with_seconds = field.count(":") > 1
        if ":" in field and with_seconds == (hours < DAY):
            self.times.setdefault(with_seconds, field)

    def add(self, field: str) -> None:
        """A text; of categories each once."""
        self.texts += 1
        self.sentences += len(field.split(None, 2)) > 2  # three words at least
        self.parted += _PARTED.search(field) is not None
        if is_like_date(field):
            self.dates, self.date = self.dates + 1, self.date or field
        elif is_other_number(field):
            self.units = [u for u in units_in(field) if not self.number or u in self.units]
            self.numbers, self.number = self.numbers + 1, self.number or field

    def meant(self, most: float, column: str, commas: bool = True) -> str:
        """Return what to do about dates, or numbers, that are more than `most` of the texts; nothing where neither are.

        `commas`: whether an option takes decimal commas.
        """
        if self.dates > most:
            short = ", unless they begin with the year (2024-03-31 is read)" if _SHORT.match(self.date) else ""
            either = f"; --day-first {column}, or --month-first, reads them{short}"
            known = f", though the column has the {self.first} first" if self.first else ""
            remedy = either if has_order(self.date) and not known else f"{known}; write 2024-03-31"
            *_, end = _BETWEEN.split(self.date, 1)
            if end != self.date and is_like_date(end):
                remedy = "; give beginning and end a column each, as 2024-03-31"
            return f"dates that are not read as such ({shorten(self.date)}){remedy}"
        if len(self.future) == MIN_TEXTS:
            few = shorten(next(iter(self.future)))
            return f"years of two digits that are read as {_FAR} to 2068 ({few}); write four digits if they are past"
        if len(self.times) > 1:
            short, long = shorten(self.times[False]), shorten(self.times[True])
            return f"times without seconds ({short}) beside {long}: they are hours and minutes; write 0:59:30 if not"
        if self.numbers <= most:
            return ""
        comma = commas and with_point(self.number) != self.number
        remedy = "give --decimal ','" if comma else "write 1234.5, without signs, units and thousands"
        if self.units and column and not (len(self.units) > 1 and re.search(r"\d\D+\d", self.number)):  # not 1,234 kg
            remedy = f"--unit {column[:-1]}={self.units[0]}{column[-1]} reads them"
        if comma and THOUSANDS.fullmatch(self.number):
            remedy = "write 1234.5, without signs, units and thousands, or if commas are decimal --decimal ','"
        if _PLACE.fullmatch(self.number):
            remedy = "give each a column"
        return f"numbers that are read as texts ({shorten(self.number)}); {remedy}"

    def note(self, column: str, rows: int, commas: bool = True) -> str:
        """Return what is to be said of the column after so many rows, or nothing."""
        if self.texts < 3 and not self.future and not self.times:  # as of most columns, which are of numbers
            return ""
        name = shorten(column, WHOLE)
        most = 2 if self.dates == self.texts else max(MIN_TEXTS - 1, self.texts / 2)
        meant = self.meant(most, name, commas)
        if meant:
            return f"the column {name} has {meant} (--categorical {name} if they are names)"
        # most rows have a text of several words that no other has, or nearly all one that no other has
        if self.texts >= max(_MIN_ROWS, 0.95 * rows) and self.sentences <= self.texts / 2:
            names = f"if it names them: --id, or --ignore {name}"
            parts = f"; if its parts tell more: --text {name}" if self.parted > self.texts / 2 else ""
            return f"the column {name} has another text in nearly each row; {names}{parts}"
        if self.texts >= max(MIN_TEXTS, rows / 2) and self.sentences > self.texts / 2:
            return f"the column {name} looks like a text: --text {name} takes its words"
        return ""
