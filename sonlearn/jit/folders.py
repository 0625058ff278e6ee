"""Where compiled kernels are stored: folders, and files that are read whole or not at all.

A cached kernel is code, so only folders that nobody else can have written to are used (`trusted`). Kernels are written
to the first of these that this user owns and can write to, and read from all before it, so a cache in a container image
or for all users of a machine serves all of them.

A file begins with the length and a checksum of what follows. One that does not match, whatever a power cut or a full
disk has left of it, is as good as none: what it held is made anew, and replaces it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.util import source_hash

from sonlearn.files.atomic import remove_stale, whole_file

_HEAD = 16
_OWNERS = hasattr(os, "getuid")
_DAY = 24 * 3600
_KEEP_SECONDS = 30 * _DAY


def roots() -> Iterator[str]:
    """Parent folders to read kernels from, and to write to: $SONLEARN_CACHE_DIR, the user's cache, a private folder.

    If $SONLEARN_CACHE_DIR cannot be written to, the user's own cache receives the kernels.
    """
    if explicit := os.environ.get("SONLEARN_CACHE_DIR"):
        yield explicit
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    if not base.startswith("~"):  # there is a home directory
        yield os.path.join(base, "sonlearn", "kernels")
    import tempfile  # which takes long to import, and is hardly ever needed

    owner = os.getuid() if _OWNERS else "user"
    yield os.path.join(tempfile.gettempdir(), f"sonlearn-kernels-{owner}")


@functools.cache
def folders(name: str) -> tuple[str | None, tuple[str, ...]]:
    """(folder `name` to write kernels to, or None; the folders of that name to read, that one the last)."""
    found = []
    for root in roots():
        folder = os.path.join(root, name)
        writable = _writable(folder)
        if trusted(folder):
            found.append(folder)
            if writable:
                return folder, tuple(found)
    return None, tuple(found)


def _writable(folder: str) -> bool:
    """Return whether `folder`, created if need be, is this user's and can be written to, in a place that is trusted."""
    used = os.path.join(folder, "used")
    try:
        if not all(_is_safe(path, True) for path in _above(os.path.realpath(folder)) if os.path.exists(path)):
            return False
        try:
            if time.time() - os.stat(used).st_mtime > _DAY:
                os.utime(used)
                remove_stale(folder)
        except FileNotFoundError:
            _make(folder)
            with open(used, "w", opener=own):
                pass
            _prune(os.path.dirname(folder))
        return os.access(folder, os.W_OK) and (not _OWNERS or os.stat(folder).st_uid == os.getuid())
    except OSError:
        return False


def _make(folder: str) -> None:
    """Make a folder and those above, which all may read and nobody else may write to, whatever this user's umask."""
    if not os.path.isdir(folder):
        _make(os.path.dirname(os.path.abspath(folder)))
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o755)


def trusted(folder: str) -> bool:
    """Return whether only root and this user can have written code to `folder`.

    The folder, its files and all parent folders must belong to root or to this user, and nobody else may write to them
    (parent folders may be writable by all if they are sticky, as /tmp is).
    """
    try:
        folder = os.path.realpath(folder, strict=True)
        inside = (folder, *(os.path.join(folder, name) for name in os.listdir(folder)))
        return all(_is_safe(path, False) for path in inside) and all(_is_safe(path, True) for path in _above(folder))
    except OSError:
        return False


def _is_safe(path: str, sticky: bool) -> bool:
    """Return whether only root and this user can write to a path, or, if `sticky`, others cannot remove what is in it.

    On Windows, where owners are not to be had, the user's own folder is trusted, and no other.
    """
    status = os.lstat(path)
    if not _OWNERS:
        return os.access(path, os.W_OK) or sticky
    shared = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not (sticky and status.st_mode & stat.S_ISVTX)
    return status.st_uid in (0, os.getuid()) and not shared


def _above(folder: str) -> list[str]:
    """All folders that a folder is in."""
    found = []
    while (parent := os.path.dirname(folder)) != folder:
        found.append(folder := parent)
    return found


@functools.cache
def _prune(root: str) -> None:
    """Remove folders of other versions that have not been used for a month."""
    import shutil

    for name in os.listdir(root):
        with contextlib.suppress(OSError):
            if time.time() - os.stat(os.path.join(root, name, "used")).st_mtime > _KEEP_SECONDS:
                shutil.rmtree(os.path.join(root, name), ignore_errors=True)


# ---------------------------------------------------------------------------------------------------- files


def find(folders: Iterable[str], file: str, key: bytes) -> bytes | None:
    """Find what the first of `folders` that has it whole keeps in a `file` for a `key`, without a zero byte."""
    begin = key + b"\0"
    for folder in folders:
        with contextlib.suppress(OSError), open(f"{folder}/{file}", "rb", buffering=0) as opened:
            head, text = opened.read(_HEAD), opened.read()
            if head == _head(text) and text.startswith(begin):
                return text[len(begin) :]
    return None


def keep(folder: str, file: str, key: bytes, data: bytes) -> None:
    """Write what `find` gives, without waiting for the disk. Two keys may have one file: the last is in it.

    Raises OSError.
    """
    text = key + b"\0" + data
    with whole_file(f"{folder}/{file}", 0o644, lasting=False) as opened:
        opened.write(_head(text) + text)


def name_of(function: Callable) -> str:
    """Return how the names of files begin that belong to a function."""
    return f"{function.__module__}.{function.__qualname__}-{function.__code__.co_firstlineno}"


def own(path: str, flags: int) -> int:
    """An opener of files that nobody else may write to."""
    return os.open(path, flags, 0o644)


def _head(data: bytes) -> bytes:
    return len(data).to_bytes(8, "little") + source_hash(data)
