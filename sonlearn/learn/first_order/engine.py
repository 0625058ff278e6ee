"""First-order learners: the engine around the kernels of `sonlearn.learn.first_order.rules`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data.rows import Rows, longest_row
from sonlearn.jit.sequence import Call
from sonlearn.learn.axes import BY_FEATURE, Scalars
from sonlearn.learn.engine import Engine, Predictions
from sonlearn.learn.first_order import rules as first_order
from sonlearn.learn.first_order.merging import carried, merged
from sonlearn.learn.first_order.rules import (
    ADA,
    ADAGRAD,
    AROW,
    COIN,
    COLUMNS,
    FTRL,
    NAG,
    NLMS,
    OGD,
    PRECISION,
    SCRATCH,
    SGD,
    SHRUNK,
    WHEN,
    G,
    W,
)  # fmt: skip
from sonlearn.learn.losses import Loss, loss_of
from sonlearn.learn.retention import Retention, retention_of
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS

RULES = {
    "sgd": SGD, "ogd": OGD, "adagrad": ADAGRAD, "nag": NAG, "arow": AROW, "precision": PRECISION, "ftrl": FTRL,
    "coin": COIN, "nlms": NLMS, "ada": ADA,
}  # fmt: skip
#: t: rounds learned, with forgetting (nag, coin: their total importance); N: nag's and coin's sum of squared norms;
#: seen: number of features; n: rounds learned; shrunk: minus the logarithm of the product of all --l2 factors.
NOW = [("t", "f8"), ("N", "f8"), ("seen", "i8"), ("n", "i8"), ("shrunk", "f8")]
SCALARS = Scalars("n", ("t", "N"), ("n", "shrunk"))


class FirstOrderParams(NamedTuple):
    """The kernels' parameters, from `LearnOptions`."""

    rule: int
    loss: Loss
    low: float  # predictions are clipped to low..high
    high: float
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

    table: Annotated[np.ndarray, BY_FEATURE]  # float64[features, columns of the rule]
    now: Annotated[np.ndarray, SCALARS]  # structured [1]


class FirstOrder(Engine):
    """Engine of the first-order methods of `sonlearn.options.methods` (see `sonlearn.learn.engine.Engine`).

    A subclass has its own kernels and state.
    """

    merges = True

    _kernels: Any = first_order  # the module with `learn`, `predict` and `weights`

    def __init__(self, options: LearnOptions):
        self._params = params_of(options)
        self.retention = self._params.retention.rate
        self._longest, self._work = 0, self._scratch(0)

    def new(self, classes: int = 0) -> Any:
        """State of an untrained learner."""
        return FirstOrderState(
            np.zeros((0, COLUMNS[self._params.rule] + 2 * self._params.lazy)), np.zeros(1, dtype=NOW).view(np.recarray)
        )

    def reserve(self, state: Any, rows: Rows, features: int) -> Any:
        """Make room for learning `rows`."""
        longest = longest_row(rows)
        if longest > self._longest:
            self._longest, self._work = 2 * longest, self._scratch(2 * longest)
        return state if features <= len(state[0]) else super().reserve(state, rows, features)

    def _scratch(self, longest: int) -> Any:
        """The kernels' scratch space for rows of at most `longest` features."""
        return np.zeros((SCRATCH, longest))

    def calls(self, state: Any, rows: Rows, out: Predictions, start: int = 0) -> list[Call]:
        """See `Engine.calls`."""
        return [(self._kernels.learn, (self._params, state, self._work, rows, out, start))]

    def predict(self, state: Any, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        at: int = self._kernels.predict(self._params, state, rows, out.raw)
        np.clip(out.raw, self._params.low, self._params.high, out=out.prediction)
        return at

    def weights(self, state: Any, features: int, number: int | None = None) -> np.ndarray:
        """Weights in the scale of the input."""
        w = np.zeros(features)
        self._kernels.weights(self._params, state, w[: len(state.table)])
        return w

    def renumbered(
        self, state: FirstOrderState, numbers: np.ndarray, features: int, slots: np.ndarray | None = None
    ) -> FirstOrderState:
        """`state` with other numbers (see `Engine.renumbered`), forgetting and shrinkage brought up to date."""
        if self._params.lazy:
            table, now = state.table.copy(), state.now
            state = state._replace(table=table)
            table[:, W] *= np.exp(table[:, SHRUNK] - now["shrunk"])
            table[:, G] *= self._params.retention.rate ** (now["n"] - table[:, WHEN])
            table[:, WHEN], table[:, SHRUNK] = now["n"], now["shrunk"]
        return super().renumbered(state, numbers, features)

    def merge(self, states: Sequence[FirstOrderState], base: FirstOrderState, rows: Sequence[int]) -> FirstOrderState:
        """Sums as of one run, weights moved by the precision gained (see `Engine.merge`)."""
        return merged(self._params, states, base, super().merge(states, base, rows).now, self.shares(states, base))

    def carried(self, state: FirstOrderState, base: FirstOrderState, previous: FirstOrderState) -> FirstOrderState:
        """Weights go on as they moved before, but for rules whose weights follow from sums (see `Engine.carried`)."""
        every, features = (state, base, previous), int(state.now["seen"][0])
        now, before, earlier = (
            self.renumbered(self.packed(each), np.arange(int(each.now["seen"][0])), features) for each in every
        )
        return carried(self._params, now, before, earlier)


def params_of(options: LearnOptions) -> FirstOrderParams:
    """The kernels' parameters for `options`."""
    rule = RULES[METHODS[options.method].values["rule"]]
    shrink = 0.0 if rule == FTRL else float(options.l2)
    return FirstOrderParams(
        rule=rule,
        loss=loss_of(options),
        low=options.bounds[0],
        high=options.bounds[1],
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
