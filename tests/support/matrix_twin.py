"""Learners with a matrix in their step, by their definitions: explicit d x d matrices, explicit (pseudo-)inverses.

[SON] Luo et al., NIPS 2016; [RFD] Luo et al., JMLR 2019, section 6.2; [ADA] Wan, Zhang: Accelerating Adaptive Online
Learning by Matrix Approximation, 2019; [AROW] Crammer et al., NIPS 2009. Nothing here is shared with the engines but
the options: sketches are kept as matrices of d columns, and decomposed as such in every round.

A twin has w, predict(x) and learn(x, y, h), which gives the raw prediction of before the label was used.
"""

from __future__ import annotations

import numpy as np
from dense_learner import canonical_label, dense_rows, loss_slope

from sonlearn import Batch, LearnOptions

#: Eigenvalues up to this multiple of the largest are 0 where a pseudo-inverse is meant.
ZERO = 1e-10
#: x is in the range of A if no more than this share of |x|^2 is outside.
IN_RANGE = 1e-12


def of_spectrum(A: np.ndarray, f, pseudo: bool) -> np.ndarray:
    """f(A) for a positive semidefinite A; where a pseudo-inverse is meant, f is 0 on what counts as 0."""
    lam, U = np.linalg.eigh(A)
    zero = lam <= ZERO * max(lam.max(), 0.0)
    values = [0.0 if pseudo and none else f(max(value, 0.0)) for value, none in zip(lam, zero, strict=True)]
    return (U * values) @ U.T


class Twin:
    """What all have in common."""

    def __init__(self, options: LearnOptions, d: int):
        self.o, self.d, self.t = options, d, 0
        self.w = np.zeros(d)

    def predict(self, x: np.ndarray) -> float:
        return self.w @ x

    def gradient(self, raw: float, x: np.ndarray, y: float, h: float) -> np.ndarray:
        p = np.clip(raw, -self.o.clip, self.o.clip)
        return h * loss_slope(self.o.loss, p, y, self.o) * x

    def eta(self) -> float:
        eta = self.o.eta
        return {"1/t": 1 / self.t, "1/sqrt(t)": 1 / np.sqrt(self.t)}[eta] if isinstance(eta, str) else eta

    def run(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """float64[n]: raw predictions; rows without a label (NaN) or of weight 0 are predicted only."""
        return np.array([
            self.predict(x) if np.isnan(label) or h == 0 else self.learn(x, canonical_label(self.o.loss, label), h)
            for x, label, h in zip(X, y, weight, strict=True)
        ])  # fmt: skip


class FullOn(Twin):
    """[SON] eq. 1-2 and appendix D: A = alpha I + sum of (sigma + eta_t) g g'."""

    def __init__(self, options, d):
        super().__init__(options, d)
        self.A = options.alpha * np.eye(d)

    def inverse(self):
        return np.linalg.inv(self.A) if self.o.alpha > 0 else of_spectrum(self.A, lambda lam: 1 / lam, True)

    def projected(self, x):
        """Lemma 2: the w nearest to u in the norm of A with |w'x| <= C."""
        raw = self.w @ x
        excess = raw - np.clip(raw, -self.o.clip, self.o.clip)
        if excess == 0:
            return self.w
        inverse = self.inverse()
        outside = x - of_spectrum(self.A, lambda lam: 1.0, True) @ x if self.o.alpha == 0 else 0 * x
        direction = outside if outside @ outside > IN_RANGE * (x @ x) else inverse @ x
        return self.w - excess / (x @ direction) * direction

    def take(self, g):
        self.A = self.A + (self.o.resolved_sigma + self.eta()) * np.outer(g, g)

    def learn(self, x, y, h):
        raw = self.w @ x
        w = self.projected(x)
        self.t += 1
        g = self.gradient(raw, x, y, h)
        self.take(g)
        self.w = w - self.inverse() @ g
        return raw


class ArowFull(Twin):
    """[AROW] Figure 1 with r / h for r; classes: only where the margin is below 1."""

    def __init__(self, options, d):
        super().__init__(options, d)
        self.S = np.eye(d)

    def learn(self, x, y, h):
        m, r = self.w @ x, self.o.arow_r / h
        if self.o.loss != "squared" and y * m >= 1:
            return m
        Sx = self.S @ x
        self.w = self.w + (y - m) / (x @ Sx + r) * Sx
        self.S = np.linalg.inv(np.linalg.inv(self.S) + np.outer(x, x) / r)
        return m


class AdaFull(Twin):
    """[ADA] section 2: H = delta I + G^(1/2); mirror descent w -= l H^-1 g, or primal-dual w = -l H^-1 sum of g."""

    def __init__(self, options, d):
        super().__init__(options, d)
        self.G, self.z = np.zeros((d, d)), np.zeros(d)

    def take(self, g, x):
        self.G = self.G + np.outer(g, g)

    def metric(self, g):
        """H^-1 g."""
        delta = self.o.delta
        return of_spectrum(self.G, lambda lam: 1 / (delta + np.sqrt(lam)), delta == 0) @ g

    def learn(self, x, y, h):
        raw = self.w @ x
        self.t += 1
        g = self.gradient(raw, x, y, h)
        self.take(g, x)
        self.z = self.z + g
        if self.o.update == "dual":
            self.w = -self.o.learning_rate * self.metric(self.z)
        else:
            self.w = self.w - self.o.learning_rate * self.metric(g)
        return raw


TWINS = {"full-on": FullOn, "arow-full": ArowFull, "ada-full": AdaFull}


def raw_predictions(options: LearnOptions, batch: Batch) -> np.ndarray:
    """float64[n]: raw predictions of a fresh twin over a whole batch."""
    X, _ = dense_rows(batch)
    return TWINS[options.method](options, X.shape[1]).run(X, batch.y, batch.weight)
