"""Models as the verbs keep them: the file, with names of features and how far a run has come, and the options.

Options of learning and text are those of a new model, or a model's own, with which those that are given have to agree.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any, NamedTuple

import numpy as np

from sonlearn.errors import InputError, ModelFileError, OptionError
from sonlearn.files import storage
from sonlearn.learn.learner import Learner
from sonlearn.options import LearnOptions, RunOptions, TextOptions
from sonlearn.options.spec import flags, text_of
from sonlearn.options.text import NAMESPACED, TABLES, WRITTEN
from sonlearn.text.names import NameTable

#: Formats that give the same features.
COMPATIBLE = (set(TABLES), set(NAMESPACED))


class Unfinished(NamedTuple):
    """A run that was saved before its end.

    Attributes
    ----------
    data : list of str
        Names as they were given.
    passes : int
        How many were wanted.
    number : int
        The pass under way, from 1 on.
    read : int
        Examples read in it.
    lines : int
        Predictions written in all.
    """

    data: list[str]
    passes: int
    number: int
    read: int
    lines: int


class Model(NamedTuple):
    """What a run begins with: nothing, or a model.

    Attributes
    ----------
    names : NameTable
        Names of features.
    learner : Learner, Bandit or None
    unfinished : Unfinished or None
        The run that it was saved in.
    path : str or None
        Its file.
    """

    names: NameTable
    learner: Any = None
    unfinished: Unfinished | None = None
    path: str | None = None


def save_model(path: str, learner: Learner, unfinished: Unfinished | None, names: NameTable) -> None:
    """Write the model, whole or not at all. Raises ModelFileError."""
    header, arrays = contents(learner, names)
    if unfinished is not None:
        header["run"] = unfinished._asdict()
    storage.write(path, header, arrays)


def contents(learner: Learner, names: NameTable) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """(header, arrays) of a model's file, which rests. The arrays may share memory with the learner's."""
    header, arrays = learner.to_arrays()
    text = learner.text
    if header["kind"] == Learner.KIND:
        header["rests"] = True
    if names.known and (text.format in (*TABLES, "json") if text.names is None else text.names):
        header["names"] = [[slot, *known] for slot, known in names.known.items()]
        header["name_counts"] = [[slot, *counts] for slot, counts in names.counts.items()]
    return header, arrays


def load_model(path: str, *, threads: int = 1, decides: bool = False) -> Model:
    """Read a model, of rows or one that `decides`. Raises ModelFileError, which names the file."""
    learner: Any
    if decides:
        from sonlearn.learn.bandits.bandit import Bandit  # which other models need not wait for

        learner, header = Bandit.read(path)
    else:
        learner, header = Learner.read(path, threads=threads)
    try:
        known, counts = (
            {int(slot): values for slot, *values in header.get(field, ())} for field in ("names", "name_counts")
        )
        unfinished = Unfinished(**header["run"]) if header.get("run") is not None else None
        return Model(NameTable(known, counts), learner, unfinished, path)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"{path}: the model's content does not fit together: {error}") from error


def is_bandit(path: str | None) -> bool:
    """Return whether a file holds a model of decisions; False where there is none, or that cannot be told."""
    try:
        return path is not None and storage.kind_of(path) == "bandit"
    except ModelFileError:
        return False


def initial_model(options: RunOptions) -> str | None:
    """The model that a run begins with: with --resume that of -f, if there is one."""
    if options.resume and options.final_regressor is not None and os.path.exists(options.final_regressor):
        return options.final_regressor
    return options.initial_regressor


def initial(options: RunOptions, **how: Any) -> Model:
    """Return what is in that model's file; `how`: see `load_model`. Raises ModelFileError."""
    path = initial_model(options)
    return Model(NameTable()) if path is None else load_model(path, **how)


def run_model(options: RunOptions, given: dict[str, Any], threads: int = 1) -> tuple[Model, LearnOptions, TextOptions]:
    """`initial`, and the options of learning and text: what was `given`, or those of the model, with which that agrees.

    Raises ModelFileError, OptionError.
    """
    model = initial(options, threads=threads)
    if model.path is None:
        learn, text = split(given)
        return model, LearnOptions(**learn), TextOptions(**text)
    if options.testonly:
        model.learner.report_with(**given)
    own = model.learner.options, model.learner.text
    check_agreement(given, model.path, *own)
    return model, *own


def where_to_begin(options: RunOptions, model: Model) -> tuple[bool, Unfinished]:
    """(whether nothing is left of the run that is to be resumed, where the run begins).

    Raises OptionError if another run is to be gone on with than that in which the `model` was saved.
    """
    asked, unfinished = (list(options.data) or ["-"], options.passes), model.unfinished
    if not options.resume or model.path != options.final_regressor or model.path is None:
        return False, Unfinished(*asked, 1, 0, 0)
    begun = asked if unfinished is None else (unfinished.data, unfinished.passes)
    for name, ours, theirs in zip(("data", "passes"), asked, begun, strict=True):
        if ours != theirs:
            shown = [" ".join(value) if isinstance(value, list) else value for value in (theirs, ours)]
            raise OptionError(
                f"--resume: the run that {options.final_regressor} was saved in has {name} = {shown[0]}, "
                f"not {shown[1]}: give the same command as then"
            )
    return unfinished is None, unfinished or Unfinished(*asked, 1, 0, 0)


def split(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what was given of learning, and of text."""
    of_text = {field.name for field in dataclasses.fields(TextOptions)}
    learn = {name: value for name, value in given.items() if name not in of_text}
    return learn, {name: value for name, value in given.items() if name in of_text}


def written_as(text: TextOptions, given: dict[str, Any], own: str) -> TextOptions:
    """Return the options of a model's text for data that are written as was `given`, of its `own` format if not."""
    return dataclasses.replace(text, **{"format": own} | {k: given[k] for k in ("format", *WRITTEN) if k in given})


def settings_text(options: LearnOptions | TextOptions, keep: tuple[str, ...] | None = None) -> str:
    """``name = value, ...``: what matters of learning; with `keep`, these and what differs from its default."""
    shown = getattr(options, "shown", None) or {
        field.name: getattr(options, field.name)
        for field in dataclasses.fields(options)
        if keep is None or field.name in keep or getattr(options, field.name) != field.default
    }
    return ", ".join(f"{name} = {text_of(value)}" for name, value in shown.items() if value != ())


def check_agreement(given: dict[str, Any], path: str, *own: Any) -> None:
    """Raise OptionError where an option that was given is not the model's `own`, in one of these dataclasses."""
    for options in own:
        for field in dataclasses.fields(options):
            ours = getattr(options, field.name)
            asked = given.get(field.name, ours)
            if field.name in WRITTEN or (field.name == "format" and ("auto" in (asked, ours) or _agree(asked, ours))):
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
    if text.format not in (format, "auto") and not _agree(text.format, format):
        of_json = text.format == "json"
        tables = " (CSV of its columns is predicted, not learned)" if of_json and format in TABLES else ""
        raise InputError(
            source, f"{format} text", f"{text.format} text, which the model {path} has learned from{tables}; "
            f"if it was mistaken, give --format {text.format}{' or vw' if of_json else ''}",
        )  # fmt: skip


def _agree(one: str, other: str) -> bool:
    return any({one, other} <= each for each in COMPATIBLE)
