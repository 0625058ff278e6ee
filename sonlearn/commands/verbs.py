"""The verbs of the command line: which dataclasses' fields are their flags, and the parser of these.

Imports neither numpy nor numba. argparse only splits the line up; values are parsed and checked here, so that every
mistake is one OptionError.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import shutil
from collections.abc import Iterable
from typing import Any, NamedTuple

from sonlearn.errors import OptionError, shorten
from sonlearn.options import LearnOptions, TextOptions, vw_flags
from sonlearn.options.learning import ALL_TAKE, OUTPUT_OPTIONS
from sonlearn.options.methods import METHODS
from sonlearn.options.run import RunOptions
from sonlearn.options.spec import flags, parse_field
from sonlearn.options.verbs import (
    ClusterOptions,
    ConvertOptions,
    InspectOptions,
    PageOptions,
    ServeOptions,
    SketchRunOptions,
    TuneOptions,
)
from sonlearn.sketch.options import SketchOptions


class Verb(NamedTuple):
    """A verb of the command line: its usage, and which fields of which dataclasses are its flags."""

    usage: str
    about: str
    groups: tuple[tuple[str, tuple[dataclasses.Field[Any], ...]], ...]


def _fields(of: Any, *names: str) -> tuple[dataclasses.Field[Any], ...]:
    return tuple(field for field in dataclasses.fields(of) if not names or field.name in names)


_PREDICT = (
    "data", "initial_regressor", "predictions", "raw_predictions", "probabilities", "examples", "audit", "audit_top",
    "audit_format", "on_error", "max_errors", "threads", "progress", "progress_bar", "log_json", "report", "quiet",
)  # fmt: skip

_TUNE = (
    "data", "final_regressor", "save_per_pass", "checkpoint", "checkpoint_minutes", "passes", "cache", "cache_file",
    "holdout_off", "holdout_period", "holdout_after", "examples", "on_error", "max_errors", "threads", "progress",
    "progress_bar", "quiet",
)  # fmt: skip
_SERVE = ("initial_regressor", "final_regressor", "checkpoint", "checkpoint_minutes", "threads", "quiet")
_READ = ("data", "on_error", "max_errors", "threads")
#: Options of text that are not of a matrix of features, or of a file of them: all but the constant.
_TEXT = tuple(field.name for field in dataclasses.fields(TextOptions) if field.name != "constant")

_CLUSTER = ("cluster", _fields(ClusterOptions))

VERBS = {
    "train": Verb(
        "sonlearn train [options] [DATA ...]",
        "Learn from LIBSVM, VW or CSV text, plain or compressed; no DATA or - is standard input.",
        (("learning", _fields(LearnOptions)), ("text", _fields(TextOptions)), ("run", _fields(RunOptions)), _CLUSTER),
    ),
    "predict": Verb(
        "sonlearn predict -i MODEL [options] [DATA ...]",
        "Predict without learning: one line an example on standard output, the loss on standard error.",
        (
            ("learning", _fields(LearnOptions, *OUTPUT_OPTIONS, "coverage")),
            ("text", _fields(TextOptions, "format")),
            ("run", _fields(RunOptions, *_PREDICT)),
            _CLUSTER,
        ),
    ),
    "tune": Verb(
        "sonlearn tune --grid GRID [options] [DATA ...]",
        "Learn with many settings side by side in one pass over the data; the best one's model is saved.",
        (
            ("tuning", _fields(TuneOptions)),
            ("learning", _fields(LearnOptions)),
            ("text", _fields(TextOptions)),
            ("run", _fields(RunOptions, *_TUNE)),
        ),
    ),
    "convert": Verb(
        "sonlearn convert --to svmlight|vw [-o FILE] [options] [DATA ...]",
        "Write text of any format as LIBSVM or VW text. Names become their slots: read VW text with the same -b.",
        (
            ("conversion", _fields(ConvertOptions)),
            ("text", _fields(TextOptions, *_TEXT)),
            ("run", _fields(RunOptions, *_READ)),
        ),
    ),
    "sketch": Verb(
        "sonlearn sketch [-o FILE] [options] [DATA ...]",
        "Sketch the matrix whose rows are the examples (labels do not count), or --merge saved sketches.",
        (
            ("sketch", _fields(SketchOptions)),
            ("report", _fields(SketchRunOptions)),
            ("text", _fields(TextOptions, *_TEXT)),
            ("run", _fields(RunOptions, *_READ, "quiet")),
            _CLUSTER,
        ),
    ),
    "serve": Verb(
        "sonlearn serve -i MODEL [--port PORT] [--tcp PORT] [--learn -f MODEL]",
        "Answer requests for predictions over HTTP, or a line with a line, until Ctrl-C or SIGTERM.",
        (("server", _fields(ServeOptions)), ("run", _fields(RunOptions, *_SERVE))),
    ),
    "methods": Verb("sonlearn methods", "List what train --method knows: source, cost, and when to use it.", ()),
    "warm": Verb(
        "sonlearn warm [--method NAME]",
        "Compile all kernels and keep them, for a container's image or a machine's users; without NAME: all methods'.",
        (("learning", _fields(LearnOptions, "method")),),
    ),
    "inspect": Verb(
        "sonlearn inspect [options] MODEL",
        "Say what the file of a model or a sketch holds: options, counters, eigenvalues, the largest weights.",
        (("inspection", _fields(InspectOptions)),),
    ),
    "report": Verb(
        "sonlearn report [-o FILE] RUN.jsonl",
        "Make a page (HTML) about a run from the log that train --log-json has written; - is standard input.",
        (("page", _fields(PageOptions)),),
    ),
    "completion": Verb("sonlearn completion bash|zsh|fish", "Print a script that lets a shell complete all this.", ()),
}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise OptionError(message.removeprefix("argument "))


class _Formatter(argparse.HelpFormatter):
    """Names a value once for all spellings of a flag, and uses the terminal's width."""

    def __init__(self, prog: str):
        super().__init__(prog, max_help_position=26, width=min(shutil.get_terminal_size().columns, 118) - 2)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        names = ", ".join(action.option_strings)
        return names if action.nargs == 0 else f"{names} {action.metavar or action.dest.upper()}"


