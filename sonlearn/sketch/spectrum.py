"""The spectrum of a sketch as a picture: by matplotlib if it is installed, else as bars of text."""

from __future__ import annotations

import math
import os

import numpy as np

from sonlearn.files.atomic import whole_file
from sonlearn.sketch.base import Sketch

#: Endings of pictures that can be drawn.
PICTURES = (".png", ".svg", ".pdf", ".eps")

_BARS, _WIDTH = 20, 50


def histogram(sketch: Sketch) -> list[str]:
    """Lines of text: eigenvalues of B'B as shares of ||A||_F^2, on a logarithmic scale, at most 20 of them."""
    shares, total = sketch.eigenvalues(), sketch.frobenius
    shares = shares[shares > 0] / total if total else shares[:0]
    if not len(shares):
        return ["the sketch is empty: no spectrum"]
    picked = np.unique(np.linspace(0, len(shares) - 1, _BARS).round().astype(int)) if len(shares) > _BARS else None
    rows = range(len(shares)) if picked is None else picked
    top, low = math.log10(shares[0]), math.log10(shares[-1])
    span = max(top - low, 1e-9)
    lines = [f"{'i':>6} {'share of ||A||^2':>16}  (bars: logarithmic, {low:.1f} to {top:.1f} in powers of ten)"]
    for i in rows:
        bar = 1 + round((_WIDTH - 1) * (math.log10(shares[i]) - low) / span)
        lines.append(f"{i + 1:>6} {shares[i]:>16.6g}  {'#' * bar}")
    return lines


def plot(sketch: Sketch, path: str | os.PathLike[str]) -> bool:
    """Draw the spectrum into a file whose ending names the format (.png, .svg, .pdf); False without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot()
    squares = sketch.eigenvalues()
    axes.semilogy(np.arange(1, len(squares) + 1), squares, ".-", label="eigenvalues of B'B")
    if sketch.alpha > 0:
        axes.axhline(sketch.alpha, color="gray", linestyle="--", label="alpha")
    axes.set(xlabel="i", ylabel="squared singular value", title=f"{sketch.n_seen} rows")
    axes.legend()
    kind = os.path.splitext(path)[1].lower().lstrip(".") or "png"
    with whole_file(path) as file:
        figure.savefig(file, format=kind)
    return True
