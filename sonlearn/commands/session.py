"""One learner on its way through the passes: its totals, and where they and its predictions are written.

`Recorder` is what ``--log-json`` and ``--report`` keep of it.

What is learned, and from what, is a subclass's: `train` has examples, `bandit` decisions.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from sonlearn import __version__
from sonlearn.commands.models import Model
from sonlearn.commands.passes import FINISHED, Passes
from sonlearn.commands.precompile import Helper
from sonlearn.errors import InputError
from sonlearn.files.atomic import LineFile, whole_file
from sonlearn.files.storage import jsonable
from sonlearn.options import BanditOptions, LearnOptions, RunOptions, TextOptions
from sonlearn.report.audit import Audit
from sonlearn.report.predictions import AnswerLines, format_lines, texts_of
from sonlearn.report.problem import Problem
from sonlearn.report.progress import BatchOutcome, Progress, Schedule
from sonlearn.report.runlog import FORMAT, Run, bounded
from sonlearn.text.names import NameTable, names_of

#: When rows of the log come unless -P says so: at 1.1 times the last one's weight.
FINE = "1.1"
#: Rows before it is worth a warning that nothing in them is known.
ROWS_TO_WARN = 10


class Recorder:
    """The log of a run and, at its end, the page.

    Parameters
    ----------
    options : RunOptions
    keep : bool
        Whether an existing log is gone on with.
    """

    _problem: Problem
    _progress: Progress

    def __init__(self, options: RunOptions, keep: bool):
        self._options = options
        # a last line that was cut in the run that is gone on with is cut off
        self._log = LineFile(options.log_json, None if keep else 0) if options.log_json is not None else None
        self._begin: dict[str, Any] = {}
        self._rows: list[dict[str, Any]] = []
        self._read, self._started = 0, time.perf_counter()

    def begin(self, files: dict[str, str | None], problem: Problem, progress: Progress) -> None:
        """Write the first entry, before the first examples: settings, and how many examples were learned before.

        `progress` is the run's own, with its finer rows: of each batch it is told first.
        """
        self._problem, self._progress = problem, progress
        learner, now = self._problem.learner, datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        self._begin = self._write({
            "sonlearn": __version__, "format": FORMAT, "verb": "test" if self._options.testonly else "train",
            "started": now, "data": list(self._options.data) or ["-"],
            "files": {name: value for name, value in files.items() if value}, "learn": self._problem.settings(),
            "text": dataclasses.asdict(learner.text), "passes": self._options.passes, "before": learner.examples,
        })  # fmt: skip

    def add(self, outcome: BatchOutcome) -> None:
        """Add a batch of n examples (none of them refused)."""
        self._read += len(outcome.y)
        seconds = time.perf_counter() - self._started
        for row in self._progress.fine_rows:
            entry = row._asdict()
            shown = entry.pop("shown")
            entry |= dict(zip(("label", "prediction"), shown, strict=True)) if shown else {}
            entry = {"kind": "progress", "pass": self._progress.passes, **entry, "seconds": seconds, "read": self._read}
            entry = self._write(entry)
            if self._options.report is not None:
                self._rows.append(entry)

    def finish(self, ending: str, metrics: Any, names: NameTable, warnings: list[str]) -> None:
        """Write the last entry, and the page. Raises OutputError."""
        totals = self._progress.totals()
        end = self._write({
            "kind": "end", "ending": ending, "seconds": time.perf_counter() - self._started, **totals,
            **self._problem.logged(metrics, lambda feature: names_of(feature, names), totals["error"] is not None),
            "warnings": warnings,
        })  # fmt: skip
        if self._options.report is not None:
            from sonlearn.report.html.page import page

            text = page(Run(self._begin, self._rows, end, []))
            with whole_file(self._options.report) as file:
                file.write(text)

    def close(self) -> None:
        """Close the log, however the run has ended."""
        if self._log is not None:
            self._log.close()

    def _write(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Write an entry of the log; return it as it is read again."""
        entry = jsonable(entry, bounded)
        if self._log is not None:
            self._log.write(json.dumps(entry, allow_nan=False) + "\n")
        return entry


