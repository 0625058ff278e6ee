"""How much of the input has been read, for a progress bar."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from sonlearn.text.source import Source, is_regular


class Meter:
    """Bytes read in the pass under way, as they stand in the files (compressed, or parsed in a cache).

    Attributes
    ----------
    done : int
    total : int or None
        None where it is not known: standard input, pipes, addresses.
    """

    def __init__(self) -> None:
        self.done, self.total = 0, None

    def begin(self, sources: Iterable[Source]) -> None:
        """Say that a pass begins, over these sources."""
        sources = list(sources)
        known = all(is_regular(source) for source in sources)
        self.done = 0
        self.total: int | None = sum(os.stat(source).st_size for source in sources) if known else None  # type: ignore[arg-type]

    def watch(self, raw: Any) -> Any:
        """`raw`, an open binary stream, with what is read from it counted."""
        return _Watched(raw, self)

    @property
    def share(self) -> float | None:
        """Of the pass, from 0 to 1; None where the total is not known."""
        return min(self.done / self.total, 1.0) if self.total else None


class _Watched:
    """A binary stream that counts what is read, and is otherwise the one that it wraps."""

    def __init__(self, raw: Any, meter: Meter):
        self._raw, self._meter = raw, meter

    def read(self, *size: int) -> bytes:
        data = self._raw.read(*size)
        self._meter.done += len(data or b"")
        return data

    def readinto(self, view: Any) -> int | None:
        n = self._raw.readinto(view)
        self._meter.done += n or 0
        return n

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)
