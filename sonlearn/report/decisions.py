"""Decisions as text, and what is counted of their costs.

The loss of a decision is what it cost. For a decision of a log with a probability it is the logged cost times the
probability that this model gave the logged action before it learned from it, over the log's probability: the mean of
these is an unbiased estimate of what this model would have cost in the log's place (inverse propensity scores).
Decisions without a cost count as examples only. Actions are numbered from 0 on, as VW prints them; labels of tables are
written as there.

Errors of mean costs are those of a mean, sd / sqrt(n), of which 1.96 on either side hold for many decisions and at one
time only; ``sonlearn evaluate`` has intervals that hold at all times. Sums run decision by decision, so where a batch
ends changes no digit.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.data.arrays import running_sum
from sonlearn.data.decisions import Decisions
from sonlearn.report.labels import LabelStatistics
from sonlearn.report.problem import Problem
from sonlearn.report.progress import BatchOutcome

if TYPE_CHECKING:
    from sonlearn.learn.bandits.bandit import Bandit, Decided
    from sonlearn.text.decisions.labels import ActionLabels

#: Actions that are listed.
MAX_ACTIONS_LISTED = 50
#: Of an action: decisions in which it was taken, their costs, its probability by the model in all decisions.
TAKEN, COST, GIVEN = range(3)


class CostSums(LabelStatistics):
    """What has been counted of costs, each once.

    Attributes
    ----------
    of_log : bool
        Whether costs are those of a log, whose average is to be told.
    """

    errs = False
    of_log = False

    def are_classes(self, y: np.ndarray) -> bool:
        """Return False: costs are no classes."""
        return False

    def weights(self, weight: float, labelled: float) -> list[str]:
        """Lines of a summary: how many decisions had a cost."""
        return [f"number of examples with a cost = {labelled:.0f}"]

    def constant(self, classes: bool) -> None:
        """Nothing is said without looking at a decision."""

    def lines(self) -> list[str]:
        """Lines of a summary: what the log's decisions have cost."""
        return [f"average cost of the log = {self.sum / self.weight:.6f}"] if self.of_log and self.weight else []


class PolicyTotals:
    """What the decisions of a run have cost, beside those of the log's policy, and which actions were taken.

    Parameters
    ----------
    labels : ActionLabels or None
        Of a table, which label each action has; else they are numbered from 0 on.
    """

    def __init__(self, labels: ActionLabels | None = None):
        self._labels = labels
        self.examples, self._weight = 0, 0.0
        self._actions = np.zeros((0, 3))
        # mean costs of the model, of the log, and of their difference: sum, sum of squares
        self._costs = np.zeros((3, 2))
        self._logs = False

    def count(
        self, y: np.ndarray, weight: np.ndarray, predicted: tuple[Decisions, Decided], chosen: np.ndarray
    ) -> None:
        """Add a batch, as `sonlearn.report.metrics.Metrics.count` does; a decision without a cost counts as well."""
        decisions, decided = predicted
        known = ~np.isnan(decided.loss)
        own = np.where(known, decided.loss, 0.0)
        self.examples += decisions.n
        self._weight += float(known.sum())
        logged = own if decisions.costs is not None else np.where(known, decisions.cost, 0.0)
        self._logs |= decisions.costs is None and bool(known.any())
        for sums_of, values in zip(self._costs, (own, logged, own - logged), strict=True):
            sums_of[:] = [running_sum(start, each) for start, each in zip(sums_of, (values, values**2), strict=True)]
        self._count_actions(decisions, decided, known, logged)

    def _count_actions(self, decisions: Decisions, decided: Decided, known: np.ndarray, cost: np.ndarray) -> None:
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
        order = np.argsort(-self._actions[:, TAKEN], kind="stable")[:MAX_ACTIONS_LISTED]
        actions = [
            {
                "action": a if self._labels is None else self._labels.label(a),
                "taken": float(self._actions[a, TAKEN]),
                "share": float(self._actions[a, TAKEN]) / n if n else 0.0,
                "given": float(self._actions[a, GIVEN]) / max(self.examples, 1),
                "cost": float(self._actions[a, COST] / self._actions[a, TAKEN]) if self._actions[a, TAKEN] else None,
            }
            for a in order.tolist()
        ]  # fmt: skip
        return {"values": values, "actions": actions, "others": len(self._actions) - len(actions)}


