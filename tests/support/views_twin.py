"""Views as dictionaries and lists: what each entry of a row becomes, under a name of its own.

A twin sees one row at a time, ``[(id, x), ...]`` with distinct ids, and gives ``[(name, value), ...]`` in order.
`learn` tells whether the row is learned from. Nothing here is bounded, and nothing is quick.
"""

import itertools
import math
import struct
from collections import Counter
from fractions import Fraction

import numpy as np

CONSTANT = -1


def float_bin(x, b):
    """Sign, exponent and leading mantissa bits, out of the bits of the number."""
    bits = struct.unpack("<Q", struct.pack("<d", x))[0]
    return bits >> 63, bits >> 52 & 0x7FF, bits >> (52 - b) & ((1 << b) - 1)


def tamed(row):
    """Sizes within 1e-100..1e100; what is smaller is 0, and 0 is left out."""
    return [(j, math.copysign(min(abs(x), 1e100), x)) for j, x in row if abs(x) >= 1e-100]


def deviation(x, pairs):
    """(x - mean)/sd of pairs (value, weight), or None while all values are equal."""
    total = sum(h for _, h in pairs)
    mean = sum(value * h for value, h in pairs) / total
    variance = sum((value - mean) ** 2 * h for value, h in pairs) / total
    return None if variance <= 1e-18 * mean**2 else (x - mean) / math.sqrt(variance)


class Moments:
    """Mean and standard deviation of the values that each name has had."""

    def __init__(self):
        self.values = {}

    def deviation(self, j, x, h):
        """(x - mean)/sd with x taken in, or None while all are equal."""
        return deviation(x, [*self.values.get(j, []), (x, h or 1.0)])

    def standard(self, j, x, h):
        u = self.deviation(j, x, h)
        return 1.0 if u is None else min(max(u, -5.0), 5.0)

    def bin(self, j, x, h, resolution):
        u = self.deviation(j, x, h)
        return "all equal" if u is None else math.floor(resolution * u / (1 + abs(u) / 4) + 0.5)

    def add(self, row, h):
        for j, x in row:
            self.values.setdefault(j, []).append((x, h))


class Raw:
    def __init__(self):
        self.known = set()

    def fit_transform(self, row, y, h, learn):
        names = self.row(row, h)
        out = [(name, value) for name, value in names if learn or name in self.known]
        if learn:
            self.known |= {name for name, _ in names}
            self.count(row, y, h)
        return out

    def row(self, row, h):
        return row

    def count(self, row, y, h):
        pass


class Scaled(Raw):
    def __init__(self, idf=False, unit=False, constant=True):
        super().__init__()
        self.idf, self.unit, self.constant, self.rows = idf, unit, constant, []

    def weight(self, j=None):
        """Of the rows so far, or of those with feature j."""
        return sum(h for row, h in self.rows if j is None or j in row)

    def row(self, row, h):
        out = {}
        known = [self.weight(j) for j, _ in tamed(row) if j != CONSTANT and self.weight(j) > 0]
        usual = np.mean([math.log((self.weight() + 2) / (weight + 1)) for weight in known]) if known else 1.0
        for j, x in tamed(row):
            if j != CONSTANT:
                out[j] = math.copysign(math.log1p(abs(x)), x)
                if self.idf:
                    out[j] *= math.log((self.weight() + 2) / (self.weight(j) + 1)) if self.weight(j) > 0 else usual
        norm = np.linalg.norm(list(out.values())) if self.unit and out else 1.0
        if self.constant:
            out[CONSTANT] = norm
        return [(j, out[j] / norm) for j, x in row if j in out]

    def count(self, row, y, h):
        self.rows.append(({j for j, _ in tamed(row)}, h))


class Standard(Raw):
    def __init__(self):
        super().__init__()
        self.moments = Moments()

    def row(self, row, h):
        return [(j, 1.0 if j == CONSTANT else self.moments.standard(j, x, h)) for j, x in tamed(row)]

    def count(self, row, y, h):
        self.moments.add(tamed(row), h)


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


class Binned(Counting):
    """Names for the bins of values."""

    def __init__(self, code):
        super().__init__()
        self.code, self.moments = code, Moments()

    def bin(self, j, x, h, resolution):
        bin_ = float_bin(x, resolution) if self.code == "float" else self.moments.bin(j, x, h, resolution)
        return (j, resolution, bin_)


