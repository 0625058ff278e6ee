"""A binary cache of parsed text, which knows when it is stale and is written whole or not at all.

Layout, little-endian::

    magic
    blocks     one a batch: struct _BLOCK, a line of JSON of what is text and of the arrays that follow, these arrays
    trailer    a block without arrays: sources, options, malformed lines that were skipped, batches
    uint64     where the trailer begins
    magic

Where that loses nothing, int64 are kept as int32, float64 as float32, and values and weights not at all (all 1).
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import os
import struct
import threading
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, OutputError
from sonlearn.files.atomic import whole_file
from sonlearn.options import TextOptions
from sonlearn.options.text import INFERRED
from sonlearn.text.columns import TableSchema
from sonlearn.text.hashing import constant_id
from sonlearn.text.names import NameTable
from sonlearn.text.read import Reader, expand_globs
from sonlearn.text.source import Source, is_regular, open_binary, source_name

#: Changes whenever the layout does, or what the parsers make of a text.
VERSION = 22

#: Bytes at either end of a file that are read to see whether it has changed.
_ENDS = 1 << 16

_NAME = b"sonlearn cache "
_MAGIC = _NAME + b"%d\n" % VERSION
#: Where the trailer begins, and the magic.
_END = struct.Struct(f"<Q{len(_MAGIC)}s")
#: Bytes of what follows, and its checksum (CRC-32).
_BLOCK = struct.Struct("<QI")
_ARRAYS = ("indptr", "indices", "values", "y", "weight", "lines", "base", "marks")
_TEXTS = ("tags", "class_names", "skipped")
_HALF = {"<i8": "<i4", "<f8": "<f4"}
_WHOLE = {half: whole for whole, half in _HALF.items()}
#: More rows than there are.
_ALL = 1 << 62


class _ForeignError(InputError):
    """A file of somebody else's, which must not be replaced."""


class _UnfinishedError(Exception):
    """A cache that is not to be kept."""


