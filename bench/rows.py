"""The real data sets, as matrices: the one reader of the data folder for all benches.

The folder is $SONLEARN_DATA, by default ../shared/data beside the project; nothing of it is part of the project.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from bench.workloads import DATA as DATA
from bench.workloads import ROOT as ROOT
from sonlearn import TextOptions, read_batches


def read(path: Path) -> tuple[sp.csr_array, np.ndarray]:
    """(X, y) of a file of LIBSVM or VW text, rows in the file's order, no constant feature.

    LIBSVM's index j is column j - 1. VW's names are numbered in the order of their hashes (40 bits: no two met so far
    share one), and what a row repeats is summed.
    """
    batches = list(read_batches([str(path)], TextOptions(constant=False, bits=40)))
    indptr = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(b.indptr) for b in batches]))])
    indices = np.concatenate([b.indices for b in batches])
    columns = indices - 1 if ".svm" in path.name else np.unique(indices, return_inverse=True)[1]
    X = sp.csr_array((np.concatenate([b.values for b in batches]), columns, indptr))
    X.sum_duplicates()
    return X, np.concatenate([b.y for b in batches])


def shuffled(X: sp.csr_array, y: np.ndarray, limit: int | None = None) -> tuple[sp.csr_array, np.ndarray]:
    """Rows in a seeded random order, at most `limit` of them."""
    order = np.random.default_rng(0).permutation(len(y))[:limit]
    return X[order], y[order]
