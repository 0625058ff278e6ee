"""The sketch files of version 0.1: one .npz, its member ``header`` JSON as bytes. Read, no longer written.

What has changed since is put in today's terms: a rule's weights had lambda apart and ended before the pivot, what is
now fd-ramp was called mgfd, the places taken were not counted, and Oja kept the squares of what it now keeps.
"""

from __future__ import annotations

import json
import os
import zipfile
from typing import Any

import numpy as np

from sonlearn.errors import ModelFileError


def is_archive(path: str | os.PathLike[str]) -> bool:
    """Whether the file begins as a zip archive does; False where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"PK\x03\x04"
    except OSError:
        return False


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays as `sonlearn.sketch.files` has them now.

    Raises
    ------
    ModelFileError
        No sketch file, a truncated or damaged one, or one of another version.
    """
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop("header").tobytes())
        if header["format"] != "sonlearn sketch":
            raise ValueError(header["format"])
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, TypeError, AttributeError, NotImplementedError):
        raise ModelFileError(f"{path}: not a sketch file, or a truncated or damaged one") from None
    if header.get("version") != 1:
        raise ModelFileError(f"{path}: .npz of version {header.get('version')}; a sketch in .npz has version 1")
    try:
        return _in_todays_terms(header, arrays), arrays
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ModelFileError(f"{path}: a sketch file whose parts do not fit together ({error})") from None


def _in_todays_terms(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    values, counters = dict(header["values"]), dict(header["counters"])
    if "rule" in values:
        rule = values["rule"]
        fixed = arrays["vectors"].shape[0] > 0 and not rule["recycle"]
        counters["taken"] = rule["pivot"] - 1 if fixed else len(arrays["squares"])
        values["rule"] = _rule(**rule)
    if "steps" in arrays:
        arrays["steps"] = np.sqrt(arrays["steps"])
    return {"sketch": header["kind"], "values": values, "counters": counters}


def _rule(*, name: str, rows: int, pivot: int, weights: list[float], lam: float, **others: Any) -> dict[str, Any]:
    return others | {
        "name": {"mgfd": "fd-ramp"}.get(name, name), "buffer": rows, "pivot": pivot, "cap": pivot,
        "weights": [lam * w for w in weights],
    }  # fmt: skip
