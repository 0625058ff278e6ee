"""All that decides what a kernel compiles to, and the name of the cache folder that follows from it."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from importlib.util import source_hash

from sonlearn.jit.folders import folders

#: Series of Numba, (major, minor), with which `sonlearn.jit.faststart` was tested: docs/kernels.md says how.
TESTED = tuple((0, minor) for minor in (61, 62, 63, 64, 65, 66, 68))
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
#: Folders that have no kernels, and that those with kernels import nothing from.
WITHOUT_KERNELS = frozenset({"cluster", "commands", "estimators", "serve", "tuning"})


@functools.cache
def numba_version() -> str:
    """The version of Numba, which is not imported for it."""
    package = importlib.util.find_spec("numba")
    with contextlib.suppress(OSError):
        folder = os.path.dirname(str(package and package.origin))
        with open(os.path.join(folder, "_version.py"), encoding="utf-8") as file:
            text = file.read()
        if found := text.partition('"version": "')[2].partition('"')[0]:
            return found
    from importlib.metadata import version  # which takes 7 ms to import

    return version("numba")


def faststart_is_on() -> bool:
    """Return whether `faststart` was tested with this version of Numba and is not switched off by the environment."""
    series = tuple(int(part) if part.isdigit() else -1 for part in numba_version().split(".")[:2])
    return series in TESTED and os.environ.get("SONLEARN_FASTSTART", "1").strip() != "0"


def cache_folders(function: Callable) -> tuple[str | None, tuple[str, ...]]:
    """(folder to write the kernels of `function` to, or None; the folders to read, that one the last).

    There is none for a function outside of this package: nobody knows what it depends on.
    """
    inside = os.path.abspath(function.__code__.co_filename).startswith(_PACKAGE + os.sep)
    return package_folders() if inside else (None, ())


@functools.cache
def package_folders() -> tuple[str | None, tuple[str, ...]]:
    """The folders of this package's kernels."""
    return folders(sources_hash())


def is_shared() -> bool:
    """Return whether processes share compiled kernels and compile each one once (which needs file locks)."""
    return os.name == "posix" and package_folders()[0] is not None


@functools.cache
def sources_hash() -> str:
    """Hash of everything that compiled kernels depend on: sources, versions, and Numba's settings."""
    import llvmlite
    import numpy as np

    versions = numba_version(), llvmlite.__version__, np.__version__, sys.version
    parts = [" ".join((*versions, *_settings(), str(faststart_is_on()))).encode()]
    for path in sorted(_files(_PACKAGE)):
        with open(path, "rb", buffering=0) as file:
            parts += [path.removeprefix(_PACKAGE).encode(), file.read()]
    return source_hash(b"\0".join(parts)).hex()


def _files(folder: str) -> Iterator[str]:
    """All modules that kernels may be made of. Paths are strings here: there are 300 of them in each run."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield entry.path
            elif "." not in entry.name and entry.name not in WITHOUT_KERNELS and entry.is_dir():
                yield from _files(entry.path)


def _settings() -> tuple[str, ...]:
    """The level of optimisation and Numba's own settings: it is not imported for them if it is not yet."""
    if "numba" in sys.modules or os.path.exists(".numba_config.yaml"):
        from numba import config

        return level(), str(config.BOUNDSCHECK), str(config.DEBUGINFO_DEFAULT)
    given = os.environ.get
    return level(), given("NUMBA_BOUNDSCHECK", "None"), given("NUMBA_DEBUGINFO", "0")


def level() -> str:
    """The level at which kernels are optimised."""
    return os.environ.get("NUMBA_OPT", "1")
