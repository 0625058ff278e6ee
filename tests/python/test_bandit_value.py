"""`SonlearnBandit.evaluate`, and River's interface of policies."""

import json

import numpy as np
import pytest
from offpolicy_twin import line_of

from sonlearn import InputError, OptionError, SonlearnBandit, from_scipy
from sonlearn.data.decisions import numbered
from sonlearn.offpolicy.evaluation import Evaluation
from sonlearn.text.decisions import DecisionReader

K = 3


def log(n, seed):
    """(contexts, actions, rewards, probabilities of all actions): the action of the largest column pays."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, K))
    p = np.tile([0.6, 0.2, 0.2], (n, 1))
    action = (rng.random(n)[:, None] > p.cumsum(axis=1)).sum(axis=1)
    reward = (action == X.argmax(axis=1)) + 0.5
    return X, action, reward, p


def test_an_evaluation_is_in_rewards():
    bandit = SonlearnBandit(K, explore="greedy")
    X, action, reward, p = log(600, 0)
    bandit.partial_fit(X, action, reward, p[np.arange(600), action])
    X, action, reward, p = log(600, 1)
    chosen = p[np.arange(600), action]
    found = bandit.evaluate(X, action, reward, chosen, probabilities=p[:, :, None])
    evaluation = Evaluation(["policy"], (-1.5, -0.5))
    decisions = numbered(from_scipy(X), K, action, -reward, chosen)._replace(probabilities=p.ravel())
    decided = bandit.learner.predict(decisions)
    evaluation.add(decisions, [decided])
    for name, gain in found.gain.items():
        theirs = line_of(evaluation, "policy", "log", name)
        assert gain == (-theirs.cost, -theirs.high, -theirs.low)
        theirs = line_of(evaluation, "policy", "", name)
        assert found.value[name] == (-theirs.cost, -theirs.high, -theirs.low)
    assert found.decisions == 600
    assert found.log.low < np.mean(reward) < found.log.high
    assert found.gain["dr"].low > 0
    assert found.warnings == []
    truth = 0.5 + np.mean(bandit.predict(X).argmax(axis=1) == X.argmax(axis=1))
    assert found.value["dr"].low < truth < found.value["dr"].high
    assert bandit.action_dist(X).shape == (600, K, 1)
    # Open Bandit Pipeline's own formulas, of the same arrays
    weight = bandit.action_dist(X)[np.arange(600), action, 0] / chosen
    np.testing.assert_allclose(found.value["ips"].value, (weight * reward).mean(), rtol=1e-9)
    np.testing.assert_allclose(found.value["snips"].value, (weight * reward).sum() / weight.sum(), rtol=1e-9)
    with pytest.raises(InputError, match=r"found cost -1\.5, expected a cost from -1 to 0, as given"):
        bandit.evaluate(X, action, reward, chosen, rewards=(0.0, 1.0))
    with pytest.raises(InputError, match=r"probabilities of the shape \(600, 2\)"):
        bandit.evaluate(X, action, reward, chosen, probabilities=p[:, :2])
    with pytest.raises(OptionError, match="give rewards="):
        SonlearnBandit(K).evaluate(X, action, reward, chosen)


def test_an_evaluation_of_actions_with_features_is_that_of_their_log(tmp_path):
    """Contexts and lists of actions, as many as there are, in Python and as a file of dsjson."""
    rng = np.random.default_rng(7)
    times, offers = ("morning", "evening"), ("coffee", "soup", "wine")

    def visits(n):
        for _ in range(n):
            names = offers[: rng.integers(2, 4)]
            p = np.full(len(names), 0.2)
            p[0] += 1 - p.sum()
            time, action = str(rng.choice(times)), int(rng.choice(len(names), p=p))
            yield time, names, p, action, float(names[action] == {"morning": "soup", "evening": "coffee"}[time])

    bandit = SonlearnBandit()
    for time, names, p, action, reward in visits(150):
        bandit.learn({"time": time}, action, reward, p[action], [{"name": name} for name in names])
    log = list(visits(200))
    contexts, actions = [{"time": one[0]} for one in log], [[{"name": name} for name in one[1]] for one in log]
    chosen, rewards, every = [one[3] for one in log], [one[4] for one in log], [one[2] for one in log]
    of_chosen = [p[a] for p, a in zip(every, chosen, strict=True)]
    found = bandit.evaluate(
        contexts, chosen, rewards, of_chosen, actions=actions, probabilities=every, horizon=200, level=0.9
    )
    lines = []
    for time, names, p, action, reward in log:
        multi = [{"action": {"name": name}} for name in names]
        lines.append(json.dumps({
            "_label_cost": -reward, "_label_probability": p[action], "_labelIndex": action,
            "a": list(range(1, len(p) + 1)), "p": p.tolist(), "c": {"context": {"time": time}, "_multi": multi},
        }))  # fmt: skip
    (tmp_path / "log").write_text("\n".join(lines) + "\n")
    evaluation = Evaluation(["policy"], (-1.0, 0.0), level=0.9, horizon=200)
    for decisions in DecisionReader(str(tmp_path / "log"), bandit.learner.text, bandit.learner.options):
        decided = bandit.learner.predict(decisions)
        evaluation.add(decisions, [decided])
    for name, gain in found.gain.items():
        theirs = line_of(evaluation, "policy", "log", name)
        np.testing.assert_allclose(gain, (-theirs.cost, -theirs.high, -theirs.low), rtol=1e-12)
    assert found.gain["dr"].low > 0.2
    for wrong, message in (
        ({}, "actions= of each"),
        ({"actions": actions[1:]}, "200 contexts, 199 lists of actions"),
        ({"actions": actions, "probabilities": every[1:]}, "probabilities of the shape 199 lists"),
        ({"actions": [one[:1] for one in actions]}, "an action from 0 to 0"),
    ):
        with pytest.raises(InputError, match=message):
            bandit.evaluate(contexts, chosen, rewards, of_chosen, **wrong)
    with pytest.raises(InputError, match="199 probabilities"):
        bandit.evaluate(contexts, chosen, rewards, of_chosen[1:], actions=actions)


def test_a_policy_for_river():
    pytest.importorskip("river", reason="the extra river is not installed")
    from sonlearn.river import SonlearnPolicy

    rng = np.random.default_rng(2)
    policy = SonlearnPolicy(explore="epsilon", seed=3)
    earned = []
    for i in range(300):
        context = {"time": str(rng.choice(["morning", "evening"]))}
        arms = ["coffee", "wine", "soup"] if i % 2 else ["coffee", "wine"]
        arm = policy.pull(arms, context)
        reward = float(arm == {"morning": "coffee", "evening": "wine"}[context["time"]])
        policy.update(arm, context, reward)
        earned.append(reward)
    assert np.mean(earned[150:]) > 0.8
    assert policy.ranking[-1] == "soup"
    assert policy.clone().bandit.learner.examples == 0
    with pytest.raises(InputError, match="one number"):
        policy.update("coffee", {}, 1.0, 2.0)


@pytest.mark.parametrize("context", ["tea", ["tea", "cup"], [[1, 2], [3, 4]], [[1], [2, 3]]])
def test_a_context_is_one_dict_or_one_vector(context):
    """Two rows were one decision among twice as many actions."""
    bandit = SonlearnBandit(3)
    with pytest.raises(InputError, match="expected a context: a dict, or a vector of numbers"):
        bandit.decide(context)
    with pytest.raises(InputError, match="expected a context: a dict, or a vector of numbers"):
        bandit.learn(context, 1, 1.0)
    assert len(bandit.decide(np.ones((1, 2))).probabilities) == 3


def test_actions_with_features_are_a_list():
    with pytest.raises(InputError, match="found actions=5, expected a list of actions with features"):
        SonlearnBandit().decide([1.0, 2.0], 5)
