"""A lower bound of a mean that holds at all times, in constant memory.

Let X_i >= -k_i, with k_i known before X_i, have conditional means v_i. For kappa > 0

    prod_i (1 + kappa (X_i + k_i)) / (1 + kappa (v_i + k_i))

is a martingale that begins with 1, and so is a mixture of these over kappa; it exceeds 1/alpha at any time with a
probability of alpha at most (Ville). What is asked for is v, the mean of v_1..v_t: the v_i may differ, so the
denominator has to be the greatest that there can be. Its logarithm is concave: where all k_i are equal it is
(1 + kappa (v + k))^t, else v_i + k_i has to be as even as v_i within [low, high] allow (`even_means`). The bound is the
least v for which the mixture is below 1/alpha. Of the past only sum_i log(1 + kappa (X_i + k_i)) counts, whatever v:
one number for each kappa; and how often k_i was of which size.

It is the betting sequence of Waudby-Smith, Wu, Ramdas, Karampatziakis, Mineiro (Anytime-valid off-policy inference for
contextual bandits, 2022, section 2) with the bet lambda written as kappa/(1 + kappa (v + k)), and in the place of bets
that follow the past a mixture over fixed ones (as Karampatziakis, Mineiro, Ramdas, Off-policy confidence sequences,
2021), which needs no past and loses less.

A mixture has to divide its weight: over all numbers of rows and all variances, or, where it was said beforehand after
how many rows the bound is wanted (`prior`), over few. No bound of s_t c/sqrt(t) that holds with 97.5 % at all times can
have c = 1.5 * 1.96 over more than a factor of 20 of t s^2: a Brownian motion crosses c sqrt(t) at a rate of
c phi(c)/2 for each unit of log t.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq

#: The bets of the mixture. The best one after t rows of variance s^2 is about 3/(s sqrt(t)).
KAPPA = 2.0 ** (np.arange(-36, 13) / 2.0)
_LEAST, _MOST = 1e-4, 2.0
#: After as many rows as were expected the best bet is within these over the root of their number, if the rows are of 0
#: and 1 (s from .27 to .5).
_BEST = 6.0, 11.0
#: How near a bound is to the root.
_NEAR = 1e-12
#: Rows are counted by the power of two that their shift is in: from 2^-16 on.
_LEVELS, _LOWEST = 64, -16


def prior(horizon: int | None = None) -> np.ndarray:
    """Weight of each bet, by its logarithm.

    Without a `horizon` it is even within [1e-4, 2] and falls with the square of the distance beyond. With one it is
    even within `_BEST` over its root, and falls with the third power below, for rows of more variance or more of them,
    and with the sixth above.
    """
    u = np.log(KAPPA)
    low, high = (_LEAST, _MOST) if horizon is None else tuple(one / math.sqrt(horizon) for one in _BEST)
    powers = (2, 2) if horizon is None else (3, 6)
    below, above = np.maximum(math.log(low) - u, 0.0), np.maximum(u - math.log(high), 0.0)
    weight = 1.0 / ((1.0 + below) ** powers[0] * (1.0 + above) ** powers[1])
    return weight / weight.sum()


class LowerSequence:
    """Lower bounds of the running mean of variables of which only a lower bound is known.

    Parameters
    ----------
    low, high : float
        Each variable has a mean within these.
    shares : sequence of float
        Weights, of sum 1, of alternatives: variables of the same mean, of which different lower bounds are known.
    horizon : int or None
        After about as many rows the bound is to be nearest; it holds at all times, whatever is said here beforehand.

    Attributes
    ----------
    count : int
        Rows so far.
    """

    def __init__(
        self,
        low: float = 0.0,
        high: float = 1.0,
        shares: tuple[float, ...] = (1.0,),
        horizon: int | None = None,
    ):
        self.low, self.high, self.count = low, high, 0
        self._sums = np.zeros((len(shares), len(KAPPA)))
        self._counts = np.zeros((len(shares), _LEVELS))
        self._shifts = np.zeros((len(shares), _LEVELS))
        self._log_prior = np.log(np.array(shares))[:, None] + np.log(prior(horizon))

    def add(self, values: np.ndarray, shifts: np.ndarray) -> None:
        """Add rows.

        Parameters
        ----------
        values : float64[n, alternatives]
        shifts : float64[n, alternatives]
            ``values >= -shifts``; a row's shifts were known before its values.
        """
        n = len(values)
        if not n:
            return
        terms = np.empty((n + 1, *self._sums.shape))
        terms[0] = self._sums
        np.multiply((values + shifts)[:, :, None], KAPPA, out=terms[1:])
        np.log1p(terms[1:], out=terms[1:])
        self._sums = np.cumsum(terms, axis=0)[-1]  # row by row, so that where a batch ends changes no bit
        at = np.broadcast_to(np.arange(values.shape[1]), shifts.shape), level_of(shifts)
        np.add.at(self._counts, at, 1.0)
        np.add.at(self._shifts, at, shifts)
        self.count += n

    def log_wealth(self, v: float) -> float:
        """Logarithm of the mixture, if the mean is `v`: above log(1/alpha) it is refused."""
        logs = self._log_prior + self._sums
        for log, counts, shifts in zip(logs, self._counts, self._shifts, strict=True):
            used = counts > 0.0
            n, k = counts[used], shifts[used] / counts[used]
            log -= np.log1p(KAPPA[:, None] * (even_means(v, n, k, self.low, self.high) + k)) @ n
        top = float(logs.max())
        return top + math.log(float(np.exp(logs - top).sum()))

    def bound(self, alpha: float) -> float:
        """The lower bound of the mean: ever wrong with a chance of alpha at most."""
        limit = math.log(1.0 / alpha)
        if self.log_wealth(self.low) < limit:
            return self.low
        if self.log_wealth(self.high) >= limit:
            return self.high
        return float(brentq(lambda v: self.log_wealth(v) - limit, self.low, self.high, xtol=_NEAR))


def level_of(shifts: np.ndarray) -> np.ndarray:
    """Which power of two each shift is in; int64 of the same shape."""
    exponent = np.frexp(shifts)[1].astype(np.int64) - _LOWEST
    return np.where(shifts > 0.0, np.clip(exponent, 1, _LEVELS - 1), 0)


def even_means(v: float, n: np.ndarray, k: np.ndarray, low: float, high: float) -> np.ndarray:
    """Means of groups of n rows, within [low, high] and v in all, for which these means + k are as even as they can be.

    n, k : float64[groups]. Of these sum n log(1 + kappa (v + k)) is the greatest, whatever kappa.
    """
    if len(n) < 2:
        return np.full(len(n), v)
    level = np.sort(np.concatenate((k + low, k + high)))
    total = (n * np.clip(level[:, None] - k, low, high)).sum(axis=1)
    return np.clip(np.interp(v * n.sum(), total, level) - k, low, high)
