"""The state of the Newton family: arrays in NamedTuples. Python allocates here; kernels fill in place.

The weights are ``w = wbar + Z' beta + Q' a``, times `weight_scale` (--l2). wbar, beta and a have a row for each of the
K classes that share everything else; K is 1 for two classes and for numeric labels. A feature's row of the table has
its M numbers of Z and its K of wbar. V = F Z are the k orthonormal rows that the last shrink kept (then F = I; only
Oja's rule changes F). Q = [V; q_1..q_R] adds the directions of the rows since then (Gram-Schmidt). For primal-dual
updates wbar is z, the sum of gradients, and w = -rate f(0) z + Q'a. Letters: see NOTATION.md.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data.axes import BY_FEATURE, PART, Classes, Counted, Scalars
from sonlearn.data.linear_algebra import INVERSE, ROOT, SHIFTED
from sonlearn.learn.log import LOG
from sonlearn.learn.losses import Output, RowWeight, output_of, row_weight_of
from sonlearn.learn.newton.rescale import CODE as RESCALE_CODE
from sonlearn.learn.newton.rescale import NONE
from sonlearn.learn.tolerances import FEATURES
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS
from sonlearn.sketch.rules import Terms, terms

#: Features in the raw rows.
LOCAL = Counted("local")

#: The scalars of the state: ``now = state.now[0]`` has these fields, compiled and interpreted.
NOW = np.dtype((np.record, [
    ("t", "i8"),  # rounds learned
    ("taken", "i8"),  # rows that the sketch took (--thin)
    ("held", "i8"),  # rows that the buffer counts, including kept rows and rows with zero gradient
    ("k", "i8"),  # directions kept
    ("raw", "i8"),  # R, raw rows since the last shrink
    ("local", "i8"),  # features in the raw rows
    ("seen", "i8"),  # features learned so far
    ("read", "i8"),  # entries of rows learned since V was last orthonormalised
    ("generation", "i8"),  # of Z (`coordinates`)
    ("used", "i8"),  # rows of Z in use
    ("alpha", "f8"),
    ("restored", "f8"),  # mass returned to the squared singular values of kept directions (CFD)
    ("oja_sum", "f8"),  # sum of the squared gradients of Oja's rule
    ("mass", "f8"),  # squared length of the rows omitted since the sketch last took one (--thin)
    ("weight_scale", "f8"),  # the weights are this times the weights in the arrays (--l2)
]))  # fmt: skip

#: Further data of a feature, besides its row of the table.
FEATURE = np.dtype((np.record, [
    ("scale", "f8"),  # for the rescaling of rows: sum of squared gradients, or largest absolute value
    ("stamp", "i8"),  # see `coordinates`
    ("local", "i8"),  # its place among the features of the raw rows, if `raw.owner` agrees
]))  # fmt: skip


class NewtonParams(NamedTuple):
    """The kernels' parameters: numbers from `LearnOptions` and from the method's entry in the table."""

    m: int  # 0: no sketch
    buffered: bool  # True: rows are buffered and shrunk (frequent directions); False: added one by one (Oja)
    terms: Terms  # of the shrink
    output: Output
    after: bool  # w is projected after the step, for the row just learned
    row_weight: RowWeight
    held: int  # rows in a full buffer
    kind: int  # code of the spectral function
    rate: float  # factor of the step
    rescale: int  # see `rescale`
    oja_adaptive: bool
    retention: float  # factor per round of the sketch and of the mass that shrinks added to alpha: 1 - decay
    base: float  # initial alpha
    shrink: float  # --l2
    thin: float  # mean share of alpha that rows reach together before the sketch takes one for them
    dual: bool  # primal-dual: w = -rate f(A) z, and wbar is z


class Factor(NamedTuple):
    """V = F Z, and the weights' coefficients on Z for each of K classes."""

    FT: np.ndarray  # float64[M, k_max], F transposed
    beta: Annotated[np.ndarray, Classes(0)]  # float64[K, M]


class RawRows(NamedTuple):
    """The rows since the last shrink, by feature: local feature i is feature owner[i]."""

    X: Annotated[np.ndarray, LOCAL]  # float64[local, R_max]
    owner: Annotated[np.ndarray, LOCAL]  # int64[local]