def parser_of(verb: str, method: str | None = None) -> argparse.ArgumentParser:
    """The parser of `verb`'s flags; what is no flag (DATA, MODEL) it leaves over.

    With `method`, for help: of the flags of learning only those that it takes, and rare ones only by name.
    """
    usage, about, groups = VERBS[verb]
    shown = [(title, _shown(fields, method)) for title, fields in groups]
    left = [flags(field)[-1] for _, fields in shown for field in fields if method and field.metadata.get("rare")]
    parser = _Parser(
        prog=f"sonlearn {verb}", usage=usage, description=about, allow_abbrev=False, formatter_class=_Formatter,
        argument_default=argparse.SUPPRESS,
        epilog=f"Rare flags, explained in docs/flags.md: {', '.join(left)}." if left else None,
    )  # fmt: skip
    for title, fields in shown:
        of_method = method and any(field.name == "method" for field in fields)
        group = parser.add_argument_group(
            f"{title} (--method NAME --help: with NAME, here {method})" if of_method else title
        )
        for field in fields:
            if not (method and field.metadata.get("rare")):
                _add(group, field)
    return parser


def _shown(fields: tuple[dataclasses.Field[Any], ...], method: str | None) -> tuple[dataclasses.Field[Any], ...]:
    """The fields of a group; of those of learning the ones that `method` takes, if it is given."""
    if method is None or not any(field.name == "method" for field in fields):
        return fields
    return tuple(field for field in fields if field.name in (*ALL_TAKE, *METHODS[method].takes))


def _add(group: argparse._ArgumentGroup, field: dataclasses.Field[Any]) -> None:
    names, meta = flags(field), field.metadata
    if isinstance(field.default, bool) or meta.get("switch"):
        if field.default is not False and not names[0].startswith("--no"):
            action: Any = argparse.BooleanOptionalAction
        else:
            action = "store_false" if field.default else "store_true"
        group.add_argument(*names, dest=field.name, action=action, help=_help(field))
        return
    metavar = meta.get("metavar") or "|".join(meta["choices"])
    action = "append" if meta.get("repeat") else "store"
    group.add_argument(*names, dest=field.name, action=action, metavar=metavar, help=_help(field))
    for name, value in meta.get("short", {}).items():
        group.add_argument(name, dest=field.name, action="store_const", const=value, help=f"{names[-1]} {value}")


def _help(field: dataclasses.Field[Any]) -> str:
    text, default = field.metadata["help"], field.default
    if isinstance(default, bool):
        if flags(field)[0].startswith("--no"):
            return f"do not {text}"
        stated = "on" if default else ""
    else:
        default = field.metadata.get("general", default)
        stated = "" if default in (None, ()) else f"{default:g}" if isinstance(default, float) else str(default)
    return (f"{text} (default: {stated})" if stated else text).replace("%", "%%")


def parse(verb: str, arguments: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Split a command line: ({field name: value} of the flags that were given, everything else in order).

    Raises
    ------
    OptionError
        An unknown flag (the nearest one is named), a missing value, or one that is no number where one is needed.
    """
    parser = parser_of(verb)
    known = {"--" + name[2:].replace("_", "-"): name for name in parser._option_string_actions if name[:2] == "--"}
    namespace, rest = parser.parse_known_args(list(_respelled(arguments, known)))
    others = []
    for i, argument in enumerate(rest):
        if argument == "--":
            others += rest[i + 1 :]
            break
        if argument.startswith("-") and argument != "-":
            raise _unknown(verb, argument, parser)
        others.append(argument)
    fields = {field.name: field for _, group in VERBS[verb].groups for field in group}
    return {name: _value(fields[name], value) for name, value in vars(namespace).items()}, others


def _respelled(arguments: Iterable[str], known: dict[str, str]) -> Iterable[str]:
    """Flags as they were declared, wherever - and _ were exchanged."""
    arguments = iter(arguments)
    for argument in arguments:
        if argument == "--":
            yield argument
            break
        name, equals, value = argument.partition("=")
        if argument.startswith("--"):
            name = known.get("--" + name[2:].replace("_", "-"), name)
        yield name + equals + value
    yield from arguments


def _unknown(verb: str, argument: str, parser: argparse.ArgumentParser) -> OptionError:
    name = argument.partition("=")[0]
    vw = vw_flags.answer(name)
    if vw is not None and vw.state != vw_flags.WORKS and verb in ("train", "predict"):
        why = vw.text if vw.state == vw_flags.STANDS_FOR else f"it is VW's, and nothing stands for it: {vw.text}"
        return OptionError(f"{name}: no such flag here; {why}")
    for other, (_, _, groups) in VERBS.items():
        if other != verb and any(name in flags(field) for _, group in groups for field in group):
            return OptionError(f"{name}: sonlearn {verb} has no such flag, but sonlearn {other} has")
    near = difflib.get_close_matches(name, [s for s in parser._option_string_actions if s != "-h"], n=1, cutoff=0.5)
    remedy = f"did you mean {near[0]}?" if near else f"sonlearn {verb} --help lists them all"
    return OptionError(f"{shorten(name)}: no such flag; {remedy}")


def _value(field: dataclasses.Field[Any], text: Any) -> Any:
    """`text` as the field's type, in the field's range."""
    if isinstance(text, str):
        return parse_field(field, text)
    return tuple(text) if isinstance(text, list) else text
