"""Off-policy estimates by their definitions: every decision is kept, and all sums are made anew."""

import numpy as np


def as_counted(shifts):
    """Shifts, float64[n], of which those within a power of two count as their mean."""
    levels = np.array([np.floor(np.log2(k)) if k > 0 else -np.inf for k in shifts])
    return np.array([np.mean(np.array(shifts)[levels == one]) for one in levels])


def evened(v, k, low, high):
    """Means of all rows, v on average and within [low, high], for which mean + k is as even as it can be; + k."""
    a, b = k.min() + low, k.max() + high
    for _ in range(50):
        middle = (a + b) / 2
        a, b = (a, middle) if np.clip(middle - k, low, high).sum() > v * len(k) else (middle, b)
    return np.clip(a - k, low, high) + k


def log_wealth(values, shifts, shares, v, kappas, weights, low, high):
    """log of the mixture of prod (1 + kappa (X_i + k_i)) / (1 + kappa (v_i + k_i)), v_i + k_i evened out."""
    total = 0.0
    for j, share in enumerate(shares):
        even = evened(v, as_counted(shifts[:, j]), low, high)
        for kappa, weight in zip(kappas, weights, strict=True):
            total += share * weight * np.prod((1 + kappa * (values[:, j] + shifts[:, j])) / (1 + kappa * even))
    return np.log(total)


def bound(values, shifts, shares, alpha, low, high, horizon=None):
    """The least v that the mixture does not refuse, to 1e-6."""
    u = np.arange(-36, 13) / 2 * np.log(2)
    first, last = np.log((1e-4, 2)) if horizon is None else np.log((6, 11)) - np.log(horizon) / 2
    powers = (-2.0, -2.0) if horizon is None else (-3.0, -6.0)
    weights = (1 + np.maximum(0, first - u)) ** powers[0] * (1 + np.maximum(0, u - last)) ** powers[1]
    weights /= weights.sum()
    logs = np.log1p((np.array(values) + shifts)[:, :, None] * np.exp(u)).sum(0)
    counted = [as_counted(column) for column in np.array(shifts).T]

    def refused(v):
        even = [evened(v, column, low, high) for column in counted]
        bets = logs - np.array([np.log1p(one[:, None] * np.exp(u)).sum(0) for one in even])
        return np.logaddexp.reduce((np.log(np.outer(shares, weights)) + bets).ravel()) >= np.log(1 / alpha)

    if not refused(low):
        return low
    if refused(high):
        return high
    a, b = low, high
    for _ in range(20):
        middle = (a + b) / 2
        a, b = (middle, b) if refused(middle) else (a, middle)
    return a


class EvaluationTwin:
    """One decision at a time; see `sonlearn.offpolicy.evaluation.Evaluation`."""

    def __init__(self, names, costs, level, floor, horizon=None):
        self.names, self.costs, self.alpha, self.floor = names, costs, 1 - level, floor
        self.horizon = horizon
        self.rows = []

    def add(self, decision, policies):
        cost, p = decision.cost[0], decision.probability[0]
        if not (np.isnan(cost) or np.isnan(p)):
            scale = lambda c: np.clip((c - self.costs[0]) / (self.costs[1] - self.costs[0]), 0, 1)  # noqa: E731
            least = decision.probabilities
            if least is None:
                least = np.full(len(policies[0][0]), self.floor or 0.0)
            scaled = [(pi, scale(q)) for pi, q in policies]
            self.rows.append((int(decision.action[0]), scale(cost), p, least, scaled))
        self.bounded = self.floor is not None or decision.probabilities is not None

    def lines(self):
        n, scale = len(self.rows), self.costs[1] - self.costs[0]
        s = np.array([row[1] for row in self.rows])
        zero = np.zeros((n, 1))
        mean = (s.mean(), bound(s[:, None], zero, [1], self.alpha / 2, 0, 1, self.horizon),
                1 - bound(1 - s[:, None], zero, [1], self.alpha / 2, 0, 1, self.horizon))  # fmt: skip
        out = {("log", "", "mean"): (*(self.costs[0] + scale * np.array(mean)), 1.0, n)}
        pairs = [(i, "") for i in range(len(self.names))] + [(i, "log") for i in range(len(self.names))]
        pairs += [(i, self.names[0]) for i in range(1, len(self.names))]
        normalised = []
        for i in range(len(self.names)):
            w = np.array([row[4][i][0][row[0]] / row[2] for row in self.rows])
            c = self.costs[0] + scale * s
            normalised.append({"ips": np.mean(w * c), "snips": (w * c).sum() / w.sum(), "w": w})
        for i, against in pairs:
            for name in ("ips", "snips", "dr"):
                w = normalised[i]["w"]
                base = 0 if against else self.costs[0]
                ends = base + scale * np.array(self.value(i, against, name))
                if name != "dr":
                    other = {"": 0, "log": self.costs[0] + scale * s.mean()}.get(against, normalised[0][name])
                    ends[0] = normalised[i][name] - other
                out[self.names[i], against, name] = (*ends, w.mean(), w.sum() ** 2 / (w**2).sum())
        return out

    def value(self, i, against, name):
        other = against not in ("", "log")
        sides, plain = [], []
        for side in (0, 1):
            values, shifts, reach = [], [], 1.0
            sums = np.zeros((len(self.names), 2))
            for a, s, p, least, policies in self.rows:
                r = 1 - s if side else s
                levels = [(ws + 0.5) / (w + 1) for ws, w in sums]
                delta, q = policies[i]
                level = levels[i]
                if other:
                    delta, q = delta - policies[0][0], (q + policies[0][1]) / 2
                    level = (level + levels[0]) / 2
                K = len(delta)
                edge = np.array([1.0 if d < 0 else 0.0 for d in delta])
                wish = {"ips": 1 - edge, "snips": np.full(K, level), "dr": q}[name]
                if side and name != "ips":
                    wish = 1 - wish

                def term(control, delta=delta, r=r, a=a, p=p, s=s, side=side):
                    d = delta[a] / p * (r - control[a]) + sum(delta * control)
                    return d - ((1 - s if side else s) if against == "log" else 0)

                least_shift = 1.0 if against else 0.0
                row, shift = [term(edge)], [least_shift]
                if self.bounded:
                    near = wish.copy()
                    for b in range(K):
                        if delta[b]:
                            most = reach * least[b] / abs(delta[b])
                            near[b] = max(wish[b], 1 - most) if delta[b] < 0 else min(wish[b], most)
                    row.append(term(near))
                    shift.append(reach + least_shift)
                    reach = max(
                        reach, *(abs(wish[b] - edge[b]) * abs(delta[b]) / least[b] for b in range(K) if least[b] > 0)
                    )
                values.append(row)
                shifts.append(shift)
                if not side:
                    plain.append(term(np.zeros(K) if name == "ips" else wish))
                for m, (pi, _) in enumerate(policies):
                    sums[m] += pi[a] / p * s, pi[a] / p
            sides.append((np.array(values), np.array(shifts)))
        low, high = (-1, 1) if against else (0, 1)
        shares = ([0.5, 0.5] if name == "ips" else [0.2, 0.8]) if self.bounded else [1]
        ends = [bound(v, k, shares, self.alpha / 2, low, high, self.horizon) for v, k in sides]
        return np.mean(plain), ends[0], high + low - ends[1]


def line_of(evaluation, policy, against="", estimator="dr"):
    """The line of an evaluation's result that is of this policy and estimator."""
    lines = evaluation.lines()
    (found,) = (one for one in lines if (one.policy, one.against, one.estimator) == (policy, against, estimator))
    return found
