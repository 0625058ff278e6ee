"""Learners with the whole matrix against their definitions, and what they refuse."""

import numpy as np
import pytest
from for_all import for_all
from streams import batch_of, duplicated, ill_conditioned, low_rank, mixed, rows_of
from twins import agree

from sonlearn import InputError, Learner, LearnOptions
from sonlearn.options.losses import LOSSES
from sonlearn.options.methods import METHODS

#: With alpha = 0 the condition of A is anything up to 1e10, the cutoff; that times the rounding of A.
WITHOUT_ALPHA = 1e-6
FULL_ON = {"method": "full-on", "loss": "squared", "clip": 1.0}


@pytest.mark.interpreted
@for_all("loss", LOSSES)
@for_all("alpha", [0.1, 10.0])
def test_full_on(loss, alpha):
    batch = mixed(kind="real")
    y = np.abs(batch.y) if loss == "poisson" else np.sign(batch.y)
    agree(batch._replace(y=y), method="full-on", loss=loss, alpha=alpha, clip=1.0, sigma=0.25)


def test_full_on_projects():
    _, raw = agree(ill_conditioned(1e3, T=300, d=20, large=4).batch, alpha=0.01, **FULL_ON)
    assert (np.abs(raw) > 1).sum() > 5


@pytest.mark.interpreted
@for_all("eta", ["1/t", "1/sqrt(t)", 0.5])
@for_all("stream", [mixed(), low_rank(n=150, d=20), duplicated(n=150, d=30)])
def test_full_on_with_pseudo_inverses(stream, eta):
    _, raw = agree(stream, WITHOUT_ALPHA, alpha=0.0, eta=eta, **FULL_ON)
    assert (np.abs(raw) > 1).sum() > (0 if eta == 0.5 else 5), "a stream that never needs the projection"


@pytest.mark.interpreted
@for_all("loss", METHODS["arow-full"].losses)
@for_all("r", [0.1, 1.0])
def test_arow_full(loss, r):
    agree(mixed(), method="arow-full", loss=loss, arow_r=r)


@pytest.mark.interpreted
@for_all("method", ["ridge", "ridge-z"])
@for_all("alpha", [0.1, 10.0])
@for_all("most", [256, 12])
@for_all("stream", [mixed(), mixed(kind="real"), low_rank(n=250, d=4, rank=3)])
def test_ridge(stream, most, alpha, method):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(METHODS[method].values, "max_columns", most)
        learner, raw = agree(stream._replace(y=1e3 + 5 * stream.y), method=method, alpha=alpha)
        assert np.ptp(raw[50:]) > 1.0
        assert np.count_nonzero(learner.weights()[1]) == min(learner.size, most)


@pytest.mark.interpreted
def test_ridge_with_a_constant_does_not_care_where_labels_lie():
    X = np.random.default_rng(0).normal(size=(200, 5))
    y, X = X @ np.arange(5) + 3.0, np.column_stack([X, np.ones(200)])
    one = Learner(LearnOptions(method="ridge")).partial_fit(dense(X, y)).raw
    other = Learner(LearnOptions(method="ridge")).partial_fit(dense(X, y / 9 + 1e4)).raw
    np.testing.assert_allclose((other[1:] - 1e4) * 9, one[1:], rtol=1e-7, atol=1e-7)
    assert np.abs(one - y)[100:].max() < 0.5


@pytest.mark.interpreted
def test_ridge_in_standard_deviations_does_not_care_where_features_lie():
    X = np.random.default_rng(0).normal(size=(200, 5))
    y, constant = X @ np.arange(5) + 3.0, np.ones((200, 1))
    one = Learner(LearnOptions(method="ridge-z")).partial_fit(dense(np.hstack([constant, X]), y)).raw
    other = Learner(LearnOptions(method="ridge-z")).partial_fit(dense(np.hstack([constant, X / 1e4 + 2.0]), y)).raw
    np.testing.assert_allclose(other[20:], one[20:], rtol=1e-4, atol=1e-4)
    assert np.abs(one - y)[100:].max() < 0.5


