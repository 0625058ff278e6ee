"""Members of several classes and their combiner: each is its dense twin, however the stream is cut."""

import math

import numpy as np
import pytest
from boost_twin import ClassTrees
from multiclass_twin import ArowTwin, BayesTwin, CombinerTwin, NagTwin, RlsTwin, SharesTwin, learned, run
from states import assert_same_arrays

from sonlearn import LearnOptions
from sonlearn.data.axes import Numbers
from sonlearn.data.linear_algebra import exponential
from sonlearn.data.rows import NO_ROWS, Rows
from sonlearn.files import storage
from sonlearn.jit.sequence import run_calls
from sonlearn.learn import pairs as table
from sonlearn.learn.boosting.engine import BoostOfClasses
from sonlearn.learn.engine import Predictions
from sonlearn.learn.ensemble.combiner import new_combiner
from sonlearn.learn.ensemble.label_scale import new_scale
from sonlearn.learn.ensemble.slots import PRIOR, SURPRISE, ClassSlots, combine, scratch_for, subtract_largest
from sonlearn.learn.ensemble.target import Part
from sonlearn.learn.ewma import Shares
from sonlearn.learn.first_order.engine import Nag
from sonlearn.learn.multiclass.arow import Arow
from sonlearn.learn.multiclass.bayes import MAX_COUNT, Bayes
from sonlearn.learn.multiclass.rls import Rls
from sonlearn.learn.pairs import places_needed
from sonlearn.learn.tables import bytes_of, count_pairs, more_room, new_pairs, packed_pairs, reserve_pairs
from sonlearn.options.members import Member

pytestmark = pytest.mark.interpreted
D, K = 24, 9
MEMBERS = {
    "arow": (lambda: Arow(0.3), lambda: ArowTwin(D, K, 0.3)),
    "arow-unit": (lambda: Arow(0.1, True), lambda: ArowTwin(D, K, 0.1, True)),
    "arow-forgets": (lambda: Arow(0.1, decay=0.1), lambda: ArowTwin(D, K, 0.1, decay=0.1)),
    "bayes-forgets": (lambda: Bayes(0.05), lambda: BayesTwin(D, K, 0.05)),
    "nag": (lambda: Nag(4.0), lambda: NagTwin(D, K, 4.0)),
    "nag-forgets": (lambda: Nag(2.0, 0.03), lambda: NagTwin(D, K, 2.0, 0.03)),
    "bayes": (Bayes, lambda: BayesTwin(D, K)),
    "rls": (lambda: Rls(0.1), lambda: RlsTwin(D, K, 0.1)),
    "boost": (lambda: BoostOfClasses(6), lambda: ClassTrees(D, 6)),
    "shares": (lambda: Shares(0.1), lambda: SharesTwin(D, K, 0.1)),
}
every = pytest.mark.parametrize("name", MEMBERS)


def stream(n=150, seed=0):
    """(X, slots of the classes, weights): 5 classes at first, up to 9 later, in the order in which they are shown."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, D)) * (rng.random((n, D)) < 0.3) * rng.choice([0.2, 1.0, 5.0], D)
    centre = rng.normal(size=(K, D))
    y = (X @ centre.T + 0.5 * rng.normal(size=(n, K)))[:, :5].argmax(axis=1)
    late = (np.arange(n) > n // 2) & (rng.random(n) < 0.2)
    y = np.where(late, rng.integers(5, K, n), y)
    h = rng.choice([0.0, 0.5, 1.0, 3.0], n, p=[0.1, 0.2, 0.5, 0.2])
    shown = list(dict.fromkeys(y[h > 0].tolist()))
    slots = np.array([shown.index(k) if k in shown else np.nan for k in y.tolist()], dtype=float)
    slots[rng.random(n) < 0.1] = np.nan
    kept = list(dict.fromkeys(slots[(h > 0) & ~np.isnan(slots)].tolist()))
    return X, np.array([kept.index(s) if s in kept else np.nan for s in slots.tolist()]), h


def rows_of(X, y, h):
    row, column = np.nonzero(X)
    indptr = np.searchsorted(row, np.arange(len(X) + 1)).astype(np.int64)
    return Rows(
        indptr, column.astype(np.int64), X[row, column], y.copy(), h.copy(), np.zeros(len(X)), np.zeros((len(X), 2))
    )


def met_before(y, h):
    shown = np.where((h > 0) & ~np.isnan(y), y, -1.0)
    return np.concatenate([[0], np.maximum.accumulate(shown)[:-1] + 1]).astype(np.int64)


def learned_by(member, X, y, h, cuts=()):
    """(the state, float64[n, K] scores), learned in parts; the state goes through storage's form between them."""
    state, out = member.new(), np.full((len(y), K), np.nan)
    ends = [*cuts, len(y)]
    for start, stop in zip([0, *ends], ends, strict=False):
        rows = rows_of(X[start:stop], y[start:stop], h[start:stop])
        state, at = member.learn(member.reserve(state, rows, D), rows, Predictions.of_scores(out[start:stop]), 0)
        assert at == stop - start
        if cuts:
            state = member.packed(state)
    return member.reserve(state, rows_of(X[:0], y[:0], h[:0]), D), out


