"""Small dense operations: triangular solves, updates and products on the leading part of preallocated arrays.

Inner loops run along contiguous rows, so they vectorise without reordering any sum. All are plain loops: NumPy's slice
assignments and products would double the compilation time of the kernels.

All arrays are float64. LT is r x r or larger, with L' in its upper triangle.

Of a row of numbers sums and exponentials are several at a time, always in the same order. One running
value would wait for itself at every class; with a thousand classes that is most of the time.

`spectral` has the functions f of a symmetric positive semidefinite A, chosen by a code. The step of a method is f(A) g.

INVERSE    1/(base + lam)           Newton steps, base = alpha
SHIFTED    1/sqrt(base + lam)       adaptive steps whose root is of alpha I as well, base = alpha (s-adagrad)
ROOT       1/(base + sqrt(lam))     adaptive subgradient steps, base = delta
FOURTH     1/(base + lam^(1/4))     the same where lam is the square of an eigenvalue; 1 where lam is 0 (radagrad)

With a sketch S and S S' = U diag(lam) U', A = S'S:  f(A) g = f(0) g + S'U diag((f(lam_i) - f(0))/lam_i) U'S g.
"""

import math

import numpy as np

from sonlearn.jit import inline

#: Of a smaller number `exponential` gives what it gives of this one: 4e-18.
MIN_EXPONENT = -40.0
#: A smaller square of a pivot is this.
MIN_PIVOT = 1e-12
#: A unit of which less than 1/FOLD is left is multiplied by FOLD, a power of 2: what is kept in it loses no digit.
FOLD = 2.0**332


@inline(force=True)
def fold(unit, times):
    """(`unit`, how often it has been folded), of a unit that was `times` times: folded once more if little is left."""
    return (unit * FOLD, times + 1.0) if unit * FOLD < 1.0 else (unit, times)


@inline(force=True)
def folded(times, before):
    """The factor of a number that is kept in a unit folded `times` times, `before` of them when it was written."""
    by = 1.0
    while times > before and by > 0.0:
        by, before = by / FOLD, before + 1.0
    return by


@inline(force=True)
def largest(z, n):
    """The largest of z[:n]; -inf of none."""
    most = -math.inf
    for k in range(n):
        most = max(most, z[k])
    return most


@inline
def find_largest(z, n, but, places):
    """places <- where the largest of z[:n] but z[`but`] are, the largest first, of equal ones the first; how many.

    There are as many as there is room for, if n is enough.
    """
    size, most = 0, len(places)
    for k in range(n):
        if k != but and (size < most or z[k] > z[places[most - 1]]):
            at = min(size, most - 1)
            while at > 0 and z[places[at - 1]] < z[k]:
                places[at] = places[at - 1]
                at -= 1
            places[at] = k
            size = min(size + 1, most)
    return size


@inline(force=True)
def clear_first(v, n):
    """v[:n] <- 0."""
    for i in range(n):
        v[i] = 0.0


@inline(force=True)
def set_scaled(out, by, v, n):
    """out[:n] <- by v[:n]."""
    for i in range(n):
        out[i] = by * v[i]


@inline(force=True)
def add_scaled(out, by, v, n):
    """out[:n] += by v[:n]."""
    for i in range(n):
        out[i] += by * v[i]


@inline(force=True)
def plus_dot(start, a, b, n):
    """start + a[:n]'b[:n], from the left to the right."""
    for i in range(n):
        start += a[i] * b[i]
    return start


@inline(force=True)
def minus_dot(start, a, b, n):
    """start - a[:n]'b[:n], from the left to the right."""
    for i in range(n):
        start -= a[i] * b[i]
    return start


@inline(force=True)
def dot(a, b, n):
    """a[:n]'b[:n], from the left to the right."""
    return plus_dot(0.0, a, b, n)


@inline(force=True)
def product(p, v, n):
    """p[:n]'v[:n], as four sums side by side."""
    a = b = c = d = 0.0
    whole = n - n % 4
    for k in range(0, whole, 4):
        a += p[k] * v[k]
        b += p[k + 1] * v[k + 1]
        c += p[k + 2] * v[k + 2]
        d += p[k + 3] * v[k + 3]
    for k in range(whole, n):
        a += p[k] * v[k]
    return (a + b) + (c + d)


@inline(force=True)
def total_of(z, n):
    """The sum of z[:n]."""
    a = b = c = d = 0.0
    whole = n - n % 4
    for k in range(0, whole, 4):
        a += z[k]
        b += z[k + 1]
        c += z[k + 2]
        d += z[k + 3]
    for k in range(whole, n):
        a += z[k]
    return (a + b) + (c + d)


