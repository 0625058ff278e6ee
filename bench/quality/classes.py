"""Several classes: each against all others, and classes that share a learner, beside Vowpal Wabbit's ``--oaa`` and
scikit-learn's SGDClassifier."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import os
import time

import numpy as np
import scipy.sparse as sp

from bench.quality import sets
from bench.quality.measures import error_ratio, geometric
from bench.quality.ours import BATCH
from bench.quality.peers import VW, fingerprint, installed, kept
from bench.quality.report import Goal, Table, averages, no_scores
from bench.quality.sets import DataSet
from sonlearn import Learner, LearnOptions, SonlearnError, from_scipy

#: Rows of a measurement, unless told.
LIMIT = 10_000
#: Vowpal Wabbit's settings, untuned; the first is its default.
VARIANTS = {"VW": "", "logistic": " --loss_function logistic", "hinge": " --loss_function hinge"}
#: Of ``--multinomial``: the sketched default, and the fastest.
SHARED = {"softmax fd": "fd-son", "softmax nag": "nag"}


def judged(options: LearnOptions, data: DataSet) -> tuple[float, float, float]:
    """(wrong rows, mean log loss, seconds) of one progressive pass; a learner that refuses is wrong from then on."""
    learner = Learner(options, threads=len(os.sched_getaffinity(0)))
    wrong, loss, n = 0, 0.0, len(data.y)
    batches = [from_scipy(data.X[i : i + BATCH], data.y[i : i + BATCH]) for i in range(0, n, BATCH)]
    started, done = time.perf_counter(), 0
    try:
        for batch in batches:
            out = learner.partial_fit(batch)
            wrong, loss, done = wrong + int((out.prediction != batch.y).sum()), loss + out.loss.sum(), done + batch.n
    except SonlearnError as error:
        print(f"    refused: {error}")
    return float(wrong + n - done), float(loss / n) if done == n else np.nan, time.perf_counter() - started


def sgd(data: DataSet, classes: int, fresh: bool) -> np.ndarray:
    """Progressive predictions float64[n] of SGDClassifier as it comes, row by row; before the first row: class 1."""
    version = importlib.metadata.version("scikit-learn")
    key = fingerprint("SGDClassifier, seed 0", version, data.X.indptr, data.X.indices, data.X.data, data.y)
    return kept(data.name, key, fresh, lambda: _sgd(sp.csr_array(data.X), data.y, classes))


def _sgd(X: sp.csr_array, y: np.ndarray, classes: int) -> np.ndarray:
    from sklearn.linear_model import SGDClassifier

    model, said = SGDClassifier(random_state=0), np.ones(len(y))
    every, X = np.arange(1.0, classes + 1), sp.csr_matrix(X)
    for i in range(len(y)):
        if i:
            said[i] = model.predict(X[i])[0]
        model.partial_fit(X[i], y[i : i + 1], classes=every)
    return said


def classes(run) -> list[Goal]:
    """Error of one pass on every set of several classes, and how long ours takes."""
    names = run.load(sets.CLASSES)
    if not names:
        return []
    peers = [*(VARIANTS if run.vw else []), *(["SGD"] if installed("sklearn") else [])]
    columns = [*peers[1:], *run.settings, *SHARED]
    own = [f"{heading}, {what}" for what in ("error", "log loss", "us a row") for heading in (*run.settings, *SHARED)]
    headings = ["data", "classes", "rows", "VW", *columns, *own]
    table = Table("Several classes: error of one pass, relative to VW's --oaa", headings)
    scores, first = no_scores(), next(iter(run.settings))
    for name in names:
        data, K = sets.load_classes(name, run.limit or LIMIT)
        wrong = {}
        if run.vw:
            vw = VW(data, fresh=run.fresh)
            outs = {heading: vw.predict(f"-b 20 --oaa {K}{words}") for heading, words in VARIANTS.items()}
            wrong = {heading: float((out != data.y).sum()) for heading, out in outs.items()}
        if "SGD" in peers:
            wrong["SGD"] = float((sgd(data, K, run.fresh) != data.y).sum())
        ours = {heading: judged(dataclasses.replace(options, oaa=K), data) for heading, options in run.settings.items()}
        ours |= {
            heading: judged(LearnOptions(method=method, multinomial=K), data) for heading, method in SHARED.items()
        }
        wrong |= {heading: found[0] for heading, found in ours.items()}
        base, n = wrong.get("VW", np.nan), len(data.y)
        ratios = [error_ratio(wrong[column], base) for column in columns]
        unit = (1 / n, 1.0, 1e6 / n)
        own = [found[i] * unit[i] for i in range(3) for found in ours.values()]
        table.row(data.name, K, n, base / n, *ratios, *own)
        scores.add(data.name, data.kind, ratios)
    averages(table, scores, 4)
    i = columns.index(first)
    return [
        Goal("geometric mean of error, several classes", 0.65, geometric(scores.column(i))),
        Goal("error of the worst set, several classes", 1.02, *scores.worst(i)),
    ]
