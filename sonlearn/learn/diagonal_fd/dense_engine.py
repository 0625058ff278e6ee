"""Frequent directions with diagonal compensation for rows that have nearly all of a few hundred features: drfd, dense.

The arithmetic is that of `sonlearn.learn.diagonal_fd.engine`, whose steps and bounds it takes; nothing is put off.
With A = diag(Delta) + B'B, q = B Delta^-1 x and L L' = I + B Delta^-1 B':

    g = L^-1 q,    v = x'A^-1 x = x'Delta^-1 x - g'g,    A^-1 x = Delta^-1 (x - B'L^-T g)

The weights stand as they are, so that a row from which nothing is to be learned (hinge, y z >= 1) costs a product of
two vectors; any other O(m d) and, once for every raw row between two shrinks, a part of O(m^3 + m^2 d).

The kernels are in `dense_rounds`.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.axes import Counted, Numbers, Scalars
from sonlearn.data.rows import Rows
from sonlearn.jit.sequence import Call
from sonlearn.learn.diagonal_fd.dense_rounds import LANES, learn, predict
from sonlearn.learn.diagonal_fd.merging import Matrix, MergedMatrix, WithDiagonal
from sonlearn.learn.engine import Predictions
from sonlearn.options import LearnOptions

#: t: rows learned from; shrunk: the same at the last shrink; k: rows kept; raw: rows since; seen: features seen.
SCALARS = [(name, "i8") for name in ("t", "shrunk", "k", "raw", "seen")]


def blocks_of(features: int) -> int:
    """Blocks that so many features take."""
    return -(-features // LANES)


class _Blocks(Counted):
    def renumbered(self, array: np.ndarray, numbers: Numbers) -> np.ndarray:
        inner = array.shape[1:-1]
        by_feature = np.moveaxis(array, -1, 1).reshape(-1, *inner)[: len(numbers.features)]
        found = merging.renumbered(by_feature, numbers.features, LANES * blocks_of(numbers.most))
        return np.ascontiguousarray(np.moveaxis(found.reshape(-1, LANES, *inner), 1, -1))


#: Blocks of features; lanes are the last axis.
BLOCKS = _Blocks("seen", rows=blocks_of)


class DenseDiagonalFDState(NamedTuple):
    """All that has been learned, but for the names of the features; blocks are those of features."""

    w: Annotated[np.ndarray, BLOCKS]  # float64[blocks, LANES]
    extra: Annotated[np.ndarray, BLOCKS]  # float64[blocks, LANES]; Delta less 1
    # float64[blocks, LANES]; sum of squares of the entries in all rows before the raw ones
    mass: Annotated[np.ndarray, BLOCKS]
    B: Annotated[np.ndarray, BLOCKS]  # float64[blocks, rows, LANES]; the rows kept, and after them the raw ones
    T: np.ndarray  # float64[rows, rows]; B Delta^-1 B'
    LT: np.ndarray  # float64[rows, rows]; upper triangular, LT'LT = I + T
    now: Annotated[np.ndarray, Scalars("t")]  # structured [1], see `SCALARS`


class Work(NamedTuple):
    """Scratch of one round or shrink; nothing in it outlives that."""

    x: np.ndarray  # float64[blocks, LANES]; the row
    u: np.ndarray  # float64[blocks, LANES]; Delta^-1 x
    q: np.ndarray  # float64[rows]
    g: np.ndarray  # float64[rows]
    h: np.ndarray  # float64[rows]; L^-T g
    C: np.ndarray  # float64[rows, rows]; kept rows as combinations of those before, negative
    lanes: np.ndarray  # float64[rows, LANES]
    more: np.ndarray  # float64[4, LANES]


class DenseDiagonalFD(WithDiagonal):
    """Engine of drfd where rows are dense."""

    def __init__(self, options: LearnOptions):
        super().__init__(options)
        self._rows = self._params.m - 1 + self._params.raw
        self._work = self._scratch(1)

    def _scratch(self, blocks: int) -> Work:
        rows = self._rows
        return Work(
            *np.zeros((2, blocks, LANES)), *np.zeros((3, rows)), np.zeros((rows, rows)), np.zeros((rows, LANES)),
            np.zeros((4, LANES)),
        )  # fmt: skip

    def new(self, classes: int = 0) -> DenseDiagonalFDState:
        """State of a learner that has seen nothing."""
        rows = self._rows
        return DenseDiagonalFDState(
            *np.zeros((3, 0, LANES)), np.zeros((0, rows, LANES)), *np.zeros((2, rows, rows)), np.zeros(1, dtype=SCALARS)
        )

    def reserve(self, state: DenseDiagonalFDState, rows: Rows, features: int) -> DenseDiagonalFDState:
        """Let the arrays hold so many features."""
        blocks = blocks_of(features)
        if blocks > len(self._work.x):
            self._work = self._scratch(2 * blocks)
        return super().reserve(state, rows, features)

    def calls(self, state: DenseDiagonalFDState, rows: Rows, out: Predictions, start: int = 0) -> list[Call]:
        """See `Engine.calls`."""
        return [(learn, (self._params, state, self._work, rows, out, start))]

    def predict(self, state: DenseDiagonalFDState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        at = predict(state.w, rows, out.raw)
        out.prediction[:] = out.raw
        return at

    def weights(self, state: DenseDiagonalFDState, features: int, number: int | None = None) -> np.ndarray:
        """Weights in the scale of the input."""
        w = np.zeros(features)
        own = state.w.ravel()[:features]
        w[: len(own)] = own
        return w

    def _of(self, found: MergedMatrix, t: int) -> DenseDiagonalFDState:
        shape = (len(found.w) // LANES, LANES)
        B = np.zeros((self._rows, len(found.w)))
        B[: found.k] = found.B
        return self.new()._replace(
            w=found.w.reshape(shape), extra=found.extra.reshape(shape), mass=found.mass.reshape(shape),
            B=np.ascontiguousarray(B.reshape(self._rows, *shape).transpose(1, 0, 2)),
        )  # fmt: skip

    def _whole(self, state: DenseDiagonalFDState) -> Matrix:
        B, kept, now = self._rows_of(state), int(state.now["k"][0]), state.now[0]
        left = self._params.retention ** float(now["t"] - now["shrunk"])
        mass = left * (state.mass.ravel() + np.sum(B[kept:] ** 2, axis=0))
        return Matrix(state.w.ravel(), left * state.extra.ravel(), np.sqrt(left) * B, mass)

    def _rows_of(self, state: DenseDiagonalFDState) -> np.ndarray:
        """float64[rows, features]: the rows of B, with room for more features."""
        r = int(state.now["k"][0] + state.now["raw"][0])
        return state.B[:, :r].transpose(1, 0, 2).reshape(r, LANES * len(state.B))

    def _matrix(self, state: DenseDiagonalFDState, features: int) -> tuple[np.ndarray, np.ndarray]:
        own = self._rows_of(state)
        delta, rows = np.ones(features), np.zeros((len(own), features))
        known = min(features, own.shape[1])
        delta[:known] += state.extra.ravel()[:known]
        rows[:, :known] = own[:, :known]
        return delta, rows
