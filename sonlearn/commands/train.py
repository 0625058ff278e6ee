"""``sonlearn train`` and ``sonlearn predict``: read -> learn or predict -> report. Nothing else is done here."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.commands.answers import LinesOfRows, answers_of, columns_of
from sonlearn.commands.checks import Values, check_run
from sonlearn.commands.early_stopping import Patience
from sonlearn.commands.heap import keep_freed_memory
from sonlearn.commands.line import Line
from sonlearn.commands.messages import warn
from sonlearn.commands.models import Unfinished, check_resumed, initial_model, is_bandit, load_model
from sonlearn.commands.passes import FINISHED, Passes
from sonlearn.commands.precompile import Helper
from sonlearn.commands.recording import FINE, Recorder, check_recording, recorded
from sonlearn.commands.settings import ALIKE, check_agreement, settings_text, split
from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, OptionError, shorten
from sonlearn.learn.learner import Learner, Predicted, PredictedClass, chosen_of, takes_words
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.bandit import SHARED, BanditOptions
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.run import COARSE, RunOptions, parse_progress
from sonlearn.options.text import TABLES
from sonlearn.report import streams
from sonlearn.report.answers import AnswerLines
from sonlearn.report.classes import likeliest, probabilities_of, scores_of
from sonlearn.report.metrics import Metrics, numbers_of
from sonlearn.report.outcomes import Uncounted, outcome_of, progress_of, without_held
from sonlearn.report.predictions import PredictionWriter, number_texts, with_intervals, with_sets
from sonlearn.report.progress import HEADER, Progress, Schedule
from sonlearn.text.cache import CachedReader
from sonlearn.text.columns import ColumnTable, first_names
from sonlearn.text.names import NameTable
from sonlearn.text.read import Reader

if TYPE_CHECKING:
    from sonlearn.commands.audit import Audit

#: Examples before which an average loss says little.
ENOUGH = 100
#: Rows before it is worth a warning that nothing in them is known.
SOME = 10
UNLABELLED = "no example has a label and an importance above 0, so nothing was learned"


def command(line: Line) -> int:
    """Train or predict as the command line says; return the exit status. Raises as `run` does."""
    options, bandit = asked(line)
    if not of_decisions(options, bandit):
        return run(line.given, options)
    from sonlearn.commands import bandit as decisions

    return decisions.run(line.given, bandit, options)


def asked(line: Line) -> tuple[RunOptions, dict[str, Any]]:
    """(options of the run, those of decisions that were given). Raises OptionError."""
    options = line.running()
    if line.verb == "predict":
        if options.initial_regressor is None:
            raise OptionError("predict needs a model; give -i MODEL")
        predictions = options.predictions or (None if options.audit else "-")
        options = dataclasses.replace(options, testonly=True, predictions=predictions)
    return options, line.take(BanditOptions, *SHARED)


def of_decisions(options: RunOptions, bandit: dict[str, Any]) -> bool:
    """Whether decisions are learned, or a run begins with a model of them."""
    return bool(bandit) or is_bandit(initial_model(options))


def run(given: dict[str, Any], options: RunOptions, make: Callable[..., TrainingSession] | None = None) -> int:
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
    session = (make or TrainingSession)(given, options)
    if session.nothing_left:
        return session.ended()
    return session.run()


#: How two classes are written whose labels are numbers.
SIGNS = ("-1", "1")
#: Scores held of a batch, rows times classes; rows of a part at least.
CELLS, LEAST_ROWS = 1 << 22, 64
#: So many times as much text is a committee's batch where lines are long: what it does for a batch beside its rows took
#: a fifth of its time with some 400 rows a batch. Other learners would only need more memory.
STRETCH = 2
#: Rows that may have been learned and not been counted yet.
MOST_UNCOUNTED = 1 << 13


class TrainingSession(Passes):
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
        if options.passes > 1 and self.learn.label_delay:
            raise OptionError(
                f"--label_delay {self.learn.label_delay} with --passes {options.passes}: expected one pass; the labels "
                "of a further pass have come long ago"
            )
        # A model's own format is checked against the data's, so that other data are not called malformed. CSV cannot be
        # told from text by looking.
        own = "csv" if self.text.format in TABLES else "auto"
        named = bool(options.audit) or (False if options.testonly else self.text.names)
        read_as = dataclasses.replace(self.text, format=given.get("format", own), names=named)
        if self.learner is not None and read_as.format == "vw":  # what a model of JSON has of members is not of VW text
            read_as = dataclasses.replace(read_as, label="", id="", weight="", text=())
        super().__init__(options, read_as, self.learn.classes is not None, names, done)
        self.worded = takes_words(self.learn)
        self.stretch = STRETCH if self.learn.method == "committee" else 1
        if self.learn.method == "committee" and self.cores > 1:  # with one thread no memory is given back in between
            keep_freed_memory()
        if self.learner is not None:
            self.columns = self.learner.columns.at_rest() if options.testonly else self.learner.columns
        self.before = 0 if self.learner is None else self.learner.examples
        self.unmet = 0  # examples of classes that the model has not learned
        self.strange = options.testonly  # whether no feature so far is one that the model has seen
        self.audit: Audit | None = None
        if options.audit:
            from sonlearn.commands.audit import Audit

            self.audit = Audit(options, self.names_read)
        if options.probabilities and not self.learn.several and options.form == "vw":
            raise OptionError(
                "--probabilities: expected a model of several classes: --oaa K, --multinomial K, or --classes auto; of "
                "two classes give --output csv or jsonl as well"
            )
        if options.top is not None and (options.probabilities or not self.learn.several):
            other = "with --probabilities, which writes all" if options.probabilities else "of a model of no classes"
            raise OptionError(f"--top {options.top} {other}: expected several classes (--oaa K, --classes auto) alone")
        self.values = Values(self.learn)
        table, fine = (Schedule(*parse_progress(options.progress or step)) for step in (COARSE, FINE))
        if options.form != "vw" and options.predictions is None:
            raise OptionError(f"--output {options.form}: nothing is written; give -p FILE as well")
        if options.form == "csv" and options.resume:
            raise OptionError("--output csv with --resume: the header would come again; give --output jsonl")
        if options.form == "csv" and options.probabilities and self.learn.classes is not None and not options.testonly:
            raise OptionError(
                "--output csv with --probabilities: classes that come as they will have no columns yet; give "
                "--output jsonl, or predict with the model that was learned"
            )
        self.progress = progress_of(self.learn, self.texts, table, self.holdout, fine if recorded(options) else None)
        self.recorder = Recorder(options, self.learn, self.progress, self.began.read > 0 or self.began.number > 1)
        lines = self.done.lines
        self.predictions = PredictionWriter(options.predictions, lines) if options.predictions else None
        self.answers: AnswerLines | None = None
        self.raw_predictions = PredictionWriter(options.raw_predictions, lines) if options.raw_predictions else None
        self.patience = Patience(options.early_terminate)
        self.uncounted = Uncounted()
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
            trained = self.learner.text.format
            raise InputError(
                batch.source, None, None, f"{format} text",
                f"{trained} text, which the model {self.from_model} has learned from; "
                f"if it was mistaken, give --format {trained}{' or vw' if trained == 'json' else ''}",
            )  # fmt: skip
        if format in TABLES and not self.learner.text.label and not self.options.testonly:
            columns = first_names(self.columns.known)
            raise InputError(
                batch.source, None, None, f"the columns {columns}", "one that is the label: --label COLUMN"
            )
        if format in TABLES and not self.options.testonly:
            self.warn_of_leaks()
        self.metrics = Metrics(self.learner)
        for line in (*self.settings(self.learner, cache), *(() if self.bar.shown else ("", *HEADER))):
            self.say(line)
        self.recorder.begin(self.learner, self.files, self.options.passes)

    def warn_of_leaks(self) -> None:
        """Name columns of the first file that tell the label, before all is learned from them; a pipe is read once."""
        assert self.learner is not None
        if os.path.isfile(self.sources[0]):
            from sonlearn.text.describe import leaks

            for line in leaks(self.sources[0], self.learner.text):
                warn(line)

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
        return [*self.named_files(cache), settings_text(learner.options), settings_text(learner.text, keep=("format",))]

    def next_pass(self, learns: bool) -> None:
        """Another pass begins."""
        self.progress.next_pass()
        if self.holdout and self.learner is not None:  # results are of this pass's held-out examples alone
            self.metrics = Metrics(self.learner)
        if learns and self.learner is not None:
            self.learner.next_pass()

    def batches(self, reader: Reader | CachedReader) -> Iterable[Batch]:
        """What is learned from at a time."""
        return self.bounded(reader) if self.audit is None else self.audit.one_by_one(reader)

    def bounded(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """The same rows, of many classes in parts whose scores need no more than a bounded space."""
        for batch in batches:
            start = 0
            while start < batch.n:
                classes = len(self.learner.classes) if self.learner is not None and self.learn.several else 1
                stop = start + max(CELLS // max(classes, 1), LEAST_ROWS)
                yield batch.part(start, min(stop, batch.n))
                start = stop
            if batch.n == 0:
                yield batch

    def learn_from(self, batch: Batch, held: np.ndarray | None) -> Predicted | PredictedClass:
        """Predict a batch, and learn from it what is to be learned."""
        assert self.learner is not None
        if self.audit:
            self.audit.write(self.learner, batch)
        if self.options.testonly:
            self.strange = self.strange and not self.learner.knows(batch)
            predicted = self.learner.predict(batch)
            if isinstance(predicted, PredictedClass):
                labels = predicted.label[~np.isnan(predicted.label)]
                self.unmet += int((numbers_of(self.learner.classes, labels) < 0).sum())
            return predicted
        warning = self.values.warning(batch)
        if warning:
            warn(warning)
        return self.learner.partial_fit(without_held(batch, held), skip=self.options.on_error == "skip")

    def lines_of(self, batch: Batch, predicted: Predicted | PredictedClass) -> int:
        """How many lines of predictions are written of these."""
        return (batch.n + len(batch.skipped or ())) * bool(self.predictions or self.raw_predictions)

    def report(self, batch: Batch, held: np.ndarray | None, predicted: Predicted | PredictedClass) -> None:
        """Count, write predictions, print the rows that are due; what could not be learned from counts for nothing."""
        assert self.learner is not None
        keep = ~predicted.refused
        outcome = outcome_of(self.learner.with_numbers(batch), held, predicted)
        self.uncounted.add(outcome, chosen_of(predicted, keep) if predicted.refused.any() else predicted)
        if self.predictions or self.raw_predictions:
            self.write(batch, predicted)
        at_once = self.learn.several or self.recorder.wanted or self.bar.shown
        if at_once or self.uncounted.rows >= MOST_UNCOUNTED or self.progress.is_due(self.uncounted.weight):
            self.settle()

    def settle(self) -> None:
        """Count what has been reported and is not counted yet, and print the rows that are due."""
        if not self.uncounted.rows:
            return
        outcome, predicted = self.uncounted.take()
        lines = self.progress.update(outcome)
        for line in () if self.bar.shown else lines:
            self.say(line)
        assert self.metrics is not None
        self.metrics.count(outcome.y, outcome.weight, predicted, self.progress.counted(outcome))
        self.recorder.add(outcome)

    def write(self, batch: Batch, predicted: Predicted | PredictedClass) -> None:
        """Predictions of all rows, and ``nan`` for those that were refused or malformed."""
        assert self.learner is not None
        lines = LinesOfRows(batch.skipped or (), predicted.refused, batch.tags)
        if self.predictions and self.options.form != "vw":
            if self.answers is None:
                self.answers = AnswerLines(self.options.form, columns_of(self.learner, self.options.probabilities))
            answers = answers_of(self.learner, predicted, self.options.probabilities)
            self.predictions.write(self.answers.lines(lines.rows(answers)))
        elif self.predictions:
            self.predictions.write(*lines.values(self.values_of(predicted)))
        if self.raw_predictions:
            values = predicted.raw
            if isinstance(predicted, PredictedClass):
                values = scores_of(predicted, [str(label) for label in self.learner.classes])
            self.raw_predictions.write(*lines.values(values))

    def values_of(self, predicted: Predicted | PredictedClass) -> Any:
        """What is written of each row: the prediction, and its interval or set where there are such."""
        assert self.learner is not None
        if isinstance(predicted, PredictedClass):
            labels = [str(label) for label in self.learner.classes]
            if self.options.top is not None:
                values = likeliest(predicted, labels, self.options.top)
            elif self.options.probabilities:
                values = probabilities_of(predicted, labels, self.learn.numbered)
            else:
                values = self.texts(predicted.prediction)
            return values if predicted.sets is None else with_sets(values, predicted.sets, labels)
        if predicted.sets is not None:
            labels = list(self.learner.two_labels or SIGNS) if self.learner.worded else list(SIGNS)
            return with_sets(number_texts(predicted.prediction), predicted.sets, labels)
        if predicted.low is not None and predicted.high is not None:
            return with_intervals(predicted.prediction, predicted.low, predicted.high)
        return predicted.prediction

    def report_skipped(self, tags: list[str]) -> None:
        """Lines for malformed rows behind the last one."""
        lines = LinesOfRows([(0, tag) for tag in tags], np.zeros(0, dtype=bool), None)
        if self.predictions and self.answers is not None:
            self.predictions.write(self.answers.lines(lines.rows([])))
        elif self.predictions and tags:
            self.predictions.write(*lines.values([]))
        if self.raw_predictions and tags:
            self.raw_predictions.write(*lines.values([]))
        self.done = self.done._replace(
            lines=self.done.lines + len(tags) * bool(self.predictions or self.raw_predictions)
        )

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
        more = [*label_lines(self.learner), *measures, *members_at_work(self.learner)]
        lines[-2:-2] = more  # before the time that it took
        return lines

    def finish(self, ending: str) -> None:
        """Save the model and say how it went. Raises InputError where nothing was learned: nothing is saved."""
        if self.progress.examples and self.learner is not None and ending == FINISHED and not self.options.testonly:
            resumed = self.began.read > 0 or self.began.number > 1
            if self.learner.examples == self.before and not resumed:
                self.bar.close()
                raise InputError(" ".join(self.sources), None, None, *unlabelled(self.learner.text, self.columns))
        super().finish(ending)

    def warnings(self) -> list[str]:
        """What is to be known of a run that has come to its end."""
        found = super().warnings()
        if self.learner is not None and self.learner.refused_rows:
            refused, first = self.learner.refused_rows, self.learner.first_refused
            found.append(f"examples that could not be learned from: {refused}, the first: {first}")
        if self.unmet:
            found.append(f"examples of classes that the model has not learned: {self.unmet}; each counts as an error")
        if self.progress.examples and not self.progress.labelled and not self.options.testonly:
            found.append(UNLABELLED)
        if self.strange and self.progress.examples >= SOME:
            found.append(
                f"no feature of the data is one that {self.from_model} has learned, so that all predictions are alike: "
                "is it the right model, and the right file?"
            )
        if self.learner is not None:
            found += link_without_sense(self.learner.options)
        if not self.options.testonly:
            found += worse_than_a_constant(self.learn, self.progress)
        if self.metrics is not None and self.progress.examples >= ENOUGH:
            alike = "" if self.options.testonly or self.before else self.metrics.one_label()
            found += filter(None, (self.metrics.nobody(), alike))
        return found

    def record(self, ending: str) -> None:
        """Write the end of the log, and the page."""
        self.recorder.finish(ending, self.learner, self.metrics, self.names, self.warnings())

    def close(self) -> None:
        """Close what is open, however the run has ended."""
        for open_one in (self.predictions, self.raw_predictions, self.recorder, self.helper):
            if open_one:
                open_one.close()
        super().close()


def link_without_sense(options: LearnOptions) -> list[str]:
    """What to say of a link that does not fit the loss."""
    loss = {"logistic": "logistic", "glf1": "logistic", "poisson": "poisson"}.get(options.link)
    if loss in (None, options.loss):
        return []
    told = "a value" if options.loss not in CLASSIFICATION else "no log-odds"
    return [f"--link {options.link}: with --loss {options.loss} a prediction is {told}; learn with --loss {loss}"]


def worse_than_a_constant(learn: LearnOptions, progress: Progress) -> list[str]:
    """A line for values that one learner alone has not reached: only a committee standardises labels."""
    totals = progress.totals()
    loss, constant = totals["loss"], totals["constant"]
    if learn.method == "committee" or learn.loss in CLASSIFICATION or constant is None or constant["error"] is not None:
        return []
    if loss is None or totals["examples"] < ENOUGH or not loss > constant["loss"]:
        return []
    return [
        f"average loss {loss:g} is above {constant['loss']:g}, that of always predicting {constant['prediction']:g}: "
        f"--method {learn.method} learns labels as they are; leave --method out (the committee standardises them), or "
        "give labels less their mean, over their standard deviation"
    ]


def cores_of(options: RunOptions) -> int:
    """Threads that learn."""
    return options.threads if options.threads is not None else os.cpu_count() or 1


def unlabelled(text: TextOptions, columns: ColumnTable) -> tuple[str, str]:
    """(what was found, what to do) where no example has a label and an importance above 0, so nothing was learned."""
    found = "no example that has a label and an importance above 0"
    if text.label:
        return found, f"labels in {shorten(text.label)} (--label); nothing was learned, and no model was saved"
    remedy = {"json": "_label in each object, or the member that --label names", "vw": "a label before the first bar"}
    what = remedy.get(text.format, "a label at the beginning of each line")
    return found, f"{what}; nothing was learned, and no model was saved"


def label_lines(learner: Learner | None) -> list[str]:
    """A line on which of two words is the positive label."""
    if learner is None or not learner.worded or learner.two_labels is None:
        return []
    negative, positive = learner.two_labels
    return [f"positive label = {positive} (the other: {negative})"]


def members_at_work(learner: Learner | None) -> list[str]:
    """Lines that say what a committee's predictions come from, and whether the stream has changed."""
    if learner is None:
        return []
    facts = learner.facts()
    members = facts.get("members", [])
    at_work = [f"members = {' '.join(m['name'] for m in members if m['active'])}"] if members else []
    return at_work + streams.lines(facts)
