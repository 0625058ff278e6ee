"""Spectral functions f of a symmetric positive semidefinite A, chosen by a code. The step of a method is f(A) g.

INVERSE    1/(base + lam)           Newton steps, base = alpha
SHIFTED    1/sqrt(base + lam)       adaptive steps whose root is of alpha I as well, base = alpha (s-adagrad)
ROOT       1/(base + sqrt(lam))     adaptive subgradient steps, base = delta
FOURTH     1/(base + lam^(1/4))     the same where lam is the square of an eigenvalue; 1 where lam is 0 (radagrad)

With a sketch S and S S' = U diag(lam) U', A = S'S:  f(A) g = f(0) g + S'U diag((f(lam_i) - f(0))/lam_i) U'S g.
"""

from __future__ import annotations

import math

from sonlearn.jit import bare_inline

INVERSE, ROOT, FOURTH, SHIFTED = range(4)


@bare_inline
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
