"""How well settings learn: progressive 0/1 error in one pass, relative to Vowpal Wabbit's untuned default.

    python bench/learning.py                         # our default, m = 0, and what else is listed in SETTINGS
    python bench/learning.py "--alpha 10" "--sketch fd --alpha 10"     # settings of your own

Every data set is shuffled once with a fixed seed and cut to at most ROWS rows; classes above two become odd against
even. The last line is the geometric mean of the ratios; below 1 is better than VW's default (squared loss, adaptive,
normalized, invariant). Data sets are read from ../shared/data/svm or $SONLEARN_DATA/svm and left out where absent.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.workloads import OUT, write_rows  # noqa: E402
from sonlearn import Learner, LearnOptions, TextOptions, from_scipy, read_batches  # noqa: E402
from sonlearn.commands.flags import parse  # noqa: E402
from sonlearn.errors import SonlearnError  # noqa: E402

DATA = Path(os.environ.get("SONLEARN_DATA", ROOT.parent / "shared" / "data")) / "svm"
ROWS = 20_000
SETS = [
    "mushrooms", "phishing", "splice", "splice_scale", "australian_scale", "breast-cancer_scale", "diabetes_scale",
    "heart_scale", "ionosphere_scale", "a9a", "spambase", "magic04", "covtype.binary.scale", "kddcup99.10pct",
    "frappe", "sms", "farm-ads", "news20.mc", "rcv1sub.binary", "imdb", "dna.scale", "letter.scale", "usps",
]  # fmt: skip
SETTINGS = ["", "--sketch none", "--sketch-size 5", "--sketch-size 20", "--sketch fd", "--sketch oja"]


def load(name: str) -> tuple[sp.csr_array, np.ndarray]:
    """(X, labels -1/+1), shuffled and cut."""
    batches = list(read_batches([str(DATA / f"{name}.svm.gz")], TextOptions(constant=False)))
    indptr = np.concatenate([[0], *(b.indptr[1:] + at for b, at in zip(batches, _starts(batches), strict=True))])
    indices = np.concatenate([b.indices for b in batches])
    X = sp.csr_array((np.concatenate([b.values for b in batches]), indices - 1, indptr))
    y = np.concatenate([b.y for b in batches])
    if set(np.unique(y)) - {-1.0, 1.0}:
        y = np.where(y % 2 == 1, 1.0, -1.0)
    order = np.random.default_rng(0).permutation(len(y))[:ROWS]
    return X[order], y[order]


def _starts(batches: list) -> np.ndarray:
    return np.cumsum([0, *(len(b.indices) for b in batches[:-1])])


def ours(X: sp.csr_array, y: np.ndarray, options: LearnOptions) -> float:
    """Progressive error rate; 0.5 if the learner diverges."""
    learner = Learner(options)
    try:
        batches = (from_scipy(X[i : i + 2000], y[i : i + 2000]) for i in range(0, len(y), 2000))
        p = np.concatenate([learner.partial_fit(batch).prediction for batch in batches])
    except SonlearnError as error:
        print(f"    {error}")
        return 0.5
    return float(np.mean(np.where(p > 0, 1.0, -1.0) != y))


def vw(name: str, X: sp.csr_array, y: np.ndarray) -> float:
    """Progressive error rate of VW's default; kept under bench/out."""
    OUT.mkdir(exist_ok=True)
    predictions = OUT / f"learning-{name}-{ROWS}.vwp"
    if not predictions.exists():
        data = OUT / "learning.vw"
        write_rows(data, X, y, "{label} | {features}\n")
        command = [sys.executable, "-m", "vowpalwabbit", "-d", str(data), "--quiet", "-b", "20"]
        subprocess.run([*command, "-p", f"{predictions}.part"], check=True, capture_output=True)
        Path(f"{predictions}.part").replace(predictions)
    p = np.loadtxt(predictions)
    return float(np.mean(np.where(p > 0, 1.0, -1.0) != y))


def options_of(setting: str) -> LearnOptions:
    """LearnOptions of command-line words."""
    return LearnOptions(**parse("train", setting.split())[0])


def main() -> None:
    settings = sys.argv[1:] or SETTINGS
    options = [options_of(setting) for setting in settings]
    names = [name for name in SETS if (DATA / f"{name}.svm.gz").exists()]
    if not names:
        raise SystemExit(f"no data sets under {DATA}: set SONLEARN_DATA")
    for i, setting in enumerate(settings):
        print(f"({i}) {setting or 'default'}")
    print(f"{'data':22} {'VW':>7}" + "".join(f"{f'({i})':>7}" for i in range(len(settings))))
    ratios = []
    for name in names:
        X, y = load(name)
        base = vw(name, X, y)
        errors = [ours(X, y, o) for o in options]
        ratios.append([error / base for error in errors])
        print(f"{name:22} {base:7.4f}" + "".join(f"{ratio:7.3f}" for ratio in ratios[-1]), flush=True)
    mean = np.exp(np.mean(np.log(np.maximum(ratios, 1e-3)), axis=0))
    print(f"{'geometric mean':22} {'':7}" + "".join(f"{r:7.3f}" for r in mean))


if __name__ == "__main__":
    main()
