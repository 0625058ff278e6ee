"""How a run on N workers goes, simulated with costs that are measured here, and what breaks first.

Measured: processor time of a row (read and learned) and of a byte read, of a merge of `FAN` learners, and the bytes of
a learner, in the state after `--rows` rows of a file. The model grows with the rows as it did over the second half of
these. Simulated: `sonlearn.cluster.plan.plan_rounds` over files of `--gigabytes` each, every worker with one core and a
link of `--gigabits`, a scheduler that takes `TASK` seconds for a task, merges as a tree on the workers. Nothing is run
at that size: these are sums of measured costs.

    python bench/cluster_simulation.py FILE [--rows N] [--workers 1 10 100] [--files 1000]
"""

from __future__ import annotations

import argparse
import math
import time
from typing import NamedTuple

from cluster import partitions_of, size_of

from sonlearn import LearnOptions, TextOptions
from sonlearn.cluster import tasks
from sonlearn.cluster.dask import FAN
from sonlearn.cluster.partitions import BLOCK
from sonlearn.cluster.plan import COPIED, FIRST_ROWS, LAST_ROWS, plan_rounds

#: Seconds of the scheduler for a task; Dask's documentation says about a millisecond, with hand-over and bookkeeping.
TASK = 1e-3


class Costs(NamedTuple):
    """What has been measured."""

    row: float  # seconds to read and learn a row
    row_bytes: float  # bytes of a row of text
    merge: float  # seconds of a merge of `FAN` learners
    size: float  # bytes of a learner


class Run(NamedTuple):
    """What a simulated run takes."""

    seconds: float
    work: float  # processor seconds of all workers
    moved: float  # bytes between workers
    peak: float  # bytes of memory of the worker that needs most: learners under way, and a merge
    tasks: int


def measured(path: str, rows: int, options: LearnOptions) -> Costs:
    """Costs of rows of a file, after a first half that warms up kernels and prunes members."""
    parts = partitions_of(path, rows)
    job = tasks.LearnJob(options, tasks.Reading(TextOptions(format="svmlight")))
    state, half = None, len(parts) // 2
    for i in range(half):
        state = tasks.learn_rows(job, i + 1, tasks.Span(), parts[i], state)
    base = tasks.begin_round(state, None)
    begin, learners = time.process_time(), []
    for i in range(half, half + FAN):
        learners.append(tasks.learn_rows(job, i + 1, tasks.Span(), parts[i], base))
    count = sum(len(parts[i][1]) for i in range(half, half + FAN))
    row = (time.process_time() - begin) / count
    tasks.merge_learned(base, None, *learners[:2])
    begin = time.process_time()
    merged = tasks.merge_learned(base, None, *learners)
    entries = sum(parts[i][0].nnz for i in range(half, half + FAN)) / count
    return Costs(row, 4.0 + 10.0 * entries, time.process_time() - begin, float(size_of(merged.learner())))


def simulated(costs: Costs, workers: int, files: int, bytes_each: float, gigabits: float, growth: float) -> Run:
    """A run over so many files, each cut into parts of `BLOCK` bytes."""
    parts, rate = files * math.ceil(bytes_each / BLOCK), gigabits * 1e9 / 8
    rows = bytes_each * files / parts / costs.row_bytes
    part = rows * costs.row + BLOCK / rate
    size, merge = costs.size * growth, costs.merge * growth
    if workers == 1:
        return Run(parts * part, parts * part, 0.0, size, parts)
    seconds = (FIRST_ROWS + LAST_ROWS) * costs.row
    work, moved, count, plan = seconds, 0.0, 2, plan_rounds(parts, workers)
    for own in plan.rounds:
        longest = max(map(len, own))
        levels = math.ceil(math.log(max(len(own), 2), FAN))
        merges = math.ceil((len(own) - 1) / (FAN - 1))
        sent = size / rate  # a learner to another worker; to all of them it goes from those that have it, as a tree
        seconds += max(longest * part, sum(map(len, own)) * TASK) + levels * (merge + (FAN - 1) * sent)
        seconds += math.ceil(math.log2(len(own) + 1)) * sent
        work += sum(map(len, own)) * part + merges * merge
        moved += (len(own) - 1 + len(own) + sum((len(each) - 1) // COPIED for each in own)) * size
        count += sum(map(len, own)) + len(own) + merges
    return Run(seconds, work, moved, (FAN + 4) * size, count)


def main() -> None:
    """Print what was measured, and a line for each number of workers."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--method", default="committee")
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 10, 100])
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--gigabytes", type=float, default=1.0)
    parser.add_argument("--gigabits", type=float, default=10.0)
    parser.add_argument("--growth", type=float, default=10.0, help="size of the final model, of the one measured")
    options = parser.parse_args()
    costs = measured(options.file, options.rows, LearnOptions(method=options.method))
    row = f"{costs.row * 1e6:.1f} us and {costs.row_bytes:.0f} bytes a row"
    print(f"{row}, {costs.merge:.2f} s a merge of {FAN}, {costs.size / 1e6:.1f} MB a learner")
    print("| workers | hours | speed-up | processor hours | GB moved | GB of memory | tasks |")
    print("|---|---|---|---|---|---|---|")
    each = options.gigabytes * 1e9
    one = simulated(costs, 1, options.files, each, options.gigabits, options.growth)
    for workers in options.workers:
        run = simulated(costs, workers, options.files, each, options.gigabits, options.growth)
        print(f"| {workers} | {run.seconds / 3600:.2f} | {one.seconds / run.seconds:.1f} | {run.work / 3600:.1f} | "
              f"{run.moved / 1e9:.1f} | {run.peak / 1e9:.2f} | {run.tasks} |")  # fmt: skip


if __name__ == "__main__":
    main()
