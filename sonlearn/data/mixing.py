"""A hash of numbers for kernels, whose arithmetic is of 64 bits with a sign."""

from __future__ import annotations

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
