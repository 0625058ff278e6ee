"""JSON objects to rows, member by member, for models that know no namespaces.

An object is a row of a table: a member is a field of the column of its name, and what that becomes stands in
`sonlearn.text.encode`; the label's column is the label. For a model of LIBSVM text, names are indices, as in
``{"7": 0.5, "12": 1}``. In both, ``_label`` is the label, and objects and arrays are refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from sonlearn.data.batch import CONSTANT
from sonlearn.errors import InputError, shorten
from sonlearn.options import TextOptions
from sonlearn.text.columns import (
    FINITE,
    ColumnLayout,
    ColumnTable,
    Labelling,
    first_names,
    is_feature,
    label_of,
    number_in,
    weight_of,
    without_label,
)
from sonlearn.text.encode import NO_FIELD, Entries, RowLists, TableEncoder
from sonlearn.text.objects import LongRowError, Record, RowError, display, json_object
from sonlearn.text.rows import ParsedChunk

_INDEX = re.compile(r"[0-9]{1,19}", re.ASCII)
#: By so many names of members the columns of rows are remembered: of sparse objects each has others.
_MAX_LAYOUTS = 256


class _Index:
    """The fields of a member that stands for a feature of LIBSVM text."""

    def __init__(self, name: str):
        self._name = name

    def entries(self, field: Any) -> Entries:
        """(index, value) of a field, if it is not left out. Raises RowError."""
        if field is None:
            return ()
        if isinstance(field, list):
            raise RowError(display(field), NO_FIELD)
        number = number_in(field) if isinstance(field, str) else float(field)
        if number is not None and math.isinf(number):
            raise RowError(display(field), FINITE)
        if number is None or not _INDEX.fullmatch(self._name) or int(self._name) >= 2**63:
            found = f"{shorten(self._name)}: {display(field)}"
            raise RowError(found, "an index as name and a number: the model is of LIBSVM text")
        return ((int(self._name), number),) if number == number and number else ()


class TableRows:
    """Rows under way; to `sonlearn.text.chunk` what RecordRows is.

    Parameters
    ----------
    options : TextOptions
    labels : Labelling
    known : ColumnTable or None
        Columns that the model knows: an object that has none of them is malformed.
    indices : bool
        Whether the names of members are indices.
    most : float
        Features that a row may have.
    """

    def __init__(
        self, options: TextOptions, labels: Labelling, known: ColumnTable | None = None, indices: bool = False,
        most: float = math.inf,
    ):  # fmt: skip
        self._options, self._labelling, self._known = options, labels, known or ColumnTable()
        self._indices = indices
        self.encoder = TableEncoder(options, known, most)
        constant = CONSTANT if options.constant else None
        self._rows = RowLists(constant if indices else self.encoder.constant)
        self._layouts: dict[tuple[str, ...], ColumnLayout] = {}  # by the names of members
        self._met: dict[str, None] = {}  # columns

    def add(self, record: Record, line: int) -> None:
        """Take an object. Raises RowError."""
        members = json_object(record)
        names, fields = zip(*members, strict=True) if members else ((), ())
        rows, labels, mark, known = self._rows, self._labelling, self.encoder.mark(), names in self._layouts
        layout, at, y, name, weight = self._layouts[names] if known else self._layout_of(names), 0, math.nan, None, 1.0
        try:
            if layout.label is not None:
                at = layout.label
                y, name = label_of(fields[at], labels, self._options)
            if layout.weight is not None:
                at = layout.weight
                weight = weight_of(fields[at])
            for at, column in layout.features:
                rows.entries += column.entries(fields[at])
        except (RowError, UnicodeEncodeError) as error:
            rows.undo()
            self.encoder.roll_back(mark)
            problem = error if isinstance(error, RowError) else RowError("half of a surrogate pair", "whole characters")
            problem.at = (names[at],)
            raise problem from None
        rows.entries += layout.absent
        rows.add(line, y, weight, id_in(fields, layout), name)
        if not known:
            if not self._indices:
                self._met |= dict.fromkeys(names[at].strip() for at, _ in layout.features)
            if len(self._layouts) < _MAX_LAYOUTS:
                self._layouts[names] = layout

    def _layout_of(self, names: tuple[str, ...]) -> ColumnLayout:
        """Return where the columns of objects are whose members have these names, and what reads them. RowError."""
        options, known, names = self._options, self._known, tuple(map(str.strip, names))
        features = [(i, name) for i, name in enumerate(names) if name != "_label" and is_feature(name, options)]
        if len(features) > self.encoder.most:
            raise LongRowError(self.encoder.most)
        if known.known and (features or not names) and not any(name in known.known for _, name in features):
            members = first_names(name for _, name in features)
            found = f"the members {members}" if members else "no member"
            raise RowError(found, f"columns that the model knows: {first_names(known.known)}")
        places = {name: i for i, name in enumerate(names) if name}
        label = max(places.get(name, -1) for name in ("_label", options.label))
        if self._labelling.in_each and label < 0 and options.label:
            raise without_label(options)
        if known.is_frozen:
            features.sort(key=lambda feature: known.place(feature[1]))
        id, weight = places.get(options.id), places.get(options.weight)
        absent = self.encoder.absent([name for _, name in features])
        readers = [(at, _Index(name) if self._indices else self.encoder.column(name)) for at, name in features]
        return ColumnLayout(label if label >= 0 else None, id, weight, None, readers, absent)

    def take(self, errors: list[InputError]) -> ParsedChunk:
        """All rows since the last call; the `errors` of those between them that were malformed."""
        batch, columns = self._rows.take(), tuple(self._met)
        self._layouts.clear()
        self._met.clear()
        if self._indices:
            return ParsedChunk([batch] if batch.n else [], errors, 0)
        return self.encoder.parsed(batch, errors, columns)


def id_in(fields: Sequence[Any], layout: ColumnLayout) -> str:
    """The id among the fields of a row, which may be too few."""
    field = "" if layout.id is None or layout.id >= len(fields) else fields[layout.id]
    if isinstance(field, str):
        return field.strip()
    return "" if field is None else str(field).removesuffix(".0")
