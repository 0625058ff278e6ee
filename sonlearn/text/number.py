"""Decimal text to float64, correctly rounded: bit for bit what Python's ``float`` gives.

Three storeys. Most numbers have a mantissa below 2^53 and a power of ten up to 22: one exact multiplication or division
(W. D. Clinger, "How to read floating point numbers accurately", PLDI 1990). The others go through the Eisel-Lemire
algorithm (D. Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience 51, 2021, sec. 5,
with the proof of N. Mushtak and D. Lemire, "Fast number parsing without fallback", 2023, that it decides every
mantissa of up to 19 digits). Of a longer one the first 19 digits decide, if rounding them up gives the same number.
Where it does not, which is rare, Python's ``float`` does (`shorten`).

Accepted: ``[+-] digits [. digits] [e [+-] digits]``, with digits before or after the point. Not accepted, unlike by
``float``: inf, nan, underscores, other scripts' digits. A result that overflows is an error; underflow gives 0.
"""

from __future__ import annotations

import re

import numpy as np

from sonlearn.jit import inline
from sonlearn.text.rows import BIG_NUMBER, BLANK, COLON, NEWLINE, NUMBER_UNDECIDED

#: Of these the last two are codes of kernels, which stop there.
OK, MALFORMED, UNDECIDED, OVERFLOW = 0, -1, NUMBER_UNDECIDED, BIG_NUMBER

#: Powers of ten of the Eisel-Lemire table: below, every 19-digit number is 0; above, infinite.
MIN_POWER, MAX_POWER = -342, 308

ZERO, POINT, PLUS, MINUS, LOWER_E, UPPER_E = 48, 46, 43, 45, 101, 69
#: A number as all formats of text have it, a regular expression.
PATTERN = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
NUMBER = re.compile(PATTERN.encode())
_LOW32 = np.uint64(0xFFFFFFFF)
_NINE_BITS = np.uint64(0x1FF)
_FRACTION = np.uint64((1 << 52) - 1)
# shift counts and small constants of the same type, each by itself: Numba goes through a tuple again and again
_0, _1, _3, _32, _52, _53, _63 = map(np.uint64, (0, 1, 3, 32, 52, 53, 63))


def _powers_of_five() -> tuple[np.ndarray, np.ndarray]:
    """The leading 128 bits of 5^q for q = MIN_POWER..MAX_POWER, truncated (for -27 <= q < 0 rounded up)."""
    high, low = [], []
    for q in range(MIN_POWER, MAX_POWER + 1):
        bits = (5 ** max(q, 0) << 1024) // 5 ** max(-q, 0)
        bits = (bits >> (bits.bit_length() - 128)) + (-27 <= q < 0)
        high.append(bits >> 64)
        low.append(bits & 0xFFFFFFFFFFFFFFFF)
    return np.array(high, dtype=np.uint64), np.array(low, dtype=np.uint64)


# Global arrays are constants in compiled code: kernels pass no tables around, and count no references to them.
_TEN = np.array([10.0**i for i in range(23)])
_HIGH, _LOW = _powers_of_five()


@inline
def byte(buf, p):
    """``buf[p]`` as an int. The unsigned index spares the test for a negative one, which would count from the end."""
    return int(buf[np.uintp(p)])


@inline
def _multiply(a, b):
    """High and low 64 bits of the product of two uint64."""
    a1, a0 = a >> _32, a & _LOW32
    b1, b0 = b >> _32, b & _LOW32
    cross1, cross0, bottom = a1 * b0, a0 * b1, a0 * b0
    middle = (cross1 & _LOW32) + (cross0 & _LOW32) + (bottom >> _32)
    high = a1 * b1 + (cross1 >> _32) + (cross0 >> _32) + (middle >> _32)
    return high, (middle << _32) | (bottom & _LOW32)


@inline
def _leading_zeros(w):
    """Leading zero bits of a uint64 that is not 0."""
    n = 0
    for step in (32, 16, 8, 4, 2, 1):
        if w >> np.uint64(64 - step) == _0:
            n += step
            w = w << np.uint64(step)
    return n


