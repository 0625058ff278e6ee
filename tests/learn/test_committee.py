"""The committee equals its members alone and the combiner of what they say, and keeps every learner's promises."""

import itertools

import numpy as np
import pytest
from streams import batch_of, rows_of, wide_range, with_weights, without_some_labels, zipf

from sonlearn import DivergedError, Learner, LearnOptions, OptionError
from sonlearn.learn.ensemble import pruning as prune
from sonlearn.learn.ensemble import stacking as panel
from sonlearn.learn.ensemble.combiner import combine, new_combiner
from sonlearn.learn.ensemble.label_scale import CLIP
from sonlearn.learn.ensemble.stacking import learned_by, member_options
from sonlearn.learn.losses import loss_of, spread
from sonlearn.learn.make import make_engine
from sonlearn.options.members import CHEAP, MEMBERS, Member, default_members, member
from sonlearn.views import make_view
from sonlearn.views.index import intern, new_index

NAMES = default_members("logistic")


def options(**more):
    return LearnOptions(method="committee", prune=False, **more)


def said_alone(name, rows, features):
    """What a member tells the combiner when it is alone with its view."""
    entry = member(name)
    view, engine = make_view(entry.view), make_engine(member_options(options(), entry))
    state, seen = view.fit_transform(view.reserve(view.new(), rows, features), rows)
    _, said = learned_by(engine, engine.new(), seen, view.features(state))
    return np.clip(entry.gain * said.prediction, -CLIP, CLIP)


def weights_as_bounded(rows):
    """h min(max(1, 1/(3 M)), 3/M), M the mean of the weights of the rows learned so far, this one included."""
    out, seen = rows.weight.copy(), []
    for i in np.flatnonzero((rows.weight > 0) & ~np.isnan(rows.y)):
        seen.append(rows.weight[i])
        out[i] *= min(max(1.0, 1 / (3 * np.mean(seen))), 3 / np.mean(seen))
    return out


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e-3])
@pytest.mark.parametrize("names", [NAMES, ("nag", "drfd:lunit"), ("arow:tfidf",)], ids=len)
def test_equals_its_members_and_the_combiner(names, scale):
    batch = with_weights(without_some_labels(zipf(n=500, d=60)))
    batch = batch._replace(weight=scale * batch.weight)
    learner = Learner(options(members=names), threads=2)
    got = learner.partial_fit(batch)
    rows, index = intern(batch, new_index(), True)
    bounded = rows._replace(weight=weights_as_bounded(rows))
    V = np.ascontiguousarray(np.column_stack([said_alone(name, bounded, int(index.size[0])) for name in names]))
    wanted = np.zeros(batch.n)
    combiner = new_combiner(member(name) for name in names)
    loss, scratch = spread(loss_of(options()), batch.n), np.zeros((len(names) + 2, len(names)))
    combine(loss, combiner, V, rows.y, bounded.weight, True, scratch, wanted)
    np.testing.assert_allclose(got.raw, wanted, rtol=1e-9, atol=1e-9)  # means of weights are summed in two ways
    assert (np.abs(V) > 0).any(axis=0).all(), "a member that says nothing tests nothing"


@pytest.fixture
def early(monkeypatch):
    """Hearings after 90 (about the rows), 150 and 300 rows."""
    monkeypatch.setattr(prune, "FIRST", 90)
    monkeypatch.setattr(prune, "CHECKPOINTS", (150, 300))


def state_of(learner):
    header, arrays = learner.to_arrays()
    return header, {name: array.copy() for name, array in arrays.items()}


def assert_same(one, other):
    assert one[0] == other[0]
    assert one[1].keys() == other[1].keys()
    for name in one[1]:
        np.testing.assert_array_equal(one[1][name], other[1][name], err_msg=name)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("cuts", [(1, 2, 149, 150, 151, 299, 301), (97,), (150,), tuple(range(0, 400, 13))], ids=len)
