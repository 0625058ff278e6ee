"""Atomic writes of files, and files that grow line by line. Imports neither numpy nor numba."""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from typing import BinaryIO

from sonlearn.errors import OutputError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

#: Names that mean standard output. ``/dev/stdout`` is opened by number, since opening it by name would truncate a
#: file that the shell appends to.
STDOUT = ("-", "/dev/stdout")

_TEMPORARY = r"\.sonlearn-[0-9a-f]{16}\.tmp|\..+\.sonlearn-lock"


def target_problem(path: str | os.PathLike[str], in_place: bool = False) -> str:
    """Say why `whole_file`, or `in_place` a `LineFile`, cannot write to `path`; empty: no problem is known before."""
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if os.path.isdir(target):
        return "it is a folder"
    if not os.path.exists(target) and not os.path.isdir(folder):
        return f"there is no folder {folder}"
    if _is_special(target) or (in_place and os.path.exists(target)):
        return "" if os.access(target, os.W_OK) else "permission denied"
    return "" if os.access(folder, os.W_OK) else f"no permission to write into {folder}"


def _is_special(path: str) -> bool:
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str], mode: int = 0o666, lasting: bool = True) -> Iterator[BinaryIO]:
    """A binary file that replaces `path` when the block succeeds, and is removed when it fails.

    If `path` is a symbolic link, its target is replaced. An existing file keeps its mode, a new one has `mode` without
    what the umask takes away. A `path` that is not a regular file (``/dev/null``, a pipe) is written to
    directly. What is not `lasting` can be made anew: it may not survive a power cut, and temporary files of killed
    processes in the folder are not removed first. Raises OutputError.
    """
    path = os.fspath(path)
    with writing(path):
        if _is_special(path) and not os.path.isdir(path):
            with open(path, "wb") as special:
                yield special
            return
        target = os.path.realpath(path)
        folder = os.path.dirname(target)
        if lasting:
            remove_stale(folder)
        temporary = os.path.join(folder, f".sonlearn-{os.urandom(8).hex()}.tmp")
        try:
            with _new_file(temporary, mode) as file:
                yield file
                file.flush()
                if lasting:
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
        if lasting:
            _sync_folder(folder)


@contextlib.contextmanager
def whole_output(path: str) -> Iterator[BinaryIO]:
    """`whole_file`, or standard output for one of `STDOUT`. Raises OutputError."""
    if path not in STDOUT:
        with whole_file(path) as file:
            yield file
        return
    with writing("standard output"):
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()