@inline
def _round_to_double(w, q):
    """The double nearest to w * 10^q, ties to even: the Eisel-Lemire algorithm.

    Parameters
    ----------
    w : uint64, not 0
    q : int

    Returns
    -------
    float64, inf where it overflows.
    """
    if q < MIN_POWER:
        return 0.0
    if q > MAX_POWER:
        return np.inf
    zeros = _leading_zeros(w)
    w = w << np.uint64(zeros)
    high, low = _multiply(w, _HIGH[q - MIN_POWER])
    if high & _NINE_BITS == _NINE_BITS:  # the lower half of the power may carry into the bits that count
        more, _ = _multiply(w, _LOW[q - MIN_POWER])
        if more > ~low:
            low = more - ~low - _1
            high += _1
        else:
            low += more
    top = int(high >> _63)
    m = high >> np.uint64(top + 9)  # 54 bits: the significand and one bit for rounding
    exponent = ((217706 * q) >> 16) + 63 + top - zeros + 1023
    if exponent <= 0:
        return _subnormal(m, exponent)
    if low <= _1 and -4 <= q <= 23 and m & _3 == _1 and m << np.uint64(top + 9) == high:
        m -= _1  # exactly in the middle of two doubles: the even one
    m = (m + (m & _1)) >> _1
    if m == _1 << _53:
        m, exponent = m >> _1, exponent + 1
    if exponent >= 0x7FF:
        return np.inf
    return np.uint64((np.uint64(exponent) << _52) | (m & _FRACTION)).view(np.float64)


@inline
def _subnormal(m, exponent):
    """Round 54 bits to a double whose biased exponent is not positive. No such number is a tie."""
    shift = 1 - exponent
    if shift >= 64:
        return 0.0
    m = m >> np.uint64(shift)
    m = (m + (m & _1)) >> _1
    return np.uint64(m).view(np.float64)  # a carry out of the fraction is the smallest normal number


@inline
def _exponent(buf, p):
    """Digits of an exponent, after the e: (exponent, end), the end -1 where there is none."""
    sign = byte(buf, p)
    if sign in (MINUS, PLUS):
        p += 1
    start, e = p, 0
    d = byte(buf, p) - ZERO
    while 0 <= d <= 9:
        if e < 100000:  # enough to be beyond any double, whatever the mantissa in a line
            e = 10 * e + d
        p += 1
        d = byte(buf, p) - ZERO
    if p == start:
        return 0, -1
    return (-e if sign == MINUS else e), p


@inline(force=True)
def read_digits(buf, p, w):
    """Append the digits from ``buf[p]`` on to `w`: (w, where they end, what stands there less `ZERO`).

    Beyond 18 digits w may overflow: the caller counts them.
    """
    d = byte(buf, p) - ZERO
    while 0 <= d <= 9:
        w = 10 * w + d
        p += 1
        d = byte(buf, p) - ZERO
    return w, p, d


@inline(force=True)
def parse_number(buf, p):
    """`parse_any_number`, with a quick way for most: no exponent, at most 15 digits."""
    minus = byte(buf, p) == MINUS
    start = p + minus
    w, at, d = read_digits(buf, start, 0)
    k = 0
    if d == POINT - ZERO:
        point = at + 1
        w, at, d = read_digits(buf, point, w)
        k = at - point
        start += 1
    if 0 < at - start < 16 and d <= BLANK - ZERO:
        value = w / _TEN[np.uintp(k)]
        return (-value if minus else value), at, OK
    return parse_any_number(buf, p)


