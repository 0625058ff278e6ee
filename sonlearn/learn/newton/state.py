"""The state of the Newton family: arrays in NamedTuples. Python allocates here; kernels fill in place.

The weights are ``w = wbar + Z' beta + Q' a``, times `left` where they are shrunk; a row of wbar, beta and a for each of
K classes that share all else; with two classes, or values, K is 1. A feature's row of the table is its M numbers of Z
and its K of wbar. V = F Z are the k orthonormal rows that the last shrink has left (there F = I, and F moves with
Oja's rule only); Q = [V; q_1..q_R] adds the directions that the rows since then have brought (Gram-Schmidt).
Primal-dual, wbar is z, the sum of gradients, and w = -rate f(0) z + Q'a.
Letters: see NOTATION.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.learn.losses import Loss, loss_of
from sonlearn.learn.newton.rescale import CODE as RESCALE_CODE
from sonlearn.learn.newton.rescale import NONE
from sonlearn.learn.spectrum import INVERSE, ROOT, SHIFTED
from sonlearn.learn.tolerances import FEATURES, LOG_MIN
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS
from sonlearn.sketch.rules import Terms, terms

ETA_CONSTANT, ETA_OVER_T, ETA_OVER_ROOT_T = range(3)

#: What changes from row to row: ``now = state.now[0]`` has these names, compiled and interpreted.
NOW = np.dtype((np.record, [
    ("t", "i8"),  # rounds learned
    ("taken", "i8"),  # rows that the sketch has taken (--thin)
    ("held", "i8"),  # rows that the buffer counts, kept ones and empty ones included
    ("k", "i8"),  # directions kept
    ("raw", "i8"),  # R, raw rows since the last shrink
    ("local", "i8"),  # features of the raw rows
    ("seen", "i8"),  # features seen
    ("read", "i8"),  # entries of rows learned since V was last orthonormalised
    ("generation", "i8"),  # of Z (`sparse_time.generations`)
    ("capacity", "i8"),  # generations that the log may hold
    ("used", "i8"),  # rows of Z in use
    ("alpha", "f8"),
    ("restored", "f8"),  # what is given back to the squares of kept directions (CFD)
    ("oja_sum", "f8"),  # squared gradients of Oja's rule, summed
    ("mass", "f8"),  # squared length of rows that the sketch has not been told of (--thin)
    ("left", "f8"),  # the weights are this times what the arrays say (--l2)
]))  # fmt: skip

#: What is known of a feature beside its row of the table.
FEATURE = np.dtype((np.record, [
    ("scale", "f8"),  # for the rescaling of rows: summed squared gradients, or largest size
    ("stamp", "i8"),  # see `sparse_time.generations`
    ("local", "i8"),  # its place among the features of the raw rows, if `raw.owner` agrees
]))  # fmt: skip


class NewtonParams(NamedTuple):
    """What the kernels need of `LearnOptions` and of the method's entry, as numbers."""

    m: int  # 0: no sketch
    classes: int  # that share the metric, with softmax; 0: one weight vector, and `loss`
    buffered: bool  # rows are buffered and shrunk (frequent directions), or taken one by one (Oja)
    terms: Terms  # of a shrink
    loss: Loss
    low: float  # predictions are within these
    high: float
    after: bool  # w is projected after its step, for the row that it was of
    sigma: float
    eta_kind: int
    eta: float
    held: int  # rows of a full buffer
    kind: int  # spectral function
    rate: float  # factor of the step
    rescale: int  # see `rescale`
    oja_adaptive: bool
    keep: float  # what a round leaves of the sketch, and of what shrinks have added to alpha
    base: float  # alpha at first
    shrink: float  # --l2
    thin: float  # mean share of alpha that rows must have in all for the sketch to take one for them
    dual: bool  # w = -rate f(A) z, and wbar is z


