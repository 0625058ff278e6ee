"""Command lines: splits one up into the flags that were given, with their values, and the rest; and writes the help.

Every mistake is one OptionError.
"""

from __future__ import annotations

import argparse
import dataclasses
import shutil
from collections.abc import Iterable
from typing import Any

from sonlearn.commands.verbs import VERBS, Group
from sonlearn.errors import OptionError, shorten
from sonlearn.options import LearnOptions, RunOptions
from sonlearn.options.learning import ALL_TAKE
from sonlearn.options.methods import DEFAULT, METHODS, listing
from sonlearn.options.spec import closest, flags, parse_field, repeats

#: What people write who come from elsewhere.
_MEANT = {
    "--epochs": "--passes", "--epoch": "--passes", "--iterations": "--passes", "--n-epochs": "--passes",
    "--lr": "--learning_rate", "--eta0": "--learning_rate", "--model": "-f or -i", "--save": "-f", "--load": "-i",
    "--input": "-d", "--file": "-d", "--train": "-d", "--target": "--label", "--target-column": "--label",
    "--class": "--label", "--objective": "--loss", "--verbose": "-P", "--out": "-p", "--predict": "-p",
    "--proba": "--probabilities", "--drop": "--ignore", "--exclude": "--ignore", "--sep": "--delimiter",
    "--separator": "--delimiter", "--regularization": "--l2", "--jobs": "--threads", "--n-jobs": "--threads",
}  # fmt: skip


class Line:
    """A command line: the verb, {field name: value} of the flags that were given, and the other words in order.

    Raises OptionError: an unknown flag (the nearest one is named), a missing value, one that is no number where one is
    needed, or another number of words than the verb takes.
    """

    def __init__(self, verb: str, words: list[str]):
        self.verb = verb
        self.given, self.others = parse(verb, words)
        operand = VERBS[verb].operand
        if operand == "" and self.others:
            why = "; rows come over the network" if verb == "serve" else ""
            raise OptionError(f"{verb} takes no files, {shorten(self.others[0])} given{why}")
        if operand and len(self.others) != 1:
            raise OptionError(f"{verb} takes one {operand}, {len(self.others)} given")

    def take(self, of: type, *but: str) -> dict[str, Any]:
        """Take out of `given` what belongs to the dataclass `of`, `but` for some."""
        names = [field.name for field in dataclasses.fields(of) if field.name not in but]
        return {name: self.given.pop(name) for name in names if name in self.given}

    def options(self, of: type, **more: Any) -> Any:
        """The dataclass `of` with what was given of it, and with `more`. Raises OptionError."""
        return of(**self.take(of), **more)

    def running(self, **more: Any) -> RunOptions:
        """The options of the run, whose data are the other words as well, and `more`. Raises OptionError."""
        own = self.take(RunOptions)
        return RunOptions(**own | {"data": (*own.get("data", ()), *self.others)} | more)


