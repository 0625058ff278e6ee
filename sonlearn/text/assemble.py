"""Columns of a table to a batch, the same for CSV and Arrow; what a field becomes stands in `sonlearn.text.encode`.

Column by column, the different texts of one are looked at once, and numbers not one by one. Nothing depends on where a
part of a table ends.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.errors import shorten
from sonlearn.text.columns import FINITE, NUMBER, WANTED, ColumnLayout, Labelling, label_of, weight_of
from sonlearn.text.encode import ColumnEncoder, TableEncoder
from sonlearn.text.objects import RowError
from sonlearn.text.suspicions import with_point
from sonlearn.text.units import units_in

#: What no number has, and Python's might have: words, underscores, digits of other scripts.
_NO_NUMBER = re.compile(r"(?a)[^\d\s.eE+-]")


class Fields(NamedTuple):
    """The fields of a column: numbers, or texts."""

    values: np.ndarray  # float64[n], NaN for nothing; of texts float64[0]
    codes: np.ndarray | None = None  # of texts int64[n], their places in `texts`, -1 for nothing
    texts: Sequence[str] = ()  # different ones
    typed: bool = False  # whether the column is one of texts, so that numbers among them are a surprise

    def at(self, rows: np.ndarray) -> Fields:
        """Return those of some rows, int64[m]."""
        if self.codes is None:
            return self._replace(values=self.values[rows])
        kept, codes = np.unique(self.codes[rows], return_inverse=True)
        nothing = int(kept.min(initial=0) < 0)
        return self._replace(codes=codes - nothing, texts=[self.texts[code] for code in kept[nothing:].tolist()])

    def all_texts(self) -> list[str]:
        """The texts of all rows, without blanks around them, for ids."""
        assert self.codes is not None
        return [self.texts[code].strip() if code >= 0 else "" for code in self.codes.tolist()]


class Refused(dict[int, tuple[int, str, str]]):
    """The rows that are malformed: (column, what was found, what was expected) of the first fault of each."""

    def add(self, rows: Iterable[int], column: int, found: str, expected: str) -> None:
        """Refuse rows for what was found in a column."""
        for row in rows:
            self.setdefault(row, (column, found, expected))


def fields_of(column: Sequence[str], as_text: bool = False) -> Fields:
    """Fields as they stand in CSV; with `as_text` numbers are texts too, as they are where others are not numbers."""
    if not as_text and not _NO_NUMBER.search("".join(column)):
        with contextlib.suppress(ValueError):
            values = np.array(list(map(float, (field or "nan" for field in column))))
            if not np.isinf(values).any():
                return Fields(values)
    texts: dict[str, int] = {}
    codes = [texts.setdefault(field, len(texts)) for field in column]
    return Fields(np.zeros(0), np.array(codes, np.int64), list(texts))


def assemble(
    n: int, fields: Callable[[int, bool], Fields], layout: ColumnLayout, encoder: TableEncoder, labels: Labelling
) -> tuple[Batch, Refused, list[str] | None]:
    """Return the rows of a table that are not malformed, those that are, and the ids of all.

    Parameters
    ----------
    n : int
        Rows.
    fields : callable
        The fields of the column at a place; with True, numbers as texts.
    layout : ColumnLayout
    encoder : TableEncoder
        What is malformed leaves nothing in it.
    labels : Labelling

    Returns
    -------
    Batch
        Its lines are the numbers of rows, from 0 on, its indices numbers of features.
    Refused
    list of str, or None
        The ids, where a column has them.
    """
    refused, mark = Refused(), encoder.mark()
    y, weight, classes, ids = np.full(n, np.nan), np.ones(n), None, None
    of_label, of_weight = WANTED[layout.action is not None]
    if layout.label is not None:
        y, classes = _labels(fields, layout.label, refused, encoder, of_label, labels)
    if layout.weight is not None:
        weight, _ = _labels(fields, layout.weight, refused, encoder, of_weight)
    if layout.action is not None:
        classes = fields(layout.action, True).all_texts()
    if layout.id is not None:
        ids = fields(layout.id, True).all_texts()
    parts = [part for at, column in layout.features for part in _entries(fields, at, encoder.column(column), refused)]
    if refused:
        encoder.roll_back(mark)
        good = np.setdiff1d(np.arange(n), list(refused))
        batch, _, _ = assemble(len(good), lambda at, texts: fields(at, texts).at(good), layout, encoder, labels)
        return batch._replace(lines=good), refused, ids
    constant = [] if encoder.constant is None else [(encoder.constant, 1.0)]
    absent = encoder.absent([column for _, column in layout.features])
    parts += _in_each(np.arange(n), [*absent, *constant])
    rows, numbers, values = (
        np.concatenate([part[i] for part in parts] or [np.zeros(0)]).astype(dtype)
        for i, dtype in enumerate((np.int64, np.int64, np.float64))
    )
    order = np.argsort(rows, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]).astype(np.int64)
    tags, names = (texts if texts and any(texts) else None for texts in (ids, classes))
    batch = Batch(indptr, numbers[order], values[order], y, weight, np.arange(n), tags=tags, class_names=names)
    return batch, refused, ids


def _entries(
    fields: Callable[[int, bool], Fields], at: int, encoder: ColumnEncoder, refused: Refused
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield what a column becomes: rows, features by number, values."""
    as_text = any((encoder.as_text, encoder.as_category, encoder.as_date, encoder.first))
    values, codes, texts, typed = fields(at, as_text)
    if codes is None:
        is_number = np.isfinite(values)
        for i in np.flatnonzero(np.isinf(values)).tolist():
            refused.add([i], at, shorten(f"{values[i]:g}"), FINITE)
        try:
            number = encoder.number() if is_number.any() else -1
        except RowError:  # which each of the texts says of itself
            _, codes, texts, typed = fields(at, True)
        else:
            rows = np.flatnonzero(is_number & (values != 0))
            yield rows, np.full(len(rows), number), values[rows]
            if np.isnan(values).any():
                yield from _in_each(np.flatnonzero(np.isnan(values)), encoder.missing())
            return
    assert codes is not None
    entries, problems = _try_each(texts, encoder.entries, ())
    if typed and "number" in encoder.kinds and not encoder.as_number and any(map(NUMBER.fullmatch, texts)):
        encoder.note_first(encoder.quoted, "number")
    for code, problem in problems.items():
        refused.add(np.flatnonzero(codes == code).tolist(), at, problem.found, problem.expected)
    entries.append(encoder.missing() if (codes < 0).any() else ())  # of nothing, whose code is -1
    lengths = np.array([len(entry) for entry in entries])
    sizes, begin = lengths[codes], (np.cumsum(lengths) - lengths)[codes]
    places = np.arange(sizes.sum()) + np.repeat(begin - (np.cumsum(sizes) - sizes), sizes)
    pairs = np.array([pair for entry in entries for pair in entry]).reshape(-1, 2)[places]
    yield np.repeat(np.arange(len(codes)), sizes), pairs[:, 0], pairs[:, 1]


