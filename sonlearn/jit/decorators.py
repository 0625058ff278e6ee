"""The package's only jit decorators.

A decorated function is handed to Numba (`sonlearn.jit.compiler`) when it is first called. Numba is not imported before
that, because its import takes as long as the rest of a short run. With NUMBA_DISABLE_JIT=1 functions stay as they are.
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
    """A function that Python calls; kernels cannot call it, because a cached kernel cannot be linked into another.

    Parameters
    ----------
    function : callable
        As it was written; also `py_func`.
    settings : bool
        Options of Numba's that change the speed of the code and nothing else; only `faststart` uses them.
    """

    def __init__(self, function: Callable, **settings: bool):
        functools.update_wrapper(self, function)
        self.py_func = function
        self.settings = settings
        self._compiled: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return (self._compiled or self._for_python())(*arguments)

    def _for_python(self) -> Any:
        with _LOCK:  # two threads must not compile the same
            self._compiled = self._compiled or self._compile()
        return self._compiled

    def _compile(self) -> Any:
        return _compiler().kernel(self.py_func, **self.settings)


class Part(Kernel):
    """A function that kernels call. A call from Python (in tests) compiles it once more, by itself."""

    def __init__(self, function: Callable, **settings: bool):
        super().__init__(function, **settings)
        self._part: Any = None

    def for_kernels(self) -> Any:
        """Numba's dispatcher of it, as `sonlearn.jit.compiler` hands it to a kernel that is compiled."""
        with _LOCK:
            self._part = self._part or _compiler().part(self.py_func, **self.settings)
        return self._part

    def _compile(self) -> Any:
        return _compiler().alone(
            self.py_func, **{name: on for name, on in self.settings.items() if name != "forceinline"}
        )


class _Fetch(Part):
    """A part for which Python has no words: `faststart` has the code; without it, nothing is fetched."""

    def for_kernels(self) -> Any:
        with _LOCK:
            self.py_func = _compiler().code_of_fetch(self.py_func)
            return super().for_kernels()


@functools.cache
def _compiler() -> Any:
    """`sonlearn.jit.compiler`, which imports Numba; called under `_LOCK`."""
    from sonlearn.jit import compiler

    compiler.begin(Kernel, Part, _compiling)
    return compiler


def jit(function: Callable) -> Callable:
    """Compile `function` in nopython mode, without the GIL, cached by the sources that it depends on.

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
    """Begin to read the first `lines` cache lines of a row of `array` that will be used soon. It must exist.

    `array`: C-contiguous, any type and shape, not modified; `row`, `lines`: int64. A hint: results do not depend on it.
    """


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


def _compiling() -> None:
    """Called before a kernel is compiled."""
    while _WAITING:
        _WAITING.pop()()
