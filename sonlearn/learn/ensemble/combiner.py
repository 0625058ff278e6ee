"""The combiner: weights of the members' predictions, learned by a full online Newton step.

``min_w sum_t h_t l(w'v_t, y_t) + |L_0 (w - w_0)|^2 / 2`` online, v_t what the k members predict of row t: FULL-ON of
[SON] equation 1-2 with d = k and the curvature H_t of the loss in place of squared gradients,

    A <- A + h H_t,    w <- w - h A^-1 g_t

A step is that of a loss of one score (`scalar_step`), or of softmax over the scores of several classes
(`slots`). All else does not depend on the loss, and is here.

A_0 is diagonal: the prior precision of each weight. There may be several sets of weights of different precision; a
member may ask for a higher one (`Member.precision`).

Members learn at different speeds and streams drift, so A forgets: after PERIOD rows it is r A + (1 - r) A_0 with the
retention r = RETENTION, a window of about 5,000 rows. A is a sum of positive terms, nothing is subtracted, so that it
stays positive definite however long the stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.jit import bare_inline, bare_jit
from sonlearn.options.members import Member

#: After PERIOD rows A keeps this share of itself.
PERIOD = 64
RETENTION = 0.9998**PERIOD
#: Rows that all of the past counts as, for members that have learned it several times (`discount`).
BEFORE = 60


class Combiner(NamedTuple):
    """State of the combiner of k members: E sets of their weights."""

    w: np.ndarray  # float64[E, k]
    A: np.ndarray  # float64[E, k, k]; symmetric
    P: np.ndarray  # float64[E, k, k]; its inverse, as steps on one score keep it
    prior: np.ndarray  # float64[E, k]; the diagonal of A_0
    loss: np.ndarray  # float64[E]; sum of h * loss of each set's predictions, where there are several sets
    errors: np.ndarray  # float64[E, 2]; of squared loss, faded sums of h and h * squared error, outliers cut
    rows: np.ndarray  # int64[1]; learned from
    retention: np.ndarray  # float64[1]; what is left of A after PERIOD rows


def new_combiner(members: Iterable[Member], precision: tuple[float, ...], decay: float = 0.0) -> Combiner:
    """A combiner that begins with the members' weights, of a prior `precision` for each set, or the member's own.

    It forgets the share `decay` with each row, and no less than RETENTION says in PERIOD.
    """
    members = tuple(members)
    w, own = (np.array([getattr(m, name) for m in members], dtype=np.float64) for name in ("weight", "precision"))
    E = len(precision)
    prior = np.maximum(np.array(precision)[:, None], own)
    A, P = (diagonal[:, :, None] * np.eye(len(w)) for diagonal in (prior, 1.0 / prior))
    retention = np.array([min(RETENTION, (1.0 - decay) ** PERIOD)])
    return Combiner(np.tile(w, (E, 1)), A, P, prior, np.zeros(E), np.zeros((E, 2)), np.zeros(1, np.int64), retention)


def without(combiner: Combiner, members: list[int]) -> Combiner:
    """The combiner as if `members` had never predicted: their weight 0, their part of A apart from the others'."""
    w, A, P = combiner.w.copy(), combiner.A.copy(), combiner.P.copy()
    w[:, members] = 0.0
    for e in range(len(w)):
        A[e, members, :] = A[e, :, members] = 0.0
        A[e, members, members] = combiner.prior[e, members]
        inverse = np.linalg.inv(A[e])
        P[e] = (inverse + inverse.T) / 2.0
    return combiner._replace(w=w, A=A, P=P)


def discount(combiner: Combiner) -> None:
    """What has been learned counts as BEFORE rows from here on: of members that have changed in further passes."""
    rows = min(int(combiner.rows[0]), PERIOD / (1.0 - combiner.retention[0]))  # no more than it remembers
    share = min(1.0, BEFORE / max(rows, 1.0))
    for array in (combiner.A, combiner.loss, combiner.errors):
        array *= share
    for A, P, prior in zip(combiner.A, combiner.P, combiner.prior, strict=True):
        A += (1.0 - share) * np.diag(prior)
        inverse = np.linalg.inv(A)
        P[:] = (inverse + inverse.T) / 2.0


def conditioned(combiner: Combiner, gone: list[int]) -> Combiner:
    """The combiner where the weights of the members `gone` are 0, and the others' what A says they are then."""
    if not combiner.w.shape[1]:
        return combiner
    rest, w = np.setdiff1d(np.arange(combiner.w.shape[1]), gone), combiner.w.copy()
    for e, A in enumerate(combiner.A):
        w[e, rest] += np.linalg.solve(A[np.ix_(rest, rest)], A[np.ix_(rest, gone)] @ w[e, gone])
    return without(combiner._replace(w=w), gone)


