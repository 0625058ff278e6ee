"""One learner on its way through the passes: its totals, and where they and its predictions are written.

What is learned, and from what, is a subclass's: `train` has examples, `bandit` decisions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.commands.models import Unfinished
from sonlearn.commands.passes import FINISHED, Passes
from sonlearn.commands.precompile import Helper
from sonlearn.commands.recording import FINE, Recorder, recorded
from sonlearn.commands.settings import settings_text
from sonlearn.errors import InputError
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.bandit import BanditOptions
from sonlearn.options.run import COARSE, RunOptions, parse_progress
from sonlearn.report.predictions import AnswerLines, AnswerRow, PredictionWriter
from sonlearn.report.problem import Problem, Uncounted
from sonlearn.report.progress import Schedule
from sonlearn.text.names import NameTable

if TYPE_CHECKING:
    from sonlearn.report.audit import Audit

#: Rows that may have been learned and not been counted yet.
MOST_UNCOUNTED = 1 << 13
#: Rows before it is worth a warning that nothing in them is known.
SOME = 10


class Session(Passes):
    """One run under way; the parameters are those of `Passes`, and these.

    Parameters
    ----------
    problem : Problem
        Its learner is that of the session.
    from_model : str or None
        The model that the run begins with.
    """

    learn: LearnOptions | None
    bandit: BanditOptions | None = None
    audit: Audit | None = None

    def __init__(
        self, options: RunOptions, read_as: TextOptions, names: NameTable, done: Unfinished, problem: Problem,
        from_model: str | None,
    ):  # fmt: skip
        super().__init__(options, read_as, names, done)
        self.problem, self.from_model = problem, from_model
        self.metrics: Any = None
        if self.learner is not None:
            self.columns = self.learner.columns
            problem.learner = self.learner
        self.before = 0 if self.learner is None else self.learner.examples
        table, fine = (Schedule(*parse_progress(options.progress or step)) for step in (COARSE, FINE))
        self.progress = problem.progress(table, self.holdout, fine if recorded(options) else None)
        self.resumed = self.began.read > 0 or self.began.number > 1
        self.recorder = Recorder(options, problem, self.progress, self.resumed)
        lines = self.done.lines
        self.predictions = PredictionWriter(options.predictions, lines) if options.predictions else None
        self.raw_predictions = PredictionWriter(options.raw_predictions, lines) if options.raw_predictions else None
        self.answers: AnswerLines | None = None
        self.uncounted = Uncounted()
        self.helper = Helper()
        self.strange = options.testonly  # whether no feature so far is one that the model has seen

    def compiling(self) -> None:
        """Have help with it, unless one thread is asked for."""
        super().compiling()
        if not self.options.testonly and (self.options.threads is None or self.options.threads > 1):
            self.helper.start(self.learn, self.bandit)

    @property
    def files(self) -> dict[str, str | None]:
        """Which files the run reads and writes."""
        return {
            **super().files,
            "initial_regressor": self.from_model,
            "final_regressor": self.options.final_regressor,
            "predictions": self.options.predictions,
            "raw_predictions": self.options.raw_predictions,
            "log": self.options.log_json,
            "report": self.options.report,
        }

    def begin_with(self, learner: Any, settings: list[str], cache: str) -> None:
        """Begin with what learns, and print the header: files, `settings`, and the head of the table."""
        self.learner = self.problem.learner = learner
        self.metrics = self.problem.metrics()
        head = () if self.bar.shown else ("", *self.progress.header)
        for line in (*self.named_files(cache), *settings, settings_text(learner.text, keep=("format",)), *head):
            self.say(line)
        self.recorder.begin(self.files)

    def predicted(self, batch: Any) -> Any:
        """What the model predicts of a batch, which changes nothing."""
        self.strange = self.strange and not self.learner.knows(batch)
        return self.learner.predict(batch)

    def warnings(self) -> list[str]:
        """What is to be known of a run that has come to its end."""
        found = super().warnings()
        if self.strange and self.progress.examples >= SOME:
            found.append(
                f"no feature of the data is one that {self.from_model} has learned, so that all predictions are alike: "
                "is it the right model, and the right file?"
            )
        return found

    def lines_of(self, batch: Any, predicted: Any) -> int:
        """How many lines of predictions are written of these."""
        return (batch.n + len(batch.skipped or ())) * self.writes

    @property
    def writes(self) -> bool:
        """Whether predictions are written: tables of them, in the first pass alone, so that a row has one line."""
        once = self.options.form != "vw"
        return bool(self.predictions or self.raw_predictions) and (self.progress.passes == 1 or not once)

    def report(self, batch: Any, held: np.ndarray | None, predicted: Any) -> None:
        """Count, write predictions, print the rows that are due; what could not be learned from counts for nothing."""
        self.uncounted.add(self.problem.outcome(batch, held, predicted))
        if self.writes:
            self.write(batch, predicted)
        if self.recorder.wanted:
            self.problem.remember(batch)
        at_once = self.problem.alone or self.recorder.wanted or self.bar.shown
        if at_once or self.uncounted.rows >= MOST_UNCOUNTED or self.progress.is_due(self.uncounted.weight):
            self.settle()

    def settle(self) -> None:
        """Count what has been reported and is not counted yet, and print the rows that are due."""
        if not self.uncounted:
            return
        outcome = self.uncounted.take()
        lines = self.progress.update(outcome)
        for line in () if self.bar.shown else lines:
            self.say(line)
        self.metrics.count(outcome.y, outcome.weight, outcome.predicted, self.progress.counted(outcome))
        self.recorder.add(outcome)

    def write(self, batch: Any, predicted: Any) -> None:
        """Predictions of all rows, and ``nan`` for those that were refused or malformed."""
        every, of_rows, raw = self.options.probabilities, [], []
        if self.predictions and self.options.form == "vw":
            of_rows = self.problem.lines(batch, predicted, every, self.options.top)
        elif self.predictions:
            self.answers = self.answers or AnswerLines(self.options.form, self.problem.columns(every))
            of_rows = self.problem.answers(batch, predicted, every)
        if self.raw_predictions:
            raw = self.problem.raw(predicted)
        self.write_rows(LinesOfRows(batch.skipped or (), predicted.refused, batch.tags), of_rows, raw)

    def write_rows(self, lines: LinesOfRows, of_rows: Any, raw: Any) -> None:
        """Write what is predicted of rows, as `Problem.lines` or `Problem.answers` gives it, and raw predictions."""
        if self.predictions and self.answers is not None:
            self.predictions.write(self.answers.lines(lines.rows(of_rows)))
        elif self.predictions:
            self.predictions.write(*lines.values(of_rows))
        if self.raw_predictions:
            self.raw_predictions.write(*lines.values(raw))

    def report_skipped(self, tags: list[str]) -> None:
        """Lines for malformed rows behind the last one."""
        if self.writes and tags:
            self.write_rows(LinesOfRows([(0, tag) for tag in tags], np.zeros(0, dtype=bool), None), [], [])
            self.done = self.done._replace(lines=self.done.lines + len(tags))

    def nothing_learned(self) -> tuple[str, str]:
        """What was found where nothing could be learned from, and what to do."""
        raise NotImplementedError

    def finish(self, ending: str) -> None:
        """Save the model and say how it went. Raises InputError where nothing was learned: nothing is saved."""
        learns = self.progress.examples and ending == FINISHED and not self.options.testonly and not self.resumed
        if learns and self.learner is not None and self.learner.examples == self.before:
            self.bar.close()
            raise InputError(" ".join(self.sources), None, None, *self.nothing_learned())
        if self.audit is not None:
            self.audit.finish()
        super().finish(ending)

    def summary(self, seconds: float, ending: str, whole: bool) -> list[str]:
        """How it went."""
        lines = self.progress.summary(seconds, ending, whole)
        lines[-2:-2] = [] if self.metrics is None else self.problem.summary(self.metrics)  # before the time it took
        return lines

    def record(self, ending: str) -> None:
        """Write the end of the log, and the page."""
        if self.learner is not None:
            self.learner.columns = self.columns
        self.recorder.finish(ending, self.metrics, self.names, self.warnings())

    def close(self) -> None:
        """Close what is open, however the run has ended."""
        for open_one in (self.predictions, self.raw_predictions, self.recorder, self.helper):
            if open_one:
                open_one.close()
        super().close()


class LinesOfRows:
    """The lines that ``-p`` writes for the rows of a batch: one for each, ``nan`` of those refused or malformed.

    Parameters
    ----------
    skipped : pairs (before which row, tag) of malformed lines
    refused : bool[n], which rows could not be learned from
    tags : list of n str, or None
    """

    def __init__(self, skipped: Sequence[tuple[int, str]], refused: np.ndarray, tags: list[str] | None):
        n = len(refused)
        at = np.array([place for place, _ in skipped], dtype=np.int64)
        self._order = np.insert(np.where(refused, -1, np.arange(n)), at, -1).tolist()
        tags = tags or [""] * n
        self._tags = list(np.insert(np.array(tags, dtype=object), at, [tag for _, tag in skipped]))

    def values(self, values: np.ndarray | Sequence[str]) -> tuple[Any, list[str] | None]:
        """What `PredictionWriter.write` takes: values float64[n] or n texts in order, and tags."""
        tags = self._tags if any(self._tags) else None
        if isinstance(values, np.ndarray):
            return np.append(values, np.nan)[self._order], tags
        return [values[i] if i >= 0 else "nan" for i in self._order], tags

    def rows(self, answers: Sequence[dict[str, Any]]) -> list[AnswerRow]:
        """What is predicted of each row, in order."""
        return [
            AnswerRow(tag, answers[i] if i >= 0 else None) for i, tag in zip(self._order, self._tags, strict=True)
        ]  # fmt: skip
