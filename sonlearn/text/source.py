"""Bytes of a file, standard input or an open stream, in chunks that end where a line ends; how many have been read.

This module knows nothing of features.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

import numpy as np

from sonlearn.errors import InputError, shorten
from sonlearn.text.compression import DecompressedBytes, PlainBytes, decompressed

#: Bytes of a chunk. Parsing is fastest while a chunk and what it becomes fit into the cache.
CHUNK_BYTES = 1 << 19
#: Lines of more bytes than this, on average, are long.
LONG_LINE = 600

_BOM = b"\xef\xbb\xbf"
_HEAD = 1 << 16  # bytes searched for signs of a binary file
#: Characters that text has none of, or few different ones.
_CONTROL = frozenset({*range(9), *range(14, 32)})
_TEXT = "text (LIBSVM, VW, CSV, JSON), plain or compressed with gzip, bzip2, xz or zstd"

_ZIP = b"PK\x03\x04"
#: `sonlearn.files.storage.HEADER`, the name that a model file begins with.
_MODEL = b"sonlearn.json"
#: Names that the archive of a spreadsheet or a document begins with.
_OFFICE = re.compile(rb"\[Content_Types\]|_rels/|docProps/|xl/|word/|mimetypeapplication/vnd")

#: Beginnings of files that are fed by mistake: what each is, and what to do.
_FOREIGN = (
    (_ZIP, "a zip archive", "text; unpack it first: unzip -p FILE | sonlearn ..."),
    (b"7z\xbc\xaf", "a 7-Zip archive", "text; unpack it first: 7z x -so FILE | sonlearn ..."),
    (b"\x04\x22\x4d\x18", "an lz4 stream", "text; decompress it first: lz4 -dc FILE | sonlearn ..."),
    (b"\x89HDF", "an HDF5 file", _TEXT),
    (b"PAR1", "a Parquet file", "text here; give the name of the file, or --format arrow"),
    (b"\x93NUMPY", "a NumPy array file", _TEXT),
)
#: How text of other encodings begins, and iconv's names of these.
_ENCODINGS = (
    (rb"\xff\xfe\0\0|\0\0\xfe\xff", "UTF-32"), (rb"\xff\xfe|\xfe\xff", "UTF-16"), (rb"([^\0]\0){4}", "UTF-16LE"),
    (rb"(\0[^\0]){4}", "UTF-16BE"),
)  # fmt: skip

#: How Parquet begins, Arrow's file format, and its format of streams.
ARROW = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")

#: What stands for the first chunk of a source that has none.
NO_TEXT = np.zeros(0, np.uint8)

Source = str | os.PathLike[str] | BinaryIO
Watch = Callable[[Any], Any]


def source_name(source: Source) -> str:
    """The name of `source` in messages."""
    if isinstance(source, (str, os.PathLike)):
        return "<stdin>" if source == "-" else os.fspath(source)
    if is_table(source):
        return "<table>"
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<stream>"


def read_chunks(
    source: Source, chunk_bytes: int = CHUNK_BYTES, watch: Watch | None = None, *, stretch: int = 1
) -> Iterator[np.ndarray]:
    """Yield the text of `source` as uint8 arrays of whole lines.

    Every array ends in a newline byte (one is added after a last line without it) and is valid until the next one is
    asked for. A byte order mark at the beginning is dropped. Chunks have about `chunk_bytes` bytes, more where a
    line is longer, less where a pipe has no more at the moment: a slow stream is handed on line by line.

    Parameters
    ----------
    source : path, ``"-"`` for standard input, or an open binary stream (not closed here)
    watch : see `open_binary`
    stretch : int
        If the lines of the first chunk are long, the others have so many times as many bytes.

    Raises
    ------
    InputError
        The source cannot be opened or read, is binary, or its compressed data are damaged or truncated; the whole
        lines before a damaged place are yielded first.
    """
    name = source_name(source)
    try:
        with open_binary(source, watch) as raw:
            yield from _cut(decompressed(raw, name), name, max(int(chunk_bytes), 1), stretch)
    except OSError as error:
        raise InputError(name, reason(error), "a text file") from error


def peeked(chunks: Iterator[np.ndarray]) -> tuple[np.ndarray, Iterator[np.ndarray]]:
    """The first chunk of a text, and all of them."""
    first = next(chunks, NO_TEXT)
    return first, itertools.chain([first], chunks)


@contextlib.contextmanager
def open_binary(source: Source, watch: Watch | None = None) -> Iterator[Any]:
    """Unbuffered binary stream; closed at the end if it was opened here. ``s3://`` and the like go through fsspec.

    `watch` is given the stream, and gives what is to be read in its place (`Meter.watch`).
    """
    with contextlib.ExitStack() as opened:
        if isinstance(source, str) and is_remote(source):
            raw = opened.enter_context(_remote(source))
        elif not isinstance(source, (str, os.PathLike)):
            if not (hasattr(source, "read") or hasattr(source, "readinto")):
                expected = "the name of a file, an open binary stream or a table"
                raise TypeError(f"found a {type(source).__name__}, expected {expected}")
            raw = source
        elif source == "-":
            raw = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
        else:
            raw = opened.enter_context(open(source, "rb", buffering=0))
        yield raw if watch is None else watch(raw)


def is_regular(source: Source) -> bool:
    """Return whether `source` names a local file, which can be opened twice: no pipe, stream or address."""
    return isinstance(source, (str, os.PathLike)) and source != "-" and os.path.isfile(source)


def is_empty(source: Source) -> bool:
    """Return whether `source` is a local file without a byte, which tells no format."""
    return is_regular(source) and not os.path.getsize(source)  # type: ignore[arg-type]


def is_arrow(source: Source) -> bool:
    """Tell whether `source` is a file that begins like Parquet or Arrow. Not for pipes: what it reads would be lost."""
    if not is_regular(source):
        return False
    try:
        with open_binary(source) as file:
            return bytes(file.read(6)).startswith(ARROW)
    except OSError:
        return False


def is_table(source: Any) -> bool:
    """Tell whether `source` is a table in memory, of any library that speaks Arrow: pandas, polars, pyarrow, DuckDB."""
    return hasattr(source, "__arrow_c_stream__") and not hasattr(source, "readinto")


def is_remote(source: str) -> bool:
    """Return whether `source` is an address like ``s3://bucket/key``."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", source) is not None


