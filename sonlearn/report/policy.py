"""What a run of decisions has done, for its log and its page: what it cost, beside the log's policy, and which actions.

Of costs that were logged with a probability the model's is an inverse propensity score, as in
`sonlearn.report.decisions`. Errors are those of a mean, sd / sqrt(n), of which 1.96 on either side hold for many
decisions and at one time only; ``sonlearn evaluate`` has intervals that hold at all times. Sums run decision by
decision, so where a batch ends changes no digit.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.data.decisions import Decisions
from sonlearn.report.labels import running

if TYPE_CHECKING:
    from sonlearn.learn.bandits.bandit import Decided
    from sonlearn.text.decisions.classes import ActionsOfClasses

#: Actions that are listed.
MOST = 50
#: Of an action: decisions in which it was taken, their costs, its probability by the model in all decisions.
TAKEN, COST, GIVEN = range(3)


class PolicyTotals:
    """Running totals of one run of decisions.

    Parameters
    ----------
    classes : ActionsOfClasses or None
        Which class each action stands for, if they are classes (`--cbify`); else they are numbered from 0 on.
    """

    def __init__(self, classes: ActionsOfClasses | None = None):
        self._classes = classes
        self.examples, self._weight = 0, 0.0
        self._actions = np.zeros((0, 3))
        # mean costs of the model, of the log, and of their difference: sum, sum of squares
        self._costs = np.zeros((3, 2))
        self._logs = False

    def count(
        self, y: np.ndarray, weight: np.ndarray, predicted: tuple[Decisions, Decided], chosen: np.ndarray
    ) -> None:
        """Add a batch, as `sonlearn.report.metrics.Metrics.count` does; a decision without a cost counts as well."""
        self.add(*predicted)

    def add(self, decisions: Decisions, decided: Decided) -> None:
        """Add a batch."""
        known = ~np.isnan(decided.loss)
        own = np.where(known, decided.loss, 0.0)
        self.examples += decisions.n
        self._weight += float(known.sum())
        logged = own if decisions.costs is not None else np.where(known, decisions.cost, 0.0)
        self._logs |= decisions.costs is None and bool(known.any())
        for sums_of, values in zip(self._costs, (own, logged, own - logged), strict=True):
            sums_of[:] = [running(start, each)[-1] for start, each in zip(sums_of, (values, values**2), strict=True)]
        self._count_actions(decisions, decided, known, logged)

    def _count_actions(self, decisions: Decisions, decided: Decided, known: np.ndarray, cost: np.ndarray) -> None:
        if not decisions.n:
            return
        sizes = np.diff(decisions.first)
        numbers = decisions.column
        if not numbers.any():  # actions are rows: numbered by their place
            numbers = np.arange(len(numbers)) - np.repeat(decisions.first[:-1], sizes)
        room = int(numbers.max(initial=-1)) + 1
        if room > len(self._actions):
            self._actions = np.concatenate((self._actions, np.zeros((room - len(self._actions), 3))))
        np.add.at(self._actions[:, GIVEN], numbers, decided.probability)
        at = numbers[decisions.first[:-1] + np.maximum(decided.action, 0)][known]
        np.add.at(self._actions[:, TAKEN], at, 1.0)
        np.add.at(self._actions[:, COST], at, cost[known])

    def result(self) -> dict[str, Any]:
        """The mean costs with their errors, and the actions that were taken most."""
        n = self._weight
        names = ("this model", "the log", "this model less the log") if self._logs else ("this model",)
        values = [
            {"name": name, "cost": total / n, "error": math.sqrt(max(squares / n - (total / n) ** 2, 0.0) / n)}
            for name, (total, squares) in zip(names, self._costs.tolist(), strict=False) if n > 0
        ]  # fmt: skip
        order = np.argsort(-self._actions[:, TAKEN], kind="stable")[:MOST]
        actions = [
            {
                "action": a if self._classes is None else self._classes.label(a),
                "taken": float(self._actions[a, TAKEN]),
                "share": float(self._actions[a, TAKEN]) / n if n else 0.0,
                "given": float(self._actions[a, GIVEN]) / max(self.examples, 1),
                "cost": float(self._actions[a, COST] / self._actions[a, TAKEN]) if self._actions[a, TAKEN] else None,
            }
            for a in order.tolist()
        ]  # fmt: skip
        return {"values": values, "actions": actions, "others": len(self._actions) - len(actions)}
