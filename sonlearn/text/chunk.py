"""One chunk of text to rows: the kernel of its format, what Python decides for it, and its malformed lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from sonlearn.data.batch import NO_BATCH, Batch
from sonlearn.errors import InputError, TooLongError
from sonlearn.options import TextOptions
from sonlearn.options.spec import raw
from sonlearn.text import rows as at
from sonlearn.text.columns import ColumnTable, Labelling
from sonlearn.text.interact import Expanded, Interactions, count_generated, expand, make_room
from sonlearn.text.malformed import line_error, repeated_index, shifted
from sonlearn.text.names import LineNames
from sonlearn.text.number import shorten
from sonlearn.text.objects import JsonObject, Record, RowError, error_of
from sonlearn.text.rows import ParsedChunk, Runs, line_at, make_rows, to_batch
from sonlearn.text.svmlight import parse_svmlight
from sonlearn.text.vw import make_names, parse_vw

if TYPE_CHECKING:
    from sonlearn.text.flat import TableRows
    from sonlearn.text.records import RecordRows

#: Features of a batch, about, where interactions multiply them.
_BATCH_FEATURES = 1 << 20
#: Features of a line with interactions, at most.
MOST_FEATURES = 2.0**31
#: A line with a zero byte.
_ZERO_LINE = re.compile(rb"^[^\n\0]*\0[^\n]*", re.MULTILINE)

# What a chunk's line counts from; the reader adds the lines of the chunks before.
_FIRST_LINE = 1


class ChunkParser:
    """Parses chunks one after the other into the same arrays; not to be shared by threads.

    Parameters
    ----------
    options : TextOptions
    labels : Labelling
        Says whether labels may be names of classes, and which member of JSON is the action of a decision.
    stops : bool
        Whether to stop at the first malformed line of a chunk; else it is left out.
    records : TableRows or None
        What JSON objects become, where they are no namespaces.
    most_features : float
        A line that has more with interactions is malformed, and an object that has more.
    """

    def __init__(
        self,
        options: TextOptions,
        labels: Labelling = Labelling(),  # noqa: B008 (a tuple)
        *,
        stops: bool = True,
        records: TableRows | None = None,
        most_features: float = MOST_FEATURES,
        columns: ColumnTable | None = None,
    ):
        self._options, self._labels, self._stops = options, labels, stops
        self._names = make_names(options, labels.names)
        self._interactions = Interactions(options)
        self._rows = make_rows(0)
        self._state = np.zeros(at.STATE_SIZE, dtype=np.int64)
        self._line_names = LineNames(options) if options.names else None
        self._records: TableRows | RecordRows | None = records
        self._columns = columns
        self._expands = records is None and self._interactions.wanted
        self._most = most_features

    def parse(self, chunk: np.ndarray, format: str, source: str) -> ParsedChunk:
        """Parse whole lines (uint8, the last byte a newline); `source` is for messages."""
        if format == "json":
            lines = chunk.tobytes().split(b"\n")[:-1]
            return self.parse_records(enumerate(lines, _FIRST_LINE), source)._replace(lines=len(lines))
        if len(self._rows.values) < len(chunk) + 2:
            self._rows = make_rows(len(chunk), named=self._line_names is not None)
        text, chunk = chunk, without_zero_lines(chunk)
        state = self._state
        state[:] = 0
        state[at.LINE] = _FIRST_LINE
        refused: list[InputError] = []
        while (stopped := self._run(chunk, format)) != at.DONE:
            begin, line = int(state[at.POSITION]), int(state[at.LINE])
            found = line_at(text, begin)
            error = line_error(text, begin, int(state[at.AT]), stopped, (source, line, format))
            refused.append(error.but(tag=tag_in(found)) if format == "vw" else error)
            if self._stops:
                break
            state[at.POSITION], state[at.LINE] = begin + len(found) + 1, line + 1
        rows, n, lines = self._rows, int(state[at.ROWS]), int(state[at.LINE]) - _FIRST_LINE
        parsed = ParsedChunk([to_batch(rows, n, text)] if n else [], refused, lines)
        if format != "vw":
            return parsed
        plan = None
        if self._interactions.wanted:
            runs = Runs(rows.indptr, rows.indices, rows.values, rows.run_indptr, rows.run_byte, rows.run_start)
            parsed, plan = self._expanded(parsed._replace(runs=runs), source), self._interactions.plan
        elif self._options.keep or self._options.ignore:
            self._interactions.observe(rows.run_byte[: int(rows.run_indptr[n])])
        if self._line_names is not None:
            lines = {error.line for error in parsed.errors}
            parsed = parsed._replace(names=self._line_names.new_names(text.tobytes(), rows, n, plan, lines))
        return parsed._replace(spaces=frozenset(self._interactions.seen))

    def parse_records(self, records: Iterable[tuple[int, Record | InputError]], source: str) -> ParsedChunk:
        """Rows of JSON objects: (number, line of JSON, dict, or what is wrong). Blank lines are passed over."""
        if self._records is None:
            from sonlearn.text.records import RecordRows

            self._records = RecordRows(self._options, self._labels, self._columns, self._most)
        rows = self._records
        refused: list[InputError] = []
        for line, record in records:
            if isinstance(record, bytes) and not record.strip():
                continue
            try:
                if not isinstance(record, InputError):
                    rows.add(record, line)
            except RowError as problem:
                tag = tag_of(record, self._options.id or "_tag")
                record = error_of(problem, record, (source, line)).but(tag=tag)
            if isinstance(record, InputError):
                refused.append(record)
                if self._stops:
                    break
        parsed = rows.take(refused)
        return self._expanded(parsed, source) if self._expands else parsed

    def _run(self, chunk: np.ndarray, format: str) -> int:
        """Run the kernel on from the state; DONE, or the code of a malformed line."""
        state = self._state
        while True:
            if format == "vw":
                stopped = parse_vw(chunk, self._names, self._rows, state)
            else:
                stopped = parse_svmlight(chunk, self._options.constant, self._options.strict, self._rows, state)
            if stopped == at.NUMBER_UNDECIDED:
                chunk = chunk.copy()  # the caller's has the text
                shorten(chunk, int(state[at.AT]))
            elif stopped == at.UNORDERED:
                place = repeated_index(chunk, int(state[at.POSITION]))
                if place >= 0:
                    state[at.AT] = place
                    return at.REPEATED
                state[at.IN_ORDER] = state[at.LINE]
            else:
                return stopped

    def _expanded(self, parsed: ParsedChunk, source: str) -> ParsedChunk:
        """`parsed`, whose one batch has `runs`, with interactions and n-grams; rows that overflow are malformed."""
        runs, whole, constant = parsed.runs, (parsed.batches or [NO_BATCH])[0], int(self._options.constant)
        assert runs is not None
        n, tags = whole.n, whole.tags or [""] * whole.n
        self._interactions.observe(runs.run_byte[: int(runs.run_indptr[n])])
        plan = self._interactions.plan
        count, room_size = np.zeros(n), np.zeros(1, dtype=np.int64)
        count_generated(runs, n, constant, plan, np.zeros(256, dtype=np.int64), room_size, count)
        room = make_room(int(room_size[0]) + 1)
        batches: list[Batch] = []
        refused: list[InputError] = []
        start = 0
        while start < n and not (refused and self._stops):
            stop = _part_end(count, start, self._most)
            end = start
            if stop > start:
                size = int(count[start:stop].sum())
                out = Expanded(np.zeros(stop - start + 1, dtype=np.int64), np.empty(size, np.int64), np.empty(size))
                end = int(expand(runs, start, stop, constant, plan, self._names.mask, room, out))
                indptr = out.indptr[: end - start + 1].copy()
                made = {"indptr": indptr, "indices": out.indices[: indptr[-1]], "values": out.values[: indptr[-1]]}
                part = whole.part(start, end)
                batches += [part._replace(marks=_of_dates(part, indptr, constant), **made)] if end > start else []
            if end < max(stop, start + 1):
                error = _too_much(source, int(whole.lines[end]), count[end], self._most)
                refused.append(error.but(tag=tags[end]))
                end += 1
            start = end
        in_order = sorted(parsed.errors + refused, key=lambda error: error.line or 0)
        return parsed._replace(batches=batches, errors=in_order, runs=None)


def _of_dates(rows: Batch, indptr: np.ndarray, constant: int) -> np.ndarray | None:
    """The marks of parts of dates in rows that got interactions and n-grams behind their own entries, to `indptr`."""
    if rows.marks is None or not (rows.marks > 1).any():
        return None
    marks, own = np.zeros(indptr[-1], np.uint32), np.diff(rows.indptr) - constant
    to, at = (np.arange(ends[-1]) - np.repeat(ends[:-1], np.diff(ends)) < np.repeat(own, np.diff(ends))
              for ends in (indptr, rows.indptr))  # fmt: skip
    marks[to] = np.where(rows.marks > 1, rows.marks, 0)[at]
    return marks


def joined_chunks(parts: list[ParsedChunk]) -> ParsedChunk:
    """Join chunks that follow one another; lines count from the first line of the first one."""
    out = parts[0]
    for part in parts[1:]:
        batches = [batch._replace(lines=batch.lines + out.lines) for batch in part.batches]
        errors = out.errors + shifted(part.errors, out.lines)
        found = part.found if out.found is None or part.found is None else out.found.joined(part.found)
        out = ParsedChunk(out.batches + batches, errors, out.lines + part.lines, out.names + part.names, found)
    return out


def tag_in(line: bytes) -> str:
    """The tag of a malformed line of VW text, as far as one can tell: what touches the first bar, or has a quote."""
    before, bar, _ = line.partition(b"|")
    words = before.split()
    if not bar or not words or not (before[-1:].strip() or words[-1].startswith(b"'")):
        return ""
    return words[-1].removeprefix(b"'").decode("utf-8", "surrogateescape")


def tag_of(record: Record, name: str = "_tag") -> str:
    """The tag of a malformed record, which the member of this name is, as far as one can tell."""
    if isinstance(record, bytes):
        key = re.escape(raw(json.dumps(name, ensure_ascii=False)))
        found = re.search(key + rb'\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?)', record)
        try:
            tag = json.loads(found[1], parse_int=str, parse_float=str) if found else ""
        except ValueError:
            tag = ""
    else:
        tag = dict(record).get(name, "") if isinstance(record, Mapping | JsonObject) else ""
    return tag if isinstance(tag, str) and "\n" not in tag and "\r" not in tag else ""


def without_zero_lines(chunk: np.ndarray) -> np.ndarray:
    """`chunk`, or a copy where lines with a zero byte hold nothing else, which no format takes for an example."""
    if not len(chunk) or chunk.min() > 0:
        return chunk
    text = _ZERO_LINE.sub(lambda line: bytes(len(line[0])), chunk.tobytes())
    return np.frombuffer(bytearray(text), np.uint8)


def _part_end(count: np.ndarray, start: int, most: float) -> int:
    """Rows from `start` on that make a batch: at least one, unless it has more features than can be made."""
    total, stop = 0.0, start
    while stop < len(count) and count[stop] <= most and (stop == start or total + count[stop] <= _BATCH_FEATURES):
        total += float(count[stop])
        stop += 1
    return stop


def _too_much(source: str, line: int, count: float, most: float) -> InputError:
    if count > most:
        return TooLongError(source, f"{count:.3g} features with interactions", f"at most {most:.0f} in a line", line)
    return InputError(source, "an interaction whose value overflows", "products of at most 1.8e308", line)
