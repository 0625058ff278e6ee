"""A faster start, with private interfaces of Numba: used with the series that `sonlearn.jit.settings` lists as tested.

A run with a cache loads kernels without importing Numba's compiler (`cache_in`), which halves the start; what is stored
also serves runs that do not import Numba at all (`sonlearn.jit.stored`), which halves it again. A first run
generates machine code for whole kernels only, not for each helper (`_PartCompiler`), which halves the work. Parsers
run twice as fast if arrays are not reference-counted (the option `_nrt`). No result depends on any of this.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numba
import numba.core.caching as caching
import numba.core.compiler
import numpy as np
from llvmlite import ir
from numba.core.codegen import JITCodeLibrary
from numba.extending import intrinsic

from sonlearn.jit import cache, machine_code, stored

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


def cache_in(folder: str, function: Callable) -> caching.FunctionCache:
    """Numba's cache of `function` in `folder`, with kernels that are small and load without the compiler."""
    return cache.cache_in(folder, function, _Cache, _SmallForm)


class _SmallForm(caching.CompileResultCacheImpl):
    """Keeps the machine code in a file of its own, which `stored` can run, and no LLVM code for linking.

    Loading that, and empty environments, would import modules of Numba with their dependencies.
    """

    def reduce(self, data: Any) -> Any:
        """The stored form of a compiled kernel."""
        (name, kind, (code, _)), about, environment, *others, environments = super().reduce(data)
        needed = tuple(e for e in environments if e.consts)
        types = {e.env_name: [dtype.str for dtype in e.consts if isinstance(dtype, np.dtype)] for e in needed}
        whole = machine_code.Code(code, about.llvm_cpython_wrapper_name, environment.env_name, types)
        file = stored.write_code(self.locator.get_cache_path(), self.filename_base, whole)
        self._remember(whole, file, needed)
        return ((name, kind, (file, _only((about.llvm_func_name, whole.wrapper)))), about, environment, *others, needed)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """The compiled kernel."""
        (name, kind, (file, stub)), *others = payload
        whole = stored.read_code(os.path.join(self.locator.get_cache_path(), file))
        if machine_code.EIGH in whole.code:
            machine_code.provide_eigh()
        self._remember(whole, file, others[-1])
        return super().rebuild(target_context, ((name, kind, (whole.code, stub)), *others))

    def _remember(self, whole: machine_code.Code, file: str, environments: tuple[Any, ...]) -> None:
        """Where the code is, if it needs no other objects than `stored` can make."""
        types = [each for environment in environments for each in environment.consts]
        if all(isinstance(each, np.dtype) and each.names is None for each in types):
            _FILES[whole.wrapper] = os.path.join(self.locator.get_cache_path(), file)


#: Where the code of kernels is, by the symbol of their wrappers.
_FILES: dict[str, str] = {}


def remember_code(dispatcher: Any, arguments: tuple[Any, ...], types: stored.Types) -> None:
    """Have `stored` find the compiled code of `dispatcher` for arguments of these types."""
    compiled = dispatcher.overloads[tuple(map(numba.typeof, arguments))]
    file = _FILES.get(compiled.fndesc.llvm_cpython_wrapper_name)
    if file is not None and not numba.config.USING_SVML:
        stored.write_note(file, dispatcher.py_func, types)


@functools.cache
def _provide_allocator() -> None:
    """Register the addresses of Numba's allocation functions with LLVM."""
    for name, address in machine_code.allocator().items():
        llvm.add_symbol(name, address)


class _Cache(caching.FunctionCache):
    """Loads a kernel without importing the compiler and without compiling Numba's allocator."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel, or None."""
        _provide_allocator()
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def _only(names: tuple[str, ...]) -> bytes:
    """LLVM bitcode of a module whose only functions are called `names` and empty: what the code can be asked for."""
    text = "\n".join(f'define void @"{name}"() {{ ret void }}' for name in names)
    bitcode: bytes = llvm.parse_assembly(text).as_bitcode()
    return bitcode
