"""JSON text, and dicts in memory, as objects whose members keep their order; what is wrong with one, and where."""

from __future__ import annotations

import contextlib
import datetime
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from sonlearn.errors import InputError, TooLongError, shorten
from sonlearn.options.spec import raw

_MEMBER = "a number, a text, true, false, null, an object or an array"
_OBJECT = "one JSON object a line"
#: Objects after which it is said that none of them has a member that an option names, and which are usual.
SAMPLE = 100


class JsonObject(list):
    """The (name, value) pairs of an object, in their order, repeated names included."""


#: A line of JSON, what it was decoded to, or a dict.
Record = bytes | JsonObject | Mapping[str, Any]


class RowError(ValueError):
    """What is wrong with a record: what was found where (`at`: offset in the line, or names on the way to it)."""

    def __init__(self, found: str, expected: str, at: int | tuple[str, ...] = ()):
        super().__init__(found, expected, at)
        self.found, self.expected, self.at = found, expected, at


class LongRowError(RowError):
    """A record has more features than a row may have."""

    def __init__(self, most: float):
        super().__init__(f"a row of more than {most:.0f} features", f"at most {most:.0f}")


def _refuse(word: str) -> None:
    """NaN, which Python writes, as null. Raises RowError for infinite numbers."""
    if word == "NaN":
        return
    raise RowError(word, f"JSON, which has no {word}; leave the member out, or say null")


#: What is said of values that Python does not go down into.
TOO_DEEP = "objects or arrays nested too deeply", "a few levels"
_DECODER = json.JSONDecoder(object_pairs_hook=JsonObject, parse_int=float, parse_constant=_refuse)
_EXPECTED = {
    "Expecting value": "a value",
    "Extra data": "the end of the line: " + _OBJECT,
    "Expecting property name enclosed in double quotes": "a name in double quotes",
    "Illegal trailing comma before end of object": "no comma before the end of an object",
    "Illegal trailing comma before end of array": "no comma before the end of an array",
    "Unterminated string starting at": "a double quote at the end of the text that begins here",
}


def decode(line: bytes) -> Any:
    """Return what stands in a line of JSON, an object as Members. Raises RowError."""
    if 0 in line:
        raise RowError("a zero byte", "text; is this a binary file?", line.index(0))
    text = line.decode("utf-8", "surrogateescape")
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        word = re.match(r"\w+|\S|", text[error.pos :])
        found = shorten(word.group()) if word and word.group() else "the end of the line"
        expected = _EXPECTED.get(error.msg) or error.msg.replace("Expecting ", "").rstrip(" at").lower()
        raise RowError(found, expected, len(raw(text[: error.pos]))) from None
    except RecursionError:
        raise RowError(*TOO_DEEP) from None


_SPACE = re.compile(r"[ \t\n\r]*")


def elements_of(text: bytes) -> Iterator[Any]:
    """Decode the elements of an array one after the other; all else is one element. Raises RowError."""
    document, count = text.decode("utf-8", "surrogateescape"), 0
    at = _after_space(document, 0)
    more = document[at : at + 1] == "[" and 0 not in text
    try:
        while more:
            element, at = _DECODER.raw_decode(document, _after_space(document, at + 1))
            yield element
            count, at = count + 1, _after_space(document, at)
            more = document[at : at + 1] == ","
        if count and document[at:].rstrip(" \t\n\r") == "]":
            return
    except (RowError, json.JSONDecodeError, RecursionError):
        pass  # said of the whole text
    whole = decode(text)
    yield from whole[count:] if isinstance(whole, list) and not isinstance(whole, JsonObject) else [whole]


def _after_space(document: str, at: int) -> int:
    return _SPACE.match(document, at).end()  # type: ignore[union-attr]


def json_object(record: Record) -> JsonObject:
    """The members of a record. Raises RowError."""
    try:
        if not isinstance(record, JsonObject):
            record = decode(record) if isinstance(record, bytes) else as_decoded(record, ())
    except RecursionError:
        raise RowError(*TOO_DEEP) from None
    if not isinstance(record, JsonObject):
        raise RowError(display(record), _OBJECT)
    return record


def first_objects(lines: Iterable[bytes]) -> list[JsonObject]:
    """The objects in the first `SAMPLE` lines that are not empty; those that are malformed are left out."""
    objects = []
    for line in itertools.islice(filter(None, lines), SAMPLE):
        with contextlib.suppress(RowError):
            objects.append(json_object(line))
    return objects


def usual_members(objects: list[JsonObject]) -> list[str]:
    """Members, no objects and no arrays, that at least two thirds of these objects have."""
    names = ((name, value) for members in objects for name, value in members if name[:1] != "_" and "^" not in name)
    met = Counter(name for name, value in names if not isinstance(value, list))
    return [name for name, times in met.items() if 3 * times >= 2 * len(objects)]


