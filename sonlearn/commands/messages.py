"""Lines on standard error: warnings, and what the user should know while a command runs."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from sonlearn.commands.checks import STDIN
from sonlearn.errors import OptionError, SonlearnError
from sonlearn.jit import COMPILING, on_compilation
from sonlearn.text.columns import Remark

#: Not empty: the cursor of a terminal stands behind the line that says which kernel is compiled.
_OPEN: list[bool] = []


def to_stderr(*lines: str) -> None:
    """Print lines on standard error at once. Errors in writing them are ignored, except a closed pipe."""
    for line in lines:
        end_line()
        _print(line + "\n")


def end_line() -> None:
    """End the line that says which kernel is compiled."""
    if _OPEN:
        _OPEN.clear()
        _print("\n")


def _print(text: str) -> None:
    """Print on standard error at once."""
    try:
        print(text, end="", file=sys.stderr, flush=True)
    except BrokenPipeError:
        raise
    except OSError:
        pass


@contextlib.contextmanager
def compilation_notice(quiet: bool = False, begin: Callable[[], None] | None = None) -> Iterator[None]:
    """In this context, say that a first run compiles; with --quiet only at a terminal, where somebody waits.

    `begin` is called before the first kernel. Who gives it also calls `end_line` before anything else is written to a
    terminal, which is told of each kernel then.
    """

    def tell(done: int) -> None:
        with contextlib.suppress(BrokenPipeError):  # what is to be done is wanted nevertheless
            terminal = sys.stderr.isatty()
            if terminal and begin is not None:
                _OPEN.append(True)
                _print(f"\r{COMPILING} kernel {done + 1}")
            elif not done and (terminal or not quiet):
                to_stderr(COMPILING)
        if not done and begin is not None:
            begin()

    with on_compilation(tell):
        try:
            yield
        finally:
            end_line()


def warn(*texts: str) -> None:
    """Print warnings on standard error; all errors in writing them are ignored."""
    with contextlib.suppress(BrokenPipeError):
        to_stderr(*(f"sonlearn: warning: {text}" for text in texts))


def show_notes(texts: Iterable[str], say: Callable[..., None]) -> None:
    """Warn of notes, but `say` those that are remarks."""
    for text in texts:
        (say if isinstance(text, Remark) else warn)(text)


def skipped_warning(count: int, errors: Sequence[SonlearnError]) -> list[str]:
    """The warning about `count` malformed lines that were left out; empty if there are none."""
    return [f"malformed lines left out: {count}, the first: {errors[0]}"] if count else []


def refused_warning(count: int, first: SonlearnError | None) -> list[str]:
    """The warning about `count` rows that could not be learned from; empty if there are none."""
    return [f"examples that could not be learned from: {count}, the first: {first}"] if count else []


def prompt(sources: Iterable[str], say: Callable[..., None] = to_stderr) -> None:
    """Tell a user who types the data at a terminal how they end."""
    if not sys.stdin.closed and sys.stdin.isatty() and any(name in STDIN for name in sources):
        say("reading examples from the terminal; Ctrl-D ends them")


@contextlib.contextmanager
def require_extra(what: str, name: str, *packages: str) -> Iterator[None]:
    """Turn the lack of a package of the extra `name`, or of several of `packages`, into an OptionError of `what`."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "sonlearn"):
            raise
        *others, last = [each for each in packages if importlib.util.find_spec(each) is None] or [package]
        found = f"{', '.join(others)} and {last} are" if others else f"{last} is"
        remedy = f"in a copy of the source: pip install '.[{name}]'"
        raise OptionError(f"{what}: {found} not installed; {remedy}") from None
