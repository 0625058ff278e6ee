"""First-order learners by their definitions, on dense vectors: slow, and written to be read beside the papers.

[NAG] Ross, Mineiro, Langford: Normalized Online Learning, UAI 2013. [IWA] Karampatziakis, Langford: Online Importance
Weight Aware Updates, UAI 2011. [FTRL] McMahan et al.: Ad Click Prediction, KDD 2013. [AROW] Crammer, Kulesza, Dredze:
Adaptive Regularization of Weight Vectors, NIPS 2009. [AdaGrad] Duchi, Hazan, Singer, JMLR 2011. [ADA] Wan, Zhang, 2019
(`matrix_twin`). Coin betting is that of Vowpal Wabbit's --coin. Nothing here is shared with the engine but the options.

With `--decay` every sum is multiplied by 1 - RATE before a round that is learned adds to it; with `--l2` all
weights are multiplied by 1 - L e before a step of length e moves them.

Several classes share rates and matrices: these take the row |l'| x, and each class steps by them.
"""

from __future__ import annotations

import numpy as np
from dense_learner import Twin, size
from scipy.special import logsumexp, wrightomega

from sonlearn import LearnOptions


def followed(options: LearnOptions, p: float, y: float, T: float) -> float:
    """Where the prediction is after following dp/ds = -l'(p) from p for s = 0..T, by the solution of that equation."""
    tau, k = options.quantile_tau, options.huber_k
    match options.loss:
        case "squared":
            return y + (p - y) * np.exp(-2 * T)
        case "logistic":  # m + exp(m) grows like s
            end = y * p + np.exp(y * p) + T
            return y * (end - wrightomega(end))
        case "hinge":
            return p if y * p >= 1 else y * min(y * p + T, 1)
        case "squared_hinge":
            return p if y * p >= 1 else y * (1 - (1 - y * p) * np.exp(-2 * T))
        case "absolute":
            return min(p + T, y) if p < y else max(p - T, y)
        case "quantile":
            return min(p + tau * T, y) if p < y else max(p - (1 - tau) * T, y)
        case "huber":
            side, error = np.sign(p - y), abs(p - y)
            reaches = max(0.0, (error - k) / k)  # when the error is k
            if reaches >= T:
                return p - side * k * T
            return y + side * min(error, k) * np.exp(-(T - reaches))
        case "poisson":  # u = exp(-p) follows du/ds = 1 - y u
            u = np.exp(-p) + T if y == 0 else 1 / y + (np.exp(-p) - 1 / y) * np.exp(-y * T)
            return -np.log(u)
    raise ValueError(options.loss)


class Stepped(Twin):
    """w -= l H^-1 g, or primal-dual w = -l H^-1 times the sum of g; here H = 1, of length l t^-p: sgd."""

    def __init__(self, options, d):
        super().__init__(options, d)
        self.G, self.z = np.zeros(d), np.zeros(self.w.shape)

    def rate(self) -> float:
        return self.o.learning_rate * self.t**-self.o.power_t

    def take(self, g: np.ndarray, x: np.ndarray) -> None:
        """H learns of a gradient, and of the row that it is of."""
        self.G = self.G + g**2

    def metric(self, g: np.ndarray) -> np.ndarray:
        """H^-1 g."""
        return g

    def metrics(self, g: np.ndarray) -> np.ndarray:
        """Of each class's g."""
        return np.apply_along_axis(self.metric, -1, g)

    def slopes(self, u, x, y, h):
        """What the step and H take of x, over x."""
        return h * self.slope(u, y)

    def learn(self, x, y, h):
        self.t += 1
        slope = self.slopes(self.predict(x), x, y, h)
        g = np.multiply.outer(slope, x)
        self.take(size(slope) * x, x)
        self.z = self.z + g
        if self.o.update == "dual":
            self.w = -self.rate() * self.metrics(self.z)
        else:
            self.w = self.kept(self.rate() * h) - self.rate() * self.metrics(g)

    def forget(self):
        self.G = self.G * self.keep


class Ogd(Stepped):
    """[RFD] 3.1: w is the point of {w : |w'x| <= C} nearest to u; then u = w - l t^-p g."""

    def learn(self, x, y, h):
        raw = self.w @ x
        p, self.t = self.clipped(raw), self.t + 1
        self.w = self.kept(self.rate() * h)
        if np.any(p != raw):
            self.w = self.w + np.multiply.outer(p - raw, x) / (x @ x)
        self.w = self.w - self.rate() * np.multiply.outer(self.slopes(raw, x, y, h), x)


class Adagrad(Stepped):
    """[AdaGrad] Figure 1, diagonal, delta = 0; with a power other than 1/2 as VW."""

    def rate(self):
        return self.o.learning_rate

    def metric(self, g):
        return np.divide(g, self.G**self.o.power_t, out=np.zeros(self.d), where=self.G > 0)


class AdaDiag(Adagrad):
    """[ADA] section 2: H = delta I + diag(G)^(1/2)."""

    def metric(self, g):
        H = self.o.delta + np.sqrt(self.G)
        return np.divide(g, H, out=np.zeros(self.d), where=H > 0)


