"""Learners by random projection against their definitions, with the same random numbers."""

import numpy as np
import pytest
from for_all import for_all
from streams import batch_of, duplicated, ill_conditioned, mixed, rows_of, shuffled_features, zipf
from twins import agree

from sonlearn import Learner, LearnOptions
from sonlearn.data.mixing import draw, position_of

ADA = ("ada-gp", "ada-dp", "radagrad")

STREAMS = {
    "mixed": shuffled_features(mixed()),
    "duplicated": duplicated(n=200, d=30),
    "dense": ill_conditioned(1e2, T=200, d=20, large=4).batch,
}


@pytest.mark.interpreted
@for_all("tau", [1, 4, 10])
@for_all("alpha", [0.1, 10.0])
@for_all("stream", STREAMS)
def test_rp_son(stream, alpha, tau):
    agree(STREAMS[stream], method="rp-son", alpha=alpha, sketch_size=tau, loss="squared", clip=1.0, seed=3)


def test_rp_son_projects():
    """(With alpha = 0.01 one bit of the input moves the twin's own predictions by 2e-7.)"""
    batch = ill_conditioned(1e3, T=300, d=20, large=4).batch
    _, raw = agree(batch, method="rp-son", alpha=0.1, sketch_size=5, loss="squared", clip=1.0)
    assert (np.abs(raw) > 1).sum() > 5


@pytest.mark.interpreted
@for_all("tau", [1, 4, 10])
@for_all("update", ["mirror", "dual"])
@for_all("stream", STREAMS)
@pytest.mark.parametrize("name", ADA)
def test_adaptive(name, stream, update, tau):
    agree(STREAMS[stream], method=name, sketch_size=tau, update=update, delta=0.5, loss="absolute", clip=2.0, seed=7)


@for_all("update", ["mirror", "dual"])
@for_all("stream", STREAMS)
def test_counts_with_rows_projected(stream, update):
    """The matrix of ada-dp knows nothing of slopes, which grow as exp(p): steps follow the loss."""
    batch = STREAMS[stream]._replace(y=np.round(20 * np.abs(STREAMS[stream].y)))
    agree(batch, method="ada-dp", sketch_size=4, update=update, delta=0.5, loss="poisson", seed=7)


# ---------------------------------------------------------------------------------------------------- randomness


def test_random_numbers_are_those_of_numpy():
    rows, position = draw(position_of(5), 7, 3)
    rng = np.random.default_rng(5)
    np.testing.assert_array_equal(rows, [rng.standard_normal(3) / np.sqrt(3) for _ in range(7)])
    np.testing.assert_array_equal(draw(position, 2, 3)[0], [rng.standard_normal(3) / np.sqrt(3) for _ in range(2)])


@pytest.mark.parametrize("name", [*ADA, "rp-son"])
def test_long_streams_use_the_numbers_in_order(name, monkeypatch):
    """Blocks of any length, and rows that are refused in between, change no bit."""
    from sonlearn.learn import projected

    batch = zipf(n=120, d=80, s=4)
    huge = batch_of([{1: 1e120}], [1.0])
    options = LearnOptions(method=name, sketch_size=3)
    learner, other = Learner(options), Learner(options)
    learner.partial_fit(batch)
    monkeypatch.setattr(projected, "BLOCK_ROWS", 7)
    for start in range(0, 120, 50):
        other.partial_fit(rows_of(batch, slice(start, min(start + 50, 120))))
        if start + 50 < 120:
            assert other.partial_fit(huge, skip=True).refused.all()
    one, two = learner.to_arrays()[1], other.to_arrays()[1]
    for key in one:
        np.testing.assert_array_equal(one[key], two[key], err_msg=key)
