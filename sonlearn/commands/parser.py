"""argparse's parser of a verb's flags, and the help that it writes."""

from __future__ import annotations

import argparse
import dataclasses
import shutil
from collections.abc import Iterable
from typing import Any

from sonlearn.commands.verbs import VERBS, Group
from sonlearn.errors import OptionError
from sonlearn.options import LearnOptions
from sonlearn.options.learning import ALL_TAKE
from sonlearn.options.methods import DEFAULT, METHODS
from sonlearn.options.spec import flags


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
    """argparse's parser of all of `verb`'s flags; what is no flag (DATA, MODEL) it leaves over."""
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
    parser = _Parser(
        prog=f"sonlearn {verb}", usage=VERBS[verb].usage, description=VERBS[verb].about, allow_abbrev=False,
        formatter_class=_Formatter,
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
