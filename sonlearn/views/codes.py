"""Codes of values, and keys of made-up features: what a number becomes where a learner shall see it as a word."""

import math

import numpy as np

from sonlearn.jit import inline

#: Kinds of bins.
FLOAT, Z = range(2)
CODES = {"float": FLOAT, "z": Z}
#: Bits of a key, and all of them. Three keys can be added without leaving 63 bits.
KEY_BITS = 61
KEY = (1 << KEY_BITS) - 1
_HALF = 0x7FFFFFFF
#: What is added to the exponent as it stands in the bits of a number.
_BELOW = 78
#: Bits of the mantissa, and all but the sign.
_MANTISSA, _SIZE = 52, (1 << 63) - 1
#: Added to the codes of `z_code`, likewise.
_CENTRE = 1000
#: Larger values count as this and smaller ones as 0, so that squares are finite, and not 0.
MAX_VALUE, MIN_VALUE = 1e100, 1e-100
_HUGE = int(np.float64(MAX_VALUE).view(np.int64))
#: Whole numbers that may be names, as those of shops: smaller ones have bins of their own. What stands before their
#: codes: those of bins are smaller.
MIN_WHOLE, MAX_WHOLE, WHOLE = 8.0, (1 << 17) - 1.0, 1 << 15
#: In pairs from this on: they would share a bin. Cells that those of a feature mark by their hash, and how many of them
#: names mark at most: amounts mark more.
MIN_NAME, CELLS, MOST_MARKED = 4.0, 62, 55
#: Rows for each cell that is marked, at least: names come again.
ROWS_A_NAME = 8
#: Values in standard deviations end here.
MAX_Z = 5.0
#: Importance weights within moments, likewise.
MAX_WEIGHT, MIN_WEIGHT = 1e50, 1e-50
#: Sums of weights end here.
MAX_SUM = 1e300
#: Of the mean's square: a variance below is rounding.
ROUNDING_SHARE = 1e-18
#: ln(1 + k): counts are mostly small whole numbers, and a logarithm takes as long as all else done with one.
_LOGS = np.log(np.arange(1.0, 1025.0))
#: Bits of sqrt(1/2), and ln 2.
_ROOT, _LN2 = int(np.float64(0.5**0.5).view(np.int64)), math.log(2.0)


@inline(force=True)
def log_of_next(c):
    """ln(1 + c) of a count or weight c >= 0."""
    if c < len(_LOGS):
        k = int(c)
        if k == c:
            return _LOGS[k]
    return math.log(c + 1.0)


@inline(force=True)
def logarithms(x, n):
    """x[:n] <- ln x of positive normal numbers. x : float64[n or more]"""
    for k in range(n):
        x[k] = logarithm(x[k])


@inline(force=True)
def logarithm(x):
    """ln x of a positive normal number, to 1e-15: x = 2^e m with m in [sqrt(1/2), sqrt(2)), ln m = 2 artanh.

    Without a call, so that loops are vectorised: a logarithm of the library takes as long as all else done with a word.
    """
    bits = np.float64(x).view(np.int64)
    e = (bits - _ROOT) >> _MANTISSA
    m = np.int64(bits - (e << _MANTISSA)).view(np.float64)
    s = (m - 1.0) / (m + 1.0)
    q, total = s * s, 1.0 / 17.0
    for i in range(15, 1, -2):
        total = 1.0 / i + q * total
    return e * _LN2 + 2.0 * (s + s * (q * total))


@inline(force=True)
def clip_value(x):
    """x within +-`MAX_VALUE`; 0 within +-`MIN_VALUE`."""
    return 0.0 if abs(x) < MIN_VALUE else min(max(x, -MAX_VALUE), MAX_VALUE)


@inline(force=True)
def float_code(x, b):
    """Sign, exponent and b leading mantissa bits of x: 2^b bins an octave on both sides, and no scale.

    ``(code >> k + 1) << 1 | code & 1`` of b is the code of b - k. Sign, exponent and mantissa stand side by side in x.
    """
    bits = np.float64(x).view(np.int64)
    leading = min(bits & _SIZE, _HUGE) >> (_MANTISSA - b)
    return 2 * (leading + (_BELOW << b)) + (1 if bits < 0 else 0)


@inline(force=True)
def is_whole(x, least=MIN_WHOLE):
    """Return whether x is a whole number from `least` to `MAX_WHOLE` in size: it may be a name as well."""
    return least <= abs(x) <= MAX_WHOLE and x == math.floor(x)


