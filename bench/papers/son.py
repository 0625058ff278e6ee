"""[SON], section 5 and appendix H: Oja-SON on an ill-conditioned stream and on data sets, beside AdaGrad and FD-SON."""

from __future__ import annotations

import importlib.util

import numpy as np

from bench.papers.data import whole
from bench.papers.printed import SON_TABLE_2, SON_TABLE_3, SON_TABLE_4
from bench.papers.report import Panel, Report
from bench.papers.runner import Experiment, Jobs, Results, Scale

#: The paper's names of sets, where ours is another. `raw`: LIBSVM's scaling undone, as the paper's nonzeros a row ask.
OURS = {
    "a9a": "a9a, all", "australian": "australian, raw", "breast-cancer": "breast-cancer, raw",
    "covtype": "covtype.binary.scale", "diabetes": "diabetes, raw", "heart": "heart, raw",
    "ionosphere": "ionosphere_scale", "letter": "letter, A-M, raw", "mnist": "mnist, 4 or 9", "rcv1": "rcv1sub.binary",
}  # fmt: skip
#: Beside them the same sets as LIBSVM scaled them, without numbers to compare with.
SCALED = ("australian_scale", "breast-cancer_scale", "diabetes_scale", "heart_scale")
#: j of the rates 2^j: the paper's, and more small steps, where its grid seems to end too early.
RATES, WIDE = tuple(range(-3, 7)), tuple(range(-24, 7))
_SON = {"loss": "squared", "clip": 1.0, "sigma": "auto"}
SEEN_BY_VW = (10, 100, 200, 10_000)


def oja(m: int, j: int, rescaled: bool = False, step: str = "1/t") -> dict:
    """Oja-SON as in section 5: alpha = 2^-j, steps 1/t; C = 1, sigma = 1/8 and eta = 0 (Theorem 3) are our reading."""
    values = {"method": "oja-son", "sketch_size": m, "alpha": 2.0**-j, "eta": 0.0 if m else "1/t", "oja_step": step}
    return values | {"scale": "gradients" if rescaled else "none"} | _SON


def fd(m: int, j: int, rescaled: bool = False, rule: str = "fd") -> dict:
    """FD-SON or RFD-SON in the same setting."""
    values = {"method": f"{rule}-son", "sketch_size": m, "alpha": 2.0**-j, "eta": 0.0}
    return values | {"scale": "gradients" if rescaled else "none"} | _SON


def cut(j: int) -> dict:
    """m = 0 without rescaling as Vowpal Wabbit has it: w -= 2^j (p - y) x, and a bound cuts p, not the weights."""
    return {"method": "sgd", "learning_rate": 2.0 ** (j - 1), "power_t": 0.0, "loss": "squared", "clip": 1.0}


def adagrad(j: int) -> dict:
    """AdaGrad with steps 2^j."""
    return {"method": "adagrad", "learning_rate": 2.0**j, "loss": "squared", "clip": 1.0}


def best(results: Results, *label, rates: tuple[int, ...] = RATES) -> dict | None:
    """Of the `rates` of a label, the result with the fewest mistakes; None where all diverged."""
    found = [results[*label, j] for j in rates if (*label, j) in results]
    return min((r for r in found if r["error"] is not None), key=lambda r: r["error"], default=None)


def error(results: Results, *label, rates: tuple[int, ...] = RATES) -> float | None:
    """The least error of a label's rates."""
    found = best(results, *label, rates=rates)
    return found and found["error"]


# -- Figure 1 ---------------------------------------------------------------------------------------------------------

