"""Calls of compiled kernels that are prepared: for a row at a time, where a call takes longer than its work.

A call of a kernel from Python unpacks its arguments, tuples of arrays, in microseconds. Here that is done once: the
words that the machine code takes (addresses, lengths, numbers) stand in a block of memory, and a function of a few
instructions, made here with llvmlite, loads them and calls the kernel. `run` makes such calls one after the other. That
needs two private interfaces of Numba: how it passes arguments, and where it keeps the machine code.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir

from sonlearn.jit.stored import types_of

#: Words for what a kernel returns.
RESULT = 8
_WORD = ir.IntType(64)
_BLOCK = _WORD.as_pointer()
#: A function that `_caller` makes: of the address of a block; 1, or what the kernel has returned first.
_CALLER = ir.FunctionType(_WORD, [_BLOCK])


class PreparedCall(NamedTuple):
    """A call that is prepared."""

    caller: int  # address of the function that makes it
    words: np.ndarray  # uint64; what the kernel takes, and room for what it returns
    arguments: tuple[Any, ...]  # which have to live as long


def prepared_call(dispatcher: Any, arguments: tuple[Any, ...]) -> PreparedCall:
    """The prepared call of a compiled kernel; AttributeError or KeyError where Numba lacks the interface."""
    key = dispatcher, types_of(arguments)
    if key not in _WAYS:
        _WAYS[key] = _way(dispatcher, arguments)
    address, caller, count = _WAYS[key]
    words = [struct.pack("q", address)]
    _unpack(arguments, words)
    packed = b"".join(words)
    if len(packed) != 8 * (1 + count):
        raise AttributeError("arguments of kernels are passed in another way")
    block = np.frombuffer(packed + bytes(8 * RESULT), np.uint64).copy()
    return PreparedCall(caller, block, arguments)


#: How each kernel is called, by the types of its arguments, which Numba takes a quarter of a millisecond to find out.
_WAYS: dict[Any, tuple[int, int, int]] = {}


def _way(dispatcher: Any, arguments: tuple[Any, ...]) -> tuple[int, int, int]:
    """(address of its machine code, and of the function that loads the words that it takes, how many they are)."""
    types = tuple(map(numba.typeof, arguments))
    if types not in dispatcher.overloads:
        dispatcher.compile(types)
    compiled = dispatcher.overloads[types]
    address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    if not address:
        raise AttributeError("the machine code is not to be had")
    kind = dispatcher.targetctx.call_conv.get_function_type(compiled.signature.return_type, types)
    returns = compiled.signature.return_type is not numba.types.none
    return address, *_caller(kind, returns)


def _unpack(value: Any, words: list[bytes]) -> None:
    """Append the words that stand for an argument, as Numba passes it."""
    if isinstance(value, tuple):
        for each in value:
            _unpack(each, words)
    elif isinstance(value, np.ndarray):  # without an owner who counts references, and without a Python object
        where = (0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides)
        words.append(struct.pack(f"{len(where)}q", *where))
    elif isinstance(value, float):
        words.append(struct.pack("d", value))
    elif isinstance(value, np.bool_):  # some NumPy packs it with a warning
        raise AttributeError("a block holds no NumPy bool")
    else:
        words.append(struct.pack("q", value))


#: What holds the code of functions made here, which live as long as the process.
_ENGINES: list[Any] = []


@functools.cache
def _caller(kind: ir.FunctionType, returns: bool) -> tuple[int, int]:
    """(address of a function that calls kernels of this type with the words of a block, how many they are)."""
    module = ir.Module("caller")
    function = ir.Function(module, _CALLER, "caller")
    builder = ir.IRBuilder(function.append_basic_block())

    numbers = itertools.count()
    places = (builder.gep(function.args[0], [_WORD(i)]) for i in numbers)
    kernel = builder.inttoptr(builder.load(next(places)), kind.as_pointer())
    given = [_converted(builder, places, each) for each in kind.args[2:]]
    result = next(places)
    error = builder.alloca(kind.args[1].pointee)
    status = builder.call(kernel, [builder.bitcast(result, kind.args[0]), error, *given])
    own = builder.load(result) if returns else _WORD(1)
    builder.ret(builder.select(builder.icmp_signed("==", status, status.type(0)), own, _WORD(-1)))
    return _address(module, "caller"), next(numbers) - 2


def _converted(builder: ir.IRBuilder, places: Iterator[Any], kind: Any) -> Any:
    """The next word, or words, as what a kernel takes."""
    if isinstance(kind, ir.Aggregate):
        value = ir.Constant(kind, ir.Undefined)
        for i, each in enumerate(kind.elements):
            value = builder.insert_value(value, _converted(builder, places, each), i)
        return value
    casts = (ir.PointerType, builder.inttoptr), (ir.DoubleType, builder.bitcast), (ir.IntType, builder.trunc)
    for each, cast in casts:
        if isinstance(kind, each):
            return cast(builder.load(next(places)), kind)
    raise AttributeError(f"kernels take no {kind}")


def _address(module: ir.Module, name: str) -> int:
    """Address of a function of the module, compiled."""
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2, jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(str(module)), machine)
    engine.finalize_object()
    _ENGINES.append(engine)
    return int(engine.get_function_address(name))


@functools.cache
def runner() -> Any:
    """The function (program, start, stop): makes the calls start..stop - 1 until one does not return 1.

    It returns which one that is, or stop. program : address of int64[n, 2], callers and addresses of their words
    """
    module = ir.Module("runner")
    function = ir.Function(module, ir.FunctionType(_WORD, [_BLOCK, _WORD, _WORD]), "run")
    program, start, stop = function.args
    entry, loop, body = (function.append_basic_block(name) for name in ("entry", "loop", "body"))
    more, done = function.append_basic_block("more"), function.append_basic_block("done")
    builder = ir.IRBuilder(entry)
    builder.branch(loop)
    builder.position_at_end(loop)
    i = builder.phi(_WORD)
    i.add_incoming(start, entry)
    builder.cbranch(builder.icmp_signed("<", i, stop), body, done)
    builder.position_at_end(body)
    twice = builder.mul(i, _WORD(2))
    caller = builder.load(builder.gep(program, [twice]))
    block = builder.load(builder.gep(program, [builder.add(twice, _WORD(1))]))
    found = builder.call(builder.inttoptr(caller, _CALLER.as_pointer()), [builder.inttoptr(block, _BLOCK)])
    builder.cbranch(builder.icmp_signed("==", found, _WORD(1)), more, done)
    builder.position_at_end(more)
    i.add_incoming(builder.add(i, _WORD(1)), more)
    builder.branch(loop)
    builder.position_at_end(done)
    builder.ret(i)
    word = ctypes.c_int64
    return ctypes.CFUNCTYPE(word, ctypes.c_void_p, word, word)(_address(module, "run"))
