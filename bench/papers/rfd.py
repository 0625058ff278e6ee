"""[RFD], section 6: how near the sketches come to A'A, and RFD-SON beside the methods that have an alpha_0 to tune."""

from __future__ import annotations

import numpy as np

from bench.papers.data import every_binary
from bench.papers.printed import RFD_TABLE_2, RFD_TABLE_3
from bench.papers.report import Panel, Report
from bench.papers.runner import Experiment, Jobs, Results, Scale

PAPER_SETS = ("a9a", "gisette", "sido0", "farm-ads", "rcv1", "real-sim")
#: The binary rcv1 could not be had: other documents of the same collection.
STANDS_FOR = {"rcv1sub.binary": "rcv1"}

# -- Figures 1, 2 -----------------------------------------------------------------------------------------------------

SKETCHES = {
    "FD": ("fd", {}), "CFD": ("cfd", {}), "RFD": ("rfd", {}),
    **{f"PFD-{share}": ("pfd", {"share": share}) for share in (0.2, 0.4, 0.6, 0.8)},
}  # fmt: skip
_WIDE = (10, 20, 30, 50, 75, 100)
#: Rows at most, and sketch sizes m.
MATRICES = {
    "a9a": (20_000, (6, 12, 25, 37, 49, 62)), "farm-ads": (None, _WIDE), "rcv1sub.binary": (5000, _WIDE),
    "mushrooms": (None, (6, 11, 22, 34, 45, 56)), "usps": (None, (13, 26, 51, 77, 102, 128)),
    "connectus": (20_000, (10, 26, 51, 102)), "covtype.binary.scale": (20_000, (5, 8, 11, 16, 22, 27)),
    "news20.mc": (5000, _WIDE),
}  # fmt: skip


def sketch_jobs(scale: Scale, sets: list[str]) -> Jobs:
    jobs: Jobs = {}
    for name, (rows, sizes) in MATRICES.items():
        if name not in sets or (scale.quick and name not in ("a9a", "mushrooms", "farm-ads")):
            continue
        for size in scale(sizes, sizes[1:4:2]):
            for label, (method, values) in SKETCHES.items():
                job = {"measure": "sketch", "set": name, "rows": scale(rows, 1000), "method": method, "size": size}
                jobs[name, label, size] = job | {"values": values}
    return jobs


def show_sketches(results: Results, report: Report) -> None:
    error = {key: result["spectral"] for key, result in results.items()}
    names = list(dict.fromkeys(key[0] for key in results))
    sizes = {name: list(dict.fromkeys(key[2] for key in results if key[0] == name)) for name in names}
    columns = {name: results[name, "FD", sizes[name][0]]["columns"] for name in names}
    for name in names:
        rows = [[label, *(error[name, label, m] for m in sizes[name])] for label in SKETCHES]
        heads = [f"m = {m} ({m / columns[name]:.2g} d)" for m in sizes[name]]
        report.table(f"{name}, d = {columns[name]}: ||A'A - B'B - alpha I|| / ||A'A||", ["", *heads], rows)
    cells = [(name, m) for name in names for m in sizes[name]]
    for what, chosen in (
        ("all sets", names),
        ("the paper's", [n for n in names if n in PAPER_SETS or n in STANDS_FOR]),
    ):
        mine = [(n, m) for n, m in cells if n in chosen and error[n, "FD", m] > 1e-9]
        ratios = [error[n, "RFD", m] / error[n, "FD", m] for n, m in mine]
        below = sum(error[n, "RFD", m] < min(error[n, "FD", m], error[n, "CFD", m]) for n, m in mine)
        best = [min(SKETCHES, key=lambda s, n=n, m=m: error[n, s, m]) for n, m in mine]
        report.say(
            f"{what}: RFD / FD {np.median(ratios):.3f} in the median, {min(ratios):.3f} to {max(ratios):.3f} over "
            f"{len(mine)} cells; RFD's error is below FD's and CFD's in {below}; smallest of all: "
            + ", ".join(f"{label} {best.count(label)}" for label in SKETCHES if label in best) + "."
        )  # fmt: skip
    for figure, labels in ((1, ("FD", "CFD", "RFD")), (2, ("RFD", *list(SKETCHES)[3:]))):
        panels = [
            Panel(
                name, "m / d (%)", "relative spectral error",
                {s: ([100 * m / columns[name] for m in sizes[name]], [error[name, s, m] for m in sizes[name]])
                 for s in labels},
                log="y",
            )
            for name in names
        ]  # fmt: skip
        report.figure(panels, f"[RFD] Figure {figure}")


# -- Figures 3 to 11, Tables 2, 3 -------------------------------------------------------------------------------------

