"""Work on one partition of the data. Errors in the data are returned as `problem`, not raised.

Each function depends on its arguments alone and does not modify them. So if a worker dies, another one repeats its
partition with the same result.

Workers of ``--cluster local`` load this module first, for `dask_setup`.
"""

from __future__ import annotations

import copy
import dataclasses
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sonlearn.cluster.partitions import SETTLED, PartitionReader, check_labels, with_file_line
from sonlearn.data.batch import Batch, between
from sonlearn.errors import SonlearnError
from sonlearn.jit import without_numba
from sonlearn.learn.learner import Learner, Predicted
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.text import HASHED
from sonlearn.report.problem import problem_of
from sonlearn.report.progress import Progress
from sonlearn.sketch.rules import SketchOptions
from sonlearn.text.columns import ColumnTable, Labelling, are_classes
from sonlearn.text.malformed import SHOWN_ERRORS
from sonlearn.text.names import NameTable

if TYPE_CHECKING:
    from sonlearn.sketch.base import Sketch


@dataclass(frozen=True)
class Reading:
    """How partitions are read: see `sonlearn.text.read.Reader`."""

    text: TextOptions
    on_error: str = "stop"
    max_errors: int | None = None
    labels: Labelling = field(default_factory=Labelling)

    def reader(
        self, part: Any, number: int, names: NameTable | None = None, columns: ColumnTable | None = None,
        infers: bool = False,
    ) -> PartitionReader:  # fmt: skip
        """The reader of a partition; `number` counts the partitions from 1 on; `infers`: how columns are read."""
        return PartitionReader(
            part, self.text, f"<partition {number}>", on_error=self.on_error, max_errors=self.max_errors, names=names,
            labels=self.labels, columns=columns, usual=True, texts=infers,
        )  # fmt: skip


@dataclass
class PartResult:
    """Base of the results: how reading the partitions went.

    Attributes
    ----------
    problem : SonlearnError or None
        The error that ended the work early.
    malformed : bool
        Whether that is of a malformed line.
    skipped : int
        Number of malformed lines left out.
    errors : list of SonlearnError
        The first of them.
    left : list of str
        Tags of malformed lines behind the last row of a part.
    refused : int
        Number of rows that could not be learned from.
    first_refused : SonlearnError or None
        The first of them.
    notes : list of str
        What is to be said of the partitions.
    """

    problem: SonlearnError | None = None
    malformed: bool = False
    skipped: int = 0
    errors: list[SonlearnError] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    refused: int = 0
    first_refused: SonlearnError | None = None
    notes: list[str] = field(default_factory=list)

    def read(self, reader: PartitionReader) -> Iterator[Batch]:
        """The batches of a partition, up to the first error."""
        try:
            yield from reader
        except SonlearnError as error:
            self.problem, self.malformed = with_file_line(error, reader.part), error is reader.malformed.fatal
        self.skipped += reader.malformed.count
        self.left = reader.malformed.tags
        self.notes = list(dict.fromkeys([*self.notes, *reader.notes]))
        more = reader.malformed.errors[: SHOWN_ERRORS - len(self.errors)]
        self.errors += [with_file_line(error, reader.part) for error in more]


def merged_counts(every: Sequence[PartResult]) -> dict[str, Any]:
    """Return how reading went in all of these, as the fields of `PartResult`, but for tags."""
    return {
        "problem": next((done.problem for done in every if done.problem), None),
        "skipped": sum(done.skipped for done in every),
        "errors": [error for done in every for error in done.errors][:SHOWN_ERRORS],
        "refused": sum(done.refused for done in every),
        "first_refused": next((done.first_refused for done in every if done.first_refused), None),
        "notes": list(dict.fromkeys(note for done in every for note in done.notes)),
    }