CONDITIONS = (*range(10, 201, 10), 10_000)
SYNTHETIC = {
    "AdaGrad": adagrad,
    "Oja, m = 0": lambda j: oja(0, j),
    "Oja, m = 5": lambda j: oja(5, j),
    "Oja, m = 10": lambda j: oja(10, j),
    "Oja adaptive, m = 10": lambda j: oja(10, j, step="adaptive"),
    "FD, m = 10": lambda j: fd(10, j),
    "RFD, m = 10": lambda j: fd(10, j, rule="rfd"),
    "RFD, m = 20": lambda j: fd(20, j, rule="rfd"),
    "FULL-ON": lambda j: {"method": "full-on", "alpha": 2.0**-j, "eta": 0.0} | _SON,
}
UNTUNED = {
    f"{label}, m = {m}": {"method": "rfd-son", "sketch_size": m, "alpha": alpha, "eta": "1/t", "scale": "none"} | _SON
    for label, alpha in (("RFD0", 0.0), ("RFD untuned", 1e-3)) for m in (10, 20)
}  # fmt: skip
UNTUNED |= {f"{label}, Alg. 6": values | {"project": "after"} for label, values in UNTUNED.items()}
VW = {f"VW OjaNewton, m = {m}": m for m in (0, 10)}


def synthetic_jobs(scale: Scale, sets: list[str]) -> Jobs:
    jobs: Jobs = {}
    for condition in scale(CONDITIONS, (10, 200)):
        job = {"measure": "learn", "set": f"ill-conditioned {condition}", "order": "file", "rows": scale(10_000, 2000)}
        for label, options in SYNTHETIC.items():
            for j in scale(RATES, RATES[::3]):
                jobs[label, condition, j] = job | {"options": options(j)}
        for label, options in UNTUNED.items():
            jobs[label, condition, 0] = job | {"options": options}
        if not scale.quick and condition in SEEN_BY_VW and importlib.util.find_spec("vowpalwabbit"):
            for label, m in VW.items():
                for j in (-3, 0, 3, 6):
                    jobs[label, condition, j] = job | {"measure": "vw", "size": m, "rate": 2.0**j}
    return jobs


def show_synthetic(results: Results, report: Report) -> None:
    conditions = list(dict.fromkeys(key[1] for key in results))
    labels = list(dict.fromkeys(key[0] for key in results))
    rows = [[label, *(error(results, label, c) for c in conditions if c in shown(conditions))] for label in labels]
    report.table("Error at condition", ["", *map(str, shown(conditions))], rows)
    printed = [c for c in conditions if c <= 200]
    lines = {label: (printed, [error(results, label, c) for c in printed]) for label in labels if label not in VW}
    paper = {label: lines[label] for label in list(SYNTHETIC)[:4]}
    untuned = {label: line for label, line in lines.items() if label in UNTUNED or label == "FULL-ON"}
    ours = {label: line for label, line in lines.items() if label not in [*paper, *UNTUNED] or label == "Oja, m = 10"}
    axes = ("condition number", "error, best rate")
    panels = [Panel("as in the paper", *axes, paper), Panel("beside it", *axes, ours)]
    report.figure([*panels, Panel("untuned, and the full matrix", *axes, untuned)], "[SON] Figure 1")
    m10 = lines["Oja, m = 10"][1]
    report.say(
        f"From condition {printed[0]} to {printed[-1]} the error of Oja, m = 10, goes from {m10[0]:.3f} to "
        f"{m10[-1]:.3f}, AdaGrad's from {lines['AdaGrad'][1][0]:.3f} to {lines['AdaGrad'][1][-1]:.3f}."
    )


def shown(conditions: list[int]) -> list[int]:
    """The columns of the table."""
    return [c for c in conditions if c in (10, 50, 100, 150, 200, 10_000)]


# -- Figure 2, Table 4 ------------------------------------------------------------------------------------------------

POINTS = (50, 100, 200, 500, 1000, 2000, 5000, 10_000)
STREAM = "ill-conditioned 100"
WAYS = {
    "Oja 1/t": (False, "1/t"), "Oja 1/t, rescaled": (True, "1/t"),
    "Oja adaptive": (False, "adaptive"), "Oja adaptive, rescaled": (True, "adaptive"),
}  # fmt: skip


