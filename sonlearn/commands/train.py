"""``sonlearn train`` and ``sonlearn predict``: read -> learn or predict -> report. Nothing else is done here."""

from __future__ import annotations

import dataclasses
import os
import signal
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sonlearn.batch import Batch
from sonlearn.commands.audit import Audit, one_by_one
from sonlearn.commands.checks import (
    COMPILING,
    FROM_TERMINAL,
    cache_file,
    check_run,
    complain,
    from_terminal,
    of_skipped,
    warn,
)
from sonlearn.commands.files import STDIN
from sonlearn.commands.flags import COARSE, RunOptions, parse_progress
from sonlearn.commands.interrupts import Interrupts
from sonlearn.commands.milestones import Checkpoints as Checkpoints
from sonlearn.commands.milestones import Patience, first_of, held_out
from sonlearn.commands.models import Unfinished, load_model, save_model
from sonlearn.commands.recording import FINE, Bar, Recorder, check_recording, recorded
from sonlearn.commands.settings import check_agreement, describe, split
from sonlearn.errors import InputError, ModelFileError, OptionError, OutputError
from sonlearn.jit import on_first_compilation
from sonlearn.learn.learner import Learner, Predicted, PredictedClass, diverged
from sonlearn.options import NAMESPACED, TABLES
from sonlearn.report.classes import probabilities_of, scores_of
from sonlearn.report.labels import as_said
from sonlearn.report.predictions import PredictionWriter
from sonlearn.report.progress import HEADER, Outcome, Progress, Schedule
from sonlearn.text.cache import CachedReader
from sonlearn.text.columns import Labelling
from sonlearn.text.meter import Meter
from sonlearn.text.names import NameTable
from sonlearn.text.read import Reader

FINISHED = "finished run"
#: Formats that give the same features.
ALIKE = (set(TABLES), set(NAMESPACED))


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
    if from_terminal(session.sources):
        session.say(FROM_TERMINAL)
    try:
        with Interrupts(at_once=True) as interrupts, on_first_compilation(lambda: session.say(COMPILING)):
            ending, status = session.go(interrupts)
            session.finish(ending)
    finally:
        session.close()
    if session.failure is not None:
        raise session.failure
    return status


