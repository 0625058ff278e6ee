"""Matrix sketches: small B, alpha with A'A ~ B'B + alpha I, from one pass over the rows of A, dense or sparse.

    from sonlearn.sketch import make_sketch
    sketch = make_sketch("rfd", 100).update(X1).update(X2)
    sketch.matrix(), sketch.alpha, sketch.covariance_error_bound()

`make_sketch` knows every method by name; the frequent-directions family are values of one rule (`sonlearn.sketch.rules`).
"""

from __future__ import annotations

import inspect
from typing import Any

from sonlearn.errors import OptionError
from sonlearn.sketch.base import Result, Sketch
from sonlearn.sketch.directions import FrequentDirections
from sonlearn.sketch.errors import covariance_error, projection_error
from sonlearn.sketch.files import load, save
from sonlearn.sketch.pca import StreamingSVD
from sonlearn.sketch.randomized import Oja, RandomProjection, RowSampling
from sonlearn.sketch.rules import RULES, Rule, gfd

__all__ = [
    "METHODS", "FrequentDirections", "Oja", "RandomProjection", "Result", "RowSampling", "Rule", "Sketch",
    "StreamingSVD", "covariance_error", "gfd", "load", "make_sketch", "projection_error", "save",
]  # fmt: skip

_OTHERS = {
    "gauss": lambda size, seed=0: RandomProjection(size, 0, seed),
    "sign": lambda size, nonzeros=4, seed=0: RandomProjection(size, min(nonzeros, size), seed),
    "sample": lambda size, seed=0: RowSampling(size, seed),
    "oja": lambda size, step="adaptive": Oja(size, step),
}
#: Every method `make_sketch` knows.
METHODS = (*RULES, *_OTHERS)


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
        What the method's rule takes (``buffer``, ``share`` of pfd, ``offset`` ... of mgfd), ``nonzeros`` of sign,
        ``seed`` of gauss, sign and sample, ``step`` of oja.

    Raises
    ------
    OptionError
        Unknown method, or a setting that it does not take or that is out of range.
    """
    if method not in METHODS:
        raise OptionError(f"sketch method {method}: expected one of {', '.join(METHODS)}")
    make = RULES.get(method) or _OTHERS[method]
    known = set(inspect.signature(make).parameters) - {"size", "values"} | ({"recycle"} if method in RULES else set())
    for name in values:
        if name not in known:
            raise OptionError(f"sketch method {method} has no setting {name}; it takes {', '.join(sorted(known))}")
    if method in RULES:
        return FrequentDirections(make(size, **values), alpha)
    if alpha:
        raise OptionError(f"sketch method {method} has no alpha")
    return make(size, **values)