def test_cuts_and_threads_change_no_bit(early, cuts, threads):
    batch = with_weights(without_some_labels(zipf(n=400, d=60)))
    whole = Learner(LearnOptions(method="committee"))
    wanted = whole.partial_fit(batch)
    parts = Learner(LearnOptions(method="committee"), threads=threads)
    edges = [0, *cuts, batch.n]
    got = [parts.partial_fit(rows_of(batch, slice(a, b))) for a, b in itertools.pairwise(edges) if b > a]
    np.testing.assert_array_equal(np.concatenate([p.raw for p in got]), wanted.raw)
    assert_same(state_of(parts), state_of(whole))
    active = [m["active"] for m in whole.facts()["members"]]
    assert not all(active), "nobody was retired: nothing of that was tested"


@pytest.mark.parametrize("names", [NAMES, ("nag", "drfd", "nag:tfidf", "arow-precision:tfidf")], ids=len)
def test_members_that_learn_while_their_views_see_on_change_no_bit(early, monkeypatch, names):
    monkeypatch.setattr(panel, "LEAST_ROWS", 7)
    monkeypatch.setattr(panel, "LONG", 0.0)
    batch = with_weights(without_some_labels(zipf(n=400, d=60)))
    given = LearnOptions(method="committee", members=names)
    one, several = (Learner(given, threads=threads) for threads in (1, 3))
    for part in (slice(0, 190), slice(190, 400)):
        np.testing.assert_array_equal(
            several.partial_fit(rows_of(batch, part)).raw, one.partial_fit(rows_of(batch, part)).raw
        )
    assert_same(state_of(several), state_of(one))
    np.testing.assert_array_equal(several.predict(batch).raw, one.predict(batch).raw)


@pytest.mark.parametrize("at", [1, 60, 149, 150, 151, 299, 300, 301])
def test_saved_and_loaded_it_goes_on_with_the_same_bits(early, at, tmp_path):
    batch = zipf(n=400, d=60)
    whole = Learner(LearnOptions(method="committee"))
    wanted = whole.partial_fit(batch)
    first = Learner(LearnOptions(method="committee"))
    first.partial_fit(rows_of(batch, slice(0, at)))
    first.save(tmp_path / "model")
    again = Learner.load(tmp_path / "model")
    np.testing.assert_array_equal(again.partial_fit(rows_of(batch, slice(at, 400))).raw, wanted.raw[at:])
    assert_same(state_of(again), state_of(whole))


def test_predicting_changes_nothing_and_says_what_learning_would():
    batch = zipf(n=300, d=60)
    learner = Learner(options())
    learner.partial_fit(rows_of(batch, slice(0, 200)))
    before = state_of(learner)
    rest = rows_of(batch, slice(200, 300))
    first = learner.predict(rest)
    np.testing.assert_array_equal(learner.predict(rest).raw, first.raw)
    assert_same(state_of(learner), before)
    for i in range(0, 100, 9):
        one = rows_of(rest, [i])
        again = Learner.from_arrays(*state_of(learner))
        np.testing.assert_allclose(again.partial_fit(one).raw, first.raw[i], rtol=1e-7, atol=1e-7)


def test_unlabelled_rows_leave_no_trace():
    batch = zipf(n=200, d=40)
    hidden = batch._replace(y=np.where(np.arange(200) % 3 == 0, np.nan, batch.y))
    with_them, without = Learner(options()), Learner(options())
    with_them.partial_fit(hidden)
    without.partial_fit(rows_of(hidden, np.flatnonzero(~np.isnan(hidden.y))))
    assert_same(state_of(with_them), state_of(without))


def test_in_later_passes_the_combiner_stands_still():
    batch = zipf(n=300, d=60)
    learner = Learner(options())
    learner.partial_fit(batch)
    before = state_of(learner)[1]
    learner.next_pass()
    learner.partial_fit(batch)
    after = state_of(learner)[1]
    for name in before:
        if ".combiner." in name:
            np.testing.assert_array_equal(after[name], before[name])
    assert any((before[n] != after[n]).any() for n in before if ".members." in n and before[n].shape == after[n].shape)


def test_an_idle_member_is_retired_and_one_that_carries_is_not(monkeypatch):
    """Labels that only the product of two features tells: of nag and nag:pairs, pairs stay."""
    monkeypatch.setattr(prune, "CHECKPOINTS", (1500,))
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, 1600), rng.integers(0, 2, 1600)
    rows = [{1 + i: 1.0, 3 + j: 1.0} for i, j in zip(a, b, strict=True)]
    learner = Learner(LearnOptions(method="committee", members=("nag", "nag:tfidf", "nag:pairs")))
    learner.partial_fit(batch_of(rows, np.where((a == b) ^ (rng.random(1600) < 0.1), 1.0, -1.0)))
    active = {m["name"]: m["active"] for m in learner.facts()["members"]}
    assert active["nag:pairs"]
    assert not all(active.values())


