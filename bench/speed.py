"""How fast it is, in one table: whole processes beside their peers', each with its goal.

    python bench/speed.py                       # everything, over a million rows
    python bench/speed.py --quick               # few rows and runs, to see that it works: no figures to quote
    python bench/speed.py --only flat,start --rows 200000 --runs 5

Medians of several runs, in which the commands take turns; kernels are compiled and files in memory before. A row has
seconds on the clock, user and system seconds of all threads ("busy"), and peak memory of the process alone. Ratios are
the first peer's seconds by ours, on the clock and busy, from the same runs: a goal is met where both reach it. All read
the same file with the options in the column "command", everything else as it comes (so each has its own default loss).

  flat, rcv1, a9a   sketched Newton beside Vowpal Wabbit's OjaNewton (epoch_size 1, its default, is what is compared;
                    epoch_size m is its cheapest), and first order beside its default, both on one core
  start             100 lines, `inspect`, `--help`: kernels compiled, files read before
  first             100 lines with an empty $SONLEARN_CACHE_DIR
  memory            peak memory at 40,000 features
  width             d = 1e7 against 1e4, rows of exactly 100 features. Learning alone: every feature has been seen, in
                    an order in which a Zipf stream first shows them; then blocks of 4,000 Zipf rows, the two in turns,
                    all that `Learner.partial_fit` does. End to end: 200,000 Zipf rows, of whose features most are new
  cores             the same command on one core and on two (its affinity is set, its options are not)
  sklearn           `bench/partial_fit.py` beside ours
  wait              whole processes on real text and real short rows, repeated: the committee and others
  sizes             processor microseconds a row against m, s and d (else m = 10, s = 100, d = 1e5); Zipf rows of
                    exactly s features. "Learning": in process, the second half of the stream, without text. "RFD",
                    "VW": whole processes, the time of all rows less that of the first half, so that no start is in it

Streams are written once, under bench/out (4 GB at a million rows). "flat" is made up: d = 40,000, 63 distinct features
a row, a flat spectrum, the hard case for a sketch; "rcv1" and "a9a" are the real sets repeated, from ../shared/data or
$SONLEARN_DATA, and left out where they are not there.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import growth, sections
from bench.sections import Bench
from bench.table import Costs, headline, load, say

#: Name of a section -> what measures it.
SECTIONS: dict[str, Callable[[Bench], None]] = {
    "flat": sections.sketched(None), "rcv1": sections.sketched("svm/rcv1sub.binary"),
    "a9a": sections.sketched("svm/a9a"), "wait": sections.wait, "start": sections.start, "first": sections.first_run,
    "memory": sections.memory, "width": growth.width, "cores": sections.two_cores, "sklearn": sections.loop,
    "sizes": growth.sizes,
}  # fmt: skip
QUICK = ("flat", "start", "first", "memory", "width", "cores", "sklearn")


def chosen(text: str | None, quick: bool) -> list[str]:
    """Names of sections.

    Raises
    ------
    SystemExit
        There is no section of that name.
    """
    names = text.split(",") if text else list(QUICK if quick else SECTIONS)
    for name in names:
        if name not in SECTIONS:
            raise SystemExit(f"bench/speed.py: no section {name!r}; there are {', '.join(SECTIONS)}")
    return names


def main(arguments: list[str] | None = None) -> None:
    """Print the table, a row as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="10,000 rows, 3 runs, shorter sections")
    parser.add_argument("--only", metavar="NAMES", help=f"sections, of {', '.join(SECTIONS)}")
    parser.add_argument("--rows", type=int, metavar="N", help="rows of a stream (default 1,000,000)")
    parser.add_argument("--runs", type=int, metavar="N", help="runs that medians are of (default 5)")
    options = parser.parse_args(arguments)
    rows = options.rows or (10_000 if options.quick else 1_000_000)
    runs = options.runs or (3 if options.quick else 5)
    names = chosen(options.only, options.quick)
    print(headline(f"{rows:,} rows, medians of {runs} runs") + "\n", flush=True)
    if (load() or 0) > 0.5:
        print("the machine is busy: these figures are provisional", file=sys.stderr)
    table = Costs()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(rows, runs, options.quick, table, folder)
        for name in names:
            SECTIONS[name](bench)
    say("")
    after = load()
    print(f"\n{table.goals()}{'' if after is None else f'; load {after:.2f} at the end'}")


if __name__ == "__main__":
    main()
