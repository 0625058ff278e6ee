"""First-order learners equal their dense twins and Vowpal Wabbit; their invariances."""

import numpy as np
import pytest
from first_order_twin import TWINS
from for_all import for_all
from streams import (
    batch_of_dense,
    duplicated,
    entries,
    ill_conditioned,
    one_feature,
    rows_of,
    variants,
    with_weights,
    zipf,
)
from twins import by_dense_rows
from vw_peer import vw_predictions

from sonlearn import Learner, LearnOptions
from sonlearn.learn.first_order.rules import LARGE_TABLE
from sonlearn.options.losses import LOSSES
from sonlearn.options.methods import METHODS

N = 60
STREAMS = {
    "text": zipf(n=N, d=80),
    "long rows": zipf(n=N, d=80, unit=False, seed=1),
    "dense": ill_conditioned(1e3, T=N, d=20, large=4).batch,
    "one feature": one_feature(n=N),
    **variants(zipf(n=N, d=60, unit=False, seed=2)),
}
#: Forgetting, shrinking, and both.
FADING = [{"decay": 0.02}, {"l2": 0.03}, {"decay": 0.3, "l2": 3.0, "clip": 0.7}]
#: Beside the defaults: clipped, other steps, and the other readings of nag.
VARIANTS = {
    "ada-diag": [*FADING, {"update": "dual"}, {"delta": 0.0}, {"update": "dual", "delta": 0.0, "clip": 0.5}],
    "sgd": [{"l2": 0.03, "clip": 0.7}, {"clip": 0.5}, {"clip": "labels"}, {"learning_rate": 0.1, "power_t": 0.25}],
    "ogd": [{"l2": 0.03, "clip": 0.7}, {"clip": 0.5}, {"clip": 1.0, "learning_rate": 3.0}],
    "adagrad": [*FADING, {"clip": 0.5}, {"clip": "labels"}, {"learning_rate": 0.1, "power_t": 0.25}],
    "nag": [
        *FADING,
        {"clip": 1.0}, {"invariant": False}, {"rescale": "before"}, {"rescale": "before", "invariant": False},
        {"learning_rate": 3.0, "clip": 2.0}, {"clip": "labels"}, {"clip": "labels", "rescale": "before", "l2": 0.03},
        {"power_t": 0.3}, {"power_t": 0.8, "rescale": "before", "clip": 0.7}, {"power_t": 1.0, "learning_rate": 0.1},
        {"power_t": 0.0, "l2": 0.03},
    ],
    "ftrl": [{"l1": 0.05, "l2": 0.1}, {"ftrl_alpha": 2.0, "ftrl_beta": 0.1, "clip": 0.5}, {"clip": "labels"},
             {"ftrl_beta": 0.0}],
    "coin": [{"clip": 0.5}, {"ftrl_beta": 0.0}, {"ftrl_alpha": 1.0, "ftrl_beta": 0.2}, {"clip": "labels"}],
    "arow": [{"decay": 0.05}, {"arow_r": 0.1}],
    "arow-precision": [{"decay": 0.05}, {"arow_r": 10.0}],
    "nlms": [{"clip": 0.5}, {"learning_rate": 1.0}],
}  # fmt: skip
SETTINGS = [(method, loss, {}) for method in TWINS for loss in METHODS[method].losses or LOSSES]
SETTINGS += [
    (method, loss, more)
    for method in TWINS
    for more in VARIANTS.get(method, [])
    for loss in ("squared", "hinge" if more.get("clip") == "labels" else "logistic")
    if loss in (METHODS[method].losses or LOSSES)
]


def fitting(batch, loss):
    """The batch with labels that the loss takes."""
    return batch._replace(y=np.abs(batch.y) * (1 + np.arange(batch.n) % 3)) if loss == "poisson" else batch


def raw(options, batch):
    return Learner(options).partial_fit(batch).raw


#: Interpreted, one stream will do.
CHOSEN = [pytest.param(name, marks=[pytest.mark.interpreted] * (name == "weighted-unlabelled")) for name in STREAMS]


