"""What the examples have in common: the command line, data that may be there, peers that may not, and tables."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # times are those of one thread
ROOT = Path(__file__).resolve().parents[2]


def quick(about: str | None) -> bool:
    """Read the command line: whether --quick was given."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small samples only: a few seconds")
    return bool(parser.parse_args().quick)


def need(*packages: str) -> None:
    """End the program with a reason where a peer is not installed."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            print(f"skipped: {package} is not installed; pip install '.[peers]'")
            sys.exit(0)


def real(name: str) -> Path | None:
    """A file of real data below $SONLEARN_DATA, or None, with a word about it."""
    folder = os.environ.get("SONLEARN_DATA")
    path = Path(folder or "", name)
    if folder and path.is_file():
        return path
    print(f"(no {name}: set SONLEARN_DATA to a folder that has it)\n")
    return None


def show(title: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table, its first column to the left and the others to the right."""
    cells = [[str(cell) for cell in row] for row in [heads, *rows]]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    print(title)
    for first, *rest in cells:
        print("  ".join([first.ljust(widths[0]), *(c.rjust(w) for c, w in zip(rest, widths[1:], strict=True))]))
    print(flush=True)
