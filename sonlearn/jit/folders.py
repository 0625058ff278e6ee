"""Folders of compiled kernels.

Kernels are written to the first folder that this user owns and can write to. They are read from every trusted folder
(`trusted`), so a cache in a container image or for all users of a machine serves all of them. A cached kernel is
code, so trust matters. Numba's own locators read only folders that they can write to, and name folders by the path of
the installation; `sonlearn.jit.cache.Place` does neither.
"""

from __future__ import annotations

import contextlib
import functools
import os
import stat
import sys
import time
from collections.abc import Iterator

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

    owner = os.getuid() if hasattr(os, "getuid") else "user"
    yield os.path.join(tempfile.gettempdir(), f"sonlearn-kernels-{owner}")


@functools.cache
def folders(name: str) -> tuple[str | None, tuple[str, ...]]:
    """(folder `name` to write kernels to, or None; further folders of that name, which are read first)."""
    readable = []
    for root in roots():
        folder = os.path.join(root, name)
        if _writable(folder):
            return folder, tuple(readable)
        if trusted(folder):
            readable.append(folder)
    return None, tuple(readable)


def _writable(folder: str) -> bool:
    """Whether `folder`, created if necessary, belongs to this user and can be written to."""
    used = os.path.join(folder, "used")
    try:
        try:
            if time.time() - os.stat(used).st_mtime > _DAY:
                os.utime(used)
        except FileNotFoundError:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            with open(used, "w"):
                pass
            _prune(os.path.dirname(folder))
        return os.access(folder, os.W_OK) and (not hasattr(os, "getuid") or os.stat(folder).st_uid == os.getuid())
    except OSError:
        return False


def trusted(folder: str) -> bool:
    """Whether only root and this user can have written code to `folder`.

    The folder, its files and all parent folders must belong to root or to this user, and nobody else may write to them
    (parent folders may be writable by all if they are sticky, as /tmp is).
    """
    if not hasattr(os, "getuid"):
        return False

    def safe(path: str, sticky: bool) -> bool:
        status = os.lstat(path)
        shared = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not (sticky and status.st_mode & stat.S_ISVTX)
        return status.st_uid in (0, os.getuid()) and not shared

    try:
        folder = os.path.realpath(folder, strict=True)
        files = [os.path.join(folder, name) for name in os.listdir(folder)]
        inside = all(safe(path, False) for path in (folder, *files))
        return inside and all(safe(path, True) for path in _above(folder))
    except OSError:
        return False


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