def format_of(reading: Reading, part: Any, infers: bool = False) -> tuple[Reading | None, SonlearnError | None]:
    """(how a partition's examples are read or None without examples, error in the first of them or None).

    `infers`: whether the first rows tell how columns are read, and whether labels are names of several classes.
    """
    reader, done, labels = reading.reader(part, 1, infers=infers), PartResult(), reading.labels
    first = next(done.read(reader), None)
    if reader.format is None:
        return None, done.problem
    if infers and first is not None and are_classes(first, labels, reader.options):
        labels = labels._replace(names=True)
    format = reader.format if reading.text.format == "auto" else reading.text.format
    text = dataclasses.replace(reader.options, format=format)
    return dataclasses.replace(reading, text=text, labels=labels), done.problem


# ------------------------------------------------------------------------------------------------------- sketches


@dataclass(kw_only=True)
class Sketched(PartResult):
    """The sketch of some partitions, of all of them where there is no problem."""

    sketch: Sketch


def sketch_partition(reading: Reading, options: SketchOptions, zero_based: bool, number: int, part: Any) -> Sketched:
    """Sketch a partition; each partition has its own random numbers."""
    from sonlearn.sketch.make import make_sketch, take  # which need SciPy, a quarter of a worker's start

    if options.seed is not None or options.method in ("gauss", "sign", "sample"):
        options = dataclasses.replace(options, seed=(options.seed or 0) + number - 1)
    done = Sketched(sketch=make_sketch(options.method, options.size, **options.values()))
    reader = reading.reader(part, number)
    try:
        for batch in done.read(reader):
            take(done.sketch, batch, 0 if zero_based or reader.format in HASHED else 1)
    except SonlearnError as error:
        done.problem = with_file_line(error, part)
    return done


def merge_sketches(one: Sketched, other: Sketched) -> Sketched:
    """The merged sketch of both; the first problem, if there is one."""
    merged = Sketched(sketch=copy.deepcopy(one.sketch), **merged_counts((one, other)))
    if merged.problem is None:
        merged.sketch.merge(other.sketch)
    return merged


# ------------------------------------------------------------------------------------------------------- learners


class LearnJob(NamedTuple):
    """Options of a learner, and how its partitions are read."""

    options: LearnOptions
    reading: Reading


@dataclass
class LearnedPartition(PartResult):
    """A learner of some partitions, as header and arrays, and the progress over its rows."""

    header: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    names: dict[int, list[str]] = field(default_factory=dict)
    progress: Progress | None = None

    def learner(self) -> Learner:
        """The learner, with arrays of its own."""
        return Learner.from_arrays(self.header, {name: np.array(array) for name, array in self.arrays.items()})

    def read_only_learner(self) -> Learner:
        """The learner, with these very arrays: to be merged from, not to be changed."""
        arrays = {name: array if array.flags.writeable else np.array(array) for name, array in self.arrays.items()}
        return Learner.from_arrays(self.header, arrays)


def initial(learner: Learner) -> LearnedPartition:
    """The starting point for continuing `learner`."""
    header, arrays = learner.to_arrays()
    return LearnedPartition(header=header, arrays=arrays, progress=problem_of(learner.options).progress())


class Span(NamedTuple):
    """Rows of a partition, those without a label included."""

    start: int = 0
    stop: int | None = None


def learn_rows(
    job: LearnJob, number: int, span: Span, part: Any, before: LearnedPartition | None,
    learn: Callable[..., Any] = Learner.partial_fit,
) -> LearnedPartition:  # fmt: skip
    """Learn some rows of a partition after `before` (None: with a new learner), by a method of the learner.

    Of a partition of which these are the first rows, malformed lines are not counted: that is done with the others.
    """
    if before is not None and before.problem is not None:
        return before
    after, learner, names = _continued(job, before)
    skipped, errors = after.skipped, list(after.errors)
    try:
        check_labels(part, job.reading.text, f"<partition {number}>")
        for batch in between(after.read(job.reading.reader(part, number, names, learner.columns)), *span):
            predicted = learn(learner, batch, skip=job.reading.on_error == "skip")
            after.progress.update(problem_of(learner.options).outcome(batch, None, predicted))
    except SonlearnError as error:
        after.problem = with_file_line(error, part)
    if span.stop is not None:
        after.skipped, after.errors = skipped, errors
    if learner.first_refused is not None:  # of this partition: it has come to it with none
        after.refused += learner.refused_rows
        after.first_refused = after.first_refused or with_file_line(learner.first_refused, part)
    after.header, after.arrays = learner.to_arrays()
    after.names = names.known
    return after


