"""State of the learner with diagonal compensation: arrays in NamedTuples. Python allocates them; kernels fill them in.

A = diag(1 + extra) + B'B. The rows of B are the k rows that the last shrink kept (in the table) and the raw rows since
then, each s x. The weights are ``w = wbar + Delta^-1 B' c`` with Delta = 1 + extra. The state stores gamma = L'c in
place of c, where L L' = I + B Delta^-1 B'. Letters: see NOTATION.md.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data.axes import BY_FEATURE, Counted, Scalars
from sonlearn.learn.log import slots_of
from sonlearn.learn.losses import CODE
from sonlearn.learn.tolerances import LOG_MIN
from sonlearn.options import LearnOptions

# The first columns of a feature's row of the table. The feature's entries of the kept rows of B follow, so that reading
# a feature costs one cache miss.
WBAR, EXTRA, STAMP, SLOT, KEPT = range(5)
#: Columns of the shrink's sums for a feature of the buffer: Delta w, |X_:f|^2, and Delta before the shrink.
TOTAL, SQUARES, DELTA = range(3)
# EXTRA: Delta - 1. STAMP: the last generation applied to the feature. SLOT: its position among the buffer's features,
# counted from 1; 0 if it is in no buffered row.

#: Minimum of raw rows between two shrinks, and raw rows for each row of the sketch. A longer buffer means fewer shrinks
#: and generations, and longer solves.
RAW_MIN, RAW_PER_ROW = 12, 2
#: Largest squared length of a row of B Delta^-1/2. A longer raw row gets a smaller weight; the excess of a kept row is
#: shed. So the condition number of I + T suits double precision for any input.
LONGEST = 1e10
#: Rows of the log; features in the buffered rows, and their entries.
LOG = Counted("generation", room="capacity", rows=slots_of)
SLOTS, ENTRIES = Counted("slots"), Counted("entries")


class DiagonalFDParams(NamedTuple):
    """The kernels' parameters, from `LearnOptions`."""

    loss: int
    m: int
    raw: int  # rows buffered between two shrinks
    r: float
    retention: float  # factor of A - I for each row learned: 1 - decay


class DiagonalFDState(NamedTuple):
    """State of a learner, without the names of its features."""

    # float64[features, KEPT + width]
    table: Annotated[np.ndarray, BY_FEATURE]
    # float64[features]; sum of squares of the feature's entries in all rows before the buffered ones
    mass: Annotated[np.ndarray, BY_FEATURE]
    maps: Annotated[np.ndarray, LOG]  # float64[slots, width, width + 1]; the log of generations (`lazy`)
    X: Annotated[np.ndarray, SLOTS]  # float64[slots, raw]; the buffered rows, by feature
    when: Annotated[np.ndarray, BY_FEATURE]  # int64[features]; rows learned when `mass` was last updated
    owner: Annotated[np.ndarray, SLOTS]  # int64[slots]; the feature of each slot
    entries: Annotated[np.ndarray, ENTRIES]  # int64[entries]; the slots of the first buffered row, of the second, ...
    ends: np.ndarray  # int64[raw]; the end of each buffered row in `entries`
    T: np.ndarray  # float64[rows, rows]; B Delta^-1 B'
    LT: np.ndarray  # float64[rows, rows]; upper triangular, LT'LT = I + T
    gamma: np.ndarray  # float64[rows]
    now: Annotated[np.ndarray, Scalars("t")]  # the scalars, see `SCALARS`


#: t: rows learned; shrunk: t at the last shrink; k: rows kept; raw: rows buffered; slots: features in the buffered
#: rows; entries: their entries; generation: of the log; capacity: generations that it may hold; seen: features.
SCALARS = [(name, "i8") for name in ("t", "shrunk", "k", "raw", "slots", "entries", "generation", "capacity", "seen")]


def params_of(options: LearnOptions) -> DiagonalFDParams:
    """The kernels' parameters. With m = 0 the buffer holds one row and no row is kept: a diagonal method."""
    m = options.sketch_size
    raw = max(RAW_MIN, RAW_PER_ROW * m) if m else 1
    return DiagonalFDParams(
        loss=CODE[options.loss], m=max(m, 1), raw=raw, r=float(options.arow_r), retention=1.0 - options.decay
    )


def new_state(params: DiagonalFDParams) -> DiagonalFDState:
    """State of an untrained learner."""
    width, rows = max(params.m - 1, 1), params.m - 1 + params.raw  # of a sketch that keeps no row, width is 1
    now = np.zeros(1, dtype=SCALARS)
    now["capacity"] = LOG_MIN
    return DiagonalFDState(
        table=np.zeros((0, KEPT + width)), mass=np.zeros(0), maps=np.zeros((0, width, width + 1)),
        X=np.zeros((0, params.raw)), when=np.zeros(0, dtype=np.int64), owner=np.zeros(0, dtype=np.int64),
        entries=np.zeros(0, dtype=np.int64), ends=np.zeros(params.raw, dtype=np.int64), T=np.zeros((rows, rows)),
        LT=np.zeros((rows, rows)), gamma=np.zeros(rows), now=now,
    )  # fmt: skip
