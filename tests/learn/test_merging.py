"""Merged learners: sums are those of one run, weights those of definitions over dictionaries and dense matrices."""

import copy
import itertools

import merge_twin
import numpy as np
import pytest
from dense_learner import DenseLearner, dense_rows
from matrix_twin import AdaFull
from streams import batch_of, batch_of_dense, zipf
from views_twin import FEWER

from sonlearn import InputError, Learner, LearnOptions, OptionError, TextOptions
from sonlearn.data.axes import Numbers
from sonlearn.data.rows import rows_between
from sonlearn.learn.ensemble.combiner import PRIOR_PRECISION, combine, conditioned, merge_combiners, new_combiner
from sonlearn.learn.losses import LOGISTIC, Loss
from sonlearn.options.members import member
from sonlearn.options.methods import METHODS
from sonlearn.options.views import VIEWS
from sonlearn.views import make_view
from sonlearn.views.index import intern, lookup, new_index

N, START, EDGES = 240, 60, (60, 130, 150, 240)
COUNTS = ("bayes", "multinomial-bayes", "ewma")
OF_RATES = {
    "nag": {}, "adagrad": {}, "arow-precision": {}, "arow": {}, "ftrl": {"l1": 0.01}, "ada-diag": {"delta": 0.1},
    "sgd": {}, "nlms": {},
}  # fmt: skip


def stream(n=N, **more):
    """Rows whose features come in another order in every part, with integer weights."""
    return zipf(n=n, d=70, s=9, **more)._replace(weight=np.random.default_rng(1).choice([1.0, 2.0], n))


def learned(options, batch, base=None, stop=None):
    learner = Learner(options) if base is None else base.copy()
    learner.partial_fit(batch if stop is None else batch.part(0, stop))
    return learner


def apart(options, batch, start=START, edges=EDGES):
    """(the learner of the first rows or None, learners that went on from it with parts of the others)."""
    base = learned(options, batch, stop=start) if start else None
    edges = edges if start else (0, *edges[1:])
    return base, [learned(options, batch.part(a, b), base) for a, b in itertools.pairwise(edges)]


def by_id(learner, values):
    return dict(zip(learner.ids().tolist(), np.asarray(values).tolist(), strict=True))


# ------------------------------------------------------------------------------------------------------------ sums


@pytest.mark.parametrize("start", [0, START])
@pytest.mark.parametrize("method", COUNTS)
def test_what_only_counts_is_one_run(method, start):
    batch = stream()
    batch = batch._replace(values=np.ceil(4 * np.abs(batch.values)))  # sums of whole numbers have no rounding
    for decay in (0.0, 0.02):
        options = LearnOptions(method=method, loss="logistic", decay=decay)
        base, learners = apart(options, batch, start)
        merged, one = Learner.merge(learners, base), learned(options, batch)
        ours, theirs = merged.predict(batch).raw, one.predict(batch).raw
        if decay:
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)
        elif method != "ewma":
            np.testing.assert_array_equal(ours, theirs)
        assert merged.examples == one.examples == N
        np.testing.assert_array_equal(merged.ids(), one.ids())


