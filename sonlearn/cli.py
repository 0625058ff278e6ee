"""The command line: finds the verb, and is the one place that prints errors and sets the exit status.

Exit status: 0; 1 for anything that is wrong with the command, the input or a file; 128 + the signal's number after
Ctrl-C (130) or SIGTERM (143); 141 where the reader of the output has gone, as for any Unix tool.

Numba and numpy are imported by the verbs, once the command line is known to be right.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import itertools
import os
import sys
from collections.abc import Callable

from sonlearn import __version__
from sonlearn.commands.line import Line, help_of
from sonlearn.commands.verbs import VERBS
from sonlearn.errors import OptionError, SonlearnError, shorten
from sonlearn.files.atomic import locked
from sonlearn.jit import without_numba
from sonlearn.options.methods import METHODS, SKETCHES
from sonlearn.options.run import ClusterOptions
from sonlearn.options.spec import closest

CLOSED_PIPE = 128 + 13
#: Of what the system has no more; other errors that name no file are those of standard output.
_USED_UP = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)


def help_text() -> str:
    """Return what ``sonlearn --help`` prints."""
    lines = [
        "usage: sonlearn VERB ...",
        "",
        "Learning classes and values from endless streams of sparse rows, with nothing to tune.",
        "",
        *(line for verb in VERBS.values() for line in (verb.usage, "    " + verb.about)),
        "",
        "sonlearn VERB --help lists the flags of a verb (--help-all: all); sonlearn --version prints the version.",
        "",
        "For example:",
        "    sonlearn train -f model train.svm",
        "    sonlearn predict -i model -p predictions test.svm",
    ]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status. Prints one line for every error."""
    _replace_closed_streams()
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # names and options may hold bytes that are no text
    try:
        status = _dispatch(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.flush()
        return status
    except SonlearnError as error:
        return _fail(str(error))
    except BrokenPipeError:
        return CLOSED_PIPE
    except KeyboardInterrupt as error:
        _complain("interrupted: nothing was saved")
        return 128 + getattr(error, "number", 2)
    except MemoryError as error:
        return _fail(f"out of memory {error}".strip())
    except OSError as error:
        place = error.filename or ("" if error.errno in _USED_UP else "standard output: cannot be written")
        return _fail(f"{place}: {error.strerror or error}".removeprefix(": "))
    except Exception as error:
        if os.environ.get("SONLEARN_DEBUG") == "1":
            raise
        if str(error) == "can't start new thread":
            return _fail("the system starts no more threads; give --threads 1, or raise its limit (ulimit -u)")
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return _fail(f"unexpected {text}; this is a bug, please report it (SONLEARN_DEBUG=1 shows where)")
    finally:
        _settle_output()


def _dispatch(arguments: list[str]) -> int:
    # A decomposition of 2m rows is too small to share among threads, and one that waits for another core is ten
    # times slower; OpenBLAS reads this when NumPy is first imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if len(arguments) == 2 and arguments[0] == "help" and arguments[1] in VERBS:
        arguments = [arguments[1], "--help"]
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(help_text())
        return 0 if arguments else 1
    if arguments[0] in ("-V", "--version"):
        print(f"sonlearn {__version__}")
        return 0
    verb, rest = arguments[0], arguments[1:]
    if verb not in VERBS:
        raise _unknown_verb(verb)
    if asked := {"-h", "--help", "--help-all"} & set(rest):
        print(help_of(verb, _named_method(rest), whole="--help-all" in asked), end="")
        return 0
    if verb != "serve":  # which runs for long and learns row by row, and then Numba's calls are the quicker ones
        without_numba()
    if verb == "vw":
        return _vw(rest)
    line, entry = Line(verb, rest), VERBS[verb]
    where = line.options(ClusterOptions)
    with locked(line.given.get("final_regressor")):
        if where.cluster is None:
            return _function(entry.run or f"{verb}.command")(line)
        return _function(entry.on_cluster)(line, where)


def _function(place: str) -> Callable[..., int]:
    """The function ``module.name`` below `sonlearn.commands`."""
    module, _, name = place.partition(".")
    function: Callable[..., int] = getattr(importlib.import_module(f"sonlearn.commands.{module}"), name)
    return function


def _named_method(arguments: list[str]) -> str | None:
    """The method that a command line with --help in it names; None: none."""
    for flag, value in itertools.pairwise(arguments):
        if flag == "--method" and value in METHODS:
            return value
        if flag == "--sketch" and value in SKETCHES:
            return SKETCHES[value]
    return None


def _vw(arguments: list[str]) -> int:
    """Run a command line of Vowpal Wabbit as ours, and say which that is."""
    import shlex

    from sonlearn.commands.vw_line import translate

    if "--version" in arguments:
        return _dispatch(["--version"])
    ours, left, warnings = translate(arguments)
    if "--quiet" not in ours:
        without = f" (left out: {' '.join(left)})" if left else ""
        _complain(f"this is: sonlearn {shlex.join(ours)}{without}")
    for warning in warnings:
        _complain(f"warning: {warning}")
    return _dispatch(ours)


def _unknown_verb(verb: str) -> OptionError:
    verbs = ", ".join(VERBS)
    if verb.startswith("-") or os.path.exists(verb):
        return OptionError(f"{shorten(verb)}: expected a verb first ({verbs}), as in: sonlearn train {verb}")
    near = closest(verb, VERBS)
    return OptionError(
        f"{shorten(verb)}: no such verb; " + (f"did you mean {near[0]}?" if near else f"expected {verbs}")
    )


def _fail(message: str) -> int:
    _complain(message)
    return 1


def _complain(message: str) -> None:
    line = "".join(each if each.isprintable() else repr(each)[1:-1] for each in message)  # names may hold line ends
    with contextlib.suppress(OSError):
        print(f"sonlearn: {line}", file=sys.stderr, flush=True)


def _replace_closed_streams() -> None:
    """Give each standard stream that was closed by the caller (``>&-``) a descriptor, or a file of ours would get it.

    Reading the input or writing output then fails as with any file that is not open for that; what would go to
    standard error goes nowhere.
    """
    for name, access, mode in (("stdin", os.O_WRONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.open(os.devnull, access), mode, encoding="utf-8"))  # noqa: SIM115


def _settle_output() -> None:
    """Flush standard output; if it cannot be, point it to nowhere, or the interpreter would complain at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
