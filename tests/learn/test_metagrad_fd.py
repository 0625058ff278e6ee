"""MetaGrad with one sketch for all experts equals its twin, and metagrad if the sketch is large enough."""

import numba
import numpy as np
import pytest
from for_all import for_all
from matrix_twin import raw_predictions
from streams import duplicated, ill_conditioned, low_rank, mixed

from sonlearn import Learner, LearnOptions

N = 80 if numba.config.DISABLE_JIT else 300
STREAMS = {
    "mixed": mixed(n=N),
    "dense": ill_conditioned(1e2, T=N, d=15, large=4).batch,
    "the same rows": duplicated(n=N),
}


def raw(batch, **settings):
    return Learner(LearnOptions(**settings)).partial_fit(batch).raw


@pytest.mark.interpreted
@for_all("m", [1, 4, 10])
@for_all("stream", STREAMS)
def test_predictions_are_the_twins(stream, m):
    for more in (
        {"loss": "squared"}, {"loss": "logistic", "learning_rate": 3.0}, {"loss": "hinge", "clip": 0.5, "alpha": 0.1},
    ):  # fmt: skip
        options = LearnOptions(method="metagrad-fd", sketch_size=m, **more)
        wanted, learner = raw_predictions(options, STREAMS[stream]), Learner(options)
        np.testing.assert_allclose(learner.partial_fit(STREAMS[stream]).raw, wanted, rtol=1e-9, atol=1e-9)
        assert np.std(wanted) > 1e-3
        assert learner.facts()["experts"].sum() == pytest.approx(1)


@pytest.mark.interpreted
def test_as_many_rows_as_the_rank_are_metagrad():
    """m of them: what a shrink takes from m directions it gives back to them."""
    batch = low_rank(n=N, d=15, rank=4)
    full = raw(batch, method="metagrad")
    np.testing.assert_allclose(raw(batch, method="metagrad-fd", sketch_size=4), full, rtol=1e-8, atol=1e-8)
    assert np.abs(raw(batch, method="metagrad-fd", sketch_size=3) - full).max() > 1e-3
