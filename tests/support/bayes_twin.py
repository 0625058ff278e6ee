"""Naive Bayes in dictionaries: one row at a time, ``{id: x}``."""

import math


class Bayes:
    """`amounts`: multinomial, else of rows; `a` is added to every count, `q` tempers the sum; a row forgets `decay`."""

    def __init__(self, amounts, a, q, decay=0.0):
        self.amounts, self.a, self.q, self.keep = amounts, a, q, 1 - decay
        self.rows, self.totals, self.counts = {1: 0.0, -1: 0.0}, {1: 0.0, -1: 0.0}, {1: {}, -1: {}}

    def probability(self, side, j):
        """Smoothed share of feature j in a class."""
        features = set(self.counts[1]) | set(self.counts[-1])
        whole = self.totals[side] + self.a * len(features) if self.amounts else self.rows[side] + 2 * self.a
        return (self.counts[side].get(j, 0.0) + self.a) / whole

    def evidence(self, j):
        return math.log(self.probability(1, j)) - math.log(self.probability(-1, j))

    def amounts_of(self, row):
        return {j: abs(x) if self.amounts else 1.0 for j, x in row.items() if x != 0}

    def predict(self, row, base=0.0):
        known = {j: x for j, x in self.amounts_of(row).items() if j in self.counts[1] or j in self.counts[-1]}
        z = sum(x * self.evidence(j) for j, x in known.items())
        if known:
            z /= sum(known.values()) ** self.q
        return z + math.log(self.rows[1] + 1) - math.log(self.rows[-1] + 1) + base

    def learn(self, row, y, h, base=0.0):
        side = 1 if y > 0 else -1
        for each in (self.rows, self.totals, *self.counts.values()):
            each.update({key: self.keep * value for key, value in each.items()})
        self.rows[side] += h
        for j, x in self.amounts_of(row).items():
            self.counts[side][j] = self.counts[side].get(j, 0.0) + h * x
            self.totals[side] += h * x
