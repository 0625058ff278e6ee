"""Model files: a JSON header and arrays, whole or not at all.

A model file is a zip archive, of which `numpy.load` takes the arrays: first `HEADER`, then an array each as
``NAME.npy``, little-endian and in C order. The header is ``{"file": FORMAT_VERSION, "written_by": "sonlearn 0.1.0",
"header": ..., "arrays": [NAME, ...]}``, and infinite numbers in it are ``{"$float": "inf"}``, because JSON has none.
Arrays of `MIN_PACKED_BYTES` to `MAX_PACKED_BYTES` bytes are compressed, which pays because hash tables are mostly empty
and columns mostly alike: that is room for all tables of made-up features, and for the rows that trees keep. Larger ones
are weights of raw features, do not become small, and would take time. Each part has its CRC-32, because a flipped bit
in a weight would never be noticed. No pickle: a file contains numbers and text, never code. This module does not depend
on learners, so sketches and other states have the same format; the header's ``kind`` identifies the content.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import IO, Any

import numpy as np

from sonlearn import __version__
from sonlearn.errors import ModelFileError, OutputError
from sonlearn.files.atomic import target_problem, whole_file

HEADER = "sonlearn.json"
FORMAT_VERSION = 3
#: Sizes in bytes of the arrays that are packed.
MIN_PACKED_BYTES, MAX_PACKED_BYTES = 1 << 10, 1 << 26
#: How a file begins: the first part of an archive, whose name stands behind 30 bytes; and a model of an earlier format.
_ZIP, _NAME_AT, _EARLIER = b"PK\x03\x04", 30, b"\x93sonl"
_START = _NAME_AT + len(HEADER)


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
    try:
        with whole_file(path) as file:
            dump(file, header, arrays)
    except OutputError as error:
        raise ModelFileError(str(error)) from None


def dump(file: IO[bytes], header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """`write` to an open file."""
    import zipfile

    writer = f"sonlearn {__version__}"
    header = jsonable(header, _encoded)
    envelope = {"file": FORMAT_VERSION, "written_by": writer, "header": header, "arrays": list(arrays)}
    stream: Any = SimpleNamespace(write=file.write, flush=file.flush)  # as of a pipe: places in a device mean nothing
    with zipfile.ZipFile(stream, "w", compresslevel=1) as archive:
        with archive.open(HEADER, "w") as entry:
            entry.write(json.dumps(envelope, allow_nan=False).encode())  # ASCII: escapes keep what is not UTF-8
        for name, array in arrays.items():
            array = np.asarray(array, array.dtype.newbyteorder("<"), order="C")
            if array.dtype.kind not in "biuf":
                raise TypeError(f"array {name!r} of dtype {array.dtype} cannot be stored")
            small = MIN_PACKED_BYTES <= array.nbytes <= MAX_PACKED_BYTES
            archive.compression = zipfile.ZIP_DEFLATED if small else zipfile.ZIP_STORED
            with archive.open(f"{name}.npy", "w", force_zip64=array.nbytes >= 1 << 30) as entry:
                np.lib.format.write_array_header_1_0(entry, np.lib.format.header_data_from_array_1_0(array))
                entry.write(array.reshape(-1).view(np.uint8).data if array.size else b"")


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
    with _opened(path) as file:
        header, arrays, writer = load(file)
    if kind is not None:
        check_model(header, kind, version, writer, f"{path}: ")
    return header, arrays


def load(file: IO[bytes]) -> tuple[dict[str, Any], dict[str, np.ndarray], str]:
    """(header, arrays, which sonlearn has written them) of an open file; raises what `_opened` makes one error of."""
    import zipfile

    with zipfile.ZipFile(file) as archive:
        envelope, arrays = _envelope(archive), {}
        for name in envelope["arrays"]:
            with archive.open(f"{name}.npy") as entry:
                arrays[name] = np.lib.format.read_array(entry, allow_pickle=False)
                if entry.read(1):  # what was read to the end has been compared with its checksum
                    raise ValueError("bytes behind an array")
    return dict(envelope["header"]), arrays, str(envelope["written_by"])


def kind_of(path: str | os.PathLike[str]) -> str:
    """Say what a file holds by its header, without reading the arrays; errors as for `read`, but for damage in them."""
    import zipfile

    with _opened(os.fspath(path)) as file, zipfile.ZipFile(file) as archive:
        return str(_envelope(archive)["header"]["kind"])


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
            start = file.read(_START)
        if start and not (_is_model(start) or start.startswith(_EARLIER)):
            raise ModelFileError(
                f"{os.fspath(path)}: cannot be written: a file that is no model is there, and would be lost; give "
                "another name, or remove it"
            )


def _is_model(start: bytes) -> bool:
    return start.startswith(_ZIP[: len(start)]) and HEADER.encode().startswith(start[_NAME_AT:])


def jsonable(value: Any, number: Callable[[float], Any]) -> Any:
    """`value` with dicts, lists, texts and numbers only.

    Parameters
    ----------
    value : dict, list, tuple, array or scalar
        Entries of dicts that can only be called are left out.
    number : callable
        Every float goes through it; JSON has no infinite ones, and no NaN.
    """
    if isinstance(value, dict):
        return {key: jsonable(item, number) for key, item in value.items() if not callable(item)}
    if hasattr(value, "tolist"):  # an array or a scalar of NumPy
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [jsonable(item, number) for item in value]
    return number(value) if isinstance(value, float) else value


def _encoded(value: float) -> Any:
    return value if math.isfinite(value) else {"$float": repr(value)}


def _decode(value: dict[str, Any]) -> Any:
    return float(value["$float"]) if value.keys() == {"$float"} else value


@contextlib.contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """A file that begins as a model. Raises ModelFileError, also in place of what reading a damaged one raises."""
    try:
        with open(path, "rb") as file:
            start = file.read(_START)
            if not start:
                raise ModelFileError("is empty, expected a sonlearn model file")
            if start.startswith(_EARLIER):
                raise ModelFileError("is a model of an earlier sonlearn: read it with that one, or train anew")
            if not _is_model(start):
                of_vw = start[1:4] == b"\0\0\0" and start[5:6] == b"."  # the length of its version, such as 9.11.9
                remedy = ", but one of Vowpal Wabbit: train anew from the data" * of_vw
                raise ModelFileError(f"is not a sonlearn model file{remedy}")
            yield file
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from None
    except Exception as error:  # zipfile and numpy have many for what is damaged, tokenize.TokenError among them
        if isinstance(error, OSError) and error.errno != errno.EINVAL:  # which a place before the file's begin is
            raise ModelFileError(f"{path}: cannot be read: {error.strerror or error}") from None
        raise ModelFileError(f"{path}: is truncated or damaged: its content does not match its checksums") from None


def _envelope(archive: Any) -> dict[str, Any]:
    """The first part of an archive. Raises ModelFileError for one of a newer sonlearn."""
    envelope: dict[str, Any] = json.loads(archive.read(HEADER), object_hook=_decode)
    if envelope["file"] > FORMAT_VERSION:
        raise ModelFileError(
            f"has format version {envelope['file']}, this sonlearn {__version__} reads up to {FORMAT_VERSION}; "
            "a newer sonlearn is needed"
        )
    return envelope
