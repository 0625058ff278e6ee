"""Decisions as text, and running totals of what they cost, in the form of Vowpal Wabbit's progress table.

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
from sonlearn.report.progress import Schedule, Sums

if TYPE_CHECKING:
    from sonlearn.learn.bandits.bandit import Decided
    from sonlearn.text.decisions.classes import ActionsOfClasses

HEADER = (
    "average  since         example        example        current        current  current",
    "loss     last          counter         weight          label        predict features",
)


class DecisionTotals:
    """Running totals of one run.

    Parameters
    ----------
    schedule : Schedule
        When rows of the table are due.
    classes : ActionsOfClasses or None
        Which class each action stands for, if they are classes (`--cbify`).

    Attributes
    ----------
    examples : int
        Decisions so far.
    result : Sums
        Of those with a cost: how many, and the sum of their losses.
    logged : Sums
        The same of the costs as the log has them.
    """

    def __init__(self, schedule: Schedule, classes: ActionsOfClasses | None):
        self._schedule, self._due, self._classes = schedule, schedule.first, classes
        self.examples = self.features = 0
        self.result, self.logged, self._last = Sums(classes=False), Sums(classes=False), Sums(classes=False)

    def update(self, decisions: Decisions, decided: Decided) -> list[str]:
        """Add a batch; return the rows of the table that have become due in it."""
        known = ~np.isnan(decided.loss)
        counts = running(self.result.weight, known.astype(np.float64))
        losses = running(self.result.loss, np.where(known, decided.loss, 0.0))
        sizes = np.diff(decisions.rows.indptr)
        ends = np.concatenate(([0], np.cumsum(sizes)))
        row = np.concatenate((decisions.row[decisions.first[:-1]], [decisions.rows.n]))
        features = np.diff(ends[row])
        lines = []
        i = math.ceil(self._due - self.examples) - 1
        while i < decisions.n:
            sums = Sums(float(counts[i + 1]), float(losses[i + 1]), 0.0, False)
            lines.append(self._line(i, self.examples + i + 1, sums, int(features[i]), decisions, decided))
            self._last = sums
            self._due = self._schedule.after(self.examples + i + 1)
            i = math.ceil(self._due - self.examples) - 1
        self.examples += decisions.n
        self.features += int(sizes.sum())
        self.result = Sums(float(counts[-1]), float(losses[-1]), 0.0, False)
        if decisions.costs is None:
            cost = np.where(np.isnan(decisions.cost), 0.0, decisions.cost)
            total = float(running(self.logged.loss, cost)[-1])
            self.logged = Sums(self.result.weight, total, 0.0, False)
        return lines

    def _line(self, i: int, count: int, sums: Sums, features: int, decisions: Decisions, decided: Decided) -> str:
        average, since = sums.average_loss, sums.minus(self._last).average_loss
        return (
            f"{_fitted(average):<8} {_fitted(since):<8} {count:>12} {float(count):>14.1f} "
            f"{self._label(i, decisions):>14} {self._choice(i, decisions, decided):>14} {features:>8}"
        )

    def _label(self, i: int, decisions: Decisions) -> str:
        """What is known of a decision."""
        begin = decisions.first[i]
        if decisions.costs is not None:
            costs = decisions.costs[begin : decisions.first[i + 1]]
            return "unknown" if np.isnan(costs[0]) else self._class(decisions.column[begin + int(np.argmin(costs))])
        if decisions.action[i] < 0:
            return "unknown"
        text = f"{action_number(decisions, i, int(decisions.action[i]))}:{decisions.cost[i]:g}"
        return text if math.isnan(decisions.probability[i]) else f"{text}:{decisions.probability[i]:.2g}"

    def _choice(self, i: int, decisions: Decisions, decided: Decided) -> str:
        if decisions.costs is not None:
            return self._class(decided.action[i])
        p = decided.probability[decided.first[i] : decided.first[i + 1]]
        best = int(np.argmax(p))
        return f"{action_number(decisions, i, best)}:{p[best]:.2g}"

    def _class(self, action: int) -> str:
        return str(int(action) + 1 if self._classes is None else self._classes.label(int(action)))

    def summary(self, seconds: float, ending: str) -> list[str]:
        """Lines at the end of a run."""
        lines = ["", ending, f"number of examples = {self.examples}"]
        lines += [f"number of examples with a cost = {self.result.weight:.0f}"]
        lines += [f"average loss = {_or_none(self.result.average_loss)}"]
        if self.logged.weight:
            lines += [f"average cost of the log = {_or_none(self.logged.average_loss)}"]
        return [
            *lines, f"total feature number = {self.features}", f"elapsed time = {seconds:.3f} s",
            f"examples a second = {self.examples / max(seconds, 1e-9):.0f}",
        ]  # fmt: skip


def action_number(decisions: Decisions, i: int, a: int) -> int:
    """The number, from 0 on, of candidate `a` of decision `i`: its column, or where actions are rows its place."""
    begin, end = decisions.first[i], decisions.first[i + 1]
    own_rows = end - begin > 1 and decisions.row[begin] != decisions.row[end - 1]
    return a if own_rows else int(decisions.column[begin + a])


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


def _or_none(value: float | None) -> str:
    return "n.a." if value is None else f"{value:.6f}"


def _fitted(value: float | None) -> str:
    if value is None:
        return "n.a."
    text = f"{value:.6f}"
    text = f"{value:.{max(0, 14 - len(text))}f}" if len(text) > 8 else text
    return text if len(text) <= 8 else f"{value:.2e}"
