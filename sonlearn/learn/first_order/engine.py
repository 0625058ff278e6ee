"""First-order learners: the engine around the kernels of `sonlearn.learn.first_order.rules`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data.axes import BY_FEATURE, Classes, Scalars
from sonlearn.data.rows import Rows, longest_row
from sonlearn.jit.sequence import Call
from sonlearn.learn.engine import Engine, Predictions, by_class
from sonlearn.learn.first_order import rules
from sonlearn.learn.first_order.merging import carried, merged
from sonlearn.learn.losses import Loss, loss_of
from sonlearn.learn.retention import Retention, retention_of
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS

#: t: rounds learned, with forgetting (nag, coin: their total importance); N: nag's and coin's sum of squared norms;
#: seen: number of features; n: rounds learned; shrunk: minus the logarithm of the product of all --l2 factors;
#: low, high: least and largest of the labels learned and 0 (--clip labels).
NOW = [("t", "f8"), ("N", "f8"), ("seen", "i8"), ("n", "i8"), ("shrunk", "f8"), ("low", "f8"), ("high", "f8")]
SCALARS = Scalars("n", ("t", "N"), ("n", "shrunk"))


class FirstOrderParams(NamedTuple):
    """The kernels' parameters, from `LearnOptions`."""

    rule: int
    classes: int  # classes that share a rate for each feature; 0: one weight vector and `loss`
    several: tuple[bool, ...]  # empty with one score: kernels are compiled for the length of a tuple
    loss: Loss
    low: float  # predictions are clipped to low..high
    high: float
    labels: bool  # whether they are clipped to the labels so far
    rate: float
    power_t: float
    alpha: float
    beta: float
    l1: float
    l2: float
    r: float
    invariant: bool
    before: bool
    delta: float
    dual: bool
    retention: Retention  # factor of the sums in each round: 1 - decay
    shrink: float  # --l2 as a factor of the weights; 0 for ftrl, which has a term of its own
    lazy: bool  # whether there is forgetting or shrinkage


class FirstOrderState(NamedTuple):
    """State of a learner, without the names of its features."""

    # float64[features, columns of the rule, and one for each of K classes]
    table: Annotated[np.ndarray, BY_FEATURE, Classes(1)]
    now: Annotated[np.ndarray, SCALARS]  # structured [1]


class FirstOrderScratch(NamedTuple):
    """Scratch space for one row."""

    slope: np.ndarray  # float64[K]; derivatives of the loss, then steps
    by_entry: np.ndarray  # float64[SCRATCH, longest row]; see `sonlearn.learn.first_order.rules`


class FirstOrder(Engine):
    """Engine of the first-order methods of `sonlearn.options.methods` (see `sonlearn.learn.engine.Engine`).

    With ``multinomial`` K classes share their rates, and predictions are float64[n, K] (`multiclass.multinomial`).
    """

    merges = True

    def __init__(self, options: LearnOptions):
        self._params = params_of(options)
        self.retention = self._params.retention.rate
        self._work = new_work(self._params, 0)

    def new(self, classes: int = 0) -> FirstOrderState:
        """State of an untrained learner."""
        columns = rules.COLUMNS[self._params.rule] + 2 * self._params.lazy + self._params.classes
        return FirstOrderState(np.zeros((0, columns)), np.zeros(1, dtype=NOW).view(np.recarray))

    def reserve(self, state: FirstOrderState, rows: Rows, features: int) -> FirstOrderState:
        """Make room for learning `rows`."""
        longest = longest_row(rows)
        if longest > self._work.by_entry.shape[1]:
            self._work = new_work(self._params, 2 * longest)
        return state if features <= len(state.table) else super().reserve(state, rows, features)

    def calls(self, state: FirstOrderState, rows: Rows, out: Predictions, start: int = 0) -> list[Call]:
        """See `Engine.calls`."""
        return [(rules.learn, (self._params, state, self._work, rows, by_class(out), start))]

    def predict(self, state: FirstOrderState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        at: int = rules.predict(self._params, state, rows, by_class(out).raw)
        np.clip(out.raw, self._params.low, self._params.high, out=out.prediction)
        return at

    def weights(self, state: FirstOrderState, features: int, number: int | None = None) -> np.ndarray:
        """float64[features], or float64[K, features] for K classes: weights in the scale of the input."""
        w = np.zeros((max(self._params.classes, 1), features))
        rules.weights(self._params, state, w[:, : len(state.table)])
        return w if self._params.classes else w[0]

    def up_to_date(self, state: FirstOrderState) -> FirstOrderState:
        """See `Engine.up_to_date`."""
        if self._params.lazy:
            table, now = state.table.copy(), state.now
            state = state._replace(table=table)
            table[:, rules.W] *= np.exp(table[:, rules.SHRUNK] - now["shrunk"])
            table[:, rules.G] *= self._params.retention.rate ** (now["n"] - table[:, rules.WHEN])
            table[:, rules.WHEN], table[:, rules.SHRUNK] = now["n"], now["shrunk"]
        return state

    def merge(self, states: Sequence[FirstOrderState], base: FirstOrderState, rows: Sequence[int]) -> FirstOrderState:
        """Sums as of one run, weights moved by the precision gained (see `Engine.merge`)."""
        return merged(self._params, states, base, super().merge(states, base, rows).now, self.shares(states, base))

    def carried(self, state: FirstOrderState, base: FirstOrderState, previous: FirstOrderState) -> FirstOrderState:
        """Weights go on as they moved before, but for rules whose weights follow from sums (see `Engine.carried`).

        Those of several classes are not known to gain by it.
        """
        if self._params.classes:
            return state
        every, features = (state, base, previous), int(state.now["seen"][0])
        now, before, earlier = (
            self.renumbered(self.packed(each), np.arange(int(each.now["seen"][0])), features) for each in every
        )
        return carried(self._params, now, before, earlier)


def new_work(params: FirstOrderParams, longest: int) -> FirstOrderScratch:
    """Scratch space for rows of at most `longest` features."""
    return FirstOrderScratch(np.zeros(max(params.classes, 1)), np.zeros((rules.SCRATCH, longest)))


def params_of(options: LearnOptions) -> FirstOrderParams:
    """The kernels' parameters for `options`."""
    rule = rules.NAMES.index(METHODS[options.method].values["rule"])
    shrink = 0.0 if rule == rules.FTRL else float(options.l2)
    return FirstOrderParams(
        rule=rule,
        classes=options.multinomial or 0,
        several=() if options.multinomial is None else (True,),
        loss=loss_of(options),
        low=options.bounds[0],
        high=options.bounds[1],
        labels=options.clip == "labels",
        rate=float(options.learning_rate),
        power_t=float(options.power_t),
        alpha=float(options.ftrl_alpha),
        beta=float(options.ftrl_beta),
        l1=float(options.l1),
        l2=float(options.l2),
        r=float(options.arow_r),
        invariant=options.invariant,
        before=options.rescale == "before",
        delta=float(options.delta),
        dual=options.update == "dual",
        retention=retention_of(options.decay),
        shrink=shrink,
        lazy=options.decay > 0.0 or shrink > 0.0,
    )
