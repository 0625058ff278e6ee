"""Labels in a table of their own, which belong to the rows of the same ids (``--join``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sonlearn.data.batch import NO_BATCH, Batch, joined
from sonlearn.errors import InputError, OptionError, shorten
from sonlearn.options import TextOptions
from sonlearn.options.text import WRITTEN
from sonlearn.text.columns import Labelling
from sonlearn.text.read import Reader


class JoinedLabels:
    """The labels of a table, by id, and how many rows have one. Ids are the same if they are written alike.

    Parameters
    ----------
    path : str
        A table, or JSON lines.
    options : TextOptions
        How the rows are read, whose columns of ids and labels are called as those of the table; with neither, as of VW
        text, whose tags are ids, those of the table are ``id`` and ``label``.
    labelling : Labelling

    Raises
    ------
    OptionError
        The rows have ids or labels alone.
    InputError
        The table cannot be read, or an id has two labels.
    """

    def __init__(self, path: str, options: TextOptions, labelling: Labelling):
        if bool(options.id) != bool(options.label):
            raise OptionError(f"--join {path}: expected --id COLUMN and --label COLUMN, or neither for tags of VW text")
        id, label = options.id or "id", options.label or "label"
        written: dict[str, Any] = {name: getattr(options, name) for name in WRITTEN}
        read_as = TextOptions(id=id, label=label, keep=(id,), constant=False, **written)
        labels = joined([*Reader(path, read_as, labels=labelling)] or [NO_BATCH])
        none = [None] * labels.n
        self._y = np.append(labels.y, np.nan)  # the last one is of rows without a label
        self._names = labels.class_names and [*labels.class_names, None]
        self._places: dict[str, int] = {}
        for place, (tag, y, name) in enumerate(zip(labels.tags or none, labels.y, self._names or none, strict=False)):
            if not tag or (name is None and y != y):
                continue
            first = self._places.setdefault(tag, place)
            if first != place:
                found, expected = f"a further label of the id {shorten(tag)}", f"one, as in line {labels.lines[first]}"
                raise InputError(labels.source, found, expected, int(labels.lines[place]))
        self._source, self._used = labels.source, set[int]()
        self._without = self._replaced = 0
        self._example = ""

    def rows(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Yield the rows of a pass with the labels of their ids in the place of their own."""
        self._without = self._replaced = 0
        for batch in batches:
            labelled = (~np.isnan(batch.y) | batch.named).tolist()
            at = list(map(self._place, batch.tags or [""] * batch.n, labelled))
            names = self._names and [self._names[i] for i in at]
            source = f"{batch.source} with labels of {self._source}"
            yield batch._replace(y=self._y[at], class_names=names, source=source)

    def text(self, tag: str, own: str) -> str:
        """The label of an id as a text, which stands in the place of the row's `own`; empty: it has none."""
        at = self._place(tag, own.strip().lower() not in ("", "nan"))
        name = self._names[at] if self._names else None
        return "" if at < 0 else name or f"{self._y[at]:.16g}"

    def _place(self, tag: str, labelled: bool) -> int:
        """The place of the label of an id, -1 for none; rows are counted, also those that are `labelled` themselves."""
        at = self._places.get(tag, -1)
        if at >= 0:
            self._used.add(at)
        self._without += at < 0
        self._replaced += labelled
        self._example = self._example or tag
        return at

    @property
    def nothing(self) -> str:
        """Return what the ids are, where no row has a label; empty: some have."""
        if self._used:
            return ""
        ours = f"ids as {shorten(self._example)}" if self._example else "rows without ids"
        return (
            f"{ours}, none of them in {self._source}, whose ids are written as {shorten(next(iter(self._places), ''))}"
        )

    @property
    def line(self) -> str:
        """Return how many labels were used, and of the last pass how many rows had none, or one of their own."""
        own = f"; labels of the rows themselves, not used = {self._replaced}" if self._replaced else ""
        return f"labels joined = {len(self._used)} of {len(self._places)}; rows without one = {self._without}{own}"