@inline
def parse_any_number(buf, p):
    """Parse the number that begins at ``buf[p]`` as far as it goes.

    Parameters
    ----------
    buf : uint8[n]
        Ends in a newline, so that no scan leaves it.
    p : int

    Returns
    -------
    value : float64
    end : int
        Position after the number. The caller checks that what stands there may follow a number.
    status : int
        OK, MALFORMED (no number), OVERFLOW, or UNDECIDED: `value` is no result, see `shorten`.
    """
    first = p
    sign = byte(buf, p)
    if sign in (MINUS, PLUS):
        p += 1
    start = p
    w, p, d = read_digits(buf, start, 0)
    digits, q = p - start, 0
    if d == POINT - ZERO:
        point = p + 1
        w, p, d = read_digits(buf, point, w)
        q = point - p
        digits -= q
    if digits == 0:
        return 0.0, first, MALFORMED
    end = p
    if d == LOWER_E - ZERO or d == UPPER_E - ZERO:
        e, p = _exponent(buf, p + 1)
        if p < 0:
            return 0.0, first, MALFORMED
        q += e
    status = OK
    if digits > 19:  # most begin with zeros, which do not count
        while start < end and byte(buf, start) in (ZERO, POINT):
            digits -= byte(buf, start) == ZERO
            start += 1
    if digits > 19:
        value, status = _many_digits(buf, start, end, q)
    elif 0 <= w <= 9007199254740992 and -22 <= q <= 22:
        value = w / _TEN[-q] if q < 0 else w * _TEN[q]
    elif w == 0:
        value = 0.0
    else:
        value = _round_to_double(np.uint64(w), q)
    if value == np.inf:
        status = OVERFLOW
    return (-value if sign == MINUS else value), p, status


@inline
def _many_digits(buf, p, end, q):
    """The number whose more than 19 digits are ``buf[p:end]``, the last of them for 10^q: (value, OK or UNDECIDED)."""
    w, digits, more = 0, 0, False
    for i in range(p, end):
        d = byte(buf, i) - ZERO
        if d == POINT - ZERO:
            continue
        if digits < 19:
            w = 10 * w + d
        elif d > 0:
            more = True
        digits += 1
    q += digits - 19
    value = _round_to_double(np.uint64(w), q)
    if more and value != _round_to_double(np.uint64(w) + _1, q):
        return value, UNDECIDED
    return value, OK


def shorten(buf: np.ndarray, at: int) -> None:
    """Write the number of more than 19 digits at `at` with the 17 of what Python's ``float`` makes of it, in place.

    It takes as many bytes as before: zeros come first.
    """
    found: bytes = NUMBER.match(memoryview(buf), at)[0]  # type: ignore[index]
    digits, _, exponent = f"{abs(float(found)):.16e}".partition("e")
    text = f"{digits.replace('.', '')}e{int(exponent) - 16}" if exponent else "1e999"
    end = at + len(found)
    begin = at + (found[0] in (MINUS, PLUS))
    buf[begin:end] = np.frombuffer(text.rjust(end - begin, "0").encode(), np.uint8)


@inline(force=True)
def plain_features(buf, p, k, seed, scale, mask, zeros, rows):
    """Read features like ``5:1.5`` as far as they go, a blank or the line's end behind each, as most are, in few tests.

    Parameters
    ----------
    buf : uint8[n]; p : int
    k : int, entry of the first
    seed, mask : int; a feature is ``(index + seed) & mask``
    scale : float, that values are multiplied with
    zeros : bool, whether features of value 0 are kept
    rows : `sonlearn.text.rows.ParsedRows`

    Returns (position, entry behind the last).
    """
    while True:
        index, colon, d = read_digits(buf, p, 0)
        if d != COLON - ZERO or not 0 < colon - p < 19:
            return p, k
        x, end, status = parse_number(buf, colon + 1)
        c, value = byte(buf, end), float(scale) * x
        if status != OK or c not in (BLANK, NEWLINE) or abs(value) == np.inf:
            return p, k
        if zeros or value != 0.0:
            rows.indices[np.uintp(k)] = (index + seed) & mask
            rows.values[np.uintp(k)] = value
            k += 1
        if c == NEWLINE:
            return end, k
        p = end + 1
