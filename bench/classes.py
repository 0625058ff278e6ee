"""Time of several classes: microseconds a row against the number of classes, beside Vowpal Wabbit's --oaa.

    python bench/classes.py [--rows N] [--sets dna.scale,letter.scale,news20.mc,made]

A row of the table is a data set: dna (3 classes), letter (26), news20 (20), and a made-up stream of 100 classes, whose
rows have 20 words, half of them from the 7 of their class. Each learner runs in a process of its own, first over a few
rows to compile, then over the first N rows (default 3,000) in a seeded order, as many threads as there are cores:
microseconds of processor time a row, all threads together, the progressive error, and megabytes of memory at most. The
data are not part of the project (bench/rows.py says where they are looked for).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[1])]
from rows import DATA, read, shuffled  # noqa: E402

from sonlearn import Learner, LearnOptions, from_scipy  # noqa: E402

SETS = ("dna.scale", "letter.scale", "news20.mc", "made")
BATCH, WARM = 1000, 40
#: Heading -> what K classes are learned with; None: Vowpal Wabbit.
LEARNERS = {
    "VW --oaa": None,
    "--oaa": lambda K: {"oaa": K},
    "--oaa nag": lambda K: {"oaa": K, "method": "nag"},
    "--multinomial": lambda K: {"multinomial": K},
    "--multinomial nag": lambda K: {"multinomial": K, "method": "nag"},
}


def made(n: int, K: int = 100, d: int = 2000, s: int = 20) -> tuple[sp.csr_array, np.ndarray]:
    """(X, y) of a made-up stream."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, n)
    own, any_ = (y[:, None] * 7 + rng.integers(0, 7, (n, s))) % d, (d * rng.random((n, s)) ** 2).astype(int)
    columns = np.where(rng.random((n, s)) < 0.5, own, any_)
    X = sp.csr_array((np.ones(n * s), (np.repeat(np.arange(n), s), columns.ravel())), shape=(n, d))
    X.sum_duplicates()
    return X, y + 1.0


def load(name: str, n: int) -> tuple[sp.csr_array, np.ndarray, int]:
    """(X, y from 1 to K, K)."""
    if name == "made":
        return *made(n), 100
    X, y = read(DATA / "svm" / f"{name}.svm.gz")
    labels, y = np.unique(y, return_inverse=True)
    return *shuffled(X, y + 1.0, n), len(labels)


def vw(X: sp.csr_array, y: np.ndarray, K: int) -> tuple[float, float]:
    """(microseconds a row, error) of Vowpal Wabbit's binding, its examples parsed before."""
    import vowpalwabbit

    model = vowpalwabbit.Workspace(f"-b 20 --oaa {K} --quiet")
    lines = []
    for i in range(len(y)):
        row = slice(X.indptr[i], X.indptr[i + 1])
        pairs = zip(X.indices[row].tolist(), X.data[row].tolist(), strict=True)
        lines.append(f"{y[i]:.0f} | {' '.join(f'{j + 1}:{x:.9g}' for j, x in pairs)}")
    examples = [model.parse(line, vowpalwabbit.LabelType.MULTICLASS) for line in lines]
    wrong, started = 0, time.process_time()
    for example, label in zip(examples, y, strict=True):
        model.learn(example)
        wrong += example.get_prediction(vowpalwabbit.PredictionType.MULTICLASS) != label
    return 1e6 * (time.process_time() - started) / len(y), wrong / len(y)


def ours(options: dict, X: sp.csr_array, y: np.ndarray) -> tuple[float, float]:
    """(microseconds a row, error)."""
    Learner(LearnOptions(**options)).partial_fit(from_scipy(X[:WARM], y[:WARM]))
    learner, wrong = Learner(LearnOptions(**options), threads=len(os.sched_getaffinity(0))), 0
    batches = [from_scipy(X[i : i + BATCH], y[i : i + BATCH]) for i in range(0, len(y), BATCH)]
    started = time.process_time()
    for batch in batches:
        wrong += int((learner.partial_fit(batch).prediction != batch.y).sum())
    return 1e6 * (time.process_time() - started) / len(y), wrong / len(y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=3000, metavar="N")
    parser.add_argument("--sets", default=",".join(SETS), metavar="A,B")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)  # a set and the number of a learner
    given = parser.parse_args()
    if given.one:
        X, y, K = load(given.one[0], given.rows)
        options = list(LEARNERS.values())[int(given.one[1])]
        found = vw(X, y, K) if options is None else ours(options(K), X, y)
        print(json.dumps([*found, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
        return
    print(f"| us a row / error / MB | {' | '.join(LEARNERS)} |\n|{'---|' * (len(LEARNERS) + 1)}")
    for name in given.sets.split(","):
        cells = []
        for i in range(len(LEARNERS)):
            call = [sys.executable, __file__, "--rows", str(given.rows), "--one", name, str(i)]
            done = subprocess.run(call, capture_output=True, text=True)
            if done.returncode:
                cells.append("-")
                continue
            us, error, megabytes = json.loads(done.stdout.splitlines()[-1])
            cells.append(f"{us:.0f} / {error:.3f} / {megabytes:.0f}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
