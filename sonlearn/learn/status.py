"""What `round.run` stops for.

DONE: all rows. LOG_FULL: no room for another generation. DIVERGED: a number is not finite. After a row: SHRINK, a full
buffer; RENEW, an ill-conditioned F; ORTHONORMALISE, a V that may have drifted;
STEP, a step by eigenvalues. NEXT: nothing, go on.
"""

DONE, LOG_FULL, DIVERGED, SHRINK, RENEW, ORTHONORMALISE, STEP, NEXT = range(8)
