"""Views told in dictionaries and lists: what each entry of a row becomes, under a name of its own.

A twin sees one row at a time, ``[(id, x), ...]`` with distinct ids, and gives ``[(name, value), ...]`` in order.
`learn` tells whether the row is learned from. Nothing here is bounded, and nothing is quick.
"""

import itertools
import math
import struct
from fractions import Fraction

import numpy as np

CONSTANT = -1


def float_bin(x, b):
    """Sign, exponent and leading mantissa bits, out of the bits of the number."""
    bits = struct.unpack("<Q", struct.pack("<d", x))[0]
    return bits >> 63, bits >> 52 & 0x7FF, bits >> (52 - b) & ((1 << b) - 1)


class Raw:
    def __init__(self):
        self.known = set()

    def see(self, row, y, h, learn):
        names = self.row(row, learn)
        out = [(name, value) for name, value in names if learn or name in self.known]
        if learn:
            self.known |= {name for name, _ in names}
            self.count(row, y, h)
        return out

    def row(self, row, learn):
        return row

    def count(self, row, y, h):
        pass


class Scaled(Raw):
    def __init__(self, idf=False, unit=False, constant=True):
        super().__init__()
        self.idf, self.unit, self.constant, self.rows = idf, unit, constant, []

    def row(self, row, learn):
        out = {}
        for j, x in row:
            if x != 0 and j != CONSTANT:
                out[j] = math.copysign(math.log1p(abs(x)), x)
                if self.idf:
                    out[j] *= math.log((len(self.rows) + 2) / (sum(j in other for other in self.rows) + 1))
        norm = np.linalg.norm(list(out.values())) if self.unit and out else 1.0
        if self.constant:
            out[CONSTANT] = norm
        return [(j, out[j] / norm) for j, x in row if j in out]

    def count(self, row, y, h):
        self.rows.append({j for j, x in row if x != 0})


class Counting(Raw):
    """Weight of the rows of each class, in all and with each name."""

    def __init__(self):
        super().__init__()
        self.total, self.counts = [0.0, 0.0], {}

    def rho(self, name):
        pos, neg = self.counts.get(name, (0.0, 0.0))
        return math.log((pos + 1) / (self.total[0] + 2)) - math.log((neg + 1) / (self.total[1] + 2))

    def evidence(self, name):
        """exp |rho|, exactly."""
        pos, neg = map(Fraction, self.counts.get(name, (0.0, 0.0)))
        odds = (pos + 1) / (Fraction(self.total[0]) + 2) / ((neg + 1) / (Fraction(self.total[1]) + 2))
        return max(odds, 1 / odds)

    def add(self, names, y, h):
        side = 0 if y > 0 else 1
        self.total[side] += h
        for name in names:
            self.counts.setdefault(name, [0.0, 0.0])[side] += h


class Bins(Counting):
    def __init__(self, itself=False, ratios=False, constant=True):
        super().__init__()
        self.itself, self.ratios, self.constant = itself, ratios, constant

    def indicators(self, j, x):
        return [(j, b, float_bin(x, b)) for b in (1, 3)]

    def row(self, row, learn):
        out, n = [], 2 * sum(x != 0 and j != CONSTANT for j, x in row)
        for j, x in row:
            if x != 0 and (self.constant if j == CONSTANT else self.itself):
                out.append((j, x))
            if x != 0 and j != CONSTANT:
                out += [(f, self.rho(f) / math.sqrt(n) if self.ratios else 1.0) for f in self.indicators(j, x)]
        return out

    def count(self, row, y, h):
        self.add([f for j, x in row if x != 0 and j != CONSTANT for f in self.indicators(j, x)], y, h)


class Tuples(Counting):
    def __init__(self, order, code, resolution, unit=False, longest=32, chosen=32):
        super().__init__()
        self.order, self.code, self.resolution = order, code, resolution
        self.unit, self.longest, self.chosen = unit, longest, chosen
        self.values = {}

    def bin(self, j, x):
        if self.code == "float":
            return float_bin(x, self.resolution)
        values = np.array([*self.values.get(j, []), x])
        mean, variance = values.mean(), values.var()
        if variance <= 1e-18 * mean**2:
            return "all equal"
        u = (x - mean) / math.sqrt(variance)
        return math.floor(self.resolution * u / (1 + abs(u) / 4) + 0.5)

    def row(self, row, learn):
        row = [(j, x) for j, x in row if x != 0 and j != CONSTANT]
        if len(row) > self.longest:
            row = sorted(row, key=lambda entry: -self.evidence(entry[0]))[: self.chosen]
        names = [(j, self.bin(j, x)) for j, x in row]
        every = itertools.combinations_with_replacement if self.order == 2 else itertools.combinations
        found = [frozenset(names) for names in every(names, self.order)]
        return [(name, 1 / math.sqrt(len(found)) if self.unit else 1.0) for name in found]

    def count(self, row, y, h):
        for j, x in row:
            if x != 0 and j != CONSTANT:
                self.values.setdefault(j, []).append(x)
        self.add([j for j, x in row if x != 0 and j != CONSTANT], y, h)


#: Written out, not taken from the table: what each name of the table must mean.
TWINS = {
    "raw": lambda: Raw(),
    "log": lambda: Scaled(constant=False),
    "lunit": lambda: Scaled(unit=True),
    "tfidf": lambda: Scaled(unit=True, idf=True),
    "bins": lambda: Bins(itself=True),
    "indicators": lambda: Bins(constant=False),
    "ratios": lambda: Bins(ratios=True),
    "pairs": lambda: Tuples(2, "float", 1),
    "pairs-fine": lambda: Tuples(2, "float", 3, unit=True),
    "pairs-z": lambda: Tuples(2, "z", 2),
    "triples": lambda: Tuples(3, "float", 1, longest=16, chosen=16),
}
