"""The committee of several classes: its members' twins on its views, and the combiner's over them; and all around."""

import functools
import math

import numpy as np
import pytest
import scipy.sparse as sp
from importance_twin import relative
from multiclass_twin import ArowTwin, BayesTwin, CombinerTwin, NagTwin, SharesTwin
from states import check_cuts
from streams import batch_of, zipf
from streams import several_classes as stream

from sonlearn import Learner, LearnOptions, from_scipy
from sonlearn.data.arrays import plain
from sonlearn.learn.boosting.state import MAX_CLASSES
from sonlearn.learn.ensemble import committee, pruning
from sonlearn.learn.ensemble.combiner import new_combiner
from sonlearn.learn.ensemble.merging import merge_tallies
from sonlearn.learn.ensemble.progress import SEVERAL, update_tally
from sonlearn.learn.ensemble.pruning import FEW_CLASSES
from sonlearn.learn.ensemble.scheduling import Views
from sonlearn.learn.ensemble.slots import PRIOR
from sonlearn.options.members import CLASS_MEMBERS, member
from sonlearn.views.index import intern, new_index

pytestmark = pytest.mark.interpreted

SOME = ("nag", "arow-precision:tfidf", "multinomial-bayes:log", "arow-precision:pairs", "nag:lunit~0.05", "shares~0.1")
either = pytest.mark.parametrize("how", [{"oaa": 5}, {"oaa": 9}, {"classes": "auto"}, {"multinomial": 6}], ids=str)


def learner(how=None, threads=1, **more):
    return Learner(LearnOptions(**({"members": SOME} | more | (how or {"classes": "auto"}))), threads=threads)


@pytest.fixture
def early(monkeypatch):
    """Members are pruned early, and are worth little."""
    rules = pruning.CLASS_RULES._replace(first=20, checkpoints=(60, 90), price=3.0, negligible=3.0)
    monkeypatch.setattr(pruning, "CLASS_RULES", rules)


def twins(batch):
    """(logarithms of probabilities online and offline before each row float64[n, K], classes met, shown once, rows)."""
    labelled = (batch.weight > 0) & ~np.isnan(batch.y)
    shown = list(dict.fromkeys(batch.y[labelled].tolist()))
    y = np.array([shown.index(label) if t else np.nan for label, t in zip(batch.y.tolist(), labelled, strict=True)])
    h, K = relative(batch.weight, batch.y), len(shown)
    rows, index = intern(batch._replace(y=y), new_index(), True)
    rows = rows._replace(weight=h)
    view_makers = {
        "nag": ("raw", lambda d: NagTwin(d, K, 4.0)), "arow-precision:tfidf": ("tfidf", lambda d: ArowTwin(d, K, 1.0)),
        "multinomial-bayes:log": ("log", lambda d: BayesTwin(d, K)),
        "arow-precision:pairs": ("pairs", lambda d: ArowTwin(d, K, 0.1, True)),
        "nag:lunit~0.05": ("lunit", lambda d: NagTwin(d, K, 4.0, 0.05)),
        "shares~0.1": ("raw", lambda d: SharesTwin(d, K, 0.1)),
    }  # fmt: skip
    scored = []
    for view, make in (view_makers[name] for name in SOME):
        views = Views([view], SEVERAL)
        _, seen = views.showing(views.reserve(views.new(), rows, int(index.size[0]), {view}), rows, learn=True)
        shown_rows, d = seen(view, 0, len(y))
        twin, out = make(d + 1), []
        for i in range(len(y)):
            x = np.zeros(d + 1)
            x[d] = math.sqrt(shown_rows.unseen[i, 1])  # only in rows that are not learned from
            part = slice(shown_rows.indptr[i], shown_rows.indptr[i + 1])
            np.add.at(x, shown_rows.features[part], shown_rows.values[part])
            out.append(np.array(twin.scores(x)))
            if labelled[i]:
                twin.learn(x, y[i], h[i])
        scored.append(out)
    lasting = [j for j, name in enumerate(SOME) if "~" not in name]
    firm = [1.0] * 5 + [25.0 / PRIOR]  # shares begin without a weight, which is held to 0
    online = CombinerTwin([0.3] * 5 + [0.0], precision=firm)
    both = [(online, range(6)), (CombinerTwin([0.3] * 4), lasting)]
    logs, met, counts = [[], []], [], np.zeros(K)
    once, before = [], []
    for i in range(len(y)):
        m = int((counts > 0).sum())
        met.append(m)
        once.append(int((counts == 1).sum()))
        before.append(int(counts.sum()))
        v = np.array([np.maximum(out[i] - out[i].max(initial=-np.inf), -20) for out in scored]).reshape(6, m)
        for combiner, some in both:
            own = logs[0 if combiner is both[0][0] else 1]
            own.append(np.log(np.maximum(combiner.predict(v[list(some)]), math.exp(-20))) if m else np.zeros(0))
            if labelled[i] and y[i] < m:
                combiner.learn(v[list(some)], int(y[i]), h[i])
        if labelled[i]:
            counts[int(y[i])] += 1
    return logs, met, once, before, y, both, scored


