"""Every threshold of the Newton family, in one table: what it decides, and why it is what it is.

| name | value | decides |
|---|---|---|
| `SPAN` | 1e-12 | whether x has a part outside of the basis, where that is a question of rank and no second look was taken: squared length of the part, of x'x. It is a difference of squares, right to about 1e-15, and a wrong "yes" is a direction of noise. For Oja also: squared length of ghat, of what its like have been, below which it is no new direction |
| `NOISE` | 1e-14 | the same where a direction of noise does no harm (alpha > 0): what is dropped is missed in first order |
| `LOOK` | 1e-26 | the same after a second look, which computes the part itself, to a length of about 1e-15 |
| `SPAN_LOOK` | 1e-22 | the same where it is a question of rank (alpha = 0): rows that differ by 1e-11 of their length are two directions, on sparse rows (`SPAN`) those that differ by 1e-6. Nearer ones are one: the exact pseudo-inverse knows no nearness, so its predictions and ours part there |
| `SMALL` | 1e-3 | a second look is taken at rows that stick out by less than this share of x'x |
| `FEATURES` | 8 | and while at most this many features have been seen for each of the row's own (dense data) |
| `RANK` | 1e-14 | squared singular values below this multiple of the largest are rounding of the Gram matrix: 0 at a shrink |
| `LIMIT` | 1e100 | a raw score beyond this has diverged, however far from infinite: what is computed from it squares it and more |
| `LOST`, `LARGE` | 1e-4, 1e4 | eigenvalues of E E' outside these bounds: the direction takes an empty row of Z, or a generation begins |
| `SPREAD` | 32 | F (triangular, Oja) begins anew when 1, its size at the start, or its entries exceed its diagonal by more than this factor: as F falls, Z rises, and w = wbar + Z'beta would cancel. Also the largest square that a step of Oja's rule may stretch V by in place |
| `DOUBTFUL` | 0.1 | a new direction of Oja's is a small difference when its part outside of V is below this share of x'x: V is orthonormalised |
| `ROUNDING` | 2e-17 | what rounding adds to V V' in one shrink, relative to the squares of what is summed (measured on text) |
| `WORTH`, `NEEDED`, `BROKEN` | 1e-15, 1e-12, 1e-7 | departure of V V' from I at which the pass over V is due: where it costs next to nothing, where it can be afforded, in any case |
| `CHEAP`, `AFFORDABLE` | 32, 1/4 | reads for every feature seen since the last pass that make it (four reads a feature) cost next to nothing, and affordable: so much work is O(m) a read, however many features there are |
| `LOG_MIN` | 64 | generations that the log holds at least before all features are brought up to date at once |
"""  # noqa: E501

SPAN, NOISE, LOOK, SPAN_LOOK = 1e-12, 1e-14, 1e-26, 1e-22
SMALL, FEATURES = 1e-3, 8
RANK = 1e-14
LIMIT = 1e100
LOST, LARGE = 1e-4, 1e4
SPREAD, DOUBTFUL = 32.0, 0.1
ROUNDING = 2e-17
WORTH, NEEDED, BROKEN = 1e-15, 1e-12, 1e-7
CHEAP, AFFORDABLE = 32, 0.25
LOG_MIN = 64