@every
def test_a_member_is_its_dense_twin(name):
    make, twin = MEMBERS[name]
    X, y, h = stream()
    state, got = learned_by(make(), X, y, h)
    dense = twin()
    wanted = run(dense, X, y, h, K)
    assert np.nanmax(y) == K - 1, "all classes are shown"
    np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted))
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
    if hasattr(state, "pairs"):
        assert state.pairs.now["used"][0] <= D * (4 + 8 + 16), "a block of each size, and none twice"
    again, silent = np.full((len(y), K), np.nan), rows_of(X, np.full(len(y), np.nan), h)
    assert make().predict(state, silent, Predictions.of_scores(again)) == len(y)
    np.testing.assert_allclose(again, [dense.scores(x) for x in X], rtol=1e-4, atol=1e-4)
    if name.startswith(("arow", "nag")):
        np.testing.assert_allclose(make().weights(state, D), dense.W, rtol=1e-4, atol=1e-5)
        for k in range(K):
            np.testing.assert_array_equal(make().weights(state, D, k), make().weights(state, D)[k])


def test_quantiles_of_many_columns_are_of_fewer_rows():
    """Of 130 columns those of 256 rows, where trees are of more."""
    rng = np.random.default_rng(3)
    X, h = rng.normal(size=(320, 130)), np.ones(320)
    y = np.arange(320.0) % 2 + 2 * (X[:, 0] > 0.3 * X[:, 1])
    y[:4] = range(4)
    twin, member = ClassTrees(130, 2), BoostOfClasses(2)
    rows, got = rows_of(X, y, h), np.full((320, K), np.nan)
    member.learn(member.reserve(member.new(), rows, 130), rows, Predictions.of_scores(got), 0)
    np.testing.assert_allclose(got, run(twin, X, y, h, K), rtol=1e-9, atol=1e-9)


@every
def test_cuts_storage_and_rows_without_a_label_change_no_bit(name):
    make, _ = MEMBERS[name]
    X, y, h = stream()
    whole, wanted = learned_by(make(), X, y, h)
    twice = np.repeat(np.arange(len(y)), 2)
    silent = np.where(np.arange(len(twice)) % 2 == 0, np.nan, y[twice])
    cut, got = learned_by(make(), X[twice], silent, h[twice], cuts=(1, 2, 81, 82, 180))
    np.testing.assert_array_equal(got[1::2], wanted)
    assert_same(make().packed(whole), make().packed(cut))


