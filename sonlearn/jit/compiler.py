"""The way into Numba: how a kernel, or a function that kernels call, is compiled.

``error_model="numpy"``: a division by zero gives inf, which kernels test for, instead of a Python exception.
No fast-math anywhere: it would make ``isnan`` lie.

`sonlearn.jit.faststart` is used for the series of Numba that are listed there, unless the environment says
SONLEARN_FASTSTART=0. Otherwise kernels are compiled by Numba's plain decorators, with the same results to the last bit.
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

if faststart_is_on():
    from sonlearn.jit import faststart
else:
    faststart = None  # type: ignore[assignment]

#: The dispatchers made here. Numba tells its listeners of everybody's.
_OURS: weakref.WeakSet[Any] = weakref.WeakSet()


def kernel(function: Callable, **settings: bool) -> Any:
    """A function for Python to call: nopython mode, without the GIL, cached by all sources that it depends on."""
    made = alone(function, **settings)
    if not numba.config.DISABLE_JIT:
        _keep(made, function)
    return made


def alone(function: Callable, **settings: bool) -> Any:
    """The same without a cache."""
    return _ours(numba.njit(**_options(settings))(function))


def part(function: Callable, **settings: bool) -> Any:
    """A function for kernels to call: compiled with them."""
    more = faststart.OF_PARTS if faststart else {}
    return _ours(numba.njit(**_options(settings), **more)(function))


def code_of_fetch(function: Callable) -> Callable:
    """What `sonlearn.jit.fetch` is compiled from."""
    return faststart.fetch_lines if faststart else function


def _options(settings: dict[str, bool]) -> dict[str, Any]:
    more = {**faststart.OPTIONS, **settings} if faststart else {}
    return {"nogil": True, "error_model": "numpy", **more}


def _ours(dispatcher: Any) -> Any:
    _OURS.add(dispatcher)
    return dispatcher


def _keep(dispatcher: Any, function: Callable) -> None:
    """Give the `dispatcher` of `function` its cache. A version of Numba that has no such cache compiles in each run."""
    try:
        from sonlearn.jit import cache

        cache.attach(dispatcher, function, faststart.cache_in if faststart else cache.cache_in)
    except (ImportError, AttributeError, TypeError) as error:
        text = f"Numba {numba.__version__} keeps no kernels for sonlearn, which are compiled in each run: {error}"
        warnings.warn(text, RuntimeWarning, stacklevel=2)


def begin(kernels: type, parts: type, compiling: Callable[[], None]) -> None:
    """Tell Numba what the decorated functions are, and when to call `compiling`. Called once, by the decorators.

    Parameters
    ----------
    kernels : type
        Of functions that Python calls.
    parts : type
        Of functions that kernels call; ``for_kernels()`` is the dispatcher.
    compiling : callable
        Called before a function of ours is compiled.
    """
    typeof_impl.register(kernels, _kernel_in_kernel)
    typeof_impl.register(parts, lambda value, context: numba.typeof(value.for_kernels()))
    numba.core.event.register("numba:compile", _WhileCompiling(compiling))


def _kernel_in_kernel(value: Any, context: Any) -> Any:
    raise TypeError(f"{value.__module__}.{value.__qualname__} is called by a kernel: decorate it with inline")


class _WhileCompiling(numba.core.event.Listener):
    """Stops garbage collection while our kernels are compiled: it took a fifth of the time and found nothing.

    Numba calls it for every function that is compiled in the process; it does nothing for those of others.
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
