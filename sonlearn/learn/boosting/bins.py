"""Columns of the buffer become codes: 0 of rows without a value, else 1 more than the number of its bin.

The largest values of the bins are quantiles of a sample of the rows, or all its values if there are few; there are more
bins where values come again. So codes keep the order of values and are invariant to every increasing function of a
column; `tree.refine_threshold` looks between them.
"""

import math

import numpy as np

from sonlearn.data.linear_algebra import clear_first
from sonlearn.jit import inline
from sonlearn.learn.boosting.state import BINS, COLUMNS, MAX_ROWS, MAX_ROWS_WIDE, MAX_VALUES, MOST_COLUMNS, QUANTILES

#: Rows of which the quantiles are, evenly chosen, at most; of several classes and many columns as many as have
#: `SAMPLE_VALUES`, but `SAMPLE_WIDE`: to sort more takes as long as to code all rows.
SAMPLE, SAMPLE_VALUES, SAMPLE_WIDE = 1024, 1 << 15, 256
#: Rows, and rows of the sample, for each value in the mean from which on a column has more bins than `QUANTILES`.
ROWS_PER_BIN, SAMPLED_PER_BIN = 16, 2
#: Rows of which each step is made for all, before the next.
BLOCK_ROWS = 64
#: Of more columns than this trees draw those more often that alone tell something of the labels.
WIDE = 2 * COLUMNS
#: A split explains no more than the variance, but for rounding.
MOST_OF_VARIANCE = 1.0 + 1e-6


@inline(force=True)
def padded_scores(known):
    """Numbers that a row of so many scores has in `BoostState.scores`: 1, or a multiple of 4 for whole vectors."""
    return known if known < 2 else (known + 3) // 4 * 4