@pytest.mark.parametrize(("words", "entries", "gone"), [(20_000, 40, True), (200, 40, False), (20_000, 8, False)])
def test_tuples_go_at_once_where_rows_are_long_and_nearly_all_pairs_are_new(monkeypatch, words, entries, gone):
    monkeypatch.setattr(prune, "CHECKPOINTS", ())
    rng = np.random.default_rng(1)
    rows = [dict.fromkeys(rng.integers(1, words, entries).tolist(), 1.0) for _ in range(520)]
    learner = Learner(LearnOptions(method="committee", members=("nag", "nag:tfidf", "nag:pairs", "nag:triples")))
    learner.partial_fit(batch_of(rows, np.sign(rng.normal(size=520))))
    active = [m["name"] for m in learner.facts()["members"] if m["active"]]
    assert active == (["nag", "nag:tfidf"] if gone else ["nag", "nag:tfidf", "nag:pairs", "nag:triples"])


def test_a_budget_chooses_members():
    def at_work(n=520, **given):
        learner = Learner(LearnOptions(method="committee", **given))
        learner.partial_fit(zipf(n=n, d=60))
        return [m["name"] for m in learner.facts()["members"] if m["active"]]

    assert at_work(n=1) == at_work() == at_work(budget="normal") == list(MEMBERS)
    assert at_work(budget="cheap") == list(CHEAP)
    some = at_work(budget=2.0)
    assert 1 <= len(some) < len(MEMBERS)
    assert len(at_work(budget=1e-3)) == 1
    assert len(some) < len(at_work(budget=8.0)) < len(MEMBERS)
    assert at_work(budget=1e3) == list(MEMBERS)


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"budget": 2.0, "prune": False}, "--budget 2 with --no-prune: .*leave out --no-prune"),
        ({"budget": "cheap", "members": ("nag",)}, "--budget cheap with --members: .*give one of them"),
    ],
)
def test_of_two_that_say_who_is_at_work_none_is_ignored(given, why):
    with pytest.raises(OptionError, match=why):
        LearnOptions(method="committee", **given)
    for one in given:
        LearnOptions(method="committee", **{one: given[one]})
    LearnOptions(method="committee", **given | {"budget": "rich"})


def test_rich_retires_nobody(early):
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


@pytest.mark.parametrize("name", sorted(MEMBERS))
def test_every_member_is_there_by_name(name):
    learner = Learner(options(members=(name,)))
    assert np.isfinite(learner.partial_fit(zipf(n=60, d=30)).raw).all()


@pytest.mark.parametrize(
    ("names", "why"), [("nag:nowhere", "no view"), ("nobody", "no method"), ("committee", "no method")]
)
def test_unknown_members_are_named(names, why):
    with pytest.raises(OptionError, match=why):
        options(members=names)


@pytest.mark.interpreted
def test_a_hearing_judges_no_committee_twice(monkeypatch):
    """What each is worth beside the others, known beforehand: the first of them is worth nothing, the second little."""
    worth, asked = np.array([0.0, 0.01, 1.0, 2.0, 4.0]), []

    def loss_of(case, chosen):
        asked.append(tuple(chosen))
        return 10.0 - worth[list(chosen)].sum()

    monkeypatch.setattr(prune, "loss_of", loss_of)
    members = tuple(Member("nag", "raw") for _ in worth)
    case = prune.Case(None, members, True, np.zeros((8, 8), np.float32), np.ones(5), short=True)
    assert prune.pruned_members(case, [0, 1, 2, 3, 4]) == [0, 1]
    assert len(set(asked)) == len(asked)
    asked.clear()
    assert prune.pruned_members(case, [2, 3, 4]) == []
    assert len(asked) == 4
    assert prune.pruned_members(case, [0, 1]) == []
    assert len(asked) == 4, "two stay, whatever they are worth"
