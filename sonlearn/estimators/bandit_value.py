"""What a bandit would have earned in the place of the policy that wrote a log, from Python: rewards in, rewards out."""

from __future__ import annotations

from typing import Any, NamedTuple

from sonlearn.data.decisions import Decisions
from sonlearn.errors import OptionError
from sonlearn.learn.bandits.bandit import Bandit
from sonlearn.offpolicy.evaluation import LOG, Estimate, Evaluation, Line, Policy


class Evaluated(NamedTuple):
    """The result of an evaluation. Each estimate is (value, low, high) of the mean reward of a decision.

    Attributes
    ----------
    decisions : int
        Those with a reward and a probability.
    weight : float
        Mean of the policy's probability over the log's: about 1 where the log's are right.
    effective : float
        As many decisions made by the policy itself would tell as much.
    log : Estimate
        Of the log's own policy.
    value, gain : dict of Estimate
        By estimator (``ips``, ``snips``, ``dr``): of this policy, and of this policy less the log's.
    warnings : list of str
        What is wrong with the log's probabilities.
    """

    decisions: int
    weight: float
    effective: float
    log: Estimate
    value: dict[str, Estimate]
    gain: dict[str, Estimate]
    warnings: list[str]


def evaluated(learner: Bandit, decisions: Decisions, rewards: tuple[float, float] | None, **options: Any) -> Evaluated:
    """Evaluate a model as it is on logged decisions.

    Parameters
    ----------
    rewards : (float, float) or None
        No reward is below, or above; None: as those that the model has learned from.
    options :
        ``level``, ``floor`` and ``horizon`` of `Evaluation`.

    Raises
    ------
    InputError, OptionError
        See `sonlearn.offpolicy.evaluation.Evaluation`.
    """
    if rewards is None:
        facts = learner.facts()
        rewards = facts["lowest reward"], facts["highest reward"]
        if not rewards[0] < rewards[1]:
            raise OptionError("the model has learned from one reward at most; give rewards=(lowest, highest)")
    evaluation = Evaluation(["policy"], (0.0 - rewards[1], 0.0 - rewards[0]), **options)
    decided = learner.predict(decisions)
    evaluation.add(decisions, [Policy(decided.probability, decided.mean)])
    log, *lines = evaluation.lines()
    value, gain = ({one.estimator: _rewarded(one) for one in lines if one.against == of} for of in ("", LOG))
    return Evaluated(
        log.decisions, lines[0].weight, lines[0].effective, _rewarded(log), value, gain, evaluation.warnings()
    )


def _rewarded(line: Line) -> Estimate:
    """Costs as rewards."""
    return Estimate(-line.cost, -line.high, -line.low)
