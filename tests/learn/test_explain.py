"""Explanations: contributions add up, they equal calls of `predict`, and the learner is not modified."""

import math

import numpy as np
import pytest
from for_all import for_all
from streams import batch_of, entries

from sonlearn import Batch, Learner, LearnOptions
from sonlearn.data.batch import CONSTANT
from sonlearn.learn import explain
from sonlearn.learn.explain import ORDERS, orders_of
from sonlearn.options.methods import METHODS, additive

#: Small enough for plain Python, and every kind of view.
MEMBERS = ("nag", "arow-precision:tfidf", "nag:bins", "nag:pairs", "arow-precision:neighbours", "multinomial-bayes:log")


def stream(n: int, seed: int = 0, count: bool = False) -> Batch:
    """Rows of six of nine features and a constant, whose label depends on single ones and on a pair."""
    rng = np.random.default_rng(seed)
    rows, y = [], []
    for _ in range(n):
        row = {int(f): float(rng.integers(1, 4)) for f in rng.choice(9, 6, replace=False) + 1}
        z = row.get(1, 0.0) - row.get(2, 0.0) + 2.0 * ((3 in row) == (4 in row)) - 1.0 + 0.3 * rng.normal()
        rows.append(row | {CONSTANT: 1.0})
        y.append(round(math.exp(0.3 * z) * 3) if count else 1.0 if z > 0 else -1.0)
    return batch_of(rows, y)


def learned(n: int = 60, **options) -> Learner:
    learner = Learner(LearnOptions(**options))
    learner.partial_fit(stream(n, count=options.get("loss") in ("squared", "poisson", "quantile")))
    return learner


def raw_of(learner: Learner, row: dict[int, float]) -> float:
    return float(learner.predict(batch_of([row], [np.nan])).raw[0])


def adds_up(attribution: explain.Attribution) -> None:
    assert attribution.baseline + attribution.contributions.sum() == pytest.approx(attribution.raw, rel=1e-9, abs=1e-9)
    if attribution.members:
        contribution = math.fsum(member.contribution for member in attribution.members)
        total = attribution.start + attribution.mixed + contribution
        assert total == pytest.approx(attribution.raw, rel=1e-9, abs=1e-9)


ADDITIVE = [name for name in METHODS if additive(LearnOptions(method=name))]
CURVED = ["mixture", "bayes", "multinomial-bayes", "rfd-son", "boost", "ewma"]


def test_which_learners_are_sums():
    assert set(METHODS) - set(ADDITIVE) == {"committee", *CURVED}


@for_all("options", [*({"method": name} for name in ADDITIVE), {"method": "ftrl", "l1": 0.5}])
def test_terms_of_a_sum_are_weights_times_values(options):
    """Which is to say that weights are what predicts."""
    learner, rows = learned(**options), stream(8, seed=1)
    rows = rows._replace(base=np.linspace(-1, 1, 8))
    ids, w = learner.weights()
    weights = dict(zip(ids.tolist(), w.tolist(), strict=True))
    for i, explained in enumerate(learner.explain(rows)):
        (attribution,), row = explained.attributions, dict(entries(rows)[i])
        adds_up(attribution)
        assert attribution.baseline == rows.base[i]
        assert attribution.raw == learner.predict(rows).raw[i]
        assert dict(zip(attribution.ids.tolist(), attribution.values.tolist(), strict=True)) == row
        terms = [weights[f] * row[f] for f in attribution.ids.tolist()]
        np.testing.assert_allclose(attribution.contributions, terms, rtol=1e-9, atol=1e-9)
        without = [raw_of(learner, {g: x for g, x in row.items() if g != f}) for f in attribution.ids.tolist()]
        np.testing.assert_allclose(attribution.without, np.array(without) + rows.base[i], rtol=1e-9, atol=1e-9)
        assert (np.diff(np.abs(attribution.contributions)) <= 0).all()
        assert attribution.members == ()