def _remote(address: str) -> Any:
    try:
        import fsspec
    except ImportError:
        remedy = "pip install fsspec (and s3fs, gcsfs, ... for the store), or a local file"
        raise InputError(address, "a remote address, and fsspec is not installed", remedy) from None
    try:
        return fsspec.open(address, "rb")
    except (ImportError, ValueError) as error:
        known = "what it requires (extra remote)" if isinstance(error, ImportError) else "an address that fsspec knows"
        raise InputError(address, shorten(str(error), 100), known) from error


def reason(error: OSError) -> str:
    """Return what was found in place of a file that can be read."""
    if isinstance(error, FileNotFoundError):
        why = error.__cause__  # of a remote file: what else went wrong
        return "no such file" if isinstance(why, FileNotFoundError | None) else f"no answer ({why})"
    if isinstance(error, IsADirectoryError):
        return "a directory"
    if isinstance(error, PermissionError):
        return "a file that may not be read (permission denied)"
    return (error.strerror or str(error)).lower()


def _cut(stream: PlainBytes | DecompressedBytes, name: str, chunk_bytes: int, stretch: int) -> Iterator[np.ndarray]:
    """Cut at line ends; what follows the last one moves to the front of the buffer."""
    buffer = bytearray(chunk_bytes + 1)  # the last byte is for a missing last newline
    used = searched = 0  # bytes in the buffer; of them known to hold no newline
    begun, measured, failure = False, False, None
    while True:
        if used == len(buffer) - 1:  # a line longer than the buffer
            buffer = buffer + bytearray(len(buffer))
        try:
            n = stream.read_into(memoryview(buffer)[used:-1])
        except (InputError, OSError) as error:
            n, failure = 0, error
        used += n
        if n and used < len(buffer) - 1 and stream.ready():
            continue
        if not begun:
            if n and used < len(_BOM) and _BOM.startswith(buffer[:used]):
                continue
            used, begun = _begin(buffer, used, name), True
        if n == 0 and failure is None and used and buffer[used - 1] != ord("\n"):
            buffer[used] = ord("\n")
            used += 1
        end = buffer.rfind(b"\n", searched, used) + 1
        if end:
            yield np.frombuffer(buffer, dtype=np.uint8, count=end)
            if not measured and end > buffer.count(b"\n", 0, end) * LONG_LINE:
                buffer = buffer + bytearray((stretch - 1) * chunk_bytes)
            measured = True
            buffer[: used - end] = buffer[end:used]
            used -= end
        searched = used
        if failure is not None:
            raise failure
        if n == 0:
            return


def _begin(buffer: bytearray, used: int, name: str) -> int:
    """Refuse what is not text and drop the byte order mark; the number of bytes left."""
    head = bytes(memoryview(buffer)[: min(used, _HEAD)])
    for magic, what, remedy in _FOREIGN:
        if head.startswith(magic):
            if magic == _ZIP and _OFFICE.search(head):
                what, remedy = "an Excel or OpenDocument file", "a table: save it as CSV"
            elif magic == _ZIP and _MODEL in head:
                what, remedy = "a model or a sketch", "data; models are given with -i"
            raise InputError(name, what, remedy)
    for begin, encoding in _ENCODINGS:
        if re.match(begin, head):
            remedy = f"UTF-8; convert it first: iconv -f {encoding} -t UTF-8 FILE | sonlearn ..."
            raise InputError(name, f"{encoding} text", remedy)
    # A line of text with a zero byte is malformed, and may be skipped.
    if (0 in head and b"\n" not in head) or len(_CONTROL.intersection(head)) > len(_CONTROL) / 2:
        place = f" (a zero byte at offset {head.index(0)})" if 0 in head else ""
        raise InputError(name, f"a binary file{place}", _TEXT)
    if not head.startswith(_BOM):
        return used
    buffer[: used - len(_BOM)] = buffer[len(_BOM) : used]
    return used - len(_BOM)


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
