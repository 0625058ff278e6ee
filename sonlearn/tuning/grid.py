"""Grids: options of learning with the values to try, and the settings of all their combinations.

An option that a method does not take is left out of the method's combinations; combinations that are then equal become
one setting. Imports neither numpy nor numba.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sonlearn.errors import OptionError, shorten
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.learning import ALL_TAKE
from sonlearn.options.losses import LOSS_OPTIONS
from sonlearn.options.methods import METHODS
from sonlearn.options.spec import closest, flags, names, parse_field, text_of

#: Largest number of combinations: each is a learner, and all are in memory.
MAX_COMBINATIONS = 1000
EXPECTED = "NAME=VALUE,VALUE,... with blanks between, as in 'alpha=.1,1 method=rfd-son,nag'"
#: Options that describe the stream, not the learning: they are the same for all settings.
_OF_STREAM = ("oaa", "classes", "multinomial")
_WORDS = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}
_FIELDS = {field.name: field for field in dataclasses.fields(LearnOptions)}


class Setting(NamedTuple):
    """One setting of a grid.

    Attributes
    ----------
    name : str
        Its values in the grid: ``method=rfd-son alpha=0.1``.
    given : dict
        All its options by name, including those that are the same for all settings.
    options : LearnOptions
    """

    name: str
    given: dict[str, Any]
    options: LearnOptions

    @property
    def flags(self) -> str:
        """The options as flags of ``sonlearn train``."""
        return " ".join(filter(None, (_flag(_FIELDS[name], value) for name, value in self.given.items())))


class Settings(NamedTuple):
    """The settings of a grid.

    Attributes
    ----------
    settings : tuple of Setting
        In the order of the grid; the values of the last name change fastest. No two have the same options.
    combinations : int
        Number of combinations of the grid's values.
    left_out : dict
        For each method that does not take some options of the grid: the names of these options.
    """

    settings: tuple[Setting, ...]
    combinations: int
    left_out: dict[str, tuple[str, ...]]


def parse_grid(text: str, place: str = "--grid") -> dict[str, tuple[Any, ...]]:
    """{name of an option: its values} of a grid as written on the command line.

    Raises
    ------
    OptionError
        Names the column (from 1 on), the text found there, and what was expected.
    """
    grid: dict[str, tuple[Any, ...]] = {}
    for word in re.finditer(r"\S+", text):
        name, equals, values = word.group().partition("=")
        if not equals or not name:
            raise _wrong(place, word.start(), word.group(), EXPECTED)
        try:
            field = _field(name)
        except OptionError as error:
            raise OptionError(f"{place}, column {word.start() + 1}: {error}") from None
        if field.name in grid:
            raise _wrong(place, word.start(), name, "each name once, all its values behind it with commas between")
        grid[field.name] = tuple(_values(field, values, place, word.start() + len(name) + 1))
    if not grid:
        raise _wrong(place, 0, "", EXPECTED)
    return grid


def settings_of(grids: Mapping[str, Any] | Iterable[Mapping[str, Any]], fixed: Mapping[str, Any]) -> Settings:
    """All settings of the grids, one grid after the other.

    Parameters
    ----------
    grids : {name of an option: sequence of values, or one value}, or several
    fixed : {name: value} that all have

    Raises
    ------
    OptionError
        A combination is contradictory (the message names it), no method takes an option, a name is unknown or also in
        `fixed`, or there are too many combinations.
    """
    found: dict[LearnOptions, Setting] = {}
    left_out: dict[str, dict[str, None]] = {}
    combinations = 0
    for grid in [grids] if isinstance(grids, Mapping) else grids:
        axes = _axes(grid, fixed)
        combinations += math.prod(map(len, axes.values()))
        if combinations > MAX_COMBINATIONS:
            raise OptionError(f"--grid: {combinations} combinations, expected at most {MAX_COMBINATIONS}")
        used: set[str] = set()
        methods: set[str] = set()
        for values in itertools.product(*axes.values()):
            setting, unused = _setting(dict(zip(axes, values, strict=True)), tuple(grid))
            found.setdefault(setting.options, setting)
            left_out.setdefault(str(setting.options.method), {}).update(dict.fromkeys(unused))
            used.update(setting.given)
            methods.add(str(setting.options.method))
        _check_used(axes, used, sorted(methods), fixed)
    return Settings(tuple(found.values()), combinations, {m: tuple(names) for m, names in left_out.items() if names})


def with_classes(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """The settings with ``--classes auto``. Raises OptionError: an option of one is against it."""
    more: Any = {"classes": "auto"}
    return tuple(Setting(own.name, own.given | more, dataclasses.replace(own.options, **more)) for own in settings)


def _axes(grid: Mapping[str, Any], fixed: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    """The values of every option; the fixed options come first."""
    own = {_field(name).name: values for name, values in grid.items()}
    for name in own.keys() & fixed.keys():
        raise OptionError(f"--grid {_spelled(name)}: {flags(_FIELDS[name])[-1]} is given as well; give one of them")
    single = (str, bool, int, float)
    own = {name: (values,) if isinstance(values, single) or values is None else tuple(values)
           for name, values in own.items()}  # fmt: skip
    return {**{name: (value,) for name, value in fixed.items()}, **own}


def _setting(given: dict[str, Any], shown: tuple[str, ...]) -> tuple[Setting, list[str]]:
    """(the setting of a combination, those of its options that the method does not take)."""
    name = _named(given, given)
    try:
        method = LearnOptions(**_only(given, ("method", "sketch", "multinomial"))).method
        takes = {*ALL_TAKE, *METHODS[method].takes}
        loss = LearnOptions(**_only(given, takes - LOSS_OPTIONS.keys())).loss
        takes -= {option for option, needed in LOSS_OPTIONS.items() if needed != loss}
        taken = _only(given, takes)
        options = LearnOptions(**taken)
    except OptionError as error:
        raise OptionError(f"the combination {name}: {error}") from None
    own = {_field(each).name for each in shown}
    return Setting(_named(taken, own) or "defaults", taken, options), [each for each in given if each not in taken]


def _check_used(
    axes: Mapping[str, Sequence[Any]], used: set[str], methods: Sequence[str], fixed: Container[str]
) -> None:  # fmt: skip
    """Refuse an option that no setting takes, as `LearnOptions` does; a default is none to try, but may be `fixed`."""
    for name in [name for name in axes if name not in used]:
        for method, value in itertools.product(methods, axes[name]):
            LearnOptions(method=method, **{name: value})
        if name not in fixed:
            raise OptionError(f"--grid {_spelled(name)}: no method of the grid takes it: {', '.join(methods)}")


def _only(given: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    wanted = set(names)
    return {name: value for name, value in given.items() if name in wanted}


def _named(given: Mapping[str, Any], shown: Iterable[str]) -> str:
    wanted = set(shown)
    return " ".join(f"{_spelled(name)}={_text(value)}" for name, value in given.items() if name in wanted)


def _spelled(name: str) -> str:
    return name.replace("_", "-")


def _text(value: Any) -> str:
    """A value as written in a grid."""
    return "+".join(value) if isinstance(value, tuple) else text_of(value)


def _flag(field: dataclasses.Field[Any], value: Any) -> str:
    """An option as written on the command line."""
    flag = "--" + _spelled(field.name)
    if isinstance(value, bool):
        # an option that is off by default has no flag for off
        return flag if value else "" if field.default is False else f"--no-{_spelled(field.name)}"
    return f"{flag} {','.join(value) if isinstance(value, tuple) else text_of(value)}"


def _field(name: str) -> dataclasses.Field[Any]:
    """The option `name`, in any spelling of its flag. Raises OptionError."""
    plain = name.replace("-", "_")
    for field in _FIELDS.values():
        if plain == field.name or plain in (flag.lstrip("-").replace("-", "_") for flag in flags(field)):
            if field.name in _OF_STREAM:
                raise OptionError(f"{name}: what the classes are is the same for all settings; give {flags(field)[-1]}")
            return field
    for field in dataclasses.fields(TextOptions):
        if plain in (field.name, flags(field)[-1].lstrip("-").replace("-", "_")):
            raise OptionError(f"{name}: the text is read once, for all settings; give {flags(field)[-1]}")
    near = closest(name, map(_spelled, _FIELDS), 0.5)
    expected = f"did you mean {near[0]}?" if near else "expected an option of learning: sonlearn train --help"
    raise OptionError(f"{shorten(name)}: no such option; {expected}")


def _values(field: dataclasses.Field[Any], text: str, place: str, start: int) -> Iterable[Any]:
    """The values in `text`, which begins at column `start` (from 0 on)."""
    for value in text.split(","):
        if not value:
            raise _wrong(place, start, value, f"a value for {_spelled(field.name)}")
        try:
            yield _value(field, value)
        except OptionError as error:
            raise OptionError(f"{place}, column {start + 1}: {error}") from None
        start += len(value) + 1


def _value(field: dataclasses.Field[Any], text: str) -> Any:
    if isinstance(field.default, bool) or field.metadata.get("switch"):
        if text.lower() not in _WORDS:
            raise OptionError(f"{_spelled(field.name)} {text}: expected on or off")
        return _WORDS[text.lower()]
    if field.name == "members":
        return names(text.replace("+", ","))
    return parse_field(field, text)


def _wrong(place: str, column: int, found: str, expected: str) -> OptionError:
    return OptionError(
        f"{place}, column {column + 1}: found {shorten(found) if found else 'nothing'}, expected {expected}"
    )