def eigen_jobs(scale: Scale, sets: list[str]) -> Jobs:
    jobs: Jobs = {}
    for name in scale(sets, sets[:3]):
        for label, (rescaled, step) in WAYS.items():
            job = {"measure": "eigenvalues", "set": name, "order": "file", "rows": scale(20_000, 2000)}
            points = [*scale(POINTS, POINTS[:6]), *([] if name == STREAM else [scale(20_000, 2000)])]
            jobs[name, label] = job | {"options": oja(10, 0, rescaled, step), "points": points}
    return jobs


def show_eigen(results: Results, report: Report) -> None:
    names = list(dict.fromkeys(key[0] for key in results))
    ours = {OURS.get(name, name): name for name in SON_TABLE_4}
    last = {key: result["errors"][-1] for key, result in results.items()}
    rows = [
        [name, *(last[name, label] for label in WAYS), SON_TABLE_4.get(ours.get(name))] for name in names
    ]  # fmt: skip
    report.table("Largest relative error of ten eigenvalues at the end", ["", *WAYS, "paper"], rows)
    for label in WAYS:
        pairs = {n: (last[n, label], SON_TABLE_4[ours[n]]) for n in names if n in ours}
        report.compare(f"Table 4, {label}", pairs)
    panels = [
        Panel(
            name, "examples", "largest relative error",
            {label: (results[name, label]["points"], results[name, label]["errors"]) for label in WAYS}, log="xy",
        )
        for name in names
    ]  # fmt: skip
    report.figure(panels, "[SON] Figure 2 (first panel) and Table 4: ten largest eigenvalues")


# -- Figure 3, Table 3 ------------------------------------------------------------------------------------------------

VARIANTS = {
    "m = 0": lambda j: oja(0, j), "m = 10": lambda j: oja(10, j), "m = 0, rescaled": lambda j: oja(0, j, True),
    "m = 10, rescaled": lambda j: oja(10, j, True), "AdaGrad": adagrad,
}  # fmt: skip
ORDERS = {"covtype": ("file", "shuffled", "sorted")}
CAP = 50_000
#: Sets whose rows or classes are not the paper's.
NOT_ITS_ROWS = ("rcv1", "mnist", "letter")


#: Vowpal Wabbit's OjaNewton in place of ours: (sketch size, its rescaling), and the column of Table 3.
BY_VW = {"m = 0": (0, False, 0), "m = 0, rescaled": (0, True, 2), "m = 10, rescaled": (10, True, 3)}
#: Our own learners as Vowpal Wabbit goes about it, with the column of Table 3: the weights move without a projection;
#: or, rescaled, the row's own gradient is among those that divide it (of the smaller sets).
OWN = {
    "m = 0, cut": (0, cut),
    "m = 0, all gradients": (2, lambda j: oja(0, j) | {"scale": "all-gradients"}),
    "m = 10, all gradients": (3, lambda j: oja(10, j) | {"scale": "all-gradients"}),
}
SMALL = ("australian", "breast-cancer", "diabetes", "heart", "ionosphere", "mushrooms", "splice")


def table_jobs(scale: Scale, sets: list[str]) -> Jobs:
    jobs: Jobs = {}
    for name in scale([*SON_TABLE_3, *SCALED], ["australian", "breast-cancer", "splice", "a9a"]):
        if OURS.get(name, name) not in sets:
            continue
        for order in ORDERS.get(name, ("file", "shuffled")):
            job = {"measure": "learn", "set": OURS.get(name, name), "order": order, "constant": True}
            job |= {"rows": scale(None if (name, order) == ("covtype", "file") else CAP, 1000)}
            for label, options in VARIANTS.items():
                for j in scale(RATES if order == "sorted" or name == "covtype" else WIDE, RATES[::3]):
                    jobs[name, order, label, j] = job | {"options": options(j)}
        job = {"measure": "learn", "set": OURS.get(name, name), "order": "file", "constant": True}
        job["rows"] = scale(None if name in (*SMALL, "covtype") else CAP, 1000)
        for label, (_, options) in OWN.items():
            if name in SMALL or (options is cut and name in SON_TABLE_3):
                for j in scale(RATES, RATES[::3]):
                    jobs[name, "own", label, j] = job | {"options": options(j)}
        if name in SMALL and not scale.quick and importlib.util.find_spec("vowpalwabbit"):
            job = {"measure": "vw", "set": OURS.get(name, name), "constant": True}
            for label, (m, rescaled, _) in BY_VW.items():
                for j in RATES:
                    jobs[name, "VW", label, j] = job | {"size": m, "rescaled": rescaled, "rate": 2.0**j}
    return jobs


