"""Parsing speed: sonlearn, Vowpal Wabbit (``--noop``), scikit-learn and a plain read of memory, in one run.

``python bench/parse.py [--examples N] [--repeat R]``. Every program reads the same seeded examples, each on one core
unless its name says otherwise; medians of R runs after a warm-up, and ratios to Vowpal Wabbit's. Programs that are
not installed are left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

OUT = Path(__file__).parent / "out"


def make_files(folder: Path, examples: int) -> dict[str, Path]:
    """The same sparse examples as LIBSVM text and VW text, VW text with string names, and gzip of two of them."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {name: folder / f"{examples}.{name}" for name in ("svm", "vw", "names.vw", "svm.gz", "names.vw.gz")}
    if all(path.exists() for path in paths.values()):
        return paths
    rng = np.random.default_rng(0)
    words = ["".join(map(chr, rng.integers(97, 123, size))) for size in rng.integers(2, 12, 20_000)]
    with paths["svm"].open("w") as svm, paths["vw"].open("w") as vw, paths["names.vw"].open("w") as names:
        for _ in range(examples):
            label = 2 * int(rng.integers(2)) - 1
            index = np.unique(rng.integers(1, 1_000_000, 75))
            features = " ".join(
                f"{i}:{x:.6g}" for i, x in zip(index.tolist(), rng.normal(size=len(index)), strict=True)
            )
            svm.write(f"{label} {features}\n")
            vw.write(f"{label} | {features}\n")
            text = " ".join(words[int(i)] for i in (20_000 * rng.random(75) ** 3))
            names.write(f"{label} |t {text}\n")
    for name in ("svm", "names.vw"):
        paths[f"{name}.gz"].write_bytes(gzip.compress(paths[name].read_bytes(), 6))
    return paths


def run_sonlearn(path: str, threads: int) -> int:
    from sonlearn.text.read import Reader

    return sum(len(batch.indices) - batch.n for batch in Reader(path, threads=threads))


def run_cache(path: str) -> None:
    from sonlearn.text.cache import CachedReader

    for _ in CachedReader(path, path=path + ".cache"):
        pass


def run_vw(path: str) -> None:
    from vowpalwabbit.pyvw import Workspace

    Workspace(arg_list=["-d", path, "--noop", "--quiet"]).finish()


def run_sklearn(path: str) -> None:
    from sklearn.datasets import load_svmlight_file

    load_svmlight_file(path)


def run_read(path: str) -> None:
    """Look at every byte once: what no parser can be faster than."""
    block = bytearray(1 << 20)
    with open(path, "rb", buffering=0) as file:
        while n := file.readinto(block):
            block.count(b"\n", 0, n)


PROGRAMS = {
    "sonlearn": lambda path: run_sonlearn(path, 0),
    "sonlearn, 2 cores": lambda path: run_sonlearn(path, 2),
    "sonlearn --cache": run_cache,
    "vw --noop": run_vw,
    "scikit-learn": run_sklearn,
    "read": run_read,
}


def child(program: str, path: str, repeat: int) -> None:
    """Time one program in a process of its own and print the seconds as JSON."""
    if hasattr(os, "sched_setaffinity") and "2 cores" not in program:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    run = PROGRAMS[program]
    run(path)
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        run(path)
        seconds.append(time.perf_counter() - start)
    print(json.dumps(seconds))


def measure(program: str, path: Path, repeat: int) -> float | None:
    """Median seconds, None where the program does not run."""
    command = [sys.executable, __file__, "--child", program, str(path), "--repeat", str(repeat)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        print(f"{program}: left out ({result.stderr.strip().splitlines()[-1]})", file=sys.stderr)
        return None
    return statistics.median(json.loads(result.stdout.splitlines()[-1]))


#: Rows of the table: what is read, by which programs; VW and scikit-learn read what they understand.
ROWS = [
    ("LIBSVM text", "svm", ["sonlearn", "sonlearn, 2 cores", "sonlearn --cache", "scikit-learn", "read"], "vw"),
    ("VW text, numbers as names", "vw", ["sonlearn", "sonlearn, 2 cores", "read"], "vw"),
    ("VW text, words as names", "names.vw", ["sonlearn", "sonlearn, 2 cores", "read"], "names.vw"),
    ("LIBSVM text, gzip", "svm.gz", ["sonlearn", "sonlearn, 2 cores"], None),
    ("VW text, words, gzip", "names.vw.gz", ["sonlearn", "sonlearn, 2 cores"], "names.vw.gz"),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=50_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--child", nargs=2)
    arguments = parser.parse_args()
    if arguments.child:
        child(*arguments.child, arguments.repeat)
        return
    paths = make_files(OUT, arguments.examples)
    features = {name: run_sonlearn(str(path), 0) for name, path in paths.items() if not name.endswith(".gz")}
    print(f"{arguments.examples} examples, {features['svm']} features; MB/s are of uncompressed text")
    print(f"{'input':28}{'program':20}{'MB/s':>8}{'Mfeatures/s':>13}{'x VW':>7}")
    for title, name, programs, peer in ROWS:
        base = measure("vw --noop", paths[peer], arguments.repeat) if peer else None
        plain = paths[name.removesuffix(".gz")]
        table = [("vw --noop", base, paths[peer.removesuffix(".gz")])] if peer and base else []
        table += [(program, measure(program, paths[name], arguments.repeat), plain) for program in programs]
        for program, seconds, size_of in table:
            if seconds is None:
                continue
            rate = size_of.stat().st_size / seconds / 1e6
            times = f"{base / seconds:7.2f}" if base else ""
            count = features[name.removesuffix(".gz")] / seconds / 1e6
            print(f"{title:28}{program:20}{rate:8.0f}{count:13.1f}{times}", flush=True)


if __name__ == "__main__":
    main()
