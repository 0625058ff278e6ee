"""What theory promises, asked of the engine itself."""

import numpy as np
import pytest
from dense_learner import DenseLearner, run_twin
from for_all import for_all
from states import assert_same_predictions
from streams import batch_of, batch_of_dense, ill_conditioned, zipf

from sonlearn import Learner, LearnOptions, from_scipy

PAPER = {"loss": "squared", "clip": 1.0, "diagonal": False}
SKETCHES = [
    {"sketch": "rfd", "alpha": 0.0, "clip": 2.0},
    {"sketch": "rfd", "alpha": 1.0},
    {"sketch": "fd", "alpha": 1.0},
    {"sketch": "oja", "alpha": 1.0},
    {"sketch": "none", "alpha": 1.0},
]


def name(settings):
    return "-".join(map(str, settings.values()))


def learned(options, batch):
    learner = Learner(options)
    return learner, learner.partial_fit(batch)


def weights(learner):
    ids, w = learner.weights()
    return dict(zip(ids.tolist(), w.tolist(), strict=True))


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


def errors_in_other_units(**settings):
    """Share of wrong signs, as it is and with feature 3 in other units, 1000 times as large."""
    batch = zipf(n=3000, d=100, s=8)
    scaled = batch._replace(values=np.where(batch.indices == 3, 1000 * batch.values, batch.values))
    options = LearnOptions(sketch_size=5, **settings)
    return [np.mean(learned(options, data)[1].prediction * batch.y <= 0) for data in (batch, scaled)]


@pytest.mark.parametrize("settings", SKETCHES[:-1], ids=name)
def test_scale_of_one_feature_hardly_matters_with_diagonal(settings):
    """Not for gradient descent: D_t lags by a round, and its first step along a large value has nothing to tame it."""
    plain, scaled = errors_in_other_units(diagonal=True, loss="logistic", **settings)
    assert plain < 0.2
    assert abs(scaled - plain) < 0.01


def test_scale_of_one_feature_matters_to_gradient_descent():
    plain, scaled = errors_in_other_units(sketch="none", diagonal=False)
    assert scaled > plain + 0.1


def test_importance_two_is_twice_the_gradient():
    """By hand, sketch none: w = h/alpha 2 (y - p) x."""
    learner, got = learned(
        LearnOptions(sketch="none", loss="squared", alpha=4.0, diagonal=False),
        batch_of([{1: 1.0, 2: 3.0}], [1.0], [2.0]),
    )
    assert weights(learner) == {1: 1.0, 2: 3.0}
    assert got.loss[0] == 1.0, "the loss is shown without the importance"


def test_scipy_matrices_of_both_index_widths():
    from scipy.sparse import csr_array, csr_matrix

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 10)) * (rng.random((60, 10)) < 0.4)
    y = np.sign(X.sum(axis=1) + 0.1)
    options = LearnOptions(sketch_size=3)
    expected = learned(options, batch_of_dense(X, y))[1]
    for kind in (csr_array, csr_matrix):
        for width in (np.int32, np.int64):
            matrix = kind(X)
            matrix.indices, matrix.indptr = matrix.indices.astype(width), matrix.indptr.astype(width)
            got = learned(options, from_scipy(matrix, y, constant=False))[1]
            assert_same_predictions(got, expected)


def test_the_sketch_works_on_ill_conditioned_data():
    """[SON] section 5.1 in small: ten rows are nearly as good as the full matrix, none at all learns nothing."""
    stream = ill_conditioned(1e4, T=4000)
    error = {}
    for m, alpha in ((0, 1.0), (10, 1e-3), (101, 1e-3)):
        options = LearnOptions(sketch="rfd", sketch_size=m, alpha=alpha, **PAPER)
        error[m] = np.mean(learned(options, stream.batch)[1].prediction * stream.y <= 0)
    assert error[0] > 0.4
    assert error[10] < 0.25
    assert error[101] < 0.25


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
        _, got = learned(
            LearnOptions(alpha=0.0, **{"sketch": "rfd", **more}), batch._replace(values=100 * batch.values)
        )
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


@pytest.mark.parametrize("scale", ["maximum", "unit"])
def test_units_of_features_do_not_matter(scale):
    batch = zipf(n=500, d=60)
    units = 10.0 ** np.random.default_rng(1).integers(-6, 6, 61)
    options = LearnOptions(sketch="rfd", sketch_size=5, loss="squared", scale=scale, alpha=5.0)
    other = learned(options, batch._replace(values=batch.values * units[batch.indices]))[1]
    np.testing.assert_allclose(other.raw, learned(options, batch)[1].raw, atol=1e-8)
