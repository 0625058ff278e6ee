"""The learner of decisions by its definition: dicts of weights, dense sketches, formulas of exploration one by one.

It takes the rows as both views show them; views have twins of their own. Nothing is shared with the learner but that.
"""

import numpy as np
from drfd_twin import DrfdTwin, sigmoid
from scipy.special import ndtr, ndtri

from sonlearn import LearnOptions

PRIOR, OWN_PRIOR, LEAST, RATE, POWER = 0.03, 3.0, 0.01, 0.002, 4
R, SKETCH_SIZE, MOST = 0.1, 15, 384


class Fading(DrfdTwin):
    """A sketch of one column whose rows fade with every decision, wherever it was learned.

    B, Delta and the mass are those of the last shrink, `at` decisions; a shrink takes off what has faded since.
    """

    def __init__(self, options, d):
        super().__init__(options, d)
        self.at = 0

    def decisions(self, now):
        """Since the last shrink, until a thousandth (2^-10) is left."""
        n, keeps = max(now - self.at, 0), 1 - self.o.decay
        return min(n, int(np.log(2.0**-10) / np.log(keeps))) if self.o.decay else n

    def variance(self, x, now):
        left = (1 - self.o.decay) ** self.decisions(now)
        return min(x @ np.linalg.solve(self.matrix, x) / left, x @ x)

    def learn_at(self, now, x, y, weight):
        if not len(self.B):
            self.at = now
        self.since = self.decisions(now)
        left, shrinks = (1 - self.o.decay) ** self.since, self.shrinks
        self.learn(x, y, weight / left)
        if self.added and left < 0.5:
            self.shrink()
        if self.shrinks > shrinks:
            self.at = now + 1


class Diagonal:
    """Logistic (or, without a link, squared) regression of one column, a precision for each feature."""

    def __init__(self):
        self.w, self.P, self.bias = {}, {}, [0.0, 0.0]

    def fade(self, left):
        self.bias[1] *= left
        self.P = {f: left * P for f, P in self.P.items()}

    def score(self, row):
        """(z, v) of a row {feature: value}."""
        z = self.bias[0] + sum(x * float(self.w.get(f, 0.0)) for f, x in row.items())
        v = 1 / (OWN_PRIOR + self.bias[1]) + sum(x * x / (PRIOR + float(self.P.get(f, 0.0))) for f, x in row.items())
        return z, v

    def update(self, row, target, weight, link, z, v):
        p = sigmoid(z) if link else z
        h = weight * max(p * (1 - p), LEAST) if link else weight
        g = weight * (target - p) / (1 + v * h)
        self.bias[0] += g / (OWN_PRIOR + self.bias[1])
        self.bias[1] += h
        for f, x in row.items():
            before = self.P.get(f, 0.0)
            self.w[f] = np.float32(float(self.w.get(f, np.float32(0))) + g * x / (PRIOR + before))
            self.P[f] = before + h * x * x


def probabilities(o, t, mean, width):
    """Probability of each candidate."""
    n, best = len(mean), np.isclose(mean, mean.max(), rtol=0, atol=0)
    match o.explore if o.explores else "greedy":
        case "greedy":
            p = best / best.sum()
        case "epsilon":
            p = o.epsilon / n + (1 - o.epsilon) * best / best.sum()
        case "ucb":
            top = mean + o.explore_width * width
            p = (top == top.max()) / (top == top.max()).sum()
        case "softmax":
            p = np.exp(o.softmax_lambda * (mean - mean.max()))
            p /= p.sum()
        case "squarecb":
            p = 1 / (n + o.gamma_scale * t**o.gamma_exponent * (mean.max() - mean))
            p[mean.argmax()] += 1 - p.sum()
        case "thompson":
            points = 2 * ndtri((np.arange(64) + 0.5) / 64)
            mass = 2 * np.exp(-3 / 8 * points**2)  # densities of N(0, 1) over those of N(0, 4)
            s = o.explore_width * width
            at = mean[:, None] + s[:, None] * points
            p = np.array([
                np.mean(mass * np.prod([ndtr((at[a] - mean[b]) / s[b]) for b in range(n) if b != a], axis=0))
                for a in range(n)
            ])  # fmt: skip
            p /= p.sum()
    floor = o.min_probability if o.explores else 0.0
    return floor / n + (1 - floor) * p


