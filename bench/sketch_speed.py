"""Sketches against scikit-learn on sparse text, in one run: ``python bench/sketch_speed.py``.

Everyone gets the same rows and ends with k directions and k squared singular values, from which the same two errors are
computed: covariance error ||A'A - V diag(s) V' - alpha I|| / ||A||_F^2, and projection error ||A - A V V'||_F^2 over
the best possible. FD and RFD with l = k + 1 have exactly k directions; "l = 2k" shows what more rows buy (its k best
directions are used for the projection error, all for the covariance error, and alpha where there is one).

One thread (OPENBLAS_NUM_THREADS=1), one warm-up on a few rows, median of the repeats (IncrementalPCA runs once).
IncrementalPCA is given batches of `--batch` rows (its default, 5 d rows, would be the whole text, dense); it centres,
so it is measured against the centred rows.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.decomposition import IncrementalPCA, TruncatedSVD

from bench.rows import DATA, read, shuffled
from bench.table import Table
from sonlearn.sketch import make_sketch
from sonlearn.sketch.accuracy import top_squares


def ours(method: str, size: int, **values):
    """Run a sketch; returns (V', squares, alpha)."""

    def work(A):
        result = make_sketch(method, size, **values).update(A).result()
        V = np.zeros((A.shape[1], len(result.squares)))
        V[result.ids] = result.vectors
        return V, result.squares, result.alpha, None

    return work


def theirs(model):
    """Fit scikit-learn's IncrementalPCA, whose squares are of centred rows, or its TruncatedSVD, which holds all rows.

    (arpack: SciPy's svds.)
    """

    def work(A):
        model.fit(A)
        return model.components_.T, model.singular_values_**2, 0.0, getattr(model, "mean_", None)

    return work


def errors(A, found, k: int, total: float, best: float) -> tuple[float, float]:
    """Covariance error and projection error of (V', squares, alpha, mean)."""
    V, squares, alpha, mean = found
    n, d = A.shape
    top = V[:, np.argsort(-squares)[:k]]
    P = A @ top
    if mean is not None:
        P = P - mean @ top
        total = total - n * float(mean @ mean)

    def apply(v):
        w = A.T @ (A @ v) - V @ (squares * (V.T @ v)) - alpha * v
        return w if mean is None else w - n * mean * (mean @ v)

    norm = abs(leading(apply, d, 1, tol=1e-3, ncv=60)[0])
    return norm / total, (total - float((P**2).sum())) / (total - best)


def leading(apply, d: int, k: int, **given):
    """The k eigenvalues of largest size of a symmetric operator."""
    v0 = np.random.default_rng(0).standard_normal(d)
    return eigsh(LinearOperator((d, d), matvec=apply, dtype=float), k=k, v0=v0, return_eigenvectors=False, **given)


def measure(A, work, repeats: int):
    """Result and median seconds."""
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        found = work(A)
        seconds.append(time.perf_counter() - started)
    return found, float(np.median(seconds))


def centred_best(A, k: int) -> float:
    """Sum of the k largest squared singular values of the centred rows."""
    n, d = A.shape
    mean = np.asarray(A.mean(axis=0)).ravel()
    return float(leading(lambda v: A.T @ (A @ v) - n * mean * (mean @ v), d, k, tol=1e-4).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="rcv1sub.binary,news20.mc")
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("-k", type=int, default=50)
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    k = args.k
    jobs = {
        f"FD l={k + 1}": ours("fd", k + 1), f"RFD l={k + 1}": ours("rfd", k + 1),
        f"RFD l={k + 1} buffer={4 * k}": ours("rfd", k + 1, buffer=4 * k),
        f"RFD l={k + 1} buffer={20 * k}": ours("rfd", k + 1, buffer=20 * k),
        f"RFD l={2 * k}": ours("rfd", 2 * k), f"RFD l={2 * k} buffer={8 * k}": ours("rfd", 2 * k, buffer=8 * k),
        "sparse sign": ours("sign", k), "Oja": ours("oja", k),
        "IncrementalPCA": theirs(IncrementalPCA(k, batch_size=args.batch)),
        "TruncatedSVD randomized": theirs(TruncatedSVD(k, random_state=0)),
        "TruncatedSVD arpack": theirs(TruncatedSVD(k, algorithm="arpack", random_state=0)),
    }  # fmt: skip
    for name in args.data.split(","):
        path = DATA / "svm" / f"{name}.svm.gz"
        if not path.exists():
            print(f"{name}: left out, there is no {path}")
            continue
        A = shuffled(*read(path), args.rows)[0]
        total, best, best_centred = float((A.data**2).sum()), float(top_squares(A, k).sum()), centred_best(A, k)
        n, d = A.shape
        title = f"{name}: {n} rows, {d} columns, {A.nnz / n:.0f} nonzeros a row, k = {k}"
        table = Table(title, ["", "seconds", "us a row", "covariance error", "projection error"])
        for label, work in jobs.items():
            work(A[:300])
            found, seconds = measure(A, work, 1 if label == "IncrementalPCA" else args.repeats)
            c, p = errors(A, found, k, total, best_centred if found[3] is not None else best)
            table.row(label, seconds, round(1e6 * seconds / n), f"{c:.6f}", f"{p:.5f}")


if __name__ == "__main__":
    main()
