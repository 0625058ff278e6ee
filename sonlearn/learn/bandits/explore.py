"""Expected rewards and widths of a decision's candidates -> the probability of each; the choice out of a hash.

With m_a the expected reward of action a, s_a = W width_a, and K actions, before the floor:

    greedy    the actions of highest m_a share all
    ucb       the actions of highest m_a + s_a share all
    thompson  P(m_a + s_a N_a is the highest), N independent standard normals; by a rule of `NODES` points
    epsilon   epsilon/K, and what is left to the greedy ones
    softmax   in proportion to exp(L m_a)
    squarecb  1/(K + gamma (m_b - m_a)) for all but one best action b, which has the rest; gamma = G t^X
              after t decisions learned (Foster, Rakhlin: Beyond UCB, ICML 2020)

The floor mixes with equal probabilities: p <- f/K + (1 - f) p.

Source of ucb with such widths: Li, Chu, Langford, Schapire, A contextual-bandit approach to personalized news article
recommendation, WWW 2010; of thompson: Agrawal, Goyal, Thompson sampling for contextual bandits, ICML 2013.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from sonlearn.data.linear_algebra import largest
from sonlearn.data.mixing import BITS, LOW, hash_bits
from sonlearn.jit import inline
from sonlearn.options.bandit import EXPLORERS, BanditOptions

#: In the order of `EXPLORERS`.
UCB, THOMPSON, SQUARECB, SOFTMAX, EPSILON, GREEDY = range(6)
#: Points at which a normal distribution is summed up: the quantiles of one twice as wide, to 4.8 deviations, each with
#: what the first density is of the second. So unlikely actions have a probability that is small, not 0.
NODES = 64
_POINTS = np.array([2.0 * NormalDist().inv_cdf((i + 0.5) / NODES) for i in range(NODES)])
_WEIGHTS = np.exp(-0.375 * _POINTS**2)


class ExplorationRule(NamedTuple):
    """How an action is chosen."""

    code: int
    width: float
    epsilon: float
    softmax: float
    gamma: float
    exponent: float
    floor: float
    seed: int


def rule_of(options: BanditOptions) -> ExplorationRule:
    """The rule of some options."""
    code = EXPLORERS.index(options.explore) if options.explores else GREEDY
    floor = options.min_probability if options.explores else 0.0
    return ExplorationRule(
        code, options.explore_width, options.epsilon, options.softmax_lambda, options.gamma_scale,
        options.gamma_exponent, floor, options.bandit_seed,
    )  # fmt: skip


@inline
def probabilities(rule, t, mean, width, p):
    """p <- the probability of each candidate after `t` learned decisions; mean, width : float64[n], not modified."""
    n, code = len(mean), rule.code
    if code == THOMPSON:
        thompson(rule.width, mean, width, p)
    elif code == SOFTMAX:
        total, top = 0.0, largest(mean, n)
        for a in range(n):
            p[a] = math.exp(rule.softmax * (mean[a] - top))
            total += p[a]
        for a in range(n):
            p[a] /= total
    elif code == SQUARECB:
        squarecb(rule.gamma * float(t) ** rule.exponent, mean, p)
    else:
        share_best(rule.width if code == UCB else 0.0, mean, width, p)
        if code == EPSILON:
            for a in range(n):
                p[a] = rule.epsilon / n + (1.0 - rule.epsilon) * p[a]
    if rule.floor > 0.0:
        for a in range(n):
            p[a] = rule.floor / n + (1.0 - rule.floor) * p[a]


@inline
def share_best(by, mean, width, p):
    """p <- equal shares of the candidates for which mean + by width is highest."""
    best, count = -math.inf, 0
    for a in range(len(mean)):
        value = mean[a] + by * width[a]
        if value > best:
            best, count = value, 1
        elif value == best:
            count += 1
    for a in range(len(mean)):
        p[a] = 1.0 / count if mean[a] + by * width[a] == best else 0.0


@inline
def squarecb(gamma, mean, p):
    """p <- inverse gap weighting."""
    best, rest = 0, 1.0
    for a in range(len(mean)):
        if mean[a] > mean[best]:
            best = a
    for a in range(len(mean)):
        if a != best:
            p[a] = 1.0 / (len(mean) + gamma * (mean[best] - mean[a]))
            rest -= p[a]
    p[best] = rest


@inline
def thompson(by, mean, width, p):
    """p <- how likely each candidate is the best of independent normals of these means, and of deviations by width."""
    total = 0.0
    for a in range(len(mean)):
        p[a] = 0.0
        for i in range(NODES):
            z, share = mean[a] + by * width[a] * _POINTS[i], _WEIGHTS[i]
            for b in range(len(mean)):
                if b != a:
                    share *= below(z - mean[b], by * width[b])
            p[a] += share
        total += p[a]
    for a in range(len(mean)):
        p[a] = p[a] / total if total > 0.0 else 1.0 / len(mean)


@inline(force=True)
def below(z, s):
    """P(s N < z), with half of a tie."""
    if s > 0.0:
        return 0.5 * math.erfc(-z / (s * 1.4142135623730951))
    return 0.5 if z == 0.0 else 1.0 if z > 0.0 else 0.0


@inline
def sample_action(seed, t, p):
    """The candidate that a number in [0, 1), a hash of the seed and of the decision's number t, falls to."""
    low = hash_bits(hash_bits(seed & LOW) ^ (seed >> BITS) ^ hash_bits(t & LOW) ^ (t >> BITS))
    high = hash_bits(low ^ 0x5BD1E995)
    u, last = (high * float(1 << 31) + low) / float(1 << 62), 0
    for a in range(len(p)):
        if p[a] > 0.0:
            last = a
            u -= p[a]
            if u < 0.0:
                return a
    return last
