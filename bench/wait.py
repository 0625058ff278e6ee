"""How long a user waits: whole processes on real data, ours beside Vowpal Wabbit's, in turns.

    python bench/wait.py                   # text and short rows; some minutes
    python bench/wait.py --runs 3 --rows 100000

Each figure is the median of several runs, the commands taking turns so that a busy machine slows all of them: seconds
on the clock, of processors (user and system, all threads) and peak memory of a process that reads text, learns and
saves nothing; kernels are compiled before. Sets are repeated, each time in another order. Data: ../shared/data or
$SONLEARN_DATA; what is not there is left out, with a word. What a run costs before its first row, and goals, are in
`bench/speed.py`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.processes import TRAIN, VW, median
from bench.sections import SVM_FILE, VW_FILE, Bench
from bench.table import say

#: Name -> what is run.
COMMANDS = {
    "VW": [*VW, "-d", VW_FILE],
    "VW OjaNewton m=10": [*VW, "--OjaNewton", "--sketch_size", "10", "-d", VW_FILE],
    "committee": [*TRAIN, SVM_FILE],
    "committee, cheap": [*TRAIN, "--budget", "cheap", SVM_FILE],
    "nag": [*TRAIN, "--method", "nag", SVM_FILE],
    "rfd m=10": [*TRAIN, "--sketch", "rfd", "-m", "10", SVM_FILE],
}
#: Files of LIBSVM text and the rows that are read of them: text, and short rows.
SETS = {
    "svm/rcv1sub.binary": 98_696,
    "svm/covtype.binary.scale": 581_012,
    "svm/a9a": 325_610,
    "svm/frappe": 259_746,
}


def on_data(bench: Bench, name: str) -> None:
    """Print the rows of a data set."""
    try:
        files = bench.repeated(name, min(SETS[name], bench.rows))
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return
    commands = {key: own for key, own in COMMANDS.items() if bench.vw or not key.startswith("VW")}
    found = {key: median(own) for key, own in bench.compare(files, commands).items()}
    for key, (wall, busy, mb) in found.items():
        ratio = f"{wall / found['VW'].wall:.2f}" if "VW" in found else ""
        us = wall / files.rows * 1e6
        what = f"{name.split('/')[1]}: {files.rows:,}"
        print(f"| {what} | {key} | {wall:.2f} | {busy:.2f} | {mb:.0f} | {ratio} | {us:.1f} |", flush=True)


def main() -> None:
    """Print the table, the rows of a set as soon as they are there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="runs of each command (default %(default)s)")
    parser.add_argument(
        "--sets", nargs="*", default=list(SETS), choices=SETS, metavar="SET", help=f"of {', '.join(SETS)}"
    )
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of a set, at most (default %(default)s)")
    options = parser.parse_args()
    print("| rows | learner | wall s | processor s | MB | wall / VW | us a row |\n|---|---|---|---|---|---|---|")
    with Bench(options.rows, options.runs, False, None) as bench:
        for name in options.sets:
            on_data(bench, name)
    say("")


if __name__ == "__main__":
    main()
