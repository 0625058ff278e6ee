"""Off-policy intervals on simulated logs: do they hold at all times, and how wide are they?

    python bench/offpolicy.py [--logs 500] [--decisions 1000] [--horizon N] [--cases equal:exact,greedy:floor,...]

Five actions, eight contexts, costs of 0 and 1; with ``-graded`` anything between (Beta, three counts), with
``-clicks`` nine of ten are 1. --horizon tells the intervals how many decisions to expect. A policy takes the best
action of each context with 96 %; other policies write logs. Of each log, each estimator and both questions (the
policy's cost; its cost less the log's) the table has

- held: share of the logs whose 95 % interval held the true value after every single decision;
- width: mean width at the end;
- / guaranteed: that width over the least one of intervals for a number of decisions fixed in advance that hold with
  95 % whatever the distribution: empirical Bernstein (Maurer, Pontil 2009), betting for a fixed number (Waudby-Smith,
  Ramdas 2024, the hedged capital interval), and of a log of 0 and 1 by the policy itself Clopper-Pearson;
- / normal: over the interval of the normal approximation, which holds only for many decisions, and at one time;
- peeked: share of the logs whose normal interval held at all times from decision 100 on;
- known after: of the second question, the median number of decisions after which the interval is without 0.

Logs are `exact`, with the probabilities of all actions (dsjson), have a `floor`, of which --floor tells, or only that
of the `chosen` action. Widths of intervals for a fixed number, which know the range of all terms, are those of the
first 100 logs.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp
from scipy.stats import beta, norm

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from bench.table import Table  # noqa: E402
from sonlearn.data.batch import Batch  # noqa: E402
from sonlearn.data.decisions import Decisions, numbered  # noqa: E402
from sonlearn.offpolicy.evaluation import LOG, Evaluation  # noqa: E402
from sonlearn.offpolicy.value import (  # noqa: E402
    ESTIMATORS,
    KAPPA,
    SHARES,
    Drawn,
    LowerSequence,
    decision_terms,
    level_of,
)

K, CONTEXTS, ALPHA, PEEK, FIXED = 5, 8, 0.05, 100, 100


class Case(NamedTuple):
    """Mean costs, the policy and the log's policy, float64[contexts, K] each; whether costs are more than 0 and 1."""

    costs: np.ndarray
    policy: np.ndarray
    log: np.ndarray
    graded: bool


def case_of(name: str) -> Case:
    """The case of a name: who wrote the log, and how costs are drawn."""
    costs = np.random.default_rng(5).uniform(0.05, 0.95, (CONTEXTS, K))
    kind, _, drawn = name.partition("-")
    if drawn == "clicks":
        costs = 1.0 - 0.1 * (1.0 - costs)
    order = costs.argsort(axis=1)
    at = np.arange(CONTEXTS)
    policy = np.full((CONTEXTS, K), 0.05 / K)
    policy[at, order[:, 0]] += 0.95
    if kind == "itself":
        log = policy
    elif kind == "equal":
        log = np.full((CONTEXTS, K), 1.0 / K)
    elif kind == "greedy":  # right in every other context, and at random in 1 of 5 decisions
        log = np.full((CONTEXTS, K), 0.2 / K)
        log[at, order[at, at % 2]] += 0.8
    else:  # softmax
        log = np.exp(-4.0 * costs)
        log /= log.sum(axis=1, keepdims=True)
    return Case(costs, policy, log, drawn == "graded")


CASES = (
    "itself:exact", "equal:exact", "softmax:exact", "greedy:exact", "greedy:floor", "greedy:chosen",
    "equal-clicks:exact", "itself-graded:exact", "equal-graded:exact", "greedy-graded:floor",
)  # fmt: skip