ALPHAS = tuple(10.0**j for j in range(-3, 7))
SIZES = {"a9a": (5, 10, 20), "farm-ads": (20, 30, 50), "rcv1sub.binary": (20, 30, 50)}
_NEWTON = {"loss": "squared", "clip": 1.0, "sigma": "auto", "eta": "1/t"}
#: Methods without a sketch size, then those with one; AdaGrad's alpha_0 is what is added to its roots (our reading).
ALONE = {
    "AdaGrad": lambda alpha: {
        "method": "ada-diag", "delta": alpha, "learning_rate": 1.0, "loss": "squared", "clip": 1.0
    },
    "FULL-ON": lambda alpha: {"method": "full-on", "alpha": alpha} | _NEWTON,
}  # fmt: skip
SKETCHED = {
    "FD": {"method": "fd-son", "scale": "none"}, "PFD": {"method": "pfd-son", "beta": 0.2, "scale": "none"},
    "RP": {"method": "rp-son"}, "Oja": {"method": "oja-son", "oja_step": "1/t", "scale": "none"},
    "RFD": {"method": "rfd-son", "scale": "none"},
}  # fmt: skip
#: [RFD] Algorithm 6 projects the weights for the row that they were moved for, after the step; Algorithm 3 for the next
#: row, as [SON] does. What is not marked is Algorithm 3's.
SIXTH = ", Alg. 6"
SKETCHED |= {method + SIXTH: SKETCHED[method] | {"project": "after"} for method in ("FD", "PFD", "RFD")}


def learner_jobs(job: dict, name: str, sizes: tuple[int, ...], alphas: tuple[float, ...], full: bool) -> Jobs:
    """Every method at every alpha_0 on one set, labelled (set, method, place of the size, alpha_0)."""
    jobs: Jobs = {}
    for label, options in ALONE.items():
        for alpha in alphas if full or label != "FULL-ON" else ():
            jobs[name, label, 0, alpha] = job | {"options": options(alpha)}
    for i, m in enumerate(sizes):
        for label, values in SKETCHED.items():
            for alpha in alphas:
                jobs[name, label, i, alpha] = job | {"options": values | _NEWTON | {"alpha": alpha, "sketch_size": m}}
        for label in ("RFD", f"RFD{SIXTH}"):
            zero = SKETCHED[label] | _NEWTON | {"alpha": 0.0, "sketch_size": m}
            jobs[name, label.replace("RFD", "RFD0"), i, 0.0] = job | {"options": zero}
    return jobs


def online_jobs(scale: Scale, sets: list[str]) -> Jobs:
    jobs: Jobs = {}
    for name, sizes in SIZES.items():
        if name in sets and not (scale.quick and name != "a9a"):
            job = {"measure": "learn", "set": name, "rows": scale(None, 3000), "test": True}
            jobs |= learner_jobs(job, name, sizes, scale(ALPHAS, ALPHAS[::3]), name == "a9a")
    return jobs


def methods_of(results: Results, name: str) -> list[tuple[str, int]]:
    """(method, place of the size) of a set's results, in the paper's order."""
    return list(dict.fromkeys(key[1:3] for key in results if key[0] == name))


def over_alpha(results: Results, name: str, method: str, i: int, what: str = "test") -> dict[float, float]:
    """{alpha_0: an error}; where the learner diverged, that of a coin."""
    found = {key[3]: result.get(what) for key, result in results.items() if key[:3] == (name, method, i)}
    return {alpha: 0.5 if error is None else error for alpha, error in found.items()}


def show_online(results: Results, report: Report) -> None:
    names = list(dict.fromkeys(key[0] for key in results))
    show_table_2(results, names, report)
    show_table_3(results, names, report)
    show_spread(results, names, report)
    panels = []
    for name in names:
        for i, m in enumerate(SIZES[name]):
            lines = {
                method: tuple(zip(*over_alpha(results, name, method, at).items(), strict=True))
                for method, at in methods_of(results, name) if at == i or method in ALONE
            }  # fmt: skip
            ends = [min(lines["RFD"][0]), max(lines["RFD"][0])]
            lines |= {label: (ends, [line[1][0]] * 2) for label, line in lines.items() if label.startswith("RFD0")}
            panels.append(Panel(f"{name}, m = {m}", "alpha_0", "test error", lines, log="x"))
    report.figure(panels, "[RFD] Figures 3 and 4: test error after one pass (FULL-ON: a9a only)", across=3)
    for name in names:
        show_rounds(results, name, report)