def _in_each(
    rows: np.ndarray, entries: Iterable[tuple[int, float]]
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:  # fmt: skip
    """`entries` in each of `rows`."""
    for number, value in entries:
        yield rows, np.full(len(rows), number), np.full(len(rows), value)


def _labels(
    fields: Callable[[int, bool], Fields],
    at: int,
    refused: Refused,
    encoder: TableEncoder,
    wanted: str,
    labels: Labelling | None = None,
) -> tuple[np.ndarray, list[str | None] | None]:
    """(`labels` float64[n], NaN for none; names of classes, or None), or weights; malformed ones go to `refused`."""
    weights, labels = labels is None, labels or Labelling()
    (values, codes, texts, typed), names = fields(at, False), None
    if codes is not None:
        of_labels = functools.partial(label_of, labels=labels, options=encoder.options)
        read = (lambda text: (weight_of(text.strip()), None)) if weights else of_labels
        found = [*_try_each(texts, read, (np.inf, None))[0], (np.nan, None)]
        values = np.array([y for y, _ in found])[codes]  # the code of nothing is -1
        names = [found[code][1] for code in codes.tolist()] if any(own for _, own in found) else None
    for i in np.flatnonzero(np.isinf(values) | (~(values >= 0) if weights else False)).tolist():
        text = texts[codes[i]] if codes is not None and np.isinf(values[i]) else f"{values[i]:g}"
        remedy = "; with decimal commas: --decimal ," * (not typed and with_point(text) != text)
        if not (weights or typed or remedy) and (units := units_in(text)):
            remedy = f"; numbers with a unit: --unit '{encoder.options.label}={units[0]}'"
        found = "nothing" if text.strip().lower() in ("", "nan") else shorten(text)
        refused.add([i], at, found, wanted + remedy)
    return values, names


def _try_each(texts: Sequence[str], read: Callable[[str], Any], unfit: Any) -> tuple[list[Any], dict[int, RowError]]:
    """Return what `read` makes of each text, `unfit` of one that it refuses; and of these by place, why."""
    found, problems = [], dict[int, RowError]()
    for place, text in enumerate(texts):
        try:
            found.append(read(text))
        except RowError as problem:
            found.append(unfit)
            problems[place] = problem
    return found, problems
