"""Adaptive subgradient methods and MetaGrad with frequent directions: their definitions, and what they reduce to."""

import numba
import numpy as np
import pytest
from for_all import for_all
from states import check_saves
from streams import batch_of_dense, duplicated, ill_conditioned, low_rank, mixed, shuffled_features
from twins import agree, by_dense_rows, run_twin

from sonlearn import Learner, LearnOptions

BOTH = pytest.mark.parametrize("name", ["ada-fd", "s-adagrad"])
TOLERANCE = 1e-9


STREAMS = {
    "mixed": shuffled_features(mixed(n=300)),
    "duplicated": duplicated(n=200, d=30),
    "dense": ill_conditioned(1e2, T=200, d=20, large=4).batch,
    "low rank": low_rank(n=200, d=20),
}


@BOTH
@for_all("buffer", ["doubled", "every"])
@pytest.mark.parametrize("m", [1, pytest.param(3, marks=pytest.mark.interpreted), 8])
@for_all("stream", STREAMS)
def test_predictions_are_the_twins(name, stream, m, buffer):
    """Also the dual ones: w = -l f(A) z, by the sum of gradients z and the sketch as it stands.

    Long steps (small delta) make some of these streams chaotic: where a change of the values in their last bit moves
    the twin's own predictions by more than the tolerance, ten times that is the tolerance.
    """
    settings = {"sketch_size": m, "buffer": buffer, "loss": "squared", "learning_rate": 0.3}
    batch = STREAMS[stream].part(0, 80 if numba.config.DISABLE_JIT else 120)
    for update in ("mirror", "dual"):
        settings["update"] = update
        agree(batch, method=name, **settings)
    options = LearnOptions(method=name, clip=0.3, delta=0.2, **settings)
    signs = np.random.default_rng(1).choice([-1, 0, 1], len(batch.values))
    nearby = batch._replace(values=batch.values * (1 + np.finfo(float).eps * signs))
    wanted, moved = (by_dense_rows(options, each) for each in (batch, nearby))
    tolerance = max(TOLERANCE, 10 * np.abs(moved - wanted).max())
    np.testing.assert_allclose(Learner(options).partial_fit(batch).raw, wanted, rtol=tolerance, atol=tolerance)


@BOTH
@pytest.mark.interpreted
def test_primal_dual_models_go_on_to_the_same_bits(name, tmp_path):
    options = LearnOptions(method=name, sketch_size=4, update="dual")
    check_saves(options, STREAMS["mixed"], tmp_path, range(60, 300, 60))


@pytest.mark.interpreted
@for_all("m", [1, 4, 10])
@for_all("stream", STREAMS)
def test_metagrad_with_one_sketch_for_all_experts(stream, m):
    batch = STREAMS[stream].part(0, 50)
    for more in (
        {"loss": "squared"}, {"loss": "logistic", "learning_rate": 3.0}, {"loss": "hinge", "clip": 0.5, "alpha": 0.1},
    ):  # fmt: skip
        learner, wanted = agree(batch, method="metagrad-fd", sketch_size=m, **more)
        assert np.std(wanted) > 1e-3
        assert learner.facts()["experts"].sum() == pytest.approx(1)


@for_all("more", [{"method": "metagrad-fd"}, {"method": "s-adagrad", "update": "dual"}])
def test_sums_of_gradients_stay_accurate_when_nearly_all_directions_are_kept(more):
    """What a new row adds to the kept ones is then a small difference, whose errors grow from shrink to shrink."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 12))
    batch = batch_of_dense(X, np.where(X @ rng.normal(size=12) / 3.0 + rng.normal(size=900) > 0.0, 1.0, -1.0))
    agree(batch, sketch_size=10 if more["method"] == "metagrad-fd" else 11, **more)


# ---------------------------------------------------------------------------------------------------- theory


@pytest.mark.interpreted
def test_as_many_rows_as_the_rank_are_metagrad():
    """m of them: what a shrink takes from m directions it gives back to them."""
    batch = low_rank(n=80 if numba.config.DISABLE_JIT else 300, d=15, rank=4)
    full, same, fewer = (
        Learner(LearnOptions(method=method, **size)).partial_fit(batch).raw
        for method, size in (("metagrad", {}), ("metagrad-fd", {"sketch_size": 4}), ("metagrad-fd", {"sketch_size": 3}))
    )
    np.testing.assert_allclose(same, full, rtol=1e-8, atol=1e-8)
    assert np.abs(fewer - full).max() > 1e-3


@pytest.mark.parametrize("delta", [0.0, 0.5])
def test_more_rows_than_the_rank_is_ada_full(delta):
    """m >= rank + 1, not rank: m - 1 rows stay. At delta = 0 what is 0 is a matter of rounding's root."""
    batch = low_rank(n=200, d=15, rank=4)
    full = Learner(LearnOptions(method="ada-full", delta=delta)).partial_fit(batch).raw
    fd = Learner(LearnOptions(method="ada-fd", sketch_size=5, delta=delta)).partial_fit(batch).raw
    np.testing.assert_allclose(fd, full, rtol=1e-7, atol=1e-7)
    fewer = Learner(LearnOptions(method="ada-fd", sketch_size=4, delta=delta)).partial_fit(batch).raw
    assert np.abs(fewer - full).max() > 1e-3


def test_s_adagrad_is_ada_full_only_without_delta():
    batch = low_rank(n=200, d=15, rank=4)
    for delta, same in ((0.0, True), (0.5, False)):
        full = Learner(LearnOptions(method="ada-full", delta=delta)).partial_fit(batch).raw
        got = Learner(LearnOptions(method="s-adagrad", sketch_size=5, delta=delta)).partial_fit(batch).raw
        assert np.allclose(got, full, rtol=1e-7, atol=1e-7) == same


def test_what_s_adagrad_sheds_goes_to_alpha():
    options = LearnOptions(method="s-adagrad", sketch_size=3, delta=0.25)
    learner = Learner(options)
    learner.partial_fit(STREAMS["dense"])
    twin, _ = run_twin(options, STREAMS["dense"])
    assert twin.sketch.shed > 1
    np.testing.assert_allclose(learner.alpha, 0.25 + twin.sketch.shed, rtol=1e-9)
