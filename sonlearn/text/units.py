"""Numbers with a unit, one and the same in a column: $1,234.5, 1.234,5 €, 28.5 %, (£3), ₹1,23,456; or 1,234.5."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sonlearn.options.text import UNIT

MONEY = r"([$€£¥₹]|EUR|USD|GBP|CHF)"
#: A number with its unit, in any notation; not with one letter beside it, as 1925b or 12A, which are codes.
_ANY = re.compile(rf"[(+\u2212-]*{MONEY}?\s*[+\u2212-]?[\d.,'\u2019\s]*\d(?![^\W\d]\)?$)\s*([^\d=()]{{0,12}})\)?")
#: A decimal point, not one between thousands; or commas and a further mark between thousands.
POINT = re.compile(
    r"[+-]?(?=\.?\d)(?![1-9]\d{0,2}(\.\d{3})+$)\d*\.\d*([eE][+-]?\d+)?|.*\d,\d{3}[.,]\d.*", re.ASCII | re.DOTALL
)


def given_for(titles: Iterable[str], given: Iterable[str]) -> str:
    """The unit of a column, 1.5 or 1,5 kg, or the mark between its names, of what ``--unit`` or ``--several`` say."""
    return next((value for each in given for title, _, value in [each.rpartition("=")] if title in titles), "")


def units_in(field: str) -> list[str]:
    """The units with which a field is a number: with a decimal point, with a comma, or both."""
    found = _ANY.fullmatch(field)
    units = [f"{found[1] or ''}1{mark}5{found[2]}" for mark in ".,"] if found else []
    return [unit for unit in units if number_with(unit, field) is not None]


def are_thousands(fields: Iterable[str], others: Iterable[str]) -> bool:
    """Return whether commas in a column's numbers, as in 1,571, are between thousands and not decimal.

    One has two, or there is a point, or numbers without, 0 apart, are below a thousand, or one of `others`, of all
    columns, has a decimal point; and one begins with fewer than three digits, as lists of codes do not.
    """
    parts = [re.split("[,'\u2019\\s]", field.strip("()+-\u2212")) for field in fields]
    alone = [whole for whole, *behind in parts if not behind and whole != "0"]
    whole = any(len(own) > 2 or "." in own[-1] for own in parts) or 0 < max(map(len, alone), default=0) < 4
    few = any(behind and len(first) < 3 for first, *behind in parts)
    return few and (whole or any(map(POINT.fullmatch, map(str.strip, others))))


def number_with(unit: str, field: str) -> float | None:
    """The number that a field with a unit stands for; None: it has not this unit, or there is none.

    Thousands are apart by one and the same of what is not decimal, or not at all.
    """
    if not (parts := re.fullmatch(UNIT, unit)):
        return None
    before, mark, behind = map(re.escape, parts.groups())
    found = re.fullmatch(
        rf"(\()?([+\u2212-])?{before}\s?([+\u2212-])?(?=[.,]?[0-9])"
        rf"(?P<whole>[1-9][0-9]{{0,2}}(?P<apart>(?!{mark})[.,'\u2019\s])([0-9]{{2,3}}(?P=apart))*[0-9]{{3}}|0|[1-9][0-9]*|)"
        rf"({mark}(?P<part>[0-9]+))?\s?{behind}(?(1)\))",
        field,
    )
    if found is None:
        return None
    minus = "-" * (not {"(", "-", "\u2212"}.isdisjoint(found.group(1, 2, 3)))
    return float(f"{minus}{re.sub('[^0-9]', '', found['whole'])}.{found['part'] or 0}")
