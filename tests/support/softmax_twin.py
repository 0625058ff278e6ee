"""Several classes that share a metric, by the definitions: W is K x d, A and the rates are one for all classes.

Labels are numbers of classes from 0 on. The sketches and the projection are those of `dense_learner`, the path along
the logistic loss is that of `first_order_twin`.
"""

import numpy as np
from dense_learner import DenseLearner, dense_rows, projected
from first_order_twin import TWINS as FIRST_ORDER
from first_order_twin import followed
from matrix_twin import BY_FEATURE, order_of
from matrix_twin import TWINS as MATRIX
from multiclass_twin import softmax

from sonlearn import Batch, LearnOptions

TWINS = FIRST_ORDER | MATRIX


def slopes(z, y):
    """Of ln(1/q_y) in z; the entry of y from the others."""
    c = softmax(z)
    c[y] = 0.0
    c[y] = -c.sum()
    return c


class Newton:
    """Each class projects and steps with the same A; A takes the row sqrt(sigma + eta) |c| x."""

    def __init__(self, options: LearnOptions, d: int, full: bool = False):
        self.o, self.one = options, DenseLearner(options, d, full)  # its sketch, its scales; never its weights
        self.W = np.zeros((options.multinomial, d))

    def predict(self, x):
        return self.W @ self.one.scaled(x)

    def learn(self, x, y, h):
        one, o, s = self.one, self.o, self.one.scaled(x)
        u = self.W @ s
        one.t += 1
        one.remembered += 1
        c = h * slopes(np.clip(u, -o.clip, o.clip), y)
        before = one.D
        if one.scale == "all-gradients":
            one.D = before + (c @ c) * x**2
            s = one.scaled(x)
        w = np.array([projected(row, s, o.clip, *one.inverse) for row in self.W])
        inverse = one.taken(np.sqrt(o.resolved_sigma + one.eta()) * np.linalg.norm(c) * s)
        self.W = w - np.outer(c, inverse[0] @ s)
        one.D = before + (c @ c) * x**2
        one.top = np.maximum(one.top, np.abs(x))

    def weights(self):
        root = np.sqrt(self.one.D)
        scale = {"none": 1.0, "gradients": root, "all-gradients": root}.get(self.one.scale, self.one.top)
        return np.divide(self.W, scale, out=np.zeros(self.W.shape), where=scale > 0)


class Stepped:
    """ogd, sgd and those with a matrix or rates of gradients: these take |c| x, and each class steps by them."""

    def __init__(self, options: LearnOptions, d: int, *features):
        self.o, self.one = options, TWINS[options.method](options, d, *features)  # its matrix; never its weights
        self.W = self.total = np.zeros((options.multinomial, d))

    def predict(self, x):
        return self.W @ x

    def learn(self, x, y, h):
        o, one, u = self.o, self.one, self.W @ x
        p = np.clip(u, -o.clip, o.clip)
        c = h * slopes(p, y)
        one.t += 1
        one.take(np.linalg.norm(c) * x, x)
        self.total = self.total + np.outer(c, x)
        if o.method == "ogd" and x.any():
            self.W = self.W - np.outer(u - p, x) / (x @ x)
        W, g = (0.0 * self.W, self.total) if o.update == "dual" else (self.W, np.outer(c, x))
        self.W = W - one.rate() * np.array([one.metric(each) for each in g])

    def weights(self):
        return self.W


class Nag(Stepped):
    """The sizes, sums and rates of one score with slope |c|; the step follows the loss in the direction r - e_y."""

    def predict(self, x):
        return self.one.before(self.W, x) @ x

    def learn(self, x, y, h):
        o, p = self.o, np.clip(self.predict(x), -self.o.clip, self.o.clip)
        c = slopes(p, y)
        if not c.any() and o.rescale == "after":
            return
        self.W = self.one.rescaled(self.W, x)
        R = self.one.rates(x, h, np.linalg.norm(c))
        q, by = x @ (R * x), h * c
        if o.invariant and q > 0 and c[y] < 0:
            shares = c / -c[y]  # r - e_y: the direction in which the predictions go
            a, others = shares @ shares, np.delete(p, y)
            m = p[y] - others.max() - np.log(np.exp(others - others.max()).sum())
            by = shares * (followed(o, m, 1.0, a * h * q) - m) / (a * q)
        self.W = self.W - np.outer(by, R * x)


def twin_of(options: LearnOptions, d: int, features):
    if options.method == "nag":
        return Nag(options, d)
    if options.method in TWINS:
        return Stepped(options, d, *([features] if options.method in BY_FEATURE else []))
    return Newton(options, d)


def run_softmax(options: LearnOptions, batch: Batch, full: bool = False):
    """(twin, float64[n, K] predictions of a fresh one before each label of 0 to K - 1 is used)."""
    X, ids = dense_rows(batch)
    twin = Newton(options, X.shape[1], True) if full else twin_of(options, X.shape[1], order_of(batch, ids))
    raw = np.empty((batch.n, options.multinomial))
    for i in range(batch.n):
        raw[i] = twin.predict(X[i])
        if batch.weight[i] > 0 and not np.isnan(batch.y[i]):
            twin.learn(X[i], int(batch.y[i]), batch.weight[i])
    return twin, raw
