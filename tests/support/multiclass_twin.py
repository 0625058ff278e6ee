"""Members of several classes and their combiner on dense vectors, by the formulas of their modules.

Labels are slots, NaN for none; weights of 0 are rows that are only predicted. What the learners keep as float32 is
rounded to float32 here as well.
"""

import math

import numpy as np
from scipy.special import softmax

HALF = np.float32


def learned(y, h):
    return h > 0 and y == y


class ArowTwin:
    """Scores, then one step against each of up to three rivals in turn."""

    def __init__(self, d, K, r, unit=False, decay=0.0):
        self.W, self.P, self.r, self.unit, self.met = np.zeros((K, d), HALF), np.zeros((K, d), HALF), r, unit, 0
        self.decay = decay

    def scores(self, x):
        x = x / np.linalg.norm(x) if self.unit and x.any() else x
        return self.W[: self.met].astype(float) @ x

    def learn(self, x, y, h):
        z, shown = self.scores(x), self.met
        x = x / np.linalg.norm(x) if self.unit and x.any() else x
        y = int(y)
        self.met = max(shown, y + 1)
        own = z[y] if y < shown else 0.0
        self.P = ((1 - self.decay) * self.P.astype(float)).astype(HALF)
        for b in sorted((k for k in range(shown) if k != y), key=lambda k: -z[k])[:3]:
            if not own - z[b] < 1:
                return
            for k in (y, b):
                self.P[k] = (self.P[k].astype(float) + h * x * x / self.r).astype(HALF)
            S = {k: 1 / (1 + self.P[k].astype(float)) for k in (y, b)}
            v = (x * x * (S[y] + S[b])).sum()
            c = (1 - (own - z[b])) / (v + self.r / h)
            self.W[y] = (self.W[y] + c * x * S[y]).astype(HALF)
            self.W[b] = (self.W[b] - c * x * S[b]).astype(HALF)
            own += c * (x * x * S[y]).sum()


class NagTwin:
    """Softmax, a rate a feature, the classes of notable slope."""

    def __init__(self, d, K, rate, decay=0.0):
        self.W, self.G, self.s, self.met = np.zeros((K, d), HALF), np.zeros(d), np.zeros(d), 0
        self.rate, self.decay, self.t, self.N, self.rows, self.since = rate, decay, 0.0, 0.0, 0, np.zeros(d)

    def scores(self, x):
        return self.W[: self.met].astype(float) @ x

    def learn(self, x, y, h):
        z, y = self.scores(x), int(y)
        K = self.met = max(self.met, y + 1)
        z = np.concatenate([z, np.zeros(K - len(z))])
        c = np.exp(z - z.max())
        c = c / c.sum() - (np.arange(K) == y)
        grown, there = abs(x) > self.s, x != 0
        by = np.where(grown & (self.s > 0), self.s / np.where(there, abs(x), 1.0), 1.0)
        self.W = (self.W * by).astype(HALF)
        self.s = np.maximum(self.s, abs(x))
        self.N += h * ((x[there] / self.s[there]) ** 2).sum()
        self.t += h
        self.G[there] *= (1 - self.decay) ** (self.rows - self.since[there])
        self.since[there] = self.rows
        self.G[there] += h * (c * c).sum() * x[there] ** 2
        self.rows += 1
        common = h * self.rate * math.sqrt(self.t / self.N) if self.N > 0 else 0.0
        moved = there & (self.G > 0)
        step = np.zeros_like(x)
        step[moved] = common * x[moved] / (self.s[moved] * np.sqrt(self.G[moved]))
        for k in range(K):
            if k == y or abs(c[k]) >= 0.02:
                self.W[k] = (self.W[k] - step * c[k]).astype(HALF)


class BayesTwin:
    """Counts of amounts; the mean of the probabilities of a class's own words and of those of all other classes."""

    def __init__(self, d, K, decay=0.0):
        self.C, self.n, self.amounts, self.met = np.zeros((K, d), HALF), np.zeros(K), np.zeros(K), 0
        self.taken, self.decay = np.zeros(K), decay

    def scores(self, x):
        C, there = self.C.astype(float), self.C.any(axis=0)
        a = abs(x) * there  # words that nobody has met tell nothing
        q, Q = C.sum(axis=0) + 0.15, self.amounts.sum() + 0.15 * there.sum()
        rows = []
        for k in range(self.met):
            given = max(self.taken[k], 0.65)
            own = np.log((np.maximum(C[k] - 0.65, 0) + given * q / Q) / (self.amounts[k] + 0.65))
            others = np.log((q - C[k]) / (Q - self.amounts[k]))
            rows.append(np.log1p(self.n[k]) + (a * (own - others + np.log(Q))).sum())
        return np.array(rows) / (2 * math.sqrt(max((a != 0).sum(), 1)))

    def learn(self, x, y, h):
        y = int(y)
        self.met = max(self.met, y + 1)
        for counted in (self.n, self.amounts, self.taken):
            counted *= 1 - self.decay
        self.C = ((1 - self.decay) * self.C.astype(float)).astype(HALF)
        before = self.C[y].astype(float)
        self.n[y] += h
        self.amounts[y] += h * abs(x).sum()
        self.taken[y] += np.maximum(np.minimum(before + h * abs(x), 0.65) - before, 0).sum()
        self.C[y] = (before + h * abs(x)).astype(HALF)


