"""Hashing: VW's slots."""

import random

import pytest
from parsers import murmur3, vw_hash

from sonlearn.text.hashing import hash_bytes

MASK = 2**18 - 1


@pytest.mark.parametrize(
    ("data", "seed", "expected"),
    [(b"", 0, 0), (b"", 1, 0x514E28B7), (b"test", 0x9747B28C, 0x704B81DC), (b"Hello, world!", 0x9747B28C, 0x24884CBA)],
)
def test_murmur_published_vectors(data, seed, expected):
    assert murmur3(data, seed) == expected
    assert hash_bytes(data, seed, hash_all=True) == expected


def test_digits():
    assert hash_bytes(b"5") == 5
    assert hash_bytes(b"007", 10) == 17
    assert hash_bytes(b" 7\x01") == 7
    assert hash_bytes(b"5", hash_all=True) == murmur3(b"5", 0)
    assert hash_bytes(b"18446744073709551621") & MASK == 5


def test_equals_oracle():
    r = random.Random(1)
    for n in range(300):
        name = bytes(r.choice(b"abc019 \x01\xc3\xa9\xff-") for _ in range(n % 23))
        seed = r.getrandbits(r.choice([1, 31, 32]))
        for hash_all in (False, True):
            ours, oracle = hash_bytes(name, seed, hash_all=hash_all), vw_hash(name, seed, hash_all)
            assert ours % 2**40 == oracle % 2**40, (name, seed, hash_all)
