"""A concept that changes while it is being learned, judged by River: `progressive_val_score`, window by window.

    python docs/examples/drift.py [--quick]

River's sine stream has two numbers, and a row's class is the side of a sine curve that it is on. From the middle of
the stream on the two classes change places: the hardest change there is for who does not forget. Accuracies are those
of a window of rows each, every row predicted before it was learned from. The second stream is real, and no change was
made to it.
"""

from __future__ import annotations

import time
from typing import Any

from shared import need, quick, show

need("river")

from river import datasets, ensemble, evaluate, forest, linear_model, metrics, preprocessing, tree  # noqa: E402
from river.datasets import synth  # noqa: E402

from sonlearn.river import SonlearnClassifier  # noqa: E402

SEED = 1


def models() -> dict[str, Any]:
    """Everybody as they come."""
    return {
        "sonlearn committee": SonlearnClassifier(),
        "sonlearn nag": SonlearnClassifier(method="nag"),
        "LogisticRegression": preprocessing.StandardScaler() | linear_model.LogisticRegression(),
        "HoeffdingAdaptiveTree": tree.HoeffdingAdaptiveTreeClassifier(seed=SEED),
        "ADWINBagging of logistic": preprocessing.StandardScaler()
        | ensemble.ADWINBaggingClassifier(linear_model.LogisticRegression(), n_models=5, seed=SEED),
        "ARFClassifier": forest.ARFClassifier(n_models=5, seed=SEED),
    }


def windows(rows: list[Any], model: Any, size: int) -> list[float]:
    """Accuracy in each window of `size` rows."""
    parts = [rows[start : start + size] for start in range(0, len(rows), size)]
    return [evaluate.progressive_val_score(part, model, metrics.Accuracy()).get() for part in parts]


def compare(title: str, rows: list[Any], count: int) -> None:
    """A table of accuracies by window."""
    size = len(rows) // count
    rows, table = rows[: size * count], []
    for name, model in models().items():
        started = time.perf_counter()
        found = windows(rows, model, size)
        mean = sum(found) / len(found)
        cells = [f"{value:.3f}" for value in (*found, mean)]
        table.append((name, *cells, f"{time.perf_counter() - started:.1f}"))
    heads = ("", *(str(size * (i + 1)) for i in range(count)), "all", "seconds")
    show(f"{title}: {len(rows)} rows, accuracy by window", heads, table)


def main() -> None:
    n = 600 if quick(__doc__) else 1800
    for method in (None, "nag"):  # compile the kernels, or find them compiled, before anything is timed
        SonlearnClassifier(method=method).learn_one({"x": 1.0}, True)
    drift = synth.ConceptDriftStream(
        synth.Sine(classification_function=0, seed=SEED), synth.Sine(classification_function=1, seed=SEED + 1),
        position=n // 2, width=20, seed=SEED,
    )  # fmt: skip
    compare("sine, labels the other way round from half-way on", list(drift.take(n)), 6)
    if n == 1800:
        compare("phishing web sites (no drift made)", list(datasets.Phishing()), 5)


if __name__ == "__main__":
    main()
