"""What all models have, of rows or of decisions: files, copies, and which threads may be at work on one.

One thread that learns may be at work on a model, or any number that predict. A state changes in place while it learns,
so nobody else may read it then. And an engine has scratch space, so each prediction that is under way has an engine of
its own; engines hold no state, and later predictions use them again.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import get_ident
from typing import Any, ClassVar, Self

import numpy as np

from sonlearn.errors import ModelFileError, OptionError, ThreadError
from sonlearn.files import storage
from sonlearn.views.index import Index


class SavedModel:
    """A model that says what its file holds: `_to_arrays`, and the inverse of it, `_of_arrays`.

    Attributes
    ----------
    KIND : str
        What its file says that it is.
    FORMAT : int
        Version of its header and arrays; `sonlearn.files.storage` has its own for the container.
    index : Index
        Numbers of the features seen.
    """

    KIND: ClassVar[str]
    FORMAT: ClassVar[int]
    access: Access
    index: Index
    _threads: int

    @property
    def size(self) -> int:
        """Features seen."""
        return int(self.index.size[0])

    def _to_arrays(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        raise NotImplementedError

    @classmethod
    def _of_arrays(cls, header: dict[str, Any], arrays: dict[str, np.ndarray], threads: int) -> Self:
        raise NotImplementedError

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """(header, arrays): the whole state, without spare capacity; going on from it gives the same bits."""
        with self.access.to_predict():
            header, arrays = self._to_arrays()
        return {"kind": self.KIND, "format": self.FORMAT} | header, arrays

    @classmethod
    def from_arrays(cls, header: dict[str, Any], arrays: dict[str, np.ndarray], *, threads: int = 1) -> Self:
        """Inverse of `to_arrays`; `threads` as in the constructor.

        Raises
        ------
        ModelFileError
            Something is missing or of another shape than the options ask for, or the model's format is that of an
            earlier or a newer sonlearn.
        """
        storage.check_model(header, cls.KIND, cls.FORMAT)
        try:
            return cls._of_arrays(header, arrays, threads)
        except (KeyError, TypeError, OptionError, ValueError) as error:
            raise ModelFileError(f"the model's content does not fit together: {error}") from error

    def copy(self, *, threads: int | None = None) -> Self:
        """A learner that goes on from the same state, with arrays of its own; `threads`: None for as many as before."""
        header, arrays = self.to_arrays()
        arrays, threads = {name: np.array(array) for name, array in arrays.items()}, threads or self._threads
        return self.from_arrays(header, arrays, threads=threads)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()  # the kernels that an engine holds cannot be copied

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles hold the bytes of the model's file, and the number of threads."""
        file = io.BytesIO()
        storage.dump(file, *self.to_arrays())
        return self._unpickled, (file.getvalue(), self._threads)

    @classmethod
    def _unpickled(cls, data: bytes, threads: int) -> Self:
        header, arrays, _ = storage.load(io.BytesIO(data))
        return cls.from_arrays(header, arrays, threads=threads)

    def save(self, path: str | Path) -> None:
        """Write the model, whole or not at all (see `sonlearn.files.storage`)."""
        storage.write(path, *self.to_arrays())

    @classmethod
    def load(cls, path: str | Path, *, threads: int = 1) -> Self:
        """Read a model written by `save`; raises ModelFileError, which names the file."""
        return cls.read(path, threads=threads)[0]

    @classmethod
    def read(cls, path: str | Path, *, threads: int = 1) -> tuple[Self, dict[str, Any]]:
        """`load`, and the header of the file."""
        header, arrays = storage.read(path, cls.KIND, cls.FORMAT)
        try:
            return cls.from_arrays(header, arrays, threads=threads), header
        except ModelFileError as error:
            raise ModelFileError(f"{path}: {error}") from error


class Access:
    """Access to a model from several threads. Nobody waits: who cannot have it gets a `ThreadError`.

    Parameters
    ----------
    make : callable
        Makes an engine.

    Attributes
    ----------
    engine : Any
        That of the thread that learns, and of what needs no scratch space.
    to_learn : context manager
        Keeps other threads out. A thread may enter it several times within one another.
    """

    def __init__(self, make: Callable[[], Any]):
        self.engine = make()
        self._make, self._free = make, [self.engine]
        learning, predicting = list[int](), list[int]()
        self.to_learn = _Inside(learning, learning, predicting)
        self._inside = _Inside(predicting, learning)

    @contextlib.contextmanager
    def to_predict(self) -> Iterator[Any]:
        """Keep threads out that would learn; gives an engine that no other call under way has."""
        with self._inside:
            try:
                engine = self._free.pop()
            except IndexError:
                engine = self._make()
            try:
                yield engine
            finally:
                self._free.append(engine)


class _Inside:
    """A context that keeps other threads out, and that one row enters as often as a million.

    Parameters
    ----------
    threads : list
        The thread of each call inside.
    others : of list
        Those in which no other thread may be.
    """

    def __init__(self, threads: list[int], *others: list[int]):
        self._threads, self._others = threads, others

    def __enter__(self) -> None:
        # Each says first that it is here and then looks for others: so of two that come together one sees the other.
        me = get_ident()
        self._threads.append(me)
        for threads in self._others:
            if threads.count(me) != len(threads):
                self._threads.remove(me)
                raise ThreadError(
                    "two threads use one model, and one of them learns: expected one thread that learns, or any "
                    "number that predict; give each thread a copy (copy.deepcopy(model)), or let one wait for the other"
                )

    def __exit__(self, *error: object) -> None:
        self._threads.remove(get_ident())
