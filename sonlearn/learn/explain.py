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

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch, joined
from sonlearn.options.methods import additive

if TYPE_CHECKING:
    from sonlearn.learn.engine import Contributions
    from sonlearn.learn.learner import Learner
    from sonlearn.learn.predicted import Predicted


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
    """Yield an `Explanation` of each row of `batch`, and None after each step towards some; labels are ignored.

    Of several classes, it has an attribution for each of the `classes` with the highest scores. A row is assembled in
    so many `orders` (even) at most. The learner must not learn between the steps. Raises DivergedError, as
    `Learner.predict`.
    """
    unlabelled = batch._replace(y=np.full(batch.n, np.nan), class_names=None, tags=None)
    of_row = _Terms if additive(learner.options) else _Row
    for some in _together(unlabelled, 1 if of_row is _Terms else orders + 1):
        predicted = learner.predict(some)
        rows = [of_row(some.part(i, i + 1), predicted, i, classes, orders) for i in range(some.n)]
        for parts in zip(*(row.subrows() for row in rows), strict=True):
            scores = learner.predict(joined(list(parts))).scores
            for row, part in zip(rows, np.split(scores, np.cumsum([part.n for part in parts])[:-1]), strict=True):
                row.scores.append(part[:, row.classes])
            yield None
        shares = {k: learner.contributions(some, k) for k in {k for row in rows for k in row.numbers}}
        names = learner.labels.labels
        for i, row in enumerate(rows):
            yield row.explanation(names, [_members(shares[k], i) for k in row.numbers])


def _together(batch: Batch, subrows: int) -> Iterator[Batch]:
    """Parts of `batch` that are explained together: a row, or several whose subrows make one step.

    subrows : int, how many are predicted for each feature of a row
    """
    start, total = 0, 0
    for i, entries in enumerate(np.diff(batch.indptr).tolist()):
        size = subrows * entries * (entries + _ROW)
        total += size
        if i > start and total > _ENTRIES:
            yield batch.part(start, i)
            start, total = i, size
    if batch.n:
        yield batch.part(start, batch.n)


