"""Rows ahead of which no labels come: the committee with the weights of members at rest, and with the usual ones.

    python bench/ahead.py [--limit N] [--sets NAME,...]

Each set in its order: the first .4, .6 and .8 are learned, one row after another, and the fifth after that predicted.
The loss is the squared error, or of two classes the log loss; `ratio` is that with the weights that `predict` takes
over that with those that were learned while labels came.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from bench.quality.ours import batches_of  # noqa: E402
from bench.quality.sets import IN_ORDER  # noqa: E402
from bench.quality.sets import load as load_set  # noqa: E402
from bench.streams import SETS, VALUES, load  # noqa: E402
from bench.table import Table  # noqa: E402
from sonlearn import Learner, LearnOptions, from_scipy  # noqa: E402

NAMES = (*IN_ORDER, *(name for name in SETS if name not in ("covtype7", "MetroTraffic")))


def losses(name: str, cut: float, limit: int) -> tuple[float, float]:
    """(loss by the weights that `predict` takes, by the usual ones)."""
    values = name in VALUES or name in IN_ORDER
    X, y = load_set(f"regression/{name}", limit)[2:] if name in IN_ORDER else load(name, limit)
    y = y if values else np.where(y == 2, 1.0, -1.0)
    n, end = int(cut * len(y)), int((cut + 0.2) * len(y))
    learner, found = Learner(LearnOptions(loss="squared") if values else LearnOptions()), []
    for batch in batches_of(X[:n], y[:n]):
        learner.partial_fit(batch)
    for _ in range(2):
        raw = learner.predict(from_scipy(X[n:end])).raw
        each = (raw - y[n:end]) ** 2 if values else np.logaddexp(0.0, -y[n:end] * raw)
        found.append(float(each.mean()))
        learner.state.resting.weights[:] = np.eye(len(learner.state.resting.weights))[-1]
    return found[0], found[1]


def main() -> None:
    """Read the flags."""
    flags = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    flags.add_argument("--limit", type=int, default=30_000)
    flags.add_argument("--sets", default=",".join(NAMES))
    given = flags.parse_args()
    table, ratios = Table("ahead", ["set", "learned", "loss", "usual", "ratio"]), []
    for name in given.sets.split(","):
        for cut in (0.4, 0.6, 0.8):
            own, usual = losses(name, cut, given.limit)
            ratios.append(own / usual)
            table.row(name, cut, own, usual, ratios[-1])
    print(f"geometric mean of the ratios: {np.exp(np.mean(np.log(ratios))):.3f}, largest {max(ratios):.3f}")


if __name__ == "__main__":
    main()