class Session(Passes):
    """One run under way; the parameters are some of `Passes`, and these.

    Parameters
    ----------
    problem : Problem
        Its learner is that of the session.
    """

    learn: LearnOptions | None
    bandit: BanditOptions | None = None
    audit: Audit | None = None

    def __init__(self, options: RunOptions, read_as: TextOptions, problem: Problem, model: Model):
        super().__init__(options, read_as, model)
        self.learner = model.learner
        self.metrics: Any = None
        if self.learner is not None:
            self.columns = self.learner.columns
        self.before = 0 if self.learner is None else self.learner.examples
        recorded = options.log_json is not None or options.report is not None
        self.resumed = self.began.read > 0 or self.began.number > 1
        self.recorder = Recorder(options, self.resumed) if recorded else None
        self.set_problem(problem)
        lines, is_csv = self.done.lines, options.form == "csv"
        header = int(is_csv and lines > 0)
        self.predictions = LineFile(options.predictions, header + lines, is_csv) if options.predictions else None
        self.raw_predictions = LineFile(options.raw_predictions, lines) if options.raw_predictions else None
        self.answers: AnswerLines | None = None
        self.helper = Helper()
        self.features_unknown = options.testonly  # whether no feature so far is one that the model has seen

    def set_problem(self, problem: Problem) -> None:
        """Take a kind of problem, of which nothing has been counted, and make its progress table."""
        self.problem, problem.learner = problem, self.learner
        table, fine = (Schedule(*steps) for steps in (self.options.steps(), self.options.steps(FINE)))
        self.progress = problem.progress(table, self.holdout, fine if self.recorder else None)

    def compiling(self) -> None:
        """Have help with it, unless one thread is asked for."""
        super().compiling()
        if not self.options.testonly and (self.options.threads is None or self.options.threads > 1):
            self.helper.start(self.learn, self.bandit)

    def begin_with(self, learner: Any, settings: list[str], cache: str) -> None:
        """Begin with what learns, and print the header: files, `settings`, and the head of the table."""
        self.learner = self.problem.learner = learner
        learner.columns = self.columns
        self.metrics = self.problem.metrics()
        self.say_header(cache, settings, learner.text, self.progress.header)
        if self.recorder:
            self.recorder.begin(self.files, self.problem, self.progress)

    def predicted(self, batch: Any) -> Any:
        """Return what the model predicts of a batch, which changes nothing."""
        self.features_unknown = self.features_unknown and not self.learner.knows(batch)
        return self.learner.predict(batch)

    def warnings(self) -> list[str]:
        """Return what is to be known of a run that has come to its end."""
        found = super().warnings()
        if self.features_unknown and self.progress.examples >= ROWS_TO_WARN:
            found.append(
                f"no feature of the data is one that {self.from_model} has learned, so that all predictions are alike: "
                "is it the right model, and the right file?"
            )
        return found

    @property
    def writes(self) -> bool:
        """Return whether predictions are written: tables in the first pass alone, so that a row has one line."""
        once = self.options.form != "vw"
        return bool(self.predictions or self.raw_predictions) and (self.progress.passes == 1 or not once)

    def report(self, batch: Any, held: np.ndarray | None, predicted: Any) -> None:
        """Count, write predictions, print the rows that are due; what could not be learned from counts for nothing."""
        outcome = self.problem.outcome(batch, held, predicted)
        lines = self.progress.update(outcome)
        self.metrics.count(outcome.y, outcome.weight, outcome.predicted, self.progress.counted(outcome))
        if self.recorder:
            self.problem.remember(batch)
            self.recorder.add(outcome)
        try:
            if self.writes:
                self.write(batch, predicted)
        finally:  # rows that are counted are shown, also where a prediction cannot be written
            self.say(*(() if self.bar.shown else lines))

    def write(self, batch: Any, predicted: Any) -> None:
        """Predictions of all rows, and ``nan`` for those that were refused or malformed."""
        every, of_rows, raw = self.options.probabilities, [], []
        if self.predictions and self.options.form == "vw":
            of_rows = texts_of(self.problem.lines(batch, predicted, every, self.options.top))
        elif self.predictions:
            columns = self.problem.answers(batch, predicted, every)
            self.answers = self.answers or AnswerLines(self.options.form, tuple(columns), self.done.lines)
            of_rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        if self.raw_predictions:
            raw = texts_of(self.problem.raw(predicted))
        self.write_rows(batch.skipped or (), predicted.refused, batch.tags, of_rows, raw)

    def write_rows(
        self, skipped: Sequence[tuple[int, str]], refused: np.ndarray, tags: list[str] | None, of_rows: list[Any],
        raw: list[str],
    ) -> None:  # fmt: skip
        """Write a line for each of n rows and for each malformed one.

        Parameters
        ----------
        skipped : pairs (before which row, tag) of malformed lines
        refused : bool[n], which rows could not be learned from
        tags : list of n str, or None
        of_rows : what is predicted of the n rows, as `Problem.lines` gives it, or rows of `Problem.answers`
        raw : their raw predictions as texts
        """
        n, at = len(refused), np.array([place for place, _ in skipped], dtype=np.int64)
        order = np.insert(np.where(refused, n, np.arange(n)), at, n).tolist()  # n: it was left out
        every = np.insert(np.array(tags or [""] * n, dtype=object), at, [tag for _, tag in skipped]).tolist()
        self.done = self.done._replace(lines=self.done.lines + len(order))  # also where they cannot be written
        of = lambda values, left_out: list(map([*values, left_out].__getitem__, order))  # noqa: E731
        if self.predictions and self.answers is not None:
            self.predictions.write(self.answers.text(of(of_rows, None), every))
        elif self.predictions:
            self.predictions.write(format_lines(of(of_rows, "nan"), every))
        if self.raw_predictions:
            self.raw_predictions.write(format_lines(of(raw, "nan"), every))

    def report_skipped(self, tags: list[str]) -> None:
        """Lines for malformed rows behind the last one."""
        if self.writes and tags:
            self.write_rows([(0, tag) for tag in tags], np.zeros(0, dtype=bool), None, [], [])

    def nothing_learned(self) -> tuple[str, str]:
        """Return what was found where nothing could be learned from, and what to do."""
        raise NotImplementedError

    def finish(self, ending: str) -> None:
        """Save the model and say how it went. Raises InputError where nothing was learned: nothing is saved."""
        learns = self.progress.examples and ending == FINISHED and not self.options.testonly and not self.resumed
        if learns and self.learner is not None and self.learner.examples == self.before:
            self.bar.close()
            raise InputError(" ".join(self.sources), *self.nothing_learned())
        if self.audit is not None:
            self.audit.finish()
        super().finish(ending)

    def summary(self, seconds: float, ending: str, whole: bool) -> list[str]:
        """Return how it went."""
        told = () if self.metrics is None else self.problem.summary(self.metrics)
        return self.progress.summary(seconds, ending, whole, told)

    def record(self, ending: str) -> None:
        """Write the end of the log, and the page."""
        if self.recorder and self.metrics is not None:
            self.recorder.finish(ending, self.metrics, self.names, self.warnings())

    def close(self) -> None:
        """Close what is open, however the run has ended."""
        for open_one in (self.predictions, self.raw_predictions, self.recorder, self.helper):
            if open_one:
                open_one.close()
        super().close()
