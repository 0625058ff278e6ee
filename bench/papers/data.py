"""The papers' data by name: files of the data folder, and streams that are drawn as a paper says.

A file that is not there is no error: `there` says which names can be had. Nothing takes another set's place under its
name; stand-ins have names of their own (`sms` for [GFD]'s Spam).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from bench import rows
from bench.quality.sets import signs

Matrix = sp.csr_array | np.ndarray


class Files(NamedTuple):
    """Files of the data folder, one below the other, and what becomes of their labels (`keep`: which rows stay).

    `ranges` are (smallest, largest) of each column before LIBSVM scaled it to [-1, 1]: the scaling is undone.
    """

    paths: tuple[str, ...]
    label: Callable[[np.ndarray], np.ndarray] = signs
    keep: Callable[[np.ndarray], np.ndarray] | None = None
    ranges: tuple[tuple[float, float], ...] = ()


def _classes(y: np.ndarray) -> np.ndarray:
    """Labels 1 to K in their order."""
    return np.unique(y, return_inverse=True)[1] + 1.0


def _up_to(last: int) -> Callable[[np.ndarray], np.ndarray]:
    """+1 for classes 1 to `last`."""
    return lambda y: np.where(y <= last, 1.0, -1.0)


#: Ranges of the columns as UCI has them. With them the nonzeros a row are those of [SON] Table 1, to its last digit.
AUSTRALIAN = (
    (0, 1), (13.75, 80.25), (0, 28), (1, 3), (1, 14), (1, 9), (0, 28.5), (0, 1), (0, 1), (0, 67), (0, 1), (1, 3),
    (0, 2000), (1, 100001),
)  # fmt: skip
BREAST_CANCER = ((61634, 13454352), *[(1, 10)] * 9)  # the first column is a number of the patient
DIABETES = ((0, 17), (0, 199), (0, 122), (0, 99), (0, 846), (0, 67.1), (0.078, 2.42), (21, 81))
HEART = (
    (29, 77), (0, 1), (1, 4), (94, 200), (126, 564), (0, 1), (0, 2), (71, 202), (0, 1), (0, 6.2), (1, 3), (0, 3), (3, 7)
)  # fmt: skip

#: Names that are more than one file, or whose labels need a word. Any other name is `svm/NAME`.
FILES = {
    "a9a, all": Files(("svm/a9a", "svm/a9a.t")),
    "australian, raw": Files(("svm/australian_scale",), ranges=AUSTRALIAN),
    "breast-cancer, raw": Files(("svm/breast-cancer_scale",), ranges=BREAST_CANCER),
    "diabetes, raw": Files(("svm/diabetes_scale",), ranges=DIABETES),
    "heart, raw": Files(("svm/heart_scale",), ranges=HEART),
    "letter, A-M, raw": Files(("svm/letter.scale", "svm/letter.scale.t"), _up_to(13), ranges=((0, 15),) * 16),
    "mnist, 4 or 9": Files(("classes/mnist",), _up_to(4), lambda y: np.isin(y, (4, 9))),
    "usps, 10 classes": Files(("svm/usps", "svm/usps.t"), _classes),
    "satimage, 6 classes": Files(("classes/satimage.scale", "classes/satimage.scale.t"), _classes),
}
#: How many rows of such a set are its own training part; the rest are its test part.
TRAIN = {"usps, 10 classes": 7291, "satimage, 6 classes": 4435}


def _files(name: str) -> Files:
    return FILES.get(name, Files((f"svm/{name}",)))


def there(names: Iterable[str]) -> list[str]:
    """Those of `names` that are drawn, or whose files are all in the data folder."""
    return [name for name in names if name.split()[0] in DRAWN or all(_path(p).exists() for p in _files(name).paths)]


def every_binary() -> list[str]:
    """All of svm/ but test parts and connectus, which has no label; classes are taken as odd against even."""
    names = sorted(path.name.removesuffix(".svm.gz") for path in (rows.DATA / "svm").glob("*.svm.gz"))
    return [name for name in names if not name.endswith(".t") and name != "connectus"]


def _path(name: str):
    return rows.DATA / f"{name}.svm.gz"


@lru_cache(maxsize=2)
def whole(name: str) -> tuple[Matrix, np.ndarray]:
    """(X, y) of a set by its name, in the files' order; a name of `DRAWN` is followed by its numbers."""
    word, *numbers = name.split()
    if word in DRAWN:
        return DRAWN[word](*map(float, numbers))
    parts = [rows.read(_path(path)) for path in _files(name).paths]
    columns = max(X.shape[1] for X, _ in parts)
    for X, _ in parts:
        X.resize((X.shape[0], columns))
    X, y = sp.csr_array(sp.vstack([X for X, _ in parts])), np.concatenate([y for _, y in parts])
    files = _files(name)
    if files.keep:
        X, y = X[files.keep(y)], y[files.keep(y)]
    return (_raw(X, files.ranges) if files.ranges else X), files.label(y)


