"""Tables as people have them, made up: hourly loads predicted 30 days ahead, and customers who leave; in one pass.

    python bench/tables.py [--only loads|customers] [--seeds N]

Loads: a time stamp, the temperature and holidays, in their order; the load follows hour, weekday, heating, cooling and
a trend. The rows of the last 30 days are predicted without labels: root of the mean squared error, without the month as
well, and the share of labels within intervals for .9. Customers: numbers, some missing, names, a date of which the time
since then tells and month, weekday and hour do not, and a note; log-odds are linear, and much is chance. A quarter of
the rows is held out: log loss and area under the curve. Beside ridge and logistic regression on indicators of the same
parts of dates, and boosted trees; these see the rows as often as they want to.
"""

from __future__ import annotations

import argparse
import io
import itertools
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.processes import SONLEARN, TRAIN, measured, with_output
from bench.table import Table

#: Days learned, first day and hourly trend.
LOADS = ((300, "2023-03-01", 0.002), (365, "2023-01-01", 0.002), (365, "2023-01-01", 0.01), (400, "2022-06-10", 0.002),
         (550, "2022-01-01", 0.002), (730, "2022-01-01", 0.002), (900, "2021-05-01", 0.002))  # fmt: skip
AHEAD = 30
TREES = (HistGradientBoostingClassifier, HistGradientBoostingRegressor)
#: Share of customers who leave, and rows.
CUSTOMERS = ((0.37, 10_000), (0.1, 10_000), (0.015, 20_000))
WORDS = np.array([f"w{i}" for i in range(32)])


def loads(days: int, start: str, trend: float, seed: int) -> pd.DataFrame:
    """Hourly rows of so many days and `AHEAD` more."""
    rng, t = np.random.default_rng(seed), pd.date_range(start, periods=24 * (days + AHEAD), freq="h")
    hour, late, day = t.hour.to_numpy(), t.day_of_week.to_numpy() >= 5, t.day_of_year.to_numpy()
    weather = np.convolve(rng.normal(size=len(t) + 71), np.ones(72) / 72, "valid")
    warm = 10 - 10 * np.cos(2 * np.pi * (day - 20) / 365) + 4 * np.sin(2 * np.pi * (hour - 9) / 24) + 6 * weather
    load = 500 + np.where(late, 60 * np.sin(np.pi * (hour - 10) / 12) - 80, 120 * np.sin(np.pi * (hour - 8) / 12))
    load += 8 * np.maximum(0, 15 - warm) + 6 * np.maximum(0, warm - 22) + trend * np.arange(len(t))
    return pd.DataFrame({
        "at": t.strftime("%Y-%m-%d %H:%M"), "temperature": warm.round(2),
        "holiday": np.isin(day, [1, 121, 276, 359, 360]).astype(int), "y": (load + rng.normal(0, 15, len(t))).round(1),
    })  # fmt: skip


def customers(share: float, n: int, seed: int) -> pd.DataFrame:
    """Customers of whom about this share leaves: "yes"."""
    rng = np.random.default_rng(seed)
    days, monthly, calls = rng.integers(10, 1400, n), rng.gamma(4, 12, n).round(2), rng.poisson(1.2, n)
    usage, angry = rng.lognormal(2, 0.8, n), rng.random(n) < 0.15
    plan, pays = rng.integers(0, 4, n), rng.integers(0, 3, n)
    z = 0.5 * calls + 0.02 * monthly - 0.0015 * days - 0.25 * np.log(usage) + 1.2 * angry
    z += np.array([0.5, 0, -0.3, -0.6])[plan] + np.array([-0.2, 0.3, 0])[pays] + rng.logistic(size=n)
    at = pd.Timestamp("2025-01-01") - pd.to_timedelta(days, "D") + pd.to_timedelta(rng.integers(0, 1440, n), "min")
    notes = [" ".join(rng.choice(WORDS, rng.integers(3, 12))) + " cancel angry" * bool(each) for each in angry]
    return pd.DataFrame({
        "plan": np.array(["basic", "plus", "pro", "team"])[plan], "pays": np.array(["card", "bank", "paypal"])[pays],
        "monthly": monthly, "calls": calls, "usage": np.where(rng.random(n) > 0.05, usage.round(1), np.nan),
        "age": rng.integers(18, 80, n), "at": at.strftime("%Y-%m-%d %H:%M"), "note": notes,
        "y": np.where(z > np.quantile(z, 1 - share), "yes", "no"),
    })  # fmt: skip


