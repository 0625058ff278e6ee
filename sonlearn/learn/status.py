"""Status codes of `round.run`: why it returned.

DONE: all rows are learned. LOG_FULL: the log has no room for another generation. DIVERGED: a number is out of bounds.
After a row: SHRINK, the buffer is full; RENEW, F is ill-conditioned; ORTHONORMALISE, the rows of V may no longer be
orthonormal; STEP, the step needs eigenvalues. NEXT: continue with the next row.
"""

DONE, LOG_FULL, DIVERGED, SHRINK, RENEW, ORTHONORMALISE, STEP, NEXT = range(8)
