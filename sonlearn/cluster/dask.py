"""Sketches, learners and predictions on a Dask cluster (extra ``dask``).

    from dask.distributed import Client
    from sonlearn import dask

    with Client("tcp://scheduler:8786"):
        learner = dask.train(["day1.svm.gz", "day2.svm.gz", "day3.svm.gz"])
        learner.save("model")

Data are names or paths of files and patterns, each file a part; a `dask.bag` of lines of text; a `dask.dataframe`; a
`dask.array`, or a tuple (X, y) or (X, y, weights) of them, whose chunks of rows are the parts; or a list of delayed
parts: lines, tables of pandas or pyarrow, matrices, or pairs (X, y). Workers read files themselves, under these names.
A part whose worker dies is done again by another one; nothing depends on which worker does what.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import os
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from numbers import Integral
from typing import Any, NamedTuple

import dask
import numpy as np
from distributed import Client, KilledWorker, default_client

from sonlearn.cluster import tasks
from sonlearn.cluster.partitions import BLOCK, Partition, partitions
from sonlearn.cluster.plan import Plan, plan
from sonlearn.cluster.tasks import Answered, Done, Job, LearnedPartition, Reading, Sketched
from sonlearn.errors import InputError, OptionError, SonlearnError
from sonlearn.learn.learner import Learner, Predicted, PredictedClass
from sonlearn.learn.merge import fit_combiner, merge_learners
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.report.progress import Progress
from sonlearn.sketch.base import Sketch
from sonlearn.sketch.options import SketchOptions
from sonlearn.text.columns import Labelling
from sonlearn.text.names import NameTable

#: Seconds after which it is seen whether the cluster still works, and for which it may be without workers.
POLL, PATIENCE = 10, 120


class Trained(NamedTuple):
    """What has come of learning: the model, and how it went.

    Attributes
    ----------
    learner : Learner
        Of one part as it is; of several, united (`sonlearn.learn.merge`).
    names : NameTable
    plan : Plan
    each : list of Progress
        Of each learner, over its own parts.
    together : Progress or None
        Of the combiner, over the further parts; None of one learner.
    skipped, errors
        Malformed lines left out, and the first of them.
    """

    learner: Learner
    names: NameTable
    plan: Plan
    each: list[Progress]
    merge: Progress | None
    skipped: int
    errors: list[InputError]


def sketch(
    data: Any,
    method: str = "rfd",
    size: int = 100,
    *,
    text: TextOptions | None = None,
    client: Client | None = None,
    zero_based: bool = False,
    **values: Any,
) -> Sketch:
    """A sketch of all rows: one of each part, merged two by two. The bounds are those of `Sketch.merge`.

    Parameters
    ----------
    data
        See the module.
    method, size, values
        See `sonlearn.sketch.SketchOptions`.
    text : TextOptions
    client : Client or None
        None: the present one.
    zero_based : bool
        Indices of LIBSVM text begin with 0.

    Raises
    ------
    InputError, OptionError
    """
    options = SketchOptions(method=method, size=size, **values)
    return sketched(data, options, Reading(text or TextOptions(constant=False)), zero_based, client).sketch


def train(
    data: Any,
    options: LearnOptions | None = None,
    text: TextOptions | None = None,
    *,
    learners: int | None = None,
    client: Client | None = None,
) -> Learner:
    """A learner of all rows, in one pass: of as many `learners` (None: as there are workers) as there can be.

    Each learns neighbouring parts, one after the other. The last twentieth of the parts, one at least, all of them
    learn; what they predict there is what the combiner of their predictions learns. One learner, or one part, gives
    what one process gives.

    Raises
    ------
    InputError, OptionError, DivergedError
        Among them: a table without ``TextOptions.label``, or a matrix without labels.
    """
    options = options or LearnOptions()
    reading = Reading(text or TextOptions(), labels=Labelling(True, options.classes is not None))
    return trained(data, options, reading, learners=learners, client=client)[0]


def predict(learner: Learner, data: Any, *, client: Client | None = None) -> Iterator[Predicted | PredictedClass]:
    """Predictions of all rows in order, some thousands at a time: those of `learner.predict`.

    Raises
    ------
    InputError, DivergedError
        After the rows before.
    """
    client = client or _client()
    parts, reading = settled(client, data, Reading(learner.text, labels=Labelling(False, learner.options.several)))
    for answered in answers(learner, parts, reading, client):
        for _, predicted in answered.batches:
            yield predicted
        if answered.problem is not None:
            raise answered.problem


# ---------------------------------------------------------------------------------------- the same, with all reports


def sketched(
    data: Any, options: SketchOptions, reading: Reading, zero_based: bool = False, client: Client | None = None
) -> Sketched:
    """`sketch`, and what was skipped. Raises as it does."""
    tasks.check_merging(options)
    client = client or _client()
    parts, reading = settled(client, data, reading)
    work = functools.partial(tasks.sketch_partition, reading, options, zero_based)
    level = [dask.delayed(functools.partial(work, i))(part) for i, part in enumerate(parts, 1)]
    merge = dask.delayed(tasks.merge_sketches)
    while len(level) > 1:
        pairs = [merge(*level[i : i + 2]) for i in range(0, len(level) - 1, 2)]
        level = pairs + level[2 * len(pairs) :]
    (done,) = _results([client.compute(level[0])])
    _check(done, reading)
    if not done.sketch.n_seen:
        raise nothing(parts, done.skipped, done.errors)
    return done


def trained(
    data: Any,
    options: LearnOptions,
    reading: Reading,
    *,
    learners: int | None = None,
    client: Client | None = None,
    start: Learner | None = None,
) -> Trained:
    """`train`, and how it went; each learner begins as `start`, if there is one. Raises as `train` does."""
    if learners is not None and (isinstance(learners, bool) or not isinstance(learners, Integral) or learners < 1):
        raise OptionError(f"learners {learners!r}: expected a whole number from 1 on, or None")
    client = client or _client()
    if start is not None and start.parts is not None:
        raise OptionError(f"a model of {start.parts} learners goes on learning on one machine: leave the cluster out")
    if options.multinomial is not None:
        raise OptionError(
            "--multinomial on a cluster: softmax learners are not united; give --oaa, or leave the cluster out"
        )
    parts, reading = settled(client, data, reading)
    chosen = plan(len(parts), learners or len(client.nthreads()))
    apart, further, said = _graph(Job(options, reading), parts, chosen, start)
    futures = client.compute([*further, *said, *map(dask.delayed(_without_learner), apart)])
    found = _results(futures)
    n = len(chosen.learners)
    learned_by, told, before = found[:n], found[n:-n], found[-n:]
    for done in (*before, *learned_by):
        _check(done, reading)
    if not sum(each.progress.examples for each in learned_by):
        raise nothing(parts, sum(each.skipped for each in learned_by), learned_by[0].errors)
    return _merge(chosen, (learned_by, told, before), parts, 0 if start is None else start.examples)


def answers(learner: Learner, parts: list[Any], reading: Reading, client: Client | None = None) -> Iterator[Answered]:
    """Predictions for each part, in order, a few parts ahead of what is asked for; `settled` comes first."""
    client = client or _client()
    model = _Sent(client, tasks.begun(learner))
    wanted, waiting = iter(enumerate(parts, 1)), collections.deque()
    left = reading.max_errors
    while True:
        while len(waiting) <= 2 * len(client.nthreads()) and (following := next(wanted, None)) is not None:
            waiting.append((following, model.ask(reading, *following)))
        if not waiting:
            return
        following, future = waiting.popleft()
        try:
            (answered,) = _results([future])
        except LostError:  # the model has gone with the last worker that had it
            model.send()
            waiting = collections.deque((each, model.ask(reading, *each)) for each, _ in waiting)
            (answered,) = _results([model.ask(reading, *following)])
        if left is not None:
            if answered.skipped > left:  # to stop at the line that is one too many
                (answered,) = _results([model.ask(dataclasses.replace(reading, max_errors=left), *following)])
            left -= answered.skipped
        yield answered


class _Sent:
    """A learner that all workers have."""

    def __init__(self, client: Client, model: LearnedPartition):
        self._client, self._model = client, model
        self.send()

    def send(self) -> None:
        """Let all workers have it, once more."""
        (self._future,) = self._client.scatter([self._model], broadcast=True, hash=False)

    def ask(self, reading: Reading, number: int, part: Any) -> Any:
        """The future of a part's predictions."""
        part = self._client.compute(part) if dask.is_dask_collection(part) else part
        return self._client.submit(tasks.predict_partition, self._future, reading, number, part, pure=False)


