"""The file of events: decisions and their rewards as lines of dsjson, each on the disk before it is answered.

A decision is a line without ``_label_cost``. When its reward comes, the same line with it is appended. So the file is,
at all times, a log that ``sonlearn train --dsjson`` and ``sonlearn evaluate`` read: decisions without a cost do not
count there. What is needed of it in memory is where the line of each event stands. A file that has grown is renamed
(`segments`); here all of them are one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sonlearn.errors import ModelFileError, OutputError
from sonlearn.named import NamedTuple
from sonlearn.serve.segments import SegmentedFile

#: Events of each kind that are remembered: rewards of older ones are refused.
MOST = 1_000_000


class Event(NamedTuple):
    """A line of the file.

    Attributes
    ----------
    id : str
    rewarded : bool
        Whether it has a cost.
    offset, size : int
        Where it stands, in bytes of all files, its newline included.
    """

    id: str
    rewarded: bool
    offset: int
    size: int


class EventFile:
    """Events in a file, which is made if it is not there, and in those before it.

    Parameters
    ----------
    path : str
    most : int
        Events of each kind that are remembered.
    size : int or None
        A file of so many bytes is renamed, and another one begun.

    Attributes
    ----------
    cut : int
        Bytes of a last line without an end, which were taken off: it was never answered.

    Raises
    ------
    ModelFileError
        The file holds other things.
    OutputError
        It cannot be written.
    """

    def __init__(self, path: str, most: int = MOST, size: int | None = None):
        self.path, self._most = path, most
        self._pending: dict[str, tuple[int, int]] = {}
        self._rewarded: dict[str, None] = {}
        try:
            self._file = SegmentedFile(path, size)
            end, self._last = self._file.start, ""
            for event in self.events(end):
                self._note(event)
                end = event.offset + event.size
            self.cut = self._file.end - end
            if self.cut:
                self._file.truncate(end)
        except OSError as error:
            raise OutputError(f"--events {path}: cannot be written: {error.strerror or error}") from error

    @property
    def end(self) -> int:
        """Bytes in all files, those before them that have been moved away included."""
        return self._file.end

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
        """The line of an event that is pending, decoded. Raises FileNotFoundError where it was moved away."""
        offset, size = self._pending[event]
        line: dict[str, Any] = json.loads(self._file.read(offset, size))
        return line

    def append(self, lines: list[tuple[str, bool, bytes]]) -> None:
        """Append lines, (id, whether rewarded, text with its newline) each; they are on the disk afterwards.

        Raises OutputError: then none of them is in the file.
        """
        at = self.end
        self._file.append(b"".join(line for _, _, line in lines))
        for event, rewarded, line in lines:
            self._note(Event(event, rewarded, at, len(line)))
            at += len(line)

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
        return self._file.lines(offset)

    def mark(self) -> dict[str, Any]:
        """What a model keeps of the events that it has learned from: where they end, and the last one."""
        return {"end": self.end, "last": self._last}

    def read_until(self, mark: dict[str, Any] | None) -> int | None:
        """Up to where a model has learned from these events, by its `mark`; None: not that it were known.

        Raises ModelFileError where it has learned from more than there is, or not from what was moved away.
        """
        if mark is None or "last" not in mark:
            return None
        if mark["end"] < self._file.start:
            found = f"it begins with byte {self._file.start}, and the model has learned from {mark['end']} bytes"
            raise ModelFileError(f"{self.path}: {found}; bring back the files that were moved away")
        if mark["end"] <= self.end and self._before(mark["end"]) not in (mark["last"], None):
            return None
        if mark["end"] > self.end:
            found = f"{self.end} bytes, and the model has learned from {mark['end']} bytes of it"
            raise ModelFileError(f"{self.path}: {found}; give the whole file, or a new one")
        return int(mark["end"])

    def _before(self, end: int) -> str | None:
        """The id of the event that ends there, ``""`` if none does; None: it is not known, as none is before."""
        if end == self._file.start:
            return None
        line = next((line for offset, line in self.lines(self._file.start) if offset + len(line) == end), None)
        return "" if line is None else str(json.loads(line)["EventId"])

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _note(self, event: Event) -> None:
        self._last = event.id
        known: dict[str, Any] = self._rewarded if event.rewarded else self._pending
        if event.rewarded:
            self._pending.pop(event.id, None)
            self._rewarded[event.id] = None
        else:
            self._pending[event.id] = (event.offset, event.size)
        if len(known) > self._most:
            del known[next(iter(known))]
