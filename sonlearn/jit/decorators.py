"""The package's only jit decorators.

`sonlearn.jit.compiler` compiles a decorated function with Numba when it is first called. Numba is not imported before,
because its import takes as long as the rest of a short run. With NUMBA_DISABLE_JIT=1 functions are not decorated.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

_DISABLED = os.environ.get("NUMBA_DISABLE_JIT", "0").strip() not in ("", "0")
_LOCK = threading.RLock()
#: For what is asked while Numba compiles, with Numba's own lock: who has `_LOCK` may be waiting for that one.
_LOCK_OF_PARTS = threading.RLock()
COMPILING = "compiling kernels for this version once, some twenty seconds ..."
#: What is told of each compilation.
_TOLD: list[Callable[[], None]] = []
#: Not empty: nobody asked to be told, and `COMPILING` was printed.
_PRINTED: list[bool] = []
#: Not empty: kernels that are stored are to run without Numba.
_WANTED: list[bool] = []


class Kernel:
    """A function that Python calls; kernels cannot call it, because a cached kernel cannot be linked into another.

    Parameters
    ----------
    function : callable
        The Python function; also `py_func`.
    settings : bool
        Options of Numba that change only the speed of the code; only `faststart` uses them.
    """

    def __init__(self, function: Callable, **settings: bool):
        functools.update_wrapper(self, function)
        self.py_func = function
        self.settings = settings
        self._compiled: Any = None
        self._dispatcher: Any = None
        self._entries: dict[Any, Callable] = {}  # machine code where Numba is not imported, by the types of arguments

    def __call__(self, *arguments: Any) -> Any:
        return _patiently(lambda: (self._compiled or self._for(arguments))(*arguments))

    def _for(self, arguments: tuple[Any, ...]) -> Any:
        """Return what is called with these arguments: machine code, or else Numba's dispatcher."""
        stored = _stored()
        if stored is None:
            return self._for_python()
        try:
            types = stored.types_of(arguments)
        except stored.UnknownTypeError:
            return self._for_python()
        return self._entries.get(types) or self._entry(arguments, types)

    def _entry(self, arguments: tuple[Any, ...], types: Any) -> Any:
        """The machine code for arguments of these types: stored, or compiled and stored."""
        with _LOCK:
            found = self._entries.get(types) or _stored().load(self.py_func, types)
            if found is None:
                self._dispatcher = self._dispatcher or self._compile()
                found = _compiler().stored_entry(self._dispatcher, arguments, types)
            if found is None:
                return self._for_python()
            self._entries[types] = found
        return found

    def _for_python(self) -> Any:
        with _LOCK:  # two threads must not compile the same kernel
            self._compiled = self._compiled or self._dispatcher or self._compile()
        return self._compiled

    def _compile(self) -> Any:
        return _compiler().kernel(self.py_func, _compiling, **self.settings)

    def block(self, arguments: tuple[Any, ...]) -> Any:
        """The call with these arguments, prepared (`sonlearn.jit.blocks`); None with a Numba that was not tried."""
        dispatcher = self._compiled or self._for_python()
        return _patiently(lambda: _compiler().block(dispatcher, arguments))


class InlinedKernel(Kernel):
    """A function that kernels call, compiled with them. A call from Python compiles it as a kernel of its own."""

    def __init__(self, function: Callable, **settings: bool):
        super().__init__(function, **settings)
        self._part: Any = None

    def for_kernels(self) -> Any:
        """Numba's dispatcher of the function, for the compilation of a kernel."""
        with _LOCK_OF_PARTS:
            self._part = self._part or _compiler().part(self.py_func, **self.settings)
        return self._part


def _patiently(call: Callable[[], Any]) -> Any:
    """Make a call. While another process compiles what it needs, wait, without a lock: other threads may compile."""
    while True:
        try:
            return call()
        except BlockingIOError as taken:
            _compiler().wait(*taken.args)


def without_numba() -> None:
    """From now on, run kernels that are stored without importing Numba, where that is possible.

    It is for short runs. A call takes 2 microseconds more than the kernel, as by Numba's dispatcher.
    """
    _WANTED.append(True)


def _stored() -> Any:
    """`sonlearn.jit.stored`, or None where Numba is to run the kernels."""
    return _module_of_stored() if _WANTED else None


@functools.cache
def _module_of_stored() -> Any:
    from sonlearn.jit import stored

    return stored if stored.is_possible() else None


@functools.cache
def _compiler() -> Any:
    """`sonlearn.jit.compiler`, which imports Numba; called under `_LOCK`."""
    from sonlearn.jit import compiler

    compiler.begin(Kernel, InlinedKernel, _LOCK, _LOCK_OF_PARTS)
    return compiler


def jit(function: Callable | None = None, /, *, allocates: bool = False) -> Callable:
    """Compile `function` in nopython mode, without the GIL, cached by the sources that it depends on.

    For functions that Python calls; functions that kernels call are `inline`.

    Parameters
    ----------
    function : callable or None
        None: the decorator with these options is returned.
    allocates : bool
        It, or a function that it calls, makes arrays or returns one. Else the arrays that it passes on are not counted:
        that costs two atomic operations per array and call, which halves the speed of a parser with its short helpers.
    """
    if function is None:
        return functools.partial(jit, allocates=allocates)
    return function if _DISABLED else Kernel(function, _nrt=allocates)


def inline(function: Callable | None = None, /, *, allocates: bool = False, force: bool = False) -> Callable:
    """A helper that LLVM may inline into its callers: compiled with them, and alone where Python calls it.

    Parameters
    ----------
    function, allocates
        See `jit`. What does not allocate must not take an array from what does: nobody would free it.
    force : bool
        LLVM must inline it: for short helpers, whose call would cost more than their work.
    """
    if function is None:
        return functools.partial(inline, allocates=allocates, force=force)
    forced = {"forceinline": True} if force else {}
    return function if _DISABLED else InlinedKernel(function, _nrt=allocates, **forced)


@inline(force=True)
def fetch(array, row, lines):
    """Prefetch the first `lines` cache lines of a row of `array` that will be used soon. The row must exist.

    Results do not depend on this hint. Python cannot express it: `faststart` has its code; else nothing is fetched.

    array : C-contiguous, of any type and shape, not modified; row, lines : int64
    """


@contextlib.contextmanager
def on_compilation(call: Callable[[int], None]) -> Iterator[None]:
    """In this context, call ``call(n)`` just before a kernel that is not in the cache is compiled, after n others."""
    numbers = itertools.count()

    def told() -> None:
        call(next(numbers))

    _TOLD.append(told)
    try:
        yield
    finally:
        _TOLD.remove(told)


def _compiling() -> None:
    """Called before a kernel is compiled; if nobody is told, whoever sits at a terminal or a notebook is, once."""
    if not _TOLD and not _PRINTED:
        _PRINTED.append(True)
        with contextlib.suppress(AttributeError, OSError, ValueError):  # no standard error, or it is closed
            if sys.stderr.isatty() or hasattr(sys, "ps1"):
                print(COMPILING, file=sys.stderr, flush=True)
    for told in tuple(_TOLD):
        told()
