"""`SonlearnBandit`: decisions from Python, one at a time or from a table of logged ones."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch, joined
from sonlearn.data.decisions import Decisions, listed, numbered
from sonlearn.data.matrices import from_scipy
from sonlearn.errors import InputError, OptionError
from sonlearn.learn.bandits.bandit import Bandit, Decided
from sonlearn.offpolicy.evaluation import LOG, Estimate, Evaluation, Line
from sonlearn.options import TextOptions
from sonlearn.options.bandit import KINDS, BanditOptions
from sonlearn.text.chunk import ChunkParser
from sonlearn.text.decisions.rows import crossed_rows, crosses
from sonlearn.text.hashing import constant_id
from sonlearn.text.objects import JsonObject, RowError, error_of, json_object

#: A context, or an action's features: names with numbers, texts or objects, or a vector of numbers.
Features = Mapping[str, Any] | Sequence[float] | np.ndarray

#: Added to the columns of actions' vectors: they are not the features of the context's.
_ACTIONS = 1 << 40


class Decision(NamedTuple):
    """What has been decided.

    Attributes
    ----------
    action : int
        From 0 on.
    probability : float
        With which it was chosen; to be logged with its reward.
    probabilities : float64[K]
        Of all actions.
    rewards : float64[K]
        Expected rewards.
    widths : float64[K]
        One standard deviation of each.
    """

    action: int
    probability: float
    probabilities: np.ndarray
    rewards: np.ndarray
    widths: np.ndarray


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


class SonlearnBandit:
    """A contextual bandit: decides, and learns from the rewards of its own or of logged decisions.

    Parameters
    ----------
    actions : int or None
        How many numbered actions there are; None: each call lists its actions, with features.
    explore, cb_type, min_probability, ... :
        Fields of `sonlearn.options.bandit.BanditOptions`.
    text : TextOptions
        How names of dicts become features.

    Attributes
    ----------
    learner : sonlearn.learn.bandits.bandit.Bandit

    Raises
    ------
    OptionError
        A value is out of its range.
    """

    def __init__(self, actions: int | None = None, *, text: TextOptions | None = None, **options: Any):
        wrong = [name for name in options if name in KINDS]
        if wrong:
            raise OptionError(f"{wrong[0]}: give the number of actions, or none where they have features")
        kind: dict[str, Any] = {"cb_explore_adf": True} if actions is None else {"cb_explore": actions}
        self.learner = Bandit(BanditOptions(**kind, **options), text)

    @property
    def actions(self) -> int | None:
        """Return how many numbered actions there are, or None."""
        return self.learner.options.actions

    def decide(self, context: Features, actions: Sequence[Features] | None = None) -> Decision:
        """Choose an action.

        Parameters
        ----------
        context : dict or vector
            A dict's numbers and texts are features of their names, its objects namespaces, as in dsjson; column j of a
            vector is feature j + 1, as in a LIBSVM file.
        actions : list of the same kind
            The features of each action, where they are not numbered.

        Raises
        ------
        InputError
            A value is no finite number, or actions are given where they are numbered, or not where they are not.
        """
        decided = self.learner.decide(self._decision(context, actions))
        p, a = decided.probability, int(decided.action[0])
        return Decision(a, float(p[a]), p, -decided.mean, decided.width)

    def learn(
        self, context: Features, action: int, reward: float, probability: float = np.nan,
        actions: Sequence[Features] | None = None,
    ) -> None:  # fmt: skip
        """Learn the reward of an action, from 0 on, and the probability with which it was chosen, where that is known.

        Raises InputError as `decide`, and for an action, a reward or a probability that cannot be.
        """
        decisions = self._decision(context, actions)
        self.learner.partial_fit(self._logged(decisions, [action], [reward], [probability]))

    def partial_fit(self, X: Any, action: Any, reward: Any, probability: Any = None) -> Decided:
        """Learn logged decisions among numbered actions.

        Parameters
        ----------
        X : float64[n, d], dense or of SciPy
            Contexts.
        action : int[n], from 0 on
        reward : float[n]
        probability : float[n], or None
            With which each action was chosen.

        Returns
        -------
        Decided
            What this model would have done, each time before it learned.
        """
        decisions = self._table(X)
        p = np.full(decisions.n, np.nan) if probability is None else probability
        return self.learner.partial_fit(self._logged(decisions, action, reward, p))

    def predict(self, X: Any) -> np.ndarray:
        """float64[n, K]: the probability of each numbered action in each context; changes nothing."""
        return self.learner.predict(self._table(X)).probability.reshape(-1, self.actions or 0)

    def evaluate(
        self, X: Any, action: Any, reward: Any, probability: Any, *, actions: Sequence[Any] | None = None,
        probabilities: Any = None, rewards: tuple[float, float] | None = None, level: float = 0.95,
        floor: float | None = None, horizon: int | None = None,
    ) -> Evaluated:  # fmt: skip
        """Return what this model, as it is, would have earned in the place of the policy that wrote a log.

        The log has to be one that the model has not learned from. The arrays are those of Open Bandit Pipeline's
        feedback: ``context``, ``action``, ``reward``, ``pscore`` and ``pi_b``.

        Parameters
        ----------
        X, action, reward, probability :
            As of `partial_fit`; where actions have features, X is a list of contexts as `decide` takes them.
        actions : list of n lists, or None
            The actions of each decision, as `decide` takes them, where they have features.
        probabilities : float[n, K], or float[n, K, 1], or n lists, or None
            With which the log's policy would have chosen each action; they narrow the intervals.
        rewards : (float, float) or None
            No reward is below, or above; None: as those that the model has learned from.
        level : float
            Probability with which each interval holds at all times.
        floor : float or None
            The log's policy took every action with this probability at least; narrows the intervals as well.
        horizon : int or None
            About how many decisions there will be, said before they are seen: intervals are narrowest after as many.

        Raises
        ------
        InputError, OptionError
            Arrays do not fit, a reward is out of range, or a probability below the floor.
        """
        decisions = self._logged(self._log(X, actions), action, reward, probability)
        sizes = np.diff(decisions.first)
        if probabilities is not None:
            every = [np.ravel(np.asarray(one, np.float64)) for one in probabilities]
            if [len(one) for one in every] != sizes.tolist():
                shape = np.shape(probabilities) if self.actions else f"{len(every)} lists"
                expected = f"({decisions.n}, {self.actions})" if self.actions else "one of each action of each decision"
                raise InputError("<memory>", f"probabilities of the shape {shape}", expected)
            decisions = decisions._replace(probabilities=np.concatenate(every))
        if rewards is None:
            facts = self.learner.facts()
            rewards = facts["lowest reward"], facts["highest reward"]
            if not rewards[0] < rewards[1]:
                raise OptionError("the model has learned from one reward at most; give rewards=(lowest, highest)")
        costs = 0.0 - rewards[1], 0.0 - rewards[0]
        evaluation = Evaluation(["policy"], costs, level=level, floor=floor, horizon=horizon)
        evaluation.add(decisions, [self.learner.predict(decisions)])
        log, *lines = evaluation.lines()
        value, gain = ({one.estimator: _rewarded(one) for one in lines if one.against == of} for of in ("", LOG))
        return Evaluated(
            log.decisions, lines[0].weight, lines[0].effective, _rewarded(log), value, gain, evaluation.warnings()
        )

    def action_dist(self, X: Any) -> np.ndarray:
        """float64[n, K, 1]: `predict` in the shape that Open Bandit Pipeline's estimators take."""
        return self.predict(X)[:, :, None]

    def save(self, path: str | Path) -> None:
        """Write the model, whole or not at all."""
        self.learner.save(path)

    @classmethod
    def load(cls, path: str | Path) -> SonlearnBandit:
        """Read a model written by `save`, or by ``sonlearn train --cb_explore ...``; raises ModelFileError."""
        bandit = cls.__new__(cls)
        bandit.learner = Bandit.load(path)
        return bandit

    # -- features ----------------------------------------------------------------------------------------------------

    def _decision(self, context: Features, actions: Sequence[Features] | None) -> Decisions:
        """One decision. Raises InputError."""
        if (actions is None) != (self.actions is not None) or isinstance(actions, int | float):
            expected = "none: actions are numbered" if self.actions is not None else "a list of actions with features"
            raise InputError("<memory>", f"actions={actions!r:.40}", expected)
        if actions is None:
            return numbered(self._rows(context, None), self.actions or 0)
        if not len(actions):
            raise InputError("<memory>", "no actions", "one at least")
        rows, text = self._rows(context, actions), self.learner.text
        own = not crosses(text) and isinstance(context, Mapping)
        rows = crossed_rows(rows, np.array([rows.n]), np.ones(1, bool), text.constant, not own)
        return listed(rows, np.array([0, rows.n]))

    def _log(self, X: Any, actions: Sequence[Any] | None) -> Decisions:
        """The decisions of a log, without what was chosen. Raises InputError."""
        if self.actions is not None:
            if actions is not None:
                raise InputError("<memory>", "actions=", "none: actions are numbered")
            return self._table(X)
        if actions is None:
            raise InputError("<memory>", "a table of contexts", "actions= of each, or numbered ones: SonlearnBandit(K)")
        if len(X) != len(actions):
            raise InputError("<memory>", f"{len(X)} contexts, {len(actions)} lists of actions", "one each")
        if not len(X):
            raise InputError("<memory>", "no decisions", "one at least")
        each = [self._decision(context, own) for context, own in zip(X, actions, strict=True)]
        sizes = [one.rows.n for one in each]
        return listed(joined([one.rows for one in each]), np.concatenate(([0], np.cumsum(sizes))))

    def _rows(self, context: Features, actions: Sequence[Features] | None) -> Batch:
        """A row of the context, and then one of each action."""
        text = self.learner.text
        if isinstance(context, Mapping):
            if text.format == "auto":
                self.learner.text = text = dataclasses.replace(text, format="json")
            records = [_members(context, "context"), *(_members(action, "action") for action in actions or ())]
            if not crosses(text):  # products of the user's own are those of all that a row has
                records[1:] = [JsonObject((*action, *records[0])) for action in records[1:]]
            parsed = ChunkParser(text).parse_records(enumerate(records), "<memory>")
            if parsed.errors:
                raise parsed.errors[0]
            (rows,) = parsed.batches
            return rows._replace(constant=constant_id(text, "json"), weight=np.ones(rows.n), y=np.full(rows.n, np.nan))
        rows = from_scipy(_vector(context), constant=text.constant)
        if actions is None:
            return rows
        action_rows = from_scipy(np.atleast_2d(np.asarray(actions, np.float64)), constant=text.constant)
        indices = np.where(action_rows.indices > 0, action_rows.indices + _ACTIONS, action_rows.indices)
        return joined([rows, action_rows._replace(indices=indices)])

    def _table(self, X: Any) -> Decisions:
        """Decisions among numbered actions. Raises InputError where actions have features."""
        if self.actions is None:
            raise InputError("<memory>", "a table of contexts", "numbered actions: SonlearnBandit(K)")
        return numbered(from_scipy(X), self.actions)

    def _logged(self, decisions: Decisions, action: Any, reward: Any, probability: Any) -> Decisions:
        """Decisions with what was chosen in each, and what came of it. Raises InputError for what cannot be."""
        a, r, p = (np.asarray(values, np.float64) for values in (action, reward, probability))
        sizes = np.diff(decisions.first)
        if not len(a) == len(r) == len(p) == len(sizes):
            found = f"{len(a)} actions, {len(r)} rewards, {len(p)} probabilities, {len(sizes)} contexts"
            raise InputError("<memory>", found, "one each")
        among = (a >= 0) & (a < sizes) & (a == np.floor(a))
        for values, right, expected in (
            (a, among, f"an action from 0 to {sizes[np.argmin(among)] - 1 if len(sizes) else 0}"),
            (r, np.isfinite(r), "a finite reward"),
            (p, np.isnan(p) | ((p > 0) & (p <= 1)), "a probability above 0, and at most 1"),
        ):
            if not right.all():
                row = int(np.argmin(right))
                raise InputError("<memory>", f"{values[row]:g}", expected, row + 1)
        return decisions._replace(action=np.asarray(action, np.int64), cost=-r, probability=p)


def _members(record: Any, name: str) -> JsonObject:
    """Return what a record has, numbers and texts at its top in a namespace of that name. Raises InputError."""
    if not isinstance(record, Mapping):
        raise InputError("<memory>", f"{record!r:.40}", "a dict, as the context is")
    own = {key: value for key, value in record.items() if not isinstance(value, Mapping | list)}
    spaces = {key: value for key, value in record.items() if isinstance(value, Mapping | list)}
    whole = {**spaces, name: own} if name not in spaces else {**spaces, **own}
    try:
        return json_object(whole)
    except RowError as problem:
        raise error_of(problem, whole, ("<memory>", 1)) from None


def _vector(context: Any) -> np.ndarray:
    """Return a context of numbers as a matrix of one row. Raises InputError."""
    with contextlib.suppress(TypeError, ValueError):
        rows = np.atleast_2d(np.asarray(context, np.float64))
        if len(rows) == 1:
            return rows
    raise InputError("<memory>", f"{context!r:.40}", "a context: a dict, or a vector of numbers")


def _rewarded(line: Line) -> Estimate:
    """Costs as rewards."""
    return Estimate(-line.cost, -line.high, -line.low)
