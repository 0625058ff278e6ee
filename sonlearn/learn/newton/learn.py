"""Learning a batch: rounds, interrupted by rarer and costlier operations.

The rounds (`round.run`) allocate nothing and count no references. Shrinks, new generations and the orthonormalisation
of V are needed once in several rounds; they decompose small matrices and may allocate.
"""

from __future__ import annotations

from sonlearn.jit import jit
from sonlearn.learn.newton.round import run
from sonlearn.learn.newton.shrink import shrink, spectral_step
from sonlearn.learn.newton.sparse_time import orthonormalise, renew
from sonlearn.learn.status import ORTHONORMALISE, RENEW, SHRINK, STEP


@jit
def learn(params, state, work, rows, out, start):
    """Learn rows start.. of `rows`; returns (next row, DONE, LOG_FULL or DIVERGED).

    Parameters
    ----------
    params : NewtonParams
    state : NewtonState, modified in place
    work : NewtonScratch, overwritten
    rows : Rows, not modified
        Rows of numbered features. A row without a label (NaN) or with weight 0 is only predicted.
    out : Predictions of float64[n, K], filled in from row `start` on
        The projected prediction w'x, and u'x before the projection. Both precede the use of the label.
    start : int

    Stops before a row if the log is full (the caller enlarges it) or if a number would be out of bounds.
    """
    at = start
    while True:
        at, status = run(params, state, work, rows, out, at)
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
