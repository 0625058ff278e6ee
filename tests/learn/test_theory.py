"""What theory promises, asked of the engine itself."""

import numpy as np
import pytest
from dense_learner import DenseLearner
from for_all import for_all
from streams import batch_of, batch_of_dense, ill_conditioned, zipf
from twins import run_twin

from sonlearn import Learner, LearnOptions

PAPER = {"loss": "squared", "clip": 1.0, "diagonal": False}


def learned(options, batch):
    learner = Learner(options)
    return learner, learner.partial_fit(batch)


@for_all("sketch", ["rfd", "fd"])
@for_all("alpha", [0.0, 1.0])
@for_all("m", [21, 40])
def test_more_rows_than_dimensions_is_full_newton(sketch, alpha, m):
    batch = zipf(n=300, d=20, s=5)
    options = LearnOptions(sketch=sketch, sketch_size=m, alpha=alpha, **PAPER)
    _, full = run_twin(options, batch, full=True)
    learner, got = learned(options, batch)
    np.testing.assert_allclose(got.prediction, full.prediction, rtol=0, atol=1e-9)
    assert learner.alpha == alpha, "nothing was shed"


@pytest.mark.parametrize("clip", [1.0, np.inf])
def test_rotation_leaves_full_newton_alone(clip):
    stream = ill_conditioned(100, T=1500, d=20, large=4)
    rotation, _ = np.linalg.qr(np.random.default_rng(5).normal(size=(20, 20)))
    turned = batch_of_dense(stream.X @ rotation, stream.y)
    for sketch_size, same in ((21, True), (0, True), (21, False)):
        options = LearnOptions(
            sketch="rfd", loss="squared", clip=clip, sigma=0.125, alpha=10.0, sketch_size=sketch_size, diagonal=not same
        )
        one, other = (learned(options, batch)[1].prediction for batch in (stream.batch, turned))
        difference = np.abs(one - other).max()
        assert difference < 1e-9 if same else difference > 1e-2, "the diagonal rescaling is not invariant"


# ---------------------------------------------------------------------------------------------------- Oja


def directions(rows, y, **more):
    """(raw predictions, V over the features in order) of Oja's sketch over rows given as {id: value}."""
    learner = Learner(LearnOptions(sketch="oja", diagonal=False, **more))
    raw = learner.partial_fit(batch_of(rows, y)).raw
    ids, V = learner.components()
    return raw, V[:, np.argsort(ids)]


def test_a_gradient_of_nothing_turns_nothing():
    """AdaOja's sum begins with the rows that V begins with: at 0, the first rotation would be of order 1."""
    rows, more = [{1: 1.0}, {1: 1.0, 2: 1.0}], {"sketch_size": 1, "loss": "squared"}
    raw, V = directions(rows, [1.0, 2.0], **more)
    assert abs(V[0, 1]) > 0.1
    _, V = directions(rows, [1.0, raw[1] * (1 + 1e-15) + 1e-15], **more)
    np.testing.assert_allclose(V, [[1, 0]], atol=1e-12)


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_adaptive_oja_knows_no_scale(scale):
    rng = np.random.default_rng(0)
    rows, y = [dict(enumerate(x, 1)) for x in rng.normal(size=(60, 5)).tolist()], np.ones(60)
    more = {"sketch_size": 2, "loss": "absolute", "sigma": 0.5, "eta": 0.0, "alpha": 1e30}
    scaled = [{j: scale * v for j, v in row.items()} for row in rows]
    np.testing.assert_allclose(directions(scaled, y, **more)[1], directions(rows, y, **more)[1], rtol=1e-9)


def test_a_gradient_of_nothing_is_no_direction():
    """A row predicted right but for the last bit takes no place in the sketch."""
    rows, more = [{1: 1.0}, {1: 1.0, 2: 1.0}], {"sketch_size": 2, "loss": "squared"}
    raw, V = directions(rows, [1.0, 2.0], **more)
    assert len(V) == 2
    for off in (0.0, 1e-15):
        assert len(directions(rows, [1.0, raw[1] + off], **more)[1]) == 1


def test_steep_steps_of_oja_keep_their_digits():
    """Steps 1/t on unscaled columns stretch V ten-thousandfold: against the twin in extended precision."""
    rng = np.random.default_rng(3)
    X = np.round(rng.uniform(0, 100, (1000, 16)) * (rng.random((1000, 16)) < 0.8))
    y = np.sign(X @ rng.normal(size=16) + 1e-9)
    options = LearnOptions(sketch="oja", oja_step="1/t", sketch_size=3, **PAPER)
    exact = DenseLearner(options, 16).run(X.astype(np.longdouble), y)
    np.testing.assert_allclose(learned(options, batch_of_dense(X, y))[1].prediction, exact.prediction, atol=1e-6)


# ---------------------------------------------------------------------------------------------------- alpha = 0


@pytest.mark.parametrize("e", [1e-2, 1e-5, 1e-7, 1e-9])
def test_without_alpha_the_scale_of_a_direction_does_not_matter(e):
    """The exact step knows no nearness of rows; ours, on dense rows, down to 1e-11 of their length."""
    batch = batch_of([{1: 1.0}, {1: 1.0, 2: e}, {1: 1.0, 2: 2 * e}], [1.0, -1.0, 1.0])
    _, got = learned(LearnOptions(sketch="rfd", alpha=0.0), batch)
    assert got.raw[2] == pytest.approx(-0.66324786, abs=1e-7)


def test_alpha_zero_is_the_setting_without_hyperparameters():
    options = LearnOptions(sketch="rfd", alpha=0.0)
    assert (options.loss, options.clip, options.scale, options.resolved_sigma) == ("squared", 1.0, "none", 0.125)
    batch = zipf(n=800, d=60, unit=False)
    for more in ({}, {"loss": "logistic"}, {"sketch": "fd", "loss": "hinge"}):
        options = LearnOptions(alpha=0.0, **{"sketch": "rfd", **more})
        _, got = learned(options, batch._replace(values=100 * batch.values))
        assert got.loss[400:].mean() < 2, more


# ---------------------------------------------------------------------------------------------------- scales


def test_settings_that_belong_together():
    """rfd-son's default is one setting; another loss or scale leaves it for the general defaults."""
    for given, wanted in (
        ({}, ("squared", "unit", 0.1)),
        ({"alpha": 3.0}, ("squared", "unit", 0.1)),
        ({"loss": "logistic"}, ("logistic", "gradients", "auto")),
        ({"diagonal": True}, ("logistic", "gradients", "auto")),
        ({"diagonal": False}, ("logistic", "none", "auto")),
        ({"sketch_size": 0}, ("logistic", "gradients", "auto")),
        ({"sketch": "fd"}, ("logistic", "gradients", "auto")),
        ({"sketch": "fd", "decay": 0.01}, ("logistic", "unit", "auto")),
    ):
        options = LearnOptions(**{"sketch": "rfd", **given})
        assert (options.loss, options.scale, options.sigma) == wanted, given
