"""Batches into sketches, with errors that say where a row came from."""

from __future__ import annotations

from typing import Any

from sonlearn.data.batch import Batch
from sonlearn.data.matrices import to_csr
from sonlearn.errors import InputError
from sonlearn.sketch.base import Sketch


def take(sketch: Sketch, batch: Batch, first: int) -> Any:
    """Take in the rows of a batch, feature id i being column i - first; returns them as a CSR array.

    Raises
    ------
    InputError
        An index is below `first`, or the sketch does not take a row.
    """
    block = to_csr(batch, first)
    try:
        sketch.update(block, grow=True)
    except InputError as problem:
        line = None if problem.line is None else int(batch.lines[problem.line - 1])
        raise InputError(batch.source, line, None, problem.found, problem.expected) from None
    return block
