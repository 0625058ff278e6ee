"""Lines appended to a file that is renamed when it is large: all parts together read as one.

The part that is written has the name that was given, a part that is full that name and the number of bytes before it,
20 digits: ``events.json.00000000000104857600``. So names sort as the parts follow, and a place in all of them stays
what it is when the oldest parts are moved away.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path

from sonlearn.errors import ModelFileError, OutputError
from sonlearn.named import NamedTuple

_BLOCK = 1 << 20
_DIGITS = 20


class Segment(NamedTuple):
    """A part that is full: how many bytes are before it, how many it has, and its file."""

    start: int
    size: int
    path: Path


class SegmentedFile:
    """Bytes in a file, which is made if it is not there, and in the parts before it.

    Parameters
    ----------
    path : str
    most : int or None
        A part that has so many bytes is full; None: none ever is.

    Attributes
    ----------
    start, end : int
        The bytes `start` to `end` - 1 are there.

    Raises
    ------
    ModelFileError
        A part is missing between others.
    OSError
        It cannot be written.
    """

    def __init__(self, path: str, most: int | None = None):
        self.path, self._most = path, most
        self._full = self._found()
        self.start = self._full[0].start if self._full else 0
        self._begin = self._full[-1].start + self._full[-1].size if self._full else 0
        self._descriptor = self._opened()
        self.end = self._begin + os.fstat(self._descriptor).st_size

    def append(self, text: bytes) -> None:
        """Append; it is on the disk afterwards. Raises OutputError: then nothing was written."""
        rest = memoryview(text)
        try:
            if self._most is not None and self.end - self._begin >= self._most:
                self._rotate()
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
            os.fsync(self._descriptor)
        except OSError as error:
            self.truncate(self.end)
            raise OutputError(f"{self.path}: cannot be written: {error.strerror or error}") from error
        self.end += len(text)

    def truncate(self, end: int) -> None:
        """Take off what is behind `end`, in the part that is written."""
        os.ftruncate(self._descriptor, end - self._begin)
        self.end = end

    def read(self, offset: int, size: int) -> bytes:
        """The bytes from `offset` on, which are of one part: as many as there are."""
        if offset >= self._begin:
            return os.pread(self._descriptor, size, offset - self._begin)
        part = next(one for one in reversed(self._full) if one.start <= offset)
        with part.path.open("rb") as file:
            file.seek(offset - part.start)
            return file.read(min(size, part.start + part.size - offset))

    def lines(self, offset: int) -> Iterator[tuple[int, bytes]]:
        """(offset, line) of each whole line from `offset` on, as far as they are there."""
        rest, offset = b"", max(offset, self.start)
        at = offset
        while block := self.read(at, _BLOCK):
            at += len(block)
            *whole, rest = (rest + block).split(b"\n")
            for line in whole:
                yield offset, line + b"\n"
                offset += len(line) + 1

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def _found(self) -> list[Segment]:
        """The parts that are full, one behind the other."""
        own = Path(self.path)
        pattern = re.compile(re.escape(own.name) + rf"\.(\d{{{_DIGITS}}})")
        parts = [
            Segment(int(found[1]), one.stat().st_size, one)
            for one in (own.parent.iterdir() if own.parent.is_dir() else ())
            if (found := pattern.fullmatch(one.name))
        ]
        parts.sort()
        for one, after in itertools.pairwise(parts):
            if one.start + one.size != after.start:
                expected = f"the part that begins with byte {one.start + one.size}"
                raise ModelFileError(f"{self.path}: {after.path.name} follows {one.path.name}, expected {expected}")
        return parts

    def _opened(self) -> int:
        return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)

    def _rotate(self) -> None:
        """The part that is written is full; begin another one. A crash on the way leaves both or the first."""
        part = Segment(self._begin, self.end - self._begin, Path(f"{self.path}.{self._begin:0{_DIGITS}}"))
        os.rename(self.path, part.path)
        try:
            fresh = self._opened()
        except OSError:
            os.rename(part.path, self.path)
            raise
        os.close(self._descriptor)
        self._descriptor, self._begin = fresh, self.end
        self._full.append(part)
        folder = os.open(part.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
