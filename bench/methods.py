"""Every method side by side: time, memory and error on three text sets and three small ones.

    python bench/methods.py [--limit N] [--methods nag,rfd-son,...]

A method runs in a process of its own, over the first N rows (default 3,000) of each set in a seeded order, once to warm
up and once to be measured: microseconds of processor time an example, and the error of predictions made before each
label was used. `MB` is the largest of the six models: all arrays of a learner's state. Sketched methods run at m = 10
and 20, others once. A method that refuses a set (the whole matrix of too many features) has a dash there. The data are
not part of the project (bench/rows.py says where they are looked for).
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from bench.processes import child  # noqa: E402
from bench.quality.ours import batches_of  # noqa: E402
from bench.rows import DATA, read, shuffled  # noqa: E402
from bench.table import Table  # noqa: E402
from sonlearn import Learner, LearnOptions, SonlearnError  # noqa: E402
from sonlearn.options.methods import METHODS  # noqa: E402

SETS = ("rcv1sub.binary", "farm-ads", "sms", "a9a", "mushrooms", "phishing")
BATCH = 512


def once(options: dict, rows: list) -> tuple[float, float, float]:
    """(microseconds an example, error, megabytes of the model) of one run."""
    learner, wrong, started = Learner(LearnOptions(**options)), 0, time.process_time()
    for batch in rows:
        wrong += int(((learner.partial_fit(batch).prediction > 0) != (batch.y > 0)).sum())
    n = sum(batch.n for batch in rows)
    seconds = time.process_time() - started
    return 1e6 * seconds / n, wrong / n, sum(array.nbytes for array in learner.to_arrays()[1].values()) / 2**20


def measure(options: dict, limit: int) -> dict:
    """What one process finds out: {set: [microseconds, error, megabytes] or null}."""
    found: dict = {}
    for name in SETS:
        X, y = shuffled(*read(DATA / "svm" / f"{name}.svm.gz"), limit)
        rows = batches_of(X, np.where(y > 0, 1.0, -1.0), BATCH)
        try:
            once(options, rows[:2])
            found[name] = once(options, rows)
        except SonlearnError:
            found[name] = None
    return found


def settings(chosen: list[str]) -> list[dict]:
    """Options of every row of the table."""
    rows = []
    for name in chosen:
        sizes = (10, 20) if "sketch_size" in METHODS[name].takes and name not in ("gd", "committee") else (None,)
        more = {"members": "nag,arow"} if name == "mixture" else {}
        rows += [{"method": name, **more, **({"sketch_size": m} if m else {})} for m in sizes]
    return rows


def main() -> None:
    """Print the table, a row as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=3000)
    parser.add_argument("--methods", default=",".join(METHODS))
    arguments = parser.parse_args()
    missing = [name for name in SETS if not (DATA / "svm" / f"{name}.svm.gz").exists()]
    if missing:
        raise SystemExit(f"no {', '.join(missing)} under {DATA}: set SONLEARN_DATA")
    table = Table("", ["us an example / error", *SETS, "MB"])
    for options in settings(arguments.methods.split(",")):
        found = child("bench.methods", "measure", options=options, limit=arguments.limit)
        cells = ["-" if found[name] is None else f"{found[name][0]:.1f} / {found[name][1]:.4f}" for name in SETS]
        name = options["method"] + (f" m = {options['sketch_size']}" if "sketch_size" in options else "")
        table.row(name, *cells, f"{max(found[name][2] for name in SETS if found[name]):.1f}")


if __name__ == "__main__":
    main()
