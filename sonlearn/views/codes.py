"""Codes of values, and keys of made-up features: what a number becomes where a learner shall see it as a word."""

from __future__ import annotations

import math

from sonlearn.jit import bare_inline

#: Bits of a key. Three keys can be added without leaving 63 bits.
KEY_BITS = 61
_HALF = 0x7FFFFFFF
#: Added to binary exponents, so that codes are positive.
_EXPONENT = 1100
#: Added to the codes of `z_code`, likewise.
_CENTRE = 1000
#: Values beyond count as this in running moments, so that their squares stay finite.
_FAR = 1e140
#: Of the mean's square: a variance below is rounding.
_EQUAL = 1e-18


@bare_inline
def float_code(x, b):
    """Sign, exponent and b leading mantissa bits of x, not 0: 2^b bins an octave on both sides, and no scale.

    ``code >> 2 << 1 | code & 1`` of b is the code of b - 1.
    """
    mantissa, exponent = math.frexp(abs(x))
    leading = int((2.0 * mantissa - 1.0) * (1 << b))
    return 2 * (((exponent + _EXPONENT) << b) + leading) + (1 if x < 0.0 else 0)


@bare_inline
def z_code(x, resolution, moments):
    """Bin of x among the values seen of its feature, which `moments` (count, mean, M2) take in first.

    ``u = (x - mean) / sd, floor(resolution u / (1 + |u|/4) + 1/2)``: any shift or scale of the feature gives the same;
    0 while all values are equal. Modifies moments (float64[3], Welford's recurrence).
    """
    x = min(max(x, -_FAR), _FAR)
    moments[0] += 1.0
    delta = x - moments[1]
    moments[1] += delta / moments[0]
    moments[2] += delta * (x - moments[1])
    if not moments[2] > _EQUAL * moments[1] * moments[1] * moments[0]:
        return 0
    u = (x - moments[1]) / math.sqrt(moments[2] / moments[0])
    return math.floor(resolution * u / (1.0 + abs(u) / 4.0) + 0.5) + _CENTRE


@bare_inline
def key_of(j, code):
    """`KEY_BITS` bits that look random, for feature 0 <= j < 2^30 with 0 <= code < 2^20.

    Four Feistel rounds of a product's middle bits; no product reaches 2^63: there is no overflow to rely on. Sums of
    keys are keys of the unordered tuples.
    """
    product = j * 0x5E3779B1 + code * 0x45EBCA77
    high, low = product >> 31, product & _HALF
    high ^= ((low * 0x2C1B3C6D) >> 17) & _HALF
    low ^= ((high * 0x297A2D39) >> 17) & _HALF
    high ^= ((low * 0x6C8E9CF5) >> 17) & _HALF
    low ^= ((high * 0x52DCE729) >> 17) & _HALF
    return ((high << 31) | low) >> 1
