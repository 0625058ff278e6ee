"""Model files: a JSON header and arrays, whole or not at all.

Layout, integers little-endian::

    8 bytes   magic, b"\\x93sonl\\r\\n\\x1a" (not text, and damaged by any newline translation)
    uint32    format version
    uint32    length of the header in bytes, padding included
    uint64    length of the whole file in bytes
    header    JSON in UTF-8, padded with spaces so that the data begins at a multiple of 64
    data      arrays, C order, little-endian, each at a multiple of 64 from the data's beginning, zeros between
    32 bytes  SHA-256 of everything before

The header is ``{"written_by": "sonlearn 0.1.0", "header": ..., "arrays": [{"name", "dtype", "shape", "offset"}]}``.
An array of `MIN_PACKED_BYTES` to `MAX_PACKED_BYTES` bytes is packed (`pack`) if that makes it smaller; its entry then
has ``"packed"``, the number of its bytes in the file. Packing pays because hash tables are mostly empty and columns
mostly alike. Larger arrays are not packed, which would take time. Infinite numbers are written as
``{"$float": "inf"}``, because JSON has none. This module does not depend on learners, so sketches and other states have
the same format; the header's ``kind`` identifies the content.

No pickle: a file contains numbers and text, never code. The format follows safetensors, with a checksum in addition,
because a flipped bit in a weight would never be noticed.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import struct
import zlib
from collections.abc import Iterator
from io import BufferedReader
from typing import Any

import numpy as np

from sonlearn import __version__
from sonlearn.errors import ModelFileError, OutputError
from sonlearn.files.atomic import target_problem, whole_file

MAGIC = b"\x93sonl\r\n\x1a"
FORMAT_VERSION = 2
#: Sizes in bytes of the arrays that are packed.
MIN_PACKED_BYTES, MAX_PACKED_BYTES = 1 << 10, 1 << 24
#: No byte of what zlib has packed stands for more.
_RATIO = 1040
_PREAMBLE = struct.Struct("<8sIIQ")
_READ = 1 << 20
_ALIGN = 64
_DIGEST = 32
_DTYPES = {"<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "<u8", "<u4", "<u2", "|u1", "|b1"}


def write(path: str | os.PathLike[str], header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Write a model file; `path` holds either the whole new file or what it held before.

    Parameters
    ----------
    path : path
        Written beside itself and moved into place. A symbolic link stays one and its target is replaced; the mode of
        an existing file is kept. What is no regular file (``/dev/null``, a pipe) is written to directly.
    header : dict
        JSON-able; ``kind`` tells what the file holds.
    arrays : dict of str to array
        Booleans, integers or floats. C-contiguous little-endian arrays are not copied.

    Raises
    ------
    ModelFileError
        The file cannot be written (permission, disk full).
    """
    arrays = {name: _storable(name, array) for name, array in arrays.items()}
    stored = {name: _stored(array) for name, array in arrays.items()}
    preamble = _preamble(header, arrays, stored)
    import hashlib

    path = os.fspath(path)
    try:
        with whole_file(path) as file:
            digest = hashlib.sha256()
            for part in _parts(preamble, stored):
                digest.update(part)
                file.write(part)
            file.write(digest.digest())
    except OutputError as error:
        raise ModelFileError(str(error)) from None


