"""Spectral functions f of a symmetric positive semidefinite A, chosen by a code: the step of a method is f(A) g.

INVERSE    1/(base + lam)           Newton steps, base = alpha
ROOT       1/(base + sqrt(lam))     adaptive subgradient steps, base = delta
FOURTH     1/(base + lam^(1/4))     the same where lam is the square of an eigenvalue; 1 where lam is 0 (radagrad)

With a sketch S and S S' = U diag(lam) U', A = S'S:  f(A) g = f(0) g + S'U diag((f(lam_i) - f(0))/lam_i) U'S g.
"""

from __future__ import annotations

import math

from sonlearn.jit import bare_inline

INVERSE, ROOT, FOURTH = range(3)


@bare_inline
def f(kind, base, lam):
    """The function at lam > 0, or at lam = 0 if base > 0."""
    if kind == ROOT:
        return 1.0 / (base + math.sqrt(lam))
    if kind == FOURTH:
        return 1.0 / (base + math.sqrt(math.sqrt(lam)))
    return 1.0 / (base + lam)


@bare_inline
def outside(kind, base):
    """The function where A is 0; base > 0."""
    return 1.0 if kind == FOURTH else 1.0 / base
