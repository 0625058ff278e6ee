"""The log of a run: JSON lines, one written for each row as it comes, so that a run that is killed leaves what it said.

The first object of a run says what is run, those of ``"kind": "progress"`` are `sonlearn.report.progress.Row`, the
last one, ``"kind": "end"``, has the results. docs/formats.md lists the fields. A log that is gone on with (--resume)
has one run after the other.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from sonlearn.errors import InputError, SonlearnError, shorten
from sonlearn.text.source import source_name

FORMAT = 1
#: Numbers beyond this are written to a log as this, so that squares and sums of what was read are finite.
MAX_NUMBER = 1e150
_LOG = "a log of sonlearn (train --log-json FILE)"


class Run(NamedTuple):
    """One run of a log.

    Attributes
    ----------
    begin : dict
    rows : list of dict
    end : dict, or None of a run that was killed
    notes : list of str
        What a reader should know of the log.
    """

    begin: dict[str, Any]
    rows: list[dict[str, Any]]
    end: dict[str, Any] | None
    notes: list[str]


def bounded(value: float) -> float | None:
    """A number for a log: null for inf and nan, none beyond `MAX_NUMBER` in magnitude."""
    return max(min(value, MAX_NUMBER), -MAX_NUMBER) if math.isfinite(value) else None


def non_finite_as_text(value: float) -> float | str:
    """A number for a reader: "inf", "-inf" and "nan" as text."""
    return value if math.isfinite(value) else str(value)


def read_run(path: str | os.PathLike[str]) -> Run:
    """The last run of a log; ``-`` is standard input.

    Raises
    ------
    InputError
        It cannot be read or is no such log, with the line.
    """
    name = source_name(path)
    try:
        with sys.stdin.buffer if path == "-" else open(path, "rb") as file:
            return run_of(file, name)
    except OSError as error:
        raise InputError(name, (error.strerror or str(error)).lower(), _LOG) from error


def run_of(lines: Any, name: str) -> Run:
    """The last run of the log of these lines (an iterable of bytes); see `read_run`."""
    run, before, cut = None, 0, False
    for number, line in enumerate(lines, 1):
        entry = _parsed(line, name, number)
        problem = entry and _problem(entry, run)
        if problem:
            raise InputError(name, *problem, number)
        if entry is None:
            cut = True
        elif run is None or "sonlearn" in entry:
            before += run is not None
            run = Run(entry, [], None, [])
        elif entry["kind"] == "end":
            run = run._replace(end=entry)
        else:
            run.rows.append(entry)
    if run is None:
        raise InputError(name, "a cut line and nothing else" if cut else "an empty file", _LOG)
    if before:
        run.notes.append(f"The log holds {before} earlier run{'s' * (before > 1)}, which this one went on from.")
    if run.end is None:
        what = "its last line is cut" if cut else "there is no last line with the results"
        run.notes.append(f"The run was killed, or is still under way: {what}. What is shown is what it had said.")
    return run


def _parsed(line: bytes, name: str, number: int) -> dict[str, Any] | None:
    """The object of a line; None for a last one that was cut."""
    try:
        entry = json.loads(line)
        if isinstance(entry, dict):
            return entry
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        if not line.endswith(b"\n") and line.lstrip().startswith(b"{"):
            return None
    raise InputError(name, shorten(line.rstrip(b"\r\n")), f"a line of {_LOG}", number)


def _problem(entry: dict[str, Any], run: Run | None) -> tuple[str, str] | None:
    """(what was found, what was expected) where an object cannot follow the lines of `run`; None: it can."""
    kind, format = entry.get("kind"), entry.get("format")
    if "sonlearn" in entry:
        newer = f"a log of format {format}", f"format {FORMAT}: it was written by a newer sonlearn"
        return newer if isinstance(format, int) and format > FORMAT else None
    if run is None:
        return 'no "sonlearn" in the first object', f"the first line of {_LOG}"
    if kind not in ("progress", "end"):
        found = "no kind" if kind is None else f"the kind {shorten(str(kind))}"
        return found, 'an object of "kind": "progress" or "end"'
    return ("a line after the end of the run", "nothing, or another run's first line") if run.end is not None else None


@contextlib.contextmanager
def of_log(name: str) -> Iterator[None]:
    """Raise InputError where a log, of that name, does not have what is asked of it in the block."""
    try:
        yield
    except SonlearnError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        found = f"a field that is missing, or of another kind ({shorten(repr(error), 100)[1:-1]})"
        raise InputError(name, found, _LOG) from error
