"""Matrix sketches: small B, alpha with A'A ~ B'B + alpha I, from one pass over the rows of A, dense or sparse.

    from sonlearn.sketch import make_sketch
    sketch = make_sketch("rfd", 100).update(X1).update(X2)
    sketch.matrix(), sketch.alpha, sketch.covariance_error_bound()

`make_sketch` makes a sketch by the name of its method, and `load` reads one. Read `base` first (the interface: rows in,
B out, save). Then read `rules` (the frequent-directions family as values of one shrink), `directions` (the sketch,
its singular values and the shrink). `randomized` has the sketches for comparison, `rows` blocks and
columns. `accuracy` measures errors. The command ``sonlearn sketch`` is in
`sonlearn.commands.sketch`; nothing here reads text or reports.

Names that need NumPy are imported on first use: the command line and the learner read `rules` without it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sonlearn.sketch.rules import METHODS, Rule, SketchOptions, Terms, gfd, terms

if TYPE_CHECKING:
    from sonlearn.sketch.accuracy import covariance_error, projection_error
    from sonlearn.sketch.base import Result, Sketch
    from sonlearn.sketch.directions import FrequentDirections
    from sonlearn.sketch.make import load, make_sketch
    from sonlearn.sketch.randomized import Oja, RandomProjection, RowSampling

_HOME = {
    "FrequentDirections": "directions", "Oja": "randomized", "RandomProjection": "randomized", "Result": "base",
    "RowSampling": "randomized", "Sketch": "base", "covariance_error": "accuracy", "load": "make",
    "make_sketch": "make", "projection_error": "accuracy",
}  # fmt: skip

__all__ = [
    "METHODS", "FrequentDirections", "Oja", "RandomProjection", "Result", "RowSampling", "Rule", "Sketch",
    "SketchOptions", "Terms", "covariance_error", "gfd", "load", "make_sketch", "projection_error",
    "terms",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"sonlearn.sketch.{_HOME[name]}"), name)
    raise AttributeError(f"module 'sonlearn.sketch' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
