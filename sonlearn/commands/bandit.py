"""``sonlearn train`` and ``predict`` of decisions: read -> decide and learn -> report."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from sonlearn.commands import checks, models
from sonlearn.commands.session import Session
from sonlearn.errors import OptionError
from sonlearn.learn.bandits.bandit import Bandit, Decided
from sonlearn.options import LearnOptions, RunOptions, TextOptions
from sonlearn.options.bandit import SHARED, BanditOptions
from sonlearn.report.decisions import DecisionProblem
from sonlearn.text.columns import first_names
from sonlearn.text.decisions import DecisionReader

#: Flags of a run that decisions do not take.
_NOT_TAKEN = (
    "save_per_pass", "invert_hash", "raw_predictions", "probabilities", "top", "audit", "passes", "cache", "cache_file",
    "holdout_off", "holdout_period", "holdout_after", "early_terminate", "progress_bar",
)  # fmt: skip


def check(options: RunOptions) -> None:
    """Check the files and flags of a run of decisions. Raises OptionError, ModelFileError."""
    for flag, name, _ in checks.flags_given(options, _NOT_TAKEN):
        if name == "probabilities" and options.form != "vw":  # lines of VW have them anyway, where the model explores
            continue
        raise OptionError(f"{flag}: decisions do not take it (docs/bandits.md says what they take)")
    checks.check_run(options)
    if options.join:
        raise OptionError(f"--join {options.join}: decisions have their costs with them; expected rows with labels")


class BanditSession(Session):
    """One run under way: the model of decisions, and what it learns from.

    Parameters
    ----------
    given : dict
        Further options that were given on the command line, by field name.
    bandit : dict
        Those of `BanditOptions`.
    options : RunOptions
    """

    def __init__(self, given: dict[str, Any], bandit: dict[str, Any], options: RunOptions):
        model = models.initial(options, decides=True)
        (learn, text), learner = models.split(given), model.learner
        if "method" not in learn and (learner is None or learner.learn is None):
            bandit = bandit | {name: learn.pop(name) for name in SHARED if name in learn}
        if model.path is not None:
            models.check_agreement(bandit, model.path, learner.options)
            models.check_agreement({k: v for k, v in text.items() if k != "format"}, model.path, learner.text)
            if learn and learner.learn is None:
                raise OptionError(f"--{next(iter(learn))}: the model {model.path} has no --method; leave it out")
            if learner.learn is not None:
                models.check_agreement(learn, model.path, learner.learn)
        elif learn and not {"method", "sketch"} & learn.keys():
            raise OptionError(
                f"--{next(iter(learn))}: the two reward models of decisions do not take it; give --method nag, or "
                "another method of values, or leave it out"
            )
        self.learn = None if not learn or learner is not None else LearnOptions(**{"loss": "squared", **learn})
        if learner is None:
            self.bandit, self.text = BanditOptions(**bandit), TextOptions(**text)
            learner = Bandit(self.bandit, self.text, self.learn)  # raises what is wrong before anything is read
        else:
            self.bandit, self.text = learner.options, learner.text
        own = self.text.format if self.bandit.cost or self.bandit.reward else "auto"
        super().__init__(options, models.written_as(self.text, given, own), DecisionProblem(), model)
        self.labels = learner.labels
        numbered = self.learner is None and self.bandit.cbify is None and not options.testonly
        self.missing_p = False  # whether a logged action came without its probability
        self.untried = set(range(self.bandit.actions or 0)) if numbered else set()

    def make_reader(self) -> DecisionReader:
        """Return what reads the decisions."""
        options = self.options
        return DecisionReader(
            self.sources, self.read_as, self.bandit, columns=self.columns, labels=self.labels,
            needed=not options.testonly, **options.reading,
        )  # fmt: skip

    def begin(self, format: str, batch: Any, cache: str) -> None:
        """Make the model, whose features depend on their format, and print the header."""
        learner = self.learner
        if learner is None:
            learner = Bandit(self.bandit, dataclasses.replace(self.text, format=format), self.learn)
            learner.labels = self.labels
        models.check_format(format, batch.source, learner.text, self.from_model)
        method = [] if learner.learn is None else [models.settings_text(learner.learn)]
        self.begin_with(learner, [*method, models.settings_text(learner.options, keep=())], cache)

    def learn_from(self, batch: Any, held: np.ndarray | None) -> Decided:
        """Decide the decisions of a batch, and learn from their costs."""
        known = np.flatnonzero((batch.action >= 0) & ~np.isnan(batch.cost))
        if self.untried:
            self.untried -= set(batch.column[batch.first[known] + batch.action[known]].tolist())
        self.missing_p = self.missing_p or (batch.costs is None and bool(np.isnan(batch.probability[known]).any()))
        return self.predicted(batch) if self.options.testonly else self.learner.partial_fit(batch)

    def nothing_learned(self) -> tuple[str, str]:
        """Return what was found in the place of costs, and what to do."""
        label, name = "action:cost:probability before the features", self.bandit.cost or self.bandit.reward
        if name:
            label = f"a number in {'--cost' if self.bandit.cost else '--reward'} {name}"
        elif self.reader.format == "json":
            label = "_label_cost, _label_probability and _labelIndex"
        return "no decision with a cost", f"{label}; nothing was learned, and no model was saved"

    def warnings(self) -> list[str]:
        """Return what is to be known of a run that has come to its end."""
        found = super().warnings()
        if self.untried and self.learner is not None and self.learner.examples > self.before:
            named = first_names(str(action + 1) for action in sorted(self.untried))
            if self.labels is not None and self.labels.names:
                named = f"{len(self.untried)} of {self.labels.count}, which have no names yet"
            found.append(
                f"actions that no decision with a cost has had: {named}; nothing is known of them, so exploration "
                "tries them first"
            )
        if self.missing_p:
            found.append(
                "the log does not say with which probabilities it chose its actions: average loss is what these have "
                "cost, no estimate of what the model's choices would"
            )
        return found
