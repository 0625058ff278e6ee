"""``sonlearn train`` and ``sonlearn predict``: read -> learn or predict -> report. Nothing else is done here."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sonlearn.commands.audit import Audit, one_by_one
from sonlearn.commands.checks import check_run
from sonlearn.commands.milestones import Patience
from sonlearn.commands.models import Unfinished, load_model
from sonlearn.commands.passes import Passes
from sonlearn.commands.precompile import Helper
from sonlearn.commands.recording import FINE, Recorder, check_recording, recorded
from sonlearn.commands.settings import check_agreement, describe, split
from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, OptionError
from sonlearn.learn.learner import Learner, Predicted, PredictedClass, chosen_of, diverged
from sonlearn.options.run import COARSE, RunOptions, parse_progress
from sonlearn.options.text import NAMESPACED, TABLES
from sonlearn.report.classes import probabilities_of, scores_of
from sonlearn.report.labels import as_reported
from sonlearn.report.metrics import Metrics
from sonlearn.report.outcomes import outcome_of, without_held
from sonlearn.report.predictions import PredictionWriter, texts_of, with_intervals, with_sets
from sonlearn.report.progress import HEADER, Progress, Schedule
from sonlearn.text.cache import CachedReader
from sonlearn.text.names import NameTable
from sonlearn.text.read import Reader

#: Formats that give the same features.
ALIKE = (set(TABLES), set(NAMESPACED))
UNLABELLED = "no example has a label and an importance above 0, so nothing was learned"


def run(given: dict[str, Any], options: RunOptions, make: Callable[..., Session] | None = None) -> int:
    """Do one run; return the exit status. `make` makes another session than this process's.

    Parameters
    ----------
    given : dict
        Learning and text options that were given on the command line, by field name.
    options : RunOptions

    Raises
    ------
    SonlearnError, OSError
        Nothing has been saved.
    """
    check_run(options)
    check_recording(options)
    session = (make or Session)(given, options)
    if session.nothing_left:
        session.say(f"{options.final_regressor}: the run that saved this model has finished; nothing is left to do")
        return 0
    return session.run()


class Session(Passes):
    """One run under way: the learner, its totals, and where they are written."""

    def __init__(self, given: dict[str, Any], options: RunOptions):
        self.learner: Learner | None = None
        self.metrics: Metrics | None = None
        self.cores = cores_of(options)
        self.from_model, unfinished, names = initial_model(options), None, NameTable()
        if self.from_model is not None:
            self.learner, unfinished, names = load_model(self.from_model, threads=self.cores)
            if options.testonly:
                self.learner.set_output(**given)
            check_agreement(given, self.learner, self.from_model)
        resumes = options.resume and self.from_model == options.final_regressor
        self.nothing_left = resumes and unfinished is None
        done = Unfinished(list(options.data) or ["-"], options.passes, 1, 0, 0)
        if resumes and unfinished is not None:
            done = check_resumed(options, unfinished)
        self.learn, self.text = split(given) if self.learner is None else (self.learner.options, self.learner.text)
        # A model's own format is checked against the data's, so that other data are not called malformed. CSV cannot be
        # told from text by looking.
        own = "csv" if self.text.format in TABLES else "auto"
        named = self.text.names or options.audit
        read_as = dataclasses.replace(self.text, format=given.get("format", own), names=named)
        super().__init__(options, read_as, self.learn.classes is not None, names, done)
        # Names that are not the model's are only for the audit.
        self.names_read = self.names if self.text.names else NameTable()
        self.audit = Audit(options, self.names_read) if options.audit else None
        if options.probabilities and not self.learn.several:
            raise OptionError(
                "--probabilities: expected a model of several classes: --oaa K, --multinomial K, or --classes auto"
            )
        texts = self.texts if self.learn.several else None
        loss, zero = as_reported(self.learn)
        table, fine = (Schedule(*parse_progress(options.progress or step)) for step in (COARSE, FINE))
        self.progress = Progress(loss, table, self.holdout, texts, fine if recorded(options) else None, zero)
        self.recorder = Recorder(options, self.learn, self.progress, self.began.read > 0 or self.began.number > 1)
        lines = self.done.lines
        self.predictions = PredictionWriter(options.predictions, lines) if options.predictions else None
        self.raw_predictions = PredictionWriter(options.raw_predictions, lines) if options.raw_predictions else None
        self.patience = Patience(options.early_terminate)
        self.refused, self.first_refused = 0, ""
        self.helper = Helper()

    def ends_early(self, number: int) -> bool:
        """Whether pass `number` is one too many in vain; then the learner is that of the best one."""
        if not self.patience.is_over(number, self.progress.held_loss, self.learner):
            return False
        best = self.patience.best
        self.learner = Learner.from_arrays(*best.learner, threads=self.cores)
        self.say(f"the holdout loss has not fallen since pass {best.number}, whose model is kept")
        return True

    def begin(self, format: str, batch: Batch, cache: str) -> None:
        """Make the learner, whose features depend on their format, and print the header, with a line on the cache."""
        if self.learner is None:
            self.learner = Learner(self.learn, dataclasses.replace(self.text, format=format), threads=self.cores)
        elif self.learner.text.format not in (format, "auto") and not any(
            {self.learner.text.format, format} <= alike for alike in ALIKE
        ):
            theirs = self.learner.text.format
            raise InputError(
                batch.source, None, None, f"{format} text",
                f"{theirs} text, which the model {self.from_model} has learned from; "
                f"if it was mistaken, give --format {theirs}",
            )  # fmt: skip
        self.metrics = Metrics(self.learner)
        for line in (*self.settings(self.learner, cache), *(() if self.bar.shown else ("", *HEADER))):
            self.say(line)
        self.recorder.begin(self.learner, self.files, self.options.passes)

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

    def settings(self, learner: Learner, cache: str) -> list[str]:
        """Everything that the run depends on, in three lines or more."""
        return [*self.named_files(cache), describe(learner.options), describe(learner.text, keep=("format",))]

    def next_pass(self, learns: bool) -> None:
        """Another pass begins."""
        self.progress.next_pass()
        if self.holdout and self.learner is not None:  # results are of this pass's held-out examples alone
            self.metrics = Metrics(self.learner)
        if learns and self.learner is not None:
            self.learner.next_pass()

    def batches(self, reader: Reader | CachedReader) -> Iterable[Batch]:
        """What is learned from at a time."""
        return one_by_one(reader) if self.audit else reader

    def learn_from(self, batch: Batch, held: np.ndarray | None) -> Predicted | PredictedClass:
        """Predict a batch, and learn from it what is to be learned."""
        assert self.learner is not None
        if self.audit:
            self.audit.write(self.learner, batch)
        if self.options.testonly:
            return self.learner.predict(batch)
        return self.learner.partial_fit(without_held(batch, held), skip=self.options.on_error == "skip")

    def lines_of(self, predicted: Predicted | PredictedClass) -> int:
        """How many lines of predictions are written of these."""
        return int((~predicted.refused).sum()) * bool(self.predictions or self.raw_predictions)

    def report(self, batch: Batch, held: np.ndarray | None, predicted: Predicted | PredictedClass) -> None:
        """Count, write predictions, print the rows that are due; what could not be learned from is left out."""
        keep = ~predicted.refused
        for row in np.flatnonzero(predicted.refused):
            self.refused += 1
            self.first_refused = self.first_refused or str(diverged(batch, int(row)))
        tags = None if batch.tags is None else [tag for tag, kept in zip(batch.tags, keep, strict=True) if kept]
        outcome = outcome_of(batch, held, predicted)
        if predicted.refused.any():
            predicted = chosen_of(predicted, keep)
        rows = self.progress.update(outcome)
        assert self.metrics is not None
        self.metrics.count(outcome.y, outcome.weight, predicted, self.progress.counted(outcome))
        if isinstance(predicted, PredictedClass):
            self.write_classes(predicted, tags)
        else:
            if self.predictions:
                self.predictions.write(self.with_coverage(predicted), tags)
            if self.raw_predictions:
                self.raw_predictions.write(predicted.raw, tags)
        for line in () if self.bar.shown else rows:
            self.say(line)
        assert self.learner is not None
        self.recorder.add(outcome)

    def with_coverage(self, predicted: Predicted) -> np.ndarray | list[str]:
        """What is written of each row: the prediction, with its interval or set where there are such."""
        if predicted.sets is not None:
            return with_sets(texts_of(predicted.prediction), predicted.sets, ["-1", "1"])
        if predicted.low is not None and predicted.high is not None:
            return with_intervals(predicted.prediction, predicted.low, predicted.high)
        return predicted.prediction

    def write_classes(self, predicted: PredictedClass, tags: list[str] | None) -> None:
        """Predictions of several classes: labels, or what is said of each class."""
        assert self.learner is not None
        labels = [str(label) for label in self.learner.classes]
        if self.predictions and self.options.probabilities:
            self.predictions.write(probabilities_of(predicted, labels, self.learn.numbered), tags)
        elif self.predictions:
            texts = self.texts(predicted.prediction)
            texts = texts if predicted.sets is None else with_sets(texts, predicted.sets, labels)
            self.predictions.write(texts, tags)
        if self.raw_predictions:
            self.raw_predictions.write(scores_of(predicted, labels), tags)

    def texts(self, values: np.ndarray) -> list[str]:
        """Labels of classes as they are written."""
        assert self.learner is not None
        return self.learner.label_texts(values)

    def compiling(self) -> None:
        """Say so, and have help with it."""
        super().compiling()
        if self.cores > 1 and not self.options.testonly:
            self.helper.start(self.learn)

    def summary(self, seconds: float, ending: str, whole: bool) -> list[str]:
        """How it went."""
        lines = self.progress.summary(seconds, ending, whole)
        measures = [] if self.metrics is None else self.metrics.lines()
        lines[-2:-2] = [*measures, *members_at_work(self.learner)]  # before the time that it took
        return lines

    def warnings(self) -> list[str]:
        """What is to be known of a run that has come to its end."""
        said = super().warnings()
        if self.refused:
            said.append(f"examples that could not be learned from: {self.refused}, the first: {self.first_refused}")
        if self.progress.examples and not self.progress.labelled and not self.options.testonly:
            said.append(UNLABELLED)
        if self.metrics is not None and self.metrics.nobody():
            said.append(self.metrics.nobody())
        return said

    def record(self, ending: str) -> None:
        """Write the end of the log, and the page."""
        self.recorder.finish(ending, self.learner, self.metrics, self.names, self.warnings())

    def close(self) -> None:
        """Close what is open, however the run has ended."""
        for open_one in (self.predictions, self.raw_predictions, self.recorder, self.helper):
            if open_one:
                open_one.close()
        super().close()


def cores_of(options: RunOptions) -> int:
    """Threads that learn."""
    return options.threads if options.threads is not None else os.cpu_count() or 1


def initial_model(options: RunOptions) -> str | None:
    """The model that a run begins with: with --resume that of -f, if there is one."""
    if options.resume and options.final_regressor is not None and os.path.exists(options.final_regressor):
        return options.final_regressor
    return options.initial_regressor


def check_resumed(options: RunOptions, unfinished: Unfinished) -> Unfinished:
    """Where to go on; raises OptionError if it is another run that is to be gone on with."""
    asked = (list(options.data) or ["-"], options.passes)
    for name, ours, theirs in zip(("data", "passes"), asked, (unfinished.data, unfinished.passes), strict=True):
        if ours != theirs:
            shown = [" ".join(value) if isinstance(value, list) else value for value in (theirs, ours)]
            raise OptionError(
                f"--resume: the run that {options.final_regressor} was saved in has {name} = {shown[0]}, "
                f"not {shown[1]}: give the same command as then"
            )
    return unfinished


def members_at_work(learner: Learner | None) -> list[str]:
    """A line that says what a committee's predictions come from."""
    members = [] if learner is None else learner.facts().get("members", [])
    return [f"members = {' '.join(m['name'] for m in members if m['active'])}"] if members else []
