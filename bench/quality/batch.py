"""Final models beside scikit-learn's boosted trees, which see the training part as often as they like.

Gradient boosted trees (HistGradientBoosting) as they come, on numbers. Ours has seen every row once. Test parts are the
files `.t`, or a quarter of the rows, drawn with a seed; absent features are given to trees as 0.
"""

from __future__ import annotations

import importlib.metadata
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from bench.processes import installed
from bench.quality import sets
from bench.quality.measures import error_ratio, errors, squared
from bench.quality.ours import for_values, judge
from bench.quality.peers import fingerprint, kept
from bench.quality.report import Goal
from bench.quality.sections import LIMIT, Run
from bench.quality.sets import DataSet
from bench.table import Table

#: Trees of wide rows take minutes, and gain little.
MOST_COLUMNS = 2_000
TREES = "boosted trees"


class Split(NamedTuple):
    """A training part and a test part of one set."""

    train: DataSet
    test: DataSet


def split(name: str, limit: int | None) -> Split:
    """The parts of a set: as files, or three quarters and a quarter of the rows in the order of learning."""
    data = sets.load(name, limit)
    if name in sets.WITH_TEST and sets.path_of(f"{name}.t").exists():
        test = sets.load_test(name, limit)
        width = max(data.X.shape[1], test.X.shape[1])
        X, other = (sp.csr_array((p.X.data, p.X.indices, p.X.indptr), (p.X.shape[0], width)) for p in (data, test))
        return Split(data._replace(X=X), test._replace(X=other))
    # not the seed of the shuffle before, which would choose the beginning of the file
    chosen = np.random.default_rng(1).permutation(len(data.y)) < len(data.y) // 4
    return Split(
        data._replace(X=data.X[np.flatnonzero(~chosen)], y=data.y[~chosen]),
        data._replace(X=data.X[np.flatnonzero(chosen)], y=data.y[chosen]),
    )


def trees(parts: Split, fresh: bool) -> np.ndarray:
    """float64[rows of the test part]: what boosted trees predict, a value or a number whose sign is the class."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    arrays = [a.astype(np.float64) for part in parts for a in (part.X.indptr, part.X.indices, part.X.data, part.y)]
    key = fingerprint(TREES, importlib.metadata.version("scikit-learn"), *arrays)
    values = parts.train.kind == "regression"
    model = (HistGradientBoostingRegressor if values else HistGradientBoostingClassifier)(random_state=0)

    def predicted() -> np.ndarray:
        fitted = model.fit(parts.train.X.toarray(), parts.train.y)
        return np.asarray(fitted.predict(parts.test.X.toarray()), dtype=np.float64)

    return kept(parts.train.name, key, fresh, predicted)


def error(parts: Split, p: np.ndarray) -> float:
    """1 - R² on the test part, or how many of its rows are wrong."""
    y = parts.test.y
    return squared(p, y) / float(np.var(y)) if parts.train.kind == "regression" else errors(p, y)


def ratio(kind: str, ours: float, theirs: float) -> float:
    """Ratio of two such errors."""
    return ours / theirs if kind == "regression" else error_ratio(ours, theirs)


def batch(run: Run) -> list[Goal]:
    """One table: for each set our final model after one pass, and what boosted trees make of the same parts."""
    if not installed("sklearn"):
        return []
    table = Table(
        "Final models on test parts: errors (values: 1 - R²) of ours after one pass, and relative to boosted trees",
        ["data", "kind", "rows", *run.headings("error"), *run.headings("/ trees"), TREES],
    )
    first, goals, ratios = next(iter(run.settings)), [], {}
    for name in run.load(sets.NUMBERS + sets.REGRESSION):
        parts = split(name, run.limit or LIMIT)
        kind, y = parts.train.kind, parts.test.y
        own = {}
        for heading, options in run.settings.items():
            options = for_values(options) if kind == "regression" else options
            own[heading] = error(parts, judge(options, parts.train.X, parts.train.y, test=parts.test.X).prediction)
        narrow = parts.train.X.shape[1] <= MOST_COLUMNS
        theirs = error(parts, trees(parts, run.fresh)) if narrow else np.nan
        scale = 1.0 if kind == "regression" else len(y)
        table.row(
            parts.train.name, kind, len(parts.train.y), *(e / scale for e in own.values()),
            *(ratio(kind, e, theirs) for e in own.values()), theirs / scale,
        )  # fmt: skip
        ratios.setdefault(kind, []).append((ratio(kind, own[first], theirs), parts.train.name))
    wanted = {"numbers": ("median error / boosted trees', numbers", 1.0),
              "regression": ("median 1 - R² / boosted trees'", 1.15)}  # fmt: skip
    for kind, found in ratios.items():
        middle = float(np.nanmedian([each for each, _ in found]))
        goals.append(Goal(*wanted[kind], middle, "worst: {1} {0:.2f}".format(*max(found))))
    return goals
