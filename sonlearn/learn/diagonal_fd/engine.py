"""Frequent directions with diagonal compensation: a sketched AROW in sparse time.

``min_w sum_t h_t l(w'x_t, y_t)`` online: w <- w + a A^-1 x, A <- A + s^2 x x'. Of A = I + sum of s^2 x x' the learner
stores m - 1 leading rows ([RFD] Algorithm 3, whitened) and the diagonal. Our own method, after [RFD].

Read `rounds` (predict, step, add the row; choose the rows to keep; the update of features when they are next read).

Of several learners the precisions add up, as those of Gaussians do (G, a and the base as in `sonlearn.data.merging`):
A = sum_g a_g A_g - sum_{g < G} a_g A_base. Of this sum, diagonal plus R'SR with rows R of all learners and signs S, the
m - 1 leading directions stay as rows, lowered by the m-th as in a shrink; Delta receives what they lose, so that the
diagonal of A is exact. The weights are

    w = w_base + (sum_g D_g)^-p sum_g D_g^p (w_g - w_base)

with p as in `sonlearn.data.merging` and D_g the diagonal of what learner g has added to A, or the rows that it has
learned for a feature that was in no row of any learner: its weight has moved, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data import axes, merging
from sonlearn.data.linear_algebra import factorise
from sonlearn.data.rows import Rows, longest_row
from sonlearn.jit.sequence import Calls
from sonlearn.learn.diagonal_fd import rounds
from sonlearn.learn.diagonal_fd.rounds import EXTRA, KEPT, SLOT, STAMP, WBAR, DiagonalFDParams, DiagonalFDState
from sonlearn.learn.engine import Engine, Predictions, padded
from sonlearn.learn.losses import CODE
from sonlearn.options import LearnOptions

#: Minimum of raw rows between two shrinks, and raw rows for each row of the sketch. A longer buffer means fewer shrinks
#: and generations, and longer solves.
RAW_MIN, RAW_PER_ROW = 12, 2


class Matrix(NamedTuple):
    """A learner, without anything put off."""

    w: np.ndarray  # float64[features]
    extra: np.ndarray  # float64[features]; Delta - 1
    B: np.ndarray  # float64[k, features]
    mass: np.ndarray  # float64[features]; the diagonal of A - I: sums of squares over all rows


class DiagonalFD(Engine):
    """Engine of drfd."""

    merges = True

    def __init__(self, options: LearnOptions):
        self._params = params_of(options)

    def new(self, classes: int = 0) -> DiagonalFDState:
        """State of an untrained learner."""
        params = self._params
        width, rows = max(params.m - 1, 1), params.m - 1 + params.raw  # of a sketch that keeps no row, width is 1
        return DiagonalFDState(
            table=np.zeros((0, KEPT + width)), mass=np.zeros(0), maps=np.zeros((0, width, width + 1)),
            X=np.zeros((0, params.raw)), when=np.zeros(0, dtype=np.int64), owner=np.zeros(0, dtype=np.int64),
            T=np.zeros((rows, rows)), LT=np.zeros((rows, rows)), gamma=np.zeros(rows),
            now=np.zeros(1, dtype=rounds.SCALARS),
        )  # fmt: skip

    def reserve(self, state: DiagonalFDState, rows: Rows, features: int) -> DiagonalFDState:
        """Make room for learning `rows`, of which the buffer holds no more than `raw` at a time."""
        slots = int(state.now["slots"][0]) + self._params.raw * longest_row(rows)
        return axes.reserved(state, seen=features, slots=min(features, slots))

    def calls(self, state: DiagonalFDState, rows: Rows, out: Predictions, start: int = 0, learns: bool = True) -> Calls:
        """See `Engine.calls`."""
        work = rounds.new_work(self._params, state)
        return [(rounds.predict_and_learn, (self._params, state, work, rows, out.raw, start, learns))]

    def weights(self, state: DiagonalFDState, features: int, number: int | None = None) -> np.ndarray:
        """Weights in the scale of the input."""
        own = self.up_to_date(state)
        now, known = own.now[0], own.table[: own.now["seen"][0]]
        slots, k, raw = (int(now[name]) for name in ("slots", "k", "raw"))
        c = np.linalg.solve(np.triu(own.LT[: k + raw, : k + raw]), own.gamma[: k + raw])
        w = known[:, KEPT : KEPT + k] @ c[:k]
        w[own.owner[:slots]] += own.X[:slots, :raw] @ c[k:]
        return padded((known[:, WBAR] + w / (1.0 + known[:, EXTRA]))[None], features)

    def packed(self, state: DiagonalFDState) -> DiagonalFDState:
        """See `Engine.packed`; features of which nothing is known, as those of refused rows, are of no generation."""
        own = super().packed(state)
        table = own.table.copy()
        table[~np.delete(table, STAMP, axis=1).any(axis=1), STAMP] = 0.0
        return own._replace(table=table)

    def renumbered(self, state: DiagonalFDState, numbers: axes.Numbers) -> DiagonalFDState:
        """`state` with other numbers (see `Engine.renumbered`); features left out leave the buffered rows, too."""
        known = numbers.features[state.owner] >= 0
        owner = numbers.features[state.owner[known]]
        state = super().renumbered(state._replace(table=state.table.copy()), numbers)
        state.table[owner, SLOT] = 1 + np.arange(len(owner))
        state.now["slots"] = len(owner)
        return state._replace(X=state.X[known], owner=owner)

    def up_to_date(self, state: DiagonalFDState) -> DiagonalFDState:
        """`state` with all features up to date and an empty log, in arrays of its own where they differ."""
        if state.now["generation"][0]:
            state = state._replace(table=state.table.copy(), now=state.now.copy())
            rounds.sweep(state, np.zeros((2, state.maps.shape[2])))
        return state

    def merge(self, states: Sequence[DiagonalFDState], base: DiagonalFDState, rows: Sequence[int]) -> DiagonalFDState:
        """Precisions added up, m - 1 rows kept."""
        own = [int(state.now["t"][0] - base.now["t"][0]) for state in states]
        wholes = [self._whole(state) for state in states]
        found = merged(wholes, self._whole(base), own, self._params.retention, self._params.m)
        t, k, seen = int(base.now["t"][0]) + sum(own), len(found.B), base.now["seen"]
        features, state = len(found.w), self.new()
        table = np.zeros((features, state.table.shape[1]))
        table[:, WBAR], table[:, EXTRA], table[:, KEPT : KEPT + k] = found.w, found.extra, found.B.T
        state = state._replace(table=table, mass=found.mass, when=np.full(features, t))
        T = (found.B / (1.0 + found.extra)) @ found.B.T
        state.T[:k, :k] = (T + T.T) / 2.0
        factorise(state.T, 1.0, k, state.LT)
        for name, value in (("t", t), ("shrunk", t), ("k", k), ("seen", seen)):
            state.now[name] = value
        return state

    def facts(self, state: DiagonalFDState) -> dict[str, Any]:
        """eigenvalues: of B Delta^-1 B', descending: the rows of the sketch compared with the diagonal."""
        r = int(state.now["k"][0] + state.now["raw"][0])
        return {"eigenvalues": np.maximum(np.linalg.eigvalsh(state.T[:r, :r])[::-1], 0.0)}

    def _whole(self, state: DiagonalFDState) -> Matrix:
        """The learner with nothing put off, neither steps nor forgetting."""
        state = self.up_to_date(state)
        now = state.now[0]
        features, slots, k, raw = (int(now[name]) for name in ("seen", "slots", "k", "raw"))
        delta, B, retention = 1.0 + state.table[:features, EXTRA], np.zeros((k + raw, features)), self._params.retention
        B[:k] = state.table[:features, KEPT : KEPT + k].T
        B[k:, state.owner[:slots]] = state.X[:slots, :raw].T
        t, shrunk = float(state.now["t"][0]), float(state.now["shrunk"][0])
        left = retention ** (t - shrunk)
        mass = state.mass[:features] * retention ** (shrunk - state.when[:features]) + np.sum(B[k:] ** 2, axis=0)
        return Matrix(self.weights(state, features), left * (delta - 1.0), np.sqrt(left) * B, left * mass)