@pytest.mark.parametrize(
    "options",
    [{"members": MEMBERS}, {"members": MEMBERS[:2], "loss": "squared"}, *({"method": name} for name in CURVED)],
    ids=str,
)
@pytest.mark.interpreted
def test_features_of_any_learner_are_what_predict_says(options):
    learner, rows = learned(40, **options), stream(2, seed=2)
    for i, explained in enumerate(learner.explain(rows)):
        (attribution,), row = explained.attributions, dict(entries(rows)[i])
        adds_up(attribution)
        assert attribution.raw == learner.predict(rows).raw[i]
        assert attribution.baseline == raw_of(learner, {})
        features, shares = sorted(row), dict.fromkeys(row, 0.0)
        for order in orders_of(len(features)):
            at, have = attribution.baseline, set()
            for f in (features[j] for j in order):
                have.add(f)
                now = raw_of(learner, {g: x for g, x in row.items() if g in have})
                shares[f], at = shares[f] + (now - at) / ORDERS, now
        columns = (attribution.ids.tolist(), attribution.contributions, attribution.without)
        for f, contribution, without in zip(*columns, strict=True):
            assert without == raw_of(learner, {g: x for g, x in row.items() if g != f})
            assert contribution == pytest.approx(shares[f], rel=1e-9, abs=1e-9)


@pytest.mark.interpreted
def test_orders_are_permutations_and_half_of_them_backwards():
    for s in (0, 1, 2, 7):
        orders = orders_of(s)
        assert orders.shape == (ORDERS, s)
        assert (np.sort(orders, axis=1) == np.arange(s)).all()
        assert (orders[1::2] == orders[::2, ::-1]).all()
        assert (orders == orders_of(s)).all()


@pytest.mark.parametrize("options", [{}, {"method": "nag"}, {"classes": "auto", "method": "nag"}, {"oaa": 2}], ids=str)
def test_the_learner_stays_as_it_is(options, tmp_path):
    batch = stream(60)
    if "oaa" in options:
        batch = batch._replace(y=np.where(batch.y > 0, 1.0, 2.0))
    learner, twin = Learner(LearnOptions(**options)), Learner(LearnOptions(**options))
    for learns in (learner, twin):
        learns.partial_fit(batch)
    learner.save(tmp_path / "before")
    learner.explain(stream(3, seed=4))
    learner.save(tmp_path / "after")
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()
    assert (learner.partial_fit(batch).raw == twin.partial_fit(batch).raw).all()


@pytest.mark.parametrize("options", [{"members": MEMBERS[:4]}, {"method": "nag"}], ids=str)
@pytest.mark.interpreted
def test_neither_batches_nor_the_order_of_a_row_matter(options, monkeypatch):
    learner, rows = learned(40, **options), stream(2, seed=5)
    rows = rows._replace(y=np.array([7.0, np.nan]))  # labels are not looked at
    expected = learner.explain(rows)
    backwards = batch_of([dict(reversed(dict(entries(rows)[i]).items())) for i in range(2)], [1.0, -1.0])
    monkeypatch.setattr(explain, "_ENTRIES", 10)
    single = [learner.explain(rows.part(i, i + 1))[0] for i in range(2)]
    for ours, others in ((single, expected), (learner.explain(backwards), expected)):
        for one, other in zip(ours, others, strict=True):
            assert one.attributions[0].ids.tolist() == other.attributions[0].ids.tolist()
            for name in ("contributions", "without", "values", "raw", "baseline"):
                got, want = getattr(one.attributions[0], name), getattr(other.attributions[0], name)
                np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)


@for_all("options", [{"method": "nag"}, {"members": MEMBERS[:2]}])
@pytest.mark.interpreted
def test_short_rows_are_predicted_together(options, monkeypatch):
    learner, rows, sizes = learned(40, **options), stream(6, seed=5), []
    predict = learner.predict
    monkeypatch.setattr(learner, "predict", lambda batch: sizes.append(batch.n) or predict(batch))
    assert len(learner.explain(rows)) == 6
    assert len(sizes) == 2
    assert sizes[0] == 6


