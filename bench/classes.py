"""Several classes over all sets at hand: the committee beside Vowpal Wabbit's --oaa.

    python bench/classes.py [--rows N] [--sets dna.scale,made,...] [--made K] [--fresh]

A row of the table is a set of `bench.quality.sets.CLASSES`, or ``made``: a made-up stream of K classes (default 1,000)
whose rows have 20 words, half of them from the 7 of their class. The committee runs in a process of its own, first over
a few rows to compile, then once over the first N rows (default 10,000) in a seeded order: progressive error and log
loss relative to VW's (`--oaa K`; for the log loss and the calibration `--loss_function logistic --probabilities`), the
expected calibration error of the likeliest class in ten bins, microseconds of processor time a row, all threads
together (VW's without its parsing), and megabytes of memory at most. VW's figures are kept in bench/out and made anew
with --fresh. The data are not part of the project (bench/rows.py says where they are looked for).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from bench.quality import peers, sets  # noqa: E402
from bench.quality.sets import DataSet  # noqa: E402
from sonlearn import Learner, LearnOptions, from_scipy  # noqa: E402

BATCH, WARM, BINS = 1000, 40, 10
NAMES = {sets.short(name): name for name in sets.CLASSES}


def made(n: int, K: int, d: int = 20_000, s: int = 20) -> tuple[sp.csr_array, np.ndarray]:
    """(X, y from 1 to K) of a made-up stream."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, n)
    own, any_ = (y[:, None] * 7 + rng.integers(0, 7, (n, s))) % d, (d * rng.random((n, s)) ** 2).astype(int)
    columns = np.where(rng.random((n, s)) < 0.5, own, any_)
    X = sp.csr_array((np.ones(n * s), (np.repeat(np.arange(n), s), columns.ravel())), shape=(n, d))
    X.sum_duplicates()
    return X, y + 1.0


def load(name: str, rows: int, K: int) -> tuple[DataSet, int]:
    """(the set, its classes)."""
    if name == "made":
        return DataSet("made", "text", *made(rows, K)), K
    return sets.load_classes(NAMES[name], rows)


def calibration_error(p: np.ndarray, right: np.ndarray) -> float:
    """Expected calibration error of probabilities p, float64[n], of what was right or not, bool[n]."""
    at = np.minimum((p * BINS).astype(int), BINS - 1)
    gaps = [abs(p[at == b].mean() - right[at == b].mean()) * (at == b).mean() for b in range(BINS) if (at == b).any()]
    return float(sum(gaps))


def vw(data: DataSet, K: int, fresh: bool) -> list[float]:
    """[error, log loss, calibration error, microseconds a row] of Vowpal Wabbit, its default and with logistic loss."""
    key = peers.fingerprint("classes", K, data.X.indptr, data.X.indices, data.X.data, data.y)
    found = peers.kept(f"{data.name}-vw-classes", key, fresh, lambda: np.array(_vw(data, K)))
    return [float(value) for value in found]


def _vw(data: DataSet, K: int) -> list[float]:
    import vowpalwabbit

    lines, X = [], sp.csr_array(data.X)
    for i in range(len(data.y)):
        row = slice(X.indptr[i], X.indptr[i + 1])
        pairs = zip(X.indices[row].tolist(), X.data[row].tolist(), strict=True)
        lines.append(f"{data.y[i]:.0f} | {' '.join(f'{j + 1}:{x:.9g}' for j, x in pairs)}")
    model, wrong, seconds = vowpalwabbit.Workspace(f"-b 20 --oaa {K} --quiet"), 0, 0.0
    for start in range(0, len(lines), BATCH):
        labels = data.y[start : start + BATCH]
        examples = [model.parse(line, vowpalwabbit.LabelType.MULTICLASS) for line in lines[start : start + BATCH]]
        began = time.process_time()
        for example in examples:
            model.learn(example)
        seconds += time.process_time() - began
        said = [example.get_prediction(vowpalwabbit.PredictionType.MULTICLASS) for example in examples]
        wrong += int((np.array(said) != labels).sum())
    model = vowpalwabbit.Workspace(f"-b 20 --oaa {K} --loss_function logistic --probabilities --quiet")
    loss, top, right = 0.0, np.zeros(len(lines)), np.zeros(len(lines), bool)
    for i, line in enumerate(lines):
        example = model.parse(line, vowpalwabbit.LabelType.MULTICLASS)
        model.learn(example)
        p = np.array(example.get_prediction(vowpalwabbit.PredictionType.SCALARS))
        own = int(data.y[i]) - 1
        loss -= math.log(max(p[own], 1e-12))
        top[i], right[i] = p.max(), p.argmax() == own
    n = len(lines)
    return [wrong / n, loss / n, calibration_error(top, right), 1e6 * seconds / n]