@either
def test_the_committee_is_its_members_and_a_combiner(how):
    batch = stream()
    ours = learner(how)
    got = ours.partial_fit(batch)
    logs, met, once, before, y, both, _ = twins(batch)
    most = how.get("oaa") or how.get("multinomial")
    assert got.met.tolist() == met
    for i, m in enumerate(met):
        np.testing.assert_allclose(got.scores[i, :m], logs[0][i], rtol=1e-3, atol=2e-4)
        new = (once[i] + 0.5) / (before[i] + 1)
        unmet = max((most or m) - m, 1)
        assert got.unseen[i] == pytest.approx(math.log(new / (1 - new) / unmet) if m else 0.0, abs=1e-12)
        np.testing.assert_array_equal(got.scores[i, m:], got.unseen[i])
        p, rest = np.exp(got.scores[i, :m]), (most - m if most else 0) * np.exp(got.unseen[i])
        np.testing.assert_allclose(got.probabilities[i, :m], p / (p.sum() + rest), rtol=1e-9)
        if y[i] == y[i] and y[i] < m:
            assert got.loss[i] == pytest.approx(-math.log(p[int(y[i])] / (p.sum() + rest)), rel=1e-9, abs=1e-12)
        elif y[i] == y[i]:
            own = np.exp(got.unseen[i])
            assert got.loss[i] == pytest.approx(-math.log(own / (p.sum() + (rest or own))), rel=1e-9, abs=1e-12)
    weights = [member["weight"] for member in ours.facts()["members"]]
    np.testing.assert_allclose(weights, both[0][0].w, rtol=1e-3, atol=1e-3)
    offline = [member["offline"] for member in ours.facts()["members"]]
    np.testing.assert_allclose(offline[:4], both[1][0].w, rtol=1e-3, atol=1e-3)
    assert offline[4:] == [None, None]


def test_the_first_rows():
    """Nobody has met a class; then one, which is certain; and Good's and Turing's share of the unknown."""
    ours = learner({"oaa": 4}, members=("nag",))
    got = ours.partial_fit(batch_of([{1: 1.0}] * 4, [2, 2, 1, 2]))
    np.testing.assert_allclose(got.loss[0], math.log(4))
    np.testing.assert_allclose(got.other[1], 0.75 / 3)
    np.testing.assert_allclose(got.other[2], 0.5 / 3 / 3)
    np.testing.assert_allclose(got.other[3], 1.5 / 4 / 2)
    assert got.prediction[:3].tolist() == [1, 2, 2]


@pytest.mark.compiled
@either
def test_batches_cut_anywhere_saves_and_threads_change_no_bit(how, early, tmp_path, monkeypatch):
    few = functools.partial(monkeypatch.setattr, committee, "MAX_NUMBERS", 300)
    _, cut = check_cuts(learner(how), learner(how), stream(), tmp_path, few)
    assert not all(member["active"] for member in cut.facts()["members"])


@pytest.mark.compiled
def test_members_pruned_are_forgotten(early):
    ours = learner(members=(*SOME, "arow-precision:triples"))
    ours.partial_fit(stream())
    facts = ours.facts()["members"]
    gone = [i for i, member in enumerate(facts) if not member["active"]]
    assert 0 < len(gone) <= 5
    assert all(facts[i]["weight"] == 0.0 and "pairs" not in facts[i] for i in gone)
    unpruned = learner(members=(*SOME, "arow-precision:triples"), prune=False)
    unpruned.partial_fit(stream())
    assert all(member["active"] for member in unpruned.facts()["members"])
    cheap = learner(members=(), budget=0.3)
    cheap.partial_fit(stream())
    left = [member["name"] for member in cheap.facts()["members"] if member["active"]]
    assert len(left) == 3, "the one that is worth most, and two that cost nothing"
    assert left[1:] == ["shares~0.3", "shares~0.03"]


