"""``sonlearn evaluate``: what models would have cost in the place of the policy that wrote a log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sonlearn.commands.checks import STDIN, check_stdin
from sonlearn.commands.line import Line
from sonlearn.commands.messages import warn
from sonlearn.commands.models import Model, load_model, written_as
from sonlearn.commands.passes import FINISHED, Passes
from sonlearn.data.batch import Batch
from sonlearn.data.decisions import Decisions
from sonlearn.errors import InputError, OptionError
from sonlearn.learn.bandits.bandit import Bandit, Decided
from sonlearn.offpolicy.evaluation import Evaluation
from sonlearn.options import RunOptions, TextOptions
from sonlearn.options.run import EvaluateOptions
from sonlearn.report.offpolicy import HEADER, progress_lines, summary_lines, written
from sonlearn.report.progress import Schedule
from sonlearn.text.decisions import DecisionReader
from sonlearn.text.names import NameTable
from sonlearn.text.read import Reader


def command(line: Line) -> int:
    """Evaluate as the command line says; return the exit status. Raises SonlearnError or OSError."""
    options, run_options = line.options(EvaluateOptions), line.running()
    check(options, list(run_options.data) or ["-"])
    models = [load_model(path, decides=True).learner for path in options.models]
    for path, model in zip(options.models, models, strict=True):
        if model.options.cbify is not None:
            raise OptionError(f"-i {path}: it decides among classes (--cbify), and rows with a class are no log")
    return EvaluationSession(models, options, run_options, line.given).run()


def check(options: EvaluateOptions, sources: list[str]) -> None:
    """Raise OptionError for what could only fail later."""
    if not options.models:
        raise OptionError("evaluate needs a model of decisions; give -i MODEL")
    twice = next((path for i, path in enumerate(options.models) if path in options.models[:i]), None)
    if twice is not None:
        raise OptionError(f"-i {twice}: given twice")
    check_stdin(sources)


def costs_of(models: list[Bandit], options: EvaluateOptions) -> tuple[float, float]:
    """The range of costs: what is given of it, else of those that the models have learned from. Raises OptionError."""
    facts = [model.facts() for model in models if model.examples]
    low, high = options.cost_low, options.cost_high
    if low is None and facts:
        low = -max(one["highest reward"] for one in facts)
    if high is None and facts:
        high = -min(one["lowest reward"] for one in facts)
    if low is None or high is None or not low < high:
        found = " to ".join("?" if end is None else f"{end:g}" for end in (low, high))
        raise OptionError(f"costs from {found} are no range; give --cost-low C and --cost-high C")
    return low, high


#: A reader, and the places of the models that read as it does.
ReadAs = tuple[DecisionReader, list[int]]


def readers_of(models: list[Bandit], sources: list[str], options: RunOptions, given: dict[str, Any]) -> list[ReadAs]:
    """A reader for each way in which the models read a log. Raises OptionError where it can be read only once."""
    ways: dict[str, ReadAs] = {}
    for i, model in enumerate(models):
        bandit = model.options
        text = written_as(model.text, given, model.text.format if bandit.cost or bandit.reward else "auto")
        names = (bandit.actions, bandit.action, bandit.cost, bandit.reward, bandit.probability)
        way = repr((text, names, model.columns.known, model.labels and model.labels.header()))
        if way not in ways:
            reader = DecisionReader(
                sources, text, bandit, columns=model.columns, labels=model.labels, needed=True, **options.reading
            )
            ways[way] = reader, []
        ways[way][1].append(i)
    if len(ways) > 1 and any(source in STDIN for source in sources):
        raise OptionError("these models read a log in different ways, and standard input can be read once; give a file")
    return list(ways.values())


def same_decisions(readers: list[ReadAs], paths: tuple[str, ...]) -> Iterator[list[Decisions]]:
    """Yield decisions as each model reads them. Raises InputError where the models find different ones."""
    streams = [iter(reader) for reader, _ in readers]
    left: list[Decisions | None] = [None] * len(readers)
    while True:
        left = [next(stream, None) if one is None else one for one, stream in zip(left, streams, strict=True)]
        parts = [one for one in left if one is not None]
        if not parts:
            return
        n = min(one.n for one in parts)
        now = [one.part(0, n) for one in parts]
        for other, (_, models) in zip(now, readers, strict=False):
            if len(parts) < len(readers) or not np.array_equal(other.cost, now[0].cost, equal_nan=True):
                found = f"other decisions for {paths[models[0]]} than for {paths[readers[0][1][0]]}"
                raise InputError(now[0].source, found, "a log that all models read alike", int(now[0].lines[0]))
        left = [one.part(n, one.n) if one.n > n else None for one in parts]
        out = {i: one for one, (_, models) in zip(now, readers, strict=True) for i in models}
        yield [out[i] for i in range(len(out))]


class EvaluationSession(Passes):
    """One evaluation under way.

    Parameters
    ----------
    models : list of Bandit
    options : EvaluateOptions
    run_options : RunOptions
        Of these data, examples, on_error, max_errors, threads, progress and quiet count.
    given : dict
        The format of the log, if it is not to be found out.
    """

    learner = None  # nothing is saved
    each: list[Decisions]  # those under way, as each model reads them

    def __init__(self, models: list[Bandit], options: EvaluateOptions, run_options: RunOptions, given: dict[str, Any]):
        super().__init__(run_options, TextOptions(), Model(NameTable()))
        self.evaluation = Evaluation(
            list(options.models), costs_of(models, options), level=options.level, floor=options.floor,
            horizon=options.horizon,
        )  # fmt: skip
        self.models, self.evaluating = models, options
        self.readers = readers_of(models, self.sources, run_options, given)
        self._schedule = Schedule(*run_options.steps())
        self._due, self._begun = self._schedule.first, False

    def make_reader(self) -> Reader:
        """Return the first reader, which says what was malformed."""
        return self.readers[0][0]

    def batches(self, rows: Iterable[Batch]) -> Iterable[Any]:
        """Yield what is evaluated at a time, as the first model reads it."""
        for each in same_decisions(self.readers, self.evaluating.models):
            self.each = each
            yield each[0]

    def report_speed(self, number: int, examples: int) -> None:
        """Tell nothing: rows say how far it is."""

    def learn_from(self, batch: Any, held: np.ndarray | None) -> list[Decided]:
        """Return what each model would do; with ``--progressive`` it learns from the decisions then."""
        self.each = [decisions.part(0, batch.n) for decisions in self.each]  # of which --examples may want a part
        return [
            model.partial_fit(decisions) if self.evaluating.progressive else model.decide(decisions)
            for model, decisions in zip(self.models, self.each, strict=True)
        ]

    def report(self, batch: Any, held: np.ndarray | None, predicted: list[Decided]) -> None:
        """Evaluate, and print the rows that are due."""
        start, checks = 0, self.evaluation.checks  # which count the decisions
        while start < batch.n:
            stop = min(batch.n, max(start + 1, int(np.ceil(self._due)) - checks.decisions))
            self.evaluation.add(batch.part(start, stop), [one.part(start, stop) for one in predicted])
            start = stop
            if checks.decisions >= self._due:
                self._due = self._schedule.after(checks.decisions)
                self._report()

    def finish(self, ending: str) -> None:
        """Write the result, and what is wrong. Raises InputError where nothing could be evaluated."""
        evaluation = self.evaluation
        if not evaluation.count:
            found = f"{evaluation.checks.decisions} decisions, none with a cost and a probability"
            raise InputError(" ".join(self.sources), found, "action:cost:probability of the decisions of a log")
        lines = evaluation.lines()
        if self.evaluating.output == "text":
            print("\n".join(summary_lines(lines, self.evaluating.level)), flush=True)
            if not evaluation.checks.bounded:
                self.say("the log lacks the probabilities of actions not chosen: --floor P narrows the intervals")
        else:
            self._write(lines)
        warn(*evaluation.warnings(), *self.warnings())
        if ending != FINISHED:
            warn(f"{ending.replace(' run', '')}: the result is of what was read until then")

    def _report(self) -> None:
        if self.evaluating.output != "text":
            self._write(self.evaluation.lines())
            return
        self.say(*(() if self._begun else HEADER), *progress_lines(self.evaluation.lines()))
        self._begun = True

    def _write(self, lines: list[Any]) -> None:
        print(written(lines, self.evaluating.output, not self._begun), end="", flush=True)
        self._begun = True
