"""Reward models of any method: an engine learns costs as values, one row for each candidate.

The engine has no widths, so the rules of exploration are those that need none. What a logged decision teaches, with
cost c of action a, chosen with probability p, and weights behind the bar:

    dm    a: c | 1
    mtr   a: c | (1/p) E/N, E decisions and N candidates so far
    ips   a: c/p, the others: 0 | 1
    dr    a: m_a + (c - m_a)/p, the others: m | 1; m are the predictions of a second engine, which learns
          a: c | 1/p, and which has learned it where it predicts the candidates after a

With ``--method nag --loss squared`` the last three are Vowpal Wabbit's ``--cb_adf --cb_type mtr``, ``ips`` and ``dr``.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.decisions import Decisions
from sonlearn.data.rows import Rows, rows_between
from sonlearn.learn.bandits import rounds
from sonlearn.learn.bandits.explore import probabilities, rule_of
from sonlearn.learn.bandits.rounds import Decided, Problem, RewardModel, outcome
from sonlearn.learn.engine import Engine, Predictions, make_engine
from sonlearn.options import BanditOptions, LearnOptions

#: Added to an id, times the number of its action: numbered actions have features of their own.
_ACTION = 1 << 44


class EngineState(NamedTuple):
    """All that has been learned, but for the names of the features."""

    main: Any
    second: Any  # of the engine of dr's expected costs
    now: np.ndarray  # structured [1], see `rounds.SCALARS`


class EngineRewards(RewardModel):
    """Reward models of one engine (see `RewardModel`).

    Parameters
    ----------
    options : BanditOptions
    learn : LearnOptions
        Of values: ``loss`` is squared, or another loss of regression.
    threads : int
    """

    def __init__(self, options: BanditOptions, learn: LearnOptions, threads: int = 1):
        self._rule, self._type, self._numbered = rule_of(options), options.cb_type, options.actions is not None
        self._engine: Engine = make_engine(learn, threads)
        self._second: Engine = make_engine(learn, threads) if options.cb_type == "dr" else self._engine

    def new(self, classes: int = 0) -> EngineState:
        """State that has seen nothing."""
        return EngineState(self._engine.new(), self._second.new(), np.zeros(1, rounds.SCALARS))

    def template(self, classes: int) -> EngineState:
        """See `Engine.template`."""
        return self.new()._replace(main=self._engine.template(0), second=self._second.template(0))

    def parts(self, state: EngineState) -> dict[str, Any]:
        """See `Engine.parts`."""
        return {"main": self._engine, **({"second": self._second} if self._type == "dr" else {})}

    def rows_of(self, decisions: Decisions) -> Batch:
        """A row for each candidate."""
        rows = decisions.rows
        if not self._numbered:
            return rows
        rows = rows._replace(tags=None, base=None, marks=None).at(decisions.row)
        columns = np.repeat(decisions.column + 1, np.diff(rows.indptr))
        return rows._replace(indices=rows.indices + _ACTION * columns)

    def run(self, state: EngineState, rows: Rows, problem: Problem, out: Decided, learn: bool) -> EngineState:
        """Decide, and if `learn` learn, the decisions of a problem."""
        silent = rows._replace(y=np.full(len(rows.y), np.nan))
        for i in range(len(problem.action)):
            a, b = int(problem.first[i]), int(problem.first[i + 1])
            part = rows_between(silent, a, b)
            predicted = Predictions.empty(b - a)
            self._engine.predict_all(state.main, part, predicted)
            now = state.now[0]
            scale = now["high"] - now["low"] if now["high"] > now["low"] else 1.0
            out.mean[a:b] = predicted.raw[:, 0]
            probabilities(
                self._rule, now["learned"], -predicted.raw[:, 0] / scale, out.width[a:b], out.probability[a:b]
            )
            action, cost, p = outcome(self._rule.seed, state.now, problem, out, i, learn)
            if learn and not math.isnan(cost):
                state = self._learned(state, part, action, cost, p)
        return state

    def _learned(self, state: EngineState, part: Rows, action: int, cost: float, p: float) -> EngineState:
        """`state` after the cost of a decision's action, which `outcome` has counted."""
        now, n = state.now[0], len(part.y)
        y, weight, second = np.full(n, np.nan), np.ones(n), state.second
        if self._type in ("dm", "mtr"):
            y[action] = cost
            weight[action] = now["learned"] / (p * now["candidates"]) if self._type == "mtr" else 1.0
        elif self._type == "ips":
            y[:] = 0.0
            y[action] = cost / p
        else:
            y[action], weight[action] = cost, 1.0 / p
            expected = Predictions.empty(n)
            second, _ = self._second.learn(second, part._replace(y=y, weight=weight), expected, 0)
            y, weight = expected.raw[:, 0].copy(), np.ones(n)
            y[action] += (cost - y[action]) / p
        main, _ = self._engine.learn(state.main, part._replace(y=y, weight=weight), Predictions.empty(n), 0)
        return state._replace(main=main, second=second)

    def facts(self, state: EngineState) -> dict[str, Any]:
        """Those of the engine that are numbers."""
        return {name: value for name, value in self._engine.facts(state.main).items() if isinstance(value, int | float)}
