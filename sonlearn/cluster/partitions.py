"""Parts of the data: a file, the lines of a file that begin between two bytes, or rows that are in memory.

What is in memory is a list of lines (of a `dask.bag`), a table of pandas or pyarrow (of a `dask.dataframe`), or a pair
(X, y) of a matrix and labels, a triple with weights, or a matrix alone.
"""

from __future__ import annotations

import io
import itertools
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.matrices import from_scipy
from sonlearn.errors import DivergedError, InputError, SonlearnError
from sonlearn.options import TextOptions
from sonlearn.text.arrow import is_arrow, read_table
from sonlearn.text.chunk import Parsed
from sonlearn.text.compression import is_compressed
from sonlearn.text.read import Reader, expand_globs
from sonlearn.text.source import is_regular

#: A plain file of more than two of these is cut into parts of about so many bytes.
BLOCK = 1 << 26
_SEARCH = 1 << 16


class Partition(NamedTuple):
    """The lines of a file that begin in bytes start..stop-1 of it; `stop` None: all of it, whatever it is."""

    path: str
    start: int = 0
    stop: int | None = None

    @property
    def name(self) -> str:
        """For reports: the file, and from which byte on."""
        return self.path if self.start == 0 else f"{self.path}+{self.start}"


def partitions(sources: Iterable[str], options: TextOptions, block: int = BLOCK) -> list[Partition]:
    """The parts of files and patterns, in order: LIBSVM and VW text that is not compressed is cut where it is long.

    Raises
    ------
    InputError
        A pattern matches nothing.
    """
    found = []
    for path in map(str, expand_globs(sources)):
        whole = not _can_be_cut(path, options)
        size = 0 if whole else os.path.getsize(path)
        if whole or size < 2 * block:
            found.append(Partition(path))
            continue
        edges = np.linspace(0, size, size // block + 1).astype(int).tolist()
        found += [Partition(path, a, b) for a, b in itertools.pairwise(edges)]
    return found


def _can_be_cut(path: str, options: TextOptions) -> bool:
    """Whether `path` is a local file in which every line stands for itself."""
    tables = options.format in ("csv", "arrow") or (options.format == "auto" and options.label)
    if tables or not is_regular(path) or is_arrow(path):
        return False
    try:
        with open(path, "rb") as file:
            return not is_compressed(file.read(8))
    except OSError:
        return False  # the reader will say so


class PartitionReader(Reader):
    """A `Reader` of one part, in which there may be no example at all."""

    def __init__(self, part: Any, options: TextOptions, name: str = "<part>", **arguments: Any):
        self.part, self._name = part, name
        super().__init__([part.path if isinstance(part, Partition) else name], options, **arguments)

    def __iter__(self) -> Iterator[Batch]:
        """Yield batches; see `Reader`. Lines of a range of bytes count from its beginning: see `placed`."""
        part = self.part
        if isinstance(part, Partition) and part.stop is not None:
            with open_range(part) as stream:
                self.sources = [stream]
                yield from super().__iter__()
        elif isinstance(part, Partition):
            yield from super().__iter__()
        elif isinstance(part, tuple) or _is_matrix(part):
            self.format = "svmlight"
            batch = from_scipy(
                *(part if isinstance(part, tuple) else (part,)), constant=self.options.constant, source=self._name
            )
            if batch.n:
                yield batch
        elif hasattr(part, "columns"):
            self.format = "arrow"
            yield from self._of_tables()
        else:
            self.sources = [_Named(io.BytesIO(b"".join(map(_line, part))), self._name)]
            yield from super().__iter__()

    def _of_tables(self) -> Iterator[Batch]:
        for table in read_table(self.part, self.options, *self._labels, name=self._name):
            parsed = Parsed([table.batch] if table.batch else [], table.errors, len(table.errors), 0, table.names)
            self.names.add(parsed.names)
            yield from self._checked(parsed, self._name, 0)

    def nothing(self) -> None:
        """No example is no error here."""


def _is_matrix(part: Any) -> bool:
    return isinstance(part, np.ndarray) or hasattr(part, "tocsr")


def check_labels(part: Any, options: TextOptions, name: str) -> None:
    """Raise InputError where a part can have no labels, so that nothing would be learned from it."""
    if hasattr(part, "columns") and not options.label:
        raise InputError(name, None, None, "a table", "the name of its column of labels: text=TextOptions(label=...)")
    if _is_matrix(part) or (isinstance(part, tuple) and (len(part) < 2 or part[1] is None)):
        raise InputError(name, None, None, "a matrix without labels", "a pair of a matrix and labels: (X, y)")


def placed(error: SonlearnError, part: Any) -> SonlearnError:
    """`error` with the line's number in the file, where the part is a range of bytes in it."""
    if not isinstance(part, Partition) or part.start == 0:
        return error
    if isinstance(error, InputError) and error.line is not None:
        return InputError(error.source, error.line + _lines_before(part), error.column, error.found, error.expected)
    if isinstance(error, DivergedError) and str(error).startswith(part.path + ":"):
        number, colon, rest = str(error)[len(part.path) + 1 :].partition(":")
        return DivergedError(f"{part.path}:{int(number) + _lines_before(part)}{colon}{rest}")
    return error


def _lines_before(part: Partition) -> int:
    """Lines of the file that begin before the range."""
    with open(part.path, "rb") as file:
        left, count = _edge(file, part.start), 0
        file.seek(0)
        while left > 0:
            text = file.read(min(left, 1 << 20))
            count, left = count + text.count(b"\n"), left - len(text)
    return count


def open_range(part: Partition) -> _Named:
    """A stream of the lines that begin in the range. Raises InputError."""
    try:
        file = open(part.path, "rb")  # noqa: SIM115 (closed by what is returned)
    except OSError as error:
        raise InputError(part.path, None, None, error.strerror or str(error), "a text file") from error
    start, stop = _edge(file, part.start), _edge(file, part.stop or 0)
    file.seek(start)
    return _Named(file, part.path, stop - start)


def _edge(file: Any, at: int) -> int:
    """Where the first line begins that begins at byte `at` or after it; the end of the file where there is none."""
    if at == 0:
        return 0
    file.seek(at - 1)
    before = at - 1
    while block := file.read(_SEARCH):
        found = block.find(b"\n")
        if found >= 0:
            return before + found + 1
        before += len(block)
    return before


class _Named:
    """`length` bytes (None: all) of a binary stream, under the name that messages are to have."""

    def __init__(self, raw: Any, name: str, length: int | None = None):
        self._raw, self.name, self._left = raw, name, length

    def readinto(self, view: memoryview) -> int:
        """As of any raw stream."""
        n = self._raw.readinto(view if self._left is None else view[: self._left])
        if self._left is not None:
            self._left -= n
        return n

    def __enter__(self) -> _Named:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()


def _line(line: str | bytes) -> bytes:
    text = line.encode("utf-8", "surrogateescape") if isinstance(line, str) else bytes(line)
    return text if text.endswith(b"\n") else text + b"\n"
