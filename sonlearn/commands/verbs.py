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
from sonlearn.options.bandit import SHARED, BanditOptions
from sonlearn.options.evaluate import EvaluateOptions
from sonlearn.options.learning import ALL_TAKE, OUTPUT_OPTIONS
from sonlearn.options.methods import DEFAULT, METHODS
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

#: A title, and the fields whose flags stand below it.
Group = tuple[str, tuple[dataclasses.Field[Any], ...]]


class Verb(NamedTuple):
    """A verb of the command line: its usage, and which fields of which dataclasses are its flags."""

    usage: str
    about: str
    groups: tuple[Group, ...]
    #: Fields whose flags ``--help`` lists, for a verb that has more than a screen of them; empty: all but rare ones.
    daily: tuple[str, ...] = ()


def _fields(of: Any, *names: str) -> tuple[dataclasses.Field[Any], ...]:
    return tuple(field for field in dataclasses.fields(of) if not names or field.name in names)


_PREDICT = (
    "data", "initial_regressor", "predictions", "form", "raw_predictions", "probabilities", "top", "examples", "audit",
    "audit_top", "audit_format", "on_error", "max_errors", "threads", "progress", "progress_bar", "log_json",
    "report", "quiet",
)  # fmt: skip

_TUNE = (
    "data", "final_regressor", "save_per_pass", "checkpoint", "checkpoint_minutes", "passes", "cache", "cache_file",
    "holdout_off", "holdout_period", "holdout_after", "examples", "on_error", "max_errors", "threads", "progress",
    "progress_bar", "quiet",
)  # fmt: skip
_SERVE = ("initial_regressor", "final_regressor", "checkpoint", "checkpoint_minutes", "threads", "quiet")
_READ = ("data", "on_error", "max_errors", "threads")
_EVALUATE = (*_READ, "examples", "progress", "quiet")
#: Options of text that are not of a matrix of features, or of a file of them: all but the constant.
_TEXT = tuple(field.name for field in dataclasses.fields(TextOptions) if field.name != "constant")

#: Flags of decisions alone.
OF_DECISIONS = tuple(field.name for field in dataclasses.fields(BanditOptions) if field.name not in SHARED)

#: What people use daily.
_DAILY = (
    "method", "loss", "oaa", "classes", "budget", "format", "bits", "quadratic", "label", "initial_regressor",
    "final_regressor", "testonly", "predictions", "passes", "cache", "examples", "report", "quiet",
)  # fmt: skip

_CLUSTER = ("cluster", _fields(ClusterOptions))

VERBS = {
    "train": Verb(
        "sonlearn train [options] [DATA ...]",
        "Learn from LIBSVM, VW or CSV text, plain or compressed; no DATA or - is standard input.",
        (
            ("learning", _fields(LearnOptions)),
            ("decisions", _fields(BanditOptions, *OF_DECISIONS)),
            ("text", _fields(TextOptions)),
            ("run", _fields(RunOptions)),
            _CLUSTER,
        ),
        _DAILY,
    ),
    "predict": Verb(
        "sonlearn predict -i MODEL [options] [DATA ...]",
        "Predict without learning: a line for each example on standard output, the loss on standard error.",
        (
            ("learning", _fields(LearnOptions, *OUTPUT_OPTIONS, "coverage")),
            ("text", _fields(TextOptions, "format")),
            ("run", _fields(RunOptions, *_PREDICT)),
            _CLUSTER,
        ),
    ),
    "tune": Verb(
        "sonlearn tune --grid GRID [options] [DATA ...]",
        "Learn with many settings in one pass over the data, and save the model of the best.",
        (
            ("tuning", _fields(TuneOptions)),
            ("learning", _fields(LearnOptions)),
            ("text", _fields(TextOptions)),
            ("run", _fields(RunOptions, *_TUNE)),
            _CLUSTER,
        ),
    ),
    "evaluate": Verb(
        "sonlearn evaluate -i MODEL [-i MODEL ...] [options] [DATA ...]",
        "Estimate from a log what other models of decisions would have cost, with confidence intervals.",
        (
            ("evaluation", _fields(EvaluateOptions)),
            ("text", _fields(TextOptions, "format")),
            ("run", _fields(RunOptions, *_EVALUATE)),
        ),
    ),
    "describe": Verb(
        "sonlearn describe [options] DATA",
        "Describe the columns of a table, and point out ids, texts and columns that give the label away.",
        (
            (
                "text",
                _fields(
                    TextOptions,
                    "format",
                    "label",
                    "id",
                    "weight",
                    "text",
                    "categorical",
                    "numeric",
                    "ignore",
                    "keep",
                    "delimiter",
                    "decimal",
                ),
            ),
            ("run", _fields(RunOptions, "examples")),
        ),
    ),
    "vw": Verb(
        "sonlearn vw [flags of Vowpal Wabbit] [DATA ...]",
        "Run a command line of Vowpal Wabbit, or name all of its flags that cannot be followed (docs/vw-flags.md).",
        (),
    ),
    "convert": Verb(
        "sonlearn convert --to svmlight|vw [-o FILE] [options] [DATA ...]",
        "Write text of any format as LIBSVM or VW text. Names become slot numbers: read VW text with the same -b.",
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
        "Serve predictions over HTTP, or over TCP as VW's daemon does, until Ctrl-C or SIGTERM.",
        (("server", _fields(ServeOptions)), ("run", _fields(RunOptions, *_SERVE))),
    ),
    "methods": Verb("sonlearn methods", "List the methods of train --method: source, cost, and when to use each.", ()),
    "warm": Verb(
        "sonlearn warm [--method NAME]",
        "Compile and store the kernels of a method, or of all, for a container image or all users of a machine.",
        (("learning", _fields(LearnOptions, "method")),),
    ),
    "inspect": Verb(
        "sonlearn inspect [options] MODEL",
        "Show what a model or sketch file holds: options, counters, eigenvalues, the largest weights.",
        (("inspection", _fields(InspectOptions)),),
    ),
    "report": Verb(
        "sonlearn report [-o FILE] RUN.jsonl",
        "Make an HTML page about a run from the log of train --log-json; - is standard input.",
        (("page", _fields(PageOptions)),),
    ),
    "completion": Verb("sonlearn completion bash|zsh|fish", "Print a script for completion in a shell.", ()),
}


