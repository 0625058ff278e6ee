"""What decides how a kernel is compiled, beside its arguments; and the folder of the cache that is named by it."""

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
TESTED = tuple((0, minor) for minor in (61, 62, 63, 64, 68))


def faststart_is_on(version: str = numba.__version__) -> bool:
    """Whether `faststart` was tested with this `version` of Numba, and the environment does not switch it off."""
    series = tuple(int(part) if part.isdigit() else -1 for part in version.split(".")[:2])
    return series in TESTED and os.environ.get("SONLEARN_FASTSTART", "1").strip() != "0"


@functools.cache
def sources_hash(module: str) -> str:
    """Hash of all that decides what a kernel of `module` compiles to: sources, Numba, how it optimises and checks."""
    config, versions = numba.config, (numba.__version__, llvmlite.__version__, sys.version)
    settings = (config.OPT, config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT, faststart_is_on())
    return digest_of(module, (*versions, *settings))


def cache_folders(module: str) -> tuple[Path | None, tuple[Path, ...]]:
    """(folder to write the kernels of `module` to, None where there is none; folders to read them from before that)."""
    return folders(sources_hash(module))


def is_shared() -> bool:
    """Whether another process can load what this one compiles, and does not compile the same (which takes locks)."""
    return os.name == "posix" and cache_folders(__name__)[0] is not None
