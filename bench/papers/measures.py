"""What one cell of a table is: each function takes a job, a dict of JSON values, and gives numbers, another.

A job says ``measure`` (a name of `MEASURES`), ``set``, ``rows`` (at most so many; none: all), ``seed`` and what its
measure asks for. A result never holds NaN: what a learner refused to compute is None.
"""

from __future__ import annotations

import dataclasses
import time
from functools import lru_cache

import numpy as np
import scipy.sparse as sp

from bench.papers import data
from sonlearn import DivergedError, Learner, LearnOptions, from_scipy
from sonlearn.options.methods import METHODS
from sonlearn.sketch import covariance_error, make_sketch
from sonlearn.sketch.accuracy import top_squares

#: Points of a curve over the stream, equally far apart.
POINTS = 40
#: Options that specialise no kernel but are met first with a method: it learns a few rows unmeasured.
_warm: set[str] = set()


def options_of(job: dict) -> LearnOptions:
    """The options of a job; the papers' sketches take every row."""
    options = LearnOptions(**job["options"])
    if "thin" in METHODS[options.method].takes:
        options = dataclasses.replace(options, thin=job["options"].get("thin", 0.0))
    return options


def learn(job: dict) -> dict:
    """One pass of a learner.

    ``options`` of `LearnOptions`, ``order`` of the rows, ``constant`` (feature, default off), ``weight`` (of every
    row, default 1), ``test`` (whether 30 %, or the set's test part, is held out). Gives ``error`` (mistakes made before
    the label was used, a prediction of 0 being one), ``loss`` (the mean one, at first sight), ``test`` (error), both
    over the stream (``errors``, ``losses``), and ``seconds`` of processor time an example.
    """
    key = (job["set"], job.get("order", "shuffled"), job.get("rows"), job.get("seed", 0), job.get("constant", False))
    batch, y, test, test_y = _batches(*key, bool(job.get("test")))
    if "weight" in job:
        batch = batch._replace(weight=np.full(batch.n, float(job["weight"])))
    options = options_of(job)
    try:
        if options.method not in _warm:
            Learner(options).partial_fit(batch.part(0, 30))
            _warm.add(options.method)
        learner, started = Learner(options), time.process_time()
        out = learner.partial_fit(batch)
        seconds = (time.process_time() - started) / batch.n
        wrong = _wrong(out.prediction, y, options.several)
        result = {"error": float(wrong.mean()), "errors": curve(wrong), "rows": batch.n, "seconds": seconds}
        if not options.several:
            result |= {"loss": float(out.loss.mean()), "losses": curve(out.loss)}
        if test is not None:
            result["test"] = float(_wrong(learner.predict(test).prediction, test_y, options.several).mean())
    except DivergedError:
        return {"error": None, "diverged": True}
    return result


@lru_cache(maxsize=1)
def _batches(name: str, order: str, limit: int | None, seed: int, constant: bool, test: bool):
    """(batch, y, test batch, test y) of a set."""
    if test:
        X, y, test_X, test_y = data.trained(name, limit, seed)
        return from_scipy(X, y, constant=constant), y, from_scipy(test_X, constant=constant), test_y
    X, y = data.rows_of(name, order, limit, seed)
    return from_scipy(X, y, constant=constant), y, None, None


def _wrong(prediction: np.ndarray, y: np.ndarray, several: bool) -> np.ndarray:
    return (prediction != y if several else prediction * y <= 0).astype(float)


def curve(values: np.ndarray) -> list[float]:
    """Means of the first values, at `POINTS` places."""
    means = np.cumsum(values) / np.arange(1, len(values) + 1)
    return [float(f"{means[i - 1]:.5g}") for i in places(len(values))]


def places(n: int) -> list[int]:
    """How many rows have been seen at each point of a curve."""
    return [max(1, round(n * i / POINTS)) for i in range(1, POINTS + 1)]


def eigenvalues(job: dict) -> dict:
    """[SON] Figure 2, Table 4: largest relative difference of the ten largest eigenvalues, sketch to truth.

    The truth is of the sum of g g' over the rows g that the learner took into its sketch; the rows are rebuilt from its
    predictions. ``options`` (squared loss), ``order``, ``points``: after how many rows. Gives ``errors``, one a point.
    """
    X, y = data.rows_of(job["set"], job.get("order", "shuffled"), job.get("rows"), job.get("seed", 0))
    X = data.dense(X)
    learner, errors, at = Learner(options_of(job)), [], 0
    slopes, stops = np.zeros(len(y)), [min(p, len(y)) for p in job["points"]]
    for stop in stops:
        out = learner.partial_fit(from_scipy(X[at:stop], y[at:stop], constant=False))
        slopes[at:stop], at = 2 * (out.prediction - y[at:stop]), stop
        G = to_sketch(X[:stop], slopes[:stop], learner.options)
        truth = np.linalg.eigvalsh(G.T @ G)[::-1][:10]
        truth = truth[truth > 1e-9 * truth[0]]
        ours = learner.eigenvalues()[: len(truth)]
        ours = np.concatenate([ours, np.zeros(len(truth) - len(ours))])
        errors.append(float(np.max(np.abs(ours - truth) / truth)))
    return {"errors": errors, "points": stops}


