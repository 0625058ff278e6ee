"""Feature ids -> numbers, in the order in which features are first seen.

An open-addressing hash table of row numbers; its size follows the features seen, never the largest id or 2^b. Numbering
by first sight also puts the frequent features of a text together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.batch import NO_CONSTANT, Batch, Rows
from sonlearn.jit import bare_jit, forced_inline

MULTIPLIER = 0x9E3779B1  # 2^32 / golden ratio, odd
UNKNOWN = -1


class Index(NamedTuple):
    """Where each id is: ids[row] and slots[hash] = row or UNKNOWN."""

    ids: np.ndarray  # int64[capacity], capacity = half of the slots
    slots: np.ndarray  # int32[power of two]
    mark: np.ndarray  # int64[capacity]; last place of a feature in the output, to find repetitions
    size: np.ndarray  # int64[1], features held


def new_index(capacity: int = 1 << 9) -> Index:
    """Empty index with room for `capacity` ids (a power of two)."""
    return Index(
        np.zeros(capacity, np.int64), np.full(2 * capacity, UNKNOWN, np.int32), np.zeros(capacity, np.int64),
        np.zeros(1, np.int64),
    )  # fmt: skip


def index_of(ids: np.ndarray) -> Index:
    """Index of given distinct ids, row i for ids[i]."""
    return _resized(ids, 1 << max(9, int(len(ids) - 1).bit_length()))


def intern(batch: Batch, index: Index, unknown: bool = False) -> tuple[Rows, Index]:
    """Number the features of `batch`, new ones to learn included; returns the rows and the index, grown if need be.

    With `unknown`, what has no number in rows that are only predicted stays there as UNKNOWN, for views to count.
    """
    rows, (indptr, indices, values) = _empty_rows(batch), _entries(batch)
    at = out = 0
    while True:
        at, out = intern_rows(indptr, indices, values, index, rows, (at, out), unknown)
        if at == batch.n:
            return rows._replace(constant=int(constant_of(batch.constant, index.ids, index.slots))), index
        index = _resized(index.ids[: index.size[0]], 2 * len(index.ids))


def lookup(batch: Batch, index: Index, unknown: bool = False) -> Rows:
    """Rows of `batch` for prediction; features without a number are left out, or UNKNOWN as in `intern`."""
    silent = batch._replace(y=np.full(batch.n, np.nan))
    return intern(silent, index, unknown)[0]._replace(y=_plain(batch.y))


def relabelled(rows: Rows, y: np.ndarray) -> Rows:
    """`rows` with other labels."""
    return rows._replace(y=_plain(y))


def _resized(ids: np.ndarray, capacity: int) -> Index:
    index = new_index(capacity)
    index.ids[: len(ids)] = ids
    index.size[0] = len(ids)
    fill_slots(index.ids, len(ids), index.slots)
    return index


def _empty_rows(batch: Batch) -> Rows:
    return Rows(
        np.zeros(batch.n + 1, np.int64), np.empty(len(batch.indices), np.int64), np.empty(len(batch.indices)),
        _plain(batch.y), _plain(batch.weight), np.zeros(batch.n) if batch.base is None else _plain(batch.base),
    )  # fmt: skip


def _entries(batch: Batch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return _plain(batch.indptr, np.int64), _plain(batch.indices, np.int64), _plain(batch.values)


def _plain(array: np.ndarray, dtype: type = np.float64) -> np.ndarray:
    """The one form that kernels are compiled for: a strided or read-only array would have them compiled again."""
    return np.require(array, dtype, ("C", "W"))


@forced_inline
def slot_of(key, ids, slots):
    """Slot that holds `key`, or the free one where it belongs. Products stay below 2^63: no overflow to rely on."""
    mask = len(slots) - 1
    h = ((key ^ (key >> 31) ^ (key >> 62)) & 0x7FFFFFFF) * MULTIPLIER & 0xFFFFFFFF
    at = (h ^ (h >> 15)) & mask
    while slots[at] != UNKNOWN and ids[slots[at]] != key:
        at = (at + 1) & mask
    return at


@bare_jit
def constant_of(key, ids, slots):
    """Number of the constant feature, whose id is `key`, or NO_CONSTANT."""
    row = slots[slot_of(key, ids, slots)]
    return row if row != UNKNOWN else NO_CONSTANT


@bare_jit
def fill_slots(ids, size, slots):
    """Enter ids[:size] into empty slots."""
    for row in range(size):
        slots[slot_of(ids[row], ids, slots)] = row


@bare_jit
def intern_rows(indptr, indices, values, index, rows, start, unknown):
    """Number rows from (row, place in the output) on until the index may overflow; returns where that is.

    Rows that are only predicted get no new numbers: what they do not share with others counts for nothing.
    """
    (ids, slots, mark, size), (i, out) = index, start
    while i < len(indptr) - 1:
        learned = rows.weight[i] > 0.0 and rows.y[i] == rows.y[i]
        if learned and size[0] + indptr[i + 1] - indptr[i] > len(ids):
            break
        begin = out
        for at in range(indptr[i], indptr[i + 1]):
            slot = slot_of(indices[at], ids, slots)
            f = slots[slot]
            if f == UNKNOWN and learned:
                f = size[0]
                ids[f] = indices[at]
                slots[slot] = f
                size[0] = f + 1
            elif f == UNKNOWN and not unknown:
                continue
            if f != UNKNOWN and begin <= mark[f] < out and rows.features[mark[f]] == f:
                rows.values[mark[f]] += values[at]
                continue
            if f != UNKNOWN:
                mark[f] = out
            rows.features[out] = f
            rows.values[out] = values[at]
            out += 1
        rows.indptr[i + 1] = out
        i += 1
    return i, out
