"""The figures of the sketching papers, with the data that can be had: ``python bench/papers/figures.py [rfd|gfd ...]``.

- ``rfd``: [RFD] Figures 1 and 2, relative spectral error ||A'A - B'B - alpha I|| / ||A'A|| against m, for FD, CFD, RFD
  and PFD-0.2 to PFD-0.8, all with the doubled buffer.
- ``gfd``: [GFD] Figures 2-4, 7-9, 12-14: covariance error, projection error at k = 20, runtime and decompositions
  against l, for FD (as Liberty halves it), FD-last, 0.2-FD, mGFD with the paper's settings (and with the cap read the
  other way, "clip"), our fd-ramp and iSVD, all within l rows.

Writes bench/out/{rfd,gfd}.txt and, with matplotlib, .png. BLAS runs in one thread.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import data
from sonlearn.sketch import covariance_error, make_sketch, projection_error
from sonlearn.sketch.accuracy import top_squares

RFD_METHODS = {
    "FD": ("fd", {}), "CFD": ("cfd", {}), "RFD": ("rfd", {}),
    **{f"PFD-{share}": ("pfd", {"share": share}) for share in (0.2, 0.4, 0.6, 0.8)},
}  # fmt: skip
RFD_SETS = {
    "a9a": lambda: data.svmlight("a9a"),
    "mushrooms": lambda: data.svmlight("mushrooms"),
    "usps": lambda: data.svmlight("usps").toarray(),
    "connectus (50,000 rows)": lambda: data.svmlight("connectus", 50_000),
    "covtype (50,000 rows)": lambda: data.svmlight("covtype.binary.scale", 50_000).toarray(),
    "farm-ads": lambda: data.svmlight("farm-ads"),
    "rcv1sub (5,000 rows)": lambda: data.svmlight("rcv1sub.binary", 5000),
    "news20 (5,000 rows)": lambda: data.svmlight("news20.mc", 5000),
}
RFD_SIZES = (10, 20, 30, 50)

#: [GFD] sec. 5.8: its settings for Adversarial; those for the other two are the defaults.
_ADVERSARIAL = {"offset": 0.7, "steepness": 10, "sigma": 0.1, "p": 0.1}
GFD_METHODS = {
    "FD": ("fd-half", {}), "FD-last": ("fd-last", {}), "0.2-FD": ("alpha-fd", {}), "mGFD": ("mgfd", {}),
    "mGFD, clip": ("mgfd", {"clip": True}), "fd-ramp": ("fd-ramp", {}), "iSVD": ("isvd", {"recycle": True}),
}  # fmt: skip
GFD_SETS = {"Adversarial": data.adversarial, "Spam-like (sms)": data.spam_like, "Birds-like (usps)": data.birds_like}
GFD_SIZES = (40, 60, 80, 100, 150)
GFD_MEASURES = ("covariance error", "projection error, k = 20", "seconds", "decompositions")

Curves = dict[str, dict[str, dict[int, tuple[float, ...]]]]  # data set -> method -> size -> measures


def rfd() -> tuple[Curves, list[str]]:
    """Relative spectral errors, and what they say of the paper's claim."""
    curves: Curves = {}
    for name, A in available(RFD_SETS):
        relative = float((A**2).sum() if isinstance(A, np.ndarray) else (A.data**2).sum()) / float(top_squares(A, 1)[0])
        curves[name] = {label: {} for label in RFD_METHODS}
        for size in RFD_SIZES:
            for label, (method, values) in RFD_METHODS.items():
                error = covariance_error(make_sketch(method, size, **values).update(A), A)
                curves[name][label][size] = (error * relative,)
    ratios = [
        curve["RFD"][size][0] / curve["FD"][size][0] for curve in curves.values() for size in RFD_SIZES
        if curve["FD"][size][0] > 1e-12
    ]  # fmt: skip
    best = [
        min(curve, key=lambda label: curve[label][size][0]) for curve in curves.values() for size in RFD_SIZES
    ]  # fmt: skip
    return curves, [
        f"RFD / FD: median {np.median(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f} over {len(ratios)} cases",
        "smallest error: " + ", ".join(f"{label} {best.count(label)}" for label in RFD_METHODS if label in best),
    ]