def weights_of(combiner: Combiner) -> np.ndarray:
    """float64[k]: the members' weights, averaged over the sets as their predictions are."""
    share = np.exp(combiner.loss.min() - combiner.loss)
    return share @ combiner.w / share.sum()


def of_inputs(combiner: Combiner, at: Sequence[int]) -> Combiner:
    """The combiner of the inputs `at` alone, if no others have ever been other than 0: itself if those are all.

    What all inputs share is in the same memory; `copy_inputs` takes the rest back.
    """
    if len(at) == combiner.w.shape[1]:
        return combiner
    square = np.ix_(range(len(combiner.w)), at, at)
    w, prior = (np.ascontiguousarray(array[:, at]) for array in (combiner.w, combiner.prior))
    return combiner._replace(w=w, A=combiner.A[square], P=combiner.P[square], prior=prior)


@bare_inline
def fade(A, retention, prior):
    """A <- r A + (1 - r) diag(prior), of one set of weights."""
    for i in range(len(A)):
        for j in range(len(A)):
            A[i, j] *= retention
        A[i, i] += (1.0 - retention) * prior[i]


@bare_jit
def copy_inputs(own, combiner, at):
    """The inputs `at` (int64[m]) of `combiner` <- the first m of `own`; what all inputs share stays."""
    for e in range(len(own.w)):
        for i in range(len(at)):
            combiner.w[e, at[i]] = own.w[e, i]
            for j in range(len(at)):
                combiner.A[e, at[i], at[j]] = own.A[e, i, j]
                combiner.P[e, at[i], at[j]] = own.P[e, i, j]


def went_on(combiners: Sequence[Combiner], base: Combiner, rows: Sequence[int]) -> bool:
    """Whether all have learned so many rows since `base`: at a checkpoint a combiner begins anew (`pruning`)."""
    return all(int(each.rows[0] - base.rows[0]) == n for each, n in zip(combiners, rows, strict=True))


def merge_combiners(combiners: Sequence[Combiner], base: Combiner, gone: Sequence[list[int]]) -> Combiner:
    """Combiners as Gaussians: what each has added to A adds up, and A (w - w_base) is the sum of A_g (w_g - w_base).

    As of one run, what the earlier learners have added fades by as much as the later ones forget.

    Parameters
    ----------
    base : with which all began and from which they `went_on`, or a new one
    gone : of each combiner the inputs that were pruned since the base
    """
    rows = [int(each.rows[0]) for each in combiners]
    start, retention = int(base.rows[0]), float(base.retention[0])
    periods = [n // PERIOD - start // PERIOD for n in rows]
    by = merging.shares(periods, retention)
    E, k = base.w.shape
    A, moved = np.zeros((E, k, k)), np.zeros((E, k))
    prior = base.prior[:, :, None] * np.eye(k)
    for share, passed, each, pruned in zip(by, periods, combiners, gone, strict=True):
        own = without(base, pruned) if pruned else base
        gained = _positive((each.A - prior) - retention**passed * (own.A - prior))
        A += share * gained
        moved += share * np.einsum("eij,ej->ei", each.A, each.w - own.w)
    A += prior + retention ** sum(periods) * (base.A - prior)
    w = base.w + np.linalg.solve(A, moved[:, :, None])[:, :, 0] if k else base.w.copy()
    P = np.linalg.inv(A)
    faded = merging.shares(np.subtract(rows, start), retention ** (1.0 / PERIOD))
    return Combiner(
        w, (A + A.transpose(0, 2, 1)) / 2.0, (P + P.transpose(0, 2, 1)) / 2.0, base.prior.copy(),
        merging.summed(base.loss, [each.loss for each in combiners], np.ones(len(rows))),
        np.maximum(merging.summed(base.errors, [each.errors for each in combiners], faded), 0.0),
        base.rows + int(sum(rows) - start * len(rows)), base.retention.copy(),
    )  # fmt: skip


def _positive(A: np.ndarray) -> np.ndarray:
    """A without what rounding has left below 0."""
    lam, U = np.linalg.eigh((A + A.swapaxes(-1, -2)) / 2.0)
    positive: np.ndarray = (U * np.maximum(lam, 0.0)[..., None, :]) @ U.swapaxes(-1, -2)
    return positive