@pytest.mark.parametrize("stream", CHOSEN)
@pytest.mark.parametrize("method", TWINS)
def test_predictions_are_the_twins(stream, method):
    @for_all("loss, more", [(loss, more) for name, loss, more in SETTINGS if name == method])
    def the_same(loss, more):
        options, batch = LearnOptions(method=method, loss=loss, **more), fitting(STREAMS[stream], loss)
        expected = by_dense_rows(options, batch)
        np.testing.assert_allclose(raw(options, batch), expected, rtol=1e-9, atol=1e-9)
        assert np.std(expected) > 0

    the_same()


@pytest.mark.parametrize("method", ["nag", "sgd"])
def test_of_more_features_the_next_row_is_read_ahead(method):
    """And nothing else changes: neither what is predicted, nor where batches are cut."""
    options, batch = LearnOptions(method=method), zipf(n=60, d=200)
    first = np.arange(1, LARGE_TABLE + 100)
    batch = batch._replace(
        indices=np.concatenate([first, batch.indices]),
        values=np.concatenate([np.full(len(first), 1e-3), batch.values]),
        indptr=np.concatenate([[0], batch.indptr[1:] + len(first)]),
    )  # fmt: skip
    learner = Learner(options)
    parts = [learner.partial_fit(rows_of(batch, slice(a, a + 25))).raw for a in range(0, 60, 25)]
    assert learner.size > LARGE_TABLE
    np.testing.assert_array_equal(np.concatenate(parts), raw(options, batch))
    np.testing.assert_allclose(raw(options, batch), by_dense_rows(options, batch), rtol=1e-9, atol=1e-9)


@pytest.mark.interpreted
@for_all("method", TWINS)
def test_the_same_rows_again_and_again(method):
    """With smooth losses: where a prediction stands exactly at a kink, rounding decides, and no two programs agree."""
    for loss in {"squared", "logistic"} & set(METHODS[method].losses or LOSSES):
        options, batch = LearnOptions(method=method, loss=loss), duplicated(n=N)
        np.testing.assert_allclose(raw(options, batch), by_dense_rows(options, batch), rtol=1e-9, atol=1e-9)


# ---------------------------------------------------------------------------------------------------- what is invariant


def rescaled(batch, seed=0):
    """Each feature in a unit of its own, 1e-8 to 1e8."""
    unit = 10.0 ** np.random.default_rng(seed).uniform(-8, 8, batch.indices.max() + 1)
    return batch._replace(values=batch.values * unit[batch.indices])


@pytest.mark.interpreted
@for_all("more", [{}, {"rescale": "before"}, {"rescale": "before", "invariant": False}, {"method": "coin"}])
@for_all("loss", ["squared", "logistic"])
def test_the_units_of_features_leave_nag_and_coin_alone(loss, more):
    """What [NAG] is made for, in whichever reading."""
    options, batch = LearnOptions(**{"method": "nag", "loss": loss} | more), zipf(n=N, d=60, unit=False)
    np.testing.assert_allclose(raw(options, rescaled(batch)), raw(options, batch), rtol=1e-9, atol=1e-9)


@pytest.mark.interpreted
@for_all("loss", ["squared", "squared_hinge", "absolute", "hinge", "huber", "quantile"])
def test_no_importance_makes_nag_overshoot(loss):
    """However heavy a row, its own prediction goes to the label and not beyond; a plain step goes far beyond."""
    row = zipf(n=1, d=30)._replace(y=np.array([1.0]), weight=np.array([1e6]))
    for invariant in (True, False):
        learner = Learner(LearnOptions(method="nag", loss=loss, invariant=invariant))
        learner.partial_fit(row)
        end = learner.predict(row).raw[0]
        assert end == pytest.approx(1.0, abs=1e-3) if invariant else end > 2.0


@for_all("settings", [{"power_t": 0.0}, {"power_t": 0.4, "invariant": False}])
def test_a_step_of_nag_that_would_be_infinite_is_refused(settings):
    """The scale of a value whose square is next to 0 has a square that is infinite, and so has its rate."""
    learner = Learner(method="nag", loss="squared", **settings)
    learner.partial_fit(batch_of_dense(np.ones((1, 1)), np.ones(1)))
    assert learner.partial_fit(batch_of_dense(np.array([[1.0, 1e-160]]), np.array([-1.0])), skip=True).refused.all()
    assert all(np.isfinite(array).all() for array in learner.to_arrays()[1].values())


# ---------------------------------------------------------------------------------------------------- Vowpal Wabbit


