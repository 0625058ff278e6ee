"""Columns of the buffer become codes: 0 of rows without a value, else 1 more than the number of its bin.

The largest values of the bins are quantiles of a sample of the rows, or all its values if there are few. So codes keep
the order of values and are invariant to every increasing function of a column; `tree.move_edge` looks between them.
"""

import math

import numpy as np

from sonlearn.jit import bare_inline, forced_inline
from sonlearn.learn.boosting.state import BINS, KEPT, LEAST_KEPT, NUMBERS

#: Rows of which the quantiles are, evenly chosen, at most.
SAMPLE = 1024
#: Of the bits of a float32, that of its sign, and all; values of a digit of 8 bits.
SIGN, ALL, DIGITS = np.uint32(1 << 31), np.uint32((1 << 32) - 1), 256


@forced_inline
def rows_kept(columns):
    """How many rows of so many columns a refit goes by at most."""
    return max(min(NUMBERS // max(columns, 1), KEPT), LEAST_KEPT)


@forced_inline
def rows_of_refit(now):
    """How many rows the refit under way goes by."""
    return min(now["last"] - now["since"], rows_kept(now["columns"]))


@forced_inline
def ring_of(now):
    """(slot of the first row that the refit under way goes by, slots)."""
    return (now["last"] - rows_of_refit(now)) % now["slots"], now["slots"]


@forced_inline
def slot_of(ring, i):
    """Slot of row i of those that the refit under way goes by."""
    slot = ring[0] + i
    return slot - ring[1] if slot >= ring[1] else slot


@bare_inline
def code_columns(state, sample, keys, places, begin, end):
    """Fill in the codes, edges and sizes of the columns from begin to end, which are side by side in memory."""
    now, edges, sizes = state.now[0], state.edges, state.sizes
    ring, n, width, columns = ring_of(now), rows_of_refit(now), now["width"], now["columns"]
    for j in range(begin, end):
        m = take_sample(now, state.values, sample, j)
        sort(sample, keys, places, m)
        sizes[j] = find_edges(edges[j], sample, m)
    for i in range(n):
        row = slot_of(ring, i) * width
        for j in range(begin, end):
            code = code_of(state.values[row + j], edges[j], sizes[j])
            state.codes[i * columns + j] = state.by_column[j * n + i] = code
    for j in range(begin, end):
        codes, others = state.by_column[j * n : (j + 1) * n], 0
        for i in range(n):
            others += int(codes[i] != codes[0])
        sizes[j] = sizes[j] if others > 0 else 0


@bare_inline
def take_sample(now, values, sample, j):
    """Fill `sample` with values of column j; returns how many."""
    size, ring = 0, ring_of(now)
    n, width = rows_of_refit(now), now["width"]
    m = min(n, SAMPLE)
    for k in range(m):
        x = values[slot_of(ring, k * n // m) * width + j]
        if x != 0.0:
            sample[size] = x
            size += 1
    return size


@bare_inline
def sort(values, keys, places, n):
    """Sort the first n values, float32: by the digits of keys in the same order, from the last digit to the first.

    keys : uint32[2, n or more]; places : int64[DIGITS]; both overwritten
    """
    for i in range(n):
        bits = np.float32(values[i]).view(np.uint32)
        keys[0, i] = bits ^ (ALL if bits & SIGN else SIGN)
    for turn in range(4):
        old, new, shift = keys[turn % 2], keys[1 - turn % 2], 8 * turn
        for digit in range(DIGITS):
            places[digit] = 0
        for i in range(n):
            places[(old[i] >> shift) % DIGITS] += 1
        total = 0
        for digit in range(DIGITS):
            total += places[digit]
            places[digit] = total - places[digit]
        for i in range(n):
            digit = (old[i] >> shift) % DIGITS
            new[places[digit]] = old[i]
            places[digit] += 1
    for i in range(n):
        values[i] = np.uint32(keys[0, i] ^ (SIGN if keys[0, i] & SIGN else ALL)).view(np.float32)


@bare_inline
def find_edges(edges, sample, n):
    """edges <- the largest values of bins of the first n of `sample`, which is sorted; returns how many there are.

    Those beyond are infinite.
    """
    distinct, size = 0, 0
    for i in range(n):
        if i == 0 or sample[i] != sample[i - 1]:
            distinct += 1
    bins = n if distinct <= BINS else BINS
    for k in range(bins):
        x = sample[(k + 1) * n // bins - 1]
        if size == 0 or x > edges[size - 1]:
            edges[size] = x
            size += 1
    for k in range(size, BINS):
        edges[k] = math.inf
    return size


@bare_inline
def code_of(x, edges, size):
    """The code of x: values beyond the last edge are in the last bin.

    A search by halves of `BINS` = 2^6 - 1 edges in as many steps for every x: branches would be foretold wrongly.
    """
    if x == 0.0 or size == 0:
        return 0
    below, step = 0, (BINS + 1) // 2
    while step > 0:
        below += step * (edges[below + step - 1] < x)
        step //= 2
    return min(below, size - 1) + 1
