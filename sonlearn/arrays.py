"""Arrays that grow with a stream."""

from __future__ import annotations

import numpy as np


def grown(array: np.ndarray, length: int, used: int | None = None) -> np.ndarray:
    """`array` with room for `length` rows; the first `used` (None: all) are kept. Doubles, so that a row costs O(1).

    Rows never written take no memory, here as in the old array: only the used ones are touched.
    """
    if length <= len(array):
        return array
    used = len(array) if used is None else used
    bigger = np.zeros((max(length, 2 * len(array)), *array.shape[1:]), dtype=array.dtype)
    bigger[:used] = array[:used]
    return bigger
