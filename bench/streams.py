"""Streams that change: the committee beside Vowpal Wabbit and River's adaptive forest, each untuned.

    python bench/streams.py [--limit N] [--sets NAME,...] [--learners NAME,...] [--slow N]

Sets: the seven of data/streams and covtype in the files' order, of two and of seven classes, and made-up streams of
20,000 rows that change at once (at row 10,000), little by little (rows 8,000 to 14,000) and again and again (every
2,500 rows). By name also streams of River's generators: `--sets river`, for all of them.
Each learner runs in a process of its own: every row is predicted before it is learned. `score` is the share of classes
that were right, of values R² (1 less squared error over variance). The forest sees the first N rows of --slow (default
20,000) and is compared on those.

A verdict stands where a confidence sequence for the mean difference of errors, which holds at any time with
probability 95 %, leaves out 0 [Choe, Ramdas: Comparing Sequential Forecasters, 2021, Theorem 2, with the stitched
boundary of Howard, Ramdas, McAuliffe, Sekhon 2021, eq. 10]: `ahead` or `behind` is the committee, else it is `open`. Of
values the difference is (a - b)/(a + b) for squared errors a and b, which are not bounded themselves.
"""

from __future__ import annotations

import argparse
import math
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]
from bench.processes import child, installed  # noqa: E402
from bench.quality.ours import batches_of  # noqa: E402
from bench.quality.peers import DEFAULT, VW  # noqa: E402
from bench.quality.sets import DataSet  # noqa: E402
from bench.rows import DATA, read  # noqa: E402
from bench.workloads import OUT  # noqa: E402
from sonlearn import Learner, LearnOptions  # noqa: E402

STREAMS = ("new_airlines", "moving_squares", "nomao", "MetroTraffic", "fifa", "diamonds", "ailerons")
VALUES = ("MetroTraffic", "fifa", "diamonds", "ailerons")
MADE = ("abrupt", "gradual", "recurring")
SETS = (*STREAMS, "covtype2", "covtype7", *MADE)
#: River's generators with an option that tells concepts apart, three of which come one after the other.
CONCEPTS: dict[str, tuple[str, str, tuple[int, int, int], dict[str, Any]]] = {
    "agrawal": ("Agrawal", "classification_function", (1, 4, 7), {"perturbation": 0.05}),
    "sea": ("SEA", "variant", (0, 2, 3), {"noise": 0.1}),
    "sine": ("Sine", "classification_function", (0, 1, 2), {}),
    "mixed": ("Mixed", "classification_function", (0, 1, 0), {}),
    "stagger": ("STAGGER", "classification_function", (0, 1, 2), {}),
}
#: Others, which stay as they are or change by themselves.
GENERATORS: dict[str, tuple[str, dict[str, Any]]] = {
    "agrawal-steady": ("Agrawal", {"classification_function": 5, "seed": 3, "perturbation": 0.05}),
    "hyperplane": ("Hyperplane", {"seed": 1, "n_drift_features": 5, "mag_change": 0.001, "noise_percentage": 0.05}),
    "rbf": ("RandomRBF", {"seed_model": 1, "seed_sample": 2}),
    "rbf-drift": ("RandomRBFDrift", {"seed_model": 1, "seed_sample": 2, "n_classes": 4, "change_speed": 0.0005}),
    "led-drift": ("LEDDrift", {"seed": 1, "noise_percentage": 0.1, "irrelevant_features": True, "n_drift_features": 5}),
    "waveform": ("Waveform", {"seed": 1, "has_noise": True}),
    "tree": ("RandomTree", {"seed_tree": 1, "seed_sample": 2}),
}
RIVER = (*(f"{name}-{how}" for name in CONCEPTS for how in ("abrupt", "gradual")), *GENERATORS)
#: Scores that others have published on the same rows: (score, processor seconds, what).
#: Source: github.com/TechyNilesh/samlb, benchmark_results, the best framework there on each set, mean of ten seeds.
PUBLISHED = {
    "new_airlines": (0.6806, 285, "StreamingAutoGluon"), "moving_squares": (0.9695, 210, "StreamingAutoGluon"),
    "nomao": (0.9791, 160, "StreamingAutoGluon"), "MetroTraffic": (0.763, 8, "ASML"), "fifa": (0.7645, 2, "ARF"),
    "diamonds": (0.9977, 14, "StreamingAutoGluon"), "ailerons": (0.8176, 10, "StreamingAutoGluon"),
}  # fmt: skip
LEARNERS = ("committee", "vw", "river-arf")
WORK = OUT / "streams"


# ------------------------------------------------------------------------------------------------------------- streams