def show_table(results: Results, report: Report) -> None:
    names = list(dict.fromkeys(key[0] for key in results))
    for order in ("file", "shuffled", "sorted"):
        for grid, rates in (("the paper's rates", RATES), ("rates from 2^-24 on", WIDE)):
            mine = [name for name in names if best(results, name, order, "AdaGrad")]
            if not mine or (rates is WIDE and (report.quick or order == "sorted")):
                continue
            e = {(n, v): error(results, n, order, v, rates=rates) for n in mine for v in VARIANTS}
            printed = {(n, v): SON_TABLE_3.get(n, (None,) * 5)[i] for n in mine for i, v in enumerate(VARIANTS)}
            rows = [
                [
                    n,
                    count(results, n, order, "AdaGrad"),
                    *(f"{show(e[n, v])} / {show(printed[n, v])}" for v in VARIANTS),
                ]
                for n in mine
            ]
            report.table(f"Error, ours / paper's; order of rows: {order}; {grid}", ["", "rows", *VARIANTS], rows)
            if order != "sorted":
                for v in VARIANTS:
                    pairs = {n: (e[n, v], printed[n, v]) for n in mine if n not in NOT_ITS_ROWS}
                    report.compare(f"Table 3, order {order}, {grid}, {v}", pairs)
    show_beside(results, names, "own", {v: at for v, (at, _) in OWN.items()}, "ours as Vowpal Wabbit", report)
    show_beside(results, names, "VW", {v: at for v, (*_, at) in BY_VW.items()}, "by Vowpal Wabbit", report)
    named = [name for name in names if name in SON_TABLE_3]
    wins(results, named, report)
    report.figure(scatter(results, named), "[SON] Figure 3 (a), (b): a dot is a data set", across=3)


def show_beside(
    results: Results, names: list[str], kind: str, columns: dict[str, int], what: str, report: Report
) -> None:
    """Our learner in the way that the paper's experiments ran, or the one that its numbers are from, as it is today."""
    names = [name for name in names if (name, kind, next(iter(columns)), 0) in results]
    if names:
        e = {(n, v): error(results, n, kind, v) for n in names for v in columns}
        rows = [[n, *(f"{show(e[n, v])} / {show(SON_TABLE_3[n][at])}" for v, at in columns.items())] for n in names]
        report.table(f"Error, {what} / the paper's; order of rows: file", ["", *columns], rows)
        for v, at in columns.items():
            pairs = {n: (e[n, v], SON_TABLE_3[n][at]) for n in names if n not in NOT_ITS_ROWS}
            report.compare(f"Table 3, {what}, {v}", pairs)


def count(results: Results, *label) -> int:
    """Rows of a set."""
    found = best(results, *label)
    return found["rows"] if found else 0


