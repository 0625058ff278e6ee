"""The one place that touches the learner while a model is served.

Requests wait in a queue, in the order in which they came. Those of a kind that stand together in it are worked on as
one: their text is parsed at once and predicted (or learned) at once, which costs little more than one of them. So a
server under load works in batches and an idle one answers at once, with the same answers. The learner's state changes
in place; that nothing else runs meanwhile is all the locking there is.

What is long is parsed in steps of `PARSED_BYTES` bytes and worked on in steps of `STEP_ENTRIES` entries, and whatever
else waits has its turn between two steps: so a request of a million entries delays others by a step, not by all of it.
Rows are learned, and predictions are explained, in the order in which their requests came, one request after the other:
what is explained stays the prediction of one state.
"""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch, cut, joined
from sonlearn.errors import InputError, SonlearnError, TooLongError
from sonlearn.learn.explain import explained
from sonlearn.learn.learner import Learner
from sonlearn.learn.predicted import chosen_of
from sonlearn.options.run import ServeOptions
from sonlearn.options.text import NAMESPACED, TABLES
from sonlearn.report.audit import content_of
from sonlearn.report.problem import problem_of
from sonlearn.report.quality import CoverageTotals
from sonlearn.text.chunk import ChunkParser, joined_chunks
from sonlearn.text.columns import Labelling, TableSchema, layout_of
from sonlearn.text.csv import CsvRecords
from sonlearn.text.flat import TableRows
from sonlearn.text.hashing import constant_id
from sonlearn.text.names import NameTable, names_of
from sonlearn.text.objects import JsonObject, Record, RowError, elements_of, error_of
from sonlearn.text.rows import ParsedChunk
from sonlearn.text.suspicions import bytes_notes

SOURCE = "<request>"
#: Bytes of requests that may come in and wait.
MAX_QUEUED_BYTES = 1 << 26
#: Bytes of requests that may be under way at once: their rows take many times as many. One that is larger is so alone.
MAX_BYTES_IN_PROGRESS = 1 << 24
#: Bytes of text that are worked on together, about.
GROUP_BYTES = 1 << 18
#: Bytes of text, and records, that are parsed in a step; bytes that a member or number is taken to have.
PARSED_BYTES, PARSED_RECORDS, _ENTRY = 1 << 16, 256, 16
#: Bytes that are predicted without a thread of their own: switching to it would take longer.
AT_ONCE_BYTES = 1 << 14
#: Entries of rows that are predicted or learned in a step, a row at least: some tenths of a second at most.
STEP_ENTRIES = 1 << 13
#: Entries of the rows that a request may have explained: some thirty seconds of work.
EXPLAINED_ENTRIES = 1 << 13
#: Notes on columns that are said.
MOST_NOTES = 100
_OUT_OF_BOUNDS = ("an example that would lead to numbers out of all bounds", "smaller values; it alone was left out")

TEXT, LINES, DOCUMENT, CSV = "text", "lines", "document", "csv"


class Busy(SonlearnError):  # noqa: N818
    """Too much is waiting already."""

    status, headers = 503, {"retry-after": "1", "connection": "close"}

    def __init__(self) -> None:
        super().__init__("too much is waiting; try again later")


class Extras(NamedTuple):
    """What a request asks for beside the predictions.

    Attributes
    ----------
    probabilities : bool
        Probabilities of the classes, with labels and tags.
    explain : bool
        What moved each prediction.
    coverage : bool
        Intervals, or sets of classes.
    """

    probabilities: bool = False
    explain: bool = False
    coverage: bool = False


NO_EXTRAS = Extras()


class Reply(NamedTuple):
    """The reply to a request.

    Attributes
    ----------
    lines : list of int, the lines that were examples, from 1 on
    values : list of float or str, the predictions: a class as its label
    tags : list of str
    errors : list of InputError, of the lines that were none, or could not be learned
    more : dict of lists, what was asked for beside the predictions, by name
    notes : list of str, what is to be said of columns that are missing, or not known, and is new of what columns hold
    """

    lines: list[int]
    values: list[Any]
    tags: list[str]
    errors: list[InputError]
    more: dict[str, list[Any]]
    notes: list[str]


