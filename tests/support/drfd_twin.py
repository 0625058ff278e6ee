"""Frequent directions with diagonal compensation by its definition: explicit w, B, Delta and d x d systems.

After each row that is learned from, w <- w + a A^-1 x with A = diag(Delta) + B'B as it was, and B gains the row s x.
When `buffer` rows have been added since the last shrink, B is reduced to m - 1 rows; what B'B loses on its diagonal is
given back to Delta, at the features of the rows added. With `--decay` B'B and the sums behind Delta are multiplied by
(1 - RATE)^n there, n the rows seen since the last time. Nothing here is shared with the engine but the options.
"""

import numpy as np
from dense_learner import Twin
from scipy.optimize import brentq

from sonlearn import LearnOptions

#: Eigenvalues below this multiple of the largest are rounding.
NOISE = 1e-14
#: No row of Delta^-1/2 B is longer than the root of this.
LONGEST = 1e10


def options_of(loss: str, m: int, **more: object) -> LearnOptions:
    """Options of drfd."""
    return LearnOptions(method="drfd", loss=loss, sketch_size=m, **more)


def off(got: np.ndarray, wanted: np.ndarray) -> float:
    """The largest difference, relative to the largest number."""
    return np.abs(got - wanted).max(initial=0) / max(np.abs(wanted).max(initial=0), 1e-300)


def sigmoid(u):
    """1/(1 + exp(-u))."""
    return np.exp(-np.logaddexp(0.0, -u))


def buffer_rows(m: int) -> int:
    """Rows between two shrinks."""
    return 1 if m == 0 else max(12, 2 * m)


class DrfdTwin(Twin):
    """The learner, dense."""

    def __init__(self, options: LearnOptions, d: int):
        super().__init__(options, d)
        self.m = max(options.sketch_size, 1)
        self.delta, self.mass = np.ones(d), np.zeros(d)
        self.B, self.added = np.zeros((0, d)), []
        self.buffer, self.shrinks, self.since = buffer_rows(options.sketch_size), 0, 0

    @property
    def matrix(self) -> np.ndarray:
        """A, float64[d, d]."""
        return np.diag(self.delta) + self.B.T @ self.B

    def learn(self, x, y, h):
        """One row of weight h."""
        if not x.any():
            return
        z = self.w @ x
        self.since += 1
        step = np.linalg.solve(self.matrix, x)
        weight = min(h / self.o.arow_r, LONGEST / (x @ (x / self.delta)))
        a, s2 = self.step_of(y, weight, z, x @ step)
        if s2 == 0:
            return
        self.w = self.w + a * step
        self.added.append(np.sqrt(s2) * x)
        self.B = np.vstack([self.B, self.added[-1]])
        if len(self.added) == self.buffer:
            self.shrink()

    def step_of(self, y, weight, z, v):
        """How far along A^-1 x, and the weight of the row in A."""
        match self.o.loss:
            case "hinge":  # AROW: learns from margins below 1
                return (y * (1 - y * z) / (v + 1 / weight), weight) if y * z < 1 else (0.0, 0.0)
            case "squared":
                return (y - z) / (v + 1 / weight), weight
            case "logistic":  # y z after the step: the minimum of (w - w_t)'A(w - w_t)/2 + weight log(1 + exp(-y w'x))
                u = brentq(
                    lambda u: u - y * z - weight * v * sigmoid(-u), y * z - 1e-12 * abs(z), y * z + weight * v,
                    xtol=1e-300, rtol=8.9e-16,
                )  # fmt: skip
                return weight * y * sigmoid(-u), weight * max(sigmoid(u) * sigmoid(-u), 1e-8)
        raise ValueError(self.o.loss)

    def shrink(self):
        """Reduce B, whitened by Delta, to m - 1 rows, and renew Delta."""
        U, sigma, _ = np.linalg.svd(self.B / np.sqrt(self.delta), full_matrices=False)
        lam = sigma**2
        shed = lam[self.m - 1] if len(lam) >= self.m and lam[self.m - 1] > NOISE * lam[0] else 0.0
        kept = [i for i in range(min(self.m - 1, len(lam))) if lam[i] - shed > NOISE * lam[0]]
        left = np.minimum(lam - shed, LONGEST)
        faded = (1 - self.o.decay) ** self.since
        B = np.array([np.sqrt(faded * left[i] / lam[i]) * (U[:, i] @ self.B) for i in kept])
        self.B = B.reshape(len(kept), len(self.w))
        self.mass = faded * (self.mass + (np.array(self.added) ** 2).sum(axis=0))
        active = (np.array(self.added) != 0).any(axis=0)
        renewed = 1 + self.mass - (self.B**2).sum(axis=0)
        self.delta[active] = np.maximum(1.0 if self.o.decay else self.delta, renewed)[active]
        self.added, self.shrinks, self.since = [], self.shrinks + 1, 0
