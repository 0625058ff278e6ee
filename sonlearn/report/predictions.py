"""Predictions as text: one line an example, the value and then its tag, as Vowpal Wabbit writes them."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import BinaryIO

import numpy as np

from sonlearn.errors import OutputError
from sonlearn.files.atomic import writing

#: Names that mean standard output. ``/dev/stdout`` is opened by number, since opening it by name would truncate a
#: file that the shell appends to.
STDOUT = ("-", "/dev/stdout")


def format_lines(values: np.ndarray | list[str], tags: list[str] | None = None) -> str:
    """Lines of ``value`` or ``value tag``: whole numbers without a point, others with six digits behind it.

    Parameters
    ----------
    values : float64[n], finite; or list of n str, which stand as they are
    tags : list of n str, or None
    """
    texts = values if isinstance(values, list) else _texts(values)
    if tags is not None:
        texts = [f"{text} {tag}" if tag else text for text, tag in zip(texts, tags, strict=True)]
    return "\n".join(texts) + "\n" if texts else ""


def texts_of(values: np.ndarray) -> list[str]:
    """Numbers as `format_lines` writes them."""
    return _texts(values)


def _texts(values: np.ndarray) -> list[str]:
    wholes = (np.trunc(values) + 0.0).tolist()  # + 0.0: no "-0"
    pairs = zip(values.tolist(), wholes, strict=True)
    return [f"{whole:.0f}" if value == whole else f"{value:.6f}" for value, whole in pairs]


def with_intervals(values: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[str]:
    """``value [low,high]`` for each row, without a blank in the brackets."""
    texts = zip(_texts(values), low.tolist(), high.tolist(), strict=True)
    return [f"{text} [{a:.6g},{b:.6g}]" for text, a, b in texts]


def with_sets(texts: list[str], sets: np.ndarray, labels: list[str]) -> list[str]:
    """``value {label,label}`` for each row: the labels of its set, bool[n, K]."""
    named = [",".join(label for label, inside in zip(labels, row, strict=False) if inside) for row in sets.tolist()]
    return [f"{text} {{{inside}}}" for text, inside in zip(texts, named, strict=True)]


class PredictionWriter:
    """Writes predictions to a file as they come; every batch is flushed, so that a pipe's reader sees it at once.

    Parameters
    ----------
    path : str
        A file, or one of `STDOUT`. It is opened, and an existing file emptied, at the first batch: a run that fails
        before it leaves the file alone.
    keep : int
        Lines of an existing file that stay, for a run that goes on; those after them go.

    Raises
    ------
    OutputError
        The file has not so many lines.
    """

    def __init__(self, path: str, keep: int = 0):
        self.path = path
        self._file: BinaryIO | None = None
        if keep and path not in STDOUT and (os.path.isfile(path) or not os.path.exists(path)):
            with writing(path):
                self._file = _opened(path, keep)

    def write(self, values: np.ndarray | list[str], tags: list[str] | None = None) -> None:
        """Write `values` (see `format_lines`) with their tags.

        Raises OutputError, BrokenPipeError where the reader has gone.
        """
        with writing("standard output" if self.path in STDOUT else self.path):
            if self._file is None:
                self._file = sys.stdout.buffer if self.path in STDOUT else open(self.path, "wb")  # noqa: SIM115
            # surrogateescape: a tag that is not UTF-8 leaves as the bytes it came in as
            self._file.write(format_lines(values, tags).encode("utf-8", "surrogateescape"))
            self._file.flush()

    def close(self) -> None:
        """Close a file of our own. Every batch was flushed, so what cannot be written has been said before."""
        if self._file is not None and self.path not in STDOUT:
            with contextlib.suppress(OSError):
                self._file.close()
        self._file = None


def _opened(path: str, keep: int) -> BinaryIO:
    """The file behind its first `keep` lines, which is where it ends from now on."""
    file = open(path, "r+b")  # noqa: SIM115
    for number in range(keep):
        if not file.readline().endswith(b"\n"):
            file.close()
            raise OutputError(f"{path}: has {number} whole lines, expected the {keep} of the run that is to go on")
    file.truncate()
    return file