def orders_of(s: int, most: int = ORDERS) -> np.ndarray:
    """int64[orders, s]: fixed random orders of s features; every second one is the reverse of the one before it."""
    rng = np.random.default_rng(0)
    pairs = min(most // 2, max(ORDERS_ENTRIES // max(s * s, 1), 1))
    forth = np.array([rng.permutation(s) for _ in range(pairs)], dtype=np.int64)
    return np.stack([forth, forth[:, ::-1]], axis=1).reshape(2 * pairs, s)


class _Row:
    """A row, and a learner's predictions for subsets of its features: without one, then assembled in `orders_of` them.

    Parameters
    ----------
    row : Batch, of one row without a label
    predicted : Predicted, of the row and others
    i : int, the place of the row among them
    classes : int, how many of several
    orders : int, in which it is assembled at most

    Attributes
    ----------
    numbers : list of int or None
        The classes with the highest scores; None for the one score of no class.
    scores : list of float64[n, len(numbers)]
        Their scores in the rows of `subrows`, of each part.
    """

    def __init__(self, row: Batch, predicted: Predicted, i: int, classes: int, orders: int):
        self._row, self._orders, self._prediction = row, orders, float(predicted.prediction[i])
        known = predicted.scores[i, : None if predicted.met is None else int(predicted.met[i])]
        self.classes = np.argsort(-known, kind="stable")[:classes]
        self.numbers: list[int | None] = [None] if predicted.met is None else self.classes.tolist()
        self.raw = known[self.classes]
        # Features are sorted by id, so the result does not depend on their order in the row.
        self.ids, self._feature = np.unique(row.indices, return_inverse=True)
        self._values = np.bincount(self._feature, row.values, len(self.ids))
        self.scores: list[np.ndarray] = []

    def subrows(self) -> Iterator[Batch]:
        """Yield the subsets of the row to be predicted, in parts of about `_ENTRIES` entries."""
        step, n = max(1, _ENTRIES // (len(self._feature) + _ROW)), self._subsets()
        for start in range(0, max(n, 1), step):
            yield _subrows(self._row, self._chosen(np.arange(start, min(start + step, n))))

    def explanation(
        self, names: Sequence[Any], members: list[tuple[tuple[MemberContribution, ...], float, float]]
    ) -> Explanation:
        """Return the explanation of the row, when `scores` are there.

        names : the names of the classes
        members : for each of `numbers` (members, start) of `Attribution`, and the sum of the members' contributions
        """
        contributions, without, empty = self._features(np.concatenate(self.scores))
        attributions = []
        for c, (k, (shares, start, total)) in enumerate(zip(self.numbers, members, strict=True)):
            order, raw = np.argsort(-np.abs(contributions[:, c]), kind="stable"), float(self.raw[c])
            mixed = raw - start - total if shares else 0.0
            label = None if k is None else names[k]
            features = (self.ids[order], self._values[order], contributions[order, c], without[order, c])
            attributions.append(Attribution(label, raw, *features, float(empty[c]), shares, start, mixed))
        return Explanation(self._prediction, tuple(attributions))

    @functools.cached_property
    def _place(self) -> np.ndarray:
        """int64[orders, s]: the position of each feature in each order."""
        return np.argsort(orders_of(len(self.ids), self._orders), axis=1)

    def _subsets(self) -> int:
        """Return the number of subsets of the row that are predicted."""
        return len(self.ids) + self._place.size

    def _chosen(self, subsets: np.ndarray) -> np.ndarray:
        """Return bool[n, entries of the row]: which entries stand in the `subsets`, int64[n]."""
        s = len(self.ids)
        absent, grown = subsets[subsets < s], subsets[subsets >= s] - s
        o, j = np.divmod(grown, max(s, 1))  # the first j features of order o, from none to all but one
        prefixes = self._place[o][:, self._feature] < j[:, None]
        return np.concatenate([self._feature != absent[:, None], prefixes])

    def _features(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return (contributions, without: float64[s, classes], empty: float64[classes]) by all scores."""
        n, s = self._place.shape
        grown = scores[s:].reshape(n, s, len(self.raw))
        steps = np.concatenate([grown, np.broadcast_to(self.raw, (n, 1, len(self.raw)))], axis=1)
        contributions = np.take_along_axis(np.diff(steps, axis=1), self._place[:, :, None], axis=1).mean(axis=0)
        return contributions, scores[:s], steps[0, 0]


class _Terms(_Row):
    """A row of an additive learner: each feature is predicted in a row of its own."""

    def __init__(self, row: Batch, *about: Any):
        super().__init__(row._replace(base=None), *about)
        self._empty = 0.0 if row.base is None else row.base[0]

    def _subsets(self) -> int:
        return len(self.ids)

    def _chosen(self, subsets: np.ndarray) -> np.ndarray:
        return self._feature == subsets[:, None]

    def _features(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return scores, self.raw - scores, np.full(len(self.classes), self._empty)


def _members(found: Contributions | None, i: int) -> tuple[tuple[MemberContribution, ...], float, float]:
    """(members, start) of an `Attribution` of row i, and the sum of the members' contributions."""
    if found is None:
        return (), 0.0, 0.0
    shares = found.contributions[i]
    members = tuple(
        MemberContribution(found.names[j], float(found.predictions[i, j]), float(found.weight[j]), float(shares[j]))
        for j in np.argsort(-np.abs(shares), kind="stable").tolist()
    )
    return members, float(found.start[i]), float(shares.sum())


def _subrows(row: Batch, chosen_entries: np.ndarray) -> Batch:
    """Batch of n subsets of `row`: row i has the entries where ``chosen_entries[i]`` (bool[n, entries]) is true."""
    n, shape = len(chosen_entries), chosen_entries.shape
    return Batch(
        indptr=np.concatenate([[0], np.cumsum(chosen_entries.sum(axis=1))]).astype(np.int64),
        indices=np.broadcast_to(row.indices, shape)[chosen_entries],
        values=np.broadcast_to(row.values, shape)[chosen_entries],
        y=np.full(n, np.nan), weight=np.repeat(row.weight, n), lines=np.repeat(row.lines, n), source=row.source,
        base=None if row.base is None else np.repeat(row.base, n), constant=row.constant,
        marks=None if row.marks is None else np.broadcast_to(row.marks, shape)[chosen_entries],
    )  # fmt: skip
