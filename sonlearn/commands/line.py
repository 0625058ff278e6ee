"""Splits a command line up into the flags that were given, with their values, and the rest.

Every mistake is one OptionError.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from sonlearn.commands.parser import parser_of
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
    fields = {field.name: field for _, group in VERBS[verb].groups for field in group}
    parser = parser_of(verb)
    known = [name for action in parser._actions for name in action.option_strings]
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
    return {name: _value(fields[name], value) for name, value in vars(given).items()}, [*others, *words[end + 1 :]]


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
