"""Learning a batch: rounds, interrupted by rarer and costlier operations.

The rounds (`round.run`) allocate nothing and count no references. Shrinks and new generations are needed once in
several rounds; they decompose small matrices and may allocate. V is orthonormalised so rarely that many a run never
does it, by a kernel of its own, which such a run need not compile.
"""

from __future__ import annotations

from sonlearn.jit import jit
from sonlearn.learn.newton.round import run
from sonlearn.learn.newton.shrink import shrink, spectral_step
from sonlearn.learn.newton.sparse_time import orthonormalise, renew
from sonlearn.learn.status import ORTHONORMALISE, RENEW, SHRINK, STEP


@jit
def learn(params, state, work, rows, out, start, oja):
    """Learn rows start.. of `rows`; returns (next row, DONE, LOG_FULL, DIVERGED or ORTHONORMALISE).

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
    oja : float64[M], overwritten, or None
        None where rows are buffered: then Oja's rule is not compiled.

    Stops before a row if the log is full (the caller enlarges it) or if a number would be out of bounds, and after one
    if V is to be orthonormalised (by `orthonormalise_now`).
    """
    at = start
    while True:
        at, status = run(params, state, work, rows, out, at, oja)
        if oja is None:
            if status == SHRINK:
                if shrink(params, state, work, work.slope):
                    return at, ORTHONORMALISE
            elif status == STEP:
                spectral_step(params, state, work.slope, work.y)
            else:
                return at, status
        elif status == RENEW:
            renew(state)
        else:
            return at, status


@jit
def orthonormalise_now(state):
    """Make the rows of V orthonormal (see `orthonormalise`)."""
    orthonormalise(state)
