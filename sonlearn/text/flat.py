"""JSON objects for models that know no namespaces: the rows of a table, or indices as in LIBSVM text.

For a model of CSV or Parquet, an object is a row: a member is a field of the column of its name, and what that becomes
stands in `sonlearn.text.columns`; the label's column is the label. For a model of LIBSVM text, names are indices, as in
``{"7": 0.5, "12": 1}``. In both, ``_label`` is the label, and objects and arrays are refused.
"""

from __future__ import annotations

import math
import re

import numpy as np

from sonlearn.data.batch import CONSTANT
from sonlearn.errors import shorten
from sonlearn.options import TextOptions
from sonlearn.options.text import TABLES
from sonlearn.text.columns import FINITE, NO_LABEL, name_slot, number_in
from sonlearn.text.hashing import VW_CONSTANT
from sonlearn.text.objects import Record, Unfit, members_of, said
from sonlearn.text.records import Parsed
from sonlearn.text.rows import Rows

_INDEX = re.compile(r"[0-9]{1,19}", re.ASCII)
_REMEMBERED = 1 << 20


class FlatRows:
    """Rows under way; to `sonlearn.text.chunk` what RecordRows is.

    Parameters
    ----------
    options : TextOptions
        Of a model of LIBSVM text or of a table.
    class_names : bool
        Whether a label that is no number is the name of a class.
    """

    def __init__(self, options: TextOptions, class_names: bool):
        self._options, self._class_names = options, class_names
        self._table = options.format in TABLES
        self._labels = ("_label", options.label) if options.label else ("_label",)
        self._constant = VW_CONSTANT & ((1 << options.bits) - 1) if self._table else CONSTANT
        self._slots: dict[str, int] = {}
        self._begin()

    def _begin(self) -> None:
        self._rows: list[list[tuple[int, float]]] = []
        self._y: list[float] = []
        self._lines: list[int] = []
        self._classes: list[str | None] = []

    def add(self, record: Record, line: int) -> None:
        """Take a record. Raises Unfit."""
        row, y, name_of_class = [], math.nan, None
        try:
            for name, value in members_of(record):
                if name in self._labels:
                    y, name_of_class = self._label(name, value)
                elif value is not None and (entry := self._entry(name, value)) is not None:
                    row.append(entry)
        except RecursionError:
            raise Unfit("objects or arrays nested too deeply", "one object") from None
        if self._options.constant:
            row.append((self._constant, 1.0))
        self._rows.append(row)
        self._y.append(y)
        self._lines.append(line)
        self._classes.append(name_of_class)

    def take(self) -> Parsed:
        """All rows since the last call."""
        n = len(self._rows)
        none, indptr = np.zeros(n, dtype=np.int64), np.cumsum([0, *map(len, self._rows)]).astype(np.int64)
        indices = np.array([slot for row in self._rows for slot, _ in row], dtype=np.int64)
        values = np.array([value for row in self._rows for _, value in row], dtype=np.float64)
        rows = Rows(
            indptr, indices, values, np.array(self._y, dtype=np.float64), np.ones(n), np.zeros(n),
            np.array(self._lines, dtype=np.int64), none, none, none, none, np.zeros(n + 1, dtype=np.int64),
            np.zeros(0, dtype=np.uint8), np.zeros(0, dtype=np.int64),
        )  # fmt: skip
        classes = self._classes if any(name is not None for name in self._classes) else None
        self._begin()
        return Parsed(rows, None, classes, [])

    def _entry(self, name: str, value: object) -> tuple[int, float] | None:
        """(id, value) of a member; None where it is left out."""
        if isinstance(value, list):
            raise Unfit(said(value), f"{FINITE}, true, false, null or a text: this model has no namespaces", (name,))
        number = number_in(value) if isinstance(value, str) else float(value)  # type: ignore[arg-type]
        if number is not None and math.isinf(number):
            raise Unfit(said(value), FINITE, (name,))
        if not self._table:
            if number is None or not _INDEX.fullmatch(name) or int(name) >= 2**63:
                found = f"{shorten(name)}: {said(value)}"
                raise Unfit(found, "an index as name and a number: the model is of LIBSVM text", (name,))
            return (int(name), number) if number == number and number else None
        if number is None:
            return self._slot(f"{name}={value}"), 1.0
        return (self._slot(name), number) if number == number and number else None

    def _slot(self, name: str) -> int:
        slot = self._slots.get(name)
        if slot is None:
            if len(self._slots) >= _REMEMBERED:
                self._slots.clear()
            try:
                slot = self._slots[name] = name_slot(name, self._options)
            except UnicodeEncodeError:
                raise Unfit("half of a surrogate pair", "whole characters", (name,)) from None
        return slot

    def _label(self, name: str, value: object) -> tuple[float, str | None]:
        """(label, name of a class) that a member says."""
        number: float | None = math.nan
        if isinstance(value, str):
            number = number_in(value) if value.strip() else math.nan
            if number is None and self._class_names:
                return math.nan, value.strip()
        elif isinstance(value, bool | float):
            number = float(value)
        elif value is not None:
            number = None
        if number is None or math.isinf(number):
            raise Unfit(said(value), NO_LABEL, (name,))
        return number, None
