"""What moved a prediction: the members of the learner, and the features of the row. Slow, and changes nothing.

What a feature moved is its Shapley value [Shapley: A Value for n-Person Games, 1953], estimated: the row is put
together feature by feature in ORDERS orders, and the share of a feature is the mean of what the raw prediction changed
by when it came [Castro, Gomez, Tejada: Polynomial calculation of the Shapley value based on sampling, Computers & OR
2009]. That needs nothing but `predict`, whatever the learner is, and the shares add up to the raw prediction, for in
each order the changes do. Half of the orders are the others read backwards, so that of what two features do only
together each has exactly half. Where a prediction is a sum over the features, each order gives the term w_f x_f, which
is then asked for at once.

Beside it stands the prediction of the row without the feature (occlusion): two features that say the same lose nothing
one by one, and share what they moved.

What a member moved is the combiner's weight times what the member said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.options.methods import additive

if TYPE_CHECKING:
    from sonlearn.learn.learner import Learner

#: Orders in which a row is put together.
ORDERS = 32
#: Entries of the rows that are predicted at a time, about.
_ENTRIES = 1 << 20


class MemberContribution(NamedTuple):
    """A member's part in a prediction.

    Attributes
    ----------
    name : str
    said : float
        What it predicts, in the terms of a raw prediction.
    weight : float
        The combiner's, averaged over the combiner's learners as `Learner.facts` has it.
    moved : float
        The weight times what the combiner was told, in the terms of a raw prediction.
    """

    name: str
    said: float
    weight: float
    moved: float


class Account(NamedTuple):
    """What a raw prediction, or the score of a class, is made of.

    ``raw`` is ``empty + sum of moved`` and, where there are members, ``start + mixed + sum of members' moved``: exactly
    but for rounding.

    Attributes
    ----------
    label : int, str or None
        The class; None where there are no several classes.
    raw : float
    ids : int64[s]
        The features of the row, those first that moved most in either direction.
    values : float64[s]
        Values of the same feature added up.
    moved : float64[s]
        Their shares.
    without : float64[s]
        The raw prediction of the row without the feature.
    empty : float
        The raw prediction of the row without any feature: the base, and what is said without looking.
    members : tuple of Voice
        Those at work, in order as the features; none where the learner has no members.
    start : float
        What would be predicted if no member said anything: the base, and of values the mean label.
    mixed : float
        What is left: the combiner mixes probabilities and ends at bounds, neither of which is a sum.
    """

    label: int | str | None
    raw: float
    ids: np.ndarray
    values: np.ndarray
    moved: np.ndarray
    without: np.ndarray
    empty: float
    members: tuple[MemberContribution, ...]
    start: float
    mixed: float


class Explanation(NamedTuple):
    """Why a row is predicted as it is.

    Attributes
    ----------
    prediction : float
        As `Learner.predict` gives it; of several classes, see `PredictedClass.prediction`.
    accounts : tuple of Account
        One; of several classes those of the two with the highest scores, as far as so many have been met.
    """

    prediction: float
    accounts: tuple[Account, ...]


def explained(learner: Learner, batch: Batch) -> Iterator[Explanation]:
    """For each row of `batch` an `Explanation`; labels do not count. Raises DivergedError as `Learner.predict` does."""
    silent = batch._replace(y=np.full(batch.n, np.nan), class_names=None, tags=None)
    for i in range(batch.n):
        yield _Row(learner, silent.part(i, i + 1)).explained()


def orders_of(s: int) -> np.ndarray:
    """int64[ORDERS, s]: the orders in which s features come, always the same; each second one is the one before it,
    backwards.
    """
    rng = np.random.default_rng(0)
    forth = np.array([rng.permutation(s) for _ in range(ORDERS // 2)], dtype=np.int64)
    return np.stack([forth, forth[:, ::-1]], axis=1).reshape(ORDERS, s)


class _Row:
    """A row, and what the learner says of parts of it.

    Parameters
    ----------
    learner : Learner
    row : Batch, of one row without a label
    """

    def __init__(self, learner: Learner, row: Batch):
        self._learner, self._row, self.several = learner, row, learner.options.several
        self.predicted = learner.predict(row)
        if self.several:
            scores = self.predicted.scores[0, : int(self.predicted.met[0])]
            self.classes = np.argsort(-scores, kind="stable")[:2]
            self.raw = scores[self.classes]
        else:
            self.classes, self.raw = np.zeros(1, np.int64), self.predicted.raw
        # Features in the order of their ids, so that nothing depends on the order in the row.
        self.ids, self._feature = np.unique(row.indices, return_inverse=True)
        self.values = np.bincount(self._feature, row.values, len(self.ids))

    def explained(self) -> Explanation:
        """What moved the prediction."""
        moved, without, empty = self._terms() if additive(self._learner.options) else self._shares()
        accounts = []
        for c, k in enumerate(self.classes.tolist()):
            order = np.argsort(-np.abs(moved[:, c]), kind="stable")
            label, raw = self._learner.classes[k] if self.several else None, float(self.raw[c])
            features = (self.ids[order], self.values[order], moved[order, c], without[order, c], float(empty[c]))
            accounts.append(Account(label, raw, *features, *self._contributions(k if self.several else None, raw)))
        return Explanation(float(self.predicted.prediction[0]), tuple(accounts))

    def _terms(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(moved, without float64[s, classes], empty float64[classes]) of a sum: each feature alone, in rows of one."""
        base, features = self._row.base, np.arange(len(self.ids))[:, None]
        moved = self._said(len(features), lambda chosen: self._feature == features[chosen], base=None)
        return moved, self.raw - moved, np.full(len(self.classes), 0.0 if base is None else base[0])

    def _shares(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same of any learner, from rows without one feature, and from rows that grow in some orders."""
        s = len(self.ids)
        features, orders = np.arange(s)[:, None], orders_of(s)
        without = self._said(s, lambda chosen: self._feature != features[chosen], base=self._row.base)
        place = np.argsort(orders, axis=1)  # of each feature in each order

        def begun(chosen: slice) -> np.ndarray:
            o, j = np.divmod(np.arange(chosen.start, chosen.stop), s)
            return place[o][:, self._feature] < j[:, None]  # the first j of order o, from none to all but one

        grown = self._said(ORDERS * s, begun, base=self._row.base)
        steps = np.concatenate(
            [grown.reshape(ORDERS, s, len(self.raw)), np.broadcast_to(self.raw, (ORDERS, 1, len(self.raw)))], 1
        )
        moved = np.take_along_axis(np.diff(steps, axis=1), place[:, :, None], axis=1).mean(axis=0)
        return moved, without, steps[0, 0]

    def _said(self, n: int, keep: Callable[[slice], np.ndarray], base: np.ndarray | None) -> np.ndarray:
        """float64[n, classes]: predictions of n rows, of the entries where ``keep(rows)``, bool[rows, entries], is."""
        out, step = np.zeros((n, len(self.classes))), max(1, _ENTRIES // max(len(self._feature), 1))
        for start in range(0, n if len(self.classes) else 0, step):
            chosen = slice(start, min(start + step, n))
            said = self._learner.predict(_kept(self._row._replace(base=base), keep(chosen)))
            out[chosen] = said.scores[:, self.classes] if self.several else said.raw[:, None]
        return out

    def _contributions(self, k: int | None, raw: float) -> tuple[tuple[MemberContribution, ...], float, float]:
        """(members, start, mixed) of an `Account`."""
        contributions = self._learner.contributions(self._row, k)
        if contributions is None:
            return (), 0.0, 0.0
        said, moved, start = contributions.said[0].tolist(), contributions.moved[0], float(contributions.start[0])
        order = np.argsort(-np.abs(moved), kind="stable").tolist()
        members = tuple(
            MemberContribution(contributions.names[j], said[j], float(contributions.weight[j]), float(moved[j]))
            for j in order
        )
        return members, start, raw - start - float(moved.sum())


def _kept(row: Batch, keep: np.ndarray) -> Batch:
    """A row for each row of `keep` (bool[n, entries of `row`]): the entries of `row` where it is true."""
    n, shape = len(keep), keep.shape
    return Batch(
        indptr=np.concatenate([[0], np.cumsum(keep.sum(axis=1))]).astype(np.int64),
        indices=np.broadcast_to(row.indices, shape)[keep], values=np.broadcast_to(row.values, shape)[keep],
        y=np.full(n, np.nan), weight=np.repeat(row.weight, n), lines=np.repeat(row.lines, n), source=row.source,
        base=None if row.base is None else np.repeat(row.base, n), constant=row.constant,
    )  # fmt: skip
