"""Explanation of a prediction: the contributions of the row's features and of the learner's members. Slow.

The contribution of a feature is an estimate of its Shapley value [Shapley: A Value for n-Person Games, 1953]. The row
is assembled feature by feature in `ORDERS` orders, a long row in fewer (`orders_of`); the contribution is the mean
change of the raw prediction when the feature is added [Castro, Gomez, Tejada: Polynomial calculation of the Shapley
value based on sampling, Computers & OR 2009]. This needs only `predict`, so it works for any learner. The contributions
sum to the raw prediction, because the changes do in each order. Half of the orders are the reverse of the others, so
two features share an interaction equally. If the prediction is a sum over the features, each order gives the term
w_f x_f, which is computed directly.

An explanation also has the prediction of the row without each feature (occlusion). Removing one of two redundant
features changes nothing; their Shapley values share the effect.

The contribution of a member is the combiner's weight times its input from the member.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.options.methods import additive

if TYPE_CHECKING:
    from sonlearn.learn.learner import Learner


#: Number of orders in which a row is assembled, and of entries that all of them may predict: beyond, they are fewer.
ORDERS, ORDERS_ENTRIES = 32, 1 << 24
#: Approximate number of entries that are predicted at a time, where a row without entries counts as `_ROW`.
_ENTRIES, _ROW = 1 << 18, 100


class MemberContribution(NamedTuple):
    """A member's contribution to a prediction.

    Attributes
    ----------
    name : str
    prediction : float
        On the scale of a raw prediction.
    weight : float
        The combiner's weight, averaged over the combiner's learners as in `Learner.facts`.
    contribution : float
        The weight times the combiner's input, on the scale of a raw prediction.
    """

    name: str
    prediction: float
    weight: float
    contribution: float


class Attribution(NamedTuple):
    """The terms of a raw prediction, or of the score of a class.

    ``raw`` is ``baseline + sum of contributions``; with members it is also ``start + mixed + sum of the members'
    contributions``. Both hold up to rounding.

    Attributes
    ----------
    label : int, str or None
        The class; None unless there are several classes.
    raw : float
    ids : int64[s]
        Ids of the row's features, by descending absolute contribution.
    values : float64[s]
        Their values; repeated entries of a feature are summed.
    contributions : float64[s]
        Contribution of each feature.
    without : float64[s]
        The raw prediction of the row without the feature.
    baseline : float
        The raw prediction of a row without features.
    members : tuple of MemberContribution
        The active members, by descending absolute contribution; empty if the learner has no members.
    start : float
        The prediction if all members' contributions were 0: the base, for numeric labels plus the mean label.
    mixed : float
        The remainder: the combiner mixes probabilities and clips, neither of which is a sum.
    """

    label: int | str | None
    raw: float
    ids: np.ndarray
    values: np.ndarray
    contributions: np.ndarray
    without: np.ndarray
    baseline: float
    members: tuple[MemberContribution, ...]
    start: float
    mixed: float


class Explanation(NamedTuple):
    """The explanation of a row's prediction.

    Attributes
    ----------
    prediction : float
        As in the result of `Learner.predict`; for several classes see `Predicted.prediction`.
    attributions : tuple of Attribution
        One; for several classes, one for each of the two classes (or as many as were asked for) with the highest
        scores, if so many have occurred.
    """

    prediction: float
    attributions: tuple[Attribution, ...]


def explained(learner: Learner, batch: Batch, classes: int = 2, orders: int = ORDERS) -> Iterator[Explanation | None]:
    """Yield an `Explanation` of each row of `batch`, and None after each step towards one; labels are ignored.

    Of several classes, it has an attribution for each of the `classes` with the highest scores. A row is assembled in
    so many `orders` (even) at most. The learner must not learn between the steps of a row. Raises DivergedError, as
    `Learner.predict`.
    """
    unlabelled = batch._replace(y=np.full(batch.n, np.nan), class_names=None, tags=None)
    for i in range(batch.n):
        yield (yield from _Row(learner, unlabelled.part(i, i + 1), classes, orders).explained())


def orders_of(s: int, most: int = ORDERS) -> np.ndarray:
    """int64[orders, s]: fixed random orders of s features; every second one is the reverse of the one before it."""
    rng = np.random.default_rng(0)
    pairs = min(most // 2, max(ORDERS_ENTRIES // max(s * s, 1), 1))
    forth = np.array([rng.permutation(s) for _ in range(pairs)], dtype=np.int64)
    return np.stack([forth, forth[:, ::-1]], axis=1).reshape(2 * pairs, s)


_Terms = tuple[np.ndarray, np.ndarray, np.ndarray]


class _Row:
    """A row, and the learner's predictions for subsets of its features.

    Parameters
    ----------
    learner : Learner
    row : Batch, of one row without a label
    classes : int, how many of several
    orders : int, in which it is assembled at most
    """

    def __init__(self, learner: Learner, row: Batch, classes: int, orders: int):
        self._learner, self._row, self._orders = learner, row, orders
        self.predicted = learner.predict(row)
        self._alone = self.predicted.met is None  # there is one score, of no class
        scores = self.predicted.scores[0, : None if self._alone else int(self.predicted.met[0])]
        self.classes = np.argsort(-scores, kind="stable")[:classes]
        self.raw = scores[self.classes]
        # Features are sorted by id, so the result does not depend on their order in the row.
        self.ids, self._feature = np.unique(row.indices, return_inverse=True)
        self.values = np.bincount(self._feature, row.values, len(self.ids))

    def explained(self) -> Generator[None, None, Explanation]:
        """Return the explanation of the row; yield after each step towards it."""
        terms = self._terms if additive(self._learner.options) else self._shares
        contributions, without, empty = yield from terms()
        attributions = []
        for c, k in enumerate(self.classes.tolist()):
            order = np.argsort(-np.abs(contributions[:, c]), kind="stable")
            label, raw = None if self._alone else self._learner.classes[k], float(self.raw[c])
            features = (
                self.ids[order],
                self.values[order],
                contributions[order, c],
                without[order, c],
                float(empty[c]),
            )
            attributions.append(
                Attribution(label, raw, *features, *self._contributions(None if self._alone else k, raw))
            )
        return Explanation(float(self.predicted.prediction[0]), tuple(attributions))

    def _terms(self) -> Generator[None, None, _Terms]:
        """Return (contributions, without: float64[s, classes], empty: float64[classes]) of an additive learner.

        Each feature is predicted in a row of its own.
        """
        base, features = self._row.base, np.arange(len(self.ids))[:, None]
        alone = self._predictions(len(features), lambda chosen: self._feature == features[chosen], base=None)
        contributions = yield from alone
        return contributions, self.raw - contributions, np.full(len(self.classes), 0.0 if base is None else base[0])

    def _shares(self) -> Generator[None, None, _Terms]:
        """Return them for any learner, from rows without one feature and from rows assembled in `orders_of` them."""
        s = len(self.ids)
        features, orders = np.arange(s)[:, None], orders_of(s, self._orders)
        n = len(orders)
        without = yield from self._predictions(s, lambda chosen: self._feature != features[chosen], base=self._row.base)
        place = np.argsort(orders, axis=1)  # position of each feature in each order

        def prefix(chosen: slice) -> np.ndarray:
            o, j = np.divmod(np.arange(chosen.start, chosen.stop), s)
            return place[o][:, self._feature] < j[:, None]  # the first j of order o, from none to all but one

        grown = yield from self._predictions(n * s, prefix, base=self._row.base)
        steps = np.concatenate(
            [grown.reshape(n, s, len(self.raw)), np.broadcast_to(self.raw, (n, 1, len(self.raw)))], 1
        )
        contributions = np.take_along_axis(np.diff(steps, axis=1), place[:, :, None], axis=1).mean(axis=0)
        return contributions, without, steps[0, 0]

    def _predictions(
        self, n: int, chosen_entries: Callable[[slice], np.ndarray], base: np.ndarray | None
    ) -> Generator[None, None, np.ndarray]:
        """Return float64[n, classes]: predictions of n subsets of the row; yield after each step.

        chosen_entries : function of a slice of the n rows that returns bool[rows, entries of the row]
        """
        out, step = np.zeros((n, len(self.classes))), max(1, _ENTRIES // (len(self._feature) + _ROW))
        for start in range(0, n if len(self.classes) else 0, step):
            chosen = slice(start, min(start + step, n))
            predicted = self._learner.predict(_subrows(self._row._replace(base=base), chosen_entries(chosen)))
            out[chosen] = predicted.scores[:, self.classes]
            yield
        return out

    def _contributions(self, k: int | None, raw: float) -> tuple[tuple[MemberContribution, ...], float, float]:
        """(members, start, mixed) of an `Attribution`."""
        found = self._learner.contributions(self._row, k)
        if found is None:
            return (), 0.0, 0.0
        shares, start = found.contributions[0], float(found.start[0])
        members = tuple(
            MemberContribution(found.names[j], float(found.predictions[0, j]), float(found.weight[j]), float(shares[j]))
            for j in np.argsort(-np.abs(shares), kind="stable").tolist()
        )
        return members, start, raw - start - float(shares.sum())


def _subrows(row: Batch, chosen_entries: np.ndarray) -> Batch:
    """Batch of n subsets of `row`: row i has the entries where ``chosen_entries[i]`` (bool[n, entries]) is true."""
    n, shape = len(chosen_entries), chosen_entries.shape
    return Batch(
        indptr=np.concatenate([[0], np.cumsum(chosen_entries.sum(axis=1))]).astype(np.int64),
        indices=np.broadcast_to(row.indices, shape)[chosen_entries],
        values=np.broadcast_to(row.values, shape)[chosen_entries],
        y=np.full(n, np.nan), weight=np.repeat(row.weight, n), lines=np.repeat(row.lines, n), source=row.source,
        base=None if row.base is None else np.repeat(row.base, n), constant=row.constant,
        words=None if row.words is None else np.broadcast_to(row.words, shape)[chosen_entries],
    )  # fmt: skip
