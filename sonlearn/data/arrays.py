"""Arrays that grow with a stream, and sums of one."""

from __future__ import annotations

import math
import mmap
from typing import Any

import numpy as np

#: Bytes of a cache line. Arrays begin at a multiple of it, so a row of at most this length is in one line, not two.
CACHE_LINE_BYTES = 64
#: Arrays of so many bytes are mapped by themselves, so that the system has their memory back as soon as nobody uses
#: them: what a heap is given back it may keep, and a table that has grown leaves a hole in it. Pages of 4 KB: in large
#: ones, which numpy asks for, room that is never touched takes memory.
MMAP_BYTES = 1 << 20


def zeros(shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """`numpy.zeros`, aligned to a cache line. Elements that are never written take no memory."""
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    if size >= MMAP_BYTES and hasattr(mmap, "MAP_ANONYMOUS"):  # which a process that is forked has for itself
        private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        mapped: np.ndarray = np.frombuffer(mmap.mmap(-1, size, flags=private), dtype).reshape(shape)
        return mapped
    raw = np.zeros(size + CACHE_LINE_BYTES, dtype=np.uint8)
    begin = -raw.ctypes.data % CACHE_LINE_BYTES
    array: np.ndarray = raw[begin : begin + size].view(dtype).reshape(shape)
    return array


def grown(array: np.ndarray, length: int, used: int | None = None) -> np.ndarray:
    """`array` with room for `length` rows. It at least doubles in size, so the amortised cost of a row is O(1).

    The first `used` rows (None: all) are copied; the other rows are zeros and take no memory until they are written.
    """
    if length <= len(array):
        return array
    used = len(array) if used is None else used
    bigger = zeros((max(length, 2 * len(array)), *array.shape[1:]), array.dtype)
    bigger[:used] = array[:used]
    return bigger


def collected(table: Any) -> Any:
    """A table as one in memory, if it is a lazy frame of polars, or PyArrow's that can be read once; else as it is."""
    kind = type(table).__name__
    return table.collect() if kind == "LazyFrame" else table.read_all() if kind == "RecordBatchReader" else table


def plain(array: np.ndarray, dtype: type = np.float64) -> np.ndarray:
    """The one form that kernels are compiled for: a strided or read-only array would have them compiled again."""
    return np.require(array, dtype, ("C", "W"))


def running_sum(start: float, values: np.ndarray) -> float:
    """`start` and all values, added one by one, so that where a batch ends changes no bit."""
    return float(np.cumsum(np.concatenate(([start], values)))[-1])
