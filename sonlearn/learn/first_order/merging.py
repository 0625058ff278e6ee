"""Merges first-order learners that began with the same state.

Sums over rows (of squared gradients, AROW's precisions, coin's bets, primal-dual gradients) are those of one run. The
weights of the other rules move by the precision gained, the sums of squared gradients (Vowpal Wabbit's all-reduce
averages them by all of it: Agarwal et al.: A Reliable Effective Terascale Linear Learning System, JMLR 2014). Rules
without such a sum count rows instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sonlearn.data import merging
from sonlearn.learn.first_order.rules import (
    ADA,
    COIN,
    COIN_NORM,
    FTRL,
    INVERSE,
    NAG,
    NLMS,
    OGD,
    SGD,
    SHRUNK,
    THETA,
    TOP,
    WHEN,
    WON,
    G,
    S,
    W,
)


def merged(params: Any, states: Sequence[Any], base: Any, now: Any, by: np.ndarray) -> Any:
    """The state of `FirstOrder.merge`.

    params : FirstOrderParams; states, base : FirstOrderState, not modified
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

    has_sum = params.rule not in (SGD, OGD, NLMS)
    if has_sum:
        table[:, G] = np.maximum(total(G), 0.0)
    if params.rule == COIN:
        _bet(params, now, table, tables, total)
    elif params.rule == ADA and params.dual:
        table[:, columns] = total(columns)
    else:
        if params.rule == NAG:
            table[:, S] = np.max([each[:, S] for each in tables], axis=0)
            table[:, INVERSE] = np.divide(1.0, table[:, S], out=np.zeros(len(table)), where=table[:, S] > 0.0)
        if has_sum:
            sums = [each[:, G] for each in tables]
            gains = merging.added(base.table[:, G], sums, rows, params.retention.rate, by)
        else:
            gains = [np.full(len(table), n) for n in rows]
        w = merging.moved(
            _weights(params, base.table, table), [_weights(params, each, table) for each in tables], gains
        )
        table[:, columns] = w.T if params.rule != FTRL else _inverse_ftrl(params, w[0], table, tables, gains)[:, None]
    if params.lazy:
        table[:, WHEN], table[:, SHRUNK] = now["n"], now["shrunk"]
    return base._replace(table=table, now=now)


def carried(params: Any, state: Any, base: Any, previous: Any) -> Any:
    """The state of `FirstOrder.carried`; all have the same features, none of them is modified."""
    if params.rule not in (COIN, FTRL) and not (params.rule == ADA and params.dual):
        before, earlier = (_weights(params, each.table, state.table)[0] for each in (base, previous))
        table = state.table.copy()
        table[:, W] += merging.MOMENTUM * (before - earlier)
        return state._replace(table=table)
    return state


def weight_columns(params: Any, table: np.ndarray) -> slice:
    """The columns of the weights: one, or of several classes one each."""
    return slice(table.shape[1] - params.classes, None) if params.classes else slice(W, W + 1)


def _weights(params: Any, table: np.ndarray, merged: np.ndarray) -> np.ndarray:
    """float64[K, features]: weights of one learner, on the scale of the merged one."""
    w = table[:, weight_columns(params, table)].T
    if params.rule == NAG:  # what is larger than all before shrinks the weight with it
        share = np.divide(table[:, S], merged[:, S], out=np.ones(len(table)), where=merged[:, S] > 0.0)
        return w * share ** (2.0 - 2.0 * params.power_t)
    if params.rule == FTRL:
        scale = (params.beta + np.sqrt(table[:, G])) / params.alpha + params.l2
        return np.where(np.abs(w) <= params.l1, 0.0, -(w - np.copysign(params.l1, w)) / scale)
    return w


def _inverse_ftrl(
    params: Any, w: np.ndarray, table: np.ndarray, tables: list[np.ndarray], gains: list[np.ndarray]
) -> np.ndarray:
    """The sums z whose weights are `w`; where these are 0 the averaged z, within the threshold."""
    scale = (params.beta + np.sqrt(table[:, G])) / params.alpha + params.l2
    z = np.clip(merging.moved(table[:, W], [each[:, W] for each in tables], gains), -params.l1, params.l1)
    return np.where(w == 0.0, z, -w * scale - np.copysign(params.l1, w))


def _bet(params: Any, now: Any, table: np.ndarray, tables: list[np.ndarray], total: Any) -> None:
    """Fill in `table` for coin: sums, the largest values, and the weights of the bets that follow from these."""
    table[:, S], table[:, TOP] = (np.max([each[:, k] for each in tables], axis=0) for k in (S, TOP))
    table[:, WON], table[:, THETA] = total(WON), total(THETA)
    bound = table[:, S] * table[:, TOP]
    bets = (params.alpha + table[:, WON]) * table[:, THETA]
    bets = np.divide(bets, bound * (bound + table[:, G]), out=np.zeros(len(table)), where=bound > 0.0)
    mean = (now["N"][0] + COIN_NORM) / now["t"][0] if now["t"][0] > 0.0 else 1.0
    table[:, W] = bets / mean
