"""Largest and sums over the classes of a row, four at a time: each in an order of its own, always the same.

One running value would wait for itself at every class; with a thousand classes that is most of the time.
"""

from __future__ import annotations

import math

from sonlearn.jit import forced_inline


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
