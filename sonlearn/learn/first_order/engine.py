"""First-order learners: the engine around the kernels of `sonlearn.learn.first_order.rules`.

`Nag` is the member of several classes, with weights in a table of pairs, of the classes that rows have shown so far.

`merged` makes one of several that began with the same state. Sums over rows (of squared gradients, AROW's precisions,
coin's bets, primal-dual gradients) are those of one run. The weights of the other rules move by the precision gained,
the sums of squared gradients (Vowpal Wabbit's all-reduce averages them by all of it: Agarwal et al.: A Reliable
Effective Terascale Linear Learning System, JMLR 2014). Rules without such a sum count rows instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data import axes, merging
from sonlearn.data.axes import BY_FEATURE, Classes, Numbers, Scalars
from sonlearn.data.rows import Rows, longest_row
from sonlearn.jit.sequence import Calls
from sonlearn.learn.engine import Engine, Predictions, padded
from sonlearn.learn.first_order import rules
from sonlearn.learn.losses import Output, output_of
from sonlearn.learn.pairs import Pairs
from sonlearn.learn.tables import PAIRS, PairsEngine, new_pairs, side_by_side, table_of
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS

#: t: rounds learned, with forgetting (nag, coin: their total importance); N: nag's and coin's sum of squared norms;
#: seen: number of features; n: rounds learned; left, scale: what G and weights are times those in the table; g_folds,
#: w_folds: how often these have been folded; low, high: least and largest of the labels learned and 0 (--clip labels).
NOW = [("t", "f8"), ("N", "f8"), ("seen", "i8"), ("n", "i8")]
NOW += [(name, "f8") for name in ("left", "scale", "g_folds", "w_folds", "low", "high")]
SCALARS = Scalars("n", ("t", "N"), ("n",))


class FirstOrderParams(NamedTuple):
    """The kernels' parameters, from `LearnOptions`."""

    rule: int
    several: tuple[bool, ...]  # empty with one score: kernels are compiled for the length of a tuple
    output: Output  # of classes that share a rate for each feature
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
    retention: float  # factor of the sums in each round: 1 - decay
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
    step_classes: np.ndarray  # int64[K]; classes that take part in the step, of weights in pairs


class FirstOrder(Engine):
    """Engine of the first-order methods of `sonlearn.options.methods` (see `sonlearn.learn.engine.Engine`).

    With ``multinomial`` K classes share their rates, and predictions are float64[n, K] (`multiclass.by_method`).
    """

    merges = True

    def __init__(self, options: LearnOptions):
        self._params = params_of(options)
        self.retention = self._params.retention

    def new(self, classes: int = 0) -> FirstOrderState:
        """State of an untrained learner."""
        return FirstOrderState(_new_table(self._params), _new_now(NOW))

    def calls(self, state: FirstOrderState, rows: Rows, out: Predictions, start: int = 0, learns: bool = True) -> Calls:
        """See `Engine.calls`."""
        sums, work = (True,) if self._params.rule in (rules.COIN, rules.FTRL) else (), new_work(self._params, rows)
        return [(rules.predict_and_learn, (self._params, state, (), work, rows, out, start, learns, sums))]

    def weights(self, state: FirstOrderState, features: int, number: int | None = None) -> np.ndarray:
        """float64[features], or float64[K, features] for K classes: weights in the scale of the input."""
        table = self.up_to_date(state).table[:features]
        return padded(_weights(self._params, table, table), features)

    def up_to_date(self, state: Any) -> Any:
        """See `Engine.up_to_date`."""
        if self._params.lazy:
            table, now = state.table.copy(), state.now.copy()
            rules.write_in_units(state._replace(table=table), np.arange(len(table)))
            table[:, rules.W] *= now["scale"]
            table[:, rules.G] *= now["left"]
            table[:, rules.W_FOLDS :] = now["w_folds"] = now["g_folds"] = 0.0
            now["left"] = now["scale"] = 1.0
            state = state._replace(table=table, now=now)
        return state

    def merge(self, states: Sequence[FirstOrderState], base: FirstOrderState, rows: Sequence[int]) -> FirstOrderState:
        """Sums as of one run, weights moved by the precision gained (see `Engine.merge`)."""
        return merged(self._params, states, base, super().merge(states, base, rows).now, self.shares(states, base))

    def add_momentum(self, state: FirstOrderState, base: FirstOrderState, previous: FirstOrderState) -> FirstOrderState:
        """Weights move on as before, but for rules whose weights follow from sums (see `Engine.add_momentum`).

        Those of several classes are not known to gain by it.
        """
        params = self._params
        of_sums = params.rule in (rules.COIN, rules.FTRL) or (params.rule == rules.ADA and params.dual)
        if params.output.classes or of_sums:
            return state
        every, features = (state, base, previous), int(state.now["seen"][0])
        now, before, earlier = (
            self.renumbered(self.packed(each), Numbers(np.arange(features), features)) for each in every
        )
        w, start = (_weights(params, each.table, now.table)[0] for each in (before, earlier))
        table = now.table.copy()
        table[:, rules.W] += merging.MOMENTUM * (w - start)
        return now._replace(table=table)


