"""Boosted trees over a buffer, in plain numpy: a tree is a nested tuple, and every node's sums are taken anew."""

import copy
import itertools

import numpy as np
from views_twin import hashed

from sonlearn.options.methods import METHODS

BINS, QUANTILES, PARTS, COLUMNS, SAMPLE, AT_ONCE = 255, 63, 32, 32, 1024, 1 << 21
TIMES = 1, 2, 3
FEW, BETS, SLACK, ALARM = 500, (0.25, 0.5, 1.0, 2.0), 0.1, np.log(1e6)


class Boost:
    """Rows are dictionaries {feature: value}; a feature's column is its place in the order of first occurrence.

    `several`: labels are 0, 1, ... in the order of first occurrence, of which `known` have been shown; scores and the
    values of leaves are arrays [K].
    """

    def __init__(
        self, logistic, trees, max_depth, learning_rate, l2, min_hessian, refit_interval, regrow_every, max_columns,
        of_classes, several=False,
    ):  # fmt: skip
        self.several, self.most = several, max_columns
        self.logistic, self.trees, self.max_depth, self.learning_rate = logistic, trees, max_depth, learning_rate
        self.l2, self.min_hessian = l2, min_hessian
        self.refit_interval, self.regrow_every = refit_interval, regrow_every
        vars(self).update(of_classes if logistic or several else {})
        self.columns, self.rows, self.labels = {}, [], []  # labels: (y, importance, base)
        self.due, self.running, self.refits, self.model = 0, None, 0, (0.0, [])
        self.stays = False  # whether the trees are of the rows after the last change
        self.since = 0  # rows before the last change; what follows is of those after it
        self.errors, self.bets, self.total, self.wealth, self.known = [], 0, 0.0, {}, 0

    def predict(self, row, base=0.0):
        """A score; of several classes one for each that the rows learned have shown."""
        z, (start, trees) = np.full(self.known if self.several else 1, float(base)), self.model
        if row and trees:
            (x,) = self.dense([{self.columns[f]: value for f, value in row.items() if f in self.columns}])
            z[: np.size(start)] += start + sum(leaf_of(tree, x) for tree in trees)
        return z if self.several else float(z[0])

    def dense(self, rows):
        X = np.zeros((len(rows), len(self.columns)), np.float32)
        for i, row in enumerate(rows):
            X[i, list(row)] = list(row.values())
        return X

    def learn(self, row, y, h=1.0, base=0.0):
        self.watch(self.predict(row, base), y)
        self.rows.append({self.columns.setdefault(f, len(self.columns)): value for f, value in row.items()})
        self.labels.append((y, h, base))
        self.known = max(self.known, 1 + int(y))
        if self.running is None and len(self.rows) >= self.due:
            self.due = len(self.rows) + max(int(self.refit_interval * len(self.rows_of_refit())), 32)
            self.begin()
        looks = AT_ONCE
        while self.running is not None and looks > 0:
            looks -= next(self.running)

    def begin(self):
        self.refits, self.fitted = self.refits + 1, len(self.rows)
        self.running = self.refit()

    def rest(self):
        """Trees of all rows, as many as are best for the last third if of the others; returns their errors there."""
        kept = self.rows_of_refit()
        held, scores = min(len(kept) // 3, 1024), -(-self.known // 4) * 4 if self.several else 1
        tried = [times * self.trees for times in TIMES if times * self.trees * len(kept) * scores <= 4e6]
        errors, best, ways = [[]], 0, [()]
        if held >= 16 and tried:
            X, (y, h, base) = self.dense(self.rows[-held:]), np.array(self.labels[-held:]).T
            finer = not (self.logistic or self.several) and 5 * tried[-1] * len(kept) <= 4e6
            ways = [(least, most) for least in [self.min_hessian, self.min_hessian / 5][: 1 + finer] for most in tried]
            errors = []
            for least, most in ways:
                if most == tried[0]:
                    start, trees = self.with_new_trees(tried[-1], kept.start, held, least).model
                z = start + (base[:, None] if self.several else base)
                errors.append(self.errors_of(z + sum(leaves(tree, X) for tree in trees[:most]), y))
            losses = [-np.log1p(-e) if self.logistic or self.several else e**2 for e in errors]
            surely = [gain_less_error(losses[0] - each, h) for each in losses]
            best = int(np.argmax(surely))
        if best:
            least, most = ways[best]
            self.model = self.with_new_trees(most, kept.start, 0, least).model
        else:
            list(self.running or ())
            if self.fitted < len(self.rows):
                self.begin()
                list(self.running)
        return errors[best]

    def errors_of(self, z, y):
        """1 less the probability of the class, or the error of the value."""
        if self.several:
            p = np.exp(z - z.max(axis=1, keepdims=True))
            return 1 - p[np.arange(len(y)), y.astype(int)] / p.sum(axis=1)
        return 1 / (1 + np.exp(y * z)) if self.logistic else z - y

    def with_new_trees(self, trees, since, held, min_hessian):
        """One of the rows from `since` on but the last ones, held out."""
        own, n = copy.copy(self), len(self.rows) - held
        own.rows, own.labels, own.since = self.rows[:n], self.labels[:n], since
        own.trees, own.regrow_every, own.min_hessian = trees, 1, min_hessian
        own.begin()
        list(own.running)
        return own

    def watch(self, z, y):
        """Forget the rows before a change that the predictions name."""
        if self.several:
            p = np.exp(z - z.max(initial=0.0)) / np.exp(z - z.max(initial=0.0)).sum()
            self.errors.append(1 - p[int(y)] if y < len(z) else 0.0)
        elif self.logistic:
            self.errors.append(1 / (1 + np.exp(y * z)))
        else:
            self.errors.append(abs(y - z))
        x, skipped = self.errors[-1], 0
        if not (self.logistic or self.several):  # beside the mean of the first ones
            skipped = FEW
            x = x / (x + np.mean(self.errors[:FEW]))
        if len(self.errors) > skipped:
            self.bet(x)

    def bet(self, x):
        """A round of all gamblers on more than the mean of those before."""
        for b in BETS:
            wealth, start = self.wealth.get(b, (0.0, 0))
            if wealth <= 0:
                wealth, start = 0.0, len(self.rows)
            if self.bets >= FEW:
                expected = self.total / self.bets + SLACK
                wealth += np.log(1 + min(b, 0.9 / expected) * (x - expected))
            self.wealth[b] = wealth, start
        self.bets, self.total = self.bets + 1, self.total + x
        most, start = max(self.wealth.values())
        if most > ALARM:
            self.since, self.due, self.running, self.stays = start, len(self.rows), None, False
            self.errors, self.bets, self.total, self.wealth = [], 0, 0.0, {}

    def rows_of_refit(self):
        """The last ones, with many columns fewer."""
        across = -(-self.known // 4) * 4 if self.several else 1
        kept = max(min(2**23 // max(len(self.columns), across, 1), 65536), 16384)
        return range(len(self.rows))[self.since :][-kept:]

    def refit(self):
        """A generator: a step and what it costs."""
        kept = self.rows_of_refit()
        X, (y, h, base) = self.dense([self.rows[i] for i in kept]), np.array([self.labels[i] for i in kept]).T
        n, columns = X.shape
        coded = []
        for block in np.split(X, range(8, columns, 8), axis=1):
            most = max(2**15 // columns, 256) if self.several else SAMPLE
            coded += [codes_of(x, min(most, SAMPLE)) for x in block.T]
            yield 8 * n * block.shape[1]
        varying = [j for j, (codes, _) in enumerate(coded) if codes.min() < codes.max()]
        of_values = self.stays and not (self.logistic or self.several)
        splits = [j for tree in self.model[1] for j in splits_of(tree)] if of_values else []
        column_weights, most = [], max(len(varying) / (2 * COLUMNS), 1)
        labels = np.eye(1 + int(y.max()))[y.astype(int)] if self.several else (y - base)[:, None]
        for j in varying:
            alone = max(min(relevance(coded[j][0], labels, h) / 8, most), 1) if most > 1 else 1
            column_weights.append(int(len(coded[j][1]).bit_length() * alone) + 4 * splits.count(j))
        start = np.average(y - base, weights=h)
        known = self.known if self.several else 1
        if self.several:
            own = np.eye(known)[y.astype(int)]
            start = np.log(h @ own + 1)
        elif self.logistic:
            start = np.log((h[y > 0].sum() + 1) / (h[y < 0].sum() + 1))
        z, trees = (start + base[:, None] if self.several else start + base), []
        for t in range(self.trees):
            seed = self.refits * self.trees + t
            if self.several:
                p = np.exp(z - z.max(axis=1, keepdims=True))
                p /= p.sum(axis=1, keepdims=True)
                signs = np.array([1.0 - 2.0 * (hashed(seed, self.most + k) % 2) for k in range(known)])
                if len(set(signs)) == 1:
                    signs[seed % known] *= -1
                errors = p - own
                g, c = h * (errors @ signs), h * np.maximum(1 - (p @ signs) ** 2, 1e-16)
                slopes = h[:, None] * np.stack([errors, np.maximum(p * (1 - p), 1e-16)])
            else:
                p = 1 / (1 + np.exp(-z))
                g, c = (h * (p - (y > 0)), h * np.maximum(p * (1 - p), 1e-16)) if self.logistic else (h * (z - y), h)
                slopes = g, c
            chosen = drawn(column_weights, [cost_of(*coded[j]) for j in varying], varying, seed)
            if self.stays and (self.refits + t) % self.regrow_every:
                trees.append(self.filled(self.model[1][t], np.arange(n), slopes, X))
            else:
                trees.append(self.grow(np.arange(n), 0, g, c, slopes, chosen, coded, X))
            z = z + leaves(trees[-1], X)
            cost = n * (min(columns, COLUMNS) * self.max_depth + (8 * known if self.several else 0))
            for _ in ("split", "filled") if n * known > 2**20 else ():
                yield cost
            if t == self.trees - 1:
                self.model, self.running, self.stays = (start, trees), None, True
            yield cost

    def grow(self, rows, level, g, c, slopes, chosen, coded, X):
        """A leaf's value, or (column, largest value on the left, whether rows without one go left, left, right)."""
        G, C = g[rows].sum(), c[rows].sum()
        best, found = self.term(G, C) * (1 + 1e-10), None
        for j in chosen if level < self.max_depth else []:
            codes, edges = coded[j][0][rows], coded[j][1]
            sums = np.array([np.bincount(codes, each[rows], len(edges) + 1) for each in (g, c)]).T
            values = np.cumsum(sums, axis=0) - sums[0]  # of rows with a value, up to each code
            own = np.repeat(values[:-1], 2, axis=0)
            own[1::2] += sums[0]
            rest = sums.sum(axis=0) - own
            gains = self.term(own[:, 0], own[:, 1]) + self.term(rest[:, 0], rest[:, 1])
            gains[np.minimum(own[:, 1], rest[:, 1]) < self.min_hessian] = 0.0
            for place in (gains > best).nonzero()[0]:
                if gains[place] > best:
                    last, none_left = divmod(int(place), 2)
                    best, found = gains[place] * (1 + 1e-10), (j, last, bool(none_left))
        if found is None:
            return self.value(rows, slopes)
        j, last, none_left = found
        x, codes, edges = X[rows, j], coded[j][0][rows], coded[j][1]
        edge = edges[last - 1] if last else -np.inf
        if last and len(edges) >= QUANTILES:
            edge = self.moved(x, codes, edges, last, none_left, g[rows], c[rows])
        left = np.where(x == 0, none_left, x <= edge)
        parts = (self.grow(rows[s], level + 1, g, c, slopes, chosen, coded, X) for s in (left, ~left))
        return (j, edge, none_left, *parts)

    def value(self, rows, slopes):
        """A leaf's; of several classes as it stands in float32."""
        G, C = (each[rows].sum(axis=0) for each in slopes)
        value = -self.learning_rate * G / (C + self.l2)
        return value.astype(np.float32).astype(float) if self.several else value

    def filled(self, tree, rows, slopes, X):
        """A tree with the same splits, whose leaves are of these rows."""
        if not isinstance(tree, tuple):
            return self.value(rows, slopes)
        j, edge, none_left, *parts = tree
        left = np.where(X[rows, j] == 0, none_left, X[rows, j] <= edge)
        parts = (self.filled(part, rows[s], slopes, X) for part, s in zip(parts, (left, ~left), strict=True))
        return (j, edge, none_left, *parts)

    def moved(self, x, codes, edges, last, none_left, g, c):
        """The best edge between parts of equal width of the values in the bins beside the one found."""
        size, edge = len(edges), edges[last - 1]
        share = np.bincount(codes, c, size + 1) / c.sum()
        following = next((code for code in range(last + 1, size) if share[code] > 1e-9), size)
        near = (codes >= last) & (codes <= following)
        low, high = (float(end) for end in (x[near].min(), x[near].max()))
        if low == high:
            return edge
        part = np.minimum((PARTS * ((x.astype(float) - low) / (high - low))).astype(int), PARTS - 1)
        best, filled = 0.0, np.unique(part[near])
        for one, other in itertools.pairwise(filled):
            left = (codes < last) & ((codes > 0) | none_left) | near & (part <= one)
            sums = np.array([[g[side].sum(), c[side].sum()] for side in (left, ~left)])
            gain = self.term(*sums.T).sum()
            if gain > best and sums[:, 1].min() >= self.min_hessian:
                under, over = x[near & (part == one)].max(), x[near & (part == other)].min()
                edge, best = np.float32(0.5 * float(under) + 0.5 * float(over)), gain * (1 + 1e-10)
                edge = edge if edge < over else under
        return edge

    def term(self, G, C):
        return G * G / (C + self.l2)


def gain_less_error(gains, h):
    """The mean, less half of its standard error."""
    mean = np.average(gains, weights=h)
    return mean - 0.5 * np.sqrt(np.average((gains - mean) ** 2, weights=h) / len(h))


class ClassTrees:
    """Of several classes, as the dense twins of other members (`multiclass_twin`); feature j is column j."""

    def __init__(self, d, trees, learning_rate=0.2):
        own = {"trees": trees, "learning_rate": learning_rate, "max_depth": 6}
        self.boost = Boost(False, several=True, **METHODS["boost"].values | own)
        self.boost.columns = {j: j for j in range(d)}

    def scores(self, x):
        return self.boost.predict({j: x[j] for j in np.flatnonzero(x)})

    def learn(self, x, y, h):
        self.boost.learn({j: x[j] for j in np.flatnonzero(x)}, y, h)


def codes_of(x, most):
    """(codes of a column's values, the largest value of each bin); quantiles are of so many rows at `most`."""
    m = min(len(x), most)
    sample = np.sort(x[np.arange(m) * len(x) // m])
    sample = sample[sample != 0]
    distinct = len(np.unique(sample))
    most = max(QUANTILES, min(len(x) // 16, BINS)) if 2 * distinct <= len(sample) else QUANTILES
    bins = len(sample) if distinct <= most else most
    edges = np.unique(sample[np.arange(1, bins + 1) * len(sample) // max(bins, 1) - 1])
    codes = np.minimum(np.searchsorted(edges, x), len(edges) - 1) + 1
    return np.where((x == 0) | (len(edges) == 0), 0, codes), edges


def relevance(codes, Y, h):
    """What the best split of the codes takes off the sum of h |y - mean|^2, over its mean."""

    def errors(some):
        own, weight = Y[some], h[some]
        return weight @ ((own - weight @ own / weight.sum()) ** 2).sum(axis=1)

    parts = [[some for some in (codes <= k, codes > k) if some.any()] for k in range(codes.max())]
    every = errors(codes >= 0)
    return (every - min(sum(map(errors, both)) for both in parts)) / (every / h.sum())


def cost_of(codes, edges):
    """What a column takes of the room of a tree, in 1/256 of one of which all rows have values."""
    filled = np.count_nonzero(codes)
    return max(-(-filled * 256 // len(codes)), len(edges) + 1, 64)


def drawn(column_weights, costs, columns, seed):
    """Columns, in their order, by their chances: all there is room for, as for 32 of which all rows have values."""
    chosen, room, weights, costs = [], 256 * COLUMNS, np.array(column_weights), np.array(costs)
    for place, j in enumerate(columns):
        left, cost = costs[place:] @ weights[place:], costs[place]
        one = costs[place:].sum() <= room or hashed(seed, j) % int(left) < weights[place] * room
        if one and cost <= room:
            chosen.append(j)
            room -= cost
    return chosen


def splits_of(tree):
    """The columns that a tree splits by, one for each split."""
    return [tree[0], *splits_of(tree[3]), *splits_of(tree[4])] if isinstance(tree, tuple) else []


def leaves(tree, X):
    """The value of each row's leaf."""
    if not isinstance(tree, tuple):
        return np.full((len(X), *np.shape(tree)), tree)
    j, edge, none_left, left, right = tree
    goes, left, right = np.where(X[:, j] == 0, none_left, X[:, j] <= edge), leaves(left, X), leaves(right, X)
    return np.where(goes.reshape(-1, *(1,) * (left.ndim - 1)), left, right)


def leaf_of(tree, x):
    """The value of one row's leaf."""
    while isinstance(tree, tuple):
        j, edge, none_left, left, right = tree
        tree = left if (none_left if x[j] == 0 else x[j] <= edge) else right
    return tree


def raw_predictions(options, batch, values):
    """Each row's prediction before it is learned; `values` are those of the method."""
    return by_rows(Boost(options.loss == "logistic", **values), batch)


def by_rows(twin, batch):
    """float64[n]: what a twin that takes a row as {feature: value} predicts of each before it is learned."""
    raw, base = np.zeros(batch.n), np.zeros(batch.n) if batch.base is None else batch.base
    for i in range(batch.n):
        row = {}
        for at in range(batch.indptr[i], batch.indptr[i + 1]):
            row[batch.indices[at]] = row.get(batch.indices[at], 0.0) + batch.values[at]
        raw[i] = twin.predict(row, base[i])
        if batch.weight[i] > 0 and not np.isnan(batch.y[i]):
            twin.learn(row, batch.y[i], batch.weight[i], base[i])
    return raw