class Basis(NamedTuple):
    """Coordinates in the orthonormal rows Q."""

    G: np.ndarray  # float64[R_max, r_max]; raw row x_i = sum_j G[i, j] q_j, lower triangular beyond column k
    H: np.ndarray  # float64[r_max, r_max]; Q (S'S) Q'
    LT: np.ndarray  # float64[r_max, r_max]; upper triangular, LT' LT = Q A Q'
    RT: np.ndarray  # float64[r_max, r_max]; upper triangular, RT' RT = H; length 0 where `is_rooted` says no
    a: Annotated[np.ndarray, Classes(0)]  # float64[K, r_max]; coefficients of the weights
    D2: np.ndarray  # float64[k_max]; squared singular values of the kept rows (Oja: t Lambda)
    # float64[K, r_max]; Q z, z the sum of gradients (primal-dual); one more row for Q v (`metagrad`)
    q: Annotated[np.ndarray, Classes(0)]
    drift: np.ndarray  # float64[k_max, k_max]; model of V V' - I (`folding`)


class NewtonState(NamedTuple):
    """State of a learner, without the names of its features."""

    now: Annotated[np.ndarray, Scalars("t")]  # NOW[1]
    features: Annotated[np.ndarray, BY_FEATURE]  # FEATURE[features]
    # float64[features, M + K]; column f of Z, and wbar of f for each class
    table: Annotated[np.ndarray, BY_FEATURE, Classes(1)]
    factor: Factor
    # float64[slots, M, M + K]: the log of generations, composed (`coordinates`); E' in the first columns,
    # beta' in the last
    maps: Annotated[np.ndarray, LOG, Classes(2)]
    raw: Annotated[RawRows, PART]
    basis: Basis


class ShrinkScratch(NamedTuple):
    """Scratch arrays of a shrink; none reads what an earlier one wrote."""

    lam: np.ndarray  # float64[r_max], eigenvalues of H, ascending
    W: np.ndarray  # float64[k_max, r_max]; Q times a row is a direction that is kept
    squares: np.ndarray  # float64[4, k_max, k_max]: N1, where V <- N1 V + N2 X, its transpose, and two of `departure`
    N2: np.ndarray  # float64[k_max, R_max]
    on_v: np.ndarray  # float64[K, k_max]; w <- wbar + on_v V + on_x X
    on_x: np.ndarray  # float64[K, R_max]
    by: np.ndarray  # float64[R_max, M + K], the change of a feature's row of the table, per unit of each raw row
    maps: np.ndarray  # float64[2, M, M + K], of `log.begin_generation`


class NewtonScratch(NamedTuple):
    """Scratch arrays of one round; no round reads what an earlier one wrote."""

    zx: np.ndarray  # float64[M + K], Z x, and wbar'x of each class
    delta: np.ndarray  # float64[M + K], the change of a feature's row of the table, per unit of x
    rx: np.ndarray  # float64[R_max], X x
    y: np.ndarray  # float64[r_max + 1], coordinates of x
    h: np.ndarray  # float64[r_max + 1]
    u: np.ndarray  # float64[r_max + 1]
    x: np.ndarray  # float64[longest row], the rescaled row
    rest: np.ndarray  # float64[9 longest rows], its part outside of the basis (`reorthogonalise`)
    more: np.ndarray  # float64[r_max + 1], coordinates of that part
    z: np.ndarray  # float64[2, M + K], one feature's row of the table while it is brought up to date
    wbar_x: np.ndarray  # float64[K], wbar'x
    wx: np.ndarray  # float64[K], w'x
    slope: np.ndarray  # float64[K]; the gradients are slope x
    along: np.ndarray  # float64[K], `Move.along` of each class
    aside: np.ndarray  # float64[K], `Move.rest` of each class
    shrink: ShrinkScratch


def sizes_of(params: NewtonParams) -> tuple[int, int, int, int, int]:
    """Array dimensions K, k_max, M, R_max, r_max (see NOTATION.md); M = 0 without a sketch.

    FD keeps m - 1 rows and buffers 2m in all; Oja keeps m and buffers none. Oja with steps 1/t, which can be of any
    size, has one more row in Z (`oja.rotate`).
    """
    m, K = params.m, max(params.output.classes, 1)
    if params.buffered:
        return K, max(m - 1, 1), max(m - 1, 1), 2 * m, 2 * m
    unseen = m > 0 and not params.oja_adaptive
    return K, max(m, 1), m + unseen, 1, max(m, 1)


