"""Sketches, learners and predictions on a Dask cluster (extra ``dask``).

    from dask.distributed import Client
    from sonlearn import dask

    with Client("tcp://scheduler:8786"):
        learner = dask.train(["day1.svm.gz", "day2.svm.gz", "day3.svm.gz"])
        learner.save("model")

Data are names or paths of files and patterns, each file a partition; a `dask.bag` of lines or dicts; a
`dask.dataframe`; a `dask.array`, or a tuple (X, y) or (X, y, weights) of them, with one partition for each chunk of
rows; or a list of delayed partitions: lines, tables of pandas or pyarrow, matrices, or pairs (X, y). Workers read the
files themselves, under these names. If a worker dies, another one repeats its partition. The result does not depend on
which worker does what.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextvars import ContextVar
from numbers import Integral
from typing import TYPE_CHECKING, Any

import dask
import numpy as np
from distributed import Client, KilledWorker, default_client, wait

from sonlearn.cluster import tasks
from sonlearn.cluster.partitions import (
    COPY_EVERY,
    FIRST_ROWS,
    LAST_ROWS,
    MIN_ROUNDS,
    Partition,
    Rounds,
    partitions,
    plan_rounds,
)
from sonlearn.cluster.tasks import LearnedPartition, LearnJob, PartResult, PredictedPart, Reading, Sketched, Span
from sonlearn.errors import InputError, OptionError, SonlearnError
from sonlearn.learn.learner import Learner, Predicted
from sonlearn.learn.merging import unmergeable
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.text import TABLES
from sonlearn.report.progress import Progress
from sonlearn.sketch.rules import SketchOptions
from sonlearn.text.columns import Labelling
from sonlearn.text.malformed import no_example
from sonlearn.text.names import NameTable

if TYPE_CHECKING:
    from sonlearn.sketch.base import Sketch

#: Seconds between checks that the cluster still works, and seconds that it may be without workers.
POLL_SECONDS, MAX_SECONDS_WITHOUT_WORKERS = 10, 120
#: Learners that are merged at a time, and workers that hold a merged one: if one of these dies, nothing is lost.
FAN_IN, REPLICAS = 4, 3
#: Set where what this thread waits for is not wanted any more, which it looks at every `CANCEL_POLL_SECONDS` seconds.
CANCELLED: ContextVar[threading.Event | None] = ContextVar("unwanted", default=None)
CANCEL_POLL_SECONDS = 0.5


@dataclasses.dataclass(kw_only=True)
class Trained(PartResult):
    """Result of learning: the model and the progress, and what was left out (see `sonlearn.cluster.tasks.PartResult`).

    Attributes
    ----------
    learner : Learner
        Merged from several learners (`sonlearn.learn.merging`) unless there was one.
    names : NameTable
    plan : Rounds
    each : list of Progress
        Progress of each learner, over its own partitions.
    merge : Progress or None
        Progress of the merged learner over the first rows of the last partition; None with one learner.
    """

    learner: Learner
    names: NameTable
    plan: Rounds
    each: list[Progress]
    merge: Progress | None


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
    """A sketch of all rows: one sketch of each partition, merged pairwise. `Sketch.merge` states the bounds.

    Parameters
    ----------
    data
        See the module's docstring.
    method, size, values
        See `sonlearn.sketch.SketchOptions`.
    text : TextOptions
    client : Client or None
        None: the current client.
    zero_based : bool
        Indices of LIBSVM text begin with 0.

    Raises
    ------
    InputError, OptionError
    """
    options = SketchOptions(method=method, size=size, **values)
    reading = Reading(text or TextOptions(constant=False), labels=Labelling(names=True))
    return sketched(data, options, reading, zero_based, client).sketch


def train(
    data: Any,
    options: LearnOptions | None = None,
    text: TextOptions | None = None,
    *,
    learners: int | None = None,
    rounds: int | None = None,
    client: Client | None = None,
) -> Learner:
    """Learn all rows in one pass, with up to `learners` learners (None: one for each worker), and merge them.

    The learner has the size of one learner, and can go on learning. The partitions are learned in `rounds` (None: as
    many as leave a learner at most `sonlearn.cluster.partitions.MAX_PARTITIONS_PER_ROUND` partitions a round). In a
    round each learner learns contiguous partitions, beginning with what all have learned in the rounds before
    (`Learner.merge`). With one learner or one partition the result equals that of a single process. Learners that
    cannot be merged are refused where there would be several.

    Raises
    ------
    InputError, OptionError, DivergedError
        Among them: a table without ``TextOptions.label``, or a matrix without labels.
    """
    options = options or LearnOptions()
    reading = Reading(text or TextOptions(), labels=Labelling.of(options))
    return trained(data, options, reading, learners=learners, rounds=rounds, client=client).learner


def predict(learner: Learner, data: Any, *, client: Client | None = None) -> Iterator[Predicted]:
    """Predictions of all rows in order, some thousands at a time, equal to those of `learner.predict`.

    Raises
    ------
    InputError, DivergedError
        After the predictions of the rows before the error.
    """
    client = client or client_here()
    parts, reading = with_format(client, data, Reading(learner.text, labels=Labelling.of(learner.options, False)))
    for answered in predicted_parts(learner, parts, reading, client):
        for _, predicted in answered.batches:
            yield predicted
        if answered.problem is not None:
            raise answered.problem


# ---------------------------------------------------------------------------------------- the same, with progress


def sketched(
    data: Any, options: SketchOptions, reading: Reading, zero_based: bool = False, client: Client | None = None
) -> Sketched:
    """As `sketch`, with the malformed lines. Raises as `sketch` does."""
    from sonlearn.sketch.make import make_sketch

    make_sketch(options.method, options.size, **options.values())  # raises what is wrong
    if options.method == "oja":
        raise OptionError("--method oja: Oja sketches cannot be merged; --method fd and rfd can, within their bound")
    client = client or client_here()
    parts, reading = with_format(client, data, reading)
    work = functools.partial(tasks.sketch_partition, reading, options, zero_based)
    level = [dask.delayed(functools.partial(work, i))(part) for i, part in enumerate(parts, 1)]
    merge = dask.delayed(tasks.merge_sketches)
    while len(level) > 1:
        pairs = [merge(*level[i : i + 2]) for i in range(0, len(level) - 1, 2)]
        level = pairs + level[2 * len(pairs) :]
    (done,) = checked_results([client.compute(level[0])], reading)
    if not done.sketch.n_seen:
        raise empty_error(parts, done.skipped, done.errors)
    return done


def trained(
    data: Any,
    options: LearnOptions,
    reading: Reading,
    *,
    learners: int | None = None,
    rounds: int | None = None,
    client: Client | None = None,
    start: Learner | None = None,
) -> Trained:
    """As `train`, with the progress. Each learner continues `start`, if given. Raises as `train` does."""
    for what, number in (("learners", learners), ("rounds", rounds)):
        if number is not None and (isinstance(number, bool) or not isinstance(number, Integral) or number < 1):
            raise OptionError(f"{what} {number!r}: expected a whole number from 1 on, or None")
    client = client or client_here()
    count, problem = learners or len(client.nthreads()), unmergeable(options if start is None else start.options)
    wanted = 1 if count == 1 or problem else count * (rounds or MIN_ROUNDS)
    parts, reading = with_format(client, data, reading, wanted, infers=start is None)
    with contextlib.suppress(OptionError):  # a third label is refused then
        options = dataclasses.replace(options, classes="auto") if reading.labels.names else options
    job = LearnJob(options, reading)
    if min(count, len(parts)) == 1:
        return _train_one(client, job, parts, start)
    if problem:
        raise OptionError(f"{problem}; on a cluster, have one learner learn them (--workers 1), or give another method")
    with contextlib.ExitStack() as stack:
        if client.amm.running():  # the active memory manager would drop copies, every two seconds, of all clients
            client.amm.stop()
            stack.callback(client.amm.start)
        return _train_rounds(client, job, parts, plan_rounds(len(parts), count, rounds), start)


def _train_one(client: Client, job: LearnJob, parts: list[Any], start: Learner | None) -> Trained:
    """One learner of all partitions, one after the other."""
    state = None if start is None else _send(client, start)
    for i, part in enumerate(parts, 1):
        state = dask.delayed(functools.partial(tasks.learn_rows, job, i, Span()))(part, state)
    (done,) = checked_results([client.compute(state)], job.reading)
    if not done.progress.examples:
        raise empty_error(parts, done.skipped, done.errors)
    return _trained(done, Rounds(((range(len(parts)),),)), [done.progress], None, [done])


def _train_rounds(client: Client, job: LearnJob, parts: list[Any], chosen: Rounds, start: Learner | None) -> Trained:
    """Learners that are merged after each round; the merged learner is sent to this process at the end alone.

    One learner learns the first rows before all others begin, and the merged one the first rows of the last partition.
    After `COPY_EVERY` partitions they wait for each other, and what each has learned is copied to a second worker.
    """

    def learn(i: int, before: Any, span: Span) -> Any:
        return dask.delayed(functools.partial(tasks.learn_rows, job, i + 1, span))(parts[i], before)

    last, base, begin = len(parts) - 1, None if start is None else _send(client, start), dask.delayed(tasks.begin_round)
    each: list[Any] = [None] * chosen.learners
    alone: dict[int, int] = {}  # of each partition the first rows that one learner learns alone
    seen = FIRST_ROWS if start is not None and start.examples else 0
    while seen < FIRST_ROWS and len(alone) < last:
        i, rows = len(alone), FIRST_ROWS - seen
        alone[i] = rows
        first = learn(i, base, Span(0, rows))
        base, each[0] = _computed(client, [first, dask.delayed(tasks.without_state)(first)])
        (done,) = checked_results([each[0]], job.reading)
        seen = done.progress.examples
    previous: Any = None  # what the round before began with
    for own in chosen.rounds:
        learned = [begin(base, before) for before in each]
        for at in range(0, max(map(len, own)), COPY_EVERY):
            learned = _computed(client, learned, 2) if at else learned
            for g, numbers in enumerate(own):
                for i in numbers[at : at + COPY_EVERY]:
                    span = Span(max(alone.get(i, 0), LAST_ROWS if i == last else 0))
                    learned[g] = learn(i, learned[g], span)
        lights = map(dask.delayed(tasks.without_state), learned)
        merged, previous = _merge_tree(base, previous, learned), base
        base, *each = _computed(client, [merged, *lights])
    settle = dask.delayed(functools.partial(tasks.settled, job, last + 1, Span(0, LAST_ROWS)))
    base = settle(parts[last], begin(base, None))
    every = checked_results(client.compute([*each, base]), job.reading)
    *found, first = every
    result = _trained(first, chosen, [done.progress for done in found], first.progress, every)
    if not first.header.get("examples"):
        raise empty_error(parts, result.skipped, result.errors)
    return result


def _trained(
    last: LearnedPartition, plan: Rounds, each: list[Any], merge: Progress | None, every: Sequence[PartResult]
) -> Trained:
    """The result: the learner of `last`, and what was left out in `every` one."""
    own = tasks.merged_counts(every)
    return Trained(learner=last.learner(), names=NameTable(last.names), plan=plan, each=each, merge=merge, **own)


def _merge_tree(base: Any, previous: Any, learned: list[Any]) -> Any:
    """The merge of all, at most FAN_IN at a time: on the workers, each of which holds no more learners at once."""
    merge = dask.delayed(tasks.merge_learned)
    while len(learned) > 1:
        groups = [learned[i : i + FAN_IN] for i in range(0, len(learned), FAN_IN)]
        before = previous if len(groups) == 1 else None
        learned = [merge(base, before, *group) if len(group) > 1 else group[0] for group in groups]
    return learned[0]


def _computed(client: Client, delayed: list[Any], workers: int = REPLICAS) -> list[Any]:
    """Futures of what has been computed, which stays on the workers: each on so many, if there are as many."""
    futures = client.compute(delayed)
    _wait(futures)
    workers = min(workers, len(client.nthreads()))
    if workers > 1:
        client.replicate(futures, n=workers)
    return list(futures)


def predicted_parts(learner: Learner, parts: list[Any], reading: Reading, client: Client) -> Iterator[PredictedPart]:
    """Predictions of each partition, in order, computed a few partitions in advance. Call `with_format` first."""
    model = _send(client, learner)

    def ask(reading: Reading, number: int, part: Any) -> Any:
        part = client.compute(part) if dask.is_dask_collection(part) else part
        return client.submit(tasks.predict_partition, model, reading, number, part, pure=False)

    wanted, waiting = iter(enumerate(parts, 1)), collections.deque()
    errors_allowed = reading.max_errors
    while True:
        while len(waiting) <= 2 * len(client.nthreads()) and (following := next(wanted, None)) is not None:
            waiting.append((following, ask(reading, *following)))
        if not waiting:
            return
        following, future = waiting.popleft()
        (answered,) = results_of([future])
        if errors_allowed is not None:
            if answered.skipped > errors_allowed:  # repeat the partition, up to the line that exceeds the limit
                limited = dataclasses.replace(reading, max_errors=errors_allowed)
                (answered,) = results_of([ask(limited, *following)])
            errors_allowed -= answered.skipped
        yield answered


def _send(client: Client, learner: Learner) -> Any:
    """The future of a task whose result is `learner`. If all workers that have the result die, it is sent again.

    What is scattered instead would be lost with these workers. The graph is as large as the model, without a warning.
    """
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
        return client.compute(dask.delayed(tasks.initial(learner), traverse=False))


def partitions_of(data: Any, text: TextOptions, wanted: int = 1) -> list[Any]:
    """The partitions of `data`: those of files (see `partitions`), or delayed ones; a table in memory is one.

    Raises
    ------
    InputError
        A pattern matches nothing, or arrays do not have the same rows.
    """
    if _is_array(data) or (isinstance(data, tuple) and data and _is_array(data[0])):
        return _parts_of_arrays(*(data if isinstance(data, tuple) else (data,)))
    if hasattr(data, "to_delayed"):
        return list(np.ravel(data.to_delayed()))
    alone = isinstance(data, str | os.PathLike) or hasattr(data, "__arrow_c_stream__")
    items = [data] if alone else list(data)
    if any(isinstance(item, str | os.PathLike) for item in items):
        return partitions(map(os.fspath, items), text, wanted=wanted)
    return items


def _is_array(data: Any) -> bool:
    """Return whether `data` is a `dask.array`, without importing that module."""
    return dask.is_dask_collection(data) and hasattr(data, "chunks") and hasattr(data, "to_delayed")


def as_array(collection: Any) -> Any:
    """A `dask.array` whose chunks hold whole rows, of an array or a dataframe of numbers."""
    from dask.array import from_array

    if hasattr(collection, "to_dask_array"):
        collection = collection.to_dask_array()
    elif not dask.is_dask_collection(collection):
        return from_array(np.asarray(collection), chunks=-1)
    return collection.rechunk({1: -1}) if collection.ndim == 2 and collection.numblocks[1] > 1 else collection


def _parts_of_arrays(X: Any, *beside: Any) -> list[Any]:
    """One delayed partition for each chunk of rows: X, (X, y) or (X, y, weights). Raises InputError."""
    if X.ndim != 2:
        raise InputError("<dask.array>", f"{X.ndim} dimensions", "rows and columns")
    X = as_array(X)
    columns = [np.ravel(X.to_delayed())]
    for each in beside:
        if each is None:
            columns.append(np.array([None] * X.numblocks[0], dtype=object))
            continue
        each = as_array(each)
        known = not (np.isnan(X.chunks[0]).any() or np.isnan(each.chunks[0]).any())
        if each.ndim != 1 or (each.shape[0] != X.shape[0] if known else each.numblocks[0] != X.numblocks[0]):
            found = f"labels or weights of shape {each.shape} in {each.numblocks[0]} chunks"
            expected = f"one each for {X.shape[0]} rows" if known else f"as many chunks as of rows, {X.numblocks[0]}"
            raise InputError("<dask.array>", found, expected)
        columns.append(np.ravel((each.rechunk((X.chunks[0],)) if known else each).to_delayed()))
    if not beside:
        return list(columns[0])
    return [dask.delayed(tuple)(list(part)) for part in zip(*columns, strict=True)]


def with_format(
    client: Client, data: Any, reading: Reading, wanted: int = 1, infers: bool = False
) -> tuple[list[Any], Reading]:
    """The partitions of `data`, and `reading` with the format of the first example, which applies to all partitions.

    Files are cut into as many partitions as are `wanted`, if they can be and are long enough. `infers`: see
    `tasks.format_of`.

    Raises
    ------
    InputError
        There are no partitions, or there is an error before the first example.
    """
    parts = partitions_of(data, reading.text, wanted=wanted)
    if not parts:
        raise InputError("<nothing>", "no parts", "at least one example")
    format = reading.text.format
    for part in parts:
        if format != "auto" and not (infers and format in ("json", *TABLES)):
            break
        asked = client.compute(dask.delayed(functools.partial(tasks.format_of, reading, infers=infers))(part))
        ((found, problem),) = results_of([asked])
        if problem is not None:
            raise problem
        if found is not None:
            return parts, found
    return parts, reading


def empty_error(parts: list[Any], skipped: int, errors: Sequence[SonlearnError]) -> InputError:
    """The error if no partition has an example."""
    names = ", ".join(dict.fromkeys(part.path for part in parts if isinstance(part, Partition))) or "<parts>"
    return no_example(names, "an empty stream", skipped, errors)


# ------------------------------------------------------------------------------------------------------------- how


def client_here() -> Client:
    """The current client. Raises OptionError if there is none."""
    try:
        return default_client()
    except ValueError:
        raise OptionError("there is no Dask client: give client=Client(...), or make one first") from None


def checked_results(futures: list[Any], reading: Reading) -> list[Any]:
    """`results_of` tasks that give a `PartResult`. Raises the error of the partitions as well, if there is one."""
    found = results_of(futures)
    for done in found:
        if done.problem is not None:
            raise done.problem
        if reading.max_errors is not None and done.skipped > reading.max_errors:
            raise done.errors[min(reading.max_errors, len(done.errors) - 1)]
    return found


def results_of(futures: list[Any]) -> list[Any]:
    """The results of the tasks. Raises SonlearnError if the cluster cannot run them."""
    _wait(futures)
    return [_result(future, None) for future in futures]


def _wait(futures: list[Any]) -> None:
    """Wait for all, whose results stay where they are.

    Raises SonlearnError if the cluster cannot run them, CancelledError, with them cancelled, if they are `CANCELLED`.
    """
    client, cancelled, working = futures[0].client, CANCELLED.get(), time.monotonic()
    poll = POLL_SECONDS if cancelled is None else CANCEL_POLL_SECONDS
    while True:
        if cancelled is not None and cancelled.is_set():
            client.cancel(futures)
            raise CancelledError
        with contextlib.suppress(TimeoutError), _reporting_cancelled(), client.as_current():
            wait(futures, timeout=poll)
        for future in futures:
            if future.status in ("error", "cancelled", "lost"):
                _result(future, POLL_SECONDS)
        if all(future.status == "finished" for future in futures):
            return
        working = time.monotonic() if client.nthreads() else working
        if time.monotonic() - working >= MAX_SECONDS_WITHOUT_WORKERS:
            raise SonlearnError(f"the cluster has had no workers for {MAX_SECONDS_WITHOUT_WORKERS} seconds")


def _result(future: Any, timeout: float | None) -> Any:
    with _reporting_cancelled():
        try:
            return future.result(timeout=timeout)
        except KilledWorker as error:
            raise SonlearnError(f"the cluster has given up: {' '.join(str(error).split())}") from error


@contextlib.contextmanager
def _reporting_cancelled() -> Iterator[None]:
    """Raise SonlearnError where a task is cancelled because no worker has what it needs any more."""
    try:
        yield
    except CancelledError as error:
        raise SonlearnError(f"the cluster has lost what was sent to it: {' '.join(str(error).split())}") from error