@pytest.mark.interpreted
@for_all("method", ["ridge", "ridge-z"])
def test_ridge_lays_nothing_to_a_feature_that_every_row_had_beside_the_constant(method):
    """As of a table's rows of one weekday: a row of another day is predicted as they are."""
    X = np.random.default_rng(0).normal(size=(200, 2)) * 0.1 + 145.0
    y, once = X @ [3.0, -2.0], np.ones((200, 2))
    learner = Learner(LearnOptions(method=method))
    learner.partial_fit(dense(np.hstack([X, once]), y))
    other = learner.predict(dense(np.hstack([X, once * [0.0, 1.0]]), y)).raw
    np.testing.assert_allclose(other, y, atol=0.5)


@pytest.mark.interpreted
@pytest.mark.parametrize("apart", [100, 0])
def test_ridge_has_the_same_constant_after_a_merge(apart):
    """Where one part has learned nothing as well: not the last feature that every row had."""
    X = np.random.default_rng(0).normal(size=(200, 2)) * 0.1 + 145.0
    y, once = X @ [3.0, -2.0], np.ones((200, 2))
    batch = dense(np.hstack([X, once]), y)
    batch = batch._replace(constant=int(batch.indices[2]))
    parts = [Learner(LearnOptions(method="ridge")) for _ in range(2)]
    parts[0].partial_fit(batch.part(apart, 200))
    if apart:
        parts[1].partial_fit(batch.part(0, apart))
    other = dense(np.hstack([X, once * [1.0, 0.0]]), y)._replace(constant=batch.constant)
    np.testing.assert_allclose(Learner.merge(parts).predict(other).raw, y, atol=0.5)


@pytest.mark.interpreted
@for_all("update", ["mirror", "dual"])
@for_all("delta", [0.0, 0.1, 1.0])
@for_all("loss", ["logistic", "absolute"])
def test_ada_full(loss, delta, update):
    agree(mixed(), method="ada-full", loss=loss, delta=delta, update=update, clip=3.0)


@pytest.mark.interpreted
@for_all("update", ["mirror", "dual"])
@for_all("tau", [1, 4, 10, 60])
def test_ada_lr(tau, update):
    agree(mixed(), method="ada-lr", sketch_size=tau, update=update, loss="absolute", clip=3.0, seed=2)


@pytest.mark.interpreted
@pytest.mark.parametrize("rate", [0.1, 2.0])
@pytest.mark.parametrize("loss", ["logistic", "squared", "hinge"])
def test_metagrad(loss, rate):
    agree(mixed(), method="metagrad", loss=loss, learning_rate=rate, alpha=0.5, clip=2.0)


def dense(X, y):
    return batch_of([dict(enumerate(row.tolist())) for row in X], y)


# ---------------------------------------------------------------------------------------------------- reliability


@pytest.mark.parametrize("name", ["full-on", "arow-full", "ada-full", "ada-lr", "metagrad"])
def test_too_many_features_are_refused_and_what_was_learned_stays(name, monkeypatch):
    monkeypatch.setitem(METHODS[name].values, "max_columns", 12)
    rows = [{i: 1.0, i + 1: 2.0} for i in range(30)]
    learner, other = Learner(LearnOptions(method=name)), Learner(LearnOptions(method=name))
    told = f"<memory>:12: found a feature after 12 others.*--method {name}.*use --method"
    with pytest.raises(InputError, match=told):
        learner.partial_fit(batch_of(rows, [1.0, -1.0] * 15))
    other.partial_fit(rows_of(batch_of(rows, [1.0, -1.0] * 15), slice(0, 11)))
    assert learner.examples == other.examples == 11
    np.testing.assert_array_equal(learner.weights()[1][:12], other.weights()[1])
    got = learner.partial_fit(batch_of(rows, [1.0, -1.0] * 15), skip=True)
    assert got.refused.tolist() == [False] * 11 + [True] * 19
    assert Learner.from_arrays(*learner.to_arrays()).examples == learner.examples
