"""The committee equals its members alone and the combiner of what they say, and keeps every learner's promises."""

import numpy as np
import pytest
from importance_twin import relative
from states import assert_same, check_saves, state_of
from streams import batch_of, rows_of, wide_range, with_weights, without_some_labels, zipf

from sonlearn import DivergedError, Learner, LearnOptions
from sonlearn.learn.engine import Predictions, make_engine
from sonlearn.learn.ensemble import pruning, resting, scheduling
from sonlearn.learn.ensemble.combiner import PRIOR_PRECISION, combine, new_combiner
from sonlearn.learn.ensemble.label_scale import CLIP
from sonlearn.learn.ensemble.target import member_options
from sonlearn.learn.losses import Loss, loss_of
from sonlearn.options.members import CHEAP, MEMBERS, Member, default_members, member
from sonlearn.views import make_view
from sonlearn.views.index import intern, new_index

NAMES = default_members("logistic")


def options(**more):
    return LearnOptions(method="committee", prune=False, **more)


def predicted_alone(name, rows, features, told=None):
    """What a member tells the combiner when it is alone with its view; of a stacked one what others have `told` it."""
    entry = member(name)
    own = member_options(options(), entry)
    view, engine = make_view(entry.view), make_engine(own)
    state, seen = view.transform(view.reserve(view.new(), rows, features), rows, True)
    if entry.stacked:
        shown = np.diff(seen.indptr) > 0
        assert (seen.features[seen.indptr[:-1][shown]] == 0).all()
        seen.values[seen.indptr[:-1][shown]] = told[shown]
    predicted = Predictions.empty(len(seen.y))
    engine.learn_all(engine.new(), seen, predicted, view.features(state))
    return np.clip(entry.gain * np.clip(predicted.raw[:, 0], *own.bounds), -CLIP, CLIP)


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e-3])
@pytest.mark.parametrize("names", [NAMES, ("nag", "drfd:lunit"), ("arow:tfidf",)], ids=len)
def test_equals_its_members_and_the_combiner(names, scale):
    batch = with_weights(without_some_labels(zipf(n=500, d=60)))
    batch = batch._replace(weight=scale * batch.weight)
    learner = Learner(options(members=names), threads=2)
    got = learner.partial_fit(batch)
    rows, index = intern(batch, new_index(), True)
    relative_rows = rows._replace(weight=relative(rows.weight, rows.y))
    loss = Loss(loss_of(options()).code, np.zeros(batch.n))
    V = np.zeros((batch.n, len(names)))

    def combined(at):
        out, scratch = np.zeros(batch.n), np.zeros((len(at) + 2, len(at)))
        combiner = new_combiner((member(names[i]) for i in at), PRIOR_PRECISION)
        combine(loss, combiner, np.ascontiguousarray(V[:, at]), rows.y, relative_rows.weight, True, scratch, out)
        return out

    long = [i for i, name in enumerate(names) if "~" not in name]
    stacked = [i for i, name in enumerate(names) if member(name).stacked]
    for i in sorted(range(len(names)), key=stacked.__contains__):
        told = combined([j for j in long if member(names[j]).method != "boost"]) if i in stacked else None
        V[:, i] = predicted_alone(names[i], relative_rows, int(index.size[0]), told)
    for at, found in ((list(range(len(names))), got.raw), (long, got.offline)):
        np.testing.assert_allclose(found, combined(at), rtol=1e-9, atol=1e-9)  # means of weights are summed in two ways
    assert (np.abs(V) > 0).any(axis=0).all(), "a member that says nothing tests nothing"


@pytest.fixture
def early(monkeypatch):
    """Checkpoints after 90 (about the rows), 150 and 300 rows."""
    rules = pruning.TWO_RULES._replace(first=90, checkpoints=(150, 300), rarer=50)
    monkeypatch.setattr(pruning, "TWO_RULES", rules)


@pytest.mark.parametrize(
    ("cuts", "threads"), [((1, 2, 149, 150, 151, 299, 300, 301), 3), (tuple(range(31, 400, 31)), 1)], ids=["at", "off"]
)
def test_cuts_saves_and_threads_change_no_bit(early, cuts, threads, tmp_path):
    batch = with_weights(without_some_labels(zipf(n=400, d=60)))
    whole, _ = check_saves(LearnOptions(method="committee"), batch, tmp_path, cuts, threads, foreseen=False)
    active = [m["active"] for m in whole.facts()["members"]]
    assert not all(active), "nothing was pruned: nothing of that was tested"


def test_the_error_of_a_pruned_member_stands_still(early):
    """It is that of the rows before: what a committee that prunes nobody says after as many rows."""
    batch = zipf(n=400, d=60)
    pruning, whole = Learner(LearnOptions(method="committee")), Learner(options())
    gone = {}
    for start, stop in ((0, 90), (90, 150), (150, 300), (300, 400)):
        for learner in (pruning, whole):
            learner.partial_fit(rows_of(batch, slice(start, stop)))
        roll = pruning.facts()["members"]
        for mine, other in zip(roll, whole.facts()["members"], strict=True):
            if mine["name"] not in gone:
                # what others that have gone would have said, a stacked member misses
                assert mine["error"] == other["error"] or (gone and member(mine["name"]).stacked)
                if not mine["active"]:
                    gone[mine["name"]] = mine["error"]
    assert 0 < len(gone) < len(roll)
    assert {m["name"]: m["error"] for m in roll if not m["active"]} == gone


