"""Compiled kernels that run without Numba, whose import takes half of a short run's time and 35 MB.

Beside Numba's form of a kernel (`cache`), `store` writes its machine code into a file of its own for each list of
argument types that the kernel was called with, as `types_of` has them. `load` has llvmlite bring that into memory. All
that the code asks of Numba is in three extension modules, which are loaded without the package that they belong to.
Where anything is missing the caller turns to Numba (`decorators`).

This leans on private parts of Numba: it is used with the series of it that `settings.TESTED` lists, on Linux, and not
with SONLEARN_FASTSTART=0.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import functools
import importlib.machinery
import importlib.util
import json
import os
import sys
from collections.abc import Callable
from importlib.util import source_hash
from types import ModuleType, NoneType
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from sonlearn.jit import folders
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
    """Tell whether stored kernels run here: with a Numba that this was tested with, and no settings of it in a file."""
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


def _text(types: Any) -> str:
    """The same in words, for another process."""
    if isinstance(types, tuple):
        return f"({' '.join(map(_text, types))})"
    if isinstance(types, np.dtype):
        return types.str if types.names is None else repr(types)
    return f"{types.__module__}.{types.__qualname__}" if isinstance(types, type) else repr(types)


# ---------------------------------------------------------------------------------------------------- files


def store(form: tuple[Any, ...], function: Callable, types: Types) -> None:
    """Store the machine code of a compiled function, if it needs no other Python objects than `load` can make.

    form : what `sonlearn.jit.cache` stores of it
    """
    (_, _, (code, _)), about, own, *_, needed = form
    objects = {each.env_name: list(each.consts) for each in needed}
    if all(isinstance(each, np.dtype) and each.names is None for consts in objects.values() for each in consts):
        environments = {name: [each.str for each in consts] for name, consts in objects.items() if consts}
        symbols = json.dumps((about.llvm_cpython_wrapper_name, own.env_name, environments))
        folder, _ = cache_folders(function)
        with contextlib.suppress(OSError):
            if folder is not None:
                folders.keep(folder, *_place(function, types), symbols.encode() + b"\0" + code)


def load(function: Callable, types: Types) -> Callable | None:
    """The stored kernel of a Python `function` for arguments of these types, which it does not check; or None."""
    _, every = cache_folders(function)
    data = folders.find(every, *_place(function, types))
    if data is not None:
        symbols, code = data.split(b"\0", 1)
        with contextlib.suppress(OSError):
            return _callable_of(function, code, *json.loads(symbols))
    return None


def _place(function: Callable, types: Types) -> tuple[str, bytes]:
    """(file, key) of a kernel for arguments of these types. Numba's settings count, and the processor."""
    key = f"{_text(types)}\n{_machine()}".encode()
    return f"{folders.name_of(function)}.{source_hash(key).hex()}.code", key


@functools.cache
def _machine() -> str:
    given = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
    return f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()} {given}"


# --------------------------------------------------------------------------------------------- machine code


def _callable_of(
    function: Callable, code: bytes, wrapper: str, environment: str, environments: dict[str, list[str]]
) -> Callable:
    """Return what calls the compiled `function`.

    Parameters
    ----------
    function : callable
    code : bytes
        An object file.
    wrapper : str
        Its symbol that Python can call.
    environment : str
        Its symbol for the Python objects that the wrapper uses.
    environments : dict
        Further symbols of that kind: array types, by their names.
    """
    engine, module = _engine(), sys.modules[function.__module__]
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    own = _environment(engine.get_global_value_address(environment), module, [])
    for name, types in environments.items():
        _environment(engine.get_global_value_address(name), module, list(map(np.dtype, types)))
    address = engine.get_function_address(wrapper)
    made: Callable = _extension("numba._dynfunc").make_function(
        module, function.__name__, function.__doc__ or "", address, own, (own,)
    )
    return made


#: Objects that code refers to, which have to live as long.
_ALIVE: list[Any] = []


def _environment(place: int, module: ModuleType, objects: list[Any]) -> Any:
    """Numba's object that holds the Python objects of a function; its address is written to a `place`."""
    environment = _extension("numba._dynfunc").Environment(module.__dict__)
    environment.consts.extend(objects)
    _ALIVE.append(environment)
    ctypes.c_void_p.from_address(place).value = id(environment)
    return environment


@functools.cache
def _engine() -> llvm.ExecutionEngine:
    """LLVM, which knows the addresses of what code may ask of Numba and of Python's objects."""
    runtime = _extension("numba.core.runtime._nrt_python")
    if "numba" not in sys.modules:
        runtime.memsys_use_cpython_allocator()
    known = {name if name.startswith("_") else f"NRT_{name}": at for name, at in runtime.c_helpers.items()}
    for helpers in (_extension("numba._helperlib").c_helpers, _extension("numba._dynfunc").c_helpers):
        known |= {f"numba_{name}": address for name, address in helpers.items()}
    errors = (each for each in vars(builtins).values() if isinstance(each, type) and issubclass(each, BaseException))
    known |= {"_Py_NoneStruct": id(None), **{f"PyExc_{error.__name__}": id(error) for error in errors}}
    for name, address in known.items():
        llvm.add_symbol(name, address)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(reloc="static", codemodel="jitdefault", jit=True)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


@functools.cache
def _extension(name: str) -> ModuleType:
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
