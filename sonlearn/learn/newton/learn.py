"""Learning a batch: rounds, and in between what needs more than a round.

The rounds (`round.run`) allocate nothing and count no references; the shrink, new generations and the upkeep of V come
once in several rounds, decompose small matrices, and may allocate.
"""

from __future__ import annotations

from sonlearn.jit import jit
from sonlearn.learn.newton.round import run
from sonlearn.learn.newton.shrink import shrink, spectral_step
from sonlearn.learn.newton.sparse_time import orthonormalise, renew
from sonlearn.learn.status import ORTHONORMALISE, RENEW, SHRINK, STEP


@jit
def learn(params, state, work, rows, extra, out, start):
    """Learn rows start.. of `rows`; returns (next row, DONE, LOG_FULL or DIVERGED).

    Parameters
    ----------
    rows : Rows
        Interned rows (`sonlearn.data.batch`); NaN labels and zero weights are predicted only.
    extra : float64[n]
        Squared length of what a row has in features that are not in `rows`, rescaled (`rescale`).
    out : Predictions, filled in
        The projected prediction w'x and u'x before the projection, both made before the label is used: float64[n, K].

    Stops in front of a row when the log is full (the caller makes room) or when a number is out of all bounds.
    """
    at = start
    while True:
        at, status = run(params, state, work, rows, extra, out, at)
        if status == SHRINK:
            shrink(params, state, work, work.slope)
        elif status == STEP:
            spectral_step(params, state, work.slope, work.y)
        elif status == RENEW:
            renew(state)
        elif status == ORTHONORMALISE:
            orthonormalise(state)
        else:
            return at, status
