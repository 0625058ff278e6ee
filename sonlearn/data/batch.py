"""`Batch`: examples, as the readers return them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

#: Feature id of the constant in input that is not hashed; no index in a file can be negative.
CONSTANT = -1
#: Of the marks of parts of dates (`Batch.marks`).
HOUR, GROUP, GROUPS = 32, 64, 1 << 26

#: Fields of a batch that have a value for each row, and for each entry.
_OF_ROWS, _OF_ENTRIES = ("y", "weight", "lines", "tags", "base", "class_names"), ("indices", "values", "marks")


class Batch(NamedTuple):
    """Sparse examples, row by row (CSR).

    Attributes
    ----------
    indptr : int64[n + 1]
        Row i owns entries ``indptr[i]:indptr[i + 1]``.
    indices : int64[nnz]
        Feature ids: the index in LIBSVM text, the hashed slot in VW text, `CONSTANT` for the constant feature. Ids may
        be unsorted and repeated; the learner sums repeated ones.
    values : float64[nnz]
        Finite.
    y : float64[n]
        Labels; NaN for rows without a label, which are only predicted.
    weight : float64[n]
        Importance weights h >= 0; rows with weight 0 are only predicted.
    lines : int64[n]
        1-based line number of every example in `source`, for error messages.
    source : str
        Name of the source of the examples.
    tags : list of str, or None
        None if no example has a tag. Bytes that are not UTF-8 are surrogate escapes.
    base : float64[n], or None
        VW's base, added to the prediction of the weights.
    class_names : list of (str or None), or None
        Labels that are names of classes; `y` is NaN for these rows, but 1 and 0 where the names are two classes' true
        and false. None if there are no such labels.
    constant : int
        Id of the constant feature in these rows, if they have one.
    skipped : list of (int, str), or None for none
        Malformed lines that were left out: before which row of the batch each stood (n: behind the last), and its tag.
    marks : uint32[nnz], or None
        1 for each entry that is a word of a text, 0 for any other; for months, weekdays and hours of dates instead
        their places in order, from 2 on, plus `HOUR` if it is one, plus `GROUP` times a hash of column and part below
        `GROUPS`. None: the reader does not tell them apart.
    """

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    lines: np.ndarray
    source: str = "<memory>"
    tags: list[str] | None = None
    base: np.ndarray | None = None
    constant: int = CONSTANT
    class_names: list[str | None] | None = None
    skipped: list[tuple[int, str]] | None = None
    marks: np.ndarray | None = None

    @property
    def n(self) -> int:
        """Number of examples."""
        return len(self.y)

    @property
    def named(self) -> np.ndarray:
        """bool[n]: rows whose label is the name of a class."""
        names = self.class_names
        return np.zeros(self.n, bool) if names is None else np.array([name is not None for name in names], bool)

    def part(self, start: int, stop: int) -> Batch:
        """The examples `start` to `stop` - 1; `self` if these are all. The arrays share memory."""
        if start <= 0 and stop >= self.n:
            return self
        start, stop = max(start, 0), min(stop, self.n)
        begin, end = self.indptr[start], self.indptr[stop]
        last = stop if stop == self.n else stop - 1
        skipped = [(at - start, tag) for at, tag in self.skipped or () if start <= at <= last]
        taken = self._taken(lambda values: values[start:stop], lambda values: values[begin:end])
        return self._replace(indptr=self.indptr[start : stop + 1] - begin, skipped=skipped or None, **taken)

    def at(self, rows: np.ndarray) -> Batch:
        """The examples at these places (int64[m]), in their order; `skipped` is left as it is."""
        lengths, places = np.diff(self.indptr)[rows], rows.tolist()
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        entries = np.arange(indptr[-1]) + np.repeat(self.indptr[rows] - indptr[:-1], lengths)

        def of_rows(values: Any) -> Any:
            return [values[i] for i in places] if isinstance(values, list) else values[rows]

        return self._replace(indptr=indptr, **self._taken(of_rows, lambda values: values[entries]))

    def _taken(self, of_rows: Callable[[Any], Any], of_entries: Callable[[Any], Any]) -> dict[str, Any]:
        """Return what these take of all fields that have a value for each row, and for each entry; None stays None."""
        how = dict.fromkeys(_OF_ROWS, of_rows) | dict.fromkeys(_OF_ENTRIES, of_entries)
        return {name: take(getattr(self, name)) for name, take in how.items() if getattr(self, name) is not None}


_NONE = np.zeros(0)
#: No examples.
NO_BATCH = Batch(np.zeros(1, np.int64), _NONE.astype(np.int64), _NONE, _NONE, _NONE, _NONE.astype(np.int64))


def cut(batches: Iterable[Batch], end: Callable[[Batch, int], int]) -> Iterator[Batch]:
    """Yield the rows of batches in parts: from a row of a batch up to `end` of both, one row at least."""
    for batch in batches:
        start = 0
        while start < batch.n:
            stop = max(end(batch, start), start + 1)
            yield batch.part(start, stop)
            start = stop


def between(batches: Iterator[Any], start: int, stop: int | None, read_all: bool = False) -> Iterator[Any]:
    """Yield the rows `start` to `stop` - 1 of batches or decisions; what is beyond is only read, if `read_all`."""
    at = 0
    with contextlib.closing(batches):  # type: ignore[type-var]
        for batch in batches:
            begin, end = max(start - at, 0), batch.n if stop is None else min(stop - at, batch.n)
            at += batch.n
            if begin < end:
                yield batch.part(begin, end)
            if stop is not None and at >= stop and not read_all:
                return


def joined(batches: list[Batch]) -> Batch:
    """The examples of several batches (at least one) of the same source, in order."""
    if len(batches) == 1:
        return batches[0]
    starts = np.cumsum([0] + [len(batch.indices) for batch in batches])
    indptr = [batch.indptr[1:] + start for batch, start in zip(batches, starts[:-1], strict=True)]
    fields: dict[str, Any] = {
        name: np.concatenate([getattr(batch, name) for batch in batches])
        for name in ("indices", "values", "y", "weight", "lines")
    }
    for name, none in (("tags", ""), ("class_names", None)):
        if any(getattr(batch, name) is not None for batch in batches):
            fields[name] = [text for batch in batches for text in getattr(batch, name) or [none] * batch.n]
    if any(batch.marks is not None for batch in batches):
        fields["marks"] = np.concatenate(
            [np.zeros(len(batch.values), np.uint32) if batch.marks is None else batch.marks for batch in batches]
        )
    if any(batch.base is not None for batch in batches):
        fields["base"] = np.concatenate([np.zeros(batch.n) if batch.base is None else batch.base for batch in batches])
    return batches[0]._replace(indptr=np.concatenate([np.zeros(1, np.int64), *indptr]), **fields)
