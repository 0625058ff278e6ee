"""Final models beside scikit-learn's batch learners, which see the training part as often as they like.

On numbers gradient boosted trees (HistGradientBoosting), on text logistic regression (C = 10) and LinearSVC on tf-idf
(sublinear counts); all as they come. Ours has seen every row once. Test parts are the files `.t`, or a quarter of the
rows, drawn with a seed; absent features are given to trees as 0.
"""

from __future__ import annotations

import importlib.metadata
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from bench.processes import installed
from bench.quality import sets
from bench.quality.measures import error_ratio, errors, geometric, squared
from bench.quality.ours import for_values, judge
from bench.quality.peers import fingerprint, kept
from bench.quality.report import Goal
from bench.quality.sections import LIMIT, Run
from bench.quality.sets import DataSet
from bench.table import Table

#: Trees of wide rows take minutes, and gain little.
MOST_COLUMNS = 2_000
TREES, LOGISTIC, SVC = "boosted trees", "logistic tf-idf", "LinearSVC tf-idf"


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


def peer(name: str, parts: Split, fresh: bool) -> np.ndarray:
    """float64[rows of the test part]: what the model `name` predicts, a value or a number whose sign is the class."""
    arrays = [a.astype(np.float64) for part in parts for a in (part.X.indptr, part.X.indices, part.X.data, part.y)]
    key = fingerprint(name, importlib.metadata.version("scikit-learn"), *arrays)
    return kept(parts.train.name, key, fresh, lambda: _fitted(name, parts))


def _fitted(name: str, parts: Split) -> np.ndarray:
    X, y, T = parts.train.X, parts.train.y, parts.test.X
    if name == TREES:
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        values = parts.train.kind == "regression"
        model = (HistGradientBoostingRegressor if values else HistGradientBoostingClassifier)(random_state=0)
        return np.asarray(model.fit(X.toarray(), y).predict(T.toarray()), dtype=np.float64)
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    weigh = TfidfTransformer(sublinear_tf=True)
    X, T = sp.csr_matrix(X), sp.csr_matrix(T)
    X, T = (weigh.fit_transform(X), weigh.transform(T)) if X.data.min(initial=1.0) > 0 else (X, T)
    model = LogisticRegression(C=10.0, max_iter=1000) if name == LOGISTIC else LinearSVC(random_state=0)
    return np.asarray(model.fit(X, y).predict(T), dtype=np.float64)


def error(parts: Split, p: np.ndarray) -> float:
    """1 - R² on the test part, or how many of its rows are wrong."""
    y = parts.test.y
    return squared(p, y) / float(np.var(y)) if parts.train.kind == "regression" else errors(p, y)


def ratio(kind: str, ours: float, theirs: float) -> float:
    """Ratio of two such errors."""
    return ours / theirs if kind == "regression" else error_ratio(ours, theirs)


def batch(run: Run) -> list[Goal]:
    """One table: for each set our final model after one pass, and what its peers make of the same parts."""
    if not installed("sklearn"):
        return []
    table = Table(
        "Final models on test parts: errors (values: 1 - R²) of ours after one pass, and relative to batch learners",
        ["data", "kind", "rows", *run.headings("error"), *run.headings("/ peer"), TREES, LOGISTIC, SVC],
    )
    first, goals, ratios = next(iter(run.settings)), [], {}
    for name in run.load(sets.TEXT + sets.NUMBERS + sets.REGRESSION):
        parts = split(name, run.limit or LIMIT)
        kind, y = parts.train.kind, parts.test.y
        names = [LOGISTIC, SVC] if kind == "text" else [TREES] if parts.train.X.shape[1] <= MOST_COLUMNS else []

        own = {}
        for heading, options in run.settings.items():
            options = for_values(options) if kind == "regression" else options
            own[heading] = error(parts, judge(options, parts.train.X, parts.train.y, test=parts.test.X).prediction)
        theirs = {each: error(parts, peer(each, parts, run.fresh)) for each in names}
        against = theirs.get(SVC, theirs.get(TREES, np.nan))

        scale = 1.0 if kind == "regression" else len(y)
        table.row(
            parts.train.name, kind, len(parts.train.y), *(e / scale for e in own.values()),
            *(ratio(kind, e, against) for e in own.values()),
            *(theirs.get(each, np.nan) / scale for each in (TREES, LOGISTIC, SVC)),
        )  # fmt: skip
        ratios.setdefault(kind, []).append((ratio(kind, own[first], against), parts.train.name))
    wanted = {"numbers": (np.nanmedian, "median error / boosted trees', numbers", 1.0),
              "regression": (np.nanmedian, "median 1 - R² / boosted trees'", 1.15),
              "text": (geometric, "geometric mean of error / LinearSVC's on tf-idf, text", 0.88)}  # fmt: skip
    for kind, found in ratios.items():
        mean, what, limit = wanted[kind]
        goals.append(
            Goal(what, limit, float(mean([each for each, _ in found])), "worst: {1} {0:.2f}".format(*max(found)))
        )
    return goals