def partitions_of(data: Any, text: TextOptions, block: int = BLOCK) -> list[Any]:
    """The parts of data: partitions of files, or delayed ones.

    Raises
    ------
    InputError
        A pattern matches nothing, or arrays do not have the same rows.
    """
    if _is_array(data) or (isinstance(data, tuple) and data and _is_array(data[0])):
        return _parts_of_arrays(*(data if isinstance(data, tuple) else (data,)))
    if hasattr(data, "to_delayed"):
        return list(np.ravel(data.to_delayed()))
    items = [data] if isinstance(data, str | os.PathLike) else list(data)
    if any(isinstance(item, str | os.PathLike) for item in items):
        return partitions(map(os.fspath, items), text, block)
    return items


def _is_array(data: Any) -> bool:
    """Whether this is a `dask.array`, which need not have been imported."""
    return dask.is_dask_collection(data) and hasattr(data, "chunks") and hasattr(data, "to_delayed")


def _parts_of_arrays(X: Any, *beside: Any) -> list[Any]:
    """One delayed part for each chunk of rows: X, or (X, y) and perhaps weights. Raises InputError."""
    import dask.array

    if X.ndim != 2:
        raise InputError("<dask.array>", None, None, f"{X.ndim} dimensions", "rows and columns")
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    columns = [np.ravel(X.to_delayed())]
    for each in beside:
        if each is None:
            columns.append(np.array([None] * X.numblocks[0], dtype=object))
            continue
        if not _is_array(each):
            each = dask.array.from_array(np.asarray(each), chunks=-1)
        known = not (np.isnan(X.chunks[0]).any() or np.isnan(each.chunks[0]).any())
        if each.ndim != 1 or (each.shape[0] != X.shape[0] if known else each.numblocks[0] != X.numblocks[0]):
            found = f"labels or weights of shape {each.shape} in {each.numblocks[0]} chunks"
            expected = f"one each for {X.shape[0]} rows" if known else f"as many chunks as of rows, {X.numblocks[0]}"
            raise InputError("<dask.array>", None, None, found, expected)
        columns.append(np.ravel((each.rechunk((X.chunks[0],)) if known else each).to_delayed()))
    if not beside:
        return list(columns[0])
    return [dask.delayed(tuple)(list(part)) for part in zip(*columns, strict=True)]