@inline(force=True)
def max_refit_rows(columns, classes):
    """Return how many rows of so many columns, and scores of so many classes, a refit goes by at most."""
    return max(min(MAX_VALUES // max(columns, padded_scores(classes), 1), MAX_ROWS), MAX_ROWS_WIDE)


@inline(force=True)
def refit_rows(now):
    """Return how many rows the refit under way goes by."""
    return min(now["refit_end"] - now["forgotten"], max_refit_rows(now["refit_columns"], now["refit_classes"]))


@inline(force=True)
def ring_of(now):
    """(slot of the first row that the refit under way goes by, slots)."""
    return (now["refit_end"] - refit_rows(now)) % now["slots"], now["slots"]


@inline(force=True)
def slot_of(ring, i):
    """Slot of row i of those that the refit under way goes by."""
    slot = ring[0] + i
    return slot - ring[1] if slot >= ring[1] else slot


@inline
def code_columns(params, state, room, begin, end):
    """Fill in codes, bins and relevance of the columns from begin to end, which are side by side in memory."""
    now, bin_edges, n_bins, x = state.now[0], state.bin_edges, state.n_bins, room.x
    ring, n, width = ring_of(now), refit_rows(now), now["width"]
    for j in range(begin, end):
        m = take_sample(now, state.values, room.sample, j)
        sort(room.sample, m)
        n_bins[j] = find_bin_edges(bin_edges[j], room.sample, m, n)
    for first in range(0, n, BLOCK_ROWS):
        m = min(BLOCK_ROWS, n - first)
        for j in range(begin, end):
            for i in range(m):
                x[i] = state.values[slot_of(ring, first + i) * width + j]
            code_values(x, room.below, state.column_codes[j * n + first : j * n + first + m], bin_edges[j], n_bins[j])
    for j in range(begin, end):
        codes, same = state.column_codes[j * n : (j + 1) * n], 1
        while same < n and codes[same] == codes[0]:
            same += 1
        n_bins[j] = n_bins[j] if same < n else 0
        state.costs[j] = cost_of(codes, n_bins[j])
        if n_bins[j] > 0 and now["refit_columns"] > WIDE:
            state.relevance[j] = relevance_of(params, now, state.labels, room.sums, codes, n_bins[j])


@inline
def cost_of(codes, size):
    """Return how many cells of the room of a tree a column takes: those of a share of one, that of rows with a value.

    They are no fewer than its codes. So trees look at as many values of a row, whatever share of them is missing.
    """
    filled = 0
    for code in codes:
        filled += int(code > 0)
    return max((filled * (BINS + 1) + len(codes) - 1) // len(codes), size + 1, COLUMNS * (BINS + 1) // MOST_COLUMNS)


@inline
def relevance_of(params, now, labels, sums, codes, size):
    """Return what the best split by a column gains: the fall of the squared error, over the variance of the labels.

    Of several classes both are sums over the classes, with 1 for the own class and else 0 as labels.

    sums : float64[codes + 2, 1 + K], overwritten; codes : of the rows of the refit
    """
    ring, K, squares = ring_of(now), now["refit_classes"], 0.0
    below, every = sums[len(sums) - 2], sums[len(sums) - 1]
    for k in range(len(sums)):
        for c in range(K + 1):
            sums[k, c] = 0.0
    for i in range(len(codes)):
        y, h, base = labels[slot_of(ring, i)]
        c, x = (1 + int(y), 1.0) if len(params.several) > 0 else (1, y - base)
        sums[codes[i], 0] += h
        sums[codes[i], c] += h * x
        every[0] += h
        every[c] += h * x
        squares += h * x * x
    best, weight, variance = 0.0, every[0], squares / every[0]
    for c in range(1, K + 1):
        variance -= (every[c] / weight) ** 2
    for k in range(size):
        gain = 0.0
        for c in range(K + 1):
            below[c] += sums[k, c]
            gain += (below[c] - below[0] * every[c] / weight) ** 2
        if 0.0 < below[0] < weight:
            best = max(best, gain * weight / (below[0] * (weight - below[0])))
    share = best / variance if variance > 0.0 else 0.0
    return share if share <= weight * MOST_OF_VARIANCE else 0.0


@inline
def take_sample(now, values, sample, j):
    """Fill `sample` with values of column j; returns how many."""
    size, ring = 0, ring_of(now)
    n, width = refit_rows(now), now["width"]
    most = max(SAMPLE_VALUES // now["refit_columns"], SAMPLE_WIDE) if now["refit_classes"] > 1 else SAMPLE
    m = min(n, most, SAMPLE)
    for k in range(m):
        x = values[slot_of(ring, k * n // m) * width + j]
        if x != 0.0:
            sample[size] = x
            size += 1
    return size


@inline
def sort(x, n):
    """Sort the first n of x by insertion, at distances that become smaller and smaller (Shell)."""
    gap = n
    while gap > 1:
        gap = max(gap * 5 // 11, 1)
        for i in range(gap, n):
            value, at = x[i], i
            while at >= gap and x[at - gap] > value:
                x[at] = x[at - gap]
                at -= gap
            x[at] = value


@inline
def find_bin_edges(bin_edges, sample, n, rows):
    """bin_edges <- largest values of bins of the first n of a `sample`, which are sorted; returns how many there are.

    Those beyond are infinite. rows : that the refit goes by
    """
    distinct, size = 0, 0
    for i in range(n):
        if i == 0 or sample[i] != sample[i - 1]:
            distinct += 1
    most = max(QUANTILES, min(rows // ROWS_PER_BIN, BINS)) if SAMPLED_PER_BIN * distinct <= n else QUANTILES
    bins = n if distinct <= most else most
    for k in range(bins):
        edge = sample[(k + 1) * n // bins - 1]
        if size == 0 or edge != bin_edges[size - 1]:
            bin_edges[size] = edge
            size += 1
    for k in range(size, len(bin_edges)):
        bin_edges[k] = math.inf
    return size


@inline
def code_values(x, below, codes, bin_edges, size):
    """codes <- those of the values x: values beyond the last edge are in the last bin.

    Several values are compared with three edges at once, of which there are `BINS`; a search would wait for each step.
    """
    clear_first(below, len(below))
    for k in range(0, size, 3):
        a, b, c = bin_edges[k], bin_edges[k + 1], bin_edges[k + 2]
        for i in range(len(below)):
            below[i] += np.int32(a < x[i]) + np.int32(b < x[i]) + np.int32(c < x[i])
    for i in range(len(codes)):
        codes[i] = 0 if x[i] == 0.0 or size == 0 else min(below[i], size - 1) + 1
