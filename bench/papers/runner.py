"""Experiments as values, and the one runner of all: it measures what has not been measured yet, and keeps each cell.

An `Experiment` names its cells, {label: job}; the results come back under the same labels. A job is a dict of JSON
values (`measures`), and is its own key in a file of JSON lines, where its result stands as soon as it is there: a run
that was killed goes on where it was, and two figures with a cell in common measure it once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from bench.papers import data
from bench.papers.measures import MEASURES
from bench.papers.report import Report
from bench.rows import ROOT
from bench.table import say

Jobs = dict[tuple, dict]
Results = dict[tuple, dict]


class Scale(NamedTuple):
    """How much is run: all of it, or a quick part; `whole`, also what takes an hour."""

    quick: bool
    whole: bool = False

    def __call__(self, full: Any, quick: Any) -> Any:
        return quick if self.quick else full


class Experiment(NamedTuple):
    """One or more figures and tables of a paper that share their cells.

    `covers` are their names ("figure 1"); `protocol` says what was run, and where the paper leaves it open;
    `sets` are all that the paper has, those that are there and those that are not; `jobs` gets the scale and the sets
    that are there; `show` writes tables and figures from the results. `then` gives jobs that follow from the results
    of the first ones: runs at the settings that were found best.
    """

    covers: tuple[str, ...]
    title: str
    protocol: str
    sets: tuple[str, ...]
    jobs: Callable[[Scale, list[str]], Jobs]
    show: Callable[[Results, Report], None]
    then: Callable[[Scale, Results], Jobs] | None = None

    @property
    def stem(self) -> str:
        """For names of files."""
        return self.covers[0].replace(" ", "-")


def sources() -> str:
    """Hash of the package's sources: results of other sources than today's are told apart."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "sonlearn").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


class Kept:
    """Results by job, in a file of JSON lines; a line that a kill cut short counts as none."""

    def __init__(self, path: Path):
        self.path, self.today = path, sources()
        self._lines: dict[str, dict] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            try:
                entry = json.loads(line)
                self._lines[key_of(entry["job"])] = entry
            except (ValueError, KeyError):
                continue

    def __contains__(self, job: dict) -> bool:
        return key_of(job) in self._lines

    def __getitem__(self, job: dict) -> dict:
        return self._lines[key_of(job)]["result"]

    def older(self, job: dict) -> bool:
        """Whether a result is of other sources than today's."""
        return self._lines[key_of(job)]["sources"] != self.today

    def put(self, job: dict, result: dict) -> None:
        """Keep a result, on disk before anything else is measured."""
        entry = {"job": job, "result": result, "sources": self.today}
        self._lines[key_of(job)] = entry
        with open(self.path, "a", encoding="utf-8") as out:
            # On a line of its own, also behind one that a kill cut short.
            out.write("\n" + json.dumps(entry, allow_nan=False) + "\n")


def key_of(job: dict) -> str:
    """A job as text, whatever the order of its entries."""
    return json.dumps(job, sort_keys=True)


def run(experiment: Experiment, kept: Kept, scale: Scale, fresh: bool = False) -> tuple[Results, int]:
    """(results under the labels of the jobs, how many of them are of other sources than today's)."""
    title = ", ".join(experiment.covers)
    jobs = experiment.jobs(scale, data.there(experiment.sets))
    results = measured(jobs, kept, title, fresh)
    if experiment.then and jobs:
        more = experiment.then(scale, results)
        results |= measured(more, kept, f"{title}, at the best settings", fresh)
        jobs |= more
    return results, sum(map(kept.older, jobs.values()))


def measured(jobs: Jobs, kept: Kept, title: str, fresh: bool) -> Results:
    """The results of jobs, those that are not kept (with `fresh`: all) measured now."""
    todo = {key_of(job): (label, job) for label, job in jobs.items() if fresh or job not in kept}
    for done, (label, job) in enumerate(todo.values()):
        say(f"{title}: {done} of {len(todo)} cells ({' '.join(map(str, label))})")
        kept.put(job, MEASURES[job["measure"]](job))
    return {label: kept[job] for label, job in jobs.items()}