def gfd() -> tuple[Curves, list[str]]:
    """Errors, seconds (without the error measures) and decompositions."""
    curves: Curves = {}
    for name, A in available(GFD_SETS):
        curves[name] = {label: {} for label in GFD_METHODS}
        for size in GFD_SIZES:
            for label, (method, values) in GFD_METHODS.items():
                own = {"buffer": size} if method == "isvd" else {}
                own |= _ADVERSARIAL if method == "mgfd" and name == "Adversarial" else {}
                curves[name][label][size] = gfd_point(method, size, values | own, A)
    lines = []
    for name, curve in curves.items():
        for label, other in (("mGFD", "0.2-FD"), ("mGFD, clip", "0.2-FD"), ("fd-ramp", "0.2-FD"), ("fd-ramp", "mGFD")):
            ours, theirs = curve[label], curve[other]
            faster = np.median([theirs[size][2] / ours[size][2] for size in GFD_SIZES])
            worse = np.median([ours[size][0] / theirs[size][0] for size in GFD_SIZES])
            lines.append(
                f"{name}: {label} takes 1/{faster:.1f} of {other}'s time, error {worse:.2f} times (medians over l)"
            )
            lines += equal_error(label, ours, other, theirs)
    return curves, lines


def gfd_point(method: str, size: int, values: dict, A: np.ndarray) -> tuple[float, ...]:
    """The four measures of one sketch."""
    started = time.perf_counter()
    sketch = make_sketch(method, size, **values).update(A)
    seconds = time.perf_counter() - started
    return covariance_error(sketch, A), projection_error(sketch, A, 20)[0], seconds, sketch.shrinks


def equal_error(label: str, ours: dict, other: str, theirs: dict) -> list[str]:
    """Ratios where `label`, at whatever l it needs, is at least as accurate as `other` at l."""
    found = []
    for size in GFD_SIZES:
        enough = [l for l in GFD_SIZES if ours[l][0] <= theirs[size][0]]  # noqa: E741
        if enough:
            mine, its = ours[enough[0]], theirs[size]
            found.append(
                f"l = {size}: {label} l = {enough[0]}, {its[2] / mine[2]:.1f} times faster, "
                f"{mine[3]} decompositions for {its[3]}"
            )
    return [f"  at equal error, {other} {line}" for line in found] or [f"  no l reaches {other}'s error"]


def available(sets: dict[str, Callable]):
    """Pairs of name and matrix, for the sets whose file is there."""
    for name, make in sets.items():
        A = make()
        if A is not None:
            started = time.perf_counter()
            yield name, A
            print(f"{name}: {A.shape[0]} x {A.shape[1]}, {time.perf_counter() - started:.0f} s", flush=True)


def table(curves: Curves, measures: tuple[str, ...]) -> list[str]:
    """One block of text a data set and measure, methods as rows and sizes as columns."""
    lines = []
    for name, curve in curves.items():
        for at, measure in enumerate(measures):
            sizes = list(next(iter(curve.values())))
            lines += ["", f"{name}: {measure}", f"{'':>11}" + "".join(f"{size:>11}" for size in sizes)]
            lines += [f"{label:>11}" + "".join(f"{c[s][at]:>11.4g}" for s in sizes) for label, c in curve.items()]
    return lines


def draw(curves: Curves, measures: tuple[str, ...], path: Path) -> None:
    """One panel for each data set and measure; nothing without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("matplotlib is not installed: tables only")
        return
    figure = Figure(figsize=(4 * len(measures) if len(measures) > 1 else 16, 3.2 * _rows(curves, measures)))
    columns = len(measures) if len(measures) > 1 else 4
    panels = figure.subplots(_rows(curves, measures), columns, squeeze=False).ravel()
    jobs = [(name, at, measure) for name in curves for at, measure in enumerate(measures)]
    for axes, (name, at, measure) in zip(panels, jobs, strict=False):
        for label, curve in curves[name].items():
            axes.semilogy(list(curve), [curve[size][at] for size in curve], ".-", label=label)
        axes.set(title=name, ylabel=measure, xlabel="sketch size")
        axes.legend(fontsize=6)
    figure.tight_layout()
    figure.savefig(path)


def _rows(curves: Curves, measures: tuple[str, ...]) -> int:
    return len(curves) if len(measures) > 1 else -(-len(curves) // 4)


FIGURES = {"rfd": (rfd, ("relative spectral error",)), "gfd": (gfd, GFD_MEASURES)}


def main(names: list[str]) -> None:
    """Compute, print and write the figures named."""
    data.OUT.mkdir(parents=True, exist_ok=True)
    for name in names or list(FIGURES):
        make, measures = FIGURES[name]
        curves, claims = make()
        text = "\n".join([*claims, *table(curves, measures)])
        print(text)
        (data.OUT / f"{name}.txt").write_text(text + "\n")
        draw(curves, measures, data.OUT / f"{name}.png")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figures", nargs="*", choices=[*FIGURES, []], default=[], help="all by default")
    main(parser.parse_args().figures)
