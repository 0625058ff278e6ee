"""Labels that come late: a row is remembered when it is predicted, and learned when the label of its id comes.

Rows and labels are in a log of events, on the disk before they are answered. A label is learned as its row with it
would be when it comes; so after a crash `LateLabels.replay` makes the same model of the log, to the same bits.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from collections.abc import Generator, Iterator
from typing import Any

from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, shorten
from sonlearn.serve import worker
from sonlearn.serve.events import EventLog, KnownEventError
from sonlearn.text.objects import TOO_DEEP, JsonObject, Record, RowError, decode, error_of
from sonlearn.text.rows import ParsedChunk

#: Rows, or labels, of a request: what is written at once delays others by some tenths of a second at most.
MOST_EVENTS = 10_000
_REPLAYED = 1_000  # labels that are learned together


class LateLabels(worker.Worker):
    """A worker whose requests to learn are ids with their labels, as JSON; see `Worker`.

    Parameters
    ----------
    events : EventLog
        Of rows.
    """

    at_once_bytes, learns_at = -1, "/label"  # the disk is waited for

    def __init__(self, events: EventLog, *parameters: Any, **more: Any):
        super().__init__(*parameters, **more)
        self.most_rows = min(self.most_rows, MOST_EVENTS)  # or labels
        self.takes_text = self.takes_csv = False  # rows are remembered as JSON
        text, self.events = self.learner.text, events
        self._id, self._label = text.id or "_tag", text.label or "_label"
        self._labels: dict[str, str] = {}  # those of the task that learns: the label as a member, by id

    def replay(self, mark: dict[str, Any]) -> int:
        """Learn the labels that came after the model's `mark`; how many."""
        events = self.events.rewarded(mark["rewards"])
        learned = 0
        while lines := [event.text for event in itertools.islice(events, _REPLAYED)]:
            text = "".join(line + "\n" for line in lines).encode()
            self._run_alone(worker.PredictionRequest(worker.LINES, text, learn=True, whole=False))
            learned += len(lines)
        return learned

    def _parsed(self, group: list[worker.PredictionRequest], stop: bool) -> Generator[None, None, ParsedChunk]:
        first = group[0]
        if not (first.learn and first.whole):  # a replay has the rows with their labels
            return (yield from super()._parsed(group, stop))
        self._labels, lines = {}, list[str]()
        for number, given in (yield from _all_objects(group, self.most_rows)):
            if number % worker.PARSED_RECORDS == 0:
                yield
            lines += [""] * (number - 1 - len(lines))
            lines.append(self._labelled(number, given))
        text = "\n".join(lines).encode() + b"\n"
        parsed = yield from super()._parsed([dataclasses.replace(first, kind=worker.LINES, text=text)], stop)
        return parsed._replace(errors=[error.but(column=None) for error in parsed.errors])

    def _labelled(self, number: int, given: Record) -> str:
        """The row of an id, with the label that was given. Raises SonlearnError."""
        fields = dict(given) if isinstance(given, JsonObject) else {}
        event, label = fields.get("id"), fields.get("label")
        if isinstance(event, float):
            event = str(event).removesuffix(".0")
        if set(fields) != {"id", "label"} or not isinstance(event, str) or not isinstance(label, str | float):
            raise InputError(worker.SOURCE, shorten(_text(given)), '{"id": "...", "label": 1}', number)
        if isinstance(label, float) and math.isinf(label):
            raise InputError(worker.SOURCE, "a label beyond 1.8e308", "a finite number", number)
        found = self.events.pending_event(event, self._labels)
        self._labels[event] = f"{json.dumps(self._label)}:{json.dumps(label)}"
        return found._replace(reward=self._labels[event]).text

    def _store_events(self, task: worker.Task, batches: list[Batch]) -> Iterator[None]:
        if task.first.learn:
            if self._labels:
                self.events.append([], list(self._labels.items()))
            return
        objects = yield from _all_objects(task.group, self.most_rows)
        ids = [tag for batch in batches for tag in batch.tags or [""] * batch.n]
        rows: dict[str, str] = {}
        for (number, given), event in zip(objects, ids, strict=True):
            line = _text(given)
            if not event:
                raise InputError(worker.SOURCE, "a row without an id", f"its id in {shorten(self._id)}", number)
            known = self.events.find(event)
            if line != (known.line if known else rows.get(event, line)):
                raise KnownEventError(f"id {shorten(event)}: another row has it; nothing was predicted")
            if known is None:
                rows[event] = line
        if rows:
            self.events.append(list(rows.items()), [])


def _all_objects(group: list[worker.PredictionRequest], most: int) -> Generator[None, None, list[tuple[int, Record]]]:
    """Return all `_objects`, which may be so many; yield between two steps. Raises InputError."""
    objects: list[tuple[int, Record]] = []
    for part in worker.pieces_of(worker.limited(most, _objects(group))):
        objects += part
        yield
    return objects


def _objects(group: list[worker.PredictionRequest]) -> Iterator[tuple[int, Record]]:
    """Yield what stands in the JSON of a group: its line, or its number in a document, from 1 on. Raises InputError."""
    text = b"".join(request.text for request in group)
    if group[0].kind == worker.DOCUMENT:
        yield from worker.elements(text)
        return
    for number, line in enumerate(text.split(b"\n"), 1):
        if line.strip():
            try:
                yield number, decode(line)
            except RowError as problem:
                raise error_of(problem, line, (worker.SOURCE, number)) from None


def _text(value: Any) -> str:
    """A decoded value as JSON. Raises InputError: it is nested too deeply to be written."""
    try:
        if isinstance(value, JsonObject):
            return "{" + ",".join(f"{json.dumps(name)}:{_text(member)}" for name, member in value) + "}"
        return "[" + ",".join(map(_text, value)) + "]" if isinstance(value, list) else json.dumps(value)
    except RecursionError:
        raise InputError(worker.SOURCE, *TOO_DEEP) from None