@pytest.mark.interpreted
def test_a_long_row_is_assembled_in_fewer_orders(monkeypatch):
    assert len(orders_of(1024)) == ORDERS
    assert [len(orders_of(s)) for s in (0, 1, 2048, 8000)] == [ORDERS, ORDERS, 8, 2]
    learner, row = learned(40, members=MEMBERS[:4]), stream(1, seed=5)
    monkeypatch.setattr(explain, "ORDERS_ENTRIES", 7 * 7)
    ((attribution,),) = (one.attributions for one in learner.explain(row))
    adds_up(attribution)
    np.testing.assert_array_equal(np.sort(orders_of(7), axis=1), [range(7)] * 2)
    features = dict(zip(attribution.ids.tolist(), attribution.contributions, strict=True))
    ids = sorted(features)
    expected = np.zeros(7)
    for order in orders_of(7):
        met, before = {}, raw_of(learner, {})
        for f in order.tolist():
            met[ids[f]] = dict(entries(row)[0])[ids[f]]
            raw = raw_of(learner, met)
            expected[f] += (raw - before) / 2
            before = raw
    np.testing.assert_allclose([features[f] for f in ids], expected, atol=1e-9)


@pytest.mark.parametrize("options", [{"members": MEMBERS}, {"method": "nag"}], ids=str)
@pytest.mark.interpreted
def test_rows_of_all_kinds(options):
    learner = learned(40, **options)
    nothing, unknown, twice = learner.explain(
        Batch(
            np.array([0, 0, 2, 5]), np.array([1, 77, 2, 1, 2]), np.array([1.0, 5.0, 1.0, 1.0, 2.0]), np.zeros(3),
            np.array([0.0, 1.0, 1.0]), np.arange(1, 4),
        )
    )  # fmt: skip
    (attribution,) = nothing.attributions
    assert len(attribution.ids) == 0
    assert attribution.raw == attribution.baseline == nothing.prediction == raw_of(learner, {})
    (attribution,) = unknown.attributions
    adds_up(attribution)
    assert set(attribution.ids) == {1, 77}
    if additive(learner.options):
        assert dict(zip(attribution.ids, attribution.contributions, strict=True))[77] == 0.0
    (attribution,) = twice.attributions
    adds_up(attribution)
    assert dict(zip(attribution.ids, attribution.values, strict=True)) == {1: 1.0, 2: 3.0}
    assert attribution.raw == raw_of(learner, {2: 3.0, 1: 1.0})  # in the order of first sight


# ------------------------------------------------------------------------------------------------- members


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
@pytest.mark.interpreted
def test_members_of_a_committee_say_what_the_combiner_weighs(loss):
    learner, rows = learned(members=MEMBERS, loss=loss), stream(4, seed=7)
    rows = rows._replace(base=np.array([0.0, 0.5, -2.0, 1.0]))
    weights = {member["name"]: member["weight"] for member in learner.facts()["members"]}
    for i, explained in enumerate(learner.explain(rows)):
        (attribution,) = explained.attributions
        adds_up(attribution)
        assert attribution.start == rows.base[i]
        assert {member.name: member.weight for member in attribution.members} == weights
        for member in attribution.members:
            assert member.contribution == pytest.approx(member.weight * (member.prediction - rows.base[i]), abs=1e-12)
        assert (np.diff([abs(member.contribution) for member in attribution.members]) <= 0).all()
        assert abs(attribution.mixed) < 0.5  # two sets of weights, which have not gone far apart


@pytest.mark.interpreted
def test_a_committee_of_one_says_what_its_member_says():
    """The member learns and predicts as it would alone; what the combiner is told is twice that, within 6."""
    learner, rows = learned(members=("adagrad",)), stream(5, seed=8)
    alone = learned(method="adagrad").predict(rows).raw
    explained = [one.attributions[0].members[0].prediction for one in learner.explain(rows)]
    np.testing.assert_allclose(explained, np.clip(2.0 * alone, -6, 6), rtol=1e-9)


