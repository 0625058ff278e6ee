"""Malformed lines of a run: whether one ends it, or is left out; and what is known of those that were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, SonlearnError

#: Malformed lines that are described when they are skipped.
SHOWN_ERRORS = 10


def shifted(errors: list[InputError], lines: int) -> list[InputError]:
    """The same errors, with `lines` more lines before them."""
    return [error.but(line=(error.line or 0) + lines) for error in errors] if lines else errors


def without_rows(batch: Batch, problems: dict[int, InputError]) -> tuple[Batch, list[InputError]]:
    """A batch without the rows that have `problems`, and these with the rows' tags."""
    if not problems:
        return batch, []
    errors = [error.but(tag=batch.tags[row] if batch.tags else "") for row, error in problems.items()]
    return batch.at(np.setdiff1d(np.arange(batch.n), list(problems))), errors


def no_example(names: str, found: str, count: int, errors: Sequence[SonlearnError]) -> InputError:
    """Return what to say where there is none, but `count` malformed lines with these `errors`, or what was `found`."""
    if count:
        found = f"{count} malformed lines and nothing else (the first: {errors[0]})"
    return InputError(names, found, "at least one example")


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
    fatal : SonlearnError or None
        The one that has ended the run.
    tags : list of str
        The tags of those behind the last batch; those before are the batches' own.
    """

    def __init__(self, on_error: str, max_errors: int | None):
        self.skips = on_error == "skip"
        self.allowed = max_errors if self.skips else 0
        self.errors: list[InputError] = []
        self.count = 0
        self.fatal: SonlearnError | None = None
        self.tags: list[str] = []

    def anew(self) -> Malformed:
        """One that decides alike, and has met nothing."""
        return Malformed("skip" if self.skips else "stop", self.allowed)

    def admit(self, errors: Sequence[InputError]) -> InputError | None:
        """Count further ones, in their order, up to the one that ends the run; return that, or None."""
        count = len(errors) if self.allowed is None else min(len(errors), max(self.allowed - self.count, 0))
        self.errors += errors[: min(count, SHOWN_ERRORS - len(self.errors))]
        self.count += count
        return errors[count] if count < len(errors) else None

    def filtered(self, batches: Iterable[Any], errors: Sequence[InputError]) -> Iterator[Any]:
        """Yield batches with what was left out before their rows, up to the malformed line that ends the run.

        Parameters
        ----------
        batches : of Batch or Decisions, in the order of their lines
        errors : those of all malformed lines, in their order

        Raises
        ------
        InputError
            That of the line that ends the run.
        """
        fatal = self.fatal = self.admit(errors)
        left = list(errors) if self.skips else []
        for batch in batches:
            before = np.searchsorted(batch.lines, [one.line or 0 for one in left]).tolist()
            skipped = [(row, one.tag) for row, one in zip(before, left, strict=True) if row < batch.n]
            left = left[len(skipped) :]
            batch = batch._replace(skipped=[*((0, tag) for tag in self.tags), *skipped] or None)
            if fatal is not None:
                batch = batch.part(0, int(np.searchsorted(batch.lines, fatal.line or 0)))
            if batch.n:
                self.tags = []
                yield batch
        self.tags += [one.tag for one in left]
        if fatal is not None:
            raise fatal
