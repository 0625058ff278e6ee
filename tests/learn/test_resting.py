"""Weights of members at rest: learned of what copies predict, and used where they do better there."""

import numpy as np
import pytest
from states import assert_same, check_saves, state_of
from streams import batch_of_dense, rows_of, several_classes, with_weights, without_some_labels, zipf

from sonlearn import Learner, LearnOptions
from sonlearn.learn.ensemble import resting
from sonlearn.learn.ensemble.combiner import combine, new_combiner, weights_of
from sonlearn.learn.ensemble.label_scale import unit_of
from sonlearn.learn.losses import Loss
from sonlearn.options.members import member

NAMES = "nag", "drfd", "nag:pairs", "nag~0.03"


@pytest.fixture
def soon(monkeypatch):
    """Copies after 64 rows and then of half as many again."""
    monkeypatch.setattr(resting, "LEAST", 64)


def series(n=700, kind="squared"):
    """A slow wave that no feature tells, which rows near each other share, and a little of what they do tell."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(n, 3)), np.arange(n) / 50, np.floor(np.arange(n) / 20) % 4])
    y = 5 * np.sin(np.arange(n) / 12) + X[:, 0] + 0.5 * rng.normal(size=n) + 100
    return batch_of_dense(X, np.where(y > 100, 1.0, -1.0) if kind == "logistic" else y)


@pytest.mark.parametrize("kind", ["squared", "logistic"])
def test_equals_copies_and_a_combiner_of_what_they_predict(soon, kind):
    batch, options = series(kind=kind), LearnOptions(loss=kind, members=NAMES, prune=False)
    ours = Learner(options)
    target = ours.engine.target
    long = [member(name, kind) for name in NAMES[:3]]
    twin = new_combiner([*target.inputs[:3]], target.precision)
    assert [each.name for each in long] == [each.name for each in target.inputs[:3]]
    ours.partial_fit(batch.part(0, 64))
    means, better = [], []
    for start, stop in ((64, 128), (128, 192), (192, 288), (288, 432), (432, 648)):
        copy, rows = Learner.from_arrays(*state_of(ours)), batch.part(start, stop)
        ours.partial_fit(batch.part(start, stop - 1))
        assert ours.state.resting.kept.now["rows"] == stop - 1 - start, "a copy is due before the last row"
        ours.partial_fit(batch.part(stop - 1, stop))
        mean, unit = (copy.state.labels.moments[1], unit_of(copy.state.labels)) if kind == "squared" else (0.0, 1.0)
        V = (np.ascontiguousarray(copy.contributions(rows).predictions) - mean) / unit
        y, loss = (rows.y - mean) / unit, Loss(target.loss.code, np.zeros(rows.n))
        usual, z = weights_of(ours.state.offline)[:3], np.zeros((2, rows.n))
        if kind == "squared":
            losses = [(V @ w - y) ** 2 for w in (usual, weights_of(twin))]
        else:
            combine(loss, twin, V, y, np.ones(rows.n), False, np.zeros((5, 3)), z[0])
            combine(loss, _of_long(ours.state.offline), V, y, np.ones(rows.n), False, np.zeros((5, 3)), z[1])
            losses = [np.logaddexp(0.0, -y * own) for own in (z[1], z[0])]
        gain = losses[0] - losses[1]
        means.append(gain.mean())
        seen = np.array(means) if kind == "squared" else gain
        better.append(seen.sum() > (1.5 if kind == "squared" else 2.0) * np.sqrt(seen @ seen))
        combine(loss, twin, V, y, np.ones(rows.n), True, np.zeros((5, 3)), z[0])
        own = ours.state.resting
        np.testing.assert_allclose(own.combiner.w[:, :3], twin.w, rtol=1e-6, atol=1e-8)
        assert not own.combiner.w[:, 3].any(), "what forgets has no part"
        assert own.kept.now["better"][0] == better[-1]
        chosen = own.combiner if better[-1] else ours.state.offline
        np.testing.assert_array_equal(ours.contributions(rows).weight, weights_of(chosen)[:3])
    assert any(better)
    assert not all(better)


def _of_long(combiner):
    return combiner._replace(w=combiner.w[:, :3].copy(), A=combiner.A[:, :3, :3].copy(), P=combiner.P[:, :3, :3].copy())


@pytest.mark.parametrize("cuts", [(63, 64, 65, 127, 128, 191, 192, 193), tuple(range(110, 200))], ids=len)
@pytest.mark.parametrize("kind", ["squared", "logistic"])
def test_cuts_saves_and_threads_change_no_bit(soon, monkeypatch, kind, cuts, tmp_path):
    monkeypatch.setattr(resting, "ROWS", 40)  # not every row is kept
    batch = with_weights(without_some_labels(series(300, kind)))
    whole, _ = check_saves(LearnOptions(loss=kind), batch, tmp_path, cuts, 2, foreseen=False)
    now = whole.state.resting.kept.now
    assert now["copied"]
    assert now["stride"] > 1
    assert 0 < now["rows"] <= 40


@pytest.mark.parametrize(("batch", "options"), [(zipf(n=300, d=4000, s=10), {}), (several_classes(n=300), {"oaa": 5})])
def test_there_is_no_copy_of_words_and_several_classes(soon, batch, options):
    learner = Learner(**options)
    learner.partial_fit(batch)
    now = learner.state.resting.kept.now
    assert not now["due"]
    assert not now["copied"]
    assert not len(learner.state.resting.kept.facts)


def test_further_passes_are_no_rest(soon):
    """What was kept before them is let go; new rows are kept from the next copy on."""
    batch = series(400)
    learner = Learner(loss="squared")
    learner.partial_fit(batch)
    learner.next_pass()
    assert not learner.state.resting.kept.now["better"]
    before = state_of(learner)[1]
    learner.partial_fit(batch)
    after = state_of(learner)[1]
    of_rest = [name for name in before if ".resting." in name]
    assert of_rest
    assert all((before[name] == after[name]).all() for name in of_rest)
    learner.next_pass(again=False)
    learner.partial_fit(batch.part(0, 16))
    assert not learner.state.resting.kept.now["copied"]
    assert not learner.state.resting.kept.now["rows"]
    learner.partial_fit(batch.part(16, 400))
    assert learner.state.resting.kept.now["copied"]
    assert learner.state.resting.kept.now["rows"]


def test_a_merge_begins_anew(soon):
    batch, base = series(600), Learner(loss="squared")
    base.partial_fit(batch.part(0, 100))
    parts = [Learner.from_arrays(*state_of(base)) for _ in range(2)]
    for own, (start, stop) in zip(parts, ((100, 350), (350, 600)), strict=True):
        own.partial_fit(batch.part(start, stop))
    merged = Learner.merge(parts, base)
    again = Learner.merge(parts, base)
    assert not merged.state.resting.kept.now["better"]
    assert not merged.state.resting.kept.now["copied"]
    for learner in (merged, again):
        for at in range(0, 600, 50):
            learner.partial_fit(rows_of(batch, slice(at, at + 50)))
    assert merged.state.resting.kept.now["copied"]
    assert_same(state_of(merged), state_of(again))
