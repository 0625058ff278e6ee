"""Lines on standard error: warnings, and what the user should know while a command runs."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable

from sonlearn.commands.files import STDIN
from sonlearn.errors import InputError

FROM_TERMINAL = "reading examples from the terminal; Ctrl-D ends them"


def complain(line: str) -> None:
    """Print a line on standard error at once. Errors in writing it are ignored, except a closed pipe."""
    try:
        print(line, file=sys.stderr, flush=True)
    except BrokenPipeError:
        raise
    except OSError:
        pass


def say_compiling(quiet: bool = False) -> None:
    """Say that a first run compiles; with --quiet only at a terminal, where somebody waits and sees nothing."""
    if not quiet or sys.stderr.isatty():
        with contextlib.suppress(BrokenPipeError):  # what is to be done is wanted nevertheless
            complain("compiling kernels for this version once, some twenty seconds ...")


def warn(text: str) -> None:
    """Print a warning on standard error; all errors in writing it are ignored."""
    with contextlib.suppress(BrokenPipeError):
        complain(f"sonlearn: warning: {text}")


def of_skipped(count: int, errors: list[InputError]) -> list[str]:
    """The warning about `count` malformed lines that were left out; empty if there are none."""
    return [f"malformed lines left out: {count}, the first: {errors[0]}"] if count else []


def warn_of_skipped(count: int, errors: list[InputError]) -> None:
    """Print the warning of `of_skipped`."""
    for text in of_skipped(count, errors):
        warn(text)


def from_terminal(sources: Iterable[str]) -> bool:
    """Whether the data are typed at a terminal, so that the user needs a prompt."""
    return not sys.stdin.closed and sys.stdin.isatty() and any(name in STDIN for name in sources)
