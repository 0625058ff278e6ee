"""What the learners of A = Delta + B'B have in common, on sparse rows and on dense ones: merges, and what A is.

The precisions add up, as those of Gaussians do: A = sum_g a_g A_g - sum_{g < G} a_g A_base (`sonlearn.data.merging`).
Of this sum, diagonal plus R'SR with rows R of all learners and signs S, the m - 1 leading directions stay as rows,
lowered by the m-th as in a shrink; Delta receives what they lose, so that the diagonal of A is exact. The weights are

    w = w_base + (sum_g D_g)^-p sum_g D_g^p (w_g - w_base)

with p as in `sonlearn.data.merging` and D_g the diagonal of what learner g has added to A, or the rows that it has
learned for a feature that was in no row of any learner: its weight has moved, too.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.learn.diagonal_fd.shrink import EPS_RANK
from sonlearn.learn.diagonal_fd.state import LONGEST, params_of
from sonlearn.learn.engine import Engine, State
from sonlearn.learn.linear_algebra import factorise
from sonlearn.options import LearnOptions


class Matrix(NamedTuple):
    """A learner, without anything put off."""

    w: np.ndarray  # float64[features]
    extra: np.ndarray  # float64[features]; Delta - 1
    B: np.ndarray  # float64[k, features]
    mass: np.ndarray  # float64[features]; the diagonal of A - I: sums of squares over all rows


class WithDiagonal(Engine):
    """Engine of A = Delta + B'B."""

    merges = True

    def __init__(self, options: LearnOptions):
        self._params = params_of(options)

    @abstractmethod
    def _whole(self, state: State) -> Matrix:
        """The learner with nothing put off, neither steps nor forgetting."""

    @abstractmethod
    def _of(self, found: Matrix, t: int) -> State:
        """State of a merged learner of so many rows, but for T, its factor and the scalars."""

    def merge(self, states: Sequence[State], base: State, rows: Sequence[int]) -> State:
        """Precisions added up, m - 1 rows kept."""
        own = [int(state.now["t"][0] - base.now["t"][0]) for state in states]
        wholes = [self._whole(state) for state in states]
        found = merged(wholes, self._whole(base), own, self._params.retention, self._params.m)
        t = int(base.now["t"][0]) + sum(own)
        state, k, seen = self._of(found, t), len(found.B), base.now["seen"]
        T = (found.B / (1.0 + found.extra)) @ found.B.T
        state.T[:k, :k] = (T + T.T) / 2.0
        factorise(state.T, 1.0, k, state.LT)
        for name, value in (("t", t), ("shrunk", t), ("k", k), ("seen", seen)):
            state.now[name] = value
        return state

    def facts(self, state: State) -> dict[str, Any]:
        """eigenvalues: of B Delta^-1 B', descending: the rows of the sketch compared with the diagonal."""
        r = int(state.now["k"][0] + state.now["raw"][0])
        return {"eigenvalues": np.maximum(np.linalg.eigvalsh(state.T[:r, :r])[::-1], 0.0)}


def merged(learners: Sequence[Matrix], base: Matrix, rows: Sequence[float], retention: float, m: int) -> Matrix:
    """The merged learner, with at most m - 1 rows. Arguments are not modified; O(G m d + (G m)^3)."""
    by = merging.shares(rows, retention)
    own = [each.mass for each in learners]
    mass = np.maximum(merging.summed(base.mass, own, by), 0.0)
    gains = merging.added(base.mass, own, rows, retention, by)
    idle = np.sum(gains, axis=0) == 0.0
    gains = [np.where(idle, n, gain) for n, gain in zip(rows, gains, strict=True)]
    w = merging.moved(base.w, [each.w for each in learners], gains)
    B = _leading(
        np.concatenate([each.B for each in learners] + [base.B]),
        np.concatenate([np.full(len(each.B), share) for share, each in zip(by, learners, strict=True)]
                       + [np.full(len(base.B), -by[:-1].sum())]),
        1.0 + np.maximum(merging.summed(base.extra, [each.extra for each in learners], by), 0.0),
        m,
    )  # fmt: skip
    return Matrix(w, np.maximum(mass - np.einsum("kf,kf->f", B, B), 0.0), B, mass)


def _leading(R: np.ndarray, signs: np.ndarray, delta: np.ndarray, m: int) -> np.ndarray:
    """float64[k, features]: rows kept of R' diag(signs) R, compared with the diagonal `delta`."""
    R, signs = R[signs != 0.0], signs[signs != 0.0]
    if m == 1 or not len(R):
        return np.zeros((0, R.shape[1]))
    lam, U = np.linalg.eigh((R / delta) @ R.T)
    known = lam > EPS_RANK * max(lam[-1], 0.0)
    root = np.sqrt(lam[known])
    basis = U[:, known] / root  # rows of basis'R are orthonormal in the norm of 1/delta
    inner = (U[:, known] * root).T  # R = inner' (basis' R)
    found, V = np.linalg.eigh((inner * signs) @ inner.T)
    found, V = found[::-1], V[:, ::-1]
    shed = max(found[m - 1], 0.0) if len(found) >= m else 0.0
    top = found[0] if len(found) else 0.0
    kept = [i for i in range(min(m - 1, len(found))) if found[i] - shed > EPS_RANK * max(top, 0.0)]
    if not kept:
        return np.zeros((0, R.shape[1]))
    scale = np.sqrt(np.minimum(found[kept] - shed, LONGEST))
    B: np.ndarray = (scale * (basis @ V[:, kept])).T @ R
    return B
