"""Training of several settings on one stream, to find the setting that predicts best.

All settings receive the same rows and predict each row before they learn it, so their progressive losses are
comparable. The best setting's learner equals, to the last bit, the learner that trains alone. Text is parsed once and
features are numbered once for all settings. Several threads train several settings at once; they change no figure.

Successive halving (Jamieson, Talwalkar: Non-stochastic Best Arm Identification and Hyperparameter Optimization, AISTATS
2016): after `halving` labelled rows, and each time their number has doubled, the worse half of the active settings
stops. Of k settings k // 2 stop: those with the highest average over all rows so far; ties stop the later ones in the
grid. The decision falls after exactly that row, however the stream is cut into batches, and in the first pass only,
because later passes repeat the rows. (In the paper each round has its own budget, and arms start again.)
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.arrays import plain
from sonlearn.data.batch import Batch
from sonlearn.data.rows import Rows
from sonlearn.errors import InputError, OptionError, SonlearnError
from sonlearn.learn.delay import without_labels
from sonlearn.learn.learner import Learner, Predicted
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.losses import LOSS_OPTIONS, OF_CLASSES
from sonlearn.report.labels import reported_loss
from sonlearn.report.problem import problem_of, without_held
from sonlearn.report.progress import Row, Schedule
from sonlearn.text.columns import Labelling
from sonlearn.tuning.grid import Setting, settings_of
from sonlearn.views.index import Index, intern

BY = ("loss", "error")
#: Measures of a setting besides (docs/metrics.md): of two classes, of values, of several classes.
MEASURES = (
    "auc", "average_precision", "precision", "recall", "f1", "brier", "calibration_error",
    "rmse", "mae", "r2", "macro_f1",
)  # fmt: skip


class SettingResult(NamedTuple):
    """Result of a setting.

    Attributes
    ----------
    setting : Setting
    loss, error : float or None
        Averages over all rows predicted before they were learned (with several passes: over the holdout of the last
        one, as in the summary of a run); None if there are none.
    examples : int
        Number of rows received.
    seconds : float
        Processor time.
    state : str
        ``whole``: it learned all rows so far; ``stopped``: by halving; ``failed``.
    problem : str
        The error, or the number of refused rows; usually empty.
    measures : dict
        {one of `MEASURES`: its value}, of the same rows as the averages; those that fit the labels.
    """

    setting: Setting
    loss: float | None
    error: float | None
    examples: int
    seconds: float
    state: str
    problem: str
    measures: dict[str, float]


class DueRow(NamedTuple):
    """A row of the progress table: the setting that is best at this row, its figures, and the printed line."""

    setting: Setting
    row: Row
    line: str


class Contender:
    """A setting with its learner and its totals.

    `learner` shares its index with other learners and must not learn by itself; `Tuning.learner` is a copy that may.
    """

    def __init__(self, setting: Setting, learner: Learner, schedule: Schedule, holdout: bool):
        self.setting, self._holdout = setting, holdout
        self.learner: Learner | None = learner  # None after it has stopped, to free its memory
        self._problem = problem_of(setting.options, learner)
        self.progress = self._problem.progress(schedule, holdout)
        self._metrics: Any = self._problem.metrics()
        self._measures: dict[str, float] = {}  # once it has stopped
        self.rows: list[Row] = []  # rows of the table that wait for the other settings
        self.seconds, self.refused = 0.0, 0  # rows that it could not learn from, or whose label does not fit
        self.failure: SonlearnError | None = None

    def take(self, batch: Batch, held: np.ndarray | None, outcome: Predicted | SonlearnError) -> None:
        """Count the outcome of a batch."""
        self.refused = self.learner.refused_rows if self.learner is not None else self.refused
        if isinstance(outcome, SonlearnError):
            self.failure = outcome
            self.stop()
            return
        counted = self._problem.outcome(batch, held, outcome)
        self.rows += self.progress.rows(counted)
        self._metrics.count(counted.y, counted.weight, counted.predicted, self.progress.counted(counted))

    def next_pass(self) -> None:
        """Another pass begins; with a holdout, results are of that pass's held-out rows alone."""
        self.progress.next_pass()
        if self.learner is not None:
            self.learner.next_pass()
            self._metrics = self._problem.metrics() if self._holdout else self._metrics

    def stop(self) -> None:
        """Learn no more: only figures stay."""
        self._measures = self.measures
        self._metrics = self.learner = self._problem.learner = None

    @property
    def measures(self) -> dict[str, float]:
        """See `SettingResult`."""
        result = (self._metrics.result() if self._metrics is not None else None) or {}
        found = {**result, **{name: (result.get("decided") or {}).get(name) for name in ("precision", "recall", "f1")}}
        return {name: found[name] for name in MEASURES if found.get(name) is not None} or self._measures

    @property
    def result(self) -> SettingResult:
        """The result so far."""
        sums = self.progress.result
        state = "failed" if self.failure else "stopped" if self.learner is None else "whole"
        problem = str(self.failure or "")
        if self.refused:
            problem = problem or f"rows that it could not learn from: {self.refused}"
        examples = self.progress.examples + self.progress.held_examples
        return SettingResult(
            self.setting, sums.average_loss, sums.average_error, examples, self.seconds, state, problem, self.measures
        )


