"""Batches to LIBSVM or VW text, exactly: what is read back is what was written, bit for bit."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sonlearn.data.batch import CONSTANT, Batch
from sonlearn.errors import InputError, shorten
from sonlearn.files.atomic import whole_output
from sonlearn.options import TextOptions
from sonlearn.options.spec import raw
from sonlearn.text.columns import Labelling, number_text
from sonlearn.text.read import Reader
from sonlearn.text.source import Source

#: A label of VW text, or none.
_WORD = re.compile(r"([^\s|'][^\s|]*)?")


def convert(
    sources: Source | Iterable[Source],
    target: str,
    to: str,
    options: TextOptions = TextOptions(),  # noqa: B008 (frozen)
    **reader: Any,
) -> Reader:
    """Read text of any format and write it as `to` (``svmlight`` or ``vw``) to the file `target` (``-``: stdout).

    Features are written as numbers: an index as it is, a name as its slot; so VW text that was converted is to be read
    with the same ``-b``. The constant feature is not written, and VW reads no feature with value 0. A file appears
    whole or not at all.

    Parameters
    ----------
    reader : the other arguments of `Reader`

    Returns
    -------
    Reader : the exhausted reader, for its counts

    Raises
    ------
    InputError
        As `Reader`; or an example has what the format cannot say: in LIBSVM text no label or a name, an importance that
        is not 1, or a base; in VW text an index that ``-b`` has no slot for, or a name of several words.
    """
    text = Reader(sources, dataclasses.replace(options, constant=False), labels=Labelling(names=True), **reader)
    lines = svmlight_lines if to == "svmlight" else lambda batch: vw_lines(batch, options.bits)
    with whole_output(target) as file:
        for batch in text:
            file.write(raw("".join(lines(batch))))
    return text


def svmlight_lines(batch: Batch) -> Iterator[str]:
    """LIBSVM lines; a tag becomes a comment, features are sorted by index."""
    names = batch.class_names or [None] * batch.n
    for i, (name, pairs) in enumerate(zip(names, _pairs(batch), strict=True)):
        if name:
            raise _unsayable(batch, i, f"the label {shorten(name)}", "a number: LIBSVM text has no names; use --to vw")
        if np.isnan(batch.y[i]):
            raise _unsayable(batch, i, "an example without a label", "a label: LIBSVM text has no other examples")
        if batch.weight[i] != 1.0:
            found = f"the importance {number_text(batch.weight[i])}"
            raise _unsayable(batch, i, found, "importance 1: LIBSVM text has no place for another; use --to vw")
        if batch.base is not None and batch.base[i]:
            raise _unsayable(batch, i, "a base", "none: LIBSVM text has no place for it; use --to vw")
        tag = f" # {batch.tags[i]}" if batch.tags and batch.tags[i] else ""
        features = "".join(f" {index}:{number_text(value)}" for index, value in sorted(pairs, key=lambda pair: pair[0]))
        yield f"{number_text(batch.y[i])}{features}{tag}\n"


def vw_lines(batch: Batch, bits: int) -> Iterator[str]:
    """VW lines with indices as names, in the default namespace; values 1 are left out, as in VW."""
    names = batch.class_names or [None] * batch.n
    for i, (name, pairs) in enumerate(zip(names, _pairs(batch), strict=True)):
        base = 0.0 if batch.base is None else float(batch.base[i])
        label = name or number_text(batch.y[i])
        if not _WORD.fullmatch(label):
            raise _unsayable(batch, i, f"the label {shorten(label)}", "one word without a bar in VW text")
        weight = number_text(batch.weight[i]) if batch.weight[i] != 1.0 or base else ""
        head = [word for word in (label, weight, number_text(base) if base else "") if word]
        if not label and weight:
            raise _unsayable(batch, i, "an importance or a base without a label", "a label before them in VW text")
        if batch.tags and batch.tags[i]:
            head.append(f"'{batch.tags[i]}")
        for index, _ in pairs:
            if index >> bits:
                raise _unsayable(batch, i, f"the index {index}", f"less than 2^{bits}: give -b {index.bit_length()}")
        names = (f" {index}" if value == 1.0 else f" {index}:{number_text(value)}" for index, value in pairs)
        yield f"{' '.join(head)} |{''.join(names)}\n".lstrip(" ")


def _pairs(batch: Batch) -> Iterator[list[tuple[int, float]]]:
    """(index, value) of every row, without the constant of LIBSVM text."""
    indices, values, indptr = batch.indices.tolist(), batch.values.tolist(), batch.indptr.tolist()
    for a, b in itertools.pairwise(indptr):
        yield [pair for pair in zip(indices[a:b], values[a:b], strict=True) if pair[0] != CONSTANT]


def _unsayable(batch: Batch, i: int, found: str, expected: str) -> InputError:
    return InputError(batch.source, found, expected, int(batch.lines[i]))