def _new_table(params: FirstOrderParams) -> np.ndarray:
    """float64[0, columns]; with forgetting or shrinkage there are always W and G, and how often they were folded."""
    columns = rules.COLUMNS[params.rule]
    return np.zeros((0, (max(columns, 2) + 2 if params.lazy else columns) + params.output.classes))


def _new_now(fields: list[tuple[str, str]]) -> np.ndarray:
    now = np.zeros(1, dtype=fields).view(np.recarray)
    now["left"] = now["scale"] = 1.0
    return now


def new_work(params: FirstOrderParams, rows: Rows) -> FirstOrderScratch:
    """Scratch space for a row of `rows`."""
    K = max(params.output.classes, 1)
    return FirstOrderScratch(np.zeros(K), np.zeros((rules.SCRATCH, longest_row(rows))), np.zeros(K, np.int64))


def params_of(options: LearnOptions) -> FirstOrderParams:
    """The kernels' parameters for `options`."""
    rule = rules.NAMES.index(METHODS[options.method].values["rule"])
    shrink = 0.0 if rule == rules.FTRL else float(options.l2)
    return FirstOrderParams(
        rule=rule,
        several=() if options.multinomial is None else (True,),
        output=output_of(options),
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
        retention=1.0 - float(options.decay),
        shrink=shrink,
        lazy=options.decay > 0.0 or shrink > 0.0,
    )


def merged(params: Any, states: Sequence[Any], base: Any, now: Any, by: np.ndarray) -> Any:
    """The state of `FirstOrder.merge`.

    params : FirstOrderParams; states, base : FirstOrderState or as that, not modified
    now : the merged `FirstOrderState.now`; by : `sonlearn.data.merging.shares`
    """
    rows = [float(state.now["n"][0] - base.now["n"][0]) for state in states]
    now["low"] = min(each.now["low"][0] for each in (base, *states))
    now["high"] = max(each.now["high"][0] for each in (base, *states))
    table, tables = base.table.copy(), [state.table for state in states]
    columns = weight_columns(params, table)

    def total(column: int | slice) -> np.ndarray:
        found: np.ndarray = merging.summed(base.table[:, column], [table[:, column] for table in tables], by)
        return found

    has_sum = params.rule not in (rules.SGD, rules.OGD, rules.NLMS)
    if has_sum:
        table[:, rules.G] = np.maximum(total(rules.G), 0.0)
    if params.rule == rules.COIN:
        _bet(params, now, table, tables, total)
    elif params.rule == rules.ADA and params.dual:
        table[:, columns] = total(columns)
    else:
        if params.rule == rules.NAG:
            table[:, rules.S] = np.max([each[:, rules.S] for each in tables], axis=0)
            table[:, rules.INVERSE] = merging.quotient(1.0, table[:, rules.S])
        if has_sum:
            sums = [each[:, rules.G] for each in tables]
            gains = merging.added(base.table[:, rules.G], sums, rows, params.retention, by)
        else:
            gains = [np.full(len(table), n) for n in rows]
        w = merging.moved(
            _weights(params, base.table, table), [_weights(params, each, table) for each in tables], gains
        )
        if params.rule == rules.FTRL:
            w = _inverse_ftrl(params, w[0], table, tables, gains)[None]
        table[:, columns] = w.T
    return base._replace(table=table, now=now)


def weight_columns(params: Any, table: np.ndarray) -> slice:
    """The columns of the weights: one, or of several classes one each."""
    return slice(table.shape[1] - params.output.classes, None) if params.output.classes else slice(rules.W, rules.W + 1)


def _weights(params: Any, table: np.ndarray, merged: np.ndarray) -> np.ndarray:
    """float64[K, features]: weights of one learner, on the scale of the merged one."""
    w = table[:, weight_columns(params, table)].T
    if params.rule == rules.NAG:
        return w * _rescaling(params, table, merged)
    if params.rule == rules.FTRL:
        scale = (params.beta + np.sqrt(table[:, rules.G])) / params.alpha + params.l2
        return np.where(np.abs(w) <= params.l1, 0.0, -(w - np.copysign(params.l1, w)) / scale)
    if params.rule == rules.ADA and params.dual:
        return -merging.quotient(params.rate, params.delta + np.sqrt(table[:, rules.G])) * w
    return w


