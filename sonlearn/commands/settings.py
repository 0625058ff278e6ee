"""Options of learning and text: those of a new model, how they are written, and whether they are a model's own."""

from __future__ import annotations

import dataclasses
from typing import Any

from sonlearn.errors import InputError, OptionError
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.spec import flags, text_of
from sonlearn.options.text import NAMESPACED, TABLES, WRITTEN

#: Formats that give the same features.
ALIKE = (set(TABLES), set(NAMESPACED))


def split(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What was given of learning, and of text."""
    of_text = {field.name for field in dataclasses.fields(TextOptions)}
    learn = {name: value for name, value in given.items() if name not in of_text}
    return learn, {name: value for name, value in given.items() if name in of_text}


def options_of(given: dict[str, Any]) -> tuple[LearnOptions, TextOptions]:
    """The two option objects of a new model."""
    learn, text = split(given)
    return LearnOptions(**learn), TextOptions(**text)


def written_as(text: TextOptions, given: dict[str, Any]) -> TextOptions:
    """Return the options of a model's text for data that are written as was `given`."""
    return dataclasses.replace(text, **{name: given[name] for name in WRITTEN if name in given})


def settings_text(options: LearnOptions | TextOptions, keep: tuple[str, ...] | None = None) -> str:
    """``name = value, ...``: what matters of learning; with `keep`, these and what differs from its default."""
    shown = getattr(options, "shown", None) or [
        field.name
        for field in dataclasses.fields(options)
        if keep is None or field.name in keep or getattr(options, field.name) != field.default
    ]
    return ", ".join(f"{name} = {text_of(getattr(options, name))}" for name in shown if getattr(options, name) != ())


def check_agreement(given: dict[str, Any], path: str, *own: Any) -> None:
    """Raise OptionError where an option that was given is not the model's `own`, in one of these dataclasses."""
    for options in own:
        for field in dataclasses.fields(options):
            ours = getattr(options, field.name)
            asked = given.get(field.name, ours)
            if field.name in WRITTEN or (field.name == "format" and ("auto" in (asked, ours) or _alike(asked, ours))):
                continue
            if asked != ours and not (isinstance(ours, tuple) and tuple(asked) == ours):
                name = flags(field)[-1].removeprefix("--")
                if name.startswith("no") and isinstance(ours, bool) and ours == field.default:
                    asked, ours = ours, asked  # the flag says no, the field yes
                raise OptionError(
                    f"{name} = {text_of(asked)} is asked for, but the model {path} has {name} = {text_of(ours)}: "
                    "a model keeps its options; leave the flag out, or train a new model without -i"
                )


def check_format(format: str, source: str, text: TextOptions, path: str | None) -> None:
    """Raise InputError where the `format` of the data is not that of the model from `path`."""
    if text.format not in (format, "auto") and not _alike(text.format, format):
        raise InputError(
            source, None, None, f"{format} text",
            f"{text.format} text, which the model {path} has learned from; "
            f"if it was mistaken, give --format {text.format}{' or vw' if text.format == 'json' else ''}",
        )  # fmt: skip


def _alike(one: str, other: str) -> bool:
    return any({one, other} <= each for each in ALIKE)
