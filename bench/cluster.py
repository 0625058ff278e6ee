"""What it costs in accuracy to learn on several machines: learners of parts put together, beside one learner.

The rows of each file (at most `--limit`, in one seeded shuffle) are cut into 20 parts to learn from and 5 to test on.
One learner learns the 20 parts in order; G learners share them as `sonlearn train --cluster` would have them do, with
the functions that its workers run. Then both predict the same rows. Loss is the method's own.

    python bench/cluster.py FILE ... [--method NAME ...] [--learners G ...]
"""

from __future__ import annotations

import argparse
import os

import numpy as np

from sonlearn import LearnOptions, TextOptions, read_batches
from sonlearn.cluster import tasks
from sonlearn.cluster.plan import plan
from sonlearn.data.matrices import to_csr
from sonlearn.learn.learner import Learner
from sonlearn.learn.merge import fit_combiner, merge_learners

PARTS, TEST = 20, 5


def partitions_of(path: str, limit: int) -> list[tuple]:
    """(X, y) of each part."""
    import scipy.sparse as sp

    batches = list(read_batches(path, TextOptions(constant=False)))
    blocks = [to_csr(batch, 0) for batch in batches]
    width = max(block.shape[1] for block in blocks)
    for block in blocks:
        block.resize((block.shape[0], width))
    X, y = sp.vstack(blocks, format="csr"), np.concatenate([batch.y for batch in batches])
    order = np.random.default_rng(0).permutation(len(y))[:limit]
    return [(X[rows], y[rows]) for rows in np.array_split(order, PARTS + TEST)]


def learned(parts: list[tuple], options: LearnOptions, learners: int) -> Learner:
    """What `sonlearn.dask.train` gives, in this process."""
    job = tasks.LearnJob(options, tasks.Reading(TextOptions(format="svmlight")))
    chosen, before, after, said = plan(len(parts), learners), [], [], []
    for own in chosen.learners:
        state, told = None, []
        for i in own:
            state = tasks.learn_partition(job, i + 1, parts[i], state)
        before.append(state)
        for i in chosen.further:
            state, more = tasks.learn_further(job, i + 1, parts[i], state)
            told += more
        after.append(state.learner())
        said.append(told)
    if len(after) == 1:
        return after[0]
    united = merge_learners(after, [each.tally for each in before], [str(k) for k in range(len(after))])
    for rows in zip(*said, strict=True):
        fit_combiner(united, rows[0].batch, [each.predictions for each in rows])
    return united


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
    parser.add_argument("--limit", type=int, default=20000)
    parser.add_argument("--loss", help="loss function (default: the method's)")
    options = parser.parse_args()
    print("| file | method | " + " | ".join(f"G = {count}" for count in options.learners) + " |")
    print("|---|---|" + "---|" * len(options.learners))
    for path in options.files:
        parts = partitions_of(path, options.limit)
        for method in options.method:
            learn = LearnOptions(method=method, loss=options.loss)
            cells = [judged(learned(parts[:PARTS], learn, count), parts[PARTS:]) for count in options.learners]
            shown = " | ".join(f"{loss:.4f} / {error:.4f}" for loss, error in cells)
            print(f"| {os.path.basename(path).split('.svm')[0]} | {method} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
