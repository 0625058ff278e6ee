"""Predictions as rows of a table, for other programs: CSV with a header, or a JSON object a line.

    id             the row's id or tag; where it has none, its number, malformed rows counted
    label          what is predicted, as labels are written in the data
    probability    of that label; of two classes that of the positive label; or `score`, where a loss gives none
    prediction     of values, in the place of both
    set            with ``--coverage``: the labels of the row's set, a list (in CSV as JSON writes it)
    low, high      of values in its place: the ends of the row's interval, none as long as it has none

A row that was left out has nothing but its id.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from typing import Any, NamedTuple


class AnswerRow(NamedTuple):
    """A row: its id or tag (empty: none), and what is predicted by name (None: it was left out)."""

    id: str
    values: dict[str, Any] | None


class AnswerLines:
    """Makes lines of rows; counts them, and writes the header of CSV once.

    Parameters
    ----------
    form : str
        ``csv`` or ``jsonl``.
    columns : tuple of str
        What is predicted, by name, in the order of the columns of CSV.
    """

    def __init__(self, form: str, columns: tuple[str, ...]):
        self._form, self._columns = form, columns
        self._rows, self._begun = 0, False

    def lines(self, rows: Iterable[AnswerRow]) -> list[str]:
        """Lines of further rows."""
        import csv

        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        if self._form == "csv" and not self._begun:
            writer.writerow(("id", *self._columns))
            self._begun = True
        for row in rows:
            self._rows += 1
            name: Any = row.id or self._rows
            if self._form == "csv":
                values = row.values or {}
                writer.writerow((name, *(_cell(values.get(column)) for column in self._columns)))
            else:
                values = dict.fromkeys(self._columns) if row.values is None else row.values
                out.write(json.dumps({"id": name, **values}, ensure_ascii=False) + "\n")
        return out.getvalue().split("\n")[:-1]


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else f"{value:.6f}" if isinstance(value, float) else str(value)
