"""Model files as the verbs keep them: a learner, and with it how far an unfinished run has come."""

from __future__ import annotations

from typing import Any, NamedTuple

from sonlearn import storage
from sonlearn.errors import ModelFileError
from sonlearn.learn.learner import Learner


class Unfinished(NamedTuple):
    """A run that was saved before its end.

    Attributes
    ----------
    data : list of str
        Names as they were given.
    passes : int
        How many were wanted.
    number : int
        The pass under way, from 1 on.
    read : int
        Examples read in it.
    lines : int
        Predictions written in all.
    """

    data: list[str]
    passes: int
    number: int
    read: int
    lines: int


def save_model(path: str, learner: Learner, unfinished: Unfinished | None = None) -> None:
    """Write the model, whole or not at all. What a finished run saves is the learner alone. Raises ModelFileError."""
    header, arrays = learner.to_arrays()
    if unfinished is not None:
        header["run"] = unfinished._asdict()
    storage.write(path, header, arrays)


def load_model(path: str, *, threads: int = 1) -> tuple[Learner, Unfinished | None]:
    """Read what `save_model` has written; raises ModelFileError, which names the file."""
    header, arrays = storage.read(path, kind="learner")
    run: dict[str, Any] | None = header.pop("run", None)
    try:
        unfinished = None if run is None else Unfinished(**run)
        return Learner.from_arrays(header, arrays, threads=threads), unfinished
    except TypeError as error:
        raise ModelFileError(f"{path}: the model's content does not fit together: {error}") from error
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from error