def vw_lines(batch):
    """The rows of a batch as VW's text."""
    rows = zip(batch.y, batch.weight, entries(batch), strict=True)
    return [f"{y} {h} | " + " ".join(f"{j}:{v}" for j, v in row) for y, h, row in rows]


QUANTILE = {"method": "nag", "loss": "quantile", "quantile_tau": 0.3, "clip": 1.0}
POWER = {"method": "nag", "loss": "squared", "clip": 1.0, "learning_rate": 0.3, "power_t": 0.3}
FTRL = {"method": "ftrl", "l1": 0.01, "ftrl_alpha": 0.1, "ftrl_beta": 1.0}


@pytest.mark.parametrize(
    ("arguments", "settings", "tolerance"),
    [
        ("-l 0.3 --power_t 0.3", POWER, 1e-5),
        ("--loss_function logistic", {"method": "nag", "clip": 50.0}, 1e-3),
        ("--loss_function quantile --quantile_tau 0.3", QUANTILE, 1e-4),
        ("--ftrl --ftrl_alpha 0.1 --ftrl_beta 1 --l1 0.01 --loss_function logistic", FTRL, 1e-4),
        ("--ftrl", {"method": "ftrl", "loss": "squared", "clip": "labels", "ftrl_beta": 1.0}, 1e-4),
        ("--ftrl --ftrl_beta 0", {"method": "ftrl", "loss": "squared", "clip": "labels", "ftrl_beta": 0.0}, 1e-4),
        ("--coin", {"method": "coin", "loss": "squared", "clip": "labels"}, 1e-4),
    ],
    ids=["nag power", "nag logistic", "nag quantile", "ftrl", "ftrl default", "ftrl without beta", "coin default"],
)  # fmt: skip
def test_vw_predicts_the_same(arguments, settings, tolerance):
    """Up to its float32, with weights: VW's default is nag."""
    batch = with_weights(zipf(n=1500, d=300, unit=False))
    batch = batch._replace(weight=np.maximum(batch.weight, 0.5))
    ours = Learner(LearnOptions(**settings)).partial_fit(batch).prediction
    np.testing.assert_allclose(
        ours, vw_predictions(vw_lines(batch), f"--noconstant {arguments}"), rtol=tolerance, atol=tolerance
    )


def test_vws_adagrad_is_ours():
    batch = zipf(n=1500, d=300, unit=False)
    ours = Learner(LearnOptions(method="adagrad")).partial_fit(batch).prediction
    theirs = vw_predictions(vw_lines(batch), "--noconstant --adaptive -l 0.5 --loss_function logistic")
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


@for_all("loss", ["logistic", "squared", "hinge"])
@for_all("constant", [False, True])
def test_vws_coin_is_ours(loss, constant):
    """Progressive predictions, with weights; VW finds bounds of squared loss in the labels, -1 and 1."""
    batch = with_weights(zipf(n=1500, d=300, unit=False))
    batch = batch._replace(weight=np.maximum(batch.weight, 0.5))
    if constant:  # in every row, as last feature
        batch = batch._replace(
            indices=np.insert(batch.indices, batch.indptr[1:], 999),
            values=np.insert(batch.values, batch.indptr[1:], 1.0),
            indptr=batch.indptr + np.arange(batch.n + 1),
        )
    clip = {"squared": 1.0}.get(loss, 50.0)
    ours = Learner(LearnOptions(method="coin", loss=loss, clip=clip)).partial_fit(batch).prediction
    flags = f"--noconstant --coin --loss_function {loss} --min_prediction {-clip} --max_prediction {clip}"
    theirs = vw_predictions(vw_lines(batch), flags)
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


def test_a_model_of_coin_predicts_as_vws(vowpalwabbit):
    """What is predicted without learning, as with VW's -t."""
    batch = zipf(n=600, d=100, unit=False)
    learner = Learner(LearnOptions(method="coin"))
    learner.partial_fit(rows_of(batch, slice(0, 400)))
    rest, lines = rows_of(batch, slice(400, 600)), vw_lines(batch)
    with vowpalwabbit.Workspace("--quiet --noconstant --coin --loss_function logistic") as model:
        for line in lines[:400]:
            model.learn(line)
        theirs = [model.predict(line.partition("|")[1] + line.partition("|")[2]) for line in lines[400:]]
    np.testing.assert_allclose(learner.predict(rest).raw, theirs, rtol=1e-4, atol=1e-4)