def to_sketch(X: np.ndarray, slopes: np.ndarray, options: LearnOptions) -> np.ndarray:
    """The rows that [SON] takes into the sketch: sqrt(sigma + eta_t) l' x, with section 5.2's x where rescaled."""
    if options.scale == "gradients":
        squares = (slopes[:, None] * X) ** 2
        X = X / np.sqrt(0.1 + np.cumsum(squares, axis=0) - squares)
    eta = 1 / np.arange(1, len(X) + 1) if options.eta == "1/t" else np.full(len(X), float(options.eta))
    return np.sqrt(options.resolved_sigma + eta)[:, None] * slopes[:, None] * X


def sketch(job: dict) -> dict:
    """A sketch of a matrix: ``method``, ``size``, ``values``; ``ks`` of projection errors; ``columns``, the most used.

    Gives ``spectral`` (||A'A - B'B - alpha I|| / ||A'A||), ``covariance`` (the same over ||A||_F^2), ``projection``
    (one for each k), ``seconds`` of processor time for all rows, and ``shrinks``.
    """
    A, squares, total = _matrix(job["set"], job.get("rows"), job.get("columns"), bool(job.get("ks")))
    started = time.process_time()
    made = make_sketch(job["method"], job["size"], **job.get("values", {})).update(A)
    seconds = time.process_time() - started
    covariance = covariance_error(made, A)
    result = {"covariance": covariance, "spectral": covariance * total / squares[0], "seconds": seconds}
    result |= {"shrinks": int(made.shrinks), "rows": A.shape[0], "columns": A.shape[1]}
    if "ks" in job:
        result["projection"] = _projections(made, A, total, squares, job["ks"])
    return result


@lru_cache(maxsize=1)
def _matrix(name: str, limit: int | None, columns: int | None, spectrum: bool):
    """(A, its squared singular values or the largest one, their sum)."""
    order = "file" if name.split()[0] in data.DRAWN else "shuffled"
    A = data.rows_of(name, order, limit)[0]
    if columns is not None or A.shape[1] <= 1000:
        A = data.dense(A, columns)
    total = float((A.data**2).sum() if sp.issparse(A) else (A**2).sum())
    return A, np.linalg.svd(A, compute_uv=False) ** 2 if spectrum else top_squares(A, 1), total


def _projections(made, A: np.ndarray, total: float, squares: np.ndarray, ks: list[int]) -> list[float]:
    """||A - A V_k V_k'||_F^2 over the best possible, V_k the k leading directions of the sketch."""
    result = made.result()
    A = A if result.ids is None else A[:, result.ids]
    kept = np.concatenate([[0], np.cumsum(((A @ result.vectors) ** 2).sum(axis=0))])
    best = total - np.concatenate([[0], np.cumsum(squares)])
    floor = np.finfo(float).eps * total * max(A.shape)
    return [float(max(total - kept[min(k, len(kept) - 1)], floor) / max(best[k], floor)) for k in ks]


def vw(job: dict) -> dict:
    """Progressive error of Vowpal Wabbit's OjaNewton, in the file's order: ``size``, ``rate`` (its alpha_inverse).

    ``constant`` (default off) and ``rescaled`` (default on; VW has a --normalize that is on without being given).
    """
    from vowpalwabbit import Workspace

    X, y = data.rows_of(job["set"], "file", job.get("rows"))
    X = sp.csr_array(X)
    flags = f"--sketch_size {job['size']} --alpha_inverse {job['rate']}"
    flags += ("" if job.get("constant") else " --noconstant") + ("" if job.get("rescaled", True) else " --normalize 0")
    learner = Workspace(f"--quiet --loss_function squared -b 18 --OjaNewton {flags}")
    wrong = 0
    for i, label in enumerate(y.tolist()):
        row = slice(X.indptr[i], X.indptr[i + 1])
        pairs = zip((X.indices[row] + 1).tolist(), X.data[row].tolist(), strict=True)
        example = learner.example(f"{label:g} |" + "".join(f" {j}:{x:.9g}" for j, x in pairs))
        learner.learn(example)
        wrong += not example.get_simplelabel_prediction() * label > 0
        learner.finish_example(example)
    learner.finish()
    return {"error": wrong / len(y), "rows": len(y)}


MEASURES = {"learn": learn, "eigenvalues": eigenvalues, "sketch": sketch, "vw": vw}