class CachedReader(Reader):
    """Like `Reader`, but every pass after the first, and every later run on the same input, reads the cache.

    May be iterated any number of times; also over standard input and streams, which can be cached only for the life of
    this object. The cache is used if the options are the same and the sources are; otherwise it is made anew while the
    text is read. A pass that is broken off leaves none, and so does one that cannot write it, as `notes` say: it raises
    OutputError only where a source cannot be read again.

    A source is the same if its size, its number, the times of its last writing and change, and its first and last 64 KB
    are. ``cp -p`` and ``touch`` cannot set the time of the change back.

    Parameters
    ----------
    path : path of the cache
    Others : as for `Reader`.

    Attributes
    ----------
    format, malformed, notes : as for `Reader`, of the last pass
    meter : as for `Reader`
    reason : str or None
        Why the last pass read the text; None if it read the cache.
    """

    def __init__(
        self,
        sources: Source | Iterable[Source],
        options: TextOptions = TextOptions(),  # noqa: B008 (frozen)
        *,
        path: str | os.PathLike[str],
        **reader: Any,
    ):
        super().__init__(sources, options, **reader)
        self.path = Path(path)
        self.reason: str | None = None
        self._made_here, self._given, self._format = False, self.options, self.format
        self._infers = self._infers_usual, self._infers_texts

    def __iter__(self) -> Iterator[Batch]:
        self.malformed, self.notes, self.tables = self.malformed.anew(), [], []
        trailer = None
        try:
            trailer = read_trailer(self.path)
            self.reason = self._stale(trailer)
        except _ForeignError:
            raise
        except InputError as error:
            self.reason = error.found
        try:
            yield from self._made() if self.reason or trailer is None else self._kept(trailer)
        finally:
            self._known_rows = _ALL

    def _kept(self, trailer: dict[str, Any]) -> Iterator[Batch]:
        """Read the cache."""
        self.format, self.malformed.count = trailer["format"], trailer["error_count"]
        self.malformed.errors = [InputError(*error) for error in trailer["errors"]]
        self.names.add((slot, name, 0 if self._known_rows else count) for slot, name, count in trailer["features"])
        self.options = dataclasses.replace(self._given, **trailer["told"])
        for source, columns, kinds in trailer["columns"]:
            self._update_columns(TableSchema(tuple(columns), kinds), source)
        constant = constant_id(self.options, self.format)
        if self.meter is not None:
            self.meter.begin([self.path])
        damaged = InputError(str(self.path), "a damaged cache", "the one that was written; delete it")
        room = self.path.stat().st_size
        with open_binary(self.path, self._watch) as file:
            file.seek(len(_MAGIC))
            for _ in range(trailer["blocks"]):
                yield _batch(*_read_block(file, room, damaged), trailer["names"])._replace(constant=constant)
        self.malformed.tags = list(trailer["skipped"])

    def _stale(self, trailer: dict[str, Any]) -> str | None:
        """Return why the cache cannot be used; None if it can."""
        if self._made_here:
            return None
        if trailer["settings"] != self._settings():
            return "a cache made with other options"
        if self.malformed.allowed is not None and trailer["error_count"] > self.malformed.allowed:
            return "a cache with more malformed lines than are allowed"
        sources = list(expand_globs(self.sources))
        if len(sources) != len(trailer["sources"]):
            return "a cache of other files"
        for source, known in zip(sources, trailer["sources"], strict=True):
            now = _identity(source)
            if now is None or known is None or now["path"] != known["path"]:
                return "a cache of other files"
            if now != known:
                return f"a cache older than {source_name(source)}"
        return None

    def _settings(self) -> dict[str, Any]:
        options = json.loads(json.dumps(dataclasses.asdict(self._given)))
        known = self.columns
        model = [known.known, known.numbers, known.dates, sorted(known.shuffled)] if known.is_frozen else None
        return {
            "options": options, "columns": json.loads(json.dumps(model)), "skips": self.malformed.skips,
            "labels": list(self._labels[1:3]), "usual": self._usual_before, "tells": list(self._infers),
        }  # fmt: skip

    def _made(self) -> Iterator[Batch]:
        """Read the text, and keep what was read if it was all of it and the files have not changed meanwhile."""
        self.format, self._parsers = self._format, threading.local()  # those of a pass before have seen its namespaces
        before = [_identity(source) for source in expand_globs(self.sources)]
        before_names = {slot: list(counts) for slot, counts in self.names.counts.items()}
        batches = super().__iter__()
        try:
            with contextlib.suppress(_UnfinishedError):
                yield from self._written(batches, before, before_names)
        except OutputError as error:
            if None in before:  # further passes have nothing else to read
                raise
            self.notes.append(f"{error}; the text is read without a cache")
            yield from batches

    def _written(
        self, batches: Iterator[Batch], before: list[Any], before_names: dict[int, list[int]]
    ) -> Iterator[Batch]:  # fmt: skip
        """The same batches, each of which is in the cache before the next one is read."""
        with whole_file(self.path) as file:
            file.write(_MAGIC)
            names: dict[str, int] = {}
            count = 0
            for batch in batches:
                yield batch
                _write_block(file, batch, names.setdefault(batch.source, len(names)))
                count += 1
            if [_identity(source) for source in expand_globs(self.sources)] != before:
                raise _UnfinishedError
            trailer = {
                "settings": self._settings(), "sources": before, "names": list(names), "blocks": count,
                "format": self.format, "error_count": self.malformed.count,
                "errors": [error.args for error in self.malformed.errors], "skipped": self.malformed.tags,
                "features": _features(self.names, before_names),
                "told": {name: getattr(self.options, name) for name in INFERRED},
                "columns": [[source, list(columns), self.columns.known] for source, columns in self.tables],
            }  # fmt: skip
            at = file.tell()
            _write(file, trailer, [])
            file.write(_END.pack(at, _MAGIC))
            self._made_here = None in before


def _features(names: NameTable, before: dict[int, list[int]]) -> list[list[Any]]:
    """[slot, name, how often it has come since `before`] of all names."""
    return [
        [slot, name, now - then] for slot, known in names.known.items()
        for name, now, then in itertools.zip_longest(
            known, names.counts.get(slot, ()), before.get(slot, ()), fillvalue=0
        )
    ]  # fmt: skip