class Tuning:
    """Trains several settings on a stream.

    Parameters
    ----------
    settings : sequence of Setting
    text : TextOptions
        Stored with the models.
    threads : int
        Number of settings that may learn at the same time.
    by : str or None
        Criterion: ``loss`` or ``error``; None: the loss, unless settings have different losses.
    halving : int or None
        The worse half stops after so many labelled rows, and at each doubling; None: all learn to the end.
    schedule : Schedule
        When a row of the table is due.
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
        self.by = criterion([setting.options for setting in settings], by)
        own = threads if len(settings) < threads else 1  # threads within a learner pay when there are few learners
        self.contenders = [
            Contender(setting, Learner(setting.options, text, threads=own), schedule, holdout) for setting in settings
        ]
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._skip, self._labelled, self._pass = skip, 0, 1
        self._next = math.inf if halving is None else halving  # row after which the worse half stops
        if halving is not None and halving < 1:
            raise OptionError(f"halving {halving}: expected at least 1")
        if any(setting.options.label_delay for setting in settings):
            raise OptionError("--label-delay among settings: to them labels come at once; leave it out")

    def partial_fit(self, batch: Batch, held: np.ndarray | None = None) -> list[DueRow]:
        """Learn a batch; returns the rows of the table that are due, each with the figures of the best setting.

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
            The error of the last active setting.
        """
        due, start = [], 0
        while start < batch.n:
            stop = self._end_of_round(batch, held, start)
            part = batch.part(start, stop)
            due += self._learn(part, None if held is None else held[start:stop])
            self._labelled += int(learnable(part, None if held is None else held[start:stop]).sum())
            if self._halves and self._labelled == self._next:
                ranked = sorted(self.at_work, key=self._standing)
                for contender in ranked[(len(ranked) + 1) // 2 :]:
                    contender.stop()
                self._next *= 2
            start = stop
        return due

    def next_pass(self) -> None:
        """Record that the next rows have been learned before."""
        self._pass += 1
        for contender in self.contenders:
            contender.next_pass()

    @property
    def best(self) -> Contender:
        """The best active setting; the first one of a tie, and before the first label."""
        return min(self.at_work, key=self._standing)

    @property
    def learner(self) -> Learner:
        """A copy of the best setting's learner, which may continue by itself."""
        learner = self.best.learner
        assert learner is not None
        return learner.copy(threads=self._threads)

    @property
    def at_work(self) -> list[Contender]:
        """The active settings: those that have neither stopped nor failed."""
        return [contender for contender in self.contenders if contender.learner is not None]

    @property
    def results(self) -> list[SettingResult]:
        """Results of all settings: active ones from the best on, stopped ones from the last on, then failed ones."""
        order = ["whole", "stopped", "failed"]

        def place(contender: Contender) -> tuple[int, int, float]:
            result = contender.result
            state = order.index(result.state)
            return state, -result.examples if state else 0, self._standing(contender)

        return [contender.result for contender in sorted(self.contenders, key=place)]

    # -- how ---------------------------------------------------------------------------------------------------------

    def _learn(self, batch: Batch, held: np.ndarray | None) -> list[DueRow]:
        """Let each active setting learn a batch as it would alone.

        Labels are converted once and features numbered once, in an index that the learners share.
        """
        working = self.at_work
        learners = [contender.learner for contender in working if contender.learner is not None]
        shown = without_held(batch, held)
        if self._skip:  # a row whose label does not fit one of the learners is learned by none
            shown = without_labels(shown, np.logical_or.reduce([learner.unfit(shown) for learner in learners]))
        coded: dict[str, tuple[Any, np.ndarray]] = {}
        for learner in learners:
            if learner.labels.kind not in coded:
                coded[learner.labels.kind] = learner.labels, learner.coded(shown, remember=True)
        numbered: dict[bool, tuple[Rows, Index]] = {}
        for learner in learners:
            if learner.counts_unknown not in numbered:
                y = coded[learner.labels.kind][1]  # any labels will do: the same rows have one
                numbered[learner.counts_unknown] = intern(shown._replace(y=y), learner.index, learner.counts_unknown)

        def learn_one(i: int) -> None:
            started, learner = time.thread_time(), learners[i]
            rows, learner.index = numbered[learner.counts_unknown]
            learner.labels, y = coded[learner.labels.kind]
            try:
                outcome: Predicted | SonlearnError = learner.fit_rows(shown, rows._replace(y=plain(y)), self._skip)
            except SonlearnError as error:
                outcome = error
            working[i].take(batch, held, outcome)
            working[i].seconds += time.thread_time() - started

        # The slowest settings start first, so that no thread waits long for the last one.
        order = sorted(range(len(working)), key=lambda i: -working[i].seconds)
        list((self._pool.map if self._pool else map)(learn_one, order))
        if not self.at_work:
            raise next(contender.failure for contender in working if contender.failure is not None)
        self._check_classes(batch)
        return self._due()

    def _due(self) -> list[DueRow]:
        """Rows of the table that all active settings have reached, each with the figures of the best setting."""
        working, due = self.at_work, []
        while all(contender.rows for contender in working):
            rows = [(contender, contender.rows.pop(0)) for contender in working]
            best, row = min(rows, key=lambda pair: ranking_score(self.by, pair[1].loss, pair[1].error))
            due.append(DueRow(best.setting, row, best.progress.line(row)))
        return due

    @property
    def _halves(self) -> bool:
        return self._next < math.inf and self._pass == 1 and len(self.at_work) > 1

    def _end_of_round(self, batch: Batch, held: np.ndarray | None, start: int) -> int:
        """Row to stop at, so that halving happens after the same row however the stream is cut into batches."""
        if not self._halves:
            return batch.n
        labelled_rows = np.cumsum(learnable(batch, held)[start:])
        remaining = self._next - self._labelled
        return start + int(np.searchsorted(labelled_rows, remaining)) + 1 if labelled_rows[-1] >= remaining else batch.n

    def _standing(self, contender: Contender) -> float:
        """Its score; in a later pass, before the first held-out row, the score of the rows it learned."""
        progress = contender.progress
        sums = progress.result if progress.result.weight > 0 else progress.trained
        return ranking_score(self.by, sums.average_loss, sums.average_error)

    def _check_classes(self, batch: Batch) -> None:
        if self.by == "error" and not all(contender.progress.trained.classes for contender in self.at_work):
            remedy = "classes, where settings are compared by error (to compare them by loss, give all one --loss)"
            raise InputError(batch.source, "labels other than -1 and +1", remedy)


