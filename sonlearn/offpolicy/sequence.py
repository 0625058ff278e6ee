"""A lower bound of a mean that holds at all times, in constant memory.

Let X_i >= -k_i, with k_i known before X_i, have the conditional means v_i, and let v, k be the means of v_1..v_t,
k_1..k_t. For kappa > 0

    M_t(kappa) = prod_i (1 + kappa (X_i + k_i)) / (1 + kappa (v + k))^t

is below a martingale that begins with 1, since prod_i (1 + kappa (v_i + k_i)) <= (1 + kappa (v + k))^t by concavity.
So is a mixture of these over kappa, and it exceeds 1/alpha at any time with a probability of alpha at most (Ville). The
bound is the least v for which the mixture is below 1/alpha. Of the past only sum_i log(1 + kappa (X_i + k_i)) counts,
whatever v: one number for each kappa.

It is the betting sequence of Waudby-Smith, Wu, Ramdas, Karampatziakis, Mineiro (Anytime-valid off-policy inference for
contextual bandits, 2022, section 2) with the bet lambda written as kappa/(1 + kappa (v + k)), and in the place of bets
that follow the past a mixture over fixed ones (as Karampatziakis, Mineiro, Ramdas, Off-policy confidence sequences,
2021), which needs no past and loses less.
"""

from __future__ import annotations

import math

import numpy as np

#: The bets of the mixture. The best one after t rows of variance s^2 is about 3/(s sqrt(t)).
KAPPA = 2.0 ** (np.arange(-36, 13) / 2.0)
_LEAST, _MOST = 1e-4, 2.0
_STEPS = 60


def prior() -> np.ndarray:
    """Weight of each bet: even over the logarithm within [1e-4, 2], falling with the square of the distance beyond."""
    u = np.log(KAPPA)
    beyond = np.maximum(0.0, np.maximum(math.log(_LEAST) - u, u - math.log(_MOST)))
    weight = 1.0 / (1.0 + beyond) ** 2
    return weight / weight.sum()


class LowerSequence:
    """Lower bounds of the running mean of variables of which only a lower bound is known.

    Parameters
    ----------
    shares : sequence of float
        Weights, of sum 1, of alternatives: variables of the same mean, of which different lower bounds are known.

    Attributes
    ----------
    count : int
        Rows so far.
    """

    def __init__(self, shares: tuple[float, ...] = (1.0,)):
        self.count = 0
        self._sums = np.zeros((len(shares), len(KAPPA)))
        self._shifts = np.zeros(len(shares))
        self._log_prior = np.log(np.array(shares))[:, None] + np.log(prior())

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
        self._shifts = np.cumsum(np.concatenate((self._shifts[None], shifts)), axis=0)[-1]
        self.count += n

    def log_wealth(self, v: float) -> float:
        """Logarithm of the mixture, if the mean is `v`: above log(1/alpha) it is refused."""
        if not self.count:
            return 0.0
        mean_shift = self._shifts / self.count
        logs = self._log_prior + self._sums - self.count * np.log1p(KAPPA * (v + mean_shift)[:, None])
        top = float(logs.max())
        return top + math.log(float(np.exp(logs - top).sum()))

    def bound(self, alpha: float, low: float, high: float) -> float:
        """The lower bound of a mean within [low, high]: ever wrong with a chance of alpha at most."""
        limit = math.log(1.0 / alpha)
        if self.log_wealth(low) < limit:
            return low
        if self.log_wealth(high) >= limit:
            return high
        for _ in range(_STEPS):
            middle = 0.5 * (low + high)
            if self.log_wealth(middle) >= limit:
                low = middle
            else:
                high = middle
        return low
