"""``sonlearn train`` and ``sonlearn predict``: read -> learn or predict -> report. Nothing else is done here."""

from __future__ import annotations

import dataclasses
import os
import signal
import sys
import time
from typing import Any

import numpy as np

from sonlearn.batch import Batch
from sonlearn.commands.checks import (
    COMPILING,
    FROM_TERMINAL,
    STDIN,
    cache_file,
    check_run,
    from_terminal,
    warn_of_skipped,
)
from sonlearn.commands.flags import RunOptions, parse_progress
from sonlearn.commands.interrupts import Interrupts
from sonlearn.errors import InputError, OptionError
from sonlearn.jit import on_first_compilation
from sonlearn.learn.learner import Learner, Predicted, diverged
from sonlearn.options import LearnOptions, TextOptions, flags
from sonlearn.report.predictions import PredictionWriter
from sonlearn.report.progress import HEADER, Outcome, Progress, Schedule
from sonlearn.text.cache import CachedReader
from sonlearn.text.read import Reader


def run(given: dict[str, Any], options: RunOptions) -> int:
    """Do one run; return the exit status.

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
    session = Session(given, options)
    if from_terminal(session.sources):
        session.say(FROM_TERMINAL)
    try:
        with Interrupts() as interrupts, on_first_compilation(lambda: session.say(COMPILING)):
            ending, status = session.go(interrupts)
            session.finish(ending)
    finally:
        session.close()
    return status


class Session:
    """One run under way: the learner, its totals, and where they are written."""

    def __init__(self, given: dict[str, Any], options: RunOptions):
        self.options = options
        self.sources = list(options.data) or ["-"]
        self.learner: Learner | None = None
        self.cores = options.threads if options.threads is not None else os.cpu_count() or 1
        if options.initial_regressor is not None:
            self.learner = Learner.load(options.initial_regressor, threads=self.cores)
            check_agreement(given, self.learner, options.initial_regressor)
        self.learn, self.text = split(given) if self.learner is None else (self.learner.options, self.learner.text)
        # A model's own format is checked against the data's, so that other data are not called malformed. Tables
        # cannot be told from text by looking.
        own = self.text.format if self.text.format in ("csv", "arrow") else "auto"
        self.read_as = dataclasses.replace(self.text, format=given.get("format", own))
        self.holdout = options.passes > 1 and not options.holdout_off
        self.progress = Progress(self.learn.loss, Schedule(*parse_progress(options.progress)), self.holdout)
        self.predictions = PredictionWriter(options.predictions) if options.predictions else None
        self.raw_predictions = PredictionWriter(options.raw_predictions) if options.raw_predictions else None
        self.cache = cache_file(options)
        self.reader: Reader | CachedReader | None = None
        self.refused, self.first_refused = 0, ""
        self.started = time.perf_counter()

    def go(self, interrupts: Interrupts) -> tuple[str, int]:
        """All passes over all examples; return (how it ended, exit status)."""
        self.started = time.perf_counter()
        try:
            for number in range(self.options.passes):
                if number:
                    self.progress.next_pass()
                    if self.learner is not None:
                        self.learner.next_pass()
                self.one_pass(interrupts)
                if interrupts.received is not None:
                    name = signal.Signals(interrupts.received).name
                    return f"interrupted run ({name})", 128 + interrupts.received
        except BrokenPipeError:
            return "interrupted run (the reader of the output has gone)", 128 + 13
        return "finished run", 0

    def one_pass(self, interrupts: Interrupts) -> None:
        """Go over all examples once."""
        if self.reader is None or self.cache is None:
            self.reader = self.make_reader()
        done = 0
        for batch in interrupts.until_signal(self.reader):
            if done == 0:
                self.begin_pass(self.reader, batch)
            held = None
            if self.holdout:
                held = np.arange(done + 1, done + batch.n + 1) % self.options.holdout_period == 0
            done += batch.n
            self.report(batch, held, self.learn_from(batch, held))

    def make_reader(self) -> Reader | CachedReader:
        """What reads the examples: for one pass, or with a cache for all of them."""
        options = self.options
        arguments: dict[str, Any] = {
            "on_error": options.on_error, "max_errors": options.max_errors, "threads": options.parse_ahead,
        }  # fmt: skip
        if self.cache is None:
            return Reader(self.sources, self.read_as, **arguments)
        return CachedReader(self.sources, self.read_as, path=self.cache, **arguments)

    def begin_pass(self, reader: Reader | CachedReader, batch: Batch) -> None:
        """What waits for the first examples of a pass: the learner and the header, and what is said of the cache."""
        cache = ""
        if isinstance(reader, CachedReader):
            cache = f"cache_file = {self.cache}" + (f", made anew: found {reader.reason}" if reader.reason else "")
        if self.progress.passes == 1:
            self.begin(reader.format or "auto", batch, cache)
        elif isinstance(reader, CachedReader) and reader.reason:
            self.say(cache)

    def begin(self, format: str, batch: Batch, cache: str) -> None:
        """Make the learner, whose features depend on their format, and print the header, with a line on the cache."""
        if self.learner is None:
            self.learner = Learner(self.learn, dataclasses.replace(self.text, format=format), threads=self.cores)
        elif self.learner.text.format not in (format, "auto"):
            theirs = self.learner.text.format
            raise InputError(
                batch.source, None, None, f"{format} text",
                f"{theirs} text, which the model {self.options.initial_regressor} has learned from; "
                f"if it was mistaken, give --format {theirs}",
            )  # fmt: skip
        for line in (*self.settings(self.learner, cache), "", *HEADER):
            self.say(line)

    def settings(self, learner: Learner, cache: str) -> list[str]:
        """Everything that the run depends on, in three lines or more."""
        files = {
            "data": " ".join("<stdin>" if name in STDIN else name for name in self.sources),
            "initial_regressor": self.options.initial_regressor,
            "final_regressor": self.options.final_regressor,
            "predictions": self.options.predictions,
            "raw_predictions": self.options.raw_predictions,
        }
        lines = [f"{name} = {value}" for name, value in files.items() if value]
        lines += [cache] if cache else []
        return [*lines, describe(learner.options), describe(learner.text, keep=("format",))]

    def learn_from(self, batch: Batch, held: np.ndarray | None) -> Predicted:
        """Predict a batch, and learn from it what is to be learned."""
        assert self.learner is not None
        if self.options.testonly:
            return self.learner.predict(batch)
        if held is not None:
            batch = batch._replace(weight=np.where(held, 0.0, batch.weight))
        return self.learner.partial_fit(batch, skip=self.options.on_error == "skip")

    def report(self, batch: Batch, held: np.ndarray | None, predicted: Predicted) -> None:
        """Write predictions and the rows that are due; rows that could not be learned from count as malformed."""
        keep = ~predicted.refused
        for row in np.flatnonzero(predicted.refused):
            self.refused += 1
            self.first_refused = self.first_refused or str(diverged(batch, int(row)))
        tags = None if batch.tags is None else [tag for tag, kept in zip(batch.tags, keep, strict=True) if kept]
        if self.predictions:
            self.predictions.write(predicted.prediction[keep], tags)
        if self.raw_predictions:
            self.raw_predictions.write(predicted.raw[keep], tags)
        features = np.diff(batch.indptr)
        outcome = Outcome(batch.y, batch.weight, predicted.prediction, predicted.loss, features, held)
        if predicted.refused.any():
            outcome = Outcome(*(part if part is None else part[keep] for part in outcome))
        for line in self.progress.update(outcome):
            self.say(line)

    def finish(self, ending: str) -> None:
        """Save the model, then say how it went."""
        seconds = time.perf_counter() - self.started
        if self.options.final_regressor is not None and self.learner is not None:
            self.learner.save(self.options.final_regressor)
        for line in self.progress.summary(seconds, ending):
            self.say(line)
        if self.learner is not None and "members" in (facts := self.learner.facts()):
            at_work = [member["name"] for member in facts["members"] if member["active"]]
            self.say(f"members = {' '.join(at_work)}")
        if self.reader is not None:
            warn_of_skipped(self.reader.error_count, self.reader.errors)
        if self.refused:
            why = f"the first: {self.first_refused}"
            print(f"sonlearn: warning: examples that could not be learned from: {self.refused}, {why}", file=sys.stderr)
        if self.progress.examples and not self.progress.labelled and not self.options.testonly:
            why = "no example has a label and an importance above 0"
            print(f"sonlearn: warning: {why}, so nothing was learned", file=sys.stderr)

    def close(self) -> None:
        """Close what is open, however the run has ended."""
        for writer in (self.predictions, self.raw_predictions):
            if writer:
                writer.close()

    def say(self, line: str) -> None:
        """One line on standard error, at once, unless --quiet."""
        if not self.options.quiet:
            print(line, file=sys.stderr, flush=True)


def split(given: dict[str, Any]) -> tuple[LearnOptions, TextOptions]:
    """The two option objects of a new model."""
    names = {field.name for field in dataclasses.fields(LearnOptions)}
    return (
        LearnOptions(**{name: value for name, value in given.items() if name in names}),
        TextOptions(**{name: value for name, value in given.items() if name not in names}),
    )


def describe(options: LearnOptions | TextOptions, keep: tuple[str, ...] | None = None) -> str:
    """``name = value, name = value, ...``: what matters of learning; with `keep`, these and what is not default."""
    shown = getattr(options, "shown", None) or [
        field.name
        for field in dataclasses.fields(options)
        if keep is None or field.name in keep or getattr(options, field.name) != field.default
    ]
    return ", ".join(f"{name} = {text_of(getattr(options, name))}" for name in shown)


def text_of(value: Any) -> str:
    """An option's value as the command line takes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " ".join(value)
    if value == "":
        return "none"
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


def check_agreement(given: dict[str, Any], learner: Learner, path: str) -> None:
    """Raise OptionError where an option that was given is not the model's own."""
    for options in (learner.options, learner.text):
        for field in dataclasses.fields(options):
            ours = getattr(options, field.name)
            asked = given.get(field.name, ours)
            if asked != ours and not (field.name == "format" and "auto" in (asked, ours)):
                name = flags(field)[-1].removeprefix("--")
                raise OptionError(
                    f"{name} = {text_of(asked)} is asked for, but the model {path} has {name} = {text_of(ours)}: "
                    "a model keeps its options; leave the flag out, or train a new model without -i"
                )
