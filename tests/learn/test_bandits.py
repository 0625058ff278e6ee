"""The learner of decisions against its definition, its rules of exploration against formulas and simulation."""

import copy
import itertools
import math

import numpy as np
import pytest
from bandit_twin import BanditTwin, probabilities
from states import assert_same, assert_same_predictions, state_of
from streams import batch_of, batch_of_dense

from sonlearn import LearnOptions, ModelFileError, OptionError
from sonlearn.data.batch import joined
from sonlearn.data.decisions import Decisions, listed, numbered
from sonlearn.files import storage
from sonlearn.learn.bandits import explore
from sonlearn.learn.bandits.bandit import Bandit
from sonlearn.learn.bandits.explore import sample_action
from sonlearn.learn.bandits.rounds import COMPONENTS, RENEWAL_SHARE, WIDTH
from sonlearn.options.bandit import CB_TYPES, EXPLORERS, BanditOptions
from sonlearn.views import make_view
from sonlearn.views.index import intern, new_index

K = 3


def contexts(n, seed=0, d=4):
    """Rows of numbers, with a constant."""
    rng = np.random.default_rng(seed)
    return batch_of_dense(np.column_stack([rng.normal(size=(n, d)), np.ones(n)]), np.full(n, np.nan))


def log_of(rows, seed=0, costs=(-3.0, 5.0)):
    """Logged decisions among K numbered actions: the action that a column names is mostly the cheap one."""
    rng = np.random.default_rng(seed)
    action = rng.integers(0, K, rows.n)
    best = np.array([int(abs(rows.values[a]) * 3) % K for a in rows.indptr[:-1]])
    right = (action == best) ^ (rng.random(rows.n) < 0.1)
    cost = np.where(right, *costs) + rng.normal(size=rows.n)
    p, known = rng.uniform(0.2, 1, rows.n), rng.random(rows.n) < 0.9
    return numbered(rows, K, np.where(known, action, -1), *(np.where(known, one, np.nan) for one in (cost, p)))


def actions_of(n, seed=0):
    """Logged decisions among two to four actions that are rows of words."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, n)
    rows = [{int(f): 1.0 + f % 2 for f in rng.integers(0, 12, 4)} for _ in range(sizes.sum())]
    first = np.concatenate(([0], np.cumsum(sizes)))
    action = np.array([rng.integers(0, size) for size in sizes])
    cost = np.array([float(3 in rows[a + i]) for a, i in zip(first, action, strict=False)])
    return listed(batch_of(rows, np.full(len(rows), np.nan)), first, action, cost, 1.0 / sizes)


def as_seen(decisions):
    """[{feature: value}] of both views of all rows."""
    known = np.repeat(~np.isnan(decisions.cost), np.diff(decisions.first))
    y = np.full(decisions.rows.n, np.nan)
    y[decisions.row[known]] = 0.0
    rows, index = intern(decisions.rows._replace(y=y), new_index(), True)
    out = []
    fourier = make_view("fourier", components=COMPONENTS, widths=(WIDTH,), linear=1.0, rows="all")
    for view in (make_view("lunit"), fourier):
        state, seen = view.transform(view.reserve(view.new(), rows, int(index.size[0])), rows, True)
        ends = seen.indptr.tolist()
        pairs = list(zip(seen.features.tolist(), seen.values.tolist(), strict=True))
        out.append([dict(pairs[a:b]) for a, b in itertools.pairwise(ends)])
        features = view.features(state)
    return (*out, features)


def check_against_twin(options, decisions, rtol=1e-5):
    """Learn decisions, and compare everything that is said of each with the definition."""
    decided = Bandit(options).partial_fit(decisions)
    sparse, dense, features = as_seen(decisions)
    twin = BanditTwin(options, int(decisions.column.max()) + 1, features)
    for i, (a, b) in enumerate(zip(decisions.first, decisions.first[1:], strict=False)):
        rows, columns = decisions.row[a:b], decisions.column[a:b].tolist()
        own, wide = [sparse[r] for r in rows], [dense[r] for r in rows]
        scale = np.ptp(twin.rewards) if len(set(twin.rewards)) > 1 else 1.0
        low = min(twin.rewards, default=0.0)
        mean, width, p = twin.decide(own, wide, columns)
        np.testing.assert_allclose(decided.mean[a:b], -(low + scale * mean), rtol=rtol, atol=1e-6)
        if options.explores:
            np.testing.assert_allclose(decided.width[a:b], scale * width, rtol=1e-4)
        np.testing.assert_allclose(decided.probability[a:b], p, rtol=1e-3, atol=1e-5)
        if decisions.action[i] < 0:
            assert np.isnan(decided.loss[i])
            continue
        assert decided.action[i] == decisions.action[i]
        cost, q = decisions.cost[i], decisions.probability[i]
        np.testing.assert_allclose(decided.loss[i], cost * decided.probability[a + decisions.action[i]] / q)
        twin.learn(own, wide, columns, int(decisions.action[i]), -cost, q)
    return twin


@pytest.mark.parametrize("cb_type", CB_TYPES)
def test_numbered_actions_are_learned_as_defined(cb_type):
    n = 170 if cb_type in ("dm", "mtr") else 55  # the others learn every action of every decision
    twin = check_against_twin(BanditOptions(cb_explore=K, cb_type=cb_type), log_of(contexts(n)))
    assert min(sketch.shrinks for sketch in twin.sketched) >= 1


def test_precisions_fade_with_every_decision_as_defined():
    """Also those of an action that is rarely chosen, and across a renewal of the diagonal model's precisions."""
    log = log_of(contexts(150))
    rare = (log.action == 2) & (np.arange(150) % 5 > 0)
    log = log._replace(action=np.where(rare, 0, log.action))
    twin = check_against_twin(BanditOptions(cb_explore=K, decay=0.2), log)
    assert 0.8 ** len(twin.rewards) < RENEWAL_SHARE
    assert min(sketch.shrinks for sketch in twin.sketched) >= 3


