"""Sketch files: one .npz, written whole or not at all, without pickle.

The archive's member ``header`` is JSON as bytes: {"format", "version", "kind", "values" (the settings), "counters"};
the other members are the arrays of the state, so ``numpy.load(path)`` shows them. For frequent directions: ``squares``
and ``vectors`` (kept directions), ``columns`` (the column of each row of ``vectors``; absent for dense rows) and the
rows since the last shrink, ``raw`` or ``raw_data``, ``raw_indices``, ``raw_indptr``.
"""

from __future__ import annotations

import json
import os
import zipfile
from typing import Any

import numpy as np

from sonlearn.errors import ModelFileError, OptionError
from sonlearn.outputs import whole_file
from sonlearn.sketch.base import Sketch
from sonlearn.sketch.directions import FrequentDirections
from sonlearn.sketch.randomized import Oja, RandomProjection, RowSampling
from sonlearn.sketch.rows import Columns
from sonlearn.sketch.rules import Rule

FORMAT, VERSION = "sonlearn sketch", 1
_KINDS = {cls.kind: cls for cls in (FrequentDirections, RandomProjection, RowSampling, Oja)}


def save(sketch: Sketch, path: str | os.PathLike) -> None:
    """Write `sketch` to `path`, whole or not at all. Raises OSError."""
    counters, arrays = sketch._state()
    counters |= {
        "n_features": sketch.n_features, "n_seen": sketch.n_seen, "frobenius": sketch.frobenius, "dense": sketch._dense,
    }  # fmt: skip
    if sketch._columns is not None:
        arrays["columns"] = sketch._columns.ids
    header = {
        "format": FORMAT, "version": VERSION, "kind": sketch.kind, "values": sketch._values(), "counters": counters,
    }  # fmt: skip
    arrays["header"] = np.frombuffer(json.dumps(header, allow_nan=False).encode(), dtype=np.uint8)
    with whole_file(path) as file:
        np.savez(file, **arrays)


def load(path: str | os.PathLike) -> Sketch:
    """Read a sketch.

    Raises
    ------
    ModelFileError
        The file is truncated, damaged, of another format or version, or does not fit together.
    OSError
        It cannot be opened.
    """
    header, arrays = _read(path)
    if header.get("format") != FORMAT:
        raise ModelFileError(f"{path}: not a sketch file (header says {str(header.get('format'))[:40]!r})")
    if header.get("version") != VERSION:
        raise ModelFileError(f"{path}: format version {header.get('version')}; this release reads version {VERSION}")
    try:
        return _rebuild(header, arrays)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, OptionError) as error:
        raise ModelFileError(f"{path}: a sketch file whose parts do not fit together ({error})") from None


def _read(path: str | os.PathLike) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(arrays.pop("header").tobytes())
        if not isinstance(header, dict):
            raise ValueError("header is not an object")
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, TypeError, AttributeError, NotImplementedError):
        raise ModelFileError(f"{path}: not a sketch file, or a truncated or damaged one") from None
    return header, arrays


def _rebuild(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Sketch:
    values, counters = dict(header["values"]), header["counters"]
    if "rule" in values:
        rule = dict(values["rule"])
        values["rule"] = Rule(**(rule | {"weights": tuple(rule["weights"])}))
    sketch = _KINDS[header["kind"]](**values)
    for name, array in arrays.items():
        integer = name in ("columns", "raw_indices", "raw_indptr")
        if array.dtype.kind != ("i" if integer else "f"):
            raise ValueError(f"{name} is of type {array.dtype}")
        if not integer and name != "keys" and not np.isfinite(array).all():
            raise ValueError(f"{name} is not finite")
    sketch.n_features, sketch.n_seen = counters["n_features"], int(counters["n_seen"])
    sketch.frobenius, sketch._dense = float(counters["frobenius"]), counters["dense"]
    if sketch._dense is False:
        sketch._columns = Columns(arrays["columns"])
    sketch._restore(counters, arrays)
    return sketch
