"""Parts of the data: a file, the lines of a file that begin between two bytes, or rows that are in memory.

And which learner learns them, in which round.

What is in memory is a list of lines or dicts (of a `dask.bag`), a table of pandas or pyarrow (of a `dask.dataframe`),
or a pair (X, y) of a matrix and labels, a triple with weights, or a matrix alone.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.matrices import from_scipy
from sonlearn.errors import DivergedError, InputError, SonlearnError, shorten
from sonlearn.options import TextOptions
from sonlearn.options.spec import raw
from sonlearn.text.compression import is_compressed
from sonlearn.text.objects import RecordSource
from sonlearn.text.read import Reader, expand_globs
from sonlearn.text.source import ARROW, is_regular, is_remote, open_binary, read_chunks, reason

#: A plain file of more than two of these is cut into parts of about so many bytes; and of these at least, where more
#: parts are wanted.
PART_BYTES, MIN_PART_BYTES = 1 << 26, 1 << 20
#: Rows that one learner learns alone before the first round, of all partitions but the last: all others begin with what
#: it has learned and numbered, and with the members that it has left (`sonlearn.learn.ensemble.pruning`). What several
#: learners of fewer rows predict tells too little of which members to leave: models had .08 to 1.15 times the size.
FIRST_ROWS = 4096
#: Rows that the merged learner learns alone after the last round: as many as its combiner goes by.
LAST_ROWS = 4096
#: Rows from which on the members of a merged committee do not learn those last rows, which they only predict.
SETTLED = 65536
#: Partitions that a learner learns in a round at most, and rounds at least where there are partitions enough, unless it
#: is given how many there are.
MAX_PARTITIONS_PER_ROUND, MIN_ROUNDS = 8, 16
#: Partitions after which learners wait for each other and are copied to a second worker: if a worker dies, no more than
#: these are learned again.
COPY_EVERY = 2
#: Bytes at the beginning of a file that tell its kind.
_HEAD = 8


class Partition(NamedTuple):
    """The lines of a file that begin in its bytes start..stop-1; the whole file, in any format, if `stop` is None."""

    path: str
    start: int = 0
    stop: int | None = None


def partitions(
    sources: Iterable[str], options: TextOptions, block: int = PART_BYTES, wanted: int = 1
) -> list[Partition]:
    """The partitions of files and patterns, in order. Long files of uncompressed LIBSVM or VW text are split.

    They are split into parts of `block` bytes, or into smaller ones, of `MIN_PART_BYTES` at least, so that there are as
    many as are `wanted`.

    Raises
    ------
    InputError
        A pattern matches nothing.
    """
    found, paths = [], list(map(str, expand_globs(sources)))
    sizes = [_splittable_size(path, options) for path in paths]
    block = min(block, max(sum(sizes) // wanted, MIN_PART_BYTES))
    for path, size in zip(paths, sizes, strict=True):
        if size < 2 * block:
            found.append(Partition(path))
            continue
        edges = np.linspace(0, size, size // block + 1).astype(int).tolist()
        found += [Partition(path, a, b) for a, b in itertools.pairwise(edges)]
    return found


def _splittable_size(path: str, options: TextOptions) -> int:
    """Bytes of a file, here or at an address, whose lines can be read independently; 0 of any other."""
    tables = options.format in ("csv", "arrow") or (options.format == "auto" and options.label)
    if tables or not (is_remote(path) or is_regular(path)):
        return 0
    try:
        with open_binary(path) as file:
            head = file.read(_HEAD)
            return 0 if is_compressed(head) or head.startswith(ARROW) else int(file.seek(0, os.SEEK_END))
    except (OSError, InputError):
        return 0  # the reader will say so


class PartitionReader(Reader):
    """A `Reader` of one partition, which may contain no example."""

    def __init__(self, part: Any, options: TextOptions, name: str = "<part>", **arguments: Any):
        self.part, self.table_name = part, name
        source = part.path if isinstance(part, Partition) else part if hasattr(part, "columns") else name
        super().__init__([source], options, **arguments)

    def __iter__(self) -> Iterator[Batch]:
        """Yield batches; see `Reader`. In a byte range, line numbers count from its beginning: see `with_file_line`."""
        part, of_file = self.part, isinstance(self.part, Partition)
        if not of_file and (isinstance(part, tuple) or _is_matrix(part)):
            self.format, arrays = "svmlight", part if isinstance(part, tuple) else (part,)
            batch = from_scipy(*arrays, constant=self.options.constant, source=self.table_name)
            if batch.n:
                yield batch
            return
        with contextlib.ExitStack() as opened:
            if of_file and part.stop is not None:
                self.sources = [opened.enter_context(open_range(part))]
            elif not of_file and not hasattr(part, "columns"):
                self.sources = [self._of_bag(list(part))]
            yield from super().__iter__()

    def _of_bag(self, rows: list[Any]) -> RecordSource | io.BytesIO:
        """The rows of a bag as a source. Raises InputError where they are neither lines nor dicts."""
        if rows and isinstance(rows[0], dict):
            self.format = "json"
            return RecordSource(rows, self.table_name)
        for i, row in enumerate(rows, 1):
            if not isinstance(row, (str, bytes)):
                raise InputError(self.table_name, f"{shorten(repr(row))} in a bag", "lines or dicts", i)
        lines = io.BytesIO(b"".join(map(_line, rows)))
        lines.name = self.table_name
        return lines

    def raise_empty(self) -> None:
        """Called if there is no example: not an error here."""


def _is_matrix(part: Any) -> bool:
    return isinstance(part, np.ndarray) or hasattr(part, "tocsr")


def check_labels(part: Any, options: TextOptions, name: str) -> None:
    """Raise InputError if a partition cannot have labels, so that nothing could be learned from it."""
    if hasattr(part, "columns") and not options.label:
        raise InputError(name, "a table", "the name of its column of labels: text=TextOptions(label=...)")
    if _is_matrix(part) or (isinstance(part, tuple) and (len(part) < 2 or part[1] is None)):
        raise InputError(name, "a matrix without labels", "a pair of a matrix and labels: (X, y)")


def with_file_line(error: SonlearnError, part: Any) -> SonlearnError:
    """`error` with the line number in the file if `part` is a byte range of it."""
    if not isinstance(part, Partition) or part.start == 0:
        return error
    if isinstance(error, InputError) and error.line is not None:
        return error.but(line=error.line + _lines_before(part))
    if isinstance(error, DivergedError) and str(error).startswith(part.path + ":"):
        number, colon, rest = str(error)[len(part.path) + 1 :].partition(":")
        return DivergedError(f"{part.path}:{int(number) + _lines_before(part)}{colon}{rest}")
    return error


def _lines_before(part: Partition) -> int:
    """Number of lines of the file that begin before the range."""
    with open_range(part._replace(start=0, stop=part.start)) as before:
        return sum(int(np.count_nonzero(chunk == ord("\n"))) for chunk in read_chunks(before))


@contextlib.contextmanager
def open_range(part: Partition) -> Iterator[_NamedRange]:
    """A stream of the lines that begin in the range. Raises InputError where it cannot be opened."""
    with contextlib.ExitStack() as opened:
        try:
            file = opened.enter_context(open_binary(part.path))
            start, stop = _line_start(file, part.start), _line_start(file, part.stop or 0)
            file.seek(start)
        except OSError as error:
            raise InputError(part.path, reason(error), "a text file") from error
        yield _NamedRange(file, part.path, stop - start)


def _line_start(file: Any, at: int) -> int:
    """Position of the first line that begins at byte `at` or later; the end of the file if there is none."""
    if at == 0:
        return 0
    file.seek(at - 1)
    buffered = io.BufferedReader(file)
    buffered.readline()
    found = buffered.tell()
    buffered.detach()
    return found


class _NamedRange:
    """`length` bytes of a binary stream, with a name for messages."""

    def __init__(self, raw: Any, name: str, length: int):
        self._raw, self.name, self._left = raw, name, length

    def readinto(self, view: memoryview) -> int:
        """As for any raw stream."""
        n = self._raw.readinto(view[: self._left])
        self._left -= n
        return n


def _line(line: str | bytes) -> bytes:
    text = raw(line) if isinstance(line, str) else line
    return text if text.endswith(b"\n") else text + b"\n"


class Rounds(NamedTuple):
    """Numbers of partitions, from 0 on, for learners that are merged after each round."""

    rounds: tuple[tuple[range, ...], ...]  # of each round, each learner's partitions: none has none

    @property
    def learners(self) -> int:
        """Return how many there are."""
        return len(self.rounds[0])

    def of(self, learner: int) -> list[range]:
        """The partitions of one learner."""
        return [each[learner] for each in self.rounds]


def plan_rounds(parts: int, learners: int, rounds: int | None = None) -> Rounds:
    """Contiguous partitions for each round, and within it for each learner, as evenly as possible."""
    learners = min(learners, parts)
    most = max(parts // learners, 1)
    count = min(rounds or max(-(-most // MAX_PARTITIONS_PER_ROUND), MIN_ROUNDS), most)
    return Rounds(tuple(_shared(own, learners) for own in _shared(range(parts), count)))


def _shared(parts: range, among: int) -> tuple[range, ...]:
    """The partitions, shared out in their order."""
    edges = np.linspace(parts.start, parts.stop, min(among, len(parts)) + 1).round().astype(int).tolist()
    return tuple(range(a, b) for a, b in itertools.pairwise(edges))
