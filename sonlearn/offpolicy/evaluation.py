"""The policies of a log side by side: estimates, intervals, and what is wrong with the log's probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.decisions import Decisions
from sonlearn.errors import InputError, OptionError
from sonlearn.offpolicy.value import ESTIMATORS, Drawn, LowerSequence, Value, cut, decision_terms, reach

#: Name of the policy that wrote the log.
LOG = "log"
#: How far probabilities that were logged as text may be from a sum of 1.
TOLERANCE = 1e-3
#: Standard errors from which a mean weight other than 1 is reported without a bound that is known.
MAX_STANDARD_ERRORS = 6.0
#: No mean weight is above this.
_MAX_WEIGHT = 1e9


class Estimate(NamedTuple):
    """An estimate of a mean, and an interval that holds it at all times with the probability asked for."""

    value: float
    low: float
    high: float


class Line(NamedTuple):
    """A line of the result.

    Attributes
    ----------
    decisions : int
        With a cost and a probability, so far.
    policy, against : str
        The cost is that of `policy`, less that of `against`, if there is one.
    estimator : str
        One of `ESTIMATORS`; ``mean`` of the log's own cost.
    cost, low, high : float
        An estimate, and an interval that holds the cost at all times with the probability asked for.
    weight : float
        Mean of the policy's probability over the log's: about 1 where the log's are right.
    effective : float
        As many decisions made by the policy itself would tell as much: (sum of weights)^2 / sum of their squares.
    """

    decisions: int
    policy: str
    against: str
    estimator: str
    cost: float
    low: float
    high: float
    weight: float
    effective: float


class Evaluation:
    """What policies would have cost in the log's place. In constant memory; the log goes by once.

    Parameters
    ----------
    names : list of str
        Of the policies.
    costs : (float, float)
        No cost is below, or above.
    level : float
        Probability with which each interval holds at all times.
    floor : float or None
        No action that is open to a policy had a smaller probability in the log. Where the log has the probabilities of
        all actions it need not be given.
    horizon : int or None
        About how many decisions there will be, said before any was seen: after as many intervals are narrowest. They
        hold at all times, whether it is right or not. None: as narrow at all times as they can be.

    Raises
    ------
    OptionError
        A value is out of its range.
    """

    def __init__(
        self,
        names: list[str],
        costs: tuple[float, float],
        *,
        level: float = 0.95,
        floor: float | None = None,
        horizon: int | None = None,
    ):
        low, high = costs
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise OptionError(f"costs from {low:g} to {high:g}: expected a range, the lower end first")
        if not 0.0 < level < 1.0:
            raise OptionError(f"level {level:g}: expected a probability between 0 and 1")
        if floor is not None and not 0.0 < floor <= 1.0:
            raise OptionError(f"floor {floor:g}: expected a probability above 0, and at most 1")
        if horizon is not None and horizon < 1:
            raise OptionError(f"horizon {horizon}: expected a number of decisions, 1 or more")
        self.names, self._low, self._high = names, low + 0.0, high + 0.0  # no -0
        self._alpha, self._floor, self._horizon = 1.0 - level, floor, horizon
        self.checks = Checks(names)
        self.count = 0
        self._of_log = (LowerSequence(horizon=horizon), LowerSequence(horizon=horizon))
        self._values: dict[tuple[str, str], Value] = {}
        self._weights = {name: np.zeros(3) for name in (LOG, *names)}  # sums of w s, w, w w

    def add(self, decisions: Decisions, policies: Sequence[Any]) -> None:
        """Add decisions, and what each policy would do in them. Those without a cost or a probability do not count.

        Parameters
        ----------
        decisions : Decisions
        policies : of Decided (`sonlearn.learn.bandits.rounds`), or what has these two of its fields
            ``probability`` of each candidate, and ``mean``, the expected costs: float64[candidates].

        Raises
        ------
        InputError
            A cost is out of range, or a probability below the floor. Of these decisions none counts.
        """
        known = ~np.isnan(decisions.cost) & (decisions.action >= 0)
        usable = known & ~np.isnan(decisions.probability)
        self._check(decisions, usable)
        self.checks.count(decisions, known, usable)
        drawn, chosen = self._drawn(decisions, usable)
        if not self._values:
            self._begin(bounded=self._floor is not None or decisions.probabilities is not None)
        if not len(drawn.at):
            return
        self.checks.add_log(drawn)
        self.count += len(drawn.at)
        self._weigh(LOG, drawn.cost, np.ones(len(drawn.at)))
        for sequence, cost in zip(self._of_log, (drawn.cost, 1.0 - drawn.cost), strict=True):
            sequence.add(cost[:, None], np.zeros((len(cost), 1)))
        seen = [(one.probability[chosen], self._scaled(one.mean[chosen])) for one in policies]
        levels = []
        for name, (pi, _) in zip(self.names, seen, strict=True):
            w = pi[drawn.at] / drawn.probability
            levels.append(self._weigh(name, drawn.cost, w))
            self.checks.add_policy(name, drawn, pi, w)
        first, (pi_0, q_0) = self.names[0], seen[0]
        for name, (pi, q), level in zip(self.names, seen, levels, strict=True):
            self._values[name, ""].add(drawn, pi, q, level)
            self._values[name, LOG].add(drawn, pi, q, level)
            if name != first:
                self._values[name, first].add(drawn, pi - pi_0, 0.5 * (q + q_0), 0.5 * (level + levels[0]))

    def lines(self) -> list[Line]:
        """The result so far: the log's cost, each policy's, and their differences, from the log and from the first."""
        scale = self._high - self._low
        below, above = self._of_log
        n = max(self.count, 1)
        mean = self._weights[LOG][0] / n if self.count else float("nan")
        interval = below.bound(self._alpha / 2), 1.0 - above.bound(self._alpha / 2)
        ends = [self._low + scale * one for one in (mean, *interval)]
        out = [Line(self.count, LOG, "", "mean", *ends, 1.0 if self.count else float("nan"), float(self.count))]
        for (name, against), value in self._values.items():
            weights = self._weights[name]
            effective = weights[1] ** 2 / weights[2] if weights[2] > 0.0 else 0.0
            for estimator in ESTIMATORS:
                low = 0.0 if against else self._low
                ends = [low + scale * end for end in value.interval(estimator, self._alpha)]
                if estimator == "dr":
                    cost = low + scale * (value.total / n if self.count else float("nan"))
                else:
                    cost = self._weighted(name, estimator) - (self._weighted(against, estimator) if against else 0.0)
                out.append(Line(self.count, name, against, estimator, cost, *ends, weights[1] / n, effective))
        return out

    def warnings(self) -> list[str]:
        """Return what is wrong with the log's probabilities, or does not fit."""
        return self.checks.warnings(self.count, self._weights)

    # -- in parts ----------------------------------------------------------------------------------------------------

    def _begin(self, bounded: bool) -> None:
        first, *others = self.names
        pairs = [(name, against) for against in ("", LOG) for name in self.names] + [(name, first) for name in others]
        self._values = {pair: Value(bounded, pair[1], self._horizon) for pair in pairs}
        self.checks.bounded = bounded

    def _check(self, decisions: Decisions, usable: np.ndarray) -> None:
        """Raise InputError for what cannot be evaluated."""
        cost, p = decisions.cost, decisions.probability
        expected = f"a cost from {self._low:g} to {self._high:g}, as given (--cost-low, --cost-high) or learned"
        _check_all(decisions, ~usable | ((cost >= self._low) & (cost <= self._high)), "cost", cost, expected)
        if self._floor is not None:
            _check_all(decisions, ~usable | (p >= self._floor), "probability", p, f"{self._floor:g} (--floor) at least")

    def _scaled(self, cost: np.ndarray) -> np.ndarray:
        """Costs in [0, 1]; beyond the range its end."""
        return np.clip((cost - self._low) / (self._high - self._low), 0.0, 1.0)

    def _drawn(self, decisions: Decisions, usable: np.ndarray) -> tuple[Drawn, np.ndarray]:
        """(the decisions that count, bool[candidates]: theirs)."""
        sizes = np.diff(decisions.first)
        chosen = np.repeat(usable, sizes)
        first = np.concatenate(([0], np.cumsum(sizes[usable])))
        floor = 0.0 if self._floor is None else self._floor
        least = np.full(first[-1], floor)
        if decisions.probabilities is not None:
            given = decisions.probabilities[chosen]
            least = np.where(np.isnan(given), least, np.maximum(given, 0.0))
        drawn = Drawn(
            first, first[:-1] + decisions.action[usable], self._scaled(decisions.cost[usable]),
            decisions.probability[usable], least,
        )  # fmt: skip
        return drawn, chosen

    def _weigh(self, name: str, cost: np.ndarray, w: np.ndarray) -> np.ndarray:
        """float64[n]: the self-normalised estimate before each decision, drawn to the middle of the range at first."""
        columns = np.column_stack((w * cost, w, w * w))
        sums = np.cumsum(np.concatenate((self._weights[name][None], columns)), axis=0)
        self._weights[name] = sums[-1]
        return (sums[:-1, 0] + 0.5) / (sums[:-1, 1] + 1.0)

    def _weighted(self, name: str, estimator: str) -> float:
        """The weighted mean of costs: over their number (ips), or over the sum of weights (snips)."""
        costs, weights = self._weights[name][:2].tolist()
        over = self.count if estimator == "ips" else weights
        return (self._low * weights + (self._high - self._low) * costs) / over if over > 0.0 else float("nan")


