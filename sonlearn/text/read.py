"""Sources of text to batches: chunks of lines through the kernel of their format, error codes into InputError."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import numpy as np

from sonlearn.errors import InputError
from sonlearn.options import TextOptions
from sonlearn.text import rows as code
from sonlearn.text.batch import Batch
from sonlearn.text.messages import malformed
from sonlearn.text.number import forget, make_numbers, settle
from sonlearn.text.rows import LINE, NNZ, POSITION, ROWS, STATE_SIZE, make_rows, to_batch
from sonlearn.text.source import CHUNK_BYTES, Source, read_chunks, source_name
from sonlearn.text.svmlight import parse_svmlight
from sonlearn.text.vw import make_names, parse_vw

#: Lines looked at to tell the format.
_DETECT_LINES = 100


def detect_format(chunk: np.ndarray) -> str | None:
    """``vw`` if one of the first lines has a bar before any ``#``, ``svmlight`` if none, None if all are blank."""
    found = None
    for line in chunk[: 1 << 20].tobytes().split(b"\n", _DETECT_LINES)[:_DETECT_LINES]:
        before_comment = line.split(b"#", 1)[0]
        if b"|" in before_comment:
            return "vw"
        if before_comment.strip():
            found = "svmlight"
    return found


class Reader:
    """Batches of the examples in one or several sources, read one after the other. Iterate once.

    Parameters
    ----------
    sources : path, ``"-"`` (standard input) or open binary stream, or an iterable of these
    options : TextOptions
    chunk_bytes : int
        Text that becomes one batch, about. Neither rows nor errors depend on it.

    Attributes
    ----------
    format : str or None
        ``svmlight`` or ``vw``; with ``auto`` None until the first example, and then the same for all sources.
    """

    def __init__(
        self,
        sources: Source | Iterable[Source],
        options: TextOptions = TextOptions(),  # noqa: B008 (frozen)
        *,
        chunk_bytes: int = CHUNK_BYTES,
    ):
        single = isinstance(sources, (str, os.PathLike)) or hasattr(sources, "readinto")
        self.sources: list[Source] = [sources] if single else list(sources)  # type: ignore[list-item, arg-type]
        self.options = options
        self.format: str | None = None if options.format == "auto" else options.format
        self._chunk_bytes = chunk_bytes
        self._names = make_names(options)
        self._rows = make_rows(0)
        self._numbers = make_numbers()

    def __iter__(self) -> Iterator[Batch]:
        """Yield batches; a malformed line raises after all rows before it have been yielded.

        Raises
        ------
        InputError
            A source cannot be read, a line is malformed, or there is no example in any source.
        """
        examples = 0
        for source in self.sources:
            for batch in self._read(source):
                examples += batch.n
                yield batch
        if examples == 0:
            names = ", ".join(map(source_name, self.sources)) or "<nothing>"
            raise InputError(names, None, None, "an empty stream", "at least one example")

    def _read(self, source: Source) -> Iterator[Batch]:
        name = source_name(source)
        state = np.zeros(STATE_SIZE, dtype=np.int64)
        state[LINE] = 1
        for chunk in read_chunks(source, self._chunk_bytes):
            if self.format is None:
                self.format = detect_format(chunk)
            if self.format is None:  # blank lines and comments so far
                state[LINE] += int(np.count_nonzero(chunk == code.NEWLINE))
                continue
            if len(self._rows.values) < len(chunk):
                self._rows = make_rows(len(chunk))
            stopped = self._parse(chunk, state)
            if state[ROWS]:
                yield to_batch(self._rows, int(state[ROWS]), chunk, name)
            if stopped != code.DONE:
                place = (name, int(state[LINE]), self.format)
                raise malformed(chunk, int(state[POSITION]), int(state[code.AT]), stopped, place)

    def _parse(self, chunk: np.ndarray, state: np.ndarray) -> int:
        """Parse one chunk into ``self._rows``; what stopped the kernel (DONE, or the code of a malformed line)."""
        state[POSITION] = state[ROWS] = state[NNZ] = 0
        forget(self._numbers)
        while True:
            if self.format == "vw":
                stopped = parse_vw(chunk, self._names, self._rows, self._numbers, state)
            else:
                stopped = parse_svmlight(chunk, self.options.constant, self._rows, self._numbers, state)
            if stopped != code.NUMBER_UNDECIDED:
                return stopped
            self._numbers = settle(chunk, self._numbers)


def read_batches(
    sources: Source | Iterable[Source],
    options: TextOptions = TextOptions(),  # noqa: B008 (frozen)
    *,
    chunk_bytes: int = CHUNK_BYTES,
) -> Iterator[Batch]:
    """Batches of the examples in `sources`: see `Reader`, which also tells the format."""
    return iter(Reader(sources, options, chunk_bytes=chunk_bytes))
