"""A concept that changes while it is being learned, judged by River: `progressive_val_score`, window by window.

    python docs/examples/drift.py [--quick]

River's SEA stream labels rows by a threshold on two of three numbers; one label in ten is wrong on purpose, so that
nobody can end above 0.9. In the middle of the stream another threshold takes over. Accuracies are those of a window of
rows each, every row predicted before it was learned from; the concept changes between the two middle windows.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

from shared import need, quick, show

need("river")

from river import datasets, ensemble, evaluate, forest, linear_model, metrics, preprocessing, tree, utils  # noqa: E402
from river.datasets import synth  # noqa: E402

from sonlearn.river import SonClassifier  # noqa: E402

SEED = 1


def models() -> dict[str, Any]:
    """Everybody as they come."""
    return {
        "sonlearn committee": SonClassifier(),
        "sonlearn nag": SonClassifier(method="nag"),
        "LogisticRegression": preprocessing.StandardScaler() | linear_model.LogisticRegression(),
        "HoeffdingAdaptiveTree": tree.HoeffdingAdaptiveTreeClassifier(seed=SEED),
        "ADWINBagging of logistic": preprocessing.StandardScaler()
        | ensemble.ADWINBaggingClassifier(linear_model.LogisticRegression(), n_models=5, seed=SEED),
        "ARFClassifier": forest.ARFClassifier(n_models=5, seed=SEED),
    }


def windows(rows: Iterable[Any], model: Any, size: int) -> list[float]:
    """Accuracy in each window of `size` rows."""
    metric = utils.Rolling(metrics.Accuracy(), window_size=size)
    steps = evaluate.iter_progressive_val_score(rows, model, metric, step=size)
    return [metric.get() for _ in steps]


def compare(title: str, rows: list[Any], count: int) -> None:
    """A table of accuracies by window."""
    size = len(rows) // count
    rows, table = rows[: size * count], []
    for name, model in models().items():
        started = time.perf_counter()
        found = windows(rows, model, size)[:count]
        mean = sum(found) / len(found)
        cells = [f"{value:.3f}" for value in (*found, mean)]
        table.append((name, *cells, f"{time.perf_counter() - started:.1f}"))
    heads = ("", *(str(size * (i + 1)) for i in range(count)), "all", "seconds")
    show(f"{title}: {len(rows)} rows, accuracy by window", heads, table)


def main() -> None:
    n = 600 if quick(__doc__) else 3000
    for method in (None, "nag"):  # compile the kernels, or find them compiled, before anything is timed
        SonClassifier(method=method).learn_one({"x": 1.0}, True)
    drift = synth.ConceptDriftStream(
        synth.SEA(variant=0, noise=0.1, seed=SEED), synth.SEA(variant=2, noise=0.1, seed=SEED + 1),
        position=n // 2, width=20, seed=SEED,
    )  # fmt: skip
    compare("SEA, another concept half-way", list(drift.take(n)), 6)
    if n == 3000:
        compare("phishing web sites (no drift made)", list(datasets.Phishing()), 5)


if __name__ == "__main__":
    main()
