"""The command line: finds the verb, and is the one place that prints errors and sets the exit status.

Exit status: 0; 1 for anything that is wrong with the command, the input or a file; 128 + the signal's number after
Ctrl-C (130) or SIGTERM (143); 141 where the reader of the output has gone, as for any Unix tool.

Numba and numpy are imported by the verbs, once the command line is known to be right.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import sys
from typing import Any

from sonlearn import __version__
from sonlearn.commands.line import parse
from sonlearn.commands.verbs import VERBS
from sonlearn.errors import OptionError, SonlearnError, shorten
from sonlearn.jit import without_numba
from sonlearn.options import TextOptions
from sonlearn.options.bandit import SHARED, BanditOptions
from sonlearn.options.cluster import ClusterOptions
from sonlearn.options.methods import METHODS, SKETCHES, listing
from sonlearn.options.run import RunOptions
from sonlearn.options.text import WRITABLE

CLOSED_PIPE = 128 + 13


def help_text() -> str:
    """What ``sonlearn --help`` prints."""
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
        return _fail(f"{error.filename or 'standard output: cannot be written'}: {error.strerror or error}")
    except Exception as error:
        if os.environ.get("SONLEARN_DEBUG") == "1":
            raise
        text = " ".join(f"{type(error).__name__}: {error}".split())
        return _fail(f"unexpected {text}; this is a bug, please report it (SONLEARN_DEBUG=1 shows where)")
    finally:
        _settle_output()


def _dispatch(arguments: list[str]) -> int:
    # A decomposition of 2m rows is too small to share among threads, and one that waits for another core is ten
    # times slower; OpenBLAS reads this when NumPy is first imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Compiling takes a quarter less time and the kernels run as fast: they are written in the loops they are to become.
    os.environ.setdefault("NUMBA_OPT", "1")
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
        from sonlearn.commands.parser import help_of

        print(help_of(verb, _named_method(rest), whole="--help-all" in asked), end="")
        return 0
    if verb != "serve":  # which runs for long and learns row by row, and then Numba's calls are the quicker ones
        without_numba()
    if verb == "vw":
        return _vw(rest)
    given, others = parse(verb, rest)
    match verb:
        case "evaluate":
            return _evaluate(given, others)
        case "describe":
            return _describe(given, others)
        case "methods":
            print("\n".join(listing()))
            return 0
        case "warm":
            return _warm(given, others)
        case "inspect":
            return _inspect(given, others)
        case "report":
            return _report(given, others)
        case "completion":
            return _completion(others)
        case "convert":
            return _convert(given, others)
        case "sketch":
            return _sketch(given, others)
        case "tune":
            return _tune(given, others)
        case "serve":
            return _serve(given, others)
        case "events":
            return _events(given, others)
    return _train(verb, given, others)


def _named_method(arguments: list[str]) -> str | None:
    """The method that a command line with --help in it names; None: none."""
    for flag, value in itertools.pairwise(arguments):
        if flag == "--method" and value in METHODS:
            return value
        if flag == "--sketch" and value in SKETCHES:
            return SKETCHES[value]
    return None


def _train(verb: str, given: dict[str, Any], others: list[str]) -> int:
    where = ClusterOptions(**_taken(given, ClusterOptions))
    own = _own_run(given, others)
    if verb == "predict":
        if "initial_regressor" not in own:
            raise OptionError("predict needs a model; give -i MODEL")
        own |= {"testonly": True, "predictions": own.get("predictions", None if own.get("audit") else "-")}
    options = RunOptions(**own)
    bandit = _taken(given, BanditOptions, *SHARED)
    if bandit or _of_decisions(options):
        if where.cluster is not None:
            raise OptionError("--cluster: decisions are learned in one process; leave it out")
        from sonlearn.commands import bandit as decisions

        return decisions.run(given, bandit, options)
    if where.cluster is not None:
        from sonlearn.commands import cluster

        return (cluster.predict if options.testonly else cluster.train)(given, options, where)
    from sonlearn.commands import train

    return train.run(given, options)


def _of_decisions(options: RunOptions) -> bool:
    """Whether the run begins with a model of decisions."""
    from sonlearn.files.storage import MAGIC  # loads NumPy, once the command line is known to be right

    path = options.initial_regressor
    if options.resume and options.final_regressor and os.path.exists(options.final_regressor):
        path = options.final_regressor
    if path is None or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        if not file.read(len(MAGIC)).startswith(MAGIC):
            return False
    from sonlearn.commands.bandit import is_bandit

    return is_bandit(path)


def _vw(arguments: list[str]) -> int:
    """Run a command line of Vowpal Wabbit as ours, and say which that is."""
    import shlex

    from sonlearn.commands.vw_line import translate

    if "--version" in arguments:
        return _dispatch(["--version"])
    ours, left = translate(arguments)
    if "--quiet" not in ours:
        without = f" (left out: {' '.join(left)})" if left else ""
        _complain(f"this is: sonlearn {shlex.join(ours)}{without}")
    return _dispatch(ours)


def _evaluate(given: dict[str, Any], others: list[str]) -> int:
    from sonlearn.options.evaluate import EvaluateOptions

    options, run_options = EvaluateOptions(**_taken(given, EvaluateOptions)), RunOptions(**_own_run(given, others))
    from sonlearn.commands import evaluate

    return evaluate.run(options, run_options, given.get("format"))


def _describe(given: dict[str, Any], others: list[str]) -> int:
    if len(others) != 1:
        raise OptionError(f"describe takes one file of DATA, {len(others)} given")
    from sonlearn.commands import describe

    return describe.run(others[0], TextOptions(**_taken(given, TextOptions)), given.get("examples"))


def _tune(given: dict[str, Any], others: list[str]) -> int:
    from sonlearn.options.verbs import TuneOptions
    from sonlearn.tuning.grid import parse_grid, settings_of

    running = RunOptions(**_own_run(given, others))
    options, where = TuneOptions(**_taken(given, TuneOptions)), ClusterOptions(**_taken(given, ClusterOptions))
    if not options.grid:
        raise OptionError("tune needs what to try; give --grid 'method=nag,rfd-son alpha=.1,1,10', for example")
    text = TextOptions(**_taken(given, TextOptions))
    places = ["--grid"] if len(options.grid) == 1 else [f"--grid no. {i + 1}" for i in range(len(options.grid))]
    settings = settings_of(map(parse_grid, options.grid, places), given)
    if where.cluster is not None:
        from sonlearn.commands import cluster

        return cluster.tune(settings, text, running, options, where)
    from sonlearn.commands import tune

    return tune.run(settings, text, running, options)


def _convert(given: dict[str, Any], others: list[str]) -> int:
    from sonlearn.options.verbs import ConvertOptions

    reading = RunOptions(**_own_run(given, others))
    options = ConvertOptions(**_taken(given, ConvertOptions))
    if options.to is None:
        raise OptionError(f"convert needs the format to write; give --to {' or --to '.join(WRITABLE)}")
    from sonlearn.commands import convert

    return convert.run(TextOptions(**given), reading, options)


def _sketch(given: dict[str, Any], others: list[str]) -> int:
    from sonlearn.options.verbs import SketchRunOptions
    from sonlearn.sketch.options import SketchOptions

    reading = RunOptions(**_own_run(given, others))
    options = SketchRunOptions(**_taken(given, SketchRunOptions))
    own, where = _taken(given, SketchOptions), ClusterOptions(**_taken(given, ClusterOptions))
    if options.merge and (own or given or options.error):
        raise OptionError("--merge takes only -o, --plot and --quiet: what a sketch is was settled when it was made")
    sketch = SketchOptions(**own)
    text = TextOptions(**given, constant=False)
    if where.cluster is not None:
        from sonlearn.commands import cluster

        return cluster.sketch(sketch, text, reading, options, where)
    from sonlearn.commands import sketch as verb

    return verb.run(sketch, text, reading, options)


def _serve(given: dict[str, Any], others: list[str]) -> int:
    from sonlearn.options.verbs import ServeOptions

    if others:
        raise OptionError(f"serve takes no files, {shorten(others[0])} given; rows come over the network")
    options, run_options = ServeOptions(**_taken(given, ServeOptions)), RunOptions(**_taken(given, RunOptions))
    from sonlearn.commands import serve

    return serve.run(options, run_options)


def _events(given: dict[str, Any], others: list[str]) -> int:
    from sonlearn.options.verbs import EventsOptions

    if len(others) != 1:
        raise OptionError(f"events takes one LOG of serve, {len(others)} given")
    from sonlearn.commands import events

    return events.run(others[0], EventsOptions(**given))


def _own_run(given: dict[str, Any], others: list[str]) -> dict[str, Any]:
    own = _taken(given, RunOptions)
    return own | {"data": (*own.get("data", ()), *others)}


def _taken(given: dict[str, Any], of: type, *but: str) -> dict[str, Any]:
    """Take out of `given` what belongs to the dataclass `of`, `but` for some."""
    names = [field.name for field in dataclasses.fields(of) if field.name not in but]
    return {name: given.pop(name) for name in names if name in given}


def _inspect(given: dict[str, Any], others: list[str]) -> int:
    if len(others) != 1:
        raise OptionError(f"inspect takes one MODEL, {len(others)} given")
    from sonlearn.commands import inspect

    return inspect.run(others[0], given.get("top"), given.get("json", False))


def _report(given: dict[str, Any], others: list[str]) -> int:
    if len(others) != 1:
        raise OptionError(f"report takes one RUN.jsonl, {len(others)} given")
    from sonlearn.commands import report
    from sonlearn.options.verbs import PageOptions

    return report.run(others[0], PageOptions(**given))


def _completion(others: list[str]) -> int:
    from sonlearn.commands.completion import SHELLS, script

    if len(others) != 1:
        raise OptionError(f"completion takes one shell ({', '.join(SHELLS)}), {len(others)} given")
    print(script(others[0]), end="")
    return 0


def _warm(given: dict[str, Any], others: list[str]) -> int:
    if others:
        raise OptionError(f"warm takes no files, {shorten(others[0])} given")
    from sonlearn.commands import warm

    return warm.run([given["method"]] if "method" in given else list(METHODS))


def _unknown_verb(verb: str) -> OptionError:
    import difflib

    verbs = ", ".join(VERBS)
    if verb.startswith("-") or os.path.exists(verb):
        return OptionError(f"{shorten(verb)}: expected a verb first ({verbs}), as in: sonlearn train {verb}")
    near = difflib.get_close_matches(verb, VERBS, n=1)
    return OptionError(
        f"{shorten(verb)}: no such verb; " + (f"did you mean {near[0]}?" if near else f"expected {verbs}")
    )


def _fail(message: str) -> int:
    _complain(message)
    return 1


def _complain(message: str) -> None:
    with contextlib.suppress(OSError):
        print(f"sonlearn: {message}", file=sys.stderr, flush=True)


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
