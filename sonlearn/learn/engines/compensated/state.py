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

# A row of the table of features: everything that is read of a feature in one place, one cache miss.
WBAR, EXTRA, STAMP, SLOT, HEAD = range(5)  # HEAD: columns before those of B
# EXTRA: Delta less 1. STAMP: generation up to which the feature is current. SLOT: its place among the buffer's
# features, counted from 1; 0: in none of the buffered rows.

#: Raw rows between two shrinks, at least; and for each row of the sketch. A longer buffer has fewer shrinks and fewer
#: generations to catch up with, and costs longer solves.
RAW_MIN, RAW_PER_ROW = 12, 2
#: Squared length up to which Delta^-1/2 B may have rows: a longer raw row counts that much less, and what a kept row is
#: longer is shed. So I + T has a condition number that double precision bears, whatever the values are.
LONGEST = 1e10
#: Generations that the log holds, at least, before all features are brought up to date at once.
LOG_MIN = 64


class Params(NamedTuple):
    """What the kernels need of `LearnOptions`, as numbers."""

    loss: int
    m: int
    raw: int  # rows buffered between two shrinks
    r: float


class State(NamedTuple):
    """All that has been learned, but for the names of the features."""

    table: np.ndarray  # float64[features, HEAD + width]; width: m - 1 and at least 1, up to a multiple of 4
    mass: np.ndarray  # float64[features]; sum of squares of the feature's entries in all rows before the buffered ones
    maps: np.ndarray  # float64[slots, width, width + 1]; the log of generations (`lazy`)
    X: np.ndarray  # float64[slots, raw up to a multiple of 4]; the buffered rows, by the features in them
    owner: np.ndarray  # int64[slots]; the feature of each slot
    entries: np.ndarray  # int64[entries]; the slots of the first buffered row, of the second, ...
    ends: np.ndarray  # int64[raw]; where each row ends among the entries
    T: np.ndarray  # float64[rows, rows]; B Delta^-1 B'
    LT: np.ndarray  # float64[rows, rows]; upper triangular, LT'LT = I + T
    gamma: np.ndarray  # float64[rows]
    now: np.ndarray  # the scalars, see `SCALARS`


#: k: rows kept; raw: rows buffered; slots: features in them; entries: entries in them; capacity: generations that the
#: log may hold; seen: features seen.
SCALARS = [(name, "i8") for name in ("t", "k", "raw", "slots", "entries", "generation", "capacity", "seen")]


class Work(NamedTuple):
    """Scratch of one round or shrink; nothing in it outlives that."""

    u: np.ndarray  # float64[longest row]; Delta^-1 x
    slot: np.ndarray  # int64[longest row]; slots of those of its features that are in the buffer
    own: np.ndarray  # float64[longest row]; the same entries of u
    place: np.ndarray  # int64[longest row]; 0, 1, 2, ...
    row: np.ndarray  # float64[longest row, HEAD + width]; table rows brought up to date without writing them
    q: np.ndarray  # float64[rows + 4]; B Delta^-1 x
    g: np.ndarray  # float64[rows + 4]; L^-1 q
    c: np.ndarray  # float64[rows]
    CT: np.ndarray  # float64[rows, width]; kept rows as combinations of those before, transposed
    total: np.ndarray  # float64[slots]; Delta w
    z: np.ndarray  # float64[2, width + 1]; one feature on its way through the log
    E: np.ndarray  # float64[3, width, width + 1]; a map and products of maps


def padded(n: int) -> int:
    """n up to a multiple of 4, the numbers that are summed side by side."""
    return -(-n // 4) * 4


def width_of(params: Params) -> int:
    """Columns of the table that hold a feature's entries of the kept rows."""
    return padded(max(params.m - 1, 1))


def params_of(options: LearnOptions) -> Params:
    """Numbers for the kernels. m = 0 compensates each row at once: a buffer of one row, of which nothing is kept."""
    m = options.sketch_size
    raw = max(RAW_MIN, RAW_PER_ROW * m) if m else 1
    return Params(loss=CODE[options.loss], m=max(m, 1), raw=raw, r=float(options.arow_r))


def new_state(params: Params) -> State:
    """State of a learner that has seen nothing."""
    width, rows = width_of(params), params.m - 1 + params.raw
    now = np.zeros(1, dtype=SCALARS)
    now["capacity"] = LOG_MIN
    return State(
        table=np.zeros((0, HEAD + width)), mass=np.zeros(0), maps=np.zeros((0, width, width + 1)),
        X=np.zeros((0, padded(params.raw))), owner=np.zeros(0, dtype=np.int64), entries=np.zeros(0, dtype=np.int64),
        ends=np.zeros(params.raw, dtype=np.int64), T=np.zeros((rows, rows)), LT=np.zeros((rows, rows)),
        gamma=np.zeros(rows), now=now,
    )  # fmt: skip


def new_work(params: Params, longest: int, slots: int) -> Work:
    """Scratch for rows of up to `longest` entries and a buffer of up to `slots` features."""
    width, rows, longest = width_of(params), params.m - 1 + params.raw, max(longest, 1)
    return Work(
        u=np.zeros(longest), slot=np.zeros(longest, dtype=np.int64), own=np.zeros(longest),
        place=np.arange(longest), row=np.zeros((longest, HEAD + width)), q=np.zeros(rows + 4), g=np.zeros(rows + 4),
        c=np.zeros(rows), CT=np.zeros((rows, width)), total=np.zeros(slots), z=np.zeros((2, width + 1)),
        E=np.zeros((3, width, width + 1)),
    )  # fmt: skip
