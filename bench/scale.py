"""How time and memory grow: with the rows, with m, s and d; tables, and plots beside a limit.

    python bench/scale.py                     # everything
    python bench/scale.py --quick             # few rows and points, to see that it works: no figures to quote
    python bench/scale.py --only sizes --runs 5 --json scale.json
    python bench/scale.py --only stdin --rows 100000000 --flags "--method nag"

  stdin   10,000,000 rows of 20 features through standard input, 500,000 distinct ones again and again (d = 40,000):
          rows a second, processor microseconds a row ("us", which other work on the machine hardly changes) and
          resident memory at every tenth, as the command's own table of progress comes to it (`--rows`: so many;
          `--flags`: of train, in the place of rfd, nag and the committee; may be repeated)
  sizes   microseconds a row against m, s and d (else m = 10, s = 100, d = 1e5); Zipf rows of exactly s features

"sizes" has processor time, of all threads. `learning`: ours in process, the second half of the stream, without text.
`RFD`, `VW`: whole processes, the time of all rows less that of the first half (`--examples`), so that no start is in
it: text included, VW's OjaNewton as it comes. `limit`: what `bench/limit.py` measures in the same run: memory reads and
small dense work. The plots are bench/out/scale.svg and .png, where matplotlib is installed (extra `plot`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.feed import Sample, costs, feed, rates
from bench.processes import SONLEARN, TRAIN, VW, child, in_turns, installed, measured, median
from bench.sections import Files, made_files
from bench.table import headline, machine, say

OUT = Path(__file__).parent / "out"
BASE = {"m": 10, "s": 100, "d": 10**5}
SIZES = {"m": (0, 5, 10, 20, 50), "s": (10, 30, 100, 300, 1000), "d": (10**4, 10**5, 10**6, 10**7)}
QUICK_SIZES = {"m": (0, 10, 50), "s": (10, 100, 1000), "d": (10**4, 10**6)}
CURVES = ("learning RFD", "learning Oja", "RFD", "VW", "limit: memory", "limit: dense", "limit")


class Size(NamedTuple):
    """How much is measured."""

    quick: bool
    runs: int
    rows: int  # through standard input
    flags: Sequence[str]  # of train, of what reads them; none: the usual ones


class Grid:
    """A table that is printed row by row, and kept."""

    def __init__(self, headings: Sequence[str]):
        self.headings, self.rows = list(headings), []
        self._print(self.headings)
        print(f"|{'---|' * len(headings)}", flush=True)

    def add(self, *cells: object) -> None:
        """Print a row; numbers as short as they are read, None as nothing."""
        self.rows.append(dict(zip(self.headings, cells, strict=True)))
        self._print([_text(cell) for cell in cells])

    def _print(self, cells: Sequence[str]) -> None:
        print(f"| {' | '.join(cells)} |", flush=True)


def _text(cell: object) -> str:
    if cell is None:
        return ""
    if not isinstance(cell, float):
        return f"{cell:,}" if isinstance(cell, int) else str(cell)
    return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.3g}" if abs(cell) < 100 else f"{cell:.0f}"


def endless(size: Size) -> list[Grid]:
    """A stream that goes on: is the rate constant, and the memory?"""
    pool, rows, every = (50_000, 600_000, 100_000) if size.quick else (500_000, size.rows, size.rows // 10)
    files = made_files("zipf", pool, 40_000, 20)
    learners = size.flags or ["--sketch rfd -m 10", "--method nag", *([] if size.quick else [""])]
    samples: dict[str, list[Sample]] = {}
    for own in learners:
        say(f"stdin: {own}")
        words = [*SONLEARN, "train", *own.split()]
        measured([*words, "--quiet", "--examples", "1000", files.svm])
        samples[own] = feed(words, Path(files.svm), rows // pool, every)
    names = [f"`train {own}`".replace(" `", "`") for own in learners]
    table = Grid(["rows", *(f"{name} {what}" for name in names for what in ("rows/s", "us", "MB"))])
    for i, row in enumerate(zip(*samples.values(), strict=True)):
        pairs = zip(samples.values(), row, strict=True)
        cells = [cell for own, sample in pairs for cell in (rates(own)[i], costs(own)[i], sample.mb)]
        table.add(row[0].rows, *cells)
    last = []
    for own in samples.values():
        (second, before), (at_last, busy) = ((rates(own)[i], costs(own)[i]) for i in (1, -1))
        last += [at_last / second, busy / before if busy and before else None, _growth(own)]
    table.add("last by second", *last)
    return [table]


def _growth(samples: Sequence[Sample]) -> float | None:
    """Memory at the last sample by that at the second."""
    return samples[-1].mb / samples[1].mb if samples[1].mb else None


def sizes(size: Size) -> list[Grid]:
    """Microseconds against m, s and d, and the plots of them."""
    vw, known, tables = installed("vowpalwabbit"), {}, []
    for axis, values in (QUICK_SIZES if size.quick else SIZES).items():
        print()
        table = Grid([axis, *CURVES])
        for value in values:
            point = BASE | {axis: value}
            key = tuple(point.values())
            if key not in known:
                known[key] = at_point(**point, quick=size.quick, runs=size.runs, vw=vw)
            table.add(value, *(known[key].get(name) for name in CURVES))
        tables.append(table)
    draw(tables)
    return tables


def at_point(m: int, s: int, d: int, quick: bool, runs: int, vw: bool) -> dict[str, float]:
    """Curve -> processor microseconds a row at one point."""
    n = min(max((500_000 if quick else 10_000_000) // (s + s * m // 10), 4000), 200_000)  # runs of like length
    say(f"m = {m}, s = {s}, d = {d}: in process")
    flags = {"learning RFD": f"--sketch rfd -m {m}", "learning Oja": f"--sketch oja -m {m}"}
    inside = child("bench.inside", "learning", d=d, s=s, n=n, flags=list(flags.values()), runs=runs)
    least = child("bench.limit", "limit", d=d, s=s, m=m, n=n, runs=runs)
    found = {name: inside[own] for name, own in flags.items()}
    found |= {f"limit: {name}": least[name] for name in ("memory", "dense")}
    return found | {"limit": least["memory"] + least["dense"]} | second_half(made_files("zipf", n, d, s), m, runs, vw)


def second_half(files: Files, m: int, runs: int, vw: bool) -> dict[str, float]:
    """Curve -> microseconds a row of whole processes in the second half of a file."""
    learners = {"RFD": [*TRAIN, "--sketch", "rfd", "-m", str(m), files.vw]}
    if vw:
        learners["VW"] = [*VW, "--OjaNewton", "--sketch_size", str(m), "-d", files.vw]
    half = files.rows // 2
    commands: dict[tuple[str, int], list[str]] = {
        (name, n): [*words, "--examples", str(n)] for name, words in learners.items() for n in (half, files.rows)
    }
    costs = in_turns(commands, runs, said=lambda text: say(f"m = {m}, {files.name}: {text}"))
    busy = {key: median(own).busy for key, own in costs.items()}
    return {name: (busy[name, files.rows] - busy[name, half]) / (files.rows - half) * 1e6 for name in learners}


def draw(tables: Sequence[Grid]) -> None:
    """The curves against m, s and d, as scale.svg and scale.png."""
    if not installed("matplotlib"):
        print("no plots: no matplotlib (extra `plot`)", file=sys.stderr)
        return
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(tables), figsize=(5 * len(tables), 4.5), squeeze=False)
    for panel, table in zip(panels[0], tables, strict=True):
        axis = table.headings[0]
        for name in (name for name in CURVES if not name.startswith("limit: ")):
            # A difference of two times can be noise, and is not drawn where it is below 0.
            points = [(row[axis], row[name]) for row in table.rows if row[name] is not None and row[name] > 0]
            style = {"color": "black", "linestyle": "--"} if name == "limit" else {"marker": "o", "markersize": 3}
            panel.plot(*zip(*points, strict=True), label=name, **style) if points else None
        panel.set_xscale("linear" if axis == "m" else "log")
        panel.set_yscale("log")
        fixed = ", ".join(f"{name} = {value:g}" for name, value in BASE.items() if name != axis)
        panel.set(xlabel=f"{axis}  ({fixed})", ylabel="microseconds a row")
        panel.grid(alpha=0.3)
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="upper center", ncols=len(CURVES))
    figure.tight_layout(rect=(0, 0, 1, 0.94))
    OUT.mkdir(exist_ok=True)
    for kind in ("svg", "png"):
        figure.savefig(OUT / f"scale.{kind}")
    pyplot.close(figure)
    print(f"\nplots: {OUT}/scale.svg, scale.png", flush=True)


SECTIONS = {"stdin": endless, "sizes": sizes}


def save(path: str, facts: Mapping[str, object], tables: Mapping[str, list[Grid]]) -> None:
    """Keep all tables."""
    kept = {name: [table.rows for table in own] for name, own in tables.items()}
    Path(path).write_text(json.dumps({**facts, **kept}, indent=1) + "\n")


def main(arguments: list[str] | None = None) -> None:
    """Print the tables, a row as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rows and points, one run of each")
    parser.add_argument("--only", metavar="NAMES", help=f"sections, of {', '.join(SECTIONS)}")
    parser.add_argument("--runs", type=int, metavar="N", help="runs that medians are of (default 3)")
    parser.add_argument("--rows", type=int, default=10_000_000, metavar="N", help="rows through standard input")
    parser.add_argument("--flags", action="append", default=[], metavar="FLAGS", help="of train, of what reads them")
    parser.add_argument("--json", metavar="FILE", help="keep the figures here")
    options = parser.parse_args(arguments)
    runs = options.runs or (1 if options.quick else 3)
    size = Size(options.quick, runs, options.rows, options.flags)
    names, facts, tables = options.only.split(",") if options.only else list(SECTIONS), machine(), {}
    if unknown := set(names) - set(SECTIONS):
        raise SystemExit(f"bench/scale.py: no section {sorted(unknown)[0]!r}; there are {', '.join(SECTIONS)}")
    print(headline(facts, f"medians of {runs} runs") + "\n", flush=True)
    for name in names:
        tables[name] = SECTIONS[name](size)
        say("")
        print(flush=True)
        if options.json:
            save(options.json, facts, tables)


if __name__ == "__main__":
    main()
