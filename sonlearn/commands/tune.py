"""``sonlearn tune``: many settings learn side by side from text that is read once; the best one's model is saved."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from sonlearn.commands.checks import check_run
from sonlearn.commands.line import Line
from sonlearn.commands.messages import warn
from sonlearn.commands.models import Model
from sonlearn.commands.passes import Passes
from sonlearn.commands.train import cores_of, unlabelled
from sonlearn.data.batch import Batch
from sonlearn.errors import OptionError
from sonlearn.files.atomic import whole_output
from sonlearn.options import RunOptions, TextOptions
from sonlearn.options.run import TuneOptions
from sonlearn.options.spec import raw, text_of
from sonlearn.report.facts import members_at_work
from sonlearn.report.labels import reported_loss
from sonlearn.report.predictions import csv_text
from sonlearn.report.progress import ERROR, HEADER, Schedule
from sonlearn.text.names import NameTable
from sonlearn.tuning.grid import Settings, parse_grid, settings_of, with_classes
from sonlearn.tuning.search import MEASURES, DueRow, SettingResult, Tuning, criterion, labelling

#: Columns of the table behind those of the options.
COLUMNS = ("average_loss", "average_error", "examples", "seconds", "state", "problem", *MEASURES)
#: The measure that people see of each setting, by what the labels are: its name in `MEASURES`, and its heading.
MEASURES_SHOWN = (("auc", "area    "), ("r2", "R2      "), ("macro_f1", "macro F1"))


def command(line: Line) -> int:
    """Tune as the command line says; return the exit status.

    Raises SonlearnError or OSError, and nothing has been saved.
    """
    settings, text, running, options = options_of(line)
    check_run(running, options.table)
    return TuningSession(settings, text, running, options).run()


def options_of(line: Line) -> tuple[Settings, TextOptions, RunOptions, TuneOptions]:
    """Return what the command line asks for. Raises OptionError."""
    running, options = line.running(), line.options(TuneOptions)
    if not options.grid:
        raise OptionError("tune needs what to try; give --grid 'method=nag,rfd-son alpha=.1,1,10', for example")
    text = line.options(TextOptions)
    places = ["--grid"] if len(options.grid) == 1 else [f"--grid no. {i + 1}" for i in range(len(options.grid))]
    return settings_of(map(parse_grid, options.grid, places), line.given), text, running, options


class TuningSession(Passes):
    """One run under way: the settings at work, and where the best one is written."""

    def __init__(self, settings: Settings, text: TextOptions, running: RunOptions, options: TuneOptions):
        super().__init__(running, text, Model(NameTable()))
        self.settings, self.text, self.choice = settings, text, options
        self.labelling = labelling(settings.settings)
        self.by = criterion([setting.options for setting in settings.settings], options.by)
        self.tuning: Tuning | None = None
        self.learner, self.failed = None, 0

    @property
    def files(self) -> dict[str, str | None]:
        """Return which files the run reads and writes."""
        return {**super().files, "table": self.choice.table}

    def begin(self, format: str, batch: Batch, cache: str) -> None:
        """Make the learners, and print the header."""
        text = dataclasses.replace(self.text, format=format).with_inferred(self.read_as)
        self.tuning = Tuning(
            self.settings.settings, text, threads=cores_of(self.options), by=self.by,
            halving=self.choice.first_halving if self.choice.halving else None,
            schedule=Schedule(*self.options.steps()), holdout=self.holdout,
            skip=self.options.on_error == "skip",
        )  # fmt: skip
        for contender in self.tuning.contenders:  # each counts the numbers of the rows that it learns
            contender.learner.columns.known = self.columns.known
        head = (f"{HEADER[0]}{ERROR[0]}  best", f"{HEADER[1]}{ERROR[1]}  setting")
        self.say_header(cache, setup_lines(self.settings, self.by, self.choice), text, head)

    def learn_classes(self) -> None:
        """Learn several classes in the place of two. Raises OptionError: an option is against it."""
        self.settings = self.settings._replace(settings=with_classes(self.settings.settings))
        self.by = criterion([setting.options for setting in self.settings.settings], self.choice.by)

    def next_pass(self, learns: bool) -> None:
        """Another pass begins."""
        if self.tuning is not None:
            self.tuning.next_pass()

    def learn_from(self, batch: Batch, held: np.ndarray | None) -> list[DueRow]:
        """Have all settings learn; the rows of the table that are due."""
        due = self.tuning.partial_fit(batch, held)
        self.learner, self.progress = self.tuning.best.learner, self.tuning.best.progress
        return due

    def report(self, batch: Batch, held: np.ndarray | None, predicted: list[DueRow]) -> None:
        """Print the rows that are due, and say which settings have failed."""
        self.say(*(f"{due.line}  {due.setting.name}" for due in predicted if not self.bar.shown))
        failed = sum(contender.failure is not None for contender in self.tuning.contenders)
        if failed > self.failed:  # only then is it asked for results, whose measures take milliseconds a setting
            failures = [result for result in self.tuning.results if result.state == "failed"]
            self.bar.close()
            warn(*(f"{each.setting.name}: {each.problem}" for each in failures[: failed - self.failed]))
            self.failed = failed

    def summary(self, seconds: float, ending: str, whole: bool) -> list[str]:
        """Return how the best one did, which it is, and the table of all."""
        if self.tuning is None:
            return []
        best = self.tuning.best
        told = [*members_at_work(best.learner), f"best setting = {best.setting.flags}"]
        return [*best.progress.summary(seconds, ending, whole, told), "", *results_table(self.tuning.results)]

    def warnings(self) -> list[str]:
        """Return what is to be known of a run that has come to its end."""
        nothing = self.tuning is not None and not self.progress.labelled
        return [*super().warnings(), *([", expected ".join(unlabelled(self.text))] if nothing else [])]

    def record(self, ending: str) -> None:
        """Write the table."""
        if self.choice.table is not None and self.tuning is not None:
            write_table(self.choice.table, self.tuning.results)


def setup_lines(settings: Settings, by: str, choice: TuneOptions) -> list[str]:
    """Return what is tried, and what becomes of options that a method does not take."""
    losses = dict.fromkeys(reported_loss(setting.options) for setting in settings.settings)
    why = f" since they learn different losses: {', '.join(losses)}" if len(losses) > 1 else ""
    count, of = len(settings.settings), settings.combinations
    lines = [f"settings = {count} of {of} combinations, compared by average {by}{why}"]
    for method, names in settings.left_out.items():
        options = ", ".join(name.replace("_", "-") for name in names)
        lines.append(f"left out = {options}: --method {method} does not take {'it' if len(names) == 1 else 'them'}")
    if choice.halving:
        rows = choice.first_halving
        lines.append(f"halving = the worse half stops after {rows}, {2 * rows}, {4 * rows}, ... labelled rows")
    return lines


def results_table(results: Sequence[SettingResult]) -> list[str]:
    """The table of all settings, for people."""
    known = {name for result in results for name in result.measures}
    name, heading = next((pair for pair in MEASURES_SHOWN if pair[0] in known), ("", ""))
    more = f"{heading} " if name else ""
    lines = [
        f"average  average  {' ' * len(more)}             processor",
        f"loss     error    {more}    examples    seconds state   setting",
    ]
    for result in results:
        figures = [result.loss, result.error, *([result.measures.get(name)] if name else [])]
        shown = " ".join("n.a.    " if value is None else f"{value:<8.6f}"[:8] for value in figures)
        lines.append(f"{shown} {result.examples:>12} {result.seconds:>10.2f} {result.state:<7} {result.setting.name}")
    return lines


def write_table(path: str, results: Sequence[SettingResult]) -> None:
    """The same for programs: a column for each option, numbers with all their digits. Raises OutputError."""
    names = list(dict.fromkeys(name for result in results for name in result.setting.given))
    rows = [["place", *names, *COLUMNS]]
    for place, result in enumerate(results, start=1):
        options = [_cell(result.setting.given.get(name)) for name in names]
        rows.append([place, *options, *result[1:-1], *(result.measures.get(name) for name in MEASURES)])
    with whole_output(path) as file:
        file.write(raw(csv_text(rows, "," if path.endswith(".csv") else "\t")))


def _cell(value: Any) -> Any:
    return "+".join(value) if isinstance(value, tuple) else text_of(value) if isinstance(value, bool) else value