class Bins(Binned):
    """`marks`: of months, weekdays and hours of dates, as in `Batch.marks`; `hours`: with the part before them, too."""

    def __init__(self, code, resolutions, itself=False, odds=False, constant=True, hours=False):
        super().__init__(code)
        self.resolutions, self.itself, self.odds, self.constant = resolutions, itself, odds, constant
        self.hours, self.marks = hours, {}

    def indicators(self, row, h):
        """[bins of the entry] for each entry; of a whole number its own beside them, or in place of the finer z-bin."""
        found = [[self.bin(j, x, h, r) for r in self.resolutions] if j != CONSTANT else [] for j, x in row]
        for (j, x), bins in zip(row, found, strict=True):
            if bins and 8 <= abs(x) < 2**17 and x == int(x) and (self.odds or self.code == "z"):
                bins[1:] = [(j, "whole", x)]
        return found

    def value(self, name, n):
        new = name[1] == "whole" and name not in self.counts
        return (0.0 if new else self.rho(name) / math.sqrt(n)) if self.odds else 1.0

    def row(self, row, h):
        out, row, weekday = [], tamed(row), None
        found = self.indicators(row, h)
        n = sum(map(len, found))
        for (j, x), bins in zip(row, found, strict=True):
            if self.constant if j == CONSTANT else self.itself:
                out.append((j, x if j == CONSTANT or self.code == "float" else self.moments.standard(j, x, h)))
            out += [(f, self.value(f, n)) for f in bins]
            mark = self.marks.get(j, 0) if self.hours else 0
            if mark % 64 < 32:
                weekday = j if mark > 1 else weekday
            elif weekday is not None:
                out.append(((weekday, j), 1.0))
        return out

    def count(self, row, y, h):
        row = tamed(row)
        if self.odds:
            self.add([f for bins in self.indicators(row, h) for f in bins], y, h)
        self.moments.add(row, h)


class Tuples(Binned):
    def __init__(
        self, order, code, resolution, unit=False, longest=32, chosen=None, few=10, numbers=False, names=False
    ):
        super().__init__(code)
        self.names, self.values = names, {}
        self.order, self.resolution, self.unit = order, resolution, unit
        self.longest, self.chosen, self.few = longest, chosen or longest, few
        self.made, self.combined, self.last = set(), 0, []
        self.labels = [] if numbers else None
        self.sums = {}
        self.classes = None  # of several: [(remainder of the class's number, weight, features)] of the rows learned

    def name(self, j, x):
        """Of a whole number, where few of j so far are different and come again: each has one of 62 cells."""
        values = self.values.get(j, [])
        if not self.names or not all(4 <= abs(each) < 2**17 and each == int(each) for each in (x, *values)):
            return None
        cells = {hashed(j, 2**15 + int(2 * abs(each)) + (each < 0)) % 62 for each in values}
        return (j, "whole", x) if 0 < len(cells) <= 55 and len(values) >= 8 * len(cells) else None

    def tells(self, j):
        if self.classes is not None:
            return self.chi2(j)
        if self.labels is None:
            return self.evidence(j)
        weight, total = self.sums.get(j, (0.0, 0.0))
        return abs(total) / math.sqrt(weight + 1)

    def chi2(self, j):
        """Of the table: with the feature or not expected to be independent of the class, the row of those with it."""
        every, own = np.zeros(8), np.zeros(8)
        for k, h, features in self.classes:
            every[k] += h
            own[k] += h if j in features else 0.0
        if not own.any():
            return 0.0
        expected = own.sum() * (every / every.sum())
        some = expected > 0
        return float(np.sum((own - expected)[some] * ((own - expected)[some] / expected[some])))

    def row(self, row, h):
        row = [(j, x) for j, x in tamed(row) if j != CONSTANT]
        if len(row) > self.longest:
            most = self.few if 3 * len(self.made) >= 2 * self.combined else self.chosen
            row = sorted(row, key=lambda entry: -self.tells(entry[0]))[:most]
        names = [self.name(j, x) or self.bin(j, x, h, self.resolution) for j, x in row]
        every = itertools.combinations_with_replacement if self.order == 2 else itertools.combinations
        self.last = found = [frozenset(names) for names in every(names, self.order)]
        return [(name, 1 / math.sqrt(len(found)) if self.unit else 1.0) for name in found]

    def count(self, row, y, h):
        row = [(j, x) for j, x in tamed(row) if j != CONSTANT]
        self.made.update(self.last)
        self.combined += len(self.last)
        self.moments.add(row, h)
        for j, x in row:
            if abs(x) >= 4:
                self.values.setdefault(j, []).append(x)
        if self.classes is not None:
            self.classes.append((int(y) % 8, h, {j for j, _ in row}))
            return
        if self.labels is None:
            self.add([j for j, _ in row], y, h)
            return
        mean = sum(y * h for y, h in self.labels) / sum(h for _, h in self.labels) if self.labels else 0.0
        self.labels.append((y, h))
        for j, _ in row:
            weight, total = self.sums.get(j, (0.0, 0.0))
            self.sums[j] = (weight + h, total + h * (y - mean))


