"""What it costs in accuracy to learn on several machines: a merged learner beside one that has learned all rows.

The rows of each file (at most `--limit`, in one seeded shuffle) are cut into `--parts` parts to learn from, 20 if not
told, and a quarter as many to test on. One learner learns the former in order; G learners share them as
`sonlearn train --cluster` would have them do, with the functions that its workers run. Then both predict the same rows.
Loss is the method's own; size is that of the model's arrays, relative to the one learner's.

    python bench/cluster.py FILE ... [--method NAME ...] [--learners G ...] [--rounds R] [--parts N]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.rows import read, shuffled
from bench.table import Table
from sonlearn import LearnOptions, TextOptions
from sonlearn.cluster import tasks
from sonlearn.cluster.partitions import FIRST_ROWS, LAST_ROWS, plan_rounds
from sonlearn.cluster.tasks import LearnedPartition, Span
from sonlearn.learn.learner import Learner


def partitions_of(path: str, limit: int, count: int) -> list[tuple]:
    """(X, y) of each part: of `count` to learn from, and of a quarter as many more."""
    X, y = shuffled(*read(Path(path)), limit)
    return [(X[rows], y[rows]) for rows in np.array_split(np.arange(len(y)), count + count // 4)]


def learned(parts: list[tuple], options: LearnOptions, learners: int, rounds: int | None) -> Learner:
    """What `sonlearn.dask.train` gives, in this process."""
    job = tasks.LearnJob(options, tasks.Reading(TextOptions(format="svmlight")))

    def learn(i: int, before: LearnedPartition | None, span: Span) -> LearnedPartition:
        return tasks.learn_rows(job, i + 1, span, parts[i], before)

    if learners == 1:
        state = None
        for i in range(len(parts)):
            state = learn(i, state, Span())
        return state.learner()
    base, alone, seen = None, dict[int, int](), 0
    while seen < FIRST_ROWS and len(alone) < len(parts) - 1:
        alone[len(alone)] = FIRST_ROWS - seen
        base = learn(len(alone) - 1, base, Span(0, FIRST_ROWS - seen))
        seen = base.progress.examples
    previous = None
    for own in plan_rounds(len(parts), learners, rounds).rounds:
        after = []
        for those in own:
            state = tasks.begin_round(base, None)
            for i in those:
                state = learn(i, state, Span(max(alone.get(i, 0), LAST_ROWS * (i == len(parts) - 1))))
            after.append(state)
        base, previous = tasks.merge_learned(base, previous, *after), base
    last, merged = len(parts) - 1, tasks.begin_round(base, None)
    return tasks.settled(job, last + 1, Span(0, LAST_ROWS), parts[last], merged).learner()


def size_of(learner: Learner) -> int:
    """Bytes of the model's arrays."""
    return sum(array.nbytes for array in learner.to_arrays()[1].values())


def judged(learner: Learner, parts: list[tuple]) -> tuple[float, float]:
    """(mean loss, error) of predictions for rows that were not learned."""
    reading = tasks.Reading(TextOptions(format="svmlight"))
    predicted = [(batch.y, learner.predict(batch)) for part in parts for batch in reading.reader(part, 1)]
    y = np.concatenate([y for y, _ in predicted])
    p = np.concatenate([each.prediction for _, each in predicted])
    return float(np.concatenate([each.loss for _, each in predicted]).mean()), float(((p > 0) != (y > 0)).mean())


def main() -> None:
    """Print a line for each file and method."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--method", nargs="+", default=["nag", "drfd", "committee"])
    parser.add_argument("--learners", nargs="+", type=int, default=[1, 2, 4, 8])
    parser.add_argument("--rounds", type=int, help="times that learners are merged (default: that of the cluster)")
    parser.add_argument("--limit", type=int, default=20000)
    parser.add_argument("--parts", type=int, default=20)
    parser.add_argument("--loss", help="loss function (default: the method's)")
    options = parser.parse_args()
    table = Table("", ["file", "method", *(f"G = {count}" for count in options.learners)])
    for path in options.files:
        parts = partitions_of(path, options.limit, options.parts)
        for method in options.method:
            learn = LearnOptions(method=method, loss=options.loss)
            models = [learned(parts[: options.parts], learn, count, options.rounds) for count in options.learners]
            cells = [(*judged(model, parts[options.parts :]), size_of(model) / size_of(models[0])) for model in models]
            shown = (f"{loss:.4f} / {error:.4f} / {size:.2f}" for loss, error, size in cells)
            table.row(Path(path).name.split(".svm")[0], method, *shown)


if __name__ == "__main__":
    main()