@pytest.mark.parametrize("loss", ["squared", "quantile", "poisson"])
@pytest.mark.interpreted
def test_members_of_values_add_up_from_the_mean(loss):
    learner, rows = learned(members=("nag", "nag:tfidf"), loss=loss), stream(4, seed=9, count=True)
    mean = stream(60, count=True).y.mean()
    for explained in learner.explain(rows):
        (attribution,) = explained.attributions
        adds_up(attribution)
        assert attribution.start == pytest.approx(math.log(mean) if loss == "poisson" else mean)
        names = {member.name for member in attribution.members}
        assert names == {"nag", "nag:tfidf"} | ({"bias"} if loss == "quantile" else set())
        assert abs(attribution.mixed) < 1e-9  # one set of weights, and no bound was reached


@pytest.mark.interpreted
def test_members_of_a_mixture():
    learner, rows = learned(method="mixture"), stream(3, seed=10)
    for i, explained in enumerate(learner.explain(rows)):
        (attribution,) = explained.attributions
        adds_up(attribution)
        assert {member.name: member.weight for member in attribution.members} == learner.facts()["share"]
        p = math.fsum(member.weight / (1 + math.exp(-member.prediction)) for member in attribution.members)
        assert math.log(p / (1 - p)) == pytest.approx(learner.predict(rows).raw[i])


@pytest.mark.interpreted
def test_members_that_went_home_say_nothing():
    learner = learned(members=MEMBERS)
    learner.state.active[:] = [i in (0, 2) for i in range(len(MEMBERS))]
    (explained,) = learner.explain(stream(1, seed=11))
    assert {member.name for member in explained.attributions[0].members} == {MEMBERS[0], MEMBERS[2]}


# ------------------------------------------------------------------------------------------------- several classes


@pytest.mark.parametrize("options", [{"method": "nag"}, {"members": MEMBERS[:3]}, {"method": "mixture"}], ids=str)
@pytest.mark.interpreted
def test_the_winning_class_and_the_next_are_explained(options):
    learner, batch = Learner(LearnOptions(classes="auto", **options)), stream(60)
    has = [[f in dict(row) for f in (1, 2)] for row in entries(batch)[:60]]
    batch = batch._replace(y=np.array([{True: 5.0, False: 3.0}[b] if a else 9.0 for a, b in has]))
    learner.partial_fit(batch)
    rows = stream(4, seed=12)._replace(y=np.full(4, np.nan))
    predicted = learner.predict(rows)
    for i, explained in enumerate(learner.explain(rows)):
        best = np.argsort(-predicted.scores[i])[:2]
        assert [attribution.label for attribution in explained.attributions] == [learner.classes[k] for k in best]
        assert [attribution.raw for attribution in explained.attributions] == predicted.scores[i, best].tolist()
        assert explained.prediction == predicted.prediction[i] == explained.attributions[0].label
        for attribution in explained.attributions:
            adds_up(attribution)
            k, row = learner.classes.index(attribution.label), dict(entries(rows)[i])
            for f, without in zip(attribution.ids.tolist(), attribution.without, strict=True):
                part = learner.predict(batch_of([{g: x for g, x in row.items() if g != f}], [np.nan]))
                assert part.scores[0, k] == pytest.approx(without, rel=1e-9, abs=1e-9)
            assert bool(attribution.members) == ("method" not in options or options["method"] == "mixture")


@pytest.mark.interpreted
def test_classes_that_have_not_been_met_have_no_accounts():
    learner, rows = Learner(LearnOptions(classes="auto", method="nag")), stream(1)
    (explained,) = learner.explain(rows)
    assert math.isnan(explained.prediction)
    assert explained.attributions == ()
    learner.partial_fit(rows)
    assert [attribution.label for attribution in learner.explain(rows)[0].attributions] == [int(rows.y[0])]
