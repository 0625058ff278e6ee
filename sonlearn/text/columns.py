"""Tables to features, the same for CSV and Arrow: what a column and a text in it become."""

from __future__ import annotations

from typing import NamedTuple

from sonlearn.batch import Batch
from sonlearn.errors import InputError, shorten
from sonlearn.options import TextOptions
from sonlearn.text.hashing import hash_bytes


class Table(NamedTuple):
    """Rows of a table: their batch, None if there are none, and the malformed rows among them."""

    batch: Batch | None
    errors: list[InputError]


def name_slot(name: str, options: TextOptions) -> int:
    """Slot of a feature name, hashed as VW hashes it in the default namespace."""
    seed = hash_bytes(b"", options.hash_seed, hash_all=True) if options.hash_seed else 0
    name_bytes = name.encode("utf-8", "surrogateescape")
    return hash_bytes(name_bytes, seed, hash_all=options.hash == "all") & ((1 << options.bits) - 1)


def label_column(columns: list[str], label: str, place: tuple[str, int | None]) -> int | None:
    """Position of the label; None where none was asked for. InputError if there is not one such column."""
    if not label:
        return None
    if columns.count(label) != 1:
        found = shorten(", ".join(columns), 200)
        raise InputError(*place, None, f"the columns {found}", f"one column {shorten(label)} (--label)")
    return columns.index(label)
