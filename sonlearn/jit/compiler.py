"""Compilation of kernels, and of the functions that they call, by Numba.

``error_model="numpy"``: a division by zero gives inf, for which kernels test, instead of a Python exception. Fast-math
is never used, because it breaks ``isnan``.

`sonlearn.jit.faststart` is used with the series of Numba that it was tested with (`settings.TESTED`), unless the
environment has SONLEARN_FASTSTART=0. Otherwise Numba's plain decorators compile the kernels, with the same results to
the last bit.
"""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numba
import numba.core.event
from numba.extending import typeof_impl

from sonlearn.jit.settings import faststart_is_on
from sonlearn.jit.stored import types_of

if faststart_is_on():
    from sonlearn.jit import faststart
else:
    faststart = None  # type: ignore[assignment]

#: The dispatchers made here. Numba notifies its listeners of all dispatchers in the process.
_OURS: weakref.WeakSet[Any] = weakref.WeakSet()
#: Machine code by the dispatcher and the types of arguments.
_ENTRIES: dict[Any, Callable] = {}


def kernel(function: Callable, **settings: bool) -> Any:
    """A function that Python calls: nopython mode, without the GIL, cached by all sources that it depends on."""
    dispatcher = alone(function, **settings)
    if not numba.config.DISABLE_JIT:
        _attach_cache(dispatcher, function)
    return dispatcher


def alone(function: Callable, **settings: bool) -> Any:
    """The same without a cache."""
    return _ours(numba.njit(**_options(settings))(function))


def entry(dispatcher: Any, arguments: tuple[Any, ...]) -> Callable | None:
    """The machine code of `dispatcher` for arguments of these types; None where there is none, or no such interface."""
    try:
        key = dispatcher, types_of(arguments)
        if key not in _ENTRIES:  # Numba takes long to find out the types of tuples of arrays
            _ENTRIES[key] = dispatcher.overloads[tuple(map(numba.typeof, arguments))].entry_point
        return _ENTRIES[key]
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def block(dispatcher: Any, arguments: tuple[Any, ...]) -> Any:
    """`sonlearn.jit.blocks.prepared_call`; None where there is no such interface."""
    if faststart is None:
        return None
    try:
        from sonlearn.jit import blocks

        return blocks.prepared_call(dispatcher, arguments)
    except (AttributeError, ImportError, KeyError):
        return None


def stored_entry(dispatcher: Any, arguments: tuple[Any, ...], types: Any) -> Callable | None:
    """`entry`, compiled if need be, and noted so that other processes run it without Numba (`sonlearn.jit.stored`)."""
    dispatcher.compile(tuple(map(numba.typeof, arguments)))
    found = entry(dispatcher, arguments)
    if found is not None and faststart:
        faststart.remember_code(dispatcher, arguments, types)
    return found


def part(function: Callable, **settings: bool) -> Any:
    """A function that kernels call: compiled with them."""
    more = faststart.OF_PARTS if faststart else {}
    return _ours(numba.njit(**_options(settings), **more)(function))


def code_of_fetch(function: Callable) -> Callable:
    """The Python function that `sonlearn.jit.fetch` is compiled from."""
    return faststart.fetch_lines if faststart else function


def _options(settings: dict[str, bool]) -> dict[str, Any]:
    more = {**faststart.OPTIONS, **settings} if faststart else {}
    return {"nogil": True, "error_model": "numpy", **more}


def _ours(dispatcher: Any) -> Any:
    _OURS.add(dispatcher)
    return dispatcher


def _attach_cache(dispatcher: Any, function: Callable) -> None:
    """Give the `dispatcher` of `function` its cache. With a Numba that lacks this cache, each run compiles again."""
    try:
        from sonlearn.jit import cache

        cache.attach(dispatcher, function, faststart.cache_in if faststart else cache.cache_in)
    except (ImportError, AttributeError, TypeError) as error:
        text = f"Numba {numba.__version__} keeps no kernels for sonlearn, which are compiled in each run: {error}"
        warnings.warn(text, RuntimeWarning, stacklevel=2)


def begin(kernels: type, parts: type, compiling: Callable[[], None]) -> None:
    """Register the types of decorated functions, and a listener, with Numba. The decorators call this once.

    Parameters
    ----------
    kernels : type
        Type of functions that Python calls.
    parts : type
        Type of functions that kernels call; ``for_kernels()`` returns the dispatcher.
    compiling : callable
        Called before one of our functions is compiled.
    """
    typeof_impl.register(kernels, _kernel_in_kernel)
    typeof_impl.register(parts, lambda value, context: numba.typeof(value.for_kernels()))
    numba.core.event.register("numba:compile", _WhileCompiling(compiling))


def _kernel_in_kernel(value: Any, context: Any) -> Any:
    raise TypeError(f"{value.__module__}.{value.__qualname__} is called by a kernel: decorate it with inline")


class _WhileCompiling(numba.core.event.Listener):
    """Suspends garbage collection while our kernels compile: it took a fifth of the time and collected nothing.

    Numba notifies it of every compilation in the process; it ignores other packages' functions.
    """

    def __init__(self, compiling: Callable[[], None]) -> None:
        self._compiling = compiling
        self._under_way, self._was_on, self._lock = 0, False, threading.Lock()

    def on_start(self, event: numba.core.event.Event) -> None:
        if event.data["dispatcher"] not in _OURS:
            return
        self._compiling()
        with self._lock:
            if self._under_way == 0:
                self._was_on = gc.isenabled()
                gc.disable()
            self._under_way += 1

    def on_end(self, event: numba.core.event.Event) -> None:
        if event.data["dispatcher"] not in _OURS:
            return
        with self._lock:
            self._under_way -= 1
            if self._under_way == 0 and self._was_on:
                gc.enable()
