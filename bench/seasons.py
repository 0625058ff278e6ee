"""Slow seasons: hourly load with weather over two and a half years, then 60 days ahead without labels.

    python bench/seasons.py [--seed N] [--write load.csv]

The root of the mean squared error over those days: of the committee on the rows in their order and shuffled, of ridge
on indicators of hour (also at weekends), weekday, month, holiday and bins of temperature, and of scikit-learn's boosted
trees; and the share of labels within intervals of 90 %, with labels and without. The noise is 700, the load 10,000.
"""

from __future__ import annotations

import argparse
import datetime
import io
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.conformal import in_order
from sonlearn import Batch, Learner, LearnOptions, TextOptions, read_batches
from sonlearn.data.batch import joined

#: Two and a half years to the end of December, and 60 days ahead.
START, HOURS, AHEAD, NOISE = datetime.datetime(2020, 7, 1), 914 * 24, 60 * 24, 700.0
HOLIDAYS = {(1, 1), (1, 6), (5, 1), (8, 15), (10, 3), (11, 1), (12, 25), (12, 26)}
HEADER = "time,temperature,holiday,load\n"


def made(seed: int) -> list[str]:
    """Lines of CSV: a time stamp, the temperature, whether it is a holiday, and the load."""
    draw, n = np.random.default_rng(seed), HOURS + AHEAD
    times = [START + datetime.timedelta(hours=k) for k in range(n)]
    hour, weekend = np.arange(n) % 24, np.array([time.weekday() > 4 for time in times])
    holiday = np.array([(time.month, time.day) in HOLIDAYS for time in times])
    weather = np.zeros(n)
    for k in range(1, n):
        weather[k] = 0.98 * weather[k - 1] + 0.8 * draw.normal()
    year = np.cos(2 * np.pi * (np.arange(n) / 24 - 20) / 365.25)
    temperature = 11 + 10 * year + 4 * np.cos(2 * np.pi * (hour - 15) / 24) + weather
    day = 1500 * np.exp(-(((hour - 9) / 3.0) ** 2)) + 2000 * np.exp(-(((hour - 19) / 3.0) ** 2))
    load = 6500 + day * np.where(weekend | holiday, 0.6, 1.0) - 900 * weekend - 1200 * (holiday & ~weekend)
    load += 400 * 2 * np.logaddexp(0, (15 - temperature) / 2) + 500 * 2 * np.logaddexp(0, (temperature - 21) / 2)
    load += 150 * np.arange(n) / 8766 + NOISE * draw.normal(size=n)
    return [f"{t},{c:.1f},{int(h)},{y:.0f}\n" for t, c, h, y in zip(times, temperature, holiday, load, strict=True)]


def batch_of(lines: list[str]) -> Batch:
    """The lines as the command line reads them."""
    text = io.BytesIO((HEADER + "".join(lines)).encode())
    return joined(list(read_batches(text, TextOptions(format="csv", label="load"))))


def columns_of(lines: list[str]) -> np.ndarray:
    """float64[n, 6]: hour, weekday, month, holiday, temperature, years."""
    rows = []
    for time, temperature, holiday, _ in (line.split(",") for line in lines):
        t = datetime.datetime.fromisoformat(time)
        rows.append((t.hour, t.weekday(), t.month, int(holiday), float(temperature), t.year))
    return np.array(rows)


def ridge(X: np.ndarray, y: np.ndarray, ahead: np.ndarray, width: float) -> np.ndarray:
    """Predictions of ridge on indicators, temperature in bins of so many degrees; the year a number."""
    every = np.concatenate([X, ahead])
    bins = np.round(every[:, 4] / width)
    parts = [every[:, 5:] - every[0, 5]]
    parts += [(c[:, None] == np.unique(c)).astype(float) for c in (*every[:, :4].T, bins)]
    parts += [parts[1] * (every[:, 1:2] > 4)]
    A = np.concatenate(parts, axis=1)
    A, B = A[: len(X)], A[len(X) :]
    mean = y.mean()
    return mean + B @ np.linalg.solve(A.T @ A + np.eye(A.shape[1]), A.T @ (y - mean))


def rmse(p: np.ndarray, y: np.ndarray) -> float:
    """Root of the mean squared error."""
    return float(np.sqrt(np.mean((p - y) ** 2)))


def main() -> None:
    """Measure, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--write", type=Path, metavar="FILE")
    given = parser.parse_args()
    lines = made(given.seed)
    if given.write:
        given.write.write_text(HEADER + "".join(lines))
    batch, X = batch_of(lines), columns_of(lines)
    before, ahead = batch.part(0, HOURS), batch.part(HOURS, batch.n)
    order = np.random.default_rng(0).permutation(HOURS)
    for name, rows in (("in order", before), ("shuffled", in_order(before, order))):
        learner = Learner(LearnOptions(loss="squared", coverage=0.9))
        online, said = learner.partial_fit(rows), learner.predict(ahead)
        held = [np.mean((p.low <= b.y) & (b.y <= p.high)) for p, b in ((online, rows), (said, ahead))]
        learning, bias = rmse(online.prediction[1000:], rows.y[1000:]), np.mean(said.prediction - ahead.y)
        print(f"committee, {name}: {rmse(said.prediction, ahead.y):.0f}, bias {bias:.0f}, within {held[1]:.3f}; "
              f"while it learns {learning:.0f}, within {held[0]:.3f}", flush=True)  # fmt: skip
    for width in (3.0, 1.0):
        print(f"ridge, bins of {width:g} degrees: {rmse(ridge(X[:HOURS], before.y, X[HOURS:], width), ahead.y):.0f}")
    from sklearn.ensemble import HistGradientBoostingRegressor

    trees = HistGradientBoostingRegressor(random_state=0).fit(X[:HOURS], before.y)
    print(f"boosted trees: {rmse(trees.predict(X[HOURS:]), ahead.y):.0f}")


if __name__ == "__main__":
    main()