def settled(client: Client, data: Any, reading: Reading) -> tuple[list[Any], Reading]:
    """The parts of data, and `reading` with the format of the first example: one for all parts, as for one process.

    Raises
    ------
    InputError
        There are no parts, or something is wrong before the first example.
    """
    given = reading.text
    if given.format == "auto" and given.label:
        reading = dataclasses.replace(reading, text=dataclasses.replace(given, format="csv"))
    parts = partitions_of(data, given)
    if not parts:
        raise InputError("<nothing>", None, None, "no parts", "at least one example")
    for part in parts:
        if reading.text.format != "auto":
            break
        asked = client.compute(dask.delayed(functools.partial(tasks.format_of, reading))(part))
        ((found, problem),) = _results([asked])
        if problem is not None:
            raise problem
        if found is not None:
            reading = dataclasses.replace(reading, text=dataclasses.replace(given, format=found))
    return parts, reading


def nothing(parts: list[Any], skipped: int, errors: list[InputError]) -> InputError:
    """What to say where no part has an example."""
    names = ", ".join(dict.fromkeys(part.path for part in parts if isinstance(part, Partition))) or "<parts>"
    found = "an empty stream"
    if skipped:
        found = f"{skipped} malformed lines and nothing else (the first: {errors[0]})"
    return InputError(names, None, None, found, "at least one example")


