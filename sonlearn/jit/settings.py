"""The settings that determine how a kernel is compiled, and the name of the cache folder that follows from them."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import sys
from pathlib import Path

import llvmlite

from sonlearn.jit.folders import folders
from sonlearn.jit.sources import digest_of

#: Series of Numba, (major, minor), with which `sonlearn.jit.faststart` was tested: docs/kernels.md says how.
TESTED = tuple((0, minor) for minor in (61, 62, 63, 64, 65, 66, 68))


@functools.cache
def numba_version() -> str:
    """The version of Numba, which is not imported for it."""
    package = importlib.util.find_spec("numba")
    try:
        text = (Path(str(package and package.origin)).parent / "_version.py").read_text(encoding="utf-8")
        return re.search(r'"version": "([^"]+)"', text)[1]  # type: ignore[index]
    except (OSError, TypeError):
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
    versions = (numba_version(), llvmlite.__version__, sys.version)
    return digest_of(module, (*versions, *_settings(), faststart_is_on()))


def _settings() -> tuple[str, ...]:
    """Numba's own settings: optimisation, bounds checks, debugging. It is not imported for them if it is not yet."""
    if "numba" in sys.modules or os.path.exists(".numba_config.yaml"):
        from numba import config

        level = getattr(config.OPT, "_raw_value", config.OPT)
        return str(level), str(config.BOUNDSCHECK), str(config.DEBUGINFO_DEFAULT)
    given = os.environ.get
    return given("NUMBA_OPT", "3"), given("NUMBA_BOUNDSCHECK", "None"), given("NUMBA_DEBUGINFO", "0")


def cache_folders(module: str) -> tuple[Path | None, tuple[Path, ...]]:
    """(folder to write the kernels of `module` to, or None; further folders, which are read first)."""
    return folders(sources_hash(module))


def is_shared() -> bool:
    """Whether processes share compiled kernels and compile each one once (which needs file locks)."""
    return os.name == "posix" and cache_folders(__name__)[0] is not None