class Session:
    """One run under way: the learner, its totals, and where they are written."""

    def __init__(self, given: dict[str, Any], options: RunOptions):
        self.options = options
        self.sources = list(options.data) or ["-"]
        self.learner: Learner | None = None
        self.cores = options.threads if options.threads is not None else os.cpu_count() or 1
        self.from_model, unfinished, self.names = initial_model(options), None, NameTable()
        if self.from_model is not None:
            self.learner, unfinished, self.names = load_model(self.from_model, threads=self.cores)
            if options.testonly:
                self.learner.say(**given)
            check_agreement(given, self.learner, self.from_model)
        self.nothing_left = self.resumes and unfinished is None
        self.done = self.began = Unfinished(self.sources, options.passes, 1, 0, 0)
        if self.resumes and unfinished is not None:
            self.done = self.began = check_resumed(options, unfinished)
        self.learn, self.text = split(given) if self.learner is None else (self.learner.options, self.learner.text)
        # A model's own format is checked against the data's, so that other data are not called malformed. CSV cannot be
        # told from text by looking.
        own = "csv" if self.text.format in TABLES else "auto"
        named = self.text.names or options.audit
        self.read_as = dataclasses.replace(self.text, format=given.get("format", own), names=named)
        # Names that are not the model's are only for the audit.
        self.names_read = self.names if self.text.names else NameTable()
        self.audit = Audit(options, self.names_read) if options.audit else None
        self.holdout = options.passes > 1 and not options.holdout_off
        if options.probabilities and not self.learn.several:
            raise OptionError(
                "--probabilities: expected a model of several classes: --oaa K, --multinomial K, or --classes auto"
            )
        texts = self.texts if self.learn.several else None
        loss, zero = as_said(self.learn)
        table, fine = (Schedule(*parse_progress(options.progress or step)) for step in (COARSE, FINE))
        self.progress = Progress(loss, table, self.holdout, texts, fine if recorded(options) else None, zero)
        self.recorder = Recorder(options, self.learn, self.progress, self.began.read > 0 or self.began.number > 1)
        self.meter = Meter()
        self.bar = Bar(options, self.meter)
        lines = self.done.lines
        self.predictions = PredictionWriter(options.predictions, lines) if options.predictions else None
        self.raw_predictions = PredictionWriter(options.raw_predictions, lines) if options.raw_predictions else None
        self.checkpoints = Checkpoints(options.checkpoint, options.checkpoint_minutes)
        self.patience = Patience(options.early_terminate)
        self.failure: OutputError | None = None
        self.cache = cache_file(options)
        self.reader: Reader | CachedReader | None = None
        self.refused, self.first_refused = 0, ""
        self.started = time.perf_counter()

    def go(self, interrupts: Interrupts) -> tuple[str, int]:
        """All passes over all examples; return (how it ended, exit status)."""
        self.started = time.perf_counter()
        try:
            for number in range(1, self.options.passes + 1):
                if number > 1:
                    self.progress.next_pass()
                    self.recorder.next_pass()
                if number < self.done.number:
                    continue
                if number > 1 and self.done.read == 0 and self.learner is not None:
                    self.learner.next_pass()
                self.one_pass(number, interrupts)
                if interrupts.received is not None:
                    name = signal.Signals(interrupts.received).name
                    return f"interrupted run ({name})", 128 + interrupts.received
                self.done = self.done._replace(number=number + 1, read=0)
                if self.ends_early(number):
                    break
                if self.options.save_per_pass and number < self.options.passes:
                    self.save_checkpoint()
        except BrokenPipeError:
            return "interrupted run (the reader of the output has gone)", 128 + 13
        except OutputError as error:
            self.failure = error
            return f"interrupted run ({error})", 1
        return FINISHED, 0

    def one_pass(self, number: int, interrupts: Interrupts) -> None:
        """Go over all examples once, but those that a resumed run has read."""
        if self.reader is None or self.cache is None:
            self.reader = self.make_reader()
        before, done, begun = self.done.read, 0, False
        batches = one_by_one(self.reader) if self.audit else self.reader
        for batch in first_of(interrupts.until_signal(batches), self.options.examples, self.cache is not None):
            start, done = done, done + batch.n
            if done <= before:
                continue
            batch = batch.part(max(before - start, 0), batch.n)
            if not begun:
                self.begin_pass(self.reader, batch, first=number == self.began.number)
                begun = True
            held = held_out(self.options, done - batch.n, batch.n)
            predicted = self.learn_from(batch, held)
            interrupts.at_once = False  # until here there was nothing to save
            lines = self.done.lines + int((~predicted.refused).sum()) * bool(self.predictions or self.raw_predictions)
            self.done = self.done._replace(read=done, lines=lines)
            self.report(batch, held, predicted)
            self.bar.add(number, batch.n, self.progress)
            if self.checkpoints.due(batch.n):
                self.save_checkpoint()
        if done < before and interrupts.received is None:
            name = " ".join(self.sources)
            raise InputError(name, None, None, f"{done} examples", f"the {before} that the unfinished run has read")

    def ends_early(self, number: int) -> bool:
        """Whether pass `number` is one too many in vain; then the learner is that of the best one."""
        if not self.patience.is_over(number, self.progress.held_loss, self.learner):
            return False
        best = self.patience.best
        self.learner = Learner.from_arrays(*best.learner, threads=self.cores)
        self.say(f"the holdout loss has not fallen since pass {best.number}, whose model is kept")
        return True

    @property
    def resumes(self) -> bool:
        """Whether an unfinished run is to go on."""
        return self.options.resume and self.from_model == self.options.final_regressor

    def save_checkpoint(self) -> None:
        """Save the model while the run goes on; where that fails, the run goes on as well."""
        assert self.options.final_regressor is not None
        if self.learner is not None:
            try:
                save_model(self.options.final_regressor, self.learner, self.done, self.names)
            except ModelFileError as error:
                warn(f"no checkpoint was saved: {error}")

    def make_reader(self) -> Reader | CachedReader:
        """What reads the examples: for one pass, or with a cache for all of them."""
        options = self.options
        arguments: dict[str, Any] = {
            "on_error": options.on_error, "max_errors": options.max_errors, "threads": options.parse_ahead,
            "names": self.names_read, "labels": Labelling(not options.testonly, self.learn.classes is not None),
        }  # fmt: skip
        reader: Reader | CachedReader
        if self.cache is None:
            reader = Reader(self.sources, self.read_as, **arguments)
        else:
            reader = CachedReader(self.sources, self.read_as, path=self.cache, **arguments)
        reader.meter = self.meter if self.bar.wanted else None
        return reader

    def begin_pass(self, reader: Reader | CachedReader, batch: Batch, first: bool) -> None:
        """What waits for the first examples of a pass: the learner and the header, and what is said of the cache."""
        cache = ""
        if isinstance(reader, CachedReader):
            cache = f"cache_file = {self.cache}" + (f", made anew: found {reader.reason}" if reader.reason else "")
        if first:
            self.begin(reader.format or "auto", batch, cache)
        elif isinstance(reader, CachedReader) and reader.reason:
            self.say(cache)

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
        for line in (*self.settings(self.learner, cache), *(() if self.bar.shown else ("", *HEADER))):
            self.say(line)
        self.recorder.begin(self.learner, self.files, self.options.passes)

    @property
    def files(self) -> dict[str, str | None]:
        """Which files the run reads and writes."""
        return {
            "data": " ".join("<stdin>" if name in STDIN else name for name in self.sources),
            "initial_regressor": self.from_model,
            "final_regressor": self.options.final_regressor,
            "predictions": self.options.predictions,
            "raw_predictions": self.options.raw_predictions,
            "log": self.options.log_json,
            "report": self.options.report,
        }

    def settings(self, learner: Learner, cache: str) -> list[str]:
        """Everything that the run depends on, in three lines or more."""
        lines = [f"{name} = {value}" for name, value in self.files.items() if value]
        lines += [cache] if cache else []
        return [*lines, describe(learner.options), describe(learner.text, keep=("format",))]

    def learn_from(self, batch: Batch, held: np.ndarray | None) -> Predicted | PredictedClass:
        """Predict a batch, and learn from it what is to be learned."""
        assert self.learner is not None
        if self.audit:
            self.audit.write(self.learner, batch)
        if self.options.testonly:
            return self.learner.predict(batch)
        if held is not None:
            batch = batch._replace(weight=np.where(held, 0.0, batch.weight))
        return self.learner.partial_fit(batch, skip=self.options.on_error == "skip")

    def report(self, batch: Batch, held: np.ndarray | None, predicted: Predicted | PredictedClass) -> None:
        """Count, write predictions, print the rows that are due; what could not be learned from is left out."""
        keep = ~predicted.refused
        for row in np.flatnonzero(predicted.refused):
            self.refused += 1
            self.first_refused = self.first_refused or str(diverged(batch, int(row)))
        tags = None if batch.tags is None else [tag for tag, kept in zip(batch.tags, keep, strict=True) if kept]
        features = np.diff(batch.indptr)
        y = predicted.label if isinstance(predicted, PredictedClass) else batch.y
        outcome = Outcome(y, batch.weight, predicted.prediction, predicted.loss, features, held)
        if predicted.refused.any():
            outcome = Outcome(*(part if part is None else part[keep] for part in outcome))
            predicted = type(predicted)(*(part[keep] for part in predicted))
        rows = self.progress.update(outcome)
        if isinstance(predicted, PredictedClass):
            self.write_classes(predicted, tags)
        else:
            if self.predictions:
                self.predictions.write(predicted.prediction, tags)
            if self.raw_predictions:
                self.raw_predictions.write(predicted.raw, tags)
        for line in () if self.bar.shown else rows:
            self.say(line)
        assert self.learner is not None
        self.recorder.add(outcome, predicted, self.learner)

    def write_classes(self, predicted: PredictedClass, tags: list[str] | None) -> None:
        """Predictions of several classes: labels, or what is said of each class."""
        assert self.learner is not None
        labels = [str(label) for label in self.learner.classes]
        if self.predictions and self.options.probabilities:
            self.predictions.write(probabilities_of(predicted, labels, self.learn.numbered), tags)
        elif self.predictions:
            self.predictions.write(self.texts(predicted.prediction), tags)
        if self.raw_predictions:
            self.raw_predictions.write(scores_of(predicted, labels), tags)

    def texts(self, values: np.ndarray) -> list[str]:
        """Labels of classes as they are written."""
        assert self.learner is not None
        return self.learner.label_texts(values)

    def finish(self, ending: str) -> None:
        """Save the model, and say how it went whether or not that succeeds."""
        seconds, finished = time.perf_counter() - self.started, ending == FINISHED
        self.bar.close()
        try:
            if self.options.final_regressor is not None and self.learner is not None:
                unfinished = None if finished else self.done
                save_model(self.options.final_regressor, self.learner, unfinished, self.names)
        finally:
            whole = finished and self.began.number == 1 and not self.began.read
            lines = self.progress.summary(seconds, ending, whole)
            lines[-2:-2] = members_at_work(self.learner)  # before the time that it took
            for line in lines:
                self.say(line)
            for text in self.warnings():
                warn(text)
            self.recorder.finish(ending, self.learner, self.names, self.warnings())

    def warnings(self) -> list[str]:
        """What is to be known of a run that has come to its end."""
        said = [] if self.reader is None else of_skipped(self.reader.error_count, self.reader.errors)
        if self.refused:
            said.append(f"examples that could not be learned from: {self.refused}, the first: {self.first_refused}")
        if self.progress.examples and not self.progress.labelled and not self.options.testonly:
            said.append("no example has a label and an importance above 0, so nothing was learned")
        return said

    def close(self) -> None:
        """Close what is open, however the run has ended."""
        for open_one in (self.predictions, self.raw_predictions, self.recorder, self.bar):
            if open_one:
                open_one.close()

    def say(self, line: str) -> None:
        """One line on standard error, at once, unless --quiet."""
        if not self.options.quiet:
            complain(line)


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
