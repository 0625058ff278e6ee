"""Merges what committees have beside their views and members: combiners, labels, tallies and changes of the stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sonlearn.data import merging
from sonlearn.learn.ensemble.class_combiner import PERIOD as CLASS_PERIOD
from sonlearn.learn.ensemble.class_combiner import ClassCombiner
from sonlearn.learn.ensemble.class_pruning import KEPT as KEPT_ROWS
from sonlearn.learn.ensemble.class_pruning import ClassHistory
from sonlearn.learn.ensemble.combiner import PERIOD, Combiner, without
from sonlearn.learn.ensemble.drift import KEPT, Drift, changes_of
from sonlearn.learn.ensemble.label_scale import LabelState


def majority(masks: Sequence[np.ndarray]) -> list[int]:
    """Positions that are set in at least half of the masks, bool[k] each."""
    found: list[int] = np.flatnonzero(2 * np.sum(masks, axis=0) >= len(masks)).tolist()
    return found


def went_on(combiners: Sequence[Any], base: Any, rows: Sequence[int]) -> bool:
    """Whether all have learned so many rows since `base`: at a checkpoint a combiner begins anew (`pruning`)."""
    return all(int(each.rows[0] - base.rows[0]) == n for each, n in zip(combiners, rows, strict=True))


def merge_combiners(
    combiners: Sequence[Combiner], base: Combiner, gone: Sequence[list[int]], period: int = PERIOD
) -> Combiner:
    """Combiners as Gaussians: what each has added to A adds up, and A (w - w_base) is the sum of A_g (w_g - w_base).

    As of one run, what the earlier learners have added fades by as much as the later ones forget.

    Parameters
    ----------
    base : with which all began and from which they `went_on`, or a new one
    gone : of each combiner the inputs that were pruned since the base
    period : rows after which a combiner forgets
    """
    rows = [int(each.rows[0]) for each in combiners]
    start, retention = int(base.rows[0]), float(base.retention[0])
    periods = [n // period - start // period for n in rows]
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
    faded = merging.shares(np.subtract(rows, start), retention ** (1.0 / period))
    return Combiner(
        w, (A + A.transpose(0, 2, 1)) / 2.0, (P + P.transpose(0, 2, 1)) / 2.0, base.prior.copy(),
        merging.summed(base.loss, [each.loss for each in combiners], np.ones(len(rows))),
        np.maximum(merging.summed(base.errors, [each.errors for each in combiners], faded), 0.0),
        base.rows + int(sum(rows) - start * len(rows)), base.retention.copy(),
    )  # fmt: skip


def merge_class_combiners(
    combiners: Sequence[ClassCombiner], base: ClassCombiner, gone: Sequence[list[int]]
) -> ClassCombiner:
    """`merge_combiners`, of combiners of several classes, whose A is a lower triangle."""
    found = merge_combiners([_general(each) for each in combiners], _general(base), gone, CLASS_PERIOD)
    w, A, out = found.w[0], np.tril(found.A[0]), sorted(set.intersection(*map(set, gone)))
    w[out] = A[out] = A[:, out] = 0.0
    A[out, out] = base.prior[out]
    return ClassCombiner(w, A, base.prior.copy(), found.rows, base.keep.copy())


def _general(combiner: ClassCombiner) -> Combiner:
    """The same in the form of two classes."""
    A = np.tril(combiner.A)
    A = (A + A.T - np.diag(np.diag(A)))[None]
    none = np.zeros(1)
    return Combiner(
        combiner.w[None], A, A, combiner.prior[None], none, np.zeros((1, 2)), combiner.rows, combiner.keep
    )  # fmt: skip


def merge_histories(histories: Sequence[ClassHistory], base: ClassHistory, rows: Sequence[int]) -> ClassHistory:
    """The rows of the base, and those that each learner has learned since (the last of them)."""
    own = [
        ClassHistory(*(part[max(len(part) - n, 0) :] for part in each)) for each, n in zip(histories, rows, strict=True)
    ]
    return ClassHistory(*(np.concatenate(parts)[-KEPT_ROWS:] for parts in zip(base, *own, strict=True)))


def _positive(A: np.ndarray) -> np.ndarray:
    """A without what rounding has left below 0."""
    lam, U = np.linalg.eigh((A + A.swapaxes(-1, -2)) / 2.0)
    positive: np.ndarray = (U * np.maximum(lam, 0.0)[..., None, :]) @ U.swapaxes(-1, -2)
    return positive


def merge_labels(states: Sequence[LabelState], base: LabelState) -> LabelState:
    """Moments and range of the labels of all."""
    ranges = np.array([each.range for each in (base, *states) if each.moments[0] > 0.0] or [np.zeros(2)])
    moments = merging.moments(base.moments, [each.moments for each in states])
    return LabelState(moments, np.array([ranges[:, 0].min(), ranges[:, 1].max()]))


def merge_drifts(drifts: Sequence[Drift], base: Drift) -> Drift:
    """The changes of all, at their rows of the merged stream; what the last learner makes of its own rows goes on."""
    last, start, rows = drifts[-1], int(base.count[0]), int(base.count[0])
    changes = changes_of(base)
    for each in drifts:
        new = int(each.count[1] - base.count[1])
        changes += [row - start + rows for row in changes_of(each)[max(len(changes_of(each)) - new, 0) :]]
        shift = rows - start
        rows += int(each.count[0]) - start
    count = np.array([rows, int(base.count[1]) + sum(int(each.count[1] - base.count[1]) for each in drifts)])
    kept = np.zeros(KEPT, np.int64)
    for i, row in enumerate(changes[-KEPT:], max(int(count[1]) - KEPT, 0)):
        kept[i % KEPT] = row
    return Drift(last.means.copy(), last.size.copy(), last.wealth.copy(), last.starts + shift, kept, count)


def merge_now(states: Sequence[np.ndarray], base: np.ndarray) -> np.ndarray:
    """Rows and their weights of all (`importance.relative_weights`), passes of the first."""
    now: Any = base.copy()
    for name in ("rows", "weight"):
        now[name] = merging.summed(base[name], [state[name] for state in states], np.ones(len(states)))
    now["passes"] = states[0]["passes"]
    return now
