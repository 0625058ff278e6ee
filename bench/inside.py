"""What is measured in process, by a process of its own: time of learning, without text or start.

Every function here returns a dict for JSON; `bench.processes.child` runs them, compiled as the command compiles.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from bench.quality.ours import batches_of, options_of
from bench.workloads import every_feature, zipf_stream
from sonlearn import Learner
from sonlearn.data.batch import Batch


def seconds_of(run: Callable[[], object]) -> float:
    """Processor seconds that a call takes: what is timed here runs on one thread, and others may want its core."""
    begin = time.process_time_ns()
    run()
    return (time.process_time_ns() - begin) / 1e9


def learn(learner: Learner, batches: Sequence[Batch]) -> None:
    """Learn all of them in order."""
    for batch in batches:
        learner.partial_fit(batch)


def width(widths: list[int], s: int, flags: list[str], runs: int, block: int = 4000) -> dict[str, Any]:
    """Microseconds a row against the number of features, all of which have been seen.

    Learners of each width first see every feature once (`every_feature`). Then they learn further Zipf rows of exactly
    s features, in blocks and in turns; medians of `runs` blocks after one that does not count.
    """
    found: dict[str, Any] = {}
    blocks = {d: [batches_of(*zipf_stream(block, d, s, seed, exact=True)) for seed in range(runs + 1)] for d in widths}
    for own in flags:
        learners = {d: Learner(options_of(own)) for d in widths}
        for d, learner in learners.items():
            learn(learner, batches_of(*every_feature(d, s)))
        times: dict[int, list[float]] = {d: [] for d in widths}
        for turn in range(runs + 1):
            for d, learner in learners.items():
                times[d].append(seconds_of(lambda learner=learner, d=d, turn=turn: learn(learner, blocks[d][turn])))
        found[own] = {str(d): statistics.median(own_times[1:]) / block * 1e6 for d, own_times in times.items()}
    return found


def learning(d: int, s: int, n: int, flags: list[str], runs: int) -> dict[str, Any]:
    """Microseconds a row of learning alone over the second half of n Zipf rows of exactly s features.

    Medians of `runs` blocks that the second half is cut into.
    """
    batches = batches_of(*zipf_stream(n, d, s, exact=True), -(-n // (2 * runs)))
    found: dict[str, Any] = {}
    for own in flags:
        learner = Learner(options_of(own))
        learn(learner, batches[: len(batches) // 2])
        rest = batches[len(batches) // 2 :]
        times = [seconds_of(lambda b=b, learner=learner: learner.partial_fit(b)) / b.n for b in rest]
        found[own] = statistics.median(times) * 1e6
    return found
