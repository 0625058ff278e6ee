"""Hashes of numbers: one for kernels, whose arithmetic is of 64 bits with a sign, and SplitMix64 of arrays."""

from __future__ import annotations

import numpy as np

from sonlearn.jit import forced_inline

#: Bits of a hash, and the number that has all of them.
BITS = 31
LOW = (1 << BITS) - 1


@forced_inline
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