def remove_stale(folder: str) -> None:
    """Remove the temporary files in `folder` whose writer no longer runs.

    A writer holds a lock on its file, which the system releases at the end of the process, so a file that can be locked
    has no writer. (On systems without such locks, an open file cannot be removed.)
    """
    try:
        names = [name for name in os.listdir(folder) if re.fullmatch(_TEMPORARY, name)]
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError):
            if fcntl is None:
                os.unlink(path)
                continue
            with open(path, "r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(path)


@contextlib.contextmanager
def locked(path: str | None) -> Iterator[None]:
    """Keep other processes from writing to `path` until the end of the block, or of the process.

    That is a lock on a hidden file beside it, for `path` itself is replaced; where there can be none, nothing is kept.
    Raises OutputError where another has it.
    """
    target = os.path.realpath(path or os.devnull)
    lock = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.sonlearn-lock")
    try:
        file = None if fcntl is None or _is_special(target) else open(lock, "wb")  # noqa: SIM115
    except OSError:  # what writes will say why
        file = None
    if file is None:
        yield
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            ours = os.path.samestat(os.fstat(file.fileno()), os.stat(lock))
        except (BlockingIOError, FileNotFoundError):
            ours = False
        except OSError:  # a file system without locks
            ours = True
        if not ours:
            raise OutputError(f"{path}: another process writes to it; end that one, or give another name")
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.unlink(lock)


def _new_file(path: str, mode: int) -> BinaryIO:
    """A new file, locked."""
    while True:
        # Not tempfile.mkstemp: its mode 0600 ignores the user's umask.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        file = open(descriptor, "wb")  # noqa: SIM115
        if fcntl is None:
            return file
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            os.stat(path)
            return file
        except FileNotFoundError:  # taken for a stale one before it was locked
            file.close()


@contextlib.contextmanager
def writing(name: str, left: str = "") -> Iterator[None]:
    """Turn an OSError in the block into an OutputError that names the file, and says what is `left` in it.

    A BrokenPipeError is not changed.
    """
    try:
        yield
    except (BrokenPipeError, OutputError):
        raise
    except OSError as error:
        raise OutputError(f"{name}: cannot be written: {error.strerror or error}{left}") from error


def _keep_owner_and_mode(source: str, target: str) -> None:
    if hasattr(os, "chown"):
        status = os.stat(source)
        with contextlib.suppress(PermissionError):
            os.chown(target, status.st_uid, status.st_gid)
    with contextlib.suppress(PermissionError):
        os.chmod(target, stat.S_IMODE(os.stat(source).st_mode))


def _sync_folder(folder: str) -> None:
    """Make the new name itself survive a power cut, where the system lets a folder be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class LineFile:
    """Lines that are written as they come, and flushed: a pipe's reader gets them at once, a killed run leaves them.

    Parameters
    ----------
    path : str
        A file, or one of `STDOUT`. It is opened, and an existing one emptied, at the first write: a run that fails
        before it leaves the file alone.
    lines : int or None
        Whole lines of an existing file that stay, for a run that goes on; what is behind them goes. A number is checked
        at once. None: all whole lines, also of a file that does not exist yet.
    is_csv : bool
        Whether a line may end within double quotes, and does not count then.

    Raises
    ------
    OutputError
        The file has fewer lines, or cannot be written.
    """

    def __init__(self, path: str, lines: int | None = 0, is_csv: bool = False):
        self._path, self._lines = path, lines
        self._file: BinaryIO | None = None
        if lines and path not in STDOUT and (os.path.isfile(path) or not os.path.exists(path)):
            with writing(path):
                self._file = _continued(path, lines, is_csv)

    def write(self, lines: str) -> None:
        """Write `lines`. Raises OutputError, BrokenPipeError where the reader has gone."""
        name, left = (
            ("standard output", "") if self._path in STDOUT else (self._path, "; it has a part of the lines only")
        )
        if self._file is None:
            with writing(name):
                self._file = self._opened()
        with writing(name, left):
            # surrogateescape: a tag that is not UTF-8 leaves as the bytes it came in as
            self._file.write(lines.encode("utf-8", "surrogateescape"))
            self._file.flush()

    def close(self) -> None:
        """Close a file of our own. All was flushed, so what cannot be written has been reported before."""
        if self._file is not None and self._path not in STDOUT:
            with contextlib.suppress(OSError):
                self._file.close()
        self._file = None

    def _opened(self) -> BinaryIO:
        if self._path in STDOUT:
            return sys.stdout.buffer
        if self._lines is None and os.path.isfile(self._path):
            return _continued(self._path, None)
        return open(self._path, "wb")


def _continued(path: str, lines: int | None, is_csv: bool = False) -> BinaryIO:
    """The file behind its first `lines` lines (None: behind the last whole one), where it ends from now on.

    A line of CSV goes on behind an odd number of double quotes.
    """
    file = open(path, "r+b") if lines is None or os.path.exists(path) else io.BytesIO()  # noqa: SIM115
    found = end = read = quotes = 0
    while found != lines and (line := file.readline()).endswith(b"\n"):
        read, quotes = read + len(line), quotes + is_csv * line.count(b'"')
        if quotes % 2 == 0:
            found, end = found + 1, read
    if lines is not None and found < lines:
        file.close()
        of = f"expected the {lines} of the run that is to go on: give its -p and -r as then"
        raise OutputError(f"{path}: has {found} whole lines, {of}")
    file.seek(end)
    file.truncate()
    return file
