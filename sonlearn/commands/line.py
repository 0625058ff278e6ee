"""Splits a command line up into the flags that were given, with their values, and the rest.

Every mistake is one OptionError. argparse, which would find the same, takes a twentieth of a short run to import and to
be given 120 flags; it writes the help alone (`sonlearn.commands.parser`).
"""

from __future__ import annotations

import dataclasses
import re
from collections import deque
from collections.abc import Iterable
from typing import Any

from sonlearn.commands.verbs import VERBS
from sonlearn.errors import OptionError, shorten
from sonlearn.options.run import RunOptions
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

#: How a flag gives a value: it is behind the flag, or one of several such, or the flag stands for it.
STORE, APPEND, CONSTANT = range(3)
_NEGATIVE = re.compile(r"-\d+|-\d*\.\d+")


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

    Raises OptionError as `Line` does.
    """
    fields = {field.name: field for _, group in VERBS[verb].groups for field in group}
    given, others = split(verb, table_of(fields.values()), words)
    return {name: _value(fields[name], value) for name, value in given.items()}, others


def table_of(fields: Iterable[dataclasses.Field[Any]]) -> dict[str, tuple[str, int, Any]]:
    """What each flag does: (name of the field, how it gives a value, value of a flag that stands for one)."""
    table: dict[str, tuple[str, int, Any]] = {}
    for field in fields:
        names, meta = flags(field), field.metadata
        if isinstance(field.default, bool) or meta.get("switch"):
            one_way = field.default is False or names[0].startswith("--no")
            table.update((name, (field.name, CONSTANT, not (one_way and field.default))) for name in names)
            if not one_way:
                table.update((f"--no-{name[2:]}", (field.name, CONSTANT, False)) for name in names if name[:2] == "--")
            continue
        table.update((name, (field.name, APPEND if meta.get("repeat") else STORE, None)) for name in names)
        table.update((name, (field.name, CONSTANT, value)) for name, value in meta.get("short", {}).items())
    return table


def split(verb: str, table: dict[str, tuple[str, int, Any]], words: list[str]) -> tuple[dict[str, Any], list[str]]:
    """({field name: text, texts of a flag that may be repeated, or value of one that stands for it}, other words).

    A value stands behind its flag: as the next word, after ``=``, or of a short flag (-b18) without a blank. - and _
    may be exchanged. After ``--`` no word is a flag. Raises OptionError.
    """
    given: dict[str, Any] = {}
    others: list[str] = []
    left = deque(words)
    while left:
        word = left.popleft()
        if word == "--":
            others += left
            break
        if not _is_flag(word):
            others.append(word)
            continue
        name, attached = _taken_apart(table, word)
        if name not in table:
            raise _unknown(verb, word, [*table, "--help", "--help-all"])
        field, how, value = table[name]
        if how == CONSTANT and attached is not None:
            if name[:2] == "--" or word[2:3] == "=":
                raise OptionError(f"{_spellings(table, name)}: ignored explicit argument {attached!r}")
            left.appendleft(f"-{attached}")  # several short flags in one word
        elif how != CONSTANT:
            if attached is None and not (left and (not _is_flag(left[0]) or _NEGATIVE.fullmatch(left[0]))):
                raise OptionError(f"{_spellings(table, name)}: expected one argument")
            value = left.popleft() if attached is None else attached
        given[field] = [*given.get(field, ()), value] if how == APPEND else value
    return given, others


def _is_flag(word: str) -> bool:
    return word[:1] == "-" and word != "-" and " " not in word.partition("=")[0]


def _taken_apart(table: dict[str, tuple[str, int, Any]], word: str) -> tuple[str, str | None]:
    """(the flag as it was declared, the value that is attached to it or None)."""
    if word in table:
        return word, None
    name, equals, value = word.partition("=")
    if word[:2] != "--" and name not in table:
        return word[:2], word[2:]
    if name not in table:
        plain = name.replace("_", "-")
        name = next((flag for flag in table if flag.replace("_", "-") == plain), name)
    return name, value if equals else None


def _spellings(table: dict[str, tuple[str, int, Any]], name: str) -> str:
    """All flags that do what this one does."""
    return "/".join(flag for flag, does in table.items() if does == table[name])


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