class Neighbours(Binned):
    def __init__(self):
        super().__init__("float")
        self.made, self.combined, self.last = set(), 0, []

    def row(self, row, h):
        names = [self.bin(j, x, h, 1) for j, x in tamed(row) if j != CONSTANT]
        far = 2 * len(self.made) < self.combined
        self.last = []
        for i in range(len(names)):
            for gap in (1, 2, 3) if far else (1,):
                if i + gap < len(names):
                    self.last.append((gap, names[i], names[i + gap]))
            if far and i + 2 < len(names):
                self.last.append(tuple(names[i : i + 3]))
        return [(name, 1 / math.sqrt(len(self.last))) for name in self.last]

    def count(self, row, y, h):
        self.made.update(self.last)
        self.combined += len(self.last)


MASK = (1 << 31) - 1


def hashed(id, code):
    """61 bits out of the id of a feature and a code: four Feistel rounds."""
    product = ((id ^ (id >> 61)) & (2**61 - 1)) + code * 0x45EBCA77
    high, low = product >> 31, product & MASK
    for factors in ((0x2C1B3C6D, 0x297A2D39), (0x6C8E9CF5, 0x52DCE729)):
        high ^= (low * factors[0] >> 17) & MASK
        low ^= (high * factors[1] >> 17) & MASK
    return (high << 31 | low) >> 1


def gaussian(j, c):
    """A normal number of feature j and component c: Box and Muller's of the hash's 30 leading bits and the others."""
    key = hashed(j, c)
    return math.sqrt(-2 * math.log(((key >> 31) + 1) / 2**30)) * math.cos(2 * math.pi * (key & MASK) / 2**31)


