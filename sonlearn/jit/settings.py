"""The settings that determine how a kernel is compiled, and the name of the cache folder that follows from them."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path

import llvmlite
import numba

from sonlearn.jit.folders import folders
from sonlearn.jit.sources import digest_of

#: Series of Numba, (major, minor), with which `sonlearn.jit.faststart` was tested: docs/kernels.md says how.
TESTED = tuple((0, minor) for minor in (61, 62, 63, 64, 65, 66, 68))


def faststart_is_on(version: str = numba.__version__) -> bool:
    """Whether `faststart` was tested with this `version` of Numba and is not switched off by the environment."""
    series = tuple(int(part) if part.isdigit() else -1 for part in version.split(".")[:2])
    return series in TESTED and os.environ.get("SONLEARN_FASTSTART", "1").strip() != "0"


@functools.cache
def sources_hash(module: str) -> str:
    """Hash of everything that a compiled kernel of `module` depends on: sources, versions, and Numba's settings."""
    config, versions = numba.config, (numba.__version__, llvmlite.__version__, sys.version)
    settings = (config.OPT, config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT, faststart_is_on())
    return digest_of(module, (*versions, *settings))


def cache_folders(module: str) -> tuple[Path | None, tuple[Path, ...]]:
    """(folder to write the kernels of `module` to, or None; further folders, which are read first)."""
    return folders(sources_hash(module))


def is_shared() -> bool:
    """Whether processes share compiled kernels and compile each one once (which needs file locks)."""
    return os.name == "posix" and cache_folders(__name__)[0] is not None
