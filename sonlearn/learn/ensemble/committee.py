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
from sonlearn.learn.engine import Contributions, Engine, Predictions
from sonlearn.learn.ensemble.by_row import CommitteeByRow
from sonlearn.learn.ensemble.importance import LIMIT, first_wild, relative_weights
from sonlearn.learn.ensemble.label_scale import LabelScale, LabelStandardiser, LabelState
from sonlearn.learn.ensemble.merging import merge_labels, merge_now
from sonlearn.learn.ensemble.stacking import EnsembleState, StackedEnsemble
from sonlearn.learn.ensemble.viewing import Views, rows_between
from sonlearn.options import LearnOptions
from sonlearn.options.members import Member, default_members, member

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
        self.clip = options.clip
        pool = ThreadPoolExecutor(threads) if threads > 1 else None
        members = committee_members(options)
        self.views = Views(dict.fromkeys(each.view for each in members), options.loss)
        self.labels = LabelStandardiser(options)
        self.ensemble = StackedEnsemble(options, members, pool, threads)
        self.merges = self.ensemble.merges

    def new(self, classes: int = 0) -> CommitteeState:
        """State of a committee that has seen nothing."""
        return CommitteeState(self.labels.new(), self.views.new(), self.ensemble.new(), np.zeros(1, dtype=NOW))

    def reserve(self, state: CommitteeState, rows: Rows, features: int) -> CommitteeState:
        """Views have room for the batch, members for the features so far; theirs of the batch comes with it."""
        views = self.views.reserve(state.views, rows, features, self.ensemble.needed(state.ensemble))
        return state._replace(views=views, ensemble=self.ensemble.reserve(state.ensemble, self.views.sizes(views)))

    def learn(self, state: CommitteeState, rows: Rows, out: Predictions, start: int) -> tuple[CommitteeState, int]:
        """Learn rows from `start` on; see `Engine.learn`."""
        return self._learn(state, rows, out, start, settles=False)

    def settle(self, state: CommitteeState, rows: Rows, out: Predictions, start: int) -> tuple[CommitteeState, int]:
        """`learn`, but members of a long memory only predict; see `Engine.settle`."""
        return self._learn(state, rows, out, start, settles=True)

    def _learn(
        self, state: CommitteeState, rows: Rows, out: Predictions, start: int, settles: bool
    ) -> tuple[CommitteeState, int]:
        end = first_wild(rows.indptr, rows.values, rows.y, rows.weight, start, LIMIT)
        part, at = rows_between(rows, start, end), slice(start, end)
        part = part._replace(weight=relative_weights(state.now, part.weight, part.y))
        again = bool(state.now["passes"][0] > 0)
        scaled, scale = self.labels.standardise(state.labels, part, learn=not again)
        views, viewed = self.views.showing(state.views, scaled, learn=not again)  # in later passes they have counted it
        needed = self.ensemble.needed(state.ensemble)
        ensemble = self.ensemble.learn(
            state.ensemble, viewed._replace(scale=scale), scaled, out.raw[at], out.offline[at], again, settles
        )
        self.finish(scale, part, out.part(start, end))
        own, left = tuple(views), self.ensemble.needed(ensemble)
        return state._replace(views=own if left == needed else self.views.kept(own, left), ensemble=ensemble), end

    def predict(self, state: CommitteeState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        rows = rows._replace(weight=relative_weights(state.now, rows.weight, rows.y, learn=False))
        scaled, scale = self.labels.standardise(state.labels, rows, learn=False)
        _, viewed = self.views.showing(state.views, scaled, learn=False)
        self.ensemble.predict(state.ensemble, viewed._replace(scale=scale), scaled, out.raw)
        out.offline[:] = out.raw
        self.finish(scale, rows, out)
        return len(rows.y)

    def by_row(self) -> CommitteeByRow:
        """See `Engine.by_row`."""
        return CommitteeByRow(self)

    def contributions(self, state: CommitteeState, rows: Rows, number: None = None) -> Contributions:
        """What the members make of `rows` in the offline combination."""
        rows = rows._replace(weight=relative_weights(state.now, rows.weight, rows.y, learn=False))
        scaled, scale = self.labels.standardise(state.labels, rows, learn=False)
        _, viewed = self.views.showing(state.views, scaled, learn=False)
        names, V, w, z = self.ensemble.contributions(state.ensemble, viewed._replace(scale=scale), scaled)
        predictions, contributions, start = self.labels.contributions(scale, V, w, z, rows.base)
        return Contributions(names, predictions, w, contributions, start)

    def weights(self, state: CommitteeState, features: int, number: int | None = None) -> np.ndarray:
        """Weights of the members that are linear in the raw row, as the combiner adds them up."""
        return self.labels.unit(state.labels) * self.ensemble.weights(state.ensemble, features)

    def packed(self, state: CommitteeState) -> CommitteeState:
        """`state` without spare room."""
        return state._replace(views=self.views.packed(state.views), ensemble=self.ensemble.packed(state.ensemble))

    def renumbered(
        self, state: CommitteeState, numbers: np.ndarray, features: int, slots: np.ndarray | None = None
    ) -> CommitteeState:
        """`state` with other numbers (see `Engine.renumbered`): the views', and what members see of these."""
        views, shown = self.views.renumbered(state.views, numbers, features)
        return state._replace(views=views, ensemble=self.ensemble.renumbered(state.ensemble, shown))

    def merge(self, states: Sequence[CommitteeState], base: CommitteeState, rows: Sequence[int]) -> CommitteeState:
        """Views, members and combiners, each in its own way (see `Engine.merge`)."""
        ensembles = [state.ensemble for state in states]
        views, merged = list(base.views), {}
        for at, name in enumerate(self.views.names):
            holders = self.ensemble.with_view(ensembles, name)
            if holders:
                found = self.views.merge(name, [states[g].views for g in holders], base.views)
                views[at], merged[name] = found.state, (holders, found)
            else:
                views[at] = self.views.new()[at]
        ensemble = self.ensemble.merge(ensembles, base.ensemble, rows, merged, self.views.sizes(tuple(views)))
        return CommitteeState(
            merge_labels([state.labels for state in states], base.labels),
            self.views.kept(tuple(views), self.ensemble.needed(ensemble)), ensemble,
            merge_now([state.now for state in states], base.now),
        )  # fmt: skip

    def carried(self, state: CommitteeState, base: CommitteeState, previous: CommitteeState) -> CommitteeState:
        """Members of a long memory go on as they moved before (see `Engine.carried`)."""
        ensemble = self.ensemble.carried(state.ensemble, base.ensemble, previous.ensemble)
        return state._replace(ensemble=ensemble)

    def facts(self, state: CommitteeState) -> dict[str, Any]:
        """See `StackedEnsemble.facts`."""
        return self.ensemble.facts(state.ensemble)

    def next_pass(self, state: CommitteeState) -> None:
        """Say that the rows to come have been learned from before.

        Members that have learned a row predict it better than they predict a new one, and those that memorise gain
        most: the combiners, which would come to rely on them, learn only in the first pass. What is counted is counted
        once.
        """
        state.now["passes"] += 1

    def finish(self, scale: LabelScale, rows: Rows, out: Predictions) -> None:
        """Fill `out` with what the combinations in it mean."""
        for raw in (out.raw, out.offline):
            raw[:] = self.labels.unscaled(scale, raw, rows.base)
        np.clip(out.raw, -self.clip, self.clip, out=out.prediction)


def committee_members(options: LearnOptions) -> tuple[Member, ...]:
    """The members that `options` ask for.

    By default, members that forget no faster than ``--decay`` has all forget are left out: they are there already.
    """
    if options.members:
        return tuple(member(name, options.loss) for name in options.members)
    members = (member(name, options.loss) for name in default_members(options.loss, options.budget))
    return tuple(each for each in members if each.rate == 0.0 or each.rate > options.decay)
