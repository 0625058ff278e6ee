"""What the parts of a page are made of: titles, tables, and bars in tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sonlearn.report.html.charts import format_number, with_minus_sign
from sonlearn.report.html.markup import Element, element

#: Where there is nothing to say.
DASH = "\u2013"


def section(title: str, *parts: Element | str | None, lead: str = "", name: str, wide: bool = False) -> Element:
    """A part of the page under its title."""
    about = element("p", lead, class_="lead") if lead else None
    return element("section", element("h2", title), about, *parts, id=name, class_="wide" if wide else None)


def table(names: Iterable[str], rows: list[list[str]]) -> Element:
    """A table of texts under their names."""
    return grid_of(names, [element("tr", *(element("td", cell) for cell in row)) for row in rows])


def grid_of(names: Iterable[str], rows: list[Element], kind: str | None = None) -> Element:
    """A table of rows under the names of the columns."""
    head = element("tr", *(element("th", name, scope="col") for name in names))
    grid = element("table", element("thead", head), element("tbody", *rows), class_=kind)
    return element("div", grid, class_="scroll")


def bars(names: Iterable[str], rows: list[tuple[Any, ...]]) -> Element:
    """A table with a bar in each row: (name, value of the bar or None: pruned, further texts). All are on one scale."""
    values = [0.0, *(value for _, value, *_ in rows if value is not None)]
    low, high = min(values), max(values)
    return grid_of(names, [_bar_row(low, high if high > low else low + 1, *row) for row in rows], "bars")


def _bar_row(low: float, high: float, name: str, value: float | None, *more: str) -> Element:
    cells = [element("th", name, scope="row", title=name)]
    if value is None:
        cells += [element("td", "pruned", class_="pruned"), element("td")]
    else:
        start, width = (min(value, 0.0) - low) / (high - low), abs(value) / (high - low)
        bar = element("i", class_="minus" if value < 0 else "plus", style=f"--start:{start:.4f};--share:{width:.4f}")
        number = f"{value:.4f}" if 1e-3 <= max(high, -low) < 1e5 else f"{value:.3g}"
        cells += [element("td", bar, class_="bar"), element("td", with_minus_sign(number))]
    return element("tr", *cells, *(element("td", text) for text in more), class_="gone" if value is None else None)


def number_or_dash(value: float | None) -> str:
    """A number for people, or a dash."""
    return DASH if value is None else format_number(value)


def positive_label(measures: dict[str, Any] | None) -> str:
    """Return how the positive label of two classes is written in the data."""
    return (measures or {}).get("positive_label") or "+1"
