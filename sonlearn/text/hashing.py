"""Vowpal Wabbit's feature hashing: names to slots, equal to VW's bit for bit.

The hash is MurmurHash3_x86_32 (A. Appleby, public domain, 2011). A namespace's hash is ``H(name, seed)``, the default
namespace's 0 (with a seed: ``H("", seed)``), a feature's ``H(name, namespace hash)``, a pair ``name:text`` chains
``H(text, H(name, namespace hash))``; the slot is the last B bits. With ``--hash strings`` a name of digits only is its
number plus the seed, so that ``5`` in the default namespace is slot 5; ``--hash all`` hashes digits too.

Integers here are int64 that hold 32 bits: products wrap modulo 2^64 in compiled code and not at all in plain Python,
and the mask makes both the same.
"""

from __future__ import annotations

import numpy as np

from sonlearn.data.batch import CONSTANT
from sonlearn.jit import inline, jit
from sonlearn.options import TextOptions
from sonlearn.options.text import HASHED
from sonlearn.text.number import byte

#: VW's slot of the constant feature, before the mask.
VW_CONSTANT = 11650396


def constant_id(options: TextOptions, format: str | None) -> int:
    """Feature id of the constant in text of that format."""
    return VW_CONSTANT & ((1 << options.bits) - 1) if format in HASHED else CONSTANT


#: FNV's prime, with which VW combines the features of an interaction.
FNV_PRIME = 16777619

_MASK32 = 0xFFFFFFFF
_SPACE = 32


@inline
def _mix(k):
    k = (k * 0xCC9E2D51) & _MASK32
    k = ((k << 15) | (k >> 17)) & _MASK32
    return (k * 0x1B873593) & _MASK32


@inline
def murmur(buf, start, end, seed):
    """MurmurHash3_x86_32 of ``buf[start:end]`` (uint8), as an int in 0 .. 2^32 - 1; the seed modulo 2^32."""
    h = seed & _MASK32
    i = start
    while i + 4 <= end:
        k = byte(buf, i) | (byte(buf, i + 1) << 8) | (byte(buf, i + 2) << 16) | (byte(buf, i + 3) << 24)
        h ^= _mix(k)
        h = ((h << 13) | (h >> 19)) & _MASK32
        h = (h * 5 + 0xE6546B64) & _MASK32
        i += 4
    k, shift = 0, 0
    while i < end:
        k |= byte(buf, i) << shift
        shift += 8
        i += 1
    h ^= _mix(k)
    h ^= (end - start) & _MASK32
    h ^= h >> 16
    h = (h * 0x85EBCA6B) & _MASK32
    h ^= h >> 13
    h = (h * 0xC2B2AE35) & _MASK32
    return h ^ (h >> 16)


@inline
def hash_name(buf, start, end, seed, hash_all):
    """VW's hash of the name ``buf[start:end]``, not yet masked.

    With `hash_all` false, control characters and spaces around the name do not count, and digits are their number plus
    the seed (modulo 2^63).
    """
    if hash_all:
        return murmur(buf, start, end, seed)
    while start < end and buf[start] <= _SPACE:
        start += 1
    while start < end and buf[end - 1] <= _SPACE:
        end -= 1
    number = 0
    for i in range(start, end):
        digit = byte(buf, i) - 48
        if digit < 0 or digit > 9:
            return murmur(buf, start, end, seed)
        number = (10 * number + digit) & 0x7FFFFFFFFFFFFFFF
    return (number + seed) & 0x7FFFFFFFFFFFFFFF


@jit
def _hash_bytes(buf, seed, hash_all):
    return hash_name(buf, 0, len(buf), seed, hash_all)


def hash_bytes(name: bytes, seed: int = 0, *, hash_all: bool = False) -> int:
    """VW's hash of `name`, not yet masked. ``hash_bytes(b"a") & (2**18 - 1) == 92594``."""
    return int(_hash_bytes(np.frombuffer(name, dtype=np.uint8), seed, hash_all))