def test_classes_numbered_otherwise_learn_the_same():
    batch = stream()
    whole = learner({"oaa": 5}).partial_fit(batch)
    again = learner({"oaa": 5}).partial_fit(batch._replace(y=6 - batch.y))
    np.testing.assert_array_equal(again.scores, whole.scores)
    np.testing.assert_array_equal(6 - again.prediction[whole.met > 0], whole.prediction[whole.met > 0])


def test_further_passes_leave_the_combiner_and_what_counts_alone():
    batch = stream()
    ours = learner()
    ours.partial_fit(batch)
    before = {name: array.copy() for name, array in ours.to_arrays()[1].items()}
    ours.next_pass()
    ours.partial_fit(batch)
    after = ours.to_arrays()[1]
    changed = {name for name in before if not np.array_equal(before[name], after[name])}
    assert {"state.labels.counts", "state.now.passes", "state.members.0.pairs.values.0"} <= changed
    still = ("online", "offline", "tally", "totals", "drift", "members.2", "now.rows", "now.entries", "labels.now")
    assert not any(name.startswith(tuple(f"state.{each}" for each in still)) for name in changed)
    assert any(name.startswith("state.members.1") for name in changed)


def test_voices_add_up():
    batch = stream()
    ours = learner()
    ours.partial_fit(batch)
    silent = batch._replace(y=np.full(batch.n, np.nan))
    scores = ours.predict(silent).scores
    contributions = [ours.contributions(silent, number) for number in range(len(ours.classes))]
    assert contributions[0].names == SOME[:4]
    z = np.array([member.contributions.sum(axis=1) for member in contributions]).T
    assert (z.argmax(axis=1) == scores.argmax(axis=1)).all()


def test_a_first_row_without_features_leaves_scores_finite():
    """Views without the constant show nothing of it: no feature has been counted."""
    one = learner(members=("multinomial-bayes:log", "nag"))
    one.partial_fit(batch_of([{}], [2.0]))
    assert np.isfinite(one.partial_fit(batch_of([{1: 0.5}], [3.0])).scores).all()
    assert np.isfinite(one.predict(batch_of([{1: 0.5, 7: 2.0}], [3.0])).scores).all()


def test_names_of_members():
    names = [*CLASS_MEMBERS, *SOME, "nag:zs~0.5", "shares~0.03"]
    assert [member(name, several=True).name for name in names] == names
    assert learner(members=("nag", "shares~0.1", "nag:zs")).engine.long == (0, 2)


# ------------------------------------------------------------------------------------------------------ pruning


def case_of(names, scores, costs, short=False, words=False, allowed=math.inf):
    """(A case whose members score float[rows, k, classes], the row's own class first, its judge)."""
    n, k, K = scores.shape
    members, tally = tuple(member(name, several=True) for name in names), np.zeros((k, 5))
    V, met = plain(scores.transpose(1, 0, 2)), np.full(n, K)
    update_tally(tally, np.arange(k), SEVERAL, V, met, np.zeros(n), np.ones(n))
    long = tuple(i for i, each in enumerate(members) if not each.rate)
    given = pruning.CLASS_RULES, members, long, n, tally, np.array(costs, float), short, words, allowed
    case = pruning.PruningCase(*given)
    return case, pruning.Importance(case, at_best(members, scores), False)


def at_best(members, scores):
    """A combiner with the weights of least loss, and what that curves there."""
    start = new_combiner(members, (PRIOR,))
    w = start.w[0].copy()
    for _ in range(30):
        p = np.exp(np.einsum("j,ijc->ic", w, scores))
        p /= p.sum(axis=1, keepdims=True)
        mean = np.einsum("ic,ijc->ij", p, scores)
        apart = scores - mean[:, :, None]
        A = start.A[0] + np.einsum("ic,ijc,ilc->jl", p, apart, apart)
        w = w - np.linalg.solve(A, start.prior[0] * (w - start.w[0]) + (mean - scores[:, :, 0]).sum(axis=0))
    recent = np.array([[len(scores), -np.log(p[:, 0]).sum()]])
    return start._replace(w=w[None], A=A[None], P=np.linalg.inv(A)[None], recent=recent)