class Task:
    """A group under way: the steps that are left, and what has been done."""

    def __init__(self, group: list[PredictionRequest]):
        self.group, self.first = group, group[0]
        self.size = sum(request.size for request in group)
        newlines = [request.text.count(b"\n") for request in group] if len(group) > 1 else [1 << 62]
        self.ends = np.cumsum(newlines)  # last lines of its requests
        self.steps: Iterator[None] | None = None  # None: it has not been begun
        self.batches: list[Batch] | None = None  # None: it has to be parsed first
        self.fits = True  # whether all labels do
        self.rows, self.learned, self.loss = 0, 0, 0.0  # rows done, those of them learned, and their summed loss
        self.replies = [Reply([], [], [], [], {}, []) for _ in group]
        self.results: Sequence[Reply | Exception] | None = None  # when it is done

    def request_of(self, line: Any) -> Any:
        """The number of the request that a line is of, or of each of int64[n]."""
        return np.searchsorted(self.ends, line)

    def add(self, batch: Batch, values: list[Any], more: dict[str, list[Any]]) -> None:
        """Put what is said of rows (None: nothing) into the replies, whose lines count from their own first."""
        self.rows += batch.n
        tags, owners = batch.tags or [""] * batch.n, self.request_of(batch.lines).tolist()
        for row, (i, line, value) in enumerate(zip(owners, batch.lines.tolist(), values, strict=True)):
            if value is not None:
                reply = self.replies[i]
                reply.lines.append(self._own_line(i, line))
                reply.values.append(value)
                reply.tags.append(tags[row])
                for name, each in more.items():
                    reply.more.setdefault(name, []).append(each[row])

    def refuse(self, error: InputError) -> None:
        """Put an error into the reply whose line it is."""
        i = int(self.request_of(error.line))
        self.replies[i].errors.append(error.but(line=self._own_line(i, error.line or 0)))

    def _own_line(self, i: int, line: int) -> int:
        return line - int(self.ends[i - 1]) if i else line


class Queue:
    """Requests that wait for their turn, in the order in which they came; `turn` is a subclass's."""

    def __init__(self) -> None:
        self.waiting = 0  # bytes, of those that come in, too; a request beyond `MAX_QUEUED_BYTES` is refused
        self._requests: deque[Any] = deque()
        self._long: deque[Task] = deque()  # what is under way
        self._wake = asyncio.Event()
        self._stopping = False

    async def enqueue(self, request: Any) -> Any:
        """The answer to a request, when its turn has come. Raises Busy, or what is its answer."""
        if self._stopping or (self._requests and self.waiting + request.size > MAX_QUEUED_BYTES):
            raise Busy
        request.answer = asyncio.Future()
        self._requests.append(request)
        self.waiting += request.size
        self._wake.set()
        return await request.answer

    async def run(self) -> None:
        """Work until `stop`, and then on what waits."""
        with ThreadPoolExecutor(1, thread_name_prefix="sonlearn-learn") as pool:
            while self._requests or self._long or not self._stopping:
                if self._requests or self._long:
                    await self.turn(pool)
                    continue
                self._wake.clear()
                await self._wake.wait()
                await asyncio.sleep(0)  # what has come at the same time joins in

    async def turn(self, pool: ThreadPoolExecutor) -> None:
        """Do some of what waits or is under way, what is long in the thread of the `pool`."""
        raise NotImplementedError

    def answer(self, group: Sequence[Any], results: Sequence[Any]) -> None:
        """Answer a group of requests: with the result of each, or an error."""
        self.waiting -= sum(request.size for request in group)
        for request, result in zip(group, results, strict=True):
            if request.answer.cancelled():
                continue
            if isinstance(result, Exception):
                request.answer.set_exception(result)
            else:
                request.answer.set_result(result)

    def stop(self) -> None:
        """Take no more requests; what waits is answered."""
        self._stopping = True
        self._wake.set()


