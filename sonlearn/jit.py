"""The package's only jit decorator.

Numba's disk cache looks at the file that contains a kernel and at nothing else: after an edit (or an upgrade) of a
helper in another file, the cached caller goes on running the old helper, silently. So kernels are cached in a folder
named by a hash of all sources of the package: any edit gives a fresh folder, a rerun hits the cache, the package's own
folder is never written to, and other users of numba are not affected. Folders of other versions are removed after
a month without use.

``error_model="numpy"``: a division by zero gives inf, which kernels test for, instead of a Python exception.
No fast-math anywhere: it would make ``isnan`` lie.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numba
import numba.core.event

_PACKAGE = Path(__file__).parent
_KEEP_SECONDS = 30 * 24 * 3600
_SETTINGS = {"nogil": True, "error_model": "numpy"}


@functools.cache
def sources_hash() -> str:
    """Hash of the package's sources and of what compiles them."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    explicit = os.environ.get("SONLEARN_CACHE_DIR")
    if explicit:
        return Path(explicit)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return (Path(base) if base else Path.home() / "AppData" / "Local") / "sonlearn" / "kernels"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "sonlearn" / "kernels"


@functools.cache
def cache_folder() -> Path | None:
    """Folder for compiled kernels of exactly these sources; None where no place can be written to."""
    private = Path(tempfile.gettempdir()) / f"sonlearn-kernels-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    for root in (_safe(_cache_root), lambda: private):
        path = root()
        if path is None:
            continue
        folder = path / sources_hash()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (folder / "used").touch()
            if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
                continue  # somebody else's folder: what it holds is code
        except OSError:
            continue
        _prune(path, keep=folder)
        return folder
    return None


def _safe(find: Callable[[], Path]) -> Callable[[], Path | None]:
    def attempt() -> Path | None:
        try:
            return find()
        except RuntimeError:  # no home directory
            return None

    return attempt


def _prune(root: Path, keep: Path) -> None:
    """Remove folders of other versions that have not been used for a month."""
    for folder in root.iterdir():
        try:
            if folder != keep and time.time() - (folder / "used").stat().st_mtime > _KEEP_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


def is_compiled() -> bool:
    """Whether a former run has left compiled kernels for these sources."""
    folder = cache_folder()
    return bool(numba.config.DISABLE_JIT) or (folder is not None and any(folder.rglob("*.nbc")))


class _FirstCompilation(numba.core.event.Listener):
    def __init__(self, call: Callable[[], None]):
        self._call: Callable[[], None] | None = call

    def on_start(self, event: numba.core.event.Event) -> None:
        call, self._call = self._call, None
        if call is not None:
            call()

    def on_end(self, event: numba.core.event.Event) -> None:
        pass


def on_first_compilation(call: Callable[[], None]) -> contextlib.AbstractContextManager:
    """While entered, call `call` once, just before a kernel has to be compiled because the cache does not hold it."""
    return numba.core.event.install_listener("numba:compile", _FirstCompilation(call))


def jit(function: Callable) -> Callable:
    """Compile `function` in nopython mode, without the GIL, cached by the sources of the whole package."""
    return _cached(function)


def inline(function: Callable) -> Callable:
    """A helper that LLVM may inline into its callers: compiled with them, not cached by itself."""
    return numba.njit(**_SETTINGS)(function)


def bare_jit(function: Callable) -> Callable:
    """`jit` for a kernel that allocates and returns no array: arrays are not reference-counted on the way down.

    Counting costs two atomic operations per array and call; it halves the speed of a parser, whose helpers are short.
    What such a kernel calls must be `bare_inline`.
    """
    return _cached(function, _nrt=False)


def bare_inline(function: Callable) -> Callable:
    """`inline` for helpers of a `bare_jit` kernel."""
    return numba.njit(**_SETTINGS, _nrt=False)(function)


def _cached(function: Callable, **settings: bool) -> Callable:
    folder = cache_folder()
    if folder is None:
        return numba.njit(**_SETTINGS, **settings)(function)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        return numba.njit(**_SETTINGS, **settings, cache=True)(function)
    finally:
        numba.config.CACHE_DIR = before
