"""Batch -> rows as a learner sees them: features numbered by first sight, and further views of the same rows.

Read `view` first, the interface of views and the parts of rows, and docs/views.md, which has the formulas;
`sonlearn.options.views` is the table.

`index`   ids of features -> numbers in the order of first sight: the raw rows of every learner
`scaled`  raw; values weighted and divided: log, lunit, tfidf, zs
`bins`    indicators of the bins of values: bins, bins-z, indicators; log-odds of the classes in their place: odds
`tuples`  what stands together in a row: pairs, triples; or side by side: neighbours
`fourier`  random Fourier features of rows of numbers, beside their z-scores
`codes`, `numbers`  values as words, and numbers for made-up features
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sonlearn.options.views import VIEWS

if TYPE_CHECKING:
    from sonlearn.views.view import View

#: Kind of a view -> its module and class. Modules are imported on first use: each brings kernels along.
_CLASS = {
    "raw": ("scaled", "Raw"), "scaled": ("scaled", "Scaled"), "bins": ("bins", "Bins"), "odds": ("bins", "Odds"),
    "tuples": ("tuples", "Tuples"), "neighbours": ("tuples", "Tuples"), "fourier": ("fourier", "Fourier"),
}  # fmt: skip


def make_view(name: str, **more: Any) -> View:
    """The view that `VIEWS` lists under `name`; `more` are further values, such as `limit`, or others than there."""
    entry = VIEWS[name]
    module, kind = _CLASS[entry.kind]
    return getattr(importlib.import_module(f"sonlearn.views.{module}"), kind)(**(entry.values | more))
