"""The data sets of the bench: binary problems of text and of numbers, regression, and pairs of train and test part.

Labels -1/+1 stay, 0/1 become -1/+1, classes become odd (+1) against even (-1). Rows are shuffled once with a fixed seed
and cut; streams in time keep their order. Left out: imdb.vw (the reviews of `imdb` once more) and connectus (no label).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from bench.rows import DATA, read, shuffled

#: Words, and fields of so many values (frappe, avazu-8k) that rows look like words: many features, few in a row.
TEXT = [
    "svm/sms", "svm/farm-ads", "svm/news20.mc", "svm/rcv1sub.binary", "svm/imdb", "svm/frappe", "svm/avazu-8k",
    "classes/ag-news.t", "classes/trec6", "classes/trec50", "vw/rcv1_small", "vw/0001",
]  # fmt: skip
NUMBERS = [
    "svm/mushrooms", "svm/phishing", "svm/splice", "svm/splice_scale", "svm/australian_scale",
    "svm/breast-cancer_scale", "svm/diabetes_scale", "svm/heart_scale", "svm/ionosphere_scale", "svm/a9a",
    "svm/spambase", "svm/magic04", "svm/covtype.binary.scale", "svm/kddcup99.10pct", "svm/dna.scale",
    "svm/letter.scale", "svm/usps", "classes/gas-drift", "classes/mnist", "classes/optdigits",
    "classes/satimage.scale", "classes/segment.scale", "classes/shuttle.scale", "classes/vowel.scale",
]  # fmt: skip
#: Several classes.
CLASSES = [
    "svm/letter.scale", "svm/usps", "svm/dna.scale", "svm/news20.mc", "classes/ag-news.t", "classes/gas-drift",
    "classes/mnist", "classes/optdigits", "classes/satimage.scale", "classes/segment.scale", "classes/shuttle.scale",
    "classes/trec6", "classes/trec50", "classes/vowel.scale", "vw/reuters52", "vw/vw-ner", "vw/vw-wsj-pos",
]  # fmt: skip
REGRESSION = [
    "regression/abalone_scale", "regression/appliances-energy", "regression/bike-hour", "regression/ccpp",
    "regression/communities-crime", "regression/cpusmall_scale", "regression/elevators", "regression/housing_scale",
    "regression/kc-house", "regression/metro-traffic", "regression/ml-100k", "regression/pol",
    "regression/winequality-white",
]  # fmt: skip
#: Regression streams whose order in time is part of the problem.
IN_ORDER = ("appliances-energy", "bike-hour", "metro-traffic")
#: Sets whose test part is a file `.t` beside the training part.
WITH_TEST = [
    "svm/a9a", "svm/dna.scale", "svm/letter.scale", "svm/splice", "svm/usps", "classes/satimage.scale",
    "classes/shuttle.scale", "classes/vowel.scale",
]  # fmt: skip


class DataSet(NamedTuple):
    """Rows and labels; `kind` is text, numbers or regression."""

    name: str
    kind: str
    X: sp.csr_array
    y: np.ndarray


def path_of(name: str) -> Path:
    """The file of a data set, which may not be there."""
    if name.startswith("vw/"):
        vw = DATA / f"{name}.vw.gz"
        return vw if vw.exists() else DATA / f"{name}.dat.gz"
    return DATA / f"{name}.svm.gz"


def short(name: str) -> str:
    """Name without its folder."""
    return name.rpartition("/")[2]


def chosen(names: list[str], wanted: list[str]) -> list[str]:
    """Those of `names` that are `wanted` (all, where nothing is) and whose file is there; says which are not."""
    names = [name for name in names if not wanted or short(name) in wanted]
    for name in names:
        if not path_of(name).exists():
            print(f"{short(name)}: left out, there is no {path_of(name)}")
    return [name for name in names if path_of(name).exists()]


def load(name: str, limit: int | None) -> DataSet:
    """One data set in the order of learning, at most `limit` rows."""
    X, y = read(path_of(name))
    kind = "regression" if name in REGRESSION else "text" if name in TEXT else "numbers"
    y = y if kind == "regression" else signs(y)
    X, y = (X[:limit], y[:limit]) if short(name) in IN_ORDER else shuffled(X, y, limit)
    return DataSet(short(name), kind, X, y)


def load_classes(name: str, limit: int | None) -> tuple[DataSet, int]:
    """(a data set of several classes in a seeded random order, labelled 1 to K in the order of its labels; K)."""
    X, y = read(path_of(name))
    labels, y = np.unique(y, return_inverse=True)
    X, y = shuffled(X, y + 1.0, limit)
    words = name in TEXT or name.startswith("vw/")
    return DataSet(short(name), "text" if words else "numbers", X, y), len(labels)


def load_test(name: str, limit: int | None) -> DataSet:
    """The test part of a set of WITH_TEST, in the file's order."""
    X, y = read(path_of(f"{name}.t"))
    return DataSet(f"{short(name)}.t", "numbers", X[:limit], signs(y)[:limit])


def signs(y: np.ndarray) -> np.ndarray:
    """Labels -1/+1 of two labels or of classes."""
    values = set(np.unique(y))
    if values <= {-1.0, 1.0}:
        return y
    return np.where(y > 0 if values == {0.0, 1.0} else y % 2 == 1, 1.0, -1.0)