def begin_round(base: LearnedPartition, before: LearnedPartition | None) -> LearnedPartition:
    """The merged learner `base`, to be gone on with by the learner whose progress so far is that of `before`."""
    own = {"problem": base.problem, "header": base.header, "arrays": base.arrays, "names": base.names}
    return dataclasses.replace(before or LearnedPartition(), **own)


def without_state(done: LearnedPartition) -> LearnedPartition:
    """Return how the work went, alone."""
    return dataclasses.replace(done, header={}, arrays={}, names={})


def merge_learned(
    base: LearnedPartition | None, previous: LearnedPartition | None, *learned: LearnedPartition
) -> LearnedPartition:
    """The learners merged, which began with `base` (None: with nothing); the first problem, if there is one.

    Parameters
    ----------
    previous : with which the round before began, in which several learned: the merged learner's weights go on as they
        moved since then; None: there was none, or others are still to be merged
    """
    for done in learned:
        if done.problem is not None:
            return without_state(done)
    out = LearnedPartition()
    try:
        began = base and base.read_only_learner()
        merged = Learner.merge([each.read_only_learner() for each in learned], began)
        if began is not None and previous is not None:
            merged.carry_on(began, previous.read_only_learner())
    except SonlearnError as error:
        out.problem = error
        return out
    names = NameTable()
    for each in learned:
        names.join(each.names)
    out.header, out.arrays = merged.to_arrays()
    out.names = names.known
    return out


def settled(job: LearnJob, number: int, span: Span, part: Any, merged: LearnedPartition) -> LearnedPartition:
    """A merged learner after some rows of a partition, which has settled on them if it has learned from many rows.

    Averaged weights then predict better than weights that go on learning. After few rows averages are too small.
    """
    settles = merged.header.get("examples", 0) >= SETTLED
    return learn_rows(job, number, span, part, merged, Learner.settle if settles else Learner.partial_fit)


def _continued(job: LearnJob, before: LearnedPartition | None) -> tuple[LearnedPartition, Learner, NameTable]:
    """(result to fill in, the learner, names so far), which share no memory with `before`."""
    if before is not None:
        after = dataclasses.replace(without_state(before), errors=list(before.errors), left=[])
        after.progress = copy.deepcopy(before.progress or problem_of(job.options).progress())
        return after, before.learner(), NameTable(copy.deepcopy(before.names))
    learner = Learner(job.options, job.reading.text)
    return LearnedPartition(progress=problem_of(job.options).progress()), learner, NameTable()


# ------------------------------------------------------------------------------------------------------- predictions


@dataclass
class PredictedPart(PartResult):
    """Predictions of a partition: batches without features, each with its predictions."""

    batches: list[tuple[Batch, Predicted]] = field(default_factory=list)


def predict_partition(model: LearnedPartition, reading: Reading, number: int, part: Any) -> PredictedPart:
    """Predict the rows of a partition."""
    learner, done = model.learner(), PredictedPart()
    reader = reading.reader(part, number, columns=learner.columns.frozen())
    try:
        for batch in done.read(reader):
            featureless = batch._replace(indices=batch.indices[:0], values=batch.values[:0], marks=None)
            done.batches.append((featureless, learner.predict(batch)))
    except SonlearnError as error:
        done.problem = with_file_line(error, part)
    return done


def dask_setup(worker: Any) -> None:
    """Called by Dask in each worker process: it ignores Ctrl-C, since the process that started it ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    without_numba()
