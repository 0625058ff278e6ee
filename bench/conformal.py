"""Coverage of sets and intervals on real streams, in order and shuffled: asked, reached, worst window, and cost.

    python bench/conformal.py [--method nag] [--sets bike-hour,nomao] [--limit 40000]

For each set and each coverage: what was reached over the stream, the worst distance from what was asked in any window
of 2,000 rows, and the mean length of the intervals (size of the sets) from row 500 on; for values also that over the
mean length with a constant scale (the same tracker on |y - p| alone). `time`: what the layer adds, in percent.
Data: $SONLEARN_DATA.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.rows import DATA
from bench.stages import first_rows
from bench.table import Table
from sonlearn import Batch, Learner, LearnOptions, read_batches
from sonlearn.conformal import BOUND, track
from sonlearn.data.batch import joined

VALUES = ("regression/bike-hour", "regression/metro-traffic", "regression/appliances-energy", "regression/kc-house",
          "streams/ailerons", "streams/diamonds", "streams/fifa")  # fmt: skip
CLASSES = ("streams/new_airlines", "streams/nomao", "streams/moving_squares", "svm/a9a", "svm/magic04",
           "svm/letter.scale", "svm/usps")  # fmt: skip
LEVELS, WINDOW, FIRST = (0.8, 0.9, 0.95), 2000, 500


def rows_of(name: str, limit: int, shuffled: bool) -> Batch:
    """The first rows of a set, in their order or another one."""
    batch = joined(list(first_rows(read_batches(str(DATA / f"{name}.svm.gz")), limit))).part(0, limit)
    return batch.at(np.random.default_rng(0).permutation(batch.n)) if shuffled else batch


def options_of(name: str, y: np.ndarray, method: str | None, coverage: float | None) -> LearnOptions:
    """How a set is learned."""
    given = {"method": method, "coverage": coverage}
    if name in VALUES:
        return LearnOptions(**given, loss="squared")
    return LearnOptions(**given) if len(np.unique(y)) == 2 else LearnOptions(**given, classes="auto")


def learned(options: LearnOptions, batch: Batch) -> tuple[Learner, object, float]:
    """(the learner, what it predicted, processor seconds)."""
    learner, begin = Learner(options), time.process_time()
    return learner, learner.partial_fit(batch), time.process_time() - begin


def covered(learner: Learner, said: object, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(bool[n], length or size float64[n])."""
    if said.sets is None:
        return (said.low <= y) & (y <= said.high), said.high - said.low
    if learner.options.several:
        place = {float(label): k for k, label in enumerate(learner.classes)}
        number = np.array([place[label] for label in y.tolist()])
    else:
        number = (y > 0).astype(int)
    return said.sets[np.arange(len(y)), number], said.sets.sum(axis=1).astype(float)


def worst(inside: np.ndarray, asked: float) -> float:
    """The largest distance from what was asked in a window."""
    size = min(WINDOW, len(inside))
    return float(np.abs(np.convolve(inside, np.full(size, 1 / size), "valid") - asked).max())


def constant_scale(p: np.ndarray, y: np.ndarray, alpha: float) -> float:
    """Mean length of intervals whose half-width is the tracked quantile of |y - p|, in units of the first errors."""
    e = np.abs(y - p)
    unit = float(np.median(e[:50])) or 1.0
    v = np.clip(np.log(np.maximum(e / unit, 1e-300)), -BOUND, BOUND)
    now, thetas = np.zeros(1, [("rows", "i8"), ("theta", "f8"), ("steady", "f8")]), np.empty(len(p))
    track(now, v, np.ones(len(p), bool), alpha, thetas)
    return float((2 * unit * np.exp(thetas))[FIRST:].mean())


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", metavar="NAME")
    parser.add_argument("--sets", type=lambda text: text.split(","), default=[], metavar="A,B")
    parser.add_argument("--limit", type=int, default=40_000, metavar="N")
    given = parser.parse_args()
    ratios, apart, windows = [], [], []
    table = Table("", ["set", "rows", *["asked", "reached", "worst", "size", "ratio"] * len(LEVELS), "time"])
    for name in (*VALUES, *CLASSES):
        if given.sets and name.partition("/")[2] not in given.sets:
            continue
        for shuffled in (False, True):
            batch, cells, spent = rows_of(name, given.limit, shuffled), [], 0.0
            learned(options_of(name, batch.y, given.method, 0.5), batch.part(0, 200))
            _, plain, base = learned(options_of(name, batch.y, given.method, None), batch)
            for asked in LEVELS:
                learner, said, seconds = learned(options_of(name, batch.y, given.method, asked), batch)
                inside, size = covered(learner, said, batch.y)
                mean = float(size[FIRST:].mean())
                ratio = mean / constant_scale(plain.prediction, batch.y, 1 - asked) if name in VALUES else np.nan
                ratios.append(ratio)
                apart.append(abs(inside.mean() - asked))
                windows.append(worst(inside, asked))
                spent += seconds / len(LEVELS)
                cells += [str(asked), f"{inside.mean():.4f}", windows[-1], mean, float(ratio)]
            table.row(f"{name}, {'shuffled' if shuffled else 'in order'}", batch.n, *cells, 100 * (spent / base - 1))
    print(f"\nfurthest from what was asked: {max(apart):.4f}; in a window of {WINDOW}: {max(windows):.3f}; "
          f"mean length over that with a constant scale: {np.nanmean(ratios):.3f}")  # fmt: skip


if __name__ == "__main__":
    main()
