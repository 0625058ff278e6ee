"""Files that are written whole or not at all. Imports neither numpy nor numba."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from typing import BinaryIO

from sonlearn.errors import OutputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_TEMPORARY = re.compile(r"\.sonlearn-[0-9a-f]{16}\.tmp")


def target_problem(path: str | os.PathLike[str]) -> str:
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
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file that takes `path`'s place when the block ends well, and leaves nothing behind when it does not.

    A symbolic link stays one and its target is replaced; the mode of an existing file is kept. What is no regular file
    (``/dev/null``, a pipe) is written to directly. What a killed process has left in the folder is removed first.
    Raises OutputError.
    """
    path = os.fspath(path)
    with writing(path):
        if _is_special(path) and not os.path.isdir(path):
            with open(path, "wb") as special:
                yield special
            return
        target = os.path.realpath(path)
        folder = os.path.dirname(target)
        remove_stale(folder)
        file, temporary = _temporary(folder)
        try:
            with file:
                yield file
                file.flush()
                os.fsync(file.fileno())
                if os.path.exists(target):
                    _keep_owner_and_mode(target, temporary)
                if fcntl is not None:  # elsewhere a file has to be closed before it is moved
                    os.replace(temporary, target)
            if fcntl is None:
                os.replace(temporary, target)
        except BaseException:  # Ctrl-C as well
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        _sync_folder(folder)


def remove_stale(folder: str) -> None:
    """Remove the temporary files in `folder` whose writer is gone.

    A writer holds a lock on its file, which the system takes back however the writer ends; so what can be locked is
    nobody's. (Where there are no such locks, a file that is open cannot be removed.)
    """
    try:
        names = [name for name in os.listdir(folder) if _TEMPORARY.fullmatch(name)]
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDWR) if fcntl is not None else None
            try:
                if fcntl is not None and descriptor is not None:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(path)
            finally:
                if descriptor is not None:
                    os.close(descriptor)


def _temporary(folder: str) -> tuple[BinaryIO, str]:
    """A new file in `folder`, locked, and its name."""
    while True:
        path = os.path.join(folder, f".sonlearn-{secrets.token_hex(8)}.tmp")
        # Not tempfile.mkstemp: its mode 0600 ignores the user's umask.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        file = open(descriptor, "wb")  # noqa: SIM115
        if fcntl is None:
            return file, path
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            os.stat(path)
            return file, path
        except FileNotFoundError:  # taken for a stale one before it was locked
            file.close()


@contextlib.contextmanager
def writing(name: str) -> Iterator[None]:
    """Make an OSError in the block an OutputError that names the file; a reader that has gone stays BrokenPipeError."""
    try:
        yield
    except (BrokenPipeError, OutputError):
        raise
    except OSError as error:
        raise OutputError(f"{name}: cannot be written: {error.strerror or error}") from error


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
