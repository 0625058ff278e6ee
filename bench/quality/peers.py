"""Vowpal Wabbit, the peer. What it predicted is kept under bench/out/quality.

A result is found again by its setting, the peer's version and the data, all hashed together, so that it can't be stale.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench import processes
from bench.processes import measured
from bench.quality.sets import DataSet
from bench.workloads import OUT, write_rows
from sonlearn.files.atomic import whole_file

KEPT = OUT / "quality"

#: Vowpal Wabbit's settings, all untuned. Those with logistic loss have probabilities (and coin, ftrl and OjaNewton err
#: less with it than with their default loss). Pairs need a larger table.
DEFAULT = "-b 20"
LOGISTIC = "-b 20 --loss_function logistic"
VARIANTS = {
    "logistic": LOGISTIC,
    "hinge": "-b 20 --loss_function hinge",
    "coin": f"{LOGISTIC} --coin",
    "ftrl": f"{LOGISTIC} --ftrl",
    "OjaNewton": f"{LOGISTIC} --OjaNewton",
}
PAIRS = {"-q ::": "-b 22 -q ::", "-q :: log.": "-b 22 --loss_function logistic -q ::"}
#: `-q ::` runs where rows have at most this many entries in the mean.
SHORT = 64
#: For regression, the best of these is chosen for each set in hindsight.
GRID = [f"-b 20 -l {rate} --power_t {power}" for rate in (0.05, 0.1, 0.5, 1, 2, 10) for power in (0, 0.5)]
GRID.append("-b 20 --coin")


def settings_for(data: DataSet) -> dict[str, str]:
    """Vowpal Wabbit's variants for a binary set: with pairs where rows are short."""
    return VARIANTS | PAIRS if data.X.nnz <= SHORT * len(data.y) else VARIANTS


def fingerprint(*parts: object) -> str:
    """Hash of settings and arrays."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(np.ascontiguousarray(part).tobytes() if isinstance(part, np.ndarray) else str(part).encode())
        digest.update(b"\0")
    return digest.hexdigest()[:20]


def kept(name: str, key: str, fresh: bool, compute: Callable[[], np.ndarray]) -> np.ndarray:
    """The array that `compute` gives, from the last run where it is there and not to be made anew."""
    path = KEPT / f"{name}-{key}.npy"
    if fresh or not path.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as out:
            np.save(out, compute())
    return np.load(path)


class VW:
    """Vowpal Wabbit on one data set, as text of nine digits with numbers as names; the constant is on.

    Parameters
    ----------
    data : DataSet
        Learned from, in order.
    test : DataSet, optional
        Predicted by the final model.
    fresh : bool
        Whether kept results are made anew.
    """

    def __init__(self, data: DataSet, test: DataSet | None = None, fresh: bool = False):
        self._parts = [data] if test is None else [data, test]
        self._fresh = fresh
        self._folder: tempfile.TemporaryDirectory | None = None
        arrays = [a for part in self._parts for a in (part.X.indptr, part.X.indices, part.X.data, part.y)]
        version = importlib.metadata.version("vowpalwabbit")
        self._key = fingerprint(version, *(a.astype(np.float64) for a in arrays))

    def predict(self, arguments: str) -> np.ndarray:
        """Predictions float64[n] of a setting: progressive, or the final model's for the test part."""
        key = fingerprint(self._key, arguments)
        return kept(self._parts[0].name, key, self._fresh, lambda: self._run(arguments.split()))

    def _run(self, arguments: list[str]) -> np.ndarray:
        files = [str(file) for file in self._files()]
        out = f"{files[0]}.predictions"
        if len(files) == 1:
            measured([*processes.VW, "-d", files[0], "-p", out, *arguments])
        else:
            model = f"{files[0]}.model"
            measured(
                [*processes.VW, "-d", files[0], "-f", model, "--cache_file", f"{files[0]}.cache", "-k", *arguments]
            )
            measured([*processes.VW, "-d", files[1], "-i", model, "-t", "-p", out])
        return np.loadtxt(out, usecols=0, ndmin=1)

    def _files(self) -> list[Path]:
        """The text, written when it is first needed; gone with this object."""
        if self._folder is None:
            KEPT.mkdir(parents=True, exist_ok=True)
            self._folder = tempfile.TemporaryDirectory(dir=KEPT)
            for i, part in enumerate(self._parts):
                write_rows(Path(self._folder.name) / f"{i}.vw", part.X, part.y, "{label} | {features}\n", digits=9)
        return [Path(self._folder.name) / f"{i}.vw" for i in range(len(self._parts))]
