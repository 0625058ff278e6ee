"""Malformed lines of a run: whether one ends it, or is left out; and what is known of those that were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.errors import InputError, OptionError
from sonlearn.options.text import ON_ERROR
from sonlearn.text.source import Meter

#: Malformed lines that are described when they are skipped.
SHOWN_ERRORS = 10


class MalformedLine(NamedTuple):
    """A line, a row or a decision that was left out: its line, its tag, and the error; None: it is not described."""

    line: int
    tag: str
    error: InputError | None

    def behind(self, lines: int) -> MalformedLine:
        """The same, with `lines` more lines before it."""
        error = self.error and self.error.but(line=(self.error.line or 0) + lines)
        return MalformedLine(self.line + lines, self.tag, error)


class Malformed:
    """Decides on malformed lines, and remembers those that were left out.

    Parameters
    ----------
    on_error : str
        ``stop``: the first one ends the run; ``skip``: it is left out and counted.
    max_errors : int or None
        With ``skip``: the one after that many ends the run.

    Attributes
    ----------
    errors : list of InputError
        The first `SHOWN_ERRORS` that were left out.
    count : int
        How many were.
    tags : list of str
        The tags of those behind the last batch; those before are the batches' own.

    Raises
    ------
    OptionError
    """

    def __init__(self, on_error: str, max_errors: int | None):
        if on_error not in ON_ERROR:
            raise OptionError(f"--on-error {on_error}: expected one of {', '.join(ON_ERROR)}")
        if max_errors is not None and max_errors < 0:
            raise OptionError(f"--max-errors {max_errors}: expected at least 0")
        if max_errors is not None and on_error == "stop":
            raise OptionError(
                f"--max-errors {max_errors}: the first malformed line ends a run; give --on-error skip too"
            )
        self.skips = on_error == "skip"
        self.allowed = max_errors if self.skips else 0
        self.errors: list[InputError] = []
        self.count = 0
        self.tags: list[str] = []

    def admit(self, errors: Sequence[InputError], count: int | None = None) -> InputError | None:
        """Count further ones, in their order; return the one that ends the run, or None.

        `count` : how many there are, of which `errors` are the first; those behind the one returned do not count.
        """
        count, fatal = len(errors) if count is None else count, None
        if self.allowed is not None and self.count + count > self.allowed:
            count = max(self.allowed - self.count, 0)
            fatal = errors[count]
        self.errors += errors[: min(count, max(SHOWN_ERRORS - len(self.errors), 0))]
        self.count += count
        return fatal

    def left_out(self, batches: Iterable[Any], lines: Sequence[MalformedLine]) -> Iterator[Any]:
        """Yield batches with what was left out before their rows, up to the malformed line that ends the run.

        Parameters
        ----------
        batches : of Batch or Decisions, in the order of their lines
        lines : all malformed lines, in their order, of which the first have an error

        Raises
        ------
        InputError
            That of the line that ends the run.
        """
        fatal = self.admit([one.error for one in lines if one.error is not None], len(lines))
        left = list(lines) if self.skips else []
        for batch in batches:
            inside = [one for one in left if batch.n and one.line < batch.lines[-1]]
            left = left[len(inside) :]
            skipped = [(int(np.searchsorted(batch.lines, one.line)), one.tag) for one in inside]
            batch = batch._replace(skipped=[*((0, tag) for tag in self.tags), *skipped] or None)
            if fatal is not None:
                batch = batch.part(0, int(np.searchsorted(batch.lines, fatal.line or 0)))
            if batch.n:
                self.tags = []
                yield batch
        self.tags += [one.tag for one in left]
        if fatal is not None:
            raise fatal


class BatchReader:
    """What a run asks of what reads for it.

    Attributes
    ----------
    malformed : Malformed
    meter : Meter or None
        May be set, and is then told how much of the sources has been read.
    format : str or None
        Format of the sources, once it is known.
    notes : list of str
        What is to be said of columns that are missing or not known.
    """

    malformed: Malformed
    meter: Meter | None = None
    format: str | None
    notes: list[str]

    def __iter__(self) -> Iterator[Any]:
        """Yield batches. Raises InputError."""
        raise NotImplementedError

    @property
    def errors(self) -> list[InputError]:
        """The first malformed lines that were left out."""
        return self.malformed.errors

    @property
    def error_count(self) -> int:
        """How many were."""
        return self.malformed.count

    @property
    def skipped(self) -> list[str]:
        """Tags of the malformed lines behind the last batch."""
        return self.malformed.tags