@pytest.mark.compiled
@every
def test_classes_that_become_many_on_the_way_change_no_bit(name):
    """Blocks are dense up to 32 classes and lists beyond; a row may be the one that takes its features from one to the
    other, before or after its own class has got a number."""
    make, _ = MEMBERS[name]
    rng = np.random.default_rng(3)
    n, most = 260, 50
    X = rng.normal(size=(n, D)) * (rng.random((n, D)) < 0.4)
    y = np.minimum(rng.integers(0, 1 + np.arange(n) // 4), most - 1)
    y = np.array([list(dict.fromkeys(y.tolist())).index(k) for k in y.tolist()], dtype=float)
    h = np.ones(n)
    slots = np.maximum.accumulate(y).astype(int) + 1
    whole, wanted = make().new(), np.zeros((n, slots[-1]))
    rows = rows_of(X, y, h)
    whole, _ = make().learn(make().reserve(whole, rows, D), rows, Predictions.of_scores(wanted), 0)
    member, got = make(), np.zeros_like(wanted)
    state = member.new()
    for i in range(n):
        rows, out = rows_of(X[i : i + 1], y[i : i + 1], h[i : i + 1]), np.zeros((1, slots[i]))
        state, _ = member.learn(member.reserve(state, rows, D), rows, Predictions.of_scores(out), 0)
        got[i, : slots[i]] = out[0]
    np.testing.assert_array_equal(got, wanted)
    assert_same(make().packed(whole), make().packed(state))


def assert_same(one, other):
    """Two packed states have the same bits."""
    assert_same_arrays(storage.flat(one, "state"), storage.flat(other, "state"))


def test_rows_of_any_size_leave_finite_scores():
    X, y, h = stream(60)
    X[7], X[8], X[9] = X[7] * 1e45, X[8] * 1e-45, 0.0
    for name, (make, _) in MEMBERS.items():
        _, got = learned_by(make(), X, y, h)
        met = met_before(y, h)
        assert all(np.isfinite(got[i, : met[i]]).all() for i in range(len(y))), name


def test_a_row_that_nag_refuses_leaves_no_trace():
    X, y, h = stream()
    row = np.flatnonzero((y == 0) & (h > 0) & X.any(axis=1))[5]
    large, unlabelled = X.copy(), y.copy()
    large[row], unlabelled[row] = X[row] * 1e120, np.nan
    states = []
    for values, labels in ((large, y), (X, unlabelled)):
        out, nag = Predictions.of_scores(np.zeros((len(y), K))), Nag()
        states.append(nag.packed(nag.learn_all(nag.new(), rows_of(values, labels, h), out, D)))
        assert np.flatnonzero(out.refused).tolist() == ([row] if values is large else [])
    assert_same(*states)


def test_counts_of_naive_bayes_have_an_end():
    """Those of pairs where float32 still counts by ones, sums of them at its square."""
    X, y, h = stream(60)
    y[7:12], h[7:12] = [0, 0, 1, 1, 2], 1e307
    state, _ = learned_by(Bayes(), X, y, h)
    assert state.pairs.values[0].max() == MAX_COUNT
    assert [sums.max() for sums in (state.amounts, state.totals, state.now["amount"])] == [MAX_COUNT**2] * 3


def test_merged_trees_are_those_of_all_rows():
    """Of learners that have numbered the classes otherwise."""
    X, y, h = stream()
    engine, same, parts = BoostOfClasses(12), np.arange(D), []
    for some in (slice(0, 80), slice(80, 150)):
        shown = list(dict.fromkeys(y[some][(h[some] > 0) & ~np.isnan(y[some])].tolist()))
        slots = np.array([shown.index(k) if k in shown else np.nan for k in y[some].tolist()])
        state = engine.packed(learned_by(engine, X[some], slots, h[some])[0])
        parts.append(engine.renumbered(state, Numbers(same, D, np.array(shown, dtype=np.int64))))
    rows = [int(state.now["rows"][0]) for state in parts]
    base = engine.renumbered(engine.new(), Numbers(same[:0], D, np.zeros(0, np.int64)))
    merged = engine.merge(parts, base, rows)
    whole = engine.packed(learned_by(engine, X, y, h)[0])
    whole.now["refits"] = max(int(state.now["refits"][0]) for state in parts)
    refitted = engine.merge([engine.renumbered(whole, Numbers(same, D))], base, [sum(rows)])
    asked, scores = rows_of(X, np.full(len(y), np.nan), h), np.zeros((2, len(y), K))
    for state, out in zip((merged, refitted), scores, strict=True):
        engine.predict(state, asked, Predictions.of_scores(out))
    np.testing.assert_array_equal(*scores)
    known = ~np.isnan(y)
    assert np.mean(scores[0].argmax(axis=1)[known] == y[known]) > 0.8


def test_a_whole_matrix_goes_by_one_row_in_eight_once_it_has_learned_many():
    X, y, h = stream(1500)
    twin = RlsTwin(D, K, 0.1)
    state, got = learned_by(Rls(0.1), X, y, h, cuts=(700, 1201))
    np.testing.assert_allclose(got, run(twin, X, y, h, K), rtol=1e-7, atol=1e-9)
    assert state.now["rows"][0] == twin.rows > 800


def test_a_whole_matrix_leaves_out_features_beyond_a_limit():
    X, y, h = stream()
    few, some = np.full((len(y), K), np.nan), np.full((len(y), K), np.nan)
    for member, data, out in ((Rls(0.1, 10), X, some), (Rls(0.1), X * (np.arange(D) < 10), few)):
        rows = rows_of(data, y, h)
        member.learn(member.reserve(member.new(), rows, D), rows, Predictions.of_scores(out), 0)
    np.testing.assert_allclose(some, few, rtol=1e-12)
    assert np.nanmax(np.abs(some)) > 0.1


# ------------------------------------------------------------------------------------------------------ the table


@pytest.mark.parametrize("most", [20, 300])
def test_pairs_are_a_dictionary(most):
    """Thousands of pairs in random order: every number is where it was put, and blocks are used again.

    The classes become more, from 3 on, so that lists and dense blocks become each other.
    """
    rng, pairs, known, kinds = np.random.default_rng(0), reserve_pairs(new_pairs(2), 50), {}, set()
    for step in range(1, 4001):
        classes = min(most, 3 + step // 10)
        f, k = int(50 * rng.random() ** 3), int(rng.integers(classes))
        row = rows_of(np.eye(50)[[f]], np.zeros(1), np.ones(1))
        if not table.has_room(pairs, row, 0, 1, classes):
            pairs = more_room(pairs, places_needed(pairs, 1, 1, classes), classes)
        place = table.place_for(pairs, f, k, classes)
        at = pairs.blocks[f]["begin"] + place
        assert tuple(column[at] for column in pairs.values) == known.get((f, k), (0, 0))
        pairs.values[0][at], pairs.values[1][at] = known[f, k] = (0 if step % 3 else step, step)
        kinds |= {(bool(b["size"]), bool(b["capacity"])) for b in pairs.blocks}
        if step % 500 == 499:
            pairs = reserve_pairs(packed_pairs(pairs), 50)
    for (f, k), numbers in known.items():
        at = pairs.blocks[f]["begin"] + table.place_of(pairs, f, k)
        assert tuple(column[at] for column in pairs.values) == numbers
    assert kinds == ({(False, False), (False, True)} | ({(True, False)} if most > table.SMALL else set()))
    packed = packed_pairs(pairs)
    feature = np.repeat(np.arange(len(packed.size)), packed.size)
    assert list(zip(feature.tolist(), packed.classes.tolist(), strict=True)) == sorted(known)
    assert count_pairs(pairs) == count_pairs(packed) == len(known)
    assert pairs.now["used"][0] < 5 * len(known)
    assert bytes_of(pairs) < 70 * len(known)


def test_scores_are_sums_whatever_the_blocks():
    """Lists, dense blocks of several sizes, features without a block, and one that a row has twice."""
    rng, classes = np.random.default_rng(1), 70
    pairs, dense = more_room(reserve_pairs(new_pairs(1), 40), 1 << 14, classes), np.zeros((60, classes))
    for f in range(40):
        most = 70 if f < 15 else 8 if f % 3 else 20
        for k in rng.permutation(most)[: rng.choice([3, 30, 70])].tolist():
            place = table.place_for(pairs, f, k, most)
            dense[f, k] = pairs.values[0][pairs.blocks[f]["begin"] + place] = np.float32(rng.normal())
    assert set(pairs.blocks["capacity"].tolist()) == {0, 8, 32, 128}
    assert set(pairs.blocks["size"].tolist()) == {0, 3, 30}
    features = np.concatenate([rng.integers(0, 60, 90), np.arange(15, 40), [7, 7]])
    values, z, wanted = rng.normal(size=len(features)), np.full(classes, 0.5), np.full(classes, 0.5)
    row = Rows(np.array([0, len(features)]), features, values, np.zeros(1), np.ones(1), np.zeros(1), np.zeros((1, 2)))
    table.add_weights(pairs, row, 0, 2.0, classes, z)
    for f, x in zip(features.tolist(), values.tolist(), strict=True):
        wanted += 2.0 * x * dense[f]
    np.testing.assert_array_equal(z, wanted)


# ------------------------------------------------------------------------------------------------------ the combiner


def scores(n=200, k=4, seed=1):
    rng = np.random.default_rng(seed)
    _, y, h = stream(n, seed)
    V = rng.normal(size=(k, n, K)) * rng.choice([0.3, 2.0, 40.0], (1, n, 1))
    for i in range(n):
        if y[i] == y[i]:
            V[:2, i, int(y[i])] += 1.0
    return V, y, h


def start_of(weights, precision=None, prior=PRIOR):
    """A combiner that begins with these weights."""
    own = np.zeros(len(weights)) if precision is None else precision
    return new_combiner(
        (Member("nag", "raw", weight=w, precision=p) for w, p in zip(weights, own, strict=True)), (prior,)
    )


@pytest.mark.parametrize("better", [0.0, 0.1])
def test_the_combiner_is_its_twin(better):
    """Of members that stay as they are, and of one that gets better: then more of the first rows is forgotten."""
    V, y, h = scores(500)
    for i in np.flatnonzero(y == y):
        V[2, i, int(y[i])] += better * i
    met, start = met_before(y, h), [0.5, 0.1, 0.1, 0.3]
    for v in V:
        subtract_largest(v, met)
    firm = np.array([1.0, 4.0, 1.0, 50.0])
    ours, twin = start_of(start, PRIOR * firm), CombinerTwin(start, precision=firm)
    out = np.zeros((len(y), K))
    combine(ours, V, met, y, h, True, SURPRISE, scratch_for(4, K), out)
    known = np.concatenate([V[:, i, : met[i]].ravel() for i in range(len(y))])
    assert (known.min(), known.max()) == (-20.0, 0.0)
    for i in range(len(y)):
        if met[i] == 0:
            continue
        v = V[:, i, : met[i]]
        np.testing.assert_allclose(np.exp(out[i, : met[i]]), np.maximum(twin.predict(v), math.exp(-20)), rtol=1e-9)
        if learned(y[i], h[i]) and y[i] < met[i]:
            twin.learn(v, int(y[i]), h[i])
    np.testing.assert_allclose(ours.w[0], twin.w, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(ours.A, ours.A.transpose(0, 2, 1))
    assert (ours.left[0] < ours.rows[0] // 64 * math.log(twin.keep) - 0.5) == (better > 0)


def test_members_that_are_not_at_work_cost_no_bit():
    V, y, h = scores()
    met = met_before(y, h)
    for v in V:
        subtract_largest(v, met)
    V[1] = V[3] = 0.0
    whole, part, outs = start_of(np.full(4, 0.3)), start_of(np.full(4, 0.3)), np.zeros((2, len(y), K))
    whole.w[:, [1, 3]] = part.w[:, [1, 3]] = 0.0
    combine(whole, V, met, y, h, True, SURPRISE, scratch_for(4, K), outs[0])
    target, rows = ClassSlots(LearnOptions(classes="auto")), NO_ROWS._replace(y=y, weight=h)
    inputs, shown = np.ascontiguousarray(V[[0, 2]]), Part(rows, new_scale(rows)._replace(met=met))
    run_calls(target.combine_some(part, [0, 2], inputs, shown, True, outs[1]))
    np.testing.assert_array_equal(outs[0], outs[1])
    np.testing.assert_array_equal(whole.w, part.w)


def test_a_row_that_is_wrong_for_certain_does_not_turn_the_weights_round():
    V, start = np.zeros((2, 1, 2)), np.full(2, 1.0)
    V[0, 0, 1], V[1, 0, 0] = -20.0, -1.0
    g, moved = np.array([20.0, -1.0]), []
    for surprise in (0.0, SURPRISE):
        ours, out = start_of(start), np.zeros((1, 2))
        combine(ours, V, np.array([2]), np.ones(1), np.ones(1), True, surprise, scratch_for(2, 2), out)
        moved.append(float(g @ (start - ours.w[0])))
    assert moved[0] > 100.0 > 1 / SURPRISE > moved[1] > 0.0


def test_exponentials_of_scores_below_the_best():
    x = np.concatenate([[0.0], -np.geomspace(1e-12, 40.0, 100)])
    np.testing.assert_allclose([exponential(each) for each in x], np.exp(x), rtol=1e-12)
    assert exponential(-1e300) == exponential(-40.0)
