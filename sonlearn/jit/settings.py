"""The settings that determine how a kernel is compiled, and the name of the cache folder that follows from them."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import sys
from importlib.util import source_hash
from typing import Any

import llvmlite

from sonlearn.jit.folders import folders
from sonlearn.jit.sources import digest_of, stamp

#: Series of Numba, (major, minor), with which `sonlearn.jit.faststart` was tested: docs/kernels.md says how.
TESTED = tuple((0, minor) for minor in (61, 62, 63, 64, 65, 66, 68))


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


def faststart_is_on(version: str | None = None) -> bool:
    """Whether `faststart` was tested with this `version` of Numba and is not switched off by the environment."""
    version = version or numba_version()
    series = tuple(int(part) if part.isdigit() else -1 for part in version.split(".")[:2])
    return series in TESTED and os.environ.get("SONLEARN_FASTSTART", "1").strip() != "0"


@functools.cache
def sources_hash(module: str) -> str:
    """Hash of everything that a compiled kernel of `module` depends on: sources, versions, and Numba's settings."""
    found = _index().get(module)
    if found is None:
        found = digest_of(module, _versions_and_settings())
        _remember(module, found)
    return found


def _versions_and_settings() -> tuple[Any, ...]:
    return numba_version(), llvmlite.__version__, sys.version, *_settings(), faststart_is_on()


# To read and hash all sources takes 15 ms. So their hashes are stored, in a folder named by the files' sizes and times.


@functools.cache
def _index() -> dict[str, str]:
    """Hashes by module, which processes with the same files have stored."""
    own, others = _index_folders()
    found = {}
    for folder in (*others, *([own] if own else [])):
        with contextlib.suppress(OSError, ValueError), open(os.path.join(folder, "hashes"), encoding="utf-8") as file:
            found |= dict(line.split() for line in file if line.endswith("\n"))
    return found


def _remember(module: str, digest: str) -> None:
    own, _ = _index_folders()
    if own is not None:
        with contextlib.suppress(OSError), open(os.path.join(own, "hashes"), "a", encoding="utf-8") as file:
            file.write(f"{module} {digest}\n")


@functools.cache
def _index_folders() -> tuple[str | None, tuple[str, ...]]:
    """(folder to write the index to, or None; further folders, which are read as well)."""
    return folders(source_hash(f"{_versions_and_settings()} {stamp()}".encode()).hex())


def _settings() -> tuple[str, ...]:
    """Numba's own settings: optimisation, bounds checks, debugging. It is not imported for them if it is not yet."""
    if "numba" in sys.modules or os.path.exists(".numba_config.yaml"):
        from numba import config

        level = getattr(config.OPT, "_raw_value", config.OPT)
        return str(level), str(config.BOUNDSCHECK), str(config.DEBUGINFO_DEFAULT)
    given = os.environ.get
    return given("NUMBA_OPT", "3"), given("NUMBA_BOUNDSCHECK", "None"), given("NUMBA_DEBUGINFO", "0")


def cache_folders(module: str) -> tuple[str | None, tuple[str, ...]]:
    """(folder to write the kernels of `module` to, or None; further folders, which are read first)."""
    return folders(sources_hash(module))


def is_shared() -> bool:
    """Whether processes share compiled kernels and compile each one once (which needs file locks)."""
    return os.name == "posix" and cache_folders(__name__)[0] is not None
