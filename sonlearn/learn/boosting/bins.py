"""Columns of the buffer become codes: 0 of rows without a value, else 1 more than the number of its bin.

The largest values of the bins are quantiles of a sample of the rows, or all its values if there are few. So codes keep
the order of values and are invariant to every increasing function of a column; `tree.move_edge` looks between them.
"""

import math

from sonlearn.jit import inline
from sonlearn.learn.boosting.state import BINS, MAX_ROWS, MAX_ROWS_WIDE, MAX_VALUES

#: Rows of which the quantiles are, evenly chosen, at most.
SAMPLE = 1024


@inline(force=True)
def rows_kept(columns):
    """Return how many rows of so many columns a refit goes by at most."""
    return max(min(MAX_VALUES // max(columns, 1), MAX_ROWS), MAX_ROWS_WIDE)


@inline(force=True)
def rows_of_refit(now):
    """Return how many rows the refit under way goes by."""
    return min(now["last"] - now["since"], rows_kept(now["columns"]))


@inline(force=True)
def ring_of(now):
    """(slot of the first row that the refit under way goes by, slots)."""
    return (now["last"] - rows_of_refit(now)) % now["slots"], now["slots"]


@inline(force=True)
def slot_of(ring, i):
    """Slot of row i of those that the refit under way goes by."""
    slot = ring[0] + i
    return slot - ring[1] if slot >= ring[1] else slot


@inline
def code_columns(state, sample, begin, end):
    """Fill in the codes, edges and sizes of the columns from begin to end, which are side by side in memory."""
    now, edges, sizes = state.now[0], state.edges, state.sizes
    ring, n, width = ring_of(now), rows_of_refit(now), now["width"]
    for j in range(begin, end):
        m = take_sample(now, state.values, sample, j)
        sort(sample, m)
        sizes[j] = find_edges(edges[j], sample, m)
    for i in range(n):
        row = slot_of(ring, i) * width
        for j in range(begin, end):
            state.by_column[j * n + i] = code_of(state.values[row + j], edges[j], sizes[j])
    for j in range(begin, end):
        codes, others = state.by_column[j * n : (j + 1) * n], 0
        for i in range(n):
            others += int(codes[i] != codes[0])
        sizes[j] = sizes[j] if others > 0 else 0


@inline
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


@inline
def sort(values, n):
    """Sort the first n values: Shell's method, whose gaps are (3^k - 1)/2 (Knuth)."""
    gap = 1
    while 3 * gap < n:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            x, at = values[i], i
            while at >= gap and values[at - gap] > x:
                values[at] = values[at - gap]
                at -= gap
            values[at] = x
        gap //= 3


@inline
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


@inline
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
