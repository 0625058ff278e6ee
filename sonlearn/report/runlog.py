"""The log of a run: JSON lines, one written for each row as it comes, so that a run that is killed leaves what it said.

The first object of a run says what is run, those of ``"kind": "progress"`` are `sonlearn.report.progress.Row`, the
last one, ``"kind": "end"``, has the results. docs/formats.md lists the fields. A log that is gone on with (--resume)
has one run after the other.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from sonlearn.errors import InputError, shorten

FORMAT = 1
#: Numbers beyond this are written to a log as this, so that squares and sums of what was read are finite.
MAX_NUMBER = 1e150
NUMBER, TEXT, LIST, OBJECT, COUNT = "a number", "a text", "a list", "an object", "a whole number from 0 on"
ANYTHING = "anything"
_CHECKS: dict[str, Callable[[Any], bool]] = {
    NUMBER: lambda value: isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MAX_NUMBER,
    COUNT: lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63,
    TEXT: lambda value: isinstance(value, str),
    LIST: lambda value: isinstance(value, list),
    OBJECT: lambda value: isinstance(value, dict),
    ANYTHING: lambda value: True,
}

# What a field of a log holds: one of the kinds above; a list of what all its items hold; or what an object has by name,
# with "?" where that may be null or missing.
_MEMBERS = [{"name": TEXT, "weight?": NUMBER, "error?": NUMBER, "offline?": NUMBER}]
_WEIGHTS = [{"name": TEXT, "weight": NUMBER}]
_CUT = dict.fromkeys(("threshold", "precision", "recall", "f1", "false_share", "predicted"), NUMBER)
_COVERAGE = {
    "asked": NUMBER, "reached": NUMBER, "lowest?": NUMBER, "highest?": NUMBER, "size?": NUMBER, "curve": [[NUMBER]],
}  # fmt: skip
_METRICS = {
    "kind": TEXT, "positive_label?": TEXT,
    **dict.fromkeys(
        ("weight?", "positive?", "auc?", "auc_error?", "average_precision?", "average_precision_error?", "brier?",
         "calibration_error?", "rmse?", "mae?", "r2?", "mean?", "macro_f1?"), NUMBER,
    ),
    "coverage?": _COVERAGE, "decided?": _CUT, "best_f1?": _CUT, "curve?": [_CUT], "thresholds?": [_CUT],
    "sample?": [[NUMBER]], "classes?": COUNT,
    "worst?": [{"label": TEXT, **dict.fromkeys(("weight", "precision", "recall", "f1"), NUMBER)}],
}  # fmt: skip
_BIN = dict.fromkeys(("low", "high", "weight", "examples", "predicted", "happened"), NUMBER)
_ACTION = {"action": ANYTHING, "cost?": NUMBER, "taken": NUMBER, "share": NUMBER, "given": NUMBER}
_AVERAGES = {"loss": NUMBER, "error": NUMBER}
_FEATURE = {"name": TEXT, "examples": COUNT, "size": NUMBER, "mean": NUMBER}
BEGIN = {
    "sonlearn": TEXT, "format": COUNT, "verb": TEXT, "started": TEXT, "data": [TEXT], "files?": {}, "learn": {},
    "text": {}, "passes": COUNT, "before": COUNT,
}  # fmt: skip
PROGRESS = {
    "pass": COUNT, "examples": COUNT, "weight": NUMBER, "total": NUMBER, "since": NUMBER, "loss?": NUMBER,
    "error?": NUMBER, "since_loss?": NUMBER, "since_error?": NUMBER, "seconds": NUMBER, "read": COUNT,
}  # fmt: skip
END = {
    "ending": TEXT, "seconds": NUMBER, "examples": COUNT, "held_examples": COUNT, "weight": NUMBER, "features": COUNT,
    "loss?": NUMBER, "error?": NUMBER, "constant?": {"prediction": ANYTHING, "loss": NUMBER, "error?": NUMBER},
    "calibration?": {"brier": NUMBER, "bins": [_BIN]},
    "confusion?": {"labels": [TEXT], "counts": [[NUMBER]], "others?": COUNT},
    "combinations?": {"online": _AVERAGES, "offline": _AVERAGES},
    "drift?": {"changes": [COUNT], "short": NUMBER},
    "metrics?": _METRICS, "known?": COUNT, "learned?": COUNT, "members?": _MEMBERS, "weights?": _WEIGHTS,
    "spectra?": [{"name": TEXT, "alpha?": NUMBER, "eigenvalues": [NUMBER]}],
    "classes?": [{"label": TEXT, "examples": COUNT, "members?": _MEMBERS, "weights?": _WEIGHTS}],
    "contributions?": [{"label?": TEXT, "features": [_FEATURE]}],
    "decisions?": {
        "values": [{"name": TEXT, "cost": NUMBER, "error": NUMBER}], "actions": [_ACTION], "others": COUNT,
    },
    "warnings?": [TEXT],
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


def bounded(value: float) -> float | None:
    """A number for a log: null for inf and nan, none beyond `MAX_NUMBER` in magnitude."""
    return max(min(value, MAX_NUMBER), -MAX_NUMBER) if math.isfinite(value) else None


def spelt(value: float) -> float | str:
    """A number for a reader: "inf", "-inf" and "nan" as text."""
    return value if math.isfinite(value) else str(value)


def jsonable(value: Any, number: Callable[[float], float | str | None]) -> Any:
    """`value` with dicts, lists, texts and numbers only.

    Parameters
    ----------
    value : dict, list, tuple, array or scalar
        Entries of dicts that can only be called are left out.
    number : callable
        Every float goes through it: `bounded` or `spelt`.
    """
    if isinstance(value, dict):
        return {key: jsonable(item, number) for key, item in value.items() if not callable(item)}
    if hasattr(value, "tolist"):  # an array or a scalar of NumPy
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [jsonable(item, number) for item in value]
    return number(value) if isinstance(value, float) else value


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


def check_value(value: Any, holds: Any, name: str, number: int, where: str = "") -> None:
    """Raise InputError if `value`, the field `where`, does not hold what it should.

    Optional fields that are missing are set to None.
    """
    kind = _kind(holds)
    if not _CHECKS[kind](value):
        raise InputError(name, number, None, f"{shorten(json.dumps(value))} as {where}", kind)
    if isinstance(holds, list):
        for i, item in enumerate(value):
            check_value(item, holds[0], name, number, f"{where}[{i}]")
    elif isinstance(holds, dict):
        for key, inner in holds.items():
            field = key.removesuffix("?")
            place = f"{where}.{field}" if where else field
            if field != key and value.get(field) is None:
                value[field] = None
            elif field in value:
                check_value(value[field], inner, name, number, place)
            else:
                raise InputError(name, number, None, f"no {shorten(place)}", f"{_kind(inner)} of that name")


def _kind(holds: Any) -> str:
    return LIST if isinstance(holds, list) else OBJECT if isinstance(holds, dict) else str(holds)
