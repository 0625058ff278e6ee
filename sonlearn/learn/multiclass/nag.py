"""Normalised adaptive gradient of several classes: softmax, and one rate a feature for all classes [NAG].

The steps are those of `sonlearn.learn.first_order.rules` for classes that share their rates, with weights in a table of
pairs, of the classes that rows have shown so far. Scores have no bounds, and t and N are not forgotten with G.

Weights are float32, all arithmetic is float64.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data import axes, merging
from sonlearn.data.axes import BY_FEATURE, Scalars
from sonlearn.data.rows import Rows, longest_row
from sonlearn.jit.sequence import Call
from sonlearn.learn.engine import Predictions
from sonlearn.learn.first_order.engine import NOW, brought_up_to_date, merged, new_work, params_of
from sonlearn.learn.first_order.rules import COLUMNS, NAG, G, S, follow
from sonlearn.learn.multiclass.engine import PAIRS, OfPairs, side_by_side, table_of
from sonlearn.learn.multiclass.pairs import Pairs, new_pairs
from sonlearn.options import LearnOptions


class NagState(NamedTuple):
    """All that has been learned."""

    pairs: Annotated[Pairs, PAIRS]  # their only number is the weight
    table: Annotated[np.ndarray, BY_FEATURE]  # float64[features, columns of the rule]; without weights
    # structured [1]: classes; t, N; features seen; rows learned from; the rest as of `FirstOrderState`
    now: Annotated[np.ndarray, Scalars("n", totals=("t", "N", "n"))]


class Nag(OfPairs):
    """Member of several classes (see `sonlearn.learn.multiclass`).

    Parameters
    ----------
    rate : float
        Factor of every step.
    decay : float
        Share of G that is forgotten with each row.
    """

    def __init__(self, rate: float = 4.0, decay: float = 0.0):
        self._decay, self.retention = decay, 1.0 - decay
        own = params_of(LearnOptions(method="nag", learning_rate=rate, decay=decay))
        self._params = own._replace(several=(True,), invariant=False, before=True)

    def new(self, classes: int = 0) -> NagState:
        """State that has seen nothing."""
        now = np.zeros(1, dtype=[("classes", "i8"), *NOW]).view(np.recarray)
        return NagState(new_pairs(1), np.zeros((0, COLUMNS[NAG] + 2 * self._params.lazy)), now)

    def calls(self, state: NagState, rows: Rows, out: Predictions, start: int = 0, learns: bool = True) -> list[Call]:
        """See `Engine.calls`."""
        output = self._params.output._replace(classes=out.raw.shape[1], low=-math.inf, high=math.inf)
        params = self._params._replace(output=output)
        scratch = new_work(params, longest_row(rows))
        return [(follow, (params, state, state.pairs, scratch, rows, out, start, learns, ()))]

    def up_to_date(self, state: NagState) -> NagState:
        """See `Engine.up_to_date`."""
        return brought_up_to_date(self._params, state)

    def merge(self, states: Sequence[NagState], base: NagState, rows: Sequence[int]) -> NagState:
        """Sums as of one run, weights moved by what their features' sums have gained (see `Engine.merge`)."""
        own, by, every = axes.rows_learned(states, base), self.shares(states, base), (base, *states)
        found = merged(self._params, states, base, super().merge(states, base, rows).now, by)
        gains = merging.added(base.table[:, G], [each.table[:, G] for each in states], own, self.retention, by)
        s = found.table[:, S]
        scales = [np.divide(each.table[:, S], s, out=np.ones(len(s)), where=s > 0.0) for each in every]
        feature, classes, columns = side_by_side([each.pairs for each in every])
        start, *others = (scale[feature] * column[:, 0] for scale, column in zip(scales, columns, strict=True))
        w = merging.moved(start, others, [gain[feature] for gain in gains])
        return found._replace(pairs=table_of(feature, classes, w[:, None], 0))
