"""``sonlearn describe``: what the columns of a table are and hold, before anything is learned."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from sonlearn.commands.messages import complain
from sonlearn.errors import InputError, shorten
from sonlearn.options import TextOptions
from sonlearn.options.text import TABLES
from sonlearn.text.arrow import is_arrow, texts_of
from sonlearn.text.columns import LIKE_A_ROW, header_hint, layout_of
from sonlearn.text.csv import records_of
from sonlearn.text.describe import lines_of, summarise
from sonlearn.text.source import read_chunks, source_name


def run(path: str, options: TextOptions, most: int | None) -> int:
    """Describe a table, or its first rows; return the exit status. Raises InputError."""
    name, skipped = source_name(path), [0]
    if options.format == "arrow" or (options.format != "csv" and is_arrow(path)):
        columns, rows = texts_of(path)
        layout_of(columns, options, (name, None), needed=True)
    elif options.format in ("auto", *TABLES):
        columns, rows = _of_csv(path, name, options, skipped)
    else:
        raise InputError(name, None, None, f"--format {options.format}", "a table: CSV, Parquet or Arrow")
    print("\n".join(lines_of(*summarise(columns, itertools.islice(rows, most), options), options)), flush=True)
    if skipped[0]:
        complain(f"sonlearn: warning: malformed rows left out: {skipped[0]}")
    return 0


def _of_csv(path: str, name: str, options: TextOptions, skipped: list[int]) -> tuple[list[str], Iterator[list[str]]]:
    """The header of CSV, and its rows as texts; `skipped` counts malformed ones."""
    records: Iterator[Any] = records_of(read_chunks(path), name, options)
    first = next(records, None)
    if first is None:
        raise InputError(name, None, None, "an empty stream", "a table: CSV, Parquet or Arrow")
    columns, text = first
    hint = header_hint(text, columns, options)
    layout_of(columns, options, (name, 1), True, hint)
    if hint and len(columns) == 1 and hint != LIKE_A_ROW:
        raise InputError(name, 1, None, f"one column, {shorten(columns[0])}", f"a table with a header{hint}")
    if hint == LIKE_A_ROW:
        complain(f"sonlearn: warning: {name}:1: the header {shorten(', '.join(columns))} looks like a row")

    def rows() -> Iterator[list[str]]:
        for record in records:
            if isinstance(record, list):
                yield record
            else:
                skipped[0] += 1

    return columns, rows()
