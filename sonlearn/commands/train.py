"""``sonlearn train`` and ``sonlearn predict``: read -> learn or predict -> report. Nothing else is done here."""

from __future__ import annotations

import contextlib
import ctypes
import dataclasses
import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sonlearn.commands import models
from sonlearn.commands.checks import check_output, check_run
from sonlearn.commands.inspect import inverted
from sonlearn.commands.line import Line
from sonlearn.commands.messages import refused_warning, warn
from sonlearn.commands.session import ROWS_TO_WARN, Session
from sonlearn.data.batch import Batch, cut
from sonlearn.errors import InputError, OptionError, shorten
from sonlearn.files.atomic import whole_output
from sonlearn.learn.learner import Learner, Predicted
from sonlearn.options import LearnOptions, RunOptions, TextOptions
from sonlearn.options.bandit import SHARED, BanditOptions
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.spec import raw
from sonlearn.options.text import NAMESPACED, OF_TABLES, TABLES
from sonlearn.report.audit import Audit
from sonlearn.report.labels import MIN_EXAMPLES, scale_note, six_digits
from sonlearn.report.problem import problem_of, without_held
from sonlearn.report.progress import Progress
from sonlearn.text.columns import Labelling, first_names, no_labels

#: How many times the least holdout loss of a pass the last one's is before a word is said.
OVERFIT_RATIO = 1.05
UNLABELLED = "no example has a label and an importance above 0, so nothing was learned"


def command(line: Line) -> int:
    """Train or predict as the command line says; return the exit status.

    Raises SonlearnError or OSError, and nothing has been saved.
    """
    options, bandit = options_of(line)
    if of_decisions(options, bandit):
        from sonlearn.commands.bandit import BanditSession, check

        check(options)
        return BanditSession(line.given, bandit, options).run()
    check_run(options)
    return TrainingSession(line.given, options).run()


def options_of(line: Line) -> tuple[RunOptions, dict[str, Any]]:
    """(options of the run, those of decisions that were given). Raises OptionError."""
    options = line.running()
    if line.verb == "predict":
        if options.initial_regressor is None:
            raise OptionError("predict needs a model; give -i MODEL")
        predictions = options.predictions or (None if options.audit else "-")
        options = dataclasses.replace(options, testonly=True, predictions=predictions)
    return options, line.take(BanditOptions, *SHARED)


def of_decisions(options: RunOptions, bandit: dict[str, Any]) -> bool:
    """Return whether decisions are learned, or a run begins with a model of them."""
    return bool(bandit) or models.is_bandit(models.initial_model(options))


#: Scores held of a batch, rows times classes; rows of a part at least.
MAX_SCORES, MIN_ROWS = 1 << 22, 64
#: So many times as much text is a committee's batch where lines are long: what it does for a batch beside its rows took
#: a fifth of its time with some 400 rows a batch. Other learners would only need more memory.
LONG_LINE_FACTOR = 2
#: `mallopt` of glibc: what it is asked to set, by the numbers of <malloc.h>.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
#: Freed bytes at the end of the heap that are kept. A batch of rows as a view shows them takes 1 to 4 MB.
HEAP_BYTES_KEPT = 8 << 20
#: Larger blocks are mapped by themselves, and given back when they are freed.
MMAP_BYTES = 4 << 20


