"""Loading of sketch files, which have the format of model files (`sonlearn.files.storage`) and the kind "sketch".

The header has ``sketch`` (the class), ``values`` (its settings) and ``counters``. For frequent directions the arrays
are ``squares`` and ``vectors`` (kept directions), ``columns`` (the column of each row of ``vectors``; absent for dense
rows) and the rows since the last shrink, ``raw`` or ``raw_data``, ``raw_indices``, ``raw_indptr``. `Sketch.save` writes
them.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from sonlearn.errors import ModelFileError, OptionError
from sonlearn.files import storage
from sonlearn.sketch.base import KIND, Sketch
from sonlearn.sketch.directions import FrequentDirections
from sonlearn.sketch.randomized import Oja, RandomProjection, RowSampling

_KINDS: dict[str, type[Sketch]] = {cls.kind: cls for cls in (FrequentDirections, RandomProjection, RowSampling, Oja)}


def load(path: str | os.PathLike[str]) -> Sketch:
    """Read a sketch; it continues exactly where it was saved.

    Raises
    ------
    ModelFileError
        The file cannot be read, is truncated, damaged, of another kind or version, or does not fit together.
    """
    path = os.fspath(path)
    header, arrays = storage.read(path, kind=KIND)
    try:
        _check(arrays)
        return _KINDS[header["sketch"]].restored(header["values"], header["counters"], arrays)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, OptionError) as error:
        raise ModelFileError(f"{path}: a sketch file whose parts do not fit together ({error})") from None


def _check(arrays: dict[str, Any]) -> None:
    for name, array in arrays.items():
        integer = name in ("columns", "raw_indices", "raw_indptr")
        if array.dtype.kind != ("i" if integer else "f"):
            raise ValueError(f"{name} is of type {array.dtype}")
        if not integer and name != "keys" and not np.isfinite(array).all():
            raise ValueError(f"{name} is not finite")
