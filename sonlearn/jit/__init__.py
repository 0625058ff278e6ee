"""Kernels: Python functions that Numba compiles when they are first called.

Read in this order: ``decorators`` (what all other modules use), ``compiler`` (the way into Numba), ``settings`` (what a
kernel depends on), ``cache`` and ``folders`` (where compiled kernels are stored; no stale or damaged one is ever run),
``faststart`` (quicker compiling with the versions of Numba that it was tested with), ``stored`` (kernels that run
without Numba), ``sequence`` and ``blocks`` (many kernels by one call, for a row at a time). Nothing here imports Numba
before a kernel is called.
"""

from __future__ import annotations

from sonlearn.jit.decorators import COMPILING, fetch, inline, jit, on_compilation, without_numba

__all__ = ["COMPILING", "fetch", "inline", "jit", "on_compilation", "without_numba"]
