"""Sketches by name, from batches, and from their files, which have the format of models (`sonlearn.files.storage`).

The header has ``sketch`` (the class), ``values`` (its settings) and ``counters``. For frequent directions the arrays
are ``squares`` and ``vectors`` (kept directions), ``columns`` (the column of each row of ``vectors``; absent for dense
rows) and the rows since the last shrink, ``raw`` or ``raw_data``, ``raw_indices``, ``raw_indptr``. `Sketch.save` writes
them.
"""

from __future__ import annotations

import inspect
import os
from typing import Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.matrices import to_csr
from sonlearn.errors import InputError, ModelFileError, OptionError
from sonlearn.files import storage
from sonlearn.sketch.base import KIND, Sketch
from sonlearn.sketch.directions import FrequentDirections
from sonlearn.sketch.randomized import Oja, RandomProjection, RowSampling
from sonlearn.sketch.rules import METHODS, RULES

#: Settings that rules pass on.
_OF_RULES = {name: {"recycle"} | ({"lam", "clip"} if name == "mgfd" else set()) for name in RULES}
_OTHERS = {
    "gauss": lambda size, seed=0: RandomProjection(size, 0, seed),
    "sign": lambda size, nonzeros=4, seed=0: RandomProjection(size, min(nonzeros, size), seed),
    "sample": lambda size, seed=0: RowSampling(size, seed),
    "oja": lambda size, step="adaptive": Oja(size, step),
}

_KINDS: dict[str, type[Sketch]] = {cls.kind: cls for cls in (FrequentDirections, RandomProjection, RowSampling, Oja)}


def make_sketch(method: str = "rfd", size: int = 100, *, alpha: float = 0.0, **values: Any) -> Sketch:
    """An empty sketch.

    Parameters
    ----------
    method : one of `METHODS`
    size : int
        l (m in the learner): rows of B; the frequent-directions family keeps at most l - 1 of them.
    alpha : float
        alpha_0 (frequent-directions family only).
    values
        What the method's rule takes (``buffer``, ``share`` of pfd and alpha-fd, ``offset`` ... of mgfd and fd-ramp,
        ``recycle``), ``nonzeros`` of sign, ``seed`` of gauss, sign and sample, ``step`` of oja.

    Raises
    ------
    OptionError
        Unknown method, or a setting that it does not take or that is out of range.
    """
    if method not in METHODS:
        raise OptionError(f"sketch method {method}: expected one of {', '.join(METHODS)}")
    if isinstance(size, bool) or not isinstance(size, int | np.integer):
        raise OptionError(f"sketch size {size!r}: expected a whole number of at least 1")
    make: Any = RULES.get(method) or _OTHERS[method]
    known = set(inspect.signature(make).parameters) - {"size", "values"} | _OF_RULES.get(method, set())
    for name in values:
        if name not in known:
            raise OptionError(f"sketch method {method} has no setting {name}; it takes {', '.join(sorted(known))}")
    if method in RULES:
        return FrequentDirections(make(size, **values), alpha)
    if alpha:
        raise OptionError(f"sketch method {method} has no alpha")
    made: Sketch = make(size, **values)
    return made


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


def take(sketch: Sketch, batch: Batch, first: int) -> Any:
    """Take in the rows of a batch, feature id i being column i - first; returns them as a CSR array.

    Raises
    ------
    InputError
        An index is below `first`, or the sketch does not take a row.
    """
    block = to_csr(batch, first)
    try:
        sketch.update(block, grow=True)
    except InputError as problem:
        line = None if problem.line is None else int(batch.lines[problem.line - 1])
        raise InputError(batch.source, problem.found, problem.expected, line) from None
    return block
