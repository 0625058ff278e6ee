"""Predictions as text: one line an example, the value and then its tag, as Vowpal Wabbit writes them; or as a table.

A table is CSV with a header, or a JSON object a line (`AnswerLines`):

    id             the row's id or tag; where it has none, its number, malformed rows counted
    label          what is predicted, as labels are written in the data
    probability    of that label; of two classes that of the positive label; or `score`, where a loss gives none
    prediction     of values, in the place of both
    probabilities  of decisions, with ``--probabilities``: of each action, an object (in CSV as JSON writes it)
    set            with ``--coverage``: the labels of the row's set, a list (in CSV as JSON writes it)
    low, high      of values in its place: the ends of the row's interval, none as long as it has none

A row that was left out has nothing but its id.
"""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def format_lines(values: np.ndarray | list[str], tags: list[str] | None = None) -> str:
    """Lines of ``value`` or ``value tag``: whole numbers without a point, others with six digits behind it.

    Parameters
    ----------
    values : float64[n], finite; or list of n str, which stand as they are
    tags : list of n str, or None
    """
    texts = texts_of(values)
    if tags is not None:
        texts = [f"{text} {tag}" if tag else text for text, tag in zip(texts, tags, strict=True)]
    return "\n".join(texts) + "\n" if texts else ""


def texts_of(values: np.ndarray | list[str]) -> list[str]:
    """Texts as they are, numbers as `format_lines` writes them."""
    if isinstance(values, list):
        return values
    wholes = (np.trunc(values) + 0.0).tolist()  # + 0.0: no "-0"
    pairs = zip(values.tolist(), wholes, strict=True)
    return [f"{whole:.0f}" if value == whole else f"{value:.6f}" for value, whole in pairs]


def with_intervals(values: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[str]:
    """``value [low,high]`` for each row, without a blank in the brackets."""
    texts = zip(texts_of(values), low.tolist(), high.tolist(), strict=True)
    return [f"{text} [{a:.6g},{b:.6g}]" for text, a, b in texts]


def labels_of(sets: np.ndarray, labels: list[Any]) -> list[list[Any]]:
    """The labels that are in the sets, bool[n, K], of n rows; a class that has not been met has none."""
    return [list(itertools.compress(labels, row)) for row in sets.tolist()]


def with_sets(texts: list[str], sets: list[list[Any]]) -> list[str]:
    """``value {label,label}`` for each row: the labels of its set."""
    return [f"{text} {{{','.join(map(str, labels))}}}" for text, labels in zip(texts, sets, strict=True)]


class AnswerLines:
    """Makes lines of rows; counts them, and writes the header of CSV once.

    Parameters
    ----------
    form : str
        ``csv`` or ``jsonl``.
    columns : tuple of str
        What is predicted, by name, in the order of the columns of CSV.
    rows : int
        Rows that stand before them, under the header.
    """

    def __init__(self, form: str, columns: tuple[str, ...], rows: int = 0):
        self._form, self._columns = form, columns
        self._rows, self._begun = rows, rows > 0

    def text(self, rows: Sequence[dict[str, Any] | None], tags: list[str] | None = None) -> str:
        """Lines of further rows: what is predicted by name (None: it was left out), and ids or tags (empty: none)."""
        is_csv, lines = self._form == "csv", list[Any]()
        if is_csv and not self._begun:
            lines.append(("id", *self._columns))
            self._begun = True
        for tag, values in zip(tags or [""] * len(rows), rows, strict=True):
            self._rows += 1
            name: Any = tag or self._rows
            values = dict.fromkeys(self._columns) if values is None else values
            if is_csv:
                lines.append((name, *(_cell(values.get(column)) for column in self._columns)))
            else:
                lines.append(json.dumps({"id": name, **values}, ensure_ascii=False) + "\n")
        return csv_text(lines) if is_csv else "".join(lines)


def csv_text(rows: Iterable[Iterable[Any]], delimiter: str = ",") -> str:
    """Lines of CSV; numbers have all their digits."""
    import csv

    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else f"{value:.6f}" if isinstance(value, float) else str(value)