def log_of(case: Case, n: int, seed: int) -> tuple[np.ndarray, Decisions]:
    """(contexts, a log of n decisions with all probabilities)."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, CONTEXTS, n)
    action = (rng.random(n)[:, None] > case.log[x].cumsum(axis=1)).sum(axis=1).clip(0, K - 1)
    mean = case.costs[x, action]
    cost = rng.beta(3 * mean, 3 - 3 * mean) if case.graded else (rng.random(n) < mean).astype(float)
    lines, none = np.arange(n) + 1, np.zeros(0)
    rows = Batch(np.zeros(n + 1, np.int64), none.astype(np.int64), none, np.full(n, np.nan), np.ones(n), lines)
    return x, numbered(rows, K, action, cost, case.log[x, action])._replace(probabilities=case.log[x].ravel())


class Watched(LowerSequence):
    """A sequence that remembers after which rows it refused the true mean, and another one."""

    def __init__(self, of: LowerSequence, shares: tuple[float, ...], horizon: int | None, asked: tuple[float, ...]):
        super().__init__(of.low, of.high, shares, horizon)
        self._asked = asked
        self.refused = np.zeros((2, 0), bool)

    def add(self, values: np.ndarray, shifts: np.ndarray) -> None:
        """Add all rows at once."""
        parts = []
        for j, log_prior in enumerate(self._log_prior):
            sums = np.cumsum(np.log1p((values[:, j] + shifts[:, j])[:, None] * KAPPA), axis=0)
            levels = level_of(shifts[:, j])
            inside = levels[:, None] == np.unique(levels)
            counts = np.cumsum(inside, axis=0)
            mean = np.cumsum(inside * shifts[:, j, None], axis=0) / np.maximum(counts, 1)
            parts.append([log_prior + sums - self._most(v, counts, mean) for v in self._asked])
        of = [np.logaddexp.reduce([logsumexp(part[i], axis=1) for part in parts]) for i in range(len(self._asked))]
        self.refused = np.array(of) >= math.log(2 / ALPHA)
        super().add(values, shifts)

    def _most(self, v: float, counts: np.ndarray, mean: np.ndarray) -> np.ndarray:
        """float64[n, bets]: sum n log(1 + kappa (v_g + k_g)), evened out by bisection for all rows at once."""
        if counts.shape[1] == 1:
            return counts * np.log1p(np.maximum(v + mean, 0.0) * KAPPA)
        low, high = mean.min(axis=1) + self.low - 1, mean.max(axis=1) + self.high + 1
        for _ in range(40):
            middle = 0.5 * (low + high)
            total = (counts * np.clip(middle[:, None] - mean, self.low, self.high)).sum(axis=1)
            above = total > v * counts.sum(axis=1)
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        even = np.clip(low[:, None] - mean, self.low, self.high) + mean
        groups = range(counts.shape[1])
        return sum(counts[:, g, None] * np.log1p(np.maximum(even[:, g, None], 0.0) * KAPPA) for g in groups)


class Outcome(NamedTuple):
    """Of one log, question and estimator."""

    held: bool
    width: float
    guaranteed: float
    normal: float
    peeked: bool
    known_after: float


def outcomes(case: Case, n: int, seed: int, known: str, horizon: int | None) -> dict[tuple[str, str], Outcome]:
    """{(against, estimator): outcome} of a log."""
    x, decisions = log_of(case, n, seed)
    expected = np.clip(case.costs + np.random.default_rng(6).normal(0, 0.1, case.costs.shape), 0, 1)
    policy = SimpleNamespace(probability=case.policy[x].ravel(), mean=expected[x].ravel())
    floor = float(case.log.min()) if known == "floor" else None
    evaluation = Evaluation(["a"], (0.0, 1.0), level=1 - ALPHA, floor=floor, horizon=horizon)
    given = decisions if known == "exact" else decisions._replace(probabilities=None)
    evaluation.add(given.part(0, 0), [SimpleNamespace(probability=np.zeros(0), mean=np.zeros(0))])
    truths = {"": float((case.policy * case.costs).sum(axis=1).mean())}
    truths[LOG] = truths[""] - float((case.log * case.costs).sum(axis=1).mean())
    for against, truth in truths.items():
        for name in ESTIMATORS:
            shares = SHARES[name] if known != "chosen" else (1.0,)
            mirrored = (0.0 if against else 1.0) - truth
            # no difference is refused by the upper bound of a policy that costs less
            kept = evaluation._values["a", against]._sequences
            asked = ((truth,), (mirrored, 0.0) if against else (mirrored,))
            kept[name] = tuple(Watched(one, shares, horizon, ask) for one, ask in zip(kept[name], asked, strict=True))
    evaluation.add(given, [policy])
    drawn = Drawn(decisions.first, decisions.first[:-1] + decisions.action, decisions.cost, decisions.probability,
                  np.zeros(len(policy.probability)))  # fmt: skip
    lines = {(one.against, one.estimator): one for one in evaluation.lines() if one.policy == "a"}
    out = {}
    for against, truth in truths.items():
        if against and case.policy is case.log:
            continue
        for name in ESTIMATORS:
            one = lines[against, name]
            below, above = (s.refused for s in evaluation._values["a", against]._sequences[name])
            control = {"ips": 0.0, "snips": truths[""]}.get(name, policy.expected) * np.ones(len(policy.probability))
            own = decisions.cost if against else 0.0
            values = decision_terms(drawn, policy.probability, control) - own
            most = (case.policy / case.log).max()
            ends = (-most * control.max() - bool(against), most + control.max())
            normal, peeked = normal_of(values, truth)
            fixed = [math.nan]
            if seed < FIXED:
                fixed = [bernstein(values, *ends), betting(values, *ends)]
                if case.policy is case.log and not case.graded:
                    fixed.append(clopper_pearson(decisions.cost))
            after = np.flatnonzero(above[-1])
            out[against, name] = Outcome(
                not (below[0] | above[0]).any(), one.high - one.low, min(fixed), normal, peeked,
                float(after[0] + 1) if len(after) else math.inf,
            )  # fmt: skip
    return out


def normal_of(values: np.ndarray, truth: float) -> tuple[float, bool]:
    """(width of the normal interval at the end, whether it held after each decision from `PEEK` on)."""
    t = np.arange(1, len(values) + 1)
    mean = np.cumsum(values) / t
    error = norm.ppf(1 - ALPHA / 2) * np.sqrt(np.maximum(np.cumsum(values**2) / t - mean**2, 0) / t)
    return 2 * float(error[-1]), bool((np.abs(mean - truth) <= error)[PEEK:].all())


def bernstein(values: np.ndarray, low: float, high: float) -> float:
    """Width of Maurer's and Pontil's empirical Bernstein interval."""
    n, log = len(values), math.log(4 / ALPHA)
    half = math.sqrt(2 * values.var(ddof=1) * log / n) + 7 * (high - low) * log / (3 * (n - 1))
    return min(2 * half, high - low)


def betting(values: np.ndarray, low: float, high: float) -> float:
    """Width of the hedged capital interval for a fixed number, over a grid of means."""
    x, n = (values - low) / (high - low), len(values)
    t = np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(x)) / (t + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (t + 1)
    bet = np.sqrt(2 * math.log(2 / ALPHA) / (n * np.concatenate(([0.25], variance[:-1]))))
    around, reach = x.mean(), 8 * math.sqrt(x.var() / n) + 40 / n
    grid = np.linspace(max(around - reach, 1e-6), min(around + reach, 1 - 1e-6), 120)
    above = np.log1p(np.minimum(bet[:, None], 0.75 / grid) * (x[:, None] - grid)).sum(axis=0)
    below = np.log1p(-np.minimum(bet[:, None], 0.75 / (1 - grid)) * (x[:, None] - grid)).sum(axis=0)
    inside = np.flatnonzero(np.maximum(above, below) < math.log(2 / ALPHA))
    step = grid[1] - grid[0]
    return float(grid[inside[-1]] - grid[inside[0]] + step) * (high - low)


def clopper_pearson(cost: np.ndarray) -> float:
    """Width of the exact interval of a share."""
    n, ones = len(cost), cost.sum()
    return float(beta.ppf(1 - ALPHA / 2, ones + 1, n - ones) - beta.ppf(ALPHA / 2, ones, n - ones + 1))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--logs", type=int, default=500)
    parser.add_argument("--decisions", type=int, default=1000)
    parser.add_argument("--horizon", type=int)
    parser.add_argument("--cases", default=",".join(CASES))
    given = parser.parse_args()
    heads = ["log", "", "question", "", "held", "width", "/ guaranteed", "/ normal", "peeked", "known after"]
    table = Table("", heads)
    for name in given.cases.split(","):
        case, known = name.split(":")
        found = [outcomes(case_of(case), given.decisions, seed, known, given.horizon) for seed in range(given.logs)]
        for against, estimator in found[0]:
            columns = zip(*(one[against, estimator] for one in found), strict=True)
            held, width, guaranteed, normal, peeked, after = (np.array(column, float) for column in columns)
            when = f"{np.median(after):.0f}" if against and np.isfinite(np.median(after)) else ""
            beside = width[:FIXED].mean() / guaranteed[:FIXED].mean(), width.mean() / normal.mean()
            cells = f"{held.mean():.3f}", f"{width.mean():.4f}", *(f"{ratio:.2f}" for ratio in beside)
            question = "less the log" if against else "cost"
            table.row(case, known, question, estimator, *cells, f"{peeked.mean():.3f}", when)


if __name__ == "__main__":
    main()