def _rescaling(params: Any, table: np.ndarray, merged: np.ndarray) -> np.ndarray:
    """float64[features]: factor of nag's weights, which shrink where the merged learner has met larger values."""
    own, most = table[:, rules.S], merged[:, rules.S]
    share: np.ndarray = np.divide(own, most, out=np.ones(len(table)), where=most > 0.0)
    return share ** (2.0 - 2.0 * params.power_t)


def _inverse_ftrl(
    params: Any, w: np.ndarray, table: np.ndarray, tables: list[np.ndarray], gains: list[np.ndarray]
) -> np.ndarray:
    """The sums z whose weights are `w`; where these are 0 the averaged z, within the threshold."""
    scale = (params.beta + np.sqrt(table[:, rules.G])) / params.alpha + params.l2
    z = np.clip(merging.moved(table[:, rules.W], [each[:, rules.W] for each in tables], gains), -params.l1, params.l1)
    return np.where(w == 0.0, z, -w * scale - np.copysign(params.l1, w))


def _bet(params: Any, now: Any, table: np.ndarray, tables: list[np.ndarray], total: Any) -> None:
    """Fill in `table` for coin: sums, the largest values, and the weights of the bets that follow from these."""
    table[:, rules.S], table[:, rules.TOP] = (
        np.max([each[:, k] for each in tables], axis=0) for k in (rules.S, rules.TOP)
    )
    table[:, rules.WON], table[:, rules.THETA] = total(rules.WON), total(rules.THETA)
    bound = table[:, rules.S] * table[:, rules.TOP]
    bets = (params.alpha + table[:, rules.WON]) * table[:, rules.THETA]
    bets = np.divide(bets, bound * (bound + table[:, rules.G]), out=np.zeros(len(table)), where=bound > 0.0)
    mean = (now["N"][0] + rules.COIN_NORM) / now["t"][0] if now["t"][0] > 0.0 else 1.0
    table[:, rules.W] = bets / mean


# ------------------------------------------------------------------------------------------------------ several classes


class NagState(NamedTuple):
    """All that has been learned."""

    pairs: Annotated[Pairs, PAIRS]  # their only number is the weight
    table: Annotated[np.ndarray, BY_FEATURE]  # float64[features, columns of the rule]; without weights
    # structured [1]: classes; t, N; features seen; rows learned from; the rest as of `FirstOrderState`
    now: Annotated[np.ndarray, Scalars("n", totals=("t", "N", "n"))]


class Nag(PairsEngine):
    """nag as a member of several classes (see `sonlearn.learn.multiclass`): softmax, and one rate a feature for all.

    Scores have no bounds, and t and N are not forgotten with G. Weights are float32, all arithmetic is float64.

    Parameters
    ----------
    rate : float
        Factor of every step.
    decay : float
        Share of G that is forgotten with each row.
    """

    def __init__(self, rate: float = 4.0, decay: float = 0.0):
        self.retention = 1.0 - decay
        own = params_of(LearnOptions(method="nag", learning_rate=rate, decay=decay))
        self._params = own._replace(several=(True,), invariant=False, before=True)

    def new(self, classes: int = 0) -> NagState:
        """State that has seen nothing."""
        now = _new_now([("classes", "i8"), *NOW])
        return NagState(new_pairs(1), _new_table(self._params), now)

    def calls(self, state: NagState, rows: Rows, out: Predictions, start: int = 0, learns: bool = True) -> Calls:
        """See `Engine.calls`."""
        output = self._params.output._replace(classes=out.raw.shape[1], low=-math.inf, high=math.inf)
        params = self._params._replace(output=output)
        work = new_work(params, rows)
        return [(rules.predict_and_learn, (params, state, state.pairs, work, rows, out, start, learns, ()))]

    up_to_date = FirstOrder.up_to_date  # of a table that is alike

    def merge(self, states: Sequence[NagState], base: NagState, rows: Sequence[int]) -> NagState:
        """Sums as of one run, weights moved by what their features' sums have gained (see `Engine.merge`)."""
        own, by, every = axes.rows_learned(states, base), self.shares(states, base), (base, *states)
        found = merged(self._params, states, base, super().merge(states, base, rows).now, by)
        sums = [each.table[:, rules.G] for each in states]
        gains = merging.added(base.table[:, rules.G], sums, own, self.retention, by)
        scales = [_rescaling(self._params, each.table, found.table) for each in every]
        feature, classes, columns = side_by_side([each.pairs for each in every])
        start, *others = (scale[feature] * column[:, 0] for scale, column in zip(scales, columns, strict=True))
        w = merging.moved(start, others, [gain[feature] for gain in gains])
        return found._replace(pairs=table_of(feature, classes, w[:, None]))
