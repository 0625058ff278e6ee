"""The shrink step of the frequent-directions family: one rule, whose values are the published variants.

A sketch holds rows until there are `rows` of them (N below). Their squared singular values s_1 >= ... >= s_N are then
lowered to

    s_i - lam * w_i * s_p   (i < p),        0   (i >= p),

with p the pivot, w_1 .. w_{p-1} weights in [0, 1] and lam in [0, 1]. Nothing becomes negative, at most p - 1 rows
survive, and no direction loses more than delta = s_p. A shrink removes at least H * s_p from the trace, with

    H = 1 + lam * sum(w),

which gives both theorems with one constant. Let Delta be the sum of all delta. For every k < H

    ||A'A - B'B||_2 <= Delta <= ||A - A_k||_F^2 / (H - k)                                   (Theorem 1)
    ||A - A V_k V_k'||_F^2 <= H / (H - k) * ||A - A_k||_F^2,  V_k the top k of B            (Theorem 2)

because H * Delta <= ||A||_F^2 - ||B||_F^2 <= ||A - A_k||_F^2 + k * Delta. A merge adds the Deltas and keeps the trace
inequality, so the same bounds hold for merged sketches.

| variant | p of N rows | weights | lam | H |
|---|---|---|---|---|
| FD, row by row ([RFD] Alg. 1) | l of l | 1 | 1 | l |
| FD, doubled buffer ([RFD] Alg. 4) | l of 2l | 1 | 1 | l |
| FD as Liberty (2013) halves it, l rows in all | l/2 of l | 1 | 1 | l/2 |
| FD-last | l of l | 1 | 1 | l |
| alpha-FD = PFD (Desai et al. 2016) | l | 1 on the last floor(alpha l), pivot included; else 0 | 1 | floor(alpha l) |
| iSVD, the greedy one | l | 0 | 0 | 1: no useful bound |
| mGFD | fraction of N | sigmoid in i | 1 | 1 + sum |
| RFD ([RFD] Alg. 2, 5) | as FD | 1 | 1 | l, and half the error: alpha grows by delta / 2 |
| CFD (Desai et al.) | as FD | 1 | 1 | l; the output's squared singular values are raised by Delta |

Sources: [RFD] Luo, Chen, Zhang, Li, Zhang, JMLR 20(45), 2019; Desai, Ghashami & Phillips, IEEE TKDE 28(7), 2016;
[GFD] Liao, "Frequent Directions for Matrix Sketching with Provable Bounds: A Generalized Approach", 2014. The text of
[GFD] was not at hand: that a weight vector w, a constant H, a pivot p and a scale lambda describe the family, and that
mGFD has sigmoid weights, is from there; the exact form above and the proof of its bounds are ours. "FD-last" is read as
"only the last direction is zeroed", which is FD row by row with all l rows used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sonlearn.errors import OptionError


@dataclass(frozen=True)
class Rule:
    """Values of the shrink step (see the module's text).

    Attributes
    ----------
    name : str
        For messages and files.
    rows : int
        N: a shrink is due when that many rows are held.
    pivot : int
        p, 1-based, 1 <= p <= N; at most p - 1 rows survive a shrink.
    size : int
        Most rows of the output B, p - 1 <= size < N; a larger buffer is shrunk once more for the output only.
    weights : tuple of float, length p - 1
        w_i in [0, 1] of the directions before the pivot.
    lam : float in [0, 1]
    gain : float in [0, 1]
        alpha grows by gain * delta: 1/2 is RFD, 0 leaves alpha alone.
    restore : bool
        Raise the output's squared singular values by Delta (CFD).
    recycle : bool
        Whether a direction that became exactly zero frees its row at once. If not, the next shrink comes after
        N - p + 1 more rows whatever the rank.

    Raises
    ------
    OptionError
    """

    name: str
    rows: int
    pivot: int
    size: int
    weights: tuple[float, ...]
    lam: float = 1.0
    gain: float = 0.0
    restore: bool = False
    recycle: bool = True

    def __post_init__(self) -> None:
        for value, low, high, what in (
            (self.pivot, 1, self.rows, "pivot"),
            (self.size, self.pivot - 1, self.rows - 1, "size"),
            (self.lam, 0, 1, "lambda"),
            (self.gain, 0, 1, "gain"),
        ):
            if not low <= value <= high:
                raise OptionError(f"{self.name}: {what} {value:g}: expected {low:g} to {high:g}")
        if len(self.weights) != self.pivot - 1 or not all(0 <= w <= 1 for w in self.weights):
            raise OptionError(f"{self.name}: expected {self.pivot - 1} weights (one before the pivot) in [0, 1]")

    @property
    def h(self) -> float:
        """H, the number of directions that pay for a shrink."""
        return 1 + self.lam * math.fsum(self.weights)

    def shrink(self, squares: np.ndarray) -> tuple[np.ndarray, float]:
        """Squared singular values float64[n] in descending order, n >= p -> the p - 1 kept ones, and delta = s_p."""
        delta = float(squares[self.pivot - 1])
        kept = squares[: self.pivot - 1]
        return np.maximum(kept - self.lam * np.asarray(self.weights) * delta, 0.0), delta

    def guarantee(self, k: int = 0) -> float:
        """Factor g of Theorem 1: the covariance error is at most g * ||A - A_k||_F^2; inf where there is no bound."""
        if k >= self.h:
            return math.inf
        return max(self.gain, 1 - self.gain) / (self.h - k)


def _positive(size: int, name: str, low: int = 1) -> int:
    if size < low:
        raise OptionError(f"{name}: sketch size {size}: expected at least {low}")
    return int(size)


def _doubled(name: str, size: int, buffer: int | None, weights: tuple[float, ...] | None = None, **values) -> Rule:
    size = _positive(size, name)
    rows = 2 * size if buffer is None else int(buffer)
    return Rule(name, rows, size, size - 1, (1.0,) * (size - 1) if weights is None else weights, **values)


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
    """alpha-FD = PFD (Desai et al. 2016; [RFD] sec. 6.2): only the last floor(share * l) directions pay.

    The pivot is one of them. floor(share * l) = 0 would be iSVD and is refused.
    """
    size = _positive(size, "pfd")
    paying = math.floor(share * size * (1 + 1e-12))
    if not 1 <= paying <= size:
        raise OptionError(f"pfd: share {share:g} of {size} rows: expected at least one row and at most all of them")
    return _doubled("pfd", size, buffer, (0.0,) * (size - paying) + (1.0,) * (paying - 1), **values)


def isvd(size: int, buffer: int | None = None, **values) -> Rule:
    """Incremental SVD: keep the best l - 1 directions, forget the rest. Greedy, without a useful bound."""
    return _doubled("isvd", size, buffer, (0.0,) * (size - 1), lam=0.0, **values)


def fd_last(size: int, **values) -> Rule:
    """FD-last ([GFD]): l rows, only the last direction is zeroed: one decomposition a row."""
    return gfd(size, (1.0,) * (_positive(size, "fd-last", 2) - 1), name="fd-last", **values)


def fd_half(size: int, **values) -> Rule:
    """FD as Liberty (2013) has it, within l rows in all: the pivot is the middle direction, half of the rows go."""
    pivot = _positive(size, "fd-half", 2) // 2
    return gfd(size, (1.0,) * (pivot - 1), pivot, name="fd-half", **values)


def gfd(size: int, weights, pivot: int | None = None, lam: float = 1.0, *, name: str = "gfd", **values) -> Rule:
    """Any weights float[p - 1], pivot p (default l) and lambda, within l rows in all."""
    pivot = size if pivot is None else pivot
    return Rule(name, int(size), int(pivot), int(size) - 1, tuple(float(w) for w in weights), float(lam), **values)


def mgfd(
    size: int,
    offset: float = 0.6,
    steepness: float = 20.0,
    percentile: float = 0.8,
    least: float = 0.1,
    **values,
) -> Rule:
    """mGFD ([GFD]): weights that rise like a sigmoid from the strong to the weak directions, within l rows in all.

    w_i = 1 / (1 + exp(-steepness * (i / l - offset))), and the pivot stands at `percentile` of the l directions, so
    that one decomposition frees (1 - percentile) l rows. `least` is the smallest share of rows freed at once: n rows
    never need more than about n / (least * l) decompositions, whatever the percentile.

    The parametrisation and the defaults are ours: [GFD] was not at hand (see the module's text).
    """
    size = _positive(size, "mgfd", 2)
    for value, what in ((offset, "offset"), (percentile, "percentile"), (least, "least share")):
        if not 0 <= value <= 1:
            raise OptionError(f"mgfd: {what} {value:g}: expected 0 to 1")
    pivot = max(1, min(math.ceil(percentile * size), size - math.ceil(least * size) + 1))
    position = np.arange(1, pivot) / size
    weights = 1 / (1 + np.exp(-np.clip(steepness * (position - offset), -700, 700)))
    return gfd(size, weights, pivot, name="mgfd", **values)


#: Shrink rules by the name the command line knows them by; each takes the sketch size first.
RULES = {
    "rfd": rfd, "fd": fd, "cfd": cfd, "pfd": pfd, "isvd": isvd,
    "fd-last": fd_last, "fd-half": fd_half, "mgfd": mgfd,
}  # fmt: skip
