"""Decisions as text, and what is counted of their costs.

The loss of a decision is what it cost. For a decision of a log with a probability it is the logged cost times the
probability that this model gave the logged action before it learned from it, over the log's probability: the mean of
these is an unbiased estimate of what this model would have cost in the log's place (inverse propensity scores).
Decisions without a cost count as examples only. Actions are numbered from 0 on, as VW prints them; classes are written
as their labels are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sonlearn.data.decisions import Decisions
from sonlearn.report.labels import running

if TYPE_CHECKING:
    from sonlearn.learn.bandits.bandit import Decided
    from sonlearn.text.decisions.classes import ActionsOfClasses


class CostSums:
    """What has been counted of costs; see `sonlearn.report.labels.LabelStatistics`.

    Attributes
    ----------
    of_log : bool
        Whether costs are those of a log, whose average is to be told.
    """

    errs = False
    cell = None

    def __init__(self) -> None:
        self.sum, self.count, self.of_log = 0.0, 0, False

    def add(self, y: np.ndarray, weight: np.ndarray) -> None:
        """Add costs float64[n] one by one; each counts once."""
        self.sum, self.count = float(running(self.sum, y)[-1]), self.count + len(y)

    def are_classes(self, before: bool, y: np.ndarray, labelled: np.ndarray) -> np.ndarray:
        """bool[n + 1]: costs are no classes."""
        return np.zeros(len(y) + 1, dtype=bool)

    def weights(self, weight: float, labelled: float) -> list[str]:
        """Lines of a summary: how many decisions had a cost."""
        return [f"number of examples with a cost = {labelled:.0f}"]

    def constant(self, classes: bool) -> None:
        """Nothing is said without looking at a decision."""

    def lines(self) -> list[str]:
        """Lines of a summary: what the log's decisions have cost."""
        return [f"average cost of the log = {self.sum / self.count:.6f}"] if self.of_log and self.count else []


def cost_text(decisions: Decisions, i: int, classes: ActionsOfClasses | None) -> str:
    """What is known of decision `i`: ``action:cost:probability``, or the class that costs least."""
    begin = decisions.first[i]
    if decisions.costs is not None:
        costs = decisions.costs[begin : decisions.first[i + 1]]
        return "unknown" if np.isnan(costs[0]) else _class(decisions.column[begin + int(np.argmin(costs))], classes)
    if decisions.action[i] < 0:
        return "unknown"
    text = f"{action_number(decisions, i, int(decisions.action[i]))}:{decisions.cost[i]:g}"
    return text if math.isnan(decisions.probability[i]) else f"{text}:{decisions.probability[i]:.2g}"


def choice_text(decisions: Decisions, decided: Decided, i: int, classes: ActionsOfClasses | None) -> str:
    """What is predicted for decision `i`: the likeliest ``action:probability``, or the class that was chosen."""
    if decisions.costs is not None:
        return _class(decided.action[i], classes)
    p = decided.probability[decided.first[i] : decided.first[i + 1]]
    best = int(np.argmax(p))
    return f"{action_number(decisions, i, best)}:{p[best]:.2g}"


def _class(action: int, classes: ActionsOfClasses | None) -> str:
    return str(int(action) + 1 if classes is None else classes.label(int(action)))


def action_number(decisions: Decisions, i: int, a: int) -> int:
    """The number of candidate `a` of decision `i`: its column, or where actions are rows its place."""
    begin, end = decisions.first[i], decisions.first[i + 1]
    own_rows = end - begin > 1 and decisions.row[begin] != decisions.row[end - 1]
    return decisions.numbered_from + (a if own_rows else int(decisions.column[begin + a]))


def probability_lines(decisions: Decisions, decided: Decided) -> list[str]:
    """``action:probability,...`` of each decision, likeliest first, as VW writes them."""
    lines = []
    for i in range(decisions.n):
        p = decided.probability[decided.first[i] : decided.first[i + 1]]
        order = np.argsort(-p, kind="stable").tolist()
        lines.append(",".join(f"{action_number(decisions, i, a)}:{p[a]:.6g}" for a in order))
    return lines


def action_lines(decisions: Decisions, decided: Decided) -> list[str]:
    """The action of lowest expected cost of each decision; of equal ones the first."""
    best = (np.argmax(decided.probability[a:b]) for a, b in zip(decided.first, decided.first[1:], strict=False))
    return [str(action_number(decisions, i, int(a))) for i, a in enumerate(best)]


def class_lines(decided: Decided, classes: ActionsOfClasses) -> list[str]:
    """The class that was chosen for each row."""
    return [str(classes.label(action)) for action in decided.action.tolist()]
