"""The mixture equals Bayes' rule over its members' twins, meets its bound, and refuses invalid options."""

import numpy as np
import pytest
from streams import batch_of, mixed, zipf
from twins import mixture

from sonlearn import Learner, LearnOptions


@pytest.mark.interpreted
def test_predictions_are_the_twins():
    options, batch = LearnOptions(method="mixture"), mixed(n=300)
    np.testing.assert_allclose(Learner(options).partial_fit(batch).raw, mixture(options, batch), rtol=0, atol=1e-9)


def test_the_loss_is_that_of_the_best_and_the_logarithm_of_their_number():
    batch, names = zipf(n=400, d=60), ("nag", "sgd", "arow", "gd")
    alone = [Learner(LearnOptions(method=name, loss="logistic")).partial_fit(batch).loss.sum() for name in names]
    learner = Learner(LearnOptions(method="mixture", members=names))
    assert learner.partial_fit(batch).loss.sum() <= min(alone) + np.log(len(names)) + 1e-9
    share = learner.facts()["share"]
    assert max(share, key=share.get) == names[int(np.argmin(alone))]
    assert sum(share.values()) == pytest.approx(1)


def test_a_row_that_a_member_refuses_it_sits_out():
    batch = zipf(n=60, d=20)
    values = batch.values.copy()
    values[batch.indptr[30]] = 1e120
    learner = Learner(LearnOptions(method="mixture", members=("nag", "sgd")))
    got = learner.partial_fit(batch._replace(values=values))
    assert got.raw[30] == 0
    assert np.isfinite(got.raw).all()


@pytest.mark.interpreted
def test_a_score_beyond_all_numbers_counts_as_a_sure_one():
    learner = Learner(LearnOptions(method="mixture", members=("adagrad", "sgd")))
    learner.partial_fit(batch_of([{1: 10.0 * k, 2: 10.0 * k} for k in (1, -1)] * 5, [1.0, -1.0] * 5))
    largest = np.finfo(float).max
    with np.errstate(over="ignore"):
        raw = learner.predict(batch_of([{1: largest, 2: largest}], [np.nan])).raw
    np.testing.assert_allclose(raw, [30.0])
