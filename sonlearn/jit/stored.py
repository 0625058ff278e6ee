"""Compiled kernels that run without Numba, whose import takes half of a short run's time and 35 MB.

`faststart` writes the machine code of a kernel into a file of its own, and beside it a note for each list of argument
types that the kernel was called with, as `types_of` has them: Numba's own index is readable by Numba only.
`load_kernel` finds the note and hands the code to `machine_code`. Where anything is missing the caller turns to Numba
(`decorators`).
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import operator
import os
import sys
from collections.abc import Callable
from importlib.util import source_hash
from types import NoneType
from typing import Any

import numpy as np

from sonlearn.jit.machine_code import Code, callable_of
from sonlearn.jit.settings import cache_folders, faststart_is_on

#: Flags of an array that the type of it depends on; of two contiguous orders, C is the one.
_C, _C_OR_F, _STATE = 0x1, 0x3, 0x500
_SCALARS = frozenset({bool, float, str, NoneType, np.float64, np.int64, np.int32, np.uint64, np.uintp, np.bool_})
_LARGEST = 1 << 63

#: Types of arguments: of an array (dtype, dimensions, flags), of a tuple its class and its items' types.
Types = tuple[Any, ...]


class UnknownTypeError(TypeError):
    """An argument has a type that kernels run here do not have."""


def is_possible() -> bool:
    """Whether stored kernels run here: with a Numba that this was tested with, and no settings of it in a file."""
    return sys.platform == "linux" and faststart_is_on() and not os.path.exists(".numba_config.yaml")


# ---------------------------------------------------------------------------------------------------- types


def types_of(arguments: tuple[Any, ...]) -> Types:
    """The types of arguments: alike where Numba has the same types for them.

    Raises
    ------
    UnknownTypeError
        One is neither an array, nor a number, nor a tuple of such.
    """
    return tuple(map(_type_of, arguments))


def _type_of(value: Any) -> Any:
    own = type(value)
    if isinstance(value, np.ndarray):
        flags = value.flags.num
        return value.dtype, value.ndim, flags & (_STATE | _C) if flags & _C else flags & (_STATE | _C_OR_F)
    if isinstance(value, tuple):
        return (own, *map(_type_of, value))
    if own in _SCALARS or (own is int and -_LARGEST <= value < _LARGEST):
        return own
    raise UnknownTypeError(own)


# Calls look kernels up by keys, which are quicker to make: types that differ have keys that differ, but not the other
# way round. With a named tuple its key is remembered (`sonlearn.named`), since its items are always the same, and
# nobody changes the types of arrays that are in one. To find those out takes half a microsecond for each array.


class _TupleKey:
    """The key of tuples of the same types."""


_TUPLE_KEYS: dict[tuple[Any, ...], _TupleKey] = {}
_MOST_TUPLE_KEYS = 4096
_KEY_OF_ARRAY = operator.attrgetter("dtype", "ndim", "flags.num")


def key_of(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """A key by which a kernel for arguments of these types is found. Raises UnknownTypeError as `types_of`."""
    return tuple(
        [
            _KEY_OF_ARRAY(value) if (own := type(value)) is np.ndarray
            else own if own in _SCALARS
            else (isinstance(value, tuple) and getattr(value, "_types", None)) or _other_key(value)
            for value in arguments
        ]
    )  # fmt: skip


def _other_key(value: Any) -> Any:
    if not isinstance(value, tuple):
        return _type_of(value)
    if len(_TUPLE_KEYS) > _MOST_TUPLE_KEYS:
        _TUPLE_KEYS.clear()
    key = _TUPLE_KEYS.setdefault((type(value), *key_of(value)), _TupleKey())
    with contextlib.suppress(AttributeError):  # a plain tuple
        value._types = key  # type: ignore[attr-defined]
    return key


def _text(types: Any) -> str:
    """The same in words, for another process."""
    if isinstance(types, tuple):
        return f"({' '.join(map(_text, types))})"
    if isinstance(types, np.dtype):
        return types.str if types.names is None else repr(types)
    return f"{types.__module__}.{types.__qualname__}" if isinstance(types, type) else repr(types)


# ---------------------------------------------------------------------------------------------------- files


def write_code(folder: str, name: str, code: Code) -> str:
    """Write a kernel into a folder; returns the name of the file."""
    data = json.dumps(code[1:]).encode() + b"\n" + code.code
    file = f"{name}.{_digest(data)}.code"
    _write(os.path.join(folder, file), data)
    return file


def read_code(path: str) -> Code:
    """Read what `write_code` wrote. Raises OSError where it is not there, or damaged."""
    data = _read(path)
    if _digest(data) != path.split(".")[-2]:
        raise OSError(f"{path}: damaged")
    header, code = data.split(b"\n", 1)
    return Code(code, *json.loads(header))


def write_note(path: str, function: Callable, types: Types) -> None:
    """Note beside the code at `path` that it is what a `function` takes for arguments of these types."""
    folder, file = os.path.split(path)
    name, text = _note(function, types)
    with contextlib.suppress(OSError):
        _write(os.path.join(folder, name), f"{file}\n{text}".encode())


def load_kernel(function: Callable, types: Types) -> Callable | None:
    """The stored kernel of a Python `function` for arguments of these types, or None."""
    own, others = cache_folders(function.__module__)
    name, text = _note(function, types)
    for folder in (*others, *([own] if own else [])):
        with contextlib.suppress(OSError):
            file, noted = _read(os.path.join(folder, name)).decode().split("\n", 1)
            if noted == text:
                return callable_of(function, read_code(os.path.join(folder, file)))
    return None


def _note(function: Callable, types: Types) -> tuple[str, str]:
    """(name, text) of a note: the processor and Numba's settings count as well."""
    text = f"{_text(types)}\n{_machine()}"
    module = function.__module__.rpartition(".")[2]
    line = function.__code__.co_firstlineno
    return f"{module}.{function.__qualname__}-{line}.{_digest(text.encode())}.types", text


@functools.cache
def _machine() -> str:
    given = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
    return f"{_processor()}\n{given}"


#: What the system says of a processor that machine code depends on.
_OF_PROCESSOR = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags")


def _processor() -> str:
    """Which processor this is: as the system says, since LLVM takes long to load, or else as LLVM says."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        first = itertools.takewhile(str.strip, file)  # of the processors, up to an empty line
        named = dict(line.split("\t", 1) for line in first if "\t" in line)
        if "flags" in named:
            return "".join(f"{name}{named[name]}" for name in _OF_PROCESSOR if name in named)
    import llvmlite.binding as llvm

    return f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


def _digest(data: bytes) -> str:
    return source_hash(data).hex()


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


def _write(path: str, data: bytes) -> None:
    """Write a file whole or not at all."""
    part = f"{path}.{os.getpid()}.part"
    with open(part, "wb") as file:
        file.write(data)
    os.replace(part, path)
