"""The log of a run: JSON lines, one written for each row as it comes, so that a run that is killed leaves what it said.

The first object of a run says what is run, those of ``"kind": "progress"`` are `sonlearn.report.progress.Row`, the
last one, ``"kind": "end"``, has the results. docs/formats.md lists the fields. A log that is gone on with (--resume)
has one run after the other.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from sonlearn.errors import InputError, shorten
from sonlearn.files.atomic import LineFile
from sonlearn.report.jsonable import LARGEST, bounded, jsonable

FORMAT = 1
NUMBER, TEXT, LIST, OBJECT, COUNT = "a number", "a text", "a list", "an object", "a whole number from 0 on"
_CHECKS: dict[str, Callable[[Any], bool]] = {
    NUMBER: lambda value: isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST,
    COUNT: lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63,
    TEXT: lambda value: isinstance(value, str),
    LIST: lambda value: isinstance(value, list),
    OBJECT: lambda value: isinstance(value, dict),
}


class Field(NamedTuple):
    """What a field of a log holds: one of the kinds above, or objects (or lists) of fields of their own."""

    kind: str
    inner: Any = None
    optional: bool = False  # may be null or missing


def _maybe(kind: str, inner: Any = None) -> Field:
    return Field(kind, inner, True)


_MEMBERS = _maybe(
    LIST,
    {"name": Field(TEXT), "weight": _maybe(NUMBER), "error": _maybe(NUMBER), "offline": _maybe(NUMBER)},
)
_WEIGHTS = _maybe(LIST, {"name": Field(TEXT), "weight": Field(NUMBER)})
_CUT = dict.fromkeys(("threshold", "precision", "recall", "f1", "false_share", "predicted"), Field(NUMBER))
_METRICS = _maybe(
    OBJECT,
    {
        "kind": Field(TEXT), "positive_label": _maybe(TEXT),
        **dict.fromkeys(
            ("weight", "positive", "auc", "auc_error", "average_precision", "average_precision_error", "brier",
             "calibration_error", "rmse", "mae", "r2", "mean", "macro_f1"), _maybe(NUMBER),
        ),
        "coverage": _maybe(
            OBJECT,
            {
                "asked": Field(NUMBER), "reached": Field(NUMBER), "lowest": _maybe(NUMBER), "highest": _maybe(NUMBER),
                "size": _maybe(NUMBER), "curve": Field(LIST, Field(LIST, Field(NUMBER))),
            },
        ),
        "decided": _maybe(OBJECT, _CUT), "best_f1": _maybe(OBJECT, _CUT),
        "curve": _maybe(LIST, _CUT), "thresholds": _maybe(LIST, _CUT),
        "sample": _maybe(LIST, Field(LIST, Field(NUMBER))), "classes": _maybe(COUNT),
        "worst": _maybe(
            LIST, {"label": Field(TEXT), **dict.fromkeys(("weight", "precision", "recall", "f1"), Field(NUMBER))}
        ),
    },
)  # fmt: skip
BEGIN = {
    "sonlearn": Field(TEXT), "format": Field(COUNT), "verb": Field(TEXT), "started": Field(TEXT),
    "data": Field(LIST, Field(TEXT)), "files": _maybe(OBJECT), "learn": Field(OBJECT), "text": Field(OBJECT),
    "passes": Field(COUNT), "before": Field(COUNT),
}  # fmt: skip
PROGRESS = {
    "pass": Field(COUNT), "examples": Field(COUNT), "weight": Field(NUMBER), "total": Field(NUMBER),
    "since": Field(NUMBER), "loss": _maybe(NUMBER), "error": _maybe(NUMBER), "since_loss": _maybe(NUMBER),
    "since_error": _maybe(NUMBER), "seconds": Field(NUMBER), "read": Field(COUNT),
}  # fmt: skip
END = {
    "ending": Field(TEXT), "seconds": Field(NUMBER), "examples": Field(COUNT), "held_examples": Field(COUNT),
    "weight": Field(NUMBER), "features": Field(COUNT), "loss": _maybe(NUMBER), "error": _maybe(NUMBER),
    "constant": _maybe(OBJECT, {"prediction": Field("anything"), "loss": Field(NUMBER), "error": _maybe(NUMBER)}),
    "calibration": _maybe(
        OBJECT,
        {
            "brier": Field(NUMBER),
            "bins": Field(LIST, dict.fromkeys(("low", "high", "weight", "examples", "predicted", "happened"),
                                              Field(NUMBER))),
        },
    ),
    "confusion": _maybe(
        OBJECT,
        {
            "labels": Field(LIST, Field(TEXT)), "counts": Field(LIST, Field(LIST, Field(NUMBER))),
            "others": _maybe(COUNT),
        },
    ),
    "combinations": _maybe(
        OBJECT, dict.fromkeys(("online", "offline"), Field(OBJECT, {"loss": Field(NUMBER), "error": Field(NUMBER)}))
    ),
    "drift": _maybe(OBJECT, {"changes": Field(LIST, Field(COUNT)), "short": Field(NUMBER)}),
    "metrics": _METRICS, "known": _maybe(COUNT), "learned": _maybe(COUNT), "members": _MEMBERS, "weights": _WEIGHTS,
    "spectra": _maybe(
        LIST, {"name": Field(TEXT), "alpha": _maybe(NUMBER), "eigenvalues": Field(LIST, Field(NUMBER))}
    ),
    "classes": _maybe(
        LIST, {"label": Field(TEXT), "examples": Field(COUNT), "members": _MEMBERS, "weights": _WEIGHTS}
    ),
    "contributions": _maybe(
        LIST,
        {
            "label": _maybe(TEXT),
            "features": Field(
                LIST, {"name": Field(TEXT), "examples": Field(COUNT), "size": Field(NUMBER), "mean": Field(NUMBER)}
            ),
        },
    ),
    "decisions": _maybe(
        OBJECT,
        {
            "values": Field(LIST, {"name": Field(TEXT), "cost": Field(NUMBER), "error": Field(NUMBER)}),
            "actions": Field(
                LIST,
                {"action": Field("anything"), "cost": _maybe(NUMBER),
                 **dict.fromkeys(("taken", "share", "given"), Field(NUMBER))},
            ),
            "others": Field(COUNT),
        },
    ),
    "warnings": _maybe(LIST, Field(TEXT)),
}  # fmt: skip
_KINDS = {"progress": PROGRESS, "end": END}
_LOG = "a log of sonlearn (train --log-json FILE)"


class Run(NamedTuple):
    """One run of a log.

    Attributes
    ----------
    begin : dict
    rows : list of dict
    end : dict, or None of a run that was killed
    notes : list of str
        What a reader should know of the log.
    """

    begin: dict[str, Any]
    rows: list[dict[str, Any]]
    end: dict[str, Any] | None
    notes: list[str]


class RunLog:
    """Writes a log, each line at once. Raises OutputError where a line cannot be written.

    Parameters
    ----------
    path : str
        A file, or one of `STDOUT`; see `sonlearn.files.atomic.LineFile`.
    keep : bool
        Whether an existing log is gone on with; a last line that was cut is cut off.
    """

    def __init__(self, path: str, keep: bool = False):
        self._file = LineFile(path, None if keep else 0)

    def write(self, entry: dict[str, Any]) -> None:
        """Write one object."""
        self._file.write(json.dumps(jsonable(entry, bounded), allow_nan=False).encode() + b"\n")

    def close(self) -> None:
        """Close a file of our own."""
        self._file.close()


def read_run(path: str | os.PathLike[str]) -> Run:
    """The last run of a log; ``-`` is standard input.

    Raises
    ------
    InputError
        It cannot be read or is no such log, with the line.
    """
    name = "<stdin>" if path == "-" else os.fspath(path)
    try:
        with sys.stdin.buffer if path == "-" else open(path, "rb") as file:
            return run_of(file, name)
    except OSError as error:
        raise InputError(name, None, None, (error.strerror or str(error)).lower(), _LOG) from error


def run_of(lines: Any, name: str) -> Run:
    """The last run of the log of these lines (an iterable of bytes); see `read_run`."""
    run, before, cut = None, 0, False
    for number, line in enumerate(lines, 1):
        entry = _parsed(line, name, number)
        if entry is None:
            cut = True
        elif run is None or "sonlearn" in entry:
            _check_begin(entry, name, number)
            before += run is not None
            run = Run(entry, [], None, [])
        else:
            run = _continued(run, entry, name, number)
    if run is None:
        raise InputError(name, None, None, "a cut line and nothing else" if cut else "an empty file", _LOG)
    if before:
        run.notes.append(f"The log holds {before} earlier run{'s' * (before > 1)}, which this one went on from.")
    if run.end is None:
        what = "its last line is cut" if cut else "there is no last line with the results"
        run.notes.append(f"The run was killed, or is still under way: {what}. What is shown is what it had said.")
    return run


def _parsed(line: bytes, name: str, number: int) -> dict[str, Any] | None:
    """The object of a line; None for a last one that was cut."""
    try:
        entry = json.loads(line)
        if isinstance(entry, dict):
            return entry
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        if not line.endswith(b"\n") and line.lstrip().startswith(b"{"):
            return None
    raise InputError(name, number, None, shorten(line.rstrip(b"\r\n")), f"a line of {_LOG}")


def _check_begin(entry: dict[str, Any], name: str, number: int) -> None:
    if "sonlearn" not in entry:
        raise InputError(name, number, None, 'no "sonlearn" in the first object', f"the first line of {_LOG}")
    if isinstance(entry.get("format"), int) and entry["format"] > FORMAT:
        found = f"a log of format {entry['format']}"
        raise InputError(name, number, None, found, f"format {FORMAT}: it was written by a newer sonlearn")
    check_value(entry, BEGIN, name, number)


def _continued(run: Run, entry: dict[str, Any], name: str, number: int) -> Run:
    kind = entry.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        found = "no kind" if kind is None else f"the kind {shorten(str(kind))}"
        raise InputError(name, number, None, found, 'an object of "kind": "progress" or "end"')
    if run.end is not None:
        raise InputError(name, number, None, "a line after the end of the run", "nothing, or another run's first line")
    check_value(entry, _KINDS[kind], name, number)
    if kind == "end":
        return run._replace(end=entry)
    run.rows.append(entry)
    return run


def check_value(value: Any, fields: Any, name: str, number: int, where: str = "") -> None:
    """Raise InputError if `value` is not what `fields` (a Field, or a dict of them by name) says.

    Optional fields that are missing are set to None.
    """
    if isinstance(fields, dict):
        for key, field in fields.items():
            if key in value and not (field.optional and value[key] is None):
                check_value(value[key], field, name, number, f"{where}{key}")
            elif field.optional:
                value[key] = None
            else:
                raise InputError(name, number, None, f"no {shorten(where + key)}", f"{field.kind} of that name")
        return
    if fields.kind in _CHECKS and not _CHECKS[fields.kind](value):
        raise InputError(name, number, None, f"{shorten(json.dumps(value))} as {where}", fields.kind)
    if fields.kind == LIST and fields.inner is not None:
        for i, item in enumerate(value):
            if isinstance(fields.inner, dict) and not isinstance(item, dict):
                raise InputError(name, number, None, f"{shorten(json.dumps(item))} in {where}", OBJECT)
            check_value(item, fields.inner, name, number, f"{where}[{i}]" + "." * isinstance(fields.inner, dict))
    elif fields.inner is not None:
        check_value(value, fields.inner, name, number, f"{where}.")
