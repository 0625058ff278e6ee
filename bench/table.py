"""The table of `bench/speed.py`: rows, whether a goal is met, how it is printed and kept."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from bench.processes import ROOT, Cost, median

HEADINGS = ("what", "command", "clock s", "busy s", "MB", "us a row", "ratio clock / busy", "goal", "met")
WIDTHS = (46, 60, 8, 8, 6, 9, 18, 8, 10)


class Row(NamedTuple):
    """A line: what was run, its medians, and beside a goal what came of it."""

    what: str
    command: str
    cost: Cost | None = None
    us: float | None = None  # on the clock, for a row of the data
    ratio: str = ""
    goal: str = ""
    met: str = ""

    def cells(self) -> tuple[str, ...]:
        """Text of each column."""
        clock, busy, mb = (
            ("", "", "") if self.cost is None else (_short(self.cost.wall), _short(self.cost.busy), self.mb)
        )
        us = "" if self.us is None else f"{self.us:.1f}"
        return self.what, self.command, clock, busy, mb, us, self.ratio, self.goal, self.met

    @property
    def mb(self) -> str:
        """Peak memory, where it was measured."""
        return f"{self.cost.mb:.0f}" if self.cost and self.cost.mb else ""


def _short(seconds: float) -> str:
    return f"{seconds:.3f}" if seconds < 10 else f"{seconds:.1f}"


def times_faster(peer: Cost, ours: Cost) -> tuple[str, float, float]:
    """(cell, on the clock, of processors): how many times longer the peer takes."""
    clock, busy = peer.wall / ours.wall, peer.busy / ours.busy
    return f"{clock:.2f} / {busy:.2f}", clock, busy


def at_least(goal: float, clock: float, busy: float) -> str:
    """Whether both ratios reach a goal, or which."""
    reached = [name for name, ratio in (("clock", clock), ("busy", busy)) if ratio >= goal]
    return {0: "no", 1: f"{reached[0] if reached else ''} only", 2: "yes"}[len(reached)]


def at_most(goal: float, value: float) -> str:
    """Whether a value is within a goal."""
    return "yes" if value <= goal else "no"


class Table:
    """Rows, printed as they come: as text, or as the lines of a Markdown table."""

    def __init__(self, markdown: bool):
        self.markdown, self.kept, self.grids = markdown, [], {}
        if markdown:
            print(f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}", flush=True)
        else:
            self._line(HEADINGS)

    def add(self, row: Row, runs: Sequence[Cost] = ()) -> None:
        """Print a row; its runs are kept for the file."""
        if self.markdown:
            command = f"`{row.command}`" if row.command else ""
            print(f"| {' | '.join((row.what, command, *row.cells()[2:]))} |", flush=True)
        else:
            self._line(row.cells())
        self.kept.append(row._asdict() | {"cost": row.cost and row.cost._asdict(), "runs": [list(run) for run in runs]})

    def _line(self, cells: Sequence[str]) -> None:
        left = [f"{cell:{width}}" for cell, width in zip(cells[:2], WIDTHS, strict=False)]
        right = [f"{cell:>{width}}" for cell, width in zip(cells[2:], WIDTHS[2:], strict=True)]
        print(" ".join([*left, *right]).rstrip(), flush=True)

    def grid(self, title: str, columns: Mapping[str, Mapping[str, float]]) -> None:
        """Print a table of its own: a row for each name that the columns have."""
        names = list(dict.fromkeys(name for column in columns.values() for name in column))
        rows = [[name, *(f"{own[name]:.1f}" if name in own else "" for own in columns.values())] for name in names]
        self.grids[title] = {head: dict(own) for head, own in columns.items()}
        if self.markdown:
            lines = [f"| {' | '.join(cells)} |" for cells in ([title, *columns], *rows)]
            lines.insert(1, f"|{'---|' * (len(columns) + 1)}")
        else:
            sizes = [max(map(len, cells)) + 2 for cells in zip([title, *columns], *rows, strict=True)]
            lines = [
                cells[0].ljust(sizes[0]) + "".join(c.rjust(n) for c, n in zip(cells[1:], sizes[1:], strict=True))
                for cells in ([title, *columns], *rows)
            ]
        print("\n" + "\n".join(lines), flush=True)

    def peer(self, what: str, command: str, runs: Sequence[Cost], n: int) -> Cost:
        """Add the row of what ours are compared with; returns its medians."""
        cost = median(runs)
        self.add(Row(what, command, cost, cost.wall / n * 1e6), runs)
        return cost

    def against(
        self, what: str, command: str, runs: Sequence[Cost], n: int, peer: Cost | None, goal: float | None
    ) -> None:
        """Add a row of ours beside a peer's medians, with the goal for how many times faster it is."""
        cost, ratio, met = median(runs), "", ""
        if peer is not None:
            ratio, clock, busy = times_faster(peer, cost)
            met = at_least(goal, clock, busy) if goal else ""
        self.add(Row(what, command, cost, cost.wall / n * 1e6, ratio, f">= {goal:g}" if goal else "", met), runs)

    def goals(self) -> str:
        """How many goals are met."""
        judged = [row["met"] for row in self.kept if row["met"]]
        return f"{judged.count('yes')} of {len(judged)} goals met"


def load() -> float | None:
    """How many processes want a core, over the last minute."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def machine() -> dict[str, object]:
    """What the figures belong to."""
    versions = {}
    for name in ("numpy", "scipy", "numba", "vowpalwabbit", "scikit-learn"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    return {
        "when": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "commit": _said("git", "-C", str(ROOT), "describe", "--always", "--dirty"),
        "processor": _processor(), "cores": os.cpu_count(), "system": platform.platform(),
        "python": platform.python_version(), "versions": versions, "load": load(),
    }  # fmt: skip


def _said(*words: str) -> str:
    try:
        return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")


def headline(facts: dict[str, object], options: str) -> str:
    """The line above the table."""
    versions = ", ".join(f"{name} {number}" for name, number in facts["versions"].items() if number)
    busy = "" if facts["load"] is None else f", load {facts['load']:.2f}"
    return (
        f"{facts['when']}, {facts['commit'] or 'no commit'}: {facts['cores']} cores of {facts['processor']}{busy}; "
        f"Python {facts['python']}, {versions}; {options}"
    )


def save(path: str, facts: dict[str, object], table: Table) -> None:
    """Keep all figures, those of each run included."""
    text = json.dumps({**facts, "load after": load(), "rows": table.kept, "grids": table.grids}, indent=1)
    Path(path).write_text(text + "\n")


def say(text: str) -> None:
    """What is under way, on standard error; on a terminal one line that is written over."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text[:110]}", end="", file=sys.stderr, flush=True)
