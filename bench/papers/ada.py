"""[ADA], section 4.1: online regression with absolute loss on a stream of nearly low rank; online classification."""

from __future__ import annotations

import numpy as np

from bench.papers.measures import POINTS
from bench.papers.printed import ADA_TABLE_3
from bench.papers.report import Panel, Report
from bench.papers.runner import Experiment, Jobs, Results, Scale

#: In the order of the paper's Table 3.
METHODS = ("ADA-FULL", "ADA-DIAG", "RADAGRAD", "RP-SON", "ADA-GP", "ADA-DP")
PERMUTATIONS = range(5)


def job_of(method: str, eta: float, sigma: float, tau: int, seed: int, loss: str) -> dict:
    """A method's options, its eta and sigma as in the paper; the order of rows and the random numbers by `seed`.

    RP-SON's eta: its step eta H^-1 g with H = sigma I + sum g g' / sqrt(i) is the step of rows that weigh 1 / eta with
    alpha = sigma / eta^2.
    """
    if method == "RP-SON":
        options = {"method": "rp-son", "alpha": sigma / eta**2, "sigma": 0.0, "eta": "1/sqrt(t)"}
        extra = {"weight": 1 / eta}
    else:
        options, extra = {"method": method.lower(), "learning_rate": eta, "delta": sigma}, {}
    if method not in ("ADA-FULL", "ADA-DIAG"):
        options |= {"sketch_size": tau, "seed": seed}
    return {"measure": "learn", "seed": seed, "options": options | {"loss": loss}} | extra


def best_setting(results: Results, name: str, method: str, what: str) -> tuple[float, float]:
    """(eta, sigma) with the least `what` among those tuned on; what was not tuned takes those of ADA-GP."""
    tuned = {k[3:5]: r[what] for k, r in results.items() if k[:3] == ("tune", name, method) and r.get(what) is not None}
    return min(tuned, key=tuned.__getitem__) if tuned else best_setting(results, name, "ADA-GP", what)


def rounds_of(results: list[dict], curve: str) -> tuple[np.ndarray, np.ndarray]:
    """(rounds, summed losses or mistakes so far), the mean of several orders."""
    rounds = np.arange(1, POINTS + 1) * results[0]["rows"] / POINTS
    return rounds, np.mean([r[curve] for r in results], axis=0) * rounds


def mean(results: list[dict], what: str) -> float:
    return float(np.mean([r[what] for r in results]))


# -- Figure 1: regression ---------------------------------------------------------------------------------------------

GRID = tuple(10.0**j for j in range(-4, 3))
STREAM, TAU, T = "low-rank 0", 10, 10_000
#: Rounds of ADA-FULL, which decomposes a 500 x 500 matrix in each.
T_FULL = 2000
TAUS = (2, 5, 10, 20, 40)


def regression_jobs(scale: Scale, sets: list[str]) -> Jobs:
    jobs: Jobs = {}
    grid = scale(GRID, (0.01, 1.0))
    for method in METHODS[1:]:
        for eta in grid:
            for sigma in grid:
                job = job_of(method, eta, sigma, TAU, 0, "absolute") | {"set": STREAM, "rows": scale(T, 500)}
                jobs["tune", STREAM, method, eta, sigma] = job
    return jobs


def regression_then(scale: Scale, results: Results) -> Jobs:
    """Five orders, and several tau, at the best setting; ADA-FULL once, and short."""
    jobs: Jobs = {}
    for seed in scale(PERMUTATIONS, (0, 1)):
        for method in METHODS[seed > 0 or scale.quick :]:
            best = best_setting(results, STREAM, method, "loss")
            sketched = method not in ("ADA-FULL", "ADA-DIAG")
            for tau in TAUS if seed == 0 and sketched and not scale.quick else (TAU,):
                rows = scale(T_FULL if method == "ADA-FULL" else T, 500)
                job = job_of(method, *best, tau, seed, "absolute") | {"set": STREAM, "rows": rows}
                jobs["run", STREAM, method, tau, seed] = job
    return jobs


def show_regression(results: Results, report: Report) -> None:
    runs = {key[2:]: r for key, r in results.items() if key[0] == "run"}
    methods = [m for m in METHODS if (m, TAU, 0) in runs]
    at_tau = {m: [r for key, r in runs.items() if key[:2] == (m, TAU)] for m in methods}
    regret = {m: rounds_of(mine, "losses") for m, mine in at_tau.items()}
    n = at_tau["ADA-GP"][0]["rows"]
    early = at_tau[methods[0]][0]["rows"]
    rows = []
    for method, mine in at_tau.items():
        setting = "{:g}, {:g}".format(*best_setting(results, STREAM, method, "loss"))
        first = float(np.interp(early, *regret[method]))
        whole = mean(mine, "loss") * n if mine[0]["rows"] == n else None
        spread = float(np.std([r["loss"] * n for r in mine])) if len(mine) > 1 else None
        rows.append([method, setting, len(mine), first, whole, spread, 1e6 * mean(mine, "seconds")])
    heads = ["", "eta, sigma", "orders", f"regret, {early} rounds", f"{n} rounds", "its deviation", "us a round"]
    report.table(f"Regret, tau = {TAU}", heads, rows)
    taus = sorted({tau for _, tau, _ in runs})
    by_tau = {m: [runs.get((m, t, 0), runs[m, TAU, 0])["loss"] * n for t in taus] for m in methods if m != "ADA-FULL"}
    rows = [[m, *values] for m, values in by_tau.items()]
    report.table("Regret against tau (one order)", ["", *(f"tau = {t}" for t in taus)], rows)
    times = {m: (regret[m][0], mean(mine, "seconds") * regret[m][0]) for m, mine in at_tau.items()}
    totals = {m: (taus, values) for m, values in by_tau.items()}
    panels = [
        Panel("(a)", "rounds", "regret", regret, log="y"),
        Panel("(b)", "rounds", "seconds of processor time", times, log="y"),
        Panel("(c)", "tau", "regret at the end", totals, log="xy"),
    ]
    report.figure(panels, "[ADA] Figure 1", across=3)