class DecisionProblem(Problem):
    """Decisions: a label is what a log's action has cost, a prediction the action that is likeliest here."""

    def __init__(self, learner: Bandit | None = None):
        self.learner: Any = learner
        self._costs = CostSums()

    def statistics(self) -> CostSums:
        """See `Problem`."""
        return self._costs

    def metrics(self) -> PolicyTotals:
        """See `Problem`."""
        return PolicyTotals(self.learner.labels)

    def outcome(self, batch: Decisions, held: np.ndarray | None, predicted: Decided) -> BatchOutcome:
        """See `Problem`."""
        known = ~np.isnan(predicted.loss)
        cost = batch.cost if batch.costs is None else np.zeros(batch.n)
        self._costs.of_log |= batch.costs is None
        features = np.diff(batch.rows.indptr[np.concatenate((batch.row[batch.first[:-1]], [batch.rows.n]))])
        none = np.zeros(batch.n, dtype=bool)
        return BatchOutcome(
            np.where(known, cost, np.nan), np.ones(batch.n), predicted.action.astype(np.float64), predicted.loss,
            features, none, none,
            lambda i: (self._cost(batch, i), self._choice(batch, predicted, i)), (batch, predicted),
        )  # fmt: skip

    def remember(self, batch: Decisions) -> None:
        """See `Problem`: nothing is explained."""

    def summary(self, metrics: PolicyTotals) -> list[str]:
        """See `Problem`: there is nothing more."""
        return []

    def settings(self) -> dict[str, Any]:
        """See `Problem`."""
        learner = self.learner
        method = "decisions" if learner.learn is None else learner.learn.method
        return {"method": method, "loss": "cost", **dataclasses.asdict(learner.options)}

    def logged(self, metrics: PolicyTotals, names: Callable[[int], list[str]], classes: bool) -> dict[str, Any]:
        """See `Problem`."""
        return {"known": self.learner.size, "learned": self.learner.examples, "decisions": metrics.result()}

    def lines(self, batch: Any, predicted: Any, every: bool = False, top: int | None = None) -> list[str]:
        """See `Problem`: the class that was chosen, all actions, or the one of lowest expected cost."""
        if self.learner.options.cbify is not None:
            return [self._class(action) for action in predicted.action]
        return self._probable(batch, predicted) if self.learner.options.explores else self._best(batch, predicted)

    def answers(self, batch: Any, predicted: Any, every: bool) -> dict[str, list[Any]]:
        """See `Problem`: the likeliest action, and with which probability it is chosen, or each one is."""
        p = [predicted.probability[a:b].tolist() for a, b in itertools.pairwise(predicted.first.tolist())]
        are_classes = self.learner.options.cbify is not None
        found: dict[str, list[Any]] = {"action": self._best(batch, predicted), "probability": list(map(max, p))}
        if are_classes:
            found = {"label": [self._class(action) for action in predicted.action]}
        if every:
            found["probabilities"] = [
                {self._class(a) if are_classes else self._action(batch, i, a): each for a, each in enumerate(own)}
                for i, own in enumerate(p)
            ]
        return found

    # -- texts of a decision -----------------------------------------------------------------------------------------

    def _cost(self, decisions: Decisions, i: int) -> str:
        """Return what is known of decision `i`: ``action:cost:probability``, or the class that costs least."""
        begin = decisions.first[i]
        if decisions.costs is not None:
            costs = decisions.costs[begin : decisions.first[i + 1]]
            return "unknown" if np.isnan(costs[0]) else self._class(decisions.column[begin + int(np.argmin(costs))])
        if decisions.action[i] < 0:
            return "unknown"
        text = f"{self._action(decisions, i, int(decisions.action[i]))}:{decisions.cost[i] + 0.0:g}"
        return text if math.isnan(decisions.probability[i]) else f"{text}:{decisions.probability[i]:.2g}"

    def _choice(self, decisions: Decisions, decided: Decided, i: int) -> str:
        """Say what is predicted of decision `i`: the likeliest ``action:probability``, or the class chosen."""
        if decisions.costs is not None:
            return self._class(decided.action[i])
        p = decided.probability[decided.first[i] : decided.first[i + 1]]
        best = int(np.argmax(p))
        return f"{self._action(decisions, i, best)}:{p[best]:.2g}"

    def _class(self, action: int) -> str:
        labels = self.learner.labels
        return str(int(action) + 1 if labels is None else labels.label(int(action)))

    def _action(self, decisions: Decisions, i: int, a: int) -> str:
        """The label or number of candidate `a` of decision `i`: its column, or where actions are rows its place."""
        begin, end, labels = decisions.first[i], decisions.first[i + 1], self.learner.labels
        own_rows = end - begin > 1 and decisions.row[begin] != decisions.row[end - 1]
        number = a if own_rows else int(decisions.column[begin + a])
        return str(number if labels is None else labels.label(number))

    def _probable(self, decisions: Decisions, decided: Decided) -> list[str]:
        """``action:probability,...`` of each decision, likeliest first, as VW writes them."""
        lines = []
        for i, (begin, end) in enumerate(itertools.pairwise(decided.first)):
            p = decided.probability[begin:end]
            order = np.argsort(-p, kind="stable").tolist()
            lines.append(",".join(f"{self._action(decisions, i, a)}:{p[a]:.6g}" for a in order))
        return lines

    def _best(self, decisions: Decisions, decided: Decided) -> list[str]:
        """The action of lowest expected cost of each decision; of equal ones the first."""
        best = (np.argmax(decided.probability[a:b]) for a, b in itertools.pairwise(decided.first))
        return [self._action(decisions, i, int(a)) for i, a in enumerate(best)]