@dataclasses.dataclass(eq=False)
class PredictionRequest:
    """A request.

    Attributes
    ----------
    kind : str
        ``text`` in the model's own format, or JSON: an object a line (``lines``), or one object or array of objects
        (``document``); or ``csv`` with its header, of a model of tables.
    text : bytes
        Whole lines.
    learn : bool
        Whether labels are to be learned; else they do not count.
    whole : bool
        Whether one malformed line spoils all of it; else the others are taken.
    extras : Extras
    """

    kind: str
    text: bytes
    learn: bool
    whole: bool
    extras: Extras = NO_EXTRAS
    answer: asyncio.Future[Reply] = dataclasses.field(init=False)

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.text)

    @property
    def is_sequential(self) -> bool:
        """Return whether it waits for the requests before it that learn or explain."""
        return self.learn or self.extras.explain


class Worker(Queue):
    """Takes requests in turn.

    Parameters
    ----------
    learner : Learner
    names : NameTable
        Where names of features are added, if the model keeps them.
    options : ServeOptions
        Of a model that learns labels keep arriving, so rows are predicted by all members of a committee
        (`Learner.predict`).
    after : callable
        Called when rows have been predicted, and learned or not: (rows, of them learned, their summed loss). Runs while
        the learner rests, so it may save it.
    tell : callable
        Takes what is to be known of the columns in requests, each note once.
    """

    #: Of requests of at most so many bytes see `AT_ONCE_BYTES`.
    at_once_bytes = AT_ONCE_BYTES
    #: The path whose requests are learned.
    learns_at = "/learn"

    def __init__(
        self,
        learner: Learner,
        names: NameTable,
        options: ServeOptions = ServeOptions(),  # noqa: B008 (frozen)
        after: Callable[[int, int, float], None] = lambda rows, learned, loss: None,
        tell: Callable[[str], None] = lambda note: None,
    ):
        super().__init__()
        self.learner, self.names, self._options, self._after = learner, names, options, after
        #: Rows of a request; whether there are lines of text for this model, and rows of a table.
        self.most_rows, format = options.max_rows, learner.text.format
        self.takes_text, self.takes_csv = format not in TABLES, format in (*TABLES, "json")
        self.problem = problem_of(learner.options, learner)
        self.coverage = CoverageTotals()  # of the rows learned
        self._shown_notes, self._show_note = set[str](), tell
        # By whether rows are learned.
        self._columns = {False: learner.columns.frozen(names.known), True: learner.columns}
        learner.columns.usual = learner.columns.always_at_top
        # By whether the first malformed line ends it (of a request that is whole, no more has to be known), and whether
        # the rows are learned.
        self._parsers = {each: self._parser(*each) for each in itertools.product((False, True), self._columns)}

    def _parser(self, stop: bool, learns: bool) -> ChunkParser:
        text, columns = self.learner.text, self._columns[learns]
        labels = Labelling.of(self.learner.options, named=self.learner.labels.worded)._replace(in_each=learns)
        of_lines = text.format not in TABLES
        most = float(self._options.max_features)
        records = None if text.format in NAMESPACED else TableRows(text, labels, columns, of_lines, most)
        return ChunkParser(text, labels, stops=stop, most_features=most, records=records, columns=columns)

    async def ask(
        self, kind: str, text: bytes, *, learn: bool = False, whole: bool = True, extras: Extras = NO_EXTRAS
    ) -> Reply:
        """Return what becomes of a request (see `PredictionRequest`).

        Raises
        ------
        Busy
        SonlearnError
            A line, a label or a number is wrong. Of a request that is to be `whole` nothing has been learned then, but
            of the rows beside one that leads to numbers out of all bounds.
            `TooLongError`: a row has more entries than a row may have, or the request more rows.
        """
        text = text if text.endswith(b"\n") else text + b"\n"
        if whole and kind in (TEXT, LINES) and text.count(b"\n") > self.most_rows:
            raise too_many_rows(self.most_rows)
        return await self.enqueue(PredictionRequest(kind, text, learn, whole, extras))

    async def turn(self, pool: ThreadPoolExecutor) -> None:
        """A step of what waits, and one of what is under way."""
        if group := self._group():
            await self._step(Task(group), pool)
        if self._long:
            await self._step(self._long.popleft(), pool)

    async def _step(self, task: Task, pool: ThreadPoolExecutor) -> None:
        """Do a step of a task; answer its requests, or put it behind the others that are under way."""
        if task.size <= self.at_once_bytes and not task.first.is_sequential:
            self._work(task)
            await asyncio.sleep(0)
        else:
            await asyncio.get_running_loop().run_in_executor(pool, self._work, task)
        if task.results is None:
            self._long.append(task)
        else:
            self.answer(task.group, task.results)

    def _group(self) -> list[PredictionRequest]:
        """Take the first requests of the queue that can be done together; see `PredictionRequest.is_sequential`."""
        at = self._next()
        if at is None:
            return []
        first = self._requests[at]
        del self._requests[at]
        group, size = [first], first.size
        while at < len(self._requests) and first.kind not in (DOCUMENT, CSV) and not first.extras.explain:
            request = self._requests[at]
            size += request.size
            alike = (request.kind, request.learn, request.extras) == (first.kind, first.learn, first.extras)
            if not alike or size > GROUP_BYTES:
                break
            group.append(request)
            del self._requests[at]
        return group

    def _next(self) -> int | None:
        """The place in the queue of the request that can be begun; what is short never waits for what is long."""
        busy, under_way = any(task.first.is_sequential for task in self._long), sum(task.size for task in self._long)
        for at, request in enumerate(self._requests):
            fits = request.size <= max(MAX_BYTES_IN_PROGRESS - under_way, AT_ONCE_BYTES) or not under_way
            if fits and not (busy and request.is_sequential):
                return at
            busy |= request.is_sequential
        return None

    # -- without the event loop ------------------------------------------------------------------------------------

    def _work(self, task: Task) -> None:
        """Take a step of a task, and sum up what was done after the last one."""
        group = task.group
        task.steps = task.steps or self._steps_of(task)
        try:
            if next(task.steps, task) is None:  # a step; `task`: there is none left
                return
        except Exception as error:
            begun = task.first.learn and task.batches is not None
            if not begun:  # what columns held in a request that is refused has not come
                which = len(group) == 1 and task.first.whole, task.first.learn
                self._parsers[which] = self._parser(*which)
            if begun or len(group) == 1 or not isinstance(error, SonlearnError):
                task.results = [error] * len(group)
            else:  # nothing has been learned; one of them is at fault: find out which
                task.results = [self._run_alone(request) for request in group]
            return
        self._after(task.rows, task.learned, task.loss)
        replies = zip(group, task.replies, strict=True)
        task.results = [reply.errors[0] if request.whole and reply.errors else reply for request, reply in replies]

    def _steps_of(self, task: Task) -> Iterator[None]:
        """Parse the text of a task, then predict or learn a batch at a time; yield between two steps."""
        held = (self.learner.columns.known, self.learner.columns.numbers) if task.first.learn else ()
        before = [dict(each) for each in held]
        task.batches = yield from self._parse_task(task)
        for batch in cut(task.batches, _end_of_step if task.fits else lambda batch, start: start + 1):
            if task.rows:
                yield
            yield from self._run_batch(task, batch)
        if held and task.rows and not any(reply.lines for reply in task.replies):  # what was refused has not come
            for each, as_before in zip(held, before, strict=True):  # in place: what is only predicted shares them
                each.clear()
                each.update(as_before)
            self._parsers |= {(stop, True): self._parser(stop, True) for stop in (False, True)}

    def _run_alone(self, request: PredictionRequest) -> Reply | Exception:
        """The reply to a request by itself."""
        task = Task([request])
        while task.results is None:
            self._work(task)
        return task.results[0]

    def _parse_task(self, task: Task) -> Generator[None, None, list[Batch]]:
        """Return the rows of a task, which gets the errors in it; yield between two steps.

        Raises SonlearnError where a request must be whole but is not, or a label is unfit.
        """
        first, alone = task.first, len(task.group) == 1
        parsed = yield from self._parsed(task.group, stop=alone and first.whole)
        batches, long = _within(parsed.batches, self._options.max_features)
        if first.extras.explain and sum(len(batch.indices) for batch in batches) > EXPLAINED_ENTRIES:
            found = f"rows of more than {EXPLAINED_ENTRIES} entries in all"
            long.append(TooLongError(SOURCE, found, "at most so many where they are to be explained", 1))
        for error in (*parsed.errors, *long):
            if task.group[int(task.request_of(error.line))].whole:
                raise error
            task.refuse(error)
        source = self.learner.text
        constant = constant_id(source, source.format)
        batches = [batch._replace(source=SOURCE, constant=constant) for batch in batches]
        if parsed.found is not None and batches:
            notes = self._columns[first.learn].check(parsed.found, SOURCE, first.learn)
            notes += self._new_notes(parsed.found.faults)
            if notes and not alone:
                raise SonlearnError(notes[0])  # each has its turn alone, which tells whose columns these are
            self._show_notes(notes)
            task.replies[0].notes.extend(notes)
        if first.learn and batches:
            try:
                self.learner.coded(joined(batches))
            except SonlearnError:
                if not alone or first.whole:
                    raise
                task.fits = False
        yield from self._store_events(task, batches)
        if first.learn and batches:
            self.names.add(parsed.names)
            if parsed.found is not None:
                self._columns[True].add_schema(parsed.found)
        return batches

    def _store_events(self, task: Task, batches: list[Batch]) -> Iterator[None]:
        """Write down what has to be before rows are predicted or learned; yield between two steps."""
        yield from ()

    def _new_notes(self, notes: Iterable[str]) -> list[str]:
        """Return what has not been said of these, as long as it is not too much."""
        return [note for note in notes if note not in self._shown_notes][: MOST_NOTES - len(self._shown_notes)]

    def _show_notes(self, notes: Iterable[str]) -> None:
        """Say what has not been said before."""
        for note in self._new_notes(notes):
            self._shown_notes.add(note)
            self._show_note(note)

    def _parsed(self, group: list[PredictionRequest], stop: bool) -> Generator[None, None, ParsedChunk]:
        """Return what the text of a group is parsed to; yield between two steps."""
        first, parts = group[0], list[ParsedChunk]()
        parser = self._parsers[stop, first.learn]
        text = first.text if len(group) == 1 else b"".join(request.text for request in group)
        self._show_notes(bytes_notes(text, f"{SOURCE}:"))
        pieces: Iterator[Any]
        if first.kind in (DOCUMENT, CSV):
            rows = limited(self.most_rows, elements(text) if first.kind == DOCUMENT else self._rows_of_csv(text))
            pieces = pieces_of(rows)
            parse = lambda piece: parser.parse_records(piece, SOURCE)  # noqa: E731
        else:
            format = "json" if first.kind == LINES else "vw" if self.learner.text.format in NAMESPACED else "svmlight"
            # not of bytes, which are of a type to compile for
            pieces = (np.frombuffer(bytearray(piece), np.uint8) for piece in _pieces(text))
            parse = lambda piece: parser.parse(piece, format, SOURCE)  # noqa: E731
        for piece in pieces:
            if parts:
                yield
            parts.append(parse(piece))
            if stop and parts[-1].errors:
                break
        return joined_chunks(parts or [parser.parse_records((), SOURCE)])

    def _rows_of_csv(self, text: bytes) -> Iterator[tuple[int, Record | InputError]]:
        """Yield the rows of a table, or what is wrong with them, by their first lines. Raises InputError."""
        options = self.learner.text
        records = CsvRecords([np.frombuffer(text, dtype=np.uint8)], SOURCE, options)
        if not records.columns:
            raise InputError(SOURCE, "an empty body", "a table with a header")
        hint = records.hint
        if "--delimiter" in hint:
            hint = f"; this model's fields are separated by {options.delimiter!r}"
        layout = layout_of(records.columns, options, (SOURCE, 1), Labelling(False), hint, self._columns[False])
        features = tuple(name for _, name in layout.features)
        self.learner.columns.check(TableSchema(features, {}, hint), SOURCE, learns=False)
        yield from records.objects(layout)

    def _run_batch(self, task: Task, batch: Batch) -> Iterator[None]:
        """Predict a batch, or learn it after that; yield between two steps."""
        request = task.first
        if not task.fits:  # a row by itself
            try:
                self.learner.coded(batch)
            except InputError as error:
                task.refuse(error)
                task.add(batch, [None] * batch.n, {})
                return
        more: dict[str, list[Any]] = {}
        if request.extras.explain:  # by what is known before the rows
            more["explanations"] = yield from self._explanations(batch)
        if not request.learn:
            unlabelled = batch._replace(y=np.full(batch.n, np.nan), class_names=None)
            predicted = self.learner.predict(unlabelled, online=self._options.learn)
        else:
            predicted = self.learner.partial_fit(batch, skip=True)
            counted = ~np.isnan(predicted.label) & (batch.weight > 0) & ~predicted.refused
            if self.learner.options.coverage is not None and counted.any():
                label = predicted.label[counted]
                self.coverage.count(chosen_of(predicted, counted), label, self.learner.labels.numbers_of(label))
            task.learned += int(counted.sum())
            task.loss += float((predicted.loss * batch.weight)[counted].sum())
        values = self.problem.replies(predicted)
        for row in np.flatnonzero(predicted.refused).tolist() if request.learn else ():
            task.refuse(InputError(SOURCE, *_OUT_OF_BOUNDS, line=int(batch.lines[row])))
            values[row] = None
        more |= self.problem.more(predicted, request.extras.coverage, request.extras.probabilities)
        task.add(batch, values, more)

    def _explanations(self, batch: Batch) -> Generator[None, None, list[Any]]:
        """Return what moved the prediction of each row; yield between two steps."""
        names = lambda feature: names_of(feature, self.names)  # noqa: E731
        found = []
        for explanation in explained(self.learner, batch):
            if explanation is None:
                yield
            else:
                found.append(content_of(explanation, names, 0))
        return found


