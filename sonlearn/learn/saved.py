"""Models in files: how a learner, of rows or of decisions, is written, read and copied."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from sonlearn.errors import ModelFileError, OptionError
from sonlearn.files import storage
from sonlearn.learn.access import Access


class SavedModel:
    """A model that says what its file holds: `_to_arrays`, and the inverse of it, `_of_arrays`.

    Attributes
    ----------
    KIND : str
        What its file says that it is.
    FORMAT : int
        Version of its header and arrays; `sonlearn.files.storage` has its own for the container.
    """

    KIND: ClassVar[str]
    FORMAT: ClassVar[int]
    access: Access

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

    def copy(self, *, threads: int = 1) -> Self:
        """A learner that goes on from the same state, with arrays of its own; `threads` as in the constructor."""
        header, arrays = self.to_arrays()
        return self.from_arrays(header, {name: np.array(array) for name, array in arrays.items()}, threads=threads)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()  # the kernels that an engine holds cannot be copied

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
