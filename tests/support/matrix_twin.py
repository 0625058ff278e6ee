"""Learners with a matrix in their step, by their definitions: explicit d x d matrices, explicit (pseudo-)inverses.

[SON] Luo et al., NIPS 2016; [RFD] Luo et al., JMLR 2019, section 6.2; [ADA] Wan, Zhang: Accelerating Adaptive Online
Learning by Matrix Approximation, 2019; [AROW] Crammer et al., NIPS 2009. Nothing here is shared with the engines but
the options: sketches are kept as matrices of d columns, and decomposed as such in every round.
"""

import copy

import numpy as np
from dense_learner import ZERO, FrequentDirections, Projections, Twin, of_spectrum
from first_order_twin import Adagrad
from scipy.integrate import solve_ivp

from sonlearn.options.methods import METHODS


class ArowFull(Twin):
    """[AROW] Figure 1 with r / h for r; classes: only where the margin is below 1."""

    def __init__(self, options, d):
        super().__init__(options, d)
        self.S = np.eye(d)

    def learn(self, x, y, h):
        m, r = self.w @ x, self.o.arow_r / h
        if self.o.loss != "squared" and y * m >= 1:
            return
        Sx = self.S @ x
        self.w = self.w + (y - m) / (x @ Sx + r) * Sx
        self.S = np.linalg.inv(np.linalg.inv(self.S) + np.outer(x, x) / r)


class Ridge(Twin):
    """Hoerl, Kennard 1970: w = (X'HX + alpha I)^-1 X'Hy over the rows so far, anew each time that it is due.

    ridge-z: alpha times the variance of each column in place of I.

    `features` are the columns in the order of their first sight, of which the first ones count.
    """

    def __init__(self, options, d, features):
        super().__init__(options, d)
        self.features, self.rows, self.due = features[: METHODS[options.method].values["max_columns"]], [], 0

    def learn(self, x, y, h):
        if not x.any():  # rows of no entries
            return
        self.rows.append((x[self.features], y, h))
        if len(self.rows) >= self.due:
            X, labels, weight = (np.array(column) for column in zip(*self.rows, strict=True))
            seen = int(np.flatnonzero(X.any(axis=0)).max(initial=-1)) + 1
            self.due = len(X) + max(min(len(X), 8 * seen), 1)
            penalty = np.full(seen, self.o.alpha)
            constant = np.flatnonzero((np.abs(X[:, :seen]) == 1).all(axis=0))[-1:]
            if self.o.method == "ridge-z":
                mean = np.average(X[:, :seen], axis=0, weights=weight) if len(constant) else 0.0
                variance = np.average((X[:, :seen] - mean) ** 2, axis=0, weights=weight)
                varies = variance > 1e-12 * np.average(X[:, :seen] ** 2, axis=0, weights=weight)
                penalty = np.where(varies, penalty * variance, 1e300)
            penalty[constant] = 0.0
            HX = weight[:, None] * X[:, :seen]
            self.w[self.features[:seen]] = np.linalg.solve(HX.T @ X[:, :seen] + np.diag(penalty), HX.T @ labels)


class AdaFull(Adagrad):
    """[ADA] section 2: H = delta I + G^(1/2); mirror descent w -= l H^-1 g, or primal-dual w = -l H^-1 sum of g."""

    def __init__(self, options, d):
        super().__init__(options, d)
        self.G = np.zeros((d, d))

    def take(self, g, x):
        self.G = self.G + np.outer(g, g)

    def metric(self, g):
        delta = self.o.delta
        return of_spectrum(self.G, lambda lam: 1 / (delta + np.sqrt(lam)), delta == 0) @ g


class AdaLr(AdaFull):
    """[ADA] eq. 1: Q from G Pi, Q'G = U Sig V', steps V (Sig^(1/2) + delta)^-1 V'g; row i of Pi is feature i's.

    `features` are the columns in the order of their first sight, in which Pi has its rows.
    """

    def __init__(self, options, d, features):
        super().__init__(options, d)
        tau, rows = options.sketch_size, np.random.default_rng(options.seed)
        self.Pi = np.zeros((d, tau))
        for column in features:
            self.Pi[column] = rows.standard_normal(tau) / np.sqrt(tau)

    def metric(self, g):
        Q, _ = np.linalg.qr(self.G @ self.Pi)
        _, sig, V = np.linalg.svd(Q.T @ self.G, full_matrices=False)
        return sum(v * (v @ g) / (np.sqrt(s) + self.o.delta) for s, v in zip(sig, V, strict=True) if s > ZERO * sig[0])


class AdaFd(AdaFull):
    """Wan, Wei, Zhang 2018: H = delta I + (B'B)^(1/2), B the frequent directions of the gradients, m - 1 rows kept.

    With --buffer every a row is shrunk away in every round, as there; else when there are 2m.
    """

    def __init__(self, options, d):
        super().__init__(options, d)
        full = options.sketch_size if options.buffer == "every" else None
        self.sketch = FrequentDirections(0.0, d, options.sketch_size, full=full)

    def take(self, g, x):
        self.sketch.forget_past(1 - self.o.decay)
        self.sketch.append(g)

    def metric(self, g):
        """Through the singular values of B, not of B'B: a root turns its rounding of 1e-16 into 1e-8."""
        outside, inside = self.inverses()
        _, s, V = np.linalg.svd(self.sketch.buffer, full_matrices=False)
        there = s**2 > ZERO * s.max(initial=0.0) ** 2
        s, V = s[there], V[there]
        return outside * (g - V.T @ (V @ g)) + V.T @ (inside(s) * (V @ g))

    def inverses(self):
        """H^-1 outside of the rows of B, and as a function of its singular values."""
        delta = self.o.delta
        return (1 / delta if delta > 0 else 0.0), lambda s: 1 / (delta + s)


