"""Text in two classes, in one pass: sonlearn, Vowpal Wabbit and scikit-learn's SGDClassifier, all as they come.

    python docs/examples/text_classification.py [--quick]

Everybody reads the same lines, in the same order, with names hashed by Vowpal Wabbit's hash to 2^18 slots. Every line
is predicted before it is learned from; the error is the share of lines that were predicted wrong.
"""

from __future__ import annotations

import gzip
import itertools
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from shared import ROOT, need, quick, real, show

need("sklearn", "vowpalwabbit")

import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
from sklearn.linear_model import SGDClassifier  # noqa: E402

from sonlearn import Batch, Learner, LearnOptions, read_batches  # noqa: E402

OURS = {
    "sonlearn (committee)": LearnOptions(),
    "sonlearn --sketch rfd": LearnOptions(sketch="rfd"),
    "sonlearn --method nag": LearnOptions(method="nag"),
}
VW = {"vw": [], "vw --loss_function logistic": ["--loss_function", "logistic"]}


def sonlearn(options: LearnOptions, path: Path) -> np.ndarray:
    """Progressive predictions float64[n]."""
    learner = Learner(options)
    return np.concatenate([learner.partial_fit(batch).prediction for batch in read_batches(path)])


def vw(options: list[str], path: Path) -> np.ndarray:
    """The same of Vowpal Wabbit."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        command = [sys.executable, "-m", "vowpalwabbit", "-d", str(path), "-p", str(out), "--quiet", *options]
        subprocess.run(command, check=True)
        return np.array([float(line.split()[0]) for line in out.read_text().splitlines()])


def sgd(batches: list[Batch]) -> np.ndarray:
    """The same of SGDClassifier (logistic loss), row by row; before the first row: class -1."""
    model, predictions = SGDClassifier(loss="log_loss", random_state=0), []
    for batch in batches:
        indices, indptr = batch.indices.astype(np.int32), batch.indptr.astype(np.int32)
        X = sp.csr_array((batch.values, indices, indptr), shape=(batch.n, 1 << 18))
        for i in range(batch.n):
            row = X[[i]]
            predictions.append(model.decision_function(row)[0] if predictions else -1.0)
            model.partial_fit(row, batch.y[[i]], classes=[-1.0, 1.0], sample_weight=batch.weight[[i]])
    return np.array(predictions)


def compare(title: str, path: Path) -> None:
    """A table of errors."""
    batches = list(read_batches(path))
    y = np.concatenate([batch.y for batch in batches])
    runs = {name: (sonlearn, options, path) for name, options in OURS.items()}
    runs |= {name: (vw, options, path) for name, options in VW.items()}
    runs["SGDClassifier"] = (sgd, batches)
    rows = []
    for name, (run, *arguments) in runs.items():
        started = time.perf_counter()
        wrong = np.mean((run(*arguments) > 0) != (y > 0))
        rows.append((name, f"{wrong:.4f}", f"{time.perf_counter() - started:.1f}"))
    common = max(np.mean(y > 0), np.mean(y < 0))
    show(f"{title}: {len(y)} lines, {1 - common:.4f} of the rarer class", ("", "error", "seconds"), rows)


def main() -> None:
    only_samples = quick(__doc__)
    for options in OURS.values():  # compile the kernels, or find them compiled, before anything is timed
        Learner(options).partial_fit(next(iter(read_batches(ROOT / "data" / "sample.vw"))))
    compare("made-up mails", ROOT / "data" / "sample.vw")
    reviews = None if only_samples else real("vw/imdb.vw.gz")
    if reviews:
        with tempfile.TemporaryDirectory() as folder, gzip.open(reviews, "rt", encoding="utf-8") as lines:
            part = Path(folder, "reviews.vw")
            part.write_text("".join(itertools.islice(lines, 4000)), encoding="utf-8")
            compare("reviews of films", part)


if __name__ == "__main__":
    main()
