"""Tables with a column of text: does the text cost what the other columns tell?

    python bench/text_tables.py [--rows 4000] [--only NAME] [--out FILE]

Ten tables of numbers and categories, each with a note of Zipf-distributed words that tells nothing of the label, a
little, or much. Each is learned in one pass by the committee as it comes: without the note, of the note alone, and of
both. Printed is the progressive loss of each (of classes the log loss, of values the squared error over the labels'
variance), then the error, and both over the better of the two alone.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from bench.rows import DATA, read, shuffled  # noqa: E402
from sonlearn import Learner, LearnOptions, TextOptions, read_batches  # noqa: E402

#: What a note tells of the label: which share of its words come from a label's own distribution.
NOTHING, LITTLE, MUCH = 0.0, 0.08, 0.4
WORDS, LONGEST = 3000, 40


def notes(y: np.ndarray, share: float, seed: int) -> list[str]:
    """A note for each label: 3 to `LONGEST` words, of which a `share` is drawn from words of the label's own."""
    rng = np.random.default_rng(seed)
    level = np.searchsorted(np.quantile(y, [0.25, 0.5, 0.75]), y) if len(np.unique(y)) > 26 else y.astype(int)
    own = {each: rng.permutation(WORDS) for each in np.unique(level).tolist()}
    weight = 1.0 / np.arange(1, WORDS + 1)
    weight /= weight.sum()
    out = []
    for each in level.tolist():
        words = rng.choice(WORDS, size=rng.integers(3, LONGEST + 1), p=weight)
        swapped = rng.random(len(words)) < share
        words[swapped] = own[each][words[swapped]]
        out.append(" ".join(f"w{word}" for word in words.tolist()))
    return out


def churn(n: int) -> tuple[list[str], list[list[object]], np.ndarray]:
    """Customers: few numbers and categories, and an id that tells of the label by its range."""
    rng = np.random.default_rng(1)
    ids, age, spend = rng.permutation(n), rng.integers(18, 90, n), np.round(rng.lognormal(3, 1, n), 2)
    plan = rng.choice(["basic", "plus", "pro"], n)
    z = 6.0 * (ids > 0.6 * n) - 3.0 + (plan == "basic") - 0.02 * (age - 50) + np.sin(spend / 20)
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-z)), 1, -1)
    return ["id", "age", "spend", "plan"], [list(row) for row in zip(ids, age, spend, plan, strict=True)], y


def balls(n: int) -> tuple[list[str], list[list[object]], np.ndarray]:
    """Six normal numbers; the label is which side of a curved border they are on."""
    X = np.random.default_rng(2).normal(size=(n, 6))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] ** 2 - X[:, 3] > 0.8, 1, -1)
    return [f"x{j}" for j in range(6)], X.round(3).tolist(), y


def of_file(name: str):
    """A table of a data set's columns."""

    def make(n: int) -> tuple[list[str], list[list[object]], np.ndarray]:
        X, y = shuffled(*read(DATA / f"{name}.svm.gz"), n)
        return [f"x{j}" for j in range(X.shape[1])], X.toarray().tolist(), y

    return make


TABLES = {
    "churn, noise": (churn, NOTHING, "two"),
    "churn, much": (churn, MUCH, "two"),
    "balls, noise": (balls, NOTHING, "two"),
    "covtype, little": (of_file("svm/covtype.binary.scale"), LITTLE, "two"),
    "magic, much": (of_file("svm/magic04"), MUCH, "two"),
    "abalone, noise": (of_file("regression/abalone_scale"), NOTHING, "values"),
    "cpusmall, little": (of_file("regression/cpusmall_scale"), LITTLE, "values"),
    "wine, much": (of_file("regression/winequality-white"), MUCH, "values"),
    "letter, noise": (of_file("svm/letter.scale"), NOTHING, "several"),
    "satimage, little": (of_file("classes/satimage.scale"), LITTLE, "several"),
}
OPTIONS = {"two": {"loss": "logistic"}, "values": {"loss": "squared"}, "several": {"classes": "auto"}}
USES = {"columns": {"ignore": ["note"]}, "note": {"keep": ["note"], "text": ["note"]}, "both": {"text": ["note"]}}


def learned(path: Path, kind: str, use: str) -> tuple[float, float, float]:
    """(loss, error, processor time) of one pass over a table."""
    options = TextOptions(format="csv", label="label", **{name: tuple(own) for name, own in USES[use].items()})
    learner = Learner(LearnOptions(**OPTIONS[kind]), options)
    start, loss, error, labels = time.process_time(), [], [], []
    for batch in read_batches([str(path)], options):
        for at in range(0, batch.n, 500):
            found = learner.partial_fit(batch.part(at, at + 500))
            guess = np.sign(found.prediction) if kind == "two" else found.prediction
            loss.append(found.loss)
            error.append((guess - found.label) ** 2 if kind == "values" else guess != found.label)
            labels.append(found.label)
    scale = np.var(np.concatenate(labels)) if kind == "values" else 1.0
    losses, errors = np.concatenate(loss), np.concatenate(error)
    first = 100 if kind == "values" else 0  # before it knows the labels' place
    return (
        float(np.nanmean(losses[first:])) / scale,
        float(np.mean(errors[first:])) / scale,
        time.process_time() - start,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    found: dict[str, dict[str, tuple[float, float, float]]] = {}
    for name, (make, share, kind) in TABLES.items():
        if given.only not in name:
            continue
        columns, rows, y = make(given.rows)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "table.csv"
            with path.open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(["label", *columns, "note"])
                labels = y.astype(int).tolist() if kind != "values" else y.tolist()
                writer.writerows(
                    [label, *row, note] for label, row, note in zip(labels, rows, notes(y, share, 3), strict=True)
                )
            found[name] = {use: learned(path, kind, use) for use in USES}
        own = found[name]
        best = [min(own["columns"][k], own["note"][k]) for k in range(2)]
        print(
            f"{name:18s}", *(f"{use} {own[use][0]:.4f} {own[use][1]:.4f} {own[use][2]:5.1f}s " for use in USES),
            f"both/best {own['both'][0] / best[0]:.3f} {own['both'][1] / max(best[1], 1e-9):.3f}", flush=True,
        )  # fmt: skip
        if given.out:
            given.out.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