def show(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def wins(results: Results, names: list[str], report: Report) -> None:
    """The paper's sentences about Table 3, counted."""
    cases = [(order, rates) for order in ("file", "shuffled") for rates in (RATES, WIDE)]
    for order, rates in cases[:: 2 if report.quick else 1]:
        e = {(n, v): error(results, n, order, v, rates=rates) for n in names for v in VARIANTS}
        pairs = (
            ("m = 10 errs less than m = 0", "m = 10", "m = 0"),
            ("m = 10, rescaled, errs less than m = 0, rescaled", "m = 10, rescaled", "m = 0, rescaled"),
            ("AdaGrad errs less than m = 10 without rescaling", "AdaGrad", "m = 10"),
            ("m = 0, rescaled, errs less than AdaGrad", "m = 0, rescaled", "AdaGrad"),
            ("m = 10, rescaled, errs less than AdaGrad", "m = 10, rescaled", "AdaGrad"),
        )
        of_paper = [list(VARIANTS).index(v) for _, *both in pairs for v in both]
        told = []
        for at, (what, a, b) in enumerate(pairs):
            ours = sum(e[n, a] is not None and (e[n, b] is None or e[n, a] < e[n, b]) for n in names)
            i, j = of_paper[2 * at : 2 * at + 2]
            theirs = sum(SON_TABLE_3[n][i] < SON_TABLE_3[n][j] for n in names)
            told.append(f"{what}: on {ours} of {len(names)} sets (in the paper on {theirs} of these)")
        report.say(f"Order {order}, rates from 2^{rates[0]} on: " + "; ".join(told) + ".")


def scatter(results: Results, names: list[str]) -> list[Panel]:
    """Figure 3 (a) and (b) for both orders, and from the paper's Table 3."""
    at = {v: i for i, v in enumerate(VARIANTS)}
    panels = []
    for order in ("file", "shuffled", "paper"):

        def of(v: str, order=order) -> list:
            return [SON_TABLE_3[n][at[v]] if order == "paper" else error(results, n, order, v) for n in names]

        title = "paper's numbers, the same sets" if order == "paper" else f"order: {order}"
        sizes = {"without rescaling": (of("m = 0"), of("m = 10"))}
        against = {f"Oja, {m}, rescaled": (of("AdaGrad"), of(f"{m}, rescaled")) for m in ("m = 0", "m = 10")}
        panels.append(
            Panel(f"(a) {title}", "error, m = 0", "error, m = 10", sizes, points=True, diagonal=True)
        )  # fmt: skip
        panels.append(
            Panel(f"(b) {title}", "error of AdaGrad", "error of Oja-SON", against, points=True, diagonal=True)
        )  # fmt: skip
    return panels[::2] + panels[1::2]


# -- Table 2, Figure 4 ------------------------------------------------------------------------------------------------

SKETCHES = {"FD": fd, "Oja": oja}


def sketch_jobs(scale: Scale, sets: list[str]) -> Jobs:
    jobs: Jobs = {}
    for name in SON_TABLE_2:
        for order in ("file", "shuffled") if OURS.get(name, name) in sets else ():
            job = {"measure": "learn", "set": OURS.get(name, name), "order": order, "constant": True}
            job |= {"rows": scale(CAP, 1000)}
            for label, options in SKETCHES.items():
                for j in scale(RATES, RATES[::3]):
                    jobs[name, order, label, j] = job | {"options": options(10, j, True)}
    return jobs


def show_sketches(results: Results, report: Report) -> None:
    names = list(dict.fromkeys(key[0] for key in results))
    for order in ("file", "shuffled"):
        e = {n: [error(results, n, order, label) for label in SKETCHES] for n in names}
        rows = [[n, *(f"{show(ours)} / {p:.4f}" for ours, p in zip(e[n], SON_TABLE_2[n], strict=True))] for n in names]
        report.table(f"Error with m = 10, rescaled, ours / paper's: order {order}", ["", *SKETCHES], rows)
        pairs = {f"{n}, {s}": (e[n][i], SON_TABLE_2[n][i]) for n in names for i, s in enumerate(SKETCHES)}
        report.compare(f"Table 2, order {order}", pairs)


SIZES = (0, 1, 2, 3, 5, 7, 10, 15, 20)


def splice_jobs(scale: Scale, sets: list[str]) -> Jobs:
    return {
        (order, m, j): {
            "measure": "learn", "set": name, "order": order, "constant": True, "rows": None, "options": oja(m, j, True)
        }
        for name in sets for order in ("file", "shuffled") for m in scale(SIZES, (0, 1, 10)) for j in RATES
    }  # fmt: skip


def show_splice(results: Results, report: Report) -> None:
    sizes = list(dict.fromkeys(key[1] for key in results))
    orders = ("file", "shuffled")
    rows = [[f"m = {m}", *(error(results, order, m) for order in orders)] for m in sizes]
    report.table("Error at the end", ["", *orders], rows)
    panels = []
    for order in orders:
        found = {m: best(results, order, m) for m in sizes}
        n = found[sizes[0]]["rows"]
        x = [n * (i + 1) / len(found[sizes[0]]["errors"]) for i in range(len(found[sizes[0]]["errors"]))]
        lines = {f"m = {m}": (x, result["errors"]) for m, result in found.items()}
        panels.append(Panel(f"splice, order: {order}", "examples", "error so far", lines))
    report.figure(panels, "[SON] Figure 4")
    paper = {"m = 0": SON_TABLE_3["splice"][2], "m = 10": SON_TABLE_3["splice"][3]}
    for order in orders:
        pairs = {label: (error(results, order, int(label[4:])), value) for label, value in paper.items()}
        report.compare(f"Figure 4 (ends as in Table 3), order {order}", pairs)
    X = whole("splice")[0].toarray()
    top = np.linalg.eigvalsh(X.T @ X / len(X))[::-1]
    report.say(f"Two largest eigenvalues of the rows' second moments: {top[0]:.1f} and {top[1]:.2f}.")


TUNED = "Rates 2^j, j = -3 to 6, the best of each cell (alpha = 2^-j; AdaGrad: the step). One pass, squared loss."
SETTING = "Our reading where the paper is silent: predictions projected onto [-1, 1], sigma = 1/8, eta = 0."
EXPERIMENTS = [
    Experiment(
        ("figure 1",), "an ill-conditioned stream",
        f"10,000 rows, 100 dense features, section 5.1. {TUNED} {SETTING} Rows have length 1 in the mean. Beside the "
        "paper's four: Oja's rule with the scale-free step, FD, RFD, the full matrix; untuned, with eta = 1/t, RFD "
        "with alpha_0 = 0 (RFD0) and .001, also with --project after (Alg. 6); Vowpal Wabbit's "
        "OjaNewton (rates 1/8, 1, 8, 64); and a condition of 10,000.",
        tuple(f"ill-conditioned {c}" for c in CONDITIONS), synthetic_jobs, show_synthetic,
    ),
    Experiment(
        ("figure 2", "table 4"), "eigenvalues by Oja's rule",
        "m = 10, alpha = 1, at most 20,000 rows in the file's order: the ten largest eigenvalues of the sketch against "
        f"those of the sum of g g' over the same rows. {SETTING} Figure 2's stream: condition 100.",
        (STREAM, *(OURS.get(name, name) for name in SON_TABLE_4)), eigen_jobs, show_eigen,
    ),
    Experiment(
        ("figure 3", "table 3", "table 1"), "data sets",
        f"{TUNED} {SETTING} With the constant feature. At most {CAP:,} rows of a set: the first ones (order: file; "
        "covtype: all), or random ones (shuffled; sorted: then sorted by label). australian, breast-cancer, diabetes, "
        "heart and letter with LIBSVM's scaling undone: their nonzeros a row are then the paper's. Not the paper's "
        "rows or classes, and left out of the largest differences: rcv1 (rcv1sub, other documents), mnist (4 against 9 "
        "in the first 15,000), letter (A-M against N-Z).",
        (*(OURS.get(name, name) for name in SON_TABLE_3), *SCALED), table_jobs, show_table,
    ),
    Experiment(
        ("table 2",), "FD-SON against Oja-SON", f"m = 10, rescaled. {TUNED} {SETTING} With the constant feature.",
        tuple(OURS.get(name, name) for name in SON_TABLE_2), sketch_jobs, show_sketches,
    ),
    Experiment(
        ("figure 4",), "sketch sizes on splice", f"Rescaled. {TUNED} {SETTING} With the constant feature.",
        ("splice",), splice_jobs, show_splice,
    ),
]  # fmt: skip