NAMES = ("nag", "arow-precision:lunit", "arow-precision:pairs", "shares~0.3")


def member_scores(labelled=(1.0, 1.0, 0.0, 0.0), n=400, K=3):
    """Members that tell of the row's class as much as `told`, and noise."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(n, 4, K))
    scores[:, :, 0] += np.array(labelled)
    scores -= scores.max(axis=2, keepdims=True)
    return scores


def test_the_dearest_that_tells_nothing_goes_first_and_what_costs_nothing_stays():
    every = [0, 1, 2, 3]
    going = pruning.pruned(*case_of(NAMES, member_scores(n=4000), [1, 1, 4, 0]), every)
    assert going[0] == 2
    assert 3 not in going
    assert pruning.pruned(*case_of(NAMES, member_scores((1.0, 1.0, 1.0, 0.0), 4000), [1, 1, 4, 0]), every) == []


def test_cheap_members_are_not_asked_early_on_words():
    case, importance = case_of(NAMES, member_scores(n=4000), [1, 1, 4, 0])
    words, every, share = case._replace(words=True), [0, 1, 2, 3], np.array([1, 1, 4, 0]) / 6
    assert pruning.units_of(words, every, share) == [[2]]
    assert pruning.units_of(case, every, share) == [[0], [1], [2]]
    assert pruning.units_of(words._replace(rows=4096), every, share) == [[0], [1], [2]]
    assert pruning.pruned(words, importance, every) == [2]
    assert pruning.over_budget(words._replace(allowed=0.0), importance, every) != []


def test_pairs_of_short_rows_of_numbers_are_not_asked_while_their_errors_fall():
    steady, every, share = member_scores(n=4000), [0, 1, 2, 3], np.array([1, 1, 4, 0]) / 6
    falling = steady.copy()
    falling[2000:, 2, 0] = 1.0  # the greatest
    for scores, words, short, asked in (
        (falling, False, True, [[0], [1]]),
        (falling, False, False, [[0], [1], [2]]),
        (steady, False, True, [[0], [1], [2]]),
        (falling[::-1], False, True, [[0], [1], [2]]),
        (falling, True, True, [[2]]),
    ):
        case, _ = case_of(NAMES, scores, [1, 1, 4, 0], short, words)
        assert pruning.units_of(case, every, share) == asked


def test_errors_in_both_halves_are_told_from_their_mean_and_from_how_late_they_are():
    """Exactly, but for the row itself, where they are two means."""
    tally, met, y, weight = np.zeros((1, 5)), np.full(600, 3), np.zeros(600), np.full(600, 2.0)
    V = np.zeros((1, 600, 3))
    V[0, :300:2, 1] = V[0, 300::5, 1] = 1.0  # half of the first rows are wrong, a fifth of the others
    update_tally(tally, np.array([0]), SEVERAL, V, met, y, weight)
    case = pruning.PruningCase(pruning.CLASS_RULES, (), (), 600, tally, np.ones(1), short=True)
    assert pruning.errors_fall(case, 0, 0.42)
    assert not pruning.errors_fall(case, 0, 0.38)
    halves = [np.zeros((1, 5)) for _ in range(2)]
    for half, rows in zip(halves, (slice(0, None, 2), slice(1, None, 2)), strict=True):
        update_tally(half, np.array([0]), SEVERAL, V[:, rows], met[rows], y[rows], weight[rows])
    merged = merge_tallies(np.zeros((1, 5)), halves, np.ones(2))
    np.testing.assert_allclose(merged[0, :2], tally[0, :2])
    np.testing.assert_allclose(merged[0, 4], tally[0, 4], rtol=0.02)


def test_pairs_of_short_rows_go_only_if_they_make_no_difference():
    some, every = member_scores((2.0, 2.0, 0.18, 0.0), 4000), [0, 1, 2, 3]
    (long, importance), (short, same) = (case_of(NAMES, some, [1, 1, 40, 0], short=short) for short in (False, True))
    growth = max(importance.loss_growth(every, [2]), pruning.offline_growth(long, importance, every, [2]))
    assert pruning.CLASS_RULES.negligible < growth < pruning.CLASS_RULES.price * 40 / 42
    assert 2 in pruning.pruned(long, importance, every)
    assert 2 not in pruning.pruned(short, same, every)


def test_members_that_are_always_right_are_judged():
    scores = np.full((400, 4, 3), -300.0)
    scores[:, :, 0] = 0.0
    _, importance = case_of(NAMES, scores, [1, 1, 4, 0])
    assert math.isfinite(importance.loss_growth([0, 1, 2, 3], [0]))


def test_a_budget_is_met_by_those_that_lose_least():
    case, importance = case_of(NAMES, member_scores((2.0, 1.0, 1.0, 0.0)), [1, 1, 1, 0], allowed=1.5)
    assert set(pruning.over_budget(case, importance, [0, 1, 2, 3])) == {1, 2}


@pytest.mark.compiled
def test_members_for_numbers_leave_rows_of_words():
    names = ("nag", "arow-precision:tfidf", "arow-precision:zs", "rls:fourier-few")
    case, _ = case_of(names, member_scores(), [1, 1, 1, 1])
    assert pruning.unfit_for_words(case, [0, 1, 2, 3]) == [2, 3]
    case.tally[3, 2:4] = case.rows * 10.0, 10.0
    assert pruning.unfit_for_words(case, [0, 1, 2, 3]) == []
    words = zipf(n=80, d=4000, s=18)
    left = active_members(words._replace(values=np.ones_like(words.values)))
    assert left == {name for name, each in CLASS_MEMBERS.items() if each.words}


@pytest.mark.compiled
def test_no_member_leaves_rows_of_numbers_and_of_names_that_come_once():
    numbers, names = np.random.default_rng(1).standard_normal((80, 4)), sp.eye_array(80)
    assert active_members(from_scipy(sp.hstack([numbers, names, names]).tocsr(), np.zeros(80))) == CLASS_MEMBERS.keys()


def active_members(batch):
    """Members that are left of three classes after the rows of a batch."""
    ours = learner(members=())
    ours.partial_fit(batch._replace(y=1.0 + np.arange(batch.n) % 3))
    return {member["name"] for member in ours.facts()["members"] if member["active"]}


def test_members_of_no_use_beside_trees_are_outdone_by_them():
    names = ("arow-precision:zs", "boost:columns", "arow-precision:tfidf", "arow-precision:triples")
    case, _ = case_of(names, member_scores(), [1, 1, 1, 1])
    assert pruning.useless_beside_trees(case, [0, 1, 2, 3]) == [2, 3]
    assert pruning.useless_beside_trees(case, [0, 2, 3]) == []
    for met, going in ((FEW_CLASSES, [2, 3]), (FEW_CLASSES + 1, [3]), (MAX_CLASSES, [3]), (MAX_CLASSES + 1, [])):
        assert pruning.useless_beside_trees(case._replace(classes=met), [0, 1, 2, 3]) == going
    assert pruning.useless_beside_trees(case._replace(names=True), [0, 1, 2, 3]) == [3]


def test_tuples_that_are_nearly_all_new_go():
    case, _ = case_of(NAMES, member_scores(), [1, 1, 4, 0])
    case.tally[:, 2:4] = [[100.0, 10.0], [100.0, 10.0], [1000.0, 900.0], [100.0, 10.0]]
    assert pruning.scattered(case, [0, 1, 2, 3]) == [2]
    assert pruning.scattered(case._replace(short=True), [0, 1, 2, 3]) == []
    case.tally[2, 3] = 500.0
    assert pruning.scattered(case, [0, 1, 2, 3]) == []


@pytest.mark.parametrize("several", [False, True])
def test_more_members_than_an_integer_has_bits(several):
    names = tuple(f"nag~{0.001 * (1 + i):.3f}" for i in range(70))
    given = {"classes": "auto"} if several else {}
    batch = zipf(n=80, d=12)
    learner = Learner(LearnOptions(members=names, prune=False, **given))
    learner.partial_fit(batch)
    again = Learner.from_arrays(*learner.to_arrays())
    assert [member["active"] for member in again.facts()["members"]] == [True] * 70
    assert np.isfinite(again.predict(batch).raw).all()