class Fourier(Raw):
    """Cosines of projected z-scores, and the z-scores, of all features that rows learned from have had, absent ones 0.

    A feature's number is its place in the order in which rows learned from had it the first time, or from 64 features
    on the 4th time, if that is one of 512 rows; the times before count with that value.

    `marks`: of months, weekdays and hours of dates, as in `Batch.marks`. Unless values become z-scores, those of a part
    share the number of the first, with their ordinals as values, from a row with an hour on.

    `products`: of so many features, the first, the products of two are shown, too.
    """

    def __init__(self, components=600, widths=(0.5, 1.5), linear=0.5, rows="numbers", standard=True, products=0):
        super().__init__()
        self.width, self.linear, self.alone = np.repeat(widths, components // len(widths)), linear, not components
        self.standard, self.products = standard, products
        self.b = np.array([hashed(0, (1 << 19) + c) / 2**61 for c in range(components)])
        self.values, self.numbers, self.weight, self.directions, self.off = {}, [], 0.0, {}, False
        self.times, self.lengths, self.wide = Counter(), [], False
        self.rows, self.few, self.showing = rows, 512 if rows == "names" else 64, False
        self.marks, self.first, self.ordinals = {}, {}, {}

    def fit_transform(self, row, y, h, learn):
        n = len(self.lengths)
        most = min(2000, self.few + 8 * sum(self.lengths) // max(n, 1))
        self.off |= n > 0 and len(self.values) > most and not (self.wide and self.rows == "names")
        if self.off:
            return []
        own = dict(tamed(row))
        in_order = {self.first_of(j): x * self.ordinals.get(j, 1) for j, x in own.items()}
        out = self.shown(in_order, h) if self.showing else []
        if learn:
            self.wide = self.showing and self.is_table()
            most = (most if self.rows == "names" else 2000) if self.wide else math.inf
            self.times.update(j for j, _ in row)
            hours = any(self.marks.get(j, 0) % 64 >= 32 for j, _ in row)
            for j, _ in row:
                group, ordinal = divmod(self.marks.get(j, 0), 64)
                if ordinal > 1 and not self.standard and (hours or group in self.first):
                    self.values.setdefault(self.first.setdefault(group, j), [(0.0, h)])
                    self.ordinals[j] = ordinal % 32
                j = self.first_of(j)
                if j in self.values:
                    self.values[j].append((own.get(j, 0.0), h))
                elif len(self.values) < 64 or (self.times[j] >= max(4, n / 512) and len(self.values) < most):
                    self.values[j] = [(own.get(j, 0.0), min(self.times[j] * h, self.weight + h))]
            values = [x for j, x in own.items() if j != CONSTANT]
            self.lengths.append(len(values))
            counts = [x for x in values if x in range(1, 10)]
            self.numbers.append(
                self.rows == "all" or counts != values or 4 * (len(counts) - counts.count(1)) >= max(len(counts), 1)
            )
            self.weight += h
            names, entries = len(self.times), sum(self.lengths)
            dense = 16 * names <= entries and names <= 6 * np.mean(self.lengths)
            few = self.rows == "names" and names <= 2000 and (dense or self.is_table())
            self.showing |= n + 1 >= 16 and (few or np.mean(self.numbers) >= 0.5)
        return out

    def is_table(self):
        again = 16 * len(self.times) <= sum(self.lengths)
        return again and np.var(self.lengths) <= np.mean(self.lengths) ** 2 / 32

    def first_of(self, j):
        return self.first[self.marks[j] // 64] if j in self.ordinals else j

    def z(self, j, x, h):
        """Of the value x, or None while all are equal."""
        if not self.standard:
            return x if j != CONSTANT else None
        if j == CONSTANT:
            return None
        has = [*self.values[j], (x, h or 1.0)]
        others = max(self.weight + (h or 1.0) - sum(weight for _, weight in has), 0.0)  # of the rows without it
        u = deviation(x, [(0.0, others), *has])
        return None if u is None else min(max(u, -4.0), 4.0)

    def shown(self, row, h):
        z = [self.z(j, row.get(j, 0.0), h) for j in self.values]
        d = max(sum(each is not None for each in z), 1)
        z = np.array([each or 0.0 for each in z])
        if self.alone:
            out, factors = [("constant", row.get(CONSTANT, 0.0))], np.clip(z, -1e40, 1e40)
            for k, j in enumerate(self.values):
                out.append((("z", j), z[k]))
                if k < self.products:
                    own = zip(list(self.values)[: k + 1], factors[: k + 1] * factors[k], strict=True)
                    out += [((i, "times", j), x) for i, x in own]
            return out
        W = np.array([self.direction(j) for j in self.values])
        phi = np.sqrt(2 / len(self.b)) * np.cos(self.width * (z @ W) / math.sqrt(d) + 2 * math.pi * self.b)
        out = [(("wave", c), value) for c, value in enumerate(phi.tolist())] + [("constant", row.get(CONSTANT, 0.0))]
        shown = zip(self.values, z, strict=True) if self.linear else ()
        return out + [(("z", j), self.linear * each / math.sqrt(d)) for j, each in shown]

    def direction(self, j):
        if j not in self.directions:
            self.directions[j] = [gaussian(j, c) for c in range(len(self.b))]
        return self.directions[j]


#: Values of views for quick tests, where they are not those of the table.
FEWER = {"fourier": {"components": 24}, "fourier-few": {"components": 24}}
#: Written out, not taken from the table: what each name of the table must mean.
TWINS = {
    "raw": lambda: Raw(),
    "log": lambda: Scaled(constant=False),
    "lunit": lambda: Scaled(unit=True),
    "tfidf": lambda: Scaled(unit=True, idf=True),
    "zs": lambda: Standard(),
    "bins": lambda: Bins("float", (1, 3), itself=True),
    "bins-z": lambda: Bins("z", (1, 3), itself=True),
    "ranges": lambda: Bins("float", (1, 3), hours=True),
    "indicators": lambda: Bins("float", (1, 3), constant=False),
    "odds": lambda: Bins("float", (2,), odds=True),
    "pairs": lambda: Tuples(2, "float", 1, names=True),
    "pairs-fine": lambda: Tuples(2, "float", 3, unit=True, longest=20),
    "pairs-z": lambda: Tuples(2, "z", 2),
    "neighbours": lambda: Neighbours(),
    "triples": lambda: Tuples(3, "float", 1, longest=16, few=8),
    "triples-z": lambda: Tuples(3, "z", 1, unit=True, longest=24, chosen=16, few=8),
    "columns": lambda: Fourier(0, standard=False, rows="names"),
    "stacked": lambda: Fourier(0, standard=False, rows="names"),  # before it is shown what members say
    "products": lambda: Fourier(0, standard=False, products=12),
    "zs-all": lambda: Fourier(0),
    "fourier": lambda: Fourier(**FEWER["fourier"]),
    "fourier-few": lambda: Fourier(**FEWER["fourier-few"], widths=(1.0,), linear=0.0),
}
