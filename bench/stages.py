"""Where the time of a committee goes: microseconds a row of each view, member and combiner, on one thread.

    python bench/stages.py FILE [FLAGS OF train]            # all rows
    python bench/stages.py --rows 100000 data.svm --oaa 10

In process, processor time, after a few rows to compile. Rows are shown in windows that end where members are pruned (or
with the batch in which that is), because that changes what is at work. What takes less than a hundredth of a window is
left out. `bench/speed.py` has whole processes, and stages that every method has.
"""

from __future__ import annotations

import argparse
import collections
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.quality.ours import options_of
from sonlearn import Learner, read_batches
from sonlearn.data.batch import Batch
from sonlearn.learn import learner as numbering
from sonlearn.learn.ensemble import committee

WINDOWS = (4096, 16384, 65536)


class Stages:
    """Nanoseconds of processor time by the name of a stage."""

    def __init__(self) -> None:
        self.spent: collections.Counter[str] = collections.Counter()

    def time(self, owner: Any, verb: str, name: str) -> None:
        """From now on, count what calls of `verb` take."""
        call = getattr(owner, verb)

        def timed(*arguments: Any, **named: Any) -> Any:
            begin = time.thread_time_ns()
            try:
                return call(*arguments, **named)
            finally:
                self.spent[name] += time.thread_time_ns() - begin

        setattr(owner, verb, timed)

    def watch(self, learner: Learner) -> None:
        """Count what the committee's parts take."""
        engine = learner.engine
        for name, view in zip(engine.views.names, engine.views.every, strict=True):
            self.time(view, "transform", f"view {name}")
        for member, own in zip(engine.members, engine.engines, strict=True):
            self.time(own, "learn", member.name)
        self.time(committee, "run_calls", "combiners, tallies, drift")
        self.time(engine, "_pruned", "pruning")


def first_rows(batches: Iterable[Batch], most: int) -> Iterator[Batch]:
    """The batches that hold the first rows, so many at least."""
    for batch in batches:
        yield batch
        most -= batch.n
        if most <= 0:
            return


def report(spent: collections.Counter[str], begin: int, end: int, total: int) -> None:
    """The window from row `begin` to `end`, which took `total` nanoseconds."""
    print(f"\nrows {begin:,} to {end:,}: {total / (end - begin) / 1e3:.2f} us a row\n\n| stage | us a row |\n|---|---|")
    spent["the rest, most of it Python"] = total - spent.total()
    for name, own in spent.most_common():
        if own >= total / 100:
            print(f"| {name} | {own / (end - begin) / 1e3:.2f} |")


def run(batches: list[Batch], learner: Callable[[], Learner]) -> None:
    """Learn all rows, and report each window."""
    learner().partial_fit(batches[0])
    stages, measured = Stages(), learner()
    stages.time(numbering, "intern", "numbering")
    stages.watch(measured)
    begin = end = total = 0
    for batch in batches:
        before = time.thread_time_ns()
        measured.partial_fit(batch)
        total += time.thread_time_ns() - before
        end += batch.n
        if batch is batches[-1] or any(begin < window <= end for window in WINDOWS):
            report(stages.spent, begin, end, total)
            begin, total = end, 0
            stages.spent.clear()
    print("\nat work:", ", ".join(m["name"] for m in measured.engine.facts(measured.state)["members"] if m["active"]))


def main() -> None:
    """Print the stages of a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10**9, metavar="N", help="the first rows only")
    parser.add_argument("file")
    given, flags = parser.parse_known_args()
    batches = list(first_rows(read_batches([given.file]), given.rows))
    run(batches, lambda: Learner(options_of(" ".join(flags))))


if __name__ == "__main__":
    main()