def leaves_of(members: JsonObject, before: str = "") -> Iterator[tuple[str, Any]]:
    """(column, value) of the members of an object, and of objects in it as a.b; a value may be an array."""
    for name, value in members:
        if isinstance(value, JsonObject):
            yield from leaves_of(value, f"{before}{name}.")
        else:
            yield before + name, value


def texts_in(members: JsonObject) -> dict[str, str]:
    """Those `leaves_of` an object that are texts, or numbers that may be dates, by column, but for names with _."""
    leaves = [(name, value) for name, value in leaves_of(members) if name.rpartition(".")[2][:1] != "_"]
    dates = {name: f"{value:.16g}" for name, value in leaves if type(value) is float and 1e6 < value < 2e12}
    return {name: value for name, value in leaves if isinstance(value, str)} | dates


def as_decoded(value: Any, path: tuple[str, ...]) -> Any:
    """A dict and what is in it as decoded: numbers as float, dates, times and durations as texts, objects as Members.

    Raises RowError.
    """
    if value is None or isinstance(value, bool | np.bool_):
        return value if value is None else bool(value)
    if isinstance(value, str):
        return str.__str__(value)  # of a class of its own, such as NumPy's, too
    if isinstance(value, Mapping):
        return JsonObject((str(name), as_decoded(item, (*path, str(name)))) for name, item in value.items())
    if isinstance(value, datetime.time):
        return str(value.replace(tzinfo=None))  # zones do not count, nor do those of dates
    if isinstance(value, datetime.date | datetime.timedelta | np.datetime64):
        return str(value) if value == value else None
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return [as_decoded(item, path) for item in value]
    try:
        if isinstance(value, np.timedelta64):
            raise TypeError("a time of any unit")
        number = float(value)
        return number if number == number else None
    except OverflowError:
        raise RowError("a number beyond 1.8e308", "a finite number", path) from None
    except (TypeError, ValueError):
        raise RowError(f"a {type(value).__name__}", _MEMBER, path) from None


class RecordSource(NamedTuple):
    """Dicts in memory, or lines of JSON, as a source of `sonlearn.text.read`."""

    records: Iterable[Mapping[str, Any] | str]
    name: str = "<records>"

    def parts(self, size: int) -> Iterator[list[tuple[int, bytes | Mapping[str, Any]]]]:
        """The records with their numbers, from 1 on, up to `size` at a time."""
        numbered = enumerate(self.records, 1)
        while part := list(itertools.islice(numbered, size)):
            yield [(i, raw(record) if isinstance(record, str) else record) for i, record in part]


def sources_of(items: Iterable[Any]) -> list[Any]:
    """All sources of an iterable of sources; of one that begins with a dict or a line of JSON, one RecordSource.

    Of an iterable of records no more than the first is drawn.
    """
    if isinstance(items, list | tuple):
        drawn, rest = items, items
    else:
        iterator = iter(items)
        drawn = list(itertools.islice(iterator, 1))
        rest = itertools.chain(drawn, iterator)
    first = drawn[0] if drawn else None
    if isinstance(first, Mapping) or (isinstance(first, str) and first.lstrip().startswith("{")):
        return [RecordSource(rest)]
    return list(rest)


def display(value: Any) -> str:
    """Return what a value is, for a message."""
    if isinstance(value, JsonObject):
        return "an object"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, float):
        return shorten(f"{value:.16g}")
    return json.dumps(value) if value is None or isinstance(value, bool) else shorten(value)


def error_of(problem: RowError, record: Any, place: tuple[str, int]) -> InputError:
    """The error for a record: its line, and the column where that can be told; else the names that lead there."""
    found, column = problem.found, None
    if isinstance(problem.at, int):
        column = problem.at + 1
    elif isinstance(record, bytes):
        column = byte_column(record, problem.at)
    if not isinstance(problem.at, int) and problem.at:
        found += f" for {shorten('.'.join(problem.at))}"
    error = TooLongError if isinstance(problem, LongRowError) else InputError
    source, line = place
    return error(source, found, problem.expected, line, column)


def byte_column(line: bytes, path: Iterable[str]) -> int:
    """Say where the names of `path` lead in a line of JSON; of names that occur more than once, the first that fits."""
    text, at = line.decode("utf-8", "surrogateescape"), len(line) - len(line.lstrip())
    for name in path:
        spelt = "|".join(re.escape(json.dumps(name, ensure_ascii=ascii)) for ascii in (True, False))
        match = re.compile(rf"(?:{spelt})\s*:").search(text, at)
        if match is None:
            break
        at = match.start()
    return len(raw(text[:at])) + 1
