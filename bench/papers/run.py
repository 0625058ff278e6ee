"""The papers' experiments, by one command each:

    python bench/papers/run.py son|rfd|gfd|ada [--figure N | --table N] [--quick | --whole] [--fresh]

Writes tables (Markdown, with the paper's numbers beside ours) and figures (SVG and PNG; matplotlib, the extra `plot`)
under bench/papers/out, with the protocol, the data that were there, the machine and the versions. Each cell is kept in
out/PAPER.jsonl as soon as it is there: a run that was killed goes on where it was; --fresh measures anew. --quick takes
few rows and few points of each grid, ends within two minutes, and writes to out/quick, marked as quick. The data are
looked for in $SONLEARN_DATA or ../shared/data; what is missing is listed, and not made up. docs/papers.md says how the
papers' claims fared.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import importlib
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.papers import data
from bench.papers.report import Report
from bench.papers.runner import Experiment, Kept, Scale, run
from bench.table import headline

OUT = Path(__file__).parent / "out"
PAPERS = ("son", "rfd", "gfd", "ada")


def arguments(words: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paper", choices=PAPERS)
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--figure", type=int, metavar="N", help="this figure only")
    one.add_argument("--table", type=int, metavar="N", help="this table only")
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument("--quick", action="store_true", help="few rows and few points: a look, not a result")
    extent.add_argument("--whole", action="store_true", help="whole grids, where else there is a part of them (gfd)")
    parser.add_argument("--fresh", action="store_true", help="measure what has been kept anew")
    return parser.parse_args(words)


def experiments(paper: str, figure: int | None = None, table: int | None = None) -> list[Experiment]:
    """All of a paper's, or those that cover one figure or table; SystemExit where none does."""
    known = importlib.import_module(f"bench.papers.{paper}").EXPERIMENTS
    wanted = f"figure {figure}" if figure is not None else f"table {table}" if table is not None else None
    found = [experiment for experiment in known if wanted is None or wanted in experiment.covers]
    if not found:
        names = ", ".join(name for experiment in known for name in experiment.covers)
        raise SystemExit(f"bench/papers: {paper} has no {wanted} here: {names}")
    return found


def write(experiment: Experiment, kept: Kept, given: argparse.Namespace) -> Report:
    """Measure what is missing of an experiment, and write its page and pictures beside the kept cells."""
    started, scale, folder, paper = time.monotonic(), Scale(given.quick, given.whole), kept.path.parent, given.paper
    results, older = run(experiment, kept, scale, given.fresh)
    report = Report(folder, f"{paper}-{experiment.stem}", scale.quick)
    name = ", ".join(experiment.covers)
    report.lines += [f"## [{paper.upper()}] {name}: {experiment.title}"]
    if scale.quick:
        report.say("**Quick run: few rows and few points. A look, not a result.**")
    report.say(experiment.protocol)
    here = data.there(experiment.sets)
    report.say(f"Data: {'; '.join(here)}." if here else "Data: none of it is there.")
    missing = [name for name in experiment.sets if name not in here]
    if missing:
        report.say(f"Not there, and left out: {'; '.join(missing)}.")
    if results:
        experiment.show(results, report)
    if older:
        report.say(f"{older} of {len(results)} cells were measured with other sources than today's (--fresh: anew).")
    report.say(f"{len(results)} cells; this run took {time.monotonic() - started:.0f} s. {headline()}.")
    (folder / f"{report.stem}.md").write_text("\n".join(report.lines) + "\n", encoding="utf-8")
    return report


def main(words: list[str] | None = None, out: Path = OUT) -> None:
    """Run, write, and print what was found."""
    given = arguments(words)
    folder = out / "quick" if given.quick else out
    chosen = experiments(given.paper, given.figure, given.table)
    kept = Kept(folder / f"{given.paper}.jsonl")
    reports = [write(experiment, kept, given) for experiment in chosen]
    differences = [f"- {text}" for report in reports for text in report.differences]
    for report in reports:
        print("\n".join(report.lines), end="\n\n")
    if len(chosen) > 1:
        head = [f"# [{given.paper.upper()}]", "", "Largest differences from the paper:", "", *differences, ""]
        pages = ["\n".join(report.lines) for report in reports]
        (folder / f"{given.paper}.md").write_text("\n".join(head) + "\n\n".join(pages) + "\n", encoding="utf-8")
    print(f"Written to {folder}.", file=sys.stderr)


if __name__ == "__main__":
    main()