def made(kind: str, n: int = 20_000, seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    """(X, y in {1, 2}) of rows of ten normal numbers; the label is the side of a curved surface, one of two."""
    rng = np.random.default_rng(seed)
    X, lines, at = rng.normal(size=(n, 10)), rng.normal(size=(2, 10)), np.arange(n)
    other = {
        "abrupt": at >= n // 2,
        "gradual": rng.random(n) < np.clip((at - 0.4 * n) / (0.3 * n), 0.0, 1.0),
        "recurring": at // (n // 8) % 2 == 1,
    }[kind]
    z = np.where(other, X @ lines[1] + X[:, 0] * X[:, 1], X @ lines[0] - X[:, 0] * X[:, 1]) + 0.3 * rng.normal(size=n)
    return sp.csr_array(X), np.where(z > 0, 2.0, 1.0)


def generated(name: str, n: int = 20_000) -> tuple[sp.csr_array, np.ndarray]:
    """(X, y) of a stream of River's; concepts follow each other at once, or little by little within 2,000 rows."""
    from river.datasets import synth

    if name in GENERATORS:
        kind, options = GENERATORS[name]
        rows = list(getattr(synth, kind)(**options).take(n))
    else:
        base, _, how = name.partition("-")
        kind, option, concepts, options = CONCEPTS[base]
        streams = [iter(getattr(synth, kind)(seed=at, **{option: k}, **options)) for at, k in enumerate(concepts)]
        odds = 4.0 / (1 if how == "abrupt" else 2000) * (np.arange(n)[:, None] - np.array([0.35, 0.7]) * n)
        later = np.random.default_rng(1).random((n, 2)) < 1.0 / (1.0 + np.exp(-np.clip(odds, -50.0, 50.0)))
        rows = [next(streams[k]) for k in later.sum(axis=1).tolist()]
    return sp.csr_array(np.array([list(x.values()) for x, _ in rows], float)), np.array([float(y) for _, y in rows])


def load(name: str, limit: int | None) -> tuple[sp.csr_array, np.ndarray]:
    """(X, y) of a set; classes are 1 to K."""
    if name in RIVER:
        X, y = generated(name)
    elif name in MADE:
        X, y = made(name)
    elif name in STREAMS:
        X, y = read(DATA / "streams" / f"{name}.svm.gz")
    else:
        X, y = read(DATA / "svm" / "covtype.binary.scale.svm.gz")
        if name == "covtype7":
            y = np.loadtxt(DATA / "weights" / "covtype.mc.labels.gz")
    if name not in VALUES:
        y = np.unique(y, return_inverse=True)[1] + 1.0
    return X[:limit], y[:limit]


# ------------------------------------------------------------------------------------------------------------ learners


def committee(X: sp.csr_array, y: np.ndarray, values: bool) -> np.ndarray:
    """What the committee predicts, with nothing set."""
    K = int(y.max())
    options = LearnOptions(loss="squared") if values else LearnOptions(**({"oaa": K} if K > 2 else {}))
    learner, label = Learner(options), y if values or K > 2 else np.where(y == 2, 1.0, -1.0)
    got = np.concatenate([learner.partial_fit(batch).prediction for batch in batches_of(X, label)])
    return got if values or K > 2 else np.where(got > 0, 2.0, 1.0)


def vw(X: sp.csr_array, y: np.ndarray, values: bool) -> np.ndarray:
    """What Vowpal Wabbit predicts; classes beyond two by --oaa."""
    K = int(y.max())
    label = y if values or K > 2 else np.where(y == 2, 1.0, -1.0)
    oaa = f" --oaa {K}" if not values and K > 2 else ""
    got = VW(DataSet("stream", "numbers", X, label), fresh=True).predict(DEFAULT + oaa)
    return got if values or K > 2 else np.where(got > 0, 2.0, 1.0)


def river(X: sp.csr_array, y: np.ndarray, values: bool) -> np.ndarray:
    """What River's adaptive random forest predicts."""
    from river import forest, preprocessing

    scaled = preprocessing.StandardScaler()  # its leaves have linear models of values, which diverge without
    model = scaled | forest.ARFRegressor(seed=0) if values else forest.ARFClassifier(seed=0)
    out = np.empty(len(y))
    for i, row in enumerate(X.toarray().tolist()):
        x = dict(enumerate(row))
        got = model.predict_one(x)
        out[i] = 0.0 if got is None else got
        model.learn_one(x, y[i] if values else int(y[i]))
    return out


def run(learner: str, name: str, limit: int | None, target: str) -> dict[str, float]:
    """In a process of its own: predict, and write errors (float64[n]) to `target`; what it took."""
    X, y = load(name, limit)
    values, began = name in VALUES, _seconds()
    if learner == "committee":  # kernels are compiled once for a version: not part of a stream's time
        committee(X[:200], y[:200], values) if y[:200].max() == y.max() or values else None
        began = _seconds()
    got = {"committee": committee, "vw": vw, "river-arf": river}[learner](X, y, values)
    took = _seconds() - began
    np.save(target, (got - y) ** 2 if values else (got != y).astype(float))
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {"seconds": took, "megabytes": peak / 1024, "variance": float(np.var(y))}


def _seconds() -> float:
    """Processor seconds of this process and its children."""
    own, children = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own + children.ru_utime + children.ru_stime


# ------------------------------------------------------------------------------------------------------------ verdicts


def boundary(v: float, alpha: float, scale: float, least: float = 10.0) -> float:
    """The stitched boundary of a sub-exponential sum with the intrinsic time v [Howard et al. 2021, eq. 10]."""
    eta, s, zeta = 2.0, 1.4, 3.105547
    v = max(v, least)
    level = s * math.log(math.log(eta * v / least)) + math.log(zeta / (alpha * math.log(eta) ** s))
    k1, k2 = (eta**0.25 + eta**-0.25) / math.sqrt(2.0), (math.sqrt(eta) + 1.0) / 2.0
    return math.sqrt(k1**2 * v * level + (k2 * scale * level) ** 2) + k2 * scale * level


def sequence(difference: np.ndarray, alpha: float = 0.05) -> tuple[float, float]:
    """The interval for the mean of differences within [-1, 1] after all of them, of a sequence that always holds.

    Empirical Bernstein [Choe, Ramdas 2021, Theorem 2]: the intrinsic time is the sum of squares about the mean so far.
    """
    n = len(difference)
    before = np.concatenate([[0.0], np.cumsum(difference)[:-1] / np.arange(1, n)])
    width = boundary(float(((difference - before) ** 2).sum()), alpha / 2.0, scale=2.0) / n
    return float(difference.mean() - width), float(difference.mean() + width)


def verdict(ours: np.ndarray, theirs: np.ndarray, values: bool) -> str:
    """Whether the committee is ahead, behind, or it is open."""
    difference = ours - theirs
    if values:
        total = ours + theirs
        difference = np.divide(difference, total, out=np.zeros_like(total), where=total > 0)
    low, high = sequence(difference)
    return "ahead" if high < 0 else "behind" if low > 0 else "open"


# -------------------------------------------------------------------------------------------------------------- report


def here(learners: list[str]) -> list[str]:
    """Those learners that can run here; says which cannot."""
    packages = {"vw": "vowpalwabbit", "river-arf": "river"}
    return [learner for learner in learners if learner not in packages or installed(packages[learner])]


def measured(learner: str, name: str, limit: int | None) -> tuple[np.ndarray, dict] | None:
    """(errors, what it took) of a learner on a set; None where it does not take it."""
    target = WORK / f"{name}-{learner}.npy"
    try:
        took = child("bench.streams", "run", learner=learner, name=name, limit=limit, target=str(target))
    except RuntimeError as error:
        print(f"{name}, {learner}: {str(error).strip().splitlines()[-1]}")
        return None
    return np.load(target), took


def report(names: Sequence[str], learners: list[str], limit: int | None, slow: int) -> None:
    """Print a line for each set and learner as it is done."""
    WORK.mkdir(parents=True, exist_ok=True)
    print(f"{'set':<16} {'rows':>8} {'learner':<12} {'score':>8} {'seconds':>9} {'MB':>7}  committee is")
    for name in names:
        ours = measured("committee", name, limit)
        for learner in ["committee", *(one for one in learners if one != "committee")]:
            own = min(limit or slow, slow) if learner == "river-arf" else limit
            found = ours if learner == "committee" else measured(learner, name, own)
            if found is None or ours is None:
                continue
            errors, took = found
            n, values = len(errors), name in VALUES
            score = 1.0 - errors.mean() / (took["variance"] if values else 1.0)
            said = "" if learner == "committee" else verdict(ours[0][:n], errors, values)
            cost = f"{took['seconds']:>9.1f} {took['megabytes']:>7.0f}"
            print(f"{name:<16} {n:>8} {learner:<12} {score:>8.4f} {cost}  {said}", flush=True)
        if name in PUBLISHED:
            score, seconds, what = PUBLISHED[name]
            print(f"{name:<16} {'':>8} {'published':<12} {score:>8.4f} {seconds:>9.1f} {'':>7}  {what} [samlb]")


def main() -> None:
    """Read the flags."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--limit", type=int)
    flags.add_argument("--slow", type=int, default=20_000)
    flags.add_argument("--sets", default=",".join(SETS))
    flags.add_argument("--learners", default=",".join(LEARNERS))
    given = flags.parse_args()
    names = RIVER if given.sets == "river" else given.sets.split(",")
    unknown = [name for name in names if name not in SETS + RIVER]
    if unknown:
        raise SystemExit(f"--sets {','.join(unknown)}: expected river, or some of {', '.join(SETS + RIVER)}")
    report(names, here(given.learners.split(",")), given.limit, given.slow)


if __name__ == "__main__":
    main()
