"""Quicker compiling and quicker kernels, with private interfaces of Numba, for the series that `settings.TESTED` lists.

Machine code is generated for whole kernels only, not for each helper (`_PartCompiler`), which halves the time to
compile, and a state is passed on as one argument, not as hundreds (`_WholeTuple`). Parsers run twice as fast if arrays
are not reference-counted (the option `_nrt`). Learning takes a tenth less if no index is asked whether it counts from
the end (`plain_indices`): none of ours does. No result depends on any of this.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numba.core.compiler
from llvmlite import ir
from numba.core.codegen import JITCodeLibrary
from numba.core.datamodel.models import TupleModel
from numba.extending import intrinsic, register_model

#: Options of all kernels and their helpers: they are never called from C.
OPTIONS = {"no_cfunc_wrapper": True}


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


class _WholeTuple(TupleModel):
    """A named tuple of ours, which functions take as it is: by default they take all numbers of all its arrays.

    To take it apart and put it together again at each call is a quarter of LLVM's code.
    """

    def get_argument_type(self) -> Any:
        return self.get_value_type()

    def as_argument(self, builder: ir.IRBuilder, value: Any) -> Any:
        return value

    from_argument = as_argument


@register_model(numba.types.NamedTuple)
def _tuple_model(manager: Any, kind: Any) -> TupleModel:
    ours = kind.instance_class.__module__.startswith("sonlearn.")
    return (_WholeTuple if ours else TupleModel)(manager, kind)


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


#: What kernels compile in the place of functions that Python cannot express, by their names.
CODES = {"sonlearn.jit.decorators.fetch": fetch_lines}


@contextlib.contextmanager
def plain_indices() -> Iterator[None]:
    """In this context, our functions are compiled for indices that are not negative; those of others as ever.

    With bounds checks a negative one raises an IndexError. A single constant, as in x[-1], costs nothing and may be.
    """
    from numba.np import arrayobj  # which only a compiler needs

    given = arrayobj.fix_integer_index

    def fix(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        if isinstance(index, ir.Constant) or not builder.function.name.startswith("_ZN8sonlearn"):
            return given(context, builder, kind, index, size)
        return context.cast(builder, index, kind, numba.types.intp)

    arrayobj.fix_integer_index = fix
    try:
        yield
    finally:
        arrayobj.fix_integer_index = given