@pytest.mark.parametrize("names", [NAMES, ("nag", "drfd", "nag:tfidf", "arow-precision:tfidf")], ids=len)
def test_members_that_learn_while_their_views_see_on_change_no_bit(early, monkeypatch, names):
    monkeypatch.setattr(scheduling, "MIN_ROWS", 7)
    monkeypatch.setattr(scheduling, "LONG_SHARE", 0.0)
    batch = with_weights(without_some_labels(zipf(n=400, d=60)))
    given = LearnOptions(method="committee", members=names)
    one, several = (Learner(given, threads=threads) for threads in (1, 3))
    for part in (slice(0, 190), slice(190, 400)):
        rows = rows_of(batch, part)
        np.testing.assert_array_equal(several.partial_fit(rows).raw, one.partial_fit(rows).raw)
    assert_same(state_of(several), state_of(one))
    np.testing.assert_array_equal(several.predict(batch).raw, one.predict(batch).raw)


def test_while_no_member_at_work_forgets_the_two_combinations_are_one(early, monkeypatch):
    """The one that forgets goes at the last checkpoint; no copy at rest weighs members otherwise."""
    monkeypatch.setattr(resting, "FIRST_COPY_ROWS", 1024)
    learner, batch = Learner(method="committee", members=("nag", "nag:tfidf", "ewma~0.9")), zipf(n=400, d=60)
    got = [learner.partial_fit(rows_of(batch, part)) for part in (slice(0, 300), slice(300, 301), slice(301, 400))]
    assert [bool((own.raw != own.offline).any()) for own in got] == [True, False, False]
    assert [own["active"] for own in learner.facts()["members"]] == [True, True, False]
    assert all(own["weight"] == own["offline"] for own in learner.facts()["members"][:2])
    np.testing.assert_array_equal(learner.predict(batch).raw, learner.predict(batch, online=True).raw)


def test_in_later_passes_the_combiner_stands_still():
    batch = zipf(n=300, d=60)
    learner = Learner(options())
    learner.partial_fit(batch)
    before = state_of(learner)[1]
    learner.next_pass()
    learner.partial_fit(batch)
    after = state_of(learner)[1]
    still = [name for name in before if ".online." in name or ".offline." in name]
    assert still
    for name in still:
        np.testing.assert_array_equal(after[name], before[name])
    assert any((before[n] != after[n]).any() for n in before if ".members." in n and before[n].shape == after[n].shape)


def test_new_rows_after_several_passes_are_learned_as_new_ones():
    """The combiners learn, rows are counted, and views take in features that they have not met."""
    batch, new = zipf(n=300, d=60), zipf(n=400, d=600, seed=1)
    learner = Learner(options())
    for again in (False, True, False):
        learner.next_pass(again)
        before = state_of(learner)[1]
        learner.partial_fit(batch if learner.examples < 600 else new)
    after = state_of(learner)[1]
    assert any((before[name] != after[name]).any() for name in before if ".online." in name)
    assert after["state.now.rows"] == 700
    assert any(after[name].size > before[name].size for name in before if ".views." in name)


def test_an_idle_member_is_pruned_and_one_that_carries_is_not(monkeypatch):
    """Labels that only the product of two features tells: of nag and nag:pairs, pairs stay."""
    monkeypatch.setattr(pruning, "TWO_RULES", pruning.TWO_RULES._replace(checkpoints=(1500,)))
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, 1600), rng.integers(0, 2, 1600)
    rows = [{1 + i: 1.0, 3 + j: 1.0} for i, j in zip(a, b, strict=True)]
    learner = Learner(LearnOptions(method="committee", members=("nag", "nag:tfidf", "nag:pairs")))
    learner.partial_fit(batch_of(rows, np.where((a == b) ^ (rng.random(1600) < 0.1), 1.0, -1.0)))
    active = {m["name"]: m["active"] for m in learner.facts()["members"]}
    assert active["nag:pairs"]
    assert not all(active.values())


@pytest.mark.parametrize("positive", [99, 100])
def test_members_stay_until_the_rarer_class_has_come_often_enough(monkeypatch, positive):
    monkeypatch.setattr(pruning, "TWO_RULES", pruning.TWO_RULES._replace(checkpoints=(1000,), price=100.0))
    batch = zipf(n=1000, d=60)
    sign = np.where(np.random.default_rng(0).permutation(1000) < positive, 1.0, -1.0)
    for y in (sign, -sign):
        learner = Learner(LearnOptions(method="committee", members=("nag", "nag:tfidf", "nag:pairs")))
        learner.partial_fit(batch._replace(y=y))
        assert all(m["active"] for m in learner.facts()["members"]) == (positive < 100)


