"""``sonlearn train`` and ``predict`` of decisions: read -> decide and learn -> report."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from sonlearn.commands.answers import LinesOfRows
from sonlearn.commands.checks import check_run
from sonlearn.commands.models import Unfinished, check_resumed, initial_model, load_bandit
from sonlearn.commands.passes import Passes
from sonlearn.commands.policy_log import PolicyLog
from sonlearn.commands.precompile import Helper
from sonlearn.commands.recording import check_recording
from sonlearn.commands.settings import ALIKE, settings_text
from sonlearn.data.decisions import Decisions
from sonlearn.errors import InputError, OptionError
from sonlearn.learn.bandits.bandit import Bandit, Decided
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.bandit import SHARED, BanditOptions
from sonlearn.options.run import COARSE, RunOptions, parse_progress
from sonlearn.options.spec import flags, text_of
from sonlearn.report.decisions import HEADER, DecisionTotals, action_lines, class_lines, probability_lines
from sonlearn.report.predictions import PredictionWriter
from sonlearn.report.progress import Schedule
from sonlearn.text.cache import CachedReader
from sonlearn.text.decisions import DecisionReader
from sonlearn.text.names import NameTable
from sonlearn.text.read import Reader

#: Flags of a run that decisions do not take.
_NOT_TAKEN = (
    "save_per_pass", "form", "raw_predictions", "probabilities", "top", "audit", "passes", "cache", "cache_file",
    "holdout_off", "holdout_after", "early_terminate", "progress_bar",
)  # fmt: skip


def run(given: dict[str, Any], bandit: dict[str, Any], options: RunOptions) -> int:
    """Do one run; return the exit status.

    Parameters
    ----------
    given : dict
        Further options that were given on the command line, by field name.
    bandit : dict
        Those of `BanditOptions`.
    options : RunOptions

    Raises
    ------
    SonlearnError, OSError
        Nothing has been saved.
    """
    for field in dataclasses.fields(options):
        if field.name in _NOT_TAKEN and getattr(options, field.name) != field.default:
            raise OptionError(f"{flags(field)[-1]}: decisions do not take it (docs/bandits.md says what they take)")
    check_run(options)
    check_recording(options)
    session = BanditSession(given, bandit, options)
    return session.ended() if session.nothing_left else session.run()


class BanditSession(Passes):
    """One run under way: the model, its totals, and where they are written."""

    learner: Bandit | None  # type: ignore[assignment]
    progress: DecisionTotals  # type: ignore[assignment]

    def __init__(self, given: dict[str, Any], bandit: dict[str, Any], options: RunOptions):
        self.learner, self.from_model, unfinished = None, initial_model(options), None
        of_text = {field.name for field in dataclasses.fields(TextOptions)}
        text = {name: value for name, value in given.items() if name in of_text}
        learn = {name: value for name, value in given.items() if name not in of_text}
        if self.from_model is not None:
            self.learner, unfinished = load_bandit(self.from_model)
        if "method" not in learn and (self.learner is None or self.learner.learn is None):
            bandit = bandit | {name: learn.pop(name) for name in SHARED if name in learn}
        if self.learner is not None and self.from_model is not None:
            _check_agreement(bandit, self.learner.options, self.from_model)
            _check_agreement({k: v for k, v in text.items() if k != "format"}, self.learner.text, self.from_model)
            if learn and self.learner.learn is None:
                raise OptionError(f"--{next(iter(learn))}: the model {self.from_model} has no --method; leave it out")
            if self.learner.learn is not None:
                _check_agreement(learn, self.learner.learn, self.from_model)
        resumes = options.resume and self.from_model == options.final_regressor
        self.nothing_left = resumes and unfinished is None
        done = Unfinished(list(options.data) or ["-"], options.passes, 1, 0, 0)
        if resumes and unfinished is not None:
            done = check_resumed(options, unfinished)
        self.learn = None if not learn else LearnOptions(**{"loss": "squared", **learn})
        if self.learner is None:
            self.bandit, self.text = BanditOptions(**bandit), TextOptions(**text)
            Bandit(self.bandit, self.text, self.learn)  # raises what is wrong before anything is read
        else:
            self.bandit, self.text = self.learner.options, self.learner.text
        own = self.text.format if self.bandit.cost or self.bandit.reward else "auto"
        super().__init__(
            options, dataclasses.replace(self.text, format=given.get("format", own)), False, NameTable(), done
        )
        if self.learner is not None:
            self.columns = self.learner.columns
        self.classes = (self.learner or Bandit(self.bandit, learn=self.learn)).classes
        self.before = 0 if self.learner is None else self.learner.examples
        self.progress = DecisionTotals(Schedule(*parse_progress(options.progress or COARSE)), self.classes)
        self.recorder = PolicyLog(options, self.classes, self.began.read > 0)
        self.predictions = PredictionWriter(options.predictions, self.done.lines) if options.predictions else None
        self.helper = Helper()

    def make_reader(self) -> Any:
        """What reads the decisions."""
        options = self.options
        reader = DecisionReader(
            self.sources, self.read_as, self.bandit, on_error=options.on_error, max_errors=options.max_errors,
            threads=options.prefetch_parsed, columns=self.columns, classes=self.classes,
        )  # fmt: skip
        reader.meter = None if options.quiet else self.meter
        return reader

    def begin(self, format: str, batch: Any, cache: str) -> None:
        """Make the model, whose features depend on their format, and print the header."""
        if self.learner is None:
            self.learner = Bandit(self.bandit, dataclasses.replace(self.text, format=format), self.learn)
            self.learner.classes = self.classes
        elif self.learner.text.format not in (format, "auto") and not any(
            {self.learner.text.format, format} <= alike for alike in ALIKE
        ):
            trained = self.learner.text.format
            raise InputError(
                batch.source, None, None, f"{format} text",
                f"{trained} text, which the model {self.from_model} has learned from",
            )  # fmt: skip
        method = [] if self.learner.learn is None else [settings_text(self.learner.learn)]
        settings = [
            *method,
            settings_text(self.learner.options, keep=()),
            settings_text(self.learner.text, keep=("format",)),
        ]  # type: ignore[arg-type]
        for line in (*self.named_files(cache), *settings, "", *HEADER):
            self.say(line)
        self.recorder.begin(self.learner, self.files)

    @property
    def files(self) -> dict[str, str | None]:
        """Which files the run reads and writes."""
        own = {
            "initial_regressor": self.from_model, "final_regressor": self.options.final_regressor,
            "predictions": self.options.predictions, "log_json": self.options.log_json, "report": self.options.report,
        }  # fmt: skip
        return {**super().files, **own}

    def batches(self, reader: Reader | CachedReader) -> Iterable[Any]:
        """What is learned from at a time."""
        return reader

    def learn_from(self, batch: Any, held: np.ndarray | None) -> Decided:
        """Decide the decisions of a batch, and learn from their costs."""
        assert self.learner is not None
        return self.learner.predict(batch) if self.options.testonly else self.learner.partial_fit(batch)

    def lines_of(self, batch: Any, predicted: Any) -> int:
        """How many lines of predictions are written of these."""
        return (batch.n + len(batch.skipped or ())) * bool(self.predictions)

    def report(self, batch: Any, held: np.ndarray | None, predicted: Any) -> None:
        """Count, write predictions, print the rows that are due."""
        for line in self.progress.update(batch, predicted):
            self.say(line)
        self.recorder.add(batch, predicted)
        if self.predictions:
            lines = LinesOfRows(batch.skipped or (), np.zeros(batch.n, dtype=bool), batch.tags)
            self.predictions.write(*lines.values(self._texts(batch, predicted)))

    def _texts(self, batch: Decisions, decided: Decided) -> list[str]:
        if self.classes is not None:
            return class_lines(decided, self.classes)
        return (probability_lines if self.bandit.explores else action_lines)(batch, decided)

    def report_skipped(self, tags: list[str]) -> None:
        """Lines for malformed decisions behind the last one."""
        if self.predictions and tags:
            lines = LinesOfRows([(0, tag) for tag in tags], np.zeros(0, dtype=bool), None)
            self.predictions.write(*lines.values([]))
            self.done = self.done._replace(lines=self.done.lines + len(tags))

    def compiling(self) -> None:
        """Say so, and have help with it."""
        super().compiling()
        if not self.options.testonly:
            self.helper.start(self.learn, self.bandit)

    def summary(self, seconds: float, ending: str, whole: bool) -> list[str]:
        """How it went."""
        return self.progress.summary(seconds, ending)

    def finish(self, ending: str) -> None:
        """Save the model and say how it went. Raises InputError where nothing was learned: nothing is saved."""
        learner = self.learner
        nothing = learner is not None and learner.examples == self.before and not self.began.read
        if nothing and not self.options.testonly and self.progress.examples:
            raise InputError(
                " ".join(self.sources), None, None, "no decision with a cost",
                "action:cost:probability before the features; nothing was learned, and no model was saved",
            )  # fmt: skip
        super().finish(ending)

    def record(self, ending: str) -> None:
        """Write the end of the log, and the page. Raises OutputError."""
        self.recorder.finish(ending, self.learner, self.warnings())

    def close(self) -> None:
        """Close what is open, however the run has ended."""
        for open_one in (self.predictions, self.recorder, self.helper):
            if open_one is not None:
                open_one.close()
        super().close()


def _check_agreement(given: dict[str, Any], options: Any, path: str) -> None:
    """Raise OptionError where an option that was given is not the model's own."""
    for field in dataclasses.fields(options):
        ours = getattr(options, field.name)
        asked = given.get(field.name, ours)
        if asked != ours and not (isinstance(ours, tuple) and tuple(asked) == ours):
            name = flags(field)[-1].removeprefix("--")
            raise OptionError(
                f"{name} = {text_of(asked)} is asked for, but the model {path} has {name} = {text_of(ours)}: "
                "a model keeps its options; leave the flag out, or train a new model without -i"
            )


def inspect_lines(path: str) -> list[str]:
    """Lines about a model of decisions, for ``sonlearn inspect``."""
    bandit, unfinished = load_bandit(path)
    lines = [f"{path}: a sonlearn bandit", "", "options"]
    if unfinished is not None:
        lines.insert(1, f"saved in a run that has not ended: {unfinished.read} decisions read")
    method = {} if bandit.learn is None else {name: getattr(bandit.learn, name) for name in bandit.learn.shown}
    values = method | dataclasses.asdict(bandit.options) | dataclasses.asdict(bandit.text)
    lines += [f"  {name} = {text_of(value)}" for name, value in values.items() if value not in ((), None, "", False)]
    facts = {"features": bandit.size, **bandit.facts()}
    shown = {k: f"{v:.9g}" if isinstance(v, float) else v for k, v in facts.items() if v is not None}
    return [*lines, "", "state", *(f"  {name} = {value}" for name, value in shown.items())]
