"""Files that are written whole or not at all. Imports neither numpy nor numba."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from typing import BinaryIO


def target_problem(path: str | os.PathLike) -> str:
    """Why `whole_file` could not write to `path`; empty where it could, as far as can be told beforehand."""
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        return "it is a folder"
    if not os.path.exists(target) and not os.path.isdir(folder):
        return f"there is no folder {folder}"
    if _is_special(target):
        return "" if os.access(target, os.W_OK) else "permission denied"
    return "" if os.access(folder, os.W_OK) else f"no permission to write into {folder}"


def _is_special(path: str) -> bool:
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


@contextlib.contextmanager
def whole_file(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """A binary file that takes `path`'s place when the block ends well, and leaves nothing behind when it does not.

    A symbolic link stays one and its target is replaced; the mode of an existing file is kept. What is no regular file
    (``/dev/null``, a pipe) is written to directly. Raises OSError.
    """
    path = os.fspath(path)
    if _is_special(path) and not os.path.isdir(path):
        with open(path, "wb") as file:
            yield file
        return
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    temporary = os.path.join(folder, f".sonlearn-{secrets.token_hex(8)}.tmp")
    # Not tempfile.mkstemp: its mode 0600 ignores the user's umask.
    file = open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666), "wb")  # noqa: SIM115
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            _keep_owner_and_mode(target, temporary)
        os.replace(temporary, target)
    except BaseException:  # Ctrl-C as well
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _keep_owner_and_mode(source: str, target: str) -> None:
    if hasattr(os, "chown"):
        status = os.stat(source)
        with contextlib.suppress(PermissionError):
            os.chown(target, status.st_uid, status.st_gid)
    with contextlib.suppress(PermissionError):
        shutil.copymode(source, target)


def _sync_folder(folder: str) -> None:
    """Make the new name itself survive a power cut, where the system lets a folder be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
