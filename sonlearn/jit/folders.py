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
import shutil
import stat
import sys
import tempfile
import time
from pathlib import Path

_KEEP_SECONDS = 30 * 24 * 3600


@functools.cache
def roots() -> tuple[Path, ...]:
    """Parent folders to read kernels from, and to write to: $SONLEARN_CACHE_DIR, the user's cache, a private folder.

    If $SONLEARN_CACHE_DIR cannot be written to, the user's own cache receives the kernels.
    """
    found = [Path(explicit)] if (explicit := os.environ.get("SONLEARN_CACHE_DIR")) else []
    with contextlib.suppress(RuntimeError):  # no home directory
        found.append(_user_root())
    found.append(Path(tempfile.gettempdir()) / f"sonlearn-kernels-{os.getuid() if hasattr(os, 'getuid') else 'user'}")
    return tuple(found)


def _user_root() -> Path:
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return (Path(base) if base else Path.home() / "AppData" / "Local") / "sonlearn" / "kernels"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "sonlearn" / "kernels"


@functools.cache
def folders(name: str) -> tuple[Path | None, tuple[Path, ...]]:
    """(folder `name` to write kernels to, or None; further folders of that name, which are read first)."""
    readable = []
    for root in roots():
        folder = root / name
        if _writable(folder):
            _prune(root)
            return folder, tuple(readable)
        if trusted(folder):
            readable.append(folder)
    return None, tuple(readable)


def _writable(folder: Path) -> bool:
    """Whether `folder`, created if necessary, belongs to this user and can be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / "used").touch()
        return not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()
    except OSError:
        return False


def trusted(folder: Path) -> bool:
    """Whether only root and this user can have written code to `folder`.

    The folder, its files and all parent folders must belong to root or to this user, and nobody else may write to them
    (parent folders may be writable by all if they are sticky, as /tmp is).
    """
    if not hasattr(os, "getuid"):
        return False

    def safe(path: Path, sticky: bool) -> bool:
        status = path.lstat()
        shared = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not (sticky and status.st_mode & stat.S_ISVTX)
        return status.st_uid in (0, os.getuid()) and not shared

    try:
        folder = folder.resolve(strict=True)
        inside = all(safe(path, False) for path in (folder, *folder.iterdir()))
        return inside and all(safe(path, True) for path in folder.parents)
    except OSError:
        return False


@functools.cache
def _prune(root: Path) -> None:
    """Remove folders of other versions that have not been used for a month."""
    for folder in root.iterdir():
        try:
            if time.time() - (folder / "used").stat().st_mtime > _KEEP_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue
