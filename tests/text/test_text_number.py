"""Numbers: bit for bit Python's float."""

import math
import random
import struct

import numba
import numpy as np
import pytest
from for_all import for_all

from sonlearn.jit import jit
from sonlearn.text import number
from sonlearn.text.number import parse_number, shorten

COUNT = 2_000 if numba.config.DISABLE_JIT else 100_000


@jit
def parse_all(buf, starts, values, ends, status):
    for i in range(len(starts)):
        values[i], ends[i], status[i] = parse_number(buf, starts[i])


def parse(tokens: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Values, lengths and statuses of `tokens` after Python has decided the undecided ones; how many these were."""
    buf = np.frombuffer(("\n".join(tokens) + "\n").encode(), dtype=np.uint8).copy()
    starts = np.cumsum([0] + [len(token.encode()) + 1 for token in tokens[:-1]])
    n = len(tokens)
    values, ends, status = np.zeros(n), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    parse_all(buf, starts, values, ends, status)
    undecided = np.flatnonzero(status == number.UNDECIDED)
    for i in undecided.tolist():
        shorten(buf, int(starts[i]))
    parse_all(buf, starts, values, ends, status)
    assert not (status == number.UNDECIDED).any()
    return values, ends - starts, status, len(undecided)


def check(tokens: list[str]) -> None:
    values, lengths, status, _ = parse(tokens)
    expected = np.array([float(token) for token in tokens])
    infinite = np.isinf(expected)
    assert (status[infinite] == number.OVERFLOW).all()
    assert (status[~infinite] == number.OK).all()
    assert lengths.tolist() == [len(token) for token in tokens]
    wrong = np.flatnonzero(~infinite & (values.view(np.uint64) != expected.view(np.uint64)))
    assert [(tokens[i], values[i]) for i in wrong] == []


def half_way(r: random.Random) -> str:
    """The exact decimal expansion of a number in the middle of two doubles, or a hair beside it."""
    odd, e = 2 * r.getrandbits(53) + 1, r.randrange(-1080, 900)
    if e >= 0:
        text = str(odd << e) + "."
    else:
        digits = str(odd * 5**-e).zfill(-e + 1)
        text = digits[:e] + "." + digits[e:]
    return text + r.choice(["", "0", "1", "0" * 30 + "1"])


RANDOM = {
    "shortest": lambda r: repr(abs(struct.unpack("d", struct.pack("Q", r.getrandbits(63) % (0x7FF << 52)))[0])),
    "half way": half_way,
    "19 digits": lambda r: f"{r.getrandbits(r.randrange(1, 64))}e{r.randrange(-345, 312)}",
    "many digits": lambda r: f"{r.getrandbits(70)}.{r.getrandbits(r.randrange(1, 200))}e{r.randrange(-340, 300)}",
    "small": lambda r: f"0.{'0' * r.randrange(40)}{r.getrandbits(r.randrange(1, 90))}",
    "subnormal": lambda r: f"-{r.getrandbits(60)}E-{r.randrange(310, 345)}",
    "everyday": lambda r: f"{r.gauss(0, 1):.{r.randrange(1, 26)}g}",
}


@pytest.mark.parametrize("kind", RANDOM)
def test_equals_float(kind):
    r = random.Random(kind)
    count = COUNT // 5 if kind == "half way" else COUNT
    check([RANDOM[kind](r) for _ in range(count)])


EDGES = """
0 -0 +1 1. .5 -.5e1 00012 1e0 1E+05 1e-05 0e999999 0e-999999 1e-400 123456789012345678901234567890 5e-324
2.4703282292062327e-324 2.4703282292062328e-324 4.9406564584124654e-324 2.2250738585072011e-308
2.2250738585072014e-308 1.7976931348623157e308 1.7976931348623159e308 -1e309 9007199254740991 9007199254740992
9007199254740993 9007199254740993.00000000000000000001 9007199254740993e0 18014398509481985e0
36028797018963970 1e22 1e23 8.5e22 9223372036854775807 9223372036854775808 9999999999999999999
18446744073709551615 18446744073709551616 1e310 0.0000000000000000000 00000000000000000000000000001.5
179769313486231580793728971405303415079934132710037826936173 1000000000000000000000000000000000000000e-39
0.1e99999999999999999999 1e-99999999999999999999
"""


def test_equals_float_at_the_edges():
    check(EDGES.split())


def test_long_tie_is_left_to_python():
    """2^53 + 1 with 400 zeros is exact, a hair above it no 19 digits decide."""
    token = "9007199254740993." + "0" * 400
    values, _, _, undecided = parse([token, token + "1"])
    assert values.tolist() == [9007199254740992.0, 9007199254740994.0]
    assert undecided == 1


def test_most_numbers_of_many_digits_are_decided_at_once():
    r = random.Random(1)
    assert parse([f"{r.random():.{r.randrange(20, 40)}f}" for _ in range(2_000)])[3] == 0


@for_all("token", ["", "+", "-", ".", "e5", "1e", "1e+", "+-1", "inf", "nan", "-inf", "x", "--1", "_1"])
def test_malformed(token):
    assert parse([token])[2].tolist() == [number.MALFORMED]


@pytest.mark.parametrize(("token", "length"), [("1x", 1), ("0x10", 1), ("1_000", 1), ("1.5.2", 3), ("1e5e5", 3)])
def test_stops_at_what_is_no_number(token, length):
    """The caller refuses what follows."""
    values, lengths, _, _ = parse([token])
    assert lengths[0] == length
    assert math.isfinite(values[0])