class SAdagrad(AdaFd):
    """Feinberg et al. 2023, Algorithm 2: H = (B'B + (delta + sum of s_m^2) I)^(1/2)."""

    def inverses(self):
        delta = self.o.delta + self.sketch.shed
        return (1 / np.sqrt(delta) if delta > 0 else 0.0), lambda s: 1 / np.sqrt(s**2 + delta)


class MetaGrad(AdaFull):
    """van Erven et al. 2021: experts eta_e = l 2^-e, H_e = alpha I + 2 eta_e^2 G, and their tilted average."""

    def __init__(self, options, d):
        super().__init__(options, d)
        self.eta = [options.learning_rate * 2.0**-e for e in range(20)]
        self.p = [1 / ((e + 1) * (e + 2)) for e in range(20)]
        self.v, self.u = np.zeros(d), [np.zeros(d) for _ in range(20)]

    def learn(self, x, y, h):
        g = self.slopes(self.w @ x, x, y, h) * x
        self.take(g, x)
        self.z, self.v = self.z + g, self.v + (self.w @ g) * g
        for e, eta in enumerate(self.eta):
            r = eta * (self.u[e] - self.w) @ g
            self.p[e] *= np.exp(-r - r**2)
            self.u[e] = self.expert(self.u[e], self.o.alpha * np.eye(self.d) + 2 * eta**2 * self.squares(), eta, r, g)
        tilt = np.multiply(self.p, self.eta)
        self.w = tilt @ np.array(self.u) / tilt.sum()

    def squares(self):
        return self.G

    def expert(self, u, H, eta, r, g):
        return u - eta * (1 + 2 * r) * np.linalg.solve(H, g)


class MetaGradFd(MetaGrad, AdaFd):
    """MetaGrad's experts as FTRL: w_e = -H_e^-1 (eta_e z - 2 eta_e^2 v), z and v the sums of g and of (w'g) g.

    H_e = alpha I + 2 eta_e^2 (B'B + shed I), B the frequent directions of the gradients, shed all that they have lost.
    """

    def squares(self):
        return self.sketch.buffer.T @ self.sketch.buffer + self.sketch.shed * np.eye(self.d)

    def expert(self, u, H, eta, r, g):
        return -np.linalg.solve(H, eta * self.z - 2 * eta**2 * self.v)


class AdaGp(AdaFull):
    """[ADA] Algorithm 1: H^-1 = (I - V Sig/(delta + Sig) V')/delta, with S = U Sig V'."""

    def __init__(self, options, d):
        super().__init__(options, d)
        self.sketch = Projections(0.0, d, options.sketch_size, options.seed)

    def row(self, g, x):
        return g

    def take(self, g, x):
        self.sketch.append(self.row(g, x))

    def metric(self, g):
        _, sig, V = np.linalg.svd(self.sketch.S, full_matrices=False)
        return (g - V.T @ (sig / (self.o.delta + sig) * (V @ g))) / self.o.delta


class AdaDp(AdaGp):
    """[ADA] Algorithm 2: the rows themselves are projected. Of counts a step follows the loss, in small parts."""

    def row(self, g, x):
        return x

    def slopes(self, u, x, y, h):
        if self.o.loss != "poisson":
            return super().slopes(u, x, y, h)
        kept = copy.deepcopy(self.sketch)
        self.take(x, x)
        quadratic = self.o.learning_rate * x @ self.metric(x)
        self.sketch = kept
        p = float(np.clip(u, *self.o.bounds))
        if quadratic == 0:
            return 0.0
        end = solve_ivp(lambda _, p: y - np.exp(p), (0, h * quadratic), [p], "LSODA", rtol=1e-12, atol=1e-12).y[0, -1]
        return (p - end) / quadratic


class Radagrad(AdaLr):
    """Gt += g (Pi'g)', Q from Gt, Gt'Q = U Sig W', V = Q W: (Sig^(1/2) + delta)^-1 on V, a plain step outside.

    A direction with less than 1e-13 of the largest singular value counts as outside.
    """

    def __init__(self, options, d, features):
        super().__init__(options, d, features)
        self.Gt = np.zeros((d, options.sketch_size))

    def take(self, g, x):
        self.Gt = self.Gt + np.outer(g, self.Pi.T @ g)

    def metric(self, g):
        Q, _ = np.linalg.qr(self.Gt)
        _, sig, W = np.linalg.svd(self.Gt.T @ Q)
        inside = sig > 1e-13 * sig[0]
        V, sig = (Q @ W.T)[:, : len(sig)][:, inside], sig[inside]
        return V @ ((V.T @ g) / (np.sqrt(sig) + self.o.delta)) + g - V @ (V.T @ g)


TWINS = {
    "arow-full": ArowFull, "ridge": Ridge, "ridge-z": Ridge, "ada-full": AdaFull,
    "ada-gp": AdaGp, "ada-dp": AdaDp, "radagrad": Radagrad, "ada-lr": AdaLr, "metagrad": MetaGrad,
    "metagrad-fd": MetaGradFd, "ada-fd": AdaFd, "s-adagrad": SAdagrad,
}  # fmt: skip
#: Methods that are told of features in the order of their first sight: random numbers belong to them, or most are kept.
BY_FEATURE = ("radagrad", "ada-lr", "ridge", "ridge-z")