class Nag(Twin):
    """[NAG] Algorithm 2; by default in VW's order and with [IWA]'s steps. A power p other than 1/2 as VW."""

    def __init__(self, options, d):
        super().__init__(options, d)
        self.G, self.s, self.N = np.zeros(d), np.zeros(d), 0.0

    def rescaled(self, w, x):
        """The weights w as they are once the sizes of x are known."""
        s = np.maximum(self.s, np.abs(x))
        return np.where(s > self.s, w * (self.s / np.where(s > 0, s, 1)) ** (2 - 2 * self.o.power_t), w)

    def before(self, w, x):
        """The weights w that predict x."""
        return self.rescaled(w, x) if self.o.rescale == "before" else w

    def predict(self, x):
        return self.within_labels(self.before(self.w, x) @ x)

    def rates(self, x, h, slope):
        """The step of each weight over slope x, once sizes and sums know this row."""
        self.s = np.maximum(self.s, np.abs(x))
        on = (x != 0) & (self.s > 0)
        self.t += h
        self.N += h * np.sum((x[on] / self.s[on]) ** 2)
        self.G += h * (slope * x) ** 2
        on &= self.G > 0
        R, power = np.zeros(len(x)), self.o.power_t
        if on.any():
            mean = (self.N / self.t) ** (power - 1)
            R[on] = self.o.learning_rate * mean * self.s[on] ** (2 * power - 2) * self.G[on] ** -power
        return R

    def learn(self, x, y, h):
        u = self.predict(x)
        p, slope = self.clipped(u), self.slope(u, y)
        if not np.any(slope) and self.o.rescale == "after":
            return
        self.w = self.rescaled(self.w, x)
        R = self.rates(x, h, size(slope))
        q = x @ (R * x)
        step = -h * slope
        if self.o.invariant and q > 0:
            step = self.followed(p, y, slope, h, q)
        length = np.linalg.norm(step) / np.linalg.norm(slope) if np.any(slope) else 0.0
        self.w = self.kept(self.o.learning_rate * length) + np.multiply.outer(step, R * x)

    def followed(self, p, y, slope, h, q):
        """The step over Rx that follows the loss; of several classes in the direction e_y - r of their predictions."""
        if not self.o.multinomial:
            return (followed(self.o, p, y, h * q) - p) / q
        y = int(y)
        if not slope[y] < 0:
            return -h * slope
        shares, others = slope / slope[y], np.delete(p, y)
        a, m = shares @ shares, p[y] - logsumexp(others)
        return shares * (followed(self.o, m, 1.0, a * h * q) - m) / (a * q)

    def forget(self):
        self.G *= self.keep
        self.t, self.N = self.t * self.keep, self.N * self.keep


class Ftrl(Twin):
    """[FTRL] Algorithm 1."""

    def __init__(self, options, d):
        super().__init__(options, d)
        self.z, self.n = np.zeros(d), np.zeros(d)

    def weights(self):
        o = self.o
        scale, far = (o.ftrl_beta + np.sqrt(self.n)) / o.ftrl_alpha + o.l2, np.abs(self.z) > o.l1
        return np.divide(np.sign(self.z) * o.l1 - self.z, scale, out=np.zeros(len(scale)), where=far)

    def predict(self, x):
        return self.within_labels(self.weights() @ x)

    def learn(self, x, y, h):
        w, u = self.weights(), self.predict(x)
        g = h * self.slope(u, y) * x
        sigma = (np.sqrt(self.n + g**2) - np.sqrt(self.n)) / self.o.ftrl_alpha
        self.z += g - sigma * w
        self.n += g**2


class Coin(Twin):
    """Bets (4 + reward) theta / (L M (L M + G)), over the mean of |x/M|^2 in the rounds so far, this one included.

    As VW: a row's slope is that of the bets with it; what is reported are the bets that each feature's last row was
    learned with.
    """

    def __init__(self, options, d):
        super().__init__(options, d)
        self.theta, self.G, self.M, self.L, self.reward = np.zeros((5, d))
        self.N = 0.0

    def bet(self):
        bound = self.L * self.M
        safe = np.where(bound > 0, bound, 1)
        return np.where(bound > 0, (self.o.ftrl_alpha + self.reward) * self.theta / (safe * (safe + self.G)), 0)

    def learn(self, x, y, h):
        on = x != 0
        self.M = np.maximum(self.M, np.abs(x))
        self.N += h * np.sum((x[on] / self.M[on]) ** 2)
        self.t += h
        mean = (self.N + 1e-6) / self.t
        slope = h * self.slope(self.within_labels(self.bet() @ x / mean), y)
        self.L = np.where(on, np.maximum(self.L, max(abs(slope), self.o.ftrl_beta)), self.L)
        bet = self.bet()
        self.w = np.where(on, bet / mean, self.w)
        self.reward -= slope * x * bet
        self.theta -= slope * x
        self.G += np.abs(slope * x)


class Nlms(Twin):
    """[NLMS] w += l (y - p) x/|x|^2; with importance h as often."""

    def learn(self, x, y, h):
        if x @ x > 0:
            error = y - self.clipped(self.w @ x)
            self.w = self.w + (1 - (1 - self.o.learning_rate) ** h) * error * x / (x @ x)


class Arow(Twin):
    """[AROW] Figure 1 with the diagonal of its covariance kept, or the diagonal of its precision (`precision`)."""

    def __init__(self, options, d):
        super().__init__(options, d)
        self.S = np.ones(d)

    def learn(self, x, y, h):
        m, r = self.w @ x, self.o.arow_r / h
        v = x @ (self.S * x)
        if self.o.loss != "squared" and y * m >= 1:
            return
        self.w = self.w + (y - m) / (v + r) * self.S * x
        precision = self.o.method == "arow-precision"
        self.S = 1 / (1 / self.S + x**2 / r) if precision else self.S - (self.S * x) ** 2 / (v + r)

    def forget(self):
        self.S = 1 / (1 + (1 / self.S - 1) * self.keep)  # the 1 that precisions begin with is none of the data's


TWINS = {
    "sgd": Stepped, "ogd": Ogd, "adagrad": Adagrad, "nag": Nag, "ftrl": Ftrl, "coin": Coin, "arow": Arow,
    "arow-precision": Arow, "nlms": Nlms, "ada-diag": AdaDiag,
}  # fmt: skip
