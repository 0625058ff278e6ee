"""The package's only jit decorators.

A decorated function is handed to Numba (`sonlearn.compiler`) when it is first called, and Numba is not imported before:
that takes as long as all else that a short run does. With NUMBA_DISABLE_JIT=1 functions stay as they are.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

_DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0").strip() not in ("", "0")
_LOCK = threading.RLock()
_WAITING: list[Callable[[], None]] = []


class Kernel:
    """What Python calls.

    Parameters
    ----------
    function : callable
        As it was written; also `py_func`.
    settings : bool
        Options of Numba's.
    """

    def __init__(self, function: Callable, **settings: bool):
        functools.update_wrapper(self, function)
        self.py_func = function
        self._settings, self._compiled = settings, None

    def __call__(self, *arguments: Any) -> Any:
        return (self._compiled or self._for_python())(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """Asked for by Numba where a kernel calls this one: what is cached of it cannot be linked into another."""
        raise TypeError(f"{self.__module__}.{self.__qualname__} is called by a kernel: decorate it with inline")

    def _for_python(self) -> Any:
        with _LOCK:  # two threads must not compile the same
            self._compiled = self._compiled or self._make()
        return self._compiled

    def _make(self) -> Any:
        from sonlearn.compiler import kernel

        return kernel(self.py_func, **self._settings)


class Part(Kernel):
    """What kernels call. Where Python does (tests), it is compiled once more, by itself."""

    def __init__(self, function: Callable, **settings: bool):
        super().__init__(function, **settings)
        self._part: Any = None

    @property
    def _numba_type_(self) -> Any:
        from sonlearn.compiler import part

        with _LOCK:
            self._part = self._part or part(self.py_func, **self._settings)
        return self._part._numba_type_

    def _make(self) -> Any:
        from sonlearn.compiler import alone

        return alone(self.py_func, **{name: on for name, on in self._settings.items() if name != "forceinline"})


class _Fetch(Part):
    """A part that Numba has no Python for."""

    @property
    def _numba_type_(self) -> Any:
        from sonlearn.compiler import fetch_lines

        self.py_func = fetch_lines
        return super()._numba_type_


def jit(function: Callable) -> Callable:
    """Compile `function` in nopython mode, without the GIL, cached by the sources of the whole package.

    For Python to call: what kernels call is `inline`.
    """
    return function if _DISABLED else Kernel(function)


def inline(function: Callable) -> Callable:
    """A helper that LLVM may inline into its callers: compiled with them, not cached by itself."""
    return function if _DISABLED else Part(function)


def bare_jit(function: Callable) -> Callable:
    """`jit` for a kernel that allocates and returns no array: arrays are not reference-counted on the way down.

    Counting costs two atomic operations per array and call; it halves the speed of a parser, whose helpers are short.
    What such a kernel calls must be `bare_inline`.
    """
    return function if _DISABLED else Kernel(function, _nrt=False)


def bare_inline(function: Callable) -> Callable:
    """`inline` for helpers of a `bare_jit` kernel."""
    return function if _DISABLED else Part(function, _nrt=False)


def forced_inline(function: Callable) -> Callable:
    """`bare_inline` that LLVM must inline: for few operations on arrays whose passing would cost more than they do."""
    return function if _DISABLED else Part(function, _nrt=False, forceinline=True)


def fetch(array, row, lines):
    """Begin to read the first `lines` cache lines of a row of `array` that will be used soon. It must exist."""


fetch = fetch if _DISABLED else _Fetch(fetch, _nrt=False, forceinline=True)


@contextlib.contextmanager
def on_first_compilation(call: Callable[[], None]) -> Iterator[None]:
    """While entered, call `call` once, just before a kernel has to be compiled because the cache does not hold it."""
    _WAITING.append(call)
    try:
        yield
    finally:
        if call in _WAITING:
            _WAITING.remove(call)


def compiling() -> None:
    """Told by `sonlearn.compiler`: a kernel is about to be compiled."""
    while _WAITING:
        _WAITING.pop()()
