"""Sources of text to batches, in order, with malformed lines as errors or skipped."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import glob
import itertools
import os
import re
import stat
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, OptionError
from sonlearn.interrupts import Interrupted
from sonlearn.options import TextOptions
from sonlearn.options.text import NAMESPACED, OF_BOTH, OF_NAMESPACES, OF_TABLES, TABLES
from sonlearn.text.chunk import ChunkParser
from sonlearn.text.columns import ColumnTable, Labelling, TableSchema
from sonlearn.text.hashing import constant_id
from sonlearn.text.interact import never_met
from sonlearn.text.malformed import Malformed, name_problems, no_example, shifted, without_rows
from sonlearn.text.names import NameTable
from sonlearn.text.objects import SAMPLE, RecordSource, first_objects, sources_of, texts_in, usual_members
from sonlearn.text.pipeline import map_prefetching
from sonlearn.text.rows import ParsedChunk
from sonlearn.text.source import (
    CHUNK_BYTES,
    NO_TEXT,
    Meter,
    Source,
    is_arrow,
    is_empty,
    is_remote,
    is_table,
    peeked,
    read_chunks,
    reason,
    source_name,
)
from sonlearn.text.suspicions import with_encoding_notes

if TYPE_CHECKING:
    from sonlearn.text.flat import TableRows

#: Lines looked at to tell the format.
_DETECT_LINES = 100
#: How a line of JSON begins.
_JSON = re.compile(rb"\s*\{\s*[\"}]")

#: What stands in the place of a label in a line of VW text.
_LABEL = re.compile(rb"^[ \t]*([^\s|']+)[ \t][^|\n]*\|", re.MULTILINE)

#: Bytes of a record in memory, about.
_RECORD_BYTES = 256


def detect_format(chunk: np.ndarray) -> str | None:
    """The format of text that begins with this chunk.

    ``json`` if the first line that is not blank begins like an object; else ``vw`` if one of the first lines has a bar
    before any ``#``, ``svmlight`` if none; None if all are blank.
    """
    found = None
    for line in chunk[: 1 << 20].tobytes().split(b"\n", _DETECT_LINES)[:_DETECT_LINES]:
        if found is None and _JSON.match(line):
            return "json"
        before_comment = line.split(b"#", 1)[0]
        if b"|" in before_comment:
            return "vw"
        if before_comment.strip():
            found = "svmlight"
    return found


def labels_are_names(chunk: np.ndarray) -> bool:
    """Return whether most of the first labels of VW text are names, which begin with a letter."""
    labels: list[bytes] = _LABEL.findall(chunk[: 1 << 16].tobytes())
    return 2 * sum(label[:1].isalpha() or label[0] > 127 for label in labels) > len(labels)


def expand_globs(sources: Iterable[Source]) -> Iterator[Source]:
    """Replace patterns like ``day-*.svm`` by the files that match, sorted; a file of just that name comes first.

    Raises
    ------
    InputError
        A pattern matches nothing, there is no such file, or it is a folder: said before the first one is read.
    """
    yield from [match for source in sources for match in _matches(source)]


def _matches(source: Source) -> list[Source]:
    """The sources that one stands for: itself, unless it is a pattern."""
    if not isinstance(source, (str, os.PathLike)) or source == "-":
        return [source]
    remote = isinstance(source, str) and is_remote(source)
    if isinstance(source, str) and glob.has_magic(source) and not os.path.exists(source):
        if remote:
            import fsspec

            matches: list[Source] = [file.full_name for file in fsspec.open_files(source, "rb")]
        else:
            matches = [*sorted(glob.glob(source, recursive=True))]
        if not matches:
            raise InputError(source, "no file that matches", "a file name or a pattern")
        return matches
    name = os.fspath(source)
    try:
        is_folder = not remote and stat.S_ISDIR(os.stat(name).st_mode)
    except OSError as error:
        raise InputError(name, reason(error), "a text file") from None
    if is_folder:
        raise InputError(name, "a directory", f"a text file; its files are '{os.path.join(name, '*')}'")
    return [source]


class Reader:
    """Batches of the examples in one or several sources, read one after the other. Iterate once.

    Parameters
    ----------
    sources : path, pattern, ``"-"`` (standard input) or open binary stream, or an iterable of these
        Or an iterable of dicts, or of lines of JSON (`sonlearn.text.records`), drawn as the batches are asked for. Or
        tables in memory (`sonlearn.text.arrow.read_arrow`).
    options : TextOptions
    chunk_bytes : int
        Text that becomes one batch, about. Neither rows nor errors depend on it.
    on_error : str
        ``stop``: a malformed line raises, after all rows before it; ``skip``: it is left out and counted.
    max_errors : int or None
        With ``skip``: the malformed line after that many raises.
    threads : int
        Threads that parse ahead while the batches are used, besides one that reads and decompresses; 0: neither. The
        batches are the same.

    names : NameTable or None
        Where names are added as they come, with ``TextOptions.names``.
    labels : Labelling
        What is asked of labels; where they may be names (`Batch.class_names`), LIBSVM text still has numbers only.
    columns : ColumnTable or None
        The columns that are known; those of tables are compared with them, and added as they come.
    known_rows : int
        So many examples have been read before, by a run that this one goes on with: their names are not counted again.
    stretch : int
        Where lines are long, batches are of so many times as much text (see `sonlearn.text.source.read_chunks`).
    usual : bool
        Whether members of JSON that all rows before had, or if there are none two thirds of the first 100 objects,
        are missing where they are absent. No row is handed on before those have come.
    texts : bool
        Whether, where no columns are known, the first 100 rows tell how these are read (`sonlearn.text.infer`). No
        row is handed on before those have come.

    Attributes
    ----------
    options : TextOptions
        As given, with what the first rows told.
    format : str or None
        ``svmlight``, ``vw``, ``json``, ``csv`` or ``arrow``; with ``auto`` None until the first example, then the same
        for all sources.
    malformed : Malformed
        What becomes of malformed lines.
    tables : list of (str, tuple of str)
        The sources that are tables, and their feature columns.
    notes : list of str
        What is to be said of text that is not UTF-8, of columns that are missing or not known; at the end, of
        namespaces that flags name and no row has.
    waiting : int
        Lines that have come, and wait for the first 100 rows.
    meter : Meter or None
        May be set, and is then told how much of the sources has been read.
    """

    meter: Meter | None = None
    #: What messages call a table in memory.
    table_name = "<table>"

    def __init__(
        self,
        sources: Source | Iterable[Source] | Iterable[Mapping[str, Any] | str],
        options: TextOptions = TextOptions(),  # noqa: B008 (frozen)
        *,
        chunk_bytes: int = CHUNK_BYTES,
        on_error: str = "stop",
        max_errors: int | None = None,
        threads: int = 0,
        names: NameTable | None = None,
        labels: Labelling = Labelling(),  # noqa: B008 (a tuple)
        columns: ColumnTable | None = None,
        known_rows: int = 0,
        stretch: int = 1,
        usual: bool = False,
        texts: bool = False,
    ):
        single = isinstance(sources, (str, os.PathLike)) or hasattr(sources, "readinto") or is_table(sources)
        self.sources: list[Any] = [sources] if single else sources_of(sources)  # type: ignore[arg-type]
        self.options = options
        given = options.format
        self.format: str | None = None if given == "auto" else given
        if self.sources and isinstance(self.sources[0], RecordSource):
            if given not in ("auto", "json"):
                raise OptionError(f"--format {given}: dicts are read as json")
            self.format = "json"
        if any(map(is_table, self.sources)):
            if given not in ("auto", *TABLES):
                raise OptionError(f"--format {given}: tables in memory are read as arrow")
            self.format = "arrow"
        self.malformed = Malformed(on_error, max_errors)
        self._chunk_bytes, self._threads, self._stretch = chunk_bytes, threads, stretch
        self._labels = labels
        self._named = labels.names  # of VW text
        self._parsers = threading.local()
        self.names = NameTable() if names is None else names
        self.columns = ColumnTable() if columns is None else columns
        self._known_rows = known_rows
        if usual:
            self.columns.usual = self.columns.always_at_top
        self._usual_before, known = self.columns.usual, bool(self.columns.known)
        self._infers_usual, self._infers_texts = usual and not known, texts and not known
        self.notes: list[str] = []
        self.tables: list[tuple[str, tuple[str, ...]]] = []
        self.waiting = 0

    def __iter__(self) -> Iterator[Any]:
        """Yield batches.

        Raises
        ------
        InputError
            A source cannot be read, a line is malformed, or there is no example in any source.
        OptionError
            An option needs namespaces and the input is LIBSVM text.
        """
        if self.meter is not None:
            self.meter.begin(expand_globs(self.sources))
        examples, line, spaces = 0, 0, set[int]()
        for source, first, result in self._parsed():
            if examples + sum(batch.n for batch in result.batches) > self._known_rows:
                self.names.add(result.names)
            spaces |= result.spaces
            if result.found is not None:
                self._update_columns(result.found, source)
            line = 0 if first else line
            for batch in self._checked(result, source, line):
                examples += batch.n
                yield batch
            line += result.lines
        if examples == 0:
            self.raise_empty()
        self.notes += never_met(self.options, spaces) if self.format == "vw" else ()

    def _parsed(self) -> Iterator[tuple[str, bool, ParsedChunk]]:
        """The chunks of all sources, parsed: (source, whether it is the first of the source, what became of it)."""
        items = self._items()
        if self.infers:  # here, where signals come: what has come before one is told
            items = itertools.chain([*itertools.islice(items, 1)], items)
        return map_prefetching(items, self._parse, self._threads) if self._threads > 0 else map(self._parse, items)

    def _items(self) -> Iterator[tuple[str, bool, Any]]:
        """The chunks of all sources, as `_parsed` has them, or as texts; with threads, copies that stay valid."""
        if self.options.format in ("auto", "csv"):
            first = next(itertools.filterfalse(is_empty, expand_globs(self.sources)), None)
            if first is not None and is_arrow(first):
                self.format = "arrow"
        self._check()
        tables = self.format in TABLES
        for source in expand_globs(self.sources):
            name = self.table_name if is_table(source) else source_name(source)
            chunks: Iterator[Any]
            if isinstance(source, RecordSource):
                chunks = self._records(source)
            elif tables and (self.options.format == "arrow" or is_table(source) or is_arrow(source)):
                chunks = self._arrow(source, name)
            else:
                chunks = self.chunks_of(source, guesses=True)
                tables = tables or self.format == "csv"
                chunks = self._rows(chunks, name) if tables else chunks
            numbered: Iterator[tuple[int, Any]] = enumerate(chunks)
            for part, chunk in numbered:
                if self.format is None:
                    self.format = detect_format(chunk)
                self._check()
                if self.format == "vw" and self._named is None:
                    self._named = labels_are_names(chunk)
                copied = self._threads > 0 and isinstance(chunk, np.ndarray)
                yield name, part == 0, chunk.copy() if copied else chunk

    def _check(self) -> None:
        """`check_options`, once the format is known; of tables again once the columns of texts are."""
        if self.format is not None:
            waits = self._infers_texts and self.format in TABLES
            check_options(dataclasses.replace(self.options, ngram=(), skips=()) if waits else self.options, self.format)

    def _update_columns(self, found: TableSchema, source: str) -> None:
        """Compare the columns of a table with those that are known, and add them; note what is to be said."""
        table, notes = (source, () if found.objects else found.columns), list[str]()
        is_new = table not in self.tables[-1:] and bool(found.columns or found.kinds)
        if is_new or (found.objects and self.columns.is_frozen):
            notes = self.columns.check(found, source, self._labels.needed)
        self.tables += [table] if is_new else []
        self.columns.add_schema(found)
        for note in (*notes, *found.faults, *(found.notes if self._labels.needed else ())):
            self.notes += [] if note in self.notes else [note]

    def raise_empty(self) -> None:
        """Raise InputError: there was no example."""
        names = ", ".join(map(source_name, self.sources)) or "<nothing>"
        found = "a header and no rows" if self.tables else "an empty stream"
        raise no_example(names, found, self.malformed.count, self.malformed.errors)

    def _watch(self, raw: Any) -> Any:
        """See `open_binary`."""
        return raw if self.meter is None else self.meter.watch(raw)

    @property
    def infers(self) -> bool:
        """Return whether the first rows are still to tell something."""
        return self._infers_usual or self._infers_texts

    def chunks_of(self, source: Source, guesses: bool = False) -> Iterator[np.ndarray]:
        """The text of a source; the first one's when its first rows have told what they tell.

        `guesses`: whether it is JSON, or else CSV, where no option says and others are of tables.
        """
        name = source_name(source)
        chunks = read_chunks(source, self._chunk_bytes, self._watch, stretch=self._stretch)
        chunks = with_encoding_notes(chunks, name, self.notes)
        if guesses and self.format is None and (self.options.label or self.options.given(OF_TABLES)):
            text, chunks = peeked(chunks)
            if len(text):  # an empty source does not tell
                self.format = "json" if detect_format(text) == "json" else "csv"
            self._check()
        waits = self.infers and self.format in (None, "json", "csv")
        return self._infer(chunks, name) if waits else chunks

    def _infer(self, chunks: Iterator[np.ndarray], name: str) -> Iterator[np.ndarray]:
        """The same text, after `_infer_from` of the first rows, at a signal of those that came: they are one chunk."""
        begun, problems = list[np.ndarray](), list[InputError | Interrupted]()

        def drawn() -> Iterator[np.ndarray]:
            try:
                for text in chunks:
                    begun.append(text.copy())  # it is valid until the next one is asked for
                    self.waiting += int(np.count_nonzero(text == ord("\n")))
                    yield begun[-1]
            except (InputError, Interrupted) as error:  # which comes behind what was read before it
                problems.append(error)

        if self._infer_from(drawn(), name):
            self._infers_usual = self._infers_texts = False
        self.waiting = 0
        if begun:
            yield np.concatenate(begun)
        for problem in problems:
            raise problem
        yield from chunks

    def _infer_from(self, chunks: Iterator[np.ndarray], name: str) -> bool:
        """See in the first rows how columns are read, and which members are usual; return whether there are rows.

        Rows of other formats tell nothing.
        """
        text, format = next(chunks, NO_TEXT), self.format
        while len(text) and (format := self.format or detect_format(text)) is None:
            text = next(chunks, NO_TEXT)
        chunks, rows = itertools.chain([text], chunks), list[dict[str, str]]()
        if format == "json":
            objects = first_objects(line for text in chunks for line in text.tobytes().split(b"\n"))
            if self._infers_usual:
                self.columns.usual = usual_members(objects)
            rows = list(map(texts_in, objects))
        elif format == "csv" and self._infers_texts:
            from sonlearn.text.csv import CsvRecords

            with contextlib.suppress(InputError):  # of the header, which is read again
                first = itertools.islice(CsvRecords(chunks, name, self.options).objects(), SAMPLE)
                rows = [row for _, row in first if not isinstance(row, InputError)]
        if self._infers_texts and rows:
            from sonlearn.text.infer import infer

            self.options = infer(self.options, rows)
        return bool(rows) or format not in (None, "csv")

    def _arrow(self, source: Any, name: str) -> Iterator[ParsedChunk]:
        """Rows of a file of Parquet or Arrow, or of a table in memory."""
        from sonlearn.text.arrow import read_arrow

        infers, self._infers_texts = self._infers_texts, False
        tables = read_arrow(source, self.options, self._labels, self._watch, self.columns, name=name, texts=infers)
        for table in tables:
            if infers and table.found is not None and table.found.read_as is not None:
                self.options, infers = self.options.with_inferred(table.found.read_as), False
            yield table

    def _rows(self, chunks: Iterator[np.ndarray], name: str) -> Iterator[ParsedChunk]:
        """Rows of CSV, for a model also of JSON."""
        from sonlearn.text.csv import CsvRecords, read_csv, read_csv_as_objects
        from sonlearn.text.flat import TableRows

        text, chunks = peeked(chunks)
        if self.columns.known and not self._labels.action and detect_format(text) == "json":
            parser = self._parser(TableRows(self.options, self._labels, self.columns))
            return map(functools.partial(parser.parse, format="json", source=name), chunks)
        records = CsvRecords(chunks, name, self.options, self._labels.action)
        if self.columns.of_objects and not self.columns.known.keys().isdisjoint(records.columns):
            self.format = "json"
            return read_csv_as_objects(records, self._parser())
        return read_csv(records, self._labels, self.columns)

    def _records(self, source: RecordSource) -> Iterator[ParsedChunk]:
        """Rows of dicts."""
        parser = self._parser()
        for part in source.parts(max(self._chunk_bytes // _RECORD_BYTES, 1)):
            yield parser.parse_records(part, source.name)

    def _parse(self, item: tuple[str, bool, Any]) -> tuple[str, bool, ParsedChunk]:
        source, first, text = item
        if isinstance(text, ParsedChunk):
            return item
        if self.format is None:  # blank lines and comments so far
            return source, first, ParsedChunk([], [], int(np.count_nonzero(text == ord("\n"))))
        if not hasattr(self._parsers, "parser"):
            self._parsers.parser = self._parser()
        return source, first, self._parsers.parser.parse(text, self.format, source)

    def _parser(self, records: TableRows | None = None) -> ChunkParser:
        labels, stops = self._labels._replace(names=self._named), not self.malformed.skips
        return ChunkParser(self.options, labels, stops=stops, records=records, columns=self.columns)

    def _checked(self, parsed: ParsedChunk, source: str, lines_before: int) -> Iterator[Any]:
        """The batches of a chunk with their place in the source, up to the malformed line that is one too many."""
        errors, batches = shifted(parsed.errors, lines_before), []
        for batch in parsed.batches:
            batch, problems = self._with_source(batch, source, lines_before)
            errors += problems
            batches.append(batch)
        yield from self.malformed.filtered(batches, sorted(errors, key=lambda error: error.line or 0))

    def _with_source(self, batch: Any, source: str, lines_before: int) -> tuple[Any, list[InputError]]:
        """A batch with its place in the source, and the errors of rows that are left out of it all the same."""
        constant = constant_id(self.options, self.format)
        batch = batch._replace(lines=batch.lines + lines_before, source=source, constant=constant)
        if self.format != "vw" or batch.class_names is None:
            return batch, []
        return without_rows(batch, name_problems(batch))


def check_options(options: TextOptions, format: str) -> None:
    """Refuse options that text of this format has no place for. Raises OptionError."""
    what = {"svmlight": "LIBSVM text", "vw": "VW text", "json": "JSON", "csv": "a table", "arrow": "a table"}[format]
    if format in TABLES:
        flags = options.given(OF_NAMESPACES)
        expected = "VW text or JSON, which have namespaces; a table has none"
        if not flags and not options.text:
            flags, expected = options.given(("ngram", "skips")), "--text COLUMN, whose words they take"
    elif format in NAMESPACED:
        flags = [] if format == "json" else options.given((*OF_TABLES, "label"))
        expected = "a table (CSV, Parquet)"
    else:
        flags = options.given((*OF_NAMESPACES, *OF_BOTH))
        expected = "VW text"
        if not flags:
            flags, expected = options.given((*OF_TABLES, "label")), "a table (CSV, Parquet)"
    if flags:
        raise OptionError(f"{', '.join(flags)}: expected {expected}, found {what}")


def read_batches(
    sources: Source | Iterable[Source] | Iterable[Mapping[str, Any] | str],
    options: TextOptions = TextOptions(),  # noqa: B008 (frozen)
    *,
    chunk_bytes: int = CHUNK_BYTES,
    threads: int = 0,
    class_names: bool = False,
) -> Iterator[Batch]:
    """Batches of `sources`: see `Reader`, which also tells the format and can skip malformed lines."""
    from sonlearn.options.python import errors_in_keywords

    def batches() -> Iterator[Batch]:
        with errors_in_keywords("read_batches"):
            yield from reader

    with errors_in_keywords("read_batches"):
        labels = Labelling(names=class_names)
        reader = Reader(sources, options, chunk_bytes=chunk_bytes, threads=threads, labels=labels)
    return batches()
