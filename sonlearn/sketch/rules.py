"""The shrink rules of frequent directions and its relatives, as values; the options of ``sonlearn sketch``.

Without numpy: the command line and the online learner read them.

A sketch holds rows until there are `buffer` of them (N). Their squared singular values s_1 >= ... >= s_N then become

    s'_j = max(s_j - c_j, 0),    c_j = max(w_j delta, s_low),    delta = min(s_i, lambda s_q / max w),

[GFD] Alg. 6 with delta = H(w, S) as its mGFD has it: weights w_j in [0, 1], delta from the i-th square, lambda >= 1 and
the cap w_j delta <= lambda s_q, and perhaps a least decrease s_low. With H = (1/lambda) (w_1 + .. + w_q), Delta the sum
of all delta, and every k < H ([GFD] Theorem 1, Lemma 4, Theorem 2):

    0 <= A'A - B'B <= Delta I,    Delta <= ||A||_F^2 / H,    Delta <= ||A - A_k||_F^2 / (H - k)
    ||A - A V_k V_k'||_F^2 <= (1 + k / (H - k)) ||A - A_k||_F^2,    V_k the top k directions of B.

They hold after a merge as well, where the Deltas add: H Delta <= ||A||_F^2 - ||B||_F^2 is all that they need.

| name | i, q of N rows | weights | H |
|---|---|---|---|
| fd ([RFD] Alg. 4; Alg. 1 with N = l) | l, l of 2l | 1 | l |
| rfd ([RFD] Alg. 5; Alg. 2 with N = l) | as fd | 1 | l, and half the error: alpha grows by delta / 2 |
| cfd (Desai et al.) | as fd | 1 | l; the output's squares are raised by Delta |
| pfd ([RFD] sec. 6.1, 6.2) | as fd | 0, then 1 on floor(beta l), pivot included | floor(beta l) |
| isvd, the greedy one | as fd | 0 before the pivot | 1: no useful bound |
| fd-last ([GFD] Alg. 3) | l, l of l | 1 | l |
| fd-half ([GFD] Alg. 2, Liberty 2013) | l/2, l/2 of l | 1 | l/2 |
| alpha-fd ([GFD] Alg. 4; 0.2-FD) | l, l of l | 0, then 1 on ceil(alpha l) | ceil(alpha l) |
| mgfd ([GFD] sec. 4) | percentiles sigma_i and p of l | sigmoid in j | (1/lambda) sum of w_j to q |
| fd-ramp (ours) | a percentile of l, both | sigmoid in j, 1 from the pivot on | 1 + sum of w_j before q |

**What stands open in [GFD], and how it is read here.** Percentiles count from the right: sigma_pl stands at the place
(1 - p) l + 1 (its sec. 3.2, "integrality"), pl rounded to a whole number, at least 1. The cap scales delta, as Alg. 6
has it; ``clip=True`` cuts each decrease instead (c_j = min(w_j s_i, lambda s_q)), the other reading, for which the
theorems hold with the same H and delta = min(s_i, lambda s_q). sigma_i and sigma_{p_low l} are squared like everything
they are compared with. The sigmoid is that of the Matlab listing, 1 / (1 + exp((omega'/l) (tau' l - j))), j = 1..l; the
text's omega' = omega / l contradicts it, and the listing's last index, length - 1, would leave the last row without a
weight. l (1 - alpha) need not be whole: the first floor(l (1 - alpha)) directions keep what they have. p_low is
optional there; here a rule that might free no row is refused. The theorems need p_low at most p and sigma_i's
percentile, which is checked.

fd-ramp keeps the paper's idea where it pays: weights that rise, and many rows freed by one decomposition. From the
pivot on all weights are 1, so those rows go whatever the spectrum.

**Which rows count.** [RFD] counts rows: after a shrink l - 1 places are taken, vanished directions and rows of zeros
included (`recycle` False). In [GFD] and Liberty (2013) a row of zeros is a free place (`recycle` True).

**For the online learner** (`terms`): the same entries say how many of m directions pay for a shrink, by how much alpha
grows, and whether the kept squares are read with Delta added. It counts every row that it has learned from.

Sources: [RFD] Luo, Chen, Zhang, Li, Zhang, JMLR 20(45), 2019; [GFD] Liao, "Frequent Directions for Matrix Sketching
with Provable Bounds: A Generalized Approach", 2014; Desai, Ghashami & Phillips, IEEE TKDE 28(7), 2016; Liberty, KDD
2013.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from sonlearn.errors import OptionError
from sonlearn.options.spec import check_fields, option


@dataclass(frozen=True)
class Rule:
    """Values of the shrink step (see the module's text). Places are 1-based, from the strongest direction on.

    Attributes
    ----------
    name : str
        For messages and files.
    buffer : int
        N: a shrink is due when that many rows are held.
    size : int
        Most rows of the output B, below N; more rows than that are shrunk once more for the output only.
    pivot : int
        i, the place of the square that delta begins as.
    cap : int
        q = (1 - p) l + 1, the place of the square that bounds w_j delta.
    weights : tuple of float
        w_1, w_2, ... in [0, 1]; those that are not given, up to w_N, are 1. Ones at the end are left out.
    low : int or None
        Place of the least decrease of every square, max(pivot, cap) or beyond; None: no least decrease.
    lam : float >= 1
        lambda.
    clip : bool
        Cut each decrease at the cap instead of scaling delta.
    gain : float in [0, 1]
        alpha grows by gain * delta: 1/2 is RFD, 0 leaves alpha alone.
    restore : bool
        Raise the output's squares by Delta (CFD).
    recycle : bool
        Whether rows of zeros, vanished directions and rows that come as zeros alike, are free places. If not, every row
        counts, and the next shrink comes after N - `most` more rows whatever the rank.

    Raises
    ------
    OptionError
        A value is out of range, or a shrink might free no row.
    """

    name: str
    buffer: int
    size: int
    pivot: int
    cap: int
    weights: tuple[float, ...] = ()
    low: int | None = None
    lam: float = 1.0
    clip: bool = False
    gain: float = 0.0
    restore: bool = False
    recycle: bool = False

    def __post_init__(self) -> None:
        least = max(self.pivot, self.cap)
        for value, low, high, what in (
            (self.pivot, 1, self.buffer, "pivot"),
            (self.cap, 1, self.buffer, "place of the cap"),
            (least if self.low is None else self.low, least, self.buffer, "place of the least decrease"),
            (self.lam, 1, math.inf, "lambda"),
            (self.gain, 0, 1, "gain"),
        ):
            if not low <= value <= high or value == math.inf:
                raise OptionError(f"{self.name}: {what} {value:g}: expected {low:g} to {high:g}")
        if len(self.weights) > self.buffer or not all(0 <= w <= 1 for w in self.weights):
            raise OptionError(f"{self.name}: expected at most {self.buffer} weights in [0, 1]")
        given = max((place for place, w in enumerate(self.weights, 1) if w != 1), default=0)
        object.__setattr__(self, "weights", self.weights[:given])
        if self.most >= self.buffer:
            raise OptionError(f"{self.name}: a shrink might free no row; end the weights with 1, or give p_low")
        if not self.most <= self.size < self.buffer:
            raise OptionError(f"{self.name}: size {self.size}: expected {self.most} to {self.buffer - 1}")

    @property
    def most(self) -> int:
        """Most directions that survive a shrink: none from `low` on, nor where w = 1 and delta >= s_j for certain."""
        ends = [self.buffer + 1 if self.low is None else self.low]
        if len(self.weights) < self.buffer:
            ends.append(max(len(self.weights) + 1, self.pivot, self.cap))
        return min(ends) - 1

    @property
    def h(self) -> float:
        """H = (1/lambda) (w_1 + ... + w_q), the number of directions that pay for a shrink."""
        return (math.fsum(self.weights[: self.cap]) + max(0, self.cap - len(self.weights))) / self.lam

    def guarantee(self, k: int = 0) -> float:
        """Factor g of Lemma 4: the covariance error is at most g * ||A - A_k||_F^2; inf where there is no bound."""
        if k >= self.h:
            return math.inf
        return max(self.gain, 1 - self.gain) / (self.h - k)


# -- [RFD]: l - 1 rows out of a longer buffer --------------------------------------------------------------------------


def _positive(size: int, name: str, low: int = 1) -> int:
    if size < low:
        raise OptionError(f"{name}: sketch size {size}: expected at least {low}")
    return int(size)


def _doubled(name: str, size: int, buffer: int | None, free: int = 0, **values) -> Rule:
    """`free` is the number of strong directions that do not pay."""
    size = _positive(size, name)
    return Rule(name, 2 * size if buffer is None else int(buffer), size - 1, size, size, (0.0,) * free, **values)


def fd(size: int, buffer: int | None = None, **values) -> Rule:
    """FD: l - 1 rows out of `buffer` (default 2 l, [RFD] Alg. 4; ``buffer=l`` is the exact row-by-row Alg. 1)."""
    return _doubled("fd", size, buffer, **values)


def rfd(size: int, buffer: int | None = None, **values) -> Rule:
    """RFD ([RFD] Alg. 2; Alg. 5 with the doubled buffer): FD, and alpha grows by half of every delta."""
    return _doubled("rfd", size, buffer, gain=0.5, **values)


def cfd(size: int, buffer: int | None = None, **values) -> Rule:
    """Compensative FD (Desai et al. 2016): FD whose output is raised by Delta in the kept directions."""
    return _doubled("cfd", size, buffer, restore=True, **values)


def pfd(size: int, share: float = 0.2, buffer: int | None = None, **values) -> Rule:
    """PFD-beta ([RFD] sec. 6.1, 6.2, Desai et al. 2016): a shrink lowers only the last floor(share * l) directions.

    The pivot is one of them. floor(share * l) = 0 would be iSVD and is refused.
    """
    size = _positive(size, "pfd")
    paying = math.floor(share * size * (1 + 1e-12))
    return _doubled("pfd", size, buffer, size - _share(paying, "pfd", size, share), **values)


def isvd(size: int, buffer: int | None = None, **values) -> Rule:
    """Incremental SVD: keep the best l - 1 directions, forget the rest. Greedy, without a useful bound."""
    return _doubled("isvd", size, buffer, size - 1, **values)


def _share(paying: int, name: str, size: int, share: float) -> int:
    if not 1 <= paying <= size:
        raise OptionError(f"{name}: share {share:g} of {size} rows: expected at least one row and at most all of them")
    return paying


# -- [GFD]: within l rows in all ---------------------------------------------------------------------------------------


def _within(name: str, size: int, pivot: int, cap: int, weights: Iterable[float] = (), **values) -> Rule:
    return Rule(name, size, size - 1, pivot, cap, tuple(map(float, weights)), **({"recycle": True} | values))


def fd_last(size: int, **values) -> Rule:
    """FD-last ([GFD] Alg. 3, Ghashami & Phillips 2014): all pay the last square: one decomposition a row."""
    return _within("fd-last", _positive(size, "fd-last", 2), size, size, **values)


def fd_half(size: int, **values) -> Rule:
    """FD as Liberty (2013) has it ([GFD] Alg. 2): all pay the square at l/2, and half of the rows go."""
    middle = _positive(size, "fd-half", 2) // 2
    return _within("fd-half", size, middle, middle, **values)


def alpha_fd(size: int, share: float = 0.2, **values) -> Rule:
    """alpha-FD ([GFD] Alg. 4, there 0.2-FD): the last ceil(share * l) directions pay the last square."""
    size = _positive(size, "alpha-fd", 2)
    paying = _share(math.ceil(share * size * (1 - 1e-12)), "alpha-fd", size, share)
    return _within("alpha-fd", size, size, size, (0.0,) * (size - paying), **values)


def gfd(
    size: int, weights: Iterable[float], p: float, sigma: float | None = None, *, p_low: float | None = None, **values
) -> Rule:
    """GFD ([GFD] Alg. 5, 6): any weights w_1..w_l, and delta from a percentile of the squared singular values.

    Parameters
    ----------
    weights : float[l]
        Fewer: the last ones are 1.
    p : float in (0, 1]
        Percentile of the cap, w_j delta <= lambda sigma_pl^2; from the right, so 1 is the strongest direction.
    sigma : float in (0, 1] or None
        Percentile that delta begins as; None: p.
    p_low : float in (0, 1] or None
        Percentile of the least decrease, at most p and sigma.
    values
        ``lam``, ``clip``, ``name`` and what else `Rule` takes.
    """
    name = values.pop("name", "gfd")
    size = _positive(size, name, 2)
    places = [None if q is None else percentile_place(q, size, name) for q in (p if sigma is None else sigma, p, p_low)]
    return _within(name, size, *places[:2], weights, low=places[2], **values)


def mgfd(
    size: int, offset: float = 0.9, steepness: float = 50.0, sigma: float = 0.7, p: float = 0.1,
    p_low: float | None = 0.01, **values,
) -> Rule:  # fmt: skip
    """mGFD ([GFD] sec. 4 and 5.5): sigmoid weights with tau' = `offset` and omega' = `steepness`; sigma_i, p and p_low.

    The defaults are those of its Spam and Birds figures; Adversarial has .7, 10, .1, .1. `values`: ``lam``, ``clip``.
    """
    size = _positive(size, "mgfd", 2)
    weights = sigmoid(size, offset, steepness, "mgfd")
    return gfd(size, weights, p, sigma, p_low=p_low, **({"name": "mgfd"} | values))


def fd_ramp(
    size: int, offset: float = 0.6, steepness: float = 20.0, percentile: float = 0.8, least: float = 0.1, **values
) -> Rule:
    """Ours, after mGFD: weights rise like a sigmoid up to the pivot, and the pivot and all rows after it go.

    The pivot stands at `percentile` of the l directions, from the left, so that one decomposition frees
    (1 - percentile) l rows. `least` is the smallest share of rows freed at once: n rows never need more than about
    n / (least * l) decompositions, whatever the percentile.
    """
    size = _positive(size, "fd-ramp", 2)
    for value, what in ((percentile, "percentile"), (least, "least share")):
        _unit(value, f"fd-ramp: {what}")
    pivot = max(1, min(math.ceil(percentile * size), size - math.ceil(least * size) + 1))
    return _within("fd-ramp", size, pivot, pivot, sigmoid(size, offset, steepness, "fd-ramp")[: pivot - 1], **values)


def sigmoid(size: int, offset: float, steepness: float, name: str = "sigmoid") -> list[float]:
    """w_j = 1 / (1 + exp((steepness / l) (offset * l - j))), j = 1..l ([GFD]'s Matlab listing)."""
    _unit(offset, f"{name}: offset")
    if not 0 <= steepness < math.inf:
        raise OptionError(f"{name}: steepness {steepness:g}: expected a finite number, at least 0")
    return [1 / (1 + math.exp(min(700.0, -steepness * (j / size - offset)))) for j in range(1, size + 1)]


def percentile_place(p: float, size: int, name: str = "gfd") -> int:
    """The place, from the left, of sigma_pl: (1 - p) l + 1 with p l rounded to a whole number, at least 1."""
    if not 0 < p <= 1:
        raise OptionError(f"{name}: percentile {p:g}: expected more than 0 and at most 1")
    return size - max(1, math.floor(p * size + 0.5)) + 1


def _unit(value: float, what: str) -> None:
    if not 0 <= value <= 1:
        raise OptionError(f"{what} {value:g}: expected 0 to 1")


#: Shrink rules by the name the command line knows them by; each takes the sketch size first.
RULES = {
    "rfd": rfd, "fd": fd, "cfd": cfd, "pfd": pfd, "isvd": isvd,
    "fd-last": fd_last, "fd-half": fd_half, "alpha-fd": alpha_fd, "mgfd": mgfd, "fd-ramp": fd_ramp,
}  # fmt: skip


# -- for the online learner --------------------------------------------------------------------------------------------


class Terms(NamedTuple):
    """What a shrink of the online learner is, beyond keeping m - 1 directions: fd-son, rfd-son, pfd-son, cfd-son.

    Attributes
    ----------
    payers : int
        Of the squares s_1 >= .. >= s_m the last that many lose s_m: directions m - payers + 1 to m, from the strongest.
    gain : float
        alpha grows by gain * s_m.
    restore : bool
        The kept squares are read with Delta, the sum of all s_m so far, added.
    """

    payers: int
    gain: float
    restore: bool


def terms(name: str, m: int, beta: float | None = None) -> Terms:
    """The rule `name` (rfd, fd, cfd, pfd, isvd) of sketch size m, as the online learner takes it.

    `beta` is the share of payers of pfd (default .2: floor(beta m) of m); the others have none, and pay with all m.

    Raises
    ------
    OptionError
        An unknown name, a rule that is no such sketch, or a value out of range.
    """
    known = ("rfd", "fd", "cfd", "pfd", "isvd")
    if name not in known:
        raise OptionError(f"shrink rule {name}: expected one of {', '.join(known)}")
    if beta is not None and name != "pfd":
        raise OptionError(f"shrink rule {name} has no beta; pfd has")
    rule = RULES[name](m) if beta is None else pfd(m, beta)
    return Terms(m - len(rule.weights), rule.gain, rule.restore)


# -- for the command line ---------------------------------------------------------------------------------------------


#: Every method `make_sketch` knows; all but the last four are values of one shrink rule.
METHODS = (*RULES, "gauss", "sign", "sample", "oja")


@dataclass(frozen=True)
class SketchOptions:
    """Method and settings of a sketch. Frozen; checked on construction.

    Raises
    ------
    OptionError
        A value is out of range. (Whether a method takes a setting is checked by `make_sketch`.)
    """

    method: str = option("rfd", "how to sketch", choices=METHODS)
    size: int = option(100, "rows l of the sketch", flags=("-l", "--size"), low=1, metavar="L")
    alpha: float = option(0.0, "alpha_0, to which rfd adds", low=0.0, metavar="A")
    buffer: int | None = option(
        None, "rows held before a shrink: 2 l by default; l is row by row, more is faster and more accurate", low=1,
        metavar="N",
    )  # fmt: skip
    share: float | None = option(
        None, "share of the directions that a shrink lowers (pfd, alpha-fd; 0.2 by default)", above=0.0, high=1.0,
        metavar="S",
    )  # fmt: skip
    nonzeros: int | None = option(
        None, "nonzeros in a column of the projection (sign; 4 by default)", low=1, metavar="N"
    )
    seed: int | None = option(None, "of the random numbers (gauss, sign, sample)", low=0, metavar="S")

    recycle: bool = option(
        False, "free the rows of vanished directions at once (rfd, fd, cfd, pfd, isvd; the papers count them)"
    )

    def __post_init__(self) -> None:
        check_fields(self)
        if self.alpha == float("inf"):
            raise OptionError("--alpha inf: expected a finite number")

    def values(self) -> dict[str, Any]:
        """Keywords for `make_sketch` beyond method and size: those that were given."""
        names = ("buffer", "share", "nonzeros", "seed")
        given = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        given |= {"recycle": True} if self.recycle else {}
        return given | ({"alpha": self.alpha} if self.alpha else {})
