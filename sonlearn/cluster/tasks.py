"""What a worker does with one part of the data. Nothing is raised but bugs: what is wrong comes back as `problem`.

Each function is a function of its arguments alone and changes none of them, so that a part whose worker has died can be
done again by another one, with the same result.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from sonlearn.cluster.partitions import PartitionReader, check_labels, placed
from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, OptionError, SonlearnError
from sonlearn.learn.learner import Learner, Predicted, PredictedClass
from sonlearn.learn.merge import PartitionPredictions, Tally
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.text import HASHED
from sonlearn.report.labels import as_reported
from sonlearn.report.outcomes import outcome_of
from sonlearn.report.progress import Progress
from sonlearn.sketch.base import Sketch
from sonlearn.sketch.batches import take
from sonlearn.sketch.make import make_sketch
from sonlearn.sketch.options import SketchOptions
from sonlearn.text.columns import Labelling
from sonlearn.text.names import NameTable


@dataclass(frozen=True)
class Reading:
    """How parts are read: see `sonlearn.text.read.Reader`."""

    text: TextOptions
    on_error: str = "stop"
    max_errors: int | None = None
    labels: Labelling = field(default_factory=Labelling)

    def reader(self, part: Any, number: int, names: NameTable | None = None) -> PartitionReader:
        """What reads a part; `number` is its place among the parts, from 1 on."""
        return PartitionReader(
            part, self.text, f"<partition {number}>", on_error=self.on_error, max_errors=self.max_errors, names=names,
            labels=self.labels,
        )  # fmt: skip


@dataclass
class Done:
    """What has come of parts, beside what was wanted.

    Attributes
    ----------
    problem : SonlearnError or None
        Why it ended early.
    skipped : int
        Malformed lines left out.
    errors : list of InputError
        The first of them.
    """

    problem: SonlearnError | None = None
    skipped: int = 0
    errors: list[InputError] = field(default_factory=list)

    def read(self, reader: PartitionReader) -> Iterator[Batch]:
        """The batches of a part, up to what is wrong with it."""
        try:
            yield from reader
        except SonlearnError as error:
            self.problem = placed(error, reader.part)
        self.skipped += reader.error_count
        self.errors += [placed(error, reader.part) for error in reader.errors[: 10 - len(self.errors)]]


def format_of(reading: Reading, part: Any) -> tuple[str | None, SonlearnError | None]:
    """(the format of a part's examples, None if there is none; what is wrong with the first of them)."""
    reader, done = reading.reader(part, 1), Done()
    for _ in done.read(reader):
        break
    return reader.format, done.problem


# ------------------------------------------------------------------------------------------------------- sketches


@dataclass
class Sketched(Done):
    """A sketch of parts, None of none."""

    sketch: Sketch | None = None


def sketch_partition(reading: Reading, options: SketchOptions, zero_based: bool, number: int, part: Any) -> Sketched:
    """Sketch a part; random numbers differ from part to part."""
    if options.seed is not None or options.method in ("gauss", "sign", "sample"):
        options = dataclasses.replace(options, seed=(options.seed or 0) + number - 1)
    done, reader = Sketched(), reading.reader(part, number)
    sketch = make_sketch(options.method, options.size, **options.values())
    try:
        for batch in done.read(reader):
            take(sketch, batch, 0 if zero_based or reader.format in HASHED else 1)
    except SonlearnError as error:
        done.problem = placed(error, part)
    done.sketch = sketch
    return done


def merge_sketches(one: Sketched, other: Sketched) -> Sketched:
    """The sketch of both; the problem of the first that has one."""
    merged = Sketched(one.problem or other.problem, one.skipped + other.skipped, (one.errors + other.errors)[:10])
    if merged.problem is None:
        merged.sketch = copy.deepcopy(one.sketch).merge(other.sketch)
    return merged


# ------------------------------------------------------------------------------------------------------- learners


class Job(NamedTuple):
    """What a learner of parts is told."""

    options: LearnOptions
    reading: Reading


@dataclass
class LearnedPartition(Done):
    """A learner of parts, as header and arrays, and what is known of the rows that it has learned."""

    header: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    tally: Tally | None = None
    names: dict[int, list[str]] = field(default_factory=dict)
    progress: Progress | None = None

    def learner(self, threads: int = 1) -> Learner:
        """The learner, with arrays of its own."""
        arrays = {name: np.array(array) for name, array in self.arrays.items()}
        return Learner.from_arrays(self.header, arrays, threads=threads)


def begun(learner: Learner) -> LearnedPartition:
    """What to go on from where a learner has been before."""
    header, arrays = learner.to_arrays()
    tally, progress = Tally.new(learner.options), progress_of(learner.options)
    return LearnedPartition(header=header, arrays=arrays, tally=tally, progress=progress)


class Said(NamedTuple):
    """Rows without their features, and what a learner predicted for them before it learned them."""

    batch: Batch
    told: PartitionPredictions


def learn_partition(job: Job, number: int, part: Any, before: LearnedPartition | None) -> LearnedPartition:
    """Go on from `before` (None: from the beginning) with one more part."""
    return learn_further(job, number, part, before)[0]


def learn_further(
    job: Job, number: int, part: Any, before: LearnedPartition | None
) -> tuple[LearnedPartition, list[Said]]:
    """The same, and what was predicted for its rows before they were learned."""
    if before is not None and before.problem is not None:
        return before, []
    after, learner, names = _begun(job, before)
    reader, said = job.reading.reader(part, number, names), []
    try:
        check_labels(part, job.reading.text, f"<partition {number}>")
        for batch in after.read(reader):
            predicted = learner.partial_fit(batch, skip=job.reading.on_error == "skip")
            after.tally.add(learner, batch, predicted)
            count(after.progress, batch, predicted)
            said.append(Said(without_features(batch), PartitionPredictions.of(learner, predicted)))
    except SonlearnError as error:
        after.problem = placed(error, part)
    after.header, after.arrays = learner.to_arrays()
    after.names = names.known
    return after, said


def _begun(job: Job, before: LearnedPartition | None) -> tuple[LearnedPartition, Learner, NameTable]:
    """(what is to come, the learner, names so far), none of which shares memory with `before`."""
    if before is not None:
        after = LearnedPartition(None, before.skipped, list(before.errors))
        after.tally, after.progress = copy.deepcopy((before.tally, before.progress))
        return after, before.learner(), NameTable(copy.deepcopy(before.names))
    learner = Learner(job.options, job.reading.text)
    return LearnedPartition(tally=Tally.new(job.options), progress=progress_of(job.options)), learner, NameTable()


def progress_of(options: LearnOptions) -> Progress:
    """Totals of a learner's predictions; the labels of several classes are of no interest."""
    loss, boundary = as_reported(options)
    return Progress(loss, texts=_numbers if options.several else None, boundary=boundary)


def _numbers(values: np.ndarray) -> list[str]:
    return [f"{value:g}" for value in values.tolist()]


def count(progress: Progress, batch: Batch, predicted: Predicted | PredictedClass) -> None:
    """Add what was predicted for a batch, but for the rows that were refused."""
    progress.update(outcome_of(batch, None, predicted))


def without_features(batch: Batch) -> Batch:
    """`batch` with the number of features of each row, but not the features."""
    return batch._replace(indices=batch.indices[:0], values=batch.values[:0])


# ------------------------------------------------------------------------------------------------------- predictions


@dataclass
class Answered(Done):
    """Predictions for a part: batches without features, and what was predicted for each."""

    batches: list[tuple[Batch, Predicted | PredictedClass]] = field(default_factory=list)


def predict_partition(model: LearnedPartition, reading: Reading, number: int, part: Any) -> Answered:
    """Predict the rows of a part by this learner."""
    learner, done = model.learner(), Answered()
    try:
        for batch in done.read(reading.reader(part, number)):
            done.batches.append((without_features(batch), learner.predict(batch)))
    except SonlearnError as error:
        done.problem = placed(error, part)
    return done


def check_merging(options: SketchOptions) -> None:
    """Raise OptionError for sketches that do not merge."""
    make_sketch(options.method, options.size, **options.values())
    if options.method == "oja":
        raise OptionError("--method oja: Oja sketches cannot be merged; --method fd and rfd can, within their bound")
