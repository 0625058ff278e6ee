"""What can go wrong, and how it is said: one line that names the place, what was found and what was expected."""

from __future__ import annotations

import sys
import warnings
from typing import Any


class SonlearnError(Exception):
    """Base of every error that sonlearn raises on purpose; the command line prints it and exits with status 1."""


class OptionError(SonlearnError, ValueError):
    """An option is out of its range or does not go with another one."""


class InputError(SonlearnError, ValueError):
    """A place in the input that cannot be read.

    Parameters
    ----------
    source : str
        File name, or ``<stdin>``.
    found, expected : str
        The text that stands there (shortened by `shorten`) and what may stand there.
    line, column : int or None
        1-based; None where the whole source is meant. Columns count bytes.
    tag : str
        That of the row or the decision, which the message does not say.
    """

    def __init__(
        self, source: str, found: str, expected: str, line: int | None = None, column: int | None = None, tag: str = ""
    ):  # fmt: skip
        self.source, self.found, self.expected = source, found, expected
        self.line, self.column, self.tag = line, column, tag
        super().__init__(source, found, expected, line, column)

    def but(self, **fields: Any) -> InputError:
        """The same error with other `fields`."""
        return type(self)(**{**vars(self), **fields})

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.source, self.line, self.column) if part is not None)
        return f"{place}: found {self.found}, expected {self.expected}"


class TooLongError(InputError):
    """A row has more entries than a row may have."""

    status = 413


class ModelFileError(SonlearnError, ValueError):
    """A model file that is truncated, foreign, or of another format version."""


class OutputError(SonlearnError, OSError):
    """A file, or standard output, cannot be written."""


class DivergedError(SonlearnError, ArithmeticError):
    """A prediction or a step is no longer finite; the example was not learned from."""


class ThreadError(SonlearnError, RuntimeError):
    """Two threads use one model, and one of them learns."""


#: A name that a flag is to take is whole up to this length.
WHOLE = 200


def shorten(text: bytes | str, limit: int = 40) -> str:
    """Quote `text` for an error line: decoded, printable, at most `limit` characters."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")


def warn_caller(text: str) -> None:
    """Warn at the line that called the package, through however many functions of it."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("sonlearn."):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, UserWarning, stacklevel=level)
