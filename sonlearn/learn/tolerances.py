"""All thresholds of the Newton family: their use and the reason for their value.

| name | value | decides |
|---|---|---|
| `SPAN` | 1e-12 | x has a part outside of the basis if the squared length of the part exceeds this share of x'x; used if the decision determines the rank and x was projected once. The length is a difference of squares with an error of about 1e-15; accepting rounding error would add a direction of noise. For Oja also: ghat is a new direction only if its squared length exceeds this share of the earlier ones |
| `NOISE` | 1e-14 | the same, if a direction of noise does no harm (alpha > 0): the error of omitting the part is of first order |
| `LOOK` | 1e-26 | the same after a second projection, which computes the part itself, to a length of about 1e-15 |
| `SPAN_LOOK` | 1e-22 | the same if the decision determines the rank (alpha = 0): rows that differ by 1e-11 of their length are two directions (on sparse rows, with `SPAN`, rows that differ by 1e-6). Closer rows count as one direction; the exact pseudo-inverse has no such limit, so its predictions differ from ours there |
| `SMALL` | 1e-3 | a row is projected twice if its part outside of the basis is below this share of x'x |
| `FEATURES` | 8 | and if there are at most this many features for each feature of the row (dense data) |
| `RANK` | 1e-14 | squared singular values below this multiple of the largest are rounding errors of the Gram matrix: a shrink sets them to 0. Forgetting leaves as much, of their sum, where alpha_0 = 0 |
| `SQUARING` | 1e-10 | if a squared singular value (with alpha) is below this multiple of the largest, its rounding error in a Gram matrix is too large: a root of it is decomposed instead. (Above, H has more digits than a Gram matrix of the rows would have: its entries fall off as the singular values do) |
| `SINGULAR` | 1e-13 | then singular values below this multiple of the largest are rounding errors |
| `LIMIT` | 1e100 | a larger raw score has diverged, although it is finite: its square and higher powers are computed from it |
| `SPREAD` | 32 | F (triangular, Oja) is reset when 1 (its initial size) or one of its entries exceeds its diagonal by more than this factor: as F decreases, Z grows, and w = wbar + Z'beta would cancel. Also the largest square by which a step of Oja's rule may stretch V in place |
| `DOUBTFUL` | 0.1 | if the part of a new direction of Oja's outside of V is below this share of x'x, it is a small difference, and V is orthonormalised |
| `ROUNDING` | 2e-17 | rounding error of V V' from one shrink, relative to the sum of squares (measured on text) |
| `WORTH`, `NEEDED`, `BROKEN` | 1e-15, 1e-12, 1e-7 | departure of V V' from I at which V is orthonormalised: if the pass over V is cheap, if it is affordable, in any case |
| `CHEAP`, `AFFORDABLE` | 32, 1/4 | the pass (four reads a feature) is cheap, or affordable, after this many reads for each feature since the last pass: its cost is then O(m) a read, for any number of features |
| `LOG_MIN` | 64 | minimum number of generations in the log before all features are brought up to date at once |

And the status codes of `round.run`: why it returned.

DONE: all rows are learned. LOG_FULL: all features are to be brought up to date. FOLD: the unit of the weights is too
small. DIVERGED: a number is out of bounds.
After a row: SHRINK, the buffer is full; RENEW, F is ill-conditioned; ORTHONORMALISE, the rows of V may no longer be
orthonormal; STEP, the step needs eigenvalues. NEXT: continue with the next row.
"""  # noqa: E501

import sys

SPAN, NOISE, LOOK, SPAN_LOOK = 1e-12, 1e-14, 1e-26, 1e-22
SMALL, FEATURES = 1e-3, 8
RANK = 1e-14
SQUARING, SINGULAR = 1e-10, 1e-13
LIMIT = 1e100
#: What is predicted, and not learned from, is only to be finite.
LARGEST = sys.float_info.max
SPREAD, DOUBTFUL = 32.0, 0.1
ROUNDING = 2e-17
WORTH, NEEDED, BROKEN = 1e-15, 1e-12, 1e-7
CHEAP, AFFORDABLE = 32, 0.25
LOG_MIN = 64


DONE, LOG_FULL, FOLD, DIVERGED, SHRINK, RENEW, ORTHONORMALISE, STEP, NEXT = range(9)