class TrainingSession(Session):
    """One run under way: the learner, its totals, and where they are written.

    Parameters
    ----------
    given : dict
        Learning and text options that were given on the command line, by field name.
    options : RunOptions
    """

    def __init__(self, given: dict[str, Any], options: RunOptions):
        self.cores = cores_of(options)
        model, self.learn, self.text = models.run_model(options, given, self.cores)
        check_output(options, self.learn)
        # A model's own format is checked against the data's, so that other data are not called malformed. CSV cannot be
        # told from text by looking.
        own = "csv" if self.text.format in TABLES else "auto"
        named = bool(options.audit or options.invert_hash) or (False if options.testonly else self.text.names)
        read_as = dataclasses.replace(models.written_as(self.text, given, own), names=named)
        if model.path is not None and read_as.format == "vw":  # what a model of JSON has of members is not of VW text
            kept = {name: tuple(b for b in getattr(read_as, name) if len(b) == 1) for name in ("ignore", "keep")}
            none = {name: type(getattr(read_as, name))() for name in ("label", *OF_TABLES)}
            read_as = dataclasses.replace(read_as, **none, **kept)
        super().__init__(options, read_as, problem_of(self.learn), model)
        self.labelling = Labelling.of(self.learn, not options.testonly, self.learner and self.learner.labels.worded)
        self.stretch = LONG_LINE_FACTOR if self.learn.method == "committee" else 1
        if self.learn.method == "committee" and self.cores > 1:  # with one thread no memory is given back in between
            keep_freed_memory()
        if self.learner is not None and options.testonly:
            self.columns = self.learner.columns.frozen(self.names.known)
            self.columns.of_objects = self.text.format in NAMESPACED
        self.audit = Audit(options, self.names) if options.audit else None
        self.values = DistinctLabels(self.learn)
        self.truth_spellings = set[bool]()  # whether labels 1 and 0 are written as words, true and false
        self.best: tuple[float, int, Learner | None] | None = None  # least holdout loss of a pass, its number and model

    def ends_early(self, number: int) -> bool:
        """Return whether pass `number` is one too many without a fall of the holdout loss, as VW's --early_terminate.

        Then, and behind the last pass, the learner is that of the best one.
        """
        loss, patience, passes = self.progress.held_loss, self.options.early_terminate, self.options.passes
        if self.learner is None or loss is None:
            return False
        if self.best is None or loss < self.best[0]:
            self.best = loss, number, None if patience is None else self.learner.copy()
        least, best, learner = self.best
        if learner is None or patience is None:
            if number == passes and loss > OVERFIT_RATIO * least:
                warn(f"the holdout loss was least in pass {best}; --early_terminate 3 keeps that pass's model")
            return False
        if number == best or (number < passes and number - best < patience):
            return False
        self.learner = self.problem.learner = learner.copy(threads=self.cores)
        self.learner.columns = self.columns
        self.say(f"the holdout loss has not fallen since pass {best} ({six_digits(least)}), whose model is kept")
        return True

    def begin(self, format: str, batch: Batch, cache: str) -> None:
        """Make the learner, whose features depend on their format, and print the header, with a line on the cache."""
        check_output(self.options, self.learn)  # again: the first labels may have shown several classes
        text = dataclasses.replace(self.text, format=format).with_inferred(self.read_as)
        learner = self.learner or Learner(self.learn, text, threads=self.cores)
        models.check_format(format, batch.source, learner.text, self.from_model)
        if format in TABLES and not self.options.testonly:
            columns = first_names(self.columns.known)
            if not learner.text.label:
                raise InputError(batch.source, f"the columns {columns}", "one that is the label: --label COLUMN")
            if not columns:
                raise InputError(batch.source, "no column to learn from", "one that no flag leaves out")
            self.warn_of_columns()
        if self.began.number == 1:
            learner.next_pass(again=False)
        self.begin_with(learner, [models.settings_text(learner.options)], cache)

    def learn_classes(self) -> None:
        """Learn several classes in the place of two. Raises OptionError: an option is against it."""
        learn = dataclasses.replace(self.learn, classes="auto")
        self.learn, self.values = learn, DistinctLabels(learn)
        self.set_problem(problem_of(learn))

    def warn_of_columns(self) -> None:
        """Name columns of the first file that are not to be learned as they are, before all is learned; no pipe's."""
        if os.path.isfile(self.sources[0]) and self.joined is None:
            from sonlearn.text.describe import early_warnings

            with contextlib.suppress(InputError):  # a file without rows has nothing to warn of
                warn(*early_warnings(self.sources[0], self.read_as))

    def record(self, ending: str) -> None:
        """Write the weights by name, and what is kept of any run."""
        super().record(ending)
        if self.options.invert_hash and self.learner is not None:
            with whole_output(self.options.invert_hash) as file:
                for line in inverted(self.learner, self.names):
                    file.write(raw(line) + b"\n")

    def next_pass(self, learns: bool) -> None:
        """Another pass begins."""
        self.progress.next_pass()
        if self.holdout and self.learner is not None:  # results are of this pass's held-out examples alone
            self.metrics = self.problem.metrics()
        if learns and self.learner is not None:
            self.learner.next_pass()

    def batches(self, rows: Iterable[Batch]) -> Iterator[Batch]:
        """The same rows, one by one where each is explained; of many classes so many that their scores are bounded."""
        alone = self.audit is not None and not self.options.testonly

        def end(batch: Batch, start: int) -> int:
            classes = len(self.problem.labels) if self.learner is not None else 1
            return start + (1 if alone else max(MAX_SCORES // max(classes, 1), MIN_ROWS))

        return cut(rows, end)

    def learn_from(self, batch: Batch, held: np.ndarray | None) -> Predicted:
        """Predict a batch, and learn from it what is to be learned."""
        if self.audit:
            self.audit.write(self.problem, batch)
        if self.options.testonly:
            return self.predicted(batch)
        warning = self.values.warning(batch)
        if warning:
            warn(warning)
        self.truth_spellings |= kinds_of_truth(batch)
        return self.learner.partial_fit(without_held(batch, held), skip=self.options.on_error == "skip")

    def nothing_learned(self) -> tuple[str, str]:
        """Return what was found in the place of labels, and what to do."""
        if self.joined is not None and self.joined.nothing:
            return self.joined.nothing, "ids written alike; nothing was learned, and no model was saved"
        if self.learn.label_delay >= self.progress.examples:
            found = f"no more examples than --label_delay {self.learn.label_delay}"
            return found, "more, or a shorter delay; nothing was learned, and no model was saved"
        return unlabelled(self.learner.text)

    def warnings(self) -> list[str]:
        """Return what is to be known of a run that has come to its end."""
        found = super().warnings()
        if self.learner is not None:
            found += refused_warning(self.learner.refused_rows, self.learner.first_refused)
        if self.progress.unlearned:
            counts = "each counts as an error, and not in the loss"
            found.append(f"examples of labels that the model has not learned: {self.progress.unlearned}; {counts}")
        if self.progress.examples and not self.progress.labelled and not self.options.testonly:
            found.append(UNLABELLED)
        if len(self.truth_spellings) > 1:
            found.append("some labels are true or false, some 1 or 0: true counts as 1")
        if self.learner is not None:
            found += link_without_sense(self.learner.options)
        if not self.options.testonly:
            found += worse_than_a_constant(self.learn, self.progress) + unlike_classes(self.learner)
            if self.learn.threshold is not None and not self.progress.trained.classes:
                found.append(f"--threshold {self.learn.threshold}: labels are values, so predictions are no classes")
        if (
            self.metrics is not None
            and self.progress.examples >= ROWS_TO_WARN
            and not (self.options.testonly or self.before)
        ):
            found += filter(None, (self.metrics.single_label(),))
        if self.metrics is not None and self.progress.examples >= MIN_EXAMPLES:
            found += filter(None, (self.metrics.never_positive(),))
            if not self.options.testonly:
                found += filter(None, (self.progress.labels.order_note(self.progress.trained.classes),))
                if self.learner is not None and self.options.passes == 1:
                    found += self.learner.columns.order_notes()
        return found


class DistinctLabels:
    """Notices, early in a run, labels of ``--classes auto`` that look like values and not like classes.

    Parameters
    ----------
    learn : LearnOptions
    """

    #: Rows that are looked at, and different whole numbers among their labels beyond which these are hardly classes.
    ROWS, MOST = 2000, 200

    def __init__(self, learn: LearnOptions):
        self._found: set[float] = set()
        self._rows = 0 if learn.classes is not None else self.ROWS

    def warning(self, batch: Batch) -> str:
        """Return what is to be said after these rows; empty: nothing, or it has been said."""
        if self._rows >= self.ROWS or batch.class_names is not None:
            return ""
        y = batch.y[: self.ROWS - self._rows]
        self._rows += len(y)
        self._found.update(y[~np.isnan(y)].tolist())
        if len(self._found) <= self.MOST:
            return ""
        rows, self._rows = self._rows, self.ROWS
        return (
            f"{len(self._found)} different labels in the first {rows} rows, each a class (--classes auto): if they are "
            "values, give --loss squared in its place; if they number the rows, name another label"
        )


def kinds_of_truth(batch: Batch) -> set[bool]:
    """Return whether labels that are 1 or 0 are written as words: of each that is there."""
    given = (batch.y == 0) | (batch.y == 1)
    if batch.class_names is None:
        return {False} if given.any() else set()
    return {name is not None for name, one in zip(batch.class_names, given.tolist(), strict=True) if one}


def unlike_classes(learner: Learner | None) -> list[str]:
    """Return what to say of classes that nobody named: one looks like no label, or some are names and some numbers."""
    if learner is None or learner.options.classes != "auto":
        return []
    names = [label for label in learner.classes if isinstance(label, str)]
    found = no_labels(names)
    if 0 < len(names) < len(learner.classes) and not found:
        found.append(f"some classes are whole numbers, some are names ({first_names(names)})")
    return found


def link_without_sense(options: LearnOptions) -> list[str]:
    """Return what to say of a link that does not fit the loss."""
    loss = {"logistic": "logistic", "glf1": "logistic", "poisson": "poisson"}.get(options.link)
    if loss in (None, options.loss):
        return []
    told = "a value" if options.loss not in CLASSIFICATION else "no log-odds"
    return [f"--link {options.link}: with --loss {options.loss} a prediction is {told}; learn with --loss {loss}"]


def worse_than_a_constant(learn: LearnOptions, progress: Progress) -> list[str]:
    """`scale_note` of a run, as lines."""
    totals = progress.totals()
    loss, constant = totals["loss"], totals["constant"]
    if loss is None or constant is None or constant["error"] is not None:
        return []
    return [*filter(None, [scale_note(learn.method, totals["examples"], loss, constant)])]


def cores_of(options: RunOptions) -> int:
    """Threads that learn."""
    return options.threads if options.threads is not None else os.cpu_count() or 1


def keep_freed_memory() -> bool:
    """Have freed memory used again; return whether the allocator is one that can be told so (glibc's).

    Each batch allocates what the one before has freed. Left to itself, glibc gives such memory back to the system and
    asks for it again, page by page, which took a tenth of the time of a committee with two threads. One heap for all
    threads holds less than one for each, and there is next to no contention: kernels do not allocate.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # no glibc; on Windows a library has to be named
        return False
    settings = {_ARENA_MAX: 1, _TRIM_THRESHOLD: HEAP_BYTES_KEPT, _MMAP_THRESHOLD: MMAP_BYTES}
    return [mallopt(what, value) for what, value in settings.items()] == [1, 1, 1]


def unlabelled(text: TextOptions) -> tuple[str, str]:
    """(what was found, what to do) where no example has a label and an importance above 0, so nothing was learned."""
    found = "no example that has a label and an importance above 0"
    if text.label:
        return found, f"labels in {shorten(text.label)} (--label); nothing was learned, and no model was saved"
    remedy = {"json": "_label in each object, or the member that --label names", "vw": "a label before the first bar"}
    what = remedy.get(text.format, "a label at the beginning of each line")
    return found, f"{what}; nothing was learned, and no model was saved"
