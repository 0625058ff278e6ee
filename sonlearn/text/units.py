"""Numbers with a unit, one and the same in a column: $1,234.5, 1.234,5 €, 28.5 %, (£3), ₹1,23,456."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from sonlearn.options.text import UNIT, TextOptions
from sonlearn.text.suspicions import MONEY

#: A number with its unit, in any notation.
_ANY = re.compile(rf"[(+\u2212-]*{MONEY}?\s*[+\u2212-]?[\d.,'\u2019\s]*\d\s*([^\d=()]{{0,12}})\)?")


def unit_of(titles: Iterable[str], options: TextOptions) -> str:
    """The unit of a column, as 1,5 kg, which says what is decimal; nothing where no option says."""
    named = (name.rpartition("=") for name in options.unit)
    return next((unit for column, _, unit in named if column in titles), "")


def units_in(field: str) -> list[str]:
    """The units with which a field is a number: with a decimal point, with a comma, or both."""
    found = _ANY.fullmatch(field)
    before, behind = (found[1] or "", found[2]) if found else ("", "")
    units = (f"{before}1{mark}5{behind}" for mark in ".,") if before + behind else ()
    return [unit for unit in units if number_with(unit, field) is not None]


def number_with(unit: str, field: str) -> float | None:
    """The number that a field with a unit stands for; None: it has not this unit, or there is none."""
    found = _notation(unit).fullmatch(field) if unit else None
    if found is None:
        return None
    minus = "-" if {"(", "-", "\u2212"} & {*found.group(1, 2, 3)} else ""
    return float(f"{minus}{re.sub('[^0-9]', '', found['whole'])}.{found['part'] or 0}")


@functools.lru_cache(1024)
def _notation(unit: str) -> re.Pattern[str]:
    """Numbers with a unit; their thousands are apart by one and the same of what is not decimal, or not at all."""
    before, mark, behind = map(re.escape, re.fullmatch(UNIT, unit).groups())  # type: ignore[union-attr]
    return re.compile(
        rf"(\()?([+\u2212-])?{before}\s?([+\u2212-])?(?=[.,]?[0-9])"
        rf"(?P<whole>[1-9][0-9]{{0,2}}(?P<mark>(?!{mark})[.,'\u2019\s])([0-9]{{2,3}}(?P=mark))*[0-9]{{3}}|[0-9]*)"
        rf"({mark}(?P<part>[0-9]+))?\s?{behind}(?(1)\))"
    )