@pytest.mark.parametrize(("words", "entries", "gone"), [(20_000, 40, True), (200, 40, False), (20_000, 8, False)])
def test_tuples_go_at_once_where_rows_are_long_and_nearly_all_pairs_are_new(monkeypatch, words, entries, gone):
    monkeypatch.setattr(pruning, "TWO_RULES", pruning.TWO_RULES._replace(checkpoints=()))
    rng = np.random.default_rng(1)
    rows = [dict.fromkeys(rng.integers(1, words, entries).tolist(), 1.0) for _ in range(520)]
    learner = Learner(LearnOptions(method="committee", members=("nag", "nag:tfidf", "nag:pairs", "nag:triples")))
    learner.partial_fit(batch_of(rows, np.sign(rng.normal(size=520))))
    active = [m["name"] for m in learner.facts()["members"] if m["active"]]
    assert active == (["nag", "nag:tfidf"] if gone else ["nag", "nag:tfidf", "nag:pairs", "nag:triples"])


def test_a_budget_chooses_members():
    def active_members(n=520, **given):
        learner = Learner(LearnOptions(method="committee", **given))
        learner.partial_fit(zipf(n=n, d=60))
        return [m["name"] for m in learner.facts()["members"] if m["active"]]

    assert active_members(n=1) == active_members() == active_members(budget="normal") == list(MEMBERS)
    assert active_members(budget="cheap") == list(CHEAP)
    some = active_members(budget=2.0)
    assert 1 <= len(some) < len(MEMBERS)
    assert len(active_members(budget=1e-3)) == 1
    assert len(some) < len(active_members(budget=8.0)) < len(MEMBERS)
    assert active_members(budget=1e3) == list(MEMBERS)


def test_rich_prunes_nobody(early):
    LearnOptions(method="committee", budget="rich", prune=False, members=("nag",))
    learner = Learner(LearnOptions(method="committee", budget="rich"))
    learner.partial_fit(zipf(n=400, d=60))
    assert all(m["active"] for m in learner.facts()["members"])


def test_values_of_any_size_never_end_a_run():
    for seed in range(3):
        learner = Learner(LearnOptions(method="committee"))
        got = learner.partial_fit(wide_range(seed=seed))
        assert np.isfinite(got.raw).all()
        assert np.isfinite(got.loss).all()


def test_a_row_beyond_all_bounds_is_refused_and_nothing_is_lost():
    batch = zipf(n=100, d=30)
    wild = batch._replace(values=np.where(np.arange(len(batch.values)) == batch.indptr[50], 1e100, batch.values))
    learner, plain = Learner(options()), Learner(options())
    with pytest.raises(DivergedError, match=f"{batch.source}:51:"):
        learner.partial_fit(wild)
    skipping = Learner(options())
    got = skipping.partial_fit(wild, skip=True)
    assert np.flatnonzero(got.refused).tolist() == [50]
    wanted = plain.partial_fit(rows_of(batch, [i for i in range(100) if i != 50]))
    np.testing.assert_array_equal(np.delete(got.raw, 50), wanted.raw)


@pytest.mark.interpreted
def test_at_a_checkpoint_the_one_goes_first_that_is_cheapest_to_miss():
    """What each is worth beside the others, known beforehand: more, when others have gone."""

    class Known:
        def loss_growth(self, left, unit):
            return np.array([0.002, 0.001, 0.01, 0.005, 4.0])[unit].sum() * (6 - len(left)) ** 2

    members, every = tuple(Member("nag", "raw") for _ in range(5)), tuple(range(5))
    case = pruning.PruningCase(pruning.VALUE_RULES, members, every, 8, np.zeros((5, 5)), np.ones(5), short=True)
    assert pruning.pruned(case, Known(), [0, 1, 2, 3, 4]) == [1, 0], "a price of .1, of equal shares of the time"
    dear = case._replace(costs=np.array([1.0, 1.0, 20.0, 20.0, 1.0]))
    assert pruning.pruned(dear, Known(), [0, 1, 2, 3, 4]) == [3, 2], "the cheap are worth their time"
    assert pruning.pruned(case, Known(), [0, 1]) == [], "two stay, whatever they are worth"


@pytest.mark.interpreted
def test_members_of_no_use_go_where_nothing_is_lost():
    """As where all labels are the same: a share of nothing is beyond all bounds."""
    combiner = new_combiner((Member("nag", "raw"),) * 5, (20.0,))
    combiner.recent[0], combiner.w[:] = (4096.0, 0.0), 0.0
    members, every = (*(Member("nag", "raw") for _ in range(4)), Member("boost", "stacked")), (0, 1, 2, 3, 4)
    case = pruning.PruningCase(pruning.VALUE_RULES, members, every, 8, np.zeros((5, 5)), np.ones(5), short=True)
    assert pruning.pruned(case, pruning.Importance(case, combiner, True), [*every]) == [0, 1, 4]
