"""The committee: views of a row, and a stacked ensemble of members that learn from these. The default method.

Each member predicts a row from its view and learns from it, and the combiners (`combiner`) do the same with the
members' predictions, all of them made before the label is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.rows import Rows
from sonlearn.jit import jit
from sonlearn.learn.engine import Contributions, Engine, Predictions
from sonlearn.learn.ensemble.importance import relative_weights
from sonlearn.learn.ensemble.label_scale import LabelScale, LabelStandardiser, LabelState
from sonlearn.learn.ensemble.merging import merge_labels, merge_now
from sonlearn.learn.ensemble.stacking import EnsembleState, StackedEnsemble, mapping
from sonlearn.learn.ensemble.viewing import Views, rows_between
from sonlearn.options import LearnOptions
from sonlearn.options.members import Member, default_members, member

#: A row with a value beyond this is refused: the members square it, and multiply such squares.
LIMIT = 1e50


NOW = [("rows", "i8"), ("weight", "f8"), ("passes", "i8")]


class CommitteeState(NamedTuple):
    """All that a committee has learned."""

    labels: LabelState
    views: tuple  # the views' states
    ensemble: EnsembleState
    now: np.ndarray  # structured [1]: rows that had a weight, sum of those weights; passes begun


class Committee(Engine):
    """Engine of the committee.

    Parameters
    ----------
    options : LearnOptions
        ``members``: of which members, empty: of those that suit the loss.
    threads : int
        How many views and members may run side by side.
    """

    #: Views count the features that no row learned from has had (`sonlearn.views.view`).
    unknown = True

    def __init__(self, options: LearnOptions, threads: int = 1):
        self._options = options
        pool = ThreadPoolExecutor(threads) if threads > 1 else None
        members = members_of(options)
        self._views = Views(dict.fromkeys(each.view for each in members), mapping(pool), options.loss)
        self._labels = LabelStandardiser(options)
        self._ensemble = StackedEnsemble(options, members, pool, threads)
        self.merges = self._ensemble.merges

    def new(self) -> CommitteeState:
        """State of a committee that has seen nothing."""
        return CommitteeState(self._labels.new(), self._views.new(), self._ensemble.new(), np.zeros(1, dtype=NOW))

    def reserve(self, state: CommitteeState, rows: Rows, features: int) -> CommitteeState:
        """Views have room for the batch, members for the features so far; theirs of the batch comes with it."""
        views = self._views.reserve(state.views, rows, features, self._ensemble.needed(state.ensemble))
        return state._replace(views=views, ensemble=self._ensemble.reserve(state.ensemble, self._views.sizes(views)))

    def learn(self, state: CommitteeState, rows: Rows, out: Predictions, start: int) -> tuple[CommitteeState, int]:
        """Learn rows from `start` on; see `Engine.learn`."""
        end = first_wild(rows.indptr, rows.values, rows.y, rows.weight, start, LIMIT)
        part, at = rows_between(rows, start, end), slice(start, end)
        part = part._replace(weight=relative_weights(state.now, part.weight, part.y))
        again = bool(state.now["passes"][0] > 0)
        scaled, scale = self._labels.standardise(state.labels, part, learn=not again)
        views, viewed = self._views.showing(
            state.views, scaled, learn=not again
        )  # in later passes they have counted it
        ensemble = self._ensemble.learn(
            state.ensemble, viewed._replace(scale=scale), scaled, out.raw[at], out.offline[at], again
        )
        self._finish(scale, part, Predictions(*(array[at] for array in out)))
        views = self._views.kept(tuple(views), self._ensemble.needed(ensemble))
        return state._replace(views=views, ensemble=ensemble), end

    def predict(self, state: CommitteeState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        rows = rows._replace(weight=relative_weights(state.now, rows.weight, rows.y, learn=False))
        scaled, scale = self._labels.standardise(state.labels, rows, learn=False)
        _, viewed = self._views.showing(state.views, scaled, learn=False)
        self._ensemble.predict(state.ensemble, viewed._replace(scale=scale), scaled, out.raw)
        out.offline[:] = out.raw
        self._finish(scale, rows, out)
        return len(rows.y)

    def contributions(self, state: CommitteeState, rows: Rows, number: None = None) -> Contributions:
        """What the members make of `rows` in the offline combination."""
        rows = rows._replace(weight=relative_weights(state.now, rows.weight, rows.y, learn=False))
        scaled, scale = self._labels.standardise(state.labels, rows, learn=False)
        _, viewed = self._views.showing(state.views, scaled, learn=False)
        names, V, w, z = self._ensemble.contributions(state.ensemble, viewed._replace(scale=scale), scaled)
        predictions, contributions, start = self._labels.contributions(scale, V, w, z, rows.base)
        return Contributions(names, predictions, w, contributions, start)

    def weights(self, state: CommitteeState, features: int) -> np.ndarray:
        """Weights of the members that are linear in the raw row, as the combiner adds them up."""
        return self._labels.unit(state.labels) * self._ensemble.weights(state.ensemble, features)

    def packed(self, state: CommitteeState) -> CommitteeState:
        """`state` without spare room."""
        return state._replace(views=self._views.packed(state.views), ensemble=self._ensemble.packed(state.ensemble))

    def renumbered(self, state: CommitteeState, numbers: np.ndarray, features: int) -> CommitteeState:
        """`state` with other numbers (see `Engine.renumbered`): the views', and what members see of these."""
        views, shown = self._views.renumbered(state.views, numbers, features)
        return state._replace(views=views, ensemble=self._ensemble.renumbered(state.ensemble, shown))

    def merge(self, states: Sequence[CommitteeState], base: CommitteeState, rows: Sequence[int]) -> CommitteeState:
        """Views, members and combiners, each in its own way (see `Engine.merge`)."""
        ensembles = [state.ensemble for state in states]
        views, merged = list(base.views), {}
        for at, name in enumerate(self._views.names):
            those = self._ensemble.with_view(ensembles, name)
            if those:
                found = self._views.merge(name, [states[g].views for g in those], base.views)
                views[at], merged[name] = found.state, (those, found)
            else:
                views[at] = self._views.new()[at]
        ensemble = self._ensemble.merge(ensembles, base.ensemble, rows, merged, self._views.sizes(tuple(views)))
        return CommitteeState(
            merge_labels([state.labels for state in states], base.labels),
            self._views.kept(tuple(views), self._ensemble.needed(ensemble)), ensemble,
            merge_now([state.now for state in states], base.now),
        )  # fmt: skip

    def facts(self, state: CommitteeState) -> dict[str, Any]:
        """See `StackedEnsemble.facts`."""
        return self._ensemble.facts(state.ensemble)

    def next_pass(self, state: CommitteeState) -> None:
        """Say that the rows to come have been learned from before.

        Members that have learned a row predict it better than they predict a new one, and those that memorise gain
        most: the combiners, which would come to rely on them, learn only in the first pass. What is counted is counted
        once.
        """
        state.now["passes"] += 1

    def _finish(self, scale: LabelScale, rows: Rows, out: Predictions) -> None:
        for raw in (out.raw, out.offline):
            raw[:] = self._labels.unscaled(scale, raw, rows.base)
        np.clip(out.raw, -self._options.clip, self._options.clip, out=out.prediction)


def members_of(options: LearnOptions) -> tuple[Member, ...]:
    """The members that `options` ask for.

    By default, members that forget no faster than ``--decay`` has all forget are left out: they are there already.
    """
    if options.members:
        return tuple(member(name, options.loss) for name in options.members)
    members = (member(name, options.loss) for name in default_members(options.loss, options.budget))
    return tuple(each for each in members if each.rate == 0.0 or each.rate > options.decay)


@jit
def first_wild(indptr, values, y, weight, start, limit):
    """First row from `start` on with a value, label or weight beyond `limit`, or n."""
    for i in range(start, len(y)):
        if abs(y[i]) > limit or weight[i] > limit:
            return i
        for at in range(indptr[i], indptr[i + 1]):
            if not abs(values[at]) <= limit:
                return i
    return len(y)