def parse(verb: str, words: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Split a command line: ({field name: value} of the flags that were given, everything else in order).

    In a flag - and _ may be exchanged. After ``--`` no word is a flag. Raises OptionError as `Line` does.
    """
    fields = VERBS[verb].fields
    parser = parser_of(verb)
    known = list(parser._option_string_actions)
    declared = {name.replace("_", "-"): name for name in known if name[:2] == "--"}
    end = words.index("--") if "--" in words else len(words)
    spelt = []
    for word in words[:end]:
        name, equals, value = word.partition("=")
        spelt.append(declared.get(name.replace("_", "-"), name) + equals + value)
    given, others = parser.parse_known_args(spelt)
    for word in others:
        if word[:1] == "-" and word != "-" and " " not in word.partition("=")[0]:
            raise _unknown(verb, word, known)
    found = {name: _value(verb, fields[name], value) for name, value in vars(given).items()}
    return found, [*others, *words[end + 1 :]]


def _unknown(verb: str, argument: str, known: list[str]) -> OptionError:
    from sonlearn.options import vw_flags

    name = argument.partition("=")[0]
    vw = vw_flags.flag_support(name)
    if vw is not None and vw.state != vw_flags.WORKS and verb in ("train", "predict"):
        why = vw.text if vw.state == vw_flags.STANDS_FOR else f"it is VW's, and nothing stands for it: {vw.text}"
        return OptionError(f"{name}: no such flag here; {why}")
    for other, entry in VERBS.items():
        if other != verb and any(name in flags(field) for field in entry.fields.values()):
            keeps = other == "train" and verb in ("predict", "serve", "evaluate")
            kept = "; a model keeps its own: leave it out" if keeps else ""
            return OptionError(f"{name}: sonlearn {verb} has no such flag, but sonlearn {other} has{kept}")
    spelt = name.replace("_", "-").lower()
    meant = [flag for flag in _MEANT.get(spelt, "").split(" or ") if flag in known]
    near = closest(name, [flag for flag in known if flag.startswith("--") and flag != "--help-all"], 0.75)
    meant = meant or (near if len(name) > 3 else [])
    remedy = f"did you mean {' or '.join(meant)}?" if meant else f"sonlearn {verb} --help-all lists them all"
    return OptionError(f"{shorten(name)}: no such flag; {remedy}")


def _value(verb: str, field: dataclasses.Field[Any], text: Any) -> Any:
    """`text` as the field's type, in the field's range."""
    if not isinstance(text, str):
        return tuple(text) if isinstance(text, list) else text
    try:
        return parse_field(field, text)
    except OptionError as error:
        if verb != "tune" or "," not in text:
            raise
        raise OptionError(f"{error}; values to try: --grid '{field.name}={text}'") from None


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


def help_of(verb: str, method: str | None = None, whole: bool = False) -> str:
    """Return what ``--help`` prints; ``--help-all`` if `whole`.

    Of a verb with `daily` flags, those and the ones that belong to the named `method`; of another all but rare ones,
    and of the flags of learning those that the method takes. The whole: all, or all that the method takes.
    """
    daily, groups = VERBS[verb].daily, VERBS[verb].groups
    of = method if whole or daily else method or DEFAULT
    own = () if method is None else METHODS[method].takes

    def is_shown(field: dataclasses.Field[Any]) -> bool:
        wanted = field.name in (*daily, *own) if daily else not field.metadata.get("rare")
        return _takes(of, field) and (whole or wanted)

    shown = [(title, tuple(filter(is_shown, fields))) for title, fields in groups]
    if whole:
        more = None
    elif daily:
        more = f"sonlearn {verb} --help-all lists all; --method NAME --help those of a method."
    else:
        rare = [flags(f)[-1] for _, fields in groups for f in fields if f.metadata.get("rare") and _takes(of, f)]
        more = f"Rare flags, explained by --help-all: {', '.join(rare)}." if rare else None
    return parser_of(verb, [group for group in shown if group[1]], more).format_help()


def methods(line: Line) -> int:
    """Print the methods of ``train --method``, as ``sonlearn methods`` does; return the exit status."""
    print("\n".join(listing()))
    return 0


def _takes(method: str | None, field: dataclasses.Field[Any]) -> bool:
    """Return whether the field is not one of learning, or one that the method takes; None: any method does."""
    learns = field in dataclasses.fields(LearnOptions)
    return method is None or not learns or field.name in (*ALL_TAKE, *METHODS[method].takes)


def parser_of(verb: str, groups: Iterable[Group] | None = None, more: str | None = None) -> argparse.ArgumentParser:
    """argparse's parser of all of `verb`'s flags, or of `groups`; what is no flag (DATA, MODEL) it leaves over.

    At the end of its help it says `more`.
    """
    parser = _Parser(
        prog=f"sonlearn {verb}", usage=VERBS[verb].usage, description=VERBS[verb].about, allow_abbrev=False,
        formatter_class=_Formatter,
        argument_default=argparse.SUPPRESS, epilog=more,
    )  # fmt: skip
    parser.add_argument("--help-all", action="store_true", help="list all flags, the rare ones as well")
    for title, fields in VERBS[verb].groups if groups is None else groups:
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
    action = "append" if repeats(field) else "store"
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