def show_table_2(results: Results, names: list[str], report: Report) -> None:
    rows: list = []
    pairs: dict[str, dict] = {"Algorithm 3": {}, "Algorithm 6": {}}
    for method, i in RFD_TABLE_2:
        row: list = [method if method in ALONE else f"{method}, m_{i + 1}"]
        for name in names:
            printed = RFD_TABLE_2[method, i][PAPER_SETS.index(STANDS_FOR.get(name, name))]
            found = [over_alpha(results, name, label, i) for label in (method, method + SIXTH)]
            ours = [100 * (1 - min(errors.values())) for errors in found if errors]
            row.append(" / ".join(f"{each:.2f}" for each in [*ours, printed]) if ours else "-")
            for each, what in zip(ours, pairs, strict=False):
                if name not in STANDS_FOR:
                    pairs[what][f"{row[0]}, {name}"] = (each, printed)
        rows.append(row)
    title = "Table 2: test accuracy (%) at the best alpha_0: ours (Algorithm 3 / where there is one, 6) / the paper's"
    report.table(title, ["", *names], rows)
    for what, both in pairs.items():
        report.compare(f"Table 2 (a9a, farm-ads), {what}", both, " points")


def show_table_3(results: Results, names: list[str], report: Report) -> None:
    rows = []
    for method, i in RFD_TABLE_3:
        row: list = [method if method in ALONE else f"{method}, m_{i + 1}"]
        for name in names:
            printed = RFD_TABLE_3[method, i][PAPER_SETS.index(STANDS_FOR.get(name, name))]
            found = [r["seconds"] for key, r in results.items() if key[:3] == (name, method, i) and "seconds" in r]
            ours = float(np.median(found)) if found else None
            row.append("-" if not ours else f"{1e6 * ours:.1f} / {1e6 * printed:.0f} ({printed / ours:.0f})")
        rows.append(row)
    title = "Table 3: microseconds an iteration, ours (median over alpha_0) / the paper's Matlab (ratio)"
    report.table(title, ["", *names], rows)


def show_spread(results: Results, names: list[str], report: Report) -> None:
    """How much depends on alpha_0."""
    labels = methods_of(results, names[0])
    for what, most in (("all alpha_0", np.inf), ("alpha_0 = .001 to 1", 1.0)):
        rows = []
        for method, i in labels:
            errors = {name: up_to(most, over_alpha(results, name, method, i)) for name in names}
            cells = [f"{min(e):.4f} to {max(e):.4f}" if e else "-" for e in errors.values()]
            rows.append([method if method in ALONE else f"{method}, m_{i + 1}", *cells])
        report.table(f"Test error over {what}, smallest to largest", ["", *names], rows)


def up_to(most: float, errors: dict[float, float]) -> list[float]:
    """The errors at each alpha_0 that is not too large."""
    return [error for alpha, error in errors.items() if alpha <= most]


def show_rounds(results: Results, name: str, report: Report) -> None:
    """Figures 5 to 11: online error against rounds, RFD0 beside a method at several alpha_0."""
    panels = []
    for method in ("FULL-ON", *SKETCHED):
        for i, m in enumerate(SIZES[name]):
            found = {k[3]: r for k, r in results.items() if k[:3] == (name, method, 0 if method in ALONE else i)}
            if not found:
                continue
            sixth = SIXTH if method.endswith(SIXTH) else ""
            lines = {"RFD0": results[name, f"RFD0{sixth}", i, 0.0]}
            lines |= {f"alpha_0 = {alpha:g}": found[alpha] for alpha in ALPHAS[::3] if "errors" in found[alpha]}
            rounds = {label: [(j + 1) * r["rows"] / len(r["errors"]) for j in range(len(r["errors"]))]
                      for label, r in lines.items()}  # fmt: skip
            curves = {label: (rounds[label], r["errors"]) for label, r in lines.items()}
            panels.append(Panel(f"{method}, RFD0 with m = {m}", "rounds", "online error", curves))
    figures = {"a9a": "Figures 5 (first row) and 6", "farm-ads": "Figure 9", "rcv1sub.binary": "Figure 10"}[name]
    report.figure(panels, f"[RFD] {figures}: {name}", across=3)


# -- the claims, on all binary sets -----------------------------------------------------------------------------------

SIZE, ROWS = 10, 4000


def claim_jobs(scale: Scale, sets: list[str]) -> Jobs:
    jobs: Jobs = {}
    for name in scale(sets, [name for name in sets if name in ("mushrooms", "splice", "diabetes_scale")]):
        job = {"measure": "learn", "set": name, "rows": scale(ROWS, 1000), "test": True}
        jobs |= learner_jobs(job, name, (SIZE,), scale(ALPHAS, ALPHAS[::3]), name in SMALL)
    return jobs


