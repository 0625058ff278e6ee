"""Declaration, parsing and checks of the dataclass fields that hold options.

Imports neither numpy nor numba, so that ``sonlearn --help`` is fast.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Callable, Iterable
from operator import gt, le, lt
from typing import Any

from sonlearn.errors import OptionError
from sonlearn.options.vw_flags import FLAGS


def number(text: str) -> float:
    """Parse a finite or infinite number; NaN is refused."""
    value = float(text)
    if math.isnan(value):
        raise ValueError("nan")
    return value


def delimiter(text: str) -> str:
    """Parse a CSV delimiter: one character except quotes and line ends, or ``tab``."""
    text = "\t" if text in ("tab", "\\t") else text
    if len(text) != 1 or text in '"\r\n':
        raise ValueError(text)
    return text


def names(text: str) -> tuple[str, ...]:
    """Parse a comma-separated list of names."""
    return tuple(name for name in text.split(",") if name)


def number_or(*words: str) -> Callable[[str], float | str]:
    """Parser of an option that is one of `words` or a number; its attribute `expected` is for messages."""

    def parse(text: str) -> float | str:
        return text if text in words else number(text)

    parse.expected = f"{', '.join(words)} or a number"  # type: ignore[attr-defined]
    return parse


def threshold(text: str) -> float | str:
    """Parse a threshold: P or ``fpr:P`` with P within (0, 1), ``best-f1``, or ``cost:FN/FP`` with numbers above 0."""
    if text == "best-f1":
        return text
    if text.startswith("cost:"):
        missed, false = (number(part) for part in text.removeprefix("cost:").split("/"))
        if not (0 < missed < math.inf and 0 < false < math.inf):
            raise ValueError(text)
        return text
    value = number(text.removeprefix("fpr:"))
    if not 0 < value < 1:
        raise ValueError(text)
    return text if text.startswith("fpr:") else value


threshold.expected = "a probability between 0 and 1, best-f1, fpr:SHARE, or cost:FN/FP"  # type: ignore[attr-defined]


def port_number(text: str) -> int | None:
    """Parse the number of a TCP port, or ``none``."""
    return None if text == "none" else int(text)


port_number.expected = "a port from 0 to 65535, or none"  # type: ignore[attr-defined]


def raw(text: str) -> bytes:
    """The bytes of a text, even if they are not UTF-8. UnicodeEncodeError: half of a surrogate pair."""
    return text.encode("utf-8", "surrogateescape")


def option(default: Any, help: str, **metadata: Any) -> Any:
    """Dataclass field with metadata for the command line and the checks.

    Metadata: `flags` (default: ``--name``), `parse` (text to value; default: by the field's type), `choices`, `low`
    (smallest value), `above` (the value must exceed it), `high` (largest value), `metavar`, `switch` (a flag that is
    on, off or not given), `short` (flags that stand for one value each), `rare` (the help shows the name only), and
    `general` (the default of methods without one of their own, if the field's default is None).
    """
    return dataclasses.field(default=default, metadata={"help": help, **metadata})


def parser_of(field: dataclasses.Field[Any]) -> Callable[[str], Any] | None:
    """Return what makes a value of text; None: the text is the value."""
    by_type: dict[str, Callable[[str], Any]] = {"int": int, "float": number}
    return field.metadata.get("parse") or by_type.get(str(field.type).removesuffix(" | None"))


def repeats(field: dataclasses.Field[Any]) -> bool:
    """Return whether the flag is given once for each of several texts."""
    return str(field.type).startswith("tuple") and "parse" not in field.metadata


def flags(field: dataclasses.Field[Any]) -> tuple[str, ...]:
    """Command-line names of `field`: those given, or one, with hyphens unless it is also Vowpal Wabbit's."""
    own = f"--{field.name}"
    given: tuple[str, ...] = field.metadata.get("flags", (own if own in FLAGS else own.replace("_", "-"),))
    return given


def closest(word: str, known: Iterable[str], cutoff: float = 0.6, most: int = 1) -> list[str]:
    """Find the known names most like a word, as `difflib.get_close_matches` has it; it loads when asked."""
    import difflib

    return difflib.get_close_matches(word, list(known), most, cutoff)


def nearest(word: str, known: Iterable[str], most: int = 9) -> str:
    """Names for a message: all of a few, else the three that are nearest to a word, and how many more there are."""
    names = list(known)
    if len(names) <= most:
        return ", ".join(names)
    near = closest(word.lower(), names, 0.0, 3)
    return f"{', '.join(near)} and {len(names) - 3} more"


def check_field(field: dataclasses.Field[Any], value: Any) -> None:
    """Check one value against its field's choices and range."""
    meta, name = field.metadata, flags(field)[-1]
    if "choices" in meta:
        if value not in meta["choices"]:
            raise OptionError(f"{name} {value}: expected one of {nearest(str(value), meta['choices'])}")
        return
    parse = parser_of(field)
    kind = _KINDS.get(parse)
    if kind is not None and (isinstance(value, bool) or not isinstance(value, kind[0])):
        raise OptionError(f"{name} {value!r}: expected {kind[1]}")
    if isinstance(value, str) and parse is not None:
        expected = getattr(parse, "expected", meta["help"])
        try:
            parsed = parse(value)
        except (KeyError, ValueError):
            raise OptionError(f"{name} {value}: expected {expected}") from None
        if isinstance(parsed, float):  # which the text is not, and all that is done with the option takes it to be
            raise OptionError(f"{name} {value!r}: expected the number {parsed:g}, not a text; or {expected}")
        return
    if isinstance(value, float) and math.isnan(value):
        raise OptionError(f"{name} nan: expected a number")
    for bound, outside, words in (("low", lt, "at least"), ("above", le, "more than"), ("high", gt, "at most")):
        if bound in meta and outside(value, meta[bound]):
            raise OptionError(f"{name} {value}: expected {words} {meta[bound]:g}")


def check_fields(options: Any) -> None:
    """Check every value of a dataclass of options that is given and has choices or a range."""
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        if value is not None and ("choices" in field.metadata or parser_of(field) is not None):
            check_field(field, value)


#: Types of numeric options, by their parser: the type (numpy's numbers are registered with it), and its name.
_KINDS: dict[Any, tuple[type, str]] = {
    int: (numbers.Integral, "a whole number"),
    number: (numbers.Real, "a number"),
}


def gram_size(name: str, value: str) -> tuple[int | None, int]:
    """Namespace byte (None: all) and size of ``--ngram`` or ``--skips``. N-grams up to 1 are the words alone."""
    text = raw(value)
    byte, digits = (None, text) if text[:1].isdigit() else (text[0] if text else None, text[1:])
    if not digits.isdigit() or int(digits) > 16:
        raise OptionError(
            f"{name} {value}: expected a number from 0 to 16, with a namespace's first byte before it or not"
        )
    return byte, int(digits)


def parse_field(field: dataclasses.Field[Any], text: str) -> Any:
    """`text` parsed as a value of the field and checked. Raises OptionError."""
    parse = parser_of(field) or str
    try:
        value = parse(text)
    except ValueError:
        _, expected = _KINDS.get(parse, (str, getattr(parse, "expected", field.metadata["help"])))
        raise OptionError(f"{flags(field)[-1]} {text}: expected {expected}") from None
    if value is not None:
        check_field(field, value)
    return value


def text_of(value: Any) -> str:
    """An option's value as written on the command line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value in ("", (), None):
        return "none"
    if isinstance(value, tuple):
        return " ".join(value)
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
