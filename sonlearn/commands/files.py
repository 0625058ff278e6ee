"""Which file is which: no output of a command may be one of its inputs, or another of its outputs.

Files are told by what they are, not by their names: a symbolic or a hard link, and standard input or output that the
shell has opened, are the file itself. Devices and pipes lose nothing and may be named twice.
"""

from __future__ import annotations

import glob
import os
import stat
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from sonlearn.errors import OptionError
from sonlearn.files.atomic import STDOUT
from sonlearn.text.source import is_remote

STDIN = ("-", "/dev/stdin")


def check_files(
    inputs: Mapping[str, Iterable[str | None] | str | None],
    outputs: Mapping[str, str | None],
    rewritten: Iterable[tuple[str, str]] = (),
) -> None:
    """Refuse an output that is an input, or another output.

    Parameters
    ----------
    inputs, outputs : dict
        Names of files by flag; None: not given. ``-`` is standard input and standard output.
    rewritten : pairs of an output's and an input's flag that may be one file, since the input has been read to its end
        before the output is begun.

    Raises
    ------
    OptionError
    """
    known: dict[Any, tuple[str, str]] = {}
    for flag, names in inputs.items():
        for name in [names] if isinstance(names, str) else names or ():
            for path in _expanded(name):
                known.setdefault(_identity(path, STDIN, sys.stdin), (flag, path))
    known.pop(None, None)
    allowed = set(rewritten)
    written: dict[Any, tuple[str, str]] = {}
    for flag, name in outputs.items():
        key = None if name is None else _identity(name, STDOUT, sys.stdout)
        if name is None or key is None:
            continue
        if key in known and (flag, known[key][0]) not in allowed:
            raise OptionError(f"{flag} {name}: this would overwrite {_said(*known[key], name)}; give another name")
        if key in written:
            where = "standard output" if name in STDOUT else name
            raise OptionError(f"{written[key][0]} and {flag} both write to {where}; give two names")
        written[key] = (flag, name)


def check_binary(flag: str, name: str | None, what: str) -> None:
    """Refuse ``-``, which means standard output for text, as the name of a binary file."""
    if name == "-":
        raise OptionError(f"{flag} -: {what} is a binary file; give it a name")


def _said(flag: str, path: str, name: str) -> str:
    """The input `path`, for a message about the output `name`."""
    what = "the data" if flag == "DATA" else f"the model of {flag}" if flag == "-i" else f"the {flag}"
    return what if path == name else f"{what}, {'standard input' if path in STDIN else path}"


def _expanded(name: str | None) -> list[str]:
    """The files that `name` stands for: itself, or what matches a pattern."""
    if name is None or is_remote(name):
        return []
    return glob.glob(name, recursive=True) if glob.has_magic(name) and not os.path.exists(name) else [name]


def _identity(path: str, standard: tuple[str, ...], stream: Any) -> Any:
    """What tells a file from all others; None for a device or a pipe, but standard output is itself whatever it is."""
    ours = path in standard
    other = "standard output" if ours and standard is STDOUT else None
    try:
        status = os.fstat(stream.fileno()) if ours else os.stat(path)
    except (OSError, ValueError, AttributeError):
        return other if ours else os.path.realpath(path)
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else other
