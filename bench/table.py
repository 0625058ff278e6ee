"""Tables of Markdown on standard output, each row printed as soon as it is known; and what they were measured on."""

from __future__ import annotations

import contextlib
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.processes import ROOT, Cost, median


class Table:
    """A Markdown table."""

    def __init__(self, title: str, columns: Sequence[str]):
        print(f"\n### {title}\n" if title else "")
        print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)

    def row(self, *cells: object) -> None:
        """Print a row: numbers with three digits, a dash where there is none."""
        print(f"| {' | '.join(map(_text, cells))} |", flush=True)


def _text(cell: object) -> str:
    if not isinstance(cell, float):
        return f"{cell:,}" if isinstance(cell, int) else "" if cell is None else str(cell)
    if math.isnan(cell):
        return "-"
    return f"{cell:,.0f}" if abs(cell) >= 1e4 else f"{cell:.3f}" if abs(cell) >= 0.1 else f"{cell:.3g}"


HEADINGS = ("what", "command", "clock s", "busy s", "MB", "us a row", "ratio clock / busy", "goal", "met")


def _short(seconds: float) -> str:
    return f"{seconds:.3f}" if seconds < 10 else f"{seconds:.1f}"


def at_least(goal: float, clock: float, busy: float) -> str:
    """Whether both ratios reach a goal, or which."""
    reached = [name for name, ratio in (("clock", clock), ("busy", busy)) if ratio >= goal]
    return {0: "no", 1: f"{reached[0] if reached else ''} only", 2: "yes"}[len(reached)]


def at_most(goal: float, value: float) -> str:
    """Whether a value is within a goal."""
    return "yes" if value <= goal else "no"


class Costs(Table):
    """What commands took, beside their peers and goals."""

    def __init__(self) -> None:
        super().__init__("", HEADINGS)
        self.kept: list[dict] = []

    def add(
        self, what: str, command: str, runs: Sequence[Cost] = (), us: float | None = None, ratio: str = "",
        goal: str = "", met: str = "",
    ) -> None:  # fmt: skip
        """Print the medians of a command's runs."""
        cost = median(runs) if runs else None
        cells = (_short(cost.wall), _short(cost.busy), f"{cost.mb:.0f}") if cost else ("", "", "")
        self.row(what, f"`{command}`" if command else "", *cells, "" if us is None else f"{us:.1f}", ratio, goal, met)
        own = {"what": what, "command": command, "cost": cost and cost._asdict(), "us": us, "ratio": ratio}
        self.kept.append(own | {"goal": goal, "met": met})

    def against(
        self, what: str, command: str, runs: Sequence[Cost], n: int, peer: Cost | None = None, goal: float | None = None
    ) -> Cost:
        """Add a row of a command over n rows, beside a peer's medians with the goal for how many times faster it is.

        Returns its medians.
        """
        cost, ratio, met = median(runs), "", ""
        if peer is not None:
            clock, busy = peer.wall / cost.wall, peer.busy / cost.busy
            ratio, met = f"{clock:.2f} / {busy:.2f}", at_least(goal, clock, busy) if goal else ""
        self.add(what, command, runs, cost.wall / n * 1e6, ratio, f">= {goal:g}" if goal else "", met)
        return cost

    def goals(self) -> str:
        """How many goals are met."""
        judged = [row["met"] for row in self.kept if row["met"]]
        return f"{judged.count('yes')} of {len(judged)} goals met"


def load() -> float | None:
    """How many processes want a core, over the last minute."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def headline(options: str = "") -> str:
    """The line above the table: when, of which sources, on what machine, with which versions."""
    found = [f"Python {platform.python_version()}"]
    for name in ("numpy", "scipy", "numba", "vowpalwabbit", "scikit-learn"):
        with contextlib.suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    busy = "" if load() is None else f", load {load():.2f}"
    when = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    commit = _said("git", "-C", str(ROOT), "describe", "--always", "--dirty") or "no commit"
    where = f"{os.cpu_count()} cores of {_processor()}{busy}"
    return f"{when}, {commit}: {where}; {', '.join(found)}{'; ' * bool(options)}{options}"


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


def say(text: str) -> None:
    """What is under way, on standard error; on a terminal one line that is written over."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text[:110]}", end="", file=sys.stderr, flush=True)
