"""Numba as kernels are compiled with it (`sonlearn.jit`), and cached (`sonlearn.kernelcache`).

Numba's disk cache looks at the file that contains a kernel and at nothing else: after an edit (or an upgrade) of a
helper in another file, the cached caller goes on running the old helper, silently. So kernels are cached in a folder
named by a hash of their module and of all that it imports from the package (`sources_hash`): an edit of any of them
gives a fresh folder, a rerun hits the cache, the package's own folder is never written to, and other users of numba are
not affected. Folders of other versions are removed after a month without use.

A second run loads kernels without what Numba imports to compile (`_cache_in`), which halves its start. A first run
makes machine code of whole kernels only, not of each helper of each helper (`_PartCompiler`), which halves its work;
and of several processes that need a kernel one compiles it (`_Turn`). All this leans on parts of Numba that are no
public interface: tests/house/test_jit.py and tests/cli/test_start.py say whether they are still what they were.

``error_model="numpy"``: a division by zero gives inf, which kernels test for, instead of a Python exception.
No fast-math anywhere: it would make ``isnan`` lie.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib.machinery
import importlib.util
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
import numba.core.caching as caching
import numba.core.compiler
import numba.core.event
import scipy
from llvmlite import ir
from numba.core.codegen import JITCodeLibrary
from numba.core.runtime import _nrt_python
from numba.extending import intrinsic

from sonlearn.jit import compiling
from sonlearn.kernelcache import folders
from sonlearn.sources import digest_of

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_PATIENCE_SECONDS = 120
_SETTINGS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


@functools.cache
def sources_hash(module: str) -> str:
    """Hash of all that decides what a kernel of `module` compiles to: sources, Numba, how it optimises and checks."""
    config = numba.config
    return digest_of(module, (numba.__version__, config.OPT, config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT, sys.version))


def cache_folders(module: str) -> tuple[Path | None, tuple[Path, ...]]:
    """(folder to write the kernels of `module` to, None where there is none; folders to read them from before that)."""
    return folders(sources_hash(module))


def is_shared() -> bool:
    """Whether another process can load what this one compiles, and does not compile the same."""
    return fcntl is not None and cache_folders(__name__)[0] is not None


class _WhileCompiling(numba.core.event.Listener):
    """Keeps the garbage collector away while kernels are compiled: it took a fifth of the time and found nothing."""

    def __init__(self) -> None:
        self._under_way, self._was_on, self._lock = 0, False, threading.Lock()

    def on_start(self, event: numba.core.event.Event) -> None:
        compiling()
        with self._lock:
            if self._under_way == 0:
                self._was_on = gc.isenabled()
                gc.disable()
            self._under_way += 1

    def on_end(self, event: numba.core.event.Event) -> None:
        with self._lock:
            self._under_way -= 1
            if self._under_way == 0 and self._was_on:
                gc.enable()


numba.core.event.register("numba:compile", _WhileCompiling())


def kernel(function: Callable, **settings: bool) -> Any:
    """What Python calls: compiled in nopython mode, without the GIL, cached by all sources that it reaches."""
    made = alone(function, **settings)
    if not numba.config.DISABLE_JIT:
        made._cache = _Layers(function, *cache_folders(function.__module__))
    return made


def alone(function: Callable, **settings: bool) -> Any:
    """The same without a cache."""
    return numba.njit(**_SETTINGS, **settings)(function)


def part(function: Callable, **settings: bool) -> Any:
    """What kernels call: compiled with them. It has no machine code of its own, so that Python cannot call it."""
    return numba.njit(**_SETTINGS, **settings, no_cpython_wrapper=True, pipeline_class=_PartCompiler)(function)


@intrinsic
def _fetch_line(typingctx: Any, array: Any, row: Any, line: Any) -> Any:
    """Ask for a cache line (64 bytes) of a row of a C-contiguous array; nothing is read, or waited for."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0])
        step = builder.extract_value(data.strides, 0)
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        at = builder.add(builder.mul(args[1], step), builder.shl(args[2], ir.Constant(args[2].type, 6)))
        place = builder.gep(builder.bitcast(data.data, byte), [at])
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        call = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        builder.call(call, [place, word(0), word(3), word(1)])
        return context.get_dummy_value()

    return numba.types.void(array, numba.types.int64, numba.types.int64), code


def fetch_lines(array, row, lines):
    """`sonlearn.jit.fetch` as it is compiled."""
    for line in range(lines):
        _fetch_line(array, row, line)


