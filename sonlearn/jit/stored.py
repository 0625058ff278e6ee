"""Compiled kernels that run without Numba, whose import takes half of a short run's time and 35 MB.

`faststart` writes the machine code of a kernel into a file of its own, and beside it a note for each list of argument
types that the kernel was called with, as `types_of` has them: Numba's own index is readable by Numba only.
`load_kernel` finds the note and hands the code to LLVM. All that the code asks of Numba is in three extension modules,
which are loaded without the package that they belong to. Where anything is missing the caller turns to Numba
(`decorators`).
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, NoneType
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numpy as np

from sonlearn.jit.settings import cache_folders, faststart_is_on

#: Flags of an array that the type of it depends on; of two contiguous orders, C is the one.
_C, _C_OR_F, _STATE = 0x1, 0x3, 0x500
_ARRAYS = frozenset({np.ndarray, np.recarray})
_SCALARS = frozenset({bool, float, str, NoneType, np.float64, np.int64, np.int32, np.uint64, np.uintp, np.bool_})
_LARGEST = 1 << 63

#: Types of arguments: of an array (dtype, dimensions, flags), of a tuple its class and its items' types.
Types = tuple[Any, ...]


class Code(NamedTuple):
    """A compiled kernel."""

    code: bytes  # an object file
    wrapper: str  # its symbol that Python can call
    environment: str  # its symbol for the Python objects that the wrapper uses
    environments: dict[str, list[str]]  # further symbols of that kind: array types, by their names


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


def key_of(arguments: tuple[Any, ...]) -> Types:
    """The types of arguments in a row: as different as `types_of`, in two thirds of the time. Raises as that."""
    found: list[Any] = []
    _add_types(arguments, found.append)
    return tuple(found)


def _add_types(values: tuple[Any, ...], add: Callable[[Any], None]) -> None:
    for value in values:
        own = type(value)
        if own in _ARRAYS:
            add(value.dtype)
            add(value.ndim)
            flags = value.flags.num
            add(flags & (_STATE | _C) if flags & _C else flags & (_STATE | _C_OR_F))
        elif own in _SCALARS or (own is int and -_LARGEST <= value < _LARGEST):
            add(own)
        elif isinstance(value, tuple):
            add(own)
            add(len(value))
            _add_types(value, add)
        elif isinstance(value, np.ndarray):
            add(_type_of(value))
        else:
            raise UnknownTypeError(own)


def _text(types: Any) -> str:
    """The same in words, for another process."""
    if isinstance(types, tuple):
        return f"({' '.join(map(_text, types))})"
    return f"{types.__module__}.{types.__qualname__}" if isinstance(types, type) else repr(types)


# ---------------------------------------------------------------------------------------------------- files


def write_code(folder: Path, name: str, code: Code) -> str:
    """Write a kernel into a folder; returns the name of the file."""
    data = json.dumps(code[1:]).encode() + b"\n" + code.code
    file = f"{name}.{_digest(data)}.code"
    _write(folder / file, data)
    return file


def read_code(path: Path) -> Code:
    """Read what `write_code` wrote. Raises OSError where it is not there, or damaged."""
    data = path.read_bytes()
    if _digest(data) != path.suffixes[-2][1:]:
        raise OSError(f"{path}: damaged")
    header, code = data.split(b"\n", 1)
    return Code(code, *json.loads(header))


def write_note(path: Path, function: Callable, types: Types) -> None:
    """Note beside the code at `path` that it is what a `function` takes for arguments of these types."""
    name, text = _note(function, types)
    with contextlib.suppress(OSError):
        _write(path.parent / name, f"{path.name}\n{text}".encode())


def load_kernel(function: Callable, types: Types) -> Callable | None:
    """The stored kernel of a Python `function` for arguments of these types, or None."""
    own, others = cache_folders(function.__module__)
    name, text = _note(function, types)
    for folder in (*others, *([own] if own else [])):
        with contextlib.suppress(OSError):
            file, noted = (folder / name).read_text(encoding="utf-8").split("\n", 1)
            if noted == text:
                return _ENGINE().callable_of(function, read_code(folder / file))
    return None


def _note(function: Callable, types: Types) -> tuple[str, str]:
    """(name, text) of a note: the processor and Numba's settings count as well."""
    text = f"{_text(types)}\n{_machine()}"
    module = function.__module__.rpartition(".")[2]
    line = function.__code__.co_firstlineno
    return f"{module}.{function.__qualname__}-{line}.{_digest(text.encode())}.types", text