def in_a_process(data: DataSet, K: int, threads: int) -> subprocess.CompletedProcess:
    """`ours` in a process of its own, which is given the rows, so that making them takes none of its memory."""
    with tempfile.TemporaryDirectory() as folder:
        path, X = Path(folder) / "rows.npz", sp.csr_array(data.X)
        np.savez(path, values=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=data.y, classes=K)
        call = [sys.executable, __file__, "--one", str(path), "--threads", str(threads)]
        return subprocess.run(call, capture_output=True, text=True)


def ours(X: sp.csr_array, y: np.ndarray, K: int, threads: int) -> list[float]:
    """The same of the committee, and megabytes of the process at most."""
    Learner(LearnOptions(oaa=K)).partial_fit(from_scipy(X[:WARM], y[:WARM]))
    learner, n, wrong, loss, seconds = Learner(LearnOptions(oaa=K), threads=threads), len(y), 0, 0.0, 0.0
    top, right = np.zeros(n), np.zeros(n, bool)
    for start in range(0, n, BATCH):
        batch = from_scipy(X[start : start + BATCH], y[start : start + BATCH])
        began = time.process_time()
        out = learner.partial_fit(batch)
        seconds += time.process_time() - began
        wrong, loss = wrong + int((out.prediction != batch.y).sum()), loss + float(out.loss.sum())
        part = slice(start, start + batch.n)
        top[part], right[part] = out.probabilities.max(axis=1, initial=0.0), out.prediction == batch.y
    return [wrong / n, loss / n, calibration_error(top, right), 1e6 * seconds / n, peak()]


def peak() -> float:
    """Megabytes that this process has taken at most; ``ru_maxrss`` begins with those of its parent."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return int(lines["VmHWM"].split()[0]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000, metavar="N")
    parser.add_argument("--sets", default="", metavar="A,B")
    parser.add_argument("--made", type=int, default=1000, metavar="K")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)  # the file with the rows of this process
    given = parser.parse_args()
    if given.one:
        rows = np.load(given.one)
        X = sp.csr_array((rows["values"], rows["indices"], rows["indptr"]), shape=tuple(rows["shape"]))
        print(json.dumps(ours(X, rows["y"], int(rows["classes"]), given.threads)))
        return
    headings = [
        "data",
        "classes",
        "rows",
        "VW's error",
        "error",
        "log loss",
        "ECE, VW",
        "ECE",
        "us, VW",
        "us",
        "us / VW",
    ]
    print(f"| {' | '.join([*headings, 'MB'])} |\n|{'---|' * (len(headings) + 1)}")
    ratios = []
    for name in given.sets.split(",") if given.sets else [*NAMES, "made"]:
        if name != "made" and not sets.chosen([NAMES[name]], []):
            continue
        data, K = load(name, given.rows, given.made)
        done = in_a_process(data, K, given.threads)
        if done.returncode:
            print(f"| {name} | {K} | {done.stderr.splitlines()[-1]} |", flush=True)
            continue
        own, theirs = json.loads(done.stdout.splitlines()[-1]), vw(data, K, given.fresh)
        ratio = [own[i] / max(theirs[i], 1e-12) for i in (0, 1, 3)]
        cells = [f"{theirs[0]:.4f}", f"{ratio[0]:.3f}", f"{ratio[1]:.3f}", f"{theirs[2]:.3f}", f"{own[2]:.3f}"]
        cells += [f"{theirs[3]:.0f}", f"{own[3]:.0f}", f"{ratio[2]:.1f}", f"{own[4]:.0f}"]
        print(f"| {name} | {K} | {len(data.y):,} | {' | '.join(cells)} |", flush=True)
        if name != "made":
            ratios.append(ratio)
    if ratios:
        mean = np.exp(np.mean(np.log(np.maximum(ratios, 1e-12)), axis=0))
        worst = np.max(ratios, axis=0)
        for title, values in ((f"**geometric mean, {len(ratios)} sets**", mean), ("**worst set**", worst)):
            print(f"| {title} | | | | {values[0]:.3f} | {values[1]:.3f} | | | | | {values[2]:.1f} | |")


if __name__ == "__main__":
    main()
