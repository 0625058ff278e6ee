"""The cache of compiled kernels, which never returns a stale one.

Numba's disk cache checks only the file that contains a kernel: after an edit (or an upgrade) of a helper in another
file, the cached caller silently continues to run the old helper. So kernels are cached in a folder named by a hash of
their module and of all that it imports from the package (`sonlearn.jit.settings`). An edit of any of them leads to a
new folder, and a rerun hits the cache. The package's own folder is never written to, and other users of Numba are not
affected. Folders of other versions are removed after a month without use (`sonlearn.jit.folders`).

The cache uses `numba.core.caching`, with a locator like those of NUMBA_CACHE_LOCATOR_CLASSES, and a dispatcher's
attribute `_cache`. If several processes need a kernel, one of them compiles it (`_Turn`).
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from typing import Any

import numba.core.caching as caching

from sonlearn.jit.settings import cache_folders

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PATIENCE_SECONDS = 120


class Place:
    """A locator for Numba: a folder whose name identifies all that a kernel depends on."""

    def __init__(self, folder: str, function: Callable):
        self._folder, self._line = folder, function.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        """The folder."""
        return self._folder

    def get_source_stamp(self) -> str:
        """The stamp that a kernel must match: the folder's name."""
        return os.path.basename(self._folder)

    def get_disambiguator(self) -> str:
        """A text that distinguishes functions of the same name."""
        return str(self._line)

    def ensure_cache_path(self) -> None:
        """Called before writing; `cache_folders` has made the folder."""


def cache_in(
    folder: str,
    function: Callable,
    cache: type[caching.FunctionCache] = caching.FunctionCache,
    form: type[caching.CompileResultCacheImpl] = caching.CompileResultCacheImpl,
) -> caching.FunctionCache:
    """Numba's cache of `function` in `folder`: a `cache` that stores kernels in a `form`."""
    place = Place(folder, function)

    class Locator(Place):
        @classmethod
        def from_function(cls, function: Callable, file: str) -> Place:
            return place

    class Form(form):  # type: ignore[misc, valid-type]
        _locator_classes = (Locator,)

        @property
        def locator(self) -> Place:
            """Our locator, regardless of NUMBA_CACHE_LOCATOR_CLASSES: others cannot detect stale kernels."""
            return place

    class InFolder(cache):  # type: ignore[misc, valid-type]
        _impl_class = Form

    return InFolder(function)


def attach(dispatcher: Any, function: Callable, cache_in: Callable[[str, Callable], Any]) -> None:
    """Let `dispatcher` search all cache folders for the kernels of `function`; `cache_in` makes a folder's cache."""
    own, others = cache_folders(function.__module__)
    dispatcher._cache = _Layers(
        cache_in(own, function) if own else None, [cache_in(folder, function) for folder in others]
    )


class _Layers(caching.NullCache):
    """The caches of a kernel: all are read, in order, and one may be written to."""

    def __init__(self, own: caching.FunctionCache | None, others: list[caching.FunctionCache]):
        self._own = own
        self._all = others + ([own] if own else [])

    @property
    def cache_path(self) -> str | None:
        """The folder that kernels are written to."""
        return self._own and self._own.cache_path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel; None if no cache has it, and then this process has the turn to compile it."""
        found = self._load(sig, target_context)
        if found is None and self._own is not None:
            _TURN.take(f"{self._own.cache_path}/{self._own._impl.filename_base}.lock")
            found = self._load(sig, target_context)  # another process may have compiled it by now
            if found is not None:
                _TURN.leave()
        return found

    def _load(self, sig: Any, target_context: Any) -> Any:
        for cache in self._all:
            with contextlib.suppress(OSError):
                found = cache.load_overload(sig, target_context)
                if found is not None:
                    return found
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write a compiled kernel. Errors are ignored, because the kernel can be used anyway."""
        if self._own is not None:
            with contextlib.suppress(OSError):
                self._own.save_overload(sig, data)
            _TURN.leave()


class _Turn:
    """A lock so that one process at a time compiles a kernel and the others wait. The end of a process releases it.

    Called with Numba's lock, so a process has at most one turn.
    """

    def __init__(self) -> None:
        self._file: Any = None

    def take(self, path: str) -> None:
        """Wait, for a limited time, until no other process compiles the kernel of the lock file `path`."""
        self.leave()
        if fcntl is None:
            return
        with contextlib.suppress(OSError):
            self._file = open(path, "w")  # noqa: SIM115
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while self._file is not None and time.monotonic() < deadline:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                time.sleep(0.02)
            except OSError:  # a file system without locks
                return

    def leave(self) -> None:
        """Release the turn."""
        file, self._file = self._file, None
        if file is not None:
            file.close()


_TURN = _Turn()
