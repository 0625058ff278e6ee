"""A faster start, with private interfaces of Numba: used with the series that `sonlearn.jit.settings` lists as tested.

A run with a cache loads kernels without importing Numba's compiler (`cache_in`), which halves the start. A first run
generates machine code for whole kernels only, not for each helper (`_PartCompiler`), which halves the work. Parsers
run twice as fast if arrays are not reference-counted (the option `_nrt`). No result depends on any of this.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
import numba.core.caching as caching
import numba.core.compiler
import scipy
from llvmlite import ir
from numba import _helperlib
from numba.core.codegen import JITCodeLibrary
from numba.core.runtime import _nrt_python
from numba.extending import intrinsic

from sonlearn.jit import cache

#: Options of all kernels and their helpers: they are never called from C.
OPTIONS = {"no_cfunc_wrapper": True}


# ----------------------------------------------------------------------------------------------- compiling


class _PartCompiler(numba.core.compiler.Compiler):
    """Compiles a helper to LLVM code only; it is optimised and translated as part of the kernel that it is linked into.

    By default Numba does both for each helper as well, and discards the result.
    """

    def compile_extra(self, func: Callable) -> Any:
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class _PartLibrary(JITCodeLibrary):
    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Called with the Python objects that the code needs; there are none."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """0, because there is no machine code."""
        self._ensure_finalized()
        return 0


#: Further options of helpers: without machine code of their own, Python cannot call them.
OF_PARTS = {"no_cpython_wrapper": True, "pipeline_class": _PartCompiler}


@intrinsic
def _fetch_line(typingctx: Any, array: Any, row: Any, line: Any) -> Any:
    """Prefetch a cache line (64 bytes) of a row of a C-contiguous array, without waiting for it."""

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


# ------------------------------------------------------------------------------------------------- loading


def cache_in(folder: Path, function: Callable) -> caching.FunctionCache:
    """Numba's cache of `function` in `folder`, with kernels that are small and load without the compiler."""
    return cache.cache_in(folder, function, _Cache, _SmallForm)


class _SmallForm(caching.CompileResultCacheImpl):
    """Stores kernels without the LLVM code for linking into other kernels, and without empty environments.

    Loading these would import modules of Numba with their dependencies.
    """

    def reduce(self, data: Any) -> Any:
        """The stored form of a compiled kernel."""
        (name, kind, (code, _)), about, *others, environments = super().reduce(data)
        needed = tuple(e for e in environments if e.consts)
        return ((name, kind, (code, _only(about.llvm_cpython_wrapper_name))), about, *others, needed)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """The compiled kernel."""
        if _EIGH in payload[0][2][0]:
            _provide_eigh()
        return super().rebuild(target_context, payload)


class _Cache(caching.FunctionCache):
    """Loads a kernel without importing the compiler and without compiling Numba's allocator."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel, or None."""
        _provide_allocator()
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def _only(name: str) -> bytes:
    """LLVM bitcode of a module whose only function is an empty one called `name`."""
    bitcode: bytes = llvm.parse_assembly(f'define void @"{name}"() {{ ret void }}').as_bitcode()
    return bitcode


@functools.cache
def _provide_allocator() -> None:
    """Register the addresses of Numba's allocation functions with LLVM."""
    for name, address in _nrt_python.c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


#: Numba's function behind ``np.linalg.eigh``, as kernels name it.
_EIGH = b"numba_ez_xxxevd"
_LAPACK = "scipy.linalg.cython_lapack"


@functools.cache
def _provide_eigh() -> Any:
    """Let Numba's `_EIGH` find LAPACK without importing scipy.linalg, which takes 0.1 s and 13 MB.

    On its first call, the function imports `_LAPACK` and stores an address. So it is called here with a 1 x 1 matrix,
    while that module alone is in `sys.modules`; later imports of the module are ordinary ones. The module is returned
    so that the cache of this function keeps it alive. Only methods with full matrices use other functions of LAPACK,
    which import scipy.linalg.
    """
    folders = [os.path.join(path, "linalg") for path in scipy.__path__]
    spec = importlib.machinery.PathFinder.find_spec(_LAPACK, folders)
    if "scipy.linalg" in sys.modules or _LAPACK in sys.modules or spec is None or spec.loader is None:
        return None
    sys.modules[_LAPACK] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        char, size, pointer = ctypes.c_char, ctypes.c_ssize_t, ctypes.c_void_p
        eigh = ctypes.CFUNCTYPE(ctypes.c_int, char, char, char, size, pointer, size, pointer)
        matrix, values = (ctypes.c_double * 1)(1.0), (ctypes.c_double * 1)()
        eigh(_helperlib.c_helpers["ez_xxxevd"])(b"d", b"V", b"L", 1, matrix, 1, values)
    except ImportError:
        return None
    finally:
        sys.modules.pop(_LAPACK, None)
    return module
