"""Arrays that grow with a stream."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

#: Bytes of a line of the caches, where each array here begins: a row that is no longer touches one line, not two.
LINE = 64


def zeros(shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """`numpy.zeros` that begins where a line of the caches does. What is never written to takes no memory."""
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    raw = np.zeros(size + LINE, dtype=np.uint8)
    begin = -raw.ctypes.data % LINE
    array: np.ndarray = raw[begin : begin + size].view(dtype).reshape(shape)
    return array


def grown(array: np.ndarray, length: int, used: int | None = None) -> np.ndarray:
    """`array` with room for `length` rows; the first `used` (None: all) are kept. Doubles, so that a row costs O(1).

    Rows never written take no memory, here as in the old array: only the used ones are touched.
    """
    if length <= len(array):
        return array
    used = len(array) if used is None else used
    bigger = zeros((max(length, 2 * len(array)), *array.shape[1:]), array.dtype)
    bigger[:used] = array[:used]
    return bigger
