"""Several classes: the committee, and classes that share a learner, beside Vowpal Wabbit's ``--oaa`` and SGDClassifier.

Everything of ours runs in a process of its own, first over a few rows to compile. Log losses are relative to those of
VW's ``--loss_function logistic --probabilities``; calibration is the expected calibration error of the likeliest class
in ten bins; microseconds are of processor time, all threads together, without parsing; MB what the process took at
most. The set ``made`` (only when asked for) has 1,000 classes, and rows of 20 words, half of them from the 7 of their
class.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import math
import multiprocessing
import os
import resource
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from bench.processes import installed
from bench.quality import sets
from bench.quality.measures import error_ratio, geometric
from bench.quality.ours import batches_of
from bench.quality.peers import VW, fingerprint, kept
from bench.quality.report import Goal, Scores, averages
from bench.quality.sections import Run
from bench.quality.sets import DataSet
from bench.table import Table
from bench.workloads import lines_of
from sonlearn import Learner, LearnOptions, SonlearnError, from_scipy

#: Rows of a measurement, unless told; rows that are learned beforehand; bins of the calibration; classes of ``made``.
LIMIT, WARM, BINS, MADE = 10_000, 40, 10, 1000
#: Of ``--multinomial``: the sketched default, and the fastest.
SHARED = {"softmax fd": "fd-son", "softmax nag": "nag"}


def made(n: int, K: int = MADE, d: int = 20_000, s: int = 20) -> DataSet:
    """Made-up rows with labels from 1 to K."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, n)
    own, any_ = (y[:, None] * 7 + rng.integers(0, 7, (n, s))) % d, (d * rng.random((n, s)) ** 2).astype(int)
    columns = np.where(rng.random((n, s)) < 0.5, own, any_)
    X = sp.csr_array((np.ones(n * s), (np.repeat(np.arange(n), s), columns.ravel())), shape=(n, d))
    X.sum_duplicates()
    return DataSet("made", "text", X, y + 1.0)


def calibration_error(p: np.ndarray, right: np.ndarray) -> float:
    """Expected calibration error of probabilities p, float64[n], of what was right or not, bool[n]."""
    at = np.minimum((p * BINS).astype(int), BINS - 1)
    gaps = [abs(p[at == b].mean() - right[at == b].mean()) * (at == b).mean() for b in range(BINS) if (at == b).any()]
    return float(sum(gaps))


def ours(options: LearnOptions, X: sp.csr_array, y: np.ndarray) -> list[float]:
    """[wrong rows, mean log loss, calibration error, microseconds a row, megabytes] of one progressive pass.

    A learner that refuses a row has every row wrong.
    """
    Learner(options).partial_fit(from_scipy(X[:WARM], y[:WARM]))
    learner, n = Learner(options, threads=len(os.sched_getaffinity(0))), len(y)
    batches = batches_of(X, y)
    began = time.process_time()
    try:
        outs = [learner.partial_fit(batch) for batch in batches]
    except SonlearnError as error:
        print(f"    refused: {error}")
        return [float(n), np.nan, np.nan, np.nan, peak()]
    us = 1e6 * (time.process_time() - began) / n
    right = np.concatenate([out.prediction for out in outs]) == y
    top = np.concatenate([out.probabilities.max(axis=1, initial=0.0) for out in outs])
    loss = float(np.concatenate([out.loss for out in outs]).mean())
    return [float((~right).sum()), loss, calibration_error(top, right), us, peak()]