# ------------------------------------------------------------------------------------------------------------- how


class LostError(SonlearnError):
    """What a task needs is on no worker any more."""


def _client() -> Client:
    try:
        return default_client()
    except ValueError:
        raise OptionError("there is no Dask client: give client=Client(...), or make one first") from None


def _graph(job: Job, parts: list[Any], chosen: Plan, start: Learner | None) -> tuple[list, list, list]:
    """(each learner after its own parts, after the further ones as well, what was said for each of these)."""

    def call(what: Callable, i: int) -> Any:
        return dask.delayed(functools.partial(what, job, i + 1))

    apart, after, said = [], [], []
    begun = None if start is None else dask.delayed(tasks.begun(start), traverse=False)
    for own in chosen.learners:
        state = begun
        for i in own:
            state = call(tasks.learn_partition, i)(parts[i], state)
        apart.append(state)
        for i in chosen.further:
            both = call(tasks.learn_further, i)(parts[i], state)
            state = both[0]
            said.append(both[1])
        after.append(state)
    return apart, after, said


def _without_learner(learned_by: LearnedPartition) -> LearnedPartition:
    return dataclasses.replace(learned_by, arrays={}, names={})


def _merge(chosen: Plan, found: tuple[list, list, list], parts: list[Any], started: int) -> Trained:
    """The learners united, and the combiner's rows learned; `started`: rows that each had learned at the beginning."""
    learned_by, told, before = found
    names = NameTable()
    for each in learned_by:
        names.add((slot, name) for slot, known in each.names.items() for name in known)
    first, learners = learned_by[0], [each.learner() for each in learned_by]
    if len(learners) == 1:
        return Trained(learners[0], names, chosen, [first.progress], None, first.skipped, first.errors)
    of = [getattr(parts[own[0]], "name", f"part {own[0] + 1}") for own in chosen.learners]
    united, progress = (
        merge_learners(learners, [each.tally for each in before], of),
        tasks.progress_of(learners[0].options),
    )
    own = [int(each.header["examples"]) - started for each in before]
    united.examples = started + sum(own) + first.header["examples"] - before[0].header["examples"]
    steps = len(chosen.further)
    said = [[batch for part in told[j : j + steps] for batch in part] for j in range(0, len(told), steps)]
    for rows in zip(*said, strict=True):
        batch = rows[0].batch
        tasks.count(progress, batch, fit_combiner(united, batch, [each.told for each in rows]))
    further = first.skipped - before[0].skipped, first.errors[len(before[0].errors) :]
    skipped = sum(each.skipped for each in before) + further[0]
    errors = [error for each in before for error in each.errors] + further[1]
    return Trained(united, names, chosen, [each.progress for each in before], progress, skipped, errors[:10])


def _check(done: Done, reading: Reading) -> None:
    """Raise what was wrong with the parts."""
    if done.problem is not None:
        raise done.problem
    if reading.max_errors is not None and done.skipped > reading.max_errors:
        raise done.errors[min(reading.max_errors, len(done.errors) - 1)]


def _results(futures: list[Any]) -> list[Any]:
    """What tasks give; where the cluster cannot do them, a SonlearnError says so."""
    found, idle = [], 0
    for future in futures:
        while True:
            try:
                found.append(_result(future, POLL))
                break
            except TimeoutError:
                for other in futures:
                    if other.status == "error":
                        _result(other, POLL)
                idle = 0 if future.client.nthreads() else idle + 1
                if idle * POLL >= PATIENCE:
                    raise SonlearnError(f"the cluster has had no workers for {PATIENCE} seconds") from None
    return found


def _result(future: Any, timeout: float) -> Any:
    try:
        return future.result(timeout=timeout)
    except KilledWorker as error:
        raise SonlearnError(f"the cluster has given up: {' '.join(str(error).split())}") from error
    except CancelledError as error:
        raise LostError(f"the cluster has lost what was sent to it: {' '.join(str(error).split())}") from error