def ours(rows: pd.DataFrame, n: int, *flags: str) -> pd.DataFrame:
    """What is predicted of all rows but the first n, by what has learned these."""
    with tempfile.TemporaryDirectory() as folder:
        for name, part in (("old", rows[:n]), ("new", rows[n:])):
            part.to_csv(f"{folder}/{name}.csv", index=False)
        measured([*TRAIN, "--label", "y", "-f", f"{folder}/model", *flags, f"{folder}/old.csv"])
        asked = ["predict", "--quiet", "-i", f"{folder}/model", "--output", "csv", "-p", "-", f"{folder}/new.csv"]
        return pd.read_csv(io.StringIO(with_output([*SONLEARN, *asked])[1]))


def parts(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the parts of dates in place of these, without label and note."""
    at = pd.to_datetime(rows["at"])
    named = {"month": at.dt.month_name(), "weekday": at.dt.day_name(), "hour": at.dt.hour.astype(str)}
    return rows.drop(columns=["at", "y", "note"], errors="ignore").assign(year=at.dt.year, **named)


def peer(model: Any, rows: pd.DataFrame, n: int) -> tuple[Any, pd.DataFrame]:
    """(the pipeline that has learned the first n rows: columns encoded, and the model; the other rows)."""
    X, names = parts(rows), OneHotEncoder(handle_unknown="ignore")
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    if isinstance(model, TREES):
        names, numbers = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1), "passthrough"
    kinds = make_column_selector(dtype_include="number"), make_column_selector(dtype_exclude="number")
    steps = [("numbers", numbers, kinds[0](X)), ("names", names, kinds[1](X))]
    if "note" in rows and not isinstance(model, TREES):
        X, steps = X.assign(note=rows["note"]), [*steps, ("words", TfidfVectorizer(), "note")]
    return make_pipeline(ColumnTransformer(steps), model).fit(X[:n], rows["y"][:n]), X[n:]


def show_loads(seeds: int) -> None:
    """A row for each kind of series."""
    columns = ["days", "trend", "seed", "RMSE", "without month", "within .9", "ridge", "trees"]
    table = Table("loads, 30 days ahead", columns)
    for seed, (days, start, trend) in itertools.product(range(1, seeds + 1), LOADS):
        rows, n = loads(days, start, trend, seed), 24 * days
        y, said = rows["y"].to_numpy()[n:], ours(rows, n, "--loss", "squared", "--coverage", ".9")
        found = [said["prediction"], ours(rows, n, "--loss", "squared", "--ignore", "at.month")["prediction"]]
        for model in (Ridge(), HistGradientBoostingRegressor()):
            fitted, new = peer(model, rows, n)
            found.append(fitted.predict(new))
        errors = [float(np.sqrt(np.mean((each - y) ** 2))) for each in found]
        table.row(days, trend, seed, *errors[:2], float(said["low"].le(y).mul(said["high"].ge(y)).mean()), *errors[2:])


def show_customers(seeds: int) -> None:
    """A row for each share of customers who leave, without and with a note."""
    columns = ["leave", "note", "seed", "log loss", "area", "logistic", "area", "trees", "area"]
    table = Table("customers", columns)
    for seed, (share, count), note in itertools.product(range(1, seeds + 1), CUSTOMERS, (False, True)):
        rows, n = customers(share, count, seed), count * 3 // 4
        rows = rows if note else rows.drop(columns="note")
        y, found = (rows["y"] == "yes").to_numpy()[n:], [ours(rows, n, *["--text", "note"] * note)["probability"]]
        for model in (LogisticRegression(max_iter=500), HistGradientBoostingClassifier()):
            fitted, new = peer(model, rows, n)
            found.append(fitted.predict_proba(new)[:, 1])
        scores = [float(score(y, p)) for p in found for score in (log_loss, roc_auc_score)]
        table.row(share, "yes" if note else "no", seed, *scores)


def main() -> None:
    """Show both, or one."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=["loads", "customers"])
    parser.add_argument("--seeds", type=int, default=1)
    given = parser.parse_args()
    for name, show in (("loads", show_loads), ("customers", show_customers)):
        if given.only in (None, name):
            show(given.seeds)


if __name__ == "__main__":
    main()
