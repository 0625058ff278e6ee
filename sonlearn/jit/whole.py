"""Files that are read whole or not at all, whatever a power cut or a full disk has left of them.

A file begins with the length and a checksum of what follows. One that does not match is as good as none: what it held
is made anew, and replaces it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import time
from collections.abc import Callable, Iterable
from importlib.util import source_hash

_HEAD = 16
#: Age after which a file that is being written is one whose process has died.
_DEAD_SECONDS = 600


class TakenError(Exception):
    """Another process makes what a file is to hold; the lock file that says so is named."""


def read(path: str) -> bytes:
    """What was written to a file. Raises OSError where there is none, or it is damaged."""
    with open(path, "rb", buffering=0) as file:
        data = file.read()
    if data[:_HEAD] != _head(data[_HEAD:]):
        raise OSError(f"{path}: damaged")
    return data[_HEAD:]


def write(path: str, data: bytes) -> None:
    """Write a file under another name, and give it its own once all of it is on the disk. Raises OSError."""
    _remove_dead(os.path.dirname(path))
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "wb", opener=own) as file:
            file.write(_head(data) + data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


def find(folders: Iterable[str], file: str, key: bytes) -> bytes | None:
    """What the first of `folders` that has it whole has kept in a `file` for a `key`, which is without a zero byte."""
    for folder in folders:
        with contextlib.suppress(OSError):
            noted, data = read(f"{folder}/{file}").split(b"\0", 1)
            if noted == key:
                return data
    return None


def keep(folder: str, file: str, key: bytes, data: bytes) -> None:
    """`write` what `find` gives. Two keys may have one file: the last is in it. Raises OSError."""
    write(f"{folder}/{file}", key + b"\0" + data)


def name_of(function: Callable) -> str:
    """How the names of files begin that belong to a function."""
    return f"{function.__module__}.{function.__qualname__}-{function.__code__.co_firstlineno}"


def own(path: str, flags: int) -> int:
    """An opener of files that nobody else may write to."""
    return os.open(path, flags, 0o644)


def _head(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little") + source_hash(data)


@functools.cache
def _remove_dead(folder: str) -> None:
    """Remove what processes have left that died while they wrote."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".part"):
                with contextlib.suppress(OSError):
                    if time.time() - entry.stat().st_mtime > _DEAD_SECONDS:
                        os.unlink(entry.path)