def _identity(source: Source) -> dict[str, Any] | None:
    """Return what tells a file from another, and from what it was; None for a pipe, a stream or an address."""
    if not is_regular(source):
        return None
    stat = os.stat(source)  # type: ignore[arg-type]
    return {
        "path": os.path.abspath(source),  # type: ignore[arg-type, type-var]
        "size": stat.st_size,
        "times": [stat.st_mtime_ns, stat.st_ctime_ns],
        "number": stat.st_ino,
        "ends": _ends(source),
    }


def _ends(source: Any) -> str:
    """Hash of the beginning and the end of a file."""
    import hashlib  # takes 3 ms and 4 MB, which runs without a cache save

    with open(source, "rb", buffering=0) as file:
        begin = file.read(_ENDS)
        file.seek(max(os.fstat(file.fileno()).st_size - _ENDS, 0))
        return hashlib.blake2b(begin + file.read(_ENDS), digest_size=16).hexdigest()


def _write_block(file: BinaryIO, batch: Batch, source: int) -> None:
    arrays = {field: _narrowed(getattr(batch, field)) for field in _ARRAYS if _is_stored(field, getattr(batch, field))}
    described = {field: [array.dtype.str, len(array)] for field, array in arrays.items()}
    head = {"source": source, "arrays": described} | {field: getattr(batch, field) for field in _TEXTS}
    _write(file, head, arrays.values())


def _write(file: BinaryIO, head: dict[str, Any], arrays: Iterable[np.ndarray]) -> None:
    data = b"".join([json.dumps(head).encode(), b"\n", *(array.tobytes() for array in arrays)])
    file.write(_BLOCK.pack(len(data), zlib.crc32(data)) + data)


def _is_stored(field: str, array: np.ndarray | None) -> bool:
    """Return whether an array stands in the file; values and weights that are all 1 do not."""
    return array is not None and not (field in ("values", "weight") and (array == 1.0).all())


def _narrowed(array: np.ndarray) -> np.ndarray:
    """`array` in half as many bytes, if nothing is lost."""
    with np.errstate(over="ignore", invalid="ignore"):
        half = array.astype(_HALF.get(array.dtype.str, array.dtype))
    return half if (half == array).all() else array


def read_trailer(path: Path) -> dict[str, Any]:
    """The trailer of the cache `path`; InputError if there is none, or it is truncated or of another version."""
    damaged = InputError(str(path), "a cache that is truncated or of another version", "a cache")
    try:
        with path.open("rb") as file:
            begin = file.read(len(_MAGIC))
            if begin[: len(_NAME)] != _NAME[: len(begin)]:
                raise _ForeignError(str(path), "a file that is no cache", "a cache; name another file")
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _END.size))
            at, end = _END.unpack(file.read())
            if (begin, end) != (_MAGIC, _MAGIC) or at > size:
                raise damaged
            file.seek(at)
            return _read_block(file, size, damaged)[0]
    except FileNotFoundError as error:
        raise InputError(str(path), "no cache", "a cache") from error
    except OSError as error:
        raise _ForeignError(str(path), (error.strerror or str(error)).lower(), "a cache") from error
    except struct.error:
        raise damaged from None


def _read_block(file: Any, room: int, damaged: InputError) -> tuple[dict[str, Any], bytes, int]:
    """A block, of `room` bytes at most: (its JSON, its bytes, where the arrays begin in them). Raises `damaged`."""
    length, checksum = _BLOCK.unpack(file.read(_BLOCK.size))
    data = file.read(min(length, room))
    at = data.find(b"\n") + 1
    if not at or zlib.crc32(data) != checksum:  # that of no bytes is 0, as a hole in a file would say
        raise damaged
    return json.loads(data[:at]), data, at


def _batch(head: dict[str, Any], data: bytes, at: int, sources: list[str]) -> Batch:
    """The batch of a block, whose arrays begin `at` a byte of it."""
    fields: dict[str, Any] = {field: head[field] for field in _TEXTS}
    for field, (dtype, count) in head["arrays"].items():
        array = np.frombuffer(data, dtype, count, at)
        fields[field], at = array.astype(_WHOLE.get(dtype, dtype)), at + array.nbytes
    fields.setdefault("values", np.ones(len(fields["indices"])))
    fields.setdefault("weight", np.ones(len(fields["y"])))
    if fields["skipped"] is not None:
        fields["skipped"] = [(row, tag) for row, tag in fields["skipped"]]
    return Batch(source=sources[head["source"]], **fields)
