"""JSON objects for models that know no namespaces: the rows of a table, or indices as in LIBSVM text.

For a model of CSV or Parquet, an object is a row: a member is a field of the column of its name, and what that becomes
stands in `sonlearn.text.encode`; the label's column is the label. For a model of LIBSVM text, names are indices, as in
``{"7": 0.5, "12": 1}``. In both, ``_label`` is the label, and objects and arrays are refused.
"""

from __future__ import annotations

import math
import re

from sonlearn.data.batch import CONSTANT
from sonlearn.errors import InputError, shorten
from sonlearn.options import TextOptions
from sonlearn.options.text import TABLES
from sonlearn.text.columns import (
    FINITE,
    NO_LABEL,
    ColumnTable,
    Labelling,
    first_names,
    is_feature,
    label_of,
    number_in,
    weight_of,
)
from sonlearn.text.encode import Entries, RowLists, TableEncoder
from sonlearn.text.objects import Record, Unfit, described, members_of
from sonlearn.text.rows import ParsedChunk

_INDEX = re.compile(r"[0-9]{1,19}", re.ASCII)
_MEMBER = f"{FINITE}, true, false, null or a text: this model has no namespaces"


class FlatRows:
    """Rows under way; to `sonlearn.text.chunk` what RecordRows is.

    Parameters
    ----------
    options : TextOptions
        Of a model of LIBSVM text or of a table.
    class_names : bool
        Whether a label that is no number is the name of a class.
    known : ColumnTable or None
        Columns that the model knows: a row that has none of them is malformed, and to be learned from one without the
        label's column.
    """

    def __init__(self, options: TextOptions, labels: Labelling, known: ColumnTable | None = None):
        self._learns = known is not None and not known.rests
        known = known or ColumnTable()
        self._known = known.known
        self._place = (lambda member: known.place(member[0])) if known.rests and known.known else None
        self._options, self._labelling = options, labels
        self._table = options.format in TABLES
        self._labels = ("_label", options.label) if options.label else ("_label",)
        self._encoder = TableEncoder(options, known)
        constant = CONSTANT if options.constant else None
        self._rows = RowLists(self._encoder.features.constant if self._table else constant)
        self._columns: dict[str, None] = {}

    def add(self, record: Record, line: int) -> None:
        """Take a record. Raises Unfit."""
        y, name_of_class, weight, tag = math.nan, None, 1.0, ""
        entries: list[tuple[int, float]] = []
        options, columns, labelled = self._options, [], False
        name: str | None = None
        try:
            members: list = members_of(record)
            if self._place is not None:
                members = sorted(members, key=self._place)
            for name, value in members:
                if name in self._labels:
                    y, name_of_class, labelled = *self._label(value), True
                elif not self._table:
                    entries += _index(name, value)
                elif name and name == options.weight:
                    weight = weight_of(value)
                else:
                    if name and name == options.id:
                        text = "" if value is None else str(value)
                        tag = text.removesuffix(".0") if isinstance(value, float) else text
                    if is_feature(name, options):
                        entries += self._field(name, value)
                        columns.append(name)
        except RecursionError:
            raise Unfit("objects or arrays nested too deeply", "one object") from None
        except UnicodeEncodeError:
            raise Unfit("half of a surrogate pair", "whole characters", (str(name),)) from None
        except Unfit as problem:
            if name is not None:
                problem.at = (name,)
            raise
        if self._known and columns and not any(name in self._known for name in columns):
            known = f"columns that the model knows: {first_names(self._known)}"
            raise Unfit(f"the members {first_names(columns)}", known)
        if self._learns and not labelled and options.label:
            expected = (
                f"the label's column {shorten(options.label)}, with null or nothing in it where there is no label"
            )
            raise Unfit("a row without a label's column", expected)
        if self._table:
            entries += self._encoder.absent(columns)
        self._columns |= dict.fromkeys(columns)
        self._rows.entries += entries
        self._rows.add(line, y, weight, tag, name_of_class)

    def take(self, errors: list[InputError]) -> ParsedChunk:
        """All rows since the last call; the `errors` of the records between them that were malformed."""
        batch, columns = self._rows.take(), tuple(self._columns)
        self._columns = {}
        if self._table:
            return self._encoder.parsed(batch, errors, columns)
        return ParsedChunk([batch] if batch.n else [], errors, 0)

    def _field(self, name: str, value: object) -> Entries:
        """What a member becomes in the column of its name."""
        if isinstance(value, list):
            raise Unfit(described(value), _MEMBER)
        column = self._encoder.column(name)
        if value is None:
            return column.missing()
        return column.entries(value) if isinstance(value, str) else column.value(float(value))  # type: ignore[arg-type]

    def _label(self, value: object) -> tuple[float, str | None]:
        """(label, name of a class) that a member says."""
        if isinstance(value, str | bool):
            return label_of(value, self._labelling.worded, self._labelling.truth)
        number = math.nan if value is None else float(value) if isinstance(value, float) else math.inf
        if math.isinf(number):
            raise Unfit(described(value), NO_LABEL)
        return number, None


def _index(name: str, value: object) -> Entries:
    """(index, value) of a member that stands for a feature of LIBSVM text, if it is not left out."""
    if value is None:
        return ()
    if isinstance(value, list):
        raise Unfit(described(value), _MEMBER)
    number = number_in(value) if isinstance(value, str) else float(value)  # type: ignore[arg-type]
    if number is not None and math.isinf(number):
        raise Unfit(described(value), FINITE)
    if number is None or not _INDEX.fullmatch(name) or int(name) >= 2**63:
        found = f"{shorten(name)}: {described(value)}"
        raise Unfit(found, "an index as name and a number: the model is of LIBSVM text")
    return ((int(name), number),) if number == number and number else ()