@pytest.mark.interpreted
def test_actions_that_are_rows_are_learned_as_defined():
    check_against_twin(BanditOptions(cb_explore_adf=True, explore="thompson"), actions_of(40))
    check_against_twin(BanditOptions(cb_adf=True, cb_type="mtr"), actions_of(20, 1))


@pytest.mark.parametrize("name", EXPLORERS)
def test_each_rule_has_its_formula(name):
    own = {"epsilon": 0.2} if name == "epsilon" else {}
    options = BanditOptions(cb_explore=K, explore=name, min_probability=0.06, **own)
    for seed in range(3):
        decisions = log_of(contexts(12, seed), seed)
        bandit = Bandit(options)
        bandit.partial_fit(decisions)
        fresh = numbered(contexts(9, seed + 9), K)
        decided, now = bandit.predict(fresh), bandit.state.now[0]
        scale = now["high"] - now["low"]
        for a in range(0, 27, K):
            mean = (-decided.mean[a : a + K] - now["low"]) / scale
            expected = probabilities(options, now["learned"], mean, decided.width[a : a + K] / scale)
            np.testing.assert_allclose(decided.probability[a : a + K], expected, rtol=1e-9, atol=1e-12)
            assert decided.probability[a : a + K].min() >= 0.02 - 1e-12


def test_thompson_says_how_often_each_action_would_win():
    rule = explore.rule_of(BanditOptions(cb_explore=4, explore="thompson", explore_width=0.5))
    rng = np.random.default_rng(0)
    for _ in range(5):
        mean, width, p = rng.normal(size=4), rng.uniform(0.3, 3.0, 4), np.zeros(4)
        explore.probabilities(rule, 10, mean, width, p)
        wins = np.argmax(mean + 0.5 * width * rng.normal(size=(40_000, 4)), axis=1)
        np.testing.assert_allclose(p, np.bincount(wins, minlength=4) / 40_000, atol=0.012)


@pytest.mark.parametrize("deviations", [1.0, 2.21, 3.0])
@pytest.mark.parametrize("other", [0.0, 1e-3, 1.0])
def test_an_unlikely_action_has_the_small_probability_that_it_has(deviations, other):
    rule, p = explore.rule_of(BanditOptions(cb_explore=2, explore="thompson", explore_width=1.0)), np.zeros(2)
    mean, width = np.array([0.0, deviations * math.hypot(1.0, other)]), np.array([1.0, other])
    explore.probabilities(rule, 10, mean, width, p)
    wanted = 0.5 * math.erfc(deviations / math.sqrt(2.0))
    assert 0.5 * wanted < p[0] < 2.0 * wanted
    assert p.sum() == pytest.approx(1.0)


def test_choices_follow_the_probabilities():
    p = np.array([0.0, 0.5, 0.2, 0.3, 0.0])
    counts = np.bincount([sample_action(7, t, p) for t in range(20_000)], minlength=5) / 20_000
    np.testing.assert_allclose(counts, p, atol=0.012)
    assert [sample_action(7, t, p) for t in range(50)] != [sample_action(8, t, p) for t in range(50)]


def classes_of(rows):
    """Classes as decisions."""
    label = np.array([int(rows.values[a] > 0) + int(rows.values[a + 1] > 0) for a in rows.indptr[:-1]])
    return numbered(rows, K, costs=1.0 - np.eye(K)[label])