def _pieces(text: bytes) -> Iterator[bytes]:
    """Whole lines of a text, about `PARSED_BYTES` at a time."""
    start = 0
    while start < len(text):
        end = text.find(b"\n", start + PARSED_BYTES) + 1 or len(text)
        yield text[start:end]
        start = end


def elements(text: bytes) -> Iterator[tuple[int, Record]]:
    """The objects of a document with their numbers, from 1 on. Raises InputError."""
    text = text.rstrip()  # its end is where its last line ends
    if not text:
        raise InputError(SOURCE, "an empty body", "an object, or an array of objects")
    try:
        yield from enumerate(elements_of(text), 1)
    except RowError as problem:
        error = error_of(problem, text, (SOURCE, 1))
        at = (error.column or 1) - 1  # in the document, which has several lines
        line, column = 1 + text.count(b"\n", 0, at), at - text.rfind(b"\n", 0, at)
        raise error.but(line=line, column=column) from None


def too_many_rows(most: int) -> TooLongError:
    """Return what is wrong with a request of more rows than it may have."""
    return TooLongError(SOURCE, f"more than {most} rows", "at most so many in a request; send less at once")


def limited(most: int, rows: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Yield rows. Raises TooLongError when there are more than may be."""
    yield from itertools.islice(rows, most)
    if next(rows, None) is not None:
        raise too_many_rows(most)


def pieces_of(rows: Iterator[tuple[int, Any]]) -> Iterator[list[tuple[int, Any]]]:
    """The rows that are parsed in a step, a step after the other: few, where they are long."""
    part, size = list[tuple[int, Any]](), 0
    for number, row in rows:
        part.append((number, row))
        size += _bytes_of(row) if isinstance(row, JsonObject) else 0
        if len(part) >= PARSED_RECORDS or size >= PARSED_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _bytes_of(row: JsonObject) -> int:
    """Roughly how many bytes there are in a row, its objects and arrays."""
    held = [len(value) * (1 if isinstance(value, str) else _ENTRY) for _, value in row if isinstance(value, str | list)]
    return _ENTRY * len(row) + sum(held)


def _end_of_step(batch: Batch, start: int) -> int:
    """Behind the last row from `start` on for which these have `STEP_ENTRIES` entries at most."""
    return int(np.searchsorted(batch.indptr, batch.indptr[start] + STEP_ENTRIES, side="right")) - 1


def _within(batches: list[Batch], most: int) -> tuple[list[Batch], list[InputError]]:
    """(the rows of at most so many entries, an error for each other one)."""
    taken: list[Batch] = []
    errors: list[InputError] = []
    for batch in batches:
        lengths = np.diff(batch.indptr)
        fits = lengths <= most
        taken += [batch if fits.all() else batch.at(np.flatnonzero(fits))] if fits.any() else []
        errors += [
            TooLongError(SOURCE, f"a row of {lengths[row]} features", f"at most {most}", int(batch.lines[row]))
            for row in np.flatnonzero(~fits).tolist()
        ]
    return taken, errors