def peak() -> float:
    """Megabytes that this process has taken at most; ``ru_maxrss`` begins with those of its parent."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return float(lines["VmHWM"].split()[0]) / 1024


def logistic(data: DataSet, K: int) -> np.ndarray:
    """[wrong rows, mean log loss, calibration error] of Vowpal Wabbit with ``--probabilities``."""
    import vowpalwabbit

    model, n = vowpalwabbit.Workspace(f"-b 20 --oaa {K} --loss_function logistic --probabilities --quiet"), len(data.y)
    loss, top, right = 0.0, np.zeros(n), np.zeros(n, bool)
    for i, (label, features) in enumerate(lines_of([(sp.csr_array(data.X), data.y)], digits=9)):
        example = model.parse(f"{int(label)} | {features}", vowpalwabbit.LabelType.MULTICLASS)
        model.learn(example)
        p, own = np.array(example.get_prediction(vowpalwabbit.PredictionType.SCALARS)), int(label) - 1
        loss -= math.log(max(p[own], 1e-12))
        top[i], right[i] = p.max(), p.argmax() == own
        model.finish_example(example)
    return np.array([(~right).sum(), loss / n, calibration_error(top, right)])


def sgd(data: DataSet, K: int) -> np.ndarray:
    """Progressive predictions float64[n] of SGDClassifier as it comes, row by row; before the first row: class 1."""
    from sklearn.linear_model import SGDClassifier

    model, said = SGDClassifier(random_state=0), np.ones(len(data.y))
    every, X = np.arange(1.0, K + 1), sp.csr_matrix(data.X)
    for i in range(len(said)):
        if i:
            said[i] = model.predict(X[i])[0]
        model.partial_fit(X[i], data.y[i : i + 1], classes=every)
    return said


def peers(run: Run, data: DataSet, K: int) -> tuple[dict[str, float], np.ndarray]:
    """({peer: wrong rows}, [log loss, calibration error] of Vowpal Wabbit's probabilities)."""
    wrong, odds, arrays = {}, np.full(2, np.nan), (data.X.indptr, data.X.indices, data.X.data, data.y)
    if run.vw:
        vw = VW(data, fresh=run.fresh)
        for name, words in {"VW": "", "hinge": " --loss_function hinge"}.items():
            wrong[name] = float((vw.predict(f"-b 20 --oaa {K}{words}") != data.y).sum())
        key = fingerprint("logistic", K, importlib.metadata.version("vowpalwabbit"), *arrays)
        wrong["logistic"], *odds = kept(f"{data.name}-classes", key, run.fresh, lambda: logistic(data, K)).tolist()
    if installed("sklearn"):
        key = fingerprint("SGDClassifier, seed 0", importlib.metadata.version("scikit-learn"), *arrays)
        wrong["SGD"] = float((kept(data.name, key, run.fresh, lambda: sgd(data, K)) != data.y).sum())
    return wrong, np.array(odds)


def classes(run: Run) -> list[Goal]:
    """Print a line for each set of several classes."""
    names = run.load(sets.CLASSES) + ["made"] * ("made" in run.wanted)
    if not names:
        return []
    own = [*run.settings, *SHARED]
    columns = ["logistic", "hinge", "SGD", *own]
    measures = [f"{name}, {what}" for what in ("log loss", "calibration", "us a row", "MB") for name in own]
    headings = ["data", "classes", "rows", "VW", *columns, "VW's log loss", "calibration", *measures]
    table = Table("Several classes: error of one pass, relative to VW's --oaa", headings)
    scores = Scores([], [], [])
    for name in names:
        limit = run.limit or LIMIT
        data, K = (made(limit), MADE) if name == "made" else sets.load_classes(name, limit)
        wrong, odds = peers(run, data, K)
        settings = {heading: dataclasses.replace(options, oaa=K) for heading, options in run.settings.items()}
        settings |= {heading: LearnOptions(method=method, multinomial=K) for heading, method in SHARED.items()}
        found = []
        for heading, options in settings.items():
            with multiprocessing.get_context("spawn").Pool(1) as process:
                wrong[heading], loss, *rest = process.apply(ours, (options, data.X, data.y))
            found.append([loss / odds[0], *rest])
        base, n = wrong.get("VW", np.nan), len(data.y)
        ratios = [error_ratio(wrong.get(column, np.nan), base) for column in columns]
        table.row(data.name, K, n, base / n, *ratios, *odds.tolist(), *np.transpose(found).ravel().tolist())
        scores.add(data.name, data.kind, [*ratios, *(cells[0] for cells in found)])
    averages(table, scores._replace(ratios=[each[: len(columns)] for each in scores.ratios]), 4)
    i = columns.index(own[0])
    return [
        Goal("geometric mean of error, several classes", 0.65, geometric(scores.column(i))),
        Goal("error of the worst set, several classes", 1.02, *scores.worst(i)),
        Goal("geometric mean of log loss, several classes", 0.50, geometric(scores.column(len(columns)))),
    ]
