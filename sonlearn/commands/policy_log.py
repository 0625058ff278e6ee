"""What ``--log-json`` and ``--report`` keep of a run of decisions."""

from __future__ import annotations

import dataclasses

from sonlearn.commands.recording import FINE, Recording
from sonlearn.data.decisions import Decisions
from sonlearn.learn.bandits.bandit import Bandit, Decided
from sonlearn.options.run import RunOptions, parse_progress
from sonlearn.report.policy import PolicyTotals
from sonlearn.report.progress import Schedule
from sonlearn.text.decisions.classes import ActionsOfClasses


class PolicyLog(Recording):
    """The recording of a run of decisions.

    Parameters
    ----------
    options : RunOptions
    classes : ActionsOfClasses or None
        Which class each action stands for, if they are classes (`--cbify`).
    keep : bool
        Whether an existing log is gone on with.
    """

    def __init__(self, options: RunOptions, classes: ActionsOfClasses | None, keep: bool):
        super().__init__(options, keep)
        self._totals = PolicyTotals(Schedule(*parse_progress(options.progress or FINE)), classes)
        self._features = 0

    def begin(self, learner: Bandit, files: dict[str, str | None]) -> None:
        """Say what is run, before the first decisions."""
        if not self.wanted:
            return
        method = "decisions" if learner.learn is None else learner.learn.method
        learn = {"method": method, "loss": "cost", **dataclasses.asdict(learner.options)}
        self._write_begin(learn, learner.text, files, 1, learner.examples)

    def add(self, decisions: Decisions, decided: Decided) -> None:
        """Add a batch."""
        if not self.wanted:
            return
        self._features += len(decisions.rows.indices)
        seconds = self._seconds
        for row in self._totals.add(decisions, decided):
            entry = {"kind": "progress", "pass": 1, **row, "seconds": seconds, "read": row["examples"]}
            self._write_row(entry)

    def finish(self, ending: str, learner: Bandit | None, warnings: list[str]) -> None:
        """Write the end of the log, and the page. Raises OutputError."""
        if not self.wanted or learner is None:
            return
        totals = self._totals
        self._write_end({
            "kind": "end", "ending": ending, "seconds": self._seconds,
            "examples": totals.examples, "held_examples": 0, "weight": float(totals.examples),
            "features": self._features, "loss": totals.sums.average_loss, "error": None,
            "known": learner.size, "learned": learner.examples, "decisions": totals.result(), "warnings": warnings,
        })  # fmt: skip
