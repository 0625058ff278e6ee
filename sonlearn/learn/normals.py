"""Resumable normal random numbers: the position of the generator is part of a learner's state.

The n-th row of tau standard normals is the n-th result of ``numpy.random.default_rng(seed).standard_normal(tau)``, so
other programs can reproduce it.
"""

from __future__ import annotations

import numpy as np

from sonlearn.data.rows import Rows

_HALF = 1 << 64


def position_of(seed: int) -> np.ndarray:
    """uint64[4]: initial position for `seed` (PCG64's state and increment, high words first)."""
    return _words(np.random.default_rng(seed).bit_generator)


def draw(position: np.ndarray, n: int, tau: int) -> tuple[np.ndarray, np.ndarray]:
    """(float64[n, tau] standard normals divided by sqrt(tau), the position after them)."""
    bits = np.random.PCG64()
    state, inc = (int(position[i]) * _HALF + int(position[i + 1]) for i in (0, 2))
    bits.state = {"bit_generator": "PCG64", "state": {"state": state, "inc": inc}, "has_uint32": 0, "uinteger": 0}
    block = np.random.Generator(bits).standard_normal((n, tau)) / np.sqrt(tau)
    return block, _words(bits)


def position_after(before: np.ndarray, after: np.ndarray, taken: int, drawn: int, tau: int) -> np.ndarray:
    """The position after `taken` of the `drawn` rows between the positions `before` and `after`."""
    return after if taken == drawn else draw(before, taken, tau)[1]


def new_features(rows: Rows, start: int, stop: int, seen: int) -> int:
    """Number of features beyond the first `seen` in rows `start` to `stop` - 1."""
    features = rows.features[rows.indptr[start] : rows.indptr[stop]]
    return max(int(features.max(initial=-1)) + 1 - seen, 0)


def _words(bits: np.random.BitGenerator) -> np.ndarray:
    state = bits.state["state"]
    return np.array([part for name in ("state", "inc") for part in divmod(state[name], _HALF)], dtype=np.uint64)
