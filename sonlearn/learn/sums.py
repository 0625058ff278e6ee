"""Largest, sums and exponentials of a row of numbers, several at a time, always in the same order.

One running value would wait for itself at every class; with a thousand classes that is most of the time.
"""

from __future__ import annotations

import math

from sonlearn.jit import forced_inline

#: Of a smaller number `exponential` gives what it gives of this one: 4e-18.
LOWEST = -40.0


@forced_inline
def largest(z, n):
    """The largest of z[:n]; -inf of none."""
    a = b = c = d = -math.inf
    whole = n - n % 4
    for k in range(0, whole, 4):
        a = max(a, z[k])
        b = max(b, z[k + 1])
        c = max(c, z[k + 2])
        d = max(d, z[k + 3])
    for k in range(whole, n):
        a = max(a, z[k])
    return max(max(a, b), max(c, d))


@forced_inline
def product(p, v, n):
    """p[:n]'v[:n]."""
    a = b = c = d = 0.0
    whole = n - n % 4
    for k in range(0, whole, 4):
        a += p[k] * v[k]
        b += p[k + 1] * v[k + 1]
        c += p[k + 2] * v[k + 2]
        d += p[k + 3] * v[k + 3]
    for k in range(whole, n):
        a += p[k] * v[k]
    return (a + b) + (c + d)


@forced_inline
def total_of(z, n):
    """The sum of z[:n]."""
    a = b = c = d = 0.0
    whole = n - n % 4
    for k in range(0, whole, 4):
        a += z[k]
        b += z[k + 1]
        c += z[k + 2]
        d += z[k + 3]
    for k in range(whole, n):
        a += z[k]
    return (a + b) + (c + d)


@forced_inline
def exponential(x):
    """exp(x) of x <= 0, to 1e-12 of itself: Taylor's polynomial of x/128, squared seven times.

    Without a call or a branch, so that a loop over classes is vectorised.
    """
    t = max(x, LOWEST) * (1.0 / 128.0)
    p = 1.0 + t * (1.0 / 11.0)
    p = 1.0 + t * (1.0 / 10.0) * p
    p = 1.0 + t * (1.0 / 9.0) * p
    p = 1.0 + t * (1.0 / 8.0) * p
    p = 1.0 + t * (1.0 / 7.0) * p
    p = 1.0 + t * (1.0 / 6.0) * p
    p = 1.0 + t * (1.0 / 5.0) * p
    p = 1.0 + t * (1.0 / 4.0) * p
    p = 1.0 + t * (1.0 / 3.0) * p
    p = 1.0 + t * (1.0 / 2.0) * p
    p = 1.0 + t * p
    p *= p
    p *= p
    p *= p
    p *= p
    p *= p
    p *= p
    return p * p
