"""The package's only jit decorator.

Numba's disk cache looks at the file that contains a kernel and at nothing else: after an edit (or an upgrade) of a
helper in another file, the cached caller goes on running the old helper, silently. So kernels are cached in a folder
named by a hash of their module and of all that it imports from the package (`sources_hash`): an edit of any of them
gives a fresh folder, a rerun hits the cache, the package's own folder is never written to, and other users of numba are
not affected. Folders of other versions are removed after a month without use.

``error_model="numpy"``: a division by zero gives inf, which kernels test for, instead of a Python exception.
No fast-math anywhere: it would make ``isnan`` lie.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
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


_IMPORT = re.compile(rb"^\s*from (sonlearn[\w.]*) import|^\s*import (sonlearn[\w.]*)", re.MULTILINE)
_TUPLE = re.compile(rb"^class \w+\(NamedTuple\):\n(?:(?:[ \t].*)?\n)*", re.MULTILINE)
_FIELD = re.compile(rb"^class \w+|^    \w+ *:", re.MULTILINE)


@functools.cache
def _sources() -> dict[str, bytes]:
    """All modules of the package, by dotted name."""
    found = {}
    for path in sorted(_PACKAGE.rglob("*.py")):
        parts = ("sonlearn", *path.relative_to(_PACKAGE).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path.read_bytes()
    return found


@functools.cache
def _shared() -> bytes:
    """Digest of what every kernel depends on: Numba, its optimisation level, Python, and the fields of named tuples.

    Kernels get such tuples as arguments and read fields by place, whether or not their module imports the class.
    """
    digest = hashlib.sha256(f"{numba.__version__} {numba.config.OPT} {sys.version}".encode())
    for text in _sources().values():
        for block in _TUPLE.findall(text):
            digest.update(b" ".join(_FIELD.findall(block)))
    return digest.digest()


@functools.cache
def sources_hash(module: str) -> str:
    """Hash of all that decides what a kernel of `module` compiles to: `_shared`, and all sources that it reaches."""
    sources, reached, waiting = _sources(), set(), [module]
    while waiting:
        name = waiting.pop()
        if name in sources and name not in reached:
            reached.add(name)
            waiting.extend((a or b).decode() for a, b in _IMPORT.findall(sources[name]))
    digest = hashlib.sha256(_shared())
    for name in sorted(reached):
        digest.update(name.encode() + sources[name])
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
def cache_folder(module: str) -> Path | None:
    """Folder for the compiled kernels of `module` as its sources are; None where no place can be written to."""
    private = Path(tempfile.gettempdir()) / f"sonlearn-kernels-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    for root in (_safe(_cache_root), lambda: private):
        path = root()
        if path is None:
            continue
        folder = path / sources_hash(module)
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (folder / "used").touch()
            if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
                continue  # somebody else's folder: what it holds is code
        except OSError:
            continue
        _prune(path)
        return folder
    return None


def _safe(find: Callable[[], Path]) -> Callable[[], Path | None]:
    def attempt() -> Path | None:
        try:
            return find()
        except RuntimeError:  # no home directory
            return None

    return attempt


@functools.cache
def _prune(root: Path) -> None:
    """Remove folders of other versions that have not been used for a month."""
    for folder in root.iterdir():
        try:
            if time.time() - (folder / "used").stat().st_mtime > _KEEP_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


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


def forced_inline(function: Callable) -> Callable:
    """`bare_inline` that LLVM must inline: for a few operations on arrays, which cost less than passing arrays does."""
    return numba.njit(**_SETTINGS, _nrt=False, forceinline=True)(function)


def _cached(function: Callable, **settings: bool) -> Callable:
    folder = cache_folder(function.__module__)
    if folder is None:
        return numba.njit(**_SETTINGS, **settings)(function)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        return numba.njit(**_SETTINGS, **settings, cache=True)(function)
    finally:
        numba.config.CACHE_DIR = before