@pytest.mark.parametrize(
    ("explorer", "learn"), [("ucb", None), ("squarecb", None), ("squarecb", LearnOptions(method="nag", loss="squared"))]
)
def test_no_bit_depends_on_batches_or_files(tmp_path, explorer, learn):
    """Words come late: from then on the dense view shows nothing, and the sketched model says nothing."""
    words = batch_of([{100 + (30 * i + j) % 150: 1.0 for j in range(30)} for i in range(50)], np.full(50, np.nan))
    options, decisions = BanditOptions(cbify=K, explore=explorer), classes_of(joined([contexts(250), words]))
    whole = Bandit(options, learn=learn)
    decided = whole.partial_fit(decisions)
    cut, parts = Bandit(options, learn=learn), []
    for start, stop in ((0, 1), (1, 2), (2, 60), (60, 61), (61, 290), (290, 300)):
        parts.append(cut.partial_fit(decisions.part(start, stop)))
        cut.save(tmp_path / "m")
        cut = Bandit.load(tmp_path / "m")
    assert_same(state_of(whole), state_of(cut))
    for name in ("probability", "mean", "width", "action", "loss"):
        np.testing.assert_array_equal(getattr(decided, name), np.concatenate([getattr(part, name) for part in parts]))


@pytest.mark.interpreted
def test_costs_that_are_all_the_same_for_long_are_forgotten():
    decisions = log_of(contexts(220))
    same = (np.arange(220) < 200) & ~np.isnan(decisions.cost)
    decisions = decisions._replace(cost=np.where(same, 1.0, decisions.cost))
    decided = Bandit(BanditOptions(cb_explore=K, decay=0.99)).partial_fit(decisions)
    assert np.isfinite(decided.mean).all()
    assert np.isfinite(decided.width).all()
    assert len(np.unique(decided.mean[-K:])) == K


@pytest.mark.interpreted
def test_predicting_changes_nothing_and_deciding_draws_anew():
    bandit = Bandit(BanditOptions(cb_explore=K, explore="epsilon", epsilon=1.0))
    bandit.partial_fit(log_of(contexts(20)))
    before = state_of(bandit)
    fresh = numbered(contexts(30, 5), K)
    one, same = bandit.predict(fresh), bandit.predict(fresh)
    assert_same_predictions(one, same)
    assert_same(before, state_of(bandit))
    parts = [bandit.decide(fresh.part(0, 11)), bandit.decide(fresh.part(11, 30))]
    np.testing.assert_array_equal(one.action, np.concatenate([part.action for part in parts]))
    assert (bandit.decide(fresh).action != one.action).any()


@pytest.mark.parametrize("copied_by", [copy.copy, copy.deepcopy])
def test_a_copy_goes_on_alone(copied_by):
    bandit, fresh = Bandit(BanditOptions(cb_explore=K)), log_of(contexts(30, 5, d=9))
    bandit.partial_fit(log_of(contexts(20)))
    expected, copied = bandit.predict(fresh), copied_by(bandit)
    bandit.partial_fit(fresh)
    assert_same_predictions(copied.predict(fresh), expected)
    copied.partial_fit(fresh)
    assert_same(state_of(copied), state_of(bandit))


def test_a_method_without_widths_learns_as_well():
    options, rows = BanditOptions(cbify=2, explore="squarecb", cb_type="dr"), contexts(600)
    costs = np.column_stack([rows.values[::5], -rows.values[::5]])  # of the better action -.8 in the mean
    bandit = Bandit(options, learn=LearnOptions(method="nag", loss="squared"))
    decided = bandit.partial_fit(numbered(rows, 2, costs=costs))
    assert decided.loss[-300:].mean() < -0.6
    assert (decided.width == 0.0).all()
    with pytest.raises(OptionError, match="it has no widths"):
        Bandit(BanditOptions(cbify=K), learn=LearnOptions(method="nag", loss="squared"))


def test_actions_come_and_go():
    rows = contexts(4)
    few = Decisions(
        rows, np.array([0, 2, 3, 6, 8]), np.array([0, 0, 1, 2, 2, 2, 3, 3]), np.array([0, 2, 1, 0, 1, 2, 1, 2]),
        np.array([1, 0, 2, 0]), np.array([1.0, 0.0, 1.0, 0.0]), np.ones(4), rows.lines,
    )  # fmt: skip
    decided = Bandit(BanditOptions(cb_explore=K)).partial_fit(few)
    sums = np.add.reduceat(decided.probability, few.first[:-1])
    np.testing.assert_allclose(sums, 1.0)
    check_against_twin(BanditOptions(cb_explore=K), few)


def test_a_foreign_file_is_refused(tmp_path):
    bandit = Bandit(BanditOptions(cb_explore=K))
    bandit.partial_fit(log_of(contexts(20)))
    header, arrays = bandit.to_arrays()
    for wrong, message in (
        (header | {"format": 99}, "a newer sonlearn is needed"),
        (header | {"bandit": header["bandit"] | {"cb_explore": 5}}, "does not fit together"),
        (header | {"kind": "learner"}, "holds a learner, expected a bandit"),
    ):
        storage.write(tmp_path / "m", wrong, arrays)
        with pytest.raises(ModelFileError, match=message):
            Bandit.load(tmp_path / "m")


def test_options_that_contradict_each_other():
    for wrong in ({}, {"cb": 3, "cb_adf": True}, {"cb": 3, "explore": "magic"}, {"cb": 1}):
        with pytest.raises(OptionError):
            BanditOptions(**wrong)