class RlsTwin:
    """The inverse written out: P = (ridge I + sum of h x x')^-1 of the rows with a margin below 1/4.

    After 512 such rows one in eight counts eight times.
    """

    def __init__(self, d, K, ridge):
        self.A, self.rows, self.met = ridge * np.eye(d), 0, 0
        self.W = np.zeros((d, K))

    def scores(self, x):
        return 4 * (x @ self.W)[: self.met]

    def learn(self, x, y, h):
        z, y, shown = self.scores(x) / 4, int(y), self.met
        self.met = max(self.met, y + 1)
        others = np.delete(z, y) if y < shown else z
        if len(others) and not (z[y] if y < shown else 0.0) - others.max() < 0.25:
            return
        own, self.rows = h * np.outer(x, x), self.rows + 1
        target = (np.arange(self.W.shape[1]) == y) - x @ self.W
        self.W[:, : self.met] += h * np.outer(np.linalg.solve(self.A + own, x), target)[:, : self.met]
        if self.rows <= 512 or self.rows % 8 == 0:
            self.A += own if self.rows <= 512 else 8 * own


class SharesTwin:
    """Exponentially weighted shares: of all rows' weights those of each class."""

    def __init__(self, d, K, decay):
        self.weight, self.decay, self.met = np.zeros(K), decay, 0

    def scores(self, x):
        share = self.weight[: self.met] / max(self.weight.sum(), 1e-300)
        return np.log(np.maximum(share, 0.01))

    def learn(self, x, y, h):
        self.met = max(self.met, int(y) + 1)
        self.weight = (1 - self.decay) * self.weight + h * (np.arange(len(self.weight)) == int(y))


def run(twin, X, y, h, K):
    """float64[n, K]: scores before each row, NaN for classes not yet shown."""
    out = np.full((len(X), K), np.nan)
    for i, x in enumerate(X):
        z = twin.scores(x)
        out[i, : len(z)] = z
        if learned(y[i], h[i]):
            twin.learn(x, y[i], h[i])
    return out


class CombinerTwin:
    """Newton steps with the whole matrix."""

    def __init__(self, w, prior=0.25, keep=0.9998**64, precision=None, surprise=0.15):
        self.w, self.A_0 = np.array(w, float), prior * np.diag(np.ones(len(w)) if precision is None else precision)
        self.A, self.keep, self.rows, self.surprise = self.A_0.copy(), keep, 0, surprise
        self.recent, self.mean = np.zeros(2), 0.0

    def predict(self, v):
        """float64[K]: probabilities of levelled scores float64[k, K]."""
        z = self.w @ v
        p = np.where(z > z.max() - 20, softmax(z), 0.0)
        return p / p.sum()

    def learn(self, v, y, h):
        self.rows += 1
        p = self.predict(v)
        mean = v @ p
        H = sum(p[k] * np.outer(v[:, k] - mean, v[:, k] - mean) for k in range(len(p)) if p[k] >= 1e-5)
        best, second = np.argsort(-p, kind="stable")[:2] if len(p) > 1 else (0, None)
        lacking = 1e-4 - (1 - p[best])
        if lacking > 0 and second is not None:
            apart = v[:, best] - v[:, second]
            H = H + lacking * np.outer(apart, apart)
        g = mean - v[:, y]
        self.A = self.A + h * (H + self.surprise * np.outer(g, g))
        self.w = self.w - h * np.linalg.solve(self.A, g)
        self.recent += h, h * min(-np.log(p[y]), 20) if p[y] > 0 else 20 * h
        if self.rows % 64 == 0:
            before, self.mean = self.mean, self.recent[1] / self.recent[0]
            keep = min(self.keep, self.mean / before) if before and self.mean else self.keep
            self.A, self.recent = keep * self.A + (1 - keep) * self.A_0, keep * self.recent
