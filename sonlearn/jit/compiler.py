"""Compilation of kernels, and of the functions that they call, by Numba.

``error_model="numpy"``: a division by zero gives inf, for which kernels test, instead of a Python exception. Fast-math
is never used, because it breaks ``isnan``. Kernels are optimised at level 1 unless NUMBA_OPT names another one: they
are written in the loops that they are to become, and level 3 takes a quarter more time for code that is 3 % quicker at
most.

`sonlearn.jit.faststart` is used with the series of Numba that it was tested with (`settings.TESTED`), unless the
environment has SONLEARN_FASTSTART=0. Otherwise Numba's plain decorators compile the kernels, with the same results to
the last bit.
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Callable
from typing import Any

import numba
import numba.core.compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.types import unliteral
from numba.extending import typeof_impl

from sonlearn.jit import stored
from sonlearn.jit.cache import Cache
from sonlearn.jit.cache import wait as wait
from sonlearn.jit.settings import faststart_is_on, level

if faststart_is_on():
    from sonlearn.jit import faststart
else:
    faststart = None  # type: ignore[assignment]


class _Compiler(numba.core.compiler.Compiler):
    """Compiles a kernel, with all that it calls, at our level of optimisation. What others compile has their own."""

    def compile_extra(self, func: Callable) -> Any:
        given = numba.config.OPT
        numba.config.OPT = type(given)(level())
        try:
            with faststart.plain_indices() if faststart else contextlib.nullcontext():
                return super().compile_extra(func)
        finally:
            numba.config.OPT = given


def kernel(function: Callable, missing: Callable[[], None], **settings: bool) -> Any:
    """A function that Python calls: nopython mode, without the GIL, cached. `missing` is called before it compiles."""
    dispatcher = numba.njit(**_options(settings))(function)
    if not numba.config.DISABLE_JIT:
        dispatcher._cache = Cache(function, missing)
    return dispatcher


def block(dispatcher: Any, arguments: tuple[Any, ...]) -> Any:
    """`sonlearn.jit.blocks.prepared_call`; None where there is no such interface, or for arguments it does not know."""
    if faststart is None:
        return None
    try:
        from sonlearn.jit import blocks

        return blocks.prepared_call(dispatcher, arguments)
    except (AttributeError, ImportError, KeyError, struct.error, stored.UnknownTypeError):
        return None


def stored_entry(dispatcher: Any, arguments: tuple[Any, ...], types: stored.Types) -> Callable | None:
    """The machine code for arguments of these types; None where there is no such interface.

    It is compiled if need be, and stored for processes that run it without Numba (`sonlearn.jit.stored`).
    """
    sig = tuple(map(numba.typeof, arguments))
    dispatcher.compile(sig)
    if not numba.config.USING_SVML:
        with contextlib.suppress(AttributeError, TypeError, ValueError):
            if (form := dispatcher._cache.stored_form(sig, dispatcher.targetctx)) is not None:
                stored.store(form, dispatcher.py_func, types)
    try:
        return dispatcher.overloads[sig].entry_point  # type: ignore[no-any-return]
    except (AttributeError, KeyError):
        return None


def part(function: Callable, **settings: bool) -> Any:
    """A function that kernels call: compiled with them, once for all constants that they pass to it."""
    more, codes = (faststart.OF_PARTS, faststart.CODES) if faststart else ({}, {})
    code = codes.get(f"{function.__module__}.{function.__qualname__}", function)
    dispatcher = numba.njit(**_options(settings) | more)(code)
    typed = dispatcher.get_call_template

    def of_any_value(args: Any, kws: dict[str, Any]) -> Any:
        return typed(tuple(map(unliteral, args)), {name: unliteral(each) for name, each in kws.items()})

    dispatcher.get_call_template = of_any_value
    return dispatcher


def _options(settings: dict[str, bool]) -> dict[str, Any]:
    more = {**faststart.OPTIONS, **settings} if faststart else {}
    return {"nogil": True, "error_model": "numpy", "pipeline_class": _Compiler, **more}


def begin(kernels: type, parts: type, outer: Any, inner: Any) -> None:
    """Register the types of decorated functions with Numba, and the locks with the system. Called once.

    Parameters
    ----------
    kernels : type
        Type of functions that Python calls.
    parts : type
        Type of functions that kernels call; ``for_kernels()`` returns the dispatcher.
    outer, inner : RLock
        Locks that a thread may hold before it takes Numba's own, and those that it takes with that one.
    """
    typeof_impl.register(kernels, _kernel_in_kernel)
    typeof_impl.register(parts, lambda value, context: numba.typeof(value.for_kernels()))
    locks = outer, global_compiler_lock, inner

    def take() -> None:
        for lock in locks:
            lock.acquire()

    def leave() -> None:
        for lock in reversed(locks):
            lock.release()

    if hasattr(os, "register_at_fork"):  # or a child would wait for good for a thread that it does not have
        os.register_at_fork(before=take, after_in_parent=leave, after_in_child=leave)


def _kernel_in_kernel(value: Any, context: Any) -> Any:
    raise TypeError(f"{value.__module__}.{value.__qualname__} is called by a kernel: decorate it with inline")
