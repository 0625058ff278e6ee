"""The matrices of the sketching papers that can be had, and what stands in for those that cannot.

Real files come from the data folder (``SONLEARN_DATA``, default ``../shared/data`` beside the project); a missing file
is reported and skipped.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("SONLEARN_DATA", ROOT.parent / "shared" / "data"))
OUT = ROOT / "bench" / "out"


def svmlight(name: str, limit: int | None = None) -> sp.csr_array | None:
    """Rows of a LIBSVM file in a seeded random order, at most `limit` of them; None where the file is absent."""
    from bench.rows import DATA, read, shuffled

    path = DATA / "svm" / f"{name}.svm.gz"
    if not path.exists():
        print(f"{name}: no {path.name} in the data folder, skipped")
        return None
    return shuffled(*read(path), limit)[0]


def adversarial(n: int = 3000, d: int = 500, first: int = 400, second: int = 4) -> np.ndarray:
    """Two orthogonal subspaces, all rows of the second after all rows of the first ([GFD] sec. 5.2; Desai et al. 2016).

    The first has 400 dimensions and 4/5 of the rows, the second 4 dimensions and the rest; every row has norm 1, so
    that a row of the second alone never stands out from what a sketch has kept of the first. Sizes are our choice.
    """
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.standard_normal((d, first + second)))[0]
    n_first = 4 * n // 5
    top = rng.standard_normal((n_first, first)) @ Q[:, :first].T
    A = np.vstack([top, rng.standard_normal((n - n_first, second)) @ Q[:, first:].T])
    return A / np.linalg.norm(A, axis=1, keepdims=True)


def frequent_columns(X: sp.csr_array, count: int) -> np.ndarray:
    """The `count` columns with the most nonzeros, dense."""
    counts = np.bincount(X.indices, minlength=X.shape[1])
    return X[:, np.sort(np.argsort(-counts, kind="stable")[:count])].toarray()


def spam_like(n: int = 3000) -> np.ndarray | None:
    """Instead of [GFD]'s Spam (9,324 e-mails x 499 words): SMS spam, the 499 most frequent words."""
    X = svmlight("sms", n)
    return None if X is None else frequent_columns(X, 499)


def birds_like(n: int = 3000) -> np.ndarray | None:
    """Instead of [GFD]'s Birds (11,788 images x 312 attributes): digits, 256 grey values."""
    X = svmlight("usps", n)
    return None if X is None else X.toarray()
