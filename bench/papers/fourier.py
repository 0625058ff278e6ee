"""Where does sketching match the whole matrix? The papers' learners on random Fourier features, beside each other.

    python bench/papers/fourier.py [--rows N] [--sets A,B]

The view `fourier` of rows of numbers is what sketches are for: 600 dense, strongly correlated columns. Each learner
alone learns from it in one pass, predictions before labels, one seeded shuffle, at its best of a grid of five (alpha,
with squared loss, sigma = .1 and C = 5; r of drfd and arow-full; the rate of ADA and nag). Prints a Markdown table:
progressive error (values: squared error over the labels' variance) and processor time a row, that of the view left out.
docs/papers.md says what it showed.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from bench.quality import sets
from bench.table import Table
from sonlearn import LearnOptions, from_scipy
from sonlearn.data.rows import Rows
from sonlearn.learn.engine import Predictions
from sonlearn.learn.make import make_engine
from sonlearn.views import make_view
from sonlearn.views.index import intern, new_index

SETS = ("svm/magic04", "svm/letter.scale", "svm/usps", "regression/elevators", "regression/pol", "regression/ccpp")
SIZES = (10, 30, 100)
ALPHAS, RATES, R = (0.01, 0.1, 1.0, 10.0, 100.0), (0.01, 0.03, 0.1, 0.3, 1.0), (0.003, 0.01, 0.03, 0.1, 0.3)
#: Heading: method, the option of the grid, its values, and whether it takes m.
LEARNERS = {
    "rfd": ("rfd-son", "alpha", ALPHAS, True),
    "fd": ("fd-son", "alpha", ALPHAS, True),
    "oja": ("oja-son", "alpha", ALPHAS, True),
    "ada-gp": ("ada-gp", "learning_rate", RATES, True),
    "drfd": ("drfd", "arow_r", R, True),
    "nag": ("nag", "learning_rate", (0.05, 0.15, 0.5, 1.5, 5.0), False),
    "full-on": ("full-on", "alpha", ALPHAS, False),
    "arow-full": ("arow-full", "arow_r", R, False),
}


def shown(name: str, rows: int) -> tuple[Rows, int, bool]:
    """(rows as the view shows them, how many features, whether labels are values, in standard deviations)."""
    data = sets.load(name, rows)
    values = data.kind == "regression"
    y = (data.y - data.y.mean()) / data.y.std() if values else data.y
    raw, index = intern(from_scipy(data.X, y), new_index(), True)
    view = make_view("fourier")
    state, out = view.fit_transform(view.reserve(view.new(), raw, int(index.size[0])), raw)
    return out, view.features(state), values


def measured(method: str, values: bool, rows: Rows, features: int, **more: float) -> tuple[float, float]:
    """(error, microseconds a row) of one pass; infinite where the learner refuses a row."""
    losses = {"drfd": "hinge", "arow-full": "squared_hinge", "ada-gp": "logistic"}
    loss = "squared" if values else losses.get(method, "squared")
    plain = {"sigma": 0.1, "clip": 5.0} if option_of(method) == "alpha" else {}
    plain |= {"scale": "none"} if method.endswith("-son") else {}
    engine = make_engine(LearnOptions(method=method, loss=loss, **plain, **more), dense=True)
    out, begin = Predictions.empty(len(rows.y)), time.process_time()
    _, at = engine.learn(engine.reserve(engine.new(), rows, features), rows, out, 0)
    took = (time.process_time() - begin) / len(rows.y) * 1e6
    if at < len(rows.y):
        return np.inf, took
    wrong = (out.prediction - rows.y) ** 2 if values else (out.prediction > 0) != (rows.y > 0)
    return float(np.mean(wrong)), took


def option_of(method: str) -> str:
    """The option of the method's grid."""
    return next(option for name, option, _, _ in LEARNERS.values() if name == method)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=4000, metavar="N", help="rows of a set, at most")
    parser.add_argument("--sets", type=lambda text: text.split(","), metavar="A,B", help="these sets only")
    given = parser.parse_args()
    names = [name for name in SETS if not given.sets or sets.short(name) in given.sets]
    table = Table("Learners on random Fourier features", ["learner", "m", *map(sets.short, names), "us a row"])
    data = {name: shown(name, given.rows) for name in names}
    for heading, (method, option, grid, takes_m) in LEARNERS.items():
        for m in SIZES if takes_m else (None,):
            best, took = [], []
            for rows, features, values in data.values():
                size = {} if m is None else {"sketch_size": m}
                cells = [measured(method, values, rows, features, **size, **{option: value}) for value in grid]
                best.append(min(error for error, _ in cells))
                took.append(min(us for _, us in cells))
            table.row(heading, m or "-", *best, float(np.mean(took)))


if __name__ == "__main__":
    main()
