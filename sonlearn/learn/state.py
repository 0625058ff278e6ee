"""The state of the learner: plain arrays in NamedTuples. Python allocates here; kernels fill in place.

The weights are ``w = wbar + Z' beta + Q' a``. Z has M numbers for every feature; V = F Z are the k orthonormal rows
that the last shrink has left; Q = [V; q_1..q_R] adds the directions that the rows since then have brought
(Gram-Schmidt).
Letters: see NOTATION.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.learn.losses import Loss, loss_of
from sonlearn.options import LearnOptions

RFD, FD, OJA, NONE = range(4)
SKETCH_CODE = {"rfd": RFD, "fd": FD, "oja": OJA, "none": NONE}

ETA_CONSTANT, ETA_OVER_T, ETA_OVER_ROOT_T = range(3)

# A row of the table of features: everything about a feature in one place, one cache miss.
WBAR, SQUARES, STAMP, LOCAL, HEAD = range(5)  # HEAD: columns before the M columns of Z
# STAMP = 2 * generation up to which the feature is current + 1 if Z has changed there within that generation.

# Integer counters.
# READ: entries of rows learned since V was last orthonormalised.
# CAPACITY: generations that the log may hold.
T, COUNT, K, R, N_LOCAL, GEN, N_TOUCHED, EMPTY, SEEN, READ, CAPACITY, N_COUNTERS = range(12)
# Real counters.
ALPHA, OJA_SUM, N_REALS = range(3)

#: A second look at a row (`residual`) is taken while at most this many features have been seen for each of its own.
FEATURES = 8
#: Least number of generations that the log holds before all features are brought up to date at once.
LOG_MIN = 64


class Params(NamedTuple):
    """What the kernels need of `LearnOptions`, as numbers."""

    sketch: int
    m: int
    loss: Loss
    clip: float
    sigma: float
    eta_kind: int
    eta: float
    diagonal: bool
    oja_adaptive: bool


class Factor(NamedTuple):
    """V = F Z, and the weights' coefficients on Z."""

    FT: np.ndarray  # float64[M, k_max], F transposed
    beta: np.ndarray  # float64[M]


class Raw(NamedTuple):
    """The rows since the last shrink, by feature: local feature i is feature owner[i]."""

    X: np.ndarray  # float64[local, R_max]
    owner: np.ndarray  # int64[local]


class Basis(NamedTuple):
    """Coordinates in the orthonormal rows Q."""

    G: np.ndarray  # float64[R_max, r_max]; raw row x_i = sum_j G[i, j] q_j, lower triangular beyond column k
    H: np.ndarray  # float64[r_max, r_max]; Q (S'S) Q'
    LT: np.ndarray  # float64[r_max, r_max]; upper triangular, LT' LT = H + alpha I
    a: np.ndarray  # float64[r_max]; coefficients of the weights
    D2: np.ndarray  # float64[k_max]; squared singular values of the kept rows (Oja: t Lambda)
    drift: np.ndarray  # float64[k_max, k_max]; model of V V' - I (`orthonormal.departure`)


class State(NamedTuple):
    """All that a learner has learned, but for the names of its features."""

    table: np.ndarray  # float64[features, HEAD + M]
    factor: Factor
    # float64[slots, k_max, k_max + 1]: the log of generations, composed (`generations`); E' in the first columns,
    # beta in the last
    maps: np.ndarray
    touched: np.ndarray  # int64[features]; where Z has changed in this generation
    raw: Raw
    basis: Basis
    counters: np.ndarray  # int64[N_COUNTERS]
    reals: np.ndarray  # float64[N_REALS]


class Work(NamedTuple):
    """Scratch vectors of one round; nothing in them outlives it."""

    zx: np.ndarray  # float64[M], Z x
    delta: np.ndarray  # float64[M], a step of Z in units of x
    rx: np.ndarray  # float64[R_max], X x
    y: np.ndarray  # float64[r_max + 1], coordinates of x
    h: np.ndarray  # float64[r_max + 1]
    u: np.ndarray  # float64[r_max + 1]
    x: np.ndarray  # float64[longest row], the row as the learner sees it
    rest: np.ndarray  # float64[9 longest rows], what sticks out of it (`residual`)
    more: np.ndarray  # float64[r_max + 1], coordinates of that
    z: np.ndarray  # float64[2, M + 1], one feature under way through the log


class Sizes(NamedTuple):
    """Dimensions that follow from the options."""

    k_max: int
    M: int
    R_max: int
    r_max: int


def sizes_of(params: Params) -> Sizes:
    """Array sizes: FD keeps m - 1 rows and buffers 2m in all; Oja keeps m and buffers none. Never zero."""
    m = params.m
    if params.sketch in (RFD, FD):
        return Sizes(k_max=max(m - 1, 1), M=2 * m, R_max=2 * m, r_max=2 * m)
    return Sizes(k_max=m, M=m, R_max=1, r_max=m) if params.sketch == OJA else Sizes(1, 1, 1, 1)


def params_of(options: LearnOptions) -> Params:
    """Numbers for the kernels."""
    kinds = {"1/t": ETA_OVER_T, "1/sqrt(t)": ETA_OVER_ROOT_T}
    fixed = not isinstance(options.eta, str)
    return Params(
        sketch=SKETCH_CODE[options.effective_sketch],
        m=options.sketch_size,
        loss=loss_of(options),
        clip=float(options.clip),
        sigma=float(options.resolved_sigma),
        eta_kind=ETA_CONSTANT if fixed else kinds[options.eta],
        eta=float(options.eta) if fixed else 0.0,
        diagonal=options.diagonal,
        oja_adaptive=options.oja_step == "adaptive",
    )


def new_state(params: Params, alpha: float) -> State:
    """State of a learner that has seen nothing; what grows with the features seen has length 0."""
    k_max, M, R_max, r_max = sizes_of(params)
    reals = np.zeros(N_REALS)
    reals[ALPHA] = alpha
    counters = np.zeros(N_COUNTERS, dtype=np.int64)
    counters[CAPACITY] = LOG_MIN
    return State(
        table=np.zeros((0, HEAD + M)),
        factor=Factor(FT=np.zeros((M, k_max)), beta=np.zeros(M)),
        maps=np.zeros((0, k_max, k_max + 1)),
        touched=np.zeros(0, dtype=np.int64),
        raw=Raw(X=np.zeros((0, R_max)), owner=np.zeros(0, dtype=np.int64)),
        basis=Basis(
            G=np.zeros((R_max, r_max)), H=np.zeros((r_max, r_max)), LT=np.zeros((r_max, r_max)), a=np.zeros(r_max),
            D2=np.zeros(k_max), drift=np.zeros((k_max, k_max)),
        ),
        counters=counters,
        reals=reals,
    )  # fmt: skip


def new_work(params: Params, longest: int) -> Work:
    """Scratch space for rows of up to `longest` entries."""
    k_max, M, R_max, r_max = sizes_of(params)
    return Work(
        zx=np.zeros(M), delta=np.zeros(M), rx=np.zeros(R_max), y=np.zeros(r_max + 1), h=np.zeros(r_max + 1),
        u=np.zeros(r_max + 1), x=np.zeros(max(longest, 1)),
        rest=np.zeros((FEATURES + 1) * max(longest, 1)), more=np.zeros(r_max + 1), z=np.zeros((2, max(k_max, M) + 1)),
    )  # fmt: skip


def slots_of(generations: int) -> int:
    """Slots of the log that so many generations take: n + n // 8 + n // 64 + ..."""
    total = 0
    while generations:
        total += generations
        generations >>= 3
    return total