def _raw(X: sp.csr_array, ranges: tuple[tuple[float, float], ...]) -> sp.csr_array:
    """Columns in [-1, 1] back in their ranges; values of six digits, so what is within rounding of 0 is 0."""
    low, high = np.array(ranges).T
    values = low + (X.toarray() + 1) / 2 * (high - low)
    return sp.csr_array(np.where(np.abs(values) < 1e-6 * (high - low), 0.0, values))


@lru_cache(maxsize=2)
def rows_of(name: str, order: str, limit: int | None, seed: int = 0) -> tuple[Matrix, np.ndarray]:
    """At most `limit` rows of a set: `shuffled`, in the `file`'s order (its first rows), or `sorted` by label."""
    X, y = whole(name)
    chosen = np.arange(len(y)) if order == "file" else np.random.default_rng(seed).permutation(len(y))
    chosen = chosen[:limit]
    if order == "sorted":
        chosen = chosen[np.argsort(y[chosen], kind="stable")]
    return X[chosen], y[chosen]


def trained(name: str, limit: int | None, seed: int = 0) -> tuple[Matrix, np.ndarray, Matrix, np.ndarray]:
    """(X, y) to train on and to test on: the set's own parts, the training rows shuffled; else 70 % of it, shuffled."""
    X, y = rows_of(name, "file" if name in TRAIN else "shuffled", None if name in TRAIN else limit, seed)
    n = TRAIN.get(name, int(0.7 * len(y)))
    chosen = np.random.default_rng(seed).permutation(n)[:limit] if name in TRAIN else np.arange(n)
    return X[chosen], y[chosen], X[n:], y[n:]


# -- drawn ------------------------------------------------------------------------------------------------------------


def ill_conditioned(condition: float, seed: float = 0, n: int = 10_000, d: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """[SON] section 5.1: Gaussian rows, of whose variances d - 10 are 1 and ten rise linearly to `condition`, rotated.

    The labels are the signs of a linear function; they, the rotation and the Gaussians are the same for every
    condition, so that an invariant learner errs the same. All is divided by a number so that |x|^2 is 1 in the mean:
    the paper's steps from 1/8 to 64 are of no use otherwise (Vowpal Wabbit, where it ran, normalises).
    """
    rng = np.random.default_rng(int(seed))
    Z, V = rng.standard_normal((n, d)), np.linalg.qr(rng.standard_normal((d, d)))[0]
    y = np.sign(Z @ rng.standard_normal(d))
    spectrum = np.concatenate([np.ones(d - 10), np.linspace(1, condition, 11)[1:]])
    return Z * np.sqrt(spectrum / spectrum.sum()) @ V.T, y


def low_rank(seed: float = 0, n: int = 10_000, d: int = 500) -> tuple[np.ndarray, np.ndarray]:
    """[ADA] section 4.1: Gaussian rows of mean 1 with eigenvalues 100 / j^2 in random directions; y = b'x, |b| = 1."""
    rng = np.random.default_rng(int(seed))
    V, b = np.linalg.qr(rng.standard_normal((d, d)))[0], rng.standard_normal(d)
    X = 1 + rng.standard_normal((n, d)) * (10 / np.arange(1, d + 1)) @ V.T
    return X, X @ (b / np.linalg.norm(b))


def adversarial(n: float = 3000, d: int = 500, first: int = 400, second: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Two orthogonal subspaces, all rows of the second after all rows of the first ([GFD] sec. 5.2; Desai et al. 2016).

    The first has 400 dimensions and 4/5 of the rows, the second 4 dimensions and the rest; every row has norm 1, so
    that a row of the second alone never stands out from what a sketch has kept of the first. Sizes are our choice.
    """
    n = int(n)
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.standard_normal((d, first + second)))[0]
    n_first = 4 * n // 5
    top = rng.standard_normal((n_first, first)) @ Q[:, :first].T
    A = np.vstack([top, rng.standard_normal((n - n_first, second)) @ Q[:, first:].T])
    return A / np.linalg.norm(A, axis=1, keepdims=True), np.ones(n)


DRAWN = {"ill-conditioned": ill_conditioned, "low-rank": low_rank, "adversarial": adversarial}


def dense(X: Matrix, columns: int | None = None) -> np.ndarray:
    """X as an array, with `columns` only those that many with the most nonzeros."""
    if columns is not None and columns < X.shape[1]:
        counts = np.bincount(X.indices, minlength=X.shape[1])
        X = X[:, np.sort(np.argsort(-counts, kind="stable")[:columns])]
    return X.toarray() if sp.issparse(X) else X
