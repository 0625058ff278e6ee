"""Tables to features, the same for CSV and Arrow: what a column and a text in it become.

What counts is how a field would stand in CSV, whatever the type of its column:

- a number, and true or false in any case of letters (1 and 0), is the value of the feature named like its column; 0 is
  left out;
- nothing at all and ``nan`` in any case are a missing value, which is left out;
- ``inf`` and ``infinity`` in any case, with a sign or without, and numbers beyond 1.8e308, make the row malformed;
- any other text is the feature ``column=text`` with value 1.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, shorten
from sonlearn.options import TextOptions
from sonlearn.text.hashing import hash_bytes

FINITE = "a finite number"
NO_LABEL = f"a label ({FINITE}), or nothing; names of classes: --classes auto"
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
#: Words that stand for numbers, in lower case.
_WORDS = {"true": 1.0, "false": 0.0, "": math.nan, "nan": math.nan}
_WORDS |= {sign + word: math.inf for sign in ("", "+", "-") for word in ("inf", "infinity")}


def number_in(field: str) -> float | None:
    """The number that a field stands for: NaN, missing; infinite, none that can be used; None, the field is a text."""
    if _NUMBER.fullmatch(field):
        return float(field)
    return _WORDS.get(field.lower()) if len(field) <= 9 else None


class Labelling(NamedTuple):
    """What is asked of labels: whether a table has to have them; whether names of classes are labels."""

    needed: bool = True
    names: bool = False


class Table(NamedTuple):
    """Rows of a table: their batch, None if there are none; the malformed rows; (slot, name) of the features in them.

    Names may come again; there are none without ``TextOptions.names``.
    """

    batch: Batch | None
    errors: list[InputError]
    names: list[tuple[int, str]]


def name_slot(name: str, options: TextOptions) -> int:
    """Slot of a feature name, hashed as VW hashes it in the default namespace."""
    seed = hash_bytes(b"", options.hash_seed, hash_all=True) if options.hash_seed else 0
    name_bytes = name.encode("utf-8", "surrogateescape")
    return hash_bytes(name_bytes, seed, hash_all=options.hash == "all") & ((1 << options.bits) - 1)


def label_column(columns: list[str], label: str, place: tuple[str, int | None], needed: bool = True) -> int | None:
    """Position of the label; None where none was asked for, or there is none and none is `needed`.

    Raises
    ------
    InputError
        There is not one such column, or two columns of a name: their features could not be told apart.
    """
    if label and columns.count(label) != 1 and (needed or label in columns):
        found = shorten(", ".join(columns), 200)
        raise InputError(*place, None, f"the columns {found}", f"one column {shorten(label)} (--label)")
    for name in columns:
        if columns.count(name) > 1:
            raise InputError(
                *place, None, f"{columns.count(name)} columns {shorten(name)}", "columns of different names"
            )
    return columns.index(label) if label in columns and label else None
