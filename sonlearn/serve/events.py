"""The file of events: decisions and their rewards as lines of dsjson, each on the disk before it is answered.

A decision is a line without ``_label_cost``. When its reward comes, the same line with it is appended. So the file is,
at all times, a log that ``sonlearn train --dsjson`` and ``sonlearn evaluate`` read: decisions without a cost do not
count there. What is needed of it in memory is where the line of each event stands.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from sonlearn.errors import ModelFileError, OutputError

#: Events of each kind that are remembered: rewards of older ones are refused.
MOST = 1_000_000
_BLOCK = 1 << 20


class Event(NamedTuple):
    """A line of the file.

    Attributes
    ----------
    id : str
    rewarded : bool
        Whether it has a cost.
    offset, size : int
        Where it stands, in bytes, its newline included.
    """

    id: str
    rewarded: bool
    offset: int
    size: int


class EventFile:
    """Events in a file, which is made if it is not there.

    Parameters
    ----------
    path : str

    Attributes
    ----------
    end : int
        Bytes in the file.
    cut : int
        Bytes of a last line without an end, which were taken off: it was never answered.

    Raises
    ------
    ModelFileError
        The file holds other things.
    OutputError
        It cannot be written.
    """

    def __init__(self, path: str, most: int = MOST):
        self.path, self._most = path, most
        self._pending: dict[str, tuple[int, int]] = {}
        self._rewarded: dict[str, None] = {}
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            self.end = self.cut = 0
            for event in self.events(0):
                self._note(event)
                self.end = event.offset + event.size
            size = os.fstat(self._descriptor).st_size
            self.cut = size - self.end
            if self.cut:
                os.ftruncate(self._descriptor, self.end)
        except OSError as error:
            raise OutputError(f"--events {path}: cannot be written: {error.strerror or error}") from error

    @property
    def pending(self) -> int:
        """Events without a reward that are remembered."""
        return len(self._pending)

    def is_pending(self, event: str) -> bool:
        """Whether an event waits for its reward."""
        return event in self._pending

    def is_rewarded(self, event: str) -> bool:
        """Whether an event has its reward."""
        return event in self._rewarded

    def decision(self, event: str) -> dict[str, Any]:
        """The line of an event that is pending, decoded."""
        offset, size = self._pending[event]
        line: dict[str, Any] = json.loads(os.pread(self._descriptor, size, offset))
        return line

    def append(self, lines: list[tuple[str, bool, bytes]]) -> None:
        """Append lines, (id, whether rewarded, text with its newline) each; they are on the disk afterwards.

        Raises OutputError: then none of them is in the file.
        """
        text = memoryview(b"".join(line for _, _, line in lines))
        try:
            while text:
                text = text[os.write(self._descriptor, text) :]
            os.fsync(self._descriptor)
        except OSError as error:
            os.ftruncate(self._descriptor, self.end)
            raise OutputError(f"{self.path}: cannot be written: {error.strerror or error}") from error
        for event, rewarded, line in lines:
            self._note(Event(event, rewarded, self.end, len(line)))
            self.end += len(line)

    def events(self, offset: int) -> Iterator[Event]:
        """Events from `offset` on, but for a last line without an end. Raises ModelFileError."""
        for offset, line in self.lines(offset):  # noqa: B020
            try:
                fields = json.loads(line)
                yield Event(str(fields["EventId"]), "_label_cost" in fields, offset, len(line))
            except (ValueError, KeyError, TypeError):
                where = f"{self.path}: byte {offset}"
                raise ModelFileError(f"{where}: expected a line of dsjson with an EventId; give another file") from None

    def lines(self, offset: int) -> Iterator[tuple[int, bytes]]:
        """(offset, line) of each whole line from `offset` on."""
        rest = b""
        at = offset
        while block := os.pread(self._descriptor, _BLOCK, at):
            at += len(block)
            *whole, rest = (rest + block).split(b"\n")
            for line in whole:
                yield offset, line + b"\n"
                offset += len(line) + 1

    def mark(self) -> dict[str, Any]:
        """What a model keeps of the file that it has learned from: where it ends, and how it begins."""
        return {"end": self.end, "first": self._first()}

    def read_until(self, mark: dict[str, Any] | None) -> int | None:
        """Up to where a model has learned from this file, by its `mark`; None: not that it were known.

        Raises ModelFileError where it has learned from more than there is.
        """
        if mark is None or (mark["end"] and mark["first"] != self._first()):
            return None
        if mark["end"] > self.end:
            found = f"{self.end} bytes, and the model has learned from {mark['end']} bytes of it"
            raise ModelFileError(f"{self.path}: {found}; give the whole file, or a new one")
        return int(mark["end"])

    def _first(self) -> str | None:
        return next((event.id for event in self.events(0)), None)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def _note(self, event: Event) -> None:
        known: dict[str, Any] = self._rewarded if event.rewarded else self._pending
        if event.rewarded:
            self._pending.pop(event.id, None)
            self._rewarded[event.id] = None
        else:
            self._pending[event.id] = (event.offset, event.size)
        if len(known) > self._most:
            del known[next(iter(known))]
