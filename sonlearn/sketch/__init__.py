"""Matrix sketches: small B, alpha with A'A ~ B'B + alpha I, from one pass over the rows of A, dense or sparse.

    from sonlearn.sketch import make_sketch
    sketch = make_sketch("rfd", 100).update(X1).update(X2)
    sketch.matrix(), sketch.alpha, sketch.covariance_error_bound()

`make_sketch` knows every method by name; the frequent-directions family is one rule with values (`sketch.rules`).
Names are imported on first use, so that the command line can read `sketch.options` without loading numpy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sonlearn.sketch.options import METHODS, SketchOptions

if TYPE_CHECKING:
    from sonlearn.sketch.accuracy import covariance_error, projection_error
    from sonlearn.sketch.base import Result, Sketch
    from sonlearn.sketch.directions import FrequentDirections
    from sonlearn.sketch.files import load, save
    from sonlearn.sketch.make import make_sketch
    from sonlearn.sketch.pca import StreamingSVD
    from sonlearn.sketch.randomized import Oja, RandomProjection, RowSampling
    from sonlearn.sketch.rules import Rule, gfd

_HOME = {
    "FrequentDirections": "directions", "Oja": "randomized", "RandomProjection": "randomized", "Result": "base",
    "RowSampling": "randomized", "Rule": "rules", "Sketch": "base", "StreamingSVD": "pca",
    "covariance_error": "accuracy", "gfd": "rules", "load": "files", "make_sketch": "make",
    "projection_error": "accuracy", "save": "files",
}  # fmt: skip

__all__ = [
    "METHODS", "FrequentDirections", "Oja", "RandomProjection", "Result", "RowSampling", "Rule", "Sketch",
    "SketchOptions", "StreamingSVD", "covariance_error", "gfd", "load", "make_sketch", "projection_error", "save",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"sonlearn.sketch.{_HOME[name]}"), name)
    raise AttributeError(f"module 'sonlearn.sketch' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
