"""Splits a command line up into the flags that were given, with their values, and the rest.

What a plain line has is found in a table of the flags. Everything else, and every mistake, is argparse's
(`sonlearn.commands.parser`), which would find the same in plain lines. Values are parsed and checked here, so that
every mistake is one OptionError.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from sonlearn.commands.verbs import VERBS
from sonlearn.errors import OptionError, shorten
from sonlearn.options.spec import flags, parse_field

#: What people write who come from elsewhere.
_MEANT = {
    "--epochs": "--passes", "--epoch": "--passes", "--iterations": "--passes", "--n-epochs": "--passes",
    "--lr": "--learning_rate", "--eta0": "--learning_rate", "--model": "-f or -i", "--save": "-f", "--load": "-i",
    "--input": "-d", "--file": "-d", "--train": "-d", "--target": "--label", "--target-column": "--label",
    "--class": "--label", "--objective": "--loss", "--verbose": "-P", "--out": "-p", "--predict": "-p",
    "--proba": "--probabilities", "--drop": "--ignore", "--exclude": "--ignore", "--sep": "--delimiter",
    "--separator": "--delimiter", "--regularization": "--l2", "--jobs": "--threads", "--n-jobs": "--threads",
}  # fmt: skip

#: How a plain line gives a value: the next word is one, it is one of a list, or the flag stands for this value.
_STORE, _APPEND, _CONSTANT = range(3)


def parse(verb: str, arguments: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Split a command line: ({field name: value} of the flags that were given, everything else in order).

    Raises
    ------
    OptionError
        An unknown flag (the nearest one is named), a missing value, or one that is no number where one is needed.
    """
    fields = {field.name: field for _, group in VERBS[verb].groups for field in group}
    plain = _plain(_table(fields.values()), arguments)
    given, others = _whole(verb, arguments) if plain is None else plain
    return {name: _value(fields[name], value) for name, value in given.items()}, others


def _table(fields: Iterable[dataclasses.Field[Any]]) -> dict[str, tuple[str, int, Any]]:
    """What each flag does: (name of the field, how it gives a value, value of a flag that stands for one)."""
    table: dict[str, tuple[str, int, Any]] = {}
    for field in fields:
        names, meta = flags(field), field.metadata
        if isinstance(field.default, bool) or meta.get("switch"):
            one_way = field.default is False or names[0].startswith("--no")
            table.update((name, (field.name, _CONSTANT, not (one_way and field.default))) for name in names)
            if not one_way:
                table.update((f"--no-{name[2:]}", (field.name, _CONSTANT, False)) for name in names if name[:2] == "--")
            continue
        table.update((name, (field.name, _APPEND if meta.get("repeat") else _STORE, None)) for name in names)
        table.update((name, (field.name, _CONSTANT, value)) for name, value in meta.get("short", {}).items())
    return table


def _plain(table: dict[str, tuple[str, int, Any]], arguments: list[str]) -> tuple[dict[str, Any], list[str]] | None:
    """`_whole` of a line of flags in full, as they were declared, each with its value behind it; None: another line."""
    given: dict[str, Any] = {}
    others = []
    words = iter(arguments)
    for word in words:
        if word == "-" or word[:1] != "-":
            others.append(word)
            continue
        name, how, value = table.get(word, (None, _STORE, None))
        if name is None:
            return None
        if how != _CONSTANT:
            value = next(words, "--")
            if value[:1] == "-" and value != "-":
                return None
        given[name] = [*given.get(name, ()), value] if how == _APPEND else value
    return given, others


def _whole(verb: str, arguments: list[str]) -> tuple[dict[str, Any], list[str]]:
    """Any line, by argparse: ({field name: text, or texts of a flag that may be repeated}, everything else)."""
    from sonlearn.commands.parser import parser_of

    parser = parser_of(verb)
    flags = list(parser._option_string_actions)
    known = {"--" + name[2:].replace("_", "-"): name for name in flags if name[:2] == "--"}
    namespace, rest = parser.parse_known_args(list(_respelled(arguments, known)))
    others = []
    for i, argument in enumerate(rest):
        if argument == "--":
            others += rest[i + 1 :]
            break
        if argument.startswith("-") and argument != "-":
            raise _unknown(verb, argument, flags)
        others.append(argument)
    return vars(namespace), others


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


def _unknown(verb: str, argument: str, known: list[str]) -> OptionError:
    import difflib

    from sonlearn.options import vw_flags

    name = argument.partition("=")[0]
    vw = vw_flags.flag_support(name)
    if vw is not None and vw.state != vw_flags.WORKS and verb in ("train", "predict"):
        why = vw.text if vw.state == vw_flags.STANDS_FOR else f"it is VW's, and nothing stands for it: {vw.text}"
        return OptionError(f"{name}: no such flag here; {why}")
    for other, entry in VERBS.items():
        if other != verb and any(name in flags(field) for _, group in entry.groups for field in group):
            return OptionError(f"{name}: sonlearn {verb} has no such flag, but sonlearn {other} has")
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
