"""The package's only jit decorator.

Numba's disk cache looks at the file that contains a kernel and at nothing else: after an edit (or an upgrade) of a
helper in another file, the cached caller goes on running the old helper, silently. So kernels are cached in a folder
named by a hash of their module and of all that it imports from the package (`sources_hash`): an edit of any of them
gives a fresh folder, a rerun hits the cache, the package's own folder is never written to, and other users of numba are
not affected. Folders of other versions are removed after a month without use.

Kernels are written to the first place that this user owns and may write to, and read from every place that can be
trusted (`trusted`): so a cache that was filled for a container's image or for all users of a machine serves them all.
A cached kernel is code, hence the care. Numba's own locators read only where they can write, and name folders by the
path of the installation; `_Place` does neither.

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
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numba.core.caching as caching
import numba.core.event
from llvmlite import ir
from numba.extending import intrinsic

_PACKAGE = Path(__file__).parent
_KEEP_SECONDS = 30 * 24 * 3600
#: Whether kernels are compiled, or run as plain Python (NUMBA_DISABLE_JIT).
COMPILED = not numba.config.DISABLE_JIT
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
    """Digest of what every kernel depends on: Numba, its optimisation level and checks, Python, fields of named tuples.

    Kernels get such tuples as arguments and read fields by place, whether or not their module imports the class.
    """
    config = numba.config
    settings = (numba.__version__, config.OPT, config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT, sys.version)
    digest = hashlib.sha256(" ".join(map(str, settings)).encode())
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


@functools.cache
def roots() -> tuple[Path, ...]:
    """Where kernels are looked for, and written if possible: $SONLEARN_CACHE_DIR, the user's cache, a private folder.

    With $SONLEARN_CACHE_DIR the user's own cache comes second: it takes what may not be written to the first.
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
def cache_folders(module: str) -> tuple[Path | None, tuple[Path, ...]]:
    """(folder to write the kernels of `module` to, None where there is none; folders to read them from before that)."""
    name, readable = sources_hash(module), []
    for root in roots():
        folder = root / name
        if _writable(folder):
            _prune(root)
            return folder, tuple(readable)
        if trusted(folder):
            readable.append(folder)
    return None, tuple(readable)


def _writable(folder: Path) -> bool:
    """Whether `folder` is this user's own, made if need be, and can be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / "used").touch()
        return not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()
    except OSError:
        return False


def trusted(folder: Path) -> bool:
    """Whether only root and this user can have put code into `folder`.

    It, its files and all folders above belong to root or to this user, and nobody else may write to them (folders above
    may be open to all if they are sticky, as /tmp is).
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
    """`bare_inline` that LLVM must inline: for few operations on arrays whose passing would cost more than they do."""
    return numba.njit(**_SETTINGS, _nrt=False, forceinline=True)(function)


@intrinsic
def _fetch_line(typingctx: Any, array: Any, row: Any, line: Any) -> Any:
    """Ask for a cache line (64 bytes) of a row of a C-contiguous array; nothing is read, or waited for."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0])
        step = builder.extract_value(data.strides, 0)
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        at = builder.add(builder.mul(args[1], step), builder.shl(args[2], ir.Constant(args[2].type, 6)))
        place = builder.gep(builder.bitcast(data.data, byte), [at])
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        call = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        builder.call(call, [place, word(0), word(3), word(1)])
        return context.get_dummy_value()

    return numba.types.void(array, numba.types.int64, numba.types.int64), code


@forced_inline
def fetch(array, row, lines):
    """Begin to read the first `lines` cache lines of a row of `array` that will be used soon. It must exist."""
    if COMPILED:
        for line in range(lines):
            _fetch_line(array, row, line)


def _cached(function: Callable, **settings: bool) -> Callable:
    kernel = numba.njit(**_SETTINGS, **settings)(function)
    if not numba.config.DISABLE_JIT:
        own, others = cache_folders(function.__module__)
        kernel._cache = _Layers(function, own, others)
    return kernel


class _Place:
    """What Numba asks a locator for: a folder whose name says all that a kernel depends on."""

    def __init__(self, folder: Path, function: Callable):
        self._folder, self._line = folder, function.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """What kernels must have been made from: it is in the folder's name."""
        return self._folder.name

    def get_disambiguator(self) -> str:
        """Tells functions of the same name apart."""
        return str(self._line)

    def ensure_cache_path(self) -> None:
        """Called before writing; `cache_folders` has made the folder."""


def _cache_in(folder: Path, function: Callable) -> caching.FunctionCache:
    """Numba's cache of `function` in `folder`."""

    class Locator(_Place):
        @classmethod
        def from_function(cls, function: Callable, file: str) -> _Place:
            return _Place(folder, function)

    class Implementation(caching.CompileResultCacheImpl):
        _locator_classes = (Locator,)

    class Cache(caching.FunctionCache):
        _impl_class = Implementation

    return Cache(function)


class _Layers(caching.NullCache):
    """A kernel's caches: all are read, in order, and one may be written to."""

    def __init__(self, function: Callable, own: Path | None, others: tuple[Path, ...]):
        self._own = None if own is None else _cache_in(own, function)
        self._all = [_cache_in(folder, function) for folder in others] + ([self._own] if self._own else [])

    @property
    def cache_path(self) -> str | None:
        """Where kernels are written to."""
        return self._own and self._own.cache_path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel, None if no cache holds it."""
        for cache in self._all:
            with contextlib.suppress(OSError):
                found = cache.load_overload(sig, target_context)
                if found is not None:
                    return found
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel, if there is room for it: one that cannot be kept can be used."""
        if self._own is not None:
            with contextlib.suppress(OSError):
                self._own.save_overload(sig, data)
