"""`Rows`: a batch with its features numbered, as learners take it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

#: Number of the constant feature in rows, while no row that was learned from has had it.
NO_CONSTANT = -2


class Rows(NamedTuple):
    """A batch whose features are numbered from 0 on in the order of their first sight; none occurs twice in a row.

    Rows with a NaN label or of weight 0 are predicted only. The features of such rows that have never been in a row
    that was learned from are left out, or stand there as -1 for views (`sonlearn.views.view`), repeated or not.
    """

    indptr: np.ndarray  # int64[n + 1]
    features: np.ndarray  # int64[nnz]
    values: np.ndarray  # float64[nnz]
    y: np.ndarray  # float64[n]
    weight: np.ndarray  # float64[n]
    base: np.ndarray  # float64[n]
    constant: int = NO_CONSTANT  # number of the constant feature


#: No row at all: with it, an engine makes room for features alone.
NO_ROWS = Rows(
    np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0)
)  # fmt: skip