class BanditTwin:
    """The learner."""

    def __init__(self, options, columns, dense_features):
        self.o, self.d = options, min(dense_features, MOST)
        drfd = LearnOptions(method="drfd", loss="squared", sketch_size=SKETCH_SIZE, arow_r=R, decay=options.decay)
        self.diagonal = [Diagonal() for _ in range(columns)]
        self.sketched = [Fading(drfd, max(self.d, 1)) for _ in range(columns)]
        self.rewards, self.candidates, self.errors, self.weight = [], 0, np.zeros(2), 0.0

    def dense(self, row):
        x = np.zeros(max(self.d, 1))
        for f, value in row.items():
            if f < self.d:
                x[f] = value
        return x

    def decide(self, sparse, dense, columns):
        """(mean, width, probabilities) in units of scaled rewards; of each candidate a row and a column."""
        scores = []
        link = self.o.cb_type in ("dm", "mtr")
        for row, wide, k in zip(sparse, dense, columns, strict=True):
            z, v = self.diagonal[k].score(row)
            x = self.dense(wide)
            mean = self.sketched[k].w @ x
            width = np.sqrt(self.sketched[k].variance(x, len(self.rewards)) / R) / 3
            scores.append((z, v, mean, width))
        scores = np.array(scores)
        self.scores = scores
        z, v = scores[:, 0], scores[:, 1]
        mean, width = (sigmoid(z), np.sqrt(v)) if link else (z, np.sqrt(v))
        if link:
            by = self.o.explore_width if self.o.explores else 0.4
            width = (sigmoid(z + by * np.sqrt(v)) - sigmoid(z)) / by
        if all(self.dense(wide).any() for wide in dense):
            d, s = self.errors**POWER
            share = d / (d + s) if d + s > 0 else 0.5
            mean, width = mean + share * (scores[:, 2] - mean), width + share * (scores[:, 3] - width)
        self.mean = mean
        return mean, width, probabilities(self.o, len(self.rewards), mean, width)

    def learn(self, sparse, dense, columns, action, reward, p):
        """One reward."""
        self.rewards.append(reward)
        self.candidates += len(columns)
        low, high = min(self.rewards), max(self.rewards)
        if low == high:
            self.fade()
            return
        r, link, p = (reward - low) / (high - low), self.o.cb_type in ("dm", "mtr"), 1.0 if np.isnan(p) else p
        z = self.scores[action, 0]
        errors = (np.array([sigmoid(z) if link else z, self.scores[action, 2]]) - r) ** 2
        self.weight += RATE * (1 - self.weight)
        self.errors += RATE / self.weight * (errors - self.errors)
        for a, (row, wide, k) in enumerate(zip(sparse, dense, columns, strict=True)):
            target, weight = r, 1.0
            match self.o.cb_type:
                case "mtr":
                    weight = len(self.rewards) / (p * self.candidates)
                case "ips":
                    target = r / p if a == action else 0.0
                case "dr":
                    target = self.mean[a] + ((r - self.mean[a]) / p if a == action else 0.0)
            if link and a != action:
                continue
            self.diagonal[k].update(row, target, weight, link, *self.scores[a, :2])
            x = self.dense(wide)
            if x.any():
                self.sketched[k].learn_at(len(self.rewards) - 1, x, target, weight)
        self.fade()

    def fade(self):
        """A decision has been learned: what the diagonal models know fades."""
        for one in self.diagonal:
            one.fade(1 - self.o.decay)
