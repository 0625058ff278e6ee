"""Machine code of stored kernels, run without importing Numba.

All that the code asks of Numba is in three extension modules, which are loaded without the package that they belong to.
`sonlearn.jit.linking` brings the code into memory; LLVM does where that cannot.
"""

from __future__ import annotations

import builtins
import ctypes
import functools
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from sonlearn.jit import linking
from sonlearn.named import NamedTuple


class Code(NamedTuple):
    """A compiled kernel."""

    code: bytes  # an object file
    wrapper: str  # its symbol that Python can call
    environment: str  # its symbol for the Python objects that the wrapper uses
    environments: dict[str, list[str]]  # further symbols of that kind: array types, by their names


def callable_of(function: Callable, code: Code) -> Callable:
    """What calls the compiled `function`, and does not check its arguments."""
    if EIGH in code.code:
        provide_eigh()
    try:
        address_of: Callable[[str], int] = linking.load(code.code, _address_of).__getitem__
    except linking.LinkError:
        address_of = _LLVM().load(code.code)
    module = sys.modules[function.__module__]
    environment = _environment(address_of(code.environment), module, [])
    for name, types in code.environments.items():
        _environment(address_of(name), module, list(map(np.dtype, types)))
    made: Callable = extension("numba._dynfunc").make_function(
        module, function.__name__, function.__doc__ or "", address_of(code.wrapper), environment, (environment,)
    )
    return made


#: Objects that code refers to, which have to live as long.
_ALIVE: list[Any] = []


def _environment(place: int, module: ModuleType, objects: list[Any]) -> Any:
    """Numba's object that holds the Python objects of a function; its address is written to a `place`."""
    environment = extension("numba._dynfunc").Environment(module.__dict__)
    environment.consts.extend(objects)
    _ALIVE.append(environment)
    ctypes.c_void_p.from_address(place).value = id(environment)
    return environment


# ------------------------------------------------------------------------------------------ Numba and Python


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


@functools.cache
def allocator() -> dict[str, int]:
    """Addresses of Numba's allocation functions."""
    runtime = extension("numba.core.runtime._nrt_python")
    if "numba" not in sys.modules:
        runtime.memsys_use_cpython_allocator()
    return {name if name.startswith("_") else f"NRT_{name}": at for name, at in runtime.c_helpers.items()}


@functools.cache
def _helpers() -> dict[str, int]:
    """Addresses of what code may ask of Numba and of Python's objects."""
    found = {"_Py_NoneStruct": id(None), **allocator()}
    for helpers in (extension("numba._helperlib").c_helpers, extension("numba._dynfunc").c_helpers):
        found |= {f"numba_{name}": address for name, address in helpers.items()}
    errors = (each for each in vars(builtins).values() if isinstance(each, type) and issubclass(each, BaseException))
    return found | {f"PyExc_{error.__name__}": id(error) for error in errors}


@functools.cache
def _address_of(name: str) -> int:
    """Address of a symbol: of Numba, or of Python and the libraries of the process."""
    if name in _helpers():
        return _helpers()[name]
    try:
        return ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, name))
    except ValueError:
        raise linking.LinkError(f"no {name}") from None


class _Engine:
    """LLVM, where it has to load machine code."""

    def __init__(self) -> None:
        import llvmlite.binding as llvm

        for name, address in _helpers().items():
            llvm.add_symbol(name, address)
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        target = llvm.Target.from_default_triple()
        machine = target.create_target_machine(reloc="static", codemodel="jitdefault", jit=True)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self._of_data = llvm.ObjectFileRef.from_data

    def load(self, code: bytes) -> Callable[[str], int]:
        """Load an object file; returns what gives the addresses of its symbols."""
        self._engine.add_object_file(self._of_data(code))
        self._engine.finalize_object()
        address_of: Callable[[str], int] = self._engine.get_global_value_address
        return address_of


_LLVM = functools.cache(_Engine)


# ------------------------------------------------------------------------------------------ eigenvalues

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