# -- Figure 2, Table 3: classification --------------------------------------------------------------------------------

#: Our names, classes, tau, and the paper's name; satimage is not in the paper.
SETS = {"usps, 10 classes": (10, 15, "Usps"), "satimage, 6 classes": (6, 6, None)}
CLASS_GRID = tuple(10.0**j for j in range(-4, 2))
TUNE_ROWS = 1500
#: Where ADA-FULL takes too long to be tuned, or to be run with more than one order.
LARGE = ("usps, 10 classes",)


def class_job(name: str, method: str, setting: tuple[float, float], seed: int, rows: int | None) -> dict:
    """Cross-entropy over all classes, which share the matrix; tested on the set's own test part."""
    classes, tau, _ = SETS[name]
    job = job_of(method, *setting, tau, seed, "logistic") | {"set": name, "rows": rows, "test": True}
    job["options"]["multinomial"] = classes
    return job


def class_jobs(scale: Scale, sets: list[str]) -> Jobs:
    grid, rows = scale(CLASS_GRID, (0.01, 1.0)), scale(TUNE_ROWS, 300)
    return {
        ("tune", name, method, eta, sigma): class_job(name, method, (eta, sigma), 0, rows)
        for name in SETS if name in sets and not (scale.quick and name in LARGE)
        for method in METHODS if not (method == "ADA-FULL" and name in LARGE)
        for eta in grid for sigma in grid
    }  # fmt: skip


def class_then(scale: Scale, results: Results) -> Jobs:
    return {
        ("run", name, method, seed): class_job(
            name, method, best_setting(results, name, method, "error"), seed, scale(None, 300)
        )
        for name in dict.fromkeys(key[1] for key in results)
        for method in METHODS
        for seed in ((0,) if scale.quick or (method == "ADA-FULL" and name in LARGE) else PERMUTATIONS)
    }


def show_classes(results: Results, report: Report) -> None:
    panels = []
    for name in dict.fromkeys(key[1] for key in results):
        printed = dict(zip(METHODS, ADA_TABLE_3.get(SETS[name][2], (None,) * len(METHODS)), strict=True))
        rows, mistakes, pairs = [], {}, {}
        for method in METHODS:
            mine = [r for k, r in results.items() if k[:3] == ("run", name, method) and r["error"] is not None]
            setting = "{:g}, {:g}".format(*best_setting(results, name, method, "error"))
            accuracy, spread = 100 * (1 - mean(mine, "test")), 100 * float(np.std([r["test"] for r in mine]))
            pairs[method], mistakes[method] = (accuracy, printed[method]), rounds_of(mine, "errors")
            cells = [setting, len(mine), accuracy, spread, printed[method], float(mistakes[method][1][-1])]
            rows.append([method, *cells, 1e6 * mean(mine, "seconds")])
        heads = ["", "eta, sigma", "orders", "test accuracy (%)", "deviation", "paper", "mistakes", "us a round"]
        report.table(f"{name}, tau = {SETS[name][1]}: one pass", heads, rows)
        report.compare(f"Table 3, {name}", pairs, " points")
        panels.append(Panel(name, "rounds", "mistakes (mean over orders)", mistakes))
    report.figure(panels, "[ADA] Figure 2 (first row): online mistakes")


EXPERIMENTS = [
    Experiment(
        ("figure 1",), "online regression",
        f"T = {T:,}, d = 500, absolute loss, as described; eta and sigma the best of 10^-4 to 10^2 on one order, tau = "
        f"{TAU}, then five orders. The regret is the summed loss, since the best predictor has none. ADA-FULL (20 ms a "
        f"round) is not tuned: one order, at ADA-GP's setting, {T_FULL:,} rounds.",
        (STREAM,), regression_jobs, show_regression, regression_then,
    ),
    Experiment(
        ("figure 2", "table 3", "table 2"), "online classification",
        "Cross-entropy over all classes (--multinomial): one matrix of features, shared by the classes, of |c| x with "
        f"c the slopes of a row; eta and sigma the best of 10^-4 to 10 by mistakes over {TUNE_ROWS} rows, then five "
        "orders of the training part, one pass, tested on the test part. ADA-FULL on usps is not tuned: one order, at "
        "ADA-GP's setting. satimage is not in the paper.",
        ("gisette", "SensIT vehicle", *SETS), class_jobs, show_classes, class_then,
    ),
]  # fmt: skip
