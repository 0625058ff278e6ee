"""State of the learner with diagonal compensation: plain arrays in NamedTuples; Python allocates, kernels fill in.

A = diag(1 + extra) + B'B. The rows of B are the k that the last shrink has left, which stand in the table, and the raw
ones since then, each s x. The weights are ``w = wbar + (Delta^-1 B' c)`` with Delta = 1 + extra; what is kept of c is
gamma = L'c, where L L' = I + B Delta^-1 B'. Letters: see NOTATION.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.learn.losses import CODE
from sonlearn.options import LearnOptions

# Numbers stand in fours: a constant place within four needs no check whether it counts from the end, as any other
# index does, and that halves the time of what is done to a feature.
# The first four of a feature's row in the table; its entries of the kept rows of B follow, so that all that is read of
# a feature is in one place, one cache miss.
WBAR, EXTRA, STAMP, SLOT = range(4)
#: What a shrink sums for a feature of the buffer: Delta w, |X_:f|^2; and Delta before it.
TOTAL, SQUARES, DELTA = range(3)
# EXTRA: Delta less 1. STAMP: generation up to which the feature is current. SLOT: its place among the buffer's
# features, counted from 1; 0: in none of the buffered rows.

#: Raw rows between two shrinks, at least; and for each row of the sketch. A longer buffer has fewer shrinks and fewer
#: generations to catch up with, and costs longer solves.
RAW_MIN, RAW_PER_ROW = 12, 2
#: Squared length up to which Delta^-1/2 B may have rows: a longer raw row counts that much less, and what a kept row is
#: longer is shed. So I + T has a condition number that double precision bears, whatever the values are.
LONGEST = 1e10
#: The log of generations composes blocks of 2^BITS, and of 2^BITS of those, and so on.
BITS = 5
#: Generations that the log holds, at least, before all features are brought up to date at once.
LOG_MIN = 64


class DiagonalFDParams(NamedTuple):
    """What the kernels need of `LearnOptions`, as numbers."""

    loss: int
    m: int
    raw: int  # rows buffered between two shrinks
    r: float
    keep: float  # what a row learned leaves of A, but for the 1 that Delta begins with


class DiagonalFDState(NamedTuple):
    """All that has been learned, but for the names of the features."""

    table: np.ndarray  # float64[features, 1 + fours, 4]; fours: of the m - 1 kept rows, and at least 1
    mass: np.ndarray  # float64[features]; sum of squares of the feature's entries in all rows before the buffered ones
    maps: np.ndarray  # float64[slots, fours, 4 fours + 1, 4]; the log of generations (`lazy`)
    X: np.ndarray  # float64[slots, fours of raw, 4]; the buffered rows, by the features in them
    when: np.ndarray  # int64[features]; rows learned from when the mass was up to date
    owner: np.ndarray  # int64[slots]; the feature of each slot
    entries: np.ndarray  # int64[entries]; the slots of the first buffered row, of the second, ...
    ends: np.ndarray  # int64[raw]; where each row ends among the entries
    T: np.ndarray  # float64[rows, rows]; B Delta^-1 B'
    LT: np.ndarray  # float64[rows, rows]; upper triangular, LT'LT = I + T
    gamma: np.ndarray  # float64[rows]
    now: np.ndarray  # the scalars, see `SCALARS`


#: t: rows learned from; shrunk: the same at the last shrink; k: rows kept; raw: rows buffered; slots: features in them;
#: entries: entries in them; capacity: generations that the log may hold; seen: features seen.
SCALARS = [(name, "i8") for name in ("t", "shrunk", "k", "raw", "slots", "entries", "generation", "capacity", "seen")]


class DiagonalFDScratch(NamedTuple):
    """Scratch of one round or shrink; nothing in it outlives that."""

    u: np.ndarray  # float64[longest row]; Delta^-1 x
    slot: np.ndarray  # int64[longest row]; slots of those of its features that are in the buffer
    own: np.ndarray  # float64[longest row]; the same entries of u
    place: np.ndarray  # int64[longest row]; 0, 1, 2, ...
    row: np.ndarray  # float64[longest row, 1 + fours, 4]; table rows brought up to date without writing them
    q: np.ndarray  # float64[rows + 4]; B Delta^-1 x
    g: np.ndarray  # float64[rows + 4]; L^-1 q
    c: np.ndarray  # float64[rows]
    CT: np.ndarray  # float64[rows, fours, 4]; kept rows as combinations of those before, transposed
    sums: np.ndarray  # float64[slots, 4]
    z: np.ndarray  # float64[2, 4 fours + 1]; one feature on its way through the log
    E: np.ndarray  # float64[3, fours, 4 fours + 1, 4]; a map and products of maps


def fours_of(n: int) -> int:
    """Groups of four that n numbers take, at least one."""
    return max(-(-n // 4), 1)


def params_of(options: LearnOptions) -> DiagonalFDParams:
    """Numbers for the kernels. m = 0 compensates each row at once: a buffer of one row, of which nothing is kept."""
    m = options.sketch_size
    raw = max(RAW_MIN, RAW_PER_ROW * m) if m else 1
    return DiagonalFDParams(
        loss=CODE[options.loss], m=max(m, 1), raw=raw, r=float(options.arow_r), keep=1.0 - options.decay
    )


def new_state(params: DiagonalFDParams) -> DiagonalFDState:
    """State of a learner that has seen nothing."""
    fours, rows = fours_of(params.m - 1), params.m - 1 + params.raw
    now = np.zeros(1, dtype=SCALARS)
    now["capacity"] = LOG_MIN
    return DiagonalFDState(
        table=np.zeros((0, 1 + fours, 4)), mass=np.zeros(0), maps=np.zeros((0, fours, 4 * fours + 1, 4)),
        X=np.zeros((0, fours_of(params.raw), 4)), when=np.zeros(0, dtype=np.int64), owner=np.zeros(0, dtype=np.int64),
        entries=np.zeros(0, dtype=np.int64), ends=np.zeros(params.raw, dtype=np.int64), T=np.zeros((rows, rows)),
        LT=np.zeros((rows, rows)), gamma=np.zeros(rows), now=now,
    )  # fmt: skip


def new_work(params: DiagonalFDParams, longest: int, slots: int) -> DiagonalFDScratch:
    """Scratch for rows of up to `longest` entries and a buffer of up to `slots` features."""
    fours, rows, longest = fours_of(params.m - 1), params.m - 1 + params.raw, max(longest, 1)
    return DiagonalFDScratch(
        u=np.zeros(longest), slot=np.zeros(longest, dtype=np.int64), own=np.zeros(longest),
        place=np.arange(longest), row=np.zeros((longest, 1 + fours, 4)), q=np.zeros(rows + 4), g=np.zeros(rows + 4),
        c=np.zeros(rows), CT=np.zeros((rows, fours, 4)), sums=np.zeros((slots, 4)), z=np.zeros((2, 4 * fours + 1)),
        E=np.zeros((3, fours, 4 * fours + 1, 4)),
    )  # fmt: skip