class Factor(NamedTuple):
    """V = F Z, and the weights' coefficients on Z for each of K classes."""

    FT: np.ndarray  # float64[M, k_max], F transposed
    beta: np.ndarray  # float64[K, M]


class RawRows(NamedTuple):
    """The rows since the last shrink, by feature: local feature i is feature owner[i]."""

    X: np.ndarray  # float64[local, R_max]
    owner: np.ndarray  # int64[local]


class Basis(NamedTuple):
    """Coordinates in the orthonormal rows Q."""

    G: np.ndarray  # float64[R_max, r_max]; raw row x_i = sum_j G[i, j] q_j, lower triangular beyond column k
    H: np.ndarray  # float64[r_max, r_max]; Q (S'S) Q'
    LT: np.ndarray  # float64[r_max, r_max]; upper triangular, LT' LT = Q A Q'
    a: np.ndarray  # float64[K, r_max]; coefficients of the weights
    D2: np.ndarray  # float64[k_max]; squared singular values of the kept rows (Oja: t Lambda)
    q: np.ndarray  # float64[K, r_max]; Q z, z the sum of gradients (primal-dual); a row more for Q v (`metagrad`)
    drift: np.ndarray  # float64[k_max, k_max]; model of V V' - I (`sparse_time.orthonormal`)


class NewtonState(NamedTuple):
    """All that a learner has learned, but for the names of its features."""

    now: np.ndarray  # NOW[1]
    features: np.ndarray  # FEATURE[features]
    table: np.ndarray  # float64[features, M + K]; column f of Z, and wbar of f for each class
    factor: Factor
    # float64[slots, M, M + K]: the log of generations, composed (`sparse_time.generations`); E' in the first columns,
    # beta' in the last
    maps: np.ndarray
    raw: RawRows
    basis: Basis


class NewtonScratch(NamedTuple):
    """Scratch vectors of one round; nothing in them outlives it."""

    zx: np.ndarray  # float64[M + K], Z x, and wbar'x of each class
    delta: np.ndarray  # float64[M + K], a step of a feature's row in units of x
    run: np.ndarray  # float64[M] (`oja`)
    rx: np.ndarray  # float64[R_max], X x
    y: np.ndarray  # float64[r_max + 1], coordinates of x
    h: np.ndarray  # float64[r_max + 1]
    u: np.ndarray  # float64[r_max + 1]
    x: np.ndarray  # float64[longest row], the row as the learner sees it
    rest: np.ndarray  # float64[9 longest rows], what sticks out of it (`sparse_time.second_look`)
    more: np.ndarray  # float64[r_max + 1], coordinates of that
    z: np.ndarray  # float64[2, M + K], one feature under way through the log
    own: np.ndarray  # float64[K], wbar'x
    wx: np.ndarray  # float64[K], w'x
    slope: np.ndarray  # float64[K]; the gradients are slope x
    along: np.ndarray  # float64[K], of the moves (`step`)
    aside: np.ndarray  # float64[K], likewise


class Sizes(NamedTuple):
    """Dimensions that follow from the options."""

    K: int
    k_max: int
    M: int
    R_max: int
    r_max: int


def sizes_of(params: NewtonParams) -> Sizes:
    """Array sizes: FD keeps m - 1 rows and buffers 2m in all; Oja keeps m and buffers none. M = 0 without a sketch.

    Oja with steps 1/t, which can be of any size, has a spare row in Z (`oja.rotate`).
    """
    m, K = params.m, max(params.classes, 1)
    if params.buffered:
        return Sizes(K=K, k_max=max(m - 1, 1), M=max(m - 1, 1), R_max=2 * m, r_max=2 * m)
    unseen = m > 0 and not params.oja_adaptive
    return Sizes(K=K, k_max=max(m, 1), M=m + unseen, R_max=1, r_max=max(m, 1))