class Checks:
    """Whether the probabilities of a log can be right, and whether it tells anything of the policies.

    The weight pi_a/p_a has the mean 1 if the log's probabilities are right, and not 0 where the policy's are not. A
    sequence that holds at all times tells when the mean is above 1 (probabilities that are too small), or, where
    lower bounds of all probabilities are known, below. The equal policy, pi = 1/K, is checked as well: it needs no
    model. Each check is wrong with a chance of 1 in 1000 at most.
    """

    ALPHA = 1e-3

    def __init__(self, names: list[str]):
        self.bounded = False
        self.decisions = self.without_probability = self.certain = 0
        self.unequal, self.first_unequal = 0, ""  # lists of probabilities that do not add up, or contradict
        self._equal = LowerSequence(high=_MAX_WEIGHT)
        self._above = {name: LowerSequence(high=_MAX_WEIGHT) for name in names}
        self._below = {name: LowerSequence() for name in names}
        self._reach = dict.fromkeys(names, 1.0)

    def count(self, decisions: Decisions, known: np.ndarray, usable: np.ndarray) -> None:
        """Count the decisions of each kind, and compare lists of probabilities with what they should be."""
        self.decisions += decisions.n
        self.without_probability += int((known & ~usable).sum())
        self.certain += int((decisions.probability[usable] == 1.0).sum())
        if decisions.probabilities is None or not decisions.n:
            return
        sums = np.add.reduceat(decisions.probabilities, decisions.first[:-1])
        own = decisions.probabilities[decisions.first[:-1] + np.maximum(decisions.action, 0)]
        off = np.abs(sums - 1.0) > TOLERANCE
        other = usable & (np.abs(own - decisions.probability) > TOLERANCE)
        wrong = off | other
        if wrong.any() and not self.unequal:
            i = int(np.argmax(wrong))
            self.first_unequal = f"{decisions.source}:{decisions.lines[i]}: " + (
                f"they add up to {sums[i]:.6g}"
                if off[i]
                else f"{own[i]:.6g} of the action that was chosen with {decisions.probability[i]:.6g}"
            )
        self.unequal += int(wrong.sum())

    def add_log(self, drawn: Drawn) -> None:
        """Weigh the equal policy."""
        weight = 1.0 / (np.diff(drawn.first) * drawn.probability)
        self._equal.add(weight[:, None], np.zeros((len(weight), 1)))

    def add_policy(self, name: str, drawn: Drawn, pi: np.ndarray, w: np.ndarray) -> None:
        """Weigh a policy; w : float64[n]."""
        self._above[name].add(w[:, None], np.zeros((len(w), 1)))
        if self.bounded:  # a cost that is always 0 has the mean 0: with the control 1 its terms are 1 - w
            one = np.ones(len(pi))
            needed = np.concatenate(([self._reach[name]], reach(drawn, pi, one)))
            k = np.maximum.accumulate(needed)
            self._reach[name] = k[-1]
            free = drawn._replace(cost=np.zeros(len(w)))
            values = decision_terms(free, pi, cut(drawn, pi, one, k[:-1]))
            self._below[name].add(values[:, None], k[:-1, None])

    def warnings(self, count: int, weights: dict[str, np.ndarray]) -> list[str]:
        """One line each, of `count` decisions that could be evaluated; weights : sums of w s, w, w w by policy."""
        out = []
        if self.without_probability:
            of = f"{self.without_probability} of {self.decisions}"
            out.append(f"decisions with a cost, but without a probability, do not count: {of}")
        if self.unequal:
            out.append(f"probabilities of {self.unequal} decisions do not add up: {self.first_unequal}")
        if count and self.certain == count:
            out.append(
                "all probabilities of the log are 1: it explored nothing, so what other actions cost is not known"
            )
        above = self._equal.bound(self.ALPHA)
        if above > 1.0:
            out.append(
                f"the log's probabilities are too small: 1/(K p) has a mean of {above:.4g} at least, expected 1 at most"
            )
        for name in self._above:
            out += self._of_policy(name, count, weights[name][1:])
        return out

    def _of_policy(self, name: str, count: int, sums: np.ndarray) -> list[str]:
        above = self._above[name].bound(self.ALPHA)
        if above > 1.0:
            return [
                f"{name}: the log's probabilities do not add up: weights have a mean of {above:.4g} at least, not 1"
            ]
        below = 1.0 - self._below[name].bound(self.ALPHA)
        mean, square = sums / max(count, 1)
        error = np.sqrt(max(square - mean * mean, 0.0) / max(count, 1))
        if below < 1.0:
            return [f"{name}: {_unexplored(1.0 - below)} at least; of what these cost the log says nothing"]
        if not self.bounded and count and 1.0 - mean > MAX_STANDARD_ERRORS * error + 1e-9:
            return [f"{name}: {_unexplored(1.0 - mean)} about; of what these cost the log says nothing"]
        return []


def _check_all(decisions: Decisions, good: np.ndarray, what: str, values: np.ndarray, expected: str) -> None:
    if not good.all():
        i = int(np.argmin(good))
        raise InputError(decisions.source, f"{what} {values[i]:g}", expected, int(decisions.lines[i]))


def _unexplored(share: float) -> str:
    return f"the policy takes actions that the log never does, with a probability of {share:.2g}"