def ranking_score(by: str, loss: float | None, error: float | None) -> float:
    """The criterion `by`: lower is better, and an unknown value is worst."""
    score = loss if by == "loss" else error
    return math.inf if score is None else score


def learnable(batch: Batch, held: np.ndarray | None = None) -> np.ndarray:
    """bool[n]: rows with a label and a weight that are not held out."""
    rows: np.ndarray = (~np.isnan(batch.y) | batch.named) & (batch.weight > 0)
    return rows if held is None else rows & ~held


def criterion(options: Sequence[LearnOptions], by: str | None) -> str:
    """The criterion: `by`, or a suitable one. Raises OptionError if there is none."""
    if not options:
        raise OptionError("no settings: expected at least one")
    if by is not None and by not in BY:
        raise OptionError(f"by {by}: expected one of {', '.join(BY)}")
    losses = dict.fromkeys(_loss_of(each) for each in options)
    if len(losses) == 1:
        return by or "loss"
    text = ", ".join(losses)
    classes = all(each.kind != "values" or each.loss in OF_CLASSES for each in options)
    if by == "loss" or not classes:
        raise OptionError(
            f"the settings have different losses, {text}, whose averages cannot be compared: give one --loss"
            + (", or compare --by error" if classes else "")
        )
    return "error"


def labelling(settings: Sequence[Setting]) -> Labelling:
    """Return what is asked of labels that all settings learn."""
    each = [Labelling.of(setting.options, named=None) for setting in settings]
    return each[0]._replace(words=all(one.words for one in each))


def _loss_of(options: LearnOptions) -> str:
    """The reported loss, with its parameters."""
    reported = reported_loss(options)
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
    """Train all settings of a grid in one pass over `batches`.

    Parameters
    ----------
    grid : dict, or several
        Names of fields of `LearnOptions` with the values to try, as ``{"method": ["nag", "arow"], "alpha": [0.1, 1]}``;
        several grids: the settings of all of them. A method gets only the options that it takes.
    batches : iterable of Batch
        As from `sonlearn.read_batches` or `sonlearn.from_scipy`.
    text : TextOptions or None
        Stored with the model.
    fixed : dict or None
        Options of all settings.
    how : keywords of `Tuning`
        ``threads``, ``by``, ``halving``, ``skip``.

    Returns
    -------
    Tuning
        ``learner`` is a copy of the best learner, ``best.setting`` its setting, ``results`` lists all, the best first.

    Raises
    ------
    OptionError
        A combination is contradictory, or the settings cannot be compared.
    InputError, DivergedError
        As `Tuning.partial_fit`.
    """
    tuning = Tuning(settings_of(grid, fixed or {}).settings, text, **how)
    for batch in batches:
        tuning.partial_fit(batch)
    return tuning