@pytest.mark.parametrize("name", VIEWS)
def test_views_count_and_number_as_one_run(name):
    """Where what is made up depends on statistics (bins of deviations), they are other bins; moments are not."""
    batch, more = stream(), FEWER.get(name, {})
    if VIEWS[name].kind == "fourier":  # of 60 features, since of more those that rows seldom have wait
        values = batch.values * np.random.default_rng(0).choice([1.0, 2.5], len(batch.values))
        batch = batch._replace(values=values, indices=batch.indices % 60)
    every = make_view(name, **more)

    def seen(parts, state, index):
        for part in parts:
            rows, index = intern(part, index, True)
            state = every.reserve(state, rows, int(index.size[0]))
            state, _ = every.transform(state, rows, True)
        return every.packed(state), index

    one, order = seen([batch], every.new(), new_index())
    base, start = seen([batch.part(0, START)], every.new(), new_index())
    size, states = int(order.size[0]), []
    for a, b in itertools.pairwise(EDGES):
        copy = type(base)(*(array.copy() for array in base))
        own = start._replace(ids=start.ids.copy(), slots=start.slots.copy(), size=start.size.copy())
        states.append(seen([batch.part(a, b)], copy, own))
    whole = intern(batch, order, True)[1]
    places = [lookup_numbers(index, whole) for _, index in [(base, start), *states]]
    moved = [
        every.renumbered(state, Numbers(numbers, size))[0]
        for state, numbers in zip([base, *(state for state, _ in states)], places, strict=True)
    ]
    merged = every.merge(moved[1:], moved[0]).state
    rows = lookup(batch, whole, True)
    ours, theirs = every.transform(merged, rows, False)[1], every.transform(one, rows, False)[1]
    if "code" in VIEWS[name].values and VIEWS[name].values["code"] == "z":
        np.testing.assert_allclose(merged.moments, one.moments, rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(merged.now["raw"], one.now["raw"])
        return
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    used = ours.indptr[-1]
    np.testing.assert_array_equal(ours.features[:used], theirs.features[:used])
    np.testing.assert_allclose(ours.values[:used], theirs.values[:used], rtol=1e-8, atol=1e-10)
    assert used > 0


def test_what_rows_seldom_have_is_counted_over_a_merge():
    """A feature after 64 others is shown from its fourth row on, whichever learners had them."""
    X = np.random.default_rng(0).normal(size=(30, 80))
    X[:, 79] = np.arange(30) >= 20
    view = make_view("columns")
    rows, index = intern(batch_of_dense(X, np.ones(30)), new_index(), True)

    def after(state, begin, end):
        part = rows_between(rows, begin, end)
        state = view.reserve(type(state)(*(array.copy() for array in state)), part, int(index.size[0]))
        return view.transform(state, part, True)[0]

    base = after(view.new(), 0, 21)
    merged = view.merge([after(base, 21, 22), after(base, 22, 23)], base).state
    assert merged.places[79] == -3
    assert view.features(merged) < view.features(after(merged, 23, 24)) == 82  # with the constant


def lookup_numbers(index, whole):
    """int64[features]: the numbers in `whole` of the features of `index`."""
    number = {id: i for i, id in enumerate(whole.ids[: whole.size[0]].tolist())}
    return np.array([number[id] for id in index.ids[: index.size[0]].tolist()], dtype=np.int64)


def test_a_full_table_stays_as_small():
    """Of more than `limit` made-up features those of the base stay, then those that several learners have."""
    view = make_view("neighbours", limit=64)
    rng, states = np.random.default_rng(0), []
    for _ in range(3):
        numbers = rng.permutation(500)[:60]
        rows, index = intern(batch_of([dict.fromkeys(numbers.tolist(), 1.0)], [1.0]), new_index())
        state, _ = view.transform(view.reserve(view.new(), rows, int(index.size[0])), rows, True)
        states.append(view.packed(state))
    found = view.merge([states[1], states[2], states[1]], states[0])
    assert found.state.now["made"][0] == found.state.now["features"][0] == 64
    made = int(states[0].now["made"][0])
    assert found.base.tolist() == list(range(made))
    for numbers in found.numbers:
        stays = numbers[numbers >= 0]
        assert len(np.unique(stays)) == len(stays) > 0
        assert stays.max() < 64
    assert set(found.numbers[0][found.numbers[0] >= made]) == set(range(made, 64))  # in two states: before the third's


# --------------------------------------------------------------------------------------------------------- weights


@pytest.mark.parametrize("start", [0, START])
@pytest.mark.parametrize("method", OF_RATES)
def test_weights_move_by_the_precision_gained(method, start):
    """Feature by feature, over dictionaries: base + sum of gain^p (w - base) / (sum of gains)^p, p = 3/4."""
    batch, options = stream(), LearnOptions(method=method, **OF_RATES[method])
    base, learners = apart(options, batch, start)
    merged = Learner.merge(learners, base)
    base = base or Learner(options)
    columns = [by_id(each, each.state.table[: each.size]) for each in (base, *learners)]
    has_sum = method not in ("sgd", "nlms")
    expected = {}
    for id in merged.ids().tolist():
        rows = [np.array(column.get(id, np.zeros(columns[1][next(iter(columns[1]))].__len__()))) for column in columns]
        weights = [by_id(each, each.weights()[1]).get(id, 0.0) for each in (base, *learners)]
        scale = [1.0] * len(rows)
        if method == "nag":
            largest = max(row[2] for row in rows)
            scale = [row[2] / largest if largest else 1.0 for row in rows]
        w, *others = [s * v for s, v in zip(scale, weights, strict=True)]
        gains = [row[1] - rows[0][1] if has_sum else each.examples - base.examples
                 for row, each in zip(rows[1:], learners, strict=True)]  # fmt: skip
        total = sum(gains)
        moved = sum(g**0.75 * (v - w) for g, v in zip(gains, others, strict=True))
        expected[id] = w + (moved / total**0.75 if total else 0.0)
        if has_sum:
            got = by_id(merged, merged.state.table[: merged.size, 1])[id]
            np.testing.assert_allclose(got, rows[0][1] + total, rtol=1e-12)
    ids, w = merged.weights()
    np.testing.assert_allclose(w, [expected[id] for id in ids.tolist()], rtol=1e-9, atol=1e-12)
    assert np.abs(w).max() > 0.0


@pytest.mark.parametrize("method", [*OF_RATES, "coin", "drfd"])
def test_weights_go_on_as_they_moved_before(method):
    """Feature by feature: w + (w_base - w_previous) / 2; what follows from sums stays, and so do sketches."""
    batch, options = stream(), LearnOptions(method=method, **OF_RATES.get(method, {}))
    previous, learners = apart(options, batch)
    base = Learner.merge(learners, previous)
    more = [learned(options, stream(n=80, seed=seed), base) for seed in (5, 6)]
    merged = Learner.merge(more, base)
    every, before = [by_id(each, each.weights()[1]) for each in (previous, base)], by_id(merged, merged.weights()[1])
    largest = [by_id(each, each.state.table[: each.size]) for each in (previous, base, merged)]
    given = [each.to_arrays()[1] for each in (base, previous)]
    merged.carry_on(base, previous)
    for arrays, each in zip(given, (base, previous), strict=True):  # arguments have not been modified
        for name, array in each.to_arrays()[1].items():
            np.testing.assert_array_equal(array, arrays[name])
    share = 0.0 if method in ("ftrl", "coin", "drfd") else 0.5
    expected = {}
    for id, w in before.items():
        scale = [1.0, 1.0]
        if method == "nag":
            scale = [table[id][2] / largest[2][id][2] if id in table else 0.0 for table in largest[:2]]
        earlier, start = (s * known.get(id, 0.0) for s, known in zip(scale, every, strict=True))
        expected[id] = w + share * (start - earlier)
    found = by_id(merged, merged.weights()[1])
    np.testing.assert_allclose(list(found.values()), [expected[id] for id in found], rtol=1e-9, atol=1e-12)
    assert (max(abs(expected[id] - before[id]) for id in before) > 1e-3) == (share > 0.0)
    learned(options, batch, merged)


def test_members_of_a_committee_go_on_that_do_not_forget():
    batch = stream(n=400)  # fewer than are learned before the first checkpoint
    options = LearnOptions(method="committee", members=("nag", "nag:pairs", "nag~0.03", "multinomial-bayes:log"))
    previous, learners = apart(options, batch.part(0, 200), 60, (60, 130, 200))
    base = Learner.merge(learners, previous)
    merged = Learner.merge([learned(options, batch.part(a, a + 100), base) for a in (200, 300)], base)
    after = merged.copy()
    after.carry_on(base, previous)
    states = [each.engine.packed(each.state).members for each in (previous, base, merged, after)]
    for i in range(2):
        earlier, start, w, found = (each[i].table for each in states)
        rest = (np.zeros((len(w) - len(each), w.shape[1])) for each in (earlier, start))
        earlier, start = (np.concatenate(both) for both in zip((earlier, start), rest, strict=True))
        scale = [np.divide(each[:, 2], w[:, 2], out=np.zeros(len(w)), where=w[:, 2] > 0) for each in (earlier, start)]
        expected = w[:, 0] + 0.5 * (scale[1] * start[:, 0] - scale[0] * earlier[:, 0])
        np.testing.assert_allclose(found[:, 0], expected, rtol=1e-9, atol=1e-12)
        assert np.abs(found[:, 0] - w[:, 0]).max() > 1e-3
        np.testing.assert_array_equal(found[:, 1:], w[:, 1:])
    for i in range(2, 4):
        for one, other in zip(states[2][i], states[3][i], strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("several", [False, True])
def test_what_settles_leaves_the_members_of_a_long_memory(several):
    """The combiner learns; so do members that forget, and what only counts; and all where there is a new class."""
    names = ("nag", "multinomial-bayes:log", "shares~0.03" if several else "nag~0.03")
    options = LearnOptions(method="committee", members=names, classes="auto" if several else None)
    batch = stream(n=400)
    if several:
        batch = batch._replace(y=(batch.y > 0) + 2.0 * (batch.indices[batch.indptr[:-1]] % 2))
    learner = learned(options, batch, stop=300)
    settled = learner.copy()
    said = settled.settle(batch.part(300, 400))
    assert settled.examples == 400
    assert np.isfinite(said.loss).all()

    def members(each):
        return each.engine.packed(each.state).members

    def weights(each):
        slots = [(k,) for k in range(4)] if several else [()]
        return np.array([each.engine.engines[0].weights(members(each)[0], learner.size, *k) for k in slots])

    assert np.abs(weights(learner)).max() > 0.0
    np.testing.assert_array_equal(weights(settled), weights(learner))
    for one, other in zip(members(learner)[1:], members(settled)[1:], strict=True):
        assert not all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    combiners = [each.state.online for each in (learner, settled)]
    assert not np.array_equal(combiners[0].w, combiners[1].w)
    ordinary = learner.copy().partial_fit(batch.part(300, 400))
    np.testing.assert_array_equal(said.raw[:1], ordinary.raw[:1])
    if several:
        other = learner.copy()
        new = batch.part(300, 400)._replace(y=np.full(100, 9.0))
        other.settle(new)
        assert 9 in other.classes
        again = learner.copy()
        again.partial_fit(new)
        np.testing.assert_array_equal(scores(other, batch), scores(again, batch))


def test_primal_dual_sums_add_up():
    batch = stream()
    options = LearnOptions(method="ada-diag", delta=0.1, update="dual")
    base, learners = apart(options, batch)
    merged = Learner.merge(learners, base)
    sums = [by_id(each, each.state.table[: each.size, 0]) for each in (base, *learners, merged)]
    for id, total in sums[-1].items():
        first = sums[0].get(id, 0.0)
        np.testing.assert_allclose(total, first + sum(own.get(id, first) - first for own in sums[1:-1]), atol=1e-12)


@pytest.mark.parametrize(("method", "rtol"), [("arow-full", 1e-7), ("ridge", 1e-9)])
def test_a_merge_is_least_squares_of_all_rows(method, rtol):
    """Of sums, and with squared loss of whole matrices: the weights of ridge regression, whatever rows came where."""
    batch, options = stream(), LearnOptions(method=method, loss="squared")
    for start in (0, START):
        base, learners = apart(options, batch, start)
        merged, one = Learner.merge(learners, base), Learner.merge([learned(options, batch)], Learner(options))
        wanted = by_id(one, one.weights()[1])
        for id, w in by_id(merged, merged.weights()[1]).items():
            np.testing.assert_allclose(w, wanted[id], rtol=rtol, atol=0.01 * rtol)
        again, theirs = learned(options, batch.part(0, 40), merged), learned(options, batch.part(0, 40), one)
        np.testing.assert_allclose(again.predict(batch).raw, theirs.predict(batch).raw, rtol=10 * rtol, atol=0.1 * rtol)


def dense_of(learner, order):
    """(w, A) with the features `order`, which a learner may not know."""
    own, d = learner.engine._whole(learner.state), learner.size
    place, known = {id: i for i, id in enumerate(order)}, learner.ids().tolist()
    w, A = np.zeros(len(order)), np.eye(len(order))
    at = np.array([place[id] for id in known], dtype=int)
    B = own.B[:, :d]
    A[np.ix_(at, at)] = np.diag(1.0 + own.extra[:d]) + B.T @ B
    w[at] = learner.weights()[1]
    return w, A


@pytest.mark.parametrize("start", [0, START])
def test_sketched_precisions_add_up_and_the_leading_rows_stay(start):
    m = 4
    options, batch = LearnOptions(method="drfd", loss="squared", sketch_size=m), stream()
    base, learners = apart(options, batch, start)
    merged = Learner.merge(learners, base)
    order = merged.ids().tolist()
    (w, A), (w_0, _), *parts = [dense_of(each, order) for each in (merged, base or Learner(options), *learners)]
    place = {id: i for i, id in enumerate(order)}

    def squares(begin, end):
        """float64[features]: sums of h x^2 / r, the diagonal of what these rows add to A."""
        out = np.zeros(len(order))
        for i in range(begin, end):
            at = slice(batch.indptr[i], batch.indptr[i + 1])
            own = [place[id] for id in batch.indices[at].tolist()]
            out[own] += batch.weight[i] * batch.values[at] ** 2 / options.arow_r
        return out

    np.testing.assert_allclose(np.diag(A), 1.0 + squares(0, N), rtol=1e-9)
    spans = list(itertools.pairwise((start, *EDGES[1:])))
    gains = [squares(*span) for span in spans]
    idle = sum(gains) == 0.0  # of features that no learner has had, rows count
    gains = [np.where(idle, b - a, g) for (a, b), g in zip(spans, gains, strict=True)]
    moved = sum(g**0.75 * (v - w_0) for g, (v, _) in zip(gains, parts, strict=True))
    np.testing.assert_allclose(w, w_0 + moved / sum(gains) ** 0.75, rtol=1e-6, atol=1e-9)
    # what is off the diagonal: the leading m - 1 directions of the sum of all rows, compared with the summed diagonal
    low_rank, delta = np.zeros_like(A), np.ones(len(order))
    for sign, each in zip([1 - len(parts), 1, 1, 1], (base or Learner(options), *learners), strict=True):
        at, own = np.array([place[id] for id in each.ids().tolist()], dtype=int), each.engine._whole(each.state)
        B = own.B[:, : each.size]
        low_rank[np.ix_(at, at)] += sign * B.T @ B
        delta[at] += sign * own.extra[: each.size]
    lam, U = np.linalg.eigh(low_rank / np.sqrt(np.outer(delta, delta)))
    lam, U = lam[::-1], U[:, ::-1]
    kept = (U[:, : m - 1] * (lam[: m - 1] - max(lam[m - 1], 0.0))) @ U[:, : m - 1].T * np.sqrt(np.outer(delta, delta))
    B = merged.engine._whole(merged.state).B[:, : merged.size]
    np.testing.assert_allclose(B.T @ B, kept, rtol=1e-6, atol=1e-8)
    learned(options, batch, merged)  # it goes on


# --------------------------------------------------------------------------------------------- sketched, and the like

SKETCHED = {
    "rfd-son, as it comes": {"method": "rfd-son"},
    "rfd-son, logistic": {"method": "rfd-son", "loss": "logistic", "alpha": 0.5, "l2": 1e-3, "thin": 0.0},
    "fd-son, forgetting": {"method": "fd-son", "decay": 0.02, "scale": "none", "alpha": 2.0},
    "cfd-son": {"method": "cfd-son", "scale": "maximum"},
    "pfd-son": {"method": "pfd-son", "beta": 0.5},
    "oja-son": {"method": "oja-son"},
}


def twins_of(options, batch, start):
    """(the twin of the first rows, twins that went on from it) of `apart`, and all rows that each sketch took."""
    X, _ = dense_rows(batch)
    base = DenseLearner(options, X.shape[1])
    took = []

    def run(twin, a, b):
        append = type(twin.sketch).append

        def taken(row):
            took.append(row)
            append(twin.sketch, row)

        twin.sketch.append = taken
        twin.run(X[a:b], batch.y[a:b], batch.weight[a:b])
        del twin.sketch.append
        return twin

    run(base, 0, start)
    spans = itertools.pairwise((start, *EDGES[1:]))
    return base, [run(copy.deepcopy(base), *span) for span in spans], np.array(took)


@pytest.mark.parametrize("start", [0, START])
@pytest.mark.parametrize("kind", SKETCHED)
def test_sketched_newton_is_the_twin_that_merges_matrices(kind, start):
    """Also in what it learns from then on; and the sketch is within its bound of all rows."""
    m, batch = 5, stream()
    options = LearnOptions(**{"loss": "logistic", **SKETCHED[kind], "sketch_size": m})
    base, learners = apart(options, batch, start)
    first, twins, took = twins_of(options, batch, start)
    merged, twin = Learner.merge(learners, base), merge_twin.merged(twins, first)
    X, _ = dense_rows(batch)
    facts = merged.facts()
    ours = twin.sketch.L if merge_twin.oja(twin) else twin.sketch.kept
    np.testing.assert_allclose(facts["alpha"], twin.sketch.alpha, rtol=1e-9)
    np.testing.assert_allclose(facts["eigenvalues"], ours[: len(facts["eigenvalues"])], rtol=1e-7, atol=1e-9)
    raw = [twin.predict(x) for x in X[:80]]
    np.testing.assert_allclose(merged.predict(batch.part(0, 80)).raw, raw, rtol=1e-7, atol=1e-9)
    more = batch.part(80, 200)
    np.testing.assert_allclose(
        merged.partial_fit(more).raw, twin.run(X[80:200], more.y, more.weight).raw, rtol=1e-5, atol=1e-7
    )
    if options.method not in ("rfd-son", "fd-son") or options.decay:
        return
    merged = Learner.merge(learners, base)
    ids, V = merged.components()
    V = V[:, np.argsort(ids)]
    C, S = took.T @ took, (V.T * merged.eigenvalues()) @ V
    shed = 2 * (facts["alpha"] - options.alpha) if options.method == "rfd-son" else twin.sketch.shed
    error = np.linalg.eigvalsh(C - S)
    assert 0 < error[-1] <= shed * (1 + 1e-9)
    assert error[0] >= (-1e-9 if start == 0 else -shed)
    assert (m * shed <= np.trace(C) - np.trace(S) + 1e-9) or start


def test_softmax_learners_are_merged_as_one_for_each_class():
    """A class that a learner has not met stands where it has put all such classes."""
    batch, K = stream(), 4
    batch = batch._replace(y=(batch.y > 0) + np.arange(batch.n) // 100 % 3 * 1.0 + 1)
    for given in ({"method": "nag"}, {"method": "ogd"}, {"method": "ada-diag", "update": "dual"}):
        base, learners = apart(LearnOptions(**given, multinomial=K), batch)
        assert len({tuple(each.classes) for each in learners}) > 1
        merged = Learner.merge(learners, base)
        every = (base, *learners, merged)
        known = [dict(zip(each.ids().tolist(), each.state.own.table[: each.size], strict=True)) for each in every]
        tables = [{id: row[-K:] for id, row in each.items()} for each in known]
        sums = [{id: row[1:4] for id, row in each.items()} for each in known]

        def column(g, id, label, tables=tables, every=every):
            met = every[g].classes
            k = met.index(label) if label in met else len(met)
            return tables[g].get(id, np.zeros(K))[k]

        for id, own in sums[-1].items():
            rows = [each.get(id, np.zeros(3)) for each in sums]
            size = [row[1] / own[1] if given["method"] == "nag" and own[1] else 1.0 for row in rows]
            gain = [row[0] - rows[0][0] for row in rows[1:-1]]
            if given["method"] == "ogd":
                gain = [each.examples - base.examples for each in learners]
            for label in merged.classes:
                w, *others = [s * column(g, id, label) for g, s in enumerate(size[:-1])]
                shift = [v - w for v in others]
                if "update" not in given:
                    shift = [g**0.75 * v / max(sum(gain), 1e-300) ** 0.75 for g, v in zip(gain, shift, strict=True)]
                np.testing.assert_allclose(column(len(every) - 1, id, label), w + sum(shift), rtol=1e-9, atol=1e-12)
        assert merged.state.counts.sum() == N
    options = LearnOptions(method="nag", multinomial=2)
    one, other = (learned(options, batch._replace(y=batch.y % 2 + first)) for first in (0, 1))
    with pytest.raises(InputError, match="classes"):
        Learner.merge([one, other])


def test_experts_with_many_step_sizes_are_sums():
    """metagrad's experts follow from sums over rows; metagrad-fd has the same ones while its sketch loses nothing."""
    batch = zipf(n=N, d=12, s=4)
    found = []
    for method in ("metagrad", "metagrad-fd"):
        options = LearnOptions(method=method, **({"sketch_size": 20} if method != "metagrad" else {}))
        base, learners = apart(options, batch)
        found.append(Learner.merge(learners, base))
        tree = Learner.merge([Learner.merge(learners[:2], base), learners[2]], base)
        np.testing.assert_allclose(tree.predict(batch).raw, found[-1].predict(batch).raw, rtol=1e-6, atol=1e-8)
        one = Learner.merge(learners[:1], base)
        np.testing.assert_allclose(one.predict(batch).raw, learners[0].predict(batch).raw, rtol=1e-6, atol=1e-8)
    raw = [each.predict(batch).raw for each in found]
    np.testing.assert_allclose(raw[0], raw[1], rtol=1e-5, atol=1e-7)
    raw = [each.partial_fit(batch.part(0, 40)).raw for each in found]
    np.testing.assert_allclose(raw[0], raw[1], rtol=1e-5, atol=1e-7)
    assert np.abs(raw[0]).max() > 0.1


@pytest.mark.parametrize("update", ["mirror", "dual"])
def test_matrices_of_gradients_add_up(update):
    """ada-full by its definition; ada-fd and s-adagrad are it while their sketches lose nothing."""
    batch = zipf(n=N, d=12, s=4)
    given = {"update": update, "delta": 1.0, "loss": "logistic"}
    base, learners = apart(LearnOptions(method="ada-full", **given), batch)
    X, ids = dense_rows(batch)
    options, place = LearnOptions(method="ada-full", **given), {id: i for i, id in enumerate(ids.tolist())}

    def twin_of(*spans):
        twin = AdaFull(options, len(ids))
        for a, b in spans:
            twin.run(X[a:b], batch.y[a:b], batch.weight[a:b])
        return twin

    first, *twins = [twin_of((0, START)), *(twin_of((0, START), span) for span in itertools.pairwise(EDGES))]
    merged = copy.deepcopy(first)
    merged.G = first.G + sum(twin.G - first.G for twin in twins)
    merged.z = first.z + sum(twin.z - first.z for twin in twins)
    rows = np.diff(EDGES)
    merged.w = first.w + sum((n / rows.sum()) ** 0.75 * (twin.w - first.w) for n, twin in zip(rows, twins, strict=True))
    if update == "dual":
        merged.w = -options.learning_rate * merged.metric(merged.z)
    ours = Learner.merge(learners, base)
    w = np.zeros(len(ids))
    w[[place[id] for id in ours.ids().tolist()]] = ours.weights()[1]
    np.testing.assert_allclose(w, merged.w, rtol=1e-8, atol=1e-10)
    raw = merged.run(X[:40], batch.y[:40], batch.weight[:40]).raw
    np.testing.assert_allclose(ours.partial_fit(batch.part(0, 40)).raw, raw, rtol=1e-7, atol=1e-9)
    base, learners = apart(LearnOptions(method="ada-fd", sketch_size=20, **given), batch)
    np.testing.assert_allclose(
        Learner.merge(learners, base).partial_fit(batch.part(0, 40)).raw, raw, rtol=1e-6, atol=1e-8
    )


def test_a_mixture_is_its_members_merged():
    members, batch = ("nag", "rfd-son"), stream()
    base, learners = apart(LearnOptions(method="mixture", members=members), batch)
    merged = Learner.merge(learners, base)
    for i, own in enumerate(merged.state.loss):
        losses = [each.state.loss[i] for each in (base, *learners)]
        np.testing.assert_allclose(own, sum(losses[1:]) - 2 * losses[0], rtol=1e-12)
    for i, method in enumerate(members):
        first, alone = apart(LearnOptions(method=method, loss="logistic"), batch)
        one = Learner.merge(alone, first)
        ours = merged.contributions(batch)
        np.testing.assert_allclose(ours.predictions[:, i], one.predict(batch).prediction, rtol=1e-9, atol=1e-12)


def test_combiners_are_gaussians():
    """With the curvature of each row fixed by the start, the merge is Newton's step on the sum of all rows."""
    rng, k = np.random.default_rng(0), 3
    members = [member(name) for name in ("nag", "nag:pairs", "drfd:lunit")]

    def run(combiner, V, y):
        own = type(combiner)(*(array.copy() for array in combiner))
        combine(
            Loss(LOGISTIC, np.zeros(len(y))), own, V, y, np.ones(len(y)), True, np.zeros((k + 2, k)), np.zeros(len(y))
        )
        return own

    V, y = rng.normal(size=(96, k)), rng.choice([-1.0, 1.0], 96)
    base = run(new_combiner(members, PRIOR_PRECISION), V[:32], y[:32])
    parts = [run(base, V[a : a + 32], y[a : a + 32]) for a in (32, 64)]
    found = merge_combiners(parts, base, [[], []])
    prior, r = base.prior[:, :, None] * np.eye(k), base.retention[0]
    first, second = (each.A - prior - r * (base.A - prior) for each in parts)
    A = prior + r * first + second + r**2 * (base.A - prior)
    moved = sum(s * np.einsum("eij,ej->ei", each.A, each.w - base.w) for s, each in zip((r, 1.0), parts, strict=True))
    np.testing.assert_allclose(found.A, A, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(found.P @ found.A, np.broadcast_to(np.eye(k), (len(A), k, k)), atol=1e-9)
    np.testing.assert_allclose(found.w - base.w, np.linalg.solve(A, moved[:, :, None])[:, :, 0], rtol=1e-7, atol=1e-9)
    one = merge_combiners(parts[:1], base, [[]])
    np.testing.assert_allclose(one.w, parts[0].w, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(one.A, parts[0].A, rtol=1e-7, atol=1e-9)


def test_combiners_that_lost_members_merge_as_what_is_left_of_their_merge():
    """As Gaussians: it does not matter whether a weight is set to 0 before or after they are brought together."""
    k, rng = 4, np.random.default_rng(6)
    first = new_combiner([member(name) for name in ("nag", "nag:pairs", "nag~0.03", "arow-precision:odds")], (2.0,))

    def gone_on(combiner):
        X, best = rng.normal(size=(9, k)), rng.normal(size=k)
        A = combiner.A[0] + X.T @ X
        w = np.linalg.solve(A, combiner.A[0] @ combiner.w[0] + X.T @ X @ best)
        return combiner._replace(w=w[None], A=A[None], P=np.linalg.inv(A)[None], rows=combiner.rows + 9)

    base = gone_on(first)
    parts = [gone_on(base) for _ in range(2)]
    whole = conditioned(merge_combiners(parts, base, [[], []]), [1])
    found = merge_combiners([conditioned(each, [1]) for each in parts], base, [[1], [1]])
    for ours, expected in zip(found[:3], whole[:3], strict=True):  # what is gone is so to the last bit
        np.testing.assert_allclose(ours, expected, rtol=1e-9)


# -------------------------------------------------------------------------------------------------------- learners

SOME = ("nag", "drfd:lunit", "arow-precision:odds", "multinomial-bayes:log", "nag:pairs", "nag~0.03", "ewma~0.03")
KINDS = {
    "classes of two": ({"method": "committee", "members": SOME}, lambda batch: batch),
    "values": (
        {"method": "committee", "loss": "squared", "members": ("nag", "drfd:zs", "nlms:zs", "nag:pairs", "ewma~0.03")},
        lambda batch: batch._replace(y=batch.y + np.arange(batch.n) % 7),
    ),
    "several classes": (
        {"method": "committee", "classes": "auto",
         "members": ("nag", "arow-precision:tfidf", "multinomial-bayes:log", "rls:zs", "shares~0.03")},
        lambda batch: batch._replace(y=(batch.y > 0) + np.arange(batch.n) // 100 % 4 * 2.0),
    ),
    "a learner for each class": (
        {"method": "nag", "classes": "auto"},
        lambda batch: batch._replace(y=(batch.y > 0) + np.arange(batch.n) // 100 % 4 * 2.0),
    ),
}  # fmt: skip


def scores(learner, batch):
    predicted = learner.predict(batch)
    return predicted.scores if learner.options.several else predicted.raw


@pytest.mark.parametrize("kind", KINDS)
def test_a_merged_learner_is_a_learner(kind):
    given, change = KINDS[kind]
    options, batch = LearnOptions(**given), change(stream(n=600))
    base, learners = apart(options, batch, 150, (150, 300, 310, 600))
    if options.several:
        assert len({len(each.classes) for each in (base, *learners)}) > 1  # some come late
    before = [each.to_arrays() for each in (base, *learners)]
    merged = Learner.merge(learners, base)
    for (header, arrays), each in zip(before, (base, *learners), strict=True):  # arguments have not been modified
        assert each.to_arrays()[0] == header
        for name, array in each.to_arrays()[1].items():
            np.testing.assert_array_equal(array, arrays[name], err_msg=name)
    # one learner alone is itself; a merge of merges is the merge of all
    close = {"rtol": 1e-5, "atol": 1e-6}
    first = batch.part(0, 300)  # whose classes all have met
    np.testing.assert_allclose(scores(Learner.merge(learners[:1], base), first), scores(learners[0], first), **close)
    tree = Learner.merge([Learner.merge(learners[:2], base), learners[2]], base)
    if "drfd" not in str(options.members):  # rows that a sketch has shed do not come back
        np.testing.assert_allclose(scores(tree, batch), scores(merged, batch), rtol=1e-4, atol=1e-5)
    # it is as large as a learner of all rows, saved and read again, and goes on
    one = learned(options, batch)
    sizes = [sum(array.nbytes for array in each.to_arrays()[1].values()) for each in (merged, one)]
    assert sizes[0] <= 1.1 * sizes[1]
    assert merged.examples == one.examples == 600
    again = merged.copy()
    for each in (merged, again):
        each.partial_fit(batch.part(0, 200))
    np.testing.assert_array_equal(scores(again, batch), scores(merged, batch))
    losses = [float(np.mean(each.predict(first).loss)) for each in (merged, one)]
    assert losses[0] < 1.3 * losses[1] + 0.05


def test_what_cannot_be_merged_is_said():
    batch = stream()
    for options in (LearnOptions(method="rp-son"), LearnOptions(method="radagrad", multinomial=3)):
        with pytest.raises(OptionError, match="cannot be merged"):
            Learner.merge([Learner(options), Learner(options)])
    one, other = (learned(LearnOptions(method=method), batch) for method in ("nag", "arow"))
    with pytest.raises(OptionError, match="other options"):
        Learner.merge([one, other])
    with pytest.raises(OptionError, match="did not begin with the base"):
        Learner.merge([learned(LearnOptions(method="nag"), batch, stop=20)], one)
    texts = [TextOptions(format="vw"), TextOptions(format="vw", bits=24), TextOptions(format="svmlight")]
    for pair in itertools.combinations(texts, 2):
        with pytest.raises(OptionError, match="other features"):
            Learner.merge([Learner(LearnOptions(method="nag"), text) for text in pair])
    zeros = Learner(LearnOptions(method="nag"))
    zeros.partial_fit(batch._replace(y=(batch.y + 1) / 2))
    with pytest.raises(InputError, match="labels -1 and \\+1"):
        Learner.merge([zeros, learned(LearnOptions(method="nag"), batch)])


def test_learners_that_have_met_no_feature_are_merged():
    """Their counts were whole numbers then: those of later rows were cut off, and no file with them could be read."""
    options = LearnOptions(classes="auto", members=("multinomial-bayes:log",), prune=False)
    empty, rows = batch_of([{}, {}], [1.0, 2.0]), batch_of([{1: 0.3}, {2: 0.4}], [1.0, 2.0])
    merged, plain = Learner.merge([learned(options, empty.part(i, i + 1)) for i in (0, 1)]), learned(options, empty)
    merged = Learner.from_arrays(*merged.to_arrays())
    for learner in (merged, plain):
        learner.partial_fit(rows)
    np.testing.assert_array_equal(merged.state.members[0].totals, plain.state.members[0].totals)


def test_a_view_that_has_fewer_features_than_rows_is_merged():
    """Rows that were refused have numbered features, the constant last: ridge was told a number beyond its own."""
    options = LearnOptions(loss="squared", members=("ridge:ranges",), prune=False)
    base = Learner(options)
    base.partial_fit(batch_of([{1: 1e300, 2: 1.0, 3: 1.0, 4: 1.0, 5: 1.0, -1: 1.0}], [1.0]), skip=True)
    rows = batch_of([{-1: 1.0}] * 4, [1.0, 2.0, 3.0, 2.0])
    merged = Learner.merge([learned(options, rows, base)] * 2, base)
    assert merged.predict(rows).prediction == pytest.approx(2.0, rel=0.2)


@pytest.mark.parametrize("method", ["arow-full", "ada-full", "boost"])
def test_learners_with_room_for_few_features_have_none_of_the_rows_they_refused(method):
    options, batch = LearnOptions(method=method), stream()
    one, other = learned(options, batch), learned(options, batch)
    other.partial_fit(batch_of([dict.fromkeys(range(1000, 71000), 1.0)], [1.0]), skip=True)
    merged, plain = Learner.merge([one, other]), Learner.merge([one, one])
    np.testing.assert_allclose(merged.predict(batch).raw, plain.predict(batch).raw, rtol=1e-9)
    most = METHODS[method].values["max_columns"]
    apart = [batch_of([dict.fromkeys(range(first, first + most * 2 // 3), 1.0)], [1.0]) for first in (1, most)]
    with pytest.raises(OptionError, match=f"^learners of {method} with more than {most:,} features in all$"):
        Learner.merge([learned(options, rows) for rows in apart])


def test_a_checkpoint_that_no_learner_has_come_to_prunes_the_merged_one():
    batch = stream(n=4400)
    options = LearnOptions(method="committee", members=("nag", "nag:pairs", "multinomial-bayes:log", "ewma~0.3"))
    base, learners = apart(options, batch, 700, (700, 2000, 3200, 4400))
    merged = Learner.merge(learners, base)
    active_members = [sum(own["active"] for own in each.facts()["members"]) for each in (*learners, merged)]
    assert min(active_members[:-1]) > active_members[-1]
    learned(options, batch, merged)


def test_combiners_that_have_lost_members_at_a_checkpoint_go_on_and_merge():
    batch = stream(n=8000)
    options = LearnOptions(method="committee", members=("nag", "nag:pairs", "multinomial-bayes:log", "ewma~0.3"))
    base, learners = apart(options, batch, 700, (700, 4300, 8000))
    merged = Learner.merge(learners, base)
    each, found = [learner.state.online for learner in learners], merged.state.online
    assert not all(learner.state.active.all() for learner in learners)
    assert [own.rows[0] for own in (*each, found)] == [4300, 4400, 8000]
    assert np.abs(found.w).max() <= 1.1 * max(np.abs(own.w).max() for own in each)
    losses = [learner.predict(batch).loss.mean() for learner in (*learners, merged)]
    assert losses[-1] < max(losses[:-1])
