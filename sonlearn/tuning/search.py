"""Settings that learn side by side from one stream: which of them predicts best.

All see the same rows and predict each before they learn from it, so their progressive losses compare like with like,
and the best one's learner is what it would be had it learned alone, to the last bit. Text is parsed once and features
are numbered once for all; on several threads settings learn at once, which changes no figure.

Successive halving (Jamieson, Talwalkar: Non-stochastic Best Arm Identification and Hyperparameter Optimization, AISTATS
2016): after `halving` labelled rows, and each time that their number has doubled, the worse half of the settings still
at work stop. Of k settings k // 2 stop: those whose average over all rows so far is highest, of equal ones those later
in the grid. That is decided after exactly that row, however the stream is cut into batches, and in the first pass only,
since later passes have seen the rows. (There each round has a budget of its own, and arms begin anew.)
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, OptionError, SonlearnError
from sonlearn.learn.ensemble.stacking import mapping
from sonlearn.learn.learner import Learner
from sonlearn.learn.shared_index import Said, learn_with_shared_index
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.losses import CLASSIFICATION, LOSS_OPTIONS
from sonlearn.report.labels import as_reported
from sonlearn.report.outcomes import outcome_of, without_held
from sonlearn.report.progress import Progress, Row, Schedule
from sonlearn.tuning.grid import Setting, settings_of

BY = ("loss", "error")


class Result(NamedTuple):
    """How a setting has done.

    Attributes
    ----------
    setting : Setting
    loss, error : float or None
        Averages over all rows that it predicted before learning from them (several passes: the last one's holdout, as
        in the summary of a run); None where there is none.
    examples : int
        Rows that it was shown.
    seconds : float
        Processor time that it took.
    state : str
        ``whole``: it has learned from all rows so far; ``stopped``: by halving; ``failed``.
    problem : str
        Why it has failed, or what it has left out; mostly empty.
    """

    setting: Setting
    loss: float | None
    error: float | None
    examples: int
    seconds: float
    state: str
    problem: str


class Due(NamedTuple):
    """A row of the table: the setting that was best there, its row, and that as it is printed."""

    setting: Setting
    row: Row
    line: str


class Contender:
    """A setting with what it has learned, and its totals.

    `learner` shares an index with others', and is not to be taught alone: `Tuning.learner` is a copy that may.
    """

    def __init__(self, setting: Setting, learner: Learner, schedule: Schedule, holdout: bool):
        self.setting = setting
        self.learner: Learner | None = learner  # None when it has stopped, so that its memory is free
        texts = self.label_texts if setting.options.several else None
        loss, zero = as_reported(setting.options)
        self.progress = Progress(loss, schedule, holdout, texts, boundary=zero)
        self.rows: list[Row] = []  # that wait for the others' to be there
        self.seconds, self.refused = 0.0, 0
        self.failure: SonlearnError | None = None

    def take(self, batch: Batch, held: np.ndarray | None, said: Said) -> None:
        """Count what was said of a batch."""
        if isinstance(said, SonlearnError):
            self.failure, self.learner = said, None
            return
        self.refused += int(said.refused.sum())
        self.rows += self.progress.rows(outcome_of(batch, held, said))

    def label_texts(self, values: np.ndarray) -> list[str]:
        """Labels of classes as they are written."""
        assert self.learner is not None
        return self.learner.label_texts(values)

    @property
    def result(self) -> Result:
        """How it has done."""
        sums = self.progress.result
        state = "failed" if self.failure else "stopped" if self.learner is None else "whole"
        problem = str(self.failure or "")
        if self.refused:
            problem = problem or f"rows that it could not learn from: {self.refused}"
        examples = self.progress.examples + self.progress.held_examples
        return Result(self.setting, sums.average_loss, sums.average_error, examples, self.seconds, state, problem)


class Tuning:
    """Settings at work on a stream.

    Parameters
    ----------
    settings : sequence of Setting
    text : TextOptions
        Kept with the models.
    threads : int
        How many settings may learn at once.
    by : str or None
        What is compared: ``loss`` or ``error``; None: the loss, unless settings have different ones.
    halving : int or None
        After so many labelled rows the worse half stops, and at each doubling; None: all learn to the end.
    schedule : Schedule
        When rows of the table are due.
    holdout : bool
        As for `Progress`.
    skip : bool
        As for `Learner.partial_fit`.

    Attributes
    ----------
    by : str
    contenders : list of Contender
        In the order of `settings`.
    """

    def __init__(
        self,
        settings: Sequence[Setting],
        text: TextOptions | None = None,
        *,
        threads: int = 1,
        by: str | None = None,
        halving: int | None = None,
        schedule: Schedule = Schedule(),  # noqa: B008 (a tuple)
        holdout: bool = False,
        skip: bool = False,
    ):
        self.by = measure([setting.options for setting in settings], by)
        own = threads if len(settings) < threads else 1  # threads within a learner pay when there are few learners
        self.contenders = [
            Contender(setting, Learner(setting.options, text, threads=own), schedule, holdout) for setting in settings
        ]
        self._threads = threads
        self._run = mapping(ThreadPoolExecutor(threads) if threads > 1 else None)
        self._skip, self._next, self._labelled, self._pass = skip, halving, 0, 1
        if halving is not None and halving < 1:
            raise OptionError(f"halving {halving}: expected at least 1")
        if any(setting.options.label_delay for setting in settings):
            raise OptionError("--label_delay among settings: to them labels come at once; leave it out")

    def partial_fit(self, batch: Batch, held: np.ndarray | None = None) -> list[Due]:
        """Learn a batch; return the rows of the table that have become due, each the best setting's at that row.

        Parameters
        ----------
        batch : Batch
        held : bool[n] or None
            Rows that are predicted only.

        Raises
        ------
        InputError
            A label does not fit a loss; or the settings are compared by error and a label is no class.
        DivergedError, InputError
            What the last setting at work has failed of.
        """
        due, start = [], 0
        while start < batch.n:
            stop = self._end_of_round(batch, held, start)
            part = batch.part(start, stop)
            due += self._learn(part, None if held is None else held[start:stop])
            self._labelled += int(learnable(part, None if held is None else held[start:stop]).sum())
            if self._halves and self._labelled == self._next:
                self._halve()
            start = stop
        return due

    def next_pass(self) -> None:
        """Say that the rows to come have been learned from before."""
        self._pass += 1
        for contender in self.contenders:
            contender.progress.next_pass()
            if contender.learner is not None:
                contender.learner.next_pass()

    @property
    def best(self) -> Contender:
        """The setting that has done best of those at work; of equal ones, and before there is a label, the first."""
        return min(self.at_work, key=self._standing)

    @property
    def learner(self) -> Learner:
        """A copy of the best setting's, which may go on by itself."""
        learner = self.best.learner
        assert learner is not None
        return learner.copy(threads=self._threads)

    @property
    def at_work(self) -> list[Contender]:
        """Those that have neither stopped nor failed."""
        return [contender for contender in self.contenders if contender.learner is not None]

    @property
    def results(self) -> list[Result]:
        """Of all settings, the best first: those at work, those that have stopped, the last first, and failures."""
        order = ["whole", "stopped", "failed"]

        def place(contender: Contender) -> tuple[int, int, float]:
            result = contender.result
            state = order.index(result.state)
            return state, -result.examples if state else 0, self._standing(contender)

        return [contender.result for contender in sorted(self.contenders, key=place)]

    # -- how ---------------------------------------------------------------------------------------------------------

    def _learn(self, batch: Batch, held: np.ndarray | None) -> list[Due]:
        working = self.at_work
        learners = [contender.learner for contender in working if contender.learner is not None]

        def run(teach: Any, places: Iterable[int]) -> list[None]:
            def timed(i: int) -> None:
                begun = time.thread_time()
                teach(i)
                working[i].seconds += time.thread_time() - begun

            # Those that take longest begin, so that no thread has to wait long for the last one.
            return self._run(timed, sorted(places, key=lambda i: -working[i].seconds))

        def take(i: int, said: Said) -> None:
            working[i].take(batch, held, said)

        learn_with_shared_index(learners, without_held(batch, held), take, run, skip=self._skip)
        if not self.at_work:
            raise next(contender.failure for contender in working if contender.failure is not None)
        self._check_classes(batch)
        return self._due()

    def _due(self) -> list[Due]:
        """Rows that all settings at work have come to, of the one that was best there."""
        working, due = self.at_work, []
        while all(contender.rows for contender in working):
            rows = [(contender, contender.rows.pop(0)) for contender in working]
            best, row = min(rows, key=lambda pair: self._score(pair[1].loss, pair[1].error))
            due.append(Due(best.setting, row, best.progress.line(row)))
        return due

    @property
    def _halves(self) -> bool:
        return self._next is not None and self._pass == 1 and len(self.at_work) > 1

    def _end_of_round(self, batch: Batch, held: np.ndarray | None, start: int) -> int:
        """Where to stop so that settings are halved after the very same row however the stream is cut."""
        if not self._halves or self._next is None:
            return batch.n
        told = np.cumsum(learnable(batch, held)[start:])
        left = self._next - self._labelled
        return start + int(np.searchsorted(told, left)) + 1 if told[-1] >= left else batch.n

    def _halve(self) -> None:
        assert self._next is not None
        ranked = sorted(self.at_work, key=self._standing)
        for contender in ranked[(len(ranked) + 1) // 2 :]:
            contender.learner = None
        self._next *= 2

    def _standing(self, contender: Contender) -> float:
        """Its score; in a later pass, before a row of it was held out, that of what it has learned from."""
        progress = contender.progress
        sums = progress.result if progress.result.weight > 0 else progress.trained
        return self._score(sums.average_loss, sums.average_error)

    def _score(self, loss: float | None, error: float | None) -> float:
        """What is compared: lower is better, and what is unknown is worst."""
        score = loss if self.by == "loss" else error
        return math.inf if score is None else score

    def _check_classes(self, batch: Batch) -> None:
        if self.by == "error" and not all(contender.progress.trained.classes for contender in self.at_work):
            raise InputError(
                batch.source, None, None, "labels other than -1 and +1",
                "classes, where settings are compared by error (to compare them by loss, give all one --loss)",
            )  # fmt: skip


def learnable(batch: Batch, held: np.ndarray | None = None) -> np.ndarray:
    """bool[n]: rows that have a label and a weight, and are not held out."""
    labelled = ~np.isnan(batch.y)
    if batch.class_names is not None:
        labelled |= np.array([name is not None for name in batch.class_names], dtype=bool)
    told: np.ndarray = labelled & (batch.weight > 0)
    return told if held is None else told & ~held


def measure(options: Sequence[LearnOptions], by: str | None) -> str:
    """What settings are compared by: `by`, or what suits them. Raises OptionError where nothing does."""
    if not options:
        raise OptionError("no settings: expected at least one")
    if by is not None and by not in BY:
        raise OptionError(f"by {by}: expected one of {', '.join(BY)}")
    losses = dict.fromkeys(_loss_of(each) for each in options)
    if len(losses) == 1:
        return by or "loss"
    text = ", ".join(losses)
    classes = all(each.several or each.loss in (*CLASSIFICATION, "squared") for each in options)
    if by == "loss" or not classes:
        raise OptionError(
            f"the settings have different losses, {text}, whose averages cannot be compared: give one --loss"
            + (", or compare --by error" if classes else "")
        )
    return "error"


def _loss_of(options: LearnOptions) -> str:
    """The loss that is reported, with what it depends on."""
    reported, _ = as_reported(options)
    own = [f" {name} {getattr(options, name):g}" for name, loss in LOSS_OPTIONS.items() if loss == reported]
    return f"{reported}{''.join(own)}"


def tune(
    grid: Mapping[str, Any] | Iterable[Mapping[str, Any]],
    batches: Iterable[Batch],
    text: TextOptions | None = None,
    *,
    fixed: Mapping[str, Any] | None = None,
    **how: Any,
) -> Tuning:
    """Learn all settings of a grid side by side in one pass over `batches`.

    Parameters
    ----------
    grid : dict, or several
        Names of fields of `LearnOptions` with the values to try, as ``{"method": ["nag", "arow"], "alpha": [0.1, 1]}``;
        of several grids all settings. A method is given only the options that it takes.
    batches : iterable of Batch
        As `sonlearn.read_batches` or `sonlearn.from_scipy` give them.
    text : TextOptions or None
        Kept with the model.
    fixed : dict or None
        Options that all settings have.
    how : keywords of `Tuning`
        ``threads``, ``by``, ``halving``, ``skip``.

    Returns
    -------
    Tuning
        ``learner`` is a copy of the best one, ``best.setting`` its setting, ``results`` those of all, the best first.

    Raises
    ------
    OptionError
        A combination contradicts itself, or settings cannot be compared.
    InputError, DivergedError
        As `Tuning.partial_fit`.
    """
    fixed = dict(fixed or {})
    settings = settings_of([grid] if isinstance(grid, Mapping) else grid, fixed).settings
    tuning = Tuning(settings, text, **how)
    for batch in batches:
        tuning.partial_fit(batch)
    return tuning


__all__ = ["Contender", "Due", "Result", "Tuning", "tune"]