def eta_of(options: LearnOptions) -> tuple[int, float]:
    """(kind, value) of eta_t; the value is of ETA_CONSTANT."""
    kinds = {"1/t": ETA_OVER_T, "1/sqrt(t)": ETA_OVER_ROOT_T}
    return (kinds[options.eta], 0.0) if isinstance(options.eta, str) else (ETA_CONSTANT, float(options.eta))


def params_of(options: LearnOptions) -> NewtonParams:
    """Numbers for the kernels."""
    values, takes = METHODS[options.method].values, METHODS[options.method].takes
    eta_kind, eta = eta_of(options) if "eta" in takes else (ETA_CONSTANT, 0.0)
    rule = values["rule"] if options.sketch_size else "none"
    buffered = rule not in ("oja", "none")
    m = 0 if rule == "none" else options.sketch_size
    lowered = terms(rule, m, options.beta if rule == "pfd" else None) if buffered else Terms(0, 0.0, False)
    return NewtonParams(
        m=m,
        classes=options.multinomial or 0,
        buffered=buffered,
        terms=lowered._replace(gain=values.get("gain", lowered.gain)),
        loss=loss_of(options),
        low=options.bounds[0],
        high=options.bounds[1],
        after=options.project == "after",
        sigma=float(options.resolved_sigma) if "sigma" in takes else 1.0,
        eta_kind=eta_kind,
        eta=eta,
        held=m if options.buffer == "every" else 2 * m,
        kind={"inverse": INVERSE, "root": ROOT, "shifted": SHIFTED}[values.get("f", "inverse")],
        rate=float(options.learning_rate) if "learning_rate" in takes else 1.0,
        rescale=RESCALE_CODE[options.scale] if "scale" in takes else NONE,
        oja_adaptive=options.oja_step == "adaptive",
        keep=1.0 - float(options.decay),
        base=base_of(options),
        shrink=float(options.l2),
        thin=float(options.thin) if "thin" in takes else 0.0,
        dual="update" in takes and options.update == "dual",
    )


def base_of(options: LearnOptions) -> float:
    """What alpha begins with."""
    return float(options.alpha if "alpha" in METHODS[options.method].takes else options.delta)


def new_state(params: NewtonParams) -> NewtonState:
    """State of a learner that has seen nothing; what grows with the features seen has length 0."""
    K, k_max, M, R_max, r_max = sizes_of(params)
    now = np.zeros(1, dtype=NOW)
    now["alpha"], now["left"], now["capacity"] = params.base, 1.0, LOG_MIN
    return NewtonState(
        now=now,
        features=np.zeros(0, dtype=FEATURE),
        table=np.zeros((0, M + K)),
        factor=Factor(FT=np.zeros((M, k_max)), beta=np.zeros((K, M))),
        maps=np.zeros((0, M, M + K)),
        raw=RawRows(X=np.zeros((0, R_max)), owner=np.zeros(0, dtype=np.int64)),
        basis=Basis(
            G=np.zeros((R_max, r_max)), H=np.zeros((r_max, r_max)), LT=np.zeros((r_max, r_max)),
            a=np.zeros((K, r_max)), D2=np.zeros(k_max), q=np.zeros((K, r_max)), drift=np.zeros((k_max, k_max)),
        ),
    )  # fmt: skip


def new_work(params: NewtonParams, longest: int) -> NewtonScratch:
    """Scratch space for rows of up to `longest` entries."""
    K, _, M, R_max, r_max = sizes_of(params)
    return NewtonScratch(
        zx=np.zeros(M + K), delta=np.zeros(M + K), run=np.zeros(M), rx=np.zeros(R_max),
        y=np.zeros(r_max + 1), h=np.zeros(r_max + 1), u=np.zeros(r_max + 1), x=np.zeros(max(longest, 1)),
        rest=np.zeros((FEATURES + 1) * max(longest, 1)), more=np.zeros(r_max + 1), z=np.zeros((2, M + K)),
        own=np.zeros(K), wx=np.zeros(K), slope=np.zeros(K), along=np.zeros(K), aside=np.zeros(K),
    )  # fmt: skip
