"""Naive Bayes equals its twin (`bayes_twin`). What every learner has to meet: `test_learner_checks`."""

import numpy as np
import pytest
from bayes_twin import Bayes
from for_all import for_all
from states import assert_same, state_of
from streams import batch_of, duplicated, entries, one_feature, rows_of, variants, wide_range, zipf

from sonlearn import DivergedError, Learner, LearnOptions

pytestmark = pytest.mark.interpreted
TWINS = {"bayes": lambda: Bayes(False, 1.0, 0.25), "multinomial-bayes": lambda: Bayes(True, 0.05, 0.5)}
every = pytest.mark.parametrize("method", TWINS)


def learner_of(method, loss="logistic"):
    return Learner(LearnOptions(method=method, loss=loss))


TEXT = zipf(n=100, d=60)
STREAMS = variants(TEXT) | {
    "duplicated": duplicated(n=150), "one-feature": one_feature(n=100), "wide": wide_range(n=150),
    "one-class": TEXT._replace(y=np.ones(100)), "zero-one": TEXT._replace(y=(TEXT.y > 0).astype(float)),
}  # fmt: skip


def rows(batch):
    """{feature: the sum of its values} of each row."""
    return [{f: sum(x for each, x in row if each == f) for f, _ in row} for row in entries(batch)]


@every
@for_all("stream", STREAMS)
def test_predictions_and_weights_are_the_twins(method, stream):
    batch, twin, learner = STREAMS[stream], TWINS[method](), learner_of(method)
    wanted = np.zeros(batch.n)
    for i, row in enumerate(rows(batch)):
        wanted[i] = twin.predict(row)
        if batch.weight[i] > 0 and not np.isnan(batch.y[i]):
            twin.learn(row, batch.y[i], batch.weight[i])
    got = learner.partial_fit(batch)
    np.testing.assert_allclose(got.prediction, wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(got.raw, got.prediction)
    assert np.ptp(wanted) > 0.5
    for i, weight in zip(*learner.weights(), strict=True):
        assert weight == pytest.approx(twin.evidence(int(i)), rel=1e-9, abs=1e-9)
    again = learner.predict(batch).prediction
    np.testing.assert_allclose(again, list(map(twin.predict, rows(batch))), rtol=1e-9, atol=1e-9)


@every
def test_sums_of_the_largest_weights_are_finite(method):
    batch = batch_of([{1: 1.0}] * 3 + [{2: 1.0}] * 3, [1.0] * 3 + [-1.0] * 3)
    assert np.isfinite(learner_of(method).partial_fit(batch._replace(weight=np.full(6, 1e308))).prediction).all()


def test_a_refused_row_leaves_no_trace():
    batch = batch_of([{1: 1.0, 2: 1.0}, {1: 3.0}, {1: 1e308, 2: 1e308}, {2: 1.0}], [1.0, -1.0, 1.0, -1.0])
    learner, other = learner_of("multinomial-bayes"), learner_of("multinomial-bayes")
    with np.errstate(over="ignore", invalid="ignore"):  # which is to be found out, compiled or not
        with pytest.raises(DivergedError, match="<memory>:3:"):
            learner.partial_fit(batch)
        got = other.partial_fit(batch, skip=True)
    assert learner.examples == 2
    assert got.refused.tolist() == [False, False, True, False]
    learner.partial_fit(rows_of(batch, [3]))
    assert_same(state_of(learner), state_of(other))