@inline(force=True)
def exponential(x):
    """exp(x) of x <= 0, to 1e-12 of itself: Taylor's polynomial of x/128, squared seven times.

    Without a call or a branch, so that a loop over classes is vectorised.
    """
    t, p = max(x, MIN_EXPONENT) * (1.0 / 128.0), 1.0
    for k in range(11, 0, -1):
        p = 1.0 + t * (1.0 / k) * p
    for _ in range(7):
        p *= p
    return p


@inline(force=True)
def solve_lower(LT, r, b, out):
    """out[:r] <- L^-1 b[:r]; row j of LT is column j of L. LT and b are not modified."""
    for i in range(r):
        out[i] = b[i]
    for j in range(r):
        pivot = out[j] / LT[j, j]
        out[j] = pivot
        for i in range(j + 1, r):
            out[i] -= pivot * LT[j, i]


@inline(force=True)
def solve_upper(LT, r, b, out):
    """out[:r] <- L^-T b[:r]. LT and b are not modified."""
    for j in range(r - 1, -1, -1):
        total = b[j]
        for i in range(j + 1, r):
            total -= LT[j, i] * out[i]
        out[j] = total / LT[j, j]


@inline(force=True)
def cholesky_update(LT, r, v):
    """LT'LT <- LT'LT + v v', by Givens rotations. Modifies LT, overwrites v[:r]. The diagonal may contain zeros."""
    for j in range(r):
        length = math.sqrt(LT[j, j] * LT[j, j] + v[j] * v[j])
        if v[j] == 0.0 or length == 0.0:
            continue
        c, s = LT[j, j] / length, v[j] / length
        LT[j, j] = length
        for i in range(j + 1, r):
            old = LT[j, i]
            LT[j, i] = c * old + s * v[i]
            v[i] = c * v[i] - s * old


@inline(force=True)
def add_rows(by, A, rows, out):
    """out += by[:rows]' A[:rows], four rows at a time to save reads and writes of `out`. by and A are not modified."""
    in_fours = rows - rows % 4
    for at in range(0, in_fours, 4):
        b0, b1, b2, b3 = by[at], by[at + 1], by[at + 2], by[at + 3]
        for i in range(len(out)):
            out[i] += (b0 * A[at, i] + b1 * A[at + 1, i]) + (b2 * A[at + 2, i] + b3 * A[at + 3, i])
    for at in range(in_fours, rows):
        add_scaled(out, by[at], A[at], len(out))


@inline
def clear(A):
    """A <- 0 for a matrix."""
    for i in range(len(A)):
        clear_first(A[i], A.shape[1])


@inline
def mirror(A, n):
    """The upper triangle of A[:n, :n] <- the lower one."""
    for i in range(n):
        for j in range(i):
            A[j, i] = A[i, j]


@inline(allocates=True)
def gram_spectrum(R):
    """(lam float64[r] ascending, U float64[r, r]): R'R = U diag(lam) U', by R's singular values, not by R'R."""
    _, sigma, V = np.linalg.svd(R)
    r = len(sigma)
    lam, U = np.empty(r), np.empty((r, r))
    for i in range(r):
        lam[i] = sigma[r - 1 - i] * sigma[r - 1 - i]
        set_scaled(U[:, i], 1.0, V[r - 1 - i], r)
    return lam, U


@inline
def factorise(A, plus, r, LT):
    """`factorise_or` whose squares of pivots are at least `MIN_PIVOT`."""
    factorise_or(A, plus, r, LT, MIN_PIVOT, math.sqrt(MIN_PIVOT))


@inline
def factorise_or(A, plus, r, LT, least, pivot):
    """LT <- the upper triangular factor of A + plus I on the leading r x r part, LT'LT = A + plus I.

    Of A only the lower triangle is read, of LT only the upper one is written. `pivot` takes the place of a pivot whose
    square is no more than `least`; if it is infinite, the row is left out.
    """
    for i in range(r):
        for j in range(i + 1):
            LT[j, i] = A[i, j]
    for j in range(r):
        square = LT[j, j] + plus
        LT[j, j] = pivot if square <= least else math.sqrt(square)
        for i in range(j + 1, r):
            LT[j, i] /= LT[j, j]
        for k in range(j + 1, r):
            by = LT[j, k]
            for i in range(k, r):
                LT[k, i] -= by * LT[j, i]


INVERSE, ROOT, FOURTH, SHIFTED = range(4)


@inline
def spectral(kind, base, lam, g):
    """f(lam) g, or 0 where the denominator of f is 0 (pseudo-inverse)."""
    floor = base + lam
    if kind == ROOT:
        floor = base + math.sqrt(lam)
    elif kind == FOURTH:
        floor = base + math.sqrt(math.sqrt(lam)) if lam > 0.0 else 1.0
    elif kind == SHIFTED:
        floor = math.sqrt(floor)
    return g / floor if floor > 0.0 else 0.0