def read(
    path: str | os.PathLike[str], kind: str | None = None, version: int | None = None
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read what `write` has written: (header, arrays), bit for bit.

    Parameters
    ----------
    path : path
    kind : str or None
        What the header must say it holds; None: anything.
    version : int or None
        The version of that kind's own format that the header must name; None: any.

    Raises
    ------
    ModelFileError
        The file cannot be read, is no model file, is truncated or damaged, has another kind, or a format version of
        a newer sonlearn.
    """
    path = os.fspath(path)
    with _opened(path) as (file, size):
        header, arrays, writer = _read(path, file, size)
    if kind is not None:
        check_model(header, kind, version, writer, f"{path}: ")
    return header, arrays


def kind_of(path: str | os.PathLike[str]) -> str:
    """Say what a file holds by its header, without reading the arrays; errors as for `read`, but for damage in them."""
    path = os.fspath(path)
    with _opened(path) as (file, size):
        return str(json.loads(_start(path, file, size)[0])["header"]["kind"])


def pack(array: np.ndarray) -> bytes:
    """The array's bytes, smaller: column by column, the first bytes of all numbers, then the second ones, by zlib."""
    columns = np.ascontiguousarray(array.T).reshape(-1)
    places = columns.view(np.uint8).reshape(-1, array.itemsize).T
    return zlib.compress(np.ascontiguousarray(places).data, 1)


def unpack(data: bytes, dtype: str | np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Inverse of `pack`. Raises ValueError where `data` is not that array."""
    array = np.empty(shape[::-1], dtype)
    unpacker = zlib.decompressobj()
    try:
        found = unpacker.decompress(data, array.nbytes) if array.nbytes else b""
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(found) != array.nbytes or unpacker.decompress(unpacker.unconsumed_tail, 1):
        raise ValueError("packed numbers are not as many as they should be")
    places = np.frombuffer(found, np.uint8).reshape(array.itemsize, -1)
    array.reshape(-1).view(np.uint8).reshape(-1, array.itemsize)[...] = places.T
    return np.ascontiguousarray(array.T).reshape(shape)


def flat(state: Any, name: str) -> dict[str, np.ndarray]:
    """The arrays of a state by dotted name; its fields are found, not told.

    A state is an array, or a (named) tuple of states. Of a structured array every field is stored as an array.
    """
    if isinstance(state, tuple):
        fields = getattr(state, "_fields", None) or range(len(state))
        parts = [flat(part, f"{name}.{field}") for field, part in zip(fields, state, strict=True)]
        return {key: array for part in parts for key, array in part.items()}
    if state.dtype.names:
        return {f"{name}.{field}": np.ascontiguousarray(state[field]) for field in state.dtype.names}
    return {name: state}


class Maybe(tuple[Any, ...]):
    """In a template: the states that are in it, or none of them and an empty tuple."""


def rebuilt(template: Any, arrays: dict[str, np.ndarray], name: str) -> Any:
    """Inverse of `flat`: a state of the form of `template`, with the content of `arrays`.

    Shapes and types must be the template's, but for the first axis of what has length 0 there: that grows.

    Raises
    ------
    KeyError, ValueError
        An array is missing, or of another shape or type.
    """
    if isinstance(template, Maybe) and not any(key.startswith(f"{name}.") for key in arrays):
        return ()
    if isinstance(template, tuple):
        fields = getattr(template, "_fields", None) or range(len(template))
        parts = [rebuilt(part, arrays, f"{name}.{field}") for field, part in zip(fields, template, strict=True)]
        return type(template)(*parts) if hasattr(template, "_fields") else tuple(parts)
    if template.dtype.names:
        columns = {
            field: _fitting(template[field], arrays[f"{name}.{field}"], f"{name}.{field}")
            for field in template.dtype.names
        }
        out = np.zeros(next(iter(columns.values())).shape, template.dtype)
        for field, part in columns.items():
            out[field] = part
        return out
    return _fitting(template, arrays[name], name)


def _fitting(template: np.ndarray, array: np.ndarray, name: str) -> np.ndarray:
    shape = template.shape
    if shape and shape[0] == 0 and array.ndim:
        shape = (len(array), *shape[1:])
    if array.shape != shape or array.dtype != template.dtype:
        raise ValueError(f"{name} is {array.dtype}{array.shape}, expected {template.dtype}{shape}")
    return array


def check_model(header: dict[str, Any], kind: str, version: int | None, writer: str = "", place: str = "") -> None:
    """Raise ModelFileError where a header is not of this kind of model, or of another version of its format.

    `version`: None for any; `writer`: which sonlearn wrote it, where that is known; `place`: how the message begins.
    """
    if header.get("kind") != kind:
        raise ModelFileError(f"{place}holds a {header.get('kind', 'state without a kind')}, expected a {kind}")
    found = header.get("format")
    if version is not None and found != version:
        newer = isinstance(found, int) and found > version
        earlier = f"{writer} wrote it: read it with that one" if writer else "it is of an earlier sonlearn"
        remedy = "a newer sonlearn is needed" if newer else f"{earlier}, or train it anew"
        raise ModelFileError(f"{place}has model format {found}, this sonlearn {__version__} reads {version}; {remedy}")


def check_target(path: str | os.PathLike[str]) -> None:
    """Raise ModelFileError where `write` could not succeed, or would replace what is no model, before a long run."""
    problem = target_problem(path)
    if problem:
        raise ModelFileError(f"{os.fspath(path)}: cannot be written: {problem}")
    if os.path.isfile(path) and os.access(path, os.R_OK):
        with open(path, "rb") as file:
            start = file.read(len(MAGIC))
        if start != MAGIC[: len(start)]:
            raise ModelFileError(
                f"{os.fspath(path)}: cannot be written: a file that is no model is there, and would be lost; give "
                "another name, or remove it"
            )


# --------------------------------------------------------------------------------------------------- writing


def _storable(name: str, array: np.ndarray) -> np.ndarray:
    array = np.asarray(array)
    dtype = array.dtype.newbyteorder("<")
    if dtype.str not in _DTYPES:
        raise TypeError(f"array {name!r} of dtype {array.dtype} cannot be stored")
    return np.asarray(array, dtype=dtype, order="C")


def _stored(array: np.ndarray) -> memoryview | bytes:
    """The bytes of an array in the file; `bytes` are packed ones."""
    raw = array.reshape(-1).view(np.uint8).data if array.size else memoryview(b"")
    small = pack(array) if MIN_PACKED_BYTES <= array.nbytes <= MAX_PACKED_BYTES else raw
    return small if len(small) < array.nbytes else raw


def _preamble(header: dict[str, Any], arrays: dict[str, np.ndarray], stored: dict[str, Any]) -> bytes:
    entries, offset = [], 0
    for name, array in arrays.items():
        length = len(stored[name])
        packed = {"packed": length} if isinstance(stored[name], bytes) else {}
        entries.append({"name": name, "dtype": array.dtype.str, "shape": list(array.shape), "offset": offset, **packed})
        offset += length + -length % _ALIGN
    envelope = {"written_by": f"sonlearn {__version__}", "header": _encode(header), "arrays": entries}
    text = json.dumps(envelope, allow_nan=False).encode()  # ASCII: escapes keep what is not UTF-8
    text += b" " * (-(len(text) + _PREAMBLE.size) % _ALIGN)
    total = _PREAMBLE.size + len(text) + offset + _DIGEST
    return _PREAMBLE.pack(MAGIC, FORMAT_VERSION, len(text), total) + text


def _parts(preamble: bytes, stored: dict[str, Any]) -> Iterator[bytes | memoryview]:
    yield preamble
    for data in stored.values():
        if len(data):
            yield data
            yield bytes(-len(data) % _ALIGN)


def _encode(value: Any) -> Any:
    """`value` in JSON's terms: infinities and NaN as ``{"$float": ...}``, numpy's scalars as Python's."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": repr(value)}
    if isinstance(value, dict):
        return {key: _encode(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encode(item) for item in value]
    return value


# --------------------------------------------------------------------------------------------------- reading


@contextlib.contextmanager
def _opened(path: str) -> Iterator[tuple[BufferedReader, int]]:
    """A file and its size. Raises ModelFileError, also in place of what reading a file raises that is no model."""
    try:
        with open(path, "rb") as file:
            yield file, os.fstat(file.fileno()).st_size
    except ModelFileError:
        raise
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _damaged(path) from None


def _start(path: str, file: BufferedReader, size: int) -> tuple[bytes, int]:
    """The header's text, and the bytes of data that follow; checks all that comes before."""
    start = file.read(_PREAMBLE.size)
    if not start:
        raise ModelFileError(f"{path}: is empty, expected a sonlearn model file")
    if start[: len(MAGIC)] != MAGIC[: len(start)]:
        of_vw = start[1:4] == b"\0\0\0" and start[5:6] == b"."  # the length of its version, such as 9.11.9
        remedy = ", but one of Vowpal Wabbit: train anew from the data" * of_vw
        raise ModelFileError(f"{path}: is not a sonlearn model file{remedy}")
    if len(start) < _PREAMBLE.size:
        raise _truncated(path, size)
    _, version, length, total = _PREAMBLE.unpack(start)
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"{path}: has format version {version}, this sonlearn {__version__} reads up to {FORMAT_VERSION}; "
            "a newer sonlearn is needed"
        )
    if size < total:
        raise _truncated(path, size)
    if size > total or total < _PREAMBLE.size + length + _DIGEST:
        raise _damaged(path)
    return file.read(length), size - _PREAMBLE.size - length - _DIGEST


def _read(path: str, file: BufferedReader, size: int) -> tuple[dict[str, Any], dict[str, np.ndarray], str]:
    """(header, arrays, which sonlearn has written them)."""
    import hashlib

    text, room = _start(path, file, size)
    file.seek(0)
    digest, left = hashlib.sha256(), size - _DIGEST
    while left > 0 and (block := file.read(min(left, _READ))):
        digest.update(block)
        left -= len(block)
    if file.read() != digest.digest():
        raise _damaged(path)
    envelope, arrays = json.loads(text, object_hook=_decode), {}
    for entry in envelope["arrays"]:
        file.seek(size - _DIGEST - room + entry["offset"])
        arrays[entry["name"]] = _array(file, entry, room)
    return dict(envelope["header"]), arrays, str(envelope["written_by"])


def _array(file: Any, entry: dict[str, Any], room: int) -> np.ndarray:
    """The array of an `entry` of the header, whose bytes come next; ValueError where `room` bytes cannot hold it."""
    shape, dtype = tuple(entry["shape"]), entry["dtype"]
    if dtype not in _DTYPES or min(shape, default=0) < 0:
        raise ValueError(f"an array of type {dtype} and shape {shape}")
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    packed = entry.get("packed", n_bytes)
    if packed > room or n_bytes > _RATIO * packed:
        raise ValueError(f"an array of {n_bytes} bytes in {packed}")
    if "packed" in entry:
        return unpack(file.read(packed), dtype, shape)
    array = np.empty(shape, dtype)
    file.readinto(array.reshape(-1).view(np.uint8).data)
    return array


def _decode(value: dict[str, Any]) -> Any:
    return float(value["$float"]) if value.keys() == {"$float"} else value


def _truncated(path: str, size: int) -> ModelFileError:
    return ModelFileError(f"{path}: is truncated: it ends after {size} bytes, in the middle of the model")


def _damaged(path: str) -> ModelFileError:
    return ModelFileError(f"{path}: is damaged: its content does not match its checksum")