@functools.cache
def _machine() -> str:
    features = llvm.get_host_cpu_features().flatten()
    given = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
    return f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {features}\n{given}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_bytes(data)
    part.replace(path)


# --------------------------------------------------------------------------------------------------- running


@functools.cache
def extension(name: str) -> ModuleType:
    """An extension module of Numba, without the package; Numba itself will find it loaded."""
    if name not in sys.modules:
        package = importlib.util.find_spec("numba")
        assert package is not None
        assert package.origin is not None
        folder = os.path.join(os.path.dirname(package.origin), *name.split(".")[1:-1])
        spec = importlib.machinery.PathFinder.find_spec(name, [folder])
        if spec is None or spec.loader is None:
            raise OSError(f"no {name}")
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


class _Engine:
    """Runs machine code."""

    def __init__(self) -> None:
        self._functions = extension("numba._dynfunc")
        provide_allocator()
        for helpers in (extension("numba._helperlib").c_helpers, self._functions.c_helpers):
            for name, address in helpers.items():
                llvm.add_symbol(f"numba_{name}", address)
        llvm.add_symbol("_Py_NoneStruct", id(None))
        for error in _exceptions():
            llvm.add_symbol(f"PyExc_{error.__name__}", id(error))
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        target = llvm.Target.from_default_triple()
        machine = target.create_target_machine(reloc="static", codemodel="jitdefault", jit=True)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self._alive: list[Any] = []

    def callable_of(self, function: Callable, code: Code) -> Callable:
        """The function that calls the compiled one, and does not check its arguments."""
        if EIGH in code.code:
            provide_eigh()
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code.code))
        self._engine.finalize_object()
        module = sys.modules[function.__module__]
        environment = self._environment(code.environment, module, [])
        for name, types in code.environments.items():
            self._environment(name, module, list(map(np.dtype, types)))
        address = self._engine.get_function_address(code.wrapper)
        made: Callable = self._functions.make_function(
            module, function.__name__, function.__doc__ or "", address, environment, (self,)
        )
        return made

    def _environment(self, symbol: str, module: ModuleType, objects: list[Any]) -> Any:
        environment = self._functions.Environment(module.__dict__)
        environment.consts.extend(objects)
        self._alive.append(environment)
        place = self._engine.get_global_value_address(symbol)
        ctypes.c_void_p.from_address(place).value = id(environment)
        return environment


_ENGINE = functools.cache(_Engine)


def _exceptions() -> list[type]:
    import builtins

    return [each for each in vars(builtins).values() if isinstance(each, type) and issubclass(each, BaseException)]


@functools.cache
def provide_allocator() -> None:
    """Register the addresses of Numba's allocation functions with LLVM."""
    runtime = extension("numba.core.runtime._nrt_python")
    if "numba" not in sys.modules:
        runtime.memsys_use_cpython_allocator()
    for name, address in runtime.c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


#: Numba's function behind ``np.linalg.eigh``, as kernels name it.
EIGH = b"numba_ez_xxxevd"
_LAPACK = "scipy.linalg.cython_lapack"


@functools.cache
def provide_eigh() -> Any:
    """Let Numba's `EIGH` find LAPACK without importing scipy.linalg, which takes 0.1 s and 13 MB.

    On its first call, the function imports `_LAPACK` and stores an address. So it is called here with a 1 x 1 matrix,
    while that module alone is in `sys.modules`; later imports of the module are ordinary ones. The module is returned
    so that the cache of this function keeps it alive. Only methods with full matrices use other functions of LAPACK,
    which import scipy.linalg.
    """
    import scipy

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
        eigh(extension("numba._helperlib").c_helpers["ez_xxxevd"])(b"d", b"V", b"L", 1, matrix, 1, values)
    except ImportError:
        return None
    finally:
        sys.modules.pop(_LAPACK, None)
    return module