def params_of(options: LearnOptions) -> NewtonParams:
    """The kernels' parameters for `options`."""
    values, takes = METHODS[options.method].values, METHODS[options.method].takes
    rule = values["rule"] if options.sketch_size else "none"
    buffered = rule not in ("oja", "none")
    m = 0 if rule == "none" else options.sketch_size
    lowered = terms(rule, m, options.beta if rule == "pfd" else None) if buffered else Terms(0, 0.0, False)
    return NewtonParams(
        m=m,
        buffered=buffered,
        terms=lowered._replace(gain=values.get("gain", lowered.gain)),
        output=output_of(options),
        after=options.project == "after",
        row_weight=row_weight_of(options),
        held=m if options.buffer == "every" else 2 * m,
        kind={"inverse": INVERSE, "root": ROOT, "shifted": SHIFTED}[values.get("f", "inverse")],
        rate=float(options.learning_rate) if "learning_rate" in takes else 1.0,
        rescale=RESCALE_CODE[options.scale] if "scale" in takes else NONE,
        oja_adaptive=options.oja_step == "adaptive",
        retention=1.0 - float(options.decay),
        base=float(options.alpha if "alpha" in takes else options.delta),
        shrink=float(options.l2),
        thin=float(options.thin) if "thin" in takes else 0.0,
        dual="update" in takes and options.update == "dual",
    )


def is_rooted(params: NewtonParams) -> bool:
    """Return whether a root of H is maintained: where H cannot be had from the factor of A.

    That is so where steps are made by eigenvalues, and where A has `restored` in it.
    """
    return params.buffered and (params.kind != INVERSE or params.dual or params.terms.restore)


def new_state(params: NewtonParams) -> NewtonState:
    """State of an untrained learner; arrays that grow with the features have length 0."""
    K, k_max, M, R_max, r_max = sizes_of(params)
    now = np.zeros(1, dtype=NOW)
    now["alpha"], now["weight_scale"] = params.base, 1.0
    return NewtonState(
        now=now,
        features=np.zeros(0, dtype=FEATURE),
        table=np.zeros((0, M + K)),
        factor=Factor(FT=np.zeros((M, k_max)), beta=np.zeros((K, M))),
        maps=np.zeros((0, M, M + K)),
        raw=RawRows(X=np.zeros((0, R_max)), owner=np.zeros(0, dtype=np.int64)),
        basis=Basis(
            G=np.zeros((R_max, r_max)), H=np.zeros((r_max, r_max)), LT=np.zeros((r_max, r_max)),
            RT=np.zeros((r_max, r_max) if is_rooted(params) else (0, 0)),
            a=np.zeros((K, r_max)), D2=np.zeros(k_max), q=np.zeros((K, r_max)), drift=np.zeros((k_max, k_max)),
        ),
    )  # fmt: skip


def new_work(params: NewtonParams, longest: int) -> NewtonScratch:
    """Scratch space for rows of up to `longest` entries."""
    K, k_max, M, R_max, r_max = sizes_of(params)
    return NewtonScratch(
        zx=np.zeros(M + K), delta=np.zeros(M + K), rx=np.zeros(R_max),
        y=np.zeros(r_max + 1), h=np.zeros(r_max + 1), u=np.zeros(r_max + 1), x=np.zeros(max(longest, 1)),
        rest=np.zeros((FEATURES + 1) * max(longest, 1)), more=np.zeros(r_max + 1), z=np.zeros((2, M + K)),
        wbar_x=np.zeros(K), wx=np.zeros(K), slope=np.zeros(K), along=np.zeros(K), aside=np.zeros(K),
        shrink=ShrinkScratch(
            lam=np.zeros(r_max), W=np.zeros((k_max, r_max)), squares=np.zeros((4, k_max, k_max)),
            N2=np.zeros((k_max, R_max)), on_v=np.zeros((K, k_max)), on_x=np.zeros((K, R_max)),
            by=np.zeros((R_max, M + K)), maps=np.zeros((2, M, M + K)),
        ),
    )  # fmt: skip
