"""Hashes of numbers, and normal random numbers whose position is part of a learner's state.

Hashes: one for kernels, whose arithmetic is of 64 bits with a sign, and SplitMix64 of arrays.

The n-th row of tau standard normals is the n-th result of ``numpy.random.default_rng(seed).standard_normal(tau)``, so
other programs can reproduce it.
"""

from __future__ import annotations

import numpy as np

from sonlearn.jit import inline

#: Bits of a hash, and the number that has all of them.
BITS = 31
LOW = (1 << BITS) - 1
_HALF = 1 << 64


@inline(force=True)
def hash_bits(h):  # type: ignore[no-untyped-def]
    """A hash of 31 bits, of the lowest 31 bits of an integer."""
    h &= LOW
    h = ((h ^ (h >> 15)) * 0x2C1B3C6D) & LOW
    h = ((h ^ (h >> 12)) * 0x297A2D39) & LOW
    return h ^ (h >> 15)


def split_mix(x: np.ndarray) -> np.ndarray:
    """uint64[n] -> uint64[n], SplitMix64 (Steele, Lea and Flood 2014)."""
    with np.errstate(over="ignore"):
        x = x * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(x ^ (x >> np.uint64(31)))


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


def normals_by_feature(Pi: np.ndarray, before: int, seed: int) -> np.ndarray:
    """`Pi`, float64[features, tau], which had rows of `before` features, with the n-th row of normals for the n-th."""
    return draw(position_of(seed), *Pi.shape)[0] if len(Pi) > before else Pi


def _words(bits: np.random.BitGenerator) -> np.ndarray:
    state = bits.state["state"]
    return np.array([part for name in ("state", "inc") for part in divmod(state[name], _HALF)], dtype=np.uint64)