class _PartCompiler(numba.core.compiler.Compiler):
    """Compiles down to code of LLVM's, which is optimised and made machine code where it has been linked into a kernel.

    By itself Numba does both for each helper of each helper as well, only to throw it away.
    """

    def compile_extra(self, func: Callable) -> Any:
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class _PartLibrary(JITCodeLibrary):
    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Called with the Python objects that the code needs, of which there are none."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """None: no machine code is made."""
        self._ensure_finalized()
        return 0


class _Place:
    """What Numba asks a locator for: a folder whose name says all that a kernel depends on."""

    def __init__(self, folder: Path, function: Callable):
        self._folder, self._line = folder, function.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """What kernels must have been made from: it is in the folder's name."""
        return self._folder.name

    def get_disambiguator(self) -> str:
        """Tells functions of the same name apart."""
        return str(self._line)

    def ensure_cache_path(self) -> None:
        """Called before writing; `cache_folders` has made the folder."""


def _cache_in(folder: Path, function: Callable) -> caching.FunctionCache:
    """Numba's cache of `function` in `folder`, of kernels that are small and loaded without the compiler.

    Left out are LLVM's code, for linking into other kernels, and environments without Python objects, for which modules
    of Numba's with their dependencies would be imported. To load a kernel Numba would also import all that compiling
    takes, and compile its allocator.
    """

    class Locator(_Place):
        @classmethod
        def from_function(cls, function: Callable, file: str) -> _Place:
            return _Place(folder, function)

    class Implementation(caching.CompileResultCacheImpl):
        _locator_classes = (Locator,)

        def reduce(self, data: Any) -> Any:
            (name, kind, (code, _)), about, *others, environments = super().reduce(data)
            needed = tuple(e for e in environments if e.consts)
            return ((name, kind, (code, _only(about.llvm_cpython_wrapper_name))), about, *others, needed)

        def rebuild(self, target_context: Any, payload: Any) -> Any:
            if any(name in payload[0][2][0] for name in _OF_LAPACK):
                _provide_lapack()
            return super().rebuild(target_context, payload)

    class Cache(caching.FunctionCache):
        _impl_class = Implementation

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            _provide_allocator()
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)

    return Cache(function)


def _only(name: str) -> bytes:
    """LLVM's code of a module that has a function of this name, and no other."""
    bitcode: bytes = llvm.parse_assembly(f'define void @"{name}"() {{ ret void }}').as_bitcode()
    return bitcode


@functools.cache
def _provide_allocator() -> None:
    """Tell LLVM where the functions are that kernels allocate with."""
    for name, address in _nrt_python.c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


#: How names begin of what Numba's kernels call for BLAS and LAPACK, which are SciPy's.
_OF_LAPACK = (b"numba_xx", b"numba_ez_")


@functools.cache
def _provide_lapack() -> None:
    """Import these modules of SciPy's, as kernels would, without scipy.linalg around them (0.1 s and 13 MB)."""
    for name in ("scipy.linalg.cython_blas", "scipy.linalg.cython_lapack"):
        folders = [os.path.join(path, "linalg") for path in scipy.__path__]
        spec = importlib.machinery.PathFinder.find_spec(name, folders)
        if spec is None or spec.loader is None or name in sys.modules:
            continue
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except ImportError:
            del sys.modules[name]


class _Layers(caching.NullCache):
    """A kernel's caches: all are read, in order, and one may be written to."""

    def __init__(self, function: Callable, own: Path | None, others: tuple[Path, ...]):
        self._own = None if own is None else _cache_in(own, function)
        self._all = [_cache_in(folder, function) for folder in others] + ([self._own] if self._own else [])

    @property
    def cache_path(self) -> str | None:
        """Where kernels are written to."""
        return self._own and self._own.cache_path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel; None if no cache holds it, and then it is this process's turn to compile it."""
        found = self._load(sig, target_context)
        if found is None and self._own is not None:
            _TURN.take(f"{self._own.cache_path}/{self._own._impl.filename_base}.lock")
            found = self._load(sig, target_context)  # another process may have compiled it by now
            if found is not None:
                _TURN.leave()
        return found

    def _load(self, sig: Any, target_context: Any) -> Any:
        for cache in self._all:
            with contextlib.suppress(OSError):
                found = cache.load_overload(sig, target_context)
                if found is not None:
                    return found
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel, if there is room for it: one that cannot be kept can be used."""
        if self._own is not None:
            with contextlib.suppress(OSError):
                self._own.save_overload(sig, data)
            _TURN.leave()


class _Turn:
    """A kernel is compiled by one process at a time; others wait for it. A process that has ended has no turn.

    Called with Numba's lock: a process has one turn at most.
    """

    def __init__(self) -> None:
        self._file: Any = None

    def take(self, path: str) -> None:
        """Wait until no other process compiles what `path` stands for, but not for ever."""
        self.leave()
        if fcntl is None:
            return
        with contextlib.suppress(OSError):
            self._file = open(path, "w")  # noqa: SIM115
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while self._file is not None and time.monotonic() < deadline:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                time.sleep(0.02)
            except OSError:  # a file system that knows no locks
                return

    def leave(self) -> None:
        """Let others have their turn."""
        file, self._file = self._file, None
        if file is not None:
            file.close()


_TURN = _Turn()
