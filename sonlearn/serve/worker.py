"""The one place that touches the learner while a model is served.

Requests wait in a queue, in the order in which they came. Those of a kind that stand together in it are worked on as
one: their text is parsed at once and predicted (or learned) at once, which costs little more than one of them. So a
server under load works in batches and an idle one answers at once, with the same answers. The learner's state changes
in place; that nothing else runs meanwhile is all the locking there is.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, SonlearnError
from sonlearn.learn.learner import Learner, Predicted, PredictedClass
from sonlearn.learn.learner import learned as learns
from sonlearn.options.text import NAMESPACED, TABLES
from sonlearn.text import chunk
from sonlearn.text.flat import FlatRows
from sonlearn.text.hashing import constant_id
from sonlearn.text.names import NameTable
from sonlearn.text.objects import Members, Unfit, decode, error_of

SOURCE = "<request>"
#: Bytes of text that are worked on together, about.
GROUP_BYTES = 1 << 18
#: Bytes that are predicted without a thread of their own: switching to it would take longer.
AT_ONCE_BYTES = 1 << 14
#: Malformed lines of a group that are described.
_SHOWN = 1 << 18
#: Features that a line may have with interactions: of a stranger's lines not as many as of one's own.
_MOST_FEATURES = 2.0**22
_OUT_OF_BOUNDS = ("an example that would lead to numbers out of all bounds", "smaller values; it was left out")

TEXT, LINES, DOCUMENT = "text", "lines", "document"


class Busy(Exception):  # noqa: N818
    """Too much is waiting already."""


class Answer(NamedTuple):
    """What became of a request.

    Attributes
    ----------
    lines : list of int, the lines that were examples, from 1 on
    values : list of float or str, the predictions: a class as its label
    tags : list of str
    errors : list of InputError, of the lines that were none, or could not be learned
    """

    lines: list[int]
    values: list[Any]
    tags: list[str]
    errors: list[InputError]


class _Ready(NamedTuple):
    """A group that has been parsed: `ends` are the last lines of its jobs, `fits` whether all labels do."""

    group: list[Job]
    ends: np.ndarray
    batches: list[Batch]
    errors: list[InputError]
    fits: bool


class _Part(NamedTuple):
    """What was predicted for a batch (None: left out), the rows that were learned, and their summed loss."""

    batch: Batch
    values: list[Any]
    learned: int
    loss: float


@dataclasses.dataclass(eq=False)
class Job:
    """A request.

    Attributes
    ----------
    kind : str
        ``text`` in the model's own format, or JSON: an object a line (``lines``), or one object or array of objects
        (``document``).
    text : bytes
        Whole lines.
    learn : bool
        Whether labels are to be learned; else they do not count.
    whole : bool
        Whether one malformed line spoils all of it; else the others are taken.
    """

    kind: str
    text: bytes
    learn: bool
    whole: bool
    answer: asyncio.Future[Answer] = dataclasses.field(default_factory=asyncio.Future)


class Worker:
    """Takes requests in turn.

    Parameters
    ----------
    learner : Learner
    names : NameTable
        Where names of features are added, if the model keeps them.
    most_waiting : int
        Bytes that may wait; a request that comes then is refused.
    after : callable
        Called when rows have been predicted, and learned or not: (rows, of them learned, their summed loss). Runs while
        the learner rests, so it may save it.
    online : bool
        Labels keep arriving, so rows are predicted by all members of a committee (`Learner.predict`).
    """

    def __init__(
        self,
        learner: Learner,
        names: NameTable,
        most_waiting: int = 1 << 26,
        after: Callable[[int, int, float], None] = lambda rows, learned, loss: None,
        online: bool = False,
    ):
        self.learner, self.names, self._online = learner, names, online
        self.waiting, self._most, self._after = 0, most_waiting, after
        self._jobs: deque[Job] = deque()
        self._wake = asyncio.Event()
        self._stopping = False
        text = learner.text
        classes, worded = learner.options.classes is not None, learner.takes_words
        # By whether it reads text, and whether the first malformed line ends it: of a request that is whole, no more
        # has to be known.
        self._parsers = {
            (as_text, stop): chunk.ChunkParser(
                text, "stop" if stop else "skip", 1 if stop else _SHOWN, classes,
                records=None if text.format in NAMESPACED else FlatRows(text, worded, learner.columns), words=worded,
                most_features=_MOST_FEATURES,
            )
            for as_text in (False, True) for stop in (False, True)
        }  # fmt: skip

    @property
    def takes_text(self) -> bool:
        """Whether there are lines of text for this model; else it takes JSON alone."""
        return self.learner.text.format not in TABLES

    @property
    def takes_json_text(self) -> bool:
        """Whether text may be lines of JSON as well: the same features, if the model is of VW text or JSON."""
        return self.learner.text.format in NAMESPACED

    async def ask(self, kind: str, text: bytes, *, learn: bool = False, whole: bool = True) -> Answer:
        """What becomes of a request (see `Job`).

        Raises
        ------
        Busy
        SonlearnError
            A line, a label or a number is wrong. Of a request that is to be `whole` nothing has been learned then.
        """
        if self._stopping or (self._jobs and self.waiting + len(text) > self._most):
            raise Busy
        job = Job(kind, text if text.endswith(b"\n") else text + b"\n", learn, whole)
        self._jobs.append(job)
        self.waiting += len(job.text)
        self._wake.set()
        return await job.answer

    async def run(self) -> None:
        """Work until `stop`, and then on what waits."""
        with ThreadPoolExecutor(1, thread_name_prefix="sonlearn-learn") as pool:
            while True:
                if not self._jobs:
                    if self._stopping:
                        return
                    self._wake.clear()
                    await self._wake.wait()
                    await asyncio.sleep(0)  # what has come at the same time joins in
                    continue
                group = self._group()
                size = sum(len(job.text) for job in group)
                if size <= AT_ONCE_BYTES and not group[0].learn:
                    results = self._work(group)
                    await asyncio.sleep(0)
                else:
                    results = await asyncio.get_running_loop().run_in_executor(pool, self._work, group)
                self.waiting -= size
                for job, result in zip(group, results, strict=True):
                    if job.answer.cancelled():
                        continue
                    if isinstance(result, Answer):
                        job.answer.set_result(result)
                    else:
                        job.answer.set_exception(result)

    def stop(self) -> None:
        """Take no more requests; `run` ends when those that wait are answered."""
        self._stopping = True
        self._wake.set()

    def _group(self) -> list[Job]:
        """The jobs at the front of the queue that can be worked on together."""
        first = self._jobs.popleft()
        group, size = [first], len(first.text)
        while self._jobs and first.kind != DOCUMENT:
            job = self._jobs[0]
            size += len(job.text)
            if (job.kind, job.learn) != (first.kind, first.learn) or size > GROUP_BYTES:
                break
            group.append(self._jobs.popleft())
        return group

    # -- without the event loop ------------------------------------------------------------------------------------

    def _work(self, group: list[Job]) -> list[Answer | Exception]:
        """What becomes of each job; an exception where it is refused."""
        learning = False
        try:
            ready = self._ready(group)
            learning = group[0].learn
            parts = self._learned(ready) if learning else self._predicted(ready)
        except Exception as error:
            if learning or len(group) == 1 or not isinstance(error, SonlearnError):
                return [error] * len(group)
            # Nothing has been learned yet. One of them is at fault: find out which.
            return [result for job in group for result in self._work([job])]
        self._after(sum(len(part.values) for part in parts), *(sum(p[i] for p in parts) for i in (-2, -1)))
        return _shared_out(ready, parts)

    def _ready(self, group: list[Job]) -> _Ready:
        """The rows of a group. Raises SonlearnError where a job that is to be whole is not, or a label does not fit."""
        alone = len(group) == 1
        parsed = self._parsed(group, stop=alone and group[0].whole)
        ends = np.array([1 << 62]) if alone else np.cumsum([job.text.count(b"\n") for job in group])
        for error in parsed.errors:
            if group[int(np.searchsorted(ends, error.line))].whole:
                raise error
        source = self.learner.text
        constant = constant_id(source, source.format)
        batches = [batch._replace(source=SOURCE, constant=constant) for batch in parsed.batches]
        fits = True
        if group[0].learn and batches:
            try:
                self.learner.check(_joined(batches))
            except SonlearnError:
                if not alone or group[0].whole:
                    raise
                fits = False
            self.names.add(parsed.names)
            self.names.count(parsed.counted)
            if parsed.found is not None:
                self.learner.columns.add(parsed.found.kinds)
        return _Ready(group, ends, batches, list(parsed.errors), fits)

    def _parsed(self, group: list[Job], stop: bool) -> chunk.Parsed:
        first = group[0]
        if first.kind == DOCUMENT:
            try:
                document = decode(first.text)
            except (Unfit, RecursionError) as problem:
                if isinstance(problem, RecursionError):
                    problem = Unfit("objects or arrays nested too deeply", "a few levels")
                raise _error_in(first.text, problem) from None
            records = [document] if isinstance(document, Members) or not isinstance(document, list) else document
            return self._parsers[False, stop].parse_records(enumerate(records, 1), SOURCE)
        text = first.text if len(group) == 1 else b"".join(job.text for job in group)
        as_text = first.kind == TEXT
        format = "json" if not as_text else "vw" if self.learner.text.format in NAMESPACED else "svmlight"
        return self._parsers[as_text, stop].parse(np.frombuffer(text, dtype=np.uint8), format, SOURCE)

    def _predicted(self, ready: _Ready) -> list[_Part]:
        parts = []
        for batch in ready.batches:
            unlabelled = batch._replace(y=np.full(batch.n, np.nan), class_names=None)
            parts.append(_Part(batch, self._values(self.learner.predict(unlabelled, online=self._online)), 0, 0.0))
        return parts

    def _learned(self, ready: _Ready) -> list[_Part]:
        """Predict and learn; rows that do not fit are left out, and named."""
        parts = []
        for batch in ready.batches if ready.fits else _one_by_one(ready.batches):
            if not ready.fits:
                try:
                    self.learner.check(batch)
                except InputError as error:
                    ready.errors.append(error)
                    continue
            predicted = self.learner.partial_fit(batch, skip=True)
            counted = learns(batch) & ~predicted.refused
            loss = float((predicted.loss * batch.weight)[counted].sum())
            values = self._values(predicted)
            for row in np.flatnonzero(predicted.refused).tolist():
                ready.errors.append(InputError(SOURCE, int(batch.lines[row]), None, *_OUT_OF_BOUNDS))
                values[row] = None
            parts.append(_Part(batch, values, int(counted.sum()), loss))
        return parts

    def _values(self, predicted: Predicted | PredictedClass) -> list[Any]:
        if isinstance(predicted, PredictedClass):
            return self.learner.label_texts(predicted.prediction)
        return predicted.prediction.tolist()


def _joined(batches: list[Batch]) -> Batch:
    """The labels of all batches."""
    if len(batches) == 1:
        return batches[0]
    names = None
    if any(batch.class_names for batch in batches):
        names = [name for batch in batches for name in batch.class_names or [None] * batch.n]
    y, weight, lines = (np.concatenate([getattr(b, part) for b in batches]) for part in ("y", "weight", "lines"))
    return batches[0]._replace(y=y, weight=weight, lines=lines, class_names=names)


def _one_by_one(batches: list[Batch]) -> Iterator[Batch]:
    for batch in batches:
        for i in range(batch.n):
            yield batch.part(i, i + 1)


def _error_in(text: bytes, problem: Unfit) -> InputError:
    """The error for a document of several lines."""
    error = error_of(problem, text, (SOURCE, 1))
    if error.column is None:
        return error
    before = text[: error.column - 1]
    column = error.column - 1 - (before.rfind(b"\n") + 1) + 1
    return InputError(SOURCE, 1 + before.count(b"\n"), column, error.found, error.expected)


def _shared_out(ready: _Ready, parts: list[_Part]) -> list[Answer | Exception]:
    """What each job is told, with lines that count from its own first."""
    group, ends = ready.group, ready.ends
    answers = [Answer([], [], [], []) for _ in group]
    before = [0, *ends[:-1].tolist()]
    for part in parts:
        owners = np.searchsorted(ends, part.batch.lines).tolist() if len(group) > 1 else [0] * part.batch.n
        tags = part.batch.tags or [""] * part.batch.n
        for i, line, value, tag in zip(owners, part.batch.lines.tolist(), part.values, tags, strict=True):
            if value is not None:
                answer = answers[i]
                answer.lines.append(line - before[i])
                answer.values.append(value)
                answer.tags.append(tag)
    for error in ready.errors:
        i = int(np.searchsorted(ends, error.line))
        place = (error.source, (error.line or 0) - before[i], error.column)
        answers[i].errors.append(InputError(*place, error.found, error.expected))
    return [
        answer.errors[0] if job.whole and answer.errors else answer for job, answer in zip(group, answers, strict=True)
    ]  # fmt: skip
