"""Off-policy estimates and intervals against twins in plain Python; their promise, by simulation."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
from offpolicy_twin import EvaluationTwin, line_of, log_wealth
from scipy.special import betaincinv

from sonlearn import Batch, InputError, OptionError
from sonlearn.data.decisions import numbered
from sonlearn.offpolicy.evaluation import LOG, Evaluation
from sonlearn.offpolicy.value import ESTIMATORS, KAPPA, Drawn, LowerSequence, cut, decision_terms, prior, reach
from sonlearn.report.offpolicy import verdicts

K, CONTEXTS = 4, 6


def world(seed=0):
    """(mean costs, the policy asked about, the log's policy), float64[contexts, K] each."""
    rng = np.random.default_rng(seed)
    costs = rng.uniform(0.05, 0.95, (CONTEXTS, K))
    policy = np.full((CONTEXTS, K), 0.02)
    policy[np.arange(CONTEXTS), costs.argmin(1)] += 1 - 0.02 * K
    log = np.full((CONTEXTS, K), 0.05)
    log[np.arange(CONTEXTS), costs.argsort(1)[:, np.arange(CONTEXTS) % 2].diagonal()] += 1 - 0.05 * K
    return costs, policy, log


def rows_of(n):
    """Rows without features."""
    none = np.zeros(0)
    return Batch(
        np.zeros(n + 1, np.int64), none.astype(np.int64), none, np.full(n, np.nan), np.ones(n), np.arange(n) + 1
    )


def log_of(n, costs, log, rng, probabilities=False):
    """(contexts, decisions) of a log of n decisions with costs 0 and 1."""
    x = rng.integers(0, CONTEXTS, n)
    action = (rng.random(n)[:, None] > log[x].cumsum(1)).sum(1).clip(0, K - 1)
    cost = (rng.random(n) < costs[x, action]).astype(float)
    decisions = numbered(rows_of(n), K, action, cost, log[x, action])
    return x, decisions._replace(probabilities=log[x].ravel() if probabilities else None)


def as_policy(x, policy, expected):
    return SimpleNamespace(probability=policy[x].ravel(), mean=expected[x].ravel())


def parts_of(decisions, x, at):
    """Decisions and contexts, cut at these places."""
    ends = [0, *at, decisions.n]
    return [(decisions.part(a, b), x[a:b]) for a, b in itertools.pairwise(ends)]


def test_the_mixture_is_that_of_its_definition():
    rng = np.random.default_rng(1)
    values = rng.exponential(1.0, (40, 2)) - np.array([0.0, 0.5])
    shifts = np.column_stack((np.zeros(40), 0.5 * 2.0 ** np.linspace(0, 5, 40)))
    sequence = LowerSequence(0.0, 2.0, (0.25, 0.75))
    for a, b in ((0, 1), (1, 1), (1, 17), (17, 40)):
        sequence.add(values[a:b], shifts[a:b])
    for v in (0.2, 0.7, 1.3):
        expected = log_wealth(values, shifts, (0.25, 0.75), v, KAPPA, prior(), 0.0, 2.0)
        assert math.isclose(sequence.log_wealth(v), expected, rel_tol=1e-12)
    bound = sequence.bound(0.3)
    assert sequence.log_wealth(bound - 1e-6) > math.log(1 / 0.3) > sequence.log_wealth(bound + 1e-6)
    assert LowerSequence(-1.0).bound(0.05) == -1.0


@pytest.mark.parametrize("horizon", [None, 5])
def test_the_mixture_is_a_martingale_at_the_mean(horizon):
    """The mean of M_t over all outcomes of t rows of two values is 1, and of a greater mean less."""
    p, low, high, t = 0.3, 0.0, 2.0, 5
    means = {}
    for v in (p * high, p * high + 0.1):
        total = 0.0
        for outcome in range(2**t):
            rows = np.array([high if outcome >> i & 1 else low for i in range(t)])
            sequence = LowerSequence(horizon=horizon)
            sequence.add(rows[:, None], np.zeros((t, 1)))
            total += math.exp(sequence.log_wealth(v)) * math.prod(p if x == high else 1 - p for x in rows)
        means[v] = total
    assert math.isclose(means[p * high], 1.0, rel_tol=1e-12)
    assert means[p * high + 0.1] < 0.95


def test_means_that_differ_are_allowed_for():
    """Whatever means a stream has, the mixture at their average is at most the product with each row's own mean."""
    rng = np.random.default_rng(7)
    for _ in range(50):
        means, shifts = rng.random(12), 2.0 ** rng.integers(-1, 5, 12)
        values = means * rng.exponential(1.0, 12)
        sequence = LowerSequence()
        sequence.add(values[:, None], shifts[:, None])
        bets = (1 + np.outer(values + shifts, KAPPA)) / (1 + np.outer(means + shifts, KAPPA))
        assert sequence.log_wealth(means.mean()) <= np.log(bets.prod(axis=0) @ prior()) + 1e-12


@pytest.mark.parametrize("difference", [False, True])
def test_terms_are_unbiased_and_bounded_whatever_the_control(difference):
    """Over all actions of one decision, of random policies: the mean is exact, and no term is below -k (- 1)."""
    rng = np.random.default_rng(2)
    for _ in range(200):
        p, pi, other = rng.dirichlet(np.ones(K), 3)
        delta = pi - other if difference else pi
        costs, q, k = rng.random(K), rng.random(K), rng.exponential(1.0)
        least = p * rng.choice([1.0, 0.5, 0.0], K)
        every = [Drawn(np.array([0, K]), np.array([a]), costs[[a]], p[[a]], least) for a in range(K)]
        near = cut(every[0], delta, q, np.array([k]))
        found = np.array([decision_terms(one, delta, near)[0] for one in every])
        assert math.isclose(p @ found, delta @ costs, rel_tol=0, abs_tol=1e-9)
        worst = [decision_terms(one._replace(cost=np.array([c])), delta, near)[0] for one in every for c in (0.0, 1.0)]
        assert min(worst) >= -k - difference - 1e-9
        enough = reach(every[0]._replace(least=p), delta, q)
        np.testing.assert_allclose(cut(every[0]._replace(least=p), delta, q, enough * (1 + 1e-12)), q, atol=1e-9)
        assert (np.abs(near - q) <= 1.0).all()


@pytest.mark.parametrize(("known", "horizon"), [("nothing", None), ("floor", 100), ("all", None), ("all", 10_000)])
def test_an_evaluation_is_that_of_its_definition(known, horizon):
    """Two policies, cut anywhere, equal the twin, which keeps every decision."""
    costs, policy, log = world()
    rng = np.random.default_rng(3)
    second = rng.dirichlet(np.ones(K), CONTEXTS)
    x, decisions = log_of(100, costs, log, rng, known == "all")
    missing = rng.random(100) < 0.1
    decisions = decisions._replace(cost=np.where(missing, np.nan, 3 * decisions.cost - 1))
    expected = 3 * costs - 1.2
    floor = 0.05 if known == "floor" else None
    evaluation = Evaluation(["a", "b"], (-1.0, 2.0), floor=floor, horizon=horizon)
    whole = Evaluation(["a", "b"], (-1.0, 2.0), floor=floor, horizon=horizon)
    twin = EvaluationTwin(["a", "b"], (-1.0, 2.0), 0.95, floor, horizon)
    for part, seen in parts_of(decisions, x, (1, 2, 50)):
        evaluation.add(part, [as_policy(seen, policy, expected), as_policy(seen, second, expected + 0.1)])
    policies = [as_policy(x, policy, expected), as_policy(x, second, expected + 0.1)]
    whole.add(decisions, policies)
    assert evaluation.lines() == whole.lines()
    for i in range(decisions.n):
        rows = slice(i * K, (i + 1) * K)
        twin.add(decisions.part(i, i + 1), [(one.probability[rows], one.mean[rows]) for one in policies])
    found = {(one.policy, one.against, one.estimator): one for one in evaluation.lines()}
    theirs = twin.lines()
    assert found.keys() == theirs.keys()
    for key, values in theirs.items():
        np.testing.assert_allclose(found[key][4:], values, rtol=0, atol=1e-5, err_msg=str(key))


def of_itself(n, share, horizon):
    """Bounds of n costs of a policy that evaluates its own log, a `share` of them 1, at the end."""
    cost = np.zeros(n)
    cost[: round(n * share)] = 1.0
    _, decisions = log_of(n, np.full((CONTEXTS, K), 0.5), np.full((CONTEXTS, K), 1.0 / K), np.random.default_rng(9))
    policy = SimpleNamespace(probability=np.full(n * K, 1.0 / K), mean=np.full(n * K, share))
    evaluation = Evaluation(["a"], (0.0, 1.0), horizon=horizon)
    evaluation.add(decisions._replace(cost=cost, probabilities=policy.probability), [policy])
    return [(one.low, one.high) for one in evaluation.lines() if not one.against]


@pytest.mark.parametrize("n", [1000, 10_000])
@pytest.mark.parametrize("share", [0.15, 0.3, 0.5])
def test_an_interval_at_its_horizon_is_near_the_best_that_holds_at_one_time_only(n, share):
    """At most 1.5 times as wide as Clopper's and Pearson's, which is exact of costs of 0 and 1."""
    ones = round(n * share)
    best = betaincinv(ones + 1, n - ones, 0.975) - betaincinv(ones, n - ones + 1, 0.025)
    for low, high in of_itself(n, share, n):
        assert low < share < high
        assert high - low <= 1.5 * best
    for (low, high), (least, most) in zip(of_itself(n, share, None), of_itself(n, share, n), strict=True):
        assert high - low > 1.1 * (most - least)


def test_intervals_tell_a_better_policy_and_narrow_with_what_is_known():
    costs, policy, log = world()
    rng = np.random.default_rng(4)
    x, decisions = log_of(6000, costs, log, rng, True)
    evaluation, blind = Evaluation(["a"], (0.0, 1.0)), Evaluation(["a"], (0.0, 1.0))
    evaluation.add(decisions, [as_policy(x, policy, costs)])
    blind.add(decisions._replace(probabilities=None), [as_policy(x, policy, costs)])
    value, own = float((policy * costs).sum(1).mean()), float((log * costs).sum(1).mean())
    gain = line_of(evaluation, "a", LOG)
    assert gain.low <= value - own <= gain.high < 0
    found = {e: line_of(evaluation, "a", "", e) for e in ESTIMATORS}
    width = {e: one.high - one.low for e, one in found.items()}
    assert width["dr"] < width["snips"] < width["ips"]
    assert width["dr"] < 0.7 * (line_of(blind, "a").high - line_of(blind, "a").low)
    w = policy[x, decisions.action] / decisions.probability
    assert math.isclose(found["ips"].cost, (w * decisions.cost).mean(), rel_tol=1e-9)
    assert math.isclose(found["snips"].cost, (w * decisions.cost).sum() / w.sum(), rel_tol=1e-9)
    line = next(one for one in evaluation.lines() if one.policy == "a")
    assert math.isclose(line.weight, w.mean(), rel_tol=1e-9)
    assert math.isclose(line.effective, w.sum() ** 2 / (w @ w), rel_tol=1e-9)


def test_what_is_wrong_with_probabilities_is_warning():
    costs, policy, log = world()
    rng = np.random.default_rng(5)
    x, decisions = log_of(3000, costs, log, rng)

    def warnings(floor=None, policy=policy, **changed):
        evaluation = Evaluation(["a"], (0.0, 1.0), floor=floor)
        evaluation.add(decisions._replace(**changed), [as_policy(x, policy, costs)])
        return evaluation.warnings()

    assert warnings() == []
    assert warnings(floor=0.05) == []
    assert warnings(probabilities=log[x].ravel()) == []
    assert "too small" in warnings(probability=decisions.probability / 2)[0]
    assert "do not add up" in warnings(probability=decisions.probability / 2)[1]
    evaluation = Evaluation(["a"], (0.0, 1.0))
    evaluation.add(decisions._replace(probability=decisions.probability / 20), [as_policy(x, policy, costs)])
    (verdict,) = verdicts(evaluation.lines())
    assert verdict.startswith("no costs of a and the log fit this log")
    lost = np.where(np.arange(3000) < 10, np.nan, decisions.probability)
    assert warnings(probability=lost) == ["decisions with a cost, but without a probability, do not count: 10 of 3000"]
    (warning,) = warnings(probabilities=0.9 * log[x].ravel())[:1]
    assert warning.startswith("probabilities of 3000 decisions do not add up: <memory>:1: they add up to 0.9")
    (warning,) = warnings(probabilities=np.roll(log[x], 1, axis=1).ravel())[:1]
    assert "of the action that was chosen with" in warning
    certain = warnings(probability=np.ones(3000))
    assert "explored nothing" in certain[0]
    assert "the log never does" in certain[1]
    # the log never takes what the policy takes in half of the contexts
    never = log.copy()
    never[::2, :] = 0
    never[::2, policy.argmin(1)[0]] = 1.0
    x, decisions = log_of(3000, costs, never, rng)
    for floor in (None, 0.05):
        (warning,) = warnings(floor=floor)
        assert "the log never does, with a probability of 0." in warning


def test_what_cannot_be_evaluated_is_refused_and_changes_nothing():
    costs, policy, log = world()
    x, decisions = log_of(50, costs, log, np.random.default_rng(6))
    evaluation = Evaluation(["a"], (0.0, 1.0), floor=0.05)
    policies = [as_policy(x, policy, costs)]
    evaluation.add(decisions, policies)
    before = evaluation.lines()
    far = decisions._replace(cost=np.where(np.arange(50) == 7, 1.5, decisions.cost))
    with pytest.raises(InputError, match=r"<memory>:8: found cost 1.5, expected a cost from 0 to 1, as given"):
        evaluation.add(far, policies)
    rare = decisions._replace(probability=np.where(np.arange(50) == 7, 0.01, decisions.probability))
    with pytest.raises(InputError, match=r"<memory>:8: found probability 0.01, expected 0.05 \(--floor\) at least"):
        evaluation.add(rare, policies)
    assert evaluation.lines() == before
    wrong = ((1.0, 1.0), {}), ((0.0, 1.0), {"level": 1.0}), ((0.0, 1.0), {"floor": 0.0}), ((0.0, 1.0), {"horizon": 0})
    for costs, options in wrong:
        with pytest.raises(OptionError):
            Evaluation(["a"], costs, **options)