#: What people write who come from elsewhere.
_MEANT = {
    "--epochs": "--passes", "--epoch": "--passes", "--iterations": "--passes", "--n-epochs": "--passes",
    "--lr": "--learning_rate", "--eta0": "--learning_rate", "--model": "-f or -i", "--save": "-f", "--load": "-i",
    "--input": "-d", "--file": "-d", "--train": "-d", "--target": "--label", "--target-column": "--label",
    "--class": "--label", "--objective": "--loss", "--verbose": "-P", "--out": "-p", "--predict": "-p",
    "--proba": "--probabilities", "--drop": "--ignore", "--exclude": "--ignore", "--sep": "--delimiter",
    "--separator": "--delimiter", "--regularization": "--l2", "--jobs": "--threads", "--n-jobs": "--threads",
}  # fmt: skip


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


def parser_of(verb: str) -> argparse.ArgumentParser:
    """The parser of all of `verb`'s flags; what is no flag (DATA, MODEL) it leaves over."""
    return _parser(verb, VERBS[verb].groups)


def help_of(verb: str, method: str | None = None, whole: bool = False) -> str:
    """What ``--help`` prints; ``--help-all`` if `whole`.

    Of a verb with `daily` flags, those and the ones that belong to the named `method`; of another all but rare ones,
    and of the flags of learning those that the method takes. The whole: all, or all that the method takes.
    """
    daily, groups = VERBS[verb].daily, VERBS[verb].groups
    of = method if whole or daily else method or DEFAULT
    own = () if method is None else METHODS[method].takes

    def is_shown(field: dataclasses.Field[Any]) -> bool:
        return _takes(of, field) and is_wanted(field)

    def is_wanted(field: dataclasses.Field[Any]) -> bool:
        return whole or (field.name in (*daily, *own) if daily else not field.metadata.get("rare"))

    shown = [(title, tuple(filter(is_shown, fields))) for title, fields in groups]
    if whole:
        more = None
    elif daily:
        more = f"sonlearn {verb} --help-all lists all; --method NAME --help those of a method."
    else:
        rare = [flags(f)[-1] for _, fields in groups for f in fields if f.metadata.get("rare") and _takes(of, f)]
        more = f"Rare flags, explained by --help-all: {', '.join(rare)}." if rare else None
    return _parser(verb, [group for group in shown if group[1]], more).format_help()


def _takes(method: str | None, field: dataclasses.Field[Any]) -> bool:
    """Whether the field is not one of learning, or one that the method takes; None: any method does."""
    learns = field in dataclasses.fields(LearnOptions)
    return method is None or not learns or field.name in (*ALL_TAKE, *METHODS[method].takes)


def _parser(verb: str, groups: Iterable[Group], more: str | None = None) -> argparse.ArgumentParser:
    """A parser of these flags; at the end of its help it says `more`."""
    usage, about, *_ = VERBS[verb]
    parser = _Parser(
        prog=f"sonlearn {verb}", usage=usage, description=about, allow_abbrev=False, formatter_class=_Formatter,
        argument_default=argparse.SUPPRESS, epilog=more,
    )  # fmt: skip
    parser.add_argument("--help-all", action="store_true", help="list all flags, the rare ones as well")
    for title, fields in groups:
        group = parser.add_argument_group(title)
        for field in fields:
            _add(group, field)
    return parser


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
    vw = vw_flags.flag_support(name)
    if vw is not None and vw.state != vw_flags.WORKS and verb in ("train", "predict"):
        why = vw.text if vw.state == vw_flags.STANDS_FOR else f"it is VW's, and nothing stands for it: {vw.text}"
        return OptionError(f"{name}: no such flag here; {why}")
    for other, entry in VERBS.items():
        if other != verb and any(name in flags(field) for _, group in entry.groups for field in group):
            return OptionError(f"{name}: sonlearn {verb} has no such flag, but sonlearn {other} has")
    known = parser._option_string_actions
    spelt = name.replace("_", "-").lower()
    meant = [flag for flag in _MEANT.get(spelt, "").split(" or ") if flag in known]
    near = difflib.get_close_matches(
        name, [s for s in known if s.startswith("--") and s != "--help-all"], n=1, cutoff=0.75
    )
    meant = meant or (near if len(name) > 3 else [])
    remedy = f"did you mean {' or '.join(meant)}?" if meant else f"sonlearn {verb} --help-all lists them all"
    return OptionError(f"{shorten(name)}: no such flag; {remedy}")


def _value(field: dataclasses.Field[Any], text: Any) -> Any:
    """`text` as the field's type, in the field's range."""
    if isinstance(text, str):
        return parse_field(field, text)
    return tuple(text) if isinstance(text, list) else text
