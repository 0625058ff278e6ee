"""What is measured in process, by a process of its own: time of learning and of each stage, without text or start.

Every function here returns a dict for JSON; `bench.processes.child` runs them, compiled as the command compiles.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from bench.workloads import Part, every_feature, zipf_stream
from sonlearn import Learner, LearnOptions, from_scipy, read_batches
from sonlearn.data.batch import Batch
from sonlearn.text.read import Reader
from sonlearn.views.index import intern, new_index

BATCH = 2000


def batches_of(part: Part, rows: int = BATCH) -> list[Batch]:
    """The rows as a learner takes them, so many at a time."""
    X, y = part
    return [from_scipy(X[i : i + rows], y[i : i + rows]) for i in range(0, len(y), rows)]


def seconds_of(run: Callable[[], object]) -> float:
    """Processor seconds that a call takes: what is timed here runs on one thread, and others may want its core."""
    begin = time.process_time_ns()
    run()
    return (time.process_time_ns() - begin) / 1e9


def learn(learner: Learner, batches: Sequence[Batch]) -> None:
    """Learn all of them in order."""
    for batch in batches:
        learner.partial_fit(batch)


def options_of(flags: str) -> LearnOptions:
    """Options of learning as the command line takes them."""
    from sonlearn.commands.line import parse

    return LearnOptions(**parse("train", flags.split())[0])


def width(widths: list[int], s: int, flags: list[str], runs: int, block: int = 4000) -> dict[str, Any]:
    """Microseconds a row against the number of features, all of which have been seen.

    Learners of each width first see every feature once (`every_feature`). Then they learn further Zipf rows of exactly
    s features, in blocks and in turns; medians of `runs` blocks after one that does not count.
    """
    found: dict[str, Any] = {}
    blocks = {d: [batches_of(zipf_stream(block, d, s, seed, exact=True)) for seed in range(runs + 1)] for d in widths}
    for own in flags:
        learners = {d: Learner(options_of(own)) for d in widths}
        for d, learner in learners.items():
            learn(learner, batches_of(every_feature(d, s)))
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
    batches = batches_of(zipf_stream(n, d, s, exact=True), -(-n // (2 * runs)))
    found: dict[str, Any] = {}
    for own in flags:
        learner = Learner(options_of(own))
        learn(learner, batches[: len(batches) // 2])
        rest = batches[len(batches) // 2 :]
        times = [seconds_of(lambda b=b, learner=learner: learner.partial_fit(b)) / b.n for b in rest]
        found[own] = statistics.median(times) * 1e6
    return found


def stages(path: str, rows: int, flags: list[str], runs: int) -> dict[str, Any]:
    """Microseconds a row of each stage over the first `rows` rows of a file; medians of several runs after one more.

    read: every byte looked at once. parse: text to batches, in one thread. number: the features of the batches get
    their numbers. Then, of each of the flags, all that a learner does with a batch (numbering included).
    """
    batches, n = _first(path, rows)
    bytes_read = int(Path(path).stat().st_size * min(1.0, n / max(_rows_of(path), 1)))

    def parse() -> None:
        left = n
        for batch in Reader(path, threads=0):
            left -= batch.n
            if left <= 0:
                break

    def number() -> None:
        index = new_index()
        for batch in batches:
            _, index = intern(batch, index)

    runs_of = {"read": lambda: _transform(path, bytes_read), "parse": parse, "number": number}
    runs_of |= {own: lambda own=own: learn(Learner(options_of(own)), batches) for own in flags}
    times: dict[str, list[float]] = {name: [] for name in runs_of}
    for name, run in chain.from_iterable([runs_of.items()] * (runs + 1)):
        times[name].append(seconds_of(run))
    found = {name: statistics.median(own[1:]) / n * 1e6 for name, own in times.items()}
    return found | {f"shrinks of {own}": shrinks(path, own, min(n, 20_000)) for own in flags}


def shrinks(path: str, flags: str, rows: int) -> float:
    """Microseconds a row that shrinks take over the second half of the first rows of a file.

    Rows are learned one at a time, each timed. One in m + 1 has a shrink (where all m - 1 directions are kept), and
    they are the slowest: what the median of so many is above the median of the others, shared among all.
    """
    options, times = options_of(flags), []
    learner, m = Learner(options), options.sketch_size
    if not options.effective_sketch or m == 0:
        return 0.0
    for batch in islice(read_batches([path], chunk_bytes=1), rows):
        times.append(seconds_of(lambda batch=batch: learner.partial_fit(batch)))
    last = sorted(times[len(times) // 2 :])
    cut = len(last) - len(last) // (m + 1)
    return (statistics.median(last[cut:]) - statistics.median(last[:cut])) / (m + 1) * 1e6


def _first(path: str, rows: int) -> tuple[list[Batch], int]:
    """(the batches that hold the first rows of a file, their rows)."""
    batches, n = [], 0
    for batch in read_batches([path]):
        batches.append(batch)
        n += batch.n
        if n >= rows:
            break
    return batches, n


def _rows_of(path: str) -> int:
    with open(path, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def _transform(path: str, size: int) -> None:
    """Look at every byte of the beginning of a file."""
    with open(path, "rb", buffering=0) as file:
        for block in islice(iter(lambda: file.read(1 << 20), b""), -(-size >> 20)):
            block.count(b"\n")
