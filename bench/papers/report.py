"""What a run writes: Markdown with the paper's numbers beside ours, and figures in one style, as SVG and PNG."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

#: One colour for a method, in every figure.
COLOURS = {
    "AdaGrad": "#7f7f7f", "FULL-ON": "#000000", "FD": "#1f77b4", "PFD": "#9467bd", "RP": "#8c564b", "Oja": "#2ca02c",
    "RFD": "#d62728", "RFD0": "#ff7f0e", "CFD": "#17becf", "VW": "#bcbd22",
    "ADA-FULL": "#000000", "ADA-DIAG": "#7f7f7f", "RP-SON": "#8c564b", "RADAGRAD": "#9467bd", "ADA-GP": "#1f77b4",
    "ADA-DP": "#d62728",
}  # fmt: skip
#: For labels that are no method's, in the order of their appearance.
OTHERS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#17becf", "#e377c2", "#bcbd22", "#7f7f7f")
WIDTH, HEIGHT, ACROSS = 3.6, 2.9, 4


class Panel(NamedTuple):
    """One diagram: lines (label: (x, y)) or, with `points`, dots; a label that begins with `paper` is dashed.

    `colour` gives the dots of a label a third number, under that name.
    """

    title: str
    x: str
    y: str
    lines: Mapping[str, tuple]
    log: str = ""  # axes on a logarithmic scale: "x", "y", "xy"
    points: bool = False
    colour: str = ""
    diagonal: bool = False


class Report:
    """The Markdown of one experiment; `figure` writes its pictures beside it."""

    def __init__(self, folder: Path, stem: str, quick: bool = False):
        self.folder, self.stem, self.quick = folder, stem, quick
        self.lines: list[str] = []
        self.differences: list[str] = []
        self._pictures = 0

    def say(self, text: str) -> None:
        """A paragraph."""
        self.lines += ["", text]

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence]) -> None:
        """A table; numbers get four digits, None a dash."""
        self.lines += ["", f"**{title}**", "", f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
        self.lines += [f"| {' | '.join(map(text_of, row))} |" for row in rows]

    def compare(self, what: str, pairs: Mapping[str, tuple[float | None, float | None]], unit: str = "") -> None:
        """The largest difference over {cell: (ours, the paper's)}."""
        both = {cell: (a, b) for cell, (a, b) in pairs.items() if a is not None and b is not None}
        if not both:
            return
        cell = max(both, key=lambda c: abs(both[c][0] - both[c][1]))
        ours, theirs = both[cell]
        middle = float(np.median([abs(a - b) for a, b in both.values()]))
        text = (
            f"{what}: largest difference {text_of(abs(ours - theirs))}{unit} at {cell} "
            f"(ours {text_of(ours)}, the paper's {text_of(theirs)}); median {text_of(middle)}{unit} of {len(both)}"
        )
        self.differences.append(text)
        self.say(text + ".")

    def figure(self, panels: Sequence[Panel], title: str = "", across: int = ACROSS) -> None:
        """All panels in one picture, at most so many across; without matplotlib only the tables stay."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            self.say("(No picture: matplotlib is not installed; pip install '.[plot]'.)")
            return
        self._pictures += 1
        name = self.stem + (f"-{self._pictures}" if self._pictures > 1 else "")
        across = min(across, len(panels))
        down = -(-len(panels) // across)
        picture = Figure(figsize=(WIDTH * across + 1.2, HEIGHT * down + 0.7), layout="constrained")
        grid = picture.subplots(down, across, squeeze=False)
        for axes, panel in zip(grid.ravel(), panels, strict=False):
            _draw(axes, panel, picture)
        for axes in grid.ravel()[len(panels) :]:
            axes.set_axis_off()
        marked = " (quick run: few rows, few points)" if self.quick else ""
        picture.suptitle((title or self.stem) + marked, fontsize=10)
        _legends(picture, grid.ravel()[: len(panels)], panels)
        for kind in ("svg", "png"):
            picture.savefig(self.folder / f"{name}.{kind}", dpi=110)
        self.lines += ["", f"![{title or name}]({name}.svg)"]


def text_of(cell: object) -> str:
    """A cell of a table."""
    if cell is None or (isinstance(cell, float) and not np.isfinite(cell)):
        return "-"
    if not isinstance(cell, float):
        return str(cell)
    return f"{cell:.4f}" if 0.001 <= abs(cell) < 10 else f"{cell:.4g}"


def _styles(labels: Iterable[str]) -> dict[str, dict]:
    """A colour a method; a method's further lines in a panel differ in marker and stroke. The paper's are dashed."""
    styles: dict[str, dict] = {}
    methods = {label: label.removeprefix("paper: ").split(",")[0].split(" ")[0] for label in labels}
    taken = {COLOURS.get(method) for method in methods.values()}
    free = itertools.cycle([colour for colour in OTHERS if colour not in taken] or OTHERS)
    used: dict[str, int] = {}
    for label, method in methods.items():
        colour = COLOURS.get(method) or next(free)
        again = used[colour] = used.get(colour, -1) + 1
        line = "--" if label.startswith("paper") else ("-", "-.", ":")[again % 3]
        marker, size = ".s^v"[again % 4], 2.5 if again else 3.5
        styles[label] = {"color": colour, "linestyle": line, "marker": marker, "markersize": size, "lw": 1.3}
    return styles


def _draw(axes, panel: Panel, picture) -> None:
    styles = _styles(panel.lines)
    for at, (label, values) in enumerate(panel.lines.items()):
        xs, ys = (np.array([np.nan if v is None else v for v in part], dtype=float) for part in values[:2])
        if panel.points and panel.colour and len(values) > 2:
            dots = axes.scatter(xs, ys, c=values[2], s=9, cmap="viridis", label=label)
            bar = picture.colorbar(dots, ax=axes)
            bar.set_label(panel.colour, fontsize=8)
            bar.ax.tick_params(labelsize=7)
        elif panel.points:
            axes.plot(xs, ys, "D" if at else "o", color=OTHERS[at], markersize=4.5, alpha=0.8, label=label)
        else:
            axes.plot(xs, ys, label=label, **styles[label])
    if panel.diagonal:
        ends = [min(axes.get_xlim()[0], axes.get_ylim()[0]), max(axes.get_xlim()[1], axes.get_ylim()[1])]
        axes.plot(ends, ends, color="#bbbbbb", lw=0.8, zorder=0)
    for name in "xy":
        if name in panel.log:
            getattr(axes, f"set_{name}scale")("log")
            if name == "x" and axes.get_xlim()[1] > 10 * axes.get_xlim()[0]:
                axes.xaxis.set_minor_formatter("")
        else:
            axes.locator_params(axis=name, nbins=6)
    axes.set_title(panel.title, fontsize=9)
    axes.set_xlabel(panel.x, fontsize=8)
    axes.set_ylabel(panel.y, fontsize=8)
    axes.tick_params(which="both", labelsize=7)
    axes.grid(alpha=0.25)


def _legends(picture, grid, panels: Sequence[Panel]) -> None:
    """One legend below all panels where one of them has the labels of all, else one in each."""
    longest = max(range(len(panels)), key=lambda i: len(panels[i].lines))
    if len(panels) > 1 and all(panel.lines.keys() <= panels[longest].lines.keys() for panel in panels):
        handles, labels = grid[longest].get_legend_handles_labels()
        picture.legend(handles, labels, loc="outside lower center", ncols=min(8, len(labels)), fontsize=8)
        return
    for axes in grid:
        axes.legend(fontsize=6.5)
