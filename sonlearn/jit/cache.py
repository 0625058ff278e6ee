"""The cache of compiled kernels, which never returns a stale one.

Numba's own cache checks only the file that contains a kernel: after an edit (or an upgrade) of a helper in another
file, the cached caller silently continues to run the old helper. Nor does it survive damage. So kernels are cached in a
folder named by a hash of all sources that kernels are made of (`sonlearn.jit.settings`), in files that are read whole
or not at all (`sonlearn.jit.folders`). An edit leads to a new folder. The package's own folder is never written to, and
other users of Numba are not affected. Folders of other versions are removed after a month without use.

Of Numba this takes a dispatcher's attribute `_cache`, and the two methods of a compiled function that make it into
something that can be pickled, and back. If several processes need a kernel, one of them compiles it (`_Turn`),
and threads of the others that do not need it go on.
"""

from __future__ import annotations

import contextlib
import functools
import time
import warnings
from collections.abc import Callable
from importlib.util import source_hash
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps, loads

from sonlearn.files.atomic import fcntl
from sonlearn.jit import folders
from sonlearn.jit.settings import cache_folders

_PATIENCE_SECONDS = 120
#: What a Numba raises whose interfaces are others.
_OTHER_NUMBA = (AttributeError, ImportError, LookupError, TypeError, ValueError)


class Cache:
    """All cache folders, as they are searched for the kernels of a function: what its dispatcher has as `_cache`.

    Parameters
    ----------
    function : callable
        The Python function.
    missing : callable
        Called before a kernel is compiled.
    """

    def __init__(self, function: Callable, missing: Callable[[], None]):
        self._own, self._all = cache_folders(function)
        self._name, self._missing = folders.name_of(function), missing

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel; None if no folder has it, and then this process has the turn to compile it.

        Raises
        ------
        BlockingIOError
            Another process has the turn; the lock file that says so is named.
        """
        found = self._load(sig, target_context)
        if found is None and self._own is not None:
            if not _TURN.take(path := f"{self._own}/{self._name}.lock"):
                raise BlockingIOError(path)
            found = self._load(sig, target_context)  # another process may have compiled it by now
            if found is not None:
                _TURN.leave()
        if found is None:
            self._missing()
        return found

    def _load(self, sig: Any, target_context: Any) -> Any:
        with contextlib.suppress(*_OTHER_NUMBA):
            if (form := self.stored_form(sig, target_context)) is not None:
                rtsys.initialize(target_context)  # in place of a refresh, which imports what only a compiler needs
                return CompileResult._rebuild(target_context, *form)
        return None

    def stored_form(self, sig: Any, target_context: Any) -> tuple[Any, ...] | None:
        """Return what is stored of a compiled kernel; None if no folder has it."""
        data = folders.find(self._all, *self._place(sig, target_context.codegen()))
        return None if data is None else loads(data)  # type: ignore[no-any-return]

    def save_overload(self, sig: Any, compiled: Any) -> None:
        """Write a compiled kernel. Where that cannot be, it is compiled in each run."""
        try:
            if self._own is not None and not compiled.library.has_dynamic_globals:
                folders.keep(self._own, *self._place(sig, compiled.codegen), dumps(_small(compiled)))
        except OSError:
            pass
        except _OTHER_NUMBA as error:
            _warn(str(error))
        _TURN.leave()

    def _place(self, sig: Any, codegen: Any) -> tuple[str, bytes]:
        """(file, key) of the kernel for arguments of some types, on this kind of processor."""
        key = f"{sig} {codegen.magic_tuple()}".encode()
        return f"{self._name}.{source_hash(key).hex()}.kernel", key


def _small(compiled: Any) -> tuple[Any, ...]:
    """Return what is stored of a compiled kernel.

    It is without the LLVM code for linking, which takes longest to load, and without environments that hold nothing,
    whose modules of Numba would be imported.
    """
    library, about, *others, environments = compiled._reduce()
    match library:
        case (str(name), "object", (bytes(code), bytes())):
            names = (about.llvm_func_name, about.llvm_cpython_wrapper_name)
            text = "\n".join(f'define void @"{each}"() {{ ret void }}' for each in names)
            library = name, "object", (code, llvm.parse_assembly(text).as_bitcode())
    return library, about, *others, tuple(each for each in environments if each.consts)


@functools.cache
def _warn(error: str) -> None:
    text = f"Numba {numba.__version__} keeps no kernels for sonlearn, which are compiled in each run: {error}"
    warnings.warn(text, RuntimeWarning, stacklevel=2)


class _Turn:
    """A lock so that one process at a time compiles a kernel and the others wait. The end of a process releases it.

    Called with Numba's lock, so a process has at most one turn.
    """

    def __init__(self) -> None:
        self._file: Any = None
        self._refused: dict[str, float] = {}  # when the turn was first refused, by its path

    def take(self, path: str) -> bool:
        """Take the turn of the lock file `path`; False where another process has it, not yet for too long."""
        self.leave()
        if fcntl is None:
            return True
        try:
            self._file = open(path, "w", opener=folders.own)  # noqa: SIM115
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            now = time.monotonic()
            return now - self._refused.setdefault(path, now) > _PATIENCE_SECONDS
        except OSError:  # no room, or a file system without locks
            pass
        return True

    def leave(self) -> None:
        """Release the turn."""
        file, self._file = self._file, None
        if file is not None:
            file.close()


_TURN = _Turn()


def wait(path: str) -> None:
    """Wait, for a limited time, until no other process has the turn of the lock file `path`."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    with contextlib.suppress(OSError), open(path, "rb") as file:
        while time.monotonic() < deadline:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                time.sleep(0.02)