@inline(force=True)
def whole_code(x):
    """Code of x, where `is_whole`: no bin has it."""
    return WHOLE + 2 * int(abs(x)) + (1 if x < 0.0 else 0)


@inline(force=True)
def are_names(seen):
    """Return whether the whole numbers that a feature has had are names: few different ones, which come again.

    seen : int64[2]; see `name_key`
    """
    k = seen[0]  # becomes the number of its bits: of two, four, eight, and so on
    k -= (k >> 1) & 0x5555555555555555
    k = (k & 0x3333333333333333) + ((k >> 2) & 0x3333333333333333)
    k = (k + (k >> 4)) & 0x0F0F0F0F0F0F0F0F
    k += k >> 8
    k += k >> 16
    k = (k + (k >> 32)) & 0x7F
    return 0 < k <= MOST_MARKED and seen[1] >= ROWS_A_NAME * k


@inline(force=True)
def name_key(id, x, seen, learned):
    """Key of x itself, not of its bin, where the whole numbers that its feature has had are names; or -1.

    id : of the feature; seen : int64[2], of its values from `MIN_NAME` on the cells marked (bits), and how many came.
    A value that is `learned` is taken in; one that can be no name marks all cells.
    """
    if abs(x) < MIN_NAME:
        return -1
    key = key_of(id, whole_code(x)) if is_whole(x, MIN_NAME) else -1
    known = key >= 0 and are_names(seen)
    if learned:
        seen[0] |= np.int64(1) << key % CELLS if key >= 0 else (1 << CELLS) - 1
        seen[1] += 1
    return key if known else -1


@inline(force=True)
def within(h):
    """An importance weight h as moments take it: 0 as 1."""
    return min(max(h, MIN_WEIGHT), MAX_WEIGHT) if h > 0.0 else 1.0


@inline
def update_moments(x, h, moments):
    """Add a value x of weight h (`within`) to the moments of its feature: float64[3], weight, mean, M2 (Welford)."""
    h = within(h)
    if moments[0] == 0.0:
        moments[1] = x  # not x h / h: values that are all equal have no variance, not even by rounding
    moments[0] += h
    delta = x - moments[1]
    moments[1] += delta * h / moments[0]
    moments[2] += delta * h * (x - moments[1])


@inline
def varies(moments):
    """Return whether a feature has had values that differ by more than rounding."""
    return moments[2] > max(ROUNDING_SHARE * moments[1] * moments[1] * moments[0], 0.0)


@inline
def deviation(x, moments):
    """(x - mean) / standard deviation, of a feature that `varies`."""
    return (x - moments[1]) / math.sqrt(moments[2] / moments[0])


@inline
def standard(x, moments):
    """x in standard deviations from the mean, within +-`MAX_Z`; 1 while all values are equal, as an indicator's."""
    return min(max(deviation(x, moments), -MAX_Z), MAX_Z) if varies(moments) else 1.0


@inline
def z_code(x, resolution, moments):
    """Bin of x among the values seen of its feature, x included: any shift or scale of the feature gives the same.

    ``floor(resolution u / (1 + |u|/4) + 1/2)`` of the deviation u; 0 while all values are equal.
    """
    if not varies(moments):
        return 0
    u = deviation(x, moments)
    return math.floor(resolution * u / (1.0 + abs(u) / 4.0) + 0.5) + _CENTRE


@inline
def moments_with(x, h, j, moments, own, learned):
    """`own` <- row j of `moments` with x taken in; the row as well, if it is learned from. j < 0: a new feature's."""
    for k in range(3):
        own[k] = moments[j, k] if j >= 0 else 0.0
    update_moments(x, h, own)
    if learned:
        for k in range(3):
            moments[j, k] = own[k]


@inline(force=True)
def key_of(id, code):
    """`KEY_BITS` bits that look random, for the feature of that id (any int64) with 0 <= code < 2^20.

    Two learners make the same key of the same feature, however they have numbered it, so that what they make up can be
    merged.

    Four Feistel rounds of a product's middle bits; no product reaches 2^63: there is no overflow to rely on. Sums of
    keys are keys of the unordered tuples.
    """
    product = ((id ^ (id >> KEY_BITS)) & KEY) + code * 0x45EBCA77
    high, low = product >> 31, product & _HALF
    high ^= ((low * 0x2C1B3C6D) >> 17) & _HALF
    low ^= ((high * 0x297A2D39) >> 17) & _HALF
    high ^= ((low * 0x6C8E9CF5) >> 17) & _HALF
    low ^= ((high * 0x52DCE729) >> 17) & _HALF
    return ((high << 31) | low) >> 1