#: RFD with Algorithm 6 and the smallest alpha_0, untuned: where rows are nearly alike, 0 is decided by rounding.
TINY = f"RFD{SIXTH}, alpha_0 = {ALPHAS[0]:g}"
#: Sets with few enough features for FULL-ON.
SMALL = {
    "a9a", "australian_scale", "breast-cancer_scale", "covtype.binary.scale", "diabetes_scale", "dna.scale",
    "heart_scale", "ionosphere_scale", "kddcup99.10pct", "letter.scale", "magic04", "mushrooms", "phishing",
    "spambase", "splice", "splice_scale", "usps",
}  # fmt: skip


def show_claims(results: Results, report: Report) -> None:
    names = list(dict.fromkeys(key[0] for key in results))
    methods = ["RFD0", f"RFD0{SIXTH}", *ALONE, *SKETCHED]
    for what, label in (("test", "test error"), ("error", "online error")):
        errors = {(n, m): over_alpha(results, n, m, 0, what) for n in names for m in methods}
        errors |= {(n, TINY): {ALPHAS[0]: errors[n, f"RFD{SIXTH}"][ALPHAS[0]]} for n in names}
        best = {key: min(e.values()) for key, e in errors.items() if e}
        rows = [[n, *(best.get((n, m)) for m in methods)] for n in names]
        heads = [*methods[:2], *(f"{m}, best" for m in methods[2:])]
        report.table(
            f"{label}, m = {SIZE}, at the best alpha_0 of ten in hindsight (RFD0: untuned)", ["", *heads], rows
        )
        for untuned in (*methods[:2], TINY):
            say_ratios(errors, best, names, methods, (untuned, label), report)


def say_ratios(
    errors: dict, best: dict, names: list[str], methods: list[str], what: tuple[str, str], report: Report
) -> None:
    """Geometric means over sets: what is not tuned over each method's best, its median and its worst alpha_0."""
    half, (untuned, label) = 0.5 / (0.3 * ROWS), what
    rows = []
    for method in methods[2:]:
        mine = [n for n in names if (n, method) in best]
        zero = np.array([best[n, untuned] for n in mine]) + half
        kinds = [
            np.array([kind(up_to(np.inf, errors[n, method])) for n in mine]) + half for kind in (min, np.median, max)
        ]
        small = [np.array([kind(up_to(1.0, errors[n, method])) for n in mine]) + half for kind in (min, max)]
        ratios = [float(np.exp(np.mean(np.log(zero / kind)))) for kind in kinds]
        ahead = sum(zero <= kinds[0])
        spreads = [float(np.median(most / least)) for least, most in (kinds[::2], small)]
        rows.append([method, *ratios, f"{ahead} of {len(mine)}", *spreads])
    title = f"{untuned}: its {label} over that of a method (geometric means); spread: largest over smallest (median)"
    heads = [
        "",
        "at its best alpha_0",
        "at its median one",
        "at its worst",
        "at most its best",
        "spread",
        "spread up to 1",
    ]
    report.table(title, heads, rows)


EXPERIMENTS = [
    Experiment(
        ("figure 1", "figure 2", "table 1"), "relative spectral error of sketches",
        "Doubled buffer, rows in a seeded random order; at most 20,000 rows (a9a, connectus, covtype) or 5,000 "
        "(rcv1sub, news20). rcv1sub has other documents than rcv1; mushrooms, usps, connectus, covtype and news20 are "
        "not in the paper.",
        ("gisette", "sido0", "rcv1", "real-sim", *MATRICES), sketch_jobs, show_sketches,
    ),
    Experiment(
        (
            "figure 3", "figure 4", "figure 5", "figure 6", "figure 7", "figure 8", "figure 9", "figure 10",
            "figure 11", "table 2", "table 3",
        ),
        "online learning",
        "Squared loss, predictions projected onto [-1, 1], sigma = 1/8, eta = 1/t, doubled buffer; 70 % of the rows "
        "(seeded random order) trained on once, the rest for the test; alpha_0 = 10^-3 to 10^6. AdaGrad's alpha_0 is "
        "added to the roots of its summed squares, with step 1: our reading. Alg. 6: --project after. rcv1sub has "
        "other documents than rcv1. Table 3: processor time of one thread.",
        ("gisette", "sido0", "rcv1", "real-sim", *SIZES), online_jobs, show_online,
    ),
    Experiment(
        ("claims",), "is RFD0 as good as the others at their best, and does RFD hardly depend on alpha_0?",
        f"As above on all binary sets there are (classes: odd against even), m = {SIZE}, at most {ROWS} rows each, of "
        "which 30 % are the test; FULL-ON up to 300 features.",
        tuple(every_binary()), claim_jobs, show_claims,
    ),
]  # fmt: skip