def params_of(options: LearnOptions) -> DiagonalFDParams:
    """The kernels' parameters. With m = 0 the buffer holds one row and no row is kept: a diagonal method."""
    m = options.sketch_size
    raw = max(RAW_MIN, RAW_PER_ROW * m) if m else 1
    return DiagonalFDParams(
        loss=CODE[options.loss], m=max(m, 1), raw=raw, r=float(options.arow_r), retention=1.0 - options.decay
    )


def merged(learners: Sequence[Matrix], base: Matrix, rows: Sequence[float], retention: float, m: int) -> Matrix:
    """The merged learner, with at most m - 1 rows. Arguments are not modified; O(G m d + (G m)^3)."""
    by = merging.shares(rows, retention)
    own = [each.mass for each in learners]
    mass = np.maximum(merging.summed(base.mass, own, by), 0.0)
    gains = merging.added(base.mass, own, rows, retention, by)
    idle = np.sum(gains, axis=0) == 0.0
    gains = [np.where(idle, n, gain) for n, gain in zip(rows, gains, strict=True)]
    w = merging.moved(base.w, [each.w for each in learners], gains)
    delta = 1.0 + np.maximum(merging.summed(base.extra, [each.extra for each in learners], by), 0.0)
    B = _leading([*(each.B for each in learners), base.B], [*by, -by[:-1].sum()], delta, m)
    return Matrix(w, np.maximum(mass - np.einsum("kf,kf->f", B, B), 0.0), B, mass)


def _leading(rows: Sequence[np.ndarray], by: Sequence[float], delta: np.ndarray, m: int) -> np.ndarray:
    """float64[k, features]: rows kept of the sum of by_g R_g'R_g, compared with the diagonal `delta`."""
    root = np.sqrt(delta)
    lam, V = merging.spectrum([R / root for R in rows], by)
    lam = np.maximum(lam[:m], 0.0)
    shed = lam[m - 1] if len(lam) == m else 0.0
    kept = np.flatnonzero(lam[: m - 1] - shed > rounds.EPS_RANK * lam.max(initial=0.0))
    return np.sqrt(np.minimum(lam[kept] - shed, rounds.MAX_SQUARED_LENGTH))[:, None] * V[kept] * root
